/* filter.c - three-term recursions, each step two Dslashes and nothing else */
#include "modes/filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/halo.h"
#include "comm/collective.h"
#include "comm/new.h"
#include "modes/hermitian.h"

enum { STEPS_A_QUESTION = 16, LANCZOS_STEPS = 30, MOMENTS_AT_ONCE = 64, MOMENTS_MAX = 4096 };
#define RESOLVED 0.5 /* width of the kernel over the angle from 0 to the eigenvalue asked for */

naik_status naik_filter_create(const naik_links *links, naik_modes_work *work, int nrhs,
                               naik_filter **out)
{
    naik_status status = NAIK_OK;
    const naik_geometry *geometry = links->geometry;
    *out = NULL;
    naik_filter *filter = NULL;
    NAIK_TRY(naik_new(geometry->backend->comm, sizeof *filter, "a filter", (void **)&filter));
    filter->links = links;
    filter->work = work;
    NAIK_TRY(naik_field_create(geometry, NAIK_SINGLE, nrhs, &filter->odd));
    NAIK_TRY(naik_field_create(geometry, NAIK_SINGLE, nrhs, &filter->other));
    *out = filter;
    return status;
done:
    naik_filter_destroy(&filter);
    return status;
}

void naik_filter_destroy(naik_filter **filter)
{
    if (*filter == NULL) {
        return;
    }
    naik_field_destroy(&(*filter)->odd);
    naik_field_destroy(&(*filter)->other);
    free(*filter);
    *filter = NULL;
}

/* Which kernels send the halo of what they write to the next D. */
typedef enum sending { NONE_SENDS, FIRST_SENDS, BOTH_SEND } sending;

/* out = a v + c b + s D_eo D_oe v; b may be out or NULL. */
static naik_status step(naik_filter *filter, const naik_field *v, double a, const naik_field *b,
                        double c, double s, naik_field *out, sending sending)
{
    const naik_dslash_args first = {.form = NAIK_FORM_D,
                                    .parity = NAIK_ODD,
                                    .links = filter->links,
                                    .in = v,
                                    .out = filter->odd,
                                    .send = sending != NONE_SENDS};
    const naik_dslash_args second = {.form = NAIK_FORM_AFFINE,
                                     .parity = NAIK_EVEN,
                                     .links = filter->links,
                                     .in = filter->odd,
                                     .out = out,
                                     .v = v,
                                     .b = b,
                                     .a = a,
                                     .c = c,
                                     .s = s,
                                     .send = sending == BOTH_SEND};
    NAIK_PASS(naik_dslash(&first));
    NAIK_PASS(naik_dslash(&second));
    filter->applications += v->nrhs;
    return NAIK_OK;
}

/* x v = a v + s D_eo D_oe v */
static void scales(const naik_filter *filter, double *a, double *s)
{
    *a = -(filter->high + filter->low) / (filter->high - filter->low);
    *s = -2 / (filter->high - filter->low);
}

naik_status naik_filter_apply(naik_filter *filter, naik_field *v)
{
    double a, s;
    naik_field *now = filter->other, *last = v;
    naik_halo *halo = v->geometry->halo;
    const naik_layers even = {.parity = NAIK_EVEN, .depth = naik_links_depth(filter->links)};
    scales(filter, &a, &s);
    naik_field_set_nrhs(filter->odd, v->nrhs);
    NAIK_PASS(naik_halo_prime(halo, v, &even));
    NAIK_PASS(step(filter, v, a, NULL, 0, s, now, filter->degree > 1 ? BOTH_SEND : FIRST_SENDS));
    for (int k = 1; k < filter->degree; k++) {
        if (k % STEPS_A_QUESTION == 0 && filter->stop != NULL && filter->stop(filter->stop_data)) {
            NAIK_PASS(naik_halo_drain(halo, now, &even));
            return NAIK_FAIL(v->geometry->backend->log, NAIK_ERR_INTERRUPTED,
                             "a filter was interrupted");
        }
        NAIK_PASS(step(filter, now, 2 * a, last, -1, 2 * s, last,
                       k + 1 < filter->degree ? BOTH_SEND : FIRST_SENDS));
        naik_field *next = last;
        last = now;
        now = next;
    }
    return NAIK_OK;
}

double naik_filter_inverse(const naik_filter *filter, double factor)
{
    const double x = -cosh(acosh(fmax(factor, 1)) / filter->degree);
    return 0.5 * (x * (filter->high - filter->low) + filter->high + filter->low);
}

