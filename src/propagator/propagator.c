/* propagator.c - from sources to verified solutions of M x = src
 *
 * The solver sees one parity; the operator makes its right-hand sides, reconstructs the other parity
 * and checks the whole independently. This file keeps the queue and judges. All of it where the
 * fields are.
 */
#include "propagator/propagator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exactsum.h"
#include "base/memory.h"
#include "propagator/groups.h"

/* Beside the bits of the vectors of a state that is kept: is_across; else its vectors are those of
 * another parity. */
#define ACROSS      (UINT32_C(1) << 16)
#define LEAST_NORM2 1e-260 /* of a source: squares of its residuals are numbers, too */
#define USUAL_NORM2 1e-40  /* from here to its inverse a source is solved as it is */

typedef struct worker {
    const naik_lattice *lat;
    naik_backend *backend;
    const naik_backend_ops *ops;
    const naik_propagator_stream *stream;
    naik_solution now; /* the solve that is read, or finished; its parity is that at work */
    double *sites;     /* [sites][spin][3][2], sources on their way in, solutions out */
    double *half;      /* [half][spin][3][2], a vector of an interrupted solve */
    solve_info *info;  /* [stream->count] */
    int64_t *todo;     /* solves of the parity at work */
    group_batch batch; /* of them, those in the solver */
    bool interrupted;
} worker;

static bool corrects(const naik_propagator_stream *stream)
{
    return stream->starter != NULL && stream->starter->correct != NULL;
}

static void worker_release(worker *w)
{
    for (int parity = 0; parity < 2; parity++) {
        naik_field_destroy(&w->now.src[parity]);
        naik_field_destroy(&w->now.x[parity]);
    }
    naik_field_destroy(&w->now.work);
    naik_backend_release(w->backend, w->now.sum);
    naik_free(w->sites);
    naik_free(w->half);
    naik_free(w->todo);
    naik_free(w->info);
    naik_free(w->batch.index);
    naik_free(w->batch.of);
    naik_free(w->batch.shift);
}

/* Reals of a site. */
static size_t site_reals(const worker *w)
{
    return 6 * (size_t)w->now.op->ops->spin;
}

static naik_status worker_allocate(worker *w)
{
    naik_log *log = w->lat->comm->log;
    const size_t bytes = (size_t)w->lat->sites * site_reals(w) * sizeof(double);
    NAIK_PASS(naik_alloc_open(log, bytes, "a source", (void **)&w->sites));
    NAIK_PASS(naik_alloc_open(log, bytes / 2, "a vector of the solver", (void **)&w->half));
    const size_t count = (size_t)w->stream->count;
    const char *list = "a list of solves";
    NAIK_PASS(naik_alloc(log, count * sizeof *w->info, list, (void **)&w->info));
    NAIK_PASS(naik_alloc(log, count * sizeof *w->todo, list, (void **)&w->todo));
    NAIK_PASS(naik_alloc(log, count * sizeof *w->batch.index, list, (void **)&w->batch.index));
    NAIK_PASS(naik_alloc(log, count * sizeof *w->batch.of, list, (void **)&w->batch.of));
    NAIK_PASS(naik_alloc(log, count * sizeof *w->batch.shift, list, (void **)&w->batch.shift));
    return naik_backend_alloc(w->backend, sizeof *w->now.sum, "a sum", (void **)&w->now.sum);
}

static naik_status worker_create_fields(worker *w)
{
    const naik_geometry *geometry = w->now.op->geometry;
    const int spin = w->now.op->ops->spin;
    for (int parity = 0; parity < 2; parity++) {
        NAIK_PASS(naik_field_create_spin(geometry, NAIK_DOUBLE, spin, 1, &w->now.src[parity]));
        NAIK_PASS(naik_field_create_spin(geometry, NAIK_DOUBLE, spin, 1, &w->now.x[parity]));
    }
    return naik_field_create_spin(geometry, NAIK_DOUBLE, spin, 1, &w->now.work);
}

/* field *= factor, a power of two; now.work is lost. */
static naik_status multiply(worker *w, double factor, naik_field *field)
{
    if (factor == 1) {
        return NAIK_OK;
    }
    NAIK_PASS(w->ops->field.zero(w->now.work, NULL, NAIK_RHS_IDLE));
    NAIK_PASS(w->ops->field.axpy(factor, field, w->now.work));
    return w->ops->field.copy(field, w->now.work, NULL, NAIK_RHS_IDLE);
}

