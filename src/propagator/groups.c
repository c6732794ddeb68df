/* groups.c - which solves of a stream share a Krylov space, and in which order */
#include "propagator/groups.h"

static bool shares(const solve_info *solve)
{
    return solve->group >= 0 && solve->on[0] != solve->on[1];
}

static void take(solve_info *solve, int64_t index, int of, int shift, group_batch *batch)
{
    solve->taken = true;
    batch->index[batch->count] = index;
    batch->of[batch->count] = of;
    batch->shift[batch->count] = shift;
    batch->count++;
}

/* The place of a mass in the group, or -1. */
static int place_of(const naik_shift_group *group, double shift)
{
    for (int s = 0; s < group->count; s++) {
        if (group->shift[s] == shift) {
            return s;
        }
    }
    return -1;
}

/* The next group: todo[first] and what belongs to it. A solve that is listed twice is meant to be
 * done twice: the second is left for a later group. */
static void take_group(const naik_operator_ops *ops, solve_info info[], const int64_t todo[],
                       int64_t first, int64_t count, int shifts, group_batch *batch)
{
    const solve_info *leader = &info[todo[first]];
    const int number = batch->groups++;
    naik_shift_group *group = &batch->group[number];
    bool has_base = false;
    batch->member[number] = todo[first];
    batch->base[number] = leader->base;
    *group = (naik_shift_group){.count = 1,
                                .shift = {ops->shift(leader->base)},
                                .scale = {1},
                                .tolerance = {leader->tolerance}};
    for (int64_t i = first; i < count; i++) {
        solve_info *solve = &info[todo[i]];
        const double shift = ops->shift(solve->mass);
        if (solve->taken || solve->group != leader->group || !shares(solve)) {
            continue;
        }
        const int place = place_of(group, shift);
        if (place == 0 && !has_base) {
            has_base = true;
            take(solve, todo[i], number, 0, batch);
        } else if (place < 0 && group->count < shifts) {
            const int s = group->count++;
            group->shift[s] = shift;
            group->scale[s] = ops->scale(solve->mass) / ops->scale(leader->base);
            group->tolerance[s] = solve->tolerance;
            take(solve, todo[i], number, s, batch);
        }
    }
}

void group_batch_next(const naik_operator_ops *ops, solve_info info[], const int64_t todo[],
                      int64_t count, int groups, int shifts, group_batch *batch)
{
    batch->groups = 0;
    batch->count = 0;
    for (int64_t i = 0; i < count && batch->groups < groups; i++) {
        if (!info[todo[i]].taken && shares(&info[todo[i]])) {
            take_group(ops, info, todo, i, count, shifts, batch);
        }
    }
    for (int64_t i = 0; i < count && batch->groups == 0; i++) {
        if (!info[todo[i]].taken) {
            take(&info[todo[i]], todo[i], -1, 0, batch);
        }
    }
}
