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
 *
 * Nothing of this looks along mu but at U. Where the other directions are whole on this rank, the
 * host makes the sums slab after slab across mu, so that A and X of a slab stay in its cache.
 */
#include "links/smear.h"

#include <stdlib.h>

#include "comm/new.h"
#include "comm/threads.h"
#include "links/ghosted.h"
#include "links/link_ops.h"

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

enum { OTHERS = NAIK_DIM - 1, SLAB_RINGS = 2 * OTHERS };
enum { SLAB_SITES = 512 }; /* for each thread */

struct naik_smear_space {
    const naik_link_ops *ops;
    naik_ghosted_plan plan;  /* of the whole box */
    int thickness[NAIK_DIM]; /* of slabs across each direction; the scratch memory is made for it */
    naik_ghosted_plan slab;
    naik_ghosted u[NAIK_DIM]; /* links, edges and corners filled */
    double *scratch;          /* for `a` and `x`, or for one ghosted of the whole box */
    naik_ghosted a[OTHERS];   /* A_nu for the directions other than mu, ascending; on the slab */
    naik_ghosted x[OTHERS];   /* X_sigma */
};

typedef naik_smear_space workspace;

/* Sites of a slab across mu, along mu: few enough for the cache, and enough to share among threads;
 * all of them where slabs would have to be exchanged, and on a device, which hides latency by many
 * sites. */
static int slab_thickness(const naik_ghosted_plan *plan, int mu)
{
    const int length = plan->box[mu], unit = mu == 0 ? NAIK_ROW_SITES : 1;
    for (int nu = 0; nu < NAIK_DIM; nu++) {
        if (plan->device != NULL || (nu != mu && plan->pad[nu] > 0)) {
            return length;
        }
    }
    const int64_t layer = plan->lattice->sites / length * unit;
    const int64_t sites = (int64_t)SLAB_SITES * naik_threads_count();
    const int64_t thickness = (sites + layer - 1) / layer * unit;
    return thickness < length ? (int)thickness : length;
}

/* The slab that begins at coordinate `from`. */
static naik_ghosted_plan slab_at(const naik_ghosted_plan *plan, int thickness, int mu, int from)
{
    const int rest = plan->box[mu] - from;
    return thickness == plan->box[mu]
               ? *plan
               : naik_ghosted_slab(plan, mu, from, rest < thickness ? rest : thickness);
}

static void set_slab(workspace *w, int mu, int from)
{
    w->slab = slab_at(&w->plan, w->thickness[mu], mu, from);
    for (int k = 0; k < SLAB_RINGS; k++) {
        naik_ghosted *ghosted = k < OTHERS ? &w->a[k] : &w->x[k - OTHERS];
        ghosted->plan = &w->slab;
        ghosted->data = w->scratch + (size_t)k * naik_ghosted_numbers(&w->slab);
    }
}

/* Numbers that the scratch memory needs: all ghosted of the largest slab, or one of the whole box. */
static size_t scratch_numbers(const naik_ghosted_plan *plan, int thickness[NAIK_DIM])
{
    size_t most = naik_ghosted_numbers(plan);
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        thickness[mu] = slab_thickness(plan, mu);
        const naik_ghosted_plan slab = slab_at(plan, thickness[mu], mu, 0);
        const size_t numbers = SLAB_RINGS * naik_ghosted_numbers(&slab);
        most = numbers > most ? numbers : most;
    }
    return most;
}

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
    naik_staple_sum sums[OTHERS];
    int nu[OTHERS];
    others(mu, nu);
    for (int k = 0; k < OTHERS; k++) {
        sums[k] = (naik_staple_sum){
            .staples = 1, .staple = {{nu[k], &w->u[mu]}}, .weight = 1, .out = &w->a[k]};
    }
    NAIK_PASS(w->ops->staples(w->u, mu, sums, OTHERS));
    for (int k = 0; k < OTHERS; k++) {
        for (int j = 0; j < OTHERS; j++) {
            if (j != k) {
                NAIK_PASS(naik_ghosted_exchange(&w->a[k], nu[j]));
            }
        }
    }
    return NAIK_OK;
}

/* X_sigma */
static naik_status make_inner_sums(workspace *w, int mu, const naik_smearing *c)
{
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
    NAIK_PASS(w->ops->staples(w->u, mu, sums, OTHERS));
    for (int k = 0; k < OTHERS; k++) {
        NAIK_PASS(naik_ghosted_exchange(&w->x[k], nu[k]));
    }
    return NAIK_OK;
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

/* cN U(s) P(s+mu) with P(s) = U(s) U(s+mu): one layer of ghost sites suffices for three links. */
static naik_status make_long(workspace *w, int mu, const naik_smearing *c, naik_gauge *long_links)
{
    naik_ghosted pair = {&w->plan, w->scratch};
    NAIK_PASS(w->ops->product(1, &w->u[mu], &w->u[mu], mu, &pair, NULL));
    NAIK_PASS(naik_ghosted_exchange(&pair, mu));
    return w->ops->product(c->cN, &w->u[mu], &pair, mu, NULL, long_links);
}

naik_status naik_smear_space_create(const naik_lattice *lattice, naik_device *device,
                                    naik_smear_space **out)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = lattice->comm;
    *out = NULL;
    workspace *w = NULL;
    NAIK_TRY(naik_new(comm, sizeof *w, "link building", (void **)&w));
    w->ops = naik_link_ops_of(device);
    NAIK_TRY(naik_ghosted_plan_init(lattice, device, &w->plan));
    NAIK_TRY(naik_ghosted_init(&w->plan, NAIK_DIM, w->u));
    const size_t scratch_bytes = scratch_numbers(&w->plan, w->thickness) * sizeof(double);
    status = naik_device_alloc(device, comm->log, scratch_bytes, "staples in work",
                               (void **)&w->scratch);
    NAIK_TRY(naik_comm_agree(comm, status));
    *out = w;
    w = NULL;
done:
    naik_smear_space_destroy(&w);
    return status;
}

size_t naik_smear_space_bytes(const naik_lattice *lattice, naik_device *device)
{
    int thickness[NAIK_DIM];
    const naik_ghosted_plan plan = naik_ghosted_plan_of(lattice, device);
    return (NAIK_DIM * naik_ghosted_numbers(&plan) + scratch_numbers(&plan, thickness)) *
           sizeof(double);
}

void naik_smear_space_destroy(naik_smear_space **space)
{
    workspace *w = *space;
    if (w == NULL) {
        return;
    }
    naik_device_free(w->plan.device, w->scratch);
    naik_ghosted_clear(NAIK_DIM, w->u);
    naik_ghosted_plan_clear(&w->plan);
    free(w);
    *space = NULL;
}

naik_status naik_smear(const naik_gauge *u, const naik_smearing *coefficients,
                       naik_smear_space *space, naik_gauge *fat, naik_gauge *long_links)
{
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        NAIK_PASS(naik_ghosted_from_gauge(u, mu, &space->u[mu]));
        NAIK_PASS(naik_ghosted_exchange_all(&space->u[mu]));
    }
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        for (int from = 0; from < space->plan.box[mu]; from += space->thickness[mu]) {
            set_slab(space, mu, from);
            NAIK_PASS(make_staples(space, mu));
            NAIK_PASS(make_inner_sums(space, mu, coefficients));
            NAIK_PASS(make_fat(space, mu, coefficients, fat));
        }
        if (long_links != NULL) {
            NAIK_PASS(make_long(space, mu, coefficients, long_links));
        }
    }
    return NAIK_OK;
}
