/* record.h - the record of a solve as it lies in /solves */
#ifndef NAIK_IO_PROP_RECORD_H
#define NAIK_IO_PROP_RECORD_H

#include "io/h5/h5.h"
#include "io/prop/propagator_file.h"

/* Words that neither an unwritten block nor a flipped bit looks like: "PEND", "DONE", "FAIL". */
enum {
    NAIK_DISK_PENDING = 0x444e4550,
    NAIK_DISK_DONE = 0x454e4f44,
    NAIK_DISK_NOT_CONVERGED = 0x4c494146
};

/* Both checksums of a solution that was left out of .part, because all that is made of it was written first: "LEFT". */
#define NAIK_PROP_LEFT_OUT ((uint32_t)0x5446454c)

/* Where a solve ended (solver.h), likewise as words: "HALF", "SING", "CLAS", "DOUB". */
enum {
    NAIK_DISK_RUNG_HALF = 0x464c4148,
    NAIK_DISK_RUNG_SINGLE = 0x474e4953,
    NAIK_DISK_RUNG_CLASSICAL = 0x53414c43,
    NAIK_DISK_RUNG_DOUBLE = 0x42554f44
};

/* 144 bytes, without padding. In files made before modes were counted stop_reason had 28 characters:
 * no text has a number of modes there, which is below that of two characters; in those of version
 * 0.1.0 it had 32, and there was no rung: no text has a word of rung there. */
typedef struct naik_disk_record {
    double target, true_residual, source_residual, norm, seconds, flops, time;
    uint32_t state;
    int32_t set, source, mass, colour, session, iterations, restarts, history_count;
    uint32_t suma, sumb;
    uint32_t correlators_crc, history_crc; /* crc32 of their bytes in the file */
    char stop_reason[24];
    int32_t modes; /* low modes that deflated the solve */
    uint32_t rung;
    uint32_t crc; /* crc32 of the bytes before */
} naik_disk_record;

/* The compound type, of file and memory alike; the one in which this dataset holds its records. */
hid_t naik_disk_record_type(void);
hid_t naik_disk_record_type_of(hid_t dataset);

/* All records of an open file as the file has them: *out [*count], three a source and mass, the
 * caller's to free; *offset is where the records begin, unless NULL. Local.
 * NAIK_ERR_CORRUPT  there are no records, or not as naik stores records    NAIK_ERR_IO    NAIK_ERR_MEMORY */
naik_status naik_disk_records_read(naik_log *log, hid_t h5, const char *path, int *count,
                                   naik_disk_record **out, int64_t *offset);

/* The record on disk, with its crc; the crcs of correlators and history are 0. */
naik_disk_record naik_disk_record_pack(const naik_solve_record *record, int set);
/* Computes crc anew after a change. */
void naik_disk_record_set_crc(naik_disk_record *disk);
/* false where state word or crc are wrong, or a solve is done whose residual is above its target: the record is
 * then as if pending. */
bool naik_disk_record_unpack(const naik_disk_record *disk, naik_solve_record *record);

static inline bool naik_prop_is_left_out(const naik_solve_record *record)
{
    return record->state != NAIK_SOLVE_PENDING && record->suma == NAIK_PROP_LEFT_OUT &&
           record->sumb == NAIK_PROP_LEFT_OUT;
}

#endif
