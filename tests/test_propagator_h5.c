/* test_propagator_h5.c - the propagator file: every bit comes back, nothing committed is lost
 *
 * With --worker it is the small job that test_propagator_kill.py kills:
 *     test_propagator_h5 --worker PATH STOP     commits at most STOP solves, then kills itself;
 *                                               STOP < 0: never. Ends with a complete PATH.
 *     test_propagator_h5 --fail PATH STOP       after STOP solves every write fails
 */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "io/prop/record.h"
#include "propagator_fixture.h"

static void names_of_momenta_keep_numbers_apart(check *t)
{
    static const int momenta[][NAIK_DIM - 1] = {{0, 0, 0}, {1, 0, -1}, {10, 0, 1}, {1, -12, 0}};
    static const char *const names[] = {"p000", "p10-1", "p10_0_1", "p1_-12_0"};
    for (int i = 0; i < 4; i++) {
        char name[64];
        naik_propagator_momentum_name(momenta[i], name);
        CHECK_TEXT(t, name, names[i]);
    }
}

static void records_of_no_known_state_are_damaged(check *t)
{
    naik_solve_record record = {.state = NAIK_SOLVE_DONE, .rung = 1, .modes = 7, .iterations = 12};
    snprintf(record.stop_reason, sizeof record.stop_reason, "converged");
    naik_disk_record disk = naik_disk_record_pack(&record, 3);
    naik_solve_record back;
    CHECK_TRUE(t, naik_disk_record_unpack(&disk, &back) && back.state == NAIK_SOLVE_DONE);
    CHECK_TRUE(t, back.rung == 1 && back.modes == 7 && back.iterations == 12 && disk.set == 3);
    CHECK_TEXT(t, back.stop_reason, "converged");
    disk.iterations++; /* its checksum is of another number */
    CHECK_TRUE(t, !naik_disk_record_unpack(&disk, &back));
    disk.state = 7;
    naik_disk_record_set_crc(&disk);
    CHECK_TRUE(t, !naik_disk_record_unpack(&disk, &back));
}

static void h5_propagators_come_back_to_the_bit(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    /* written by all together, and through 1 and 3 ranks */
    for (int round = 0; round < 3; round++) {
        const int precision = round % 2 == 0 ? 64 : 32;
        naik_propagator_spec spec = room_spec();
        spec.precision = precision;
        t->comm->io.writers = round * 2 - (round > 0);
        naik_propagator_file *file = room_open(t, &r, &spec, true);
        CHECK_REQUIRE(t, file != NULL);
        CHECK_INT(t, naik_propagator_file_solves(file), 12);
        CHECK_INT(t, naik_propagator_file_solve(file, 2, 0, 1), 10);
        CHECK_INT(t, naik_propagator_file_resumed(file), 0);
        for (int i = 11; i >= 0; i--) { /* any order will do */
            CHECK_OK(t, room_commit(r.lattice, file, i));
        }
        CHECK_OK(t, naik_propagator_file_finish(file));
        CHECK_TRUE(t, naik_propagator_file_complete(file));
        room_check(t, &r, file, precision == 32);
        naik_propagator_file_close(&file);
        naik_comm_barrier(t->comm);
        CHECK_TRUE(t, room_has(&r, "") && !room_has(&r, ".part") && !room_has(&r, ".journal") &&
                          !room_has(&r, ".lock"));
        file = room_open(t, &r, &spec, false);
        CHECK_REQUIRE(t, file != NULL);
        CHECK_TRUE(t, naik_propagator_file_complete(file));
        room_check(t, &r, file, precision == 32);
        CHECK_STATUS(t, room_commit(r.lattice, file, 0), NAIK_ERR_ARG);
        naik_propagator_file_close(&file);
    }
    room_leave(t, &r);
}

