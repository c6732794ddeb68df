/* propagator.c - from sources to verified solutions of M x = src
 *
 * The solver sees one parity; this file makes its right-hand sides, rebuilds the other parity, and
 * checks the whole with the plain Dslash in double and sums of its own: another road than the
 * solver's fused one. All of it where the fields are.
 */
#include "propagator/propagator.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#include "base/exactsum.h"
#include "propagator/groups.h"

typedef struct worker {
    const naik_links *links;
    const naik_lattice *lat;
    const naik_backend_ops *ops;
    const naik_propagator_stream *stream;
    naik_field *src[2], *x[2]; /* one rhs on either parity */
    naik_field *rest;          /* one rhs, result of a Dslash */
    naik_exactsum *sum;        /* backend memory [1] */
    double *sites;             /* [sites][3][2], sources on their way in, solutions out */
    double *half;              /* [half][3][2], a vector of an interrupted solve */
    solve_info *info;          /* [stream->count] */
    int64_t *todo;             /* solves of the parity at work */
    group_batch batch;         /* of them, those in the solver */
    naik_parity parity;
    bool interrupted;
} worker;

static void worker_release(worker *w)
{
    for (int parity = 0; parity < 2; parity++) {
        naik_field_destroy(&w->src[parity]);
        naik_field_destroy(&w->x[parity]);
    }
    naik_field_destroy(&w->rest);
    naik_backend_release(w->links->geometry->backend, w->sum);
    naik_free(w->sites);
    naik_free(w->half);
    naik_free(w->todo);
    naik_free(w->info);
    naik_free(w->batch.index);
    naik_free(w->batch.of);
    naik_free(w->batch.shift);
}

static naik_status worker_allocate(worker *w)
{
    naik_status status = NAIK_OK;
    naik_log *log = w->lat->comm->log;
    naik_backend *backend = w->links->geometry->backend;
    const size_t bytes = (size_t)w->lat->sites * 6 * sizeof(double);
    NAIK_TRY(naik_alloc(log, bytes, "a source", (void **)&w->sites));
    NAIK_TRY(naik_alloc(log, bytes / 2, "a vector of the solver", (void **)&w->half));
    const size_t count = (size_t)w->stream->count;
    const char *list = "a list of solves";
    NAIK_TRY(naik_alloc(log, count * sizeof *w->info, list, (void **)&w->info));
    NAIK_TRY(naik_alloc(log, count * sizeof *w->todo, list, (void **)&w->todo));
    NAIK_TRY(naik_alloc(log, count * sizeof *w->batch.index, list, (void **)&w->batch.index));
    NAIK_TRY(naik_alloc(log, count * sizeof *w->batch.of, list, (void **)&w->batch.of));
    NAIK_TRY(naik_alloc(log, count * sizeof *w->batch.shift, list, (void **)&w->batch.shift));
    NAIK_TRY(naik_backend_alloc(backend, sizeof *w->sum, "a sum", (void **)&w->sum));
done:
    return status;
}

static naik_status worker_create_fields(worker *w)
{
    naik_status status = NAIK_OK;
    const naik_geometry *geometry = w->links->geometry;
    for (int parity = 0; parity < 2; parity++) {
        NAIK_TRY(naik_field_create(geometry, NAIK_DOUBLE, 1, &w->src[parity]));
        NAIK_TRY(naik_field_create(geometry, NAIK_DOUBLE, 1, &w->x[parity]));
    }
    NAIK_TRY(naik_field_create(geometry, NAIK_DOUBLE, 1, &w->rest));
done:
    return status;
}

/* Source `index` into w->src, and the rest of its system. */
static naik_status read_source(worker *w, int64_t index, double *mass, naik_cg_system *system)
{
    naik_status status = w->stream->source(w->stream->data, index, w->sites, mass,
                                           &system->tolerance, &system->site_tolerance);
    if (status == NAIK_OK && !(*mass > 0)) {
        status = NAIK_FAIL(w->lat->comm->log, NAIK_ERR_ARG, "mass %g is not positive", *mass);
    }
    for (int parity = 0; parity < 2 && status == NAIK_OK; parity++) {
        status = w->ops->field.from_host(w->src[parity], (naik_parity)parity, 0, w->sites);
    }
    system->shift = 4 * *mass * *mass;
    return status;
}

