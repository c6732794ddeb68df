/* test_modes.c - low modes: what is projected, added and rotated, against slow sums, on any grid
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exactsum.h"
#include "cg_fixture.h"
#include "comm/collective.h"
#include "modes_fixture.h"

enum { MODES = 19, NRHS = 5 }; /* neither fills its last block or tile */
static const naik_precision stores[2] = {NAIK_SINGLE, NAIK_HALF};
static const naik_precision vectors[3] = {NAIK_DOUBLE, NAIK_SINGLE, NAIK_HALF};

static naik_complex slow_product(check *t, const fixture *f, const double *v, const double *r)
{
    naik_exactsum sums[2] = {{{0}}, {{0}}};
    for (int64_t k = 0; k < (int64_t)f->lat->sites * 3; k++) {
        naik_exactsum_add(&sums[0], v[2 * k] * r[2 * k]);
        naik_exactsum_add(&sums[0], v[2 * k + 1] * r[2 * k + 1]);
        naik_exactsum_add(&sums[1], v[2 * k] * r[2 * k + 1]);
        naik_exactsum_add(&sums[1], -(v[2 * k + 1] * r[2 * k]));
    }
    CHECK_OK(t, naik_comm_sum_exact(f->backend->comm, sums, 2));
    return (naik_complex){naik_exactsum_value(&sums[0]), naik_exactsum_value(&sums[1])};
}

static void products_with_modes_are_those_of_slow_sums(check *t)
{
    static const double tolerance[3] = {1e-14, 2e-8,
                                        2e-8}; /* of |r|: roundings of bricks average */
    fixture f;
    if (cg_fixture(t, &f)) {
        naik_modes_work *work = NULL;
        CHECK_OK(t, naik_modes_work_create(f.geometry, MODES, NRHS, &work));
        for (int s = 0; s < 2; s++) {
            const naik_parity parity = (naik_parity)s;
            naik_modes *modes = fixture_modes(t, &f, stores[s], parity, MODES);
            for (int p = 0; p < 3; p++) {
                naik_field *r = fixture_field(t, &f, vectors[p], NRHS, 7, parity);
                naik_complex c[MODES * NRHS];
                double norm2[NRHS];
                CHECK_OK(t, naik_modes_norms(work, r, norm2));
                norm2[3] = 0; /* left out */
                CHECK_OK(t, naik_modes_project(work, modes->block, MODES, 1.001, r, norm2, c));
                double worst = 0;
                for (int i = 0; i < MODES; i++) {
                    double *v = fixture_stored_mode(t, &f, modes, parity, i);
                    for (int j = 0; j < NRHS; j++) {
                        double *rj = fixture_stored(t, &f, r, parity, j);
                        const naik_complex e = slow_product(t, &f, v, rj), *g = &c[i * NRHS + j];
                        if (j == 3) {
                            CHECK_TRUE(t, g->re == 0 && g->im == 0);
                        } else {
                            worst = naik_worst(worst,
                                               hypot(g->re - e.re, g->im - e.im) / sqrt(norm2[j]));
                        }
                        free(rj);
                    }
                    free(v);
                }
                CHECK_NEAR(t, worst, 0, tolerance[p]);
                naik_field_destroy(&r);
            }
            naik_modes_destroy(&modes);
        }
        naik_modes_work_destroy(&work);
    }
    fixture_destroy(&f);
}

/* Products, and the first site's... all sites of what is added and rotated, as one array of doubles
 * that every rank holds for its own box. */
typedef struct outcome {
    naik_complex c[MODES * NRHS];
    double *added, *rotated; /* [sites][3][2], summed over rhs and modes with weights */
} outcome;

static void mix(check *t, const fixture *f, const naik_field *field, int nrhs, double *sum)
{
    for (int j = 0; j < nrhs; j++) {
        double *x = fixture_stored(t, f, field, NAIK_EVEN, j);
        for (int64_t k = 0; k < (int64_t)f->lat->sites * 6; k++) {
            sum[k] = fma(1 + 0.25 * j, x[k], sum[k]);
        }
        free(x);
    }
}

