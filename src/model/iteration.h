/* iteration.h - the time of an iteration of conjugate gradient on a machine, from its figures; of
 * quarks with spin of BiCGStab, with n = 4 and twice T_0 and T_R
 *
 *   T      = (1 + u) (n K + T_L) + n (T_D - K) + T_0 + T_R                     n = 2
 *   K      = max(sites floor / (fraction copy), sites flops / roof)  of a D, on half a box's sites
 *   T_D    = K + E + sum_mu A_mu + T_wire - h min(T_wire, K interior)
 *   T_L    = vectors sites vector / copy                     beside what the two D count
 *   T_R    = R_inside [ranks > 1] + R_between log2(nodes)
 *   T_wire = max(bytes inside / wire_inside, bytes between / wire_between)
 * Where faces are staged, each D has instead
 *   T_wire = 2 bytes / (5.8 GB/s) + bytes between / wire_between
 *   A_mu   = 60 us + [mu crosses nodes] A_between
 * u is 0 where vectors are in double: their residual is the true one; h is 1 for one right-hand
 * side. doc/performance-model.md says what each figure is, where it comes from, and how well this
 * meets what was measured.
 */
#ifndef NAIK_MODEL_ITERATION_H
#define NAIK_MODEL_ITERATION_H

#include "backend/field.h"
#include "model/machine.h"
#include "naik/lattice.h"
#include "operator/quark.h"

typedef struct model_problem {
    int local[NAIK_DIM]; /* the box of a rank, a rank a GPU */
    naik_precision vectors, links;
    int recon; /* numbers of a long link */
    int nrhs;
    const naik_quark_kind *kind;
    bool staged; /* faces go through the memory of the hosts, between GPUs of a node too */
    bool blocks; /* M has blocks, and every D takes those of A^-1 */
} model_problem;

typedef struct model_prediction {
    int grid[NAIK_DIM];
    /* of D, of its wire, of what is not hidden of that, of vectors, of sums, of all: a batch */
    double dslash_us, exposed_us, wire_us, linear_us, reduce_us, iteration_us;
} model_prediction;

/* Bytes that one parity site costs at least: links once, and the vector read and written once a
 * right-hand side. */
double model_floor_bytes(naik_precision vectors, naik_precision links, int recon, int points,
                         int nrhs);

/* Faces to the host's memory and back from it: 0.77 to 1.33 times what tests/results has of staged halos on two H200, and
 * on four H100 and H200. */
double model_host_us(double bytes);

/* Whether some box's neighbour in direction mu is on another node, of ranks that fill nodes in order, x fastest. Local. */
bool model_crosses_nodes(const int grid[NAIK_DIM], int mu, int node_size);

/* On out->grid, of ranks that fill nodes in order. Local. NAIK_ERR_MEMORY */
naik_status model_predict(naik_log *log, const model_machine *m, const model_problem *p,
                          model_prediction *out);

#endif
