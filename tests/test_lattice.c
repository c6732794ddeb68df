/* test_lattice.c - who sits where: parities, hops, halo zones, grids, extents */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "comm/collective.h"
#include "naik/lattice.h"

static const int size[4] = {8, 4, 12, 8};

/* Fills a checkerboard array of global site numbers with its halo by pure arithmetic. */
static int64_t global_after(const naik_lattice *lat, const int x[4], int mu, int step)
{
    int64_t site = 0;
    for (int nu = 3; nu >= 0; nu--) {
        int c = lat->origin[nu] + x[nu] + (nu == mu ? step : 0);
        c = (c % lat->size[nu] + lat->size[nu]) % lat->size[nu];
        site = site * lat->size[nu] + c;
    }
    return site;
}

static void hops_lead_to_the_right_sites(check *t)
{
    naik_lattice *lat = NULL;
    CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &lat));
    CHECK_REQUIRE(t, lat != NULL);
    static const int step[4] = {1, -1, 3, -3};
    for (int parity = 0; parity < 2; parity++) {
        /* The array of the other parity: box sites, then zones filled by their definition. */
        int64_t *number = malloc((size_t)(lat->volume_cb + lat->halo) * sizeof *number);
        for (int32_t cb = 0; cb < lat->volume_cb; cb++) {
            int x[4];
            naik_lattice_coords(lat, naik_lattice_site_of(lat, (naik_parity)!parity, cb), x);
            CHECK_INT(t, naik_parity_of(x), !parity);
            CHECK_INT(t, naik_lattice_site(lat, x) / 2, cb);
            number[cb] = naik_lattice_global(lat, x);
            for (int mu = 0; mu < 4; mu++) {
                if (!lat->split[mu]) {
                    continue;
                }
                /* a layer site sits at the same layer number in every layer; depth d has parity
                 * shifted by d */
                int32_t layer = 0;
                for (int nu = 3; nu >= 0; nu--) {
                    layer = nu == mu ? layer : layer * lat->local[nu] + x[nu];
                }
                for (int depth = 0; depth < 3; depth++) {
                    if (x[mu] == depth) {
                        int behind[4] = {x[0], x[1], x[2], x[3]};
                        behind[mu] = depth; /* seen one box ahead */
                        number[lat->zone[mu][NAIK_FORWARD] + depth * lat->face[mu] + layer / 2] =
                            global_after(lat, behind, mu, lat->local[mu]);
                    }
                    if (x[mu] == lat->local[mu] - 1 - depth) {
                        number[lat->zone[mu][NAIK_BACKWARD] + depth * lat->face[mu] + layer / 2] =
                            global_after(lat, x, mu, -lat->local[mu]);
                    }
                }
            }
        }
        int32_t inside = 0, outside = 0;
        for (int32_t cb = 0; cb < lat->volume_cb; cb++) {
            int x[4];
            naik_lattice_coords(lat, naik_lattice_site_of(lat, (naik_parity)parity, cb), x);
            bool interior = true;
            for (int k = 0; k < NAIK_STENCIL; k++) {
                int32_t target = lat->neighbour[parity][(int64_t)cb * NAIK_STENCIL + k];
                CHECK_REQUIRE(t, target >= 0 && target < lat->volume_cb + lat->halo);
                CHECK_INT(t, number[target], global_after(lat, x, k % 4, step[k / 4]));
                interior = interior && target < lat->volume_cb;
            }
            if (interior) {
                CHECK_INT(t, lat->interior[parity][inside++], cb);
            } else {
                CHECK_INT(t, lat->boundary[parity][outside++], cb);
            }
        }
        CHECK_INT(t, lat->interior_count[parity], inside);
        CHECK_INT(t, lat->boundary_count[parity], outside);
        free(number);
    }
    naik_lattice_destroy(&lat);
    CHECK_TRUE(t, lat == NULL);
}

static void bad_lattices_are_refused_with_a_sentence(check *t)
{
    naik_lattice *lat = NULL;
    const int odd[4] = {8, 8, 7, 8}, grid[4] = {t->comm->size, 2, 1, 1}, narrow[4] = {2, 2, 2, 2};
    CHECK_INT(t, naik_lattice_create(t->comm, odd, NULL, &lat), NAIK_ERR_INPUT);
    CHECK_TEXT(t, naik_log_message(t->log),
               "lattice extent 7 in direction z must be even and between 2 and 32768");
    naik_log_clear(t->log);
    CHECK_STATUS(t, naik_lattice_create(t->comm, size, grid, &lat), NAIK_ERR_INPUT);
    if (t->comm->size > 1) {
        CHECK_INT(t, naik_lattice_create(t->comm, narrow, NULL, &lat), NAIK_ERR_INPUT);
        CHECK_TRUE(t,
                   strstr(naik_log_message(t->log), "use 1 ranks, for example as 1x1x1x1") != NULL);
    }
}

/* Of 2x2xZx2, on one rank; beyond them more sites than a table of neighbours can number. */
static void extents_are_even_and_have_an_end(check *t)
{
    static const int extents[] = {2, 4, 32766, 32768, -2, 0, 1, 3, 32767, 32769, 32770};
    const int far[4] = {32768, 1024, 2, 2};
    naik_lattice *lat = NULL;
    naik_comm *one = NULL;
    CHECK_OK(t, naik_comm_create_alone(t->log, &one));
    for (int i = 0; i < 11; i++) {
        const int long_one[4] = {2, 2, extents[i], 2};
        CHECK_STATUS(t, naik_lattice_create(one, long_one, NULL, &lat),
                     i < 4 ? NAIK_OK : NAIK_ERR_INPUT);
        CHECK_INT(t, lat != NULL ? lat->sites : 0, i < 4 ? 8 * extents[i] : 0);
        naik_lattice_destroy(&lat);
    }
    CHECK_INT(t, naik_lattice_create(one, far, NULL, &lat), NAIK_ERR_INPUT);
    CHECK_TEXT(t, naik_log_message(t->log),
               "a box of 134217728 sites a rank is too large: use more ranks");
    naik_log_clear(t->log);
    naik_comm_destroy(&one);
}

CHECK_MAIN(CHECK_UP_TO(1, extents_are_even_and_have_an_end), CHECK(hops_lead_to_the_right_sites),
           CHECK(bad_lattices_are_refused_with_a_sentence))
