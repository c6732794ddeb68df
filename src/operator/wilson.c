/* wilson.c - every product with M or Mh is hops with everything else fused in, and A or A^-1 */
#include "operator/wilson.h"

#include <math.h>
#include <stdlib.h>

static const naik_rhs_mask everything = {NULL, NAIK_RHS_IDLE};

/* A becomes A + i mu g5, and its inverse (A - i mu g5) (A^2 + mu^2)^-1, which commute. */
static void add_twisted_mass(naik_wilson *wilson, const naik_clover *clover, double number,
                             double mu)
{
    naik_blocks *inverse = wilson->inverse;
    const double square = number * number + mu * mu;
    wilson->diagonal->chiral = mu;
    if (clover != NULL) {
        inverse->factor = wilson->diagonal;
        inverse->chiral = -mu;
        wilson->largest_inverse = sqrt(clover->largest_inverse); /* |A^-1|^2 = |(A A^+)^-1| */
    } else {
        inverse->number = number / square;
        inverse->chiral = -mu / square;
        wilson->largest_inverse = 1 / sqrt(square);
    }
    wilson->largest = hypot(wilson->largest, mu);
}

naik_status naik_wilson_create(const naik_geometry *geometry, const naik_gauge *u,
                               const naik_clover *clover, double mass, double twisted_mass,
                               naik_precision precision, int recon, naik_wilson **out)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = geometry->backend;
    const naik_fatlong thin = {.fat = (naik_gauge *)u};
    const naik_block(*direct)[NAIK_SITE_BLOCKS] = NULL, (*inverse)[NAIK_SITE_BLOCKS] = NULL;
    naik_wilson *wilson = calloc(1, sizeof *wilson);
    *out = NULL;
    if (clover != NULL) {
        direct = (const naik_block(*)[NAIK_SITE_BLOCKS])clover->block;
        inverse = (const naik_block(*)[NAIK_SITE_BLOCKS])clover->inverse;
    }
    if (wilson == NULL) {
        status = NAIK_FAIL(backend->log, NAIK_ERR_MEMORY, "no memory for the operator");
    } else if (clover == NULL && mass == -4 && twisted_mass == 0) {
        status = NAIK_FAIL(backend->log, NAIK_ERR_ARG, "Wilson quarks with m + 4 = 0");
    } else if (clover != NULL && clover->device != naik_backend_device(backend)) {
        status = NAIK_FAIL(backend->log, NAIK_ERR_ARG, "clover blocks in another memory");
    } else if (clover != NULL && clover->twisted_mass != twisted_mass) {
        status = NAIK_FAIL(backend->log, NAIK_ERR_ARG, "clover blocks of another twisted mass");
    }
    NAIK_TRY(naik_comm_agree(backend->comm, status));
    NAIK_TRY(naik_links_create(geometry, &thin, precision, recon, &wilson->links));
    NAIK_TRY(naik_blocks_create(geometry, precision, direct, mass + 4, &wilson->diagonal));
    NAIK_TRY(naik_blocks_create(geometry, precision, inverse, 1 / (mass + 4), &wilson->inverse));
    wilson->largest = clover != NULL ? clover->largest : fabs(mass + 4);
    wilson->largest_inverse = clover != NULL ? clover->largest_inverse : fabs(1 / (mass + 4));
    if (twisted_mass != 0) {
        add_twisted_mass(wilson, clover, mass + 4, twisted_mass);
    }
    wilson->inverse_adjoint = *wilson->inverse;
    wilson->inverse_adjoint.chiral = -wilson->inverse->chiral;
    *out = wilson;
done:
    if (status != NAIK_OK) {
        naik_wilson_destroy(&wilson);
    }
    return status;
}

void naik_wilson_destroy(naik_wilson **wilson)
{
    if (*wilson != NULL) {
        naik_links_destroy(&(*wilson)->links);
        naik_blocks_destroy(&(*wilson)->diagonal);
        naik_blocks_destroy(&(*wilson)->inverse);
        free(*wilson);
        *wilson = NULL;
    }
}

naik_status naik_wilson_verify_blocks(const naik_wilson *wilson, int *rank)
{
    /* of a twisted mass A^-1 is made of A, which is looked at with it */
    const bool together = wilson->inverse != NULL && wilson->inverse->factor == wilson->diagonal;
    NAIK_PASS(naik_blocks_verify(together ? NULL : wilson->diagonal, rank));
    if (*rank < 0) {
        NAIK_PASS(naik_blocks_verify(wilson->inverse, rank));
    }
    return NAIK_OK;
}

static naik_status multiply(const naik_blocks *blocks, const naik_field *in, naik_parity parity,
                            const naik_rhs_mask *mask, naik_field *out)
{
    return in->geometry->backend->ops->wilson.multiply(blocks, in, parity, mask->rhs, mask->state,
                                                       out);
}

