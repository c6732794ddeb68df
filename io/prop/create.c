/* create.c - the empty propagator file: every dataset and attribute, before the first solve
 *
 * From here on only data are written: metadata that never change cannot be torn by a kill. The
 * attribute `state` comes last, so a file without it was interrupted in its making. Rank 0 makes
 * it, with the file to itself (h5.h says why).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/h5/metadata_crc.h"
#include "io/prop/contractions.h"
#include "io/prop/prop_file.h"
#include "io/prop/quark_attributes.h"
#include "io/provenance.h"

typedef naik_status work_alone(naik_propagator_file *file, const void *data);

typedef struct file_alone {
    naik_propagator_file *file;
    work_alone *work;
    const void *data;
} file_alone;

static naik_status work_and_close(naik_comm *alone, void *data)
{
    const file_alone *f = data;
    naik_comm *all = f->file->comm;
    f->file->comm = alone;
    naik_status status = f->work(f->file, f->data);
    status = status == NAIK_OK ? naik_h5_close(alone, &f->file->h5) : status;
    f->file->comm = all;
    return status;
}

/* Rank 0 opens file->h5 in `work`, as a communicator of its own; here it is closed. Collective,
 * agrees. */
static naik_status by_rank_0(naik_propagator_file *file, work_alone *work, const void *data)
{
    file_alone alone = {.file = file, .work = work, .data = data};
    const naik_status status = naik_h5_by_rank_0(file->comm, work_and_close, &alone);
    if (status != NAIK_OK) {
        file->h5 = -1;
    }
    return status;
}

static naik_status open_and_set(naik_propagator_file *file, const void *state)
{
    NAIK_PASS(naik_h5_open(file->comm, file->part, true, &file->h5));
    NAIK_PASS(naik_h5_set_text(file->comm->log, file->h5, "state", state));
    return naik_h5_flush(file->comm, file->h5);
}

naik_status naik_prop_change_state(naik_propagator_file *file, const char *state)
{
    return by_rank_0(file, open_and_set, state);
}

/* The quarks stand here too, because a file without propagators has no other place for those of an entry without
 * correlators of its own. */
static naik_status put_source(naik_log *log, hid_t h5, int number, const naik_solve_set *set,
                              const naik_source_info *source)
{
    naik_status status = NAIK_OK;
    char name[NAIK_PROP_PATH];
    hid_t group = -1;
    naik_prop_source_path(number, name);
    NAIK_TRY(naik_h5_group(log, h5, name, &group));
    NAIK_TRY(naik_h5_put_text(log, group, "solve_set", set->name));
    NAIK_TRY(naik_prop_put_quarks(log, group, set->quarks, set->quark, set->mass_count));
    NAIK_TRY(naik_h5_put_text(log, group, "type", source->type));
    NAIK_TRY(naik_h5_put_ints(log, group, "origin", source->origin, NAIK_DIM));
    NAIK_TRY(naik_h5_put_ints(log, group, "momentum", source->momentum, NAIK_DIM - 1));
    NAIK_TRY(naik_h5_put_text(log, group, "subset", source->subset));
    if (source->has_seed) {
        char seed[24];
        snprintf(seed, sizeof seed, "%llu", (unsigned long long)source->seed);
        NAIK_TRY(naik_h5_put_text(log, group, "seed", seed));
    }
    NAIK_TRY(naik_h5_put_text(log, group, "generator", source->generator));
    NAIK_TRY(naik_h5_put_text(log, group, "smearing", source->smearing));
    if (memcmp(source->x0, source->origin, sizeof source->x0) != 0) {
        NAIK_TRY(naik_h5_put_ints(log, group, "phases_from", source->x0, NAIK_DIM));
    }
    if (source->colours != NULL) {
        NAIK_TRY(naik_h5_put_text(log, group, "colours", source->colours));
    }
done:
    naik_h5_release(group);
    return status;
}

static naik_status put_solve_attributes(naik_log *log, hid_t object,
                                        const naik_propagator_spec *spec, const naik_solve_set *set,
                                        int source, int mass)
{
    NAIK_PASS(naik_h5_put_text(log, object, "solve_set", set->name));
    NAIK_PASS(naik_prop_put_quark(log, object, &set->quarks[set->quark[mass]]));
    NAIK_PASS(naik_h5_put_ints(log, object, "source_index", &source, 0));
    NAIK_PASS(naik_h5_put_ints(log, object, "mass_index", &mass, 0));
    return naik_h5_put_text(log, object, "boundary_t", spec->boundary_t);
}

