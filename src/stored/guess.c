/* guess.c - solutions that another run has stored, found by what they solve
 *
 * The file carries the input that made it. Sources are the same where that says the same of them,
 * key by key, so that no key of a source that is added later can be forgotten here. Several entries
 * of a file may have one source: a solution is looked for among all of them.
 */
#include "stored/guess.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { LINE = 400, PREFIX = 64 };

/* The first line of one input that begins with `prefix`, says something and is not in the other, into `line`; false where
 * there is none. */
static bool lacks_line(const naik_input *a, const naik_input *b, const char *prefix,
                       char line[LINE])
{
    for (const char *at = a->identity; *at != '\0'; at = naik_line_next(at)) {
        const char *other = b->identity;
        while (*other != '\0' && !naik_line_same(at, other)) {
            other = naik_line_next(other);
        }
        if (*other == '\0' && naik_text_begins(at, prefix) && !naik_input_says_nothing(a, at)) {
            snprintf(line, LINE, "%.*s", (int)strcspn(at, "\n"), at);
            return true;
        }
    }
    return false;
}

/* Lattice, links and boundary, as far as the inputs tell. */
static naik_status compare_inputs(const stored_run *run, const naik_input *input)
{
    static const char *const parts[] = {"lattice.", "gauge.", "action."};
    char line[LINE];
    for (int i = 0; i < 3; i++) {
        if (lacks_line(run->input, input, parts[i], line)) {
            return NAIK_FAIL(run->comm->log, NAIK_ERR_INPUT,
                             "guess '%s' was made with %s, this run is not", run->path, line);
        }
        if (lacks_line(input, run->input, parts[i], line)) {
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

/* Appends the lines of `text`, which may be NULL, that begin with `prefix`, without it; not those of
 * the keys `skip`, which NULL ends. */
static void add_lines(FILE *out, const char *text, const char *prefix, const char *const *skip)
{
    for (const char *at = text; at != NULL && *at != '\0'; at = naik_line_next(at)) {
        bool meant = naik_text_begins(at, prefix);
        for (int i = 0; meant && skip[i] != NULL; i++) {
            meant = !naik_text_begins(at + strlen(prefix), skip[i]);
        }
        if (meant) {
            fprintf(out, "%.*s\n", (int)(strcspn(at, "\n") - strlen(prefix)), at + strlen(prefix));
        }
    }
}

/* All that says what the sources of an entry are, but for their places and which of their colours are
 * solved: the keys of its source, in the order of the table, and what its files hold. The caller frees
 * it; NULL without memory. */
static char *source_text(const naik_input *input, const char *sums, int entry)
{
    static const char *const apart[] = {"origin", "t0", "colours", NULL};
    char prefix[PREFIX], *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        return NULL;
    }
    snprintf(prefix, sizeof prefix, "solve.%d.source.", entry);
    add_lines(out, input->identity, prefix, apart);
    add_lines(out, sums, prefix, apart + 3);
    const bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}

/* Of an entry with a guess: which entries of that file have its kind of source. */
typedef struct kin {
    int entry;
    bool *same; /* [solve_count of the file's input] */
} kin;

static naik_status find_kin(const solve_guess *g, int entry, const char *sums, bool compare_sums,
                            kin *out)
{
    naik_status status = NAIK_OK;
    const stored_run *run = g->run[entry];
    const int count = run->input->solve_count;
    const char *then =
        compare_sums ? naik_propagator_reader_text(run->view, "source_checksums") : NULL;
    char *own = source_text(g->input, compare_sums ? sums : NULL, entry), *theirs = NULL;
    free(out->same);
    *out = (kin){.entry = entry, .same = calloc((size_t)count, sizeof *out->same)};
    bool room = own != NULL && out->same != NULL;
    for (int i = 0; i < count && room; i++) {
        theirs = source_text(run->input, then, i);
        room = theirs != NULL;
        out->same[i] = room && strcmp(own, theirs) == 0 &&
                       naik_input_same_twist(&run->input->solve[i], &g->input->solve[entry]);
        free(theirs);
    }
    status = room ? NAIK_OK
                  : NAIK_FAIL(run->comm->log, NAIK_ERR_MEMORY, "no memory for a list of guesses");
    free(own);
    return status;
}

/* What a search for a solution came to: the parts of its identity that some solve of the file has. */
typedef struct search {
    bool source, mass; /* there is the source; with that mass and epsilon too */
    int best;          /* the solve with the least residual that has all; -1: none */
} search;

/* Whether two quarks have one mass but for rounding: of those with a kappa, one m + 4 = 1/(2 kappa). */
static bool has_same_mass(const naik_quark *a, const naik_quark *b)
{
    const double beside = a->kind->spin > 1 ? 4 : 0;
    return fabs(a->mass - b->mass) <= 1e-12 * (b->mass + beside);
}

/* Adds the masses of source number `from` of the file, which is the source of task `t`. */
static void search_masses(const solve_guess *g, const naik_input_task *t, int from, search *s)
{
    const stored_run *run = g->run[t->solve];
    const naik_input_solve *own = &g->input->solve[t->solve];
    const naik_quark *quark = &g->input->quarks[t->quark];
    const naik_input_solve *other = &run->input->solve[run->input->sources[from].solve];
    s->source = true;
    for (int m = 0; m < other->masses.count; m++) {
        const naik_quark *theirs = &run->input->quarks[other->quark[m]];
        if (!has_same_mass(theirs, quark) || theirs->naik_epsilon != quark->naik_epsilon) {
            continue;
        }
        s->mass = true;
        if (naik_input_asks_colour(own, t->colour % 3) &&
            !naik_input_asks_colour(other, t->colour % 3)) {
            continue;
        }
        const int solve = naik_propagator_file_solve(run->file, from, m, t->colour);
        if (s->best < 0 || naik_propagator_file_record(run->file, solve)->true_residual <
                               naik_propagator_file_record(run->file, s->best)->true_residual) {
            s->best = solve;
        }
    }
}

/* Whether two sources of one kind, and so of one corner, are at one place, and of noise the same part of the same
 * field. Files whose correlators do not tell count a corner from (0, 0, 0). */
static bool is_same_part(const naik_source *a, const naik_source *b)
{
    const int mu = naik_source_is_corner(a) ? NAIK_DIM - 1 : 0;
    return memcmp(a->origin + mu, b->origin + mu, (NAIK_DIM - mu) * sizeof *a->origin) == 0 &&
           a->seed == b->seed && a->subset == b->subset &&
           memcmp(a->stride, b->stride, sizeof a->stride) == 0 &&
           memcmp(a->offset, b->offset, sizeof a->offset) == 0;
}

static naik_status find_solution(const solve_guess *g, int task, const kin *kin, int *found)
{
    const naik_input_task *t = &g->input->tasks[task];
    const naik_input_solve *solve = &g->input->solve[t->solve];
    const naik_quark *quark = &g->input->quarks[t->quark];
    const stored_run *run = g->run[t->solve];
    const naik_source *source = &g->input->sources[t->source].source;
    const int *x = source->origin;
    search s = {.best = -1};
    for (int i = 0; i < run->input->source_count; i++) {
        const naik_input_source *other = &run->input->sources[i];
        if (kin->same != NULL && kin->same[other->solve] && is_same_part(&other->source, source)) {
            search_masses(g, t, i, &s);
        }
    }
    *found = s.best;
    if (!s.source) {
        return NAIK_FAIL(run->comm->log, NAIK_ERR_INPUT,
                         "guess '%s' has no solutions of the source of solve.%d ('%s') at "
                         "[%d, %d, %d, %d]%s",
                         run->path, t->solve, solve->name, x[0], x[1], x[2], x[3],
                         naik_input_twist(solve) != NULL ? " with its twist" : "");
    }
    if (s.best >= 0) {
        return NAIK_OK;
    }
    char also[64] = "", name[NAIK_QUARK_NAME];
    if (s.mass) {
        snprintf(also, sizeof also, " and colour %d", t->colour % 3);
    } else if (naik_quark_shifts(quark->kind)) {
        snprintf(also, sizeof also, " and naik_epsilon %g", quark->naik_epsilon);
    }
    return NAIK_FAIL(run->comm->log, NAIK_ERR_INPUT,
                     "guess '%s' has the source of solve.%d ('%s'), but not with %s%s", run->path,
                     t->solve, solve->name, naik_quark_phrase(quark, 6, name), also);
}

static naik_status allocate(solve_guess *g, naik_log *log, const char *sources)
{
    const size_t solves = (size_t)g->input->solve_count, tasks = (size_t)g->input->task_count;
    g->run = calloc(solves, sizeof *g->run);
    g->foreign = calloc(solves, sizeof *g->foreign);
    g->solve = malloc(tasks * sizeof *g->solve);
    g->text = calloc((sources != NULL ? strlen(sources) : 0) + solves * LINE + 1, 1);
    if (g->run == NULL || g->foreign == NULL || g->solve == NULL || g->text == NULL) {
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

/* The file of entry `solve`, whoever has written it. */
static naik_status open_one(solve_guess *g, const naik_lattice *lattice, int solve,
                            const char *links, stored_runs *runs)
{
    const char *path = g->input->solve[solve].guess;
    bool foreign = false;
    NAIK_PASS(guess_foreign_recognise(lattice->comm, path, &foreign));
    if (foreign) {
        NAIK_PASS(guess_foreign_open(lattice, g->input, solve, links != NULL, &g->foreign[solve]));
        return NAIK_OK;
    }
    NAIK_PASS(stored_runs_open(runs, lattice, path, &g->run[solve]));
    NAIK_PASS(compare_inputs(g->run[solve], g->input));
    return compare_links(g->run[solve], links);
}

/* What the foreign guess of an entry holds. */
static void describe_foreign(solve_guess *g, int entry)
{
    if (g->foreign[entry].known) {
        char *end = g->text + strlen(g->text);
        end += snprintf(end, LINE - FOREIGN_LINE, "solve.%d.guess holds ", entry);
        foreign_tell(g->input->kind->columns, g->foreign[entry].sum, end);
    }
}

naik_status solve_guess_open(const naik_lattice *lattice, const naik_input *input,
                             const char *links, const char *sources, stored_runs *runs,
                             solve_guess *out)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = lattice->comm;
    kin kin = {.entry = -1};
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
            NAIK_TRY(open_one(out, lattice, i, links, runs));
        }
    }
    naik_input_use_io(comm, input); /* of this run again, and not of the one that is read */
    for (int i = 0; i < input->task_count; i++) {
        const int entry = input->tasks[i].solve;
        out->solve[i] = -1;
        if (out->run[entry] != NULL) {
            status =
                kin.entry != entry ? find_kin(out, entry, sources, links != NULL, &kin) : NAIK_OK;
            status = status == NAIK_OK ? find_solution(out, i, &kin, &out->solve[i]) : status;
        }
        NAIK_TRY(naik_comm_agree(comm, status));
    }
    for (int i = 0; i < input->solve_count; i++) {
        if (out->run[i] != NULL) {
            describe(out, comm->log, i);
        }
        describe_foreign(out, i);
    }
done:
    free(kin.same);
    return status;
}

void solve_guess_close(solve_guess *guess)
{
    free(guess->run);
    free(guess->foreign);
    free(guess->solve);
    free(guess->text);
    *guess = (solve_guess){.input = NULL};
}

/* Whether the colour of a task is solved: the solution of another is zero. */
static bool is_solved(const solve_guess *guess, int task)
{
    const naik_input_task *t = &guess->input->tasks[task];
    return naik_input_asks_colour(&guess->input->solve[t->solve], t->colour % 3);
}

naik_status solve_guess_read(const solve_guess *guess, const naik_lattice *lattice, int task,
                             double *x, naik_guess *found)
{
    const naik_input_task *t = &guess->input->tasks[task];
    *found = NAIK_GUESS_NONE;
    if (is_solved(guess, task) && guess->foreign[t->solve].there) {
        NAIK_PASS(guess_foreign_read(&guess->foreign[t->solve], lattice,
                                     &guess->input->solve[t->solve], t->colour, x));
        *found = NAIK_GUESS_FOREIGN;
    } else if (is_solved(guess, task) && guess->solve[task] >= 0) {
        NAIK_PASS(
            naik_propagator_file_read_solution(guess->run[t->solve]->file, guess->solve[task], x));
        *found = NAIK_GUESS_OWN;
    }
    return NAIK_OK;
}

void solve_guess_weighed(const solve_guess *guess, naik_log *log, int task,
                         const naik_start_value *value)
{
    const int solve = guess->input->tasks[task].solve;
    guess_foreign_weighed(&guess->foreign[solve], log, &guess->input->solve[solve], value);
}

const naik_solve_record *solve_guess_record(const solve_guess *guess, int task)
{
    if (guess->input == NULL || guess->solve[task] < 0 || !is_solved(guess, task)) {
        return NULL;
    }
    const int entry = guess->input->tasks[task].solve;
    return naik_propagator_file_record(guess->run[entry]->file, guess->solve[task]);
}

naik_status solve_guess_verify(const solve_guess *guess, const naik_lattice *lattice,
                               stored_runs *runs)
{
    for (int i = 0; guess->input != NULL && i < guess->input->task_count; i++) {
        const stored_run *run = guess->run[guess->input->tasks[i].solve];
        if (run != NULL) {
            NAIK_PASS(stored_runs_verify(runs, lattice, run, guess->solve[i]));
        }
    }
    return NAIK_OK;
}
