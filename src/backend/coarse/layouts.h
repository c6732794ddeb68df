/* layouts.h - how the CPU stores P, coarse vectors and the coarse operator
 *
 * Aggregates are numbered, the even ones first.
 *
 * P:       [aggregate][fine parity][chirality][fine][6][vectors][2]; of 16 bits, scales behind it,
 *          [aggregate][fine parity][chirality][fine][vectors]
 * Fields:  of one parity, turned into [aggregate][chirality][fine][6][2][16] in work, which has room for two
 * Coarse:  [site][N][2][16]
 * Links:   [site][9][N columns][N rows][2], parities one after the other; of 16 bits, scales [site][9]
 *          behind it
 */
#ifndef NAIK_BACKEND_COARSE_LAYOUTS_H
#define NAIK_BACKEND_COARSE_LAYOUTS_H

#include "backend/cpu/cpu.h"
#include "backend/cpu/multigrid.h"
#include "backend/multigrid.h"

enum {
    MG_ROWS = 6, /* of a chirality of a fine site */
    MG_COMPONENTS_MOST = 2 * NAIK_MG_VECTORS_MOST
};

/* The kernels of the instruction set at work. */
const cpu_multigrid *cpu_multigrid_of(const naik_geometry *geometry);

/* Where the checkerboard sites of each parity lie in fields, and in aggregates. */
typedef struct mg_tables {
    int32_t *slot[2]; /* [cells][lanes]: aggregate times fine + member */
} mg_tables;

static inline int32_t mg_aggregates(const naik_aggregates *a)
{
    return a->count[0] + a->count[1];
}
static inline int32_t mg_first(const naik_aggregates *a, int parity)
{
    return parity == 0 ? 0 : a->count[0];
}

/* Numbers of P before those of a chirality of an aggregate and fine parity. */
static inline size_t mg_columns_at(const naik_transfer *p, int32_t aggregate, int parity,
                                   int chirality)
{
    return (((size_t)aggregate * 2 + (size_t)parity) * 2 + (size_t)chirality) *
           (size_t)p->aggregates->fine * MG_ROWS * (size_t)p->vectors * 2;
}
static inline float *mg_transfer_scales(const naik_transfer *p)
{
    return (float *)((int16_t *)p->data + mg_columns_at(p, mg_aggregates(p->aggregates), 0, 0));
}

static inline float *mg_site(const naik_coarse *v, int32_t site)
{
    return (float *)((char *)v->data + (size_t)site * v->site_bytes);
}

static inline size_t mg_matrix_numbers(const naik_coarse_links *m)
{
    return (size_t)m->components * (size_t)m->components * 2;
}
/* Of all matrices of this rank, those of a site of a parity. */
static inline size_t mg_matrix_at(const naik_coarse_links *m, int parity, int32_t site, int which)
{
    return (size_t)(mg_first(m->aggregates, parity) + site) * NAIK_MG_MATRICES + (size_t)which;
}
static inline float *mg_links_scales(const naik_coarse_links *m)
{
    return (float *)((int16_t *)m->data +
                     mg_matrix_at(m, 0, mg_aggregates(m->aggregates), 0) * mg_matrix_numbers(m));
}

/* turn.c: the entries of aggregates; v to work, its other rhs 0, and back. */
naik_status mg_aggregates_open(naik_aggregates *a);
void mg_aggregates_close(naik_aggregates *a);
void mg_turn_in(const naik_aggregates *a, naik_parity parity, const naik_field *v, float *work);
/* Spinors of sites whose point k is in another aggregate to `outside`; s times the others are added to `inside`, or become
 * it, k = NAIK_MG_LOCAL: numbers as they lie in v. */
void mg_turn_apart(const naik_aggregates *a, naik_parity parity, const naik_field *v, int k,
                   float s, float *inside, float *outside);
void mg_turn_out(const naik_aggregates *a, naik_parity parity, const float *work, naik_field *v);

/* columns.c */
size_t mg_transfer_bytes(const naik_aggregates *a, int vectors, naik_precision precision);
size_t mg_work_bytes(const naik_aggregates *a, int vectors);
naik_status mg_set_columns(naik_transfer *p, naik_parity parity, int first, const naik_field *v);
naik_status mg_get_columns(const naik_transfer *p, naik_parity parity, int chirality, int first,
                           naik_field *v);
naik_status mg_compress(naik_transfer *to, const naik_transfer *from);
naik_status mg_restrict_to(const naik_transfer *p, naik_parity parity, const naik_field *v,
                           naik_coarse *const out[2]);
naik_status mg_prolong(const naik_transfer *p, naik_parity parity, const naik_coarse *const e[2],
                       naik_field *v);
naik_status mg_galerkin(const naik_transfer *p, naik_parity parity, const naik_field *w, int k,
                        int column, float s, naik_coarse_links *m);
/* dense.c */
naik_status mg_orthonormalise(naik_transfer *p, naik_orthonormal *out);
naik_status mg_invert(const naik_coarse_links *from, naik_coarse_links *to, int64_t *singular);
/* coarse.c */
size_t mg_links_bytes(const naik_aggregates *a, int components, naik_precision precision);
size_t mg_site_bytes(int components, int capacity);
naik_status mg_pack(const naik_coarse *v, const naik_aggregates *a, naik_parity parity, int mu,
                    int side, void *buffer);
naik_status mg_dslash(const naik_coarse_links *m, naik_parity parity, const naik_coarse *in,
                      const naik_coarse *v, naik_coarse *out);
naik_status mg_multiply(const naik_coarse_links *m, int which, naik_parity parity,
                        const naik_coarse *in, naik_coarse *out);
naik_status mg_products(const naik_coarse *const *v, int count, const naik_coarse *w,
                        naik_parity parity, const double *scale, int64_t *products);
naik_status mg_update(naik_coarse *w, naik_parity parity, const double *a,
                      const naik_coarse *const *v, int count, const double *b);
naik_status mg_cross(const naik_coarse *const *v, int blocks, const naik_coarse *w,
                     naik_parity parity, const double *scale, int64_t *products);
naik_status mg_mix(naik_coarse *w, naik_parity parity, const naik_coarse *const *v, int blocks,
                   const double *b);
naik_status mg_coarse_from_host(naik_coarse *v, naik_parity parity, int irhs, const double *sites);
naik_status mg_coarse_to_host(const naik_coarse *v, naik_parity parity, int irhs, double *sites);

#endif
