/* test_refusals.c - sentences that keep a wrong number out, each from the one thing that is wrong: headers of
 * configurations and vectors, arguments
 *
 * ranks: 1
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "gauge/gauge_fix.h"
#include "gauge/heatbath.h"
#include "io/files.h"
#include "io/h5/h5.h"
#include "io/vectors/vector_io.h"
#include "judgements.h"
#include "lattice/su3.h"
#include "links/smear.h"
#include "naik/gauge_io.h"
#include "naik/source.h"
#include "vector_fixture.h"

enum { PATH = 512, FROM_END = 1 << 30 };

static const int size[NAIK_DIM] = {4, 4, 4, 4}, larger[NAIK_DIM] = {4, 4, 4, 8};

/* One change of a whole file, and what naik says of it. */
typedef struct row {
    const char *format;
    const char *find, *put; /* text of the file and what takes its place, of the same length */
    int at;                 /* without a text: the little-endian word that `word` replaces */
    int word;
    int keep; /* so many bytes; FROM_END - n: all but n; 0: all */
    naik_status status;
    const char *says;
} row;

static const row configurations[] = {
    {"milc", NULL, NULL, 0, 0, 40, NAIK_ERR_CORRUPT, "ends within its MILC header of 96 bytes"},
    {"milc", NULL, NULL, 8, 0, 0, NAIK_ERR_CORRUPT,
     "has impossible extents in its MILC header: 4 0 4 4"},
    {"milc", NULL, NULL, 8, -4, 0, NAIK_ERR_CORRUPT, "has impossible extents in its MILC header"},
    {"milc", NULL, NULL, 16, 8, 0, NAIK_ERR_CORRUPT,
     "bytes long, but its MILC header (4 4 4 8) needs"},
    {"milc", NULL, NULL, 0, 0, FROM_END - 1, NAIK_ERR_CORRUPT,
     "bytes long, but its MILC header (4 4 4 4) needs"},
    {"nersc", "DIMENSION_4 = 4", "DIMENSION_4 = x", 0, 0, 0, NAIK_ERR_CORRUPT,
     "has an unusable NERSC header: DIMENSION_4 = 'x'"},
    {"nersc", "DIMENSION_3", "DIMENSION_5", 0, 0, 0, NAIK_ERR_INPUT,
     "has a NERSC header without DIMENSION_3"},
    {"nersc", "CHECKSUM = ", "CHECKSUM = z", 0, 0, 0, NAIK_ERR_CORRUPT,
     "has an unusable NERSC header: CHECKSUM = 'z"},
    {"nersc", "DATATYPE", "DATATIPE", 0, 0, 0, NAIK_ERR_INPUT,
     "has a NERSC header without DATATYPE"},
    {"nersc", NULL, NULL, 0, 0, FROM_END - 4, NAIK_ERR_CORRUPT,
     "bytes long, but its NERSC header needs"},
    {"ildg", NULL, NULL, 0, 0, 100, NAIK_ERR_CORRUPT, "ends within a LIME record header at byte 0"},
    {"ildg", NULL, NULL, 0, 0, FROM_END - 100, NAIK_ERR_CORRUPT,
     "is truncated: its record 'scidac-checksum'"},
    {"ildg", "<lx>4</lx>", "<lx>0</lx>", 0, 0, 0, NAIK_ERR_CORRUPT,
     "states impossible extents: 0 4 4 4"},
    {"ildg", "<lt>4</lt>", "<lt>8</lt>", 0, 0, 0, NAIK_ERR_CORRUPT,
     "states contradictory extents: 4 4 4 4 and 4 4 4 8"},
    {"ildg", "<spacetime>4<", "<spacetime>3<", 0, 0, 0, NAIK_ERR_INPUT, "has 3 dimensions, not 4"},
    {"ildg", "<dims>4 4 4 4", "<dims>4 4 4 x", 0, 0, 0, NAIK_ERR_CORRUPT,
     "does not tell four extents in its scidac-private-file-xml"},
    {"ildg", "<suma>", "<sumq>", 0, 0, 0, NAIK_ERR_CORRUPT,
     "has an unreadable scidac-checksum record at byte"},
    {"ildg", "<sumb>", "<sumb>z", 0, 0, 0, NAIK_ERR_CORRUPT,
     "has an unreadable scidac-checksum record at byte"},
    {"ildg", "<suma>", "<suma>123456789</suma><sumb>1</sumb>", 0, 0, 0, NAIK_ERR_CORRUPT,
     "has an unreadable scidac-checksum record at byte"},
    {"ildg", "<suma>", "<suma>1</suma><sumb>-1</sumb>", 0, 0, 0, NAIK_ERR_CORRUPT,
     "has an unreadable scidac-checksum record at byte"},
    {"ildg", "<suma>", "<suma></suma><sumb>1</sumb>", 0, 0, 0, NAIK_ERR_CORRUPT,
     "has an unreadable scidac-checksum record at byte"},
    {"ildg", NULL, NULL, 4, 0x200, 0, NAIK_ERR_INPUT,
     "has a LIME record of version 2 at byte 0, not 1"},
    {"ildg", "<precision>D<", "<precision>F<", 0, 0, 0, NAIK_ERR_CORRUPT,
     "says that its links have 32 bits, but its data have 64"},
};

