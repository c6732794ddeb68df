/* test_dslash.c - the kernels of a backend against the slow reference and against themselves
 * ranks: 1 2 4 8
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/create.h"
#include "backend/dslash.h"
#include "base/exactsum.h"
#include "comm/collective.h"
#include "dslash_fixture.h"
#include "dslash_ref.h"
#include "operator/staggered.h"

static void match_on_grid(check *t, const int size[4], const int grid[4])
{
    static const int widths[] = {1, 2, 3, 5, 8, 12, 16};
    for (int naive = 0; naive < 2; naive++) {
        fixture f;
        if (fixture_create(t, size, grid, false, naive, 0, &f)) {
            for (int i = 0; i < DSLASH_PAIRS; i++) {
                naik_links *links = NULL;
                int recon = dslash_recon_of(&f, &dslash_pairs[i]);
                if (recon == 0) {
                    continue;
                }
                CHECK_OK(t, naik_links_create(f.geometry, f.source, dslash_pairs[i].links, recon,
                                              &links));
                for (size_t w = 0; links != NULL && w < sizeof widths / sizeof *widths; w++) {
                    dslash_compare(t, &f, links, &dslash_pairs[i], widths[w], (naik_parity)(w % 2));
                }
                naik_links_destroy(&links);
            }
        }
        fixture_destroy(&f);
    }
}

static void kernels_match_reference(check *t)
{
    fixture_for_grids(t, dslash_odd_halves, t->comm->size == 2 ? 2 : 1, match_on_grid);
}

static void kernels_match_reference_where_a_split_direction_is_cut(check *t)
{
    fixture_for_cut_and_split(t, match_on_grid);
}

static void kernels_match_reference_on_odd_half_extents(check *t)
{
    static const int size[4] = {4, 6, 10, 14}, grid[4] = {1, 1, 1, 1};
    if (t->comm->size > 1) {
        CHECK_SKIP(t, "this box cannot be split");
    }
    match_on_grid(t, size, grid);
}

/* Storages that a backend does not have are passed over without a word: these it must have. */
static void a_backend_stores_links_in_every_form_that_is_stated(check *t)
{
    for (int naive = 0; naive < 2; naive++) {
        fixture f;
        if (fixture_create(t, dslash_odd_halves, NULL, false, naive != 0, 0, &f)) {
            for (int i = 0; i < DSLASH_PAIRS; i++) {
                const dslash_pair *p = &dslash_pairs[i];
                const bool gpu = strcmp(fixture_backend_name(), "cpu") != 0;
                const bool wanted =
                    p->recon == 18 || p->recon == 13 || (naive == 0 && p->recon == 9);
                CHECK_TRUE(t, gpu || (dslash_recon_of(&f, p) > 0) == wanted);
            }
        }
        fixture_destroy(&f);
    }
}

