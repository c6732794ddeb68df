/* info_residuals.h - the residuals of stored propagators, computed again from the links */
#ifndef NAIK_CLI_INFO_RESIDUALS_H
#define NAIK_CLI_INFO_RESIDUALS_H

#include "base/report.h"
#include "naik/comm.h"

/* Reads the configuration, or the links, that the file names, makes the links and computes
 * |src - M x| / |src| of every solve in double into `report`.
 *
 *   overrides  `count` texts "section.key=value", such as gauge.file=... where that has moved
 *   verdict    NAIK_ERR_CORRUPT where one is not what was stored beside the solve, each told by a
 *              warning; else left as it is
 *
 * Collective. As stored_run_open, stored_sources_open, naik_link_provider_open; NAIK_ERR_INPUT where one is not what was
 * stored and the links are others than those that it was made with; NAIK_ERR_DEVICE */
naik_status info_residuals(naik_comm *comm, const char *path, const char *const *overrides,
                           int count, naik_report *report, naik_status *verdict);

#endif