static const row vectors[] = {
    {"fnal", NULL, NULL, 0, 0, 30, NAIK_ERR_CORRUPT, "ends within its FNAL header of 36 bytes"},
    {"fnal", NULL, NULL, 16, 0, 0, NAIK_ERR_CORRUPT,
     "has impossible extents in its FNAL header: 0 4 4 8"},
    {"fnal", NULL, NULL, 28, 65537, 0, NAIK_ERR_CORRUPT,
     "has impossible extents in its FNAL header: 4 4 4 65537"},
    {"fnal", NULL, NULL, 12, 24, 0, NAIK_ERR_INPUT,
     "24 reals of 4 bytes a site in order 0; only 18 of 4 bytes"},
    {"fnal", NULL, NULL, 32, 1, 0, NAIK_ERR_INPUT,
     "18 reals of 4 bytes a site in order 1; only 18 of 4 bytes"},
    {"fnal", NULL, NULL, 0, 0, FROM_END - 8, NAIK_ERR_CORRUPT,
     "bytes long, but its header (4 4 4 8) needs"},
    {"lime", "<spacetime>4<", "<spacetime>5<", 0, 0, 0, NAIK_ERR_INPUT, "has 5 dimensions, not 4"},
    {"lime", "<dims>4 4 4 8", "<dims>4 4 4 0", 0, 0, 0, NAIK_ERR_CORRUPT,
     "states impossible extents: 4 4 4 0"},
    {"lime", "<dims>4 4 4 8", "<dims>4 4 4 4", 0, 0, 0, NAIK_ERR_CORRUPT, "of data at byte"},
};

static unsigned char *read_file(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    unsigned char *data = NULL;
    *bytes = 0;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        *bytes = (size_t)ftell(file);
        rewind(file);
        data = malloc(*bytes + 1);
        *bytes = data != NULL ? fread(data, 1, *bytes, file) : 0;
        fclose(file);
    }
    return data;
}

static bool write_file(const char *path, const unsigned char *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    return file != NULL && fwrite(data, 1, bytes, file) == bytes && fclose(file) == 0;
}

/* Where the text of a row begins; `bytes`: nowhere. */
static size_t place_of(const row *r, const unsigned char *data, size_t bytes)
{
    const size_t length = strlen(r->find);
    size_t at = 0;
    while (at + length <= bytes && memcmp(data + at, r->find, length) != 0) {
        at++;
    }
    return at + length <= bytes ? at : bytes;
}

/* The file `whole` with one thing changed, in `path`. */
static bool change(check *t, const row *r, const char *whole, const char *path)
{
    size_t bytes;
    unsigned char *data = read_file(whole, &bytes);
    bool done = CHECK_TRUE(t, data != NULL && bytes > 128);
    if (done && r->find != NULL) {
        const size_t at = place_of(r, data, bytes);
        done = CHECK_TRUE(t, at < bytes);
        memcpy(data + (done ? at : 0), r->put, done ? strlen(r->put) : 0);
    } else if (done && r->keep == 0) {
        for (int i = 0; i < 4; i++) {
            data[r->at + i] = (unsigned char)((uint32_t)r->word >> 8 * i);
        }
    }
    const size_t keep = r->keep == 0               ? bytes
                        : r->keep > FROM_END - 256 ? bytes - (size_t)(FROM_END - r->keep)
                                                   : (size_t)r->keep;
    done = done && write_file(path, data, keep);
    free(data);
    return done;
}

