/* test_bytes.c - bytes of files and numbers in them: pieces that are there to their last byte, and numbers that are
 * finite in so many bits; and loops over few of them
 *
 * ranks: 1
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "check.h"
#include "io/finite.h"
#include "io/reread.h"
#include "io/runs.h"

/* Reads and writes that a signal interrupts from now on, before any byte; and the bytes that one takes at most, 0: all. */
static int interruptions;
static size_t at_once;

static bool interrupted(size_t *count)
{
    *count = at_once > 0 && *count > at_once ? at_once : *count;
    if (interruptions > 0) {
        interruptions--;
        errno = EINTR;
        return true;
    }
    return false;
}

#ifdef SYS_pread64
ssize_t pread(int fd, void *into, size_t count, off_t offset)
{
    return interrupted(&count) ? -1 : syscall(SYS_pread64, fd, into, count, offset);
}
ssize_t pwrite(int fd, const void *from, size_t count, off_t offset)
{
    return interrupted(&count) ? -1 : syscall(SYS_pwrite64, fd, from, count, offset);
}
#endif

/* Whether a number is finite in 32 and in 64 bits. */
static const struct {
    double value;
    bool single, full;
} numbers[] = {{0, true, true},
               {-0.0, true, true},
               {1, true, true},
               {FLT_MAX, true, true},
               {-FLT_MAX, true, true},
               {FLT_MAX * (1 + 1e-8), true, true}, /* is rounded down */
               {FLT_MAX * (1 + 1e-7), false, true},
               {-2.0 * FLT_MAX, false, true},
               {1e-50, true, true}, /* is zero */
               {DBL_MAX, false, true},
               {-DBL_MAX, false, true},
               {INFINITY, false, false},
               {-INFINITY, false, false},
               {NAN, false, false}};

/* One number among good ones, at every place of short fields and at the ends of longer ones. */
static void one_number_tells_of_a_field(check *t)
{
    static const int counts[] = {1, 2, 3, 17, 4099};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            const int count = counts[k];
            double *wide = calloc((size_t)count, sizeof *wide);
            float *narrow = calloc((size_t)count, sizeof *narrow);
            for (int at = 0; at<count; at = count> 20 && at == 0 ? count - 1 : at + 1) {
                const bool single = numbers[i].single, full = numbers[i].full;
                wide[at] = numbers[i].value;
                narrow[at] = (float)numbers[i].value;
                const bool good = naik_values_are_finite(wide, count, 32) == single &&
                                  naik_values_are_finite(wide, count, 64) == full &&
                                  naik_reals_are_finite(wide, count, 64) == full &&
                                  naik_reals_are_finite(narrow, count, 32) == single &&
                                  naik_reals_are_finite(narrow, count, 16) &&
                                  naik_piece_is_finite(wide, count, 64) == full &&
                                  naik_piece_is_finite(narrow, count, 32) == single &&
                                  naik_piece_is_finite(narrow, count, 16) &&
                                  naik_singles_are_finite(narrow, count) == single;
                if (!CHECK_TRUE(t, good)) {
                    fprintf(stderr, "    %g at %d of %d\n", numbers[i].value, at, count);
                }
                CHECK_STATUS(t, naik_refuse_not_finite(t->log, wide, count, 32, "a field"),
                             single ? NAIK_OK : NAIK_ERR_INPUT);
                naik_log_clear(t->log);
                CHECK_STATUS(t, naik_refuse_packed_not_finite(t->log, wide, count, 64, "a field"),
                             full ? NAIK_OK : NAIK_ERR_INPUT);
                naik_log_clear(t->log);
                wide[at] = 0;
                narrow[at] = 0;
            }
            free(wide);
            free(narrow);
        }
    }
}

static void a_piece_is_there_to_its_last_byte(check *t)
{
    enum { BYTES = 10 };
    static const struct {
        int offset, count, error;
    } rows[] = {{0, BYTES, 0},
                {0, 0, 0},
                {6, 4, 0},
                {6, 5, ENODATA},
                {BYTES, 0, 0},
                {BYTES, 1, ENODATA},
                {BYTES + 5, 1, ENODATA},
                {0, BYTES + 1, ENODATA}};
    char path[512], text[BYTES + 2];
    snprintf(path, sizeof path, "%s/bytes", check_folder());
    const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
    CHECK_REQUIRE(t, fd >= 0);
    CHECK_INT(t, naik_bytes_write(fd, 4, "456789", 6), 0);
    CHECK_INT(t, naik_bytes_write(fd, 0, "0123", 4), 0);
    CHECK_INT(t, naik_bytes_write(fd, 2, "", 0), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memset(text, 'x', sizeof text);
        CHECK_INT(t, naik_bytes_read(fd, rows[i].offset, text, rows[i].count), rows[i].error);
        for (int k = 0; k < rows[i].count && rows[i].error == 0; k++) {
            CHECK_INT(t, text[k], '0' + rows[i].offset + k);
        }
        CHECK_INT(t, text[rows[i].count > BYTES ? BYTES + 1 : rows[i].count], 'x');
    }
    close(fd);
    const int closed = open(path, O_RDONLY);
    CHECK_INT(t, naik_bytes_write(closed, 0, "x", 1), EBADF);
    close(closed);
    const int full = open("/dev/full", O_WRONLY);
    CHECK_TRUE(t, full < 0 || naik_bytes_write(full, 0, "x", 1) == ENOSPC);
    close(full);
    (void)remove(path);
}

