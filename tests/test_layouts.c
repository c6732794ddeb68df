/* test_layouts.c - every way in which the CPU may cut a box into lanes, with every set of split directions
 *
 * The rule of backend/cpu/layout.c decides by the extents of a box and by which directions are split
 * over ranks; most of its choices need many ranks. Here one rank is its own neighbour in all split
 * directions: what it sends arrives at its other side, so that D must have the bits that it has in the box
 * without a split.
 *
 * ranks: 1
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu.h"
#include "backend/create.h"
#include "backend/dslash.h"
#include "backend/halo.h"
#include "dslash_ref.h"
#include "fixture.h"

/* Extents of boxes; the longest is cut into all lanes and still has a halo from the next sub-lattice. */
static const int extents[] = {2, 4, 6, 8, 12, 16, 24, 32, 48, 64};
enum { EXTENTS = sizeof extents / sizeof *extents, BOXES = EXTENTS * EXTENTS * EXTENTS * EXTENTS };
enum { SPLITS = 1 << NAIK_DIM, LAYOUTS = 8192 };

/* Which sets of directions are split, and into how many sub-lattices each is cut. In the long run also
 * which sub-lattices are shorter than a hop of three sites. */
typedef struct layout {
    int key, box[NAIK_DIM], split;
    int64_t sites;
} layout;

/* The lattice as it would be, were the directions of `split` shared with neighbours who are oneself. */
static naik_lattice folded(const naik_lattice *lat, int split)
{
    naik_lattice out = *lat;
    out.halo = 0;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        out.split[mu] = (split >> mu & 1) != 0;
        for (int side = 0; side < 2; side++) {
            out.zone[mu][side] = out.split[mu] ? out.volume_cb + out.halo : -1;
            out.halo += out.split[mu] ? NAIK_HALO_DEPTH * out.face[mu] : 0;
        }
    }
    return out;
}

static bool box_of(int code, int split, naik_lattice *lat)
{
    bool possible = true;
    *lat = (naik_lattice){.sites = 1};
    for (int mu = 0; mu < NAIK_DIM; mu++, code /= EXTENTS) {
        lat->local[mu] = extents[code % EXTENTS];
        lat->split[mu] = (split >> mu & 1) != 0;
        lat->sites *= lat->local[mu];
        possible = possible && (!lat->split[mu] || lat->local[mu] >= 4);
    }
    lat->volume_cb = lat->sites / 2;
    return possible;
}

static int key_of(const cpu_shape *shape, int split, bool finely)
{
    int key = split;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        key = 10 * key;
        for (int cut = shape->cut[mu]; cut > 1; cut /= 2) {
            key += 2;
        }
        key += finely && shape->extent[mu] < NAIK_HALO_DEPTH ? 1 : 0;
    }
    return key;
}

/* The smallest box of each layout, by box. */
static int by_box(const void *a, const void *b)
{
    const layout *one = a, *other = b;
    const int order = memcmp(one->box, other->box, sizeof one->box);
    return order != 0 ? order : (one->split > other->split) - (one->split < other->split);
}
static int list_layouts(bool finely, layout *list)
{
    int count = 0;
    for (int code = 0; code < BOXES * SPLITS; code++) {
        naik_lattice lat;
        const int split = code % SPLITS;
        int at = 0;
        if (!box_of(code / SPLITS, split, &lat)) {
            continue;
        }
        const cpu_shape shape = cpu_shape_of(&lat);
        const int key = key_of(&shape, split, finely);
        while (at < count && list[at].key != key) {
            at++;
        }
        if (at == count || lat.sites < list[at].sites) {
            list[at] = (layout){.key = key, .split = split, .sites = lat.sites};
            memcpy(list[at].box, lat.local, sizeof list[at].box);
            count += at == count;
        }
    }
    qsort(list, (size_t)count, sizeof *list, by_box);
    return count;
}

/* What is stored how, as staggered quarks and as Wilson quarks. */
static const struct storage {
    naik_precision precision;
    int nrhs;
} storages[] = {{NAIK_DOUBLE, 1}, {NAIK_HALF, 2}};
enum { RESULTS = 2 * sizeof storages / sizeof *storages };

static void apply(check *t, const naik_links *links, const struct storage *s, int spin,
                  const double *in, double *out)
{
    const naik_field_ops *ops = &links->geometry->backend->ops->field;
    naik_field *from = NULL, *to = NULL;
    CHECK_OK(t, naik_field_create_spin(links->geometry, s->precision, spin, s->nrhs, &from));
    CHECK_OK(t, naik_field_create_spin(links->geometry, s->precision, spin, s->nrhs, &to));
    for (int parity = 0; parity < 2 && to != NULL; parity++) {
        CHECK_OK(t, ops->from_host(from, (naik_parity)!parity, s->nrhs - 1, in));
        const naik_dslash_args args = {.form = NAIK_FORM_D,
                                       .parity = (naik_parity)parity,
                                       .links = links,
                                       .in = from,
                                       .out = to,
                                       .dagger = spin > 1 && parity == 1};
        CHECK_OK(t, naik_dslash(&args));
        CHECK_OK(t, ops->to_host(to, (naik_parity)parity, s->nrhs - 1, out));
    }
    naik_field_destroy(&from);
    naik_field_destroy(&to);
}

