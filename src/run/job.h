/* job.h - what a run of `naik solve` works with, shared by the files that carry it out
 *
 * cli/solve_cmd.c makes the job and draws the conclusion, run/work.c solves and commits, run/checkpoint.c
 * keeps what is in flight when the run is stopped, run/report.c prints.
 */
#ifndef NAIK_RUN_JOB_H
#define NAIK_RUN_JOB_H

#include "base/events.h"
#include "base/timer.h"
#include "base/watchdog.h"
#include "contract/contract_ahead.h"
#include "io/prop/checkpoint.h"
#include "io/prop/propagator_file.h"
#include "modes/deflate.h"
#include "operator/set.h"
#include "plan/plan.h"
#include "plan/prediction.h"
#include "propagator/propagator.h"
#include "quark/filed_modes.h"
#include "quark/multigrid.h"
#include "run/fault.h"
#include "run/sdc_check.h"
#include "run/workplace.h"
#include "stored/guess.h"
#include "stored/sequential.h"
#include "stored/source_file.h"

typedef struct solve_groups solve_groups; /* groups.h */
typedef struct solve_waiter solve_waiter; /* store.c */

/* A finished solution on its way into the file. */
typedef struct solve_finished {
    int task;
    naik_solve_record record;
    const naik_propagator_result *result; /* its fields are not looked at */
    const double
        *correlators; /* [correlators][momenta][T][parts] of this solve; NULL: it has none */
    const double *x;  /* [sites][spin][3][2] of j->whole; NULL: the file keeps no propagators */
} solve_finished;

typedef struct solve_progress {
    double start_s, spoke_s, looked_s;    /* first solve; last line on solves; last measurement */
    double work, work_left;               /* of this run, in iterations that the model expects */
    double iterations, looked_iterations; /* of finished solves; of all at the last measurement */
    double flops_per_iteration;           /* of an rhs; 0: not known yet */
    bool iterated;                        /* the solver has come to a poll */
} solve_progress;

/* Of solver.method auto: a column by what goes before multigrid. */
typedef struct solve_trial {
    int task, limit; /* iterations after which it is given up for multigrid; 0: none is tried */
    bool gave_up;    /* that was so */
    bool joint;      /* the others are listed behind it, and may join it: */
    naik_solver_pace pace; /* theirs */
    bool told,
        over; /* it has ended, and its quark stays without multigrid; or it has not told that */
    int looked_at; /* when it was looked at last, its residual then, and polls since it was seen iterating */
    double residual;
    int away;
} solve_trial;

typedef struct solve_job {
    naik_comm *comm; /* of all ranks of the job */
    naik_log *log;
    naik_input *input;
    solve_groups *groups; /* of these ranks; NULL: they solve together */
    workplace at;         /* of the own group */
    naik_timer *timer;    /* these six are of the workplace */
    const naik_lattice *lattice;
    naik_backend *backend;
    naik_geometry *geometry;
    naik_link_provider *links;
    naik_interrupt *interrupt;
    const naik_lattice
        *whole; /* in boxes of all ranks, as the file has it; without groups j->lattice */
    naik_lattice *own_whole;        /* NULL where that is the workplace's */
    naik_link_provider whole_links; /* with groups, what smears on that lattice; else all zero */
    source_file_sums sources;
    stored_runs stored; /* the files of the next two */
    sequential_set sequential;
    contract_ahead *ahead; /* NULL: nothing is contracted while it is on a device */
    solve_waiter *waiting; /* columns that are there, and in no file yet, the last first */
    solve_guess guess;
    naik_propagator_file *file;
    bool fresh;                  /* begins its output again, --fresh */
    naik_checkpoint *checkpoint; /* written by all ranks, */
    naik_checkpoint *restored;   /* and read by a group; NULL: read by all as well */
    naik_fault *fault;           /* NULL but in tests */
    solve_plan plan;
    sdc_check guard;
    naik_operator_set set; /* at work */
    naik_modes *modes;     /* of its links; NULL: none are wanted */
    filed_modes *filed;    /* those, while they are being written; NULL: they are not */
    naik_status unfiled;   /* what became of it where it failed: solves end as if asked to stop */
    naik_log_failure unfiled_why;
    quark_multigrid multigrid; /* where the input has that method */
    bool by_multigrid;         /* solves at work begin with it */
    solve_trial trial;         /* method.h */
    int *pending;              /* tasks that it serves, [2 task_count] */
    int64_t pending_count;
    int done, total, begun; /* begun: what was done when the run began */
    solve_progress progress;
    naik_events *events; /* NULL: not kept; on rank 0 only */
    double *correlators; /* [correlators][momenta][T][parts] of one solve, with room for any, then
                            [T][2] of one of them */
    size_t correlator_reals; /* of the first */
} solve_job;

