/* guess.c - solutions that another run has stored, found by what they solve
 *
 * The file carries the input that made it. Sources are the same where that says the same of them,
 * key by key, so that no key of a source that is added later can be forgotten here.
 */
#include "run/guess.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 400, PREFIX = 64 };

static bool begins_with(const char *line, const char *words)
{
    return strncmp(line, words, strlen(words)) == 0;
}

/* Whether `text` has the line `prefix`, `rest` up to its end. */
static bool has_line(const char *text, const char *prefix, const char *rest, size_t rest_size)
{
    const size_t length = strlen(prefix);
    for (const char *line = text; line != NULL && *line != '\0';) {
        if (begins_with(line, prefix) && strncmp(line + length, rest, rest_size) == 0 &&
            (line[length + rest_size] == '\n' || line[length + rest_size] == '\0')) {
            return true;
        }
        line = strchr(line, '\n');
        line += line != NULL;
    }
    return false;
}

/* Whether every line of a that begins with prefix_a is in b with prefix_b in its place, but lines of
 * the keys `skip`; if not, `line` is the first that is not. Texts may be NULL. */
static bool includes(const char *a, const char *prefix_a, const char *b, const char *prefix_b,
                     const char *const skip[2], char line[LINE])
{
    const size_t length = strlen(prefix_a);
    for (const char *at = a; at != NULL && *at != '\0';) {
        const char *rest = at + length;
        const size_t size = strcspn(at, "\n");
        const bool meant =
            begins_with(at, prefix_a) && !begins_with(rest, skip[0]) && !begins_with(rest, skip[1]);
        if (meant && !has_line(b, prefix_b, rest, size - length)) {
            snprintf(line, LINE, "%.*s", (int)size, at);
            return false;
        }
        at += size + (at[size] == '\n');
    }
    return true;
}

static bool same_lines(const char *a, const char *prefix_a, const char *b, const char *prefix_b,
                       const char *const skip[2])
{
    char line[LINE];
    return includes(a, prefix_a, b, prefix_b, skip, line) &&
           includes(b, prefix_b, a, prefix_a, skip, line);
}

static const char *const nothing[2] = {"\n", "\n"};

/* Lattice, links and boundary, as far as the inputs tell. */
static naik_status compare_inputs(const stored_run *run, const naik_input *input)
{
    static const char *const parts[] = {"lattice.", "gauge.", "action."};
    char line[LINE];
    for (int i = 0; i < 3; i++) {
        const char *own = input->identity, *theirs = run->input->identity;
        if (!includes(theirs, parts[i], own, parts[i], nothing, line)) {
            return NAIK_FAIL(run->comm->log, NAIK_ERR_INPUT,
                             "guess '%s' was made with %s, this run is not", run->path, line);
        }
        if (!includes(own, parts[i], theirs, parts[i], nothing, line)) {
            return NAIK_FAIL(run->comm->log, NAIK_ERR_INPUT,
                             "guess '%s' was not made with %s, as this run is", run->path, line);
        }
    }
    return NAIK_OK;
}

static naik_status compare_links(const stored_run *run, const char *links)
{
    const char *then = links != NULL ? stored_run_other_links(run, links) : NULL;
    return then == NULL ? NAIK_OK
                        : NAIK_FAIL(run->comm->log, NAIK_ERR_INPUT,
                                    "guess '%s' was made with other links: then %s, now %s",
                                    run->path, then, links);
}

/* The source of that file that is `source` of this run, or -1. */
static int find_source(const solve_guess *g, const stored_run *run, const naik_input_source *source,
                       const char *sums, bool compare_sums)
{
    static const char *const place[2] = {"origin", "t0"};
    char own[PREFIX], theirs[PREFIX];
    snprintf(own, sizeof own, "solve.%d.source.", source->solve);
    for (int i = 0; i < run->input->source_count; i++) {
        const naik_input_source *other = &run->input->sources[i];
        snprintf(theirs, sizeof theirs, "solve.%d.source.", other->solve);
        if (naik_input_same_twist(&run->input->solve[other->solve],
                                  &g->input->solve[source->solve]) &&
            memcmp(other->source.origin, source->source.origin, sizeof other->source.origin) == 0 &&
            same_lines(g->input->identity, own, run->input->identity, theirs, place) &&
            (!compare_sums ||
             same_lines(sums, own, stored_run_text(run, "source_checksums"), theirs, nothing))) {
            return i;
        }
    }
    return -1;
}

/* The mass of that file's source, or -1. */
static int find_mass(const stored_run *run, int source, double mass, double epsilon)
{
    const naik_input_solve *other = &run->input->solve[run->input->sources[source].solve];
    for (int m = 0; m < other->masses.count; m++) {
        if (other->masses.data[m] == mass && other->naik_epsilon.data[m] == epsilon) {
            return m;
        }
    }
    return -1;
}

