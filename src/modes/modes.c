/* modes.c - low modes: memory, projection onto them, sums of them */
#include "modes/modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comm/collective.h"
#include "comm/new.h"

static int blocks_of(int modes)
{
    return (modes + NAIK_MODES_BLOCK - 1) / NAIK_MODES_BLOCK;
}

/* Numbers for so many modes, and no block. */
static naik_status create_empty(const naik_geometry *geometry, naik_precision precision,
                                int capacity, naik_modes **out)
{
    naik_status status = NAIK_OK;
    *out = NULL;
    if (capacity < 1 || capacity > NAIK_MODES_MAX || precision == NAIK_DOUBLE) {
        return NAIK_FAIL(geometry->backend->log, NAIK_ERR_ARG,
                         "%d modes in %s precision: 1 to %d in single or half", capacity,
                         naik_precision_name(precision), NAIK_MODES_MAX);
    }
    naik_comm *comm = geometry->backend->comm;
    const size_t numbers = (size_t)capacity * sizeof(double);
    naik_modes *modes = NULL;
    NAIK_TRY(naik_new(comm, sizeof *modes, "low modes", (void **)&modes));
    modes->geometry = geometry;
    modes->precision = precision;
    modes->count = capacity;
    modes->blocks = blocks_of(capacity);
    NAIK_TRY(naik_new(comm, (size_t)modes->blocks * sizeof(naik_field *), "low modes",
                      (void **)&modes->block));
    NAIK_TRY(naik_new(comm, numbers, "low modes", (void **)&modes->lambda2));
    NAIK_TRY(naik_new(comm, numbers, "low modes", (void **)&modes->residual));
    *out = modes;
    return status;
done:
    naik_modes_destroy(&modes);
    return status;
}

naik_status naik_modes_take_back(naik_modes *modes)
{
    for (int b = 0; b < modes->blocks; b++) {
        if (modes->block[b] == NULL) {
            NAIK_PASS(naik_field_create_bare(modes->geometry, modes->precision, NAIK_MODES_BLOCK,
                                             &modes->block[b]));
        }
    }
    return NAIK_OK;
}

void naik_modes_give_back(naik_modes *modes, int count)
{
    for (int b = blocks_of(count); b < modes->blocks; b++) {
        naik_field_destroy(&modes->block[b]);
    }
}

