/* test_multigrid_kernels.c - what a backend does of multigrid, against slow sums on the host
 * ranks: 1 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "multigrid_kernels_fixture.h"

static const double roundings = MG_ROUNDINGS, bits16 = 1e-4;

/* Column n of N at a row of a member, conjugated. */
static naik_complex conjugated(const mg_fixture *m, int storage, int fine, int64_t cb, int row,
                               int n)
{
    return naik_conj(m->host[storage][fine][(cb * m->vectors + n % m->vectors) * MG_ROWS + row]);
}

/* P^+ of rows of a host copy `v` of `each` rhs on a fine parity, in an aggregate: component n of rhs c, of the
 * members of which `part` is the bit k of `across` (2: of all). */
static naik_complex restricted(const mg_fixture *m, int storage, int fine, int coarse, int site,
                               const naik_complex *v, int each, int c, int n, int k, int part)
{
    const int first = n / m->vectors * (MG_ROWS / 2);
    naik_complex sum = {0, 0};
    for (int i = 0; i < m->a.fine; i++) {
        const int across = m->a.across[coarse][(2 * site + fine) * m->a.fine + i] >> k & 1;
        const int64_t cb = mg_member(m, coarse, site, fine, i);
        for (int row = first; row < first + MG_ROWS / 2 && (part == 2 || across == part); row++) {
            sum = naik_cfma(conjugated(m, storage, fine, cb, row, n),
                            v[(cb * each + c) * MG_ROWS + row], sum);
        }
    }
    return sum;
}

static void expect_orthonormal(check *t, const mg_fixture *m, const naik_orthonormal *met)
{
    const int sites = m->a.count[0] + m->a.count[1];
    double worst = 0;
    CHECK_INT(t, met->replaced, m->vectors > 3 ? 2 * sites : 0); /* column 3, of both chiralities */
    CHECK_TRUE(t, met->least < NAIK_MG_ALIKE);
    for (int s = 0; s < sites; s++) {
        const int coarse = s >= m->a.count[0], site = s - (coarse ? m->a.count[0] : 0);
        for (int j = 0; j < m->components * m->components; j++) {
            const int left = j / m->components, right = j % m->components;
            naik_complex sum = {left == right ? -1 : 0, 0};
            for (int fine = 0; fine < 2 && left / m->vectors == right / m->vectors; fine++) {
                /* of one column as a field of `vectors` rhs */
                const naik_complex part = restricted(m, 0, fine, coarse, site, m->host[0][fine],
                                                     m->vectors, right % m->vectors, left, 0, 2);
                sum = naik_cadd(sum, part);
            }
            worst = naik_worst(worst, naik_cnorm2(sum));
        }
    }
    CHECK_NEAR(t, sqrt(worst), 0, 7e-7);
    for (int fine = 0; fine < 2; fine++) { /* and in 16 bits */
        const int64_t count = (int64_t)m->f.lat->volume_cb * m->vectors * MG_ROWS;
        CHECK_NEAR(t, mg_distance(m->host[1][fine], m->host[0][fine], count), 0, bits16);
    }
}

static void columns_become_orthonormal_and_equal_ones_are_replaced(check *t)
{
    mg_for_shapes(t, expect_orthonormal);
}

