/* test_publish.c - outputs get their names only from the job that made them, and all ranks hear what
 * became of it
 *
 * ranks: 1 2
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "check.h"
#include "comm/collective.h"
#include "comm/paths.h"
#include "io/beside.h"
#include "io/files.h"
#include "io/output.h"
#include "io/reread.h"

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

/* ---- who holds a lock */

/* The value of a line KEY=VALUE of a lock becomes another one. */
static void put_word(char text[512], const char *key, const char *value)
{
    char old[512];
    snprintf(old, sizeof old, "%s", text);
    const char *at = strstr(old, key), *end = at != NULL ? strchr(at, '\n') : NULL;
    if (end != NULL) {
        snprintf(text, 512, "%.*s%s%s%s", (int)(at - old), old, key, value, end);
    }
}

/* Field 22 of what the system says of a process: when it began. */
static void began(pid_t process, char text[32])
{
    char path[64], all[1024] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)process);
    FILE *file = fopen(path, "r");
    all[file != NULL ? fread(all, 1, sizeof all - 1, file) : 0] = '\0';
    if (file != NULL) {
        fclose(file);
    }
    const char *at = strrchr(all, ')');
    for (int i = 0; i < 20 && at != NULL; i++) {
        at = strchr(at + 1, ' ');
    }
    snprintf(text, 32, "%.*s", at != NULL ? (int)strcspn(at + 1, " ") : 0,
             at != NULL ? at + 1 : "");
}

/* A process that has ended: nobody has waited for it, or it is gone. */
static pid_t ended(bool waited_for)
{
    const pid_t process = fork();
    if (process == 0) {
        _exit(0);
    }
    siginfo_t info;
    waitid(P_PID, (id_t)process, &info, WEXITED | (waited_for ? 0 : WNOWAIT));
    return process;
}

/* How a lock differs from this process's, the Slurm job that looks at it, its age, and what comes of it. */
typedef struct lock_row {
    const char *differs; /* words KEY=VALUE; NULL: an empty lock */
    const char *job;     /* of number 1; NULL: none */
    long age_s;
    bool taken;
    const char *says; /* of the warning, or of the refusal */
} lock_row;

static const lock_row lock_rows[] = {
    {"", NULL, 3600, false, "another job writes this output: process "}, /* it lives */
    {"start=1", NULL, 0, true, "its process is gone"},
    {"pid=ended", NULL, 0, true, "its process is gone"},
    {"pid=gone", NULL, 0, true, "its process is gone"},
    {"space=x pid=gone", NULL, 800, false, "last sign of life 8"},
    {"space=x pid=gone", NULL, 901, true, "it gave no sign of life for 15 minutes"},
    {"boot=x", NULL, 60, false, "last sign of life "},
    {"boot=x", NULL, 121, true, "its machine was restarted"},
    {"host=x", NULL, 800, false, " on x, Slurm job -, last sign of life 8"},
    {"host=x", NULL, 901, true, "it gave no sign of life for 15 minutes"},
    {"host=x boot=x", NULL, 800, false, "last sign of life 8"},
    {"host=x", NULL, -3600, false, "its last sign of life is 3"},
    {"host=x slurm_restart=0", "77", 0, true, "it is this Slurm job before its requeue"},
    {"host=x slurm_restart=1", "77", 0, false, "Slurm job 77, last sign"},
    {"host=x slurm_job=78 slurm_restart=0", "77", 0, false, "Slurm job 78, last sign"},
    {"host=x slurm_restart=0", NULL, 0, false, "Slurm job -, last sign"},
    {"host=x slurm_job=76", "77", 0, true, "its Slurm job is over, and this one waited for that"},
    {"host=x slurm_job=7", "77", 0, false, "Slurm job 7, last sign"},
    {"host=x slurm_job=756", "77", 0, false, "Slurm job 756, last sign"},
    {"host=x slurm_job=76", NULL, 0, false, "Slurm job 76, last sign"},
    {"start=x", NULL, 3600, false, "is held by another job"}, /* no lock of naik */
    {NULL, NULL, 30, false, "is held by another job"},
    {NULL, NULL, 61, true, "its job died before it could say who it was"}};

static void remember(void *data, const char *text)
{
    snprintf(data, NAIK_PATH_MAX, "%s", text);
}

/* On rank 0: the lock of a row, of which this process's is `own`. */
static void lay_lock(check *t, const lock_row *row, const char *own, const char *path)
{
    char text[512] = "", words[128], value[32];
    snprintf(text, sizeof text, "%s", row->differs != NULL ? own : "");
    snprintf(words, sizeof words, "%s", row->differs != NULL ? row->differs : "");
    for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) {
        char *equals = strchr(word, '=');
        snprintf(value, sizeof value, "%s", equals + 1);
        equals[1] = '\0';
        if (strcmp(word, "pid=") == 0) {
            const bool gone = strcmp(value, "gone") == 0;
            const pid_t process = ended(gone);
            if (!gone) {
                began(process, value);
                put_word(text, "start=", value);
            }
            snprintf(value, sizeof value, "%ld", (long)process);
        }
        put_word(text, word, value);
    }
    FILE *file = fopen(path, "w");
    CHECK_TRUE(t, file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
    const struct timespec then[2] = {{.tv_sec = time(NULL) - row->age_s},
                                     {.tv_sec = time(NULL) - row->age_s}};
    CHECK_INT(t, utimensat(AT_FDCWD, path, then, 0), 0);
}

