/* plan.c - from the list of solve sets to numbers, names and bytes */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/prop/prop_file.h"
#include "links/twist.h"

void naik_prop_source_path(int source, char path[NAIK_PROP_PATH])
{
    snprintf(path, NAIK_PROP_PATH, "/prop/s%04d/source", source);
}

void naik_prop_slab_path(int source, int mass, char path[NAIK_PROP_PATH])
{
    snprintf(path, NAIK_PROP_PATH, "/prop/s%04d/m%02d", source, mass);
}

void naik_prop_corr_path(const naik_prop_plan *plan, int source, int mass,
                         char path[NAIK_PROP_PATH])
{
    const struct naik_prop_source *s = &plan->source[source];
    if (s->of == 1) {
        snprintf(path, NAIK_PROP_PATH, "/corr/%s/m%02d", plan->set_name[s->set], mass);
    } else {
        snprintf(path, NAIK_PROP_PATH, "/corr/%s/s%04d/m%02d", plan->set_name[s->set], s->within,
                 mass);
    }
}

int64_t naik_prop_corr_count(const naik_prop_plan *plan, int source)
{
    const naik_prop_names *names = naik_prop_names_of(plan, source);
    return (int64_t)names->correlators * names->momenta * plan->size[3] * names->parts;
}

int64_t naik_prop_corr_most(const naik_prop_plan *plan)
{
    int64_t most = 0;
    for (int i = 0; i < plan->source_count; i++) {
        const int64_t count = naik_prop_corr_count(plan, i);
        most = count > most ? count : most;
    }
    return most;
}

naik_correlator_choice naik_prop_choice(const naik_propagator_spec *spec, int set)
{
    return spec->sets[set].own != NULL ? *spec->sets[set].own : spec->common;
}

void naik_prop_names_clear(naik_prop_names *names)
{
    free(names->correlator);
    free(names->momentum);
    *names = (naik_prop_names){.correlators = 0};
}

bool naik_prop_is_moving(const naik_prop_names *names)
{
    bool moving = false;
    for (int p = 0; p < names->momenta; p++) {
        moving = moving || strcmp(names->momentum[p], "p000") != 0;
    }
    return moving;
}

bool naik_prop_is_complex(const naik_prop_names *names, int momentum)
{
    return names->parts == 2 && strcmp(names->momentum[momentum], "p000") != 0;
}

int64_t naik_prop_slab_bytes(const naik_prop_plan *plan)
{
    const int *n = plan->size;
    return plan->store
               ? (int64_t)n[0] * n[1] * n[2] * n[3] * naik_prop_reals(plan) * (plan->precision / 8)
               : 0;
}

void naik_propagator_momentum_name(const int p[NAIK_DIM - 1], char name[NAIK_PROP_NAME])
{
    bool wide = false;
    for (int i = 0; i < NAIK_DIM - 1; i++) {
        wide = wide || p[i] > 9 || p[i] < -9;
    }
    snprintf(name, NAIK_PROP_NAME, wide ? "p%d_%d_%d" : "p%d%d%d", p[0], p[1], p[2]);
}

void naik_prop_solve_text(const naik_prop_plan *plan, const struct naik_prop_solve *solve,
                          char text[NAIK_PROP_SOLVE_TEXT])
{
    char spin[24] = "";
    if (plan->spin > 1) {
        snprintf(spin, sizeof spin, " spin %d", solve->colour / 3);
    }
    snprintf(text, NAIK_PROP_SOLVE_TEXT, "source %d mass %d%s colour %d", solve->source,
             solve->mass, spin, solve->colour % 3);
}

void naik_propagator_twist_text(const double twist[NAIK_DIM - 1], const char *before, char text[96])
{
    text[0] = '\0';
    if (!naik_twist_none(twist)) {
        snprintf(text, 96, "%s%.10g,%.10g,%.10g", before, twist[0], twist[1], twist[2]);
    }
}

static naik_status copy_name(naik_log *log, const char *text, const char *what,
                             char name[NAIK_PROP_NAME])
{
    if (text == NULL || text[0] == '\0' || strlen(text) >= NAIK_PROP_NAME ||
        strpbrk(text, "/. ") != NULL) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "the %s '%s' must have 1 to %d characters, without '/', '.' and space",
                         what, text == NULL ? "" : text, NAIK_PROP_NAME - 1);
    }
    strcpy(name, text);
    return NAIK_OK;
}

