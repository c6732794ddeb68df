/* record.c - packing of records; the state is a word, not a flag
 *
 * On a full disk an unwritten flag was seen to read back as 255: hence magic words and a crc.
 */
#include "io/prop/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/checksum.h"
#include "io/h5/numbers.h"

enum { MOST = 1 << 24, TWO_BLANKS = 0x2020 };
_Static_assert(sizeof(naik_disk_record) == 144, "records must have no padding");

static bool insert(hid_t type, const char *name, size_t offset, hid_t member)
{
    return H5Tinsert(type, name, offset, member) >= 0;
}

typedef struct named_word {
    const char *name;
    uint32_t word;
} named_word;

static const named_word states[] = {
    [NAIK_SOLVE_PENDING] = {"PENDING", NAIK_DISK_PENDING},
    [NAIK_SOLVE_DONE] = {"DONE", NAIK_DISK_DONE},
    [NAIK_SOLVE_NOT_CONVERGED] = {"NOT_CONVERGED", NAIK_DISK_NOT_CONVERGED}};
/* NONE: of a solve that is pending. */
static const named_word rungs[] = {{"NONE", 0},
                                   {"HALF", NAIK_DISK_RUNG_HALF},
                                   {"SINGLE", NAIK_DISK_RUNG_SINGLE},
                                   {"CLASSICAL", NAIK_DISK_RUNG_CLASSICAL},
                                   {"DOUBLE", NAIK_DISK_RUNG_DOUBLE}};
enum { STATES = sizeof states / sizeof *states, RUNGS = sizeof rungs / sizeof *rungs };

static hid_t enumeration(const named_word *words, int count)
{
    hid_t type = H5Tenum_create(H5T_STD_U32LE);
    for (int i = 0; i < count; i++) {
        H5Tenum_insert(type, words[i].name, &words[i].word);
    }
    return type;
}

/* What a record has besides what it had in version 0.1.0. */
typedef enum version { OF_0_1_0, WITH_RUNG, WITH_MODES } version;

static hid_t record_type(version version)
{
    static const size_t text_bytes[] = {[OF_0_1_0] = 32, [WITH_RUNG] = 28, [WITH_MODES] = 24};
#define AT(member) #member, offsetof(naik_disk_record, member)
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(naik_disk_record));
    hid_t state = enumeration(states, STATES), rung = enumeration(rungs, RUNGS);
    hid_t text = naik_h5_string(text_bytes[version]);
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
        (version < WITH_MODES || insert(type, AT(modes), H5T_STD_I32LE)) &&
        (version < WITH_RUNG || insert(type, AT(rung), rung)) &&
        insert(type, AT(crc), H5T_STD_U32LE);
#undef AT
    naik_h5_release(state);
    naik_h5_release(rung);
    naik_h5_release(text);
    if (!ok) {
        naik_h5_release(type);
        type = -1;
    }
    return type;
}

hid_t naik_disk_record_type(void)
{
    return record_type(WITH_MODES);
}

static bool has_member(hid_t type, const char *name)
{
    bool found;
    H5E_BEGIN_TRY
    {
        found = H5Tget_member_index(type, name) >= 0;
    }
    H5E_END_TRY
    return found;
}

hid_t naik_disk_record_type_of(hid_t dataset)
{
    hid_t stored = dataset < 0 ? -1 : H5Dget_type(dataset);
    version version = WITH_MODES;
    if (stored >= 0 && H5Tget_class(stored) == H5T_COMPOUND) {
        version = has_member(stored, "modes")  ? WITH_MODES
                  : has_member(stored, "rung") ? WITH_RUNG
                                               : OF_0_1_0;
    }
    naik_h5_release(stored);
    return record_type(version);
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
                             .state = states[record->state].word,
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
    if (record->rung >= 0 && record->rung + 1 < RUNGS && record->state != NAIK_SOLVE_PENDING) {
        disk.rung = rungs[record->rung + 1].word;
        disk.modes = record->modes;
    }
    snprintf(disk.stop_reason, sizeof disk.stop_reason, "%.23s", record->stop_reason);
    naik_disk_record_set_crc(&disk);
    return disk;
}

void naik_disk_record_set_crc(naik_disk_record *disk)
{
    disk->crc = naik_crc32(disk, offsetof(naik_disk_record, crc));
}

/* The solver compares squares: the root of theirs may be an ulp above. */
static bool is_above_target(const naik_disk_record *disk)
{
    return disk->state == NAIK_DISK_DONE && !(disk->true_residual <= disk->target * (1 + 1e-12));
}

bool naik_disk_record_unpack(const naik_disk_record *disk, naik_solve_record *record)
{
    int state = 0;
    memset(record, 0, sizeof *record);
    while (state < STATES && states[state].word != disk->state) {
        state++;
    }
    if (state == STATES || disk->crc != naik_crc32(disk, offsetof(naik_disk_record, crc)) ||
        is_above_target(disk)) {
        return false;
    }
    record->state = (naik_solve_state)state;
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
    record->rung = -1;
    for (int i = 1; i < RUNGS; i++) {
        record->rung = disk->rung == rungs[i].word ? i - 1 : record->rung;
    }
    /* where no modes were counted it goes on there, and in version 0.1.0 where the rung is now */
    const bool counted = record->rung >= 0 && disk->modes > 0 && disk->modes < TWO_BLANKS;
    record->modes = counted ? disk->modes : 0;
    snprintf(record->stop_reason, sizeof record->stop_reason, "%.24s%.4s%.3s", disk->stop_reason,
             counted ? "" : (const char *)&disk->modes,
             record->rung < 0 ? (const char *)&disk->rung : "");
    record->suma = disk->suma;
    record->sumb = disk->sumb;
    record->time = disk->time;
    return true;
}

naik_status naik_disk_records_read(naik_log *log, hid_t h5, const char *path, int *count,
                                   naik_disk_record **out, int64_t *offset)
{
    naik_status status = NAIK_OK;
    hsize_t start[1] = {0}, dims[1] = {0};
    hid_t dataset =
        H5Lexists(h5, "solves", H5P_DEFAULT) > 0 ? H5Dopen2(h5, "solves", H5P_DEFAULT) : -1;
    hid_t space = dataset < 0 ? -1 : H5Dget_space(dataset);
    hid_t type = naik_disk_record_type_of(dataset);
    *out = NULL;
    if (space < 0 || H5Sget_simple_extent_ndims(space) != 1 ||
        H5Sget_simple_extent_dims(space, dims, NULL) != 1 || dims[0] < 3 || dims[0] % 3 != 0 ||
        dims[0] > MOST || !naik_h5_is_stored_as(dataset, type)) {
        status =
            NAIK_FAIL(log, NAIK_ERR_CORRUPT, "%s: /solves is missing or of another shape", path);
        goto done;
    }
    *count = (int)dims[0];
    *out = calloc((size_t)*count, sizeof **out);
    if (*out == NULL) {
        status = NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the records of solves");
        goto done;
    }
    if (offset != NULL) {
        *offset = (int64_t)H5Dget_offset(dataset);
    }
    status = naik_h5_read_part(log, dataset, type, start, dims, *out);
done:
    naik_h5_release(type);
    naik_h5_release(space);
    naik_h5_release(dataset);
    return status;
}