static void expect(check *t, naik_status got, naik_status status, const char *says)
{
    const bool said = strstr(naik_log_message(t->log), says) != NULL;
    if (!said) {
        fprintf(stderr, "    expected '%s', got '%s'\n", says, naik_log_message(t->log));
    }
    CHECK_TRUE(t, said);
    CHECK_STATUS(t, got, status);
}

static const char *scratch(const char *name, char path[PATH])
{
    snprintf(path, PATH, "%s/%s", check_folder(), name);
    return path;
}

static void headers_of_configurations_say_what_is_wrong(check *t)
{
    char whole[PATH], path[PATH];
    naik_lattice *lattice = NULL;
    naik_gauge *gauge = NULL;
    CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &lattice));
    CHECK_OK(t, naik_gauge_create(lattice, &gauge));
    naik_gauge_set_random(gauge, 3);
    for (size_t i = 0; i < sizeof configurations / sizeof *configurations; i++) {
        const row *r = &configurations[i];
        naik_gauge_file file = {0};
        const int precision = strcmp(r->format, "milc") == 0 ? 32 : 64;
        CHECK_OK(t, naik_gauge_write(scratch(r->format, whole), r->format, gauge, precision, NULL));
        CHECK_OK(t, naik_gauge_file_probe(t->comm, whole, &file));
        naik_gauge_file_clear(&file);
        if (change(t, r, whole, scratch("changed", path))) {
            expect(t, naik_gauge_file_probe(t->comm, path, &file), r->status, r->says);
        }
        naik_gauge_file_clear(&file);
    }
    naik_gauge_destroy(&gauge);
    naik_lattice_destroy(&lattice);
}

/* openQCD has no magic number: extents (t, x, y, z), the plaquette and the length of the file tell of each other. */
static void headers_of_openqcd_are_known_by_what_fits(check *t)
{
    static const char unknown[] = "is no gauge configuration in a known format";
    static const struct {
        int extent[4]; /* t, x, y, z */
        double plaquette;
        int more; /* bytes than there should be; zeros, but for the last one */
        char last;
        naik_status status;
        const char *says;
    } rows[] = {
        {{8, 4, 6, 2}, 1.5, 0, 0, NAIK_OK, ""},
        {{8, 4, 6, 2}, -3.1, 0, 0, NAIK_OK, ""},
        {{8, 4, 6, 2}, 0, 0, 0, NAIK_OK, ""},
        {{8, 4, 6, 2}, 1.5, 8, 0, NAIK_OK, ""},
        {{8, 4, 6, 2}, 1.5, 8, 1, NAIK_ERR_CORRUPT, "of 4x6x2x8 (x, y, z, t), but is"},
        {{8, 4, 6, 2}, 1.5, -1, 0, NAIK_ERR_CORRUPT, "of 4x6x2x8 (x, y, z, t), but is"},
        {{8, 4, 6, 2}, 1.1e-8, 8, 1, NAIK_ERR_CORRUPT, "of 4x6x2x8 (x, y, z, t), but is"},
        {{8, 4, 6, 2}, 0.9e-8, 8, 1, NAIK_ERR_INPUT, unknown},
        {{8, 4, 6, 2}, 0, 8, 1, NAIK_ERR_INPUT, unknown},
        {{8, 4, 6, 2}, 3.11, 8, 1, NAIK_ERR_INPUT, unknown},
        {{8, 4, 6, 2}, NAN, 8, 1, NAIK_ERR_INPUT, unknown},
        {{8, 4, 6, 2}, 3.11, 0, 0, NAIK_ERR_CORRUPT, "stores an impossible plaquette of 3.11"},
        {{8, 4, 6, 2}, -3.11, 0, 0, NAIK_ERR_CORRUPT, "stores an impossible plaquette"},
        {{8, 4, 6, 2}, NAN, 0, 0, NAIK_ERR_CORRUPT, "stores an impossible plaquette"},
        {{7, 4, 6, 2}, 1.5, 0, 0, NAIK_ERR_INPUT, "has odd extents: 4 6 2 7"},
        {{8, 3, 6, 2}, 1.5, 0, 0, NAIK_ERR_INPUT, "has odd extents: 3 6 2 8"},
        {{8, 4, 5, 2}, 1.5, 0, 0, NAIK_ERR_INPUT, "has odd extents: 4 5 2 8"},
        {{8, 4, 6, 1}, 1.5, 0, 0, NAIK_ERR_INPUT, "has odd extents: 4 6 1 8"},
        {{0, 4, 6, 2}, 1.5, 0, 0, NAIK_ERR_INPUT, unknown},
        {{-8, 4, 6, 2}, 1.5, 0, 0, NAIK_ERR_INPUT, unknown},
        {{8, 4, 6, 65538}, 1.5, 0, 0, NAIK_ERR_INPUT, unknown}};
    char path[PATH];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t bytes = 24 + rows[i].more;
        naik_gauge_file file = {0};
        FILE *out = fopen(scratch("openqcd", path), "wb");
        CHECK_REQUIRE(t, out != NULL && fwrite(rows[i].extent, 4, 4, out) == 4 &&
                             fwrite(&rows[i].plaquette, 8, 1, out) == 1 && fclose(out) == 0);
        const int *e = rows[i].extent;
        bytes += e[0] > 0 ? 576 * (int64_t)e[0] * e[1] * e[2] * e[3] : 4096;
        CHECK_REQUIRE(t, truncate(path, bytes) == 0);
        if (rows[i].last != 0) {
            CHECK_REQUIRE(t, naik_file_put(t->comm, path, false, bytes - 1, &rows[i].last, 1) ==
                                 NAIK_OK);
        }
        expect(t, naik_gauge_file_probe(t->comm, path, &file), rows[i].status, rows[i].says);
        if (rows[i].status == NAIK_OK) {
            CHECK_TEXT(t, file.format, "openqcd");
            CHECK_TRUE(t, file.size[0] == e[1] && file.size[1] == e[2] && file.size[2] == e[3] &&
                              file.size[3] == e[0]);
        }
        naik_gauge_file_clear(&file);
    }
    (void)remove(path);
}

