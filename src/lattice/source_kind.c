/* source_kind.c - the types of sources: their words, their rows, and the shapes that coordinates make */
#include "lattice/source_kind.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

const char *const naik_source_words[] = {[NAIK_SOURCE_POINT] = "point",
                                         [NAIK_SOURCE_CORNER_WALL] = "corner_wall",
                                         [NAIK_SOURCE_EVEN_WALL] = "even_wall",
                                         [NAIK_SOURCE_EVENANDODD_WALL] = "evenandodd_wall",
                                         [NAIK_SOURCE_EVENMINUSODD_WALL] = "evenminusodd_wall",
                                         [NAIK_SOURCE_GAUSSIAN] = "gaussian",
                                         [NAIK_SOURCE_RANDOM_WALL] = "random_wall",
                                         [NAIK_SOURCE_FILE] = "file",
                                         [NAIK_SOURCE_RANDOM_VOLUME] = "random_volume",
                                         [NAIK_SOURCE_COVARIANT_GAUSSIAN] = "covariant_gaussian",
                                         [NAIK_SOURCE_SEQUENTIAL] = "sequential",
                                         [NAIK_SOURCE_FUNNYWALL1] = "funnywall1",
                                         [NAIK_SOURCE_FUNNYWALL2] = "funnywall2",
                                         [NAIK_SOURCE_TYPES] = NULL};

const char *const naik_source_keys[] = {
    "origin",       "t0",        "momentum",   "propagator", "mass",    "kappa",
    "naik_epsilon", "insertion", "seed",       "noise",      "radius",  "iterations",
    "subset",       "file",      "spin_taste", "dilution",   "spacing", "hits"};

/* Square of the shortest distance to the origin within the time slice. */
static double distance_squared(const naik_lattice *lat, const naik_source *source,
                               const int x[NAIK_DIM])
{
    double r2 = 0;
    for (int k = 0; k < NAIK_DIM - 1; k++) {
        int d = x[k] > source->origin[k] ? x[k] - source->origin[k] : source->origin[k] - x[k];
        d = 2 * d > lat->size[k] ? lat->size[k] - d : d;
        r2 += (double)d * d;
    }
    return r2;
}

static double point(const naik_lattice *lat, const naik_source *source, const int x[NAIK_DIM])
{
    (void)lat;
    return memcmp(x, source->origin, sizeof source->origin) == 0 ? 1 : 0;
}

static double gaussian(const naik_lattice *lat, const naik_source *source, const int x[NAIK_DIM])
{
    return exp(-distance_squared(lat, source, x) / (source->radius * source->radius));
}

static double one_corner(const naik_lattice *lat, const naik_source *source, const int x[NAIK_DIM])
{
    (void)lat;
    return naik_source_at_corner(source, x) ? 1 : 0;
}

static double even(const naik_lattice *lat, const naik_source *source, const int x[NAIK_DIM])
{
    (void)lat;
    (void)source;
    return naik_parity_of(x) != 0 ? 0 : 1;
}

static double alternating(const naik_lattice *lat, const naik_source *source, const int x[NAIK_DIM])
{
    (void)lat;
    (void)source;
    return naik_parity_of(x) != 0 ? -1 : 1;
}

static void say_noise(const naik_source *source, int hops, char *text, size_t text_size)
{
    static const char *const noise[] = {[NAIK_NOISE_Z2] = "Z2",
                                        [NAIK_NOISE_U1] = "U(1)",
                                        [NAIK_NOISE_GAUSSIAN] = "gaussian, normalised",
                                        [NAIK_NOISE_Z3] = "Z3",
                                        [NAIK_NOISE_Z4] = "Z4"};
    (void)hops;
    snprintf(text, text_size, "noise %s", noise[source->noise]);
}

static void say_radius(const naik_source *source, int hops, char *text, size_t text_size)
{
    (void)hops;
    snprintf(text, text_size, "radius %.17g", source->radius);
}

static void say_smearing(const naik_source *source, int hops, char *text, size_t text_size)
{
    snprintf(text, text_size, "covariant, radius %.17g, %d iterations, hops of %d", source->radius,
             source->iterations, hops);
}

