/* reader.c - what a propagator file says about itself
 *
 * The records of /solves give the order; everything else is found by the names that io/prop/file.c
 * gives it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/checksum.h"
#include "io/finite.h"
#include "io/h5/guard.h"
#include "io/h5/metadata_crc.h"
#include "io/prop/contractions.h"
#include "io/prop/prop_file.h"
#include "io/prop/reader.h"
#include "io/reread.h"

enum { MAX_RECORDS = 3 << 19, MAX_FACTS = 64, MAX_NUMBERS = 1 << 26 };

typedef struct reader {
    naik_log *log;
    hid_t h5;
    naik_propagator_reader *view;
    naik_disk_record *records; /* [columns * pair_count] */
    int correlators;           /* read of a pair */
} reader;

static naik_status no_memory(naik_log *log)
{
    return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the description of a file");
}

static naik_status add_fact(naik_log *log, naik_reader_fact **facts, int *count, const char *name,
                            const char *text)
{
    if (text == NULL || text[0] == '\0' || *count >= MAX_FACTS) {
        return NAIK_OK;
    }
    if (*facts == NULL) {
        *facts = calloc(MAX_FACTS, sizeof **facts);
    }
    if (*facts == NULL) {
        return no_memory(log);
    }
    naik_reader_fact *fact = &(*facts)[*count];
    fact->name = strdup(name);
    fact->text = strdup(text);
    *count += 1;
    return fact->name != NULL && fact->text != NULL ? NAIK_OK : no_memory(log);
}

static naik_status read_facts(reader *r)
{
    naik_status status = NAIK_OK;
    naik_propagator_reader *v = r->view;
    static const char *const roots[] = {"state", "writer", "git", "created", "uuid"};
    static const char *const metas[] = {"gauge_checksum", "numerics", "libraries"};
    static const char *const lines[] = {"gauge_file", "gauge_format", "links_file", "choices"};
    static const char *const texts[] = {"input_text", "gauge_header", "canonical_input",
                                        "source_checksums"};
    char text[1024];
    char *document = NULL;
    hid_t group = -1;
    v->has_metadata_crc = naik_h5_get_text(r->h5, "metadata_crc", text, sizeof text);
    status = naik_h5_check_metadata_crc(r->log, r->h5, v->path);
    if (status == NAIK_ERR_CORRUPT) {
        snprintf(v->edited, sizeof v->edited, "%s", naik_log_message(r->log));
        naik_log_clear(r->log);
        status = NAIK_OK;
    }
    NAIK_TRY(status);
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        naik_h5_get_text(r->h5, roots[i], text, sizeof text);
        NAIK_TRY(add_fact(r->log, &v->facts, &v->fact_count, roots[i], text));
    }
    if (H5Lexists(r->h5, "metadata", H5P_DEFAULT) <= 0) {
        return NAIK_OK;
    }
    group = H5Gopen2(r->h5, "metadata", H5P_DEFAULT);
    for (size_t i = 0; i < sizeof lines / sizeof *lines + sizeof texts / sizeof *texts; i++) {
        const bool line = i < sizeof lines / sizeof *lines;
        const char *name = line ? lines[i] : texts[i - sizeof lines / sizeof *lines];
        status = naik_h5_get_document(r->log, group, name, &document);
        NAIK_TRY(status == NAIK_ERR_MEMORY ? status : NAIK_OK);
        if (status != NAIK_OK) {
            naik_log_clear(r->log);
        }
        status = line ? add_fact(r->log, &v->facts, &v->fact_count, name, document)
                      : add_fact(r->log, &v->texts, &v->text_count, name, document);
        free(document);
        document = NULL;
        NAIK_TRY(status);
    }
    for (size_t i = 0; i < sizeof metas / sizeof *metas; i++) {
        naik_h5_get_text(group, metas[i], text, sizeof text);
        NAIK_TRY(add_fact(r->log, &v->facts, &v->fact_count, metas[i], text));
    }
done:
    naik_h5_release(group);
    return status;
}

