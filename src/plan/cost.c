/* cost.c - the plan of a run on every number of nodes, and the times that follow from it */
#include "plan/cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "lattice/grid.h"
#include "model/deflation.h"
#include "multigrid/aggregates.h"
#include "plan/cost_multigrid.h"
#include "plan/on_paper.h"
#include "plan/spec.h"
#include "quark/multigrid.h"
#include "solver/bicgstab.h"

/* A process starts, finds its device and chooses kernels by measuring; assumed. */
static const double START_S = 20;
/* Of a parallel file system, one node, in reading and writing; assumed. */
static const double IO_GBS = 1;
/* Where the seconds of links are measured (quark.h); they follow the copy. */
static const double LINKS_SITES = 32.0 * 32 * 32 * 32, LINKS_COPY_GBS = 4040;
/* What a GPU's own software keeps of its memory; assumed. */
static const double MEMORY_SHARE = 0.97;
static const double LIMIT_MARGIN = 1.3, SIGNAL_S = 300;
/* Groups take memory, so their gain must be worth it. */
static const double GROUPS_GAIN = 0.98;
enum { MOST_NODES = 1024 };

/* ---- iterations */

/* Whether two solves cost the same: of the same epsilon where their modes are. */
static bool is_same(const naik_input *input, const cost_mass *a, const cost_mass *b)
{
    return a->mass == b->mass && a->tolerance == b->tolerance && a->deflate == b->deflate &&
           (input->deflation.modes == 0 || naik_quark_shares_links(a->quark, b->quark));
}

static void list_masses(const naik_input *input, cost *c)
{
    for (int i = 0; i < input->task_count; i++) {
        const naik_input_task *task = &input->tasks[i];
        const naik_input_solve *solve = &input->solve[task->solve];
        const naik_quark *quark = naik_input_task_quark(input, i);
        const cost_mass now = {.mass = quark->mass,
                               .tolerance = solve->tolerance,
                               .quark = quark,
                               .deflate = input->deflation.modes != 0 && solve->deflate};
        int at = 0;
        while (at < c->mass_count && !is_same(input, &c->masses[at], &now)) {
            at++;
        }
        if (at == COST_MASSES) { /* counted with the last one */
            at--;
        } else if (at == c->mass_count) {
            c->masses[c->mass_count++] = now;
        }
        c->masses[at].solves++;
        c->masses[at].odd += mode_count_is_odd(&input->sources[task->source].source);
        c->solves++;
    }
}

static naik_status expect_iterations(naik_comm *comm, const naik_input *input, cost *c)
{
    const pilot_means *told = &c->told.plain;
    const int *size = input->lattice.size;
    const int64_t volume = (int64_t)size[0] * size[1] * size[2] * size[3];
    list_masses(input, c);
    if (c->pilot != NULL) {
        NAIK_PASS(pilot_read(comm, input, c->pilot, &c->told));
    }
    const bool by_mass = c->kind->costs.by_mass;
    for (int i = 0; i < c->mass_count; i++) {
        cost_mass *m = &c->masses[i];
        m->plain = told->count > 0 ? model_iterations_from(told->mean, told->count, by_mass,
                                                           m->mass, m->tolerance)
                                   : model_iterations_ahead(by_mass, m->mass, m->tolerance, volume);
    }
    cost_multigrid_expect(input, c);
    for (int i = 0; i < c->mass_count; i++) {
        cost_mass *m = &c->masses[i];
        m->iterations = m->multigrid ? m->outer : m->plain;
    }
    return NAIK_OK;
}

/* ---- one number of nodes */