static void a_stopped_run_is_continued(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    naik_propagator_spec spec = room_spec();
    int done = 0;
    while (done < 12) {
        naik_propagator_file *file = room_open(t, &r, &spec, false);
        CHECK_REQUIRE(t, file != NULL);
        CHECK_INT(t, naik_propagator_file_resumed(file), done);
        CHECK_TEXT(t, naik_propagator_file_choices(file), "inner_precision = single");
        spec.choices = "of a later run";
        CHECK_STATUS(t, naik_propagator_file_finish(file), NAIK_ERR_ARG);
        for (int i = 0; i < 5 && done < 12; i++) {
            CHECK_INT(t, naik_propagator_file_record(file, done)->state, NAIK_SOLVE_PENDING);
            CHECK_OK(t, room_commit(r.lattice, file, done++));
        }
        if (done == 12) {
            CHECK_OK(t, naik_propagator_file_finish(file));
            room_check(t, &r, file, false);
        }
        naik_propagator_file_close(&file);
        naik_comm_barrier(t->comm);
        CHECK_TRUE(t, !room_has(&r, ".lock"));
        naik_comm_barrier(t->comm);
    }
    room_leave(t, &r);
}

/* A solve, or the state of one that was interrupted, is worth more than a folder in order; and what another run has made, or
 * works on, is none of this one's. */
static void what_was_begun_is_forgotten_unless_it_holds_something(check *t)
{
    enum { NOTHING, STATE, SOLVE, KILLED, NO_LOCK, NOTHING_AGAIN, ROUNDS };
    room r;
    char state[NAIK_PATH_MAX], lock[NAIK_PATH_MAX];
    if (!room_enter(t, &r)) {
        return;
    }
    naik_propagator_spec spec = room_spec();
    snprintf(state, sizeof state, "%s.part.state", r.path);
    snprintf(lock, sizeof lock, "%s.lock", r.path);
    for (int round = 0; round < ROUNDS; round++) {
        const bool kept = round != NOTHING && round != NOTHING_AGAIN;
        naik_propagator_file *file = room_open(t, &r, &spec, true);
        CHECK_REQUIRE(t, file != NULL);
        if (round == STATE && t->comm->rank == 0) {
            fclose(fopen(state, "w"));
        }
        if (round == SOLVE) {
            CHECK_OK(t, room_commit(r.lattice, file, 0));
        }
        if (round == NO_LOCK && t->comm->rank == 0) {
            unlink(lock);
        }
        naik_comm_barrier(t->comm);
        if (round != KILLED) {
            CHECK_STATUS(t, naik_propagator_file_forget(file),
                         round == NO_LOCK ? NAIK_ERR_IO : NAIK_OK);
        }
        naik_propagator_file_close(&file);
        naik_log_clear(t->log);
        naik_comm_barrier(t->comm);
        CHECK_TRUE(t, room_has(&r, ".part") == kept && room_has(&r, ".journal") == kept &&
                          room_has(&r, ".part.state") == (round == STATE) &&
                          !room_has(&r, ".lock"));
        if (kept) {
            file = room_open(t, &r, &spec, false);
            CHECK_OK(t, naik_propagator_file_forget(file));
            naik_propagator_file_close(&file);
            CHECK_TRUE(t, room_has(&r, ".part"));
        }
        naik_comm_barrier(t->comm);
    }
    room_leave(t, &r);
}

static void a_run_without_propagators_is_continued(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    naik_propagator_spec spec = room_spec();
    spec.store_propagators = false;
    double corr[ROOM_CORR], one[ROOM_CORR];
    naik_propagator_file *file = room_begin(t, &r, &spec, 2);
    CHECK_REQUIRE(t, file != NULL);
    naik_propagator_file_close(&file);
    file = room_open(t, &r, &spec, false);
    CHECK_REQUIRE(t, file != NULL);
    CHECK_INT(t, naik_propagator_file_resumed(file), 2);
    CHECK_OK(t, room_commit(r.lattice, file, 2));
    CHECK_OK(t, naik_propagator_file_read_correlators(file, 0, 0, corr));
    room_fill_correlators(0, one);
    double sum = one[7];
    room_fill_correlators(1, one);
    sum += one[7];
    room_fill_correlators(2, one);
    CHECK_NEAR(t, corr[7], sum + one[7], 0);
    CHECK_STATUS(t, naik_propagator_file_read_solution(file, 0, r.solution), NAIK_ERR_ARG);
    naik_propagator_file_close(&file);
    room_leave(t, &r);
}

