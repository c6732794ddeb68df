/* milc_input.c - an input file of MILC's ks_spectrum programs: lattice, sources, propagators
 *
 * Such a file is a sequence of keys and values in a fixed order, one calculation after the other;
 * which keys there are depends on how the program was compiled, so those of some builds only are
 * skipped where absent. What naik would do differently is refused, what makes no difference to the
 * answer (how to iterate, labels) is dropped, what the user should know is noted.
 */
#include "cli/milc_input.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/text.h"

typedef struct shape {
    const char *word;
    naik_source_type type;
} shape;

static const shape shapes[] = {{"point", NAIK_SOURCE_POINT},
                               {"corner_wall", NAIK_SOURCE_CORNER_WALL},
                               {"even_wall", NAIK_SOURCE_EVEN_WALL},
                               {"evenandodd_wall", NAIK_SOURCE_EVENANDODD_WALL},
                               {"evenminusodd_wall", NAIK_SOURCE_EVENMINUSODD_WALL},
                               {"gaussian", NAIK_SOURCE_GAUSSIAN},
                               {"random_color_wall", NAIK_SOURCE_RANDOM_WALL},
                               {"vector_field", NAIK_SOURCE_FILE}};

static naik_status header(milc_words *w, milc_input *in)
{
    naik_status status = NAIK_OK;
    static const char *const extents[] = {"nx", "ny", "nz", "nt"};
    static const char *const layouts[] = {"node_geometry", "ionode_geometry"};
    int ignored[NAIK_DIM];
    bool there = false;
    char job[MILC_WORD_SIZE];
    milc_words_stanza(w, "lattice", -1);
    NAIK_TRY(milc_words_skip(w, "prompt", &there));
    NAIK_TRY(there ? milc_words_int(w, "prompt", 0, 2, ignored) : NAIK_OK);
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        NAIK_TRY(milc_words_ints(w, extents[mu], 1, 2, 32768, &in->size[mu]));
    }
    for (int i = 0; i < 2; i++) {
        NAIK_TRY(milc_words_skip(w, layouts[i], &there));
        for (int mu = 0; there && mu < NAIK_DIM; mu++) {
            NAIK_TRY(milc_words_int(w, layouts[i], 1, INT_MAX, ignored));
        }
    }
    NAIK_TRY(milc_words_ints(w, "iseed", 1, 0, INT_MAX, &in->seed));
    NAIK_TRY(milc_words_text(w, "job_id", job));
done:
    return status;
}

static naik_status boundary(milc_words *w, milc_input *in)
{
    naik_status status = NAIK_OK;
    bool there = false;
    NAIK_TRY(milc_words_skip(w, "time_bc", &there));
    if (!there) {
        return NAIK_OK;
    }
    NAIK_TRY(milc_words_take(w, "time_bc"));
    const bool antiperiodic = strcmp(w->word, "antiperiodic") == 0;
    if (!antiperiodic && strcmp(w->word, "periodic") != 0) {
        return milc_words_refuse(w, w->word_line,
                                 "'time_bc' must be antiperiodic or periodic, not '%s'", w->word);
    }
    if (in->has_boundary && in->antiperiodic != antiperiodic) {
        return milc_words_refuse(w, w->word_line,
                                 "two time_bc in one file cannot be expressed; make two inputs");
    }
    in->has_boundary = true;
    in->antiperiodic = antiperiodic;
done:
    return status;
}

