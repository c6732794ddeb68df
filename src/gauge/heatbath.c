/* heatbath.c - sweeps over directions, colours and rows; one link's update at a time
 *
 * Two links U_mu(s) share a plaquette only where s and s' are neighbours across mu. So, for each
 * mu, the sites fall into two colours by the parity of their coordinates other than mu, and all
 * links of a colour are updated from fixed neighbours, whatever the order: the bits do not depend
 * on ranks or threads. Staples are summed for whole rows of x, where the vector unit works; threads
 * take rows of one parity at a time, so that no thread reads a row that another writes.
 */
#include "gauge/heatbath.h"

#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/rng.h"
#include "lattice/su3.h"
#include "links/ghosted.h"
#include "links/su2.h"

/* The upper half of the streams; + 4 sweep + mu. Random links and sources use the lower half. */
#define STREAM_HEATBATH UINT32_C(0x80000000)

typedef struct sweep_state {
    const naik_lattice *lattice;
    naik_ghosted_plan plan;
    naik_ghosted link[NAIK_DIM];
    double beta;
    uint64_t seed;
} sweep_state;

typedef enum pass_kind { HEATBATH, OVER_RELAXATION } pass_kind;

typedef struct pass {
    pass_kind kind;
    int sweep; /* number of the sweep, for the random stream */
    int mu, colour;
} pass;

/* h0 in [-1, 1] with the density sqrt(1 - h0^2) exp(alpha h0). Kennedy and Pendleton propose 1 - h0
 * with a density whose range grows as 1/alpha, so small alpha proposes flat instead. */
static double draw_h0(naik_rng *rng, double alpha)
{
    const double two_pi = 6.283185307179586476925286766559;
    if (alpha < 1) {
        for (;;) {
            double h0 = 2 * naik_rng_uniform(rng) - 1;
            double u = naik_rng_uniform(rng);
            if (u < sqrt(1 - h0 * h0) * exp(alpha * (h0 - 1))) {
                return h0;
            }
        }
    }
    for (;;) {
        double x = -log(naik_rng_uniform(rng)) / alpha, y = -log(naik_rng_uniform(rng)) / alpha;
        double c = cos(two_pi * naik_rng_uniform(rng));
        double delta = fma(c * c, x, y);
        double u = naik_rng_uniform(rng);
        if (u * u <= 1 - 0.5 * delta) {
            return 1 - delta;
        }
    }
}

/* h with the density exp(alpha h0) on SU(2). */
static naik_su2 draw_su2(naik_rng *rng, double alpha)
{
    const double two_pi = 6.283185307179586476925286766559;
    double h0 = draw_h0(rng, alpha);
    double radius = sqrt(fmax(0, 1 - h0 * h0));
    double height = 2 * naik_rng_uniform(rng) - 1, angle = two_pi * naik_rng_uniform(rng);
    double across = radius * sqrt(fmax(0, 1 - height * height));
    return (naik_su2){{h0, across * cos(angle), across * sin(angle), radius * height}};
}

