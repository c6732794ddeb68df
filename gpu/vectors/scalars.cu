/* scalars.cu - the scalars of the iteration, computed where they are used */
#include "gpu/backend_gpu.h"
#include "gpu/halo/peer.cuh"
#include "gpu/vectors/rhs.cuh"

extern "C" {
#include "comm/collective.h"
}

naik_status gpu_sums_clear(naik_backend *backend, naik_exactsum *sums, int count)
{
    return GPU_CHECK(
        backend, gpu_memset(sums, 0, (size_t)count * sizeof *sums, gpu_state_of(backend)->stream),
        "clearing sums");
}

__global__ void sums_reduce_kernel(const peer_sums peers, naik_exactsum *sums)
{
    const int c = (int)blockIdx.x;
    peer_add(peers, &sums[c], c, (int)threadIdx.x);
}

/* Sums that one pass takes: over peers as many as an inbox holds, else those of the pinned memory. */
enum { PINNED_SUMS = GPU_STAGING_BYTES / (int)sizeof(naik_exactsum) };

static naik_status reduce_part(naik_backend *backend, naik_exactsum *sums, int count)
{
    naik_exactsum *host = (naik_exactsum *)gpu_state_of(backend)->pinned;
    if (backend->route.single_node) {
        sums_reduce_kernel<<<count, GPU_LANES, 0, gpu_state_of(backend)->stream>>>(
            peer_sums_of(backend), sums);
        return GPU_LAUNCHED(backend, "adding sums over ranks");
    }
    NAIK_PASS(gpu_download(&backend->device, host, sums, (size_t)count * sizeof *sums));
    NAIK_PASS(naik_comm_sum_exact(backend->comm, host, count));
    return gpu_upload(&backend->device, sums, host, (size_t)count * sizeof *sums);
}

naik_status gpu_sums_reduce(naik_backend *backend, naik_exactsum *sums, int count)
{
    const int most = backend->route.single_node ? (int)PEER_RHS : (int)PINNED_SUMS;
    for (int i = 0; i < count && backend->comm->size > 1; i += most) {
        NAIK_PASS(reduce_part(backend, sums + i, count - i < most ? count - i : most));
    }
    return NAIK_OK;
}

/* Sums of which the host makes the values, at most. */
enum { FEW_VALUES = 64, VALUES_THREADS = 64 };

/* A thread a sum, whose words are looked up by number, which registers are not. */
__global__ void __launch_bounds__(VALUES_THREADS)
    values_kernel(const naik_exactsum *sums, int count, double *values)
{
    __shared__ int64_t words[VALUES_THREADS][NAIK_EXACTSUM_WORDS];
    int64_t *const word = words[threadIdx.x];
    const int i = (int)(blockIdx.x * VALUES_THREADS + threadIdx.x);
    if (i < count) {
        for (int k = 0; k < NAIK_EXACTSUM_WORDS; k++) {
            word[k] = sums[i].word[k];
        }
        values[i] = exact_value(word, 0, NAIK_EXACTSUM_DIGITS);
    }
}

/* Of many sums the device makes the values: they have a 69th of the numbers. */
static naik_status values_of_many(naik_backend *backend, const naik_exactsum *sums, int count,
                                  double *values)
{
    gpu_state *state = gpu_state_of(backend);
    double *there = (double *)state->staging;
    const int most = GPU_STAGING_BYTES / (int)sizeof *there;
    for (int first = 0; first < count; first += most) {
        const int n = count - first < most ? count - first : most;
        const unsigned blocks = (unsigned)((n + VALUES_THREADS - 1) / VALUES_THREADS);
        values_kernel<<<blocks, VALUES_THREADS, 0, state->stream>>>(sums + first, n, there);
        NAIK_PASS(GPU_LAUNCHED(backend, "rounding sums"));
        NAIK_PASS(gpu_download(&backend->device, values + first, there, (size_t)n * sizeof *there));
    }
    return NAIK_OK;
}

