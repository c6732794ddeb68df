/* test_publish.c - outputs get their names only from the job that made them, and all ranks hear what
 * became of it
 *
 * ranks: 1 2
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/text.h"
#include "check.h"
#include "comm/collective.h"
#include "comm/paths.h"
#include "io/beside.h"
#include "io/files.h"
#include "io/output.h"

/* A path in the test's own folder. */
static const char *place(const char *name, char path[NAIK_PATH_MAX])
{
    snprintf(path, NAIK_PATH_MAX, "%s/%s", check_folder(), name);
    return path;
}

/* Rank 0 writes a file; NULL: it is removed. */
static void put(check *t, const char *path, const char *text)
{
    if (t->comm->rank == 0 && text == NULL) {
        unlink(path);
    } else if (t->comm->rank == 0) {
        FILE *file = fopen(path, "w");
        CHECK_TRUE(t, file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
    }
    CHECK_OK(t, naik_comm_barrier(t->comm));
}

static bool holds(const char *path, const char *text)
{
    char line[64] = "";
    FILE *file = fopen(path, "r");
    const bool read = file != NULL && fgets(line, sizeof line, file) != NULL;
    if (file != NULL) {
        fclose(file);
    }
    return read && strcmp(line, text) == 0;
}

static void a_name_that_is_taken_stays_and_all_ranks_hear_it(check *t)
{
    char from[NAIK_PATH_MAX], to[NAIK_PATH_MAX];
    place("made", from);
    place("name", to);
    put(t, from, "new");
    put(t, to, "old");
    CHECK_STATUS(t, naik_file_publish(t->comm, from, to, false), NAIK_ERR_INPUT);
    CHECK_OK(t, naik_comm_barrier(t->comm));
    CHECK_TRUE(t, holds(to, "old") && holds(from, "new"));
    CHECK_OK(t, naik_comm_barrier(t->comm));
    CHECK_OK(t, naik_file_publish(t->comm, from, to, true));
    CHECK_TRUE(t, holds(to, "new") && access(from, F_OK) != 0);
    CHECK_OK(t, naik_comm_barrier(t->comm));
    CHECK_STATUS(t, naik_file_publish(t->comm, from, to, true), NAIK_ERR_IO); /* there is none */
    put(t, to, NULL);
    put(t, from, "new");
    if (t->comm->rank == 0) {
        CHECK_INT(t, mkdir(to, 0777), 0);
    }
    CHECK_OK(t, naik_comm_barrier(t->comm));
    CHECK_STATUS(t, naik_file_publish(t->comm, from, to, true), NAIK_ERR_INPUT); /* no file */
    CHECK_OK(t, naik_comm_barrier(t->comm));
    if (t->comm->rank == 0) {
        rmdir(to);
    }
    put(t, from, NULL);
}

/* What happens to a lock while an output is written. */
static void lose_lock(check *t, const char *lock, int how)
{
    if (how == 1) {
        put(t, lock, "another job\n");
    } else if (how == 2) {
        put(t, lock, NULL);
    } else if (how == 3) {
        put(t, lock, NULL);
        CHECK_TRUE(t, t->comm->rank != 0 || symlink(lock, lock) == 0);
        CHECK_OK(t, naik_comm_barrier(t->comm));
    }
}

static void an_output_without_its_lock_gets_no_name(check *t)
{
    static const char *const said[] = {
        "", "is no longer this job's: another job took it", "is no longer this job's",
        "cannot be read, so this job stops writing: Too many levels of symbolic links"};
    char path[NAIK_PATH_MAX], lock[NAIK_PATH_MAX + 8];
    naik_output out;
    place("out", path);
    snprintf(lock, sizeof lock, "%s.lock", path);
    for (int how = 0; how < 4; how++) {
        memset(&out, 0, sizeof out);
        CHECK_REQUIRE(t, naik_output_begin(t->comm, path, 100, &out) == NAIK_OK);
        CHECK_OK(t, naik_comm_barrier(t->comm));
        CHECK_TRUE(t, access(lock, F_OK) == 0);
        put(t, out.part, "whole");
        lose_lock(t, lock, how);
        naik_log_clear(t->comm->log);
        const naik_status status = naik_output_publish(&out);
        CHECK_TRUE(t, strstr(naik_log_message(t->comm->log), said[how]) != NULL);
        CHECK_STATUS(t, status, how > 0 ? NAIK_ERR_IO : NAIK_OK);
        CHECK_OK(t, naik_comm_barrier(t->comm));
        CHECK_INT(t, access(path, F_OK) == 0, how == 0);
        CHECK_OK(t, naik_comm_barrier(t->comm));
        naik_output_abandon(&out);
        CHECK_OK(t, naik_comm_barrier(t->comm));
        struct stat info; /* what is in its place is not this job's */
        CHECK_INT(t, lstat(lock, &info) == 0, how == 1 || how == 3);
        CHECK_OK(t, naik_comm_barrier(t->comm));
        put(t, path, NULL);
        put(t, out.part, NULL); /* which stays where it is another job's */
        put(t, lock, NULL);
    }
}

static void what_a_machine_refuses_is_not_called_wrong_input(check *t)
{
    static const struct {
        int error;
        naik_status status;
    } rows[] = {{ENOENT, NAIK_ERR_INPUT}, {ENOTDIR, NAIK_ERR_INPUT}, {EISDIR, NAIK_ERR_INPUT},
                {EACCES, NAIK_ERR_INPUT}, {EPERM, NAIK_ERR_INPUT},   {EROFS, NAIK_ERR_INPUT},
                {ELOOP, NAIK_ERR_INPUT},  {EEXIST, NAIK_ERR_INPUT},  {ENAMETOOLONG, NAIK_ERR_INPUT},
                {ENXIO, NAIK_ERR_INPUT},  {EIO, NAIK_ERR_IO},        {ENOSPC, NAIK_ERR_IO},
                {EDQUOT, NAIK_ERR_IO},    {ESTALE, NAIK_ERR_IO},     {EMFILE, NAIK_ERR_IO},
                {ENFILE, NAIK_ERR_IO},    {ENOMEM, NAIK_ERR_IO},     {ETIMEDOUT, NAIK_ERR_IO}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_STATUS(t, naik_text_refused(rows[i].error), rows[i].status);
    }
}

static void an_unfinished_solve_is_not_written_over(check *t)
{
    char path[NAIK_PATH_MAX], part[NAIK_PATH_MAX + 16], journal[NAIK_PATH_MAX + 16];
    char room[NAIK_PATH_MAX];
    place("kept", path);
    snprintf(part, sizeof part, "%s.part", path);
    snprintf(journal, sizeof journal, "%s.journal", path);
    CHECK_OK(t, naik_output_room(t->comm, path, 100, room));
    CHECK_TEXT(t, room, part);
    put(t, part, "solves");
    put(t, journal, "naik-journal 1 identity=00000000 choices=\n");
    CHECK_STATUS(t, naik_output_room(t->comm, path, 100, room), NAIK_ERR_INPUT);
    put(t, part, NULL);
    put(t, journal, NULL);
}

/* What may lie beside an output: nothing, what naik left, what a system that went down left of it, or somebody's. */
enum { NONE, EMPTY, ZEROS, OWN, SHORT, OTHERS, LINK, FOLDER };

static void lay(check *t, const char *path, const char *own, int length, int content)
{
    static const char zeros[64];
    const char *text = content == OWN || content == SHORT ? own : zeros;
    const size_t bytes = content == ZEROS    ? sizeof zeros
                         : content == OWN    ? (size_t)length
                         : content == SHORT  ? (size_t)length - 1
                         : content == OTHERS ? 12
                                             : 0;
    (void)unlink(path);
    (void)rmdir(path);
    if (content == LINK) {
        CHECK_INT(t, symlink("nowhere", path), 0);
    } else if (content == FOLDER) {
        CHECK_INT(t, mkdir(path, 0777), 0);
    } else if (content != NONE) {
        FILE *file = fopen(path, "w");
        CHECK_TRUE(t,
                   file != NULL &&
                       fwrite(content == OTHERS ? "of a diary.." : text, 1, bytes, file) == bytes &&
                       fclose(file) == 0);
    }
}

/* Every side file alone, and pairs of which one vouches for the other. */
static void side_files_are_naik_s_or_stay(check *t)
{
    enum { LOCK, PART, JOURNAL, STATE, NEW_STATE, NEW, FILES };
    static const struct {
        const char *ending, *own;
        int length;
    } files[FILES] = {{".lock", "host=", 5},
                      {".part", NAIK_FILE_HDF5, NAIK_FILE_HDF5_BYTES},
                      {".journal", "naik-journal ", 13},
                      {".part.state", "naikflow", 8},
                      {".part.state.new", "naikflow", 8},
                      {".part.new", NAIK_FILE_HDF5, NAIK_FILE_HDF5_BYTES}};
    static const struct {
        int file, content, other, beside;
        bool one_go, solve; /* go on */
    } rows[] = {
        {PART, OTHERS, LOCK, OWN, true, true},        {PART, OTHERS, LOCK, SHORT, false, false},
        {PART, OTHERS, LOCK, EMPTY, false, false},    {PART, OTHERS, LOCK, ZEROS, false, false},
        {PART, OWN, LOCK, OWN, true, true},           {PART, OTHERS, JOURNAL, OWN, false, true},
        {PART, OTHERS, JOURNAL, EMPTY, false, false}, {PART, OTHERS, STATE, OWN, false, true},
        {PART, OTHERS, NEW_STATE, OWN, false, true},  {PART, OTHERS, NEW, OWN, false, true},
        {JOURNAL, OTHERS, PART, OWN, false, true},    {JOURNAL, OTHERS, PART, ZEROS, true, false},
        {STATE, OTHERS, PART, OWN, false, true},      {STATE, OTHERS, LOCK, OWN, true, true},
        {NEW, OTHERS, LOCK, OWN, true, true},         {PART, OWN, LOCK, LINK, false, false},
        {PART, OWN, JOURNAL, FOLDER, false, false}};
    char path[NAIK_PATH_MAX], side[FILES][NAIK_PATH_MAX + 16];
    place("out", path);
    for (int i = 0; i < FILES; i++) {
        snprintf(side[i], sizeof side[i], "%s%s", path, files[i].ending);
    }
    CHECK_OK(t, naik_beside_check(t->log, path, NAIK_BESIDE_ONE_GO));
    CHECK_OK(t, naik_comm_barrier(t->comm)); /* nobody looks any more */
    for (int use = 0; t->comm->rank == 0 && use < 2; use++) {
        const naik_beside how = use == 0 ? NAIK_BESIDE_ONE_GO : NAIK_BESIDE_SOLVE;
        for (int i = 0; i < FILES; i++) {
            for (int content = NONE; content <= FOLDER; content++) {
                const bool judged =
                    i != LOCK && (use == 1 || i == PART); /* lock.c judges the lock */
                const bool bad = content >= LINK || (judged && content >= SHORT) ||
                                 (use == 0 && i == PART && content == OWN);
                lay(t, side[i], files[i].own, files[i].length, content);
                const naik_status got = naik_beside_check(t->log, path, how);
                if (!CHECK_INT(t, got, bad ? NAIK_ERR_INPUT : NAIK_OK) ||
                    !CHECK_TRUE(t, !bad || strstr(naik_log_message(t->log), side[i]) != NULL)) {
                    fprintf(stderr, "    %s, content %d, use %d\n", files[i].ending, content, use);
                }
                naik_log_clear(t->log);
            }
            lay(t, side[i], NULL, 0, NONE);
        }
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            const int a = rows[i].file, b = rows[i].other;
            const bool good = use == 0 ? rows[i].one_go : rows[i].solve;
            lay(t, side[a], files[a].own, files[a].length, rows[i].content);
            lay(t, side[b], files[b].own, files[b].length, rows[i].beside);
            if (!CHECK_INT(t, naik_beside_check(t->log, path, how),
                           good ? NAIK_OK : NAIK_ERR_INPUT)) {
                fprintf(stderr, "    row %zu, use %d\n", i, use);
            }
            naik_log_clear(t->log);
            lay(t, side[a], NULL, 0, NONE);
            lay(t, side[b], NULL, 0, NONE);
        }
    }
}

