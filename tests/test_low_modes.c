/* test_low_modes.c - what is decided about low modes: when a search is written, in which
 * memory, and what loops leave to those who write
 *
 * ranks: 1
 */
#include <ftw.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "comm/memory_limit.h"
#include "comm/threads.h"
#include "io/modes/room.h"
#include "model/deflation.h"
#include "modes/lanczos.h"
#include "modes_fixture.h"
#include "quark/filed_modes.h"
#include "quark/low_modes.h"

static void a_search_is_written_after_a_minute(check *t)
{
    const double brief_s = 0.5;
    CHECK_TRUE(t, !low_modes_save_is_due(0, 0));
    CHECK_TRUE(t, !low_modes_save_is_due(59, brief_s));
    CHECK_TRUE(t, low_modes_save_is_due(61, 0));
    CHECK_TRUE(t, low_modes_save_is_due(61, brief_s));
}

static void writing_a_search_takes_a_twentieth_of_its_time_at_most(check *t)
{
    for (double save_s = 4; save_s < 2000; save_s *= 3) {
        CHECK_TRUE(t, !low_modes_save_is_due(19 * save_s, save_s));
        CHECK_TRUE(t, low_modes_save_is_due(21 * save_s, save_s));
    }
}

/* tests/results/h200.txt, 32^4 at beta 5.7: 200 modes, lambda_200 = 0.00846, 181454 applications */
static void the_rule_meets_what_was_measured(check *t)
{
    const int size[NAIK_DIM] = {32, 32, 32, 32};
    const double density = model_mode_density(size), lambda = 200 / density;
    CHECK_NEAR(t, lambda / 0.00846, 1, 0.05);
    /* tests/results/h100.txt, 500 modes with tolerance 0.5: applications, and the seconds of the search in
     * iterations of the solves after it, each of 0.100 s with 958 */
    CHECK_TRUE(t, model_search_iterations(500 / 0.021928, 500) > 142014);
    CHECK_NEAR(t, model_search_iterations(500 / 0.021928, 500) / (18.4 / 0.100 * 958), 1, 0.15);
    CHECK_NEAR(t, model_search_iterations(500 / 0.026839, 500) / (23.1 / 0.115 * 778), 1, 0.15);
    const double mass[] = {0.001, 0.005}, with[] = {2338, 2052};
    for (int i = 0; i < 2; i++) {
        const model_iterations plain = model_iterations_of(mass[i], 1e-10, 1 << 20);
        const model_iterations now =
            model_iterations_deflated(plain, mass[i], lambda, 1e-10, 1 << 20);
        CHECK_NEAR(t, now.expected / with[i], 1, 0.3);
        CHECK_NEAR(t, model_iterations_above(mass[i], 1e-10, lambda), now.expected, 1e-6);
        CHECK_TRUE(t, now.least <= now.expected && now.expected <= now.most);
    }
}

/* tests/results/h100.txt and cpu.txt: points on an odd and on an even site, to 1e-10. */
static void odd_sources_take_what_was_measured(check *t)
{
    static const struct {
        double mass, lambda, odd, even;
    } row[] = {{0.001, 0.0191, 1568, 1335.7},
               {0.0005, 0.2482, 136.7, 102.7},
               {0.002, 0.2482, 130.3, 102.7},
               {0.01, 0.2482, 121, 102.7},
               {0.03, 0.2482, 115.7, 102}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        CHECK_NEAR(t, model_odd_over_even(row[i].mass, row[i].lambda, 1e-10),
                   row[i].odd / row[i].even, 0.03);
    }
}

/* 12 sources of three colours: what `modes: auto` asks, for it takes modes that promise a tenth less. */
static void modes_pay_for_a_dozen_light_sources(check *t)
{
    const int size[NAIK_DIM] = {32, 32, 32, 48}, modes = 500;
    const int64_t volume = 32 * 32 * 32 * 48;
    const double density = model_mode_density(size), mass = 0.002;
    const model_iterations plain = model_iterations_of(mass, 1e-10, volume);
    const model_iterations with =
        model_iterations_deflated(plain, mass, modes / density, 1e-10, volume);
    const double solves = 36 * (with.expected + model_deflating_iterations(modes, 16, 1e-10, 1e-4));
    CHECK_TRUE(t, solves + model_search_iterations(density, modes) < 0.9 * 36 * plain.expected);
}

