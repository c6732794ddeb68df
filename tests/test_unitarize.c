/* test_unitarize.c - the projections: unitary, nearest, with and without the fallback
 *
 * ranks: 1
 */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "check.h"
#include "fixture.h"
#include "lattice/su3.h"
#include "links/unitarize.h"

static naik_matrix random_matrix(naik_rng *rng)
{
    naik_matrix m;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            m.e[i][j] = (naik_complex){naik_rng_gaussian(rng), naik_rng_gaussian(rng)};
        }
    }
    return m;
}

/* Random unitary by Gram-Schmidt on the columns of a random matrix: shares nothing with the code
 * under test. */
static naik_matrix random_unitary(naik_rng *rng)
{
    naik_matrix m = random_matrix(rng);
    for (int j = 0; j < 3; j++) {
        for (int twice = 0; twice < 2; twice++) {
            for (int i = 0; i < j; i++) {
                naik_complex overlap = {0, 0};
                for (int k = 0; k < 3; k++) {
                    overlap = naik_cadd(overlap, naik_cmul(naik_conj(m.e[k][i]), m.e[k][j]));
                }
                for (int k = 0; k < 3; k++) {
                    m.e[k][j] = naik_csub(m.e[k][j], naik_cmul(overlap, m.e[k][i]));
                }
            }
            double norm = 0;
            for (int k = 0; k < 3; k++) {
                norm += naik_cnorm2(m.e[k][j]);
            }
            for (int k = 0; k < 3; k++) {
                m.e[k][j] = naik_cscale(1 / sqrt(norm), m.e[k][j]);
            }
        }
    }
    return m;
}

static double distance(const naik_matrix *a, const naik_matrix *b)
{
    naik_matrix d = *a;
    naik_mat_add(&d, -1, b);
    return sqrt(fixture_norm2(&d));
}

static double unitarity(const naik_matrix *w)
{
    const naik_matrix square = naik_mat_dagger_mul(w, w), one = naik_mat_unit();
    return distance(&square, &one);
}

/* V = A diag(sigma) B^+ with random unitary A, B, whose polar factor is A B^+. */
static naik_matrix with_singular_values(naik_rng *rng, const double sigma[3], naik_matrix *polar)
{
    naik_matrix a = random_unitary(rng);
    const naik_matrix b = random_unitary(rng);
    *polar = naik_mat_mul_dagger(&a, &b);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            a.e[i][j] = naik_cscale(sigma[j], a.e[i][j]);
        }
    }
    return naik_mat_mul_dagger(&a, &b);
}

static void projection_is_unitary_and_leaves_a_positive_rest(check *t)
{
    naik_rng rng = naik_rng_at(11, 0, 0);
    for (int trial = 0; trial < 500; trial++) {
        naik_projection how = NAIK_PROJECTION_SVD;
        const naik_matrix v = random_matrix(&rng);
        const naik_matrix w = naik_unitarize(&v, &how);
        CHECK_NEAR(t, unitarity(&w), 0, 3e-15);
        /* H = W^+ V: hermitian, and positive by Sylvester's leading minors. */
        const naik_matrix h = naik_mat_dagger_mul(&w, &v), hd = naik_mat_dagger(&h);
        /* Rounding errors of W that do not commute with Q grow with the condition number. */
        CHECK_NEAR(t, distance(&h, &hd), 0, 1e-13 * sqrt(fixture_norm2(&v)));
        CHECK_TRUE(t, h.e[0][0].re > 0);
        CHECK_TRUE(t, h.e[0][0].re * h.e[1][1].re > naik_cnorm2(h.e[0][1]));
        CHECK_TRUE(t, naik_mat_det(&h).re > 0);
    }
}

