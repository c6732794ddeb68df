/* access.c - the bytes of one solve in an open propagator file, and their commit
 *
 * Slabs are written by all ranks together; records, correlators and histories are small and are
 * written by rank 0 alone, which HDF5 allows because no metadata change.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/checksum.h"
#include "io/finite.h"
#include "io/h5/numbers.h"
#include "io/prop/prop_file.h"

/* A dataset of a propagator file, as its plan has it. */
typedef struct shape {
    char path[NAIK_PROP_PATH + 2 * NAIK_PROP_NAME];
    hid_t type; /* owned */
    int rank;
    hsize_t dims[6];
} shape;

/* Opens a dataset that is stored as told, and no other: HDF5 does not survive what a damaged file may
 * claim instead. */
static naik_status open_dataset(naik_log *log, hid_t h5, const shape *shape, hid_t *out)
{
    naik_status status = NAIK_OK;
    char what[NAIK_PROP_PATH];
    hsize_t found[6] = {0};
    int64_t bytes = (int64_t)H5Tget_size(shape->type);
    hid_t space = -1;
    snprintf(what, sizeof what, "opening %.160s", shape->path);
    *out = H5Dopen2(h5, shape->path, H5P_DEFAULT);
    NAIK_H5_TRY(log, *out, what);
    space = H5Dget_space(*out);
    bool same = H5Sget_simple_extent_ndims(space) == shape->rank &&
                H5Sget_simple_extent_dims(space, found, NULL) == shape->rank &&
                naik_h5_is_stored_as(*out, shape->type);
    for (int i = 0; i < shape->rank; i++) {
        same = same && found[i] == shape->dims[i];
        bytes *= (int64_t)shape->dims[i];
    }
    if (!same || !naik_h5_layout_holds(*out, bytes)) {
        status =
            NAIK_FAIL(log, NAIK_ERR_CORRUPT, "%s has another shape than its file", shape->path);
        naik_h5_release(*out);
        *out = -1;
    }
done:
    naik_h5_release(space);
    return status;
}

static naik_status write_record(naik_propagator_file *file, int solve, const naik_disk_record *disk)
{
    naik_status status = NAIK_OK;
    const hsize_t start[1] = {(hsize_t)solve}, count[1] = {1};
    hid_t dataset = -1, type = -1;
    dataset = H5Dopen2(file->h5, "/solves", H5P_DEFAULT);
    NAIK_H5_TRY(file->comm->log, dataset, "opening /solves");
    type = naik_disk_record_type_of(dataset);
    NAIK_TRY(naik_h5_write_part(file->comm->log, dataset, type, start, count, disk));
done:
    naik_h5_release(dataset);
    naik_h5_release(type);
    return status;
}

naik_status naik_prop_write_pending(naik_propagator_file *file, int solve)
{
    const naik_solve_record pending = naik_prop_pending(file->plan, solve);
    const naik_disk_record disk =
        naik_disk_record_pack(&pending, file->plan->source[pending.source].set);
    return write_record(file, solve, &disk);
}

naik_status naik_prop_open_slab(const naik_propagator_file *file, int solve, naik_h5_field *field)
{
    const struct naik_prop_solve *s = &file->plan->solve[solve];
    const int *n = file->plan->size;
    const hsize_t dims[6] = {
        (hsize_t)file->plan->spin, 3, (hsize_t)n[3], (hsize_t)n[2], (hsize_t)n[1], (hsize_t)n[0]};
    const bool spins = file->plan->spin > 1;
    shape shape = {.type = naik_prop_type(file->plan), .rank = spins ? 6 : 5};
    memcpy(shape.dims, dims + !spins, (size_t)shape.rank * sizeof *dims);
    naik_prop_slab_path(s->source, s->mass, shape.path);
    *field = (naik_h5_field){.dataset = -1,
                             .type = shape.type,
                             .bits = file->plan->precision,
                             .reals = naik_prop_reals(file->plan),
                             .lead = s->colour,
                             .rows = spins ? 3 : 0,
                             .writers = file->comm->io.writers};
    return open_dataset(file->comm->log, file->h5, &shape, &field->dataset);
}

void naik_prop_close_slab(naik_h5_field *field)
{
    naik_h5_release(field->dataset);
    naik_h5_release(field->type);
    field->dataset = field->type = -1;
}

