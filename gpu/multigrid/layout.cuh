/* layout.cuh - where the numbers of P, of coarse vectors and of coarse matrices lie
 *
 * Coarse vectors and matrices lie in tiles, in the order in which the lanes of a matrix unit take them:
 * a group of 32 threads reads a tile with accesses of 16 bytes side by side.
 *
 *   vector   [site][tile of 16 components][tile of 4 rhs][lane 32][4] float
 *            lane 4 g + t has part g % 2 (re, im) of rhs g / 2 and components 2t, 2t+1, 2t+8, 2t+9
 *   matrix   [site][9][tile of 16 rows][tile of 16 columns][re, im][lane 32][8] 16-bit integers or floats
 *            lane 4 g + t has rows g, g+8 in columns 2t, 2t+1, then in columns 2t+8, 2t+9
 *   P        [fine parity][coarse site][member][chirality][row of spin 2][UNITS][column] units
 *
 * 16-bit integers of matrices are kept as q + 2^15 (prec.cuh), scales in an array behind all matrices.
 * Rows and columns that pad a tile are 0.
 */
#ifndef NAIK_GPU_MULTIGRID_LAYOUT_CUH
#define NAIK_GPU_MULTIGRID_LAYOUT_CUH

#include "gpu/fields/prec.cuh"
#include "gpu/multigrid/multigrid.h"

enum {
    MG_GROUP = 32, /* lanes that share a tile */
    MG_TILE = 16,  /* components */
    MG_RHS = 4,    /* rhs a tile */
    MG_RHS_TILES_MOST = NAIK_MG_WIDTH / MG_RHS,
    MG_VECTOR_TILE = 2 * MG_TILE * MG_RHS, /* numbers of a tile */
    MG_MATRIX_TILE = 2 * MG_TILE * MG_TILE,
    MG_CHIRAL_ROWS = 2 /* colour vectors of a chirality of a spinor */
};

NAIK_HD static inline int mg_tiles(int components)
{
    return (components + MG_TILE - 1) / MG_TILE;
}
NAIK_HD static inline int mg_rhs_tiles(int nrhs)
{
    return (nrhs + MG_RHS - 1) / MG_RHS;
}

/* Where a number lies in a site of a coarse vector that has `rhs_tiles` tiles of rhs. */
NAIK_HD static inline int mg_vector_place(int component, int c, int part, int rhs_tiles)
{
    const int k = component % MG_TILE, g = 2 * (c % MG_RHS) + part;
    const int lane = 4 * g + k % 8 / 2;
    return ((component / MG_TILE * rhs_tiles + c / MG_RHS) * MG_GROUP + lane) * 4 + k % 2 +
           2 * (k / 8);
}

/* Where a number lies in a matrix of `tiles`^2 tiles. */
NAIK_HD static inline int mg_matrix_place(int row, int column, int part, int tiles)
{
    const int r = row % MG_TILE, k = column % MG_TILE, lane = 4 * (r % 8) + k % 8 / 2;
    return (((row / MG_TILE * tiles + column / MG_TILE) * 2 + part) * MG_GROUP + lane) * 8 + k % 2 +
           2 * (r / 8) + 4 * (k / 8);
}
NAIK_HD static inline size_t mg_matrix_numbers(int tiles)
{
    return (size_t)tiles * (size_t)tiles * MG_MATRIX_TILE;
}
static inline size_t mg_number_bytes(naik_precision precision)
{
    return precision == NAIK_HALF ? sizeof(uint16_t) : sizeof(float);
}

/* Coarse sites of the box, of both parities; the first of a parity among them. */
static inline int mg_sites(const naik_aggregates *a)
{
    return a->count[0] + a->count[1];
}
static inline int mg_first(const naik_aggregates *a, naik_parity parity)
{
    return parity == NAIK_EVEN ? 0 : a->count[0];
}

/* Matrices of the sites of a parity, and their scales. */
static inline char *mg_matrices(const naik_coarse_links *m, naik_parity parity)
{
    return (char *)m->data + (size_t)mg_first(m->aggregates, parity) * NAIK_MG_MATRICES *
                                 mg_matrix_numbers(mg_tiles(m->components)) *
                                 mg_number_bytes(m->precision);
}
static inline float *mg_scales(const naik_coarse_links *m, naik_parity parity)
{
    const size_t numbers = (size_t)mg_sites(m->aggregates) * NAIK_MG_MATRICES *
                           mg_matrix_numbers(mg_tiles(m->components));
    return (float *)((char *)m->data + numbers * mg_number_bytes(m->precision)) +
           (size_t)mg_first(m->aggregates, parity) * NAIK_MG_MATRICES;
}

