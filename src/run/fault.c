/* fault.c - a bit flipped, a number lost, a write refused, a rank gone: where and when ordered
 *
 * Writes fail through the limit on the size of files: the system refuses them, or ends the process
 * in the middle, and every layer above sees what it would see in earnest.
 */
#include "run/fault.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "backend/packed_links.h"
#include "base/memory.h"
#include "comm/new.h"

enum { MOST = 8, TEXT_BYTES = 256 };

typedef enum what { FLIP, NOT_A_NUMBER, STOP, FAIL, STALL, KILL, SQUEEZE, LACK, WHATS } what;
typedef enum where {
    LINKS,
    INNER_LINKS,
    CLOVER,
    INNER_CLOVER,
    VECTORS,
    COARSE,
    X, /* the vectors in the order of solver.h */
    CORRECTION,
    RESIDUAL,
    DIRECTION,
    SOURCE,
    SOLVE,
    WRITE,
    SETUP,
    BATCH,
    WAIT,
    WHERES
} where;

static const char *const whats[WHATS] = {"flip",  "nan",  "stop",    "fail",
                                         "stall", "kill", "squeeze", "lack"};
static const char *const wheres[WHERES] = {
    "links",    "inner_links", "clover", "inner_clover", "vectors", "coarse", "x",     "correction",
    "residual", "direction",   "source", "solve",        "write",   "setup",  "batch", "wait"};

typedef struct order {
    what what;
    where where;
    long when;
    int rank;
} order;

struct naik_fault {
    naik_comm *comm;
    order orders[MOST];
    int count, next;                    /* those before `next` have happened */
    long sources, writes, steps, looks; /* calls so far */
    bool armed; /* the solve at work has been seen before its time, or it is another one */
    bool limited;
    struct rlimit limit; /* as it was before a write that is to fail */
};

static bool belong_together(what what, where where)
{
    switch (what) {
    case FLIP:
    case NOT_A_NUMBER: return where <= SOURCE || where == SETUP;
    case STOP: return where == SOLVE || where == SETUP || where == WAIT;
    case FAIL: return where == SOLVE || where == WRITE || where == SETUP;
    case STALL:
    case KILL: return where >= SOLVE && where <= SETUP;
    case SQUEEZE: return where == BATCH;
    case LACK: return where == SETUP;
    case WHATS: break;
    }
    return false;
}

static int index_of(const char *word, const char *const *words, int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(word, words[i]) == 0) {
            return i;
        }
    }
    return count;
}

static bool parse_order(const naik_comm *comm, const char *text, order *out)
{
    char a[16] = "", b[16] = "", rest[2] = "";
    long when = 0;
    int rank = comm->size - 1;
    int found = sscanf(text, "%15[a-z]:%15[a-z_]:%ld@%d%1s", a, b, &when, &rank, rest);
    if (found == 3 && sscanf(text, "%*[a-z]:%*[a-z_]:%*d%1s", rest) > 0) {
        return false;
    }
    *out = (order){(what)index_of(a, whats, WHATS), (where)index_of(b, wheres, WHERES), when, rank};
    return (found == 3 || found == 4) && out->what < WHATS && out->where < WHERES &&
           belong_together(out->what, out->where) && when >= 1 && rank >= 0 && rank < comm->size;
}

static naik_status parse(naik_fault *fault, const char *text)
{
    char copy[TEXT_BYTES], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word = strtok_r(copy, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
        if (fault->count == MOST || !parse_order(fault->comm, word, &fault->orders[fault->count])) {
            return NAIK_FAIL(
                fault->comm->log, NAIK_ERR_INPUT,
                "NAIK_INJECT: '%s' is not WHAT:WHERE:WHEN[@RANK] as fault.h has it, or "
                "one too many",
                word);
        }
        fault->count++;
    }
    return NAIK_OK;
}

naik_status naik_fault_create(naik_comm *comm, naik_fault **out)
{
    naik_status status = NAIK_OK;
    char text[TEXT_BYTES] = "";
    const char *ordered = comm->rank == 0 ? getenv("NAIK_INJECT") : NULL;
    naik_fault *fault = NULL;
    *out = NULL;
    snprintf(text, sizeof text, "%s", ordered != NULL ? ordered : "");
    NAIK_TRY(naik_comm_broadcast(comm, text, sizeof text, 0));
    if (text[0] == '\0') {
        return NAIK_OK;
    }
    NAIK_TRY(naik_new(comm, sizeof *fault, "NAIK_INJECT", (void **)&fault));
    fault->comm = comm;
    fault->armed = true;
    NAIK_TRY(parse(fault, text));
    naik_log_warn(comm->log,
                  "NAIK_INJECT=%s is set: this run damages itself on purpose, for tests only; do "
                  "not use its results",
                  text);
    *out = fault;
    fault = NULL;
done:
    naik_fault_destroy(&fault);
    return status;
}

