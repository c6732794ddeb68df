/* wilson_fixture.c - Wilson and clover quarks for tests */
#include "wilson_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/create.h"
#include "backend/halo.h"
#include "base/rng.h"
#include "comm/collective.h"

bool wilson_fixture_create(check *t, const int size[4], const int grid[4], bool alone, int threads,
                           double mass, double csw, bool reference, wilson_fixture *out)
{
    return wilson_fixture_create_twisted(t, size, grid, alone, threads, mass, 0, csw, reference,
                                         out);
}

bool wilson_fixture_create_twisted(check *t, const int size[4], const int grid[4], bool alone,
                                   int threads, double mass, double twisted_mass, double csw,
                                   bool reference, wilson_fixture *out)
{
    const naik_backend_options options = {.threads = threads,
                                          .share_gpu = true,
                                          .tune_cache = "none",
                                          .transport = fixture_transport()};
    naik_comm *comm = t->comm;
    bool ok = true;
    memset(out, 0, sizeof *out);
    out->mass = mass;
    out->twisted_mass = twisted_mass;
    if (alone) {
        ok = CHECK_OK(t, naik_comm_create_alone(t->log, &out->alone));
        comm = out->alone;
    }
    ok = ok && CHECK_OK(t, naik_lattice_create(comm, size, grid, &out->lat)) &&
         CHECK_OK(t, naik_backend_create(comm, fixture_backend_name(), &options, &out->backend)) &&
         CHECK_OK(t, naik_geometry_create(out->backend, out->lat, &out->geometry)) &&
         CHECK_OK(t, naik_gauge_create(out->lat, &out->u));
    if (!ok) {
        return false;
    }
    naik_gauge_set_random(out->u, 31);
    if (reference) {
        ok = CHECK_OK(t, wilson_ref_create(out->u, true, mass, twisted_mass, csw, &out->ref));
    }
    if (csw != 0) {
        ok = ok && CHECK_OK(t, naik_clover_create(out->u, naik_backend_device(out->backend), mass,
                                                  twisted_mass, csw, &out->clover));
    }
    naik_gauge_apply_boundary(out->u);
    return ok;
}

void wilson_fixture_destroy(wilson_fixture *f)
{
    wilson_ref_destroy(&f->ref);
    naik_clover_destroy(&f->clover);
    naik_gauge_destroy(&f->u);
    naik_geometry_destroy(&f->geometry);
    naik_backend_destroy(&f->backend);
    naik_lattice_destroy(&f->lat);
    naik_comm_destroy(&f->alone);
}

wilson_spinor *wilson_fixture_random(const wilson_fixture *f, uint64_t seed)
{
    wilson_spinor *v = wilson_ref_field(f->lat->volume);
    for (int64_t site = 0; site < f->lat->volume; site++) {
        naik_rng rng = naik_rng_at(seed, 2, (uint64_t)site);
        for (int i = 0; i < 24; i++) {
            ((double *)v[site])[i] = naik_rng_gaussian(&rng);
        }
    }
    return v;
}

naik_field *wilson_fixture_zero(check *t, const wilson_fixture *f, naik_precision precision,
                                int nrhs)
{
    naik_field *field = NULL;
    CHECK_OK(t, naik_field_create_spin(f->geometry, precision, NAIK_SPIN, nrhs, &field));
    return field;
}

naik_field *wilson_fixture_field(check *t, const wilson_fixture *f, naik_precision precision,
                                 int nrhs, uint64_t seed, naik_parity parity)
{
    naik_field *field = wilson_fixture_zero(t, f, precision, nrhs);
    for (int c = 0; field != NULL && c < nrhs; c++) {
        wilson_spinor *v = wilson_fixture_random(f, seed + (uint64_t)c);
        wilson_fixture_put(t, f, v, parity, field, c);
        free(v);
    }
    return field;
}

/* This rank's sites in local order, to or from the whole lattice. */
static void move(const wilson_fixture *f, wilson_spinor *mine, wilson_spinor *whole, bool out)
{
    for (int32_t site = 0; site < f->lat->sites; site++) {
        int x[4];
        naik_lattice_coords(f->lat, site, x);
        wilson_spinor *there = &whole[naik_lattice_global(f->lat, x)];
        memcpy(out ? there : &mine[site], out ? &mine[site] : there, sizeof *mine);
    }
}

void wilson_fixture_put(check *t, const wilson_fixture *f, const wilson_spinor *whole,
                        naik_parity parity, naik_field *field, int c)
{
    wilson_spinor *mine = wilson_ref_field(f->lat->sites);
    move(f, mine, (wilson_spinor *)whole, false);
    CHECK_OK(t, f->backend->ops->field.from_host(field, parity, c, (const double *)mine));
    free(mine);
}

