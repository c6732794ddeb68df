/* lime.c - the chain of LIME records, and the fields that SciDAC and ILDG describe in it */
#include "io/lime/lime.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "comm/paths.h"
#include "io/files.h"
#include "io/sites.h"

enum {
    RECORD_HEADER = 144,
    TYPE_BYTES = 128,
    MAX_FIELDS = 65536,
    MAX_RECORDS = 1 << 20,
    MAX_TEXT = 1 << 20,
    COMPLEX_BYTES = 16
};

static const unsigned char magic[4] = {0x45, 0x67, 0x89, 0xab};

typedef struct record {
    int64_t offset, length;    /* of the data */
    bool marked, ends_message; /* as the begin or end of a message; as the end */
    bool none;                 /* the file has no more records */
    char type[TYPE_BYTES + 1];
} record;

/* What is said of a field, before its data or, in the files of some codes, behind them. */
typedef struct format_text { /* ildg-format and its relatives */
    bool there, has_dims, tmlqcd, source;
    int dims[NAIK_DIM], precision; /* 32 or 64; 0 where not said */
    int rows;                      /* of a link; 0 where not said */
    char field[32], text[1024];
} format_text;

typedef struct scan { /* where the walk along the records stands */
    naik_log *log;
    const char *path;
    FILE *stream;
    naik_scidac_file *file;
    char *text;             /* [MAX_TEXT], of the record at hand */
    char private_xml[8192]; /* of the record to come, "" if none */
    char user_xml[2048];
    format_text format, last_format; /* of the record to come; tmLQCD's, which stays in force */
    bool has_grid_dims;              /* of the record to come, by its grid-format */
    int grid_dims[NAIK_DIM];
    bool ended, marks; /* the last record ends its message; records of this file tell that */
    bool wants_sum;    /* the last field has no checksum yet */
    bool has_sum;      /* of the record to come */
    uint32_t sum[2];
} scan;

bool naik_lime_recognise(const unsigned char *head, size_t head_size)
{
    return head_size >= sizeof magic && memcmp(head, magic, sizeof magic) == 0;
}

static int64_t big_endian_i64(const unsigned char *b)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value = value << 8 | b[i];
    }
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

/* Zeros to the end of the file are padding. Within a message they have taken the place of its records,
 * if the writer of the file marks where messages end. */
static bool is_padding(scan *s, int64_t offset)
{
    return offset > 0 && (s->ended || !s->marks) && naik_file_is_padded(s->path, offset);
}

static naik_status no_record(scan *s, int64_t offset)
{
    return NAIK_FAIL(s->log, NAIK_ERR_CORRUPT, "'%s' has no LIME record at byte %lld", s->path,
                     (long long)offset);
}

/* The record at `offset`; it lies inside the file. */
static naik_status next_record(scan *s, int64_t offset, record *out)
{
    unsigned char header[RECORD_HEADER];
    const int64_t left = s->file->size_bytes - offset;
    const bool whole = left >= RECORD_HEADER;
    if (whole && (fseeko(s->stream, offset, SEEK_SET) != 0 ||
                  fread(header, 1, RECORD_HEADER, s->stream) != RECORD_HEADER)) {
        return NAIK_FAIL(s->log, NAIK_ERR_IO, "cannot read '%s': %m", s->path);
    }
    const bool found = whole && naik_lime_recognise(header, sizeof header);
    *out = (record){.none = !found && is_padding(s, offset)};
    if (out->none) {
        s->file->padding = left;
        return NAIK_OK;
    }
    if (!whole) {
        return NAIK_FAIL(s->log, NAIK_ERR_CORRUPT,
                         "'%s' ends within a LIME record header at byte %lld", s->path,
                         (long long)offset);
    }
    if (!found) {
        return no_record(s, offset);
    }
    if (header[4] != 0 || header[5] != 1) {
        return NAIK_FAIL(s->log, offset == 0 ? NAIK_ERR_INPUT : NAIK_ERR_CORRUPT,
                         "'%s' has a LIME record of version %d at byte %lld, not 1", s->path,
                         header[4] << 8 | header[5], (long long)offset);
    }
    out->offset = offset + RECORD_HEADER;
    out->length = big_endian_i64(header + 8);
    out->marked = (header[6] & 0xc0) != 0;
    out->ends_message = (header[6] & 0x40) != 0;
    memcpy(out->type, header + 16, TYPE_BYTES);
    out->type[TYPE_BYTES] = '\0';
    for (char *c = out->type; *c != '\0'; c++) {
        *c = (char)((*c >= 32 && *c < 127) ? *c : '?');
    }
    if (out->length > left - RECORD_HEADER) {
        return NAIK_FAIL(s->log, NAIK_ERR_CORRUPT,
                         "'%s' is truncated: its record '%s' at byte %lld needs %lld bytes, but "
                         "the file ends after %lld",
                         s->path, out->type, (long long)offset, (long long)out->length,
                         (long long)(left - RECORD_HEADER));
    }
    return NAIK_OK;
}

