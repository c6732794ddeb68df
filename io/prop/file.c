/* file.c - the life of a propagator file: begin or continue, commit, finish
 *
 * What a kill may leave behind, and what is done with it:
 *   .part without `state`            killed in its making: begun again
 *   .part that HDF5 cannot open      rebuilt from its journal (io/prop/rebuild.c)
 *   .part, incomplete                verified slab by slab, continued
 *   .part, complete, not renamed     continued with nothing to do: finished again (also a finished
 *                                    file whose failed solves were to be tried again, io/prop/retry.c)
 *   PATH and .journal                tidied up by the next run
 *   .lock                            stale by its process, taken over (lock.c)
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "io/checksum.h"
#include "io/gauge/same_links.h"
#include "io/h5/guard.h"
#include "io/h5/metadata_crc.h"
#include "io/output.h"
#include "io/prop/contractions.h"
#include "io/prop/prop_file.h"
#include "io/reread.h"

/* Room on the disk that a file is not begun without, beyond its bytes. */
static const int64_t SPARE = 3 << 20;

static uint32_t crc_of(const char *text)
{
    return text != NULL ? naik_crc32(text, strlen(text)) : 0;
}

/* `links`: the crc32 of what counts of the line that identifies the configuration. */
static uint32_t identity_of(const naik_propagator_spec *spec, const char *structure, uint32_t links)
{
    const uint32_t crc[] = {crc_of(spec->canonical_input), links, crc_of(spec->source_checksums),
                            crc_of(spec->numerics), crc_of(structure)};
    return naik_crc32(crc, sizeof crc);
}

/* The checksum of the links is the same in every format; journals of earlier versions count the rest of the line. */
static void identify(naik_propagator_file *file, const naik_propagator_spec *spec)
{
    const char *const links = spec->gauge_checksum != NULL ? spec->gauge_checksum : "";
    const size_t rest = naik_links_line_without_sum(links);
    const char *const sum = links[rest] != '\0' ? links + rest : links;
    file->identity = identity_of(spec, file->structure, crc_of(sum));
    file->identity_before = identity_of(spec, file->structure, naik_crc32(links, rest));
}

static naik_status make_handle(const naik_lattice *lattice, const char *path,
                               const naik_propagator_spec *spec, naik_propagator_file **out)
{
    naik_log *log = lattice->comm->log;
    naik_propagator_file *file = calloc(1, sizeof *file);
    *out = file;
    if (file == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a propagator file");
    }
    *file = (naik_propagator_file){.h5 = -1,
                                   .lattice = lattice,
                                   .comm = lattice->comm,
                                   .iteration_limit = spec->iteration_limit,
                                   .until_contracted = spec->until_contracted,
                                   .structure = naik_prop_structure(spec, lattice->size)};
    NAIK_PASS(naik_path_append(log, path, "", file->path));
    NAIK_PASS(naik_path_append(log, path, ".part", file->part));
    NAIK_PASS(naik_path_append(log, path, ".journal", file->journal));
    NAIK_PASS(naik_prop_plan_create(log, spec, lattice->size, &file->plan));
    identify(file, spec);
    file->choices = strdup(spec->choices != NULL ? spec->choices : "");
    file->records = calloc((size_t)file->plan->solve_count, sizeof *file->records);
    file->small_crc = calloc(2 * (size_t)file->plan->solve_count, sizeof *file->small_crc);
    if (file->structure == NULL || file->choices == NULL || file->records == NULL ||
        file->small_crc == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a propagator file");
    }
    return NAIK_OK;
}

/* Without a .part the journal and the lock are of no use; whoever still holds the lock removes them himself. */
naik_status naik_propagator_file_tidy(naik_comm *comm, const char *path)
{
    naik_status status = NAIK_OK;
    char name[NAIK_PATH_MAX];
    naik_lock *lock = NULL;
    int64_t part = -1, journal = -1;
    NAIK_TRY(naik_path_append(comm->log, path, ".journal", name));
    NAIK_TRY(naik_file_size(comm, name, &journal));
    if (journal < 0) {
        return naik_lock_sweep(comm, path);
    }
    if (naik_lock_acquire(comm, path, &lock) != NAIK_OK) {
        naik_log_clear(comm->log);
        goto done;
    }
    NAIK_TRY(naik_path_append(comm->log, path, ".part", name));
    NAIK_TRY(naik_file_size(comm, name, &part)); /* of a job that began a moment ago */
    if (part < 0) {
        NAIK_TRY(naik_path_append(comm->log, path, ".journal", name));
        NAIK_TRY(naik_file_remove(comm, name));
    }
done:
    naik_lock_release(comm, &lock);
    return status;
}

