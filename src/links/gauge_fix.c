/* gauge_fix.c - Coulomb and Landau gauge by over-relaxation
 *
 * All g of one parity follow from links that none of the others changes, so the order of sites shows
 * in no bit. They are put into a field of matrices, 1 on the other parity, whose faces are
 * exchanged; then every rank transforms its own links, each by the one g that is not 1.
 */
#include "links/gauge_fix.h"

#include <math.h>

#include "links/ghosted.h"
#include "links/su2.h"

enum { CHECK_EVERY = 10 /* iterations between two measurements of theta */ };

typedef struct fixer {
    const naik_lattice *lattice;
    naik_ghosted_plan plan;
    naik_ghosted link[NAIK_DIM], turn; /* turn: g */
    int directions;                    /* of the functional: 3 or 4, the first ones */
    double omega;
} fixer;

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
static void move(const fixer *f, const int x[NAIK_DIM], int mu, int step, int to[NAIK_DIM])
{
    const int n = f->lattice->local[mu];
    for (int nu = 0; nu < NAIK_DIM; nu++) {
        to[nu] = x[nu];
    }
    to[mu] += step;
    if (f->plan.pad[mu] == 0) {
        to[mu] = (to[mu] + n) % n;
    }
}

/* (1 - omega) + omega v^+, back in SU(2). */
static naik_su2 overshoot(const naik_su2 *v, double omega)
{
    const naik_su2 one = {{1, 0, 0, 0}};
    naik_su2 g = naik_su2_times_dagger(&one, v);
    double norm2 = 0;
    for (int k = 0; k < 4; k++) {
        g.a[k] = (k == 0 ? 1 - omega : 0) + omega * g.a[k];
        norm2 += g.a[k] * g.a[k];
    }
    if (norm2 < 1e-30) { /* omega 2 of a half turn, and only then */
        return one;
    }
    for (int k = 0; k < 4; k++) {
        g.a[k] /= sqrt(norm2);
    }
    return g;
}

/* g of one site. */
static naik_matrix best_turn(const fixer *f, const int x[NAIK_DIM])
{
    static const int subgroup[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    naik_matrix w = naik_mat_zero(), g = naik_mat_unit();
    for (int mu = 0; mu < f->directions; mu++) {
        int behind[NAIK_DIM];
        move(f, x, mu, -1, behind);
        const naik_matrix here = load(&f->link[mu], x), back = load(&f->link[mu], behind);
        const naik_matrix turned = naik_mat_dagger(&back);
        naik_mat_add(&w, 1, &here);
        naik_mat_add(&w, 1, &turned);
    }
    for (int k = 0; k < 3; k++) {
        const int i = subgroup[k][0], j = subgroup[k][1];
        naik_su2 v;
        naik_su2_project(&w, i, j, &v);
        const naik_su2 part = overshoot(&v, f->omega);
        naik_su2_rotate(&part, i, j, &w);
        naik_su2_rotate(&part, i, j, &g);
    }
    return g;
}

static int parity_of(const fixer *f, int32_t site, int x[NAIK_DIM])
{
    naik_lattice_coords(f->lattice, site, x);
    return naik_parity_of(x); /* boxes begin at even coordinates */
}

static void make_turns(fixer *f, int parity)
{
    const naik_matrix one = naik_mat_unit();
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < f->lattice->sites; site++) {
        int x[NAIK_DIM];
        const bool mine = parity_of(f, site, x) == parity;
        const naik_matrix g = mine ? best_turn(f, x) : one;
        store(&f->turn, x, &g);
    }
}

static void apply_turns(fixer *f, int parity)
{
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < f->lattice->sites; site++) {
        int x[NAIK_DIM], ahead[NAIK_DIM];
        const bool mine = parity_of(f, site, x) == parity;
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            move(f, x, mu, 1, ahead);
            const naik_matrix g = load(&f->turn, mine ? x : ahead), u = load(&f->link[mu], x);
            const naik_matrix turned = mine ? naik_mat_mul(&g, &u) : naik_mat_mul_dagger(&u, &g);
            store(&f->link[mu], x, &turned);
        }
    }
}

