/* lanczos_state.c - what a search leaves when it stops, and how it goes on from there
 *
 * Between two blocks all that a search is are its vectors, the products T and a few numbers; a
 * block that was at work is lost, and made again to the same bits.
 */
#include "modes/lanczos_basis.h"

#include <string.h>

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
    naik_status status = save(l, true);
    return status != NAIK_OK
               ? status
               : NAIK_FAIL(l->log, NAIK_ERR_INTERRUPTED,
                           "the search for modes was interrupted: a rerun goes on from there");
}

naik_status lanczos_keep(lanczos *l)
{
    note(l);
    return lanczos_asked(l) ? lanczos_stop(l) : save(l, false);
}

static bool fits(const lanczos *l, const naik_lanczos_state *s)
{
    return s->kept >= 0 && s->kept % BLOCK == 0 && s->size % BLOCK == 0 &&
           s->size >= s->kept + BLOCK && s->size <= l->krylov;
}

naik_status lanczos_resume(lanczos *l, bool *found)
{
    naik_status status = NAIK_OK;
    *found = false;
    if (l->hooks == NULL || l->hooks->restore == NULL) {
        return NAIK_OK;
    }
    note(l); /* where things are put */
    NAIK_TRY(l->hooks->restore(l->hooks->data, &l->state, found));
    if (!*found) {
        l->state = (naik_lanczos_state){0};
        return NAIK_OK;
    }
    if (!fits(l, &l->state)) {
        return NAIK_FAIL(l->log, NAIK_ERR_CORRUPT,
                         "the kept state of an interrupted search for modes does not fit its "
                         "parameters: remove it to begin again");
    }
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
done:
    return status;
}
