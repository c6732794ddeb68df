/* backend/packed_links.c - `naik bench links`: fat and long links from thin ones on the host, in double
 *
 * Where the backend is: a device reads the thin links over the bus, and keeps the result.
 * The floor is one reading of the thin links and one writing of the fat and long ones: link
 * building is bound by arithmetic, and its fraction says by how much.
 */
#include "bench/bench.h"

typedef struct run {
    const bench *b;
    int64_t svd_count;
} run;

static naik_status build(void *context)
{
    naik_status status = NAIK_OK;
    run *r = context;
    naik_fattener *fattener = NULL;
    naik_fatlong *links = NULL;
    NAIK_TRY(naik_fattener_create(r->b->thin, (naik_action_type)r->b->options->action, 1.0,
                                  naik_backend_device(r->b->backend), &fattener));
    NAIK_TRY(naik_fattener_links(fattener, 0, &links));
    r->svd_count = links->svd_count;
done:
    naik_fatlong_destroy(&links);
    naik_fattener_destroy(&fattener);
    return status;
}

naik_status bench_links(const bench *b)
{
    run r = {.b = b};
    bench_timing timing;
    bench_line line;
    NAIK_PASS(bench_measure(b, build, &r, &timing));
    const double fields = bench_hops(b) == NAIK_STENCIL ? 3 : 2;
    bench_line_begin(b, &line);
    bench_put_kind(b, &line, NAIK_DOUBLE, NAIK_DOUBLE, 18);
    bench_put_machine(b, &line);
    bench_put_int(&line, "svd", r.svd_count);
    bench_put_real(&line, "seconds", "%.4f", timing.median_s);
    bench_put_real(&line, "us", "%.6g", timing.median_s * 1e6);
    bench_put_real(&line, "sites_per_us", "%.6g",
                   (double)b->lattice->volume / timing.median_s * 1e-6);
    bench_line_end(b, &line, fields * 4 * 18 * 8 * (double)b->lattice->volume, timing.median_s,
                   &timing);
    return NAIK_OK;
}
