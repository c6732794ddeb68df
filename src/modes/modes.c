/* modes.c - low modes: memory, projection onto them, sums of them */
#include "modes/modes.h"

#include <math.h>
#include <stdlib.h>

#include "comm/collective.h"

static int blocks_of(int modes)
{
    return (modes + NAIK_MODES_BLOCK - 1) / NAIK_MODES_BLOCK;
}

naik_status naik_modes_create(const naik_geometry *geometry, naik_precision precision, int capacity,
                              naik_modes **out)
{
    naik_status status = NAIK_OK;
    naik_log *log = geometry->backend->log;
    *out = NULL;
    if (capacity < 1 || capacity > NAIK_MODES_MAX || precision == NAIK_DOUBLE) {
        return NAIK_FAIL(log, NAIK_ERR_ARG, "%d modes in %s precision: 1 to %d in single or half",
                         capacity, naik_precision_name(precision), NAIK_MODES_MAX);
    }
    naik_modes *modes = calloc(1, sizeof *modes);
    if (modes != NULL) {
        modes->geometry = geometry;
        modes->precision = precision;
        modes->count = capacity;
        modes->blocks = blocks_of(capacity);
        modes->block = calloc((size_t)modes->blocks, sizeof(naik_field *));
        modes->lambda2 = calloc((size_t)capacity, sizeof(double));
        modes->residual = calloc((size_t)capacity, sizeof(double));
    }
    if (modes == NULL || modes->block == NULL || modes->lambda2 == NULL ||
        modes->residual == NULL) {
        status = NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for %d modes", capacity);
    }
    NAIK_TRY(naik_comm_agree(geometry->backend->comm, status));
    for (int b = 0; b < modes->blocks; b++) {
        NAIK_TRY(naik_field_create_bare(geometry, precision, NAIK_MODES_BLOCK, &modes->block[b]));
    }
    *out = modes;
    return status;
done:
    naik_modes_destroy(&modes);
    return status;
}

void naik_modes_destroy(naik_modes **modes)
{
    naik_modes *m = *modes;
    if (m == NULL) {
        return;
    }
    for (int b = 0; m->block != NULL && b < m->blocks; b++) {
        naik_field_destroy(&m->block[b]);
    }
    free(m->block);
    free(m->lambda2);
    free(m->residual);
    free(m);
    *modes = NULL;
}

naik_status naik_modes_copy(const naik_modes *from, naik_modes *to)
{
    naik_status status = NAIK_OK;
    for (int b = 0; b < to->blocks && b < from->blocks; b++) {
        NAIK_TRY(from->geometry->backend->ops->field.copy(to->block[b], from->block[b], NULL,
                                                          NAIK_RHS_IDLE));
    }
    for (int i = 0; i < to->count && i < from->count; i++) {
        to->lambda2[i] = from->lambda2[i];
        to->residual[i] = from->residual[i];
    }
done:
    return status;
}

size_t naik_modes_bytes(const naik_geometry *geometry, naik_precision precision, int capacity)
{
    return (size_t)blocks_of(capacity) *
           geometry->backend->ops->modes.bytes(geometry->lattice, precision, NAIK_MODES_BLOCK);
}

static naik_status allocate(naik_modes_work *work)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = work->geometry->backend;
    const size_t numbers = (size_t)work->modes * (size_t)work->nrhs * 2;
    work->words = malloc(numbers * sizeof *work->words);
    work->numbers = malloc(numbers * sizeof *work->numbers);
    if (work->words == NULL || work->numbers == NULL) {
        return NAIK_FAIL(backend->log, NAIK_ERR_MEMORY, "no memory for products with %d modes",
                         work->modes);
    }
    NAIK_TRY(naik_backend_alloc(backend, numbers * sizeof(int64_t), "products with modes",
                                (void **)&work->products));
    NAIK_TRY(naik_backend_alloc(backend, numbers * sizeof(double), "coefficients of modes",
                                (void **)&work->coefficients));
    NAIK_TRY(naik_backend_alloc(backend, (size_t)work->nrhs * sizeof(naik_exactsum),
                                "norms of vectors", (void **)&work->sums));
done:
    return status;
}

naik_status naik_modes_work_create(const naik_geometry *geometry, int modes, int nrhs,
                                   naik_modes_work **out)
{
    naik_status status = NAIK_OK;
    naik_modes_work *work = calloc(1, sizeof *work);
    *out = NULL;
    if (work == NULL) {
        status = NAIK_FAIL(geometry->backend->log, NAIK_ERR_MEMORY, "no memory to work on modes");
    } else {
        work->geometry = geometry;
        work->modes = blocks_of(modes) * NAIK_MODES_BLOCK;
        work->nrhs = nrhs;
        status = allocate(work);
    }
    NAIK_TRY(naik_comm_agree(geometry->backend->comm, status));
    *out = work;
    return status;
done:
    naik_modes_work_destroy(&work);
    return status;
}

