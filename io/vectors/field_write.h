/* field_write.h - a field of a LIME file: its texts, data and checksum; private to io/vectors */
#ifndef NAIK_IO_VECTORS_FIELD_WRITE_H
#define NAIK_IO_VECTORS_FIELD_WRITE_H

#include "io/lime/lime_write.h"
#include "naik/lattice.h"

typedef struct naik_field_data {
    const naik_lattice *lattice;
    const char *path, *type; /* of the file and of the record with the data */
    const double *columns;   /* [count][sites][spin][3][2] */
    int spin, count;         /* of one vector, or of all columns of a propagator */
    int bits;                /* of a real in the file */
    int slice;               /* the one time slice that is written; -1: the whole lattice */
} naik_field_data;

/* That a propagator can be written so. Local. NAIK_ERR_ARG */
naik_status naik_field_check(naik_log *log, bool takes_spin, int spin, int precision);

/* The reals of a site as matrices of QDP++ and Grid have them: [sink spin][source spin][sink colour][source
 * colour][2]; of one vector, without the source. Local. */
void naik_field_site(const naik_field_data *field, int64_t site, double *out);

/* Appends at byte *used the texts of `head`, which begin a message, the data and their checksum, which
 * ends it. `*used` goes on. Collective. NAIK_ERR_IO, NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_field_write(const naik_field_data *field, naik_lime_buffer *head, int64_t *used);
/* Reads the whole file again, of so many solutions with or without sources, against its checksums. Collective.
 * As naik_write_verdict. */
naik_status naik_field_verify(const naik_lattice *lattice, const char *path, int spin, int count,
                              bool sources);

#endif
