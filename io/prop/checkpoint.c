/* checkpoint.c - PATH.part.state: a head, vectors and histories, and an index of them at the end
 *
 * Plain bytes instead of HDF5: its metadata carry no checksum, and a damaged file may bring the
 * library down. Here head, index, histories and vectors are all verified before any is believed.
 * Numbers are as this machine stores them; the head tells, and another machine ignores the file.
 * A vector is [T][Z][Y][X/2] of 6 reals, or of 24 with spin: the sites of the parity solved, in
 * checkerboard order.
 */
#include "io/prop/checkpoint.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "comm/new.h"
#include "comm/paths.h"
#include "io/checksum.h"
#include "io/files.h"
#include "io/prop/prop_file.h"
#include "io/reread.h"
#include "io/site_sums.h"
#include "io/sites.h"
#include "naik/version.h"

enum { FORMAT = 5, ORDER = 0x01020304, HEAD_BYTES = 4096 };

typedef struct disk_vector {
    int64_t offset;
    int32_t bits; /* 0: the vector is not kept */
    uint32_t sum[2], reserved;
} disk_vector;

typedef struct disk_entry {  /* one solve */
    naik_solver_state state; /* its pointer is void */
    disk_vector vector[NAIK_SOLVER_VECTORS];
    int64_t history_offset;
    uint32_t history_crc;
    int32_t solve;
} disk_entry;

typedef struct disk_head {
    char magic[8];
    int32_t order, format, entry_bytes, entries;
    int32_t size[NAIK_DIM];
    int64_t index_offset;
    uint32_t index_crc, identity;
    uint32_t reserved, crc; /* of the bytes before it */
} disk_head;

typedef struct entry_list {
    disk_entry *entries;
    int count, room;
} entry_list;

struct naik_checkpoint {
    naik_propagator_file *file;
    naik_comm *comm;
    const naik_lattice *lattice;
    int reals; /* of a site of a vector */
    uint32_t identity;
    entry_list found, kept; /* in the old file, in the new one */
    int64_t used;           /* bytes of the new one */
    bool failed;
    char path[NAIK_PATH_MAX], made[NAIK_PATH_MAX];
};

/* ---- vectors */

typedef struct rows {
    const naik_sites_box *box;
    const double *in; /* [half][reals]; one of the two, or neither for a checksum alone */
    double *out;
    int reals, bits;
    naik_site_sums *sums;
} rows;

static naik_sites_box box_of(const naik_checkpoint *s, const disk_vector *vector)
{
    naik_sites_box box =
        naik_sites_of_lattice(s->lattice, vector->offset, s->reals * vector->bits / 8);
    box.extent[0] /= 2;
    box.start[0] /= 2;
    box.count[0] /= 2;
    return box;
}

static void visit(void *context, const naik_sites_row *row)
{
    rows *r = context;
    const naik_sites_box *box = r->box;
    int64_t cb = 0;
    for (int mu = NAIK_DIM - 1; mu >= 0; mu--) {
        cb = cb * box->count[mu] + row->coord[mu] - box->start[mu];
    }
    if (r->in != NULL) {
        naik_reals_encode(r->in + r->reals * cb, r->reals * (int64_t)row->count, r->bits, false,
                          row->bytes);
    }
    naik_site_sums_add(r->sums, row->number, row->count, row->bytes);
    if (r->out != NULL) {
        naik_reals_decode(row->bytes, r->reals * (int64_t)row->count, r->bits, false,
                          r->out + r->reals * cb);
    }
}

/* A vector of the old file; half NULL: only whether it is what was written. */
static naik_status read_vector(const naik_checkpoint *s, const disk_vector *vector, double *half)
{
    naik_status status = NAIK_OK;
    const naik_sites_box box = box_of(s, vector);
    rows r = {.box = &box, .out = half, .reals = s->reals, .bits = vector->bits};
    uint32_t sum[2];
    NAIK_TRY(naik_site_sums_create(s->comm, box.element_bytes, &r.sums));
    NAIK_TRY(naik_sites_read(s->comm, s->path, &box, visit, &r));
    NAIK_TRY(naik_site_sums_combine(r.sums, sum));
    if (sum[0] != vector->sum[0] || sum[1] != vector->sum[1]) {
        status = NAIK_FAIL(s->comm->log, NAIK_ERR_CORRUPT,
                           "%s is damaged: remove it to start its solves again", s->path);
    }
done:
    naik_site_sums_destroy(&r.sums);
    return status;
}

