/* device_tie.h - mesons of staggered quarks with any operators, on a device
 *
 * The numbers are those of naik_spin_taste_apply and naik_contract_meson, to the bit. A shifted field is made once for all
 * operators that have its links, of those in fewer directions; the product of the two quarks at a site once for all these
 * operators and momenta.
 */
#ifndef NAIK_CONTRACT_DEVICE_TIE_H
#define NAIK_CONTRACT_DEVICE_TIE_H

#include "base/device.h"
#include "propagator/spin_taste.h"

typedef struct device_tie device_tie;

enum { DEVICE_TIE_QUARKS = 2 };

/* How much of a propagator is worked on at a time: all three columns, or one, which is slower. */
typedef struct device_tie_shape {
    int links;   /* of an operator, at most */
    int columns; /* 3 or 1 */
    int quarks;  /* that it has room for: DEVICE_TIE_QUARKS, or none */
} device_tie_shape;

/* What is made of two quarks: every operator with every momentum. */
typedef struct device_tie_request {
    const int *spin_taste; /* [operators], numbers of naik_spin_taste_apply */
    int operators;
    int r0[NAIK_DIM];
    const naik_frame *frame; /* [momenta] */
    int momenta;
    int most; /* operators of a pass; 0: as their sums have room */
} device_tie_request;

/* Bytes of the sums of a request on the device, which are few operators' where there are many momenta. Local. */
size_t device_tie_sums_bytes(const naik_lattice *lattice, const device_tie_request *request);
/* Lessens columns to what the device has room for beside `spare` more bytes, on every rank; 0 where there is none.
 * Collective. NAIK_ERR_DEVICE, NAIK_ERR_MPI */
naik_status device_tie_fit(naik_device *device, const naik_lattice *lattice, size_t spare,
                           device_tie_shape *shape);
/* shifts: whose links it copies, which are not kept; NULL where no operator has any. Collective. NAIK_ERR_MEMORY,
 * NAIK_ERR_DEVICE. Release with device_tie_destroy. */
naik_status device_tie_create(naik_device *device, const naik_lattice *lattice,
                              const naik_shifts *shifts, const device_tie_shape *shape,
                              device_tie **out);
void device_tie_destroy(device_tie **tie);
const naik_lattice *device_tie_lattice(const device_tie *tie);
/* Quark number `quark` of two is g [3][sites][3][2], on the host, from now on. Local. NAIK_ERR_DEVICE */
naik_status device_tie_put(device_tie *tie, int quark, const double *g);
/* Where that quark lies on the device. */
const double *device_tie_quark(const device_tie *tie, int quark);
/* out [operators][momenta][T] = sum over the x of each time slice of w(x - x0) Tr G (O H)^+, both [3][sites][3][2] on the
 * device. Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status device_tie_sum(device_tie *tie, const double *g, const double *h,
                           const device_tie_request *request, naik_complex *out);
/* v = O f, of an operator with links, for a vector [sites][3][2] there; not in place. Collective. NAIK_ERR_MPI,
 * NAIK_ERR_DEVICE */
naik_status device_tie_apply(device_tie *tie, int spin_taste, const int r0[NAIK_DIM],
                             const double *f, double *v);

#endif