static naik_status starting_lattice(milc_words *w, milc_input *in)
{
    naik_status status = NAIK_OK;
    NAIK_TRY(milc_words_take(w, "reload_serial or reload_parallel"));
    const int line = w->word_line;
    const bool again = strcmp(w->word, "continue") == 0 && in->gauge_file[0] != '\0';
    if (again) {
        return NAIK_OK;
    }
    if (strcmp(w->word, "reload_serial") != 0 && strcmp(w->word, "reload_parallel") != 0) {
        return milc_words_refuse(w, line,
                                 "'%s' cannot be expressed; naik reads a configuration from a "
                                 "file (reload_serial, reload_parallel)",
                                 w->word);
    }
    NAIK_TRY(milc_words_take(w, "the name of the configuration"));
    if (in->gauge_file[0] != '\0' && strcmp(w->word, in->gauge_file) != 0) {
        return milc_words_refuse(w, line,
                                 "a second configuration cannot be expressed; one input of naik "
                                 "is for one configuration");
    }
    memcpy(in->gauge_file, w->word, sizeof in->gauge_file);
done:
    return status;
}

static naik_status gauge(milc_words *w, milc_input *in)
{
    naik_status status = NAIK_OK;
    double u0 = 0, weight = 0;
    int ignored = 0, origin[NAIK_DIM] = {0};
    const bool first = in->gauge_file[0] == '\0';
    milc_words_stanza(w, "gauge field", -1);
    NAIK_TRY(starting_lattice(w, in));
    NAIK_TRY(milc_words_real(w, "u0", &u0));
    if (!first && u0 != in->u0) {
        return milc_words_refuse(w, w->word_line, "two u0 in one file cannot be expressed");
    }
    in->u0 = u0;
    NAIK_TRY(milc_words_take(w, "no_gauge_fix"));
    if (strcmp(w->word, "no_gauge_fix") != 0) {
        return milc_words_refuse(w, w->word_line,
                                 "'%s' cannot be expressed; naik fixes no gauge: give it the fixed "
                                 "configuration and write no_gauge_fix here",
                                 w->word);
    }
    NAIK_TRY(milc_words_take(w, "forget"));
    if (strcmp(w->word, "forget") != 0) {
        return milc_words_refuse(w, w->word_line,
                                 "'%s' cannot be expressed; `naik gauge convert` writes "
                                 "configurations, write forget here",
                                 w->word);
    }
    /* Only covariant sources look at smeared links, and those are refused. */
    NAIK_TRY(milc_words_real(w, "staple_weight", &weight));
    NAIK_TRY(milc_words_ints(w, "ape_iter", 1, 0, INT_MAX, &ignored));
    NAIK_TRY(milc_words_ints(w, "coordinate_origin", NAIK_DIM, INT_MIN, INT_MAX, origin));
    if (origin[0] != 0 || origin[1] != 0 || origin[2] != 0 || origin[3] != 0) {
        return milc_words_refuse(w, w->word_line,
                                 "a coordinate_origin other than 0 0 0 0 cannot be expressed");
    }
    NAIK_TRY(boundary(w, in));
done:
    return status;
}

/* Counts that must be zero: what they announce, naik does not do. */
static naik_status absent(milc_words *w, const char *stanza, const char *key, const char *what)
{
    naik_status status = NAIK_OK;
    bool there = false;
    int count = 0;
    milc_words_stanza(w, stanza, -1);
    NAIK_TRY(milc_words_skip(w, key, &there));
    if (there) {
        NAIK_TRY(milc_words_int(w, key, 0, INT_MAX, &count));
    }
    if (count != 0) {
        return milc_words_refuse(w, w->word_line, "'%s %d' cannot be expressed; naik %s", key,
                                 count, what);
    }
done:
    return status;
}

static naik_status find_shape(milc_words *w, naik_source_type *type)
{
    naik_status status = milc_words_take(w, "the type of the source");
    for (size_t i = 0; status == NAIK_OK && i < sizeof shapes / sizeof *shapes; i++) {
        if (strcmp(w->word, shapes[i].word) == 0) {
            *type = shapes[i].type;
            return NAIK_OK;
        }
    }
    return status != NAIK_OK
               ? status
               : milc_words_refuse(w, w->word_line,
                                   "'%s' cannot be expressed; naik has point, corner_wall, "
                                   "even_wall, evenandodd_wall, evenminusodd_wall, gaussian, "
                                   "random_color_wall, vector_field",
                                   w->word);
}

