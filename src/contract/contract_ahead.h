/* contract_ahead.h - mesons with links of one source, made while its solutions are on a device
 *
 * Columns are kept there until the last of their source has come. Nothing depends on it: what is not made so, because a
 * column was solved in an earlier run or the device has no room, contract_all makes from the file, with the same bits.
 */
#ifndef NAIK_CONTRACT_CONTRACT_AHEAD_H
#define NAIK_CONTRACT_CONTRACT_AHEAD_H

#include "backend/field.h"
#include "contract/contraction_list.h"
#include "propagator/spin_taste.h"

typedef struct contract_ahead contract_ahead;

/* input, lattice and shifts are borrowed. *out is NULL where there is nothing to make: no such meson, no device, or
 * solutions that the file rounds. batch: solves at a time. Collective. NAIK_ERR_MEMORY. Release with contract_ahead_destroy. */
naik_status contract_ahead_create(naik_device *device, const naik_lattice *lattice,
                                  const naik_input *input, const naik_shifts *shifts, int batch,
                                  contract_ahead **out);
void contract_ahead_destroy(contract_ahead **ahead);
/* A column of a solution on even and odd sites, one rhs in double on that device; its last makes the mesons. ahead may be
 * NULL. Collective. NAIK_ERR_MEMORY, NAIK_ERR_DEVICE, NAIK_ERR_MPI */
naik_status contract_ahead_take(contract_ahead *ahead, int source, int mass, int column,
                                const naik_field *const part[2]);
/* Gives back what it has on the device; it takes that again when it needs it. ahead may be NULL. */
void contract_ahead_rest(contract_ahead *ahead);
/* Copies what was made to values [count][T] of the list of the same input, whose places are true in made [count]. Returns
 * how many; ahead may be NULL. Local. */
int contract_ahead_values(const contract_ahead *ahead, bool *made, naik_complex *values);

#endif
