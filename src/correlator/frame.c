/* frame.c - where a correlator is counted from */
#include "correlator/frame.h"

#include <string.h>

#include "lattice/source_kind.h"

static void find_place(const naik_input *input, int quarks, const int *source, bool staggered,
                       int x0[NAIK_DIM])
{
    const naik_source *of[3] = {NULL};
    const int *places[3] = {NULL};
    for (int k = 0; k < quarks; k++) {
        const naik_input_source *its = &input->sources[source[k]];
        its = quarks == 2 && its->made_of >= 0 ? &input->sources[its->made_of] : its;
        of[k] = &its->source;
        places[k] = its->x0;
    }
    naik_source_begin(of, places, quarks, staggered, x0);
}

void correlator_begin(const naik_input *input, int quarks, const int *source, int x0[NAIK_DIM])
{
    find_place(input, quarks, source, false, x0);
}

/* Whether one of them is at a site, or knows its place as `as` says. */
static bool has_a_place(const naik_input *input, int count, const int *source, naik_source_knows as)
{
    bool found = false;
    for (int k = 0; k < count; k++) {
        const naik_source_knows its = naik_source_knows_place(&input->sources[source[k]].source);
        found = found || its == NAIK_SOURCE_KNOWS_SITE || its == as;
    }
    return found;
}

static bool is_on_odd_slice(const naik_input *input, int count, const int *source)
{
    bool found = false;
    for (int k = 0; k < count; k++) {
        found = found || input->sources[source[k]].x0[NAIK_DIM - 1] % 2 != 0;
    }
    return found;
}

bool correlator_alternates(const naik_input *input, int count, const int *source)
{
    bool one_parity = true;
    for (int k = 0; k < count; k++) {
        const naik_source *of = &input->sources[source[k]].source;
        if (naik_source_is_random(of->type)) {
            return false;
        }
        one_parity = one_parity && (naik_source_is_on_one_parity(of) || naik_source_is_corner(of) ||
                                    naik_source_is_sequential(of));
    }
    return !one_parity && is_on_odd_slice(input, count, source) &&
           !has_a_place(input, count, source, NAIK_SOURCE_KNOWS_SITE);
}

void correlator_further(const naik_input *input, int count, const int *source, int out[NAIK_DIM])
{
    bool one_parity = false;
    for (int k = 0; k < count; k++) {
        one_parity = one_parity || naik_source_is_on_one_parity(&input->sources[source[k]].source);
    }
    memset(out, 0, NAIK_DIM * sizeof *out);
    out[2] = one_parity && is_on_odd_slice(input, count, source) &&
             !has_a_place(input, count, source, NAIK_SOURCE_KNOWS_CORNER);
}

void correlator_origin(const naik_input *input, int quarks, const int *source, int x0[NAIK_DIM])
{
    if (input->output.origin[0] == NAIK_INPUT_FROM_SOURCE) {
        find_place(input, quarks, source, input->kind->spin == 1, x0);
    } else {
        memcpy(x0, input->output.origin, sizeof input->output.origin);
    }
}

naik_frame correlator_frame(const naik_input *input, int quarks, const int *source,
                            const int *momentum)
{
    naik_frame frame = {.cosine = input->output.weight == NAIK_INPUT_WEIGHT_COS};
    correlator_origin(input, quarks, source, frame.origin);
    memcpy(frame.momentum, momentum, sizeof frame.momentum);
    return frame;
}
