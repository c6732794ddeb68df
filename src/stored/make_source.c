/* make_source.c - one column of a source: a maker for each way that sources are made */
#include "stored/make_source.h"

#include <string.h>

#include "base/memory.h"
#include "lattice/source_kind.h"
#include "propagator/funny_wall.h"

enum { COLOURS = 3 };

typedef naik_status maker(const source_kit *kit, const naik_input_source *source, int column,
                          const int32_t part[2], double *out);

/* What has no spin as column `column` of quarks that have one. */
static void give_spin(const source_kit *kit, int column, double *out)
{
    if (kit->input->kind->spin > 1) {
        naik_source_to_spin(kit->lattice, column / COLOURS, out);
    }
}

static naik_status fill(const source_kit *kit, const naik_input_source *source, int column,
                        const int32_t part[2], double *out)
{
    return naik_source_fill_part(kit->lattice, &source->source, column % COLOURS, column / COLOURS,
                                 kit->input->kind->spin, part, out);
}

static naik_status smear_point(const source_kit *kit, const naik_input_source *from, int column,
                               const int32_t part[2], double *out)
{
    (void)part;
    const naik_source *source = &from->source;
    naik_source point = *source;
    point.type = NAIK_SOURCE_POINT;
    memset(point.momentum, 0, sizeof point.momentum);
    NAIK_PASS(naik_source_fill(kit->lattice, &point, column % COLOURS, out));
    NAIK_PASS(
        naik_gauss_smear(kit->gauss, source->radius, source->iterations, source->origin[3], out));
    if (naik_input_is_moving(source->momentum)) {
        naik_source_to_slice(kit->lattice, source, 2 * COLOURS, out);
    }
    give_spin(kit, column, out);
    return NAIK_OK;
}

static naik_status move_wall(const source_kit *kit, const naik_input_source *source, int column,
                             const int32_t part[2], double *out)
{
    (void)part;
    return naik_funny_wall(kit->lattice, &source->source, kit->hops, column % COLOURS, out);
}

static naik_status read_vector(const source_kit *kit, const naik_input_source *source, int column,
                               const int32_t part[2], double *out)
{
    (void)part;
    NAIK_PASS(source_file_read(kit->lattice, kit->input, source->solve, column, kit->sums, out));
    naik_source_restrict(kit->lattice, &source->source, kit->input->kind->reals, out);
    return NAIK_OK;
}

static naik_status insert_operator(const source_kit *kit, const naik_input_source *source,
                                   int column, const int32_t part[2], double *out)
{
    (void)part;
    return source->made_of >= 0
               ? sequential_source_own(kit->own, kit->shifts, kit->input, kit->lattice, source,
                                       column, out)
               : sequential_source(kit->sequential, kit->lattice, source, column, out);
}

static maker *const makers[] = {[NAIK_SOURCE_FROM_COORDINATES] = fill,
                                [NAIK_SOURCE_SMEARED] = smear_point,
                                [NAIK_SOURCE_MOVED] = move_wall,
                                [NAIK_SOURCE_READ] = read_vector,
                                [NAIK_SOURCE_FROM_PROPAGATOR] = insert_operator};

/* The operator of a source on it, in place. */
static naik_status operate(const source_kit *kit, const naik_input_source *source, double *v)
{
    naik_status status = NAIK_OK;
    const int number = source->source.spin_taste;
    const size_t bytes = (size_t)kit->lattice->sites * 2 * COLOURS * sizeof *v;
    double *from = NULL;
    if (naik_source_has_current(&source->source)) {
        return kit->links == NULL
                   ? NAIK_FAIL(kit->lattice->comm->log, NAIK_ERR_INPUT,
                               "a session makes no source with %s on it, which has the links of "
                               "one quark: `naik solve` does",
                               naik_input_correlator_name(number))
                   : source_current_apply(&kit->links->current, kit->lattice,
                                          naik_link_provider_hops, kit->links, kit->input, source,
                                          v);
    }
    if (!naik_source_is_shifted(&source->source)) {
        naik_meson_give_sign(kit->lattice, (naik_meson)number, source->x0, 2 * COLOURS, v);
        return NAIK_OK;
    }
    status = naik_alloc(kit->lattice->comm->log, bytes, "a source", (void **)&from);
    NAIK_TRY(naik_comm_agree(kit->lattice->comm, status));
    memcpy(from, v, bytes);
    NAIK_TRY(naik_spin_taste_apply(kit->shifts, number - (int)NAIK_FIRST_SPIN_TASTE, source->x0,
                                   from, v));
done:
    naik_free(from);
    return status;
}

static bool is_asked(const source_kit *kit, const naik_input_source *source, int column)
{
    return naik_input_asks_colour(&kit->input->solve[source->solve], column % COLOURS);
}

void make_source_part(const source_kit *kit, const naik_input_source *source, int column,
                      int32_t part[2])
{
    const naik_source_kind *kind = naik_source_kind_of(source->source.type);
    part[0] = 0;
    part[1] = is_asked(kit, source, column) ? kit->lattice->sites : 0;
    if (part[1] > 0 && kind->made == NAIK_SOURCE_FROM_COORDINATES &&
        source->source.spin_taste == 0) {
        naik_source_part(kit->lattice, &source->source, part);
    }
}

naik_status make_source(const source_kit *kit, const naik_input_source *source, int column,
                        const int32_t *part, double *out)
{
    const int32_t all[2] = {0, kit->lattice->sites}, *written = part != NULL ? part : all;
    const int64_t reals = kit->input->kind->reals;
    if (!is_asked(kit, source, column)) {
        memset(out + reals * written[0], 0,
               (size_t)(reals * (written[1] - written[0])) * sizeof *out);
        return NAIK_OK;
    }
    naik_input_source plain = *source;
    if (naik_source_has_current(&source->source)) { /* which has the momentum */
        memset(plain.source.momentum, 0, sizeof plain.source.momentum);
    }
    NAIK_PASS(
        makers[naik_source_kind_of(source->source.type)->made](kit, &plain, column, written, out));
    if (source->source.spin_taste != 0) {
        NAIK_PASS(operate(kit, source, out));
    }
    return NAIK_OK;
}
