/* metadata_crc.h - a checksum over everything in a file that only describes its data
 *
 * HDF5 (1.10, earliest format) keeps no checksum of its metadata, so that a flipped bit in an
 * attribute - a mass, an epsilon - would go unnoticed. The checksum is the root attribute metadata_crc:
 * crc32 over the names, shapes and types of all objects, the bytes of all attributes but `state`
 * and the checksum itself, and the texts of /metadata.
 */
#ifndef NAIK_IO_H5_METADATA_CRC_H
#define NAIK_IO_H5_METADATA_CRC_H

#include "io/h5/h5.h"

/* Writes the metadata checksum of a file whose datasets and attributes are all there.
 * Collective, agrees.
 * NAIK_ERR_IO, NAIK_ERR_MEMORY */
naik_status naik_h5_write_metadata_crc(naik_comm *comm, hid_t file);

/* NAIK_OK where the checksum agrees or there is none. Local, but where the file is open on
 * all ranks all of them ask.
 * NAIK_ERR_CORRUPT with the sentence where it disagrees, NAIK_ERR_MEMORY */
naik_status naik_h5_check_metadata_crc(naik_log *log, hid_t file, const char *path);
/* The same of a kind of file that always has one where it ended whole. */
naik_status naik_h5_need_metadata_crc(naik_log *log, hid_t file, const char *path);
/* NAIK_ERR_CORRUPT, with the sentence on a file that has just been written. */
naik_status naik_h5_reads_otherwise(naik_log *log, const char *path);
/* Reads again what a file says of itself, whose writing has ended: its checksum agrees, and its root attribute
 * `state` is this text. Collective, agrees.
 * NAIK_ERR_CORRUPT with the sentence, NAIK_ERR_MEMORY */
naik_status naik_h5_confirm_metadata(naik_comm *comm, hid_t file, const char *path,
                                     const char *state);

#endif
