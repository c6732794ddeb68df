/* lanczos_basis.c - CGS2 and CholeskyQR2: the next block of a Lanczos basis */
#include "modes/lanczos_basis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/worst.h"
#include "modes/hermitian.h"

enum { STREAM = 0x6d64 }; /* of the random numbers, plus the number of the vector */

/* w = a block of random vectors that no other block of this seed is. */
naik_status lanczos_fill_random(lanczos *l)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = l->geometry->lattice;
    double *v = NULL;
    status = naik_alloc(l->log, (size_t)lat->sites * 6 * sizeof *v, "a random vector", (void **)&v);
    NAIK_TRY(naik_comm_agree(lat->comm, status));
    for (int c = 0; c < BLOCK; c++) {
        const uint32_t stream = STREAM + (uint32_t)(l->state.randoms * BLOCK + c);
#pragma omp parallel for schedule(static)
        for (int32_t cb = 0; cb < lat->volume_cb; cb++) {
            const int32_t site = naik_lattice_site_of(lat, NAIK_EVEN, cb);
            int x[NAIK_DIM];
            naik_lattice_coords(lat, site, x);
            naik_rng rng =
                naik_rng_at(l->options->seed, stream, (uint64_t)naik_lattice_global(lat, x));
            for (int i = 0; i < 6; i++) {
                v[6 * (int64_t)site + i] = naik_rng_uniform(&rng) - 0.5;
            }
        }
        NAIK_TRY(l->geometry->backend->ops->field.from_host(l->w, NAIK_EVEN, c, v));
    }
    l->state.randoms++;
done:
    naik_free(v);
    return status;
}

/* w -= V V^+ w; the products join column block `column` of T, where there is one (>= 0). */
naik_status lanczos_project_out(lanczos *l, int size, int column)
{
    double norm2[BLOCK];
    if (size == 0) {
        return NAIK_OK;
    }
    NAIK_PASS(naik_modes_norms(l->work, l->w, norm2));
    NAIK_PASS(naik_modes_project(l->work, l->basis->block, size, 1.01, l->w, norm2, l->c));
    for (int i = 0; i < size && column >= 0; i++) {
        for (int j = 0; j < BLOCK; j++) { /* below the diagonal: T_ji = conj T_ij */
            naik_complex *to = &l->t[(size_t)(column + j) * (size_t)l->krylov + (size_t)i];
            to->re += l->c[i * BLOCK + j].re;
            to->im -= l->c[i * BLOCK + j].im;
        }
    }
    for (int i = 0; i < size * BLOCK; i++) {
        l->c[i] = (naik_complex){-l->c[i].re, -l->c[i].im};
    }
    return naik_modes_add(l->work, l->basis->block, size, l->c, l->w, NULL, NAIK_RHS_IDLE);
}

/* w = w R^-1 with w^+ w = R^+ R; r (NULL: not wanted) becomes R r. *condition as Cholesky gives it.
 */
naik_status lanczos_cholesky_qr(lanczos *l, naik_complex *r, double *condition)
{
    naik_complex gram[BLOCK * BLOCK], factor[BLOCK * BLOCK], inverse[BLOCK * BLOCK];
    double norm2[BLOCK], largest = 0;
    NAIK_PASS(naik_modes_norms(l->work, l->w, norm2));
    for (int c = 0; c < BLOCK; c++) {
        if (!isfinite(norm2[c])) {
            return NAIK_FAIL(l->log, NAIK_ERR_CORRUPT,
                             "Lanczos vectors are no finite numbers: the links are damaged");
        }
        largest = fmax(largest, norm2[c]);
    }
    NAIK_PASS(naik_modes_project(l->work, &l->w, BLOCK, sqrt(largest), l->w, norm2, gram));
    naik_hermitian_cholesky(BLOCK, gram, factor, inverse, condition);
    if (*condition == 0) {
        return NAIK_OK;
    }
    NAIK_PASS(naik_modes_rotate(l->work, &l->w, BLOCK, inverse, BLOCK));
    if (r != NULL) {
        naik_complex before[BLOCK * BLOCK];
        memcpy(before, r, sizeof before);
        for (int i = 0; i < BLOCK; i++) {
            for (int j = 0; j < BLOCK; j++) {
                naik_complex sum = {0, 0};
                for (int k = 0; k < BLOCK; k++) {
                    const naik_complex x = factor[i * BLOCK + k], y = before[k * BLOCK + j];
                    sum.re += x.re * y.re - x.im * y.im;
                    sum.im += x.re * y.im + x.im * y.re;
                }
                r[i * BLOCK + j] = sum;
            }
        }
    }
    return NAIK_OK;
}

