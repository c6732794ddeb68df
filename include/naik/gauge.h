/* gauge.h - thin gauge links on this rank's box, and what can be measured on them
 *
 * U_mu(s) leads from s to s + mu. Links are held in double, in canonical order, without staggered
 * phases unless naik_gauge_apply_phases has put them in. They are in the host's memory, where
 * everything below wants them, or in that of a device, where link building leaves them.
 */
#ifndef NAIK_GAUGE_H
#define NAIK_GAUGE_H

#include <stdbool.h>
#include <stdint.h>

#include "naik/lattice.h"

typedef struct naik_complex {
    double re, im;
} naik_complex;

typedef struct naik_matrix {
    naik_complex e[3][3]; /* row-major */
} naik_matrix;

/* How the links of the operator are made of thin ones; HISQ with the projection to U(3), which is
 * the usual one, or to SU(3). */
typedef enum naik_action_type {
    NAIK_NAIVE,
    NAIK_ASQTAD,
    NAIK_HISQ,
    NAIK_HISQ_SU3
} naik_action_type;

typedef struct naik_gauge {
    const naik_lattice *lattice; /* borrowed */
    naik_matrix *link;           /* [sites][4], sites local lexicographic, mu = x, y, z, t */
    struct naik_device *device;  /* borrowed; in whose memory `link` is; NULL: in the host's */
    int sharers;                 /* others that hold it, see naik_gauge_share */
} naik_gauge;

/* Zeroed links. NAIK_ERR_MEMORY, agreed over ranks. */
naik_status naik_gauge_create(const naik_lattice *lattice, naik_gauge **out);
/* Undefined links in the memory of a device (device.h), which must outlive them; NULL: as above.
 * NAIK_ERR_MEMORY, agreed over ranks. */
naik_status naik_gauge_create_on(const naik_lattice *lattice, struct naik_device *device,
                                 naik_gauge **out);
/* The same links for one more holder, who must not write to them; destroying gives up one hold. */
naik_gauge *naik_gauge_share(naik_gauge *gauge);
/* The same links in the memory of a device, or of the host for NULL: shared where they are there,
 * else a copy. Only to be read. NAIK_ERR_MEMORY, agreed over ranks; NAIK_ERR_DEVICE */
naik_status naik_gauge_bring(const naik_gauge *gauge, struct naik_device *device, naik_gauge **out);
void naik_gauge_destroy(naik_gauge **gauge);
/* to = from, of one lattice, between host and device or within the host. NAIK_ERR_DEVICE */
naik_status naik_gauge_copy(const naik_gauge *from, naik_gauge *to);

typedef struct naik_gauge_checks {
    double plaquette; /* average of the two below */
    double
        plaquette_s; /* Re Tr P averaged over sites and the planes xy, xz, yz; 3 for unit links */
    double plaquette_t;       /* the planes xt, yt, zt */
    double link_trace;        /* Re sum Tr U / (4 V) / 3 */
    double max_unitarity_dev; /* largest |(U U^+ - 1)_ij| */
    double max_det_dev;       /* largest |det U - 1| */
} naik_gauge_checks;

/* Measures on the links as they are. Collective; exact sums, so the same bits on every process
 * grid. NaN links give NaN. */
naik_status naik_gauge_measure(const naik_gauge *gauge, naik_gauge_checks *out);

/* How far the links are from Coulomb gauge, 0 when they are in it:
 *
 *   theta = sum_x Tr Delta(x)^2 / (3 V),   Delta(x) = sum_{k = x,y,z} A_k(x) - A_k(x - k)
 *
 * with A = (U - U^+)/2i without its trace. Of links that no gauge was fixed for it is of order 1.
 * Links without phases. Collective; exact sums. NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_gauge_coulomb_deviation(const naik_gauge *gauge, double *theta);
/* Theta with the first `directions` directions in Delta: 3, or 4 for Landau gauge. */
naik_status naik_gauge_divergence(const naik_gauge *gauge, int directions, double *theta);

/* Gram-Schmidt on the rows, third row = conj(row0 x row1). *largest_change = largest |dU_ij| over
 * all ranks. Collective. NAIK_ERR_CORRUPT where a link is zero or no number; NAIK_ERR_INPUT where one is
 * singular, so that it has no unitary neighbour. */
naik_status naik_gauge_reunitarise(naik_gauge *gauge, double *largest_change);

/* Multiplies the links by the staggered phases eta_t = 1, eta_x = (-1)^t, eta_y = (-1)^(t+x),
 * eta_z = (-1)^(t+x+y), and, if antiperiodic, the t-links of the last time slice by -1.
 * Its own inverse. Coordinates are global. */
void naik_gauge_apply_phases(naik_gauge *gauge, bool antiperiodic_t);

/* The sign of the antiperiodic boundary alone, for quarks without staggered phases. */
void naik_gauge_apply_boundary(naik_gauge *gauge);

/* All links 1; or independent Haar-random SU(3) links that depend on seed and global site only. */
void naik_gauge_set_unit(naik_gauge *gauge);
void naik_gauge_set_random(naik_gauge *gauge, uint64_t seed);

#endif
