/* input_expand.c - from what was given to what is to be done: defaults that depend on other keys,
 * one source for each origin, one task for each right-hand side */
#include <stdio.h>
#include <string.h>

#include "input/input_table.h"
#include "solver/bicgstab.h"

static naik_status allocate(naik_log *log, naik_input *input, size_t count, size_t size,
                            void *pointer)
{
    void *memory = naik_yaml_alloc(input->tree, count * size);
    memcpy(pointer, &memory, sizeof memory);
    return memory != NULL ? NAIK_OK : NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the input");
}

double naik_input_mass_of(double kappa)
{
    return 1 / (2 * kappa) - 4;
}

/* What says which propagator a sequential source is made of. */
static void fill_source_mass(const naik_input *input, int index)
{
    char path[64];
    naik_input_solve *solve = &input->solve[index];
    snprintf(path, sizeof path, "solve.%d.source.naik_epsilon", index);
    solve->chooses_epsilon = naik_yaml_find(input->tree->root, path) != NULL;
    if (solve->source_kappa > 0) {
        solve->source_mass = naik_input_mass_of(solve->source_kappa);
    }
}

static naik_status fill_masses(naik_log *log, naik_input *input, const naik_reals *kappas,
                               naik_reals *masses, naik_reals *epsilons)
{
    if (kappas->count > 0) {
        NAIK_PASS(allocate(log, input, (size_t)kappas->count, sizeof(double), &masses->data));
        masses->count = kappas->count;
    }
    for (int m = 0; m < kappas->count; m++) {
        masses->data[m] = naik_input_mass_of(kappas->data[m]);
    }
    if (epsilons->count == 0) {
        epsilons->count = masses->count;
        NAIK_PASS(allocate(log, input, (size_t)masses->count, sizeof(double), &epsilons->data));
    }
    return NAIK_OK;
}

/* Of quarks with spin the pion is of each solve by itself, the other correlators of all columns
 * together; whoever asks for none by name gets the pion. Of staggered quarks those without links are of each. */
static naik_status split(naik_log *log, naik_input *input, naik_ints asked, naik_ints *each,
                         naik_ints *all)
{
    *all = (naik_ints){.count = 0};
    *each = (naik_ints){.count = 0};
    NAIK_PASS(allocate(log, input, (size_t)asked.count + 1, sizeof(int), &each->data));
    NAIK_PASS(allocate(log, input, (size_t)asked.count + 1, sizeof(int), &all->data));
    for (int i = 0; i < asked.count; i++) {
        if (input->kind->spin == 1 && asked.data[i] < (int)NAIK_MESONS) {
            each->data[each->count++] = asked.data[i];
        } else if (asked.data[i] <= (int)NAIK_MESONS) {
            each->data[each->count++] = NAIK_MESONS;
        } else {
            all->data[all->count++] = asked.data[i] - NAIK_MESONS;
        }
    }
    return NAIK_OK;
}

static bool same_ints(const naik_ints *a, const naik_ints *b)
{
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->data, b->data, (size_t)a->count * sizeof *a->data) == 0);
}

/* What is made of each solve: an entry that asks for none of its own has those of the output. */
static naik_status split_correlators(naik_log *log, naik_input *input)
{
    const naik_vectors *momenta = &input->output.momenta;
    for (int i = 0; i < input->solve_count; i++) {
        naik_input_solve *solve = &input->solve[i];
        NAIK_PASS(split(log, input, *naik_input_asked_correlators(input, solve),
                        &solve->correlators, &solve->channels));
    }
    NAIK_PASS(split(log, input, input->output.correlators, &input->output.correlators,
                    &input->output.channels));
    for (int i = 0; i < input->solve_count; i++) {
        naik_input_solve *solve = &input->solve[i];
        solve->own_correlators = !same_ints(&solve->correlators, &input->output.correlators) ||
                                 (solve->momenta.count > 0 &&
                                  (solve->momenta.count != momenta->count ||
                                   memcmp(solve->momenta.data, momenta->data,
                                          (size_t)momenta->count * sizeof *momenta->data) != 0));
        solve->momenta = solve->momenta.count > 0 ? solve->momenta : *momenta;
    }
    return NAIK_OK;
}

static naik_status fill_defaults(naik_log *log, naik_input *input)
{
    for (int i = 0; i < input->solve_count; i++) {
        naik_input_solve *solve = &input->solve[i];
        NAIK_PASS(fill_masses(log, input, &solve->kappas, &solve->masses, &solve->naik_epsilon));
        fill_source_mass(input, i);
        if (solve->tolerance == 0) {
            solve->tolerance = input->solver.tolerance;
        }
    }
    for (int i = 0; i < input->three_point_count; i++) {
        naik_input_three_point *three = &input->three_points[i];
        NAIK_PASS(fill_masses(log, input, &three->kappas, &three->masses, &three->naik_epsilon));
        if (three->tolerance == 0) {
            three->tolerance = input->solver.tolerance;
        }
    }
    return NAIK_OK;
}

/* A number that a key of the input gives for all quarks. */
static void take_number(const naik_input *input, const naik_quark_number *number, naik_quark *quark)
{
    for (int i = 0; i < naik_input_table.count; i++) {
        const naik_param *param = &naik_input_table.params[i];
        if (strcmp(param->key, number->key) == 0) {
            memcpy((char *)quark + number->member, (const char *)input + param->offset,
                   sizeof(double));
        }
    }
}