/* |v|^2 of the first rhs. */
static naik_status norm2(naik_filter *filter, const naik_field *v, double *out)
{
    double all[NAIK_MAX_RHS];
    naik_status status = naik_modes_norms(filter->work, v, all);
    *out = all[0];
    return status;
}

/* The largest eigenvalue of the tridiagonal matrix, with the bound on its error. */
static naik_status largest_of(naik_log *log, int n, const double *alpha, const double *beta,
                              double *out)
{
    naik_complex a[LANCZOS_STEPS * LANCZOS_STEPS] = {{0, 0}}, z[LANCZOS_STEPS * LANCZOS_STEPS];
    double value[LANCZOS_STEPS];
    for (int k = 0; k < n; k++) {
        a[k * n + k].re = alpha[k];
        if (k > 0) {
            a[k * n + k - 1].re = beta[k - 1];
        }
    }
    NAIK_PASS(naik_hermitian_solve(log, n, a, value, z));
    const naik_complex last = z[n * n - 1];
    *out = value[n - 1] + beta[n - 1] * sqrt(last.re * last.re + last.im * last.im);
    return NAIK_OK;
}

/* u_k = n_k v_k, so that no vector has to be normalised; (u, -D_eo D_oe u) = |D_oe u|^2. */
naik_status naik_filter_largest(naik_filter *filter, const naik_field *v, double *high)
{
    enum { UNIT = 5 }; /* about beta: keeps n_k about where it was */
    naik_status status = NAIK_OK;
    const naik_geometry *geometry = v->geometry;
    const naik_backend_ops *ops = geometry->backend->ops;
    double alpha[LANCZOS_STEPS], beta[LANCZOS_STEPS], nn, nn_last = 1, odd;
    naik_field *now = NULL, *last = NULL, *swap = NULL;
    int steps = 0;
    NAIK_TRY(naik_field_create(geometry, NAIK_SINGLE, 1, &now));
    NAIK_TRY(naik_field_create(geometry, NAIK_SINGLE, 1, &last));
    naik_field_set_nrhs(filter->odd, 1);
    NAIK_TRY(ops->field.copy_rhs(now, 0, v, 0));
    NAIK_TRY(norm2(filter, now, &nn));
    while (steps < LANCZOS_STEPS && nn > 0) {
        NAIK_TRY(naik_dslash_plain(filter->links, now, NAIK_ODD, filter->odd));
        NAIK_TRY(norm2(filter, filter->odd, &odd));
        alpha[steps] = odd / nn;
        const double back = steps > 0 ? beta[steps - 1] * sqrt(nn / nn_last) : 0;
        NAIK_TRY(step(filter, now, -alpha[steps] / UNIT, steps > 0 ? last : NULL, -back / UNIT,
                      -1.0 / UNIT, last, NONE_SENDS));
        swap = now;
        now = last;
        last = swap;
        nn_last = nn;
        NAIK_TRY(norm2(filter, now, &nn));
        beta[steps++] = UNIT * sqrt(nn / nn_last);
        if (!(nn > 1e-10 * nn_last)) { /* the Krylov space is exhausted */
            break;
        }
    }
    if (steps == 0 || !isfinite(nn)) {
        status = NAIK_FAIL(geometry->backend->log, NAIK_ERR_CORRUPT,
                           "the operator gives no finite numbers: its links are damaged");
        goto done;
    }
    NAIK_TRY(largest_of(geometry->backend->log, steps, alpha, beta, high));
    *high *= 1.02;
done:
    naik_field_destroy(&now);
    naik_field_destroy(&last);
    return status;
}

/* Number of eigenvalues below angle theta, of `dimension`, from moments with Jackson's kernel. */
static double count_below(const double *moment, int moments, double dimension, double theta)
{
    const double step_angle = M_PI / (moments + 1);
    double sum = moment[0] * (M_PI - theta);
    for (int k = 1; k < moments; k++) {
        const double kernel =
            ((moments - k + 1) * cos(step_angle * k) + sin(step_angle * k) / tan(step_angle)) /
            (moments + 1);
        sum -= 2 * kernel * moment[k] * sin(k * theta) / k;
    }
    return dimension * sum / M_PI;
}

/* The angle below which n of them are. */
static double angle_of(const double *moment, int moments, double dimension, double n)
{
    double above = 0, below = M_PI;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (above + below);
        if (count_below(moment, moments, dimension, middle) > n) {
            above = middle;
        } else {
            below = middle;
        }
    }
    return 0.5 * (above + below);
}

