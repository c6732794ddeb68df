/* access.c - the bytes of one solve in an open propagator file, and their commit
 *
 * Slabs are written by all ranks together; records, correlators and histories are small and are
 * written by rank 0 alone, which HDF5 allows because no metadata change.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "io/checksum.h"
#include "io/finite.h"
#include "io/prop/prop_file.h"

static naik_status open_dataset(naik_log *log, hid_t h5, const char *path, hid_t *out)
{
    *out = H5Dopen2(h5, path, H5P_DEFAULT);
    char what[NAIK_PROP_PATH];
    snprintf(what, sizeof what, "opening %.160s", path);
    return naik_h5_check(log, *out, what, __FILE__, __LINE__);
}

naik_status naik_prop_write_record(naik_propagator_file *file, int solve,
                                   const naik_disk_record *disk)
{
    naik_status status = NAIK_OK;
    const hsize_t start[1] = {(hsize_t)solve}, count[1] = {1};
    hid_t dataset = -1, type = -1;
    NAIK_TRY(open_dataset(file->comm->log, file->h5, "/solves", &dataset));
    type = naik_disk_record_type_of(dataset);
    NAIK_TRY(naik_h5_write_part(file->comm->log, dataset, type, start, count, disk));
done:
    naik_h5_release(dataset);
    naik_h5_release(type);
    return status;
}

naik_status naik_prop_open_slab(const naik_propagator_file *file, int solve, naik_h5_field *field)
{
    const struct naik_prop_solve *s = &file->plan->solve[solve];
    char path[NAIK_PROP_PATH];
    naik_prop_slab_path(s->source, s->mass, path);
    *field = (naik_h5_field){.dataset = -1,
                             .type = naik_prop_type(file->plan),
                             .bits = file->plan->precision,
                             .reals = naik_prop_reals(file->plan),
                             .lead = s->colour,
                             .rows = file->plan->spin == 1 ? 0 : 3,
                             .writers = file->writers};
    return open_dataset(file->comm->log, file->h5, path, &field->dataset);
}

void naik_prop_close_slab(naik_h5_field *field)
{
    naik_h5_release(field->dataset);
    naik_h5_release(field->type);
    field->dataset = field->type = -1;
}

/* Where row `row` of [..][extents[1]]..[extents[rank - 1]] numbers lies in the file. */
static naik_journal_place place_of_row(hid_t dataset, int rank, const hsize_t *extents, int row)
{
    hid_t type = H5Dget_type(dataset);
    naik_journal_place place = {.bytes = (int64_t)H5Tget_size(type)};
    naik_h5_release(type);
    for (int i = 1; i < rank; i++) {
        place.bytes *= (int64_t)extents[i];
    }
    place.offset = (int64_t)H5Dget_offset(dataset) + row * place.bytes;
    return place;
}

/* One row of a dataset of numbers of so many parts: index `row` in front, all of the rest; read into `in`,
 * or written from `out`, or neither. *place tells where it lies. */
static naik_status move_row(const naik_propagator_file *file, const char *path, int parts, int row,
                            void *in, const void *out, naik_journal_place *place)
{
    naik_log *log = file->comm->log;
    naik_status status = NAIK_OK;
    hsize_t start[4] = {(hsize_t)row}, count[4] = {0};
    hid_t dataset = -1, space = -1;
    hid_t type = parts == 2 ? naik_h5_complex(64) : H5Tcopy(H5T_IEEE_F64LE);
    NAIK_TRY(open_dataset(log, file->h5, path, &dataset));
    space = H5Dget_space(dataset);
    int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 1 || rank > 4 || H5Sget_simple_extent_dims(space, count, NULL) != rank ||
        (hsize_t)row >= count[0]) {
        status = NAIK_FAIL(log, NAIK_ERR_CORRUPT, "%s has another shape than its file", path);
        goto done;
    }
    count[0] = 1;
    if (in != NULL) {
        NAIK_TRY(naik_h5_read_part(log, dataset, type, start, count, in));
    } else if (out != NULL) {
        NAIK_TRY(naik_h5_write_part(log, dataset, type, start, count, out));
    }
    if (place != NULL) {
        *place = place_of_row(dataset, rank, count, row);
    }
done:
    naik_h5_release(type);
    naik_h5_release(space);
    naik_h5_release(dataset);
    return status;
}

static void per_colour_path(const naik_propagator_file *file, int source, int mass,
                            char path[NAIK_PROP_PATH])
{
    char group[NAIK_PROP_PATH];
    naik_prop_corr_path(file->plan, source, mass, group);
    snprintf(path, NAIK_PROP_PATH, "%.150s/per_colour", group);
}

/* What a solve has beside its slab, correlators [correlators][momenta][T][parts] of its colour and a
 * history row [history_stride]: written, or where both are NULL only found. Rank 0. */
