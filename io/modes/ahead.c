/* ahead.c - a ring of vectors between the threads that read them and the rank that takes them */
#include "io/modes/ahead.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/watchdog.h"
#include "comm/crew.h"
#include "io/files.h"

enum { ROOM = 12, MOST_THREADS = 8 };

typedef struct slot {
    void *vector;
    uint32_t sum[2];
    bool read, finite;
    int failed; /* of the system */
} slot;

struct naik_modes_ahead {
    naik_comm *comm; /* borrowed */
    naik_mode_form form;
    naik_runs runs;
    int fd, count;
    int64_t offset;
    char path[NAIK_PATH_MAX];
    naik_crew crew; /* its mutex is for what follows */
    slot slot[ROOM];
    int begun,
        given; /* vectors: next to be read; next to be given, those before it may be read over */
};

static void read_one(naik_modes_ahead *a, int index, slot *s)
{
    const size_t bytes = (size_t)naik_runs_bytes(&a->runs);
    void *memory = malloc((size_t)naik_site_sum_bytes(a->runs.site_bytes));
    naik_site_sum sum;
    s->vector = s->vector != NULL ? s->vector : malloc(bytes);
    s->failed = memory != NULL && s->vector != NULL ? 0 : ENOMEM;
    s->sum[0] = s->sum[1] = 0;
    s->finite = true;
    if (s->failed == 0) {
        naik_site_sum_begin(&sum, a->runs.site_bytes, memory);
        s->failed =
            naik_runs_read(&a->runs, a->fd, a->offset + index * naik_mode_form_file_bytes(&a->form),
                           s->vector, NULL, &sum);
        naik_site_sum_take(&sum, s->sum);
    }
    if (s->failed == 0) {
        s->finite = naik_mode_form_is_finite(&a->form, s->vector);
    }
    free(memory);
}

static void work(void *data)
{
    naik_modes_ahead *a = data;
    naik_crew_lock(&a->crew);
    while (!a->crew.stop && a->begun < a->count) {
        if (a->begun >= a->given + ROOM - 1) { /* the last that was given is still looked at */
            naik_crew_wait(&a->crew);
            continue;
        }
        const int index = a->begun++;
        slot *s = &a->slot[index % ROOM];
        s->read = false;
        naik_crew_unlock(&a->crew);
        read_one(a, index, s);
        naik_crew_lock(&a->crew);
        s->read = true;
        naik_crew_tell(&a->crew);
    }
    naik_crew_unlock(&a->crew);
}

naik_status naik_modes_ahead_begin(const char *path, const naik_mode_form *form, int64_t offset,
                                   int count, naik_modes_ahead **out)
{
    naik_comm *comm = form->lattice->comm;
    naik_modes_ahead *a = calloc(1, sizeof *a);
    *out = NULL;
    if (a == NULL) {
        return NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory to read modes");
    }
    a->comm = comm;
    a->form = *form;
    a->runs = naik_runs_of(&a->form.array, form->element_bytes);
    a->offset = offset;
    a->count = count;
    snprintf(a->path, sizeof a->path, "%s", path);
    a->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (a->fd < 0) {
        const naik_status status =
            NAIK_FAIL(comm->log, naik_refusal(errno), "cannot open '%s': %m", path);
        free(a);
        return status;
    }
    const int threads = comm->cpus < MOST_THREADS ? comm->cpus : MOST_THREADS;
    naik_crew_open(&a->crew);
    naik_crew_start(&a->crew, threads, work, a);
    *out = a;
    return NAIK_OK;
}

naik_status naik_modes_ahead_next(naik_modes_ahead *a, const void **vector, uint32_t sum[2],
                                  bool *finite)
{
    slot *s = &a->slot[a->given % ROOM];
    naik_crew_lock(&a->crew);
    if (a->crew.threads == 0) {
        a->begun = a->given + 1;
        read_one(a, a->given, s);
        s->read = true;
    }
    while (!(a->begun > a->given && s->read)) {
        naik_crew_wait(&a->crew);
    }
    a->given++; /* the vector before this one may be read over */
    naik_crew_tell(&a->crew);
    naik_crew_unlock(&a->crew);
    naik_watchdog_move(a->comm->watchdog);
    if (s->failed != 0) {
        return NAIK_FAIL(a->comm->log, NAIK_ERR_IO, "cannot read the modes of '%s': %s", a->path,
                         s->failed == ENODATA ? "the file ends before" : strerror(s->failed));
    }
    *vector = s->vector;
    memcpy(sum, s->sum, sizeof s->sum);
    *finite = s->finite;
    return NAIK_OK;
}

void naik_modes_ahead_end(naik_modes_ahead **ahead)
{
    naik_modes_ahead *a = *ahead;
    if (a == NULL) {
        return;
    }
    naik_crew_close(&a->crew);
    for (int i = 0; i < ROOM; i++) {
        free(a->slot[i].vector);
    }
    close(a->fd);
    free(a);
    *ahead = NULL;
}
