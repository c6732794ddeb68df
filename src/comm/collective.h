/* collective.h - what ranks tell each other beside naik/comm.h; sums are exact
 *
 * Communication with neighbours is in halo.h, files in io.
 */
#ifndef NAIK_COMM_COLLECTIVE_H
#define NAIK_COMM_COLLECTIVE_H

#include "base/exactsum.h"
#include "naik/comm.h"

/* For a process that cannot begin: the others would wait for it in MPI's start. Starts MPI and ends
 * the job with this exit status. */
void naik_comm_refuse(int exit_status);
/* A communicator in which this rank is alone, rank 0 of 1; MPI must have been started by
 * naik_comm_create. For tests that compare with one rank. Local. Release with naik_comm_destroy,
 * before the communicator that started MPI. NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_comm_create_alone(naik_log *log, naik_comm **out);
/* At the end of a command, before anything is closed that must be closed together: false where this
 * rank has failed (`mine`) and the others have not come within seconds, because they know nothing
 * of it and wait for this one elsewhere; comm->deserted is then set, and main ends the job. What
 * all ranks decide together (done, not converged, interrupted) waits for as long as it takes.
 * Collective. */
bool naik_comm_meet(naik_comm *comm, naik_status mine);
/* Whether a rank that ends like this waits for as long as it takes. */
bool naik_comm_meets_all(naik_status mine);

/* Collective, results on every rank; all return NAIK_ERR_MPI on failure. */
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

/* What goes to a neighbour and what comes from it, each of 0 bytes or more. */
typedef struct naik_comm_message {
    int rank, out_tag, in_tag;
    const void *out;
    void *in;
    size_t out_bytes, in_bytes; /* at most INT_MAX */
} naik_comm_message;
enum { NAIK_COMM_MESSAGES_MOST = 8 };
/* All of them at once. partners [partner_count]: of whom the watchdog speaks, and longer than this call. Pairs up. */
naik_status naik_comm_exchange_all(naik_comm *comm, const naik_comm_message *messages, int count,
                                   const int *partners, int partner_count);

/* Sends size_bytes from `out` to rank `to` and receives as many from rank `from` into `in`; pairs
 * up over all ranks, may be to or from itself. For set-up work; hot exchanges are in halo.h. */
naik_status naik_comm_exchange(naik_comm *comm, int to, const void *out, int from, void *in,
                               size_t size_bytes);

#endif
