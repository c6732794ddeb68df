/* read.c - a file of modes: whose they are, and every byte of them */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io/beside.h"
#include "io/files.h"
#include "io/h5/guard.h"
#include "io/h5/metadata_crc.h"
#include "io/h5/numbers.h"
#include "io/modes/modes_file.h"
#include "io/modes/vectors.h"
#include "io/reread.h"

static int64_t whole_of(hid_t file, const char *name)
{
    int64_t value = 0;
    naik_h5_get_i64(file, name, &value, 0);
    return value;
}
static double real_of(hid_t file, const char *name)
{
    double value = NAN;
    naik_h5_get_f64(file, name, &value, 0);
    return value;
}

/* Everything but the vectors. */
static naik_status identify(const naik_geometry *geometry, hid_t file, const char *path,
                            const char *state, naik_modes_about *about, int *count)
{
    naik_log *log = geometry->backend->log;
    const naik_lattice *lat = geometry->lattice;
    char format[32], found[32], boundary[32];
    int64_t dims[NAIK_DIM] = {0};
    naik_h5_get_text(file, "format", format, sizeof format);
    naik_h5_get_text(file, "state", found, sizeof found);
    naik_h5_get_text(file, "boundary_t", boundary, sizeof boundary);
    naik_h5_get_i64(file, "dims", dims, NAIK_DIM);
    if (strcmp(format, "naik-modes") != 0) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s' holds no modes: make them with naik modes",
                         path);
    }
    if (strcmp(found, state) != 0) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "'%s' was never completed: its writer was interrupted", path);
    }
    NAIK_PASS(naik_h5_need_metadata_crc(log, file, path));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if (dims[mu] != lat->size[mu]) {
            return NAIK_FAIL(log, NAIK_ERR_INPUT,
                             "the modes of '%s' are of a lattice of %lldx%lldx%lldx%lld", path,
                             (long long)dims[0], (long long)dims[1], (long long)dims[2],
                             (long long)dims[3]);
        }
    }
    if (strcmp(boundary, about->boundary_t) != 0 ||
        real_of(file, "naik_epsilon") != about->naik_epsilon) {
        char its[32], asked[32];
        naik_text_print_real(real_of(file, "naik_epsilon"), its, sizeof its);
        naik_text_print_real(about->naik_epsilon, asked, sizeof asked);
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "the modes of '%s' are of quarks with %s boundary in t and naik_epsilon "
                         "%s, the solves have %s and %s: name another deflation.file",
                         path, boundary, its, about->boundary_t, asked);
    }
    *count = naik_mode_vectors_count(file, lat->size, &about->bricks);
    if (*count == 0) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT, "/modes/v of '%s' is cut short or damaged", path);
    }
    return NAIK_OK;
}

static void take_attributes(hid_t file, naik_modes_about *a)
{
    a->fat[0] = (uint32_t)whole_of(file, "fat_suma");
    a->fat[1] = (uint32_t)whole_of(file, "fat_sumb");
    a->far[0] = (uint32_t)whole_of(file, "long_suma");
    a->far[1] = (uint32_t)whole_of(file, "long_sumb");
    a->seed = (uint64_t)whole_of(file, "seed");
    a->tolerance = real_of(file, "tolerance");
    a->gram = real_of(file, "gram_deviation");
    a->report = (naik_lanczos_report){.cycles = (int)whole_of(file, "cycles"),
                                      .starts = (int)whole_of(file, "starts"),
                                      .converged = (int)whole_of(file, "converged"),
                                      .degree = (int)whole_of(file, "degree"),
                                      .krylov = (int)whole_of(file, "krylov"),
                                      .links = (int)whole_of(file, "search_links"),
                                      .applications = whole_of(file, "applications"),
                                      .low = real_of(file, "interval_low"),
                                      .high = real_of(file, "interval_high")};
    a->state = (naik_lanczos_state){.cycle = (int32_t)whole_of(file, "cycles"),
                                    .starts = (int32_t)whole_of(file, "starts"),
                                    .links = (int32_t)whole_of(file, "search_links"),
                                    .kept = (int32_t)whole_of(file, "kept"),
                                    .size = (int32_t)whole_of(file, "size"),
                                    .degree = (int32_t)whole_of(file, "degree"),
                                    .randoms = (int32_t)whole_of(file, "random_blocks"),
                                    .converged = (int32_t)whole_of(file, "converged"),
                                    .low = real_of(file, "interval_low"),
                                    .high = real_of(file, "interval_high"),
                                    .applications = whole_of(file, "applications")};
}

