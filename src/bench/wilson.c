/* wilson.c - `naik bench dslash|cg --action wilson|clover` and `naik bench bicgstab`
 *
 * dslash: one application of D to spinors; of clover quarks of A^-1 D, in one kernel. bicgstab and cg:
 * whole solves of Mh x = b (operator/wilson.h), b random on even sites, cg by the normal equations.
 * What an iteration moves are four D, with A^-1 where it is blocks, and the spinors of passes_of;
 * what the checks in double move is not counted.
 */
#include <stdlib.h>

#include "backend/dslash.h"
#include "base/memory.h"
#include "bench/bench.h"
#include "model/iteration.h"
#include "operator/set.h"
#include "solver/bicgstab.h"

enum { SPINOR_REALS = 6 * NAIK_SPIN };

static bool is_clover(const bench *b)
{
    return b->options->action == BENCH_CLOVER;
}

static double csw_of(const bench *b)
{
    return b->options->csw >= 0 ? b->options->csw : 1;
}

void bench_put_csw(const bench *b, bench_line *line)
{
    if (is_clover(b)) {
        bench_put_real(line, "csw", "%g", csw_of(b));
    }
}

/* Of the blocks of a site, where there are some. */
static double block_bytes(const bench *b, naik_precision links)
{
    const int real = links == NAIK_DOUBLE ? 8 : 4;
    return is_clover(b) ? NAIK_SITE_BLOCKS * NAIK_BLOCK_REALS * real : 0;
}

/* Spinors are four colour vectors each. */
static double floor_bytes(const bench *b, const naik_links *links, naik_precision vectors, int nrhs)
{
    return model_floor_bytes(vectors, links->precision, links->recon, links->points,
                             NAIK_SPIN * nrhs) +
           block_bytes(b, links->precision);
}

/* Spinors that an iteration reads and writes beside what D reads and writes of its own, a site and
 * right-hand side (solver/bicgstab_iterate.c):
 *
 *   BiCGStab    B p to v, and (s, v)               p, s            normal   B p, |v|^2        p
 *               r -= alpha v                       r, v; r                  x += alpha p,     x, p, r, v;
 *               B r to t, and (r, t), |t|^2        r                        r -= alpha v      x, r
 *               x += alpha p + omega r,            x, p, r, t, s;           B^+ r to z        r
 *               r -= omega t, and (s, r), |r|^2    x, r                     p = z + beta p    z, p; p
 *               p = r + beta (p - omega v)         r, p, v; p
 *
 * B^+ of blocks is A^-1 in a pass of its own, which reads and writes a spinor. */
static int passes_of(const bench *b, naik_method method)
{
    return method == NAIK_METHOD_BICGSTAB ? 17 : is_clover(b) ? 13 : 11;
}

/* The same two spinor fields for all right-hand sides. */
naik_status bench_fill_spinors(const bench *b, naik_field *field, naik_parity parity)
{
    naik_status status = NAIK_OK;
    const size_t sites = (size_t)b->lattice->sites;
    double *v = NULL, *row = NULL;
    NAIK_TRY(
        naik_alloc(b->comm->log, sites * SPINOR_REALS * sizeof *v, "a spinor field", (void **)&v));
    NAIK_TRY(
        naik_alloc(b->comm->log, naik_lattice_vector_bytes(b->lattice), "a vector", (void **)&row));
    for (int c = 0; c < field->nrhs; c++) {
        for (int s = 0; s < NAIK_SPIN && c < 2; s++) {
            bench_random_vector(b->lattice, 100 + (uint64_t)(NAIK_SPIN * c + s), row);
            for (size_t i = 0; i < sites * 6; i++) {
                v[(i / 6 * NAIK_SPIN + (size_t)s) * 6 + i % 6] = row[i];
            }
        }
        NAIK_TRY(b->backend->ops->field.from_host(field, parity, c, v));
    }
done:
    naik_free(v);
    naik_free(row);
    return status;
}

naik_status bench_clover(const bench *b, double mass, naik_clover **out)
{
    *out = NULL;
    return is_clover(b) ? naik_clover_create(b->thin, naik_backend_device(b->backend), mass, 0,
                                             csw_of(b), out)
                        : NAIK_OK;
}

/* ---- one application */

static naik_status apply(void *context)
{
    return naik_dslash(context);
}

static naik_status measure_dslash(const bench *b, const naik_wilson *wilson, int nrhs)
{
    naik_status status = NAIK_OK;
    const naik_precision vectors = bench_vectors(b);
    naik_field *in = NULL, *out = NULL;
    bench_timing timing;
    bench_line line;
    NAIK_TRY(naik_field_create_spin(b->geometry, vectors, NAIK_SPIN, nrhs, &in));
    NAIK_TRY(naik_field_create_spin(b->geometry, vectors, NAIK_SPIN, nrhs, &out));
    NAIK_TRY(naik_comm_agree(b->comm, bench_fill_spinors(b, in, NAIK_ODD)));
    naik_dslash_args args = {.form = NAIK_FORM_D,
                             .parity = NAIK_EVEN,
                             .links = wilson->links,
                             .in = in,
                             .out = out,
                             .blocks = is_clover(b) ? wilson->inverse : NULL};
    NAIK_TRY(bench_measure(b, apply, &args, &timing));
    const double sites = 0.5 * (double)b->lattice->volume;
    const double flops = NAIK_WILSON_FLOPS + (is_clover(b) ? NAIK_CLOVER_FLOPS : 0);
    bench_line_begin(b, &line);
    bench_put_kind(b, &line, vectors, wilson->links->precision, wilson->links->recon);
    bench_put_int(&line, "nrhs", nrhs);
    bench_put_machine(b, &line);
    bench_put_real(&line, "us", "%.6g", timing.median_s * 1e6);
    bench_put_real(&line, "gflops", "%.5g", flops * sites * nrhs / timing.median_s * 1e-9);
    bench_line_end(b, &line, sites * floor_bytes(b, wilson->links, vectors, nrhs), timing.median_s,
                   &timing);
done:
    naik_field_destroy(&in);
    naik_field_destroy(&out);
    return status;
}

