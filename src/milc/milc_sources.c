/* milc_sources.c - the sources of a ks_spectrum input: base sources, and those made from others
 *
 * A source that naik cannot make keeps its number, and what its stanza says is passed over as far
 * as its label.
 */
#include <limits.h>
#include <string.h>

#include "base/text.h"
#include "input/input.h"
#include "lattice/source_kind.h"
#include "milc/milc_input.h"

typedef struct shape {
    const char *word;
    naik_source_type type;
    int corner[NAIK_DIM - 1];
} shape;

static const shape shapes[] = {{"point", NAIK_SOURCE_POINT, {0}},
                               {"corner_wall", NAIK_SOURCE_CORNER_WALL, {0}},
                               {"corner_wall_0", NAIK_SOURCE_CORNER_WALL, {0}},
                               {"corner_wall_x", NAIK_SOURCE_CORNER_WALL, {1, 0, 0}},
                               {"corner_wall_y", NAIK_SOURCE_CORNER_WALL, {0, 1, 0}},
                               {"corner_wall_xy", NAIK_SOURCE_CORNER_WALL, {1, 1, 0}},
                               {"corner_wall_z", NAIK_SOURCE_CORNER_WALL, {0, 0, 1}},
                               {"corner_wall_zx", NAIK_SOURCE_CORNER_WALL, {1, 0, 1}},
                               {"corner_wall_yz", NAIK_SOURCE_CORNER_WALL, {0, 1, 1}},
                               {"corner_wall_xyz", NAIK_SOURCE_CORNER_WALL, {1, 1, 1}},
                               {"even_wall", NAIK_SOURCE_EVEN_WALL, {0}},
                               {"evenandodd_wall", NAIK_SOURCE_EVENANDODD_WALL, {0}},
                               {"evenminusodd_wall", NAIK_SOURCE_EVENMINUSODD_WALL, {0}},
                               {"gaussian", NAIK_SOURCE_GAUSSIAN, {0}},
                               {"random_color_wall", NAIK_SOURCE_RANDOM_WALL, {0}},
                               {"random_complex_wall", NAIK_SOURCE_RANDOM_WALL, {0}},
                               {"vector_field", NAIK_SOURCE_FILE, {0}}};

static const naik_source_kind *kind_of(const milc_source *s)
{
    return naik_source_kind_of(s->type);
}

/* Whether its stanza has an origin, and not t0. */
static bool is_at_site(const milc_source *s)
{
    return kind_of(s)->place == NAIK_SOURCE_AT_SITE || kind_of(s)->made == NAIK_SOURCE_READ;
}

static bool moves(const milc_source *s)
{
    return naik_input_is_moving(s->momentum);
}

static naik_status find_shape(milc_words *w, milc_source *s)
{
    naik_status status = milc_words_take(w, "the type of the source");
    for (size_t i = 0; status == NAIK_OK && i < sizeof shapes / sizeof *shapes; i++) {
        if (strcmp(w->word, shapes[i].word) == 0) {
            s->type = shapes[i].type;
            memcpy(s->corner, shapes[i].corner, sizeof s->corner);
            const bool vector = strcmp(w->word, "random_color_wall") == 0;
            s->noise = vector ? NAIK_NOISE_GAUSSIAN : NAIK_NOISE_U1;
            return NAIK_OK;
        }
    }
    if (status == NAIK_OK) {
        milc_words_obstacle(
            w, w->word_line,
            "'%s' cannot be expressed; naik has point, the corner_walls, even_wall, "
            "evenandodd_wall, evenminusodd_wall, gaussian, random_color_wall, "
            "random_complex_wall, vector_field",
            w->word);
        s->dropped = true;
    }
    return status;
}

/* A key with a value of which naik has only one. */
static naik_status only(milc_words *w, const char *key, const char *value, milc_source *s)
{
    NAIK_PASS(milc_words_take(w, key));
    if (strcmp(w->word, value) != 0) {
        milc_words_obstacle(w, w->word_line, "'%s %s' cannot be expressed, only '%s %s'", key,
                            w->word, key, value);
        s->dropped = true;
    }
    return NAIK_OK;
}

