/* modes.cu - low modes: projection and addition; rotate.cu turns them
 *
 * A mode is a right-hand side of a block of NAIK_MODES_BLOCK, without halo. What is summed over
 * bricks are integers (backend.h), so no order of threads shows; what is summed over modes is
 * summed in their order by one thread.
 */
#include "gpu/backend_gpu.h"
#include "gpu/fields/prec.cuh"

enum {
    MODES_THREADS = 128,
    MODES_TILE = 4,            /* modes and rhs a thread of the projection takes */
    MODES_RHS = 4,             /* rhs a thread of the addition takes */
    MODES_BRICKS_A_THREAD = 8, /* at least, where there are many */
    MODES_CHUNKS = 65535,      /* of a grid's second extent, at most */
    MODES_BLOCKS_A_LAUNCH = 64
};

typedef struct modes_blocks {
    char *at[MODES_BLOCKS_A_LAUNCH];
} modes_blocks;

typedef struct project_params {
    modes_blocks block;
    const char *r;
    int nrhs, bricks, tiles, rhs_tiles;
    int stride_y, stride_z, stride_t;
    gpu_divider half_x, half_y, half_z;
    unsigned long long *products; /* [modes][nrhs][2] */
    double scale[NAIK_MAX_RHS];
} project_params;

/* Where the brick's first site is on the checkerboard. */
__device__ static inline int brick_origin(const project_params &p, int brick)
{
    const int row = gpu_divide(brick, p.half_x);
    const int plane = gpu_divide(row, p.half_y);
    const int t = gpu_divide(plane, p.half_z);
    const int x = brick - row * (int)p.half_x.divisor;
    const int y = row - plane * (int)p.half_y.divisor, z = plane - t * (int)p.half_z.divisor;
    return x + 2 * (y * p.stride_y + z * p.stride_z + t * p.stride_t);
}

__device__ static inline long long lanes_sum(long long v)
{
    const unsigned low = gpu_lanes_sum((unsigned)(v & 0x3ffffff));
    const unsigned middle = gpu_lanes_sum((unsigned)(v >> 26 & 0x3ffffff));
    const unsigned high = gpu_lanes_sum((unsigned)(v >> 52));
    return (long long)low + ((long long)middle << 26) +
           (long long)((unsigned long long)(long long)(int)high << 52);
}

/* Warps of a block of the projection: as many as registers last for. Of 12 waves of 64 lanes each
 * has 168, which are too few; of 8 it has 256. */
template <class R> struct project_shape {
    enum {
        WARPS = sizeof(typename R::real) == 8 || GPU_LANES == 64 ? 8 : 12,
        THREADS = WARPS * GPU_LANES
    };
};

/* A warp has a tile of modes and rhs, a thread bricks at a stride of the grid. Warps of a block go
 * through the same bricks together, and neighbouring blocks at about the same time: of what tiles
 * share, the memory reads little more than once. */
