/* make_source.c - one column of a source, by its type */
#include "run/make_source.h"

#include <string.h>

#include "links/funny_wall.h"

static naik_status smeared_point(const source_kit *kit, const naik_source *source, int colour,
                                 double *out)
{
    naik_status status = NAIK_OK;
    naik_source point = *source;
    point.type = NAIK_SOURCE_POINT;
    memset(point.momentum, 0, sizeof point.momentum);
    NAIK_TRY(naik_source_fill(kit->lattice, &point, colour, out));
    NAIK_TRY(
        naik_gauss_smear(kit->gauss, source->radius, source->iterations, source->origin[3], out));
    if (source->momentum[0] != 0 || source->momentum[1] != 0 || source->momentum[2] != 0) {
        naik_source_to_slice(kit->lattice, source, 6, out);
    }
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
        NAIK_TRY(source_file_read(kit->lattice, kit->input, source->solve, column, kit->sums, out));
        naik_source_restrict(kit->lattice, &source->source, naik_input_reals(kit->input), out);
        return NAIK_OK;
    case NAIK_SOURCE_COVARIANT_GAUSSIAN:
        NAIK_TRY(smeared_point(kit, &source->source, colour, out));
        break;
    case NAIK_SOURCE_FUNNYWALL1:
    case NAIK_SOURCE_FUNNYWALL2:
        return naik_funny_wall(kit->lattice, &source->source, kit->hops, colour, out);
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
