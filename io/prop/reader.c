/* reader.c - a propagator file as it is, for people to look at
 *
 * The file's own plan (stored_plan.c) says which solves there are, and access.c reads what they have
 * beside their propagators. Here all of it is compared with its checksums, and what is damaged left out.
 */
#include "io/prop/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "io/beside.h"
#include "io/checksum.h"
#include "io/finite.h"
#include "io/h5/guard.h"
#include "io/h5/metadata_crc.h"
#include "io/prop/contractions.h"
#include "io/prop/prop_file.h"
#include "io/prop/quark_attributes.h"
#include "io/reread.h"

enum { MAX_FACTS = NAIK_SESSIONS + 16 }; /* every run, and other texts */

typedef struct reader {
    naik_log *log;
    naik_comm alone; /* what access.c wants of a communicator: the log */
    naik_propagator_file file;
    naik_propagator_reader *view;
    naik_disk_record *disk; /* [solve_count] */
    int correlators;        /* read of a pair */
} reader;

static naik_status no_memory(naik_log *log)
{
    return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the description of a file");
}

/* What did not read is damaged and left out, and the report goes on; memory that is not there ends it. */
static naik_status damage_or_memory(naik_log *log, naik_status status)
{
    if (status == NAIK_OK || status == NAIK_ERR_MEMORY) {
        return status;
    }
    naik_log_clear(log);
    return NAIK_OK;
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

static naik_status read_document(naik_log *log, hid_t group, const char *name,
                                 naik_reader_fact **facts, int *count)
{
    char *text = NULL;
    naik_status status = damage_or_memory(log, naik_h5_get_document(log, group, name, &text));
    status = status == NAIK_OK ? add_fact(log, facts, count, name, text) : status;
    free(text);
    return status;
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
    hid_t group = -1;
    v->has_metadata_crc = naik_h5_get_text(r->file.h5, "metadata_crc", text, sizeof text);
    status = naik_h5_check_metadata_crc(r->log, r->file.h5, v->path);
    if (status == NAIK_ERR_CORRUPT) {
        snprintf(v->edited, sizeof v->edited, "%s", naik_log_message(r->log));
        naik_log_clear(r->log);
        status = NAIK_OK;
    }
    NAIK_TRY(status);
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        naik_h5_get_text(r->file.h5, roots[i], text, sizeof text);
        NAIK_TRY(add_fact(r->log, &v->facts, &v->fact_count, roots[i], text));
    }
    if (H5Lexists(r->file.h5, "metadata", H5P_DEFAULT) <= 0) {
        return NAIK_OK;
    }
    group = H5Gopen2(r->file.h5, "metadata", H5P_DEFAULT);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        NAIK_TRY(read_document(r->log, group, lines[i], &v->facts, &v->fact_count));
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        NAIK_TRY(read_document(r->log, group, texts[i], &v->texts, &v->text_count));
    }
    for (size_t i = 0; i < sizeof metas / sizeof *metas; i++) {
        naik_h5_get_text(group, metas[i], text, sizeof text);
        NAIK_TRY(add_fact(r->log, &v->facts, &v->fact_count, metas[i], text));
    }
done:
    naik_h5_release(group);
    return status;
}

static naik_status add_session(void *context, int number, const char *text)
{
    reader *r = context;
    char name[32];
    snprintf(name, sizeof name, "run %d", number + 1);
    return add_fact(r->log, &r->view->texts, &r->view->text_count, name, text);
}

/* Type and origin, and the quark of this mass. */
static void describe_source(const reader *r, int source, int mass, naik_reader_pair *pair)
{
    char path[NAIK_PROP_PATH], type[48], colours[16];
    int *x = pair->x0;
    naik_prop_source_path(source, path);
    hid_t object = naik_prop_open_object(r->file.h5, path);
    if (object < 0) {
        return;
    }
    naik_prop_get_quark(object, "", mass, &pair->quark);
    naik_h5_get_text(object, "type", type, sizeof type);
    naik_h5_get_ints(object, "origin", x, NAIK_DIM);
    snprintf(pair->source, sizeof pair->source, "%s at %d,%d,%d,%d", type, x[0], x[1], x[2], x[3]);
    naik_h5_get_ints(object, "phases_from", x, NAIK_DIM);
    if (naik_h5_get_text(object, "colours", colours, sizeof colours)) {
        naik_text_append(pair->source, sizeof pair->source, ", colours %s alone", colours);
    }
    naik_prop_release_object(object);
}

