/* memory.c - aligned host memory, spread over the NUMA nodes of the threads that will use it
 *
 * The kernels read many streams at once, each on pages of its own: large buffers ask for huge
 * pages, of which far fewer are needed than the processor remembers translations for.
 */
#include "base/memory.h"

#if defined(__linux__)
#include <malloc.h>
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/text.h"

enum { PAGE = 4096, HUGE_PAGE = 1 << 21 };
/* What naik_memory_keep keeps: of one buffer, which is as much as the C library allows, and of all. */
enum { KEPT_EACH = 32 << 20, KEPT = 256 << 20 };

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* Huge pages where at least half of each is used; the system may decline. */
static char *reserve(size_t size_bytes)
{
    if (size_bytes < (size_t)HUGE_PAGE / 2) {
        return aligned_alloc(NAIK_ALIGNMENT, round_up(size_bytes, NAIK_ALIGNMENT));
    }
    char *memory = aligned_alloc(HUGE_PAGE, round_up(size_bytes, HUGE_PAGE));
#if defined(MADV_HUGEPAGE)
    if (memory != NULL) {
        const size_t huge = (size_bytes + HUGE_PAGE / 2) / HUGE_PAGE * HUGE_PAGE;
        (void)madvise(memory, huge, MADV_HUGEPAGE);
    }
#endif
    return memory;
}

void naik_memory_keep(void)
{
#if defined(M_MMAP_THRESHOLD) && defined(M_TRIM_THRESHOLD)
    (void)mallopt(M_MMAP_THRESHOLD, KEPT_EACH);
    (void)mallopt(M_TRIM_THRESHOLD, KEPT);
#endif
}

size_t naik_memory_available(void)
{
    char line[128];
    size_t kilobytes = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && kilobytes == 0 && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "MemAvailable:", 13) == 0) {
            kilobytes = strtoul(line + 13, NULL, 10);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return kilobytes << 10;
}

naik_status naik_alloc_open(naik_log *log, size_t size_bytes, const char *what, void **out)
{
    *out = NULL;
    if (size_bytes == 0) {
        return NAIK_OK;
    }
    if (size_bytes > SIZE_MAX / 2) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "%s would need more memory than can be addressed",
                         what);
    }
    char *memory = reserve(size_bytes);
    if (memory == NULL) {
        char size[NAIK_TEXT_SIZE];
        naik_text_print_size((double)size_bytes, size);
        return NAIK_FAIL(log, NAIK_ERR_MEMORY,
                         "no memory for %s (%s): use more ranks or a smaller batch", what, size);
    }
    *out = memory;
    return NAIK_OK;
}

naik_status naik_alloc(naik_log *log, size_t size_bytes, const char *what, void **out)
{
    const naik_status status = naik_alloc_open(log, size_bytes, what, out);
    char *memory = *out;
    const int64_t pages = memory == NULL ? 0 : (int64_t)(round_up(size_bytes, PAGE) / PAGE);
#pragma omp parallel for schedule(static) if (size_bytes > NAIK_SMALL_BYTES)
    for (int64_t i = 0; i < pages; i++) {
        const size_t begin = (size_t)i * PAGE;
        const size_t left = size_bytes - begin;
        memset(memory + begin, 0, left < PAGE ? left : PAGE);
    }
    return status;
}

void naik_free(void *memory)
{
    free(memory);
}

void naik_copy(void *to, const void *from, size_t size_bytes)
{
    const size_t piece = (size_t)1 << 18;
    const int64_t pieces = (int64_t)((size_bytes + piece - 1) / piece);
#pragma omp parallel for schedule(static) if (size_bytes > NAIK_SMALL_BYTES)
    for (int64_t i = 0; i < pieces; i++) {
        const size_t begin = (size_t)i * piece;
        memcpy((char *)to + begin, (const char *)from + begin,
               size_bytes - begin < piece ? size_bytes - begin : piece);
    }
}

bool naik_all_zero(const void *memory, size_t size_bytes)
{
    const size_t words = size_bytes / sizeof(uint64_t);
    const unsigned char *rest = (const unsigned char *)memory + words * sizeof(uint64_t);
    uint64_t any = 0;
#pragma omp parallel for schedule(static) reduction(| : any) if (size_bytes > NAIK_SMALL_BYTES)
    for (int64_t i = 0; i < (int64_t)words; i++) {
        uint64_t word;
        memcpy(&word, (const char *)memory + (size_t)i * sizeof word, sizeof word);
        any |= word;
    }
    for (size_t i = 0; i < size_bytes % sizeof(uint64_t); i++) {
        any |= rest[i];
    }
    return any == 0;
}
