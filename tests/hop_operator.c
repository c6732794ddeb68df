/* hop_operator.c - a diagonal and a hop */
#include "hop_operator.h"

#include <stdlib.h>

#include "base/rng.h"
#include "fixture.h"

static const double RE = 0.4, IM = 0.3; /* c */

void hop_times(const naik_lattice *lat, naik_parity parity, bool adjoint, const double *v,
               double *w)
{
    for (int32_t cb = 0; cb < lat->volume_cb; cb++) {
        const int32_t site = naik_lattice_site_of(lat, parity, cb);
        int x[NAIK_DIM], y[NAIK_DIM];
        naik_lattice_coords(lat, site, x);
        naik_lattice_coords(lat, site, y);
        y[0] ^= 1;
        y[1] ^= 1;
        naik_rng rng = naik_rng_at(12, 0, (uint64_t)naik_lattice_global(lat, x));
        const double d = 0.1 + 6 * naik_rng_uniform(&rng), im = adjoint ? -IM : IM;
        const double *here = v + 6 * (int64_t)site;
        const double *there = v + 6 * (int64_t)naik_lattice_site(lat, y);
        for (int i = 0; i < 6; i += 2) {
            w[6 * (int64_t)site + i] = d * here[i] + RE * there[i] - im * there[i + 1];
            w[6 * (int64_t)site + i + 1] = d * here[i + 1] + RE * there[i + 1] + im * there[i];
        }
    }
}

static naik_status apply(const naik_operator *op, naik_parity parity, bool adjoint,
                         const naik_field *in, naik_field *out, const naik_products *products,
                         const naik_rhs *rhs, naik_rhs_state state)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = op->geometry->lattice;
    const naik_field_ops *field = &op->geometry->backend->ops->field;
    double *v = calloc((size_t)lat->sites * 12, sizeof *v), *w = v + (int64_t)lat->sites * 6;
    for (int c = 0; c < in->nrhs; c++) {
        if (rhs == NULL || rhs[c].state == (int32_t)state) {
            NAIK_TRY(field->to_host(in, parity, c, v));
            hop_times(lat, parity, adjoint, v, w);
            NAIK_TRY(field->from_host(out, parity, c, w));
        }
    }
    if (products != NULL) {
        NAIK_TRY(fixture_add_products(out, products));
    }
done:
    free(v);
    return status;
}

static int depth(const naik_operator *op)
{
    (void)op;
    return 0;
}

static double step_flops(const naik_operator *op)
{
    (void)op;
    return 2 * 54 + 84;
}

static const naik_operator_ops ops = {.name = "hop",
                                      .spin = 1,
                                      .solves = 3,
                                      .scratch = 2,
                                      .depth = depth,
                                      .step_flops = step_flops,
                                      .apply = apply};

naik_operator hop_operator(const naik_geometry *geometry, naik_precision precision)
{
    return (naik_operator){.ops = &ops, .geometry = geometry, .precision = precision};
}