/* Of the last rank's box, or of what all ranks have alike. */
static void numbers_that_are_not_finite_are_not_stored(check *t)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e39};
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    naik_propagator_spec spec = room_spec();
    spec.precision = 32; /* in which 1e39 is infinite */
    naik_propagator_file *file = room_begin(t, &r, &spec, 2);
    CHECK_REQUIRE(t, file != NULL);
    const naik_solve_record record = {.state = NAIK_SOLVE_DONE, .target = 1e-10, .norm = 17};
    double corr[ROOM_CORR], history[1] = {1};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        room_fill_correlators(2, corr);
        room_fill_solution(r.lattice, 2, r.solution);
        r.solution[6 * (r.lattice->sites - 1) + 3] =
            t->comm->rank == t->comm->size - 1 ? odd[i] : 1;
        CHECK_INT(t, naik_propagator_file_commit(file, 2, r.solution, corr, &record, history, 1),
                  NAIK_ERR_INPUT);
        CHECK_TRUE(t,
                   strstr(naik_log_message(t->log), "/prop/s0000/m00 [2] is not finite") != NULL);
        naik_log_clear(t->log);
        room_fill_solution(r.lattice, 2, r.solution);
        corr[ROOM_CORR - 3] = i < 3 ? odd[i] : NAN;
        CHECK_INT(t, naik_propagator_file_commit(file, 2, r.solution, corr, &record, history, 1),
                  NAIK_ERR_INPUT);
        CHECK_TRUE(t, strstr(naik_log_message(t->log), "/corr/pt/m00/per_colour is not") != NULL);
        naik_log_clear(t->log);
        CHECK_INT(t, naik_propagator_file_record(file, 2)->state, NAIK_SOLVE_PENDING);
    }
    room_complete(t, &r, &file, true);
    room_leave(t, &r);
}

/* Bytes of the first slab's middle, wherever HDF5 has put them, taken from the journal. */
static void flip_in_slab(const room *r, int solve, const char *suffix)
{
    char path[NAIK_PATH_MAX], key[32], *line = NULL;
    size_t length = 0;
    long long offset = -1;
    snprintf(path, sizeof path, "%s.journal", r->path);
    snprintf(key, sizeof key, "solve=%d ", solve);
    FILE *journal = fopen(path, "r");
    while (journal != NULL && getline(&line, &length, journal) > 0) {
        if (strncmp(line, key, strlen(key)) == 0) {
            sscanf(strstr(line, "slab="), "slab=%lld", &offset);
        }
    }
    free(line);
    if (journal != NULL) {
        fclose(journal);
    }
    snprintf(path, sizeof path, "%s%s", r->path, suffix);
    int fd = open(path, O_RDWR);
    char byte = 0;
    if (pread(fd, &byte, 1, offset + 1000) == 1) {
        byte ^= 4;
        if (pwrite(fd, &byte, 1, offset + 1000) != 1) {
            perror("pwrite");
        }
    }
    close(fd);
}

static void a_damaged_slab_is_solved_again(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    naik_propagator_spec spec = room_spec();
    naik_propagator_file *file = room_begin(t, &r, &spec, 4);
    CHECK_REQUIRE(t, file != NULL);
    naik_propagator_file_close(&file);
    if (t->comm->rank == 0) {
        flip_in_slab(&r, 2, ".part");
    }
    naik_comm_barrier(t->comm);
    file = room_open(t, &r, &spec, false);
    CHECK_REQUIRE(t, file != NULL);
    CHECK_INT(t, naik_propagator_file_resumed(file), 3);
    CHECK_INT(t, naik_propagator_file_record(file, 2)->state, NAIK_SOLVE_PENDING);
    CHECK_OK(t, room_commit(r.lattice, file, 2));
    for (int i = 4; i < 12; i++) {
        CHECK_OK(t, room_commit(r.lattice, file, i));
    }
    if (t->comm->rank == 0) {
        flip_in_slab(&r, 7, ".part"); /* damaged between commit and finish */
    }
    naik_comm_barrier(t->comm);
    CHECK_STATUS(t, naik_propagator_file_finish(file), NAIK_ERR_CORRUPT);
    CHECK_TRUE(t, !room_has(&r, ""));
    naik_propagator_file_close(&file);
    file = room_open(t, &r, &spec, false);
    CHECK_REQUIRE(t, file != NULL);
    CHECK_INT(t, naik_propagator_file_resumed(file), 11);
    room_complete(t, &r, &file, false);
    room_leave(t, &r);
}