static void modes_never_cost_a_heavy_quark_iterations(check *t)
{
    const model_iterations plain = model_iterations_of(0.5, 1e-10, 1 << 20);
    const model_iterations none = model_iterations_deflated(plain, 0.5, 0, 1e-10, 1 << 20);
    CHECK_TRUE(t, none.expected == plain.expected && none.most == plain.most);
    CHECK_TRUE(t, model_search_iterations(1000, 0) == 0);
    CHECK_TRUE(t, model_deflating_iterations(0, 16, 1e-10, 1e-4) == 0);
    CHECK_NEAR(t, model_deflating_iterations(100, 16, 1e-10, 1e-4),
               0.5 * model_deflating_iterations(100, 32, 1e-10, 1e-4), 1e-12);
}

static void put(const char *root, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *at = strchr(path + strlen(root) + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        (void)mkdir(path, 0777);
        *at = '/';
    }
    FILE *file = fopen(path, "w");
    if (file != NULL) {
        fputs(text, file);
        fclose(file);
    }
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info;
    (void)kind;
    (void)at;
    return remove(path);
}

/* The limit of a job is that of the group around the step, which has none itself. */
static void the_limit_of_a_job_is_seen(check *t)
{
    char root[512];
    snprintf(root, sizeof root, "%s/limit-%ld", check_folder(), (long)getpid());
    CHECK_INT(t, mkdir(root, 0777), 0);
    CHECK_TRUE(t, naik_memory_limit_left(root) == SIZE_MAX);
    put(root, "proc/self/cgroup", "0::/job/step\n");
    put(root, "sys/fs/cgroup/job/step/memory.max", "max\n");
    put(root, "sys/fs/cgroup/job/step/memory.current", "5000\n");
    CHECK_TRUE(t, naik_memory_limit_left(root) == SIZE_MAX);
    put(root, "sys/fs/cgroup/job/memory.max", "16000\n");
    put(root, "sys/fs/cgroup/job/memory.current", "9000\n");
    CHECK_TRUE(t, naik_memory_limit_left(root) == 7000);
    put(root, "sys/fs/cgroup/job/memory.stat", "anon 6000\nactive_file 500\ninactive_file 2000\n");
    CHECK_TRUE(t, naik_memory_limit_left(root) == 9000);
    put(root, "sys/fs/cgroup/job/memory.current", "20000\n");
    CHECK_TRUE(t, naik_memory_limit_left(root) == 0);
    put(root, "proc/self/cgroup", "8:pids:/\n4:memory:/slurm/job\n0::/\n");
    put(root, "sys/fs/cgroup/memory/slurm/job/memory.limit_in_bytes", "4000\n");
    put(root, "sys/fs/cgroup/memory/slurm/job/memory.usage_in_bytes", "1000\n");
    put(root, "sys/fs/cgroup/memory/slurm/job/memory.stat",
        "inactive_file 1\ntotal_inactive_file 300\n");
    CHECK_TRUE(t, naik_memory_limit_left(root) == 3300);
    CHECK_INT(t, nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void room_is_made_ahead_and_beyond(check *t)
{
    enum { PIECES = 5, BYTES = 3 << 20 };
    for (int taken = 0; taken <= PIECES + 2; taken += PIECES + 2) {
        char *piece[PIECES + 2];
        naik_modes_room *room = naik_modes_room_begin(PIECES, BYTES);
        CHECK_TRUE(t, room != NULL);
        for (int i = 0; i < taken; i++) {
            piece[i] = naik_modes_room_take(room, BYTES);
            CHECK_TRUE(t, piece[i] != NULL);
            if (piece[i] != NULL) {
                memset(piece[i], i, BYTES);
            }
        }
        naik_modes_room_end(&room);
        CHECK_TRUE(t, room == NULL);
        for (int i = 0; i < taken; i++) {
            CHECK_TRUE(t, piece[i] != NULL && piece[i][0] == i && piece[i][BYTES - 1] == i);
            free(piece[i]);
        }
    }
    char *other = naik_modes_room_take(NULL, BYTES);
    CHECK_TRUE(t, other != NULL);
    free(other);
}

/* A kept search of 20 modes with 64 vectors, and each of its numbers at both sides of its limits. */
static void a_kept_search_has_numbers_that_a_search_can_have(check *t)
{
    const int modes = 20, krylov = 64, kept = naik_lanczos_kept(modes);
    const naik_lanczos_state good = {.cycle = 2,
                                     .starts = 1,
                                     .kept = kept,
                                     .size = kept + 16,
                                     .degree = 8,
                                     .randoms = 3,
                                     .converged = 5,
                                     .low = 0.1,
                                     .high = 2,
                                     .applications = 1000};
#define OF(name) .at = offsetof(naik_lanczos_state, name)
    static const struct {
        size_t at;
        int from, to; /* are taken; beyond them nothing is */
        int step;     /* what lies between two that are taken */
    } whole[] = {{OF(cycle), 0, 100000, 1}, {OF(starts), 0, 12, 1}, {OF(kept), 40, 40, 40},
                 {OF(size), 48, 64, 8},     {OF(degree), 2, 30, 2}, {OF(randoms), 0, 1 << 20, 1},
                 {OF(converged), 0, 19, 1}};
    CHECK_INT(t, kept, 40);
    CHECK_TRUE(t, naik_lanczos_state_holds(&good, modes, krylov));
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        const int tried[] = {whole[i].from,
                             whole[i].from + whole[i].step,
                             whole[i].to,
                             whole[i].from - whole[i].step,
                             whole[i].to + whole[i].step,
                             whole[i].from + 1,
                             -1,
                             INT32_MAX};
        for (size_t k = 0; k < sizeof tried / sizeof *tried; k++) {
            naik_lanczos_state s = good;
            memcpy((char *)&s + whole[i].at, &(int32_t){tried[k]}, sizeof(int32_t));
            const bool none = whole[i].at == offsetof(naik_lanczos_state, kept) && tried[k] == 0;
            const bool holds = tried[k] >= whole[i].from && tried[k] <= whole[i].to &&
                               (tried[k] - whole[i].from) % whole[i].step == 0;
            if (!CHECK_INT(t, naik_lanczos_state_holds(&s, modes, krylov), holds || none)) {
                fprintf(stderr, "    number %zu is %d\n", i, tried[k]);
            }
        }
    }
    static const struct {
        double low, high;
        bool holds;
    } intervals[] = {{0.1, 2, true},   {0, 2, false},    {-0.1, 2, false},  {1.79, 2, false},
                     {1.81, 2, false}, {NAN, 2, false},  {0.1, NAN, false}, {0.1, INFINITY, false},
                     {2, 0.1, false},  {0.0001, 2, true}};
    for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++) {
        naik_lanczos_state s = good;
        s.low = intervals[i].low;
        s.high = intervals[i].high;
        CHECK_INT(t, naik_lanczos_state_holds(&s, modes, krylov), intervals[i].holds);
    }
    naik_lanczos_state s = good;
    s.degree = 2; /* any interval that is one is wide enough for it */
    for (int k = 0; k < 2; k++) {
        s.low = k == 0 ? 1.79 : 1.81;
        CHECK_INT(t, naik_lanczos_state_holds(&s, modes, krylov), k == 0);
    }
    static const int64_t applications[] = {-1, 0, INT64_C(1) << 50, (INT64_C(1) << 50) + 1};
    for (int i = 0; i < 4; i++) {
        s = good;
        s.applications = applications[i];
        CHECK_INT(t, naik_lanczos_state_holds(&s, modes, krylov), i == 1 || i == 2);
    }
}