static naik_status choose_grid(naik_comm *comm, const naik_input *input, int node_size,
                               cost_case *c)
{
    naik_status status = NAIK_OK;
    const int *own = input->run.grid, *size = input->lattice.size;
    const int groups = c->groups, ranks = c->gpus / groups; /* of a group */
    const bool multigrid =
        input->solver.method == NAIK_METHOD_MULTIGRID || input->solver.method_auto;
    char text[256];
    int *node_of = NULL;
    NAIK_TRY(naik_alloc(comm->log, (size_t)c->gpus * sizeof *node_of, "a list of nodes",
                        (void **)&node_of));
    for (int rank = 0; rank < c->gpus; rank++) {
        node_of[rank] = rank / node_size;
    }
    /* the output is cut among all, as solve_groups_whole has it */
    bool works = groups == 1 || (c->gpus % groups == 0 &&
                                 naik_grid_list(size, c->gpus, NULL, text, sizeof text, NULL) > 0);
    if (works && own[0] > 0 && (int64_t)own[0] * own[1] * own[2] * own[3] == ranks) {
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            c->grid[mu] = own[mu];
        }
        works = naik_grid_works(size, own);
    } else if (works) {
        works =
            (multigrid && /* as quark_multigrid_grid has it */
             naik_aggregates_choose_grid_on_paper(size, ranks, node_of, input->multigrid.aggregate,
                                                  input->solver.method_auto, c->grid)) ||
            naik_grid_list(size, ranks, node_of, text, sizeof text, c->grid) > 0;
    }
    int extent[NAIK_DIM], mu;
    if (works && quark_multigrid_is_asked(input)) { /* as quark_multigrid_check has it */
        works = naik_multigrid_aggregate(size, input->multigrid.aggregate, extent, &mu) &&
                naik_multigrid_fits(size, extent, c->grid);
    }
    c->verdict = works ? COST_FITS : COST_NO_GRID;
    for (int mu = 0; mu < NAIK_DIM && c->verdict == COST_FITS; mu++) {
        c->local[mu] = size[mu] / c->grid[mu];
    }
done:
    naik_free(node_of);
    return status;
}

/* Microseconds of an iteration of one right-hand side of so many together that begin on this rung. */
static naik_status time_iteration(naik_comm *comm, const naik_input *input, const cost *all,
                                  const cost_case *c, int nrhs, naik_rung rung, double *us)
{
    const bool half = rung == NAIK_RUNG_HALF;
    const bool fastest = half || c->plan.links != NAIK_HALF;
    const model_problem p = {.local = {c->local[0], c->local[1], c->local[2], c->local[3]},
                             .vectors = c->plan.vectors,
                             .links = half ? NAIK_HALF : c->plan.vectors,
                             .recon = fastest ? c->plan.recon : 18,
                             .nrhs = nrhs,
                             .kind = all->kind,
                             .staged = input->run.transport == NAIK_TRANSPORT_STAGED,
                             .blocks = naik_quark_csw(&input->quarks[0]) != 0};
    model_prediction now;
    memcpy(now.grid, c->grid, sizeof now.grid);
    NAIK_PASS(model_predict(comm->log, &all->machine, &p, &now));
    *us = (c->plan.multishift ? c->plan.shared : 1) * now.iteration_us / p.nrhs;
    return NAIK_OK;
}

/* The searches: iterations with single vectors, a block at a time (model/deflation.h), and with links of
 * 16 bits where solves have them whole. */
static naik_status time_search(naik_comm *comm, const naik_input *input, const cost *all,
                               cost_case *c)
{
    const bool half = c->plan.links == NAIK_HALF && c->plan.recon == 18;
    const model_problem p = {.local = {c->local[0], c->local[1], c->local[2], c->local[3]},
                             .vectors = NAIK_SINGLE,
                             .links = half ? NAIK_HALF : NAIK_SINGLE,
                             .recon = 18,
                             .nrhs = NAIK_MODES_BLOCK,
                             .kind = all->kind,
                             .staged = input->run.transport == NAIK_TRANSPORT_STAGED};
    model_prediction now;
    c->modes.rule = mode_cost_of(input, c->plan.modes, c->plan.modes_chosen);
    memcpy(now.grid, c->grid, sizeof now.grid);
    NAIK_PASS(model_predict(comm->log, &all->machine, &p, &now));
    c->modes.search_s = c->modes.rule.search * now.iteration_us / p.nrhs * 1e-6;
    return NAIK_OK;
}

