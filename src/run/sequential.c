/* sequential.c - stored propagators as sources: found, compared with this run, read, given their operator
 */
#include "run/sequential.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "propagator/spin_meson.h"
#include "run/link_provider.h"

enum { LINE = 160 };

/* Quarks, boundary and links are those of this run. */
static naik_status compare(const stored_run *run, const naik_input *input, const char *links)
{
    naik_log *log = run->comm->log;
    const char *then = links != NULL ? stored_run_other_links(run, links) : NULL;
    if (naik_input_is_wilson(run->input) != naik_input_is_wilson(input)) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s' holds %s quarks, this run makes %s ones",
                         run->path, naik_input_action_name(run->input->action.type),
                         naik_input_action_name(input->action.type));
    }
    if (run->input->lattice.antiperiodic_t != input->lattice.antiperiodic_t) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s' is %s in time, this run is not", run->path,
                         naik_input_boundary_name(run->input));
    }
    if (then != NULL) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s' was made with other links: then %s, now %s",
                         run->path, then, links);
    }
    return NAIK_OK;
}

/* The propagator that an entry names, by label and mass. */
static naik_status find(const stored_run *run, const naik_input_solve *solve, int *first)
{
    naik_log *log = run->comm->log;
    const naik_input *other = run->input;
    bool labelled = false;
    for (int s = 0; s < other->source_count; s++) {
        const naik_input_solve *theirs = &other->solve[other->sources[s].solve];
        if (strcmp(other->sources[s].label, solve->propagator) != 0) {
            continue;
        }
        labelled = true;
        for (int m = 0; m < theirs->masses.count; m++) {
            const double mass = theirs->masses.data[m];
            if (fabs(mass - solve->source_mass) > 1e-12 * (1 + fabs(mass))) {
                continue;
            }
            if (!naik_input_is_whole(theirs)) {
                return NAIK_FAIL(log, NAIK_ERR_INPUT,
                                 "'%s' has not all three colours of source %s: it is no propagator",
                                 run->path, solve->propagator);
            }
            *first = naik_propagator_file_solve(run->file, s, m, 0);
            return NAIK_OK;
        }
    }
    return NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s' has %s '%s'%s: see `naik info %s`", run->path,
                     labelled ? "the source" : "no source", solve->propagator,
                     labelled ? ", but not with that mass" : "", run->path);
}

/* Its columns converged; what they hold, in one number, as a line of the sources' text. */
static naik_status describe(const stored_run *run, const naik_input *input, int entry, int first,
                            source_file_sums *sums)
{
    naik_log *log = run->comm->log;
    uint32_t sum[2] = {0, 0};
    const size_t used = sums->text != NULL ? strlen(sums->text) : 0;
    for (int c = 0; c < naik_input_columns(input); c++) {
        const naik_solve_record *r = naik_propagator_file_record(run->file, first + c);
        if (r->state != NAIK_SOLVE_DONE) {
            return NAIK_FAIL(log, NAIK_ERR_INPUT,
                             "'%s': source %s did not reach its tolerance, residual %.1e",
                             run->path, input->solve[entry].propagator, r->true_residual);
        }
        stored_run_add_sums(r, sum);
    }
    char *text = realloc(sums->text, used + LINE);
    if (text == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the identity of sources");
    }
    snprintf(text + used, LINE, "solve.%d.source.file holds suma/sumb %x %x\n", entry, sum[0],
             sum[1]);
    sums->text = text;
    naik_log_line(log, "sources of solve.%d: %s, %s, mass %.10g", entry, run->path,
                  input->solve[entry].propagator, input->solve[entry].source_mass);
    return NAIK_OK;
}

static naik_status allocate(sequential_set *set, naik_log *log)
{
    const size_t solves = (size_t)set->input->solve_count;
    set->run = calloc(solves, sizeof *set->run);
    set->first = malloc(solves * sizeof *set->first);
    if (set->run == NULL || set->first == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a list of sequential sources");
    }
    for (size_t i = 0; i < solves; i++) {
        set->first[i] = -1;
    }
    return NAIK_OK;
}

