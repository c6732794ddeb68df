/* peer.h - memory of the other GPUs of this node: what is mapped, and the sums and halos through it
 *
 * Every rank gives the others of its node one block of its memory, the arena, for sums; a lattice
 * has a block of its own for halos (exchange.h). Both have two halves, used in alternate epochs: who writes for the
 * second epoch after this one knows that this one was read, because the reader's next message, which
 * the writer has waited for, was sent after that. Numbers of epochs live in device memory and are
 * counted by the kernels, so that work that was recorded can be played back.
 */
#ifndef NAIK_GPU_PEER_H
#define NAIK_GPU_PEER_H

#include <stdint.h>

#include "gpu/gpu.h"

extern "C" {
#include "backend/backend.h"
#include "backend/field.h"
}

typedef struct gpu_peers {
    bool open;
    int count, me;               /* ranks of this node, and which of them this one is */
    int rank[NAIK_PEERS_MAX];    /* in the world */
    char *arena[NAIK_PEERS_MAX]; /* as mapped here */
    uint32_t *epoch;             /* backend memory [PEER_RHS]: sums taken so far */
    uint32_t *fault;        /* host memory that the device writes to: 1 + node rank not heard */
    uint32_t *fault_mapped; /* its address there */
    gpu_stream side;        /* beside the backend's stream */
    gpu_event fork, join;
} gpu_peers;

extern const naik_peer_ops gpu_peer_ops;

/* NAIK_ERR_DEVICE where a kernel gave up waiting, with the rank it waited for; says so once. */
naik_status gpu_peers_check(naik_backend *backend);

#endif