static void projection_finds_the_polar_factor(check *t)
{
    static const double sigma[][3] = {{1, 1, 1},        {1, 0.9, 0.8},         {1.5, 1.5, 0.7},
                                      {1, 1 + 1e-9, 1}, {1.2, 0.5, 0.05},      {1.1, 1, 2e-3},
                                      {1, 1, 1.1e-4},   {0.3, 0.3, 0.3 + 1e-8}};
    naik_rng rng = naik_rng_at(12, 0, 0);
    for (int k = 0; k < (int)(sizeof sigma / sizeof *sigma); k++) {
        for (int trial = 0; trial < 20; trial++) {
            naik_projection how = NAIK_PROJECTION_SVD;
            naik_matrix polar;
            const naik_matrix v = with_singular_values(&rng, sigma[k], &polar);
            const naik_matrix w = naik_unitarize(&v, &how);
            const double smallest = fmin(sigma[k][0], fmin(sigma[k][1], sigma[k][2]));
            CHECK_TRUE(t, how == NAIK_PROJECTION_SERIES || smallest < 1e-3);
            /* V itself carries rounding errors, which the smallest singular value magnifies. */
            CHECK_NEAR(t, distance(&w, &polar), 0, 2e-15 + 3e-15 / smallest);
            CHECK_NEAR(t, unitarity(&w), 0, 3e-15);
        }
    }
}

static void nearly_singular_matrices_take_the_fallback(check *t)
{
    static const double sigma[][3] = {
        {1, 1, 0.9e-4}, {1, 1, 1e-9}, {1, 1e-3, 1e-3}, {1e-3, 1e-3, 1e-3}, {1e-60, 1e-60, 1e-60}};
    naik_rng rng = naik_rng_at(13, 0, 0);
    for (int k = 0; k < (int)(sizeof sigma / sizeof *sigma); k++) {
        for (int trial = 0; trial < 20; trial++) {
            naik_projection how = NAIK_PROJECTION_SERIES;
            naik_matrix polar;
            const naik_matrix v = with_singular_values(&rng, sigma[k], &polar);
            const naik_matrix w = naik_unitarize(&v, &how);
            const double smallest = fmin(sigma[k][0], fmin(sigma[k][1], sigma[k][2]));
            const double largest = fmax(sigma[k][0], fmax(sigma[k][1], sigma[k][2]));
            CHECK_INT(t, how, NAIK_PROJECTION_SVD);
            CHECK_NEAR(t, unitarity(&w), 0, 5e-15);
            CHECK_NEAR(t, distance(&w, &polar), 0, 5e-15 + 3e-15 * largest / smallest);
        }
    }
    naik_projection how = NAIK_PROJECTION_SVD;
    naik_matrix polar;
    static const double regular[3] = {1, 1, 1.1e-4}; /* |det|^2 = 1.2e-8 */
    const naik_matrix v = with_singular_values(&rng, regular, &polar);
    (void)naik_unitarize(&v, &how);
    CHECK_INT(t, how, NAIK_PROJECTION_SERIES);
}

/* A row of matrices of all kinds, in every order: each comes out as it does alone. */
static void rows_have_the_bits_of_single_links(check *t)
{
    static const double sigma[][3] = {{1, 0.9, 0.8}, {1, 1, 1e-5}, {1, 1, 1},     {1, 0.7, 0},
                                      {NAN, 1, 1},   {1, 2, 3},    {1e200, 1, 1}, {0.3, 0.3, 0.3}};
    naik_rng rng = naik_rng_at(15, 0, 0);
    for (int trial = 0; trial < 64; trial++) {
        naik_matrix v[NAIK_ROW_SITES], alone[NAIK_ROW_SITES], together[NAIK_ROW_SITES];
        naik_row row, out;
        const int n = 1 + trial % NAIK_ROW_SITES;
        int64_t expected[2] = {0, 0}, found[2] = {0, 0};
        for (int i = 0; i < NAIK_ROW_SITES; i++) {
            naik_matrix polar;
            naik_projection how;
            v[i] = trial < 8 ? random_matrix(&rng)
                             : with_singular_values(&rng, sigma[(i * 3 + trial) % 8], &polar);
            alone[i] = naik_unitarize(&v[i], &how);
            expected[0] += i < n && how != NAIK_PROJECTION_SERIES;
            expected[1] += i < n && how == NAIK_PROJECTION_ARBITRARY;
        }
        naik_rows_from_links(v, 1, NAIK_ROW_SITES, &row);
        naik_unitarize_row(&row, n, &out, found);
        naik_rows_to_links(&out, NAIK_ROW_SITES, together, 1);
        CHECK_INT(t, found[0], expected[0]);
        CHECK_INT(t, found[1], expected[1]);
        for (int i = 0; i < n; i++) {
            const double *a = &alone[i].e[0][0].re, *b = &together[i].e[0][0].re;
            for (int k = 0; k < NAIK_ROW_REALS; k++) {
                CHECK_TRUE(t, memcmp(&a[k], &b[k], sizeof *a) == 0 || (isnan(a[k]) && isnan(b[k])));
            }
        }
    }
}