/* PATH itself: complete, of this input, open for reading. */
static naik_status open_complete(naik_propagator_file *file, const naik_propagator_spec *spec)
{
    naik_comm *comm = file->comm;
    if (naik_h5_open(comm, file->path, false, &file->h5) != NAIK_OK) {
        naik_log_clear(comm->log);
    }
    NAIK_PASS(naik_comm_agree(comm, naik_prop_expect_complete(comm->log, file->h5, file->path)));
    file->plan->store = file->plan->store && !file->until_contracted;
    NAIK_PASS(naik_prop_compare(file, file->path, spec));
    NAIK_PASS(naik_prop_load_records(file, false));
    file->resumed = naik_prop_count_done(file);
    if (file->resumed != file->plan->solve_count) {
        return NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT,
                         "%s calls itself complete, but the records of %d solves are damaged",
                         file->path, file->plan->solve_count - file->resumed);
    }
    NAIK_PASS(naik_prop_expect_solutions(file));
    file->complete = true;
    return naik_propagator_file_tidy(comm, file->path);
}

/* The open .part has lost its propagators: all must be there that was made of them, but what
 * follows from the rest. */
static naik_status continue_contracted(naik_propagator_file *file)
{
    int bad = 0;
    file->plan->store = false;
    NAIK_PASS(naik_prop_verify(file, false, &bad));
    NAIK_PASS(naik_prop_check_contractions(file, false, &bad));
    bad += file->plan->solve_count - naik_prop_count_done(file);
    if (bad > 0) {
        return NAIK_FAIL(file->comm->log, NAIK_ERR_CORRUPT,
                         "%d solves or contractions of %s are damaged, and the propagators that "
                         "they came from are gone: begin again with --fresh",
                         bad, file->part);
    }
    return NAIK_OK;
}

/* .part opened for writing: verified and ready, or closed and *usable = false where it has no
 * state.
 */
static naik_status continue_part(naik_propagator_file *file, const naik_propagator_spec *spec,
                                 bool *usable)
{
    naik_comm *comm = file->comm;
    char state[32] = "";
    int64_t bytes = 0;
    int bad = 0;
    *usable = naik_h5_get_text(file->h5, "state", state, sizeof state);
    NAIK_PASS(naik_comm_broadcast(comm, usable, sizeof *usable, 0));
    NAIK_PASS(naik_comm_broadcast(comm, state, sizeof state, 0));
    NAIK_PASS(naik_comm_agree(comm, naik_prop_refuse_other(comm->log, file->h5, file->part)));
    if (!*usable) {
        NAIK_PASS(naik_file_reread(comm, file->part, 0, -1));
        NAIK_PASS(naik_h5_close(comm, &file->h5));
        return NAIK_OK;
    }
    NAIK_PASS(naik_prop_compare(file, file->part, spec));
    NAIK_PASS(naik_file_size(comm, file->part, &bytes));
    NAIK_PASS(naik_file_check_space(comm, file->part, bytes));
    NAIK_PASS(naik_file_reserve(comm, file->part));
    NAIK_PASS(naik_prop_load_records(file, true));
    if (file->until_contracted && H5Lexists(file->h5, "/prop/s0000/m00", H5P_DEFAULT) <= 0) {
        return continue_contracted(file);
    }
    NAIK_PASS(naik_prop_reset_retries(file));
    NAIK_PASS(naik_prop_verify(file, true, &bad));
    NAIK_PASS(naik_prop_reset_derived(file));
    NAIK_PASS(naik_prop_keep_journal(file));
    if (strcmp(state, "complete") == 0 && naik_prop_count_done(file) < file->plan->solve_count) {
        NAIK_PASS(naik_h5_close(comm, &file->h5));
        NAIK_PASS(naik_prop_change_state(file, "incomplete"));
        NAIK_PASS(naik_h5_open(comm, file->part, true, &file->h5));
    }
    return NAIK_OK;
}