static outcome work_through(check *t, const fixture *f, naik_precision precision)
{
    outcome out;
    double norm2[NRHS];
    naik_complex q[MODES * NRHS];
    naik_modes_work *work = NULL;
    const size_t reals = (size_t)f->lat->sites * 6;
    out.added = calloc(reals, sizeof(double));
    out.rotated = calloc(reals, sizeof(double));
    naik_modes *modes = fixture_modes(t, f, precision, NAIK_EVEN, MODES);
    naik_field *r = fixture_field(t, f, NAIK_SINGLE, NRHS, 7, NAIK_EVEN);
    CHECK_OK(t, naik_modes_work_create(f->geometry, MODES, NRHS, &work));
    CHECK_OK(t, naik_modes_norms(work, r, norm2));
    CHECK_OK(t, naik_modes_project(work, modes->block, MODES, 1.001, r, norm2, out.c));
    for (int i = 0; i < MODES * NRHS; i++) {
        q[i] = (naik_complex){0.1 * (i % 7) - 0.2, 0.05 * (i % 11)};
    }
    CHECK_OK(t, naik_modes_add(work, modes->block, MODES, q, r, NULL, NAIK_RHS_IDLE));
    mix(t, f, r, NRHS, out.added);
    if (precision == NAIK_SINGLE) {
        CHECK_OK(t, naik_modes_rotate(work, modes->block, MODES, q, NRHS));
        mix(t, f, modes->block[0], NRHS, out.rotated);
    }
    naik_modes_work_destroy(&work);
    naik_modes_destroy(&modes);
    naik_field_destroy(&r);
    return out;
}

static void compare_with_one_rank(check *t, const int size[4], const int grid[4])
{
    fixture one, many;
    for (int s = 0; s < 2; s++) {
        if (fixture_create(t, size, NULL, true, false, 1, &one) &&
            fixture_create(t, size, grid, false, false, 2, &many)) {
            outcome a = work_through(t, &one, stores[s]), b = work_through(t, &many, stores[s]);
            CHECK_TRUE(t, memcmp(a.c, b.c, sizeof a.c) == 0);
            for (int32_t site = 0; site < many.lat->sites; site++) {
                int x[4];
                naik_lattice_coords(many.lat, site, x);
                const int64_t global = naik_lattice_global(many.lat, x);
                CHECK_TRUE(t, memcmp(a.added + 6 * global, b.added + 6 * (int64_t)site,
                                     6 * sizeof(double)) == 0);
                CHECK_TRUE(t, memcmp(a.rotated + 6 * global, b.rotated + 6 * (int64_t)site,
                                     6 * sizeof(double)) == 0);
            }
            free(a.added);
            free(a.rotated);
            free(b.added);
            free(b.rotated);
        }
        fixture_destroy(&one);
        fixture_destroy(&many);
    }
}

static void modes_give_equal_bits_on_every_grid(check *t)
{
    cg_on_grids(t, compare_with_one_rank);
    fixture_for_cut_and_split(t, compare_with_one_rank);
}