static void singular_matrices_still_give_unitary_ones(check *t)
{
    naik_rng rng = naik_rng_at(14, 0, 0);
    static const double sigma[][3] = {{1, 0.7, 0}, {1, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < 3; k++) {
        for (int trial = 0; trial < 20; trial++) {
            naik_projection how = NAIK_PROJECTION_SERIES;
            naik_matrix polar;
            const naik_matrix v = with_singular_values(&rng, sigma[k], &polar);
            const naik_matrix w = naik_unitarize(&v, &how);
            CHECK_INT(t, how, NAIK_PROJECTION_ARBITRARY);
            CHECK_NEAR(t, unitarity(&w), 0, 5e-15);
            /* W^+ V is |V|: A diag(sigma) ... its norm equals V's and it is hermitian. */
            const naik_matrix h = naik_mat_dagger_mul(&w, &v), hd = naik_mat_dagger(&h);
            CHECK_NEAR(t, distance(&h, &hd), 0, 1e-14);
            CHECK_NEAR(t, naik_mat_trace(&h).re, sigma[k][0] + sigma[k][1] + sigma[k][2], 1e-14);
        }
    }
    naik_matrix exact = naik_mat_zero(); /* exact zeros, one column and one row */
    exact.e[0][1].re = 2;
    exact.e[2][2].im = -3;
    naik_projection how = NAIK_PROJECTION_SERIES;
    const naik_matrix w = naik_unitarize(&exact, &how);
    CHECK_INT(t, how, NAIK_PROJECTION_ARBITRARY);
    CHECK_NEAR(t, unitarity(&w), 0, 5e-15);
    CHECK_NEAR(t, w.e[0][1].re, 1, 1e-15);
    CHECK_NEAR(t, w.e[2][2].im, -1, 1e-15);
    /* One part in 1e10 is the border, wherever the least value stands. */
    for (int trial = 0; trial < 60; trial++) {
        const double least = trial % 2 == 0 ? 1.02e-10 : 0.98e-10, size = 1 + trial;
        const double mixed[3] = {trial % 3 == 0 ? least * size : size,
                                 trial % 3 == 1 ? least * size : size,
                                 trial % 3 == 2 ? least * size : 0.5 * size};
        naik_matrix polar;
        const naik_matrix v = with_singular_values(&rng, mixed, &polar);
        (void)naik_unitarize(&v, &how);
        CHECK_INT(t, how, trial % 2 == 0 ? NAIK_PROJECTION_SVD : NAIK_PROJECTION_ARBITRARY);
    }
}

static void unitary_matrices_are_left_alone(check *t)
{
    naik_rng rng = naik_rng_at(15, 0, 0);
    for (int trial = 0; trial < 100; trial++) {
        naik_projection how = NAIK_PROJECTION_SVD;
        const naik_matrix v = random_unitary(&rng), w = naik_unitarize(&v, &how);
        CHECK_INT(t, how, NAIK_PROJECTION_SERIES);
        CHECK_NEAR(t, distance(&v, &w), 0, 3e-15);
    }
}

/* u of determinant 1 or -1, w of any phase, close to every place where a cube root may go wrong. */
static void special_projection_takes_the_nearest_phase_that_gives_the_determinant(check *t)
{
    static const double angles[] = {0,    1e-17, 1e-9,         -1e-5,          0.3, -1, M_PI / 2,
                                    -1.9, 3,     M_PI - 1e-12, -(M_PI - 1e-9), 2.7};
    const int opposite = 9; /* of the angles: the one whose cube root rounding decides */
    naik_rng rng = naik_rng_at(17, 0, 0);
    for (int k = 0; k < 2 * (int)(sizeof angles / sizeof *angles); k++) {
        const double angle = angles[k / 2], sign = k % 2 == 0 ? 1 : -1;
        naik_matrix u = random_matrix(&rng), w = random_matrix(&rng);
        CHECK_TRUE(t, naik_mat_reunitarise(&u) && naik_mat_reunitarise(&u));
        CHECK_TRUE(t, naik_mat_reunitarise(&w) && naik_mat_reunitarise(&w)); /* det w = 1 */
        u = naik_mat_scale(sign, &u);
        const naik_complex third = {sign * cos(angle / 3), sign * sin(angle / 3)};
        const naik_matrix turned = naik_mat_rotate(third, &w), wanted = naik_mat_scale(sign, &w);
        naik_projection how = NAIK_PROJECTION_SVD;
        const naik_matrix found = naik_special_unitarize(&turned, &u, &how);
        CHECK_INT(t, how, k / 2 == opposite ? NAIK_PROJECTION_ARBITRARY : NAIK_PROJECTION_SVD);
        CHECK_NEAR(t, distance(&found, &wanted), 0, 5e-15);
        CHECK_NEAR(t, unitarity(&found), 0, 5e-15);
        CHECK_NEAR(t, naik_mat_det(&found).re, sign, 5e-15);
    }
    naik_matrix u = naik_mat_unit(), zero = naik_mat_zero(), w = naik_mat_unit();
    w.e[1][1].re = NAN;
    naik_projection how = NAIK_PROJECTION_SERIES;
    const naik_matrix lost[2] = {naik_special_unitarize(&w, &u, &how),
                                 naik_special_unitarize(&u, &zero, &how)};
    CHECK_TRUE(t, isnan(fixture_norm2(&lost[0])) && isnan(fixture_norm2(&lost[1])));
}

static void numbers_out_of_range_do_not_pass_unseen(check *t)
{
    naik_rng rng = naik_rng_at(16, 0, 0);
    naik_projection how = NAIK_PROJECTION_SERIES;
    naik_matrix v = random_matrix(&rng);
    v.e[1][2].im = NAN;
    naik_matrix w = naik_unitarize(&v, &how);
    CHECK_TRUE(t, isnan(fixture_norm2(&w)));
    v.e[1][2].im = INFINITY;
    w = naik_unitarize(&v, &how);
    CHECK_TRUE(t, isnan(fixture_norm2(&w)));
    naik_matrix polar;
    static const double huge[3] = {1e200, 2e200, 3e200};
    v = with_singular_values(&rng, huge, &polar);
    w = naik_unitarize(&v, &how);
    CHECK_INT(t, how, NAIK_PROJECTION_SVD);
    CHECK_NEAR(t, distance(&w, &polar), 0, 1e-14);
}

CHECK_MAIN(CHECK(projection_is_unitary_and_leaves_a_positive_rest),
           CHECK(projection_finds_the_polar_factor),
           CHECK(nearly_singular_matrices_take_the_fallback),
           CHECK(rows_have_the_bits_of_single_links),
           CHECK(singular_matrices_still_give_unitary_ones), CHECK(unitary_matrices_are_left_alone),
           CHECK(special_projection_takes_the_nearest_phase_that_gives_the_determinant),
           CHECK(numbers_out_of_range_do_not_pass_unseen))
