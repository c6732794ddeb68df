/* write.c - a file of near-null vectors: made and described by rank 0, filled and read again by all */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/checksum.h"
#include "io/h5/metadata_crc.h"
#include "io/h5/numbers.h"
#include "io/multigrid/about.h"
#include "io/output.h"
#include "io/provenance.h"
#include "io/reread.h"

typedef struct part {
    const naik_lattice *lattice;
    const naik_multigrid_about *about;
    const naik_test_vectors *vectors;
    const double *near_null;
    const char *path;
    uint32_t sum[NAIK_MG_VECTORS_MOST][2];
} part;

static naik_status make(naik_comm *alone, void *data)
{
    naik_status status = NAIK_OK;
    const part *p = data;
    const int *size = p->lattice->size, count = p->vectors->count;
    const hsize_t dims[NAIK_DIM + 1] = {(hsize_t)count, (hsize_t)size[3], (hsize_t)size[2],
                                        (hsize_t)size[1], (hsize_t)size[0]};
    hid_t file = -1, vectors = -1, spinor = naik_h5_spinor(32), real = naik_h5_real(64);
    NAIK_TRY(naik_h5_create(alone, p->path, &file));
    NAIK_TRY(naik_h5_put_identity(alone, file, NAIK_OWN_MULTIGRID));
    NAIK_TRY(naik_h5_put_text(alone->log, file, "state", "incomplete"));
    NAIK_TRY(naik_h5_dataset(alone->log, file, "multigrid/v", spinor, NAIK_DIM + 1, dims, NULL,
                             &vectors));
    NAIK_TRY(naik_h5_numbers_make(alone->log, file, "multigrid/near_null", real, dims[0]));
    NAIK_TRY(naik_h5_numbers_make(alone->log, file, "multigrid/suma", H5T_STD_U32LE, dims[0]));
    NAIK_TRY(naik_h5_numbers_make(alone->log, file, "multigrid/sumb", H5T_STD_U32LE, dims[0]));
done:
    naik_h5_release(vectors);
    naik_h5_release(spinor);
    naik_h5_release(real);
    return naik_h5_close_after(alone, status, &file);
}

/* Vector i, both of its parities, to the host. */
static naik_status fetch(const naik_test_vectors *vectors, int i, double *sites)
{
    naik_field *const *v = vectors->v[i / NAIK_MG_BLOCK];
    for (int parity = 0; parity < 2; parity++) {
        NAIK_PASS(v[parity]->geometry->backend->ops->field.to_host(v[parity], (naik_parity)parity,
                                                                   i % NAIK_MG_BLOCK, sites));
    }
    return NAIK_OK;
}

static naik_status fill(part *p)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = p->lattice->comm;
    hid_t file = -1;
    naik_multigrid_vectors v = {.dataset = -1, .type = -1};
    double *sites = NULL;
    status = naik_alloc(comm->log, (size_t)p->lattice->sites * NAIK_MG_SITE_REALS * sizeof *sites,
                        "a near-null vector on the host", (void **)&sites);
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_h5_open(comm, p->path, true, &file));
    NAIK_TRY(naik_comm_agree(comm, naik_multigrid_vectors_open(comm, file, &v)));
    for (int i = 0; i < p->vectors->count; i++) {
        v.field.lead = i;
        NAIK_TRY(naik_multigrid_ask(&p->vectors->hooks));
        NAIK_TRY(naik_comm_agree(comm, fetch(p->vectors, i, sites)));
        NAIK_TRY(naik_h5_field_write(p->lattice, &v.field, sites, p->sum[i]));
    }
done:
    naik_free(sites);
    naik_multigrid_vectors_close(&v);
    return naik_h5_close_after(comm, status, &file);
}

static naik_status put_numbers(naik_log *log, hid_t file, const part *p)
{
    static const char *const names[2] = {"multigrid/suma", "multigrid/sumb"};
    const int count = p->vectors->count;
    const int64_t crc = naik_crc32(p->near_null, (size_t)count * sizeof *p->near_null);
    uint32_t word[NAIK_MG_VECTORS_MOST];
    NAIK_PASS(naik_h5_numbers_put(log, file, "multigrid/near_null", H5T_NATIVE_DOUBLE, count,
                                  p->near_null));
    NAIK_PASS(naik_h5_put_i64(log, file, "near_null_crc", &crc, 0));
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < count; i++) {
            word[i] = p->sum[i][k];
        }
        NAIK_PASS(naik_h5_numbers_put(log, file, names[k], H5T_NATIVE_UINT32, count, word));
    }
    return NAIK_OK;
}

