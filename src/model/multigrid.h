/* multigrid.h - what multigrid of quarks with spin takes on a machine, out of the figures of iteration.h
 *
 *   iteration = (1 + u) (2 (s + 1) T_D + P + 25 V) + C        s coefficients of the smoother
 *   P         = 2 sites w 12 Nv 8 flops / (0.25 roof)         restriction and prolongation of w columns
 *   C         = n step + n^2 V_c                              n steps on the coarse lattice
 *   step      = 8 (2 Nv)^2 8 coarse w flops / (2.8 roof) + 10 T_0 + what is exchanged
 *   setup     = 1.15 start T b + (cycles + 1) G + 2 b cycles (iteration - 3/4 C + 30 V) + 40 C
 *   G         = 45 Nv/24 P                                    coarse operator, orthonormal vectors, their lengths
 *
 * w right-hand sides are together. T is an iteration of BiCGStab of 12 of them, b = Nv/12 blocks of vectors; V reads a
 * batch of spinors, V_c one of coarse vectors. Numbers are fitted to one H100, 24^3 x 48, 12 columns at three kappas
 * (tests/results/multigrid.txt), where they give a source within 5% and a setup within 10%; on another configuration of
 * that size the setup was 14% too long. Coarse faces inside a node go from GPU to GPU, in 85 us a direction, fitted to the
 * iterations on two H100, where a source was within 10% and a setup within 23%. Between nodes, and with a transport that is
 * not peer, they go through the host: in 30 us a direction and way, which is assumed, and at a rate fitted to one run.
 */
#ifndef NAIK_MODEL_MULTIGRID_H
#define NAIK_MODEL_MULTIGRID_H

#include "model/iteration.h"
#include "model/iterations.h"

typedef struct model_multigrid {
    int vectors, smoother, start, cycles; /* of the input's block multigrid */
    int aggregate;                        /* sites */
    double steps;                         /* on the coarse lattice in each iteration */
    bool peers;                           /* GPUs of a node write to the memory of each other */
} model_multigrid;

typedef struct model_multigrid_times {
    double iteration_us;        /* of a batch */
    double setup_us, change_us; /* for the first mass, and for each other */
    double column_us;           /* of a right-hand side beside iterations: source, checks, output */
} model_multigrid_times;

/* Of problem->nrhs right-hand sides together, on this grid. Local. NAIK_ERR_MEMORY */
naik_status model_multigrid_predict(naik_log *log, const model_machine *m,
                                    const model_problem *problem, const int grid[NAIK_DIM],
                                    const model_multigrid *multigrid, model_multigrid_times *out);

/* Outer iterations, which hardly depend on the mass or the volume: 18 to 1e-10, from 10 to 30. */
model_iterations model_multigrid_iterations(double tolerance);
/* Coarse steps in each, which do: 22, from 4 to 50. */
model_iterations model_multigrid_steps(void);

#endif
