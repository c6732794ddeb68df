/* modes.c - `naik bench modes`: what a search for low modes and a deflation are made of
 *
 * Bytes that each part moves at least: projection and addition the modes once and their vectors
 * (addition twice, read and written), rotation the modes read and written, the filter those of its
 * 2 degree Dslashes (iteration.h), the dense part a matrix read once in every step of its
 * reduction, 16/3 n^3.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "bench/bench.h"
#include "model/iteration.h"
#include "modes/filter.h"
#include "modes/hermitian.h"

enum { DEGREE = 30 };

typedef struct run {
    const bench *b;
    int count;
    naik_modes *modes;  /* as deflation stores them */
    naik_modes *single; /* as Lanczos does */
    naik_modes_work *work;
    naik_field *r; /* in single, bare, `nrhs`: what is projected */
    naik_field *x; /* in double: what is added to */
    naik_filter *filter;
    naik_field *v;       /* a block, in single */
    naik_complex *c;     /* [count][nrhs]; zero */
    naik_complex *q;     /* [count][count]; 1 */
    naik_complex *a, *z; /* [count][count] */
    double *value;       /* [count] */
    double norm2[NAIK_MAX_RHS];
} run;

static naik_status project(void *context)
{
    run *r = context;
    return naik_modes_project(r->work, r->modes->block, r->count, 2, r->r, r->norm2, r->c);
}

static naik_status add(void *context)
{
    run *r = context;
    return naik_modes_add(r->work, r->modes->block, r->count, r->c, r->x, NULL, NAIK_RHS_IDLE);
}

static naik_status rotate(void *context)
{
    run *r = context;
    return naik_modes_rotate(r->work, r->single->block, r->count, r->q, r->count);
}

static naik_status filter(void *context)
{
    run *r = context;
    return naik_filter_apply(r->filter, r->v);
}

static naik_status dense(void *context)
{
    run *r = context;
    const int n = r->count;
    for (int i = 0; i < n; i++) { /* hermitian, and different in every element */
        for (int j = 0; j <= i; j++) {
            r->a[i * n + j] = (naik_complex){1.0 / (1 + i + j), i == j ? 0 : 1.0 / (2 + i - j)};
        }
    }
    return naik_hermitian_solve(r->b->comm->log, n, r->a, r->value, r->z);
}

/* Random vectors of length 1 or nearly; two different ones are enough. */
static naik_status fill(const bench *b, naik_field *const *field, int fields)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = b->lattice;
    const double scale = 1 / sqrt(3.0 * (double)lat->volume);
    double *v = NULL;
    NAIK_TRY(naik_alloc(b->comm->log, naik_lattice_vector_bytes(lat), "a vector", (void **)&v));
    for (int k = 0; k < 2; k++) {
        bench_random_vector(lat, 100 + (uint64_t)k, v);
        for (int64_t i = 0; i < 6 * (int64_t)lat->sites; i++) {
            v[i] *= scale;
        }
        for (int f = 0; f < fields; f++) {
            for (int c = k; c < field[f]->nrhs; c += 2) {
                NAIK_TRY(b->backend->ops->field.from_host(field[f], NAIK_EVEN, c, v));
            }
        }
    }
done:
    naik_free(v);
    return status;
}

static naik_status measure(const run *r, const char *part, naik_precision precision, int nrhs,
                           bench_body body, double floor_bytes)
{
    const bench *b = r->b;
    bench_timing timing;
    bench_line line;
    NAIK_PASS(bench_measure(b, body, (void *)r, &timing));
    bench_line_begin(b, &line);
    bench_put_text(&line, "part", part);
    bench_put_text(&line, "precision", naik_precision_name(precision));
    bench_put_int(&line, "modes", r->count);
    bench_put_int(&line, "nrhs", nrhs);
    bench_put_machine(b, &line);
    bench_put_real(&line, "us", "%.6g", timing.median_s * 1e6);
    bench_line_end(b, &line, floor_bytes, timing.median_s, &timing);
    return NAIK_OK;
}

/* Bytes of so many modes on all ranks. */
static double bytes_of(const run *r, naik_precision precision)
{
    return (double)naik_modes_bytes(r->b->geometry, precision, r->count) * r->b->comm->size;
}

