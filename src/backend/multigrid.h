/* multigrid.h - what a backend does of multigrid: aggregates, P, coarse vectors, the coarse operator
 *
 * The fine lattice is cut into equal boxes, the aggregates; an aggregate is a site of the coarse lattice.
 * P has `vectors` columns an aggregate and chirality (spins 0, 1 and 2, 3): N = 2 vectors components of a
 * coarse site, those of spins 0, 1 first. Rows of a fine site are 3 spin + colour.
 *
 *   M_c = P^+ M P = X + sum_k Y_k,   k a point of the lattice: 0..3 forward, 4..7 backward along mu
 *   Z_k = X^-1 Y_k,   S = 1 - Z_pq Z_qp on the coarse sites of one parity
 *
 * Coarse sites are numbered within their parity, that of their global coarse coordinates, in lexicographic
 * order of the box, x fastest; then the neighbours' sites in the order of the halo below. Sums inside an
 * aggregate or a coarse site run in fixed order, so that no bit depends on the grid, or on what else is in
 * the batch. All arithmetic is single but where it says double. Layouts are the backend's, with one site's
 * numbers in one piece: half precision is 16-bit integers with one float scale, of P a site and column, of
 * a coarse matrix the whole matrix.
 */
#ifndef NAIK_BACKEND_MULTIGRID_H
#define NAIK_BACKEND_MULTIGRID_H

#include "backend/field.h"
#include "base/hd.h"

enum { NAIK_MG_VECTORS_MOST = 48, NAIK_MG_WIDTH = 16, NAIK_MG_POINTS = 8 };

/* The cut of this rank's box. Arrays are of the host; a backend keeps copies of its own in `tables`. */
typedef struct naik_aggregates {
    const naik_geometry *geometry; /* borrowed */
    int extent[NAIK_DIM];          /* of an aggregate; aggregates begin at multiples of it */
    int size[NAIK_DIM];            /* of the coarse lattice: 1, or even */
    int local[NAIK_DIM], origin[NAIK_DIM]; /* of the box, in coarse sites */
    int32_t count[2]; /* coarse sites of the box of a parity; may differ, may be 0 */
    int32_t halo[2];  /* and of the neighbours */
    int32_t fine;     /* sites of one parity in an aggregate */
    /* [coarse parity] */
    int32_t
        *member[2]; /* [count][2][fine]: checkerboard numbers of its even, then of its odd sites,
                              each in lexicographic order inside the aggregate */
    uint8_t *across[2]; /* [count][2][fine]: bit k: point k of that site is in another aggregate */
    int32_t
        *neighbour[2];  /* [count][8]: number of the coarse site there, of the other parity, or halo
                              site of it; -1 where the lattice is one aggregate deep: that hop is in X */
    int64_t *global[2]; /* [count]: lexicographic number on the whole coarse lattice */
    /* What travels along split directions: the zone (mu, side) of parity c begins at halo site zone[c]
     * (counted from 0 behind the box's), has face[c] sites, and is filled with `face` sites of the
     * neighbour on that side: those it lists in send[c][mu][!side]. */
    int32_t zone[2][NAIK_DIM][2], face[2][NAIK_DIM][2], sends[2][NAIK_DIM][2];
    int32_t *send[2][NAIK_DIM][2]; /* [sends]: coarse sites that the neighbour on `side` wants */
    void *tables;                  /* the backend's */
} naik_aggregates;

/* P, or its columns while they are made. */
typedef struct naik_transfer {
    const naik_aggregates *aggregates; /* borrowed */
    int vectors;
    naik_precision precision; /* NAIK_SINGLE, NAIK_HALF */
    size_t size_bytes;
    void *data; /* backend memory */
    void *work; /* backend memory of work_bytes; NULL where that is 0 */
} naik_transfer;

/* Coarse vectors of NAIK_MG_WIDTH or fewer rhs on one parity of the coarse lattice with its halo. Which
 * parity is said by each call. */
typedef struct naik_coarse {
    const naik_aggregates *aggregates; /* borrowed */
    int components;                    /* N */
    int nrhs;                          /* in use; at most `capacity` */
    int capacity;
    size_t site_bytes; /* sites follow each other at this distance */
    void *data;        /* backend memory */
} naik_coarse;

