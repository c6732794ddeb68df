/* batch.c - the memory of a batch, and moving right-hand sides about in it */
#include "solver/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/field.h"
#include "base/memory.h"
#include "comm/new.h"

size_t naik_solver_bytes(const naik_solver_kind *kind, const naik_operator_ops *ops,
                         const naik_geometry *geometry, naik_precision vectors, int width)
{
    const naik_field_ops *field = &geometry->backend->ops->field;
    const size_t outer = field->bytes(geometry->lattice, NAIK_DOUBLE, ops->spin * width);
    const size_t low = field->bytes(geometry->lattice, vectors, ops->spin * width);
    const size_t fields = (size_t)kind->fields(ops);
    return (1 + fields) * outer + (vectors == NAIK_DOUBLE ? 0 : fields * low); /* with b */
}

/* Whether an operator is another storage of `outer`. */
static bool fits(const naik_operator *outer, const naik_operator *op)
{
    return op->ops == NULL || (op->geometry == outer->geometry && op->ops == outer->ops &&
                               op->ops->depth(op) == outer->ops->depth(outer));
}

static naik_status check_create(const naik_solver_kind *kind,
                                const naik_operator op[NAIK_PRECISIONS], naik_precision vectors,
                                int width)
{
    const naik_operator *outer = &op[NAIK_DOUBLE];
    naik_log *log = outer->geometry->backend->log;
    const int most = NAIK_MAX_RHS / outer->ops->spin;
    if (outer->precision != NAIK_DOUBLE || !fits(outer, &op[NAIK_SINGLE]) ||
        !fits(outer, &op[NAIK_HALF])) {
        return NAIK_FAIL(log, NAIK_ERR_ARG,
                         "the solver needs its operator in double and all storages on one lattice");
    }
    if ((vectors != NAIK_DOUBLE) != (op[NAIK_SINGLE].ops != NULL || op[NAIK_HALF].ops != NULL)) {
        return NAIK_FAIL(log, NAIK_ERR_ARG, "no operator for an iteration on %s vectors",
                         naik_precision_name(vectors));
    }
    if (!kind->takes(outer)) {
        return NAIK_FAIL(log, NAIK_ERR_ARG, "%s has no steps for the %s operator on this backend",
                         kind->name, outer->ops->name);
    }
    if (width < 1 || width > most) {
        return NAIK_FAIL(log, NAIK_ERR_ARG, "a batch of %d: 1 to %d are possible", width, most);
    }
    return NAIK_OK;
}

static naik_status create_fields(const naik_solver *s, naik_precision precision, batch_fields *out)
{
    for (int i = 0; i < s->fields; i++) {
        NAIK_PASS(naik_field_create_spin(s->geometry, precision, s->op[NAIK_RUNG_DOUBLE]->ops->spin,
                                         s->width, &out->field[i]));
    }
    return NAIK_OK;
}

static naik_status allocate_scalars(naik_solver *s)
{
    naik_backend *backend = s->geometry->backend;
    const size_t width = (size_t)s->width, sums = (size_t)s->kind->sums * width;
    NAIK_PASS(
        naik_backend_alloc(backend, width * sizeof *s->rhs, "solver scalars", (void **)&s->rhs));
    NAIK_PASS(
        naik_backend_alloc(backend, width * sizeof *s->mask, "solver scalars", (void **)&s->mask));
    return naik_backend_alloc(backend, sums * sizeof *s->sums, "solver sums", (void **)&s->sums);
}

static const naik_operator *there(const naik_operator *op)
{
    return op->ops != NULL ? op : NULL;
}