static void modes_are_added_as_a_slow_sum(check *t)
{
    static const double tolerance[3] = {1e-14, 4 * FLT_EPSILON, 2e-4};
    fixture f;
    if (cg_fixture(t, &f)) {
        const naik_rhs record[NRHS] = {{.state = NAIK_RHS_CHECK},
                                       {.state = NAIK_RHS_CHECK},
                                       {.state = NAIK_RHS_RUN},
                                       {.state = NAIK_RHS_CHECK},
                                       {.state = NAIK_RHS_CHECK}};
        naik_modes_work *work = NULL;
        naik_rhs *rhs = NULL;
        naik_complex a[MODES * NRHS];
        CHECK_OK(t, naik_modes_work_create(f.geometry, MODES, NRHS, &work));
        CHECK_OK(t, naik_backend_alloc(f.backend, sizeof record, "records", (void **)&rhs));
        CHECK_OK(t, naik_backend_upload(f.backend, rhs, record, sizeof record));
        for (int i = 0; i < MODES * NRHS; i++) {
            a[i] = (naik_complex){sin(i), cos(3 * i)};
        }
        for (int p = 0; p < 3; p++) {
            naik_modes *modes = fixture_modes(t, &f, stores[p % 2], NAIK_ODD, MODES);
            naik_field *x = fixture_field(t, &f, vectors[p], NRHS, 7, NAIK_ODD);
            double *expected[NRHS], largest = 0;
            for (int j = 0; j < NRHS; j++) {
                expected[j] = fixture_stored(t, &f, x, NAIK_ODD, j);
            }
            for (int i = 0; i < MODES; i++) {
                double *v = fixture_stored_mode(t, &f, modes, NAIK_ODD, i);
                for (int j = 0; j < NRHS; j++) {
                    const naik_complex w = a[i * NRHS + j];
                    for (int64_t k = 0; j != 2 && k < (int64_t)f.lat->sites * 3; k++) {
                        expected[j][2 * k] += w.re * v[2 * k] - w.im * v[2 * k + 1];
                        expected[j][2 * k + 1] += w.re * v[2 * k + 1] + w.im * v[2 * k];
                    }
                }
                free(v);
            }
            CHECK_OK(t, naik_modes_add(work, modes->block, MODES, a, x, rhs, NAIK_RHS_CHECK));
            for (int j = 0; j < NRHS; j++) {
                double *got = fixture_stored(t, &f, x, NAIK_ODD, j);
                const double worst = fixture_difference(&f, got, expected[j], NAIK_ODD, &largest);
                CHECK_NEAR(t, worst / largest, 0, j == 2 ? 0 : tolerance[p]);
                free(got);
                free(expected[j]);
            }
            naik_field_destroy(&x);
            naik_modes_destroy(&modes);
        }
        naik_backend_release(f.backend, rhs);
        naik_modes_work_destroy(&work);
    }
    fixture_destroy(&f);
}

/* Kernels have tiles of modes and rhs, of a shape for each width: none shows in a bit, and what fills
 * several tiles is what a slow sum says. */
