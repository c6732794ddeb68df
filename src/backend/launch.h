/* launch.h - how an iteration reaches the device: as the user says, by rule, or by measuring
 *
 * A solver's loop asks before it enqueues iterations and tells afterwards what they took; it does
 * not know why the answer is what it is. All answers give the same bits.
 */
#ifndef NAIK_BACKEND_LAUNCH_H
#define NAIK_BACKEND_LAUNCH_H

#include "backend/backend.h"

/* For one loop of iterations. */
typedef struct naik_launch {
    bool known; /* false before the first answer */
    naik_launch_mode mode;
    bool sends;         /* kernels send the outer layers of what they write (naik_dslash_args) */
    bool takes_scalars; /* they compute the scalars that they need (naik_deferred_reductions) */
    bool records;       /* for naik_solver_ops.repeat */
} naik_launch;

/* separate, fused, graph, fused_graph; auto */
const char *naik_launch_name(naik_launch_mode mode);

/* A loop of iterations: what its kernels depend on. */
typedef struct naik_launch_loop {
    const char *name; /* kept; of the kernels that an iteration has */
    bool fuses;       /* whether its kernels can do more than one thing */
    naik_precision links;
    const naik_field *field; /* precision and rhs of the vectors */
} naik_launch_loop;

/* How the loop that begins now runs: into *launch, which holds the answer for the loop before. True
 * if it is another one, so that what was recorded for that one does not fit (naik_backend_serial).
 * The same on all ranks. */
bool naik_launch_begin(const naik_launch_loop *loop, naik_launch *launch);

/* That loop's `iterations` have ended on the device, `seconds` after they were enqueued. 0 iterations:
 * not all of its rhs took them, so that their time says nothing of the way. Collective where `auto`
 * measures, until every way has been tried. NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_launch_end(const naik_launch_loop *loop, const naik_launch *launch, int iterations,
                            double seconds);

/* With the backend. */
void naik_launch_release(naik_backend *backend);

#endif
