/* modes_beside.h - a file of modes that is not there, and the one beside it that was meant */
#ifndef NAIK_QUARK_MODES_BESIDE_H
#define NAIK_QUARK_MODES_BESIDE_H

#include "io/modes/modes_file.h"

/* Where `path` is not there: refuses it if the file in its folder with the name nearest to it holds
 * `wanted` modes of these very links (about, with their sums), because a search would find them again.
 * Files of other links, as those of other configurations, are nobody's mistake. Collective.
 * NAIK_ERR_INPUT  with both names */
naik_status modes_beside_refuse(const naik_geometry *geometry, const char *path, int wanted,
                                const naik_modes_about *about);

#endif
