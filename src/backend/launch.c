/* launch.c - how an iteration reaches the device
 *
 * Where the backend says that no rule is known (naik_solver_ops.launch_is_measured), `auto` runs the
 * first loops of every kind in all ways that differ, two loops each: the first one loads and
 * records, the second one counts, by the time of the slowest rank. What is tried are iterations of
 * the solve itself, which every way takes to the same bits.
 */
#include "backend/launch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/field.h"
#include "base/text.h"
#include "comm/collective.h"

enum { MODES = NAIK_LAUNCH_FUSED_GRAPH + 1, LOOPS = 2 };

typedef struct trial {
    const char *loop;
    bool fuses;
    int volume_cb, nrhs;
    naik_precision vectors, links;
    naik_launch_mode mode; /* under trial, or chosen */
    bool chosen;
    int loops;             /* in this mode so far */
    double seconds[MODES]; /* an iteration; INFINITY: not tried */
} trial;

struct naik_launch_trials {
    int count, capacity;
    trial *of; /* [count] */
};

const char *naik_launch_name(naik_launch_mode mode)
{
    static const char *const names[MODES] = {[NAIK_LAUNCH_AUTO] = "auto",
                                             [NAIK_LAUNCH_SEPARATE] = "separate",
                                             [NAIK_LAUNCH_FUSED] = "fused",
                                             [NAIK_LAUNCH_GRAPH] = "graph",
                                             [NAIK_LAUNCH_FUSED_GRAPH] = "fused_graph"};
    return names[mode];
}

static bool is_fused(naik_launch_mode mode)
{
    return mode != NAIK_LAUNCH_SEPARATE && mode != NAIK_LAUNCH_GRAPH;
}

static bool is_recorded(naik_launch_mode mode)
{
    return mode != NAIK_LAUNCH_SEPARATE && mode != NAIK_LAUNCH_FUSED;
}

/* Messages of MPI cannot be recorded. */
static bool can_record(const naik_backend *backend)
{
    return !backend->ops->host_memory && (backend->comm->size == 1 || backend->route.single_node);
}

static naik_fuses_scalars fuses_scalars(const naik_geometry *geometry, int nrhs)
{
    const naik_backend_ops *ops = geometry->backend->ops;
    return ops->solver.fuses_scalars != NULL ? ops->solver.fuses_scalars(geometry, nrhs)
                                             : NAIK_FUSES_NONE;
}

/* Whether kernels would do anything beside their own work. */
static bool can_fuse(const naik_launch_loop *loop)
{
    const naik_geometry *geometry = loop->field->geometry;
    const int nrhs = loop->field->nrhs;
    if (!loop->fuses) {
        return false;
    }
    return (geometry->backend->comm->size > 1 && geometry->backend->route.single_node) ||
           (nrhs == 1 && fuses_scalars(geometry, nrhs) != NAIK_FUSES_NONE);
}

static naik_launch launch_by(naik_launch_mode mode, const naik_launch_loop *loop)
{
    const naik_geometry *geometry = loop->field->geometry;
    const int nrhs = loop->field->nrhs;
    naik_launch launch = {.known = true, .mode = mode, .sends = loop->fuses && is_fused(mode)};
    if (nrhs == 1 && launch.sends) {
        const naik_fuses_scalars takes = fuses_scalars(geometry, nrhs);
        launch.takes_scalars = takes == NAIK_FUSES_BY_DEFAULT ||
                               (takes == NAIK_FUSES_IF_ASKED && mode != NAIK_LAUNCH_AUTO);
    }
    launch.records = is_recorded(mode) && can_record(geometry->backend);
    return launch;
}

/* The next mode to try after this one; AUTO: there is none. */
static naik_launch_mode next_mode(const naik_launch_loop *loop, naik_launch_mode mode)
{
    for (int next = (int)mode + 1; next < MODES; next++) {
        const naik_launch_mode at = (naik_launch_mode)next;
        if ((!is_fused(at) || can_fuse(loop)) &&
            (!is_recorded(at) || can_record(loop->field->geometry->backend))) {
            return at;
        }
    }
    return NAIK_LAUNCH_AUTO;
}

static trial untried(const naik_launch_loop *loop)
{
    const naik_geometry *geometry = loop->field->geometry;
    trial t = {.loop = loop->name,
               .volume_cb = geometry->lattice->volume_cb,
               .nrhs = loop->field->nrhs,
               .fuses = loop->fuses,
               .vectors = loop->field->precision,
               .links = loop->links,
               .mode = next_mode(loop, NAIK_LAUNCH_AUTO)};
    for (int m = 0; m < MODES; m++) {
        t.seconds[m] = INFINITY;
    }
    return t;
}

