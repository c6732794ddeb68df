/* test_bounds.c - small rules at both sides of their limits: what texts may say, which vectors are alike, what sums
 * are rounded to, where ghost sites are, names of backends, how many flops an operator with spin takes, and which solves
 * count where one has missed
 *
 * ranks: 1
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/create.h"
#include "base/text.h"
#include "bench/bench.h"
#include "check.h"
#include "cli/correlator_facts.h"
#include "correlator/contraction_kind.h"
#include "io/reread.h"
#include "lattice/grid.h"
#include "links/ghosted.h"
#include "links/twist.h"
#include "multigrid/coarse_vector.h"
#include "multigrid/gram.h"
#include "operator/wilson_operator.h"
#include "stored/guess_foreign.h"

static void characters_are_printed_or_not(check *t)
{
    static const struct {
        const char *text;
        int length;
    } rows[] = {{"A", 1},
                {" ", 1},
                {"~", 1},
                {"\x1f", 0},
                {"\x7f", 0},
                {"\x80", 0},
                {"\xc1\xbf", 0}, /* overlong */
                {"\xc2\x9f", 0}, /* a control character */
                {"\xc2\xa0", 2},
                {"\xc3\xbf", 2},
                {"\xdf\xbf", 2},
                {"\xe0\x9f\xbf", 0}, /* overlong */
                {"\xe0\xa0\x80", 3},
                {"\xe1\x80", 0}, /* cut off */
                {"\xe1\x80\x80", 3},
                {"\xed\x9f\xbf", 3},
                {"\xed\xa0\x80", 0}, /* a surrogate */
                {"\xef\xbf\xbf", 3},
                {"\xf0\x8f\xbf\xbf", 0}, /* overlong */
                {"\xf0\x90\x80\x80", 4},
                {"\xf3\xbf\xbf\xbf", 4},
                {"\xf4\x8f\xbf\xbf", 4},
                {"\xf4\x90\x80\x80", 0}, /* beyond the last code point */
                {"\xf5\x80\x80\x80", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!CHECK_INT(t, naik_text_printable(rows[i].text), rows[i].length)) {
            fprintf(stderr, "    row %zu\n", i);
        }
    }
}

