/* words.cuh - short halos, whose words say themselves that they have come
 *
 * A halo lies in a slot of memory that was empty before: every 8 bytes of it held a NaN that nobody
 * sends. A neighbour stores 8 bytes in one piece, and whoever needs them looks until they are no
 * longer empty. So there is no flag, and no fence before it, and nothing travels beside the data.
 *
 * There are NAIK_PEER_SLOTS slots, used in turns; each rank counts its turns by itself. The kernel
 * S(w) that sends turn w also empties this rank's slot of turn w - 2. Nobody here reads that slot any
 * more: turn w - 2 was taken at the latest by S(w - 1), which has ended. And nobody writes to it yet:
 *   a neighbour fills it in turn w + 3, in his kernel S(w + 3)
 *   before that began, all kernels that took turn w + 1 had ended there
 *   these had words of this rank's S(w + 1), which began when S(w) had ended here
 * This holds only if every kernel that takes a turn has waited for a word of each neighbour to whom it
 * or a later one sends. For this reason a turn is always sent whole, also when its right-hand side has
 * stopped, and all boundary sites wait for their words.
 */
#ifndef NAIK_GPU_WORDS_CUH
#define NAIK_GPU_WORDS_CUH

#include "gpu/fields/prec.cuh"
#include "gpu/halo/peer.cuh"

extern "C" {
#include "backend/route.h"
}

/* No 16-bit integer is stored as 0 (prec.cuh), and no arithmetic makes this NaN. */
enum { WORDS_EMPTY = 0xffff0000u, WORDS_PIECE = 16 };

/* In backend memory, one of each exchange. */
typedef struct words_turn {
    uint32_t slot; /* of the turn that was sent last */
    uint32_t done; /* shares of the next one that are sent */
} words_turn;

__device__ static inline uint32_t words_slot(const words_turn *turn)
{
    return *(const volatile uint32_t *)&turn->slot;
}
__device__ static inline uint32_t words_next(uint32_t slot)
{
    return slot + 1 < NAIK_PEER_SLOTS ? slot + 1 : 0;
}

/* What one thread reads and writes of a vector in one piece. */
template <int BYTES> struct words_lane;
template <> struct words_lane<8> {
    typedef uint2 type;
    __device__ static inline bool came(type v)
    {
        return v.x != WORDS_EMPTY || v.y != WORDS_EMPTY;
    }
    /* what travels, and is still a NaN if it was one */
    __device__ static inline type full(type v)
    {
        v.x = came(v) ? v.x : v.x | 1;
        return v;
    }
    __device__ static inline type look(const char *p)
    {
        return gpu_load_half(p);
    }
    __device__ static inline void send(char *p, type v)
    {
        gpu_store_half(p, v);
    }
};
template <> struct words_lane<16> {
    typedef uint4 type;
    __device__ static inline bool came(type v)
    {
        return (v.x != WORDS_EMPTY || v.y != WORDS_EMPTY) &&
               (v.z != WORDS_EMPTY || v.w != WORDS_EMPTY);
    }
    __device__ static inline type full(type v)
    {
        v.x = v.x != WORDS_EMPTY || v.y != WORDS_EMPTY ? v.x : v.x | 1;
        v.z = v.z != WORDS_EMPTY || v.w != WORDS_EMPTY ? v.z : v.z | 1;
        return v;
    }
    __device__ static inline type look(const char *p)
    {
        return gpu_load_halves(p);
    }
    __device__ static inline void send(char *p, type v)
    {
        gpu_store_halves(p, v);
    }
};

/* A vector of a site as it is stored. */
template <class V> struct words_vector {
    typedef words_lane<V::LANE_BYTES> lane;
    enum {
        STRIDE = PREC_BLOCK * V::LANE_BYTES,
        LANES = V::RHS_BYTES / (PREC_BLOCK * V::LANE_BYTES)
    };
    typename lane::type of[LANES];

    __device__ inline words_vector()
    {
    }
    __device__ inline explicit words_vector(const typename V::stored &vector)
    {
        static_assert(sizeof vector == sizeof of, "as it lies in memory");
        memcpy(of, &vector, sizeof of);
    }
    __device__ inline void keep(char *to) const
    {
#pragma unroll
        for (int l = 0; l < LANES; l++) {
            *(typename lane::type *)(to + l * STRIDE) = of[l];
        }
    }
    __device__ inline void send(char *to) const
    {
#pragma unroll
        for (int l = 0; l < LANES; l++) {
            lane::send(to + l * STRIDE, lane::full(of[l]));
        }
    }
    /* Until all of it has come; false: gave up. */
    __device__ inline bool take(const char *from, const peer_timeout &timeout, uint32_t code)
    {
        uint64_t start_ns = 0;
        for (unsigned look = 1;; look++) {
            bool came = true;
#pragma unroll
            for (int l = 0; l < LANES; l++) {
                of[l] = lane::look(from + l * STRIDE);
                came = came && lane::came(of[l]);
            }
            if (came) {
                return true;
            }
            gpu_pause();
            if (look % PEER_LOOKS == 0) {
                start_ns = start_ns != 0 ? start_ns : gpu_time_ns();
                if (peer_gives_up(timeout, start_ns, code)) {
                    return false;
                }
            }
        }
    }
};

/* Empties this rank's slot of the turn before the one that lies in `slot` and was sent last; share
 * number `share` of `shares`, thread number `thread` of `threads`. */
__device__ static inline void words_empty(char *slots, size_t slot_bytes, uint32_t slot,
                                          unsigned share, unsigned shares, unsigned thread,
                                          unsigned threads)
{
    const uint32_t before = slot > 0 ? slot - 1 : NAIK_PEER_SLOTS - 1;
    const uint32_t pieces = (uint32_t)(slot_bytes / WORDS_PIECE);
    uint4 *const at = (uint4 *)(slots + before * slot_bytes);
    gpu_dawdle();
    for (uint32_t i = share * threads + thread; i < pieces; i += shares * threads) {
        at[i] = make_uint4(WORDS_EMPTY, WORDS_EMPTY, WORDS_EMPTY, WORDS_EMPTY);
    }
}

/* A share of the turn is sent, and its block has read which turn it was; the last of `shares` makes it
 * the last turn. One thread of the block calls, behind a barrier. */
__device__ static inline void words_sent(words_turn *turn, unsigned shares)
{
    const uint32_t next = words_next(words_slot(turn));
    gpu_dawdle();
    if (atomicAdd(&turn->done, 1u) + 1 == shares) {
        turn->done = 0;
        *(volatile uint32_t *)&turn->slot = next;
    }
}

#endif
