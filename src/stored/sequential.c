/* sequential.c - stored propagators as sources: found, compared with this run, read, given their operator
 */
#include "stored/sequential.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "lattice/source_kind.h"
#include "propagator/spin_meson.h"
#include "quark/link_provider.h"

enum { LINE = 160 };

/* Quarks, boundary and links are those of this run. */
static naik_status compare(const stored_run *run, const naik_input *input, const char *links)
{
    naik_log *log = run->comm->log;
    const char *then = links != NULL ? stored_run_other_links(run, links) : NULL;
    if (run->input->kind->spin != input->kind->spin) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s' holds %s quarks, this run makes %s ones",
                         run->path, run->input->kind->name, input->kind->name);
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

/* The number of source `label` of that file, or -1. */
static int find_source(const naik_input *input, const char *label)
{
    for (int s = 0; s < input->source_count; s++) {
        if (strcmp(input->sources[s].label, label) == 0) {
            return s;
        }
    }
    return -1;
}

/* Whether `given` is `value`, but for rounding, or, with digits > 0, what is printed of it with so many. */
static bool is_meant(double given, double value, int digits)
{
    char text[40];
    if (digits == 0) {
        return fabs(value - given) <= 1e-12 * (1 + fabs(value));
    }
    snprintf(text, sizeof text, "%.*g", digits, value);
    return naik_text_strtod(text, NULL) == given;
}

/* How many masses of an entry are the wanted one, to so many digits; *found: the last. */
static int count_masses(const naik_input *other, int entry, const naik_input_solve *solve,
                        int digits, int *found)
{
    int count = 0;
    for (int m = 0; m < other->solve[entry].masses.count; m++) {
        const naik_quark *quark = naik_input_quark(other, entry, m);
        const bool alike = !solve->chooses_epsilon ||
                           is_meant(solve->source_epsilon, quark->naik_epsilon, 0) ||
                           is_meant(solve->source_epsilon, quark->naik_epsilon, 10);
        if (alike && is_meant(solve->source_mass, quark->mass, digits)) {
            *found = m;
            count++;
        }
    }
    return count;
}

/* A line where the propagator was made by another operator than this run's, which may be meant. */
static void compare_actions(const stored_run *run, const naik_input *input, int entry)
{
    const naik_input *other = run->input;
    naik_log *log = run->comm->log;
    if (other->kind != input->kind) {
        naik_log_warn(
            log,
            "sources of solve.%d: the propagators of '%s' were made with action %s, this run "
            "has %s",
            entry, run->path, other->kind->name, input->kind->name);
    }
    for (int i = 0; other->kind == input->kind && i < input->kind->number_count; i++) {
        const naik_quark_number *number = &input->kind->numbers[i];
        const double theirs = number->value(&other->quarks[0]);
        const double ours = number->value(&input->quarks[0]);
        if (number->key != NULL && theirs != ours) { /* one number for all quarks of an input */
            naik_log_warn(
                log,
                "sources of solve.%d: the propagators of '%s' were made with %s %.10g, this run "
                "has %.10g",
                entry, run->path, number->name, theirs, ours);
        }
    }
    if (other->gauge.reunitarise != input->gauge.reunitarise) {
        naik_log_warn(
            log,
            "sources of solve.%d: the propagators of '%s' were made with gauge.reunitarise: "
            "%s, this run has %s",
            entry, run->path, other->gauge.reunitarise ? "true" : "false",
            input->gauge.reunitarise ? "true" : "false");
    }
}

/* The propagator that an entry names, by label and mass, and Naik epsilon where that is given. A mass
 * may be given with the digits of `naik info`, of its list of correlators, or of the log. */
static naik_status find(const stored_run *run, const naik_input_solve *solve, int *first)
{
    static const int digits[] = {0, 10, 6};
    naik_log *log = run->comm->log;
    const int source = find_source(run->input, solve->propagator);
    int count = 0, mass = -1;
    if (source < 0) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s' has no source '%s': see `naik info %s`",
                         run->path, solve->propagator, run->path);
    }
    const int entry = run->input->sources[source].solve;
    const naik_input_solve *theirs = &run->input->solve[entry];
    for (int i = 0; i < 3 && count == 0; i++) {
        count = count_masses(run->input, entry, solve, digits[i], &mass);
    }
    if (count == 0) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "'%s' has the source '%s', but not with that mass%s: see `naik info %s`",
                         run->path, solve->propagator,
                         solve->chooses_epsilon ? " and naik_epsilon" : "", run->path);
    }
    if (count > 1) {
        return NAIK_FAIL(
            log, NAIK_ERR_INPUT,
            "'%s' has the source '%s' with %d masses that are %.10g: give more digits, "
            "or source.naik_epsilon",
            run->path, solve->propagator, count, solve->source_mass);
    }
    if (!naik_input_is_whole(theirs)) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "'%s' has not all three colours of source %s: it is no propagator",
                         run->path, solve->propagator);
    }
    *first = naik_propagator_file_solve(run->file, source, mass, 0);
    return NAIK_OK;
}