static naik_status look(const naik_geometry *geometry, const char *path, const char *state,
                        naik_modes_about *about, int *count)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = geometry->lattice->comm;
    hid_t file = -1;
    NAIK_TRY(naik_h5_open_stored(comm, path, &file));
    NAIK_TRY(naik_comm_agree(comm, identify(geometry, file, path, state, about, count)));
    take_attributes(file, about);
done:
    naik_h5_close(comm, &file);
    return status;
}

naik_status naik_modes_file_look(const naik_geometry *geometry, const char *path,
                                 naik_modes_about *about, int *count)
{
    naik_h5_guard guard;
    naik_comm *comm = geometry->lattice->comm;
    naik_h5_guard_begin(&guard);
    const naik_status status = naik_h5_read_verdict(
        comm->log, naik_file_verdict(comm, path, look(geometry, path, "complete", about, count)));
    naik_h5_guard_end(&guard);
    return status;
}

/* The first `count` of the numbers `name`, all of which agree with their checksum. */
static naik_status get_summed(naik_log *log, hid_t file, const int size[NAIK_DIM], const char *name,
                              const char *sum, const char *path, int count, double *out)
{
    naik_status status = NAIK_OK;
    bool bricks;
    const int all = naik_mode_vectors_count(file, size, &bricks);
    double *values = calloc((size_t)all + 1, sizeof *values);
    if (values == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the numbers of %d modes", all);
    }
    NAIK_TRY(naik_h5_numbers_get(log, file, name, H5T_NATIVE_DOUBLE, 8, all, values));
    if (count > all || !naik_h5_numbers_agree(file, sum, values, all)) {
        status =
            NAIK_FAIL(log, NAIK_ERR_CORRUPT, "/%s of '%s' disagrees with its checksum", name, path);
        goto done;
    }
    memcpy(out, values, (size_t)count * sizeof *out);
done:
    free(values);
    return status;
}

/* A block of which the last vector, i, was read; the guard is not for what is done with it. */
static naik_status hand_over(const naik_modes_taker *taker, int i, int count, naik_h5_guard *guard)
{
    naik_status status = NAIK_OK;
    if (taker != NULL && (i % NAIK_MODES_BLOCK == NAIK_MODES_BLOCK - 1 || i == count - 1)) {
        naik_h5_guard_end(guard);
        status = taker->take(taker->data, i / NAIK_MODES_BLOCK);
        naik_h5_guard_begin(guard);
    }
    return status;
}

/* Vectors into blocks, numbers into value and residual (or NULL), every vector against its sum. */
static naik_status read_all(const naik_geometry *geometry, const char *path, int count,
                            naik_field *const *block, double *value, int values, double *residual,
                            const naik_modes_taker *taker, naik_h5_guard *guard)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = geometry->lattice->comm;
    const int *const size = geometry->lattice->size;
    naik_mode_vectors vectors = {.dataset = -1, .type = -1};
    hid_t file = -1;
    uint32_t *stored = calloc(2 * (size_t)count, sizeof *stored);
    NAIK_TRY(naik_h5_open_stored(comm, path, &file));
    if (stored == NULL) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory to read %d modes", count);
        goto agree;
    }
    status =
        naik_h5_numbers_get(comm->log, file, "modes/suma", H5T_NATIVE_UINT32, 4, count, stored);
    status = status == NAIK_OK ? naik_h5_numbers_get(comm->log, file, "modes/sumb",
                                                     H5T_NATIVE_UINT32, 4, count, stored + count)
                               : status;
    status = status == NAIK_OK ? get_summed(comm->log, file, size, "modes/lambda2", "lambda2_crc",
                                            path, values, value)
                               : status;
    if (status == NAIK_OK && residual != NULL) {
        status = get_summed(comm->log, file, size, "modes/residual", "residual_crc", path, values,
                            residual);
    }
