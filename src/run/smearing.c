/* smearing.c - what is smeared with links, and on which time slices */
#include "run/smearing.h"

#include <string.h>

int smearing_stride(const naik_input *input)
{
    return naik_input_is_wilson(input) ? 1 : 2;
}

bool smearing_of_sources(const naik_input *input)
{
    for (int i = 0; i < input->solve_count; i++) {
        if (input->solve[i].source.type == NAIK_SOURCE_COVARIANT_GAUSSIAN) {
            return true;
        }
    }
    return false;
}

bool smearing_slices(const naik_input *input, bool *slices)
{
    bool any = smearing_of_sources(input);
    if (slices != NULL) {
        memset(slices, 0, (size_t)input->lattice.size[3] * sizeof *slices);
    }
    for (int i = 0; i < input->pair_count; i++) { /* a sink is on all of them */
        const bool sink = input->pairs[i].sink == NAIK_INPUT_SINK_COVARIANT_GAUSSIAN;
        any = any || sink;
        for (int t = 0; sink && slices != NULL && t < input->lattice.size[3]; t++) {
            slices[t] = true;
        }
    }
    for (int i = 0; i < input->source_count; i++) {
        const naik_source *source = &input->sources[i].source;
        if (source->type == NAIK_SOURCE_COVARIANT_GAUSSIAN && slices != NULL) {
            slices[source->origin[3]] = true;
        }
    }
    return any;
}

int64_t smearing_bytes(const naik_input *input, const naik_lattice *lattice)
{
    int count = 0;
    for (int i = 0; i < input->source_count; i++) {
        count += input->sources[i].source.type == NAIK_SOURCE_COVARIANT_GAUSSIAN;
    }
    for (int i = 0; i < input->pair_count; i++) {
        const bool sink = input->pairs[i].sink == NAIK_INPUT_SINK_COVARIANT_GAUSSIAN;
        count = sink ? lattice->local[3] : count;
    }
    count = count < lattice->local[3] ? count : lattice->local[3];
    return (int64_t)naik_gauss_bytes(lattice, smearing_stride(input), count);
}
