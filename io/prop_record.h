/* prop_record.h - the record of a solve as it lies in /solves */
#ifndef NAIK_IO_PROP_RECORD_H
#define NAIK_IO_PROP_RECORD_H

#include "h5.h"
#include "naik/propagator_file.h"

/* Words that neither an unwritten block nor a flipped bit looks like: "PEND", "DONE", "FAIL". */
enum {
    NAIK_DISK_PENDING = 0x444e4550,
    NAIK_DISK_DONE = 0x454e4f44,
    NAIK_DISK_NOT_CONVERGED = 0x4c494146
};

typedef struct naik_disk_record { /* 144 bytes, without padding */
    double target, true_residual, source_residual, norm, seconds, flops, time;
    uint32_t state;
    int32_t set, source, mass, colour, session, iterations, restarts, history_count;
    uint32_t suma, sumb;
    uint32_t correlators_crc, history_crc; /* crc32 of their bytes in the file */
    char stop_reason[32];
    uint32_t crc; /* crc32 of the bytes before */
} naik_disk_record;

/* The compound type, of file and memory alike. */
hid_t naik_disk_record_type(void);

/* With its crc; the crcs of correlators and history are 0. */
naik_disk_record naik_disk_record_pack(const naik_solve_record *record, int set);
/* Computes crc anew after a change. */
void naik_disk_record_seal(naik_disk_record *disk);
/* false where state word or crc are wrong: the record is then as if pending. */
bool naik_disk_record_unpack(const naik_disk_record *disk, naik_solve_record *record);

#endif
