/* plan.c - fixed rules for precision and batch, and what memory leaves of them */
#include "plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "comm/groups.h"
#include "comm/new.h"
#include "modes/lanczos.h"
#include "operator/set.h"
#include "operator/staggered.h"
#include "plan/mode_count.h"
#include "plan/plan_multigrid.h"
#include "solver/bicgstab.h"
#include "solver/cg.h"

/* From this mass on long links of 10 bits cost no iterations (doc/performance-choices.md). */
static const double COARSE_LONG = 0.05;

enum { BATCH_CPU = 8, BATCH_GPU = 16, HISTORY_MOST = 4096 };

static void describe_choices(solve_plan *plan)
{
    char modes[32] = "", multigrid[SOLVE_PLAN_MULTIGRID_TEXT];
    solve_plan_describe_multigrid(plan, multigrid);
    if (plan->modes_chosen) {
        snprintf(modes, sizeof modes, " modes=%d%s", plan->modes,
                 plan->modes_stored ? " stored" : "");
    }
    snprintf(plan->choices, sizeof plan->choices,
             "vectors=%s links=%s recon=%d multishift=%s first=%s%s%s",
             naik_precision_name(plan->vectors), naik_precision_name(plan->links), plan->recon,
             plan->multishift ? "on" : "off",
             plan->first_rung < 0 ? "mass" : naik_rung_name((naik_rung)plan->first_rung), modes,
             multigrid);
}

/* The lightest mass that begins with links of 16 bits; infinity: none does. */
static double lightest_on_half(const solve_plan *plan, const naik_input *input)
{
    double lightest = INFINITY;
    for (int i = 0; i < input->solve_count; i++) {
        for (int k = 0; k < input->solve[i].masses.count; k++) {
            const double mass = naik_input_quark(input, i, k)->mass;
            /* with low modes removed coarse storage does for any mass, but with whole long links */
            const bool removed = solve_plan_deflates(plan, input, i, k);
            lightest = fmin(lightest, removed ? fmin(mass, 0.5 * COARSE_LONG)
                                              : solve_plan_mass_on_half(mass));
        }
    }
    return lightest;
}

double solve_plan_mass_on_half(double mass)
{
    return naik_rung_first(naik_operator_staggered.shift(mass), true) == NAIK_RUNG_HALF ? mass
                                                                                        : INFINITY;
}

void solve_plan_choose(solve_plan *plan, naik_input_precision wanted, double lightest,
                       bool own_links, bool on_host)
{
    const bool coarse = isfinite(lightest) && !on_host;
    plan->recon = 18;
    plan->first_rung = -1;
    plan->vectors = NAIK_SINGLE;
    plan->links = NAIK_SINGLE;
    switch (wanted) {
    case NAIK_INPUT_DOUBLE:
        plan->vectors = NAIK_DOUBLE;
        plan->links = NAIK_DOUBLE;
        break;
    case NAIK_INPUT_HALF:
        plan->links = NAIK_HALF;
        plan->first_rung = NAIK_RUNG_HALF;
        break;
    case NAIK_INPUT_AUTO:
        plan->links = coarse ? NAIK_HALF : NAIK_SINGLE;
        plan->recon = coarse && own_links && lightest >= COARSE_LONG ? 6 : 18;
        break;
    case NAIK_INPUT_SINGLE: break;
    }
}

/* Of the memory where links and fields are: the least of any rank's. */
static naik_status available(const naik_geometry *geometry, int64_t *out)
{
    naik_backend *backend = geometry->backend;
    const double pages = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    double least = 0;
    const naik_status status = naik_room(backend->comm, &backend->device,
                                         pages / naik_comm_job(backend->comm)->node_size, &least);
    *out = (int64_t)least;
    return status;
}

/* The most modes up to those of the plan with which memory holds a run of its batch; 0: none, or
 * there are none in it. */
static int modes_that_fit(const solve_plan *plan, const naik_input *input,
                          const naik_geometry *geometry)
{
    solve_plan tried = *plan;
    int fits = 0, beyond = plan->modes / NAIK_MODES_BLOCK + 1; /* blocks */
    while (beyond - fits > 1) {
        const int middle = (fits + beyond) / 2;
        tried.modes = middle * NAIK_MODES_BLOCK;
        solve_plan_measure(&tried, input, geometry, plan->batch);
        *(tried.total_bytes <= plan->available_bytes ? &fits : &beyond) = middle;
    }
    return fits * NAIK_MODES_BLOCK;
}

