/* behind.c - vectors in a queue between the rank that packs them and the threads that write them */
#include "io/modes/behind.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/watchdog.h"
#include "comm/collective.h"
#include "comm/crew.h"
#include "io/modes/part.h"
#include "io/modes/vectors.h"
#include "io/output.h"
#include "io/runs.h"

enum { DIFFERS = -1, NOT_FINITE = -2 };

struct naik_modes_writer {
    naik_modes_part part; /* with copies of what it points to */
    naik_output out;
    naik_mode_form form;
    naik_runs runs; /* of a vector in the file */
    int fd, most;   /* most: vectors packed and not yet written */
    naik_crew crew; /* its mutex is for what follows */
    float **packed; /* [count] in single precision until it is written */
    float **spare;  /* [most] of those that are: the next are packed into it */
    int spares, ready, taken, done, ended; /* ended: threads */
    bool forced;                           /* all is on the disk */
    bool later;                            /* the threads begin when all is packed */
    int failed;                            /* of the system, or DIFFERS, or NOT_FINITE */
    const char *doing;                     /* what failed */
    char *buffer;                          /* without threads */
};

bool naik_modes_can_follow(const naik_geometry *geometry, bool bricks)
{
    const naik_mode_form form = naik_mode_form_of(geometry->lattice, bricks);
    const naik_runs runs = naik_runs_of(&form.array, form.element_bytes);
    return naik_runs_are_long(&runs) && geometry->lattice->comm->io.writers == 0;
}

/* ---- what a thread does */

/* Begins what forcing the file to disk waits for. On a host of much memory the system itself begins so late
 * that all vectors would go to the disk in the end, and whatever else is forced there would wait for them. */
static void send_to_disk(const naik_modes_writer *w, int64_t offset)
{
#if defined(SYNC_FILE_RANGE_WRITE)
    (void)sync_file_range(w->fd, offset, naik_mode_form_file_bytes(&w->form),
                          SYNC_FILE_RANGE_WRITE); /* where it fails, the end says so */
#else
    (void)w;
    (void)offset;
#endif
}

/* In the buffer of a thread, behind what it reads through and its sums: a vector as it lies in the file. */
static size_t place_of_elements(const naik_modes_writer *w)
{
    return NAIK_RUNS_BUFFER + (size_t)naik_site_sum_bytes(w->form.element_bytes);
}

static char *room_for_thread(const naik_modes_writer *w)
{
    return malloc(place_of_elements(w) +
                  (w->form.bricks ? (size_t)naik_mode_form_bytes(&w->form) : 0));
}

/* 0, or why vector `index` is not in the file; its sum. */
static int put_vector(naik_modes_writer *w, int index, const float *vector, char *buffer,
                      const char **doing)
{
    const int64_t offset = w->part.offset + index * naik_mode_form_file_bytes(&w->form);
    uint32_t again[2] = {0, 0}, *sum = w->part.sum[index];
    naik_site_sum s;
    int failed = 0;
    void *const sums = buffer + NAIK_RUNS_BUFFER;
    const void *elements = naik_mode_form_pack(&w->form, vector, buffer + place_of_elements(w));
    if (!naik_mode_form_is_finite(&w->form, elements)) {
        return NOT_FINITE;
    }
    if (index == 0 && w->part.geometry->lattice->comm->rank == 0) { /* which may take seconds */
        *doing = "make room for";
        failed = naik_file_reserve_open(w->fd);
        if (failed != 0) {
            return failed;
        }
    }
    naik_site_sum_begin(&s, w->form.element_bytes, sums);
    naik_runs_add(&w->runs, elements, &s);
    naik_site_sum_take(&s, sum);
    *doing = "write";
    failed = naik_runs_write(&w->runs, w->fd, offset, elements);
    if (failed == 0) {
        *doing = "read";
        naik_site_sum_begin(&s, w->form.element_bytes, sums);
        failed = naik_runs_read(&w->runs, w->fd, offset, NULL, buffer, &s);
        naik_site_sum_take(&s, again);
        failed = failed == 0 && memcmp(sum, again, sizeof again) != 0 ? DIFFERS : failed;
        send_to_disk(w, offset);
    }
    return failed;
}

/* With the mutex: vector `index` is out of hands. */
static void take_back(naik_modes_writer *w, int index, int failed, const char *doing)
{
    if (w->ready < w->part.count) {
        w->spare[w->spares++] = w->packed[index];
    } else {
        free(w->packed[index]);
    }
    w->packed[index] = NULL;
    w->done++;
    if (failed != 0 && w->failed == 0) {
        w->failed = failed;
        w->doing = doing;
    }
    naik_crew_tell(&w->crew);
}