/* The same key and value in every naik input, or a refusal. */
static naik_status must_be(milc_words *w, const char *key, const char *value, bool optional)
{
    naik_status status = NAIK_OK;
    bool there = false;
    NAIK_TRY(milc_words_skip(w, key, &there));
    if (!there) {
        return optional ? NAIK_OK : milc_words_key(w, key);
    }
    NAIK_TRY(milc_words_take(w, key));
    if (strcmp(w->word, value) != 0) {
        return milc_words_refuse(w, w->word_line, "'%s %s' cannot be expressed, only '%s %s'", key,
                                 w->word, key, value);
    }
done:
    return status;
}

static naik_status colours_and_momentum(milc_words *w, milc_source *s)
{
    naik_status status = NAIK_OK;
    int colours = 0;
    NAIK_TRY(milc_words_ints(w, "ncolor", 1, 1, INT_MAX, &colours));
    if (colours != 3) {
        return milc_words_refuse(w, w->word_line,
                                 "'ncolor %d' cannot be expressed, only 'ncolor 3'", colours);
    }
    NAIK_TRY(milc_words_ints(w, "momentum", 3, -16384, 16384, s->momentum));
done:
    return status;
}

static naik_status source_file(milc_words *w, milc_source *s)
{
    naik_status status = NAIK_OK;
    NAIK_TRY(milc_words_take(w, "load_source_serial"));
    if (strncmp(w->word, "load_source", strlen("load_source")) != 0) {
        return milc_words_refuse(w, w->word_line, "expected 'load_source_serial', found '%s'",
                                 w->word);
    }
    NAIK_TRY(milc_words_take(w, "the name of the source's file"));
    memcpy(s->file, w->word, sizeof s->file);
    NAIK_TRY(colours_and_momentum(w, s));
    if (s->momentum[0] != 0 || s->momentum[1] != 0 || s->momentum[2] != 0) {
        return milc_words_refuse(w, w->word_line,
                                 "the momentum of a source read from a file cannot be expressed");
    }
done:
    return status;
}

static naik_status source_saving(milc_words *w, const char *forget, const char *what)
{
    naik_status status = milc_words_take(w, forget);
    if (status == NAIK_OK && strcmp(w->word, forget) != 0) {
        return milc_words_refuse(w, w->word_line,
                                 "'%s' cannot be expressed; naik does not save %s, write %s here",
                                 w->word, what, forget);
    }
    return status;
}

static naik_status base_source(milc_words *w, milc_input *in, milc_source *s)
{
    naik_status status = NAIK_OK;
    double ignored = 1;
    bool there = false;
    char label[MILC_WORD_SIZE];
    NAIK_TRY(find_shape(w, &s->type));
    NAIK_TRY(must_be(w, "field_type", "KS", true));
    NAIK_TRY(must_be(w, "subset", "full", false));
    const bool at_site = s->type == NAIK_SOURCE_POINT || s->type == NAIK_SOURCE_GAUSSIAN ||
                         s->type == NAIK_SOURCE_FILE;
    NAIK_TRY(milc_words_ints(w, at_site ? "origin" : "t0", at_site ? 4 : 1, 0, 32767,
                             at_site ? s->origin : &s->origin[3]));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if (s->origin[mu] >= in->size[mu]) {
            return milc_words_refuse(w, w->word_line, "%c = %d lies outside the lattice",
                                     "xyzt"[mu], s -> origin[mu]);
        }
    }
    if (s->type == NAIK_SOURCE_GAUSSIAN) {
        NAIK_TRY(milc_words_real(w, "r0", &s->radius));
    } else if (s->type == NAIK_SOURCE_RANDOM_WALL) {
        NAIK_TRY(colours_and_momentum(w, s));
        s->seed = (uint64_t)in->seed + (uint64_t)in->source_count;
        fprintf(in->notes,
                "line %d: random_color_wall: noise of the same kind, from other random numbers\n",
                w->word_line);
    } else if (s->type == NAIK_SOURCE_FILE) {
        NAIK_TRY(source_file(w, s));
    }
    /* It is taken out again at the sink. */
    NAIK_TRY(milc_words_skip(w, "scale_factor", &there));
    if (there) {
        NAIK_TRY(milc_words_take(w, "scale_factor"));
        if (!naik_text_real(w->word, &ignored) || ignored != 1) {
            return milc_words_refuse(w, w->word_line, "'scale_factor %s' cannot be expressed",
                                     w->word);
        }
    }
    NAIK_TRY(milc_words_text(w, "source_label", label));
    NAIK_TRY(source_saving(w, "forget_source", "sources"));