static bool holds(solve_plan *plan, const naik_input *input, const naik_geometry *geometry,
                  int batch, int multigrid_batch)
{
    plan->batch = batch;
    plan->multigrid_batch = plan->multigrid ? multigrid_batch : 0;
    solve_plan_measure(plan, input, geometry, batch);
    return plan->total_bytes <= plan->available_bytes;
}

/* The widest batch up to that of the plan which the memory holds, the same for all solves. */
static bool fit_batch(solve_plan *plan, const naik_input *input, const naik_geometry *geometry)
{
    bool fits = holds(plan, input, geometry, plan->batch, plan->batch);
    while (!fits && plan->batch > 1 && input->solver.batch == 0) {
        fits = holds(plan, input, geometry, plan->batch - 1, plan->batch - 1);
    }
    return fits;
}

/* With solver.method auto quarks that stay without multigrid keep the batch that they have without it, and at least
 * half of it where operators in so wide a batch leave no room. Multigrid has the widest batch that is left. */
static bool fit_both(solve_plan *plan, const naik_input *input, const naik_geometry *geometry)
{
    solve_plan plain = *plan;
    plain.multigrid = false;
    bool fits = fit_batch(&plain, input, geometry);
    const int least = input->solver.batch > 0 ? plain.batch : (plain.batch + 1) / 2;
    plan->batch = plain.batch;
    fits = holds(plan, input, geometry, plan->batch, 1) && fits;
    while (!fits && plan->batch > least) {
        fits = holds(plan, input, geometry, plan->batch - 1, 1);
    }
    int width = plan->batch;
    while (fits && !holds(plan, input, geometry, plan->batch, width)) {
        width--;
    }
    return fits;
}

/* The batches of the plan, as far as memory leaves them; false: it holds none. */
static bool choose_batches(solve_plan *plan, const naik_input *input, const naik_geometry *geometry)
{
    const bool both = plan->multigrid && plan->multigrid_auto;
    return (both ? fit_both : fit_batch)(plan, input, geometry);
}

enum { LESS_RESTART = 8 };
/* Whether it would be enough that the outer solver of multigrid restarts sooner. */
static bool fits_restarted(const solve_plan *plan, const naik_input *input,
                           const naik_geometry *geometry, int batch)
{
    naik_input less = *input;
    solve_plan tried = *plan;
    less.multigrid.restart = LESS_RESTART;
    tried.batch = batch;
    return plan->multigrid && input->multigrid.restart > LESS_RESTART &&
           choose_batches(&tried, &less, geometry);
}

/* Ranks with as much memory each that hold the plan at the least: halos take some besides. */
static int ranks_needed(const solve_plan *plan, const naik_geometry *geometry)
{
    const double share = (double)plan->total_bytes / fmax(1, (double)plan->available_bytes);
    return (int)fmin(INT32_MAX, ceil(share) * geometry->lattice->comm->size);
}

static naik_status fit(solve_plan *plan, const naik_input *input, const naik_geometry *geometry)
{
    const bool host = geometry->backend->ops->host_memory;
    const int batch = plan->batch;
    if (!choose_batches(plan, input, geometry)) {
        char fewer[64] = "", needed[NAIK_TEXT_SIZE], there[NAIK_TEXT_SIZE];
        naik_text_print_size((double)plan->total_bytes, needed);
        naik_text_print_size((double)plan->available_bytes, there);
        plan->modes_bound = plan->modes > 0;
        plan->modes_most = modes_that_fit(plan, input, geometry);
        if (plan->modes_most > 0) {
            snprintf(fewer, sizeof fewer, ", or deflation.modes of at most %d", plan->modes_most);
        } else if (fits_restarted(plan, input, geometry, batch)) {
            snprintf(fewer, sizeof fewer, ", or multigrid.restart of %d", LESS_RESTART);
        }
        return NAIK_FAIL(geometry->backend->log, NAIK_ERR_MEMORY,
                         "the run needs %s a rank and the %s has %s: use more nodes, at "
                         "least %d ranks with as much memory%s%s",
                         needed, host ? "machine" : "device", there, ranks_needed(plan, geometry),
                         plan->batch > 1 ? ", or a smaller solver.batch" : "", fewer);
    }
    return NAIK_OK;
}

