/* milc.c - MILC v5 gauge configurations
 *
 * 96 bytes of header (magic, x, y, z, t, time stamp, order, sum29, sum31), then single-precision
 * links in the byte order of the machine that wrote them, which the magic number tells.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "io/gauge/format.h"

enum { MAGIC = 20103, HEADER_BYTES = 96, STAMP_AT = 20, ORDER_AT = 84, SUM_AT = 88 };

static uint32_t word_at(const naik_file_head *head, int at, bool big)
{
    const unsigned char *b = head->bytes + at;
    return big ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
               : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

static bool recognise(const naik_file_head *head)
{
    return head->length >= 4 &&
           (word_at(head, 0, true) == MAGIC || word_at(head, 0, false) == MAGIC);
}

static naik_status probe(naik_log *log, const naik_file_head *head, naik_gauge_file *file)
{
    if (head->length < HEADER_BYTES) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT, "'%s' ends within its MILC header of %d bytes",
                         head->path, HEADER_BYTES);
    }
    bool big = word_at(head, 0, true) == MAGIC;
    int64_t size[NAIK_DIM];
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        size[mu] = (int32_t)word_at(head, 4 + 4 * mu, big);
    }
    if (!naik_gauge_set_extents(file, size)) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "'%s' has impossible extents in its MILC header: %d %d %d %d", head->path,
                         (int)size[0], (int)size[1], (int)size[2], (int)size[3]);
    }
    if (word_at(head, ORDER_AT, big) != 0) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "'%s' holds its MILC links in order %u; only 0, the natural one, is read",
                         head->path, word_at(head, ORDER_AT, big));
    }
    strcpy(file->format, "milc-v5");
    strcpy(file->byte_order, big ? "big" : "little");
    strcpy(file->checksum_kind, "sum29/sum31");
    file->precision = 32;
    file->rows = 3;
    file->data_offset = HEADER_BYTES;
    file->checksum_known = true;
    file->checksum_stored[0] = word_at(head, SUM_AT, big);
    file->checksum_stored[1] = word_at(head, SUM_AT + 4, big);
    file->header_text = calloc(1, ORDER_AT - STAMP_AT + 1);
    if (file->header_text == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a file's header");
    }
    memcpy(file->header_text, head->bytes + STAMP_AT, ORDER_AT - STAMP_AT);
    int64_t expected = HEADER_BYTES + naik_gauge_file_volume(file) * 4 * 18 * 4;
    if (!naik_gauge_size_fits(head, expected, file)) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "'%s' is %lld bytes long, but its MILC header (%d %d %d %d) needs %lld",
                         head->path, (long long)head->size_bytes, file->size[0], file->size[1],
                         file->size[2], file->size[3], (long long)expected);
    }
    return NAIK_OK;
}

static naik_status read_links(const char *path, naik_gauge *gauge, naik_gauge_file *file)
{
    return naik_gauge_read_flat(path, gauge, NAIK_SUM_MILC, file);
}

static void put_word(unsigned char *header, int at, uint32_t word)
{
    for (int i = 0; i < 4; i++) {
        header[at + i] = (unsigned char)(word >> 8 * i);
    }
}

static void make_header(const naik_gauge_file *file, unsigned char header[HEADER_BYTES])
{
    time_t now = time(NULL);
    struct tm utc;
    char stamp[ORDER_AT - STAMP_AT] = "";
    memset(header, 0, HEADER_BYTES);
    put_word(header, 0, MAGIC);
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        put_word(header, 4 + 4 * mu, (uint32_t)file->size[mu]);
    }
    strftime(stamp, sizeof stamp, "%a %b %e %H:%M:%S %Y", gmtime_r(&now, &utc));
    memcpy(header + STAMP_AT, stamp, sizeof stamp);
    put_word(header, SUM_AT, file->checksum_computed[0]);
    put_word(header, SUM_AT + 4, file->checksum_computed[1]);
}

/* The sums stand before the data that they sum, so the header is written twice. */
naik_status naik_milc_write(const char *path, const naik_gauge *gauge,
                            const naik_gauge_checks *checks, naik_gauge_file *file)
{
    (void)checks; /* the format has no place for them */
    naik_comm *comm = gauge->lattice->comm;
    unsigned char header[HEADER_BYTES];
    if (file->precision != 32) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "MILC v5 files hold single precision only; add --precision 32");
    }
    strcpy(file->format, "milc-v5");
    strcpy(file->byte_order, "little");
    file->rows = 3;
    file->data_offset = HEADER_BYTES;
    make_header(file, header);
    NAIK_PASS(naik_file_put(comm, path, true, 0, header, sizeof header));
    NAIK_PASS(naik_gauge_write_flat(path, gauge, NAIK_SUM_MILC, file));
    make_header(file, header);
    return naik_file_put(comm, path, false, 0, header, sizeof header);
}

const naik_gauge_format naik_gauge_format_milc = {
    .name = "MILC", .recognise = recognise, .probe = probe, .read = read_links};
