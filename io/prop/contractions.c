/* contractions.c - correlators made of several solves, in a propagator file */
#include "io/prop/contractions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/new.h"
#include "io/checksum.h"
#include "io/finite.h"
#include "io/prop/quark_attributes.h"

/* Tells a checksum that was written from whatever else lies there. */
#define WRITTEN ((int64_t)0x6e61696b << 32)

enum { MAX_CONTRACTIONS = 1 << 20 };

static const char *const table_name = "/contractions";

/* Attributes of a quark: its source, and how the names of its numbers begin. Of a meson the second is
 * the antiquark, a baryon has three. */
typedef struct quark_names {
    const char *source, *prefix;
} quark_names;

static const quark_names names_of[] = {{"quark", ""},
                                       {"antiquark", "antiquark_"},
                                       {"second_quark", "second_"},
                                       {"third_quark", "third_"}};

/* Of quark k of so many. */
static const quark_names *quark_name(int k, int quarks)
{
    return &names_of[quarks == 3 && k > 0 ? k + 1 : k];
}

/* What a three-point function has beside quark, antiquark and current. */
static naik_status put_three_point(naik_log *log, hid_t dataset, const naik_contraction *c)
{
    if (!c->three_point) {
        return NAIK_OK;
    }
    NAIK_PASS(naik_h5_put_text(log, dataset, "spectator", c->spectator.source));
    NAIK_PASS(naik_prop_put_hadron_quark(log, dataset, "spectator_", &c->spectator.quark));
    NAIK_PASS(naik_h5_put_ints(log, dataset, "sink_time", &c->sink_time, 0));
    NAIK_PASS(naik_h5_put_ints(log, dataset, "sink_momentum", c->sink_momentum, NAIK_DIM - 1));
    NAIK_PASS(naik_h5_put_text(log, dataset, "sink_operator", c->sink_operator));
    if (c->source_operator != NULL) {
        NAIK_PASS(naik_h5_put_text(log, dataset, "source_operator", c->source_operator));
    }
    return NAIK_OK;
}

/* What an average of truncated solves has. */
static naik_status put_truncated(naik_log *log, hid_t dataset, const naik_contraction *c)
{
    if (c->exact_count == 0) {
        return NAIK_OK;
    }
    NAIK_PASS(naik_h5_put_ints(log, dataset, "source_count", &c->source_count, 0));
    NAIK_PASS(naik_h5_put_ints(log, dataset, "exact_sources", c->exact, c->exact_count));
    NAIK_PASS(naik_h5_put_f64(log, dataset, "tolerance", &c->tolerance, 0));
    return naik_h5_put_f64(log, dataset, "tolerance_sloppy", &c->tolerance_sloppy, 0);
}

static naik_status put_attributes(naik_log *log, hid_t dataset, const naik_contraction *c)
{
    NAIK_PASS(naik_h5_put_text(log, dataset, "correlator", c->correlator));
    NAIK_PASS(naik_h5_put_text(log, dataset, "quantity", c->quantity));
    for (int k = 0; k < c->quarks; k++) {
        const quark_names *name = quark_name(k, c->quarks);
        NAIK_PASS(naik_h5_put_text(log, dataset, name->source, c->quark[k].source));
        NAIK_PASS(naik_prop_put_hadron_quark(log, dataset, name->prefix, &c->quark[k].quark));
    }
    NAIK_PASS(put_three_point(log, dataset, c));
    NAIK_PASS(put_truncated(log, dataset, c));
    if (c->sink != NULL) {
        NAIK_PASS(naik_h5_put_text(log, dataset, "sink", c->sink));
    }
    if (c->sink_iterations > 0) {
        NAIK_PASS(naik_h5_put_f64(log, dataset, "sink_radius", &c->sink_radius, 0));
        NAIK_PASS(naik_h5_put_ints(log, dataset, "sink_iterations", &c->sink_iterations, 0));
    }
    NAIK_PASS(naik_h5_put_ints(log, dataset, "momentum", c->momentum, NAIK_DIM - 1));
    NAIK_PASS(naik_h5_put_text(log, dataset, "definition", c->definition));
    if (c->weight != NULL) {
        NAIK_PASS(naik_h5_put_text(log, dataset, "momentum_weight", c->weight));
    }
    if (c->weight != NULL && c->counted) {
        NAIK_PASS(naik_h5_put_ints(log, dataset, "counted_from", c->counted_from, NAIK_DIM));
    }
    return NAIK_OK;
}