/* An output that is made is kept where its name is taken meanwhile, and removed where it is given up. */
static void what_was_made_is_kept_where_its_name_is_taken(check *t)
{
    const bool replaces = t->comm->io.replace;
    t->comm->io.replace = false;
    for (int taken = 0; taken < 2; taken++) {
        char path[NAIK_PATH_MAX];
        naik_output out;
        memset(&out, 0, sizeof out);
        place("late", path);
        CHECK_REQUIRE(t, naik_output_begin(t->comm, path, 100, &out) == NAIK_OK);
        put(t, out.part, "whole");
        if (taken) {
            put(t, path, "somebody's");
            CHECK_STATUS(t, naik_output_publish(&out), NAIK_ERR_INPUT);
            naik_log_clear(t->log);
        }
        naik_output_abandon(&out);
        CHECK_OK(t, naik_comm_barrier(t->comm));
        CHECK_INT(t, holds(out.part, "whole"), taken);
        CHECK_OK(t, naik_comm_barrier(t->comm));
        put(t, path, NULL);
        put(t, out.part, NULL);
    }
    t->comm->io.replace = replaces;
}

/* What lies under the name of an output, whether it stays without --force, and whether it is the same file as
 * another name. */
static void names_of_outputs_are_looked_at_before_anything_is_made(check *t)
{
    enum { ABSENT, REGULAR, INSIDE, TO_NOTHING, TO_REGULAR, TO_FOLDER };
    static const bool stays[] = {false, true, false, true, true, false}; /* folders: see below */
    static const char *const endings[] = {".part", ".journal", ".lock", ".state", ".search"};
    char path[NAIK_PATH_MAX], other[NAIK_PATH_MAX], name[NAIK_PATH_MAX + 16];
    const bool replaces = t->comm->io.replace;
    place("taken", path);
    place("other", other);
    for (int what = ABSENT; t->comm->size == 1 && what <= TO_FOLDER; what++) {
        (void)unlink(path);
        (void)rmdir(path);
        put(t, other, "other");
        if (what == REGULAR) {
            put(t, path, "old");
        } else if (what == INSIDE) {
            CHECK_INT(t, mkdir(path, 0777), 0);
        } else if (what >= TO_NOTHING) {
            CHECK_INT(t,
                      symlink(what == TO_NOTHING   ? "nowhere"
                              : what == TO_REGULAR ? other
                                                   : check_folder(),
                              path),
                      0);
        }
        for (int replace = 0; replace < 2; replace++) {
            t->comm->io.replace = replace != 0;
            CHECK_STATUS(t, naik_path_refuse_output(t->comm, "output.file", path),
                         stays[what] && !replace ? NAIK_ERR_INPUT : NAIK_OK);
            naik_log_clear(t->log);
        }
        CHECK_INT(t, naik_path_same(path, other), what == TO_REGULAR);
        CHECK_INT(t, naik_path_same(path, path), what != ABSENT && what != TO_NOTHING);
        const char *const inputs[] = {NULL, "/", other};
        CHECK_STATUS(t, naik_path_refuse_input(t->comm, "output.file", path, inputs, 3),
                     what == TO_REGULAR ? NAIK_ERR_INPUT : NAIK_OK);
        naik_log_clear(t->log);
    }
    (void)unlink(path);
    CHECK_OK(t, naik_path_refuse_output(t->comm, "output.file", NULL));
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        for (int whole = 0; whole < 2; whole++) {
            snprintf(name, sizeof name, "%s%s", path, endings[i] + !whole);
            CHECK_STATUS(t, naik_path_refuse_output(t->comm, "output.file", name),
                         whole ? NAIK_ERR_INPUT : NAIK_OK);
            naik_log_clear(t->log);
        }
    }
    put(t, other, NULL);
    t->comm->io.replace = replaces;
}