/* Opens .part; *opened = false where the disk gives its bytes, but HDF5 finds no file in them. What
 * the disk refused may be given a moment later: then a second try decides. */
static naik_status open_part(naik_propagator_file *file, bool *opened)
{
    naik_comm *comm = file->comm;
    *opened = false;
    for (int attempt = 0; attempt < 2 && !*opened; attempt++) {
        *opened = naik_h5_open(comm, file->part, true, &file->h5) == NAIK_OK;
        if (!*opened) {
            NAIK_PASS(naik_file_reread(comm, file->part, 0, -1));
            naik_log_clear(comm->log);
        }
    }
    return NAIK_OK;
}

/* With the lock held: finds or makes an open .part. */
static naik_status prepare_part(naik_propagator_file *file, const naik_propagator_spec *spec)
{
    naik_comm *comm = file->comm;
    bool rebuild = false, usable = false, opened = false;
    int64_t bytes = -1;
    NAIK_PASS(naik_prop_find_quarantined(file, &rebuild));
    NAIK_PASS(naik_file_size(comm, file->part, &bytes));
    if (!rebuild && bytes >= 0) {
        NAIK_PASS(open_part(file, &opened));
        if (opened) {
            NAIK_PASS(continue_part(file, spec, &usable));
        }
        if (!usable) {
            NAIK_PASS(naik_prop_quarantine(file));
            NAIK_PASS(naik_prop_find_quarantined(file, &rebuild));
        }
    }
    if (!usable) {
        NAIK_PASS(naik_file_check_space(
            comm, file->part,
            naik_propagator_spec_bytes(spec, file->lattice->size, comm->io.alignment) + SPARE));
        NAIK_PASS(naik_prop_create(file, spec));
        file->begun = !rebuild;
    }
    NAIK_PASS(naik_prop_begin_session(file, spec));
    if (rebuild) {
        NAIK_PASS(naik_prop_rebuild(file));
        NAIK_PASS(naik_prop_reset_derived(file));
    }
    file->resumed = naik_prop_count_done(file);
    return naik_comm_agree(comm, naik_prop_start_watchdog(file, spec));
}

naik_status naik_propagator_file_precheck(const naik_lattice *lattice, const char *path,
                                          const naik_propagator_spec *spec)
{
    naik_comm *comm = lattice->comm;
    naik_status status = NAIK_OK;
    char part[NAIK_PATH_MAX];
    naik_prop_plan *plan = NULL;
    status = naik_prop_plan_create(comm->log, spec, lattice->size, &plan);
    naik_prop_plan_destroy(&plan);
    NAIK_PASS(naik_comm_agree(comm, status));
    return naik_output_precheck(
        comm, path, naik_propagator_spec_bytes(spec, lattice->size, comm->io.alignment) + SPARE,
        NAIK_BESIDE_SOLVE, part);
}

/* Solves of a complete file that gave up at a lower limit of iterations are done again, where the
 * propagators that are contracted with theirs are still there. */
static naik_status retry(naik_propagator_file *file)
{
    if (!file->until_contracted) {
        return naik_prop_reopen(file);
    }
    naik_log_warn(file->comm->log,
                  "%d solves of %s had reached a lower solver.max_iterations. Its propagators were "
                  "removed when all correlators were made, so only --fresh can solve them again",
                  naik_prop_count_retries(file), file->path);
    return NAIK_OK;
}

