/* lanczos_state.c - what a search leaves when it stops, and how it goes on from there
 *
 * Between two blocks all that a search is are its vectors, the products T and a few numbers; a
 * block that was at work is lost, and made again to the same bits.
 */
#include <math.h>
#include <string.h>

#include "base/timer.h"
#include "modes/lanczos_basis.h"

enum { CYCLES_MOST = 100000, RANDOMS_MOST = 1 << 20 }; /* of a kept state that is believed */
#define APPLICATIONS_MOST (INT64_C(1) << 50)
#define VECTORS_OFF       1e-3 /* |V^+ V - 1| */

/* The block begins that a run which is stopped now goes on with. */
static void note(lanczos *l)
{
    l->state.size = l->size;
    l->state.degree = l->filter->degree;
    l->state.low = l->filter->low;
    l->state.high = l->filter->high;
    l->state.applications = l->filter->applications;
    l->state.ritz = l->ritz;
    l->state.basis = l->basis->block;
    l->state.t = l->t;
    l->state.krylov = l->krylov;
    l->state.wanted = l->options->modes;
}

static naik_status save(lanczos *l, bool stops)
{
    return l->hooks != NULL && l->hooks->save != NULL
               ? l->hooks->save(l->hooks->data, &l->state, stops)
               : NAIK_OK;
}

bool lanczos_asked(void *data)
{
    const lanczos *l = data;
    return l->hooks != NULL && l->hooks->stop != NULL && l->hooks->stop(l->hooks->data);
}

naik_status lanczos_stop(lanczos *l)
{
    NAIK_PASS(save(l, true));
    return NAIK_FAIL(l->log, NAIK_ERR_INTERRUPTED,
                     "the search for modes was interrupted: a rerun goes on from there");
}

naik_status lanczos_keep(lanczos *l)
{
    note(l);
    return lanczos_asked(l) ? lanczos_stop(l) : save(l, false);
}

int naik_lanczos_kept(int modes)
{
    return (modes + LANCZOS_SPARE + BLOCK - 1) / BLOCK * BLOCK;
}

void lanczos_use_links(lanczos *l, int bits)
{
    l->state.links = bits;
    l->filter->links = bits == 16 ? l->half : l->single;
}

bool naik_lanczos_state_holds(const naik_lanczos_state *s, int modes, int krylov)
{
    return s->cycle >= 0 && s->cycle <= CYCLES_MOST && s->starts >= 0 &&
           s->starts <= LANCZOS_STARTS && s->converged >= 0 && s->converged < modes &&
           (s->kept == 0 || s->kept == naik_lanczos_kept(modes)) && s->size % BLOCK == 0 &&
           s->size >= s->kept + BLOCK && s->size <= krylov && s->randoms >= 0 &&
           s->randoms <= RANDOMS_MOST && s->applications >= 0 &&
           s->applications <= APPLICATIONS_MOST && isfinite(s->low) && isfinite(s->high) &&
           s->low > 0 && s->low < LANCZOS_LOW_MOST * s->high && s->degree >= 2 &&
           s->degree % 2 == 0 && s->degree <= lanczos_degree_most(s->low, s->high);
}

/* Ritz values and products that the polynomial can have. */
static bool are_of_a_polynomial(const lanczos *l)
{
    const double most = 2 * LANCZOS_FACTOR_MOST;
    bool good = true;
    for (int i = 0; i < l->state.kept; i++) {
        good = good && fabs(l->ritz[i]) <= most && (i == 0 || l->ritz[i] <= l->ritz[i - 1]);
    }
    for (int i = 0; i < l->state.size && l->state.size > l->state.kept + BLOCK; i++) {
        for (int j = 0; j <= i; j++) { /* the triangle that is used */
            const naik_complex x = l->t[(size_t)i * (size_t)l->krylov + (size_t)j];
            good = good && fabs(x.re) <= most && fabs(x.im) <= most;
        }
    }
    return good;
}

