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
#ifndef NAIK_BACKEND_TRANSPORT_H
#define NAIK_BACKEND_TRANSPORT_H

#include "backend/backend.h"

/* Tries the paths and sets backend->route. A path that was asked for and does not work is replaced,
 * with one warning that names a pair of ranks. Nothing to do where MPI sees all memory or there is
 * one rank. Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_transport_choose(naik_backend *backend, naik_transport wanted);
void naik_transport_release(naik_backend *backend);

/* "peer", "mpi_device", "staged", "peer+staged", ..., "mpi" for host memory; and how long the test
 * exchange took, for the banner. text has at least 64 bytes. */
void naik_transport_describe(const naik_backend *backend, char *text, size_t text_size);

#endif
