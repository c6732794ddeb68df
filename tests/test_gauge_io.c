/* test_gauge_io.c - reading configurations: the reference folder's numbers, files written here in
 * every format, and damage to each of them */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "comm/collective.h"
#include "io/checksum.h"
#include "io/sites.h"
#include "lattice/grid.h"
#include "naik/gauge_io.h"

typedef struct expected {
    const char *name, *format, *checksum_kind;
    int size[4];
    double plaquette_s, plaquette_t, link_trace;
    double trace_tolerance;
    uint32_t two_rows;
} expected;

/* Values of the reference folder's README. A link trace of NaN is not listed there. */
static const expected reference[] = {
    {"lat.sample.l8888",
     "milc-v5",
     "sum29/sum31",
     {8, 8, 8, 8},
     1.7790021544584596,
     1.7823592881385857,
     -6.4563862036388919e-04,
     1e-16,
     0x4a3bbf43},
    {"lat.sample.l8",
     "scidac",
     "suma/sumb",
     {8, 8, 8, 8},
     2.6203978710714737,
     2.6214473754080179,
     0.96505885197378427,
     1e-14,
     0x3632bc7f},
    {"lat.sample.l4448",
     "milc-v5",
     "sum29/sum31",
     {4, 4, 4, 8},
     1.7237482807974562,
     1.6905860654166098,
     6.92165900e-02,
     1e-10,
     0xb3be9b3b},
    {"lat.sample.l4448.scidac",
     "scidac",
     "suma/sumb",
     {4, 4, 4, 8},
     1.7237482807974562,
     1.6905860654166098,
     6.92165900e-02,
     1e-10,
     0xb3be9b3b},
    {"lat.sample.l4448.foreign",
     "ildg",
     "none",
     {4, 4, 4, 8},
     1.7237482807974562,
     1.6905860654166098,
     6.92165900e-02,
     1e-10,
     0xb3be9b3b},
    {"lat.sample.l4448.ll",
     "milc-v5",
     "sum29/sum31",
     {4, 4, 4, 8},
     1.6788352909656492,
     1.6451928367175024,
     .62131679539,
     1e-10,
     0xd94a8716},
    {"lat.sample.l4444",
     "milc-v5",
     "sum29/sum31",
     {4, 4, 4, 4},
     1.7946751560761742,
     1.7744257976067341,
     .64675873742,
     1e-10,
     0xffc4bb26},
    {"lat.sample.l4444.ildg",
     "ildg",
     "suma/sumb",
     {4, 4, 4, 4},
     1.7946751560761742,
     1.7744257976067341,
     .64675873742,
     1e-10,
     0xffc4bb26},
};

static const naik_gauge_load_options as_stored = {.max_unitarity_deviation = 1e-5};
static const naik_gauge_load_options go_on = {.warn_only = true};

/* A lattice and a gauge field on all ranks, or on this rank alone where `alone` is given or the
 * ranks cannot share the lattice. */
typedef struct field {
    naik_comm *alone;
    naik_lattice *lattice;
    naik_gauge *gauge;
    naik_gauge_file file;
    naik_gauge_checks checks;
} field;

static bool make_field(check *t, const int size[4], bool alone, field *f)
{
    char grids[128];
    *f = (field){.alone = NULL};
    naik_grid_list(size, t->comm->size, NULL, grids, sizeof grids, NULL);
    if (alone || strcmp(grids, "none") == 0) {
        CHECK_OK(t, naik_comm_create_alone(t->log, &f->alone));
    }
    CHECK_OK(t,
             naik_lattice_create(f->alone != NULL ? f->alone : t->comm, size, NULL, &f->lattice));
    if (f->lattice != NULL) {
        CHECK_OK(t, naik_gauge_create(f->lattice, &f->gauge));
    }
    return f->gauge != NULL;
}

static void drop_field(field *f)
{
    naik_gauge_file_clear(&f->file);
    naik_gauge_destroy(&f->gauge);
    naik_lattice_destroy(&f->lattice);
    naik_comm_destroy(&f->alone);
}

