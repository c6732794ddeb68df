/* scidac.c - gauge configurations in SciDAC and ILDG files
 *
 * One record with four colour matrices a site, big-endian. Extents and precision come from the
 * ildg-format record or from the SciDAC XML; where both speak they must agree, with each other and
 * with the length of the data. Where neither speaks the extents are given with the file's name. A
 * configuration that QIO wrote in parts is named by its first one.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io/gauge/format.h"
#include "io/lime/volumes.h"

static bool recognise(const naik_file_head *head)
{
    return naik_lime_recognise(head->bytes, (size_t)head->length);
}

/* The configuration of the file, where it has one and no more. */
static naik_status find_links(naik_log *log, const char *path, const naik_scidac_file *lime,
                              naik_scidac_field **out)
{
    char contents[400];
    int found = 0;
    for (int i = 0; i < lime->count; i++) {
        naik_scidac_field *f = &lime->field[i];
        const bool lost = f->contradicts && f->kind == NAIK_FIELD_OTHER && found == 0;
        if (f->recordtype == 0 && (f->kind == NAIK_FIELD_LINKS || lost)) {
            found += f->kind == NAIK_FIELD_LINKS;
            *out = found < 2 ? f : *out;
        }
    }
    if (found == 1 || (found == 0 && *out != NULL)) {
        return NAIK_OK;
    }
    naik_scidac_contents(lime, contents, sizeof contents);
    return found == 0
               ? NAIK_FAIL(log, NAIK_ERR_INPUT,
                           "'%s' is a LIME file, but none of its records is a gauge field: it "
                           "holds %s",
                           path, contents)
               : NAIK_FAIL(log, NAIK_ERR_INPUT,
                           "'%s' holds %s: naik reads files with one configuration, so give "
                           "each of them a file of its own",
                           path, contents);
}

static naik_status bad_length(naik_log *log, const char *path, const naik_scidac_field *f)
{
    const int64_t volume = (int64_t)f->dims[0] * f->dims[1] * f->dims[2] * f->dims[3];
    const int colours = f->colors > 0 ? f->colors : 3;
    const int64_t single = volume * 4 * colours * colours * 8;
    if (f->kind != NAIK_FIELD_LINKS) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "'%s' has %lld bytes of data at byte %lld that do not fit their own "
                         "description (%d %d %d %d sites)",
                         path, (long long)f->size_bytes, (long long)f->offset, f->dims[0],
                         f->dims[1], f->dims[2], f->dims[3]);
    }
    return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                     "'%s' has %lld bytes of links, but its extents %d %d %d %d need %lld in "
                     "single or %lld in double precision",
                     path, (long long)f->size_bytes, f->dims[0], f->dims[1], f->dims[2], f->dims[3],
                     (long long)single, (long long)(2 * single));
}

/* Extents that the file tells, or that came from elsewhere; the data must have their length. */
static naik_status take_extents(naik_log *log, const char *path, const naik_scidac_file *lime,
                                naik_scidac_field *f, naik_gauge_file *file)
{
    const bool given = file->size[0] > 0;
    file->extents_given = !f->has_dims;
    if (!f->has_dims && !given) {
        return NAIK_FAIL(
            log, NAIK_ERR_INPUT,
            "'%s' holds %lld bytes of links and does not tell their extents: give them, "
            "as lattice.size of an input or with naik gauge ... --size X,Y,Z,T",
            path, (long long)f->size_bytes);
    }
    if (!f->has_dims) {
        naik_scidac_give_dims(lime, file->size, f);
        if (f->contradicts || f->colors != 3) {
            return NAIK_FAIL(
                log, NAIK_ERR_INPUT,
                "'%s' holds %lld bytes of links, which are no SU(3) configuration of the "
                "%d %d %d %d sites given: in single precision that takes %lld bytes, in "
                "double %lld",
                path, (long long)f->size_bytes, f->dims[0], f->dims[1], f->dims[2], f->dims[3],
                288LL * f->dims[0] * f->dims[1] * f->dims[2] * f->dims[3],
                576LL * f->dims[0] * f->dims[1] * f->dims[2] * f->dims[3]);
        }
    }
    const int64_t size[NAIK_DIM] = {f->dims[0], f->dims[1], f->dims[2], f->dims[3]};
    return naik_gauge_set_extents(file, size)
               ? NAIK_OK
               : NAIK_FAIL(log, NAIK_ERR_CORRUPT, "'%s' tells no possible extents of its links",
                           path);
}