static void lists_of_numbers_have_their_limits(check *t)
{
    enum { ROOM = 4 };
    static const char *const no_reals[] = {"",     "2,", ",2",       "2,,3",      "2;3", "2, 3",
                                           "2,3x", ",",  "2,3,4,5,", "2,3,4,5,6", "nan", "1e999"};
    static const struct {
        const char *text;
        int count; /* 0: refused */
    } rows[] = {{"2", 1},     {"8", 1},         {"1", 0},     {"9", 0},
                {"", 0},      {"2,", 0},        {",2", 0},    {"2;3", 0},
                {"2,3", 2},   {"2,3,4,5", 4},   {"2,3,x", 0}, {"2,3,9", 0},
                {"2,1,3", 0}, {"2,3,4,5,6", 0}, {" 2", 0},    {"+2", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int values[ROOM] = {0}, count = 0;
        const bool good = naik_text_counts(rows[i].text, 2, 8, ROOM, values, &count);
        if (!CHECK_INT(t, good ? count : 0, rows[i].count)) {
            fprintf(stderr, "    '%s'\n", rows[i].text);
        }
        for (int k = 0; good && k < count; k++) {
            CHECK_INT(t, values[k], rows[i].text[2 * k] - '0');
        }
        double reals[ROOM] = {0};
        const bool same = naik_text_reals(rows[i].text, ROOM, reals, &count);
        for (int k = 0; good && k < count; k++) {
            CHECK_INT(t, (int)reals[k], values[k]);
        }
        CHECK_TRUE(t, same || !good);
    }
    for (size_t i = 0; i < sizeof no_reals / sizeof *no_reals; i++) {
        double reals[ROOM] = {0};
        int count = 0;
        CHECK_TRUE(t, !naik_text_reals(no_reals[i], ROOM, reals, &count));
    }
}

static void numbers_of_texts_have_their_limits(check *t)
{
    int64_t whole = 0;
    uint64_t natural = 0;
    double real = 0;
    int extents[4];
    CHECK_TRUE(t, naik_text_int64("9223372036854775807", &whole) && whole == INT64_MAX);
    CHECK_TRUE(t, !naik_text_int64("9223372036854775808", &whole));
    CHECK_TRUE(t, !naik_text_int64("12-", &whole) && !naik_text_int64("", &whole));
    CHECK_TRUE(t, naik_text_uint64("18446744073709551615", &natural) && natural == UINT64_MAX);
    CHECK_TRUE(t, !naik_text_uint64("18446744073709551616", &natural));
    CHECK_TRUE(t, naik_text_real("1e308", &real) && real == 1e308);
    CHECK_TRUE(t, !naik_text_real("1e309", &real) && !naik_text_real("1e3.", &real));
    CHECK_TRUE(t, naik_text_time("1:59:59", &real) && real == 7199);
    CHECK_TRUE(t, !naik_text_time("1:60:00", &real) && !naik_text_time("1:00:60", &real));
    CHECK_TRUE(t, !naik_text_time("x:00:00", &real) && !naik_text_time("1:x:00", &real));
    CHECK_TRUE(t, naik_text_time("999999999:00:00", &real) && real == 999999999.0 * 3600);
    CHECK_TRUE(t, !naik_text_time("1000000000:00:00", &real)); /* ten digits */
    const char *lines = "mass=1\nm=2\n";
    CHECK_TRUE(t, naik_line_value(lines, "m") == lines + 9 && naik_line_value(lines, "a") == NULL);
    CHECK_TRUE(t, naik_text_extents("1x2x32768x4", extents) && extents[2] == 32768);
    CHECK_TRUE(t, !naik_text_extents("1x2x32769x4", extents));
    CHECK_TRUE(t, !naik_text_extents("0x2x3x4", extents));
}

static void grids_work_where_boxes_are_even_and_hold_a_halo(check *t)
{
    static const struct {
        int size, ranks;
        bool works;
    } rows[] = {{8, 1, true},   {8, 2, true},  {8, 0, false}, {8, -1, false}, {8, 3, false},
                {4, 2, false},  {6, 2, false}, {12, 3, true}, {12, 4, false}, {20, 2, true},
                {20, 4, false}, {2, 1, true},  {6, 1, true},  {10, 5, false}, {30, 5, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            int size[NAIK_DIM] = {8, 8, 8, 8}, grid[NAIK_DIM] = {1, 1, 1, 1};
            size[mu] = rows[i].size;
            grid[mu] = rows[i].ranks;
            if (!CHECK_INT(t, naik_grid_works(size, grid), rows[i].works)) {
                fprintf(stderr, "    %d on %d ranks, direction %d\n", size[mu], grid[mu], mu);
            }
        }
    }
}

/* As ghosted.h says: [t][z][y][rows in x], the ghost sites of a split x behind the box, the forward one first. */
static size_t number_of(const int box[NAIK_DIM], const int pad[NAIK_DIM], const int x[NAIK_DIM])
{
    const int forward = pad[0] > 0 ? box[0] : 0, backward = pad[0] > 0 ? box[0] + 1 : box[0] - 1;
    const int at = x[0] < 0 ? backward : x[0] == box[0] ? forward : x[0];
    const int rows = (box[0] + 2 * pad[0] + NAIK_ROW_SITES - 1) / NAIK_ROW_SITES;
    int line = 0;
    for (int mu = NAIK_DIM - 1; mu > 0; mu--) {
        line = line * (box[mu] + 2 * pad[mu]) + x[mu] + pad[mu];
    }
    return ((size_t)line * (size_t)rows + (size_t)(at / NAIK_ROW_SITES)) * NAIK_ROW_SITES *
               NAIK_ROW_REALS +
           (size_t)(at % NAIK_ROW_SITES);
}

static void ghost_sites_follow_the_box(check *t)
{
    for (int length = 2; length <= 18; length += 2) {
        for (int split = 0; split < 1 << NAIK_DIM; split++) {
            naik_lattice lat = {.local = {length, 4, 2, 4}};
            int pad[NAIK_DIM], x[NAIK_DIM];
            for (int mu = 0; mu < NAIK_DIM; mu++) {
                pad[mu] = split >> mu & 1;
                lat.split[mu] = pad[mu] != 0;
            }
            const naik_ghosted_plan plan = naik_ghosted_plan_of(&lat, NULL);
            const size_t numbers = naik_ghosted_numbers(&plan);
            double *data = calloc(numbers, sizeof *data);
            const naik_ghosted field = {.plan = &plan, .data = data};
            int wrong = 0;
            for (x[3] = -pad[3]; x[3] < lat.local[3] + pad[3]; x[3]++) {
                for (x[2] = -pad[2]; x[2] < lat.local[2] + pad[2]; x[2]++) {
                    for (x[1] = -pad[1]; x[1] < lat.local[1] + pad[1]; x[1]++) {
                        for (x[0] = -1; x[0] <= length; x[0]++) { /* where it is whole, it wraps */
                            const size_t at = number_of(lat.local, pad, x);
                            wrong += naik_ghosted_at(&field, x) != data + at || at >= numbers;
                        }
                    }
                }
            }
            if (!CHECK_INT(t, wrong, 0)) {
                fprintf(stderr, "    %d sites, split %d\n", length, split);
            }
            free(data);
        }
    }
}

static void coarse_sums_have_room_below_two_to_the_sixty(check *t)
{
    static const struct {
        double size, scale;
    } rows[] = {{1, 0x1p59},
                {0x1.fffffffffffffp-1, 0x1p60},
                {2, 0x1p58},
                {1.5, 0x1p59},
                {0, 0},
                {-1, 0},
                {0x1p-100, 0x1p159},
                {1e300, 0},
                {INFINITY, 0},
                {NAN, 0},
                {0x1p900, 0x1p-841}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!CHECK_TRUE(t, naik_coarse_scale(rows[i].size) == rows[i].scale)) {
            fprintf(stderr, "    row %zu: %a\n", i, naik_coarse_scale(rows[i].size));
        }
    }
}