static bool load(check *t, const char *path, const int size[4], bool alone, field *f)
{
    return CHECK_TRUE(t, make_field(t, size, alone, f)) &&
           CHECK_OK(t, naik_gauge_load(path, &as_stored, f->gauge, &f->file, &f->checks));
}

/* Links of `part`, over all ranks, that differ in any bit from those of `whole`, on one rank. */
static int count_differences(const field *part, const field *whole)
{
    const naik_lattice *lat = part->lattice;
    int different = 0;
    for (int32_t s = 0; s < lat->sites; s++) {
        int x[4];
        naik_lattice_coords(lat, s, x);
        int64_t global = naik_lattice_global(lat, x);
        different += memcmp(&part->gauge->link[4 * (int64_t)s], &whole->gauge->link[4 * global],
                            4 * sizeof(naik_matrix)) != 0;
    }
    return different;
}

/* A path for a file of this test: the same on every rank, or this rank's own. */
static const char *scratch_path(const check *t, const char *name, bool own, char path[512])
{
    int length =
        snprintf(path, 400, "%s/naik-test-gauge-%d-%s", check_folder(), t->comm->size, name);
    if (own) {
        snprintf(path + length, 64, ".%d", t->comm->rank);
    }
    return path;
}

/* The NERSC checksum of the first two rows of all links in single precision. */
static uint32_t two_row_checksum(check *t, const naik_gauge *gauge)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < 4 * (int64_t)gauge->lattice->sites; i++) {
        const double *row = (const double *)&gauge->link[i];
        float single[12];
        for (int k = 0; k < 12; k++) {
            single[k] = (float)row[k];
        }
        sum += naik_checksum_words(12, single, false);
    }
    CHECK_OK(t, naik_comm_sum_i64(gauge->lattice->comm, &sum, 1));
    return (uint32_t)sum;
}

static void one_reference_file(check *t, const expected *e)
{
    char path[512];
    field f;
    check_reference_path(t, e->name, path, sizeof path);
    if (load(t, path, e->size, false, &f)) {
        CHECK_TEXT(t, f.file.format, e->format);
        CHECK_TEXT(t, f.file.checksum_kind, e->checksum_kind);
        CHECK_INT(t, f.file.precision, 32);
        CHECK_INT(t, memcmp(f.file.size, e->size, sizeof f.file.size), 0);
        CHECK_TRUE(t, f.file.checksum_ok == f.file.checksum_known);
        /* 14 or more printed digits; sums of up to 24576 terms on their side */
        CHECK_NEAR(t, f.checks.plaquette_s, e->plaquette_s, 2e-14 * 3);
        CHECK_NEAR(t, f.checks.plaquette_t, e->plaquette_t, 2e-14 * 3);
        CHECK_NEAR(t, f.checks.link_trace, e->link_trace, e->trace_tolerance);
        CHECK_INT(t, two_row_checksum(t, f.gauge), e->two_rows);
    }
    drop_field(&f);
}

static void reference_configurations_have_their_numbers(check *t)
{
    if (t->reference == NULL) {
        CHECK_SKIP(t, "NAIK_REFERENCE is not set");
    }
    for (size_t i = 0; i < sizeof reference / sizeof *reference; i++) {
        one_reference_file(t, &reference[i]);
    }
}

static void wrong_checksums_and_links_are_refused(check *t)
{
    static const int size[4] = {4, 4, 4, 8};
    char path[512];
    field f;
    if (t->reference == NULL) {
        CHECK_SKIP(t, "NAIK_REFERENCE is not set");
    }
    check_reference_path(t, "lat.sample.5p7", path, sizeof path);
    CHECK_REQUIRE(t, make_field(t, size, false, &f));
    naik_status status = naik_gauge_load(path, &as_stored, f.gauge, &f.file, &f.checks);
    CHECK_TRUE(t, strstr(naik_log_message(t->log), "2d188e6b") != NULL);
    CHECK_TRUE(t, strstr(naik_log_message(t->log), "72d77a0a 19447b24") != NULL);
    CHECK_TRUE(t, strstr(naik_log_message(t->log), "not unitary") != NULL);
    CHECK_INT(t, naik_status_exit(status), 4);
    CHECK_STATUS(t, status, NAIK_ERR_CORRUPT);
    CHECK_OK(t, naik_gauge_load(path, &go_on, f.gauge, &f.file, &f.checks));
    CHECK_NEAR(t, f.checks.plaquette_s, 1.7445102464935074, 6e-14);
    CHECK_NEAR(t, f.checks.plaquette_t, 1.6916253867327535, 6e-14);
    drop_field(&f);
}

