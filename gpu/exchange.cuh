/* exchange.cuh - what a kernel on the boundary needs to wait for halos and to read them */
#ifndef NAIK_GPU_EXCHANGE_CUH
#define NAIK_GPU_EXCHANGE_CUH

#include "exchange.h"
#include "peer.cuh"

typedef struct exchange_view {
    const uint32_t *turn; /* NULL: halos are in the field */
    const uint32_t *flags;
    const char *halo[2];            /* by turn: where the field would begin */
    uint8_t sender[EXCHANGE_ZONES]; /* of zone 2 mu + side: 1 + node rank; 0: not waited for */
    peer_patience patience;
} exchange_view;

/* For a field of this shape, whose exchange is under way. */
exchange_view gpu_exchange_view(const naik_field *field);

/* Where the field would begin whose halo sites the neighbours have written: waits for them. All
 * threads of the block call; `thread` counts them. */
__device__ static inline const char *exchange_await(const exchange_view &v, int thread)
{
    const uint32_t turn = *(const volatile uint32_t *)v.turn;
#pragma unroll
    for (int zone = 0; zone < EXCHANGE_ZONES; zone++) {
        if (thread == zone && v.sender[zone] != 0) {
            peer_wait_flag(v.flags + zone * EXCHANGE_FLAG_WORDS, turn, v.patience, v.sender[zone]);
        }
    }
    __syncthreads();
    return (turn & 1) != 0 ? v.halo[1] : v.halo[0];
}

#endif
