/* deflate.c - what the modes know of x, from the true residual */
#include "modes/deflate.h"

#include <stdlib.h>

#include "comm/new.h"

struct naik_deflation {
    const naik_modes *modes; /* borrowed */
    int used;
    naik_modes_work *work;
    naik_field *single; /* what is projected, without halo */
    naik_complex *c;    /* [used][width] */
};

naik_status naik_deflation_create(const naik_modes *modes, int used, int width,
                                  naik_deflation **out)
{
    naik_status status = NAIK_OK;
    const naik_geometry *geometry = modes->geometry;
    *out = NULL;
    naik_comm *comm = geometry->backend->comm;
    naik_deflation *d = NULL;
    NAIK_TRY(naik_new(comm, sizeof *d, "deflation", (void **)&d));
    d->modes = modes;
    d->used = used < modes->count ? used : modes->count;
    NAIK_TRY(naik_new(comm, (size_t)d->used * (size_t)width * sizeof *d->c, "deflation",
                      (void **)&d->c));
    NAIK_TRY(naik_modes_work_create(geometry, d->used, width, &d->work));
    NAIK_TRY(naik_field_create_bare(geometry, NAIK_SINGLE, width, &d->single));
    *out = d;
    return status;
done:
    naik_deflation_destroy(&d);
    return status;
}

void naik_deflation_destroy(naik_deflation **deflation)
{
    naik_deflation *d = *deflation;
    if (d == NULL) {
        return;
    }
    naik_field_destroy(&d->single);
    naik_modes_work_destroy(&d->work);
    free(d->c);
    free(d);
    *deflation = NULL;
}

size_t naik_deflation_bytes(const naik_geometry *geometry, int used, int width)
{
    const naik_backend_ops *ops = geometry->backend->ops;
    return ops->modes.bytes(geometry->lattice, NAIK_SINGLE, width) +
           (size_t)(used + NAIK_MODES_BLOCK) * (size_t)width * 4 * sizeof(double);
}

/* c = V^+ of what is in `from`, of the systems that are wanted. */
static naik_status project(naik_deflation *d, const naik_field *from, const bool *wanted)
{
    double norm2[NAIK_MAX_RHS];
    naik_field_set_nrhs(d->single, from->nrhs);
    NAIK_PASS(from->geometry->backend->ops->field.copy(d->single, from, NULL, NAIK_RHS_IDLE));
    NAIK_PASS(naik_modes_norms(d->work, d->single, norm2));
    for (int j = 0; j < from->nrhs; j++) {
        norm2[j] = wanted[j] ? norm2[j] : 0;
    }
    return naik_modes_project(d->work, d->modes->block, d->used, 1.5, d->single, norm2, d->c);
}

static void weigh(naik_deflation *d, const naik_solver_correction *at)
{
    const int nrhs = at->x->nrhs;
    for (int i = 0; i < d->used; i++) {
        for (int j = 0; j < nrhs; j++) {
            naik_complex *c = &d->c[i * nrhs + j];
            const double factor = at->wanted[j] ? 1 / (at->shift[j] + d->modes->lambda2[i]) : 0;
            *c = (naik_complex){factor * c->re, factor * c->im};
        }
    }
}

static naik_status correct_even(naik_deflation *d, const naik_solver_correction *at)
{
    NAIK_PASS(project(d, at->r, at->wanted));
    weigh(d, at);
    return naik_modes_add(d->work, d->modes->block, d->used, d->c, at->x, at->rhs, NAIK_RHS_CHECK);
}

static naik_status correct(void *data, const naik_solver_correction *at)
{
    naik_deflation *d = data;
    const naik_backend *backend = d->modes->geometry->backend;
    if (at->parity != NAIK_EVEN) {
        return NAIK_FAIL(backend->log, NAIK_ERR_ARG,
                         "modes of even sites for a system on odd ones");
    }
    naik_timer_start(backend->timer, "deflation");
    NAIK_PASS(correct_even(d, at));
    naik_timer_stop(backend->timer, "deflation");
    return NAIK_OK;
}

naik_solver_starter naik_deflation_starter(naik_deflation *deflation, double again)
{
    return (naik_solver_starter){.data = deflation, .correct = correct, .again = again};
}
