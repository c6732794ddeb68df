/* rows.h - products of matrices, many sites at a time
 *
 * A row is up to NAIK_ROW_SITES matrices of sites that follow each other in x, stored component by
 * component: component k of site i is at[k stride + i], k = 6 row + 2 column (+ 1 for the imaginary
 * part). Every site goes through the same operations in the same order, explicit fma() included,
 * whatever its place in the row and the vector length of the machine.
 */
#ifndef NAIK_ROWS_H
#define NAIK_ROWS_H

#include <stdalign.h>
#include <stdint.h>

#include "naik/su3.h"

enum { NAIK_ROW_SITES = 64, NAIK_ROW_REALS = 18 };

typedef struct naik_row { /* borrowed, read only */
    const double *at;
    int64_t stride;
} naik_row;

typedef struct naik_row_buffer { /* 9 KiB, for the stack */
    alignas(64) double at[NAIK_ROW_REALS][NAIK_ROW_SITES];
} naik_row_buffer;

static inline naik_row naik_row_of(const naik_row_buffer *buffer)
{
    return (naik_row){&buffer->at[0][0], NAIK_ROW_SITES};
}

/* For the first n sites of each row; `out` is none of the inputs. */
void naik_rows_mul(naik_row a, naik_row b, int n, naik_row_buffer *out);        /* a b */
void naik_rows_dagger_mul(naik_row a, naik_row b, int n, naik_row_buffer *out); /* a^+ b */
void naik_rows_add_mul(naik_row a, naik_row b, int n, naik_row_buffer *out);    /* out + a b */
void naik_rows_add_mul_dagger(naik_row a, naik_row b, int n,
                              naik_row_buffer *out); /* out + a b^+ */

void naik_rows_clear(int n, naik_row_buffer *out);                       /* 0 */
void naik_rows_scale(double s, naik_row a, int n, naik_row_buffer *out); /* s a */
void naik_rows_add(double s, naik_row a, int n, naik_row_buffer *out);   /* out + s a */
/* Re Tr a b^+ of every site */
void naik_rows_trace_dagger(naik_row a, naik_row b, int n, double trace[NAIK_ROW_SITES]);

#endif