static void expect_restriction(check *t, const mg_fixture *m, int storage, naik_parity fine)
{
    naik_coarse out[2] = {mg_coarse(t, m), mg_coarse(t, m)};
    naik_coarse *const outs[2] = {&out[0], &out[1]};
    naik_field *v = NULL;
    const int64_t rows = (int64_t)m->f.lat->volume_cb * m->nrhs * MG_ROWS;
    naik_complex *host = mg_random(rows, 77);
    CHECK_OK(t, naik_field_create_spin(m->f.geometry, NAIK_SINGLE, NAIK_SPIN, m->nrhs, &v));
    mg_put(t, v, fine, host);
    CHECK_OK(t, m->ops->restrict_to(&m->p[storage], fine, v, outs));
    for (int coarse = 0; coarse < 2; coarse++) {
        const int64_t count = mg_coarse_count(m, (naik_parity)coarse);
        naik_complex *got = mg_take_coarse(t, &out[coarse], (naik_parity)coarse);
        naik_complex *expected = calloc((size_t)count, sizeof *expected);
        for (int64_t i = 0; i < count; i++) {
            const int n = (int)(i % m->components), c = (int)(i / m->components) % m->nrhs;
            expected[i] =
                restricted(m, storage, (int)fine, coarse, (int)(i / (m->components * m->nrhs)),
                           host, m->nrhs, c, n, 0, 2);
        }
        CHECK_NEAR(t, mg_distance(got, expected, count), 0, roundings);
        free(got);
        free(expected);
        mg_release(m, out[coarse].data);
    }
    naik_field_destroy(&v);
    free(host);
}

static void expect_restrictions(check *t, const mg_fixture *m, const naik_orthonormal *met)
{
    (void)met;
    for (int n = 0; n < 4; n++) {
        expect_restriction(t, m, n / 2, (naik_parity)(n % 2));
    }
}

static void restriction_is_that_of_slow_sums(check *t)
{
    mg_for_shapes(t, expect_restrictions);
}

/* v += P e of a coarse parity. */
static void interpolate(const mg_fixture *m, int storage, int fine, int coarse,
                        const naik_complex *e, naik_complex *v)
{
    for (int i = 0; i < m->a.count[coarse] * m->a.fine * m->nrhs * MG_ROWS; i++) {
        const int row = i % MG_ROWS, c = i / MG_ROWS % m->nrhs, member = i / (MG_ROWS * m->nrhs);
        const int site = member / m->a.fine, first = row / (MG_ROWS / 2) * m->vectors;
        const int64_t cb = mg_member(m, coarse, site, fine, member % m->a.fine);
        naik_complex *to = &v[(cb * m->nrhs + c) * MG_ROWS + row];
        for (int n = first; n < first + m->vectors; n++) {
            *to = naik_cfma_conj(e[((int64_t)site * m->nrhs + c) * m->components + n],
                                 conjugated(m, storage, fine, cb, row, n), *to);
        }
    }
}

static void expect_interpolation(check *t, const mg_fixture *m, int storage, naik_parity fine)
{
    naik_coarse e[2] = {mg_coarse(t, m), mg_coarse(t, m)};
    const naik_coarse *const es[2] = {&e[0], &e[1]};
    const int64_t rows = (int64_t)m->f.lat->volume_cb * m->nrhs * MG_ROWS;
    naik_complex *expected = calloc((size_t)rows, sizeof *expected);
    naik_field *v = NULL;
    CHECK_OK(t, naik_field_create_spin(m->f.geometry, NAIK_SINGLE, NAIK_SPIN, m->nrhs, &v));
    for (int c = 0; c < 2; c++) {
        naik_complex *host = mg_random(mg_coarse_count(m, (naik_parity)c), (uint64_t)(90 + c));
        mg_put_coarse(t, &e[c], (naik_parity)c, host);
        interpolate(m, storage, (int)fine, c, host, expected);
        free(host);
    }
    CHECK_OK(t, m->ops->prolong(&m->p[storage], fine, es, v));
    naik_complex *got = mg_take(t, v, fine);
    CHECK_NEAR(t, mg_distance(got, expected, rows), 0, roundings);
    mg_release(m, e[0].data);
    mg_release(m, e[1].data);
    naik_field_destroy(&v);
    free(expected);
    free(got);
}

static void expect_interpolations(check *t, const mg_fixture *m, const naik_orthonormal *met)
{
    (void)met;
    for (int n = 0; n < 4; n++) {
        expect_interpolation(t, m, n / 2, (naik_parity)(n % 2));
    }
}

static void interpolation_is_that_of_slow_sums(check *t)
{
    mg_for_shapes(t, expect_interpolations);
}

/* ---- coarse matrices, on the host [parity][which][site][row][column] */
typedef struct matrices {
    naik_complex *of[2][NAIK_MG_MATRICES];
} matrices;