static naik_status name_correlators(naik_log *log, const naik_correlator_choice *choice,
                                    naik_prop_names *names)
{
    size_t bytes = 0;
    if (choice->correlator_count == 0 || choice->momentum_count == 0) {
        return NAIK_OK;
    }
    names->correlator = calloc((size_t)choice->correlator_count, NAIK_PROP_NAME);
    names->momentum = calloc((size_t)choice->momentum_count, NAIK_PROP_NAME);
    if (names->correlator == NULL || names->momentum == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the plan of a propagator file");
    }
    names->correlators = choice->correlator_count;
    names->momenta = choice->momentum_count;
    for (int i = 0; i < names->correlators; i++) {
        NAIK_PASS(
            copy_name(log, choice->correlators[i], "name of a correlator", names->correlator[i]));
    }
    for (int i = 0; i < names->momenta; i++) {
        naik_propagator_momentum_name(choice->momenta[i], names->momentum[i]);
        bytes += strlen(names->momentum[i]) + 1;
        if (bytes > NAIK_PROP_NAMES_BYTES) {
            return NAIK_FAIL(log, NAIK_ERR_INPUT,
                             "a file has no room for the names of %d momenta, only for those of "
                             "the first %d",
                             names->momenta, i);
        }
    }
    return NAIK_OK;
}

/* Reals of a number in the correlators of a source: 2 where any momentum moves and weights are
 * exponentials. */
static int parts_of(const naik_propagator_spec *spec, const naik_correlator_choice *choice)
{
    bool moving = false;
    for (int i = 0; i < choice->momentum_count; i++) {
        const int *p = choice->momenta[i];
        moving = moving || p[0] != 0 || p[1] != 0 || p[2] != 0;
    }
    return spec->waves && moving ? 2 : 1;
}

static naik_status name_all(naik_log *log, const naik_propagator_spec *spec, naik_prop_plan *plan)
{
    for (int i = 0; i < spec->set_count; i++) {
        const naik_correlator_choice choice = naik_prop_choice(spec, i);
        NAIK_PASS(copy_name(log, spec->sets[i].name, "name of a solve set", plan->set_name[i]));
        NAIK_PASS(name_correlators(log, &choice, &plan->names[i]));
        plan->names[i].parts = parts_of(spec, &choice);
    }
    return NAIK_OK;
}

static void number_all(const naik_propagator_spec *spec, naik_prop_plan *plan)
{
    int source = 0, solve = 0;
    for (int set = 0; set < spec->set_count; set++) {
        const naik_solve_set *s = &spec->sets[set];
        for (int within = 0; within < s->source_count; within++, source++) {
            plan->source[source] =
                (struct naik_prop_source){set, within, s->source_count, solve, -1};
            const naik_source_info *from = &s->sources[within];
            const int columns = naik_prop_columns(plan);
            for (int i = 0; i < columns * s->mass_count; i++, solve++) {
                plan->solve[solve] = (struct naik_prop_solve){source, i / columns, i % columns};
            }
            if (from->derived && from->made_of < source) {
                plan->source[source].made_of =
                    naik_prop_first(plan, from->made_of, from->made_of_mass);
            }
        }
    }
}

int naik_propagator_spec_solves(const naik_propagator_spec *spec)
{
    int solves = 0;
    for (int i = 0; i < spec->set_count; i++) {
        solves += spec->kind->columns * spec->sets[i].source_count * spec->sets[i].mass_count;
    }
    return solves;
}