void naik_modes_work_destroy(naik_modes_work **work)
{
    naik_modes_work *w = *work;
    if (w == NULL) {
        return;
    }
    naik_backend_release(w->geometry->backend, w->products);
    naik_backend_release(w->geometry->backend, w->coefficients);
    naik_backend_release(w->geometry->backend, w->sums);
    free(w->words);
    free(w->numbers);
    free(w);
    *work = NULL;
}

static naik_status check_shape(const naik_modes_work *work, int count, const naik_field *r)
{
    if (count < 1 || count > work->modes || r->nrhs > work->nrhs || r->geometry != work->geometry) {
        return NAIK_FAIL(work->geometry->backend->log, NAIK_ERR_ARG,
                         "%d modes and %d right-hand sides where %d and %d have room", count,
                         r->nrhs, work->modes, work->nrhs);
    }
    return NAIK_OK;
}

naik_status naik_modes_norms(naik_modes_work *work, const naik_field *r, double *norm2)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = work->geometry->backend;
    const naik_reduction_ops *ops = &backend->ops->reduction;
    NAIK_TRY(check_shape(work, 1, r));
    NAIK_TRY(ops->clear(backend, work->sums, r->nrhs));
    NAIK_TRY(ops->dot(r, r, work->sums));
    NAIK_TRY(ops->over_ranks(backend, work->sums, r->nrhs));
    NAIK_TRY(ops->values(backend, work->sums, r->nrhs, norm2));
done:
    return status;
}

/* Products are below 2^61 in units of 1/scale, a power of two; 0: the rhs is left out. */
static double scale_of(double norm2, double largest)
{
    int exponent;
    const double bound = sqrt(norm2) * largest;
    if (!(bound > 0) || !(bound < 1e150) || bound < 1e-150) {
        return 0;
    }
    (void)frexp(bound, &exponent);
    return ldexp(1, 60 - exponent);
}

naik_status naik_modes_project(naik_modes_work *work, naik_field *const *block, int count,
                               double largest, const naik_field *r, const double *norm2,
                               naik_complex *c)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = work->geometry->backend;
    const int nrhs = r->nrhs, blocks = blocks_of(count);
    const int numbers = count * nrhs * 2;
    double scale[NAIK_MAX_RHS];
    NAIK_TRY(check_shape(work, count, r));
    for (int j = 0; j < nrhs; j++) {
        scale[j] = scale_of(norm2[j], largest);
    }
    NAIK_TRY(backend->ops->modes.project((const naik_field *const *)block, blocks, r, scale,
                                         work->products));
    NAIK_TRY(naik_backend_download(backend, work->words, work->products,
                                   (size_t)numbers * sizeof *work->words));
    for (int i = 0; i < numbers; i++) { /* of an rhs that is left out there may be anything */
        work->words[i] = scale[i / 2 % nrhs] > 0 ? work->words[i] : 0;
    }
    NAIK_TRY(naik_comm_sum_i64(backend->comm, work->words, numbers));
    for (int i = 0; i < count * nrhs; i++) {
        const double s = scale[i % nrhs] > 0 ? scale[i % nrhs] : 1;
        c[i] = (naik_complex){(double)work->words[2 * i] / s, (double)work->words[2 * i + 1] / s};
    }
done:
    return status;
}

/* The rows c [count][columns], with zeros after them up to a whole block, to the backend. */
static naik_status upload(naik_modes_work *work, const naik_complex *c, int count, int columns)
{
    const size_t rows = (size_t)blocks_of(count) * NAIK_MODES_BLOCK;
    const size_t all = rows * (size_t)columns, used = (size_t)count * (size_t)columns;
    if (all > (size_t)work->modes * (size_t)work->nrhs) {
        return NAIK_FAIL(work->geometry->backend->log, NAIK_ERR_ARG,
                         "%d x %d coefficients where %d x %d have room", count, columns,
                         work->modes, work->nrhs);
    }
    for (size_t i = 0; i < all; i++) {
        work->numbers[2 * i] = i < used ? c[i].re : 0;
        work->numbers[2 * i + 1] = i < used ? c[i].im : 0;
    }
    return naik_backend_upload(work->geometry->backend, work->coefficients, work->numbers,
                               2 * all * sizeof(double));
}

naik_status naik_modes_add(naik_modes_work *work, naik_field *const *block, int count,
                           const naik_complex *c, naik_field *x, const naik_rhs *rhs,
                           naik_rhs_state state)
{
    naik_status status = NAIK_OK;
    NAIK_TRY(check_shape(work, count, x));
    NAIK_TRY(upload(work, c, count, x->nrhs));
    NAIK_TRY(work->geometry->backend->ops->modes.add(
        (const naik_field *const *)block, blocks_of(count), work->coefficients, x, rhs, state));
done:
    return status;
}

naik_status naik_modes_rotate(naik_modes_work *work, naik_field *const *block, int count,
                              const naik_complex *q, int kept)
{
    naik_status status = NAIK_OK;
    NAIK_TRY(upload(work, q, count, kept));
    NAIK_TRY(work->geometry->backend->ops->modes.rotate(block, blocks_of(count), work->coefficients,
                                                        kept));
done:
    return status;
}
