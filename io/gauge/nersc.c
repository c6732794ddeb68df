/* nersc.c - the archive format of the Gauge Connection
 *
 * A text header of KEY = VALUE lines between BEGIN_HEADER and END_HEADER, then two or three rows a
 * link. Writers disagree on white space, on the spelling of FLOATING_POINT and on what byte order
 * "IEEE32" means; the checksum decides that last question.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "comm/paths.h"
#include "io/gauge/format.h"

enum { VALUE_SIZE = 256, HEADER_ROOM = 2048, MOST_HEADER = 1 << 20 };
static const char begin_mark[] = "BEGIN_HEADER", end_mark[] = "END_HEADER";

static bool recognise(const naik_file_head *head)
{
    size_t length = sizeof begin_mark - 1;
    return (size_t)head->length > length &&
           strncasecmp((const char *)head->bytes, begin_mark, length) == 0 &&
           isspace(head->bytes[length]);
}

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at)) {
        at++;
    }
    return at;
}

/* The text without white space around it equals `word`, in capitals or not. */
static bool stripped_equals(const char *begin, const char *end, const char *word)
{
    begin = skip_space(begin, end);
    while (end > begin && isspace((unsigned char)end[-1])) {
        end--;
    }
    return (size_t)(end - begin) == strlen(word) && strncasecmp(begin, word, strlen(word)) == 0;
}

static const char *line_end(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline != NULL ? newline : end;
}

/* The byte after the line END_HEADER, or NULL. */
static const char *find_data(const char *text, const char *end)
{
    for (const char *line = text; line < end;) {
        const char *stop = line_end(line, end);
        if (stop < end && stripped_equals(line, stop, end_mark)) {
            return stop + 1;
        }
        line = stop + 1;
    }
    return NULL;
}

/* Where a comment begins behind a value, or `end`. */
static const char *comment_at(const char *value, const char *end)
{
    for (const char *at = value; at < end; at++) {
        if (*at == '#' && (at == value || isspace((unsigned char)at[-1]))) {
            return at;
        }
    }
    return end;
}

/* The value of the n-th line with this key, from 0 on; "" where there is none. */
static bool find_nth(const char *text, const char *end, const char *key, int n,
                     char value[VALUE_SIZE])
{
    for (const char *line = text; line < end;) {
        const char *stop = line_end(line, end);
        const char *equals = memchr(line, '=', (size_t)(stop - line));
        if (equals != NULL && stripped_equals(line, equals, key) && n-- == 0) {
            const char *first = skip_space(equals + 1, stop), *last = comment_at(first, stop);
            while (last > first && isspace((unsigned char)last[-1])) {
                last--;
            }
            snprintf(value, VALUE_SIZE, "%.*s", (int)(last - first), first);
            return true;
        }
        line = stop + 1;
    }
    value[0] = '\0';
    return false;
}

static bool find_value(const char *text, const char *end, const char *key, char value[VALUE_SIZE])
{
    return find_nth(text, end, key, 0, value);
}

/* Whether the writer says that there is no value. */
static bool is_unknown(const char *value)
{
    return strcasecmp(value, "UNKNOWN") == 0 || strcasecmp(value, "NONE") == 0 ||
           strcasecmp(value, "N/A") == 0;
}

/* The value of a key that is there and says something. */
static bool find_told(const char *text, const char *end, const char *key, char value[VALUE_SIZE])
{
    return find_value(text, end, key, value) && value[0] != '\0' && !is_unknown(value);
}

/* A header may say the same twice, but no two things: nobody knows which is meant. */
static naik_status refuse_contradictions(naik_log *log, const naik_file_head *head,
                                         const char *text, const char *end)
{
    static const char *const keys[] = {
        "DATATYPE",  "DIMENSION_1", "DIMENSION_2",    "DIMENSION_3", "DIMENSION_4", "CHECKSUM",
        "PLAQUETTE", "LINK_TRACE",  "FLOATING_POINT", "BOUNDARY_4",  NULL};
    char value[VALUE_SIZE], other[VALUE_SIZE];
    for (int i = 0; keys[i] != NULL; i++) {
        find_value(text, end, keys[i], value);
        for (int n = 1; find_nth(text, end, keys[i], n, other); n++) {
            if (strcmp(value, other) != 0) {
                return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                                 "'%s' contradicts itself: its NERSC header says %s = '%.80s' and "
                                 "%s = '%.80s'",
                                 head->path, keys[i], value, keys[i], other);
            }
        }
    }
    return NAIK_OK;
}

/* A value that is no number, or that no writer means. */
static naik_status bad_value(naik_log *log, const naik_file_head *head, const char *key,
                             const char *value)
{
    return NAIK_FAIL(log, NAIK_ERR_CORRUPT, "'%s' has an unusable NERSC header: %s = '%.80s'",
                     head->path, key, value);
}

