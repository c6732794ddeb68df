/* rebuild.c - a .part that HDF5 cannot open, saved by its journal
 *
 * The unopenable file and its journal are renamed to *.damaged (file first), a new .part is made,
 * and every solve whose bytes still agree with the checksum in the journal is committed to it.
 * The pair is removed at the end: until then a kill leaves it for the next run to begin again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "comm/new.h"
#include "io/checksum.h"
#include "io/prop/prop_file.h"
#include "io/reread.h"
#include "io/site_sums.h"
#include "io/sites.h"

typedef struct quarantine {
    char part[NAIK_PATH_MAX], journal[NAIK_PATH_MAX];
} quarantine;

static naik_status quarantined_paths(const naik_propagator_file *file, quarantine *out)
{
    NAIK_PASS(naik_path_append(file->comm->log, file->part, ".damaged", out->part));
    return naik_path_append(file->comm->log, file->journal, ".damaged", out->journal);
}

naik_status naik_prop_discard(naik_propagator_file *file)
{
    static const char *const endings[] = {"", ".damaged", ".state", ".state.new", ".new"};
    naik_comm *comm = file->comm;
    char path[NAIK_PATH_MAX];
    NAIK_PASS(naik_file_remove(comm, file->journal));
    NAIK_PASS(naik_path_append(comm->log, file->journal, ".damaged", path));
    NAIK_PASS(naik_file_remove(comm, path));
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        NAIK_PASS(naik_path_append(comm->log, file->part, endings[i], path));
        NAIK_PASS(naik_file_remove(comm, path));
    }
    return NAIK_OK;
}

/* Rank 0: the journal belongs to this input. Takes its choices. */
static naik_status check_identity(naik_propagator_file *file, const char *path)
{
    naik_journal *journal = NULL;
    naik_status status = naik_journal_read(file->comm->log, path, &journal);
    if (status == NAIK_OK && journal != NULL && !naik_prop_owns_journal(file, journal->identity)) {
        status = NAIK_FAIL(file->comm->log, NAIK_ERR_INPUT,
                           "%s cannot be opened any more, and its journal says that it is of "
                           "another input: choose another output.file or begin again with --fresh",
                           file->part);
    } else if (journal != NULL) {
        free(file->choices);
        file->choices = journal->choices;
        journal->choices = NULL;
    }
    naik_journal_destroy(&journal);
    return status;
}

naik_status naik_prop_quarantine(naik_propagator_file *file)
{
    naik_comm *comm = file->comm;
    naik_status status = NAIK_OK;
    quarantine old;
    NAIK_PASS(quarantined_paths(file, &old));
    if (comm->rank == 0) {
        status = check_identity(file, file->journal);
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    if (comm->rank == 0 && access(file->journal, F_OK) != 0) {
        /* The journal is the last thing to be made: nothing can be stored yet. */
        naik_file_head head;
        status = naik_file_head_read(comm->log, file->part, "the unfinished output", &head);
        if (status == NAIK_OK && head.length == 0 && head.size_bytes > 0) {
            status = NAIK_FAIL(comm->log, NAIK_ERR_IO, "%s cannot be read", file->part);
        }
        if (status == NAIK_OK) {
            naik_log_warn(comm->log, "%s was interrupted before it was whole: naik begins it again",
                          file->part);
        }
    } else if (comm->rank == 0 &&
               (rename(file->part, old.part) != 0 || rename(file->journal, old.journal) != 0)) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_IO, "%s cannot be renamed: %s", file->part,
                           strerror(errno));
    }
    return naik_comm_agree(comm, status);
}