/* *ok = false where what was kept cannot be used, which is no failure of the run. */
static naik_status forgive_damage(const naik_checkpoint *s, naik_status status, bool *ok)
{
    *ok = status == NAIK_OK;
    if (status != NAIK_ERR_CORRUPT && status != NAIK_ERR_IO) {
        return status;
    }
    naik_log_clear(s->comm->log);
    return NAIK_OK;
}

static int64_t vector_bytes(const naik_checkpoint *s, int bits)
{
    return s->lattice->volume / 2 * s->reals * bits / 8;
}

/* Appends a vector to the new file. Its blocks are set aside first, so that a full disk is met
 * before the collective write, in which some MPI libraries hang. */
static naik_status write_vector(naik_checkpoint *s, disk_vector *vector, int bits,
                                const double *half)
{
    naik_status status = NAIK_OK;
    const int64_t bytes = vector_bytes(s, bits);
    *vector = (disk_vector){.offset = s->used, .bits = bits};
    const naik_sites_box box = box_of(s, vector);
    rows r = {.box = &box, .in = half, .reals = s->reals, .bits = bits};
    NAIK_TRY(naik_site_sums_create(s->comm, box.element_bytes, &r.sums));
    NAIK_TRY(naik_file_check_space(s->comm, s->made, s->used + bytes));
    NAIK_TRY(naik_file_put(s->comm, s->made, false, s->used + bytes - 1, "", 1));
    NAIK_TRY(naik_file_reserve(s->comm, s->made));
    NAIK_TRY(naik_sites_write(s->comm, s->made, &box, visit, &r));
    NAIK_TRY(naik_site_sums_combine(r.sums, vector->sum));
    s->used += bytes;
done:
    naik_site_sums_destroy(&r.sums);
    return status;
}

/* ---- the lists */

static disk_entry *find(const entry_list *list, int solve)
{
    for (int i = 0; i < list->count; i++) {
        if (list->entries[i].solve == solve) {
            return &list->entries[i];
        }
    }
    return NULL;
}

static disk_entry *append(entry_list *list, int solve)
{
    if (list->count == list->room) {
        const int room = 2 * list->room + 16;
        disk_entry *grown = realloc(list->entries, (size_t)room * sizeof *grown);
        if (grown == NULL) {
            return NULL;
        }
        list->entries = grown;
        list->room = room;
    }
    disk_entry *entry = &list->entries[list->count++];
    memset(entry, 0, sizeof *entry);
    entry->solve = solve;
    return entry;
}

static void drop(entry_list *list, int at)
{
    free(list->entries[at].state.history);
    list->entries[at] = list->entries[--list->count];
}

static void clear(entry_list *list)
{
    while (list->count > 0) {
        drop(list, list->count - 1);
    }
    free(list->entries);
    list->entries = NULL;
}

/* ---- reading what the last run left */

/* Bytes of the file for every rank; *ok = false where it has not so many. */
static naik_status take(const naik_checkpoint *s, int64_t offset, void *bytes, size_t size_bytes,
                        bool *ok)
{
    int good = 0;
    if (s->comm->rank == 0) {
        struct stat info;
        FILE *stream = naik_path_open(s->path, &info);
        good = stream != NULL && fseeko(stream, offset, SEEK_SET) == 0 &&
               fread(bytes, 1, size_bytes, stream) == size_bytes;
        if (stream != NULL) {
            fclose(stream);
        }
    }
    NAIK_PASS(naik_comm_broadcast(s->comm, &good, sizeof good, 0));
    *ok = good != 0;
    if (*ok) {
        NAIK_PASS(naik_comm_broadcast(s->comm, bytes, size_bytes, 0));
    }
    return NAIK_OK;
}

/* A head as it was written, by whatever naik. */
static bool is_head(const disk_head *head)
{
    return memcmp(head->magic, "naikflow", sizeof head->magic) == 0 && head->order == ORDER &&
           head->crc == naik_crc32(head, offsetof(disk_head, crc));
}

static bool fits(const naik_checkpoint *s, const disk_head *head, int64_t file_bytes)
{
    return head->entry_bytes == (int32_t)sizeof(disk_entry) &&
           memcmp(head->size, s->lattice->size, sizeof head->size) == 0 && head->entries >= 0 &&
           head->index_offset >= HEAD_BYTES && head->index_offset <= file_bytes &&
           head->entries <= (file_bytes - head->index_offset) / (int64_t)sizeof(disk_entry);
}