/* X, Y_k as they are made, or X^-1 and Z_k as they are used: nine matrices a site. */
enum { NAIK_MG_LOCAL = NAIK_MG_POINTS, NAIK_MG_MATRICES };
typedef struct naik_coarse_links {
    const naik_aggregates *aggregates; /* borrowed */
    int components;
    naik_precision precision; /* NAIK_SINGLE, NAIK_HALF */
    size_t size_bytes;
    void *data; /* backend memory: both parities, [site][NAIK_MG_MATRICES] */
} naik_coarse_links;

/* What an orthonormalisation met. */
typedef struct naik_orthonormal {
    double least; /* what was left of a column's part in an aggregate, of its length, at least */
    int64_t replaced; /* parts of which too little was left, so that noise took their place */
} naik_orthonormal;
/* A part of which less than this is left is noise. */
#define NAIK_MG_ALIKE 1e-3

/* That noise: row `row` (3 spin + colour) of the member `site` (even ones first) of the aggregate with the
 * global number `global`, column `column` of N; re and im in (-1, 1), on every backend alike. */
NAIK_HD static inline void naik_mg_noise(int64_t global, int site, int row, int column,
                                         float out[2])
{
    uint64_t h = (uint64_t)global * 0x9e3779b97f4a7c15u + (uint64_t)site * 0xbf58476d1ce4e5b9u +
                 (uint64_t)row * 0x94d049bb133111ebu + (uint64_t)column * 0xd6e8feb86659fd93u + 1;
    for (int i = 0; i < 2; i++) {
        h ^= h >> 30;
        h *= 0xbf58476d1ce4e5b9u;
        h ^= h >> 27;
        h *= 0x94d049bb133111ebu;
        h ^= h >> 31;
        out[i] = (float)((int32_t)(h >> 40) - (1 << 23)) * 0x1p-23f;
    }
}

/* Fields are spinors in single, with the rhs that the coarse vectors have. Nothing here exchanges
 * anything between ranks. */