/* The box, random vectors and spinors, and what D makes of them without a split. */
typedef struct whole {
    naik_lattice *lat;
    naik_geometry *geometry;
    naik_fatlong links;
    double *in[2];       /* [sites][spin][3][2]: vectors, spinors */
    double *of[RESULTS]; /* of each storage the two */
} whole;

static naik_links *links_of(check *t, const whole *w, const naik_geometry *geometry, int result)
{
    const naik_fatlong thin = {.fat = w->links.fat};
    naik_links *links = NULL;
    CHECK_OK(t, naik_links_create(geometry, result % 2 == 0 ? &w->links : &thin,
                                  storages[result / 2].precision, 18, &links));
    return links;
}

static void apply_links(check *t, const whole *w, const naik_links *links, int result, double *out)
{
    apply(t, links, &storages[result / 2], result % 2 == 0 ? 1 : NAIK_SPIN, w->in[result % 2], out);
}

static size_t result_bytes(const whole *w, int i)
{
    return (i % 2 == 0 ? 1 : NAIK_SPIN) * naik_lattice_vector_bytes(w->lat);
}

/* Numbers between -1 and 1, quickly. */
static void fill(double *numbers, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        numbers[i] = (double)(seed >> 11) / (double)(UINT64_C(1) << 52) - 1;
    }
}

static void check_against_reference(check *t, const whole *w)
{
    const size_t bytes = naik_lattice_vector_bytes(w->lat);
    double *expected = calloc(1, bytes), worst = 0, largest = 0;
    CHECK_OK(t, naik_dslash_ref(&w->links, w->in[0], expected));
    for (size_t i = 0; i < bytes / sizeof(double); i++) {
        worst = naik_worst(worst, fabs(w->of[0][i] - expected[i]));
        largest = naik_worst(largest, fabs(expected[i]));
    }
    CHECK_NEAR(t, worst / largest, 0, 1e-14);
    free(expected);
}

static bool whole_create(check *t, naik_backend *backend, const int box[NAIK_DIM], whole *w)
{
    *w = (whole){.lat = NULL};
    if (!CHECK_OK(t, naik_lattice_create(backend->comm, box, NULL, &w->lat)) ||
        !CHECK_OK(t, naik_geometry_create(backend, w->lat, &w->geometry)) ||
        !CHECK_OK(t, naik_gauge_create(w->lat, &w->links.fat)) ||
        !CHECK_OK(t, naik_gauge_create(w->lat, &w->links.long_links))) {
        return false;
    }
    w->links.long_scale = 1;
    fill((double *)w->links.fat->link, 18 * NAIK_DIM * (size_t)w->lat->sites, 1);
    fill((double *)w->links.long_links->link, 18 * NAIK_DIM * (size_t)w->lat->sites, 2);
    for (int i = 0; i < RESULTS; i++) {
        w->of[i] = calloc(1, result_bytes(w, i));
    }
    for (int i = 0; i < 2; i++) {
        w->in[i] = malloc(result_bytes(w, i));
        fill(w->in[i], result_bytes(w, i) / sizeof(double), 3);
    }
    for (int i = 0; i < RESULTS; i++) {
        naik_links *links = links_of(t, w, w->geometry, i);
        apply_links(t, w, links, i, w->of[i]);
        naik_links_destroy(&links);
    }
    check_against_reference(t, w);
    return true;
}

static void whole_destroy(whole *w)
{
    for (int i = 0; i < RESULTS; i++) {
        free(w->of[i]);
    }
    free(w->in[0]);
    free(w->in[1]);
    naik_gauge_destroy(&w->links.fat);
    naik_gauge_destroy(&w->links.long_links);
    naik_geometry_destroy(&w->geometry);
    naik_lattice_destroy(&w->lat);
}

/* The kernels of this machine for the number of lanes; NULL-terminated. */
static void kernels_here(int lanes, const cpu_kernels *found[6])
{
    static const cpu_kernels *const all[] = {
        &cpu_kernels_scalar,
        &cpu_kernels_portable,
#if defined(__x86_64__)
        &cpu_kernels_scalar_fma,
        &cpu_kernels_avx2,
        &cpu_kernels_avx512
#endif
    };
    int count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const bool scalar = strncmp(all[i]->name, "scalar", 6) == 0;
        if (scalar == (lanes == 1) && all[i]->run_here()) {
            found[count++] = all[i];
        }
    }
    found[count] = NULL;
}

