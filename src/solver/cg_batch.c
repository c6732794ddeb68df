/* cg_batch.c - memory of the batched solver, and moving rhs */
#include "solver/cg_batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/field.h"
#include "base/memory.h"

naik_normal cg_normal(const naik_cg *cg, naik_rung rung)
{
    const cg_fields *f = rung == NAIK_RUNG_DOUBLE ? &cg->outer : &cg->low;
    return (naik_normal){
        .op = cg->op[rung], .parity = cg->parity, .scratch = {f->scratch[0], f->scratch[1]}};
}

naik_cg_vectors cg_vectors(const naik_cg *cg, naik_rung rung)
{
    const cg_fields *f = rung == NAIK_RUNG_DOUBLE ? &cg->outer : &cg->low;
    const bool classical = rung == NAIK_RUNG_CLASSICAL;
    return (naik_cg_vectors){
        .x = classical ? cg->outer.x : f->x, .r = f->r, .p = f->p, .ap = classical ? NULL : f->ap};
}

void cg_fields_of(const naik_cg *cg, naik_rung rung, naik_field *field[NAIK_SOLVER_VECTORS])
{
    const naik_cg_vectors v = cg_vectors(cg, rung);
    field[NAIK_SOLVER_X] = cg->outer.x;
    field[NAIK_SOLVER_CORRECTION] = v.x == cg->outer.x ? NULL : v.x;
    field[NAIK_SOLVER_RESIDUAL] = v.r;
    field[NAIK_SOLVER_DIRECTION] = v.p;
    field[NAIK_SOLVER_IMAGE] = v.ap;
    field[NAIK_SOLVER_SHADOW] = NULL;
}

static naik_status create_fields(const naik_cg *cg, naik_precision precision, cg_fields *out)
{
    naik_status status = NAIK_OK;
    const naik_geometry *g = cg->geometry;
    const int spin = cg->op[NAIK_RUNG_DOUBLE]->ops->spin;
    NAIK_TRY(naik_field_create_spin(g, precision, spin, cg->width, &out->x));
    NAIK_TRY(naik_field_create_spin(g, precision, spin, cg->width, &out->r));
    NAIK_TRY(naik_field_create_spin(g, precision, spin, cg->width, &out->p));
    NAIK_TRY(naik_field_create_spin(g, precision, spin, cg->width, &out->ap));
    for (int i = 0; i < cg->op[NAIK_RUNG_DOUBLE]->ops->scratch; i++) {
        NAIK_TRY(naik_field_create_spin(g, precision, spin, cg->width, &out->scratch[i]));
    }
done:
    return status;
}

static void destroy_fields(cg_fields *fields)
{
    for (int i = 0; i < NAIK_SCRATCH_MOST; i++) {
        naik_field_destroy(&fields->scratch[i]);
    }
    naik_field_destroy(&fields->ap);
    naik_field_destroy(&fields->p);
    naik_field_destroy(&fields->r);
    naik_field_destroy(&fields->x);
}

/* Whether an operator is another storage of `outer`. */
static bool fits(const naik_operator *outer, const naik_operator *op)
{
    return op->ops == NULL || (op->geometry == outer->geometry && op->ops == outer->ops &&
                               op->ops->depth(op) == outer->ops->depth(outer));
}

static naik_status check_create(const naik_operator op[NAIK_PRECISIONS], naik_precision vectors,
                                int width)
{
    const naik_operator *outer = &op[NAIK_DOUBLE];
    naik_log *log = outer->geometry->backend->log;
    if (outer->precision != NAIK_DOUBLE || !fits(outer, &op[NAIK_SINGLE]) ||
        !fits(outer, &op[NAIK_HALF])) {
        return NAIK_FAIL(log, NAIK_ERR_ARG,
                         "the solver needs its operator in double and all storages on one lattice");
    }
    if ((vectors != NAIK_DOUBLE) != (op[NAIK_SINGLE].ops != NULL || op[NAIK_HALF].ops != NULL)) {
        return NAIK_FAIL(log, NAIK_ERR_ARG, "no operator for an iteration on %s vectors",
                         naik_precision_name(vectors));
    }
    if (!naik_operator_is_fused(outer) && outer->geometry->backend->ops->solver.finish == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_ARG, "the %s operator has no steps on this backend",
                         outer->ops->name);
    }
    if (width < 1 || width > NAIK_MAX_RHS) {
        return NAIK_FAIL(log, NAIK_ERR_ARG, "a batch of %d: 1 to %d are possible", width,
                         NAIK_MAX_RHS);
    }
    return NAIK_OK;
}

static const naik_operator *there(const naik_operator *op)
{
    return op->ops != NULL ? op : NULL;
}