/* Of the pilot run, where it had as many modes removed from solves of this mass. */
static bool is_measured(const cost *all, int modes, const cost_mass *m, model_iterations *out)
{
    for (int i = 0; i < all->told.deflated.count && all->told.deflated.modes == modes; i++) {
        const model_pilot *pilot = &all->told.deflated.mean[i];
        if (pilot->mass == m->mass) {
            *out = model_iterations_from(pilot, 1, true, m->mass, m->tolerance);
            return true;
        }
    }
    return false;
}

/* Iterations of a mass with the plan's modes, and of those without where they have no part. */
static model_iterations iterations_of(const naik_input *input, const cost *all, const cost_case *c,
                                      const cost_mass *m, bool deflated)
{
    const int *size = input->lattice.size;
    const int64_t volume = (int64_t)size[0] * size[1] * size[2] * size[3];
    model_iterations n = m->plain;
    if (deflated) {
        const double more = model_deflating_iterations(c->plan.modes, input->deflation.precision,
                                                       m->tolerance, input->deflation.again);
        if (!is_measured(all, c->plan.modes, m, &n)) {
            const double share = (double)m->odd / m->solves;
            const double odd = model_odd_over_even(m->mass, c->modes.rule.lambda, m->tolerance);
            n = model_iterations_deflated(n, m->mass, c->modes.rule.lambda, m->tolerance, volume);
            n.expected *= 1 + share * (odd - 1); /* the mean */
            n.least *= m->odd == m->solves ? odd : 1;
            n.most *= m->odd > 0 ? odd : 1;
        }
        n = (model_iterations){n.least + more, n.expected + more, n.most + more};
    }
    return n;
}

/* Solves of the group that has most of them. */
static int most_tasks(const naik_input *input, const cost_case *c)
{
    return (input->task_count + c->groups - 1) / c->groups;
}

/* Of all solves of a mass: as expected, and with the most iterations. */
typedef struct mass_seconds {
    double expected, most;
} mass_seconds;

/* Of mass i without multigrid. */
static naik_status time_plain(naik_comm *comm, const naik_input *input, const cost *all,
                              cost_case *c, int i, double solves, mass_seconds *out)
{
    cost_modes *modes = &c->modes;
    const cost_mass *m = &all->masses[i];
    const bool deflated =
        c->plan.modes > 0 && m->deflate &&
        (!c->plan.modes_chosen || mode_count_pays(input, c->plan.modes, m->quark));
    const model_iterations n = iterations_of(input, all, c, m, deflated);
    const double eased = deflated ? hypot(m->mass, modes->rule.lambda) : m->mass;
    double plain_us = 0;
    NAIK_PASS(time_iteration(comm, input, all, c, c->plan.batch, solve_plan_rung(&c->plan, eased),
                             &c->us_per_iteration[i]));
    c->solve_s[i] = n.expected * c->us_per_iteration[i] * 1e-6;
    out->expected = solves * c->solve_s[i];
    out->most = solves * n.most * c->us_per_iteration[i] * 1e-6;
    modes->iterations[i] = n;
    if (deflated) {
        NAIK_PASS(time_iteration(comm, input, all, c, c->plan.batch,
                                 solve_plan_rung(&c->plan, m->mass), &plain_us));
        modes->plain_s += solves * m->plain.expected * plain_us * 1e-6;
        modes->with_s += solves * c->solve_s[i];
    }
    return NAIK_OK;
}

/* The column that auto solves alone, to see how many iterations it takes. */
static naik_status time_try(naik_comm *comm, const naik_input *input, const cost *all,
                            const cost_case *c, int i, double *seconds)
{
    const cost_mass *m = &all->masses[i];
    const double n = fmin(cost_multigrid_limit(input, all, i), m->plain.expected);
    double us = 0;
    *seconds = 0;
    if (c->plan.multigrid_auto && !cost_multigrid_follows(all, i)) {
        NAIK_PASS(time_iteration(comm, input, all, c, 1, solve_plan_rung(&c->plan, m->mass), &us));
        *seconds = (m->multigrid ? cost_multigrid_limit(input, all, i) : n) * us * 1e-6;
    }
    return NAIK_OK;
}

