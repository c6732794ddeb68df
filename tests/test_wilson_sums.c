/* test_wilson_sums.c - what kernels of spinors sum of the fields they write, and sums of multiples of
 * fields, against plain loops; sums over ranks
 *
 * ranks: 1 4
 */
#include <math.h>
#include <stdlib.h>

#include "base/exactsum.h"
#include "comm/collective.h"
#include "wilson_fixture.h"

/* Storages; a component of a sum of multiples of numbers of order 1 is as near as this to the same in
 * double, relative to the largest. */
static const wilson_storage storages[] = {
    {NAIK_DOUBLE, NAIK_DOUBLE, 18, 1e-15}, {NAIK_SINGLE, NAIK_SINGLE, 12, 1e-6},
    {NAIK_SINGLE, NAIK_HALF, 18, 1e-6},    {NAIK_HALF, NAIK_HALF, 18, 1e-4},
    {NAIK_HALF, NAIK_SINGLE, 12, 1e-4},
};
enum { STORAGES = sizeof storages / sizeof *storages, SUMS = 3, IDLE = 1 };

static const int size[4] = {8, 4, 4, 16};

/* Sums of a batch, and records of it of which rhs IDLE, if there is one, does not run. */
typedef struct batch {
    const wilson_fixture *f;
    int nrhs;
    naik_exactsum *sums; /* backend memory [SUMS][nrhs] */
    naik_rhs *rhs;       /* backend memory [nrhs] */
} batch;

static batch make_batch(check *t, const wilson_fixture *f, int nrhs)
{
    batch b = {.f = f, .nrhs = nrhs};
    naik_rhs records[NAIK_MAX_RHS / NAIK_SPIN] = {{.state = NAIK_RHS_IDLE}};
    void *sums = NULL, *rhs = NULL;
    for (int c = 0; c < nrhs; c++) {
        records[c].state = c == IDLE ? NAIK_RHS_IDLE : NAIK_RHS_RUN;
    }
    CHECK_OK(t,
             naik_backend_alloc(f->backend, (size_t)(SUMS * nrhs) * sizeof *b.sums, "sums", &sums));
    CHECK_OK(t, naik_backend_alloc(f->backend, sizeof records, "records", &rhs));
    CHECK_OK(t, naik_backend_upload(f->backend, rhs, records, (size_t)nrhs * sizeof *records));
    b.sums = sums;
    b.rhs = rhs;
    CHECK_OK(t, f->backend->ops->reduction.clear(f->backend, b.sums, SUMS * nrhs));
    return b;
}

static void free_batch(batch *b)
{
    naik_backend_release(b->f->backend, b->sums);
    naik_backend_release(b->f->backend, b->rhs);
}

/* |out|^2, re and im of (with, out) over all ranks, of rhs c on `parity`. */
static void slow_products(check *t, const wilson_fixture *f, const naik_field *with,
                          const naik_field *out, naik_parity parity, int c, double value[SUMS])
{
    wilson_spinor *v = wilson_ref_field(f->lat->volume), *w = wilson_ref_field(f->lat->volume);
    naik_exactsum sum[SUMS];
    double mine[SUMS] = {0};
    wilson_fixture_take(t, f, with, parity, c, v);
    wilson_fixture_take(t, f, out, parity, c, w);
    for (int64_t i = 0; i < 12 * f->lat->volume; i++) { /* other ranks' are 0 */
        const double complex a = ((const double complex *)v)[i], b = ((const double complex *)w)[i];
        mine[0] += creal(b) * creal(b) + cimag(b) * cimag(b);
        mine[1] += creal(conj(a) * b);
        mine[2] += cimag(conj(a) * b);
    }
    for (int k = 0; k < SUMS; k++) {
        naik_exactsum_clear(&sum[k]);
        naik_exactsum_add(&sum[k], mine[k]);
    }
    CHECK_OK(t, naik_comm_sum_exact(f->alone != NULL ? f->alone : t->comm, sum, SUMS));
    for (int k = 0; k < SUMS; k++) {
        value[k] = naik_exactsum_value(&sum[k]);
    }
    free(v);
    free(w);
}

