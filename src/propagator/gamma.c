/* gamma.c - gamma matrices in the DeGrand-Rossi basis (gamma.h) */
#include "propagator/gamma.h"

#include <string.h>

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

naik_gamma naik_gamma_of(unsigned directions)
{
    enum { ALL = 15, ZX = 5 };
    const naik_gamma *found[4] = {&naik_gamma_1};
    int count = 0;
    for (unsigned mu = 0; mu < 4; mu++) {
        if ((directions >> mu & 1) != 0) {
            found[count++] = naik_gamma_mu[mu];
        }
    }
    if (count == 3) {
        const naik_gamma fourth = naik_gamma_of(ALL ^ directions);
        return naik_gamma_product(&naik_gamma_5, &fourth);
    }
    if (count == 2) {
        return directions == ZX ? naik_gamma_product(found[1], found[0])
                                : naik_gamma_product(found[0], found[1]);
    }
    return count == 4 ? naik_gamma_5 : *found[0];
}

void naik_gamma_times(const naik_gamma *g, double *v)
{
    enum { COLOURS = 3 };
    double in[NAIK_GAMMA_SPINS][COLOURS][2];
    memcpy(in, v, sizeof in);
    for (int i = 0; i < NAIK_GAMMA_SPINS; i++) {
        for (int c = 0; c < COLOURS; c++) {
            const double *from = in[g->column[i]][c];
            const naik_complex z = naik_cmul(g->value[i], (naik_complex){from[0], from[1]});
            memcpy(v + 2 * (COLOURS * i + c), &z, sizeof z);
        }
    }
}