static naik_status iterate(fixer *f)
{
    naik_status status = NAIK_OK;
    for (int parity = 0; parity < 2; parity++) {
        make_turns(f, parity);
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            NAIK_TRY(naik_ghosted_exchange(&f->turn, mu));
        }
        apply_turns(f, parity);
        for (int mu = 0; mu < f->directions; mu++) {
            NAIK_TRY(naik_ghosted_exchange(&f->link[mu], mu));
        }
    }
done:
    return status;
}

static naik_status load_links(fixer *f, const naik_gauge *gauge)
{
    naik_status status = NAIK_OK;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        NAIK_TRY(naik_ghosted_from_gauge(gauge, mu, &f->link[mu]));
        NAIK_TRY(naik_ghosted_exchange(&f->link[mu], mu));
    }
done:
    return status;
}

static void store_links(const fixer *f, naik_gauge *gauge)
{
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < f->lattice->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(f->lattice, site, x);
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            gauge->link[NAIK_DIM * (int64_t)site + mu] = load(&f->link[mu], x);
        }
    }
}

static naik_status check_arguments(const naik_gauge *gauge, const naik_gauge_fix_options *o)
{
    naik_status status = NAIK_OK;
    naik_log *log = gauge->lattice->comm->log;
    naik_gauge_checks checks;
    if (!(o->tolerance > 0) || !(o->over_relaxation >= 1 && o->over_relaxation < 2) ||
        o->max_iterations < 0) {
        return NAIK_FAIL(log, NAIK_ERR_ARG,
                         "gauge fixing needs a positive tolerance, an over-relaxation from 1 to "
                         "below 2 and no negative count of iterations");
    }
    NAIK_TRY(naik_gauge_measure(gauge, &checks));
    if (!(checks.max_unitarity_dev < 1e-3 && checks.max_det_dev < 1e-3)) {
        return NAIK_FAIL(log, NAIK_ERR_ARG,
                         "gauge fixing needs SU(3) links, these are off by %.3g (unitarity) and "
                         "%.3g (determinant)",
                         checks.max_unitarity_dev, checks.max_det_dev);
    }
done:
    return status;
}

naik_status naik_gauge_fix(naik_gauge *gauge, const naik_gauge_fix_options *options,
                           naik_gauge_fix_result *result)
{
    naik_status status = NAIK_OK;
    fixer f = {.lattice = gauge->lattice,
               .directions = options->condition == NAIK_COULOMB ? NAIK_DIM - 1 : NAIK_DIM,
               .omega = options->over_relaxation};
    double change = 0;
    *result = (naik_gauge_fix_result){.iterations = 0};
    NAIK_TRY(check_arguments(gauge, options));
    NAIK_TRY(naik_ghosted_plan_init(gauge->lattice, NULL, &f.plan));
    NAIK_TRY(naik_ghosted_init(&f.plan, NAIK_DIM, f.link));
    NAIK_TRY(naik_ghosted_init(&f.plan, 1, &f.turn));
    NAIK_TRY(naik_gauge_reunitarise(gauge, &change));
    NAIK_TRY(naik_gauge_divergence(gauge, f.directions, &result->theta));
    while (!(result->theta <= options->tolerance) && result->iterations < options->max_iterations) {
        NAIK_TRY(load_links(&f, gauge));
        for (int i = 0; i < CHECK_EVERY && result->iterations < options->max_iterations; i++) {
            NAIK_TRY(iterate(&f));
            result->iterations++;
        }
        store_links(&f, gauge);
        NAIK_TRY(naik_gauge_reunitarise(gauge, &change));
        NAIK_TRY(naik_gauge_divergence(gauge, f.directions, &result->theta));
    }
    result->converged = result->theta <= options->tolerance;
done:
    naik_ghosted_clear(NAIK_DIM, f.link);
    naik_ghosted_clear(1, &f.turn);
    naik_ghosted_plan_clear(&f.plan);
    return status;
}
