/* modes.cu - low modes: projection and addition; rotate.cu turns them
 *
 * A mode is a right-hand side of a block of NAIK_MODES_BLOCK, without halo. What is summed over
 * bricks are integers (backend.h), so no order of threads shows; what is summed over modes is
 * summed in their order by one thread.
 *
 * Projection has two kernels. Of few rhs, and where numbers are not converted, a thread reads the sites of a
 * brick from memory. Modes of 16 bits and more rhs go through shared memory, where each number is
 * converted once for all rhs of a tile.
 */
#include "gpu/backend_gpu.h"
#include "gpu/fields/bricks.cuh"

enum {
    MODES_THREADS = 128,
    MODES_TILE = 4,            /* modes and rhs a thread of the projection takes */
    MODES_RHS = 4,             /* rhs a thread of the addition takes, of more than one */
    MODES_BRICKS_A_THREAD = 8, /* at least, where there are many */
    MODES_CHUNKS = 65535,      /* of a grid's second extent, at most */
    MODES_BLOCKS_A_LAUNCH = 64
};

/* Of the projection through shared memory: a block has a tile of modes and rhs, and takes a few neighbouring
 * bricks at a time. */
enum {
    TILES_THREADS = 256,
    TILES_BRICKS = 4,
    TILES_MODES = 64,
    TILES_EACH = 4,       /* modes a thread */
    TILES_RHS_GROUPS = 4, /* threads of a brick along rhs */
    TILES_MOST = 4,       /* rhs a thread */
    TILES_MODE_GROUPS = TILES_MODES / TILES_EACH,
    TILES_AHEAD = 2, /* rhs a thread of which registers last to load ahead */
    TILES_APART = 8, /* numbers between bricks, so that what is stored lies in different banks */
    TILES_BLOCKS = 2048, /* of a launch, about, where there are bricks enough */
    TILES_SHORTEST = 2,  /* groups of bricks a block, and at most: */
    TILES_LONGEST = 64
};

typedef struct modes_blocks {
    char *at[MODES_BLOCKS_A_LAUNCH];
} modes_blocks;

