/* input_wilson.c - checks of what only quarks with spin have, or only staggered ones */
#include <stdio.h>
#include <string.h>

#include "input/input_table.h"
#include "lattice/source_kind.h"
#include "propagator/spin_meson.h"

enum { PATH_SIZE = 160, MOST_SPINORS = 16 };

static bool is_given(const naik_input *input, const char *path)
{
    return naik_yaml_find(input->tree->root, path) != NULL;
}

const char *naik_input_spin_words(char words[NAIK_INPUT_SPIN_WORDS])
{
    size_t used = 0;
    int left = 0;
    for (int i = 0; i < NAIK_QUARK_KINDS; i++) {
        left += naik_quark_kinds[i]->spin > 1;
    }
    for (int i = 0; i < NAIK_QUARK_KINDS && used < NAIK_INPUT_SPIN_WORDS; i++) {
        if (naik_quark_kinds[i]->spin > 1) {
            left--;
            used += (size_t)snprintf(words + used, NAIK_INPUT_SPIN_WORDS - used, "%s%s",
                                     naik_quark_kinds[i]->name,
                                     left > 1    ? ", "
                                     : left == 1 ? " and "
                                                 : "");
        }
    }
    return words;
}

static naik_status refuse_without_spin(naik_log *log, const naik_input *input, const char *key)
{
    char words[NAIK_INPUT_SPIN_WORDS];
    return naik_input_refuse(log, input, key, "'%s' applies to action.type %s only", key,
                             naik_input_spin_words(words));
}

/* Masses or kappas, one of them. */
static naik_status check_masses(naik_log *log, const naik_input *input, int index)
{
    const naik_input_solve *solve = &input->solve[index];
    const bool wilson = naik_input_is_wilson(input);
    char masses[PATH_SIZE], kappas[PATH_SIZE];
    snprintf(masses, sizeof masses, "solve.%d.masses", index);
    snprintf(kappas, sizeof kappas, "solve.%d.kappas", index);
    if (solve->kappas.count > 0 && !wilson) {
        return refuse_without_spin(log, input, kappas);
    }
    if (solve->kappas.count > 0 && solve->masses.count > 0) {
        return naik_input_refuse(log, input, kappas, "'%s' and masses say the same twice: give one",
                                 kappas);
    }
    if (solve->kappas.count == 0 && solve->masses.count == 0) {
        return naik_input_refuse(log, input, masses, "key '%s' is missing%s", masses,
                                 wilson ? "; or give kappas" : "");
    }
    for (int m = 0; m < solve->masses.count; m++) {
        const double mass = solve->masses.data[m], least = wilson ? -4 : 0;
        if (!(mass > least)) {
            return naik_input_refuse(log, input, masses, "'%s' must be above %g, not %g", masses,
                                     least, mass);
        }
    }
    return NAIK_OK;
}

/* Of a sequential source: the mass or kappa of its propagator, one of them. */
static naik_status check_source_mass(naik_log *log, const naik_input *input, int index)
{
    const bool wilson = naik_input_is_wilson(input);
    char mass[PATH_SIZE], kappa[PATH_SIZE], epsilon[PATH_SIZE];
    snprintf(mass, sizeof mass, "solve.%d.source.mass", index);
    snprintf(kappa, sizeof kappa, "solve.%d.source.kappa", index);
    snprintf(epsilon, sizeof epsilon, "solve.%d.source.naik_epsilon", index);
    if (!naik_source_is_sequential(&input->solve[index].source)) {
        return NAIK_OK;
    }
    if (is_given(input, kappa) && !wilson) {
        return refuse_without_spin(log, input, kappa);
    }
    if (is_given(input, epsilon) && wilson) {
        return naik_input_refuse(log, input, epsilon, "'%s' applies to staggered quarks only",
                                 epsilon);
    }
    if (is_given(input, kappa) && is_given(input, mass)) {
        return naik_input_refuse(log, input, kappa, "'%s' and mass say the same twice: give one",
                                 kappa);
    }
    if (!is_given(input, kappa) && !is_given(input, mass)) {
        return naik_input_refuse(log, input, mass,
                                 "key '%s' is missing; source type sequential needs it%s", mass,
                                 wilson ? ", or kappa" : "");
    }
    return NAIK_OK;
}

