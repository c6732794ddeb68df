/* spin_meson.c - traces of gamma matrices and propagators, each time slice one exact sum
 *
 * A gamma matrix has one number in each row: row i of g5 G has its number left.value[i] in column
 * left.column[i], row k of H g5 likewise. So
 *
 *   tr [ L S R S^+ ] = sum_{i, k} L_{i a} R_{k b} sum_{c, c'} S_{a c, k c'} conj(S_{i c, b c'})
 *
 * with a = left.column[i] and b = right.column[k], spin sink and source of S in front.
 */
#include "propagator/spin_meson.h"

#include <string.h>

#include "propagator/slice_sums.h"

enum { SPINS = 4, COLOURS = 3 };

/* A matrix with one number in each row. */
typedef struct sparse {
    int column[SPINS];
    naik_complex value[SPINS];
} sparse;

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

static const sparse unit = {{0, 1, 2, 3}, {ONE, ONE, ONE, ONE}};
static const sparse gamma_x = {{3, 2, 1, 0}, {I, I, MINUS_I, MINUS_I}};
static const sparse gamma_y = {{3, 2, 1, 0}, {MINUS, ONE, ONE, MINUS}};
static const sparse gamma_z = {{2, 3, 0, 1}, {I, MINUS_I, MINUS_I, I}};
static const sparse gamma_t = {{2, 3, 0, 1}, {ONE, ONE, ONE, ONE}};
static const sparse gamma_5 = {{0, 1, 2, 3}, {ONE, ONE, MINUS, MINUS}};

/* Operators at sink and source as products of two. */
static const struct {
    const char *name;
    const sparse *sink[2], *source[2];
} mesons[NAIK_SPIN_MESONS] = {
    [NAIK_SPIN_PION] = {"pion", {&unit, &gamma_5}, {&unit, &gamma_5}},
    [NAIK_SPIN_RHO_X] = {"rho_x", {&unit, &gamma_x}, {&unit, &gamma_x}},
    [NAIK_SPIN_RHO_Y] = {"rho_y", {&unit, &gamma_y}, {&unit, &gamma_y}},
    [NAIK_SPIN_RHO_Z] = {"rho_z", {&unit, &gamma_z}, {&unit, &gamma_z}},
    [NAIK_SPIN_SCALAR] = {"scalar", {&unit, &unit}, {&unit, &unit}},
    [NAIK_SPIN_A0] = {"a0", {&gamma_5, &gamma_t}, {&gamma_5, &gamma_t}},
    [NAIK_SPIN_PS505] = {"ps505", {&gamma_5, &gamma_t}, {&unit, &gamma_5}},
    [NAIK_SPIN_A1_X] = {"a1_x", {&gamma_5, &gamma_x}, {&gamma_5, &gamma_x}},
    [NAIK_SPIN_T_XY] = {"t_xy", {&gamma_x, &gamma_y}, {&gamma_x, &gamma_y}}};

const char *naik_spin_meson_name(naik_spin_meson meson)
{
    return mesons[meson].name;
}

static sparse multiply(const sparse *a, const sparse *b)
{
    sparse out;
    for (int i = 0; i < SPINS; i++) {
        out.column[i] = b->column[a->column[i]];
        out.value[i] = naik_cmul(a->value[i], b->value[a->column[i]]);
    }
    return out;
}

void naik_spin_meson_insert(naik_spin_meson meson, double *v)
{
    const sparse g = multiply(mesons[meson].sink[0], mesons[meson].sink[1]);
    double in[SPINS][COLOURS][2];
    memcpy(in, v, sizeof in);
    for (int i = 0; i < SPINS; i++) {
        for (int c = 0; c < COLOURS; c++) {
            const double *from = in[g.column[i]][c];
            const naik_complex z = naik_cmul(g.value[i], (naik_complex){from[0], from[1]});
            memcpy(v + 2 * (COLOURS * i + c), &z, sizeof z);
        }
    }
}

/* What is the same at all sites. */
typedef struct trace {
    const naik_lattice *lat;
    const double *s;    /* [12][sites][4][3][2] */
    sparse left, right; /* g5 G, H g5 */
    const int *origin, *momentum;
} trace;

/* The colour vector of spin `sink` of a column at a site. */
static const double *colours_of(const trace *m, int column, int32_t site, int sink)
{
    return m->s + 24 * ((int64_t)column * m->lat->sites + site) + 6 * sink;
}

/* sum over colours of S_{a c, k c'} conj(S_{i c, b c'}) */
static naik_complex product(const trace *m, int32_t site, int a, int k, int i, int b)
{
    naik_complex sum = {0, 0};
    for (int source = 0; source < COLOURS; source++) {
        const double *v = colours_of(m, COLOURS * k + source, site, a);
        const double *w = colours_of(m, COLOURS * b + source, site, i);
        for (int sink = 0; sink < COLOURS; sink++) {
            const naik_complex x = {v[2 * sink], v[2 * sink + 1]};
            const naik_complex y = {w[2 * sink], w[2 * sink + 1]};
            sum = naik_cfma_conj(x, y, sum);
        }
    }
    return sum;
}

static naik_complex trace_at(const void *data, int32_t site, const int x[NAIK_DIM])
{
    const trace *m = data;
    naik_complex sum = {0, 0};
    for (int i = 0; i < SPINS; i++) {
        for (int k = 0; k < SPINS; k++) {
            const naik_complex weight = naik_cmul(m->left.value[i], m->right.value[k]);
            sum = naik_cfma(weight, product(m, site, m->left.column[i], k, i, m->right.column[k]),
                            sum);
        }
    }
    return naik_cscale(naik_slice_weight(m->lat, m->momentum, m->origin, x), sum);
}

naik_status naik_spin_meson_correlator(const naik_lattice *lattice, naik_spin_meson meson,
                                       const int origin[NAIK_DIM], const int momentum[NAIK_DIM - 1],
                                       const double *s, naik_complex *out)
{
    const sparse sink = multiply(mesons[meson].sink[0], mesons[meson].sink[1]);
    const sparse source = multiply(mesons[meson].source[0], mesons[meson].source[1]);
    const trace m = {.lat = lattice,
                     .s = s,
                     .left = multiply(&gamma_5, &sink),
                     .right = multiply(&source, &gamma_5),
                     .origin = origin,
                     .momentum = momentum};
    return naik_slice_sums(lattice, trace_at, &m, out);
}
