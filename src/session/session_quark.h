/* session_quark.h - the operators, low modes, multigrid and solver of one quark of a session */
#ifndef NAIK_SESSION_SESSION_QUARK_H
#define NAIK_SESSION_SESSION_QUARK_H

#include "quark/multigrid.h"
#include "run/quark_solver.h"
#include "run/workplace.h"

/* All zero is none. */
typedef struct session_quark {
    naik_quark quark;
    solve_plan plan;
    naik_operator_set set;
    naik_modes *modes;         /* NULL: none are removed */
    quark_multigrid multigrid; /* outlives the operators: what was set up serves them made anew */
    quark_solver solver;
    int width;            /* right-hand sides that the solver holds; 0: nothing is made yet */
    bool filed;           /* this session has had modes, the first of which were */
    double first_epsilon; /* of this Naik epsilon; both outlive all else */
} session_quark;

/* Makes what the only quark of the input needs for `count` sources, and keeps of what is there whatever serves
 * it too. The modes of a further Naik epsilon have the file that `naik solve` gives them. Collective.
 * What links, modes and operators return; *q is then none. */
naik_status session_quark_use(workplace *w, naik_input *input, int count, session_quark *q);
void session_quark_clear(session_quark *q);

#endif
