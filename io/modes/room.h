/* room.h - host memory for vectors on their way into a file, made while their search goes on
 *
 * Memory that nobody has touched yet is cleared page by page by the system when it is: for all modes
 * of a large lattice that takes seconds, which a thread spends while the device searches.
 */
#ifndef NAIK_IO_MODES_ROOM_H
#define NAIK_IO_MODES_ROOM_H

#include <stddef.h>

typedef struct naik_modes_room naik_modes_room;

/* A thread that makes up to `count` pieces of piece_bytes each. NULL: the system gives none, and whoever
 * takes makes them. Local */
naik_modes_room *naik_modes_room_begin(int count, size_t piece_bytes);
/* A piece, to be given back by free: one that is made, or else a new one. NULL: there is no memory.
 * Accepts NULL for room. Local */
void *naik_modes_room_take(naik_modes_room *room, size_t piece_bytes);
/* Stops the thread, and gives back what was not taken. Accepts NULL. Local */
void naik_modes_room_end(naik_modes_room **room);

#endif
