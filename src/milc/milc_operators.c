/* milc_operators.c - MILC's names and labels of operators of spin and taste, as correlators of naik */
#include <string.h>

#include "input/input.h"
#include "milc/milc_input.h"

/* Names of operators with links, which are labels with that sign in front. */
static const struct {
    const char *name, *label;
    int sign;
} names[] = {{"pioni5", "G5-G5Z", -1}, {"pionij", "G1-GZ", 1}, {"pioni", "G1-GXY", 1},
             {"pioni0", "GT-G5Z", 1},  {"pions", "G1-G5T", 1}, {"pion0", "GT-G5", -1},
             {"rhoxs", "GX-G1", 1},    {"rhoys", "GY-G1", 1},  {"rhozs", "GZ-G1", 1},
             {"rho0", "GZT-GT", -1},   {"rhoi", "GZ-GZ", 1},   {"rhois", "GZ-G1", 1},
             {"rhoi0", "GZT-GZT", 1}};

int milc_operator_of(const char *word, int *sign)
{
    *sign = 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(word, names[i].name) == 0) {
            *sign = names[i].sign;
            word = names[i].label;
        }
    }
    const naik_meson local = naik_meson_of(word);
    for (int number = NAIK_FIRST_SPIN_TASTE; local == NAIK_MESONS && number < NAIK_FIRST_CURRENT;
         number++) {
        if (strcmp(word, naik_input_correlator_name(number)) == 0) {
            return number;
        }
    }
    return local == NAIK_MESONS ? -1 : (int)local;
}

const char *milc_other_links(const milc_input *in)
{
    return in->smears_links     ? "MILC smears their links (ape_iter above 0)"
           : in->moves_boundary ? "coordinate_origin moves the boundary in t"
                                : NULL;
}
