/* left_out.h - solutions that the unfinished file has not kept, because all that is made of them was written first
 *
 * A source is contracted when its last column has come. Where nothing else is made of it the correlators are written
 * then, and after them its columns without solutions. A run that finds such columns believes them where all of their
 * source are there, and all correlators as they were written; else it solves them again.
 */
#ifndef NAIK_CONTRACT_LEFT_OUT_H
#define NAIK_CONTRACT_LEFT_OUT_H

#include "contract/contraction_list.h"

/* Whether an item is made of the solutions of a source and mass. Local. */
bool left_out_uses(const contraction_item *item, int source, int mass);
/* Whether no source is made of them, and no item but those that are `mine` [count], of which there is one. Local. */
bool left_out_may_be(const naik_input *input, const contraction_list *list, const bool *mine,
                     int source, int mass);
/* Columns of the unfinished file that are not to be believed are pending again; *count: how many. Collective.
 * NAIK_ERR_MEMORY, NAIK_ERR_IO, NAIK_ERR_MPI */
naik_status left_out_verify(naik_comm *comm, const naik_input *input, naik_propagator_file *file,
                            int *count);
/* Correlators of columns that were left out, from the file: values [count][T], and true in made [count]. Those that are
 * true already stay. Collective. NAIK_ERR_CORRUPT, NAIK_ERR_MPI */
naik_status left_out_read(naik_log *log, const naik_input *input, const contraction_list *list,
                          naik_propagator_file *file, bool *made, naik_complex *values);

#endif
