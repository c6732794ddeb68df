/* reread.h - is a file damaged, or could it not be read?
 *
 * Open MPI's own MPI-IO (OMPIO, seen with 4.1.4) hands over what a disk refused as unread bytes and
 * calls that success: a failing disk then looks like a damaged file. What has been refused, and
 * what no checksum confirms, is therefore read once more by plain reads, which tell their errors.
 */
#ifndef NAIK_IO_REREAD_H
#define NAIK_IO_REREAD_H

#include "naik/comm.h"

/* To be called with what MPI-IO is about to read into: bytes that it leaves unread are then NaN,
 * and not by chance those that memory held before, which a checksum would confirm. Local. */
void naik_mark_unread(void *bytes, size_t size_bytes);

/* Reads size_bytes (negative: to the end) from offset on, on every node, and forgets them. What is
 * not there is left to its own sentence. Collective, agrees.
 * NAIK_ERR_INPUT   it may not be opened by this user
 * NAIK_ERR_IO      the file system refused it, with its reason and the host */
naik_status naik_file_reread(naik_comm *comm, const char *path, int64_t offset, int64_t size_bytes);

/* The status of whoever tried to read `path`, agreed; where that was a refusal, NAIK_ERR_IO if the
 * file cannot be read. Collective. */
naik_status naik_file_verdict(naik_comm *comm, const char *path, naik_status status);

/* Of a file that is only read: what HDF5 could not follow there is damage. NAIK_ERR_IO becomes
 * NAIK_ERR_CORRUPT, its sentence stays; unless that names a refusal of the system. Local. */
naik_status naik_h5_read_verdict(const naik_log *log, naik_status status);

/* Of a file just written that was read again: what is wrong with it, its writing did. Open MPI's
 * own MPI-IO also hands back refused writes as success. NAIK_ERR_CORRUPT and NAIK_ERR_INPUT become
 * NAIK_ERR_IO, with the sentence inside another. Local. */
naik_status naik_write_verdict(naik_log *log, const char *path, naik_status status);

#endif