static void free_matrices(matrices *x)
{
    for (int n = 0; n < 2 * NAIK_MG_MATRICES; n++) {
        free(x->of[n / NAIK_MG_MATRICES][n % NAIK_MG_MATRICES]);
    }
}

static matrices take_matrices(check *t, const mg_fixture *m, const naik_coarse_links *links)
{
    matrices x;
    for (int n = 0; n < 2 * NAIK_MG_MATRICES; n++) {
        const int parity = n / NAIK_MG_MATRICES, which = n % NAIK_MG_MATRICES;
        x.of[parity][which] = mg_matrix(t, m, links, which, (naik_parity)parity);
    }
    return x;
}

static int64_t matrix_count(const mg_fixture *m, int parity)
{
    return (int64_t)m->a.count[parity] * m->components * m->components;
}

/* Adds s P^+ w of columns from `column` on to what the host has. */
static void add_on_host(const mg_fixture *m, int fine, const naik_complex *w, int each, int k,
                        int column, double s, matrices *x)
{
    for (int coarse = 0; coarse < 2; coarse++) {
        const int count = m->a.count[coarse] * m->components * each;
        for (int i = 0; i < count; i++) {
            const int c = i % each, row = i / each % m->components;
            const int site = i / (each * m->components);
            const int64_t at = ((int64_t)site * m->components + row) * m->components + column + c;
            const bool local = k == NAIK_MG_LOCAL;
            naik_complex *inside = &x->of[coarse][NAIK_MG_LOCAL][at];
            const naik_complex here =
                restricted(m, 1, fine, coarse, site, w, each, c, row, local ? 0 : k, local ? 2 : 0);
            *inside = naik_cadd(*inside, naik_cscale(s, here));
            if (!local) {
                const naik_complex there =
                    restricted(m, 1, fine, coarse, site, w, each, c, row, k, 1);
                x->of[coarse][k][at] = naik_cadd(x->of[coarse][k][at], naik_cscale(s, there));
            }
        }
    }
}

/* Random numbers in the place of hops of `each` columns, those of a column by its number alone. */
static naik_complex *random_hops(const mg_fixture *m, uint64_t seed, int column, int each)
{
    const int64_t cbs = m->f.lat->volume_cb;
    naik_complex *w = calloc((size_t)(cbs * each * MG_ROWS), sizeof *w);
    for (int c = 0; c < each; c++) {
        naik_complex *one = mg_random(cbs * MG_ROWS, seed + (uint64_t)(column + c));
        for (int64_t cb = 0; cb < cbs; cb++) {
            memcpy(w + (cb * each + c) * MG_ROWS, one + cb * MG_ROWS, MG_ROWS * sizeof *one);
        }
        free(one);
    }
    return w;
}

/* Matrices of random w in the place of hops; x, where not NULL, is what they are to be. */
static naik_coarse_links make_matrices(check *t, const mg_fixture *m, matrices *x)
{
    naik_coarse_links links = mg_links(t, m, NAIK_SINGLE);
    naik_field *v = NULL;
    CHECK_OK(t, naik_field_create_spin(m->f.geometry, NAIK_SINGLE, NAIK_SPIN, m->nrhs, &v));
    for (int n = 0; x != NULL && n < 2 * NAIK_MG_MATRICES; n++) {
        x->of[n / NAIK_MG_MATRICES][n % NAIK_MG_MATRICES] =
            calloc((size_t)matrix_count(m, n / NAIK_MG_MATRICES), sizeof(naik_complex));
    }
    for (int column = 0; column < m->components; column += m->nrhs) {
        const int left = m->components - column, each = left < m->nrhs ? left : m->nrhs;
        for (int n = 0; n < 2 * NAIK_MG_MATRICES; n++) { /* in the order of galerkin's contract */
            const int fine = n / NAIK_MG_MATRICES, step = n % NAIK_MG_MATRICES;
            const int k = step == 0 ? NAIK_MG_LOCAL : step - 1;
            const float s = k == NAIK_MG_LOCAL ? 2.0f : -0.5f;
            naik_complex *w = random_hops(m, (uint64_t)(1000 + 100 * n), column, each);
            naik_field_set_nrhs(v, each);
            mg_put(t, v, (naik_parity)fine, w);
            CHECK_OK(t, m->ops->galerkin(&m->p[1], (naik_parity)fine, v, k, column, s, &links));
            if (x != NULL) {
                add_on_host(m, fine, w, each, k, column, s, x);
            }
            free(w);
        }
    }
    naik_field_destroy(&v);
    return links;
}

