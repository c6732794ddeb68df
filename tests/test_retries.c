/* test_retries.c - propagator files that go on: which solves are done again under a higher limit of iterations, and
 * what lies beside a file that begins again
 *
 * ranks: 1
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "propagator_fixture.h"
#include "solver/solver.h"

/* How a solve ended, the limit of the next run, and whether it is done again there. */
static const struct {
    naik_solve_state state;
    naik_solver_reason reason;
    int iterations, limit;
    bool again;
} rows[] = {{NAIK_SOLVE_NOT_CONVERGED, NAIK_SOLVER_ITERATION_LIMIT, 100, 101, true},
            {NAIK_SOLVE_NOT_CONVERGED, NAIK_SOLVER_ITERATION_LIMIT, 100, 100, false},
            {NAIK_SOLVE_NOT_CONVERGED, NAIK_SOLVER_ITERATION_LIMIT, 100, 99, false},
            {NAIK_SOLVE_NOT_CONVERGED, NAIK_SOLVER_ITERATION_LIMIT, 100, 0, false},
            {NAIK_SOLVE_NOT_CONVERGED, NAIK_SOLVER_STAGNATED, 100, 101, false},
            {NAIK_SOLVE_DONE, NAIK_SOLVER_CONVERGED, 100, 101, false}};
enum { ROWS = sizeof rows / sizeof *rows, CHANGED = 7 };

/* x: the solution; NULL: it is left out. */
static naik_status commit_with(const room *r, naik_propagator_file *file, int solve, int row,
                               const double *x)
{
    double corr[ROOM_CORR], history[2] = {1, 0.1};
    naik_solve_record record = {.state = rows[row].state,
                                .iterations = rows[row].iterations,
                                .target = 1e-10,
                                .true_residual = rows[row].state == NAIK_SOLVE_DONE ? 1e-11 : 1e-9,
                                .source_residual = 1e-9,
                                .norm = 17};
    snprintf(record.stop_reason, sizeof record.stop_reason, "%s",
             naik_solver_reason_text(rows[row].reason));
    room_fill_solution(r->lattice, solve, r->solution);
    room_fill_correlators(solve, corr);
    return naik_propagator_file_commit(file, solve, x, corr, &record, history, 2);
}

static naik_status commit(const room *r, naik_propagator_file *file, int solve, int row)
{
    return commit_with(r, file, solve, row, r->solution);
}

static int pending(const naik_propagator_file *file)
{
    int count = 0;
    for (int i = 0; i < naik_propagator_file_solves(file); i++) {
        count += naik_propagator_file_record(file, i)->state == NAIK_SOLVE_PENDING;
    }
    return count;
}

static void lose_head(const room *r)
{
    char path[NAIK_PATH_MAX];
    snprintf(path, sizeof path, "%s.part", r->path);
    FILE *file = fopen(path, "r+b");
    if (file != NULL) {
        fputs("gone", file);
        fclose(file);
    }
}

/* Of a file that has all its solves but the last one, or is finished. What is done again is pending, the journal
 * knows no more of it, and the rest is kept. */
static void goes_on(check *t, int row, bool finished)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    const int again = rows[row].again, open = finished ? 0 : 1;
    naik_propagator_spec spec = room_spec();
    naik_propagator_file *file = room_open(t, &r, &spec, false);
    for (int i = 0; i < ROOM_SOLVES - open; i++) {
        CHECK_OK(t, i == CHANGED ? commit(&r, file, i, row) : room_commit(r.lattice, file, i));
    }
    if (finished) {
        CHECK_OK(t, naik_propagator_file_finish(file));
    }
    naik_propagator_file_close(&file);
    spec.iteration_limit = rows[row].limit;
    file = room_open(t, &r, &spec, false);
    CHECK_REQUIRE(t, file != NULL);
    CHECK_INT(t, pending(file), again + open);
    CHECK_INT(t, naik_propagator_file_record(file, CHANGED)->state == NAIK_SOLVE_PENDING, again);
    CHECK_INT(t, room_has(&r, ".part"), again + open > 0);
    CHECK_INT(t, room_has(&r, ""), finished && !again);
    naik_propagator_file_close(&file);
    if (again + open > 0) {
        lose_head(&r);
        file = room_open(t, &r, &spec, false);
        CHECK_REQUIRE(t, file != NULL);
        CHECK_INT(t, pending(file), again + open);
        CHECK_INT(t, naik_propagator_file_resumed(file), ROOM_SOLVES - again - open);
        naik_propagator_file_close(&file);
    }
    room_leave(t, &r);
}

static void solves_are_done_again_where_a_limit_was_lower(check *t)
{
    for (int row = 0; row < ROWS; row++) {
        goes_on(t, row, false);
        goes_on(t, row, true);
    }
}

