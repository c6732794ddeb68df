/* test_session_rows.c - questions to a session: each that is refused, and what one rank alone asks is refused by all
 *
 * ranks: 1 2
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "comm/collective.h"
#include "input/input_table.h"
#include "naik/session.h"
#include "session/session_input.h"

enum { VECTOR = 6, COLUMNS = 3, LINK = 18 };

/* Unit links on this rank's box of 4x4x4x8, and what making a session of them comes to. */
static naik_status create(check *t, const char *keys, int *sites, naik_session **session)
{
    naik_session_shape shape = {.spin = 0};
    naik_session_options options = {.size = {4, 4, 4, 8}, .keys = keys};
    CHECK_OK(t, naik_session_box(t->comm, options.size, NULL, &shape));
    *sites = shape.local[0] * shape.local[1] * shape.local[2] * shape.local[3];
    double *links = calloc((size_t)*sites * NAIK_DIM, LINK * sizeof *links);
    for (int i = 0; CHECK_TRUE(t, links != NULL) && i < NAIK_DIM * *sites; i++) {
        links[LINK * i] = links[LINK * i + 8] = links[LINK * i + 16] = 1;
    }
    options.array = links;
    const naik_status status = naik_session_create(t->comm, &options, session);
    free(links);
    return status;
}

static void make_session(check *t, int *sites, naik_session **session)
{
    CHECK_OK(t, create(t, "action: {type: naive}", sites, session));
}

/* One sentence of all ranks, and the status of the row. */
static void expect(check *t, naik_status got, naik_status status, const char *says)
{
    char mine[1024], first[sizeof mine];
    snprintf(mine, sizeof mine, "%s", naik_log_message(t->log));
    memcpy(first, mine, sizeof first);
    CHECK_STATUS(t, got, status);
    CHECK_OK(t, naik_comm_broadcast(t->comm, first, sizeof first, 0));
    CHECK_TEXT(t, mine, first);
    if (!CHECK_TRUE(t, strstr(first, says) != NULL)) {
        fprintf(stderr, "    want '%s', got '%s'\n", says, first);
    }
    naik_log_clear(t->log);
}