static naik_status check_links(naik_log *log, const char *path, const naik_scidac_field *f)
{
    const int said = f->precision != 0 ? f->precision : f->format_precision;
    if (f->contradicts && f->bits != 0 && said != 0 && said != f->bits) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "'%s' says that its links have %d bits, but its data have %d", path, said,
                         f->bits);
    }
    if (f->contradicts) {
        return bad_length(log, path, f);
    }
    if (f->colors != 3) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "'%s' has links of %d colours, SU(%d): naik computes with 3", path,
                         f->colors, f->colors);
    }
    /* QIO writes a checksum behind every record of its own, which ends the message. */
    if (!f->has_sum && f->has_private && !f->ends_message) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "'%s' is a SciDAC file without the checksum that belongs to its links",
                         path);
    }
    return NAIK_OK;
}

/* Plaquette and link trace that MILC writes into the user XML. */
static void take_claims(const naik_scidac_field *f, naik_gauge_file *file)
{
    char value[64];
    double number;
    if (naik_xml_value(f->user, "plaq", value, sizeof value) &&
        naik_gauge_read_claim(value, &number, &file->plaquette_last)) {
        file->plaquette_stored = 3 * number;
    }
    if (naik_xml_value(f->user, "linktr", value, sizeof value) &&
        naik_gauge_read_claim(value, &number, &file->link_trace_last)) {
        file->link_trace_stored = number;
    }
}

static naik_status keep_text(naik_log *log, const naik_scidac_file *lime,
                             const naik_scidac_field *f, naik_gauge_file *file)
{
    size_t room = strlen(lime->user) + strlen(f->user) + strlen(f->format) + 3;
    file->header_text = calloc(1, room);
    if (file->header_text == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a file's header");
    }
    snprintf(file->header_text, room, "%s\n%s\n%s", lime->user, f->user, f->format);
    return NAIK_OK;
}

static naik_status fill(naik_log *log, const char *path, const naik_scidac_file *lime,
                        naik_gauge_file *file)
{
    naik_scidac_field *f = NULL;
    NAIK_PASS(find_links(log, path, lime, &f));
    NAIK_PASS(take_extents(log, path, lime, f, file));
    NAIK_PASS(check_links(log, path, f));
    /* Grid gives ILDG's name to the data of every field. */
    strcpy(file->format, f->ildg && (f->has_format || !f->has_private) ? "ildg" : "scidac");
    memcpy(file->lfn, lime->ildg_lfn, sizeof file->lfn);
    strcpy(file->byte_order, "big");
    strcpy(file->checksum_kind, f->has_sum ? "suma/sumb" : "none");
    file->rows = f->rows;
    file->precision = f->bits;
    file->in_parts = lime->volume;
    file->data_offset =
        lime->volume ? naik_volumes_arrays_before(lime, (int)(f - lime->field)) : f->offset;
    file->checksum_known = f->has_sum;
    memcpy(file->checksum_stored, f->sum, sizeof f->sum);
    if (!f->has_sum) {
        naik_gauge_add_note(file, "the file carries no checksum");
    }
    if (file->extents_given) {
        naik_gauge_add_note(file, "the file does not tell its extents, which were given");
    }
    if (lime->padding > 0) {
        naik_gauge_add_note(file, "%lld bytes follow the last record, which are all zero",
                            (long long)lime->padding);
    }
    take_claims(f, file);
    return keep_text(log, lime, f, file);
}

static naik_status probe(naik_log *log, const naik_file_head *head, naik_gauge_file *file)
{
    naik_scidac_file *lime = NULL;
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_scidac_scan(log, head->path, &lime));
    NAIK_TRY(naik_scidac_need_first(log, head->path, lime));
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
