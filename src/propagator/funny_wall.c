/* funny_wall.c - MILC's funny walls: signs on a wall, and on a wall moved by one site in x and in y */
#include "propagator/funny_wall.h"

#include "base/memory.h"
#include "lattice/source_kind.h"

/* v = S_second S_first E */
static naik_status moved_wall(const naik_lattice *lattice, const naik_source *wall,
                              naik_gauss *hops, int colour, int first, int second, double *v)
{
    NAIK_PASS(naik_source_fill(lattice, wall, colour, v));
    NAIK_PASS(naik_gauss_shift(hops, first, wall->origin[3], v));
    return naik_gauss_shift(hops, second, wall->origin[3], v);
}

/* The three signs at a site: of the first and the second local meson, and of B. */
static void signs_at(naik_source_type type, const int x[NAIK_DIM], double sign[3])
{
    const bool first = type == NAIK_SOURCE_FUNNYWALL1;
    const int powers[3] = {first ? 0 : x[0] + x[1] + x[2] + x[3], first ? x[2] : x[0] + x[1],
                           first ? x[0] + x[2] + x[3] : x[1] + x[3]};
    for (int i = 0; i < 3; i++) {
        sign[i] = powers[i] % 2 == 0 ? 1 : -1;
    }
}

/* out = E on the way in, the funny wall on the way out; xy, yx: S_x S_y E, S_y S_x E. */
static void add_up(const naik_lattice *lattice, naik_source_type type, const double *xy,
                   const double *yx, double *out)
{
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lattice->sites; site++) {
        int x[NAIK_DIM];
        double sign[3];
        naik_lattice_global_coords(lattice, site, x);
        signs_at(type, x, sign);
        for (int64_t i = 6 * (int64_t)site; i < 6 * (int64_t)site + 6; i++) {
            const double two_links = (xy[i] + yx[i]) / 2;
            out[i] = sign[0] * out[i] + sign[1] * out[i] + sign[2] * two_links;
        }
    }
}

naik_status naik_funny_wall(const naik_lattice *lattice, const naik_source *source,
                            naik_gauss *hops, int colour, double *out)
{
    naik_status status = NAIK_OK;
    const naik_source wall = {.type = NAIK_SOURCE_EVENANDODD_WALL,
                              .origin = {0, 0, 0, source->origin[3]}};
    const size_t bytes = naik_lattice_vector_bytes(lattice);
    naik_log *log = lattice->comm->log;
    double *xy = NULL, *yx = NULL;
    if (naik_source_kind_of(source->type)->made != NAIK_SOURCE_MOVED) {
        return NAIK_FAIL(log, NAIK_ERR_ARG, "source type %s is no funny wall",
                         naik_source_name(source->type));
    }
    status = naik_alloc(log, bytes, "a wall", (void **)&xy);
    status = status == NAIK_OK ? naik_alloc(log, bytes, "a wall", (void **)&yx) : status;
    NAIK_TRY(naik_comm_agree(lattice->comm, status));
    NAIK_TRY(moved_wall(lattice, &wall, hops, colour, 1, 0, xy));
    NAIK_TRY(moved_wall(lattice, &wall, hops, colour, 0, 1, yx));
    NAIK_TRY(naik_source_fill(lattice, &wall, colour, out));
    add_up(lattice, source->type, xy, yx, out);
done:
    naik_free(xy);
    naik_free(yx);
    return status;
}