/* a b, site by site. */
static naik_complex *multiplied(const mg_fixture *m, const naik_complex *a, const naik_complex *b,
                                int parity)
{
    const int n = m->components;
    naik_complex *c = calloc((size_t)matrix_count(m, parity), sizeof *c);
    for (int64_t i = 0; i < matrix_count(m, parity); i++) {
        const int64_t row = i / n, first = row / n * n, column = i % n;
        for (int k = 0; k < n; k++) {
            c[i] = naik_cfma(a[row * n + k], b[(first + k) * n + column], c[i]);
        }
    }
    return c;
}

static void expect_inverses(check *t, const mg_fixture *m, const matrices *x, const matrices *z,
                            double tolerance)
{
    for (int n = 0; n < 2 * NAIK_MG_MATRICES; n++) {
        const int parity = n / NAIK_MG_MATRICES, which = n % NAIK_MG_MATRICES;
        naik_complex *back =
            multiplied(m, x->of[parity][NAIK_MG_LOCAL], z->of[parity][which], parity);
        const int64_t count = matrix_count(m, parity), each = (int64_t)m->components;
        naik_complex *one = calloc((size_t)count, sizeof *one);
        for (int64_t i = 0; i < count; i++) {
            one[i].re = i / each % each == i % each;
        }
        const naik_complex *expected = which == NAIK_MG_LOCAL ? one : x->of[parity][which];
        CHECK_NEAR(t, mg_distance(back, expected, count), 0, tolerance);
        free(back);
        free(one);
    }
}

/* out = sum of matrices times `in`, or v less that, with matrices as they are stored. */
static void expect_dslash(check *t, const mg_fixture *m, const naik_coarse_links *links,
                          const matrices *z, naik_parity parity, bool subtract)
{
    /* of what cancels; a vector may be split into numbers of 8 bits beside 16-bit matrices */
    const double tolerance = links->precision == NAIK_HALF ? bits16 : 1e-5;
    const naik_parity across = (naik_parity)!parity;
    const int n = m->components;
    const int64_t count = mg_coarse_count(m, parity);
    naik_coarse in = mg_coarse(t, m), out = mg_coarse(t, m);
    naik_complex *x = mg_random(mg_coarse_count(m, across), 5), *v = mg_random(count, 6);
    naik_complex *expected = calloc((size_t)count, sizeof *expected);
    for (int64_t i = 0; i < count * NAIK_MG_POINTS; i++) {
        const int k = (int)(i / count), row = (int)(i % count % n),
                  c = (int)(i % count / n % m->nrhs);
        const int site = (int)(i % count / (n * m->nrhs));
        const int there = m->a.neighbour[parity][site * NAIK_MG_POINTS + k];
        for (int j = 0; j < n; j++) {
            expected[i % count] =
                naik_cfma(z->of[parity][k][((int64_t)site * n + row) * n + j],
                          x[((int64_t)there * m->nrhs + c) * n + j], expected[i % count]);
        }
    }
    for (int64_t i = 0; i < count && subtract; i++) {
        expected[i] = naik_csub(v[i], expected[i]);
    }
    mg_put_coarse(t, &in, across, x);
    mg_put_coarse(t, &out, parity, v);
    CHECK_OK(t, m->ops->dslash(links, parity, &in, subtract ? &out : NULL, &out));
    naik_complex *got = mg_take_coarse(t, &out, parity);
    CHECK_NEAR(t, mg_distance(got, expected, count), 0, tolerance);
    mg_release(m, in.data);
    mg_release(m, out.data);
    free(x);
    free(v);
    free(expected);
    free(got);
}

