/* milc_noise.c - what is made of noise: the condensate of ks_spectrum, the condensate and the currents of
 * ks_measure
 *
 * ks_measure was compiled for one of the two, which the keys of a set tell: source_spacing is of currents.
 */
#include <limits.h>
#include <string.h>

#include "milc/milc_input.h"

enum { MOST_MASSES = 100, MOST_SETS = 1000 };

/* What a set of masses has in common. */
typedef struct noise_set {
    int repeats, spacing; /* spacing 0: all sites at once */
    bool dropped;
} noise_set;

/* One noise source in front of which all masses stand, as many times as the set says. */
static naik_status add_noise(milc_words *w, milc_input *in, const milc_propagator *masses,
                             int count, const noise_set *set)
{
    for (int k = 0; k < set->repeats; k++) {
        if (in->source_count >= MILC_MAX_SOURCES ||
            in->propagator_count + count > MILC_MAX_PROPAGATORS) {
            return milc_words_refuse(w, w->word_line, "more than %d sources or %d propagators",
                                     (int)MILC_MAX_SOURCES, (int)MILC_MAX_PROPAGATORS);
        }
        in->sources[in->source_count] =
            (milc_source){.type = NAIK_SOURCE_RANDOM_VOLUME,
                          .noise = NAIK_NOISE_Z2,
                          .spacing = set->spacing,
                          .seed = (uint64_t)in->seed + (uint64_t)in->source_count};
        for (int m = 0; m < count; m++) {
            milc_propagator *p = &in->propagators[in->propagator_count];
            *p = masses[m];
            p->source = in->source_count;
            p->set = in->condensate_count;
            p->same_as = in->propagator_count++;
        }
        in->source_count++;
        in->condensate_count++;
    }
    return NAIK_OK;
}

static naik_status steps(milc_words *w, milc_input *in)
{
    int iterations = 0, restarts = 0;
    NAIK_PASS(milc_words_ints(w, "max_cg_iterations", 1, 1, INT_MAX, &iterations));
    NAIK_PASS(milc_words_ints(w, "max_cg_restarts", 1, 1, INT_MAX, &restarts));
    const int64_t most = (int64_t)iterations * restarts;
    in->max_iterations = most > in->max_iterations ? most : in->max_iterations;
    return NAIK_OK;
}

static naik_status repeats(milc_words *w, noise_set *set)
{
    return milc_words_ints(w, "npbp_reps", 1, 1, MILC_MAX_SOURCES, &set->repeats);
}

static void note_condensate(const milc_input *in, int line)
{
    fprintf(
        in->notes,
        "line %d: condensate: over the lattice's volume naik's is the mean of MILC's even and odd "
        "pbp; noise is Z2, each colour by itself, from other random numbers\n",
        line);
}

naik_status milc_condensate_read(milc_words *w, milc_input *in)
{
    milc_propagator masses[MOST_MASSES];
    noise_set set = {.repeats = 1};
    int count = 0;
    bool there = false;
    milc_words_stanza(w, "condensate", -1);
    NAIK_PASS(milc_words_skip(w, "number_of_pbp_masses", &there));
    if (there) {
        NAIK_PASS(milc_words_int(w, "number_of_pbp_masses", 0, MOST_MASSES, &count));
    }
    const int line = w->word_line;
    if (count == 0) {
        return NAIK_OK;
    }
    NAIK_PASS(steps(w, in));
    NAIK_PASS(repeats(w, &set));
    NAIK_PASS(milc_words_option(w, "prec_pbp", 1));
    for (int m = 0; m < count; m++) {
        masses[m] = (milc_propagator){.condensate = true};
        NAIK_PASS(milc_mass_read(w, &masses[m].mass));
        masses[m].line = w->word_line;
        NAIK_PASS(milc_epsilon_read(w, in, &masses[m].epsilon));
        NAIK_PASS(milc_errors_read(w, in, &masses[m]));
    }
    NAIK_PASS(add_noise(w, in, masses, count, &set));
    note_condensate(in, line);
    return NAIK_OK;
}

/* The keys of currents, where the set is of them. */
static naik_status currents(milc_words *w, milc_input *in, noise_set *set, bool *loops)
{
    NAIK_PASS(milc_words_skip(w, "source_spacing", loops));
    if (!*loops) {
        return NAIK_OK;
    }
    NAIK_PASS(milc_words_int(w, "source_spacing", 2, INT_MAX, &set->spacing));
    const int line = w->word_line;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if (in->size[mu] % set->spacing != 0 && !set->dropped) {
            milc_words_obstacle(w, line,
                                "'source_spacing %d' cannot be expressed: it does not divide the "
                                "extents of the lattice",
                                set->spacing);
            set->dropped = true;
        }
    }
    NAIK_PASS(milc_words_key(w, "take_truncate_diff"));
    NAIK_PASS(milc_words_take(w, "take_truncate_diff"));
    if (strcmp(w->word, "yes") == 0) {
        milc_words_obstacle(w, w->word_line,
                            "'take_truncate_diff yes' cannot be expressed: naik makes no loops of "
                            "sloppy noise; with no all of its solves are exact");
        set->dropped = true;
    } else if (strcmp(w->word, "no") != 0) {
        return milc_words_refuse(w, w->word_line,
                                 "'take_truncate_diff' must be yes or no, not '%s'", w->word);
    }
    const char *other = milc_other_links(in);
    if (other != NULL && !set->dropped) {
        milc_words_obstacle(w, line, "currents cannot be expressed: %s", other);
        set->dropped = true;
    }
    return NAIK_OK;
}

