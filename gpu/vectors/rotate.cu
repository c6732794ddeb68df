/* rotate.cu - low modes: the rotation v_j = sum_i v_i q_ij, in place
 *
 * A sum over modes is made in their order by one thread in double precision, whichever kernel makes
 * it. Few modes fit into the memory that a thread block shares: it reads all modes of a few sites
 * before it writes one. Of more modes a piece of the sites is copied aside, and a tile of 64 modes and
 * 64 numbers is made by each thread block from what was copied, so that every number is read once for
 * 64 sums.
 */
#include "gpu/backend_gpu.h"
#include "gpu/fields/prec.cuh"

enum {
    ROTATE_FEW = 64, /* modes of the first way, at most */
    ROTATE_THREADS = 128,
    ROTATE_TURNED = 4,               /* modes a thread makes at a time */
    ROTATE_SHARED_BYTES = 48 << 10,  /* every device has them without being asked */
    ROTATE_NUMBERS = 3 * PREC_BLOCK, /* of a mode in a block of sites, side by side in memory */
    ROTATE_TILE = 64,
    ROTATE_EACH = 4, /* modes, and numbers, of a thread */
    ROTATE_ACROSS = ROTATE_TILE / ROTATE_EACH,
    ROTATE_DEEP = NAIK_MODES_BLOCK, /* modes summed between two looks at the memory */
    ROTATE_TILE_THREADS = ROTATE_ACROSS * ROTATE_ACROSS,
    ROTATE_LOADS = ROTATE_TILE * ROTATE_DEEP / ROTATE_TILE_THREADS,
    ROTATE_ROWS = ROTATE_TILE_THREADS / ROTATE_TILE,
    ROTATE_PIECE_BYTES = 32 << 20, /* about, of what is copied aside */
    ROTATE_PIECE_LEAST = 24,       /* blocks of sites, so that the device is busy */
    ROTATE_BLOCKS_A_LAUNCH = 64
};

typedef struct rotate_blocks {
    char *at[ROTATE_BLOCKS_A_LAUNCH];
} rotate_blocks;

typedef struct rotate_params {
    rotate_blocks block;
    int modes, kept, count;
    int sites;       /* a thread block */
    const double *q; /* [modes][kept][2] */
} rotate_params;

__device__ static inline float2 *mode_number(const rotate_params &p, int mode, int site, int colour)
{
    return (float2 *)(p.block.at[mode / NAIK_MODES_BLOCK] +
                      vec_offset<vec_single>(site, mode % NAIK_MODES_BLOCK, NAIK_MODES_BLOCK) +
                      (size_t)colour * PREC_BLOCK * sizeof(float2));
}

/* All modes of a few sites are read before one is written. */
__global__ void __launch_bounds__(ROTATE_THREADS) rotate_few_kernel(const rotate_params p)
{
    extern __shared__ float2 old[]; /* [modes][3][sites] */
    const int first = (int)blockIdx.x * p.sites, each = 3 * p.sites;
    for (int n = (int)threadIdx.x; n < p.modes * each; n += ROTATE_THREADS) {
        const int mode = n / each, site = first + n % p.sites, colour = n % each / p.sites;
        old[n] = site < p.count ? *mode_number(p, mode, site, colour) : make_float2(0, 0);
    }
    __syncthreads();
    const int groups = (p.kept + ROTATE_TURNED - 1) / ROTATE_TURNED;
    for (int n = (int)threadIdx.x; n < groups * each; n += ROTATE_THREADS) {
        const int element = n % each, begin = n / each * ROTATE_TURNED;
        const int site = first + element % p.sites, colour = element / p.sites;
        cplx<double> sum[ROTATE_TURNED] = {};
#pragma unroll 2
        for (int i = 0; i < p.modes; i++) {
            const double *row = p.q + 2 * (size_t)i * p.kept;
            const float2 v = old[i * each + element];
#pragma unroll
            for (int j = 0; j < ROTATE_TURNED; j++) { /* the last group has fewer, and some twice */
                const int mode = begin + j < p.kept ? begin + j : p.kept - 1;
                const double2 q = *(const double2 *)(row + 2 * mode);
                sum[j] = mul_add({q.x, q.y}, {(double)v.x, (double)v.y}, sum[j]);
            }
        }
#pragma unroll
        for (int j = 0; j < ROTATE_TURNED; j++) {
            if (site < p.count && begin + j < p.kept) {
                *mode_number(p, begin + j, site, colour) =
                    make_float2((float)sum[j].re, (float)sum[j].im);
            }
        }
    }
}