static void write_at_begin(const room *r, const char *suffix, const char *text)
{
    char path[NAIK_PATH_MAX];
    snprintf(path, sizeof path, "%s%s", r->path, suffix);
    int fd = open(path, O_WRONLY);
    if (pwrite(fd, text, strlen(text), 0) != (ssize_t)strlen(text)) {
        perror("pwrite");
    }
    close(fd);
}

static void remove_one(const room *r, const char *suffix)
{
    char path[NAIK_PATH_MAX];
    snprintf(path, sizeof path, "%s%s", r->path, suffix);
    remove(path);
}

/* Begins, loses what `harm` takes away on rank 0, and opens again; NULL where that fails. */
static naik_propagator_file *open_harmed(check *t, const room *r, const naik_propagator_spec *spec,
                                         naik_propagator_file **file, void (*harm)(const room *))
{
    naik_propagator_file_close(file);
    if (t->comm->rank == 0) {
        harm(r);
    }
    naik_comm_barrier(t->comm);
    *file = room_open(t, r, spec, false);
    return *file;
}

static void lose_journal(const room *r)
{
    remove_one(r, ".journal");
}

static void lose_head(const room *r)
{
    write_at_begin(r, ".part", "gone");
}

/* The journal begins as one, so that the .part beside it is taken for naik's. */
static void lose_both_heads(const room *r)
{
    lose_head(r);
    write_at_begin(r, ".journal", "naik-journal gone");
}

/* Another name for the attribute `state`, wherever it is. */
static void lose_state(const room *r)
{
    char path[NAIK_PATH_MAX];
    snprintf(path, sizeof path, "%s.part", r->path);
    FILE *stream = fopen(path, "r+b");
    char head[1 << 16];
    const size_t length = fread(head, 1, sizeof head, stream);
    for (size_t i = 0; i + 6 < length; i++) {
        if (memcmp(head + i, "state", 6) == 0) {
            fseek(stream, (long)i, SEEK_SET);
            fputc('x', stream);
        }
    }
    fclose(stream);
}

static void a_lost_journal_is_written_again(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    naik_propagator_spec spec = room_spec();
    naik_propagator_file *file = room_begin(t, &r, &spec, 3);
    CHECK_REQUIRE(t, file != NULL && open_harmed(t, &r, &spec, &file, lose_journal) != NULL);
    CHECK_INT(t, naik_propagator_file_resumed(file), 3);
    CHECK_OK(t, room_commit(r.lattice, file, 3));
    CHECK_REQUIRE(t, open_harmed(t, &r, &spec, &file, lose_head) != NULL);
    CHECK_INT(t, naik_propagator_file_resumed(file), 4);
    CHECK_REQUIRE(t, open_harmed(t, &r, &spec, &file, lose_state) != NULL);
    CHECK_INT(t, naik_propagator_file_resumed(file), 4);
    room_complete(t, &r, &file, false);
    room_leave(t, &r);
}

static void what_no_journal_saves_is_kept(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    naik_propagator_spec spec = room_spec();
    naik_propagator_file *file = room_begin(t, &r, &spec, 3);
    CHECK_REQUIRE(t, file != NULL && open_harmed(t, &r, &spec, &file, lose_both_heads) != NULL);
    CHECK_INT(t, naik_propagator_file_resumed(file), 0);
    room_complete(t, &r, &file, false);
    CHECK_TRUE(t, room_has(&r, ".part.damaged.kept") && room_has(&r, ".journal.damaged.kept"));
    naik_comm_barrier(t->comm);
    if (t->comm->rank == 0) {
        remove_one(&r, ".part.damaged.kept");
        remove_one(&r, ".journal.damaged.kept");
    }
    room_leave(t, &r);
}

/* With nothing that naik knows in either, they may be anybody's. */
static void what_nothing_names_as_naiks_is_refused(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    const naik_propagator_spec spec = room_spec();
    naik_propagator_file *file = room_begin(t, &r, &spec, 3);
    CHECK_REQUIRE(t, file != NULL);
    naik_propagator_file_close(&file);
    if (t->comm->rank == 0) {
        write_at_begin(&r, ".part", "gone");
        write_at_begin(&r, ".journal", "gone");
    }
    naik_comm_barrier(t->comm);
    CHECK_STATUS(t, naik_propagator_file_open(r.lattice, r.path, &spec, false, &file),
                 NAIK_ERR_INPUT);
    CHECK_TRUE(t, room_has(&r, ".part") && room_has(&r, ".journal"));
    naik_comm_barrier(t->comm);
    if (t->comm->rank == 0) {
        remove_one(&r, ".part");
        remove_one(&r, ".journal");
    }
    room_leave(t, &r);
}

