/* test_checkpoint.c - solves in flight that a run keeps: what the next run finds of them, and each number of the file that
 * cannot be
 *
 * ranks: 1
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "io/checksum.h"
#include "io/prop/checkpoint.h"
#include "io/prop/prop_file.h"
#include "naik/version.h"
#include "propagator_fixture.h"

/* Where the file has its numbers: of its head, and of the first entry of its list, from the entry's begin or end. */
enum { HEAD_BYTES = 4096, FORMAT = 12, ENTRY_BYTES = 16, ENTRIES = 20, SIZE = 24, INDEX = 40 };
enum { INDEX_CRC = 48, IDENTITY = 52, CRC = 60 };
enum { VECTORS = -160, BITS = VECTORS + 8, SUM_A = VECTORS + 12, SUM_B = VECTORS + 16 };
enum { HISTORY = -16, HISTORY_CRC = -8, SOLVE = -4 };
enum { KEPT = 2, HISTORY_LENGTH = 3 };

typedef enum part { NOTHING, HEAD, HEAD_TORN, ENTRY, ENTRY_TORN } part;

static int32_t i32(const unsigned char *at)
{
    int32_t v;
    memcpy(&v, at, sizeof v);
    return v;
}

static int64_t i64(const unsigned char *at)
{
    int64_t v;
    memcpy(&v, at, sizeof v);
    return v;
}

static void put_crc(unsigned char *at, const unsigned char *bytes, size_t count)
{
    const uint32_t crc = naik_crc32(bytes, count);
    memcpy(at, &crc, sizeof crc);
}

/* The file with a number of `bytes` bytes changed by `more` and, but for a torn part, its checksums made good. */
static void change(unsigned char *file, part where, int at, int bytes, int64_t more)
{
    unsigned char *index = file + i64(file + INDEX);
    const size_t entry = (size_t)i32(file + ENTRY_BYTES);
    unsigned char *number = where >= ENTRY ? index + (at < 0 ? (int)entry + at : at) : file + at;
    if (where == NOTHING) {
        return;
    }
    if (bytes == 8) {
        const int64_t now = i64(number) + more;
        memcpy(number, &now, sizeof now);
    } else {
        const int32_t now = i32(number) + (int32_t)more;
        memcpy(number, &now, sizeof now);
    }
    if (where == ENTRY || at == ENTRIES) {
        put_crc(file + INDEX_CRC, index, (size_t)i32(file + ENTRIES) % 4 * entry);
    }
    if (where != HEAD_TORN) {
        put_crc(file + CRC, file, CRC);
    }
}

static void hear(void *data, const char *text)
{
    snprintf(data, 400, "%s", text);
}

static naik_solver_state state_of(int solve, double *history)
{
    naik_solver_state state = {.record = {.iterations = 30 + solve, .state = NAIK_RHS_RUN, .rr = 2},
                               .bb = 3,
                               .started = 1,
                               .rung = NAIK_RUNG_SINGLE,
                               .history_length = HISTORY_LENGTH,
                               .history = history};
    for (int i = 0; i < HISTORY_LENGTH; i++) {
        history[i] = solve + 0.25 * i;
    }
    return state;
}

/* Two solves in flight of an unfinished file, x in 64 bits and a direction in 32; whether they go on from what was there. */
static bool keep(check *t, const room *r, naik_propagator_file *file, int first)
{
    naik_checkpoint *c = NULL;
    CHECK_OK(t, naik_checkpoint_open(file, r->lattice, &c));
    for (int solve = first; solve < first + 3 * KEPT; solve += 3) {
        double history[HISTORY_LENGTH];
        const naik_solver_state state = state_of(solve, history);
        room_fill_solution(r->lattice, solve, r->solution);
        CHECK_OK(t, naik_checkpoint_save(c, solve, &state, NAIK_SOLVER_X, 64, r->solution));
        CHECK_OK(t, naik_checkpoint_save(c, solve, &state, NAIK_SOLVER_DIRECTION, 32, r->solution));
    }
    CHECK_OK(t, naik_checkpoint_publish(c));
    const bool further = naik_checkpoint_goes_on(c);
    naik_checkpoint_close(&c);
    return further;
}

/* How many solves are found. */
static int count_kept(check *t, const room *r, naik_propagator_file *file, char warned[400])
{
    naik_checkpoint *c = NULL;
    warned[0] = '\0';
    naik_log_watch_warnings(t->log, hear, warned);
    CHECK_OK(t, naik_checkpoint_open(file, r->lattice, &c));
    naik_log_watch_warnings(t->log, NULL, NULL);
    const int count = c != NULL ? naik_checkpoint_count(c) : -1;
    naik_checkpoint_close(&c);
    return count;
}

