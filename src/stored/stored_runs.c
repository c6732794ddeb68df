/* stored_runs.c - the finished propagator files that an input names, each opened once */
#include "stored/stored_runs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct stored_run_of stored_run_of;

static naik_status add(stored_runs *runs, naik_log *log)
{
    stored_run_of **of = realloc(runs->of, (size_t)(runs->count + 1) * sizeof(stored_run_of *));
    runs->of = of != NULL ? of : runs->of;
    stored_run_of *one = of != NULL ? calloc(1, sizeof *one) : NULL;
    if (one == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a list of stored propagators");
    }
    runs->of[runs->count++] = one;
    return NAIK_OK;
}

naik_status stored_runs_open(stored_runs *runs, const naik_lattice *lattice, const char *path,
                             stored_run **out)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = lattice->comm;
    for (int i = 0; i < runs->count; i++) {
        if (strcmp(runs->of[i]->run.path, path) == 0) {
            *out = &runs->of[i]->run;
            return NAIK_OK;
        }
    }
    NAIK_PASS(naik_comm_agree(comm, add(runs, comm->log)));
    stored_run_of *one = runs->of[runs->count - 1];
    *out = &one->run;
    NAIK_PASS(stored_run_open(comm, path, lattice, NULL, 0, &one->run));
    status = naik_alloc(comm->log,
                        (size_t)naik_propagator_file_solves(one->run.file) * sizeof *one->verified,
                        "a list of stored solutions", (void **)&one->verified);
    return naik_comm_agree(comm, status);
}

/* Reads a solution for its checksums alone. */
static naik_status check_solution(const stored_run *run, const naik_lattice *lattice, int solve)
{
    naik_status status = NAIK_OK;
    double *v = NULL;
    const size_t bytes = (size_t)lattice->sites * (size_t)run->input->kind->reals * sizeof *v;
    status = naik_alloc(lattice->comm->log, bytes, "a stored solution", (void **)&v);
    NAIK_TRY(naik_comm_agree(lattice->comm, status));
    NAIK_TRY(naik_propagator_file_read_solution(run->file, solve, v));
done:
    naik_free(v);
    return status;
}

naik_status stored_runs_verify(stored_runs *runs, const naik_lattice *lattice,
                               const stored_run *run, int solve)
{
    for (int i = 0; i < runs->count; i++) {
        stored_run_of *one = runs->of[i];
        if (&one->run == run && !one->verified[solve]) {
            NAIK_PASS(check_solution(run, lattice, solve));
            one->verified[solve] = true;
        }
    }
    return NAIK_OK;
}

void stored_runs_report(const stored_runs *runs, naik_log *log)
{
    for (int i = 0; i < runs->count; i++) {
        const stored_run_of *one = runs->of[i];
        int count = 0;
        for (int k = 0; k < naik_propagator_file_solves(one->run.file); k++) {
            count += one->verified[k];
        }
        naik_log_line(log, "%s: %d stored solutions verified", one->run.path, count);
    }
}

void stored_runs_close(stored_runs *runs)
{
    for (int i = 0; i < runs->count; i++) {
        stored_run_close(&runs->of[i]->run);
        naik_free(runs->of[i]->verified);
        free(runs->of[i]);
    }
    free(runs->of);
    *runs = (stored_runs){.count = 0};
}
