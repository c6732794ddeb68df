/* field.h - a batch of colour vectors or of spinors on one checkerboard
 *
 * A field has half sites, the halo its kernels need, nrhs rhs of `spin` colour vectors of 3 complex
 * numbers (1 of staggered quarks, 4 of Wilson's), and knows its own precision. Which parity it stands
 * on is said by each call that cares. Layout: the backend's affair.
 */
#ifndef NAIK_BACKEND_FIELD_H
#define NAIK_BACKEND_FIELD_H

#include <math.h>
#include <string.h>

#include "backend/backend.h"
#include "base/hd.h"

enum { NAIK_MAX_RHS = 64, NAIK_SPIN = 4 };

const char *naik_precision_name(naik_precision precision); /* "double", "single", "half" */

/* Bytes of the colour vector of a site and rhs of fields with halo: 48, 24, and 16 with its scale. */
static inline int naik_vector_bytes(naik_precision precision)
{
    return precision == NAIK_DOUBLE ? 48 : precision == NAIK_SINGLE ? 24 : 16;
}

/* Vectors without halo in 16 bits have bricks: sites of one parity in 2^4 sites, one at each y, z and t, that share a
 * scale. Boxes begin at even coordinates and have even extents, so no rank splits a brick, and bricks are the same on
 * any grid. A number is that of 16 bits times the scale, rounded once. */
enum { NAIK_BRICK_SITES = 8 };

/* A brick of a mode as it lies in files: 100 bytes. */
struct naik_brick {
    int16_t number[NAIK_BRICK_SITES][6]; /* sites with y fastest, then z, then t */
    float scale;
};

/* Bytes of so many sites and an rhs: 12 and a half for each. */
static inline size_t naik_bricks_bytes(size_t sites)
{
    return sites * 6 * sizeof(int16_t) + sites / NAIK_BRICK_SITES * sizeof(float);
}

/* Sums of a brick's 48 absolute values from here on are taken for broken. */
#define NAIK_BRICK_SUM 3.0e38F

/* Of a brick whose largest number this is, in absolute value; broken: their sum of absolute values is not below
 * NAIK_BRICK_SUM, and all are no numbers afterwards. 15 significant bits, rounded up, so that backends may scale by exact
 * products; 0 below what floats hold well. */
NAIK_HD static inline float naik_brick_scale(float largest, bool broken)
{
    float scale = largest * (1.0F / 32767.0F);
    uint32_t bits;
    memcpy(&bits, &scale, sizeof bits);
    bits = (bits + 0x1ffU) & ~0x1ffU;
    memcpy(&scale, &bits, sizeof bits);
    return broken ? NAN : scale > 1e-34F ? scale : 0;
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
/* Colour vectors without halo; in half precision they have bricks. */
naik_status naik_field_create_bare(const naik_geometry *geometry, naik_precision precision,
                                   int nrhs, naik_field **out);
/* Whether it has bricks. Of the backend's calls only naik_mode_ops take it, and field.zero of all rhs. */
static inline bool naik_field_has_bricks(const naik_field *field)
{
    return field->bare && field->precision == NAIK_HALF;
}
void naik_field_destroy(naik_field **field);
/* Colour vectors at a site: those of rhs c begin with number c spin. */
static inline int naik_field_vectors(const naik_field *field)
{
    return field->nrhs * field->spin;
}
/* Narrows or widens the batch within its capacity; the contents are undefined afterwards. */
void naik_field_set_nrhs(naik_field *field, int nrhs);

#endif
