/* test_publish.c - outputs get their names only from the job that made them, and all ranks hear what
 * became of it
 *
 * ranks: 1 2
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "check.h"
#include "comm/collective.h"
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

static void an_output_whose_lock_another_job_took_gets_no_name(check *t)
{
    char path[NAIK_PATH_MAX], lock[NAIK_PATH_MAX + 8];
    naik_output out;
    place("out", path);
    snprintf(lock, sizeof lock, "%s.lock", path);
    for (int taken = 0; taken < 2; taken++) {
        memset(&out, 0, sizeof out);
        CHECK_REQUIRE(t, naik_output_begin(t->comm, path, 100, &out) == NAIK_OK);
        CHECK_OK(t, naik_comm_barrier(t->comm));
        CHECK_TRUE(t, access(lock, F_OK) == 0);
        put(t, out.part, "whole");
        if (taken == 1) {
            put(t, lock, "another job\n");
        }
        CHECK_STATUS(t, naik_output_publish(&out), taken == 1 ? NAIK_ERR_IO : NAIK_OK);
        CHECK_OK(t, naik_comm_barrier(t->comm));
        CHECK_INT(t, access(path, F_OK) == 0, taken == 0);
        CHECK_OK(t, naik_comm_barrier(t->comm));
        naik_output_abandon(&out);
        CHECK_OK(t, naik_comm_barrier(t->comm));
        CHECK_INT(t, access(lock, F_OK) == 0, taken); /* that is the other job's */
        put(t, path, NULL);
        put(t, out.part, NULL); /* which stays where it is another job's */
    }
    put(t, lock, NULL);
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
           CHECK(an_output_whose_lock_another_job_took_gets_no_name),
           CHECK(an_unfinished_solve_is_not_written_over), CHECK(room_is_looked_for))