naik_status naik_modes_create(const naik_geometry *geometry, naik_precision precision, int capacity,
                              naik_modes **out)
{
    naik_status status = NAIK_OK;
    NAIK_TRY(create_empty(geometry, precision, capacity, out));
    NAIK_TRY(naik_modes_take_back(*out));
done:
    if (status != NAIK_OK) {
        naik_modes_destroy(out);
    }
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

naik_status naik_modes_copy_block(naik_field *to, const naik_field *from)
{
    const naik_backend_ops *ops = to->geometry->backend->ops;
    return naik_field_has_bricks(to)     ? ops->modes.round(to, from)
           : naik_field_has_bricks(from) ? ops->modes.widen(to, from)
                                         : ops->field.copy(to, from, NULL, NAIK_RHS_IDLE);
}

naik_status naik_modes_copy(const naik_modes *from, naik_modes *to)
{
    for (int b = 0; b < to->blocks && b < from->blocks; b++) {
        NAIK_PASS(naik_modes_copy_block(to->block[b], from->block[b]));
    }
    for (int i = 0; i < to->count && i < from->count; i++) {
        to->lambda2[i] = from->lambda2[i];
        to->residual[i] = from->residual[i];
    }
    return NAIK_OK;
}

/* from[i]: the mode that comes to place i; a permutation, whatever the numbers are. */
static void order_of(const naik_modes *modes, int *from)
{
    for (int i = 0; i < modes->count; i++) {
        int at = i;
        for (; at > 0 && modes->lambda2[from[at - 1]] > modes->lambda2[i]; at--) {
            from[at] = from[at - 1];
        }
        from[at] = i;
    }
}

/* Mode i = mode j. */
static naik_status copy_mode(naik_modes *modes, int i, int j)
{
    modes->lambda2[i] = modes->lambda2[j];
    modes->residual[i] = modes->residual[j];
    return modes->geometry->backend->ops->field.copy_rhs(
        modes->block[i / NAIK_MODES_BLOCK], i % NAIK_MODES_BLOCK,
        modes->block[j / NAIK_MODES_BLOCK], j % NAIK_MODES_BLOCK);
}

/* The modes of a cycle of `from` each to its place; those that are there have from[i] = i. */
static naik_status turn_cycle(naik_modes *modes, int *from, int first, naik_field *spare)
{
    const naik_field_ops *ops = &modes->geometry->backend->ops->field;
    naik_field **const block = modes->block;
    const double value = modes->lambda2[first], residual = modes->residual[first];
    int i = first;
    NAIK_PASS(ops->copy_rhs(spare, 0, block[i / NAIK_MODES_BLOCK], i % NAIK_MODES_BLOCK));
    while (from[i] != first) {
        const int next = from[i];
        NAIK_PASS(copy_mode(modes, i, next));
        from[i] = i;
        i = next;
    }
    NAIK_PASS(ops->copy_rhs(block[i / NAIK_MODES_BLOCK], i % NAIK_MODES_BLOCK, spare, 0));
    modes->lambda2[i] = value;
    modes->residual[i] = residual;
    from[i] = i;
    return NAIK_OK;
}

naik_status naik_modes_sort(naik_modes *modes, naik_field *spare)
{
    naik_status status = NAIK_OK;
    const naik_backend *backend = modes->geometry->backend;
    const naik_field_ops *ops = &backend->ops->field;
    int *from = NULL;
    NAIK_TRY(naik_new(backend->comm, (size_t)modes->count * sizeof *from, "the order of modes",
                      (void **)&from));
    order_of(modes, from);
    for (int i = 0; i < modes->count; i++) {
        if (from[i] != i) {
            NAIK_TRY(turn_cycle(modes, from, i, spare));
        }
    }
    NAIK_TRY(ops->zero(spare, NULL, NAIK_RHS_IDLE));
    for (int i = modes->count; i < blocks_of(modes->count) * NAIK_MODES_BLOCK; i++) {
        NAIK_TRY(ops->copy_rhs(modes->block[i / NAIK_MODES_BLOCK], i % NAIK_MODES_BLOCK, spare, 0));
    }
done:
    free(from);
    return status;
}

naik_status naik_modes_round(naik_modes **from, naik_modes **to)
{
    naik_status status = NAIK_OK;
    naik_modes *old = *from;
    NAIK_TRY(create_empty(old->geometry, NAIK_HALF, old->count, to));
    for (int b = 0; b < (*to)->blocks; b++) {
        NAIK_TRY(
            naik_field_create_bare(old->geometry, NAIK_HALF, NAIK_MODES_BLOCK, &(*to)->block[b]));
        NAIK_TRY(naik_modes_copy_block((*to)->block[b], old->block[b]));
        naik_field_destroy(&old->block[b]);
    }
    memcpy((*to)->lambda2, old->lambda2, (size_t)old->count * sizeof(double));
    memcpy((*to)->residual, old->residual, (size_t)old->count * sizeof(double));
    naik_modes_destroy(from);
done:
    if (status != NAIK_OK) {
        naik_modes_destroy(to);
    }
    return status;
}

size_t naik_modes_bytes(const naik_geometry *geometry, naik_precision precision, int capacity)
{
    return (size_t)blocks_of(capacity) *
           geometry->backend->ops->modes.bytes(geometry->lattice, precision, NAIK_MODES_BLOCK);
}

static naik_status allocate(naik_modes_work *work)
{
    naik_backend *backend = work->geometry->backend;
    const size_t numbers = (size_t)work->modes * (size_t)work->nrhs * 2;
    work->words = malloc(numbers * sizeof *work->words);
    work->numbers = malloc(numbers * sizeof *work->numbers);
    if (work->words == NULL || work->numbers == NULL) {
        return NAIK_FAIL(backend->log, NAIK_ERR_MEMORY, "no memory for products with %d modes",
                         work->modes);
    }
    NAIK_PASS(naik_backend_alloc(backend, numbers * sizeof(int64_t), "products with modes",
                                 (void **)&work->products));
    NAIK_PASS(naik_backend_alloc(backend, numbers * sizeof(double), "coefficients of modes",
                                 (void **)&work->coefficients));
    return naik_backend_alloc(backend, (size_t)work->nrhs * sizeof(naik_exactsum),
                              "norms of vectors", (void **)&work->sums);
}

naik_status naik_modes_work_create(const naik_geometry *geometry, int modes, int nrhs,
                                   naik_modes_work **out)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = geometry->backend->comm;
    naik_modes_work *work = NULL;
    *out = NULL;
    NAIK_TRY(naik_new(comm, sizeof *work, "work on modes", (void **)&work));
    work->geometry = geometry;
    work->modes = blocks_of(modes) * NAIK_MODES_BLOCK;
    work->nrhs = nrhs;
    NAIK_TRY(naik_comm_agree(comm, allocate(work)));
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
    naik_backend_release(w->geometry->backend, w->aside);
    free(w->words);
    free(w->numbers);
    free(w);
    *work = NULL;
}