/* Every rhs of a batch, on every rank, has the bits of one vector on one rank. */
static void same_bits_on_grid(check *t, const int size[4], const int grid[4])
{
    fixture f, one;
    int threads = t->comm->size == 1 ? 2 : 1;
    if (fixture_create(t, size, grid, false, false, threads, &f) &&
        fixture_create(t, size, NULL, true, false, 1, &one)) {
        for (int i = 0; i < DSLASH_PAIRS; i++) {
            naik_links *links = NULL, *links_one = NULL;
            if (dslash_recon_of(&f, &dslash_pairs[i]) == 0) {
                continue;
            }
            CHECK_OK(t, naik_links_create(f.geometry, f.source, dslash_pairs[i].links,
                                          dslash_pairs[i].recon, &links));
            CHECK_OK(t, naik_links_create(one.geometry, one.source, dslash_pairs[i].links,
                                          dslash_pairs[i].recon, &links_one));
            naik_field *in = fixture_field(t, &f, dslash_pairs[i].vectors, 7, 5, NAIK_ODD);
            naik_field *out = fixture_field(t, &f, dslash_pairs[i].vectors, 7, 5, NAIK_EVEN);
            CHECK_OK(t, naik_dslash_plain(links, in, NAIK_EVEN, out));
            for (int c = 0; c < 7; c += 3) {
                naik_field *in_one =
                    fixture_field(t, &one, dslash_pairs[i].vectors, 1, 5 + (uint64_t)c, NAIK_ODD);
                naik_field *out_one =
                    fixture_field(t, &one, dslash_pairs[i].vectors, 1, 5, NAIK_EVEN);
                CHECK_OK(t, naik_dslash_plain(links_one, in_one, NAIK_EVEN, out_one));
                double *a = calloc((size_t)f.lat->sites * 6, sizeof(double));
                double *b = calloc((size_t)one.lat->sites * 6, sizeof(double));
                CHECK_OK(t, f.backend->ops->field.to_host(out, NAIK_EVEN, c, a));
                CHECK_OK(t, one.backend->ops->field.to_host(out_one, NAIK_EVEN, 0, b));
                bool same = true;
                for (int32_t site = 0; site < f.lat->sites; site++) {
                    int x[4];
                    naik_lattice_coords(f.lat, site, x);
                    const double *theirs = b + 6 * naik_lattice_global(f.lat, x);
                    same = same && memcmp(a + 6 * (int64_t)site, theirs, 6 * sizeof(double)) == 0;
                }
                CHECK_TRUE(t, same);
                free(a);
                free(b);
                naik_field_destroy(&in_one);
                naik_field_destroy(&out_one);
            }
            naik_field_destroy(&in);
            naik_field_destroy(&out);
            naik_links_destroy(&links);
            naik_links_destroy(&links_one);
        }
    }
    fixture_destroy(&one);
    fixture_destroy(&f);
}

static void grid_threads_and_batch_do_not_change_a_bit(check *t)
{
    fixture_for_grids(t, dslash_odd_halves, 2, same_bits_on_grid); /* test_layouts has all */
    if (t->comm->size <= 4) /* rows of eight are rows of four */
        fixture_for_cut_and_split(t, same_bits_on_grid);
}

/* Whatever kernels a backend has for batches of each width. */
static void every_width_gives_the_same_bits(check *t)
{
    static const int widths[] = {2, 3, 4, 5, 7, 8, 12, 16};
    fixture f;
    if (fixture_create(t, dslash_odd_halves, NULL, false, false, 0, &f)) {
        const size_t bytes = dslash_step_bytes(f.lat->sites);
        double *one = calloc(1, bytes), *many = calloc(1, bytes);
        for (int i = 0; i < DSLASH_PAIRS; i++) {
            naik_links *links = NULL;
            if (dslash_recon_of(&f, &dslash_pairs[i]) == 0) {
                continue;
            }
            CHECK_OK(t, naik_links_create(f.geometry, f.source, dslash_pairs[i].links,
                                          dslash_pairs[i].recon, &links));
            dslash_step_bits(t, &f, links, dslash_pairs[i].vectors, 1, one);
            for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
                dslash_step_bits(t, &f, links, dslash_pairs[i].vectors, widths[w], many);
                CHECK_TRUE(t, memcmp(one, many, bytes) == 0);
            }
            naik_links_destroy(&links);
        }
        free(one);
        free(many);
    }
    fixture_destroy(&f);
}

/* A field of more than 8 MB, which the CPU stores past its caches, as one of a 64th of that. */
static void large_fields_give_the_same_bits(check *t)
{
    static const int size[] = {8, 8, 8, 12};
    const dslash_pair *p = &dslash_pairs[0];
    fixture f;
    naik_links *links = NULL;
    if (fixture_create(t, size, NULL, false, false, 0, &f)) {
        const size_t bytes = dslash_step_bytes(f.lat->sites);
        double *one = calloc(1, bytes), *many = calloc(1, bytes);
        CHECK_TRUE(t, p->vectors == NAIK_DOUBLE);
        CHECK_OK(t, naik_links_create(f.geometry, f.source, p->links, p->recon, &links));
        dslash_step_bits(t, &f, links, p->vectors, 1, one);
        dslash_step_bits(t, &f, links, p->vectors, NAIK_MAX_RHS, many);
        CHECK_TRUE(t, memcmp(one, many, bytes) == 0);
        naik_links_destroy(&links);
        free(one);
        free(many);
    }
    fixture_destroy(&f);
}