naik_status cg_create(const naik_operator op[NAIK_PRECISIONS], naik_precision vectors, int width,
                      naik_solver **out)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = op[NAIK_DOUBLE].geometry->backend;
    *out = NULL;
    naik_cg *cg = NULL;
    NAIK_TRY(check_create(op, vectors, width));
    cg = calloc(1, sizeof *cg);
    if (cg == NULL) {
        status = NAIK_FAIL(backend->log, NAIK_ERR_MEMORY, "no memory for the solver");
    }
    status = naik_comm_agree(backend->comm, status);
    if (status != NAIK_OK) {
        free(cg);
        return status;
    }
    cg->geometry = op[NAIK_DOUBLE].geometry;
    cg->vectors = vectors;
    cg->width = width;
    cg->op[NAIK_RUNG_HALF] = there(&op[NAIK_HALF]);
    cg->op[NAIK_RUNG_SINGLE] = cg->op[NAIK_RUNG_CLASSICAL] = there(&op[NAIK_SINGLE]);
    cg->op[NAIK_RUNG_DOUBLE] = &op[NAIK_DOUBLE];
    NAIK_TRY(naik_field_create_spin(cg->geometry, NAIK_DOUBLE, op[NAIK_DOUBLE].ops->spin, width,
                                    &cg->b));
    NAIK_TRY(create_fields(cg, NAIK_DOUBLE, &cg->outer));
    if (cg_is_mixed(cg)) {
        NAIK_TRY(create_fields(cg, vectors, &cg->low));
    }
    status = naik_backend_alloc(backend, (size_t)width * sizeof *cg->rhs, "solver scalars",
                                (void **)&cg->rhs);
    if (status == NAIK_OK) {
        status = naik_backend_alloc(backend, CG_SUMS * (size_t)width * sizeof *cg->sums,
                                    "solver sums", (void **)&cg->sums);
    }
    NAIK_TRY(naik_comm_agree(backend->comm, status));
    *out = &cg->base;
    cg = NULL;
done:
    if (cg != NULL) {
        cg_destroy(&cg->base);
    }
    return status;
}

void cg_destroy(naik_solver *solver)
{
    naik_cg *cg = (naik_cg *)solver;
    naik_backend *backend = cg->geometry->backend;
    destroy_fields(&cg->low);
    destroy_fields(&cg->outer);
    naik_field_destroy(&cg->b);
    naik_backend_release(backend, cg->rhs);
    naik_backend_release(backend, cg->sums);
    naik_backend_release(backend, cg->history);
    naik_free(cg->ring);
    for (int c = 0; c < NAIK_MAX_RHS; c++) {
        naik_free(cg->slot[c].history);
    }
    free(cg);
}

