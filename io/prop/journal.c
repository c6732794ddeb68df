/* journal.c - text lines of key=value, bytes in hexadecimal, closed by a crc32 */
#include "io/prop/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comm/paths.h"
#include "io/checksum.h"

enum { RECORD_HEX = 2 * sizeof(naik_disk_record), MAX_CHOICES = 1 << 20, LINE_EXTRA = 512 };

static void to_hex(const void *bytes, size_t count, char *hex)
{
    for (size_t i = 0; i < count; i++) {
        snprintf(hex + 2 * i, 3, "%02x", ((const unsigned char *)bytes)[i]);
    }
}

static bool from_hex(const char *hex, size_t count, void *bytes)
{
    for (size_t i = 0; i < count; i++) {
        unsigned value;
        if (sscanf(hex + 2 * i, "%2x", &value) != 1) {
            return false;
        }
        ((unsigned char *)bytes)[i] = (unsigned char)value;
    }
    return true;
}

/* Closes the line with its crc and adds it to the file. */
static naik_status put_line(naik_log *log, const char *path, int flags, const char *line)
{
    size_t length = strlen(line), total = length + 32;
    char *closed = malloc(total);
    int fd = closed != NULL ? open(path, O_RDWR | O_CREAT | O_CLOEXEC | flags, 0666) : -1;
    bool ok = fd >= 0;
    if (ok) {
        /* A line torn by a kill must not swallow this one. */
        char last = '\n';
        off_t end = lseek(fd, 0, SEEK_END);
        if (end > 0 && pread(fd, &last, 1, end - 1) != 1) {
            last = '\0';
        }
        int bytes = snprintf(closed, total, "%s%s crc=%08x\n", last == '\n' ? "" : "\n", line,
                             naik_crc32(line, length));
        errno = ENOSPC; /* what a write that took less than it was given means */
        ok = write(fd, closed, (size_t)bytes) == bytes && fsync(fd) == 0;
    }
    int failed = errno;
    if (fd >= 0) {
        close(fd);
    }
    free(closed);
    if (!ok) {
        return NAIK_FAIL(log, NAIK_ERR_IO, "the journal %s cannot be written: %s", path,
                         strerror(failed));
    }
    return NAIK_OK;
}

naik_status naik_journal_create(naik_log *log, const char *path, uint32_t identity,
                                const char *choices)
{
    size_t length = strlen(choices);
    char *line = calloc(1, 2 * length + LINE_EXTRA);
    if (line == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a journal's line");
    }
    int start = snprintf(line, LINE_EXTRA, "naik-journal 1 identity=%08x choices=", identity);
    to_hex(choices, length, line + start);
    naik_status status = put_line(log, path, O_TRUNC, line);
    free(line);
    return status;
}

naik_status naik_journal_append(naik_log *log, const char *path, const naik_journal_entry *entry)
{
    char hex[RECORD_HEX + 1], line[RECORD_HEX + LINE_EXTRA];
    to_hex(&entry->record, sizeof entry->record, hex);
    snprintf(line, sizeof line,
             "solve=%d slab=%" PRId64 "+%" PRId64 " suma=%x sumb=%x correlators=%" PRId64
             "+%" PRId64 " history=%" PRId64 "+%" PRId64 " record=%s",
             entry->solve, entry->slab.offset, entry->slab.bytes, entry->record.suma,
             entry->record.sumb, entry->correlators.offset, entry->correlators.bytes,
             entry->history.offset, entry->history.bytes, hex);
    return put_line(log, path, O_APPEND, line);
}

/* Cuts the line before its crc; false if it is torn. */
static bool check_line(char *line)
{
    char *tail = strstr(line, " crc=");
    unsigned crc;
    if (tail == NULL || sscanf(tail, " crc=%8x", &crc) != 1 || strchr(tail, '\n') == NULL) {
        return false;
    }
    *tail = '\0';
    return crc == naik_crc32(line, strlen(line));
}

static bool parse_first(const char *line, naik_journal *journal)
{
    const char *hex = strstr(line, "choices=");
    if (sscanf(line, "naik-journal 1 identity=%" SCNx32, &journal->identity) != 1 || hex == NULL) {
        return false;
    }
    hex += strlen("choices=");
    size_t length = strlen(hex) / 2;
    journal->choices = length <= MAX_CHOICES ? calloc(1, length + 1) : NULL;
    return journal->choices != NULL && from_hex(hex, length, journal->choices);
}

static bool parse_entry(const char *line, naik_journal_entry *entry)
{
    uint32_t suma, sumb;
    int found = sscanf(line,
                       "solve=%d slab=%" SCNd64 "+%" SCNd64 " suma=%" SCNx32 " sumb=%" SCNx32
                       " correlators=%" SCNd64 "+%" SCNd64 " history=%" SCNd64 "+%" SCNd64,
                       &entry->solve, &entry->slab.offset, &entry->slab.bytes, &suma, &sumb,
                       &entry->correlators.offset, &entry->correlators.bytes,
                       &entry->history.offset, &entry->history.bytes);
    const char *hex = strstr(line, "record=");
    naik_solve_record record;
    return found == 9 && hex != NULL && strlen(hex) == strlen("record=") + RECORD_HEX &&
           from_hex(hex + strlen("record="), sizeof entry->record, &entry->record) &&
           naik_disk_record_unpack(&entry->record, &record);
}

static naik_status add_entry(naik_log *log, naik_journal *journal, const naik_journal_entry *entry)
{
    int room = 64;
    while (room <= journal->count) {
        room *= 2;
    }
    naik_journal_entry *grown = realloc(journal->entries, (size_t)room * sizeof *journal->entries);
    if (grown == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a journal");
    }
    journal->entries = grown;
    journal->entries[journal->count++] = *entry;
    return NAIK_OK;
}

naik_status naik_journal_read(naik_log *log, const char *path, naik_journal **out)
{
    naik_status status = NAIK_OK;
    char *line = NULL;
    size_t room = 0;
    naik_journal_entry entry;
    struct stat info;
    FILE *stream = naik_path_open(path, &info);
    naik_journal *journal = calloc(1, sizeof *journal);
    *out = NULL;
    if (journal == NULL) {
        status = NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a journal");
        goto done;
    }
    if (stream == NULL || getline(&line, &room, stream) < 0 || !check_line(line) ||
        !parse_first(line, journal)) {
        goto done;
    }
    while (getline(&line, &room, stream) >= 0) {
        if (check_line(line) && parse_entry(line, &entry)) {
            NAIK_TRY(add_entry(log, journal, &entry));
        }
    }
    *out = journal;
    journal = NULL;
done:
    if (stream != NULL) {
        fclose(stream);
    }
    free(line);
    naik_journal_destroy(&journal);
    return status;
}

void naik_journal_destroy(naik_journal **journal)
{
    if (*journal != NULL) {
        free((*journal)->choices);
        free((*journal)->entries);
        free(*journal);
        *journal = NULL;
    }
}
