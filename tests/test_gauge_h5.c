/* test_gauge_h5.c - naik's own gauge file: every bit comes back, every damage is noticed */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "check.h"
#include "comm/collective.h"
#include "io/files.h"
#include "io/links/links_file.h"
#include "io/site_sums.h"
#include "naik/gauge_io.h"
#include "scaled_links.h"

static const int size[4] = {8, 4, 4, 8};

typedef struct room {
    char folder[NAIK_PATH_MAX - 96], path[NAIK_PATH_MAX - 48];
    naik_lattice *lattice;
    naik_gauge *gauge, *copy;
} room;

/* A folder of this job's own, a random configuration and an empty one. */
static bool enter(check *t, room *r)
{
    memset(r, 0, sizeof *r);
    snprintf(r->folder, sizeof r->folder, "%s/gauge_h5_%ld", check_folder(), (long)getpid());
    if (t->comm->rank == 0 && mkdir(r->folder, 0700) != 0) {
        r->folder[0] = '\0';
    }
    naik_comm_broadcast(t->comm, r->folder, sizeof r->folder, 0);
    snprintf(r->path, sizeof r->path, "%s/lat.h5", r->folder);
    CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &r->lattice));
    CHECK_OK(t, naik_gauge_create(r->lattice, &r->gauge));
    CHECK_OK(t, naik_gauge_create(r->lattice, &r->copy));
    if (r->copy == NULL) {
        return false;
    }
    naik_gauge_set_random(r->gauge, 17);
    return CHECK_TRUE(t, r->folder[0] != '\0');
}

static void leave(check *t, room *r)
{
    naik_gauge_destroy(&r->gauge);
    naik_gauge_destroy(&r->copy);
    naik_lattice_destroy(&r->lattice);
    naik_comm_barrier(t->comm);
    if (t->comm->rank == 0) {
        char part[NAIK_PATH_MAX];
        snprintf(part, sizeof part, "%s.part", r->path);
        CHECK_TRUE(t, access(part, F_OK) != 0); /* nothing is left behind */
        unlink(r->path);
        CHECK_INT(t, rmdir(r->folder), 0);
    }
}

static void h5_gauge_roundtrip_is_bitwise(check *t)
{
    room r;
    if (!enter(t, &r)) {
        return;
    }
    const naik_gauge_meta meta = {.ensemble = "random links", .input_text = "seed 17"};
    naik_gauge_file file;
    CHECK_OK(t, naik_gauge_h5_write(r.path, r.gauge, 64, &meta));
    CHECK_OK(t, naik_gauge_file_read(r.path, r.copy, &file));
    CHECK_TEXT(t, file.format, "naik-hdf5");
    CHECK_INT(t, file.precision, 64);
    CHECK_TRUE(t, file.checksum_known && file.checksum_ok);
    CHECK_INT(t, strlen(file.uuid), 36);
    CHECK_TEXT(t, file.header_text != NULL ? file.header_text : "", "seed 17");
    CHECK_INT(
        t, memcmp(r.gauge->link, r.copy->link, (size_t)r.lattice->sites * 4 * sizeof(naik_matrix)),
        0);
    naik_gauge_checks checks;
    CHECK_OK(t, naik_gauge_measure(r.gauge, &checks));
    CHECK_NEAR(t, file.plaquette_stored, checks.plaquette, 0);
    CHECK_NEAR(t, file.link_trace_stored, checks.link_trace, 0);
    naik_gauge_file_clear(&file);
    leave(t, &r);
}

static void single_precision_rounds_once(check *t)
{
    room r;
    if (!enter(t, &r)) {
        return;
    }
    naik_gauge_file file;
    CHECK_OK(t, naik_gauge_h5_write(r.path, r.gauge, 32, NULL));
    CHECK_OK(t, naik_gauge_file_read(r.path, r.copy, &file));
    CHECK_INT(t, file.precision, 32);
    CHECK_TRUE(t, file.checksum_ok);
    const double *a = &r.gauge->link[0].e[0][0].re, *b = &r.copy->link[0].e[0][0].re;
    int64_t wrong = 0;
    for (int64_t i = 0; i < (int64_t)r.lattice->sites * 72; i++) {
        wrong += (double)(float)a[i] != b[i];
    }
    CHECK_INT(t, wrong, 0);
    naik_gauge_file_clear(&file);
    leave(t, &r);
}

