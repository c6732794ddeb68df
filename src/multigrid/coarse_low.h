/* coarse_low.h - low vectors of the coarse operator, which all right-hand sides of its solver share
 *
 * Test vectors of a setup are near null on the coarse lattice, too. With S u_i = w_i, the w_i orthonormal, the part
 * of a residual along the w_i goes at once, and GCR searches beside them: it takes most of its steps for what they
 * span. The vectors are made for each mass anew, of those that the setup found.
 */
#ifndef NAIK_MULTIGRID_COARSE_LOW_H
#define NAIK_MULTIGRID_COARSE_LOW_H

#include "backend/multigrid.h"
#include "multigrid/gram.h"
#include "multigrid/transfer.h"

enum { NAIK_MG_LOW_BLOCKS = (NAIK_MG_VECTORS_MOST + NAIK_MG_BLOCK - 1) / NAIK_MG_BLOCK };

/* Vectors are the rhs of `blocks` coarse vectors, on the even coarse sites. */
typedef struct naik_coarse_low {
    const naik_aggregates *aggregates; /* borrowed */
    int count, blocks;
    bool used; /* u and w are what they are meant to be */
    naik_coarse *found[NAIK_MG_LOW_BLOCKS], *u[NAIK_MG_LOW_BLOCKS], *w[NAIK_MG_LOW_BLOCKS];
    naik_coarse *next[NAIK_MG_LOW_BLOCKS];                               /* scratch */
    double found_size[NAIK_MG_VECTORS_MOST], size[NAIK_MG_VECTORS_MOST]; /* |found|, |u| at most */
    int64_t *products; /* backend memory [count][NAIK_MG_BLOCK][2] */
    int64_t *sums;     /* the host's copy */
    naik_gram g, t;    /* of naik_coarse_low_part */
} naik_coarse_low;

/* Of `count` vectors, not used yet; width: rhs of the vectors they meet, those of a block at least. Collective. NAIK_ERR_MEMORY */
naik_status naik_coarse_low_create(const naik_aggregates *aggregates, int components, int count,
                                   int width, naik_coarse_low **out);
void naik_coarse_low_destroy(naik_coarse_low **low);
size_t naik_coarse_low_bytes(const naik_aggregates *aggregates, int components, int count,
                             int width);

/* Vectors of block b are a + b of the setup, |vector| at most `size`. */
naik_status naik_coarse_low_find(naik_coarse_low *low, int block, const naik_coarse *a,
                                 const naik_coarse *b, const double *size);
/* u = what was found, and not used. */
naik_status naik_coarse_low_begin(naik_coarse_low *low);
/* w = S u, |w_i| at most `bound` [count], become orthonormal, u goes with them; they are `used` then, unless they are
 * alike. Collective. */
naik_status naik_coarse_low_part(naik_coarse_low *low, const double *bound);

#endif