typedef struct project_params {
    modes_blocks block;
    const char *r;
    int modes, nrhs;
    int tiles, rhs_tiles;
    int groups; /* of bricks a block, through shared memory */
    gpu_bricks bricks;
    unsigned long long *products; /* [modes][nrhs][2] */
    double scale[NAIK_MAX_RHS];
} project_params;

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
    typedef mode_reader<V> reader;
    const int tile = (int)(blockIdx.x * project_shape<R>::WARPS + threadIdx.x / GPU_LANES);
    const bool mine = tile < p.tiles;
    const int m0 = mine ? tile / p.rhs_tiles * MODES_TILE : 0;
    const int c0 = mine ? tile % p.rhs_tiles * MODES_TILE : 0;
    const char *modes = p.block.at[m0 / NAIK_MODES_BLOCK];
    long long total[MODES_TILE][MODES_TILE][2] = {};
    for (int first = (int)blockIdx.y * GPU_LANES; first < p.bricks.count;
         first += (int)gridDim.y * GPU_LANES) {
        const int brick = first + (int)threadIdx.x % GPU_LANES;
        __syncthreads();
        if (!mine || brick >= p.bricks.count) {
            continue;
        }
        cplx<real> sum[MODES_TILE][MODES_TILE] = {};
        const int origin = brick_origin(p.bricks, brick);
        const float4 four = reader::scales(modes, p.bricks, brick, m0 % NAIK_MODES_BLOCK);
        const float unit[MODES_TILE] = {four.x, four.y, four.z, four.w};
        for (int k = 0; k < NAIK_BRICK_SITES; k++) {
            const int site = origin + brick_step(p.bricks, k);
            colour_vector<real> r[MODES_TILE];
#pragma unroll
            for (int c = 0; c < MODES_TILE; c++) {
                r[c] = R::load(p.r + vec_offset<R>(site, c0 + c, p.nrhs));
            }
#pragma unroll
            for (int i = 0; i < MODES_TILE; i++) {
                const colour_vector<float> v =
                    reader::unpack(reader::fetch(modes, site, m0 % NAIK_MODES_BLOCK + i), unit[i]);
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

/* What a block with N rhs a thread keeps of some of the sites of its bricks. */
template <int N> struct tiles_room {
    enum { SITES = 4 /* of a brick's 8 */, NUMBERS = 3 * SITES, RHS = N * TILES_RHS_GROUPS };
    alignas(16) cplx<float> mode[TILES_BRICKS][NUMBERS * TILES_MODES + TILES_APART];
    alignas(16) cplx<float> r[TILES_BRICKS][NUMBERS * RHS + TILES_APART];
};

/* Number k of a thread's N in a row: pairs, which are read at once, those of neighbouring threads side by
 * side, and after them, of an odd N, single ones. */
struct alignas(16) number_pair {
    cplx<float> e[2];
};
template <int THREADS, int N> __device__ static inline int place_of(int thread, int k)
{
    return k < N / 2 * 2 ? (k / 2 * THREADS + thread) * 2 + k % 2 : N / 2 * 2 * THREADS + thread;
}
template <int THREADS, int N>
__device__ static inline void take_row(const cplx<float> *row, int thread, cplx<float> (&out)[N])
{
#pragma unroll
    for (int k = 0; k + 1 < N; k += 2) {
        const number_pair pair = *(const number_pair *)(row + place_of<THREADS, N>(thread, k));
        out[k] = pair.e[0];
        out[k + 1] = pair.e[1];
    }
    if (N % 2 == 1) {
        out[N - 1] = row[place_of<THREADS, N>(thread, N - 1)];
    }
}

/* What a thread carries from the memory to the room: a mode on SITES of a brick, and an rhs on one. */
template <int N> struct tiles_load {
    vec_brick::stored v[tiles_room<N>::SITES];
    colour_vector<float> r;
};

/* Where a thread of the block loads. */
typedef struct tiles_place {
    const char *block;
    int mode;          /* of the block */
    int brick, vector; /* of the room */
    int column, site;  /* of the room, of its rhs; column < RHS: it loads one */
    int c;             /* the rhs */
} tiles_place;

/* The thread's brick of a group. */
typedef struct tiles_brick {
    int origin;
    float scale; /* of the thread's mode */
} tiles_brick;

/* Of the group of bricks from g on. */
__device__ static inline tiles_brick brick_at(const project_params &p, const tiles_place &at, int g)
{
    const int last = p.bricks.count - 1, brick = g + at.brick < last ? g + at.brick : last;
    return {brick_origin(p.bricks, brick),
            mode_reader<vec_brick>::scale(at.block, p.bricks, brick, at.mode)};
}

template <class R, int N>
__device__ static inline void tiles_fetch(const project_params &p, const tiles_place &at,
                                          int origin, int first_site, tiles_load<N> &load)
{
#pragma unroll
    for (int k = 0; k < tiles_room<N>::SITES; k++) {
        const int site = origin + brick_step(p.bricks, first_site + k);
        load.v[k] = mode_reader<vec_brick>::fetch(at.block, site, at.mode);
    }
    if (at.column < tiles_room<N>::RHS) {
        const int site = origin + brick_step(p.bricks, first_site + at.site);
        load.r = R::load(p.r + vec_offset<R>(site, at.c, p.nrhs));
    }
}

template <int N>
__device__ static inline void tiles_keep(const tiles_place &at, const tiles_load<N> &load,
                                         float scale, tiles_room<N> &room)
{
    __syncthreads();
#pragma unroll
    for (int k = 0; k < tiles_room<N>::SITES; k++) {
        const colour_vector<float> v = mode_reader<vec_brick>::unpack(load.v[k], scale);
#pragma unroll
        for (int a = 0; a < 3; a++) {
            room.mode[at.brick][(3 * k + a) * TILES_MODES + at.vector] = v.e[a];
        }
    }
    if (at.column < tiles_room<N>::RHS) {
#pragma unroll
        for (int a = 0; a < 3; a++) {
            room.r[at.brick][(3 * at.site + a) * tiles_room<N>::RHS + at.column] = load.r.e[a];
        }
    }
    __syncthreads();
}

/* Sums of a block over its bricks, in the room that it has. */
template <int N>
__device__ static inline void add_bricks(const long long (&total)[TILES_EACH][N][2], int own,
                                         int down, int across, long long *words)
{
    for (int turn = 0; turn < TILES_BRICKS; turn++) {
        __syncthreads();
        if (turn != own) {
            continue;
        }
#pragma unroll
        for (int i = 0; i < TILES_EACH; i++) {
#pragma unroll
            for (int c = 0; c < N; c++) {
                const int row = place_of<TILES_MODE_GROUPS, TILES_EACH>(down, i);
                const int column = place_of<TILES_RHS_GROUPS, N>(across, c);
                long long *to = words + 2 * (row * tiles_room<N>::RHS + column);
                to[0] = total[i][c][0] + (turn > 0 ? to[0] : 0);
                to[1] = total[i][c][1] + (turn > 0 ? to[1] : 0);
            }
        }
    }
    __syncthreads();
}

/* Two blocks share the registers of a multiprocessor. */
template <class R, int N>
__global__ void __launch_bounds__(TILES_THREADS, 2) tiles_kernel(const project_params p)
{
    typedef tiles_room<N> shape;
    enum { AHEAD = N <= TILES_AHEAD, OF_A_BRICK = TILES_MODE_GROUPS * TILES_RHS_GROUPS };
    static_assert(OF_A_BRICK * TILES_BRICKS == TILES_THREADS &&
                      TILES_MODES * TILES_BRICKS == TILES_THREADS &&
                      TILES_MOST * TILES_RHS_GROUPS * shape::SITES == TILES_MODES,
                  "a thread has a part of a brick; it loads a mode, and an rhs at most");
    static_assert(sizeof(shape) >= TILES_MODES * shape::RHS * 2 * sizeof(long long),
                  "all sums of a block have room");
    __shared__ shape room;
    const int thread = (int)threadIdx.x;
    const int tile = (int)blockIdx.x / p.rhs_tiles * TILES_MODES;
    const int c0 = (int)blockIdx.x % p.rhs_tiles * shape::RHS;
    /* of four threads side by side two have the same modes, and two the same rhs: what they read at
     * once is then read once */
    const int own = thread / OF_A_BRICK, part = thread % OF_A_BRICK;
    const int across = (part >> 1 & 1) | (part >> 4 & 1) << 1;
    const int down = (part & 1) | (part >> 2 & 3) << 1 | part >> 5 << 3;
    tiles_place at = {};
    at.brick = thread % TILES_BRICKS;
    at.vector = thread / TILES_BRICKS;
    at.column = at.vector % (TILES_MOST * TILES_RHS_GROUPS);
    at.site = at.vector / (TILES_MOST * TILES_RHS_GROUPS);
    at.c = c0 + at.column < p.nrhs ? c0 + at.column : p.nrhs - 1;
    const int mode = tile + at.vector < p.modes ? tile + at.vector : p.modes - 1;
    at.block = p.block.at[mode / NAIK_MODES_BLOCK];
    at.mode = mode % NAIK_MODES_BLOCK;
    long long total[TILES_EACH][N][2] = {};
    tiles_load<N> load;
    const int first = (int)blockIdx.y * p.groups * TILES_BRICKS;
    tiles_brick brick = brick_at(p, at, first);
    if (AHEAD) {
        tiles_fetch<R, N>(p, at, brick.origin, 0, load);
    }
    for (int g = first; g < p.bricks.count && g < first + p.groups * TILES_BRICKS;
         g += TILES_BRICKS) {
        cplx<float> sum[TILES_EACH][N] = {};
#pragma unroll 1
        for (int site = 0; site < 8; site += shape::SITES) {
            if (!AHEAD) {
                tiles_fetch<R, N>(p, at, brick.origin, site, load);
            }
            tiles_keep<N>(at, load, brick.scale, room);
            const bool last = site + shape::SITES == 8;
            if (last) {
                brick = brick_at(p, at, g + TILES_BRICKS);
            }
            if (AHEAD) {
                tiles_fetch<R, N>(p, at, brick.origin, last ? 0 : site + shape::SITES, load);
            }
#pragma unroll 4
            for (int n = 0; n < shape::NUMBERS; n++) {
                cplx<float> v[TILES_EACH], r[N];
                take_row<TILES_MODE_GROUPS>(room.mode[own] + n * TILES_MODES, down, v);
                take_row<TILES_RHS_GROUPS>(room.r[own] + n * shape::RHS, across, r);
#pragma unroll
                for (int i = 0; i < TILES_EACH; i++) {
#pragma unroll
                    for (int c = 0; c < N; c++) {
                        sum[i][c] = mul_add({v[i].re, -v[i].im}, r[c], sum[i][c]);
                    }
                }
            }
        }
        if (g + own < p.bricks.count) {
#pragma unroll
            for (int c = 0; c < N; c++) {
                const int column = c0 + place_of<TILES_RHS_GROUPS, N>(across, c);
                const double scale = column < p.nrhs ? p.scale[column] : 0;
#pragma unroll
                for (int i = 0; i < TILES_EACH; i++) {
                    total[i][c][0] += __double2ll_rn((double)sum[i][c].re * scale);
                    total[i][c][1] += __double2ll_rn((double)sum[i][c].im * scale);
                }
            }
        }
    }
    long long *words = (long long *)&room; /* [TILES_MODES][RHS][2] */
    add_bricks<N>(total, own, down, across, words);
    for (int n = thread; n < TILES_MODES * shape::RHS * 2; n += TILES_THREADS) {
        const int row = tile + n / 2 / shape::RHS, column = c0 + n / 2 % shape::RHS;
        if (row < p.modes && column < p.nrhs) {
            atomicAdd(p.products + 2 * ((size_t)row * p.nrhs + column) + n % 2,
                      (unsigned long long)words[n]);
        }
    }
}

static int at_most(int a, int b)
{
    return a < b ? a : b;
}

template <class V, class R> static void launch_project_of(gpu_stream stream, project_params &p)
{
    const int warps = project_shape<R>::WARPS, bricks = GPU_LANES * MODES_BRICKS_A_THREAD;
    const int chunks = at_most((p.bricks.count + bricks - 1) / bricks, MODES_CHUNKS);
    p.rhs_tiles = (p.nrhs + MODES_TILE - 1) / MODES_TILE;
    p.tiles = p.modes / MODES_TILE * p.rhs_tiles;
    const dim3 grid((unsigned)((p.tiles + warps - 1) / warps), (unsigned)chunks);
    project_kernel<V, R><<<grid, project_shape<R>::THREADS, 0, stream>>>(p);
}

template <class R, int N> static void launch_tiles_of(gpu_stream stream, project_params &p)
{
    const int tiles = (p.modes + TILES_MODES - 1) / TILES_MODES * p.rhs_tiles;
    const int groups = (p.bricks.count + TILES_BRICKS - 1) / TILES_BRICKS;
    const int wanted = (int)((int64_t)groups * tiles / TILES_BLOCKS);
    const int least = (groups + MODES_CHUNKS - 1) / MODES_CHUNKS;
    p.groups = at_most(wanted > TILES_SHORTEST ? wanted : TILES_SHORTEST, TILES_LONGEST);
    p.groups = p.groups > least ? p.groups : least;
    const dim3 grid((unsigned)tiles, (unsigned)((groups + p.groups - 1) / p.groups));
    tiles_kernel<R, N><<<grid, TILES_THREADS, 0, stream>>>(p);
}

/* Of more rhs than a thread of the other kernel has; as few a thread as their tiles need. */
template <class R> static void launch_tiles(gpu_stream stream, project_params &p)
{
    static void (*const launch[TILES_MOST + 1])(gpu_stream, project_params &) = {
        NULL, NULL, launch_tiles_of<R, 2>, launch_tiles_of<R, 3>, launch_tiles_of<R, 4>};
    const int groups = (p.nrhs + TILES_RHS_GROUPS - 1) / TILES_RHS_GROUPS;
    p.rhs_tiles = (groups + TILES_MOST - 1) / TILES_MOST;
    launch[(groups + p.rhs_tiles - 1) / p.rhs_tiles](stream, p);
}

/* By the precisions of modes and rhs; the second column for more than MODES_TILE rhs. */
typedef void (*project_launcher)(gpu_stream stream, project_params &p);
static project_launcher project_launcher_of(naik_precision modes, const naik_field *r)
{
    static const project_launcher of[2][3][2] = {
        {{launch_project_of<vec_brick, vec_double>, launch_project_of<vec_brick, vec_double>},
         {launch_project_of<vec_brick, vec_single>, launch_tiles<vec_single>},
         {launch_project_of<vec_brick, vec_half>, launch_tiles<vec_half>}},
        {{launch_project_of<vec_single, vec_double>, launch_project_of<vec_single, vec_double>},
         {launch_project_of<vec_single, vec_single>, launch_project_of<vec_single, vec_single>},
         {launch_project_of<vec_single, vec_half>, launch_project_of<vec_single, vec_half>}}};
    const int row = r->precision == NAIK_DOUBLE ? 0 : r->precision == NAIK_SINGLE ? 1 : 2;
    return of[modes != NAIK_HALF][row][r->nrhs > MODES_TILE];
}

naik_status gpu_modes_project(const naik_field *const *block, int count, const naik_field *r,
                              const double *scale, int64_t *products)
{
    naik_backend *backend = r->geometry->backend;
    gpu_stream stream = gpu_state_of(backend)->stream;
    const int nrhs = r->nrhs, each = NAIK_MODES_BLOCK * nrhs * 2;
    project_params p = {};
    p.r = (const char *)r->data;
    p.nrhs = nrhs;
    p.bricks = gpu_bricks_of(r->geometry->lattice);
    for (int c = 0; c < nrhs; c++) {
        p.scale[c] = scale[c];
    }
    NAIK_PASS(GPU_CHECK(
        backend, gpu_memset(products, 0, (size_t)count * (size_t)each * sizeof *products, stream),
        "clearing products with modes"));
    for (int begin = 0; begin < count; begin += MODES_BLOCKS_A_LAUNCH) {
        const int blocks = at_most(count - begin, MODES_BLOCKS_A_LAUNCH);
        for (int b = 0; b < blocks; b++) {
            p.block.at[b] = (char *)block[begin + b]->data;
        }
        p.products = (unsigned long long *)products + (size_t)begin * (size_t)each;
        p.modes = blocks * NAIK_MODES_BLOCK;
        project_launcher_of(block[0]->precision, r)(stream, p);
        NAIK_PASS(GPU_LAUNCHED(backend, "projecting onto modes"));
    }
    return NAIK_OK;
}

typedef struct add_params {
    modes_blocks block;
    gpu_bricks bricks;
    int modes, nrhs, rhs_tiles, count, state;
    const double *a; /* [modes][nrhs][2] */
    char *x;
    const naik_rhs *rhs;
} add_params;

/* N rhs a thread; the factors of a few modes lie in shared memory. */
template <class V, class X, int N>
__global__ void __launch_bounds__(MODES_THREADS) add_kernel(const add_params p)
{
    typedef typename X::real real;
    enum { AT_ONCE = MODES_THREADS / MODES_RHS };
    __shared__ double2 factor[AT_ONCE][N];
    /* blocks of the same sites are neighbours, and modes come from the cache for the second */
    const int thread = (int)threadIdx.x;
    const int mine = (int)blockIdx.x / p.rhs_tiles * MODES_THREADS + thread;
    const int site = mine < p.count ? mine : p.count - 1;
    const int c0 = (int)blockIdx.x % p.rhs_tiles * N;
    colour_vector<real> sum[N];
#pragma unroll
    for (int c = 0; c < N; c++) {
        sum[c] = X::load(p.x + vec_offset<X>(site, c0 + c, p.nrhs));
    }
    modes_at<V> at(p.bricks, site);
    for (int first = 0; first < p.modes; first += AT_ONCE) {
        const int i = first + thread / N, column = c0 + thread % N;
        __syncthreads();
        if (thread < AT_ONCE * N && i < p.modes) {
            factor[thread / N][thread % N] =
                ((const double2 *)p.a)[i * p.nrhs + (column < p.nrhs ? column : c0)];
        }
        __syncthreads();
        for (int k = 0; k < AT_ONCE && first + k < p.modes; k += NAIK_MODES_BLOCK) {
            at.open(p.block.at[(first + k) / NAIK_MODES_BLOCK]);
#pragma unroll /* all loads are on their way */
            for (int j = 0; j < NAIK_MODES_BLOCK; j++) {
                const colour_vector<float> v = at.load(j);
#pragma unroll
                for (int c = 0; c < N; c++) {
                    const double2 a = factor[k + j][c];
#pragma unroll
                    for (int e = 0; e < 3; e++) {
                        sum[c].e[e] = mul_add({(real)a.x, (real)a.y},
                                              {(real)v.e[e].re, (real)v.e[e].im}, sum[c].e[e]);
                    }
                }
            }
        }
    }
#pragma unroll
    for (int c = 0; c < N; c++) {
        if (mine < p.count && c0 + c < p.nrhs &&
            (p.rhs == NULL || p.rhs[c0 + c].state == p.state)) {
            X::store(p.x + vec_offset<X>(site, c0 + c, p.nrhs), sum[c]);
        }
    }
}

template <class V, class X> static void launch_add_for(gpu_stream stream, add_params &p)
{
    const int each = p.nrhs == 1 ? 1 : MODES_RHS;
    p.rhs_tiles = (p.nrhs + each - 1) / each;
    const dim3 grid((unsigned)((p.count + MODES_THREADS - 1) / MODES_THREADS * p.rhs_tiles));
    if (each == 1) {
        add_kernel<V, X, 1><<<grid, MODES_THREADS, 0, stream>>>(p);
    } else {
        add_kernel<V, X, MODES_RHS><<<grid, MODES_THREADS, 0, stream>>>(p);
    }
}

template <class V> static void launch_add(naik_precision x, gpu_stream stream, add_params &p)
{
    switch (x) {
    case NAIK_DOUBLE: launch_add_for<V, vec_double>(stream, p); break;
    case NAIK_SINGLE: launch_add_for<V, vec_single>(stream, p); break;
    case NAIK_HALF: launch_add_for<V, vec_half>(stream, p); break;
    }
}

/* A launch goes on from what the one before it stored, which in half precision rounds: between
 * launches a sum of single and double precision is what it would be in one. */
naik_status gpu_modes_add(const naik_field *const *block, int count, const double *a, naik_field *x,
                          const naik_rhs *rhs, naik_rhs_state state)
{
    naik_backend *backend = x->geometry->backend;
    gpu_stream stream = gpu_state_of(backend)->stream;
    add_params p = {};
    p.nrhs = x->nrhs;
    p.count = x->geometry->lattice->volume_cb;
    p.bricks = gpu_bricks_of(x->geometry->lattice);
    p.state = (int)state;
    p.x = (char *)x->data;
    p.rhs = rhs;
    for (int begin = 0; begin < count; begin += MODES_BLOCKS_A_LAUNCH) {
        const int blocks = at_most(count - begin, MODES_BLOCKS_A_LAUNCH);
        for (int b = 0; b < blocks; b++) {
            p.block.at[b] = (char *)block[begin + b]->data;
        }
        p.modes = blocks * NAIK_MODES_BLOCK;
        p.a = a + (size_t)begin * NAIK_MODES_BLOCK * (size_t)x->nrhs * 2;
        if (block[0]->precision == NAIK_HALF) {
            launch_add<vec_brick>(x->precision, stream, p);
        } else {
            launch_add<vec_single>(x->precision, stream, p);
        }
        NAIK_PASS(GPU_LAUNCHED(backend, "adding modes"));
    }
    return NAIK_OK;
}