/* A step, three rhs wide, with the kernels of one set; false where links are not stored so. */
static bool bits_of_set(check *t, const char *set, const dslash_pair *p, double *bits)
{
    fixture f;
    naik_links *links = NULL;
    CHECK_TRUE(t, setenv("NAIK_INSTRUCTIONS", set, 1) == 0);
    bool ok = fixture_create(t, dslash_odd_halves, NULL, true, false, 1, &f);
    if (ok) {
        char line[256];
        f.backend->ops->describe(f.backend, line, sizeof line);
        ok = CHECK_TRUE(t, strstr(line, set) != NULL) && dslash_recon_of(&f, p) > 0;
    }
    if (ok) {
        CHECK_OK(t, naik_links_create(f.geometry, f.source, p->links, p->recon, &links));
        dslash_step_bits(t, &f, links, p->vectors, 3, bits);
        naik_links_destroy(&links);
    }
    fixture_destroy(&f);
    return ok;
}

/* Whether the backend has the set: where the processor says that it has, it must. */
static bool has_set(check *t, const char *set, bool processor)
{
    naik_backend *backend = NULL;
    const naik_backend_options options = {.threads = 1};
    CHECK_TRUE(t, setenv("NAIK_INSTRUCTIONS", set, 1) == 0);
    const naik_status status = naik_backend_create(t->comm, "cpu", &options, &backend);
    CHECK_TRUE(t, status == NAIK_OK || (status == NAIK_ERR_INPUT && !processor));
    naik_backend_destroy(&backend);
    return status == NAIK_OK;
}

static void every_instruction_set_gives_the_same_bits(check *t)
{
    static const char *const sets[] = {"avx2", "avx512"};
    const size_t bytes = dslash_step_bytes((int64_t)4 * 8 * 12 * 8); /* dslash_odd_halves */
    if (strcmp(fixture_backend_name(), "cpu") != 0) {
        CHECK_SKIP(t, "instruction sets are the CPU's");
    }
#if defined(__x86_64__)
    const bool has[] = {has_set(t, sets[0], __builtin_cpu_supports("avx2")),
                        has_set(t, sets[1], __builtin_cpu_supports("avx512vl"))};
#else
    const bool has[] = {has_set(t, sets[0], false), has_set(t, sets[1], false)};
#endif
    double *plain = calloc(1, bytes), *vector = calloc(1, bytes);
    for (int i = t->comm->rank; i < DSLASH_PAIRS; i += t->comm->size) {
        bool ok = bits_of_set(t, "portable", &dslash_pairs[i], plain);
        for (size_t k = 0; ok && k < sizeof sets / sizeof *sets; k++) {
            if (has[k]) {
                bits_of_set(t, sets[k], &dslash_pairs[i], vector);
                CHECK_TRUE(t, memcmp(plain, vector, bytes) == 0);
            }
        }
    }
    unsetenv("NAIK_INSTRUCTIONS");
    free(plain);
    free(vector);
}

static void unknown_instructions_are_refused(check *t)
{
    naik_backend *backend = NULL;
    const naik_backend_options options = {.threads = 1};
    if (strcmp(fixture_backend_name(), "cpu") != 0) {
        CHECK_SKIP(t, "instruction sets are the CPU's");
    }
    setenv("NAIK_INSTRUCTIONS", "sse9", 1);
    CHECK_STATUS(t, naik_backend_create(t->comm, "cpu", &options, &backend), NAIK_ERR_INPUT);
    unsetenv("NAIK_INSTRUCTIONS");
}

