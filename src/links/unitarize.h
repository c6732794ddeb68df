/* unitarize.h - the projections of HISQ: to U(3), W = V (V^+ V)^(-1/2), and to SU(3)
 *
 * Analytic by Cayley-Hamilton (A. Hasenfratz, R. Hoffmann, S. Schaefer, JHEP 05 (2007) 029), with a
 * singular value decomposition where |det V|^2 is small or disagrees with the eigenvalues of V^+ V.
 */
#ifndef NAIK_LINKS_UNITARIZE_H
#define NAIK_LINKS_UNITARIZE_H

#include <stdint.h>

#include "lattice/su3.h"
#include "links/rows.h"

/* Below this share of the largest singular value the least one is rounding, and the directions that
 * belong to it are nobody's: any unitary matrix of a circle of them is as near to v. */
#define NAIK_PROJECTION_LEAST 1e-10

typedef enum naik_projection {
    NAIK_PROJECTION_SERIES,   /* by Cayley-Hamilton */
    NAIK_PROJECTION_SVD,      /* by the fallback */
    NAIK_PROJECTION_ARBITRARY /* by the fallback, and the result is not unique */
} naik_projection;

/* The U(3) matrix nearest to v, and how it was found. v need not be regular: for a singular v the
 * result is still unitary, though arbitrary. NaN in, NaN out. */
naik_matrix naik_unitarize(const naik_matrix *v, naik_projection *how);
/* The unitary w times a phase: with the determinant of the thin link u that it was smeared from. Of
 * the three such phases it is the one nearest to 1; where two of them are, *how becomes
 * NAIK_PROJECTION_ARBITRARY. As u carries the staggered phase and the sign of the boundary, which its
 * cube keeps, the link without them is in SU(3). NaN in, or u without a determinant: NaN out. */
naik_matrix naik_special_unitarize(const naik_matrix *w, const naik_matrix *u,
                                   naik_projection *how);
/* naik_unitarize of the first n sites of a row, bit for bit; w is not v. Adds how many took the fallback to
 * count[0], and how many of them are arbitrary to count[1]. */
void naik_unitarize_row(const naik_row *v, int n, naik_row *w, int64_t count[2]);

#endif
