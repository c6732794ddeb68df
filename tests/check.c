/* check.c - runs the cases of one test program on all ranks */
#include "check.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/timer.h"
#include "comm/collective.h"

static void report(check *t, const char *file, int line)
{
    t->failed = true;
    fprintf(stderr, "  rank %d, %s:%d: ", t->comm->rank, file, line);
}

bool check_true(check *t, bool ok, const char *what, const char *file, int line)
{
    if (!ok) {
        report(t, file, line);
        fprintf(stderr, "%s is false\n", what);
    }
    return ok;
}

bool check_near(check *t, double got, double expected, double tolerance, const char *what,
                const char *file, int line)
{
    bool ok = fabs(got - expected) <= tolerance;
    if (!ok) {
        report(t, file, line);
        fprintf(stderr, "%s: expected %.17g, got %.17g, tolerance %.3g\n", what, expected, got,
                tolerance);
    }
    return ok;
}

bool check_int(check *t, long long got, long long expected, const char *what, const char *file,
               int line)
{
    if (got != expected) {
        report(t, file, line);
        fprintf(stderr, "%s: expected %lld, got %lld\n", what, expected, got);
    }
    return got == expected;
}

bool check_text(check *t, const char *got, const char *expected, const char *what, const char *file,
                int line)
{
    bool ok = strcmp(got, expected) == 0;
    if (!ok) {
        report(t, file, line);
        fprintf(stderr, "%s:\n    expected \"%s\"\n    got      \"%s\"\n", what, expected, got);
    }
    return ok;
}

bool check_status(check *t, naik_status got, naik_status expected, const char *what,
                  const char *file, int line)
{
    if (got != expected) {
        report(t, file, line);
        fprintf(stderr, "%s: expected status '%s', got '%s' (%s, %s)\n", what,
                naik_status_text(expected), naik_status_text(got), naik_log_message(t->log),
                naik_log_place(t->log));
    }
    naik_log_clear(t->log);
    return got == expected;
}

const char *check_reference_path(const check *t, const char *name, char *path, size_t path_size)
{
    snprintf(path, path_size, "%s/%s", t->reference, name);
    return path;
}

/* Whether the ranks are more than the case can have, or more than it asks for where each of them costs time. */
static bool left_out(const check_case *c, int ranks)
{
    const char *backend = getenv("NAIK_BACKEND");
    const bool on_cpu = backend == NULL || strcmp(backend, "gpu") != 0;
    if (c->ranks < 0) {
        return ranks > 1;
    }
    return c->ranks != 0 && ranks > c->ranks && on_cpu && getenv("NAIK_TEST_LONG") == NULL;
}

const char *check_folder(void)
{
    const char *scratch = getenv("SCRATCH");
    return scratch != NULL ? scratch : "/tmp";
}

int check_main(int argc, char **argv, const check_case *cases, int count)
{
    naik_log *log = naik_log_create();
    naik_comm *comm = NULL;
    if (log == NULL || naik_comm_create(&argc, &argv, log, &comm) != NAIK_OK) {
        fprintf(stderr, "the test program could not start\n");
        return 2;
    }
    naik_log_set_quiet(log, getenv("NAIK_TEST_VERBOSE") == NULL);
    comm->io.replace = true; /* tests write one file again and again */
    const char *reference = getenv("NAIK_REFERENCE");
    if (reference != NULL && reference[0] == '\0') {
        reference = NULL;
    }
    const char *only = argc > 1 ? argv[1] : NULL;
    int64_t failures = 0;
    for (int i = 0; i < count; i++) {
        if (only != NULL ? strstr(cases[i].name, only) == NULL : left_out(&cases[i], comm->size)) {
            continue;
        }
        check t = {.comm = comm, .log = log, .reference = reference};
        double start_s = naik_time_s();
        const ssize_t open = H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL);
        cases[i].run(&t);
        CHECK_INT(&t, H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) - open, t.kept_open);
        naik_log_clear(log);
        int64_t failed = t.failed;
        naik_comm_sum_i64(comm, &failed, 1);
        failures += failed != 0;
        if (comm->rank == 0) {
            if (failed != 0) {
                printf("FAIL %s\n", cases[i].name);
            } else if (t.skip != NULL) {
                printf("SKIP %s: %s\n", cases[i].name, t.skip);
            } else {
                printf("PASS %s (%.1f s)\n", cases[i].name, naik_time_s() - start_s);
            }
            fflush(stdout);
        }
    }
    naik_comm_destroy(&comm);
    naik_log_destroy(&log);
    return failures == 0 ? 0 : 1;
}
