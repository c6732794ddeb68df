/* deflate.h - low modes removed from right-hand sides while they are solved
 *
 *   x += V (shift + lambda2)^-1 V^+ r,   r = b - A x formed in double
 *
 * as a starter of the conjugate gradient (solver/solver.h): at the start of every system, and again
 * whenever its residual fell by `again`, since rounding and what modes lack of being eigenvectors
 * bring low modes back: deflated once, a solve takes up to ten times longer than deflated three
 * times.
 *
 * Systems are on the even sites, where the modes are. Modes of the odd sites, D_oe v / (2 lambda), would
 * have the errors of v enlarged by 1/lambda: with them a solve took up to twenty times as many
 * iterations. A source on odd sites alone is solved on the even ones too (propagator/propagator.h).
 */
#ifndef NAIK_MODES_DEFLATE_H
#define NAIK_MODES_DEFLATE_H

#include "modes/modes.h"
#include "solver/solver.h"

typedef struct naik_deflation naik_deflation;

/* modes  borrowed
 * used   modes that take part, the lowest ones; width: rhs at most
 * Collective. NAIK_ERR_MEMORY */
naik_status naik_deflation_create(const naik_modes *modes, int used, int width,
                                  naik_deflation **out);
void naik_deflation_destroy(naik_deflation **deflation);
/* Bytes on this rank beside the modes themselves, for the memory plan. */
size_t naik_deflation_bytes(const naik_geometry *geometry, int used, int width);

/* For a stream of systems on the even sites, with A = shift - D D on the links of the modes. */
naik_solver_starter naik_deflation_starter(naik_deflation *deflation, double again);

#endif