/* solver.method auto does without multigrid, and says what would hold it. */
static bool forgo_multigrid(solve_plan *plan, const naik_input *input,
                            const naik_geometry *geometry, int batch)
{
    char what[96];
    if (!plan->multigrid_auto || !plan->multigrid) {
        return false;
    }
    if (fits_restarted(plan, input, geometry, batch)) {
        snprintf(what, sizeof what, "multigrid.restart of %d fits", LESS_RESTART);
    } else {
        snprintf(what, sizeof what, "it takes at least %d ranks with as much memory",
                 ranks_needed(plan, geometry));
    }
    solve_plan_forgo_multigrid(plan, what);
    plan->batch = batch;
    return true;
}

/* Where each mass has its own operator: single precision unless something else is asked for, the
 * columns of a source together. */
static void choose_one_storage(const naik_input *input, int tasks, solve_plan *plan)
{
    const int wanted = input->solver.batch > 0 ? input->solver.batch : input->kind->batch;
    plan->batch = wanted < tasks ? wanted : tasks;
    plan->batch = plan->batch > 0 ? plan->batch : 1;
    plan->usual_batch = input->kind->batch;
    plan->links = input->solver.inner_precision == NAIK_INPUT_AUTO ? NAIK_SINGLE : plan->links;
    plan->recon = plan->links == NAIK_DOUBLE ? 18 : naik_input_recon(input);
    plan->first_rung = plan->links == NAIK_DOUBLE ? NAIK_RUNG_DOUBLE
                       : plan->links == NAIK_HALF ? NAIK_RUNG_HALF
                                                  : NAIK_RUNG_SINGLE;
}

/* Precisions and shared Krylov spaces, which follow from the number of modes. */
static void decide(solve_plan *plan, const naik_input *input, int tasks, bool host)
{
    const bool own_links =
        input->kind->links == NAIK_QUARK_FATTENED && input->kind->points == NAIK_STENCIL;
    solve_plan_choose(plan, input->solver.inner_precision, lightest_on_half(plan, input), own_links,
                      host);
    if (naik_quark_shifts(input->kind)) {
        solve_plan_choose_sharing(plan, input);
    } else {
        choose_one_storage(input, tasks, plan);
    }
    describe_choices(plan);
}

/* deflation.modes: auto, as far as memory leaves it. */
static void choose_modes(solve_plan *plan, const naik_input *input, const naik_geometry *geometry,
                         int tasks, int stored)
{
    const bool host = geometry->backend->ops->host_memory;
    plan->modes_stored = stored > 0;
    plan->modes = stored > 0 ? stored : mode_count_choose(input, MODE_COUNT_MOST);
    decide(plan, input, tasks, host);
    if (plan->modes == 0) {
        return;
    }
    const int fit = modes_that_fit(plan, input, geometry);
    if (fit < plan->modes / NAIK_MODES_BLOCK * NAIK_MODES_BLOCK) {
        plan->modes_bound = true;
        plan->modes_most = fit;
        plan->modes = stored > 0 ? fit : mode_count_choose(input, fit);
        plan->modes_stored = stored > 0 && fit > 0;
        decide(plan, input, tasks, host);
    }
}

/* Averages of low modes find some in the plan. */
static naik_status check_averages(const solve_plan *plan, const naik_input *input, naik_log *log)
{
    for (int i = 0; i < input->average_count && plan->modes == 0; i++) {
        if (input->averages[i].type == NAIK_INPUT_LOW_MODES) {
            return NAIK_FAIL(log, plan->modes_bound ? NAIK_ERR_MEMORY : NAIK_ERR_INPUT,
                             "deflation.modes auto has no modes for averages.%d, because %s", i,
                             plan->modes_bound
                                 ? "memory holds none: use more ranks"
                                 : "the lattice is too small for a search: leave the average out");
        }
    }
    return NAIK_OK;
}

