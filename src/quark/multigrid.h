/* multigrid.h - the multigrid of the quarks of an input: made for the lightest, changed for the others
 *
 * Quarks with the same links, csw and twist share near-null vectors. They are always made for the lightest of
 * them that the input has, whatever is solved first, so that a run that goes on makes the same ones.
 */
#ifndef NAIK_QUARK_MULTIGRID_H
#define NAIK_QUARK_MULTIGRID_H

#include "multigrid/setup.h"
#include "quark/link_provider.h"

typedef struct quark_multigrid {
    naik_multigrid_hooks hooks; /* whoever begins with it sets them; they stay when it is closed */
    naik_multigrid *mg;         /* NULL: none, or it could not be made */
    bool usable;                /* for the quark at hand */
    const naik_quark *family;   /* the quark that it was made for; NULL: none was tried */
    naik_preconditioner preconditioner; /* of mg */
} quark_multigrid;

/* Whether the input solves with multigrid. */
bool quark_multigrid_is_asked(const naik_input *input);
/* The process grid for it, all 0 where the input names one or wants no multigrid. Collective. */
naik_status quark_multigrid_grid(naik_comm *comm, const naik_input *input, int grid[NAIK_DIM]);
/* What would be refused of it later, before an output is begun. Collective. NAIK_ERR_INPUT as below */
naik_status quark_multigrid_check(const naik_geometry *geometry, const naik_input *input);

/* Ready for `quark`, whose operators are `set`, in batches of at most `width`. Where it cannot be made,
 * or not for this quark, the log has a warning: BiCGStab does without. Collective.
 * NAIK_ERR_INPUT   aggregates that the lattice or its grid do not hold, no multigrid on this backend, vectors
 *                  in double
 * NAIK_ERR_INTERRUPTED   a hook said so; nothing is made
 * NAIK_ERR_CORRUPT       links changed in memory while it was made of them
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE, and as naik_link_provider_operators */
naik_status quark_multigrid_ready(quark_multigrid *m, naik_link_provider *links,
                                  const naik_geometry *geometry, const naik_quark *quark,
                                  const naik_operator_set *set, const naik_set_storage *storage,
                                  int width);
/* A line on the cycles since the last one. */
void quark_multigrid_report(const quark_multigrid *m, naik_log *log);
/* What solves take; NULL: they do without. */
static inline const naik_preconditioner *quark_multigrid_use(const quark_multigrid *m)
{
    return m->usable ? &m->preconditioner : NULL;
}
/* And what it is made of; NULL: they do without. */
static inline const naik_multigrid *quark_multigrid_at_work(const quark_multigrid *m)
{
    return m->usable ? m->mg : NULL;
}
void quark_multigrid_close(quark_multigrid *m);

#endif
