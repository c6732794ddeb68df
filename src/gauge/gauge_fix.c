/* gauge_fix.c - Coulomb and Landau gauge by over-relaxation
 *
 * All g of one parity follow from links that none of the others changes, so the order of sites shows
 * in no bit. They are put into a field of matrices, 1 on the other parity, whose faces are
 * exchanged; then every rank transforms its own links, each by the one g that is not 1. The loops
 * (link_ops.h) run on the host or on a device, where the links stay until they are fixed.
 */
#include "gauge/gauge_fix.h"

#include "comm/collective.h"
#include "links/ghosted.h"
#include "links/link_ops.h"

enum { CHECK_EVERY = 10 /* iterations between two measurements of theta */ };

typedef struct fixer {
    naik_gauge *gauge; /* borrowed, on the host */
    naik_gauge *there; /* where the work is done: the same, or its copy on a device */
    const naik_link_ops *ops;
    naik_ghosted_plan plan;
    naik_ghosted link[NAIK_DIM], turn; /* turn: g */
    int directions;                    /* of the functional: 3 or 4, the first ones */
    double omega;
} fixer;

static naik_status load_links(fixer *f)
{
    if (f->there != f->gauge) {
        NAIK_PASS(naik_gauge_copy(f->gauge, f->there));
    }
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        NAIK_PASS(naik_ghosted_from_gauge(f->there, mu, &f->link[mu]));
    }
    return NAIK_OK;
}

static naik_status store_links(fixer *f)
{
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        NAIK_PASS(f->ops->ghosted_store(&f->link[mu], mu, f->there));
    }
    if (f->there != f->gauge) {
        NAIK_PASS(naik_gauge_copy(f->there, f->gauge));
    }
    return NAIK_OK;
}

static naik_status iterate(fixer *f)
{
    for (int parity = 0; parity < 2; parity++) {
        NAIK_PASS(f->ops->find_turns(f->link, f->directions, f->omega, parity, &f->turn));
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            NAIK_PASS(naik_ghosted_exchange(&f->turn, mu));
        }
        NAIK_PASS(f->ops->apply_turns(&f->turn, parity, f->link));
        for (int mu = 0; mu < f->directions; mu++) {
            NAIK_PASS(naik_ghosted_exchange(&f->link[mu], mu));
        }
    }
    return NAIK_OK;
}

/* Links back in SU(3), and how far they are from the gauge. What cannot be made unitary goes to the
 * host as it is, where naik_gauge_reunitarise says which link that is. */
static naik_status reunitarise_and_measure(fixer *f, double *theta)
{
    naik_comm *comm = f->gauge->lattice->comm;
    int64_t bad = 0;
    double worst = 0;
    naik_exactsum sum;
    naik_exactsum_clear(&sum);
    NAIK_PASS(f->ops->reunitarise(f->link, &bad));
    worst = (double)bad;
    NAIK_PASS(naik_comm_max_f64(comm, &worst, 1));
    if (worst > 0) {
        NAIK_PASS(store_links(f));
        return naik_gauge_reunitarise(f->gauge, &worst);
    }
    for (int mu = 0; mu < f->directions; mu++) {
        NAIK_PASS(naik_ghosted_exchange(&f->link[mu], mu));
    }
    NAIK_PASS(f->ops->divergence(f->link, f->directions, &sum));
    NAIK_PASS(naik_comm_sum_exact(comm, &sum, 1));
    *theta = naik_exactsum_value(&sum) / (3 * (double)f->gauge->lattice->volume);
    return NAIK_OK;
}

static naik_status check_arguments(const naik_gauge *gauge, const naik_gauge_fix_options *o)
{
    naik_log *log = gauge->lattice->comm->log;
    naik_gauge_checks checks;
    if (!(o->tolerance > 0) || !(o->over_relaxation >= 1 && o->over_relaxation < 2) ||
        o->max_iterations < 0) {
        return NAIK_FAIL(log, NAIK_ERR_ARG,
                         "gauge fixing needs a positive tolerance, an over-relaxation from 1 to "
                         "below 2 and no negative count of iterations");
    }
    NAIK_PASS(naik_gauge_measure(gauge, &checks));
    if (!(checks.max_unitarity_dev < 1e-3 && checks.max_det_dev < 1e-3)) {
        return NAIK_FAIL(log, NAIK_ERR_ARG,
                         "gauge fixing needs SU(3) links, these are off by %.3g (unitarity) and "
                         "%.3g (determinant)",
                         checks.max_unitarity_dev, checks.max_det_dev);
    }
    return NAIK_OK;
}

naik_status naik_gauge_fix(naik_gauge *gauge, naik_device *device,
                           const naik_gauge_fix_options *options, naik_gauge_fix_result *result)
{
    naik_status status = NAIK_OK;
    fixer f = {.gauge = gauge,
               .there = gauge,
               .ops = naik_link_ops_of(device),
               .directions = options->condition == NAIK_COULOMB ? NAIK_DIM - 1 : NAIK_DIM,
               .omega = options->over_relaxation};
    *result = (naik_gauge_fix_result){.iterations = 0};
    NAIK_TRY(check_arguments(gauge, options));
    if (device != NULL) {
        NAIK_TRY(naik_gauge_create_on(gauge->lattice, device, &f.there));
    }
    NAIK_TRY(naik_ghosted_plan_init(gauge->lattice, device, &f.plan));
    NAIK_TRY(naik_ghosted_init(&f.plan, NAIK_DIM, f.link));
    NAIK_TRY(naik_ghosted_init(&f.plan, 1, &f.turn));
    NAIK_TRY(load_links(&f));
    NAIK_TRY(reunitarise_and_measure(&f, &result->theta));
    while (!(result->theta <= options->tolerance) && result->iterations < options->max_iterations) {
        for (int i = 0; i < CHECK_EVERY && result->iterations < options->max_iterations; i++) {
            NAIK_TRY(iterate(&f));
            result->iterations++;
        }
        NAIK_TRY(reunitarise_and_measure(&f, &result->theta));
    }
    NAIK_TRY(store_links(&f));
    result->converged = result->theta <= options->tolerance;
done:
    naik_ghosted_clear(NAIK_DIM, f.link);
    naik_ghosted_clear(1, &f.turn);
    naik_ghosted_plan_clear(&f.plan);
    if (f.there != gauge) {
        naik_gauge_destroy(&f.there);
    }
    return status;
}
