/* low_part.h - the part of staggered propagators and mesons that low modes carry
 *
 * With the even sites v of a mode (modes.h), D_eo D_oe v = -4 lambda^2 v, and its odd sites w = D_oe v / (2 lambda), both of
 * length 1, D has the eigenvalues +2 i lambda and -2 i lambda on the span of v and w. Both together give
 *
 *   G_low = sum over modes of g [ m (v v^+ + w w^+) + lambda (v w^+ - w v^+) ],    g = 1/(2 (m^2 + lambda^2))
 *
 * of M^-1 = (2m + D)^-1. A local meson of it, from a point source at y and in the mean over all y of the lattice, is
 *
 *   C(t) = 1/V sum over y, x with x_t = y_t + t of w(x - y) phi(x - y) Tr G_low(x, y) G_low(x, y)^+
 *        = 1/V sum_s sum_ij g_i g_j { m^2 [ E_ij(s+t) E_ij(s)* + O_ij(s+t) O_ij(s)* ]
 *                                     + lambda_i lambda_j [ E_ij(s+t) O_ij(s)* + O_ij(s+t) E_ij(s)* ] }
 *   E_ij(s) = sum over even x of time slice s of w(x) phi(x) v_i(x)^+ v_j(x)        O_ij(s): the same of odd x and w_i, w_j
 *
 * because w and phi of a difference are products. All masses come from one E and O, and so do four of the sixteen mesons: on a
 * time slice and a parity phi may be multiplied by (-1)^(x+y+z) or (-1)^t, which is +1 or -1 there. E and O are sums of
 * numbers rounded to multiples of 2^-60 (low_vectors.h), so that their bits know nothing of ranks, threads and devices.
 *
 * A mode that is none exactly does no harm: v and w are then two vectors, and the formulas those of what they define.
 */
#ifndef NAIK_CONTRACT_LOW_PART_H
#define NAIK_CONTRACT_LOW_PART_H

#include "backend/field.h"
#include "backend/packed_links.h"
#include "naik/meson.h"

typedef struct low_part {
    const naik_geometry *geometry; /* borrowed; its backend has what is said to be there */
    int count;                     /* of modes */
    double *lambda;                /* [count] */
    float *vector;                 /* there [count][sites][6]: v on even sites, w on odd ones */
    naik_complex *weight;          /* there [sites of a time slice] */
    int64_t *words;                /* there, of one time slice: [2][rows][count][2] */
    double *sites;                 /* there [sites][6] */
    double *factors;               /* there [2][count][2] */
    naik_exactsum *length;         /* there [1] */
    naik_field *half[2];           /* [parity] of one vector, in double */
    naik_complex *phases;          /* [sites of a time slice] */
    int64_t *taken;                /* as many */
    naik_complex *sums;            /* [T][2][count][count]: E and O */
} low_part;

/* Vectors on the host, with which operators are put on modes and solutions of them are contracted. */
typedef struct low_room {
    float *mode;                         /* [sites][6], */
    double *from, *to;                   /* as are these */
    double *quark, *antiquark, *shifted; /* [colours][sites][6] */
} low_room;

/* Bytes of one on a rank: on the host, and where the backend has its memory, which may be the host's. Local. */
int64_t low_part_bytes(const naik_lattice *lattice, int count);
int64_t low_part_backend_bytes(const naik_lattice *lattice, int count);
/* lambda2 [count] as modes.h has it. NAIK_ERR_MEMORY; clear it whatever comes back. Collective. */
naik_status low_part_create(const naik_geometry *geometry, int count, const double *lambda2,
                            low_part *out);
void low_part_clear(low_part *part);
/* Mode number `index`, even sites: rhs `irhs` of a block of that geometry; links: those of D, in double. Collective.
 * *length: |D_oe v|^2, which lambda2 is. NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status low_part_put(low_part *part, int index, const naik_field *block, int irhs,
                         const naik_links *links, double *length);

int64_t low_room_bytes(const naik_lattice *lattice);
/* Zeroed. Local. NAIK_ERR_MEMORY; clear it whatever comes back. */
naik_status low_room_create(const naik_lattice *lattice, low_room *out);
void low_room_clear(low_room *room);

/* c [2][count]: v^+ src of all modes, then w^+ src; src [sites][6] on the host, 0 on nearly all sites. Collective.
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status low_part_project(const low_part *part, const double *src, naik_complex *c);
/* *out [parity] = G_low src, from c of that source; the part's own, until the next call. NAIK_ERR_DEVICE */
naik_status low_part_solution(const low_part *part, const naik_complex *c, double mass,
                              const naik_field *const **out);

/* out [sites][6] = u of mode number `index`, on the host; narrow [sites][6]: room for it in single precision. Collective.
 * NAIK_ERR_DEVICE */
naik_status low_part_mode(const low_part *part, int index, float *narrow, double *out);
/* g [3][sites][6] on the host = G_low of three columns, from c [3][2][count] of them. Collective. NAIK_ERR_MEMORY,
 * NAIK_ERR_DEVICE */
naik_status low_part_propagator(const low_part *part, const naik_complex *c, double mass,
                                double *g);

/* Number of the E and O that a meson takes: mesons of one share them. */
enum { LOW_PART_CLASSES = 4 };
int low_part_class(naik_meson meson);
/* E and O of the mesons of a class, momentum as in `frame`, whose origin and weights by cosines are not looked at. Collective.
 * NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status low_part_multiply(low_part *part, int class, const int momentum[3]);
/* Vectors that stand on the left instead of modes, in double. */
typedef struct low_part_left {
    const double *vector; /* there [count][sites][6] */
    int first, count;     /* rows of a table */
} low_part_left;
/* Rows of sums [T][2][count][count]: of each time slice the products left_i^+ u_j with all modes, with the weight of a class
 * and momentum; left NULL: all rows, of the modes themselves. Collective. NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status low_part_products(low_part *part, const low_part_left *left, int class,
                              const int momentum[3], naik_complex *sums);

/* Two such tables, of a sink and of a source; odd: left has changed the parity. Of quark and antiquark one mass each. */
typedef struct low_part_tables {
    const naik_complex *sink, *source;
    bool odd;
} low_part_tables;
typedef struct low_part_masses {
    const double *quark, *antiquark; /* [count] */
    int count;
} low_part_masses;

/* joined [masses][2][T]: sum_s sum_ij g_i g_j sink_ij(s+t) source_ij(s)*, i of the antiquark, with both masses where these
 * join the parities of sink and source, and with lambda_i lambda_j where D does. NAIK_ERR_MEMORY. Local. */
naik_status low_part_join_tables(const low_part *part, const low_part_tables *tables,
                                 const low_part_masses *masses, naik_complex *joined);
/* joined [masses][2][T] of what low_part_multiply made: the sums with m^2, and those with lambda_i lambda_j.
 * NAIK_ERR_MEMORY. Local. */
naik_status low_part_join(const low_part *part, const double *mass, int masses,
                          naik_complex *joined);
/* out [T]: C of a meson of that class and one mass of them, joined [2][T]. */
void low_part_meson(const low_part *part, naik_meson meson, const naik_complex *joined,
                    naik_complex *out);

#endif