/* Source, times its scale, and mass of solve `index` into w->now, and the rest of its system; now.work is lost. */
static naik_status read_source(worker *w, int64_t index, naik_solver_system *system)
{
    double *mass = &w->now.mass;
    const naik_propagator_stream *stream = w->stream;
    const bool there = stream->there != NULL;
    int32_t part[2] = {0, w->lat->sites};
    naik_status status = stream->source(stream->data, index, there ? NULL : w->sites, mass,
                                        &system->tolerance, &system->site_tolerance);
    const double least = w->now.op->ops->least_mass;
    if (status == NAIK_OK && !(*mass > least)) {
        status =
            NAIK_FAIL(w->lat->comm->log, NAIK_ERR_ARG, "mass %g is not above %g", *mass, least);
    }
    if (stream->part != NULL) {
        stream->part(stream->data, index, part);
    }
    for (int parity = 0; parity < 2 && status == NAIK_OK; parity++) {
        naik_field *to = w->now.src[parity];
        status = there ? w->ops->field.from_device(to, (naik_parity)parity, 0,
                                                   stream->there(stream->data, index, false))
                       : w->ops->field.from_part(to, (naik_parity)parity, 0, w->sites, part);
        status = status == NAIK_OK ? multiply(w, w->info[index].scale, to) : status;
    }
    system->shift = w->now.op->ops->shift(*mass);
    return status;
}

/* rhs of b: b_p of the source in w->now, which stays in now.work. */
static naik_status make_rhs(worker *w, naik_field *b, int irhs)
{
    NAIK_PASS(w->now.op->ops->make_rhs(&w->now));
    return w->ops->field.copy_rhs(b, irhs, w->now.work, 0);
}

/* Low modes are known on the even sites: a source on odd sites alone is solved there as well, where
 * its right-hand side is that of D. */
static bool is_across(const worker *w, int64_t index)
{
    const solve_info *info = &w->info[index];
    return corrects(w->stream) && info->on[NAIK_ODD] && !info->on[NAIK_EVEN];
}

/* What the whole lattice asks for, and a little more for rounding, as a tolerance of the parity's
 * system, whose b_p is in now.work. On the odd sites |r| / |b| would be that of the whole: a source
 * that is solved across keeps its tolerance on the whole, and stagnates where double precision ends. */
static naik_status hold_whole(worker *w, int64_t index, naik_solver_system *system)
{
    const naik_solution *now = &w->now;
    const double full = w->stream->tolerance_full;
    const bool across = is_across(w, index);
    double src[2], bb = 0;
    if (full > 0 || across) {
        NAIK_PASS(naik_solution_norm2(now, now->src[NAIK_EVEN], &src[NAIK_EVEN]));
        NAIK_PASS(naik_solution_norm2(now, now->src[NAIK_ODD], &src[NAIK_ODD]));
        NAIK_PASS(naik_solution_norm2(now, now->work, &bb));
        const double scale = now->op->ops->residual_scale(now->op, now->mass);
        const double whole = (1 - 1e-6) * (bb > 0 ? scale * sqrt((src[0] + src[1]) / bb) : 1);
        const double asked = system->tolerance;
        if (full > 0) {
            system->tolerance = fmin(system->tolerance, full * whole);
        }
        if (across) {
            system->tolerance = fmin(system->tolerance, asked * whole);
        }
    }
    return NAIK_OK;
}

static naik_status load(void *data, int64_t index, naik_field *b, int irhs,
                        naik_solver_system *system)
{
    worker *w = data;
    naik_timer_start(w->backend->timer, "sources");
    NAIK_PASS(read_source(w, w->batch.index[index], system));
    NAIK_PASS(make_rhs(w, b, irhs));
    NAIK_PASS(hold_whole(w, w->batch.index[index], system));
    system->limit = w->batch.index[index] == 0 ? w->stream->limit : 0;
    naik_timer_stop(w->backend->timer, "sources");
    return NAIK_OK;
}

