/* cg_fixture.h - what the tests of solvers share: a lattice, precisions, a box for the answers */
#ifndef NAIK_TESTS_CG_FIXTURE_H
#define NAIK_TESTS_CG_FIXTURE_H

#include "fixture.h"
#include "operator/set.h"
#include "solver/cg.h"

enum { CG_SYSTEMS = 12, CG_STRIDE = 800, CG_STORES = 4, CG_HOPS = 6, CG_MODES = 10 };

typedef struct cg_mode {
    naik_precision vectors, links;
    naik_rung first, last; /* rungs that its solves begin and end on */
    double mass;           /* of the lightest system */
    bool hop;              /* of the operator of hop_operator.h, on the CPU */
} cg_mode;
/* The first is double throughout, the first CG_STORES differ in storage, and the last one before
 * CG_HOPS climbs from rung to rung: every stretch of it is too short. From CG_HOPS on the same with
 * another operator. */
extern const cg_mode cg_modes[CG_MODES];
naik_solver_options cg_mode_options(cg_mode mode);
/* Whether the tests go through this one: all, or the one that NAIK_TEST_MODE names by its number.
 */
bool cg_mode_runs(int mode);

typedef struct cg_box {
    const fixture *f;
    naik_parity parity;
    bool hop;              /* cg_mode */
    double *x[CG_SYSTEMS]; /* [sites][3][2]; NULL: not answered */
    naik_solver_result result[CG_SYSTEMS];
    double history[CG_SYSTEMS][CG_STRIDE];
} cg_box;

/* The lattice of most tests, chosen by the library; eight ranks need a larger one. */
bool cg_fixture(check *t, fixture *f);
/* 8^4 with the HISQ links of a rough quenched configuration, beta 5.5: small eigenvalues, as light
 * quarks meet them, which random links do not have. */
bool cg_rough_fixture(check *t, fixture *f);
/* Calls run(t, size, grid) for some grids of that lattice. */
void cg_on_grids(check *t, void (*run)(check *t, const int size[4], const int grid[4]));

/* Operators of the ladder from the mode's precision on, and a solver of `width` rhs. */
typedef struct cg_solver {
    naik_operator_set staggered;
    naik_operator hop[NAIK_PRECISIONS];
    naik_solver *cg;
} cg_solver;
naik_status cg_solver_create(const fixture *f, cg_mode mode, int width, cg_solver *out);
void cg_solver_destroy(cg_solver *solver);

/* A backend whose calls of repeat are watched: whether every rhs took a step in every iteration, by
 * what became of the records, and whether the solver said so (naik_solver_ops.repeated). Records are
 * seen where they are the host's. */
typedef struct cg_watch {
    naik_backend_ops ops; /* first: the backend's ops while it is watched */
    const naik_backend_ops *real;
    bool complete;   /* so far, since repeat began */
    int whole, part; /* loops in which all were at work, or not */
    int wrong;       /* of which the solver said otherwise */
} cg_watch;
void cg_watch_begin(naik_backend *backend, cg_watch *watch);
void cg_watch_end(naik_backend *backend);

naik_status cg_box_take(cg_box *box, int at, const naik_field *x, int irhs,
                        const naik_solver_result *result);
void cg_box_free(cg_box *box);
/* Equal solutions and residual histories, to the bit; the fixtures may be cut differently. */
void cg_box_compare(check *t, const cg_box *a, const cg_box *b, int at);
/* |b - A x| / |b| of one answer by the slow reference; b [sites][3][2]. */
double cg_box_residual(check *t, const cg_box *box, int at, double mass, const double *b);

#endif