/* |v|^2 over all ranks. */
static naik_status norm2(worker *w, const naik_field *v, double *out)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = w->links->geometry->backend;
    NAIK_TRY(w->ops->reduction.clear(backend, w->sum, 1));
    NAIK_TRY(w->ops->reduction.dot(v, v, w->sum));
    NAIK_TRY(w->ops->reduction.over_ranks(backend, w->sum, 1));
    NAIK_TRY(w->ops->reduction.values(backend, w->sum, 1, out));
done:
    return status;
}

/* Of either parity. */
static naik_status norms(worker *w, naik_field *const v[2], double out[2])
{
    naik_status status = NAIK_OK;
    NAIK_TRY(norm2(w, v[NAIK_EVEN], &out[NAIK_EVEN]));
    NAIK_TRY(norm2(w, v[NAIK_ODD], &out[NAIK_ODD]));
done:
    return status;
}

static naik_parity other(naik_parity parity)
{
    return (naik_parity)!parity;
}

/* out = a v + s D in on `parity`, for single rhs. */
static naik_status affine(worker *w, double a, const naik_field *v, double s, const naik_field *in,
                          naik_parity parity, naik_field *out)
{
    const naik_dslash_args args = {.form = NAIK_FORM_AFFINE,
                                   .parity = parity,
                                   .links = w->links,
                                   .in = in,
                                   .out = out,
                                   .v = v,
                                   .a = a,
                                   .s = s};
    return naik_dslash(&args);
}

/* rhs of b: b_p = 2m src_p - D_pq src_q, of the source in w->src. */
static naik_status make_rhs(worker *w, double mass, naik_field *b, int irhs)
{
    naik_status status = NAIK_OK;
    const naik_parity p = w->parity;
    NAIK_TRY(affine(w, 2 * mass, w->src[p], -1, w->src[other(p)], p, w->rest));
    NAIK_TRY(w->ops->field.copy_rhs(b, irhs, w->rest, 0));
done:
    return status;
}

/* With the other parity as finish makes it, 2m |src - M x| is |b - A x|: what the whole lattice asks
 * for, and a little more for rounding, as a tolerance of the parity's system. */
static naik_status hold_whole(worker *w, double mass, const naik_field *b_alone,
                              naik_cg_system *system)
{
    naik_status status = NAIK_OK;
    double src[2], bb = 0;
    if (w->stream->tolerance_full > 0) {
        NAIK_TRY(norms(w, w->src, src));
        NAIK_TRY(norm2(w, b_alone, &bb));
        const double whole = bb > 0 ? 2 * mass * sqrt((src[0] + src[1]) / bb) : 1;
        system->tolerance = fmin(system->tolerance, (1 - 1e-6) * w->stream->tolerance_full * whole);
    }
done:
    return status;
}

static naik_status load(void *data, int64_t index, naik_field *b, int irhs, naik_cg_system *system)
{
    naik_status status = NAIK_OK;
    worker *w = data;
    double mass;
    naik_timer *timer = w->links->geometry->backend->timer;
    naik_timer_start(timer, "sources");
    NAIK_TRY(read_source(w, w->batch.index[index], &mass, system));
    NAIK_TRY(make_rhs(w, mass, b, irhs));
    NAIK_TRY(hold_whole(w, mass, w->rest, system));
    naik_timer_stop(timer, "sources");
done:
    return status;
}

/* From the Krylov space that the solve shares, or as the stream's own starter has it. */
static naik_status start(void *data, int64_t index, naik_field *x, int irhs, naik_cg_start *out)
{
    worker *w = data;
    const naik_cg_starter *own = w->stream->starter;
    if (w->batch.of[index] >= 0) {
        return naik_multishift_take(w->stream->multishift, w->batch.of[index],
                                    w->batch.shift[index], x, irhs, out);
    }
    return own != NULL && own->start != NULL
               ? own->start(own->data, w->batch.index[index], x, irhs, out)
               : NAIK_OK;
}

static naik_status correct(void *data, const naik_cg_correction *at)
{
    const worker *w = data;
    return w->stream->starter->correct(w->stream->starter->data, at);
}

/* The right-hand side of a group's base. */
static naik_status load_group(void *data, int index, naik_field *b, int irhs)
{
    naik_status status = NAIK_OK;
    worker *w = data;
    double mass;
    naik_cg_system unused;
    naik_timer *timer = w->links->geometry->backend->timer;
    naik_timer_start(timer, "sources");
    NAIK_TRY(read_source(w, w->batch.member[index], &mass, &unused));
    NAIK_TRY(make_rhs(w, w->batch.base[index], b, irhs));
    naik_timer_stop(timer, "sources");
done:
    return status;
}