void wilson_fixture_take(check *t, const wilson_fixture *f, const naik_field *field,
                         naik_parity parity, int c, wilson_spinor *whole)
{
    wilson_spinor *mine = wilson_ref_field(f->lat->sites);
    move(f, mine, whole, false); /* what is on the other parity stays */
    CHECK_OK(t, f->backend->ops->field.to_host(field, parity, c, (double *)mine));
    move(f, mine, whole, true);
    free(mine);
}

void wilson_fixture_hops(check *t, const wilson_fixture *f, const naik_wilson *wilson,
                         naik_precision vectors, uint64_t seed, int nrhs, wilson_spinor *out[])
{
    naik_field *in = wilson_fixture_field(t, f, vectors, nrhs, seed, NAIK_ODD);
    naik_field *to = wilson_fixture_zero(t, f, vectors, nrhs);
    const naik_dslash_args args = {
        .form = NAIK_FORM_D, .parity = NAIK_EVEN, .links = wilson->links, .in = in, .out = to};
    CHECK_OK(t, naik_dslash(&args));
    for (int c = 0; c < nrhs; c++) {
        wilson_fixture_take(t, f, to, NAIK_EVEN, c, out[c]);
    }
    naik_field_destroy(&in);
    naik_field_destroy(&to);
}

double wilson_fixture_difference(const wilson_fixture *f, const wilson_spinor *a,
                                 const wilson_spinor *b, naik_parity parity)
{
    double difference = 0, largest = 0;
    for (int32_t site = 0; site < f->lat->sites; site++) {
        int x[4];
        naik_lattice_coords(f->lat, site, x);
        const int64_t at = naik_lattice_global(f->lat, x);
        for (int i = 0; i < 12 && naik_parity_of(x) == (int)parity; i++) {
            const double d = cabs(a[at][i / 3][i % 3] - b[at][i / 3][i % 3]);
            difference = naik_worst(difference, d);
            largest = naik_worst(largest, cabs(b[at][i / 3][i % 3]));
        }
    }
    return largest > 0 ? difference / largest : difference;
}

/* out = B in, or b - B in. */
static naik_status swap_from(const naik_operator *op, naik_parity parity, bool adjoint,
                             const naik_field *in, const naik_field *b, naik_field *out,
                             const naik_products *products, const naik_rhs *rhs,
                             naik_rhs_state state)
{
    naik_status status = NAIK_OK;
    const naik_backend_ops *ops = op->geometry->backend->ops;
    const naik_lattice *lat = op->geometry->lattice;
    wilson_spinor *v = wilson_ref_field(lat->sites), *w = wilson_ref_field(lat->sites);
    naik_rhs host[NAIK_MAX_RHS];
    if (rhs != NULL) {
        NAIK_TRY(naik_backend_download(op->geometry->backend, host, rhs,
                                       (size_t)in->nrhs * sizeof *rhs));
    }
    for (int c = 0; c < in->nrhs; c++) {
        if (rhs != NULL && host[c].state != (int32_t)state) {
            continue;
        }
        NAIK_TRY(ops->field.to_host(in, parity, c, (double *)v));
        for (int32_t site = 0; site < lat->sites; site++) {
            for (int i = 0; i < 12; i++) {
                const int s = i / 3;
                w[site][s][i % 3] = (adjoint == (s % 2 == 0) ? -1 : 1) * v[site][s ^ 1][i % 3];
            }
        }
        if (b != NULL) {
            NAIK_TRY(ops->field.to_host(b, parity, c, (double *)v));
            for (int32_t i = 0; i < 12 * lat->sites; i++) {
                w[i / 12][i / 3 % 4][i % 3] =
                    v[i / 12][i / 3 % 4][i % 3] - w[i / 12][i / 3 % 4][i % 3];
            }
        }
        NAIK_TRY(ops->field.from_host(out, parity, c, (const double *)w));
    }
    if (products != NULL) {
        NAIK_TRY(fixture_add_products(out, products));
    }
done:
    free(v);
    free(w);
    return status;
}

static naik_status swap_spins(const naik_operator *op, naik_parity parity, bool adjoint,
                              const naik_field *in, naik_field *out, const naik_products *products,
                              const naik_rhs *rhs, naik_rhs_state state)
{
    return swap_from(op, parity, adjoint, in, NULL, out, products, rhs, state);
}

static naik_status swapped_rest(const naik_operator *op, naik_parity parity, const naik_field *in,
                                const naik_field *b, naik_field *out, naik_exactsum *sums,
                                const naik_rhs *rhs, naik_rhs_state state)
{
    return swap_from(op, parity, false, in, b, out, &(naik_products){.sums = sums}, rhs, state);
}

static double no_flops(const naik_operator *op)
{
    (void)op;
    return 1;
}

const naik_operator_ops wilson_fixture_swapping = {.name = "swapping",
                                                   .spin = NAIK_SPIN,
                                                   .solves = 12,
                                                   .apply = swap_spins,
                                                   .rest = swapped_rest,
                                                   .step_flops = no_flops};
