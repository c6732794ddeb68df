/* multigrid.h - the kernel of the CPU that nearly all time of multigrid goes into: a matrix times 16 rhs */
#ifndef NAIK_BACKEND_CPU_MULTIGRID_H
#define NAIK_BACKEND_CPU_MULTIGRID_H

#include <stdbool.h>
#include <stddef.h>

/* The rhs of a complex number lie side by side, real parts before imaginary ones: vectors of the kernel run
 * over rhs. */
enum {
    MG_RHS = 16,
    MG_NUMBER = 2 * MG_RHS /* floats of a complex number of all rhs */
};

/* A complex matrix in single: element (m, k) at a + m row + k column, re and im. */
typedef struct mg_matrix {
    const float *a;
    size_t row, column;
    bool conjugate;
} mg_matrix;

typedef struct cpu_multigrid {
    /* y [rows][2][16] += a x, x [columns][2][16], of the first nrhs rhs at least, columns in order. */
    void (*multiply)(const mg_matrix *a, int rows, int columns, int nrhs, const float *x, float *y);
} cpu_multigrid;

extern const cpu_multigrid cpu_multigrid_portable, cpu_multigrid_avx2, cpu_multigrid_avx512;

#endif
