/* hermitian.h - dense hermitian matrices of moderate size: eigenvalues, eigenvectors, Cholesky
 *
 * Every rank solves the same matrix and must come to the same bits, whatever its threads: a LAPACK
 * that blocks and threads as it likes does not promise that, and its products do not either. So it
 * is the oracle of a test, and the work is done here, by textbook: Householder's reduction to a
 * real tridiagonal matrix and QL with implicit shifts (G. Golub, C. Van Loan, Matrix Computations,
 * 8.3), each element by one thread, in one order, with nothing but + - * / and square roots.
 */
#ifndef NAIK_MODES_HERMITIAN_H
#define NAIK_MODES_HERMITIAN_H

#include "naik/gauge.h"

/* a z_j = value_j z_j, ascending; z_j is column j of vectors [n][n], |z_j| = 1.
 *
 *   a   [n][n] row-major, of which the lower triangle is read
 *
 * Local. NAIK_ERR_MEMORY; NAIK_ERR_ARG where it does not converge, as with NaN. */
naik_status naik_hermitian_solve(naik_log *log, int n, const naik_complex *a, double *value,
                                 naik_complex *vectors);

/* Bytes that this takes while it works, beside its arguments. Local. */
size_t naik_hermitian_bytes(int n);

/* a = r^+ r with r upper triangular, its inverse in `inverse` [n][n], both with zeros below; the
 * smallest diagonal element of r over the largest in *condition, 0 where a is not positive.
 * a [n][n] is only read. */
void naik_hermitian_cholesky(int n, const naik_complex *a, naik_complex *r, naik_complex *inverse,
                             double *condition);

#endif
