/* test_gauss_smear.c - covariant gaussian smearing against its sum over paths, hop by hop
 *
 * ranks: 1 4
 */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "comm/collective.h"
#include "fixture.h"
#include "naik/gauge_io.h"
#include "naik/source.h"
#include "propagator/funny_wall.h"

static const int size[4] = {8, 4, 8, 4};
enum { SITES = 8 * 4 * 8 * 4, TIMES = 4 };
static const bool every[TIMES] = {true, true, true, true};
static const double pi = 3.14159265358979323846;

typedef double complex colour[3];

typedef struct sample {
    fixture_links f;
    double *v; /* [sites][3][2] */
} sample;

/* A number by seed, site and place. */
static double drawn(uint64_t seed, int64_t site, int place)
{
    naik_rng rng = naik_rng_at(seed, 77 + (uint32_t)place, (uint64_t)site);
    return naik_rng_gaussian(&rng);
}

static bool make(check *t, const int grid[4], bool alone, bool unit, sample *s)
{
    s->v = NULL;
    if (!fixture_links_create(t, size, grid, alone, 5, &s->f)) {
        return false;
    }
    if (unit) {
        naik_gauge_set_unit(s->f.u);
    }
    s->v = malloc(naik_lattice_vector_bytes(s->f.lat));
    for (int32_t site = 0; site < s->f.lat->sites; site++) {
        int x[4];
        naik_lattice_coords(s->f.lat, site, x);
        for (int i = 0; i < 6; i++) {
            s->v[6 * site + i] = drawn(3, naik_lattice_global(s->f.lat, x), i);
        }
    }
    return s->v != NULL;
}

static void release(sample *s)
{
    free(s->v);
    fixture_links_destroy(&s->f);
}

static bool smear(check *t, sample *s, int stride, const bool *slices, double radius, int steps,
                  int slice)
{
    naik_gauss *gauss = NULL;
    const bool ok = CHECK_OK(t, naik_gauss_create(s->f.u, stride, slices, &gauss)) &&
                    CHECK_OK(t, naik_gauss_smear(gauss, radius, steps, slice, s->v));
    naik_gauss_destroy(&gauss);
    return ok;
}

/* The site `hops` sites from site r of the whole lattice, by its coordinates. */
static int moved(int r, int k, int hops)
{
    int x[4] = {r % size[0], r / size[0] % size[1], r / size[0] / size[1] % size[2],
                r / size[0] / size[1] / size[2]};
    x[k] = (x[k] + hops + 4 * size[k]) % size[k];
    return x[0] + size[0] * (x[1] + size[1] * (x[2] + size[2] * x[3]));
}

/* One hop of a vector along link (r, k), or against it. */
static void along(const naik_gauge *u, int r, int k, bool forward, const colour from, colour to)
{
    const int at = forward ? r : moved(r, k, -1);
    const naik_matrix *m = &u->link[4 * at + k];
    for (int i = 0; i < 3; i++) {
        to[i] = 0;
        for (int j = 0; j < 3; j++) {
            const naik_complex e = forward ? m->e[i][j] : m->e[j][i];
            to[i] += (e.re + (forward ? I : -I) * e.im) * from[j];
        }
    }
}

/* (1 + r0^2/(4 n s^2) Lap)^n on the whole lattice: every vector is carried home link by link. */
static void reference(const naik_gauge *u, int stride, double radius, int steps, colour *v)
{
    colour *next = malloc(SITES * sizeof *next);
    const double a = radius * radius / (4 * steps * stride * stride);
    for (int n = 0; n < steps; n++) {
        for (int r = 0; r < SITES; r++) {
            memcpy(next[r], v[r], sizeof next[r]);
            for (int k = 0; k < 3; k++) {
                for (int forward = 0; forward < 2; forward++) {
                    const int way = forward ? 1 : -1;
                    colour w, home;
                    memcpy(w, v[moved(r, k, way * stride)], sizeof w);
                    for (int hop = stride - 1; hop >= 0; hop--) {
                        along(u, moved(r, k, way * hop), k, forward, w, home);
                        memcpy(w, home, sizeof w);
                    }
                    for (int c = 0; c < 3; c++) {
                        next[r][c] += a * (w[c] - v[r][c]);
                    }
                }
            }
        }
        memcpy(v, next, SITES * sizeof *next);
    }
    free(next);
}

/* Whether the vectors agree to the bit at all sites of the first. */
static bool same_bits(const sample *s, const sample *whole)
{
    bool same = true;
    for (int32_t site = 0; site < s->f.lat->sites; site++) {
        int x[4];
        naik_lattice_coords(s->f.lat, site, x);
        same = same && memcmp(s->v + 6 * site, whole->v + 6 * naik_lattice_global(s->f.lat, x),
                              6 * sizeof *s->v) == 0;
    }
    return same;
}

