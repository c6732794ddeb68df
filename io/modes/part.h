/* part.h - a file of modes while it is made; private to io/modes
 *
 * Rank 0 makes PATH.part with all its datasets; vectors are written; rank 0 describes the file, it is
 * read again, and gets its name.
 */
#ifndef NAIK_IO_MODES_PART_H
#define NAIK_IO_MODES_PART_H

#include "io/modes/modes_file.h"
#include "io/output.h"

typedef struct naik_modes_part {
    const naik_geometry *geometry; /* borrowed */
    naik_modes_about about;        /* its texts are borrowed, and the numbers of a search */
    int count;
    naik_field *const *block; /* borrowed: the vectors */
    double *value, *residual; /* [count]; residual NULL: of a search */
    uint32_t (*sum)[2];       /* [count] */
    const char *path;         /* borrowed: of the .part, once it is begun */
    int64_t offset;           /* of the vectors in it */
} naik_modes_part;

/* Of modes, or of a search (modes NULL). Local; clear it whatever is returned. NAIK_ERR_MEMORY */
naik_status naik_modes_part_fill_in(const naik_geometry *geometry, const naik_modes *modes,
                                    const naik_modes_about *about, naik_modes_part *out);
void naik_modes_part_clear(naik_modes_part *part);

/* The file without its vectors. Collective. As naik_output_begin */
naik_status naik_modes_part_begin(naik_modes_part *part, const char *path, naik_output *out);
/* All vectors are written, and read again at the place where they should be. `part->sum` are those of
 * each rank's part: all are added, and two vectors are read through HDF5. Or, where `through_h5` is
 * set, they are of all ranks, and HDF5 reads every vector. Collective.
 * NAIK_ERR_IO  it did not read back; or as naik_output_publish */
naik_status naik_modes_part_finish(naik_modes_part *part, naik_output *out, bool through_h5);

#endif
