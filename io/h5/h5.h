/* h5.h - the few HDF5 operations that naik's files are made of
 *
 * Files are opened by all ranks through MPI-IO. Whatever changes the file's structure (create,
 * attributes, close, flush) is called by all ranks with the same arguments; those functions agree
 * on their status only where they say so. Data are contiguous, allocated early and never filled,
 * so that a data write changes no metadata.
 */
#ifndef NAIK_IO_H5_H5_H
#define NAIK_IO_H5_H5_H

#include <hdf5.h>

#include "naik/lattice.h"

/* Datasets of so many bytes and blocks of metadata, which have as many, begin at multiples of the alignment. */
enum { NAIK_H5_ALIGNED_BYTES = 1 << 20 };

/* No error stack on standard error; and no closing of files at exit, which is collective: it waits
 * for ever after a failed write, and inside MPI_Abort, which may call exit on the other ranks. HDF5
 * heeds the latter only as the first call of all, so this stands before every call that may be the
 * first, also before HDF5's names of flags (H5F_ACC_TRUNC), which are calls. Any number of times.
 * Local. */
void naik_h5_quieten(void);

/* Whether the first bytes of a file are those of an HDF5 file. Local. */
bool naik_h5_begins(const void *bytes, size_t length);

/* As comm->io says. naik_h5_open for writing refuses nothing that HDF5 would accept. Both are collective
 * and agree. NAIK_ERR_IO with HDF5's words. */
naik_status naik_h5_create(naik_comm *comm, const char *path, hid_t *file);
naik_status naik_h5_open(naik_comm *comm, const char *path, bool writable, hid_t *file);
/* io/h5/stored.c: for reading a file that may be missing, damaged, or of another program. All ranks.
 * Collective, agrees.
 * NAIK_ERR_INPUT where there is none, NAIK_ERR_CORRUPT where HDF5 cannot open it */
naik_status naik_h5_open_stored(naik_comm *comm, const char *path, hid_t *file);
/* naik_h5_open_stored by this rank alone, without MPI-IO; close with H5Fclose. Local.
 * NAIK_ERR_INPUT where the file is missing, no HDF5 file, does not stay inside, or is of a version of
 * naik's formats that is not known (own_format.h), NAIK_ERR_CORRUPT where HDF5 cannot open the file,
 * NAIK_ERR_IO where the file system refuses to read it */
naik_status naik_h5_open_alone(naik_log *log, const char *path, hid_t *file);
/* The access list for a file that one rank opens. Local; release with naik_h5_release. */
hid_t naik_h5_access_alone(void);
/* io/h5/inside.c: false where something in the file leads to another one (external links and storage,
 * virtual datasets), is stored with a filter that the HDF5 library lacks, or is a soft link in a file
 * of naik, which writes none; with a clause that says which. Local. */
enum { NAIK_H5_REASON_BYTES = 640 };
bool naik_h5_stays_inside(hid_t file, char reason[NAIK_H5_REASON_BYTES]);
/* io/h5/own_format.c: NAIK_OK for a file of naik's in a version that is known, and for every other
 * file; all that is opened for reading is asked. Local. NAIK_ERR_INPUT where the version is not known,
 * NAIK_ERR_CORRUPT where the file of naik's has none, or has no version there */
naik_status naik_h5_check_version(naik_log *log, hid_t file, const char *path);
/* Flush and close end with the data on the disk as far as the system can promise. Collective, agree.
 * close: *file = -1 afterwards; does nothing on -1. HDF5 still holds a file that it failed to close,
 * on any number of ranks: comm->unfinalisable is set. */
naik_status naik_h5_flush(naik_comm *comm, hid_t file);
naik_status naik_h5_close(naik_comm *comm, hid_t *file);

/* NAIK_ERR_IO "WHAT failed: HDF5's innermost words" from HDF5's error stack; NAIK_OK if
 * result >= 0. Local. */
naik_status naik_h5_check(naik_log *log, int64_t result, const char *what, const char *file,
                          int line);
/* HDF5's innermost words, in one line; true where the system refused, then the system's reason alone.
 * Clears HDF5's error stack. Local. */
bool naik_h5_take_reason(char text[NAIK_H5_REASON_BYTES]);
#define NAIK_H5_TRY(log, call, what)                                                               \
    NAIK_TRY(naik_h5_check((log), (int64_t)(call), (what), __FILE__, __LINE__))

