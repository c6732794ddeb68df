/* test_fields.c - sums of fields, as the solvers take them
 *
 * ranks: 1 2
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dslash_fixture.h"

/* Sources that are zero in places, too: pieces of zeroes reach a device another way. */
static void a_multiple_of_a_field_is_added(check *t)
{
    static const double tolerance[3] = {DBL_EPSILON, FLT_EPSILON, 1e-4}; /* of the largest number */
    fixture f;
    if (fixture_create(t, dslash_odd_halves, NULL, false, false, 0, &f)) {
        const naik_backend_ops *ops = f.backend->ops;
        const size_t reals = (size_t)f.lat->sites * 6;
        double *a = fixture_vector(&f, 1, -1), *b = fixture_vector(&f, 2, -1);
        double *got = calloc(reals, sizeof *got), *expected = calloc(reals, sizeof *expected);
        memset(a, 0, reals / 2 * sizeof *a);
        for (size_t i = 0; i < reals; i++) {
            expected[i] = fma(-0.3, a[i], b[i]);
        }
        for (int precision = NAIK_DOUBLE; precision <= NAIK_HALF; precision++) {
            naik_field *x = fixture_field(t, &f, (naik_precision)precision, 2, 7, NAIK_ODD);
            naik_field *y = fixture_field(t, &f, (naik_precision)precision, 2, 8, NAIK_ODD);
            double largest = 0;
            CHECK_OK(t, ops->field.from_host(x, NAIK_ODD, 1, a));
            CHECK_OK(t, ops->field.from_host(y, NAIK_ODD, 1, b));
            CHECK_OK(t, ops->field.axpy(-0.3, x, y));
            CHECK_OK(t, ops->field.to_host(y, NAIK_ODD, 1, got));
            CHECK_NEAR(t, fixture_difference(&f, got, expected, NAIK_ODD, &largest) / largest, 0,
                       2 * tolerance[precision]);
            naik_field_destroy(&x);
            naik_field_destroy(&y);
        }
        free(a);
        free(b);
        free(got);
        free(expected);
    }
    fixture_destroy(&f);
}

/* Of an array that holds no numbers elsewhere. */
static void a_part_of_an_array_is_all_that_is_read(check *t)
{
    fixture f;
    if (fixture_create(t, dslash_odd_halves, NULL, false, false, 0, &f)) {
        const naik_backend_ops *ops = f.backend->ops;
        const int32_t slice = f.lat->sites / f.lat->local[3];
        const int32_t parts[3][2] = {
            {0, 0}, {slice, 2 * slice}, {f.lat->sites - slice, f.lat->sites}};
        const size_t reals = (size_t)f.lat->sites * 6;
        double *a = fixture_vector(&f, 1, -1), *got = calloc(reals, sizeof *got);
        double *b = malloc(reals * sizeof *b);
        for (int parity = 0; parity < 2; parity++) {
            for (int i = 0; i < 3; i++) {
                naik_field *x = fixture_field(t, &f, NAIK_DOUBLE, 2, 7, (naik_parity)parity);
                double largest = 0;
                for (int32_t k = 0; k < (int32_t)reals; k++) {
                    const bool there = k >= 6 * parts[i][0] && k < 6 * parts[i][1];
                    b[k] = there ? a[k] : NAN;
                    got[k] = 1;
                }
                CHECK_OK(t, ops->field.from_part(x, (naik_parity)parity, 1, b, parts[i]));
                CHECK_OK(t, ops->field.to_host(x, (naik_parity)parity, 1, got));
                for (int32_t k = 0; k < (int32_t)reals; k++) {
                    b[k] = isnan(b[k]) ? 0 : b[k];
                }
                CHECK_NEAR(t, fixture_difference(&f, got, b, parity, &largest), 0, 0);
                CHECK_TRUE(t, i == 0 ? largest == 0 : largest > 0);
                naik_field_destroy(&x);
            }
        }
        free(a);
        free(b);
        free(got);
    }
    fixture_destroy(&f);
}

