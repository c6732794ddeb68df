/* cg_batch.c - memory of the batched solver, and moving columns */
#include "cg_batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "naik/memory.h"

size_t naik_cg_bytes(const naik_geometry *geometry, naik_precision vectors, int width)
{
    const naik_backend_ops *ops = geometry->backend->ops;
    size_t outer = ops->field_bytes(geometry->lattice, NAIK_DOUBLE, width);
    size_t inner = ops->field_bytes(geometry->lattice, vectors, width);
    return 4 * outer + (vectors == NAIK_DOUBLE ? 2 : 5) * inner;
}

static naik_status create_fields(naik_cg *cg)
{
    naik_status status = NAIK_OK;
    const naik_geometry *g = cg->geometry;
    NAIK_TRY(naik_field_create(g, NAIK_DOUBLE, cg->width, &cg->b));
    NAIK_TRY(naik_field_create(g, NAIK_DOUBLE, cg->width, &cg->x));
    NAIK_TRY(naik_field_create(g, NAIK_DOUBLE, cg->width, &cg->r));
    NAIK_TRY(naik_field_create(g, NAIK_DOUBLE, cg->width, &cg->scratch));
    NAIK_TRY(naik_field_create(g, cg->vectors, cg->width, &cg->p));
    NAIK_TRY(naik_field_create(g, cg->vectors, cg->width, &cg->ap));
    if (cg->mixed) {
        NAIK_TRY(naik_field_create(g, cg->vectors, cg->width, &cg->xi));
        NAIK_TRY(naik_field_create(g, cg->vectors, cg->width, &cg->ri));
        NAIK_TRY(naik_field_create(g, cg->vectors, cg->width, &cg->inner_scratch));
    } else {
        cg->xi = cg->x;
        cg->ri = cg->r;
        cg->inner_scratch = cg->scratch;
    }
done:
    return status;
}

naik_status naik_cg_create(const naik_links *outer, const naik_links *inner, naik_precision vectors,
                           int width, naik_cg **out)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = outer->geometry->backend;
    *out = NULL;
    if (outer->precision != NAIK_DOUBLE || inner->geometry != outer->geometry ||
        inner->hops != outer->hops) {
        return NAIK_FAIL(backend->log, NAIK_ERR_ARG,
                         "the solver needs its outer links in double and both on one lattice");
    }
    if (width < 1 || width > NAIK_MAX_RHS) {
        return NAIK_FAIL(backend->log, NAIK_ERR_ARG, "a batch of %d: 1 to %d are possible", width,
                         NAIK_MAX_RHS);
    }
    naik_cg *cg = calloc(1, sizeof *cg);
    if (cg == NULL) {
        status = NAIK_FAIL(backend->log, NAIK_ERR_MEMORY, "no memory for the solver");
    }
    status = naik_comm_agree(backend->comm, status);
    if (status != NAIK_OK) {
        free(cg);
        return status;
    }
    cg->geometry = outer->geometry;
    cg->vectors = vectors;
    cg->mixed = vectors != NAIK_DOUBLE;
    cg->width = width;
    cg->outer.links = outer;
    cg->inner.links = inner;
    NAIK_TRY(create_fields(cg));
    status = backend->ops->alloc(backend, (size_t)width * sizeof *cg->columns, "solver scalars",
                                 (void **)&cg->columns);
    if (status == NAIK_OK) {
        status = backend->ops->alloc(backend, CG_SUMS * (size_t)width * sizeof *cg->sums,
                                     "solver sums", (void **)&cg->sums);
    }
    NAIK_TRY(naik_comm_agree(backend->comm, status));
    *out = cg;
done:
    if (status != NAIK_OK) {
        naik_cg_destroy(&cg);
    }
    return status;
}

void naik_cg_destroy(naik_cg **cg_pointer)
{
    naik_cg *cg = *cg_pointer;
    if (cg == NULL) {
        return;
    }
    naik_backend *backend = cg->geometry->backend;
    if (cg->mixed) {
        naik_field_destroy(&cg->xi);
        naik_field_destroy(&cg->ri);
        naik_field_destroy(&cg->inner_scratch);
    }
    naik_field_destroy(&cg->ap);
    naik_field_destroy(&cg->p);
    naik_field_destroy(&cg->scratch);
    naik_field_destroy(&cg->r);
    naik_field_destroy(&cg->x);
    naik_field_destroy(&cg->b);
    backend->ops->release(backend, cg->columns);
    backend->ops->release(backend, cg->sums);
    backend->ops->release(backend, cg->history);
    naik_free(cg->ring);
    for (int c = 0; c < NAIK_MAX_RHS; c++) {
        naik_free(cg->slot[c].history);
    }
    free(cg);
    *cg_pointer = NULL;
}