static void compare(check *t, const int extents[4], const int grid[4])
{
    (void)extents;
    for (int stride = 1; stride <= 2; stride++) {
        sample s, whole;
        colour *v = malloc(SITES * sizeof *v);
        CHECK_REQUIRE(t, make(t, grid, false, false, &s) && make(t, NULL, true, false, &whole));
        memcpy(v, whole.v, SITES * sizeof *v);
        reference(whole.f.u, stride, 1.7, 4, v);
        CHECK_TRUE(t, smear(t, &s, stride, every, 1.7, 4, NAIK_GAUSS_ALL));
        CHECK_TRUE(t, smear(t, &whole, stride, every, 1.7, 4, NAIK_GAUSS_ALL));
        CHECK_TRUE(t, same_bits(&s, &whole));
        double worst = 0;
        for (int r = 0; r < SITES; r++) {
            for (int c = 0; c < 3; c++) {
                const double *got = whole.v + 6 * r + 2 * c;
                worst = naik_worst(worst, cabs(got[0] + I * got[1] - v[r][c]));
            }
        }
        CHECK_NEAR(t, worst, 0, 1e-13);
        free(v);
        release(&s);
        release(&whole);
    }
}

static void smearing_is_the_sum_over_hops_on_every_grid(check *t)
{
    fixture_for_grids(t, size, 6, compare);
}

/* v(x) -> g(x) v(x), U_k(x) -> g(x) U_k(x) g(x+k)^+, with g the random link of another seed. */
static void transform(const naik_gauge *g, sample *s, bool links)
{
    naik_gauge *u = s->f.u;
    for (int r = 0; r < SITES; r++) {
        const naik_matrix *here = &g->link[4 * r];
        colour v;
        for (int i = 0; i < 3; i++) {
            v[i] = 0;
            for (int j = 0; j < 3; j++) {
                const double *from = s->v + 6 * r + 2 * j;
                v[i] += (here->e[i][j].re + I * here->e[i][j].im) * (from[0] + I * from[1]);
            }
        }
        memcpy(s->v + 6 * r, v, sizeof v);
        for (int k = 0; k < 3 && links; k++) {
            const naik_matrix *there = &g->link[4 * moved(r, k, 1)];
            const naik_matrix link = u->link[4 * r + k];
            for (int e = 0; e < 9; e++) {
                double complex sum = 0;
                for (int ab = 0; ab < 9; ab++) {
                    const naik_complex p = here->e[e / 3][ab / 3], q = link.e[ab / 3][ab % 3],
                                       w = there->e[e % 3][ab % 3];
                    sum += (p.re + I * p.im) * (q.re + I * q.im) * (w.re - I * w.im);
                }
                u->link[4 * r + k].e[e / 3][e % 3] = (naik_complex){creal(sum), cimag(sum)};
            }
        }
    }
}

static void smearing_is_gauge_covariant(check *t)
{
    for (int stride = 1; stride <= 2; stride++) {
        sample s, turned;
        naik_gauge *g = NULL;
        CHECK_REQUIRE(t, make(t, NULL, true, false, &s) && make(t, NULL, true, false, &turned));
        CHECK_REQUIRE(t, CHECK_OK(t, naik_gauge_create(turned.f.lat, &g)));
        naik_gauge_set_random(g, 99);
        transform(g, &turned, true);
        CHECK_TRUE(t, smear(t, &turned, stride, every, 2.1, 7, NAIK_GAUSS_ALL));
        CHECK_TRUE(t, smear(t, &s, stride, every, 2.1, 7, NAIK_GAUSS_ALL));
        transform(g, &s, false);
        double worst = 0;
        for (int i = 0; i < 6 * SITES; i++) {
            worst = naik_worst(worst, fabs(s.v[i] - turned.v[i]));
        }
        CHECK_NEAR(t, worst, 0, 1e-12);
        naik_gauge_destroy(&g);
        release(&s);
        release(&turned);
    }
}

/* On unit links a plane wave is multiplied by (1 + a sum_k 2 (cos s p_k - 1))^n. */
static void smearing_multiplies_free_plane_waves(check *t)
{
    static const int p[3] = {3, 1, -2};
    for (int stride = 1; stride <= 2; stride++) {
        sample s;
        double factor = 0;
        const double radius = 1.3, a = radius * radius / (4 * 5 * stride * stride);
        CHECK_REQUIRE(t, make(t, NULL, false, true, &s));
        for (int pass = 0; pass < 2; pass++) {
            for (int32_t site = 0; site < s.f.lat->sites; site++) {
                int x[4];
                double angle = 0;
                naik_lattice_coords(s.f.lat, site, x);
                for (int k = 0; k < 3; k++) {
                    angle += 2 * pi * p[k] * (x[k] + s.f.lat->origin[k]) / size[k];
                    factor += site == 0 && pass == 0
                                  ? 2 * (cos(2 * pi * p[k] * stride / size[k]) - 1)
                                  : 0;
                }
                const double scale = pass == 0 ? 1 : pow(1 + a * factor, 5);
                for (int i = 0; i < 6; i++) {
                    const double wave = scale * (i % 2 == 0 ? cos(angle) : sin(angle));
                    if (pass == 0) {
                        s.v[6 * site + i] = wave;
                    } else {
                        CHECK_NEAR(t, s.v[6 * site + i], wave, 1e-13);
                    }
                }
            }
            CHECK_TRUE(t, pass > 0 || smear(t, &s, stride, every, radius, 5, NAIK_GAUSS_ALL));
        }
        release(&s);
    }
}

