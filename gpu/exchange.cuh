/* exchange.cuh - what a kernel on the boundary needs to wait for halos and to read them */
#ifndef NAIK_GPU_EXCHANGE_CUH
#define NAIK_GPU_EXCHANGE_CUH

#include "exchange.h"
#include "peer.cuh"

typedef struct exchange_view {
    const uint32_t *turn; /* NULL: halos are in the field */
    const uint32_t *flags;
    const char *halo[2]; /* by turn: where the field would begin */
    int count, blocks;   /* zones waited for, flags of each */
    uint32_t zones;      /* 4 bits each: 2 mu + side */
    uint64_t codes;      /* 8 bits each: 1 + node rank of the sender */
    peer_patience patience;
} exchange_view;

/* For a field of this shape, whose exchange is under way. */
exchange_view gpu_exchange_view(const naik_field *field);

/* Where the field would begin whose halo sites the neighbours have written: waits for them. All
 * threads of the block call; `thread` counts them. */
__device__ static inline const char *exchange_await(const exchange_view &v, int thread)
{
    const uint32_t turn = *(const volatile uint32_t *)v.turn;
    const int threads = (int)(blockDim.x * blockDim.y);
    for (int i = thread; i < v.count * v.blocks; i += threads) {
        const int which = i / v.blocks, block = i - which * v.blocks;
        const uint32_t zone = v.zones >> 4 * which & 15, code = (uint32_t)(v.codes >> 8 * which);
        peer_wait_flag(v.flags + zone * EXCHANGE_BLOCKS + block, turn, v.patience, code & 255);
    }
    __syncthreads();
    return (turn & 1) != 0 ? v.halo[1] : v.halo[0];
}

#endif
