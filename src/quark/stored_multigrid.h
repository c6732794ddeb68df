/* stored_multigrid.h - near-null vectors that multigrid.file keeps, for a setup of the quarks of an input
 *
 * A file serves where the setup that it is of would be made again: the same action but for the mass, and the same
 * numbers of the block `multigrid`. Whether the links are the same the operator says: it must give |Mh v|/|v| of
 * every vector once more. What is written holds for all masses, and on any grid.
 */
#ifndef NAIK_QUARK_STORED_MULTIGRID_H
#define NAIK_QUARK_STORED_MULTIGRID_H

#include "input/input.h"
#include "io/multigrid/multigrid_file.h"
#include "multigrid/setup.h"
#include "quark/link_provider.h"

/* Whether multigrid.file, the one of the quark's twist, is there and serves; *maker is then the quark for which its
 * vectors were made. Collective.
 * NAIK_ERR_INPUT    it keeps vectors of other quarks, of another lattice, or of another setup
 * NAIK_ERR_CORRUPT  damaged        NAIK_ERR_IO */
naik_status stored_multigrid_look(naik_comm *comm, const naik_input *input, const naik_quark *quark,
                                  bool *there, naik_quark *maker);
/* Before the work: as above for every quark of the input, and whether the files that are not there can be
 * written; the log says which are. Collective. And as naik_path_refuse_output, naik_output_room */
naik_status stored_multigrid_check(naik_comm *comm, const naik_input *input);

/* What a setup works with. */
typedef struct stored_multigrid {
    const naik_input *input; /* borrowed, and the next four */
    const naik_link_provider *links;
    const naik_geometry *geometry;
    const naik_wilson *inner; /* of `maker`, in single or fewer bits */
    const naik_quark *maker;
    bool kept;    /* the file has the vectors of this setup, */
    uint32_t sum; /* with this checksum of their |Mh v|/|v| */
} stored_multigrid;
/* The store of a setup for `work->maker`: what it fetches is verified, as NAIK_ERR_INPUT of other links and
 * NAIK_ERR_CORRUPT say. `work` outlives it. */
naik_multigrid_store stored_multigrid_of(stored_multigrid *work);

#endif