/* The begin of a record's text; what follows a NUL or does not fit is left out. */
static naik_status read_text(scan *s, const record *r, char *text, size_t text_size)
{
    size_t wanted = r->length < (int64_t)text_size ? (size_t)r->length : text_size - 1;
    text[wanted] = '\0';
    if (fseeko(s->stream, r->offset, SEEK_SET) != 0 ||
        fread(text, 1, wanted, s->stream) != wanted) {
        return NAIK_FAIL(s->log, NAIK_ERR_IO, "cannot read '%s': %m", s->path);
    }
    return NAIK_OK;
}

static naik_status check_dims(scan *s, const int dims[NAIK_DIM])
{
    const int64_t size[NAIK_DIM] = {dims[0], dims[1], dims[2], dims[3]};
    return naik_sites_possible(size)
               ? NAIK_OK
               : NAIK_FAIL(s->log, NAIK_ERR_CORRUPT, "'%s' states impossible extents: %d %d %d %d",
                           s->path, dims[0], dims[1], dims[2], dims[3]);
}

/* The record `what` may say the same twice, but no two things. */
static naik_status refuse_contradictions(scan *s, const char *what, const char *text,
                                         const char *const *tags)
{
    for (int i = 0; tags[i] != NULL; i++) {
        if (naik_xml_contradicts(text, tags[i])) {
            return NAIK_FAIL(s->log, NAIK_ERR_CORRUPT,
                             "'%s' contradicts itself: its %s gives <%s> two values", s->path, what,
                             tags[i]);
        }
    }
    return NAIK_OK;
}

static naik_status take_file_xml(scan *s, const record *r)
{
    static const char *const tags[] = {"spacetime", "dims", "volfmt", NULL};
    const char *text = s->text;
    int dims[NAIK_DIM], spacetime = NAIK_DIM, volfmt = 0;
    NAIK_PASS(read_text(s, r, s->text, MAX_TEXT));
    NAIK_PASS(refuse_contradictions(s, "scidac-private-file-xml", text, tags));
    naik_xml_ints(text, "volfmt", 1, &volfmt);
    s->file->volume = s->file->volume || volfmt != 0;
    if (naik_xml_ints(text, "spacetime", 1, &spacetime) && spacetime != NAIK_DIM) {
        return NAIK_FAIL(s->log, NAIK_ERR_INPUT, "'%s' has %d dimensions, not 4", s->path,
                         spacetime);
    }
    if (!naik_xml_ints(text, "dims", NAIK_DIM, dims)) {
        return NAIK_FAIL(s->log, NAIK_ERR_CORRUPT,
                         "'%s' does not tell four extents in its scidac-private-file-xml", s->path);
    }
    NAIK_PASS(check_dims(s, dims));
    memcpy(s->file->dims, dims, sizeof dims);
    s->file->has_dims = true;
    return NAIK_OK;
}

