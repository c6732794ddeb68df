/* transport.h - how halos travel between GPUs, chosen once when a backend opens
 *
 *   peer         the packing kernel writes into the memory of the neighbour's GPU and raises a flag
 *                there, which the neighbour's kernel waits for: within a node, no host involved
 *   mpi_device   MPI is given device memory
 *   staged       by way of pinned host memory
 *
 * Ranks of one node use the first where it works, all others one of the last two. A path is used
 * only after a real exchange over it brought the same bytes as staging did; `auto` takes the
 * fastest of those. Two ranks on one GPU are always staged: kernels that wait for each other might
 * never run together. Tests may have them use peers all the same, with NAIK_SHARED_PEERS=1 in the
 * environment of all ranks and the transport asked for by name.
 */
#ifndef NAIK_TRANSPORT_H
#define NAIK_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "naik/status.h"

struct naik_backend;

typedef enum naik_transport {
    NAIK_TRANSPORT_AUTO,
    NAIK_TRANSPORT_PEER,
    NAIK_TRANSPORT_MPI_DEVICE,
    NAIK_TRANSPORT_STAGED
} naik_transport;
enum { NAIK_TRANSPORTS = 4 };
const char *naik_transport_name(naik_transport transport); /* "auto", "peer", ... */

/* What the ranks of a backend use. */
typedef struct naik_route {
    bool peer;   /* between ranks of one node */
    bool whole;  /* peer, and there is one node: no exchange or sum needs the host */
    bool device; /* MPI, for the other faces, is given device memory */
    bool *near;  /* [size] ranks of this node, without this rank; NULL: host memory or alone */
    double patience_s;  /* how long to wait for a message of MPI; 0: for ever */
    double exchange_us; /* of the test exchange, measured; 0: there was none */
} naik_route;

/* Tries the paths and sets backend->route. A path that was asked for and does not work is replaced,
 * with one warning that names a pair of ranks. Nothing to do where MPI sees all memory or there is
 * one rank. Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_transport_choose(struct naik_backend *backend, naik_transport wanted);
void naik_transport_release(struct naik_backend *backend);

/* "peer", "mpi_device", "staged", "peer+staged", ..., "mpi" for host memory; and how long the test
 * exchange took, for the banner. text has at least 64 bytes. */
void naik_transport_describe(const struct naik_backend *backend, char *text, size_t text_size);

#endif
