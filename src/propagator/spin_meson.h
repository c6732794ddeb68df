/* spin_meson.h - meson correlators of quarks with spin
 *
 *   C(t) = sum_x w(x - x0) tr [ g5 G S(x) H g5 Z(x)^+ ]      w and x0 of meson.h
 *
 * S(x) is the 12 x 12 matrix of all columns at x of the quark, sink index first, Z that of the
 * antiquark; G is the operator at the sink and H that at the source, in the DeGrand-Rossi basis. No
 * 1/V, no sign.
 *
 *              G              H                        G            H
 *   pion       g5             g5            a0         g5 gt        g5 gt
 *   rho_x      gx             gx            ps505      g5 gt        g5
 *   rho_y      gy             gy            a1_x       g5 gx        g5 gx
 *   rho_z      gz             gz            t_xy       gx gy        gx gy
 *   scalar     1              1
 *
 * The pion of one propagator is sum |S|^2, which each column gives by itself (meson_field.h).
 */
#ifndef NAIK_PROPAGATOR_SPIN_MESON_H
#define NAIK_PROPAGATOR_SPIN_MESON_H

#include "lattice/su3.h"
#include "naik/lattice.h"
#include "naik/meson.h"
#include "propagator/gamma.h"

/* In the order of the words of the input, behind those of staggered quarks. */
typedef enum naik_spin_meson {
    NAIK_SPIN_PION,
    NAIK_SPIN_RHO_X,
    NAIK_SPIN_RHO_Y,
    NAIK_SPIN_RHO_Z,
    NAIK_SPIN_SCALAR,
    NAIK_SPIN_A0,
    NAIK_SPIN_PS505,
    NAIK_SPIN_A1_X,
    NAIK_SPIN_T_XY,
    NAIK_SPIN_MESONS
} naik_spin_meson;

enum { NAIK_GAMMAS = 16, NAIK_SPIN_TASTES = NAIK_GAMMAS * NAIK_GAMMAS };

/* Correlators have numbers: naik_meson, NAIK_MESONS + naik_spin_meson, operators of 16 S + T that have
 * links (spin_taste.h), and the conserved currents of x, y, z, t (current.h). Behind them operators of three-point
 * functions have numbers, matrices of sets of directions (naik_gamma_of). */
enum {
    NAIK_FIRST_SPIN_TASTE = NAIK_MESONS + NAIK_SPIN_MESONS,
    NAIK_FIRST_CURRENT = NAIK_FIRST_SPIN_TASTE + NAIK_SPIN_TASTES,
    NAIK_CORRELATORS = NAIK_FIRST_CURRENT + NAIK_DIM,
    NAIK_FIRST_GAMMA = NAIK_CORRELATORS
};

const char *naik_spin_meson_name(naik_spin_meson meson);

/* G and H of such a number of quarks with spin; a matrix of directions is both. */
naik_gamma naik_spin_operator_at_sink(int number);
naik_gamma naik_spin_operator_at_source(int number);

/* out[size t] from columns [12][sites][4][3][2] of each, column 3 spin + colour; they may be one.
 * Exact sums: the same bits on every process grid. Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_spin_meson_correlator(const naik_lattice *lattice, naik_spin_meson meson,
                                       const naik_frame *frame, const double *quark,
                                       const double *antiquark, naik_complex *out);

/* A meson with G of one number and H of another: a current in a three-point function, and the meson at the source. */
naik_status naik_spin_current_correlator(const naik_lattice *lattice, int current, int source,
                                         const naik_frame *frame, const double *quark,
                                         const double *antiquark, naik_complex *out);

/* C(t) = tr [ g5 G W(t) H g5 V(t)^+ ] of a wall sink, W of the quark and V of the antiquark:
 * naik_contract_wall of contract.h. Local. */
void naik_spin_meson_of_walls(naik_spin_meson meson, const naik_complex *quark,
                              const naik_complex *antiquark, int times, naik_complex *out);

#endif
