/* restrict.cu - sums over aggregates: P^+ v, and the coarse matrices
 *
 * A block has an aggregate, a thread a tile of MG_COLUMNS columns of P and MG_RHS rhs on one of
 * RESTRICT_PARTS parts of its sites; the parts are added in their order. So the order of a sum depends
 * on the aggregate alone.
 */
#include "gpu/multigrid/layout.cuh"

enum {
    RESTRICT_COLUMNS = 3, /* of P a thread */
    RESTRICT_PARTS = 4,
    RESTRICT_SITES = 16, /* in shared memory at a time */
    RESTRICT_ROWS = 3 * NAIK_SPIN,
    RESTRICT_MOST = 512,    /* threads: 48 vectors, 16 rhs */
    RESTRICT_LEAST = 2 * 64 /* more load what few compute with */
};

typedef struct restrict_params {
    mg_transfer p;
    const char *field;
    int nrhs, rhs_tiles;
    int column_tiles, slots; /* tiles of columns; of both chiralities and all rhs */
    /* the coarse vectors */
    float *out[2];
    size_t site_numbers; /* of a coarse vector */
    int out_tiles;       /* tiles of rhs of its capacity */
    /* or the matrices */
    const uint8_t *across[2];
    float *matrices;
    int tiles, k, column;
    float s;
} restrict_params;

typedef cplx<float> restrict_sums[RESTRICT_COLUMNS][MG_RHS];

/* Numbers of a site in shared memory: [row][rhs of all tiles], and as many as keep the sites of a part
 * in banks of their own. */
__host__ __device__ static inline int site_room(int rhs_tiles)
{
    return RESTRICT_ROWS * rhs_tiles * MG_RHS + 2;
}

/* Field of RESTRICT_SITES members from `begin` on into shared memory. */
__device__ static inline void load_sites(const restrict_params &p, const int32_t *member, int begin,
                                         int sites, float2 *room)
{
    const int each = site_room(p.rhs_tiles), rhs = p.rhs_tiles * MG_RHS;
    const int count = RESTRICT_SITES * RESTRICT_ROWS * rhs;
    for (int n = (int)threadIdx.x; n < count; n += (int)blockDim.x) {
        const int s = n % RESTRICT_SITES, c = n / RESTRICT_SITES % rhs;
        const int row = n / (RESTRICT_SITES * rhs);
        float2 v = make_float2(0, 0);
        if (s < sites && c < p.nrhs) {
            v = *(const float2 *)(p.field + mg_field_offset(member[begin + s], c, row / 3, p.nrhs) +
                                  row % 3 * vec_single::STRIDE);
        }
        room[s * each + row * rhs + c] = v;
    }
}

/* sum += conj(P) v of a member. */
template <class P>
__device__ static inline void add_member(const typename P::unit *site, int vectors, int chirality,
                                         const int (&column)[RESTRICT_COLUMNS], const float2 *v,
                                         int rhs, restrict_sums &sum)
{
#pragma unroll
    for (int row = 0; row < MG_CHIRAL_ROWS; row++) {
        colour_vector<float> a[RESTRICT_COLUMNS];
#pragma unroll
        for (int i = 0; i < RESTRICT_COLUMNS; i++) {
            a[i] = mg_load<P>(site, vectors, chirality, row, column[i]);
        }
#pragma unroll
        for (int colour = 0; colour < 3; colour++) {
            const float4 *at = (const float4 *)(v + (3 * row + colour) * rhs);
            const float4 w[2] = {at[0], at[1]};
#pragma unroll
            for (int i = 0; i < RESTRICT_COLUMNS; i++) {
#pragma unroll
                for (int c = 0; c < MG_RHS; c++) {
                    const cplx<float> b = c % 2 == 0 ? cplx<float>{w[c / 2].x, w[c / 2].y}
                                                     : cplx<float>{w[c / 2].z, w[c / 2].w};
                    sum[i][c] = mul_add(conj(a[i].e[colour]), b, sum[i][c]);
                }
            }
        }
    }
}

/* Adds the parts, in their order, in the threads of the first one; all threads of the block call. */
__device__ static inline void add_parts(float2 *room, int slots, int slot, int part,
                                        restrict_sums &sum)
{
    __syncthreads();
#pragma unroll
    for (int n = 0; n < RESTRICT_COLUMNS * MG_RHS; n++) {
        const cplx<float> mine = sum[n / MG_RHS][n % MG_RHS];
        if (part > 0 && part < RESTRICT_PARTS) {
            room[((part - 1) * RESTRICT_COLUMNS * MG_RHS + n) * slots + slot] =
                make_float2(mine.re, mine.im);
        }
    }
    __syncthreads();
    for (int q = 0; q < RESTRICT_PARTS - 1 && part == 0; q++) {
#pragma unroll
        for (int n = 0; n < RESTRICT_COLUMNS * MG_RHS; n++) {
            const float2 other = room[(q * RESTRICT_COLUMNS * MG_RHS + n) * slots + slot];
            cplx<float> &mine = sum[n / MG_RHS][n % MG_RHS];
            mine = {mine.re + other.x, mine.im + other.y};
        }
    }
}