/* The batch's sums are the products of `with` and `out`, of the first `count` of them, and 0 of what
 * does not run. */
static void compare(check *t, batch *b, const naik_field *with, const naik_field *out,
                    naik_parity parity, int count)
{
    const naik_reduction_ops *reduction = &b->f->backend->ops->reduction;
    double got[SUMS * NAIK_MAX_RHS];
    CHECK_OK(t, reduction->over_ranks(b->f->backend, b->sums, SUMS * b->nrhs));
    CHECK_OK(t, reduction->values(b->f->backend, b->sums, SUMS * b->nrhs, got));
    for (int c = 0; c < b->nrhs; c++) {
        double expected[SUMS], vv[SUMS];
        slow_products(t, b->f, with, out, parity, c, expected);
        slow_products(t, b->f, with, with, parity, c, vv);
        const double size2 = sqrt(vv[0] * expected[0]) + expected[0];
        for (int k = 0; k < SUMS; k++) {
            CHECK_NEAR(t, got[k * b->nrhs + c] / size2,
                       c == IDLE || k >= count ? 0 : expected[k] / size2, 1e-13);
        }
    }
    CHECK_OK(t, reduction->clear(b->f->backend, b->sums, SUMS * b->nrhs));
}

/* Mh and Mh^+ with products of another field and of its own argument, and with |out|^2 alone; c b + s Mh; and the same of
 * fields that lie there. */
static void operator_sums(check *t, const wilson_fixture *f, const wilson_storage *s, int nrhs)
{
    naik_wilson *wilson = NULL;
    batch b = make_batch(t, f, nrhs);
    naik_field *in = wilson_fixture_field(t, f, s->vectors, nrhs, 20, NAIK_ODD);
    naik_field *other = wilson_fixture_field(t, f, s->vectors, nrhs, 70, NAIK_ODD);
    naik_field *scratch = wilson_fixture_zero(t, f, s->vectors, nrhs);
    const naik_field *const with[] = {other, in, NULL};
    const naik_rhs_mask running = {b.rhs, NAIK_RHS_RUN};
    const naik_reduction_ops *reduction = &f->backend->ops->reduction;
    CHECK_OK(t, naik_wilson_create(f->geometry, f->u, f->clover, f->mass, f->twisted_mass, s->links,
                                   s->recon, &wilson));
    for (int code = 0; wilson != NULL && code < 6; code++) {
        const naik_products products = {with[code / 2], b.sums};
        naik_field *out = wilson_fixture_field(t, f, s->vectors, nrhs, 90, NAIK_ODD);
        CHECK_OK(t, naik_wilson_schur(wilson, NAIK_ODD, code % 2 == 1, &running, in, scratch, out,
                                      &products));
        compare(t, &b, products.with != NULL ? products.with : other, out, NAIK_ODD,
                products.with != NULL ? SUMS : 1);
        if (code == 0) {
            CHECK_OK(t, naik_wilson_schur_affine(wilson, NAIK_ODD, &running, -1, in, 1, other,
                                                 scratch, out, b.sums));
            compare(t, &b, other, out, NAIK_ODD, 1);
            CHECK_OK(t, reduction->dot(out, out, b.rhs, NAIK_RHS_RUN, b.sums));
            CHECK_OK(t, reduction->complex_dot(in, out, 0, b.rhs, NAIK_RHS_RUN, b.sums + nrhs));
            compare(t, &b, in, out, NAIK_ODD, SUMS);
        }
        naik_field_destroy(&out);
    }
    naik_wilson_destroy(&wilson);
    naik_field_destroy(&in);
    naik_field_destroy(&other);
    naik_field_destroy(&scratch);
    free_batch(&b);
}

