/* test_source.c - every source at every site against its definition, on the job's grid and alone
 *
 * ranks: 1 4
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exactsum.h"
#include "check.h"
#include "comm/collective.h"
#include "correlator/frame.h"
#include "lattice/source_kind.h"
#include "naik/source.h"
#include "propagator/baryon.h"

static const int size[4] = {8, 4, 8, 12};
static const double pi = 3.14159265358979323846;

/* The real shape by the words of the contract, written without sharing the module's code. */
static double expected_shape(const naik_source *s, const int x[4])
{
    const int sum = x[0] + x[1] + x[2] + x[3];
    double r2 = 0;
    if (x[3] != s->origin[3]) {
        return 0;
    }
    for (int k = 0; k < 3; k++) {
        int shortest = 1000;
        for (int image = -1; image <= 1; image++) {
            int d = abs(x[k] - s->origin[k] + image * size[k]);
            shortest = d < shortest ? d : shortest;
        }
        r2 += shortest * shortest;
    }
    if ((s->subset == NAIK_SUBSET_EVEN && sum % 2 != 0) ||
        (s->subset == NAIK_SUBSET_ODD && sum % 2 == 0)) {
        return 0;
    }
    for (int k = 0; k < 3; k++) {
        const bool cut = s->subset == NAIK_SUBSET_CORNER || s->type == NAIK_SOURCE_CORNER_WALL;
        if (cut && x[k] % 2 != s->corner[k]) {
            return 0;
        }
    }
    switch (s->type) {
    case NAIK_SOURCE_POINT: return r2 == 0;
    case NAIK_SOURCE_CORNER_WALL: return 1;
    case NAIK_SOURCE_EVEN_WALL: return sum % 2 == 0;
    case NAIK_SOURCE_EVENANDODD_WALL: return 1;
    case NAIK_SOURCE_EVENMINUSODD_WALL: return sum % 2 == 0 ? 1 : -1;
    default: return exp(-r2 / (s->radius * s->radius));
    }
}

static void coordinates(const naik_lattice *lat, int32_t site, int x[4])
{
    naik_lattice_coords(lat, site, x);
    for (int mu = 0; mu < 4; mu++) {
        x[mu] += lat->origin[mu];
    }
}

static naik_lattice *make_lattice(check *t, naik_comm *comm, double **v)
{
    naik_lattice *lat = NULL;
    CHECK_OK(t, naik_lattice_create(comm, size, NULL, &lat));
    if (lat != NULL) {
        *v = malloc((size_t)lat->sites * 6 * sizeof **v);
        memset(*v, 0xff, (size_t)lat->sites * 6 * sizeof **v);
    }
    return lat;
}

static void sources_have_their_shape_and_momentum(check *t)
{
    static const int momentum[3][3] = {{0, 0, 0}, {1, 0, 0}, {-2, 1, 3}};
    double *v = NULL;
    naik_lattice *lat = make_lattice(t, t->comm, &v);
    CHECK_REQUIRE(t, lat != NULL);
    for (int type = NAIK_SOURCE_POINT; type <= NAIK_SOURCE_GAUSSIAN; type++) {
        for (int cut = 0; cut < 3 * 12;
             cut++) { /* four subsets, the last of eight corners, and full */
            const int m = cut % 3, corner = cut / 3 < 4 ? 0 : cut / 3 - 4;
            naik_source s = {.type = (naik_source_type)type,
                             .origin = {7, 1, 2, 11},
                             .radius = 2.5,
                             .subset = cut / 3 < 4 ? (naik_subset)(cut / 3) : NAIK_SUBSET_CORNER,
                             .corner = {corner & 1, corner >> 1 & 1, corner >> 2}};
            memcpy(s.momentum, momentum[m], sizeof s.momentum);
            const int colour = m;
            CHECK_OK(t, naik_source_fill(lat, &s, colour, v));
            for (int32_t site = 0; site < lat->sites; site++) {
                int x[4];
                coordinates(lat, site, x);
                double shape = expected_shape(&s, x), angle = 0;
                for (int k = 0; k < 3; k++) {
                    angle += 2 * pi * s.momentum[k] * (x[k] - s.origin[k]) / size[k];
                }
                for (int c = 0; c < 3; c++) {
                    double wanted = c == colour ? shape : 0;
                    CHECK_NEAR(t, v[6 * site + 2 * c], wanted * cos(angle), 1e-14);
                    CHECK_NEAR(t, v[6 * site + 2 * c + 1], wanted * sin(angle), 1e-14);
                }
            }
        }
    }
    free(v);
    naik_lattice_destroy(&lat);
}