agree:
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_mode_vectors_open(geometry->lattice, file, &vectors));
    NAIK_TRY(naik_mode_vectors_read_ahead(&vectors, path, count));
    for (int i = 0; i < count; i++) {
        uint32_t sum[2];
        NAIK_TRY(naik_mode_vector_read(&vectors, block, i, sum));
        if (sum[0] != stored[i] || sum[1] != stored[count + i]) {
            status = NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT,
                               "mode %d of '%s' is damaged: checksum %x %x, stored %x %x", i, path,
                               sum[0], sum[1], stored[i], stored[count + i]);
            goto done;
        }
        NAIK_TRY(hand_over(taker, i, count, guard));
    }
done:
    naik_mode_vectors_close(&vectors);
    naik_h5_close(comm, &file);
    free(stored);
    return status;
}

static naik_status read_guarded(const naik_geometry *geometry, const char *path, int count,
                                naik_field *const *block, double *value, int values,
                                double *residual, const naik_modes_taker *taker)
{
    naik_h5_guard guard;
    naik_comm *comm = geometry->lattice->comm;
    naik_h5_guard_begin(&guard);
    const naik_status status = naik_h5_read_verdict(
        comm->log, naik_file_verdict(comm, path,
                                     read_all(geometry, path, count, block, value, values, residual,
                                              taker, &guard)));
    naik_h5_guard_end(&guard);
    return status;
}

/* T of a search in the middle of a cycle. */
static naik_status read_products(naik_log *log, hid_t file, const char *path, int size,
                                 naik_complex *out, int row)
{
    naik_status status = NAIK_OK;
    const size_t n = (size_t)size;
    naik_complex *t = malloc(n * n * sizeof *t);
    if (t == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the products of %d vectors", size);
    }
    NAIK_TRY(naik_h5_numbers_get(log, file, "modes/t", H5T_NATIVE_DOUBLE, 8, 2 * size * size, t));
    if (!naik_h5_numbers_agree(file, "t_crc", (const double *)t, 2 * size * size)) {
        status =
            NAIK_FAIL(log, NAIK_ERR_CORRUPT, "/modes/t of '%s' disagrees with its checksum", path);
        goto done;
    }
    for (size_t i = 0; i < n; i++) {
        memcpy(out + i * (size_t)row, t + i * n, n * sizeof *t);
    }
done:
    free(t);
    return status;
}

static naik_status read_search(const naik_geometry *geometry, const char *path,
                               const naik_lanczos_state *there, naik_lanczos_state *state)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = geometry->lattice->comm;
    naik_h5_guard guard;
    hid_t file = -1;
    NAIK_PASS(read_guarded(geometry, path, there->size, state->basis, state->ritz, there->kept,
                           NULL, NULL));
    if (!naik_modes_has_products(there)) {
        return NAIK_OK;
    }
    naik_h5_guard_begin(&guard);
    status = naik_h5_open_stored(comm, path, &file);
    status = status == NAIK_OK
                 ? naik_comm_agree(comm, read_products(comm->log, file, path, there->size, state->t,
                                                       state->krylov))
                 : status;
    naik_h5_close(comm, &file);
    status = naik_h5_read_verdict(comm->log, naik_file_verdict(comm, path, status));
    naik_h5_guard_end(&guard);
    return status;
}

naik_status naik_modes_file_read(const naik_geometry *geometry, const char *path, int count,
                                 naik_field *const *into, double *lambda2, double *residual,
                                 const naik_modes_taker *taker)
{
    return read_guarded(geometry, path, count, into, lambda2, count, residual, taker);
}