/* One text per run that worked on the file. */
static naik_status read_sessions(reader *r)
{
    naik_status status = NAIK_OK;
    char text[NAIK_SESSION_BYTES + 1], name[32];
    hid_t dataset = H5Lexists(r->h5, "metadata/sessions", H5P_DEFAULT) > 0
                        ? H5Dopen2(r->h5, "metadata/sessions", H5P_DEFAULT)
                        : -1;
    hid_t space = dataset < 0 ? -1 : H5Dget_space(dataset);
    hid_t type = naik_h5_string(NAIK_SESSION_BYTES);
    hsize_t start[1] = {0}, one[1] = {1}, dims[1] = {0};
    if (space < 0 || H5Sget_simple_extent_ndims(space) != 1 ||
        H5Sget_simple_extent_dims(space, dims, NULL) != 1) {
        goto done;
    }
    for (start[0] = 0; start[0] < dims[0] && start[0] < NAIK_SESSIONS; start[0]++) {
        memset(text, 0, sizeof text);
        if (naik_h5_read_part(r->log, dataset, type, start, one, text) != NAIK_OK) {
            naik_log_clear(r->log);
            break;
        }
        snprintf(name, sizeof name, "run %d", (int)start[0] + 1);
        NAIK_TRY(add_fact(r->log, &r->view->texts, &r->view->text_count, name, text));
    }
done:
    naik_h5_release(type);
    naik_h5_release(space);
    naik_h5_release(dataset);
    return status;
}

static naik_status read_records(reader *r)
{
    int count = 0;
    naik_status status =
        naik_disk_records_read(r->log, r->h5, r->view->path, &count, &r->records, NULL);
    if (status != NAIK_OK) {
        return status == NAIK_ERR_MEMORY ? status : NAIK_ERR_CORRUPT;
    }
    if (count > MAX_RECORDS || count % r->view->columns != 0) {
        return NAIK_FAIL(r->log, NAIK_ERR_CORRUPT, "%s: /solves is of another shape",
                         r->view->path);
    }
    r->view->pair_count = count / r->view->columns;
    r->view->pairs = calloc((size_t)r->view->pair_count, sizeof *r->view->pairs);
    return r->view->pairs != NULL ? NAIK_OK : no_memory(r->log);
}

static void release_object(hid_t object)
{
    if (object >= 0) {
        H5Oclose(object);
    }
}

/* Type and origin; the name of its set into `set`. */
static void describe_source(const reader *r, int source, naik_reader_pair *pair,
                            char set[NAIK_PROP_NAME])
{
    char path[NAIK_PROP_PATH], type[48], colours[16];
    int64_t x[NAIK_DIM] = {0};
    snprintf(path, sizeof path, "prop/s%04d/source", source);
    hid_t object = naik_prop_open_object(r->h5, path);
    set[0] = '\0';
    if (object < 0) {
        return;
    }
    naik_h5_get_text(object, "solve_set", set, NAIK_PROP_NAME);
    naik_h5_get_text(object, "type", type, sizeof type);
    naik_h5_get_i64(object, "origin", x, NAIK_DIM);
    snprintf(pair->source, sizeof pair->source, "%s at %d,%d,%d,%d", type, (int)x[0], (int)x[1],
             (int)x[2], (int)x[3]);
    if (H5Aexists(object, "phases_from") > 0) {
        naik_h5_get_i64(object, "phases_from", x, NAIK_DIM);
    }
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        pair->x0[mu] = (int)x[mu];
    }
    if (H5Aexists(object, "colours") > 0 &&
        naik_h5_get_text(object, "colours", colours, sizeof colours)) {
        const size_t used = strlen(pair->source);
        snprintf(pair->source + used, sizeof pair->source - used, ", colours %s alone", colours);
    }
    release_object(object);
}

static void read_mass(const reader *r, const char *path, naik_reader_pair *pair)
{
    hid_t object = naik_prop_open_object(r->h5, path);
    if (object >= 0) {
        naik_h5_get_text(object, "action", pair->action, sizeof pair->action);
        naik_h5_get_f64(object, "mass", &pair->mass, 0);
        naik_h5_get_f64(object, "naik_epsilon", &pair->naik_epsilon, 0);
        if (H5Aexists(object, "twist") > 0) {
            naik_h5_get_f64(object, "twist", pair->twist, NAIK_DIM - 1);
        }
        release_object(object);
    }
}

