/* pilot.h - what the solves of a pilot run (`--from PROP.h5`) tell of iterations
 *
 * Solves without low modes and without multigrid tell of the masses, those with modes or by multigrid of themselves
 * alone.
 */
#ifndef NAIK_PLAN_PILOT_H
#define NAIK_PLAN_PILOT_H

#include "input/input.h"
#include "model/iterations.h"

enum { PILOT_MASSES = 64 };

/* Of one kind of solves, over those of each mass that converged. */
typedef struct pilot_means {
    int modes, count;               /* of low modes; of masses */
    model_pilot mean[PILOT_MASSES]; /* [count] */
    double
        steps[PILOT_MASSES]; /* by multigrid: on the coarse lattice in an iteration; 0: not told */
} pilot_means;

typedef struct pilot {
    pilot_means plain, deflated, multigrid;
} pilot;

/* Collective. NAIK_ERR_INPUT   it is of another action, or no solve of it converged */
naik_status pilot_read(naik_comm *comm, const naik_input *input, const char *path, pilot *out);

#endif
