/* memory.h - host memory, aligned for vector loads, with the sentence when there is none */
#ifndef NAIK_BASE_MEMORY_H
#define NAIK_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "naik/log.h"

enum { NAIK_ALIGNMENT = 64 };
/* A loop over no more than this is one thread's, which has done it before the others are awake. Where another program or
 * a thread that writes has a processor, all others would wait for the one that is to run there. */
enum { NAIK_SMALL_BYTES = 4 << 20 };

/* *out = size_bytes of zeroed memory aligned to NAIK_ALIGNMENT, the pages of more than NAIK_SMALL_BYTES first touched by
 * the OpenMP threads that a static loop over the buffer gives them. `what` names it in the sentence of a
 * failure. size_bytes = 0 gives NULL. Release with naik_free.
 * NAIK_ERR_MEMORY   the system has none */
naik_status naik_alloc(naik_log *log, size_t size_bytes, const char *what, void **out);
/* The same with any content: pages that nobody touches are none of the machine's. */
naik_status naik_alloc_open(naik_log *log, size_t size_bytes, const char *what, void **out);
void naik_free(void *memory);
/* From now on this process keeps the smaller buffers that it gives back, for what it asks for next, because the
 * system clears every page that it hands out: those between others that are in use, and 256 MiB behind them.
 * For a program, before it asks for memory; a library leaves its caller's memory alone. */
void naik_memory_keep(void);

/* Bytes that the system can still give to this node's processes without taking any away; 0 where it does
 * not say. */
size_t naik_memory_available(void);

/* As memcpy, by all threads where it is worth it. */
void naik_copy(void *to, const void *from, size_t size_bytes);
/* Whether all bytes are 0, asked by all threads where it is worth it. */
bool naik_all_zero(const void *memory, size_t size_bytes);

#endif