/* One link, given the sum of its staples. */
NAIK_CLONES static void update_link(const sweep_state *s, pass_kind kind, naik_rng *rng,
                                    const naik_matrix *staple, naik_matrix *u)
{
    static const int subgroup[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    naik_matrix w = naik_mat_mul_dagger(u, staple); /* the action is -beta/3 Re Tr w */
    for (int k = 0; k < 3; k++) {
        const int i = subgroup[k][0], j = subgroup[k][1];
        naik_su2 v, g;
        double norm = naik_su2_project(&w, i, j, &v);
        if (kind == HEATBATH) {
            naik_su2 h = draw_su2(rng, 2 * s->beta * norm / 3);
            g = naik_su2_times_dagger(&h, &v);
        } else {
            const naik_su2 one = {{1, 0, 0, 0}};
            g = naik_su2_times_dagger(&one, &v); /* v^+ v^+: takes v to v^+, of equal action */
            g = naik_su2_times_dagger(&g, &v);
        }
        naik_su2_rotate(&g, i, j, u);
        naik_su2_rotate(&g, i, j, &w);
    }
}

enum { HERE = NAIK_GHOSTED_HERE };

/* sum = the six staples of the links in direction mu. */
static void sum_staples(const sweep_state *s, const naik_ghosted_place *place, int mu,
                        naik_row *sum)
{
    naik_row first, second, third;
    naik_rows_clear(sum);
    for (int nu = 0; nu < NAIK_DIM; nu++) {
        if (nu == mu) {
            continue;
        }
        const naik_ghosted *along = &s->link[mu], *aside = &s->link[nu];
        naik_rows_add_upper(naik_ghosted_row(aside, place, HERE, HERE, NULL),
                            naik_ghosted_row(along, place, nu, HERE, &second),
                            naik_ghosted_row(aside, place, mu, HERE, &third), sum);
        naik_rows_add_lower(naik_ghosted_row(aside, place, HERE, nu, &first),
                            naik_ghosted_row(along, place, HERE, nu, &second),
                            naik_ghosted_row(aside, place, mu, nu, &third), sum);
    }
}

static naik_matrix matrix_at(const naik_row *row, int i)
{
    naik_matrix m;
    for (int k = 0; k < 9; k++) {
        m.e[k / 3][k % 3].re = row->at[2 * k][i];
        m.e[k / 3][k % 3].im = row->at[2 * k + 1][i];
    }
    return m;
}

static void put_matrix(const naik_matrix *m, int i, naik_row *row)
{
    for (int k = 0; k < 9; k++) {
        row->at[2 * k][i] = m->e[k / 3][k % 3].re;
        row->at[2 * k + 1][i] = m->e[k / 3][k % 3].im;
    }
}

/* Updates the links of the pass at every `step`-th site of the place. */
static void update_row(sweep_state *s, const pass *p, const naik_ghosted_place *place, int first,
                       int step)
{
    naik_row staples, links;
    sum_staples(s, place, p->mu, &staples);
    links = *naik_ghosted_row(&s->link[p->mu], place, HERE, HERE, NULL);
    const uint64_t global = (uint64_t)naik_lattice_global(s->lattice, place->x);
    const uint32_t stream = STREAM_HEATBATH + 4 * (uint32_t)p->sweep + (uint32_t)p->mu;
    for (int i = first; i < place->n; i += step) {
        naik_rng rng = naik_rng_at(s->seed, stream, global + (uint64_t)i);
        naik_matrix staple = matrix_at(&staples, i);
        naik_matrix u = matrix_at(&links, i);
        update_link(s, p->kind, &rng, &staple, &u);
        put_matrix(&u, i, &links);
    }
    naik_ghosted_put(&s->link[p->mu], place, &links);
}

/* All links of one direction and colour whose row has y + z + t, less mu's, of this parity. */
static void update_rows(sweep_state *s, const pass *p, int row_parity)
{
    const int *local = s->lattice->local;
    const int32_t rows = s->lattice->sites / local[0];
#pragma omp parallel for schedule(static)
    for (int32_t row = 0; row < rows; row++) {
        int x[NAIK_DIM] = {0, row % local[1], row / local[1] % local[2], row / local[1] / local[2]};
        int transverse = x[1] + x[2] + x[3] - (p->mu > 0 ? x[p->mu] : 0);
        if (transverse % 2 != row_parity) {
            continue;
        }
        /* Along mu = x the whole row is of one colour, else every second site. */
        const int first = p->mu == 0 ? 0 : (p->colour + transverse) % 2;
        for (x[0] = 0; x[0] < local[0]; x[0] += NAIK_ROW_SITES) {
            const naik_ghosted_place place = naik_ghosted_place_at(&s->plan, x);
            update_row(s, p, &place, first, p->mu == 0 ? 1 : 2);
        }
    }
}

/* All links of one direction, colour after colour. */
static naik_status update_direction(sweep_state *s, pass_kind kind, int sweep, int mu)
{
    for (int colour = 0; colour < 2; colour++) {
        const pass p = {kind, sweep, mu, colour};
        if (mu == 0) {
            update_rows(s, &p, colour);
        } else {
            update_rows(s, &p, 0);
            update_rows(s, &p, 1);
        }
        for (int nu = 0; colour == 0 && nu < NAIK_DIM; nu++) {
            if (nu != mu) {
                NAIK_PASS(naik_ghosted_exchange(&s->link[mu], nu));
            }
        }
    }
    return naik_ghosted_exchange_all(&s->link[mu]);
}

static naik_status load_links(sweep_state *s, const naik_gauge *gauge)
{
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        NAIK_PASS(naik_ghosted_from_gauge(gauge, mu, &s->link[mu]));
        NAIK_PASS(naik_ghosted_exchange_all(&s->link[mu]));
    }
    return NAIK_OK;
}

