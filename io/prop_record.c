/* prop_record.c - packing of records; the state is a word, not a flag
 *
 * On a full disk an unwritten flag was seen to read back as 255: hence magic words and a crc.
 */
#include "prop_record.h"

#include <stdio.h>
#include <string.h>

#include "naik/checksum.h"

_Static_assert(sizeof(naik_disk_record) == 144, "records must have no padding");

static bool insert(hid_t type, const char *name, size_t offset, hid_t member)
{
    return H5Tinsert(type, name, offset, member) >= 0;
}

static hid_t state_type(void)
{
    static const struct {
        const char *name;
        uint32_t word;
    } states[] = {{"PENDING", NAIK_DISK_PENDING},
                  {"DONE", NAIK_DISK_DONE},
                  {"NOT_CONVERGED", NAIK_DISK_NOT_CONVERGED}};
    hid_t type = H5Tenum_create(H5T_STD_U32LE);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        H5Tenum_insert(type, states[i].name, &states[i].word);
    }
    return type;
}

hid_t naik_disk_record_type(void)
{
#define AT(member) #member, offsetof(naik_disk_record, member)
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(naik_disk_record));
    hid_t state = state_type(), text = naik_h5_string(32);
    bool ok =
        insert(type, AT(target), H5T_IEEE_F64LE) &&
        insert(type, AT(true_residual), H5T_IEEE_F64LE) &&
        insert(type, AT(source_residual), H5T_IEEE_F64LE) &&
        insert(type, AT(norm), H5T_IEEE_F64LE) && insert(type, AT(seconds), H5T_IEEE_F64LE) &&
        insert(type, AT(flops), H5T_IEEE_F64LE) && insert(type, AT(time), H5T_IEEE_F64LE) &&
        insert(type, AT(state), state) && insert(type, AT(set), H5T_STD_I32LE) &&
        insert(type, AT(source), H5T_STD_I32LE) && insert(type, AT(mass), H5T_STD_I32LE) &&
        insert(type, AT(colour), H5T_STD_I32LE) && insert(type, AT(session), H5T_STD_I32LE) &&
        insert(type, AT(iterations), H5T_STD_I32LE) && insert(type, AT(restarts), H5T_STD_I32LE) &&
        insert(type, AT(history_count), H5T_STD_I32LE) && insert(type, AT(suma), H5T_STD_U32LE) &&
        insert(type, AT(sumb), H5T_STD_U32LE) && insert(type, AT(correlators_crc), H5T_STD_U32LE) &&
        insert(type, AT(history_crc), H5T_STD_U32LE) && insert(type, AT(stop_reason), text) &&
        insert(type, AT(crc), H5T_STD_U32LE);
#undef AT
    naik_h5_release(state);
    naik_h5_release(text);
    if (!ok) {
        naik_h5_release(type);
        type = -1;
    }
    return type;
}

static uint32_t state_word(naik_solve_state state)
{
    switch (state) {
    case NAIK_SOLVE_DONE: return NAIK_DISK_DONE;
    case NAIK_SOLVE_NOT_CONVERGED: return NAIK_DISK_NOT_CONVERGED;
    case NAIK_SOLVE_PENDING: break;
    }
    return NAIK_DISK_PENDING;
}

naik_disk_record naik_disk_record_pack(const naik_solve_record *record, int set)
{
    naik_disk_record disk = {.target = record->target,
                             .true_residual = record->true_residual,
                             .source_residual = record->source_residual,
                             .norm = record->norm,
                             .seconds = record->seconds,
                             .flops = record->flops,
                             .time = record->time,
                             .state = state_word(record->state),
                             .set = set,
                             .source = record->source,
                             .mass = record->mass,
                             .colour = record->colour,
                             .session = record->session,
                             .iterations = record->iterations,
                             .restarts = record->restarts,
                             .history_count = record->history_count,
                             .suma = record->suma,
                             .sumb = record->sumb};
    snprintf(disk.stop_reason, sizeof disk.stop_reason, "%.31s", record->stop_reason);
    naik_disk_record_seal(&disk);
    return disk;
}

void naik_disk_record_seal(naik_disk_record *disk)
{
    disk->crc = naik_crc32(disk, offsetof(naik_disk_record, crc));
}

bool naik_disk_record_unpack(const naik_disk_record *disk, naik_solve_record *record)
{
    memset(record, 0, sizeof *record);
    if (disk->crc != naik_crc32(disk, offsetof(naik_disk_record, crc))) {
        return false;
    }
    switch (disk->state) {
    case NAIK_DISK_DONE: record->state = NAIK_SOLVE_DONE; break;
    case NAIK_DISK_NOT_CONVERGED: record->state = NAIK_SOLVE_NOT_CONVERGED; break;
    case NAIK_DISK_PENDING: record->state = NAIK_SOLVE_PENDING; break;
    default: return false;
    }
    record->source = disk->source;
    record->mass = disk->mass;
    record->colour = disk->colour;
    record->session = disk->session;
    record->iterations = disk->iterations;
    record->restarts = disk->restarts;
    record->history_count = disk->history_count;
    record->target = disk->target;
    record->true_residual = disk->true_residual;
    record->source_residual = disk->source_residual;
    record->norm = disk->norm;
    record->seconds = disk->seconds;
    record->flops = disk->flops;
    snprintf(record->stop_reason, sizeof record->stop_reason, "%.31s", disk->stop_reason);
    record->suma = disk->suma;
    record->sumb = disk->sumb;
    record->time = disk->time;
    return true;
}
