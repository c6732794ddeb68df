/* checkpoint.h - the solves in flight when a run was stopped, kept beside its output
 *
 * PATH.part.state holds what the solver hands out of every column that it is asked to leave
 * (solver.h: save), with checksums of its own. The file is written under another name and renamed when it is
 * whole, and goes with the .part when PATH is complete. What is found is used only where it is of
 * the same input, configuration and build of naik, and intact: everything else is ignored with one
 * line, and those solves start again. Nothing here is needed for a right answer.
 */
#ifndef NAIK_IO_PROP_CHECKPOINT_H
#define NAIK_IO_PROP_CHECKPOINT_H

#include "io/prop/propagator_file.h"
#include "solver/solver.h"

typedef struct naik_checkpoint naik_checkpoint;

/* Looks for what the last run kept for the unfinished `file`, which is borrowed; verifies all of
 * it. lattice: in whose boxes the vectors are, by whose ranks; of the file's, or of some of its ranks, which can then
 * restore, but not save. Collective over these. NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_checkpoint_open(naik_propagator_file *file, const naik_lattice *lattice,
                                 naik_checkpoint **out);
/* Solves that were found. */
int naik_checkpoint_count(const naik_checkpoint *state);
void naik_checkpoint_close(naik_checkpoint **state);

/* Vector number `vector` of a solve, half [lattice half][spin][3][2] by checkerboard number; with
 * NAIK_SOLVER_STATE none, but `out` is filled (its history has room for history_room numbers).
 * *found = false where the solve was not kept, or with a warning where it is damaged by now: what
 * was given of it before is then not to be used. Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_checkpoint_restore(naik_checkpoint *state, int solve, int history_room,
                                    naik_solver_state *out, int vector, double *half, bool *found);

/* Keeps vector number `vector`, as reals of 32 or 64 bits, and with the first vector of a solve
 * its state. A file system that refuses is warned about: then nothing is kept. Collective.
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_checkpoint_save(naik_checkpoint *state, int solve, const naik_solver_state *in,
                                 int vector, int bits, const double *half);
/* All is saved: what was opened and is still pending is taken over, and the new file replaces the
 * old one. Without anything saved, the old one stays. Collective. As _save. */
naik_status naik_checkpoint_publish(naik_checkpoint *state);
/* Whether what was saved and published has an iteration that what was opened had not. */
bool naik_checkpoint_goes_on(const naik_checkpoint *state);

#endif
