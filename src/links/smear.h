/* smear.h - fat and long links from thin links
 *
 *   St_{mu,nu}[S](s) = U_nu(s) S(s+nu) U_nu(s+mu)^+ + U_nu(s-nu)^+ S(s-nu) U_nu(s-nu+mu)
 *   Fat_mu = (c1 - 6 cL) U_mu + sum_{nu != mu} { c3 A_nu + cL St_{mu,nu}[A_nu]
 *            + sum_{rho != mu,nu} { c5 B_{nu,rho} + c7 St_{mu,sigma}[B_{nu,rho}] } }
 *   A_nu = St_{mu,nu}[U_mu],  B_{nu,rho} = St_{mu,rho}[A_nu],  sigma: the remaining direction
 *   Long_mu(s) = cN U_mu(s) U_mu(s+mu) U_mu(s+2mu)
 *
 * On links that carry the staggered phases (gauge.h), with the alternating signs of the table in
 * smear.c. K. Orginos, D. Toussaint, R. Sugar, PRD 60 (1999) 054503; E. Follana et al., PRD 75
 * (2007) 054502.
 */
#ifndef NAIK_LINKS_SMEAR_H
#define NAIK_LINKS_SMEAR_H

#include "base/device.h"
#include "naik/gauge.h"

typedef struct naik_smearing {
    double c1, cN, c3, c5, c7, cL; /* one link, Naik, staples of 3, 5, 7 links, Lepage */
} naik_smearing;

/* Coefficients of the asqtad action with tadpole factor u0 (> 0), and of the two levels of HISQ. */
naik_smearing naik_smearing_asqtad(double u0);
naik_smearing naik_smearing_hisq1(void);
naik_smearing naik_smearing_hisq2(void);

/* The memory that smearing works in, the host's or a device's: four directions of links and what is
 * made of them on the way. Collective. NAIK_ERR_MEMORY. */
typedef struct naik_smear_space naik_smear_space;
naik_status naik_smear_space_create(const naik_lattice *lattice, naik_device *device,
                                    naik_smear_space **out);
void naik_smear_space_destroy(naik_smear_space **space);
/* Bytes of a space on this rank, but for the faces of an exchange. */
size_t naik_smear_space_bytes(const naik_lattice *lattice, naik_device *device);

/* fat = the sum above; long_links = the Naik links, or NULL when they are not wanted.
 * Fields on one lattice in the memory of `space`, where the work is done; fat and long_links are
 * distinct, and fat may be u. Collective. NAIK_ERR_MPI, NAIK_ERR_DEVICE. */
naik_status naik_smear(const naik_gauge *u, const naik_smearing *coefficients,
                       naik_smear_space *space, naik_gauge *fat, naik_gauge *long_links);

/* Fat and long links, phases, boundary and coefficients inside, ready for backend/packed_links.h. */
typedef struct naik_fatlong {
    naik_gauge *fat;
    naik_gauge *long_links; /* NULL for the naive action */
    double naik_epsilon;
    double long_scale; /* s of L = s e^{i theta} V, |cN| u0^-2 or (1 + eps)/24; 0 if no long */
    int64_t svd_count; /* links that took the SVD fallback in HISQ's projection, global */
} naik_fatlong;

/* Owned results that stay valid for any number of epsilons: HISQ's W and level-2 links are made
 * once. */
typedef struct naik_fattener naik_fattener;

/* u        phased thin links on the host; borrowed, and needed only during this call
 * u0       tadpole factor of asqtad; ignored by others
 * device   where the work is done and all links stay; borrowed, may be NULL: on the host
 * Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE. */
naik_status naik_fattener_create(const naik_gauge *u, naik_action_type action, double u0,
                                 naik_device *device, naik_fattener **out);
void naik_fattener_destroy(naik_fattener **fattener);

/* Fat and long links for this Naik epsilon: Fat + eps/8 W, Long (1 + eps). epsilon must be 0 unless
 * the action is HISQ; those of epsilon 0 are shared with the fattener, and not to be written to
 * while it is needed. Collective. Release with naik_fatlong_destroy. */
naik_status naik_fattener_links(const naik_fattener *fattener, double naik_epsilon,
                                naik_fatlong **out);
void naik_fatlong_destroy(naik_fatlong **links);
/* Brings links that were built on a device to the host, for those who read them there. Collective.
 * NAIK_ERR_MEMORY, NAIK_ERR_DEVICE */
naik_status naik_fatlong_to_host(naik_fatlong *links);

#endif
