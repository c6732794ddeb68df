/* milc_input.c - an input file of MILC's ks_spectrum or ks_measure: lattice and configuration
 *
 * Such a file is a sequence of keys and values in a fixed order, one calculation after the other;
 * which keys there are depends on how the program was compiled, so those of some builds only are
 * skipped where absent. What naik cannot do is an obstacle, of which all are found; what makes no
 * difference to the answer (how to iterate, labels) is dropped; what the user should know is noted.
 */
#include "milc/milc_input.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/text.h"

static naik_status header(milc_words *w, milc_input *in)
{
    static const char *const extents[] = {"nx", "ny", "nz", "nt"};
    int ignored[NAIK_DIM];
    bool there = false;
    char job[MILC_WORD_SIZE];
    milc_words_stanza(w, "lattice", -1);
    w->parting = true;
    NAIK_PASS(milc_words_skip(w, "prompt", &there));
    if (there) {
        NAIK_PASS(milc_words_int(w, "prompt", 0, 2, ignored));
    }
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        NAIK_PASS(milc_words_ints(w, extents[mu], 1, 2, 32768, &in->size[mu]));
    }
    NAIK_PASS(milc_words_option(w, "node_geometry", NAIK_DIM));
    NAIK_PASS(milc_words_option(w, "subnode_geometry", NAIK_DIM));
    NAIK_PASS(milc_words_option(w, "ionode_geometry", NAIK_DIM));
    NAIK_PASS(milc_words_ints(w, "iseed", 1, 0, INT_MAX, &in->seed));
    return milc_words_text(w, "job_id", job);
}

/* *another: a configuration of its own; *again: the one that is in memory, fixed or not. */
static naik_status starting_lattice(milc_words *w, milc_input *in, bool *another, bool *again)
{
    *another = false;
    *again = false;
    NAIK_PASS(milc_words_take(w, "reload_serial or reload_parallel"));
    const int line = w->word_line;
    const bool first = in->gauge_file[0] == '\0';
    if (strcmp(w->word, "continue") == 0 && !first) {
        *again = true;
        return NAIK_OK;
    }
    if (strcmp(w->word, "reload_serial") != 0 && strcmp(w->word, "reload_parallel") != 0) {
        return milc_words_refuse(w, line,
                                 "'%s' cannot be expressed; naik reads a configuration from a "
                                 "file (reload_serial, reload_parallel)",
                                 w->word);
    }
    NAIK_PASS(milc_words_take(w, "the name of the configuration"));
    if (!first && strcmp(w->word, in->gauge_file) != 0) {
        milc_words_obstacle(w, line,
                            "a second configuration cannot be expressed; one input of naik is for "
                            "one configuration");
        *another = true;
        return NAIK_OK;
    }
    memcpy(in->gauge_file, w->word, sizeof in->gauge_file);
    NAIK_PASS(milc_words_option(w, "series", 1));
    return milc_words_option(w, "trajectory", 1);
}

/* "dir/l8888.1" to "l8888.1.coulomb.h5", in the folder where the run will be. */
static void name_fixed(milc_input *in, const char *condition)
{
    const char *slash = strrchr(in->gauge_file, '/');
    snprintf(in->fixed_file, sizeof in->fixed_file, "%s.%s.h5",
             slash != NULL ? slash + 1 : in->gauge_file, condition);
}

/* Gauge fixing is a step before. Every calculation of the file must want the same configuration:
 * `again` is the one that the last calculation left in memory. */
static naik_status gauge_fix(milc_words *w, milc_input *in, bool first, bool again, bool *another)
{
    static const char *const words[] = {[MILC_UNFIXED] = "no_gauge_fix",
                                        [MILC_COULOMB] = "coulomb_gauge_fix",
                                        [MILC_LANDAU] = "landau_gauge_fix"};
    static const char *const names[] = {
        [MILC_UNFIXED] = "", [MILC_COULOMB] = "coulomb", [MILC_LANDAU] = "landau"};
    naik_status status = milc_words_take(w, words[MILC_UNFIXED]);
    int wanted = MILC_UNFIXED;
    while (status == NAIK_OK && wanted <= MILC_LANDAU && strcmp(w->word, words[wanted]) != 0) {
        wanted++;
    }
    if (status != NAIK_OK || wanted > MILC_LANDAU) {
        return status != NAIK_OK
                   ? status
                   : milc_words_refuse(w, w->word_line, "expected '%s', '%s' or '%s', found '%s'",
                                       words[0], words[1], words[2], w->word);
    }
    if (first && wanted != MILC_UNFIXED) {
        in->gauge = wanted;
        name_fixed(in, names[wanted]);
        fprintf(in->notes, "line %d: %s: first run: naik gauge fix %s -o %s --gauge %s\n",
                w->word_line, w->word, in->gauge_file, in->fixed_file, names[wanted]);
    }
    wanted = wanted == MILC_UNFIXED && again ? (int)in->gauge : wanted;
    if (wanted != (int)in->gauge) {
        milc_words_obstacle(w, w->word_line,
                            "one configuration in two gauges cannot be expressed; make two inputs");
        *another = true;
    }
    return NAIK_OK;
}

