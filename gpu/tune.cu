/* tune.cu - choosing between kernels that give equal bits, by measuring each of them once
 *
 * What was found is kept in a small text file for the next run (kept_lines.h), in a section whose header
 * names the file's version, the device, the driver and naik's commit. Other sections are ignored and stay,
 * and a choice that is none of the present variants is ignored.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/backend_gpu.h"

extern "C" {
#include "base/timer.h"
#include "comm/kept_lines.h"
#include "naik/version.h"
}

enum { TUNE_TRIES = 3, TUNE_LEAST = 2, TUNE_MOST = 8, TUNE_HEADER = 512, TUNE_PATH = 4096 };
enum { TUNE_LINE = 13 * 12 + 8 }; /* bytes of an entry as text, and more */
static const char TUNE_MARK[] = "naik-tune ";
static const double TUNE_BUDGET_S = 2.5;  /* of a run */
static const double TUNE_SAMPLE_S = 1e-3; /* about, of launches that are timed together */
static const double TUNE_HOPELESS = 1.25; /* times the fastest so far: not looked at again */
static const double TUNE_WORTH = 0.99; /* of the time of the usual variant, to be chosen instead */

typedef struct tune_entry {
    gpu_tune_key key;
    gpu_variant variant;
} tune_entry;

typedef struct gpu_tuning {
    tune_entry *entry; /* [count], grows */
    int count, capacity, measured;
    int loaded; /* the first so many entries were in the file */
    double spent_s;
    gpu_event start, stop;
    char header[TUNE_HEADER], path[TUNE_PATH]; /* "": nothing is kept */
} gpu_tuning;

static naik_status remember(naik_backend *backend, const tune_entry *entry)
{
    gpu_tuning *tuning = gpu_state_of(backend)->tuning;
    if (tuning->count == tuning->capacity) {
        int capacity = 2 * tuning->capacity + 16;
        tune_entry *grown = (tune_entry *)realloc(tuning->entry, (size_t)capacity * sizeof *grown);
        if (grown == NULL) {
            return NAIK_FAIL(backend->log, NAIK_ERR_MEMORY, "no memory for the tuner");
        }
        tuning->entry = grown;
        tuning->capacity = capacity;
    }
    tuning->entry[tuning->count++] = *entry;
    return NAIK_OK;
}

static void choose_path(gpu_tuning *tuning, const char *wanted)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = 0;
    if (wanted != NULL && strcmp(wanted, "none") == 0) {
        return;
    }
    if (wanted != NULL && strcmp(wanted, "auto") != 0) {
        n = snprintf(tuning->path, TUNE_PATH, "%s", wanted);
    } else if (cache != NULL && cache[0] == '/') {
        n = snprintf(tuning->path, TUNE_PATH, "%s/naik/tune", cache);
    } else if (home != NULL && home[0] == '/') {
        n = snprintf(tuning->path, TUNE_PATH, "%s/.cache/naik/tune", home);
    }
    if (n < 0 || n > TUNE_PATH - 64) {
        tuning->path[0] = '\0';
    }
}

static void describe_self(naik_backend *backend, gpu_tuning *tuning)
{
    int driver = 0;
    (void)gpu_driver_version(&driver);
    snprintf(tuning->header, TUNE_HEADER, "%s4, %s, %s driver %d, naik %s", TUNE_MARK,
             gpu_state_of(backend)->properties.name, GPU_VENDOR_NAME, driver, naik_version_git());
}

static bool parse_entry(const char *line, tune_entry *entry)
{
    int *key = entry->key.value;
    gpu_variant *v = &entry->variant;
    memset(entry, 0, sizeof *entry);
    return sscanf(line, "%d %d %d %d %d %d %d %d: %d %d %d %d %d", &key[0], &key[1], &key[2],
                  &key[3], &key[4], &key[5], &key[6], &key[7], &v->rhs, &v->sites, &v->together,
                  &v->threads, &v->order) == GPU_TUNE_KEYS + 5;
}

/* A cache that cannot be read or does not fit is as good as none. */
static naik_status load_cache(naik_backend *backend, gpu_tuning *tuning)
{
    naik_status status = NAIK_OK;
    char *lines = NULL;
    bool other = false;
    if (tuning->path[0] == '\0') {
        return NAIK_OK;
    }
    naik_kept_lines_read(tuning->path, TUNE_MARK, tuning->header, &lines, &other);
    if (other) {
        naik_log_warn(backend->log, "run.tune_cache: %s holds something else: nothing is kept",
                      tuning->path);
        tuning->path[0] = '\0'; /* nor written over */
    }
    for (char *line = lines, *next; line != NULL && *line != '\0'; line = next) {
        tune_entry entry;
        next = line + strcspn(line, "\n");
        next += *next != '\0' ? (*next = '\0', 1) : 0;
        if (parse_entry(line, &entry)) {
            NAIK_TRY(remember(backend, &entry));
        }
    }
    tuning->loaded = tuning->count;
done:
    free(lines);
    return status;
}

