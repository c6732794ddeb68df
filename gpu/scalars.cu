/* scalars.cu - the scalars of the iteration, computed where they are used */
#include "backend_gpu.h"

#include "reduce.cuh"

naik_status gpu_sums_clear(naik_backend *backend, naik_exactsum *sums, int count)
{
    return GPU_CHECK(
        backend, gpu_memset(sums, 0, (size_t)count * sizeof *sums, gpu_state_of(backend)->stream),
        "clearing sums");
}

naik_status gpu_sums_reduce(naik_backend *backend, naik_exactsum *sums, int count)
{
    naik_status status = NAIK_OK;
    naik_exactsum *host = (naik_exactsum *)gpu_state_of(backend)->pinned;
    if (backend->comm->size == 1) {
        return NAIK_OK;
    }
    NAIK_TRY(gpu_download(backend, host, sums, (size_t)count * sizeof *sums));
    NAIK_TRY(naik_comm_sum_exact(backend->comm, host, count));
    NAIK_TRY(gpu_upload(backend, sums, host, (size_t)count * sizeof *sums));
done:
    return status;
}

naik_status gpu_sums_values(naik_backend *backend, const naik_exactsum *sums, int count,
                            double *values)
{
    naik_status status = NAIK_OK;
    naik_exactsum *host = (naik_exactsum *)gpu_state_of(backend)->pinned;
    NAIK_TRY(gpu_download(backend, host, sums, (size_t)count * sizeof *sums));
    for (int i = 0; i < count; i++) {
        values[i] = naik_exactsum_value(&host[i]);
    }
done:
    return status;
}

__global__ void column_alpha_kernel(naik_column *columns, naik_exactsum *sums)
{
    __shared__ int64_t word[NAIK_EXACTSUM_WORDS];
    const int c = (int)blockIdx.x;
    double value = exact_take(&sums[c], word, (int)threadIdx.x);
    if (threadIdx.x == 0) {
        naik_column_alpha(&columns[c], value);
    }
}

naik_status gpu_column_alpha(naik_backend *backend, naik_column *columns, naik_exactsum *sums,
                             int count)
{
    column_alpha_kernel<<<count, GPU_LANES, 0, gpu_state_of(backend)->stream>>>(columns, sums);
    return GPU_LAUNCHED(backend, "computing alpha");
}

__global__ void column_step_kernel(naik_column *columns, naik_exactsum *sums, int count,
                                   double *history, int history_stride)
{
    __shared__ int64_t word[NAIK_EXACTSUM_WORDS];
    const int c = (int)blockIdx.x;
    double value = exact_take(&sums[c], word, (int)threadIdx.x);
    if (threadIdx.x == 0) {
        bool running = columns[c].state == NAIK_COLUMN_RUN;
        naik_column_step(&columns[c], value);
        if (history != NULL && running) {
            int row = (columns[c].iterations - 1) % history_stride;
            history[(size_t)row * count + c] = columns[c].rr;
        }
    }
}

naik_status gpu_column_step(naik_backend *backend, naik_column *columns, naik_exactsum *sums,
                            int count, double *history, int history_stride)
{
    column_step_kernel<<<count, GPU_LANES, 0, gpu_state_of(backend)->stream>>>(
        columns, sums, count, history, history_stride);
    return GPU_LAUNCHED(backend, "computing beta");
}
