/* trial.c - the test exchange over a path between GPUs
 *
 * It is that of a field on boxes of 8^4 sites, filled from global coordinates.
 */
#include "backend/trial.h"

#include <string.h>

#include "backend/halo.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/timer.h"
#include "comm/collective.h"
#include "lattice/grid.h"
#include "naik/lattice.h"

enum { EXTENT = 8, RHS = 4, REPEAT = 20 };

naik_status naik_trial_create(naik_backend *backend, naik_trial *trial)
{
    naik_status status = NAIK_OK;
    naik_log *log = backend->log;
    int grid[NAIK_DIM], size[NAIK_DIM];
    naik_grid_grow(backend->comm->size, grid);
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        size[mu] = EXTENT * grid[mu];
    }
    NAIK_PASS(naik_lattice_create(backend->comm, size, grid, &trial->lattice));
    trial->size_bytes = backend->ops->field.bytes(trial->lattice, NAIK_DOUBLE, RHS);
    status = naik_alloc(log, trial->size_bytes, "a test exchange", (void **)&trial->expected);
    if (status == NAIK_OK) {
        status = naik_alloc(log, trial->size_bytes, "a test exchange", (void **)&trial->got);
    }
    if (status == NAIK_OK) {
        status = naik_alloc(log, naik_lattice_vector_bytes(trial->lattice), "a test exchange",
                            (void **)&trial->sites);
    }
    NAIK_PASS(naik_comm_agree(backend->comm, status));
    for (int32_t site = 0; site < trial->lattice->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(trial->lattice, site, x);
        naik_rng rng = naik_rng_at(1, 0, (uint64_t)naik_lattice_global(trial->lattice, x));
        for (int i = 0; i < 6; i++) {
            trial->sites[6 * site + i] = naik_rng_uniform(&rng);
        }
    }
    return NAIK_OK;
}

void naik_trial_destroy(naik_trial *trial)
{
    naik_free(trial->sites);
    naik_free(trial->got);
    naik_free(trial->expected);
    naik_lattice_destroy(&trial->lattice);
}

static naik_status exchange(const naik_geometry *geometry, naik_field *field, int count)
{
    const naik_layers layers = {.parity = NAIK_EVEN, .depth = NAIK_HALO_DEPTH};
    for (int i = 0; i < count; i++) {
        NAIK_PASS(naik_halo_start(geometry->halo, field, &layers));
        NAIK_PASS(naik_halo_wait(geometry->halo, field, &layers));
    }
    return naik_backend_sync(geometry->backend);
}

naik_status naik_trial_run(naik_backend *backend, const naik_trial *trial, char *out,
                           double *seconds)
{
    naik_status status = NAIK_OK;
    naik_geometry *geometry = NULL;
    naik_field *field = NULL;
    double start_s;
    NAIK_TRY(naik_geometry_create(backend, trial->lattice, &geometry));
    NAIK_TRY(naik_field_create(geometry, NAIK_DOUBLE, RHS, &field));
    for (int c = 0; c < RHS && status == NAIK_OK; c++) {
        status = backend->ops->field.from_host(field, NAIK_EVEN, c, trial->sites);
    }
    NAIK_TRY(naik_comm_agree(backend->comm, status));
    NAIK_TRY(naik_comm_agree(backend->comm, exchange(geometry, field, 2)));
    start_s = naik_time_s();
    NAIK_TRY(naik_comm_agree(backend->comm, exchange(geometry, field, REPEAT)));
    *seconds = (naik_time_s() - start_s) / REPEAT;
    NAIK_TRY(naik_comm_max_f64(backend->comm, seconds, 1));
    NAIK_TRY(naik_comm_agree(backend->comm,
                             naik_backend_download(backend, out, field->data, trial->size_bytes)));
done:
    naik_field_destroy(&field);
    naik_geometry_destroy(&geometry);
    return status;
}

naik_status naik_trial_verify(naik_backend *backend, const naik_trial *trial, const char *name,
                              double timeout_s, bool *works, double *seconds)
{
    naik_comm *comm = backend->comm;
    int64_t wrong = 0;
    *works = false;
    backend->route.timeout_s = timeout_s;
    naik_status status = naik_trial_run(backend, trial, trial->got, seconds);
    backend->route.timeout_s = 0;
    if (status == NAIK_ERR_MEMORY) {
        return status;
    }
    if (status != NAIK_OK) {
        naik_log_warn(comm->log, "halo transport %s does not work: %s", name,
                      naik_log_message(comm->log));
        naik_log_clear(comm->log);
        return NAIK_OK;
    }
    wrong = memcmp(trial->got, trial->expected, trial->size_bytes) != 0;
    status = naik_comm_sum_i64(comm, &wrong, 1);
    *works = status == NAIK_OK && wrong == 0;
    if (wrong != 0) {
        naik_log_warn(comm->log,
                      "halo transport %s does not work: %d of %d ranks received wrong bytes", name,
                      (int)wrong, comm->size);
    }
    return status;
}
