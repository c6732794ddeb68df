/* dslash_fixture.c - what the tests of the kernels share */
#include "dslash_fixture.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "backend/dslash.h"
#include "base/exactsum.h"
#include "dslash_ref.h"
#include "operator/staggered.h"

/* A site sums 96 products: 32 roundoffs cover it. Integers of 16 bits: 1/65536 of the largest
 * component a rounding, of links, vectors in and vectors out; a component of D v sums 48 such
 * errors. Of 9 numbers, |a1| and |c1| come from a difference and lose digits where they are small.
 */
const dslash_pair dslash_pairs[DSLASH_PAIRS] = {{NAIK_DOUBLE, NAIK_DOUBLE, 18, 32 * DBL_EPSILON},
                                                {NAIK_SINGLE, NAIK_SINGLE, 18, 32 * FLT_EPSILON},
                                                {NAIK_SINGLE, NAIK_HALF, 18, 1e-4},
                                                {NAIK_HALF, NAIK_SINGLE, 18, 2e-4},
                                                {NAIK_HALF, NAIK_HALF, 18, 3e-4},
                                                {NAIK_DOUBLE, NAIK_DOUBLE, 13, 64 * DBL_EPSILON},
                                                {NAIK_DOUBLE, NAIK_DOUBLE, 9, 1e-12},
                                                {NAIK_SINGLE, NAIK_SINGLE, 13, 64 * FLT_EPSILON},
                                                {NAIK_SINGLE, NAIK_SINGLE, 9, 1e-4},
                                                {NAIK_SINGLE, NAIK_HALF, 13, 2e-4},
                                                {NAIK_SINGLE, NAIK_HALF, 9, 5e-3},
                                                {NAIK_SINGLE, NAIK_HALF, 6, 2e-4},
                                                {NAIK_HALF, NAIK_HALF, 6, 4e-4},
                                                {NAIK_HALF, NAIK_HALF, 13, 4e-4},
                                                {NAIK_HALF, NAIK_HALF, 9, 5e-3}};

const int dslash_odd_halves[4] = {4, 8, 12, 8};

/* Numbers stored for a link of this fixture, 12 where naive links are compressed; 0 where the
 * backend does not store it. */
int dslash_recon_of(const fixture *f, const dslash_pair *p)
{
    bool naive = f->source->long_links == NULL;
    int recon = naive && p->recon != 18 ? (p->recon == 13 ? 12 : 0) : p->recon;
    int points = naive ? NAIK_STENCIL / 2 : NAIK_STENCIL;
    return naik_links_bytes(f->geometry, p->links, recon, points) > 0 ? recon : 0;
}

/* D of fixture_vector(seed), which is on the other parity, by the reference. */
static double *hopped(check *t, const fixture *f, uint64_t seed, naik_parity parity)
{
    double *out = fixture_recall(f, f->hopped, seed, parity);
    if (out == NULL) {
        double *v = fixture_vector(f, seed, !parity);
        out = calloc((size_t)f->lat->sites * 6, sizeof *out);
        CHECK_OK(t, naik_dslash_ref(f->source, v, out));
        fixture_keep(f, f->hopped, seed, parity, out);
        free(v);
    }
    return out;
}

void dslash_compare(check *t, const fixture *f, const naik_links *links, const dslash_pair *p,
                    int nrhs, naik_parity parity)
{
    naik_field *in = fixture_field(t, f, p->vectors, nrhs, 100, (naik_parity)!parity);
    naik_field *out = fixture_field(t, f, p->vectors, nrhs, 200, parity);
    double *got = calloc((size_t)f->lat->sites * 6, sizeof(double));
    CHECK_OK(t, naik_dslash_plain(links, in, parity, out));
    for (int c = 0; c<nrhs; c += nrhs> 1 ? nrhs - 1 : 1) { /* the first and the last rhs */
        double largest;
        double *expected = hopped(t, f, 100 + (uint64_t)c, parity);
        CHECK_OK(t, f->backend->ops->field.to_host(out, parity, c, got));
        CHECK_NEAR(t, fixture_difference(f, got, expected, parity, &largest) / largest, 0,
                   p->tolerance);
        free(expected);
    }
    free(got);
    naik_field_destroy(&in);
    naik_field_destroy(&out);
}

