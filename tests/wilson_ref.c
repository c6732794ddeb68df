/* wilson_ref.c - the Wilson and clover operator, written down as the equations stand */
#include "wilson_ref.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/collective.h"

const wilson_spin wilson_gamma[5] = {
    {{0, 0, 0, I}, {0, 0, I, 0}, {0, -I, 0, 0}, {-I, 0, 0, 0}},
    {{0, 0, 0, -1}, {0, 0, 1, 0}, {0, 1, 0, 0}, {-1, 0, 0, 0}},
    {{0, 0, I, 0}, {0, 0, 0, -I}, {-I, 0, 0, 0}, {0, I, 0, 0}},
    {{0, 0, 1, 0}, {0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0}},
    {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, -1, 0}, {0, 0, 0, -1}},
};

/* a b without the language's care for infinities, which costs a call. */
static inline double complex times(double complex a, double complex b)
{
    return wilson_complex(creal(a) * creal(b) - cimag(a) * cimag(b),
                          creal(a) * cimag(b) + cimag(a) * creal(b));
}

void wilson_spin_multiply(const wilson_spin a, const wilson_spin b, wilson_spin out)
{
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            out[i][j] = 0;
            for (int k = 0; k < 4; k++) {
                out[i][j] += times(a[i][k], b[k][j]);
            }
        }
    }
}

void wilson_spin_apply(const wilson_spin gamma, const wilson_spinor in, wilson_spinor out)
{
    for (int i = 0; i < 4; i++) {
        for (int c = 0; c < 3; c++) {
            out[i][c] = 0;
            for (int j = 0; j < 4; j++) {
                out[i][c] += times(gamma[i][j], in[j][c]);
            }
        }
    }
}

static void *zeroed(int64_t count, size_t size)
{
    void *memory = calloc((size_t)count, size);
    if (memory == NULL) {
        fprintf(stderr, "no memory for the reference operator\n");
        abort();
    }
    return memory;
}

wilson_spinor *wilson_ref_field(int64_t count)
{
    return zeroed(count, sizeof(wilson_spinor));
}

int64_t wilson_ref_site(const wilson_ref *w, const int x[NAIK_DIM])
{
    int64_t site = 0;
    for (int mu = NAIK_DIM - 1; mu >= 0; mu--) {
        site = site * w->size[mu] + (x[mu] % w->size[mu] + w->size[mu]) % w->size[mu];
    }
    return site;
}

void wilson_ref_coords(const wilson_ref *w, int64_t site, int x[NAIK_DIM])
{
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        x[mu] = (int)(site % w->size[mu]);
        site /= w->size[mu];
    }
}

static int64_t hop(const wilson_ref *w, int64_t site, int mu, int step)
{
    int x[NAIK_DIM];
    wilson_ref_coords(w, site, x);
    x[mu] += step;
    return wilson_ref_site(w, x);
}

static bool has_parity(const wilson_ref *w, int64_t site, naik_parity parity)
{
    int x[NAIK_DIM];
    wilson_ref_coords(w, site, x);
    return naik_parity_of(x) == (int)parity;
}

/* The boxes of all ranks in global order: each rank fills in its own sites, an exclusive-or over
 * the ranks does the rest. */
static naik_status collect(const naik_lattice *lat, const void *mine, size_t site_bytes, void *out)
{
    char *whole = out;
    memset(whole, 0, (size_t)lat->volume * site_bytes);
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lat, site, x);
        memcpy(whole + (size_t)naik_lattice_global(lat, x) * site_bytes,
               (const char *)mine + (size_t)site * site_bytes, site_bytes);
    }
    return naik_comm_xor_u64(lat->comm, (uint64_t *)out,
                             (int)((size_t)lat->volume * site_bytes / sizeof(uint64_t)));
}

naik_status wilson_ref_collect(const naik_lattice *lat, const double *in, wilson_spinor *out)
{
    return collect(lat, in, sizeof(wilson_spinor), out);
}

/* ---- the clover term */

static void colour_multiply(const wilson_colour a, const wilson_colour b, wilson_colour out)
{
    wilson_colour c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c[i][j] = 0;
            for (int k = 0; k < 3; k++) {
                c[i][j] += times(a[i][k], b[k][j]);
            }
        }
    }
    memcpy(out, c, sizeof c);
}

/* product <- product times the link passed on a step from x in direction mu (sign +1 or -1), and
 * x moves on. */
static void walk(const wilson_ref *w, int64_t *x, int mu, int sign, wilson_colour product)
{
    wilson_colour link;
    if (sign > 0) {
        memcpy(link, w->link[*x][mu], sizeof link);
        *x = hop(w, *x, mu, 1);
    } else {
        *x = hop(w, *x, mu, -1);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                link[i][j] = conj(w->link[*x][mu][j][i]);
            }
        }
    }
    colour_multiply(product, link, product);
}