/* Two vectors of length 1 with the product `re + i im`: the part of the second that is its own has |v|^2 = own. */
static bool parts(double own, bool imaginary)
{
    static naik_gram g, out;
    const double product = sqrt(1 - own);
    memset(g, 0, sizeof g);
    g[0][0][0] = g[1][1][0] = 1;
    g[0][1][imaginary] = product;
    g[1][0][imaginary] = imaginary ? -product : product;
    return naik_gram_orthonormal(g, 2, out);
}

static void vectors_that_are_alike_are_not_parted(check *t)
{
    for (int imaginary = 0; imaginary < 2; imaginary++) {
        CHECK_TRUE(t, parts(1, imaginary) && parts(0.1, imaginary) && parts(1.1e-11, imaginary));
        CHECK_TRUE(t, !parts(0.9e-11, imaginary) && !parts(0, imaginary));
    }
}

/* t^+ g t = 1 of three vectors with complex products. */
static void what_parts_vectors_makes_them_orthonormal(check *t)
{
    enum { N = 3 };
    static const double product[N][N][2] = {{{2, 0}, {0.5, 0.25}, {-0.125, 1}},
                                            {{0.5, -0.25}, {3, 0}, {0.75, -0.5}},
                                            {{-0.125, -1}, {0.75, 0.5}, {1.5, 0}}};
    static naik_gram g, out;
    for (int i = 0; i < N; i++) {
        memcpy(g[i], product[i], sizeof product[i]);
    }
    CHECK_TRUE(t, naik_gram_orthonormal(g, N, out));
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double re = 0, im = 0;
            for (int k = 0; k < N * N; k++) {
                const double *a = out[k / N][i], *m = product[k / N][k % N], *b = out[k % N][j];
                const double left[2] = {a[0] * m[0] + a[1] * m[1], a[0] * m[1] - a[1] * m[0]};
                re += left[0] * b[0] - left[1] * b[1];
                im += left[0] * b[1] + left[1] * b[0];
            }
            CHECK_NEAR(t, re, i == j, 1e-13);
            CHECK_NEAR(t, im, 0, 1e-13);
        }
    }
}

