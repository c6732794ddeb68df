/* filed_modes.c - when a file of modes that is written behind solves is looked at, and when it ends */
#include "quark/filed_modes.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/timer.h"
#include "comm/groups.h"
#include "comm/memory_limit.h"
#include "comm/new.h"
#include "comm/threads.h"
#include "io/files.h"

enum { MOST_THREADS = 8 };

struct filed_modes {
    naik_comm *comm;           /* borrowed */
    naik_timer *timer;         /* borrowed */
    naik_modes_writer *writer; /* NULL: over */
    naik_lock *turn;
    double begun_s, packed_s; /* the clock; seconds */
    int threads;              /* of loops, when it began */
    char path[NAIK_PATH_MAX], search[NAIK_PATH_MAX];
};

/* A search had room for a third more vectors than it found, in the same memory where that is the
 * host's. Beside a device half of what the host has left may be used, shared by the ranks of a node. */
naik_modes_pace filed_modes_prepare(const naik_geometry *geometry, int count)
{
    const naik_comm *comm = naik_comm_job(geometry->lattice->comm);
    const size_t each = (size_t)geometry->lattice->volume_cb * 6 * sizeof(float);
    const size_t least = ((size_t)count / 3 + NAIK_MODES_BLOCK) * each;
    const size_t node = naik_memory_available(), job = naik_memory_limit_left("");
    const size_t left = (job < node ? job : node) / 2 / (size_t)comm->node_size;
    const bool beside = !geometry->backend->ops->host_memory && left > 0;
    const int threads = comm->cpus / 2;
    naik_modes_pace pace = {.threads = threads < 1              ? 1
                                       : threads < MOST_THREADS ? threads
                                                                : MOST_THREADS,
                            .in_hands = beside ? left : least};
    if (beside) {
        const size_t most = left / each;
        pace.room = naik_modes_room_begin(most < (size_t)count ? (int)most : count, each);
    }
    return pace;
}

static void release(filed_modes **file)
{
    filed_modes *f = *file;
    naik_modes_writer_abandon(&f->writer);
    naik_lock_release(f->comm, &f->turn);
    naik_threads_use(f->threads);
    free(f);
    *file = NULL;
}

/* Beside a device the rank's loops leave the writers their processors: a loop is as slow as its slowest
 * thread, and one that waits for a processor makes all the others wait. */
static void make_way(const filed_modes *f, const naik_backend *backend, int writers)
{
    const int left = naik_comm_job(f->comm)->cpus - writers;
    if (!backend->ops->host_memory && left < f->threads) {
        naik_threads_use(left > 1 ? left : 1);
    }
}

naik_status filed_modes_begin(const char *path, const char *search, const naik_modes *modes,
                              const naik_modes_about *about, const naik_modes_pace *pace,
                              naik_lock **turn, filed_modes **out)
{
    naik_status status = NAIK_OK;
    const naik_geometry *geometry = modes->geometry;
    naik_comm *comm = geometry->lattice->comm;
    filed_modes *f = NULL;
    *out = NULL;
    NAIK_TRY(naik_new(comm, sizeof *f, "a file of modes", (void **)&f));
    f->comm = comm;
    f->timer = geometry->backend->timer;
    f->begun_s = naik_time_s();
    f->threads = naik_threads_count();
    snprintf(f->path, sizeof f->path, "%s", path);
    snprintf(f->search, sizeof f->search, "%s", search);
    NAIK_TRY(naik_modes_writer_begin(geometry, path, modes, about, pace, &f->writer));
    f->packed_s = naik_time_s() - f->begun_s;
    make_way(f, geometry->backend, pace->threads);
    f->turn = *turn;
    *turn = NULL;
    *out = f;
    return NAIK_OK;
done:
    free(f);
    return status;
}

/* Waits for it, names it, and tidies up. */
static naik_status conclude(filed_modes **file)
{
    naik_status status = NAIK_OK;
    filed_modes *f = *file;
    const double from_s = naik_time_s();
    naik_timer_start(f->timer, "write modes");
    NAIK_TRY(naik_modes_writer_finish(&f->writer));
    NAIK_TRY(naik_file_remove(f->comm, f->search));
    naik_log_line(f->comm->log,
                  "modes: %s is written, %.1f s after naik found the modes; the run waited %.1f s "
                  "for the file",
                  f->path, naik_time_s() - f->begun_s, f->packed_s + naik_time_s() - from_s);
done:
    naik_timer_stop(f->timer, "write modes");
    release(file);
    return status;
}

naik_status filed_modes_look(filed_modes **file)
{
    naik_status status = NAIK_OK;
    bool ended = false;
    if (*file == NULL) {
        return NAIK_OK;
    }
    NAIK_TRY(naik_modes_writer_look((*file)->writer, &ended));
    if (ended) {
        return conclude(file);
    }
done:
    if (status != NAIK_OK) {
        release(file);
    }
    return status;
}

naik_status filed_modes_end(filed_modes **file, naik_status status)
{
    if (*file == NULL) {
        return status;
    }
    if (status == NAIK_ERR_MPI || status == NAIK_ERR_IO) {
        release(file);
        return status;
    }
    const naik_status ended = conclude(file);
    return status != NAIK_OK ? status : ended;
}