/* The quark, and what the correlators are counted from. Files that do not say have those of quarks
 * without spin from the lattice's origin, and cosines. True where the object is there. */
static bool describe_quark(const reader *r, const char *path, naik_reader_pair *pair)
{
    char weight[8] = "";
    hid_t object = naik_prop_open_object(r->file.h5, path);
    if (object < 0) {
        return false;
    }
    naik_prop_get_quark(object, "", -1, &pair->quark);
    if (naik_h5_get_ints(object, "counted_from", pair->counted_from, NAIK_DIM)) {
        naik_h5_get_text(object, "momentum_weight", weight, sizeof weight);
    } else if (r->file.plan->spin > 1) {
        memcpy(pair->counted_from, pair->x0, sizeof pair->counted_from);
    }
    pair->waves = strcmp(weight, "exp") == 0;
    naik_prop_release_object(object);
    return true;
}

/* The correlators of a pair as its colours give them, [correlators][momenta][T][parts]; *good where
 * every colour agrees with the checksum of its record. */
static naik_status sum_colours(reader *r, int first, double *sum, bool *good)
{
    const int64_t count = naik_prop_corr_count(r->file.plan, r->file.plan->solve[first].source);
    double *one = malloc((size_t)count * sizeof *one);
    if (one == NULL) {
        return no_memory(r->log);
    }
    naik_status status = NAIK_OK;
    *good = true;
    for (int c = 0; c < r->view->columns && *good; c++) {
        status = naik_prop_read_correlators(&r->file, first + c, one);
        *good =
            status == NAIK_OK &&
            naik_crc32(one, (size_t)count * sizeof *one) == r->disk[first + c].correlators_crc &&
            naik_values_are_finite(one, count, 64);
        for (int64_t i = 0; i < count && *good; i++) {
            sum[i] = c == 0 ? one[i] : sum[i] + one[i];
        }
    }
    free(one);
    return damage_or_memory(r->log, *good ? NAIK_OK : status);
}

/* Correlator `index` of a pair, *good where what is stored is `sum`, [T][parts]. */
static naik_status read_correlator(reader *r, int source, int mass, int index, const double *sum,
                                   naik_reader_correlator *c, bool *good)
{
    const naik_prop_plan *plan = r->file.plan;
    const naik_prop_names *names = naik_prop_names_of(plan, source);
    const int times = plan->size[3], parts = names->parts, momentum = index % names->momenta;
    char group[NAIK_PROP_PATH], path[NAIK_PROP_PATH + 2 * NAIK_PROP_NAME];
    naik_status status = NAIK_OK;
    double *found = calloc(2 * (size_t)times, sizeof *found);
    c->values = calloc(2 * (size_t)times, sizeof *c->values);
    if (found == NULL || c->values == NULL) {
        free(found);
        return no_memory(r->log);
    }
    naik_prop_corr_path(plan, source, mass, group);
    snprintf(path, sizeof path, "%s/%s/%s", group, names->correlator[index / names->momenta],
             names->momentum[momentum]);
    hid_t dataset = naik_prop_open_object(r->file.h5, path);
    *good = dataset >= 0 && naik_h5_get_ints(dataset, "momentum", c->momentum, NAIK_DIM - 1) &&
            (status = naik_prop_read_sum(&r->file, source, mass, index, found)) == NAIK_OK &&
            memcmp(found, sum, (size_t)(times * parts) * sizeof *sum) == 0;
    naik_prop_release_object(dataset);
    snprintf(c->meson, sizeof c->meson, "%.31s", names->correlator[index / names->momenta]);
    for (int t = 0; t < times; t++) {
        c->values[2 * t] = found[parts * t];
        c->values[2 * t + 1] = parts == 2 ? found[2 * t + 1] : 0;
    }
    if (!*good) {
        status = damage_or_memory(r->log, status);
        free(c->values);
        c->values = NULL;
    }
    free(found);
    return status;
}

