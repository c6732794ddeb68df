/* test_propagator_guard.c - what a propagator file refuses, and what it survives */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "io/gauge/same_links.h"
#include "io/h5/metadata_crc.h"
#include "io/prop/prop_file.h"
#include "propagator_fixture.h"

static void refused(check *t, const room *r, const naik_propagator_spec *spec, const char *part)
{
    naik_propagator_file *file = NULL;
    CHECK_INT(t, naik_propagator_file_open(r->lattice, r->path, spec, false, &file),
              NAIK_ERR_INPUT);
    CHECK_TRUE(t, strstr(naik_log_message(t->log), part) != NULL);
    if (strstr(naik_log_message(t->log), part) == NULL && t->comm->rank == 0) {
        fprintf(stderr, "    %s\n", naik_log_message(t->log));
    }
    naik_log_clear(t->log);
    CHECK_TRUE(t, file == NULL);
}

static void a_changed_input_is_refused_by_name(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    naik_propagator_spec spec = room_spec();
    naik_propagator_file *file = room_begin(t, &r, &spec, 1);
    CHECK_REQUIRE(t, file != NULL);
    naik_propagator_file_close(&file);
    spec.canonical_input = "solver.tolerance = 1e-9\nsolver.x = 1\n";
    refused(t, &r, &spec,
            "was begun with the input 'solver.tolerance = 1e-10', now it is 'solver.tolerance = "
            "1e-9'");
    spec = room_spec();
    spec.gauge_checksum = "suma 1 sumb 3";
    refused(t, &r, &spec, "the gauge configuration 'suma 1 sumb 2', now it is 'suma 1 sumb 3'");
    spec = room_spec();
    spec.source_checksums = "solve.0.source.file holds 3";
    refused(t, &r, &spec, "the sources '', now it is 'solve.0.source.file holds 3'");
    spec = room_spec();
    spec.numerics = "naik 2 cpu";
    refused(t, &r, &spec, "the arithmetic 'naik 1 cpu'");
    spec = room_spec();
    spec.precision = 32;
    refused(t, &r, &spec, "output.precision = 64");
    spec = room_spec();
    spec.set_count = 1;
    refused(t, &r, &spec, "solve.1.name = wall");
    file = room_open(t, &r, &spec, true); /* --fresh begins again */
    CHECK_REQUIRE(t, file != NULL);
    CHECK_INT(t, naik_propagator_file_resumed(file), 0);
    CHECK_INT(t, naik_propagator_file_solves(file), 6);
    naik_propagator_file_close(&file);
    room_leave(t, &r);
}

/* For a line of which no message has all. */
#define FIFTY "00000000000000000000000000000000000000000000000000"

/* The identity has no line of a key that counts as there were none: the sentence tells what the key is, or which
 * other key has taken the line away. */