/* Whether it makes a difference that the source is counted from x0 and not from the lattice's origin. */
static bool differs(const naik_input *input, const naik_input_solve *solve, const int x0[NAIK_DIM])
{
    return (naik_input_is_moving(solve->source.momentum) &&
            (x0[0] != 0 || x0[1] != 0 || x0[2] != 0)) ||
           (input->kind->spin == 1 && naik_meson_sign((naik_meson)solve->insertion, x0) < 0);
}

/* Its columns converged; what they hold, in one number, as a line of the sources' text. */
static naik_status describe(const stored_run *run, const naik_input *input, int entry, int first,
                            const char *then, int x0[NAIK_DIM], source_file_sums *sums)
{
    naik_log *log = run->comm->log;
    uint32_t sum[2] = {0, 0};
    char line[LINE], from[LINE] = "", name[NAIK_QUARK_NAME];
    const size_t used = sums->text != NULL ? strlen(sums->text) : 0;
    for (int c = 0; c < input->kind->columns; c++) {
        const naik_solve_record *r = naik_propagator_file_record(run->file, first + c);
        if (r->state != NAIK_SOLVE_DONE) {
            return NAIK_FAIL(log, NAIK_ERR_INPUT,
                             "'%s': source %s did not reach its tolerance, residual %.1e",
                             run->path, input->solve[entry].propagator, r->true_residual);
        }
        stored_run_add_sums(r, sum);
    }
    snprintf(line, sizeof line, "solve.%d.source.file holds suma/sumb %x %x", entry, sum[0],
             sum[1]);
    if (differs(input, &input->solve[entry], x0)) {
        snprintf(from, sizeof from, " from %d,%d,%d,%d", x0[0], x0[1], x0[2], x0[3]);
    }
    const char *found = then != NULL ? strstr(then, line) : NULL;
    if (found != NULL && found[strlen(line)] == '\n') { /* of an earlier version */
        memset(x0, 0, NAIK_DIM * sizeof *x0);
        from[0] = '\0';
    }
    char *text = realloc(sums->text, used + 2 * LINE);
    if (text == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the identity of sources");
    }
    snprintf(text + used, 2 * LINE, "%s%s\n", line, from);
    sums->text = text;
    const naik_quark quark = {.kind = input->kind, .mass = input->solve[entry].source_mass};
    naik_log_line(log, "the sources of solve.%d come from %s: propagator %s, %s", entry, run->path,
                  input->solve[entry].propagator, naik_quark_phrase(&quark, 10, name));
    return NAIK_OK;
}

/* Whether the propagators of an entry are in another file. */
static bool is_filed(const naik_input_solve *solve)
{
    return naik_source_is_sequential(&solve->source) && solve->source_file != NULL;
}

static naik_status allocate(sequential_set *set, naik_log *log)
{
    const size_t solves = (size_t)set->input->solve_count;
    set->run = calloc(solves, sizeof *set->run);
    set->first = malloc(solves * sizeof *set->first);
    set->x0 = calloc(solves, sizeof *set->x0);
    if (set->run == NULL || set->first == NULL || set->x0 == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a list of sequential sources");
    }
    for (size_t i = 0; i < solves; i++) {
        set->first[i] = -1;
    }
    return NAIK_OK;
}

static naik_status open_entry(sequential_set *set, const naik_lattice *lattice, int entry,
                              const char *links, const char *then, source_file_sums *sums,
                              stored_runs *runs)
{
    const naik_input_solve *solve = &set->input->solve[entry];
    stored_run *run = NULL;
    NAIK_PASS(stored_runs_open(runs, lattice, solve->source_file, &run));
    set->run[entry] = run;
    NAIK_PASS(naik_comm_agree(lattice->comm, compare(run, set->input, links)));
    compare_actions(run, set->input, entry);
    NAIK_PASS(naik_comm_agree(lattice->comm, find(run, solve, &set->first[entry])));
    memcpy(set->x0[entry], run->view->pairs[set->first[entry] / run->view->columns].x0,
           sizeof set->x0[entry]);
    return naik_comm_agree(lattice->comm, describe(run, set->input, entry, set->first[entry], then,
                                                   set->x0[entry], sums));
}