/* A value that has its meaning, which is not naik's. */
static naik_status other_value(naik_log *log, const naik_file_head *head, const char *key,
                               const char *value)
{
    return value[0] == '\0'
               ? NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s' has a NERSC header without %s", head->path,
                           key)
               : NAIK_FAIL(log, NAIK_ERR_INPUT,
                           "'%s' has a NERSC header with %s = '%.80s', which naik does not read",
                           head->path, key, value);
}

static naik_status take_extents(naik_log *log, const naik_file_head *head, const char *text,
                                const char *end, naik_gauge_file *file)
{
    int64_t size[NAIK_DIM];
    char key[32], value[VALUE_SIZE];
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        snprintf(key, sizeof key, "DIMENSION_%d", mu + 1);
        find_value(text, end, key, value);
        if (!naik_text_int64(value, &size[mu])) {
            return value[0] == '\0' ? other_value(log, head, key, value)
                                    : bad_value(log, head, key, value);
        }
    }
    return naik_gauge_set_extents(file, size) ? NAIK_OK
                                              : bad_value(log, head, "DIMENSION_4", "too large");
}

/* "4D_SU3_GAUGE" has two rows, "4D_SU3_GAUGE_3x3" three; other numbers of colours are named. */
static naik_status take_datatype(naik_log *log, const naik_file_head *head, const char *value,
                                 naik_gauge_file *file)
{
    char word[VALUE_SIZE]; /* in capitals, of which writers mean the same */
    int colours = 0, rows = 0, columns = 0, end = 0, last = 0;
    for (size_t i = 0; i == 0 || word[i - 1] != '\0'; i++) {
        word[i] = (char)toupper((unsigned char)value[i]);
    }
    const int found =
        sscanf(word, "4D_SU%d_GAUGE%n_%dX%d%n", &colours, &end, &rows, &columns, &last);
    const bool whole = found == 1 && end > 0 && value[end] == '\0';
    const bool square = found == 3 && last > 0 && rows == columns && value[last] == '\0';
    if ((whole || square) && colours > 1 && colours != 3) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "'%s' has links of %d colours, SU(%d): naik computes with 3", head->path,
                         colours, colours);
    }
    file->rows = colours != 3 ? 0 : whole ? 2 : square && rows == 3 ? 3 : 0;
    return file->rows > 0 ? NAIK_OK : other_value(log, head, "DATATYPE", value);
}

/* "IEEE64_LITTLE" and "ieee64 little" are IEEE64LITTLE. */
static bool is_spelled(const char *value, const char *name)
{
    for (; *value != '\0'; value++) {
        if (strchr(" -_", *value) == NULL && toupper((unsigned char)*value) != *name++) {
            return false;
        }
    }
    return *name == '\0';
}

static naik_status take_layout(naik_log *log, const naik_file_head *head, const char *text,
                               const char *end, naik_gauge_file *file)
{
    static const struct {
        const char *name;
        int bits;
        const char *order;
    } kinds[] = {{"IEEE32BIG", 32, "big"}, {"IEEE32", 32, "big"}, {"IEEE32LITTLE", 32, "little"},
                 {"IEEE64BIG", 64, "big"}, {"IEEE64", 64, "big"}, {"IEEE64LITTLE", 64, "little"}};
    char value[VALUE_SIZE];
    find_value(text, end, "DATATYPE", value);
    NAIK_PASS(take_datatype(log, head, value, file));
    if (!find_value(text, end, "FLOATING_POINT", value)) {
        strcpy(value, "IEEE32BIG"); /* as old writers mean it */
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (is_spelled(value, kinds[i].name)) {
            file->precision = kinds[i].bits;
            strcpy(file->byte_order, kinds[i].order);
            return NAIK_OK;
        }
    }
    return other_value(log, head, "FLOATING_POINT", value);
}

/* Writers mean the sign that their own operator puts on the links, or one that is in them: the
 * plaquette cannot tell, the link trace of the last slice can. */
static void note_boundary(const char *text, const char *end, naik_gauge_file *file)
{
    char key[32], value[VALUE_SIZE];
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        snprintf(key, sizeof key, "BOUNDARY_%d", mu + 1);
        if (find_value(text, end, key, value) && strcasecmp(value, "ANTIPERIODIC") == 0) {
            naik_gauge_add_note(
                file,
                "the header says %s = ANTIPERIODIC: naik takes the links as they are and "
                "puts the sign of lattice.boundary_t on them itself",
                key);
        }
    }
}