static void staggered_smearing_keeps_the_corner_and_the_time_slice(check *t)
{
    static const bool one[TIMES] = {false, true, false, false};
    const naik_source point = {.type = NAIK_SOURCE_POINT, .origin = {3, 2, 1, 1}};
    sample s;
    int reached = 0;
    CHECK_REQUIRE(t, make(t, NULL, true, false, &s));
    CHECK_OK(t, naik_source_fill(s.f.lat, &point, 0, s.v));
    CHECK_TRUE(t, smear(t, &s, 2, one, 2, 6, 1));
    for (int32_t site = 0; site < s.f.lat->sites; site++) {
        int x[4];
        naik_lattice_coords(s.f.lat, site, x);
        const bool on = x[3] == 1 && x[0] % 2 == 1 && x[1] % 2 == 0 && x[2] % 2 == 1;
        for (int i = 0; i < 6; i++) {
            CHECK_TRUE(t, on || s.v[6 * site + i] == 0);
            reached += s.v[6 * site + i] != 0;
        }
    }
    CHECK_INT(t, reached, 6 * 4 * 2 * 4);
    release(&s);
}

static void staggered_phases_change_nothing(check *t)
{
    sample s, phased;
    CHECK_REQUIRE(t, make(t, NULL, false, false, &s) && make(t, NULL, false, false, &phased));
    naik_gauge_apply_phases(phased.f.u, true);
    CHECK_TRUE(t, smear(t, &s, 2, every, 2, 5, NAIK_GAUSS_ALL));
    CHECK_TRUE(t, smear(t, &phased, 2, every, 2, 5, NAIK_GAUSS_ALL));
    CHECK_TRUE(t, memcmp(s.v, phased.v, naik_lattice_vector_bytes(s.f.lat)) == 0);
    release(&s);
    release(&phased);
}

static void a_slice_by_itself_is_that_of_all(check *t)
{
    static const bool two[TIMES] = {true, false, true, false};
    sample s, all;
    naik_gauss *gauss = NULL;
    CHECK_REQUIRE(t, make(t, NULL, false, false, &s) && make(t, NULL, false, false, &all));
    CHECK_OK(t, naik_gauss_create(s.f.u, 1, two, &gauss));
    CHECK_STATUS(t, naik_gauss_smear(gauss, 2, 3, 1, s.v), NAIK_ERR_ARG);
    CHECK_STATUS(t, naik_gauss_smear(gauss, 2, 3, TIMES, s.v), NAIK_ERR_ARG);
    naik_gauss_destroy(&gauss);
    double *before = malloc(naik_lattice_vector_bytes(s.f.lat));
    memcpy(before, s.v, naik_lattice_vector_bytes(s.f.lat));
    CHECK_TRUE(t, smear(t, &s, 1, two, 2, 3, 2) && smear(t, &all, 1, every, 2, 3, NAIK_GAUSS_ALL));
    for (int32_t site = 0; site < s.f.lat->sites; site++) {
        int x[4];
        naik_lattice_coords(s.f.lat, site, x);
        const double *wanted = x[3] + s.f.lat->origin[3] == 2 ? all.v : before;
        CHECK_TRUE(t, memcmp(s.v + 6 * site, wanted + 6 * site, 6 * sizeof *s.v) == 0);
    }
    free(before);
    release(&s);
    release(&all);
}

static void funny_wall(check *t, sample *s, naik_source_type type)
{
    static const bool one[TIMES] = {false, false, true, false};
    const naik_source wall = {.type = type, .origin = {0, 0, 0, 2}};
    const naik_source other = {.type = type, .origin = {0, 0, 0, 1}};
    const naik_source even = {.type = NAIK_SOURCE_EVEN_WALL, .origin = {0, 0, 0, 2}};
    naik_gauss *hops = NULL;
    CHECK_OK(t, naik_gauss_create(s->f.u, 1, one, &hops));
    CHECK_STATUS(t, naik_funny_wall(s->f.lat, &other, hops, 1, s->v), NAIK_ERR_ARG);
    CHECK_STATUS(t, naik_funny_wall(s->f.lat, &even, hops, 1, s->v), NAIK_ERR_ARG);
    CHECK_STATUS(t, naik_source_fill(s->f.lat, &wall, 1, s->v), NAIK_ERR_ARG);
    CHECK_OK(t, naik_funny_wall(s->f.lat, &wall, hops, 1, s->v));
    naik_gauss_destroy(&hops);
}