/* Mh is D twice, 1320 flops a site each, what multiplies a spinor at its own site, and one sum. */
static void flops_of_an_operator_with_spin_are_counted(check *t)
{
    double numbers = 0;
    const naik_blocks number = {.number = 0.2}, twisted = {.number = 0.2, .chiral = -0.1},
                      matrix = {.data = &numbers},
                      both = {.data = &numbers, .factor = &matrix, .chiral = 0.1};
    const struct {
        const naik_blocks *inverse;
        double schur, step;
    } rows[] = {{&number, 2688, 5712}, /* 2 x 1320 + 48; twice that and 4 x 84 */
                {&twisted, 2832, 6000},
                {&matrix, 3696, 7728},
                {&both, 4800, 9936}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const naik_wilson wilson = {.inverse = (naik_blocks *)rows[i].inverse};
        const naik_mh mh = {.wilson = &wilson};
        const naik_operator op = {.ops = &naik_operator_wilson, .data = &mh};
        CHECK_NEAR(t, naik_wilson_schur_flops(&wilson), rows[i].schur, 0);
        CHECK_NEAR(t, naik_operator_wilson.step_flops(&op), rows[i].step, 0);
    }
}

static void a_backend_has_one_of_three_names(check *t)
{
    static const struct {
        const char *name;
        naik_status status;
    } rows[] = {{"cpu", NAIK_OK},
                {"auto", NAIK_OK},
                {"", NAIK_ERR_INPUT},
                {"automatic", NAIK_ERR_INPUT},
                {"CPU", NAIK_ERR_INPUT}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const naik_backend_options options = {.threads = 1, .share_gpu = true};
        naik_backend *backend = NULL;
        CHECK_STATUS(t, naik_backend_create(t->comm, rows[i].name, &options, &backend),
                     rows[i].status);
        CHECK_TRUE(t, (backend != NULL) == (rows[i].status == NAIK_OK));
        naik_backend_destroy(&backend);
    }
}

/* Of each source in the file one mass, or two; one column of one of them has missed its tolerance. */
static void a_column_that_missed_is_told_of_the_quarks_that_have_it(check *t)
{
    static naik_reader_pair pair[] = {{.label = "p", .quark = {.mass = 0.1}},
                                      {.label = "p", .quark = {.mass = 0.2}},
                                      {.label = "p", .quark = {.mass = 0.2, .naik_epsilon = 0.5}},
                                      {.label = "q/s0001", .quark = {.mass = 0.1}},
                                      {.label = "p+exact/s0000", .quark = {.mass = 0.1}},
                                      {.label = "pp", .quark = {.mass = 0.1}}};
    enum { PAIRS = sizeof pair / sizeof *pair, COLUMNS = 3 };
    const naik_contracted_quark p = {"p", {.mass = 0.1}}, heavy = {"p", {.mass = 0.2}},
                                other = {"p", {.mass = 0.2, .naik_epsilon = 0.5}},
                                q = {"q", {.mass = 0.1}};
    const struct {
        naik_reader_contraction c;
        int missed[PAIRS]; /* that it tells of each */
    } rows[] = {
        {{.quarks = 1, .quark = {p}}, {1, 0, 0, 0, 0, 0}},
        {{.quarks = 2, .quark = {p, q}}, {1, 0, 0, 1, 0, 0}},
        {{.quarks = 2, .quark = {p, p}}, {2, 0, 0, 0, 0, 0}},
        {{.quarks = 3, .quark = {p, heavy, q}}, {1, 1, 0, 1, 0, 0}},
        {{.quarks = 1, .quark = {other}}, {0, 0, 1, 0, 0, 0}},
        {{.quarks = 1, .quark = {p}, .spectator = q}, {1, 0, 0, 0, 0, 0}},
        {{.quarks = 1, .quark = {p}, .three_point = true, .spectator = q}, {1, 0, 0, 1, 0, 0}},
        {{.quarks = 1, .quark = {p}, .truncated = true, .quantity = "mean"}, {1, 0, 0, 0, 1, 0}},
        {{.quarks = 1, .quark = {p}, .truncated = true, .quantity = "sloppy mean"},
         {1, 0, 0, 0, 0, 0}},
        {{.quarks = 1, .quark = {p}, .quantity = "mean"}, {1, 0, 0, 0, 0, 0}}};
    const naik_propagator_reader view = {.columns = COLUMNS, .pairs = pair, .pair_count = PAIRS};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int k = 0; k < PAIRS * COLUMNS; k++) {
            naik_solve_state *state = &pair[k / COLUMNS].solve[k % COLUMNS].state;
            *state = NAIK_SOLVE_NOT_CONVERGED;
            if (!CHECK_INT(t, correlator_unconverged(&view, &rows[i].c),
                           rows[i].missed[k / COLUMNS])) {
                fprintf(stderr, "    row %zu, column %d of pair %d\n", i, k % COLUMNS, k / COLUMNS);
            }
            *state = NAIK_SOLVE_DONE;
        }
    }
    CHECK_TRUE(t, correlator_mass_is_shared(&view, "p", &heavy.quark) &&
                      correlator_mass_is_shared(&view, "p", &other.quark));
    CHECK_TRUE(t, !correlator_mass_is_shared(&view, "p", &p.quark) &&
                      !correlator_mass_is_shared(&view, "q", &heavy.quark));
}