/* Of a pair whose correlators have this group. */
static naik_status read_correlators(reader *r, int first, const char *group, naik_reader_pair *pair)
{
    naik_status status = NAIK_OK;
    const naik_prop_plan *plan = r->file.plan;
    const struct naik_prop_solve *s = &plan->solve[first];
    const naik_prop_names *names = naik_prop_names_of(plan, s->source);
    const int stored = names->correlators * names->momenta;
    const int count = stored < r->correlators ? stored : r->correlators;
    char path[NAIK_PROP_PATH + 16];
    double *sum = NULL;
    bool good = false;
    snprintf(path, sizeof path, "%s/per_colour", group);
    hid_t numbers = naik_prop_open_object(r->file.h5, path);
    const bool there = numbers >= 0;
    naik_prop_release_object(numbers);
    if (!there && H5Lexists(r->file.h5, "metadata/contractions", H5P_DEFAULT) > 0) {
        return NAIK_OK; /* only what several solves give */
    }
    sum = calloc((size_t)naik_prop_corr_count(plan, s->source) + 1, sizeof *sum);
    if (sum == NULL) {
        return no_memory(r->log);
    }
    if (there && stored > 0) {
        NAIK_TRY(sum_colours(r, first, sum, &good));
    }
    pair->correlators_damaged = !good;
    if (!good) {
        goto done;
    }
    pair->correlators_stored = stored;
    pair->correlators = calloc((size_t)count + 1, sizeof *pair->correlators);
    if (pair->correlators == NULL) {
        status = no_memory(r->log);
        goto done;
    }
    for (int i = 0; i < count; i++) {
        NAIK_TRY(read_correlator(r, s->source, s->mass, i,
                                 sum + (size_t)i * (size_t)(plan->size[3] * names->parts),
                                 &pair->correlators[pair->correlator_count], &good));
        pair->correlator_count += good;
        pair->correlators_damaged = pair->correlators_damaged || !good;
    }
done:
    free(sum);
    return status;
}

/* The first `most` residuals of a solve; its checksum is over the whole row. */
static naik_status read_history(reader *r, int solve, int most, double **out, int *count)
{
    const int stride = r->file.plan->history_stride;
    if (most <= 0 || stride == 0) {
        return NAIK_OK;
    }
    *out = calloc((size_t)stride, sizeof **out);
    if (*out == NULL) {
        return no_memory(r->log);
    }
    r->view->histories++;
    const naik_status status = naik_prop_read_history(&r->file, solve, *out);
    if (status == NAIK_OK &&
        naik_crc32(*out, (size_t)stride * sizeof **out) == r->disk[solve].history_crc) {
        *count = most < stride ? most : stride;
        return NAIK_OK;
    }
    r->view->bad_histories++;
    free(*out);
    *out = NULL;
    return damage_or_memory(r->log, status);
}

static naik_status read_pair(reader *r, int index, bool with_history)
{
    naik_reader_pair *pair = &r->view->pairs[index];
    const naik_prop_plan *plan = r->file.plan;
    const int columns = r->view->columns, first = columns * index;
    const struct naik_prop_solve *s = &plan->solve[first];
    char path[NAIK_PROP_PATH];
    int pending = 0;
    for (int c = 0; c < columns; c++) {
        naik_solve_record *record = &pair->solve[c];
        if (!naik_disk_record_unpack(&r->disk[first + c], record)) {
            *record = (naik_solve_record){.state = NAIK_SOLVE_PENDING};
            r->view->bad_records++;
        }
        pending += record->state == NAIK_SOLVE_PENDING;
    }
    if (s->source < 0) {
        snprintf(pair->label, sizeof pair->label, "damaged");
        return NAIK_OK;
    }
    const struct naik_prop_source *source = &plan->source[s->source];
    snprintf(pair->label, sizeof pair->label, "%s", plan->set_name[source->set]);
    if (source->of > 1) {
        naik_text_append(pair->label, sizeof pair->label, "/s%04d", source->within);
    }
    describe_source(r, s->source, s->mass, pair);
    naik_prop_slab_path(s->source, s->mass, path);
    describe_quark(r, path, pair);
    naik_prop_corr_path(plan, s->source, s->mass, path);
    if (describe_quark(r, path, pair) && pending == 0) {
        NAIK_PASS(read_correlators(r, first, path, pair));
    }
    for (int c = 0; c < columns && with_history; c++) {
        NAIK_PASS(read_history(r, first + c, pair->solve[c].history_count, &pair->history[c],
                               &pair->history_count[c]));
    }
    return NAIK_OK;
}