naik_status naik_solver_create(const naik_solver_kind *kind,
                               const naik_operator op[NAIK_PRECISIONS], naik_precision vectors,
                               int width, naik_solver **out)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = op[NAIK_DOUBLE].geometry->backend;
    naik_solver *s = NULL;
    *out = NULL;
    NAIK_TRY(check_create(kind, op, vectors, width));
    NAIK_TRY(naik_new(backend->comm, sizeof *s, "the solver", (void **)&s));
    s->kind = kind;
    s->geometry = op[NAIK_DOUBLE].geometry;
    s->vectors = vectors;
    s->width = width;
    s->fields = kind->fields(op[NAIK_DOUBLE].ops);
    s->op[NAIK_RUNG_HALF] = there(&op[NAIK_HALF]);
    s->op[NAIK_RUNG_SINGLE] = s->op[NAIK_RUNG_CLASSICAL] = there(&op[NAIK_SINGLE]);
    s->op[NAIK_RUNG_DOUBLE] = &op[NAIK_DOUBLE];
    NAIK_TRY(
        naik_field_create_spin(s->geometry, NAIK_DOUBLE, op[NAIK_DOUBLE].ops->spin, width, &s->b));
    NAIK_TRY(create_fields(s, NAIK_DOUBLE, &s->outer));
    if (batch_is_mixed(s)) {
        NAIK_TRY(create_fields(s, vectors, &s->low));
    } else {
        s->low = s->outer;
    }
    NAIK_TRY(naik_comm_agree(backend->comm, allocate_scalars(s)));
    if (kind->create != NULL) {
        NAIK_TRY(kind->create(s));
    }
    *out = s;
    s = NULL;
done:
    naik_solver_destroy(&s);
    return status;
}

void naik_solver_destroy(naik_solver **solver)
{
    naik_solver *s = *solver;
    if (s == NULL) {
        return;
    }
    naik_backend *backend = s->geometry->backend;
    if (s->kind->destroy != NULL) {
        s->kind->destroy(s);
    }
    for (int i = 0; i < BATCH_FIELDS; i++) {
        if (s->low.field[i] != s->outer.field[i]) {
            naik_field_destroy(&s->low.field[i]);
        }
        naik_field_destroy(&s->outer.field[i]);
    }
    naik_field_destroy(&s->b);
    naik_backend_release(backend, s->rhs);
    naik_backend_release(backend, s->mask);
    naik_backend_release(backend, s->sums);
    naik_backend_release(backend, s->history);
    naik_free(s->ring);
    for (int c = 0; c < NAIK_MAX_RHS; c++) {
        naik_free(s->slot[c].state.history);
    }
    free(s);
    *solver = NULL;
}

naik_rung batch_rung_from(const naik_solver *s, naik_rung rung)
{
    int at = (int)rung;
    while (s->op[at] == NULL) {
        at++;
    }
    return (naik_rung)at;
}

int batch_in_state(const naik_solver *s, naik_rhs_state state)
{
    int count = 0;
    for (int c = 0; c < s->width_now; c++) {
        count += s->record[c].state == (int32_t)state;
    }
    return count;
}

bool batch_took_all(const naik_solver *s, const int before[], int count)
{
    for (int c = 0; c < s->width_now; c++) {
        if (s->record[c].iterations - before[c] != count) {
            return false;
        }
    }
    return true;
}

naik_status batch_repeated(const naik_solver *s, bool whole)
{
    naik_backend *backend = s->geometry->backend;
    return backend->ops->solver.repeated != NULL ? backend->ops->solver.repeated(backend, whole)
                                                 : NAIK_OK;
}

static void set_width(naik_solver *s, int width)
{
    naik_field_set_nrhs(s->b, width);
    for (int i = 0; i < s->fields; i++) {
        naik_field_set_nrhs(s->outer.field[i], width);
        naik_field_set_nrhs(s->low.field[i], width);
    }
    s->width_now = width;
    s->serial = naik_backend_serial(s->geometry->backend);
}

