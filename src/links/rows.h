/* rows.h - matrices of sites that follow each other in x, and products of them
 *
 * A row is stored component by component: at[k][i] is component k of site i, k = 6 row + 2 column
 * (+ 1 for the imaginary part). All functions treat all NAIK_ROW_SITES sites; where the lattice has
 * fewer, the rest is memory without meaning. Every site goes through the same operations in the
 * same order, explicit fma() included, whatever its place in the row and the vector length of the
 * machine.
 */
#ifndef NAIK_LINKS_ROWS_H
#define NAIK_LINKS_ROWS_H

#include <stdalign.h>
#include <stdint.h>

#include "lattice/su3.h"

enum { NAIK_ROW_SITES = 8, NAIK_ROW_REALS = 18 };

typedef struct naik_row {
    alignas(64) double at[NAIK_ROW_REALS][NAIK_ROW_SITES];
} naik_row;

/* `out` and `sum` are none of the inputs. */
void naik_rows_mul(const naik_row *a, const naik_row *b, naik_row *out); /* a b */
/* The two halves of a staple: sum + (a s) b^+ and sum + (a^+ s) b. */
void naik_rows_add_upper(const naik_row *a, const naik_row *s, const naik_row *b, naik_row *sum);
void naik_rows_add_lower(const naik_row *a, const naik_row *s, const naik_row *b, naik_row *sum);

void naik_rows_clear(naik_row *out);                              /* 0 */
void naik_rows_scale(double s, const naik_row *a, naik_row *out); /* s a */
void naik_rows_add(double s, const naik_row *a, naik_row *out);   /* out + s a */
/* Re Tr a b^+ of every site */
void naik_rows_trace_dagger(const naik_row *a, const naik_row *b, double trace[NAIK_ROW_SITES]);

/* The first n sites from and to matrices that are `step` matrices apart. */
void naik_rows_from_links(const naik_matrix *link, int64_t step, int n, naik_row *out);
void naik_rows_to_links(const naik_row *a, int n, naik_matrix *link, int64_t step);
/* `a` one site further (step 1) or back (-1) in x; site `lane`, which then is not in `a`, from
 * component 0 of it at `edge`. */
void naik_rows_shift(const naik_row *a, int step, int lane, const double *edge, naik_row *out);

#endif
