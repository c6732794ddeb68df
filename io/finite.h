/* finite.h - whether numbers are finite: no other is stored as a result, or believed from a file
 *
 * Everything that writes or reads results goes through one of these: fields over the lattice in
 * io/h5/box.c (propagators, modes, links of naik), correlators and contractions in io/prop, numbers of
 * modes in io/modes. Local, over threads.
 */
#ifndef NAIK_IO_FINITE_H
#define NAIK_IO_FINITE_H

#include <stdbool.h>
#include <stdint.h>

#include "naik/log.h"

/* Of reals as they are in a file, native float (bits 32) or double (64); integers (16) always are. */
bool naik_reals_are_finite(const void *reals, int64_t count, int bits);
/* naik_reals_are_finite by the calling thread alone. */
bool naik_piece_is_finite(const void *reals, int64_t count, int bits);
/* naik_piece_is_finite of floats. */
bool naik_singles_are_finite(const float *reals, int64_t count);
/* Whether values are finite once they are rounded to `bits`. */
bool naik_values_are_finite(const double *values, int64_t count, int bits);
/* Before `what`, such as "/corr/q0/m00/pion5/p000", is stored.
 * NAIK_ERR_INPUT where it is not finite: what was asked for is beyond such numbers */
naik_status naik_refuse_not_finite(naik_log *log, const double *values, int64_t count, int bits,
                                   const char *what);
/* naik_refuse_not_finite of reals that have `bits` bits in memory. */
naik_status naik_refuse_packed_not_finite(naik_log *log, const void *reals, int64_t count, int bits,
                                          const char *what);

#endif
