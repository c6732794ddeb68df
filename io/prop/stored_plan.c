/* stored_plan.c - which solves and datasets a propagator file has, from the file alone
 *
 * The plan is rebuilt from the records, which name set, source, mass and colour; a record that is
 * damaged takes them from its place. Nothing in the file is trusted: indices are bounded by the
 * number of records, names by the length of a path.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/h5/numbers.h"
#include "io/prop/prop_file.h"
#include "io/sites.h"
enum { MAX_RECORDS = 3 << 19, MAX_NUMBERS = 1 << 28 };

hid_t naik_prop_open_object(hid_t h5, const char *path)
{
    char part[NAIK_PROP_PATH];
    path += path[0] == '/';
    for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        if (H5Lexists(h5, part, H5P_DEFAULT) <= 0) {
            return -1;
        }
    }
    return H5Lexists(h5, path, H5P_DEFAULT) > 0 ? H5Oopen(h5, path, H5P_DEFAULT) : -1;
}

void naik_prop_release_object(hid_t object)
{
    if (object >= 0) {
        H5Oclose(object);
    }
}

static naik_status refuse(naik_log *log, const char *path, const char *what)
{
    return NAIK_FAIL(log, NAIK_ERR_CORRUPT, "'%s' cannot be described: %s", path, what);
}

/* Those of rank 0 for everybody, who decide by them what to do together. */
static naik_status share_records(naik_comm *comm, const char *path, int count,
                                 naik_disk_record *disk)
{
    naik_status status = NAIK_OK;
    int shared = count;
    NAIK_PASS(naik_comm_broadcast(comm, &shared, sizeof shared, 0));
    if (shared != count) {
        status = refuse(comm->log, path, "the ranks read different things");
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    return naik_comm_broadcast(comm, disk, (size_t)count * sizeof *disk, 0);
}

/* Words of `text` into names [count]; false if there are other than so many. */
static bool split_names(const char *text, int count, char (*names)[NAIK_PROP_NAME])
{
    int found = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, " ");
        if (found == count || length >= NAIK_PROP_NAME) {
            return false;
        }
        memcpy(names[found++], text, length);
        text += length + (text[length] == ' ');
    }
    return found == count;
}

static naik_status allocate_names(naik_log *log, int count, char (**names)[NAIK_PROP_NAME])
{
    free(*names);
    *names = calloc((size_t)count + 1, NAIK_PROP_NAME);
    return *names != NULL ? NAIK_OK : NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for names");
}

static bool read_names(hid_t dataset, const char *attribute, char text[NAIK_PROP_NAMES_BYTES + 1],
                       int count, char (*names)[NAIK_PROP_NAME])
{
    return naik_h5_get_text(dataset, attribute, text, NAIK_PROP_NAMES_BYTES + 1) &&
           split_names(text, count, names);
}