static void another_way_of_counting_is_told_as_it_is(check *t)
{
    static const struct {
        const char *begun, *now, *says;
    } rows[] = {
        {"solver.x = 1\noutput.momentum_weight = exp\n", "solver.x = 1\n",
         "the input 'output.momentum_weight = exp', now it is 'output.momentum_weight = cos'"},
        {"output.origin = source\noutput.momentum_weight = exp\n", "output.momentum_weight = exp\n",
         "the input 'output.origin = source', now it is 'output.origin = [0, 0, 0, 0]'"},
        {"output.momentum_weight = exp\n", "solve.0.momenta = [[0, 0, 0]]\n",
         "the input's 'solve.0.momenta' at its default, now it is 'solve.0.momenta = "},
        {"output.momentum_weight = exp\n", "output.origin = [1, 0, 0, 0]\n",
         "the input 'output.momentum_weight = exp', now it is 'output.momentum_weight = cos'"},
        {"solver.x = 1\n", "solver.x = 1\noutput.origin = source\n",
         "was begun with correlators counted from the lattice's origin"},
        {"solver.x = " FIFTY FIFTY FIFTY FIFTY "1, 2\n",
         "solver.x = " FIFTY FIFTY FIFTY FIFTY "3, 2\n",
         "0000001, 2', now it is 'solver.x = ... 000"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        room r;
        if (!room_enter(t, &r)) {
            return;
        }
        naik_propagator_spec spec = room_spec();
        spec.canonical_input = rows[i].begun;
        naik_propagator_file *file = room_begin(t, &r, &spec, 1);
        CHECK_REQUIRE(t, file != NULL);
        naik_propagator_file_close(&file);
        spec.canonical_input = rows[i].now;
        refused(t, &r, &spec, rows[i].says);
        room_leave(t, &r);
    }
}

static void write_lock(const room *r, const char *text)
{
    char path[NAIK_PATH_MAX];
    snprintf(path, sizeof path, "%s.lock", r->path);
    FILE *stream = fopen(path, "w");
    fputs(text, stream);
    fclose(stream);
}

static void two_jobs_do_not_share_an_output(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    naik_propagator_spec spec = room_spec();
    naik_propagator_file *file = room_open(t, &r, &spec, false);
    CHECK_REQUIRE(t, file != NULL);
    refused(t, &r, &spec, "another job writes this output");
    CHECK_OK(t, room_commit(r.lattice, file, 0));
    naik_comm_barrier(t->comm);
    if (t->comm->rank == 0) { /* another job takes over while this one is stalled */
        write_lock(&r, "host=elsewhere\n");
    }
    naik_comm_barrier(t->comm);
    CHECK_STATUS(t, room_commit(r.lattice, file, 1), NAIK_ERR_IO);
    naik_propagator_file_close(&file);
    t->kept_open = 1; /* as after any write that failed */
    naik_comm_barrier(t->comm);
    CHECK_TRUE(t, room_has(&r, ".lock")); /* not ours to remove */
    room_leave(t, &r);
}

/* Writes beyond a limit fail as on a full disk: nothing committed may be lost. */
static void a_failing_write_loses_nothing(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    naik_propagator_spec spec = room_spec();
    t->comm->io.writers = 2; /* collective MPI-IO may hang here, depending on the library */
    naik_propagator_file *file = room_begin(t, &r, &spec, 1);
    CHECK_REQUIRE(t, file != NULL);
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 4096;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
    sigaction(SIGXFSZ, &ignore, &old);
    naik_comm_barrier(t->comm);
    setrlimit(RLIMIT_FSIZE, &limit);
    CHECK_STATUS(t, room_commit(r.lattice, file, 11), NAIK_ERR_IO);
    t->kept_open = 1;
    naik_comm_barrier(t->comm);
    setrlimit(RLIMIT_FSIZE, &before);
    sigaction(SIGXFSZ, &old, NULL);
    naik_propagator_file_close(&file);
    naik_log_clear(t->log);
    file = room_open(t, &r, &spec, false);
    CHECK_REQUIRE(t, file != NULL);
    CHECK_INT(t, naik_propagator_file_record(file, 0)->state, NAIK_SOLVE_DONE);
    room_complete(t, &r, &file, false);
    room_leave(t, &r);
}

/* Here a link to itself: what the system refuses to look at is neither absent nor damaged. */
static void a_part_that_cannot_be_looked_at_stays(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    naik_propagator_spec spec = room_spec();
    naik_propagator_file *file = NULL;
    char part[NAIK_PATH_MAX];
    struct stat info;
    snprintf(part, sizeof part, "%s.part", r.path);
    if (t->comm->rank == 0) {
        CHECK_INT(t, symlink(part, part), 0);
    }
    naik_comm_barrier(t->comm);
    CHECK_STATUS(t, naik_propagator_file_open(r.lattice, r.path, &spec, false, &file),
                 NAIK_ERR_INPUT);
    if (t->comm->rank == 0) {
        CHECK_INT(t, lstat(part, &info), 0);
        remove(part);
    }
    room_leave(t, &r);
}

/* An HDF5 file that says nothing of itself but, with `sealed`, a checksum over its attributes. */
typedef struct nameless {
    const char *path;
    bool sealed;
} nameless;

static naik_status make_nameless(naik_comm *alone, void *data)
{
    naik_status status = NAIK_OK;
    const nameless *want = data;
    hid_t file = H5Fcreate(want->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    NAIK_H5_TRY(alone->log, file, "making a file");
    if (want->sealed) {
        NAIK_TRY(naik_h5_put_text(alone->log, file, "metadata_crc", "00000000"));
    }
done:
    H5Fclose(file);
    return status;
}

/* The one is damaged, and may be replaced; the other is somebody else's. */
static void a_file_without_a_format_is_naiks_where_its_attributes_have_a_checksum(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    const naik_propagator_spec spec = room_spec();
    for (int sealed = 0; sealed < 2; sealed++) {
        naik_propagator_file *file = NULL;
        nameless want = {.path = r.path, .sealed = sealed};
        CHECK_OK(t, naik_h5_by_rank_0(t->comm, make_nameless, &want));
        const naik_status status =
            naik_propagator_file_open(r.lattice, r.path, &spec, false, &file);
        CHECK_TRUE(t, strstr(naik_log_message(t->log), sealed ? "not a complete propagator file"
                                                              : "is no file of naik") != NULL);
        CHECK_STATUS(t, status, sealed ? NAIK_ERR_CORRUPT : NAIK_ERR_INPUT);
    }
    t->kept_open = t->comm->size > 1; /* the damaged one, in which ranks may differ */
    room_leave(t, &r);
}

static void an_incomplete_final_file_is_not_believed(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    naik_propagator_spec spec = room_spec();
    naik_propagator_file *file = NULL;
    if (t->comm->rank == 0) {
        FILE *stream = fopen(r.path, "w");
        fputs("something else", stream);
        fclose(stream);
    }
    naik_comm_barrier(t->comm);
    CHECK_STATUS(t, naik_propagator_file_open(r.lattice, r.path, &spec, false, &file),
                 NAIK_ERR_CORRUPT);
    CHECK_STATUS(t, naik_propagator_file_open(r.lattice, "/nowhere/out.h5", &spec, false, &file),
                 NAIK_ERR_INPUT);
    room_leave(t, &r);
}

/* A list of slots of so many bytes in the place of that in a file. */
typedef struct slot_list {
    const char *part;
    size_t bytes;
    bool overfull; /* the first has no room for its end */
} slot_list;

/* Each is a run's but the last one. */
static naik_status make_slots(naik_comm *alone, void *data)
{
    naik_status status = NAIK_OK;
    const slot_list *list = data;
    static char slots[NAIK_SESSIONS][NAIK_SESSION_BYTES];
    const hsize_t start[1] = {0}, count[1] = {NAIK_SESSIONS};
    hid_t made = naik_h5_string(list->bytes), type = naik_h5_string(NAIK_SESSION_BYTES);
    hid_t file = -1, sessions = -1;
    for (int i = 0; i < NAIK_SESSIONS - 1; i++) {
        snprintf(slots[i], NAIK_SESSION_BYTES, "time=%d\n", i);
    }
    if (list->overfull) {
        memset(slots[0], 'x', NAIK_SESSION_BYTES);
    }
    NAIK_TRY(naik_h5_open(alone, list->part, true, &file));
    NAIK_H5_TRY(alone->log, H5Ldelete(file, "/metadata/sessions", H5P_DEFAULT), "removing slots");
    NAIK_TRY(
        naik_h5_dataset(alone->log, file, "/metadata/sessions", made, 1, count, NULL, &sessions));
    NAIK_TRY(naik_h5_write_part(alone->log, sessions, type, start, count, slots));
    naik_h5_release(sessions);
    sessions = -1;
    NAIK_H5_TRY(alone->log, H5Adelete(file, "metadata_crc"), "removing a checksum");
    NAIK_TRY(naik_h5_write_metadata_crc(alone, file));
done:
    naik_h5_release(sessions);
    naik_h5_release(type);
    naik_h5_release(made);
    naik_h5_close(alone, &file);
    return status;
}

static void fill_slots(check *t, const room *r, size_t bytes, bool overfull)
{
    char part[NAIK_PATH_MAX];
    slot_list list = {.part = part, .bytes = bytes, .overfull = overfull};
    snprintf(part, sizeof part, "%s.part", r->path);
    CHECK_OK(t, naik_h5_by_rank_0(t->comm, make_slots, &list));
}

/* A file with one solve, whose slots of runs are all taken but the last one. */
static void make_full(check *t, const room *r, const naik_propagator_spec *spec, bool fresh,
                      size_t bytes)
{
    char found[NAIK_SESSION_BYTES];
    naik_propagator_file *file = room_open(t, r, spec, fresh);
    CHECK_REQUIRE(t, file != NULL);
    CHECK_OK(t, naik_propagator_file_noted(file, "print", found, sizeof found));
    CHECK_TEXT(t, found, "");
    CHECK_OK(t, room_commit(r->lattice, file, 0));
    naik_propagator_file_close(&file);
    fill_slots(t, r, bytes, false);
}

/* text [length + 1] */
static void fill_text(char *text, size_t length)
{
    memset(text, 'x', length);
    text[length] = '\0';
}

static void noted(check *t, naik_propagator_file *file, const char *name, const char *text)
{
    char found[NAIK_SESSION_BYTES];
    CHECK_OK(t, naik_propagator_file_noted(file, name, found, sizeof found));
    CHECK_TEXT(t, found, text);
}

/* Runs that a later one must agree with are told of in its file, however many there were. */
static void notes_are_whole_and_outlive_many_runs(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    naik_propagator_spec spec = room_spec();
    char text[NAIK_SESSION_BYTES], found[NAIK_SESSION_BYTES];
    fill_text(text, sizeof text - 1);
    make_full(t, &r, &spec, false, NAIK_SESSION_BYTES);
    for (int run = 0; run < 3; run++) {
        naik_propagator_file *file = room_open(t, &r, &spec, false);
        CHECK_REQUIRE(t, file != NULL);
        noted(t, file, "print", run == 0 ? "" : "two");
        if (run == 0) { /* in the slot of all later runs */
            CHECK_OK(t, naik_propagator_file_note(file, "print", "one"));
            CHECK_OK(t, naik_propagator_file_note(file, "print", "two"));
            CHECK_OK(t, naik_propagator_file_note(file, "long", text));
            CHECK_OK(t, naik_propagator_file_note(file, "print", "none"));
            CHECK_OK(t, naik_propagator_file_noted(file, "long", found, sizeof found));
            CHECK_TRUE(t, strlen(found) > 256 && strcmp(found + strlen(found) - 4, "x...") == 0);
            noted(t, file, "print", "two");
        }
        naik_propagator_file_close(&file);
    }
    room_leave(t, &r);
}

/* What every run notes does not fill the slot that later runs share. */
static void notes_of_many_runs_do_not_add_up(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    naik_propagator_spec spec = room_spec();
    char text[NAIK_SESSION_BYTES / 10];
    fill_text(text, sizeof text - 1);
    make_full(t, &r, &spec, false, NAIK_SESSION_BYTES);
    for (int run = 0; run < 11; run++) {
        naik_propagator_file *file = room_open(t, &r, &spec, false);
        CHECK_REQUIRE(t, file != NULL);
        text[0] = (char)('a' + run);
        CHECK_OK(t, naik_propagator_file_note(file, "each", text));
        noted(t, file, "each", text);
        naik_propagator_file_close(&file);
    }
    room_leave(t, &r);
}

/* The slots of a file that an earlier version began have half the bytes: what has no room there is cut or not there, and
 * no line of another. */
static void slots_of_earlier_versions_keep_whole_lines(check *t)
{
    enum { BYTES = 2048 };
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    naik_propagator_spec spec = room_spec();
    char text[NAIK_SESSION_BYTES], found[NAIK_SESSION_BYTES];
    fill_text(text, BYTES + BYTES / 4);
    for (int older = 0; older < 2; older++) {
        make_full(t, &r, &spec, true, older ? BYTES : NAIK_SESSION_BYTES);
        naik_propagator_file *file = room_open(t, &r, &spec, false);
        CHECK_REQUIRE(t, file != NULL);
        CHECK_OK(t, naik_propagator_file_note(file, "print", "one"));
        CHECK_OK(t, naik_propagator_file_note(file, "long", text));
        CHECK_OK(t, naik_propagator_file_noted(file, "long", found, sizeof found));
        if (older) {
            CHECK_TRUE(t, strlen(found) > BYTES / 2 && strlen(found) < BYTES);
            CHECK_TEXT(t, found + strlen(found) - 4, "x...");
        } else {
            CHECK_TEXT(t, found, text);
        }
        noted(t, file, "print", "one");
        naik_propagator_file_close(&file);
    }
    room_leave(t, &r);
}

/* Lengths of the texts of runs, as they are read. */
typedef struct lengths {
    const char *part;
    int count;
    size_t length[NAIK_SESSIONS];
} lengths;

static naik_status measure_text(void *context, int number, const char *text)
{
    lengths *seen = context;
    seen->length[number] = strlen(text);
    seen->count++;
    return NAIK_OK;
}

static naik_status measure_texts(naik_comm *alone, void *data)
{
    naik_status status = NAIK_OK;
    lengths *seen = data;
    hid_t file = -1;
    NAIK_TRY(naik_h5_open(alone, seen->part, false, &file));
    NAIK_TRY(naik_prop_read_sessions(alone->log, file, measure_text, seen));
done:
    naik_h5_close(alone, &file);
    return status;
}

/* A slot without an end, as damage or another program may leave it, takes nothing from the next one. */
static void a_text_ends_with_its_slot(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    const naik_propagator_spec spec = room_spec();
    char part[NAIK_PATH_MAX];
    lengths seen = {.part = part};
    snprintf(part, sizeof part, "%s.part", r.path);
    make_full(t, &r, &spec, true, NAIK_SESSION_BYTES);
    fill_slots(t, &r, NAIK_SESSION_BYTES, true);
    CHECK_OK(t, naik_h5_by_rank_0(t->comm, measure_texts, &seen));
    CHECK_INT(t, seen.count, NAIK_SESSIONS - 1);
    CHECK_INT(t, (int)seen.length[0], NAIK_SESSION_BYTES - 1);
    CHECK_INT(t, (int)seen.length[1], (int)strlen("time=1\n"));
    room_leave(t, &r);
}

static naik_status lose_metadata(naik_comm *alone, void *data)
{
    naik_status status = NAIK_OK;
    hid_t file = -1;
    NAIK_TRY(naik_h5_open(alone, data, true, &file));
    NAIK_H5_TRY(alone->log, H5Ldelete(file, "/metadata", H5P_DEFAULT), "removing metadata");
done:
    naik_h5_close(alone, &file);
    return status;
}

/* Before anything is computed. A .part is looked at again when it is continued. */
static void a_finished_file_without_its_input_is_damaged(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    const naik_propagator_spec spec = room_spec();
    for (int finished = 0; finished < 2; finished++) {
        char path[NAIK_PATH_MAX + 8];
        bool complete = false;
        naik_propagator_file *file = room_open(t, &r, &spec, true);
        CHECK_REQUIRE(t, file != NULL);
        if (finished) {
            room_complete(t, &r, &file, false);
        } else {
            naik_propagator_file_close(&file);
        }
        snprintf(path, sizeof path, "%s%s", r.path, finished ? "" : ".part");
        CHECK_OK(t, naik_h5_by_rank_0(t->comm, lose_metadata, path));
        CHECK_STATUS(t, naik_propagator_file_find(t->comm, r.path, spec.canonical_input, &complete),
                     finished ? NAIK_ERR_CORRUPT : NAIK_OK);
    }
    room_leave(t, &r);
}

/* What a journal's solves depend on. Of the configuration that is its checksum; for naik 0.5.0 it was the rest. */
static void a_journal_belongs_to_the_texts_that_decide(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    naik_propagator_spec spec[7];
    uint32_t now[7], before[7];
    for (int i = 0; i < 7; i++) {
        spec[i] = room_spec();
        spec[i].gauge_checksum = "a.h5 (naik" NAIK_LINKS_SUM "suma 1 sumb 2";
    }
    spec[1].canonical_input = "solver.tolerance = 1e-9\n";
    spec[2].source_checksums = "suma 3";
    spec[3].numerics = "naik 2 cpu";
    spec[4].precision = 32; /* of the structure */
    spec[5].gauge_checksum = "b.lime (ildg" NAIK_LINKS_SUM "suma 1 sumb 2";
    spec[6].gauge_checksum = "a.h5 (naik" NAIK_LINKS_SUM "suma 1 sumb 3";
    for (int i = 0; i < 7; i++) {
        naik_propagator_file *file = room_open(t, &r, &spec[i], true);
        CHECK_REQUIRE(t, file != NULL);
        now[i] = file->identity;
        before[i] = file->identity_before;
        CHECK_INT(t, now[i] == now[0], i == 0 || i == 5);
        CHECK_INT(t, before[i] == before[0], i == 0 || i == 6);
        CHECK_TRUE(t, naik_prop_owns_journal(file, now[i]) &&
                          naik_prop_owns_journal(file, before[i]) &&
                          !naik_prop_owns_journal(file, now[i] + 1));
        naik_propagator_file_close(&file);
    }
    room_leave(t, &r);
}

CHECK_MAIN(CHECK(a_finished_file_without_its_input_is_damaged),
           CHECK_UP_TO(1, a_journal_belongs_to_the_texts_that_decide),
           CHECK(a_changed_input_is_refused_by_name),
           CHECK(another_way_of_counting_is_told_as_it_is),
           CHECK_UP_TO(1, notes_are_whole_and_outlive_many_runs),
           CHECK_UP_TO(1, notes_of_many_runs_do_not_add_up),
           CHECK_UP_TO(1, slots_of_earlier_versions_keep_whole_lines),
           CHECK_ALONE(a_text_ends_with_its_slot), CHECK(two_jobs_do_not_share_an_output),
           CHECK(a_failing_write_loses_nothing), CHECK(a_part_that_cannot_be_looked_at_stays),
           CHECK(an_incomplete_final_file_is_not_believed),
           CHECK(a_file_without_a_format_is_naiks_where_its_attributes_have_a_checksum))
