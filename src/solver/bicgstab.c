/* bicgstab.c - the batch of bicgstab.h: systems in, solutions out
 *
 * As cg.c: between polls nothing reaches the host; at a poll those rhs that ask get their true
 * residual, those that are done leave, new systems take their places, and when none are left the
 * batch is narrowed. Rhs of another level wait until none of this one runs any more.
 */
#include "solver/bicgstab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/field.h"
#include "base/memory.h"
#include "solver/bicgstab_batch.h"

static naik_status create_fields(const naik_bicgstab *s, naik_precision precision, bg_fields *out)
{
    naik_status status = NAIK_OK;
    for (int i = 0; i < BG_FIELDS; i++) {
        NAIK_TRY(naik_field_create_spin(s->geometry, precision, s->outer_op->ops->spin, s->width,
                                        &out->field[i]));
    }
done:
    return status;
}

static naik_status check_create(const naik_operator op[NAIK_PRECISIONS], naik_precision vectors,
                                int width)
{
    const naik_operator *outer = &op[NAIK_DOUBLE];
    naik_backend *backend = outer->geometry->backend;
    const bool other = op[NAIK_SINGLE].ops != NULL || op[NAIK_HALF].ops != NULL;
    if (outer->precision != NAIK_DOUBLE || outer->ops->apply == NULL ||
        (vectors != NAIK_DOUBLE) != other) {
        return NAIK_FAIL(backend->log, NAIK_ERR_ARG,
                         "BiCGStab needs its operator in double, and one to iterate with for %s "
                         "vectors",
                         naik_precision_name(vectors));
    }
    if (width < 1 || width > NAIK_MAX_RHS / outer->ops->spin) {
        return NAIK_FAIL(backend->log, NAIK_ERR_ARG, "a batch of %d: 1 to %d are possible", width,
                         NAIK_MAX_RHS / outer->ops->spin);
    }
    return NAIK_OK;
}

static naik_status allocate(naik_bicgstab *s)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = s->geometry->backend;
    const size_t width = (size_t)s->width;
    const char *what = "solver scalars";
    NAIK_TRY(naik_backend_alloc(backend, width * sizeof *s->rhs, what, (void **)&s->rhs));
    NAIK_TRY(naik_backend_alloc(backend, width * sizeof *s->mask, what, (void **)&s->mask));
    NAIK_TRY(naik_backend_alloc(backend, width * sizeof *s->record, what, (void **)&s->record));
    NAIK_TRY(naik_backend_alloc(backend, NAIK_COEFFICIENTS * width * sizeof *s->coefficients, what,
                                (void **)&s->coefficients));
    NAIK_TRY(naik_backend_alloc(backend, NAIK_STAGE_SUMS * width * sizeof *s->sums, what,
                                (void **)&s->sums));
done:
    return status;
}

static void destroy(naik_solver *solver)
{
    naik_bicgstab *s = (naik_bicgstab *)solver;
    naik_backend *backend = s->geometry->backend;
    for (int i = 0; i < BG_FIELDS; i++) {
        if (s->inner.field[i] != s->outer.field[i]) {
            naik_field_destroy(&s->inner.field[i]);
        }
        naik_field_destroy(&s->outer.field[i]);
    }
    for (int c = 0; c < s->width; c++) {
        naik_free(s->slot[c].history);
    }
    naik_field_destroy(&s->b);
    naik_backend_release(backend, s->rhs);
    naik_backend_release(backend, s->mask);
    naik_backend_release(backend, s->record);
    naik_backend_release(backend, s->coefficients);
    naik_backend_release(backend, s->sums);
    naik_backend_release(backend, s->history);
    naik_free(s->ring);
    free(s);
}

