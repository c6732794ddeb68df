/* prediction.c - the model of a run that is done, from its input and where it ran */
#include "plan/prediction.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "stored/stored_run.h"

/* A machine that is not the device's stands in for it, with the memory of any: iterations and output
 * are the same on all. */
static naik_status ask_model(naik_comm *comm, const naik_input *run, const prediction_place *place,
                             int machine, cost *c)
{
    naik_input input = *run;
    model_machine m = model_machine_of(machine < 0 ? 0 : machine, MODEL_NAIK);
    const int nodes = place->nodes > 0 && place->ranks % place->nodes == 0 ? place->nodes : 1;
    m.node_size = place->ranks / nodes;
    m.memory_gib = machine < 0 ? 1 << 20 : m.memory_gib;
    memcpy(input.run.grid, place->grid, sizeof input.run.grid);
    input.run.groups = 1; /* the place is that of a group */
    return cost_of(comm, &input, &m, NULL, &nodes, 1, c);
}

static void take(const cost *c, int machine, prediction *out)
{
    out->made = true;
    out->machine = machine >= 0 ? model_machine_names()[machine] : NULL;
    out->gap = machine >= 0
                   ? NULL
                   : "naik predicts seconds only on the GPUs of the machines that naik solve "
                     "--help lists at --machine, and this device is none of them";
    out->output_bytes = c->cases[0].output_bytes;
    out->mass_count = c->mass_count;
    for (int i = 0; i < c->mass_count; i++) {
        out->masses[i] = (prediction_mass){.mass = c->masses[i].mass,
                                           .tolerance = c->masses[i].tolerance,
                                           .naik_epsilon = c->masses[i].quark->naik_epsilon,
                                           .deflate = c->masses[i].deflate,
                                           .iterations = c->cases[0].modes.iterations[i],
                                           .solve_s = machine >= 0 ? c->cases[0].solve_s[i] : 0};
    }
}

/* The model does not know it, or the file; all else is a failure. */
static bool no_answer(naik_status status)
{
    return status != NAIK_OK && status != NAIK_ERR_MEMORY && status != NAIK_ERR_MPI;
}

naik_status prediction_make(naik_comm *comm, const naik_input *input, const prediction_place *place,
                            prediction *out)
{
    naik_status status = NAIK_OK;
    const int machine = model_machine_of_device(place->device);
    cost *c = NULL;
    *out = (prediction){.gap = "naik predicts nothing for quarks with spin, because their "
                               "iterations depend on the critical mass of the configuration"};
    if (!input->kind->costs.by_mass) {
        return NAIK_OK;
    }
    out->gap = "naik predicts nothing: its model finds no way to hold this run";
    NAIK_TRY(naik_comm_agree(
        comm, naik_alloc(comm->log, sizeof *c, "the costs of the run", (void **)&c)));
    status = ask_model(comm, input, place, machine, c);
    if (status == NAIK_OK && c->case_count > 0 && c->cases[0].verdict == COST_FITS) {
        take(c, machine, out);
        out->output_bytes = input->output.propagators ? out->output_bytes : 0;
    } else if (no_answer(status)) {
        naik_log_clear(comm->log);
        status = NAIK_OK;
    }
done:
    naik_free(c);
    return status;
}

void prediction_measure(prediction *p, const naik_input *input, int task,
                        const naik_solve_record *record)
{
    const naik_input_task *t = &input->tasks[task];
    const naik_input_solve *solve = &input->solve[t->solve];
    const naik_quark *quark = &input->quarks[t->quark];
    const bool deflate = input->deflation.modes != 0 && solve->deflate;
    for (int i = 0; i < p->mass_count && record->state != NAIK_SOLVE_PENDING; i++) {
        prediction_mass *m = &p->masses[i];
        if (m->mass == quark->mass && m->tolerance == solve->tolerance && m->deflate == deflate &&
            (input->deflation.modes == 0 || m->naik_epsilon == quark->naik_epsilon)) {
            m->measured++;
            m->measured_iterations += (record->iterations - m->measured_iterations) / m->measured;
            m->measured_s += (record->seconds - m->measured_s) / m->measured;
        }
    }
}

bool prediction_place_of(const naik_propagator_reader *view, prediction_place *place,
                         char device[PREDICTION_DEVICE])
{
    bool found = false;
    for (int i = 0; i < view->text_count; i++) {
        const char *text = view->texts[i].text;
        const char *named = naik_line_value(text, "device");
        const char *ranks = naik_line_value(text, "ranks");
        const char *nodes = naik_line_value(text, "nodes");
        const char *grid = naik_line_value(text, "grid");
        const char *groups = naik_line_value(text, "groups");
        int *g = place->grid;
        if (strncmp(view->texts[i].name, "run ", 4) == 0 && named != NULL && ranks != NULL &&
            grid != NULL && sscanf(ranks, "%d", &place->ranks) == 1 &&
            sscanf(grid, "%dx%dx%dx%d", &g[0], &g[1], &g[2], &g[3]) == 4) {
            place->nodes = 1;
            if (nodes != NULL) {
                sscanf(nodes, "%d", &place->nodes);
            }
            const int apart = groups != NULL ? atoi(groups) : 1;
            if (apart > 1) { /* the grid is of a group */
                place->nodes = place->nodes % apart == 0 ? place->nodes / apart : 1;
                place->ranks /= apart;
            }
            snprintf(device, PREDICTION_DEVICE, "%.*s", (int)strcspn(named, "\n"), named);
            found = place->ranks > 0 && place->ranks < 1 << 20;
        }
    }
    place->device = device;
    return found;
}

naik_status prediction_of_file(naik_comm *comm, const char *path, prediction *out)
{
    naik_status status = NAIK_OK;
    stored_run run;
    prediction_place place;
    char device[PREDICTION_DEVICE];
    *out =
        (prediction){.gap = "naik predicts nothing, because it does not understand the input that "
                            "the file carries"};
    status = stored_run_read(comm, path, NULL, 0, &run);
    if (no_answer(status)) {
        naik_log_clear(comm->log);
        status = NAIK_OK;
        goto done;
    }
    NAIK_TRY(status);
    if (prediction_place_of(run.view, &place, device)) {
        NAIK_TRY(prediction_make(comm, run.input, &place, out));
        const int solves = run.view->columns * run.view->pair_count;
        for (int i = 0; i < solves && i < run.input->task_count; i++) {
            const naik_reader_pair *pair = &run.view->pairs[i / run.view->columns];
            prediction_measure(out, run.input, i, &pair->solve[i % run.view->columns]);
        }
    }
done:
    stored_run_close(&run);
    return status;
}