naik_status naik_propagator_file_open(const naik_lattice *lattice, const char *path,
                                      const naik_propagator_spec *spec, bool fresh,
                                      naik_propagator_file **out)
{
    naik_comm *comm = lattice->comm;
    naik_status status = NAIK_OK;
    naik_propagator_file *file = NULL;
    int64_t bytes = -1;
    naik_h5_guard guard;
    *out = NULL;
    naik_h5_guard_begin(&guard);
    status = make_handle(lattice, path, spec, &file);
    NAIK_TRY(naik_comm_agree(comm, status));
    file->replace = fresh;
    NAIK_TRY(naik_output_precheck(comm, path, 0, NAIK_BESIDE_SOLVE, file->part));
    NAIK_TRY(naik_file_size(comm, file->path, &bytes));
    if (bytes < 0 || fresh) {
        NAIK_TRY(naik_lock_acquire(comm, path, &file->lock));
        NAIK_TRY(naik_file_size(comm, file->path, &bytes)); /* finished while we waited? */
    }
    if (bytes >= 0 && !fresh) {
        naik_lock_release(comm, &file->lock);
        NAIK_TRY(open_complete(file, spec));
        if (naik_prop_count_retries(file) > 0) {
            NAIK_TRY(retry(file));
        }
    } else if (fresh) {
        NAIK_TRY(naik_prop_discard(file));
    }
    if (!file->complete) {
        NAIK_TRY(prepare_part(file, spec));
    }
    *out = file;
    file = NULL;
done:
    if (file != NULL) {
        status = naik_file_verdict(comm, naik_prop_path(file), status);
        /* ranks that read different things cannot close it together any more */
        file->broken = file->h5 >= 0 && comm->size > 1 &&
                       (status == NAIK_ERR_IO || status == NAIK_ERR_CORRUPT);
    }
    naik_propagator_file_close(&file);
    naik_h5_guard_end(&guard);
    return status;
}

/* A row of the history: what there is, then NaN. NULL without memory. */
static double *history_row(const naik_prop_plan *plan, const double *history, int count)
{
    double *row = malloc(((size_t)plan->history_stride + 1) * sizeof *row);
    for (int i = 0; row != NULL && i < plan->history_stride; i++) {
        row[i] = i < count ? history[i] : NAN;
    }
    return row;
}

naik_status naik_propagator_file_commit(naik_propagator_file *file, int solve,
                                        const double *solution, const double *correlators,
                                        const naik_solve_record *record, const double *history,
                                        int history_count)
{
    naik_comm *comm = file->comm;
    const naik_prop_plan *plan = file->plan;
    naik_status status = NAIK_OK;
    double *row = NULL;
    if (file->complete || solve < 0 || solve >= plan->solve_count ||
        record->state == NAIK_SOLVE_PENDING ||
        (plan->store && solution == NULL && !file->until_contracted) ||
        (naik_prop_corr_count(plan, plan->solve[solve].source) > 0 && correlators == NULL)) {
        return NAIK_FAIL(comm->log, NAIK_ERR_ARG, "solve %d cannot be committed as given", solve);
    }
    const struct naik_prop_solve *s = &plan->solve[solve];
    naik_solve_record mine = *record;
    mine.source = s->source;
    mine.mass = s->mass;
    mine.colour = s->colour;
    mine.session = file->session;
    mine.history_count = history_count;
    mine.time = (double)time(NULL);
    NAIK_PASS(naik_file_reserve_end(comm, &file->reservation));
    NAIK_TRY(naik_lock_confirm(comm, file->lock));
    NAIK_TRY(naik_comm_broadcast(comm, &mine, sizeof mine, 0));
    row = history_row(plan, history, history_count);
    if (row == NULL) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for a residual history");
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    naik_watchdog_arm(comm->watchdog, "writing a solution", file->io_limit_s);
    NAIK_TRY(naik_prop_commit(file, solve, solution, correlators, row, &mine));
done:
    naik_watchdog_disarm(comm->watchdog);
    /* After a failed write the ranks' views of the file differ, and closing it, which is
     * collective, may never end (seen with Open MPI). Everything committed has been flushed
     * already. */
    file->broken = file->broken || status == NAIK_ERR_IO;
    free(row);
    return status;
}

naik_status naik_propagator_file_read_solution(naik_propagator_file *file, int solve, double *out)
{
    naik_comm *comm = file->comm;
    naik_status status = NAIK_OK;
    naik_h5_field field = {.dataset = -1, .type = -1};
    uint32_t sum[2];
    naik_h5_guard guard;
    if (solve < 0 || solve >= file->plan->solve_count ||
        file->records[solve].state == NAIK_SOLVE_PENDING || !naik_prop_has_slab(file, solve)) {
        return NAIK_FAIL(comm->log, NAIK_ERR_ARG, "solve %d is not stored in %s", solve,
                         file->path);
    }
    const naik_solve_record *record = &file->records[solve];
    naik_h5_guard_begin(&guard);
    status = naik_prop_open_slab(file, solve, &field);
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_h5_field_read(file->lattice, &field, out, sum));
    if (sum[0] != record->suma || sum[1] != record->sumb) {
        char name[NAIK_PROP_SOLVE_TEXT];
        naik_prop_solve_text(file->plan, &file->plan->solve[solve], name);
        status = NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT,
                           "%s of %s is damaged: checksum %x %x, recorded %x %x", name, file->path,
                           sum[0], sum[1], record->suma, record->sumb);
    }