static naik_status contradictory_dims(scan *s, const int a[NAIK_DIM], const int b[NAIK_DIM])
{
    return NAIK_FAIL(s->log, NAIK_ERR_CORRUPT,
                     "'%s' states contradictory extents: %d %d %d %d and %d %d %d %d", s->path,
                     a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]);
}

/* Extents that cannot be read are extents that are not told. */
static naik_status take_format(scan *s, const record *r, bool tmlqcd, bool source)
{
    static const char *const tag[NAIK_DIM] = {"lx", "ly", "lz", "lt"};
    format_text now = {.there = true, .has_dims = true, .tmlqcd = tmlqcd, .source = source};
    const format_text before = s->format;
    const char *text = s->text;
    static const char *const tags[] = {"lx", "ly", "lz", "lt", "precision", "field", "rows", NULL};
    NAIK_PASS(read_text(s, r, s->text, MAX_TEXT));
    snprintf(now.text, sizeof now.text, "%s", s->text);
    NAIK_PASS(refuse_contradictions(s, "ildg-format", text, tags));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        now.has_dims = now.has_dims && naik_xml_ints(text, tag[mu], 1, &now.dims[mu]);
    }
    if (now.has_dims) {
        NAIK_PASS(check_dims(s, now.dims));
    }
    naik_xml_ints(text, "precision", 1, &now.precision);
    naik_xml_ints(text, "rows", 1, &now.rows);
    now.precision = now.precision == 32 || now.precision == 64 ? now.precision : 0;
    naik_xml_value(text, "field", now.field, sizeof now.field);
    if (before.there && before.has_dims && now.has_dims &&
        memcmp(before.dims, now.dims, sizeof now.dims) != 0) {
        NAIK_PASS(contradictory_dims(s, before.dims, now.dims));
    }
    s->format = now;
    return NAIK_OK;
}

/* Extents of Grid's fields: an <elem> each inside <dimension>. */
static naik_status take_grid_format(scan *s, const record *r)
{
    const char *text = s->text;
    int spacetime = NAIK_DIM;
    NAIK_PASS(read_text(s, r, s->text, MAX_TEXT));
    if (naik_xml_ints(text, "nd", 1, &spacetime) && spacetime != NAIK_DIM) {
        return NAIK_FAIL(s->log, NAIK_ERR_INPUT, "'%s' has a field of %d dimensions, not 4",
                         s->path, spacetime);
    }
    const char *at = strstr(text, "<dimension>");
    s->has_grid_dims = at != NULL;
    for (int mu = 0; mu < NAIK_DIM && s->has_grid_dims; mu++) {
        at = strstr(at + 1, "<elem>");
        s->has_grid_dims = at != NULL && naik_xml_ints(at, "elem", 1, &s->grid_dims[mu]);
    }
    if (s->has_grid_dims) {
        NAIK_PASS(check_dims(s, s->grid_dims));
    }
    return NAIK_OK;
}

static naik_status take_private_xml(scan *s, const record *r)
{
    static const char *const tags[] = {"precision", "datatype",  "colors",     "spins",
                                       "typesize",  "datacount", "recordtype", NULL};
    NAIK_PASS(read_text(s, r, s->private_xml, sizeof s->private_xml));
    return refuse_contradictions(s, "scidac-private-record-xml", s->private_xml, tags);
}

/* Numbers in the private record XML; what is not said or unreadable stays unknown. */
static void describe(const scan *s, naik_scidac_field *f)
{
    const char *xml = s->private_xml;
    char value[16];
    f->has_private = xml[0] != '\0';
    f->colors = f->spins = f->typesize = f->datacount = -1;
    if (naik_xml_value(xml, "precision", value, sizeof value)) {
        f->precision = value[0] == 'F' ? 32 : value[0] == 'D' ? 64 : 0;
    }
    naik_xml_value(xml, "datatype", f->datatype, sizeof f->datatype);
    naik_xml_ints(xml, "colors", 1, &f->colors);
    naik_xml_ints(xml, "spins", 1, &f->spins);
    naik_xml_ints(xml, "typesize", 1, &f->typesize);
    naik_xml_ints(xml, "datacount", 1, &f->datacount);
    naik_xml_ints(xml, "recordtype", 1, &f->recordtype);
    f->is_source = f->recordtype == 2 || strstr(s->user_xml, "usqcdSourceInfo") != NULL;
}