/* What a thread has to do. */
typedef struct restrict_slot {
    int part, slot; /* part RESTRICT_PARTS or more: nothing */
    int chirality, rhs_tile;
    int column[RESTRICT_COLUMNS]; /* of the chirality; the last tile has some twice */
    bool twice[RESTRICT_COLUMNS];
} restrict_slot;

__device__ static inline restrict_slot slot_of(const restrict_params &p)
{
    restrict_slot t;
    t.part = (int)threadIdx.x / p.slots;
    t.slot = (int)threadIdx.x % p.slots;
    t.rhs_tile = t.slot / p.column_tiles % p.rhs_tiles;
    t.chirality = t.slot / (p.column_tiles * p.rhs_tiles);
#pragma unroll
    for (int i = 0; i < RESTRICT_COLUMNS; i++) {
        const int column = t.slot % p.column_tiles + i * p.column_tiles;
        t.twice[i] = column >= p.p.vectors;
        t.column[i] = t.twice[i] ? p.p.vectors - 1 : column;
    }
    return t;
}

/* Calls add(site of P, vector in shared memory, member) for the members of this thread's part. */
template <class P, class F>
__device__ static inline void over_members(const restrict_params &p, const restrict_slot &t,
                                           int site, float2 *room, F add)
{
    const int32_t *member = mg_members(p.p, site);
    const int each = site_room(p.rhs_tiles), rhs = p.rhs_tiles * MG_RHS;
    for (int begin = 0; begin < p.p.fine; begin += RESTRICT_SITES) {
        const int left = p.p.fine - begin;
        const int sites = left < RESTRICT_SITES ? left : (int)RESTRICT_SITES;
        __syncthreads();
        load_sites(p, member, begin, sites, room);
        __syncthreads();
        for (int s = t.part; t.part < RESTRICT_PARTS && s < sites; s += RESTRICT_PARTS) {
            add(mg_site<P>(p.p, site, begin + s),
                room + s * each + 3 * MG_CHIRAL_ROWS * t.chirality * rhs + t.rhs_tile * MG_RHS,
                begin + s);
        }
    }
}

template <class P>
__global__ void __launch_bounds__(RESTRICT_MOST) restrict_kernel(const restrict_params p)
{
    extern __shared__ float2 room[];
    const int site = mg_block_site(p.p, (int)blockIdx.x), rhs = p.rhs_tiles * MG_RHS;
    const restrict_slot t = slot_of(p);
    restrict_sums sum = {};
    over_members<P>(p, t, site, room, [&](const typename P::unit *at, const float2 *v, int) {
        add_member<P>(at, p.p.vectors, t.chirality, t.column, v, rhs, sum);
    });
    add_parts(room, p.slots, t.slot, t.part, sum);
    const int odd = site >= p.p.count[0];
    float *out =
        (odd ? p.out[1] : p.out[0]) + (size_t)(site - (odd ? p.p.count[0] : 0)) * p.site_numbers;
    if (t.part == 0) {
#pragma unroll
        for (int i = 0; i < RESTRICT_COLUMNS; i++) {
            const int row = t.chirality * p.p.vectors + t.column[i];
#pragma unroll
            for (int c = 0; c < MG_RHS && !t.twice[i]; c++) {
                const int rhs_here = t.rhs_tile * MG_RHS + c;
                out[mg_vector_place(row, rhs_here, 0, p.out_tiles)] = sum[i][c].re;
                out[mg_vector_place(row, rhs_here, 1, p.out_tiles)] = sum[i][c].im;
            }
        }
    }
    /* what pads the last tile of components */
    const int first = 2 * p.p.vectors, padding = mg_tiles(first) * MG_TILE - first;
    for (int n = (int)threadIdx.x; n < padding * rhs; n += (int)blockDim.x) {
        out[mg_vector_place(first + n / rhs, n % rhs, 0, p.out_tiles)] = 0;
        out[mg_vector_place(first + n / rhs, n % rhs, 1, p.out_tiles)] = 0;
    }
}

/* m += s sum, in the columns from p.column on. */
__device__ static inline void add_to_matrix(const restrict_params &p, const restrict_slot &t,
                                            const restrict_sums &sum, float *m)
{
#pragma unroll
    for (int i = 0; i < RESTRICT_COLUMNS; i++) {
        const int row = t.chirality * p.p.vectors + t.column[i];
#pragma unroll
        for (int c = 0; c < MG_RHS; c++) {
            const int column = p.column + t.rhs_tile * MG_RHS + c;
            if (!t.twice[i] && t.rhs_tile * MG_RHS + c < p.nrhs) {
                float *re = m + mg_matrix_place(row, column, 0, p.tiles);
                float *im = m + mg_matrix_place(row, column, 1, p.tiles);
                *re = fmaf(p.s, sum[i][c].re, *re);
                *im = fmaf(p.s, sum[i][c].im, *im);
            }
        }
    }
}