naik_status sequential_open(const naik_lattice *lattice, naik_input *input, const char *links,
                            const char *then, source_file_sums *sums, stored_runs *runs,
                            sequential_set *out)
{
    naik_status status = NAIK_OK;
    *out = (sequential_set){.input = NULL};
    for (int i = 0; i < input->solve_count; i++) {
        out->input = is_filed(&input->solve[i]) ? input : out->input;
    }
    if (out->input == NULL) {
        return NAIK_OK;
    }
    NAIK_TRY(naik_comm_agree(lattice->comm, allocate(out, lattice->comm->log)));
    for (int i = 0; i < input->solve_count; i++) {
        if (is_filed(&input->solve[i])) {
            NAIK_TRY(open_entry(out, lattice, i, links, then, sums, runs));
        }
    }
    for (int s = 0; s < input->source_count; s++) {
        if (out->first[input->sources[s].solve] >= 0) {
            memcpy(input->sources[s].x0, out->x0[input->sources[s].solve],
                   sizeof input->sources[s].x0);
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
    free(set->x0);
    *set = (sequential_set){.input = NULL};
}

/* O(x - x0) of the entry on v [sites][3][2], or [sites][4][3][2]. */
static void insert(const naik_lattice *lattice, const naik_input *input, int insertion,
                   const int x0[NAIK_DIM], double *v)
{
    if (input->kind->spin == 1) {
        naik_meson_give_sign(lattice, (naik_meson)insertion, x0, input->kind->reals, v);
        return;
    }
    const naik_gamma gamma = naik_spin_operator_at_sink(insertion);
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lattice->sites; site++) {
        naik_gamma_times(&gamma, v + (int64_t)input->kind->reals * site);
    }
}

/* out = the source of solution `solve` of a file. */
static naik_status make(naik_propagator_file *file, int solve, const naik_input *input,
                        const naik_lattice *lattice, const naik_input_source *source,
                        const int x0[NAIK_DIM], double *out)
{
    naik_source from = source->source; /* the slice is t0's, the momentum counts from x0 */
    memcpy(from.origin, x0, (NAIK_DIM - 1) * sizeof *from.origin);
    NAIK_PASS(naik_propagator_file_read_solution(file, solve, out));
    naik_source_to_slice(lattice, &from, input->kind->reals, out);
    insert(lattice, input, input->solve[source->solve].insertion, x0, out);
    return NAIK_OK;
}

naik_status sequential_source(const sequential_set *set, const naik_lattice *lattice,
                              const naik_input_source *source, int column, double *out)
{
    const int entry = source->solve;
    return make(set->run[entry]->file, set->first[entry] + column, set->input, lattice, source,
                set->x0[entry], out);
}

/* The time slice of the source, then the operator, then its momentum: the last two do not commute. */
static naik_status make_displaced(naik_propagator_file *file, int solve, naik_shifts *shifts,
                                  const naik_input *input, const naik_lattice *lattice,
                                  const naik_input_source *source, double *out)
{
    naik_status status = NAIK_OK;
    const int spin_taste = input->solve[source->solve].insertion - NAIK_FIRST_SPIN_TASTE;
    naik_source from = source->source;
    double *slice = NULL;
    status = naik_alloc(lattice->comm->log, naik_lattice_vector_bytes(lattice), "a source",
                        (void **)&slice);
    NAIK_TRY(naik_comm_agree(lattice->comm, status));
    NAIK_TRY(naik_propagator_file_read_solution(file, solve, slice));
    memcpy(from.origin, source->x0, (NAIK_DIM - 1) * sizeof *from.origin);
    memset(from.momentum, 0, sizeof from.momentum);
    naik_source_to_slice(lattice, &from, input->kind->reals, slice);
    NAIK_TRY(naik_spin_taste_apply(shifts, spin_taste, source->x0, slice, out));
    insert(lattice, input, NAIK_PION05, source->x0, out); /* O has the sign of the antiquark */
    memcpy(from.momentum, source->source.momentum, sizeof from.momentum);
    naik_source_to_slice(lattice, &from, input->kind->reals, out);
done:
    naik_free(slice);
    return status;
}

naik_status sequential_source_own(naik_propagator_file *file, naik_shifts *shifts,
                                  const naik_input *input, const naik_lattice *lattice,
                                  const naik_input_source *source, int column, double *out)
{
    const int solve =
        naik_propagator_file_solve(file, source->made_of, source->made_of_mass, column);
    return naik_correlator_is_spin_taste(input->solve[source->solve].insertion)
               ? make_displaced(file, solve, shifts, input, lattice, source, out)
               : make(file, solve, input, lattice, source, source->x0, out);
}

naik_status sequential_verify(const sequential_set *set, const naik_lattice *lattice,
                              stored_runs *runs)
{
    for (int i = 0; set->input != NULL && i < set->input->solve_count; i++) {
        for (int c = 0; set->first[i] >= 0 && c < set->input->kind->columns; c++) {
            NAIK_PASS(stored_runs_verify(runs, lattice, set->run[i], set->first[i] + c));
        }
    }
    return NAIK_OK;
}