/* One row of a dataset: index `row` in front, all of the rest; read into `in`, or written from `out`, or
 * neither. *place tells where the row lies. */
static naik_status move_row(const naik_propagator_file *file, const shape *shape, int row, void *in,
                            const void *out, naik_journal_place *place)
{
    naik_log *log = file->comm->log;
    naik_status status = NAIK_OK;
    const hsize_t start[6] = {(hsize_t)row};
    hsize_t count[6];
    hid_t dataset = -1;
    memcpy(count, shape->dims, sizeof count);
    count[0] = 1;
    NAIK_TRY(open_dataset(log, file->h5, shape, &dataset));
    if (in != NULL) {
        NAIK_TRY(naik_h5_read_part(log, dataset, shape->type, start, count, in));
    } else if (out != NULL) {
        NAIK_TRY(naik_h5_write_part(log, dataset, shape->type, start, count, out));
    }
    if (place != NULL) {
        place->bytes = (int64_t)H5Tget_size(shape->type);
        for (int i = 1; i < shape->rank; i++) {
            place->bytes *= (int64_t)count[i];
        }
        place->offset = (int64_t)H5Dget_offset(dataset) + row * place->bytes;
    }
done:
    naik_h5_release(shape->type);
    naik_h5_release(dataset);
    return status;
}

static void per_colour_path(const naik_prop_plan *plan, int source, int mass,
                            char path[NAIK_PROP_PATH + 2 * NAIK_PROP_NAME])
{
    char group[NAIK_PROP_PATH];
    naik_prop_corr_path(plan, source, mass, group);
    snprintf(path, NAIK_PROP_PATH + 2 * NAIK_PROP_NAME, "%s/per_colour", group);
}

static shape per_colour(const naik_propagator_file *file, int source, int mass)
{
    const naik_prop_plan *plan = file->plan;
    const naik_prop_names *names = naik_prop_names_of(plan, source);
    shape out = {.type = naik_prop_number_type(names),
                 .rank = 4,
                 .dims = {(hsize_t)naik_prop_columns(plan), (hsize_t)names->correlators,
                          (hsize_t)names->momenta, (hsize_t)plan->size[3]}};
    per_colour_path(plan, source, mass, out.path);
    return out;
}

static shape histories(const naik_propagator_file *file)
{
    return (shape){.path = "/solves_history",
                   .type = H5Tcopy(H5T_IEEE_F64LE),
                   .rank = 2,
                   .dims = {(hsize_t)file->plan->solve_count, (hsize_t)file->plan->history_stride}};
}

/* What a solve has beside its slab, correlators [correlators][momenta][T][parts] of its colour and a
 * history row [history_stride]: written, or where both are NULL only found. Rank 0. */
static naik_status move_small(const naik_propagator_file *file, int solve,
                              const double *correlators, const double *history,
                              naik_journal_entry *entry)
{
    const struct naik_prop_solve *s = &file->plan->solve[solve];
    if (correlators != NULL) {
        char path[NAIK_PROP_PATH + 2 * NAIK_PROP_NAME];
        per_colour_path(file->plan, s->source, s->mass, path);
        NAIK_PASS(naik_refuse_not_finite(file->comm->log, correlators,
                                         naik_prop_corr_count(file->plan, s->source), 64, path));
    }
    if (naik_prop_names_of(file->plan, s->source)->correlators > 0) {
        const shape numbers = per_colour(file, s->source, s->mass);
        NAIK_PASS(move_row(file, &numbers, s->colour, NULL, correlators, &entry->correlators));
    }
    if (file->plan->history_stride > 0) {
        const shape rows = histories(file);
        NAIK_PASS(move_row(file, &rows, solve, NULL, history, &entry->history));
    }
    return NAIK_OK;
}

naik_status naik_prop_read_correlators(const naik_propagator_file *file, int solve, double *out)
{
    const struct naik_prop_solve *s = &file->plan->solve[solve];
    const shape numbers = per_colour(file, s->source, s->mass);
    return move_row(file, &numbers, s->colour, out, NULL, NULL);
}

naik_status naik_prop_read_history(const naik_propagator_file *file, int solve, double *out)
{
    const shape rows = histories(file);
    return move_row(file, &rows, solve, out, NULL, NULL);
}

