/* info_modes.h - what the low modes of a file are good for: iterations with and without them */
#ifndef NAIK_CLI_INFO_MODES_H
#define NAIK_CLI_INFO_MODES_H

#include "base/report.h"
#include "naik/comm.h"

/* For each of the masses "0.001,0.01" a line of `report` with the iterations to 1e-10 that are
 * foreseen without and with the modes (model/iterations.h) and lambda_n/m. Collective.
 * NAIK_ERR_INPUT  no list of masses, or no file of modes; as naik_modes_spectrum_read */
naik_status info_modes(naik_comm *comm, const char *path, const char *masses, naik_report *report);

#endif