/* The corner subset keeps what lies where x, y and z are even. Since 2013 MILC has applied it to gaussian
 * and random sources alone, and has read the word of other sources for nothing. */
static naik_status subset(milc_words *w, milc_source *s)
{
    NAIK_PASS(milc_words_key(w, "subset"));
    NAIK_PASS(milc_words_take(w, "subset"));
    if (strcmp(w->word, "full") == 0) {
        return NAIK_OK;
    }
    const bool fits = s->type == NAIK_SOURCE_GAUSSIAN || s->type == NAIK_SOURCE_RANDOM_WALL;
    if (strcmp(w->word, "corner") != 0 || !fits) {
        milc_words_obstacle(w, w->word_line,
                            "'subset %s' of this source cannot be expressed, only full, and corner "
                            "of gaussian and random sources: MILC since 2013 does not apply it to "
                            "others, so write full",
                            w->word);
        s->dropped = true;
    }
    s->subset = NAIK_SUBSET_CORNER;
    return NAIK_OK;
}

static naik_status colours_and_momentum(milc_words *w, milc_source *s)
{
    NAIK_PASS(milc_words_key(w, "ncolor"));
    NAIK_PASS(only(w, "ncolor", "3", s));
    return milc_words_ints(w, "momentum", 3, -16384, 16384, s->momentum);
}

static naik_status position(milc_words *w, const milc_input *in, milc_source *s)
{
    naik_status status = milc_words_ints(w, is_at_site(s) ? "origin" : "t0", is_at_site(s) ? 4 : 1,
                                         0, 32767, is_at_site(s) ? s->origin : &s->origin[3]);
    for (int mu = 0; mu < NAIK_DIM && status == NAIK_OK; mu++) {
        if (s->origin[mu] >= in->size[mu]) {
            status = milc_words_refuse(w, w->word_line, "%c = %d lies outside the lattice",
                                       "xyzt"[mu], s -> origin[mu]);
        }
    }
    return status;
}

/* Whether MILC's exp(2 pi i p.(x - from)/L) is that of naik, which counts x from the source's place. */
static bool counts_alike(const milc_input *in, const milc_source *s, const int p[NAIK_DIM - 1],
                         const int from[NAIK_DIM])
{
    const bool at_site = is_at_site(s);
    int64_t turns = 0, whole = 1;
    for (int k = 0; k < NAIK_DIM - 1; k++) {
        const int apart = (at_site ? s->origin[k] : s->corner[k]) - from[k];
        turns = turns * in->size[k] + whole * ((int64_t)p[k] * apart % in->size[k]);
        whole *= in->size[k];
    }
    return turns % whole == 0;
}

/* A source that this file saves before it reads it again is the source itself. MILC counts the momentum of
 * what it reads from the origin of this stanza, on the time slice of that origin alone. */
static naik_status source_file(milc_words *w, const milc_input *in, milc_source *s)
{
    milc_source made = {.type = NAIK_SOURCE_FILE};
    int origin[NAIK_DIM];
    memcpy(origin, s->origin, sizeof origin);
    memset(s->origin, 0, sizeof s->origin); /* from where naik counts it */
    s->told_t = origin[3];
    NAIK_PASS(milc_words_take(w, "load_source_serial"));
    if (strncmp(w->word, "load_source", strlen("load_source")) != 0) {
        return milc_words_refuse(w, w->word_line, "expected 'load_source_serial', found '%s'",
                                 w->word);
    }
    NAIK_PASS(milc_words_take(w, "the name of the source's file"));
    memcpy(s->file, w->word, sizeof s->file);
    NAIK_PASS(colours_and_momentum(w, s));
    for (int i = 0; i < in->source_count; i++) {
        if (strcmp(in->sources[i].saved_as, s->file) == 0) {
            made = in->sources[i];
        }
    }
    if (moves(s) && made.type == NAIK_SOURCE_FILE) {
        milc_words_obstacle(w, w->word_line,
                            "the momentum of a source read from a file cannot be expressed");
        s->dropped = true;
    } else if (moves(s) && (made.origin[3] != origin[3] || made.spin_taste != 0 ||
                            !counts_alike(in, &made, s->momentum, origin))) {
        milc_words_obstacle(
            w, w->word_line,
            "the momentum of a source that this file saves cannot be expressed from "
            "this origin: MILC applies it on the origin's time slice, counted from "
            "the origin, naik from the place of the source");
        s->dropped = true;
    } else if (made.type != NAIK_SOURCE_FILE) {
        made.other_slice = made.other_slice || made.origin[3] != origin[3];
        for (int k = 0; k < NAIK_DIM - 1; k++) {
            made.momentum[k] += s->momentum[k];
        }
        made.dropped = made.dropped || s->dropped;
        made.saved_as[0] = '\0';
        *s = made;
    }
    return NAIK_OK;
}

