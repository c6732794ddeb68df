/* test_links_scidac.c - fat and long links in SciDAC files: bits, damage, what is no such file */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "io/links/links_file.h"
#include "lattice/su3.h"
#include "naik/gauge_io.h"

static const int size[4] = {4, 4, 8, 8};

typedef struct pair {
    naik_lattice *lattice;
    naik_gauge *link[2]; /* fat, long */
    char path[2][512];
} pair;

static const naik_links_boundary seen = {.name = "antiperiodic"};

/* Links as another code makes them: sums of random matrices as fat ones, s times a random SU(3) matrix as
 * long ones, with MILC's phases and the boundary inside where asked, which long links reach across three
 * slices before it. */
static void make_links(const pair *p, bool phases, bool antiperiodic)
{
    const naik_lattice *lat = p->lattice;
    naik_gauge *fat = p->link[0], *far = p->link[1];
    naik_gauge_set_random(fat, 5);
    naik_gauge_set_random(far, 6);
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[4];
        naik_lattice_coords(lat, site, x);
        for (int mu = 0; mu < 4; mu++) {
            naik_matrix *f = &fat->link[4 * site + mu], *l = &far->link[4 * site + mu];
            const bool around = mu == 3 && x[3] + lat->origin[3] >= lat->size[3] - 3;
            naik_mat_add(f, 0.25, l);
            *l = naik_mat_scale(antiperiodic && around ? 0.125 : -0.125, l);
        }
    }
    if (phases) {
        naik_gauge_apply_phases(fat, antiperiodic);
        naik_gauge_apply_phases(far, false);
    }
}

static bool pair_write(check *t, const pair *p, int k, const naik_gauge *links)
{
    return CHECK_OK(t, naik_gauge_write(p->path[k], "ildg", links, 64, NULL));
}

/* Both in a file in double precision. */
static bool pair_create_of(check *t, const int extents[4], pair *p)
{
    bool ok = CHECK_OK(t, naik_lattice_create(t->comm, extents, NULL, &p->lattice));
    for (int k = 0; k < 2 && ok; k++) {
        snprintf(p->path[k], sizeof p->path[k], "%s/naik-test-links-%d-%d", check_folder(),
                 t->comm->size, k);
        ok = CHECK_OK(t, naik_gauge_create(p->lattice, &p->link[k]));
    }
    if (ok) {
        make_links(p, true, true);
        ok = pair_write(t, p, 0, p->link[0]) && pair_write(t, p, 1, p->link[1]);
    }
    return ok;
}

static bool pair_create(check *t, pair *p)
{
    return pair_create_of(t, size, p);
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
    CHECK_OK(t, naik_links_scidac_read(p.path[0], p.path[1], p.lattice, 0.25, &seen, &links));
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
        naik_status status =
            naik_links_scidac_read(p.path[0], p.path[1], p.lattice, 0, &seen, &links);
        CHECK_TRUE(t,
                   strstr(naik_log_message(t->log), k == 0 ? "fat links" : "long links") != NULL);
        CHECK_STATUS(t, status, NAIK_ERR_CORRUPT);
        CHECK_TRUE(t, links == NULL);
        flip(t, p.path[k], 9000);
    }
    CHECK_STATUS(t, naik_links_scidac_read(p.path[0], "/nonexistent", p.lattice, 0, &seen, &links),
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
    CHECK_STATUS(t, naik_links_scidac_read(p.path[0], p.path[1], p.lattice, 0, &seen, &links),
                 NAIK_ERR_INPUT);
    pair_destroy(t, &p);
}

typedef struct swap_case {
    int first, second; /* which links the file of fat ones holds, and that of long ones */
    const char *said;
} swap_case;