static naik_status find_solution(const solve_guess *g, int task, const char *sums,
                                 bool compare_sums, int *found)
{
    const naik_input_task *t = &g->input->tasks[task];
    const naik_input_solve *solve = &g->input->solve[t->solve];
    const naik_input_source *source = &g->input->sources[t->source];
    const stored_run *run = g->run[t->solve];
    const double mass = solve->masses.data[t->mass], epsilon = solve->naik_epsilon.data[t->mass];
    const int *x = source->source.origin;
    const int other = find_source(g, run, source, sums, compare_sums);
    if (other < 0) {
        return NAIK_FAIL(run->comm->log, NAIK_ERR_INPUT,
                         "guess '%s' has no solutions of the source of solve.%d ('%s') at "
                         "[%d, %d, %d, %d]%s",
                         run->path, t->solve, solve->name, x[0], x[1], x[2], x[3],
                         naik_input_twist(solve) != NULL ? " with its twist" : "");
    }
    const int m = find_mass(run, other, mass, epsilon);
    if (m < 0) {
        char also[64] = "";
        if (!naik_input_is_wilson(g->input)) {
            snprintf(also, sizeof also, " and naik_epsilon %g", epsilon);
        }
        return NAIK_FAIL(run->comm->log, NAIK_ERR_INPUT,
                         "guess '%s' has the source of solve.%d ('%s'), but not with mass %g%s",
                         run->path, t->solve, solve->name, mass, also);
    }
    *found = naik_propagator_file_solve(run->file, other, m, t->colour);
    return NAIK_OK;
}

static naik_status allocate(solve_guess *g, naik_log *log, const char *sources)
{
    const size_t solves = (size_t)g->input->solve_count, tasks = (size_t)g->input->task_count;
    g->run = calloc(solves, sizeof *g->run);
    g->solve = malloc(tasks * sizeof *g->solve);
    g->text = calloc((sources != NULL ? strlen(sources) : 0) + solves * LINE + 1, 1);
    if (g->run == NULL || g->solve == NULL || g->text == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a list of guesses");
    }
    strcpy(g->text, sources != NULL ? sources : "");
    return NAIK_OK;
}

/* What the guess of an entry holds, in one number, and what went into it. */
static void describe(solve_guess *g, naik_log *log, int entry)
{
    const naik_input *input = g->input;
    const stored_run *run = g->run[entry];
    uint32_t sum[2] = {0, 0};
    int count = 0;
    double worst = 0, iterations = 0;
    for (int i = 0; i < input->task_count; i++) {
        if (input->tasks[i].solve == entry) {
            const naik_solve_record *r = naik_propagator_file_record(run->file, g->solve[i]);
            stored_run_add_sums(r, sum);
            worst = r->true_residual > worst ? r->true_residual : worst;
            iterations += r->iterations;
            count++;
        }
    }
    char *end = g->text + strlen(g->text);
    snprintf(end, LINE, "solve.%d.guess holds suma/sumb %x %x\n", entry, sum[0], sum[1]);
    naik_log_line(log,
                  "guess: starting values for %s come from %s: %d solutions, residuals at most "
                  "%.1e, found in %.0f iterations",
                  input->solve[entry].name, run->path, count, worst, iterations);
}

naik_status solve_guess_open(const naik_lattice *lattice, const naik_input *input,
                             const char *links, const char *sources, stored_runs *runs,
                             solve_guess *out)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = lattice->comm;
    *out = (solve_guess){.input = NULL};
    for (int i = 0; i < input->solve_count; i++) {
        out->input = input->solve[i].guess != NULL ? input : out->input;
    }
    if (out->input == NULL) {
        return NAIK_OK;
    }
    NAIK_TRY(naik_comm_agree(comm, allocate(out, comm->log, sources)));
    for (int i = 0; i < input->solve_count; i++) {
        if (input->solve[i].guess != NULL) {
            NAIK_TRY(stored_runs_open(runs, lattice, input->solve[i].guess, &out->run[i]));
            NAIK_TRY(compare_inputs(out->run[i], input));
            NAIK_TRY(compare_links(out->run[i], links));
        }
    }
    naik_input_use_io(comm, input); /* of this run again, and not of the one that is read */
    for (int i = 0; i < input->task_count; i++) {
        out->solve[i] = -1;
        if (input->solve[input->tasks[i].solve].guess != NULL) {
            status = find_solution(out, i, sources, links != NULL, &out->solve[i]);
        }
        NAIK_TRY(naik_comm_agree(comm, status));
    }
    for (int i = 0; i < input->solve_count; i++) {
        if (out->run[i] != NULL) {
            describe(out, comm->log, i);
        }
    }
done:
    return status;
}

void solve_guess_close(solve_guess *guess)
{
    free(guess->run);
    free(guess->solve);
    free(guess->text);
    *guess = (solve_guess){.input = NULL};
}

naik_status solve_guess_read(const solve_guess *guess, int task, double *x, bool *found)
{
    *found = guess->input != NULL && guess->solve[task] >= 0;
    if (!*found) {
        return NAIK_OK;
    }
    const int entry = guess->input->tasks[task].solve;
    return naik_propagator_file_read_solution(guess->run[entry]->file, guess->solve[task], x);
}

const naik_solve_record *solve_guess_record(const solve_guess *guess, int task)
{
    if (guess->input == NULL || guess->solve[task] < 0) {
        return NULL;
    }
    const int entry = guess->input->tasks[task].solve;
    return naik_propagator_file_record(guess->run[entry]->file, guess->solve[task]);
}

naik_status solve_guess_verify(const solve_guess *guess, const naik_lattice *lattice,
                               stored_runs *runs)
{
    naik_status status = NAIK_OK;
    for (int i = 0; guess->input != NULL && i < guess->input->task_count; i++) {
        const stored_run *run = guess->run[guess->input->tasks[i].solve];
        NAIK_TRY(run != NULL ? stored_runs_verify(runs, lattice, run, guess->solve[i]) : NAIK_OK);
    }
done:
    return status;
}
