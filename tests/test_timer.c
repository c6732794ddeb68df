/* test_timer.c - regions nest, add up, survive a forgotten stop; a process in which nothing moves says where it is
 *
 * ranks: 1
 */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/timer.h"
#include "base/watchdog.h"
#include "check.h"

static void sleep_ms(int ms)
{
    usleep((useconds_t)ms * 1000);
}

static void regions_hold_what_is_inside_them(check *t)
{
    naik_timer *timer = NULL;
    CHECK_OK(t, naik_timer_create(t->log, &timer));
    CHECK_REQUIRE(t, timer != NULL);
    for (int i = 0; i < 3; i++) {
        naik_timer_start(timer, "solve");
        naik_timer_start(timer, "dslash");
        naik_timer_count(timer, 10, 20);
        sleep_ms(2);
        naik_timer_stop(timer, "dslash");
        naik_timer_count(timer, 1, 2);
        naik_timer_stop(timer, "solve");
    }
    naik_timer_region solve = naik_timer_read(timer, "solve");
    naik_timer_region dslash = naik_timer_read(timer, "solve/dslash");
    CHECK_INT(t, solve.calls, 3);
    CHECK_INT(t, dslash.calls, 3);
    CHECK_NEAR(t, solve.flops, 33, 0);
    CHECK_NEAR(t, dslash.flops, 30, 0);
    CHECK_NEAR(t, solve.bytes, 66, 0);
    CHECK_TRUE(t, dslash.time_s >= 0.006);
    CHECK_TRUE(t, solve.time_s >= dslash.time_s);
    CHECK_TRUE(t, naik_timer_total_s(timer) >= solve.time_s);
    CHECK_NEAR(t, naik_timer_read(timer, "").flops, 33, 0);
    CHECK_INT(t, naik_timer_read(timer, "dslash").calls, 0);
    naik_timer_destroy(&timer);
    CHECK_TRUE(t, timer == NULL);
}

/* "+NAME" for a region that opens, "-" for one that closes, then the innermost. */
static void write_down(void *data, const char *opened, const char *inside)
{
    char *story = data;
    size_t used = strlen(story);
    snprintf(story + used, 200 - used, "%s%s(%s) ", opened != NULL ? "+" : "-",
             opened != NULL ? opened : "", inside);
}

static void an_observer_hears_of_every_region(check *t)
{
    naik_timer *timer = NULL;
    char story[200] = "";
    CHECK_OK(t, naik_timer_create(t->log, &timer));
    CHECK_REQUIRE(t, timer != NULL);
    naik_timer_start(timer, "before");
    naik_timer_observe(timer, write_down, story);
    naik_timer_start(timer, "outer");
    naik_timer_start(timer, "inner");
    naik_timer_stop(timer, "outer");
    naik_timer_observe(timer, NULL, NULL);
    naik_timer_stop(timer, "before");
    CHECK_TEXT(t, story, "+outer(outer) +inner(inner) -(outer) -(before) ");
    naik_timer_destroy(&timer);
}

static void a_stop_closes_what_an_error_left_open(check *t)
{
    naik_timer *timer = NULL;
    CHECK_OK(t, naik_timer_create(t->log, &timer));
    CHECK_REQUIRE(t, timer != NULL);
    naik_timer_start(timer, "outer");
    naik_timer_start(timer, "inner");
    naik_timer_stop(timer, "outer");
    naik_timer_start(timer, "next");
    CHECK_INT(t, naik_timer_read(timer, "next").calls, 1);
    CHECK_INT(t, naik_timer_read(timer, "outer/next").calls, 0);
    double inner_s = naik_timer_read(timer, "outer/inner").time_s;
    sleep_ms(2);
    CHECK_NEAR(t, naik_timer_read(timer, "outer/inner").time_s, inner_s, 0);
    CHECK_TRUE(t, naik_timer_read(timer, "next").time_s >= 0.002); /* still open */
    naik_timer_destroy(&timer);
}

