/* test_wilson_variants.c - all that a GPU's tuner may choose between for Wilson's D: equal bits
 *
 * ranks: 1 2
 */
#include <stdlib.h>
#include <string.h>

#include "wilson_fixture.h"

enum { MOST = 24, WIDEST = 6, FIRST = 70 /* seed */ };

/* Every variant of any number of rhs against the first, sites in their order, of each rhs alone. */
static void compare_variants(check *t, const wilson_fixture *f, const wilson_storage *s)
{
    static const int widths[] = {1, 2, 4, WIDEST};
    const size_t bytes = (size_t)f->lat->volume * sizeof(wilson_spinor);
    wilson_spinor *alone[WIDEST], *got[WIDEST];
    naik_wilson *wilson = NULL;
    CHECK_OK(t, naik_wilson_create(f->geometry, f->u, NULL, f->mass, f->twisted_mass, s->links,
                                   s->recon, &wilson));
    f->backend->choices.variant = 1;
    for (int c = 0; c < WIDEST; c++) {
        alone[c] = wilson_ref_field(f->lat->volume);
        got[c] = wilson_ref_field(f->lat->volume);
        wilson_fixture_hops(t, f, wilson, s->vectors, FIRST + (uint64_t)c, 1, &alone[c]);
        CHECK_TRUE(t, memcmp(alone[c], got[c], bytes) != 0);
    }
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        for (int v = 1; v <= MOST && !t->failed; v++) {
            f->backend->choices.variant = v;
            wilson_fixture_hops(t, f, wilson, s->vectors, FIRST, widths[w], got);
            for (int c = 0; c < widths[w]; c++) {
                CHECK_TRUE(t, memcmp(alone[c], got[c], bytes) == 0);
            }
        }
    }
    for (int c = 0; c < WIDEST; c++) {
        free(alone[c]);
        free(got[c]);
    }
    naik_wilson_destroy(&wilson);
}

static void every_variant_gives_the_same_bits(check *t)
{
    static const wilson_storage storages[] = {{NAIK_DOUBLE, NAIK_DOUBLE, 18, 0},
                                              {NAIK_SINGLE, NAIK_SINGLE, 18, 0},
                                              {NAIK_HALF, NAIK_HALF, 12, 0}};
    /* tiles need whole rows of 32 sites; of a box that is split in time its interior has them */
    const int size[4] = {16, 8, 4, t->comm->size == 1 ? 4 : 20};
    const int grid[4] = {1, 1, 1, t->comm->size};
    if (strcmp(fixture_backend_name(), "gpu") != 0) {
        CHECK_SKIP(t, "a GPU has variants to choose between");
    }
    wilson_fixture f;
    if (wilson_fixture_create(t, size, grid, false, 0, 0.3, 0, false, &f)) {
        for (size_t i = 0; i < sizeof storages / sizeof *storages; i++) {
            compare_variants(t, &f, &storages[i]);
        }
    }
    wilson_fixture_destroy(&f);
}

CHECK_MAIN(CHECK(every_variant_gives_the_same_bits))
