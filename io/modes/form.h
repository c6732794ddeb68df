/* form.h - how vectors lie in a file of modes; private to io/modes
 *
 *   singles  [T][Z][Y][X/2] of 24 bytes: a colour vector in single precision
 *   bricks   [T/2][Z/2][Y/2][X/2] of 100 bytes: a brick of 16 bits (backend/field.h)
 */
#ifndef NAIK_IO_MODES_FORM_H
#define NAIK_IO_MODES_FORM_H

#include "backend/field.h"
#include "io/h5/h5.h"

/* Bytes of a site of a vector on the host, whatever its form in the file. */
enum { NAIK_MODE_SITE_BYTES = 24 };

typedef struct naik_mode_form {
    const naik_lattice *lattice; /* borrowed */
    naik_lattice array;          /* one site for each element of the dataset */
    int64_t element_bytes;
    bool bricks;
} naik_mode_form;

/* Sites of direction mu that an element holds, and its bytes. */
static inline int naik_mode_form_cut(bool bricks, int mu)
{
    return bricks || mu == 0 ? 2 : 1;
}
static inline int64_t naik_mode_form_element_bytes(bool bricks)
{
    return bricks ? (int64_t)sizeof(naik_brick) : NAIK_MODE_SITE_BYTES;
}
naik_mode_form naik_mode_form_of(const naik_lattice *lattice, bool bricks);
/* Of an element; whoever asks releases it. */
hid_t naik_mode_form_type(bool bricks);
/* Bytes of a vector on this rank, and in the file. */
static inline int64_t naik_mode_form_bytes(const naik_mode_form *form)
{
    return form->array.sites * form->element_bytes;
}
static inline int64_t naik_mode_form_file_bytes(const naik_mode_form *form)
{
    return form->array.volume * form->element_bytes;
}
/* even [sites / 2][6] as it lies in the file: itself, or in `room` for naik_mode_form_bytes. By any thread. */
const void *naik_mode_form_pack(const naik_mode_form *form, const float *even, void *room);
/* Whether what the file holds of this rank's box is finite. By any thread. */
bool naik_mode_form_is_finite(const naik_mode_form *form, const void *elements);

#endif
