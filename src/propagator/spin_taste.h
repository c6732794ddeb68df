/* spin_taste.h - operators of staggered quarks of any spin and taste, with symmetric covariant shifts
 *
 *   (Z_d f)(x) = zeta_d(y) 1/2 [ U_d(x) f(x + d) + U_d(x - d)^+ f(x - d) ]        y = x - r0
 *   (O f)(x) = eps(y) [ A phi_S f ](x)
 *
 * S and T, spin and taste, are gamma matrices: sets of directions, bits x = 1, y = 2, z = 4, t = 8. The
 * operator has a link in each direction that is in one of them alone. A is the mean over the orders of the
 * Z of these directions, each with the sign of the order: 1; Z_d; (Z_a Z_b - Z_b Z_a)/2 for (a, b) = (x, y),
 * (z, x), (y, z), (x, t), (y, t), (z, t); and of three and four the order with + is that in which x acts first
 * and t last. With eps(y) = (-1)^(yx + yy + yz + yt),
 *
 *   phi_S = product over d in S of eps (-1)^(y_d)      zeta_d = eps (-1)^(y_d) eta_d
 *
 * U are thin links without eta, with the boundary. These are the operators of MILC's labels, such as GX-G1,
 * which act on the antiquark's propagator; O of S = T is the sign of meson.h.
 * M. Golterman, Nucl. Phys. B273 (1986) 663.
 */
#ifndef NAIK_PROPAGATOR_SPIN_TASTE_H
#define NAIK_PROPAGATOR_SPIN_TASTE_H

#include "lattice/source_kind.h"
#include "naik/gauge.h"
#include "propagator/spin_meson.h"

static inline bool naik_correlator_is_spin_taste(int correlator)
{
    return correlator >= (int)NAIK_FIRST_SPIN_TASTE && correlator < (int)NAIK_FIRST_CURRENT;
}
static inline bool naik_correlator_is_current(int correlator)
{
    return correlator >= (int)NAIK_FIRST_CURRENT && correlator < (int)NAIK_CORRELATORS;
}

/* Whether the operator on a source has links; whether it is a conserved current, which has those of D. */
static inline bool naik_source_is_shifted(const naik_source *source)
{
    return naik_correlator_is_spin_taste(source->spin_taste);
}
static inline bool naik_source_has_current(const naik_source *source)
{
    return naik_correlator_is_current(source->spin_taste);
}
/* Whether the shape of a source, before its operator, has links; whether a source is made with links. */
static inline bool naik_source_is_smeared(const naik_source *source)
{
    const naik_source_made made = naik_source_kind_of(source->type)->made;
    return made == NAIK_SOURCE_SMEARED || made == NAIK_SOURCE_MOVED;
}
static inline bool naik_source_needs_links(const naik_source *source)
{
    return naik_source_is_smeared(source) || naik_source_is_shifted(source) ||
           naik_source_has_current(source);
}

/* +1 or -1: the correlator of that number, of staggered quarks, counted from the origin is this times that
 * counted from r0. Local. */
int naik_correlator_sign(int correlator, const int r0[NAIK_DIM]);

/* v [sites][reals] times the sign of a local meson, counted from x0. Local. */
void naik_meson_give_sign(const naik_lattice *lat, naik_meson meson, const int x0[NAIK_DIM],
                          int reals, double *v);

/* +1 or -1: the correlator of that number of a source at x0, counted from there, is this times that of a
 * source at the lattice's origin, in the mean over configurations: M has its phases eta counted from that
 * origin, so that each link of the operator brings eta_d(x0). Local. */
int naik_correlator_phase(int correlator, const int x0[NAIK_DIM]);

/* -1 of an operator with an odd number of links, among them the conserved current: so much its correlator changes
 * where M becomes (-1)^(x+y+z+t) M (-1)^(x+y+z+t), in the mean over configurations; else +1. Local. */
int naik_correlator_parity(int correlator);

/* -1 of an operator with an odd number of links in space, among them the conserved currents in space; else +1.
 * Local. */
int naik_correlator_parity_in_space(int correlator);

/* Links of an operator of spin and taste; 0 of other correlators. Local. */
int naik_correlator_links(int correlator);
/* The number 16 S + T of a local meson. Local. */
int naik_meson_spin_taste(naik_meson meson);

/* s = +1 or -1 of O^+ = s O, as matrices over all sites; of a correlator with links. Local. */
int naik_spin_taste_adjoint(int correlator);

/* The links of shifts, and room for the vectors of one operator. */
typedef struct naik_shifts naik_shifts;

/* thin: on the host, without phases and boundary; not kept. Collective. NAIK_ERR_MEMORY. Release with
 * naik_shifts_destroy. */
naik_status naik_shifts_create(const naik_gauge *thin, bool antiperiodic, naik_shifts **out);
void naik_shifts_destroy(naik_shifts **shifts);
/* Bytes of one on a rank. Local. */
size_t naik_shifts_bytes(const naik_lattice *lattice);

/* Its thin links, with the boundary. */
const naik_gauge *naik_shifts_links(const naik_shifts *shifts);

/* An operator as a sign times the mean over the orders of shifts without signs, in the directions of its links:
 *   (O f)(x) = sign (-1)^(the coordinates of x - r0 in mask) [ mean over orders of S_.. S_.. f ](x)
 *   (S_d f)(x) = 1/2 [ U_d(x) f(x + d) + U_d(x - d)^+ f(x - d) ] */
typedef struct naik_spin_taste_form {
    unsigned links, mask; /* sets of directions; mask of shift_ops.h */
    int sign;
} naik_spin_taste_form;
naik_spin_taste_form naik_spin_taste_form_of(int spin_taste);

/* out [sites][3][2] = O f, O of number 16 S + T counted from r0; not in place. The same bits on any number
 * of ranks. Collective. NAIK_ERR_MPI */
naik_status naik_spin_taste_apply(naik_shifts *shifts, int spin_taste, const int r0[NAIK_DIM],
                                  const double *f, double *out);
/* *out [sites][3][2], until the next call = 1/2 [ U_mu(x) f(x + mu) + U_mu(x - mu)^+ f(x - mu) ], without signs; links:
 * false has 1 in place of U. Collective. NAIK_ERR_MPI */
naik_status naik_shift_symmetric(naik_shifts *shifts, int mu, bool links, const double *f,
                                 const double **out);

#endif