/* What is saved of the configuration. */
static naik_status saving(milc_words *w)
{
    NAIK_PASS(milc_words_take(w, "forget"));
    if (strcmp(w->word, "forget") != 0) {
        milc_words_obstacle(w, w->word_line,
                            "'%s' cannot be expressed; `naik gauge convert` writes "
                            "configurations, write forget here",
                            w->word);
        NAIK_PASS(milc_words_take(w, "the name of a configuration"));
        NAIK_PASS(milc_words_option(w, "ILDG_LFN", 1));
    }
    return NAIK_OK;
}

/* Even coordinates leave the phases as they are, and an even t moves the antiperiodic link: the
 * solution only gets a sign on the time slices between, which no meson of sources on one side sees. */
static naik_status origin(milc_words *w, milc_input *in)
{
    int r[NAIK_DIM] = {0};
    NAIK_PASS(milc_words_ints(w, "coordinate_origin", NAIK_DIM, INT_MIN, INT_MAX, r));
    if (r[0] % 2 != 0 || r[1] % 2 != 0 || r[2] % 2 != 0 || r[3] % 2 != 0) {
        return milc_words_refuse(w, w->word_line,
                                 "a coordinate_origin that is odd cannot be expressed: the phases "
                                 "of naik begin at 0 0 0 0");
    }
    memcpy(in->coordinate_origin, r, sizeof r);
    in->moves_boundary = r[3] % in->size[3] != 0;
    return NAIK_OK;
}

/* Builds for anisotropic lattices have the anisotropy of the quarks; that of the others is 1. */
static naik_status anisotropy(milc_words *w)
{
    static const char *const keys[] = {"ani_xiq", "iso_xiq"};
    NAIK_PASS(milc_words_option(w, "ani_dir", 1));
    for (int i = 0; i < 2; i++) {
        const char *word = NULL;
        double factor = 1;
        NAIK_PASS(milc_words_look(w, &word));
        if (strcmp(word, keys[i]) == 0) {
            NAIK_PASS(milc_words_real(w, keys[i], &factor));
        }
        if (factor != 1) {
            return milc_words_refuse(
                w, w->word_line, "'%s %s' cannot be expressed: the quarks of naik are isotropic",
                keys[i], w->word);
        }
    }
    return NAIK_OK;
}

static naik_status gauge(milc_words *w, milc_input *in, bool *another)
{
    double u0 = 0, weight = 0;
    int steps = 0;
    const char *word = NULL;
    bool other = false, again = false;
    const bool first = in->gauge_file[0] == '\0';
    milc_words_stanza(w, "gauge field", -1);
    NAIK_PASS(starting_lattice(w, in, another, &again));
    if (*another) {
        return NAIK_OK;
    }
    NAIK_PASS(milc_words_real(w, "u0", &u0));
    if (!first && u0 != in->u0) {
        milc_words_obstacle(w, w->word_line,
                            "two u0 in one file cannot be expressed; make two inputs");
        *another = true;
        return NAIK_OK;
    }
    in->u0 = u0;
    /* ks_measure fixes no gauge, and has no word for it. */
    NAIK_PASS(milc_words_look(w, &word));
    in->measures = strcmp(word, "forget") == 0 || strncmp(word, "save_", 5) == 0;
    if (!in->measures) {
        NAIK_PASS(gauge_fix(w, in, first, again, another));
    }
    if (*another) {
        return NAIK_OK;
    }
    NAIK_PASS(saving(w));
    /* Only covariant sources and funny walls look at smeared links. */
    NAIK_PASS(milc_words_option(w, "fresh_ape", 0));
    NAIK_PASS(milc_words_real(w, "staple_weight", &weight));
    NAIK_PASS(milc_words_ints(w, "ape_iter", 1, 0, INT_MAX, &steps));
    in->smears_links = weight != 0 && steps > 0;
    NAIK_PASS(milc_words_option(w, "forget_ape", 0));
    NAIK_PASS(origin(w, in));
    const int line = w->word_line;
    NAIK_PASS(milc_boundary_read(w, in, &other));
    NAIK_PASS(anisotropy(w));
    if (in->moves_boundary) {
        fprintf(in->notes,
                "line %d: coordinate_origin: naik has the boundary at t = 0; propagators and "
                "nucleons have the other sign where t or their source, not both, lies between that "
                "and MILC's, mesons the same\n",
                line);
    }
    *another = other;
    return NAIK_OK;
}