static void room_is_looked_for(check *t)
{
    char path[NAIK_PATH_MAX];
    place("large", path);
    CHECK_OK(t, naik_file_check_space(t->comm, path, 1000));
    struct statvfs disk;
    CHECK_REQUIRE(t, statvfs(check_folder(), &disk) == 0);
    const int64_t left = (int64_t)disk.f_bavail * (int64_t)disk.f_frsize;
    CHECK_OK(t, naik_file_check_space(t->comm, path, left / 2)); /* others write meanwhile */
    CHECK_STATUS(t, naik_file_check_space(t->comm, path, 2 * left), NAIK_ERR_IO);
    place("missing/large", path);
    CHECK_STATUS(t, naik_file_check_space(t->comm, path, 1000), NAIK_ERR_INPUT);
}

CHECK_MAIN(CHECK(a_name_that_is_taken_stays_and_all_ranks_hear_it),
           CHECK(what_was_made_is_kept_where_its_name_is_taken),
           CHECK(side_files_are_naik_s_or_stay),
           CHECK(names_of_outputs_are_looked_at_before_anything_is_made),
           CHECK(an_output_without_its_lock_gets_no_name),
           CHECK_UP_TO(1, what_a_machine_refuses_is_not_called_wrong_input),
           CHECK(an_unfinished_solve_is_not_written_over), CHECK(room_is_looked_for))