static void no_timer_and_too_many_regions_do_no_harm(check *t)
{
    naik_timer_start(NULL, "x");
    naik_timer_count(NULL, 1, 1);
    naik_timer_stop(NULL, "x");
    naik_timer_kernel(NULL, "x", 1, 1);
    naik_timer_print(NULL);
    CHECK_INT(t, naik_timer_read(NULL, "x").calls, 0);
    naik_timer *timer = NULL;
    CHECK_OK(t, naik_timer_create(t->log, &timer));
    CHECK_REQUIRE(t, timer != NULL);
    for (int i = 0; i < 400; i++) {
        char name[64];
        snprintf(name, sizeof name, "a region with a name far too long to be kept whole %d", i);
        naik_timer_start(timer, name + i % 40);
        snprintf(name, sizeof name, "%d", i);
        naik_timer_start(timer, name);
        naik_timer_count(timer, 1, 0);
        naik_timer_stop(timer, name);
    }
    CHECK_NEAR(t, naik_timer_read(timer, "").flops, 400, 0);
    for (int i = 0; i < 200; i++) {
        char name[128];
        snprintf(name, sizeof name,
                 "%d a kernel with a name far too long to be kept whole, and more "
                 "of it than that",
                 i);
        naik_timer_kernel(timer, name, 1, 1);
    }
    naik_timer_print(timer);
    naik_timer_destroy(&timer);
}

/* The table as the user sees it, through a file in place of standard output. */
static void the_table_adds_up_to_the_total(check *t)
{
    naik_timer *timer = NULL;
    CHECK_OK(t, naik_timer_create(t->log, &timer));
    CHECK_REQUIRE(t, timer != NULL);
    naik_timer_start(timer, "read");
    sleep_ms(10);
    naik_timer_stop(timer, "read");
    naik_timer_start(timer, "solve");
    naik_timer_start(timer, "cg");
    naik_timer_count(timer, 5e9, 1e6);
    sleep_ms(10);
    naik_timer_stop(timer, "cg");
    sleep_ms(10);
    naik_timer_stop(timer, "solve");
    naik_timer_kernel(timer, "applying D, 2 columns", 2e-6, 3e6);
    naik_timer_kernel(timer, "computing alpha", 5e-6, 0);
    naik_timer_kernel(timer, "applying D, 2 columns", 4e-6, 3e6);

    FILE *capture = tmpfile();
    int keep = dup(STDOUT_FILENO);
    CHECK_REQUIRE(t, capture != NULL && keep >= 0);
    fflush(stdout);
    dup2(fileno(capture), STDOUT_FILENO);
    naik_log_set_quiet(t->log, false);
    naik_timer_print(timer);
    naik_log_set_quiet(t->log, true);
    fflush(stdout);
    dup2(keep, STDOUT_FILENO);
    close(keep);
    char list[200], cut[24];
    double seconds[3], flops[3], bytes[3];
    naik_timer_list(timer, list, sizeof list);
    naik_timer_list(timer, cut, sizeof cut);
    CHECK_TRUE(t, strncmp(list, cut, 3) == 0 && strlen(cut) < sizeof cut);
    naik_timer_destroy(&timer);
    CHECK_INT(t,
              sscanf(list,
                     "0 %lf %lf %lf total; 1 %*f 0 0 read; 1 %lf %lf %lf solve; 2 %lf %lf %lf cg; ",
                     &seconds[0], &flops[0], &bytes[0], &seconds[1], &flops[1], &bytes[1],
                     &seconds[2], &flops[2], &bytes[2]),
              9);
    CHECK_TRUE(t, seconds[0] >= seconds[1] && seconds[1] > seconds[2] && seconds[2] > 0);
    CHECK_TRUE(t, flops[1] == 5e9 && flops[2] == 5e9 && bytes[1] == 0 && bytes[2] == 1e6);

    char line[256] = "", kernels[512] = "";
    double cg = 0, other = 0, solve = 0, total = 0, speed = 0;
    rewind(capture);
    while (fgets(line, sizeof line, capture) != NULL) {
        double *percent = strncmp(line, "  cg ", 5) == 0      ? &cg
                          : strncmp(line, "  other ", 8) == 0 ? &other
                          : strncmp(line, "solve ", 6) == 0   ? &solve
                          : strncmp(line, "total ", 6) == 0   ? &total
                                                              : NULL;
        CHECK_TRUE(t, percent == NULL || sscanf(line + 32, "%lf", percent) == 1);
        CHECK_TRUE(t, percent != &cg || sscanf(line + 40, "%*f %*d %lf", &speed) == 1);
        if (kernels[0] != '\0' || strncmp(line, "kernels ", 8) == 0) {
            strncat(kernels, line, sizeof kernels - 1 - strlen(kernels));
        }
    }
    /* the means of two runs and of one; 1000 GB/s = 6 MB in 6 us */
    CHECK_TEXT(t, kernels,
               "kernels of an iteration                                us       GB/s  timed\n"
               "applying D, 2 columns                                3.00     1000.0      2\n"
               "computing alpha                                      5.00                 1\n");
    CHECK_TRUE(t, cg > 0 && other > 0);
    CHECK_NEAR(t, cg + other, solve, 0.2); /* each printed to 0.1 */
    CHECK_NEAR(t, total, 100, 0);
    CHECK_NEAR(t, speed * seconds[2] / 5, 1, 0.1); /* Gflop/s of its own time */
    fclose(capture);
}

