/* gauge_fix.cu - the loops of gauge fixing, one thread a site; arithmetic of gauge_turn.h, the host's bits */
#include "gpu/backend_gpu.h"
#include "gpu/links/ghosted.cuh"
#include "gpu/vectors/reduce.cuh"
#include "links/gauge_turn.h"

enum { TURN_THREADS = 128 };

typedef struct turn_params {
    box b;
    double *u[NAIK_DIM], *turn;
    int directions, parity;
    double omega;
} turn_params;

static turn_params params_of(const naik_ghosted *u, const naik_ghosted *turn, int parity)
{
    turn_params p = {};
    p.b = box_of(u->plan);
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        p.u[mu] = u[mu].data;
    }
    p.turn = turn->data;
    p.parity = parity;
    return p;
}

static unsigned blocks_for(int64_t sites)
{
    return (unsigned)((sites + TURN_THREADS - 1) / TURN_THREADS);
}

static gpu_stream stream_of(const naik_ghosted *ghosted)
{
    return gpu_state_of(gpu_backend_of(ghosted->plan->device))->stream;
}

__device__ static inline bool is_of(const int x[NAIK_DIM], int parity)
{
    return ((x[0] + x[1] + x[2] + x[3]) & 1) == parity;
}

__global__ void __launch_bounds__(TURN_THREADS) find_kernel(const turn_params p)
{
    const int64_t site = (int64_t)blockIdx.x * TURN_THREADS + threadIdx.x;
    if (site >= p.b.sites) {
        return;
    }
    const int stride = p.b.extent[0];
    int x[NAIK_DIM];
    coords(p.b.local, site, x);
    const int64_t here = place(p.b, x[0], x[1], x[2], x[3]);
    if (!is_of(x, p.parity)) {
        store(p.turn + here, stride, naik_mat_unit());
        return;
    }
    naik_matrix w = naik_mat_zero();
    for (int mu = 0; mu < p.directions; mu++) {
        const naik_matrix link = load(p.u[mu] + here, stride);
        const naik_matrix back = load(p.u[mu] + place_near(p.b, x, mu, -1, mu, 0), stride);
        const naik_matrix turned = naik_mat_dagger(&back);
        naik_mat_add(&w, 1, &link);
        naik_mat_add(&w, 1, &turned);
    }
    store(p.turn + here, stride, naik_gauge_turn(w, p.omega));
}

naik_status gpu_turns_find(const naik_ghosted *u, int directions, double omega, int parity,
                           naik_ghosted *turn)
{
    turn_params p = params_of(u, turn, parity);
    p.directions = directions;
    p.omega = omega;
    find_kernel<<<blocks_for(p.b.sites), TURN_THREADS, 0, stream_of(u)>>>(p);
    return GPU_LAUNCHED(gpu_backend_of(u->plan->device), "finding gauge transformations");
}

/* One thread a link: blockIdx.y is its direction. */
__global__ void __launch_bounds__(TURN_THREADS) apply_kernel(const turn_params p)
{
    const int64_t site = (int64_t)blockIdx.x * TURN_THREADS + threadIdx.x;
    const int mu = (int)blockIdx.y, stride = p.b.extent[0];
    if (site >= p.b.sites) {
        return;
    }
    int x[NAIK_DIM];
    coords(p.b.local, site, x);
    const bool own = is_of(x, p.parity);
    double *link = p.u[mu] + place(p.b, x[0], x[1], x[2], x[3]);
    const naik_matrix g = load(p.turn + place_near(p.b, x, mu, own ? 0 : 1, mu, 0), stride);
    const naik_matrix u = load(link, stride);
    store(link, stride, naik_gauge_turned(&u, &g, own));
}

naik_status gpu_turns_apply(const naik_ghosted *turn, int parity, naik_ghosted *u)
{
    const turn_params p = params_of(u, turn, parity);
    apply_kernel<<<dim3(blocks_for(p.b.sites), NAIK_DIM), TURN_THREADS, 0, stream_of(u)>>>(p);
    return GPU_LAUNCHED(gpu_backend_of(u->plan->device), "transforming links");
}

