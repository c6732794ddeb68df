/* memory_limit.h - what the job that this process belongs to may still take of its node's memory
 *
 * Batch systems end a job that takes more than it asked for, however much the node has left.
 */
#ifndef NAIK_COMM_MEMORY_LIMIT_H
#define NAIK_COMM_MEMORY_LIMIT_H

#include <stddef.h>

/* Bytes below the limits of this process's control groups, of either version; what the system keeps of
 * files does not count. SIZE_MAX where there is no limit. `root`: before "/proc" and "/sys", "" but in a
 * test */
size_t naik_memory_limit_left(const char *root);

#endif
