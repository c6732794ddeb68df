/* test_gauge.c - thin links: what is measured, phases, reunitarisation */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "check.h"
#include "comm/collective.h"
#include "lattice/grid.h"
#include "lattice/su3.h"
#include "naik/gauge.h"
#include "naik/gauge_io.h"

static const int size[4] = {8, 4, 12, 8};

typedef struct field {
    naik_lattice *lat;
    naik_gauge *gauge;
} field;

static bool make_field(check *t, naik_comm *comm, const int grid[4], field *f)
{
    f->lat = NULL;
    f->gauge = NULL;
    return CHECK_OK(t, naik_lattice_create(comm, size, grid, &f->lat)) &&
           CHECK_OK(t, naik_gauge_create(f->lat, &f->gauge));
}

static void drop_field(field *f)
{
    naik_gauge_destroy(&f->gauge);
    naik_lattice_destroy(&f->lat);
}

static void unit_links_measure_as_unit(check *t)
{
    field f;
    naik_gauge_checks m;
    CHECK_REQUIRE(t, make_field(t, t->comm, NULL, &f));
    naik_gauge_set_unit(f.gauge);
    CHECK_OK(t, naik_gauge_measure(f.gauge, &m));
    CHECK_TRUE(t, m.plaquette == 3 && m.plaquette_s == 3 && m.plaquette_t == 3);
    CHECK_TRUE(t, m.link_trace == 1);
    CHECK_TRUE(t, m.max_unitarity_dev == 0 && m.max_det_dev == 0);
    /* A phased unit field: every plaquette but none of the deviations turns. */
    naik_gauge_apply_phases(f.gauge, true);
    CHECK_OK(t, naik_gauge_measure(f.gauge, &m));
    CHECK_TRUE(t, m.plaquette_s == -3 && m.plaquette_t == -3);
    drop_field(&f);
}

/* The phase by the text of the convention, from global coordinates. */
static int phase_of(const int x[4], int mu, bool antiperiodic)
{
    const int exponent[4] = {x[3], x[3] + x[0], x[3] + x[0] + x[1], 0};
    int sign = exponent[mu] % 2 == 0 ? 1 : -1;
    return antiperiodic && mu == 3 && x[3] == size[3] - 1 ? -sign : sign;
}

static void phases_follow_global_coordinates_and_are_their_own_inverse(check *t)
{
    field f;
    for (int antiperiodic = 0; antiperiodic < 2; antiperiodic++) {
        CHECK_REQUIRE(t, make_field(t, t->comm, NULL, &f));
        const size_t bytes = (size_t)f.lat->sites * 4 * sizeof(naik_matrix);
        naik_matrix *before = malloc(bytes);
        naik_gauge_set_random(f.gauge, 5);
        memcpy(before, f.gauge->link, bytes);
        naik_gauge_apply_phases(f.gauge, antiperiodic == 1);
        int wrong = 0;
        for (int32_t site = 0; site < f.lat->sites; site++) {
            int x[4], g[4];
            naik_lattice_coords(f.lat, site, x);
            for (int mu = 0; mu < 4; mu++) {
                g[mu] = x[mu] + f.lat->origin[mu];
            }
            for (int mu = 0; mu < 4; mu++) {
                const double sign = phase_of(g, mu, antiperiodic == 1);
                const naik_matrix *a = &before[site * 4 + mu], *b = &f.gauge->link[site * 4 + mu];
                wrong += b->e[1][2].re != sign * a->e[1][2].re;
                wrong += b->e[2][0].im != sign * a->e[2][0].im;
            }
        }
        CHECK_INT(t, wrong, 0);
        naik_gauge_apply_phases(f.gauge, antiperiodic == 1);
        CHECK_INT(t, memcmp(before, f.gauge->link, bytes), 0);
        free(before);
        drop_field(&f);
    }
}

/* Plaquettes of a lattice that one rank holds whole, term by term. */
static void slow_plaquettes(const naik_gauge *gauge, double *space, double *time)
{
    const naik_lattice *lat = gauge->lattice;
    *space = *time = 0;
    for (int32_t site = 0; site < lat->sites; site++) {
        for (int nu = 1; nu < 4; nu++) {
            for (int mu = 0; mu < nu; mu++) {
                int x[4], a[4], b[4];
                naik_lattice_coords(lat, site, x);
                memcpy(a, x, sizeof a);
                memcpy(b, x, sizeof b);
                a[mu] = (x[mu] + 1) % size[mu];
                b[nu] = (x[nu] + 1) % size[nu];
                naik_matrix p = naik_mat_mul(&gauge->link[site * 4 + mu],
                                             &gauge->link[naik_lattice_site(lat, a) * 4 + nu]);
                p = naik_mat_mul_dagger(&p, &gauge->link[naik_lattice_site(lat, b) * 4 + mu]);
                p = naik_mat_mul_dagger(&p, &gauge->link[site * 4 + nu]);
                *(nu == 3 ? time : space) += naik_mat_trace(&p).re / (3.0 * lat->sites);
            }
        }
    }
}

