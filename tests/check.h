/* check.h - the little that a test program needs: ranks, verdicts, tolerances
 *
 * A test file defines functions `static void name_of_the_property(check *t)` and lists them in
 *     CHECK_MAIN(CHECK(first_property), CHECK(second_property))
 * Every test runs on all ranks of the job. A test fails when any CHECK_... fails on any rank, or
 * when it leaves files or objects of HDF5 open; each failure is printed with expected, got,
 * tolerance and rank. Rank 0 prints one line "PASS name", "FAIL name" or "SKIP name: reason" a
 * test; the runner (tests/run) counts them.
 */
#ifndef NAIK_TESTS_CHECK_H
#define NAIK_TESTS_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/worst.h"
#include "naik/comm.h"

typedef struct check {
    naik_comm *comm;
    naik_log *log;
    bool failed;           /* on this rank */
    const char *skip;      /* reason, the same on all ranks; see CHECK_SKIP */
    int kept_open;         /* files and objects of HDF5 that the test leaves open on purpose */
    const char *reference; /* folder named by NAIK_REFERENCE, NULL if unset */
} check;

typedef struct check_case {
    const char *name;
    void (*run)(check *t);
    int ranks; /* on more than these only in the long run and on GPUs; 0: on any number; -1: on one alone */
} check_case;

#define CHECK(function) CHECK_UP_TO(0, function)
/* What more ranks repeat to the bit, as another test of the program shows: left out there in the
 * short run, without a line. */
#define CHECK_UP_TO(ranks, function)                                                               \
    {                                                                                              \
#function, function, ranks                                                                 \
    }
/* What looks at one box as if it were the lattice, or at the memory of one rank: never on more. */
#define CHECK_ALONE(function) CHECK_UP_TO(-1, function)
#define CHECK_MAIN(...)                                                                            \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        static const check_case cases[] = {__VA_ARGS__};                                           \
        return check_main(argc, argv, cases, (int)(sizeof cases / sizeof *cases));                 \
    }

/* An empty folder of the job's own (SCRATCH), or /tmp where there is none. */
const char *check_folder(void);

int check_main(int argc, char **argv, const check_case *cases, int count);

bool check_true(check *t, bool ok, const char *what, const char *file, int line);
bool check_near(check *t, double got, double expected, double tolerance, const char *what,
                const char *file, int line);
bool check_int(check *t, long long got, long long expected, const char *what, const char *file,
               int line);
bool check_text(check *t, const char *got, const char *expected, const char *what, const char *file,
                int line);
bool check_status(check *t, naik_status got, naik_status expected, const char *what,
                  const char *file, int line);

/* Each evaluates to whether it held. |got - expected| <= tolerance, absolute; NaN never passes. */
#define CHECK_TRUE(t, condition) check_true(t, condition, #condition, __FILE__, __LINE__)
#define CHECK_NEAR(t, got, expected, tolerance)                                                    \
    check_near(t, got, expected, tolerance, #got, __FILE__, __LINE__)
#define CHECK_INT(t, got, expected)  check_int(t, got, expected, #got, __FILE__, __LINE__)
#define CHECK_TEXT(t, got, expected) check_text(t, got, expected, #got, __FILE__, __LINE__)
/* Expects a status; any other is printed with the log's sentence, which is then cleared. */
#define CHECK_STATUS(t, call, expected) check_status(t, call, expected, #call, __FILE__, __LINE__)
#define CHECK_OK(t, call)               CHECK_STATUS(t, call, NAIK_OK)
/* Leaves the test as skipped. */
#define CHECK_SKIP(t, reason)                                                                      \
    do {                                                                                           \
        (t)->skip = (reason);                                                                      \
        return;                                                                                    \
    } while (0)
/* Leaves the test where going on makes no sense. Only with conditions equal on all ranks. */
#define CHECK_REQUIRE(t, condition)                                                                \
    do {                                                                                           \
        if (!CHECK_TRUE(t, condition)) {                                                           \
            return;                                                                                \
        }                                                                                          \
    } while (0)

/* "FOLDER/name" of a reference file in static-free storage of the caller. */
const char *check_reference_path(const check *t, const char *name, char *path, size_t path_size);

#endif
