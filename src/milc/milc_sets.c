/* milc_sets.c - the propagators of a ks_spectrum input, in sets of one source or one mass */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "milc/milc_input.h"

naik_status milc_boundary_read(milc_words *w, milc_input *in, bool *other)
{
    bool there = false;
    *other = false;
    NAIK_PASS(milc_words_skip(w, "time_bc", &there));
    if (!there) {
        return NAIK_OK;
    }
    NAIK_PASS(milc_words_take(w, "time_bc"));
    const bool antiperiodic = strcmp(w->word, "antiperiodic") == 0;
    if (!antiperiodic && strcmp(w->word, "periodic") != 0) {
        return milc_words_refuse(w, w->word_line,
                                 "'time_bc' must be antiperiodic or periodic, not '%s'", w->word);
    }
    *other = in->has_boundary && in->antiperiodic != antiperiodic;
    if (*other) {
        milc_words_obstacle(w, w->word_line,
                            "two time_bc in one file cannot be expressed; make two inputs");
        return NAIK_OK;
    }
    in->has_boundary = true;
    in->antiperiodic = antiperiodic;
    in->moves_boundary = in->moves_boundary && antiperiodic;
    return NAIK_OK;
}

/* What a set says once for all its propagators. In a set of several sources that is the mass. */
typedef struct milc_set {
    int source; /* -1: each propagator names its own */
    bool has_mass, dropped;
    bool solves; /* false: check sourceonly, for sources that are only saved */
    double mass, epsilon, twist[NAIK_DIM - 1];
    int twist_line;
} milc_set;

naik_status milc_epsilon_read(milc_words *w, milc_input *in, double *value)
{
    bool there = false;
    NAIK_PASS(milc_words_skip(w, "naik_term_epsilon", &there));
    if (there) {
        NAIK_PASS(milc_words_take(w, "naik_term_epsilon"));
        if (!naik_text_real(w->word, value)) {
            return milc_words_refuse(w, w->word_line,
                                     "'naik_term_epsilon' must be a number, not '%s'", w->word);
        }
        in->has_epsilon = true;
    }
    return NAIK_OK;
}

naik_status milc_mass_read(milc_words *w, double *value)
{
    NAIK_PASS(milc_words_real(w, "mass", value));
    if (!(*value > 0)) {
        return milc_words_refuse(w, w->word_line, "'mass' must be above 0, not '%s'", w->word);
    }
    return NAIK_OK;
}

/* MILC's links have the phase exp(i pi momentum_twist / L), naik's exp(2 pi i twist / L). */
static naik_status twist(milc_words *w, double out[NAIK_DIM - 1])
{
    naik_status status = milc_words_key(w, "momentum_twist");
    for (int i = 0; i < NAIK_DIM - 1 && status == NAIK_OK; i++) {
        status = milc_words_take(w, "momentum_twist");
        if (status == NAIK_OK && !(naik_text_real(w->word, &out[i]) && fabs(out[i]) <= 2000)) {
            return milc_words_refuse(
                w, w->word_line, "'momentum_twist' must be numbers from -2000 to 2000, not '%s'",
                w->word);
        }
        out[i] /= 2;
    }
    return status;
}

static naik_status check(milc_words *w, milc_input *in, bool *solves)
{
    NAIK_PASS(milc_words_key(w, "check"));
    NAIK_PASS(milc_words_take(w, "check"));
    *solves = strcmp(w->word, "sourceonly") != 0;
    if (!*solves) {
        fprintf(in->notes, "line %d: check sourceonly: nothing is solved\n", w->word_line);
    } else if (strcmp(w->word, "yes") != 0 && strcmp(w->word, "no") != 0) {
        return milc_words_refuse(w, w->word_line, "'check' must be yes, no or sourceonly, not '%s'",
                                 w->word);
    }
    return NAIK_OK;
}

naik_status milc_charge_read(milc_words *w, bool *dropped)
{
    bool there = false;
    double charge = 0;
    NAIK_PASS(milc_words_skip(w, "charge", &there));
    if (there) {
        NAIK_PASS(milc_words_take(w, "charge"));
        if (!naik_text_real(w->word, &charge) || charge != 0) {
            milc_words_obstacle(w, w->word_line, "'charge %s' cannot be expressed", w->word);
            *dropped = true;
        }
    }
    return NAIK_OK;
}