static void store_links(const sweep_state *s, naik_gauge *gauge)
{
#pragma omp parallel for schedule(static)
    for (int64_t chunk = 0; chunk < s->plan.chunks; chunk++) {
        const naik_ghosted_place place = naik_ghosted_chunk(&s->plan, chunk);
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            naik_gauge_put_row(gauge, &place, mu,
                               naik_ghosted_row(&s->link[mu], &place, HERE, HERE, NULL));
        }
    }
}

static naik_status check_arguments(const naik_gauge *gauge, double beta, int sweep_offset,
                                   int sweeps, int over_relaxations)
{
    naik_comm *comm = gauge->lattice->comm;
    naik_gauge_checks checks;
    if (!(beta >= 0) || isinf(beta)) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT, "beta = %g must be zero or positive", beta);
    }
    if (sweeps < 0 || sweep_offset < 0 || over_relaxations < 0 ||
        sweeps > NAIK_HEATBATH_MAX_SWEEPS - sweep_offset) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "%d sweeps from number %d with %d over-relaxations cannot be done: use "
                         "counts from 0 and at most %d sweeps in all",
                         sweeps, sweep_offset, over_relaxations, (int)NAIK_HEATBATH_MAX_SWEEPS);
    }
    /* Also keeps NaN out, with which the accept-reject loops would never end. */
    NAIK_PASS(naik_gauge_measure(gauge, &checks));
    if (!(checks.max_unitarity_dev < 1e-3 && checks.max_det_dev < 1e-3)) {
        return NAIK_FAIL(comm->log, NAIK_ERR_ARG,
                         "the heatbath needs SU(3) links, these are off by %.3g (unitarity) and "
                         "%.3g (determinant)",
                         checks.max_unitarity_dev, checks.max_det_dev);
    }
    return NAIK_OK;
}

naik_status naik_heatbath(naik_gauge *gauge, double beta, uint64_t seed, int sweep_offset,
                          int sweeps, int over_relaxations)
{
    naik_status status = NAIK_OK;
    sweep_state s = {.lattice = gauge->lattice, .beta = beta, .seed = seed};
    NAIK_TRY(check_arguments(gauge, beta, sweep_offset, sweeps, over_relaxations));
    NAIK_TRY(naik_ghosted_plan_init(gauge->lattice, NULL, &s.plan));
    NAIK_TRY(naik_ghosted_init(&s.plan, NAIK_DIM, s.link));
    for (int sweep = sweep_offset; sweep < sweep_offset + sweeps; sweep++) {
        double change;
        NAIK_TRY(load_links(&s, gauge));
        for (int pass = 0; pass <= over_relaxations; pass++) {
            for (int mu = 0; mu < NAIK_DIM; mu++) {
                pass_kind kind = pass == 0 ? HEATBATH : OVER_RELAXATION;
                NAIK_TRY(update_direction(&s, kind, sweep, mu));
            }
        }
        store_links(&s, gauge);
        NAIK_TRY(naik_gauge_reunitarise(gauge, &change));
    }
done:
    naik_ghosted_clear(NAIK_DIM, s.link);
    naik_ghosted_plan_clear(&s.plan);
    return status;
}
