/* info_correlators.h - the correlators of a propagator file as text */
#ifndef NAIK_CLI_INFO_CORRELATORS_H
#define NAIK_CLI_INFO_CORRELATORS_H

#include "naik/comm.h"

/* Prints every correlator of PATH, or of PATH.part, that agrees with its checksum: a line of
 * comment that says which it is, a line "t C(t)" for every time slice, two empty lines; of several solves "t re
 * im". So numpy.loadtxt reads them (usecols, where there are both kinds), and gnuplot any one by its
 * index. fnal: as fnal_text.h.
 *
 * Collective. As naik_propagator_reader_open; NAIK_ERR_CORRUPT where some disagree, behind the
 * others; NAIK_ERR_INPUT where the file holds none. */
naik_status info_correlators(naik_comm *comm, const char *path, bool fnal);

#endif