/* History and vectors of an entry are inside the file and as they were written. */
static naik_status verify_entry(const naik_checkpoint *s, disk_entry *entry, int64_t file_bytes,
                                bool *ok)
{
    naik_status status = NAIK_OK;
    naik_solver_state *state = &entry->state;
    const int64_t bytes = (int64_t)state->history_length * (int64_t)sizeof *state->history;
    state->history = NULL;
    *ok = entry->solve >= 0 && entry->solve < naik_propagator_file_solves(s->file) &&
          naik_solver_state_holds(state) && entry->history_offset >= HEAD_BYTES &&
          bytes <= file_bytes - entry->history_offset;
    for (int v = 0; v < NAIK_SOLVER_VECTORS; v++) {
        const disk_vector *vector = &entry->vector[v];
        const bool kept = vector->bits == 32 || vector->bits == 64;
        *ok = *ok && (kept || vector->bits == 0) && vector->offset >= 0 &&
              (!kept || vector_bytes(s, vector->bits) <= file_bytes - vector->offset);
    }
    if (!*ok) {
        return NAIK_OK;
    }
    status =
        naik_alloc(s->comm->log, (size_t)bytes + 1, "a residual history", (void **)&state->history);
    NAIK_PASS(naik_comm_agree(s->comm, status));
    NAIK_PASS(take(s, entry->history_offset, state->history, (size_t)bytes, ok));
    *ok = *ok && naik_crc32(state->history, (size_t)bytes) == entry->history_crc;
    for (int v = 0; v < NAIK_SOLVER_VECTORS && *ok; v++) {
        if (entry->vector[v].bits != 0) {
            NAIK_PASS(forgive_damage(s, read_vector(s, &entry->vector[v], NULL), ok));
        }
    }
    return NAIK_OK;
}

static naik_status read_index(naik_checkpoint *s, const disk_head *head, bool *ok)
{
    naik_status status = NAIK_OK;
    const size_t bytes = (size_t)head->entries * sizeof(disk_entry);
    disk_entry *entries = NULL;
    NAIK_TRY(naik_new(s->comm, bytes + 1, "an index of solves", (void **)&entries));
    NAIK_TRY(take(s, head->index_offset, entries, bytes, ok));
    *ok = *ok && naik_crc32(entries, bytes) == head->index_crc;
    if (*ok) {
        s->found = (entry_list){entries, head->entries, head->entries};
        entries = NULL;
    }
done:
    free(entries);
    return status;
}

static naik_status read_file(naik_checkpoint *s)
{
    disk_head head;
    int64_t bytes = -1;
    bool ok = false;
    NAIK_PASS(naik_file_size(s->comm, s->path, &bytes));
    if (bytes < 0) {
        return NAIK_OK;
    }
    NAIK_PASS(take(s, 0, &head, sizeof head, &ok));
    ok = ok && is_head(&head);
    if (ok && (head.identity != s->identity || head.format != FORMAT)) {
        naik_log_warn(s->comm->log,
                      "%s is of another input or another build of naik: its solves start again",
                      s->path);
        return NAIK_OK;
    }
    ok = ok && fits(s, &head, bytes);
    if (ok) {
        NAIK_PASS(read_index(s, &head, &ok));
    }
    int lost = !ok;
    for (int i = 0; i < s->found.count; i++) {
        s->found.entries[i].state.history = NULL; /* a pointer of the run that wrote it */
    }
    for (int i = s->found.count - 1; i >= 0; i--) {
        NAIK_PASS(verify_entry(s, &s->found.entries[i], bytes, &ok));
        if (!ok) {
            drop(&s->found, i);
            lost++;
        }
    }
    if (lost > 0) {
        NAIK_PASS(naik_file_reread(s->comm, s->path, 0, -1));
        naik_log_warn(s->comm->log, "%s is damaged: %s start again", s->path,
                      s->found.count > 0 ? "some of its solves" : "its solves");
    }
    return NAIK_OK;
}

/* A solve whose source is made of solutions that are solved again has another source then: the file goes, before
 * those are there and nobody could tell. */