static void a_column_is_the_same_in_batches_of_all_widths(check *t)
{
    enum { MANY = 67, WIDE = 18, WIDTHS = 6 };
    static const int width[WIDTHS] = {WIDE, 1, 3, 6, 11, 16};
    fixture f;
    for (int s = 0; s < 2; s++) {
        if (cg_fixture(t, &f)) {
            const size_t bytes = 6 * (size_t)f.lat->sites * sizeof(double);
            naik_complex *c = calloc(MANY * WIDE, sizeof *c), *d = calloc(MANY * WIDE, sizeof *d);
            double norm2[WIDE], *added[WIDE], worst = 0;
            naik_modes_work *work = NULL;
            naik_modes *modes = fixture_modes(t, &f, stores[s], NAIK_EVEN, MANY);
            CHECK_OK(t, naik_modes_work_create(f.geometry, MANY, WIDE, &work));
            for (int w = 0; w < WIDTHS; w++) {
                const int n = width[w];
                naik_field *r = fixture_field(t, &f, NAIK_SINGLE, n, 7, NAIK_EVEN);
                naik_field *x = fixture_field(t, &f, NAIK_DOUBLE, n, 9, NAIK_EVEN);
                CHECK_OK(t, naik_modes_norms(work, r, norm2));
                CHECK_OK(t, naik_modes_project(work, modes->block, MANY, 1.001, r, norm2,
                                               w == 0 ? c : d));
                for (int i = 0; w > 0 && i < MANY; i++) {
                    CHECK_TRUE(t, memcmp(d + i * n, c + i * WIDE, (size_t)n * sizeof *c) == 0);
                }
                for (int i = 0; w == 0 && i < MANY; i += 13) {
                    double *v = fixture_stored_mode(t, &f, modes, NAIK_EVEN, i);
                    for (int j = 1; j < WIDE; j += 4) {
                        double *rj = fixture_stored(t, &f, r, NAIK_EVEN, j);
                        const naik_complex e = slow_product(t, &f, v, rj), *g = &c[i * WIDE + j];
                        worst =
                            naik_worst(worst, hypot(g->re - e.re, g->im - e.im) / sqrt(norm2[j]));
                        free(rj);
                    }
                    free(v);
                }
                for (int i = 0; i < MANY * n; i++) {
                    const int k = i / n * WIDE + i % n;
                    d[i] = (naik_complex){sin(k), cos(3 * k)};
                }
                CHECK_OK(t, naik_modes_add(work, modes->block, MANY, d, x, NULL, NAIK_RHS_IDLE));
                for (int j = 0; j < n; j++) {
                    double *got = fixture_stored(t, &f, x, NAIK_EVEN, j);
                    if (w == 0) {
                        added[j] = got;
                    } else {
                        CHECK_TRUE(t, memcmp(got, added[j], bytes) == 0);
                        free(got);
                    }
                }
                naik_field_destroy(&x);
                naik_field_destroy(&r);
            }
            CHECK_NEAR(t, worst, 0, 2e-8);
            for (int j = 0; j < WIDE; j++) {
                free(added[j]);
            }
            naik_modes_work_destroy(&work);
            naik_modes_destroy(&modes);
            free(d);
            free(c);
        }
        fixture_destroy(&f);
    }
}

static void modes_are_rotated_in_place(check *t)
{
    enum { KEPT = 11 };
    fixture f;
    if (cg_fixture(t, &f)) {
        naik_modes_work *work = NULL;
        naik_complex q[MODES * KEPT];
        double *old[MODES];
        naik_modes *modes = fixture_modes(t, &f, NAIK_SINGLE, NAIK_EVEN, MODES);
        const size_t reals = (size_t)f.lat->sites * 6;
        CHECK_OK(t, naik_modes_work_create(f.geometry, MODES, KEPT, &work));
        for (int i = 0; i < MODES; i++) {
            old[i] = fixture_stored_mode(t, &f, modes, NAIK_EVEN, i);
        }
        for (int i = 0; i < MODES * KEPT; i++) {
            q[i] = (naik_complex){sin(2 * i), cos(5 * i)};
        }
        CHECK_OK(t, naik_modes_rotate(work, modes->block, MODES, q, KEPT));
        for (int j = 0; j < KEPT; j++) {
            double *expected = calloc(reals, sizeof *expected), largest = 0;
            for (int i = 0; i < MODES; i++) {
                const naik_complex w = q[i * KEPT + j];
                for (size_t k = 0; k < reals; k += 2) {
                    expected[k] += w.re * old[i][k] - w.im * old[i][k + 1];
                    expected[k + 1] += w.re * old[i][k + 1] + w.im * old[i][k];
                }
            }
            double *got = fixture_stored_mode(t, &f, modes, NAIK_EVEN, j);
            const double worst = fixture_difference(&f, got, expected, NAIK_EVEN, &largest);
            CHECK_NEAR(t, worst / largest, 0, FLT_EPSILON);
            free(got);
            free(expected);
        }
        for (int i = 0; i < MODES; i++) {
            free(old[i]);
        }
        naik_modes_work_destroy(&work);
        naik_modes_destroy(&modes);
    }
    fixture_destroy(&f);
}

