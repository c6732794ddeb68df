/* contract.h - the correlators of several solves, from the solutions in a file */
#ifndef NAIK_CONTRACT_CONTRACT_H
#define NAIK_CONTRACT_CONTRACT_H

#include "base/timer.h"
#include "contract/contract_ahead.h"
#include "contract/low_average.h"
#include "input/input.h"
#include "io/prop/propagator_file.h"
#include "propagator/current.h"
#include "propagator/gauss_smear.h"
#include "propagator/spin_taste.h"

/* What they are made with; all borrowed. */
typedef struct contract_kit {
    const naik_lattice *lattice;
    const naik_input *input;
    naik_propagator_file *file; /* every solve is in it; the correlators are written to it */
    naik_gauss *gauss;          /* NULL where nothing is smeared */
    low_average_kit low;        /* of averages of low modes; its shifts and hops are those of all */
    const contract_ahead *ahead; /* what is made already; NULL: nothing */
    naik_device *device;         /* where mesons of staggered quarks are made; NULL: on the host */
    naik_timer *timer;
} contract_kit;

/* All of contraction_list.h, in its order; printed where the input wants correlators printed. Collective.
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI, and what reading and writing return. */
naik_status contract_all(const contract_kit *kit);
/* Bytes on a rank while they are made: a propagator for each quark, a source, what operators and currents with links need,
 * and what averages of so many low modes need. */
int64_t contraction_bytes(const naik_input *input, const naik_lattice *lattice, int modes);

#endif