/* Made on its part alone, and as one of four spins, a source is what it is on the whole lattice; elsewhere it is 0
 * and nothing is written. */
static void a_part_holds_all_of_a_source(check *t)
{
    static const naik_source_type types[] = {NAIK_SOURCE_POINT, NAIK_SOURCE_EVENMINUSODD_WALL,
                                             NAIK_SOURCE_RANDOM_WALL, NAIK_SOURCE_RANDOM_VOLUME};
    naik_lattice *lat = NULL;
    CHECK_REQUIRE(t, CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &lat)));
    const size_t reals = (size_t)lat->sites * 24;
    double *whole = calloc(reals, sizeof *whole), *part = malloc(reals * sizeof *part);
    int64_t outside = 0, different = 0, sites = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const naik_source s = {.type = types[i],
                               .origin = {7, 1, 2, 11},
                               .noise = NAIK_NOISE_GAUSSIAN,
                               .momentum = {1, 0, 2},
                               .seed = 5};
        const int spin = (int)i;
        int32_t at[2];
        CHECK_OK(t, naik_source_fill(lat, &s, 1, whole));
        naik_source_to_spin(lat, spin, whole);
        memset(part, 0xff, reals * sizeof *part);
        naik_source_part(lat, &s, at);
        CHECK_OK(t, naik_source_fill_part(lat, &s, 1, spin, 4, at, part));
        sites += at[1] - at[0];
        for (int32_t site = 0; site < lat->sites; site++) {
            const bool inside = site >= at[0] && site < at[1];
            for (int k = 24 * site; k < 24 * (site + 1); k++) {
                outside += !inside && (whole[k] != 0 || !isnan(part[k]));
                different += inside && memcmp(&whole[k], &part[k], sizeof *part) != 0;
            }
        }
    }
    CHECK_INT(t, outside, 0);
    CHECK_INT(t, different, 0);
    CHECK_OK(t, naik_comm_sum_i64(t->comm, &sites, 1));
    CHECK_INT(t, sites, 2 + 8 * 4 * 8 * (2 + 12)); /* a pair, two slices, and the lattice */
    for (int x = 0; x < size[0]; x++) { /* a point with its neighbour in x, whichever it is */
        const naik_source s = {.type = NAIK_SOURCE_POINT, .origin = {x, 1, 2, 11}};
        int32_t at[2];
        naik_source_part(lat, &s, at);
        CHECK_TRUE(t, at[0] % 2 == 0 && at[1] % 2 == 0);
        sites = at[1] - at[0];
        CHECK_OK(t, naik_comm_sum_i64(t->comm, &sites, 1));
        CHECK_INT(t, sites, 2);
    }
    for (int slice = 0; slice < size[3];
         slice++) { /* each is on the ranks that have it, and inside */
        const naik_source s = {.type = NAIK_SOURCE_RANDOM_WALL, .origin = {0, 0, 0, slice}};
        int32_t at[2];
        naik_source_part(lat, &s, at);
        CHECK_TRUE(t, at[0] >= 0 && at[0] <= at[1] && at[1] <= lat->sites);
        sites = at[1] - at[0];
        CHECK_OK(t, naik_comm_sum_i64(t->comm, &sites, 1));
        CHECK_INT(t, sites, 8 * 4 * 8);
    }
    free(whole);
    free(part);
    naik_lattice_destroy(&lat);
}

