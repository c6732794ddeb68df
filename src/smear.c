/* smear.c - the sums of staples, and the coefficients of the actions
 *
 * By linearity the sum of smear.h is regrouped by its outermost staple direction sigma, with nu and
 * rho the other two:
 *
 *   Fat_mu = (c1 - 6 cL) U_mu + sum_{sigma != mu} St_{mu,sigma}[X_sigma]
 *   X_sigma = c3 U_mu + cL A_sigma + c5 (A_nu + A_rho) + c7 (St_{mu,rho}[A_nu] + St_{mu,nu}[A_rho])
 *
 * 12 staples a direction instead of 18, and two intermediate fields to exchange, by faces only.
 * Back-tracking turns cL St[A] in one direction into the Lepage paths and two copies of U_mu, hence
 * c1 - 6 cL; that needs unitary links.
 */
#include "naik/smear.h"

#include "naik/ring.h"

naik_smearing naik_smearing_asqtad(double u0)
{
    const double u2 = 1 / (u0 * u0), u4 = u2 * u2, u6 = u4 * u2;
    return (naik_smearing){.c1 = 5.0 / 8,
                           .cN = -u2 / 24,
                           .c3 = -u2 / 16,
                           .c5 = u4 / 64,
                           .c7 = -u6 / 384,
                           .cL = -u4 / 16};
}

naik_smearing naik_smearing_hisq1(void)
{
    return (naik_smearing){.c1 = 1.0 / 8, .c3 = -1.0 / 16, .c5 = 1.0 / 64, .c7 = -1.0 / 384};
}

naik_smearing naik_smearing_hisq2(void)
{
    return (naik_smearing){.c1 = 1,
                           .cN = -1.0 / 24,
                           .c3 = -1.0 / 16,
                           .c5 = 1.0 / 64,
                           .c7 = -1.0 / 384,
                           .cL = -1.0 / 8};
}

enum { OTHERS = NAIK_DIM - 1, RINGS = NAIK_DIM + 2 * OTHERS };

typedef struct workspace {
    naik_ring_plan plan;
    naik_ring ring[RINGS];
    naik_ring *u; /* [4] links, edges and corners filled */
    naik_ring *a; /* [3] A_nu for the directions other than mu, ascending */
    naik_ring *x; /* [3] X_sigma */
} workspace;

/* The directions other than mu, ascending. */
static void others(int mu, int nu[OTHERS])
{
    for (int k = 0; k < OTHERS; k++) {
        nu[k] = k < mu ? k : k + 1;
    }
}

/* sum += St_{mu,nu}[s] at n sites from x on. */
static void add_staple(const naik_ring *u_nu, const naik_ring *s, const int x[NAIK_DIM], int n,
                       int mu, int nu, naik_row_buffer *sum)
{
    naik_row_buffer first, second, product;
    int below[NAIK_DIM] = {x[0], x[1], x[2], x[3]};
    below[nu]--;
    naik_rows_mul(naik_ring_row(u_nu, x, nu, 0, n, &first), naik_ring_row(s, x, nu, 1, n, &second),
                  n, &product);
    naik_rows_add_mul_dagger(naik_row_of(&product), naik_ring_row(u_nu, x, mu, 1, n, &first), n,
                             sum);
    naik_rows_dagger_mul(naik_ring_row(u_nu, below, nu, 0, n, &first),
                         naik_ring_row(s, below, nu, 0, n, &second), n, &product);
    naik_rows_add_mul(naik_row_of(&product), naik_ring_row(u_nu, below, mu, 1, n, &first), n, sum);
}

static naik_row box_row(const naik_ring *ring, const int x[NAIK_DIM], int n)
{
    return naik_ring_row(ring, x, 0, 0, n, NULL);
}

/* A_nu = St_{mu,nu}[U_mu] */
static naik_status make_staples(workspace *w, int mu)
{
    naik_status status = NAIK_OK;
    int nu[OTHERS];
    others(mu, nu);
#pragma omp parallel for schedule(static)
    for (int64_t chunk = 0; chunk < w->plan.chunks; chunk++) {
        int x[NAIK_DIM];
        const int n = naik_ring_chunk(&w->plan, chunk, x);
        for (int k = 0; k < OTHERS; k++) {
            naik_row_buffer sum;
            naik_rows_clear(n, &sum);
            add_staple(&w->u[nu[k]], &w->u[mu], x, n, mu, nu[k], &sum);
            naik_ring_put(&w->a[k], x, n, &sum);
        }
    }
    for (int k = 0; k < OTHERS; k++) {
        for (int j = 0; j < OTHERS; j++) {
            if (j != k) {
                NAIK_TRY(naik_ring_exchange(&w->a[k], nu[j]));
            }
        }
    }
done:
    return status;
}