template <class P>
__global__ void __launch_bounds__(RESTRICT_MOST) galerkin_kernel(const restrict_params p)
{
    extern __shared__ float2 room[];
    const int site = mg_block_site(p.p, (int)blockIdx.x), rhs = p.rhs_tiles * MG_RHS;
    const int odd = site >= p.p.count[0], here = site - (odd ? p.p.count[0] : 0);
    const bool local = p.k == NAIK_MG_LOCAL;
    const uint8_t *across =
        (odd ? p.across[1] : p.across[0]) + ((size_t)here * 2 + p.p.parity) * p.p.fine;
    const restrict_slot t = slot_of(p);
    restrict_sums inside = {}, beyond = {};
    over_members<P>(p, t, site, room, [&](const typename P::unit *at, const float2 *v, int s) {
        if (!local && across[s] >> p.k & 1) {
            add_member<P>(at, p.p.vectors, t.chirality, t.column, v, rhs, beyond);
        } else {
            add_member<P>(at, p.p.vectors, t.chirality, t.column, v, rhs, inside);
        }
    });
    float *matrices = p.matrices + (size_t)site * NAIK_MG_MATRICES * mg_matrix_numbers(p.tiles);
    add_parts(room, p.slots, t.slot, t.part, inside);
    if (t.part == 0) {
        add_to_matrix(p, t, inside, matrices + NAIK_MG_LOCAL * mg_matrix_numbers(p.tiles));
    }
    if (local) {
        return;
    }
    add_parts(room, p.slots, t.slot, t.part, beyond);
    if (t.part == 0) {
        add_to_matrix(p, t, beyond, matrices + p.k * mg_matrix_numbers(p.tiles));
    }
}

static restrict_params params_of(const naik_transfer *p, naik_parity parity, const naik_field *v)
{
    restrict_params r = {};
    r.p = mg_transfer_of(p, parity);
    r.field = (const char *)v->data;
    r.nrhs = v->nrhs;
    r.rhs_tiles = mg_rhs_tiles(v->nrhs);
    r.column_tiles = (p->vectors + RESTRICT_COLUMNS - 1) / RESTRICT_COLUMNS;
    r.slots = 2 * r.column_tiles * r.rhs_tiles;
    return r;
}

static unsigned threads_of(const restrict_params &r)
{
    const int threads = r.slots * RESTRICT_PARTS;
    const int whole = (threads + GPU_LANES - 1) / GPU_LANES * GPU_LANES;
    return (unsigned)(whole > RESTRICT_LEAST ? whole : (int)RESTRICT_LEAST);
}

static size_t room_of(const restrict_params &r)
{
    const size_t sites = (size_t)RESTRICT_SITES * (size_t)site_room(r.rhs_tiles);
    const size_t parts = (size_t)(RESTRICT_PARTS - 1) * RESTRICT_COLUMNS * MG_RHS * (size_t)r.slots;
    return (sites > parts ? sites : parts) * sizeof(float2);
}

naik_status gpu_restrict(const naik_transfer *p, naik_parity parity, const naik_field *v,
                         naik_coarse *const out[2])
{
    const naik_aggregates *a = p->aggregates;
    restrict_params r = params_of(p, parity, v);
    for (int c = 0; c < 2; c++) {
        r.out[c] = (float *)out[c]->data;
    }
    r.site_numbers = out[0]->site_bytes / sizeof(float);
    r.out_tiles = mg_rhs_tiles(out[0]->capacity);
    const unsigned grid = (unsigned)mg_sites(a), threads = threads_of(r);
    if (p->precision == NAIK_HALF) {
        restrict_kernel<mg_half><<<grid, threads, room_of(r), mg_stream(a)>>>(r);
    } else {
        restrict_kernel<mg_single><<<grid, threads, room_of(r), mg_stream(a)>>>(r);
    }
    return GPU_LAUNCHED(mg_backend(a), "restricting to the coarse lattice");
}

naik_status gpu_galerkin(const naik_transfer *p, naik_parity parity, const naik_field *w, int k,
                         int column, float s, naik_coarse_links *m)
{
    const naik_aggregates *a = p->aggregates;
    restrict_params r = params_of(p, parity, w);
    for (int c = 0; c < 2; c++) {
        r.across[c] = gpu_aggregates_of(a)->across[c];
    }
    r.matrices = (float *)m->data;
    r.tiles = mg_tiles(m->components);
    r.k = k;
    r.column = column;
    r.s = s;
    const unsigned grid = (unsigned)mg_sites(a), threads = threads_of(r);
    if (p->precision == NAIK_HALF) {
        galerkin_kernel<mg_half><<<grid, threads, room_of(r), mg_stream(a)>>>(r);
    } else {
        galerkin_kernel<mg_single><<<grid, threads, room_of(r), mg_stream(a)>>>(r);
    }
    return GPU_LAUNCHED(mg_backend(a), "making coarse matrices");
}