static void random_walls_are_noise_on_one_slice(check *t)
{
    double *v = NULL;
    naik_lattice *lat = make_lattice(t, t->comm, &v);
    CHECK_REQUIRE(t, lat != NULL);
    for (int noise = NAIK_NOISE_Z2; noise <= NAIK_NOISE_Z4; noise++) {
        naik_source s = {.type = NAIK_SOURCE_RANDOM_WALL,
                         .origin = {0, 0, 0, 5},
                         .noise = (naik_noise)noise,
                         .seed = 99};
        double sum[6] = {0};
        const int colour = noise % 3;
        int seen = 0;
        CHECK_OK(t, naik_source_fill(lat, &s, colour, v));
        for (int32_t site = 0; site < lat->sites; site++) {
            int x[4];
            double norm2 = 0, others = 0;
            coordinates(lat, site, x);
            for (int i = 0; i < 6; i++) {
                double part = v[6 * site + i];
                norm2 += part * part;
                others += i / 2 == colour ? 0 : part * part;
                sum[i] += part;
            }
            CHECK_NEAR(t, norm2, x[3] == 5 ? 1 : 0, 1e-15 * 8);
            if (noise != NAIK_NOISE_GAUSSIAN) {
                CHECK_TRUE(t, others == 0);
            } else if (x[3] == 5) {
                CHECK_TRUE(t, others > 0);
            }
            const int root = noise == NAIK_NOISE_Z2   ? 2
                             : noise == NAIK_NOISE_Z3 ? 3
                             : noise == NAIK_NOISE_Z4 ? 4
                                                      : 0;
            if (root > 0 && x[3] == 5) { /* v^root = 1, and 1 is not all there is */
                const double angle =
                    atan2(v[6 * site + 2 * colour + 1], v[6 * site + 2 * colour]) * root / (2 * pi);
                CHECK_NEAR(t, angle, round(angle), 1e-15 * 8);
                seen |= 1 << ((int)lround(angle) + root) % root;
            }
        }
        int64_t found[4] = {seen & 1, seen >> 1 & 1, seen >> 2 & 1, seen >> 3 & 1};
        CHECK_OK(t, naik_comm_sum_i64(t->comm, found, 4));
        for (int k = 0; k < 4; k++) {
            const int values = noise == NAIK_NOISE_Z2   ? 2
                               : noise == NAIK_NOISE_Z3 ? 3
                               : noise == NAIK_NOISE_Z4 ? 4
                                                        : 0;
            CHECK_TRUE(t, (found[k] > 0) == (k < values));
        }
        /* The mean vanishes: 256 sites of norm 1, four standard deviations. */
        for (int i = 0; i < 6; i++) {
            naik_exactsum total;
            naik_exactsum_clear(&total);
            naik_exactsum_add(&total, sum[i]);
            CHECK_OK(t, naik_comm_sum_exact(t->comm, &total, 1));
            CHECK_NEAR(t, naik_exactsum_value(&total), 0, 4 * 16);
        }
    }
    free(v);
    naik_lattice_destroy(&lat);
}

static void a_random_volume_is_a_random_wall_on_every_slice(check *t)
{
    double *v = NULL, *w = NULL;
    naik_lattice *lat = make_lattice(t, t->comm, &v), *same = make_lattice(t, t->comm, &w);
    CHECK_REQUIRE(t, lat != NULL && same != NULL);
    for (int slice = 0; slice < size[3]; slice++) {
        const naik_source all = {
            .type = NAIK_SOURCE_RANDOM_VOLUME, .noise = NAIK_NOISE_Z4, .seed = 4};
        const naik_source one = {.type = NAIK_SOURCE_RANDOM_WALL,
                                 .origin = {0, 0, 0, slice},
                                 .noise = NAIK_NOISE_Z4,
                                 .seed = 4};
        CHECK_OK(t, naik_source_fill(lat, &all, 2, v));
        CHECK_OK(t, naik_source_fill(lat, &one, 2, w));
        for (int32_t site = 0; site < lat->sites; site++) {
            int x[4];
            coordinates(lat, site, x);
            CHECK_TRUE(t, x[3] != slice || memcmp(v + 6 * site, w + 6 * site, 6 * sizeof *v) == 0);
        }
    }
    free(v);
    free(w);
    naik_lattice_destroy(&lat);
    naik_lattice_destroy(&same);
}