/* Of more modes than a device turns at once, from pieces of the sites: each is a sum of two. */
static void many_modes_are_rotated_in_place(check *t)
{
    enum { PIECES = 3, NUMBERS_BYTES = 32 * 24 };
    fixture f;
    if (cg_fixture(t, &f)) {
        const int many = f.backend->ops->host_memory ? 83 : 523, kept = many - 6;
        naik_modes_work *work = NULL;
        naik_complex *q = calloc((size_t)(many * kept), sizeof *q);
        naik_modes *modes = fixture_modes(t, &f, NAIK_SINGLE, NAIK_EVEN, many);
        naik_modes *old = fixture_modes(t, &f, NAIK_SINGLE, NAIK_EVEN, many);
        const size_t reals = (size_t)f.lat->sites * 6;
        CHECK_OK(t, naik_modes_work_create(f.geometry, many, kept, &work));
        CHECK_OK(t, naik_modes_work_rotates(work));
        if (work->aside != NULL) { /* so that there are several pieces */
            work->aside_bytes = (size_t)PIECES * (size_t)(many + 7) * NUMBERS_BYTES;
        }
        for (int j = 0; j < kept; j++) {
            q[(7 * j + 3) % many * kept + j] = (naik_complex){1 + 0.001 * j, -0.5};
            q[(11 * j + many - 1) % many * kept + j] = (naik_complex){0.25, 0.002 * j};
        }
        CHECK_OK(t, naik_modes_rotate(work, modes->block, many, q, kept));
        for (int j = 0; j < kept; j += j < kept - 9 ? 29 : 1) {
            double *expected = calloc(reals, sizeof *expected), largest = 0;
            const int from[2] = {(7 * j + 3) % many, (11 * j + many - 1) % many};
            for (int i = 0; i < 2 - (from[0] == from[1]); i++) {
                const naik_complex w = q[from[i] * kept + j];
                double *v = fixture_stored_mode(t, &f, old, NAIK_EVEN, from[i]);
                for (size_t k = 0; k < reals; k += 2) {
                    expected[k] += w.re * v[k] - w.im * v[k + 1];
                    expected[k + 1] += w.re * v[k + 1] + w.im * v[k];
                }
                free(v);
            }
            double *got = fixture_stored_mode(t, &f, modes, NAIK_EVEN, j);
            const double worst = fixture_difference(&f, got, expected, NAIK_EVEN, &largest);
            CHECK_NEAR(t, worst / largest, 0, FLT_EPSILON);
            free(got);
            free(expected);
        }
        naik_modes_work_destroy(&work);
        naik_modes_destroy(&old);
        naik_modes_destroy(&modes);
        free(q);
    }
    fixture_destroy(&f);
}

static bool is_zero(const double *numbers, size_t count)
{
    bool zero = true;
    for (size_t i = 0; i < count; i++) {
        zero = zero && numbers[i] == 0;
    }
    return zero;
}

/* Ascending, equal ones in their order, each vector with its numbers; what is no number loses none. Of the last block
 * what is no mode is zero. */