static void use_format(naik_scidac_field *f, const format_text *format)
{
    f->has_format = format->there;
    f->tmlqcd = format->tmlqcd;
    f->is_source = f->is_source || format->source;
    f->format_precision = format->precision;
    f->format_rows = format->rows;
    memcpy(f->field_name, format->field, sizeof f->field_name);
    memcpy(f->format, format->text, sizeof f->format);
    if (format->has_dims) {
        f->has_dims = true;
        memcpy(f->dims, format->dims, sizeof f->dims);
    }
}

static naik_status place(scan *s, naik_scidac_field *f)
{
    const naik_scidac_file *file = s->file;
    if (!s->format.there && !f->has_private && s->last_format.there) {
        s->format = s->last_format;
    }
    use_format(f, &s->format);
    if (s->format.has_dims && file->has_dims &&
        memcmp(file->dims, s->format.dims, sizeof file->dims) != 0) {
        NAIK_PASS(contradictory_dims(s, file->dims, s->format.dims));
    }
    if (s->has_grid_dims && file->has_dims &&
        memcmp(file->dims, s->grid_dims, sizeof file->dims) != 0) {
        NAIK_PASS(contradictory_dims(s, file->dims, s->grid_dims));
    }
    if (!f->has_dims && (file->has_dims || s->has_grid_dims)) {
        f->has_dims = true;
        memcpy(f->dims, file->has_dims ? file->dims : s->grid_dims, sizeof f->dims);
    }
    f->checkered = s->has_grid_dims; /* if it is, its length tells */
    s->has_grid_dims = false;
    s->last_format = s->format.tmlqcd ? s->format : s->last_format;
    s->format = (format_text){.there = false};
    return NAIK_OK;
}

static naik_status take_part(scan *s, naik_scidac_field *f)
{
    const char *xml = s->private_xml;
    if (f->recordtype != 2) {
        return NAIK_OK;
    }
    bool ok = f->has_dims && naik_xml_ints(xml, "hyperlower", NAIK_DIM, f->lower) &&
              naik_xml_ints(xml, "hyperupper", NAIK_DIM, f->upper);
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        ok = ok && f->lower[mu] >= 0 && f->lower[mu] <= f->upper[mu] && f->upper[mu] < f->dims[mu];
    }
    return ok ? NAIK_OK
              : NAIK_FAIL(s->log, NAIK_ERR_CORRUPT,
                          "'%s' has a sub-volume record without a sensible hyperlower and "
                          "hyperupper at byte %lld",
                          s->path, (long long)f->offset);
}

static naik_status take_field(scan *s, const record *r, bool ildg)
{
    naik_scidac_file *file = s->file;
    if (file->count >= MAX_FIELDS) {
        return NAIK_FAIL(s->log, NAIK_ERR_INPUT, "'%s' holds more than %d fields", s->path,
                         MAX_FIELDS);
    }
    if ((file->count & (file->count - 1)) == 0) { /* grows by doubling, as records are found */
        size_t room = file->count > 0 ? 2 * (size_t)file->count : 1;
        naik_scidac_field *grown = realloc(file->field, room * sizeof *grown);
        if (grown == NULL) {
            return NAIK_FAIL(s->log, NAIK_ERR_MEMORY, "no memory for the records of '%s'", s->path);
        }
        file->field = grown;
    }
    naik_scidac_field *f = &file->field[file->count];
    *f = (naik_scidac_field){.offset = r->offset,
                             .size_bytes = r->length,
                             .ildg = ildg,
                             .ends_message = r->ends_message,
                             .has_sum = s->has_sum};
    describe(s, f);
    NAIK_PASS(place(s, f));
    NAIK_PASS(take_part(s, f));
    memcpy(f->sum, s->sum, sizeof f->sum);
    memcpy(f->user, s->user_xml, sizeof f->user);
    file->count++;
    s->private_xml[0] = s->user_xml[0] = '\0';
    s->wants_sum = !s->has_sum;
    s->has_sum = false;
    memset(s->sum, 0, sizeof s->sum);
    return NAIK_OK;
}