static void compare_step(check *t, const fixture *f, const naik_links *links, const dslash_pair *p)
{
    enum { N = 5 };
    const naik_backend_ops *ops = f->backend->ops;
    const int reals = f->lat->sites * 6;
    naik_rhs record[N];
    naik_exactsum *sums = NULL;
    double value[2][2 * N], *before[6], *after[4];
    naik_field *field[6];                                 /* in; r, p, ap, x; D in */
    static const double grid[N] = {0, 1e-3, 30, 1e6, 30}; /* a site's share is near 100 */
    memset(record, 0, sizeof record);
    for (int c = 0; c < N; c++) {
        record[c] = (naik_rhs){.shift = 0.01 * (c + 1),
                               .sum_quantum = grid[c],
                               .alpha = 0.4 - 0.3 * c,
                               .beta = 0.2 * c,
                               .x_deferred_last = 0.1 * c,
                               .x_deferred = c == 1 ? 0.4 : 0,
                               .state = c == 2 ? NAIK_RHS_CHECK : NAIK_RHS_RUN};
    }
    CHECK_OK(t, naik_backend_alloc(f->backend, 2 * N * sizeof *sums, "sums", (void **)&sums));
    for (int k = 0; k < 6; k++) {
        field[k] =
            fixture_field(t, f, p->vectors, N, 1 + 10 * (uint64_t)k, k == 0 ? NAIK_ODD : NAIK_EVEN);
        before[k] = calloc((size_t)reals * N, sizeof *before[k]);
    }
    CHECK_OK(t, naik_dslash_plain(links, field[0], NAIK_EVEN, field[5]));
    for (int k = 1; k < 6; k++) {
        for (int c = 0; c < N; c++) {
            CHECK_OK(t, ops->field.to_host(field[k], NAIK_EVEN, c, before[k] + c * reals));
        }
    }
    dslash_step(t, f, links, field, record, value[0]);
    CHECK_OK(t, ops->reduction.clear(f->backend, sums, 2 * N));
    CHECK_OK(t, ops->reduction.dot(field[1], field[1], NULL, NAIK_RHS_IDLE, sums));
    CHECK_OK(t, ops->reduction.dot(field[1], field[3], NULL, NAIK_RHS_IDLE, sums + N));
    CHECK_OK(t, ops->reduction.over_ranks(f->backend, sums, 2 * N));
    CHECK_OK(t, ops->reduction.values(f->backend, sums, 2 * N, value[1]));
    for (int k = 0; k < 4; k++) {
        after[k] = calloc((size_t)reals, sizeof *after[k]);
    }
    for (int c = 0; c < N; c++) {
        double *here[6];
        for (int k = 0; k < 6; k++) {
            here[k] = before[k] + c * reals;
        }
        for (int k = 0; k < 4; k++) {
            CHECK_OK(t, ops->field.to_host(field[1 + k], NAIK_EVEN, c, after[k]));
        }
        dslash_check_step(t, &record[c], reals, here, after, p->tolerance);
        /* of what was stored: exactly, or on a grid (rhs.h) */
        const bool exact = c == 2 || p->vectors == NAIK_DOUBLE || grid[c] == 0;
        for (int k = c; k < 2 * N; k += N) {
            CHECK_NEAR(t, value[0][k] - (c == 2 ? 0 : value[1][k]), 0,
                       exact ? 0 : 1e-10 * value[1][c]);
        }
    }
    for (int k = 0; k < 6; k++) {
        naik_field_destroy(&field[k]);
        free(before[k]);
    }
    for (int k = 0; k < 4; k++) {
        free(after[k]);
    }
    naik_backend_release(f->backend, sums);
}