/* Rank 0: what has the name of a search, and would be written over, is one, be it damaged. */
static naik_status refuse_no_search(naik_log *log, const char *path)
{
    char format[32] = "naik-modes", state[32] = "searching";
    hid_t file = -1;
    naik_status status = naik_beside_refuse_other(log, path, NAIK_FILE_HDF5, NAIK_FILE_HDF5_BYTES);
    if (status == NAIK_OK && naik_h5_open_alone(log, path, &file) == NAIK_OK) {
        naik_h5_get_text(file, "format", format, sizeof format);
        naik_h5_get_text(file, "state", state, sizeof state);
        H5Fclose(file);
        if (strcmp(format, "naik-modes") != 0 || strcmp(state, "complete") == 0) {
            status = NAIK_FAIL(log, NAIK_ERR_INPUT,
                               "%s is there already and is no search for low modes (format %s, "
                               "%s): naik would write over it, so move it away or choose another "
                               "deflation.file",
                               path, format, state);
        }
    }
    return status;
}

/* Whether a kept search is this one; one that is not is told of, since its work is lost. */
static bool is_same_search(naik_log *log, const char *path, const naik_modes_about *there,
                           const naik_modes_about *about)
{
    if (!naik_modes_of_same_links(there, about)) {
        naik_log_line(log, "modes: '%s' keeps a search with other links: the search begins again",
                      path);
        return false;
    }
    if (there->seed != about->seed || there->report.krylov != about->report.krylov ||
        there->tolerance != about->tolerance) {
        naik_log_line(log,
                      "modes: '%s' keeps a search with %d vectors to deflation.tolerance %g, this "
                      "one has %d and %g: the search begins again",
                      path, there->report.krylov, there->tolerance, about->report.krylov,
                      about->tolerance);
        return false;
    }
    return true;
}

naik_status naik_modes_search_read(const naik_geometry *geometry, const char *path,
                                   const naik_modes_about *about, naik_lanczos_state *state,
                                   bool *found)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = geometry->lattice->comm;
    naik_modes_about there = *about;
    naik_h5_guard guard;
    int count = 0;
    *found = false;
    naik_h5_guard_begin(&guard);
    if (comm->rank == 0) {
        status = refuse_no_search(comm->log, path);
    }
    status = naik_comm_agree(comm, status);
    if (status != NAIK_OK) {
        naik_h5_guard_end(&guard);
        return status;
    }
    naik_log_clear(comm->log);
    status = look(geometry, path, "searching", &there, &count);
    naik_h5_guard_end(&guard);
    if (status == NAIK_ERR_INPUT || status == NAIK_ERR_CORRUPT) { /* there is none to go on from */
        naik_log_clear(comm->log);
        return NAIK_OK;
    }
    NAIK_PASS(status);
    if (there.state.size == 0) { /* written before searches stopped within cycles */
        there.state.size = there.state.kept + NAIK_MODES_BLOCK;
    }
    const bool same = is_same_search(comm->log, path, &there, about);
    if (same && (there.state.size != count ||
                 !naik_lanczos_state_holds(&there.state, state->wanted, state->krylov))) {
        naik_log_warn(comm->log, "'%s' is none that a search can leave: the search begins again",
                      path);
        return NAIK_OK;
    }
    if (same) {
        status = read_search(geometry, path, &there.state, state);
        if (status == NAIK_ERR_CORRUPT) {
            naik_log_warn(comm->log, "%s: the search begins again", naik_log_message(comm->log));
            naik_log_clear(comm->log);
            return NAIK_OK;
        }
        NAIK_PASS(status);
        there.state.ritz = state->ritz;
        there.state.basis = state->basis;
        there.state.t = state->t;
        there.state.krylov = state->krylov;
        there.state.wanted = state->wanted;
        *state = there.state;
        *found = true;
    }
    return NAIK_OK;
}