static naik_status check_correlators(naik_log *log, const naik_input *input, const char *path,
                                     const naik_ints *asked)
{
    const bool wilson = naik_input_is_wilson(input);
    char words[NAIK_INPUT_SPIN_WORDS];
    for (int i = 0; i < asked->count && is_given(input, path); i++) {
        const bool has_spin = asked->data[i] >= (int)NAIK_MESONS;
        if (has_spin != wilson) {
            return naik_input_refuse(log, input, path, "'%s': %s is for %s quarks", path,
                                     naik_input_correlator_name(asked->data[i]),
                                     has_spin ? naik_input_spin_words(words) : "staggered");
        }
    }
    return NAIK_OK;
}

static naik_status check_for_staggered(naik_log *log, const naik_input *input)
{
    static const char *const keys[] = {"solver.method", "solver.link_numbers"};
    for (int i = 0; i < 2; i++) {
        if (is_given(input, keys[i])) {
            return refuse_without_spin(log, input, keys[i]);
        }
    }
    return NAIK_OK;
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

/* What there is of staggered quarks alone. */
static naik_status check_for_wilson(naik_log *log, const naik_input *input)
{
    const struct {
        const char *key, *why;
        bool used;
    } staggered[] = {{"solver.multishift",
                      "masses of quarks with spin share no Krylov space once one parity is "
                      "eliminated",
                      input->solver.multishift == NAIK_INPUT_ON},
                     {"deflation.modes",
                      "naik finds and removes low modes for staggered quarks only",
                      input->deflation.modes != 0}};
    for (size_t i = 0; i < sizeof staggered / sizeof *staggered; i++) {
        if (staggered[i].used) {
            return naik_input_refuse(log, input, staggered[i].key, "'%s': %s", staggered[i].key,
                                     staggered[i].why);
        }
    }
    for (int i = 0; i < input->solve_count; i++) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "solve.%d.source.type", i);
        if (naik_source_kind_of(input->solve[i].source.type)->tastes) {
            return naik_input_refuse(log, input, path,
                                     "'%s' %s adds up tastes, which only staggered quarks have",
                                     path, naik_source_name(input->solve[i].source.type));
        }
        if (naik_input_recon(input) != 18 && naik_input_twist(&input->solve[i]) != NULL) {
            return naik_input_refuse(log, input, "solver.link_numbers",
                                     "'solver.link_numbers' %d: links of a twisted boundary are "
                                     "not SU(3)",
                                     naik_input_recon(input));
        }
    }
    if (input->solver.batch > MOST_SPINORS) {
        return naik_input_refuse(log, input, "solver.batch",
                                 "'solver.batch' %d: at most %d spinors are solved together",
                                 input->solver.batch, (int)MOST_SPINORS);
    }
    return NAIK_OK;
}

naik_status naik_input_check_quarks(naik_log *log, const naik_input *input)
{
    naik_status status = NAIK_OK;
    char path[PATH_SIZE];
    for (int i = 0; i < input->solve_count; i++) {
        NAIK_TRY(check_masses(log, input, i));
        NAIK_TRY(check_source_mass(log, input, i));
        snprintf(path, sizeof path, "solve.%d.correlators", i);
        NAIK_TRY(check_correlators(log, input, path, &input->solve[i].correlators));
    }
    NAIK_TRY(check_correlators(log, input, "output.correlators", &input->output.correlators));
    NAIK_TRY(check_flavours(log, input));
    NAIK_TRY(naik_input_is_wilson(input) ? check_for_wilson(log, input)
                                         : check_for_staggered(log, input));
done:
    return status;
}
