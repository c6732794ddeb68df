/* test_agreement.c - what one rank alone finds, all ranks hear: signals, clocks, bits, failures
 *
 * ranks: 2 4
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "backend/create.h"
#include "backend/halo.h"
#include "check.h"
#include "comm/collective.h"
#include "comm/comm_mpi.h"
#include "comm/groups.h"
#include "comm/interrupt.h"
#include "contract/device_tie.h"
#include "io/modes/behind.h"
#include "modes_fixture.h"
#include "naik/lattice.h"
#include "plan/plan.h"
#include "quark/low_modes.h"
#include "run/fault.h"
#include "run/groups.h"
#include "run/sdc_check.h"

static bool is_last(const check *t)
{
    return t->comm->rank == t->comm->size - 1;
}

static void pause_s(double seconds)
{
    const struct timespec time = {.tv_sec = (time_t)seconds,
                                  .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&time, NULL);
}

/* All ranks hear of it when they next talk, which is at most a fifth of a second later. */
static bool is_asked(naik_interrupt *interrupt)
{
    bool asked = false;
    for (int i = 0; i < 15000 && !asked; i++) { /* five minutes, for a machine that is busy */
        asked = naik_interrupt_asked(interrupt);
        pause_s(asked ? 0 : 0.02);
    }
    return asked;
}

static void a_signal_to_one_rank_stops_all(check *t)
{
    static const int signals[] = {SIGUSR1, SIGTERM, SIGXCPU};
    for (int i = 0; i < 3; i++) {
        for (int rank = 0; rank < t->comm->size; rank += t->comm->size - 1) {
            naik_interrupt *interrupt = NULL;
            CHECK_OK(t, naik_interrupt_create(t->comm, 0, 0, &interrupt));
            CHECK_TRUE(t, !naik_interrupt_asked(interrupt));
            if (t->comm->rank == rank) {
                CHECK_INT(t, raise(signals[i]), 0);
            }
            CHECK_TRUE(t, is_asked(interrupt));
            CHECK_TRUE(t, strstr(naik_interrupt_reason(interrupt), strsignal(signals[i])) != NULL);
            CHECK_TRUE(t, naik_interrupt_asked(interrupt)); /* and from then on */
            naik_interrupt_destroy(&interrupt);
        }
    }
}

/* A run that took less than half of the time before it was stopped may have that of other runs. */
static void more_time_is_advised_where_a_run_had_nearly_all(check *t)
{
    static const struct {
        double own_s;
        const char *lacks;
        bool more;
    } rows[] = {{40, "a step", false}, {60, "a step", true}, {60, NULL, false}};
    naik_interrupt *interrupt = NULL;
    CHECK_OK(t, naik_interrupt_create(t->comm, 0, naik_time_s() - 100, &interrupt));
    for (int i = 0; i < 3; i++) {
        char text[NAIK_INTERRUPT_ADVICE];
        naik_interrupt_advise(interrupt, rows[i].own_s, rows[i].lacks, text);
        CHECK_TRUE(t, (strstr(text, "60 s after its start and before a step") != NULL) ==
                          rows[i].more);
        CHECK_TRUE(t, (strcmp(text, ": run the same command again to go on") == 0) != rows[i].more);
    }
    naik_interrupt_destroy(&interrupt);
}

static void a_limit_that_one_rank_has_reached_stops_all(check *t)
{
    naik_interrupt *interrupt = NULL;
    CHECK_OK(t, naik_interrupt_create(t->comm, 3600, naik_time_s() - (is_last(t) ? 3601 : 0),
                                      &interrupt));
    CHECK_TRUE(t, is_asked(interrupt));
    CHECK_TRUE(t, strcmp(naik_interrupt_reason(interrupt), "wall_limit of 3600 s") == 0);
    naik_interrupt_destroy(&interrupt);
    CHECK_OK(t, naik_interrupt_create(t->comm, 0, 0, &interrupt)); /* none */
    for (int i = 0; i < 15; i++) {
        CHECK_TRUE(t, !naik_interrupt_asked(interrupt));
        pause_s(0.02);
    }
    naik_interrupt_destroy(&interrupt);
}