static naik_status create(const naik_operator op[NAIK_PRECISIONS], naik_precision vectors,
                          naik_method method, int width, naik_solver **out)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = op[NAIK_DOUBLE].geometry->backend;
    naik_bicgstab *s = NULL;
    *out = NULL;
    NAIK_TRY(check_create(op, vectors, width));
    s = calloc(1, sizeof *s);
    status =
        s != NULL ? NAIK_OK : NAIK_FAIL(backend->log, NAIK_ERR_MEMORY, "no memory for the solver");
    status = naik_comm_agree(backend->comm, status);
    if (status != NAIK_OK) {
        free(s);
        return status;
    }
    s->geometry = op[NAIK_DOUBLE].geometry;
    s->method = method;
    s->width = width;
    s->outer_op = &op[NAIK_DOUBLE];
    s->inner_op = op[NAIK_HALF].ops != NULL     ? &op[NAIK_HALF]
                  : op[NAIK_SINGLE].ops != NULL ? &op[NAIK_SINGLE]
                                                : s->outer_op;
    const bool alone = s->inner_op == s->outer_op;
    NAIK_TRY(create_fields(s, NAIK_DOUBLE, &s->outer));
    if (alone) {
        s->inner = s->outer;
    } else {
        NAIK_TRY(create_fields(s, vectors, &s->inner));
    }
    NAIK_TRY(
        naik_field_create_spin(s->geometry, NAIK_DOUBLE, s->outer_op->ops->spin, width, &s->b));
    NAIK_TRY(naik_comm_agree(backend->comm, allocate(s)));
    *out = &s->base;
    s = NULL;
done:
    if (s != NULL) {
        destroy(&s->base);
    }
    return status;
}

static naik_status create_bicgstab(const naik_operator op[NAIK_PRECISIONS], naik_precision vectors,
                                   int width, naik_solver **out)
{
    return create(op, vectors, NAIK_METHOD_BICGSTAB, width, out);
}

static naik_status create_normal(const naik_operator op[NAIK_PRECISIONS], naik_precision vectors,
                                 int width, naik_solver **out)
{
    return create(op, vectors, NAIK_METHOD_CG, width, out);
}

naik_status bg_upload(naik_bicgstab *s)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = s->geometry->backend;
    const size_t n = (size_t)s->width_now;
    double coefficients[NAIK_COEFFICIENTS * NAIK_MAX_RHS][2];
    for (int c = 0; c < s->width_now; c++) {
        naik_bicgstab_coefficients(&s->host_record[c], c, s->width_now, coefficients);
    }
    NAIK_TRY(naik_backend_upload(backend, s->rhs, s->host, n * sizeof *s->host));
    NAIK_TRY(naik_backend_upload(backend, s->record, s->host_record, n * sizeof *s->host_record));
    NAIK_TRY(naik_backend_upload(backend, s->coefficients, coefficients,
                                 NAIK_COEFFICIENTS * n * sizeof *coefficients));
done:
    return status;
}

naik_status bg_download(naik_bicgstab *s)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = s->geometry->backend;
    const size_t n = (size_t)s->width_now;
    NAIK_TRY(naik_backend_download(backend, s->host, s->rhs, n * sizeof *s->host));
    NAIK_TRY(naik_backend_download(backend, s->host_record, s->record, n * sizeof *s->host_record));
done:
    return status;
}

naik_status bg_set_mask(naik_bicgstab *s, const bool wanted[NAIK_MAX_RHS])
{
    naik_rhs mask[NAIK_MAX_RHS];
    memset(mask, 0, sizeof mask);
    for (int c = 0; c < s->width_now; c++) {
        mask[c].state = wanted[c] ? NAIK_RHS_CHECK : NAIK_RHS_IDLE;
    }
    return naik_backend_upload(s->geometry->backend, s->mask, mask,
                               (size_t)s->width_now * sizeof *mask);
}

naik_status bg_norms(naik_bicgstab *s, const naik_field *v, double norms[NAIK_MAX_RHS])
{
    naik_status status = NAIK_OK;
    naik_backend *backend = s->geometry->backend;
    const naik_reduction_ops *reduction = &backend->ops->reduction;
    NAIK_TRY(reduction->clear(backend, s->sums, s->width_now));
    NAIK_TRY(reduction->dot(v, v, s->sums));
    NAIK_TRY(reduction->over_ranks(backend, s->sums, s->width_now));
    NAIK_TRY(reduction->values(backend, s->sums, s->width_now, norms));
done:
    return status;
}