/* One thread a site. */
__global__ void __launch_bounds__(TURN_THREADS)
    divergence_kernel(const turn_params p, naik_exactsum *sum)
{
    __shared__ exact_block<1> shared;
    const int64_t site = (int64_t)blockIdx.x * TURN_THREADS + threadIdx.x;
    double term = 0;
    if (site < p.b.sites) {
        const int stride = p.b.extent[0];
        int x[NAIK_DIM];
        coords(p.b.local, site, x);
        const int64_t here = place(p.b, x[0], x[1], x[2], x[3]);
        naik_matrix d = naik_mat_zero();
        for (int mu = 0; mu < p.directions; mu++) {
            const naik_matrix link = load(p.u[mu] + here, stride);
            const naik_matrix back = load(p.u[mu] + place_near(p.b, x, mu, -1, mu, 0), stride);
            naik_gauge_add_difference(&link, &back, &d);
        }
        term = naik_gauge_delta2(&d);
    }
    exact_block_add(shared, term, sum);
}

naik_status gpu_turns_divergence(const naik_ghosted *u, int directions, naik_exactsum *sum)
{
    naik_backend *backend = gpu_backend_of(u->plan->device);
    naik_exactsum *there = (naik_exactsum *)gpu_state_of(backend)->staging, mine;
    turn_params p = params_of(u, u, 0);
    p.directions = directions;
    NAIK_PASS(
        GPU_CHECK(backend, gpu_memset(there, 0, sizeof mine, stream_of(u)), "clearing a sum"));
    divergence_kernel<<<blocks_for(p.b.sites), TURN_THREADS, 0, stream_of(u)>>>(p, there);
    NAIK_PASS(GPU_LAUNCHED(backend, "measuring the divergence of links"));
    NAIK_PASS(gpu_download(&backend->device, &mine, there, sizeof mine));
    naik_exactsum_normalise(&mine);
    naik_exactsum_merge(sum, &mine);
    return NAIK_OK;
}

/* One thread a link. */
__global__ void __launch_bounds__(TURN_THREADS)
    reunitarise_kernel(const turn_params p, unsigned long long *bad)
{
    const int64_t site = (int64_t)blockIdx.x * TURN_THREADS + threadIdx.x;
    if (site >= p.b.sites) {
        return;
    }
    int x[NAIK_DIM];
    coords(p.b.local, site, x);
    double *at = p.u[blockIdx.y] + place(p.b, x[0], x[1], x[2], x[3]);
    naik_matrix link = load(at, p.b.extent[0]);
    if (naik_mat_reunitarise(&link)) {
        store(at, p.b.extent[0], link);
    } else {
        atomicAdd(bad, 1ULL);
    }
}

naik_status gpu_turns_reunitarise(naik_ghosted *u, int64_t *bad)
{
    naik_backend *backend = gpu_backend_of(u->plan->device);
    const turn_params p = params_of(u, u, 0);
    uint64_t *count = gpu_state_of(backend)->flags;
    NAIK_PASS(
        GPU_CHECK(backend, gpu_memset(count, 0, sizeof *count, stream_of(u)), "clearing a count"));
    reunitarise_kernel<<<dim3(blocks_for(p.b.sites), NAIK_DIM), TURN_THREADS, 0, stream_of(u)>>>(
        p, (unsigned long long *)count);
    NAIK_PASS(GPU_LAUNCHED(backend, "making links unitary"));
    return gpu_download(&backend->device, bad, count, sizeof *bad);
}

__global__ void store_kernel(box b, const double *ghosted, int mu, naik_matrix *link)
{
    const int64_t site = (int64_t)blockIdx.x * TURN_THREADS + threadIdx.x;
    if (site < b.sites) {
        int x[NAIK_DIM];
        coords(b.local, site, x);
        link[site * NAIK_DIM + mu] = load(ghosted + place(b, x[0], x[1], x[2], x[3]), b.extent[0]);
    }
}

naik_status gpu_ghosted_store(const naik_ghosted *ghosted, int mu, naik_gauge *gauge)
{
    const box b = box_of(ghosted->plan);
    store_kernel<<<blocks_for(b.sites), TURN_THREADS, 0, stream_of(ghosted)>>>(b, ghosted->data, mu,
                                                                               gauge->link);
    return GPU_LAUNCHED(gpu_backend_of(gauge->device), "turning rows into links");
}