static naik_status make_propagator(naik_propagator_file *file, const naik_propagator_spec *spec,
                                   const naik_solve_set *set, int source, int mass)
{
    naik_log *log = file->comm->log;
    const int *n = file->plan->size;
    const char *colours = set->sources[file->plan->source[source].within].colours;
    naik_status status = NAIK_OK;
    char name[NAIK_PROP_PATH];
    const bool spins = file->plan->spin > 1;
    const hsize_t dims[6] = {
        (hsize_t)file->plan->spin, 3, (hsize_t)n[3], (hsize_t)n[2], (hsize_t)n[1], (hsize_t)n[0]};
    hid_t type = naik_prop_type(file->plan), dataset = -1;
    naik_prop_slab_path(source, mass, name);
    NAIK_TRY(
        naik_h5_dataset(log, file->h5, name, type, spins ? 6 : 5, dims + !spins, NULL, &dataset));
    NAIK_TRY(put_solve_attributes(log, dataset, spec, set, source, mass));
    NAIK_TRY(naik_h5_put_text(log, dataset, "normalisation", spec->kind->normalisation));
    NAIK_TRY(naik_h5_put_text(log, dataset, "index_order", spec->kind->index_order));
    if (colours != NULL) {
        NAIK_TRY(naik_h5_put_text(log, dataset, "colours", colours));
    }
done:
    naik_h5_release(dataset);
    naik_h5_release(type);
    return status;
}

static naik_status make_correlator(naik_log *log, hid_t group, const naik_prop_names *names,
                                   const int *momentum, const char *source_type, int extent, int c,
                                   int p)
{
    naik_status status = NAIK_OK;
    char name[NAIK_PROP_PATH];
    const double nan_value = NAN;
    const hsize_t dims[1] = {(hsize_t)extent};
    hid_t dataset = -1;
    hid_t type = naik_prop_is_complex(names, p) ? naik_h5_complex(64) : H5Tcopy(H5T_IEEE_F64LE);
    snprintf(name, sizeof name, "%s/%s", names->correlator[c], names->momentum[p]);
    NAIK_TRY(naik_h5_dataset(log, group, name, type, 1, dims, &nan_value, &dataset));
    NAIK_TRY(naik_h5_put_ints(log, dataset, "momentum", momentum, NAIK_DIM - 1));
    NAIK_TRY(naik_h5_put_text(log, dataset, "correlator", names->correlator[c]));
    NAIK_TRY(naik_h5_put_text(log, dataset, "source", source_type));
    NAIK_TRY(naik_h5_put_text(log, dataset, "sink", "point"));
done:
    naik_h5_release(type);
    naik_h5_release(dataset);
    return status;
}

/* Names as one text, separated by spaces: the order of the indices. */
static naik_status put_names(naik_log *log, hid_t object, const char *attribute,
                             char (*names)[NAIK_PROP_NAME], int count)
{
    char *text = calloc((size_t)count + 1, NAIK_PROP_NAME + 1);
    if (text == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for names");
    }
    for (int i = 0; i < count; i++) {
        strcat(strcat(text, i == 0 ? "" : " "), names[i]);
    }
    naik_status status = naik_h5_put_text(log, object, attribute, text);
    free(text);
    return status;
}