/* What a killed run of any kind may leave, each with the bytes by which naik knows it. */
static const struct {
    const char *ending, *begin;
} left[] = {{".part", "\x89HDF\r\n\x1a\n"},
            {".journal", "naik-journal 1 "},
            {".part.state", "naikflow"},
            {".part.state.new", "naikflow"},
            {".part.new", "\x89HDF\r\n\x1a\n"},
            {".part.damaged", "\x89HDF\r\n\x1a\n"},
            {".journal.damaged", "naik-journal 1 "}};

/* Without those that Open MPI has beside what it has open. */
static int files_in(const room *r)
{
    int count = 0;
    DIR *folder = opendir(r->folder);
    for (struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;) {
        count += e->d_name[0] != '.' && strchr(e->d_name, '-') == NULL;
    }
    closedir(folder);
    return count;
}

static void a_file_that_begins_again_leaves_nothing_of_an_earlier_one(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    const naik_propagator_spec spec = room_spec();
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        char path[NAIK_PATH_MAX];
        snprintf(path, sizeof path, "%s%s", r.path, left[i].ending);
        FILE *file = fopen(path, "w");
        CHECK_TRUE(t, file != NULL && fputs(left[i].begin, file) >= 0 && fclose(file) == 0);
    }
    naik_propagator_file *file = room_open(t, &r, &spec, true);
    CHECK_REQUIRE(t, file != NULL);
    CHECK_INT(t, naik_propagator_file_resumed(file), 0);
    CHECK_INT(t, files_in(&r), 3); /* .part, its journal and its lock */
    room_complete(t, &r, &file, false);
    CHECK_INT(t, files_in(&r), 1);
    room_leave(t, &r);
}

/* A copy without propagators is begun anew beside what is left of an earlier one. */
static void propagators_are_left_out_once_they_are_contracted(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    naik_propagator_spec spec = room_spec();
    spec.until_contracted = true;
    naik_propagator_file *file = room_begin(t, &r, &spec, ROOM_SOLVES);
    CHECK_REQUIRE(t, file != NULL);
    CHECK_OK(t, naik_propagator_file_read_solution(file, 3, r.solution));
    char path[NAIK_PATH_MAX];
    snprintf(path, sizeof path, "%s.part.new", r.path);
    FILE *old = fopen(path, "w");
    CHECK_TRUE(t, old != NULL && fputs("\x89HDF\r\n\x1a\n", old) >= 0 && fclose(old) == 0);
    CHECK_OK(t, naik_propagator_file_finish(file));
    CHECK_INT(t, files_in(&r), 1);
    double corr[ROOM_CORR], one[ROOM_CORR];
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        room_fill_correlators(i, one);
        sum = i == 0 ? one[7] : sum + one[7];
    }
    CHECK_OK(t, naik_propagator_file_read_correlators(file, 0, 0, corr));
    CHECK_NEAR(t, corr[7], sum, 0);
    CHECK_STATUS(t, naik_propagator_file_read_solution(file, 3, r.solution), NAIK_ERR_ARG);
    naik_log_clear(t->log);
    naik_propagator_file_close(&file);
    room_leave(t, &r);
}

/* What correlators were made of is done, and its record says that no solution is there. A journal alone has neither
 * the correlators of several solves nor the solution: in a file that is made anew of it, the solve is pending. */
static void what_was_left_out_is_not_made_of_a_journal(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    naik_propagator_spec spec = room_spec();
    spec.until_contracted = true;
    naik_propagator_file *file = room_begin(t, &r, &spec, CHANGED);
    CHECK_REQUIRE(t, file != NULL);
    CHECK_OK(t, commit_with(&r, file, CHANGED, ROWS - 1, NULL));
    for (int lost = 0; lost < 2; lost++) {
        naik_propagator_file_close(&file);
        if (lost) {
            lose_head(&r);
        }
        file = room_open(t, &r, &spec, false);
        CHECK_REQUIRE(t, file != NULL);
        CHECK_INT(t, naik_propagator_file_resumed(file), CHANGED + 1 - lost);
        CHECK_INT(t, naik_propagator_file_left_out(file, CHANGED), !lost);
        CHECK_INT(t, pending(file), ROOM_SOLVES - CHANGED - 1 + lost);
    }
    naik_propagator_file_close(&file);
    room_leave(t, &r);
}

CHECK_MAIN(CHECK(solves_are_done_again_where_a_limit_was_lower),
           CHECK(a_file_that_begins_again_leaves_nothing_of_an_earlier_one),
           CHECK(propagators_are_left_out_once_they_are_contracted),
           CHECK(what_was_left_out_is_not_made_of_a_journal))
