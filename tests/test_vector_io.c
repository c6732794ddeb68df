/* test_vector_io.c - vectors written here and damaged here, and those of another code, which must
 * solve that code's equations
 *
 * ranks: 1 4
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exactsum.h"
#include "check.h"
#include "comm/collective.h"
#include "dslash_ref.h"
#include "io/checksum.h"
#include "io/sites.h"
#include "io/vectors/vector_io.h"
#include "naik/gauge_io.h"
#include "naik/meson.h"
#include "vector_fixture.h"

static const int size[4] = {8, 4, 4, 8};

/* The same name on every rank. */
static void scratch_path(check *t, char path[256])
{
    int pid = (int)getpid();
    naik_comm_broadcast(t->comm, &pid, sizeof pid, 0);
    snprintf(path, 256, "%s/naik-test-vector-%d", check_folder(), pid);
}

static bool holds(const naik_lattice *lat, const double *v, int index, bool source)
{
    bool same = true;
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[4];
        naik_lattice_coords(lat, site, x);
        bool inside = !source || lat->origin[3] + x[3] == VECTOR_SLICE_T;
        for (int i = 0; i < 6; i++) {
            double wanted = inside ? vector_number(naik_lattice_global(lat, x), i, index) : 0;
            same = same && v[6 * site + i] == wanted;
        }
    }
    return same;
}

static naik_lattice *make_lattice(check *t, const int extents[4], double **v)
{
    naik_lattice *lat = NULL;
    CHECK_OK(t, naik_lattice_create(t->comm, extents, NULL, &lat));
    if (lat != NULL) {
        *v = malloc((size_t)lat->sites * 6 * sizeof **v);
    }
    return lat;
}

static void vectors_and_pairs_are_read_as_written(check *t)
{
    char path[256];
    double *v = NULL;
    scratch_path(t, path);
    naik_lattice *lat = make_lattice(t, size, &v);
    CHECK_REQUIRE(t, lat != NULL);
    for (int kind = 0; kind < 8; kind++) {
        const int bits = kind & 1 ? 64 : 32;
        const bool pairs = kind & 2, with_sum = kind & 4;
        naik_vector_file *file = NULL;
        vector_write_lime(t->comm, path, size, 3, bits, pairs, with_sum);
        CHECK_OK(t, naik_vector_file_open(t->comm, path, &file));
        CHECK_REQUIRE(t, file != NULL);
        CHECK_TEXT(t, file->format, pairs ? "usqcd-pairs" : "scidac-vector");
        CHECK_INT(t, file->precision, bits);
        CHECK_INT(t, file->count, 3);
        CHECK_INT(t, file->has_sources, pairs);
        CHECK_INT(t, file->has_checksums, with_sum);
        for (int i = 0; i < 3; i++) {
            CHECK_OK(t, naik_vector_file_read(file, lat, NAIK_VECTOR_SOLUTION, i, v));
            CHECK_TRUE(t, holds(lat, v, i, false));
            CHECK_STATUS(t, naik_vector_file_read(file, lat, NAIK_VECTOR_SOURCE, i, v),
                         pairs ? NAIK_OK : NAIK_ERR_INPUT);
            CHECK_TRUE(t, !pairs || holds(lat, v, 100 + i, true));
        }
        CHECK_STATUS(t, naik_vector_file_read(file, lat, NAIK_VECTOR_SOLUTION, 3, v),
                     NAIK_ERR_INPUT);
        naik_vector_file_close(&file);
    }
    unlink(path);
    free(v);
    naik_lattice_destroy(&lat);
}

static void fnal_propagators_are_read_in_both_byte_orders(check *t)
{
    char path[256];
    double *v = NULL;
    scratch_path(t, path);
    naik_lattice *lat = make_lattice(t, size, &v);
    CHECK_REQUIRE(t, lat != NULL);
    for (int big = 0; big < 2; big++) {
        naik_vector_file *file = NULL;
        vector_write_fnal(t->comm, path, size, big);
        CHECK_OK(t, naik_vector_file_open(t->comm, path, &file));
        CHECK_REQUIRE(t, file != NULL);
        CHECK_TEXT(t, file->format, "fnal-ks");
        CHECK_TRUE(t, file->count == 3 && !file->has_sources && !file->has_checksums);
        for (int colour = 0; colour < 3; colour++) {
            CHECK_OK(t, naik_vector_file_read(file, lat, NAIK_VECTOR_SOLUTION, colour, v));
            CHECK_TRUE(t, holds(lat, v, colour, false));
        }
        naik_vector_file_close(&file);
    }
    unlink(path);
    free(v);
    naik_lattice_destroy(&lat);
}