static void operator_sums_on_grid(check *t, const int extents[4], const int grid[4])
{
    for (int clover = 0; clover < 2; clover++) {
        wilson_fixture f;
        if (wilson_fixture_create(t, extents, grid, false, 0, 0.3, clover == 1 ? 1.2 : 0, false,
                                  &f)) {
            for (int i = 0; i < STORAGES; i++) {
                operator_sums(t, &f, &storages[i], 1);
                operator_sums(t, &f, &storages[i], 3);
            }
        }
        wilson_fixture_destroy(&f);
    }
}

static void an_application_sums_what_it_writes(check *t)
{
    fixture_for_grids(t, size, 2, operator_sums_on_grid);
}

static void products_without_sums_are_refused(check *t)
{
    wilson_fixture f;
    naik_wilson *wilson = NULL;
    CHECK_REQUIRE(t, wilson_fixture_create(t, size, NULL, false, 0, 0.3, 0, false, &f));
    CHECK_OK(t, naik_wilson_create(f.geometry, f.u, NULL, f.mass, f.twisted_mass, NAIK_DOUBLE, 18,
                                   &wilson));
    naik_field *in = wilson_fixture_zero(t, &f, NAIK_DOUBLE, 1);
    naik_field *out = wilson_fixture_zero(t, &f, NAIK_DOUBLE, 1);
    const naik_dslash_args args = {
        .form = NAIK_FORM_D, .links = wilson->links, .in = in, .out = out, .with = in};
    CHECK_STATUS(t, naik_dslash(&args), NAIK_ERR_ARG);
    naik_field_destroy(&in);
    naik_field_destroy(&out);
    naik_wilson_destroy(&wilson);
    wilson_fixture_destroy(&f);
}

/* Coefficients of two terms of all rhs, [2][nrhs]. */
static const double FACTOR[2][3][2] = {{{0.5, -0.25}, {0.1, 0.2}, {-0.75, 0.125}},
                                       {{-1.5, 0.5}, {1, 1}, {0.25, 0.3}}};

/* |got - (first + a v + b w)| of rhs c on even sites is within the tolerance; w NULL: none. */
static void compare_combination(check *t, const wilson_fixture *f, const wilson_storage *s, int c,
                                const naik_field *got, const naik_field *const term[3],
                                const double *const factor[2])
{
    wilson_spinor *sum = wilson_ref_field(f->lat->volume), *v = wilson_ref_field(f->lat->volume);
    wilson_fixture_take(t, f, term[0], NAIK_EVEN, c, sum);
    for (int k = 0; k < 2 && term[1 + k] != NULL && c != IDLE; k++) {
        wilson_fixture_take(t, f, term[1 + k], NAIK_EVEN, c, v);
        for (int64_t i = 0; i < 12 * f->lat->volume; i++) {
            ((double complex *)sum)[i] +=
                (factor[k][0] + factor[k][1] * I) * ((double complex *)v)[i];
        }
    }
    wilson_fixture_take(t, f, got, NAIK_EVEN, c, v);
    CHECK_NEAR(t, wilson_fixture_difference(f, v, sum, NAIK_EVEN), 0, s->tolerance);
    free(sum);
    free(v);
}

