/* mode_count.h - how many low modes a campaign is worth, and from how many sources on they pay
 *
 * The rule behind `deflation.modes: auto` and what is told of modes before a run, in iterations of
 * conjugate gradient by model/deflation.h: from the input alone, so that the same input is solved
 * the same way everywhere. What memory holds is the plan's (plan.h).
 */
#ifndef NAIK_PLAN_MODE_COUNT_H
#define NAIK_PLAN_MODE_COUNT_H

#include "input/input.h"

typedef struct mode_cost {
    double density, lambda; /* model_mode_density; of the last mode */
    int sets;               /* searches: Naik epsilons whose solves are deflated */
    int sources, solves;    /* deflated */
    double plain, with;     /* iterations of these without modes, and with */
    double search;          /* of all searches */
} mode_cost;

enum { MODE_COUNT_MOST = 2000 }; /* `auto` takes */

/* Whether a source with its operator is on odd sites alone, where low modes are not. */
bool mode_count_is_odd(const naik_source *source);
/* Of so many modes for the deflated solves of every epsilon, or of those alone which they pay for. */
mode_cost mode_cost_of(const naik_input *input, int modes, bool where_they_pay);
/* Sources of the input's kind from which on modes pay; infinity: they never do. */
double mode_cost_break_even(const mode_cost *cost);
/* Whether finding so many modes pays for the deflated solves with the links of this quark. */
bool mode_count_pays(const naik_input *input, int modes, const naik_quark *quark);
/* The number with the least cost of all solves, up to `most`; 0: solving without costs less, or so little more that it is
 * not worth it. Averages of low modes need some, whatever they save: from lambda_n = 3 m on, m the least of their masses. */
int mode_count_choose(const naik_input *input, int most);
/* Whether there are such averages. */
bool mode_count_averages(const naik_input *input);

#endif