static void other_extents_are_refused(check *t)
{
    static const int size[4] = {8, 8, 8, 4};
    char path[512];
    field f;
    if (t->reference == NULL) {
        CHECK_SKIP(t, "NAIK_REFERENCE is not set");
    }
    check_reference_path(t, "lat.sample.l8888", path, sizeof path);
    CHECK_REQUIRE(t, make_field(t, size, false, &f));
    naik_status status = naik_gauge_load(path, &as_stored, f.gauge, &f.file, &f.checks);
    CHECK_TRUE(t, strstr(naik_log_message(t->log), "8x8x8x8") != NULL);
    CHECK_TRUE(t, strstr(naik_log_message(t->log), "8x8x8x4") != NULL);
    CHECK_STATUS(t, status, NAIK_ERR_INPUT);
    drop_field(&f);
}

static void files_that_are_no_configurations_are_refused(check *t)
{
    char path[512];
    naik_gauge_file file;
    scratch_path(t, "nothing", false, path);
    CHECK_STATUS(t, naik_gauge_file_probe(t->comm, path, &file), NAIK_ERR_INPUT);
    CHECK_STATUS(t, naik_gauge_file_probe(t->comm, "/", &file), NAIK_ERR_INPUT);
    if (t->comm->rank == 0) {
        FILE *stream = fopen(path, "wb");
        fputs("lattice: {size: [4,4,4,4]}\n", stream);
        fclose(stream);
    }
    CHECK_STATUS(t, naik_gauge_file_probe(t->comm, path, &file), NAIK_ERR_INPUT);
    naik_comm_barrier(t->comm);
    remove(path);
}

/* What each writer of naik produces, and one format that only this test writes. */
typedef struct kind {
    const char *name;
    int precision;
    bool has_checksum;
    int header_bytes; /* at least this many come before the data */
    bool damage;      /* one precision of each is enough for the tests of damage */
    const char *note;
} kind;

