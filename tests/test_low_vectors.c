/* test_low_vectors.c - products of all pairs of low modes, and sums of modes, against slow ones and those of the CPU
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/create.h"
#include "backend/halo.h"
#include "backend/low_vectors.h"
#include "cg_fixture.h"

enum { VECTORS = 67, ROWS = 5, REALS = 6 }; /* more than a tile; those on the left in double */

/* What the calls take, on the host. */
typedef struct numbers {
    int64_t sites, slice;
    float *left, *right;
    double *wide; /* [ROWS] */
    naik_complex *weight;
    double *factors; /* [2][VECTORS][2] */
} numbers;

/* Vectors of about length 1, weights of absolute value 1 or less. */
static numbers make_numbers(const fixture *f)
{
    numbers n = {.sites = f->lat->sites, .slice = f->lat->sites / f->lat->local[3]};
    const int64_t reals = REALS * n.sites;
    n.left = malloc((size_t)(VECTORS * reals) * sizeof *n.left);
    n.right = malloc((size_t)(VECTORS * reals) * sizeof *n.right);
    n.wide = malloc((size_t)(ROWS * reals) * sizeof *n.wide);
    n.weight = malloc((size_t)n.slice * sizeof *n.weight);
    n.factors = malloc(4 * VECTORS * sizeof *n.factors);
    const double norm = sqrt(3.0 * (double)f->lat->volume);
    for (int i = 0; i < 2 * VECTORS; i++) {
        double *v = fixture_vector(f, 100 + (uint64_t)i, -1);
        float *to = (i < VECTORS ? n.left : n.right) + reals * (i % VECTORS);
        for (int64_t r = 0; r < reals; r++) {
            to[r] = (float)(v[r] / norm);
            if (i < ROWS) {
                n.wide[reals * i + r] = v[r] / norm;
            }
        }
        free(v);
    }
    double *v = fixture_vector(f, 99, -1);
    for (int64_t s = 0; s < n.slice; s++) {
        const double size = sqrt(v[REALS * s] * v[REALS * s] + v[REALS * s + 1] * v[REALS * s + 1]);
        n.weight[s] =
            naik_cscale(ldexp(1, NAIK_PAIR_BITS),
                        (naik_complex){v[REALS * s] / (1 + size), v[REALS * s + 1] / (1 + size)});
    }
    free(v);
    for (int k = 0; k < 4 * VECTORS; k++) {
        n.factors[k] = sin(k + 1.0);
    }
    return n;
}

static void free_numbers(numbers *n)
{
    free(n->left);
    free(n->right);
    free(n->wide);
    free(n->weight);
    free(n->factors);
}

/* A copy in the backend's memory. */
static void *bring(check *t, naik_backend *backend, const void *from, size_t size_bytes)
{
    void *to = NULL;
    CHECK_OK(t, naik_backend_alloc(backend, size_bytes, "numbers", &to));
    CHECK_OK(t, naik_backend_upload(backend, to, from, size_bytes));
    return to;
}

/* there: ends with NULL. */
static void release(naik_backend *backend, void *const *there)
{
    for (int k = 0; there[k] != NULL; k++) {
        naik_backend_release(backend, there[k]);
    }
}

/* words [2][VECTORS][VECTORS][2] of a time slice, out [sites][REALS] of all sites, as a backend makes them. */
static void make(check *t, const naik_geometry *geometry, const numbers *n, bool same, bool half,
                 int slice, int64_t *words, double *out)
{
    naik_backend *backend = geometry->backend;
    const size_t all = 4 * VECTORS * VECTORS * sizeof *words;
    const size_t vectors = (size_t)(VECTORS * REALS * n->sites) * sizeof *n->left;
    const size_t sites = (size_t)(REALS * n->sites) * sizeof *out;
    float *left = bring(t, backend, n->left, vectors),
          *right = bring(t, backend, n->right, vectors);
    naik_complex *weight = bring(t, backend, n->weight, (size_t)n->slice * sizeof *n->weight);
    double *factors = bring(t, backend, n->factors, 4 * VECTORS * sizeof *n->factors);
    memset(words, 1, all);
    memset(out, 1, sites);
    int64_t *there = bring(t, backend, words, all);
    double *sum = bring(t, backend, out, sites);
    const naik_low_pairs args = {.left = left,
                                 .right = same ? left : right,
                                 .rows = VECTORS,
                                 .count = VECTORS,
                                 .weight = weight,
                                 .t = slice,
                                 .half = half,
                                 .words = there};
    CHECK_OK(t, backend->ops->low->pairs(geometry, &args));
    CHECK_OK(t, naik_backend_download(backend, words, there, all));
    CHECK_OK(t, backend->ops->low->combine(geometry, left, VECTORS, factors, sum));
    CHECK_OK(t, naik_backend_download(backend, out, sum, sites));
    float at[REALS * VECTORS];
    const int32_t site = (int32_t)(n->sites - 2);
    CHECK_OK(t, backend->ops->low->at_site(geometry, left, VECTORS, site, (float *)there));
    CHECK_OK(t, naik_backend_download(backend, at, there, sizeof at));
    for (int i = 0; i < VECTORS; i++) {
        const float *want = n->left + REALS * (n->sites * i + site);
        CHECK_INT(t, memcmp(at + (size_t)(REALS * i), want, REALS * sizeof *want), 0);
    }
    CHECK_OK(t, backend->ops->low->narrow(geometry, sum, right));
    float *narrowed = malloc(sites / 2);
    CHECK_OK(t, naik_backend_download(backend, narrowed, right, sites / 2));
    int different = 0;
    for (int64_t r = 0; r < REALS * n->sites; r++) {
        different += narrowed[r] != (float)out[r];
    }
    CHECK_INT(t, different, 0);
    free(narrowed);
    release(backend, (void *[]){left, right, weight, factors, there, sum, NULL});
}