/* out = blocks D in (D^+), on `parity`; blocks NULL: D in. */
static naik_dslash_args hop(const naik_wilson *wilson, bool dagger, const naik_blocks *blocks,
                            const naik_rhs_mask *mask, const naik_field *in, naik_parity parity,
                            naik_field *out)
{
    return (naik_dslash_args){.form = NAIK_FORM_D,
                              .parity = parity,
                              .links = wilson->links,
                              .in = in,
                              .out = out,
                              .dagger = dagger,
                              .blocks = blocks,
                              .rhs = mask->rhs,
                              .state = mask->state};
}

/* out = a v + s of what `args` says. */
static naik_status add_hop(naik_dslash_args args, double a, const naik_field *v, double s)
{
    args.form = NAIK_FORM_AFFINE;
    args.a = a;
    args.v = v;
    args.s = s;
    return naik_dslash(&args);
}

naik_status naik_wilson_schur(const naik_wilson *wilson, naik_parity p, bool dagger,
                              const naik_rhs_mask *mask, const naik_field *in, naik_field *scratch,
                              naik_field *out, const naik_products *products)
{
    const naik_blocks *inverse = dagger ? &wilson->inverse_adjoint : wilson->inverse;
    const bool before = dagger && naik_blocks_is_matrix(inverse); /* a number may come behind D */
    if (before) {
        NAIK_PASS(multiply(inverse, in, p, mask, out));
    }
    const naik_dslash_args first =
        hop(wilson, dagger, inverse, mask, before ? out : in, (naik_parity)!p, scratch);
    naik_dslash_args second = hop(wilson, dagger, before ? NULL : inverse, mask, scratch, p, out);
    if (products != NULL) {
        second.with = products->with;
        second.sums = products->sums;
    }
    NAIK_PASS(naik_dslash(&first));
    return add_hop(second, 1, in, -0.25);
}

naik_status naik_wilson_schur_affine(const naik_wilson *wilson, naik_parity p,
                                     const naik_rhs_mask *mask, double s, const naik_field *in,
                                     double c, const naik_field *b, naik_field *scratch,
                                     naik_field *out, naik_exactsum *sums)
{
    const naik_rhs_mask *of = mask != NULL ? mask : &everything;
    const naik_dslash_args first =
        hop(wilson, false, wilson->inverse, of, in, (naik_parity)!p, scratch);
    naik_dslash_args second = hop(wilson, false, wilson->inverse, of, scratch, p, out);
    second.b = b;
    second.c = c;
    second.sums = sums;
    NAIK_PASS(naik_dslash(&first));
    return add_hop(second, s, in, -0.25 * s);
}

naik_status naik_wilson_local(const naik_wilson *wilson, const naik_field *in, naik_parity parity,
                              naik_field *out)
{
    return multiply(wilson->diagonal, in, parity, &everything, out);
}

naik_status naik_wilson_hop(const naik_wilson *wilson, int k, const naik_field *in,
                            naik_parity parity, naik_field *out)
{
    naik_dslash_args args = hop(wilson, false, NULL, &everything, in, parity, out);
    args.hop = k + 1;
    return naik_dslash(&args);
}

naik_status naik_wilson_schur_source(const naik_wilson *wilson, naik_parity p,
                                     const naik_field *const src[2], naik_field *scratch,
                                     naik_field *b)
{
    const naik_parity q = (naik_parity)!p;
    const naik_dslash_args across = hop(wilson, false, wilson->inverse, &everything, scratch, p, b);
    NAIK_PASS(multiply(wilson->inverse, src[q], q, &everything, scratch));
    NAIK_PASS(multiply(wilson->inverse, src[p], p, &everything, b));
    return add_hop(across, 1, b, 0.5);
}

naik_status naik_wilson_schur_rebuild(const naik_wilson *wilson, naik_parity p,
                                      const naik_field *const src[2], naik_field *const x[2])
{
    const naik_parity q = (naik_parity)!p;
    const naik_dslash_args across = hop(wilson, false, wilson->inverse, &everything, x[p], q, x[q]);
    NAIK_PASS(multiply(wilson->inverse, src[q], q, &everything, x[q]));
    return add_hop(across, 1, x[q], 0.5);
}

naik_status naik_wilson_residual(const naik_wilson *wilson, naik_parity parity,
                                 const naik_field *const src[2], const naik_field *const x[2],
                                 naik_field *r, naik_exactsum *sums)
{
    naik_dslash_args across = hop(wilson, false, NULL, &everything, x[!parity], parity, r);
    across.b = src[parity];
    across.c = 1;
    across.sums = sums;
    NAIK_PASS(multiply(wilson->diagonal, x[parity], parity, &everything, r));
    return add_hop(across, -1, r, 0.5);
}
