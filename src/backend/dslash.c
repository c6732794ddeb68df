/* dslash.c - check, start the halo, interior, wait, boundary */
#include "backend/dslash.h"

#include "backend/halo.h"
#include "backend/halves.h"

static bool same_shape(const naik_field *a, const naik_field *b)
{
    return a == NULL || (a->geometry == b->geometry && a->precision == b->precision &&
                         a->spin == b->spin && a->nrhs == b->nrhs);
}

static naik_status check_args(const naik_dslash_args *args)
{
    naik_log *log = args->in->geometry->backend->log;
    bool with_v = args->form != NAIK_FORM_D;
    bool with_b = args->form == NAIK_FORM_RESIDUAL || args->form == NAIK_FORM_DESCENT ||
                  args->form == NAIK_FORM_STEP;
    if (args->links->geometry != args->in->geometry || !same_shape(args->out, args->in) ||
        !same_shape(args->v, args->in) || !same_shape(args->b, args->in) ||
        !same_shape(args->x, args->in) || !same_shape(args->p, args->in) ||
        !same_shape(args->ap, args->in) || !same_shape(args->with, args->in)) {
        return NAIK_FAIL(log, NAIK_ERR_ARG, "Dslash: fields and links of different shapes");
    }
    const bool step = args->form == NAIK_FORM_STEP;
    if (args->in->spin != 1 && naik_links_depth(args->links) != 1) {
        return NAIK_FAIL(log, NAIK_ERR_ARG, "Dslash: spinors hop along links of one site");
    }
    if (args->in->spin == 1 && args->links->recon == 8) {
        return NAIK_FAIL(log, NAIK_ERR_ARG, "Dslash: links of 8 numbers are for spinors");
    }
    if (args->in->bare) {
        return NAIK_FAIL(log, NAIK_ERR_ARG, "Dslash: a field without halo");
    }
    if (args->with != NULL &&
        (args->in->spin == 1 || args->sums == NULL || args->with == args->out)) {
        return NAIK_FAIL(log, NAIK_ERR_ARG, "Dslash: products are of spinors, and are summed");
    }
    if (args->out == args->in || args->out == NULL || (with_v && args->v == NULL) ||
        (with_b && (args->b == NULL || args->rhs == NULL)) ||
        (step && (args->v != args->out || args->b != args->out || args->x == NULL ||
                  args->p == NULL || args->ap == NULL))) {
        return NAIK_FAIL(log, NAIK_ERR_ARG, "Dslash: an operand of form %d is missing or aliased",
                         (int)args->form);
    }
    return NAIK_OK;
}

/* Of `in`, for this D. */
static naik_layers layers_of(const naik_dslash_args *args)
{
    const naik_field *in = args->in;
    const bool whole = naik_travelling_vectors(in->precision, in->spin) == in->spin;
    return (naik_layers){.parity = (naik_parity)!args->parity,
                         .depth = naik_links_depth(args->links),
                         .halves = whole          ? NAIK_WHOLE
                                   : args->dagger ? NAIK_HALVES_DAGGER
                                                  : NAIK_HALVES};
}

/* What travels from and to this rank in one exchange, in one of the two directions. */
static double halo_bytes(const naik_field *in, const naik_layers *layers)
{
    const naik_lattice *lat = in->geometry->lattice;
    double sites = 0;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        sites += lat->split[mu] ? 2.0 * lat->face[mu] * layers->depth : 0;
    }
    return sites * naik_layer_vectors(in, layers) * naik_vector_bytes(in->precision);
}

naik_status naik_dslash(const naik_dslash_args *args)
{
    const naik_geometry *geometry = args->in->geometry;
    const naik_backend_ops *ops = geometry->backend->ops;
    naik_status (*const dslash)(const naik_dslash_args *, naik_region) =
        args->in->spin == NAIK_SPIN ? ops->wilson.dslash : ops->staggered.dslash;
    NAIK_PASS(check_args(args));
    if (geometry->lattice->halo == 0) {
        return dslash(args, NAIK_ALL);
    }
    naik_dslash_args now = *args;
    /* The halo zones belong to the exchange, not to the value of `in`. */
    naik_field *in = (naik_field *)args->in;
    const naik_layers layers = layers_of(args);
    naik_timer *timer = geometry->backend->timer;
    naik_timer_start(timer, "halo");
    naik_timer_count(timer, 0, halo_bytes(in, &layers));
    NAIK_PASS(naik_halo_start(geometry->halo, in, &layers));
    naik_timer_stop(timer, "halo");
    if (args->send) {
        const naik_layers next = {.parity = args->parity, .depth = layers.depth};
        NAIK_PASS(naik_halo_arm(geometry->halo, args->out, &next, &now.send));
    }
    NAIK_PASS(dslash(&now, NAIK_INTERIOR));
    naik_timer_start(timer, "halo");
    NAIK_PASS(naik_halo_hand_over(geometry->halo, in, &layers));
    naik_timer_stop(timer, "halo");
    return dslash(&now, NAIK_BOUNDARY);
}

naik_status naik_dslash_plain(const naik_links *links, const naik_field *in, naik_parity parity,
                              naik_field *out)
{
    const naik_dslash_args args = {
        .form = NAIK_FORM_D, .parity = parity, .links = links, .in = in, .out = out};
    return naik_dslash(&args);
}