/* The interval reaches as far as a search would have it reach. */
static naik_status is_of_these_links(lanczos *l, bool *good)
{
    const naik_lanczos_state state = l->state;
    double largest;
    l->state.randoms = 0; /* as at the beginning of the search */
    NAIK_PASS(lanczos_measure_largest(l, &largest));
    *good = state.high >= 0.999 * largest &&
            state.high <= LANCZOS_HIGH_MOST * pow(LANCZOS_RAISE, LANCZOS_STARTS + 1) * largest;
    l->state = state;
    return NAIK_OK;
}

/* Whether the vectors are orthonormal, as far as a search needs it. */
static naik_status are_orthonormal(lanczos *l, bool *good)
{
    double norm2[BLOCK];
    *good = true;
    for (int b = 0; b < l->state.size / BLOCK && *good; b++) {
        NAIK_PASS(
            l->geometry->backend->ops->field.copy(l->w, l->basis->block[b], NULL, NAIK_RHS_IDLE));
        NAIK_PASS(naik_modes_norms(l->work, l->w, norm2));
        for (int c = 0; c < BLOCK; c++) {
            *good = *good && fabs(norm2[c] - 1) <= VECTORS_OFF;
        }
        if (!*good) { /* products are of vectors of length 1 at most */
            break;
        }
        const int count = (b + 1) * BLOCK;
        NAIK_PASS(naik_modes_project(l->work, l->basis->block, count, 1.01, l->w, norm2, l->c));
        for (int i = 0; i < count * BLOCK; i++) {
            const bool diagonal = i / BLOCK == b * BLOCK + i % BLOCK;
            *good = *good && fabs(l->c[i].re - diagonal) <= VECTORS_OFF &&
                    fabs(l->c[i].im) <= VECTORS_OFF;
        }
    }
    return NAIK_OK;
}

/* What was read is what a search of these links can be, whatever its checksums say. */
static naik_status is_plausible(lanczos *l, bool *good)
{
    naik_timer *timer = l->geometry->backend->timer;
    naik_timer_start(timer, "look at a kept search");
    *good =
        naik_lanczos_state_holds(&l->state, l->options->modes, l->krylov) && are_of_a_polynomial(l);
    if (*good) {
        NAIK_PASS(is_of_these_links(l, good));
    }
    if (*good) {
        NAIK_PASS(are_orthonormal(l, good));
    }
    naik_timer_stop(timer, "look at a kept search");
    return NAIK_OK;
}

naik_status lanczos_resume(lanczos *l, bool *found)
{
    *found = false;
    if (l->hooks == NULL || l->hooks->restore == NULL) {
        return NAIK_OK;
    }
    note(l); /* where things are put */
    NAIK_PASS(l->hooks->restore(l->hooks->data, &l->state, found));
    if (*found && l->state.links == 16 && l->half == NULL) {
        naik_log_line(
            l->log, "modes: the kept search was made with links of 16 bits, and this one has links "
                    "in single precision: the search begins again");
        *found = false;
    }
    bool good = *found;
    if (*found) {
        lanczos_use_links(l, l->state.links == 16 ? 16 : 32);
        NAIK_PASS(is_plausible(l, &good));
    }
    if (!good) {
        if (*found) {
            naik_log_warn(l->log,
                          "the kept state of an interrupted search for modes is none that a "
                          "search can have: the search begins again");
        }
        *found = false;
        l->state = (naik_lanczos_state){0};
        l->filter->applications = 0;
        lanczos_use_links(l, l->half != NULL ? 16 : 32);
        return NAIK_OK;
    }
    l->resumed = true;
    l->filter->degree = l->state.degree;
    l->filter->low = l->state.low;
    l->filter->high = l->state.high;
    l->filter->applications = l->state.applications;
    l->size = l->state.size;
    if (l->size == l->state.kept + BLOCK) { /* between cycles there are no products yet */
        memset(l->t, 0, (size_t)l->krylov * (size_t)l->krylov * sizeof *l->t);
        for (int j = 0; j < l->state.kept; j++) {
            l->t[(size_t)j * (size_t)(l->krylov + 1)].re = l->ritz[j];
        }
    }
    return NAIK_OK;
}
