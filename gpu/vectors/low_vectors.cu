/* low_vectors.cu - vectors of low modes on all sites, and the products of all pairs of them
 *
 * A block multiplies a tile of left and right vectors, brick after brick: a thread loads its share of the next brick while
 * it works on this one, whose numbers all threads find in shared memory as doubles, so that none is converted twice.
 */
#include "gpu/backend_gpu.h"
#include "gpu/fields/su3.cuh"

enum {
    PAIR_SIDE = 16, /* threads of a block along left and right vectors */
    PAIR_EACH = 4,  /* left and right vectors of a thread */
    PAIR_TILE = PAIR_SIDE * PAIR_EACH,
    PAIR_THREADS = PAIR_SIDE * PAIR_SIDE,
    PAIR_SITES = 4,
    PAIR_NUMBERS = 3 * PAIR_SITES,
    PAIR_LOADS = PAIR_TILE * PAIR_NUMBERS / PAIR_THREADS,
    PAIR_ROW = PAIR_TILE + 1, /* so that what a warp stores lies in different banks */
    PAIR_BLOCKS = 1024,       /* of a launch, at least, where there are bricks enough */
    PAIR_BRICKS_A_BLOCK = 16, /* at least */
    LOW_THREADS = 256
};

typedef struct pair_params {
    const void *left;
    const float2 *right;
    size_t vector; /* numbers of one */
    size_t slice;  /* sites before the time slice */
    const naik_complex *weight;
    int rows, count, tiles, bricks; /* tiles of right vectors */
    int local[NAIK_DIM];
    int half_x, half_y;
    int odd; /* of local x + y + z on sites of even global parity */
    bool half;
    unsigned long long *words;
} pair_params;

typedef cplx<double> pair_numbers[PAIR_NUMBERS][PAIR_ROW];

/* The site in the time slice of load number `load` of this thread, and its colour. */
__device__ static inline int pair_site(const pair_params &p, int parity, int brick, int load,
                                       int *vector, int *number)
{
    const int item = (int)threadIdx.x + load * PAIR_THREADS;
    const int row = brick / p.half_x, x = 2 * (brick - row * p.half_x);
    const int plane = row / p.half_y, y = 2 * (row - plane * p.half_y);
    *vector = item / PAIR_NUMBERS;
    *number = item % PAIR_NUMBERS;
    return naik_brick_site(p.local, x, y, 2 * plane, parity, *number / 3);
}

/* A number of a vector, in single or in double precision. */
template <class T>
__device__ static inline void pair_load(const pair_params &p, const T *from, int count, int first,
                                        int parity, int brick, T (&out)[PAIR_LOADS])
{
#pragma unroll
    for (int k = 0; k < PAIR_LOADS; k++) {
        int vector, number;
        const size_t site = p.slice + (size_t)pair_site(p, parity, brick, k, &vector, &number);
        const int index = first + vector;
        out[k] = T{0, 0};
        if (index < count) {
            out[k] = from[p.vector * (size_t)index + 3 * site + number % 3];
        }
    }
}

/* Left numbers with their weights, conjugated, and right ones as they are. */
template <class T>
__device__ static inline void pair_keep(const pair_params &p, int parity, int brick,
                                        const T (&l)[PAIR_LOADS], const float2 (&r)[PAIR_LOADS],
                                        pair_numbers &left, pair_numbers &right)
{
#pragma unroll
    for (int k = 0; k < PAIR_LOADS; k++) {
        int vector, number;
        const naik_complex w = p.weight[pair_site(p, parity, brick, k, &vector, &number)];
        const double re = (double)l[k].x, im = (double)l[k].y;
        left[number][vector] = {w.re * re + w.im * im, w.im * re - w.re * im};
        right[number][vector] = {(double)r[k].x, (double)r[k].y};
    }
}