/* The stream's own starting value, of the parity solved. */
static naik_status take_guess(worker *w, int64_t index, naik_field *x, int irhs)
{
    naik_guess guess = NAIK_GUESS_NONE;
    naik_start_value value = {.scale = 1};
    naik_timer_start(w->backend->timer, "guesses");
    NAIK_PASS(w->stream->guess(w->stream->data, index, w->sites, &guess));
    const double scale = w->info[index].scale;
    const size_t reals = (size_t)w->lat->sites * site_reals(w);
    for (size_t i = 0; guess != NAIK_GUESS_NONE && scale != 1 && i < reals; i++) {
        w->sites[i] *= scale;
    }
    if (guess == NAIK_GUESS_FOREIGN) {
        NAIK_PASS(naik_start_value_weigh(&w->now, w->lat, w->sites, &value));
        w->stream->weighed(w->stream->data, index, &value);
    }
    if (guess != NAIK_GUESS_NONE && value.scale != 0) {
        NAIK_PASS(w->ops->field.from_host(x, w->now.parity, irhs, w->sites));
    }
    naik_timer_stop(w->backend->timer, "guesses");
    return NAIK_OK;
}

/* From the Krylov space that the solve shares, or from the stream's own value. */
static naik_status start(void *data, int64_t index, naik_field *x, int irhs, naik_solver_start *out)
{
    worker *w = data;
    if (w->batch.of[index] >= 0) {
        return naik_multishift_take(w->stream->multishift, w->batch.of[index],
                                    w->batch.shift[index], x, irhs, out);
    }
    return w->stream->guess == NULL ? NAIK_OK : take_guess(w, w->batch.index[index], x, irhs);
}

static naik_status correct(void *data, const naik_solver_correction *at)
{
    const worker *w = data;
    return w->stream->starter->correct(w->stream->starter->data, at);
}

/* The right-hand side of a group's base. */
static naik_status load_group(void *data, int index, naik_field *b, int irhs)
{
    worker *w = data;
    naik_solver_system unused;
    naik_timer_start(w->backend->timer, "sources");
    NAIK_PASS(read_source(w, w->batch.member[index], &unused));
    w->now.mass = w->batch.base[index];
    NAIK_PASS(make_rhs(w, b, irhs));
    naik_timer_stop(w->backend->timer, "sources");
    return NAIK_OK;
}

/* Of the iterations, those that a base carried along counted by what they are. */
static double count_flops(const worker *w, int64_t index, const naik_solver_result *result)
{
    const naik_operator *op = w->now.op;
    const int carried = w->batch.shift[index] > 0 ? result->start_iterations : 0;
    const double each = op->ops->spin * NAIK_SHIFT_FLOPS - op->ops->step_flops(op);
    return 0.5 * (double)w->lat->volume * (result->flops + (double)carried * each);
}

/* Whether the solver's residual and the independent one, equal in exact arithmetic, are as near as
 * rounding puts them. A thousandth of the residual itself is forgiven. */
static bool is_suspect(const naik_solver_result *cg, const naik_solution_check *found)
{
    if (cg->reason == NAIK_SOLVER_ZERO_SOURCE) {
        return found->norm != 0 || found->rhs_norm != 0;
    }
    if (!isfinite(cg->residual)) {
        return false; /* broken, and reported as that */
    }
    return !(fabs(found->independent_residual - cg->residual) <=
             1e-3 * cg->residual + found->rounding);
}

bool naik_propagator_converged(const naik_propagator_result *result, double tolerance_full)
{
    if (result->cg.reason == NAIK_SOLVER_ZERO_SOURCE) {
        return true;
    }
    return result->cg.reason == NAIK_SOLVER_CONVERGED && isfinite(result->source_residual) &&
           (tolerance_full == 0 || result->source_residual <= tolerance_full);
}

/* The solution on the host, unless nobody reads it there, or where the caller wants it. */
static naik_status hand_out(worker *w, int64_t index, const double **out)
{
    const naik_propagator_stream *stream = w->stream;
    const bool there = stream->there != NULL;
    for (int parity = 0; parity < 2 && there; parity++) {
        NAIK_PASS(w->ops->field.to_device(w->now.x[parity], (naik_parity)parity, 0,
                                          stream->there(stream->data, index, true)));
    }
    const bool read = stream->read == NULL || stream->read(stream->data, index);
    *out = read && !there ? w->sites : NULL;
    for (int parity = 0; parity < 2 && *out != NULL; parity++) {
        NAIK_PASS(w->ops->field.to_host(w->now.x[parity], (naik_parity)parity, 0, w->sites));
    }
    return NAIK_OK;
}

