/* vector_io.h - colour vectors, spinors and propagators that other codes have stored
 *
 * naik's own files are in propagator_file.h. Recognised by content:
 *
 *   scidac-vector  SciDAC LIME of QIO, Grid or tmLQCD, one record of a colour vector, or of a spinor
 *                  (DiracFermion), each, or several of them a site in one record; eigenvectors are such:
 *                  of MILC (also packed even sites), of QUDA (all in one record, also of one parity), and
 *                  of Hadrons (one parity, of which the file says nothing). Parts PATH.vol0000, ... that
 *                  QIO made are one file, by the name of the first; so are v0.bin, v1.bin, ... of Hadrons.
 *   scidac-propagator  one record of a LatticePropagator: a matrix a site, whose columns are the vectors
 *   usqcd-pairs    SciDAC LIME, pairs of a source (often one time slice only) and its solution
 *   qdp++-hdf5     the same in HDF5 of QDP++, with spin, no checksum
 *   fnal-ks        FNAL staggered propagator, three vectors side by side, no checksum
 *
 * Written by `naik export`: usqcd-pairs, scidac-propagator as Grid writes it, and propagators with spin in
 * QDP++'s HDF5.
 *
 * Vectors are numbered from 0 in the order of the file; of a propagator, by source colour, or by
 * column 3 spin + colour, also where the records of USQCD vectors tell these in another order.
 */
#ifndef NAIK_IO_VECTORS_VECTOR_IO_H
#define NAIK_IO_VECTORS_VECTOR_IO_H

#include "naik/lattice.h"

typedef struct naik_vector_record naik_vector_record; /* where a vector lies; private */

typedef struct naik_vector_file {
    char format[24];
    char *path;
    int size[NAIK_DIM]; /* x, y, z, t as the file says */
    int precision;      /* bits of a real of the first vector, 32 or 64 */
    int spin;           /* 1 of colour vectors, 4 of spinors: all are alike */
    int count;          /* vectors, or solutions of pairs */
    bool has_sources;   /* every solution has its source */
    int other_sources; /* sources beside solutions that are not one vector for each: complex fields */
    bool whole;        /* the vectors are columns of a matrix in one record */
    bool hdf5;         /* it is of QDP++, without records */
    bool halved;       /* the vectors are on the sites of one parity */
    bool packed;       /* as MILC packs even sites */
    int parity; /* that the file says its vectors are on: NAIK_EVEN, NAIK_ODD; -1: not said */
    char
        basis[16]; /* of the spins; "" of colour vectors and in the basis of naik (DeGrand-Rossi) */
    int flavours;  /* that a solution has, one vector each: 2 of tmLQCD's doublets, else 1 */
    char datatype[64];                     /* as the first record names it; "" where it does not */
    bool has_checksums;                    /* every vector has one; else none has */
    char *text;                            /* begin of the file's own XML, "" where it has none */
    naik_vector_record *solution, *source; /* [count] each; source NULL without sources */
    struct naik_volumes *volumes; /* of an array in several files; private; NULL: each is in one */
    char **others;                /* [other_count] files of a list behind the first: private */
    int other_count;
} naik_vector_file;

typedef enum naik_vector_part { NAIK_VECTOR_SOLUTION, NAIK_VECTOR_SOURCE } naik_vector_part;

/* Whether there is such a vector in the file, which is looked for only in LIME and FNAL files.
 * Local. NAIK_ERR_CORRUPT where the file's records contradict themselves; NAIK_ERR_MEMORY */
naik_status naik_vector_file_recognise(naik_log *log, const char *path, bool *found);

/* Whether the file begins as one of a format above does, whatever is in it; false where it cannot be
 * read. Local. */
bool naik_vector_file_begins(naik_log *log, const char *path);