void naik_fault_destroy(naik_fault **fault)
{
    const naik_fault *f = *fault;
    if (f != NULL && f->next < f->count) {
        const order *o = &f->orders[f->next];
        naik_log_warn(f->comm->log, "NAIK_INJECT: %s:%s:%ld did not happen", whats[o->what],
                      wheres[o->where], o->when);
    }
    free(*fault);
    *fault = NULL;
}

/* The next order, if it is for this place and time; *mine: on this rank. */
static const order *deferred(naik_fault *fault, where first, where last, long now, bool *mine)
{
    const order *o = &fault->orders[fault->next];
    if (fault->next == fault->count || o->where < first || o->where > last) {
        return NULL;
    }
    fault->armed = fault->armed || now < o->when;
    if (now < o->when || !fault->armed) {
        return NULL;
    }
    fault->next++;
    /* calls are counted, iterations begin again */
    fault->armed = o->where == SOURCE || o->where == WRITE || o->where == SETUP || o->where == WAIT;
    *mine = o->rank == fault->comm->rank;
    if (*mine) {
        fprintf(stderr, "naik: injected %s:%s at %ld [rank %d]\n", whats[o->what], wheres[o->where],
                now, o->rank);
    }
    return o;
}

/* The last bit of the exponent, or every bit: NaN where numbers are floating-point. */
static void alter(unsigned char *number, size_t size, what what)
{
    static const unsigned char bit[9] = {[2] = 0x10, [4] = 0x80, [8] = 0x10};
    if (what == FLIP) {
        number[size == 2 ? 1 : size - 2] ^= bit[size];
    } else {
        memset(number, 0xff, size);
    }
}

/* One number of some memory of the backend. */
static naik_status alter_memory(naik_backend *backend, void *memory, size_t size_bytes,
                                naik_precision precision, what what)
{
    static const size_t sizes[] = {[NAIK_DOUBLE] = 8, [NAIK_SINGLE] = 4, [NAIK_HALF] = 2};
    const size_t size = sizes[precision];
    char *place = (char *)memory + size_bytes / 3 / size * size;
    unsigned char number[8];
    NAIK_PASS(naik_backend_download(backend, number, place, size));
    alter(number, size, what);
    return naik_backend_upload(backend, place, number, size);
}

/* One number of the first rhs at work. */
static naik_status alter_vector(const naik_solver_progress *progress, int vector, what what)
{
    naik_status status = NAIK_OK;
    naik_field *field = progress->field[progress->field[vector] != NULL ? vector : NAIK_SOLVER_X];
    const naik_lattice *lat = field->geometry->lattice;
    naik_backend *backend = field->geometry->backend;
    double *sites = NULL;
    NAIK_TRY(naik_alloc(backend->log, (size_t)field->spin * naik_lattice_vector_bytes(lat),
                        "a vector to damage", (void **)&sites));
    NAIK_TRY(backend->ops->field.to_host(field, progress->parity, progress->irhs[0], sites));
    double *number =
        &sites[6 * field->spin *
               (int64_t)naik_lattice_site_of(lat, progress->parity, lat->volume_cb / 2)];
    alter((unsigned char *)number, sizeof *number, what);
    NAIK_TRY(backend->ops->field.from_host(field, progress->parity, progress->irhs[0], sites));
done:
    naik_free(sites);
    return status;
}

static void stall(void)
{
    for (;;) {
        pause();
    }
}

/* What ends or halts a rank. */
static void halt(what what)
{
    if (what == STALL) {
        stall();
    }
    raise(what == KILL ? SIGKILL : SIGUSR1);
}

static naik_status alter_multigrid(const naik_fault *fault, const naik_fault_targets *targets,
                                   const order *o)
{
    const naik_transfer *p = targets->vectors;
    const naik_coarse_links *m = targets->coarse;
    if (p == NULL || m == NULL) {
        return NAIK_FAIL(fault->comm->log, NAIK_ERR_INPUT,
                         "NAIK_INJECT: these solves have no multigrid");
    }
    naik_backend *backend = p->aggregates->geometry->backend;
    return o->where == VECTORS
               ? alter_memory(backend, p->data, p->size_bytes, p->precision, o->what)
               : alter_memory(backend, m->data, m->size_bytes, m->precision, o->what);
}

void naik_fault_in_plan(naik_fault *fault, int *multigrid_batch)
{
    if (fault != NULL && fault->next < fault->count && fault->orders[fault->next].what == SQUEEZE) {
        const long most = fault->orders[fault->next++].when;
        *multigrid_batch = most < *multigrid_batch ? (int)most : *multigrid_batch;
    }
}

static naik_status fail(const naik_fault *fault)
{
    return NAIK_FAIL(fault->comm->log, NAIK_ERR_DEVICE, "the device of rank %d failed by order",
                     fault->comm->rank);
}

static naik_status alter_links(const naik_links *links, what what)
{
    return alter_memory(links->geometry->backend, links->data, links->size_bytes, links->precision,
                        what);
}