enum {
    ORIGIN = NAIK_SOURCE_KEY_ORIGIN,
    T0 = NAIK_SOURCE_KEY_T0,
    MOMENTUM = NAIK_SOURCE_KEY_MOMENTUM,
    SEED = NAIK_SOURCE_KEY_SEED,
    NOISE = NAIK_SOURCE_KEY_NOISE,
    RADIUS = NAIK_SOURCE_KEY_RADIUS,
    ITERATIONS = NAIK_SOURCE_KEY_ITERATIONS,
    SUBSET = NAIK_SOURCE_KEY_SUBSET,
    FROM_FILE = NAIK_SOURCE_KEY_FILE,
    OPERATOR = NAIK_SOURCE_KEY_SPIN_TASTE,
    DILUTION = NAIK_SOURCE_KEY_DILUTION | NAIK_SOURCE_KEY_SPACING | NAIK_SOURCE_KEY_HITS,
    /* which propagator, and the operator on it */
    PROPAGATOR = FROM_FILE | NAIK_SOURCE_KEY_PROPAGATOR | NAIK_SOURCE_KEY_INSERTION,
    QUARK = NAIK_SOURCE_KEY_MASS | NAIK_SOURCE_KEY_KAPPA | NAIK_SOURCE_KEY_EPSILON
};

static const char one_slice[] = "one time slice";

static const naik_source_kind kinds[NAIK_SOURCE_TYPES] = {
    [NAIK_SOURCE_POINT] = {.place = NAIK_SOURCE_AT_SITE,
                           .keys = ORIGIN | OPERATOR,
                           .required = ORIGIN,
                           .where = "one site",
                           .shape = point},
    [NAIK_SOURCE_CORNER_WALL] = {.place = NAIK_SOURCE_ON_SLICE,
                                 .keys = T0 | MOMENTUM | OPERATOR,
                                 .required = T0,
                                 .corner = true,
                                 .coulomb = true,
                                 .where = one_slice,
                                 .shape = one_corner},
    [NAIK_SOURCE_EVEN_WALL] = {.place = NAIK_SOURCE_ON_SLICE,
                               .keys = T0 | MOMENTUM | OPERATOR,
                               .required = T0,
                               .coulomb = true,
                               .where = "even sites of one time slice",
                               .shape = even},
    [NAIK_SOURCE_EVENANDODD_WALL] = {.place = NAIK_SOURCE_ON_SLICE,
                                     .keys = T0 | MOMENTUM | SUBSET | OPERATOR,
                                     .required = T0,
                                     .coulomb = true,
                                     .where = one_slice},
    [NAIK_SOURCE_EVENMINUSODD_WALL] = {.place = NAIK_SOURCE_ON_SLICE,
                                       .keys = T0 | MOMENTUM | SUBSET | OPERATOR,
                                       .required = T0,
                                       .alternates = true,
                                       .coulomb = true,
                                       .where = one_slice,
                                       .shape = alternating},
    [NAIK_SOURCE_GAUSSIAN] = {.place = NAIK_SOURCE_AT_SITE,
                              .keys = ORIGIN | MOMENTUM | RADIUS | SUBSET | OPERATOR,
                              .required = ORIGIN | RADIUS,
                              .coulomb = true,
                              .where = one_slice,
                              .shape = gaussian,
                              .say = say_radius},
    [NAIK_SOURCE_RANDOM_WALL] = {.place = NAIK_SOURCE_ON_SLICE,
                                 .keys =
                                     T0 | MOMENTUM | SEED | NOISE | SUBSET | OPERATOR | DILUTION,
                                 .required = T0 | SEED,
                                 .random = true,
                                 .where = one_slice,
                                 .say = say_noise},
    [NAIK_SOURCE_RANDOM_VOLUME] = {.place = NAIK_SOURCE_ON_LATTICE,
                                   .keys = SEED | NOISE | SUBSET | OPERATOR | DILUTION,
                                   .required = SEED,
                                   .random = true,
                                   .where = "the whole lattice",
                                   .say = say_noise},
    [NAIK_SOURCE_COVARIANT_GAUSSIAN] = {.made = NAIK_SOURCE_SMEARED,
                                        .place = NAIK_SOURCE_AT_SITE,
                                        .keys = ORIGIN | MOMENTUM | RADIUS | ITERATIONS | OPERATOR,
                                        .required = ORIGIN | RADIUS | ITERATIONS,
                                        .where = one_slice,
                                        .say = say_smearing},
    [NAIK_SOURCE_FUNNYWALL1] = {.made = NAIK_SOURCE_MOVED,
                                .place = NAIK_SOURCE_ON_SLICE,
                                .keys = T0,
                                .required = T0,
                                .tastes = true,
                                .coulomb = true,
                                .where = one_slice},
    [NAIK_SOURCE_FUNNYWALL2] = {.made = NAIK_SOURCE_MOVED,
                                .place = NAIK_SOURCE_ON_SLICE,
                                .keys = T0,
                                .required = T0,
                                .alternates = true,
                                .tastes = true,
                                .coulomb = true,
                                .where = one_slice},
    [NAIK_SOURCE_FILE] = {.made = NAIK_SOURCE_READ,
                          .place = NAIK_SOURCE_ON_LATTICE,
                          .keys = FROM_FILE | SUBSET | OPERATOR,
                          .required = FROM_FILE,
                          .where = "as in the file"},
    [NAIK_SOURCE_SEQUENTIAL] = {.made = NAIK_SOURCE_FROM_PROPAGATOR,
                                .place = NAIK_SOURCE_ON_SLICE,
                                .keys = T0 | MOMENTUM | PROPAGATOR | QUARK,
                                .required = T0 | PROPAGATOR,
                                .where = one_slice},
};