/* x += waiting p of the rhs in the state, as a step that defers nothing would have moved it. */
static void deferred_updates_are_applied(check *t)
{
    enum { N = 3 };
    static const double tolerance[3] = {DBL_EPSILON, FLT_EPSILON, 1e-4}; /* of the largest number */
    const naik_rhs record[N] = {{.x_deferred = 0.3, .state = NAIK_RHS_CHECK},
                                {.x_deferred = 0, .state = NAIK_RHS_CHECK},
                                {.x_deferred = 0.3, .state = NAIK_RHS_RUN}};
    fixture f;
    if (fixture_create(t, dslash_odd_halves, NULL, false, false, 0, &f)) {
        const naik_backend_ops *ops = f.backend->ops;
        const size_t reals = (size_t)f.lat->sites * 6;
        double *p = calloc(reals, sizeof *p), *expected = calloc(reals, sizeof *expected);
        double *got = calloc(reals, sizeof *got);
        naik_rhs *rhs = NULL;
        CHECK_OK(t, naik_backend_alloc(f.backend, sizeof record, "records", (void **)&rhs));
        CHECK_OK(t, naik_backend_upload(f.backend, rhs, record, sizeof record));
        for (int pair = 0; pair < 5; pair++) {
            const naik_precision of_p = (naik_precision)(pair < 3 ? pair : pair - 2);
            const naik_precision precision = pair < 3 ? of_p : NAIK_DOUBLE; /* of x */
            naik_field *x = fixture_field(t, &f, precision, N, 7, NAIK_ODD);
            naik_field *d = fixture_field(t, &f, of_p, N, 8, NAIK_ODD);
            for (int c = 0; c < N; c++) {
                double largest = 0, off = 0;
                double *before = fixture_vector(&f, 100 + (uint64_t)c, NAIK_ODD);
                double *direction = fixture_vector(&f, 200 + (uint64_t)c, NAIK_ODD);
                for (size_t i = 0; i < reals && c == 1 && of_p != NAIK_HALF; i++) {
                    direction[i] = direction[i] != 0 ? NAN : 0; /* of no matter: nothing waits */
                }
                CHECK_OK(t, ops->field.from_host(x, NAIK_ODD, c, before));
                CHECK_OK(t, ops->field.from_host(d, NAIK_ODD, c, direction));
                free(before);
                free(direction);
                CHECK_OK(t, ops->field.to_host(x, NAIK_ODD, c, expected)); /* as it is stored */
                CHECK_OK(t, ops->field.to_host(d, NAIK_ODD, c, p));
                CHECK_OK(t, ops->solver.apply_deferred_update(x, d, rhs, NAIK_RHS_IDLE));
                CHECK_OK(t, ops->field.to_host(x, NAIK_ODD, c, got));
                CHECK_TRUE(t, memcmp(got, expected, reals * sizeof *got) == 0);
                CHECK_OK(t, ops->solver.apply_deferred_update(x, d, rhs, NAIK_RHS_CHECK));
                CHECK_OK(t, ops->field.to_host(x, NAIK_ODD, c, got));
                for (size_t i = 0; i < reals && c == 0; i++) {
                    expected[i] = fma(0.3, p[i], expected[i]);
                }
                off = fixture_difference(&f, got, expected, NAIK_ODD, &largest);
                CHECK_NEAR(t, off / largest, 0, c == 0 ? 2 * tolerance[precision] : 0);
            }
            naik_field_destroy(&x);
            naik_field_destroy(&d);
        }
        naik_backend_release(f.backend, rhs);
        free(p);
        free(got);
        free(expected);
    }
    fixture_destroy(&f);
}