/* The same configuration written by one rank alone and read by all: same bytes, same sums. */
static void files_do_not_depend_on_the_ranks(check *t)
{
    room r;
    if (!enter(t, &r)) {
        return;
    }
    uint32_t sums[2] = {0, 0};
    if (t->comm->rank == 0) {
        naik_comm *alone = NULL;
        naik_lattice *lattice = NULL;
        naik_gauge *gauge = NULL;
        CHECK_OK(t, naik_comm_create_alone(t->log, &alone));
        CHECK_OK(t, naik_lattice_create(alone, size, NULL, &lattice));
        CHECK_OK(t, naik_gauge_create(lattice, &gauge));
        naik_gauge_set_random(gauge, 17);
        CHECK_OK(t, naik_gauge_h5_write(r.path, gauge, 64, NULL));
        naik_gauge_destroy(&gauge);
        naik_lattice_destroy(&lattice);
        naik_comm_destroy(&alone);
        naik_log_set_rank(t->log, t->comm->rank, t->comm->size);
    }
    naik_comm_barrier(t->comm);
    naik_gauge_file file;
    CHECK_OK(t, naik_gauge_file_read(r.path, r.copy, &file));
    CHECK_TRUE(t, file.checksum_ok);
    CHECK_INT(
        t, memcmp(r.gauge->link, r.copy->link, (size_t)r.lattice->sites * 4 * sizeof(naik_matrix)),
        0);
    memcpy(sums, file.checksum_stored, sizeof sums);
    naik_gauge_file_clear(&file);
    CHECK_OK(t, naik_gauge_h5_write(r.path, r.gauge, 64, NULL));
    CHECK_OK(t, naik_gauge_file_probe(t->comm, r.path, &file));
    CHECK_INT(t, file.checksum_stored[0], sums[0]);
    CHECK_INT(t, file.checksum_stored[1], sums[1]);
    naik_gauge_file_clear(&file);
    leave(t, &r);
}

static void flip_byte(const char *path, long from_end)
{
    FILE *stream = fopen(path, "r+b");
    fseek(stream, -from_end, SEEK_END);
    int byte = fgetc(stream);
    fseek(stream, -from_end, SEEK_END);
    fputc(byte ^ 1, stream);
    fclose(stream);
}

static void a_flipped_byte_is_noticed(check *t)
{
    room r;
    if (!enter(t, &r)) {
        return;
    }
    naik_gauge_file file;
    CHECK_OK(t, naik_gauge_h5_write(r.path, r.gauge, 64, NULL));
    if (t->comm->rank == 0) {
        flip_byte(r.path, 40000); /* the links are most of the file */
    }
    naik_comm_barrier(t->comm);
    CHECK_OK(t, naik_gauge_file_read(r.path, r.copy, &file));
    CHECK_TRUE(t, !file.checksum_ok);
    naik_gauge_file_clear(&file);
    if (t->comm->rank == 0) {
        CHECK_INT(t, truncate(r.path, 30000), 0);
    }
    naik_comm_barrier(t->comm);
    CHECK_STATUS(t, naik_gauge_file_read(r.path, r.copy, &file), NAIK_ERR_CORRUPT);
    leave(t, &r);
}

static void other_extents_are_refused(check *t)
{
    room r;
    if (!enter(t, &r)) {
        return;
    }
    CHECK_OK(t, naik_gauge_h5_write(r.path, r.gauge, 64, NULL));
    const int other[4] = {8, 8, 4, 8};
    naik_lattice *lattice = NULL;
    naik_gauge *gauge = NULL;
    naik_gauge_file file;
    CHECK_OK(t, naik_lattice_create(t->comm, other, NULL, &lattice));
    CHECK_OK(t, naik_gauge_create(lattice, &gauge));
    CHECK_STATUS(t, naik_gauge_file_read(r.path, gauge, &file), NAIK_ERR_INPUT);
    naik_gauge_destroy(&gauge);
    naik_lattice_destroy(&lattice);
    leave(t, &r);
}

static void an_unwritable_folder_is_refused(check *t)
{
    room r;
    if (!enter(t, &r)) {
        return;
    }
    CHECK_STATUS(t, naik_gauge_h5_write("/nowhere/lat.h5", r.gauge, 64, NULL), NAIK_ERR_INPUT);
    leave(t, &r);
}