naik_status bench_wilson_dslash(const bench *b)
{
    naik_status status = NAIK_OK;
    const double mass = b->options->mass[0];
    naik_clover *clover = NULL;
    naik_wilson *wilson = NULL;
    NAIK_TRY(bench_clover(b, mass, &clover));
    NAIK_TRY(naik_wilson_create(b->geometry, b->thin, clover, mass, 0,
                                bench_link_precision(b, bench_vectors(b)), bench_recon(b),
                                &wilson));
    for (int i = 0; i < b->options->nrhs_count; i++) {
        NAIK_TRY(measure_dslash(b, wilson, b->options->nrhs[i]));
    }
done:
    naik_wilson_destroy(&wilson);
    naik_clover_destroy(&clover);
    return status;
}

/* ---- whole solves */

static void print(const bench_solves *r, naik_method method, const naik_operator_set *set,
                  double mass, const bench_timing *timing)
{
    const bench *b = r->b;
    const naik_precision vectors = bench_vectors(b);
    const naik_precision storage = bench_link_precision(b, vectors);
    const naik_links *links = set->wilson[storage]->links;
    const naik_operator *op = &set->op[storage];
    const double sites = 0.5 * (double)b->lattice->volume;
    const double seconds = timing->median_s / (double)r->tally.iterations;
    const double passes = passes_of(b, method) * NAIK_SPIN * naik_vector_bytes(vectors);
    bench_line line;
    bench_line_begin(b, &line);
    bench_put_mode(b, &line);
    bench_put_kind(b, &line, vectors, links->precision, links->recon);
    bench_put_int(&line, "nrhs", r->count);
    bench_put_machine(b, &line);
    if (b->comm->size > 1) {
        bench_put_transport(b, &line);
    }
    bench_put_gauge(b, &line);
    bench_put_real(&line, "mass", "%g", mass);
    bench_put_csw(b, &line);
    bench_put_solves(b, &line, &r->tally, r->count, timing->median_s);
    bench_put_iteration(&line, &r->tally, timing);
    bench_put_real(&line, "us", "%.6g", timing->median_s * 1e6);
    bench_put_real(&line, "gflops", "%.5g", op->ops->step_flops(op) * sites / seconds * 1e-9);
    bench_line_end(b, &line,
                   sites * (4 * floor_bytes(b, links, vectors, r->count) / r->count + passes),
                   seconds, timing);
}

static naik_status measure_solves(const bench *b, naik_method method, const naik_operator_set *set,
                                  double mass, int nrhs)
{
    naik_status status = NAIK_OK;
    bench_solves r = {.b = b,
                      .options = naik_solver_defaults(),
                      .system = {.tolerance = b->options->tolerance},
                      .count = nrhs};
    bench_timing timing;
    r.options.delta = b->options->delta;
    r.options.max_iterations =
        b->options->iterations > 0 ? b->options->iterations : b->options->max_iterations;
    NAIK_TRY(
        naik_solver_create(naik_method_solver(method), set->op, bench_vectors(b), nrhs, &r.solver));
    NAIK_TRY(naik_field_create_spin(b->geometry, NAIK_DOUBLE, NAIK_SPIN, nrhs, &r.sources));
    NAIK_TRY(naik_comm_agree(b->comm, bench_fill_spinors(b, r.sources, NAIK_EVEN)));
    NAIK_TRY(bench_measure(b, bench_solve, &r, &timing));
    print(&r, method, set, mass, &timing);
done:
    naik_solver_destroy(&r.solver);
    naik_field_destroy(&r.sources);
    return status;
}

/* Every number of right-hand sides of a mass. */
static naik_status measure_mass(const bench *b, naik_method method, double mass)
{
    naik_status status = NAIK_OK;
    const bench_options *o = b->options;
    const naik_precision vectors = bench_vectors(b);
    int widest = 1;
    naik_clover *clover = NULL;
    naik_operator_set set = {.wilson = {NULL}};
    for (int i = 0; i < o->nrhs_count; i++) {
        widest = o->nrhs[i] > widest ? o->nrhs[i] : widest;
    }
    NAIK_TRY(bench_clover(b, mass, &clover));
    NAIK_TRY(naik_operator_set_thin(b->geometry, b->thin, clover, mass, 0,
                                    bench_link_precision(b, vectors), bench_recon(b), vectors,
                                    widest, &set));
    for (int i = 0; i < o->nrhs_count; i++) {
        NAIK_TRY(measure_solves(b, method, &set, mass, o->nrhs[i]));
    }
done:
    naik_operator_set_destroy(&set);
    naik_clover_destroy(&clover);
    return status;
}

static naik_status measure_masses(const bench *b, naik_method method)
{
    for (int m = 0; m < b->options->mass_count; m++) {
        NAIK_PASS(measure_mass(b, method, b->options->mass[m]));
    }
    return NAIK_OK;
}

naik_status bench_bicgstab(const bench *b)
{
    return measure_masses(b, NAIK_METHOD_BICGSTAB);
}

naik_status bench_wilson_cg(const bench *b)
{
    return measure_masses(b, NAIK_METHOD_CG);
}
