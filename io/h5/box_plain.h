/* box_plain.h - boxes of fields by plain reads and writes of several threads; private to io/
 *
 * Where it is known at which bytes of the file a rank's box lies, nobody has to be asked: threads move
 * pieces of a MiB, and while one waits for the system another one rounds or sums its piece. The box has
 * to consist of long runs (io/runs.h), of numbers that lie in the file as in memory; hints to MPI-IO
 * and ranks that write for others are wishes that only other ways can fulfil.
 */
#ifndef NAIK_IO_H5_BOX_PLAIN_H
#define NAIK_IO_H5_BOX_PLAIN_H

#include "io/h5/box.h"
#include "io/site_sums.h"

/* *done: the field was moved, or an error is returned; else nothing was done on any rank, and the other
 * ways are left. What was written is on the disk. As naik_h5_field_write and naik_h5_field_read:
 *   data    [sites][field->reals] double, or packed; reading, NULL: for the sums alone
 *   sums    takes this rank's sites
 *   *finite is left where all that was read is so
 * Collective, agree. NAIK_ERR_IO, NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_h5_plain_write(const naik_lattice *lattice, const naik_h5_field *field,
                                const void *data, naik_site_sums *sums, bool *done);
naik_status naik_h5_plain_read(const naik_lattice *lattice, const naik_h5_field *field, void *data,
                               naik_site_sums *sums, bool *finite, bool *done);

#endif
