/* device_tie.h - mesons of staggered quarks with operators that have links, on a device
 *
 * The numbers are those of naik_spin_taste_apply and naik_contract_meson, to the bit. All momenta come from one pass.
 */
#ifndef NAIK_CONTRACT_DEVICE_TIE_H
#define NAIK_CONTRACT_DEVICE_TIE_H

#include "base/device.h"
#include "propagator/spin_taste.h"

typedef struct device_tie device_tie;

enum { DEVICE_TIE_QUARKS = 2, DEVICE_TIE_MOMENTA = 16 };

/* Bytes of one on the device. Local. */
size_t device_tie_bytes(const naik_lattice *lattice, int momenta);
/* shifts: whose links it copies, which are not kept; momenta: at most in a call. Collective. NAIK_ERR_MEMORY,
 * NAIK_ERR_DEVICE. Release with device_tie_destroy. */
naik_status device_tie_create(naik_device *device, const naik_shifts *shifts, int momenta,
                              device_tie **out);
void device_tie_destroy(device_tie **tie);
/* Quark number `quark` of two is g [3][sites][3][2], on the host, from now on. Local. NAIK_ERR_DEVICE */
naik_status device_tie_put(device_tie *tie, int quark, const double *g);
/* O of naik_spin_taste_apply on that quark; stays until the next. Collective. NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status device_tie_apply(device_tie *tie, int spin_taste, const int r0[NAIK_DIM], int quark);
/* out [momenta][T] = sum over the x of each time slice of w(x - x0) Tr G_quark (O G)^+ for each frame.
 * Collective. NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status device_tie_sum(device_tie *tie, int quark, const naik_frame *frame, int momenta,
                           naik_complex *out);

#endif
