/* boxes.h - a four-dimensional array that lies in boxes over the ranks, moved into other boxes */
#ifndef NAIK_COMM_BOXES_H
#define NAIK_COMM_BOXES_H

#include "naik/comm.h"

enum { NAIK_BOX_DIM = 4 };

/* The elements of a box are in the order of its coordinates, the first fastest. */
typedef struct naik_box {
    int start[NAIK_BOX_DIM], count[NAIK_BOX_DIM]; /* all counts 0: nothing */
} naik_box;

/* Of every rank its `mine`: out [comm->size]. Collective. NAIK_ERR_MPI */
naik_status naik_boxes_gather(naik_comm *comm, const naik_box *mine, naik_box *out);
/* The elements of this rank's box of `to` into out, from those of the boxes of `from` that other ranks have
 * in `in`; both [comm->size]. An element that several boxes of `to` hold goes to each; the boxes of
 * `from` share none. Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_boxes_move(naik_comm *comm, const naik_box *from, const naik_box *to,
                            size_t element_bytes, const void *in, void *out);

#endif
