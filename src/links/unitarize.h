/* unitarize.h - the U(3) projection of HISQ, W = V (V^+ V)^(-1/2)
 *
 * Analytic by Cayley-Hamilton (A. Hasenfratz, R. Hoffmann, S. Schaefer, JHEP 05 (2007) 029), with a
 * singular value decomposition where |det V|^2 is small or disagrees with the eigenvalues of V^+ V.
 */
#ifndef NAIK_LINKS_UNITARIZE_H
#define NAIK_LINKS_UNITARIZE_H

#include <stdbool.h>

#include "lattice/su3.h"
#include "links/rows.h"

/* The U(3) matrix nearest to v. *used_svd tells whether the fallback was taken. v need not be
 * regular: for a singular v the result is still unitary, though not unique. NaN in, NaN out. */
naik_matrix naik_unitarize(const naik_matrix *v, bool *used_svd);
/* The same for the first n sites of a row, bit for bit; w is not v. How many took the fallback. */
int naik_unitarize_row(const naik_row *v, int n, naik_row *w);

#endif
