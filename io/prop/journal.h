/* journal.h - the journal beside a .part: one forced line per committed solve
 *
 * Datasets are contiguous, so a slab's offset in the file is all that is needed to find it again
 * where HDF5 cannot open the file any more. Every line ends with its own crc32; a line torn by a
 * kill is recognised by it and passed over.
 */
#ifndef NAIK_IO_PROP_JOURNAL_H
#define NAIK_IO_PROP_JOURNAL_H

#include "io/files.h"
#include "io/prop/record.h"

typedef struct naik_journal_place { /* of one solve's bytes in the .part; bytes 0: none */
    int64_t offset, bytes;
} naik_journal_place;

typedef struct naik_journal_entry {
    int solve;
    naik_disk_record record;
    naik_journal_place slab, correlators, history;
} naik_journal_entry;

typedef struct naik_journal { /* as read back */
    uint32_t identity;        /* crc32 over the texts that decide the answer */
    char *choices;
    int count;
    naik_journal_entry *entries;
} naik_journal;

/* Starts the journal anew. Rank 0 only. NAIK_ERR_IO */
naik_status naik_journal_create(naik_log *log, const char *path, uint32_t identity,
                                const char *choices);
/* Appends one line and forces it to disk. Rank 0 only. NAIK_ERR_IO */
naik_status naik_journal_append(naik_log *log, const char *path, const naik_journal_entry *entry);

/* Reads all intact lines; a later line of the same solve comes later. *out = NULL if there is no
 * journal or its first line is not intact. Rank 0 only. NAIK_ERR_MEMORY */
naik_status naik_journal_read(naik_log *log, const char *path, naik_journal **out);
void naik_journal_destroy(naik_journal **journal);

#endif