/* Of the iterations, those that a base carried along counted by what they are. */
static double count_flops(const worker *w, int64_t index, const naik_cg_result *result)
{
    const int per_site = w->links->points == NAIK_STENCIL ? NAIK_CG_FLOPS : NAIK_CG_FLOPS_NAIVE;
    const int carried = w->batch.shift[index] > 0 ? result->start_iterations : 0;
    return 0.5 * (double)w->lat->volume *
           ((double)(result->iterations - carried) * per_site + (double)carried * NAIK_SHIFT_FLOPS);
}

/* |M x - src|^2 on either parity, from the plain Dslash. */
static naik_status whole_residual(worker *w, double mass, double out[2])
{
    naik_status status = NAIK_OK;
    for (int parity = 0; parity < 2; parity++) {
        NAIK_TRY(naik_dslash_plain(w->links, w->x[!parity], (naik_parity)parity, w->rest));
        NAIK_TRY(w->ops->field.axpy(2 * mass, w->x[parity], w->rest));
        NAIK_TRY(w->ops->field.axpy(-1, w->src[parity], w->rest));
        NAIK_TRY(norm2(w, w->rest, &out[parity]));
    }
done:
    return status;
}

/* |b|^2 of b_p = 2m src_p - D_pq src_q, formed once more from the source. */
static naik_status rhs_norm(worker *w, double mass, double *bb)
{
    naik_status status = NAIK_OK;
    const naik_parity p = w->parity;
    NAIK_TRY(naik_dslash_plain(w->links, w->src[other(p)], p, w->rest));
    NAIK_TRY(w->ops->field.axpy(-2 * mass, w->src[p], w->rest));
    NAIK_TRY(norm2(w, w->rest, bb));
done:
    return status;
}

/* Whether the solver's residual and that of this file, equal in exact arithmetic, are as near as
 * rounding puts them. |D|^2 <= 64 holds for links near the group; a few units of roundoff of A x
 * are forgiven, and a thousandth of the residual itself. */
static bool is_suspect(const naik_propagator_result *r, double mass, double xp, double bb)
{
    if (r->cg.reason == NAIK_CG_ZERO_SOURCE) {
        return r->norm != 0 || bb != 0;
    }
    const double claim = r->cg.residual;
    const double rounding = 8 * DBL_EPSILON * (4 * mass * mass + 64) * xp / sqrt(bb);
    if (!isfinite(claim)) {
        return false; /* broken, and reported as that */
    }
    return !(fabs(r->independent_residual - claim) <= 1e-3 * claim + rounding);
}

/* Both residuals of w->x by this file's road, and what they say of the solver's. */
static naik_status verify(worker *w, double mass, naik_propagator_result *out)
{
    naik_status status = NAIK_OK;
    double src[2], rest[2], xx[2], bb = 0;
    NAIK_TRY(norms(w, w->src, src));
    NAIK_TRY(whole_residual(w, mass, rest));
    NAIK_TRY(norms(w, w->x, xx));
    NAIK_TRY(rhs_norm(w, mass, &bb));
    const double source = src[0] + src[1], residual = rest[0] + rest[1];
    out->source_residual = source > 0 ? sqrt(residual / source) : sqrt(residual);
    out->norm = sqrt(xx[0] + xx[1]);
    out->independent_residual = bb > 0 ? 2 * mass * sqrt(rest[w->parity] / bb) : 0;
    out->suspect = is_suspect(out, mass, sqrt(xx[w->parity]), bb);
done:
    return status;
}

/* w->x on the host, unless nobody reads it there. */
static naik_status download_solution(worker *w, const double **out)
{
    naik_status status = NAIK_OK;
    *out = w->stream->resident ? NULL : w->sites;
    for (int parity = 0; parity < 2 && *out != NULL; parity++) {
        NAIK_TRY(w->ops->field.to_host(w->x[parity], (naik_parity)parity, 0, w->sites));
    }
done:
    return status;
}

