/* vectors.c - the even sites of a lattice are a lattice of half the extent in x */
#include "io/modes/vectors.h"

#include <stdlib.h>
#include <string.h>

#include "comm/collective.h"
#include "io/checksum.h"
#include "io/h5/numbers.h"

naik_lattice naik_mode_half_lattice(const naik_lattice *lattice)
{
    naik_lattice half = *lattice;
    half.size[0] /= 2;
    half.local[0] /= 2;
    half.origin[0] /= 2;
    half.sites /= 2;
    half.volume /= 2;
    return half;
}

naik_status naik_mode_vectors_open(const naik_lattice *lat, hid_t file, naik_mode_vectors *out)
{
    naik_status status = NAIK_OK;
    naik_log *log = lat->comm->log;
    *out = (naik_mode_vectors){
        .lattice = lat, .half = naik_mode_half_lattice(lat), .dataset = -1, .type = -1};
    out->even = malloc((size_t)lat->volume_cb * NAIK_MODE_SITE_BYTES);
    out->dataset = H5Dopen2(file, "modes/v", H5P_DEFAULT);
    out->type = naik_h5_tensor(32, 1);
    if (out->even == NULL) {
        status = NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a mode on the host");
    } else if (out->dataset < 0 || !naik_h5_is_stored_as(out->dataset, out->type)) {
        status = NAIK_FAIL(log, NAIK_ERR_CORRUPT, "/modes/v is missing or damaged");
    }
    return naik_comm_agree(lat->comm, status);
}

void naik_mode_vectors_close(naik_mode_vectors *vectors)
{
    naik_modes_ahead_end(&vectors->ahead);
    free(vectors->even);
    naik_h5_release(vectors->dataset);
    naik_h5_release(vectors->type);
    *vectors = (naik_mode_vectors){.dataset = -1, .type = -1};
}

naik_status naik_mode_vectors_read_ahead(naik_mode_vectors *v, const char *path, int count)
{
    naik_comm *comm = v->half.comm;
    const naik_runs runs = naik_runs_of(&v->half, NAIK_MODE_SITE_BYTES);
    const haddr_t offset = H5Dget_offset(v->dataset);
    const double here = naik_runs_are_long(&runs) && offset != HADDR_UNDEF && comm->io.writers == 0;
    double all = here;
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_comm_min_f64(comm, &all, 1));
    if (all > 0) {
        status = naik_modes_ahead_begin(comm, path, &runs, (int64_t)offset,
                                        v->half.volume * NAIK_MODE_SITE_BYTES, count, &v->ahead);
        NAIK_TRY(naik_comm_agree(comm, status));
    }
done:
    return status;
}

/* The next vector, as naik_h5_field_read gives it. */
static naik_status take_next(naik_mode_vectors *v, int index, const float **vector, uint32_t sum[2])
{
    naik_status status = NAIK_OK;
    naik_comm *comm = v->half.comm;
    bool finite = true;
    status = naik_modes_ahead_next(v->ahead, vector, sum, &finite);
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_checksum_combine(comm, sum));
    double odd = !finite;
    NAIK_TRY(naik_comm_max_f64(comm, &odd, 1));
    if (odd > 0) {
        naik_log_warn(comm->log, "/modes/v [%d] holds NaN or infinity, whatever its checksum says",
                      index);
        sum[0] = ~sum[0];
        sum[1] = ~sum[1];
    }
done:
    return status;
}

static naik_h5_field field_of(const naik_mode_vectors *v, int index)
{
    return (naik_h5_field){.dataset = v->dataset,
                           .type = v->type,
                           .bits = 32,
                           .reals = 6,
                           .packed = true,
                           .lead = index,
                           .writers = v->half.comm->io.writers};
}

naik_status naik_mode_vector_write(naik_mode_vectors *v, naik_field *const *block, int index,
                                   uint32_t sum[2])
{
    naik_status status = NAIK_OK;
    const naik_h5_field field = field_of(v, index);
    const naik_field *from = block[index / NAIK_MODES_BLOCK];
    NAIK_TRY(naik_comm_agree(v->lattice->comm, from->geometry->backend->ops->modes.to_host(
                                                   from, index % NAIK_MODES_BLOCK, v->even)));
    NAIK_TRY(naik_h5_field_write(&v->half, &field, v->even, sum));
done:
    return status;
}

naik_status naik_mode_vector_read(naik_mode_vectors *v, naik_field *const *block, int index,
                                  uint32_t sum[2])
{
    naik_status status = NAIK_OK;
    const naik_h5_field field = field_of(v, index);
    const float *vector = v->even;
    if (v->ahead != NULL) {
        NAIK_TRY(take_next(v, index, &vector, sum));
    } else {
        NAIK_TRY(naik_h5_field_read(&v->half, &field, block != NULL ? v->even : NULL, sum));
    }
    if (block != NULL) {
        naik_field *into = block[index / NAIK_MODES_BLOCK];
        NAIK_TRY(naik_comm_agree(v->lattice->comm, into->geometry->backend->ops->modes.from_host(
                                                       into, index % NAIK_MODES_BLOCK, vector)));
    }
done:
    return status;
}

naik_status naik_mode_vector_get(naik_mode_vectors *v, int index, uint32_t sum[2])
{
    const naik_h5_field field = field_of(v, index);
    return naik_h5_field_read(&v->half, &field, v->even, sum);
}
