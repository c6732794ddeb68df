/* smearing.h - what an input asks to be smeared with links (gauss_smear.h): sources, sinks of pairs */
#ifndef NAIK_CORRELATOR_SMEARING_H
#define NAIK_CORRELATOR_SMEARING_H

#include "input/input.h"
#include "propagator/gauss_smear.h"

/* Whether a source is made with links. Local. */
bool smearing_of_sources(const naik_input *input);
/* Whether anything is smeared with links; slices [T]: the time slices of which. Local. */
bool smearing_slices(const naik_input *input, bool *slices);
/* smearing_slices of funny walls (funny_wall.h), whose hops are of one link. */
bool smearing_funny_slices(const naik_input *input, bool *slices);
/* Whether a correlator has links (spin_taste.h); whether one has, or the operator on a source. Local. */
bool smearing_operators(const naik_input *input);
/* Whether a Delta of staggered quarks is asked for, whose quarks are displaced. Local. */
bool smearing_deltas(const naik_input *input);
bool smearing_shifts(const naik_input *input);
/* Whether one is a conserved current (current.h). Local. */
bool smearing_currents(const naik_input *input);
/* Bytes of naik_gauss and naik_shifts for these in the box of a lattice, at most. Local. */
int64_t smearing_bytes(const naik_input *input, const naik_lattice *lattice);

#endif
