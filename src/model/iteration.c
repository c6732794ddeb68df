/* iteration.c - the formula of iteration.h */
#include "model/iteration.h"

#include <math.h>

#include "backend/halves.h"
#include "backend/packed_links.h"
#include "backend/route.h"
#include "base/memory.h"
#include "lattice/grid.h"

static const double HOST_FACE_US = 30, HOST_GBS = 5.8;

static double value_of(const model_machine *m, int figure)
{
    return m->figures[figure].value;
}

double model_floor_bytes(naik_precision vectors, naik_precision links, int recon, int points,
                         int nrhs)
{
    return naik_links_site_bytes(links, recon, points) + 2.0 * nrhs * naik_vector_bytes(vectors);
}

/* Share of a box whose neighbours at the depth of the halo are all inside. */
static double interior(const model_problem *p, const int grid[NAIK_DIM])
{
    double share = 1;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        const int inner = p->local[mu] - 2 * naik_points_depth(p->kind->points);
        share *= grid[mu] == 1 ? 1 : inner > 0 ? (double)inner / p->local[mu] : 0;
    }
    return share;
}

bool model_crosses_nodes(const int grid[NAIK_DIM], int mu, int node_size)
{
    int64_t stride = 1, ranks = 1;
    for (int nu = 0; nu < NAIK_DIM; nu++) {
        stride *= nu < mu ? grid[nu] : 1;
        ranks *= grid[nu];
    }
    for (int64_t rank = 0; rank < ranks; rank++) {
        int64_t coord = rank / stride % grid[mu];
        int64_t there = rank + ((coord + 1) % grid[mu] - coord) * stride;
        if (rank / node_size != there / node_size) {
            return true;
        }
    }
    return false;
}

double model_host_us(double bytes)
{
    return 2 * (HOST_FACE_US + bytes / (HOST_GBS * 1e3));
}

static double wire_us(const model_machine *m, const model_problem *p, naik_grid_cost cost)
{
    const int vectors = naik_travelling_vectors(p->vectors, p->kind->spin);
    const double site = 0.5 * naik_points_depth(p->kind->points) * p->nrhs * vectors *
                        naik_vector_bytes(p->vectors);
    const double inside = (double)cost.inside * site / value_of(m, WIRE_INSIDE_GBS);
    const double between = (double)cost.between * site / value_of(m, WIRE_BETWEEN_GBS);
    return p->staged ? model_host_us((double)(cost.inside + cost.between) * site) -
                           model_host_us(0) + 1e-3 * between
                     : 1e-3 * fmax(inside, between);
}

/* Whether the words of a halo say themselves that they have come: on one node, where it is short. */
static bool comes_in_words(const model_problem *p, const int grid[NAIK_DIM], int nodes)
{
    const double volume_cb = 0.5 * p->local[0] * p->local[1] * (double)p->local[2] * p->local[3];
    double sites = 0;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        sites += grid[mu] > 1 ? 2 * NAIK_HALO_DEPTH * volume_cb / p->local[mu] : 0;
    }
    const int vectors = p->nrhs * p->kind->spin;
    return nodes == 1 &&
           naik_peer_in_words(vectors, (size_t)(sites * vectors * naik_vector_bytes(p->vectors)));
}

static double direction_us(const model_machine *m, const model_problem *p, const int grid[NAIK_DIM],
                           int mu, int inside)
{
    const bool crosses = model_crosses_nodes(grid, mu, m->node_size);
    const double direct = value_of(m, crosses ? BETWEEN_US : inside);
    return p->staged ? model_host_us(0) + (crosses ? direct : 0) : direct;
}

static void predict_on(const model_machine *m, const model_problem *p, int ranks,
                       naik_grid_cost cost, model_prediction *out)
{
    const double sites = 0.5 * p->local[0] * p->local[1] * (double)p->local[2] * p->local[3];
    const double copy = value_of(m, COPY_GBS) * 1e3; /* bytes a us */
    const naik_quark_costs *costs = &p->kind->costs;
    const int vectors = p->nrhs * p->kind->spin, steps = costs->steps;
    const double flops = costs->flops + (p->blocks ? costs->block_flops : 0);
    const double blocks = p->blocks ? costs->block_factors * NAIK_SITE_BLOCKS * NAIK_BLOCK_REALS *
                                          (p->links == NAIK_DOUBLE ? 8.0 : 4.0)
                                    : 0;
    const double floor =
        model_floor_bytes(p->vectors, p->links, p->recon, p->kind->points, vectors) + blocks;
    const double memory = sites * floor / (copy * value_of(m, FRACTION_DOUBLE + (int)p->vectors));
    const double roof =
        sites * flops * p->nrhs / (value_of(m, ROOF_DOUBLE + (int)p->vectors) * costs->roof * 1e3);
    const double kernel = fmax(memory, roof);
    const double updates = p->vectors == NAIK_DOUBLE ? 0 : value_of(m, UPDATES);
    const int nodes = (ranks + m->node_size - 1) / m->node_size;
    const int inside = comes_in_words(p, out->grid, nodes) ? SHORT_US : INSIDE_US;
    out->dslash_us = kernel + (ranks > 1 ? value_of(m, DSLASH_US) : 0);
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if (out->grid[mu] > 1) {
            out->dslash_us += direction_us(m, p, out->grid, mu, inside);
        }
    }
    out->wire_us = wire_us(m, p, cost);
    out->exposed_us = out->wire_us - fmin(out->wire_us, kernel * interior(p, out->grid)) *
                                         (p->nrhs > 1 ? value_of(m, HIDDEN) : 1);
    out->dslash_us += out->exposed_us;
    out->linear_us = (costs->passes > 0 ? costs->passes : value_of(m, VECTORS)) * sites * vectors *
                     naik_vector_bytes(p->vectors) / copy;
    out->reduce_us = steps * ((ranks > 1 ? value_of(m, REDUCE_US) : 0) +
                              (nodes > 1 ? value_of(m, REDUCE_STEP_US) * log2(nodes) : 0));
    out->iteration_us = (1 + updates) * (2 * steps * kernel + out->linear_us) +
                        2 * steps * (out->dslash_us - kernel) + steps * value_of(m, OVERHEAD_US) +
                        out->reduce_us;
}

naik_status model_predict(naik_log *log, const model_machine *m, const model_problem *p,
                          model_prediction *out)
{
    naik_status status = NAIK_OK;
    const int ranks = out->grid[0] * out->grid[1] * out->grid[2] * out->grid[3];
    int *node_of = NULL;
    int size[NAIK_DIM];
    NAIK_TRY(
        naik_alloc(log, (size_t)ranks * sizeof *node_of, "a list of nodes", (void **)&node_of));
    for (int rank = 0; rank < ranks; rank++) {
        node_of[rank] = rank / m->node_size;
    }
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        size[mu] = p->local[mu] * out->grid[mu];
    }
    predict_on(m, p, ranks, naik_grid_cost_of(size, out->grid, node_of), out);
done:
    naik_free(node_of);
    return status;
}
