/* faces.c - the vectors one site from those of a box */
#include "propagator/faces.h"

#include <string.h>

#include "base/memory.h"
#include "comm/collective.h"

/* Sites of the largest face. */
static size_t face_sites(const naik_lattice *lat)
{
    size_t most = 0;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        const size_t sites = lat->split[mu] ? (size_t)(lat->sites / lat->local[mu]) : 0;
        most = sites > most ? sites : most;
    }
    return most;
}

size_t naik_faces_bytes(const naik_lattice *lattice, int reals)
{
    return 2 * face_sites(lattice) * (size_t)reals * sizeof(double);
}

naik_status naik_faces_init(const naik_lattice *lattice, int reals, naik_faces *faces)
{
    const size_t bytes = naik_faces_bytes(lattice, reals) / 2;
    *faces = (naik_faces){.lattice = lattice, .reals = reals};
    NAIK_PASS(naik_alloc(lattice->comm->log, bytes, "a face of vectors", (void **)&faces->send));
    return naik_alloc(lattice->comm->log, bytes, "a face of vectors", (void **)&faces->receive);
}

void naik_faces_clear(naik_faces *faces)
{
    naik_free(faces->send);
    naik_free(faces->receive);
    *faces = (naik_faces){.lattice = NULL};
}

/* The place in a face across mu of the site at local x. */
static int64_t face_place(const naik_lattice *lat, int mu, const int x[NAIK_DIM])
{
    int64_t place = 0;
    for (int nu = NAIK_DIM - 1; nu >= 0; nu--) {
        place = nu == mu ? place : place * lat->local[nu] + x[nu];
    }
    return place;
}

naik_status naik_faces_exchange(naik_faces *faces, int mu, int side, const double *v)
{
    const naik_lattice *lat = faces->lattice;
    const int layer = side == NAIK_FORWARD ? 0 : lat->local[mu] - 1;
    const size_t vector = (size_t)faces->reals * sizeof *v;
    if (!lat->split[mu]) {
        return NAIK_OK;
    }
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lat, site, x);
        if (x[mu] == layer) {
            memcpy(faces->send + faces->reals * face_place(lat, mu, x),
                   v + faces->reals * (int64_t)site, vector);
        }
    }
    return naik_comm_exchange(lat->comm, lat->neighbour_rank[mu][!side], faces->send,
                              lat->neighbour_rank[mu][side], faces->receive,
                              (size_t)(lat->sites / lat->local[mu]) * vector);
}

const double *naik_faces_beside(const naik_faces *faces, int mu, int step, const int x[NAIK_DIM],
                                const double *v)
{
    const naik_lattice *lat = faces->lattice;
    int y[NAIK_DIM];
    memcpy(y, x, sizeof y);
    y[mu] += step;
    if (lat->split[mu] && (y[mu] < 0 || y[mu] == lat->local[mu])) {
        return faces->receive + faces->reals * face_place(lat, mu, x);
    }
    y[mu] = (y[mu] + lat->local[mu]) % lat->local[mu];
    return v + faces->reals * (int64_t)naik_lattice_site(lat, y);
}

naik_status naik_faces_move(naik_faces *faces, int mu, int side, const double *v, double **moved,
                            double **next)
{
    const naik_lattice *lat = faces->lattice;
    const int step = side == NAIK_FORWARD ? 1 : -1;
    double *const to = *next;
    NAIK_PASS(naik_faces_exchange(faces, mu, side, v));
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lat, site, x);
        memcpy(to + faces->reals * (int64_t)site, naik_faces_beside(faces, mu, step, x, v),
               (size_t)faces->reals * sizeof *v);
    }
    *next = *moved;
    *moved = to;
    return NAIK_OK;
}
