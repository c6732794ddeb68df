/* room.c - a thread that touches memory, and a stack of what it has touched */
#include "io/modes/room.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "comm/crew.h"

enum { PAGE = 4096, HUGE_PAGE = 1 << 21 };

struct naik_modes_room {
    naik_crew crew;         /* of one; its mutex is for what follows */
    void **piece;           /* [count], of which `ready` are made and not taken */
    int count, made, ready; /* made: or begun, by anybody */
    size_t piece_bytes;
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

/* Whether a piece more is to be made, which counts as made from now on. */
static bool another(naik_modes_room *r)
{
    naik_crew_lock(&r->crew);
    const bool more = !r->crew.stop && r->made < r->count;
    r->made += more;
    naik_crew_unlock(&r->crew);
    return more;
}

static void work(void *data)
{
    naik_modes_room *r = data;
    while (another(r)) {
        void *piece = make_piece(r->piece_bytes);
        if (piece == NULL) {
            break;
        }
        touch(piece, r->piece_bytes);
        naik_crew_lock(&r->crew);
        r->piece[r->ready++] = piece;
        naik_crew_unlock(&r->crew);
    }
}

naik_modes_room *naik_modes_room_begin(int count, size_t piece_bytes)
{
    naik_modes_room *r = count > 0 ? calloc(1, sizeof *r) : NULL;
    if (r == NULL) {
        return NULL;
    }
    r->piece = calloc((size_t)count, sizeof *r->piece);
    r->count = count;
    r->piece_bytes = piece_bytes;
    naik_crew_open(&r->crew);
    if (r->piece != NULL) {
        naik_crew_start(&r->crew, 1, work, r);
    }
    if (r->crew.threads == 0) {
        naik_modes_room_end(&r);
    }
    return r;
}

void *naik_modes_room_take(naik_modes_room *room, size_t piece_bytes)
{
    void *piece = NULL;
    if (room != NULL && room->piece_bytes == piece_bytes) {
        naik_crew_lock(&room->crew);
        if (room->ready > 0) {
            piece = room->piece[--room->ready];
        } else {
            room->made++; /* by the caller: the thread makes one less */
        }
        naik_crew_unlock(&room->crew);
    }
    return piece != NULL ? piece : make_piece(piece_bytes);
}

void naik_modes_room_end(naik_modes_room **room)
{
    naik_modes_room *r = *room;
    if (r == NULL) {
        return;
    }
    naik_crew_close(&r->crew);
    while (r->ready > 0) {
        free(r->piece[--r->ready]);
    }
    free(r->piece);
    free(r);
    *room = NULL;
}