/* The correlators of a pair as its colours give them, which carry checksums. */
typedef struct colours {
    naik_prop_names names;
    double *sum; /* [correlators][momenta][T][parts] */
} colours;

static void clear_colours(colours *c)
{
    naik_prop_names_clear(&c->names);
    free(c->sum);
}

/* Reads path/per_colour; without `sum` where it is damaged. */
static naik_status sum_colours(const reader *r, const char *path, int index, colours *c)
{
    naik_status status = NAIK_OK;
    char name[NAIK_PROP_PATH + 16];
    double *numbers = NULL;
    const int extent = r->view->size[3];
    const size_t columns = (size_t)r->view->columns;
    *c = (colours){.sum = NULL};
    snprintf(name, sizeof name, "%s/per_colour", path);
    hid_t dataset = naik_prop_open_object(r->h5, name), type = -1;
    bool stored = dataset >= 0 && H5Iget_type(dataset) == H5I_DATASET;
    if (stored) {
        NAIK_TRY(
            naik_prop_read_names(r->log, dataset, r->view->columns, extent, &c->names, &stored));
    }
    const size_t mesons = (size_t)c->names.correlators, momenta = (size_t)c->names.momenta;
    const size_t parts = stored ? (size_t)c->names.parts : 1;
    const size_t count = mesons * momenta * (size_t)extent * parts;
    const hsize_t start[4] = {0}, dims[4] = {columns, mesons, momenta, (hsize_t)extent};
    if (!stored || count > MAX_NUMBERS) {
        goto done;
    }
    numbers = malloc(columns * count * sizeof *numbers);
    NAIK_TRY(numbers != NULL ? NAIK_OK : no_memory(r->log));
    type = naik_prop_number_type(&c->names);
    bool good = naik_h5_read_part(r->log, dataset, type, start, dims, numbers) == NAIK_OK;
    if (!good) {
        naik_log_clear(r->log);
    }
    for (size_t colour = 0; colour < columns && good; colour++) {
        good = naik_crc32(numbers + colour * count, count * sizeof *numbers) ==
               r->records[columns * (size_t)index + colour].correlators_crc;
    }
    good = good && naik_values_are_finite(numbers, (int64_t)(columns * count), 64);
    for (size_t i = 0; i < count && good; i++) {
        for (size_t colour = 1; colour < columns; colour++) {
            numbers[i] += numbers[colour * count + i];
        }
    }
    if (good) {
        c->sum = numbers;
        numbers = NULL;
    }
done:
    free(numbers);
    naik_h5_release(type);
    release_object(dataset);
    return status;
}

/* *good: what is stored is `sum`, [T][parts] of the names. */
static naik_status read_correlator(const reader *r, const char *name, const naik_prop_names *names,
                                   int momentum, const double *sum, naik_reader_correlator *c,
                                   bool *good)
{
    naik_status status = NAIK_OK;
    int64_t p[NAIK_DIM - 1] = {0};
    hsize_t start[1] = {0}, dims[1] = {0};
    const size_t extent = (size_t)r->view->size[3], parts = (size_t)names->parts;
    const bool complex = naik_prop_is_complex(names, momentum);
    hid_t type = complex ? naik_h5_complex(64) : H5Tcopy(H5T_IEEE_F64LE);
    hid_t dataset = naik_prop_open_object(r->h5, name);
    hid_t space = dataset >= 0 && H5Iget_type(dataset) == H5I_DATASET ? H5Dget_space(dataset) : -1;
    double *found = calloc(2 * extent, sizeof *found), *values = calloc(2 * extent, sizeof *values);
    *good = false;
    NAIK_TRY(found != NULL && values != NULL ? NAIK_OK : no_memory(r->log));
    if (space < 0 || H5Sget_simple_extent_ndims(space) != 1 ||
        H5Sget_simple_extent_dims(space, dims, NULL) != 1 || dims[0] != extent ||
        !naik_h5_is_stored_as(dataset, type) ||
        !naik_h5_get_i64(dataset, "momentum", p, NAIK_DIM - 1)) {
        goto done;
    }
    if (naik_h5_read_part(r->log, dataset, type, start, dims, found) != NAIK_OK) {
        naik_log_clear(r->log);
        goto done;
    }
    *good = true;
    for (size_t t = 0; t < extent; t++) {
        values[2 * t] = complex ? found[2 * t] : found[t];
        values[2 * t + 1] = complex ? found[2 * t + 1] : 0;
        *good = *good && memcmp(&values[2 * t], &sum[parts * t], parts * sizeof *sum) == 0;
    }
    if (*good) {
        for (int k = 0; k < NAIK_DIM - 1; k++) {
            c->momentum[k] = (int)p[k];
        }
        c->values = values;
        values = NULL;
    }
done:
    free(found);
    free(values);
    naik_h5_release(type);
    naik_h5_release(space);
    release_object(dataset);
    return status;
}