/* What stands between subset and label. */
static naik_status shape_of(milc_words *w, milc_input *in, milc_source *s)
{
    static const char *const stops[] = {"source_label", NULL};
    double factor = 1;
    bool there = false;
    NAIK_PASS(milc_words_skip(w, "field_type", &there));
    if (there) {
        NAIK_PASS(only(w, "field_type", "KS", s));
    }
    NAIK_PASS(subset(w, s));
    NAIK_PASS(position(w, in, s));
    if (s->type == NAIK_SOURCE_GAUSSIAN) {
        NAIK_PASS(milc_words_real(w, "r0", &s->radius));
    } else if (s->type == NAIK_SOURCE_RANDOM_WALL) {
        const bool vector = s->noise == NAIK_NOISE_GAUSSIAN;
        NAIK_PASS(vector ? colours_and_momentum(w, s)
                         : milc_words_ints(w, "momentum", 3, -16384, 16384, s->momentum));
        s->seed = (uint64_t)in->seed + (uint64_t)in->source_count;
        fprintf(in->notes, "line %d: %s: noise of the same kind, from other random numbers\n",
                w->word_line, vector ? "random_color_wall" : "random_complex_wall");
    } else if (s->type == NAIK_SOURCE_FILE) {
        NAIK_PASS(source_file(w, in, s));
    }
    NAIK_PASS(milc_words_skip(w, "scale_factor", &there));
    if (there) {
        NAIK_PASS(milc_words_take(w, "scale_factor"));
        if (!naik_text_real(w->word, &factor) || factor != 1) {
            milc_words_obstacle(w, w->word_line, "'scale_factor %s' cannot be expressed", w->word);
            s->dropped = true;
        }
    }
    if (s->dropped) {
        NAIK_PASS(milc_words_until(w, stops));
    }
    return NAIK_OK;
}

/* Its label, and whether it is saved. */
static naik_status source_end(milc_words *w, milc_input *in, const char *label, milc_source *s)
{
    char ignored[MILC_WORD_SIZE];
    NAIK_PASS(milc_words_text(w, label, ignored));
    NAIK_PASS(milc_words_take(w, "forget_source"));
    if (strcmp(w->word, "forget_source") == 0) {
        return NAIK_OK;
    }
    if (strncmp(w->word, "save_", 5) != 0) {
        return milc_words_refuse(w, w->word_line,
                                 "expected 'forget_source' or 'save_...', found '%s'", w->word);
    }
    const int line = w->word_line;
    NAIK_PASS(milc_words_take(w, "the name of the source's file"));
    memcpy(s->saved_as, w->word, sizeof s->saved_as);
    fprintf(in->notes,
            "line %d: the source is not saved in %s: the output has what it was made from\n", line,
            w->word);
    return NAIK_OK;
}

static naik_status base_source(milc_words *w, milc_input *in, milc_source *s)
{
    static const char *const stops[] = {"source_label", NULL};
    NAIK_PASS(find_shape(w, s));
    NAIK_PASS(s->dropped ? milc_words_until(w, stops) : shape_of(w, in, s));
    return source_end(w, in, "source_label", s);
}

/* exp(2 pi i p.x/L) on top of what the source is, which MILC counts from coordinate_origin. From its own
 * place it is 1 of a point. */