static naik_status find_names(naik_log *log, hid_t per_colour, int columns, int extent,
                              naik_prop_names *names)
{
    naik_status status = NAIK_OK;
    hsize_t dims[4] = {0};
    hid_t space = H5Dget_space(per_colour), type = naik_h5_complex(64);
    char *text = malloc(NAIK_PROP_NAMES_BYTES + 1);
    names->parts = naik_h5_is_stored_as(per_colour, type) ? 2 : 1;
    bool ok = space >= 0 && H5Sget_simple_extent_ndims(space) == 4 &&
              H5Sget_simple_extent_dims(space, dims, NULL) == 4 && dims[0] == (hsize_t)columns &&
              dims[1] >= 1 && dims[1] <= NAIK_PROP_NAMES_BYTES && dims[2] >= 1 &&
              dims[2] <= NAIK_PROP_NAMES_BYTES && (int)dims[3] == extent &&
              (int64_t)(dims[1] * dims[2]) * extent * names->parts * columns < MAX_NUMBERS;
    names->correlators = ok ? (int)dims[1] : 0;
    names->momenta = ok ? (int)dims[2] : 0;
    if (text == NULL) {
        NAIK_TRY(NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for names"));
    }
    NAIK_TRY(allocate_names(log, names->correlators, &names->correlator));
    NAIK_TRY(allocate_names(log, names->momenta, &names->momentum));
    ok = ok && read_names(per_colour, "correlators", text, names->correlators, names->correlator) &&
         read_names(per_colour, "momenta", text, names->momenta, names->momentum);
    if (!ok) {
        naik_prop_names_clear(names);
        names->parts = 1;
        names->damaged = true;
    }
done:
    free(text);
    naik_h5_release(type);
    naik_h5_release(space);
    return status;
}

/* Numbers and names of the correlators of each set, from the per_colour of its first source; `damaged`
 * where one is there and cannot be that. */
static naik_status find_correlators(naik_log *log, hid_t h5, naik_prop_plan *plan)
{
    naik_status status = NAIK_OK;
    char path[NAIK_PROP_PATH + 16], group[NAIK_PROP_PATH];
    hid_t dataset = -1;
    plan->names = calloc((size_t)plan->set_count + 1, sizeof *plan->names);
    if (plan->names == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for names");
    }
    for (int i = 0; i < plan->source_count; i++) {
        if (plan->source[i].within > 0) {
            continue;
        }
        naik_prop_corr_path(plan, i, 0, group);
        snprintf(path, sizeof path, "%s/per_colour", group);
        dataset = naik_prop_open_object(h5, path);
        if (dataset >= 0) {
            NAIK_TRY(find_names(log, dataset, naik_prop_columns(plan), plan->size[3],
                                &plan->names[plan->source[i].set]));
        }
        naik_h5_release(dataset);
        dataset = -1;
    }
done:
    naik_h5_release(dataset);
    return status;
}

static bool find_shape(hid_t h5, naik_prop_plan *plan)
{
    int64_t dims[NAIK_DIM], precision = 0, spin = 1;
    hsize_t history[2] = {0};
    if (!naik_h5_get_i64(h5, "dims", dims, NAIK_DIM) ||
        !naik_h5_get_i64(h5, "precision", &precision, 0) || (precision != 32 && precision != 64) ||
        !naik_sites_possible(dims)) {
        return false;
    }
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        plan->size[mu] = (int)dims[mu];
    }
    if (H5Aexists(h5, "spin") > 0 && (!naik_h5_get_i64(h5, "spin", &spin, 0) || spin != 4)) {
        return false;
    }
    plan->spin = (int)spin;
    plan->precision = (int)precision;
    plan->store = H5Lexists(h5, "/prop/s0000/m00", H5P_DEFAULT) > 0;
    hid_t dataset = H5Lexists(h5, "solves_history", H5P_DEFAULT) > 0
                        ? H5Dopen2(h5, "solves_history", H5P_DEFAULT)
                        : -1;
    hid_t space = dataset < 0 ? -1 : H5Dget_space(dataset);
    if (space >= 0 && H5Sget_simple_extent_ndims(space) == 2 &&
        H5Sget_simple_extent_dims(space, history, NULL) == 2 && history[1] < (1 << 24)) {
        plan->history_stride = (int)history[1];
    }
    naik_h5_release(space);
    naik_h5_release(dataset);
    return true;
}

/* Places of the solves from their records; damaged ones from the other columns. */
static bool place_solves(const naik_disk_record *disk, naik_prop_plan *plan)
{
    const int count = plan->solve_count, columns = naik_prop_columns(plan), most = count / columns;
    if (count % columns != 0) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        plan->solve[i] = (struct naik_prop_solve){-1, 0, i % columns};
        for (int j = i - i % columns; j < i - i % columns + columns; j++) {
            naik_solve_record record;
            if (naik_disk_record_unpack(&disk[j], &record) && record.source >= 0 &&
                record.source < most && record.mass >= 0 && record.mass < most &&
                disk[j].set >= 0 && disk[j].set < most) {
                plan->solve[i].source = record.source;
                plan->solve[i].mass = record.mass;
                plan->source[record.source].set = disk[j].set;
                plan->source_count =
                    record.source + 1 > plan->source_count ? record.source + 1 : plan->source_count;
                plan->set_count =
                    disk[j].set + 1 > plan->set_count ? disk[j].set + 1 : plan->set_count;
            }
        }
        if (plan->solve[i].source >= 0 && plan->solve[i].mass == 0 && i % columns == 0) {
            plan->source[plan->solve[i].source].first_solve = i;
        }
    }
    /* Indices that the rest of io may compute from each other. */
    for (int i = 0; i < count; i++) {
        const struct naik_prop_solve *s = &plan->solve[i];
        if (s->source >= 0 && naik_prop_first(plan, s->source, s->mass) + s->colour != i) {
            return false;
        }
    }
    return plan->source_count > 0;
}