static naik_status rotate_few(naik_field *const *block, int count, const double *q, int kept)
{
    const naik_geometry *geometry = block[0]->geometry;
    rotate_params p = {};
    for (int b = 0; b < count; b++) {
        p.block.at[b] = (char *)block[b]->data;
    }
    p.modes = count * NAIK_MODES_BLOCK;
    p.kept = kept;
    p.count = geometry->lattice->volume_cb;
    p.q = q;
    p.sites = 1;
    const int site_bytes = p.modes * 3 * (int)sizeof(float2);
    while (2 * p.sites * site_bytes <= ROTATE_SHARED_BYTES && p.sites < PREC_BLOCK) {
        p.sites *= 2;
    }
    rotate_few_kernel<<<(unsigned)((p.count + p.sites - 1) / p.sites), ROTATE_THREADS,
                        (size_t)(p.sites * site_bytes), gpu_state_of(geometry->backend)->stream>>>(
        p);
    return GPU_LAUNCHED(geometry->backend, "rotating modes");
}

/* A piece: the numbers of blocks of sites, [modes][numbers] in `aside`. */
typedef struct piece_params {
    rotate_blocks block; /* of modes begin .. */
    int begin, modes;    /* that are copied, or made: those of `block` that count */
    int all, kept;
    int first, numbers; /* block of sites; numbers of the piece */
    float2 *aside;
    const double *q; /* [all][kept][2] */
} piece_params;

/* Number n of the piece of mode m of `block`. */
__device__ static inline float2 *piece_number(const piece_params &p, int m, int n)
{
    const int sites = p.first + n / ROTATE_NUMBERS;
    return (float2 *)(p.block.at[m / NAIK_MODES_BLOCK] +
                      vec_offset<vec_single>(sites * PREC_BLOCK, m % NAIK_MODES_BLOCK,
                                             NAIK_MODES_BLOCK)) +
           n % ROTATE_NUMBERS;
}

__global__ void __launch_bounds__(ROTATE_THREADS) put_aside_kernel(const piece_params p)
{
    const int n = (int)(blockIdx.x * ROTATE_THREADS + threadIdx.x), m = (int)blockIdx.y;
    if (n < p.numbers) {
        p.aside[(size_t)(p.begin + m) * p.numbers + n] = *piece_number(p, m, n);
    }
}

/* What a thread carries from the memory to the shared tiles. */
typedef struct rotate_load {
    double2 q[ROTATE_LOADS];
    float2 v[ROTATE_LOADS];
} rotate_load;

/* Columns j of q and n of the piece: those of one thread, in rows ROTATE_ROWS apart. */
__device__ static inline void look(const piece_params &p, int i0, int j, int n, rotate_load &load)
{
#pragma unroll
    for (int k = 0; k < ROTATE_LOADS; k++) {
        const int i = i0 + k * ROTATE_ROWS;
        load.q[k] =
            j < p.kept ? ((const double2 *)p.q)[(size_t)i * p.kept + j] : make_double2(0, 0);
        load.v[k] = n < p.numbers ? p.aside[(size_t)i * p.numbers + n] : make_float2(0, 0);
    }
}

/* v_j = sum_i v_i q_ij for the modes of `block`, from what is aside. */
__global__ void __launch_bounds__(ROTATE_TILE_THREADS, 2) turn_kernel(const piece_params p)
{
    __shared__ double2 q[ROTATE_DEEP][ROTATE_TILE], v[ROTATE_DEEP][ROTATE_TILE];
    const int n0 = (int)blockIdx.x * ROTATE_TILE, m0 = (int)blockIdx.y * ROTATE_TILE;
    const int across = (int)threadIdx.x % ROTATE_ACROSS, down = (int)threadIdx.x / ROTATE_ACROSS;
    cplx<double> sum[ROTATE_EACH][ROTATE_EACH] = {};
    const int row = (int)threadIdx.x / ROTATE_TILE, column = (int)threadIdx.x % ROTATE_TILE;
    rotate_load load;
    look(p, row, p.begin + m0 + column, n0 + column, load);
    for (int i0 = 0; i0 < p.all; i0 += ROTATE_DEEP) {
        __syncthreads();
#pragma unroll
        for (int k = 0; k < ROTATE_LOADS; k++) {
            q[row + k * ROTATE_ROWS][column] = load.q[k];
            v[row + k * ROTATE_ROWS][column] = make_double2(load.v[k].x, load.v[k].y);
        }
        __syncthreads();
        if (i0 + ROTATE_DEEP < p.all) {
            look(p, i0 + ROTATE_DEEP + row, p.begin + m0 + column, n0 + column, load);
        }
#pragma unroll 2 /* all at once do not fit into the registers */
        for (int i = 0; i < ROTATE_DEEP; i++) {
            cplx<double> a[ROTATE_EACH], b[ROTATE_EACH];
#pragma unroll
            for (int k = 0; k < ROTATE_EACH; k++) {
                const double2 x = q[i][down * ROTATE_EACH + k],
                              y = v[i][across + k * ROTATE_ACROSS];
                a[k] = {x.x, x.y};
                b[k] = {y.x, y.y};
            }
#pragma unroll
            for (int j = 0; j < ROTATE_EACH; j++) {
#pragma unroll
                for (int k = 0; k < ROTATE_EACH; k++) {
                    sum[j][k] = mul_add(a[j], b[k], sum[j][k]);
                }
            }
        }
    }
#pragma unroll
    for (int j = 0; j < ROTATE_EACH; j++) {
#pragma unroll
        for (int k = 0; k < ROTATE_EACH; k++) {
            const int m = m0 + down * ROTATE_EACH + j, n = n0 + across + k * ROTATE_ACROSS;
            if (m < p.modes && n < p.numbers) {
                *piece_number(p, m, n) = make_float2((float)sum[j][k].re, (float)sum[j][k].im);
            }
        }
    }
}