bool naik_propagator_file_has_all(const naik_propagator_file *file, int source, int mass)
{
    const int first = naik_prop_first(file->plan, source, mass);
    bool all = true;
    for (int i = first; i < first + naik_prop_columns(file->plan); i++) {
        all = all && file->records[i].state != NAIK_SOLVE_PENDING;
    }
    return all;
}

naik_status naik_prop_sum_colours(const naik_propagator_file *file, int source, int mass,
                                  double *out)
{
    naik_status status = NAIK_OK;
    const int64_t count = naik_prop_corr_count(file->plan, source);
    const int first = naik_prop_first(file->plan, source, mass);
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

/* Correlator `index` [T][parts] of a source and mass: a dataset [T], real where its momentum vanishes,
 * though the numbers beside it be complex. */
static naik_status move_sum(const naik_propagator_file *file, int source, int mass, int index,
                            double *in, const double *out)
{
    naik_log *log = file->comm->log;
    const naik_prop_plan *plan = file->plan;
    const naik_prop_names *names = naik_prop_names_of(plan, source);
    const int momentum = index % names->momenta, times = plan->size[3], parts = names->parts;
    const bool complex = naik_prop_is_complex(names, momentum);
    naik_status status = NAIK_OK;
    char group[NAIK_PROP_PATH];
    shape shape = {.type = complex ? naik_h5_complex(64) : H5Tcopy(H5T_IEEE_F64LE),
                   .rank = 1,
                   .dims = {(hsize_t)times}};
    hid_t dataset = -1;
    const hsize_t start[1] = {0};
    const int step = complex ? 1 : parts; /* of what lies in the file */
    double *packed = calloc(2 * (size_t)times, sizeof *packed);
    naik_prop_corr_path(plan, source, mass, group);
    snprintf(shape.path, sizeof shape.path, "%s/%s/%s", group,
             names->correlator[index / names->momenta], names->momentum[momentum]);
    if (packed == NULL) {
        status = NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for correlators");
        goto done;
    }
    NAIK_TRY(open_dataset(log, file->h5, &shape, &dataset));
    if (in != NULL) {
        NAIK_TRY(naik_h5_read_part(log, dataset, shape.type, start, shape.dims, packed));
        memset(in, 0, (size_t)(times * parts) * sizeof *in);
        for (int i = 0; i < times * parts; i += step) {
            in[i] = packed[i / step];
        }
    } else {
        NAIK_TRY(naik_refuse_not_finite(log, out, times * parts, 64, shape.path));
        for (int i = 0; i < times * parts; i += step) {
            // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): filled where `in` is NULL
            packed[i / step] = out[i];
        }
        NAIK_TRY(naik_h5_write_part(log, dataset, shape.type, start, shape.dims, packed));
    }
done:
    free(packed);
    naik_h5_release(shape.type);
    naik_h5_release(dataset);
    return status;
}

naik_status naik_prop_read_sum(const naik_propagator_file *file, int source, int mass, int index,
                               double *out)
{
    return move_sum(file, source, mass, index, out, NULL);
}

static naik_status move_sums(const naik_propagator_file *file, int source, int mass, double *in,
                             const double *out)
{
    const naik_prop_names *names = naik_prop_names_of(file->plan, source);
    naik_status status = NAIK_OK;
    for (int i = 0; i < names->correlators * names->momenta && status == NAIK_OK; i++) {
        const int64_t place = (int64_t)i * file->plan->size[3] * names->parts;
        status = move_sum(file, source, mass, i, in != NULL ? in + place : NULL,
                          out != NULL ? out + place : NULL);
    }
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
    if (naik_prop_has_slab(file, solve)) {
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
    if (file->plan->store && solution == NULL) {
        sum[0] = sum[1] = NAIK_PROP_LEFT_OUT;
    } else if (file->plan->store) {
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
    NAIK_PASS(write_data(file, solve, solution, correlators, history, &entry, sum));
    record->suma = sum[0];
    record->sumb = sum[1];
    if (comm->rank == 0) {
        crc_entry(file, solve, correlators, history, record, &entry);
        status = write_record(file, solve, &entry.record);
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    NAIK_PASS(naik_h5_flush(comm, file->h5));
    if (comm->rank == 0) {
        status = naik_journal_append(comm->log, file->journal, &entry);
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    file->records[solve] = *record;
    file->small_crc[2 * solve] = entry.record.correlators_crc;
    file->small_crc[2 * solve + 1] = entry.record.history_crc;
    return NAIK_OK;
}
