/* multigrid.h - the multigrid of the quarks of an input: made for the lightest, changed for the others
 *
 * Quarks with the same links, csw and twist share near-null vectors. They are always made for the lightest of
 * them that the input has, or for multigrid.setup_kappa, whatever is solved first, so that a run that goes on
 * makes the same ones. Where multigrid.file keeps some, they serve, whatever they were made for.
 */
#ifndef NAIK_QUARK_MULTIGRID_H
#define NAIK_QUARK_MULTIGRID_H

#include "multigrid/setup.h"
#include "quark/family.h"
#include "quark/link_provider.h"

typedef struct quark_multigrid {
    naik_multigrid_hooks hooks; /* whoever begins with it sets them; they stay when it is closed */
    naik_multigrid *mg;         /* NULL: none, or it could not be made */
    bool tried;                 /* to make it for `made_for` */
    bool usable;                /* for the quark at hand */
    char why[256]; /* the sentence, where the last quark_multigrid_ready found it not to be */
    bool kept;     /* multigrid.file has the vectors made for it, */
    uint32_t sum;  /* which are told from others by this */
    naik_quark made_for;
    naik_preconditioner preconditioner; /* of mg */
} quark_multigrid;

/* Whether the input solves all its quarks with multigrid. */
bool quark_multigrid_is_asked(const naik_input *input);
/* The process grid for it, all 0 where the input names one or takes no multigrid, or has auto and that grid is
 * much dearer than the best. Collective. */
naik_status quark_multigrid_grid(naik_comm *comm, const naik_input *input, int grid[NAIK_DIM]);
/* What would be refused of it later, before an output is begun. Collective. NAIK_ERR_INPUT as below, and as
 * stored_multigrid_check */
naik_status quark_multigrid_check(const naik_geometry *geometry, const naik_input *input);

/* Ready for `quark` of the input, whose operators are `set`, in batches of at most `width`. Where it cannot be
 * made, or not for this quark, or memory does not hold what may be left out (`spare`), the log has a warning:
 * BiCGStab does without. Of what was made only what serves this input, too, is kept. Collective.
 * NAIK_ERR_INPUT   aggregates that the lattice or its grid do not hold, no multigrid on this backend, vectors
 *                  in double
 * NAIK_ERR_INTERRUPTED   a hook said so; nothing is made
 * NAIK_ERR_INPUT, NAIK_ERR_CORRUPT, NAIK_ERR_IO   of multigrid.file (stored_multigrid.h)
 * NAIK_ERR_CORRUPT       links changed in memory while it was made of them
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE, and as naik_link_provider_operators */
naik_status quark_multigrid_ready(quark_multigrid *m, naik_link_provider *links,
                                  const naik_geometry *geometry, const naik_input *input,
                                  const naik_quark *quark, const naik_operator_set *set,
                                  const naik_set_storage *storage, int width, bool spare);
/* What there was since it was asked last. */
typedef struct quark_multigrid_work {
    int64_t outer, coarse; /* iterations of batches; steps on the coarse lattice in all of them */
    int64_t beyond;        /* coarse solves that were given up */
    int applications;      /* of Mh in each of the first */
} quark_multigrid_work;
quark_multigrid_work quark_multigrid_take(const quark_multigrid *m);
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
