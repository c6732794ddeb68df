/* gram.h - what makes vectors with a given Gram matrix orthonormal */
#ifndef NAIK_MULTIGRID_GRAM_H
#define NAIK_MULTIGRID_GRAM_H

#include <stdbool.h>

#include "backend/multigrid.h"

typedef double naik_gram[NAIK_MG_VECTORS_MOST][NAIK_MG_VECTORS_MOST][2];

/* t, upper triangular, such that t^+ g t = 1, g [n][n]; g is overwritten. False where vectors are alike to the last
 * digits. */
bool naik_gram_orthonormal(naik_gram g, int n, naik_gram t);

#endif