/* r and x of a step of BiCGStab together, each of what both were before. */
static void combine_fields(check *t, const wilson_fixture *f, const wilson_storage *s, int nrhs)
{
    batch b = make_batch(t, f, nrhs);
    naik_field *field[6];
    double factors[2 * NAIK_MAX_RHS][2];
    void *memory = NULL;
    for (int i = 0; i < 6; i++) { /* r, x, p, t, the shadow residual, and r as it was */
        field[i] =
            wilson_fixture_field(t, f, s->vectors, nrhs, 100 + 10 * (uint64_t)(i % 5), NAIK_EVEN);
    }
    naik_field *x = wilson_fixture_field(t, f, s->vectors, nrhs, 110, NAIK_EVEN);
    for (int i = 0; i < 2 * nrhs; i++) {
        factors[i][0] = FACTOR[i / nrhs][i % nrhs][0];
        factors[i][1] = FACTOR[i / nrhs][i % nrhs][1];
    }
    CHECK_OK(t, naik_backend_alloc(f->backend, sizeof factors, "factors", &memory));
    CHECK_OK(t, naik_backend_upload(f->backend, memory, factors, sizeof factors));
    const double(*a)[2] = memory, (*w)[2] = a + nrhs;
    const naik_combination both[] = {
        {field[0], 2, {{.v = field[0]}, {.v = field[3], .coefficient = a}}},
        {field[1],
         3,
         {{.v = field[1]}, {.v = field[2], .coefficient = w}, {.v = field[0], .coefficient = a}}}};
    const naik_products products = {field[4], b.sums}, norm = {NULL, b.sums};
    const naik_field_ops *ops = &f->backend->ops->field;
    CHECK_OK(t, ops->combine(both, 2, &products, b.rhs, NAIK_RHS_RUN));
    compare(t, &b, field[4], field[0], NAIK_EVEN, SUMS);
    for (int c = 0; c < nrhs; c++) {
        const naik_field *const r[3] = {field[5], field[3], NULL};
        const naik_field *const sum[3] = {x, field[2], field[5]};
        const double *const for_r[2] = {FACTOR[0][c], NULL};
        const double *const for_x[2] = {FACTOR[1][c], FACTOR[0][c]};
        compare_combination(t, f, s, c, field[0], r, for_r);
        compare_combination(t, f, s, c, field[1], sum, for_x);
    }
    CHECK_OK(t, ops->combine(both, 1, &norm, b.rhs, NAIK_RHS_RUN));
    compare(t, &b, field[4], field[0], NAIK_EVEN, 1);
    CHECK_OK(t, ops->combine(both, 2, NULL, NULL, NAIK_RHS_IDLE));
    naik_backend_release(f->backend, memory);
    for (int i = 0; i < 6; i++) {
        naik_field_destroy(&field[i]);
    }
    naik_field_destroy(&x);
    free_batch(&b);
}

/* Sums and products of a field of `wide` rhs, turned: as if its rhs had been gathered. */
static void turn_fields(check *t, const wilson_fixture *f, const wilson_storage *s, int nrhs,
                        int wide)
{
    const naik_backend_ops *ops = f->backend->ops;
    naik_field *v = wilson_fixture_field(t, f, s->vectors, nrhs, 100, NAIK_EVEN);
    naik_field *w = wilson_fixture_field(t, f, s->vectors, wide, 200, NAIK_EVEN);
    naik_field *gathered = wilson_fixture_field(t, f, s->vectors, nrhs, 300, NAIK_EVEN);
    naik_field *sum = wilson_fixture_field(t, f, s->vectors, nrhs, 400, NAIK_EVEN);
    batch b = make_batch(t, f, nrhs);
    for (int turn = 0; turn < wide; turn++) {
        int map[NAIK_MAX_RHS];
        double got[2 * NAIK_MAX_RHS], expected[2 * NAIK_MAX_RHS];
        const naik_field *const of[2] = {w, gathered};
        double *const values[2] = {got, expected};
        for (int c = 0; c < nrhs; c++) {
            map[c] = (c + turn) % wide;
        }
        CHECK_OK(t, ops->field.gather(gathered, w, map));
        for (int k = 0; k < 2; k++) {
            const int by = k == 0 ? turn : 0;
            const naik_combination both = {sum, 2, {{.v = v}, {.v = of[k], .turn = by}}};
            const naik_products length = {NULL, b.sums};
            double norm[NAIK_MAX_RHS];
            CHECK_OK(t, ops->reduction.clear(f->backend, b.sums, SUMS * nrhs));
            CHECK_OK(t, ops->reduction.complex_dot(v, of[k], by, NULL, NAIK_RHS_IDLE, b.sums));
            CHECK_OK(t, ops->reduction.values(f->backend, b.sums, 2 * nrhs, values[k]));
            CHECK_OK(t, ops->reduction.clear(f->backend, b.sums, SUMS * nrhs));
            CHECK_OK(t, ops->field.combine(&both, 1, &length, NULL, NAIK_RHS_IDLE));
            CHECK_OK(t, ops->reduction.values(f->backend, b.sums, nrhs, norm));
            for (int c = 0; c < nrhs; c++) { /* what tells fields apart, and no more */
                values[k][c] += norm[c];
            }
        }
        for (int i = 0; i < 2 * nrhs; i++) {
            CHECK_TRUE(t, got[i] == expected[i]);
        }
    }
    naik_field_destroy(&v);
    naik_field_destroy(&w);
    naik_field_destroy(&gathered);
    naik_field_destroy(&sum);
    free_batch(&b);
}

