/* clover_loop.c - clover blocks and their inverses on the host, a site at a time */
#include "base/clones.h"
#include "links/ghosted.h"
#include "links/host_loops.h"

#define INLINE static inline
typedef naik_ghosted clover_links; /* [NAIK_DIM] */

INLINE naik_matrix link_at(const clover_links *u, int of, const int x[NAIK_DIM], int mu, int a,
                           int nu, int b)
{
    const naik_ghosted_plan *plan = u[of].plan;
    int y[NAIK_DIM] = {x[0], x[1], x[2], x[3]};
    naik_matrix out;
    y[mu] += a;
    y[nu] += b;
    for (int k = 0; k < NAIK_DIM; k++) {
        if (plan->pad[k] == 0) {
            y[k] = (y[k] + plan->box[k]) % plan->box[k];
        }
    }
    const double *from = naik_ghosted_at(&u[of], y);
    for (int i = 0; i < 9; i++) {
        out.e[i / 3][i % 3] = (naik_complex){from[2 * i * (int)NAIK_ROW_SITES],
                                             from[(2 * i + 1) * (int)NAIK_ROW_SITES]};
    }
    return out;
}

#include "links/clover_site.inc"

/* What is known of some blocks. */
typedef struct findings {
    int pivoted, singular;
    double largest[2]; /* bounds of |A|, |inverse| */
} findings;

NAIK_CLONES static findings make_site(const naik_ghosted u[NAIK_DIM], const int x[NAIK_DIM],
                                      double diagonal, double twisted_mass, double csw,
                                      naik_block *block, naik_block *inverse)
{
    findings found = {.pivoted = 0};
    naik_matrix f[CLOVER_PLANES];
    for (int plane = 0; plane < CLOVER_PLANES; plane++) {
        f[plane] = field_strength(u, x, plane);
    }
    for (int k = 0; k < NAIK_SITE_BLOCKS; k++) {
        block[k] = clover_block(diagonal, csw, f, k);
        const naik_block_way way = naik_block_invert(&block[k], twisted_mass, &inverse[k]);
        found.pivoted += way == NAIK_BLOCK_PIVOTED;
        found.singular += way == NAIK_BLOCK_SINGULAR;
        found.largest[0] = fmax(found.largest[0], naik_block_largest_row(&block[k]));
        found.largest[1] = fmax(found.largest[1], naik_block_largest_row(&inverse[k]));
    }
    return found;
}

naik_status naik_clover_loop(const naik_ghosted *u, double diagonal, double csw,
                             naik_clover *clover, int64_t *singular)
{
    const naik_lattice *lat = clover->lattice;
    int64_t pivoted = 0, first = lat->volume;
    double largest = 0, largest_inverse = 0;
#pragma omp parallel for schedule(static) reduction(+ : pivoted) reduction(min : first) \
    reduction(max : largest, largest_inverse)
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lat, site, x);
        const findings found = make_site(u, x, diagonal, clover->twisted_mass, csw,
                                         clover->block[site], clover->inverse[site]);
        const int64_t global = naik_lattice_global(lat, x);
        pivoted += found.pivoted;
        first = found.singular > 0 && global < first ? global : first;
        largest = fmax(largest, found.largest[0]);
        largest_inverse = fmax(largest_inverse, found.largest[1]);
    }
    clover->pivoted = pivoted;
    clover->largest = largest;
    clover->largest_inverse = largest_inverse;
    *singular = first;
    return NAIK_OK;
}
