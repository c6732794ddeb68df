/* measure.c - eigenvalues and residuals of modes in double, as they are stored */
#include <math.h>
#include <stdlib.h>

#include "base/worst.h"
#include "comm/new.h"
#include "modes/lanczos.h"

struct naik_modes_meter {
    const naik_links *links;     /* borrowed */
    naik_field *v, *odd, *r;     /* double */
    double vv[NAIK_MODES_BLOCK]; /* |v|^2 */
    naik_modes_work *work;
    naik_complex *gram; /* [count][NAIK_MODES_BLOCK] */
};

naik_status naik_modes_meter_create(const naik_links *links, int count, naik_modes_meter **out)
{
    naik_status status = NAIK_OK;
    const naik_geometry *geometry = links->geometry;
    *out = NULL;
    naik_comm *comm = geometry->backend->comm;
    naik_modes_meter *m = NULL;
    NAIK_TRY(naik_new(comm, sizeof *m, "a measurement of modes", (void **)&m));
    m->links = links;
    NAIK_TRY(naik_new(comm, (size_t)count * NAIK_MODES_BLOCK * sizeof *m->gram,
                      "a measurement of modes", (void **)&m->gram));
    NAIK_TRY(naik_field_create(geometry, NAIK_DOUBLE, NAIK_MODES_BLOCK, &m->v));
    NAIK_TRY(naik_field_create(geometry, NAIK_DOUBLE, NAIK_MODES_BLOCK, &m->odd));
    NAIK_TRY(naik_field_create(geometry, NAIK_DOUBLE, NAIK_MODES_BLOCK, &m->r));
    NAIK_TRY(naik_modes_work_create(geometry, count, NAIK_MODES_BLOCK, &m->work));
    *out = m;
    return status;
done:
    naik_modes_meter_destroy(&m);
    return status;
}

void naik_modes_meter_destroy(naik_modes_meter **meter)
{
    naik_modes_meter *m = *meter;
    if (m == NULL) {
        return;
    }
    naik_field_destroy(&m->v);
    naik_field_destroy(&m->odd);
    naik_field_destroy(&m->r);
    naik_modes_work_destroy(&m->work);
    free(m->gram);
    free(m);
    *meter = NULL;
}

size_t naik_modes_meter_bytes(const naik_geometry *geometry, int count)
{
    return 3 * geometry->backend->ops->field.bytes(geometry->lattice, NAIK_DOUBLE,
                                                   NAIK_MODES_BLOCK) +
           naik_modes_work_bytes(geometry, count, NAIK_MODES_BLOCK, false);
}

/* r = D_eo D_oe v + lambda2 v */
naik_status naik_modes_meter_values(naik_modes_meter *m, naik_field *block, int used,
                                    double *lambda2, double *residual)
{
    double odd[NAIK_MODES_BLOCK], rr[NAIK_MODES_BLOCK];
    naik_complex diagonal[NAIK_MODES_BLOCK * NAIK_MODES_BLOCK] = {{0, 0}};
    NAIK_PASS(naik_modes_copy_block(m->v, block));
    NAIK_PASS(naik_dslash_plain(m->links, m->v, NAIK_ODD, m->odd));
    NAIK_PASS(naik_modes_norms(m->work, m->v, m->vv));
    NAIK_PASS(naik_modes_norms(m->work, m->odd, odd));
    NAIK_PASS(naik_dslash_plain(m->links, m->odd, NAIK_EVEN, m->r));
    for (int c = 0; c < NAIK_MODES_BLOCK; c++) { /* each with an eigenvalue of its own */
        const double value = m->vv[c] > 0 ? odd[c] / m->vv[c] : 0;
        diagonal[c * NAIK_MODES_BLOCK + c].re = isfinite(value) ? value : 0;
        if (c < used) {
            lambda2[c] = m->vv[c] > 0 ? value : NAN;
        }
    }
    NAIK_PASS(
        naik_modes_add(m->work, &block, NAIK_MODES_BLOCK, diagonal, m->r, NULL, NAIK_RHS_IDLE));
    NAIK_PASS(naik_modes_norms(m->work, m->r, rr));
    for (int c = 0; c < used; c++) {
        residual[c] = sqrt(rr[c] / m->vv[c]);
    }
    return NAIK_OK;
}

/* Products need vectors about of length 1: they are sums of integers. */
naik_status naik_modes_meter_products(naik_modes_meter *m, naik_field *const *block, int count,
                                      int first, int used, double *off)
{
    bool good = isfinite(*off);
    for (int c = 0; c < used; c++) {
        good = good && m->vv[c] <= 4;
    }
    if (!good) {
        *off = INFINITY;
        return NAIK_OK;
    }
    NAIK_PASS(naik_modes_project(m->work, block, count, 2, m->v, m->vv, m->gram));
    for (int i = 0; i < count; i++) {
        for (int c = 0; c < used; c++) {
            const naik_complex g = m->gram[i * NAIK_MODES_BLOCK + c];
            const double re = g.re - (i == first + c);
            const double here = sqrt(re * re + g.im * g.im);
            *off = naik_worst(*off, here);
        }
    }
    return NAIK_OK;
}

/* Of a block: the vectors in use. */
static int used_of(const naik_modes *modes, int b)
{
    const int left = modes->count - b * NAIK_MODES_BLOCK;
    return left < NAIK_MODES_BLOCK ? left : NAIK_MODES_BLOCK;
}

naik_status naik_modes_measure(naik_modes *modes, const naik_links *links, double *gram)
{
    naik_status status = NAIK_OK;
    naik_modes_meter *meter = NULL;
    naik_timer *timer = modes->geometry->backend->timer;
    *gram = 0;
    naik_timer_start(timer, "measure modes");
    NAIK_TRY(naik_modes_meter_create(links, modes->count, &meter));
    for (int b = 0; b * NAIK_MODES_BLOCK < modes->count; b++) {
        const int first = b * NAIK_MODES_BLOCK, used = used_of(modes, b);
        NAIK_TRY(naik_modes_meter_values(meter, modes->block[b], used, modes->lambda2 + first,
                                         modes->residual + first));
        NAIK_TRY(naik_modes_meter_products(meter, modes->block, first + used, first, used, gram));
    }
    naik_timer_stop(timer, "measure modes");
done:
    naik_modes_meter_destroy(&meter);
    return status;
}