static naik_status finish(void *data, int64_t index, const naik_field *x, int irhs,
                          const naik_cg_result *result)
{
    naik_status status = NAIK_OK;
    worker *w = data;
    naik_cg_system system;
    double mass;
    const double *sites = NULL;
    naik_propagator_result out = {.cg = *result, .parity = w->parity};
    const naik_parity p = w->parity, q = other(p);
    if (result->reason == NAIK_CG_INTERRUPTED) {
        w->interrupted = true;
        return NAIK_OK;
    }
    naik_timer *timer = w->links->geometry->backend->timer;
    naik_timer_start(timer, "rebuild and check");
    NAIK_TRY(read_source(w, w->batch.index[index], &mass, &system));
    NAIK_TRY(w->ops->field.copy_rhs(w->x[p], 0, x, irhs));
    /* x_q = (src_q - D_qp x_p) / (2m) */
    NAIK_TRY(affine(w, 1 / (2 * mass), w->src[q], -1 / (2 * mass), w->x[p], q, w->x[q]));
    NAIK_TRY(verify(w, mass, &out));
    NAIK_TRY(download_solution(w, &sites));
    out.flops = count_flops(w, index, result);
    naik_timer_stop(timer, "rebuild and check");
    out.part[NAIK_EVEN] = w->x[NAIK_EVEN];
    out.part[NAIK_ODD] = w->x[NAIK_ODD];
    NAIK_TRY(w->stream->solution(w->stream->data, w->batch.index[index], sites, &out));
done:
    return status;
}

static naik_status poll(void *data, const naik_cg_progress *progress)
{
    const worker *w = data;
    naik_cg_progress mine = *progress;
    for (int i = 0; i < mine.running; i++) {
        mine.index[i] = w->batch.index[mine.index[i]];
    }
    return w->stream->poll(w->stream->data, &mine);
}

static naik_status poll_groups(void *data, const naik_cg_progress *progress)
{
    const worker *w = data;
    naik_cg_progress mine = *progress;
    for (int i = 0; i < mine.running; i++) {
        mine.index[i] = w->batch.member[mine.index[i]];
    }
    return w->stream->poll(w->stream->data, &mine);
}

/* to: the sites of the parity at work, in checkerboard order. */
static void pack_half(const worker *w, const double *from, double *to)
{
    for (int32_t cb = 0; cb < w->lat->volume_cb; cb++) {
        memcpy(to + 6 * (int64_t)cb,
               from + 6 * (int64_t)naik_lattice_site_of(w->lat, w->parity, cb), 6 * sizeof *to);
    }
}

static void unpack_half(const worker *w, const double *from, double *to)
{
    for (int32_t cb = 0; cb < w->lat->volume_cb; cb++) {
        memcpy(to + 6 * (int64_t)naik_lattice_site_of(w->lat, w->parity, cb),
               from + 6 * (int64_t)cb, 6 * sizeof *to);
    }
}

static naik_status save(void *data, int64_t index, const naik_cg_state *state,
                        naik_field *const field[NAIK_CG_VECTORS], int irhs)
{
    naik_status status = NAIK_OK;
    worker *w = data;
    for (int v = 0; v < NAIK_CG_VECTORS; v++) {
        if (field[v] != NULL) {
            NAIK_TRY(w->ops->field.to_host(field[v], w->parity, irhs, w->sites));
            pack_half(w, w->sites, w->half);
            NAIK_TRY(w->stream->save(w->stream->data, w->batch.index[index], state, v, w->half));
        }
    }
done:
    return status;
}

/* One vector into its field, of a state that has been read. */
static naik_status restore_vector(worker *w, int64_t index, naik_cg_state *state, int v,
                                  naik_field *field, int irhs, bool *found)
{
    naik_status status = NAIK_OK;
    NAIK_TRY(w->stream->restore(w->stream->data, w->batch.index[index], state, v, w->half, found));
    if (*found && field != NULL) {
        unpack_half(w, w->half, w->sites);
        NAIK_TRY(w->ops->field.from_host(field, w->parity, irhs, w->sites));
    }
done:
    return status;
}

static naik_status restore(void *data, int64_t index, naik_cg_state *state,
                           naik_field *const field[NAIK_RUNGS][NAIK_CG_VECTORS], int irhs,
                           bool *found)
{
    naik_status status = NAIK_OK;
    worker *w = data;
    /* the state says which vectors there are */
    NAIK_TRY(restore_vector(w, index, state, NAIK_CG_STATE, NULL, irhs, found));
    if (!*found || state->rung < 0 || state->rung >= NAIK_RUNGS) {
        *found = false;
        return NAIK_OK;
    }
    naik_field *const *mine = field[state->rung];
    for (int v = NAIK_CG_VECTORS - 1; v > NAIK_CG_X && *found && state->live; v--) {
        if (mine[v] != NULL) {
            NAIK_TRY(restore_vector(w, index, state, v, mine[v], irhs, found));
        }
    }
    /* x last: where a vector is lost, the solve starts from the x that it was loaded with */
    if (*found) {
        NAIK_TRY(restore_vector(w, index, state, NAIK_CG_X, mine[NAIK_CG_X], irhs, found));
    }
done:
    return status;
}

