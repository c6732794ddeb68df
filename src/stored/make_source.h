/* make_source.h - the right-hand sides that an input asks for, wherever they come from: made from
 * coordinates, read from files, smeared with links
 */
#ifndef NAIK_STORED_MAKE_SOURCE_H
#define NAIK_STORED_MAKE_SOURCE_H

#include "input/input.h"
#include "propagator/gauss_smear.h"
#include "propagator/spin_taste.h"
#include "quark/link_provider.h"
#include "stored/sequential.h"
#include "stored/source_file.h"

/* What they are made with; all borrowed. */
typedef struct source_kit {
    const naik_lattice *lattice;
    const naik_input *input;
    const source_file_sums *sums; /* of the files among them */
    naik_gauss *gauss;            /* NULL where none is smeared */
    naik_gauss *hops;             /* of funny walls; NULL where there is none */
    const sequential_set *sequential;
    naik_shifts *shifts;       /* of operators with links; NULL where there is none */
    naik_link_provider *links; /* of conserved currents; may be NULL where there is none */
    naik_propagator_file
        *own; /* with the solutions that three-point functions are made of; or NULL */
} source_kit;

/* The sites part[0] to part[1] - 1 of this rank, outside of which one column of a source is 0. */
void make_source_part(const source_kit *kit, const naik_input_source *source, int column,
                      int32_t part[2]);

/* out [sites][3][2], or [sites][4][3][2], = one column of a source of the input, zero of a
 * colour that is not asked for. part: as make_source_part gave it, only these sites are written;
 * NULL: all. Collective. As
 * naik_source_fill, source_file_read, sequential_source, naik_gauss_smear, naik_funny_wall, naik_spin_taste_apply; NAIK_ERR_MEMORY */
naik_status make_source(const source_kit *kit, const naik_input_source *source, int column,
                        const int32_t *part, double *out);

#endif