static void a_step_equals_its_parts(check *t)
{
    fixture f;
    if (fixture_create(t, dslash_odd_halves, NULL, false, false, 0, &f)) {
        for (int i = 0; i < DSLASH_PAIRS; i++) {
            naik_links *links = NULL;
            if (dslash_recon_of(&f, &dslash_pairs[i]) > 0) {
                CHECK_OK(t, naik_links_create(f.geometry, f.source, dslash_pairs[i].links,
                                              dslash_pairs[i].recon, &links));
                compare_step(t, &f, links, &dslash_pairs[i]);
                naik_links_destroy(&links);
            }
        }
    }
    fixture_destroy(&f);
}

static void fused_forms_equal_their_parts(check *t)
{
    enum { N = 5 };
    fixture f;
    if (!fixture_create(t, dslash_odd_halves, NULL, false, false, 0, &f)) {
        fixture_destroy(&f);
        return;
    }
    const naik_backend_ops *ops = f.backend->ops;
    for (int i = 0; i < DSLASH_PAIRS; i++) {
        const dslash_pair *p = &dslash_pairs[i];
        naik_links *links = NULL;
        naik_rhs record[N];
        naik_rhs *rhs = NULL;
        naik_exactsum *sums = NULL;
        double value[2][N];
        if (dslash_recon_of(&f, p) == 0) {
            continue;
        }
        memset(record, 0, sizeof record);
        for (int c = 0; c < N; c++) {
            record[c] = (naik_rhs){.shift = 0.01 * (c + 1),
                                   .alpha = 1.7 - 0.4 * c,
                                   .sum_quantum = 100 * c,
                                   .state = c == 2 ? NAIK_RHS_IDLE : NAIK_RHS_RUN};
        }
        CHECK_OK(t, naik_links_create(f.geometry, f.source, p->links, p->recon, &links));
        CHECK_OK(t, naik_backend_alloc(f.backend, sizeof record, "records", (void **)&rhs));
        CHECK_OK(t, naik_backend_alloc(f.backend, N * sizeof *sums, "sums", (void **)&sums));
        CHECK_OK(t, naik_backend_upload(f.backend, rhs, record, sizeof record));
        naik_field *in = fixture_field(t, &f, p->vectors, N, 1, NAIK_ODD);
        naik_field *v = fixture_field(t, &f, p->vectors, N, 11, NAIK_EVEN);
        naik_field *b = fixture_field(t, &f, p->vectors, N, 21, NAIK_EVEN);
        naik_field *plain = fixture_field(t, &f, p->vectors, N, 31, NAIK_EVEN);
        CHECK_OK(t, naik_dslash_plain(links, in, NAIK_EVEN, plain));
        /* the affine one without b, then with it */
        for (int k = NAIK_FORM_AFFINE - 1; k <= NAIK_FORM_DESCENT; k++) {
            const int form = k < NAIK_FORM_AFFINE ? NAIK_FORM_AFFINE : k;
            const double before = k == NAIK_FORM_AFFINE ? -1.3 : 0;
            naik_field *out = fixture_field(t, &f, p->vectors, N, 41, NAIK_EVEN);
            const naik_dslash_args args = {.form = (naik_form)form,
                                           .parity = NAIK_EVEN,
                                           .links = links,
                                           .in = in,
                                           .out = out,
                                           .v = v,
                                           .b = k < NAIK_FORM_AFFINE ? NULL : b,
                                           .a = 0.3,
                                           .c = before,
                                           .s = -0.7,
                                           .rhs = rhs,
                                           .state = NAIK_RHS_RUN,
                                           .sums = sums};
            CHECK_OK(t, ops->reduction.clear(f.backend, sums, N));
            CHECK_OK(t, naik_dslash(&args));
            CHECK_OK(t, ops->reduction.over_ranks(f.backend, sums, N));
            CHECK_OK(t, ops->reduction.values(f.backend, sums, N, value[0]));
            CHECK_OK(t, ops->reduction.clear(f.backend, sums, N));
            CHECK_OK(t, ops->reduction.dot(out, out, NULL, NAIK_RHS_IDLE, sums));
            CHECK_OK(t, ops->reduction.over_ranks(f.backend, sums, N));
            CHECK_OK(t, ops->reduction.values(f.backend, sums, N, value[1]));
            double *parts[5];
            const naik_field *field[4] = {plain, v, b, out};
            for (int c = 0; c < N; c++) {
                double worst = 0, largest = 0;
                for (int i = 0; i < 4; i++) {
                    parts[i] = calloc((size_t)f.lat->sites * 6, sizeof(double));
                    CHECK_OK(t, ops->field.to_host(field[i], NAIK_EVEN, c, parts[i]));
                }
                parts[4] = fixture_vector(&f, 41 + (uint64_t)c, NAIK_EVEN);
                for (int32_t i = 0; i < f.lat->sites * 6; i++) {
                    double d = parts[0][i], vv = parts[1][i], expected = parts[4][i];
                    if (record[c].state == NAIK_RHS_RUN) {
                        double schur = record[c].shift * vv - d;
                        schur *= form == NAIK_FORM_DESCENT ? record[c].alpha : 1;
                        expected = form == NAIK_FORM_AFFINE
                                       ? 0.3 * vv + before * parts[2][i] - 0.7 * d
                                       : parts[2][i] - schur;
                    }
                    worst = naik_worst(worst, fabs(parts[3][i] - expected));
                    largest = naik_worst(largest, fabs(expected));
                }
                CHECK_NEAR(t, worst / largest, 0, p->tolerance);
                if (record[c].state != NAIK_RHS_RUN) {
                    CHECK_TRUE(t, value[0][c] == 0);
                } else {
                    /* of what was stored, exactly or on a grid (rhs.h) */
                    const bool exact = p->vectors == NAIK_DOUBLE || record[c].sum_quantum == 0;
                    CHECK_NEAR(t, value[0][c] / value[1][c], 1, exact ? 0 : 1e-13);
                }
                for (int i = 0; i < 5; i++) {
                    free(parts[i]);
                }
            }
            naik_field_destroy(&out);
        }
        naik_field_destroy(&in);
        naik_field_destroy(&v);
        naik_field_destroy(&b);
        naik_field_destroy(&plain);
        naik_backend_release(f.backend, rhs);
        naik_backend_release(f.backend, sums);
        naik_links_destroy(&links);
    }
    fixture_destroy(&f);
}