/* With the mutex, of the last thread. */
static void force(naik_modes_writer *w)
{
    if (w->failed != 0 || w->done < w->part.count) {
        return;
    }
    naik_crew_unlock(&w->crew);
    const int failed = fsync(w->fd) == 0 ? 0 : errno;
    naik_crew_lock(&w->crew);
    w->forced = failed == 0;
    w->failed = failed;
    w->doing = "force to disk";
}

static void work(void *data)
{
    naik_modes_writer *w = data;
    char *buffer = room_for_thread(w);
    naik_crew_lock(&w->crew);
    if (buffer == NULL) {
        w->failed = ENOMEM;
        w->doing = "write";
    }
    while (!w->crew.stop && w->failed == 0 && w->taken < w->part.count) {
        if (w->taken == w->ready) {
            naik_crew_wait(&w->crew);
            continue;
        }
        const int index = w->taken++;
        const char *doing = "write";
        const float *vector = w->packed[index];
        naik_crew_unlock(&w->crew);
        const int failed = put_vector(w, index, vector, buffer, &doing);
        naik_crew_lock(&w->crew);
        take_back(w, index, failed, doing);
    }
    if (++w->ended == w->crew.threads) {
        force(w);
    }
    naik_crew_tell(&w->crew);
    naik_crew_unlock(&w->crew);
    free(buffer);
}

/* Where the system gives no thread, the rank writes by itself. */
static void start(naik_modes_writer *w, int wanted)
{
    naik_crew_start(&w->crew, wanted < w->part.count ? wanted : w->part.count, work, w);
}

/* ---- what the rank does */

/* Whoever waits says so when something has moved. */
static void wait_a_moment(naik_modes_writer *w)
{
    const int done = w->done;
    naik_crew_wait(&w->crew);
    if (w->done != done) {
        naik_watchdog_move(w->part.geometry->lattice->comm->watchdog);
    }
}

/* Of a packed one. */
static size_t vector_bytes(const naik_modes_writer *w)
{
    return (size_t)w->form.lattice->volume_cb * NAIK_MODE_SITE_BYTES;
}

/* Memory for the next vector, when it may be packed; NULL: there is none, or writing has failed. */
static float *next_room(naik_modes_writer *w, naik_modes_room *made)
{
    float *room = NULL;
    naik_crew_lock(&w->crew);
    while (w->failed == 0 && w->ready - w->done >= w->most) {
        wait_a_moment(w);
    }
    if (w->failed == 0 && w->spares > 0) {
        room = w->spare[--w->spares];
    }
    const bool make = w->failed == 0 && room == NULL;
    naik_crew_unlock(&w->crew);
    return make ? naik_modes_room_take(made, vector_bytes(w)) : room;
}

static void hand_over(naik_modes_writer *w, int index, float *vector)
{
    const char *doing = "write";
    naik_crew_lock(&w->crew);
    w->packed[index] = vector;
    w->ready = index + 1;
    naik_crew_tell(&w->crew);
    if (w->crew.threads == 0 && !w->later) {
        take_back(w, index, put_vector(w, index, vector, w->buffer, &doing), doing);
        force(w);
    }
    naik_crew_unlock(&w->crew);
}

/* All that is packed, where there are no threads for it. */
static void write_alone(naik_modes_writer *w)
{
    const char *doing = "write";
    naik_crew_lock(&w->crew);
    for (int i = 0; i < w->ready && w->failed == 0; i++) {
        take_back(w, i, put_vector(w, i, w->packed[i], w->buffer, &doing), doing);
    }
    force(w);
    naik_crew_unlock(&w->crew);
}

/* Every rank goes through all vectors: what fails on one is agreed in the end. */
static naik_status pack(naik_modes_writer *w, naik_modes_room *made)
{
    naik_status status = NAIK_OK;
    const naik_geometry *geometry = w->part.geometry;
    naik_log *log = geometry->backend->log;
    for (int i = 0; i < w->part.count && status == NAIK_OK; i++) {
        float *vector = next_room(w, made);
        if (vector == NULL) {
            status = w->failed != 0
                         ? NAIK_OK
                         : NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a mode on the host");
            break; /* a failed write is told by who looks */
        }
        status = geometry->backend->ops->modes.to_host(w->part.block[i / NAIK_MODES_BLOCK],
                                                       i % NAIK_MODES_BLOCK, vector);
        hand_over(w, i, vector);
    }
    return naik_comm_agree(geometry->lattice->comm, status);
}

static void destroy(naik_modes_writer **writer)
{
    naik_modes_writer *w = *writer;
    naik_crew_close(&w->crew);
    if (w->fd >= 0) {
        close(w->fd);
    }
    for (int i = 0; w->packed != NULL && i < w->part.count; i++) {
        free(w->packed[i]);
    }
    naik_output_abandon(&w->out); /* nothing where it has its name */
    while (w->spares > 0) {
        free(w->spare[--w->spares]);
    }
    free(w->spare);
    free(w->packed);
    free(w->buffer);
    naik_modes_part_clear(&w->part);
    free(w);
    *writer = NULL;
}

