/* gauge.h - thin gauge links on this rank's box, and what can be measured on them
 *
 * U_mu(s) leads from s to s + mu. Links are double, in canonical order (lattice.h), and have no staggered
 * phases unless naik_gauge_apply_phases has put them in. Links lie in the memory of the host, where every
 * function below that measures or changes links wants them, or in that of a device.
 */
#ifndef NAIK_GAUGE_H
#define NAIK_GAUGE_H

#include <stdbool.h>
#include <stdint.h>

#include "naik/lattice.h"

typedef struct naik_complex { /* as C's double complex and Fortran's complex(8) in memory */
    double re, im;
} naik_complex;

typedef struct naik_matrix {
    naik_complex e[3][3]; /* row-major */
} naik_matrix;

/* How the links of a staggered operator are made of thin links. */
typedef enum naik_action_type {
    NAIK_NAIVE,   /* the thin links themselves */
    NAIK_ASQTAD,  /* fat and long links */
    NAIK_HISQ,    /* fat and long links, with the usual projection to U(3) */
    NAIK_HISQ_SU3 /* the same with the projection to SU(3) */
} naik_action_type;

typedef struct naik_gauge {
    const naik_lattice *lattice; /* borrowed */
    naik_matrix *link;           /* [sites][4], sites local lexicographic, mu = x, y, z, t */
    struct naik_device *device;  /* borrowed; the device that holds `link`; NULL: the host does */
    int sharers;                 /* further holders of these links (naik_gauge_share) */
} naik_gauge;

/* Zeroed links on the host. Collective. NAIK_ERR_MEMORY, agreed over ranks. */
naik_status naik_gauge_create(const naik_lattice *lattice, naik_gauge **out);
/* Links in the memory of a device (device.h), with undefined values; the device must outlive the links.
 * NULL: as naik_gauge_create. Collective. NAIK_ERR_MEMORY, agreed over ranks. */
naik_status naik_gauge_create_on(const naik_lattice *lattice, struct naik_device *device,
                                 naik_gauge **out);
/* The same links for one more holder, who must not write to them. Each holder calls naik_gauge_destroy;
 * the last call frees the links. Local. */
naik_gauge *naik_gauge_share(naik_gauge *gauge);
/* The same links in the memory of a device, or of the host for NULL. Links that are there already are
 * shared, others are copied; either way the caller only reads them.
 * NAIK_ERR_MEMORY, agreed over ranks; NAIK_ERR_DEVICE */
naik_status naik_gauge_bring(const naik_gauge *gauge, struct naik_device *device, naik_gauge **out);
/* Gives up one hold on the links and sets *gauge = NULL; accepts NULL in *gauge. Local. */
void naik_gauge_destroy(naik_gauge **gauge);
/* to = from, both of one lattice, between host and device or within the host. Local. NAIK_ERR_DEVICE */
naik_status naik_gauge_copy(const naik_gauge *from, naik_gauge *to);

typedef struct naik_gauge_checks {
    /* Re Tr P averaged over sites and planes, 3 for unit links */
    double plaquette;         /* mean of the next two */
    double plaquette_s;       /* planes xy, xz, yz */
    double plaquette_t;       /* planes xt, yt, zt */
    double link_trace;        /* Re sum Tr U / (4 V) / 3 */
    double max_unitarity_dev; /* largest |(U U^+ - 1)_ij| */
    double max_det_dev;       /* largest |det U - 1| */
} naik_gauge_checks;

/* Measures the links as they are. Collective; exact sums, so the bits are the same on every process grid.
 * Links that hold a NaN give NaN. */
naik_status naik_gauge_measure(const naik_gauge *gauge, naik_gauge_checks *out);

/* How far the links are from Coulomb gauge, 0 when they are in it:
 *
 *   theta = sum_x Tr Delta(x)^2 / (3 V),   Delta(x) = sum_{k = x,y,z} A_k(x) - A_k(x - k)
 *
 * with A = (U - U^+)/2i without its trace. Theta is of order 1 for links to which no gauge was fixed.
 * The links must have no phases. Collective; exact sums. NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_gauge_coulomb_deviation(const naik_gauge *gauge, double *theta);
/* Theta with the first `directions` directions in Delta: 3 for Coulomb gauge, 4 for Landau gauge.
 * Otherwise as above. */
naik_status naik_gauge_divergence(const naik_gauge *gauge, int directions, double *theta);

/* Projects every link to SU(3): Gram-Schmidt on the first two rows, third row = conj(row0 x row1).
 *
 *   largest_change   receives the largest |dU_ij| of all links on all ranks
 *
 * Collective. NAIK_ERR_CORRUPT  a link is zero or no number
 *             NAIK_ERR_INPUT    a link is singular, so that no SU(3) matrix is near it */
naik_status naik_gauge_reunitarise(naik_gauge *gauge, double *largest_change);

/* Multiplies the links by the staggered phases eta_t = 1, eta_x = (-1)^t, eta_y = (-1)^(t+x),
 * eta_z = (-1)^(t+x+y) of global coordinates, and, if antiperiodic_t, the t-links of the last time slice by
 * -1. A second call undoes the first. Local. */
void naik_gauge_apply_phases(naik_gauge *gauge, bool antiperiodic_t);

/* Multiplies the t-links of the last time slice by -1 and puts in no phases, for quarks with spin. Local. */
void naik_gauge_apply_boundary(naik_gauge *gauge);

/* Sets all links to the unit matrix. Local. */
void naik_gauge_set_unit(naik_gauge *gauge);
/* Sets the links to independent SU(3) matrices of the Haar measure, which depend on the seed and the global
 * site only. Local. */
void naik_gauge_set_random(naik_gauge *gauge, uint64_t seed);

#endif