/* Re and Im of <u, v> over the sites of a parity. */
static naik_complex inner_product(const fixture *f, const double *u, const double *v,
                                  naik_parity parity)
{
    naik_exactsum sum[2];
    naik_exactsum_clear(&sum[0]);
    naik_exactsum_clear(&sum[1]);
    for (int32_t cb = 0; cb < f->lat->volume_cb; cb++) {
        int64_t at = 6 * (int64_t)naik_lattice_site_of(f->lat, parity, cb);
        for (int i = 0; i < 3; i++) {
            const double *a = u + at + 2 * i, *b = v + at + 2 * i;
            naik_exactsum_add(&sum[0], a[0] * b[0] + a[1] * b[1]);
            naik_exactsum_add(&sum[1], a[0] * b[1] - a[1] * b[0]);
        }
    }
    naik_comm_sum_exact(f->lat->comm, sum, 2);
    return (naik_complex){naik_exactsum_value(&sum[0]), naik_exactsum_value(&sum[1])};
}

static void dslash_is_antihermitian(check *t)
{
    fixture f;
    if (fixture_create(t, dslash_odd_halves, NULL, false, false, 0, &f)) {
        const naik_backend_ops *ops = f.backend->ops;
        naik_links *links = NULL;
        CHECK_OK(t, naik_links_create(f.geometry, f.source, NAIK_DOUBLE, 18, &links));
        naik_field *e = fixture_field(t, &f, NAIK_DOUBLE, 1, 1, NAIK_EVEN);
        naik_field *o = fixture_field(t, &f, NAIK_DOUBLE, 1, 2, NAIK_ODD);
        naik_field *de = fixture_field(t, &f, NAIK_DOUBLE, 1, 3, NAIK_ODD);
        naik_field *dodd = fixture_field(t, &f, NAIK_DOUBLE, 1, 3, NAIK_EVEN);
        CHECK_OK(t, naik_dslash_plain(links, e, NAIK_ODD, de));
        CHECK_OK(t, naik_dslash_plain(links, o, NAIK_EVEN, dodd));
        double *u = fixture_vector(&f, 1, NAIK_EVEN), *v = fixture_vector(&f, 2, NAIK_ODD);
        double *du = fixture_vector(&f, 9, -1), *dv = fixture_vector(&f, 9, -1);
        CHECK_OK(t, ops->field.to_host(de, NAIK_ODD, 0, du));
        CHECK_OK(t, ops->field.to_host(dodd, NAIK_EVEN, 0, dv));
        /* <v, D u> = -<D v, u> = -conj <u, D v> */
        naik_complex a = inner_product(&f, v, du, NAIK_ODD),
                     b = inner_product(&f, u, dv, NAIK_EVEN);
        double scale = sqrt((double)f.lat->volume);
        CHECK_NEAR(t, a.re, -b.re, 1e-13 * scale * scale);
        CHECK_NEAR(t, a.im, b.im, 1e-13 * scale * scale);
        CHECK_TRUE(t, fabs(a.re) + fabs(a.im) > 1e-3 * scale);
        free(u);
        free(v);
        free(du);
        free(dv);
        naik_field_destroy(&e);
        naik_field_destroy(&o);
        naik_field_destroy(&de);
        naik_field_destroy(&dodd);
        naik_links_destroy(&links);
    }
    fixture_destroy(&f);
}

