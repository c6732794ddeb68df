/* test_wilson_hops.c - the hops of Wilson's D one by one, as the setup of multigrid takes them
 *
 * ranks: 1 2 4
 */
#include <complex.h>
#include <stdlib.h>

#include "wilson_fixture.h"

static const int size[4] = {8, 4, 4, 16};
static const int recons[] = {18, 12, 8};
enum { RECONS = sizeof recons / sizeof *recons, NRHS = 3, POINTS = 8, PLANE = 2 };

/* Of the hop `hop` (0: all) onto even sites, of rhs 1 of `in`. */
static wilson_spinor *hopped(check *t, const wilson_fixture *f, const naik_wilson *wilson,
                             const naik_field *in, int hop)
{
    naik_field *out = wilson_fixture_zero(t, f, NAIK_SINGLE, NRHS);
    wilson_spinor *whole = wilson_ref_field(f->lat->volume);
    const naik_dslash_args args = {.form = NAIK_FORM_D,
                                   .parity = NAIK_EVEN,
                                   .links = wilson->links,
                                   .in = in,
                                   .out = out,
                                   .hop = hop};
    CHECK_OK(t, naik_dslash(&args));
    wilson_fixture_take(t, f, out, NAIK_EVEN, 1, whole);
    naik_field_destroy(&out);
    return whole;
}

/* What this rank has of it off the plane x_mu = `plane`. */
static double off_plane(const wilson_fixture *f, const wilson_spinor *v, int mu, int plane)
{
    double sum = 0;
    for (int32_t site = 0; site < f->lat->sites; site++) {
        int x[4];
        naik_lattice_coords(f->lat, site, x);
        const int64_t at = naik_lattice_global(f->lat, x);
        const int here = (x[mu] + f->lat->origin[mu]) % size[mu];
        for (int i = 0; i < 12 && here != plane; i++) {
            sum += cabs(v[at][i / 3][i % 3]);
        }
    }
    return sum;
}

static void compare(check *t, const wilson_fixture *f, const naik_wilson *wilson)
{
    const int64_t volume = f->lat->volume;
    naik_field *in = wilson_fixture_field(t, f, NAIK_SINGLE, NRHS, 60, NAIK_ODD);
    wilson_spinor *all = hopped(t, f, wilson, in, 0), *sum = wilson_ref_field(volume);
    for (int k = 0; k < POINTS; k++) {
        wilson_spinor *one = hopped(t, f, wilson, in, 1 + k);
        for (int64_t i = 0; i < volume * 12; i++) {
            sum[i / 12][i % 12 / 3][i % 3] += one[i / 12][i % 12 / 3][i % 3];
        }
        free(one);
    }
    CHECK_NEAR(t, wilson_fixture_difference(f, sum, all, NAIK_EVEN), 0, 1e-6);
    naik_field_destroy(&in);
    free(all);
    free(sum);
}

/* A source on a plane goes one plane back by a forward hop, and one on by a backward hop. */
static void follow(check *t, const wilson_fixture *f, const naik_wilson *wilson)
{
    for (int k = 0; k < POINTS; k++) {
        const int mu = k % 4, to = (PLANE + (k < 4 ? size[mu] - 1 : 1)) % size[mu];
        naik_field *in = wilson_fixture_zero(t, f, NAIK_SINGLE, NRHS);
        wilson_spinor *v = wilson_fixture_random(f, 70);
        for (int64_t site = 0; site < f->lat->volume; site++) {
            const int64_t before = mu == 0   ? 1
                                   : mu == 1 ? size[0]
                                   : mu == 2 ? size[0] * size[1]
                                             : size[0] * size[1] * size[2];
            for (int i = 0; i < 12 && site / before % size[mu] != PLANE; i++) {
                v[site][i / 3][i % 3] = 0;
            }
        }
        wilson_fixture_put(t, f, v, NAIK_ODD, in, 1);
        wilson_spinor *one = hopped(t, f, wilson, in, 1 + k);
        CHECK_NEAR(t, off_plane(f, one, mu, to), 0, 0);
        naik_field_destroy(&in);
        free(one);
        free(v);
    }
}

static void hops_on_grid(check *t, const int extents[4], const int grid[4])
{
    wilson_fixture f;
    if (wilson_fixture_create(t, extents, grid, false, 0, 0.3, 0, false, &f)) {
        for (int r = 0; r < RECONS; r++) {
            naik_wilson *wilson = NULL;
            CHECK_OK(t, naik_wilson_create(f.geometry, f.u, NULL, f.mass, 0, NAIK_SINGLE, recons[r],
                                           &wilson));
            compare(t, &f, wilson);
            if (r == 0) {
                follow(t, &f, wilson);
            }
            naik_wilson_destroy(&wilson);
        }
        wilson_fixture_destroy(&f);
    }
}

static void hops_add_up_to_D_and_go_where_their_points_are(check *t)
{
    fixture_for_grids(t, size, 4, hops_on_grid);
}

CHECK_MAIN(CHECK(hops_add_up_to_D_and_go_where_their_points_are))