/* Opens and reads everything; the status of the first failure. */
static naik_status read_all(check *t, const naik_lattice *lat, const char *path, double *v)
{
    naik_vector_file *file = NULL;
    naik_status status = naik_vector_file_open(t->comm, path, &file);
    for (int i = 0; status == NAIK_OK && i < 2 * file->count; i++) {
        naik_vector_part part = i < file->count ? NAIK_VECTOR_SOLUTION : NAIK_VECTOR_SOURCE;
        if (part == NAIK_VECTOR_SOLUTION || file->has_sources) {
            status = naik_vector_file_read(file, lat, part, i % file->count, v);
        }
    }
    naik_vector_file_close(&file);
    return status;
}

static void flip_bit(check *t, const char *path, long at)
{
    if (t->comm->rank == 0) {
        FILE *file = fopen(path, "r+b");
        fseek(file, at, at < 0 ? SEEK_END : SEEK_SET);
        int byte = fgetc(file);
        fseek(file, at, at < 0 ? SEEK_END : SEEK_SET);
        fputc(byte ^ 4, file);
        fclose(file);
    }
    naik_comm_barrier(t->comm);
}

static void overwrite(check *t, const char *path, long at, const char bytes[4])
{
    if (t->comm->rank == 0) {
        FILE *file = fopen(path, "r+b");
        fseek(file, at, SEEK_SET);
        fwrite(bytes, 1, 4, file);
        fclose(file);
    }
    naik_comm_barrier(t->comm);
}

static void damage_is_noticed(check *t)
{
    static const long data_at[2] = {-3000, 1500}; /* in the last solution, in the first source */
    char path[256];
    double *v = NULL;
    scratch_path(t, path);
    naik_lattice *lat = make_lattice(t, size, &v);
    CHECK_REQUIRE(t, lat != NULL);
    for (int i = 0; i < 2; i++) {
        vector_write_lime(t->comm, path, size, 2, 32, true, true);
        CHECK_STATUS(t, read_all(t, lat, path, v), NAIK_OK);
        flip_bit(t, path, data_at[i]);
        CHECK_STATUS(t, read_all(t, lat, path, v), NAIK_ERR_CORRUPT);
    }
    vector_write_lime(t->comm, path, size, 2, 32, true, true);
    flip_bit(t, path, 1); /* LIME's magic number */
    CHECK_STATUS(t, read_all(t, lat, path, v), NAIK_ERR_INPUT);
    for (int fnal = 0; fnal < 2; fnal++) {
        if (fnal) {
            vector_write_fnal(t->comm, path, size, false);
        } else {
            vector_write_lime(t->comm, path, size, 2, 32, true, true);
        }
        CHECK_INT(t, t->comm->rank == 0 ? truncate(path, 20000) : 0, 0);
        naik_comm_barrier(t->comm);
        CHECK_STATUS(t, read_all(t, lat, path, v), NAIK_ERR_CORRUPT);
    }
    vector_write_fnal(t->comm, path, size, false);
    flip_bit(t, path, 16); /* extent x */
    CHECK_STATUS(t, read_all(t, lat, path, v), NAIK_ERR_CORRUPT);
    vector_write_fnal(t->comm, path, size, false);
    overwrite(t, path, 36 + 72 * 700 + 8,
              "\x00\x00\xc0\x7f"); /* not a number, without a checksum */
    CHECK_STATUS(t, read_all(t, lat, path, v), NAIK_ERR_CORRUPT);
    unlink(path);
    naik_comm_barrier(t->comm);
    CHECK_STATUS(t, read_all(t, lat, path, v), NAIK_ERR_INPUT);
    CHECK_STATUS(t, read_all(t, lat, "/", v), NAIK_ERR_INPUT);
    free(v);
    naik_lattice_destroy(&lat);
}

static void another_lattice_is_refused(check *t)
{
    static const int other[4] = {8, 4, 8, 8};
    char path[256];
    double *v = NULL;
    scratch_path(t, path);
    naik_lattice *lat = make_lattice(t, other, &v);
    CHECK_REQUIRE(t, lat != NULL);
    vector_write_lime(t->comm, path, size, 1, 32, false, true);
    CHECK_STATUS(t, read_all(t, lat, path, v), NAIK_ERR_INPUT);
    naik_comm_barrier(t->comm);
    unlink(path);
    free(v);
    naik_lattice_destroy(&lat);
}

typedef struct case_8888 { /* fat and long links and room for vectors, read from the reference */
    naik_lattice *lat;
    naik_fatlong links;
    double *source, *x, *mx;
} case_8888;

