/* spin_nucleon.c - nucleons of quarks with spin, site by site
 *
 * G and H have one number in each row, so that i fixes j and j' fixes i'; the sum over k and k' is
 * that of rows of P S, made once a site.
 */
#include "propagator/spin_nucleon.h"

#include "propagator/gamma.h"
#include "propagator/slice_sums.h"

enum { SPINS = NAIK_GAMMA_SPINS, COLOURS = 3, NUMBERS = SPINS * COLOURS };

typedef struct nucleon {
    const naik_lattice *lat;
    const double *const *quark;  /* [3] */
    naik_gamma diquark, adjoint; /* G, H */
} nucleon;

/* eps of the first three are 1, of the others -1. */
static const int permutation[6][COLOURS] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                            {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};

/* [sink 3 spin + colour][source] */
typedef naik_complex spin_matrix[NUMBERS][NUMBERS];

static void take_site(const nucleon *n, int quark, int32_t site, spin_matrix s)
{
    for (int source = 0; source < NUMBERS; source++) {
        const double *v = n->quark[quark] + 2 * NUMBERS * ((int64_t)source * n->lat->sites + site);
        for (int sink = 0; sink < NUMBERS; sink++) {
            s[sink][source] = (naik_complex){v[2 * sink], v[2 * sink + 1]};
        }
    }
}

/* (1 + gt)/2 S */
static void project(spin_matrix s, spin_matrix out)
{
    for (int sink = 0; sink < NUMBERS; sink++) {
        const int spin = sink / COLOURS, other = naik_gamma_t.column[spin];
        for (int source = 0; source < NUMBERS; source++) {
            const naik_complex a = s[sink][source];
            const naik_complex b = s[COLOURS * other + sink % COLOURS][source];
            out[sink][source] = naik_cscale(0.5, naik_cfma(naik_gamma_t.value[spin], b, a));
        }
    }
}

/* Propagators at a site; that of the third quark as P S as well. */
typedef struct quarks {
    spin_matrix q, r, ps;
    bool alike; /* the first and the third */
} quarks;

/* What two orders of the colours give, the first of the sink. */
static naik_complex term(const nucleon *n, quarks *at, const int x[COLOURS], const int y[COLOURS])
{
    naik_complex(*const q)[NUMBERS] = at->q, (*const ps)[NUMBERS] = at->ps;
    naik_complex sum = {0, 0}, third = {0, 0};
    for (int k = 0; k < SPINS; k++) {
        third = naik_cadd(third, ps[COLOURS * k + x[2]][COLOURS * k + y[2]]);
    }
    for (int i = 0; i < SPINS; i++) {
        const int j = n->diquark.column[i], ai = COLOURS * i + x[0];
        for (int v = 0; v < SPINS; v++) {
            const int u = COLOURS * n->adjoint.column[v] + y[0];
            naik_complex rest = naik_cmul(q[ai][u], third);
            for (int k = 0; k < SPINS && at->alike; k++) {
                rest = naik_csub(rest,
                                 naik_cmul(ps[COLOURS * k + x[2]][u], q[ai][COLOURS * k + y[2]]));
            }
            const naik_complex weight = naik_cmul(n->diquark.value[i], n->adjoint.value[v]);
            const naik_complex d = at->r[COLOURS * j + x[1]][COLOURS * v + y[1]];
            sum = naik_cfma(naik_cmul(weight, d), rest, sum);
        }
    }
    return sum;
}

static naik_complex nucleon_at(const void *data, int32_t site, const int x[NAIK_DIM])
{
    const nucleon *n = data;
    spin_matrix s;
    quarks at = {.alike = n->quark[0] == n->quark[2]};
    naik_complex sum = {0, 0};
    (void)x;
    take_site(n, 0, site, at.q);
    take_site(n, 1, site, at.r);
    take_site(n, 2, site, s);
    project(s, at.ps);
    for (int p = 0; p < 6; p++) {
        for (int q = 0; q < 6; q++) {
            const naik_complex one = term(n, &at, permutation[p], permutation[q]);
            sum = (p < 3) == (q < 3) ? naik_cadd(sum, one) : naik_csub(sum, one);
        }
    }
    return sum;
}

naik_status naik_spin_nucleon(const naik_lattice *lattice, const double *const quark[3],
                              naik_complex *out)
{
    const naik_gamma c = naik_gamma_product(&naik_gamma_y, &naik_gamma_t);
    const naik_gamma g = naik_gamma_product(&c, &naik_gamma_5), dagger = naik_gamma_adjoint(&g);
    const naik_gamma left = naik_gamma_product(&naik_gamma_t, &dagger);
    const nucleon n = {.lat = lattice,
                       .quark = quark,
                       .diquark = g,
                       .adjoint = naik_gamma_product(&left, &naik_gamma_t)};
    return naik_slice_sums(lattice, nucleon_at, &n, out);
}