static void set_width(naik_cg *cg, int width)
{
    naik_field *fields[] = {cg->b,  cg->x, cg->r,  cg->scratch,      cg->xi,
                            cg->ri, cg->p, cg->ap, cg->inner_scratch};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        naik_field_set_nrhs(fields[i], width);
    }
    cg->width_now = width;
    cg->serial = naik_backend_serial(cg->geometry->backend);
}

/* Room for the history that this solve keeps; made once and kept for the next. */
static naik_status reserve_history(naik_cg *cg)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = cg->geometry->backend;
    size_t ring = (size_t)cg->longest * (size_t)cg->width;
    if (cg->history_stride == 0) {
        return NAIK_OK;
    }
    if (ring > cg->history_capacity) {
        backend->ops->release(backend, cg->history);
        naik_free(cg->ring);
        cg->history = NULL;
        cg->ring = NULL;
        NAIK_TRY(backend->ops->alloc(backend, ring * sizeof *cg->history, "residual history",
                                     (void **)&cg->history));
        NAIK_TRY(naik_alloc(backend->log, ring * sizeof *cg->ring, "residual history",
                            (void **)&cg->ring));
        /* columns that rest write no rows, but all rows are read */
        NAIK_TRY(backend->ops->upload(backend, cg->history, cg->ring, ring * sizeof *cg->ring));
        cg->history_capacity = ring;
    }
    for (int c = 0; (size_t)cg->history_stride > cg->slot_history_capacity && c < cg->width; c++) {
        naik_free(cg->slot[c].history);
        cg->slot[c].history = NULL;
        NAIK_TRY(naik_alloc(backend->log, (size_t)cg->history_stride * sizeof(double),
                            "residual history", (void **)&cg->slot[c].history));
    }
    if ((size_t)cg->history_stride > cg->slot_history_capacity) {
        cg->slot_history_capacity = (size_t)cg->history_stride;
    }
done:
    return status;
}

/* At most so many poll intervals lie between two polls. */
enum { LONGEST = 5 };

naik_status cg_begin(naik_cg *cg, naik_parity parity, const naik_cg_options *options, int64_t count)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = cg->geometry->backend;
    cg->outer.parity = cg->inner.parity = parity;
    cg->outer.scratch = cg->scratch;
    cg->inner.scratch = cg->inner_scratch;
    cg->poll = options->poll_interval > 0 ? options->poll_interval : backend->ops->poll_interval;
    /* a look costs nothing where memory is the host's */
    const bool fixed = options->poll_interval > 0 || backend->ops->host_memory;
    cg->longest = fixed ? cg->poll : LONGEST * cg->poll;
    cg->history_stride = options->history_stride;
    cg->next = 0;
    cg->open = false;
    NAIK_TRY(naik_comm_agree(backend->comm, reserve_history(cg)));
    set_width(cg, count < cg->width ? (int)(count > 0 ? count : 1) : cg->width);
    memset(cg->record, 0, sizeof cg->record);
    NAIK_TRY(cg_columns_upload(cg));
done:
    return status;
}

naik_status cg_check_system(naik_cg *cg, const naik_cg_system *system)
{
    if (!(system->shift > 0) || !(system->tolerance > 0) || !(system->site_tolerance >= 0)) {
        return NAIK_FAIL(cg->geometry->backend->log, NAIK_ERR_ARG,
                         "a system needs a positive shift and a positive tolerance");
    }
    return NAIK_OK;
}

naik_status cg_columns_upload(naik_cg *cg)
{
    naik_backend *backend = cg->geometry->backend;
    return backend->ops->upload(backend, cg->columns, cg->record,
                                (size_t)cg->width_now * sizeof *cg->record);
}

naik_status cg_columns_download(naik_cg *cg)
{
    naik_backend *backend = cg->geometry->backend;
    return backend->ops->download(backend, cg->record, cg->columns,
                                  (size_t)cg->width_now * sizeof *cg->record);
}