static bool hex_value(const char *xml, const char *tag, uint32_t *out)
{
    char value[16], *end;
    const bool found = naik_xml_value(xml, tag, value, sizeof value);
    const char *digits = strncasecmp(value, "0x", 2) == 0 ? value + 2 : value;
    if (!found || !isxdigit((unsigned char)*digits) || strlen(digits) > 8) {
        return false;
    }
    *out = (uint32_t)strtoul(digits, &end, 16);
    return *end == '\0';
}

/* Of the field before it, or of the field to come where that has one. */
static naik_status take_checksum(scan *s, const record *r)
{
    uint32_t sum[2];
    NAIK_PASS(read_text(s, r, s->text, MAX_TEXT));
    if (!hex_value(s->text, "suma", &sum[0]) || !hex_value(s->text, "sumb", &sum[1])) {
        return NAIK_FAIL(s->log, NAIK_ERR_CORRUPT,
                         "'%s' has an unreadable scidac-checksum record at byte %lld", s->path,
                         (long long)r->offset);
    }
    if (s->wants_sum) {
        naik_scidac_field *f = &s->file->field[s->file->count - 1];
        f->has_sum = true;
        memcpy(f->sum, sum, sizeof f->sum);
        s->wants_sum = false;
    } else {
        s->has_sum = true;
        memcpy(s->sum, sum, sizeof s->sum);
    }
    return NAIK_OK;
}

static naik_status take_record(scan *s, const record *r)
{
    if (strcmp(r->type, "scidac-private-file-xml") == 0) {
        return take_file_xml(s, r);
    }
    if (strcmp(r->type, "scidac-file-xml") == 0) {
        return read_text(s, r, s->file->user, sizeof s->file->user);
    }
    if (strcmp(r->type, "ildg-format") == 0) {
        return take_format(s, r, false, false);
    }
    if (strcmp(r->type, "etmc-propagator-format") == 0) {
        return take_format(s, r, true, false);
    }
    if (strcmp(r->type, "etmc-source-format") == 0) {
        return take_format(s, r, true, true);
    }
    if (strcmp(r->type, "grid-format") == 0) {
        return take_grid_format(s, r);
    }
    if (strcmp(r->type, "scidac-sitelist") == 0) {
        s->file->list_offset = r->offset;
        s->file->list_bytes = r->length;
        s->file->volume = true;
        return NAIK_OK;
    }
    if (strcmp(r->type, "ildg-data-lfn") == 0 && s->file->ildg_lfn[0] == '\0') {
        return read_text(s, r, s->file->ildg_lfn, sizeof s->file->ildg_lfn);
    }
    if (strcmp(r->type, "scidac-private-record-xml") == 0) {
        s->file->lone += s->private_xml[0] != '\0';
        return take_private_xml(s, r);
    }
    if (strcmp(r->type, "scidac-record-xml") == 0) {
        return read_text(s, r, s->user_xml, sizeof s->user_xml);
    }
    if (strcmp(r->type, "scidac-binary-data") == 0) {
        return take_field(s, r, false);
    }
    if (strcmp(r->type, "ildg-binary-data") == 0) {
        return take_field(s, r, true);
    }
    if (strcmp(r->type, "scidac-checksum") == 0) {
        return take_checksum(s, r);
    }
    return NAIK_OK; /* records of other kinds are somebody else's */
}