/* Every pending solve, operator after operator in the order of the input; each is committed to the
 * file before the next is looked at. *interrupted: asked to stop before all were done. Collective.
 * Whatever the links, the solver and the file return. */
naik_status solve_work(solve_job *j, bool *interrupted);

/* Whether the output has the print of a setup for the quark, of this run or an earlier one. Collective. */
naik_status solve_multigrid_noted(const solve_job *j, const naik_quark *quark, bool *noted);
/* multigrid.c: multigrid for a quark, whose operators are j->set; spare: its solves may do without. *setup_s: how
 * long that took. *interrupted: asked to stop before it was made.
 * Collective. NAIK_ERR_CORRUPT  an earlier run of the output had another one; and as quark_multigrid_ready */
naik_status solve_multigrid_ready(solve_job *j, const naik_quark *quark,
                                  const naik_set_storage *storage, bool spare, double *setup_s,
                                  bool *interrupted);

/* store.c: record and correlators of a solution x [sites][spin][3][2] of j->lattice, which may be NULL as above; borrows result
 * and x. Collective over the group. What contracting returns */
naik_status solve_finished_make(solve_job *j, int task, const double *x,
                                const naik_propagator_result *result, solve_finished *out);
/* Commits it, its x on j->whole, and counts and reports it. Collective over the job. As naik_propagator_file_commit */
naik_status solve_store(solve_job *j, const solve_finished *finished);

/* Columns that wait for the others of their source, where j->ahead is there. Whether a task waits. Local. */
bool solve_waiting_has(const solve_job *j, int task);
/* Whether the solution of solve `index` of the job `data` is wanted on the host. Local. */
bool solve_waiting_reads(void *data, int64_t index);
/* Before the listed solves: room on the device. Collective. NAIK_ERR_MEMORY, NAIK_ERR_DEVICE, NAIK_ERR_MPI */
naik_status solve_waiting_begin(solve_job *j);
/* A finished solve waits, or is stored, with those that it completes. Collective. What contracting and storing return */
naik_status solve_waiting_store(solve_job *j, const solve_finished *finished);
/* Stores what waits, each with its solution. Collective. NAIK_ERR_MEMORY, NAIK_ERR_DEVICE, and what storing returns */
naik_status solve_waiting_end(solve_job *j);
void solve_waiting_clear(solve_job *j);

/* Solve `index` of the operator at work. */
static inline const naik_input_task *solve_task(const solve_job *j, int64_t index)
{
    return &j->input->tasks[j->pending[index]];
}

/* A task's number in the file, what is known of it, and its quark. */
static inline int solve_number(const solve_job *j, const naik_input_task *task)
{
    return naik_propagator_file_solve(j->file, task->source, task->mass, task->colour);
}
static inline const naik_solve_record *solve_record(const solve_job *j, const naik_input_task *task)
{
    return naik_propagator_file_record(j->file, solve_number(j, task));
}
static inline const naik_quark *solve_quark(const solve_job *j, int task)
{
    return naik_input_task_quark(j->input, task);
}

/* Low modes that deflated a solve of the operator at work. */
static inline int solve_modes_of(const solve_job *j, const naik_propagator_result *result)
{
    return j->modes != NULL && result->cg.corrections > 0 ? j->modes->count : 0;
}

