/* spin_baryon.c - baryons of quarks with spin, site by site
 *
 * Whatever the operator and the projector are, C is a sum over the spins of three quarks at sink and source,
 *
 *   C = sum W[b c d, b' c' d'] eps eps' Q_{b b'} R_{c c'} S_{d d'},
 *
 * and W is sparse. W is made once, sorted by the spins of the first two quarks, whose colours are tied first.
 */
#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/memory.h"
#include "propagator/baryon.h"
#include "propagator/gamma.h"
#include "propagator/slice_sums.h"

enum {
    SPINS = NAIK_GAMMA_SPINS,
    COLOURS = 3,
    NUMBERS = SPINS * COLOURS,
    PAIRS = SPINS * SPINS,
    THREES = SPINS * PAIRS
};

/* [spin of the baryon][16 b + 4 c + d]: the coefficients of q_b r_c s_d in it, their colours in that order. */
typedef naik_complex tensor[SPINS][THREES];

/* A number of W. */
typedef struct weight {
    int pair, third; /* 64 b + 16 c + 4 b' + c', and 4 d + d' */
    naik_complex value;
} weight;

typedef struct baryon {
    const naik_lattice *lat;
    const double *const *quark; /* [3] */
    weight *weights;            /* [count] */
    int count;
} baryon;

typedef naik_complex spin_matrix[NUMBERS][NUMBERS]; /* [sink 3 spin + colour][source] */

/* Adds factor eps (f_1^T g f_2) f_3, f those of the quarks `of`: a permutation of q, r and s, which is even or whose
 * sign from the order of the fields is that of the order of their colours. */
static void add_term(const naik_gamma *g, const int of[3], double factor, tensor t)
{
    for (int i = 0; i < SPINS; i++) {
        for (int k = 0; k < SPINS; k++) {
            int spin[3];
            spin[of[0]] = i;
            spin[of[1]] = g->column[i];
            spin[of[2]] = k;
            naik_complex *to = &t[k][PAIRS * spin[0] + SPINS * spin[1] + spin[2]];
            *to = naik_cadd(*to, naik_cscale(factor, g->value[i]));
        }
    }
}

/* q r s, and the cyclic orders behind it. */
static const int cyclic[3][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}};

static void make_sink(naik_baryon which, int direction, tensor t)
{
    static const int crossed[3] = {0, 2, 1};
    const naik_gamma c = naik_gamma_product(&naik_gamma_y, &naik_gamma_t);
    const bool decuplet = which == NAIK_DELTA || which == NAIK_DELTA_ODD;
    const naik_gamma g =
        naik_gamma_product(&c, decuplet ? naik_gamma_mu[direction] : &naik_gamma_5);
    memset(t, 0, sizeof(tensor));
    if (decuplet) {
        for (int i = 0; i < 3; i++) {
            add_term(&g, cyclic[i], sqrt(2.0 / 3), t);
        }
    } else if (which == NAIK_LAMBDA || which == NAIK_LAMBDA_ODD) {
        add_term(&g, cyclic[0], 2 / sqrt(6), t);
        add_term(&g, crossed, 1 / sqrt(6), t);
        add_term(&g, cyclic[1], -1 / sqrt(6), t);
    } else {
        add_term(&g, cyclic[0], 1, t);
    }
}

/* Every spin of the three quarks, and that of the baryon, times gt of the conjugate; alike: the first and the third
 * change places as well. */
static void make_source(tensor sink, bool alike, tensor t)
{
    const int *turned = naik_gamma_t.column;
    memset(t, 0, sizeof(tensor));
    for (int k = 0; k < SPINS; k++) {
        for (int i = 0; i < THREES; i++) {
            const int spin[4] = {i / PAIRS, i / SPINS % SPINS, i % SPINS, k};
            int to[4];
            naik_complex value = naik_conj(sink[k][i]);
            for (int n = 0; n < 4; n++) {
                to[n] = turned[spin[n]];
                value = naik_cmul(naik_gamma_t.value[spin[n]], value);
            }
            const int straight = PAIRS * to[0] + SPINS * to[1] + to[2];
            const int exchanged = PAIRS * to[2] + SPINS * to[1] + to[0];
            t[to[3]][straight] = naik_cadd(t[to[3]][straight], value);
            if (alike) {
                t[to[3]][exchanged] = naik_cadd(t[to[3]][exchanged], value);
            }
        }
    }
}

/* p [SPINS][SPINS] = (1 +- gt)/2, and times delta_ij - gi gj / 3 of a decuplet */
static void make_projector(naik_baryon which, int i, int j, naik_complex p[SPINS][SPINS])
{
    const bool odd = which >= NAIK_NUCLEON_ODD;
    const bool decuplet = which == NAIK_DELTA || which == NAIK_DELTA_ODD;
    const naik_gamma both = naik_gamma_product(naik_gamma_mu[i], naik_gamma_mu[j]);
    naik_complex spins[SPINS][SPINS] = {{{0, 0}}};
    for (int k = 0; k < SPINS; k++) {
        spins[k][k].re = !decuplet || i == j ? 1 : 0;
        if (decuplet) {
            naik_complex *to = &spins[k][both.column[k]];
            *to = naik_cadd(*to, naik_cscale(-1.0 / 3, both.value[k]));
        }
    }
    for (int k = 0; k < SPINS; k++) {
        for (int l = 0; l < SPINS; l++) {
            const naik_complex other =
                naik_cmul(naik_gamma_t.value[k], spins[naik_gamma_t.column[k]][l]);
            p[k][l] = naik_cscale(0.5, odd ? naik_csub(spins[k][l], other)
                                           : naik_cadd(spins[k][l], other));
        }
    }
}