/* The first bytes of the .part are gone: HDF5 cannot open it, the journal can. */
static void an_unopenable_part_is_rebuilt_from_its_journal(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    naik_propagator_spec spec = room_spec();
    naik_propagator_file *file = room_begin(t, &r, &spec, 7);
    CHECK_REQUIRE(t, file != NULL);
    naik_propagator_file_close(&file);
    if (t->comm->rank == 0) {
        flip_in_slab(&r, 3, ".part"); /* and one slab is bad as well */
        lose_head(&r);
    }
    naik_comm_barrier(t->comm);
    spec.canonical_input = "solver.tolerance = 1e-9\n";
    CHECK_STATUS(t, naik_propagator_file_open(r.lattice, r.path, &spec, false, &file),
                 NAIK_ERR_INPUT);
    spec = room_spec();
    spec.choices = "what this run would choose";
    file = room_open(t, &r, &spec, false);
    CHECK_REQUIRE(t, file != NULL);
    CHECK_INT(t, naik_propagator_file_resumed(file), 6);
    CHECK_TRUE(t, strcmp(naik_propagator_file_choices(file), room_spec().choices) == 0);
    CHECK_TRUE(t, !room_has(&r, ".part.damaged") && !room_has(&r, ".journal.damaged"));
    room_complete(t, &r, &file, false);
    room_leave(t, &r);
}

/* Those up to number `most` that are not in the file, in one go. */
static naik_status contract_missing(naik_propagator_file *file, int most)
{
    naik_status status = NAIK_OK;
    double values[ROOM_CONTRACTED][2 * ROOM_T], stored[2 * ROOM_T];
    bool chosen[ROOM_CONTRACTED] = {false}, any = false;
    for (int i = 0; i <= most; i++) {
        NAIK_TRY(naik_propagator_file_contraction(file, i, stored, &chosen[i]));
        chosen[i] = !chosen[i];
        any = any || chosen[i];
    }
    room_fill_contractions(values);
    if (any) {
        NAIK_TRY(naik_propagator_file_contract(file, 0, ROOM_CONTRACTED, chosen, values[0]));
    }
done:
    return status;
}

/* Each of them is in the file where `there` says so, with its own numbers. */
static void check_contractions(check *t, naik_propagator_file *file,
                               const bool there[ROOM_CONTRACTED])
{
    double values[ROOM_CONTRACTED][2 * ROOM_T], stored[2 * ROOM_T];
    room_fill_contractions(values);
    for (int i = 0; i < ROOM_CONTRACTED; i++) {
        bool found = false;
        CHECK_OK(t, naik_propagator_file_contraction(file, i, stored, &found));
        CHECK_INT(t, found, there[i]);
        CHECK_TRUE(t, !found || memcmp(stored, values[i], sizeof stored) == 0);
    }
}