/* Of rotating so many modes. */
static size_t aside_bytes(const naik_geometry *geometry, int modes)
{
    const naik_mode_ops *ops = &geometry->backend->ops->modes;
    return ops->rotate_bytes != NULL ? ops->rotate_bytes(geometry->lattice, blocks_of(modes)) : 0;
}

naik_status naik_modes_work_rotates(naik_modes_work *work)
{
    naik_backend *backend = work->geometry->backend;
    const size_t bytes = aside_bytes(work->geometry, work->modes);
    if (bytes == 0 || work->aside != NULL) {
        return NAIK_OK;
    }
    work->aside_bytes = bytes;
    return naik_comm_agree(backend->comm,
                           naik_backend_alloc(backend, bytes, "modes aside", &work->aside));
}

size_t naik_modes_work_bytes(const naik_geometry *geometry, int modes, int nrhs, bool rotates)
{
    const size_t rows = (size_t)blocks_of(modes) * NAIK_MODES_BLOCK, columns = (size_t)nrhs;
    return rows * columns * 2 * (sizeof(int64_t) + sizeof(double)) +
           columns * sizeof(naik_exactsum) + (rotates ? aside_bytes(geometry, modes) : 0);
}

size_t naik_modes_work_host_bytes(int modes, int nrhs)
{
    return (size_t)blocks_of(modes) * NAIK_MODES_BLOCK * (size_t)nrhs * 2 *
           (sizeof(int64_t) + sizeof(double));
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

/* No backend has kernels for modes that are stored otherwise, and one would read them as something else. */
static naik_status check_modes(const naik_modes_work *work, naik_field *const *block)
{
    return block[0]->precision == NAIK_SINGLE || naik_field_has_bricks(block[0])
               ? NAIK_OK
               : NAIK_FAIL(work->geometry->backend->log, NAIK_ERR_ARG,
                           "modes in %s precision, where single precision or bricks are wanted",
                           naik_precision_name(block[0]->precision));
}

naik_status naik_modes_norms(naik_modes_work *work, const naik_field *r, double *norm2)
{
    naik_backend *backend = work->geometry->backend;
    const naik_reduction_ops *ops = &backend->ops->reduction;
    NAIK_PASS(check_shape(work, 1, r));
    NAIK_PASS(ops->clear(backend, work->sums, r->nrhs));
    NAIK_PASS(ops->dot(r, r, NULL, NAIK_RHS_IDLE, work->sums));
    NAIK_PASS(ops->over_ranks(backend, work->sums, r->nrhs));
    return ops->values(backend, work->sums, r->nrhs, norm2);
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
    naik_backend *backend = work->geometry->backend;
    const int nrhs = r->nrhs, blocks = blocks_of(count);
    const int numbers = count * nrhs * 2;
    double scale[NAIK_MAX_RHS];
    NAIK_PASS(check_shape(work, count, r));
    NAIK_PASS(check_modes(work, block));
    for (int j = 0; j < nrhs; j++) {
        scale[j] = scale_of(norm2[j], largest);
    }
    NAIK_PASS(backend->ops->modes.project((const naik_field *const *)block, blocks, r, scale,
                                          work->products));
    NAIK_PASS(naik_backend_download(backend, work->words, work->products,
                                    (size_t)numbers * sizeof *work->words));
    for (int i = 0; i < numbers; i++) { /* of an rhs that is left out there may be anything */
        work->words[i] = scale[i / 2 % nrhs] > 0 ? work->words[i] : 0;
    }
    NAIK_PASS(naik_comm_sum_i64(backend->comm, work->words, numbers));
    for (int i = 0; i < count * nrhs; i++) {
        const double s = scale[i % nrhs] > 0 ? scale[i % nrhs] : 1;
        c[i] = (naik_complex){(double)work->words[2 * i] / s, (double)work->words[2 * i + 1] / s};
    }
    return NAIK_OK;
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
    NAIK_PASS(check_shape(work, count, x));
    NAIK_PASS(check_modes(work, block));
    NAIK_PASS(upload(work, c, count, x->nrhs));
    return work->geometry->backend->ops->modes.add(
        (const naik_field *const *)block, blocks_of(count), work->coefficients, x, rhs, state);
}

naik_status naik_modes_rotate(naik_modes_work *work, naik_field *const *block, int count,
                              const naik_complex *q, int kept)
{
    NAIK_PASS(naik_modes_work_rotates(work));
    NAIK_PASS(upload(work, q, count, kept));
    return work->geometry->backend->ops->modes.rotate(block, blocks_of(count), work->coefficients,
                                                      kept, work->aside, work->aside_bytes);
}