/* Words with a mark of the line in them are quoted, and JSON has no infinite number. */
static void lines_of_bench_are_read_back_word_by_word(check *t)
{
    static const char *const wants[] = {
        "a=b c=\"d e\" f=\"g,h\" i=\"j=k\" n=-7 x=0.5 y=inf size=4,4,4,8",
        "{\"a\": \"b\", \"c\": \"d e\", \"f\": \"g,h\", \"i\": \"j=k\", \"n\": -7, \"x\": 0.5, "
        "\"y\": null, \"size\": [4, 4, 4, 8]"};
    for (int json = 0; json < 2; json++) {
        bench_line line = {.json = json};
        bench_put_text(&line, "a", "b");
        bench_put_text(&line, "c", "d e");
        bench_put_text(&line, "f", "g,h");
        bench_put_text(&line, "i", "j=k");
        bench_put_int(&line, "n", -7);
        bench_put_real(&line, "x", "%.3g", 0.5);
        bench_put_real(&line, "y", "%.3g", INFINITY);
        bench_put_extents(&line, "size", (const int[]){4, 4, 4, 8});
        CHECK_TEXT(t, line.text, wants[json]);
    }
}

/* Of several systems together, of which one may have no number. */
static void solves_of_bench_are_told_of_one(check *t)
{
    static const struct {
        naik_solver_result result;
        const char *iterations, *residual;
        int failed;
    } rows[] = {
        {{.reason = NAIK_SOLVER_CONVERGED, .iterations = 7, .residual = 2e-9},
         "7.0",
         "2.000e-09",
         0},
        {{.reason = NAIK_SOLVER_CONVERGED, .iterations = 4, .residual = 3e-9},
         "5.5",
         "3.000e-09",
         0},
        {{.reason = NAIK_SOLVER_BROKEN, .iterations = 8, .residual = NAN}, "6.3", "nan", 1},
        {{.reason = NAIK_SOLVER_CONVERGED, .iterations = 1, .residual = 1e-9}, "5.0", "nan", 1}};
    const bench_options options = {.tolerance = 1e-8};
    const bench b = {.options = &options};
    bench_tally tally = {.iterations = 0};
    for (int i = 0; i < 4; i++) {
        char want[256];
        bench_line line = {.json = false};
        bench_count(&tally, &rows[i].result);
        bench_put_solves(&b, &line, &tally, i + 1, 3.0 * (i + 1));
        snprintf(want, sizeof want,
                 "tolerance=1e-08 iterations=%s true_residual=%s not_converged=%d seconds=3.0000",
                 rows[i].iterations, rows[i].residual, rows[i].failed);
        CHECK_TEXT(t, line.text, want);
    }
    CHECK_INT(t, tally.least, 1);
    CHECK_INT(t, tally.most, 8);
}

