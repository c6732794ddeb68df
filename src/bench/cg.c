/* cg.c - `naik bench cg`: whole solves of (4 m^2 - D D) x = b, b random on even sites or a
 * point, on random links or those of a configuration
 *
 * With a fixed number of iterations (--weak, --strong, --iterations) the tolerance is out of reach,
 * so that every run does the same work. Iterations and residual are those that the solver reports;
 * the floor counts two Dslashes and eight vector passes an iteration in the precision of the
 * iteration, nothing for the checks in double.
 */
#include "solver/cg.h"

#include <math.h>

#include "backend/launch.h"
#include "bench/bench.h"
#include "model/iteration.h"
#include "plan/plan.h"

static const double OUT_OF_REACH = 1e-100;

typedef struct run {
    bench_solves solves;
    double mass;
    naik_timer *timer; /* of all solves */
    double share;      /* of the last one's time that true residuals took */
} run;

static double seconds_in(const run *r, const char *region)
{
    return naik_timer_read(r->timer, region).time_s;
}

static naik_status solve(void *context)
{
    run *r = context;
    const double true_s = seconds_in(r, "true residuals"), iterate_s = seconds_in(r, "iterate");
    const naik_status status = bench_solve(&r->solves);
    const double in_true_s = seconds_in(r, "true residuals") - true_s;
    r->share = in_true_s / (in_true_s + seconds_in(r, "iterate") - iterate_s);
    return status;
}

/* A few iterations, after which everything is tuned and recorded. */
static naik_status warm_up(void *context)
{
    run few = *(const run *)context;
    few.solves.options.max_iterations = 60;
    return solve(&few);
}

static void print(const run *r, const naik_links *links, naik_precision vectors, int batch,
                  const bench_timing *timing)
{
    const bench *b = r->solves.b;
    const bench_tally *tally = &r->solves.tally;
    const int count = r->solves.count;
    bench_line line;
    const double sites = 0.5 * (double)b->lattice->volume;
    const double seconds = timing->median_s / (double)tally->iterations;
    const double flops = naik_staggered_step_flops(links->points);
    const double dslash =
        model_floor_bytes(vectors, links->precision, links->recon, links->points, batch) / batch;
    bench_line_begin(b, &line);
    bench_put_mode(b, &line);
    bench_put_kind(b, &line, vectors, links->precision, links->recon);
    bench_put_int(&line, "nrhs", count);
    bench_put_int(&line, "batch", batch);
    bench_put_machine(b, &line);
    if (b->comm->size > 1) {
        bench_put_transport(b, &line);
    }
    if (b->options->launch_mode != NAIK_LAUNCH_AUTO) {
        bench_put_text(&line, "launch", naik_launch_name(b->backend->choices.launch_mode));
    }
    bench_put_gauge(b, &line);
    bench_put_text(&line, "source", b->options->source == 1 ? "point" : "random");
    bench_put_real(&line, "mass", "%g", r->mass);
    if (b->options->iterations == 0) {
        bench_put_real(&line, "tolerance", "%g", b->options->tolerance);
    }
    bench_put_real(&line, "iterations", "%.1f", (double)tally->iterations / count);
    bench_put_int(&line, "least", tally->least);
    bench_put_int(&line, "most", tally->most);
    bench_put_text(&line, "rung", naik_rung_name(tally->rung));
    bench_put_real(&line, "true_residuals", "%.3f", r->share);
    bench_put_real(&line, "true_residual", "%.3e", tally->worst);
    if (b->options->iterations == 0) {
        bench_put_int(&line, "not_converged", tally->failed);
    }
    bench_put_real(&line, "seconds", "%.4f", timing->median_s / count);
    bench_put_iteration(&line, tally, timing);
    bench_put_real(&line, "us", "%.6g", timing->median_s * 1e6);
    bench_put_real(&line, "gflops", "%.5g", flops * sites / seconds * 1e-9);
    bench_line_end(b, &line, sites * (2 * dslash + 8 * naik_vector_bytes(vectors)), seconds,
                   timing);
}