/* Their paths, a line each; owned by the caller, NULL without memory. */
static char *list_paths(const naik_propagator_spec *spec)
{
    char *text = calloc((size_t)spec->contraction_count + 1, NAIK_PROP_PATH + 1);
    char *end = text;
    for (int i = 0; text != NULL && i < spec->contraction_count; i++) {
        end += sprintf(end, "%s\n", spec->contractions[i].path);
    }
    return text;
}

static naik_status make_table(naik_propagator_file *file, int count)
{
    naik_log *log = file->comm->log;
    naik_status status = NAIK_OK;
    const hsize_t start[1] = {0}, dims[1] = {(hsize_t)count};
    hid_t table = -1;
    int64_t *blank = calloc((size_t)count, sizeof *blank);
    if (blank == NULL) {
        NAIK_TRY(NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for contractions"));
    }
    NAIK_TRY(naik_h5_dataset(log, file->h5, table_name, H5T_STD_I64LE, 1, dims, NULL, &table));
    NAIK_TRY(naik_h5_put_text(log, table, "crc",
                              "in the lower 32 bits: crc32 of the numbers of the dataset that "
                              "/metadata/contractions names in this place"));
    NAIK_TRY(naik_h5_write_part(log, table, H5T_NATIVE_INT64, start, dims, blank));
done:
    naik_h5_release(table);
    free(blank);
    return status;
}

naik_status naik_prop_make_contractions(naik_propagator_file *file,
                                        const naik_propagator_spec *spec)
{
    naik_log *log = file->comm->log;
    naik_status status = NAIK_OK;
    const hsize_t dims[1] = {(hsize_t)file->plan->size[3]};
    hid_t type = naik_h5_complex(64), dataset = -1, group = -1;
    char *paths = NULL;
    if (spec->contraction_count == 0) {
        goto done;
    }
    paths = list_paths(spec);
    if (paths == NULL) {
        NAIK_TRY(NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for contractions"));
    }
    group = H5Gopen2(file->h5, "metadata", H5P_DEFAULT);
    NAIK_TRY(naik_h5_put_document(file->comm, group, "contractions", paths));
    NAIK_TRY(make_table(file, spec->contraction_count));
    for (int i = 0; i < spec->contraction_count; i++) {
        NAIK_TRY(naik_h5_dataset(log, file->h5, spec->contractions[i].path, type, 1, dims, NULL,
                                 &dataset));
        NAIK_TRY(put_attributes(log, dataset, &spec->contractions[i]));
        naik_h5_release(dataset);
        dataset = -1;
    }
done:
    naik_h5_release(dataset);
    naik_h5_release(group);
    naik_h5_release(type);
    free(paths);
    return status;
}

static int64_t word_of(const double *values, int times)
{
    return WRITTEN | naik_crc32(values, 2 * (size_t)times * sizeof *values);
}

/* Rank 0: the numbers of one, read or written. */
static naik_status move(const naik_propagator_file *file, int index, double *in, const double *out)
{
    naik_log *log = file->comm->log;
    naik_status status = NAIK_OK;
    const hsize_t start[1] = {0}, count[1] = {(hsize_t)file->plan->size[3]};
    hid_t type = naik_h5_complex(64);
    hid_t dataset = H5Dopen2(file->h5, file->plan->contraction[index], H5P_DEFAULT);
    NAIK_H5_TRY(log, dataset, "opening a contraction");
    NAIK_TRY(in != NULL ? naik_h5_read_part(log, dataset, type, start, count, in)
                        : naik_h5_write_part(log, dataset, type, start, count, out));
done:
    naik_h5_release(dataset);
    naik_h5_release(type);
    return status;
}

/* Rank 0: checksums of `count` of them, read or written. */
static naik_status move_words(const naik_propagator_file *file, int first, int count, int64_t *in,
                              const int64_t *out)
{
    naik_log *log = file->comm->log;
    naik_status status = NAIK_OK;
    const hsize_t start[1] = {(hsize_t)first}, some[1] = {(hsize_t)count};
    hid_t table = H5Dopen2(file->h5, table_name, H5P_DEFAULT);
    NAIK_H5_TRY(log, table, "opening the checksums of contractions");
    NAIK_TRY(in != NULL ? naik_h5_read_part(log, table, H5T_NATIVE_INT64, start, some, in)
                        : naik_h5_write_part(log, table, H5T_NATIVE_INT64, start, some, out));
done:
    naik_h5_release(table);
    return status;
}

/* Rank 0: the numbers of all that are chosen, and then their checksums. */
static naik_status write_some(const naik_propagator_file *file, int first, int count,
                              const bool *chosen, const double *values)
{
    naik_log *log = file->comm->log;
    naik_status status = NAIK_OK;
    const int times = file->plan->size[3];
    int64_t *word = calloc((size_t)count, sizeof *word);
    if (word == NULL) {
        NAIK_TRY(NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for contractions"));
    }
    if (chosen != NULL) {
        NAIK_TRY(move_words(file, first, count, word, NULL));
    }
    for (int i = 0; i < count; i++) {
        const double *mine = values + 2 * (size_t)i * (size_t)times;
        if (chosen == NULL || chosen[i]) {
            NAIK_TRY(naik_refuse_not_finite(log, mine, 2 * (int64_t)times, 64,
                                            file->plan->contraction[first + i]));
            NAIK_TRY(move(file, first + i, NULL, mine));
            word[i] = word_of(mine, times);
        }
    }
    NAIK_TRY(move_words(file, first, count, NULL, word));
done:
    free(word);
    return status;
}

naik_status naik_propagator_file_contract(naik_propagator_file *file, int first, int count,
                                          const bool *chosen, const double *values)
{
    naik_comm *comm = file->comm;
    naik_status status = NAIK_OK;
    if (file->complete || first < 0 || count < 1 || first > file->plan->contraction_count - count) {
        return NAIK_FAIL(comm->log, NAIK_ERR_ARG, "contraction %d cannot be written", first);
    }
    if (comm->rank == 0) {
        status = write_some(file, first, count, chosen, values);
    }
    status = naik_comm_agree(comm, status);
    file->broken = file->broken || status == NAIK_ERR_IO;
    return status;
}

naik_status naik_propagator_file_contraction(naik_propagator_file *file, int index, double *values,
                                             bool *there)
{
    naik_comm *comm = file->comm;
    const int times = file->plan->size[3];
    *there = false;
    if (comm->rank == 0) {
        int64_t word = 0;
        *there = move(file, index, values, NULL) == NAIK_OK &&
                 move_words(file, index, 1, &word, NULL) == NAIK_OK &&
                 word == word_of(values, times);
        if (!*there) {
            naik_log_clear(comm->log);
        }
    }
    NAIK_PASS(naik_comm_broadcast(comm, there, sizeof *there, 0));
    return naik_comm_broadcast(comm, values, 2 * (size_t)times * sizeof *values, 0);
}

naik_status naik_prop_check_contractions(const naik_propagator_file *file, bool all, int *bad)
{
    naik_comm *comm = file->comm;
    naik_status status = NAIK_OK;
    const int times = file->plan->size[3], count = file->plan->contraction_count;
    double *values = NULL;
    int64_t *word = NULL;
    NAIK_TRY(naik_new(comm, 2 * (size_t)times * sizeof *values, "contractions", (void **)&values));
    NAIK_TRY(naik_new(comm, ((size_t)count + 1) * sizeof *word, "contractions", (void **)&word));
    if (comm->rank == 0 && count > 0 && move_words(file, 0, count, word, NULL) != NAIK_OK) {
        memset(word, 0, (size_t)count * sizeof *word); /* none of them is one */
        naik_log_clear(comm->log);
    }
    for (int i = 0; i < count && comm->rank == 0; i++) {
        const bool asked = all || !file->plan->follows[i];
        if (asked &&
            (move(file, i, values, NULL) != NAIK_OK || word[i] != word_of(values, times))) {
            naik_log_clear(comm->log);
            ++*bad;
            naik_log_warn(comm->log, "%s did not read back as written", file->plan->contraction[i]);
        }
    }
    NAIK_TRY(naik_comm_broadcast(comm, bad, sizeof *bad, 0));
done:
    free(word);
    free(values);
    return status;
}

/* A dataset of a file that may be damaged: [count] of `size_bytes` each. */
static hid_t open_list(hid_t h5, const char *path, H5T_class_t class, size_t size_bytes,
                       hsize_t count)
{
    hsize_t dims[1] = {0};
    hid_t dataset = H5Dopen2(h5, path, H5P_DEFAULT);
    hid_t space = dataset < 0 ? -1 : H5Dget_space(dataset);
    hid_t type = dataset < 0 ? -1 : H5Dget_type(dataset);
    if (space < 0 || H5Sget_simple_extent_ndims(space) != 1 ||
        H5Sget_simple_extent_dims(space, dims, NULL) != 1 || dims[0] != count || type < 0 ||
        H5Tget_class(type) != class || H5Tget_size(type) != size_bytes ||
        !naik_h5_layout_holds(dataset, (int64_t)(count * size_bytes))) {
        naik_h5_release(dataset);
        dataset = -1;
    }
    naik_h5_release(type);
    naik_h5_release(space);
    return dataset;
}

static void read_three_point(hid_t dataset, naik_reader_contraction *c)
{
    c->three_point = H5Aexists(dataset, "spectator") > 0;
    if (!c->three_point) {
        return;
    }
    naik_h5_get_text(dataset, "spectator", c->spectator.source, sizeof c->spectator.source);
    naik_prop_get_quark(dataset, "spectator_", -1, &c->spectator.quark);
    naik_h5_get_ints(dataset, "sink_time", &c->sink_time, 1);
    naik_h5_get_ints(dataset, "sink_momentum", c->sink_momentum, NAIK_DIM - 1);
    naik_h5_get_text(dataset, "sink_operator", c->sink_operator, sizeof c->sink_operator);
    naik_h5_get_text(dataset, "source_operator", c->source_operator, sizeof c->source_operator);
}

static void read_attributes(hid_t dataset, naik_reader_contraction *c)
{
    naik_h5_get_text(dataset, "correlator", c->correlator, sizeof c->correlator);
    naik_h5_get_text(dataset, "quantity", c->quantity, sizeof c->quantity);
    c->quarks = H5Aexists(dataset, names_of[1].source) > 0   ? 2
                : H5Aexists(dataset, names_of[2].source) > 0 ? 3
                                                             : 1;
    for (int k = 0; k < c->quarks; k++) {
        const quark_names *name = quark_name(k, c->quarks);
        naik_h5_get_text(dataset, name->source, c->quark[k].source, sizeof c->quark[k].source);
        naik_prop_get_quark(dataset, name->prefix, -1, &c->quark[k].quark);
    }
    naik_h5_get_text(dataset, "sink", c->sink, sizeof c->sink);
    read_three_point(dataset, c);
    c->truncated = H5Aexists(dataset, "exact_sources") > 0;
    naik_h5_get_text(dataset, "momentum_weight", c->weight, sizeof c->weight);
    c->counted = naik_h5_get_ints(dataset, "counted_from", c->counted_from, NAIK_DIM);
    naik_h5_get_ints(dataset, "momentum", c->momentum, NAIK_DIM - 1);
}

/* *good: numbers and checksum agree. */
static naik_status read_one(naik_log *log, hid_t h5, const char *path, int times, int64_t word,
                            naik_reader_contraction *c, bool *good)
{
    const hsize_t start[1] = {0}, count[1] = {(hsize_t)times};
    hid_t type = naik_h5_complex(64);
    hid_t dataset = open_list(h5, path, H5T_COMPOUND, 2 * sizeof(double), count[0]);
    *c = (naik_reader_contraction){.momentum = {0}};
    snprintf(c->path, sizeof c->path, "%s", path);
    c->values = calloc(2 * (size_t)times, sizeof *c->values);
    *good = c->values != NULL && dataset >= 0 &&
            naik_h5_read_part(log, dataset, type, start, count, c->values) == NAIK_OK &&
            word == word_of(c->values, times) &&
            naik_values_are_finite(c->values, 2 * (int64_t)times, 64);
    if (*good) {
        read_attributes(dataset, c);
    } else {
        naik_log_clear(log);
    }
    naik_h5_release(dataset);
    naik_h5_release(type);
    return c->values != NULL ? NAIK_OK
                             : NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for contractions");
}

static naik_status read_listed(naik_log *log, hid_t h5, int times, bool complete, char *paths,
                               const int64_t *word, int count, naik_contraction_view *view)
{
    char *rest = NULL;
    const char *path = strtok_r(paths, "\n", &rest);
    for (int i = 0; i < count && path != NULL; i++, path = strtok_r(NULL, "\n", &rest)) {
        naik_reader_contraction *next = &view->item[view->count];
        bool good = false;
        if (word[i] == 0) {
            view->bad += complete;
            continue; /* not made yet */
        }
        const naik_status status = read_one(log, h5, path, times, word[i], next, &good);
        view->count += good;
        view->bad += !good;
        if (!good) {
            free(next->values);
            next->values = NULL;
        }
        NAIK_PASS(status);
    }
    return NAIK_OK;
}

naik_status naik_prop_read_contractions(naik_log *log, hid_t h5, int times, bool complete,
                                        naik_contraction_view *view)
{
    naik_status status = NAIK_OK;
    char *paths = NULL;
    int64_t *word = NULL;
    int count = 0;
    hid_t table = -1;
    if (H5Lexists(h5, "metadata", H5P_DEFAULT) <= 0 ||
        H5Lexists(h5, "metadata/contractions", H5P_DEFAULT) <= 0) {
        return NAIK_OK;
    }
    status = naik_h5_get_document(log, h5, "metadata/contractions", &paths);
    for (const char *c = paths; status == NAIK_OK && c != NULL && *c != '\0'; c++) {
        count += *c == '\n';
    }
    if (status != NAIK_OK || paths == NULL || count == 0 || count > MAX_CONTRACTIONS) {
        naik_log_clear(log);
        view->bad++;
        status = status == NAIK_ERR_MEMORY ? status : NAIK_OK;
        goto done;
    }
    const hsize_t start[1] = {0}, dims[1] = {(hsize_t)count};
    word = calloc((size_t)count, sizeof *word);
    view->item = calloc((size_t)count, sizeof *view->item);
    if (word == NULL || view->item == NULL) {
        status = NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for contractions");
        goto done;
    }
    table = open_list(h5, table_name, H5T_INTEGER, sizeof *word, dims[0]);
    if (table < 0 ||
        naik_h5_read_part(log, table, H5T_NATIVE_INT64, start, dims, word) != NAIK_OK) {
        naik_log_clear(log);
        view->bad += count;
        goto done;
    }
    NAIK_TRY(read_listed(log, h5, times, complete, paths, word, count, view));
done:
    naik_h5_release(table);
    free(word);
    free(paths);
    return status;
}

void naik_contraction_view_clear(naik_contraction_view *view)
{
    for (int i = 0; i < view->count; i++) {
        free(view->item[i].values);
    }
    free(view->item);
    *view = (naik_contraction_view){.count = 0};
}