static void a_deviation_that_is_no_number_is_the_worst(check *t)
{
    static const double rows[][3] = {{1, 2, 2},
                                     {2, 1, 2},
                                     {0, 0, 0},
                                     {NAN, 1, NAN},
                                     {1, NAN, NAN},
                                     {NAN, 0, NAN},
                                     {1, INFINITY, INFINITY}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double got = naik_worst(rows[i][0], rows[i][1]), want = rows[i][2];
        CHECK_TRUE(t, isnan(want) ? isnan(got) : got == want);
    }
}

/* What was read back wrongly was written wrongly; what HDF5 cannot read is damaged, but where the disk or
 * MPI-IO said so. */
static void a_status_depends_on_what_was_done(check *t)
{
    char disk[64];
    snprintf(disk, sizeof disk, "reading: %s", strerror(EIO));
    const struct {
        naik_status status, written, read;
        const char *said;
    } rows[] = {{NAIK_OK, NAIK_OK, NAIK_OK, NULL},
                {NAIK_ERR_CORRUPT, NAIK_ERR_IO, NAIK_ERR_CORRUPT, "its checksum"},
                {NAIK_ERR_INPUT, NAIK_ERR_IO, NAIK_ERR_INPUT, "another file"},
                {NAIK_ERR_MEMORY, NAIK_ERR_MEMORY, NAIK_ERR_MEMORY, "no memory"},
                {NAIK_ERR_IO, NAIK_ERR_IO, NAIK_ERR_CORRUPT, "an object header"},
                {NAIK_ERR_IO, NAIK_ERR_IO, NAIK_ERR_IO, disk},
                {NAIK_ERR_IO, NAIK_ERR_IO, NAIK_ERR_IO,
                 "opening f failed: MPI_File_open failed: "
                 "MPI error string is 'MPI_ERR_INTERN'"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char want[256];
        const bool changed = rows[i].written != rows[i].status;
        if (rows[i].said != NULL) {
            (void)NAIK_FAIL(t->log, rows[i].status, "%s", rows[i].said);
        }
        CHECK_INT(t, naik_h5_read_verdict(t->log, rows[i].status), rows[i].read);
        CHECK_INT(t, naik_write_verdict(t->log, "f", rows[i].status), rows[i].written);
        snprintf(want, sizeof want, "%s%s",
                 changed ? "'f' did not read back as it was written (is the disk full?): " : "",
                 rows[i].said != NULL ? rows[i].said : "");
        CHECK_TEXT(t, naik_log_message(t->log), want);
        naik_log_clear(t->log);
    }
}

static void count(void *data, const char *text)
{
    (void)text;
    ++*(int *)data;
}

/* What began from another code's solutions is counted, and what did not is told once. */
static void guesses_of_other_codes_are_counted(check *t)
{
    static const naik_start_value left = {.scale = 0, .residual = 3},
                                  whole = {1, 2e-9, false, 0, 0}, near = {1, 4e-8, false, 0, 0},
                                  half = {0.5, 1e-9, false, 0, 0}, signs = {1, 1e-9, true, 0, 0},
                                  turned = {2, 1e-9, false, 3, 8};
    static const struct {
        const naik_start_value *of[3];
        int warned;
        const char *text;
    } rows[] = {
        {{NULL}, 0, ""},
        {{&left}, 1, "no solve of p began from another code's g"},
        {{&left, &left}, 1, "no solve of p began from another code's g"},
        {{&whole}, 0, "1 solves of p began from another code's g, residuals at most 2.0e-09"},
        {{&near, &whole},
         0,
         "2 solves of p began from another code's g, residuals at most 4.0e-08"},
        {{&left, &whole, &left},
         1,
         "1 solves of p began from another code's g, residuals at most 2.0e-09, and 2 began "
         "without it"},
        {{&half, &whole},
         0,
         "2 solves of p began from another code's g, residuals at most 2.0e-09, 1 of them times "
         "0.5"},
        {{&half, &signs},
         0,
         "2 solves of p began from another code's g, residuals at most 1.0e-09, 2 of them times 1 "
         "(-1)^(t (x+y+z))"},
        {{&turned, &left},
         1,
         "1 solves of p began from another code's g, residuals at most 1.0e-09, 1 of them times 2 "
         "exp(i pi (t - 3)/8), and 1 began without it"}};
    const naik_input_solve solve = {.name = "p", .guess = "g"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        guess_foreign guess = {.there = true};
        char text[400] = "";
        int warned = 0;
        naik_log_watch_warnings(t->log, count, &warned);
        for (int k = 0; k < 3 && rows[i].of[k] != NULL; k++) {
            guess_foreign_weighed(&guess, t->log, &solve, rows[i].of[k]);
        }
        naik_log_watch_warnings(t->log, NULL, NULL);
        CHECK_INT(t, guess_foreign_summary(&guess, &solve, text, sizeof text), i > 0);
        CHECK_TEXT(t, text, rows[i].text);
        CHECK_INT(t, warned, rows[i].warned);
    }
}

static void twists_differ_in_each_direction(check *t)
{
    static const double rows[][NAIK_DIM - 1] = {
        {0, 0, 0}, {0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 0.5}, {0.5, 0.25, 0.5}};
    for (int i = 0; i < 5; i++) {
        CHECK_INT(t, naik_twist_same(rows[i], NULL), i == 0);
        CHECK_INT(t, naik_twist_none(rows[i]), i == 0);
        CHECK_INT(t, naik_twist_same(NULL, rows[i]), i == 0);
        for (int j = 0; j < 5; j++) {
            CHECK_INT(t, naik_twist_same(rows[i], rows[j]), i == j);
        }
    }
}

/* Of the kinds of baryons that differ in a number or a sign alone: each has the words of the first, with its own. */
static void definitions_of_baryons_differ_in_their_corner_or_parity(check *t)
{
    static const naik_baryon odd[][2] = {{NAIK_NUCLEON, NAIK_NUCLEON_ODD},
                                         {NAIK_LAMBDA, NAIK_LAMBDA_ODD},
                                         {NAIK_DELTA, NAIK_DELTA_ODD}};
    char want[600];
    for (int quarks = 1; quarks <= 3; quarks += 2) {
        const char *first = baryon_definition(NAIK_NUCLEON_TASTE, false, quarks);
        const char *behind = strstr(first, "0, 0 and 0");
        for (int i = 0; i < 8 && CHECK_TRUE(t, behind != NULL); i++) {
            snprintf(want, sizeof want, "%.*s%d, %d and %d%s", (int)(behind - first), first, i & 1,
                     i >> 1 & 1, i >> 2, behind + strlen("0, 0 and 0"));
            CHECK_TEXT(t, baryon_definition(NAIK_NUCLEON_TASTE + i, false, quarks), want);
        }
        for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
            const char *even = baryon_definition(odd[i][0], true, quarks);
            behind = strstr(even, "(1 + gt)");
            if (CHECK_TRUE(t, behind != NULL)) {
                snprintf(want, sizeof want, "%.*s(1 - gt)%s", (int)(behind - even), even,
                         behind + strlen("(1 + gt)"));
                CHECK_TEXT(t, baryon_definition(odd[i][1], true, quarks), want);
            }
        }
    }
}

CHECK_MAIN(CHECK(characters_are_printed_or_not), CHECK(a_backend_has_one_of_three_names),
           CHECK(lists_of_numbers_have_their_limits), CHECK(numbers_of_texts_have_their_limits),
           CHECK(grids_work_where_boxes_are_even_and_hold_a_halo),
           CHECK(ghost_sites_follow_the_box), CHECK(coarse_sums_have_room_below_two_to_the_sixty),
           CHECK(vectors_that_are_alike_are_not_parted),
           CHECK(what_parts_vectors_makes_them_orthonormal),
           CHECK(flops_of_an_operator_with_spin_are_counted),
           CHECK(a_column_that_missed_is_told_of_the_quarks_that_have_it),
           CHECK(lines_of_bench_are_read_back_word_by_word), CHECK(solves_of_bench_are_told_of_one),
           CHECK(a_deviation_that_is_no_number_is_the_worst),
           CHECK(a_status_depends_on_what_was_done), CHECK(guesses_of_other_codes_are_counted),
           CHECK(twists_differ_in_each_direction),
           CHECK(definitions_of_baryons_differ_in_their_corner_or_parity))