static unsigned char *read_file(check *t, const char *path, size_t *bytes)
{
    FILE *in = fopen(path, "rb");
    *bytes = 0;
    if (!CHECK_TRUE(t, in != NULL && fseek(in, 0, SEEK_END) == 0)) {
        return NULL;
    }
    *bytes = (size_t)ftell(in);
    unsigned char *data = malloc(*bytes);
    rewind(in);
    CHECK_TRUE(t, data != NULL && fread(data, 1, *bytes, in) == *bytes && fclose(in) == 0);
    return data;
}

static void write_file(check *t, const char *path, const unsigned char *data, size_t bytes)
{
    FILE *out = fopen(path, "wb");
    CHECK_TRUE(t, out != NULL && fwrite(data, 1, bytes, out) == bytes && fclose(out) == 0);
}

static const char damaged[] = "is damaged: its solves start again", some[] = "some of its solves",
                  other[] = "is of another input or another build of naik";

static void every_number_that_cannot_be_is_noticed(check *t)
{
    const int rung = (int)offsetof(naik_solver_state, rung);
    const int length = (int)offsetof(naik_solver_state, history_length);
    const int64_t far = (int64_t)1 << 40;
    const struct {
        part where;
        int at, bytes;
        int64_t more;
        int found;
        const char *warned;
    } rows[] = {{NOTHING, 0, 0, 0, KEPT, ""},
                {HEAD, 0, 4, 1, 0, damaged}, /* its first word */
                {HEAD, 8, 4, 1, 0, damaged}, /* the order of bytes */
                {HEAD_TORN, SIZE, 4, 0, KEPT, ""},
                {HEAD_TORN, CRC, 4, 1, 0, damaged},
                {HEAD, FORMAT, 4, -1, 0, other},
                {HEAD, FORMAT, 4, 1, 0, other},
                {HEAD, IDENTITY, 4, 1, 0, other},
                {HEAD, ENTRY_BYTES, 4, 8, 0, damaged},
                {HEAD, SIZE, 4, 2, 0, damaged},
                {HEAD, SIZE + 12, 4, -2, 0, damaged},
                {HEAD, ENTRIES, 4, -1, 1, ""},
                {HEAD, ENTRIES, 4, -KEPT - 1, 0, damaged},
                {HEAD, ENTRIES, 4, 1, 0, damaged},
                {HEAD, INDEX, 8, far, 0, damaged},
                {HEAD, INDEX, 8, -far, 0, damaged},
                {HEAD, INDEX_CRC, 4, 1, 0, damaged},
                {ENTRY_TORN, SOLVE, 4, 1, 0, damaged},
                {ENTRY, SOLVE, 4, ROOM_SOLVES - 5, KEPT, ""}, /* the last */
                {ENTRY, SOLVE, 4, ROOM_SOLVES - 4, 1, some},
                {ENTRY, SOLVE, 4, -5, 1, some},
                {ENTRY, HISTORY, 8, far, 1, some},
                {ENTRY, HISTORY, 8, -far, 1, some},
                {ENTRY, HISTORY_CRC, 4, 1, 1, some},
                {ENTRY, rung, 4, NAIK_RUNGS, 1, some},
                {ENTRY, length, 4, 1, 1, some},
                {ENTRY, length, 4, 1 << 28, 1, some},
                {ENTRY, VECTORS, 8, far, 1, some},
                {ENTRY, VECTORS, 8, -far, 1, some},
                {ENTRY, VECTORS, 8, 8, 1, some},
                {ENTRY, BITS, 4, -16, 1, some},
                {ENTRY, SUM_A, 4, 1, 1, some},
                {ENTRY, SUM_B, 4, 1, 1, some}};
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    const naik_propagator_spec spec = room_spec();
    char path[NAIK_PATH_MAX], warned[400];
    size_t bytes = 0;
    naik_propagator_file *file = room_begin(t, &r, &spec, 2);
    CHECK_REQUIRE(t, file != NULL);
    keep(t, &r, file, 4);
    snprintf(path, sizeof path, "%s.part.state", r.path);
    unsigned char *whole = read_file(t, path, &bytes), *now = malloc(bytes + 1);
    CHECK_REQUIRE(t, whole != NULL && now != NULL && bytes > HEAD_BYTES);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memcpy(now, whole, bytes);
        change(now, rows[i].where, rows[i].at, rows[i].bytes, rows[i].more);
        write_file(t, path, now, bytes);
        const int found = count_kept(t, &r, file, warned);
        if (!CHECK_TRUE(t, found == rows[i].found &&
                               (rows[i].warned[0] != '\0' ? strstr(warned, rows[i].warned) != NULL
                                                          : warned[0] == '\0'))) {
            fprintf(stderr, "    row %d: found %d, warned '%s'\n", (int)i, found, warned);
        }
    }
    for (int cut = 1; cut < 4; cut++) { /* and the file is cut short */
        write_file(t, path, whole, cut * bytes / 4);
        CHECK_INT(t, count_kept(t, &r, file, warned), 0);
        CHECK_TRUE(t, strstr(warned, damaged) != NULL);
    }
    free(whole);
    free(now);
    room_complete(t, &r, &file, false);
    room_leave(t, &r);
}

