/* input_groups.c - what groups of ranks cannot solve, whatever the ranks are */
#include "input/input_table.h"

naik_status naik_input_check_groups(naik_log *log, const naik_input *input)
{
    const int groups = input->run.groups, columns = input->source_count * input->kind->columns;
    for (int i = 0; i < input->source_count && groups > 1; i++) {
        if (input->sources[i].made_of >= 0) {
            return naik_input_refuse(log, input, "run.groups",
                                     "run.groups is %d, and '%s' is made of solutions of the same "
                                     "run, which another group may have: leave run.groups out, or "
                                     "make the three-point functions in a second run",
                                     groups, input->sources[i].label);
        }
    }
    return groups <= columns
               ? NAIK_OK
               : naik_input_refuse(log, input, "run.groups",
                                   "run.groups is %d, and the input has %d columns of sources: "
                                   "some groups would have nothing to solve; use at most %d",
                                   groups, columns, columns);
}
