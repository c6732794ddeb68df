/* bricks.cu - low modes into bricks of 16 bits and out of them: one thread a brick and mode, or a site and mode */
#include "gpu/backend_gpu.h"
#include "gpu/fields/bricks.cuh"

enum { BRICKS_THREADS = 128 };

typedef struct bricks_params {
    gpu_bricks bricks;
    char *to;
    const char *from;
    int count, nrhs; /* bricks or sites */
} bricks_params;

static bricks_params params_of(const naik_field *to, const naik_field *from)
{
    bricks_params p = {};
    p.bricks = gpu_bricks_of(to->geometry->lattice);
    p.to = (char *)to->data;
    p.from = (const char *)from->data;
    p.count = to->geometry->lattice->volume_cb;
    p.nrhs = to->nrhs;
    return p;
}

static dim3 bricks_grid(int count, int nrhs)
{
    return dim3((unsigned)((count + BRICKS_THREADS - 1) / BRICKS_THREADS), (unsigned)nrhs);
}

__global__ void bricks_round_kernel(const bricks_params p)
{
    const int brick = (int)(blockIdx.x * BRICKS_THREADS + threadIdx.x), c = (int)blockIdx.y;
    if (brick >= p.bricks.count) {
        return;
    }
    const int origin = brick_origin(p.bricks, brick);
    colour_vector<float> v[NAIK_BRICK_SITES];
    float largest = 0, sum = 0;
#pragma unroll
    for (int k = 0; k < NAIK_BRICK_SITES; k++) {
        const int site = origin + brick_step(p.bricks, k);
        v[k] = vec_single::load(p.from + vec_offset<vec_single>(site, c, p.nrhs));
#pragma unroll
        for (int i = 0; i < 3; i++) {
            largest = fmaxf(largest, fmaxf(fabsf(v[k].e[i].re), fabsf(v[k].e[i].im)));
            sum += fabsf(v[k].e[i].re);
            sum += fabsf(v[k].e[i].im);
        }
    }
    const float scale = naik_brick_scale(largest, !(sum < NAIK_BRICK_SUM));
    float *scales = (float *)(p.to + vec_brick::scales((size_t)p.count, p.nrhs));
    scales[(size_t)brick * p.nrhs + c] = scale;
#pragma unroll
    for (int k = 0; k < NAIK_BRICK_SITES; k++) {
        const int site = origin + brick_step(p.bricks, k);
        vec_brick::store(p.to, site, c, p.nrhs, v[k], scale);
    }
}

naik_status gpu_modes_round(naik_field *to, const naik_field *from)
{
    const bricks_params p = params_of(to, from);
    bricks_round_kernel<<<bricks_grid(p.bricks.count, p.nrhs), BRICKS_THREADS, 0,
                          gpu_state_of(to->geometry->backend)->stream>>>(p);
    return GPU_LAUNCHED(to->geometry->backend, "rounding modes");
}

template <class To> __global__ void bricks_widen_kernel(const bricks_params p)
{
    typedef typename To::real real;
    const int site = (int)(blockIdx.x * BRICKS_THREADS + threadIdx.x), c = (int)blockIdx.y;
    if (site >= p.count) {
        return;
    }
    typedef mode_reader<vec_brick> reader;
    const float scale = reader::scale(p.from, p.bricks, brick_of_site(p.bricks, site), c);
    const colour_vector<float> v = reader::unpack(reader::fetch(p.from, site, c), scale);
    colour_vector<real> out;
#pragma unroll
    for (int i = 0; i < 3; i++) {
        out.e[i] = {(real)v.e[i].re, (real)v.e[i].im};
    }
    To::store(p.to + vec_offset<To>(site, c, p.nrhs), out);
}

naik_status gpu_modes_widen(naik_field *to, const naik_field *from)
{
    const bricks_params p = params_of(to, from);
    const dim3 grid = bricks_grid(p.count, p.nrhs);
    gpu_stream stream = gpu_state_of(to->geometry->backend)->stream;
    if (to->precision == NAIK_DOUBLE) {
        bricks_widen_kernel<vec_double><<<grid, BRICKS_THREADS, 0, stream>>>(p);
    } else {
        bricks_widen_kernel<vec_single><<<grid, BRICKS_THREADS, 0, stream>>>(p);
    }
    return GPU_LAUNCHED(to->geometry->backend, "widening modes");
}

enum { PLACE_CHUNK = GPU_STAGING_BYTES / sizeof(naik_brick) };

__global__ void brick_place_kernel(const bricks_params p, const naik_brick *from, int first,
                                   int count, int irhs)
{
    const int i = (int)(blockIdx.x * BRICKS_THREADS + threadIdx.x);
    if (i >= count) {
        return;
    }
    const naik_brick *brick = from + i;
    const int origin = brick_origin(p.bricks, first + i);
    float *scales = (float *)(p.to + vec_brick::scales((size_t)p.count, p.nrhs));
    scales[(size_t)(first + i) * p.nrhs + irhs] = brick->scale;
    for (int k = 0; k < NAIK_BRICK_SITES; k++) {
        unsigned w[3];
#pragma unroll
        for (int e = 0; e < 3; e++) {
            w[e] = (unsigned)(brick->number[k][2 * e] + 32768) |
                   (unsigned)(brick->number[k][2 * e + 1] + 32768) << 16;
        }
        vec_brick::put(p.to, origin + brick_step(p.bricks, k), irhs, p.nrhs, w);
    }
}

naik_status gpu_mode_place(naik_field *block, int irhs, const naik_brick *bricks)
{
    naik_backend *backend = block->geometry->backend;
    gpu_state *state = gpu_state_of(backend);
    const bricks_params p = params_of(block, block);
    const int chunk = (int)PLACE_CHUNK;
    for (int first = 0; first < p.bricks.count; first += chunk) {
        const int count = p.bricks.count - first < chunk ? p.bricks.count - first : chunk;
        NAIK_PASS(gpu_upload(&backend->device, state->staging, bricks + first,
                             (size_t)count * sizeof *bricks));
        brick_place_kernel<<<bricks_grid(count, 1), BRICKS_THREADS, 0, state->stream>>>(
            p, (const naik_brick *)state->staging, first, count, irhs);
        NAIK_PASS(GPU_LAUNCHED(backend, "placing bricks of a mode"));
    }
    return NAIK_OK;
}