const naik_source_kind *naik_source_kind_of(naik_source_type type)
{
    return &kinds[type];
}

const char *naik_source_name(naik_source_type type)
{
    return naik_source_words[type];
}

bool naik_source_is_random(naik_source_type type)
{
    return kinds[type].random;
}

bool naik_source_is_corner(const naik_source *source)
{
    const naik_source_kind *kind = &kinds[source->type];
    return kind->corner ||
           (source->subset == NAIK_SUBSET_CORNER && kind->place == NAIK_SOURCE_ON_SLICE);
}

naik_source_knows naik_source_knows_place(const naik_source *source)
{
    const naik_source_place place = kinds[source->type].place;
    if (place == NAIK_SOURCE_AT_SITE) {
        return NAIK_SOURCE_KNOWS_SITE;
    }
    if (naik_source_is_sequential(source)) {
        return NAIK_SOURCE_KNOWS_STORED;
    }
    if (naik_source_is_corner(source)) {
        return NAIK_SOURCE_KNOWS_CORNER;
    }
    return place == NAIK_SOURCE_ON_SLICE ? NAIK_SOURCE_KNOWS_SLICE : NAIK_SOURCE_KNOWS_NOTHING;
}

int naik_source_first(const naik_source *const source[], int count)
{
    int best = 0;
    for (int k = 1; k < count; k++) {
        best =
            naik_source_knows_place(source[k]) > naik_source_knows_place(source[best]) ? k : best;
    }
    return best;
}

void naik_source_begin(const naik_source *const source[], const int *const x0[], int quarks,
                       bool staggered, int out[NAIK_DIM])
{
    bool sign = false;
    for (int k = 0; k < quarks; k++) {
        sign = sign != (quarks == 2 && staggered && kinds[source[k]->type].alternates);
    }
    // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): there is at least one quark
    memcpy(out, x0[naik_source_first(source, quarks)], NAIK_DIM * sizeof *out);
    if (sign) {
        memset(out, 0, NAIK_DIM * sizeof *out);
    }
}

void naik_source_where(const naik_source *source, char *text, size_t text_size)
{
    const int *corner = source->corner;
    const naik_source_kind *kind = naik_source_kind_of(source->type);
    const bool first = corner[0] == 0 && corner[1] == 0 && corner[2] == 0;
    if (source->subset == NAIK_SUBSET_CORNER || (kind->corner && !first)) {
        snprintf(text, text_size, "x, y, z = %d, %d, %d modulo 2 on %s", corner[0], corner[1],
                 corner[2], kind->where);
    } else if (source->subset != NAIK_SUBSET_FULL) {
        snprintf(text, text_size, "%s sites of %s",
                 source->subset == NAIK_SUBSET_EVEN ? "even" : "odd", kind->where);
    } else {
        snprintf(text, text_size, "%s%s", kind->corner ? "x, y, z even on " : "", kind->where);
    }
    const int *s = source->stride, *x = source->offset;
    if (s[0] > 1 || s[3] > 1) {
        naik_text_append(text, text_size,
                         ", where x, y, z, t modulo %d, %d, %d, %d are %d, %d, %d, %d", s[0], s[1],
                         s[2], s[3], x[0], x[1], x[2], x[3]);
    }
}