static void turned_fields_are_as_if_they_were_gathered(check *t)
{
    wilson_fixture f;
    CHECK_REQUIRE(t, wilson_fixture_create(t, size, NULL, false, 0, 0.3, 0, false, &f));
    for (int i = 0; i < STORAGES; i++) {
        turn_fields(t, &f, &storages[i], 3, 3);
        turn_fields(t, &f, &storages[i], 2, 5);
        turn_fields(t, &f, &storages[i], 4, 3);
    }
    wilson_fixture_destroy(&f);
}

static void combined_fields_are_those_of_what_was_before(check *t)
{
    wilson_fixture f;
    CHECK_REQUIRE(t, wilson_fixture_create(t, size, NULL, false, 0, 0.3, 0, false, &f));
    for (int i = 0; i < STORAGES; i++) {
        combine_fields(t, &f, &storages[i], 1);
        combine_fields(t, &f, &storages[i], 3);
    }
    wilson_fixture_destroy(&f);
}

/* Sum i of a rank is SHARE^-rank (i + 1). No sum at all, one, as many as peers take at once, more, and
 * many more; twice, because the places of sums are used again. */
static void as_many_sums_as_there_are_are_added(check *t)
{
    enum { MOST = 1200, SHARE = 4 };
    static const int counts[] = {0, 1, 4 * NAIK_MAX_RHS, 4 * NAIK_MAX_RHS + 1, MOST};
    fixture f;
    naik_exactsum *host = malloc(MOST * sizeof *host), *sums = NULL;
    double *values = malloc(MOST * sizeof *values), share = 1, all = 0;
    if (fixture_create(t, (int[4]){4, 8, 8, 8}, NULL, false, false, 1, &f)) {
        const naik_reduction_ops *reduction = &f.backend->ops->reduction;
        CHECK_OK(t, naik_backend_alloc(f.backend, MOST * sizeof *sums, "sums", (void **)&sums));
        for (int r = 0; r < f.lat->comm->size; r++, share /= SHARE) {
            all += share;
        }
        share = 1;
        for (int r = 0; r < f.lat->comm->rank; r++) {
            share /= SHARE;
        }
        for (size_t k = 0; k < 2 * (sizeof counts / sizeof *counts); k++) {
            const int count = counts[k / 2];
            int bad = 0;
            for (int i = 0; i < count; i++) {
                naik_exactsum_clear(&host[i]);
                naik_exactsum_add(&host[i], share * (i + 1));
            }
            CHECK_OK(t, naik_backend_upload(f.backend, sums, host, (size_t)count * sizeof *host));
            CHECK_OK(t, reduction->over_ranks(f.backend, sums, count));
            CHECK_OK(t, reduction->values(f.backend, sums, count, values));
            for (int i = 0; i < count; i++) {
                bad += values[i] != all * (i + 1);
            }
            CHECK_INT(t, bad, 0);
        }
        naik_backend_release(f.backend, sums);
    }
    free(values);
    free(host);
    fixture_destroy(&f);
}

CHECK_MAIN(CHECK(as_many_sums_as_there_are_are_added),
           CHECK_UP_TO(2, an_application_sums_what_it_writes),
           CHECK(products_without_sums_are_refused),
           CHECK(turned_fields_are_as_if_they_were_gathered),
           CHECK(combined_fields_are_those_of_what_was_before))