/* HDF5 files that are not naik's configurations, by the format that they state. */
static void files_of_other_formats_are_named(check *t)
{
    static const struct {
        const char *format, *says; /* NULL: the file states none */
    } rows[] = {{NULL, "is an HDF5 file, not a gauge configuration of naik"},
                {"naik-prop", "is an HDF5 file of format naik-prop, not a gauge configuration"},
                {"naik-modes", "is an HDF5 file of format naik-modes, not a gauge configuration"},
                {"naik-gaug", "is an HDF5 file of format naik-gaug, not a gauge configuration"},
                {"naik-gauges", "is an HDF5 file of format naik-gauges, not a gauge configuration"},
                {"other", "is an HDF5 file of format other, not a gauge configuration"}};
    char path[PATH];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        naik_gauge_file file = {0};
        hid_t h5 = -1;
        CHECK_REQUIRE(t, naik_h5_create(t->comm, scratch("format", path), &h5) == NAIK_OK);
        if (rows[i].format != NULL) {
            CHECK_OK(t, naik_h5_put_text(t->log, h5, "format", rows[i].format));
            CHECK_OK(t, naik_h5_put_text(t->log, h5, "format_version", "1.0"));
        }
        CHECK_OK(t, naik_h5_close(t->comm, &h5));
        expect(t, naik_gauge_file_probe(t->comm, path, &file), NAIK_ERR_INPUT, rows[i].says);
        naik_gauge_file_clear(&file);
    }
    (void)remove(path);
}

