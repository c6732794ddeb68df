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
        const naik_source_type type = input->solve[i].source.type;
        if (type == NAIK_SOURCE_COVARIANT_GAUSSIAN || naik_source_is_funny(type)) {
            return true;
        }
    }
    return false;
}

bool smearing_slices(const naik_input *input, bool *slices)
{
    bool any = false;
    memset(slices, 0, (size_t)input->lattice.size[3] * sizeof *slices);
    for (int i = 0; i < input->pair_count; i++) { /* a sink is on all of them */
        const bool sink = input->pairs[i].sink == NAIK_INPUT_SINK_COVARIANT_GAUSSIAN;
        any = any || sink;
        for (int t = 0; sink && t < input->lattice.size[3]; t++) {
            slices[t] = true;
        }
    }
    for (int i = 0; i < input->source_count; i++) {
        const naik_source *source = &input->sources[i].source;
        if (source->type == NAIK_SOURCE_COVARIANT_GAUSSIAN) {
            slices[source->origin[3]] = true;
            any = true;
        }
    }
    return any;
}

bool smearing_funny_slices(const naik_input *input, bool *slices)
{
    bool any = false;
    memset(slices, 0, (size_t)input->lattice.size[3] * sizeof *slices);
    for (int i = 0; i < input->source_count; i++) {
        const naik_source *source = &input->sources[i].source;
        if (naik_source_is_funny(source->type)) {
            slices[source->origin[3]] = true;
            any = true;
        }
    }
    return any;
}

int64_t smearing_bytes(const naik_input *input, const naik_lattice *lattice)
{
    int count = 0, funny = 0;
    for (int i = 0; i < input->source_count; i++) {
        count += input->sources[i].source.type == NAIK_SOURCE_COVARIANT_GAUSSIAN;
        funny += naik_source_is_funny(input->sources[i].source.type);
    }
    for (int i = 0; i < input->pair_count; i++) {
        const bool sink = input->pairs[i].sink == NAIK_INPUT_SINK_COVARIANT_GAUSSIAN;
        count = sink ? lattice->local[3] : count;
    }
    count = count < lattice->local[3] ? count : lattice->local[3];
    funny = funny < lattice->local[3] ? funny : lattice->local[3];
    const size_t walls = funny > 0 ? 2 * naik_lattice_vector_bytes(lattice) : 0;
    return (int64_t)(naik_gauss_bytes(lattice, smearing_stride(input), count) +
                     naik_gauss_bytes(lattice, 1, funny) + walls);
}