static naik_status finish(void *data, int64_t index, const naik_field *x, int irhs,
                          const naik_solver_result *result)
{
    worker *w = data;
    naik_solver_system system;
    naik_solution_check found;
    const naik_operator_ops *ops = w->now.op->ops;
    const double *sites = NULL;
    naik_propagator_result out = {.cg = *result, .parity = w->now.parity};
    if (result->reason == NAIK_SOLVER_INTERRUPTED) {
        w->interrupted = true;
        return NAIK_OK;
    }
    naik_timer_start(w->backend->timer, "rebuild and check");
    NAIK_PASS(read_source(w, w->batch.index[index], &system));
    NAIK_PASS(w->ops->field.copy_rhs(w->now.x[out.parity], 0, x, irhs));
    NAIK_PASS(ops->reconstruct(&w->now));
    NAIK_PASS(ops->check(&w->now, &found));
    const double back = 1 / w->info[w->batch.index[index]].scale;
    for (int parity = 0; parity < 2; parity++) {
        NAIK_PASS(multiply(w, back, w->now.x[parity]));
    }
    NAIK_PASS(hand_out(w, w->batch.index[index], &sites));
    out.source_residual = found.source_residual;
    out.independent_residual = found.independent_residual;
    out.norm = found.norm * back;
    out.suspect = is_suspect(result, &found);
    out.flops = count_flops(w, index, result);
    naik_timer_stop(w->backend->timer, "rebuild and check");
    out.part[NAIK_EVEN] = w->now.x[NAIK_EVEN];
    out.part[NAIK_ODD] = w->now.x[NAIK_ODD];
    return w->stream->solution(w->stream->data, w->batch.index[index], sites, &out);
}

static naik_status poll(void *data, const naik_solver_progress *progress)
{
    const worker *w = data;
    naik_solver_progress mine = *progress;
    for (int i = 0; i < mine.running; i++) {
        mine.index[i] = w->batch.index[mine.index[i]];
    }
    return w->stream->poll(w->stream->data, &mine);
}

static naik_status poll_groups(void *data, const naik_solver_progress *progress)
{
    const worker *w = data;
    naik_solver_progress mine = *progress;
    for (int i = 0; i < mine.running; i++) {
        mine.index[i] = w->batch.member[mine.index[i]];
    }
    return w->stream->poll(w->stream->data, &mine);
}

/* to: the sites of the parity at work, in checkerboard order. */
static void pack_half(const worker *w, const double *from, double *to)
{
    const size_t reals = site_reals(w);
#pragma omp parallel for schedule(static)
    for (int32_t cb = 0; cb < w->lat->volume_cb; cb++) {
        const size_t site = (size_t)naik_lattice_site_of(w->lat, w->now.parity, cb);
        memcpy(to + reals * (size_t)cb, from + reals * site, reals * sizeof *to);
    }
}

static naik_status save(void *data, int64_t index, const naik_solver_state *state,
                        naik_field *const field[NAIK_SOLVER_VECTORS], int irhs)
{
    worker *w = data;
    naik_solver_state whole = *state;
    for (int v = 0; v < NAIK_SOLVER_VECTORS; v++) {
        whole.vectors |= (uint32_t)(field[v] != NULL) << v;
    }
    whole.vectors |= is_across(w, w->batch.index[index]) ? ACROSS : 0;
    for (int v = 0; v < NAIK_SOLVER_VECTORS; v++) {
        if (field[v] != NULL) {
            NAIK_PASS(w->ops->field.to_host(field[v], w->now.parity, irhs, w->sites));
            pack_half(w, w->sites, w->half);
            NAIK_PASS(w->stream->save(w->stream->data, w->batch.index[index], &whole, v, w->half));
        }
    }
    return NAIK_OK;
}