static void modes_are_sorted_in_place(check *t)
{
    static const double value[MODES] = {3, 1, 2,  0.5, 9,  9,  8,  1,  4, 5,
                                        6, 7, 11, 10,  12, 15, 13, 13, 0};
    static const int expected[MODES] = {18, 3, 1, 7,  2,  0,  8,  9,  10, 11,
                                        6,  4, 5, 13, 12, 14, 16, 17, 15};
    fixture f;
    if (cg_fixture(t, &f)) {
        naik_modes *modes = fixture_modes(t, &f, NAIK_SINGLE, NAIK_EVEN, MODES);
        naik_modes *old = fixture_modes(t, &f, NAIK_SINGLE, NAIK_EVEN, MODES);
        naik_field *spare = fixture_field(t, &f, NAIK_SINGLE, NAIK_MODES_BLOCK, 7, NAIK_EVEN);
        const size_t bytes = (size_t)f.lat->sites * 6 * sizeof(double);
        for (int i = 0; i < MODES; i++) {
            modes->lambda2[i] = value[i];
            modes->residual[i] = i;
        }
        CHECK_OK(t, f.backend->ops->field.copy(modes->block[modes->blocks - 1], spare, NULL,
                                               NAIK_RHS_IDLE));
        for (int i = (modes->blocks - 1) * NAIK_MODES_BLOCK; i < MODES; i++) {
            CHECK_OK(t, f.backend->ops->field.copy_rhs(
                            modes->block[i / NAIK_MODES_BLOCK], i % NAIK_MODES_BLOCK,
                            old->block[i / NAIK_MODES_BLOCK], i % NAIK_MODES_BLOCK));
        }
        CHECK_OK(t, naik_modes_sort(modes, spare));
        for (int i = MODES; i < modes->blocks * NAIK_MODES_BLOCK; i++) {
            double *rest = fixture_stored_mode(t, &f, modes, NAIK_EVEN, i);
            CHECK_TRUE(t, is_zero(rest, bytes / sizeof *rest));
            free(rest);
        }
        for (int i = 0; i < MODES; i++) {
            double *a = fixture_stored_mode(t, &f, modes, NAIK_EVEN, i);
            double *b = fixture_stored_mode(t, &f, old, NAIK_EVEN, expected[i]);
            CHECK_TRUE(t, memcmp(a, b, bytes) == 0);
            CHECK_TRUE(t, modes->lambda2[i] == value[expected[i]]);
            CHECK_INT(t, (int)modes->residual[i], expected[i]);
            free(a);
            free(b);
        }
        for (int i = 0; i < MODES; i++) {
            modes->lambda2[i] = i % 3 == 0 ? NAN : -i;
            modes->residual[i] = i;
        }
        CHECK_OK(t, naik_modes_sort(modes, spare));
        double sum = 0;
        for (int i = 0; i < MODES; i++) {
            sum += modes->residual[i];
        }
        CHECK_NEAR(t, sum, MODES * (MODES - 1) / 2, 0);
        naik_field_destroy(&spare);
        naik_modes_destroy(&old);
        naik_modes_destroy(&modes);
    }
    fixture_destroy(&f);
}

static void modes_are_rounded_as_they_are_copied(check *t)
{
    fixture f;
    if (cg_fixture(t, &f)) {
        naik_modes *modes = fixture_modes(t, &f, NAIK_SINGLE, NAIK_EVEN, MODES), *copy = NULL,
                   *half = NULL;
        modes->lambda2[MODES - 1] = 3;
        CHECK_OK(t, naik_modes_create(f.geometry, NAIK_HALF, MODES, &copy));
        CHECK_OK(t, naik_modes_copy(modes, copy));
        CHECK_OK(t, naik_modes_round(&modes, &half));
        CHECK_TRUE(t, modes == NULL && half->precision == NAIK_HALF && half->count == MODES);
        CHECK_TRUE(t, half->lambda2[MODES - 1] == 3);
        for (int i = 0; i < MODES; i++) {
            double *a = fixture_stored_mode(t, &f, half, NAIK_EVEN, i);
            double *b = fixture_stored_mode(t, &f, copy, NAIK_EVEN, i);
            CHECK_TRUE(t, memcmp(a, b, (size_t)f.lat->sites * 6 * sizeof *a) == 0);
            free(a);
            free(b);
        }
        naik_modes_destroy(&copy);
        naik_modes_destroy(&half);
    }
    fixture_destroy(&f);
}

