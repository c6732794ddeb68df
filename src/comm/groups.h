/* groups.h - the ranks of a job in groups that work by themselves, and meet when one of them wants to
 *
 * A group is a communicator of neighbouring ranks. While the groups work, none waits for another. One that
 * needs all ranks, as a file does that all have open, calls the others and waits for them; those hear it
 * at their next poll and come. Rank 0 of the job is rank 0 of group 0.
 */
#ifndef NAIK_COMM_GROUPS_H
#define NAIK_COMM_GROUPS_H

#include "naik/comm.h"

typedef struct naik_groups naik_groups;

/* `count` groups of as many ranks each. The job's communicator is borrowed, and so are its watchdog and its
 * options of files, as they are now. Collective over the job.
 * NAIK_ERR_INPUT   count does not divide the ranks       NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_groups_create(naik_comm *job, int count, naik_groups **out);
void naik_groups_destroy(naik_groups **groups);

/* The communicator of this rank's group. Sentences and lines of the log still speak of the job's ranks. */
naik_comm *naik_groups_comm(const naik_groups *groups);
int naik_groups_count(const naik_groups *groups);
int naik_groups_mine(const naik_groups *groups); /* number of this rank's group */

/* The communicator of all ranks of the job; comm itself where it is no group's. */
naik_comm *naik_comm_job(naik_comm *comm);

/* Whether another group has called since the last meeting. Collective over the group, and cheap enough
 * for every poll of a solver. False where the ranks cannot talk. */
bool naik_groups_called(naik_groups *groups);
/* What a rank does while it waits for the others: true where they must be told, of what `look` has put into
 * the rank's words. Local. */
typedef struct naik_groups_look {
    bool (*look)(void *data); /* NULL: nothing */
    void *data;
} naik_groups_look;
/* All groups together, each rank with the same number of bytes of `mine`: *all [ranks of the job][size_bytes] on
 * every rank, released by free. call: the others are at work and must be told; else they are known to
 * come. Waits for them as long as they work. Collective over the job. NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_groups_meet(naik_groups *groups, bool call, const naik_groups_look *waiting,
                             const void *mine, size_t size_bytes, void **all);
/* The job's rank that is the first of group number `group`. Local. */
int naik_groups_first(const naik_groups *groups, int group);
/* Waits for all ranks of the job for as long as they work, without the watchdog's counting that as
 * standing still; then the worst of all statuses, as naik_comm_agree has it. Where this rank has
 * failed and the others of its group do not come, the job's communicator is deserted, and `mine` comes
 * back. Collective over the job, at places where no group calls. */
naik_status naik_groups_agree(naik_groups *groups, naik_status mine);

#endif