static naik_status open_file(reader *r, const char *path)
{
    char text[64] = "", name[NAIK_PATH_MAX];
    naik_propagator_reader *v = r->view;
    snprintf(name, sizeof name, "%s%s", path, access(path, F_OK) == 0 ? "" : ".part");
    if (access(name, R_OK) != 0) {
        return NAIK_FAIL(r->log, NAIK_ERR_INPUT,
                         "'%s' cannot be read, and there is no '%s.part' of an unfinished run%s",
                         path, path, naik_file_in_parts(path));
    }
    v->path = strdup(name);
    if (v->path == NULL) {
        return no_memory(r->log);
    }
    NAIK_PASS(naik_h5_open_alone(r->log, name, &r->file.h5));
    if (!naik_h5_get_text(r->file.h5, "state", text, sizeof text) && naik_beside_in_making(name)) {
        return NAIK_FAIL(r->log, NAIK_ERR_CORRUPT, "'%s' has no state yet", name);
    }
    naik_h5_get_text(r->file.h5, "format", text, sizeof text);
    if (strcmp(text, "naik-prop") != 0) {
        return NAIK_FAIL(r->log, NAIK_ERR_INPUT, "'%s' is no propagator file of naik", name);
    }
    NAIK_PASS(naik_prop_describe_alone(r->log, r->file.h5, name, &r->file, &r->disk));
    memcpy(v->size, r->file.plan->size, sizeof v->size);
    v->columns = naik_prop_columns(r->file.plan);
    v->pairs = calloc((size_t)(r->file.plan->solve_count / v->columns), sizeof *v->pairs);
    if (v->pairs == NULL) {
        return no_memory(r->log);
    }
    v->pair_count = r->file.plan->solve_count / v->columns;
    naik_h5_get_text(r->file.h5, "state", text, sizeof text);
    v->complete = strcmp(text, "complete") == 0;
    return NAIK_OK;
}

/* Correlators of several solves do not say of which kind their quarks are: all of a file are of one. */
static void tell_kind(naik_propagator_reader *v)
{
    for (int i = 0; i < v->contractions.count && v->pair_count > 0; i++) {
        naik_reader_contraction *c = &v->contractions.item[i];
        for (int k = 0; k < c->quarks; k++) {
            c->quark[k].quark.kind = v->pairs[0].quark.kind;
        }
        c->spectator.quark.kind = v->pairs[0].quark.kind;
    }
}

naik_status naik_propagator_reader_open(naik_log *log, const char *path, int histories,
                                        int correlators, naik_propagator_reader **out)
{
    naik_status status = NAIK_OK;
    reader r = {.log = log,
                .alone = {.log = log, .size = 1},
                .file = {.h5 = -1, .complete = true},
                .correlators = correlators};
    naik_h5_guard guard;
    *out = NULL;
    r.file.comm = &r.alone;
    naik_h5_guard_begin(&guard);
    r.view = calloc(1, sizeof *r.view);
    if (r.view == NULL) {
        status = no_memory(log);
        goto done;
    }
    NAIK_TRY(open_file(&r, path));
    NAIK_TRY(read_facts(&r));
    NAIK_TRY(naik_prop_read_sessions(log, r.file.h5, add_session, &r));
    for (int i = 0; i < r.view->pair_count; i++) {
        NAIK_TRY(read_pair(&r, i, i < histories));
    }
    NAIK_TRY(naik_prop_read_contractions(log, r.file.h5, r.view->size[3], r.view->complete,
                                         &r.view->contractions));
    tell_kind(r.view);
    *out = r.view;
    r.view = NULL;
done:
    if (r.file.h5 >= 0) {
        H5Fclose(r.file.h5);
    }
    status = naik_h5_read_verdict(log, status);
    if (r.view != NULL && r.view->path != NULL) {
        status =
            naik_beside_explain(log, r.view->path, naik_beside_in_making(r.view->path), status);
    }
    naik_prop_plan_destroy(&r.file.plan);
    free(r.file.records);
    free(r.file.small_crc);
    free(r.disk);
    naik_propagator_reader_destroy(&r.view);
    naik_h5_guard_end(&guard);
    return status;
}

static const char *find_fact(const naik_reader_fact *facts, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(facts[i].name, name) == 0) {
            return facts[i].text;
        }
    }
    return NULL;
}

const char *naik_propagator_reader_text(const naik_propagator_reader *view, const char *name)
{
    const char *text = find_fact(view->texts, view->text_count, name);
    return text != NULL ? text : find_fact(view->facts, view->fact_count, name);
}

static void free_facts(naik_reader_fact *facts, int count)
{
    for (int i = 0; i < count; i++) {
        free(facts[i].name);
        free(facts[i].text);
    }
    free(facts);
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