/* One vector into its field, of a state that has been read. */
static naik_status restore_vector(worker *w, int64_t index, naik_solver_state *state, int v,
                                  naik_field *field, int irhs, bool *found)
{
    NAIK_PASS(w->stream->restore(w->stream->data, w->batch.index[index], state, v, w->half, found));
    if (*found && field != NULL) {
        naik_lattice_scatter(w->lat, w->now.parity, 0, w->lat->volume_cb, w->half,
                             (int)site_reals(w), w->sites);
        NAIK_PASS(w->ops->field.from_host(field, w->now.parity, irhs, w->sites));
    }
    return NAIK_OK;
}

static naik_status restore(void *data, int64_t index, naik_solver_state *state,
                           naik_field *const field[NAIK_RUNGS][NAIK_SOLVER_VECTORS], int irhs,
                           bool *found)
{
    worker *w = data;
    /* the state says which vectors there are */
    NAIK_PASS(restore_vector(w, index, state, NAIK_SOLVER_STATE, NULL, irhs, found));
    const bool across = is_across(w, w->batch.index[index]);
    if (!*found || state->rung < 0 || state->rung >= NAIK_RUNGS ||
        across != ((state->vectors & ACROSS) != 0)) {
        *found = false;
        return NAIK_OK;
    }
    naik_field *const *mine = field[state->rung];
    for (int v = NAIK_SOLVER_VECTORS - 1; v > NAIK_SOLVER_X && *found; v--) {
        if ((state->vectors >> v & 1) != 0) {
            NAIK_PASS(restore_vector(w, index, state, v, mine[v], irhs, found));
        }
    }
    /* x last: where a vector is lost, the solve starts from the x that it was loaded with */
    if (*found) {
        NAIK_PASS(restore_vector(w, index, state, NAIK_SOLVER_X, mine[NAIK_SOLVER_X], irhs, found));
    }
    return NAIK_OK;
}

static bool stop(void *data)
{
    worker *w = data;
    bool now = w->stream->stop != NULL && w->stream->stop(w->stream->data);
    w->interrupted = w->interrupted || now;
    return now;
}

static naik_solver_pace pace(void *data)
{
    const worker *w = data;
    return w->stream->pace(w->stream->data);
}

/* Whether solves wait for the first to decide, and nothing of theirs may begin after it. */
static bool ends_with_first(worker *w)
{
    return w->stream->pace != NULL && pace(w) != NAIK_SOLVER_ALL;
}

/* Whether a solve is on odd sites, where its source sits alone. */
static bool is_odd(const worker *w, int64_t index)
{
    const solve_info *info = &w->info[index];
    return info->on[NAIK_ODD] && !info->on[NAIK_EVEN] && !is_across(w, index);
}

/* Those, or all the others. */
static int64_t select_solves(worker *w)
{
    int64_t count = 0;
    for (int64_t i = 0; i < w->stream->count; i++) {
        if (is_odd(w, i) == (w->now.parity == NAIK_ODD)) {
            w->todo[count++] = i;
        }
    }
    return count;
}

/* That a solve can measure its residuals: squares of numbers that are smaller still are 0, and the
 * source would be taken for one without numbers. now.work is lost. */
static naik_status check_size(worker *w, double norm2)
{
    const double larger = 1e250; /* its product with any number but 0 has a square */
    double seen = 0;
    for (int parity = 0; parity < 2 && norm2 < LEAST_NORM2; parity++) {
        double part = 0;
        NAIK_PASS(w->ops->field.zero(w->now.work, NULL, NAIK_RHS_IDLE));
        NAIK_PASS(w->ops->field.axpy(larger, w->now.src[parity], w->now.work));
        NAIK_PASS(naik_solution_norm2(&w->now, w->now.work, &part));
        seen += part;
    }
    return seen == 0 ? NAIK_OK
                     : NAIK_FAIL(w->lat->comm->log, NAIK_ERR_INPUT,
                                 "the squares of a source add up to less than %.0e, which is too "
                                 "little for a solve: multiply the source by a large number, and "
                                 "divide the solution by it",
                                 LEAST_NORM2);
}

/* Sources far from 1, such as sequential ones of heavy quarks, leave the numbers of a float. */
static double scale_of(double norm2)
{
    int exponent = 0;
    (void)frexp(norm2, &exponent);
    return norm2 > 0 && (norm2 < USUAL_NORM2 || norm2 > 1 / USUAL_NORM2) ? ldexp(1, -exponent / 2)
                                                                         : 1;
}

