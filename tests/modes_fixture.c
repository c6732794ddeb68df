/* modes_fixture.c - random low modes, and vectors as they are stored */
#include "modes_fixture.h"

#include <math.h>
#include <stdlib.h>

naik_modes *fixture_modes(check *t, const fixture *f, naik_precision precision, naik_parity parity,
                          int count)
{
    naik_modes *modes = NULL, *rounded = NULL;
    CHECK_OK(t, naik_modes_create(f->geometry, NAIK_SINGLE, count, &modes));
    const double norm = sqrt(3.0 * (double)f->lat->volume);
    for (int i = 0; modes != NULL && i < count; i++) {
        double *v = fixture_vector(f, 100 + (uint64_t)i, (int)parity);
        for (int64_t k = 0; k < (int64_t)f->lat->sites * 6; k++) {
            v[k] /= norm;
        }
        CHECK_OK(t, f->backend->ops->field.from_host(modes->block[i / NAIK_MODES_BLOCK], parity,
                                                     i % NAIK_MODES_BLOCK, v));
        free(v);
    }
    if (modes != NULL && precision == NAIK_HALF) {
        CHECK_OK(t, naik_modes_round(&modes, &rounded));
        modes = rounded;
    }
    return modes;
}
double *fixture_stored(check *t, const fixture *f, const naik_field *field, naik_parity parity,
                       int irhs)
{
    double *v = calloc((size_t)f->lat->sites * 6, sizeof *v);
    CHECK_OK(t, f->backend->ops->field.to_host(field, parity, irhs, v));
    return v;
}
double *fixture_stored_mode(check *t, const fixture *f, const naik_modes *modes, naik_parity parity,
                            int i)
{
    naik_field *wide = NULL;
    CHECK_OK(t, naik_field_create_bare(f->geometry, NAIK_DOUBLE, NAIK_MODES_BLOCK, &wide));
    CHECK_OK(t, naik_modes_copy_block(wide, modes->block[i / NAIK_MODES_BLOCK]));
    double *v = fixture_stored(t, f, wide, parity, i % NAIK_MODES_BLOCK);
    naik_field_destroy(&wide);
    return v;
}
