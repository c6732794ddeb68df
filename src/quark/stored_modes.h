/* stored_modes.h - modes of a file, each block verified by the operator when it is read
 *
 * In memory are the modes as they are wanted, one block in single precision and what measures it.
 */
#ifndef NAIK_QUARK_STORED_MODES_H
#define NAIK_QUARK_STORED_MODES_H

#include "io/modes/modes_file.h"

/* The first `count` modes of PATH in `precision`, with the file's eigenvalues and residuals. Both are
 * measured again from the vectors of the file, before they are rounded; those of a file in bricks stay as they are.
 *
 *   links   in double
 *   about   what the file says of itself
 *
 * Collective. NAIK_ERR_CORRUPT  the file is damaged
 * NAIK_ERR_INPUT    it holds modes of other links, or not the lowest      NAIK_ERR_MEMORY, ... */
naik_status stored_modes_read(const naik_links *links, const char *path,
                              const naik_modes_about *about, int count, naik_precision precision,
                              naik_modes **out);

#endif
