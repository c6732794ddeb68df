/* propagator.c - from sources to verified solutions of M x = src
 *
 * The solver sees one parity; this file makes its right-hand sides, rebuilds the other parity, and
 * checks the whole with the plain Dslash, in double, summed on the host: another road than the
 * solver's own residual.
 */
#include "naik/propagator.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "naik/memory.h"

typedef struct worker {
    const naik_links *links;
    const naik_lattice *lat;
    const naik_backend_ops *ops;
    const naik_propagator_stream *stream;
    naik_field *part[2];  /* one column on either parity */
    naik_field *out;      /* one column, result of a Dslash */
    double *src, *x, *dx; /* [sites][3][2] */
    int64_t *todo;        /* solves of the parity at work */
    naik_parity parity;
    bool interrupted;
} worker;

static void worker_release(worker *w)
{
    naik_field_destroy(&w->part[0]);
    naik_field_destroy(&w->part[1]);
    naik_field_destroy(&w->out);
    naik_free(w->src);
    naik_free(w->x);
    naik_free(w->dx);
    naik_free(w->todo);
}

static naik_status worker_allocate(worker *w)
{
    naik_status status = NAIK_OK;
    naik_log *log = w->lat->comm->log;
    const size_t bytes = (size_t)w->lat->sites * 6 * sizeof(double);
    NAIK_TRY(naik_alloc(log, bytes, "a source", (void **)&w->src));
    NAIK_TRY(naik_alloc(log, bytes, "a solution", (void **)&w->x));
    NAIK_TRY(naik_alloc(log, bytes, "a residual", (void **)&w->dx));
    NAIK_TRY(naik_alloc(log, (size_t)w->stream->count * sizeof *w->todo, "a list of solves",
                        (void **)&w->todo));
done:
    return status;
}

static naik_status read_source(worker *w, int64_t index, double *mass, naik_cg_system *system)
{
    naik_status status = w->stream->source(w->stream->data, index, w->src, mass, &system->tolerance,
                                           &system->site_tolerance);
    if (status == NAIK_OK && !(*mass > 0)) {
        status = NAIK_FAIL(w->lat->comm->log, NAIK_ERR_ARG, "mass %g is not positive", *mass);
    }
    system->shift = 4 * *mass * *mass;
    system->guess = false;
    return status;
}

/* |v|^2 on either parity, over all ranks. */
static naik_status parity_norms(const naik_lattice *lat, const double *v, double norms[2])
{
    naik_exactsum sums[2];
    naik_exactsum_clear(&sums[0]);
    naik_exactsum_clear(&sums[1]);
    for (int parity = 0; parity < 2; parity++) {
        for (int32_t cb = 0; cb < lat->half; cb++) {
            const double *site =
                v + 6 * (int64_t)naik_lattice_site_of(lat, (naik_parity)parity, cb);
            double term = 0;
            for (int i = 0; i < 6; i++) {
                term = fma(site[i], site[i], term);
            }
            naik_exactsum_add(&sums[parity], term);
        }
    }
    naik_status status = naik_comm_sum_exact(lat->comm, sums, 2);
    norms[0] = naik_exactsum_value(&sums[0]);
    norms[1] = naik_exactsum_value(&sums[1]);
    return status;
}

static naik_parity other(naik_parity parity)
{
    return (naik_parity)!parity;
}

/* out = a v + s D in on `parity`, for single columns. */
static naik_status affine(worker *w, double a, const naik_field *v, double s, const naik_field *in,
                          naik_parity parity)
{
    const naik_dslash_args args = {.form = NAIK_FORM_AFFINE,
                                   .parity = parity,
                                   .links = w->links,
                                   .in = in,
                                   .out = w->out,
                                   .v = v,
                                   .a = a,
                                   .s = s};
    return naik_dslash(&args);
}

static naik_status import_source(worker *w)
{
    naik_status status = NAIK_OK;
    NAIK_TRY(w->ops->field_import(w->part[NAIK_EVEN], NAIK_EVEN, 0, w->src));
    NAIK_TRY(w->ops->field_import(w->part[NAIK_ODD], NAIK_ODD, 0, w->src));
done:
    return status;
}

/* b_p = 2m src_p - D_pq src_q */
static naik_status load(void *data, int64_t index, naik_field *b, naik_field *x, int column,
                        naik_cg_system *system)
{
    naik_status status = NAIK_OK;
    worker *w = data;
    double mass;
    naik_timer *timer = w->links->geometry->backend->timer;
    (void)x;
    naik_timer_start(timer, "sources");
    NAIK_TRY(read_source(w, w->todo[index], &mass, system));
    NAIK_TRY(import_source(w));
    NAIK_TRY(affine(w, 2 * mass, w->part[w->parity], -1, w->part[other(w->parity)], w->parity));
    NAIK_TRY(w->ops->field_copy_column(b, column, w->out, 0));
    naik_timer_stop(timer, "sources");
done:
    return status;
}