static int parity_of(const fixture *f, int64_t site)
{
    int x[NAIK_DIM];
    naik_lattice_coords(f->lat, (int32_t)site, x);
    return naik_parity_of(x) ^ naik_parity_of(f->lat->origin);
}

/* One vector of a pair: single precision, or double where that is not NULL. */
typedef struct side {
    const float *narrow;
    const double *wide;
} side;

static naik_complex number_of(const side *v, int64_t at)
{
    return v->wide != NULL ? (naik_complex){v->wide[at], v->wide[at + 1]}
                           : (naik_complex){(double)v->narrow[at], (double)v->narrow[at + 1]};
}

/* The largest difference of the words of a pair of vectors from sums site by site, in units of the words. */
static double worst_of(const fixture *f, const numbers *n, const side *a, int i, const side *b,
                       int j, int slice, const int64_t *even, const int64_t *odd)
{
    const int64_t *const words[2] = {even, odd};
    double worst = 0, sum[2][2] = {{0}};
    for (int64_t s = 0; s < n->slice; s++) {
        const int64_t site = n->slice * slice + s;
        const int p = parity_of(f, site);
        for (int c = 0; c < 3; c++) {
            const naik_complex u = naik_conj(number_of(a, REALS * (n->sites * i + site) + 2 * c));
            const naik_complex v = number_of(b, REALS * (n->sites * j + site) + 2 * c);
            const naik_complex z = naik_cmul(n->weight[s], naik_cmul(u, v));
            sum[p][0] += z.re;
            sum[p][1] += z.im;
        }
    }
    for (int k = 0; k < 4; k++) {
        worst = naik_worst(worst, fabs((double)words[k / 2][k % 2] - sum[k / 2][k % 2]));
    }
    return worst;
}

/* Of every `step`-th pair of `rows` vectors on the left; half: of those with j >= i. */
static double worst_pair(const fixture *f, const numbers *n, const side *left, const side *right,
                         int rows, int step, bool half, int slice, const int64_t *words)
{
    double worst = 0;
    for (int pair = 0; pair < rows * VECTORS; pair += step) {
        const int i = pair / VECTORS, j = pair % VECTORS;
        const int64_t *even = words + 2 * pair, *odd = even + 2 * rows * VECTORS;
        worst = half && j < i
                    ? worst
                    : naik_worst(worst, worst_of(f, n, left, i, right, j, slice, even, odd));
    }
    return worst;
}

/* A brick is rounded to one, and each of its terms to 2^-53 of 2^60 over the volume. */
static double rounding_of(const fixture *f, const numbers *n)
{
    return (double)n->slice * (1 + ldexp(12, NAIK_PAIR_BITS - 53) / (double)f->lat->volume);
}

static double worst_sum(const fixture *f, const numbers *n, const double *out)
{
    double worst = 0;
    for (int64_t site = 0; site < n->sites; site++) {
        const double *a = n->factors + 2 * VECTORS * parity_of(f, site);
        for (int c = 0; c < 3; c++) {
            naik_complex sum = {0, 0};
            for (int i = 0; i < VECTORS; i++) {
                const float *v = n->left + REALS * (n->sites * i + site) + 2 * c;
                sum = naik_cadd(sum, naik_cmul((naik_complex){a[2 * i], a[2 * i + 1]},
                                               (naik_complex){(double)v[0], (double)v[1]}));
            }
            worst = naik_worst(worst, fabs(out[REALS * site + 2 * c] - sum.re));
            worst = naik_worst(worst, fabs(out[REALS * site + 2 * c + 1] - sum.im));
        }
    }
    return worst;
}

/* Words that are meant; the others are whatever. */
static int count_different(const int64_t *a, const int64_t *b, bool half)
{
    int different = 0;
    for (int k = 0; k < 4 * VECTORS * VECTORS; k++) {
        const int pair = k / 2 % (VECTORS * VECTORS);
        const bool wanted = !half || pair % VECTORS >= pair / VECTORS;
        different += wanted && a[k] != b[k];
    }
    return different;
}