static naik_quark quark_of(const naik_input *input, const naik_input_solve *solve, int mass)
{
    naik_quark quark = {.kind = input->kind,
                        .mass = solve->masses.data[mass],
                        .naik_epsilon = solve->naik_epsilon.data[mass]};
    for (int i = 0; i < input->kind->number_count; i++) {
        const naik_quark_number *number = &input->kind->numbers[i];
        if (number->key != NULL) {
            take_number(input, number, &quark);
        }
    }
    if (solve->twist.count == NAIK_DIM - 1) {
        memcpy(quark.twist, solve->twist.data, sizeof quark.twist);
    }
    return quark;
}

/* Each quark once. */
static naik_status list_quarks(naik_log *log, naik_input *input)
{
    size_t masses = 0;
    for (int i = 0; i < input->solve_count; i++) {
        masses += (size_t)input->solve[i].masses.count;
    }
    NAIK_PASS(allocate(log, input, masses, sizeof *input->quarks, &input->quarks));
    for (int i = 0; i < input->solve_count; i++) {
        naik_input_solve *solve = &input->solve[i];
        NAIK_PASS(
            allocate(log, input, (size_t)solve->masses.count, sizeof *solve->quark, &solve->quark));
        for (int mass = 0; mass < solve->masses.count; mass++) {
            const naik_quark quark = quark_of(input, solve, mass);
            int at = 0;
            while (at < input->quark_count && !naik_quark_is(&input->quarks[at], &quark)) {
                at++;
            }
            if (at == input->quark_count) {
                input->quarks[input->quark_count++] = quark;
            }
            solve->quark[mass] = at;
        }
    }
    return NAIK_OK;
}

/* Walls begin at (0, 0, 0, t0), those of one corner there; a source from a file knows no origin and has
 * (0, 0, 0, 0). */
static naik_status fill_origins(naik_log *log, naik_input *input)
{
    for (int i = 0; i < input->solve_count; i++) {
        naik_input_solve *solve = &input->solve[i];
        const int each = naik_input_sources_of_origin(solve);
        if (solve->origins.count == 0) {
            int count = each * (solve->t0.count > 0 ? solve->t0.count : 1);
            NAIK_PASS(allocate(log, input, (size_t)count, sizeof *solve->origins.data,
                               &solve->origins.data));
            solve->origins.count = count;
        }
        const bool corner = naik_source_is_corner(&solve->source);
        for (int k = 0; k < each * solve->t0.count; k++) {
            for (int mu = 0; mu < NAIK_DIM - 1 && corner && !input->older; mu++) {
                solve->origins.data[k][mu] = solve->source.corner[mu];
            }
            solve->origins.data[k][3] = solve->t0.data[k / each];
        }
        memcpy(solve->source.origin, solve->origins.data[0], sizeof solve->source.origin);
        input->source_count += solve->origins.count;
        input->task_count += solve->origins.count * solve->masses.count * input->kind->columns;
    }
    return NAIK_OK;
}

static naik_status name_source(naik_log *log, naik_input *input, naik_input_source *source)
{
    const naik_input_solve *solve = &input->solve[source->solve];
    source->label = solve->name;
    if (solve->origins.count == 1) {
        return NAIK_OK;
    }
    char *label = NULL;
    size_t size = strlen(solve->name) + 16;
    NAIK_PASS(allocate(log, input, size, 1, &label));
    snprintf(label, size, "%s/s%04d", solve->name, source->origin);
    source->label = label;
    return NAIK_OK;
}

static naik_status list_sources_and_tasks(naik_log *log, naik_input *input)
{
    int source = 0, task = 0;
    NAIK_PASS(
        allocate(log, input, (size_t)input->source_count, sizeof *input->sources, &input->sources));
    NAIK_PASS(allocate(log, input, (size_t)input->task_count, sizeof *input->tasks, &input->tasks));
    for (int i = 0; i < input->solve_count; i++) {
        const naik_input_solve *solve = &input->solve[i];
        for (int k = 0; k < solve->origins.count; k++, source++) {
            naik_input_source *s = &input->sources[source];
            *s = (naik_input_source){
                .index = source, .solve = i, .origin = k, .source = solve->source, .made_of = -1};
            memcpy(s->source.origin, solve->origins.data[k], sizeof s->source.origin);
            if (naik_source_is_random(solve->source.type)) {
                s->source.seed += (uint64_t)naik_input_noise_field(solve, k);
                naik_input_dilute(solve, input->lattice.size[3], k, &s->source);
            }
            memcpy(s->x0, solve->origins.data[k], sizeof s->x0);
            NAIK_PASS(name_source(log, input, s));
            for (int mass = 0; mass < solve->masses.count; mass++) {
                for (int colour = 0; colour < input->kind->columns; colour++) {
                    input->tasks[task++] =
                        (naik_input_task){source, i, mass, colour, solve->quark[mass]};
                }
            }
        }
    }
    return NAIK_OK;
}

naik_status naik_input_expand(naik_log *log, naik_input *input)
{
    NAIK_PASS(fill_defaults(log, input));
    const int method = input->solver.method;
    input->solver.method = input->solver.method_auto ? NAIK_METHOD_AUTO : method;
    const naik_status status =
        naik_params_text(log, &naik_input_table, input, false, input->tree, &input->canonical);
    input->solver.method = method; /* what auto begins with: the choices of a file say the rest */
    NAIK_PASS(status);
    NAIK_PASS(naik_params_text(log, &naik_input_table, input, true, input->tree, &input->identity));
    NAIK_PASS(split_correlators(log, input));
    NAIK_PASS(fill_origins(log, input));
    NAIK_PASS(naik_input_add_three_points(log, input));
    NAIK_PASS(naik_input_add_averages(log, input));
    NAIK_PASS(list_quarks(log, input));
    NAIK_PASS(list_sources_and_tasks(log, input));
    naik_input_place_three_points(input);
    return naik_input_count_identity(log, input);
}