/* Files that others remove meanwhile, or that lie below what is no folder, are for whoever opens them to tell. */
static void bytes_are_read_again_where_there_are_any(check *t)
{
    static const struct {
        const char *name;
        int64_t offset, bytes;
    } rows[] = {{"there", 0, -1},  {"there", 3, 4},     {"there", 8, 100}, {"there", 100, 1},
                {"absent", 0, -1}, {"absent/x", 0, -1}, {".", 0, -1},      {"there/x", 0, -1}};
    char path[512];
    snprintf(path, sizeof path, "%s/there", check_folder());
    FILE *file = fopen(path, "w");
    CHECK_REQUIRE(t, file != NULL && fputs("0123456789", file) >= 0 && fclose(file) == 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(path, sizeof path, "%s/%s", check_folder(), rows[i].name);
        CHECK_OK(t, naik_file_reread(t->comm, path, rows[i].offset, rows[i].bytes));
    }
    snprintf(path, sizeof path, "%s/there", check_folder());
    (void)remove(path);
}

/* What a signal interrupts is done all the same, and what is done in part goes on. */
static void a_signal_interrupts_no_piece(check *t)
{
    static const int times[] = {0, 1, 2};
    char path[512];
    snprintf(path, sizeof path, "%s/signals", check_folder());
    for (size_t i = 0; i < 2 * sizeof times / sizeof *times; i++) {
        char text[11] = "";
        const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
        CHECK_REQUIRE(t, fd >= 0);
        at_once = i % 2 == 0 ? 0 : 3;
        interruptions = times[i / 2];
        CHECK_INT(t, naik_bytes_write(fd, 0, "0123456789", 10), 0);
        CHECK_INT(t, interruptions, 0);
        interruptions = times[i / 2];
        CHECK_INT(t, naik_bytes_read(fd, 0, text, 10), 0);
        CHECK_INT(t, interruptions, 0);
        CHECK_INT(t, strcmp(text, "0123456789"), 0);
        close(fd);
        interruptions = times[i / 2];
        CHECK_OK(t, naik_file_reread(t->comm, path, 0, -1));
        CHECK_INT(t, interruptions, 0);
    }
    at_once = 0;
    (void)remove(path);
}

/* Threads of this process; -1: the system does not say. */
static int threads_here(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    while (tasks != NULL && readdir(tasks) != NULL) {
        count++;
    }
    if (tasks != NULL) {
        (void)closedir(tasks);
    }
    return count - 1;
}

/* Also where words of eight bytes leave some over. */
static void one_byte_is_enough_not_to_be_zero(check *t)
{
    unsigned char bytes[21] = {0};
    CHECK_TRUE(t, naik_all_zero(bytes, sizeof bytes));
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = 1;
        CHECK_TRUE(t, !naik_all_zero(bytes, sizeof bytes) && naik_all_zero(bytes, i));
        bytes[i] = 0;
    }
}

/* More threads than before are asked for: a loop of all threads would have to start them. */
static void loops_over_little_wake_no_threads(check *t)
{
    const size_t little = NAIK_SMALL_BYTES, much = little + sizeof(double);
    double *v = NULL, *large = NULL;
    const int asked = omp_get_max_threads();
    const int before = threads_here();
    omp_set_num_threads(before + asked + 1);
    CHECK_OK(t, naik_alloc(t->comm->log, little, "numbers", (void **)&v));
    naik_copy(v + little / 2 / sizeof *v, v, little / 2);
    CHECK_TRUE(t, naik_all_zero(v, little));
    CHECK_TRUE(t, naik_reals_are_finite(v, (int64_t)(little / sizeof *v), 64));
    CHECK_TRUE(t, naik_reals_are_finite(v, (int64_t)(little / sizeof(float)), 32));
    CHECK_TRUE(t, naik_values_are_finite(v, (int64_t)(little / sizeof *v), 32));
    CHECK_INT(t, threads_here(), before);
    CHECK_OK(t, naik_alloc(t->comm->log, much, "numbers", (void **)&large));
    CHECK_TRUE(t, before < 0 || threads_here() > before);
    omp_set_num_threads(asked);
    naik_free(v);
    naik_free(large);
}

CHECK_MAIN(CHECK(one_byte_is_enough_not_to_be_zero), CHECK(one_number_tells_of_a_field),
           CHECK(a_piece_is_there_to_its_last_byte), CHECK(a_signal_interrupts_no_piece),
           CHECK(bytes_are_read_again_where_there_are_any),
           CHECK(loops_over_little_wake_no_threads))
