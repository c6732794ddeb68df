/* coarse_dslash.cu - matrices of a coarse site times vectors of its neighbours, all rhs together
 *
 * A block has a site. 32 threads have a tile of 16 rows and one part of the matrices, all rhs at once: that a
 * matrix is read once for all rhs is what makes this cheap. Parts are added in their order. 16-bit matrices go
 * through matrix units where there are any (tensor.cuh), all others through fused multiplications.
 */
#include "gpu/multigrid/layout.cuh"
#include "gpu/multigrid/tensor.cuh"

enum {
    COARSE_USUAL_TILES = 3, /* 48 components */
    /* Groups of 32 threads that share the matrices of a row: of the usual tiles, of so few, and of more. */
    COARSE_PARTS = 4,
    COARSE_PARTS_FEW = 2,
    COARSE_FEW = 4,
    COARSE_THREADS = MG_GROUP * COARSE_PARTS * COARSE_USUAL_TILES,
    COARSE_THREADS_OTHER = MG_GROUP * COARSE_PARTS_FEW * COARSE_FEW,
    COARSE_NUMBERS = 8 /* of a part of a matrix tile a lane */
};

/* One vector: sites at a distance, in tiles of rhs of its capacity. */
typedef struct coarse_vector {
    float *data;
    size_t site_numbers;
    int rhs_tiles;
} coarse_vector;

typedef struct coarse_params {
    const char *matrices; /* of the parity */
    const float *scales;
    const int32_t *neighbour;      /* NULL: each site itself */
    coarse_vector in, v, out;      /* v NULL: the sum, not v less the sum */
    int sites, tiles, first, last; /* matrices first .. last - 1 */
} coarse_params;

template <int TILES> NAIK_HD static inline int coarse_parts(int tiles)
{
    return TILES > 0 ? COARSE_PARTS : tiles <= COARSE_FEW ? COARSE_PARTS_FEW : 1;
}

/* What a lane has of the result: rhs t of each tile, in rows g and g + 8. */
template <int RHS> struct coarse_total {
    cplx<float> of[RHS][2];
};

/* i x: lanes of real and of imaginary parts change what they have. */
__device__ static inline void turn(bool real, tensor_split &x)
{
    const unsigned sign = real ? 0x80008000u : 0;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        x.high[i] = __float_as_uint(gpu_lanes_swap(__uint_as_float(x.high[i]), 4)) ^ sign;
        x.low[i] = __float_as_uint(gpu_lanes_swap(__uint_as_float(x.low[i]), 4)) ^ sign;
    }
}

/* sum += m x of a part of a matrix tile. */
template <int RHS>
__device__ static inline void add_tile(uint4 m, const tensor_split (&x)[RHS], float (&sum)[RHS][4])
{
    unsigned high[4], low[4];
    split_integers(m.x, &high[0], &low[0]);
    split_integers(m.y, &high[1], &low[1]);
    split_integers(m.z, &high[2], &low[2]);
    split_integers(m.w, &high[3], &low[3]);
#pragma unroll
    for (int n = 0; n < RHS; n++) {
        tensor_add(sum[n], high, x[n].high);
    }
#pragma unroll
    for (int n = 0; n < RHS; n++) {
        tensor_add(sum[n], low, x[n].high);
    }
#pragma unroll
    for (int n = 0; n < RHS; n++) {
        tensor_add(sum[n], high, x[n].low);
    }
}