static void a_source_is_cut_down_to_its_subset(check *t)
{
    double *v = NULL;
    naik_lattice *lat = make_lattice(t, t->comm, &v);
    CHECK_REQUIRE(t, lat != NULL);
    for (int subset = NAIK_SUBSET_FULL; subset <= NAIK_SUBSET_CORNER; subset++) {
        const naik_source cut = {.subset = (naik_subset)subset, .corner = {1, 0, 1}};
        for (int64_t i = 0; i < 6 * (int64_t)lat->sites; i++) {
            v[i] = 1;
        }
        naik_source_restrict(lat, &cut, 6, v);
        for (int32_t site = 0; site < lat->sites; site++) {
            naik_source wall = cut;
            int x[4];
            coordinates(lat, site, x);
            wall.type = NAIK_SOURCE_EVENANDODD_WALL;
            wall.origin[3] = x[3];
            CHECK_TRUE(t, v[6 * site + 5] == expected_shape(&wall, x));
        }
    }
    free(v);
    naik_lattice_destroy(&lat);
}

static void noise_depends_on_seed_and_colour(check *t)
{
    double *v[3] = {NULL};
    naik_lattice *lat[3] = {NULL};
    for (int i = 0; i < 3; i++) {
        naik_source s = {.type = NAIK_SOURCE_RANDOM_WALL, .noise = NAIK_NOISE_GAUSSIAN};
        s.seed = i == 1 ? 2 : 1;
        lat[i] = make_lattice(t, t->comm, &v[i]);
        CHECK_REQUIRE(t, lat[i] != NULL);
        CHECK_OK(t, naik_source_fill(lat[i], &s, i == 2 ? 1 : 0, v[i]));
    }
    for (int32_t i = 0; i < 6 * lat[0]->sites; i++) {
        CHECK_TRUE(t, v[0][i] == 0 || (v[0][i] != v[1][i] && v[0][i] != v[2][i]));
    }
    for (int i = 0; i < 3; i++) {
        free(v[i]);
        naik_lattice_destroy(&lat[i]);
    }
}

static void sources_are_the_same_on_every_grid(check *t)
{
    double *v = NULL, *whole = NULL;
    naik_comm *alone = NULL;
    CHECK_OK(t, naik_comm_create_alone(t->log, &alone));
    CHECK_REQUIRE(t, alone != NULL);
    naik_lattice *lat = make_lattice(t, t->comm, &v), *one = make_lattice(t, alone, &whole);
    CHECK_REQUIRE(t, lat != NULL && one != NULL);
    for (int type = NAIK_SOURCE_POINT; type <= NAIK_SOURCE_RANDOM_VOLUME; type++) {
        for (int noise = NAIK_NOISE_Z2; noise <= NAIK_NOISE_Z4 && type != NAIK_SOURCE_FILE;
             noise++) {
            naik_source s = {.type = (naik_source_type)type,
                             .origin = {1, 3, 2, 7},
                             .momentum = {1, 2, -1},
                             .radius = 1.7,
                             .noise = (naik_noise)noise,
                             .seed = 7};
            CHECK_OK(t, naik_source_fill(lat, &s, 1, v));
            CHECK_OK(t, naik_source_fill(one, &s, 1, whole));
            bool same = true;
            for (int32_t site = 0; site < lat->sites; site++) {
                int x[4];
                naik_lattice_coords(lat, site, x);
                int64_t global = naik_lattice_global(lat, x);
                same = same && memcmp(v + 6 * site, whole + 6 * global, 6 * sizeof *v) == 0;
            }
            CHECK_TRUE(t, same);
        }
    }
    free(v);
    free(whole);
    naik_lattice_destroy(&lat);
    naik_lattice_destroy(&one);
    naik_comm_destroy(&alone);
}

/* Corners of the hypercube that carry a number, on the source's time slice or anywhere. */
static unsigned corners_of(const naik_lattice *lat, const double *v)
{
    int64_t count[8] = {0};
    unsigned corners = 0;
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[4];
        coordinates(lat, site, x);
        for (int i = 0; i < 6; i++) {
            count[x[0] % 2 + 2 * (x[1] % 2) + 4 * (x[2] % 2)] += v[6 * (int64_t)site + i] != 0;
        }
    }
    if (naik_comm_sum_i64(lat->comm, count, 8) != NAIK_OK) {
        return 0;
    }
    for (int k = 0; k < 8; k++) {
        corners |= count[k] > 0 ? 1U << k : 0;
    }
    return corners;
}

