/* groups.h - run.groups: groups of ranks that solve different sources and store them together
 *
 * Every group has a lattice, links, low modes and a solver of its own, and a share of the pending solves. The
 * output is one file that all ranks of the job have open.
 *
 * Where a job has one group, every function here is the plain thing.
 */
#ifndef NAIK_RUN_GROUPS_H
#define NAIK_RUN_GROUPS_H

#include "comm/groups.h"
#include "lattice/boxes.h"
#include "run/job.h"

struct solve_groups {
    naik_groups *groups;
    naik_comm *comm;       /* of the own group */
    naik_box *whole, *own; /* [ranks] of the job's lattice and of their groups' */
    naik_box *boxes;       /* [2][ranks] the same for the group that is served */
    int *owner;            /* [task_count] group that a task was dealt to */
    double *vector;        /* [sites][reals] on the job's boxes */
    double *mine, *values; /* correlators of the own solve, and of that which is served */
    double *history;       /* [history_stride] */
    bool stopping, over;   /* over: a failure that all know */
    char reason[64];
};

/* Where run.groups is auto, puts the number there, and says it. Collective over the job. NAIK_ERR_MEMORY,
 * NAIK_ERR_MPI, and as naik_backend_create */
naik_status solve_groups_choose(solve_job *j);
/* The groups of the input, with their communicator in *comm, which is the job's where there is one group. Collective
 * over the job. NAIK_ERR_INPUT where run.groups does not divide the ranks; NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status solve_groups_create(solve_job *j, naik_comm **comm);
/* j->whole, once j->lattice is there. Collective over the job. NAIK_ERR_INPUT where all ranks cannot share
 * the lattice; NAIK_ERR_MEMORY */
naik_status solve_groups_whole(solve_job *j);
/* Once there are both and a plan. Collective over the job. NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status solve_groups_ready(solve_job *j);
void solve_groups_destroy(solve_groups **groups);
int solve_groups_count(const solve_groups *groups);
/* Whether this rank is of the first group. */
bool solve_groups_leads(const solve_groups *groups);

/* The configuration, or the files of fat and long links, of the own group. Collective over the job. As
 * workplace_links */
naik_status solve_groups_links(solve_job *j);
/* What all groups have come to, after a part of the work in which none calls: the worst of their statuses. Collective
 * over the job. */
naik_status solve_groups_agree(solve_job *j, naik_status mine);

/* Deals the open tasks of an operator, one after the other; begins with {.source = -1}. */
typedef struct solve_dealer {
    int next, source;
    int of_column[12]; /* of the source; -1: none yet */
} solve_dealer;
/* Whether the next open task is one of this group's. Groups take turns; masses that share a Krylov space go together,
 * and a task whose attempts are counted stays where it was. Local. */
bool solve_groups_deal(solve_job *j, solve_dealer *dealer, int task);

/* Whether another group was asked to stop, and in what words. Local. */
bool solve_groups_stopping(const solve_groups *groups);
const char *solve_groups_reason(const solve_groups *groups);
/* Some group was asked to stop outside of its solves: all know it now, and why. Collective over the job. NAIK_ERR_MPI */
naik_status solve_groups_stopped(solve_job *j);

/* What became of starting values from files of other codes, of all groups together. Collective over the
 * job. NAIK_ERR_MPI */
naik_status solve_groups_guesses(solve_job *j);

/* What each group knows of the attempts at its own tasks is known to all. Collective over the job.
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status solve_groups_share_attempts(solve_job *j);

/* ---- meeting.c: what groups store together, while each solves by itself
 *
 * A group that has finished a solve calls the others (comm/groups.h); at their next polls they come, the solution
 * goes from the group's boxes to those of the job, and all ranks store it as they would store one of
 * their own. So the file does not depend on the groups, and neither do locks, journal and what a
 * killed run leaves behind. A stop and a failure travel in the same way. */

/* Before the solves of the group and after them; `status` is what became of them, and *interrupted whether
 * they were stopped. Ends when all groups are done. Collective over the job. */
void solve_meeting_begin(solve_job *j);
naik_status solve_meeting_finish(solve_job *j, naik_status status, bool *interrupted);
/* At a poll: stores what other groups have called for. Collective over the group. */
naik_status solve_meeting_poll(solve_job *j);
/* A solution is stored by all ranks, a vector of an interrupted solve kept, a repetition told, and so is what a solve
 * goes on from. Collective over the group, which meets the others. What storing and keeping return. */
naik_status solve_meeting_store(solve_job *j, const solve_finished *finished);
naik_status solve_meeting_keep(solve_job *j, int solve, const naik_solver_state *state, int vector,
                               int bits, const double *half);
naik_status solve_meeting_retry(solve_job *j, int task);
naik_status solve_meeting_restored(solve_job *j, int task, const naik_solver_state *state);

#endif
