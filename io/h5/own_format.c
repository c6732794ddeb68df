/* own_format.c - naik's own formats, and which versions of them are written and read */
#include "io/h5/own_format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "io/h5/h5.h"
#include "io/h5/metadata_crc.h"
#include "naik/version.h"

/* All major versions from 1 on to the last one are known. */
static const struct {
    const char *name, *version;
} formats[] = {[NAIK_OWN_PROP] = {"naik-prop", "1.2"},
               [NAIK_OWN_GAUGE] = {"naik-gauge", "1.1"},
               [NAIK_OWN_MODES] = {"naik-modes", "1.0"},
               [NAIK_OWN_MODES_BRICKS] = {"naik-modes", "2.0"},
               [NAIK_OWN_MULTIGRID] = {"naik-multigrid", "1.0"}};

const char *naik_own_format_name(naik_own_format format)
{
    return formats[format].name;
}

const char *naik_own_format_version(naik_own_format format)
{
    return formats[format].version;
}

/* MAJOR of "MAJOR.MINOR"; -1 where the text is none. */
static long major_of(const char *text)
{
    char *stop;
    if (!isdigit((unsigned char)text[0])) {
        return -1;
    }
    const long major = strtol(text, &stop, 10);
    if (stop[0] != '.' || !isdigit((unsigned char)stop[1])) {
        return -1;
    }
    return stop[1 + strspn(stop + 1, "0123456789")] == '\0' ? major : -1;
}

naik_status naik_h5_check_version(naik_log *log, hid_t file, const char *path)
{
    char format[32] = "", version[32] = "", writer[64] = "";
    long known = 0;
    naik_h5_get_text(file, "format", format, sizeof format);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const long last = major_of(formats[i].version);
        known = strcmp(format, formats[i].name) == 0 && last > known ? last : known;
    }
    if (known == 0) { /* of another program, or a word of ours that is damaged */
        return naik_h5_check_metadata_crc(log, file, path);
    }
    naik_h5_get_text(file, "format_version", version, sizeof version);
    const long major = major_of(version);
    if (major < 0) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "'%s' is damaged: it has the format %s and no format_version", path,
                         format);
    }
    if (major < 1 || major > known) {
        naik_h5_get_text(file, "writer", writer, sizeof writer);
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "'%s' has version %s of the format %s, written by '%s'; naik %s reads "
                         "versions %s%ld.x: read it with a naik as new as its writer",
                         path, version, format, writer, naik_version(), known > 1 ? "up to " : "",
                         known);
    }
    return NAIK_OK;
}