/* The fixture's links in the memory of its backend. */
static naik_fatlong resident_links(check *t, const fixture *f)
{
    naik_device *device = naik_backend_device(f->backend);
    naik_fatlong links = *f->source;
    CHECK_OK(t, naik_gauge_create_on(f->lat, device, &links.fat));
    CHECK_OK(t, naik_gauge_create_on(f->lat, device, &links.long_links));
    CHECK_OK(t, naik_gauge_copy(f->source->fat, links.fat));
    CHECK_OK(t, naik_gauge_copy(f->source->long_links, links.long_links));
    return links;
}

/* D of a random vector, on the host. */
static double *dslash_with(check *t, const fixture *f, const naik_fatlong *source,
                           const dslash_pair *p)
{
    naik_links *links = NULL;
    naik_field *in = fixture_field(t, f, p->vectors, 1, 1, NAIK_ODD);
    naik_field *out = fixture_field(t, f, p->vectors, 1, 2, NAIK_EVEN);
    double *sites = calloc((size_t)f->lat->sites * 6, sizeof *sites);
    CHECK_OK(t, naik_links_create(f->geometry, source, p->links, p->recon, &links));
    CHECK_OK(t, naik_dslash_plain(links, in, NAIK_EVEN, out));
    CHECK_OK(t, f->backend->ops->field.to_host(out, NAIK_EVEN, 0, sites));
    naik_links_destroy(&links);
    naik_field_destroy(&in);
    naik_field_destroy(&out);
    return sites;
}

static void links_pack_alike_from_either_memory(check *t)
{
    fixture f;
    if (fixture_create(t, dslash_odd_halves, NULL, false, false, 0, &f)) {
        naik_fatlong resident = resident_links(t, &f);
        for (int k = 0; k < DSLASH_PAIRS; k++) {
            if (dslash_recon_of(&f, &dslash_pairs[k]) == 0) {
                continue;
            }
            double *a = dslash_with(t, &f, f.source, &dslash_pairs[k]);
            double *b = dslash_with(t, &f, &resident, &dslash_pairs[k]);
            CHECK_INT(t, memcmp(a, b, (size_t)f.lat->sites * 6 * sizeof *a), 0);
            free(a);
            free(b);
        }
        naik_gauge_destroy(&resident.fat);
        naik_gauge_destroy(&resident.long_links);
    }
    fixture_destroy(&f);
}

