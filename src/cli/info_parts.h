/* info_parts.h - what `naik info` says of a file beyond its description */
#ifndef NAIK_CLI_INFO_PARTS_H
#define NAIK_CLI_INFO_PARTS_H

#include "base/report.h"
#include "naik/comm.h"

/* ---- info_correlators.c: the correlators of a propagator file as text */

/* Prints every correlator of PATH, or of PATH.part, that agrees with its checksum: a line of
 * comment that says which it is, a line "t C(t)" for every time slice, two empty lines; of several solves "t re
 * im". So numpy.loadtxt reads them (usecols, where there are both kinds), and gnuplot any one by its
 * index. fnal: as correlator_facts.h.
 *
 * Collective. As naik_propagator_reader_open; NAIK_ERR_CORRUPT where some disagree, behind the
 * others; NAIK_ERR_INPUT where the file holds none. */
naik_status info_correlators(naik_comm *comm, const char *path, bool fnal);

/* ---- info_modes.c: what low modes are good for, iterations with and without them */

/* For each of the masses "0.001,0.01" a line of `report` with the iterations to 1e-10 that are
 * foreseen without and with the modes (model/iterations.h) and lambda_n/m. Collective.
 * NAIK_ERR_INPUT  no list of masses, or no file of modes; as naik_modes_spectrum_read */
naik_status info_modes(naik_comm *comm, const char *path, const char *masses, naik_report *report);

/* ---- info_residuals.c: the residuals of stored propagators, computed again from the links */

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
