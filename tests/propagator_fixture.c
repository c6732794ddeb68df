/* propagator_fixture.c - contents that depend on solve and global site only */
#include "propagator_fixture.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const int size[4] = {8, 4, 4, ROOM_T};

static const naik_source_info point[1] = {
    {.type = "point", .origin = {1, 0, 3, 2}, .subset = "one site"}};
static const naik_source_info walls[2] = {
    {.type = "random_wall", .has_seed = true, .seed = 7, .generator = "Philox-4x32-10"},
    {.type = "random_wall",
     .origin = {0, 0, 0, 4},
     .has_seed = true,
     .seed = 7,
     .generator = "Philox-4x32-10"}};
static naik_quark quarks[2] = {{.mass = 0.05}, {.mass = 0.1, .naik_epsilon = -0.2}};
static const int places[2] = {0, 1};
static const naik_solve_set sets[2] = {
    {.name = "pt",
     .source_count = 1,
     .sources = point,
     .mass_count = 2,
     .quarks = quarks,
     .quark = places},
    {.name = "wall",
     .source_count = 2,
     .sources = walls,
     .mass_count = 1,
     .quarks = quarks,
     .quark = places},
};
static const char *const correlators[ROOM_CORRELATORS] = {"pion5", "pion05"};
static const int momenta[ROOM_MOMENTA][3] = {{0, 0, 0}, {1, 0, -1}};
static const naik_meta_item items[1] = {{"ensemble", "made up"}};
static const naik_meta_item session[1] = {{"grid", "any"}};

naik_status room_lattice(naik_comm *comm, naik_lattice **out)
{
    return naik_lattice_create(comm, size, NULL, out);
}

naik_propagator_spec room_spec(void)
{
    const naik_quark_kind *hisq = naik_quark_kind_of("hisq");
    quarks[0].kind = quarks[1].kind = hisq;
    return (naik_propagator_spec){.set_count = 2,
                                  .sets = sets,
                                  .common = {ROOM_CORRELATORS, correlators, ROOM_MOMENTA, momenta},
                                  .store_propagators = true,
                                  .precision = 64,
                                  .history_stride = ROOM_HISTORY,
                                  .canonical_input = "solver.tolerance = 1e-10\nsolver.x = 1\n",
                                  .gauge_checksum = "suma 1 sumb 2",
                                  .numerics = "naik 1 cpu",
                                  .choices = "inner_precision = single",
                                  .kind = hisq,
                                  .boundary_t = "antiperiodic",
                                  .input_text = "# a comment\nsolver: {tolerance: 1e-10}\n",
                                  .metadata_count = 1,
                                  .metadata = items,
                                  .session_count = 1,
                                  .session = session};
}

void room_add_contractions(naik_propagator_spec *spec)
{
    static naik_contraction list[ROOM_CONTRACTED];
    for (int i = 0; i < ROOM_CONTRACTED; i++) {
        list[i] = (naik_contraction){.correlator = "rhox",
                                     .quantity = "correlator",
                                     .quark[0] = {.source = "pt", .quark = {.kind = spec->kind}},
                                     .quarks = 1,
                                     .definition = "made up"};
        snprintf(list[i].path, sizeof list[i].path, "/corr/made/n%d/rhox", i);
    }
    spec->contraction_count = ROOM_CONTRACTED;
    spec->contractions = list;
}

void room_fill_contractions(double values[ROOM_CONTRACTED][2 * ROOM_T])
{
    for (int i = 0; i < ROOM_CONTRACTED; i++) {
        for (int k = 0; k < 2 * ROOM_T; k++) {
            values[i][k] = 1 + i + 1.0 / (3 + k);
        }
    }
}

/* A number in (-1, 1) that depends on its place only. */
static double number(int solve, int64_t place)
{
    uint64_t h =
        (uint64_t)place * 0x9e3779b97f4a7c15u + (uint64_t)(solve + 1) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 31)) * 0x94d049bb133111ebu;
    h ^= h >> 29;
    return (double)(int64_t)(h >> 11) / (double)(1LL << 52) - 1;
}

void room_fill_solution(const naik_lattice *lat, int solve, double *out)
{
    for (int32_t i = 0; i < lat->sites; i++) {
        int x[4];
        naik_lattice_coords(lat, i, x);
        for (int k = 0; k < 6; k++) {
            out[6 * (int64_t)i + k] = number(solve, 6 * naik_lattice_global(lat, x) + k);
        }
    }
}

void room_fill_correlators(int solve, double out[ROOM_CORR])
{
    for (int i = 0; i < ROOM_CORR; i++) {
        out[i] = number(solve, -1 - i);
    }
}