/* 0 or 1 where a vector is on sites of one parity alone, else -1. */
static int parity_of(const naik_lattice *lat, const double *v)
{
    int64_t count[2] = {0, 0};
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[4];
        coordinates(lat, site, x);
        for (int i = 0; i < 6; i++) {
            count[naik_parity_of(x)] += v[6 * (int64_t)site + i] != 0;
        }
    }
    if (naik_comm_sum_i64(lat->comm, count, 2) != NAIK_OK) {
        return -2;
    }
    return (count[0] > 0) == (count[1] > 0) ? -1 : count[1] > 0;
}

static void corners_are_those_that_carry_the_source(check *t)
{
    double *v = NULL;
    naik_lattice *lat = make_lattice(t, t->comm, &v);
    CHECK_REQUIRE(t, lat != NULL);
    for (int type = 0; type < NAIK_SOURCE_TYPES; type++) {
        const naik_source_kind *kind = naik_source_kind_of((naik_source_type)type);
        const bool cut = (kind->keys & NAIK_SOURCE_KEY_SUBSET) != 0;
        for (int subset = 0; subset <= (cut ? (int)NAIK_SUBSET_CORNER : 0); subset++) {
            for (int t0 = 3; t0 < 5; t0++) {
                const naik_source source = {.type = (naik_source_type)type,
                                            .subset = (naik_subset)subset,
                                            .corner = {1, 0, 1},
                                            .origin = {0, 0, 0, t0}};
                if (kind->made != NAIK_SOURCE_FROM_COORDINATES || type == NAIK_SOURCE_GAUSSIAN) {
                    continue; /* made elsewhere, or counted at its origin alone */
                }
                CHECK_OK(t, naik_source_fill(lat, &source, 1, v));
                CHECK_INT(t, (int)naik_source_corners(&source), (int)corners_of(lat, v));
                CHECK_INT(t, naik_source_parity(&source), parity_of(lat, v));
            }
        }
    }
    for (int odd = 0; odd < 2; odd++) { /* what coordinates leave of noise, and what is not known */
        const naik_source diluted = {.type = NAIK_SOURCE_RANDOM_VOLUME,
                                     .stride = {2, 4, 2, 2},
                                     .offset = {1, 2, 0, odd}},
                          smeared = {.type = NAIK_SOURCE_COVARIANT_GAUSSIAN,
                                     .subset = odd ? NAIK_SUBSET_ODD : NAIK_SUBSET_FULL};
        CHECK_OK(t, naik_source_fill(lat, &diluted, 1, v));
        CHECK_INT(t, naik_source_parity(&diluted), parity_of(lat, v));
        CHECK_INT(t, naik_source_parity(&diluted), 1 - odd);
        CHECK_INT(t, (int)naik_source_corners(&diluted), (int)corners_of(lat, v));
        CHECK_INT(t, (int)naik_source_corners(&diluted), 1 << 1); /* (1, 0, 0) */
        CHECK_INT(t, naik_source_parity(&smeared), odd ? 1 : -1);
    }
    free(v);
    naik_lattice_destroy(&lat);
}

/* Whether a baryon can be summed at a corner of which it needs what the words of baryon.h say. */
static bool has_corner(int baryon, unsigned corners, bool beside, int x, int y, int z)
{
    const int here = x + 2 * y + 4 * z;
    const int neighbour[3] = {(1 - x) + 2 * y + 4 * z, x + 2 * (1 - y) + 4 * z,
                              x + 2 * y + 4 * (1 - z)};
    bool all = true;
    for (int k = 0; k < 3; k++) {
        all = all && (corners >> neighbour[k] & 1) != 0;
    }
    const bool taste = baryon >= (int)NAIK_NUCLEON_TASTE;
    const bool displaced = baryon == (int)NAIK_DELTA || baryon == (int)NAIK_DELTA_COULOMB;
    return (!taste || baryon - (int)NAIK_NUCLEON_TASTE == here) &&
           (displaced && !beside ? all : (corners >> here & 1) != 0);
}