/* Each other rank once, by its number in the job: a group counts its own from 0. */
static void who_waits_says_for_which_ranks_of_the_job(check *t)
{
    static const struct {
        int rank, first, partners[3], count;
        const char *of;
    } rows[] = {{2, 0, {1, 3, 1}, 3, "of rank 1 and 3;"},
                {5, 4, {0, 1, 0}, 3, "of rank 4;"},
                {1, 4, {1, 0, 1}, 2, "of rank 5 and 4;"},
                {5, 4, {1, 1, 1}, 3, "of all ranks;"},
                {0, 0, {0, 0, 0}, 0, "of all ranks;"}};
    enum { ROWS = sizeof rows / sizeof *rows };
    pid_t child[ROWS];
    int out[ROWS][2];
    for (int i = 0; i < ROWS; i++) { /* all at once: each ends itself after a second and a half */
        CHECK_REQUIRE(t, pipe(out[i]) == 0);
        child[i] = fork();
        CHECK_REQUIRE(t, child[i] >= 0);
        if (child[i] == 0) {
            naik_watchdog *watchdog = NULL;
            dup2(out[i][1], STDERR_FILENO);
            (void)naik_watchdog_create(t->log, rows[i].rank, "here", 0.1, &watchdog);
            naik_watchdog_base(watchdog, rows[i].first);
            naik_watchdog_wait(watchdog, "a sum", rows[i].partners, rows[i].count);
            pause();
        }
        close(out[i][1]);
    }
    for (int i = 0; i < ROWS; i++) {
        char text[512] = "", expected[128];
        int status = 0;
        CHECK_TRUE(t, read(out[i][0], text, sizeof text - 1) > 0);
        CHECK_TRUE(t, waitpid(child[i], &status, 0) == child[i] && WIFEXITED(status));
        CHECK_INT(t, WEXITSTATUS(status), naik_status_exit(NAIK_ERR_IO));
        snprintf(expected, sizeof expected, "rank %d on here is at: start, waiting for a sum %s",
                 rows[i].rank, rows[i].of);
        CHECK_TRUE(t, strstr(text, expected) != NULL);
        close(out[i][0]);
    }
}

/* Nothing but the number of the first rank of a group leaves a watchdog as still as it was. */
static void whoever_gets_on_counts_as_movement(check *t)
{
    enum { CALLS = 8 };
    naik_watchdog *w = NULL;
    CHECK_OK(t, naik_watchdog_create(t->log, 0, "here", 0, &w));
    CHECK_REQUIRE(t, w != NULL);
    for (int i = 0; i < CALLS; i++) {
        naik_watchdog *const both[] = {w, NULL}; /* none is none to anybody */
        for (int k = 0; k < 2; k++) {
            const unsigned long before = naik_watchdog_moves(w);
            switch (i) {
            case 0: naik_watchdog_base(both[k], 4); break;
            case 1: naik_watchdog_phase(both[k], "solve"); break;
            case 2: naik_watchdog_step(both[k], 10); break;
            case 3: naik_watchdog_wait(both[k], "a sum", NULL, 0); break;
            case 4: naik_watchdog_move(both[k]); break;
            case 5: naik_watchdog_arm(both[k], "a file", 0); break;
            case 6: naik_watchdog_disarm(both[k]); break;
            default: naik_watchdog_limit(both[k], 0); break;
            }
            CHECK_INT(t, (int)(naik_watchdog_moves(w) - before), i > 0 && k == 0);
        }
    }
    naik_watchdog_destroy(&w);
    CHECK_TRUE(t, w == NULL && naik_watchdog_moves(w) == 0);
}

CHECK_MAIN(CHECK(who_waits_says_for_which_ranks_of_the_job),
           CHECK(whoever_gets_on_counts_as_movement), CHECK(regions_hold_what_is_inside_them),
           CHECK(an_observer_hears_of_every_region), CHECK(a_stop_closes_what_an_error_left_open),
           CHECK(no_timer_and_too_many_regions_do_no_harm), CHECK(the_table_adds_up_to_the_total))