static naik_status make_correlators(naik_propagator_file *file, const naik_propagator_spec *spec,
                                    const naik_solve_set *set, int source, int mass)
{
    naik_log *log = file->comm->log;
    const naik_prop_plan *plan = file->plan;
    naik_status status = NAIK_OK;
    char name[NAIK_PROP_PATH];
    const double nan_value = NAN;
    const naik_prop_names *names = naik_prop_names_of(plan, source);
    const naik_correlator_choice choice = naik_prop_choice(spec, plan->source[source].set);
    const hsize_t dims[4] = {(hsize_t)naik_prop_columns(plan), (hsize_t)names->correlators,
                             (hsize_t)names->momenta, (hsize_t)plan->size[3]};
    const naik_source_info *info = &set->sources[plan->source[source].within];
    const char *type = info->type;
    hid_t group = -1, dataset = -1, number = naik_prop_number_type(names);
    naik_prop_corr_path(plan, source, mass, name);
    NAIK_TRY(naik_h5_group(log, file->h5, name, &group));
    NAIK_TRY(put_solve_attributes(log, group, spec, set, source, mass));
    NAIK_TRY(naik_h5_put_text(log, group, "time", "t = 0..T-1, not shifted by the source's time"));
    NAIK_TRY(naik_h5_put_ints(log, group, "counted_from", info->counted_from, NAIK_DIM));
    if (naik_prop_is_moving(names)) {
        NAIK_TRY(
            naik_h5_put_text(log, group, "momentum_weight", names->parts == 2 ? "exp" : "cos"));
    }
    for (int c = 0; c < names->correlators; c++) {
        for (int p = 0; p < names->momenta; p++) {
            NAIK_TRY(
                make_correlator(log, group, names, choice.momenta[p], type, plan->size[3], c, p));
        }
    }
    NAIK_TRY(naik_h5_dataset(log, group, "per_colour", number, 4, dims, &nan_value, &dataset));
    snprintf(name, sizeof name, "[%s][correlator][momentum][t]", spec->kind->column);
    NAIK_TRY(naik_h5_put_text(log, dataset, "index_order", name));
    NAIK_TRY(put_names(log, dataset, "correlators", names->correlator, names->correlators));
    NAIK_TRY(put_names(log, dataset, "momenta", names->momentum, names->momenta));
done:
    naik_h5_release(number);
    naik_h5_release(dataset);
    naik_h5_release(group);
    return status;
}

static naik_status make_solves(naik_propagator_file *file)
{
    naik_log *log = file->comm->log;
    const naik_prop_plan *plan = file->plan;
    naik_status status = NAIK_OK;
    const double nan_value = NAN;
    const hsize_t dims[2] = {(hsize_t)plan->solve_count, (hsize_t)plan->history_stride};
    hid_t type = naik_disk_record_type(), solves = -1, history = -1;
    NAIK_TRY(naik_h5_dataset(log, file->h5, "/solves", type, 1, dims, NULL, &solves));
    NAIK_TRY(
        naik_h5_put_text(log, solves, "crc", "crc32 of the 140 bytes of the record before it"));
    if (plan->history_stride > 0) {
        NAIK_TRY(naik_h5_dataset(log, file->h5, "/solves_history", H5T_IEEE_F64LE, 2, dims,
                                 &nan_value, &history));
    }
done:
    naik_h5_release(history);
    naik_h5_release(solves);
    naik_h5_release(type);
    return status;
}

static naik_status make_metadata(naik_propagator_file *file, const naik_propagator_spec *spec)
{
    naik_comm *comm = file->comm;
    naik_status status = NAIK_OK;
    char libraries[320];
    const hsize_t dims[1] = {NAIK_SESSIONS};
    hid_t group = -1, sessions = -1, type = naik_h5_string(NAIK_SESSION_BYTES);
    naik_library_versions(libraries, sizeof libraries);
    NAIK_TRY(naik_h5_group(comm->log, file->h5, "metadata", &group));
    NAIK_TRY(naik_h5_put_text(comm->log, group, "libraries", libraries));
    NAIK_TRY(naik_h5_put_text(comm->log, group, "gauge_checksum", spec->gauge_checksum));
    NAIK_TRY(naik_h5_put_text(comm->log, group, "numerics", spec->numerics));
    NAIK_TRY(naik_h5_put_document(comm, group, "input_text", spec->input_text));
    NAIK_TRY(naik_h5_put_document(comm, group, "canonical_input", spec->canonical_input));
    NAIK_TRY(naik_h5_put_document(comm, group, "source_checksums", spec->source_checksums));
    NAIK_TRY(naik_h5_put_document(comm, group, "structure", file->structure));
    NAIK_TRY(naik_h5_put_document(comm, group, "choices", file->choices));
    for (int i = 0; i < spec->metadata_count; i++) {
        NAIK_TRY(naik_h5_put_document(comm, group, spec->metadata[i].name, spec->metadata[i].text));
    }
    NAIK_TRY(naik_h5_dataset(comm->log, group, "sessions", type, 1, dims, NULL, &sessions));
done:
    naik_h5_release(sessions);
    naik_h5_release(type);
    naik_h5_release(group);
    return status;
}