static void set_nrhs(const cg_fields *fields, int width)
{
    naik_field *const all[] = {fields->x,  fields->r,          fields->p,
                               fields->ap, fields->scratch[0], fields->scratch[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all && all[i] != NULL; i++) {
        naik_field_set_nrhs(all[i], width);
    }
}

static void set_width(naik_cg *cg, int width)
{
    naik_field_set_nrhs(cg->b, width);
    set_nrhs(&cg->outer, width);
    if (cg_is_mixed(cg)) {
        set_nrhs(&cg->low, width);
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
        naik_backend_release(backend, cg->history);
        naik_free(cg->ring);
        cg->history = NULL;
        cg->ring = NULL;
        NAIK_TRY(naik_backend_alloc(backend, ring * sizeof *cg->history, "residual history",
                                    (void **)&cg->history));
        NAIK_TRY(naik_alloc(backend->log, ring * sizeof *cg->ring, "residual history",
                            (void **)&cg->ring));
        /* rhs that rest write no rows, but all rows are read */
        NAIK_TRY(naik_backend_upload(backend, cg->history, cg->ring, ring * sizeof *cg->ring));
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

naik_status cg_begin(naik_cg *cg, naik_parity parity, const naik_solver_options *options,
                     int64_t count)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = cg->geometry->backend;
    cg->parity = parity;
    cg->now = cg_rung_from(cg, NAIK_RUNG_HALF);
    cg->poll = options->poll_interval > 0 ? options->poll_interval : backend->ops->poll_interval;
    /* a poll costs nothing where memory is the host's */
    const bool fixed = options->poll_interval > 0 || backend->ops->host_memory;
    cg->longest = fixed ? cg->poll : LONGEST * cg->poll;
    cg->history_stride = options->history_stride;
    cg->next = 0;
    cg->open = false;
    cg->missed = 0;
    NAIK_TRY(naik_comm_agree(backend->comm, reserve_history(cg)));
    set_width(cg, count < cg->width ? (int)(count > 0 ? count : 1) : cg->width);
    memset(cg->record, 0, sizeof cg->record);
    NAIK_TRY(cg_rhs_upload(cg));
done:
    return status;
}

naik_status cg_check_system(naik_cg *cg, const naik_solver_system *system)
{
    if (!(system->shift >= 0) || !(system->tolerance > 0) || !(system->site_tolerance >= 0)) {
        return NAIK_FAIL(cg->geometry->backend->log, NAIK_ERR_ARG,
                         "a system needs a shift of at least 0 and a positive tolerance");
    }
    return NAIK_OK;
}

naik_status cg_rhs_upload(naik_cg *cg)
{
    naik_backend *backend = cg->geometry->backend;
    return naik_backend_upload(backend, cg->rhs, cg->record,
                               (size_t)cg->width_now * sizeof *cg->record);
}

naik_status cg_rhs_download(naik_cg *cg)
{
    naik_backend *backend = cg->geometry->backend;
    return naik_backend_download(backend, cg->record, cg->rhs,
                                 (size_t)cg->width_now * sizeof *cg->record);
}

int cg_rhs_in_state(const naik_cg *cg, naik_rhs_state state)
{
    int count = 0;
    for (int c = 0; c < cg->width_now; c++) {
        count += cg->record[c].state == (int32_t)state;
    }
    return count;
}

naik_status cg_dots(naik_cg *cg, const naik_field *v, const naik_field *w,
                    double dots[NAIK_MAX_RHS])
{
    naik_status status = NAIK_OK;
    naik_backend *backend = cg->geometry->backend;
    NAIK_TRY(backend->ops->reduction.clear(backend, cg->sums, cg->width_now));
    NAIK_TRY(backend->ops->reduction.dot(v, w, cg->sums));
    NAIK_TRY(backend->ops->reduction.over_ranks(backend, cg->sums, cg->width_now));
    NAIK_TRY(backend->ops->reduction.values(backend, cg->sums, cg->width_now, dots));
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
                (cg->record[c].state == NAIK_RHS_CHECK && cg->slot[c].system.site_tolerance > 0);
    }
    if (!asked) {
        return NAIK_OK;
    }
    NAIK_TRY(backend->ops->reduction.clear(backend, cg->sums, cg->width_now));
    NAIK_TRY(backend->ops->reduction.site_ratio(cg->outer.r, cg->outer.x, cg->sums));
    NAIK_TRY(backend->ops->reduction.over_ranks(backend, cg->sums, cg->width_now));
    NAIK_TRY(backend->ops->reduction.values(backend, cg->sums, cg->width_now, ratio));
    double sites = 0.5 * (double)cg->geometry->lattice->volume;
    for (int c = 0; c < cg->width_now; c++) {
        if (cg->record[c].state == NAIK_RHS_CHECK) {
            cg->slot[c].site_residual = sqrt(ratio[c] / sites);
        }
    }
done:
    return status;
}

/* field's rhs map[0..n-1], by way of `spare`, a field of the same precision whose content is
 * free. */
static naik_status narrow_field(naik_field **field, naik_field **spare, const int *map, int n)
{
    naik_field_set_nrhs(*spare, n);
    naik_status status = (*field)->geometry->backend->ops->field.gather(*spare, *field, map);
    naik_field *old = *field;
    *field = *spare;
    *spare = old;
    return status;
}

static naik_status narrow_fields(cg_fields *f, const int *map, int n)
{
    naik_status status = NAIK_OK;
    NAIK_TRY(narrow_field(&f->x, &f->scratch[0], map, n));
    NAIK_TRY(narrow_field(&f->r, &f->scratch[0], map, n));
    NAIK_TRY(narrow_field(&f->p, &f->scratch[0], map, n));
    NAIK_TRY(narrow_field(&f->ap, &f->scratch[0], map, n));
done:
    return status;
}

naik_status cg_narrow(naik_cg *cg)
{
    naik_status status = NAIK_OK;
    int map[NAIK_MAX_RHS], n = 0;
    for (int c = 0; c < cg->width_now; c++) {
        if (cg->record[c].state != NAIK_RHS_IDLE) {
            map[n++] = c;
        }
    }
    if (n == 0 || n == cg->width_now) {
        return NAIK_OK;
    }
    NAIK_TRY(narrow_field(&cg->b, &cg->outer.scratch[0], map, n));
    NAIK_TRY(narrow_fields(&cg->outer, map, n));
    if (cg_is_mixed(cg)) {
        NAIK_TRY(narrow_fields(&cg->low, map, n));
    }
    /* Slots own their history: swap, so that every one is still owned once. */
    for (int c = 0; c < n; c++) {
        cg->record[c] = cg->record[map[c]];
        cg_rhs_slot moved = cg->slot[map[c]];
        cg->slot[map[c]] = cg->slot[c];
        cg->slot[c] = moved;
    }
    set_width(cg, n);
    NAIK_TRY(cg_rhs_upload(cg));
done:
    return status;
}
