/* make_source.c - one column of a source, by its type */
#include "run/make_source.h"

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

static naik_status smeared_point(const source_kit *kit, const naik_source *source, int colour,
                                 double *out)
{
    naik_status status = NAIK_OK;
    naik_source point = *source;
    point.type = NAIK_SOURCE_POINT;
    NAIK_TRY(naik_source_fill(kit->lattice, &point, colour, out));
    NAIK_TRY(
        naik_gauss_smear(kit->gauss, source->radius, source->iterations, source->origin[3], out));
done:
    return status;
}

naik_status make_source(const source_kit *kit, const naik_input_source *source, int column,
                        double *out)
{
    naik_status status = NAIK_OK;
    const int colour = column % 3;
    if (!naik_input_asks_colour(&kit->input->solve[source->solve], colour)) {
        memset(out, 0,
               (size_t)kit->lattice->sites * (size_t)naik_input_reals(kit->input) * sizeof *out);
        return NAIK_OK;
    }
    switch (source->source.type) {
    case NAIK_SOURCE_FILE:
        NAIK_TRY(source_file_read(kit->lattice, kit->input, source->solve, colour, kit->sums, out));
        naik_source_restrict(kit->lattice, &source->source, out);
        break;
    case NAIK_SOURCE_COVARIANT_GAUSSIAN:
        NAIK_TRY(smeared_point(kit, &source->source, colour, out));
        break;
    case NAIK_SOURCE_SEQUENTIAL:
        return sequential_source(kit->sequential, kit->lattice, source, column, out);
    default: NAIK_TRY(naik_source_fill(kit->lattice, &source->source, colour, out));
    }
    if (naik_input_is_wilson(kit->input)) {
        naik_source_to_spin(kit->lattice, column / 3, out);
    }
done:
    return status;
}