static naik_status forget_derived(naik_checkpoint *s)
{
    bool any = false;
    for (int i = 0; i < s->found.count; i++) {
        any = any || naik_prop_is_derived_due(s->file, s->found.entries[i].solve);
    }
    if (!any) {
        return NAIK_OK;
    }
    naik_log_line(s->comm->log,
                  "%s has solves whose sources are made of solutions that are solved again: its "
                  "solves start again",
                  s->path);
    clear(&s->found);
    s->found = (entry_list){.count = 0};
    return naik_file_remove(s->comm, s->path);
}

static uint32_t identity_of(const naik_propagator_file *file)
{
    const char *choices = naik_propagator_file_choices(file), *git = naik_version_git();
    const uint32_t crc[3] = {file->identity, naik_crc32(choices, strlen(choices)),
                             naik_crc32(git, strlen(git))};
    return naik_crc32(crc, sizeof crc);
}

naik_status naik_checkpoint_open(naik_propagator_file *file, const naik_lattice *lattice,
                                 naik_checkpoint **out)
{
    naik_comm *comm = lattice->comm;
    naik_status status = NAIK_OK;
    naik_checkpoint *s = NULL;
    *out = NULL;
    NAIK_TRY(naik_new(comm, sizeof *s, "the solves in flight", (void **)&s));
    s->file = file;
    s->comm = comm;
    s->lattice = lattice;
    s->reals = naik_prop_reals(file->plan);
    s->identity = identity_of(file);
    NAIK_TRY(naik_path_append(comm->log, file->part, ".state", s->path));
    NAIK_TRY(naik_path_append(comm->log, s->path, ".new", s->made));
    NAIK_TRY(read_file(s));
    NAIK_TRY(forget_derived(s));
    *out = s;
    s = NULL;
done:
    naik_checkpoint_close(&s);
    return status;
}

int naik_checkpoint_count(const naik_checkpoint *state)
{
    return state->found.count;
}

void naik_checkpoint_close(naik_checkpoint **state)
{
    if (*state == NULL) {
        return;
    }
    clear(&(*state)->found);
    clear(&(*state)->kept);
    free(*state);
    *state = NULL;
}

naik_status naik_checkpoint_restore(naik_checkpoint *state, int solve, int history_room,
                                    naik_solver_state *out, int vector, double *half, bool *found)
{
    const disk_entry *entry = find(&state->found, solve);
    double *history = out->history;
    if (entry == NULL) {
        *found = false;
        return NAIK_OK;
    }
    if (vector == NAIK_SOLVER_STATE) {
        *out = entry->state;
        out->history = history;
        out->history_length =
            out->history_length < history_room ? out->history_length : history_room;
        memcpy(history, entry->state.history, (size_t)out->history_length * sizeof *history);
        *found = true;
        return NAIK_OK;
    }
    *found = entry->vector[vector].bits != 0;
    if (*found) {
        NAIK_PASS(forgive_damage(state, read_vector(state, &entry->vector[vector], half), found));
    }
    if (!*found) {
        naik_log_warn(state->comm->log, "%s is damaged: some of its solves start again",
                      state->path);
        drop(&state->found, (int)(entry - state->found.entries));
    }
    return NAIK_OK;
}

/* ---- keeping the solves of this run */

/* After a refusal of the file system nothing is kept; the run still ends as it should. */
static naik_status forgive(naik_checkpoint *s, naik_status status)
{
    if (status != NAIK_ERR_IO && status != NAIK_ERR_INPUT && status != NAIK_ERR_CORRUPT) {
        return status;
    }
    naik_log_warn(s->comm->log, "the solves in flight are not kept and will start again: %s",
                  naik_log_message(s->comm->log));
    naik_log_clear(s->comm->log);
    s->failed = true;
    naik_file_remove(s->comm, s->made);
    return NAIK_OK;
}

/* The new file with room for its head; a new entry with its state and history. */
static naik_status begin_entry(naik_checkpoint *s, int solve, const naik_solver_state *in,
                               disk_entry **out)
{
    naik_status status = NAIK_OK;
    const size_t bytes = (size_t)in->history_length * sizeof *in->history;
    disk_entry *entry = append(&s->kept, solve);
    *out = entry;
    if (entry == NULL) {
        status = NAIK_FAIL(s->comm->log, NAIK_ERR_MEMORY, "no memory for the solves in flight");
    }
    NAIK_PASS(naik_comm_agree(s->comm, status));
    if (s->used == 0) {
        static const char blank[HEAD_BYTES] = {0};
        NAIK_PASS(naik_file_put(s->comm, s->made, true, 0, blank, sizeof blank));
        s->used = HEAD_BYTES;
    }
    entry->state = *in;
    entry->state.history = NULL;
    entry->history_offset = s->used;
    entry->history_crc = naik_crc32(in->history, bytes);
    NAIK_PASS(naik_file_put(s->comm, s->made, false, s->used, in->history, bytes));
    s->used += (int64_t)bytes;
    return NAIK_OK;
}

