/* smearing.c - what is smeared with links, and on which time slices */
#include "correlator/smearing.h"

#include <string.h>

#include "lattice/source_kind.h"
#include "propagator/baryon.h"

/* Of three-point functions: a meson at the sink with links. */
static bool any_displaced_sink(const naik_input *input)
{
    bool any = false;
    for (int i = 0; i < input->three_point_count; i++) {
        any = any || naik_correlator_is_spin_taste(input->three_points[i].sink);
    }
    return any;
}

bool smearing_of_sources(const naik_input *input)
{
    for (int i = 0; i < input->solve_count; i++) {
        if (naik_source_needs_links(&input->solve[i].source)) {
            return true;
        }
    }
    return any_displaced_sink(input);
}

/* Adds the time slices of sources that are made so. */
static bool add_sources(const naik_input *input, naik_source_made made, bool *slices)
{
    bool any = false;
    for (int i = 0; i < input->source_count; i++) {
        const naik_source *source = &input->sources[i].source;
        if (naik_source_kind_of(source->type)->made == made) {
            slices[source->origin[3]] = true;
            any = true;
        }
    }
    return any;
}

/* A sink is on all of them. */
static bool any_sink(const naik_input *input)
{
    bool any = false;
    for (int i = 0; i < input->pair_count; i++) {
        any = any || input->pairs[i].sink == NAIK_INPUT_SINK_COVARIANT_GAUSSIAN;
    }
    return any;
}

bool smearing_slices(const naik_input *input, bool *slices)
{
    const bool sink = any_sink(input);
    memset(slices, sink, (size_t)input->lattice.size[3] * sizeof *slices);
    return add_sources(input, NAIK_SOURCE_SMEARED, slices) || sink;
}

bool smearing_funny_slices(const naik_input *input, bool *slices)
{
    memset(slices, 0, (size_t)input->lattice.size[3] * sizeof *slices);
    return add_sources(input, NAIK_SOURCE_MOVED, slices);
}

static bool any_channel(const naik_input *input, bool (*which)(int correlator))
{
    bool any = false;
    for (int i = 0; i < input->three_point_count; i++) {
        for (int k = 0; k < input->three_points[i].insertion.count; k++) {
            any = any || which(input->three_points[i].insertion.data[k]);
        }
    }
    for (int k = 0; k < input->output.loops.count; k++) {
        any = any || which(input->output.loops.data[k]);
    }
    const naik_ints *pairs = &input->output.channels;
    for (int c = 0; c < pairs->count && input->pair_count > 0; c++) {
        any = any || which(NAIK_MESONS + pairs->data[c]);
    }
    for (int i = 0; i < input->solve_count; i++) {
        for (int c = 0; c < input->solve[i].channels.count; c++) {
            any = any || which(NAIK_MESONS + input->solve[i].channels.data[c]);
        }
    }
    return any;
}

bool smearing_operators(const naik_input *input)
{
    return any_channel(input, naik_correlator_is_spin_taste);
}

bool smearing_deltas(const naik_input *input)
{
    const naik_ints *asked = &input->output.baryons;
    bool any = false;
    for (int i = 0; i <= input->baryon_count && input->kind->spin == 1; i++) {
        asked = i > 0 ? &input->baryons[i - 1].operators : asked;
        for (int k = 0; k < asked->count; k++) {
            any = any || naik_baryon_is_displaced(asked->data[k]);
        }
    }
    return any;
}

bool smearing_shifts(const naik_input *input)
{
    bool any = smearing_operators(input) || any_displaced_sink(input) || smearing_deltas(input);
    for (int i = 0; i < input->solve_count; i++) {
        any = any || naik_source_is_shifted(&input->solve[i].source);
    }
    return any;
}

bool smearing_currents(const naik_input *input)
{
    return any_channel(input, naik_correlator_is_current);
}

int64_t smearing_bytes(const naik_input *input, const naik_lattice *lattice)
{
    int count = 0, funny = 0;
    for (int i = 0; i < input->source_count; i++) {
        const naik_source_made made = naik_source_kind_of(input->sources[i].source.type)->made;
        count += made == NAIK_SOURCE_SMEARED;
        funny += made == NAIK_SOURCE_MOVED;
    }
    count = any_sink(input) ? lattice->local[3] : count;
    count = count < lattice->local[3] ? count : lattice->local[3];
    funny = funny < lattice->local[3] ? funny : lattice->local[3];
    const size_t walls = funny > 0 ? 2 * naik_lattice_vector_bytes(lattice) : 0;
    return (int64_t)(naik_gauss_bytes(lattice, input->kind->stride, count) +
                     naik_gauss_bytes(lattice, 1, funny) + walls +
                     (smearing_shifts(input) ? naik_shifts_bytes(lattice) : 0));
}
