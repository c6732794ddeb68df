/* field.h - a batch of colour vectors or of spinors on one checkerboard
 *
 * A field has half sites, the halo its kernels need, nrhs rhs of `spin` colour vectors of 3 complex
 * numbers (1 of staggered quarks, 4 of Wilson's), and knows its own precision. Which parity it stands
 * on is said by each call that cares. Layout: the backend's affair.
 */
#ifndef NAIK_BACKEND_FIELD_H
#define NAIK_BACKEND_FIELD_H

#include "backend/backend.h"

enum { NAIK_MAX_RHS = 64, NAIK_SPIN = 4 };

const char *naik_precision_name(naik_precision precision); /* "double", "single", "half" */

/* Bytes of the colour vector of a site and rhs: 48, 24, and 16 with its scale. */
static inline int naik_vector_bytes(naik_precision precision)
{
    return precision == NAIK_DOUBLE ? 48 : precision == NAIK_SINGLE ? 24 : 16;
}

struct naik_field {
    const naik_geometry *geometry; /* borrowed */
    naik_precision precision;
    int spin;     /* colour vectors of an rhs at a site: 1 or NAIK_SPIN */
    int nrhs;     /* rhs in use, 1 .. capacity */
    int capacity; /* rhs that the memory holds */
    bool bare;    /* without halo: D cannot be applied to it */
    size_t size_bytes;
    void *data; /* backend memory */
};

/* Zeroed, with capacity = nrhs rhs. Collective (the ranks agree).
 * NAIK_ERR_ARG     nrhs not in 1 .. NAIK_MAX_RHS
 * NAIK_ERR_MEMORY  on some rank */
naik_status naik_field_create(const naik_geometry *geometry, naik_precision precision, int nrhs,
                              naik_field **out);
/* A field with `spin` colour vectors an rhs, nrhs in 1 .. NAIK_MAX_RHS / spin. */
naik_status naik_field_create_spin(const naik_geometry *geometry, naik_precision precision,
                                   int spin, int nrhs, naik_field **out);
/* Colour vectors without halo. */
naik_status naik_field_create_bare(const naik_geometry *geometry, naik_precision precision,
                                   int nrhs, naik_field **out);
void naik_field_destroy(naik_field **field);
/* Colour vectors at a site: those of rhs c begin with number c spin. */
static inline int naik_field_vectors(const naik_field *field)
{
    return field->nrhs * field->spin;
}
/* Narrows or widens the batch within its capacity; the contents are undefined afterwards. */
void naik_field_set_nrhs(naik_field *field, int nrhs);

#endif