/* Room for the history that this solve keeps; made once and kept for the next. */
static naik_status reserve_history(naik_solver *s)
{
    naik_backend *backend = s->geometry->backend;
    const size_t ring = (size_t)s->longest * (size_t)s->width, stride = (size_t)s->history_stride;
    const char *what = "residual history";
    if (stride > 0 && ring > s->history_capacity) {
        naik_backend_release(backend, s->history);
        naik_free(s->ring);
        s->history = s->ring = NULL;
        s->history_capacity = 0;
        NAIK_PASS(
            naik_backend_alloc(backend, ring * sizeof *s->history, what, (void **)&s->history));
        NAIK_PASS(naik_alloc(backend->log, ring * sizeof *s->ring, what, (void **)&s->ring));
        /* rhs that rest write no rows, but all rows are read */
        NAIK_PASS(naik_backend_upload(backend, s->history, s->ring, ring * sizeof *s->ring));
        s->history_capacity = ring;
    }
    for (int c = 0; stride > s->slot_history_capacity && c < s->width; c++) {
        double **history = &s->slot[c].state.history;
        naik_free(*history);
        *history = NULL;
        NAIK_PASS(naik_alloc(backend->log, stride * sizeof **history, what, (void **)history));
    }
    s->slot_history_capacity =
        stride > s->slot_history_capacity ? stride : s->slot_history_capacity;
    return NAIK_OK;
}

naik_status batch_begin(naik_solver *s, naik_parity parity, const naik_solver_options *options,
                        int64_t count)
{
    naik_backend *backend = s->geometry->backend;
    s->parity = parity;
    s->now = 0;
    s->poll = options->poll_interval > 0 ? options->poll_interval : backend->ops->poll_interval;
    s->longest = s->poll;
    s->history_stride = options->history_stride;
    s->next = 0;
    s->open = false;
    s->missed = 0;
    if (s->kind->begin != NULL) {
        s->kind->begin(s, options);
    }
    NAIK_PASS(naik_comm_agree(backend->comm, reserve_history(s)));
    set_width(s, count < s->width ? (int)(count > 0 ? count : 1) : s->width);
    memset(s->record, 0, sizeof s->record);
    return batch_upload(s);
}

naik_status batch_upload(naik_solver *s)
{
    NAIK_PASS(naik_backend_upload(s->geometry->backend, s->rhs, s->record,
                                  (size_t)s->width_now * sizeof *s->record));
    if (s->kind->upload != NULL) {
        NAIK_PASS(s->kind->upload(s));
    }
    return NAIK_OK;
}

naik_status batch_download(naik_solver *s)
{
    NAIK_PASS(naik_backend_download(s->geometry->backend, s->record, s->rhs,
                                    (size_t)s->width_now * sizeof *s->record));
    if (s->kind->download != NULL) {
        NAIK_PASS(s->kind->download(s));
    }
    return NAIK_OK;
}

naik_status batch_set_mask(naik_solver *s, const bool wanted[NAIK_MAX_RHS])
{
    naik_rhs mask[NAIK_MAX_RHS];
    bool known = true;
    memset(mask, 0, sizeof mask);
    for (int c = 0; c < s->width_now; c++) {
        mask[c].state = wanted[c] ? NAIK_RHS_CHECK : NAIK_RHS_IDLE;
        known = known && s->masked[c] == 1 + mask[c].state;
    }
    if (known) {
        return NAIK_OK; /* an upload waits for the device */
    }
    memset(s->masked, 0, sizeof s->masked); /* nor is it known after an upload that failed */
    NAIK_PASS(naik_backend_upload(s->geometry->backend, s->mask, mask,
                                  (size_t)s->width_now * sizeof *mask));
    for (int c = 0; c < s->width_now; c++) {
        s->masked[c] = 1 + mask[c].state;
    }
    return NAIK_OK;
}

bool batch_any(const naik_solver *s, const bool of[NAIK_MAX_RHS])
{
    bool any = false;
    for (int c = 0; c < s->width_now; c++) {
        any = any || of[c];
    }
    return any;
}

naik_status batch_sums(naik_solver *s, int count, double *values)
{
    naik_backend *backend = s->geometry->backend;
    NAIK_PASS(backend->ops->reduction.over_ranks(backend, s->sums, count));
    return backend->ops->reduction.values(backend, s->sums, count, values);
}

naik_status batch_dots(naik_solver *s, const naik_field *v, const naik_field *w,
                       const naik_rhs *rhs, double dots[NAIK_MAX_RHS])
{
    naik_backend *backend = s->geometry->backend;
    NAIK_PASS(backend->ops->reduction.clear(backend, s->sums, s->width_now));
    NAIK_PASS(backend->ops->reduction.dot(v, w, rhs, NAIK_RHS_CHECK, s->sums));
    return batch_sums(s, s->width_now, dots);
}

