/* test_file_words.c - the small texts of files: values in XML, names of momenta, twists and data sets, a row each
 *
 * ranks: 1
 */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "io/gauge/format.h"
#include "io/lime/lime.h"
#include "io/prop/prop_file.h"
#include "naik/gauge_io.h"
#include "propagator_fixture.h"

static void values_in_xml_are_found_whole_or_not(check *t)
{
    static const struct {
        const char *text, *value; /* NULL: there is none */
    } rows[] = {{"<a>x</a>", "x"},
                {"<a> x y \n</a>", "x y"},
                {"<a>\n x\t</a>", "x"},
                {"<a></a>", ""},
                {"<a>x", NULL},
                {"<ab>y</ab><a>x</a>", "x"},
                {"<b><a kind=\"c\">x</a></b>", "x"},
                {"<n:a>x</n:a>", "x"},
                {"<a\n b=\"c\">x</a>", "x"},
                {"<a\tb=\"c\">x</a>", "x"},
                {"<a b=\"c\"", NULL},
                {"<?a <a>y</a>?><a>x</a>", "x"},
                {"<!--> <a>y</a> --><a>x</a>", "x"},
                {"<!-- <a>x</a>", NULL},
                {"<!-- <a>y</a> --><a>x</a>", "x"},
                {"<a>x<!-- y -->z</a>", "xz"},
                {"<a>12345678901234567890123</a>", "12345678901234567890123"},
                {"<a>123456789012345678901234</a>", NULL}, /* no room with its end */
                {"<b>x</b>", NULL}};
    char value[24];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool found = naik_xml_value(rows[i].text, "a", value, sizeof value);
        CHECK_TRUE(t, found == (rows[i].value != NULL));
        CHECK_TEXT(t, value, found ? rows[i].value : "");
    }
}