/* Modes only help the solver, and which keys there are depends on who makes them; the first is one of
 * few, and any other word is no key of modes. */
static naik_status eigenpairs(milc_words *w, milc_input *in)
{
    static const char *const stops[] = {"number_of_pbp_masses", "number_of_base_sources",
                                        "number_of_sets", NULL};
    static const char *const begins[] = {
        "max_number_of_eigenpairs", "Number_of_eigenvals", "Number_of_eigenvals_per_inversion",
        "Max_Rayleigh_iters",       "restart_lanczos",     NULL};
    const char *word = NULL;
    int64_t count = 0;
    milc_words_stanza(w, "eigenpairs", -1);
    w->parting = true;
    NAIK_PASS(milc_words_look(w, &word));
    if (naik_text_is_among(word, stops, -1)) {
        return NAIK_OK;
    }
    const int line = w->word_line;
    if (!naik_text_is_among(word, begins, -1)) {
        return milc_words_key(w, stops[in->measures ? 2 : 0]);
    }
    if (strcmp(word, begins[0]) == 0) {
        NAIK_PASS(milc_words_take(w, begins[0]));
        NAIK_PASS(milc_words_take(w, begins[0]));
        if (naik_text_int64(w->word, &count) && count == 0) {
            return NAIK_OK;
        }
    }
    fprintf(in->notes,
            "line %d: eigenpairs are neither made nor read nor saved: solves end at the same "
            "residual without them\n",
            line);
    return milc_words_until(w, stops);
}

/* *another: a calculation for another input, which was not read. */
static naik_status calculation(milc_words *w, milc_input *in, bool *another)
{
    NAIK_PASS(gauge(w, in, another));
    if (*another) {
        return NAIK_OK;
    }
    NAIK_PASS(eigenpairs(w, in));
    if (in->measures) {
        return milc_measure_read(w, in);
    }
    NAIK_PASS(milc_condensate_read(w, in));
    const int first_source = in->source_count, first_propagator = in->propagator_count;
    NAIK_PASS(milc_sources_read(w, in));
    NAIK_PASS(milc_sets_read(w, in, first_source));
    return milc_correlators_read(w, in, first_propagator);
}

/* ... and gives hadrons the new places. */
static void remove_dropped(milc_input *in)
{
    int kept = 0;
    for (int i = 0; i < in->propagator_count; i++) {
        if (!in->propagators[i].dropped) {
            in->propagators[i].same_as = kept; /* where it goes */
            kept++;
        }
    }
    for (int i = 0; i < in->hadron_count; i++) {
        milc_hadron *h = &in->hadrons[i];
        for (int k = 0; k < h->count; k++) {
            h->of[k] = in->propagators[h->of[k]].same_as;
        }
    }
    for (int i = 0; i < in->propagator_count; i++) {
        if (!in->propagators[i].dropped) {
            in->propagators[in->propagators[i].same_as] = in->propagators[i];
        }
    }
    in->propagator_count = kept;
}

naik_status milc_input_read(milc_words *w, milc_input *out)
{
    const char *word = NULL;
    bool another = false;
    out->antiperiodic = true;
    NAIK_PASS(header(w, out));
    do {
        NAIK_PASS(calculation(w, out, &another));
        if (!another) {
            NAIK_PASS(milc_words_look(w, &word));
        }
    } while (!another && word[0] != '\0');
    remove_dropped(out);
    return NAIK_OK;
}