naik_status naik_prop_plan_create(naik_log *log, const naik_propagator_spec *spec,
                                  const int size[NAIK_DIM], naik_prop_plan **out)
{
    naik_status status = NAIK_OK;
    naik_prop_plan *plan = calloc(1, sizeof *plan);
    *out = NULL;
    if (plan == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the plan of a propagator file");
    }
    memcpy(plan->size, size, sizeof plan->size);
    plan->spin = spec->kind->spin;
    plan->set_count = spec->set_count;
    plan->solve_count = naik_propagator_spec_solves(spec);
    for (int i = 0; i < spec->set_count; i++) {
        plan->source_count += spec->sets[i].source_count;
    }
    plan->store = spec->store_propagators;
    plan->precision = spec->precision;
    plan->history_stride = spec->history_stride;
    plan->set_name = calloc((size_t)spec->set_count + 1, NAIK_PROP_NAME);
    plan->names = calloc((size_t)spec->set_count + 1, sizeof *plan->names);
    plan->contraction = calloc((size_t)spec->contraction_count + 1, sizeof *plan->contraction);
    plan->follows = calloc((size_t)spec->contraction_count + 1, sizeof *plan->follows);
    plan->contraction_count = spec->contraction_count;
    plan->source = calloc((size_t)plan->source_count + 1, sizeof *plan->source);
    plan->solve = calloc((size_t)plan->solve_count + 1, sizeof *plan->solve);
    if (plan->set_name == NULL || plan->names == NULL || plan->contraction == NULL ||
        plan->follows == NULL || plan->source == NULL || plan->solve == NULL) {
        status = NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the plan of a propagator file");
        goto done;
    }
    if (plan->solve_count == 0 || (plan->precision != 32 && plan->precision != 64) ||
        plan->history_stride < 0) {
        status = NAIK_FAIL(log, NAIK_ERR_ARG, "a propagator file needs solves and 32 or 64 bits");
        goto done;
    }
    NAIK_TRY(name_all(log, spec, plan));
    for (int i = 0; i < spec->contraction_count; i++) {
        memcpy(plan->contraction[i], spec->contractions[i].path, sizeof *plan->contraction);
        plan->follows[i] = spec->contractions[i].follows;
    }
    number_all(spec, plan);
    *out = plan;
    plan = NULL;
done:
    naik_prop_plan_destroy(&plan);
    return status;
}

void naik_prop_plan_destroy(naik_prop_plan **plan)
{
    if (*plan != NULL) {
        for (int i = 0; (*plan)->names != NULL && i < (*plan)->set_count; i++) {
            naik_prop_names_clear(&(*plan)->names[i]);
        }
        free((*plan)->names);
        free((*plan)->set_name);
        free((*plan)->contraction);
        free((*plan)->follows);
        free((*plan)->source);
        free((*plan)->solve);
        free(*plan);
        *plan = NULL;
    }
}

/* What lies in front of datasets that begin at multiples of the alignment: propagators of `solves` columns and the
 * residual histories, where they are large; and of blocks of metadata behind the first. */
static int64_t aligned_bytes(const naik_propagator_spec *spec, int64_t alignment, int64_t solves,
                             int64_t slab, int64_t metadata)
{
    const int64_t columns = spec->kind->columns, large = NAIK_H5_ALIGNED_BYTES;
    const int64_t count = (columns * slab >= large ? solves / columns : 0) +
                          (8 * solves * spec->history_stride >= large ? 1 : 0) + metadata / large;
    return alignment > 1 ? alignment * count : 0;
}

int64_t naik_propagator_spec_bytes(const naik_propagator_spec *spec, const int size[NAIK_DIM],
                                   int64_t alignment)
{
    int64_t solves = naik_propagator_spec_solves(spec);
    int64_t volume = (int64_t)size[0] * size[1] * size[2] * size[3];
    int64_t slab = spec->store_propagators ? volume * spec->kind->reals * (spec->precision / 8) : 0;
    int64_t correlators = 0, headers = 0;
    for (int i = 0; i < spec->set_count; i++) {
        const naik_correlator_choice choice = naik_prop_choice(spec, i);
        const int64_t of_set =
            (int64_t)spec->kind->columns * spec->sets[i].source_count * spec->sets[i].mass_count;
        correlators += of_set * choice.correlator_count * choice.momentum_count * size[3] * 8 *
                       parts_of(spec, &choice);
        /* Per solve also headers of groups and datasets: about 1 KiB for each correlator. */
        headers += of_set * (4096 + 1024 * (int64_t)choice.correlator_count *
                                        (choice.momentum_count + 1) / 3);
    }
    int64_t texts = 0;
    for (int i = 0; i < spec->metadata_count; i++) {
        texts += spec->metadata[i].text != NULL ? (int64_t)strlen(spec->metadata[i].text) : 0;
    }
    texts += spec->input_text != NULL ? (int64_t)strlen(spec->input_text) : 0;
    texts += spec->source_checksums != NULL ? (int64_t)strlen(spec->source_checksums) : 0;
    texts += spec->canonical_input != NULL ? 2 * (int64_t)strlen(spec->canonical_input) : 0;
    int64_t each = slab + 8 * (int64_t)spec->history_stride + (int64_t)sizeof(naik_disk_record);
    const int64_t contracted =
        spec->contraction_count * (16 * (int64_t)size[3] + NAIK_CONTRACTION_PATH + 2048);
    const int64_t small = 2 * correlators + headers + contracted + texts;
    return solves * each + small + aligned_bytes(spec, alignment, solves, slab, small) +
           NAIK_SESSIONS * NAIK_SESSION_BYTES + (1 << 20);
}