static void measurements_do_not_depend_on_the_process_grid(check *t)
{
    naik_comm *alone = NULL;
    field one, f;
    naik_gauge_checks expected, got;
    double space = 0, time = 0;
    CHECK_REQUIRE(t, CHECK_OK(t, naik_comm_create_alone(t->log, &alone)));
    CHECK_REQUIRE(t, make_field(t, alone, NULL, &one));
    naik_gauge_set_random(one.gauge, 77);
    CHECK_OK(t, naik_gauge_measure(one.gauge, &expected));
    slow_plaquettes(one.gauge, &space, &time);
    CHECK_NEAR(t, expected.plaquette_s, space, 1e-14);
    CHECK_NEAR(t, expected.plaquette_t, time, 1e-14);
    CHECK_NEAR(t, expected.plaquette, (space + time) / 2, 1e-14);
    CHECK_TRUE(t, expected.max_unitarity_dev < 2e-15 && expected.max_det_dev < 3e-15);
    CHECK_TRUE(t, fabs(space) < 0.1 && space != 0 && fabs(expected.link_trace) < 0.1);
    for (int mu = 0; mu < 4; mu++) {
        int grid[4] = {1, 1, 1, 1};
        grid[mu] = t->comm->size;
        if (size[mu] / grid[mu] < 4) {
            continue;
        }
        CHECK_REQUIRE(t, make_field(t, t->comm, grid, &f));
        naik_gauge_set_random(f.gauge, 77);
        for (int32_t site = 0; site < f.lat->sites; site++) {
            int x[4];
            naik_lattice_coords(f.lat, site, x);
            if (memcmp(&f.gauge->link[site * 4],
                       &one.gauge->link[naik_lattice_global(f.lat, x) * 4],
                       4 * sizeof(naik_matrix)) != 0) {
                CHECK_TRUE(t, !"random links differ between grids");
                break;
            }
        }
        CHECK_OK(t, naik_gauge_measure(f.gauge, &got));
        CHECK_INT(t, memcmp(&got, &expected, sizeof got), 0);
        drop_field(&f);
    }
    drop_field(&one);
    naik_comm_destroy(&alone);
}

static void random_links_are_haar_distributed(check *t)
{
    /* <Tr U> = 0, <|Tr U|^2> = 1, <(Tr U)^3> = 1 for SU(3); 12288 links. */
    naik_comm *alone = NULL;
    field f;
    CHECK_REQUIRE(t, CHECK_OK(t, naik_comm_create_alone(t->log, &alone)));
    CHECK_REQUIRE(t, make_field(t, alone, NULL, &f));
    naik_gauge_set_random(f.gauge, 3);
    naik_complex one = {0, 0}, three = {0, 0};
    double two = 0, links = 4.0 * f.lat->sites;
    for (int32_t i = 0; i < 4 * f.lat->sites; i++) {
        const naik_complex trace = naik_mat_trace(&f.gauge->link[i]);
        one = naik_cadd(one, naik_cscale(1 / links, trace));
        two += naik_cnorm2(trace) / links;
        three = naik_cadd(three, naik_cscale(1 / links, naik_cmul(trace, naik_cmul(trace, trace))));
    }
    /* Five standard errors; the variances are 1/2 each part, 1, and about 3. */
    const double error = 5 / sqrt(links);
    CHECK_NEAR(t, one.re, 0, error * 0.71);
    CHECK_NEAR(t, one.im, 0, error * 0.71);
    CHECK_NEAR(t, two, 1, error);
    CHECK_NEAR(t, three.re, 1, error * 2);
    CHECK_NEAR(t, three.im, 0, error * 2);
    drop_field(&f);
    naik_comm_destroy(&alone);
}

