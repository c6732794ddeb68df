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

#include "naik/link_ops.h"

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
    const naik_link_ops *ops;
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

/* A_nu = St_{mu,nu}[U_mu] */
static naik_status make_staples(workspace *w, int mu)
{
    naik_status status = NAIK_OK;
    naik_staple_sum sums[OTHERS];
    int nu[OTHERS];
    others(mu, nu);
    for (int k = 0; k < OTHERS; k++) {
        sums[k] = (naik_staple_sum){
            .staples = 1, .staple = {{nu[k], &w->u[mu]}}, .weight = 1, .out = &w->a[k]};
    }
    NAIK_TRY(w->ops->staples(w->u, mu, sums, OTHERS));
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
    naik_staple_sum sums[OTHERS];
    int nu[OTHERS];
    others(mu, nu);
    for (int k = 0; k < OTHERS; k++) {
        const int i = (k + 1) % OTHERS, j = (k + 2) % OTHERS;
        sums[k] = (naik_staple_sum){
            .terms = 4,
            .term = {{c->c3, &w->u[mu]}, {c->cL, &w->a[k]}, {c->c5, &w->a[i]}, {c->c5, &w->a[j]}},
            .staples = 2,
            .staple = {{nu[j], &w->a[i]}, {nu[i], &w->a[j]}},
            .weight = c->c7,
            .out = &w->x[k]};
    }
    NAIK_TRY(w->ops->staples(w->u, mu, sums, OTHERS));
    for (int k = 0; k < OTHERS; k++) {
        NAIK_TRY(naik_ring_exchange(&w->x[k], nu[k]));
    }
done:
    return status;
}

static naik_status make_fat(const workspace *w, int mu, const naik_smearing *c, naik_gauge *fat)
{
    int nu[OTHERS];
    others(mu, nu);
    const naik_staple_sum sum = {
        .terms = 1,
        .term = {{c->c1 - 6 * c->cL, &w->u[mu]}},
        .staples = 3,
        .staple = {{nu[0], &w->x[0]}, {nu[1], &w->x[1]}, {nu[2], &w->x[2]}},
        .weight = 1,
        .gauge = fat};
    return w->ops->staples(w->u, mu, &sum, 1);
}

/* cN U(s) P(s+mu) with P(s) = U(s) U(s+mu): one site of ring suffices for three links. */
static naik_status make_long(workspace *w, int mu, const naik_smearing *c, naik_gauge *long_links)
{
    naik_status status = NAIK_OK;
    naik_ring *pair = &w->a[0];
    NAIK_TRY(w->ops->product(1, &w->u[mu], &w->u[mu], mu, pair, NULL));
    NAIK_TRY(naik_ring_exchange(pair, mu));
    NAIK_TRY(w->ops->product(c->cN, &w->u[mu], pair, mu, NULL, long_links));
done:
    return status;
}

static naik_status fill_workspace(const naik_gauge *u, workspace *w)
{
    naik_status status = NAIK_OK;
    w->ops = naik_link_ops_of(u->device);
    w->u = w->ring;
    w->a = w->u + NAIK_DIM;
    w->x = w->a + OTHERS;
    NAIK_TRY(naik_ring_plan_init(u->lattice, u->device, &w->plan));
    NAIK_TRY(naik_rings_init(&w->plan, RINGS, w->ring));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        NAIK_TRY(naik_ring_from_gauge(u, mu, &w->u[mu]));
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
        NAIK_TRY(make_fat(&w, mu, coefficients, fat));
        if (long_links != NULL) {
            NAIK_TRY(make_long(&w, mu, coefficients, long_links));
        }
    }
done:
    naik_rings_clear(RINGS, w.ring);
    naik_ring_plan_clear(&w.plan);
    return status;
}
