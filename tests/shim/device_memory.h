/* device_memory.h - what the shim asks the GPU's run time */
#ifndef NAIK_TESTS_DEVICE_MEMORY_H
#define NAIK_TESTS_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
bool device_memory_is(const void *p);
bool device_memory_copy(void *to, const void *from, size_t size_bytes); /* either way; waits */
#ifdef __cplusplus
}
#endif

#endif