naik_status naik_fault_in_setup(naik_fault *fault, int ranks, const naik_fault_targets *targets)
{
    bool mine = false;
    const order *o = fault == NULL ? NULL : deferred(fault, SETUP, SETUP, ++fault->steps, &mine);
    if (o == NULL || (o->what == LACK ? o->rank / ranks != fault->comm->rank / ranks : !mine)) {
        return NAIK_OK;
    }
    switch (o->what) {
    case FLIP:
    case NOT_A_NUMBER: return alter_links(targets->links[1], o->what);
    case FAIL: return fail(fault);
    case LACK:
        return NAIK_FAIL(fault->comm->log, NAIK_ERR_NOT_CONVERGED,
                         "multigrid cannot be made at step %ld by order", fault->steps);
    default: halt(o->what); return NAIK_OK;
    }
}

void naik_fault_in_wait(naik_fault *fault)
{
    bool mine = false;
    const order *o = fault == NULL ? NULL : deferred(fault, WAIT, WAIT, ++fault->looks, &mine);
    if (o != NULL && mine) {
        halt(o->what);
    }
}

bool naik_fault_holds(const naik_fault *fault, int group, int ranks)
{
    if (fault == NULL || fault->next == fault->count) {
        return false;
    }
    const order *o = &fault->orders[fault->next];
    return o->where == WAIT && o->rank / ranks != group;
}

naik_fault_targets naik_fault_targets_of(const naik_operator_set *set,
                                         const naik_multigrid *multigrid)
{
    const naik_precision fastest = naik_operator_set_fastest(set);
    return (naik_fault_targets){.links = {set->links[NAIK_DOUBLE], set->links[fastest]},
                                .blocks = {naik_operator_set_blocks(set, NAIK_DOUBLE),
                                           naik_operator_set_blocks(set, fastest)},
                                .vectors = multigrid != NULL ? multigrid->used : NULL,
                                .coarse = multigrid != NULL ? multigrid->coarse->used : NULL};
}

naik_status naik_fault_in_solve(naik_fault *fault, const naik_solver_progress *progress,
                                const naik_fault_targets *targets)
{
    bool mine = false;
    if (fault == NULL || progress->running == 0) {
        return NAIK_OK;
    }
    const order *o = deferred(fault, LINKS, DIRECTION, progress->iterations, &mine);
    o = o != NULL ? o : deferred(fault, SOLVE, SOLVE, progress->iterations, &mine);
    if (o == NULL || !mine) {
        return NAIK_OK;
    }
    if (o->what == STALL || o->what == KILL || o->what == STOP) {
        halt(o->what);
        return NAIK_OK;
    }
    if (o->what == FAIL) {
        return fail(fault);
    }
    if (o->where <= INNER_LINKS) {
        return alter_links(targets->links[o->where - LINKS], o->what);
    }
    if (o->where <= INNER_CLOVER) {
        const naik_blocks *blocks = targets->blocks[o->where - CLOVER];
        return blocks == NULL || blocks->data == NULL
                   ? NAIK_FAIL(fault->comm->log, NAIK_ERR_INPUT,
                               "NAIK_INJECT: these quarks have no clover blocks")
                   : alter_memory(blocks->geometry->backend, blocks->data, blocks->size_bytes,
                                  blocks->precision, o->what);
    }
    if (o->where <= COARSE) {
        return alter_multigrid(fault, targets, o);
    }
    return alter_vector(progress, (int)(o->where - X), o->what);
}

void naik_fault_in_source(naik_fault *fault, const naik_lattice *lattice, double *src)
{
    bool mine = false;
    if (fault == NULL) {
        return;
    }
    const order *o = deferred(fault, SOURCE, SOURCE, ++fault->sources, &mine);
    if (o != NULL && mine) {
        double *number = &src[3 * (int64_t)lattice->sites];
        *number = *number == 0 ? 1 : *number;
        alter((unsigned char *)number, sizeof *number, o->what);
    }
}

void naik_fault_before_write(naik_fault *fault)
{
    bool mine = false;
    if (fault == NULL) {
        return;
    }
    const order *o = deferred(fault, WRITE, WRITE, ++fault->writes, &mine);
    if (o == NULL || !mine) {
        return;
    }
    if (o->what == STALL) {
        stall();
    }
    getrlimit(RLIMIT_FSIZE, &fault->limit);
    const struct rlimit none = {0, fault->limit.rlim_max};
    signal(SIGXFSZ,
           o->what == FAIL ? SIG_IGN : SIG_DFL); /* else the first write ends the process */
    setrlimit(RLIMIT_FSIZE, &none);
    fault->limited = true;
}

void naik_fault_after_write(naik_fault *fault)
{
    if (fault != NULL && fault->limited) {
        setrlimit(RLIMIT_FSIZE, &fault->limit);
        fault->limited = false;
    }
}
