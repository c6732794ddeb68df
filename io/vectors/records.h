/* records.h - where vectors lie in a file; private to io/vectors */
#ifndef NAIK_IO_VECTORS_RECORDS_H
#define NAIK_IO_VECTORS_RECORDS_H

#include "io/lime/volumes.h"
#include "io/sites.h"
#include "io/vectors/vector_io.h"

/* Which sites of the lattice an array holds, and in which order. */
typedef enum naik_vector_sites {
    NAIK_VECTOR_BOX,     /* those of a box, x fastest: all, or a part */
    NAIK_VECTOR_CHECKER, /* those of one parity, x/2 fastest */
    NAIK_VECTOR_PACKED /* of MILC: even ones with t < T/2 where they are, those with t >= T/2 at x - 1, t - T/2 */
} naik_vector_sites;

struct naik_vector_record {
    int64_t offset;    /* of the array in the file; of a volume: number of the array */
    int file;          /* in which file of a list it is; 0: `path` of naik_vector_file */
    int element_bytes; /* of a site, which may hold several vectors */
    /* In complex numbers: where in the element the vector begins, and from one of its colours and spins
     * to the next. */
    int first, colour_step, spin_step;
    int bits; /* of a real */
    bool big_endian;
    int lower[NAIK_DIM], upper[NAIK_DIM]; /* the sites stored, inclusive; of NAIK_VECTOR_BOX only */
    naik_vector_sites sites;
    int row;          /* sites a row, by which checksums number the sites of NAIK_VECTOR_CHECKER */
    double value;     /* the eigenvalue that the file gives it; NaN where it gives none */
    bool tells;       /* its XML tells spin and colour of the source, */
    int spin, colour; /* which are these */
    bool has_sum;
    uint32_t sum[2]; /* suma, sumb */
};

/* Room for `count` solutions and as many sources. Local. */
naik_status naik_vectors_allocate(naik_log *log, int count, naik_vector_file *file);

/* Whether there are vectors in it, as such or as columns of a propagator. */
bool naik_field_holds_vectors(const naik_scidac_field *field);

/* Fills `file`, which has its path only, from a LIME file, or an HDF5 file of QDP++. Collective.
 * NAIK_ERR_INPUT, NAIK_ERR_CORRUPT, NAIK_ERR_MEMORY */
naik_status naik_vectors_open_lime(naik_comm *comm, naik_vector_file *file);
naik_status naik_vectors_open_qdp(naik_comm *comm, naik_vector_file *file);

/* Of QDP++: whether there is such a propagator in the file, local; and one of its columns, out
 * [sites][4][3][2], collective. NAIK_ERR_INPUT, NAIK_ERR_CORRUPT, NAIK_ERR_IO, NAIK_ERR_MEMORY */
bool naik_qdp_propagator_is_in(naik_log *log, const char *path);
naik_status naik_qdp_column_read(const naik_vector_file *file, const naik_lattice *lattice,
                                 int column, double *out);

#endif
