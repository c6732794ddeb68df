/* lanczos.h - low modes by thick-restart block Lanczos on a Chebyshev polynomial of -D_eo D_oe
 *
 *   P V = V T + Q R E^+     V^+ V = 1, T = V^+ P V hermitian, Q the next block
 *
 * Every block is orthogonalised twice against all before it (CGS2) and within itself (CholeskyQR2),
 * with T made of all the products, so that kept vectors need no bookkeeping: after a cycle V
 * becomes the kept Ritz vectors, Q stays, and the next products couple them. What is random is the
 * start block, by seed and global site; what is summed over sites does not depend on order: modes
 * have equal bits on any grid, ranks and threads.
 * K. Wu, H. Simon, SIAM J. Matrix Anal. Appl. 22 (2000) 602; Y. Zhou, Y. Saad, Numer. Algorithms 47
 * (2008) 341.
 */
#ifndef NAIK_MODES_LANCZOS_H
#define NAIK_MODES_LANCZOS_H

#include "modes/filter.h"

typedef struct naik_lanczos_options {
    int modes;        /* wanted */
    double tolerance; /* |-D_eo D_oe v - lambda2 v| / lambda2, or what single precision gives */
    int krylov;       /* vectors before a restart, a multiple of NAIK_MODES_BLOCK; 0: 4/3 modes */
    int degree; /* of the polynomial, even; 0: by the interval and the vectors before a restart */
    double low, high; /* interval; 0: found */
    int max_cycles;
    uint64_t seed;
} naik_lanczos_options;
naik_lanczos_options naik_lanczos_defaults(void);
/* The number of vectors before a restart that these options lead to. */
int naik_lanczos_krylov(const naik_lanczos_options *options);
/* The largest residual of a mode with which it counts as found: what is asked for, or what single
 * precision leaves of it after a polynomial of this degree on an interval that ends at `high`. */
double naik_lanczos_promised(double tolerance, double lambda2, double high, int degree);
/* |V^+ V - 1| of modes that a run takes from a file, at most. */
#define NAIK_LANCZOS_GRAM_MOST 1e-4
/* How many vectors of a search for so many modes are kept at a restart. */
int naik_lanczos_kept(int modes);
/* The least that does for so many modes. */
int naik_lanczos_least(int modes);
/* Whether a lattice of these extents has enough dimensions for so many: half of its even sites' 3/2
 * volume. */
bool naik_lanczos_has_room(const int size[NAIK_DIM], int krylov);
/* The most modes, fewer than those of the options, for which such a lattice has room; 0: none. */
int naik_lanczos_most(const int size[NAIK_DIM], const naik_lanczos_options *options);
/* Bytes of a search on this rank, beside links, for the memory plan. */
size_t naik_lanczos_bytes(const naik_geometry *geometry, const naik_lanczos_options *options);
/* And of its dense matrices, which every rank has on its host, naik_hermitian_bytes of them while one is solved. */
size_t naik_lanczos_host_bytes(const naik_lanczos_options *options);

/* What a run is between two blocks: it goes on from here to the same bits. */
typedef struct naik_lanczos_state {
    int32_t links;  /* bits of a number of the links that the polynomial works with: 16 or 32 */
    int32_t cycle;  /* ended, since the start */
    int32_t starts; /* how often the interval was corrected */
    int32_t kept;   /* Ritz vectors of the last cycle, 0 in the first */
    int32_t size;   /* vectors in `basis`: those, the Q after them, and what the cycle added */
    int32_t degree;
    int32_t randoms; /* blocks of random vectors used */
    int32_t converged;
    double low, high;
    int64_t applications; /* of D_eo D_oe to one vector */
    double *ritz;         /* [kept] of the polynomial, descending; borrowed */
    naik_field **basis;   /* blocks; borrowed */
    naik_complex *t;      /* products [size][size] in rows of `krylov`; borrowed; of size = kept +
                             NAIK_MODES_BLOCK not looked at */
    int32_t krylov, wanted;
} naik_lanczos_state;
/* Whether the numbers of a state are what a search for so many modes can have; asked of a state from a file
 * before it is used. */