/* What was measured here. A cache that cannot be written costs the next run its seconds, nothing else. */
static void save_cache(const gpu_tuning *tuning)
{
    const size_t size_bytes = (size_t)(tuning->count - tuning->loaded) * TUNE_LINE + 1;
    char *lines = (char *)calloc(size_bytes, 1), *at = lines;
    for (int i = tuning->loaded; lines != NULL && i < tuning->count; i++) {
        const int *key = tuning->entry[i].key.value;
        const gpu_variant *v = &tuning->entry[i].variant;
        at += snprintf(at, TUNE_LINE, "%d %d %d %d %d %d %d %d: %d %d %d %d %d\n", key[0], key[1],
                       key[2], key[3], key[4], key[5], key[6], key[7], v->rhs, v->sites,
                       v->together, v->threads, v->order);
    }
    if (lines != NULL) {
        (void)naik_kept_lines_merge(tuning->path, TUNE_MARK, tuning->header, lines);
    }
    free(lines);
}

naik_status gpu_tune_open(naik_backend *backend, const char *path)
{
    gpu_tuning *tuning = (gpu_tuning *)calloc(1, sizeof *tuning);
    if (tuning == NULL) {
        return NAIK_FAIL(backend->log, NAIK_ERR_MEMORY, "no memory for the tuner");
    }
    gpu_state_of(backend)->tuning = tuning;
    NAIK_PASS(GPU_CHECK(backend, gpu_event_create(&tuning->start), "making an event"));
    NAIK_PASS(GPU_CHECK(backend, gpu_event_create(&tuning->stop), "making an event"));
    describe_self(backend, tuning);
    choose_path(tuning, path);
    return load_cache(backend, tuning);
}

void gpu_tune_close(naik_backend *backend)
{
    gpu_tuning *tuning = gpu_state_of(backend)->tuning;
    if (tuning == NULL) {
        return;
    }
    if (tuning->measured > 0 && tuning->path[0] != '\0' && backend->comm->rank == 0) {
        save_cache(tuning);
    }
    if (tuning->start != NULL) {
        (void)gpu_event_destroy(tuning->start);
    }
    if (tuning->stop != NULL) {
        (void)gpu_event_destroy(tuning->stop);
    }
    free(tuning->entry);
    free(tuning);
    gpu_state_of(backend)->tuning = NULL;
}

static bool same_variant(const gpu_variant *a, const gpu_variant *b)
{
    return a->rhs == b->rhs && a->sites == b->sites && a->together == b->together &&
           a->threads == b->threads && a->order == b->order;
}

bool gpu_tune_find(naik_backend *backend, const gpu_tune_key *key, const gpu_variants *list,
                   gpu_variant *out)
{
    const gpu_tuning *tuning = gpu_state_of(backend)->tuning;
    for (int i = tuning->count - 1; i >= 0; i--) {
        const tune_entry *entry = &tuning->entry[i];
        if (memcmp(&entry->key, key, sizeof *key) != 0) {
            continue;
        }
        for (int k = 0; k < list->count; k++) {
            if (same_variant(&entry->variant, &list->variant[k])) {
                *out = entry->variant;
                return true;
            }
        }
    }
    return false;
}

typedef naik_status (*tune_run)(const void *data, const gpu_variant *variant);

/* One launch of a variant under trial. */
typedef struct tune_launch {
    tune_run run;
    const void *data;
    const gpu_variant *variant;
} tune_launch;

static naik_status launch_once(void *data)
{
    const tune_launch *l = (const tune_launch *)data;
    return l->run(l->data, l->variant);
}

/* So many of them between two events: as a recorded iteration would launch them, or, without a
 * graph, one by one. *seconds: each */
