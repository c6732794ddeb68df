/* room.c - a thread that touches memory, and a stack of what it has touched */
#include "io/modes/room.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "comm/threads.h"

enum { PAGE = 4096, HUGE_PAGE = 1 << 21 };

struct naik_modes_room {
    pthread_t thread;
    pthread_mutex_t mutex; /* of what follows */
    void **piece;          /* [count], of which `ready` are made and not taken */
    int count, made, ready;
    size_t piece_bytes;
    bool stop;
};

/* Few large pages are cleared sooner than many small ones; the system may decline. */
static void *make_piece(size_t bytes)
{
    const size_t unit = bytes < (size_t)HUGE_PAGE ? PAGE : HUGE_PAGE;
    const size_t whole = (bytes + unit - 1) / unit * unit;
    void *piece = aligned_alloc(unit, whole);
#if defined(MADV_HUGEPAGE)
    if (piece != NULL && unit == (size_t)HUGE_PAGE) {
        (void)madvise(piece, whole, MADV_HUGEPAGE);
    }
#endif
    return piece;
}

static void touch(char *piece, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += PAGE) {
        ((volatile char *)piece)[i] = 0;
    }
}

static void *work(void *argument)
{
    naik_modes_room *r = argument;
    bool more = true;
    naik_threads_unbind();
    while (more) {
        void *piece = make_piece(r->piece_bytes);
        if (piece == NULL) {
            break;
        }
        touch(piece, r->piece_bytes);
        pthread_mutex_lock(&r->mutex);
        r->piece[r->ready++] = piece;
        more = !r->stop && ++r->made < r->count;
        pthread_mutex_unlock(&r->mutex);
    }
    return NULL;
}

naik_modes_room *naik_modes_room_begin(int count, size_t piece_bytes)
{
    naik_modes_room *r = count > 0 ? calloc(1, sizeof *r) : NULL;
    sigset_t all, before;
    if (r == NULL) {
        return NULL;
    }
    r->piece = calloc((size_t)count, sizeof *r->piece);
    r->count = count;
    r->piece_bytes = piece_bytes;
    pthread_mutex_init(&r->mutex, NULL);
    sigfillset(&all); /* signals belong to the main thread */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool begun = r->piece != NULL && pthread_create(&r->thread, NULL, work, r) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!begun) {
        pthread_mutex_destroy(&r->mutex);
        free(r->piece);
        free(r);
        return NULL;
    }
    return r;
}

void *naik_modes_room_take(naik_modes_room *room, size_t piece_bytes)
{
    void *piece = NULL;
    if (room != NULL && room->piece_bytes == piece_bytes) {
        pthread_mutex_lock(&room->mutex);
        piece = room->ready > 0 ? room->piece[--room->ready] : NULL;
        pthread_mutex_unlock(&room->mutex);
    }
    return piece != NULL ? piece : make_piece(piece_bytes);
}

void naik_modes_room_end(naik_modes_room **room)
{
    naik_modes_room *r = *room;
    if (r == NULL) {
        return;
    }
    pthread_mutex_lock(&r->mutex);
    r->stop = true;
    pthread_mutex_unlock(&r->mutex);
    pthread_join(r->thread, NULL);
    while (r->ready > 0) {
        free(r->piece[--r->ready]);
    }
    pthread_mutex_destroy(&r->mutex);
    free(r->piece);
    free(r);
    *room = NULL;
}
