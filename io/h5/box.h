/* box.h - fields over the lattice in HDF5 datasets, every rank its own box
 *
 * A field is [sites][reals], double or packed, in local lexicographic order. In the file it is a dataset
 * [T][Z][Y][X], with an index in front (source colours) or behind (directions), of an element type
 * that together hold `reals` real numbers a site, of 32 or 64 bits.
 */
#ifndef NAIK_IO_H5_BOX_H
#define NAIK_IO_H5_BOX_H

#include "io/h5/h5.h"
#include "io/site_sums.h"

typedef struct naik_h5_field {
    hid_t dataset;
    hid_t type;         /* element: naik_h5_tensor(bits, ...) */
    int bits;           /* 32 or 64; 16: integers and what else an element has, packed */
    int reals;          /* per site of the field in memory */
    int lead;           /* index in front; -1: there is none */
    int rows;           /* that index is two, the second of this extent; 0: it is one */
    int trail;          /* extent of the index behind; 0: there is none */
    int writers;        /* ranks that write; 0: all together, by collective HDF5 */
    bool packed;        /* in memory reals have `bits` too; else they are double */
    int64_t call_bytes; /* that a rank moves in one collective call; 0: as many as are quick */
} naik_h5_field;

/* The indices in front, for a selection; returns how many there are. */
static inline int naik_h5_field_select_lead(const naik_h5_field *field, hsize_t *start,
                                            hsize_t *count)
{
    int rank = 0;
    if (field->rows > 0) {
        start[rank] = (hsize_t)(field->lead / field->rows);
        count[rank++] = 1;
    }
    start[rank] = (hsize_t)(field->rows > 0 ? field->lead % field->rows : field->lead);
    count[rank++] = 1;
    return rank;
}

/* Without conversion of types inside HDF5. Threads move pieces where a rank's box can be addressed in
 * the file (io/h5/box_plain.h); else all ranks transfer together, less than 1 GiB per rank and call;
 * with field->writers that many ranks write for all (naik_h5_gather_write). sum[2] = {suma, sumb},
 * USQCD checksum of the field's bytes in the file over all ranks. Read into NULL, only the checksum
 * is formed, in little memory. What is read and not finite is told, and given a sum that is not its
 * own, so that no stored one agrees. Collective, agree.
 * NAIK_ERR_INPUT what is to be written is not finite    NAIK_ERR_IO, NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_h5_field_write(const naik_lattice *lattice, const naik_h5_field *field,
                                const void *data, uint32_t sum[2]);
naik_status naik_h5_field_read(const naik_lattice *lattice, const naik_h5_field *field, void *data,
                               uint32_t sum[2]);

/* What naik_h5_field_write calls for few writers, without collective HDF5. Planes (z, t) of the whole
 * lattice are numbered z + nz t. Each of field->writers ranks owns a range of them and writes it piece
 * by piece; the others send it theirs. sums: takes this rank's sites.
 * Collective, agrees. NAIK_ERR_IO, NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_h5_gather_write(const naik_lattice *lattice, const naik_h5_field *field,
                                 const void *data, naik_site_sums *sums);

#endif