/* Where no record tells the extents those that are given must fit, and the matrices be of three colours. */
static void extents_that_are_given_fit_the_links(check *t)
{
    static const row untold[] = {
        {"ildg", "scidac-private-file-xml", "scidac-private-file-xmX", 0, 0, 0, NAIK_OK, ""},
        {"ildg", "ildg-format", "ildg-farmat", 0, 0, 0, NAIK_OK, ""}};
    static const row pairs = {"ildg", "<colors>3<", "<colors>2<", 0, 0, 0, NAIK_OK, ""};
    static const struct {
        int size[4];
        bool pairs; /* of two colours */
        const char *says;
    } rows[] = {{{4, 4, 4, 4}, false, NULL},
                {{2, 4, 4, 8}, false, NULL},
                {{0, 0, 0, 0}, false, "does not tell their extents: give them"},
                {{4, 4, 4, 8}, false, "are no SU(3) configuration of the 4 4 4 8 sites given"},
                {{4, 4, 4, 2}, false, "are no SU(3) configuration of the 4 4 4 2 sites given"},
                {{4, 4, 6, 6}, true, "are no SU(3) configuration of the 4 4 6 6 sites given"}};
    char whole[PATH], path[PATH], third[PATH];
    naik_lattice *lattice = NULL;
    naik_gauge *gauge = NULL;
    CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &lattice));
    CHECK_OK(t, naik_gauge_create(lattice, &gauge));
    naik_gauge_set_random(gauge, 3);
    CHECK_OK(t, naik_gauge_write(scratch("told", whole), "ildg", gauge, 64, NULL));
    scratch("untold", path);
    scratch("pairs", third);
    CHECK_REQUIRE(t, change(t, &untold[0], whole, third) && change(t, &untold[1], third, path) &&
                         change(t, &pairs, path, third));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        naik_gauge_file file = {0};
        const naik_status got =
            naik_gauge_file_probe_sized(t->comm, rows[i].pairs ? third : path,
                                        rows[i].size[0] > 0 ? rows[i].size : NULL, &file);
        expect(t, got, rows[i].says != NULL ? NAIK_ERR_INPUT : NAIK_OK,
               rows[i].says != NULL ? rows[i].says : "");
        CHECK_TRUE(t, got != NAIK_OK || memcmp(file.size, rows[i].size, sizeof file.size) == 0);
        naik_gauge_file_clear(&file);
    }
    naik_gauge_destroy(&gauge);
    naik_lattice_destroy(&lattice);
}

static void headers_of_vectors_say_what_is_wrong(check *t)
{
    char whole[PATH], path[PATH];
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        const row *r = &vectors[i];
        naik_vector_file *file = NULL;
        scratch(r->format, whole);
        if (strcmp(r->format, "fnal") == 0) {
            vector_write_fnal(t->comm, whole, larger, false);
        } else {
            vector_write_lime(t->comm, whole, larger, 2, 64, false, true);
        }
        CHECK_OK(t, naik_vector_file_open(t->comm, whole, &file));
        naik_vector_file_close(&file);
        if (change(t, r, whole, scratch("changed", path))) {
            expect(t, naik_vector_file_open(t->comm, path, &file), r->status, r->says);
        }
        naik_vector_file_close(&file);
    }
}

/* What is no SU(3) link any more by a percent. */
static void stretch(naik_gauge *gauge)
{
    gauge->link[7].e[0][0].re += 0.01;
}

static void what_is_written_is_asked_for_in_its_terms(check *t)
{
    static const struct {
        const char *format;
        int precision;
        bool stretched;
        naik_status status;
        const char *says;
    } rows[] = {
        {"lime", 64, false, NAIK_ERR_INPUT, "no format 'lime' to write"},
        {"ildg", 16, false, NAIK_ERR_ARG, "precision 16 instead of 32 or 64"},
        {"milc", 64, false, NAIK_ERR_INPUT,
         "MILC v5 files hold single precision only; add --precision 32"},
        {"nersc", 64, true, NAIK_ERR_INPUT,
         "format 'nersc' stores two rows, but these links are not SU(3)"},
        {"nersc-3x3", 64, true, NAIK_OK, ""},
    };
    char path[PATH];
    naik_lattice *lattice = NULL;
    CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &lattice));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        naik_gauge *gauge = NULL;
        CHECK_OK(t, naik_gauge_create(lattice, &gauge));
        naik_gauge_set_random(gauge, 3);
        if (rows[i].stretched) {
            stretch(gauge);
        }
        const naik_status status =
            naik_gauge_write(scratch("none", path), rows[i].format, gauge, rows[i].precision, NULL);
        expect(t, status, rows[i].status, rows[i].says);
        naik_gauge_destroy(&gauge);
    }
    naik_lattice_destroy(&lattice);
}