/* One tile of one parity, and some of the bricks; T: left numbers. */
template <class T> __global__ void __launch_bounds__(PAIR_THREADS) pair_kernel(const pair_params p)
{
    __shared__ pair_numbers left, right;
    const int tile_i = (int)blockIdx.x / p.tiles * PAIR_TILE;
    const int tile_j = (int)blockIdx.x % p.tiles * PAIR_TILE;
    const int global = (int)blockIdx.y & 1, parity = global ^ p.odd;
    const int ti = (int)threadIdx.x / PAIR_SIDE, tj = (int)threadIdx.x % PAIR_SIDE;
    long long total[PAIR_EACH][PAIR_EACH][2] = {};
    const T *from = (const T *)p.left;
    T l[PAIR_LOADS];
    float2 r[PAIR_LOADS];
    const int step = (int)gridDim.z;
    int brick = (int)blockIdx.z;
    if (p.half && tile_j < tile_i) {
        return;
    }
    if (brick < p.bricks) {
        pair_load(p, from, p.rows, tile_i, parity, brick, l);
        pair_load(p, p.right, p.count, tile_j, parity, brick, r);
    }
    for (; brick < p.bricks; brick += step) {
        __syncthreads();
        pair_keep(p, parity, brick, l, r, left, right);
        __syncthreads();
        if (brick + step < p.bricks) {
            pair_load(p, from, p.rows, tile_i, parity, brick + step, l);
            pair_load(p, p.right, p.count, tile_j, parity, brick + step, r);
        }
        cplx<double> sum[PAIR_EACH][PAIR_EACH] = {};
#pragma unroll 2
        for (int k = 0; k < PAIR_NUMBERS; k++) {
            cplx<double> b[PAIR_EACH];
#pragma unroll
            for (int j = 0; j < PAIR_EACH; j++) {
                b[j] = right[k][tj + PAIR_SIDE * j];
            }
#pragma unroll
            for (int i = 0; i < PAIR_EACH; i++) {
                const cplx<double> a = left[k][ti + PAIR_SIDE * i];
#pragma unroll
                for (int j = 0; j < PAIR_EACH; j++) {
                    sum[i][j] = mul_add(a, b[j], sum[i][j]);
                }
            }
        }
#pragma unroll
        for (int i = 0; i < PAIR_EACH; i++) {
#pragma unroll
            for (int j = 0; j < PAIR_EACH; j++) {
                total[i][j][0] += __double2ll_rn(sum[i][j].re);
                total[i][j][1] += __double2ll_rn(sum[i][j].im);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < PAIR_EACH; i++) {
#pragma unroll
        for (int j = 0; j < PAIR_EACH; j++) {
            const int row = tile_i + ti + PAIR_SIDE * i, column = tile_j + tj + PAIR_SIDE * j;
            if (row < p.rows && column < p.count) {
                unsigned long long *to =
                    p.words +
                    2 * (((size_t)global * (size_t)p.rows + (size_t)row) * (size_t)p.count +
                         (size_t)column);
                atomicAdd(to, (unsigned long long)total[i][j][0]);
                atomicAdd(to + 1, (unsigned long long)total[i][j][1]);
            }
        }
    }
}

static naik_status multiply_pairs(const naik_geometry *geometry, const naik_low_pairs *args)
{
    naik_backend *backend = geometry->backend;
    gpu_stream stream = gpu_state_of(backend)->stream;
    const naik_lattice *lat = geometry->lattice;
    const size_t sites = (size_t)(lat->sites / lat->local[3]);
    const size_t pairs = (size_t)args->rows * (size_t)args->count;
    pair_params p = {};
    p.left = args->wide != NULL ? (const void *)args->wide : (const void *)args->left;
    p.right = (const float2 *)args->right;
    p.vector = 3 * (size_t)lat->sites;
    p.slice = sites * (size_t)args->t;
    p.weight = args->weight;
    p.rows = args->rows;
    p.count = args->count;
    p.tiles = (args->count + PAIR_TILE - 1) / PAIR_TILE;
    p.bricks = (int)(sites / (2 * PAIR_SITES));
    p.half_x = lat->local[0] / 2;
    p.half_y = lat->local[1] / 2;
    p.odd = args->t & 1;
    p.half = args->half;
    p.words = (unsigned long long *)args->words;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        p.local[mu] = lat->local[mu];
    }
    const int row_tiles = (args->rows + PAIR_TILE - 1) / PAIR_TILE;
    const int blocks = 2 * row_tiles * (args->half ? (p.tiles + 1) / 2 : p.tiles);
    const int wanted = (PAIR_BLOCKS + blocks - 1) / blocks;
    const int most = (p.bricks + PAIR_BRICKS_A_BLOCK - 1) / PAIR_BRICKS_A_BLOCK;
    const dim3 grid((unsigned)(row_tiles * p.tiles), 2, (unsigned)(wanted < most ? wanted : most));
    NAIK_PASS(GPU_CHECK(backend,
                        gpu_memset(args->words, 0, 4 * pairs * sizeof *args->words, stream),
                        "clearing products of low modes"));
    if (args->wide != NULL) {
        pair_kernel<double2><<<grid, PAIR_THREADS, 0, stream>>>(p);
    } else {
        pair_kernel<float2><<<grid, PAIR_THREADS, 0, stream>>>(p);
    }
    return GPU_LAUNCHED(backend, "multiplying low modes");
}

/* A site's number and the parity of its coordinates. */
__global__ void combine_kernel(const float2 *vectors, int sites, int count, int nx, int ny, int nz,
                               const double *a, double2 *out)
{
    const int site = (int)(blockIdx.x * LOW_THREADS + threadIdx.x);
    if (site >= sites) {
        return;
    }
    const int row = site / nx, plane = row / ny, t = plane / nz;
    const int odd = (site - row * nx + row - plane * ny + plane - t * nz + t) & 1;
    const double *own = a + (odd ? 2 * count : 0);
    double re[3] = {}, im[3] = {};
    for (int i = 0; i < count; i++) {
        const float2 *f = vectors + 3 * ((size_t)sites * (size_t)i + (size_t)site);
        const double x = own[2 * i], y = own[2 * i + 1];
#pragma unroll
        for (int k = 0; k < 3; k++) {
            const double u = (double)f[k].x, v = (double)f[k].y;
            re[k] += x * u - y * v;
            im[k] += x * v + y * u;
        }
    }
#pragma unroll
    for (int k = 0; k < 3; k++) {
        out[3 * (size_t)site + k] = make_double2(re[k], im[k]);
    }
}

static unsigned low_blocks(int count)
{
    return (unsigned)((count + LOW_THREADS - 1) / LOW_THREADS);
}

static naik_status combine_vectors(const naik_geometry *geometry, const float *vectors, int count,
                                   const double *a, double *out)
{
    naik_backend *backend = geometry->backend;
    const naik_lattice *lat = geometry->lattice;
    combine_kernel<<<low_blocks(lat->sites), LOW_THREADS, 0, gpu_state_of(backend)->stream>>>(
        (const float2 *)vectors, lat->sites, count, lat->local[0], lat->local[1], lat->local[2], a,
        (double2 *)out);
    return GPU_LAUNCHED(backend, "adding low modes");
}

/* A thread a number. */
__global__ void site_kernel(const float2 *vectors, size_t vector, int numbers, size_t site,
                            float2 *out)
{
    const int i = (int)(blockIdx.x * LOW_THREADS + threadIdx.x);
    if (i < numbers) {
        out[i] = vectors[vector * (size_t)(i / 3) + 3 * site + (size_t)(i % 3)];
    }
}

static naik_status numbers_at_site(const naik_geometry *geometry, const float *vectors, int count,
                                   int32_t site, float *out)
{
    naik_backend *backend = geometry->backend;
    site_kernel<<<low_blocks(3 * count), LOW_THREADS, 0, gpu_state_of(backend)->stream>>>(
        (const float2 *)vectors, 3 * (size_t)geometry->lattice->sites, 3 * count, (size_t)site,
        (float2 *)out);
    return GPU_LAUNCHED(backend, "taking low modes at a site");
}

__global__ void narrow_kernel(const double2 *from, float2 *to, int sites)
{
    const int site = (int)(blockIdx.x * LOW_THREADS + threadIdx.x);
    if (site < sites) {
#pragma unroll
        for (int k = 0; k < 3; k++) {
            const double2 v = from[3 * (size_t)site + k];
            to[3 * (size_t)site + k] = make_float2((float)v.x, (float)v.y);
        }
    }
}

static naik_status narrow_vector(const naik_geometry *geometry, const double *sites, float *vector)
{
    naik_backend *backend = geometry->backend;
    const int count = geometry->lattice->sites;
    narrow_kernel<<<low_blocks(count), LOW_THREADS, 0, gpu_state_of(backend)->stream>>>(
        (const double2 *)sites, (float2 *)vector, count);
    return GPU_LAUNCHED(backend, "rounding a low mode");
}

extern "C" {
extern const naik_low_ops naik_low_gpu;
}

#if GPU_HOST_PASS
const naik_low_ops naik_low_gpu = {.pairs = multiply_pairs,
                                   .combine = combine_vectors,
                                   .at_site = numbers_at_site,
                                   .narrow = narrow_vector};
#endif
