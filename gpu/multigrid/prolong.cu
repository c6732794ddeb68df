/* prolong.cu - v = P e: a thread a spin row of a fine site and MG_RHS rhs, columns in their order
 *
 * A block has PROLONG_SITES members of an aggregate, and one chirality. Columns of P go through shared
 * memory, where they lie as the threads read them.
 */
#include "gpu/multigrid/layout.cuh"

enum {
    PROLONG_SITES = 32,
    PROLONG_COLUMNS = 24,
    PROLONG_MOST = PROLONG_SITES * 2 * MG_RHS_TILES_MOST
};

typedef struct prolong_params {
    mg_transfer p;
    const float *e[2];
    size_t site_numbers; /* of a coarse vector */
    int e_tiles;         /* tiles of rhs of its capacity */
    char *field;
    int nrhs, rhs_tiles;
} prolong_params;

/* Shared memory: [row][unit][column][member, one more than there are], then [column][rhs]. */
template <class P> struct prolong_room {
    typename P::unit p[MG_CHIRAL_ROWS * P::UNITS * PROLONG_COLUMNS * (PROLONG_SITES + 1)];
    float2 e[PROLONG_COLUMNS * NAIK_MG_WIDTH];
};

template <class P>
__device__ static inline void load_columns(const prolong_params &p, int site, int begin, int sites,
                                           int chirality, int first, int columns,
                                           prolong_room<P> &room)
{
    enum { ROWS = MG_CHIRAL_ROWS * P::UNITS };
    for (int n = (int)threadIdx.x; n < sites * ROWS * columns; n += (int)blockDim.x) {
        const int column = n % columns, row = n / columns % ROWS, s = n / (columns * ROWS);
        room.p[(row * PROLONG_COLUMNS + column) * (PROLONG_SITES + 1) + s] = mg_site<P>(
            p.p, site, begin + s)[(size_t)(chirality * ROWS + row) * p.p.vectors + first + column];
    }
    const int odd = site >= p.p.count[0], rhs = p.rhs_tiles * MG_RHS;
    const float *e =
        (odd ? p.e[1] : p.e[0]) + (size_t)(site - (odd ? p.p.count[0] : 0)) * p.site_numbers;
    for (int n = (int)threadIdx.x; n < columns * rhs; n += (int)blockDim.x) {
        const int component = chirality * p.p.vectors + first + n / rhs;
        room.e[n] = make_float2(e[mg_vector_place(component, n % rhs, 0, p.e_tiles)],
                                e[mg_vector_place(component, n % rhs, 1, p.e_tiles)]);
    }
}

template <class P>
__global__ void __launch_bounds__(PROLONG_MOST) prolong_kernel(const prolong_params p)
{
    __shared__ prolong_room<P> room;
    const int site = mg_block_site(p.p, (int)blockIdx.x), chirality = (int)blockIdx.y % 2;
    const int begin = (int)blockIdx.y / 2 * PROLONG_SITES, left = p.p.fine - begin;
    const int sites = left < PROLONG_SITES ? left : (int)PROLONG_SITES;
    const int s = (int)threadIdx.x % PROLONG_SITES, row = (int)threadIdx.x / PROLONG_SITES % 2;
    const int tile = (int)threadIdx.x / (2 * PROLONG_SITES), rhs = p.rhs_tiles * MG_RHS;
    colour_vector<float> sum[MG_RHS] = {};
    for (int first = 0; first < p.p.vectors; first += PROLONG_COLUMNS) {
        const int rest = p.p.vectors - first;
        const int columns = rest < PROLONG_COLUMNS ? rest : (int)PROLONG_COLUMNS;
        __syncthreads();
        load_columns(p, site, begin, sites, chirality, first, columns, room);
        __syncthreads();
        for (int i = 0; i < columns && s < sites; i++) {
            typename P::unit u[P::UNITS];
#pragma unroll
            for (int n = 0; n < P::UNITS; n++) {
                u[n] =
                    room.p[((row * P::UNITS + n) * PROLONG_COLUMNS + i) * (PROLONG_SITES + 1) + s];
            }
            const colour_vector<float> a = P::unpack(u);
            const float4 *e = (const float4 *)(room.e + i * rhs + tile * MG_RHS);
            const float4 w[2] = {e[0], e[1]};
#pragma unroll
            for (int c = 0; c < MG_RHS; c++) {
                const cplx<float> b = c % 2 == 0 ? cplx<float>{w[c / 2].x, w[c / 2].y}
                                                 : cplx<float>{w[c / 2].z, w[c / 2].w};
#pragma unroll
                for (int k = 0; k < 3; k++) {
                    sum[c].e[k] = mul_add(a.e[k], b, sum[c].e[k]);
                }
            }
        }
    }
    if (s < sites) {
        const int cb = mg_members(p.p, site)[begin + s];
#pragma unroll
        for (int c = 0; c < MG_RHS; c++) {
            if (tile * MG_RHS + c < p.nrhs) {
                vec_single::store(p.field + mg_field_offset(cb, tile * MG_RHS + c,
                                                            MG_CHIRAL_ROWS * chirality + row,
                                                            p.nrhs),
                                  sum[c]);
            }
        }
    }
}

naik_status gpu_prolong(const naik_transfer *p, naik_parity parity, const naik_coarse *const e[2],
                        naik_field *v)
{
    const naik_aggregates *a = p->aggregates;
    prolong_params r = {};
    r.p = mg_transfer_of(p, parity);
    for (int c = 0; c < 2; c++) {
        r.e[c] = (const float *)e[c]->data;
    }
    r.site_numbers = e[0]->site_bytes / sizeof(float);
    r.e_tiles = mg_rhs_tiles(e[0]->capacity);
    r.field = (char *)v->data;
    r.nrhs = v->nrhs;
    r.rhs_tiles = mg_rhs_tiles(v->nrhs);
    const unsigned pieces = (unsigned)((a->fine + PROLONG_SITES - 1) / PROLONG_SITES);
    const dim3 grid((unsigned)mg_sites(a), 2 * pieces);
    const unsigned threads = (unsigned)(2 * PROLONG_SITES * r.rhs_tiles);
    if (p->precision == NAIK_HALF) {
        prolong_kernel<mg_half><<<grid, threads, 0, mg_stream(a)>>>(r);
    } else {
        prolong_kernel<mg_single><<<grid, threads, 0, mg_stream(a)>>>(r);
    }
    return GPU_LAUNCHED(mg_backend(a), "interpolating from the coarse lattice");
}