static void reunitarisation_repairs_and_reports(check *t)
{
    field f;
    naik_gauge_checks m;
    double change = -1;
    CHECK_REQUIRE(t, make_field(t, t->comm, NULL, &f));
    naik_gauge_set_random(f.gauge, 8);
    CHECK_OK(t, naik_gauge_reunitarise(f.gauge, &change));
    CHECK_TRUE(t, change >= 0 && change < 2e-15);
    /* One bent link on one rank: row 0 scaled, row 1 tilted, row 2 wrong. */
    if (t->comm->rank == t->comm->size - 1) {
        naik_matrix *u = &f.gauge->link[4 * 17 + 2];
        const naik_matrix good = *u;
        for (int j = 0; j < 3; j++) {
            u->e[0][j] = naik_cscale(1.25, good.e[0][j]);
            u->e[1][j] = naik_cadd(good.e[1][j], naik_cscale(0.5, good.e[0][j]));
            u->e[2][j] = (naik_complex){0, 0};
        }
    }
    CHECK_OK(t, naik_gauge_measure(f.gauge, &m));
    CHECK_TRUE(t, m.max_unitarity_dev > 0.5 && m.max_det_dev > 0.9);
    CHECK_OK(t, naik_gauge_reunitarise(f.gauge, &change));
    CHECK_TRUE(t, change > 0.1 && change <= 1);
    CHECK_OK(t, naik_gauge_measure(f.gauge, &m));
    CHECK_TRUE(t, m.max_unitarity_dev < 2e-15 && m.max_det_dev < 3e-15);
    drop_field(&f);
}

static void damaged_links_are_refused_not_hidden(check *t)
{
    static const double bad[3] = {0, NAN, INFINITY};
    naik_gauge_checks m;
    double change;
    for (int k = 0; k < 4; k++) {
        field f;
        CHECK_REQUIRE(t, make_field(t, t->comm, NULL, &f));
        naik_gauge_set_random(f.gauge, 8);
        const naik_lattice *lat = f.gauge->lattice;
        char place[64]; /* in the box of the last rank, which is the last in all directions */
        int x[4];
        naik_lattice_coords(lat, 17, x);
        snprintf(place, sizeof place, "the link z of site (%d, %d, %d, %d) ",
                 lat->size[0] - lat->local[0] + x[0], lat->size[1] - lat->local[1] + x[1],
                 lat->size[2] - lat->local[2] + x[2], lat->size[3] - lat->local[3] + x[3]);
        if (t->comm->rank == t->comm->size - 1) {
            naik_matrix *u = &f.gauge->link[4 * 17 + 2];
            for (int j = 0; j < 3; j++) {
                if (k < 3) {
                    u->e[1][j].re = u->e[1][j].im = bad[k];
                } else { /* a row that repeats the other */
                    u->e[1][j] = naik_cscale(0.3, u->e[0][j]);
                }
            }
        }
        CHECK_OK(t, naik_gauge_measure(f.gauge, &m));
        if (k == 1 || k == 2) {
            CHECK_TRUE(t, isnan(m.plaquette) && isnan(m.plaquette_s) && isnan(m.max_det_dev) &&
                              isnan(m.max_unitarity_dev));
        } else {
            CHECK_TRUE(t, m.max_unitarity_dev > 0.1);
        }
        /* a link that is singular contradicts nothing: it is of another kind */
        const naik_status status = naik_gauge_reunitarise(f.gauge, &change);
        CHECK_TRUE(t, naik_text_begins(naik_log_message(t->log), place));
        CHECK_STATUS(t, status, k == 1 || k == 2 ? NAIK_ERR_CORRUPT : NAIK_ERR_INPUT);
        drop_field(&f);
    }
}

typedef struct known {
    const char *name;
    int size[4];
    double plaquette_s, plaquette_t, link_trace; /* NaN where it is not known */
    double tolerance;                            /* as many digits as are known */
} known;

static void measurements_agree_with_another_code(check *t)
{
    if (t->reference == NULL) {
        CHECK_SKIP(t, "NAIK_REFERENCE is not set");
    }
    static const known files[] = {
        {"lat.sample.l8888",
         {8, 8, 8, 8},
         1.7790021544584596,
         1.7823592881385857,
         -6.4563862036388919e-04,
         2e-15},
        {"lat.sample.l8",
         {8, 8, 8, 8},
         2.6203978710714737,
         2.6214473754080179,
         0.96505885197378427,
         2e-15},
        {"lat.sample.l4448",
         {4, 4, 4, 8},
         1.7237482807974562,
         1.6905860654166098,
         6.92165900e-02,
         1e-10},
        {"lat.sample.l4444",
         {4, 4, 4, 4},
         1.7946751560761742,
         1.7744257976067341,
         .64675873742,
         1e-11},
    };
    for (int k = 0; k < (int)(sizeof files / sizeof *files); k++) {
        char grids[128];
        naik_grid_list(files[k].size, t->comm->size, NULL, grids, sizeof grids, NULL);
        if (strcmp(grids, "none") == 0) {
            continue; /* too small for this many ranks */
        }
        naik_lattice *lat = NULL;
        naik_gauge *gauge = NULL;
        naik_gauge_file file;
        naik_gauge_checks m;
        char path[1024];
        check_reference_path(t, files[k].name, path, sizeof path);
        CHECK_REQUIRE(t, CHECK_OK(t, naik_lattice_create(t->comm, files[k].size, NULL, &lat)));
        CHECK_OK(t, naik_gauge_create(lat, &gauge));
        if (CHECK_OK(t, naik_gauge_file_read(path, gauge, &file))) {
            CHECK_OK(t, naik_gauge_measure(gauge, &m));
            /* The other code's plain sums carry some 20 units of rounding. */
            CHECK_NEAR(t, m.plaquette_s, files[k].plaquette_s, 1e-14);
            CHECK_NEAR(t, m.plaquette_t, files[k].plaquette_t, 1e-14);
            CHECK_NEAR(t, m.link_trace, files[k].link_trace, files[k].tolerance);
            naik_gauge_file_clear(&file);
        }
        naik_gauge_destroy(&gauge);
        naik_lattice_destroy(&lat);
    }
}