done:
    naik_prop_close_slab(&field);
    naik_h5_guard_end(&guard);
    status = naik_file_verdict(comm, naik_prop_path(file), status);
    return file->complete ? naik_h5_read_verdict(comm->log, status) : status;
}

naik_status naik_propagator_file_read_correlators(naik_propagator_file *file, int source, int mass,
                                                  double *out)
{
    naik_comm *comm = file->comm;
    naik_status status = NAIK_OK;
    if (!naik_propagator_file_has_all(file, source, mass)) {
        return NAIK_FAIL(comm->log, NAIK_ERR_ARG, "the correlators of source %d are not complete",
                         source);
    }
    if (comm->rank == 0) {
        status = naik_prop_sum_colours(file, source, mass, out);
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    return naik_comm_broadcast(comm, out,
                               (size_t)naik_prop_corr_count(file->plan, source) * sizeof *out, 0);
}

/* The closed .part again, by its own records. */
static naik_status verify_part(naik_propagator_file *file)
{
    naik_comm *comm = file->comm;
    naik_status status = NAIK_OK;
    int bad = 0;
    NAIK_TRY(naik_h5_open(comm, file->part, false, &file->h5));
    NAIK_TRY(naik_h5_confirm_metadata(comm, file->h5, file->part, "complete"));
    NAIK_TRY(naik_prop_load_records(file, true));
    NAIK_TRY(naik_prop_expect_solutions(file));
    NAIK_TRY(naik_prop_verify(file, false, &bad));
    bad += file->plan->solve_count - naik_prop_count_done(file);
    NAIK_TRY(naik_prop_check_contractions(file, true, &bad));
    if (bad > 0) {
        status =
            NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT,
                      "%d solves or contractions of %s did not read back as written: run again to "
                      "repeat them",
                      bad, file->part);
    }
done:
    status = naik_file_verdict(comm, file->part, status);
    naik_h5_close(comm, &file->h5);
    return status;
}

naik_status naik_propagator_file_finish(naik_propagator_file *file)
{
    naik_comm *comm = file->comm;
    naik_status status = NAIK_OK;
    if (file->complete) {
        return NAIK_OK;
    }
    if (naik_prop_count_done(file) < file->plan->solve_count) {
        return NAIK_FAIL(comm->log, NAIK_ERR_ARG, "%d solves are pending",
                         file->plan->solve_count - naik_prop_count_done(file));
    }
    NAIK_PASS(naik_file_reserve_end(comm, &file->reservation));
    NAIK_TRY(naik_lock_confirm(comm, file->lock));
    naik_watchdog_arm(comm->watchdog, "closing the output", file->io_limit_s);
    NAIK_TRY(naik_h5_flush(comm, file->h5));
    NAIK_TRY(naik_h5_close(comm, &file->h5));
    if (file->until_contracted && file->plan->store) {
        NAIK_TRY(naik_prop_leave_out(file));
    }
    NAIK_TRY(naik_prop_change_state(file, "complete"));
    naik_prop_stop_watchdog(file);
    NAIK_TRY(verify_part(file));
    NAIK_TRY(naik_lock_confirm(comm, file->lock)); /* verifying may have taken long */
    NAIK_TRY(naik_file_publish(comm, file->part, file->path, file->replace));
    file->complete = true;
    NAIK_TRY(naik_prop_discard(file)); /* the journal, and what an older rebuild may have left */
    naik_lock_release(comm, &file->lock);
    status = naik_h5_open(comm, file->path, false, &file->h5);
    NAIK_TRY(naik_file_verdict(comm, file->path, status));
done:
    naik_watchdog_disarm(comm->watchdog);
    file->broken = file->broken || (status == NAIK_ERR_IO && !file->complete);
    return status;
}
