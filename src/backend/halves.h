/* halves.h - half spinors: what a face needs of a spinor
 *
 * A hop of Wilson's D takes two rows of its neighbour's spinor psi, from which the others follow behind
 * the link:
 *
 *   (1 +- g_mu) psi:   h0 = p0 + f0 p_a,  h1 = p1 + f1 p_b
 *
 * They are added up before they travel, and lie in the halo as the spinor (h0, h1, 0, 0), whose own
 * projection they are: kernels read it as any other and come to the same bits. (That sum may lose the
 * sign of a zero, which has no bearing on sums that begin with +0.)
 *
 * Spinors of 16-bit numbers travel whole: h0 is the sum of two vectors with a unit each, which no 16-bit
 * numbers of one unit hold, and the bits would depend on the process grid.
 */
#ifndef NAIK_BACKEND_HALVES_H
#define NAIK_BACKEND_HALVES_H

#include "backend/field.h"
#include "base/hd.h"

/* Row h_row of (1 + sign g_mu) psi: p_row + factor p_other, or with i times the factor. */
typedef struct naik_half_row {
    int other, factor;
    bool imaginary;
} naik_half_row;

NAIK_HD static inline naik_half_row naik_half_row_of(int mu, int sign, int row)
{
    const bool negative = (mu == 1 && row == 0) || (mu == 2 && row == 1);
    naik_half_row out;
    out.other = mu < 2 ? NAIK_SPIN - 1 - row : NAIK_SPIN / 2 + row;
    out.factor = negative ? -sign : sign;
    out.imaginary = mu % 2 == 0;
    return out;
}

/* Sign of g_mu in what the halo zone on `side` holds: a hop forward has 1 - g_mu in D, 1 + g_mu in
 * D^+. */
static inline int naik_zone_sign(naik_halves halves, int side)
{
    return (side == NAIK_BACKWARD) == (halves == NAIK_HALVES) ? 1 : -1;
}

/* Colour vectors that travel of an rhs of `spin` of them, for Wilson's D and for the staggered one. */
static inline int naik_travelling_vectors(naik_precision precision, int spin)
{
    return spin == NAIK_SPIN && precision != NAIK_HALF ? NAIK_SPIN / 2 : spin;
}

/* Colour vectors of a site that travel with these layers. */
static inline int naik_layer_vectors(const naik_field *field, const naik_layers *layers)
{
    return layers->halves == NAIK_WHOLE ? naik_field_vectors(field) : field->nrhs * (NAIK_SPIN / 2);
}

#endif