/* A format record behind the data of the last field; then every field is known. */
static void finish(scan *s)
{
    naik_scidac_file *file = s->file;
    naik_scidac_field *last = file->count > 0 ? &file->field[file->count - 1] : NULL;
    if (last != NULL && s->format.there && !last->has_format && !last->has_private) {
        use_format(last, &s->format);
    }
    for (int i = 0; i < file->count; i++) {
        naik_scidac_classify(file, &file->field[i]);
    }
}

/* As many zeros as a field has may have been one more of them, but for that of a lone configuration; and
 * zeros behind no field at all may have been any. */
static bool may_be_fields(const naik_scidac_file *file, const naik_scidac_field *last)
{
    const bool lone = last != NULL && file->count == 1 && last->kind == NAIK_FIELD_LINKS;
    return !lone && (last == NULL || file->padding >= last->size_bytes);
}

/* A solution without a checksum that ends in zeros itself may have lost its end. Links show that, as
 * they are not unitary then, and sources may have zeros anywhere. `last` is there: may_be_fields is true of none. */
static bool may_be_numbers(const scan *s, const naik_scidac_field *last)
{
    return last->kind != NAIK_FIELD_LINKS && !last->is_source && !last->has_sum &&
           naik_file_is_padded(s->path, last->offset + last->size_bytes - COMPLEX_BYTES);
}

static naik_status judge_padding(scan *s)
{
    const naik_scidac_file *file = s->file;
    const naik_scidac_field *last = file->count > 0 ? &file->field[file->count - 1] : NULL;
    const bool lost = file->padding > 0 && (may_be_fields(file, last) || may_be_numbers(s, last));
    return lost ? no_record(s, file->size_bytes - file->padding) : NAIK_OK;
}

static naik_status walk(scan *s)
{
    int64_t offset = 0;
    for (int n = 0; offset < s->file->size_bytes; n++) {
        record r;
        if (n == MAX_RECORDS) {
            return NAIK_FAIL(s->log, NAIK_ERR_INPUT, "'%s' holds more than %d LIME records",
                             s->path, MAX_RECORDS);
        }
        NAIK_PASS(next_record(s, offset, &r));
        if (r.none) {
            break;
        }
        NAIK_PASS(take_record(s, &r));
        s->ended = r.ends_message;
        s->marks = s->marks || r.marked;
        offset = r.offset + r.length;
        offset += (8 - r.length % 8) % 8; /* padding; the last record's may be missing */
    }
    s->file->lone += s->private_xml[0] != '\0';
    finish(s);
    return judge_padding(s);
}

void naik_scidac_close(naik_scidac_file **file)
{
    if (*file != NULL) {
        free((*file)->field);
    }
    free(*file);
    *file = NULL;
}

naik_status naik_scidac_scan(naik_log *log, const char *path, naik_scidac_file **out)
{
    *out = NULL;
    struct stat info;
    scan s = {.log = log, .path = path};
    naik_status status = NAIK_OK;
    s.file = calloc(1, sizeof *s.file);
    s.text = calloc(1, MAX_TEXT);
    s.stream = naik_path_open(path, &info);
    if (s.file == NULL || s.text == NULL) {
        status = NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the records of '%s'", path);
        goto done;
    }
    if (s.stream == NULL) {
        status = NAIK_FAIL(log, NAIK_ERR_INPUT, "cannot open '%s' as a file", path);
        goto done;
    }
    s.file->size_bytes = info.st_size;
    unsigned char head[4] = {0};
    if (fread(head, 1, sizeof head, s.stream) != sizeof head ||
        !naik_lime_recognise(head, sizeof head)) {
        status = NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s' is no LIME file", path);
        goto done;
    }
    NAIK_TRY(walk(&s));
    *out = s.file;
    s.file = NULL;
done:
    if (s.stream != NULL) {
        fclose(s.stream);
    }
    free(s.text);
    naik_scidac_close(&s.file);
    return status;
}
