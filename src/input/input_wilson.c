/* input_wilson.c - checks of what some kinds of quarks have and others do not */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "input/input_table.h"
#include "lattice/source_kind.h"
#include "propagator/spin_taste.h"
#include "solver/bicgstab.h"

/* (2m)^2 is added to an operator in single precision, whose numbers end at 1e-38. */
#define LEAST_SHIFT 1e-18

enum { PATH_SIZE = 160 };

static bool is_given(const naik_input *input, const char *path)
{
    return naik_yaml_find(input->tree->root, path) != NULL;
}

static bool has_spin(const naik_quark_kind *kind)
{
    return kind->spin > 1;
}

static bool has_kappa(const naik_quark_kind *kind)
{
    return naik_quark_number_of(kind, "kappa") != NULL;
}

static bool has_choices(const naik_quark_kind *kind)
{
    return kind->solvers[1] != NULL;
}

static bool has_short_links(const naik_quark_kind *kind)
{
    return kind->short_links;
}

/* "wilson, clover and twisted_mass" */
static const char *name_kinds(bool (*which)(const naik_quark_kind *kind),
                              char words[NAIK_INPUT_SPIN_WORDS])
{
    int left = 0;
    for (int i = 0; naik_quark_kinds[i] != NULL; i++) {
        left += which(naik_quark_kinds[i]);
    }
    words[0] = '\0';
    for (int i = 0; naik_quark_kinds[i] != NULL; i++) {
        if (which(naik_quark_kinds[i])) {
            left--;
            naik_text_append(words, NAIK_INPUT_SPIN_WORDS, "%s%s", naik_quark_kinds[i]->name,
                             left > 1    ? ", "
                             : left == 1 ? " and "
                                         : "");
        }
    }
    return words;
}

const char *naik_input_spin_words(char words[NAIK_INPUT_SPIN_WORDS])
{
    return name_kinds(has_spin, words);
}

/* A key that is given and does not apply to the input's kind. */
static naik_status refuse_of_others(naik_log *log, const naik_input *input, const char *key,
                                    bool (*which)(const naik_quark_kind *kind))
{
    char words[NAIK_INPUT_SPIN_WORDS];
    return is_given(input, key) && !which(input->kind)
               ? naik_input_refuse(log, input, key, "'%s' applies to action.type %s only", key,
                                   name_kinds(which, words))
               : NAIK_OK;
}

naik_status naik_input_check_masses(naik_log *log, const naik_input *input, const char *masses,
                                    const char *kappas, const naik_reals *given, int kappa_count)
{
    const bool kappa = has_kappa(input->kind);
    const char *key = strrchr(masses, '.') + 1, *other = strrchr(kappas, '.') + 1;
    NAIK_PASS(refuse_of_others(log, input, kappas, has_kappa));
    if (kappa_count > 0 && given->count > 0) {
        return naik_input_refuse(log, input, kappas,
                                 "'%s' and %s are two names of the same quarks: give one of them",
                                 kappas, key);
    }
    if (kappa_count == 0 && given->count == 0) {
        return naik_input_refuse(log, input, masses, "key '%s' is missing%s%s%s%s", masses,
                                 kappa ? ": give " : "", kappa ? key : "", kappa ? " or " : "",
                                 kappa ? other : "");
    }
    for (int m = 0; m < given->count; m++) {
        const double mass = given->data[m], least = input->kind->ops->least_mass;
        if (!(mass > least)) {
            return naik_input_refuse(log, input, masses, "'%s' must be above %g, not %g", masses,
                                     least, mass);
        }
        if (naik_quark_shifts(input->kind) && mass < LEAST_SHIFT) {
            return naik_input_refuse(log, input, masses,
                                     "'%s' %g is too small: its square must be a number in single "
                                     "precision, so that %g is the least",
                                     masses, mass, LEAST_SHIFT);
        }
    }
    return NAIK_OK;
}

