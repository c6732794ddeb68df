/* comm.h - the ranks: who we are, what we agree on, sums that are exact
 *
 * The only public view of MPI. Communication with neighbours is in halo.h, files in io.
 */
#ifndef NAIK_COMM_H
#define NAIK_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "naik/exactsum.h"
#include "naik/log.h"

enum { NAIK_HINTS_BYTES = 2048 };

typedef struct naik_io_options {  /* how files are reached; all zero: as the libraries choose */
    char hints[NAIK_HINTS_BYTES]; /* to MPI-IO, for reading and writing: "key=value;key=value" */
    int64_t alignment;            /* of datasets of a MiB and more in HDF5, bytes */
    int writers;                  /* ranks that write HDF5 datasets for all; 0: all together */
    bool plain;                   /* HDF5 without MPI-IO: this rank has its files to itself */
    bool replace;                 /* an output may take the place of a file that is there */
} naik_io_options;

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
    struct naik_watchdog *watchdog; /* watchdog.h; NULL: none */
    struct naik_comm_mpi *mpi;      /* comm_mpi.h */
} naik_comm;

/* Starts MPI (funneled threads) and describes this rank. argc and argv as main received them.
 * Collective over the world. The log is borrowed and learns its rank. */
naik_status naik_comm_create(int *argc, char ***argv, naik_log *log, naik_comm **out);
/* Ends MPI. Collective. */
void naik_comm_destroy(naik_comm **comm);
/* For a process that cannot begin: the others would wait for it in MPI's start. Starts MPI and ends
 * the job with this exit status. */
void naik_comm_refuse(int exit_status);
/* A communicator in which this rank is alone, rank 0 of 1; MPI must have been started by
 * naik_comm_create. For tests that compare with one rank. Local. Release with naik_comm_destroy,
 * before the communicator that started MPI. NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_comm_create_alone(naik_log *log, naik_comm **out);
/* Ends the whole job at once with this exit status, whatever the other ranks do. Only main calls
 * it. */
void naik_comm_abort(naik_comm *comm, int exit_status);

/* The most severe of all ranks' statuses, the same on every rank; collective. Where a rank failed,
 * every rank's log then holds the sentence of the lowest rank with that status, naming the rank. */
naik_status naik_comm_agree(naik_comm *comm, naik_status mine);

/* At the end of a command, before anything is closed that must be closed together: false where this
 * rank has failed (`mine`) and the others have not come within seconds, because they know nothing
 * of it and wait for this one elsewhere; comm->deserted is then set, and main ends the job. What
 * all ranks decide together (done, not converged, interrupted) waits for as long as it takes.
 * Collective. */
bool naik_comm_meet(naik_comm *comm, naik_status mine);

/* Collective, results on every rank; all return NAIK_ERR_MPI on failure. */
naik_status naik_comm_barrier(naik_comm *comm);
naik_status naik_comm_broadcast(naik_comm *comm, void *data, size_t size_bytes, int root);
naik_status naik_comm_sum_i64(naik_comm *comm, int64_t *values, int count);  /* in place */
naik_status naik_comm_xor_u64(naik_comm *comm, uint64_t *values, int count); /* in place */
naik_status naik_comm_max_f64(naik_comm *comm, double *values, int count);   /* in place */
naik_status naik_comm_min_f64(naik_comm *comm, double *values, int count);   /* in place */
/* in place; normalises first, exact whatever the number of ranks. Floating-point sums over ranks
 * exist in this form only. */
naik_status naik_comm_sum_exact(naik_comm *comm, naik_exactsum *sums, int count);
/* out[rank * size_bytes ...] of every rank's `mine` on rank 0 only (out may be NULL elsewhere). */
naik_status naik_comm_gather(naik_comm *comm, const void *mine, size_t size_bytes, void *out);

/* out[node_rank * size_bytes ...] of every rank of this node, on each of them. */
naik_status naik_comm_node_gather(naik_comm *comm, const void *mine, size_t size_bytes, void *out);

/* Sends size_bytes from `out` to rank `to` and receives as many from rank `from` into `in`; pairs
 * up over all ranks, may be to or from itself. For set-up work; hot exchanges are in halo.h. */
naik_status naik_comm_exchange(naik_comm *comm, int to, const void *out, int from, void *in,
                               size_t size_bytes);

/* Seconds since an arbitrary start, monotonic. */
double naik_time_s(void);

#endif