/* total += s m x of a tile of rows on matrix units. */
template <int TILES, int RHS>
__device__ static inline void add_on_units(const coarse_params &p, const uint4 *m, float s,
                                           const float4 *x, bool real, coarse_total<RHS> &total)
{
    const int tiles = TILES > 0 ? TILES : p.tiles;
    float sum[RHS][4] = {};
#pragma unroll
    for (int k = 0; k < tiles; k++) {
        tensor_split b[RHS];
        const uint4 re = gpu_stream_load16(m + 2 * k * MG_GROUP);
        const uint4 im = gpu_stream_load16(m + (2 * k + 1) * MG_GROUP);
#pragma unroll
        for (int n = 0; n < RHS; n++) {
            b[n] = split_numbers(x[(k * p.in.rhs_tiles + n) * MG_GROUP]);
        }
        add_tile<RHS>(re, b, sum);
#pragma unroll
        for (int n = 0; n < RHS; n++) {
            turn(real, b[n]);
        }
        add_tile<RHS>(im, b, sum);
    }
#pragma unroll
    for (int n = 0; n < RHS; n++) {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            cplx<float> &to = total.of[n][h];
            to = {fmaf(s, sum[n][2 * h], to.re), fmaf(s, sum[n][2 * h + 1], to.im)};
        }
    }
}

/* A lane's numbers of a part of a matrix tile. */
__device__ static inline void load_numbers(const uint4 *m, int at, float s,
                                           float (&a)[COARSE_NUMBERS], bool half)
{
    if (half) {
        const uint4 w = gpu_stream_load16(m + at);
        const unsigned word[4] = {w.x, w.y, w.z, w.w};
        const float offset = -PREC_MAGIC * s; /* the scale has 15 bits: this is exact */
#pragma unroll
        for (int i = 0; i < 4; i++) {
            a[2 * i] = fmaf(prec_low(word[i]), s, offset);
            a[2 * i + 1] = fmaf(prec_high(word[i]), s, offset);
        }
    } else {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const uint4 w = gpu_stream_load16(m + 2 * at + i);
            a[4 * i] = __uint_as_float(w.x);
            a[4 * i + 1] = __uint_as_float(w.y);
            a[4 * i + 2] = __uint_as_float(w.z);
            a[4 * i + 3] = __uint_as_float(w.w);
        }
    }
}

/* A lane's terms, of its components alone, in rows g and g + 8 of all rhs. */
template <int RHS> struct coarse_terms {
    cplx<float> of[2][RHS * MG_RHS];
};

/* terms += m x of a tile of rows; x of lane t. */
template <bool HALF, int TILES, int RHS>
__device__ static inline void add_plainly(const coarse_params &p, const uint4 *m, float s,
                                          const float4 *x, coarse_terms<RHS> &terms)
{
    const int tiles = TILES > 0 ? TILES : p.tiles;
#pragma unroll 1
    for (int k = 0; k < tiles; k++) {
        float re[COARSE_NUMBERS], im[COARSE_NUMBERS];
        load_numbers(m, 2 * k * MG_GROUP, s, re, HALF);
        load_numbers(m, (2 * k + 1) * MG_GROUP, s, im, HALF);
#pragma unroll
        for (int c = 0; c < RHS * MG_RHS; c++) {
            const float4 *at = x + (k * p.in.rhs_tiles + c / MG_RHS) * MG_GROUP + c % MG_RHS * 8;
            const float4 r = at[0], i = at[4];
            const cplx<float> v[4] = {{r.x, i.x}, {r.y, i.y}, {r.z, i.z}, {r.w, i.w}};
#pragma unroll
            for (int j = 0; j < 4; j++) {
#pragma unroll
                for (int h = 0; h < 2; h++) {
                    const int n = j % 2 + 2 * h + 4 * (j / 2);
                    terms.of[h][c] = mul_add({re[n], im[n]}, v[j], terms.of[h][c]);
                }
            }
        }
    }
}

/* The sums over the lanes of a row; lane t keeps rhs t of each tile. */
template <int RHS>
__device__ static inline void gather_terms(const coarse_terms<RHS> &terms, int t,
                                           coarse_total<RHS> &total)
{
#pragma unroll
    for (int n = 0; n < 2 * RHS * MG_RHS; n++) {
        const int h = n / (RHS * MG_RHS), c = n % (RHS * MG_RHS);
        cplx<float> sum = terms.of[h][c];
#pragma unroll
        for (int distance = 1; distance < MG_RHS; distance *= 2) {
            sum.re += gpu_lanes_swap(sum.re, distance);
            sum.im += gpu_lanes_swap(sum.im, distance);
        }
        if (c % MG_RHS == t) {
            total.of[c / MG_RHS][h] = sum;
        }
    }
}