static void structure_of_choice(FILE *out, const char *section,
                                const naik_correlator_choice *choice)
{
    for (int i = 0; i < choice->correlator_count; i++) {
        fprintf(out, "%s.correlators.%d = %s\n", section, i, choice->correlators[i]);
    }
    for (int i = 0; i < choice->momentum_count; i++) {
        const int *p = choice->momenta[i];
        fprintf(out, "%s.momenta.%d = %d,%d,%d\n", section, i, p[0], p[1], p[2]);
    }
}

static void structure_of_set(FILE *out, int number, const naik_solve_set *set)
{
    fprintf(out, "solve.%d.name = %s\n", number, set->name);
    const double *twist = naik_quark_twist(&set->quarks[set->quark[0]]);
    if (twist != NULL) {
        fprintf(out, "solve.%d.twist = %.17g,%.17g,%.17g\n", number, twist[0], twist[1], twist[2]);
    }
    for (int i = 0; i < set->mass_count; i++) {
        const naik_quark *quark = &set->quarks[set->quark[i]];
        fprintf(out, "solve.%d.masses.%d = %.17g\n", number, i, quark->mass);
        fprintf(out, "solve.%d.naik_epsilon.%d = %.17g\n", number, i, quark->naik_epsilon);
    }
    for (int i = 0; i < set->source_count; i++) {
        const naik_source_info *s = &set->sources[i];
        fprintf(out, "solve.%d.source.%d = %s at %d,%d,%d,%d momentum %d,%d,%d", number, i, s->type,
                s->place[0], s->place[1], s->place[2], s->origin[3], s->momentum[0], s->momentum[1],
                s->momentum[2]);
        if (s->has_seed) {
            fprintf(out, " seed %llu", (unsigned long long)s->seed);
        }
        fprintf(out, "%s%s\n", s->smearing != NULL ? " " : "",
                s->smearing != NULL ? s->smearing : "");
    }
    if (set->own != NULL) {
        char section[32];
        snprintf(section, sizeof section, "solve.%d", number);
        fprintf(out, "%s has correlators of its own\n", section);
        structure_of_choice(out, section, set->own);
    }
}

char *naik_prop_structure(const naik_propagator_spec *spec, const int size[NAIK_DIM])
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL) {
        return NULL;
    }
    fprintf(out, "lattice.size = %d,%d,%d,%d\n", size[0], size[1], size[2], size[3]);
    fprintf(out, "action = %s\n", spec->kind->name);
    fprintf(out, "boundary_t = %s\n", spec->boundary_t != NULL ? spec->boundary_t : "");
    fprintf(out, "output.propagators = %s\n",
            spec->until_contracted    ? "until all is contracted"
            : spec->store_propagators ? "true"
                                      : "false");
    if (spec->store_propagators) {
        fprintf(out, "output.precision = %d\n", spec->precision);
    }
    fprintf(out, "residual history length = %d\n", spec->history_stride);
    structure_of_choice(out, "output", &spec->common);
    for (int i = 0; i < spec->contraction_count; i++) {
        fprintf(out, "contraction.%d = %s\n", i, spec->contractions[i].path);
    }
    for (int i = 0; i < spec->set_count; i++) {
        structure_of_set(out, i, &spec->sets[i]);
    }
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