static void unit(naik_complex r[BLOCK * BLOCK])
{
    memset(r, 0, BLOCK * BLOCK * sizeof *r);
    for (int i = 0; i < BLOCK; i++) {
        r[i * (BLOCK + 1)].re = 1;
    }
}

/* w becomes 1/a (a w + random), a such that the random part is a hundredth; l->last its factor. */
static naik_status add_random(lanczos *l, double ww)
{
    const naik_backend_ops *ops = l->geometry->backend->ops;
    double norm2[BLOCK];
    naik_field_set_nrhs(l->filter->other, BLOCK);
    NAIK_PASS(ops->field.copy(l->filter->other, l->w, NULL, NAIK_RHS_IDLE));
    NAIK_PASS(lanczos_fill_random(l));
    NAIK_PASS(naik_modes_norms(l->work, l->w, norm2));
    const double a = ww > 0 ? 100 * sqrt(norm2[0] / ww) : 0;
    NAIK_PASS(ops->field.axpy(a, l->filter->other, l->w));
    for (int i = 0; i < BLOCK * BLOCK; i++) {
        l->last[i].re *= a > 0 ? 1 / a : 0;
        l->last[i].im *= a > 0 ? 1 / a : 0;
    }
    return NAIK_OK;
}

naik_status lanczos_largest_norm2(lanczos *l, double *out)
{
    double norm2[BLOCK];
    const naik_status status = naik_modes_norms(l->work, l->w, norm2);
    *out = 0;
    for (int c = 0; c < BLOCK; c++) {
        *out = naik_worst(*out, norm2[c]);
    }
    return status;
}

/* w becomes the next block of V, orthonormal; l->last its R. Where it has fewer directions than
 * vectors, as where the Krylov space is exhausted, random ones join. */
naik_status lanczos_append(lanczos *l, bool coupled)
{
    enum { TRIES = 4 };
    double condition = 0, before, after;
    unit(l->last);
    NAIK_PASS(lanczos_largest_norm2(l, &before));
    for (int i = 0; i < TRIES; i++) {
        NAIK_PASS(lanczos_project_out(l, l->size, coupled ? l->size - BLOCK : -1));
        NAIK_PASS(lanczos_largest_norm2(l, &after));
        NAIK_PASS(lanczos_cholesky_qr(l, l->last, &condition));
        NAIK_PASS(lanczos_project_out(l, l->size, -1));
        if (condition > 1e-3 && after > 1e-10 * before) {
            NAIK_PASS(lanczos_cholesky_qr(l, l->last, &condition));
            break;
        }
        coupled = false;
        NAIK_PASS(lanczos_largest_norm2(l, &before));
        NAIK_PASS(add_random(l, after > 1e-10 * before ? before : 0));
        before = 0;
    }
    if (!(condition > 0.1)) {
        return NAIK_FAIL(l->log, NAIK_ERR_INPUT,
                         "%d Lanczos vectors are more than this lattice has directions for: ask "
                         "for fewer modes or a smaller deflation.krylov",
                         l->size + BLOCK);
    }
    NAIK_PASS(l->geometry->backend->ops->field.copy(l->basis->block[l->size / BLOCK], l->w, NULL,
                                                    NAIK_RHS_IDLE));
    l->size += BLOCK;
    return NAIK_OK;
}