static naik_status move_small(const naik_propagator_file *file, int solve,
                              const double *correlators, const double *history,
                              naik_journal_entry *entry)
{
    const struct naik_prop_solve *s = &file->plan->solve[solve];
    naik_status status = NAIK_OK;
    char path[NAIK_PROP_PATH];
    if (naik_prop_names_of(file->plan, s->source)->correlators > 0) {
        per_colour_path(file, s->source, s->mass, path);
        if (correlators != NULL) {
            NAIK_TRY(naik_refuse_not_finite(file->comm->log, correlators,
                                            naik_prop_corr_count(file->plan, s->source), 64, path));
        }
        NAIK_TRY(move_row(file, path, naik_prop_names_of(file->plan, s->source)->parts, s->colour,
                          NULL, correlators, &entry->correlators));
    }
    if (file->plan->history_stride > 0) {
        NAIK_TRY(move_row(file, "/solves_history", 1, solve, NULL, history, &entry->history));
    }
done:
    return status;
}

naik_status naik_prop_read_correlators(const naik_propagator_file *file, int solve, double *out)
{
    const struct naik_prop_solve *s = &file->plan->solve[solve];
    char path[NAIK_PROP_PATH];
    per_colour_path(file, s->source, s->mass, path);
    return move_row(file, path, naik_prop_names_of(file->plan, s->source)->parts, s->colour, out,
                    NULL, NULL);
}

naik_status naik_prop_read_history(const naik_propagator_file *file, int solve, double *out)
{
    return move_row(file, "/solves_history", 1, solve, out, NULL, NULL);
}

naik_status naik_prop_sum_colours(const naik_propagator_file *file, int source, int mass,
                                  double *out)
{
    naik_status status = NAIK_OK;
    const int64_t count = naik_prop_corr_count(file->plan, source);
    const int first = file->plan->source[source].first_solve + naik_prop_columns(file->plan) * mass;
    double *one = malloc((size_t)count * sizeof *one);
    if (one == NULL) {
        return NAIK_FAIL(file->comm->log, NAIK_ERR_MEMORY, "no memory for correlators");
    }
    for (int colour = 0; colour < naik_prop_columns(file->plan); colour++) {
        NAIK_TRY(naik_prop_read_correlators(file, first + colour, one));
        for (int64_t i = 0; i < count; i++) {
            out[i] = colour == 0 ? one[i] : out[i] + one[i];
        }
    }
done:
    free(one);
    return status;
}