/* src - M x, site by site, from the plain Dslash of both parities; norm[0] = |src|^2, norm[1] =
 * |src - M x|^2 on either parity. */
static naik_status whole_residual(worker *w, double mass, double norm[2][2])
{
    naik_status status = NAIK_OK;
    for (int parity = 0; parity < 2; parity++) {
        NAIK_TRY(w->ops->field_import(w->part[parity], (naik_parity)parity, 0, w->x));
    }
    for (int parity = 0; parity < 2; parity++) {
        NAIK_TRY(naik_dslash_plain(w->links, w->part[!parity], (naik_parity)parity, w->out));
        NAIK_TRY(w->ops->field_export(w->out, (naik_parity)parity, 0, w->dx));
    }
    NAIK_TRY(parity_norms(w->lat, w->src, norm[0]));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < (int64_t)w->lat->sites * 6; i++) {
        w->dx[i] = w->src[i] - (2 * mass * w->x[i] + w->dx[i]);
    }
    NAIK_TRY(parity_norms(w->lat, w->dx, norm[1]));
done:
    return status;
}

/* |b|^2 of b_p = 2m src_p - D_pq src_q, formed once more from the source. */
static naik_status rhs_norm(worker *w, double mass, double *bb)
{
    naik_status status = NAIK_OK;
    double norms[2];
    const naik_parity p = w->parity;
    NAIK_TRY(import_source(w));
    NAIK_TRY(naik_dslash_plain(w->links, w->part[other(p)], p, w->out));
    NAIK_TRY(w->ops->field_export(w->out, p, 0, w->dx));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < (int64_t)w->lat->sites * 6; i++) {
        w->dx[i] = 2 * mass * w->src[i] - w->dx[i];
    }
    NAIK_TRY(parity_norms(w->lat, w->dx, norms));
    *bb = norms[p];
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
    return !(fabs(r->checked_residual - claim) <= 1e-3 * claim + rounding);
}

/* Both residuals of w->x by this file's road, and what they say of the solver's. */
static naik_status verify(worker *w, double mass, naik_propagator_result *out)
{
    naik_status status = NAIK_OK;
    double norm[2][2], xx[2], bb = 0;
    NAIK_TRY(whole_residual(w, mass, norm));
    NAIK_TRY(parity_norms(w->lat, w->x, xx));
    NAIK_TRY(rhs_norm(w, mass, &bb));
    const double source = norm[0][0] + norm[0][1], residual = norm[1][0] + norm[1][1];
    out->source_residual = source > 0 ? sqrt(residual / source) : sqrt(residual);
    out->norm = sqrt(xx[0] + xx[1]);
    out->checked_residual = bb > 0 ? 2 * mass * sqrt(norm[1][w->parity] / bb) : 0;
    out->suspect = is_suspect(out, mass, sqrt(xx[w->parity]), bb);
done:
    return status;
}

static naik_status finish(void *data, int64_t index, const naik_field *x, int column,
                          const naik_cg_result *result)
{
    naik_status status = NAIK_OK;
    worker *w = data;
    naik_cg_system system;
    double mass;
    naik_propagator_result out = {.cg = *result, .parity = w->parity};
    const naik_parity p = w->parity, q = other(p);
    if (result->reason == NAIK_CG_INTERRUPTED) {
        w->interrupted = true;
        return NAIK_OK;
    }
    naik_timer *timer = w->links->geometry->backend->timer;
    naik_timer_start(timer, "rebuild and check");
    NAIK_TRY(read_source(w, w->todo[index], &mass, &system));
    NAIK_TRY(import_source(w));
    NAIK_TRY(w->ops->field_copy_column(w->part[p], 0, x, column));
    NAIK_TRY(w->ops->field_export(w->part[p], p, 0, w->x));
    /* x_q = (src_q - D_qp x_p) / (2m) */
    NAIK_TRY(affine(w, 1 / (2 * mass), w->part[q], -1 / (2 * mass), w->part[p], q));
    NAIK_TRY(w->ops->field_export(w->out, q, 0, w->x));
    NAIK_TRY(verify(w, mass, &out));
    int per_site = w->links->hops == NAIK_HOPS ? NAIK_CG_FLOPS : NAIK_CG_FLOPS_NAIVE;
    out.flops = (double)result->iterations * per_site * 0.5 * (double)w->lat->volume;
    naik_timer_stop(timer, "rebuild and check");
    NAIK_TRY(w->stream->solution(w->stream->data, w->todo[index], w->x, &out));
done:
    return status;
}

