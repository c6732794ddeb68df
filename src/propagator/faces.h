/* faces.h - the vectors one site from those of a box, which may be another rank's, on the host */
#ifndef NAIK_PROPAGATOR_FACES_H
#define NAIK_PROPAGATOR_FACES_H

#include "naik/lattice.h"

/* Room for one face of vectors [sites][reals] on its way. */
typedef struct naik_faces {
    const naik_lattice *lattice; /* borrowed */
    int reals;                   /* of a site */
    double *send, *receive;
} naik_faces;

/* Bytes of that room on a rank. Local. */
size_t naik_faces_bytes(const naik_lattice *lattice, int reals);
/* Local; clear it whatever comes back. NAIK_ERR_MEMORY */
naik_status naik_faces_init(const naik_lattice *lattice, int reals, naik_faces *faces);
void naik_faces_clear(naik_faces *faces);

/* Brings the layer of v that lies beyond the box on that side (NAIK_FORWARD, NAIK_BACKWARD) of direction mu, where mu is
 * split. Collective. NAIK_ERR_MPI */
naik_status naik_faces_exchange(naik_faces *faces, int mu, int side, const double *v);
/* The vector of v one site (step 1 or -1) from local x, once the layer on that side is there. Local. */
const double *naik_faces_beside(const naik_faces *faces, int mu, int step, const int x[NAIK_DIM],
                                const double *v);
/* (*moved)(x) = v one site from x on that side, by way of *next, and the two change places; v may be *moved. Collective.
 * NAIK_ERR_MPI */
naik_status naik_faces_move(naik_faces *faces, int mu, int side, const double *v, double **moved,
                            double **next);

#endif