/* all [64][64] += the trace of p with sink and source */
static void add_products(naik_complex p[SPINS][SPINS], tensor sink, tensor source,
                         naik_complex *all)
{
    for (int k = 0; k < PAIRS; k++) {
        const naik_complex weight = p[k / SPINS][k % SPINS]; /* row: the spin of the source */
        for (int i = 0; i < THREES; i++) {
            const naik_complex left = naik_cmul(weight, sink[k % SPINS][i]);
            for (int j = 0; j < THREES && (left.re != 0 || left.im != 0); j++) {
                all[THREES * i + j] = naik_cfma(left, source[k / SPINS][j], all[THREES * i + j]);
            }
        }
    }
}

static void make_all(naik_baryon which, bool alike, naik_complex *all)
{
    const bool decuplet = which == NAIK_DELTA || which == NAIK_DELTA_ODD;
    const bool nucleon = which == NAIK_NUCLEON || which == NAIK_NUCLEON_ODD;
    const int directions = decuplet ? NAIK_DIM - 1 : 1;
    tensor sink, source, start;
    naik_complex p[SPINS][SPINS];
    for (int i = 0; i < directions; i++) {
        make_sink(which, i, start);
        make_source(start, alike && nucleon, source);
        for (int j = 0; j < directions; j++) {
            make_sink(which, j, sink);
            make_projector(which, i, j, p);
            add_products(p, sink, source, all);
        }
    }
}

/* The numbers of W that are not zero but for rounding. */
static void keep(const naik_complex *all, baryon *b)
{
    for (int pair = 0; pair < PAIRS * PAIRS; pair++) {
        for (int third = 0; third < PAIRS; third++) {
            const int sink = SPINS * (pair / PAIRS) + third / SPINS;
            const int source = SPINS * (pair % PAIRS) + third % SPINS;
            const naik_complex value = all[THREES * sink + source];
            if (fabs(value.re) + fabs(value.im) > 1e-12) {
                b->weights[b->count++] = (weight){pair, third, value};
            }
        }
    }
}

static void take_site(const baryon *b, int quark, int32_t site, spin_matrix s)
{
    for (int source = 0; source < NUMBERS; source++) {
        const double *v = b->quark[quark] + 2 * NUMBERS * ((int64_t)source * b->lat->sites + site);
        for (int sink = 0; sink < NUMBERS; sink++) {
            s[sink][source] = (naik_complex){v[2 * sink], v[2 * sink + 1]};
        }
    }
}

/* out [sink][source] = eps eps' of the colours of two quarks, spins of sink and source given */
static void tie_two(spin_matrix q, spin_matrix r, int pair, naik_complex out[COLOURS][COLOURS])
{
    const int b = COLOURS * (pair / (SPINS * PAIRS)), c = COLOURS * (pair / PAIRS % SPINS);
    const int b1 = COLOURS * (pair / SPINS % SPINS), c1 = COLOURS * (pair % SPINS);
    for (int k = 0; k < COLOURS; k++) {
        const int x = (k + 1) % COLOURS, y = (k + 2) % COLOURS;
        for (int l = 0; l < COLOURS; l++) {
            const int u = (l + 1) % COLOURS, v = (l + 2) % COLOURS;
            const naik_complex straight = naik_cfma(q[b + x][b1 + u], r[c + y][c1 + v],
                                                    naik_cmul(q[b + y][b1 + v], r[c + x][c1 + u]));
            const naik_complex crossed = naik_cfma(q[b + x][b1 + v], r[c + y][c1 + u],
                                                   naik_cmul(q[b + y][b1 + u], r[c + x][c1 + v]));
            out[k][l] = naik_csub(straight, crossed);
        }
    }
}

NAIK_CLONES static naik_complex baryon_at(const void *data, int32_t site, const int x[NAIK_DIM])
{
    const baryon *n = data;
    spin_matrix q, r, s;
    naik_complex two[COLOURS][COLOURS] = {{{0, 0}}}, sum = {0, 0};
    int tied = -1;
    (void)x;
    take_site(n, 0, site, q);
    take_site(n, 1, site, r);
    take_site(n, 2, site, s);
    for (int i = 0; i < n->count; i++) {
        const weight *w = &n->weights[i];
        const int d = COLOURS * (w->third / SPINS), d1 = COLOURS * (w->third % SPINS);
        naik_complex three = {0, 0};
        if (w->pair != tied) {
            tie_two(q, r, w->pair, two);
            tied = w->pair;
        }
        for (int k = 0; k < COLOURS * COLOURS; k++) {
            three = naik_cfma(two[k / COLOURS][k % COLOURS], s[d + k / COLOURS][d1 + k % COLOURS],
                              three);
        }
        sum = naik_cfma(w->value, three, sum);
    }
    return sum;
}

naik_status naik_spin_baryon(const naik_lattice *lattice, naik_baryon which,
                             const double *const quark[3], naik_complex *out)
{
    naik_status status = NAIK_OK;
    naik_log *log = lattice->comm->log;
    baryon b = {.lat = lattice, .quark = quark};
    naik_complex *all = NULL; /* [sink][source], zeroed */
    const size_t numbers = (size_t)THREES * THREES;
    status = naik_alloc(log, numbers * sizeof *all, "weights of a baryon", (void **)&all);
    if (status == NAIK_OK) {
        status = naik_alloc(log, numbers * sizeof *b.weights, "weights of a baryon",
                            (void **)&b.weights);
    }
    NAIK_TRY(naik_comm_agree(lattice->comm, status));
    make_all(which, quark[0] == quark[2], all);
    keep(all, &b);
    NAIK_TRY(naik_slice_sums(lattice, baryon_at, &b, out));
done:
    naik_free(all);
    naik_free(b.weights);
    return status;
}