/* Sums of (v_c, w_c) on this rank, [rhs], for moment number `at` of those that are added up next. */
static naik_status note_moment(naik_filter *filter, const naik_field *v, const naik_field *w,
                               naik_exactsum *sums, int at)
{
    naik_backend *backend = v->geometry->backend;
    const naik_reduction_ops *ops = &backend->ops->reduction;
    const size_t count = (size_t)v->nrhs;
    NAIK_PASS(ops->clear(backend, filter->work->sums, v->nrhs));
    NAIK_PASS(ops->dot(v, w, NULL, NAIK_RHS_IDLE, filter->work->sums));
    return naik_backend_download(backend, sums + (size_t)at * count, filter->work->sums,
                                 count * sizeof *sums);
}

/* moment_k = mean over rhs of (v_c, w_c)/first_c; one sum over ranks for all of them. */
static naik_status add_moments(naik_comm *comm, naik_exactsum *sums, int moments, int nrhs,
                               const double *first, double *moment)
{
    NAIK_PASS(naik_comm_sum_exact(comm, sums, moments * nrhs));
    for (int k = 0; k < moments; k++) {
        moment[k] = 0;
        for (int c = 0; c < nrhs; c++) {
            moment[k] += naik_exactsum_value(&sums[k * nrhs + c]) / first[c] / nrhs;
        }
    }
    return NAIK_OK;
}

/* Moments from .. from + MOMENTS_AT_ONCE of the density, from T_k = *now and T_k-1 = *last on, k =
 * from/2: (T_k, T_k) = (mu_2k + mu_0)/2 and (T_k, T_k+1) = (mu_2k+1 + mu_1)/2, two a step. */
static naik_status more_moments(naik_filter *filter, naik_field **last, naik_field **now,
                                naik_exactsum *sums, const double *first, double *moment, int from)
{
    double a, s;
    const int nrhs = (*now)->nrhs;
    scales(filter, &a, &s);
    for (int k = 0; k < MOMENTS_AT_ONCE; k += 2) {
        naik_field *before = *last;
        NAIK_PASS(note_moment(filter, *now, *now, sums, k));
        NAIK_PASS(from + k == 0 ? step(filter, *now, a, NULL, 0, s, before, NONE_SENDS)
                                : step(filter, *now, 2 * a, before, -1, 2 * s, before, NONE_SENDS));
        *last = *now;
        *now = before;
        NAIK_PASS(note_moment(filter, *now, *last, sums, k + 1));
    }
    NAIK_PASS(add_moments((*now)->geometry->backend->comm, sums, MOMENTS_AT_ONCE, nrhs, first,
                          moment + from));
    for (int k = from; k < from + MOMENTS_AT_ONCE; k++) {
        moment[k] = k < 2 ? moment[k] : 2 * moment[k] - moment[k % 2];
    }
    return NAIK_OK;
}

naik_status naik_filter_estimate(naik_filter *filter, naik_field *v, int n, double *lambda2)
{
    naik_status status = NAIK_OK;
    const double dimension = 1.5 * (double)v->geometry->lattice->volume;
    naik_backend *backend = v->geometry->backend;
    double theta = 0, first[NAIK_MAX_RHS], *moment = NULL;
    naik_field *last = filter->other, *now = v;
    naik_exactsum *sums = NULL;
    NAIK_TRY(naik_new(backend->comm, (size_t)MOMENTS_AT_ONCE * (size_t)v->nrhs * sizeof *sums,
                      "moments of a spectrum", (void **)&sums));
    NAIK_TRY(naik_new(backend->comm, MOMENTS_MAX * sizeof *moment, "moments of a spectrum",
                      (void **)&moment));
    filter->low = 0;
    naik_field_set_nrhs(filter->odd, v->nrhs);
    NAIK_TRY(naik_modes_norms(filter->work, v, first));
    for (int moments = 0; moments < MOMENTS_MAX;) {
        NAIK_TRY(more_moments(filter, &last, &now, sums, first, moment, moments));
        moments += MOMENTS_AT_ONCE;
        theta = angle_of(moment, moments, dimension, n);
        if (M_PI / moments < RESOLVED * (M_PI - theta)) {
            break;
        }
    }
    *lambda2 = 0.5 * filter->high * (1 + cos(theta));
done:
    free(sums);
    free(moment);
    return status;
}
