/* plan.h - what a run will do, decided before anything is solved: precisions, batch, memory
 */
#ifndef NAIK_PLAN_PLAN_H
#define NAIK_PLAN_PLAN_H

#include "input/input.h"
#include "solver/solver.h"

static inline double solve_plan_gib(int64_t bytes)
{
    return (double)bytes / (1 << 30);
}

typedef struct solve_plan {
    naik_precision vectors, links; /* of the fastest rung; single links come with 16-bit ones */
    int recon;                     /* numbers of a long link there */
    int first_rung;                /* naik_solver_options.first_rung */
    int batch;                     /* right-hand sides together, at the most; */
    int multigrid_batch;           /* of solves by multigrid, 0: there are none */
    bool multishift;               /* masses of a source share a Krylov space */
    double shared;                 /* bytes moved so, of those of masses apart */
    int usual_batch;               /* of the rule that decides that: the backend's own */
    int modes;                     /* of each epsilon that is deflated, 0: none */
    bool modes_chosen;             /* by deflation.modes: auto; */
    bool modes_stored;             /* they are in the files: nothing is searched */
    bool modes_bound;              /* more are wanted than memory holds: modes_most */
    int modes_most;
    bool multigrid;       /* solves may take it: by solver.method multigrid, or */
    bool multigrid_auto;  /* by auto, as their first columns show; */
    bool multigrid_begun; /* the output was begun so, and its choices stay */
    char without[160];    /* else why auto does without */
    bool on_host;         /* the backend, which decides from where on it pays */
    int groups, shifts;   /* sources at a time, and masses of each, 0: no source has several */
    int history_stride;
    /* on this rank, estimated */
    int64_t gauge_bytes; /* while links are built; kept: fat and long links, after that */
    int64_t kept_bytes, packed_bytes, field_bytes, halo_bytes, vector_bytes, mode_bytes,
        multigrid_bytes;
    int64_t contraction_bytes; /* on the host, when the solves are done */
    int64_t total_bytes;       /* at the most at one time */
    int64_t available_bytes;   /* for a rank, physical */
    char choices[128]; /* "vectors=single links=single recon=18 multishift=off first=mass": what
                        * alters bits; where modes were chosen also " modes=480", " modes=480 stored",
                        * and of solver.method auto " multigrid=on" */
} solve_plan;

/* The rule of solver.inner_precision: vectors, links, recon and first rung of the plan. 16 bits are
 * kept for links: vectors stay single, so that the iteration converges like single and moves nearly
 * as little. `auto` takes the fastest rung of the ladder that any mass begins on: on a GPU links of
 * 16 bits, the long ones (1/24 of the others) of 10 where no mass is too light for it and they are
 * naik's own (long links from a file may have any size). It depends on the masses and the kind of
 * device, not on the volume, with which rounding hardly grows.
 *
 * lightest   smallest solve_plan_mass_on_half of the masses */
void solve_plan_choose(solve_plan *plan, naik_input_precision wanted, double lightest,
                       bool own_links, bool on_host);
/* The mass, if `auto` begins its solve with 16-bit links; else infinity. */
double solve_plan_mass_on_half(double mass);
/* Decides from input, lattice and backend.
 *   tasks   right-hand sides of the run
 *   stored  modes in the files of the input's epsilons (low_modes_stored), 0: not all are there
 * NAIK_ERR_MEMORY   the memory of this machine does not hold it, whatever the batch */
naik_status solve_plan_make(const naik_input *input, const naik_geometry *geometry, int tasks,
                            int stored, solve_plan *out);
/* Takes the choices of the run that began a file, and says where they are not those of the plan.
 * by_multigrid: it has solutions of that kind already; undecided: it may still get some.
 * NAIK_ERR_INPUT    this program does not know them
 * NAIK_ERR_MEMORY   as above, for them */
naik_status solve_plan_restore(solve_plan *plan, const naik_input *input,
                               const naik_geometry *geometry, const char *choices,
                               bool by_multigrid, bool undecided);
/* Sets the bytes of the plan on this rank, for a batch of this width and for the plan's own of
 * multigrid: of each phase of the run, and the most of any. Local. */
void solve_plan_measure(solve_plan *plan, const naik_input *input, const naik_geometry *geometry,
                        int width);
/* The rule of solver.multishift: the bytes of all solves that could share, apart and together. Sets
 * shifts, groups, shared and multishift of the plan, of which precisions, batches and modes are
 * decided. */
void solve_plan_choose_sharing(solve_plan *plan, const naik_input *input);
/* What each mass costs apart and shared, by the bytes of the rule, the lightest alone being 1. */
void solve_plan_print_sharing(const solve_plan *plan, const naik_input *input, naik_log *log);
/* What solves the systems of the input's quarks; with auto those that multigrid does not. */
const naik_solver_kind *solve_plan_solver(const naik_input *input);
/* "cg" or "bicgstab": what auto tries before multigrid. */
const char *solve_plan_plain_name(const naik_input *input);
/* Iterations of a column from which on multigrid pays for so many columns, on a backend in the host's memory or on a
 * device; made: the setup is there. */
int solve_plan_multigrid_from(bool host, int columns, bool made);
/* On which rung the solves of a mass begin. */
naik_rung solve_plan_rung(const solve_plan *plan, double mass);
/* Whether the plan has low modes for the links of a quark. */
bool solve_plan_pays(const solve_plan *plan, const naik_input *input, const naik_quark *quark);
/* Whether solves of this mass of an entry have low modes removed. */
bool solve_plan_deflates(const solve_plan *plan, const naik_input *input, int solve, int mass);
naik_status solve_plan_print_lattice(const naik_geometry *geometry);
/* What low modes are expected to bring, and why so many were chosen. */
void solve_plan_print_modes(const solve_plan *plan, const naik_input *input, naik_log *log);
void solve_plan_print(const solve_plan *plan, const naik_input *input, naik_log *log);

#endif