/* What a backend keeps of aggregates: copies of their arrays, all in one piece of device memory. */
typedef struct gpu_aggregates {
    void *memory;
    int32_t *member[2], *neighbour[2];
    uint8_t *across[2];
    int64_t *global[2];
    int32_t *send[2][NAIK_DIM][2];
} gpu_aggregates;

static inline const gpu_aggregates *gpu_aggregates_of(const naik_aggregates *a)
{
    return (const gpu_aggregates *)a->tables;
}
static inline naik_backend *mg_backend(const naik_aggregates *a)
{
    return a->geometry->backend;
}
static inline gpu_stream mg_stream(const naik_aggregates *a)
{
    return gpu_state_of(mg_backend(a))->stream;
}

/* P: a colour vector is UNITS units, each `vectors` units behind the one before. */
struct mg_single {
    typedef float2 unit;
    enum { UNITS = 3 };
    __device__ static inline colour_vector<float> unpack(const unit (&u)[UNITS])
    {
        return {{{u[0].x, u[0].y}, {u[1].x, u[1].y}, {u[2].x, u[2].y}}};
    }
};
struct mg_half {
    typedef uint4 unit;
    enum { UNITS = 1 };
    __device__ static inline colour_vector<float> unpack(const unit (&u)[UNITS])
    {
        return vec_half::unpack(u[0]);
    }
};

/* Units of a site of P. */
template <class P> NAIK_HD static inline size_t mg_site_units(int vectors)
{
    return (size_t)(2 * MG_CHIRAL_ROWS * P::UNITS) * (size_t)vectors;
}

/* P of one fine parity in the device's memory. */
typedef struct mg_transfer {
    const char *data;
    int vectors, fine;
    int count[2]; /* coarse sites */
    const int32_t *member[2];
    int parity; /* fine */
} mg_transfer;

static inline mg_transfer mg_transfer_of(const naik_transfer *p, naik_parity parity)
{
    const naik_aggregates *a = p->aggregates;
    const gpu_aggregates *tables = gpu_aggregates_of(a);
    mg_transfer t = {};
    t.data = (const char *)p->data + (parity == NAIK_EVEN ? 0 : p->size_bytes / 2);
    t.vectors = p->vectors;
    t.fine = a->fine;
    t.parity = (int)parity;
    for (int c = 0; c < 2; c++) {
        t.count[c] = a->count[c];
        t.member[c] = tables->member[c];
    }
    return t;
}

/* Coarse site of both parities together for the `n`th of as many blocks. Sites of the same number follow each
 * other: they are neighbours in x, and parts of the same sectors of memory belong to them. */
__device__ static inline int mg_block_site(const mg_transfer &t, int n)
{
    const int pairs = t.count[0] < t.count[1] ? t.count[0] : t.count[1];
    if (n < 2 * pairs) {
        return n / 2 + (n % 2 == 0 ? 0 : t.count[0]);
    }
    return t.count[0] > t.count[1] ? n - pairs : n;
}

/* Checkerboard numbers of the members of coarse site `site` of both parities together. */
__device__ static inline const int32_t *mg_members(const mg_transfer &t, int site)
{
    const int odd = site >= t.count[0];
    return (odd ? t.member[1] : t.member[0]) +
           ((size_t)(site - (odd ? t.count[0] : 0)) * 2 + t.parity) * t.fine;
}

/* Where member `s` of a coarse site begins. */
template <class P>
__device__ static inline const typename P::unit *mg_site(const mg_transfer &t, int site, int s)
{
    return (const typename P::unit *)t.data +
           ((size_t)site * t.fine + s) * mg_site_units<P>(t.vectors);
}

/* Column `column` of spin row `row` of a chirality. */
template <class P>
__device__ static inline colour_vector<float> mg_load(const typename P::unit *site, int vectors,
                                                      int chirality, int row, int column)
{
    typename P::unit u[P::UNITS];
#pragma unroll
    for (int i = 0; i < P::UNITS; i++) {
        u[i] = site[(size_t)((chirality * MG_CHIRAL_ROWS + row) * P::UNITS + i) * vectors + column];
    }
    return P::unpack(u);
}

/* Where the colour vector of a spin lies in a field in single precision. */
__device__ static inline size_t mg_field_offset(int cb, int c, int spin, int nrhs)
{
    return vec_offset<vec_single>(cb, c * NAIK_SPIN + spin, nrhs * NAIK_SPIN);
}

#endif