static naik_status add_momentum(milc_words *w, const milc_input *in, milc_source *s)
{
    int p[NAIK_DIM - 1] = {0};
    naik_status status = milc_words_ints(w, "momentum", NAIK_DIM - 1, -16384, 16384, p);
    const bool point = s->type == NAIK_SOURCE_POINT;
    const char *why = NULL;
    if (status != NAIK_OK || !naik_input_is_moving(p)) {
        return status;
    }
    if (!point && (kind_of(s)->keys & NAIK_SOURCE_KEY_MOMENTUM) == 0) {
        why = "a momentum of a file source or of a funny wall cannot be expressed";
    } else if (s->spin_taste != 0) {
        why = "a momentum behind spin_taste cannot be expressed, only before it";
    } else if (s->other_slice) {
        why = "a momentum of a source that was read with another origin cannot be expressed: MILC "
              "applies it on the time slice of that origin";
    } else if (!counts_alike(in, s, p, in->coordinate_origin)) {
        why = "this momentum cannot be expressed: MILC counts it from coordinate_origin, naik from "
              "the place of the source";
    }
    if (why != NULL) {
        milc_words_obstacle(w, w->word_line, "%s", why);
        s->dropped = true;
    }
    for (int k = 0; k < NAIK_DIM - 1 && !point; k++) {
        s->momentum[k] += p[k];
    }
    return NAIK_OK;
}

naik_status milc_smearing_read(milc_words *w, double *radius, int *iterations, bool *dropped)
{
    int stride = 0;
    NAIK_PASS(milc_words_ints(w, "stride", 1, 1, INT_MAX, &stride));
    if (stride != 2) {
        milc_words_obstacle(w, w->word_line,
                            "a covariant_gaussian of stride %d cannot be expressed, only of 2",
                            stride);
        *dropped = true;
    }
    NAIK_PASS(milc_words_real(w, "r0", radius));
    if (!(*radius > 0)) {
        return milc_words_refuse(w, w->word_line, "'r0' must be above 0, not '%s'", w->word);
    }
    return milc_words_ints(w, "source_iters", 1, 1, 100000, iterations);
}

/* Of a point source, which naik then smears. */
static naik_status smear(milc_words *w, milc_source *s)
{
    naik_status status = milc_smearing_read(w, &s->radius, &s->iterations, &s->dropped);
    if (status == NAIK_OK &&
        (s->type != NAIK_SOURCE_POINT || s->spin_taste != 0 || s->other_slice)) {
        milc_words_obstacle(w, w->word_line,
                            "covariant_gaussian of this source cannot be expressed, only of a "
                            "point");
        s->dropped = true;
    }
    s->type = NAIK_SOURCE_COVARIANT_GAUSSIAN;
    return status;
}

/* MILC counts the signs of the operator from its coordinate_origin, naik from the place of the source. */
static naik_status spin_and_taste(milc_words *w, const milc_input *in, milc_source *s)
{
    NAIK_PASS(milc_words_key(w, "spin_taste"));
    NAIK_PASS(milc_words_take(w, "spin and taste"));
    int sign = 1;
    const int number = milc_operator_of(w->word, &sign);
    const bool links = number >= (int)NAIK_MESONS, wall = kind_of(s)->place == NAIK_SOURCE_ON_SLICE;
    const int x0[NAIK_DIM] = {wall ? s->corner[0] : s->origin[0],
                              wall ? s->corner[1] : s->origin[1],
                              wall ? s->corner[2] : s->origin[2], s->origin[3]};
    const char *why = number < 0                              ? "naik has no such operator"
                      : s->spin_taste != 0                    ? "the source has one already"
                      : kind_of(s)->made == NAIK_SOURCE_MOVED ? "of a funny wall"
                      : links                                 ? milc_other_links(in)
                                                              : NULL;
    if (why != NULL) {
        milc_words_obstacle(w, w->word_line,
                            "'spin_taste %s' of this source cannot be expressed: %s", w->word, why);
        s->dropped = true;
        return NAIK_OK;
    }
    sign *= naik_correlator_sign(number, x0);
    if (sign < 0) {
        fprintf(
            in->notes,
            "line %d: spin_taste %s counts from the source: naik's propagator is minus MILC's\n",
            w->word_line, w->word);
    }
    /* of a point, which is its place, a sign is 1 */
    s->spin_taste = s->type == NAIK_SOURCE_POINT && !links ? s->spin_taste : number;
    return NAIK_OK;
}