/* What the correlators are counted from. Files that do not say have those of staggered quarks from the
 * lattice's origin, and cosines. */
static void read_count(const reader *r, hid_t group, naik_reader_pair *pair)
{
    int64_t x[NAIK_DIM] = {0};
    char weight[8] = "";
    if (H5Aexists(group, "counted_from") > 0 &&
        naik_h5_get_i64(group, "counted_from", x, NAIK_DIM)) {
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            pair->counted_from[mu] = (int)x[mu];
        }
        naik_h5_get_text(group, "momentum_weight", weight, sizeof weight);
    } else if (r->view->columns > 3) {
        memcpy(pair->counted_from, pair->x0, sizeof pair->counted_from);
    }
    pair->waves = strcmp(weight, "exp") == 0;
}

/* path: "corr/NAME/m00" or "corr/NAME/s0001/m00". */
static naik_status read_correlators(const reader *r, const char *path, int index,
                                    naik_reader_pair *pair)
{
    naik_status status = NAIK_OK;
    char name[NAIK_PROP_PATH + 2 * NAIK_PROP_NAME];
    colours c = {.sum = NULL};
    hid_t group = naik_prop_open_object(r->h5, path);
    const bool found = group >= 0;
    if (found) {
        read_count(r, group, pair);
    }
    release_object(group);
    if (!found) {
        return NAIK_OK;
    }
    snprintf(name, sizeof name, "%s/per_colour", path);
    if (H5Lexists(r->h5, name, H5P_DEFAULT) == 0 &&
        H5Lexists(r->h5, "metadata/contractions", H5P_DEFAULT) > 0) {
        return NAIK_OK; /* only what several solves give */
    }
    NAIK_TRY(sum_colours(r, path, index, &c));
    if (c.sum == NULL) {
        pair->correlators_damaged = true;
        goto done;
    }
    pair->correlators_stored = c.names.correlators * c.names.momenta;
    const int stored = pair->correlators_stored;
    const int count = stored < r->correlators ? stored : r->correlators;
    pair->correlators = calloc((size_t)count + 1, sizeof *pair->correlators);
    NAIK_TRY(pair->correlators != NULL ? NAIK_OK : no_memory(r->log));
    for (int i = 0; i < count; i++) {
        const char *meson = c.names.correlator[i / c.names.momenta];
        naik_reader_correlator *next = &pair->correlators[pair->correlator_count];
        bool good = false;
        snprintf(name, sizeof name, "%s/%s/%s", path, meson, c.names.momentum[i % c.names.momenta]);
        NAIK_TRY(read_correlator(r, name, &c.names, i % c.names.momenta,
                                 c.sum + (size_t)i * (size_t)(r->view->size[3] * c.names.parts),
                                 next, &good));
        snprintf(next->meson, sizeof next->meson, "%.31s", meson);
        pair->correlator_count += good;
        pair->correlators_damaged = pair->correlators_damaged || !good;
    }
done:
    clear_colours(&c);
    return status;
}