naik_status bg_finish(naik_bicgstab *s, const naik_solver_stream *stream, int c,
                      naik_solver_reason reason, double rr)
{
    const bg_slot *slot = &s->slot[c];
    const int iterations = s->host[c].iterations;
    const naik_solver_result result = {
        .reason = reason,
        .iterations = iterations,
        .restarts = slot->updates,
        .first_rung = bg_rung(s, bg_first_level(s)),
        .rung = bg_rung(s, slot->level),
        .normal = bg_is_normal(slot->level),
        .climb = slot->climb,
        .climbed_at = slot->climbed_at,
        .residual = reason == NAIK_SOLVER_ZERO_SOURCE ? 0 : sqrt(rr / slot->bb),
        .site_residual = slot->system.site_tolerance > 0 ? slot->site_residual : NAN,
        .seconds = slot->seconds,
        .history = slot->history,
        .history_length = iterations < s->history_stride ? iterations : s->history_stride};
    s->host[c].state = NAIK_RHS_IDLE;
    return stream->finish(stream->data, slot->index, s->outer.field[BG_X], c, &result);
}

static void set_width(naik_bicgstab *s, int width)
{
    naik_field_set_nrhs(s->b, width);
    for (int i = 0; i < BG_FIELDS; i++) {
        naik_field_set_nrhs(s->outer.field[i], width);
        naik_field_set_nrhs(s->inner.field[i], width);
    }
    s->width_now = width;
}

/* Room for the history that this solve keeps; made once and kept for the next. */
static naik_status reserve_history(naik_bicgstab *s)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = s->geometry->backend;
    const size_t ring = (size_t)s->poll * (size_t)s->width, stride = (size_t)s->history_stride;
    if (stride > 0 && ring > s->history_capacity) {
        naik_backend_release(backend, s->history);
        naik_free(s->ring);
        s->history = NULL;
        s->ring = NULL;
        NAIK_TRY(naik_backend_alloc(backend, ring * sizeof *s->history, "residual history",
                                    (void **)&s->history));
        NAIK_TRY(naik_alloc(backend->log, ring * sizeof *s->ring, "residual history",
                            (void **)&s->ring));
        NAIK_TRY(naik_backend_upload(backend, s->history, s->ring, ring * sizeof *s->ring));
        s->history_capacity = ring;
    }
    for (int c = 0; stride > s->slot_history_capacity && c < s->width; c++) {
        naik_free(s->slot[c].history);
        s->slot[c].history = NULL;
        NAIK_TRY(naik_alloc(backend->log, stride * sizeof(double), "residual history",
                            (void **)&s->slot[c].history));
    }
    if (stride > s->slot_history_capacity) {
        s->slot_history_capacity = stride;
    }
done:
    return status;
}

/* Starting values of the fresh rhs, or 0; moved[c]: it has one. */
static naik_status take_starts(naik_bicgstab *s, const naik_solver_stream *stream,
                               const bool fresh[], bool moved[])
{
    naik_status status = NAIK_OK;
    const naik_solver_starter *starter = stream->starter;
    double norms[NAIK_MAX_RHS];
    NAIK_TRY(bg_set_mask(s, fresh));
    NAIK_TRY(s->geometry->backend->ops->field.zero(s->outer.field[BG_X], s->mask, NAIK_RHS_CHECK));
    if (starter == NULL || starter->start == NULL) {
        return NAIK_OK;
    }
    for (int c = 0; c < s->width_now; c++) {
        naik_solver_start start = {.iterations = 0};
        if (fresh[c]) {
            NAIK_TRY(
                starter->start(starter->data, s->slot[c].index, s->outer.field[BG_X], c, &start));
        }
    }
    NAIK_TRY(bg_norms(s, s->outer.field[BG_X], norms));
    for (int c = 0; c < s->width_now; c++) {
        moved[c] = fresh[c] && norms[c] != 0;
    }
done:
    return status;
}

/* Gives every idle rhs a new system, as long as there are some. */
static naik_status load_systems(naik_bicgstab *s, const naik_solver_options *options,
                                const naik_solver_stream *stream)
{
    naik_status status = NAIK_OK;
    bool fresh[NAIK_MAX_RHS] = {false}, moved[NAIK_MAX_RHS] = {false}, any = false, kept = false;
    double norms[NAIK_MAX_RHS];
    naik_solver_state state;
    for (int c = 0; c < s->width_now && s->next < stream->count; c++) {
        bg_slot *slot = &s->slot[c];
        if (s->host[c].state != NAIK_RHS_IDLE) {
            continue;
        }
        fresh[c] = any = true;
        *slot = (bg_slot){.index = s->next++, .resumes = NAIK_RHS_CHECK, .history = slot->history};
        NAIK_TRY(stream->load(stream->data, slot->index, s->b, c, &slot->system));
        if (!(slot->system.tolerance > 0)) {
            return NAIK_FAIL(s->geometry->backend->log, NAIK_ERR_ARG,
                             "a system needs a positive tolerance");
        }
    }
    if (!any) {
        return NAIK_OK;
    }
    NAIK_TRY(take_starts(s, stream, fresh, moved));
    NAIK_TRY(bg_norms(s, s->b, norms));
    for (int c = 0; c < s->width_now; c++) {
        if (fresh[c]) {
            NAIK_TRY(bg_restore(s, stream, c, &state, &kept));
            s->slot[c].moved = moved[c];
            s->slot[c].bb = norms[c];
            s->slot[c].best_rr = INFINITY;
            s->slot[c].level = bg_first_level(s);
            s->host[c] = (naik_rhs){.state = NAIK_RHS_WAIT, .limit = options->max_iterations};
            s->host_record[c] = (naik_bicgstab_record){.zz = 0};
            NAIK_TRY(kept ? bg_restore_scalars(s, options, c, &state) : NAIK_OK);
        }
    }
done:
    return status;
}