static void be_job(const char *job)
{
    if (job != NULL) {
        setenv("SLURM_JOB_ID", job, 1);
        setenv("SLURM_RESTART_COUNT", "1", 1);
        setenv("NAIK_ENDED_JOBS", "75,76", 1);
    } else {
        unsetenv("SLURM_JOB_ID");
        unsetenv("SLURM_RESTART_COUNT");
    }
}

static void locks_of_the_dead_are_taken_over(check *t)
{
    char path[NAIK_PATH_MAX], file[NAIK_PATH_MAX + 8], said[NAIK_PATH_MAX];
    place("held", path);
    snprintf(file, sizeof file, "%s.lock", path);
    for (size_t i = 0; i < sizeof lock_rows / sizeof *lock_rows; i++) {
        const lock_row *row = &lock_rows[i];
        naik_lock *lock = NULL;
        bool held = false;
        be_job(row->job);
        CHECK_OK(t, naik_lock_acquire(t->comm, path, &lock));
        if (t->comm->rank == 0) {
            char own[512] = "";
            FILE *stream = fopen(file, "r");
            own[stream != NULL ? fread(own, 1, sizeof own - 1, stream) : 0] = '\0';
            CHECK_TRUE(t, stream != NULL && fclose(stream) == 0);
            naik_lock_release(t->comm, &lock);
            lay_lock(t, row, own, file);
        } else {
            naik_lock_release(t->comm, &lock);
        }
        CHECK_OK(t, naik_comm_barrier(t->comm));
        said[0] = '\0';
        naik_log_watch_warnings(t->log, remember, said);
        const naik_status status = naik_lock_try(t->comm, path, &lock, &held);
        naik_log_watch_warnings(t->log, NULL, NULL);
        if (!row->taken) {
            snprintf(said, sizeof said, "%.4000s", naik_log_message(t->log));
        }
        const bool speaks = t->comm->rank == 0 || !row->taken; /* a warning is rank 0's */
        const bool right = CHECK_STATUS(t, status, row->taken ? NAIK_OK : NAIK_ERR_INPUT);
        if (!CHECK_INT(t, held, !row->taken) ||
            !CHECK_TRUE(t, !speaks || strstr(said, row->says) != NULL) || !right) {
            fprintf(stderr, "    row %zu: %s\n", i, said);
        }
        naik_log_clear(t->log);
        naik_lock_release(t->comm, &lock);
        put(t, file, NULL);
    }
    be_job(NULL);
    while (waitpid(-1, NULL, WNOHANG) > 0) {
    }
}

/* ---- what one rank finds */

static naik_status size_of(naik_comm *comm, const char *path)
{
    int64_t size_bytes;
    return naik_file_size(comm, path, &size_bytes);
}

static naik_status room_for(naik_comm *comm, const char *path)
{
    return naik_file_check_space(comm, path, 1);
}

static naik_status put_one(naik_comm *comm, const char *path)
{
    return naik_file_put(comm, path, true, 0, "x", 1);
}

static naik_status publish(naik_comm *comm, const char *path)
{
    char to[NAIK_PATH_MAX];
    return naik_file_publish(comm, path, place("published", to), true);
}

static naik_status lock_it(naik_comm *comm, const char *path)
{
    naik_lock *lock = NULL;
    const naik_status status = naik_lock_acquire(comm, path, &lock);
    naik_lock_release(comm, &lock);
    return status;
}

static naik_status read_all(naik_comm *comm, const char *path)
{
    return naik_file_reread(comm, path, 0, -1);
}

static naik_status begin_it(naik_comm *comm, const char *path)
{
    char part[NAIK_PATH_MAX];
    return naik_output_room(comm, path, 1, part);
}

/* Rank 0 alone does these, but what every rank reads. */
static void what_one_rank_cannot_do_all_ranks_hear(check *t)
{
    static const struct {
        naik_status (*act)(naik_comm *comm, const char *path);
        bool all;
    } rows[] = {{size_of, false},           {room_for, false}, {put_one, false},
                {naik_file_remove, false},  {publish, false},  {lock_it, false},
                {naik_file_reserve, false}, {read_all, true},  {begin_it, false}};
    char good[NAIK_PATH_MAX], loop[NAIK_PATH_MAX], inside[NAIK_PATH_MAX + 8];
    place("whole", good);
    place("loop", loop);
    snprintf(inside, sizeof inside, "%s/x", loop);
    CHECK_TRUE(t, t->comm->rank != 0 || symlink(loop, loop) == 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int bad = 0; bad < t->comm->size; bad++) {
            put(t, good, "text");
            const naik_status status = rows[i].act(t->comm, t->comm->rank == bad ? inside : good);
            int64_t failed = status != NAIK_OK;
            CHECK_OK(t, naik_comm_sum_i64(t->comm, &failed, 1));
            if (!CHECK_INT(t, failed, bad == 0 || rows[i].all ? t->comm->size : 0)) {
                fprintf(stderr, "    row %zu, bad on rank %d\n", i, bad);
            }
            naik_log_clear(t->log);
        }
    }
    put(t, loop, NULL);
    put(t, good, NULL);
}

CHECK_MAIN(CHECK(a_name_that_is_taken_stays_and_all_ranks_hear_it),
           CHECK(what_was_made_is_kept_where_its_name_is_taken),
           CHECK(side_files_are_naik_s_or_stay),
           CHECK(names_of_outputs_are_looked_at_before_anything_is_made),
           CHECK(an_output_without_its_lock_gets_no_name),
           CHECK_UP_TO(1, what_a_machine_refuses_is_not_called_wrong_input),
           CHECK(an_unfinished_solve_is_not_written_over), CHECK(room_is_looked_for),
           CHECK(locks_of_the_dead_are_taken_over), CHECK(what_one_rank_cannot_do_all_ranks_hear))