static const char input_text[] =
    "lattice: {size: [4, 4, 4, 8]}\n"
    "gauge: {file: lat.h5}\n"
    "action: {type: hisq}\n"
    "solve:\n"
    "  - {name: a, masses: [0.1, 0.2], source: {type: point, origin: [0, 0, 0, 0]}}\n"
    "solver: {verify: double_check, double_check_every: 2}\n"
    "output: {file: out.h5}\n";

/* key: that replaces one of the text, or NULL */
static bool parse(check *t, const char *key, naik_input **out)
{
    return naik_input_parse(t->log, "input.yaml", input_text, strlen(input_text), &key, key != NULL,
                            NULL, NULL, out) == NAIK_OK;
}

/* A solution whose bits came out otherwise on one rank alone is another solution to all. */
static void bits_that_differ_on_one_rank_differ_for_all(check *t)
{
    const int size[4] = {8, 4, 4, 8};
    naik_lattice *lat = NULL;
    naik_input *input = NULL;
    sdc_check guard;
    const naik_operator_set none = {.links = {NULL}};
    const naik_propagator_result result = {.suspect = false};
    CHECK_REQUIRE(t, naik_lattice_create(t->comm, size, NULL, &lat) == NAIK_OK);
    CHECK_REQUIRE(t, parse(t, NULL, &input));
    double *x = calloc(1, naik_lattice_vector_bytes(lat));
    CHECK_OK(t, sdc_check_create(t->comm, input, &guard));
    sdc_check_begin(&guard, &none);
    /* which values come out one after the other on the last rank, and which is believed; task 0 is
     * solved twice, task 1 is not, task 2 gives no two that agree */
    static const struct {
        int task;
        double value;
        bool good;
    } attempts[] = {{0, 1, false}, {0, 2, false}, {0, 2, true},  {1, 5, true},  {1, 6, true},
                    {2, 1, false}, {2, 2, false}, {2, 3, false}, {4, 1, false}, {4, 1, true}};
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
        bool good = false;
        x[5] = is_last(t) ? attempts[i].value : 0;
        CHECK_OK(t, sdc_check_judge(&guard, attempts[i].task, x, lat, &result, &good));
        CHECK_INT(t, good, attempts[i].good);
    }
    CHECK_TRUE(t, guard.attempts[2].given_up && !guard.attempts[0].given_up);
    CHECK_INT(t, guard.given_up, 1);
    CHECK_TRUE(t, sdc_check_continues(&guard, 1) && !sdc_check_continues(&guard, 0));
    guard.attempts[1].refused = 1; /* what was kept of it may be what is wrong */
    CHECK_TRUE(t, !sdc_check_continues(&guard, 1));
    free(x);
    sdc_check_destroy(&guard);
    naik_input_destroy(&input);
    naik_lattice_destroy(&lat);
}

/* A search is written by all ranks or by none, whatever their clocks say. */
static void a_search_is_written_by_the_clock_of_rank_0(check *t)
{
    for (int late = 0; late < 2; late++) {
        const bool mine = (t->comm->rank == 0) == (late == 0);
        bool due = mine;
        CHECK_OK(t, low_modes_save_is_agreed(t->comm, mine ? 1e6 : 0, 1, &due));
        CHECK_TRUE(t, due == (late == 0));
    }
}

/* Of a host, on each rank; 0 where it cannot be said. */
static size_t left_bytes;
static naik_status free_bytes(naik_device *device, size_t *out)
{
    (void)device;
    *out = left_bytes;
    return left_bytes > 0 ? NAIK_OK : NAIK_ERR_DEVICE;
}