static void links_are_turned_only_where_they_are_su3(check *t)
{
    naik_lattice *lattice = NULL;
    naik_gauge *gauge = NULL;
    naik_gauge_fix_result result;
    const naik_gauge_fix_options good = {
        .tolerance = 1e-3, .over_relaxation = 1, .max_iterations = 0};
    naik_gauge_fix_options bad[5];
    for (int i = 0; i < 5; i++) {
        bad[i] = good;
    }
    bad[0].tolerance = 0;
    bad[1].tolerance = NAN;
    bad[2].over_relaxation = 0.99;
    bad[3].over_relaxation = 2;
    bad[4].max_iterations = -1;
    CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &lattice));
    CHECK_OK(t, naik_gauge_create(lattice, &gauge));
    naik_gauge_set_random(gauge, 3);
    CHECK_OK(t, naik_gauge_fix(gauge, NULL, &good, &result));
    for (int i = 0; i < 5; i++) {
        expect(t, naik_gauge_fix(gauge, NULL, &bad[i], &result), NAIK_ERR_ARG,
               "gauge fixing needs a positive tolerance, an over-relaxation from 1 to below 2 and "
               "no negative count");
    }
    expect(t, naik_heatbath(gauge, -0.1, 1, 0, 1, 0), NAIK_ERR_INPUT,
           "beta = -0.1 must be zero or positive");
    expect(t, naik_heatbath(gauge, INFINITY, 1, 0, 1, 0), NAIK_ERR_INPUT,
           "beta = inf must be zero or positive");
    expect(t, naik_heatbath(gauge, NAN, 1, 0, 1, 0), NAIK_ERR_INPUT, "must be zero or positive");
    stretch(gauge);
    expect(t, naik_gauge_fix(gauge, NULL, &good, &result), NAIK_ERR_ARG,
           "gauge fixing needs SU(3) links, these are off by 0.0");
    expect(t, naik_heatbath(gauge, 6, 1, 0, 1, 0), NAIK_ERR_ARG,
           "the heatbath needs SU(3) links, these are off by 0.0");
    naik_gauge_destroy(&gauge);
    naik_lattice_destroy(&lattice);
}

static void multiply(naik_gauge *gauge, const judged *r)
{
    const naik_lattice *lattice = gauge->lattice;
    for (int32_t i = 0; i < NAIK_DIM * lattice->sites; i++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lattice, i / NAIK_DIM, x);
        const int mu = i % NAIK_DIM;
        const bool last = mu == 3 && x[3] == size[3] - 1,
                   phase = mu < 3 && (x[3] + (mu > 0 ? x[0] : 0) + (mu > 1 ? x[1] : 0)) % 2 == 1;
        const bool is[CHOICES] = {false,
                                  true,
                                  i == 7,
                                  last,
                                  last && x[0] == 0,
                                  phase,
                                  last || phase,
                                  mu == 0 || (mu == 1 && x[0] % 2 == 1),
                                  mu == 1 && x[0] % 2 == 1,
                                  mu == 3 && x[3] == 0,
                                  last || i == 7};
        for (int k = 0; k < (r->touched > 0 ? r->touched : 3) * 3 && is[r->links]; k++) {
            naik_complex *e = &gauge->link[i].e[k / 3][k % 3];
            *e = naik_cmul(*e, (naik_complex){r->re, r->im});
        }
    }
}

static void links_are_judged_by_what_they_are(check *t)
{
    naik_lattice *lattice = NULL;
    naik_gauge *gauge = NULL;
    char said[1024];
    CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &lattice));
    CHECK_OK(t, naik_gauge_create(lattice, &gauge));
    for (size_t i = 0; i < sizeof judgements / sizeof *judgements; i++) {
        const judged *r = &judgements[i];
        naik_gauge_checks checks;
        naik_gauge_verdict v;
        naik_gauge_file file = {.rows = r->rows > 0 ? r->rows : 3,
                                .byte_order = "big",
                                .checksum_known = r->sum > 0,
                                .checksum_ok = r->sum == 1,
                                .checksum_stored = {26, 27},
                                .checksum_computed = {42, 28},
                                .plaquette_last = r->plaquette_last,
                                .link_trace_last = r->trace_last,
                                .other_byte_order = r->swapped,
                                .extents_given = r->given};
        naik_gauge_set_random(gauge, 3);
        CHECK_OK(t, naik_gauge_measure(gauge, &checks));
        memcpy(file.size, size, sizeof size);
        strcpy(file.format, r->format != NULL ? r->format : "nersc");
        strcpy(file.checksum_kind, r->sum == 3 ? "suma/sumb" : "nersc");
        file.plaquette_stored = checks.plaquette + r->plaquette;
        file.link_trace_stored = checks.link_trace + r->trace;
        multiply(gauge, r);
        CHECK_OK(t, naik_gauge_measure(gauge, &checks));
        CHECK_OK(t, naik_gauge_judge(gauge, &file, &checks, r->limit, &v));
        snprintf(said, sizeof said, "%d %d %d %s: %s", (int)v.status, (int)v.kind, v.unusable,
                 v.status != NAIK_OK ? v.what : "good", v.text);
        CHECK_TEXT(t, said, r->says);
    }
    naik_gauge_destroy(&gauge);
    naik_lattice_destroy(&lattice);
}