static void expect(check *t, const pair *p, const naik_links_boundary *boundary, const char *said)
{
    naik_fatlong *links = NULL;
    const naik_status status =
        naik_links_scidac_read(p->path[0], p->path[1], p->lattice, 0, boundary, &links);
    CHECK_TRUE(t, said == NULL || strstr(naik_log_message(t->log), said) != NULL);
    CHECK_STATUS(t, status, said == NULL ? NAIK_OK : NAIK_ERR_INPUT);
    naik_fatlong_destroy(&links);
}

static void links_given_as_what_they_are_not_are_refused(check *t)
{
    static const swap_case cases[] = {{0, 0, "holds no long links"},
                                      {1, 0, "holds no long links"},
                                      {1, 1, "holds no fat links: its matrices are 0.125 times"}};
    pair p = {.lattice = NULL};
    CHECK_REQUIRE(t, pair_create(t, &p));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_TRUE(t, pair_write(t, &p, 0, p.link[cases[i].first]));
        CHECK_TRUE(t, pair_write(t, &p, 1, p.link[cases[i].second]));
        expect(t, &p, &seen, cases[i].said);
    }
    CHECK_TRUE(t, pair_write(t, &p, 1, p.link[1]));
    naik_gauge_set_random(p.link[0], 7);
    naik_gauge_apply_phases(p.link[0], true);
    CHECK_TRUE(t, pair_write(t, &p, 0, p.link[0])); /* thin links */
    expect(t, &p, &seen, "holds no fat links: its matrices are 1 times unitary ones");
    naik_gauge_set_unit(p.link[0]); /* links of a free field are unitary, but for their scale */
    naik_gauge_apply_phases(p.link[0], true);
    CHECK_TRUE(t, pair_write(t, &p, 0, p.link[0]));
    expect(t, &p, &seen, NULL);
    pair_destroy(t, &p);
}

static void the_boundary_and_the_phases_are_seen_in_the_links(check *t)
{
    static const naik_links_boundary periodic = {.name = "periodic", .given = true};
    pair p = {.lattice = NULL};
    CHECK_REQUIRE(t, pair_create(t, &p));
    expect(t, &p, &periodic, "have the antiperiodic boundary in t inside");
    make_links(&p, true, false);
    CHECK_TRUE(t, pair_write(t, &p, 0, p.link[0]));
    expect(t, &p, &seen, "the fat links"); /* beside long ones of the other boundary */
    CHECK_TRUE(t, pair_write(t, &p, 1, p.link[1]));
    expect(t, &p, &seen, "have the periodic boundary in t inside");
    expect(t, &p, &periodic, NULL);
    make_links(&p, false, true);
    CHECK_TRUE(t, pair_write(t, &p, 0, p.link[0]));
    CHECK_TRUE(t, pair_write(t, &p, 1, p.link[1]));
    expect(t, &p, &seen, "have no staggered phases in direction x");
    pair_destroy(t, &p);
}

/* Matrices whose determinants point everywhere. */
static void turn_determinants(const pair *p)
{
    for (int64_t i = 0; i < (int64_t)p->lattice->sites * 4; i++) {
        for (int k = 0; k < 2; k++) {
            const double angle = (double)((31 * i + 7 * k) % 64) / 64 * 6.283185307179586 / 3;
            const naik_complex turn = {cos(angle), sin(angle)};
            naik_matrix *u = &p->link[k]->link[i];
            for (int j = 0; j < 9; j++) {
                u->e[j / 3][j % 3] = naik_cmul(turn, u->e[j / 3][j % 3]);
            }
        }
    }
}

/* The negative of 45 of 100 fat links in space, and of `part` of those in t. */
static void negate(const pair *p, double part)
{
    for (int64_t i = 0; i < (int64_t)p->lattice->sites * 4; i++) {
        const double at = (double)(((uint32_t)i * 2654435761U) >> 8) / (1 << 24);
        naik_matrix *u = &p->link[0]->link[i];
        for (int j = 0; j < 9 && at < (i % 4 == 3 ? part : 0.45); j++) {
            u->e[j / 3][j % 3].re *= -1;
            u->e[j / 3][j % 3].im *= -1;
        }
    }
}

