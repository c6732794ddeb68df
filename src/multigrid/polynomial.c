/* polynomial.c - least squares for the coefficients, and Horner's rule */
#include "multigrid/polynomial.h"

#include <math.h>
#include <stdlib.h>

#include "backend/field.h"
#include "backend/multigrid.h"
#include "base/memory.h"
#include "base/rng.h"
#include "multigrid/aggregates.h"

enum { COLUMNS = 2 }; /* of noise; a site's share is so small that more tell nothing */

size_t naik_multigrid_noise_bytes(const naik_geometry *geometry)
{
    return naik_multigrid_of(geometry)->noise == NULL
               ? NAIK_SPIN * naik_lattice_vector_bytes(geometry->lattice)
               : 0;
}

naik_status naik_multigrid_noise_room(const naik_geometry *geometry, double **out)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = geometry->backend->comm;
    const size_t bytes = naik_multigrid_noise_bytes(geometry);
    *out = NULL;
    if (bytes > 0) {
        status = naik_alloc(comm->log, bytes, "noise of multigrid", (void **)out);
    }
    return naik_comm_agree(comm, status);
}

naik_status naik_multigrid_noise(naik_field *v, naik_parity parity, int c, uint64_t seed,
                                 uint32_t stream, double *room)
{
    const naik_lattice *lat = v->geometry->lattice;
    const naik_multigrid_ops *ops = v->geometry->backend->ops->multigrid;
    const int reals = 6 * v->spin;
    if (ops->noise != NULL) {
        return ops->noise(v, parity, c, seed, stream);
    }
    if (room == NULL) { /* naik_multigrid_noise_room has told of it */
        return NAIK_ERR_MEMORY;
    }
#pragma omp parallel for schedule(static)
    for (int32_t cb = 0; cb < lat->volume_cb; cb++) {
        const int32_t site = naik_lattice_site_of(lat, parity, cb);
        int x[NAIK_DIM];
        naik_lattice_coords(lat, site, x);
        naik_rng rng = naik_rng_at(seed, stream, (uint64_t)naik_lattice_global(lat, x));
        for (int i = 0; i < reals; i++) {
            room[(int64_t)site * reals + i] = naik_rng_gaussian(&rng);
        }
    }
    return v->geometry->backend->ops->field.from_host(v, parity, c, room);
}

/* v[0] = noise, v[k] = Mh v[k-1] */
static naik_status make_powers(const naik_wilson *wilson, naik_parity p, int count, uint64_t seed,
                               naik_field *const v[], naik_field *scratch)
{
    static const naik_rhs_mask all = {NULL, NAIK_RHS_IDLE};
    naik_status status = NAIK_OK;
    double *room = NULL;
    NAIK_TRY(naik_multigrid_noise_room(scratch->geometry, &room));
    for (int c = 0; c < COLUMNS; c++) {
        NAIK_TRY(naik_multigrid_noise(v[0], p, c, seed, (uint32_t)c, room));
    }
    for (int k = 1; k <= count; k++) {
        NAIK_TRY(naik_wilson_schur(wilson, p, false, &all, v[k - 1], scratch, v[k], NULL));
    }
done:
    naik_free(room);
    return status;
}

/* Re (v, w) of all columns together. */
static naik_status product(const naik_field *v, const naik_field *w, naik_exactsum *sums,
                           double *out)
{
    naik_backend *backend = v->geometry->backend;
    const naik_reduction_ops *reduction = &backend->ops->reduction;
    double values[COLUMNS];
    NAIK_PASS(reduction->clear(backend, sums, COLUMNS));
    NAIK_PASS(reduction->dot(v, w, NULL, NAIK_RHS_IDLE, sums));
    NAIK_PASS(reduction->over_ranks(backend, sums, COLUMNS));
    NAIK_PASS(reduction->values(backend, sums, COLUMNS, values));
    *out = 0;
    for (int c = 0; c < COLUMNS; c++) {
        *out += values[c];
    }
    return NAIK_OK;
}

typedef double gram[NAIK_MG_SMOOTHER_MOST + 1][NAIK_MG_SMOOTHER_MOST + 1];