static const kind kinds[] = {
    {"milc", 32, true, 96, true, ""},
    {"ildg", 32, true, 1500, true, ""},
    {"ildg", 64, true, 1500, false, ""},
    {"nersc", 32, true, 400, true, ""},
    {"nersc", 64, true, 400, false, ""},
    {"nersc-3x3", 64, true, 400, false, ""},
    {"naik", 64, true, 0, false, ""},
    {"pyquda", 32, true, 0, false, "the checksums shown are of the dataset X"},
    {"openqcd", 64, false, 24, true, "openQCD files carry no checksum, only the plaquette"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Odd sites in the order t, x, y, z; per direction t, x, y, z the link ahead and the one behind. */
static naik_status write_openqcd(const char *path, const field *f)
{
    static const int direction[4] = {3, 0, 1, 2};
    const int *n = f->lattice->size;
    int32_t header[4] = {n[3], n[0], n[1], n[2]};
    naik_gauge_checks checks;
    naik_status status = naik_gauge_measure(f->gauge, &checks);
    FILE *stream = fopen(path, "wb");
    fwrite(header, sizeof *header, 4, stream);
    fwrite(&checks.plaquette, sizeof(double), 1, stream);
    for (int i = 0; i < f->lattice->volume; i++) {
        int x[4] = {i / (n[2] * n[1]) % n[0], i / n[2] % n[1], i % n[2], i / (n[2] * n[1] * n[0])};
        for (int k = 0; k < 4 && naik_parity_of(x) == NAIK_ODD; k++) {
            int mu = direction[k], behind[4] = {x[0], x[1], x[2], x[3]};
            behind[mu] = (x[mu] + n[mu] - 1) % n[mu];
            fwrite(&f->gauge->link[4 * naik_lattice_site(f->lattice, x) + mu], sizeof(naik_matrix),
                   1, stream);
            fwrite(&f->gauge->link[4 * naik_lattice_site(f->lattice, behind) + mu],
                   sizeof(naik_matrix), 1, stream);
        }
    }
    return fclose(stream) == 0 ? status : NAIK_ERR_IO;
}

static naik_status write_kind(const kind *k, const char *path, const field *f)
{
    return strcmp(k->name, "openqcd") == 0
               ? write_openqcd(path, f)
               : naik_gauge_write(path, k->name, f->gauge, k->precision, NULL);
}

static void every_format_reads_alike_on_all_ranks(check *t)
{
    static const int size[4] = {8, 4, 4, 8};
    for (int k = 0; k < KINDS; k++) {
        char path[512];
        field whole, part, original;
        scratch_path(t, kinds[k].name, false, path);
        CHECK_REQUIRE(t, make_field(t, size, false, &part));
        CHECK_REQUIRE(t, make_field(t, size, true, &original));
        naik_gauge_set_random(part.gauge, 7);
        naik_gauge_set_random(original.gauge, 7);
        if (strcmp(kinds[k].name, "openqcd") != 0) {
            CHECK_OK(t, write_kind(&kinds[k], path, &part));
        } else if (t->comm->rank == 0) {
            CHECK_OK(t, write_kind(&kinds[k], path, &original));
        }
        naik_comm_barrier(t->comm);
        naik_gauge_set_unit(part.gauge);
        CHECK_OK(t, naik_gauge_load(path, &as_stored, part.gauge, &part.file, &part.checks));
        load(t, path, size, true, &whole);
        CHECK_INT(t, part.file.precision, kinds[k].precision);
        CHECK_TEXT(t, part.file.note, kinds[k].note);
        CHECK_TRUE(t, part.file.checksum_known == kinds[k].has_checksum);
        CHECK_INT(t, count_differences(&part, &whole), 0);
        if (kinds[k].precision == 64 && part.file.rows == 3) {
            CHECK_INT(t, count_differences(&part, &original), 0);
        }
        CHECK_INT(t, memcmp(&part.checks, &whole.checks, sizeof part.checks), 0);
        naik_comm_barrier(t->comm);
        remove(path);
        drop_field(&original);
        drop_field(&whole);
        drop_field(&part);
    }
}

static void milc_twins_have_the_same_bytes(check *t)
{
    static const int size[4] = {4, 4, 4, 4};
    char path[512], copy[512];
    unsigned char a[96], b[96];
    field f;
    if (t->reference == NULL) {
        CHECK_SKIP(t, "NAIK_REFERENCE is not set");
    }
    /* The ILDG file, written as MILC v5, against the MILC file of the same field. */
    check_reference_path(t, "lat.sample.l4444.ildg", path, sizeof path);
    scratch_path(t, "twin", true, copy);
    if (load(t, path, size, true, &f) &&
        CHECK_OK(t, naik_gauge_write(copy, "milc", f.gauge, 32, NULL))) {
        check_reference_path(t, "lat.sample.l4444", path, sizeof path);
        FILE *one = fopen(path, "rb"), *two = fopen(copy, "rb");
        CHECK_REQUIRE(t, one != NULL && two != NULL);
        for (int block = 0; fread(a, 1, sizeof a, one) == sizeof a; block++) {
            CHECK_INT(t, fread(b, 1, sizeof b, two), sizeof b);
            if (block == 0) { /* the time stamp alone differs */
                memset(a + 20, 0, 64);
                memset(b + 20, 0, 64);
            }
            CHECK_INT(t, memcmp(a, b, sizeof a), 0);
        }
        CHECK_INT(t, fgetc(two), EOF);
        fclose(one);
        fclose(two);
    }
    remove(copy);
    drop_field(&f);
}

/* Damage: each rank works alone on its own copy of a small file and on its share of the cases. */
typedef struct victim {
    const kind *kind;
    unsigned char *bytes;
    size_t size_bytes;
    char path[512];
    field original; /* the links as the undamaged file gives them */
    field damaged;
} victim;

static const int small[4] = {2, 4, 2, 4};

static void make_victim(check *t, const kind *k, victim *v)
{
    *v = (victim){.kind = k};
    scratch_path(t, "victim", true, v->path);
    CHECK_REQUIRE(t, make_field(t, small, true, &v->original));
    CHECK_REQUIRE(t, make_field(t, small, true, &v->damaged));
    naik_gauge_set_random(v->original.gauge, 11);
    CHECK_OK(t, write_kind(k, v->path, &v->original));
    CHECK_OK(t, naik_gauge_load(v->path, &as_stored, v->original.gauge, &v->original.file,
                                &v->original.checks));
    FILE *stream = fopen(v->path, "rb");
    CHECK_REQUIRE(t, stream != NULL);
    fseek(stream, 0, SEEK_END);
    v->size_bytes = (size_t)ftell(stream);
    rewind(stream);
    v->bytes = malloc(v->size_bytes);
    CHECK_REQUIRE(t, v->bytes != NULL);
    CHECK_INT(t, fread(v->bytes, 1, v->size_bytes, stream), v->size_bytes);
    fclose(stream);
}

static void drop_victim(victim *v)
{
    remove(v->path);
    free(v->bytes);
    drop_field(&v->original);
    drop_field(&v->damaged);
}

static naik_status load_damaged(victim *v, size_t size_bytes)
{
    FILE *stream = fopen(v->path, "wb");
    if (stream == NULL || fwrite(v->bytes, 1, size_bytes, stream) != size_bytes ||
        fclose(stream) != 0) {
        return NAIK_ERR_IO;
    }
    naik_status status = naik_gauge_load(v->path, &as_stored, v->damaged.gauge, &v->damaged.file,
                                         &v->damaged.checks);
    naik_gauge_file_clear(&v->damaged.file);
    return status;
}

/* A refusal has exit status 1 or 4 and a sentence; what is accepted has the links unchanged. */
static void judge_damage(check *t, victim *v, naik_status status, bool must_refuse, size_t where)
{
    int code = naik_status_exit(status);
    bool same = status == NAIK_OK && count_differences(&v->damaged, &v->original) == 0;
    bool fine = status == NAIK_OK ? same && !must_refuse
                                  : (code == 1 || code == 4) && status != NAIK_ERR_ARG &&
                                        naik_log_message(t->log)[0] != '\0';
    if (!fine) {
        fprintf(stderr, "%s %d bit, damage at byte %zu: %s\n", v->kind->name, v->kind->precision,
                where, naik_log_message(t->log));
    }
    CHECK_TRUE(t, fine);
    naik_log_clear(t->log);
}

static void flipped_bits_never_pass_unnoticed(check *t)
{
    size_t stride = getenv("NAIK_TEST_LONG") != NULL ? 1 : 3;
    for (int k = 0; k < KINDS; k++) {
        victim v;
        if (!kinds[k].damage) {
            continue;
        }
        make_victim(t, &kinds[k], &v);
        size_t header = (size_t)v.original.file.data_offset;
        size_t data = (size_t)64 * 24 * v.original.file.rows * kinds[k].precision / 8;
        CHECK_TRUE(t, header >= (size_t)kinds[k].header_bytes);
        for (size_t i = (size_t)t->comm->rank; i < v.size_bytes; i += (size_t)t->comm->size) {
            bool in_data = i >= header && i < header + data;
            if (in_data ? i % 1013 != 0 : i >= 128 && i % stride != 0) {
                continue; /* the long texts of ILDG and NERSC need not be read every time */
            }
            unsigned char bit = (unsigned char)(1u << ((i * 5 + i / 8) % 8));
            v.bytes[i] ^= bit;
            naik_status status = load_damaged(&v, v.size_bytes);
            v.bytes[i] ^= bit;
            if (!in_data || kinds[k].has_checksum) {
                judge_damage(t, &v, status, in_data, i);
            }
            naik_log_clear(t->log);
        }
        drop_victim(&v);
    }
}

static void truncated_files_are_refused(check *t)
{
    for (int k = 0; k < KINDS; k++) {
        victim v;
        if (!kinds[k].damage) {
            continue;
        }
        make_victim(t, &kinds[k], &v);
        size_t header = (size_t)v.original.file.data_offset;
        for (size_t i = (size_t)t->comm->rank; i < v.size_bytes; i += (size_t)t->comm->size) {
            if (i < header ? i % 17 != 0 : i % 997 != 0 && i + 40 < v.size_bytes) {
                continue;
            }
            /* The last record of an ILDG file may lack its padding. */
            bool padding = strcmp(kinds[k].name, "ildg") == 0 && i + 8 > v.size_bytes;
            judge_damage(t, &v, load_damaged(&v, i), !padding, i);
        }
        drop_victim(&v);
    }
}

/* ---- arrays that do not fit into one piece of a file */

typedef struct visits {
    const naik_sites_box *box;
    int64_t rows, number; /* sum of the numbers of their first elements */
    bool good;
} visits;

static void count_row(void *context, const naik_sites_row *row)
{
    visits *v = context;
    const int *e = v->box->extent, *x = row->coord;
    const int64_t number = x[0] + e[0] * (x[1] + e[1] * (x[2] + (int64_t)e[2] * x[3]));
    bool zero = true;
    for (int64_t i = 0; i < row->count * v->box->element_bytes; i += 4093) {
        zero = zero && row->bytes[i] == 0;
    }
#pragma omp critical
    {
        v->rows++;
        v->number += row->number;
        v->good = v->good && zero && number == row->number && row->count == v->box->count[0];
    }
}

/* By files without data and elements of a MiB: pieces of 64 MiB hold some time slices, or some planes of one. */
static void every_row_of_many_pieces_is_visited_once(check *t)
{
    static const struct {
        int extent[4], start[4], count[4];
    } rows[] = {{{4, 2, 2, 5}, {0, 0, 0, 0}, {4, 2, 2, 5}},
                {{4, 4, 5, 1}, {0, 0, 0, 0}, {4, 4, 5, 1}},
                {{4, 4, 6, 3}, {0, 1, 1, 1}, {4, 3, 5, 2}}};
    char path[512];
    snprintf(path, sizeof path, "%s/sites_%ld", check_folder(), (long)getpid());
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (!CHECK_TRUE(t, fd >= 0)) {
        return;
    }
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        naik_sites_box box = {.element_bytes = 1 << 20};
        memcpy(box.extent, rows[k].extent, sizeof box.extent);
        memcpy(box.start, rows[k].start, sizeof box.start);
        memcpy(box.count, rows[k].count, sizeof box.count);
        int64_t number = 0, lines = 0, all = 1;
        for (int mu = 0; mu < 4; mu++) {
            all *= box.extent[mu];
        }
        for (int i = 0; i < box.count[1] * box.count[2] * box.count[3]; i++, lines++) {
            const int y = box.start[1] + i % box.count[1],
                      z = box.start[2] + i / box.count[1] % box.count[2],
                      s = box.start[3] + i / box.count[1] / box.count[2];
            number += box.start[0] + box.extent[0] * (y + box.extent[1] * (z + box.extent[2] * s));
        }
        visits v = {.box = &box, .good = true};
        CHECK_INT(t, ftruncate(fd, (off_t)(all * box.element_bytes)), 0);
        CHECK_OK(t, naik_sites_read(t->comm, path, &box, count_row, &v));
        CHECK_INT(t, v.rows, lines);
        CHECK_INT(t, v.number, number);
        CHECK_TRUE(t, v.good);
    }
    close(fd);
    unlink(path);
}

CHECK_MAIN(CHECK_UP_TO(1, every_row_of_many_pieces_is_visited_once),
           CHECK(reference_configurations_have_their_numbers),
           CHECK(wrong_checksums_and_links_are_refused), CHECK(other_extents_are_refused),
           CHECK(files_that_are_no_configurations_are_refused),
           CHECK(every_format_reads_alike_on_all_ranks), CHECK(milc_twins_have_the_same_bytes),
           CHECK(flipped_bits_never_pass_unnoticed), CHECK(truncated_files_are_refused))
