/* batch.h - what an algorithm gives to be a solver */
#ifndef NAIK_SOLVER_BATCH_H
#define NAIK_SOLVER_BATCH_H

#include "solver/solver.h"

/* An algorithm. Its solver's struct begins with a naik_solver. */
struct naik_solver_kind {
    const char *name;
    int (*fields)(const naik_operator_ops *ops); /* of a precision, beside b */
    naik_status (*create)(const naik_operator op[NAIK_PRECISIONS], naik_precision vectors,
                          int width, naik_solver **out);
    void (*destroy)(naik_solver *solver);
    naik_status (*solve)(naik_solver *solver, naik_parity parity,
                         const naik_solver_options *options, const naik_solver_stream *stream);
};

struct naik_solver {
    const naik_solver_kind *kind;
};

#endif