/* Of mass i, where the plan has multigrid: as it is solved, and at the most. */
static naik_status time_by_multigrid(naik_comm *comm, const naik_input *input, const cost *all,
                                     cost_case *c, int i, double solves, mass_seconds *out)
{
    cost_multigrid *g = &c->multigrid;
    NAIK_PASS(time_try(comm, input, all, c, i, &g->try_s[i]));
    /* the column that is tried is solved by that, where multigrid is not taken */
    NAIK_PASS(
        time_plain(comm, input, all, c, i, g->try_s[i] > 0 ? fmax(solves - 1, 0) : solves, out));
    const double by_s = solves * g->most_s[i] + g->most_make_s[i] + g->try_s[i];
    out->expected += g->try_s[i];
    out->most += g->try_s[i];
    out->most = all->masses[i].multigrid ? by_s : fmin(by_s, out->most);
    if (all->masses[i].multigrid) {
        c->us_per_iteration[i] = g->us_per_iteration[i];
        c->solve_s[i] = g->solve_s[i];
        out->expected = solves * g->solve_s[i] + g->make_s[i] + g->try_s[i];
        c->modes.iterations[i] = all->masses[i].outer;
    }
    return NAIK_OK;
}

/* Seconds of a right-hand side of every mass, of the search for modes, and of multigrid. */
static naik_status time_solves(naik_comm *comm, const naik_input *input, const cost *all,
                               cost_case *c)
{
    cost_modes *modes = &c->modes;
    const double share = (double)most_tasks(input, c) / input->task_count;
    if (c->plan.modes > 0) {
        NAIK_PASS(time_search(comm, input, all, c));
    }
    if (c->plan.multigrid) {
        NAIK_PASS(cost_multigrid_time(comm->log, input, all, c));
    }
    for (int i = 0; i < all->mass_count; i++) {
        mass_seconds now;
        NAIK_PASS((c->plan.multigrid ? time_by_multigrid : time_plain)(
            comm, input, all, c, i, share * all->masses[i].solves, &now));
        c->solves_s += now.expected;
        c->most_s += now.most;
    }
    modes->break_even =
        modes->plain_s > modes->with_s
            ? ceil(modes->rule.sources * modes->search_s / (modes->plain_s - modes->with_s))
            : INFINITY;
    return NAIK_OK;
}

/* Sets of links that are built: one for each epsilon; a twist is made of those. */
static int count_links(const naik_input *input)
{
    int count = 0;
    for (int q = 0; q < input->quark_count && count < COST_MASSES; q++) {
        count += naik_quark_first_of_links(input->quarks, q) == q;
    }
    return count;
}

static void time_rest(const cost *all, cost_case *c)
{
    const double sites = (double)c->local[0] * c->local[1] * c->local[2] * c->local[3];
    /* a configuration of 4 matrices a site in double, read once; the output, written and verified */
    const int boxes = c->gpus / c->groups; /* of a lattice */
    const double bytes = sites * boxes * 576 + 2 * (double)c->output_bytes;
    c->links_s = all->links_built * all->kind->costs.links_s * sites / LINKS_SITES *
                 LINKS_COPY_GBS / all->machine.figures[COPY_GBS].value;
    c->io_s = bytes * 1e-9 / (IO_GBS * c->nodes);
    c->wall_s = START_S + c->io_s + c->links_s + c->modes.search_s + c->solves_s;
    c->node_hours = c->nodes * c->wall_s / 3600;
    c->limit_s =
        600 * ceil((LIMIT_MARGIN * (c->wall_s - c->solves_s + c->most_s) + SIGNAL_S) / 600);
}

