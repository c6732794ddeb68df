/* spin_meson.c - traces of gamma matrices and propagators, each time slice one exact sum
 *
 * A gamma matrix has one number in each row: row i of g5 G has its number left.value[i] in column
 * left.column[i], row k of H g5 likewise. So
 *
 *   tr [ L S R Z^+ ] = sum_{i, k} L_{i a} R_{k b} sum_{c, c'} S_{a c, k c'} conj(Z_{i c, b c'})
 *
 * with a = left.column[i] and b = right.column[k], spin sink and source of S and Z in front.
 */
#include "propagator/spin_meson.h"

#include "propagator/slice_sums.h"

enum { SPINS = NAIK_GAMMA_SPINS, COLOURS = 3, NUMBERS = SPINS * COLOURS };

/* Operators at sink and source as products of two. */
static const struct {
    const char *name;
    const naik_gamma *sink[2], *source[2];
} mesons[NAIK_SPIN_MESONS] = {
    [NAIK_SPIN_PION] = {"pion", {&naik_gamma_1, &naik_gamma_5}, {&naik_gamma_1, &naik_gamma_5}},
    [NAIK_SPIN_RHO_X] = {"rho_x", {&naik_gamma_1, &naik_gamma_x}, {&naik_gamma_1, &naik_gamma_x}},
    [NAIK_SPIN_RHO_Y] = {"rho_y", {&naik_gamma_1, &naik_gamma_y}, {&naik_gamma_1, &naik_gamma_y}},
    [NAIK_SPIN_RHO_Z] = {"rho_z", {&naik_gamma_1, &naik_gamma_z}, {&naik_gamma_1, &naik_gamma_z}},
    [NAIK_SPIN_SCALAR] = {"scalar", {&naik_gamma_1, &naik_gamma_1}, {&naik_gamma_1, &naik_gamma_1}},
    [NAIK_SPIN_A0] = {"a0", {&naik_gamma_5, &naik_gamma_t}, {&naik_gamma_5, &naik_gamma_t}},
    [NAIK_SPIN_PS505] = {"ps505", {&naik_gamma_5, &naik_gamma_t}, {&naik_gamma_1, &naik_gamma_5}},
    [NAIK_SPIN_A1_X] = {"a1_x", {&naik_gamma_5, &naik_gamma_x}, {&naik_gamma_5, &naik_gamma_x}},
    [NAIK_SPIN_T_XY] = {"t_xy", {&naik_gamma_x, &naik_gamma_y}, {&naik_gamma_x, &naik_gamma_y}}};

const char *naik_spin_meson_name(naik_spin_meson meson)
{
    return mesons[meson].name;
}

static naik_gamma operator_of(int number, bool source)
{
    const int meson = number - NAIK_MESONS;
    if (number >= (int)NAIK_FIRST_GAMMA) {
        return naik_gamma_of((unsigned)(number - NAIK_FIRST_GAMMA));
    }
    const naik_gamma *const *two = source ? mesons[meson].source : mesons[meson].sink;
    return naik_gamma_product(two[0], two[1]);
}

naik_gamma naik_spin_operator_at_sink(int number)
{
    return operator_of(number, false);
}

naik_gamma naik_spin_operator_at_source(int number)
{
    return operator_of(number, true);
}

/* What is the same at all sites. */
typedef struct trace {
    const naik_lattice *lat;
    const double *s, *z;    /* of quark and antiquark, [12][sites][4][3][2] */
    naik_gamma left, right; /* g5 G, H g5 */
    naik_slice_waves waves;
} trace;

/* The colour vector of spin `sink` of a column at a site. */
static const double *colours_of(const trace *m, const double *s, int column, int32_t site, int sink)
{
    return s + 24 * ((int64_t)column * m->lat->sites + site) + 6 * sink;
}

/* sum over colours of S_{a c, k c'} conj(Z_{i c, b c'}) */
static naik_complex product(const trace *m, int32_t site, int a, int k, int i, int b)
{
    naik_complex sum = {0, 0};
    for (int source = 0; source < COLOURS; source++) {
        const double *v = colours_of(m, m->s, COLOURS * k + source, site, a);
        const double *w = colours_of(m, m->z, COLOURS * b + source, site, i);
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
    return naik_cmul(naik_slice_wave(&m->waves, x), sum);
}

/* Two operators as they stand in the trace. */
static trace trace_of(int at_sink, int at_source)
{
    const naik_gamma sink = naik_spin_operator_at_sink(at_sink);
    const naik_gamma source = naik_spin_operator_at_source(at_source);
    return (trace){.left = naik_gamma_product(&naik_gamma_5, &sink),
                   .right = naik_gamma_product(&source, &naik_gamma_5)};
}

naik_status naik_spin_current_correlator(const naik_lattice *lattice, int current, int source,
                                         const naik_frame *frame, const double *quark,
                                         const double *antiquark, naik_complex *out)
{
    naik_status status = NAIK_OK;
    trace m = trace_of(current, source);
    m.lat = lattice;
    m.s = quark;
    m.z = antiquark;
    NAIK_TRY(naik_comm_agree(lattice->comm, naik_slice_waves_make(lattice, frame, &m.waves)));
    NAIK_TRY(naik_slice_sums(lattice, trace_at, &m, out));
done:
    naik_slice_waves_clear(&m.waves);
    return status;
}

naik_status naik_spin_meson_correlator(const naik_lattice *lattice, naik_spin_meson meson,
                                       const naik_frame *frame, const double *quark,
                                       const double *antiquark, naik_complex *out)
{
    const int number = (int)NAIK_MESONS + (int)meson;
    return naik_spin_current_correlator(lattice, number, number, frame, quark, antiquark, out);
}

/* As trace_at, of matrices. */
static naik_complex trace_of_matrices(const trace *m, const naik_complex *s, const naik_complex *z)
{
    naik_complex sum = {0, 0};
    for (int i = 0; i < NUMBERS; i++) {
        for (int k = 0; k < NUMBERS; k++) {
            const int row = i / COLOURS, column = k / COLOURS;
            const int a = COLOURS * m->left.column[row] + i % COLOURS;
            const int b = COLOURS * m->right.column[column] + k % COLOURS;
            const naik_complex weight = naik_cmul(m->left.value[row], m->right.value[column]);
            const naik_complex x = naik_cmul(weight, s[NUMBERS * a + k]);
            sum = naik_cfma_conj(x, z[NUMBERS * i + b], sum);
        }
    }
    return sum;
}

void naik_spin_meson_of_walls(naik_spin_meson meson, const naik_complex *quark,
                              const naik_complex *antiquark, int times, naik_complex *out)
{
    enum { WALL = NUMBERS * NUMBERS };
    const int number = (int)NAIK_MESONS + (int)meson;
    const trace m = trace_of(number, number);
    for (int t = 0; t < times; t++) {
        out[t] = trace_of_matrices(&m, quark + WALL * t, antiquark + WALL * t);
    }
}