static naik_status classify(worker *w)
{
    naik_timer_start(w->backend->timer, "sources");
    for (int64_t i = 0; i < w->stream->count; i++) {
        solve_info *info = &w->info[i];
        naik_solver_system system;
        info->scale = 1;
        NAIK_PASS(read_source(w, i, &system));
        info->mass = w->now.mass;
        info->tolerance = system.tolerance; /* of one parity both are on the same vector */
        if (w->stream->tolerance_full > 0) {
            info->tolerance = fmin(info->tolerance, w->stream->tolerance_full);
        }
        double both = 0;
        for (int parity = 0; parity < 2; parity++) {
            double norm2 = 0;
            NAIK_PASS(naik_solution_norm2(&w->now, w->now.src[parity], &norm2));
            info->on[parity] = norm2 != 0;
            both += norm2;
            if (!isfinite(both)) {
                return NAIK_FAIL(w->lat->comm->log, NAIK_ERR_INPUT,
                                 "a source holds numbers that are not finite, or whose squares "
                                 "are not: divide a source of such squares by a large number, and "
                                 "multiply the solution by that number");
            }
        }
        NAIK_PASS(check_size(w, both));
        info->scale = scale_of(both);
        info->group = -1;
        if (w->stream->multishift != NULL && !is_across(w, i)) {
            info->group = w->stream->group(w->stream->data, i, &info->base);
        }
    }
    naik_timer_stop(w->backend->timer, "sources");
    return NAIK_OK;
}

/* The solves of a parity, batch of groups after batch, and then those that share nothing. */
static naik_status solve_parity(worker *w, naik_solver *solver, const naik_solver_options *options)
{
    const naik_propagator_stream *stream = w->stream;
    const int64_t count = select_solves(w);
    for (;;) {
        bool stopped = false;
        int groups = 0, shifts = 0;
        naik_multishift_shape(stream->multishift, &groups, &shifts);
        group_batch_next(w->now.op->ops, w->info, w->todo, count, groups, shifts, &w->batch);
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
            NAIK_PASS(naik_multishift_solve(stream->multishift, w->now.parity, options, &shared,
                                            &stopped));
        }
        const naik_solver_starter starter = {.data = w,
                                             .start = start,
                                             .correct = corrects(stream) ? correct : NULL,
                                             .again =
                                                 corrects(stream) ? stream->starter->again : 0};
        const naik_solver_stream systems = {.data = w,
                                            .starter = &starter,
                                            .count = w->batch.count,
                                            .load = load,
                                            .finish = finish,
                                            .stop = stop,
                                            .pace = stream->pace != NULL ? pace : NULL,
                                            .poll = stream->poll != NULL ? poll : NULL,
                                            .save = stream->save != NULL ? save : NULL,
                                            .restore = stream->restore != NULL ? restore : NULL};
        if (!stopped) {
            NAIK_PASS(naik_solver_solve(solver, w->now.parity, options, &systems));
        }
        if (w->interrupted || ends_with_first(w)) {
            break;
        }
    }
    return NAIK_OK;
}

naik_status naik_propagator_solve(const naik_operator *op, naik_solver *solver,
                                  const naik_solver_options *options,
                                  const naik_propagator_stream *stream, bool *interrupted)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lattice = op->geometry->lattice;
    worker w = {.now = {.op = op},
                .lat = lattice,
                .backend = op->geometry->backend,
                .ops = op->geometry->backend->ops,
                .stream = stream};
    *interrupted = false;
    naik_timer_start(w.backend->timer, "memory");
    NAIK_TRY(naik_comm_agree(lattice->comm, worker_allocate(&w)));
    NAIK_TRY(worker_create_fields(&w));
    naik_timer_stop(w.backend->timer, "memory");
    NAIK_TRY(classify(&w));
    const bool odd_first = ends_with_first(&w) && stream->count > 0 && is_odd(&w, 0);
    for (int turn = 0; turn < 2 && !w.interrupted && (turn == 0 || !ends_with_first(&w)); turn++) {
        w.now.parity = odd_first == (turn == 0) ? NAIK_ODD : NAIK_EVEN;
        NAIK_TRY(solve_parity(&w, solver, options));
    }
    *interrupted = w.interrupted;
done:
    worker_release(&w);
    return status;
}