static void wrong_shapes_are_refused(check *t)
{
    fixture f;
    if (fixture_create(t, dslash_odd_halves, NULL, false, false, 0, &f)) {
        naik_links *links = NULL, *none = NULL;
        CHECK_OK(t, naik_links_create(f.geometry, f.source, NAIK_DOUBLE, 18, &links));
        naik_field *two = fixture_field(t, &f, NAIK_DOUBLE, 2, 1, NAIK_ODD);
        naik_field *three = fixture_field(t, &f, NAIK_DOUBLE, 3, 1, NAIK_EVEN);
        CHECK_STATUS(t, naik_dslash_plain(links, two, NAIK_EVEN, three), NAIK_ERR_ARG);
        CHECK_STATUS(t, naik_dslash_plain(links, two, NAIK_EVEN, two), NAIK_ERR_ARG);
        CHECK_STATUS(t, naik_links_create(f.geometry, f.source, NAIK_DOUBLE, 17, &none),
                     NAIK_ERR_INPUT);
        naik_field *bare = NULL, *spinors = NULL, *wide = NULL;
        CHECK_OK(t, naik_field_create_bare(f.geometry, NAIK_DOUBLE, 3, &bare));
        CHECK_STATUS(t, naik_dslash_plain(links, bare, NAIK_EVEN, three), NAIK_ERR_ARG);
        CHECK_OK(t, naik_field_create_spin(f.geometry, NAIK_DOUBLE, NAIK_SPIN,
                                           NAIK_MAX_RHS / NAIK_SPIN, &spinors));
        CHECK_STATUS(t, naik_dslash_plain(links, spinors, NAIK_EVEN, spinors), NAIK_ERR_ARG);
        CHECK_STATUS(t,
                     naik_field_create_spin(f.geometry, NAIK_DOUBLE, NAIK_SPIN,
                                            NAIK_MAX_RHS / NAIK_SPIN + 1, &wide),
                     NAIK_ERR_ARG);
        CHECK_STATUS(t, naik_field_create(f.geometry, NAIK_SINGLE, NAIK_MAX_RHS + 1, &wide),
                     NAIK_ERR_ARG);
        CHECK_STATUS(t, naik_field_create(f.geometry, NAIK_SINGLE, 0, &wide), NAIK_ERR_ARG);
        naik_field_destroy(&bare);
        naik_field_destroy(&spinors);
        naik_field_destroy(&two);
        naik_field_destroy(&three);
        naik_links_destroy(&links);
    }
    fixture_destroy(&f);
}

CHECK_MAIN(CHECK_UP_TO(1, a_backend_stores_links_in_every_form_that_is_stated),
           CHECK(kernels_match_reference),
           CHECK_UP_TO(4, kernels_match_reference_where_a_split_direction_is_cut),
           CHECK(kernels_match_reference_on_odd_half_extents),
           CHECK_UP_TO(2, every_width_gives_the_same_bits),
           CHECK_UP_TO(2, large_fields_give_the_same_bits),
           CHECK_UP_TO(2, every_instruction_set_gives_the_same_bits),
           CHECK(unknown_instructions_are_refused), CHECK_UP_TO(4, dslash_is_antihermitian),
           CHECK(grid_threads_and_batch_do_not_change_a_bit),
           CHECK_UP_TO(4, fused_forms_equal_their_parts), CHECK_UP_TO(4, a_step_equals_its_parts),
           CHECK_UP_TO(2, links_pack_alike_from_either_memory), CHECK(wrong_shapes_are_refused))