typedef struct naik_multigrid_ops {
    naik_status (*aggregates_open)(naik_aggregates *aggregates);
    void (*aggregates_close)(naik_aggregates *aggregates);

    size_t (*transfer_bytes)(const naik_aggregates *a, int vectors, naik_precision precision);
    size_t (*work_bytes)(const naik_aggregates *a, int vectors);
    /* Columns first, first + 1, ... of P (single) become the rhs of v on the fine sites of `parity`:
     * of both chiralities, each its part. */
    naik_status (*set_columns)(naik_transfer *p, naik_parity parity, int first,
                               const naik_field *v);
    /* The way back, of one chirality, the other rows are 0. Of any precision. */
    naik_status (*get_columns)(const naik_transfer *p, naik_parity parity, int chirality, int first,
                               naik_field *v);
    /* In every aggregate and chirality, in order, in double: what is left of a column without its parts
     * along those before it, twice, with length 1. P in single. Of this rank. */
    naik_status (*orthonormalise)(naik_transfer *p, naik_orthonormal *out);
    /* to (half) = from (single) */
    naik_status (*compress)(naik_transfer *to, const naik_transfer *from);
    /* out[c] = P_p^+ v, c the parities of the coarse lattice, p = `parity` of the fine sites read. */
    naik_status (*restrict_to)(const naik_transfer *p, naik_parity parity, const naik_field *v,
                               naik_coarse *const out[2]);
    /* v = P_p e, all sites of the fine parity p. */
    naik_status (*prolong)(const naik_transfer *p, naik_parity parity,
                           const naik_coarse *const e[2], naik_field *v);

    /* Rhs irhs of v, in double or single, on `parity`: at each site what naik_mg_noise says of its
     * global number, of `seed` in the place of a member, and of column `stream`. NULL: the host makes
     * noise of its own. */
    naik_status (*noise)(naik_field *v, naik_parity parity, int irhs, uint64_t seed,
                         uint32_t stream);

    /* All numbers of a coarse vector become 0. NULL: the host may touch the memory. */
    naik_status (*coarse_clear)(naik_coarse *v, size_t size_bytes);
    size_t (*links_bytes)(const naik_aggregates *a, int components, naik_precision precision);
    /* All numbers become 0. NULL: the host may touch the memory. */
    naik_status (*clear)(naik_coarse_links *m);
    /* Columns column, column + 1, ... (of N, in single) of Y_k += s P_p^+ w on the sites of which bit k of
     * `across` is set and of X += s P_p^+ w on the others, p the fine parity of w, where w is the hop along
     * point k of the same columns of P. k = NAIK_MG_LOCAL: all sites into X. That comes first, then the points in their
     * order, all of the same columns, before another call that uses p: X may change with the last of them. */
    naik_status (*galerkin)(const naik_transfer *p, naik_parity parity, const naik_field *w, int k,
                            int column, float s, naik_coarse_links *m);
    /* to = X^-1 and Z_k of from (single): by pivots, in double. *singular: sites whose X is not
     * invertible, of this rank. */
    naik_status (*invert)(const naik_coarse_links *from, naik_coarse_links *to, int64_t *singular);
    /* Backend memory that this takes meanwhile; NULL: none. */
    size_t (*invert_bytes)(const naik_aggregates *a, int components);

    size_t (*site_bytes)(int components, int capacity);
    /* Sites `list` (host) of v, one behind the other, into `buffer`: backend memory, or a
     * neighbour's that is mapped here. */
    naik_status (*pack)(const naik_coarse *v, const naik_aggregates *a, naik_parity parity, int mu,
                        int side, void *buffer);
    /* out = sum_k m_k in, or v - sum_k m_k in, on the coarse sites of `parity`, `in` on the other with its
     * halo; out may be v, not in. */
    naik_status (*dslash)(const naik_coarse_links *m, naik_parity parity, const naik_coarse *in,
                          const naik_coarse *v, naik_coarse *out);
    /* out = matrix `which` in, site by site; not aliased. */
    naik_status (*multiply)(const naik_coarse_links *m, int which, naik_parity parity,
                            const naik_coarse *in, naik_coarse *out);
    /* products [count][nrhs][2] in backend memory, overwritten, of this rank: re and im of
     * sum_sites round(scale[j][c] (v_j, w)_c at the site), summed at a site in double in fixed order;
     * scale [count][nrhs] on the host, powers of two, such that |v_j| |w| scale < 2^61;
     * 0: 0. */
    naik_status (*products)(const naik_coarse *const *v, int count, const naik_coarse *w,
                            naik_parity parity, const double *scale, int64_t *products);
    /* w_c = a_c w_c + sum_j v_j,c b[j][c], in order of j, a term with b = 0 left out; a [nrhs], b
     * [count][nrhs][2] on the host; a = 1 with all b = 0 leaves w_c as it is, a = 0 does not read it. */
    naik_status (*update)(naik_coarse *w, naik_parity parity, const double *a,
                          const naik_coarse *const *v, int count, const double *b);
    /* The same two with vectors that all rhs of w share: vector i is an rhs of one of `blocks` coarse vectors,
     * counted through all of them, which have the capacity of w. cross: products [vectors][nrhs][2], scale
     * [vectors][nrhs], summed at a site in single in fixed order. mix: w_c += sum_i v_i b[i][c], in order of
     * i, b [vectors][nrhs][2] on the host. */
    naik_status (*cross)(const naik_coarse *const *v, int blocks, const naik_coarse *w,
                         naik_parity parity, const double *scale, int64_t *products);
    naik_status (*mix)(naik_coarse *w, naik_parity parity, const naik_coarse *const *v, int blocks,
                       const double *b);
    /* One rhs of coarse vectors to and from the host, [count][components][2] double: for tests. */
    naik_status (*coarse_from_host)(naik_coarse *v, naik_parity parity, int irhs,
                                    const double *sites);
    naik_status (*coarse_to_host)(const naik_coarse *v, naik_parity parity, int irhs,
                                  double *sites);
} naik_multigrid_ops;

#endif
