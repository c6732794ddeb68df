/* cost.h - what a run costs on a machine, before it is submitted
 *
 *   solve    = iterations(mass) T(machine, grid, batch) / batch      model/iteration.h
 *   wall     = start + read + links + search for low modes + sum of solves + write
 *   ask for  = 1.3 wall with the most iterations, and 5 minutes for a stop by signal
 *
 * Memory, batch and precisions are those of the plan of the run itself (plan.h), on a lattice on
 * paper. doc/planning.md has a worked example, and what is left out.
 */
#ifndef NAIK_PLAN_COST_H
#define NAIK_PLAN_COST_H

#include "input/input.h"
#include "keys/yaml.h"
#include "model/iteration.h"
#include "model/iterations.h"
#include "plan/mode_count.h"
#include "plan/pilot.h"
#include "plan/plan.h"

enum { COST_MASSES = PILOT_MASSES, COST_NODES = 32 };

typedef struct cost_mass {
    double mass, tolerance;
    const naik_quark *quark; /* of the input, one of those whose solves cost the same */
    bool deflate;
    int solves;                    /* right-hand sides of the input with it, */
    int odd;                       /* of them, those of sources on odd sites alone */
    model_iterations iterations;   /* as it is solved: */
    model_iterations plain, outer; /* without multigrid, and by it, */
    model_iterations steps;        /* with so many on the coarse lattice in each */
    bool multigrid;                /* takes it where a case has room */
} cost_mass;

typedef enum cost_verdict { COST_FITS, COST_NO_GRID, COST_NO_MEMORY } cost_verdict;

/* Of low modes, with plan.modes of them: */
typedef struct cost_modes {
    mode_cost rule;                           /* in iterations */
    double search_s, break_even;              /* of all searches; sources from which on they pay */
    double plain_s, with_s;                   /* of all deflated solves */
    model_iterations iterations[COST_MASSES]; /* with them, deflating counted as iterations; as
                                                 without where they have no part */
} cost_modes;

/* Of multigrid, where the plan has it, of each mass as if all took it. */
typedef struct cost_multigrid {
    double us_per_iteration[COST_MASSES];                 /* outer, of one right-hand side */
    double solve_s[COST_MASSES], most_s[COST_MASSES];     /* of one right-hand side */
    double make_s[COST_MASSES], most_make_s[COST_MASSES]; /* setup, or change from another mass */
    double try_s[COST_MASSES]; /* of the column that auto gives up, or solves alone */
} cost_multigrid;

/* On one number of nodes. */
typedef struct cost_case {
    int nodes, gpus;
    int groups; /* of GPUs, which share the solves */
    int best;   /* number of groups with the shortest wall time, itself where the gain is small */
    double best_s; /* that time */
    cost_verdict verdict;
    int grid[NAIK_DIM], local[NAIK_DIM]; /* of a group, as the plan and the times are */
    solve_plan plan;
    int64_t output_bytes;
    double solve_s[COST_MASSES]; /* of one right-hand side of each mass */
    double us_per_iteration[COST_MASSES];
    cost_modes modes;
    cost_multigrid multigrid;
    double links_s, io_s, solves_s, most_s; /* all solves; with the most iterations */
    double wall_s, node_hours, limit_s;     /* limit: the wall time to ask for */
} cost_case;

typedef struct cost {
    model_machine machine;
    const char *pilot; /* the file that iterations are from; NULL: the rule */
    pilot told;        /* by it; plain solves tell the iterations of the masses */
    cost_mass masses[COST_MASSES];
    int mass_count, solves, links_built;
    int groups; /* as the input has them; NAIK_INPUT_GROUPS_AUTO: of each case the best */
    const naik_quark_kind *kind;
    cost_case cases[COST_NODES];
    int case_count, smallest; /* number of nodes that holds the run; 0: none up to 1024 */
    bool any_grid;            /* some number of nodes has a process grid */
} cost;

/* pilot   a propagator file of the same action, from which iterations are taken; or NULL
 * nodes   [count] numbers of nodes; count 0: the smallest that holds it and three doublings
 * Collective. NAIK_ERR_INPUT    the pilot is of another action, or has no solve
 *             NAIK_ERR_MEMORY */
naik_status cost_of(naik_comm *comm, const naik_input *input, const model_machine *machine,
                    const char *pilot, const int *nodes, int count, cost *out);
/* For people, or as one JSON object.
 * NAIK_ERR_MEMORY   and where no number of nodes holds the run
 * NAIK_ERR_INPUT    no number of nodes has a process grid */
naik_status cost_print(naik_comm *comm, const naik_input *input, const cost *c, bool json);

/* A machine that the model does not know by name: --machine FILE.yaml. The keys are in machine_file.c and
 * doc/planning.md; what the file does not say is what naik costs on H200, with kernels that reach the same
 * share of the copy.
 *
 * `word`  a name of the table of machines, or a file (naik_machine_is_file)
 * software  what a machine of the table runs; that of a file runs naik
 * tree    owns the texts of *out: destroy it afterwards; NULL where *out is of the table
 * Collective. NAIK_ERR_INPUT    neither; the file cannot be read, or a key is unknown, missing or out
 *                               of range: the sentence names it, its place and its range
 *             NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_machine_find(naik_comm *comm, const char *word, model_software software,
                              naik_yaml **tree, model_machine *out);
/* Whether the word has a . or / in it, as no name of the table has. */
bool naik_machine_is_file(const char *word);

/* Prints what the run would cost on the machine of that name, for numbers of nodes such as "1,2,4", NULL:
 * chosen. `from` is a pilot run, in whose name {config} is the input's first configuration; or NULL. Touches no
 * file but that one. Collective. NAIK_ERR_INPUT, NAIK_ERR_MEMORY */
naik_status cost_elsewhere(naik_comm *comm, const naik_input *input, const char *name,
                           const char *counts, const char *from, bool json);

#endif