/* Projected in single, added to in double, as deflation does (modes/deflate.c). */
static naik_status measure_deflation(run *r, int nrhs)
{
    naik_status status = NAIK_OK;
    const bench *b = r->b;
    const naik_precision precision = r->modes->precision;
    const double vectors = 0.5 * (double)b->lattice->volume * 24 * nrhs;
    NAIK_TRY(naik_field_create_bare(b->geometry, NAIK_SINGLE, nrhs, &r->r));
    NAIK_TRY(naik_field_create(b->geometry, NAIK_DOUBLE, nrhs, &r->x));
    NAIK_TRY(naik_comm_agree(b->comm, fill(b, &r->x, 1)));
    NAIK_TRY(naik_comm_agree(b->comm, fill(b, &r->r, 1)));
    NAIK_TRY(naik_modes_norms(r->work, r->r, r->norm2));
    NAIK_TRY(measure(r, "project", precision, nrhs, project, bytes_of(r, precision) + vectors));
    memset(r->c, 0, (size_t)r->count * (size_t)nrhs * sizeof *r->c); /* that nothing grows */
    NAIK_TRY(measure(r, "add", precision, nrhs, add, bytes_of(r, precision) + 4 * vectors));
done:
    naik_field_destroy(&r->x);
    naik_field_destroy(&r->r);
    return status;
}

static naik_status create(const bench *b, const naik_links *links, run *r)
{
    naik_status status = NAIK_OK;
    naik_log *log = b->comm->log;
    const size_t n = (size_t)r->count, square = n * n * sizeof *r->q;
    NAIK_PASS(naik_modes_create(b->geometry, NAIK_SINGLE, r->count, &r->single));
    NAIK_PASS(
        naik_modes_create(b->geometry, (naik_precision)b->options->precision, r->count, &r->modes));
    NAIK_PASS(naik_comm_agree(b->comm, fill(b, r->single->block, r->single->blocks)));
    NAIK_PASS(naik_modes_copy(r->single, r->modes));
    const int wide = r->count > NAIK_MAX_RHS ? r->count : NAIK_MAX_RHS;
    NAIK_PASS(naik_modes_work_create(b->geometry, r->count, wide, &r->work));
    NAIK_PASS(naik_filter_create(links, r->work, NAIK_MODES_BLOCK, &r->filter));
    r->filter->degree = DEGREE;
    NAIK_PASS(naik_field_create(b->geometry, NAIK_SINGLE, NAIK_MODES_BLOCK, &r->v));
    NAIK_PASS(naik_comm_agree(b->comm, fill(b, &r->v, 1)));
    NAIK_PASS(
        naik_filter_largest(r->filter, r->v, &r->filter->high)); /* with low = 0 nothing grows */
    status = naik_alloc(log, n * NAIK_MAX_RHS * sizeof *r->c, "products", (void **)&r->c);
    naik_complex **const matrix[] = {&r->q, &r->a, &r->z};
    for (int k = 0; k < 3 && status == NAIK_OK; k++) {
        status = naik_alloc(log, square, "a matrix", (void **)matrix[k]);
    }
    status = status == NAIK_OK
                 ? naik_alloc(log, n * sizeof(double), "eigenvalues", (void **)&r->value)
                 : status;
    NAIK_PASS(naik_comm_agree(b->comm, status));
    memset(r->q, 0, square);
    for (size_t i = 0; i < n; i++) {
        r->q[i * n + i].re = 1;
    }
    return NAIK_OK;
}

static void destroy(run *r)
{
    naik_free(r->value);
    naik_free(r->z);
    naik_free(r->a);
    naik_free(r->q);
    naik_free(r->c);
    naik_field_destroy(&r->v);
    naik_filter_destroy(&r->filter);
    naik_modes_work_destroy(&r->work);
    naik_modes_destroy(&r->modes);
    naik_modes_destroy(&r->single);
}

naik_status bench_modes(const bench *b)
{
    naik_status status = NAIK_OK;
    const bench_options *o = b->options;
    run r = {.b = b, .count = o->modes};
    naik_links *links = NULL;
    if (o->precision == NAIK_DOUBLE) {
        return NAIK_FAIL(b->comm->log, NAIK_ERR_INPUT,
                         "naik bench modes: --precision is that of the modes, single or half");
    }
    NAIK_TRY(naik_links_create(b->geometry, b->source, NAIK_SINGLE, bench_recon(b), &links));
    NAIK_TRY(create(b, links, &r));
    for (int i = 0; i < o->nrhs_count; i++) {
        NAIK_TRY(measure_deflation(&r, o->nrhs[i]));
    }
    const double n = r.count, sites = 0.5 * (double)b->lattice->volume;
    const double a_dslash =
        model_floor_bytes(NAIK_SINGLE, NAIK_SINGLE, links->recon, links->points, NAIK_MODES_BLOCK);
    NAIK_TRY(measure(&r, "rotate", NAIK_SINGLE, r.count, rotate, 2 * bytes_of(&r, NAIK_SINGLE)));
    NAIK_TRY(measure(&r, "filter", NAIK_SINGLE, NAIK_MODES_BLOCK, filter,
                     sites * 2 * DEGREE * a_dslash));
    NAIK_TRY(
        measure(&r, "dense", NAIK_DOUBLE, r.count, dense, 16.0 / 3 * n * n * n * b->comm->size));
done:
    destroy(&r);
    naik_links_destroy(&links);
    return status;
}