static bool stop(void *data)
{
    worker *w = data;
    bool now = w->stream->stop != NULL && w->stream->stop(w->stream->data);
    w->interrupted = w->interrupted || now;
    return now;
}

/* The solves whose source sits on odd sites only, or all the others. */
static int64_t select_solves(worker *w)
{
    int64_t count = 0;
    for (int64_t i = 0; i < w->stream->count; i++) {
        const bool odd = w->info[i].on[NAIK_ODD] && !w->info[i].on[NAIK_EVEN];
        if (odd == (w->parity == NAIK_ODD)) {
            w->todo[count++] = i;
        }
    }
    return count;
}

static naik_status classify(worker *w)
{
    naik_status status = NAIK_OK;
    for (int64_t i = 0; i < w->stream->count; i++) {
        solve_info *info = &w->info[i];
        double src[2];
        naik_cg_system system;
        NAIK_TRY(read_source(w, i, &info->mass, &system));
        NAIK_TRY(norms(w, w->src, src));
        info->tolerance = system.tolerance; /* of one parity both are on the same vector */
        if (w->stream->tolerance_full > 0) {
            info->tolerance = fmin(info->tolerance, w->stream->tolerance_full);
        }
        info->on[NAIK_EVEN] = src[NAIK_EVEN] != 0;
        info->on[NAIK_ODD] = src[NAIK_ODD] != 0;
        info->group = -1;
        if (w->stream->multishift != NULL) {
            info->group = w->stream->group(w->stream->data, i, &info->base);
        }
    }
done:
    return status;
}

/* The solves of a parity, batch of groups after batch, and then those that share nothing. */
static naik_status solve_parity(worker *w, naik_cg *cg, const naik_cg_options *options)
{
    naik_status status = NAIK_OK;
    const naik_propagator_stream *stream = w->stream;
    const int64_t count = select_solves(w);
    for (;;) {
        bool stopped = false;
        int groups = 0, shifts = 0;
        naik_multishift_shape(stream->multishift, &groups, &shifts);
        group_batch_next(w->info, w->todo, count, groups, shifts, &w->batch);
        if (w->batch.count == 0) {
            break;
        }
        if (w->batch.groups > 0) {
            const naik_shift_group_stream shared = {.data = w,
                                                    .count = w->batch.groups,
                                                    .group = w->batch.group,
                                                    .load = load_group,
                                                    .stop = stop,
                                                    .poll =
                                                        stream->poll != NULL ? poll_groups : NULL};
            NAIK_TRY(
                naik_multishift_solve(stream->multishift, w->parity, options, &shared, &stopped));
        }
        const bool corrects = stream->starter != NULL && stream->starter->correct != NULL;
        const naik_cg_starter starter = {.data = w,
                                         .start = start,
                                         .correct = corrects ? correct : NULL,
                                         .again = corrects ? stream->starter->again : 0};
        const naik_cg_stream systems = {.data = w,
                                        .starter = &starter,
                                        .count = w->batch.count,
                                        .load = load,
                                        .finish = finish,
                                        .stop = stop,
                                        .poll = stream->poll != NULL ? poll : NULL,
                                        .save = stream->save != NULL ? save : NULL,
                                        .restore = stream->restore != NULL ? restore : NULL};
        if (!stopped) {
            NAIK_TRY(naik_cg_solve(cg, w->parity, options, &systems));
        }
        if (w->interrupted) {
            break;
        }
    }
done:
    return status;
}

naik_status naik_propagator_solve(const naik_links *outer, naik_cg *cg,
                                  const naik_cg_options *options,
                                  const naik_propagator_stream *stream, bool *interrupted)
{
    naik_status status = NAIK_OK;
    const naik_geometry *geometry = outer->geometry;
    naik_comm *comm = geometry->lattice->comm;
    worker w = {
        .links = outer, .lat = geometry->lattice, .ops = geometry->backend->ops, .stream = stream};
    *interrupted = false;
    NAIK_TRY(naik_comm_agree(comm, worker_allocate(&w)));
    NAIK_TRY(worker_create_fields(&w));
    NAIK_TRY(classify(&w));
    for (int parity = 0; parity < 2 && !w.interrupted; parity++) {
        w.parity = (naik_parity)parity;
        NAIK_TRY(solve_parity(&w, cg, options));
    }
    *interrupted = w.interrupted;
done:
    worker_release(&w);
    return status;
}