template <class V, class R>
__global__ void __launch_bounds__(project_shape<R>::THREADS) project_kernel(const project_params p)
{
    typedef typename R::real real;
    const int tile = (int)(blockIdx.x * project_shape<R>::WARPS + threadIdx.x / GPU_LANES);
    const bool mine = tile < p.tiles;
    const int m0 = mine ? tile / p.rhs_tiles * MODES_TILE : 0;
    const int c0 = mine ? tile % p.rhs_tiles * MODES_TILE : 0;
    const char *modes = p.block.at[m0 / NAIK_MODES_BLOCK];
    long long total[MODES_TILE][MODES_TILE][2] = {};
    for (int first = (int)blockIdx.y * GPU_LANES; first < p.bricks;
         first += (int)gridDim.y * GPU_LANES) {
        const int brick = first + (int)threadIdx.x % GPU_LANES;
        __syncthreads();
        if (!mine || brick >= p.bricks) {
            continue;
        }
        cplx<real> sum[MODES_TILE][MODES_TILE] = {};
        const int origin = brick_origin(p, brick);
        for (int k = 0; k < 8; k++) {
            const int site =
                origin + (k & 1) * p.stride_y + (k >> 1 & 1) * p.stride_z + (k >> 2) * p.stride_t;
            colour_vector<real> r[MODES_TILE];
#pragma unroll
            for (int c = 0; c < MODES_TILE; c++) {
                r[c] = R::load(p.r + vec_offset<R>(site, c0 + c, p.nrhs));
            }
#pragma unroll
            for (int i = 0; i < MODES_TILE; i++) {
                const colour_vector<typename V::real> v = V::load(
                    modes + vec_offset<V>(site, m0 % NAIK_MODES_BLOCK + i, NAIK_MODES_BLOCK));
#pragma unroll
                for (int c = 0; c < MODES_TILE; c++) {
#pragma unroll
                    for (int a = 0; a < 3; a++) {
                        sum[i][c] =
                            mul_add({(real)v.e[a].re, -(real)v.e[a].im}, r[c].e[a], sum[i][c]);
                    }
                }
            }
        }
#pragma unroll
        for (int i = 0; i < MODES_TILE; i++) {
#pragma unroll
            for (int c = 0; c < MODES_TILE; c++) {
                const double scale = c0 + c < p.nrhs ? p.scale[c0 + c] : 0;
                total[i][c][0] += __double2ll_rn((double)sum[i][c].re * scale);
                total[i][c][1] += __double2ll_rn((double)sum[i][c].im * scale);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < MODES_TILE; i++) {
#pragma unroll
        for (int c = 0; c < MODES_TILE; c++) {
            const long long re = lanes_sum(total[i][c][0]), im = lanes_sum(total[i][c][1]);
            if (mine && threadIdx.x % GPU_LANES == 0 && c0 + c < p.nrhs) {
                unsigned long long *to = p.products + 2 * ((m0 + i) * p.nrhs + c0 + c);
                atomicAdd(to, (unsigned long long)re);
                atomicAdd(to + 1, (unsigned long long)im);
            }
        }
    }
}

static int at_most(int a, int b)
{
    return a < b ? a : b;
}

template <class V, class R>
static void launch_project_of(gpu_stream stream, const project_params &p)
{
    const int warps = project_shape<R>::WARPS, bricks = GPU_LANES * MODES_BRICKS_A_THREAD;
    const int chunks = at_most((p.bricks + bricks - 1) / bricks, MODES_CHUNKS);
    const dim3 grid((unsigned)((p.tiles + warps - 1) / warps), (unsigned)chunks);
    project_kernel<V, R><<<grid, project_shape<R>::THREADS, 0, stream>>>(p);
}

template <class V>
static void launch_project(naik_precision r, gpu_stream stream, const project_params &p)
{
    switch (r) {
    case NAIK_DOUBLE: launch_project_of<V, vec_double>(stream, p); break;
    case NAIK_SINGLE: launch_project_of<V, vec_single>(stream, p); break;
    case NAIK_HALF: launch_project_of<V, vec_half>(stream, p); break;
    }
}

naik_status gpu_modes_project(const naik_field *const *block, int count, const naik_field *r,
                              const double *scale, int64_t *products)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = r->geometry->backend;
    gpu_stream stream = gpu_state_of(backend)->stream;
    const naik_lattice *lat = r->geometry->lattice;
    const int nrhs = r->nrhs, each = NAIK_MODES_BLOCK * nrhs * 2;
    project_params p = {};
    p.r = (const char *)r->data;
    p.nrhs = nrhs;
    p.bricks = (int)(lat->volume_cb / 8);
    p.rhs_tiles = (nrhs + MODES_TILE - 1) / MODES_TILE;
    p.stride_y = lat->local[0] / 2;
    p.stride_z = p.stride_y * lat->local[1];
    p.stride_t = p.stride_z * lat->local[2];
    p.half_x = gpu_divider_of((uint32_t)lat->local[0] / 2);
    p.half_y = gpu_divider_of((uint32_t)lat->local[1] / 2);
    p.half_z = gpu_divider_of((uint32_t)lat->local[2] / 2);
    for (int c = 0; c < nrhs; c++) {
        p.scale[c] = scale[c];
    }
    NAIK_TRY(GPU_CHECK(
        backend, gpu_memset(products, 0, (size_t)count * (size_t)each * sizeof *products, stream),
        "clearing products with modes"));
    for (int begin = 0; begin < count; begin += MODES_BLOCKS_A_LAUNCH) {
        const int blocks = at_most(count - begin, MODES_BLOCKS_A_LAUNCH);
        for (int b = 0; b < blocks; b++) {
            p.block.at[b] = (char *)block[begin + b]->data;
        }
        p.products = (unsigned long long *)products + (size_t)begin * (size_t)each;
        p.tiles = blocks * (NAIK_MODES_BLOCK / MODES_TILE) * p.rhs_tiles;
        if (block[0]->precision == NAIK_HALF) {
            launch_project<vec_half>(r->precision, stream, p);
        } else {
            launch_project<vec_single>(r->precision, stream, p);
        }
        NAIK_TRY(GPU_LAUNCHED(backend, "projecting onto modes"));
    }
done:
    return status;
}

typedef struct add_params {
    modes_blocks block;
    int modes, nrhs, rhs_tiles, count, state;
    const double *a; /* [modes][nrhs][2] */
    char *x;
    const naik_rhs *rhs;
} add_params;

template <class V, class X>
__global__ void __launch_bounds__(MODES_THREADS) add_kernel(const add_params p)
{
    typedef typename X::real real;
    /* blocks of the same sites are neighbours, and modes come from the cache for the second */
    const int site = (int)blockIdx.x / p.rhs_tiles * MODES_THREADS + (int)threadIdx.x;
    const int c0 = (int)blockIdx.x % p.rhs_tiles * MODES_RHS;
    if (site >= p.count) {
        return;
    }
    bool wanted[MODES_RHS];
    colour_vector<real> sum[MODES_RHS];
#pragma unroll
    for (int c = 0; c < MODES_RHS; c++) {
        wanted[c] = c0 + c < p.nrhs && (p.rhs == NULL || p.rhs[c0 + c].state == p.state);
        sum[c] = X::load(p.x + vec_offset<X>(site, c0 + c, p.nrhs));
    }
    for (int i = 0; i < p.modes; i++) {
        const char *block = p.block.at[i / NAIK_MODES_BLOCK];
        const colour_vector<typename V::real> v =
            V::load(block + vec_offset<V>(site, i % NAIK_MODES_BLOCK, NAIK_MODES_BLOCK));
#pragma unroll
        for (int c = 0; c < MODES_RHS; c++) {
            const double *a = p.a + 2 * (i * p.nrhs + (c0 + c < p.nrhs ? c0 + c : c0));
            const cplx<real> factor = {(real)a[0], (real)a[1]};
#pragma unroll
            for (int k = 0; k < 3; k++) {
                sum[c].e[k] = mul_add(factor, {(real)v.e[k].re, (real)v.e[k].im}, sum[c].e[k]);
            }
        }
    }
#pragma unroll
    for (int c = 0; c < MODES_RHS; c++) {
        if (wanted[c]) {
            X::store(p.x + vec_offset<X>(site, c0 + c, p.nrhs), sum[c]);
        }
    }
}

template <class V>
static void launch_add(naik_precision x, dim3 grid, gpu_stream stream, const add_params &p)
{
    switch (x) {
    case NAIK_DOUBLE: add_kernel<V, vec_double><<<grid, MODES_THREADS, 0, stream>>>(p); break;
    case NAIK_SINGLE: add_kernel<V, vec_single><<<grid, MODES_THREADS, 0, stream>>>(p); break;
    case NAIK_HALF: add_kernel<V, vec_half><<<grid, MODES_THREADS, 0, stream>>>(p); break;
    }
}

/* A launch goes on from what the one before it stored, which in half precision rounds: between
 * launches a sum of single and double precision is what it would be in one. */
naik_status gpu_modes_add(const naik_field *const *block, int count, const double *a, naik_field *x,
                          const naik_rhs *rhs, naik_rhs_state state)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = x->geometry->backend;
    gpu_stream stream = gpu_state_of(backend)->stream;
    add_params p = {};
    p.nrhs = x->nrhs;
    p.count = x->geometry->lattice->volume_cb;
    p.state = (int)state;
    p.x = (char *)x->data;
    p.rhs = rhs;
    p.rhs_tiles = (x->nrhs + MODES_RHS - 1) / MODES_RHS;
    const dim3 grid((unsigned)((p.count + MODES_THREADS - 1) / MODES_THREADS * p.rhs_tiles));
    for (int begin = 0; begin < count; begin += MODES_BLOCKS_A_LAUNCH) {
        const int blocks = at_most(count - begin, MODES_BLOCKS_A_LAUNCH);
        for (int b = 0; b < blocks; b++) {
            p.block.at[b] = (char *)block[begin + b]->data;
        }
        p.modes = blocks * NAIK_MODES_BLOCK;
        p.a = a + (size_t)begin * NAIK_MODES_BLOCK * (size_t)x->nrhs * 2;
        if (block[0]->precision == NAIK_HALF) {
            launch_add<vec_half>(x->precision, grid, stream, p);
        } else {
            launch_add<vec_single>(x->precision, grid, stream, p);
        }
        NAIK_TRY(GPU_LAUNCHED(backend, "adding modes"));
    }
done:
    return status;
}