static void expect_coarse_operator(check *t, const mg_fixture *m, const naik_orthonormal *met)
{
    (void)met;
    matrices x;
    int64_t singular = -1;
    naik_coarse_links made = make_matrices(t, m, &x);
    naik_coarse_links used[2] = {mg_links(t, m, NAIK_SINGLE), mg_links(t, m, NAIK_HALF)};
    matrices got = take_matrices(t, m, &made);
    for (int n = 0; n < 2 * NAIK_MG_MATRICES; n++) {
        const int parity = n / NAIK_MG_MATRICES, which = n % NAIK_MG_MATRICES;
        CHECK_NEAR(t,
                   mg_distance(got.of[parity][which], x.of[parity][which], matrix_count(m, parity)),
                   0, roundings);
    }
    free_matrices(&got);
    for (int storage = 0; storage < 2; storage++) {
        CHECK_OK(t, m->ops->invert(&made, &used[storage], &singular));
        CHECK_INT(t, singular, 0);
        matrices z = take_matrices(t, m, &used[storage]);
        expect_inverses(t, m, &x, &z, storage == 0 ? 1e-4 : 5e-3);
        for (int n = 0; n < 4; n++) {
            expect_dslash(t, m, &used[storage], &z, (naik_parity)(n % 2), n >= 2);
        }
        free_matrices(&z);
        mg_release(m, used[storage].data);
    }
    free_matrices(&x);
    mg_release(m, made.data);
}

static void coarse_matrices_are_made_inverted_and_applied(check *t)
{
    mg_for_shapes(t, expect_coarse_operator);
}

static void sites_without_an_inverse_are_counted(check *t)
{
    mg_fixture m;
    naik_orthonormal met;
    if (mg_fixture_create(t, 3, 2, &m, &met)) {
        naik_coarse_links zero = mg_links(t, &m, NAIK_SINGLE), out = mg_links(t, &m, NAIK_HALF);
        int64_t singular = 0;
        CHECK_OK(t, m.ops->invert(&zero, &out, &singular));
        CHECK_INT(t, singular, m.a.count[0] + m.a.count[1]);
        mg_release(&m, zero.data);
        mg_release(&m, out.data);
        mg_fixture_destroy(&m);
    }
}

/* ---- products and multiples of coarse vectors: more of them than a launch takes */
enum { MANY = 70 };
typedef struct many {
    naik_coarse v[MANY];
    const naik_coarse *at[MANY];
    naik_complex *host[MANY];
} many;

static void make_many(check *t, const mg_fixture *m, many *x)
{
    for (int j = 0; j < MANY; j++) {
        x->v[j] = mg_coarse(t, m);
        x->at[j] = &x->v[j];
        x->host[j] = mg_random(mg_coarse_count(m, NAIK_EVEN), (uint64_t)(2000 + j));
        mg_put_coarse(t, &x->v[j], NAIK_EVEN, x->host[j]);
    }
}

static void free_many(const mg_fixture *m, many *x)
{
    for (int j = 0; j < MANY; j++) {
        mg_release(m, x->v[j].data);
        free(x->host[j]);
    }
}

