/* file.c - what was found in a gauge file: its extents, its size, what its checksum says */
#include <stdlib.h>
#include <string.h>

#include "io/gauge/format.h"

bool naik_gauge_set_extents(naik_gauge_file *file, const int64_t size[NAIK_DIM])
{
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if (size[mu] < 1 || size[mu] > 65536) {
            return false;
        }
        file->size[mu] = (int)size[mu];
    }
    /* Far beyond any lattice, and byte counts cannot overflow. */
    return (int64_t)size[0] * size[1] < (1LL << 24) && (int64_t)size[2] * size[3] < (1LL << 24);
}

int64_t naik_gauge_file_volume(const naik_gauge_file *file)
{
    return (int64_t)file->size[0] * file->size[1] * file->size[2] * file->size[3];
}

void naik_gauge_file_clear(naik_gauge_file *file)
{
    free(file->header_text);
    memset(file, 0, sizeof *file);
}

int64_t naik_gauge_file_bytes(const naik_lattice *lattice, int precision)
{
    return lattice->volume * 72 * precision / 8 + (1 << 20);
}

const char *naik_gauge_verified(const naik_gauge_file *file)
{
    return file->disagrees[0] != '\0' ? file->disagrees
           : !file->checksum_known    ? "no checksum"
           : file->checksum_ok        ? "checksum agrees"
                                      : "checksum disagrees";
}