naik_status naik_checkpoint_save(naik_checkpoint *state, int solve, const naik_solver_state *in,
                                 int vector, int bits, const double *half)
{
    naik_status status = NAIK_OK;
    disk_entry *entry = find(&state->kept, solve);
    if (state->failed) {
        return NAIK_OK;
    }
    naik_watchdog_arm(state->file->comm->watchdog, "keeping the solves in flight",
                      state->file->io_limit_s);
    if (entry == NULL) {
        NAIK_TRY(begin_entry(state, solve, in, &entry));
    }
    NAIK_TRY(write_vector(state, &entry->vector[vector], bits, half));
done:
    naik_watchdog_disarm(state->file->comm->watchdog);
    return forgive(state, status);
}

/* Solves that the last run kept and that this one did not come to. */
static naik_status take_over(naik_checkpoint *s)
{
    naik_status status = NAIK_OK;
    double *half = NULL;
    status =
        naik_alloc(s->comm->log, (size_t)s->lattice->volume_cb * (size_t)s->reals * sizeof *half,
                   "a solution", (void **)&half);
    NAIK_TRY(naik_comm_agree(s->comm, status));
    for (int i = 0; i < s->found.count && !s->failed; i++) {
        const disk_entry *old = &s->found.entries[i];
        if (find(&s->kept, old->solve) != NULL ||
            naik_propagator_file_record(s->file, old->solve)->state != NAIK_SOLVE_PENDING) {
            continue;
        }
        for (int v = 0; v < NAIK_SOLVER_VECTORS; v++) {
            if (old->vector[v].bits != 0) {
                NAIK_TRY(read_vector(s, &old->vector[v], half));
                NAIK_TRY(
                    naik_checkpoint_save(s, old->solve, &old->state, v, old->vector[v].bits, half));
            }
        }
    }
done:
    naik_free(half);
    return status;
}

static naik_status write_index(naik_checkpoint *s)
{
    const size_t bytes = (size_t)s->kept.count * sizeof(disk_entry);
    disk_head head = {.magic = {'n', 'a', 'i', 'k', 'f', 'l', 'o', 'w'},
                      .order = ORDER,
                      .format = FORMAT,
                      .entry_bytes = (int32_t)sizeof(disk_entry),
                      .entries = s->kept.count,
                      .index_offset = s->used,
                      .index_crc = naik_crc32(s->kept.entries, bytes),
                      .identity = s->identity};
    memcpy(head.size, s->lattice->size, sizeof head.size);
    head.crc = naik_crc32(&head, offsetof(disk_head, crc));
    NAIK_PASS(naik_file_put(s->comm, s->made, false, s->used, s->kept.entries, bytes));
    NAIK_PASS(naik_file_put(s->comm, s->made, false, 0, &head, sizeof head));
    return naik_file_publish(s->comm, s->made, s->path, true);
}

naik_status naik_checkpoint_publish(naik_checkpoint *state)
{
    naik_status status = NAIK_OK;
    if (state->kept.count == 0 || state->failed) {
        return NAIK_OK;
    }
    NAIK_PASS(forgive(state, take_over(state)));
    if (!state->failed) {
        naik_watchdog_arm(state->file->comm->watchdog, "keeping the solves in flight",
                          state->file->io_limit_s);
        status = write_index(state);
        naik_watchdog_disarm(state->file->comm->watchdog);
    }
    NAIK_PASS(forgive(state, status));
    if (!state->failed) {
        naik_log_line(state->comm->log,
                      "kept: %d solves in flight are in %s (%.1f MiB); the next run continues them",
                      state->kept.count, state->path, (double)state->used / 1048576.0);
    }
    return NAIK_OK;
}

bool naik_checkpoint_goes_on(const naik_checkpoint *state)
{
    bool further = false;
    for (int i = 0; i < state->kept.count; i++) {
        const disk_entry *now = &state->kept.entries[i], *before = find(&state->found, now->solve);
        const int begun = before != NULL ? before->state.record.iterations : 0;
        further = further || now->state.record.iterations > begun;
    }
    return further && !state->failed;
}
