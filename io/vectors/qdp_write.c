/* qdp_write.c - propagators with spin in the HDF5 of QDP++
 */
#include <string.h>

#include "io/output.h"
#include "io/reread.h"
#include "io/vectors/field_write.h"
#include "io/vectors/qdp.h"
#include "io/vectors/vector_io.h"

enum {
    SPINS = NAIK_QDP_SPINS,
    COLOURS = NAIK_QDP_COLOURS,
    COLUMNS = NAIK_QDP_COLUMNS,
    SITE_REALS = NAIK_QDP_SITE_REALS
};

typedef struct writing {
    naik_field_data field;
    const char *info;
    int differ; /* sites whose bytes in the file are others; shared by the threads */
} writing;

/* The reals of a site in the order and the precision of the file. */
static size_t pack(const writing *w, int32_t site, void *out)
{
    double reals[SITE_REALS];
    float *narrow = out;
    naik_field_site(&w->field, site, reals);
    if (w->field.bits == 64) {
        memcpy(out, reals, sizeof reals);
        return sizeof reals;
    }
    for (int i = 0; i < SITE_REALS; i++) {
        narrow[i] = (float)reals[i];
    }
    return SITE_REALS * sizeof *narrow;
}

static void give(void *context, int32_t site, int64_t number, int count, void *bytes)
{
    char *at = bytes;
    (void)number;
    for (int i = 0; i < count; i++) {
        at += pack(context, site + i, at);
    }
}

static void compare(void *context, int32_t site, int64_t number, int count, void *bytes)
{
    writing *w = context;
    const char *at = bytes;
    int differ = 0;
    (void)number;
    for (int i = 0; i < count; i++) {
        double wanted[SITE_REALS];
        const size_t size = pack(w, site + i, wanted);
        differ += memcmp(at, wanted, size) != 0;
        at += size;
    }
    if (differ > 0) {
#pragma omp atomic
        w->differ += differ;
    }
}

static naik_status make(naik_comm *alone, void *data)
{
    const writing *w = data;
    naik_log *log = alone->log;
    naik_status status = NAIK_OK;
    const int *n = w->field.lattice->size;
    const hsize_t dims[NAIK_DIM] = {(hsize_t)n[3], (hsize_t)n[2], (hsize_t)n[1], (hsize_t)n[0]};
    const hsize_t spins[2] = {SPINS, SPINS};
    hid_t file = -1, dataset = -1, colours = naik_h5_tensor(w->field.bits, 2);
    hid_t type = H5Tarray_create2(colours, 2, spins);
    NAIK_TRY(naik_h5_create(alone, w->field.path, &file));
    NAIK_H5_TRY(log, type, "making the type of a propagator");
    NAIK_TRY(naik_h5_dataset(log, file, NAIK_QDP_NAME, type, NAIK_DIM, dims, NULL, &dataset));
    NAIK_TRY(naik_h5_put_text(log, dataset, "info", w->info));
done:
    naik_h5_release(dataset);
    naik_h5_release(type);
    naik_h5_release(colours);
    return naik_h5_close_after(alone, status, &file);
}

static naik_status open_array(const writing *w, bool writable, hid_t *file, naik_h5_array *array)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = w->field.lattice->comm;
    NAIK_PASS(naik_h5_open(comm, w->field.path, writable, file));
    if (naik_qdp_propagator_open(*file, array) != 1) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_IO, "/%s of '%s' is not what was written",
                           NAIK_QDP_NAME, w->field.path);
    }
    return naik_comm_agree(comm, status);
}

static naik_status fill(writing *w)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = w->field.lattice->comm;
    hid_t file = -1;
    naik_h5_array array = {.dataset = -1, .memory = -1};
    NAIK_TRY(open_array(w, true, &file, &array));
    NAIK_TRY(naik_h5_array_write(w->field.lattice, &array, give, w));
    NAIK_TRY(naik_h5_flush(comm, file));
done:
    naik_h5_array_close(&array);
    return naik_h5_close_after(comm, status, &file);
}

static naik_status read_again(writing *w)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = w->field.lattice->comm;
    hid_t file = -1;
    naik_h5_array array = {.dataset = -1, .memory = -1};
    NAIK_TRY(open_array(w, false, &file, &array));
    NAIK_TRY(naik_h5_array_read(w->field.lattice, &array, compare, w));
    if (w->differ > 0) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT,
                           "'%s' is damaged: %d sites are not what was written", w->field.path,
                           w->differ);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
done:
    naik_h5_array_close(&array);
    naik_h5_close(comm, &file);
    return status;
}

naik_status naik_qdp_propagator_write(const naik_lattice *lattice, const char *path, int spin,
                                      int precision, const char *info, const double *columns)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = lattice->comm;
    naik_output out = {.lock = NULL};
    const int64_t bytes = lattice->volume * SITE_REALS * precision / 8 + (1 << 20);
    NAIK_PASS(naik_field_check(comm->log, spin == SPINS, spin, precision));
    NAIK_TRY(naik_output_begin(comm, path, bytes, &out));
    writing w = {.field = {.lattice = lattice,
                           .path = out.part,
                           .columns = columns,
                           .spin = spin,
                           .count = COLUMNS,
                           .bits = precision},
                 .info = info};
    NAIK_TRY(naik_h5_by_rank_0(comm, make, &w));
    NAIK_TRY(fill(&w));
    NAIK_TRY(naik_write_verdict(comm->log, out.part, read_again(&w)));
    NAIK_TRY(naik_output_publish(&out));
done:
    naik_output_abandon(&out);
    return status;
}