/* The first `most` residuals of a solve; its checksum is over the whole row. */
static naik_status read_history(const reader *r, int solve, int most, double **out, int *count)
{
    naik_status status = NAIK_OK;
    hsize_t start[2] = {(hsize_t)solve, 0}, dims[2] = {0}, part[2] = {1, 0};
    hid_t dataset = naik_prop_open_object(r->h5, "solves_history");
    hid_t space = dataset >= 0 && H5Iget_type(dataset) == H5I_DATASET ? H5Dget_space(dataset) : -1;
    if (space < 0 || H5Sget_simple_extent_ndims(space) != 2 ||
        H5Sget_simple_extent_dims(space, dims, NULL) != 2 || dims[0] <= start[0] || most <= 0 ||
        !naik_h5_is_stored_as(dataset, H5T_IEEE_F64LE)) {
        goto done;
    }
    part[1] = dims[1];
    if (part[1] == 0 || part[1] > (1 << 24)) {
        goto done;
    }
    *out = calloc((size_t)part[1], sizeof **out);
    if (*out == NULL) {
        status = no_memory(r->log);
        goto done;
    }
    const bool got =
        naik_h5_read_part(r->log, dataset, H5T_NATIVE_DOUBLE, start, part, *out) == NAIK_OK;
    if (!got) {
        naik_log_clear(r->log);
    }
    r->view->histories++;
    if (got && naik_crc32(*out, part[1] * sizeof **out) == r->records[solve].history_crc) {
        *count = most < (int)part[1] ? most : (int)part[1];
    } else {
        r->view->bad_histories++;
        free(*out);
        *out = NULL;
    }
done:
    naik_h5_release(space);
    release_object(dataset);
    return status;
}

/* Where a source stands among those of its set: they follow each other in the file. */
typedef struct place {
    char set[NAIK_PROP_NAME];
    int source, within;
} place;

static naik_status read_pair(reader *r, int index, bool with_history, place *last)
{
    naik_status status = NAIK_OK;
    naik_reader_pair *pair = &r->view->pairs[index];
    char set[NAIK_PROP_NAME], path[NAIK_PROP_PATH], within[16] = "";
    int pending = 0, source = -1, mass = 0;
    const int columns = r->view->columns;
    for (int c = 0; c < columns; c++) {
        naik_solve_record *record = &pair->solve[c];
        if (!naik_disk_record_unpack(&r->records[columns * index + c], record)) {
            *record = (naik_solve_record){.state = NAIK_SOLVE_PENDING};
            r->view->bad_records++;
            pending++;
            continue;
        }
        pending += record->state == NAIK_SOLVE_PENDING;
        source = record->source;
        mass = record->mass;
    }
    if (source < 0 || source > MAX_RECORDS || mass < 0 || mass > MAX_RECORDS) {
        snprintf(pair->label, sizeof pair->label, "damaged");
        return NAIK_OK;
    }
    describe_source(r, source, pair, set);
    if (source != last->source) {
        last->within = strcmp(set, last->set) == 0 ? last->within + 1 : 0;
        last->source = source;
        memcpy(last->set, set, sizeof set);
    }
    /* A set of one source has no number in its path. */
    snprintf(path, sizeof path, "corr/%s/s0000", set);
    hid_t numbered = naik_prop_open_object(r->h5, path);
    if (numbered >= 0) {
        snprintf(within, sizeof within, "/s%04d", last->within);
    }
    release_object(numbered);
    snprintf(pair->label, sizeof pair->label, "%s%s", set, within);
    snprintf(path, sizeof path, "prop/s%04d/m%02d", source, mass);
    read_mass(r, path, pair);
    snprintf(path, sizeof path, "corr/%s%s/m%02d", set, within, mass);
    read_mass(r, path, pair);
    NAIK_TRY(pending == 0 ? read_correlators(r, path, index, pair) : NAIK_OK);
    for (int c = 0; c < columns && with_history; c++) {
        NAIK_TRY(read_history(r, columns * index + c, pair->solve[c].history_count,
                              &pair->history[c], &pair->history_count[c]));
    }
done:
    return status;
}

