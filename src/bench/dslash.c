/* dslash.c - `naik bench dslash`: one application of D, for each batch size asked for */
#include "backend/dslash.h"

#include "base/memory.h"
#include "bench/bench.h"
#include "model/iteration.h"

typedef struct run {
    const naik_links *links;
    naik_field *in, *out;
} run;

static naik_status apply(void *context)
{
    const run *r = context;
    return naik_dslash_plain(r->links, r->in, NAIK_EVEN, r->out);
}

static naik_status fill(const bench *b, naik_field *field)
{
    naik_status status = NAIK_OK;
    double *v = NULL;
    NAIK_TRY(
        naik_alloc(b->comm->log, naik_lattice_vector_bytes(b->lattice), "a vector", (void **)&v));
    for (int c = 0; c < field->nrhs; c++) {
        if (c < 2) { /* two different rhs are enough */
            bench_random_vector(b->lattice, 100 + (uint64_t)c, v);
        }
        NAIK_TRY(b->backend->ops->field.from_host(field, NAIK_ODD, c, v));
    }
done:
    naik_free(v);
    return status;
}

/* Links that are known to be 1 are not read where they are stored in 12 numbers: of 8 a site, one
 * ahead and one behind in direction t on all slices but one. */
static double floor_bytes(const bench *b, const naik_links *links, int nrhs)
{
    const double all =
        model_floor_bytes(bench_vectors(b), links->precision, links->recon, links->points, nrhs);
    const double a_link =
        (model_floor_bytes(bench_vectors(b), links->precision, links->recon, links->points, 0)) / 8;
    const double unit =
        links->unit_time && links->recon == 12 && links->precision != NAIK_HALF ? 2 : 0;
    return all - unit * a_link * (b->lattice->size[3] - 1) / b->lattice->size[3];
}

static naik_status measure(const bench *b, const naik_links *links, int nrhs)
{
    naik_status status = NAIK_OK;
    const naik_precision vectors = bench_vectors(b);
    run r = {.links = links};
    bench_timing timing;
    bench_line line;
    const int threads_per_site = b->backend->choices.threads_per_site;
    NAIK_TRY(naik_field_create(b->geometry, vectors, nrhs, &r.in));
    NAIK_TRY(naik_field_create(b->geometry, vectors, nrhs, &r.out));
    NAIK_TRY(naik_comm_agree(b->comm, fill(b, r.in)));
    NAIK_TRY(bench_measure(b, apply, &r, &timing));
    const double sites = 0.5 * (double)b->lattice->volume;
    const double flops = naik_dslash_flops(links->points);
    bench_line_begin(b, &line);
    bench_put_kind(b, &line, vectors, links->precision, links->recon);
    bench_put_int(&line, "nrhs", nrhs);
    bench_put_machine(b, &line);
    if (links->unit_time) {
        bench_put_text(&line, "gauge", "temporal");
    }
    if (threads_per_site > 0) {
        bench_put_int(&line, "granularity", threads_per_site);
    }
    bench_put_real(&line, "us", "%.6g", timing.median_s * 1e6);
    bench_put_real(&line, "gflops", "%.5g", flops * sites * nrhs / timing.median_s * 1e-9);
    bench_line_end(b, &line, sites * floor_bytes(b, links, nrhs), timing.median_s, &timing);
done:
    naik_field_destroy(&r.in);
    naik_field_destroy(&r.out);
    return status;
}

/* Whether rows of the result can be divided over threads (backend.h, choices). */
static bool has_rows(const naik_links *links)
{
    return links->recon == 18 || links->recon == 6;
}

naik_status bench_dslash(const bench *b)
{
    static const int each[] = {1, 3, 4, 12};
    naik_status status = NAIK_OK;
    naik_links *links = NULL;
    if (bench_of_spinors(b->options)) {
        return bench_wilson_dslash(b);
    }
    NAIK_TRY(naik_links_create(b->geometry, b->source, bench_link_precision(b, bench_vectors(b)),
                               bench_recon(b), &links));
    for (int i = 0; i < b->options->nrhs_count; i++) {
        const int wanted = b->options->threads_per_site;
        for (int k = 0; k < (wanted == BENCH_EACH ? 4 : 1); k++) {
            b->backend->choices.threads_per_site = wanted == BENCH_EACH ? each[k] : wanted;
            if (wanted == BENCH_EACH && each[k] % 3 == 0 && !has_rows(links)) {
                continue;
            }
            NAIK_TRY(measure(b, links, b->options->nrhs[i]));
        }
    }
done:
    naik_links_destroy(&links);
    return status;
}