/* A plan holds what the poorest rank holds, and says how many such ranks do where it holds too much. */
static void memory_is_that_of_the_rank_that_has_least(check *t)
{
    const int size[4] = {16, 16, 16, 32};
    const naik_backend_options one = {.threads = 1};
    naik_lattice *lat = NULL;
    naik_backend *backend = NULL;
    naik_geometry *geometry = NULL;
    naik_input *input = NULL;
    solve_plan plan;
    CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &lat));
    CHECK_OK(t, naik_backend_create(t->comm, "cpu", &one, &backend));
    CHECK_OK(t, naik_geometry_create(backend, lat, &geometry));
    CHECK_REQUIRE(t, parse(t, "lattice.size=[16, 16, 16, 32]", &input));
    const naik_memory_ops *real = backend->device.memory;
    naik_memory_ops memory = *real;
    memory.free_bytes = free_bytes;
    backend->device.memory = &memory;
    const size_t plenty = (size_t)1 << 30;
    size_t least =
        plenty; /* of all ranks; then a hundredth, then a little more than a tenth of what is needed */
    for (int few = 0; few < 3; few++) {
        char ranks[64], said[1024];
        least = few == 0 ? plenty : few == 1 ? plenty / 100 : (size_t)plan.total_bytes * 10 / 101;
        left_bytes = is_last(t) ? least : plenty;
        const naik_status status = solve_plan_make(input, geometry, input->task_count, 0, &plan);
        snprintf(said, sizeof said, "%s", naik_log_message(t->log));
        CHECK_STATUS(t, status, few > 0 ? NAIK_ERR_MEMORY : NAIK_OK);
        naik_log_clear(t->log);
        CHECK_INT(t, (int)plan.available_bytes, (int)least);
        const int64_t shares = (plan.total_bytes + plan.available_bytes - 1) / plan.available_bytes;
        snprintf(ranks, sizeof ranks, "use more nodes, at least %d ranks with as much memory",
                 (int)shares * t->comm->size);
        CHECK_TRUE(t, few == 0 || strstr(said, ranks) != NULL);
    }
    backend->device.memory = real;
    naik_input_destroy(&input);
    naik_geometry_destroy(&geometry);
    naik_backend_destroy(&backend);
    naik_lattice_destroy(&lat);
}

/* A tie takes as many columns at a time as every rank has room for, beside what is spared; none where one cannot say. */
static void a_tie_has_room_on_all_ranks(check *t)
{
    const int size[4] = {8, 8, 8, 8};
    const device_tie_shape asked = {.links = 1, .columns = 3, .quarks = 2};
    const naik_memory_ops host = {.free_bytes = NULL}, told = {.free_bytes = free_bytes};
    naik_device device = {.memory = &host};
    device_tie_shape shape = asked;
    naik_lattice *lat = NULL;
    CHECK_REQUIRE(t, naik_lattice_create(t->comm, size, NULL, &lat) == NAIK_OK);
    CHECK_OK(t, device_tie_fit(&device, lat, 0, &shape));
    CHECK_INT(t, shape.columns, 3);
    device.memory = &told;
    size_t least[4] = {0}; /* bytes with which so many columns fit on the last rank */
    for (int columns = 3; columns > 0; columns -= 2) {
        size_t below = 1, above = (size_t)1 << 29;
        for (int step = 0; step < 30; step++) { /* as many on all ranks, whatever each finds */
            const size_t middle = below + (above - below) / 2;
            shape = asked;
            left_bytes = is_last(t) ? middle : (size_t)1 << 30;
            CHECK_OK(t, device_tie_fit(&device, lat, 0, &shape));
            *(shape.columns >= columns ? &above : &below) = middle;
        }
        least[columns] = above;
    }
    CHECK_TRUE(t, least[1] > 0 && least[1] < least[3] && least[3] < (size_t)1 << 30);
    left_bytes = least[3];
    shape = asked;
    CHECK_OK(t, device_tie_fit(&device, lat, 1, &shape));
    CHECK_INT(t, shape.columns, 1);
    left_bytes = is_last(t) ? 0 : least[3];
    CHECK_STATUS(t, device_tie_fit(&device, lat, 0, &shape), NAIK_ERR_DEVICE);
    naik_lattice_destroy(&lat);
}

