/* halo.c - `naik bench halo`: the exchange of one direction, and of all together
 *
 * A direction is measured alone on a view of the lattice in which no other is split. Latency is
 * the same exchange of boxes of 4^4 sites a rank, whose messages are as short as they get.
 */
#include "backend/halo.h"

#include "backend/field.h"
#include "bench/bench.h"

typedef struct exchange {
    naik_halo *halo;
    naik_field *field;
    naik_layers layers;
} exchange;

static naik_status run_exchange(void *context)
{
    const exchange *e = context;
    NAIK_PASS(naik_halo_start(e->halo, e->field, &e->layers));
    return naik_halo_wait(e->halo, e->field, &e->layers);
}

/* The same boxes with no other direction split but mu. */
static naik_lattice only(const naik_lattice *lattice, int mu)
{
    naik_lattice view = *lattice;
    for (int nu = 0; nu < NAIK_DIM; nu++) {
        view.split[nu] = view.split[nu] && nu == mu;
    }
    return view;
}

/* bytes: what one rank sends. */
static naik_status measure(const bench *b, const naik_lattice *lattice, int nrhs,
                           bench_timing *timing, double *bytes)
{
    naik_status status = NAIK_OK;
    naik_geometry *geometry = NULL;
    exchange e = {.layers = {.parity = NAIK_EVEN, .depth = naik_points_depth(bench_hops(b))}};
    NAIK_TRY(naik_geometry_create(b->backend, lattice, &geometry));
    NAIK_TRY(naik_field_create(geometry, bench_vectors(b), nrhs, &e.field));
    NAIK_TRY(b->backend->ops->field.zero(e.field, NULL, NAIK_RHS_IDLE));
    e.halo = geometry->halo;
    NAIK_TRY(bench_measure(b, run_exchange, &e, timing));
    *bytes = 0;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if (lattice->split[mu]) {
            *bytes += 2 * (double)b->backend->ops->halo.face_bytes(lattice, bench_vectors(b), nrhs,
                                                                   mu, e.layers.depth);
        }
    }
done:
    naik_field_destroy(&e.field);
    naik_geometry_destroy(&geometry);
    return status;
}

static void print(const bench *b, const char *direction, int nrhs, double bytes,
                  const bench_timing *timing, double latency_s)
{
    bench_line line;
    bench_line_begin(b, &line);
    bench_put_transport(b, &line);
    bench_put_text(&line, "direction", direction);
    bench_put_text(&line, "precision", naik_precision_name(bench_vectors(b)));
    bench_put_int(&line, "nrhs", nrhs);
    bench_put_machine(b, &line);
    bench_put_real(&line, "bytes", "%.0f", bytes);
    bench_put_real(&line, "latency_us", "%.2f", latency_s * 1e6);
    bench_put_real(&line, "us", "%.6g", timing->median_s * 1e6);
    bench_put_real(&line, "rank_min_us", "%.6g", timing->rank_min_s * 1e6);
    bench_put_real(&line, "rank_mean_us", "%.6g", timing->rank_mean_s * 1e6);
    bench_put_real(&line, "rank_max_us", "%.6g", timing->median_s * 1e6);
    bench_put_real(&line, "gbs", "%.5g", bytes / timing->median_s * 1e-9);
    bench_line_end(b, &line, bytes * b->comm->size, timing->median_s, timing);
}

/* mu < 0: every direction that is split, together. */
static naik_status direction(const bench *b, const naik_lattice *smallest, int mu, int nrhs)
{
    static const char *const names[] = {"x", "y", "z", "t"};
    bench_timing timing, short_timing;
    double bytes, short_bytes;
    const naik_lattice one = mu < 0 ? *b->lattice : only(b->lattice, mu);
    const naik_lattice small = mu < 0 ? *smallest : only(smallest, mu);
    NAIK_PASS(measure(b, &one, nrhs, &timing, &bytes));
    NAIK_PASS(measure(b, &small, nrhs, &short_timing, &short_bytes));
    print(b, mu < 0 ? "all" : names[mu], nrhs, bytes, &timing, short_timing.median_s);
    return NAIK_OK;
}

naik_status bench_halo(const bench *b)
{
    naik_status status = NAIK_OK;
    naik_lattice *smallest = NULL;
    int size[NAIK_DIM];
    if (b->comm->size == 1) {
        return NAIK_FAIL(b->comm->log, NAIK_ERR_INPUT,
                         "naik bench halo: one rank has no neighbours: start it on two or more");
    }
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        size[mu] = 4 * b->lattice->grid[mu];
    }
    NAIK_TRY(naik_lattice_create(b->comm, size, b->lattice->grid, &smallest));
    for (int i = 0; i < b->options->nrhs_count; i++) {
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            if (b->lattice->split[mu]) {
                NAIK_TRY(direction(b, smallest, mu, b->options->nrhs[i]));
            }
        }
        NAIK_TRY(direction(b, smallest, -1, b->options->nrhs[i]));
    }
done:
    naik_lattice_destroy(&smallest);
    return status;
}