/* MILC builds it with links that it may have smeared; here they are those of the configuration. */
static void funny_wall(milc_words *w, const milc_input *in, naik_source_type type, milc_source *s)
{
    const bool plain = s->type == NAIK_SOURCE_EVENANDODD_WALL && s->subset == NAIK_SUBSET_FULL &&
                       s->momentum[0] == 0 && s->momentum[1] == 0 && s->momentum[2] == 0 &&
                       s->spin_taste == 0;
    if (!plain || in->smears_links) {
        milc_words_obstacle(w, w->word_line,
                            "%s of %s cannot be expressed, only of a whole evenandodd_wall without "
                            "a momentum, with links that are not smeared (ape_iter 0)",
                            w->word, plain ? "smeared links" : "this source");
        s->dropped = true;
    }
    s->type = type;
}

static naik_status modified_source(milc_words *w, milc_input *in, int first, milc_source *s)
{
    static const char *const stops[] = {"op_label", NULL};
    int parent = 0;
    NAIK_PASS(milc_words_ints(w, "source", 1, 0, in->source_count - first - 1, &parent));
    *s = in->sources[first + parent];
    s->saved_as[0] = '\0';
    NAIK_PASS(milc_words_take(w, "the operation on the source"));
    if (strcmp(w->word, "momentum") == 0) {
        NAIK_PASS(add_momentum(w, in, s));
    } else if (strcmp(w->word, "spin_taste") == 0) {
        NAIK_PASS(spin_and_taste(w, in, s));
    } else if (strcmp(w->word, "covariant_gaussian") == 0) {
        NAIK_PASS(smear(w, s));
    } else if (strcmp(w->word, "funnywall1") == 0) {
        funny_wall(w, in, NAIK_SOURCE_FUNNYWALL1, s);
    } else if (strcmp(w->word, "funnywall2") == 0) {
        funny_wall(w, in, NAIK_SOURCE_FUNNYWALL2, s);
    } else if (strcmp(w->word, "identity") != 0) {
        milc_words_obstacle(w, w->word_line,
                            "the operation '%s' on a source cannot be expressed, only identity, "
                            "momentum, covariant_gaussian, spin_taste and funny walls",
                            w->word);
        s->dropped = true;
        NAIK_PASS(milc_words_until(w, stops));
    }
    return source_end(w, in, "op_label", s);
}

static naik_status new_source(milc_words *w, milc_input *in, milc_source **source)
{
    if (in->source_count >= MILC_MAX_SOURCES) {
        return milc_words_refuse(w, w->word_line, "more than %d sources", MILC_MAX_SOURCES);
    }
    *source = &in->sources[in->source_count];
    **source = (milc_source){0};
    return NAIK_OK;
}

naik_status milc_sources_read(milc_words *w, milc_input *in)
{
    const int first = in->source_count;
    int count = 0;
    milc_source *source = NULL;
    milc_words_stanza(w, "base sources", -1);
    NAIK_PASS(milc_words_ints(w, "number_of_base_sources", 1, 0, MILC_MAX_SOURCES, &count));
    for (int i = 0; i < count; i++) {
        milc_words_stanza(w, "base source", i);
        NAIK_PASS(new_source(w, in, &source));
        NAIK_PASS(base_source(w, in, source));
        in->source_count++;
    }
    milc_words_stanza(w, "modified sources", -1);
    NAIK_PASS(milc_words_ints(w, "number_of_modified_sources", 1, 0, MILC_MAX_SOURCES, &count));
    for (int i = 0; i < count; i++) {
        milc_words_stanza(w, "modified source", in->source_count - first);
        NAIK_PASS(new_source(w, in, &source));
        NAIK_PASS(modified_source(w, in, first, source));
        in->source_count++;
    }
    return NAIK_OK;
}
