/* lanczos_interval.c - the interval and the degree of the polynomial: chosen, bounded, corrected
 *
 * Above the interval the polynomial grows as it does below: an eigenvalue there would be taken for a
 * low one. So the largest eigenvalue is measured for every search, also where the interval is given.
 */
#include <math.h>

#include "modes/lanczos_basis.h"

enum { DEGREE_MOST = 10000 };
#define FACTOR_NEEDED 4.0  /* at the last mode wanted */
#define FACTOR_LEAST  1.5  /* there after a cycle; below it the mode is not in sight */
#define GROWTH        1.05 /* of a factor in a cycle that is still on its way up */
#define LOW           2.5  /* end of an interval, times the last eigenvalue wanted */
#define LOW_LEAST     0.5  /* the same of an interval that is given */
#define RAISE_LOW     1.7
#define SHORT         0.7 /* of the usual degree, with many vectors */

naik_status lanczos_measure_largest(lanczos *l, double *largest)
{
    NAIK_PASS(lanczos_fill_random(l));
    return naik_filter_largest(l->filter, l->w, largest);
}

static naik_status no_interval(const lanczos *l, double largest)
{
    return NAIK_FAIL(l->log, NAIK_ERR_INPUT,
                     "deflation.interval: [%g, %g] does not set low modes apart from the others: "
                     "the eigenvalues of -D_eo D_oe reach %g",
                     l->filter->low, l->filter->high, largest);
}

naik_status lanczos_choose_interval(lanczos *l)
{
    naik_filter *f = l->filter;
    double largest, last;
    const double low = l->options->low, high = l->options->high;
    NAIK_PASS(lanczos_measure_largest(l, &largest));
    f->high = high >= largest && high <= LANCZOS_HIGH_MOST * largest ? high : largest;
    NAIK_PASS(lanczos_fill_random(l));
    NAIK_PASS(naik_filter_estimate(f, l->w, l->options->modes, &last));
    f->low = low >= LOW_LEAST * last ? low : fmin(LOW * last, 0.5 * f->high);
    if (!(f->low > 0 && f->low < LANCZOS_LOW_MOST * f->high)) {
        return no_interval(l, largest);
    }
    if ((low > 0 && f->low != low) || (high > 0 && f->high != high)) {
        naik_log_line(
            l->log,
            "modes: deflation.interval [%g, %g] is corrected to [%.4g, %.4g]: the largest "
            "eigenvalue of -D_eo D_oe is at most %.4g, that of mode %d about %.3g",
            low, high, f->low, f->high, largest, l->options->modes, last);
    }
    return NAIK_OK;
}

int lanczos_degree_most(double low, double high)
{
    const double most = acosh(LANCZOS_FACTOR_MOST) / acosh((high + low) / (high - low));
    return most < DEGREE_MOST ? (int)fmax(2, 2 * floor(most / 2)) : DEGREE_MOST;
}

/* Where none is asked for, as many as make the factor about 27 at 0 and 11 at the last mode wanted:
 * of 0.8 to 1.8 in the place of 1, and of other ends, what takes the fewest applications with so
 * many vectors. A search that was given twice as many vectors as modes takes the fewest with a shorter
 * one, which saves nothing where there are fewer. */
void lanczos_choose_degree(lanczos *l)
{
    naik_filter *f = l->filter;
    const int asked = l->options->degree, most = lanczos_degree_most(f->low, f->high);
    const double share = l->options->krylov >= 2 * l->options->modes ? SHORT : 1;
    f->degree = asked > 0 ? asked : 2 * (int)ceil(share / sqrt(f->low / f->high));
    if (f->degree > most) {
        naik_log_line(l->log,
                      "modes: a polynomial of degree %d on [%.4g, %.4g] is more than single "
                      "precision holds: its degree is %d",
                      f->degree, f->low, f->high, most);
        f->degree = most;
    }
}

static naik_status widen(lanczos *l, bool high)
{
    naik_filter *f = l->filter;
    *(high ? &f->high : &f->low) *= high ? LANCZOS_RAISE : RAISE_LOW;
    if (++l->state.starts > LANCZOS_STARTS || f->low >= LANCZOS_LOW_MOST * f->high) {
        return NAIK_FAIL(l->log, NAIK_ERR_INPUT,
                         "deflation.interval: no interval was found that sets the lowest %d modes "
                         "apart: ask for fewer",
                         l->options->modes);
    }
    return NAIK_OK;
}

/* A Ritz value comes up to its factor from below, on large lattices in several cycles: it is too
 * small for good where it does not grow. */
static bool lets_too_few_through(const lanczos *l, double before)
{
    const int wanted = l->options->modes;
    const double factor = l->ritz[wanted - 1];
    return l->state.converged < wanted &&
           (factor < FACTOR_LEAST ||
            (factor < FACTOR_NEEDED && before > 0 && factor < GROWTH * before));
}

/* Whether an eigenvalue above the interval is among a block of Ritz vectors. */
static naik_status has_high_ones(lanczos *l, int block, bool *found)
{
    double odd[BLOCK], even[BLOCK];
    naik_filter *f = l->filter;
    const int left = l->options->modes - block * BLOCK;
    NAIK_PASS(
        l->geometry->backend->ops->field.copy(l->w, l->basis->block[block], NULL, NAIK_RHS_IDLE));
    NAIK_PASS(naik_modes_norms(l->work, l->w, even));
    naik_field_set_nrhs(f->odd, BLOCK);
    NAIK_PASS(naik_dslash_plain(f->links, l->w, NAIK_ODD, f->odd));
    NAIK_PASS(naik_modes_norms(l->work, f->odd, odd));
    for (int c = 0; c < BLOCK && (c < left || block == 0); c++) {
        *found = *found || !(odd[c] <= 0.5 * (f->low + f->high) * even[c]);
    }
    return NAIK_OK;
}

naik_status lanczos_correct_interval(lanczos *l, double before, bool *corrected)
{
    const int wanted = l->options->modes;
    bool high = l->overflow;
    /* the highest ones come first; of what is about to be believed, everything is looked at */
    const int blocks = l->state.converged < wanted ? 1 : (wanted + BLOCK - 1) / BLOCK;
    for (int b = 0; b < blocks && !high; b++) {
        NAIK_PASS(has_high_ones(l, b, &high));
    }
    *corrected = high || lets_too_few_through(l, before);
    if (*corrected) {
        l->overflow = false;
        NAIK_PASS(widen(l, high));
    }
    return NAIK_OK;
}
