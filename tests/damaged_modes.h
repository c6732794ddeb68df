/* damaged_modes.h - low modes and the state of a search, written and read, for test_damage */
#ifndef NAIK_TESTS_DAMAGED_MODES_H
#define NAIK_TESTS_DAMAGED_MODES_H

#include "naik/lattice.h"

typedef struct answer { /* crc32 over everything that a reader gives out */
    uint32_t crc;
} answer;
void answer_add(answer *a, const void *bytes, size_t size_bytes);

naik_status damaged_write_modes(const naik_lattice *lattice, const char *path);
/* A number in the last of them; way 0 to 7: at its first or last site, in 32 or 16 bits, by threads or by one rank. */
naik_status damaged_write_modes_with(const naik_lattice *lattice, const char *path, double number,
                                     int way);
naik_status damaged_read_modes(const naik_lattice *lattice, const char *path, answer *out);
naik_status damaged_write_search(const naik_lattice *lattice, const char *path);
naik_status damaged_read_search(const naik_lattice *lattice, const char *path, answer *out);

#endif