static void links_of_an_action_take_its_numbers_alone(check *t)
{
    static const double bad[] = {0, -1, NAN, INFINITY};
    naik_lattice *lattice = NULL;
    naik_gauge *gauge = NULL;
    naik_fattener *fattener = NULL;
    naik_fatlong *links = NULL;
    CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &lattice));
    CHECK_OK(t, naik_gauge_create(lattice, &gauge));
    naik_gauge_set_random(gauge, 3);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        expect(t, naik_fattener_create(gauge, NAIK_ASQTAD, bad[i], NULL, &fattener), NAIK_ERR_INPUT,
               "must be a positive number");
    }
    CHECK_OK(t, naik_fattener_create(gauge, NAIK_ASQTAD, 0.9, NULL, &fattener));
    expect(t, naik_fattener_links(fattener, 1e-9, &links), NAIK_ERR_INPUT,
           "needs the action hisq; other actions take 0 only");
    naik_fatlong_destroy(&links);
    naik_fattener_destroy(&fattener);
    naik_gauge_destroy(&gauge);
    naik_lattice_destroy(&lattice);
}

static void sources_lie_on_the_lattice(check *t)
{
    const naik_source point = {.type = NAIK_SOURCE_POINT};
    const struct {
        naik_source source;
        int colour;
        const char *says;
    } rows[] = {
        {point, -1, "source colour -1 must be 0, 1 or 2"},
        {point, 3, "source colour 3 must be 0, 1 or 2"},
        {{.type = NAIK_SOURCE_POINT, .origin = {0, 4, 0, 0}},
         0,
         "source origin 4 in direction y is outside the lattice: use 0 to 3"},
        {{.type = NAIK_SOURCE_POINT, .origin = {0, 0, 0, -1}},
         0,
         "source origin -1 in direction t is outside the lattice"},
        {{.type = NAIK_SOURCE_CORNER_WALL, .corner = {0, 2, 0}},
         0,
         "a corner of the hypercube is of 0 and 1, not 2"},
        {{.type = NAIK_SOURCE_GAUSSIAN, .radius = 0},
         0,
         "the radius 0 of a gaussian source must be positive"},
        {{.type = NAIK_SOURCE_GAUSSIAN, .radius = NAN}, 0, "of a gaussian source must be positive"},
    };
    naik_lattice *lattice = NULL;
    CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &lattice));
    double *v = malloc((size_t)lattice->sites * 6 * sizeof *v);
    CHECK_OK(t, naik_source_fill(lattice, &point, 2, v));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect(t, naik_source_fill(lattice, &rows[i].source, rows[i].colour, v), NAIK_ERR_ARG,
               rows[i].says);
    }
    free(v);
    naik_lattice_destroy(&lattice);
}

CHECK_MAIN(CHECK(headers_of_configurations_say_what_is_wrong),
           CHECK(headers_of_vectors_say_what_is_wrong),
           CHECK(headers_of_openqcd_are_known_by_what_fits),
           CHECK(links_are_judged_by_what_they_are), CHECK(files_of_other_formats_are_named),
           CHECK(extents_that_are_given_fit_the_links),
           CHECK(what_is_written_is_asked_for_in_its_terms),
           CHECK(links_are_turned_only_where_they_are_su3),
           CHECK(links_of_an_action_take_its_numbers_alone), CHECK(sources_lie_on_the_lattice))
