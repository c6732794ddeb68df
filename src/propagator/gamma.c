/* gamma.c - gamma matrices in the DeGrand-Rossi basis (gamma.h) */
#include "propagator/gamma.h"

#define ONE                                                                                        \
    {                                                                                              \
        1, 0                                                                                       \
    }
#define MINUS                                                                                      \
    {                                                                                              \
        -1, 0                                                                                      \
    }
#define I                                                                                          \
    {                                                                                              \
        0, 1                                                                                       \
    }
#define MINUS_I                                                                                    \
    {                                                                                              \
        0, -1                                                                                      \
    }

const naik_gamma naik_gamma_1 = {{0, 1, 2, 3}, {ONE, ONE, ONE, ONE}};
const naik_gamma naik_gamma_x = {{3, 2, 1, 0}, {I, I, MINUS_I, MINUS_I}};
const naik_gamma naik_gamma_y = {{3, 2, 1, 0}, {MINUS, ONE, ONE, MINUS}};
const naik_gamma naik_gamma_z = {{2, 3, 0, 1}, {I, MINUS_I, MINUS_I, I}};
const naik_gamma naik_gamma_t = {{2, 3, 0, 1}, {ONE, ONE, ONE, ONE}};
const naik_gamma naik_gamma_5 = {{0, 1, 2, 3}, {ONE, ONE, MINUS, MINUS}};

const naik_gamma *const naik_gamma_mu[] = {&naik_gamma_x, &naik_gamma_y, &naik_gamma_z,
                                           &naik_gamma_t};

naik_gamma naik_gamma_product(const naik_gamma *a, const naik_gamma *b)
{
    naik_gamma out;
    for (int i = 0; i < NAIK_GAMMA_SPINS; i++) {
        out.column[i] = b->column[a->column[i]];
        out.value[i] = naik_cmul(a->value[i], b->value[a->column[i]]);
    }
    return out;
}

naik_gamma naik_gamma_adjoint(const naik_gamma *a)
{
    naik_gamma out;
    for (int i = 0; i < NAIK_GAMMA_SPINS; i++) {
        out.column[a->column[i]] = i;
        out.value[a->column[i]] = (naik_complex){a->value[i].re, -a->value[i].im};
    }
    return out;
}
