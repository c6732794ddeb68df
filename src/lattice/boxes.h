/* boxes.h - the box of a lattice that this rank has, as comm/boxes.h moves arrays between boxes */
#ifndef NAIK_LATTICE_BOXES_H
#define NAIK_LATTICE_BOXES_H

#include "comm/boxes.h"
#include "naik/lattice.h"

static inline naik_box naik_lattice_box(const naik_lattice *lattice)
{
    naik_box box;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        box.start[mu] = lattice->origin[mu];
        box.count[mu] = lattice->local[mu];
    }
    return box;
}

#endif