static naik_status poll(void *data, const naik_cg_progress *progress)
{
    const worker *w = data;
    naik_cg_progress mine = *progress;
    for (int i = 0; i < mine.running; i++) {
        mine.index[i] = w->todo[mine.index[i]];
    }
    return w->stream->poll(w->stream->data, &mine);
}

static bool is_kept(naik_field *const field[NAIK_CG_VECTORS], int vector)
{
    return vector != NAIK_CG_CORRECTION || field[NAIK_CG_CORRECTION] != field[NAIK_CG_X];
}

/* to: the sites of the parity at work, in checkerboard order. */
static void pack_half(const worker *w, const double *from, double *to)
{
    for (int32_t cb = 0; cb < w->lat->half; cb++) {
        memcpy(to + 6 * (int64_t)cb,
               from + 6 * (int64_t)naik_lattice_site_of(w->lat, w->parity, cb), 6 * sizeof *to);
    }
}

static void unpack_half(const worker *w, const double *from, double *to)
{
    for (int32_t cb = 0; cb < w->lat->half; cb++) {
        memcpy(to + 6 * (int64_t)naik_lattice_site_of(w->lat, w->parity, cb),
               from + 6 * (int64_t)cb, 6 * sizeof *to);
    }
}

static naik_status save(void *data, int64_t index, const naik_cg_state *state,
                        naik_field *const field[NAIK_CG_VECTORS], int column)
{
    naik_status status = NAIK_OK;
    worker *w = data;
    for (int v = 0; v < NAIK_CG_VECTORS; v++) {
        if (is_kept(field, v)) {
            NAIK_TRY(w->ops->field_export(field[v], w->parity, column, w->x));
            pack_half(w, w->x, w->dx);
            NAIK_TRY(w->stream->save(w->stream->data, w->todo[index], state, v, w->dx));
        }
    }
done:
    return status;
}

static naik_status restore(void *data, int64_t index, naik_cg_state *state,
                           naik_field *const field[NAIK_CG_VECTORS], int column, bool *found)
{
    naik_status status = NAIK_OK;
    worker *w = data;
    for (int v = 0; v < NAIK_CG_VECTORS; v++) {
        if (is_kept(field, v)) {
            NAIK_TRY(w->stream->restore(w->stream->data, w->todo[index], state, v, w->dx, found));
            if (!*found) {
                return NAIK_OK;
            }
            unpack_half(w, w->dx, w->x);
            NAIK_TRY(w->ops->field_import(field[v], w->parity, column, w->x));
        }
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
static void select_solves(worker *w, const bool *odd, naik_parity parity, int64_t *count)
{
    *count = 0;
    for (int64_t i = 0; i < w->stream->count; i++) {
        if (odd[i] == (parity == NAIK_ODD)) {
            w->todo[(*count)++] = i;
        }
    }
    w->parity = parity;
}

/* odd[i]: source i sits on odd sites only. */
static naik_status classify(worker *w, bool *odd)
{
    naik_status status = NAIK_OK;
    for (int64_t i = 0; i < w->stream->count; i++) {
        double mass, norms[2];
        naik_cg_system system;
        NAIK_TRY(read_source(w, i, &mass, &system));
        NAIK_TRY(parity_norms(w->lat, w->src, norms));
        odd[i] = norms[0] == 0 && norms[1] > 0;
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
    bool *odd = NULL;
    *interrupted = false;
    NAIK_TRY(naik_comm_agree(comm, worker_allocate(&w)));
    NAIK_TRY(naik_comm_agree(comm, naik_alloc(comm->log, (size_t)stream->count * sizeof *odd,
                                              "a list of solves", (void **)&odd)));
    NAIK_TRY(naik_field_create(geometry, NAIK_DOUBLE, 1, &w.part[0]));
    NAIK_TRY(naik_field_create(geometry, NAIK_DOUBLE, 1, &w.part[1]));
    NAIK_TRY(naik_field_create(geometry, NAIK_DOUBLE, 1, &w.out));
    NAIK_TRY(classify(&w, odd));
    for (int parity = 0; parity < 2 && !w.interrupted; parity++) {
        naik_cg_stream systems = {.data = &w,
                                  .load = load,
                                  .finish = finish,
                                  .stop = stop,
                                  .poll = stream->poll != NULL ? poll : NULL,
                                  .save = stream->save != NULL ? save : NULL,
                                  .restore = stream->restore != NULL ? restore : NULL};
        select_solves(&w, odd, (naik_parity)parity, &systems.count);
        if (systems.count > 0) {
            NAIK_TRY(naik_cg_solve(cg, (naik_parity)parity, options, &systems));
        }
    }
    *interrupted = w.interrupted;
done:
    naik_free(odd);
    worker_release(&w);
    return status;
}