/* Of a sequential source: the mass or kappa of its propagator, one of them. */
static naik_status check_source_mass(naik_log *log, const naik_input *input, int index)
{
    char mass[PATH_SIZE], kappa[PATH_SIZE], epsilon[PATH_SIZE];
    snprintf(mass, sizeof mass, "solve.%d.source.mass", index);
    snprintf(kappa, sizeof kappa, "solve.%d.source.kappa", index);
    snprintf(epsilon, sizeof epsilon, "solve.%d.source.naik_epsilon", index);
    if (!naik_source_is_sequential(&input->solve[index].source)) {
        return NAIK_OK;
    }
    NAIK_PASS(refuse_of_others(log, input, kappa, has_kappa));
    if (is_given(input, epsilon) && input->kind->spin > 1) {
        return naik_input_refuse(log, input, epsilon, "'%s' applies to staggered quarks only",
                                 epsilon);
    }
    if (is_given(input, kappa) && is_given(input, mass)) {
        return naik_input_refuse(log, input, kappa,
                                 "'%s' and mass are two names of the same quark: give one of them",
                                 kappa);
    }
    if (!is_given(input, kappa) && !is_given(input, mass)) {
        return naik_input_refuse(log, input, mass,
                                 "key '%s' is missing; source type sequential needs it%s", mass,
                                 has_kappa(input->kind) ? ", or kappa" : "");
    }
    return NAIK_OK;
}

/* The word that names the same meson of the other quarks; NULL if there is none. */
static const char *counterpart(const char *word)
{
    static const char *const pairs[][2] = {
        {"pion", "pion5"}, {"rho_x", "rhox"}, {"rho_y", "rhoy"}, {"rho_z", "rhoz"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        for (int k = 0; k < 2; k++) {
            if (strcmp(word, pairs[i][k]) == 0) {
                return pairs[i][1 - k];
            }
        }
    }
    return NULL;
}

static naik_status check_correlators(naik_log *log, const naik_input *input, const char *path,
                                     const naik_ints *asked)
{
    char words[NAIK_INPUT_SPIN_WORDS];
    for (int i = 0; i < asked->count && is_given(input, path); i++) {
        const int number = asked->data[i];
        const bool shifts = naik_correlator_is_spin_taste(number);
        const bool of_spin = number >= (int)NAIK_MESONS && !shifts;
        if (naik_correlator_is_current(number)) {
            continue; /* all quarks have it */
        }
        if (shifts && input->kind->links == NAIK_QUARK_STORED) {
            return naik_input_check_smearing(log, input, path,
                                             naik_input_written(input, path, i, number));
        }
        if (of_spin != has_spin(input->kind)) {
            const char *word = naik_input_written(input, path, i, number);
            const char *other = counterpart(word);
            return naik_input_refuse(log, input, path, "'%s': %s is for %s quarks%s%s", path, word,
                                     of_spin ? naik_input_spin_words(words) : "staggered",
                                     other != NULL ? "; for the quarks of this input write " : "",
                                     other != NULL ? other : "");
        }
    }
    return NAIK_OK;
}

/* A source is one for all masses, and the current has the links of D. */
static naik_status check_current(naik_log *log, const naik_input *input,
                                 const naik_input_solve *solve, const char *path)
{
    const char *name = naik_input_correlator_name(solve->source.spin_taste);
    for (int i = 1; i < solve->naik_epsilon.count; i++) {
        if (solve->naik_epsilon.data[i] != solve->naik_epsilon.data[0]) {
            return naik_input_refuse(log, input, path,
                                     "'%s': %s has the links of one naik_epsilon, and the masses "
                                     "of %s have several: give each an entry of its own",
                                     path, name, solve->name);
        }
    }
    for (int i = 0; i < input->three_point_count; i++) {
        const naik_input_three_point *three = &input->three_points[i];
        if (strcmp(three->parent, solve->name) == 0 || strcmp(three->spectator, solve->name) == 0) {
            return naik_input_refuse(log, input, path,
                                     "'%s': naik makes no three-point function of a source with a "
                                     "conserved current, and three_point.%d takes %s",
                                     path, i, solve->name);
        }
    }
    return NAIK_OK;
}

naik_status naik_input_check_operator(naik_log *log, const naik_input *input, int index)
{
    const naik_input_solve *solve = &input->solve[index];
    const int number = solve->source.spin_taste;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "solve.%d.source.spin_taste", index);
    const char *name = naik_input_written(input, path, 0, number);
    if (naik_correlator_is_current(number)) {
        return check_current(log, input, solve, path);
    }
    if (number != 0 && has_spin(input->kind)) {
        return naik_input_refuse(log, input, path,
                                 "'%s': %s is for staggered quarks; on a source of quarks with "
                                 "spin there are the conserved currents, such as "
                                 "conserved_vector_x",
                                 path, name);
    }
    if (number >= (int)NAIK_MESONS && !naik_correlator_is_spin_taste(number)) {
        return naik_input_refuse(log, input, path,
                                 "'%s': %s is no operator of one spin and taste, such as GX-G1, "
                                 "and no conserved current",
                                 path, name);
    }
    if (naik_source_is_shifted(&solve->source) && naik_input_twist(solve) != NULL) {
        return naik_input_refuse(
            log, input, path,
            "'%s': naik makes operators with links, such as %s, only without a twist", path, name);
    }
    return naik_source_is_shifted(&solve->source)
               ? naik_input_check_smearing(log, input, path, name)
               : NAIK_OK;
}