static void expect_products(check *t, const mg_fixture *m, const many *x, const naik_coarse *w,
                            const naik_complex *host)
{
    const int sums = MANY * m->nrhs;
    const size_t bytes = (size_t)sums * 2 * sizeof(int64_t);
    double scale[MANY * NAIK_MG_WIDTH];
    void *products = NULL;
    int64_t *got = malloc(bytes);
    CHECK_OK(t, naik_backend_alloc(m->f.backend, bytes, "products", &products));
    for (int i = 0; i < sums; i++) {
        scale[i] = i % 5 == 4 ? 0 : ldexp(1, 40 - i % 3);
    }
    CHECK_OK(t, m->ops->products(x->at, MANY, w, NAIK_EVEN, scale, products));
    CHECK_OK(t, naik_backend_download(m->f.backend, got, products, bytes));
    for (int i = 0; i < sums; i++) {
        const int j = i / m->nrhs, c = i % m->nrhs;
        naik_complex sum = {0, 0};
        for (int64_t at = 0; at < mg_coarse_count(m, NAIK_EVEN); at++) {
            if (at / m->components % m->nrhs == c) {
                sum = naik_cfma_conj(host[at], x->host[j][at], sum);
            }
        }
        /* a rounding to an integer a site, and those of doubles */
        CHECK_NEAR(t, (double)got[2 * i], scale[i] * sum.re, m->a.count[0] + 1e-12 * scale[i]);
        CHECK_NEAR(t, (double)got[2 * i + 1], scale[i] * sum.im, m->a.count[0] + 1e-12 * scale[i]);
    }
    naik_backend_release(m->f.backend, products);
    free(got);
}

static void expect_update(check *t, const mg_fixture *m, const many *x, naik_coarse *w,
                          naik_complex *host)
{
    double a[NAIK_MG_WIDTH], b[MANY * NAIK_MG_WIDTH * 2];
    naik_complex *number = mg_random(MANY * m->nrhs, 9);
    for (int i = 0; i < MANY * m->nrhs; i++) {
        const int c = i % m->nrhs;
        a[c] = c == 0 ? 0 : c == 1 ? 1 : 0.75;
        const bool none = c == 1 || i % 7 == 0; /* rhs 1 stays */
        b[2 * i] = none ? 0 : number[i].re;
        b[2 * i + 1] = none ? 0 : number[i].im;
    }
    CHECK_OK(t, m->ops->update(w, NAIK_EVEN, a, x->at, MANY, b));
    for (int64_t at = 0; at < mg_coarse_count(m, NAIK_EVEN); at++) {
        const int c = (int)(at / m->components % m->nrhs);
        host[at] = naik_cscale(a[c], host[at]);
        for (int j = 0; j < MANY; j++) {
            const double *f = b + 2 * (j * m->nrhs + c);
            host[at] = naik_cfma((naik_complex){f[0], f[1]}, x->host[j][at], host[at]);
        }
    }
    naik_complex *got = mg_take_coarse(t, w, NAIK_EVEN);
    CHECK_NEAR(t, mg_distance(got, host, mg_coarse_count(m, NAIK_EVEN)), 0, roundings);
    free(got);
    free(number);
}

static void expect_sums(check *t, const mg_fixture *m, const naik_orthonormal *met)
{
    (void)met;
    many x;
    naik_coarse w = mg_coarse(t, m);
    naik_complex *host = mg_random(mg_coarse_count(m, NAIK_EVEN), 17);
    make_many(t, m, &x);
    mg_put_coarse(t, &w, NAIK_EVEN, host);
    expect_products(t, m, &x, &w, host);
    expect_update(t, m, &x, &w, host);
    free_many(m, &x);
    mg_release(m, w.data);
    free(host);
}

static void products_and_multiples_are_those_of_slow_sums(check *t)
{
    mg_for_shapes(t, expect_sums);
}

static void noise_is_that_of_the_global_site(check *t)
{
    mg_fixture m;
    naik_orthonormal met;
    naik_field *v = NULL;
    if (!mg_fixture_create(t, 3, 2, &m, &met)) {
        return;
    }
    t->skip = m.ops->noise == NULL ? "the host makes the noise of this backend" : NULL;
    if (t->skip == NULL &&
        CHECK_OK(t, naik_field_create_spin(m.f.geometry, NAIK_DOUBLE, NAIK_SPIN, 2, &v))) {
        double worst = 0;
        CHECK_OK(t, m.ops->noise(v, NAIK_ODD, 1, 12, 5));
        naik_complex *got = mg_take(t, v, NAIK_ODD);
        for (int i = 0; i < m.f.lat->volume_cb * MG_ROWS; i++) {
            const int cb = i / MG_ROWS, row = i % MG_ROWS;
            const naik_complex *here = &got[(2 * (int64_t)cb + 1) * MG_ROWS + row];
            float expected[2];
            naik_mg_noise(naik_lattice_site_of(m.f.lat, NAIK_ODD, cb), 12, row, 5, expected);
            worst = naik_worst(worst, fabs(here->re - expected[0]) + fabs(here->im - expected[1]));
        }
        CHECK_NEAR(t, worst, 0, 0);
        free(got);
        naik_field_destroy(&v);
    }
    mg_fixture_destroy(&m);
}