static void baryons_are_summed_at_the_first_corner_that_does(check *t)
{
    for (int baryon = 0; baryon < (int)NAIK_BARYONS; baryon++) {
        for (unsigned corners = 0; corners < 256; corners++) {
            for (int beside = 0; beside < 2; beside++) {
                int found[3] = {-1, -1, -1}, first = 0;
                while (first < 8 && !has_corner(baryon, corners, beside != 0, first % 2,
                                                first / 2 % 2, first / 4)) {
                    first++;
                }
                const bool any = naik_baryon_corner(baryon, corners, beside != 0, found);
                CHECK_TRUE(t, any == (first < 8));
                CHECK_TRUE(t, !any || found[0] + 2 * found[1] + 4 * found[2] == first);
            }
        }
    }
}

static void bad_sources_are_refused(check *t)
{
    double *v = NULL;
    naik_lattice *lat = make_lattice(t, t->comm, &v);
    CHECK_REQUIRE(t, lat != NULL);
    naik_source file = {.type = NAIK_SOURCE_FILE}, outside = {.origin = {0, 4, 0, 0}};
    naik_source aside = {.corner = {0, 2, 0}};
    naik_source narrow = {.type = NAIK_SOURCE_GAUSSIAN, .radius = 0}, good = {.radius = 0};
    CHECK_STATUS(t, naik_source_fill(lat, &file, 0, v), NAIK_ERR_ARG);
    CHECK_STATUS(t, naik_source_fill(lat, &outside, 0, v), NAIK_ERR_ARG);
    CHECK_STATUS(t, naik_source_fill(lat, &aside, 0, v), NAIK_ERR_ARG);
    CHECK_STATUS(t, naik_source_fill(lat, &narrow, 0, v), NAIK_ERR_ARG);
    CHECK_STATUS(t, naik_source_fill(lat, &good, 3, v), NAIK_ERR_ARG);
    CHECK_OK(t, naik_source_fill(lat, &good, 2, v));
    CHECK_TEXT(t, naik_source_name(NAIK_SOURCE_EVENMINUSODD_WALL), "evenminusodd_wall");
    free(v);
    naik_lattice_destroy(&lat);
}

/* The quark's place is its number, the antiquark's 10 more. */
static void a_pair_is_counted_from_the_source_that_knows_its_place(check *t)
{
    static const naik_source point = {.type = NAIK_SOURCE_POINT},
                             sequential = {.type = NAIK_SOURCE_SEQUENTIAL},
                             corner = {.type = NAIK_SOURCE_CORNER_WALL},
                             wall = {.type = NAIK_SOURCE_EVENANDODD_WALL},
                             waves = {.type = NAIK_SOURCE_EVENMINUSODD_WALL},
                             file = {.type = NAIK_SOURCE_FILE};
    static const naik_source *const rank[] = {&point, &sequential, &corner, &wall, &file};
    static const int place[2][NAIK_DIM] = {{1, 2, 3, 4}, {11, 12, 13, 14}};
    static const int *const x0[2] = {place[0], place[1]};
    int out[NAIK_DIM];
    for (int a = 0; a < 5; a++) {
        for (int b = 0; b < 5; b++) {
            const naik_source *const of[2] = {rank[a], rank[b]};
            naik_source_begin(of, x0, 2, true, out);
            CHECK_INT(t, out[0], place[b < a][0]);
            CHECK_INT(t, out[3], place[b < a][3]);
        }
    }
    /* the sign of one of two counts from the lattice's origin; that of both cancels; spinors have none */
    for (int k = 0; k < 4; k++) {
        const naik_source *const of[2] = {&waves, k == 1 ? &waves : &point};
        naik_source_begin(of, x0, k == 2 ? 1 : 2, k != 3, out);
        CHECK_INT(t, out[1], k == 0 ? 0 : k == 3 ? place[1][1] : place[0][1]);
    }
}

CHECK_MAIN(CHECK(sources_have_their_shape_and_momentum),
           CHECK(a_pair_is_counted_from_the_source_that_knows_its_place),
           CHECK(a_part_holds_all_of_a_source), CHECK(random_walls_are_noise_on_one_slice),
           CHECK(a_random_volume_is_a_random_wall_on_every_slice),
           CHECK(a_source_is_cut_down_to_its_subset), CHECK(noise_depends_on_seed_and_colour),
           CHECK(sources_are_the_same_on_every_grid),
           CHECK(corners_are_those_that_carry_the_source),
           CHECK_UP_TO(1, baryons_are_summed_at_the_first_corner_that_does),
           CHECK(bad_sources_are_refused))