static naik_status make_all(naik_propagator_file *file, const naik_propagator_spec *spec)
{
    naik_log *log = file->comm->log;
    const naik_prop_plan *plan = file->plan;
    NAIK_PASS(naik_h5_put_identity(file->comm, file->h5, NAIK_OWN_PROP));
    NAIK_PASS(naik_h5_put_ints(log, file->h5, "dims", plan->size, NAIK_DIM));
    NAIK_PASS(naik_h5_put_ints(log, file->h5, "precision", &plan->precision, 0));
    if (plan->spin != 1) {
        NAIK_PASS(naik_h5_put_ints(log, file->h5, "spin", &plan->spin, 0));
    }
    NAIK_PASS(make_metadata(file, spec));
    NAIK_PASS(make_solves(file));
    for (int source = 0; source < plan->source_count; source++) {
        const naik_solve_set *set = &spec->sets[plan->source[source].set];
        NAIK_PASS(
            put_source(log, file->h5, source, set, &set->sources[plan->source[source].within]));
        for (int mass = 0; mass < set->mass_count; mass++) {
            if (plan->store) {
                NAIK_PASS(make_propagator(file, spec, set, source, mass));
            }
            if (naik_prop_names_of(plan, source)->correlators > 0) {
                NAIK_PASS(make_correlators(file, spec, set, source, mass));
            }
        }
    }
    return naik_prop_make_contractions(file, spec);
}

/* Rank 0: every record pending, every session slot empty. */
static naik_status write_first_data(naik_propagator_file *file)
{
    naik_log *log = file->comm->log;
    naik_status status = NAIK_OK;
    const hsize_t start[1] = {0}, count[1] = {NAIK_SESSIONS};
    hid_t sessions = -1, type = naik_h5_string(NAIK_SESSION_BYTES);
    char *blank = calloc(NAIK_SESSIONS, NAIK_SESSION_BYTES);
    if (blank == NULL) {
        status = NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the list of sessions");
        goto done;
    }
    sessions = H5Dopen2(file->h5, "/metadata/sessions", H5P_DEFAULT);
    NAIK_TRY(naik_h5_write_part(log, sessions, type, start, count, blank));
    for (int i = 0; i < file->plan->solve_count; i++) {
        NAIK_TRY(naik_prop_write_pending(file, i));
    }
done:
    naik_h5_release(sessions);
    naik_h5_release(type);
    free(blank);
    return status;
}

/* file->comm is of one rank. */
static naik_status create_part(naik_propagator_file *file, const void *spec)
{
    naik_comm *comm = file->comm;
    NAIK_PASS(naik_h5_create(comm, file->part, &file->h5));
    NAIK_PASS(make_all(file, spec));
    NAIK_PASS(naik_h5_flush(comm, file->h5));
    NAIK_PASS(write_first_data(file));
    NAIK_PASS(naik_h5_flush(comm, file->h5));
    NAIK_PASS(naik_h5_write_metadata_crc(comm, file->h5));
    NAIK_PASS(naik_h5_set_text(comm->log, file->h5, "state", "incomplete"));
    return naik_h5_flush(comm, file->h5);
}

naik_status naik_prop_create(naik_propagator_file *file, const naik_propagator_spec *spec)
{
    naik_comm *comm = file->comm;
    naik_status status = NAIK_OK;
    NAIK_PASS(naik_file_remove(comm, file->journal));
    NAIK_PASS(naik_file_remove(comm, file->part));
    NAIK_PASS(by_rank_0(file, create_part, spec));
    NAIK_PASS(naik_h5_open(comm, file->part, true, &file->h5));
    status = comm->rank == 0 ? naik_journal_create(comm->log, file->journal, file->identity,
                                                   naik_propagator_file_choices(file))
                             : NAIK_OK;
    NAIK_PASS(naik_comm_agree(comm, status));
    NAIK_PASS(naik_file_reserve_begin(comm, file->part, &file->reservation));
    for (int i = 0; i < file->plan->solve_count; i++) {
        file->records[i] = naik_prop_pending(file->plan, i);
    }
    return NAIK_OK;
}
