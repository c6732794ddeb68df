/* measure.c - eigenvalues and residuals of modes in double, as they are stored */
#include <math.h>
#include <stdlib.h>

#include "modes/lanczos.h"

typedef struct room {
    naik_field *v, *odd, *r;
    naik_modes_work *work;
    naik_complex *gram; /* [count][NAIK_MODES_BLOCK] */
} room;

/* Eigenvalues and residuals of a block: r = D_eo D_oe v + lambda2 v. */
static naik_status measure_block(naik_modes *modes, const naik_links *links, int b, bool products,
                                 room *w)
{
    naik_status status = NAIK_OK;
    const naik_backend_ops *ops = links->geometry->backend->ops;
    double vv[NAIK_MODES_BLOCK], odd[NAIK_MODES_BLOCK], rr[NAIK_MODES_BLOCK];
    naik_complex diagonal[NAIK_MODES_BLOCK * NAIK_MODES_BLOCK] = {{0, 0}};
    NAIK_TRY(ops->field.copy(w->v, modes->block[b], NULL, NAIK_RHS_IDLE));
    NAIK_TRY(naik_dslash_plain(links, w->v, NAIK_ODD, w->odd));
    NAIK_TRY(naik_modes_norms(w->work, w->v, vv));
    NAIK_TRY(naik_modes_norms(w->work, w->odd, odd));
    NAIK_TRY(naik_dslash_plain(links, w->odd, NAIK_EVEN, w->r));
    for (int c = 0; c < NAIK_MODES_BLOCK; c++) { /* each with an eigenvalue of its own */
        const int i = b * NAIK_MODES_BLOCK + c;
        const double value = vv[c] > 0 ? odd[c] / vv[c] : 0;
        diagonal[c * NAIK_MODES_BLOCK + c].re = isfinite(value) ? value : 0;
        if (i < modes->count) {
            modes->lambda2[i] = vv[c] > 0 ? value : NAN;
        }
    }
    NAIK_TRY(naik_modes_add(w->work, &modes->block[b], NAIK_MODES_BLOCK, diagonal, w->r, NULL,
                            NAIK_RHS_IDLE));
    NAIK_TRY(naik_modes_norms(w->work, w->r, rr));
    for (int c = 0; c < NAIK_MODES_BLOCK && b * NAIK_MODES_BLOCK + c < modes->count; c++) {
        modes->residual[b * NAIK_MODES_BLOCK + c] = sqrt(rr[c] / vv[c]);
    }
    if (products) {
        NAIK_TRY(naik_modes_project(w->work, modes->block, modes->count, 2, w->v, vv, w->gram));
    }
done:
    return status;
}

/* Whether all are about of length 1, which products need: they are sums of integers. */
static naik_status look_at_lengths(const naik_modes *modes, room *w, bool *good)
{
    naik_status status = NAIK_OK;
    double vv[NAIK_MODES_BLOCK];
    *good = true;
    for (int b = 0; b * NAIK_MODES_BLOCK < modes->count; b++) {
        NAIK_TRY(
            modes->geometry->backend->ops->field.copy(w->v, modes->block[b], NULL, NAIK_RHS_IDLE));
        NAIK_TRY(naik_modes_norms(w->work, w->v, vv));
        for (int c = 0; c < NAIK_MODES_BLOCK; c++) {
            *good = *good && vv[c] <= 4;
        }
    }
done:
    return status;
}

/* Largest deviation from the unit matrix in the columns of a block; NaN stays. */
static double deviation(const naik_modes *modes, int b, const naik_complex *gram)
{
    double worst = 0;
    for (int i = 0; i < modes->count; i++) {
        for (int c = 0; c < NAIK_MODES_BLOCK && b * NAIK_MODES_BLOCK + c < modes->count; c++) {
            const naik_complex g = gram[i * NAIK_MODES_BLOCK + c];
            const double re = g.re - (i == b * NAIK_MODES_BLOCK + c);
            const double off = sqrt(re * re + g.im * g.im);
            worst = off <= worst ? worst : off;
        }
    }
    return worst;
}

naik_status naik_modes_measure(naik_modes *modes, const naik_links *links, double *gram)
{
    naik_status status = NAIK_OK;
    const naik_geometry *geometry = modes->geometry;
    room w = {0};
    *gram = 0;
    naik_timer_start(geometry->backend->timer, "measure modes");
    NAIK_TRY(naik_field_create(geometry, NAIK_DOUBLE, NAIK_MODES_BLOCK, &w.v));
    NAIK_TRY(naik_field_create(geometry, NAIK_DOUBLE, NAIK_MODES_BLOCK, &w.odd));
    NAIK_TRY(naik_field_create(geometry, NAIK_DOUBLE, NAIK_MODES_BLOCK, &w.r));
    NAIK_TRY(naik_modes_work_create(geometry, modes->count, NAIK_MODES_BLOCK, &w.work));
    w.gram = calloc((size_t)modes->count * NAIK_MODES_BLOCK, sizeof *w.gram);
    NAIK_TRY(naik_comm_agree(geometry->backend->comm,
                             w.gram != NULL ? NAIK_OK
                                            : NAIK_FAIL(geometry->backend->log, NAIK_ERR_MEMORY,
                                                        "no memory to measure modes")));
    bool good;
    NAIK_TRY(look_at_lengths(modes, &w, &good));
    for (int b = 0; b * NAIK_MODES_BLOCK < modes->count; b++) {
        NAIK_TRY(measure_block(modes, links, b, good, &w));
        const double off = good ? deviation(modes, b, w.gram) : INFINITY;
        *gram = off <= *gram ? *gram : off;
    }
    naik_timer_stop(geometry->backend->timer, "measure modes");
done:
    naik_field_destroy(&w.v);
    naik_field_destroy(&w.odd);
    naik_field_destroy(&w.r);
    naik_modes_work_destroy(&w.work);
    free(w.gram);
    return status;
}