/* Bytes while links are built, of a run that this communicator makes by itself. */
static int64_t gauge_bytes(check *t, naik_comm *comm, const naik_input *input)
{
    const naik_backend_options one = {.threads = 1};
    naik_lattice *lat = NULL;
    naik_backend *backend = NULL;
    naik_geometry *geometry = NULL;
    solve_plan plan = {.gauge_bytes = -1};
    CHECK_OK(t, naik_lattice_create(comm, input->lattice.size, NULL, &lat));
    CHECK_OK(t, naik_backend_create(comm, "cpu", &one, &backend));
    CHECK_OK(t, naik_geometry_create(backend, lat, &geometry));
    CHECK_OK(t, solve_plan_make(input, geometry, input->task_count, 0, &plan));
    naik_geometry_destroy(&geometry);
    naik_backend_destroy(&backend);
    naik_lattice_destroy(&lat);
    return plan.gauge_bytes;
}

static void a_group_has_what_the_job_was_told(check *t)
{
    const naik_io_options io = t->comm->io;
    const int cpus = t->comm->cpus;
    naik_groups *groups = NULL;
    t->comm->io = (naik_io_options){.writers = 3, .replace = true};
    t->comm->cpus = cpus + 1;
    CHECK_OK(t, naik_groups_create(t->comm, t->comm->size, &groups));
    const naik_comm *mine = naik_groups_comm(groups);
    CHECK_TRUE(t, mine->io.writers == 3 && mine->io.replace);
    CHECK_INT(t, mine->cpus, cpus + 1);
    CHECK_TRUE(t, mine->watchdog == t->comm->watchdog);
    naik_groups_destroy(&groups);
    t->comm->io = io;
    t->comm->cpus = cpus;
}

/* Every rank a group: beside what a run of one rank has it keeps its share of the whole lattice's thin links. */
static void groups_share_the_thin_links(check *t)
{
    naik_input *input = NULL;
    naik_groups *groups = NULL;
    naik_comm *alone = NULL;
    CHECK_OK(t, naik_groups_create(t->comm, t->comm->size, &groups));
    CHECK_OK(t, naik_comm_create_alone(t->log, &alone));
    CHECK_REQUIRE(t, parse(t, NULL, &input));
    const int *size = input->lattice.size;
    const int64_t thin =
        (int64_t)sizeof(naik_matrix) * NAIK_DIM * size[0] * size[1] * size[2] * size[3];
    CHECK_INT(t, gauge_bytes(t, naik_groups_comm(groups), input) - gauge_bytes(t, alone, input),
              thin / t->comm->size);
    naik_input_destroy(&input);
    naik_comm_destroy(&alone);
    naik_groups_destroy(&groups);
}

/* What a group has measured is told by whichever has a factor, here the first and not the last; each counts once,
 * however many ranks it has. */
static void what_was_scaled_is_told_by_a_group_that_scaled(check *t)
{
    naik_input *input = NULL;
    naik_groups *two = NULL;
    CHECK_REQUIRE(t, naik_groups_create(t->comm, 2, &two) == NAIK_OK);
    CHECK_REQUIRE(t, parse(t, NULL, &input));
    CHECK_INT(t, input->solve_count, 1);
    const int mine = naik_groups_mine(two);
    guess_foreign guess = {.taken = 4 + mine,
                           .scaled = mine == 0,
                           .left = mine,
                           .worst = 1 + mine,
                           .last = {.scale = mine == 0 ? 0.5 : 1}};
    solve_groups groups = {.comm = naik_groups_comm(two)};
    solve_job job = {.comm = t->comm,
                     .input = input,
                     .groups = &groups,
                     .guess = {.input = input, .foreign = &guess}};
    CHECK_OK(t, solve_groups_guesses(&job));
    CHECK_INT(t, guess.taken, 9);
    CHECK_INT(t, guess.scaled, 1);
    CHECK_INT(t, guess.left, 1);
    CHECK_TRUE(t, guess.worst == 2 && guess.last.scale == 0.5);
    naik_input_destroy(&input);
    naik_groups_destroy(&two);
}