/* x += waiting p, p = r + beta p of running rhs, x in double. */
static void directions_are_updated_and_x_with_them(check *t)
{
    enum { N = 3 };
    static const double tolerance[3] = {DBL_EPSILON, FLT_EPSILON, 1e-4}; /* of the largest number */
    const naik_rhs record[N] = {{.x_deferred = 0.3, .beta = 0.7, .state = NAIK_RHS_RUN},
                                {.x_deferred = 0.3, .beta = 0.7, .state = NAIK_RHS_CHECK},
                                {.x_deferred = 0, .beta = -1.3, .state = NAIK_RHS_RUN}};
    fixture f;
    if (fixture_create(t, dslash_odd_halves, NULL, false, false, 0, &f)) {
        const naik_backend_ops *ops = f.backend->ops;
        const size_t reals = (size_t)f.lat->sites * 6;
        double *vector[5];
        naik_rhs *rhs = NULL;
        for (int k = 0; k < 5; k++) {
            vector[k] = calloc(reals, sizeof(double));
        }
        double *x = vector[0], *p = vector[1], *r = vector[2], *new_x = vector[3];
        double *new_p = vector[4];
        CHECK_OK(t, naik_backend_alloc(f.backend, sizeof record, "records", (void **)&rhs));
        CHECK_OK(t, naik_backend_upload(f.backend, rhs, record, sizeof record));
        for (int precision = NAIK_DOUBLE; precision <= NAIK_HALF; precision++) {
            for (int c = 0; c < N; c++) {
                const bool moves = record[c].state == NAIK_RHS_RUN;
                double largest = 0, off = 0;
                naik_field *fx = fixture_field(t, &f, NAIK_DOUBLE, N, 7, NAIK_ODD);
                naik_field *fp = fixture_field(t, &f, (naik_precision)precision, N, 17, NAIK_ODD);
                naik_field *fr = fixture_field(t, &f, (naik_precision)precision, N, 27, NAIK_ODD);
                CHECK_OK(t, ops->field.to_host(fx, NAIK_ODD, c, x)); /* as they are stored */
                CHECK_OK(t, ops->field.to_host(fp, NAIK_ODD, c, p));
                CHECK_OK(t, ops->field.to_host(fr, NAIK_ODD, c, r));
                CHECK_OK(t, ops->solver.update_direction(rhs, fr, fx, fp));
                CHECK_OK(t, ops->field.to_host(fx, NAIK_ODD, c, new_x));
                CHECK_OK(t, ops->field.to_host(fp, NAIK_ODD, c, new_p));
                for (size_t i = 0; i < reals && moves; i++) {
                    x[i] = fma(record[c].x_deferred, p[i], x[i]);
                    p[i] = fma(record[c].beta, p[i], r[i]);
                }
                off = fixture_difference(&f, new_x, x, NAIK_ODD, &largest);
                CHECK_NEAR(t, off / largest, 0, moves ? 2 * DBL_EPSILON : 0);
                off = fixture_difference(&f, new_p, p, NAIK_ODD, &largest);
                CHECK_NEAR(t, off / largest, 0, moves ? 2 * tolerance[precision] : 0);
                naik_field_destroy(&fx);
                naik_field_destroy(&fp);
                naik_field_destroy(&fr);
            }
        }
        naik_backend_release(f.backend, rhs);
        for (int k = 0; k < 5; k++) {
            free(vector[k]);
        }
    }
    fixture_destroy(&f);
}

/* Colour vectors in 16 bits: half a unit off, which is the largest number over 32767; nothing, next to
 * nothing and the largest numbers too; what is NaN or infinite stays so, and is its site's affair. */