static naik_status open_file(reader *r, const char *path)
{
    naik_status status = NAIK_OK;
    char text[64], name[NAIK_PATH_MAX];
    int64_t dims[NAIK_DIM];
    snprintf(name, sizeof name, "%s%s", path, access(path, F_OK) == 0 ? "" : ".part");
    if (access(name, R_OK) != 0) {
        return NAIK_FAIL(r->log, NAIK_ERR_INPUT,
                         "'%s' cannot be read, and there is no '%s.part' of an unfinished run",
                         path, path);
    }
    r->view->path = strdup(name);
    NAIK_TRY(r->view->path != NULL ? NAIK_OK : no_memory(r->log));
    NAIK_TRY(naik_h5_open_alone(r->log, name, &r->h5));
    if (!naik_h5_get_text(r->h5, "format", text, sizeof text) || strcmp(text, "naik-prop") != 0 ||
        !naik_h5_get_i64(r->h5, "dims", dims, NAIK_DIM)) {
        return NAIK_FAIL(r->log, NAIK_ERR_INPUT, "'%s' is no propagator file of naik", name);
    }
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if (dims[mu] < 1 || dims[mu] > 32768) {
            return NAIK_FAIL(r->log, NAIK_ERR_CORRUPT, "'%s' claims extents that cannot be", name);
        }
        r->view->size[mu] = (int)dims[mu];
    }
    int64_t spin = 1;
    if (H5Aexists(r->h5, "spin") > 0 && (!naik_h5_get_i64(r->h5, "spin", &spin, 0) || spin != 4)) {
        return NAIK_FAIL(r->log, NAIK_ERR_CORRUPT, "'%s' claims another spin than 4", name);
    }
    r->view->columns = 3 * (int)spin;
    naik_h5_get_text(r->h5, "state", text, sizeof text);
    r->view->complete = strcmp(text, "complete") == 0;
done:
    return status;
}

naik_status naik_propagator_reader_open(naik_log *log, const char *path, int histories,
                                        int correlators, naik_propagator_reader **out)
{
    naik_status status = NAIK_OK;
    reader r = {.log = log, .h5 = -1, .correlators = correlators};
    place last = {.source = -1};
    naik_h5_guard guard;
    *out = NULL;
    naik_h5_guard_begin(&guard);
    r.view = calloc(1, sizeof *r.view);
    NAIK_TRY(r.view != NULL ? NAIK_OK : no_memory(log));
    NAIK_TRY(open_file(&r, path));
    NAIK_TRY(read_facts(&r));
    NAIK_TRY(read_sessions(&r));
    NAIK_TRY(read_records(&r));
    for (int i = 0; i < r.view->pair_count; i++) {
        NAIK_TRY(read_pair(&r, i, i < histories, &last));
    }
    NAIK_TRY(naik_prop_read_contractions(log, r.h5, r.view->size[3], r.view->complete,
                                         &r.view->contractions));
    *out = r.view;
    r.view = NULL;
done:
    if (r.h5 >= 0) {
        H5Fclose(r.h5);
    }
    free(r.records);
    naik_propagator_reader_destroy(&r.view);
    naik_h5_guard_end(&guard);
    return naik_h5_read_verdict(log, status);
}

static void free_facts(naik_reader_fact *facts, int count)
{
    for (int i = 0; i < count; i++) {
        free(facts[i].name);
        free(facts[i].text);
    }
    free(facts);
}

const char *naik_reader_line(const char *text, const char *name)
{
    const size_t length = strlen(name);
    while (text != NULL && (strncmp(text, name, length) != 0 || text[length] != '=')) {
        text = strchr(text, '\n');
        text += text != NULL;
    }
    return text != NULL ? text + length + 1 : NULL;
}

void naik_propagator_reader_destroy(naik_propagator_reader **view)
{
    naik_propagator_reader *v = *view;
    if (v == NULL) {
        return;
    }
    for (int i = 0; v->pairs != NULL && i < v->pair_count; i++) {
        for (int c = 0; c < v->columns; c++) {
            free(v->pairs[i].history[c]);
        }
        for (int k = 0; k < v->pairs[i].correlator_count; k++) {
            free(v->pairs[i].correlators[k].values);
        }
        free(v->pairs[i].correlators);
    }
    free(v->pairs);
    naik_contraction_view_clear(&v->contractions);
    free_facts(v->facts, v->fact_count);
    free_facts(v->texts, v->text_count);
    free(v->path);
    free(v);
    *view = NULL;
}
