/* test_disk_room.c - disks with too little room: every writer asks for what it writes, and what it had begun is gone
 *
 * ranks: 1
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "fixture.h"
#include "io/links/links_file.h"
#include "io/prop/checkpoint.h"
#include "io/vectors/vector_io.h"
#include "propagator_fixture.h"

enum { SITE = 12 * 24, SPARE = 2 << 20 };
static const int size[NAIK_DIM] = {4, 4, 8, 8};
static const int64_t plenty = (int64_t)1 << 50;

/* In place of libc's: what is free on every disk. */
static int64_t free_bytes = plenty;

int statvfs(const char *path, struct statvfs *out)
{
    (void)path;
    *out = (struct statvfs){.f_bsize = 1, .f_frsize = 1, .f_blocks = (fsblkcnt_t)plenty};
    out->f_bavail = (fsblkcnt_t)free_bytes;
    return 0;
}

static void hear(void *data, const char *text)
{
    snprintf(data, 400, "%s", text);
}

typedef struct content {
    const naik_lattice *lattice;
    const naik_gauge *u;
    const double *columns;
} content;

typedef naik_status writer(const content *c, const char *path, const char *format, int bits);

static naik_status write_gauge(const content *c, const char *path, const char *format, int bits)
{
    return naik_gauge_write(path, format, c->u, bits, NULL);
}

static naik_status write_links(const content *c, const char *path, const char *format, int bits)
{
    const naik_fatlong links = {.fat = (naik_gauge *)c->u};
    const naik_fatlong *const sets[1] = {&links};
    return naik_links_h5_write(path, sets, 1, format, "periodic", bits, NULL);
}

static naik_status write_qdp(const content *c, const char *path, const char *format, int bits)
{
    return naik_qdp_propagator_write(c->lattice, path, 4, bits, format, c->columns);
}

static naik_status write_grid(const content *c, const char *path, const char *format, int bits)
{
    return naik_grid_propagator_write(c->lattice, path, 4, bits, format, c->columns);
}

static naik_status write_pairs(const content *c, const char *path, const char *format, int bits)
{
    naik_pair_writer *pairs = NULL;
    naik_status status = naik_pair_writer_create(c->lattice, path, 1, bits, format, &pairs);
    for (int i = 0; i < 3 && status == NAIK_OK; i++) {
        status = naik_pair_writer_add(pairs, c->columns, c->columns, format);
    }
    status = status == NAIK_OK ? naik_pair_writer_finish(&pairs) : status;
    naik_pair_writer_abandon(&pairs);
    return status;
}

static const struct {
    writer *write;
    const char *format;
    int bits;
} rows[] = {
    {write_gauge, "naik", 32},   {write_gauge, "naik", 64},      {write_gauge, "milc", 32},
    {write_gauge, "nersc", 64},  {write_gauge, "nersc-3x3", 32}, {write_gauge, "ildg", 64},
    {write_gauge, "pyquda", 64}, {write_links, "naive", 32},     {write_links, "naive", 64},
    {write_qdp, "qdp", 32},      {write_qdp, "qdp", 64},         {write_grid, "grid", 32},
    {write_grid, "grid", 64},    {write_pairs, "pairs", 32},     {write_pairs, "pairs", 64}};

static int64_t bytes_of(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (int64_t)info.st_size : -1;
}

static void every_writer_asks_for_what_it_writes(check *t)
{
    fixture_links f;
    char path[512], part[520];
    if (!fixture_links_create(t, size, NULL, false, 5, &f)) {
        return;
    }
    double *columns = calloc((size_t)SITE * (size_t)f.lat->sites, sizeof *columns);
    CHECK_REQUIRE(t, columns != NULL);
    for (int64_t i = 0; i < (int64_t)SITE * f.lat->sites; i++) {
        columns[i] = 1;
    }
    const content c = {.lattice = f.lat, .u = f.u, .columns = columns};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *format = rows[i].format;
        snprintf(path, sizeof path, "%s/%s%d", check_folder(), format, rows[i].bits);
        snprintf(part, sizeof part, "%s.part", path);
        CHECK_OK(t, rows[i].write(&c, path, format, rows[i].bits));
        const int64_t bytes = bytes_of(path);
        remove(path);
        free_bytes = bytes + SPARE;
        const naik_status enough = rows[i].write(&c, path, format, rows[i].bits);
        remove(path);
        free_bytes = bytes * 3 / 4;
        const naik_status little = rows[i].write(&c, path, format, rows[i].bits);
        const bool told = strstr(naik_log_message(t->log), "make room or choose another") != NULL;
        if (!CHECK_TRUE(t, bytes > 0 && enough == NAIK_OK && little == NAIK_ERR_IO && told &&
                               bytes_of(path) < 0 && bytes_of(part) < 0)) {
            fprintf(stderr, "    %s of %d bits has %lld bytes: %d with enough, %d with too few\n",
                    format, rows[i].bits, (long long)bytes, (int)enough, (int)little);
        }
        naik_log_clear(t->log);
        free_bytes = plenty;
    }
    free(columns);
    fixture_links_destroy(&f);
}

/* Nothing of them is kept, and the half file gives its room back to the run's output. */
static void solves_in_flight_that_have_no_room_leave_nothing(check *t)
{
    room r;
    if (!room_enter(t, &r)) {
        return;
    }
    const naik_propagator_spec spec = room_spec();
    naik_propagator_file *file = room_begin(t, &r, &spec, 2);
    naik_checkpoint *c = NULL;
    char warned[400] = "";
    CHECK_REQUIRE(t, file != NULL);
    CHECK_OK(t, naik_checkpoint_open(file, r.lattice, &c));
    naik_log_watch_warnings(t->log, hear, warned);
    for (int solve = 3; solve < 5; solve++) {
        const naik_solver_state state = {.record = {.iterations = 1}, .bb = 1};
        room_fill_solution(r.lattice, solve, r.solution);
        free_bytes = solve == 3 ? plenty : 4096;
        CHECK_OK(t, naik_checkpoint_save(c, solve, &state, NAIK_SOLVER_X, 64, r.solution));
        CHECK_INT(t, room_has(&r, ".part.state.new"), solve == 3);
    }
    CHECK_TRUE(t, !naik_checkpoint_goes_on(c));
    CHECK_OK(t, naik_checkpoint_publish(c));
    free_bytes = plenty;
    naik_log_watch_warnings(t->log, NULL, NULL);
    CHECK_TRUE(t, strstr(warned, "are not kept and will start again: ") != NULL);
    CHECK_TRUE(t, !room_has(&r, ".part.state") && !room_has(&r, ".part.state.new"));
    naik_checkpoint_close(&c);
    room_complete(t, &r, &file, false);
    room_leave(t, &r);
}

CHECK_MAIN(CHECK(every_writer_asks_for_what_it_writes),
           CHECK(solves_in_flight_that_have_no_room_leave_nothing))
