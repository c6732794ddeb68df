/* timer.c - a small tree of regions in one fixed array
 *
 * A region's parent, first child and next sibling are indices, so that one allocation holds the
 * whole tree and a full array costs nothing but detail: further names count into their parent.
 */
#include "base/timer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_REGIONS = 256, NAME_SIZE = 32, NONE = -1, MAX_KERNELS = 64, KERNEL_NAME_SIZE = 64 };

typedef struct region {
    char name[NAME_SIZE];
    int parent, first, last, next;
    int64_t calls;
    int depth;       /* how often it is open; more than once only when the array is full */
    double opened_s; /* when it was opened, while it is */
    double time_s, flops, bytes;
    bool moves; /* bytes were counted here, not only inside */
} region;

typedef struct kernel {
    char name[KERNEL_NAME_SIZE];
    int64_t runs;
    double time_s, bytes; /* of all of them */
} kernel;

struct naik_timer {
    naik_log *log;
    double start_s;
    int open, count; /* region[0] is the whole */
    void (*moved)(void *data, const char *opened, const char *inside);
    void *observer;
    bool warned;
    region region[MAX_REGIONS];
    int kernels;
    kernel kernel[MAX_KERNELS];
};

/* Not comm's clock: this module stands below it. */
static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

naik_status naik_timer_create(naik_log *log, naik_timer **out)
{
    naik_timer *timer = calloc(1, sizeof *timer);
    if (timer == NULL) {
        *out = NULL;
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the timer");
    }
    timer->log = log;
    timer->start_s = now_s();
    timer->count = 1;
    timer->region[0] = (region){.parent = NONE, .first = NONE, .last = NONE, .next = NONE};
    *out = timer;
    return NAIK_OK;
}

void naik_timer_destroy(naik_timer **timer)
{
    free(*timer);
    *timer = NULL;
}

void naik_timer_observe(naik_timer *timer,
                        void (*moved)(void *data, const char *opened, const char *inside),
                        void *data)
{
    if (timer != NULL) {
        timer->moved = moved;
        timer->observer = data;
    }
}

static void tell(const naik_timer *timer, const char *opened)
{
    if (timer->moved != NULL) {
        timer->moved(timer->observer, opened, timer->region[timer->open].name);
    }
}

static int find_child(const naik_timer *timer, int parent, const char *name, size_t length)
{
    for (int i = timer->region[parent].first; i != NONE; i = timer->region[i].next) {
        const char *known = timer->region[i].name;
        if (strncmp(known, name, length) == 0 && known[length] == '\0') {
            return i;
        }
    }
    return NONE;
}

static int add_child(naik_timer *timer, int parent, const char *name)
{
    int index = timer->count++;
    region *made = &timer->region[index];
    *made = (region){.parent = parent, .first = NONE, .last = NONE, .next = NONE};
    snprintf(made->name, sizeof made->name, "%s", name);
    region *above = &timer->region[parent];
    if (above->first == NONE) {
        above->first = index;
    } else {
        timer->region[above->last].next = index;
    }
    above->last = index;
    return index;
}

static size_t name_length(const char *name)
{
    return strnlen(name, NAME_SIZE - 1);
}

void naik_timer_start(naik_timer *timer, const char *name)
{
    if (timer == NULL) {
        return;
    }
    int index = find_child(timer, timer->open, name, name_length(name));
    if (index == NONE && timer->count < MAX_REGIONS) {
        index = add_child(timer, timer->open, name);
    }
    if (index == NONE) {
        timer->region[timer->open].depth++;
        return;
    }
    timer->open = index;
    timer->region[index].calls++;
    timer->region[index].opened_s = now_s();
    tell(timer, timer->region[index].name);
}

static void close_innermost(naik_timer *timer, double at_s)
{
    region *inner = &timer->region[timer->open];
    inner->time_s += at_s - inner->opened_s;
    inner->depth = 0;
    timer->open = inner->parent;
    tell(timer, NULL);
}

void naik_timer_stop(naik_timer *timer, const char *name)
{
    if (timer == NULL) {
        return;
    }
    size_t length = name_length(name);
    int target = timer->open;
    while (target != 0 && (strncmp(timer->region[target].name, name, length) != 0 ||
                           timer->region[target].name[length] != '\0')) {
        target = timer->region[target].parent;
    }
    if (target == 0) {
        if (timer->region[timer->open].depth > 0) {
            timer->region[timer->open].depth--; /* counted into its parent for want of room */
        } else if (!timer->warned) {
            timer->warned = true;
            naik_log_warn(timer->log, "the time of '%s' was stopped but never started", name);
        }
        return;
    }
    double at_s = now_s();
    while (timer->open != target) {
        close_innermost(timer, at_s);
    }
    close_innermost(timer, at_s);
}

void naik_timer_count(naik_timer *timer, double flops, double bytes)
{
    if (timer != NULL && bytes > 0) {
        timer->region[timer->open].moves = true;
    }
    for (int i = timer != NULL ? timer->open : NONE; i != NONE; i = timer->region[i].parent) {
        timer->region[i].flops += flops;
        timer->region[i].bytes += bytes;
    }
}

void naik_timer_kernel(naik_timer *timer, const char *name, double seconds, double bytes)
{
    int k = 0;
    if (timer == NULL) {
        return;
    }
    while (k < timer->kernels && strncmp(timer->kernel[k].name, name, KERNEL_NAME_SIZE - 1) != 0) {
        k++;
    }
    if (k == MAX_KERNELS) {
        return;
    }
    if (k == timer->kernels) {
        timer->kernel[k] = (kernel){.runs = 0};
        snprintf(timer->kernel[k].name, KERNEL_NAME_SIZE, "%s", name);
        timer->kernels++;
    }
    timer->kernel[k].runs++;
    timer->kernel[k].time_s += seconds;
    timer->kernel[k].bytes += bytes;
}