naik_status room_commit(const naik_lattice *lat, naik_propagator_file *file, int solve)
{
    double *solution = malloc((size_t)lat->sites * 6 * sizeof *solution);
    double corr[ROOM_CORR], history[4] = {1, 0.1, 0.01, number(solve, 0)};
    const naik_solve_record record = {.state =
                                          solve == 5 ? NAIK_SOLVE_NOT_CONVERGED : NAIK_SOLVE_DONE,
                                      .iterations = 3 + solve,
                                      .target = 1e-10,
                                      .true_residual = 1e-11,
                                      .source_residual = 2e-11,
                                      .norm = 17,
                                      .modes = 100 * (solve % 4),
                                      .stop_reason = "converged"};
    room_fill_solution(lat, solve, solution);
    room_fill_correlators(solve, corr);
    naik_status status =
        naik_propagator_file_commit(file, solve, solution, corr, &record, history, 4);
    free(solution);
    return status;
}

bool room_enter(check *t, room *r)
{
    memset(r, 0, sizeof *r);
    snprintf(r->folder, sizeof r->folder, "%s/propagator_h5_%ld", check_folder(), (long)getpid());
    if (t->comm->rank == 0 && mkdir(r->folder, 0700) != 0) {
        r->folder[0] = '\0';
    }
    naik_comm_broadcast(t->comm, r->folder, sizeof r->folder, 0);
    snprintf(r->path, sizeof r->path, "%s/out.h5", r->folder);
    CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &r->lattice));
    if (r->lattice == NULL) {
        return false;
    }
    r->solution = malloc((size_t)r->lattice->sites * 6 * sizeof(double));
    r->expected = malloc((size_t)r->lattice->sites * 6 * sizeof(double));
    return CHECK_TRUE(t, r->folder[0] != '\0');
}

bool room_has(const room *r, const char *suffix)
{
    char path[NAIK_PATH_MAX];
    snprintf(path, sizeof path, "%s%s", r->path, suffix);
    return access(path, F_OK) == 0;
}

void room_leave(check *t, room *r)
{
    free(r->solution);
    free(r->expected);
    t->comm->io.writers = 0;
    naik_lattice_destroy(&r->lattice);
    naik_comm_barrier(t->comm);
    if (t->comm->rank == 0) {
        DIR *folder = opendir(r->folder);
        /* Open MPI's own too, where a file that was lost to another job is not closed */
        for (struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;) {
            unlinkat(dirfd(folder), e->d_name, 0);
        }
        closedir(folder);
        CHECK_INT(t, rmdir(r->folder), 0);
    }
}

naik_propagator_file *room_open(check *t, const room *r, const naik_propagator_spec *spec,
                                bool fresh)
{
    naik_propagator_file *file = NULL;
    CHECK_OK(t, naik_propagator_file_open(r->lattice, r->path, spec, fresh, &file));
    return file;
}

/* Everything committed reads back to the bit (or to its rounding). */
void room_check(check *t, room *r, naik_propagator_file *file, bool single)
{
    int64_t wrong = 0;
    double corr[ROOM_CORR], one[3][ROOM_CORR];
    for (int solve = 0; solve < naik_propagator_file_solves(file); solve++) {
        const naik_solve_record *record = naik_propagator_file_record(file, solve);
        CHECK_INT(t, record->iterations, 3 + solve);
        CHECK_INT(t, record->modes, 100 * (solve % 4));
        CHECK_INT(t, record->state, solve == 5 ? NAIK_SOLVE_NOT_CONVERGED : NAIK_SOLVE_DONE);
        CHECK_TEXT(t, record->stop_reason, "converged");
        CHECK_OK(t, naik_propagator_file_read_solution(file, solve, r->solution));
        room_fill_solution(r->lattice, solve, r->expected);
        for (int64_t i = 0; i < 6 * (int64_t)r->lattice->sites; i++) {
            double expected = single ? (double)(float)r->expected[i] : r->expected[i];
            wrong += r->solution[i] != expected;
        }
        if (solve % 3 == 2) {
            CHECK_OK(
                t, naik_propagator_file_read_correlators(file, record->source, record->mass, corr));
            for (int c = 0; c < 3; c++) {
                room_fill_correlators(solve - 2 + c, one[c]);
            }
            for (int i = 0; i < ROOM_CORR; i++) {
                wrong += corr[i] != one[0][i] + one[1][i] + one[2][i];
            }
        }
    }
    CHECK_INT(t, wrong, 0);
}

naik_propagator_file *room_begin(check *t, const room *r, const naik_propagator_spec *spec,
                                 int solves)
{
    naik_propagator_file *file = room_open(t, r, spec, false);
    for (int i = 0; file != NULL && i < solves; i++) {
        CHECK_OK(t, room_commit(r->lattice, file, i));
    }
    return file;
}

void room_complete(check *t, room *r, naik_propagator_file **file, bool single)
{
    for (int i = 0; i < naik_propagator_file_solves(*file); i++) {
        if (naik_propagator_file_record(*file, i)->state == NAIK_SOLVE_PENDING) {
            CHECK_OK(t, room_commit(r->lattice, *file, i));
        }
    }
    CHECK_OK(t, naik_propagator_file_finish(*file));
    room_check(t, r, *file, single);
    naik_propagator_file_close(file);
}