static naik_status time_launches(naik_backend *backend, const tune_launch *launch, int launches,
                                 gpu_graph_exec graph, double *seconds)
{
    const gpu_state *state = gpu_state_of(backend);
    float ms = 0;
    NAIK_PASS(GPU_CHECK(backend, gpu_event_record(state->tuning->start, state->stream), "timing"));
    if (graph != NULL) {
        NAIK_PASS(GPU_CHECK(backend, gpu_graph_launch(graph, state->stream), "trying kernels"));
    }
    for (int i = 0; i < launches && graph == NULL; i++) {
        NAIK_PASS(launch->run(launch->data, launch->variant));
    }
    NAIK_PASS(GPU_CHECK(backend, gpu_event_record(state->tuning->stop, state->stream), "timing"));
    NAIK_PASS(GPU_CHECK(backend, gpu_event_sync(state->tuning->stop), "trying kernels"));
    NAIK_PASS(GPU_CHECK(
        backend, gpu_event_elapsed_ms(&ms, state->tuning->start, state->tuning->stop), "timing"));
    *seconds = 1e-3 * (double)ms / launches;
    return NAIK_OK;
}

/* The least of a few samples, after launches that are not counted. A sample has more launches of a
 * short kernel than of a long one, whose time is beyond doubt sooner; a kernel that is far behind
 * best_s is launched twice and no more. */
static naik_status time_variant(naik_backend *backend, tune_run run, const void *data,
                                const gpu_variant *v, double best_s, double *seconds)
{
    naik_status status = NAIK_OK;
    tune_launch launch = {run, data, v};
    gpu_graph_exec graph = NULL;
    double sample = 0;
    int launches = 0;
    NAIK_TRY(run(data, v)); /* kernels are loaded on first use */
    NAIK_TRY(time_launches(backend, &launch, 1, NULL, seconds));
    if (*seconds > TUNE_HOPELESS * best_s + TUNE_SAMPLE_S / 100) {
        return NAIK_OK;
    }
    launches = (int)fmin(fmax(ceil(TUNE_SAMPLE_S / fmax(*seconds, 1e-9)), TUNE_LEAST), TUNE_MOST);
    if (GPU_GRAPHS_ARE_QUICK && launches == TUNE_MOST) { /* of longer kernels, launching hides */
        gpu_record(backend, launch_once, &launch, launches, &graph);
        NAIK_TRY(time_launches(backend, &launch, launches, graph, &sample));
    }
    *seconds = 1e300;
    for (int i = 0; i < TUNE_TRIES; i++) {
        NAIK_TRY(time_launches(backend, &launch, launches, graph, &sample));
        *seconds = sample < *seconds ? sample : *seconds;
    }
done:
    if (graph != NULL) {
        (void)gpu_graph_exec_destroy(graph);
    }
    return status;
}

naik_status gpu_tune_measure(naik_backend *backend, const gpu_tune_key *key,
                             const gpu_variants *list, tune_run run, const void *data,
                             gpu_variant *out)
{
    gpu_state *state = gpu_state_of(backend);
    gpu_tuning *tuning = state->tuning;
    const double begin_s = naik_time_s();
    double best_s = 1e300, usual_s = 1e300;
    naik_status status = NAIK_OK;
    tune_entry entry;
    *out = list->variant[0];
    if (state->recording || tuning->spent_s > TUNE_BUDGET_S || list->count == 1) {
        return NAIK_OK;
    }
    naik_timer_start(backend->timer, "kernel trials");
    gpu_sample_drop(backend); /* whose events a capture would take */
    NAIK_TRY(
        time_variant(backend, run, data, &list->variant[0], 1e300, &best_s)); /* wakes the device */
    best_s = 1e300;
    for (int k = 0; k < list->count && naik_time_s() - begin_s < TUNE_BUDGET_S / 4; k++) {
        double seconds = 0;
        NAIK_TRY(time_variant(backend, run, data, &list->variant[k], best_s, &seconds));
        seconds += list->beside_s[k];
        usual_s = k == 0 ? seconds : usual_s;
        if (seconds < (k == 0 ? best_s : best_s < usual_s ? best_s : TUNE_WORTH * usual_s)) {
            best_s = seconds;
            *out = list->variant[k];
        }
    }
    tuning->spent_s += naik_time_s() - begin_s;
    tuning->measured++;
    entry.key = *key;
    entry.variant = *out;
    NAIK_TRY(remember(backend, &entry));
    naik_log_line(backend->log,
                  "tuned: Dslash %s vectors, %s links, recon %d, %d rhs, %d sites: %d rhs a "
                  "thread, blocks of %d x %d, %d threads a site, order %d, %.1f us (%.1f as usual; "
                  "%.3f s spent)",
                  naik_precision_name((naik_precision)key->value[0]),
                  naik_precision_name((naik_precision)key->value[1]), key->value[2], key->value[4],
                  key->value[5], out->rhs, out->sites, out->together, out->threads, out->order,
                  1e6 * best_s, 1e6 * usual_s, tuning->spent_s);
done:
    naik_timer_stop(backend->timer, "kernel trials");
    return status;
}