/* What is tested, and the CPU beside it: in a build without a GPU with another number of threads. */
typedef struct place {
    fixture f;
    naik_backend *host;
    naik_geometry *geometry;
    numbers n;
    bool open;
} place;

static bool place_open(check *t, place *p)
{
    const naik_backend_options options = {.threads = 3};
    *p = (place){.host = NULL};
    p->open = cg_fixture(t, &p->f);
    if (p->open) {
        CHECK_OK(t, naik_backend_create(t->comm, "cpu", &options, &p->host));
        CHECK_OK(t, naik_geometry_create(p->host, p->f.lat, &p->geometry));
        p->n = make_numbers(&p->f);
    }
    return p->open;
}

static void place_close(place *p)
{
    if (p->open) {
        free_numbers(&p->n);
    }
    naik_geometry_destroy(&p->geometry);
    naik_backend_destroy(&p->host);
    fixture_destroy(&p->f);
}

/* Also on the CPU, bit for bit. */
static void pairs_and_sums_of_vectors_are_slow_ones(check *t)
{
    place p;
    const size_t words = 4 * VECTORS * VECTORS * sizeof(int64_t);
    if (place_open(t, &p)) {
        const size_t sites = (size_t)(REALS * p.n.sites) * sizeof(double);
        const side left = {.narrow = p.n.left}, right = {.narrow = p.n.right};
        int64_t *got = malloc(words), *other = malloc(words);
        double *sum = malloc(sites), *same = malloc(sites);
        for (int k = 0; k < 3; k++) { /* left times right, left times left, and half of that */
            const int slice = k % p.f.lat->local[3];
            make(t, p.f.geometry, &p.n, k > 0, k == 2, slice, got, sum);
            make(t, p.geometry, &p.n, k > 0, k == 2, slice, other, same);
            CHECK_NEAR(t,
                       worst_pair(&p.f, &p.n, &left, k > 0 ? &left : &right, VECTORS, 13, k == 2,
                                  slice, got),
                       0, rounding_of(&p.f, &p.n));
            CHECK_NEAR(t, worst_sum(&p.f, &p.n, sum), 0, VECTORS * DBL_EPSILON);
            CHECK_INT(t, count_different(got, other, k == 2), 0);
            CHECK_INT(t, memcmp(sum, same, sites), 0);
        }
        free(got);
        free(other);
        free(sum);
        free(same);
    }
    place_close(&p);
}

/* words [2][ROWS][VECTORS][2] of vectors in double on the left. */
static void make_wide(check *t, const naik_geometry *geometry, const numbers *n, int slice,
                      int64_t *words)
{
    naik_backend *backend = geometry->backend;
    const size_t all = (size_t)(4 * ROWS * VECTORS) * sizeof *words,
                 reals = (size_t)(REALS * n->sites);
    double *wide = bring(t, backend, n->wide, ROWS * reals * sizeof *wide);
    float *right = bring(t, backend, n->right, VECTORS * reals * sizeof *right);
    naik_complex *weight = bring(t, backend, n->weight, (size_t)n->slice * sizeof *n->weight);
    memset(words, 1, all);
    int64_t *there = bring(t, backend, words, all);
    const naik_low_pairs args = {.wide = wide,
                                 .right = right,
                                 .rows = ROWS,
                                 .count = VECTORS,
                                 .weight = weight,
                                 .t = slice,
                                 .words = there};
    CHECK_OK(t, backend->ops->low->pairs(geometry, &args));
    CHECK_OK(t, naik_backend_download(backend, words, there, all));
    release(backend, (void *[]){wide, right, weight, there, NULL});
}

/* A few vectors in double on the left, which rounding to single precision would change by 2^-25 and more of each term. */
static void vectors_on_the_left_may_be_in_double(check *t)
{
    place p;
    const size_t words = (size_t)(4 * ROWS * VECTORS) * sizeof(int64_t);
    if (place_open(t, &p)) {
        const side left = {.wide = p.n.wide}, right = {.narrow = p.n.right};
        int64_t *got = malloc(words), *other = malloc(words);
        for (int slice = 0; slice < 2 && slice < p.f.lat->local[3]; slice++) {
            make_wide(t, p.f.geometry, &p.n, slice, got);
            make_wide(t, p.geometry, &p.n, slice, other);
            CHECK_NEAR(t, worst_pair(&p.f, &p.n, &left, &right, ROWS, 1, false, slice, got), 0,
                       rounding_of(&p.f, &p.n));
            CHECK_INT(t, memcmp(got, other, words), 0);
        }
        free(got);
        free(other);
    }
    place_close(&p);
}

CHECK_MAIN(CHECK(pairs_and_sums_of_vectors_are_slow_ones),
           CHECK(vectors_on_the_left_may_be_in_double))
