/* multigrid.c - the formula of multigrid.h */
#include "model/multigrid.h"

#include <math.h>

enum { BLOCK = 12, COLOUR_SPIN = 12, COMPLEX_FLOPS = 8, POINTS = 8, SPINOR_BYTES = 96 };

static const double TRANSFER_ROOF = 0.25,
                    COARSE_ROOF = 2.8; /* shares; of matrix units the second */
static const double ITERATION_PASSES = 25, CYCLE_PASSES = 30;
static const double STEP_LAUNCHES = 10, PEER_FACES_US = 85;
static const double START = 1.15, FILL_TRANSFERS = 45, LOW_SOLVES = 40, EARLY = 0.25;
static const double COLUMN_NS_A_SITE = 17.6;

static double figure(const model_machine *m, int name)
{
    return m->figures[name].value;
}

static double box_of(const model_problem *p)
{
    return (double)p->local[0] * p->local[1] * p->local[2] * p->local[3];
}

/* Of `width` right-hand sides, and of half a box's sites. */
static double pass_us(const model_machine *m, double sites, double bytes, int width)
{
    return sites * width * bytes / (figure(m, COPY_GBS) * 1e3);
}

static double transfer_us(const model_machine *m, double sites, const model_multigrid *g, int width)
{
    const double flops = 2.0 * COLOUR_SPIN * g->vectors * COMPLEX_FLOPS;
    return sites * width * flops / (TRANSFER_ROOF * figure(m, ROOF_SINGLE) * 1e3);
}

/* Faces of the coarse box in a direction, of both parities, one way: from GPU to GPU where these reach each other, else
 * to the host and back from it. */
static double faces_us(const model_machine *m, const int grid[NAIK_DIM], int mu, bool peers,
                       double bytes)
{
    return peers && !model_crosses_nodes(grid, mu, m->node_size)
               ? PEER_FACES_US + bytes / (figure(m, WIRE_INSIDE_GBS) * 1e3)
               : model_host_us(bytes);
}

/* Faces of the coarse box, and two sums. */
static double exchange_us(const model_machine *m, const model_problem *p, const int grid[NAIK_DIM],
                          const model_multigrid *g, double coarse, double site_bytes)
{
    double us = 0;
    int ranks = 1;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        const double extent = p->local[mu] * pow(coarse / box_of(p), 1.0 / NAIK_DIM);
        ranks *= grid[mu];
        us += grid[mu] > 1 ? faces_us(m, grid, mu, g->peers, 2 * coarse / extent * site_bytes) : 0;
    }
    const int nodes = (ranks + m->node_size - 1) / m->node_size;
    return us + (ranks > 1 ? 2 * figure(m, REDUCE_US) : 0) +
           (nodes > 1 ? 2 * figure(m, REDUCE_STEP_US) * log2(nodes) : 0);
}

static double coarse_us(const model_machine *m, const model_problem *p, const int grid[NAIK_DIM],
                        const model_multigrid *g, int width)
{
    const double box = box_of(p);
    const double coarse = box / g->aggregate, n = 2.0 * g->vectors;
    const double flops = POINTS * n * n * COMPLEX_FLOPS * coarse * width;
    const double step = flops / (COARSE_ROOF * figure(m, ROOF_SINGLE) * 1e3) +
                        STEP_LAUNCHES * figure(m, OVERHEAD_US) +
                        exchange_us(m, p, grid, g, coarse, n * width * 8);
    return g->steps * (step + g->steps * pass_us(m, coarse / 2, 8 * n, width));
}

naik_status model_multigrid_predict(naik_log *log, const model_machine *m,
                                    const model_problem *problem, const int grid[NAIK_DIM],
                                    const model_multigrid *g, model_multigrid_times *out)
{
    const double box = box_of(problem);
    const double sites = box / 2, blocks = ceil((double)g->vectors / BLOCK);
    double iteration_us[2], coarse[2]; /* of the batch, and of a block of the setup */
    model_problem p = *problem;
    model_prediction now;
    p.vectors = NAIK_SINGLE;
    for (int i = 0; i < 2; i++) {
        p.nrhs = i == 0 ? problem->nrhs : BLOCK;
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            now.grid[mu] = grid[mu];
        }
        NAIK_PASS(model_predict(log, m, &p, &now));
        coarse[i] = coarse_us(m, problem, grid, g, p.nrhs);
        iteration_us[i] =
            (1 + figure(m, UPDATES)) *
                (2 * (g->smoother + 1) * now.dslash_us + transfer_us(m, sites, g, p.nrhs) +
                 ITERATION_PASSES * pass_us(m, sites, SPINOR_BYTES, p.nrhs)) +
            coarse[i];
    }
    const double fill = FILL_TRANSFERS * g->vectors / 24 * transfer_us(m, sites, g, BLOCK);
    const double cycle = iteration_us[1] - (1 - EARLY) * coarse[1] +
                         CYCLE_PASSES * pass_us(m, sites, SPINOR_BYTES, BLOCK);
    out->iteration_us = iteration_us[0];
    out->change_us = 0.75 * fill + LOW_SOLVES * coarse[1];
    out->setup_us = blocks * (START * g->start * now.iteration_us + 2 * g->cycles * cycle) +
                    (g->cycles + 1) * fill + LOW_SOLVES * coarse[1];
    out->column_us = COLUMN_NS_A_SITE * 1e-3 * box;
    return NAIK_OK;
}

model_iterations model_multigrid_iterations(double tolerance)
{
    const double scale = log(2 / tolerance) / log(2 / 1e-10);
    return (model_iterations){.least = 10 * scale, .expected = 18 * scale, .most = 30 * scale};
}

model_iterations model_multigrid_steps(void)
{
    return (model_iterations){.least = 4, .expected = 22, .most = 50};
}
