/* bench_cg.c - `naik bench cg`: whole solves of (4 m^2 - D D) x = b, b random on even sites
 *
 * With a fixed number of iterations (--weak, --strong, --iterations) the tolerance is out of reach,
 * so that every run does the same work. Iterations and residual are those that the solver reports;
 * the floor counts two Dslashes and eight vector passes an iteration in the precision of the
 * iteration, nothing for the checks in double.
 */
#include "naik/cg.h"
#include "naik/memory.h"

#include "bench.h"

static const double OUT_OF_REACH = 1e-100;

typedef struct run {
    const bench *b;
    naik_cg *cg;
    naik_cg_options options;
    double tolerance;
    naik_field *sources; /* [nrhs], double */
    int count;
    int64_t iterations; /* over all systems */
    double worst;       /* true residual */
    int failed;
} run;

static naik_status load(void *data, int64_t index, naik_field *b, naik_field *x, int column,
                        naik_cg_system *system)
{
    const run *r = data;
    const double mass = r->b->options->mass;
    (void)x;
    *system = (naik_cg_system){.shift = 4 * mass * mass, .tolerance = r->tolerance};
    return r->b->backend->ops->field_copy_column(b, column, r->sources, (int)index);
}

static naik_status finish(void *data, int64_t index, const naik_field *x, int column,
                          const naik_cg_result *result)
{
    run *r = data;
    (void)index, (void)x, (void)column;
    r->iterations += result->iterations;
    r->worst = result->residual > r->worst ? result->residual : r->worst;
    r->failed += result->reason != NAIK_CG_CONVERGED;
    return NAIK_OK;
}

static naik_status solve(void *context)
{
    run *r = context;
    const naik_cg_stream stream = {.data = r, .count = r->count, .load = load, .finish = finish};
    r->iterations = 0;
    r->failed = 0;
    r->worst = 0;
    return naik_cg_solve(r->cg, NAIK_EVEN, &r->options, &stream);
}

static const char *const orchestration_names[] = {[NAIK_ORCHESTRATE_AUTO] = "auto",
                                                  [NAIK_ORCHESTRATE_SEPARATE] = "separate",
                                                  [NAIK_ORCHESTRATE_FUSED] = "fused",
                                                  [NAIK_ORCHESTRATE_GRAPH] = "graph",
                                                  [NAIK_ORCHESTRATE_BOTH] = "both"};

static const char *mode(const bench_options *o)
{
    return o->weak ? "weak" : o->strong ? "strong" : o->iterations > 0 ? "fixed" : "solve";
}

static void print(const run *r, const naik_links *links, naik_precision vectors, int batch,
                  const bench_timing *timing)
{
    const bench *b = r->b;
    bench_line line;
    const double sites = 0.5 * (double)b->lattice->volume;
    const double seconds = timing->median_s / (double)r->iterations;
    const double flops = links->hops == NAIK_HOPS ? NAIK_CG_FLOPS : NAIK_CG_FLOPS_NAIVE;
    const double dslash =
        bench_floor_bytes(vectors, links->precision, links->recon, links->hops, batch) / batch;
    const double per_iteration = 1e6 / (double)r->iterations;
    bench_line_begin(b, &line);
    bench_put_text(&line, "mode", mode(b->options));
    bench_put_kind(b, &line, vectors, links->precision, links->recon);
    bench_put_int(&line, "nrhs", r->count);
    bench_put_int(&line, "batch", batch);
    bench_put_machine(b, &line);
    if (b->comm->size > 1) {
        bench_put_transport(b, &line);
    }
    if (b->options->orchestration != NAIK_ORCHESTRATE_AUTO) {
        bench_put_text(&line, "orchestration",
                       orchestration_names[b->backend->choices.orchestration]);
    }
    bench_put_real(&line, "mass", "%g", b->options->mass);
    if (b->options->iterations == 0) {
        bench_put_real(&line, "tolerance", "%g", b->options->tolerance);
    }
    bench_put_real(&line, "iterations", "%.1f", (double)r->iterations / r->count);
    bench_put_real(&line, "true_residual", "%.3e", r->worst);
    if (b->options->iterations == 0) {
        bench_put_int(&line, "not_converged", r->failed);
    }
    bench_put_real(&line, "seconds", "%.4f", timing->median_s / r->count);
    bench_put_real(&line, "us_per_iteration", "%.1f", seconds * 1e6);
    bench_put_real(&line, "rank_min_us", "%.1f", timing->rank_min_s * per_iteration);
    bench_put_real(&line, "rank_mean_us", "%.1f", timing->rank_mean_s * per_iteration);
    bench_put_real(&line, "rank_max_us", "%.1f", timing->median_s * per_iteration);
    bench_put_real(&line, "us", "%.6g", timing->median_s * 1e6);
    bench_put_real(&line, "gflops", "%.5g", flops * sites / seconds * 1e-9);
    bench_line_end(b, &line, sites * (2 * dslash + 8 * bench_vector_bytes(vectors)), seconds,
                   timing);
}

static naik_status measure(const bench *b, const naik_cg_links *packed, naik_precision vectors,
                           int nrhs)
{
    naik_status status = NAIK_OK;
    const int batch = b->options->batch > 0 && b->options->batch < nrhs ? b->options->batch : nrhs;
    run r = {.b = b, .options = naik_cg_defaults(), .count = nrhs};
    bench_timing timing;
    const int fixed = b->options->iterations;
    r.options.delta = b->options->delta;
    r.options.max_iterations = fixed > 0 ? fixed : b->options->max_iterations;
    r.tolerance = fixed > 0 ? OUT_OF_REACH : b->options->tolerance;
    NAIK_TRY(naik_cg_create(packed, vectors, batch, &r.cg));
    NAIK_TRY(bench_random_sources(b, r.count, &r.sources));
    NAIK_TRY(bench_measure(b, solve, &r, &timing));
    if (fixed > 0 && r.iterations != (int64_t)fixed * nrhs) {
        status = NAIK_FAIL(b->comm->log, NAIK_ERR_NOT_CONVERGED,
                           "the solver stopped after %.0f of %d iterations, at a residual of %.1e: "
                           "choose fewer --iterations or a smaller --mass",
                           (double)r.iterations / nrhs, fixed, r.worst);
        goto done;
    }
    print(&r, naik_cg_links_fastest(packed), vectors, batch, &timing);
done:
    naik_cg_destroy(&r.cg);
    naik_field_destroy(&r.sources);
    return status;
}

naik_status bench_cg(const bench *b)
{
    naik_status status = NAIK_OK;
    naik_cg_links packed = {.outer = NULL};
    const naik_precision vectors = b->options->inner_precision < 0
                                       ? bench_vectors(b)
                                       : (naik_precision)b->options->inner_precision;
    NAIK_TRY(naik_cg_links_create(b->geometry, b->source, bench_link_precision(b, vectors),
                                  bench_recon(b), &packed));
    for (int i = 0; i < b->options->nrhs_count; i++) {
        const int wanted = b->options->orchestration;
        const int first = wanted == BENCH_EACH ? NAIK_ORCHESTRATE_SEPARATE : wanted;
        const int last = wanted == BENCH_EACH ? NAIK_ORCHESTRATE_BOTH : wanted;
        for (int how = first; how <= last; how++) {
            b->backend->choices.orchestration = (naik_orchestration)how;
            b->backend->choices.granularity = b->options->granularity;
            NAIK_TRY((b->options->mass_count > 0 ? bench_masses : measure)(b, &packed, vectors,
                                                                           b->options->nrhs[i]));
        }
    }
done:
    naik_cg_links_destroy(&packed);
    return status;
}
