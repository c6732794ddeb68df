/* machine_file.h - a machine that the model does not know by name: `--machine FILE.yaml`
 *
 * The keys are in machine_file.c and doc/planning.md. What the file does not say is what naik costs
 * on H200, with kernels that reach the same share of the copy.
 */
#ifndef NAIK_PLAN_MACHINE_FILE_H
#define NAIK_PLAN_MACHINE_FILE_H

#include "keys/yaml.h"
#include "model/machine.h"
#include "naik/comm.h"

/* `word`  a name of the table of machines, or a file; one with a . or / in it is a file
 * tree    owns the texts of *out: destroy it afterwards; NULL where *out is of the table
 * Collective. NAIK_ERR_INPUT    neither; the file cannot be read, or a key is unknown, missing or out
 *                               of range: the sentence names it, its place and its range
 *             NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_machine_find(naik_comm *comm, const char *word, naik_yaml **tree,
                              model_machine *out);

#endif
