/* turn_loops.c - the loops of gauge fixing on the host, a site at a time */
#include "base/clones.h"
#include "links/gauge_turn.h"
#include "links/ghosted.h"
#include "links/host_loops.h"

static naik_matrix load(const naik_ghosted *ghosted, const int x[NAIK_DIM])
{
    const double *from = naik_ghosted_at(ghosted, x);
    naik_matrix m;
    for (int k = 0; k < 9; k++) {
        m.e[k / 3][k % 3].re = from[(2 * k) * NAIK_ROW_SITES];
        m.e[k / 3][k % 3].im = from[(2 * k + 1) * NAIK_ROW_SITES];
    }
    return m;
}

static void store(naik_ghosted *ghosted, const int x[NAIK_DIM], const naik_matrix *m)
{
    double *to = naik_ghosted_at(ghosted, x);
    for (int k = 0; k < 9; k++) {
        to[(2 * k) * NAIK_ROW_SITES] = m->e[k / 3][k % 3].re;
        to[(2 * k + 1) * NAIK_ROW_SITES] = m->e[k / 3][k % 3].im;
    }
}

/* The site `step` (1 or -1) away in direction mu: in the ghosts where that direction is split. */
static void move(const naik_ghosted_plan *plan, const int x[NAIK_DIM], int mu, int step,
                 int to[NAIK_DIM])
{
    const int n = plan->lattice->local[mu];
    for (int nu = 0; nu < NAIK_DIM; nu++) {
        to[nu] = x[nu];
    }
    to[mu] += step;
    if (plan->pad[mu] == 0) {
        to[mu] = (to[mu] + n) % n;
    }
}

/* sum_mu U_mu(x) + U_mu(x - mu)^+ */
static naik_matrix sum_of_links(const naik_ghosted *u, int directions, const int x[NAIK_DIM])
{
    naik_matrix w = naik_mat_zero();
    for (int mu = 0; mu < directions; mu++) {
        int behind[NAIK_DIM];
        move(u->plan, x, mu, -1, behind);
        const naik_matrix here = load(&u[mu], x), back = load(&u[mu], behind);
        const naik_matrix turned = naik_mat_dagger(&back);
        naik_mat_add(&w, 1, &here);
        naik_mat_add(&w, 1, &turned);
    }
    return w;
}

/* Whether a site has this parity; boxes begin at even coordinates. */
static bool is_of(const naik_lattice *lattice, int32_t site, int parity, int x[NAIK_DIM])
{
    naik_lattice_coords(lattice, site, x);
    return naik_parity_of(x) == parity;
}

NAIK_CLONES static void find_at(const naik_ghosted *u, int directions, double omega,
                                const int x[NAIK_DIM], naik_ghosted *turn)
{
    const naik_matrix g = naik_gauge_turn(sum_of_links(u, directions, x), omega);
    store(turn, x, &g);
}

naik_status naik_turn_loops_find(const naik_ghosted *u, int directions, double omega, int parity,
                                 naik_ghosted *turn)
{
    const naik_lattice *lattice = u->plan->lattice;
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lattice->sites; site++) {
        int x[NAIK_DIM];
        if (is_of(lattice, site, parity, x)) {
            find_at(u, directions, omega, x, turn);
        } else {
            const naik_matrix unit = naik_mat_unit();
            store(turn, x, &unit);
        }
    }
    return NAIK_OK;
}

/* All links of the site at x, which is turned itself (`here`) or has neighbours that are. */
NAIK_CLONES static void apply_at(const naik_ghosted *turn, bool here, const int x[NAIK_DIM],
                                 naik_ghosted *u)
{
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        int ahead[NAIK_DIM];
        move(u->plan, x, mu, 1, ahead);
        const naik_matrix g = load(turn, here ? x : ahead), link = load(&u[mu], x);
        const naik_matrix turned = naik_gauge_turned(&link, &g, here);
        store(&u[mu], x, &turned);
    }
}

naik_status naik_turn_loops_apply(const naik_ghosted *turn, int parity, naik_ghosted *u)
{
    const naik_lattice *lattice = u->plan->lattice;
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lattice->sites; site++) {
        int x[NAIK_DIM];
        const bool here = is_of(lattice, site, parity, x);
        apply_at(turn, here, x, u);
    }
    return NAIK_OK;
}

/* Tr Delta^2 of a site */
static double delta2_at(const naik_ghosted *u, int directions, const int x[NAIK_DIM])
{
    naik_matrix d = naik_mat_zero();
    for (int k = 0; k < directions; k++) {
        int behind[NAIK_DIM];
        move(u->plan, x, k, -1, behind);
        const naik_matrix here = load(&u[k], x), back = load(&u[k], behind);
        naik_gauge_add_difference(&here, &back, &d);
    }
    return naik_gauge_delta2(&d);
}

naik_status naik_turn_loops_divergence(const naik_ghosted *u, int directions, naik_exactsum *sum)
{
    const naik_lattice *lattice = u->plan->lattice;
#pragma omp parallel
    {
        naik_exactsum mine;
        naik_exactsum_clear(&mine);
#pragma omp for schedule(static)
        for (int32_t site = 0; site < lattice->sites; site++) {
            int x[NAIK_DIM];
            naik_lattice_coords(lattice, site, x);
            naik_exactsum_add(&mine, delta2_at(u, directions, x));
        }
        naik_exactsum_merge_shared(sum, &mine);
    }
    return NAIK_OK;
}

NAIK_CLONES static bool reunitarise(naik_matrix *u)
{
    return naik_mat_reunitarise(u);
}

naik_status naik_turn_loops_reunitarise(naik_ghosted *u, int64_t *bad)
{
    const naik_lattice *lattice = u->plan->lattice;
    int64_t count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
    for (int32_t site = 0; site < lattice->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lattice, site, x);
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            naik_matrix link = load(&u[mu], x);
            if (reunitarise(&link)) {
                store(&u[mu], x, &link);
            } else {
                count++;
            }
        }
    }
    *bad = count;
    return NAIK_OK;
}

naik_status naik_turn_loops_store(const naik_ghosted *ghosted, int mu, naik_gauge *gauge)
{
    const naik_lattice *lattice = gauge->lattice;
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lattice->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lattice, site, x);
        gauge->link[NAIK_DIM * (int64_t)site + mu] = load(ghosted, x);
    }
    return NAIK_OK;
}
