/* comm.h - the ranks: who we are and what we agree on
 *
 * A program whose MPI runs already begins with naik_comm_create_from (naik/mpi.h).
 */
#ifndef NAIK_COMM_H
#define NAIK_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "naik/log.h"

enum { NAIK_HINTS_BYTES = 2048 }; /* room for the hints to MPI-IO, with the final zero */

typedef struct naik_io_options {  /* how files are reached; all zero: as the libraries choose */
    char hints[NAIK_HINTS_BYTES]; /* to MPI-IO, for reading and writing: "key=value;key=value" */
    int64_t alignment;            /* of datasets of a MiB and more in HDF5, bytes */
    int writers;                  /* ranks that write HDF5 datasets for all; 0: all together */
    bool plain;                   /* HDF5 without MPI-IO: this rank has its files to itself */
    bool collective;              /* fields in HDF5 by collective calls alone, also where threads
                                     could move them (io/h5/box_plain.h) */
    struct naik_io_times *times;  /* borrowed; counts the seconds that this takes (io/h5/times.h).
                                     NULL: nobody counts */
    bool replace;                 /* an output may take the place of a file that is there */
} naik_io_options;

/* The ranks of a job, as one of them sees them. A program reads the members and may set `io`. */
typedef struct naik_comm {
    naik_log *log;  /* borrowed */
    int rank, size; /* in the world */
    int node_rank;  /* among the ranks that share memory with this one */
    int node_size;
    int node;           /* a number for this rank's node: its lowest rank */
    int nodes;          /* in the job */
    char host[64];      /* this rank's host name */
    bool unfinalisable; /* HDF5 holds a file whose writes fail, which it would close, and crash
                           over, in MPI_Finalize and at exit: main ends the process without */
    bool deserted;      /* naik_comm_meet failed: nothing collective may be called any more */
    naik_io_options io; /* set by commands that have been told */
    int cpus; /* processors for this rank: those it may run on, shared with the ranks of the node
                 that may run there too; at least 1 */
    struct naik_watchdog *watchdog; /* NULL: none */
    struct naik_comm_mpi *mpi;      /* its communicators */
} naik_comm;

/* Starts MPI (funneled threads) unless it runs, and describes this rank.
 *
 *   argc, argv  as main received them, or NULL
 *   log         borrowed; learns its rank
 *
 * Collective over the world.
 * NAIK_ERR_MPI  MPI could not be started, or was ended already: it cannot begin twice
 * NAIK_ERR_MEMORY, on every rank */
naik_status naik_comm_create(int *argc, char ***argv, naik_log *log, naik_comm **out);
/* The ranks of a communicator of a program whose MPI runs already, by its Fortran handle, which is the same
 * number in every language (MPI_Comm_c2f; py2f of mpi4py); otherwise as naik_comm_create_from of naik/mpi.h.
 * Collective over that communicator. NAIK_ERR_ARG  MPI does not run; NAIK_ERR_MEMORY, on every rank */
naik_status naik_comm_create_fortran(int handle, naik_log *log, naik_comm **out);
/* Frees the communicator, sets *comm = NULL, and ends MPI if naik_comm_create started it. Accepts NULL in
 * *comm. Collective. */
void naik_comm_destroy(naik_comm **comm);
/* Ends the whole job at once with this exit status, whatever the other ranks do. Local. Only main calls
 * naik_comm_abort. */
void naik_comm_abort(naik_comm *comm, int exit_status);

/* The most severe of all ranks' statuses, the same on every rank; `mine` is this rank's. If a rank failed,
 * the log of every rank then holds the sentence of the lowest rank with that status, and names the rank.
 * Collective. NAIK_ERR_MPI */
naik_status naik_comm_worst(naik_comm *comm, naik_status mine);
/* naik_comm_worst in a form that shows a reader of the caller that a failure of this rank never becomes
 * a success. Collective. NAIK_ERR_MPI */
static inline naik_status naik_comm_agree(naik_comm *comm, naik_status mine)
{
    const naik_status worst = naik_comm_worst(comm, mine);
    return worst == NAIK_OK ? mine : worst;
}

/* Returns when all ranks have called it. Collective. NAIK_ERR_MPI */
naik_status naik_comm_barrier(naik_comm *comm);
/* Copies `size_bytes` bytes of the rank `root` to `data` on all ranks. size_bytes and root are the same on
 * every rank. Collective. NAIK_ERR_MPI */
naik_status naik_comm_broadcast(naik_comm *comm, void *data, size_t size_bytes, int root);
#endif