/* The propagators of one sign of the twisted mass stand for one flavour of the doublet, and conjugated
 * for the other; a baryon takes both as they are. */
static naik_status check_flavours(naik_log *log, const naik_input *input)
{
    const char *key = input->baryon_count > 0           ? "baryons"
                      : input->output.baryons.count > 0 ? "output.baryons"
                                                        : NULL;
    if (key != NULL && input->action.mu != 0) {
        return naik_input_refuse(log, input, key,
                                 "'%s': a nucleon needs quarks of mu and of -mu, and a run with "
                                 "action.mu %g has one of them",
                                 key, input->action.mu);
    }
    return NAIK_OK;
}

/* What there is only where the mass is a shift, or of tastes; and what spins leave no room for. */
static naik_status check_limits(naik_log *log, const naik_input *input)
{
    const naik_quark_kind *kind = input->kind;
    const int most = NAIK_MAX_RHS / kind->spin;
    const struct {
        const char *key, *why;
        bool used;
    } staggered[] = {{"solver.multishift",
                      "masses of quarks with spin share no Krylov space once one parity is "
                      "eliminated",
                      input->solver.multishift == NAIK_INPUT_ON && !naik_quark_shifts(kind)},
                     {"deflation.modes",
                      "naik finds and removes low modes for staggered quarks only",
                      input->deflation.modes != 0 && !kind->low_modes}};
    for (size_t i = 0; i < sizeof staggered / sizeof *staggered; i++) {
        if (staggered[i].used) {
            return naik_input_refuse(log, input, staggered[i].key, "'%s': %s", staggered[i].key,
                                     staggered[i].why);
        }
    }
    for (int i = 0; i < input->solve_count; i++) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "solve.%d.source.type", i);
        if (kind->spin > 1 && naik_source_kind_of(input->solve[i].source.type)->tastes) {
            return naik_input_refuse(log, input, path,
                                     "'%s' %s adds up tastes, which only staggered quarks have",
                                     path, naik_source_name(input->solve[i].source.type));
        }
        if (kind->short_links && naik_input_recon(input) != 18 &&
            naik_input_twist(&input->solve[i]) != NULL) {
            return naik_input_refuse(
                log, input, "solver.link_numbers",
                "'solver.link_numbers' %d needs links in SU(3), which those of "
                "a twisted boundary are not: leave it out",
                naik_input_recon(input));
        }
    }
    if (input->solver.batch > most) {
        return naik_input_refuse(log, input, "solver.batch",
                                 "'solver.batch' must be at most %d for quarks with spin, not %d",
                                 most, input->solver.batch);
    }
    return NAIK_OK;
}