static naik_status take_claims(naik_log *log, const naik_file_head *head, const char *text,
                               const char *end, naik_gauge_file *file)
{
    char value[VALUE_SIZE];
    char *stop;
    if (find_value(text, end, "CHECKSUM", value) && !is_unknown(value)) { /* a blank one is lost */
        unsigned long sum = strtoul(value, &stop, 16);
        if (!isxdigit((unsigned char)value[0]) || *stop != '\0' || sum > UINT32_MAX) {
            return bad_value(log, head, "CHECKSUM", value);
        }
        file->checksum_known = true;
        file->checksum_stored[0] = (uint32_t)sum;
        strcpy(file->checksum_kind, "nersc");
    } else {
        naik_gauge_add_note(file, "the NERSC header carries no CHECKSUM");
    }
    note_boundary(text, end, file);
    double number;
    if (find_told(text, end, "PLAQUETTE", value)) {
        if (!naik_gauge_read_claim(value, &number, &file->plaquette_last)) {
            return bad_value(log, head, "PLAQUETTE", value);
        }
        file->plaquette_stored = 3 * number;
    }
    if (find_told(text, end, "LINK_TRACE", value)) {
        if (!naik_gauge_read_claim(value, &number, &file->link_trace_last)) {
            return bad_value(log, head, "LINK_TRACE", value);
        }
        file->link_trace_stored = number;
    }
    return NAIK_OK;
}

/* The header, or all that could be read of it. *data: the byte after END_HEADER, NULL where there is none
 * within the most that a header may have. */
static naik_status read_header(naik_log *log, const naik_file_head *head, char **text,
                               const char **data, size_t *length)
{
    struct stat info;
    FILE *stream = naik_path_open(head->path, &info);
    *text = NULL;
    *data = NULL;
    *length = 0;
    for (size_t room = sizeof head->bytes; stream != NULL && *data == NULL && room <= MOST_HEADER;
         room *= 4) {
        char *grown = realloc(*text, room + 1);
        if (grown == NULL) {
            fclose(stream);
            return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a file's header");
        }
        *text = grown;
        *length += fread(grown + *length, 1, room - *length, stream);
        *data = find_data(grown, grown + *length);
    }
    if (stream != NULL) {
        fclose(stream);
    }
    return NAIK_OK;
}

/* A text so far is a header that never ends; anything else has lost its end. */
static naik_status headless(naik_log *log, const naik_file_head *head, const char *text,
                            size_t length)
{
    const bool is_text = length == MOST_HEADER && memchr(text, 0, length) == NULL;
    return is_text
               ? NAIK_FAIL(log, NAIK_ERR_INPUT,
                           "'%s' has a NERSC header of more than %d bytes, which naik does not "
                           "read",
                           head->path, MOST_HEADER)
               : NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                           "'%s' has no END_HEADER in its first %lld bytes: damaged NERSC header",
                           head->path, (long long)length);
}

static naik_status take_header(naik_log *log, const naik_file_head *head, const char *text,
                               const char *data, naik_gauge_file *file)
{
    strcpy(file->format, "nersc");
    file->data_offset = data - text;
    NAIK_PASS(refuse_contradictions(log, head, text, data));
    NAIK_PASS(take_extents(log, head, text, data, file));
    NAIK_PASS(take_layout(log, head, text, data, file));
    NAIK_PASS(take_claims(log, head, text, data, file));
    const int64_t expected =
        file->data_offset + naik_gauge_file_volume(file) * 24 * file->rows * file->precision / 8;
    if (!naik_gauge_size_fits(head, expected, file)) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "'%s' is %lld bytes long, but its NERSC header needs %lld", head->path,
                         (long long)head->size_bytes, (long long)expected);
    }
    return NAIK_OK;
}

static naik_status probe(naik_log *log, const naik_file_head *head, naik_gauge_file *file)
{
    char *text = NULL;
    const char *data = NULL;
    size_t length = 0;
    naik_status status = NAIK_OK;
    NAIK_TRY(read_header(log, head, &text, &data, &length));
    if (data == NULL) {
        status = headless(log, head, text, length);
        goto done;
    }
    NAIK_TRY(take_header(log, head, text, data, file));
    text[file->data_offset] = '\0';
    file->header_text = text;
    text = NULL;
done:
    free(text);
    return status;
}

/* What speaks for a byte order: nothing; that the links are numbers, and unitary; the checksum, or without
 * one the plaquette of the header as well. */
typedef enum evidence { NO_EVIDENCE, UNITARY_LINKS, AS_STORED } evidence;

static naik_status weigh(const naik_gauge *gauge, const naik_gauge_file *file, evidence *out)
{
    static const double near_unitary = 1e-2, least_plaquette = 3e-4;
    const double near_plaquette = fmax(least_plaquette, fmin(3 * file->plaquette_last, 3e-2));
    naik_gauge_checks checks;
    const naik_status status = naik_gauge_measure(gauge, &checks);
    const bool unitary =
        status == NAIK_OK && isfinite(checks.plaquette) && checks.max_unitarity_dev <= near_unitary;
    *out = !unitary ? NO_EVIDENCE
           : isnan(file->plaquette_stored) ||
                   fabs(file->plaquette_stored - checks.plaquette) <= near_plaquette
               ? AS_STORED
               : UNITARY_LINKS;
    return status;
}