static naik_status name_sets(naik_log *log, hid_t h5, naik_prop_plan *plan)
{
    const naik_status status = allocate_names(log, plan->set_count, &plan->set_name);
    for (int i = 0; status == NAIK_OK && i < plan->source_count; i++) {
        struct naik_prop_source *s = &plan->source[i];
        s->made_of = -1;
        char path[NAIK_PROP_PATH];
        for (int j = 0; j < plan->source_count; j++) {
            s->of += plan->source[j].set == s->set;
            s->within += j < i && plan->source[j].set == s->set;
        }
        naik_prop_source_path(i, path);
        hid_t group = H5Gopen2(h5, path, H5P_DEFAULT);
        naik_h5_get_text(group, "solve_set", plan->set_name[s->set], NAIK_PROP_NAME);
        naik_h5_release(group);
    }
    return status;
}

static naik_status plan_from_file(naik_log *log, hid_t h5, const char *path,
                                  const naik_disk_record *disk, int count, naik_prop_plan **out)
{
    naik_prop_plan *plan = calloc(1, sizeof *plan);
    *out = plan;
    if (plan == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the plan of a propagator file");
    }
    plan->solve_count = count;
    plan->solve = calloc((size_t)count, sizeof *plan->solve);
    plan->source = calloc((size_t)count, sizeof *plan->source);
    if (plan->solve == NULL || plan->source == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the plan of a propagator file");
    }
    if (!find_shape(h5, plan)) {
        return refuse(log, path, "its extents or its precision are missing");
    }
    if (!place_solves(disk, plan)) {
        return refuse(log, path, "its records are damaged or not in order");
    }
    NAIK_PASS(name_sets(log, h5, plan));
    return find_correlators(log, h5, plan);
}

/* Place for what the records say. */
static naik_status make_room(naik_log *log, const naik_disk_record *disk, int count,
                             naik_propagator_file *file)
{
    file->records = calloc((size_t)count, sizeof *file->records);
    file->small_crc = calloc(2 * (size_t)count, sizeof *file->small_crc);
    if (file->records == NULL || file->small_crc == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the records of solves");
    }
    for (int i = 0; i < count; i++) {
        file->small_crc[2 * i] = disk[i].correlators_crc;
        file->small_crc[2 * i + 1] = disk[i].history_crc;
    }
    return NAIK_OK;
}

static naik_status read_records(naik_log *log, hid_t h5, const char *path, int *count,
                                naik_disk_record **disk)
{
    const naik_status status = naik_disk_records_read(log, h5, path, count, disk, NULL);
    if (status == NAIK_OK && *count <= MAX_RECORDS) {
        return NAIK_OK;
    }
    if (status == NAIK_ERR_MEMORY) {
        return status;
    }
    naik_log_clear(log);
    return refuse(log, path, "/solves is missing, of another shape or unreadable");
}

naik_status naik_prop_describe_alone(naik_log *log, hid_t h5, const char *path,
                                     naik_propagator_file *file, naik_disk_record **disk)
{
    int count = 0;
    file->h5 = h5;
    NAIK_PASS(read_records(log, h5, path, &count, disk));
    NAIK_PASS(plan_from_file(log, h5, path, *disk, count, &file->plan));
    return make_room(log, *disk, count, file);
}

naik_status naik_prop_describe(naik_comm *comm, hid_t h5, const char *path,
                               naik_propagator_file *file, naik_disk_record **disk)
{
    naik_status status = NAIK_OK;
    int count = 0;
    file->comm = comm;
    file->h5 = h5;
    NAIK_PASS(naik_comm_agree(comm, read_records(comm->log, h5, path, &count, disk)));
    NAIK_PASS(share_records(comm, path, count, *disk));
    status = plan_from_file(comm->log, h5, path, *disk, count, &file->plan);
    for (int i = 0; status == NAIK_OK && i < file->plan->set_count; i++) {
        if (file->plan->names[i].damaged) {
            status =
                refuse(comm->log, path, "its sources or correlators are not where they belong");
        }
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    return naik_comm_agree(comm, make_room(comm->log, *disk, count, file));
}