/* As it was kept, to the bit or to single precision; what is stored by now, or was never kept, is not there. */
static void what_was_kept_is_restored(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    const naik_propagator_spec spec = room_spec();
    const size_t half = naik_lattice_vector_bytes(r.lattice) / 2;
    double history[HISTORY_LENGTH], wanted[HISTORY_LENGTH];
    char warned[400];
    bool found = false;
    naik_checkpoint *c = NULL;
    naik_propagator_file *file = room_begin(t, &r, &spec, 2);
    CHECK_REQUIRE(t, file != NULL);
    CHECK_TRUE(t, keep(t, &r, file, 4)); /* 4 and 7 */
    CHECK_OK(t, naik_checkpoint_open(file, r.lattice, &c));
    CHECK_TRUE(t, !naik_checkpoint_goes_on(c));
    for (int solve = 4; solve < 8; solve++) {
        naik_solver_state state = {.history = history};
        const naik_solver_state want = state_of(solve, wanted);
        CHECK_OK(t, naik_checkpoint_restore(c, solve, HISTORY_LENGTH, &state, NAIK_SOLVER_STATE,
                                            NULL, &found));
        CHECK_TRUE(t, found == (solve % 3 == 1));
        if (!found) {
            continue;
        }
        CHECK_INT(t, state.record.iterations, want.record.iterations);
        CHECK_INT(t, state.history_length, HISTORY_LENGTH);
        CHECK_TRUE(t, memcmp(history, wanted, sizeof wanted) == 0);
        CHECK_OK(t, naik_checkpoint_restore(c, solve, 2, &state, NAIK_SOLVER_STATE, NULL, &found));
        CHECK_INT(t, state.history_length, 2);
        room_fill_solution(r.lattice, solve, r.expected);
        CHECK_OK(t,
                 naik_checkpoint_restore(c, solve, 0, &state, NAIK_SOLVER_X, r.solution, &found));
        CHECK_TRUE(t, found && memcmp(r.solution, r.expected, half) == 0);
        CHECK_OK(t, naik_checkpoint_restore(c, solve, 0, &state, NAIK_SOLVER_DIRECTION, r.solution,
                                            &found));
        bool single = found;
        for (size_t i = 0; i < half / sizeof *r.solution; i++) {
            single = single && r.solution[i] == (double)(float)r.expected[i];
        }
        CHECK_TRUE(t, single);
    }
    naik_checkpoint_close(&c);
    CHECK_OK(t, room_commit(r.lattice, file, 4));
    CHECK_TRUE(t, keep(t, &r, file, 6)); /* 6 and 9, beside 7; 4 is stored */
    CHECK_TRUE(t, !keep(t, &r, file, 6));
    CHECK_INT(t, count_kept(t, &r, file, warned), 3);
    CHECK_TRUE(t, warned[0] == '\0');
    room_complete(t, &r, &file, false);
    room_leave(t, &r);
}

/* Of its input, its choices and its build: another one of these has other bits. */
static void solves_are_of_one_input_with_its_choices_and_build(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    const naik_propagator_spec spec = room_spec();
    const char *git = naik_version_git();
    char path[NAIK_PATH_MAX], warned[400];
    size_t bytes = 0;
    naik_propagator_file *file = room_begin(t, &r, &spec, 2);
    CHECK_REQUIRE(t, file != NULL);
    keep(t, &r, file, 4);
    const uint32_t of[] = {file->identity, naik_crc32(file->choices, strlen(file->choices)),
                           naik_crc32(git, strlen(git))};
    snprintf(path, sizeof path, "%s.part.state", r.path);
    unsigned char *data = read_file(t, path, &bytes);
    CHECK_TRUE(t, data != NULL && (uint32_t)i32(data + IDENTITY) == naik_crc32(of, sizeof of));
    free(data);
    file->identity++;
    CHECK_INT(t, count_kept(t, &r, file, warned), 0);
    CHECK_TRUE(t, strstr(warned, other) != NULL);
    file->identity--;
    file->choices[0]++;
    CHECK_INT(t, count_kept(t, &r, file, warned), 0);
    CHECK_TRUE(t, strstr(warned, other) != NULL);
    file->choices[0]--;
    CHECK_INT(t, count_kept(t, &r, file, warned), KEPT);
    room_complete(t, &r, &file, false);
    room_leave(t, &r);
}

CHECK_MAIN(CHECK(every_number_that_cannot_be_is_noticed), CHECK(what_was_kept_is_restored),
           CHECK(solves_are_of_one_input_with_its_choices_and_build))