/* sum += the plaquette from x along a, then b, then back. */
static void add_plaquette(const wilson_ref *w, int64_t x, int a, int sign_a, int b, int sign_b,
                          wilson_colour sum)
{
    wilson_colour p = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    walk(w, &x, a, sign_a, p);
    walk(w, &x, b, sign_b, p);
    walk(w, &x, a, -sign_a, p);
    walk(w, &x, b, -sign_b, p);
    for (int i = 0; i < 9; i++) {
        sum[i / 3][i % 3] += p[i / 3][i % 3];
    }
}

/* F_mu,nu(x) of the four plaquettes that turn from mu to nu. */
static void field_strength(const wilson_ref *w, int64_t x, int mu, int nu, wilson_colour f)
{
    wilson_colour q = {{0}};
    add_plaquette(w, x, mu, 1, nu, 1, q);
    add_plaquette(w, x, nu, 1, mu, -1, q);
    add_plaquette(w, x, mu, -1, nu, -1, q);
    add_plaquette(w, x, nu, -1, mu, 1, q);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            f[i][j] = (q[i][j] - conj(q[j][i])) / 8;
        }
    }
}

/* A = m + 4 + C + i mu g5 at x. */
static void make_diagonal(const wilson_ref *w, int64_t x, double twisted_mass, double csw,
                          wilson_block a)
{
    memset(a, 0, sizeof(wilson_block));
    for (int i = 0; i < 12; i++) {
        a[i][i] = w->mass + 4 + I * twisted_mass * creal(wilson_gamma[4][i / 3][i / 3]);
    }
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        for (int nu = mu + 1; nu < NAIK_DIM; nu++) {
            wilson_colour f;
            wilson_spin g;
            field_strength(w, x, mu, nu, f);
            wilson_spin_multiply(wilson_gamma[mu], wilson_gamma[nu], g);
            for (int i = 0; i < 12; i++) {
                for (int j = 0; j < 12; j++) {
                    a[i][j] -= csw / 2 * times(g[i / 3][j / 3], f[i % 3][j % 3]);
                }
            }
        }
    }
}

/* b = a^-1 by Gauss and Jordan with the largest pivot of a column; false where there is none. */
static bool invert(const wilson_block in, wilson_block b)
{
    wilson_block a;
    memcpy(a, in, sizeof a);
    memset(b, 0, sizeof(wilson_block));
    for (int i = 0; i < 12; i++) {
        b[i][i] = 1;
    }
    for (int k = 0; k < 12; k++) {
        int best = k;
        for (int i = k; i < 12; i++) {
            best = cabs(a[i][k]) > cabs(a[best][k]) ? i : best;
        }
        if (!(cabs(a[best][k]) > 1e-12)) {
            return false;
        }
        for (int j = 0; j < 12; j++) {
            double complex held = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = held;
            held = b[k][j];
            b[k][j] = b[best][j];
            b[best][j] = held;
        }
        const double complex pivot = a[k][k];
        for (int j = 0; j < 12; j++) {
            a[k][j] /= pivot;
            b[k][j] /= pivot;
        }
        for (int i = 0; i < 12; i++) {
            const double complex factor = a[i][k];
            for (int j = 0; i != k && j < 12; j++) {
                a[i][j] -= times(factor, a[k][j]);
                b[i][j] -= times(factor, b[k][j]);
            }
        }
    }
    return true;
}

naik_status wilson_ref_create(const naik_gauge *u, bool antiperiodic_t, double mass,
                              double twisted_mass, double csw, wilson_ref **out)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = u->lattice;
    bool regular = true;
    *out = NULL;
    if (lat->volume > 1 << 16) {
        return NAIK_FAIL(lat->comm->log, NAIK_ERR_ARG,
                         "the reference operator takes lattices of at most 65536 sites");
    }
    wilson_ref *w = zeroed(1, sizeof *w);
    memcpy(w->size, lat->size, sizeof w->size);
    w->volume = lat->volume;
    w->mass = mass;
    w->link = zeroed(w->volume, sizeof *w->link);
    NAIK_TRY(collect(lat, u->link, sizeof *w->link, w->link));
    if (antiperiodic_t) {
        for (int64_t site = w->volume - w->volume / w->size[3]; site < w->volume; site++) {
            for (int i = 0; i < 9; i++) {
                w->link[site][3][i / 3][i % 3] *= -1;
            }
        }
    }
    if (csw != 0 || twisted_mass != 0) {
        w->diagonal = zeroed(w->volume, sizeof(wilson_block));
        w->inverse = zeroed(w->volume, sizeof(wilson_block));
        for (int64_t site = 0; site < w->volume; site++) {
            make_diagonal(w, site, twisted_mass, csw, w->diagonal[site]);
            regular = regular && invert(w->diagonal[site], w->inverse[site]);
        }
    }
    if (!regular || (mass == -4 && twisted_mass == 0)) {
        status = NAIK_FAIL(lat->comm->log, NAIK_ERR_ARG, "m + 4 + C is singular");
    }