/* Loops have the processors that the writers leave, beside a device alone, until the file has its name or is given up;
 * where it has not begun they keep all. */
static void loops_leave_the_writers_their_processors(check *t)
{
    enum { MODES = 5 };
    static const struct {
        int cpus, threads, left;
        bool device;
        const char *folder;
        naik_status begins, ends;
    } row[] = {{6, 7, 3, true, "", NAIK_OK, NAIK_OK},
               {6, 7, 3, true, "", NAIK_OK,
                NAIK_ERR_NOT_CONVERGED}, /* of the run: the file is named, and does not hide it */
               {1, 2, 1, true, "", NAIK_OK, NAIK_ERR_IO},
               {40, 33, 32, true, "", NAIK_OK, NAIK_ERR_IO},
               {6, 2, 2, true, "", NAIK_OK, NAIK_ERR_IO},
               {6, 7, 7, false, "", NAIK_OK, NAIK_ERR_IO},
               {6, 7, 7, true, "/nowhere", NAIK_ERR_INPUT, NAIK_ERR_INPUT}};
    const int cpus = t->comm->cpus, threads = naik_threads_count();
    const naik_modes_about about = {.action = "hisq",
                                    .boundary_t = "antiperiodic",
                                    .report = {.krylov = 32, .degree = 4, .high = 20}};
    fixture f;
    if (cg_fixture(t, &f)) {
        const naik_backend_ops *own = f.backend->ops;
        naik_backend_ops ops = *own;
        naik_modes *modes = fixture_modes(t, &f, NAIK_SINGLE, NAIK_EVEN, MODES);
        f.backend->ops = &ops;
        for (int i = 0; i < (int)(sizeof row / sizeof *row); i++) {
            char path[512], search[520];
            naik_lock *turn = NULL;
            filed_modes *filed = NULL;
            snprintf(path, sizeof path, "%s%s/beside-%ld.h5", check_folder(), row[i].folder,
                     (long)getpid());
            snprintf(search, sizeof search, "%s.search", path);
            t->comm->cpus = row[i].cpus;
            naik_threads_use(row[i].threads);
            ops.host_memory = !row[i].device;
            FILE *kept = fopen(search, "w");
            CHECK_TRUE(t, row[i].folder[0] != '\0' || (kept != NULL && fclose(kept) == 0));
            naik_modes_pace pace = filed_modes_prepare(f.geometry, MODES);
            CHECK_STATUS(t, filed_modes_begin(path, search, modes, &about, &pace, &turn, &filed),
                         row[i].begins);
            naik_modes_room_end(&pace.room);
            CHECK_INT(t, naik_threads_count(), row[i].left);
            CHECK_INT(t, filed_modes_end(&filed, row[i].ends), row[i].ends);
            CHECK_INT(t, naik_threads_count(), row[i].threads);
            const bool named = row[i].ends == NAIK_OK || row[i].ends == NAIK_ERR_NOT_CONVERGED;
            CHECK_INT(t, remove(path), named ? 0 : -1);
            CHECK_INT(t, remove(search), named || row[i].folder[0] != '\0' ? -1 : 0);
        }
        f.backend->ops = own;
        naik_modes_destroy(&modes);
    }
    t->comm->cpus = cpus;
    naik_threads_use(threads);
    fixture_destroy(&f);
}