naik_status solve_plan_make(const naik_input *input, const naik_geometry *geometry, int tasks,
                            int stored, solve_plan *out)
{
    naik_status status = NAIK_OK;
    const bool host = geometry->backend->ops->host_memory;
    memset(out, 0, sizeof *out);
    int wanted = input->solver.batch > 0 ? input->solver.batch : host ? BATCH_CPU : BATCH_GPU;
    wanted = wanted < tasks ? wanted : tasks;
    wanted = wanted < NAIK_MAX_RHS ? wanted : NAIK_MAX_RHS;
    out->batch = wanted > 0 ? wanted : 1;
    out->on_host = host;
    out->usual_batch = host ? BATCH_CPU : BATCH_GPU;
    out->history_stride = HISTORY_MOST; /* whatever the limit: a rerun may raise it */
    out->modes_chosen = input->deflation.modes == NAIK_INPUT_MODES_AUTO;
    solve_plan_allow_multigrid(out, input, geometry->lattice);
    NAIK_PASS(available(geometry, &out->available_bytes));
    if (out->modes_chosen) {
        choose_modes(out, input, geometry, tasks, stored);
        NAIK_PASS(check_averages(out, input, geometry->backend->log));
    } else {
        out->modes = input->deflation.modes;
        out->modes_stored =
            out->modes > 0 && stored >= out->modes && !geometry->backend->comm->io.replace;
        decide(out, input, tasks, host);
    }
    const int batch = out->batch;
    status = fit(out, input, geometry);
    if (status == NAIK_ERR_MEMORY && forgo_multigrid(out, input, geometry, batch)) {
        naik_log_clear(geometry->backend->log);
        describe_choices(out);
        status = fit(out, input, geometry);
    }
    return status;
}

static bool read_precision(const char *word, naik_precision *out)
{
    int p = NAIK_DOUBLE;
    while (p <= NAIK_HALF && strcmp(word, naik_precision_name((naik_precision)p)) != 0) {
        p++;
    }
    *out = (naik_precision)p;
    return p <= NAIK_HALF;
}

naik_status solve_plan_restore(solve_plan *plan, const naik_input *input,
                               const naik_geometry *geometry, const char *choices,
                               bool by_multigrid, bool undecided)
{
    naik_log *log = geometry->backend->log;
    const solve_plan own = *plan;
    char vectors[16] = "", links[16] = "", multishift[8] = "off", first[16] = "";
    int recon = 0;
    bool known = sscanf(choices, "vectors=%15s links=%15s recon=%d multishift=%7s first=%15s",
                        vectors, links, &recon, multishift, first) == 5 &&
                 read_precision(vectors, &plan->vectors) && read_precision(links, &plan->links);
    plan->first_rung = -1;
    for (int rung = 0; rung < NAIK_RUNGS; rung++) {
        plan->first_rung =
            strcmp(first, naik_rung_name((naik_rung)rung)) == 0 ? rung : plan->first_rung;
    }
    known = known && (plan->first_rung >= 0 || strcmp(first, "mass") == 0);
    if (!known) {
        return NAIK_FAIL(
            log, NAIK_ERR_INPUT,
            "the unfinished output was begun with the solver choices \"%s\", which this "
            "version does not know: finish it with that version, or start over with --fresh",
            choices);
    }
    const char *modes = strstr(choices, " modes=");
    if (plan->modes_chosen && modes != NULL) {
        plan->modes = atoi(modes + strlen(" modes="));
        plan->modes_stored = strstr(modes, " stored") != NULL;
    }
    NAIK_PASS(solve_plan_restore_multigrid(plan, input, log, choices, by_multigrid, undecided));
    plan->recon = recon;
    plan->multishift = strcmp(multishift, "on") == 0;
    describe_choices(plan);
    const size_t length = strlen(plan->choices);
    if (strcmp(plan->choices, own.choices) == 0 ||
        (strncmp(plan->choices, own.choices, length) == 0 &&
         strcmp(own.choices + length, " stored") == 0)) { /* the modes it began with are found */
        return NAIK_OK;
    }
    naik_log_line(log, "solver: this input would choose %s, but the output was begun otherwise",
                  own.choices);
    return fit(plan, input, geometry);
}

naik_rung solve_plan_rung(const solve_plan *plan, double mass)
{
    return plan->vectors == NAIK_DOUBLE ? NAIK_RUNG_DOUBLE
           : plan->first_rung >= 0
               ? (naik_rung)plan->first_rung
               : naik_rung_first(naik_operator_staggered.shift(mass), plan->links == NAIK_HALF);
}
