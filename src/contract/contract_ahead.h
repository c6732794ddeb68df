/* contract_ahead.h - mesons with links of one source, made while its solutions are on a device
 *
 * Columns are kept there until the last of their source has come. What is not made so, because a column was solved in an
 * earlier run or the device has no room, contract_all makes from the file, with the same bits. Where nothing else is made
 * of a source, the file need not have its solutions: the correlators are written when its last column has come, and after
 * them its columns without solutions. A run that finds such columns believes them where all of their source are there, and
 * all correlators as they were written; else it solves them again. What still waits can be brought to the host.
 */
#ifndef NAIK_CONTRACT_CONTRACT_AHEAD_H
#define NAIK_CONTRACT_CONTRACT_AHEAD_H

#include "backend/field.h"
#include "correlator/contraction_list.h"
#include "propagator/spin_taste.h"

typedef struct contract_ahead contract_ahead;

/* input, lattice and shifts are borrowed. *out is NULL where there is nothing to make: no such meson, no device, or
 * solutions that the file rounds. batch: solves at a time. Collective. NAIK_ERR_MEMORY. Release with contract_ahead_destroy. */
naik_status contract_ahead_create(naik_device *device, const naik_lattice *lattice,
                                  const naik_input *input, const naik_shifts *shifts, int batch,
                                  contract_ahead **out);
void contract_ahead_destroy(contract_ahead **ahead);
/* Takes its memory on the device, where it will be asked for those of a source. ahead may be NULL. Collective.
 * NAIK_ERR_MEMORY, NAIK_ERR_DEVICE, NAIK_ERR_MPI */
naik_status contract_ahead_ready(contract_ahead *ahead, int source, int mass);
/* Whether nothing else is made of a source, and there is room for it. ahead may be NULL. Local. */
bool contract_ahead_suffices(const contract_ahead *ahead, int source, int mass);
/* Whether a column of a source takes the place of another one, which is not complete. ahead may be NULL. Local. */
bool contract_ahead_loses(const contract_ahead *ahead, int source, int mass, int *lost_source,
                          int *lost_mass);
/* A column of a solution on even and odd sites, one rhs in double on that device; *made: it was the last, and the mesons are
 * there. ahead may be NULL. Collective. NAIK_ERR_MEMORY, NAIK_ERR_DEVICE, NAIK_ERR_MPI */
naik_status contract_ahead_take(contract_ahead *ahead, int source, int mass, int column,
                                const naik_field *const part[2], bool *made);
/* x [sites][3][2], of a column that it has taken of a source that is not complete. Local. NAIK_ERR_DEVICE */
naik_status contract_ahead_column(const contract_ahead *ahead, int source, int mass, int column,
                                  double *x);
/* The mesons that were made of a source, to the file. Collective. NAIK_ERR_IO, NAIK_ERR_ARG */
naik_status contract_ahead_write(contract_ahead *ahead, int source, int mass,
                                 naik_propagator_file *file);
/* Whether an item of the list was written so. ahead may be NULL. Local. */
bool contract_ahead_wrote(const contract_ahead *ahead, int item);
/* Gives back what it has on the device; it takes that again when it needs it. ahead may be NULL. */
void contract_ahead_rest(contract_ahead *ahead);
/* Copies what was made to values [count][T] of the list of the same input, whose places are true in made [count]. Returns
 * how many; ahead may be NULL. Local. */
int contract_ahead_values(const contract_ahead *ahead, bool *made, naik_complex *values);
/* Columns that the unfinished file has without their solutions, and that are not to be believed, are pending again; *count: how
 * many. Collective. NAIK_ERR_MEMORY, NAIK_ERR_IO, NAIK_ERR_MPI */
naik_status contract_verify_left_out(naik_comm *comm, const naik_input *input,
                                     naik_propagator_file *file, int *count);
/* Correlators of such columns, from the file: values [count][T], and true in made [count], where they are as they were written;
 * those that are true already stay. Collective. NAIK_ERR_MPI */
naik_status contract_left_out(const naik_input *input, const contraction_list *list,
                              naik_propagator_file *file, bool *made, naik_complex *values);

#endif