/* Writes a tile of rows: lanes g and g + 1 change what they have, so that each has four numbers that lie
 * beside each other. */
template <int RHS>
__device__ static inline void store_total(const coarse_params &p, int site, int row_tile, int lane,
                                          bool stores, const coarse_total<RHS> &total)
{
    const int t = lane % 4, g = lane / 4, odd = g % 2, to = 4 * (2 * t + odd) + g / 2;
#pragma unroll
    for (int n = 0; n < RHS; n++) {
        float mine[2], other[2];
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const cplx<float> a = total.of[n][h];
            mine[h] = odd ? a.im : a.re;
            other[h] = gpu_lanes_swap(odd ? a.re : a.im, 4);
        }
        float4 r = odd ? make_float4(other[0], mine[0], other[1], mine[1])
                       : make_float4(mine[0], other[0], mine[1], other[1]);
        if (stores) {
            if (p.v.data != NULL) {
                const float4 *v = (const float4 *)(p.v.data + (size_t)site * p.v.site_numbers);
                const float4 a = v[(row_tile * p.v.rhs_tiles + n) * MG_GROUP + to];
                r = make_float4(a.x - r.x, a.y - r.y, a.z - r.z, a.w - r.w);
            }
            float4 *out = (float4 *)(p.out.data + (size_t)site * p.out.site_numbers);
            out[(row_tile * p.out.rhs_tiles + n) * MG_GROUP + to] = r;
        }
    }
}

template <int TILES, int RHS> struct coarse_room {
    enum { OTHERS = TILES > 0 ? COARSE_PARTS - 1 : COARSE_PARTS_FEW - 1 };
    coarse_total<RHS> of[OTHERS][TILES > 0 ? TILES : (int)COARSE_FEW][MG_GROUP];
};

/* Adds the parts to the first one. */
template <int TILES, int RHS>
__device__ static inline void add_parts(coarse_room<TILES, RHS> &room, int parts, int part,
                                        int row_tile, int lane, coarse_total<RHS> &total)
{
    if (part > 0 && part < parts) {
        room.of[part - 1][row_tile][lane] = total;
    }
    __syncthreads();
    for (int q = 0; q < parts - 1 && part == 0; q++) {
        const coarse_total<RHS> &other = room.of[q][row_tile][lane];
#pragma unroll
        for (int n = 0; n < 2 * RHS; n++) {
            cplx<float> &to = total.of[n / 2][n % 2];
            to = {to.re + other.of[n / 2][n % 2].re, to.im + other.of[n / 2][n % 2].im};
        }
    }
}

template <bool HALF, int TILES, int RHS>
__global__ void __launch_bounds__(TILES > 0 ? (int)COARSE_THREADS : (int)COARSE_THREADS_OTHER,
                                  TILES > 0 && RHS < 4 ? 2 : 1) coarse_kernel(const coarse_params p)
{
    constexpr bool units = GPU_HAS_TENSORS && HALF;
    constexpr int bytes = HALF ? 2 : 4;
    __shared__ coarse_room<TILES, RHS> room;
    const int tiles = TILES > 0 ? TILES : p.tiles, site = (int)blockIdx.x;
    const int lane = (int)threadIdx.x % MG_GROUP, group = (int)threadIdx.x / MG_GROUP;
    const int row_tile = group % tiles, part = group / tiles, parts = coarse_parts<TILES>(tiles);
    const size_t matrix_bytes = (size_t)tiles * tiles * MG_MATRIX_TILE * bytes;
    coarse_total<RHS> total = {};
    coarse_terms<RHS> terms = {};
    for (int k = p.first + part; part < parts && k < p.last; k += parts) {
        const size_t matrix = (size_t)site * NAIK_MG_MATRICES + k;
        const int there = p.neighbour != NULL ? p.neighbour[site * NAIK_MG_POINTS + k] : site;
        const uint4 *m = (const uint4 *)(p.matrices + matrix * matrix_bytes +
                                         (size_t)row_tile * tiles * MG_MATRIX_TILE * bytes) +
                         lane * (bytes / 2);
        const float s = p.scales[matrix];
        if (there < 0) {
            continue;
        }
        const float4 *x = (const float4 *)(p.in.data + (size_t)there * p.in.site_numbers);
        if constexpr (units) {
            add_on_units<TILES, RHS>(p, m, s, x + lane, lane / 4 % 2 == 0, total);
        } else {
            add_plainly<HALF, TILES, RHS>(p, m, s, x + lane % 4, terms);
        }
    }
    if constexpr (!units) {
        gather_terms(terms, lane % 4, total);
    }
    add_parts<TILES, RHS>(room, parts, part, row_tile, lane, total);
    store_total(p, site, row_tile, lane, part == 0, total);
}