/* Rhs that wait go on, or ask, if their level is at work; where none is, the fastest waited for comes. */
static naik_status release(naik_bicgstab *s)
{
    int least = BG_LEVELS;
    const int waiting = bg_in_state(s, NAIK_RHS_WAIT);
    for (int c = 0; c < s->width_now; c++) {
        if (s->host[c].state == NAIK_RHS_WAIT && (int)s->slot[c].level < least) {
            least = (int)s->slot[c].level;
        }
    }
    if (waiting > 0 && waiting + bg_in_state(s, NAIK_RHS_IDLE) == s->width_now) {
        s->now = (bg_level)least;
    }
    for (int c = 0; c < s->width_now; c++) {
        if (s->host[c].state == NAIK_RHS_WAIT && s->slot[c].level == s->now) {
            s->host[c].state = s->slot[c].resumes;
            s->slot[c].resumes = NAIK_RHS_CHECK;
        }
    }
    return bg_upload(s);
}

/* field's rhs map[0..n-1], by way of `spare`, whose content is free. */
static naik_status narrow_field(naik_field **field, naik_field **spare, const int *map, int n)
{
    naik_field_set_nrhs(*spare, n);
    const naik_status status = (*field)->geometry->backend->ops->field.gather(*spare, *field, map);
    naik_field *old = *field;
    *field = *spare;
    *spare = old;
    return status;
}

static naik_status narrow_fields(bg_fields *f, const int *map, int n)
{
    naik_status status = NAIK_OK;
    for (int i = 0; i < BG_FIELDS; i++) {
        if (i != BG_T) {
            NAIK_TRY(narrow_field(&f->field[i], &f->field[BG_T], map, n));
        }
    }
done:
    return status;
}

/* Moves the rhs that are not idle together, once there are too few for the width. */
static naik_status narrow(naik_bicgstab *s)
{
    naik_status status = NAIK_OK;
    const bool alone = s->inner_op == s->outer_op;
    int map[NAIK_MAX_RHS], n = 0;
    for (int c = 0; c < s->width_now; c++) {
        if (s->host[c].state != NAIK_RHS_IDLE) {
            map[n++] = c;
        }
    }
    if (n == 0 || 4 * n > 3 * s->width_now) {
        return NAIK_OK;
    }
    NAIK_TRY(narrow_field(&s->b, &s->outer.field[BG_T], map, n));
    NAIK_TRY(narrow_fields(&s->outer, map, n));
    if (alone) {
        s->inner = s->outer;
    } else {
        NAIK_TRY(narrow_fields(&s->inner, map, n));
    }
    for (int c = 0; c < n; c++) { /* slots own their history: swap */
        const bg_slot moved = s->slot[map[c]];
        s->host[c] = s->host[map[c]];
        s->host_record[c] = s->host_record[map[c]];
        s->slot[map[c]] = s->slot[c];
        s->slot[c] = moved;
    }
    set_width(s, n);
    NAIK_TRY(bg_upload(s));
done:
    return status;
}

