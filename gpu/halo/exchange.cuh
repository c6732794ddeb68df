/* exchange.cuh - what a kernel on the boundary needs to wait for halos and to read them */
#ifndef NAIK_GPU_EXCHANGE_CUH
#define NAIK_GPU_EXCHANGE_CUH

#include "gpu/fields/prec.cuh"
#include "gpu/fields/stencil.cuh"
#include "gpu/halo/exchange.h"
#include "gpu/halo/peer.cuh"
#include "gpu/halo/words.cuh"

typedef struct exchange_view {
    const uint32_t *epoch; /* NULL: no flags say that halos have come */
    const uint32_t *flags;
    const char *halo[2];    /* by epoch: where the field would begin */
    const words_turn *turn; /* NULL: no words say that they have come (words.cuh) */
    const char *slots;      /* where the field would begin in slot 0 */
    size_t slot_bytes;
    uint8_t sender[EXCHANGE_ZONES]; /* of zone 2 mu + side: 1 + node rank; 0: not waited for */
    peer_timeout timeout;
} exchange_view;

/* For a field of this shape, whose exchange is under way. */
exchange_view gpu_exchange_view(const naik_field *field);

/* Where the field would begin whose halo sites the neighbours have written: waits for them. All
 * threads of the block call; `thread` counts them. */
__device__ static inline const char *exchange_await(const exchange_view &v, int thread)
{
    const uint32_t epoch = *(const volatile uint32_t *)v.epoch;
    if (thread < EXCHANGE_ZONES && v.sender[thread] != 0) {
        peer_wait_flag(v.flags + thread * EXCHANGE_FLAG_WORDS, epoch, v.timeout, v.sender[thread]);
    }
    __syncthreads();
    gpu_dawdle();
    return (epoch & 1) != 0 ? v.halo[1] : v.halo[0];
}

/* What a kernel needs to send the outer layers of the field that it writes. */
typedef struct exchange_send {
    bool any;              /* there are faces to send */
    uint32_t *counters;    /* as gpu_exchange's, with flags */
    words_turn *turn;      /* NULL: with flags */
    char *slots;           /* this rank's, to be emptied */
    uint32_t pieces;       /* of a slot that are sent */
    size_t capacity;       /* from one epoch's or slot's memory to the next */
    char *to[NAIK_DIM][2]; /* where the neighbour's field would begin in even epochs or slot 0;
                                    NULL: nothing goes to this side */
    uint32_t *flag[NAIK_DIM][2]; /* there */
    int first[NAIK_DIM][2];      /* the zone's first site there */
    int face[NAIK_DIM], depth;
    unsigned shares; /* of all blocks together, in units that the kernel chooses */
    int first_block; /* with one of them */
} exchange_send;

exchange_send gpu_exchange_sender(const naik_field *field, int depth);

/* The epoch that this kernel sends in; to be asked for before this block signals. */
__device__ static inline uint32_t exchange_epoch(const exchange_send &s)
{
    return *(const volatile uint32_t *)s.counters + 1;
}

/* Number of a site among those of its parity in its layer across mu (lattice.c). */
__device__ static inline int exchange_number(const gpu_stencil &st, const int x[4], int mu)
{
    int number = 0;
#pragma unroll
    for (int nu = NAIK_DIM - 1; nu >= 0; nu--) {
        number = nu != mu ? number * st.local[nu] + x[nu] : number;
    }
    return number / 2;
}

/* Sends a site's vectors, of N rhs from `irhs` on those whose bit is set, to every zone that it
 * belongs to. Zones are few and take turns; rhs go together. */
template <class V, int N>
__device__ static inline void exchange_send_site(const exchange_send &s, const gpu_stencil &st,
                                                 const typename V::stored (&vector)[N],
                                                 const int x[4], int irhs, unsigned rhs, int nrhs)
{
    const bool words = N == 1 && s.turn != NULL;
    const uint32_t half_or_slot = words ? words_next(words_slot(s.turn)) : exchange_epoch(s) & 1;
#pragma unroll 1
    for (int zone = 0; zone < EXCHANGE_ZONES; zone++) {
        const int mu = zone / 2, side = zone % 2;
        const int low = mu % 2 == 0 ? x[0] : x[1], high = mu % 2 == 0 ? x[2] : x[3];
        const int at = mu < 2 ? low : high; /* x[mu], which stays in registers */
        const int layer = side == NAIK_FORWARD ? st.local[mu] - 1 - at : at;
        if (s.to[mu][side] == NULL || layer >= s.depth) {
            continue;
        }
        const int there = s.first[mu][side] + layer * s.face[mu] + exchange_number(st, x, mu);
        char *to = s.to[mu][side] + half_or_slot * s.capacity + vec_offset<V>(there, irhs, nrhs);
        if (words) {
            words_vector<V>(vector[0]).send(to);
            continue;
        }
#pragma unroll
        for (int c = 0; c < N; c++) {
            if (rhs >> c & 1) {
                V::keep(to + c * V::RHS_BYTES, vector[c]);
            }
        }
    }
    if (words) {
        return;
    }
    GPU_MARK("sent");
    gpu_release_stores();
}

/* This block has sent its share; the last of s.shares raises the flags, or counts the turn. One
 * thread calls, after a barrier behind exchange_send_site of all. Nothing here waits for another
 * rank. */
__device__ static inline void exchange_signal(const exchange_send &s)
{
    if (s.turn != NULL) {
        words_sent(s.turn, s.shares);
        return;
    }
    const uint32_t epoch = exchange_epoch(s);
    gpu_dawdle();
    gpu_release_block();
    const uint32_t count = atomicAdd(&s.counters[1], 1u) + 1;
    GPU_MARK("counted");
    if (count != s.shares) {
        return;
    }
    s.counters[1] = 0;
    *s.counters = epoch;
    gpu_release_flags();
    gpu_dawdle();
#pragma unroll 1
    for (int zone = 0; zone < EXCHANGE_ZONES; zone++) {
        if (s.flag[zone / 2][zone % 2] != NULL) {
            gpu_store_flag(s.flag[zone / 2][zone % 2], epoch);
        }
    }
}

#endif