template <bool HALF, int TILES, int RHS>
static void start(const coarse_params &p, gpu_stream stream)
{
    const int groups = p.tiles * coarse_parts<TILES>(p.tiles), wave = GPU_LANES / MG_GROUP;
    const unsigned threads = (unsigned)((groups + wave - 1) / wave * GPU_LANES);
    coarse_kernel<HALF, TILES, RHS><<<(unsigned)p.sites, threads, 0, stream>>>(p);
}

template <bool HALF, int TILES>
static void start_rhs(const coarse_params &p, int rhs_tiles, gpu_stream stream)
{
    switch (rhs_tiles) {
    case 1: start<HALF, TILES, 1>(p, stream); break;
    case 2: start<HALF, TILES, 2>(p, stream); break;
    case 3: start<HALF, TILES, 3>(p, stream); break;
    default: start<HALF, TILES, 4>(p, stream); break;
    }
}

static coarse_vector vector_of(const naik_coarse *v)
{
    coarse_vector c = {};
    if (v != NULL) {
        c.data = (float *)v->data;
        c.site_numbers = v->site_bytes / sizeof(float);
        c.rhs_tiles = mg_rhs_tiles(v->capacity);
    }
    return c;
}

static naik_status launch(const naik_coarse_links *m, naik_parity parity, coarse_params *p,
                          const naik_coarse *in, const naik_coarse *v, naik_coarse *out)
{
    const naik_aggregates *a = m->aggregates;
    const int rhs_tiles = mg_rhs_tiles(in->nrhs);
    p->matrices = mg_matrices(m, parity);
    p->scales = mg_scales(m, parity);
    p->in = vector_of(in);
    p->v = vector_of(v);
    p->out = vector_of(out);
    p->sites = a->count[parity];
    p->tiles = mg_tiles(m->components);
    if (p->sites == 0) {
        return NAIK_OK;
    }
    if (m->precision != NAIK_HALF) {
        start_rhs<false, 0>(*p, rhs_tiles, mg_stream(a));
    } else if (p->tiles == COARSE_USUAL_TILES) {
        start_rhs<true, COARSE_USUAL_TILES>(*p, rhs_tiles, mg_stream(a));
    } else {
        start_rhs<true, 0>(*p, rhs_tiles, mg_stream(a));
    }
    return GPU_LAUNCHED(mg_backend(a), "applying coarse matrices");
}

naik_status gpu_coarse_dslash(const naik_coarse_links *m, naik_parity parity, const naik_coarse *in,
                              const naik_coarse *v, naik_coarse *out)
{
    coarse_params p = {};
    p.neighbour = gpu_aggregates_of(m->aggregates)->neighbour[parity];
    p.last = NAIK_MG_POINTS;
    return launch(m, parity, &p, in, v, out);
}

naik_status gpu_coarse_multiply(const naik_coarse_links *m, int which, naik_parity parity,
                                const naik_coarse *in, naik_coarse *out)
{
    coarse_params p = {};
    p.first = which;
    p.last = which + 1;
    return launch(m, parity, &p, in, NULL, out);
}