static void contractions_are_written_in_one_go(check *t)
{
    static const bool outer[] = {true, false, true}, none[] = {false, false, false},
                      all[] = {true, true, true}, inner[] = {false, true, false};
    static const int refused[][2] = {
        {-1, 1}, {0, 0}, {0, ROOM_CONTRACTED + 1}, {ROOM_CONTRACTED, 1}};
    room r;
    double values[ROOM_CONTRACTED][2 * ROOM_T];
    if (!room_enter(t, &r)) {
        return;
    }
    naik_propagator_spec spec = room_spec();
    room_add_contractions(&spec);
    room_fill_contractions(values);
    naik_propagator_file *file = room_begin(t, &r, &spec, 12);
    CHECK_REQUIRE(t, file != NULL);
    check_contractions(t, file, none);
    CHECK_OK(t, naik_propagator_file_contract(file, 0, ROOM_CONTRACTED, outer, values[0]));
    check_contractions(t, file, outer);
    for (int i = 0; i < 4; i++) {
        CHECK_STATUS(
            t, naik_propagator_file_contract(file, refused[i][0], refused[i][1], NULL, values[0]),
            NAIK_ERR_ARG);
        naik_log_clear(t->log);
    }
    naik_propagator_file_close(&file); /* as a run that is killed */
    file = room_open(t, &r, &spec, false);
    CHECK_REQUIRE(t, file != NULL);
    check_contractions(
        t, file, outer); /* and those that were there keep their checksums beside the new ones */
    values[2][0] = INFINITY;
    CHECK_TRUE(t,
               naik_propagator_file_contract(file, 0, ROOM_CONTRACTED, all, values[0]) != NAIK_OK);
    naik_log_clear(t->log);
    check_contractions(t, file, outer);
    CHECK_OK(t, naik_propagator_file_contract(file, 0, ROOM_CONTRACTED, inner, values[0]));
    check_contractions(t, file, all);
    room_complete(t, &r, &file, false);
    room_leave(t, &r);
}

/* The job that the kill test kills. */
static int worker(int argc, char **argv, const char *path, int stop, bool fail)
{
    naik_log *log = naik_log_create();
    naik_comm *comm = NULL;
    naik_lattice *lattice = NULL;
    naik_propagator_file *file = NULL;
    naik_propagator_spec spec = room_spec();
    naik_status status = NAIK_OK;
    int committed = 0;
    spec.io_limit_s = fail ? 4 : 0;
    room_add_contractions(&spec);
    NAIK_TRY(naik_comm_create(&argc, &argv, log, &comm));
    NAIK_TRY(room_lattice(comm, &lattice));
    NAIK_TRY(naik_propagator_file_open(lattice, path, &spec, false, &file));
    if (comm->rank == 0) {
        printf("resumed %d\n", naik_propagator_file_resumed(file));
        fflush(stdout);
    }
    for (int i = 0; i < naik_propagator_file_solves(file); i++) {
        if (naik_propagator_file_record(file, i)->state != NAIK_SOLVE_PENDING) {
            continue;
        }
        if (committed++ == stop) {
            if (!fail) {
                kill(getpid(), SIGKILL);
            }
            const struct rlimit nothing = {0, 0};
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &nothing);
        }
        NAIK_TRY(room_commit(lattice, file, i));
        if (i == 5) { /* the first source has all */
            NAIK_TRY(contract_missing(file, 0));
        }
    }
    NAIK_TRY(contract_missing(file, ROOM_CONTRACTED - 1));
    if (committed == stop) {
        kill(getpid(), SIGKILL);
    }
    NAIK_TRY(naik_propagator_file_finish(file));
done:
    if (status != NAIK_OK) {
        naik_log_print_failure(log);
        return naik_status_exit(status);
    }
    naik_propagator_file_close(&file);
    naik_lattice_destroy(&lattice);
    naik_comm_destroy(&comm);
    naik_log_destroy(&log);
    return 0;
}

int main(int argc, char **argv)
{
    static const check_case cases[] = {CHECK(names_of_momenta_keep_numbers_apart),
                                       CHECK(records_of_no_known_state_are_damaged),
                                       CHECK(h5_propagators_come_back_to_the_bit),
                                       CHECK(a_stopped_run_is_continued),
                                       CHECK(what_was_begun_is_forgotten_unless_it_holds_something),
                                       CHECK(a_run_without_propagators_is_continued),
                                       CHECK(a_damaged_slab_is_solved_again),
                                       CHECK(numbers_that_are_not_finite_are_not_stored),
                                       CHECK(an_unopenable_part_is_rebuilt_from_its_journal),
                                       CHECK(a_lost_journal_is_written_again),
                                       CHECK(what_no_journal_saves_is_kept),
                                       CHECK(contractions_are_written_in_one_go),
                                       CHECK(what_nothing_names_as_naiks_is_refused)};
    if (argc == 4 && (strcmp(argv[1], "--worker") == 0 || strcmp(argv[1], "--fail") == 0)) {
        return worker(argc, argv, argv[2], atoi(argv[3]), strcmp(argv[1], "--fail") == 0);
    }
    return check_main(argc, argv, cases, (int)(sizeof cases / sizeof *cases));
}