static naik_status check_multigrid(naik_log *log, const naik_input *input)
{
    static const char *const keys[] = {
        "vectors",      "aggregate", "start",     "cycles", "smoother",    "coarse_tolerance",
        "coarse_space", "restart",   "precision", "seed",   "setup_kappa", "file"};
    const naik_multigrid_parameters *m = &input->multigrid;
    const bool asked = input->solver.method == NAIK_METHOD_MULTIGRID;
    int mu = 0, extent[NAIK_DIM];
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char key[PATH_SIZE];
        snprintf(key, sizeof key, "multigrid.%s", keys[i]);
        if (is_given(input, key) && !asked && !input->solver.method_auto) {
            return naik_input_refuse(log, input, key,
                                     "'%s' does nothing without solver.method multigrid or auto, "
                                     "of quarks with spin",
                                     key);
        }
    }
    if (!asked && !input->solver.method_auto) {
        return NAIK_OK;
    }
    if (m->vectors % 3 != 0) {
        return naik_input_refuse(log, input, "multigrid.vectors",
                                 "'multigrid.vectors' must be a multiple of 3, not %d", m->vectors);
    }
    if (m->precision != 16 && m->precision != 32) {
        return naik_input_refuse(log, input, "multigrid.precision",
                                 "'multigrid.precision' must be 16 or 32, not %d", m->precision);
    }
    if (!asked && m->aggregate[0] == 0 && !is_given(input, "multigrid.vectors")) {
        return NAIK_OK; /* auto does without where there are none */
    }
    if (asked && input->solver.inner_precision == NAIK_INPUT_DOUBLE) {
        return naik_input_refuse(
            log, input, "solver.inner_precision",
            "'solver.inner_precision': multigrid iterates in single precision: "
            "leave this key out");
    }
    if (!naik_multigrid_aggregate(input->lattice.size, m->aggregate, extent, &mu)) {
        const char *key = m->aggregate[0] > 0 ? "multigrid.aggregate" : "solver.method";
        return naik_input_refuse(
            log, input, key,
            "'%s': multigrid finds no aggregates along %c: in each direction it "
            "needs one aggregate or an even number of them, and an aggregate "
            "needs at least one even extent: give multigrid.aggregate other "
            "extents, or choose solver.method bicgstab",
            key, "xyzt"[mu]);
    }
    const int rows = 6 * extent[0] * extent[1] * extent[2] * extent[3];
    if (m->vectors > rows) {
        return naik_input_refuse(log, input,
                                 is_given(input, "multigrid.vectors") ? "multigrid.vectors"
                                                                      : "solver.method",
                                 "multigrid.vectors %d are more than the %d components of a "
                                 "chirality in an aggregate of "
                                 "%d x %d x %d x %d: give fewer vectors or larger aggregates",
                                 m->vectors, rows, extent[0], extent[1], extent[2], extent[3]);
    }
    return NAIK_OK;
}

naik_status naik_input_check_quarks(naik_log *log, const naik_input *input)
{
    char path[PATH_SIZE], kappas[PATH_SIZE];
    for (int i = 0; i < input->solve_count; i++) {
        const naik_input_solve *solve = &input->solve[i];
        snprintf(path, sizeof path, "solve.%d.masses", i);
        snprintf(kappas, sizeof kappas, "solve.%d.kappas", i);
        NAIK_PASS(
            naik_input_check_masses(log, input, path, kappas, &solve->masses, solve->kappas.count));
        NAIK_PASS(check_source_mass(log, input, i));
        snprintf(path, sizeof path, "solve.%d.correlators", i);
        NAIK_PASS(check_correlators(log, input, path, &input->solve[i].correlators));
    }
    NAIK_PASS(check_correlators(log, input, "output.correlators", &input->output.correlators));
    NAIK_PASS(check_flavours(log, input));
    NAIK_PASS(refuse_of_others(log, input, "solver.method", has_choices));
    NAIK_PASS(check_multigrid(log, input));
    NAIK_PASS(refuse_of_others(log, input, "solver.link_numbers", has_short_links));
    return check_limits(log, input);
}