done:
    if (status != NAIK_OK) {
        wilson_ref_destroy(&w);
    }
    *out = w;
    return status;
}

void wilson_ref_destroy(wilson_ref **w)
{
    if (*w != NULL) {
        free((*w)->link);
        free((*w)->diagonal);
        free((*w)->inverse);
        free(*w);
        *w = NULL;
    }
}

/* ---- D, A, M */

/* sum += (1 + sign g_mu) h */
static void add_projected(int mu, double sign, const wilson_spinor h, wilson_spinor sum)
{
    wilson_spinor gh;
    wilson_spin_apply(wilson_gamma[mu], h, gh);
    for (int i = 0; i < 12; i++) {
        sum[i / 3][i % 3] += h[i / 3][i % 3] + sign * gh[i / 3][i % 3];
    }
}

/* (D in)(x), or (D^+ in)(x), where the signs of g_mu are exchanged. */
static void hops_at(const wilson_ref *w, wilson_dagger dagger, int64_t x, const wilson_spinor *in,
                    wilson_spinor sum)
{
    const double forward = dagger == WILSON_DAGGER ? 1 : -1;
    memset(sum, 0, sizeof(wilson_spinor));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        const int64_t ahead = hop(w, x, mu, 1), behind = hop(w, x, mu, -1);
        wilson_spinor to = {{0}}, from = {{0}};
        for (int s = 0; s < 4; s++) {
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++) {
                    to[s][i] += times(w->link[x][mu][i][j], in[ahead][s][j]);
                    from[s][i] += times(conj(w->link[behind][mu][j][i]), in[behind][s][j]);
                }
            }
        }
        add_projected(mu, forward, to, sum);
        add_projected(mu, -forward, from, sum);
    }
}

void wilson_ref_dslash(const wilson_ref *w, wilson_dagger dagger, const wilson_spinor *in,
                       wilson_spinor *out)
{
    for (int64_t x = 0; x < w->volume; x++) {
        hops_at(w, dagger, x, in, out[x]);
    }
}

static void multiply_site(const wilson_block block, wilson_dagger dagger, double number,
                          const wilson_spinor in, wilson_spinor out)
{
    for (int i = 0; i < 12; i++) {
        out[i / 3][i % 3] = block == NULL ? number * in[i / 3][i % 3] : 0;
        for (int j = 0; block != NULL && j < 12; j++) {
            const double complex b = dagger == WILSON_DAGGER ? conj(block[j][i]) : block[i][j];
            out[i / 3][i % 3] += times(b, in[j / 3][j % 3]);
        }
    }
}

/* A at x, or A^+. */
static void diagonal_at(const wilson_ref *w, wilson_dagger dagger, int64_t x,
                        const wilson_spinor in, wilson_spinor out)
{
    multiply_site(w->diagonal == NULL ? NULL : w->diagonal[x], dagger, w->mass + 4, in, out);
}

static void inverse_at(const wilson_ref *w, wilson_dagger dagger, int64_t x, const wilson_spinor in,
                       wilson_spinor out)
{
    multiply_site(w->inverse == NULL ? NULL : w->inverse[x], dagger, 1 / (w->mass + 4), in, out);
}

void wilson_ref_diagonal(const wilson_ref *w, const wilson_spinor *in, wilson_spinor *out)
{
    for (int64_t x = 0; x < w->volume; x++) {
        diagonal_at(w, WILSON_PLAIN, x, in[x], out[x]);
    }
}

void wilson_ref_inverse(const wilson_ref *w, const wilson_spinor *in, wilson_spinor *out)
{
    for (int64_t x = 0; x < w->volume; x++) {
        inverse_at(w, WILSON_PLAIN, x, in[x], out[x]);
    }
}

/* out = a + s b at one site */
static void combine(const wilson_spinor a, double s, const wilson_spinor b, wilson_spinor out)
{
    for (int i = 0; i < 12; i++) {
        out[i / 3][i % 3] = a[i / 3][i % 3] + s * b[i / 3][i % 3];
    }
}

void wilson_ref_operator(const wilson_ref *w, wilson_dagger dagger, const wilson_spinor *in,
                         wilson_spinor *out)
{
    for (int64_t x = 0; x < w->volume; x++) {
        wilson_spinor a, d;
        diagonal_at(w, dagger, x, in[x], a);
        hops_at(w, dagger, x, in, d);
        combine(a, -0.5, d, out[x]);
    }
}

/* ---- the Schur complement, composed of these */