static naik_status measure(const bench *b, const naik_operator_set *packed, const solve_plan *plan,
                           double mass, int nrhs)
{
    naik_status status = NAIK_OK;
    const bench_options *o = b->options;
    const int batch = o->batch > 0 && o->batch < nrhs ? o->batch : nrhs;
    run r = {.mass = mass, .solves = {.b = b, .options = naik_solver_defaults(), .count = nrhs}};
    bench_solves *s = &r.solves;
    bench_timing timing;
    const int fixed = o->iterations;
    s->options.delta = o->delta;
    s->options.first_rung = plan->first_rung;
    s->options.stay = fixed > 0; /* every iteration the same work */
    s->options.max_iterations = fixed > 0 ? fixed : o->max_iterations;
    s->system.shift = naik_operator_staggered.shift(mass);
    s->system.tolerance = fixed > 0 ? OUT_OF_REACH : o->tolerance;
    NAIK_TRY(naik_solver_create(&naik_solver_cg, packed->op, plan->vectors, batch, &s->solver));
    NAIK_TRY(bench_sources(b, nrhs, &s->sources));
    NAIK_TRY(naik_timer_create(b->comm->log, &r.timer));
    b->backend->timer = r.timer;
    NAIK_TRY(o->repeat == 1 ? bench_measure_long(b, warm_up, solve, &r, &timing)
                            : bench_measure(b, solve, &r, &timing));
    if (fixed > 0 && s->tally.iterations != (int64_t)fixed * nrhs) {
        status = NAIK_FAIL(b->comm->log, NAIK_ERR_NOT_CONVERGED,
                           "the solver stopped after %.0f of %d iterations, at a residual of %.1e: "
                           "choose fewer --iterations or a smaller --mass",
                           (double)s->tally.iterations / nrhs, fixed, s->tally.worst);
        goto done;
    }
    print(&r, packed->links[naik_operator_set_fastest(packed)], plan->vectors, batch, &timing);
done:
    b->backend->timer = NULL;
    naik_timer_destroy(&r.timer);
    naik_solver_destroy(&s->solver);
    naik_field_destroy(&s->sources);
    return status;
}

/* How the solves of these masses are stored. */
static solve_plan storage(const bench *b, const double mass[], int count)
{
    const bench_options *o = b->options;
    solve_plan plan = {.vectors = bench_vectors(b),
                       .links = bench_link_precision(b, bench_vectors(b)),
                       .recon = bench_recon(b),
                       .first_rung = -1};
    if (o->inner_precision >= 0) {
        double lightest = INFINITY;
        for (int m = 0; m < count; m++) {
            lightest = fmin(lightest, solve_plan_mass_on_half(mass[m]));
        }
        solve_plan_choose(&plan, (naik_input_precision)o->inner_precision, lightest,
                          o->action != NAIK_NAIVE, b->backend->ops->host_memory);
    }
    plan.first_rung = o->first_rung >= 0 ? o->first_rung : plan.first_rung;
    return plan;
}

/* Every number of right-hand sides and every way to launch, with these masses: one, or several that
 * belong to every right-hand side. */
static naik_status measure_masses(const bench *b, const double mass[], int count)
{
    naik_status status = NAIK_OK;
    naik_operator_set packed = {.links = {NULL}};
    const solve_plan plan = storage(b, mass, count);
    const int wanted = b->options->launch_mode;
    const int first = wanted == BENCH_EACH ? NAIK_LAUNCH_SEPARATE : wanted;
    const int last = wanted == BENCH_EACH ? NAIK_LAUNCH_FUSED_GRAPH : wanted;
    NAIK_TRY(naik_operator_set_fat(b->geometry, b->source, plan.links, plan.recon, &packed));
    for (int i = 0; i < b->options->nrhs_count; i++) {
        const int nrhs = b->options->nrhs[i];
        for (int how = first; how <= last; how++) {
            b->backend->choices.launch_mode = (naik_launch_mode)how;
            b->backend->choices.threads_per_site = b->options->threads_per_site;
            NAIK_TRY(count > 1 ? bench_masses(b, &packed, plan.vectors, nrhs)
                               : measure(b, &packed, &plan, mass[0], nrhs));
        }
    }
done:
    naik_operator_set_destroy(&packed);
    return status;
}

naik_status bench_cg(const bench *b)
{
    const bench_options *o = b->options;
    if (bench_of_spinors(o)) {
        return bench_wilson_cg(b);
    }
    if (o->shared_count > 0) {
        return measure_masses(b, o->shared, o->shared_count);
    }
    for (int m = 0; m < o->mass_count; m++) {
        NAIK_PASS(measure_masses(b, &o->mass[m], 1));
    }
    return NAIK_OK;
}