static void numbers_of_16_bits_are_half_a_unit_off(check *t)
{
    static const double size[] = {1, 3e-7, 0, 1e-36, 1e-44, 2e4, 1e30, NAN, INFINITY};
    enum { SIZES = sizeof size / sizeof *size };
    fixture f;
    if (fixture_create(t, dslash_odd_halves, NULL, false, false, 0, &f)) {
        const naik_backend_ops *ops = f.backend->ops;
        const size_t reals = (size_t)f.lat->sites * 6;
        double *v = fixture_vector(&f, 1, NAIK_ODD), *got = calloc(reals, sizeof *got);
        naik_field *field = fixture_field(t, &f, NAIK_HALF, 2, 7, NAIK_ODD);
        CHECK_TRUE(t, f.lat->volume_cb > 6 * SIZES);
        for (int32_t cb = 0; cb < f.lat->volume_cb; cb++) {
            double *at = v + 6 * (int64_t)naik_lattice_site_of(f.lat, NAIK_ODD, cb);
            for (int i = 0; i < 6; i++) { /* one number of six is none, or all are of that size */
                const double s = size[cb % SIZES];
                at[i] = isfinite(s) ? s * at[i] : i == cb / SIZES % 6 ? s : at[i];
            }
        }
        CHECK_OK(t, ops->field.from_host(field, NAIK_ODD, 1, v));
        CHECK_OK(t, ops->field.to_host(field, NAIK_ODD, 1, got));
        for (int32_t cb = 0; cb < f.lat->volume_cb; cb++) {
            const int64_t at = 6 * (int64_t)naik_lattice_site_of(f.lat, NAIK_ODD, cb);
            double largest = 0, off = 0;
            bool finite = true;
            for (int i = 0; i < 6; i++) {
                finite = finite && isfinite(got[at + i]);
                largest = naik_worst(largest, fabs(v[at + i]));
                off = naik_worst(off, fabs(got[at + i] - v[at + i]));
            }
            CHECK_TRUE(t, finite == isfinite(size[cb % SIZES]));
            if (finite) { /* a GPU takes less than 4e-30 as nothing */
                CHECK_NEAR(t, off, 0, 0.51 / 32767 * largest + 4e-30);
            }
        }
        naik_field_destroy(&field);
        free(v);
        free(got);
    }
    fixture_destroy(&f);
}

/* In backend memory, both parities of one array, as those of the host; of spinors too. */
static void canonical_arrays_may_lie_in_backend_memory(check *t)
{
    fixture f;
    if (fixture_create(t, dslash_odd_halves, NULL, false, false, 0, &f)) {
        const naik_field_ops *ops = &f.backend->ops->field;
        for (int k = 0; k < 6; k++) {
            const int spin = k < 3 ? 1 : 4;
            const size_t reals = (size_t)f.lat->sites * 6 * (size_t)spin, bytes = 8 * reals;
            double *v = calloc(reals, sizeof *v), *got = calloc(2 * reals, sizeof *got),
                   *there = NULL;
            for (size_t i = 0; i < reals; i++) {
                v[i] = (double)(i * 7919 % 1000) / 1000 - 0.5;
            }
            CHECK_OK(t, naik_backend_alloc(f.backend, bytes, "an array", (void **)&there));
            CHECK_OK(t, naik_backend_upload(f.backend, there, v, bytes));
            naik_field *a[2] = {NULL, NULL}, *b[2] = {NULL, NULL};
            for (int p = 0; p < 2; p++) {
                const naik_precision precision = (naik_precision)(k % 3);
                CHECK_OK(t, naik_field_create_spin(f.geometry, precision, spin, 2, &a[p]));
                CHECK_OK(t, naik_field_create_spin(f.geometry, precision, spin, 2, &b[p]));
                CHECK_OK(t, ops->from_host(a[p], (naik_parity)p, 1, v));
                CHECK_OK(t, ops->from_device(b[p], (naik_parity)p, 1, there));
                CHECK_OK(t, ops->to_host(a[p], (naik_parity)p, 1, got));
            }
            for (int p = 0; p < 2; p++) {
                CHECK_OK(t, ops->to_device(b[p], (naik_parity)p, 1, there));
                naik_field_destroy(&a[p]);
                naik_field_destroy(&b[p]);
            }
            CHECK_OK(t, naik_backend_download(f.backend, got + reals, there, bytes));
            CHECK_INT(t, memcmp(got, got + reals, bytes), 0);
            CHECK_TRUE(t, memcmp(got, v, bytes) == 0 || k % 3 != NAIK_DOUBLE);
            naik_backend_release(f.backend, there);
            free(v);
            free(got);
        }
    }
    fixture_destroy(&f);
}

CHECK_MAIN(CHECK(numbers_of_16_bits_are_half_a_unit_off),
           CHECK(canonical_arrays_may_lie_in_backend_memory),
           CHECK(directions_are_updated_and_x_with_them), CHECK(a_multiple_of_a_field_is_added),
           CHECK(a_part_of_an_array_is_all_that_is_read), CHECK(deferred_updates_are_applied))
