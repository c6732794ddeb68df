/* deflation.h - what low modes cost and save, in iterations of conjugate gradient
 *
 *   lambda_n = n / N           N modes in a unit of lambda: near zero the spectrum is linear
 *   solve    = 25 / sqrt(m^2 + lambda_n^2) + 2 n w (1 + log(tolerance) / log(again)) bits / 32
 *   search   = 9 N + 3.3 w n^2
 *
 * An application of D D in the search takes about as long as an iteration with vectors and links in
 * single precision, eight at a time: 1.12 times that of the model with 200 modes of 32^4 on an H200
 * (tests/results/h200.txt), all else of the search included. w is what reading a mode costs beside
 * it. The second terms, of deflating and of orthogonalising and rotating, are counted, not measured;
 * the dense problem of the search is left out.
 *
 * N is measured where there are modes: 23600 at 32^4, beta = 5.7. Before, the rule is 740 for each
 * time slice, which is that; slices of more sites are taken to be finer, not larger (4 Sigma V/pi
 * of a box of 6 fm), smaller ones to be coarse, with N by the volume. A lattice that is coarser than
 * that has more modes, and gains less.
 */
#ifndef NAIK_MODEL_DEFLATION_H
#define NAIK_MODEL_DEFLATION_H

#include "model/iterations.h"
#include "naik/lattice.h"

/* N of the rule. */
double model_mode_density(const int size[NAIK_DIM]);
/* Finding `modes` of them, of one set of links. */
double model_search_iterations(double density, int modes);
/* Removing them from one right-hand side. bits: 16 or 32, of a real of a mode */
double model_deflating_iterations(int modes, int bits, double tolerance, double again);
/* A solve with modes up to `lambda` removed, never more than `plain`, and without what removing them
 * takes. volume, points: of model_iterations_of */
model_iterations model_iterations_deflated(model_iterations plain, double mass, double lambda,
                                           double tolerance, int64_t volume, int points);

#endif
