/* own_format.h - naik's own formats, and which versions of them this program writes and reads
 *
 * The root attributes `format` and `format_version` of every file of naik. A later 1.x adds and
 * changes but what it says (io/README.md), so that every 1.x is read; what another major version means is not known.
 */
#ifndef NAIK_IO_H5_OWN_FORMAT_H
#define NAIK_IO_H5_OWN_FORMAT_H

typedef enum naik_own_format {
    NAIK_OWN_PROP,
    NAIK_OWN_GAUGE,
    NAIK_OWN_MODES,
    NAIK_OWN_MODES_BRICKS, /* in 16 bits, which programs that know 1.x alone cannot read */
    NAIK_OWN_MULTIGRID
} naik_own_format;

/* "naik-prop" ... and "1.1" ..., as they are written. */
const char *naik_own_format_name(naik_own_format format);
const char *naik_own_format_version(naik_own_format format);

#endif
