/* test_retries.c - propagator files that go on: which solves are done again under a higher limit of iterations, and
 * what lies beside a file that begins again
 *
 * ranks: 1
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/h5/h5.h"
#include "io/prop/record.h"
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

/* ---- files that are read */

/* The numbers of a dataset of doubles change, without their checksum. */
static void spoil(check *t, const char *path, const char *name)
{
    double values[2 * ROOM_T] = {0};
    const hid_t access = naik_h5_access_alone(), file = H5Fopen(path, H5F_ACC_RDWR, access);
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(dataset);
    naik_h5_release(access);
    CHECK_TRUE(t, H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    naik_h5_release(type);
    naik_h5_release(dataset);
    CHECK_TRUE(t, H5Fclose(file) >= 0);
}

/* Of a file whose run was killed once the propagators were gone: what follows from other contractions is made again,
 * and nothing else can be. */
static void what_follows_from_contractions_is_made_again(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    naik_contraction list[ROOM_CONTRACTED];
    double values[ROOM_CONTRACTED][2 * ROOM_T];
    char part[NAIK_PATH_MAX];
    naik_propagator_spec spec = room_spec();
    room_add_contractions(&spec);
    memcpy(list, spec.contractions, sizeof list);
    list[1].follows = true;
    spec.contractions = list;
    spec.until_contracted = true;
    room_fill_contractions(values);
    snprintf(part, sizeof part, "%s.part", r.path);
    for (int i = 0; i < ROOM_CONTRACTED; i++) {
        naik_propagator_file *file = room_open(t, &r, &spec, true);
        for (int solve = 0; file != NULL && solve < ROOM_SOLVES; solve++) {
            CHECK_OK(t, room_commit(r.lattice, file, solve));
        }
        CHECK_OK(t, naik_propagator_file_contract(file, 0, ROOM_CONTRACTED, NULL, values[0]));
        CHECK_OK(t, naik_propagator_file_finish(file));
        naik_propagator_file_close(&file);
        CHECK_INT(t, rename(r.path, part), 0);
        spoil(t, part, list[i].path);
        CHECK_STATUS(t, naik_propagator_file_open(r.lattice, r.path, &spec, false, &file),
                     i == 1 ? NAIK_OK : NAIK_ERR_CORRUPT);
        naik_log_clear(t->log);
        naik_propagator_file_close(&file);
        CHECK_INT(t, remove(part), 0);
    }
    room_leave(t, &r);
}

/* The records as 0.1.0 (0) and the versions without modes (1) described them: the same bytes, of which texts have
 * what has other names now. */
static void describe_as_before(check *t, const char *path, int version)
{
    const hid_t access = naik_h5_access_alone(), file = H5Fopen(path, H5F_ACC_RDWR, access);
    const hid_t now = naik_disk_record_type(), before = H5Tcreate(H5T_COMPOUND, H5Tget_size(now));
    const hid_t text = naik_h5_string(version == 0 ? 32 : 28);
    const hsize_t dims[1] = {ROOM_SOLVES};
    naik_disk_record disk[ROOM_SOLVES];
    hid_t dataset = H5Dopen2(file, "solves", H5P_DEFAULT);
    naik_h5_release(access);
    CHECK_TRUE(t, H5Dread(dataset, now, H5S_ALL, H5S_ALL, H5P_DEFAULT, disk) >= 0);
    naik_h5_release(dataset);
    for (unsigned i = 0; i < (unsigned)H5Tget_nmembers(now); i++) {
        char *name = H5Tget_member_name(now, i);
        const hid_t member = H5Tget_member_type(now, i);
        if (strcmp(name, "modes") != 0 && (strcmp(name, "rung") != 0 || version > 0)) {
            H5Tinsert(before, name, H5Tget_member_offset(now, i),
                      strcmp(name, "stop_reason") == 0 ? text : member);
        }
        naik_h5_release(member);
        H5free_memory(name);
    }
    CHECK_TRUE(t, H5Ldelete(file, "solves", H5P_DEFAULT) >= 0);
    CHECK_OK(t, naik_h5_dataset(t->log, file, "solves", before, 1, dims, NULL, &dataset));
    CHECK_TRUE(t, H5Dwrite(dataset, before, H5S_ALL, H5S_ALL, H5P_DEFAULT, disk) >= 0);
    CHECK_TRUE(t, H5Adelete(file, "metadata_crc") >= 0);
    naik_h5_release(dataset);
    naik_h5_release(text);
    naik_h5_release(before);
    naik_h5_release(now);
    CHECK_TRUE(t, H5Fclose(file) >= 0);
}

static void files_of_earlier_versions_are_read_and_of_other_lattices_are_not(check *t)
{
    static const int other[NAIK_DIM] = {8, 4, 4, 2 * ROOM_T};
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    const naik_propagator_spec spec = room_spec();
    naik_lattice *larger = NULL;
    CHECK_OK(t, naik_lattice_create(t->comm, other, NULL, &larger));
    for (int version = 0; version < 3; version++) {
        naik_propagator_file *file = room_open(t, &r, &spec, true);
        CHECK_REQUIRE(t, file != NULL);
        room_complete(t, &r, &file, false);
        if (version < 2) {
            describe_as_before(t, r.path, version);
        }
        CHECK_OK(t, naik_propagator_file_open_finished(r.lattice, r.path, &file));
        if (file != NULL) {
            room_check(t, &r, file, false);
        }
        naik_propagator_file_close(&file);
        CHECK_STATUS(t, naik_propagator_file_open_finished(larger, r.path, &file), NAIK_ERR_INPUT);
        naik_propagator_file_close(&file);
        naik_log_clear(t->log);
    }
    naik_lattice_destroy(&larger);
    room_leave(t, &r);
}

CHECK_MAIN(CHECK(what_follows_from_contractions_is_made_again),
           CHECK(files_of_earlier_versions_are_read_and_of_other_lattices_are_not),
           CHECK(solves_are_done_again_where_a_limit_was_lower),
           CHECK(a_file_that_begins_again_leaves_nothing_of_an_earlier_one),
           CHECK(propagators_are_left_out_once_they_are_contracted),
           CHECK(what_was_left_out_is_not_made_of_a_journal))