static int rank_of_failure(check *t)
{
    naik_log_failure failure;
    naik_log_failure_get(t->log, &failure);
    return failure.rank;
}

/* The most severe status and, of those who have it, the sentence of the lowest rank. */
static void all_ranks_end_with_one_status_and_one_sentence(check *t)
{
    const int ranks = t->comm->size, rank = t->comm->rank;
    naik_status mine = rank == 0 ? NAIK_FAIL(t->log, NAIK_ERR_INPUT, "rank 0, input") : NAIK_OK;
    if (rank > 0) {
        mine = NAIK_FAIL(t->log, rank == ranks - 1 ? NAIK_ERR_IO : NAIK_ERR_INPUT, "rank %d", rank);
    }
    CHECK_INT(t, naik_comm_agree(t->comm, mine), NAIK_ERR_IO);
    char last[32];
    snprintf(last, sizeof last, "rank %d", ranks - 1);
    CHECK_TEXT(t, naik_log_message(t->log), last);
    CHECK_INT(t, rank_of_failure(t), ranks - 1);
    CHECK_TRUE(t, strstr(naik_log_place(t->log), "test_agreement.c:") != NULL);
    CHECK_INT(t, naik_comm_agree(t->comm, NAIK_ERR_IO), NAIK_ERR_IO); /* now all have it */
    CHECK_INT(t, rank_of_failure(t), ranks - 1);
    naik_log_clear(t->log);
    CHECK_TEXT(t, naik_log_place(t->log), "");
    mine = rank > 0 ? NAIK_FAIL(t->log, NAIK_ERR_INPUT, "rank %d", rank) : NAIK_OK;
    CHECK_INT(t, naik_comm_agree(t->comm, mine), NAIK_ERR_INPUT);
    CHECK_TEXT(t, naik_log_message(t->log), "rank 1");
    CHECK_INT(t, rank_of_failure(t), 1);
    naik_log_clear(t->log);
    CHECK_INT(t, naik_comm_agree(t->comm, NAIK_OK), NAIK_OK);
}

/* A rank that failed waits a moment for the others, who may be late; ranks that are done wait for
 * good. Who never comes is not waited for. */