naik_status gpu_sums_values(naik_backend *backend, const naik_exactsum *sums, int count,
                            double *values)
{
    naik_exactsum *host = (naik_exactsum *)gpu_state_of(backend)->pinned;
    if (count > FEW_VALUES) {
        return values_of_many(backend, sums, count, values);
    }
    for (int first = 0; first < count; first += PINNED_SUMS) {
        const int n = count - first < PINNED_SUMS ? count - first : (int)PINNED_SUMS;
        NAIK_PASS(gpu_download(&backend->device, host, sums + first, (size_t)n * sizeof *sums));
        for (int i = 0; i < n; i++) {
            values[first + i] = naik_exactsum_value(&host[i]);
        }
    }
    return NAIK_OK;
}

naik_fuses_scalars gpu_fuses_scalars(const naik_geometry *geometry, int nrhs)
{
    const naik_backend *backend = geometry->backend;
    const bool alone = backend->comm->size == 1;
    /* kernels of one thread a site do not know how */
    const bool can =
        (alone || backend->route.single_node) && backend->choices.threads_per_site != 1;
    /* one GPU adds up sooner in a recorded kernel: 12.2 us an iteration at 8^4, not 13.8 */
    return !can                                             ? NAIK_FUSES_NONE
           : !alone && gpu_is_latency_bound(geometry, nrhs) ? NAIK_FUSES_BY_DEFAULT
                                                            : NAIK_FUSES_IF_ASKED;
}

/* Where peers cannot be reached by kernels, sums are added before. */
static naik_status add_before(naik_backend *backend, naik_exactsum *sums, int count)
{
    return backend->route.single_node ? NAIK_OK : gpu_sums_reduce(backend, sums, count);
}

template <int WHICH>
__global__ void rhs_step_kernel(const peer_sums peers, naik_rhs *rhs, naik_exactsum *sums,
                                int count, double *history, int history_stride)
{
    typedef rhs_needs<WHICH> needs;
    __shared__ double value[3];
    const int c = (int)blockIdx.x, thread = (int)threadIdx.x, lane = thread % GPU_LANES;
    const int k = needs::FIRST + thread / GPU_LANES; /* the sum of these threads */
    const int box = k * NAIK_MAX_RHS + c;
    gpu_await_kernel();
    peer_push(peers, &sums[k * count + c], box, lane);
    const bool counts = (WHICH & NAIK_COUNT) != 0 && rhs[c].pending != 0;
    const naik_exactsum *const sum[3] = {&sums[c], &sums[count + c], &sums[2 * count + c]};
    rhs_values<WHICH>(peers, sum, c, value, thread, needs::COUNT * GPU_LANES);
    rhs_clear(peers, &sums[k * count + c], box, lane);
    if (thread == 0) {
        naik_rhs next = rhs[c];
        rhs_advance<WHICH>(next, value);
        rhs[c] = next;
        if (counts) {
            rhs_note(next, count, history != NULL ? history + c : NULL, history_stride);
        }
    }
}

naik_status gpu_rhs_step(naik_backend *backend, naik_rhs *rhs, naik_exactsum *sums, int count,
                         naik_scalars which, double *history, int history_stride)
{
    const int first = which == NAIK_TAKE ? 2 : 0, end = which == NAIK_COUNT ? 2 : 3;
    NAIK_PASS(add_before(backend, sums + first * count, (end - first) * count));
    gpu_launch_behind(which == NAIK_COUNT  ? rhs_step_kernel<NAIK_COUNT>
                      : which == NAIK_TAKE ? rhs_step_kernel<NAIK_TAKE>
                                           : rhs_step_kernel<NAIK_COUNT_AND_TAKE>,
                      true, count, (unsigned)((end - first) * GPU_LANES),
                      gpu_state_of(backend)->stream, peer_sums_of(backend), rhs, sums, count,
                      history, history_stride);
    return GPU_LAUNCHED(backend, "computing the scalars");
}
