/* masses.c - `naik bench cg --masses M,M,...`: several masses of every right-hand side, by
 * separate solves in one batch and from a shared Krylov space (multishift.h)
 *
 * Both solve (4 m^2 - D D) x = (m / m_0) b to the tolerance, true residuals included; one line
 * each, with the bytes that the rule of solver.multishift counts for it.
 */
#include "bench/bench.h"
#include "plan/multishift_cost.h"
#include "solver/multishift.h"

typedef struct run {
    const bench *b;
    naik_solver *cg;
    naik_multishift *multishift; /* NULL: separate solves */
    naik_solver_options options;
    naik_field *sources; /* [sources], double */
    int sources_count, groups;
    int masses;
    const double *mass;
    naik_shift_group group; /* of every source */
    int first;              /* source of the groups at work */
    bench_tally tally;
} run;

static naik_status load_group(void *data, int index, naik_field *b, int irhs)
{
    const run *r = data;
    return r->b->backend->ops->field.copy_rhs(b, irhs, r->sources, r->first + index);
}

/* Without a shared space every system takes b itself: the solves cost the same. */
static naik_status load(void *data, int64_t index, naik_field *b, int irhs,
                        naik_solver_system *system)
{
    const run *r = data;
    const int s = (int)index % r->masses, source = (int)index / r->masses;
    *system = (naik_solver_system){.shift = r->group.shift[s], .tolerance = r->group.tolerance[s]};
    return r->b->backend->ops->field.copy_rhs(b, irhs, r->sources, r->first + source);
}

static naik_status start(void *data, int64_t index, naik_field *x, int irhs, naik_solver_start *out)
{
    const run *r = data;
    return naik_multishift_take(r->multishift, (int)index / r->masses, (int)index % r->masses, x,
                                irhs, out);
}

static naik_status finish(void *data, int64_t index, const naik_field *x, int irhs,
                          const naik_solver_result *result)
{
    run *r = data;
    (void)index, (void)x, (void)irhs;
    bench_count(&r->tally, result);
    return NAIK_OK;
}

static naik_status solve(void *context)
{
    run *r = context;
    naik_shift_group list[NAIK_MAX_RHS];
    const int step = r->multishift != NULL ? r->groups : r->sources_count;
    r->tally = (bench_tally){0};
    for (r->first = 0; r->first < r->sources_count; r->first += step) {
        const int left = r->sources_count - r->first, count = left < step ? left : step;
        const naik_solver_starter starter = {.data = r, .start = start};
        const naik_solver_stream systems = {.data = r,
                                            .count = count * r->masses,
                                            .load = load,
                                            .finish = finish,
                                            .starter = r->multishift != NULL ? &starter : NULL};
        const naik_shift_group_stream groups = {
            .data = r, .count = count, .group = list, .load = load_group};
        bool stopped = false;
        for (int i = 0; i < count; i++) {
            list[i] = r->group;
        }
        if (r->multishift != NULL) {
            NAIK_PASS(
                naik_multishift_solve(r->multishift, NAIK_EVEN, &r->options, &groups, &stopped));
        }
        NAIK_PASS(naik_solver_solve(r->cg, NAIK_EVEN, &r->options, &systems));
    }
    return NAIK_OK;
}

static multishift_case case_of(const run *r, const naik_links *inner, naik_precision vectors,
                               int batch)
{
    return (multishift_case){.vectors = vectors,
                             .links = inner->precision,
                             .recon = inner->recon,
                             .points = inner->points,
                             .batch = batch,
                             .sources = r->sources_count,
                             .masses = r->masses,
                             .mass = r->mass,
                             .tolerance = r->b->options->tolerance};
}

static void print(const run *r, const naik_links *inner, naik_precision vectors, int batch,
                  const bench_timing *timing)
{
    const bench *b = r->b;
    const bool shared = r->multishift != NULL;
    const multishift_case c = case_of(r, inner, vectors, batch);
    const double bytes = shared ? multishift_shared_bytes(&c) : multishift_separate_bytes(&c);
    bench_line line;
    bench_line_begin(b, &line);
    bench_put_text(&line, "mode", shared ? "multishift" : "separate");
    bench_put_kind(b, &line, vectors, inner->precision, inner->recon);
    bench_put_int(&line, "nrhs", r->sources_count);
    bench_put_int(&line, "batch", batch);
    bench_put_int(&line, "masses", r->masses);
    bench_put_machine(b, &line);
    bench_put_gauge(b, &line);
    bench_put_real(&line, "mass", "%g", r->mass[0]);
    bench_put_real(&line, "mass_last", "%g", r->mass[r->masses - 1]);
    bench_put_solves(b, &line, &r->tally, r->sources_count, timing->median_s);
    bench_put_real(&line, "us", "%.6g", timing->median_s * 1e6);
    bench_put_real(&line, "model_bytes", "%.6g", bytes);
    bench_put_real(&line, "us_per_model_kb", "%.4g",
                   timing->median_s / r->sources_count * 1e9 / bytes);
    /* the model's units are iterations of no known number: no floor in bytes a second */
    bench_line_end(b, &line, 0, timing->median_s, timing);
}

/* The smallest mass is the base: the group begins with it. */
static void describe(run *r)
{
    const bench_options *o = r->b->options;
    r->group.count = r->masses;
    for (int s = 0; s < r->masses; s++) {
        r->group.shift[s] = naik_operator_staggered.shift(r->mass[s]);
        r->group.scale[s] = 1;
        r->group.tolerance[s] = o->tolerance;
    }
}

naik_status bench_masses(const bench *b, const naik_operator_set *packed, naik_precision vectors,
                         int nrhs)
{
    naik_status status = NAIK_OK;
    const naik_links *inner = packed->links[naik_operator_set_fastest(packed)];
    const bench_options *o = b->options;
    run r = {.b = b,
             .options = naik_solver_defaults(),
             .sources_count = nrhs,
             .masses = o->shared_count,
             .mass = o->shared};
    bench_timing timing;
    const int systems = nrhs * r.masses;
    const int wanted = o->batch > 0 && o->batch < systems ? o->batch : systems;
    const int batch = wanted < NAIK_MAX_RHS ? wanted : NAIK_MAX_RHS;
    const multishift_case c = case_of(&r, inner, vectors, batch);
    r.options.max_iterations = o->max_iterations;
    describe(&r);
    NAIK_TRY(naik_solver_create(&naik_solver_cg, packed->op, vectors, batch, &r.cg));
    NAIK_TRY(bench_sources(b, r.sources_count, &r.sources));
    NAIK_TRY(bench_measure(b, solve, &r, &timing));
    print(&r, inner, vectors, batch, &timing);
    r.groups = multishift_groups(&c);
    NAIK_TRY(naik_multishift_create(r.cg, r.groups, r.masses, &r.multishift));
    NAIK_TRY(bench_measure(b, solve, &r, &timing));
    print(&r, inner, vectors, batch, &timing);
done:
    naik_multishift_destroy(&r.multishift);
    naik_solver_destroy(&r.cg);
    naik_field_destroy(&r.sources);
    return status;
}