static naik_status describe(naik_comm *alone, void *data)
{
    naik_status status = NAIK_OK;
    const part *p = data;
    hid_t file = -1;
    NAIK_TRY(naik_h5_open(alone, p->path, true, &file));
    NAIK_TRY(put_numbers(alone->log, file, p));
    NAIK_TRY(naik_h5_put_ints(alone->log, file, "dims", p->lattice->size, NAIK_DIM));
    NAIK_TRY(naik_multigrid_about_put(alone->log, file, p->about));
    NAIK_TRY(naik_h5_write_metadata_crc(alone, file));
    NAIK_TRY(naik_h5_set_text(alone->log, file, "state", "complete"));
    NAIK_TRY(naik_h5_flush(alone, file));
done:
    return naik_h5_close_after(alone, status, &file);
}

/* What was written beside the vectors, once more from the disk. */
static naik_status verify_numbers(naik_log *log, hid_t file, const part *p)
{
    const size_t count = (size_t)p->vectors->count;
    uint32_t sum[NAIK_MG_VECTORS_MOST][2];
    double near_null[NAIK_MG_VECTORS_MOST];
    NAIK_PASS(naik_multigrid_numbers_get(log, file, p->path, p->vectors->count, sum, near_null));
    if (memcmp(sum, p->sum, count * sizeof *sum) != 0 ||
        memcmp(near_null, p->near_null, count * sizeof *near_null) != 0) {
        return naik_h5_reads_otherwise(log, p->path);
    }
    return NAIK_OK;
}

/* All of it once more from the disk. */
static naik_status verify(part *p)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = p->lattice->comm;
    hid_t file = -1;
    int damaged = 0, first = 0;
    NAIK_TRY(naik_h5_open(comm, p->path, false, &file));
    NAIK_TRY(naik_h5_confirm_metadata(comm, file, p->path, "complete"));
    NAIK_TRY(naik_comm_agree(comm, verify_numbers(comm->log, file, p)));
    NAIK_TRY(naik_multigrid_vectors_verify(p->lattice, file, p->vectors->count, p->sum, &damaged,
                                           &first));
    if (damaged > 0) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT, "near-null vector %d of '%s' is damaged",
                           first, p->path);
    }
done:
    naik_h5_close(comm, &file);
    return status;
}

int64_t naik_multigrid_file_bytes(const int size[NAIK_DIM], int vectors)
{
    const int64_t sites = (int64_t)size[0] * size[1] * size[2] * size[3];
    return sites * NAIK_MG_SITE_BYTES * vectors + (1 << 20);
}

naik_status naik_multigrid_file_write(const naik_geometry *geometry, const char *path,
                                      const naik_multigrid_about *about,
                                      const naik_test_vectors *vectors, const double *near_null,
                                      bool *there)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lattice = geometry->lattice;
    naik_comm *comm = lattice->comm;
    naik_output out = {.lock = NULL};
    part p = {.lattice = lattice, .about = about, .vectors = vectors, .near_null = near_null};
    int64_t size_bytes = -1;
    status = naik_output_try(comm, path, naik_multigrid_file_bytes(lattice->size, vectors->count),
                             &out, there);
    if (status == NAIK_ERR_INPUT && *there) {
        naik_log_clear(comm->log);
        return NAIK_OK;
    }
    NAIK_TRY(status);
    NAIK_TRY(naik_file_size(comm, path, &size_bytes));
    *there = size_bytes >= 0;
    if (*there) {
        goto done;
    }
    p.path = out.part;
    NAIK_TRY(naik_h5_by_rank_0(comm, make, &p));
    NAIK_TRY(naik_file_reserve(comm, out.part));
    NAIK_TRY(fill(&p));
    NAIK_TRY(naik_h5_by_rank_0(comm, describe, &p));
    NAIK_TRY(naik_write_verdict(comm->log, out.part, verify(&p)));
    NAIK_TRY(naik_output_publish(&out));
done:
    naik_output_abandon(&out);
    return status;
}