done:
    return status;
}

static naik_status new_source(milc_words *w, milc_input *in, milc_source **source)
{
    if (in->source_count >= MILC_MAX_SOURCES) {
        return milc_words_refuse(w, w->word_line, "more than %d sources", MILC_MAX_SOURCES);
    }
    *source = &in->sources[in->source_count];
    return NAIK_OK;
}

static naik_status sources(milc_words *w, milc_input *in)
{
    naik_status status = NAIK_OK;
    const int first = in->source_count;
    int count = 0, parent = 0;
    milc_source *source = NULL;
    char label[MILC_WORD_SIZE];
    milc_words_stanza(w, "base sources", -1);
    NAIK_TRY(milc_words_ints(w, "number_of_base_sources", 1, 0, MILC_MAX_SOURCES, &count));
    for (int i = 0; i < count; i++) {
        milc_words_stanza(w, "base source", i);
        NAIK_TRY(new_source(w, in, &source));
        NAIK_TRY(base_source(w, in, source));
        in->source_count++;
    }
    milc_words_stanza(w, "modified sources", -1);
    NAIK_TRY(milc_words_ints(w, "number_of_modified_sources", 1, 0, MILC_MAX_SOURCES, &count));
    for (int i = 0; i < count; i++) {
        milc_words_stanza(w, "modified source", in->source_count - first);
        NAIK_TRY(milc_words_ints(w, "source", 1, 0, in->source_count - first - 1, &parent));
        NAIK_TRY(milc_words_take(w, "the operation on the source"));
        if (strcmp(w->word, "identity") != 0) {
            return milc_words_refuse(w, w->word_line,
                                     "the operation '%s' on a source cannot be expressed, only "
                                     "identity",
                                     w->word);
        }
        NAIK_TRY(milc_words_text(w, "op_label", label));
        NAIK_TRY(source_saving(w, "forget_source", "sources"));
        NAIK_TRY(new_source(w, in, &source));
        *source = in->sources[first + parent];
        in->source_count++;
    }
done:
    return status;
}

/* What a set says once for all its propagators. In a set of several sources that is the mass. */
typedef struct milc_set {
    int source; /* -1: each propagator names its own */
    bool has_mass;
    double mass, epsilon;
} milc_set;

static naik_status epsilon(milc_words *w, milc_input *in, double *value)
{
    naik_status status = NAIK_OK;
    bool there = false;
    NAIK_TRY(milc_words_skip(w, "naik_term_epsilon", &there));
    if (there) {
        NAIK_TRY(milc_words_take(w, "naik_term_epsilon"));
        if (!naik_text_real(w->word, value)) {
            return milc_words_refuse(w, w->word_line,
                                     "'naik_term_epsilon' must be a number, not '%s'", w->word);
        }
        in->has_epsilon = true;
    }
done:
    return status;
}

static naik_status mass(milc_words *w, double *value)
{
    naik_status status = milc_words_real(w, "mass", value);
    if (status == NAIK_OK && !(*value > 0)) {
        return milc_words_refuse(w, w->word_line, "'mass' must be above 0, not '%s'", w->word);
    }
    return status;
}