static void fat_and_long_links_come_back_by_epsilon(check *t)
{
    room r;
    if (!enter(t, &r)) {
        return;
    }
    const size_t bytes = (size_t)r.lattice->sites * 4 * sizeof(naik_matrix);
    naik_gauge_set_random(r.copy, 18);
    naik_fatlong first = {.fat = r.gauge, .long_links = r.copy, .long_scale = -1. / 24};
    naik_fatlong second = {.fat = r.copy,
                           .long_links = r.gauge,
                           .naik_epsilon = -0.25,
                           .long_scale = -1. / 32,
                           .svd_count = 3};
    scale_links(r.copy, first.long_scale);
    scale_links(r.gauge, second.long_scale);
    const naik_fatlong *const sets[2] = {&first, &second};
    naik_fatlong *links = NULL;
    CHECK_OK(t, naik_links_h5_write(r.path, sets, 2, "hisq", "antiperiodic", 64, NULL));
    CHECK_OK(t, naik_links_h5_read(r.path, r.lattice, -0.25, "antiperiodic", &links));
    CHECK_REQUIRE(t, links != NULL);
    CHECK_INT(t, memcmp(links->fat->link, r.copy->link, bytes), 0);
    CHECK_INT(t, memcmp(links->long_links->link, r.gauge->link, bytes), 0);
    CHECK_INT(t, links->svd_count, 3);
    naik_fatlong_destroy(&links);
    CHECK_OK(t, naik_links_h5_read(r.path, r.lattice, 0, "antiperiodic", &links));
    CHECK_INT(t, memcmp(links->fat->link, r.gauge->link, bytes), 0);
    CHECK_NEAR(t, links->long_scale, -1. / 24, 0);
    naik_fatlong_destroy(&links);
    CHECK_STATUS(t, naik_links_h5_read(r.path, r.lattice, 0.1, "antiperiodic", &links),
                 NAIK_ERR_INPUT);
    CHECK_STATUS(t, naik_links_h5_read(r.path, r.lattice, 0, "periodic", &links), NAIK_ERR_INPUT);
    naik_gauge_file file;
    CHECK_STATUS(t, naik_gauge_file_probe(t->comm, r.path, &file), NAIK_ERR_INPUT);
    if (t->comm->rank == 0) {
        flip_byte(r.path, 40000); /* in the last dataset, the long links of the second set */
    }
    naik_comm_barrier(t->comm);
    CHECK_STATUS(t, naik_links_h5_read(r.path, r.lattice, -0.25, "antiperiodic", &links),
                 NAIK_ERR_CORRUPT);
    leave(t, &r);
}

/* The definition, with zlib and plain shifts alone. */
static void slow_sums(uint32_t sum[2], int64_t first, int count, const unsigned char *bytes,
                      int each)
{
    static const unsigned moduli[2] = {29, 31};
    for (int i = 0; i < count; i++) {
        const uint64_t crc = crc32(0, bytes + (size_t)i * (size_t)each, (uInt)each);
        for (int k = 0; k < 2; k++) {
            const unsigned by = (unsigned)((first + i) % moduli[k]);
            sum[k] ^= (uint32_t)(crc << by | crc >> (32 - by));
        }
    }
}

/* In pieces of any length, from threads, of sites that are added up and of those that are too large. */
static void sums_of_many_sites_are_those_of_zlib(check *t)
{
    enum { SITES = 1000, MOST = NAIK_SITE_SUM_BYTES + 4 };
    static const int each[] = {4, 24, 92, 576, NAIK_SITE_SUM_BYTES, MOST};
    static const int64_t first[] = {0, 12345678901, 28, 29, 30, 899};
    unsigned char *bytes = malloc(SITES * MOST);
    CHECK_REQUIRE(t, bytes != NULL);
    uint32_t word = 1;
    for (size_t i = 0; i < SITES * MOST; i++) {
        word = word * 1664525 + 1013904223;
        bytes[i] = (unsigned char)(word >> 24);
    }
    for (int k = 0; k < 6; k++) {
        for (int count = SITES - 1; count <= SITES; count++) {
            uint32_t slow[2] = {0, 0}, sum[2];
            naik_site_sums *sums = NULL;
            slow_sums(slow, first[k], count, bytes, each[k]);
            CHECK_OK(t, naik_site_sums_create(t->comm, each[k], &sums));
            CHECK_REQUIRE(t, sums != NULL);
#pragma omp parallel for
            for (int i = t->comm->rank == 0 ? 0 : count; i < count; i += 37) {
                naik_site_sums_add(sums, first[k] + i, i + 37 < count ? 37 : count - i,
                                   bytes + i * each[k]);
            }
            CHECK_OK(t, naik_site_sums_combine(sums, sum));
            CHECK_INT(t, sum[0], slow[0]);
            CHECK_INT(t, sum[1], slow[1]);
            naik_site_sums_destroy(&sums);
        }
    }
    free(bytes);
}

CHECK_MAIN(CHECK(h5_gauge_roundtrip_is_bitwise), CHECK(single_precision_rounds_once),
           CHECK(files_do_not_depend_on_the_ranks), CHECK(a_flipped_byte_is_noticed),
           CHECK(fat_and_long_links_come_back_by_epsilon), CHECK(other_extents_are_refused),
           CHECK(an_unwritable_folder_is_refused), CHECK(sums_of_many_sites_are_those_of_zlib))