/* Diagonal links exp(i a), exp(-i a), 1 with a different angle each: Tr Delta^2 by hand. */
static double angle(const int g[4], int k)
{
    return 0.1 * (k + 1) * ((g[k] + size[k]) % size[k]) + 0.03 * g[3];
}

static void coulomb_deviation_is_the_divergence_by_hand(check *t)
{
    field f;
    double theta = -1, expected = 0;
    CHECK_REQUIRE(t, make_field(t, t->comm, NULL, &f));
    naik_gauge_set_unit(f.gauge);
    CHECK_OK(t, naik_gauge_coulomb_deviation(f.gauge, &theta));
    CHECK_TRUE(t, theta == 0);
    for (int32_t site = 0; site < f.lat->sites; site++) {
        int g[4];
        naik_lattice_coords(f.lat, site, g);
        for (int mu = 0; mu < 4; mu++) {
            g[mu] += f.lat->origin[mu];
        }
        for (int k = 0; k < 3; k++) {
            naik_matrix *u = &f.gauge->link[4 * site + k];
            u->e[0][0] = (naik_complex){cos(angle(g, k)), sin(angle(g, k))};
            u->e[1][1] = naik_conj(u->e[0][0]);
        }
    }
    for (int g3 = 0; g3 < size[3]; g3++) {
        for (int i = 0; i < size[0] * size[1] * size[2]; i++) {
            const int g[4] = {i % size[0], i / size[0] % size[1], i / size[0] / size[1], g3};
            double delta = 0;
            for (int k = 0; k < 3; k++) {
                int behind[4] = {g[0], g[1], g[2], g[3]};
                behind[k] = (g[k] + size[k] - 1) % size[k];
                delta += sin(angle(g, k)) - sin(angle(behind, k));
            }
            expected += 2 * delta * delta;
        }
    }
    expected /= 3.0 * size[0] * size[1] * size[2] * size[3];
    CHECK_OK(t, naik_gauge_coulomb_deviation(f.gauge, &theta));
    CHECK_NEAR(t, theta, expected, 1e-13 * expected);
    drop_field(&f);
}

static void coulomb_deviation_does_not_depend_on_the_process_grid(check *t)
{
    field all, mine;
    naik_comm *alone = NULL;
    double together = 0, by_myself = 0;
    CHECK_REQUIRE(t, CHECK_OK(t, naik_comm_create_alone(t->log, &alone)));
    CHECK_REQUIRE(t, make_field(t, t->comm, NULL, &all));
    CHECK_REQUIRE(t, make_field(t, alone, NULL, &mine));
    naik_gauge_set_random(all.gauge, 11);
    naik_gauge_set_random(mine.gauge, 11);
    CHECK_OK(t, naik_gauge_coulomb_deviation(all.gauge, &together));
    CHECK_OK(t, naik_gauge_coulomb_deviation(mine.gauge, &by_myself));
    CHECK_TRUE(t, together == by_myself);
    /* Haar: <Tr A^2> = 4/3 each, six links a site (three ahead, three behind), over 3 */
    CHECK_NEAR(t, together, 6 * (4.0 / 3) / 3, 0.2);
    drop_field(&all);
    drop_field(&mine);
    naik_comm_destroy(&alone);
}

CHECK_MAIN(CHECK(unit_links_measure_as_unit), CHECK(coulomb_deviation_is_the_divergence_by_hand),
           CHECK(coulomb_deviation_does_not_depend_on_the_process_grid),
           CHECK(phases_follow_global_coordinates_and_are_their_own_inverse),
           CHECK(measurements_do_not_depend_on_the_process_grid),
           CHECK(random_links_are_haar_distributed), CHECK(reunitarisation_repairs_and_reports),
           CHECK(damaged_links_are_refused_not_hidden), CHECK(measurements_agree_with_another_code))