/* What the caller gives in two ways is refused, unless both say the same. */
static void keys_do_not_contradict_the_links(check *t)
{
    static const struct {
        const char *keys, *says;
    } rows[] = {
        {"gauge: {on_mismatch: warn}", NULL},
        {"lattice: {size: [4, 4, 4, 8]}", NULL},
        {"lattice: {size: [4, 4, 4, 4]}",
         "'lattice.size' is not that of the session's configuration, which is 4x4x4x8"},
        {"lattice: {size: [4, 4, 4]}",
         "'lattice.size' is not that of the session's configuration, which is 4x4x4x8"},
        {"lattice: {size: [8, 4, 4, 8]}",
         "'lattice.size' is not that of the session's configuration, which is 4x4x4x8"},
        {"gauge: {file: lat.h5}", "'gauge.file' is given beside the configuration of the session"},
        {"run: {placement: true}", NULL},
        {"run: {groups: 1}", NULL},
        {"run: {groups: 2}", "'run.groups' is one of `naik solve`: all ranks of a session solve "
                             "together"},
        {"three_point: [{parent: session, spectator: session, insertion: [pion5], sink_times: "
         "[4], daughter_masses: [0.1]}]",
         "'three_point' does nothing in a session: a session solves one source after the other, of "
         "which a sequential one can be given as its file, so leave it out"},
        {"averages: [{type: truncated_solves, solve: session, tolerance_sloppy: 0.01, "
         "exact_sources: 2}]",
         "'averages' does nothing in a session: a session solves one source after the other, each "
         "to a tolerance that its caller says, so leave it out"},
        {"solve: {masses: [1]}", "a session is asked for one solve after the other"},
        {"run: {events: e.jsonl}",
         "'run.events' does nothing in a session: a session writes no log "
         "of events, so leave it out"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char keys[192];
        int sites;
        naik_session *session = NULL;
        snprintf(keys, sizeof keys, "action: {type: naive}\n%s", rows[i].keys);
        expect(t, create(t, keys, &sites, &session),
               rows[i].says == NULL ? NAIK_OK : NAIK_ERR_INPUT,
               rows[i].says == NULL ? "" : rows[i].says);
        naik_session_destroy(&session);
    }
}

/* Every key of the input file is used by a session, or refused: a new key must be decided. */
static void no_key_is_taken_without_use(check *t)
{
    static const char *const used[] = {"lattice.size",
                                       "lattice.boundary_t",
                                       "gauge.file",
                                       "gauge.config",
                                       "gauge.on_mismatch",
                                       "gauge.max_unitarity_deviation",
                                       "gauge.reunitarise",
                                       "solver.tolerance",
                                       "solver.tolerance_full",
                                       "solver.max_iterations",
                                       "solver.inner_precision",
                                       "solver.batch",
                                       "solver.method",
                                       "solver.link_numbers",
                                       "solver.site_relative_tolerance",
                                       "output.mpi_info",
                                       "output.alignment",
                                       "output.aggregators",
                                       "run.backend",
                                       "run.grid",
                                       "run.groups",
                                       "run.threads",
                                       "run.watchdog",
                                       "run.transport",
                                       "run.launch",
                                       "run.share_gpu",
                                       "run.tune_cache",
                                       "run.placement"};
    static const char *const lists[] = {"solve", "pairs", "baryons", "three_point", "averages"};
    int refused = 0, sites;
    for (int k = 0; k < naik_input_table.count; k++) {
        const char *key = naik_input_table.params[k].key, *why = session_has_no_use(key);
        bool is_used = strncmp(key, "action.", 7) == 0 || strncmp(key, "deflation.", 10) == 0 ||
                       strncmp(key, "multigrid.", 10) == 0;
        for (size_t i = 0; i < sizeof used / sizeof *used; i++) {
            is_used = is_used || strcmp(key, used[i]) == 0;
        }
        if (strchr(key, '[') == NULL && !CHECK_TRUE(t, is_used == (why == NULL))) {
            fprintf(stderr, "    %s\n", key);
        }
        char keys[256];
        naik_session *session = NULL;
        if (why != NULL) {
            const int section = (int)strcspn(key, ".");
            snprintf(keys, sizeof keys, "{action: {type: naive}, %.*s: {%s: x}}", section, key,
                     key + section + 1);
            expect(t, create(t, keys, &sites, &session), NAIK_ERR_INPUT, why);
            refused++;
        }
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        char keys[256];
        naik_session *session = NULL;
        snprintf(keys, sizeof keys, "{action: {type: naive}, %s: [{masses: [1]}]}", lists[i]);
        expect(t, create(t, keys, &sites, &session), NAIK_ERR_INPUT,
               session_has_no_use(lists[i]) != NULL ? session_has_no_use(lists[i]) : "refused");
    }
    CHECK_TRUE(t, refused >= 8 && session_has_no_use("outputs") == NULL);
}

/* What is wrong with the sources or the solutions of a row. */
typedef enum wrong { NOTHING, NAN_AT_THE_END, INFINITE, SHIFTED_UP, SHIFTED_DOWN, SAME } wrong;

static void solves_are_refused_by_all_where_one_rank_asks_wrongly(check *t)
{
    static const struct {
        const char *quark;
        wrong what; /* of the last rank */
        naik_status status;
        const char *says;
    } rows[] = {
        {"{masses: [1]}", NOTHING, NAIK_OK, ""},
        {"{masses: [1]}", SAME, NAIK_OK, ""},
        {"{masses: [1]}", NAN_AT_THE_END, NAIK_ERR_INPUT, "a source holds numbers that are not"},
        {"{masses: [1]}", INFINITE, NAIK_ERR_INPUT, "a source holds numbers that are not finite"},
        {"{masses: [1]}", SHIFTED_UP, NAIK_ERR_INPUT, "begins inside that of the sources"},
        {"{masses: [1]}", SHIFTED_DOWN, NAIK_ERR_INPUT, "begins inside that of the sources"},
        {"{masses: [1, 2]}", NOTHING, NAIK_ERR_INPUT,
         "one quark at a time: give one mass and not 2"},
        {"{masses: [0]}", NOTHING, NAIK_ERR_INPUT, "must be above 0, not 0"},
        {"{masses: [1], tolerance: 2}", NOTHING, NAIK_ERR_INPUT, "tolerance"},
        {"{mases: [1]}", NOTHING, NAIK_ERR_INPUT, "did you mean"}};
    int sites = 0;
    naik_session *session = NULL;
    make_session(t, &sites, &session);
    const size_t reals = (size_t)VECTOR * (size_t)sites;
    double *room = calloc(4 * reals, sizeof *room);
    CHECK_REQUIRE(t, session != NULL && room != NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool mine = t->comm->rank == t->comm->size - 1;
        const wrong what = mine ? rows[i].what : NOTHING;
        naik_session_result results[2];
        double *src = room + reals, *x = room + 3 * reals;
        memset(room, 0, 4 * reals * sizeof *room);
        src[0] = t->comm->rank == 0;
        src[reals - 1] = what == NAN_AT_THE_END ? NAN : what == INFINITE ? -INFINITY : 0;
        x = what == SHIFTED_UP     ? src + reals - 1
            : what == SHIFTED_DOWN ? src - reals + 1
            : what == SAME         ? src
                                   : x;
        expect(t, naik_session_solve_quark(session, rows[i].quark, 1, src, x, results),
               rows[i].status, rows[i].says);
    }
    free(room);
    naik_session_destroy(&session);
}

/* Of no sources there is no solve, and not of another number on one rank. */
static void sources_are_counted_alike(check *t)
{
    int sites = 0;
    naik_session *session = NULL;
    make_session(t, &sites, &session);
    double *room = calloc(4 * (size_t)VECTOR * (size_t)sites, sizeof *room);
    naik_session_result results[2];
    CHECK_REQUIRE(t, session != NULL && room != NULL);
    double *x = room + 2 * (size_t)VECTOR * (size_t)sites;
    for (int count = -1; count < 1; count++) {
        expect(t, naik_session_solve(session, 1, 0, count, room, x, results), NAIK_ERR_ARG,
               "a solve needs at least one source");
    }
    const bool differs = t->comm->size > 1;
    expect(t, naik_session_solve(session, 1, 0, 1 + (t->comm->rank == 1), room, x, results),
           differs ? NAIK_ERR_INPUT : NAIK_OK,
           differs ? "every rank must give the same number of sources" : "");
    expect(t, naik_session_solve(session, t->comm->rank == 1 ? 2 : 1, 0, 1, room, x, results),
           differs ? NAIK_ERR_INPUT : NAIK_OK,
           differs ? "every rank must give the same keys, quark and source" : "");
    free(room);
    naik_session_destroy(&session);
}

static bool is_last(void *data)
{
    const naik_comm *comm = data;
    return comm->rank == comm->size - 1;
}

/* The last rank alone stops it; later solves have the tolerances of the session. */
static void a_stopped_solve_says_how_far_it_came(check *t)
{
    enum { SOURCES = 3 };
    int sites = 0;
    naik_session *session = NULL;
    CHECK_OK(t, create(t,
                       "{action: {type: naive}, solver: {batch: 1, tolerance: 1e-3, "
                       "tolerance_full: 1e-9}}",
                       &sites, &session));
    const size_t reals = (size_t)VECTOR * (size_t)sites;
    double *src = calloc(2 * SOURCES * reals, sizeof *src);
    naik_session_result results[SOURCES];
    CHECK_REQUIRE(t, session != NULL && src != NULL);
    for (int i = 0; i < SOURCES; i++) {
        src[(size_t)i * reals] = 1;
    }
    double *x = src + SOURCES * reals;
    naik_session_hear(session, &(naik_session_hooks){t->comm, NULL, is_last});
    expect(t, naik_session_solve(session, 0.1, 0, SOURCES, src, x, results), NAIK_ERR_INTERRUPTED,
           "stopped with 0 of 3 solutions done");
    CHECK_TRUE(t, !results[0].converged);
    naik_session_hear(session, &(naik_session_hooks){.stop = NULL});
    CHECK_OK(t, naik_session_solve(session, 0.1, 0, 1, src, x, results));
    CHECK_TRUE(t, results[0].converged && results[0].source_residual <= 1e-9);
    free(src);
    naik_session_destroy(&session);
}

static void sources_and_mesons_are_refused_in_words(check *t)
{
    static const struct {
        const char *source;
        naik_status status;
        const char *says;
    } rows[] = {
        {"{type: point, origin: [1, 0, 0, 3]}", NAIK_OK, ""},
        {"{type: point, origin: [[1, 0, 0, 3], [0, 0, 0, 0]]}", NAIK_ERR_INPUT,
         "one source at a time, and these keys make 2"},
        {"{type: corner_wall, t0: [0, 1]}", NAIK_ERR_INPUT,
         "these keys make 2: give one place, one time slice and one hit"},
        {"{type: random_wall, seed: 1, t0: 0, hits: 2}", NAIK_ERR_INPUT, "these keys make 2"},
        {"{type: point, origin: [4, 0, 0, 0]}", NAIK_ERR_INPUT, "lies outside the lattice"},
        {"{type: pointt, origin: [0, 0, 0, 0]}", NAIK_ERR_INPUT, "pointt"}};
    static const char *const mesons[] = {"pion5", "G5-G5", "GT-GT"};
    int sites = 0;
    naik_session *session = NULL;
    make_session(t, &sites, &session);
    double *out = calloc((size_t)COLUMNS * VECTOR * (size_t)sites, sizeof *out), value[16];
    const naik_frame frame = {.cosine = false};
    CHECK_REQUIRE(t, session != NULL && out != NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect(t, naik_session_source(session, rows[i].source, out), rows[i].status, rows[i].says);
    }
    for (int i = 0; i < 3; i++) {
        CHECK_OK(t, naik_session_meson(session, mesons[i], &frame, out, NULL, value));
    }
    expect(t, naik_session_meson(session, "pion", &frame, out, NULL, value), NAIK_ERR_INPUT,
           "a session makes no meson 'pion' of naive quarks, only pion5, pion05, rhox");
    expect(t, naik_session_meson(session, "nucleon", &frame, out, NULL, value), NAIK_ERR_INPUT,
           "; naik solve makes more, and baryons");
    free(out);
    naik_session_destroy(&session);
}

/* The antiquark is 2i times the quark: so is the correlator, or with the quark in its place -2i times. */
static void a_meson_is_of_the_quark_and_the_antiquark(check *t)
{
    enum { REALS = 16 }; /* of 8 slices */
    static const struct {
        const char *keys, *source, *meson[2];
        int columns, reals;
    } rows[] = {{"action: {type: naive}", "{type: corner_wall, t0: 6}", {"pion5", "rhox"}, 3, 6},
                {"action: {type: wilson}",
                 "{type: point, origin: [1, 0, 2, 3]}",
                 {"pion", "rho_x"},
                 12,
                 24}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int sites = 0;
        naik_session *session = NULL;
        const naik_frame frame = {.cosine = false};
        CHECK_OK(t, create(t, rows[i].keys, &sites, &session));
        const size_t numbers = (size_t)(rows[i].columns * rows[i].reals) * (size_t)sites;
        double *x = calloc(numbers, sizeof *x), *y = calloc(numbers, sizeof *y);
        CHECK_REQUIRE(t, session != NULL && x != NULL && y != NULL);
        CHECK_OK(t, naik_session_source(session, rows[i].source, x));
        for (size_t k = 0; k < numbers; k += 2) {
            y[k] = -2 * x[k + 1];
            y[k + 1] = 2 * x[k];
        }
        for (int meson = 0; meson < 2; meson++) {
            double of[3][REALS + 1], most = 0, worst = 0;
            for (int k = 0; k <= REALS; k++) {
                of[0][k] = of[1][k] = of[2][k] = NAN;
            }
            const char *name = rows[i].meson[meson];
            CHECK_OK(t, naik_session_meson(session, name, &frame, x, NULL, of[0]));
            CHECK_OK(t, naik_session_meson(session, name, &frame, x, y, of[1]));
            CHECK_OK(t, naik_session_meson(session, name, &frame, y, x, of[2]));
            for (int k = 0; k < REALS; k += 2) {
                const double re = of[0][k], im = of[0][k + 1];
                most = naik_worst(most, fabs(re));
                worst = naik_worst(worst, hypot(of[1][k] - 2 * im, of[1][k + 1] + 2 * re));
                worst = naik_worst(worst, hypot(of[2][k] + 2 * im, of[2][k + 1] - 2 * re));
            }
            CHECK_TRUE(t, most > 0 && worst <= 1e-12 * most);
            CHECK_TRUE(t, isnan(of[0][REALS]) && isnan(of[1][REALS]) && isnan(of[2][REALS]));
        }
        free(x);
        free(y);
        naik_session_destroy(&session);
    }
}

/* Each rank would otherwise give the part of its own question, or wait for the others. */
static void correlators_are_asked_alike(check *t)
{
    static const struct {
        const char *meson;
        naik_frame frame;
        bool antiquark;
    } rows[] = {{"rhox", {.cosine = false}, false},
                {"pion5", {.momentum = {1, 0, 0}}, false},
                {"pion5", {.origin = {0, 0, 1, 0}}, false},
                {"pion5", {.cosine = true}, false},
                {"pion5", {.cosine = false}, true},
                {"pion", {.cosine = false}, false}}; /* there is none */
    int sites = 0;
    naik_session *session = NULL;
    make_session(t, &sites, &session);
    double *x = calloc((size_t)COLUMNS * VECTOR * (size_t)sites, sizeof *x), value[16];
    const bool differs = t->comm->size > 1, last = t->comm->rank == t->comm->size - 1;
    const naik_frame frame = {.cosine = false};
    CHECK_REQUIRE(t, session != NULL && x != NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && differs; i++) {
        expect(t,
               naik_session_meson(session, last ? rows[i].meson : "pion5",
                                  last ? &rows[i].frame : &frame, x,
                                  last && rows[i].antiquark ? x : NULL, value),
               NAIK_ERR_INPUT,
               "every rank must give the same meson, momentum, origin and cosine, and an antiquark "
               "if others do");
    }
    CHECK_OK(t, naik_session_meson(session, "pion5", &frame, x, x, value));
    free(x);
    naik_session_destroy(&session);
}

CHECK_MAIN(CHECK(keys_do_not_contradict_the_links), CHECK(no_key_is_taken_without_use),
           CHECK(solves_are_refused_by_all_where_one_rank_asks_wrongly),
           CHECK(sources_are_counted_alike), CHECK(a_stopped_solve_says_how_far_it_came),
           CHECK(sources_and_mesons_are_refused_in_words),
           CHECK(a_meson_is_of_the_quark_and_the_antiquark), CHECK(correlators_are_asked_alike))
