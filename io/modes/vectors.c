/* vectors.c - vectors one by one, in single precision or in bricks */
#include "io/modes/vectors.h"

#include <stdlib.h>
#include <string.h>

#include "comm/collective.h"
#include "io/checksum.h"
#include "io/finite.h"
#include "io/h5/numbers.h"
#include "modes/bricks.h"

naik_status naik_mode_vectors_open(const naik_lattice *lat, hid_t file, naik_mode_vectors *out)
{
    naik_status status = NAIK_OK;
    naik_log *log = lat->comm->log;
    bool bricks = false;
    (void)naik_mode_vectors_count(file, lat->size, &bricks);
    *out = (naik_mode_vectors){
        .lattice = lat, .form = naik_mode_form_of(lat, bricks), .dataset = -1, .type = -1};
    out->even = malloc((size_t)lat->volume_cb * NAIK_MODE_SITE_BYTES);
    out->brick = bricks ? malloc((size_t)naik_mode_form_bytes(&out->form)) : NULL;
    out->dataset = H5Dopen2(file, "modes/v", H5P_DEFAULT);
    out->type = naik_mode_form_type(bricks);
    if (out->even == NULL || (bricks && out->brick == NULL)) {
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
    free(vectors->brick);
    naik_h5_release(vectors->dataset);
    naik_h5_release(vectors->type);
    *vectors = (naik_mode_vectors){.dataset = -1, .type = -1};
}

naik_status naik_mode_vectors_read_ahead(naik_mode_vectors *v, const char *path, int count)
{
    naik_comm *comm = v->lattice->comm;
    const naik_runs runs = naik_runs_of(&v->form.array, v->form.element_bytes);
    const haddr_t offset = H5Dget_offset(v->dataset);
    const double here = naik_runs_are_long(&runs) && offset != HADDR_UNDEF && comm->io.writers == 0;
    double all = here;
    NAIK_PASS(naik_comm_min_f64(comm, &all, 1));
    if (all > 0) {
        NAIK_PASS(naik_comm_agree(
            comm, naik_modes_ahead_begin(path, &v->form, (int64_t)offset, count, &v->ahead)));
    }
    return NAIK_OK;
}

/* A vector that is not finite gets a sum that no stored one agrees with. */
static naik_status doubt(const naik_mode_vectors *v, int index, bool finite, uint32_t sum[2])
{
    double odd = !finite;
    NAIK_PASS(naik_comm_max_f64(v->lattice->comm, &odd, 1));
    if (odd > 0) {
        naik_log_warn(v->lattice->comm->log,
                      "/modes/v [%d] holds NaN or infinity, whatever its checksum says", index);
        sum[0] = ~sum[0];
        sum[1] = ~sum[1];
    }
    return NAIK_OK;
}

/* The next vector, as naik_h5_field_read gives it. */
static naik_status take_next(naik_mode_vectors *v, int index, const void **vector, uint32_t sum[2])
{
    naik_comm *comm = v->lattice->comm;
    bool finite = true;
    NAIK_PASS(naik_comm_agree(comm, naik_modes_ahead_next(v->ahead, vector, sum, &finite)));
    NAIK_PASS(naik_checksum_combine(comm, sum));
    return doubt(v, index, finite, sum);
}

static naik_h5_field field_of(const naik_mode_vectors *v, int index)
{
    return (naik_h5_field){.dataset = v->dataset,
                           .type = v->type,
                           .bits = v->form.bricks ? 16 : 32,
                           .reals = (int)(v->form.element_bytes / (v->form.bricks ? 2 : 4)),
                           .packed = true,
                           .lead = index,
                           .writers = v->lattice->comm->io.writers};
}

naik_status naik_mode_vector_write(naik_mode_vectors *v, naik_field *const *block, int index,
                                   uint32_t sum[2])
{
    const naik_h5_field field = field_of(v, index);
    const naik_field *from = block[index / NAIK_MODES_BLOCK];
    NAIK_PASS(naik_comm_agree(v->lattice->comm, from->geometry->backend->ops->modes.to_host(
                                                    from, index % NAIK_MODES_BLOCK, v->even)));
    if (v->form.bricks) { /* else naik_h5_field_write looks */
        NAIK_PASS(naik_comm_agree(v->lattice->comm,
                                  naik_refuse_packed_not_finite(v->lattice->comm->log, v->even,
                                                                6 * (int64_t)v->lattice->volume_cb,
                                                                32, "/modes/v")));
    }
    const void *elements = naik_mode_form_pack(&v->form, v->even, v->brick);
    return naik_h5_field_write(&v->form.array, &field, elements, sum);
}

/* Where elements are read to. */
static void *room_of(const naik_mode_vectors *v)
{
    return v->form.bricks ? (void *)v->brick : v->even;
}

static naik_status put(naik_mode_vectors *v, naik_field *into, int irhs, const void *elements)
{
    const naik_mode_ops *ops = &into->geometry->backend->ops->modes;
    if (naik_field_has_bricks(into)) {
        return ops->place(into, irhs, elements);
    }
    if (v->form.bricks) {
        naik_bricks_widen(v->lattice, elements, v->even);
    }
    return ops->from_host(into, irhs, v->form.bricks ? v->even : elements);
}

/* Elements of a vector, in room_of or elsewhere; *elements NULL: only their sum is wanted. */
static naik_status get(naik_mode_vectors *v, int index, const void **elements, uint32_t sum[2])
{
    const naik_h5_field field = field_of(v, index);
    if (v->ahead != NULL) {
        NAIK_PASS(take_next(v, index, elements, sum));
        return NAIK_OK;
    }
    NAIK_PASS(naik_h5_field_read(&v->form.array, &field,
                                 *elements != NULL || v->form.bricks ? room_of(v) : NULL, sum));
    if (v->form.bricks) {
        NAIK_PASS(doubt(v, index, naik_mode_form_is_finite(&v->form, v->brick), sum));
    }
    return NAIK_OK;
}

naik_status naik_mode_vector_read(naik_mode_vectors *v, naik_field *const *block, int index,
                                  uint32_t sum[2])
{
    const void *elements = block != NULL ? room_of(v) : NULL;
    NAIK_PASS(get(v, index, &elements, sum));
    if (block != NULL) {
        NAIK_PASS(naik_comm_agree(v->lattice->comm, put(v, block[index / NAIK_MODES_BLOCK],
                                                        index % NAIK_MODES_BLOCK, elements)));
    }
    return NAIK_OK;
}