static naik_status read_once(const char *path, naik_gauge *gauge, naik_gauge_file *file,
                             evidence *out)
{
    NAIK_PASS(naik_gauge_read_flat(path, gauge, NAIK_SUM_NERSC, file));
    *out = file->checksum_ok ? AS_STORED : NO_EVIDENCE;
    if (!file->checksum_known) {
        NAIK_PASS(weigh(gauge, file, out));
    }
    return NAIK_OK;
}

/* Where the checksum disagrees, or there is none and the links make no sense, the other byte order is
 * tried before the file is blamed. */
static naik_status read_links(const char *path, naik_gauge *gauge, naik_gauge_file *file)
{
    evidence here, there;
    NAIK_PASS(read_once(path, gauge, file, &here));
    if (here == AS_STORED) {
        return NAIK_OK;
    }
    naik_gauge_file other = *file;
    strcpy(other.byte_order, strcmp(file->byte_order, "big") == 0 ? "little" : "big");
    NAIK_PASS(read_once(path, gauge, &other, &there));
    if (there > here) {
        naik_gauge_add_note(
            &other,
            "the data are %s-endian, as the %s proves; FLOATING_POINT says otherwise or "
            "leaves it open",
            other.byte_order,
            other.checksum_known                                   ? "checksum"
            : there == AS_STORED && !isnan(other.plaquette_stored) ? "plaquette"
                                                                   : "unitarity of the links");
        *file = other;
    } else {
        NAIK_PASS(naik_gauge_read_flat(path, gauge, NAIK_SUM_NERSC, file));
    }
    return NAIK_OK;
}

/* All numbers have fixed widths: the header keeps its length when the sum is known at last. */
static size_t make_header(const naik_gauge_file *file, const naik_gauge_checks *checks,
                          char header[HEADER_ROOM])
{
    const int *n = file->size;
    int length = snprintf(
        header, HEADER_ROOM,
        "BEGIN_HEADER\nHDR_VERSION = 1.0\nDATATYPE = %s\nSTORAGE_FORMAT = 1.0\n"
        "DIMENSION_1 = %d\nDIMENSION_2 = %d\nDIMENSION_3 = %d\nDIMENSION_4 = %d\n"
        "LINK_TRACE = % .15e\nPLAQUETTE = % .15e\nBOUNDARY_1 = PERIODIC\nBOUNDARY_2 = PERIODIC\n"
        "BOUNDARY_3 = PERIODIC\nBOUNDARY_4 = PERIODIC\nCHECKSUM = %08x\nENSEMBLE_ID = unknown\n"
        "ENSEMBLE_LABEL = unknown\nSEQUENCE_NUMBER = 0\nCREATOR = naik\n"
        "FLOATING_POINT = IEEE%dBIG\nEND_HEADER\n",
        file->rows == 2 ? "4D_SU3_GAUGE" : "4D_SU3_GAUGE_3x3", n[0], n[1], n[2], n[3],
        checks->link_trace, checks->plaquette / 3, file->checksum_computed[0], file->precision);
    return (size_t)length;
}

static naik_status write_rows(const char *path, const naik_gauge *gauge,
                              const naik_gauge_checks *checks, int rows, naik_gauge_file *file)
{
    naik_comm *comm = gauge->lattice->comm;
    char header[HEADER_ROOM];
    strcpy(file->format, "nersc");
    strcpy(file->byte_order, "big");
    file->rows = rows;
    size_t length = make_header(file, checks, header);
    file->data_offset = (int64_t)length;
    NAIK_PASS(naik_file_put(comm, path, true, 0, header, length));
    NAIK_PASS(naik_gauge_write_flat(path, gauge, NAIK_SUM_NERSC, file));
    length = make_header(file, checks, header);
    return naik_file_put(comm, path, false, 0, header, length);
}

naik_status naik_nersc_write(const char *path, const naik_gauge *gauge,
                             const naik_gauge_checks *checks, naik_gauge_file *file)
{
    return write_rows(path, gauge, checks, 2, file);
}

naik_status naik_nersc_write_3x3(const char *path, const naik_gauge *gauge,
                                 const naik_gauge_checks *checks, naik_gauge_file *file)
{
    return write_rows(path, gauge, checks, 3, file);
}

const naik_gauge_format naik_gauge_format_nersc = {
    .name = "NERSC", .recognise = recognise, .probe = probe, .read = read_links};
