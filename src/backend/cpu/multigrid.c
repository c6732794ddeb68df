/* multigrid.c - a complex matrix times 16 right-hand sides, for one instruction set; compiled as kernels.c is */
#include "backend/cpu/multigrid.h"

#if LANES == 16
#include "backend/cpu/simd.h"

/* Rows that are summed together: as many as there are registers for. */
enum { ROWS = REGISTERS == 32 ? 8 : REGISTERS == 16 ? 4 : 1 };

/* One register of `rows` rows of y += a x. */
INLINE void add_rows(const int rows, const mg_matrix *a, const bool conjugate, int columns,
                     const float *x, float *y)
{
    reg_f re[ROWS], im[ROWS];
    UNROLL(8)
    for (int m = 0; m < rows; m++) {
        re[m] = REG_F(loadu)(y + m * MG_NUMBER);
        im[m] = REG_F(loadu)(y + m * MG_NUMBER + MG_RHS);
    }
    for (int k = 0; k < columns; k++) {
        const float *at = a->a + (size_t)k * a->column;
        const reg_f x_re = REG_F(loadu)(x + k * MG_NUMBER);
        const reg_f x_im = REG_F(loadu)(x + k * MG_NUMBER + MG_RHS);
        UNROLL(8)
        for (int m = 0; m < rows; m++) {
            const reg_f a_re = REG_F(set1)(at[(size_t)m * a->row]);
            const reg_f a_im = REG_F(set1)(at[(size_t)m * a->row + 1]);
            re[m] = REG_F(fmadd)(a_re, x_re, re[m]);
            im[m] = REG_F(fmadd)(a_re, x_im, im[m]);
            re[m] = conjugate ? REG_F(fmadd)(a_im, x_im, re[m]) : REG_F(fnmadd)(a_im, x_im, re[m]);
            im[m] = conjugate ? REG_F(fnmadd)(a_im, x_re, im[m]) : REG_F(fmadd)(a_im, x_re, im[m]);
        }
    }
    UNROLL(8)
    for (int m = 0; m < rows; m++) {
        REG_F(storeu)(y + m * MG_NUMBER, re[m]);
        REG_F(storeu)(y + m * MG_NUMBER + MG_RHS, im[m]);
    }
}

INLINE void multiply_as(const mg_matrix *a, const bool conjugate, int rows, int columns, int nrhs,
                        const float *x, float *y)
{
    for (int lane = 0; lane < nrhs; lane += WIDTH_f) {
        mg_matrix at = *a;
        int m = 0;
        for (; m + ROWS <= rows; m += ROWS) {
            at.a = a->a + (size_t)m * a->row;
            add_rows(ROWS, &at, conjugate, columns, x + lane, y + m * MG_NUMBER + lane);
        }
        for (; m < rows; m++) {
            at.a = a->a + (size_t)m * a->row;
            add_rows(1, &at, conjugate, columns, x + lane, y + m * MG_NUMBER + lane);
        }
    }
}

static void multiply(const mg_matrix *a, int rows, int columns, int nrhs, const float *x, float *y)
{
    if (a->conjugate) {
        multiply_as(a, true, rows, columns, nrhs, x, y);
    } else {
        multiply_as(a, false, rows, columns, nrhs, x, y);
    }
}

#define JOIN(a, b)  a##b
#define TABLE(name) JOIN(cpu_multigrid_, name)

const cpu_multigrid TABLE(NAIK_KERNELS) = {.multiply = multiply};
#endif