static naik_status twist(milc_words *w)
{
    naik_status status = milc_words_key(w, "momentum_twist");
    for (int i = 0; i < 3 && status == NAIK_OK; i++) {
        double value = 0;
        status = milc_words_take(w, "momentum_twist");
        if (status == NAIK_OK && (!naik_text_real(w->word, &value) || value != 0)) {
            return milc_words_refuse(w, w->word_line,
                                     "a momentum_twist other than 0 0 0 cannot be expressed");
        }
    }
    return status;
}

static naik_status set_head(milc_words *w, milc_input *in, milc_set *set)
{
    naik_status status = NAIK_OK;
    int iterations = 0, restarts = 0, ignored = 0;
    bool there = false;
    const char *word = NULL;
    /* How the work is grouped and which solver does it: naik decides by itself. */
    NAIK_TRY(milc_words_skip(w, "set_type", &there));
    NAIK_TRY(there ? milc_words_take(w, "set_type") : NAIK_OK);
    NAIK_TRY(milc_words_skip(w, "inv_type", &there));
    NAIK_TRY(there ? milc_words_take(w, "inv_type") : NAIK_OK);
    NAIK_TRY(milc_words_ints(w, "max_cg_iterations", 1, 1, INT_MAX, &iterations));
    NAIK_TRY(milc_words_ints(w, "max_cg_restarts", 1, 1, INT_MAX, &restarts));
    const int64_t most = (int64_t)iterations * restarts;
    in->max_iterations = most > in->max_iterations ? most : in->max_iterations;
    NAIK_TRY(milc_words_key(w, "check"));
    NAIK_TRY(milc_words_take(w, "check"));
    if (strcmp(w->word, "yes") != 0 && strcmp(w->word, "no") != 0) {
        return milc_words_refuse(w, w->word_line, "'check %s' cannot be expressed; naik solves",
                                 w->word);
    }
    NAIK_TRY(twist(w));
    NAIK_TRY(boundary(w, in));
    NAIK_TRY(milc_words_ints(w, "precision", 1, 1, 2, &ignored));
    NAIK_TRY(milc_words_look(w, &word));
    set->has_mass = strcmp(word, "mass") == 0;
    NAIK_TRY(set->has_mass ? mass(w, &set->mass) : NAIK_OK);
    NAIK_TRY(set->has_mass ? epsilon(w, in, &set->epsilon) : NAIK_OK);
done:
    return status;
}

static naik_status propagator_files(milc_words *w, milc_input *in)
{
    naik_status status = NAIK_OK;
    NAIK_TRY(milc_words_take(w, "fresh_ksprop"));
    if (strcmp(w->word, "fresh_ksprop") != 0) {
        return milc_words_refuse(w, w->word_line,
                                 "'%s' cannot be expressed; naik solves from zero, write "
                                 "fresh_ksprop here",
                                 w->word);
    }
    NAIK_TRY(milc_words_take(w, "forget_ksprop"));
    if (strncmp(w->word, "save_", 5) == 0) {
        const int line = w->word_line;
        NAIK_TRY(milc_words_take(w, "the name of the propagator's file"));
        fprintf(in->notes, "line %d: %s: all propagators go into output.file\n", line, w->word);
        in->stores = true;
    } else if (strcmp(w->word, "forget_ksprop") != 0) {
        return milc_words_refuse(w, w->word_line,
                                 "expected 'forget_ksprop' or 'save_...', found '%s'", w->word);
    }
done:
    return status;
}

static naik_status source_of(milc_words *w, const milc_input *in, int first_source, int *source)
{
    naik_status status =
        milc_words_ints(w, "source", 1, 0, in->source_count - first_source - 1, source);
    *source += first_source;
    return status;
}

