/* input_groups.c - what groups of ranks cannot solve, whatever the ranks are */
#include "input/input_table.h"

static const naik_input_source *first_made_of_solutions(const naik_input *input)
{
    for (int i = 0; i < input->source_count; i++) {
        if (input->sources[i].made_of >= 0) {
            return &input->sources[i];
        }
    }
    return NULL;
}

int naik_input_most_groups(const naik_input *input)
{
    return first_made_of_solutions(input) != NULL ? 1 : input->source_count * input->kind->columns;
}

naik_status naik_input_check_groups(naik_log *log, const naik_input *input)
{
    const int groups = input->run.groups, columns = input->source_count * input->kind->columns;
    const naik_input_source *made = first_made_of_solutions(input);
    if (groups > 1 && made != NULL) {
        return naik_input_refuse(log, input, "run.groups",
                                 "run.groups is %d, and '%s' is made of solutions of the same "
                                 "run, which another group may have: leave run.groups out, or "
                                 "make the three-point functions in a second run",
                                 groups, made->label);
    }
    return groups <= columns
               ? NAIK_OK
               : naik_input_refuse(log, input, "run.groups",
                                   "run.groups is %d, and the input has %d columns of sources: "
                                   "some groups would have nothing to solve; use at most %d",
                                   groups, columns, columns);
}