static bool read_vector(check *t, const naik_lattice *lat, const char *name, naik_vector_part part,
                        int index, double *v)
{
    char path[1024];
    naik_vector_file *file = NULL;
    if (!CHECK_OK(t, naik_vector_file_open(
                         t->comm, check_reference_path(t, name, path, sizeof path), &file))) {
        return false;
    }
    CHECK_TRUE(t, file->has_checksums || strcmp(file->format, "fnal-ks") == 0);
    bool ok = CHECK_OK(t, naik_vector_file_read(file, lat, part, index, v));
    naik_vector_file_close(&file);
    return ok;
}

static bool read_links(check *t, const char *name, naik_gauge **gauge, const naik_lattice *lat)
{
    char path[1024];
    naik_gauge_file file = {0};
    bool ok = CHECK_OK(t, naik_gauge_create(lat, gauge)) &&
              CHECK_OK(t, naik_gauge_file_read(check_reference_path(t, name, path, sizeof path),
                                               *gauge, &file)) &&
              CHECK_TRUE(t, file.checksum_ok);
    naik_gauge_file_clear(&file);
    return ok;
}

static bool setup_8888(check *t, const char *fat, const char *far, case_8888 *c)
{
    static const int extents[4] = {8, 8, 8, 8};
    memset(c, 0, sizeof *c);
    c->lat = make_lattice(t, extents, &c->source);
    if (c->lat == NULL) {
        return false;
    }
    c->x = malloc((size_t)c->lat->sites * 6 * sizeof *c->x);
    c->mx = malloc((size_t)c->lat->sites * 6 * sizeof *c->mx);
    return read_links(t, fat, &c->links.fat, c->lat) &&
           read_links(t, far, &c->links.long_links, c->lat);
}

static void teardown_8888(case_8888 *c)
{
    naik_gauge_destroy(&c->links.fat);
    naik_gauge_destroy(&c->links.long_links);
    free(c->source);
    free(c->x);
    free(c->mx);
    naik_lattice_destroy(&c->lat);
}

/* sum |a - b|^2 over all ranks, and over even sites only where asked; b may be NULL. */
static double norm2(check *t, const naik_lattice *lat, const double *a, const double *b, bool even)
{
    naik_exactsum sum;
    naik_exactsum_clear(&sum);
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[4];
        naik_lattice_coords(lat, site, x);
        for (int i = 6 * site; i < 6 * site + 6 && !(even && naik_parity_of(x)); i++) {
            double d = a[i] - (b != NULL ? b[i] : 0);
            naik_exactsum_add(&sum, d * d);
        }
    }
    CHECK_OK(t, naik_comm_sum_exact(t->comm, &sum, 1));
    return naik_exactsum_value(&sum);
}

/* Asqtad links of a reference configuration, antiperiodic in t. */
static naik_fatlong *make_asqtad(check *t, const naik_lattice *lat, const char *name, double u0)
{
    naik_gauge *u = NULL;
    naik_fattener *fattener = NULL;
    naik_fatlong *links = NULL;
    double change;
    if (read_links(t, name, &u, lat) && CHECK_OK(t, naik_gauge_reunitarise(u, &change))) {
        naik_gauge_apply_phases(u, true);
        if (CHECK_OK(t, naik_fattener_create(u, NAIK_ASQTAD, u0, NULL, &fattener))) {
            CHECK_OK(t, naik_fattener_links(fattener, 0, &links));
        }
    }
    naik_fattener_destroy(&fattener);
    naik_gauge_destroy(&u);
    return links;
}

/* Relative residuals of the two sample answers with these links. */
static void check_answers(check *t, const case_8888 *c, const naik_fatlong *links,
                          const double expected[2], double tolerance)
{
    const naik_vector_part plain = NAIK_VECTOR_SOLUTION;
    const double b2 = norm2(t, c->lat, c->source, NULL, false);
    CHECK_REQUIRE(t, read_vector(t, c->lat, "ksvector.ans.Minv.sample.l8", plain, 0, c->x));
    CHECK_OK(t, naik_operator_ref(links, 0.1, c->x, c->mx));
    CHECK_NEAR(t, sqrt(norm2(t, c->lat, c->mx, c->source, false) / b2), expected[0], tolerance);
    CHECK_REQUIRE(t, read_vector(t, c->lat, "ksvector.ans.MdaggerMinv.sample.l8", plain, 0, c->x));
    CHECK_OK(t, naik_normal_ref(links, 0.1, c->x, c->mx));
    CHECK_NEAR(t, sqrt(norm2(t, c->lat, c->mx, c->source, false) / b2), expected[1], tolerance);
}