static naik_status make(const naik_geometry *geometry, const naik_modes *modes,
                        const naik_modes_about *about, const naik_modes_pace *pace,
                        naik_modes_writer **out)
{
    naik_log *log = geometry->backend->log;
    naik_modes_writer *w = calloc(1, sizeof *w);
    *out = w;
    if (w == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory to write modes");
    }
    w->fd = -1;
    w->form = naik_mode_form_of(geometry->lattice, about->bricks && modes != NULL);
    w->runs = naik_runs_of(&w->form.array, w->form.element_bytes);
    naik_crew_open(&w->crew);
    const naik_status status = naik_modes_part_fill_in(geometry, modes, about, &w->part);
    const size_t most = pace->in_hands / vector_bytes(w);
    w->most = most < 1 ? 1 : most < (size_t)w->part.count ? (int)most : w->part.count;
    w->later = w->most == w->part.count;
    w->packed = calloc((size_t)w->part.count + 1, sizeof *w->packed);
    w->spare = calloc((size_t)w->most + 1, sizeof *w->spare);
    w->buffer = room_for_thread(w);
    return status != NAIK_OK || (w->packed != NULL && w->spare != NULL && w->buffer != NULL)
               ? status
               : NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory to write modes");
}

static naik_status open_part(naik_modes_writer *w)
{
    w->fd = open(w->out.part, O_RDWR | O_CLOEXEC);
    return w->fd >= 0 ? NAIK_OK
                      : NAIK_FAIL(w->part.geometry->backend->log, naik_refusal(errno),
                                  "cannot open '%s': %m", w->out.part);
}

naik_status naik_modes_writer_begin(const naik_geometry *geometry, const char *path,
                                    const naik_modes *modes, const naik_modes_about *about,
                                    const naik_modes_pace *pace, naik_modes_writer **out)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = geometry->lattice->comm;
    naik_modes_writer *w = NULL;
    *out = NULL;
    NAIK_TRY(naik_comm_agree(comm, make(geometry, modes, about, pace, &w)));
    NAIK_TRY(naik_modes_part_begin(&w->part, path, &w->out));
    NAIK_TRY(naik_comm_agree(comm, open_part(w)));
    if (!w->later) {
        start(w, pace->threads);
    }
    NAIK_TRY(pack(w, pace->room));
    if (w->later) {
        start(w, pace->threads);
        if (w->crew.threads == 0) {
            write_alone(w);
        }
    }
    *out = w;
    w = NULL;
done:
    naik_modes_writer_abandon(&w);
    return status;
}

/* This rank's sentence of what failed; with or without the mutex, since it stays. */
static naik_status verdict(const naik_modes_writer *w)
{
    naik_log *log = w->part.geometry->backend->log;
    if (w->failed == 0) {
        return NAIK_OK;
    }
    if (w->failed == NOT_FINITE) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "a low mode is not finite: none is stored in '%s'",
                         w->out.path);
    }
    return w->failed == DIFFERS
               ? NAIK_FAIL(log, NAIK_ERR_IO,
                           "'%s' did not read back as it was written (is the disk full?)",
                           w->out.part)
               : NAIK_FAIL(log, NAIK_ERR_IO, "cannot %s the modes of '%s': %s", w->doing,
                           w->out.part, strerror(w->failed));
}

naik_status naik_modes_writer_look(naik_modes_writer *w, bool *ended)
{
    naik_comm *comm = w->part.geometry->lattice->comm;
    naik_crew_lock(&w->crew);
    double most[2] = {w->failed != 0, !w->forced};
    naik_crew_unlock(&w->crew);
    *ended = false;
    NAIK_PASS(naik_comm_max_f64(comm, most, 2));
    if (most[0] > 0) {
        NAIK_PASS(naik_comm_agree(comm, verdict(w)));
    }
    *ended = most[1] == 0;
    return NAIK_OK;
}

naik_status naik_modes_writer_finish(naik_modes_writer **writer)
{
    naik_modes_writer *w = *writer;
    naik_comm *comm = w->part.geometry->lattice->comm;
    naik_status status = NAIK_OK;
    naik_crew_lock(&w->crew);
    while (!w->forced && w->failed == 0) {
        wait_a_moment(w);
    }
    naik_crew_unlock(&w->crew);
    NAIK_TRY(naik_comm_agree(comm, verdict(w)));
    close(w->fd);
    w->fd = -1;
    NAIK_TRY(naik_modes_part_finish(&w->part, &w->out, false));
done:
    destroy(writer);
    return status;
}

void naik_modes_writer_abandon(naik_modes_writer **writer)
{
    if (*writer != NULL) {
        destroy(writer);
    }
}
