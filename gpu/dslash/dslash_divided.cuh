/* dslash_divided.cuh - the Dslash kernels of several threads a site and rhs
 *
 * A site's work is divided by kinds of points, by rows of the result, or by both: threadIdx.x is the
 * site, .y the row, .z the kind, blockIdx.y the right-hand side. The partial sums meet in shared memory,
 * where the first threads fold them in the order of the kinds.
 *
 * A row of the result needs a row of the links, which there is where they are stored whole.
 */
#ifndef NAIK_GPU_DSLASH_DIVIDED_CUH
#define NAIK_GPU_DSLASH_DIVIDED_CUH

#include "gpu/dslash/dslash.cuh"

/* A site's points of one kind into what a thread holds: a row of the result, or all of it. */
template <class V, class S, int R>
__device__ static inline void add_part(const dslash_params &p, const dslash_site &site,
                                       const char *group, int kind, int row,
                                       cplx<typename V::real> (&part)[1])
{
    typedef typename V::real real;
    link_row<S, R> links;
    links.open(group, site.cb % PREC_BLOCK, row);
#pragma unroll GPU_UNROLLED_PAIRS
    for (int pair = 0; pair < 2; pair++) {
#pragma unroll
        for (int k = 0; k < 2; k++) {
            const int mu = 2 * pair + k, x = site.along(pair, k);
            const colour_vector<real> v = V::load(dslash_from<V>(p, site, x, kind, mu));
            cplx<real> u[3];
            links.get(pair, k, u);
#pragma unroll
            for (int j = 0; j < 3; j++) {
                part[0] = mul_add(u[j], v.e[j], part[0]);
            }
        }
    }
}
template <class V, class S, int R>
__device__ static inline void add_part(const dslash_params &p, const dslash_site &site,
                                       const char *group, int kind, int,
                                       cplx<typename V::real> (&part)[3])
{
    colour_vector<typename V::real> all[1];
    clear(all);
    add_kind<V, S, R, 1>(p, site, group, kind, all);
#pragma unroll
    for (int i = 0; i < 3; i++) {
        part[i] = all[0].e[i];
    }
}

template <class V, class S, int R, int HELD>
__device__ static inline void apply_kind(const dslash_params &p, const dslash_site &site, int kind,
                                         int row, typename V::real (&held)[6][GPU_LANES])
{
    typedef dslash_groups<S, R> groups;
    const char *near = groups::of(p, site.cb), *far = near + 2 * groups::NEAR;
    cplx<typename V::real> part[HELD] = {};
    if (R == groups::FAT || kind < 2) {
        add_part<V, S, groups::FAT>(p, site, near + kind * groups::NEAR, kind, row, part);
    } else {
        add_part<V, S, R>(p, site, far + (kind - 2) * groups::FAR, kind, row, part);
    }
#pragma unroll
    for (int i = 0; i < HELD; i++) {
        held[2 * (row + i)][threadIdx.x] = part[i].re;
        held[2 * (row + i) + 1][threadIdx.x] = part[i].im;
    }
}

/* The first block of a launch: D puts sums aside for the step, a step leaves |D r|^2 with the other
 * ranks, which have the others already. */
__device__ static inline void offer_sums(const dslash_params &p, int thread)
{
    if (p.deferred.host.rhs == NULL || blockIdx.x > 0 || thread >= GPU_LANES) {
        return;
    }
    if (p.form == NAIK_FORM_D) {
        rhs_put_aside(p.deferred, thread);
    } else if (p.deferred.host.rhs->state == NAIK_RHS_RUN) {
        peer_push(p.deferred.peers, p.deferred.host.sums + 2, 2 * NAIK_MAX_RHS, thread);
    }
}

/* The rhs with its next step, alpha 0 where it has stopped, into shared memory; true in the
 * thread that is to write it down. All threads of the block call. */
__device__ static inline bool take_step(const dslash_params &p, naik_rhs &shared, int thread)
{
    __shared__ double value[3];
    const naik_exactsum *const sum[3] = {p.deferred.taken, p.deferred.taken + 1,
                                         p.deferred.host.sums + 2};
    const int threads = (int)(blockDim.x * blockDim.y * blockDim.z);
    bool last = false;
    rhs_copy(shared, p.deferred.host.rhs, thread, threads);
    __syncthreads(); /* all have read the rhs's state */
    rhs_values<NAIK_COUNT_AND_TAKE>(p.deferred.peers, sum, 0, value, thread, threads);
    if (thread == 0) {
        rhs_advance<NAIK_COUNT_AND_TAKE>(shared, value);
        last = rhs_was_read(p.deferred);
    }
    __syncthreads();
    return last;
}