/* The masses of a set, one after the other. */
static naik_status read_masses(milc_words *w, milc_input *in, noise_set *set,
                               milc_propagator *masses, int count)
{
    for (int m = 0; m < count; m++) {
        masses[m] = (milc_propagator){.condensate = true, .dropped = set->dropped};
        NAIK_PASS(milc_mass_read(w, &masses[m].mass));
        masses[m].line = w->word_line;
        NAIK_PASS(milc_epsilon_read(w, in, &masses[m].epsilon));
        NAIK_PASS(milc_charge_read(w, &masses[m].dropped));
        NAIK_PASS(milc_errors_read(w, in, &masses[m]));
        NAIK_PASS(milc_words_option(w, "error_for_propagator_sloppy", 1));
        NAIK_PASS(milc_words_option(w, "rel_error_for_propagator_sloppy", 1));
    }
    return NAIK_OK;
}

/* Masses that are not dropped, and how many there are. */
static int keep(milc_propagator *masses, int count)
{
    int kept = 0;
    for (int m = 0; m < count; m++) {
        if (!masses[m].dropped) {
            masses[kept++] = masses[m];
        }
    }
    return kept;
}

/* kind: of the calculation's sets so far, -1: there was none, 0: condensate, 1: currents. */
static naik_status measure_set(milc_words *w, milc_input *in, int *kind)
{
    milc_propagator masses[MOST_MASSES];
    noise_set set = {.repeats = 1};
    bool loops = false;
    int count = 0;
    NAIK_PASS(repeats(w, &set));
    NAIK_PASS(currents(w, in, &set, &loops));
    if (*kind >= 0 && *kind != (int)loops) {
        return milc_words_refuse(w, w->word_line,
                                 "sets with and without source_spacing are of two programs");
    }
    *kind = loops;
    NAIK_PASS(steps(w, in));
    NAIK_PASS(milc_words_option(w, "prec_pbp", 1));
    NAIK_PASS(milc_words_option(w, "max_cg_iterations_sloppy", 1));
    NAIK_PASS(milc_words_option(w, "max_cg_restarts_sloppy", 1));
    NAIK_PASS(milc_words_option(w, "prec_pbp_sloppy", 1));
    NAIK_PASS(milc_words_ints(w, "number_of_pbp_masses", 1, 0, MOST_MASSES, &count));
    NAIK_PASS(read_masses(w, in, &set, masses, count));
    count = keep(masses, count);
    if (loops && count > 1) {
        fprintf(in->notes,
                "line %d: currents of %d masses: MILC writes differences of masses, which its "
                "headings name (MASS a minus MASS b), naik the loops of each mass\n",
                masses[0].line, count);
    }
    if (count > 0) {
        NAIK_PASS(add_noise(w, in, masses, count, &set));
    }
    return NAIK_OK;
}

static void note_currents(const milc_input *in, int line)
{
    fprintf(in->notes,
            "line %d: currents: the imaginary parts of the loops GX-G1, GY-G1, GZ-G1 and GT-G1 "
            "estimate JTMU of MILC, in t as the mean of the slices t and t - 1: naik takes both "
            "neighbours of a site, MILC the forward one; noise is Z2, each colour by itself, "
            "from other random numbers\n",
            line);
}

naik_status milc_measure_read(milc_words *w, milc_input *in)
{
    int count = 0, kind = in->propagator_count == 0 ? -1 : (int)in->loops;
    const int before = in->propagator_count;
    milc_words_stanza(w, "sets", -1);
    w->parting = true;
    NAIK_PASS(milc_words_ints(w, "number_of_sets", 1, 0, MOST_SETS, &count));
    const int line = w->word_line;
    for (int k = 0; k < count; k++) {
        milc_words_stanza(w, "set", k);
        NAIK_PASS(measure_set(w, in, &kind));
    }
    in->loops = kind == 1;
    if (before > 0 || in->propagator_count == 0) {
        return NAIK_OK;
    }
    if (in->loops) {
        note_currents(in, line);
        return NAIK_OK;
    }
    note_condensate(in, line);
    fprintf(in->notes,
            "line %d: naik makes no FACTION, and none of what some builds of ks_measure add: "
            "TR_MM_INV, and derivatives by u0, naik_term_epsilon and the chemical potential\n",
            line);
    return NAIK_OK;
}
