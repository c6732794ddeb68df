/* file_info.h - what is in a file, is it complete, is it intact */
#ifndef NAIK_IO_FILE_INFO_H
#define NAIK_IO_FILE_INFO_H

#include "base/report.h"
#include "naik/comm.h"

/* Describes a propagator file (finished or a .part; PATH.part where there is no PATH), a file of links
 * or of low modes, or a gauge configuration in any known format.
 *
 *   verify    read everything and recompute its checksums
 *   report    receives the description, also where the verdict is bad
 *   verdict   NAIK_OK; NAIK_ERR_INTERRUPTED where solves are still to be done;
 *             NAIK_ERR_NOT_CONVERGED where none of them converged; NAIK_ERR_CORRUPT where
 *             something disagrees, each told by a warning
 *
 * Collective. NAIK_ERR_INPUT  no such file, or of no known format
 *             NAIK_ERR_CORRUPT  nothing can be read from it */
naik_status naik_file_describe(naik_comm *comm, const char *path, bool verify, naik_report *report,
                               naik_status *verdict);

#endif
