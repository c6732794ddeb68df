/* scidac.c - gauge configurations in SciDAC and ILDG files
 *
 * One record with four colour matrices a site, big-endian. Extents and precision come from the
 * ildg-format record or from the SciDAC XML; where both speak they must agree, with each other and
 * with the length of the data.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/gauge/format.h"
#include "io/lime/lime.h"

static bool recognise(const naik_file_head *head)
{
    return naik_lime_recognise(head->bytes, (size_t)head->length);
}

/* The first record that can be a gauge field. */
static const naik_scidac_field *find_links(const naik_scidac_file *lime)
{
    for (int i = 0; i < lime->count; i++) {
        const naik_scidac_field *f = &lime->field[i];
        bool matrices = f->datacount == 4 && (f->typesize == 72 || f->typesize == 144);
        if (f->recordtype == 0 && (f->ildg || matrices)) {
            return f;
        }
    }
    return NULL;
}

static naik_status take_precision(naik_log *log, const char *path, const naik_scidac_file *lime,
                                  const naik_scidac_field *f, naik_gauge_file *file)
{
    /* What each place says, 0 where it is silent. */
    const int said[3] = {f->precision,
                         f->typesize == 72    ? 32
                         : f->typesize == 144 ? 64
                                              : 0,
                         lime->ildg_precision};
    int64_t volume = naik_gauge_file_volume(file);
    file->precision = f->size_bytes == volume * 576 ? 64 : 32;
    int64_t expected = volume * 9 * file->precision;
    if (f->size_bytes != expected) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "'%s' has %lld bytes of links, but its extents %d %d %d %d need %lld in "
                         "single or %lld in double precision",
                         path, (long long)f->size_bytes, file->size[0], file->size[1],
                         file->size[2], file->size[3], (long long)(volume * 288),
                         (long long)(volume * 576));
    }
    for (int i = 0; i < 3; i++) {
        if (said[i] != 0 && said[i] != file->precision) {
            return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                             "'%s' says that its links have %d bits, but its data have %d", path,
                             said[i], file->precision);
        }
    }
    return NAIK_OK;
}

/* Plaquette and link trace that MILC writes into the user XML. */
static void take_claims(const naik_scidac_field *f, naik_gauge_file *file)
{
    char value[64], *end;
    if (naik_xml_value(f->user, "plaq", value, sizeof value)) {
        double number = strtod(value, &end);
        file->plaquette_stored = end != value && *end == '\0' ? 3 * number : NAN;
    }
    if (naik_xml_value(f->user, "linktr", value, sizeof value)) {
        double number = strtod(value, &end);
        file->link_trace_stored = end != value && *end == '\0' ? number : NAN;
    }
}

static naik_status keep_text(naik_log *log, const naik_scidac_file *lime,
                             const naik_scidac_field *f, naik_gauge_file *file)
{
    size_t room = strlen(lime->user) + strlen(f->user) + strlen(lime->ildg_format) + 3;
    file->header_text = calloc(1, room);
    if (file->header_text == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a file's header");
    }
    snprintf(file->header_text, room, "%s\n%s\n%s", lime->user, f->user, lime->ildg_format);
    return NAIK_OK;
}

static naik_status fill(naik_log *log, const char *path, const naik_scidac_file *lime,
                        naik_gauge_file *file)
{
    const naik_scidac_field *f = find_links(lime);
    naik_status status = NAIK_OK;
    if (f == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "'%s' is a LIME file, but none of its records is a gauge field", path);
    }
    int64_t size[NAIK_DIM] = {lime->dims[0], lime->dims[1], lime->dims[2], lime->dims[3]};
    if (!lime->has_dims || !naik_gauge_set_extents(file, size)) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT, "'%s' tells no possible extents of its links",
                         path);
    }
    if (f->colors != -1 && f->colors != 3) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s' has links of %d colours, not 3", path,
                         f->colors);
    }
    /* QIO writes a checksum after every record of its own; its loss is damage. */
    if (!f->has_sum && f->has_private) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "'%s' is a SciDAC file without the checksum that belongs to its links",
                         path);
    }
    strcpy(file->format, f->ildg ? "ildg" : "scidac");
    strcpy(file->byte_order, "big");
    strcpy(file->checksum_kind, f->has_sum ? "suma/sumb" : "none");
    file->rows = 3;
    file->data_offset = f->offset;
    file->checksum_known = f->has_sum;
    memcpy(file->checksum_stored, f->sum, sizeof f->sum);
    if (!f->has_sum) {
        strcpy(file->note, "plain ILDG: the file carries no checksum");
    }
    NAIK_TRY(take_precision(log, path, lime, f, file));
    take_claims(f, file);
    NAIK_TRY(keep_text(log, lime, f, file));
done:
    return status;
}

static naik_status probe(naik_log *log, const naik_file_head *head, naik_gauge_file *file)
{
    naik_scidac_file *lime = NULL;
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_scidac_scan(log, head->path, &lime));
    NAIK_TRY(fill(log, head->path, lime, file));
done:
    naik_scidac_close(&lime);
    return status;
}

static naik_status read_links(const char *path, naik_gauge *gauge, naik_gauge_file *file)
{
    return naik_gauge_read_flat(path, gauge, NAIK_SUM_USQCD, file);
}

const naik_gauge_format naik_gauge_format_lime = {
    .name = "LIME", .recognise = recognise, .probe = probe, .read = read_links};