naik_status batch_site_residuals(naik_solver *s, const bool asks[NAIK_MAX_RHS])
{
    naik_backend *backend = s->geometry->backend;
    const double sites = 0.5 * (double)s->geometry->lattice->volume;
    bool any = false;
    double ratio[NAIK_MAX_RHS];
    for (int c = 0; c < s->width_now; c++) {
        any = any || (asks[c] && s->slot[c].system.site_tolerance > 0);
    }
    if (!any) {
        return NAIK_OK;
    }
    NAIK_PASS(backend->ops->reduction.clear(backend, s->sums, s->width_now));
    NAIK_PASS(backend->ops->reduction.site_ratio(s->outer.field[BATCH_R], s->outer.field[BATCH_X],
                                                 s->sums));
    NAIK_PASS(batch_sums(s, s->width_now, ratio));
    for (int c = 0; c < s->width_now; c++) {
        if (asks[c]) {
            s->slot[c].state.site_residual = sqrt(ratio[c] / sites);
        }
    }
    return NAIK_OK;
}

/* field's rhs map[0..n-1], by way of `spare`, a field of the same precision whose content is free. */
static naik_status narrow_field(naik_field **field, naik_field **spare, const int *map, int n)
{
    naik_field_set_nrhs(*spare, n);
    const naik_status status = (*field)->geometry->backend->ops->field.gather(*spare, *field, map);
    naik_field *old = *field;
    *field = *spare;
    *spare = old;
    return status;
}

static naik_status narrow_fields(batch_fields *f, int fields, const int *map, int n)
{
    for (int i = 0; i < fields; i++) {
        if (i != BATCH_SPARE) {
            NAIK_PASS(narrow_field(&f->field[i], &f->field[BATCH_SPARE], map, n));
        }
    }
    return NAIK_OK;
}

/* Rhs map[0..n-1] become 0..n-1. */
static naik_status arrange(naik_solver *s, const int *map, int n)
{
    NAIK_PASS(narrow_field(&s->b, &s->outer.field[BATCH_SPARE], map, n));
    NAIK_PASS(narrow_fields(&s->outer, s->fields, map, n));
    if (batch_is_mixed(s)) {
        NAIK_PASS(narrow_fields(&s->low, s->fields, map, n));
    } else {
        s->low = s->outer;
    }
    return NAIK_OK;
}

/* The rhs that are not idle, in order. */
static int busy(const naik_solver *s, int map[NAIK_MAX_RHS])
{
    int n = 0;
    for (int c = 0; c < s->width_now; c++) {
        if (s->record[c].state != NAIK_RHS_IDLE) {
            map[n++] = c;
        }
    }
    return n;
}

naik_status batch_narrow(naik_solver *s)
{
    int map[NAIK_MAX_RHS];
    const int n = busy(s, map);
    if (n == 0 || 4 * n > 3 * s->width_now) {
        return NAIK_OK;
    }
    NAIK_PASS(arrange(s, map, n));
    if (s->kind->narrow != NULL) {
        NAIK_PASS(s->kind->narrow(s, map, n));
    }
    for (int c = 0; c < n; c++) { /* slots own their history: swap, so that each has one owner */
        const batch_slot moved = s->slot[map[c]];
        s->record[c] = s->record[map[c]];
        s->slot[map[c]] = s->slot[c];
        s->slot[c] = moved;
    }
    set_width(s, n);
    return batch_upload(s);
}

naik_status batch_widen(naik_solver *s, int64_t more)
{
    int map[NAIK_MAX_RHS];
    const int64_t wanted = busy(s, map) + more;
    const int n = wanted < s->width ? (int)wanted : s->width;
    if (more <= 0 || n <= s->width_now) {
        return NAIK_OK;
    }
    for (int c = 0; c < n; c++) { /* what is idle holds anything */
        map[c] = c < s->width_now ? c : 0;
        s->record[c] = c < s->width_now ? s->record[c] : (naik_rhs){.state = NAIK_RHS_IDLE};
    }
    NAIK_PASS(arrange(s, map, n));
    set_width(s, n);
    return batch_upload(s);
}