/* NULL: nothing has been tried yet. */
static trial *find_trial(const naik_launch_loop *loop)
{
    const struct naik_launch_trials *trials = loop->field->geometry->backend->launch_trials;
    const trial wanted = untried(loop);
    for (int i = 0; trials != NULL && i < trials->count; i++) {
        trial *t = &trials->of[i];
        if (t->volume_cb == wanted.volume_cb && t->nrhs == wanted.nrhs &&
            t->fuses == wanted.fuses && t->vectors == wanted.vectors && t->links == wanted.links &&
            strcmp(t->loop, wanted.loop) == 0) {
            return t;
        }
    }
    return NULL;
}

static bool is_measured(const naik_backend *backend)
{
    return backend->choices.launch_mode == NAIK_LAUNCH_AUTO &&
           backend->ops->solver.launch_is_measured;
}

bool naik_launch_begin(const naik_launch_loop *loop, naik_launch *launch)
{
    const naik_geometry *geometry = loop->field->geometry;
    const naik_launch before = *launch;
    naik_launch_mode mode = geometry->backend->choices.launch_mode;
    if (is_measured(geometry->backend)) {
        const trial *t = find_trial(loop);
        mode = t != NULL ? t->mode : untried(loop).mode;
    }
    *launch = launch_by(mode, loop);
    return !before.known || before.sends != launch->sends ||
           before.takes_scalars != launch->takes_scalars || before.records != launch->records;
}

static naik_status add_trial(const naik_launch_loop *loop, trial **out)
{
    naik_backend *backend = loop->field->geometry->backend;
    if (backend->launch_trials == NULL) {
        backend->launch_trials = calloc(1, sizeof *backend->launch_trials);
    }
    struct naik_launch_trials *trials = backend->launch_trials;
    if (trials != NULL && trials->count == trials->capacity) {
        const int capacity = 2 * trials->capacity + 8;
        trial *grown = realloc(trials->of, (size_t)capacity * sizeof *grown);
        if (grown != NULL) {
            trials->of = grown;
            trials->capacity = capacity;
        }
    }
    if (trials == NULL || trials->count == trials->capacity) {
        return NAIK_FAIL(backend->log, NAIK_ERR_MEMORY, "no memory for times of launches");
    }
    *out = &trials->of[trials->count++];
    **out = untried(loop);
    return NAIK_OK;
}

static void choose(const naik_backend *backend, trial *t)
{
    char text[160] = "";
    t->chosen = true;
    t->mode = NAIK_LAUNCH_SEPARATE;
    for (int m = NAIK_LAUNCH_SEPARATE; m < MODES; m++) {
        if (t->seconds[m] < t->seconds[t->mode]) {
            t->mode = (naik_launch_mode)m;
        }
        if (isfinite(t->seconds[m])) {
            naik_text_append(text, sizeof text, ", %s %.1f", naik_launch_name((naik_launch_mode)m),
                             1e6 * t->seconds[m]);
        }
    }
    naik_log_line(backend->log,
                  "launch: %s for %s of %d rhs, %s vectors, %s links (us an iteration%s)",
                  naik_launch_name(t->mode), t->loop, t->nrhs, naik_precision_name(t->vectors),
                  naik_precision_name(t->links), text);
}

naik_status naik_launch_end(const naik_launch_loop *loop, const naik_launch *launch, int iterations,
                            double seconds)
{
    naik_backend *backend = loop->field->geometry->backend;
    double slowest = seconds / iterations;
    trial *t = NULL;
    if (!is_measured(backend) || iterations < 1) {
        return NAIK_OK;
    }
    t = find_trial(loop);
    if (t == NULL) {
        NAIK_PASS(naik_comm_agree(backend->comm, add_trial(loop, &t)));
    }
    if (t->chosen || launch->mode != t->mode || ++t->loops < LOOPS) {
        return NAIK_OK;
    }
    NAIK_PASS(naik_comm_max_f64(backend->comm, &slowest, 1));
    t->seconds[t->mode] = slowest;
    t->loops = 0;
    const naik_launch_mode next = next_mode(loop, t->mode);
    if (next != NAIK_LAUNCH_AUTO) {
        t->mode = next;
    } else {
        choose(backend, t);
    }
    return NAIK_OK;
}

void naik_launch_release(naik_backend *backend)
{
    if (backend->launch_trials != NULL) {
        free(backend->launch_trials->of);
    }
    free(backend->launch_trials);
    backend->launch_trials = NULL;
}