/* Whether the dataset's stored bytes can hold size_bytes where its layout message says they are. A
 * damaged layout message makes HDF5 (seen with 1.10.8) read beyond its buffers, so every dataset
 * of a file that may be damaged is asked before it is read. Local. */
bool naik_h5_layout_holds(hid_t dataset, int64_t size_bytes);

/* Closes any identifier but a file; negative ones are ignored. */
void naik_h5_release(hid_t id);

/* Types of the file, little-endian. real: 32 or 64 bits. complex: compound {r,i}. tensor: ARRAY of
 * complex, `rank` (1 or 2) times 3. string: fixed length, null-terminated; text: of any length, as
 * h5py reads into str; both UTF-8. Negative on failure; release with naik_h5_release. */
hid_t naik_h5_real(int bits);
hid_t naik_h5_complex(int bits);
hid_t naik_h5_tensor(int bits, int rank);
/* ARRAY[4][3] of complex. */
hid_t naik_h5_spinor(int bits);
hid_t naik_h5_string(size_t length);
hid_t naik_h5_text_type(void);

/* Creates a dataset, contiguous, allocated now, without fill (fill = NULL) or filled with one
 * double. Intermediate groups are made. Collective, does not agree. */
naik_status naik_h5_dataset(naik_log *log, hid_t where, const char *name, hid_t type, int rank,
                            const hsize_t *dims, const double *fill, hid_t *out);
naik_status naik_h5_group(naik_log *log, hid_t where, const char *name, hid_t *out);

/* Attributes of an object, written by all ranks; do not agree. */
naik_status naik_h5_put_text(naik_log *log, hid_t object, const char *name, const char *text);
/* naik_h5_put_text of an attribute that may be there already, and then keeps its type. */
naik_status naik_h5_set_text(naik_log *log, hid_t object, const char *name, const char *text);
naik_status naik_h5_put_f64(naik_log *log, hid_t object, const char *name, const double *values,
                            int count); /* count 0: a scalar */
naik_status naik_h5_put_i64(naik_log *log, hid_t object, const char *name, const int64_t *values,
                            int count);
naik_status naik_h5_put_ints(naik_log *log, hid_t object, const char *name, const int *values,
                             int count);
/* And back; false where it is absent or of another class or size. text is always terminated. */
bool naik_h5_get_text(hid_t object, const char *name, char *text, size_t text_size);
bool naik_h5_get_f64(hid_t object, const char *name, double *values, int count);
bool naik_h5_get_i64(hid_t object, const char *name, int64_t *values, int count);
bool naik_h5_get_ints(hid_t object, const char *name, int *values, int count);

/* naik_h5_close after `status`, agreed, of work on a file open for writing; the more severe of the
 * two. Where a write failed the ranks' views of the file differ, and closing it, which is
 * collective, may never end: then it is left as it is, and comm->unfinalisable is set. */
naik_status naik_h5_close_after(naik_comm *comm, naik_status status, hid_t *file);

/* What rank 0 does with files that no other rank has open, in a communicator of its own: HDF5
 * writes metadata by all ranks in turns, and where one of them is refused the others wait inside
 * HDF5 (seen with 1.10.8). After a failure HDF5 may still hold the file: comm->unfinalisable is
 * set. Collective, agrees on what `work` returned. */
typedef naik_status naik_h5_work(naik_comm *alone, void *data);
naik_status naik_h5_by_rank_0(naik_comm *comm, naik_h5_work *work, void *data);

/* A text of any length as a scalar string dataset: created now, its bytes written by rank 0.
 * Collective, agrees. */
naik_status naik_h5_put_document(naik_comm *comm, hid_t where, const char *name, const char *text);
/* *text owned by the caller (free), NULL where the dataset is absent. Every rank reads. */
naik_status naik_h5_get_document(naik_log *log, hid_t where, const char *name, char **text);

/* A hyperslab of a dataset by rank 0 alone (write) or by every rank (read), memory of the type
 * `type`. start and count have the dataset's rank. Local: independent transfer, does not agree. */
naik_status naik_h5_write_part(naik_log *log, hid_t dataset, hid_t type, const hsize_t *start,
                               const hsize_t *count, const void *data);
naik_status naik_h5_read_part(naik_log *log, hid_t dataset, hid_t type, const hsize_t *start,
                              const hsize_t *count, void *data);

#endif