/* A result in the box with the directions split, by every instruction set. */
static void compare(check *t, const whole *w, const naik_geometry *geometry, int result)
{
    const cpu_shape *shape = &cpu_tables_of(geometry)->shape;
    const int *box = geometry->lattice->local, *cut = shape->cut;
    cpu_state *state = geometry->backend->state;
    const cpu_state chosen = *state;
    const cpu_kernels *kernels[6];
    naik_links *links = links_of(t, w, geometry, result);
    double *of = calloc(1, result_bytes(w, result));
    kernels_here(shape->lanes, kernels);
    for (int k = 0; kernels[k] != NULL; k++) {
        state->kernels = state->scalar = kernels[k];
        memset(of, 0, result_bytes(w, result));
        apply_links(t, w, links, result, of);
        if (!CHECK_TRUE(t, memcmp(of, w->of[result], result_bytes(w, result)) == 0)) {
            fprintf(stderr, "    box %dx%dx%dx%d, cut %dx%dx%dx%d, %s, result %d\n", box[0], box[1],
                    box[2], box[3], cut[0], cut[1], cut[2], cut[3], kernels[k]->name, result);
        }
    }
    *state = chosen;
    free(of);
    naik_links_destroy(&links);
}

/* One result in the short run. */
static void compare_layout(check *t, const whole *w, int split, int turn, bool all)
{
    const naik_lattice lat = folded(w->lat, split);
    naik_geometry *geometry = NULL;
    CHECK_REQUIRE(t, naik_geometry_create(w->geometry->backend, &lat, &geometry) == NAIK_OK);
    for (int i = 0; i < RESULTS; i++) {
        if (all || i == turn) {
            compare(t, w, geometry, i);
        }
    }
    naik_geometry_destroy(&geometry);
}

static void every_layout_gives_the_bits_of_a_box_that_is_not_split(check *t)
{
    const bool finely = getenv("NAIK_TEST_LONG") != NULL;
    if (strcmp(fixture_backend_name(), "cpu") != 0) {
        CHECK_SKIP(t, "lanes are the CPU's");
    }
    layout *list = calloc(LAYOUTS, sizeof *list);
    const int count = list_layouts(finely, list);
    CHECK_TRUE(t, count < LAYOUTS);
    naik_backend *backend = NULL;
    const naik_backend_options options = {.threads = 1, .tune_cache = "none"};
    CHECK_REQUIRE(t, naik_backend_create(t->comm, "cpu", &options, &backend) == NAIK_OK);
    uint32_t turn = 1;
    for (int i = 0; i < count && !t->failed;) {
        whole w;
        const int first = i;
        const bool made = whole_create(t, backend, list[first].box, &w);
        while (i < count && memcmp(list[i].box, list[first].box, sizeof list[i].box) == 0) {
            if (made) {
                turn = 1664525 * turn + 1013904223;
                compare_layout(t, &w, list[i].split, (int)(turn >> 30), finely);
            }
            i++;
        }
        whole_destroy(&w);
    }
    naik_backend_destroy(&backend);
    free(list);
}

/* What the list above is made of has all that the rule can do to a direction. */
static void the_boxes_that_are_tried_have_every_cut(check *t)
{
    layout *list = calloc(LAYOUTS, sizeof *list);
    bool tried[NAIK_DIM][2][CPU_LANES + 1] = {{{false}}}, uncut[SPLITS] = {false};
    const int count = list_layouts(false, list);
    for (int i = 0; i < count; i++) {
        naik_lattice lat = {.sites = (int32_t)list[i].sites,
                            .volume_cb = (int32_t)list[i].sites / 2};
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            lat.local[mu] = list[i].box[mu];
            lat.split[mu] = (list[i].split >> mu & 1) != 0;
        }
        const cpu_shape shape = cpu_shape_of(&lat);
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            tried[mu][lat.split[mu]][shape.cut[mu]] = true;
        }
        uncut[list[i].split] = uncut[list[i].split] || shape.lanes == 1;
    }
    for (int split = 0; split < SPLITS; split++) {
        CHECK_TRUE(t, uncut[split]);
    }
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        for (int cut = 1; cut <= CPU_LANES; cut *= 2) {
            CHECK_TRUE(t, tried[mu][0][cut]);
            CHECK_TRUE(t, tried[mu][1][cut]);
        }
    }
    free(list);
}

CHECK_MAIN(CHECK(every_layout_gives_the_bits_of_a_box_that_is_not_split),
           CHECK(the_boxes_that_are_tried_have_every_cut))
