/* dslash_fixture.c - what the tests of the kernels share */
#include "dslash_fixture.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "naik/dslash.h"
#include "naik/dslash_ref.h"

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
    int hops = naive ? NAIK_HOPS / 2 : NAIK_HOPS;
    return naik_links_bytes(f->geometry, p->links, recon, hops) > 0 ? recon : 0;
}

void dslash_compare(check *t, const fixture *f, const naik_links *links, const dslash_pair *p,
                    int nrhs, naik_parity parity)
{
    naik_field *in = fixture_field(t, f, p->vectors, nrhs, 100, (naik_parity)!parity);
    naik_field *out = fixture_field(t, f, p->vectors, nrhs, 200, parity);
    double *expected = calloc((size_t)f->lat->sites * 6, sizeof(double));
    double *got = calloc((size_t)f->lat->sites * 6, sizeof(double));
    CHECK_OK(t, naik_dslash_plain(links, in, parity, out));
    for (int c = 0; c<nrhs; c += nrhs> 1 ? nrhs - 1 : 1) { /* the first and the last column */
        double largest;
        double *v = fixture_vector(f, 100 + (uint64_t)c, !parity);
        CHECK_OK(t, naik_dslash_ref(f->source, v, expected));
        CHECK_OK(t, f->backend->ops->field_export(out, parity, c, got));
        CHECK_NEAR(t, fixture_difference(f, got, expected, parity, &largest) / largest, 0,
                   p->tolerance);
        free(v);
    }
    free(expected);
    free(got);
    naik_field_destroy(&in);
    naik_field_destroy(&out);
}

/* out = b - alpha (shift v - D in), in place, with columns of one vector each: the first column's
 * bits and its sum. */
double dslash_step_bits(check *t, const fixture *f, const naik_links *links, naik_precision vectors,
                        int n, double *out_bits)
{
    const naik_backend_ops *ops = f->backend->ops;
    naik_column record[NAIK_MAX_RHS];
    naik_column *columns = NULL;
    naik_exactsum *sums = NULL;
    double values[NAIK_MAX_RHS] = {0};
    double *v = fixture_vector(f, 3, NAIK_ODD), *w = fixture_vector(f, 4, NAIK_EVEN);
    double *b = fixture_vector(f, 5, NAIK_EVEN);
    double *got = calloc((size_t)f->lat->sites * 6, sizeof *got);
    naik_field *in = NULL, *other = NULL, *out = NULL;
    memset(record, 0, sizeof record);
    CHECK_OK(t, naik_field_create(f->geometry, vectors, n, &in));
    CHECK_OK(t, naik_field_create(f->geometry, vectors, n, &other));
    CHECK_OK(t, naik_field_create(f->geometry, vectors, n, &out));
    for (int c = 0; c < n; c++) {
        record[c] = (naik_column){.shift = 0.37, .alpha = 0.61, .state = NAIK_COLUMN_RUN};
        CHECK_OK(t, ops->field_import(in, NAIK_ODD, c, v));
        CHECK_OK(t, ops->field_import(other, NAIK_EVEN, c, w));
        CHECK_OK(t, ops->field_import(out, NAIK_EVEN, c, b));
    }
    CHECK_OK(t, ops->alloc(f->backend, sizeof record, "records", (void **)&columns));
    CHECK_OK(t, ops->alloc(f->backend, (size_t)n * sizeof *sums, "sums", (void **)&sums));
    CHECK_OK(t, ops->upload(f->backend, columns, record, sizeof record));
    CHECK_OK(t, ops->sums_clear(f->backend, sums, n));
    const naik_dslash_args args = {.form = NAIK_FORM_STEP,
                                   .parity = NAIK_EVEN,
                                   .links = links,
                                   .in = in,
                                   .out = out,
                                   .v = other,
                                   .b = out,
                                   .columns = columns,
                                   .state = NAIK_COLUMN_RUN,
                                   .sums = sums};
    CHECK_OK(t, naik_dslash(&args));
    CHECK_OK(t, ops->sums_reduce(f->backend, sums, n));
    CHECK_OK(t, ops->sums_values(f->backend, sums, n, values));
    CHECK_OK(t, ops->field_export(out, NAIK_EVEN, 0, out_bits));
    for (int c = 1; c < n; c++) {
        CHECK_OK(t, ops->field_export(out, NAIK_EVEN, c, got));
        CHECK_TRUE(t, memcmp(got, out_bits, (size_t)f->lat->sites * 6 * sizeof *got) == 0);
        CHECK_TRUE(t, values[c] == values[0]);
    }
    ops->release(f->backend, columns);
    ops->release(f->backend, sums);
    naik_field_destroy(&in);
    naik_field_destroy(&other);
    naik_field_destroy(&out);
    free(v);
    free(w);
    free(b);
    free(got);
    return values[0];
}