/* a c = b by Cholesky, a, b the lower rows 1.. and the column 0 of g; false where it breaks down. */
static bool solve_normal(gram g, int n, double *c)
{
    double l[NAIK_MG_SMOOTHER_MOST][NAIK_MG_SMOOTHER_MOST] = {{0}};
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = g[i + 1][j + 1];
            for (int k = 0; k < j; k++) {
                sum -= l[i][k] * l[j][k];
            }
            if (i == j && !(sum > 0)) {
                return false;
            }
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
    }
    for (int i = 0; i < n; i++) {
        c[i] = g[i + 1][0];
        for (int k = 0; k < i; k++) {
            c[i] -= l[i][k] * c[k];
        }
        c[i] /= l[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) {
            c[i] -= l[k][i] * c[k];
        }
        c[i] /= l[i][i];
    }
    return true;
}

static naik_status fit(naik_field *const v[], int count, naik_exactsum *sums, naik_polynomial *out)
{
    gram g;
    for (int i = 0; i <= count; i++) {
        for (int j = 0; j <= i; j++) {
            NAIK_PASS(product(v[i], v[j], sums, &g[i][j]));
        }
    }
    out->count = count;
    if (!solve_normal(g, count, out->c)) {
        return NAIK_FAIL(v[0]->geometry->backend->log, NAIK_ERR_NOT_CONVERGED,
                         "multigrid cannot fit a smoother of %d coefficients to this operator",
                         count);
    }
    double left = g[0][0];
    for (int i = 0; i < count; i++) { /* |r - Mh z|^2 = |r|^2 - Re (r, Mh z) at the minimum */
        left -= out->c[i] * g[i + 1][0];
    }
    out->left = sqrt(fmax(left, 0) / g[0][0]);
    return NAIK_OK;
}

size_t naik_polynomial_fit_bytes(const naik_geometry *geometry, int count)
{
    return (size_t)(count + 2) *
           geometry->backend->ops->field.bytes(geometry->lattice, NAIK_DOUBLE, NAIK_SPIN * COLUMNS);
}

naik_status naik_polynomial_fit(const naik_wilson *wilson, naik_parity p, int count, uint64_t seed,
                                naik_polynomial *out)
{
    naik_status status = NAIK_OK;
    const naik_geometry *geometry = wilson->links->geometry;
    naik_backend *backend = geometry->backend;
    naik_field *v[NAIK_MG_SMOOTHER_MOST + 1] = {NULL}, *scratch = NULL;
    naik_exactsum *sums = NULL;
    *out = (naik_polynomial){.count = 0};
    if (count < 1 || count > NAIK_MG_SMOOTHER_MOST) {
        return NAIK_FAIL(backend->log, NAIK_ERR_ARG,
                         "a smoother of %d coefficients: 1 to %d are possible", count,
                         NAIK_MG_SMOOTHER_MOST);
    }
    NAIK_TRY(naik_field_create_spin(geometry, NAIK_DOUBLE, NAIK_SPIN, COLUMNS, &scratch));
    for (int k = 0; k <= count; k++) {
        NAIK_TRY(naik_field_create_spin(geometry, NAIK_DOUBLE, NAIK_SPIN, COLUMNS, &v[k]));
    }
    status = naik_backend_alloc(backend, COLUMNS * sizeof *sums, "sums", (void **)&sums);
    NAIK_TRY(naik_comm_agree(backend->comm, status));
    NAIK_TRY(make_powers(wilson, p, count, seed, v, scratch));
    NAIK_TRY(fit(v, count, sums, out));
done:
    for (int k = 0; k <= count; k++) {
        naik_field_destroy(&v[k]);
    }
    naik_field_destroy(&scratch);
    if (sums != NULL) {
        naik_backend_release(backend, sums);
    }
    return status;
}

naik_status naik_polynomial_apply(const naik_polynomial *polynomial, const naik_wilson *wilson,
                                  naik_parity p, const naik_field *r, naik_field *other,
                                  naik_field *scratch, naik_field *z)
{
    const int n = polynomial->count;
    /* the last of the n - 1 steps writes z */
    naik_field *next = n % 2 == 0 ? z : other, *now = next == z ? other : z;
    const naik_field *from = r; /* times c_n-1, the first time */
    if (n == 1) {
        const naik_field_ops *field = &r->geometry->backend->ops->field;
        NAIK_PASS(field->zero(z, NULL, NAIK_RHS_IDLE));
        NAIK_PASS(field->axpy(polynomial->c[0], r, z));
    }
    for (int k = n - 2; k >= 0; k--) {
        NAIK_PASS(naik_wilson_schur_affine(wilson, p, NULL, k == n - 2 ? polynomial->c[n - 1] : 1,
                                           from, polynomial->c[k], r, scratch, next, NULL));
        from = next;
        next = now;
        now = (naik_field *)from;
    }
    return NAIK_OK;
}