/* Recognises the file and finds its vectors. Collective; the same result on every rank.
 * NAIK_ERR_INPUT    missing, unreadable, or of no known format
 * NAIK_ERR_CORRUPT  recognised, but the file contradicts itself
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_vector_file_open(naik_comm *comm, const char *path, naik_vector_file **out);
void naik_vector_file_close(naik_vector_file **file);

/* Whether the vectors of the file, which are as many as a propagator has, stand in its order as far as their records
 * tell spin and colour. Local. NAIK_ERR_INPUT "vector number 2 is of spin 0 and colour 3" */
naik_status naik_vector_file_expect_columns(naik_log *log, const naik_vector_file *file);

/* out [sites][file->spin][3][2] = vector number `index`; zero on sites that a record leaves out. Where the
 * vectors are on one parity that the file does not tell, they are given on even sites. Its checksum
 * is verified, where it has one. Collective. On failure `out` is undefined.
 * NAIK_ERR_INPUT    the extents are not the lattice's, or there is no such vector
 * NAIK_ERR_CORRUPT  the checksum disagrees; the sentence has expected and found
 * NAIK_ERR_IO, NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_vector_file_read(const naik_vector_file *file, const naik_lattice *lattice,
                                  naik_vector_part part, int index, double *out);

/* How many vectors from `index` on lie side by side at every site, so that they are read at once. Local. */
int naik_vector_file_beside(const naik_vector_file *file, int index);
/* `count` of such vectors: out [count][sites][file->spin][3][2]. As naik_vector_file_read */
naik_status naik_vector_file_read_beside(const naik_vector_file *file, const naik_lattice *lattice,
                                         int index, int count, double *out);
/* The eigenvalue that the file gives vector `index`, NaN where it gives none. Local. */
double naik_vector_file_value(const naik_vector_file *file, int index);

/* Writes a propagator as usqcd-pairs, into PATH.part until it is finished. spin: 1 or 4 */
typedef struct naik_pair_writer naik_pair_writer;

/* precision 32 or 64; info: free text without '<' for the file's own XML, 2000 bytes are kept. The
 * lattice is kept. Collective. NAIK_ERR_INPUT PATH's folder; NAIK_ERR_IO; NAIK_ERR_MEMORY */
naik_status naik_pair_writer_create(const naik_lattice *lattice, const char *path, int spin,
                                    int precision, const char *info, naik_pair_writer **out);
/* The next colour, or column 3 spin + colour: source and solution [sites][spin][3][2]. A source on one time slice only is written as
 * that. source_info: free text without '<'. Collective. NAIK_ERR_IO, NAIK_ERR_MEMORY */
naik_status naik_pair_writer_add(naik_pair_writer *writer, const double *source,
                                 const double *solution, const char *source_info);
/* Reads everything again, verifies the checksums, renames to PATH, frees. After a failure call
 * naik_pair_writer_abandon, which removes PATH.part. Collective. */
naik_status naik_pair_writer_finish(naik_pair_writer **writer);
void naik_pair_writer_abandon(naik_pair_writer **writer);

/* Writes a propagator, columns [3 spin][sites][spin][3][2], as matrices, with `info`, which has no '<'.
 * Read again and compared before it gets its name. Collective. precision: 32 or 64. NAIK_ERR_ARG;
 * NAIK_ERR_INPUT PATH's folder; NAIK_ERR_IO, NAIK_ERR_MEMORY, NAIK_ERR_MPI */
typedef naik_status naik_propagator_write(const naik_lattice *lattice, const char *path, int spin,
                                          int precision, const char *info, const double *columns);
/* As QDP++ does in HDF5, of 4 spins only: one dataset /propagator [T][Z][Y][X] of [sink spin]
 * [source spin][sink colour][source colour] of {r,i}, with `info` as attribute. */
naik_propagator_write naik_qdp_propagator_write;
/* As Grid's ScidacWriter does: one record of a LatticePropagator or LatticeStaggeredPropagator. */
naik_propagator_write naik_grid_propagator_write;

#endif
