/* apart.h - no file that is written is also one that is read */
#ifndef NAIK_APART_H
#define NAIK_APART_H

#include "naik/input.h"

/* Whether PATH, or the PATH.part that it is begun as, is `other`, under whatever name. `key` is
 * what the user gave `path` for, `what` says what `other` is. NULL is no file. For rank 0, local.
 * NAIK_ERR_INPUT */
naik_status apart_check(naik_log *log, const char *key, const char *path, const char *other,
                        const char *what);

/* The same for every file that is read for this input, with input_path its own; that may be NULL.
 * Collective. NAIK_ERR_INPUT */
naik_status apart_from_inputs(naik_comm *comm, const char *key, const char *path,
                              const naik_input *input, const char *input_path);

/* The same for all that a run writes. Collective. NAIK_ERR_INPUT */
naik_status apart_from_all(naik_comm *comm, const naik_input *input, const char *input_path);

#endif
