/* each.c - the modes of a file, one after the other, on the host */
#include "io/h5/guard.h"
#include "io/modes/modes_file.h"
#include "io/modes/vectors.h"
#include "io/reread.h"

static naik_status read_each(const naik_lattice *lattice, const char *path,
                             const naik_modes_spectrum *spectrum, int count,
                             naik_modes_host_taker *take, void *data)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = lattice->comm;
    naik_mode_vectors vectors = {.dataset = -1, .type = -1};
    hid_t file = -1;
    NAIK_TRY(naik_h5_open_stored(comm, path, &file));
    NAIK_TRY(naik_mode_vectors_open(lattice, file, &vectors));
    for (int i = 0; i < count; i++) {
        uint32_t sum[2];
        NAIK_TRY(naik_mode_vector_get(&vectors, i, sum));
        if (sum[0] != spectrum->suma[i] || sum[1] != spectrum->sumb[i]) {
            status = NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT,
                               "mode %d of '%s' is damaged: checksum %x %x, stored %x %x", i, path,
                               sum[0], sum[1], spectrum->suma[i], spectrum->sumb[i]);
            goto done;
        }
        NAIK_TRY(take(data, i, vectors.even));
    }
done:
    naik_mode_vectors_close(&vectors);
    naik_h5_close(comm, &file);
    return status;
}

naik_status naik_modes_file_each(const naik_lattice *lattice, const char *path,
                                 const naik_modes_spectrum *spectrum, int count,
                                 naik_modes_host_taker *take, void *data)
{
    naik_h5_guard guard;
    naik_h5_guard_begin(&guard);
    const naik_status status = naik_h5_read_verdict(
        lattice->comm->log,
        naik_file_verdict(lattice->comm, path,
                          read_each(lattice, path, spectrum, count, take, data)));
    naik_h5_guard_end(&guard);
    return status;
}