bool naik_lanczos_state_holds(const naik_lanczos_state *state, int modes, int krylov);

/* At the end of a cycle. */
typedef struct naik_lanczos_progress {
    int cycle, converged, wanted;
    int limited;    /* converged to what single precision holds, not to the tolerance */
    double lambda2; /* of the last mode wanted, as estimated */
    double low, high;
    int64_t applications;
    double seconds;      /* so far; */
    double seconds_left; /* about */
    bool corrected;      /* the interval did not do: it begins again with a wider one */
} naik_lanczos_progress;

/* Called on all ranks alike; any may be NULL. */
typedef struct naik_lanczos_hooks {
    void *data;
    void (*progress)(void *data, const naik_lanczos_progress *progress);
    /* True, alike on all ranks, ends with NAIK_ERR_INTERRUPTED. Asked before each block and inside its filter. */
    bool (*stop)(void *data);
    /* Before each block; stops: it is the last call, what it keeps is where the next run goes on. */
    naik_status (*save)(void *data, const naik_lanczos_state *state, bool stops);
    /* Fills the numbers, ritz (room for krylov numbers), the blocks and t of an earlier run's state;
     * krylov and wanted are this search's. What no search can be is told, and it begins again. */
    naik_status (*restore)(void *data, naik_lanczos_state *state, bool *found);
} naik_lanczos_hooks;

typedef struct naik_lanczos_report {
    int cycles, starts, converged, degree, krylov;
    int links; /* bits of the polynomial's links, 16 or 32 */
    int64_t applications;
    double low, high, seconds;
    double gram; /* largest element of |V^+ V - 1| */
} naik_lanczos_report;

/* The `options->modes` lowest modes of the even sites, in single precision; values and residuals are
 * formed in double from `links`. Not all converged after max_cycles is NAIK_ERR_NOT_CONVERGED, with
 * modes all the same.
 *
 *   links   in double, for what is reported; borrowed, as the others
 *   single  in single precision
 *   half    in 16 bits and whole, or NULL. Where they are there the search takes them, which leaves of
 *           a residual about a hundred times what single precision does; a short polynomial with single
 *           links takes that away from the modes that were found. If they are not what was promised all
 *           the same, the search begins again with single links
 *
 * Collective. NAIK_ERR_INPUT    as many modes as the lattice cannot have, or no interval does
 * NAIK_ERR_CORRUPT  no finite numbers     NAIK_ERR_INTERRUPTED, NAIK_ERR_MEMORY, NAIK_ERR_MPI, ... */
naik_status naik_lanczos_run(const naik_links *links, const naik_links *single,
                             const naik_links *half, const naik_lanczos_options *options,
                             const naik_lanczos_hooks *hooks, naik_modes **out,
                             naik_lanczos_report *report);

/* What modes are, in double with links in double: each block of 8 by itself. */
typedef struct naik_modes_meter naik_modes_meter;
/* For `count` modes of these links; borrowed. Collective. NAIK_ERR_MEMORY */
naik_status naik_modes_meter_create(const naik_links *links, int count, naik_modes_meter **out);
void naik_modes_meter_destroy(naik_modes_meter **meter);
/* Bytes of a meter on this rank, for the memory plan. */
size_t naik_modes_meter_bytes(const naik_geometry *geometry, int count);
/* lambda2 = |D v|^2/|v|^2 and residual = |-D_eo D_oe v - lambda2 v|/|v| of the first `used` vectors
 * of a block. Collective. */
naik_status naik_modes_meter_values(naik_modes_meter *meter, naik_field *block, int used,
                                    double *lambda2, double *residual);
/* *off becomes the larger of itself and the largest |v_i^+ w_c - (i = first + c)|, of the first
 * `count` modes of blocks and the first `used` vectors whose values were taken last, infinite where
 * one of these is longer than 2 or not finite. Collective. */
naik_status naik_modes_meter_products(naik_modes_meter *meter, naik_field *const *block, int count,
                                      int first, int used, double *off);

/* Values and residuals of all modes; *gram = largest element of |V^+ V - 1|. Collective. */
naik_status naik_modes_measure(naik_modes *modes, const naik_links *links, double *gram);

#endif