static naik_status open_entry(sequential_set *set, const naik_lattice *lattice, int entry,
                              const char *links, source_file_sums *sums, stored_runs *runs)
{
    naik_status status = NAIK_OK;
    const naik_input_solve *solve = &set->input->solve[entry];
    stored_run *run = NULL;
    NAIK_TRY(stored_runs_open(runs, lattice, solve->source_file, &run));
    set->run[entry] = run;
    status = compare(run, set->input, links);
    NAIK_TRY(naik_comm_agree(lattice->comm, status));
    status = find(run, solve, &set->first[entry]);
    NAIK_TRY(naik_comm_agree(lattice->comm, status));
    status = describe(run, set->input, entry, set->first[entry], sums);
    NAIK_TRY(naik_comm_agree(lattice->comm, status));
done:
    return status;
}

naik_status sequential_open(const naik_lattice *lattice, const naik_input *input, const char *links,
                            source_file_sums *sums, stored_runs *runs, sequential_set *out)
{
    naik_status status = NAIK_OK;
    *out = (sequential_set){.input = NULL};
    for (int i = 0; i < input->solve_count; i++) {
        out->input = input->solve[i].source.type == NAIK_SOURCE_SEQUENTIAL ? input : out->input;
    }
    if (out->input == NULL) {
        return NAIK_OK;
    }
    NAIK_TRY(naik_comm_agree(lattice->comm, allocate(out, lattice->comm->log)));
    for (int i = 0; i < input->solve_count; i++) {
        if (input->solve[i].source.type == NAIK_SOURCE_SEQUENTIAL) {
            NAIK_TRY(open_entry(out, lattice, i, links, sums, runs));
        }
    }
done:
    naik_input_use_io(lattice->comm, input); /* and not as the files' own runs */
    return status;
}

void sequential_close(sequential_set *set)
{
    free(set->run);
    free(set->first);
    *set = (sequential_set){.input = NULL};
}

/* O(x) of the entry on v [sites][3][2], or [sites][4][3][2]. */
static void insert(const naik_lattice *lattice, const naik_input *input, int insertion, double *v)
{
    const bool wilson = naik_input_is_wilson(input);
    const int reals = naik_input_reals(input);
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lattice->sites; site++) {
        double *here = v + (int64_t)reals * site;
        int x[NAIK_DIM];
        naik_lattice_coords(lattice, site, x);
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            x[mu] += lattice->origin[mu];
        }
        if (wilson) {
            naik_spin_meson_insert((naik_spin_meson)(insertion - NAIK_MESONS), here);
        } else if (naik_meson_sign((naik_meson)insertion, x) < 0) {
            for (int i = 0; i < reals; i++) {
                here[i] = -here[i];
            }
        }
    }
}

naik_status sequential_source(const sequential_set *set, const naik_lattice *lattice,
                              const naik_input_source *source, int column, double *out)
{
    naik_status status = NAIK_OK;
    const int entry = source->solve;
    NAIK_TRY(
        naik_propagator_file_read_solution(set->run[entry]->file, set->first[entry] + column, out));
    naik_source_to_slice(lattice, &source->source, naik_input_reals(set->input), out);
    insert(lattice, set->input, set->input->solve[entry].insertion, out);
done:
    return status;
}

naik_status sequential_verify(const sequential_set *set, const naik_lattice *lattice,
                              stored_runs *runs)
{
    naik_status status = NAIK_OK;
    for (int i = 0; set->input != NULL && i < set->input->solve_count; i++) {
        for (int c = 0; set->first[i] >= 0 && c < naik_input_columns(set->input); c++) {
            NAIK_TRY(stored_runs_verify(runs, lattice, set->run[i], set->first[i] + c));
        }
    }
done:
    return status;
}