naik_status naik_prop_find_quarantined(naik_propagator_file *file, bool *found)
{
    naik_comm *comm = file->comm;
    naik_status status = NAIK_OK;
    quarantine old;
    int32_t both = 0;
    NAIK_PASS(quarantined_paths(file, &old));
    if (comm->rank == 0 && access(old.part, R_OK) == 0) {
        /* Killed between the two renames: the journal still lies where it was. */
        if (access(old.journal, R_OK) != 0 && access(file->part, F_OK) != 0) {
            rename(file->journal, old.journal);
        }
        both = access(old.journal, R_OK) == 0;
        status = both ? check_identity(file, old.journal) : NAIK_OK;
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    NAIK_PASS(naik_comm_broadcast(comm, &both, sizeof both, 0));
    if (both) {
        NAIK_PASS(naik_prop_share_choices(file, old.part));
    }
    *found = both != 0;
    return NAIK_OK;
}

typedef struct slab_reader {
    const naik_lattice *lattice;
    int precision;
    naik_site_sums *sums;
    int reals;   /* of a site */
    double *out; /* [sites][reals] */
} slab_reader;

static void take_row(void *context, const naik_sites_row *row)
{
    slab_reader *reader = context;
    double *out = reader->out + reader->reals * (int64_t)naik_sites_local(reader->lattice, row);
    naik_reals_decode(row->bytes, reader->reals * (int64_t)row->count, reader->precision, false,
                      out);
    naik_site_sums_add(reader->sums, row->number, row->count, row->bytes);
}

/* The slab at its offset in the damaged file; *intact where its checksum agrees. */
static naik_status read_slab(naik_propagator_file *file, const char *path,
                             const naik_journal_entry *entry, double *out, bool *intact)
{
    naik_status status = NAIK_OK;
    const int reals = naik_prop_reals(file->plan);
    slab_reader reader = {
        .lattice = file->lattice, .precision = file->plan->precision, .reals = reals, .out = out};
    const int site_bytes = reals * file->plan->precision / 8;
    naik_sites_box box = naik_sites_of_lattice(file->lattice, entry->slab.offset, site_bytes);
    uint32_t sum[2];
    *intact = false;
    if (entry->slab.offset < 0 || entry->slab.bytes != naik_prop_slab_bytes(file->plan)) {
        return NAIK_OK;
    }
    NAIK_TRY(naik_site_sums_create(file->comm, site_bytes, &reader.sums));
    if (naik_sites_read(file->comm, path, &box, take_row, &reader) != NAIK_OK) {
        naik_log_clear(file->comm->log); /* truncated: not there any more */
        goto done;
    }
    NAIK_TRY(naik_site_sums_combine(reader.sums, sum));
    *intact = sum[0] == entry->record.suma && sum[1] == entry->record.sumb;
done:
    naik_site_sums_destroy(&reader.sums);
    return status;
}

/* Rank 0: bytes of the damaged file with their crc. */
static bool read_place(const char *path, const naik_journal_place *place, int64_t bytes,
                       uint32_t crc, double *out)
{
    if (place->bytes != bytes || place->offset < 0) {
        return false;
    }
    if (bytes == 0) {
        return true;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 && pread(fd, out, (size_t)bytes, place->offset) == bytes &&
              naik_crc32(out, (size_t)bytes) == crc;
    if (fd >= 0) {
        close(fd);
    }
    return ok;
}

typedef struct scratch {
    double *solution, *correlators, *history;
} scratch;

static naik_status rebuild_one(naik_propagator_file *file, const char *path,
                               const naik_journal_entry *entry, const scratch *s, int *saved)
{
    naik_comm *comm = file->comm;
    naik_solve_record record;
    int32_t ok = entry->solve >= 0 && entry->solve < file->plan->solve_count &&
                 naik_disk_record_unpack(&entry->record, &record);
    bool intact = true;
    if (!ok || file->records[entry->solve].state != NAIK_SOLVE_PENDING) {
        return NAIK_OK;
    }
    if (file->plan->store && naik_prop_is_left_out(&record)) { /* no journal has what was made */
        return NAIK_OK;
    }
    if (file->plan->store) {
        NAIK_PASS(read_slab(file, path, entry, s->solution, &intact));
    }
    if (comm->rank == 0 && intact) {
        int64_t correlators =
            naik_prop_corr_count(file->plan, file->plan->solve[entry->solve].source) *
            (int64_t)sizeof(double);
        int64_t history = file->plan->history_stride * (int64_t)sizeof(double);
        ok = read_place(path, &entry->correlators, correlators, entry->record.correlators_crc,
                        s->correlators) &&
             read_place(path, &entry->history, history, entry->record.history_crc, s->history);
    }
    NAIK_PASS(naik_comm_broadcast(comm, &ok, sizeof ok, 0));
    if (!ok || !intact) { /* the pair is removed in the end: what it holds must be known */
        NAIK_PASS(naik_file_reread(comm, path, 0, -1));
    }
    if (ok && intact) {
        NAIK_PASS(
            naik_prop_commit(file, entry->solve, s->solution, s->correlators, s->history, &record));
        ++*saved;
    }
    return NAIK_OK;
}

/* Every rank gets rank 0's journal, the latest entry first; *count = -1 where it cannot be read. */
static naik_status share_journal(naik_propagator_file *file, const char *path, int *count,
                                 naik_journal_entry **entries)
{
    naik_comm *comm = file->comm;
    naik_status status = NAIK_OK;
    naik_journal *journal = NULL;
    *count = 0;
    *entries = NULL;
    if (comm->rank == 0) {
        status = naik_journal_read(comm->log, path, &journal);
        *count = journal != NULL ? journal->count : -1;
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_comm_broadcast(comm, count, sizeof *count, 0));
    const int lines = *count > 0 ? *count : 0;
    NAIK_TRY(naik_new(comm, ((size_t)lines + 1) * sizeof **entries, "a journal", (void **)entries));
    for (int i = 0; i < lines && journal != NULL; i++) {
        (*entries)[i] = journal->entries[lines - 1 - i];
    }
    NAIK_TRY(naik_comm_broadcast(comm, *entries, (size_t)lines * sizeof **entries, 0));
done:
    naik_journal_destroy(&journal);
    return status;
}

/* Nothing of it could be saved: what it is worth is for its owner to say. */
static naik_status keep_pair(naik_propagator_file *file, const quarantine *old)
{
    naik_log *log = file->comm->log;
    naik_status status = NAIK_OK;
    quarantine kept;
    NAIK_PASS(naik_path_append(log, old->part, ".kept", kept.part));
    NAIK_PASS(naik_path_append(log, old->journal, ".kept", kept.journal));
    if (file->comm->rank == 0 &&
        (rename(old->journal, kept.journal) != 0 || rename(old->part, kept.part) != 0)) {
        status =
            NAIK_FAIL(log, NAIK_ERR_IO, "%s cannot be renamed: %s", old->part, strerror(errno));
    }
    NAIK_PASS(naik_comm_agree(file->comm, status));
    naik_log_warn(log,
                  "%s could not be opened, and its journal saved no solve: naik keeps it as %s; "
                  "remove that file when you do not need it",
                  file->part, kept.part);
    return NAIK_OK;
}

naik_status naik_prop_rebuild(naik_propagator_file *file)
{
    naik_comm *comm = file->comm;
    naik_status status = NAIK_OK;
    quarantine old;
    int count = 0, saved = 0;
    naik_journal_entry *entries = NULL;
    scratch s = {0};
    NAIK_TRY(quarantined_paths(file, &old));
    NAIK_TRY(share_journal(file, old.journal, &count, &entries));
    status =
        naik_alloc(comm->log, (size_t)file->plan->spin * naik_lattice_vector_bytes(file->lattice),
                   "rebuilding propagators", (void **)&s.solution);
    s.correlators = calloc((size_t)naik_prop_corr_most(file->plan) + 1, sizeof(double));
    s.history = calloc((size_t)file->plan->history_stride + 1, sizeof(double));
    if (status == NAIK_OK && (s.correlators == NULL || s.history == NULL)) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for rebuilding");
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    for (int i = 0; i < count; i++) {
        NAIK_TRY(rebuild_one(file, old.part, &entries[i], &s, &saved));
    }
    if (saved == 0 && count != 0) {
        NAIK_TRY(keep_pair(file, &old));
        goto done;
    }
    naik_log_warn(comm->log, "%s could not be opened: %d solves were saved by its journal",
                  file->part, saved);
    NAIK_TRY(naik_file_remove(comm, old.part));
    NAIK_TRY(naik_file_remove(comm, old.journal));
done:
    naik_free(s.solution);
    free(s.correlators);
    free(s.history);
    free(entries);
    return status;
}
