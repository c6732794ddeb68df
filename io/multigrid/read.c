/* read.c - a file of near-null vectors: whose they are, and every byte of them */
#include <string.h>

#include "base/memory.h"
#include "io/h5/guard.h"
#include "io/h5/metadata_crc.h"
#include "io/h5/own_format.h"
#include "io/multigrid/about.h"
#include "io/reread.h"

/* Everything but the vectors. */
static naik_status identify(naik_log *log, hid_t file, const char *path, const int size[NAIK_DIM],
                            naik_multigrid_about *about)
{
    char format[32] = "";
    int its[NAIK_DIM];
    NAIK_PASS(naik_h5_check_metadata_crc(log, file, path));
    naik_h5_get_text(file, "format", format, sizeof format);
    if (strcmp(format, naik_own_format_name(NAIK_OWN_MULTIGRID)) != 0) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "'%s' holds no near-null vectors: name another multigrid.file", path);
    }
    if (!naik_multigrid_file_is_whole(file)) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "'%s' was never completed: its writer was interrupted", path);
    }
    NAIK_PASS(naik_h5_need_metadata_crc(log, file, path));
    NAIK_PASS(naik_multigrid_about_get(log, file, path, about, its));
    if (memcmp(its, size, sizeof its) != 0) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "the near-null vectors of '%s' are of a lattice of %dx%dx%dx%d: name "
                         "another multigrid.file",
                         path, its[0], its[1], its[2], its[3]);
    }
    return NAIK_OK;
}

static naik_status look(naik_comm *comm, const char *path, const int size[NAIK_DIM],
                        naik_multigrid_about *about)
{
    naik_status status = NAIK_OK;
    hid_t file = -1;
    NAIK_TRY(naik_h5_open_stored(comm, path, &file));
    NAIK_TRY(naik_comm_agree(comm, identify(comm->log, file, path, size, about)));
done:
    naik_h5_close(comm, &file);
    return status;
}

/* HDF5 may be brought down by what it reads, and may take what a disk refused for read. */
static naik_status verdict(naik_comm *comm, const char *path, naik_status status)
{
    return naik_h5_read_verdict(comm->log, naik_file_verdict(comm, path, status));
}

naik_status naik_multigrid_file_look(naik_comm *comm, const char *path, const int size[NAIK_DIM],
                                     naik_multigrid_about *about)
{
    naik_h5_guard guard;
    naik_h5_guard_begin(&guard);
    const naik_status status = verdict(comm, path, look(comm, path, size, about));
    naik_h5_guard_end(&guard);
    return status;
}

/* Vector i, both of its parities, from the host. */
static naik_status hand_over(naik_test_vectors *vectors, int i, const double *sites)
{
    naik_field *const *v = vectors->v[i / NAIK_MG_BLOCK];
    for (int parity = 0; parity < 2; parity++) {
        NAIK_PASS(v[parity]->geometry->backend->ops->field.from_host(v[parity], (naik_parity)parity,
                                                                     i % NAIK_MG_BLOCK, sites));
    }
    return NAIK_OK;
}

static naik_status read_all(const naik_geometry *geometry, const char *path,
                            naik_test_vectors *vectors, double *near_null)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lattice = geometry->lattice;
    naik_comm *comm = lattice->comm;
    naik_multigrid_vectors v = {.dataset = -1, .type = -1};
    uint32_t stored[NAIK_MG_VECTORS_MOST][2], sum[2];
    double *sites = NULL;
    hid_t file = -1;
    status = naik_alloc(comm->log, (size_t)lattice->sites * NAIK_MG_SITE_REALS * sizeof *sites,
                        "a near-null vector on the host", (void **)&sites);
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_h5_open_stored(comm, path, &file));
    status = naik_multigrid_numbers_get(comm->log, file, path, vectors->count, stored, near_null);
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_comm_agree(comm, naik_multigrid_vectors_open(comm, file, &v)));
    for (int i = 0; i < vectors->count; i++) {
        v.field.lead = i;
        NAIK_TRY(naik_h5_field_read(lattice, &v.field, sites, sum));
        if (sum[0] != stored[i][0] || sum[1] != stored[i][1]) {
            status = NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT,
                               "near-null vector %d of '%s' is damaged: checksum %x %x, stored %x "
                               "%x",
                               i, path, sum[0], sum[1], stored[i][0], stored[i][1]);
            goto done;
        }
        NAIK_TRY(naik_comm_agree(comm, hand_over(vectors, i, sites)));
    }
done:
    naik_free(sites);
    naik_multigrid_vectors_close(&v);
    naik_h5_close(comm, &file);
    return status;
}

naik_status naik_multigrid_file_read(const naik_geometry *geometry, const char *path,
                                     naik_test_vectors *vectors, double *near_null)
{
    naik_h5_guard guard;
    naik_comm *comm = geometry->lattice->comm;
    naik_h5_guard_begin(&guard);
    const naik_status status = verdict(comm, path, read_all(geometry, path, vectors, near_null));
    naik_h5_guard_end(&guard);
    return status;
}