/* A correlator [T] of one dataset, complex where that is; the numbers beside it have `parts`. */
static naik_status move_sum(naik_log *log, hid_t dataset, int times, const naik_prop_names *names,
                            int momentum, double *in, const double *out)
{
    naik_status status = NAIK_OK;
    const int parts = names->parts;
    const hsize_t start[1] = {0}, count[1] = {(hsize_t)times};
    const bool complex = naik_prop_is_complex(names, momentum);
    hid_t type = complex ? naik_h5_complex(64) : H5Tcopy(H5T_IEEE_F64LE);
    double *real = NULL; /* what lies packed where the numbers beside it are complex */
    if (!complex && parts == 2) {
        real = malloc((size_t)times * sizeof *real);
        if (real == NULL) {
            NAIK_TRY(NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for correlators"));
        }
    }
    for (int t = 0; real != NULL && in == NULL && t < times; t++) {
        // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): filled where `in` is NULL
        real[t] = out[2 * t];
    }
    if (in != NULL) {
        NAIK_TRY(naik_h5_read_part(log, dataset, type, start, count, real != NULL ? real : in));
    } else {
        NAIK_TRY(naik_h5_write_part(log, dataset, type, start, count, real != NULL ? real : out));
    }
    for (int t = 0; real != NULL && in != NULL && t < times; t++) {
        in[2 * t] = real[t];
        in[2 * t + 1] = 0;
    }
done:
    free(real);
    naik_h5_release(type);
    return status;
}

static naik_status move_sums(const naik_propagator_file *file, int source, int mass, double *in,
                             const double *out)
{
    const naik_prop_plan *plan = file->plan;
    const naik_prop_names *names = naik_prop_names_of(plan, source);
    naik_log *log = file->comm->log;
    naik_status status = NAIK_OK;
    char group[NAIK_PROP_PATH], path[NAIK_PROP_PATH + 2 * NAIK_PROP_NAME];
    hid_t dataset = -1;
    naik_prop_corr_path(plan, source, mass, group);
    for (int i = 0; i < names->correlators * names->momenta; i++) {
        const int momentum = i % names->momenta, reals = plan->size[3] * names->parts;
        const int64_t place = (int64_t)i * reals;
        snprintf(path, sizeof path, "%s/%s/%s", group, names->correlator[i / names->momenta],
                 names->momentum[momentum]);
        NAIK_TRY(open_dataset(log, file->h5, path, &dataset));
        if (out != NULL) {
            NAIK_TRY(naik_refuse_not_finite(log, out + place, reals, 64, path));
        }
        NAIK_TRY(move_sum(log, dataset, plan->size[3], names, momentum,
                          in != NULL ? in + place : NULL, out != NULL ? out + place : NULL));
        naik_h5_release(dataset);
        dataset = -1;
    }
done:
    naik_h5_release(dataset);
    return status;
}

naik_status naik_prop_write_sums(naik_propagator_file *file, int source, int mass,
                                 const double *sums)
{
    return move_sums(file, source, mass, NULL, sums);
}

naik_status naik_prop_read_sums(const naik_propagator_file *file, int source, int mass, double *out)
{
    return move_sums(file, source, mass, out, NULL);
}

/* The other columns are in: the sum belongs to the file now. Rank 0. */
static naik_status complete_sums(naik_propagator_file *file, int solve)
{
    const struct naik_prop_solve *s = &file->plan->solve[solve];
    const int first = solve - s->colour;
    naik_status status = NAIK_OK;
    if (naik_prop_names_of(file->plan, s->source)->correlators == 0) {
        return NAIK_OK;
    }
    for (int i = first; i < first + naik_prop_columns(file->plan); i++) {
        if (i != solve && file->records[i].state == NAIK_SOLVE_PENDING) {
            return NAIK_OK;
        }
    }
    double *sums = malloc((size_t)naik_prop_corr_count(file->plan, s->source) * sizeof *sums);
    if (sums == NULL) {
        return NAIK_FAIL(file->comm->log, NAIK_ERR_MEMORY, "no memory for correlators");
    }
    NAIK_TRY(naik_prop_sum_colours(file, s->source, s->mass, sums));
    NAIK_TRY(naik_prop_write_sums(file, s->source, s->mass, sums));
done:
    free(sums);
    return status;
}

static naik_journal_place place_of_slab(const naik_propagator_file *file,
                                        const naik_h5_field *field)
{
    const int64_t bytes = naik_prop_slab_bytes(file->plan);
    return (naik_journal_place){
        .offset = (int64_t)H5Dget_offset(field->dataset) + field->lead * bytes, .bytes = bytes};
}

naik_status naik_prop_locate(const naik_propagator_file *file, int solve, naik_journal_entry *entry)
{
    const naik_solve_record *record = &file->records[solve];
    const struct naik_prop_source *source = &file->plan->source[record->source];
    naik_status status = NAIK_OK;
    naik_h5_field field = {.dataset = -1, .type = -1};
    *entry =
        (naik_journal_entry){.solve = solve, .record = naik_disk_record_pack(record, source->set)};
    entry->record.correlators_crc = file->small_crc[2 * solve];
    entry->record.history_crc = file->small_crc[2 * solve + 1];
    naik_disk_record_set_crc(&entry->record);
    if (file->plan->store) {
        NAIK_TRY(naik_prop_open_slab(file, solve, &field));
        entry->slab = place_of_slab(file, &field);
    }
    NAIK_TRY(move_small(file, solve, NULL, NULL, entry));
done:
    naik_prop_close_slab(&field);
    return status;
}

static naik_status write_data(naik_propagator_file *file, int solve, const double *solution,
                              const double *correlators, const double *history,
                              naik_journal_entry *entry, uint32_t sum[2])
{
    naik_comm *comm = file->comm;
    naik_status status = NAIK_OK;
    naik_h5_field field = {.dataset = -1, .type = -1};
    if (file->plan->store) {
        status = naik_prop_open_slab(file, solve, &field);
        NAIK_TRY(naik_comm_agree(comm, status));
        NAIK_TRY(naik_h5_field_write(file->lattice, &field, solution, sum));
        entry->slab = place_of_slab(file, &field);
    }
    if (comm->rank == 0) {
        status = move_small(file, solve, correlators, history, entry);
        status = status != NAIK_OK ? status : complete_sums(file, solve);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_h5_flush(comm, file->h5));
done:
    naik_prop_close_slab(&field);
    return status;
}

static void crc_entry(const naik_propagator_file *file, int solve, const double *correlators,
                      const double *history, const naik_solve_record *record,
                      naik_journal_entry *entry)
{
    const naik_prop_plan *plan = file->plan;
    entry->solve = solve;
    entry->record = naik_disk_record_pack(record, plan->source[record->source].set);
    if (entry->correlators.bytes > 0) {
        entry->record.correlators_crc = naik_crc32(correlators, (size_t)entry->correlators.bytes);
    }
    if (entry->history.bytes > 0) {
        entry->record.history_crc = naik_crc32(history, (size_t)entry->history.bytes);
    }
    naik_disk_record_set_crc(&entry->record);
}

naik_status naik_prop_commit(naik_propagator_file *file, int solve, const double *solution,
                             const double *correlators, const double *history,
                             naik_solve_record *record)
{
    naik_comm *comm = file->comm;
    naik_status status = NAIK_OK;
    naik_journal_entry entry = {0};
    uint32_t sum[2] = {0, 0};
    NAIK_TRY(write_data(file, solve, solution, correlators, history, &entry, sum));
    record->suma = sum[0];
    record->sumb = sum[1];
    if (comm->rank == 0) {
        crc_entry(file, solve, correlators, history, record, &entry);
        status = naik_prop_write_record(file, solve, &entry.record);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_h5_flush(comm, file->h5));
    if (comm->rank == 0) {
        status = naik_journal_append(comm->log, file->journal, &entry);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    file->records[solve] = *record;
    file->small_crc[2 * solve] = entry.record.correlators_crc;
    file->small_crc[2 * solve + 1] = entry.record.history_crc;
done:
    return status;
}
