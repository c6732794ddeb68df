/* coarse_operator.c - the Galerkin product, hop by hop, and its even-odd form */
#include "multigrid/coarse_operator.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "comm/collective.h"
#include "comm/new.h"

static naik_status make_links(const naik_aggregates *a, int components, naik_precision precision,
                              naik_coarse_links **out)
{
    naik_backend *backend = a->geometry->backend;
    naik_coarse_links *m = NULL;
    NAIK_PASS(naik_alloc(backend->log, sizeof *m, "the coarse operator", (void **)&m));
    *out = m;
    m->aggregates = a;
    m->components = components;
    m->precision = precision;
    m->size_bytes = naik_multigrid_of(a->geometry)->links_bytes(a, components, precision);
    return naik_backend_alloc(backend, m->size_bytes, "the coarse operator", &m->data);
}

static void destroy_links(naik_coarse_links **m)
{
    if (*m != NULL) {
        naik_backend_release((*m)->aggregates->geometry->backend, (*m)->data);
        naik_free(*m);
        *m = NULL;
    }
}

static naik_status allocate(naik_coarse_operator *op, naik_precision precision)
{
    NAIK_PASS(make_links(op->aggregates, op->components, NAIK_SINGLE, &op->made));
    return make_links(op->aggregates, op->components, precision, &op->used);
}

naik_status naik_coarse_operator_create(const naik_transfer *p, naik_coarse_operator **out)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = p->aggregates->geometry->backend;
    naik_coarse_operator *op = NULL;
    *out = NULL;
    NAIK_TRY(naik_new(backend->comm, sizeof *op, "the coarse operator", (void **)&op));
    op->aggregates = p->aggregates;
    op->components = 2 * p->vectors;
    NAIK_TRY(naik_comm_agree(backend->comm, allocate(op, p->precision)));
    *out = op;
    op = NULL;
done:
    naik_coarse_operator_destroy(&op);
    return status;
}

size_t naik_coarse_operator_bytes(const naik_aggregates *aggregates, int vectors,
                                  naik_precision precision)
{
    const naik_multigrid_ops *ops = naik_multigrid_of(aggregates->geometry);
    return ops->links_bytes(aggregates, 2 * vectors, NAIK_SINGLE) +
           ops->links_bytes(aggregates, 2 * vectors, precision);
}

size_t naik_coarse_operator_fill_bytes(const naik_aggregates *aggregates, int vectors)
{
    const naik_multigrid_ops *ops = naik_multigrid_of(aggregates->geometry);
    return ops->invert_bytes != NULL ? ops->invert_bytes(aggregates, 2 * vectors) : 0;
}

void naik_coarse_operator_destroy(naik_coarse_operator **op)
{
    if (*op != NULL) {
        destroy_links(&(*op)->made);
        destroy_links(&(*op)->used);
        free(*op);
        *op = NULL;
    }
}

static naik_status clear(naik_coarse_links *m)
{
    const naik_multigrid_ops *ops = naik_multigrid_of(m->aggregates->geometry);
    if (ops->clear != NULL) {
        return ops->clear(m);
    }
    memset(m->data, 0, m->size_bytes);
    return NAIK_OK;
}

/* What one block of columns, of one chirality, is mapped to: v are these columns on either parity, w what
 * becomes of them. */
static naik_status add_columns(naik_coarse_operator *op, const naik_transfer *p,
                               const naik_wilson *wilson, int column, naik_field *const v[2],
                               naik_field *w)
{
    const naik_multigrid_ops *ops = naik_multigrid_of(op->aggregates->geometry);
    for (int c = 0; c < 2; c++) {
        const naik_parity parity = (naik_parity)c;
        NAIK_PASS(naik_wilson_local(wilson, v[c], parity, w));
        NAIK_PASS(ops->galerkin(p, parity, w, NAIK_MG_LOCAL, column, 1, op->made));
        for (int k = 0; k < NAIK_MG_POINTS; k++) {
            NAIK_PASS(naik_wilson_hop(wilson, k, v[!c], parity, w));
            NAIK_PASS(ops->galerkin(p, parity, w, k, column, -0.5F, op->made));
        }
    }
    return NAIK_OK;
}

naik_status naik_coarse_operator_fill(naik_coarse_operator *op, const naik_transfer *p,
                                      const naik_wilson *wilson, naik_field *const field[3],
                                      const naik_multigrid_hooks *hooks)
{
    const naik_multigrid_ops *ops = naik_multigrid_of(op->aggregates->geometry);
    naik_backend *backend = op->aggregates->geometry->backend;
    int64_t singular = 0;
    NAIK_PASS(naik_comm_agree(backend->comm, clear(op->made)));
    for (int chirality = 0; chirality < 2; chirality++) {
        for (int first = 0; first < p->vectors; first += NAIK_MG_BLOCK) {
            const int count = naik_transfer_in_block(p->vectors, first / NAIK_MG_BLOCK);
            for (int i = 0; i < 3; i++) {
                naik_field_set_nrhs(field[i], count);
            }
            NAIK_PASS(ops->get_columns(p, NAIK_EVEN, chirality, first, field[0]));
            NAIK_PASS(ops->get_columns(p, NAIK_ODD, chirality, first, field[1]));
            NAIK_PASS(naik_multigrid_ask(hooks));
            NAIK_PASS(add_columns(op, p, wilson, chirality * p->vectors + first, field, field[2]));
        }
    }
    NAIK_PASS(naik_comm_agree(backend->comm, ops->invert(op->made, op->used, &singular)));
    NAIK_PASS(naik_comm_sum_i64(backend->comm, &singular, 1));
    if (singular > 0) {
        return NAIK_FAIL(backend->log, NAIK_ERR_NOT_CONVERGED,
                         "the coarse operator of multigrid has no inverse at %lld of its sites",
                         (long long)singular);
    }
    return NAIK_OK;
}