/* The mean of signs is 0.1 in space and 1 - 2 part in t: on 256 sites 0.375 is what chance does not reach, on 1024
 * half of all links decide. */
static void phases_that_hardly_show_are_not_judged(check *t)
{
    static const char other[] =
        "have other staggered phases in direction x: naik takes links with MILC's phases inside, "
        "eta_x = (-1)^t, eta_y = (-1)^(t+x), eta_z = (-1)^(t+x+y). Links of few sites";
    static const struct {
        int extents[4];
        double part;
        const char *said;
    } cases[] = {{{4, 4, 8, 8}, 0.4, NULL},
                 {{4, 4, 8, 8}, 0.33, other},
                 {{2, 2, 8, 8}, 0.36, NULL},
                 {{2, 2, 8, 8}, 0.22, other}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pair p = {.lattice = NULL};
        CHECK_REQUIRE(t, pair_create_of(t, cases[i].extents, &p));
        negate(&p, cases[i].part);
        CHECK_TRUE(t, pair_write(t, &p, 0, p.link[0]));
        expect(t, &p, &seen, cases[i].said);
        pair_destroy(t, &p);
    }
}

static void a_boundary_that_is_not_seen_must_be_given(check *t)
{
    static const naik_links_boundary given = {.name = "antiperiodic", .given = true};
    pair p = {.lattice = NULL};
    CHECK_REQUIRE(t, pair_create(t, &p));
    turn_determinants(&p);
    CHECK_TRUE(t, pair_write(t, &p, 0, p.link[0]));
    CHECK_TRUE(t, pair_write(t, &p, 1, p.link[1]));
    expect(t, &p, &seen, "do not show which boundary in t is inside: give it");
    expect(t, &p, &given, NULL);
    pair_destroy(t, &p);
}

static void reference_links_show_what_they_are(check *t)
{
    static const int extents[4] = {8, 8, 8, 8};
    static const naik_links_boundary periodic = {.name = "periodic", .given = true};
    static const struct {
        const char *fat, *far, *said;
        const naik_links_boundary *boundary;
    } cases[] = {
        {"fat.l8", "long.l8", NULL, &seen},
        {"fat.hisq.l8888", "long.hisq.l8888", NULL, &seen},
        {"fat.l8", "long.l8", "but lattice.boundary_t is periodic", &periodic},
        {"fat.hisq.l8888", "long.hisq.l8888", "but lattice.boundary_t is periodic", &periodic},
        {"fat.l8", "fat.l8", "holds no long links", &seen},
        {"long.l8", "fat.l8", "holds no long links", &seen},
        {"long.hisq.l8888", "long.hisq.l8888", "holds no fat links", &seen}};
    pair p = {.lattice = NULL};
    if (t->reference == NULL) {
        CHECK_SKIP(t, "NAIK_REFERENCE is not set");
    }
    CHECK_OK(t, naik_lattice_create(t->comm, extents, NULL, &p.lattice));
    for (size_t i = 0; i < sizeof cases / sizeof *cases && p.lattice != NULL; i++) {
        check_reference_path(t, cases[i].fat, p.path[0], sizeof p.path[0]);
        check_reference_path(t, cases[i].far, p.path[1], sizeof p.path[1]);
        expect(t, &p, cases[i].boundary, cases[i].said);
    }
    naik_lattice_destroy(&p.lattice);
}

CHECK_MAIN(CHECK(scidac_links_read_back_bit_for_bit), CHECK(damaged_scidac_links_are_refused),
           CHECK(links_in_other_formats_are_refused),
           CHECK(links_given_as_what_they_are_not_are_refused),
           CHECK(the_boundary_and_the_phases_are_seen_in_the_links),
           CHECK(phases_that_hardly_show_are_not_judged),
           CHECK(a_boundary_that_is_not_seen_must_be_given),
           CHECK(reference_links_show_what_they_are))