/* On unit links all three terms are signs. */
static void funny_walls_of_unit_links_are_signs(check *t)
{
    sample s;
    CHECK_REQUIRE(t, make(t, NULL, false, true, &s));
    for (int k = 0; k < 2; k++) {
        funny_wall(t, &s, k == 0 ? NAIK_SOURCE_FUNNYWALL1 : NAIK_SOURCE_FUNNYWALL2);
        for (int32_t site = 0; site < s.f.lat->sites; site++) {
            int x[4];
            naik_lattice_coords(s.f.lat, site, x);
            for (int mu = 0; mu < 4; mu++) {
                x[mu] += s.f.lat->origin[mu];
            }
            const int first[3] = {0, x[2], x[0] + x[2] + x[3]};
            const int second[3] = {x[0] + x[1] + x[2] + x[3], x[0] + x[1], x[1] + x[3]};
            double wanted = 0;
            for (int i = 0; i < 3; i++) {
                wanted += (k == 0 ? first[i] : second[i]) % 2 == 0 ? 1 : -1;
            }
            for (int i = 0; i < 6; i++) {
                CHECK_NEAR(t, s.v[6 * site + i], i == 2 && x[3] == 2 ? wanted : 0, 0);
            }
        }
    }
    release(&s);
}

static void compare_funny(check *t, const int extents[4], const int grid[4])
{
    (void)extents;
    sample s, whole;
    CHECK_REQUIRE(t, make(t, grid, false, false, &s) && make(t, NULL, true, false, &whole));
    for (int k = 0; k < 2; k++) {
        const naik_source_type type = k == 0 ? NAIK_SOURCE_FUNNYWALL1 : NAIK_SOURCE_FUNNYWALL2;
        funny_wall(t, &s, type);
        funny_wall(t, &whole, type);
        CHECK_TRUE(t, same_bits(&s, &whole));
    }
    release(&s);
    release(&whole);
}

static void funny_walls_have_the_same_bits_on_every_grid(check *t)
{
    fixture_for_grids(t, size, 6, compare_funny);
}

/* |source|^2 over four spins and three colours as Chroma's own regression test has it, in single
 * precision, on the configuration of that test. */
static void smearing_is_that_of_chroma(check *t)
{
    static const int extents[4] = {4, 4, 4, 8};
    static const bool first[8] = {true};
    const naik_source point = {.type = NAIK_SOURCE_POINT};
    const naik_gauge_load_options options = {.max_unitarity_deviation = 1e-5};
    char path[512];
    sample s = {.v = NULL};
    naik_gauss *gauss = NULL;
    naik_gauge_file file;
    naik_gauge_checks checks;
    double norm2 = 0;
    if (t->reference == NULL) {
        CHECK_SKIP(t, "NAIK_REFERENCE is not set");
    }
    CHECK_REQUIRE(t, fixture_links_create(t, extents, NULL, true, 5, &s.f));
    check_reference_path(t, "weak.4448.nersc", path, sizeof path);
    CHECK_REQUIRE(t, CHECK_OK(t, naik_gauge_load(path, &options, s.f.u, &file, &checks)));
    s.v = malloc(naik_lattice_vector_bytes(s.f.lat));
    CHECK_OK(t, naik_gauss_create(s.f.u, 1, first, &gauss));
    for (int c = 0; c < 3; c++) {
        CHECK_OK(t, naik_source_fill(s.f.lat, &point, c, s.v));
        CHECK_OK(t, naik_gauss_smear(gauss, 2, 5, 0, s.v));
        for (int32_t i = 0; i < 6 * s.f.lat->sites; i++) {
            norm2 += 4 * s.v[i] * s.v[i];
        }
    }
    CHECK_NEAR(t, norm2, 6.63399854, 1e-6);
    naik_gauss_destroy(&gauss);
    naik_gauge_file_clear(&file);
    release(&s);
}

CHECK_MAIN(CHECK(smearing_is_the_sum_over_hops_on_every_grid), CHECK(smearing_is_gauge_covariant),
           CHECK(smearing_multiplies_free_plane_waves),
           CHECK(staggered_smearing_keeps_the_corner_and_the_time_slice),
           CHECK(staggered_phases_change_nothing), CHECK(a_slice_by_itself_is_that_of_all),
           CHECK(funny_walls_of_unit_links_are_signs),
           CHECK(funny_walls_have_the_same_bits_on_every_grid), CHECK(smearing_is_that_of_chroma))
