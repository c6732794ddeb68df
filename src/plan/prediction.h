/* prediction.h - what `--dry-run --machine` says of a run that there was, beside what it took
 *
 * The same model (cost.h), with the ranks, nodes and grid of the run, of the machine whose device it
 * ran on.
 */
#ifndef NAIK_PLAN_PREDICTION_H
#define NAIK_PLAN_PREDICTION_H

#include "io/prop/reader.h"
#include "plan/cost.h"

typedef struct prediction_place {
    const char *device; /* as its backend describes it */
    int ranks, nodes, grid[NAIK_DIM];
} prediction_place;

typedef struct prediction_mass {
    double mass, tolerance, naik_epsilon;
    bool deflate; /* may have low modes removed */
    model_iterations iterations;
    double solve_s; /* of one right-hand side; 0: not predicted */
    int measured;   /* solves that there were, and means over them */
    double measured_iterations, measured_s;
} prediction_mass;

typedef struct prediction {
    bool made;
    const char *machine; /* whose times they are; NULL: of no device that the model knows */
    const char *gap;     /* the sentence on what is not predicted; NULL: all is */
    int64_t
        output_bytes; /* 0: not predicted, because the finished file leaves out the propagators */
    prediction_mass masses[COST_MASSES];
    int mass_count;
} prediction;

/* Where the model has no answer out->made is false, which is no failure. Collective.
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status prediction_make(naik_comm *comm, const naik_input *input, const prediction_place *place,
                            prediction *out);
enum { PREDICTION_DEVICE = 256 };
/* Where the last run of a file was, as that said of itself; place->device is `device`. false: none did. Local. */
bool prediction_place_of(const naik_propagator_reader *view, prediction_place *place,
                         char device[PREDICTION_DEVICE]);
/* Of a finished file, with what its solves took. Collective, every rank reads. NAIK_ERR_MEMORY,
 * NAIK_ERR_MPI */
naik_status prediction_of_file(naik_comm *comm, const char *path, prediction *out);
/* Adds a task of the input to what was predicted of its like. Local. */
void prediction_measure(prediction *p, const naik_input *input, int task,
                        const naik_solve_record *record);

#endif
