/* halo.h - the exchange of field layers between neighbouring boxes, one site deep or three
 *
 * start packs and sends, wait receives into the halo zones of the field; what runs between them
 * overlaps. One message a face, all rhs in it, in the storage precision of the field; of spinors two
 * rows of four, where the caller says for which D (naik_layers).
 */
#ifndef NAIK_BACKEND_HALO_H
#define NAIK_BACKEND_HALO_H

#include "backend/field.h"

typedef struct naik_halo naik_halo;

naik_status naik_halo_create(const naik_geometry *geometry, naik_halo **out);
void naik_halo_destroy(naik_halo **halo);

/* Sends these outer layers of `field` and posts the receives.
 * One exchange at a time; buffers grow to the largest field seen. Collective. NAIK_ERR_MPI,
 * NAIK_ERR_MEMORY, NAIK_ERR_DEVICE */
naik_status naik_halo_start(naik_halo *halo, const naik_field *field, const naik_layers *layers);
/* Where every face goes straight to another device, whose memory the kernel that writes `field` can
 * reach: makes room, and the start that must follow next finds the exchange under way. armed:
 * whether that kernel is to send. Collective where start is. Failures as of start; NAIK_ERR_ARG where
 * another exchange is under way already. */
naik_status naik_halo_arm(naik_halo *halo, const naik_field *field, const naik_layers *layers,
                          bool *armed);
/* For kernels that send at the end of a loop what its beginning reads. prime: sends the layers as
 * they would; does nothing where they cannot. drain: receives what the last of them has sent. Both
 * collective where start is. Failures as of start. */
naik_status naik_halo_prime(naik_halo *halo, const naik_field *field, const naik_layers *layers);
naik_status naik_halo_drain(naik_halo *halo, naik_field *field, const naik_layers *layers);
/* Completes the exchange: the halo zones of `field` hold the neighbours' layers. */
naik_status naik_halo_wait(naik_halo *halo, naik_field *field, const naik_layers *layers);
/* The same for a Dslash on the boundary that follows at once: where every face comes straight from
 * another device, that kernel itself waits for it and reads it where it lies. */
naik_status naik_halo_hand_over(naik_halo *halo, naik_field *field, const naik_layers *layers);

/* Backend memory that the exchanges of D take on this rank over the backend's route, for fields of
 * this shape. */
size_t naik_halo_bytes(const naik_geometry *geometry, naik_precision precision, int spin, int nrhs,
                       int depth);

/* Whether this MPI says of itself that it takes device memory. */
bool naik_halo_mpi_takes_device_memory(void);

/* A lattice as one backend sees it, with its tables and its exchange. Collective. NAIK_ERR_MEMORY, NAIK_ERR_DEVICE */
naik_status naik_geometry_create(naik_backend *backend, const naik_lattice *lattice,
                                 naik_geometry **out);
void naik_geometry_destroy(naik_geometry **geometry);

#endif
