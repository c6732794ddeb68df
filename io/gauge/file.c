/* file.c - what was found in a gauge file: its extents, its size, what its checksum says */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io/gauge/format.h"
#include "io/sites.h"

bool naik_gauge_set_extents(naik_gauge_file *file, const int64_t size[NAIK_DIM])
{
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        file->size[mu] = (int)size[mu];
    }
    return naik_sites_possible(size);
}

void naik_gauge_add_note(naik_gauge_file *file, const char *format, ...)
{
    const size_t used = strlen(file->note);
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(file->note + used, sizeof file->note - used, "%s%s", used > 0 ? "; " : "", text);
}

bool naik_gauge_read_claim(const char *text, double *value, double *last)
{
    char number[64];
    if (strlen(text) >= sizeof number) {
        return false;
    }
    for (size_t i = 0; i <= strlen(text); i++) {
        const char c = text[i];
        number[i] = (char)(c == 'D' || c == 'd' ? 'e' : c);
    }
    const char *point = strchr(number, '.'), *e = strpbrk(number, "eE");
    if (!naik_text_real(number, value)) {
        return false;
    }
    const double digits = point != NULL ? (double)strspn(point + 1, "0123456789") : 0;
    const double exponent = e != NULL ? (double)strtol(e + 1, NULL, 10) : 0;
    *last = pow(10, exponent - digits);
    return true;
}

bool naik_gauge_size_fits(const naik_file_head *head, int64_t expected, naik_gauge_file *file)
{
    const bool fits = naik_file_size_fits(head, expected);
    if (fits && head->size_bytes > expected) {
        naik_gauge_add_note(file, "%lld bytes follow the links, which are all zero",
                            (long long)(head->size_bytes - expected));
    }
    return fits;
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
