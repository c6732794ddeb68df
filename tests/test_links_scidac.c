/* test_links_scidac.c - fat and long links in SciDAC files: bits, damage, what is no such file */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "io/links/links_file.h"
#include "naik/gauge_io.h"

static const int size[4] = {4, 4, 8, 8};

typedef struct pair {
    naik_lattice *lattice;
    naik_gauge *link[2]; /* fat, long */
    char path[2][512];
} pair;

/* Random matrices as fat, s times such as long links, each in a file in double precision. */
static bool pair_create(check *t, pair *p)
{
    const char *folder = getenv("SCRATCH");
    bool ok = CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &p->lattice));
    for (int k = 0; k < 2 && ok; k++) {
        snprintf(p->path[k], sizeof p->path[k], "%s/naik-test-links-%d-%d",
                 folder != NULL ? folder : "/tmp", t->comm->size, k);
        ok = CHECK_OK(t, naik_gauge_create(p->lattice, &p->link[k]));
        if (!ok) {
            break;
        }
        naik_gauge_set_random(p->link[k], 5 + (uint64_t)k);
        double *reals = (double *)p->link[k]->link;
        for (int64_t i = 0; i < (int64_t)p->lattice->sites * 72 && k == 1; i++) {
            reals[i] *= 0.125;
        }
        ok = CHECK_OK(t, naik_gauge_write(p->path[k], "ildg", p->link[k], 64, NULL));
    }
    return ok;
}

static void pair_destroy(check *t, pair *p)
{
    naik_comm_barrier(t->comm);
    for (int k = 0; k < 2; k++) {
        remove(p->path[k]);
        naik_gauge_destroy(&p->link[k]);
    }
    naik_lattice_destroy(&p->lattice);
}

static void scidac_links_read_back_bit_for_bit(check *t)
{
    pair p = {.lattice = NULL};
    naik_fatlong *links = NULL;
    CHECK_REQUIRE(t, pair_create(t, &p));
    CHECK_OK(t, naik_links_scidac_read(p.path[0], p.path[1], p.lattice, 0.25, &links));
    if (links != NULL) {
        const size_t bytes = (size_t)p.lattice->sites * 4 * sizeof(naik_matrix);
        CHECK_INT(t, memcmp(links->fat->link, p.link[0]->link, bytes), 0);
        CHECK_INT(t, memcmp(links->long_links->link, p.link[1]->link, bytes), 0);
        CHECK_NEAR(t, links->naik_epsilon, 0.25, 0);
        CHECK_NEAR(t, links->long_scale, 0.125, 1e-14); /* |V|^2 = 3 to a few roundings */
    }
    naik_fatlong_destroy(&links);
    pair_destroy(t, &p);
}

static void flip(check *t, const char *path, long at)
{
    if (t->comm->rank == 0) {
        FILE *stream = fopen(path, "r+b");
        fseek(stream, at, SEEK_SET);
        const int byte = fgetc(stream);
        fseek(stream, at, SEEK_SET);
        fputc(byte ^ 16, stream);
        fclose(stream);
    }
    naik_comm_barrier(t->comm);
}

static void damaged_scidac_links_are_refused(check *t)
{
    pair p = {.lattice = NULL};
    naik_fatlong *links = NULL;
    CHECK_REQUIRE(t, pair_create(t, &p));
    for (int k = 0; k < 2; k++) {
        flip(t, p.path[k], 9000);
        naik_status status = naik_links_scidac_read(p.path[0], p.path[1], p.lattice, 0, &links);
        CHECK_TRUE(t,
                   strstr(naik_log_message(t->log), k == 0 ? "fat links" : "long links") != NULL);
        CHECK_STATUS(t, status, NAIK_ERR_CORRUPT);
        CHECK_TRUE(t, links == NULL);
        flip(t, p.path[k], 9000);
    }
    CHECK_STATUS(t, naik_links_scidac_read(p.path[0], "/nonexistent", p.lattice, 0, &links),
                 NAIK_ERR_INPUT);
    pair_destroy(t, &p);
}

static void links_in_other_formats_are_refused(check *t)
{
    pair p = {.lattice = NULL};
    naik_fatlong *links = NULL;
    bool is_scidac = false;
    CHECK_REQUIRE(t, pair_create(t, &p));
    CHECK_OK(t, naik_links_scidac_recognise(t->comm, p.path[1], &is_scidac));
    CHECK_TRUE(t, is_scidac);
    CHECK_OK(t, naik_gauge_write(p.path[1], "nersc-3x3", p.link[0], 64, NULL));
    CHECK_OK(t, naik_links_scidac_recognise(t->comm, p.path[1], &is_scidac));
    CHECK_TRUE(t, !is_scidac);
    CHECK_STATUS(t, naik_links_scidac_read(p.path[0], p.path[1], p.lattice, 0, &links),
                 NAIK_ERR_INPUT);
    pair_destroy(t, &p);
}

CHECK_MAIN(CHECK(scidac_links_read_back_bit_for_bit), CHECK(damaged_scidac_links_are_refused),
           CHECK(links_in_other_formats_are_refused))