static naik_status report_poll(const naik_bicgstab *s, const naik_solver_stream *stream)
{
    naik_field *const *f = bg_fields_of(s, s->now)->field;
    naik_solver_progress progress = {.parity = s->parity,
                                     .rung = bg_rung(s, s->now),
                                     .field = {[NAIK_SOLVER_X] = s->outer.field[BG_X],
                                               [NAIK_SOLVER_RESIDUAL] = f[BG_R],
                                               [NAIK_SOLVER_DIRECTION] = f[BG_P]}};
    if (stream->poll == NULL) {
        return NAIK_OK;
    }
    progress.field[NAIK_SOLVER_CORRECTION] = bg_corrects(s, s->now) ? f[BG_X] : NULL;
    for (int c = 0; c < s->width_now; c++) {
        const double residual = sqrt(s->host[c].rr / s->slot[c].bb);
        if (s->host[c].state == NAIK_RHS_RUN) {
            const int at = progress.running++, iterations = s->host[c].iterations;
            progress.residual = fmax(progress.residual, residual);
            progress.iterations =
                iterations > progress.iterations ? iterations : progress.iterations;
            progress.index[at] = s->slot[c].index;
            progress.irhs[at] = c;
            progress.iterations_of[at] = iterations;
            progress.residual_of[at] = residual;
        }
    }
    return stream->poll(stream->data, &progress);
}

/* Not even a true residual is formed: an undisturbed run would not have made it. */
static naik_status interrupt(naik_bicgstab *s, const naik_solver_stream *stream)
{
    naik_status status = NAIK_OK;
    for (int c = 0; c < s->width_now; c++) {
        if (s->host[c].state != NAIK_RHS_IDLE) {
            NAIK_TRY(bg_save(s, stream, c));
            NAIK_TRY(bg_finish(s, stream, c, NAIK_SOLVER_INTERRUPTED, s->host[c].rr));
        }
    }
done:
    return status;
}

static naik_status begin(naik_bicgstab *s, naik_parity parity, const naik_solver_options *options,
                         int64_t count)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = s->geometry->backend;
    if (options->max_iterations < 1 || !(options->delta >= 0) || options->delta >= 1) {
        return NAIK_FAIL(
            backend->log, NAIK_ERR_ARG,
            "the solver needs a positive iteration limit and a delta from 0 to below 1");
    }
    s->parity = parity;
    s->now = BG_FAST;
    s->next = 0;
    s->poll = options->poll_interval > 0 ? options->poll_interval : backend->ops->poll_interval;
    s->history_stride = options->history_stride;
    NAIK_TRY(naik_comm_agree(backend->comm, reserve_history(s)));
    set_width(s, count < s->width ? (int)(count > 0 ? count : 1) : s->width);
    memset(s->host, 0, sizeof s->host);
    memset(s->host_record, 0, sizeof s->host_record);
    NAIK_TRY(bg_upload(s));
done:
    return status;
}

static naik_status solve(naik_solver *solver, naik_parity parity,
                         const naik_solver_options *options, const naik_solver_stream *stream)
{
    naik_status status = NAIK_OK;
    naik_bicgstab *s = (naik_bicgstab *)solver;
    NAIK_TRY(begin(s, parity, options, stream->count));
    for (;;) {
        if (stream->stop != NULL && stream->stop(stream->data)) {
            NAIK_TRY(interrupt(s, stream));
            break;
        }
        NAIK_TRY(load_systems(s, options, stream));
        NAIK_TRY(release(s));
        NAIK_TRY(bg_check(s, options, stream));
        if (bg_in_state(s, NAIK_RHS_IDLE) == s->width_now && s->next >= stream->count) {
            break;
        }
        if (bg_in_state(s, NAIK_RHS_RUN) == 0) {
            continue; /* all were done at their first check, or wait */
        }
        NAIK_TRY(s->next >= stream->count ? narrow(s) : NAIK_OK);
        NAIK_TRY(bg_run_to_poll(s));
        NAIK_TRY(report_poll(s, stream));
    }
done:
    return status;
}

static int fields(const naik_operator_ops *ops)
{
    (void)ops;
    return BG_FIELDS;
}

const naik_solver_kind naik_solver_bicgstab = {.name = "BiCGStab",
                                               .fields = fields,
                                               .create = create_bicgstab,
                                               .destroy = destroy,
                                               .solve = solve};
const naik_solver_kind naik_solver_normal = {.name = "conjugate gradient on the normal equations",
                                             .fields = fields,
                                             .create = create_normal,
                                             .destroy = destroy,
                                             .solve = solve};

const naik_solver_kind *naik_method_solver(naik_method method)
{
    return method == NAIK_METHOD_CG ? &naik_solver_normal : &naik_solver_bicgstab;
}