static void a_failed_rank_waits_for_those_who_come(check *t)
{
    char token = 0;
    pause_s(is_last(t) ? 0.05 : 0);
    CHECK_TRUE(t, naik_comm_meet(t->comm, is_last(t) ? NAIK_OK : NAIK_ERR_MEMORY));
    for (int r = 0; is_last(t) && r < t->comm->size - 1; r++) { /* when all others have given up */
        MPI_Recv(&token, 1, MPI_CHAR, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    const bool met = naik_comm_meet(t->comm, is_last(t) ? NAIK_ERR_NOT_CONVERGED : NAIK_ERR_IO);
    if (!is_last(t)) {
        MPI_Send(&token, 1, MPI_CHAR, t->comm->size - 1, 0, MPI_COMM_WORLD);
    }
    CHECK_INT(t, met, is_last(t));
    CHECK_INT(t, t->comm->deserted, !met);
    CHECK_TRUE(t, is_last(t) || !naik_comm_meet(t->comm, NAIK_OK)); /* and not again */
    t->comm->deserted = false;
    CHECK_OK(t, naik_comm_barrier(t->comm));
    for (int status = NAIK_OK; status <= NAIK_ERR_MPI;
         status++) { /* those that all ranks decide together */
        CHECK_INT(t, naik_comm_meets_all((naik_status)status),
                  status == NAIK_OK || status == NAIK_ERR_NOT_CONVERGED ||
                      status == NAIK_ERR_INTERRUPTED);
    }
}

/* The second write fails on the last rank, and on no other, and it alone. */
static void an_injected_limit_ends_with_its_write(check *t)
{
    struct rlimit before, now;
    naik_fault *fault = NULL;
    void (*const handler)(int) = signal(SIGXFSZ, SIG_IGN);
    CHECK_REQUIRE(t, getrlimit(RLIMIT_FSIZE, &before) == 0);
    setenv("NAIK_INJECT", "fail:write:2", 1);
    CHECK_OK(t, naik_fault_create(t->comm, &fault));
    unsetenv("NAIK_INJECT");
    for (int write = 1; write <= 3; write++) {
        naik_fault_before_write(fault);
        const bool known = getrlimit(RLIMIT_FSIZE, &now) == 0;
        naik_fault_after_write(fault);
        CHECK_TRUE(t, known && (now.rlim_cur == 0) == (write == 2 && is_last(t)));
        CHECK_TRUE(t, getrlimit(RLIMIT_FSIZE, &now) == 0 && now.rlim_cur == before.rlim_cur);
        (void)setrlimit(RLIMIT_FSIZE, &before);
    }
    naik_fault_destroy(&fault);
    signal(SIGXFSZ, handler);
}

/* A number that is none at a site of the last rank: what its threads find, all hear at once. */
static void a_mode_that_one_rank_cannot_write_is_refused_by_all(check *t)
{
    enum { MODES = 3 };
    fixture f;
    naik_modes_writer *writer = NULL;
    const naik_modes_about about = {.action = "hisq", .boundary_t = "antiperiodic"};
    const naik_modes_pace pace = {.threads = 1, .in_hands = 1};
    char path[1024];
    double failed = 0;
    bool ended = false;
    CHECK_REQUIRE(t, fixture_create(t, (const int[]){4, 4, 4, 16}, NULL, false, false, 1, &f));
    naik_modes *modes = fixture_modes(t, &f, NAIK_SINGLE, NAIK_EVEN, MODES);
    double *v = fixture_stored_mode(t, &f, modes, NAIK_EVEN, 1);
    v[6 * (int64_t)naik_lattice_site_of(f.lat, NAIK_EVEN, 0)] = is_last(t) ? NAN : 1;
    CHECK_OK(t, f.backend->ops->field.from_host(modes->block[0], NAIK_EVEN, 1, v));
    snprintf(path, sizeof path, "%s/modes.h5", check_folder());
    CHECK_OK(t, naik_modes_writer_begin(f.geometry, path, modes, &about, &pace, &writer));
    CHECK_REQUIRE(t, writer != NULL);
    while (failed == 0 && !ended) {
        const naik_status status = naik_modes_writer_look(writer, &ended);
        failed = (double)status;
        CHECK_OK(t, naik_comm_max_f64(t->comm, &failed, 1));
        CHECK_STATUS(t, status, (naik_status)failed);
    }
    CHECK_INT(t, (int)failed, NAIK_ERR_INPUT);
    naik_log_clear(t->log);
    naik_modes_writer_abandon(&writer);
    free(v);
    naik_modes_destroy(&modes);
    fixture_destroy(&f);
}

CHECK_MAIN(CHECK(a_signal_to_one_rank_stops_all),
           CHECK(more_time_is_advised_where_a_run_had_nearly_all),
           CHECK(a_limit_that_one_rank_has_reached_stops_all),
           CHECK(bits_that_differ_on_one_rank_differ_for_all),
           CHECK(a_search_is_written_by_the_clock_of_rank_0),
           CHECK(memory_is_that_of_the_rank_that_has_least), CHECK(a_tie_has_room_on_all_ranks),
           CHECK(a_group_has_what_the_job_was_told), CHECK(groups_share_the_thin_links),
           CHECK(a_mode_that_one_rank_cannot_write_is_refused_by_all),
           CHECK(what_was_scaled_is_told_by_a_group_that_scaled),
           CHECK(all_ranks_end_with_one_status_and_one_sentence),
           CHECK_UP_TO(2, an_injected_limit_ends_with_its_write),
           CHECK_UP_TO(2, a_failed_rank_waits_for_those_who_come))