/* save and restore of propagator.h, to and from j->state. */
naik_status solve_checkpoint(void *data, int64_t index, const naik_solver_state *state, int vector,
                             const double *half);
naik_status solve_restore_checkpoint(void *data, int64_t index, naik_solver_state *state,
                                     int vector, double *half, bool *found);

/* `--dry-run`: reads and verifies every file that the input names, or only looks at it, and at the
 * place of the output, without the work. Collective. NAIK_ERR_INPUT and NAIK_ERR_CORRUPT with the
 * sentence */
naik_status solve_dry_run(solve_job *j, bool verify, bool fresh);

/* Before the first solve; after each; at every poll of the solver (poll of solver.h). */
void solve_progress_begin(solve_job *j);
/* Seconds in which no solve was at work do not count for what is left. */
void solve_progress_passed(solve_job *j, double seconds);
void solve_progress_done(solve_job *j, const naik_input_task *task,
                         const naik_propagator_result *result);
void solve_progress_poll(solve_job *j, const naik_solver_progress *now);
/* What the rest takes at the pace so far, `in_flight` of the work being behind running solves. */
enum { SOLVE_LEFT_TEXT = 32 };
double solve_progress_left_s(const solve_job *j, double in_flight);
void solve_progress_text(double left_s, char text[SOLVE_LEFT_TEXT]); /* ", 1:02:03 left" */
/* ", 0.25 iterations/s, 1.5 GFLOP/s"; nothing of a speed that is not known, which is 0. */
#define SOLVE_SPEED_TEXT 80
void solve_progress_speed_text(double per_s, double flops_per_iteration,
                               char text[SOLVE_SPEED_TEXT]);

/* What naik this is, on what. */
void solve_report_banner(const workplace *w);
/* The file and its size. */
void solve_report_output(const solve_job *j, const naik_propagator_spec *spec);
/* What went to the device and came back, where there is one. */
void solve_report_moved(const solve_job *j);
/* A line of PATH.part beside a complete PATH, which is of a run with --fresh that was stopped. Collective. */
naik_status solve_report_part(const solve_job *j);
/* What a run with --fresh, which would begin its output once more, says of going on; of others "". Collective. */
enum { SOLVE_FRESH_TEXT = NAIK_PATH_MAX + 80 };
naik_status solve_report_fresh(const solve_job *j, char text[SOLVE_FRESH_TEXT]);
/* One line a solve, and how long the rest will take once that is worth saying. */
void solve_report_solve(const solve_job *j, const naik_input_task *task,
                        const naik_propagator_result *r);
/* Iterations with guesses and what they would be without, in the log and in the unfinished file. Collective. What writing returns. */
naik_status solve_report_guesses(const solve_job *j);
/* What the finished run took, beside what the model says of it. Collective. NAIK_ERR_MEMORY,
 * NAIK_ERR_MPI */
naik_status solve_report_prediction(const solve_job *j);
/* Events: the run before its first solve, links that are ready, the end. */
void solve_report_start(const solve_job *j);
void solve_report_links(const solve_job *j, const naik_quark *quark, double seconds);
/* What multigrid did for the quark at work, in the log and in the unfinished file; setup_s: how long it took to
 * make it ready. Collective. What writing returns */
naik_status solve_report_multigrid(const solve_job *j, const naik_quark *quark, double setup_s);
/* A solution that is not stored: it is solved once more, or given up. */
void solve_report_retry(const solve_job *j, const naik_input_task *task);
void solve_report_restored(const solve_job *j, const naik_input_task *task,
                           const naik_solver_state *state);
/* Which modes these were, for those who look at the file. Collective. What writing returns */
naik_status solve_report_modes(const solve_job *j, double epsilon);
void solve_report_end(const solve_job *j, naik_status status);
/* The correlators of (source, mass), once all columns are in: a line, or all numbers where the input
 * wants them printed. Collective. NAIK_ERR_MEMORY, and what reading them returns */
naik_status solve_report_correlators(const solve_job *j, const naik_input_task *task);

#endif
