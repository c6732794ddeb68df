/* lime.c - the chain of LIME records, and the fields that SciDAC and ILDG describe in it */
#include "io/lime/lime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "comm/paths.h"

enum {
    RECORD_HEADER = 144,
    TYPE_BYTES = 128,
    MAX_FIELDS = 65536,
    MAX_RECORDS = 1 << 20,
    MAX_EXTENT = 65536
};

static const unsigned char magic[4] = {0x45, 0x67, 0x89, 0xab};

typedef struct record {
    int64_t offset, length; /* of the data */
    char type[TYPE_BYTES + 1];
} record;

typedef struct scan { /* where the walk along the records stands */
    naik_log *log;
    const char *path;
    FILE *stream;
    naik_scidac_file *file;
    char private_xml[2048]; /* of the record to come, "" if none */
    char user_xml[2048];
    bool wants_sum; /* the last field has no checksum yet */
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

/* The record at `offset`; it lies inside the file. */
static naik_status next_record(scan *s, int64_t offset, record *out)
{
    unsigned char header[RECORD_HEADER];
    int64_t left = s->file->size_bytes - offset;
    if (left < RECORD_HEADER) {
        return NAIK_FAIL(s->log, NAIK_ERR_CORRUPT,
                         "'%s' ends within a LIME record header at byte %lld", s->path,
                         (long long)offset);
    }
    if (fseeko(s->stream, offset, SEEK_SET) != 0 ||
        fread(header, 1, RECORD_HEADER, s->stream) != RECORD_HEADER) {
        return NAIK_FAIL(s->log, NAIK_ERR_IO, "cannot read '%s': %m", s->path);
    }
    if (!naik_lime_recognise(header, sizeof header)) {
        return NAIK_FAIL(s->log, NAIK_ERR_CORRUPT, "'%s' has no LIME record at byte %lld", s->path,
                         (long long)offset);
    }
    if (header[4] != 0 || header[5] != 1) {
        return NAIK_FAIL(s->log, NAIK_ERR_CORRUPT,
                         "'%s' has a LIME record of version %d at byte %lld, not 1", s->path,
                         header[4] << 8 | header[5], (long long)offset);
    }
    out->offset = offset + RECORD_HEADER;
    out->length = big_endian_i64(header + 8);
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
    memset(text, 0, text_size);
    if (fseeko(s->stream, r->offset, SEEK_SET) != 0 ||
        fread(text, 1, wanted, s->stream) != wanted) {
        return NAIK_FAIL(s->log, NAIK_ERR_IO, "cannot read '%s': %m", s->path);
    }
    return NAIK_OK;
}

static naik_status set_dims(scan *s, const int dims[NAIK_DIM])
{
    naik_scidac_file *file = s->file;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if (dims[mu] < 1 || dims[mu] > MAX_EXTENT ||
            (file->has_dims && file->dims[mu] != dims[mu])) {
            return NAIK_FAIL(s->log, NAIK_ERR_CORRUPT,
                             "'%s' states impossible or contradictory extents: %d %d %d %d",
                             s->path, dims[0], dims[1], dims[2], dims[3]);
        }
    }
    memcpy(file->dims, dims, sizeof file->dims);
    file->has_dims = true;
    return NAIK_OK;
}

static naik_status take_file_xml(scan *s, const record *r)
{
    char text[2048];
    int dims[NAIK_DIM], spacetime = NAIK_DIM, volfmt = 0;
    naik_status status = NAIK_OK;
    NAIK_TRY(read_text(s, r, text, sizeof text));
    if (naik_xml_ints(text, "volfmt", 1, &volfmt) && volfmt != 0) {
        status = NAIK_FAIL(s->log, NAIK_ERR_INPUT,
                           "'%s' is one part of a multi-file SciDAC volume; join the parts first",
                           s->path);
        goto done;
    }
    if (naik_xml_ints(text, "spacetime", 1, &spacetime) && spacetime != NAIK_DIM) {
        status =
            NAIK_FAIL(s->log, NAIK_ERR_INPUT, "'%s' has %d dimensions, not 4", s->path, spacetime);
        goto done;
    }
    if (!naik_xml_ints(text, "dims", NAIK_DIM, dims)) {
        status =
            NAIK_FAIL(s->log, NAIK_ERR_CORRUPT,
                      "'%s' does not tell four extents in its scidac-private-file-xml", s->path);
        goto done;
    }
    NAIK_TRY(set_dims(s, dims));
done:
    return status;
}

static naik_status take_ildg_format(scan *s, const record *r)
{
    static const char *const tag[NAIK_DIM] = {"lx", "ly", "lz", "lt"};
    naik_scidac_file *file = s->file;
    int dims[NAIK_DIM];
    naik_status status = NAIK_OK;
    NAIK_TRY(read_text(s, r, file->ildg_format, sizeof file->ildg_format));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if (!naik_xml_ints(file->ildg_format, tag[mu], 1, &dims[mu])) {
            status = NAIK_FAIL(s->log, NAIK_ERR_CORRUPT,
                               "'%s' has an ildg-format record without a readable <%s>", s->path,
                               tag[mu]);
            goto done;
        }
    }
    NAIK_TRY(set_dims(s, dims));
    file->has_ildg_format = true;
    if (!naik_xml_ints(file->ildg_format, "precision", 1, &file->ildg_precision)) {
        file->ildg_precision = 0;
    }