static naik_status set_head(milc_words *w, milc_input *in, milc_set *set)
{
    int iterations = 0, restarts = 0;
    bool other = false;
    const char *word = NULL;
    /* How the work is grouped and which solver does it: naik decides by itself. */
    NAIK_PASS(milc_words_option(w, "set_type", 1));
    NAIK_PASS(milc_words_option(w, "inv_type", 1));
    NAIK_PASS(milc_words_option(w, "MGparams", 1));
    NAIK_PASS(milc_words_ints(w, "max_cg_iterations", 1, 1, INT_MAX, &iterations));
    NAIK_PASS(milc_words_ints(w, "max_cg_restarts", 1, 1, INT_MAX, &restarts));
    const int64_t most = (int64_t)iterations * restarts;
    in->max_iterations = most > in->max_iterations ? most : in->max_iterations;
    NAIK_PASS(milc_words_option(w, "max_inner_cg_iterations", 1));
    NAIK_PASS(milc_words_option(w, "deflate", 1));
    NAIK_PASS(check(w, in, &set->solves));
    NAIK_PASS(twist(w, set->twist));
    set->twist_line = w->word_line;
    NAIK_PASS(milc_boundary_read(w, in, &other));
    set->dropped = set->dropped || other;
    NAIK_PASS(milc_words_option(w, "precision", 1));
    NAIK_PASS(milc_charge_read(w, &set->dropped));
    NAIK_PASS(milc_words_look(w, &word));
    set->has_mass = strcmp(word, "mass") == 0;
    if (set->has_mass) {
        NAIK_PASS(milc_mass_read(w, &set->mass));
        NAIK_PASS(milc_epsilon_read(w, in, &set->epsilon));
    }
    return NAIK_OK;
}

/* A stored propagator is where MILC begins to solve; naik begins at zero, and ends as near. */
static naik_status propagator_files(milc_words *w, milc_input *in)
{
    NAIK_PASS(milc_words_take(w, "fresh_ksprop"));
    if (strncmp(w->word, "reload_", 7) == 0) {
        const int line = w->word_line;
        NAIK_PASS(milc_words_take(w, "the name of the propagator's file"));
        fprintf(in->notes,
                "line %d: %s is not read: naik solves from zero; solve[].guess reads it\n", line,
                w->word);
    } else if (strcmp(w->word, "fresh_ksprop") != 0) {
        return milc_words_refuse(w, w->word_line,
                                 "expected 'fresh_ksprop' or 'reload_...', found '%s'", w->word);
    }
    NAIK_PASS(milc_words_take(w, "forget_ksprop"));
    if (strncmp(w->word, "save_", 5) == 0) {
        const int line = w->word_line;
        NAIK_PASS(milc_words_take(w, "the name of the propagator's file"));
        fprintf(in->notes, "line %d: %s: all propagators go into output.file\n", line, w->word);
        in->stores = true;
    } else if (strcmp(w->word, "forget_ksprop") != 0) {
        return milc_words_refuse(w, w->word_line,
                                 "expected 'forget_ksprop' or 'save_...', found '%s'", w->word);
    }
    return NAIK_OK;
}

/* naik has one rel_error for all: the least, where they differ. */
naik_status milc_errors_read(milc_words *w, milc_input *in, milc_propagator *p)
{
    NAIK_PASS(milc_words_real(w, "error_for_propagator", &p->error));
    NAIK_PASS(milc_words_real(w, "rel_error_for_propagator", &p->relative_error));
    const int line = w->word_line;
    NAIK_PASS(milc_words_option(w, "mixed_rsq", 1));
    NAIK_PASS(milc_words_option(w, "rebuild_type", 1));
    if (p->dropped) {
        return NAIK_OK;
    }
    if (!(p->error >= 0) || !(p->relative_error >= 0) || p->error + p->relative_error == 0) {
        return milc_words_refuse(w, line,
                                 "one of error_for_propagator and rel_error_for_propagator must "
                                 "be above 0");
    }
    if (in->has_errors && p->relative_error != in->relative_error) {
        const double a = p->relative_error, b = in->relative_error;
        in->relative_error = a == 0 || b == 0 ? fmax(a, b) : fmin(a, b);
        fprintf(in->notes, "line %d: all propagators are solved to rel_error_for_propagator %g\n",
                line, in->relative_error);
    } else {
        in->relative_error = p->relative_error;
    }
    in->has_errors = true;
    return NAIK_OK;
}

static naik_status source_of(milc_words *w, const milc_input *in, int first_source, int *source)
{
    naik_status status =
        milc_words_ints(w, "source", 1, 0, in->source_count - first_source - 1, source);
    *source += first_source;
    return status;
}

bool milc_same_source(const milc_source *a, const milc_source *b)
{
    return a->type == b->type && memcmp(a->origin, b->origin, sizeof a->origin) == 0 &&
           memcmp(a->momentum, b->momentum, sizeof a->momentum) == 0 && a->radius == b->radius &&
           a->iterations == b->iterations && memcmp(a->corner, b->corner, sizeof a->corner) == 0 &&
           a->spin_taste == b->spin_taste && a->subset == b->subset && a->noise == b->noise &&
           a->seed == b->seed && strcmp(a->file, b->file) == 0;
}

