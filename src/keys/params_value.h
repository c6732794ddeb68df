/* params_value.h - one value of the input: what the table wants, and its typed storage
 *
 * For params.c and its neighbours only.
 */
#ifndef NAIK_KEYS_PARAMS_VALUE_H
#define NAIK_KEYS_PARAMS_VALUE_H

#include "keys/params.h"

/* "an integer from 1 to 64", "one of naive, asqtad, hisq, links" into text. */
void naik_param_wanted(const naik_param *param, char *text, size_t text_size);

/* Types the node and stores it at `target`, of the type that the parameter's kind names.
 * `path` is its concrete key, for sentences. NAIK_ERR_INPUT, NAIK_ERR_MEMORY */
naik_status naik_param_store(naik_log *log, naik_yaml *tree, const naik_param_table *table,
                             const naik_param *param, const char *path, const naik_yaml_node *node,
                             void *target);

#endif
