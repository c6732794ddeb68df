/* families.c - which solves of a stream share a Krylov space, and in which order */
#include "propagator/families.h"

static bool shares(const solve_info *solve)
{
    return solve->family >= 0 && solve->on[0] != solve->on[1];
}

static void take(solve_info *solve, int64_t index, int of, int shift, family_batch *batch)
{
    solve->taken = true;
    batch->index[batch->count] = index;
    batch->of[batch->count] = of;
    batch->shift[batch->count] = shift;
    batch->count++;
}

/* The place of a mass in the family, or -1. */
static int place_of(const naik_family *family, double shift)
{
    for (int s = 0; s < family->count; s++) {
        if (family->shift[s] == shift) {
            return s;
        }
    }
    return -1;
}

/* The next family: todo[first] and what belongs to it. A solve that is listed twice is meant to be
 * done twice: the second is left for a later family. */
static void take_family(solve_info info[], const int64_t todo[], int64_t first, int64_t count,
                        int shifts, family_batch *batch)
{
    const solve_info *leader = &info[todo[first]];
    const int number = batch->families++;
    naik_family *family = &batch->family[number];
    bool has_base = false;
    batch->member[number] = todo[first];
    batch->base[number] = leader->base;
    *family = (naik_family){.count = 1,
                            .shift = {4 * leader->base * leader->base},
                            .scale = {1},
                            .tolerance = {leader->tolerance}};
    for (int64_t i = first; i < count; i++) {
        solve_info *solve = &info[todo[i]];
        const double shift = 4 * solve->mass * solve->mass;
        if (solve->taken || solve->family != leader->family || !shares(solve)) {
            continue;
        }
        const int place = place_of(family, shift);
        if (place == 0 && !has_base) {
            has_base = true;
            take(solve, todo[i], number, 0, batch);
        } else if (place < 0 && family->count < shifts) {
            const int s = family->count++;
            family->shift[s] = shift;
            family->scale[s] = solve->mass / leader->base;
            family->tolerance[s] = solve->tolerance;
            take(solve, todo[i], number, s, batch);
        }
    }
}

void family_batch_next(solve_info info[], const int64_t todo[], int64_t count, int families,
                       int shifts, family_batch *batch)
{
    batch->families = 0;
    batch->count = 0;
    for (int64_t i = 0; i < count && batch->families < families; i++) {
        if (!info[todo[i]].taken && shares(&info[todo[i]])) {
            take_family(info, todo, i, count, shifts, batch);
        }
    }
    for (int64_t i = 0; i < count && batch->families == 0; i++) {
        if (!info[todo[i]].taken) {
            take(&info[todo[i]], todo[i], -1, 0, batch);
        }
    }
}