/* With so many groups. */
static naik_status evaluate_groups(naik_comm *comm, const naik_input *input, const cost *all,
                                   int nodes, int groups, cost_case *c)
{
    naik_status status = NAIK_OK;
    solve_spec *spec = NULL;
    on_paper paper;
    const int gpus = nodes * all->machine.node_size;
    const int ranks = gpus / groups; /* of a group, of which every one has the whole lattice */
    *c = (cost_case){.nodes = nodes, .gpus = gpus, .groups = groups, .best = groups};
    NAIK_TRY(naik_comm_agree(comm, choose_grid(comm, input, all->machine.node_size, c)));
    if (c->verdict == COST_NO_GRID) {
        goto done;
    }
    const bool inside = nodes == 1 || (groups > 1 && all->machine.node_size % ranks == 0);
    on_paper_lay_out(&paper, comm, input->lattice.size, c->grid, inside, input->run.transport,
                     (size_t)(all->machine.memory_gib * MEMORY_SHARE * (1 << 30)));
    if (!on_paper_fits_numbers(c->local)) {
        c->verdict = COST_NO_MEMORY;
        goto done;
    }
    status = solve_plan_make(input, &paper.geometry, most_tasks(input, c), 0, &c->plan);
    if (status == NAIK_ERR_MEMORY && c->plan.total_bytes > c->plan.available_bytes) {
        naik_log_clear(comm->log); /* an answer here, no failure */
        c->verdict = COST_NO_MEMORY;
        status = NAIK_OK;
        goto done;
    }
    NAIK_TRY(status);
    NAIK_TRY(naik_comm_agree(comm, solve_spec_create(input, &c->plan, &paper.backend,
                                                     &paper.lattice, NULL, NULL, &spec)));
    c->output_bytes = naik_propagator_spec_bytes(solve_spec_file(spec), input->lattice.size,
                                                 input->output.alignment);
    NAIK_TRY(naik_comm_agree(comm, time_solves(comm, input, all, c)));
    time_rest(all, c);
    c->best_s = c->wall_s;
done:
    solve_spec_destroy(&spec);
    return status;
}

static int asked_groups(const naik_input *input)
{
    return input->run.groups == NAIK_INPUT_GROUPS_AUTO ? 1 : input->run.groups;
}

/* By what the work takes: every run has the start. */
static bool is_better(const cost_case *now, const cost_case *than)
{
    return now->verdict == COST_FITS &&
           (than->verdict != COST_FITS ||
            now->wall_s - START_S < GROUPS_GAIN * (than->best_s - START_S));
}

/* With the groups of the input, and which number of them were best; that number with auto. */
static naik_status evaluate(naik_comm *comm, const naik_input *input, const cost *all, int nodes,
                            cost_case *c)
{
    const int gpus = nodes * all->machine.node_size, asked = asked_groups(input);
    const int most = naik_input_most_groups(input);
    cost_case now;
    NAIK_PASS(evaluate_groups(comm, input, all, nodes, asked, c));
    for (int groups = 1; groups <= gpus && groups <= most; groups++) {
        if (gpus % groups != 0 || groups == asked) {
            continue;
        }
        NAIK_PASS(evaluate_groups(comm, input, all, nodes, groups, &now));
        if (!is_better(&now, c)) {
            continue;
        }
        if (input->run.groups == NAIK_INPUT_GROUPS_AUTO) {
            *c = now;
        } else if (c->verdict == COST_FITS) {
            c->best = groups;
            c->best_s = now.wall_s;
        }
    }
    return NAIK_OK;
}

naik_status cost_of(naik_comm *comm, const naik_input *input, const model_machine *machine,
                    const char *pilot, const int *nodes, int count, cost *out)
{
    memset(out, 0, sizeof *out);
    out->kind = input->kind;
    out->machine = *machine;
    out->pilot = pilot;
    out->links_built = count_links(input);
    out->groups = input->run.groups;
    NAIK_PASS(expect_iterations(comm, input, out));
    for (int n = 1; n <= MOST_NODES && out->smallest == 0; n++) {
        cost_case now;
        NAIK_PASS(evaluate_groups(comm, input, out, n, asked_groups(input), &now));
        out->smallest = now.verdict == COST_FITS ? n : 0;
        out->any_grid = out->any_grid || now.verdict != COST_NO_GRID;
    }
    for (int i = 0; i < count && i < COST_NODES; i++) {
        NAIK_PASS(evaluate(comm, input, out, nodes[i], &out->cases[out->case_count++]));
    }
    for (int i = 0; count == 0 && out->smallest > 0 && i < 4; i++) {
        NAIK_PASS(evaluate(comm, input, out, out->smallest << i, &out->cases[out->case_count++]));
    }
    return NAIK_OK;
}