/* P^+ v, and a matrix times it, of the first rhs of a batch. */
static naik_complex *first_of_batch(check *t, int nrhs, int64_t *count)
{
    mg_fixture m;
    naik_orthonormal met;
    if (!mg_fixture_create(t, 5, nrhs, &m, &met)) {
        return NULL;
    }
    int64_t singular;
    naik_coarse_links made = make_matrices(t, &m, NULL), used = mg_links(t, &m, NAIK_HALF);
    naik_coarse v[3] = {mg_coarse(t, &m), mg_coarse(t, &m), mg_coarse(t, &m)};
    naik_coarse *const two[2] = {&v[0], &v[1]};
    naik_field *field = NULL;
    const int64_t rows = (int64_t)m.f.lat->volume_cb * MG_ROWS;
    naik_complex *one = mg_random(rows, 4), *all = mg_random(rows * nrhs, 3);
    CHECK_OK(t, naik_field_create_spin(m.f.geometry, NAIK_SINGLE, NAIK_SPIN, nrhs, &field));
    for (int64_t cb = 0; cb < m.f.lat->volume_cb; cb++) {
        memcpy(all + cb * nrhs * MG_ROWS, one + cb * MG_ROWS, MG_ROWS * sizeof *one);
    }
    mg_put(t, field, NAIK_EVEN, all);
    CHECK_OK(t, m.ops->restrict_to(&m.p[1], NAIK_EVEN, field, two));
    CHECK_OK(t, m.ops->invert(&made, &used, &singular));
    CHECK_OK(t, m.ops->dslash(&used, NAIK_EVEN, &v[1], NULL, &v[2]));
    naik_complex *got = mg_take_coarse(t, &v[2], NAIK_EVEN);
    *count = (int64_t)m.a.count[0] * m.components;
    for (int64_t i = 0; i < *count; i++) {
        got[i] = got[i / m.components * nrhs * m.components + i % m.components];
    }
    for (int i = 0; i < 3; i++) {
        mg_release(&m, v[i].data);
    }
    mg_release(&m, made.data);
    mg_release(&m, used.data);
    naik_field_destroy(&field);
    free(one);
    free(all);
    mg_fixture_destroy(&m);
    return got;
}

static void bits_do_not_depend_on_the_batch(check *t)
{
    int64_t count = 0;
    if (!mg_is_long()) {
        CHECK_SKIP(t, "two batches of matrices: in the long run and on GPUs");
    }
    naik_complex *alone = first_of_batch(t, 2, &count);
    if (alone != NULL) {
        naik_complex *among = first_of_batch(t, 5, &count);
        CHECK_INT(t, memcmp(alone, among, (size_t)count * sizeof *alone), 0);
        free(among);
    }
    free(alone);
}

CHECK_MAIN(CHECK_UP_TO(1, columns_become_orthonormal_and_equal_ones_are_replaced),
           CHECK_UP_TO(1, restriction_is_that_of_slow_sums),
           CHECK_UP_TO(1, interpolation_is_that_of_slow_sums),
           CHECK_UP_TO(1, coarse_matrices_are_made_inverted_and_applied),
           CHECK_UP_TO(1, sites_without_an_inverse_are_counted),
           CHECK_UP_TO(1, products_and_multiples_are_those_of_slow_sums),
           CHECK_UP_TO(1, noise_is_that_of_the_global_site),
           CHECK_UP_TO(1, bits_do_not_depend_on_the_batch))
