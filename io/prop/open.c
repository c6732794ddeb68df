/* open.c - a finished propagator file, opened for reading without the input that made it */
#include <stdlib.h>
#include <string.h>

#include "comm/new.h"
#include "io/h5/guard.h"
#include "io/h5/metadata_crc.h"
#include "io/prop/prop_file.h"
#include "io/reread.h"

static naik_status refuse_others(const naik_propagator_file *file, const naik_lattice *lattice)
{
    naik_log *log = lattice->comm->log;
    char format[32] = "", state[32] = "";
    naik_h5_get_text(file->h5, "format", format, sizeof format);
    naik_h5_get_text(file->h5, "state", state, sizeof state);
    if (strcmp(format, "naik-prop") != 0) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s' is no propagator file of naik", file->path);
    }
    if (strcmp(state, "complete") != 0) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "'%s' is not complete: run its naik solve again to finish it", file->path);
    }
    return naik_h5_check_metadata_crc(log, file->h5, file->path);
}

static naik_status take_records(naik_propagator_file *file, const naik_disk_record *disk)
{
    for (int i = 0; i < file->plan->solve_count; i++) {
        if (!naik_disk_record_unpack(&disk[i], &file->records[i])) {
            return NAIK_FAIL(file->comm->log, NAIK_ERR_CORRUPT,
                             "'%s' is damaged: the record of solve %d contradicts its own checksum "
                             "or itself",
                             file->path, i);
        }
    }
    return naik_prop_expect_solutions(file);
}

naik_status naik_propagator_file_open_finished(const naik_lattice *lattice, const char *path,
                                               naik_propagator_file **out)
{
    naik_comm *comm = lattice->comm;
    naik_status status = NAIK_OK;
    naik_disk_record *disk = NULL;
    hid_t h5 = -1;
    naik_h5_guard guard;
    *out = NULL;
    naik_h5_guard_begin(&guard);
    naik_propagator_file *file = NULL;
    NAIK_TRY(naik_new(comm, sizeof *file, "a propagator file", (void **)&file));
    *file = (naik_propagator_file){.comm = comm, .lattice = lattice, .h5 = -1, .complete = true};
    NAIK_TRY(naik_path_append(comm->log, path, "", file->path));
    NAIK_TRY(naik_h5_open_stored(comm, path, &h5));
    file->h5 = h5;
    NAIK_TRY(naik_comm_agree(comm, refuse_others(file, lattice)));
    NAIK_TRY(naik_prop_describe(comm, h5, path, file, &disk));
    NAIK_TRY(naik_comm_agree(comm, take_records(file, disk)));
    NAIK_TRY(naik_lattice_expect(lattice, path, file->plan->size));
    *out = file;
    file = NULL;
done:
    free(disk);
    naik_propagator_file_close(&file);
    naik_h5_guard_end(&guard);
    return naik_h5_read_verdict(comm->log, naik_file_verdict(comm, path, status));
}
