/* skip.h - whether a complete output can be left as it is, with its input and configuration */
#ifndef NAIK_CLI_SKIP_H
#define NAIK_CLI_SKIP_H

#include <stdbool.h>

#include "input/input.h"
#include "naik/comm.h"

/* Of a complete output of this input. *skip: all its solves have converged, and nothing says that the
 * configuration may be another one than that of the output: the file is gone, or its header has the checksum
 * that the output holds. Reads no links: what else tells configurations apart is found out by the run.
 * Collective. NAIK_ERR_MPI */
naik_status skip_complete(naik_comm *comm, const naik_input *input, bool *skip);

#endif