static naik_status propagator(milc_words *w, milc_input *in, const milc_set *set, int first_source)
{
    naik_status status = NAIK_OK;
    if (in->propagator_count >= MILC_MAX_PROPAGATORS) {
        return milc_words_refuse(w, w->word_line, "more than %d propagators",
                                 (int)MILC_MAX_PROPAGATORS);
    }
    milc_propagator *p = &in->propagators[in->propagator_count];
    *p = (milc_propagator){
        .source = set->source, .set = in->set_count, .mass = set->mass, .epsilon = set->epsilon};
    if (set->has_mass) {
        NAIK_TRY(source_of(w, in, first_source, &p->source));
    } else {
        NAIK_TRY(mass(w, &p->mass));
        NAIK_TRY(epsilon(w, in, &p->epsilon));
    }
    p->line = w->word_line;
    NAIK_TRY(milc_words_real(w, "error_for_propagator", &p->error));
    NAIK_TRY(milc_words_real(w, "rel_error_for_propagator", &p->relative_error));
    if (!(p->error >= 0) || !(p->relative_error >= 0) || p->error + p->relative_error == 0) {
        return milc_words_refuse(w, w->word_line,
                                 "one of error_for_propagator and rel_error_for_propagator must "
                                 "be above 0");
    }
    if (in->propagator_count > 0 && p->relative_error != in->relative_error) {
        return milc_words_refuse(w, w->word_line,
                                 "two rel_error_for_propagator in one file cannot be expressed");
    }
    in->relative_error = p->relative_error;
    NAIK_TRY(propagator_files(w, in));
    in->propagator_count++;
done:
    return status;
}

static naik_status sets(milc_words *w, milc_input *in, int first_source)
{
    naik_status status = NAIK_OK;
    int count = 0, propagators = 0;
    milc_words_stanza(w, "sets", -1);
    NAIK_TRY(milc_words_ints(w, "number_of_sets", 1, 0, MILC_MAX_PROPAGATORS, &count));
    for (int i = 0; i < count; i++) {
        milc_set set = {.source = -1};
        milc_words_stanza(w, "set", i);
        NAIK_TRY(set_head(w, in, &set));
        NAIK_TRY(set.has_mass ? NAIK_OK : source_of(w, in, first_source, &set.source));
        NAIK_TRY(
            milc_words_ints(w, "number_of_propagators", 1, 0, MILC_MAX_PROPAGATORS, &propagators));
        for (int k = 0; k < propagators; k++) {
            NAIK_TRY(propagator(w, in, &set, first_source));
        }
        in->set_count++;
    }
done:
    return status;
}

static naik_status calculation(milc_words *w, milc_input *in)
{
    naik_status status = NAIK_OK;
    const int first_source = in->source_count, first_propagator = in->propagator_count;
    NAIK_TRY(gauge(w, in));
    NAIK_TRY(absent(w, "eigenpairs", "max_number_of_eigenpairs", "does not deflate"));
    NAIK_TRY(absent(w, "eigenpairs", "Number_of_eigenvals", "does not deflate"));
    NAIK_TRY(absent(w, "condensate", "number_of_pbp_masses", "measures no condensate"));
    NAIK_TRY(sources(w, in));
    NAIK_TRY(sets(w, in, first_source));
    NAIK_TRY(milc_mesons_read(w, in, first_propagator));
    NAIK_TRY(absent(w, "baryons", "number_of_baryons", "makes no baryons"));
done:
    return status;
}

naik_status milc_input_read(naik_log *log, const char *name, const char *bytes, size_t size,
                            milc_input *out)
{
    naik_status status = NAIK_OK;
    milc_words w = {.log = log, .name = name, .at = bytes, .end = bytes + size, .line = 1};
    const char *word = NULL;
    out->antiperiodic = true;
    NAIK_TRY(header(&w, out));
    do {
        NAIK_TRY(calculation(&w, out));
        NAIK_TRY(milc_words_look(&w, &word));
    } while (word[0] != '\0');
    milc_words_stanza(&w, "propagators", -1);
    if (out->propagator_count == 0) {
        status = milc_words_refuse(&w, w.line, "the file asks for no propagator");
    } else if (!out->stores && !out->pion5 && !out->pion05) {
        status = milc_words_refuse(&w, w.line,
                                   "nothing would be written: every propagator is forgotten and no "
                                   "correlator asked for");
    }
done:
    return status;
}