static void answers_of_another_code_solve_its_equations(check *t)
{
    /* Of an independent program with links in double; stored links are rounded to single. */
    static const double in_double[2] = {7.7e-8, 5.1e-8}, zero[2] = {0, 0};
    case_8888 c;
    if (t->reference == NULL) {
        CHECK_SKIP(t, "NAIK_REFERENCE is not set");
    }
    CHECK_REQUIRE(t, setup_8888(t, "fat.l8", "long.l8", &c));
    CHECK_REQUIRE(
        t, read_vector(t, c.lat, "ksvector.src.sample.l8", NAIK_VECTOR_SOLUTION, 0, c.source));
    CHECK_NEAR(t, norm2(t, c.lat, c.source, NULL, false), 6903550.7264784, 1e-6);
    CHECK_NEAR(t, norm2(t, c.lat, c.source, NULL, true), 3398941.4542235, 1e-6);
    check_answers(t, &c, &c.links, zero, 1e-7);
    naik_fatlong *links = make_asqtad(t, c.lat, "lat.sample.l8", 0.502);
    CHECK_REQUIRE(t, links != NULL);
    check_answers(t, &c, links, in_double, 1e-9);
    naik_fatlong_destroy(&links);
    teardown_8888(&c);
}

static void propagator_of_another_code_solves_its_equation(check *t)
{
    static const double pion[8] = {2.790290e-01, 6.242890e-02, 1.805858e-02, 1.038448e-02,
                                   3.639427e-03, 9.751819e-03, 1.608343e-02, 6.102547e-02};
    const naik_frame rest = {.cosine = false};
    static const char name[] = "prop.hisq.l8888.point.m0.05";
    double sum[8] = {0}, one[8][2];
    case_8888 c;
    if (t->reference == NULL) {
        CHECK_SKIP(t, "NAIK_REFERENCE is not set");
    }
    CHECK_REQUIRE(t, setup_8888(t, "fat.hisq.l8888", "long.hisq.l8888", &c));
    for (int colour = 0; colour < 3; colour++) {
        CHECK_REQUIRE(t, read_vector(t, c.lat, name, NAIK_VECTOR_SOURCE, colour, c.source));
        CHECK_REQUIRE(t, read_vector(t, c.lat, name, NAIK_VECTOR_SOLUTION, colour, c.x));
        CHECK_TRUE(t, norm2(t, c.lat, c.source, NULL, false) == 1);
        CHECK_TRUE(t, t->comm->rank != 0 || c.source[2 * colour] == 1);
        CHECK_OK(t, naik_operator_ref(&c.links, 0.05, c.x, c.mx));
        CHECK_NEAR(t, sqrt(norm2(t, c.lat, c.mx, c.source, false)), 0, 1e-12);
        CHECK_OK(t, naik_meson_correlator(c.lat, NAIK_PION5, &rest, c.x, one[0]));
        for (int i = 0; i < 8; i++) {
            sum[i] += one[i][0];
        }
    }
    for (int i = 0; i < 8; i++) {
        CHECK_NEAR(t, sum[i], pion[i], 6e-7 * pion[i]); /* seven printed digits */
    }
    teardown_8888(&c);
}

static void fnal_propagator_of_another_code_solves_its_equation(check *t)
{
    static const int extents[4] = {4, 4, 4, 8};
    static const char name[] = "ks.sample.l4448_m0.0500_t0_x0_y0_z0";
    if (t->reference == NULL) {
        CHECK_SKIP(t, "NAIK_REFERENCE is not set");
    }
    if (t->comm->size > 2) {
        CHECK_SKIP(t, "the lattice 4 4 4 8 is for one or two ranks");
    }
    double *x = NULL, total = 0;
    naik_lattice *lat = make_lattice(t, extents, &x);
    CHECK_REQUIRE(t, lat != NULL);
    double *mx = malloc((size_t)lat->sites * 6 * sizeof *mx);
    naik_fatlong *links = make_asqtad(t, lat, "lat.sample.l4448.ll", 1);
    CHECK_REQUIRE(t, links != NULL);
    for (int colour = 0; colour < 3; colour++) {
        CHECK_REQUIRE(t, read_vector(t, lat, name, NAIK_VECTOR_SOLUTION, colour, x));
        CHECK_OK(t, naik_operator_ref(links, 0.05, x, mx));
        mx[2 * colour] -= t->comm->rank == 0 ? 1 : 0; /* rank 0 has the origin */
        total += norm2(t, lat, mx, NULL, false);
    }
    CHECK_NEAR(t, sqrt(total), 3.2e-5, 1e-6);
    naik_fatlong_destroy(&links);
    free(x);
    free(mx);
    naik_lattice_destroy(&lat);
}

CHECK_MAIN(CHECK(vectors_and_pairs_are_read_as_written),
           CHECK(fnal_propagators_are_read_in_both_byte_orders), CHECK(damage_is_noticed),
           CHECK(another_lattice_is_refused), CHECK(answers_of_another_code_solve_its_equations),
           CHECK(propagator_of_another_code_solves_its_equation),
           CHECK(fnal_propagator_of_another_code_solves_its_equation))
