/* plan_sharing.c - whether the masses of a source share a Krylov space
 */
#include <math.h>

#include "base/text.h"
#include "plan/multishift_cost.h"
#include "plan/plan.h"

/* The shared space must promise this much less before it is taken. */
static const double MARGIN = 0.9;

enum { TOLD_MASSES = 16 };

/* The masses of an entry with the operator of its mass number `first`, where that is the first of
 * them; returns how many. */
static int same_operator(const naik_input *input, int entry, int first, double mass[])
{
    int count = 0;
    for (int m = 0; m < input->solve[entry].masses.count; m++) {
        const naik_quark *quark = naik_input_quark(input, entry, m);
        if (naik_quark_shares_operator(quark, naik_input_quark(input, entry, first))) {
            if (m < first) {
                return 0;
            }
            mass[count++] = quark->mass;
        }
    }
    return count;
}

enum { MOST_MASSES = 100 }; /* of a solve (input_table.c) */

/* The masses of an entry that could share with its mass number `first`: none where that is not the
 * first of them, or where each has a guess of its own. The batch of the rule is the backend's usual
 * one: the input's own, and what memory leaves of it, must not change a bit. */
static multishift_case sharing_case(const solve_plan *plan, const naik_input *input, int entry,
                                    int first, double mass[MOST_MASSES])
{
    const naik_input_solve *solve = &input->solve[entry];
    return (multishift_case){
        .vectors = plan->vectors,
        .links = plan->links,
        .recon = plan->recon,
        .points = input->kind->points,
        .batch = plan->usual_batch,
        .sources = input->kind->columns * solve->origins.count,
        .masses = solve->guess == NULL ? same_operator(input, entry, first, mass) : 0,
        .mass = mass,
        .tolerance = solve->tolerance};
}

void solve_plan_choose_sharing(solve_plan *plan, const naik_input *input)
{
    double mass[MOST_MASSES], apart = 0, shared = 0;
    int sources = 0;
    for (int i = 0; i < input->solve_count; i++) {
        for (int first = 0; first < input->solve[i].masses.count; first++) {
            const multishift_case c = sharing_case(plan, input, i, first, mass);
            const int groups = multishift_groups(&c);
            if (groups > 0) {
                apart += c.sources * multishift_separate_bytes(&c);
                shared += c.sources * multishift_shared_bytes(&c);
                plan->shifts = c.masses > plan->shifts ? c.masses : plan->shifts;
                sources = c.sources > sources ? c.sources : sources;
            }
        }
    }
    plan->shifts = plan->shifts < NAIK_MAX_SHIFTS ? plan->shifts : NAIK_MAX_SHIFTS;
    const multishift_case widest = {
        .batch = plan->batch, .sources = sources, .masses = plan->shifts};
    plan->groups = multishift_groups(&widest);
    plan->shared = apart > 0 ? shared / apart : 1;
    plan->multishift = plan->groups > 0 && (input->solver.multishift == NAIK_INPUT_ON ||
                                            (input->solver.multishift == NAIK_INPUT_CHOOSE &&
                                             plan->modes == 0 && shared < MARGIN * apart));
}

void solve_plan_print_sharing(const solve_plan *plan, const naik_input *input, naik_log *log)
{
    double mass[MOST_MASSES];
    char text[TOLD_MASSES * 64];
    for (int i = 0; i < input->solve_count; i++) {
        for (int first = 0; first < input->solve[i].masses.count; first++) {
            const multishift_case c = sharing_case(plan, input, i, first, mass);
            double unit = 0;
            text[0] = '\0';
            if (multishift_groups(&c) == 0) {
                continue;
            }
            for (int m = 0; m < c.masses; m++) {
                unit = fmax(unit, multishift_separate_bytes_of(&c, m));
            }
            for (int m = 0; m < c.masses && m < TOLD_MASSES; m++) {
                naik_text_append(text, sizeof text, "%s%g: %.2f and %.2f", m > 0 ? ", " : "",
                                 mass[m], multishift_separate_bytes_of(&c, m) / unit,
                                 multishift_shared_bytes_of(&c, m) / unit);
            }
            naik_log_line(
                log,
                "solver: naik solves the masses of %s %s. They cost as much as %.2f solves of the "
                "lightest mass separately, and %.2f from one Krylov space (mass %s%s)",
                input->solve[i].name, plan->multishift ? "from one Krylov space" : "separately",
                multishift_separate_bytes(&c) / unit, multishift_shared_bytes(&c) / unit, text,
                c.masses > TOLD_MASSES ? ", ..." : "");
        }
    }
}