naik_status cg_dots(naik_cg *cg, const naik_field *v, const naik_field *w,
                    double dots[NAIK_MAX_RHS])
{
    naik_status status = NAIK_OK;
    naik_backend *backend = cg->geometry->backend;
    NAIK_TRY(backend->ops->sums_clear(backend, cg->sums, cg->width_now));
    NAIK_TRY(backend->ops->dot(v, w, cg->sums));
    NAIK_TRY(backend->ops->sums_reduce(backend, cg->sums, cg->width_now));
    NAIK_TRY(backend->ops->sums_values(backend, cg->sums, cg->width_now, dots));
done:
    return status;
}

naik_status cg_site_residuals(naik_cg *cg)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = cg->geometry->backend;
    bool asked = false;
    double ratio[NAIK_MAX_RHS];
    for (int c = 0; c < cg->width_now; c++) {
        asked = asked ||
                (cg->record[c].state == NAIK_COLUMN_CHECK && cg->slot[c].system.site_tolerance > 0);
    }
    if (!asked) {
        return NAIK_OK;
    }
    NAIK_TRY(backend->ops->sums_clear(backend, cg->sums, cg->width_now));
    NAIK_TRY(backend->ops->site_ratio(cg->r, cg->x, cg->sums));
    NAIK_TRY(backend->ops->sums_reduce(backend, cg->sums, cg->width_now));
    NAIK_TRY(backend->ops->sums_values(backend, cg->sums, cg->width_now, ratio));
    double sites = 0.5 * (double)cg->geometry->lattice->volume;
    for (int c = 0; c < cg->width_now; c++) {
        if (cg->record[c].state == NAIK_COLUMN_CHECK) {
            cg->slot[c].site_residual = sqrt(ratio[c] / sites);
        }
    }
done:
    return status;
}

/* field's columns map[0..n-1], by way of `spare`, a field of the same precision whose content is
 * free. */
static naik_status narrow_field(naik_field **field, naik_field **spare, const int *map, int n)
{
    naik_field_set_nrhs(*spare, n);
    naik_status status = (*field)->geometry->backend->ops->field_gather(*spare, *field, map);
    naik_field *old = *field;
    *field = *spare;
    *spare = old;
    return status;
}

naik_status cg_narrow(naik_cg *cg)
{
    naik_status status = NAIK_OK;
    int map[NAIK_MAX_RHS], n = 0;
    for (int c = 0; c < cg->width_now; c++) {
        if (cg->record[c].state != NAIK_COLUMN_IDLE) {
            map[n++] = c;
        }
    }
    if (n == 0 || n == cg->width_now) {
        return NAIK_OK;
    }
    NAIK_TRY(narrow_field(&cg->b, &cg->scratch, map, n));
    NAIK_TRY(narrow_field(&cg->x, &cg->scratch, map, n));
    NAIK_TRY(narrow_field(&cg->r, &cg->scratch, map, n));
    if (cg->mixed) {
        NAIK_TRY(narrow_field(&cg->p, &cg->inner_scratch, map, n));
        NAIK_TRY(narrow_field(&cg->ap, &cg->inner_scratch, map, n));
        NAIK_TRY(narrow_field(&cg->xi, &cg->inner_scratch, map, n));
        NAIK_TRY(narrow_field(&cg->ri, &cg->inner_scratch, map, n));
    } else {
        NAIK_TRY(narrow_field(&cg->p, &cg->scratch, map, n));
        NAIK_TRY(narrow_field(&cg->ap, &cg->scratch, map, n));
        cg->xi = cg->x;
        cg->ri = cg->r;
        cg->inner_scratch = cg->scratch;
    }
    /* Slots own their history: swap, so that every one is still owned once. */
    for (int c = 0; c < n; c++) {
        cg->record[c] = cg->record[map[c]];
        cg_slot moved = cg->slot[map[c]];
        cg->slot[map[c]] = cg->slot[c];
        cg->slot[c] = moved;
    }
    set_width(cg, n);
    cg->outer.scratch = cg->scratch;
    cg->inner.scratch = cg->inner_scratch;
    NAIK_TRY(cg_columns_upload(cg));
done:
    return status;
}
