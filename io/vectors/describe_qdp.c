/* describe_qdp.c - a propagator in the HDF5 of QDP++, for `naik info`
 *
 * The file has no checksum: what can be said is that every number is there and finite.
 */
#include <limits.h>
#include <math.h>

#include "comm/collective.h"
#include "io/inspect.h"
#include "io/vectors/qdp.h"

typedef struct counting {
    int bits;
    int bad; /* sites with a number that is not finite; shared by the threads */
} counting;

static void look(void *context, int32_t site, int64_t number, int count, void *bytes)
{
    counting *c = context;
    const float *narrow = bytes;
    const double *wide = bytes;
    int bad = 0;
    (void)site;
    (void)number;
    for (int i = 0; i < count; i++) {
        bool finite = true;
        for (int k = i * NAIK_QDP_SITE_REALS; k < (i + 1) * NAIK_QDP_SITE_REALS; k++) {
            finite = finite && isfinite(c->bits == 32 ? (double)narrow[k] : wide[k]);
        }
        bad += !finite;
    }
    if (bad > 0) {
#pragma omp atomic
        c->bad += bad;
    }
}

static naik_status verify(naik_comm *comm, const naik_h5_array *array, const int size[NAIK_DIM],
                          const char *path, bool *intact)
{
    naik_status status = NAIK_OK;
    naik_lattice *lattice = NULL;
    counting c = {.bits = array->bits};
    NAIK_TRY(naik_lattice_create(comm, size, NULL, &lattice));
    NAIK_TRY(naik_h5_array_read(lattice, array, look, &c));
    double bad = c.bad;
    NAIK_TRY(naik_comm_max_f64(comm, &bad, 1));
    *intact = bad == 0;
    if (bad > 0) {
        naik_log_warn(comm->log, "'%s': numbers of its propagator are not finite", path);
    }
done:
    naik_lattice_destroy(&lattice);
    return status;
}

naik_status naik_describe_qdp_propagator(naik_comm *comm, hid_t h5, const char *path, bool verified,
                                         naik_report *report, naik_status *verdict)
{
    naik_status status = NAIK_OK;
    naik_h5_array array = {.dataset = -1, .memory = -1};
    int size[NAIK_DIM] = {0};
    char text[4096];
    bool intact = false;
    const int count = naik_qdp_propagator_open(h5, &array);
    if (count != 1) {
        status = naik_qdp_propagator_refuse(comm->log, path, count);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        size[mu] = array.dim[mu] <= INT_MAX ? (int)array.dim[mu] : 0; /* no lattice has that */
    }
    naik_report_text(report, "kind", "propagator of another code's format");
    naik_report_text(report, "vector_format", "qdp++-hdf5");
    naik_describe_size(size, report);
    naik_report_int(report, "precision", array.bits);
    naik_report_int(report, "spins", 4);
    naik_report_bool(report, "checksums", false);
    if (verified) {
        NAIK_TRY(verify(comm, &array, size, path, &intact));
        naik_report_bool(report, "finite", intact);
        *verdict = intact ? *verdict : NAIK_ERR_CORRUPT;
    }
    if (naik_h5_get_text(array.dataset, "info", text, sizeof text)) {
        naik_report_text(report, "header", text);
    }
done:
    naik_h5_array_close(&array);
    return status;
}