void dslash_step(check *t, const fixture *f, const naik_links *links, naik_field *const field[5],
                 const naik_rhs *record, double *values)
{
    const naik_backend_ops *ops = f->backend->ops;
    const int n = field[0]->nrhs;
    const size_t bytes = (size_t)n * sizeof *record;
    const naik_operator op = naik_staggered_of(links);
    const naik_normal normal = {.op = &op, .parity = NAIK_EVEN, .scratch = {field[0]}};
    const naik_cg_vectors vectors = {.r = field[1], .p = field[2], .ap = field[3], .x = field[4]};
    naik_rhs *rhs = NULL;
    naik_exactsum *sums = NULL;
    CHECK_OK(t, naik_backend_alloc(f->backend, bytes, "records", (void **)&rhs));
    CHECK_OK(t,
             naik_backend_alloc(f->backend, 2 * (size_t)n * sizeof *sums, "sums", (void **)&sums));
    CHECK_OK(t, naik_backend_upload(f->backend, rhs, record, bytes));
    CHECK_OK(t, ops->reduction.clear(f->backend, sums, 2 * n));
    CHECK_OK(t, naik_normal_second(&normal, rhs, &vectors, sums, NULL, false));
    CHECK_OK(t, ops->reduction.over_ranks(f->backend, sums, 2 * n));
    CHECK_OK(t, ops->reduction.values(f->backend, sums, 2 * n, values));
    naik_backend_release(f->backend, rhs);
    naik_backend_release(f->backend, sums);
}

enum { STEP_FIELDS = 4 };

size_t dslash_step_bytes(int64_t sites)
{
    return (STEP_FIELDS * (size_t)sites * 6 + 2) * sizeof(double);
}

void dslash_step_bits(check *t, const fixture *f, const naik_links *links, naik_precision vectors,
                      int n, double *out)
{
    const naik_backend_ops *ops = f->backend->ops;
    const size_t reals = (size_t)f->lat->sites * 6;
    naik_rhs record[NAIK_MAX_RHS];
    double values[2 * NAIK_MAX_RHS] = {0};
    double *got = calloc(reals, sizeof *got);
    naik_field *field[1 + STEP_FIELDS]; /* in; r, p, ap, x */
    memset(record, 0, sizeof record);
    for (int k = 0; k <= STEP_FIELDS; k++) {
        const naik_parity parity = k == 0 ? NAIK_ODD : NAIK_EVEN;
        double *v = fixture_vector(f, 3 + (uint64_t)k, (int)parity);
        CHECK_OK(t, naik_field_create(f->geometry, vectors, n, &field[k]));
        for (int c = 0; c < n; c++) {
            CHECK_OK(t, ops->field.from_host(field[k], parity, c, v));
        }
        free(v);
    }
    for (int c = 0; c < n; c++) {
        record[c] = (naik_rhs){.shift = 0.37,
                               .alpha = 0.61,
                               .beta = 0.43,
                               .x_deferred_last = 0.29,
                               .sum_quantum = 30,
                               .state = NAIK_RHS_RUN};
    }
    dslash_step(t, f, links, field, record, values);
    for (int k = 0; k < STEP_FIELDS; k++) {
        double *first = out + (size_t)k * reals;
        CHECK_OK(t, ops->field.to_host(field[1 + k], NAIK_EVEN, 0, first));
        for (int c = 1; c < n; c++) {
            CHECK_OK(t, ops->field.to_host(field[1 + k], NAIK_EVEN, c, got));
            CHECK_TRUE(t, memcmp(got, first, reals * sizeof *got) == 0);
        }
    }
    for (int k = 0; k < 2; k++) {
        out[STEP_FIELDS * reals + (size_t)k] = values[k * n];
        for (int c = 1; c < n; c++) {
            CHECK_TRUE(t, values[k * n + c] == values[k * n]);
        }
    }
    for (int k = 0; k <= STEP_FIELDS; k++) {
        naik_field_destroy(&field[k]);
    }
    free(got);
}

void dslash_check_step(check *t, const naik_rhs *record, int reals, double *const before[6],
                       double *const after[4], double tolerance)
{
    double worst[4] = {0}, largest[4] = {0};
    for (int k = 0; k < reals; k++) {
        const double r = before[1][k], d = before[5][k];
        double expected[4] = {r, before[2][k], before[3][k], before[4][k]};
        if (record->state == NAIK_RHS_RUN) {
            const double deferred = record->x_deferred_last * expected[1];
            expected[1] = r + record->beta * expected[1];
            expected[2] = record->shift * r - d + record->beta * expected[2];
            expected[0] = r - record->alpha * expected[2];
            expected[3] += record->x_deferred == 0 ? deferred + record->alpha * expected[1] : 0;
        }
        for (int i = 0; i < 4; i++) {
            worst[i] = naik_worst(worst[i], fabs(after[i][k] - expected[i]));
            largest[i] = naik_worst(largest[i], fabs(expected[i]));
        }
    }
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(t, worst[i] / largest[i], 0, record->state == NAIK_RHS_RUN ? tolerance : 0);
    }
}
