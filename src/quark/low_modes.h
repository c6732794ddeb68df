/* low_modes.h - the low modes that an input asks for: read where a file holds them, else found
 *
 * One set for each Naik epsilon: the first in deflation.file, the others beside it, with the
 * epsilon in their names. What is read is verified: every byte by its checksum, and by the operator
 * at hand, which must give the stored eigenvalues and residuals once more.
 */
#ifndef NAIK_QUARK_LOW_MODES_H
#define NAIK_QUARK_LOW_MODES_H

#include "base/timer.h"
#include "comm/interrupt.h"
#include "input/input.h"
#include "io/files.h"
#include "modes/deflate.h"
#include "modes/lanczos.h"
#include "operator/set.h"
#include "quark/filed_modes.h"
#include "solver/solver.h"

/* How many modes the files of all epsilons hold that are deflated, each at least; 0: one is not
 * there. One that cannot be written is refused. Collective. Whatever looking at them returns. */
naik_status low_modes_stored(const naik_input *input, const naik_geometry *geometry, int *count);

/* Whether a search is written that went on for waited_s since it was written last, or began, where
 * writing took save_s: after a minute, but so that writing takes a twentieth of the time at most. */
bool low_modes_save_is_due(double waited_s, double save_s);
/* The same by the clock of rank 0, for all ranks. Collective. NAIK_ERR_MPI */
naik_status low_modes_save_is_agreed(naik_comm *comm, double waited_s, double save_s, bool *due);

/* What modes are asked for. */
typedef struct low_modes_request {
    const naik_input *input;
    int wanted; /* how many; where the input says auto, a file with fewer does */
    /* canonical: what the file says of itself is compared with them; they come to the host */
    naik_fatlong *links;
    /* made of them; a search packs single precision where it has none */
    const naik_operator_set *set;
    const double *masses; /* [count] of the solves, for what is said; count may be 0 */
    int count;
    /* the user asks for a search (naik modes). Otherwise a file that is not there is refused where one of
     * nearly that name has modes of these links (stored_modes.h) */
    bool asked_for;
    naik_interrupt *interrupt; /* NULL: nobody asks to stop */
    /* of modes that were found and are being written, to be looked at after each solve and ended; *filed =
     * NULL: there are none, or all is written. NULL: the file is written when low_modes_get returns */
    filed_modes **filed;
} low_modes_request;

/* Modes of the links, in the precision that the input wants for deflation. A search that is stopped leaves
 * PATH.search, from which the next one goes on. Collective.
 * NAIK_ERR_CORRUPT  the file is damaged, or holds modes of other links
 * NAIK_ERR_INPUT    it holds modes of other quarks, or fewer, and may not be replaced; its name is that
 *                   of another file mistyped
 * NAIK_ERR_INTERRUPTED, NAIK_ERR_NOT_CONVERGED, NAIK_ERR_MEMORY, ... */
naik_status low_modes_get(const low_modes_request *asked, naik_modes **out);

#endif
