/* operator.h - what a solver and a propagator ask of a lattice operator M
 *
 *   M x = src   becomes   A x_p = b_p  on the sites of one parity p,   A = shift + B^+ B
 *
 * A is hermitian and positive, and (r, A r) = shift |r|^2 + |B r|^2 is all that the scalars of
 * conjugate gradient (rhs.h) know of it. Staggered quarks: B = D_qp, shift = 4 m^2 (staggered.h).
 * An operator is a table of functions with what it stores; another one adds a table here and a
 * table of kernels to its backends. Whatever exchanges a halo is collective. Failures are those of
 * the backend: NAIK_ERR_ARG, NAIK_ERR_MPI, NAIK_ERR_DEVICE.
 */
#ifndef NAIK_OPERATOR_OPERATOR_H
#define NAIK_OPERATOR_OPERATOR_H

#include "backend/field.h"

typedef struct naik_operator_ops naik_operator_ops;

typedef struct naik_operator {
    const naik_operator_ops *ops;  /* NULL: not there */
    const naik_geometry *geometry; /* borrowed */
    naik_precision precision; /* of what it stores; fields in double go with double, others with
                                 the others */
    const void *data;         /* the operator's own, borrowed */
} naik_operator;

enum { NAIK_SCRATCH_MOST = 2 };

/* A on the sites of a parity. */
typedef struct naik_normal {
    const naik_operator *op; /* borrowed */
    naik_parity parity;
    naik_field *scratch[NAIK_SCRATCH_MOST]; /* ops->scratch of them, of the shape and precision of
                                               the vectors; borrowed, overwritten */
} naik_normal;

/* Vectors of a conjugate gradient: solution, residual, direction, and A times that. */
typedef struct naik_cg_vectors {
    naik_field *x, *r, *p, *ap;
} naik_cg_vectors;

/* A source and its solution on either parity, one rhs in double, and what algebra needs beside. */
typedef struct naik_solution {
    const naik_operator *op; /* in double, borrowed */
    double mass;
    naik_parity parity; /* p, which is solved */
    naik_field *src[2], *x[2], *work;
    naik_exactsum *sum; /* backend memory [1] */
} naik_solution;

/* A solution by plain applications of M and sums of their own, which share nothing with a solver
 * but the links in double. */
typedef struct naik_solution_check {
    double source_residual;      /* |src - M x| / |src|; |src - M x| for a zero source */
    double independent_residual; /* |b - A x_p| / |b| as it follows from src - M x; 0 for b = 0 */
    double rounding;             /* by which that may differ from the solver's */
    double norm, rhs_norm;       /* |x|, |b_p| */
} naik_solution_check;

struct naik_operator_ops {
    const char *name;
    int spin;                              /* colour vectors a site */
    int solves;                            /* of a source: one for each of its colours and spins */
    int scratch;                           /* fields that a step needs beside its vectors */
    double least_mass;                     /* masses are above it */
    int (*depth)(const naik_operator *op); /* layers of the neighbours' sites that it reads */
    double (*step_flops)(const naik_operator *op); /* an iteration, rhs and parity site */

    /* out = B in or, adjoint, B^+ in, for rhs in `state`, and what `products`, if not NULL, sums of
     * it; p as in naik_normal. NULL where the five below, which do more in one pass, are there; NULL
     * those that are made of it. */
    naik_status (*apply)(const naik_operator *op, naik_parity parity, bool adjoint,
                         const naik_field *in, naik_field *out, const naik_products *products,
                         const naik_rhs *rhs, naik_rhs_state state);
    /* out = b - B in of the same rhs, and sums += |out|^2. NULL: BiCGStab cannot solve with it. */
    naik_status (*rest)(const naik_operator *op, naik_parity parity, const naik_field *in,
                        const naik_field *b, naik_field *out, naik_exactsum *sums,
                        const naik_rhs *rhs, naik_rhs_state state);
    naik_status (*prime)(const naik_normal *a, const naik_field *r);
    naik_status (*drain)(const naik_normal *a, naik_field *r);
    naik_status (*first)(const naik_normal *a, const naik_field *r, const naik_rhs *rhs,
                         naik_exactsum *sums, const naik_deferred_reductions *deferred, bool send);
    naik_status (*second)(const naik_normal *a, const naik_rhs *rhs, const naik_cg_vectors *v,
                          naik_exactsum *sums, const naik_deferred_reductions *deferred, bool send);
    naik_status (*descend)(const naik_normal *a, const naik_rhs *rhs, const naik_cg_vectors *v,
                           naik_exactsum *sums);
    naik_status (*residual)(const naik_normal *a, const naik_field *b, const naik_field *v,
                            const naik_rhs *rhs, naik_rhs_state state, naik_field *out,
                            naik_exactsum *sums);

    /* The algebra of M. scale: b_p of a source on one parity is a vector that no mass enters times
     * this, so that several masses share a Krylov space; NULL: they do not. */
    double (*shift)(double mass);
    double (*scale)(double mass);
    naik_status (*make_rhs)(const naik_solution *s);    /* work = b_p, from src */
    naik_status (*reconstruct)(const naik_solution *s); /* x on the other parity, from x_p */
    /* A bound of |M|. */
    double (*largest)(const naik_operator *op, double mass);
    /* Where |b_p - A x_p| is at most this times a bound, |src - M x| is at most that bound. */
    double (*residual_scale)(const naik_operator *op, double mass);
    naik_status (*check)(const naik_solution *s, naik_solution_check *out);
};

/* Whether the steps of an operator take naik_deferred_reductions and send halos. */
static inline bool naik_operator_is_fused(const naik_operator *op)
{
    return op->ops->second != NULL;
}

/* The step of a conjugate gradient in two halves for running rhs, each leaving what the scalars
 * between them are made of (rhs.h): scratch = B r, sums_c += |B r|^2; then NAIK_FORM_STEP of all
 * vectors, sums [2][nrhs] += |r|^2, Re (r, A p). deferred: naik_dslash_args.deferred of both, may
 * be NULL. send: the outer layers that the next half wants of the neighbours go there while they
 * are written, where the backend can. Such steps stand between prime and drain, which send the
 * layers of r before the first and receive those that the last has sent. */
naik_status naik_normal_prime(const naik_normal *a, const naik_field *r);
naik_status naik_normal_drain(const naik_normal *a, naik_field *r);
naik_status naik_normal_first(const naik_normal *a, const naik_field *r, const naik_rhs *rhs,
                              naik_exactsum *sums, const naik_deferred_reductions *deferred,
                              bool send);
naik_status naik_normal_second(const naik_normal *a, const naik_rhs *rhs, const naik_cg_vectors *v,
                               naik_exactsum *sums, const naik_deferred_reductions *deferred,
                               bool send);
/* The second half of a classical step, after naik_normal_first of p: r_c -= alpha_c A p_c for
 * running rhs, sums_c += |r_c|^2. */
naik_status naik_normal_descend(const naik_normal *a, const naik_rhs *rhs, const naik_cg_vectors *v,
                                naik_exactsum *sums);
/* out_c = b_c - A v_c for rhs in `state`, each with its own shift; sums_c += |out_c|^2. out may be
 * b. */
naik_status naik_normal_residual(const naik_normal *a, const naik_field *b, const naik_field *v,
                                 const naik_rhs *rhs, naik_rhs_state state, naik_field *out,
                                 naik_exactsum *sums);

/* |v|^2 over all ranks, v one rhs. */
naik_status naik_solution_norm2(const naik_solution *s, const naik_field *v, double *out);

#endif