static bool is_open(const naik_timer *timer, int index)
{
    for (int i = timer->open; i != NONE; i = timer->region[i].parent) {
        if (i == index) {
            return true;
        }
    }
    return false;
}

static double time_of(const naik_timer *timer, int index)
{
    const region *r = &timer->region[index];
    return index == 0 ? naik_timer_total_s(timer)
                      : r->time_s + (is_open(timer, index) ? now_s() - r->opened_s : 0);
}

naik_timer_region naik_timer_read(const naik_timer *timer, const char *path)
{
    int index = timer != NULL ? 0 : NONE;
    while (index != NONE && *path != '\0') {
        size_t length = strcspn(path, "/");
        index = find_child(timer, index, path, length);
        path += length + (path[length] == '/');
    }
    if (index == NONE) {
        return (naik_timer_region){0};
    }
    const region *r = &timer->region[index];
    return (naik_timer_region){r->calls, time_of(timer, index), r->flops, r->bytes};
}

double naik_timer_total_s(const naik_timer *timer)
{
    return timer != NULL ? now_s() - timer->start_s : 0;
}

static void print_row(const naik_timer *timer, const char *name, int depth, double time_s,
                      double total_s, const region *work)
{
    char label[2 * NAME_SIZE], flops[24] = "", bytes[24] = "", calls[32] = "";
    snprintf(label, sizeof label, "%*s%s", 2 * depth, "", name);
    if (work != NULL && work->calls > 0) {
        snprintf(calls, sizeof calls, "%lld", (long long)work->calls);
    }
    if (work != NULL && time_s > 0 && work->flops > 0) {
        snprintf(flops, sizeof flops, "%.2f", 1e-9 * work->flops / time_s);
    }
    /* What moved inside says nothing of the whole region's speed. */
    if (work != NULL && time_s > 0 && work->moves) {
        snprintf(bytes, sizeof bytes, "%.2f", 1e-9 * work->bytes / time_s);
    }
    naik_log_line(timer->log,
                  bytes[0] != '\0'   ? "%-32s %6.1f %11.3f %9s %10s %10s"
                  : flops[0] != '\0' ? "%-32s %6.1f %11.3f %9s %10s%s"
                                     : "%-32s %6.1f %11.3f %9s%s%s",
                  label, 100 * time_s / total_s, time_s, calls, flops, bytes);
}

/* The regions under `parent`, and what they leave of its time when that is worth a line. */
static void print_children(const naik_timer *timer, int parent, int depth, double total_s)
{
    double rest_s = time_of(timer, parent);
    for (int i = timer->region[parent].first; i != NONE; i = timer->region[i].next) {
        double time_s = time_of(timer, i);
        rest_s -= time_s;
        print_row(timer, timer->region[i].name, depth, time_s, total_s, &timer->region[i]);
        print_children(timer, i, depth + 1, total_s);
    }
    if (timer->region[parent].first != NONE && rest_s >= 0.001 * total_s) {
        print_row(timer, "other", depth, rest_s, total_s, NULL);
    }
}

static void print_kernels(const naik_timer *timer)
{
    if (timer->kernels > 0) {
        naik_log_line(timer->log, "%-46s %10s %10s %6s", "kernels of an iteration", "us", "GB/s",
                      "timed");
    }
    for (int i = 0; i < timer->kernels; i++) {
        const kernel *k = &timer->kernel[i];
        char speed[24] = "";
        if (k->bytes > 0 && k->time_s > 0) {
            snprintf(speed, sizeof speed, "%.1f", 1e-9 * k->bytes / k->time_s);
        }
        naik_log_line(timer->log, "%-46s %10.2f %10s %6lld", k->name,
                      1e6 * k->time_s / (double)k->runs, speed, (long long)k->runs);
    }
}

void naik_timer_print(const naik_timer *timer)
{
    if (timer == NULL) {
        return;
    }
    double total_s = naik_timer_total_s(timer);
    naik_log_line(timer->log, "%-32s %6s %11s %9s %10s %10s", "time", "%", "seconds", "calls",
                  "GFLOP/s", "GB/s");
    print_children(timer, 0, 0, total_s);
    print_row(timer, "total", 0, total_s, total_s, NULL);
    print_kernels(timer);
}

static int list_children(const naik_timer *timer, int parent, int depth, char *text, size_t size)
{
    int used = 0;
    for (int i = timer->region[parent].first; i != NONE; i = timer->region[i].next) {
        const region *r = &timer->region[i];
        const size_t left = (size_t)used < size ? size - (size_t)used : 0;
        char *at = left > 0 ? text + used : NULL;
        used += snprintf(at, left, "%d %.4g %.4g %.4g %s; ", depth, time_of(timer, i), r->flops,
                         r->moves ? r->bytes : 0.0, r->name);
        const size_t rest = (size_t)used < size ? size - (size_t)used : 0;
        used += list_children(timer, i, depth + 1, rest > 0 ? text + used : NULL, rest);
    }
    return used;
}

void naik_timer_list(const naik_timer *timer, char *text, size_t text_size)
{
    text[0] = '\0';
    if (timer == NULL) {
        return;
    }
    const int used = snprintf(text, text_size, "0 %.4g 0 0 total; ", naik_timer_total_s(timer));
    if ((size_t)used < text_size) {
        list_children(timer, 0, 1, text + used, text_size - (size_t)used);
    }
}

double naik_time_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