/* t = A^-1 in, or A^-+ in, on sites of `parity` */
static void inverse_on(const wilson_ref *w, wilson_dagger dagger, naik_parity parity,
                       const wilson_spinor *in, wilson_spinor *t)
{
    for (int64_t x = 0; x < w->volume; x++) {
        if (has_parity(w, x, parity)) {
            inverse_at(w, dagger, x, in[x], t[x]);
        }
    }
}

/* out = D in on sites of `parity` */
static void hops_on(const wilson_ref *w, wilson_dagger dagger, naik_parity parity,
                    const wilson_spinor *in, wilson_spinor *out)
{
    for (int64_t x = 0; x < w->volume; x++) {
        if (has_parity(w, x, parity)) {
            hops_at(w, dagger, x, in, out[x]);
        }
    }
}

void wilson_ref_schur(const wilson_schur *s, wilson_dagger dagger, const wilson_spinor *in,
                      wilson_spinor *out)
{
    const wilson_ref *w = s->w;
    const naik_parity p = s->parity, q = (naik_parity)!p;
    wilson_spinor *a = wilson_ref_field(w->volume), *d = wilson_ref_field(w->volume);
    memset(out, 0, (size_t)w->volume * sizeof *out);
    /* Mh^+ = 1 - 1/4 D^+ A^-+ D^+ A^-+: A_pp^-+ acts first. */
    if (dagger == WILSON_DAGGER && !s->asymmetric) {
        inverse_on(w, dagger, p, in, a);
        hops_on(w, dagger, q, a, d);
    } else {
        hops_on(w, dagger, q, in, d);
    }
    inverse_on(w, dagger, q, d, a);
    hops_on(w, dagger, p, a, d);
    if (dagger == WILSON_PLAIN && !s->asymmetric) {
        inverse_on(w, dagger, p, d, a);
    } else {
        memcpy(a, d, (size_t)w->volume * sizeof *a);
    }
    for (int64_t x = 0; x < w->volume; x++) {
        wilson_spinor here;
        if (has_parity(w, x, p)) {
            memcpy(here, in[x], sizeof here);
            if (s->asymmetric) {
                diagonal_at(w, dagger, x, in[x], here);
            }
            combine(here, -0.25, a[x], out[x]);
        }
    }
    free(a);
    free(d);
}

void wilson_ref_schur_source(const wilson_schur *s, const wilson_spinor *src, wilson_spinor *b)
{
    const wilson_ref *w = s->w;
    wilson_spinor *a = wilson_ref_field(w->volume), *d = wilson_ref_field(w->volume);
    memset(b, 0, (size_t)w->volume * sizeof *b);
    inverse_on(w, WILSON_PLAIN, (naik_parity)!s->parity, src, a);
    hops_on(w, WILSON_PLAIN, s->parity, a, d);
    for (int64_t x = 0; x < w->volume; x++) {
        if (has_parity(w, x, s->parity)) {
            combine(src[x], 0.5, d[x], a[x]);
        }
    }
    if (s->asymmetric) {
        for (int64_t x = 0; x < w->volume; x++) {
            if (has_parity(w, x, s->parity)) {
                memcpy(b[x], a[x], sizeof *b);
            }
        }
    } else {
        inverse_on(w, WILSON_PLAIN, s->parity, a, b);
    }
    free(a);
    free(d);
}

void wilson_ref_schur_rebuild(const wilson_schur *s, const wilson_spinor *src, wilson_spinor *x)
{
    const wilson_ref *w = s->w;
    const naik_parity q = (naik_parity)!s->parity;
    wilson_spinor *d = wilson_ref_field(w->volume);
    hops_on(w, WILSON_PLAIN, q, x, d);
    for (int64_t site = 0; site < w->volume; site++) {
        combine(src[site], 0.5, d[site], d[site]);
    }
    inverse_on(w, WILSON_PLAIN, q, d, x);
    free(d);
}

/* ---- norms */

double complex wilson_ref_dot(const wilson_ref *w, const wilson_spinor *a, const wilson_spinor *b)
{
    double complex sum = 0;
    for (int64_t i = 0; i < 12 * w->volume; i++) {
        sum += times(conj(((const double complex *)a)[i]), ((const double complex *)b)[i]);
    }
    return sum;
}

double wilson_ref_residual(const wilson_ref *w, const wilson_spinor *src, const wilson_spinor *x)
{
    wilson_spinor *r = wilson_ref_field(w->volume);
    wilson_ref_operator(w, WILSON_PLAIN, x, r);
    for (int64_t site = 0; site < w->volume; site++) {
        combine(src[site], -1, r[site], r[site]);
    }
    const double rr = creal(wilson_ref_dot(w, r, r));
    free(r);
    return sqrt(rr / creal(wilson_ref_dot(w, src, src)));
}
