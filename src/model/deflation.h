/* deflation.h - what low modes cost and save, in iterations of conjugate gradient
 *
 *   lambda_n = n / N           N modes in a unit of lambda: near zero the spectrum is linear
 *   solve    = 25 / sqrt(m^2 + lambda_n^2) + 2 n w (1 + log(tolerance) / log(again)) bits / 32
 *   odd      = 1 + (1 + ln(sqrt(m^2 + lambda_n^2) / m)) / ln(2 / tolerance)   times the first term
 *   search   = 6.5 N + 4.6 w n^2
 *
 * An application of D D in the search takes nine tenths of an iteration of a solve with modes, or the time
 * of one with vectors and links in single precision, eight at a time. w is what reading a mode costs beside
 * it. With 500 modes and tolerance 0.5 an H100 took 6.1 N and 6.2 N applications (32^3 x 48, 32^4;
 * tests/results/h100.txt), and for all else of the search the time of some 46000 iterations. The terms of
 * deflating are counted, not measured.
 *
 * Odd: a source on odd sites alone, which is solved on the even ones and to more accuracy
 * (propagator.c). Its right-hand side D src has less of the slow modes that are left, by their lambda. At
 * 32^4 with 400 modes, m = 0.001 took 1.17 times the iterations of an even point (tests/results/h100.txt),
 * and 8^3 x 16 with 64 modes, lambda_n = 0.248, m = 0.0005, 0.002, 0.01 and 0.03 took 1.33, 1.27, 1.18 and
 * 1.13 times (tests/results/cpu.txt).
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
/* Iterations of a deflated source on odd sites alone, over those of one on even sites. */
double model_odd_over_even(double mass, double lambda, double tolerance);
/* A solve with modes up to `lambda` removed, never more than `plain`, and without what removing them
 * takes. volume: of model_iterations_of */
model_iterations model_iterations_deflated(model_iterations plain, double mass, double lambda,
                                           double tolerance, int64_t volume);

#endif
