/* boundary.cuh - the blocks of a Dslash whose sites have neighbours beyond the box: how they wait for
 * these, and send what they have written
 */
#ifndef NAIK_GPU_DSLASH_BOUNDARY_CUH
#define NAIK_GPU_DSLASH_BOUNDARY_CUH

#include "gpu/dslash/params.cuh"

/* Whether block number `block` of `sites` sites has some of the boundary. */
__device__ static inline bool dslash_on_boundary(const dslash_params &p, int block, int sites)
{
    return p.table != NULL && (block + 1) * sites > p.boundary_from;
}

/* Where such a block reads sites beyond the box, once they have come (dslash_site.halo). All
 * threads of the block call. */
__device__ static inline gpu_place dslash_halo(const dslash_params &p, int block, int sites,
                                               int thread)
{
    if (!dslash_on_boundary(p, block, sites)) {
        return GPU_NOWHERE;
    }
    return gpu_place_of(p.in, p.view.epoch != NULL ? exchange_await(p.view, thread) : p.in);
}

/* Words beyond the box (words.cuh) that a site needs of kinds `first`, first + step, ...: waits for
 * them and puts them into the halo of the field, where this thread reads them again. */
template <class V>
__device__ static inline void dslash_take_words(const dslash_params &p, uint32_t slot, int index,
                                                int first, int step)
{
    if (index >= p.count) {
        return;
    }
    const int cb = p.list[index]; /* there is one where there is a boundary */
    const char *from = p.view.slots + slot * p.view.slot_bytes;
    int x[4];
    gpu_coords(p.stencil, p.parity, cb, x);
#pragma unroll 1
    for (int kind = first; kind < p.kinds; kind += step) {
#pragma unroll 1
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            if (p.stencil.point[kind][mu].outside == 0) {
                continue;
            }
            const int low = mu % 2 == 0 ? x[0] : x[1], high = mu % 2 == 0 ? x[2] : x[3];
            const int at = mu < 2 ? low : high;
            bool leaves;
            (void)gpu_neighbour(p.stencil, cb, at, kind, mu, &leaves);
            if (!leaves) {
                continue;
            }
            const int there = gpu_halo_site(p.stencil, cb, at, kind, mu);
            const size_t offset = vec_offset<V>(there, 0, 1);
            words_vector<V> vector;
            if (vector.take(from + offset, p.view.timeout, p.view.sender[2 * mu + kind % 2])) {
                vector.keep((char *)p.in + offset);
            }
        }
    }
}

/* What a block on the boundary, of `sites` sites, does before its work where halos come as words, of
 * one rhs: takes what thread number `thread` of `threads` needs and, if it sends, empties its share
 * of the words of the turn before. The others are as in dslash_take_words. */
template <class V>
__device__ static inline void dslash_await_words(const dslash_params &p, int sites, int index,
                                                 int first, int step, int thread, int threads)
{
    if (p.view.turn == NULL || !dslash_on_boundary(p, dslash_block(p), sites)) {
        return;
    }
    const uint32_t slot = words_slot(p.view.turn);
    dslash_take_words<V>(p, slot, index, first, step);
    if (p.send.turn != NULL) {
        words_empty(p.send.slots, p.send.capacity, slot,
                    (unsigned)(dslash_block(p) - p.send.first_block), p.send.shares,
                    (unsigned)thread, (unsigned)threads);
    }
}

/* Whether this block of `sites` sites has something to send. */
__device__ static inline bool dslash_sends(const dslash_params &p, int sites)
{
    return p.send.any && dslash_on_boundary(p, dslash_block(p), sites);
}

/* What memory has of a vector that registers may have, too (known); false: they have other bits. */
template <class T>
__device__ static inline bool dslash_stored(bool known, const colour_vector<T> &written,
                                            colour_vector<T> &stored)
{
    if (known) {
        stored = written;
    }
    return known;
}
template <class T>
__device__ static inline bool dslash_stored(bool, const colour_vector<T> &, uint4 &)
{
    return false;
}

/* Sends what this thread has written of the rhs from `irhs` on whose bit is set, and in words what
 * there is of one that has stopped. Finds the site again, which takes no registers before. Reads
 * what is not known to be `written`; a pointer to that would put it into memory. */
template <class V, int N>
__device__ static inline void dslash_send(const dslash_params &p, int irhs, unsigned rhs,
                                          bool known,
                                          const colour_vector<typename V::real> (&written)[N])
{
    const int index = dslash_block(p) * (int)blockDim.x + (int)threadIdx.x;
    if (index >= p.count) {
        return;
    }
    const int cb = p.list[index]; /* there is one where there is a boundary */
    const char *from = p.out + vec_offset<V>(cb, irhs, p.nrhs);
    int x[4];
    gpu_coords(p.stencil, p.parity, cb, x);
    typename V::stored vector[N];
    if (N == 1 && p.send.turn != NULL) {
        rhs = 1;
    }
#pragma unroll
    for (int c = 0; c < N; c++) {
        if (!dslash_stored(known, written[c], vector[c]) && (rhs >> c & 1) != 0) {
            vector[c] = V::fetch(from + c * V::RHS_BYTES);
        }
    }
    exchange_send_site<V, N>(p.send, p.stencil, vector, x, irhs, rhs, p.nrhs);
}

/* The last thread of a block that sends says that it has, after a barrier behind the stores: this
 * one, if it is wanted. So the others need not wait for what has been sent to arrive. */
__device__ static inline void dslash_signal(const dslash_params &p, bool sends, bool barrier)
{
    if (!sends) {
        return;
    }
    if (barrier) {
        __syncthreads();
    }
    if (threadIdx.x == blockDim.x - 1 && threadIdx.y == blockDim.y - 1) {
        exchange_signal(p.send);
    }
}

#endif
