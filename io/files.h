/* files.h - the file system's side of safe files: space, rename, durability
 *
 * Everything here is done by rank 0 and agreed, so that a file system is asked once and not by
 * ten thousand ranks. All functions are collective and give the same result on every rank.
 */
#ifndef NAIK_IO_FILES_H
#define NAIK_IO_FILES_H

#include "naik/comm.h"

enum { NAIK_PATH_MAX = 4096 };

typedef struct naik_file_head {
    const char *path;
    int64_t size_bytes;         /* of the file */
    int length;                 /* of the bytes below */
    unsigned char bytes[16384]; /* the begin of the file */
} naik_file_head;

/* *head of a regular file, that `what` is in words. The path is kept. Local. NAIK_ERR_INPUT */
naik_status naik_file_head_read(naik_log *log, const char *path, const char *what,
                                naik_file_head *head);

/* How every HDF5 file begins. */
#define NAIK_FILE_HDF5 "\x89HDF\r\n\x1a\n"
enum { NAIK_FILE_HDF5_BYTES = 8 };

/* What is around the content that a reader looks for, or is there in its place, and what to do about
 * it, as the end of a sentence that begins with ": "; "" where nothing is that is known. Local. */
const char *naik_file_wrapping(const naik_file_head *head);

/* What to name where there is no file PATH but files in which QIO wrote it, as the end of a sentence;
 * "" otherwise. Local. */
const char *naik_file_in_parts(const char *path);

/* Whether the file has nothing but zeros from this byte to its end: padding, which no header tells.
 * False where it cannot be read. Local. */
bool naik_file_is_padded(const char *path, int64_t from);
/* Whether the file may have its size, of which its format needs `needed`: the same, or zeros follow.
 * On rank 0. */
bool naik_file_size_fits(const naik_file_head *head, int64_t needed);

/* out = path + suffix. NAIK_ERR_INPUT where it is too long. Local. */
naik_status naik_path_append(naik_log *log, const char *path, const char *suffix,
                             char out[NAIK_PATH_MAX]);

/* Of what the system refused: NAIK_ERR_INPUT where the name is at fault or who this user is,
 * NAIK_ERR_IO where the machine is. Local. */
naik_status naik_refusal(int error_number);

/* The folder of a path: "." of a name alone. Local. */
void naik_file_folder(const char *path, char folder[NAIK_PATH_MAX]);
/* A new file for `path` that has no name yet (*unnamed), so that a kill leaves nothing. Where the file system has no
 * unnamed files, one that was created exclusively as `path`. -1 with errno. Local. */
int naik_file_open_unnamed(const char *path, bool *unnamed);
/* Gives an unnamed file this name, which no other has; false with errno. Local. */
bool naik_file_give_name(int fd, const char *path);
/* Size of the file in bytes, -1 where there is none. Collective.
 * NAIK_ERR_INPUT, NAIK_ERR_IO   the system does not say: the first where it is not allowed */
naik_status naik_file_size(naik_comm *comm, const char *path, int64_t *size_bytes);
/* Removes the file; one that is not there is no failure. */
naik_status naik_file_remove(naik_comm *comm, const char *path);
/* Forces `from` to disk, renames it to `to` and forces the directory to disk. Without `replace` a
 * file that has appeared there stays, and `from` too: NAIK_ERR_INPUT. */
naik_status naik_file_publish(naik_comm *comm, const char *from, const char *to, bool replace);
/* NAIK_ERR_IO with need and free space in words if the file system of `path` cannot take
 * size_bytes more than what `path` already occupies; NAIK_ERR_INPUT if its folder is missing or not
 * writable. */
naik_status naik_file_check_space(naik_comm *comm, const char *path, int64_t size_bytes);
/* Whether PATH can be begun: its folder, the length of its name. Local. NAIK_ERR_INPUT */
naik_status naik_file_check_name(naik_log *log, const char *path);
/* Has the file system set aside the blocks of the existing file up to its size, so that a disk that
 * fills up later cannot fail a write into it. Where the system cannot, nothing happens.
 * NAIK_ERR_IO when the disk is full. */
naik_status naik_file_reserve(naik_comm *comm, const char *path);
/* The same behind what the caller does next: a thread of rank 0 asks for a piece after the other, and
 * others write into the file meanwhile. _end waits for the thread, and tells what _reserve does; NULL is
 * nothing. _abandon, local, has the thread stop. NAIK_ERR_MEMORY, NAIK_ERR_IO */
typedef struct naik_reservation naik_reservation;
naik_status naik_file_reserve_begin(naik_comm *comm, const char *path, naik_reservation **out);
naik_status naik_file_reserve_end(naik_comm *comm, naik_reservation **reservation);
void naik_file_reserve_abandon(naik_reservation **reservation);
/* The same of a file that is open for writing. Local, in any thread. 0, or ENOSPC and its like */
int naik_file_reserve_open(int fd);

/* Rank 0 writes size_bytes at offset; offset 0 begins the file anew if `create`. Collective,
 * agrees. NAIK_ERR_IO */
naik_status naik_file_put(naik_comm *comm, const char *path, bool create, int64_t offset,
                          const void *bytes, size_t size_bytes);

#endif