/* X_sigma */
static naik_status make_inner_sums(workspace *w, int mu, const naik_smearing *c)
{
    naik_status status = NAIK_OK;
    int nu[OTHERS];
    others(mu, nu);
#pragma omp parallel for schedule(static)
    for (int64_t chunk = 0; chunk < w->plan.chunks; chunk++) {
        int x[NAIK_DIM];
        const int n = naik_ring_chunk(&w->plan, chunk, x);
        for (int k = 0; k < OTHERS; k++) {
            const int i = (k + 1) % OTHERS, j = (k + 2) % OTHERS;
            naik_row_buffer five, sum;
            naik_rows_clear(n, &five);
            add_staple(&w->u[nu[j]], &w->a[i], x, n, mu, nu[j], &five);
            add_staple(&w->u[nu[i]], &w->a[j], x, n, mu, nu[i], &five);
            naik_rows_scale(c->c3, box_row(&w->u[mu], x, n), n, &sum);
            naik_rows_add(c->cL, box_row(&w->a[k], x, n), n, &sum);
            naik_rows_add(c->c5, box_row(&w->a[i], x, n), n, &sum);
            naik_rows_add(c->c5, box_row(&w->a[j], x, n), n, &sum);
            naik_rows_add(c->c7, naik_row_of(&five), n, &sum);
            naik_ring_put(&w->x[k], x, n, &sum);
        }
    }
    for (int k = 0; k < OTHERS; k++) {
        NAIK_TRY(naik_ring_exchange(&w->x[k], nu[k]));
    }
done:
    return status;
}

static void make_fat(const workspace *w, int mu, const naik_smearing *c, naik_gauge *fat)
{
    int nu[OTHERS];
    others(mu, nu);
#pragma omp parallel for schedule(static)
    for (int64_t chunk = 0; chunk < w->plan.chunks; chunk++) {
        int x[NAIK_DIM];
        const int n = naik_ring_chunk(&w->plan, chunk, x);
        naik_row_buffer sum;
        naik_rows_scale(c->c1 - 6 * c->cL, box_row(&w->u[mu], x, n), n, &sum);
        for (int k = 0; k < OTHERS; k++) {
            add_staple(&w->u[nu[k]], &w->x[k], x, n, mu, nu[k], &sum);
        }
        naik_gauge_put_row(fat, x, mu, n, &sum);
    }
}

/* cN U(s) P(s+mu) with P(s) = U(s) U(s+mu): one site of ring suffices for three links. */
static naik_status make_long(workspace *w, int mu, const naik_smearing *c, naik_gauge *long_links)
{
    naik_status status = NAIK_OK;
    naik_ring *pair = &w->a[0];
#pragma omp parallel for schedule(static)
    for (int64_t chunk = 0; chunk < w->plan.chunks; chunk++) {
        int x[NAIK_DIM];
        const int n = naik_ring_chunk(&w->plan, chunk, x);
        naik_row_buffer wrapped, product;
        naik_rows_mul(box_row(&w->u[mu], x, n), naik_ring_row(&w->u[mu], x, mu, 1, n, &wrapped), n,
                      &product);
        naik_ring_put(pair, x, n, &product);
    }
    NAIK_TRY(naik_ring_exchange(pair, mu));
#pragma omp parallel for schedule(static)
    for (int64_t chunk = 0; chunk < w->plan.chunks; chunk++) {
        int x[NAIK_DIM];
        const int n = naik_ring_chunk(&w->plan, chunk, x);
        naik_row_buffer wrapped, product, scaled;
        naik_rows_mul(box_row(&w->u[mu], x, n), naik_ring_row(pair, x, mu, 1, n, &wrapped), n,
                      &product);
        naik_rows_scale(c->cN, naik_row_of(&product), n, &scaled);
        naik_gauge_put_row(long_links, x, mu, n, &scaled);
    }
done:
    return status;
}

static naik_status fill_workspace(const naik_gauge *u, workspace *w)
{
    naik_status status = NAIK_OK;
    w->u = w->ring;
    w->a = w->u + NAIK_DIM;
    w->x = w->a + OTHERS;
    NAIK_TRY(naik_ring_plan_init(u->lattice, &w->plan));
    NAIK_TRY(naik_rings_init(&w->plan, RINGS, w->ring));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        naik_ring_from_gauge(u, mu, &w->u[mu]);
        NAIK_TRY(naik_ring_exchange_all(&w->u[mu]));
    }
done:
    return status;
}

naik_status naik_smear(const naik_gauge *u, const naik_smearing *coefficients, naik_gauge *fat,
                       naik_gauge *long_links)
{
    naik_status status = NAIK_OK;
    workspace w = {0};
    NAIK_TRY(fill_workspace(u, &w));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        NAIK_TRY(make_staples(&w, mu));
        NAIK_TRY(make_inner_sums(&w, mu, coefficients));
        make_fat(&w, mu, coefficients, fat);
        if (long_links != NULL) {
            NAIK_TRY(make_long(&w, mu, coefficients, long_links));
        }
    }
done:
    naik_rings_clear(RINGS, w.ring);
    naik_ring_plan_clear(&w.plan);
    return status;
}