static void what_cannot_be_is_refused(check *t)
{
    fixture f;
    if (cg_fixture(t, &f)) {
        naik_modes *modes = NULL;
        naik_modes_work *work = NULL;
        naik_complex c[4];
        CHECK_STATUS(t, naik_modes_create(f.geometry, NAIK_SINGLE, 0, &modes), NAIK_ERR_ARG);
        CHECK_STATUS(t, naik_modes_create(f.geometry, NAIK_DOUBLE, 3, &modes), NAIK_ERR_ARG);
        CHECK_STATUS(t, naik_modes_create(f.geometry, NAIK_HALF, NAIK_MODES_MAX + 1, &modes),
                     NAIK_ERR_ARG);
        CHECK_TRUE(t, modes == NULL);
        CHECK_OK(t, naik_modes_create(f.geometry, NAIK_SINGLE, 2, &modes));
        CHECK_OK(t, naik_modes_work_create(f.geometry, 2, 2, &work));
        naik_field *wide = fixture_field(t, &f, NAIK_SINGLE, 3, 7, NAIK_EVEN);
        CHECK_STATUS(t, naik_modes_add(work, modes->block, 1, c, wide, NULL, NAIK_RHS_IDLE),
                     NAIK_ERR_ARG);
        naik_field_destroy(&wide);
        wide = fixture_field(t, &f, NAIK_DOUBLE, 1, 7, NAIK_EVEN);
        CHECK_STATUS(t, naik_modes_add(work, &wide, 1, c, wide, NULL, NAIK_RHS_IDLE), NAIK_ERR_ARG);
        naik_field_destroy(&wide);
        wide = fixture_field(t, &f, NAIK_HALF, 1, 7, NAIK_EVEN); /* a scale a site */
        const naik_status refused = naik_modes_add(work, &wide, 1, c, wide, NULL, NAIK_RHS_IDLE);
        CHECK_TRUE(t, strstr(naik_log_message(t->log), "single precision or bricks are wanted"));
        CHECK_STATUS(t, refused, NAIK_ERR_ARG);
        naik_field_destroy(&wide);
        naik_modes_work_destroy(&work);
        naik_modes_destroy(&modes);
    }
    fixture_destroy(&f);
}

/* Even sites in the order of the checkerboard, the bits of single precision. */
static void modes_go_to_files_as_they_are_and_come_back(check *t)
{
    fixture f;
    if (cg_fixture(t, &f)) {
        const naik_mode_ops *ops = &f.backend->ops->modes;
        naik_modes *modes = fixture_modes(t, &f, NAIK_SINGLE, NAIK_EVEN, MODES), *back = NULL;
        CHECK_OK(t, naik_modes_create(f.geometry, NAIK_SINGLE, MODES, &back));
        float *packed = malloc((size_t)f.lat->volume_cb * 6 * sizeof *packed);
        int different = 0;
        for (int i = 0; i < MODES; i++) {
            const int block = i / NAIK_MODES_BLOCK, irhs = i % NAIK_MODES_BLOCK;
            double *v = fixture_stored_mode(t, &f, modes, NAIK_EVEN, i);
            CHECK_OK(t, ops->to_host(modes->block[block], irhs, packed));
            CHECK_OK(t, ops->from_host(back->block[block], irhs, packed));
            double *again = fixture_stored_mode(t, &f, back, NAIK_EVEN, i);
            for (int32_t cb = 0; cb < f.lat->volume_cb; cb++) {
                const double *site = v + 6 * (int64_t)naik_lattice_site_of(f.lat, NAIK_EVEN, cb);
                for (int k = 0; k < 6; k++) {
                    different += (double)packed[6 * cb + k] != site[k];
                }
            }
            CHECK_INT(t, memcmp(v, again, naik_lattice_vector_bytes(f.lat)), 0);
            free(v);
            free(again);
        }
        CHECK_INT(t, different, 0);
        free(packed);
        naik_modes_destroy(&modes);
        naik_modes_destroy(&back);
    }
    fixture_destroy(&f);
}

CHECK_MAIN(CHECK(products_with_modes_are_those_of_slow_sums),
           CHECK(modes_give_equal_bits_on_every_grid), CHECK(modes_are_added_as_a_slow_sum),
           CHECK(a_column_is_the_same_in_batches_of_all_widths), CHECK(modes_are_rotated_in_place),
           CHECK(modes_go_to_files_as_they_are_and_come_back),
           CHECK(many_modes_are_rotated_in_place), CHECK(modes_are_sorted_in_place),
           CHECK(modes_are_rounded_as_they_are_copied), CHECK(what_cannot_be_is_refused))