static void numbers_in_xml_are_as_many_as_are_wanted(check *t)
{
    static const struct {
        const char *text;
        int count; /* wanted */
        bool ok;
        int last;
    } rows[] = {{"<a>4</a>", 1, true, 4},
                {"<a> 4 4 4 8 </a>", 4, true, 8},
                {"<a>4\n4\t4 8\n</a>", 4, true, 8},
                {"<a>4 4 4 8 2</a>", 4, false, 0},
                {"<a>4 4 4</a>", 4, false, 0},
                {"<a>4 4 4 8x</a>", 4, false, 0},
                {"<a>4 4 4 8 x</a>", 4, false, 0},
                {"<a>4,4,4,8</a>", 4, false, 0},
                {"<a></a>", 1, false, 0},
                {"<a>-7</a>", 1, true, -7},
                {"<a>1000000000</a>", 1, true, 1000000000},
                {"<a>1000000001</a>", 1, false, 0},
                {"<a>-1000000000</a>", 1, true, -1000000000},
                {"<a>-1000000001</a>", 1, false, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int out[4] = {0};
        const bool ok = naik_xml_ints(rows[i].text, "a", rows[i].count, out);
        CHECK_TRUE(t, ok == rows[i].ok);
        CHECK_TRUE(t, !ok || out[rows[i].count - 1] == rows[i].last);
    }
}

static void two_values_contradict_each_other_where_they_differ(check *t)
{
    static const struct {
        const char *text;
        bool contradicts;
    } rows[] = {{"<a>x</a>", false},
                {"<b>y</b>", false},
                {"<a>x</a><a>x</a>", false},
                {"<a>x</a><a> x </a>", false},
                {"<a>x</a><a>y</a>", true},
                {"<a>x</a><b><a>x</a></b><a>y</a>", true},
                {"<a>x</a><!-- <a>y</a> -->", false},
                {"<a>x</a><a></a>", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_TRUE(t, naik_xml_contradicts(rows[i].text, "a") == rows[i].contradicts);
    }
}

static void momenta_have_names_of_their_own(check *t)
{
    static const struct {
        int p[3];
        const char *name;
    } rows[] = {{{0, 0, 0}, "p000"},       {{1, -1, 0}, "p1-10"},     {{9, 9, 9}, "p999"},
                {{-9, -9, -9}, "p-9-9-9"}, {{10, 0, 0}, "p10_0_0"},   {{0, 10, 0}, "p0_10_0"},
                {{0, 0, 10}, "p0_0_10"},   {{-10, 0, 0}, "p-10_0_0"}, {{0, -10, 0}, "p0_-10_0"},
                {{0, 0, -10}, "p0_0_-10"}, {{1, 0, 0}, "p100"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[NAIK_PROP_NAME];
        naik_propagator_momentum_name(rows[i].p, name);
        CHECK_TEXT(t, name, rows[i].name);
    }
}

/* The names of all momenta of a file, each with its end. */
static void names_of_momenta_have_their_room(check *t)
{
    static int momenta[NAIK_PROP_NAMES_BYTES / 5 + 1][3]; /* p000 each */
    static const int size[NAIK_DIM] = {4, 4, 4, 4};
    naik_propagator_spec spec = room_spec();
    spec.common.momenta = (const int(*)[3])momenta;
    for (int over = 0; over < 2; over++) {
        naik_prop_plan *plan = NULL;
        spec.common.momentum_count = NAIK_PROP_NAMES_BYTES / 5 + over;
        const naik_status status = naik_prop_plan_create(t->log, &spec, size, &plan);
        CHECK_TRUE(t, !over || strstr(naik_log_message(t->log),
                                      "no room for the names of 13001 momenta, only for those of "
                                      "the first 13000") != NULL);
        CHECK_STATUS(t, status, over ? NAIK_ERR_INPUT : NAIK_OK);
        naik_prop_plan_destroy(&plan);
    }
}

static void twists_are_told_where_there_is_one(check *t)
{
    static const struct {
        double twist[3];
        const char *text;
    } rows[] = {{{0, 0, 0}, ""},
                {{0.5, 0, 0}, " twist=0.5,0,0"},
                {{0, -0.25, 0}, " twist=0,-0.25,0"},
                {{0, 0, 1e-3}, " twist=0,0,0.001"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[96];
        naik_propagator_twist_text(rows[i].twist, " twist=", text);
        CHECK_TEXT(t, text, rows[i].text);
    }
}

/* They become parts of paths in the file. */
static void names_of_sets_are_those_that_paths_hold(check *t)
{
    static const char longest[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk";
    static const char longer[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl";
    static const struct {
        const char *name;
        bool ok;
    } rows[] = {{"a", true},    {"a-b_c+d", true}, {"", false},     {"a.b", false},
                {"a/b", false}, {"a b", false},    {longest, true}, {longer, false}};
    static const int size[4] = {4, 4, 4, 4};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        naik_propagator_spec spec = room_spec();
        naik_solve_set sets[8];
        naik_prop_plan *plan = NULL;
        CHECK_REQUIRE(t, spec.set_count <= 8);
        memcpy(sets, spec.sets, (size_t)spec.set_count * sizeof *sets);
        sets[0].name = rows[i].name;
        spec.sets = sets;
        const naik_status status = naik_prop_plan_create(t->log, &spec, size, &plan);
        CHECK_TRUE(t, status == (rows[i].ok ? NAIK_OK : NAIK_ERR_INPUT));
        CHECK_TRUE(t, rows[i].ok ||
                          strstr(naik_log_message(t->log), "the name of a solve set '") != NULL);
        CHECK_TRUE(t, rows[i].ok ||
                          strstr(naik_log_message(t->log),
                                 "' must have 1 to 63 characters, without '/', '.' and space") !=
                              NULL);
        naik_log_clear(t->log);
        naik_prop_plan_destroy(&plan);
    }
}

/* ---- headers of the Gauge Connection */

enum { HEADER_KEYS = 10, HEADER = 1000 };
static const char *const header[HEADER_KEYS][2] = {
    {"DATATYPE", "4D_SU3_GAUGE"}, {"DIMENSION_1", "4"},    {"DIMENSION_2", "4"},
    {"DIMENSION_3", "4"},         {"DIMENSION_4", "8"},    {"CHECKSUM", "ffffffff"},
    {"PLAQUETTE", "0.5"},         {"LINK_TRACE", "-0.01"}, {"FLOATING_POINT", "IEEE32BIG"},
    {"BOUNDARY_4", "PERIODIC"}};

/* The header with `value` for the key, NULL: without it; `again`: the key once more. What naik says of the file. */
static const char *look_at_header(check *t, const char *key, const char *value, const char *again,
                                  size_t *bytes)
{
    char path[512], text[HEADER] = "BEGIN_HEADER\n";
    naik_gauge_file file = {0};
    for (int i = 0; i < HEADER_KEYS; i++) {
        const bool its = strcmp(header[i][0], key) == 0;
        const char *now = its ? value : header[i][1];
        const size_t used = strlen(text);
        if (now != NULL) {
            snprintf(text + used, sizeof text - used, "%s = %s\n", header[i][0], now);
        }
    }
    *bytes = strlen(text);
    if (again != NULL) {
        snprintf(text + *bytes, sizeof text - *bytes, "%s = %s\n", key, again);
    }
    strcat(text, "END_HEADER\n");
    *bytes = strlen(text);
    snprintf(path, sizeof path, "%s/header.nersc", check_folder());
    FILE *out = fopen(path, "wb");
    CHECK_TRUE(t, out != NULL && fwrite(text, 1, *bytes, out) == *bytes && fclose(out) == 0);
    CHECK_TRUE(t, naik_gauge_file_probe(t->comm, path, &file) != NAIK_OK); /* there are no links */
    naik_gauge_file_clear(&file);
    return naik_log_message(t->log);
}

/* Rows of links and their bits where a header is good, as its bytes tell; else what is wrong. */
static void headers_say_what_they_hold_or_are_refused(check *t)
{
    static const struct {
        const char *key, *value;
        int rows, bits;
        const char *says;
    } rows[] = {
        {"-", "", 2, 32, NULL},
        {"DATATYPE", "4D_SU3_GAUGE_3x3", 3, 32, NULL},
        {"DATATYPE", "4D_SU3_GAUGE_3X3", 3, 32, NULL},
        {"DATATYPE", "4D_SU3_GAUGE_3y3", 0, 0, "DATATYPE = '4D_SU3_GAUGE_3y3', which naik does"},
        {"DATATYPE", "4D_SU1_GAUGE", 0, 0, "DATATYPE = '4D_SU1_GAUGE', which naik does not"},
        {"DATATYPE", "4D_SU2_GAUGE", 0, 0, "has links of 2 colours, SU(2)"},
        {"DATATYPE", "4D_SU4_GAUGE_4x4", 0, 0, "has links of 4 colours, SU(4)"},
        {"DATATYPE", "4D_SU4_GAUGE_4x3", 0, 0, "DATATYPE = '4D_SU4_GAUGE_4x3', which naik"},
        {"DATATYPE", "4D_SU3_GAUGEX", 0, 0, "DATATYPE = '4D_SU3_GAUGEX', which naik does not"},
        {"DATATYPE", NULL, 0, 0, "has a NERSC header without DATATYPE"},
        {"DIMENSION_1", NULL, 0, 0, "has a NERSC header without DIMENSION_1"},
        {"DIMENSION_2", "4x", 0, 0, "unusable NERSC header: DIMENSION_2 = '4x'"},
        {"DIMENSION_3", "100000000000", 0, 0, "unusable NERSC header"},
        {"CHECKSUM", "0", 2, 32, NULL},
        {"CHECKSUM", "100000000", 0, 0, "unusable NERSC header: CHECKSUM = '100000000'"},
        {"CHECKSUM", "-1", 0, 0, "unusable NERSC header: CHECKSUM = '-1'"},
        {"CHECKSUM", "12 3", 0, 0, "unusable NERSC header: CHECKSUM = '12 3'"},
        {"CHECKSUM", "", 0, 0, "unusable NERSC header: CHECKSUM = ''"},
        {"CHECKSUM", NULL, 2, 32, NULL},
        {"PLAQUETTE", "x", 0, 0, "unusable NERSC header: PLAQUETTE = 'x'"},
        {"PLAQUETTE", NULL, 2, 32, NULL},
        {"LINK_TRACE", "0.1.", 0, 0, "unusable NERSC header: LINK_TRACE = '0.1.'"},
        {"LINK_TRACE", NULL, 2, 32, NULL},
        {"FLOATING_POINT", NULL, 2, 32, NULL},
        {"FLOATING_POINT", "IEEE32", 2, 32, NULL},
        {"FLOATING_POINT", "IEEE32LITTLE", 2, 32, NULL},
        {"FLOATING_POINT", "IEEE64", 2, 64, NULL},
        {"FLOATING_POINT", "IEEE64BIG", 2, 64, NULL},
        {"FLOATING_POINT", "IEEE64LITTLE", 2, 64, NULL},
        {"FLOATING_POINT", "IEEE16", 0, 0, "FLOATING_POINT = 'IEEE16', which naik does not"},
        {"BOUNDARY_4", "ANTIPERIODIC", 2, 32, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t bytes;
        char needs[80];
        const char *said = look_at_header(t, rows[i].key, rows[i].value, NULL, &bytes);
        snprintf(needs, sizeof needs, "is %zu bytes long, but its NERSC header needs %zu", bytes,
                 bytes + (size_t)(4 * 4 * 4 * 8 * 24 * rows[i].rows * rows[i].bits / 8));
        if (!CHECK_TRUE(t, strstr(said, rows[i].says != NULL ? rows[i].says : needs) != NULL)) {
            fprintf(stderr, "    %s = %s: %s\n", rows[i].key, rows[i].value, said);
        }
        naik_log_clear(t->log);
    }
}

/* The same twice is said once. */
static void headers_contradict_themselves_in_no_key(check *t)
{
    for (int i = 0; i < HEADER_KEYS; i++) {
        size_t bytes;
        char want[100];
        const char *key = header[i][0], *value = header[i][1];
        snprintf(want, sizeof want, "its NERSC header says %s = '%s' and %s = '1'", key, value,
                 key);
        CHECK_TRUE(t, strstr(look_at_header(t, key, value, "1", &bytes), want) != NULL);
        naik_log_clear(t->log);
        CHECK_TRUE(t, strstr(look_at_header(t, key, value, value, &bytes), "header needs") != NULL);
        naik_log_clear(t->log);
    }
}

/* A claim of few digits is a rounded one: 1 in its last digit. */
static void claims_of_headers_tell_their_last_digit(check *t)
{
    static const char sixty_three[] =
        "0.4999999999999999999999999999999999999999999999999999999999999";
    static const struct {
        const char *text;
        bool taken;
        double value, last;
    } rows[] = {{"0.58", true, 0.58, 1e-2},
                {"5.8e-1", true, 0.58, 1e-2},
                {"5.80D-01", true, 0.58, 1e-3},
                {"-5.8d1", true, -58, 1},
                {"17", true, 17, 1},
                {"17E3", true, 17000, 1000},
                {"1.e2", true, 100, 100},
                {sixty_three, true, 0.5, 1e-61},
                {"0.58x", false, 0, 0},
                {"", false, 0, 0},
                {"d", false, 0, 0}};
    char longer[65];
    double value, last;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        value = last = 0;
        CHECK_INT(t, naik_gauge_read_claim(rows[i].text, &value, &last), rows[i].taken);
        if (rows[i].taken) {
            CHECK_NEAR(t, value, rows[i].value, 1e-15);
            CHECK_NEAR(t, last / rows[i].last, 1, 1e-12);
        }
    }
    snprintf(longer, sizeof longer, "%s9", sixty_three);
    CHECK_INT(t, (int)strlen(longer), 64);
    CHECK_TRUE(t, !naik_gauge_read_claim(longer, &value, &last));
}

CHECK_MAIN(CHECK(values_in_xml_are_found_whole_or_not),
           CHECK(claims_of_headers_tell_their_last_digit),
           CHECK(numbers_in_xml_are_as_many_as_are_wanted),
           CHECK(two_values_contradict_each_other_where_they_differ),
           CHECK(momenta_have_names_of_their_own), CHECK(names_of_momenta_have_their_room),
           CHECK(twists_are_told_where_there_is_one),
           CHECK(names_of_sets_are_those_that_paths_hold),
           CHECK(headers_say_what_they_hold_or_are_refused),
           CHECK(headers_contradict_themselves_in_no_key))
