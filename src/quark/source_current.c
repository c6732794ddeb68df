/* source_current.c - conserved currents on sources, with the links of D of the source's quark */
#include "quark/source_current.h"

#include <string.h>

#include "base/memory.h"
#include "propagator/spin_taste.h"

bool source_current_any(const naik_input *input)
{
    bool any = false;
    for (int i = 0; i < input->solve_count; i++) {
        any = any || naik_source_has_current(&input->solve[i].source);
    }
    return any;
}

int64_t source_current_bytes(const naik_input *input, const naik_lattice *lattice)
{
    const int64_t links = (int64_t)sizeof(naik_matrix) * NAIK_DIM * lattice->sites;
    const int64_t vector = input->kind->reals * (int64_t)sizeof(double) * lattice->sites;
    return source_current_any(input)
               ? (int64_t)naik_current_bytes(lattice, input->kind->spin) + vector +
                     (input->kind->links == NAIK_QUARK_THIN ? 1 : 2) * links
               : 0;
}

void source_current_clear(source_current *c)
{
    naik_current_destroy(&c->current);
    naik_hops_clear(&c->hops);
    c->of = NULL;
}

naik_status source_current_keep(source_current *c, const naik_input *input, const naik_quark *quark,
                                const naik_fatlong *fat)
{
    bool wanted = false;
    for (int i = 0; i < input->solve_count && fat != NULL; i++) {
        wanted = wanted || (naik_source_has_current(&input->solve[i].source) &&
                            naik_quark_shares_operator(naik_input_quark(input, i, 0), quark));
    }
    if (!wanted || (c->of != NULL && naik_quark_shares_operator(c->of, quark))) {
        return NAIK_OK;
    }
    naik_hops_clear(&c->hops);
    c->of = NULL;
    NAIK_PASS(naik_hops_of(fat, &c->hops));
    c->of = quark;
    return NAIK_OK;
}

/* The links of a quark, which may be there already. */
static naik_status take_links(source_current *c, const naik_lattice *lattice, contract_hops *hops,
                              void *hops_data, const naik_quark *quark)
{
    if (c->current == NULL) {
        NAIK_PASS(naik_current_create(lattice, quark->kind->spin, &c->current));
    }
    if (c->of != NULL && naik_quark_shares_operator(c->of, quark)) {
        return NAIK_OK;
    }
    naik_hops_clear(&c->hops);
    c->of = NULL;
    NAIK_PASS(hops(hops_data, quark, &c->hops));
    c->of = quark;
    return NAIK_OK;
}

naik_status source_current_apply(source_current *c, const naik_lattice *lat, contract_hops *hops,
                                 void *hops_data, const naik_input *input,
                                 const naik_input_source *source, double *v)
{
    naik_status status = NAIK_OK;
    const int mu = source->source.spin_taste - (int)NAIK_FIRST_CURRENT;
    const int reals = input->kind->reals;
    const size_t bytes = (size_t)reals * (size_t)lat->sites * sizeof *v;
    naik_frame frame = {.cosine = false};
    double *from = NULL;
    memcpy(frame.momentum, source->source.momentum, sizeof frame.momentum);
    memcpy(frame.origin, source->source.origin, sizeof frame.origin);
    status = naik_alloc(lat->comm->log, bytes, "a source", (void **)&from);
    NAIK_TRY(naik_comm_agree(lat->comm, status));
    NAIK_TRY(take_links(c, lat, hops, hops_data, naik_input_quark(input, source->solve, 0)));
    memcpy(from, v, bytes);
    NAIK_TRY(naik_current_apply(c->current, &c->hops, mu, &frame, from, v));
    if (input->kind->spin == 1) {
        naik_meson_give_sign(lat, NAIK_PION05, source->x0, reals, v);
    }
done:
    naik_free(from);
    return status;
}