done:
    return status;
}

/* Numbers in the private record XML; what is not said or unreadable stays unknown. */
static naik_status describe(scan *s, naik_scidac_field *f)
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
    if (f->recordtype != 2) {
        return NAIK_OK;
    }
    bool ok = s->file->has_dims && naik_xml_ints(xml, "hyperlower", NAIK_DIM, f->lower) &&
              naik_xml_ints(xml, "hyperupper", NAIK_DIM, f->upper);
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        ok = ok && f->lower[mu] >= 0 && f->lower[mu] <= f->upper[mu] &&
             f->upper[mu] < s->file->dims[mu];
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
    *f = (naik_scidac_field){.offset = r->offset, .size_bytes = r->length, .ildg = ildg};
    naik_status status = NAIK_OK;
    NAIK_TRY(describe(s, f));
    memcpy(f->user, s->user_xml, sizeof f->user);
    file->count++;
    s->private_xml[0] = s->user_xml[0] = '\0';
    s->wants_sum = true;
done:
    return status;
}

static bool hex_value(const char *xml, const char *tag, uint32_t *out)
{
    char value[16], *end;
    if (!naik_xml_value(xml, tag, value, sizeof value) || value[0] == '\0' || strlen(value) > 8) {
        return false;
    }
    *out = (uint32_t)strtoul(value, &end, 16);
    return *end == '\0' && value[0] != '-' && value[0] != '+';
}

static naik_status take_checksum(scan *s, const record *r)
{
    char text[1024];
    naik_status status = NAIK_OK;
    NAIK_TRY(read_text(s, r, text, sizeof text));
    if (!s->wants_sum) {
        goto done;
    }
    naik_scidac_field *f = &s->file->field[s->file->count - 1];
    if (!hex_value(text, "suma", &f->sum[0]) || !hex_value(text, "sumb", &f->sum[1])) {
        status = NAIK_FAIL(s->log, NAIK_ERR_CORRUPT,
                           "'%s' has an unreadable scidac-checksum record at byte %lld", s->path,
                           (long long)r->offset);
        goto done;
    }
    f->has_sum = true;
    s->wants_sum = false;
done:
    return status;
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
        return take_ildg_format(s, r);
    }
    if (strcmp(r->type, "scidac-private-record-xml") == 0) {
        s->file->lone += s->private_xml[0] != '\0';
        return read_text(s, r, s->private_xml, sizeof s->private_xml);
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

static naik_status walk(scan *s)
{
    naik_status status = NAIK_OK;
    int64_t offset = 0;
    for (int n = 0; offset < s->file->size_bytes; n++) {
        record r;
        if (n == MAX_RECORDS) {
            return NAIK_FAIL(s->log, NAIK_ERR_INPUT, "'%s' holds more than %d LIME records",
                             s->path, MAX_RECORDS);
        }
        NAIK_TRY(next_record(s, offset, &r));
        NAIK_TRY(take_record(s, &r));
        offset = r.offset + r.length;
        offset += (8 - r.length % 8) % 8; /* padding; the last record's may be missing */
    }
    s->file->lone += s->private_xml[0] != '\0';
done:
    return status;
}

naik_status naik_scidac_scan(naik_log *log, const char *path, naik_scidac_file **out)
{
    *out = NULL;
    struct stat info;
    scan s = {.log = log, .path = path};
    naik_status status = NAIK_OK;
    s.file = calloc(1, sizeof *s.file);
    s.stream = naik_path_open(path, &info);
    if (s.file == NULL) {
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
    naik_scidac_close(&s.file);
    return status;
}

naik_status naik_scidac_open(naik_comm *comm, const char *path, naik_scidac_file **out)
{
    *out = NULL;
    naik_status status = NAIK_OK;
    naik_scidac_file *file = NULL;
    naik_scidac_field *field = NULL;
    if (comm->rank == 0) {
        status = naik_scidac_scan(comm->log, path, &file);
    } else {
        file = calloc(1, sizeof *file);
        if (file == NULL) {
            status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for records of a file");
        }
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    field = file->field;
    status = naik_comm_broadcast(comm, file, sizeof *file, 0);
    file->field = field; /* a pointer of rank 0 means nothing elsewhere */
    NAIK_TRY(status);
    if (comm->rank != 0 && file->count > 0) {
        file->field = calloc((size_t)file->count, sizeof *file->field);
        if (file->field == NULL) {
            status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for records of a file");
        }
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    if (file->count > 0) {
        NAIK_TRY(
            naik_comm_broadcast(comm, file->field, (size_t)file->count * sizeof *file->field, 0));
    }
    *out = file;
    file = NULL;
done:
    naik_scidac_close(&file);
    return status;
}

void naik_scidac_close(naik_scidac_file **file)
{
    if (*file != NULL) {
        free((*file)->field);
    }
    free(*file);
    *file = NULL;
}