/* The first propagator with the same solution, which need be found only once. */
static int first_like(const milc_input *in, const milc_propagator *p)
{
    for (int i = 0; i < in->propagator_count; i++) {
        const milc_propagator *q = &in->propagators[i];
        if (!q->dropped && q->mass == p->mass && q->epsilon == p->epsilon && q->error == p->error &&
            q->relative_error == p->relative_error && milc_same_twist(p, q) &&
            milc_same_source(&in->sources[q->source], &in->sources[p->source])) {
            return i;
        }
    }
    return in->propagator_count;
}

static naik_status propagator(milc_words *w, milc_input *in, const milc_set *set, int first_source,
                              int first_propagator)
{
    if (in->propagator_count >= MILC_MAX_PROPAGATORS) {
        return milc_words_refuse(w, w->word_line, "more than %d propagators",
                                 (int)MILC_MAX_PROPAGATORS);
    }
    milc_propagator *p = &in->propagators[in->propagator_count];
    *p = (milc_propagator){
        .source = set->source, .set = in->set_count, .mass = set->mass, .epsilon = set->epsilon};
    NAIK_PASS(set->has_mass ? source_of(w, in, first_source, &p->source)
                            : milc_mass_read(w, &p->mass));
    p->line = w->word_line;
    if (!set->has_mass) {
        NAIK_PASS(milc_epsilon_read(w, in, &p->epsilon));
    }
    p->dropped = set->dropped || !set->solves || in->sources[p->source].dropped;
    if (in->sources[p->source].dropped && set->solves) {
        milc_words_obstacle(w, p->line, "propagator %d needs source %d, which cannot be expressed",
                            in->propagator_count - first_propagator, p->source - first_source);
    }
    memcpy(p->twist, set->twist, sizeof p->twist);
    NAIK_PASS(milc_words_option(w, "deflate", 1));
    NAIK_PASS(milc_errors_read(w, in, p));
    NAIK_PASS(propagator_files(w, in));
    p->same_as = p->dropped ? -1 : first_like(in, p);
    if (p->same_as >= 0 && p->same_as < in->propagator_count) {
        fprintf(in->notes, "line %d: propagator %d is solved already (line %d)\n", p->line,
                in->propagator_count - first_propagator, in->propagators[p->same_as].line);
        p->dropped = true;
    }
    in->propagator_count++;
    return NAIK_OK;
}

/* MILC's branch master puts the phases of a twist on a source itself, once for each propagator, and leaves
 * them there. They are 1 of a point at coordinate_origin, from where they are counted. */
static void note_turns(milc_input *in, const milc_set *set, int first_source, int first)
{
    const bool twisted = !naik_twist_none(set->twist);
    for (int i = first; i < in->propagator_count; i++) {
        in->turns[in->propagators[i].source] += twisted && set->solves;
    }
    for (int i = first; i < in->propagator_count && set->solves; i++) {
        const int number = in->propagators[i].source;
        const milc_source *s = &in->sources[number];
        const bool there = s->type == NAIK_SOURCE_POINT && s->spin_taste == 0 &&
                           memcmp(s->origin, in->coordinate_origin, 3 * sizeof(int)) == 0;
        if (in->turns[number] != (int)twisted && !there) {
            fprintf(in->notes,
                    "line %d: momentum_twist: MILC's branch master puts the phases of a twist on "
                    "source %d once for each of its propagators, and leaves them there: MILC has "
                    "other numbers until each propagator has a source of its own, such as a "
                    "modified source with identity\n",
                    set->twist_line, number - first_source);
            return;
        }
    }
}

naik_status milc_sets_read(milc_words *w, milc_input *in, int first_source)
{
    const int first_propagator = in->propagator_count;
    int count = 0, propagators = 0;
    milc_words_stanza(w, "sets", -1);
    w->parting = true;
    NAIK_PASS(milc_words_ints(w, "number_of_sets", 1, 0, MILC_MAX_PROPAGATORS, &count));
    for (int i = 0; i < count; i++) {
        milc_set set = {.source = -1};
        const int first = in->propagator_count;
        milc_words_stanza(w, "set", i);
        NAIK_PASS(set_head(w, in, &set));
        if (!set.has_mass) {
            NAIK_PASS(source_of(w, in, first_source, &set.source));
        }
        NAIK_PASS(
            milc_words_ints(w, "number_of_propagators", 1, 0, MILC_MAX_PROPAGATORS, &propagators));
        for (int k = 0; k < propagators; k++) {
            NAIK_PASS(propagator(w, in, &set, first_source, first_propagator));
        }
        note_turns(in, &set, first_source, first);
        in->set_count++;
    }
    return NAIK_OK;
}