/* Each of the four words counts. */
static void links_are_the_same_where_all_their_sums_are(check *t)
{
    const naik_modes_about one = {.fat = {1, 2}, .far = {3, 4}};
    naik_modes_about other = one;
    CHECK_TRUE(t, naik_modes_of_same_links(&one, &other));
    for (int i = 0; i < 4; i++) {
        uint32_t *word = i < 2 ? &other.fat[i] : &other.far[i - 2];
        *word ^= 1;
        CHECK_TRUE(t, !naik_modes_of_same_links(&one, &other));
        *word ^= 1;
    }
}

CHECK_MAIN(CHECK(links_are_the_same_where_all_their_sums_are),
           CHECK(loops_leave_the_writers_their_processors), CHECK(the_limit_of_a_job_is_seen),
           CHECK(a_kept_search_has_numbers_that_a_search_can_have),
           CHECK(room_is_made_ahead_and_beyond), CHECK(the_rule_meets_what_was_measured),
           CHECK(odd_sources_take_what_was_measured), CHECK(modes_pay_for_a_dozen_light_sources),
           CHECK(modes_never_cost_a_heavy_quark_iterations),
           CHECK(a_search_is_written_after_a_minute),
           CHECK(writing_a_search_takes_a_twentieth_of_its_time_at_most))