/* The threads that move together call, the first of them with what take_step said. */
__device__ static inline void write_step(const dslash_params &p, const naik_rhs &shared, bool last,
                                         int lane)
{
    const naik_deferred_reductions &deferred = p.deferred.host;
    if (gpu_lanes_from(last, 0) == 0) {
        return;
    }
    rhs_clear(p.deferred.peers, p.deferred.taken, 0, lane);
    rhs_clear(p.deferred.peers, p.deferred.taken + 1, NAIK_MAX_RHS, lane);
    rhs_clear(p.deferred.peers, deferred.sums + 2, 2 * NAIK_MAX_RHS, lane);
    if (lane == 0) {
        if (deferred.rhs->pending != 0) {
            rhs_note(shared, 1, deferred.history, deferred.history_stride);
        }
        *deferred.rhs = shared;
    }
}

/* Blocks that a multiprocessor shall hold at least: left alone, the compiler takes fewer registers
 * than it may and spills. */
constexpr int divided_blocks(naik_precision vectors, int recon, int rows)
{
    return GPU_LANES == 64             ? 1
           : rows > 1                  ? 2
           : vectors == NAIK_DOUBLE    ? 4
           : vectors == NAIK_HALF      ? 6
           : recon == 9 || recon == 13 ? 7
                                       : 8 - GPU_MORE_REGISTERS;
}

/* ROWS: 1, with a thread a kind, or 3, with the kinds divided over blockDim.z threads. */
template <class V, class S, int R, int ROWS>
__global__ void __launch_bounds__(4 * ROWS * GPU_LANES, (divided_blocks(V::PRECISION, R, ROWS)))
    dslash_divided_kernel(const dslash_params p)
{
    typedef typename V::real real;
    enum { KINDS = R == 12 ? 2 : 4, HELD = 3 / ROWS }; /* kinds at most */
    __shared__ real held[KINDS][6][GPU_LANES];
    __shared__ block_sums<real, 1> shared[2];
    __shared__ naik_rhs next;
    const int x = (int)threadIdx.x, row = (int)threadIdx.y, irhs = (int)blockIdx.y;
    const int index = dslash_block(p) * GPU_LANES + x;
    const int part = row + ROWS * (int)threadIdx.z; /* of the work on a site */
    const int thread = part * GPU_LANES + x;
    fetch_links<S, R>(p, index, thread, (int)(blockDim.y * blockDim.z) * GPU_LANES);
    gpu_await_kernel();
    offer_sums(p, thread);
    dslash_await_words<V>(p, GPU_LANES, index, (int)threadIdx.z, (int)blockDim.z, thread,
                          (int)(blockDim.y * blockDim.z) * GPU_LANES);
    bool active = p.rhs == NULL || p.rhs[irhs].state == p.state;
    const bool here = active && index < p.count;
    dslash_site site;
    site.irhs = irhs;
    site.halo = dslash_halo(p, dslash_block(p), GPU_LANES, thread);
    if (here) {
        open_site(p, index, &site);
        int kind = (int)threadIdx.z;
        if constexpr (ROWS == 1) { /* a loop takes registers */
            apply_kind<V, S, R, HELD>(p, site, kind, row, held[kind]);
        } else {
#pragma unroll 1
            for (; kind < p.kinds; kind += (int)blockDim.z) {
                apply_kind<V, S, R, HELD>(p, site, kind, row, held[kind]);
            }
        }
    }
    __syncthreads();
    bool last = false;
    const bool steps = p.form == NAIK_FORM_STEP && p.deferred.host.rhs != NULL && active;
    if (steps) {
        last = take_step(p, next, thread);
        active = next.alpha != 0;
    }
    if (part > 0) {
        return;
    }
    dslash_terms term = {};
    colour_vector<real> total[1];
    if (here && active) {
        colour_vector<real> sum[1];
        clear(total);
#pragma unroll
        for (int kind = 0; kind < KINDS; kind++) {
            if (kind >= p.kinds) {
                continue;
            }
#pragma unroll
            for (int i = 0; i < 3; i++) {
                sum[0].e[i] = {held[kind][2 * i][x], held[kind][2 * i + 1][x]};
            }
            fold((real)p.scale[kind / 2], sum, total);
        }
        term = finish_site<V>(p, vec_offset<V>(site.cb, irhs, p.nrhs), steps ? &next : p.rhs + irhs,
                              total[0]);
    }
    if (dslash_sends(p, GPU_LANES)) {
        dslash_send<V, 1>(p, irhs, active, active, total);
    }
    const int sums = p.sums == NULL || !active ? 0 : p.form == NAIK_FORM_STEP ? 2 : 1;
    for (int k = 0; k < sums; k++) {
        naik_exactsum *sum = p.sums + k * p.nrhs + irhs;
        const double grid = dslash_grid(p, irhs);
        shared[k].keep(0, 0, x, k == 0 ? term.norm : term.product, grid, sum);
        gpu_lanes_sync();
        if (x < block_sums<real, 1>::WORDS) {
            shared[k].flush(0, 1, 0, x, grid, sum);
        }
    }
    write_step(p, next, last, x);
    gpu_lanes_sync();
    if (x == 0 && dslash_sends(p, GPU_LANES)) {
        exchange_signal(p.send);
    }
}

#endif