/* Blocks of sites. */
static int site_blocks(const naik_lattice *lat)
{
    return (lat->volume_cb + PREC_BLOCK - 1) / PREC_BLOCK;
}

/* Bytes of so many modes in a block of sites. */
static size_t aside_bytes_of(int modes)
{
    return (size_t)modes * ROTATE_NUMBERS * sizeof(float2);
}

size_t gpu_modes_rotate_bytes(const naik_lattice *lat, int count)
{
    const int modes = count * NAIK_MODES_BLOCK;
    const size_t each = aside_bytes_of(modes), all = (size_t)site_blocks(lat) * each;
    const size_t least = ROTATE_PIECE_LEAST * each;
    const size_t wanted = least > ROTATE_PIECE_BYTES ? least : ROTATE_PIECE_BYTES;
    return modes <= ROTATE_FEW ? 0 : wanted < all ? wanted : all;
}

/* The blocks of modes of the next launch. */
static int next_blocks(naik_field *const *block, int begin, int count, piece_params *p)
{
    const int left = count - begin;
    const int blocks = left < ROTATE_BLOCKS_A_LAUNCH ? left : ROTATE_BLOCKS_A_LAUNCH;
    for (int b = 0; b < blocks; b++) {
        p->block.at[b] = (char *)block[begin + b]->data;
    }
    p->begin = begin * NAIK_MODES_BLOCK;
    return blocks;
}

static naik_status rotate_piece(naik_field *const *block, int count, piece_params *p)
{
    naik_backend *backend = block[0]->geometry->backend;
    gpu_stream stream = gpu_state_of(backend)->stream;
    const int made = (p->kept + NAIK_MODES_BLOCK - 1) / NAIK_MODES_BLOCK;
    for (int begin = 0; begin < count; begin += ROTATE_BLOCKS_A_LAUNCH) {
        const int modes = next_blocks(block, begin, count, p) * NAIK_MODES_BLOCK;
        const dim3 grid((unsigned)((p->numbers + ROTATE_THREADS - 1) / ROTATE_THREADS),
                        (unsigned)modes);
        put_aside_kernel<<<grid, ROTATE_THREADS, 0, stream>>>(*p);
        NAIK_PASS(GPU_LAUNCHED(backend, "putting modes aside"));
    }
    for (int begin = 0; begin < made; begin += ROTATE_BLOCKS_A_LAUNCH) {
        const int modes = next_blocks(block, begin, made, p) * NAIK_MODES_BLOCK;
        p->modes = p->kept - p->begin < modes ? p->kept - p->begin : modes;
        const dim3 grid((unsigned)((p->numbers + ROTATE_TILE - 1) / ROTATE_TILE),
                        (unsigned)((p->modes + ROTATE_TILE - 1) / ROTATE_TILE));
        turn_kernel<<<grid, ROTATE_TILE_THREADS, 0, stream>>>(*p);
        NAIK_PASS(GPU_LAUNCHED(backend, "rotating modes"));
    }
    return NAIK_OK;
}

naik_status gpu_modes_rotate(naik_field *const *block, int count, const double *q, int kept,
                             void *aside, size_t aside_bytes)
{
    const naik_geometry *geometry = block[0]->geometry;
    const int modes = count * NAIK_MODES_BLOCK, all = site_blocks(geometry->lattice);
    const int piece = (int)(aside_bytes / aside_bytes_of(modes)); /* blocks of sites */
    if (block[0]->precision != NAIK_SINGLE) {
        return NAIK_FAIL(geometry->backend->log, NAIK_ERR_ARG,
                         "only modes in single precision can be rotated");
    }
    if (modes <= ROTATE_FEW) {
        return rotate_few(block, count, q, kept);
    }
    if (piece < 1) {
        return NAIK_FAIL(geometry->backend->log, NAIK_ERR_ARG,
                         "no room to put %d modes aside that are rotated", modes);
    }
    piece_params p = {};
    p.all = modes;
    p.kept = kept;
    p.aside = (float2 *)aside;
    p.q = q;
    for (p.first = 0; p.first < all; p.first += piece) {
        p.numbers = (all - p.first < piece ? all - p.first : piece) * ROTATE_NUMBERS;
        NAIK_PASS(rotate_piece(block, count, &p));
    }
    return NAIK_OK;
}
