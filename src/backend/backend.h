/* backend.h - the seam: everything that runs where the fields live
 *
 * A backend is a table of functions filled once, at the bottom of its file. `cpu` is always there;
 * `gpu` is CUDA or HIP, or a stub that answers with a sentence. Operators and solvers are written
 * on this table alone and never ask which one it is. A backend owns the layout of its fields and
 * links.
 *
 * Calls may return before the work is done: work of one backend runs in the order of the calls, and
 * sync, download, sums_values and the exports wait. Failures of earlier work may surface there.
 * Sites: a call with `region` handles all, interior or boundary sites of one parity (lattice.h).
 * rhs: a call with (rhs, state) acts on the rhs in that state; rhs NULL means all.
 * Sums are exact (exactsum.h), of each site's term as computed from the values as stored.
 */
#ifndef NAIK_BACKEND_BACKEND_H
#define NAIK_BACKEND_BACKEND_H

#include <stdbool.h>
#include <stddef.h>

#include "backend/bicgstab_scalars.h"
#include "backend/mode_of_launch.h"
#include "backend/rhs.h"
#include "backend/route.h"
#include "backend/shifts.h"
#include "base/device.h"
#include "base/exactsum.h"
#include "base/timer.h"
#include "lattice/su3.h"
#include "links/clover_block.h"
#include "naik/lattice.h"

typedef struct naik_backend naik_backend;
typedef struct naik_geometry naik_geometry;
typedef struct naik_field naik_field;
typedef struct naik_links naik_links;
typedef struct naik_blocks naik_blocks;

/* How reals are stored. Sums and scalars are double in all of them; half is 16-bit integers with
 * one float scale a site and rhs (fields), a brick of sites and rhs (fields without halo, field.h)
 * or a kind of link (links), and single arithmetic. */
typedef enum naik_precision { NAIK_DOUBLE = 0, NAIK_SINGLE = 1, NAIK_HALF = 2 } naik_precision;
enum { NAIK_PRECISIONS = 3 };

typedef enum naik_region { NAIK_ALL, NAIK_INTERIOR, NAIK_BOUNDARY } naik_region;

/* What is summed of a field by the kernel that writes it, of those rhs that it writes. */
typedef struct naik_products {
    const naik_field *with; /* same shape and precision; NULL: |out|^2 alone */
    /* backend memory [nrhs], sums_c += |out_c|^2, or [3][nrhs], also re and im of (with_c, out_c) */
    naik_exactsum *sums;
} naik_products;

/* What the Dslash kernel does with D in before it writes the site, all in one pass. */
typedef enum naik_form {
    NAIK_FORM_D,        /* out = D in */
    NAIK_FORM_AFFINE,   /* out = a v + c b + s D in, b may be NULL */
    NAIK_FORM_RESIDUAL, /* out = b - (shift_c v - D in) */
    NAIK_FORM_DESCENT,  /* out = b - alpha_c (shift_c v - D in) */
    NAIK_FORM_STEP      /* a whole step of the conjugate gradient, out = r:
                             p' = r + beta_c p,  ap = (shift_c r - D in) + beta_c ap,
                             r -= alpha_c ap,    x += x_deferred_last_c p + alpha_c p' unless x_deferred_c */
} naik_form;

/* Sums whose scalars a kernel shall compute for itself before it uses them, as rhs_step would
 * have done before it. Where the backend can (fuses_scalars). */
typedef struct naik_deferred_reductions {
    naik_rhs *rhs;       /* backend memory */
    naik_exactsum *sums; /* as rhs_step's, left cleared */
    double *history;     /* rhs_step's */
    int history_stride;
} naik_deferred_reductions;

typedef enum naik_scalars { NAIK_COUNT = 1, NAIK_TAKE = 2, NAIK_COUNT_AND_TAKE = 3 } naik_scalars;

typedef enum naik_fuses_scalars {
    NAIK_FUSES_NONE,
    NAIK_FUSES_IF_ASKED, /* a kernel for the scalars is faster */
    NAIK_FUSES_BY_DEFAULT
} naik_fuses_scalars;

/* What travels of spinors: all of them, or what D, or D^+, takes of them (halves.h). */
typedef enum naik_halves { NAIK_WHOLE, NAIK_HALVES, NAIK_HALVES_DAGGER } naik_halves;

/* Outer layers of a field on one parity. */
typedef struct naik_layers {
    naik_parity parity;
    int depth; /* 1 or 3 */
    naik_halves halves;
} naik_layers;

typedef struct naik_dslash_args {
    naik_form form;
    naik_parity parity; /* of the sites written; `in` is on the other */
    const naik_links *links;
    const naik_field *in; /* with its halo exchanged before boundary sites are computed */
    naik_field *out;      /* same shape and precision as in, v, b; may be v or b, not in */
    const naik_field *v, *b;
    naik_field *x, *p, *ap; /* of a step; v and b are r */
    double a, c, s;
    /* Of spinors alone, where D is Wilson's (wilson.h): */
    bool dagger;               /* D^+ for D */
    int hop;                   /* 1 + k: D is the one term of point k (lattice.h) < 8; 0: all */
    const naik_blocks *blocks; /* B D in for D in; NULL: not */
    const naik_field *with;    /* of naik_products; not out */
    const naik_rhs *rhs;       /* backend memory [nrhs]; for shift, and with `state` as mask */
    naik_rhs_state state;
    /* As of naik_products; of a step [2][nrhs], |r|^2 and Re (r, ap); NULL: not wanted */
    naik_exactsum *sums;
    /* The scalars of a step of one rhs, which its kernel computes: of both halves, the first
     * keeps |r|^2 and Re (r, ap) for them. NULL: they are in rhs. */
    const naik_deferred_reductions *deferred;
    /* The next exchange is of `out`, for these links: naik_dslash lets the kernel send its layers
     * where it can, the backend does so (naik_halo_arm). */
    bool send;
} naik_dslash_args;

/* For measurements and tests. */
typedef struct naik_backend_choices {
    /* Threads a site and rhs of the Dslash: 1, 3 (one a row of the result), 4 (one a kind of
     * point), 12 (both); 0: auto. Rows need uncompressed links: 18 numbers or 6 words. */
    int threads_per_site;
    /* k: the k-th (modulo their number) of the kernels that a GPU would choose between by
     * measuring; 0: the fastest. */
    int variant;
    naik_launch_mode launch_mode;
} naik_backend_choices;

typedef struct naik_backend_options {
    int threads;    /* host threads; 0: as OpenMP decides */
    bool share_gpu; /* let ranks share a device */
    naik_transport transport;
    naik_launch_mode launch; /* of iterations */
    const char *tune_cache;  /* file that keeps the choice of kernels; NULL or "auto": the
                               usual one; "none" */
} naik_backend_options;

enum { NAIK_PEERS_MAX = 16 }; /* ranks of a node */

/* Exchanges between the devices of one node that only the devices take part in (transport.h). */
typedef struct naik_peer_ops {
    /* Maps a piece of memory of every rank of this node and sends a message to each. reached
     * [node_size]: that rank's message came, intact, within wait_s; false throughout where ranks
     * share a device. Collective over the job. NAIK_ERR_MEMORY, NAIK_ERR_DEVICE, NAIK_ERR_MPI */
    naik_status (*open)(naik_backend *backend, double wait_s, bool *reached);
    void (*close)(naik_backend *backend);
    /* Room for exchanges of fields of this shape over `faces`, which may be none on some ranks;
     * does nothing where there is enough. Collective when there is not: on all ranks alike. */
    naik_status (*reserve)(const naik_field *field, const bool faces[NAIK_DIM][2]);
    /* Backend memory that this room is. */
    size_t (*bytes)(const naik_lattice *lattice, naik_precision precision, int nrhs);
    /* Sends the layers of all faces reserved for, in one piece of work; beside what else is
     * enqueued, if it may, until `receive` or the dslash that fetches them. Not called where dslash
     * was told to send them while it writes the field. */
    naik_status (*send)(const naik_field *field, const naik_layers *layers, bool beside);
    /* Waits for those of the neighbours and puts them into the halo zones. */
    naik_status (*receive)(naik_field *field, const naik_layers *layers);
    /* Memory of size_bytes, the same on all ranks, that the neighbours on `faces` write to, all as the callers
     * agree. Collective. NAIK_ERR_MEMORY, NAIK_ERR_DEVICE, NAIK_ERR_MPI; *inbox is then all zero */
    naik_status (*inbox_open)(const naik_geometry *geometry, const bool faces[NAIK_DIM][2],
                              size_t size_bytes, naik_inbox *inbox);
    void (*inbox_close)(naik_backend *backend, naik_inbox *inbox);
    /* Within the memory of the backend; enqueued. */
    naik_status (*copy)(naik_backend *backend, void *to, const void *from, size_t size_bytes);
} naik_peer_ops;

/* A field times a complex number of each rhs. Rhs c of the sum takes rhs (c + turn) mod nrhs of the field. */
typedef struct naik_term {
    const naik_field *v;
    const double (*coefficient)[2]; /* backend memory [nrhs of the sum]; NULL: 1 */
    int turn;                       /* 0 or more */
} naik_term;
enum { NAIK_TERMS_MOST = 3, NAIK_COMBINED_MOST = 2 };
/* Fields that are added in one pass to a field that goes on. */
enum { NAIK_ADDED_MOST = NAIK_TERMS_MOST - 1 };
/* A field and the terms whose sum, in their order, it becomes. */
typedef struct naik_combination {
    naik_field *out;
    int count;
    naik_term term[NAIK_TERMS_MOST];
} naik_combination;

/* Fields (field.h). */
typedef struct naik_field_ops {
    size_t (*bytes)(const naik_lattice *lattice, naik_precision precision, int nrhs);
    /* One rhs from and to a canonical host array, [sites][3][2] double in local lexicographic
     * order, of which only the sites of `parity` are read or written. */
    naik_status (*from_host)(naik_field *field, naik_parity parity, int irhs, const double *sites);
    /* from_host, where all sites but part[0] to part[1] - 1, both even, are 0 and not looked at. */
    naik_status (*from_part)(naik_field *field, naik_parity parity, int irhs, const double *sites,
                             const int32_t part[2]);
    naik_status (*to_host)(const naik_field *field, naik_parity parity, int irhs, double *sites);
    /* One rhs from and to a canonical array in backend memory; to_device waits until all is there. */
    naik_status (*from_device)(naik_field *field, naik_parity parity, int irhs,
                               const double *sites);
    naik_status (*to_device)(const naik_field *field, naik_parity parity, int irhs, double *sites);
    naik_status (*zero)(naik_field *field, const naik_rhs *rhs, naik_rhs_state state);
    /* to = from, between precisions, same nrhs. */
    naik_status (*copy)(naik_field *to, const naik_field *from, const naik_rhs *rhs,
                        naik_rhs_state state);
    /* to += from, between precisions, same nrhs. */
    naik_status (*add)(naik_field *to, const naik_field *from, const naik_rhs *rhs,
                       naik_rhs_state state);
    /* y += a x, same shape and precision, all rhs. */
    naik_status (*axpy)(double a, const naik_field *x, naik_field *y);
    /* rhs j of `to` = rhs map[j] of `from` (map on the host, to->nrhs entries), same
     * precision. */
    naik_status (*gather)(naik_field *to, const naik_field *from, const int *map);
    /* Up to NAIK_COMBINED_MOST combinations in one pass, of what all fields, of one shape but for turned
     * ones, and of one precision, were before it; products of the first, NULL: not wanted. */
    naik_status (*combine)(const naik_combination *of, int count, const naik_products *products,
                           const naik_rhs *rhs, naik_rhs_state state);
    /* One rhs: to[rhs] = from[from_irhs], between precisions. */
    naik_status (*copy_rhs)(naik_field *to, int irhs, const naik_field *from, int from_irhs);
} naik_field_ops;

/* Halo exchange (halo.h). */
typedef struct naik_halo_ops {
    /* The layers of `field` that the neighbour on `side` of mu needs, as one message, and those
     * received from the neighbour on `side` into the halo zone (mu, side); nrhs: colour vectors of a
     * site that travel. */
    size_t (*face_bytes)(const naik_lattice *lattice, naik_precision precision, int nrhs, int mu,
                         int depth);
    naik_status (*pack)(const naik_field *field, const naik_layers *layers, int mu, int side,
                        void *buffer);
    naik_status (*unpack)(naik_field *field, const naik_layers *layers, int mu, int side,
                          const void *buffer);
    const naik_peer_ops *peer; /* NULL: there are none */
} naik_halo_ops;

/* What is summed of a solution over time slices: its norm at each site, times the sign of each class and the weight of each
 * frame. Signs are those of naik_slice_minus, of coordinates counted from an origin. */
enum { NAIK_SLICE_CLASSES = 8 };
typedef struct naik_slice_norms {
    int classes;                       /* NAIK_SLICE_CLASSES at most */
    unsigned mask[NAIK_SLICE_CLASSES]; /* directions in space */
    unsigned odd;                      /* those in which the first coordinate of the box is odd */
    int frames;
    /* On the host. [frames][local x + y + z]: factors of naik_slice_product. [frames]: whether the weights of a frame are
     * real, so that its sums of imaginary parts need not be made. */
    const naik_complex *weight;
    const bool *real;
} naik_slice_norms;

/* Exact sums in backend memory, [count]. */
typedef struct naik_reduction_ops {
    naik_status (*clear)(naik_backend *backend, naik_exactsum *sums, int count);
    naik_status (*over_ranks)(naik_backend *backend, naik_exactsum *sums, int count);
    /* Waits and rounds, onto the host. */
    naik_status (*values)(naik_backend *backend, const naik_exactsum *sums, int count,
                          double *values);
    /* sums_c += Re (v_c, w_c) of rhs in `state`, rhs NULL: of all; same shape and precision; v may be w. */
    naik_status (*dot)(const naik_field *v, const naik_field *w, const naik_rhs *rhs,
                       naik_rhs_state state, naik_exactsum *sums);
    /* sums [2][nrhs of v] += re and im of (v_c, w_(c + turn)), rhs of w round about as in naik_term, c as those of
     * dot; same precision. */
    naik_status (*complex_dot)(const naik_field *v, const naik_field *w, int turn,
                               const naik_rhs *rhs, naik_rhs_state state, naik_exactsum *sums);
    /* sums_c += sum_s |r_s|^2/|x_s|^2, where x_s = 0: 1. */
    naik_status (*site_ratio)(const naik_field *r, const naik_field *x, naik_exactsum *sums);
    /* sums [classes][frames][2][local t] += re and im of the sum over the x of each time slice of s_c(x) w_f(x) |v(x)|^2, v
     * being rhs 0 in double on even and on odd sites. */
    naik_status (*slice_norms)(const naik_field *const v[2], const naik_slice_norms *args,
                               naik_exactsum *sums);
} naik_reduction_ops;

/* The conjugate gradient's scalars, and the vectors that move by them alone. */
typedef struct naik_solver_ops {
    /* Whether no rule is known by which launch mode is fastest: launch.h measures. */
    bool launch_is_measured;
    /* Whether kernels over this many rhs take naik_deferred_reductions; NULL: they do not. */
    naik_fuses_scalars (*fuses_scalars)(const naik_geometry *geometry, int nrhs);
    /* naik_rhs_count_step, naik_rhs_next_step or both, of `count` rhs. sums [3][count]: |r|^2,
     * Re (r, A p), which are counted, and |D r|^2, which is taken. Adds those it needs over ranks,
     * at once, and leaves them cleared. history, if not NULL: backend memory
     * [history_stride][count], a ring: an rhs that is counted writes rr to row (iterations - 1)
     * mod history_stride. */
    naik_status (*rhs_step)(naik_backend *backend, naik_rhs *rhs, naik_exactsum *sums, int count,
                            naik_scalars which, double *history, int history_stride);
    /* The vectors of a classical step of running rhs, before D is applied to p: x += x_deferred_c
     * p, p = r + beta_c p; x in double. */
    naik_status (*update_direction)(const naik_rhs *rhs, const naik_field *r, naik_field *x,
                                    naik_field *p);
    /* x += x_deferred_c p, same shape, x in the precision of p or in double: what x lacks of the step
     * before (rhs.h). */
    naik_status (*apply_deferred_update)(naik_field *x, const naik_field *p, const naik_rhs *rhs,
                                         naik_rhs_state state);
    /* naik_bicgstab_take of `count` rhs, from sums [4][count] in the order of the stage, which it adds
     * over ranks at once and leaves cleared; and their coefficients. Stages that count write to
     * history as rhs_step does. */
    naik_status (*bicgstab_step)(naik_backend *backend, naik_bicgstab_stage stage, naik_rhs *rhs,
                                 naik_bicgstab_record *record, double (*coefficients)[2],
                                 naik_exactsum *sums, int count, double *history,
                                 int history_stride);
    /* For operators whose kernels do not: a form of the Dslash other than D and affine, where -D in
     * is `in` itself, on the sites that are written. NULL: there are none such here. */
    naik_status (*finish)(const naik_dslash_args *args);
    /* Shifted systems beside the rhs (shifts.h), `each` an rhs: shifts [count][each].
     * shift_step follows the counting of a step; history as there, [history_stride][count][each].
     * update_shifts, for those that move: x_s += alpha_s p_s, p_s = zeta r + beta_s p_s, where r
     * has `count` rhs, x and p have count each. */
    naik_status (*shift_step)(naik_backend *backend, const naik_rhs *rhs, naik_shift *shifts,
                              int count, int each, double *history, int history_stride);
    naik_status (*update_shifts)(const naik_shift *shifts, const naik_field *r, naik_field *x,
                                 naik_field *p);
    /* Calls body(data) `times` times. The body only enqueues calls of this backend, the same ones
     * each time: where `record` says so and it can, a backend records them and plays them back.
     * `serial` (naik_backend_serial) names what is enqueued and must be another one whenever that
     * changes. */
    naik_status (*repeat)(naik_backend *backend, uint64_t serial, bool record,
                          naik_status (*body)(void *data), void *data, int times);
    /* Once after repeat: whether every rhs took all of these steps. Only then do the times that a
     * backend has taken of single kernels stand for what these move; it forgets all others. NULL: it
     * takes none. */
    naik_status (*repeated)(naik_backend *backend, bool whole);
} naik_solver_ops;

/* The staggered operator: its links as kernels want them, and D. */
typedef struct naik_staggered_ops {
    /* `count` sites from checkerboard site `begin` of `parity`, points [count][links->points] in
     * backend memory: out(s) = sum_k points[s][k] in(point k of s). Called until all sites of both
     * parities are in. */
    size_t (*links_bytes)(const naik_lattice *lattice, naik_precision precision, int recon,
                          int points);
    naik_status (*links_pack)(naik_links *links, naik_parity parity, int32_t begin, int32_t count,
                              const naik_matrix *points);
    naik_status (*dslash)(const naik_dslash_args *args, naik_region region);
} naik_staggered_ops;

typedef struct naik_brick naik_brick; /* field.h */

/* Low modes: `count` fields of NAIK_MODES_BLOCK rhs each, a mode an rhs, in single precision or in
 * bricks (field.h); mode i is rhs i mod NAIK_MODES_BLOCK of block[i / NAIK_MODES_BLOCK]. */
enum { NAIK_MODES_BLOCK = 8, NAIK_MODES_MAX = 16384 };
typedef struct naik_mode_ops {
    /* products [modes][r->nrhs][2] in backend memory, overwritten: re and im of
     *
     *   sum_bricks round(scale_c sum_{s in brick} v_i(s)^+ r_c(s))
     *
     * of this rank's box. The inner sum runs over the sites of one parity in a brick of 2^4 sites,
     * in fixed order and in the arithmetic of r (double, else single); boxes begin at even
     * coordinates, so no rank splits a brick, and what is added over bricks and ranks are integers:
     * the same on any grid. scale on the host, such that |v_i| |r_c| scale_c < 2^62; 0: this rhs is
     * left out. */
    naik_status (*project)(const naik_field *const *block, int count, const naik_field *r,
                           const double *scale, int64_t *products);
    /* x_c += sum_i v_i a_ic for rhs in `state` (rhs NULL: all), modes in order, in the arithmetic
     * of x; a [modes][x->nrhs][2] double in backend memory. */
    naik_status (*add)(const naik_field *const *block, int count, const double *a, naik_field *x,
                       const naik_rhs *rhs, naik_rhs_state state);
    /* v_j = sum_i v_i q_ij for the first `kept` modes, the others are left undefined; sums in
     * double, modes in order; precision single; q [modes][kept][2] double in backend memory, and
     * `aside` at least rotate_bytes(lattice, count) of it; rotate_bytes NULL: none. */
    naik_status (*rotate)(naik_field *const *block, int count, const double *q, int kept,
                          void *aside, size_t aside_bytes);
    size_t (*rotate_bytes)(const naik_lattice *lattice, int count);
    /* to = from: a block into bricks (field.h) from single precision, and out of them into single or
     * double; to may have a halo. The same bits on every backend. */
    naik_status (*round)(naik_field *to, const naik_field *from);
    naik_status (*widen)(naik_field *to, const naik_field *from);
    /* One mode of a block of bricks from the host, as it lies in files: [volume_cb / 8] in the order
     * of a lattice of half the extents. */
    naik_status (*place)(naik_field *block, int irhs, const naik_brick *bricks);
    /* One mode of a block in single precision to and from the host, [volume_cb][3][2]: as it lies in
     * files, even sites in the order of the checkerboard. */
    naik_status (*to_host)(const naik_field *block, int irhs, float *mode);
    naik_status (*from_host)(naik_field *block, int irhs, const float *mode);
    /* Bytes of a field without halo. */
    size_t (*bytes)(const naik_lattice *lattice, naik_precision precision, int nrhs);
} naik_mode_ops;

/* Spinors. */
typedef struct naik_wilson_ops {
    /* As naik_staggered_ops.dslash, of fields with spin. */
    naik_status (*dslash)(const naik_dslash_args *args, naik_region region);
    /* out = B in for rhs in `state` on the sites of `parity`; out may be in. */
    naik_status (*multiply)(const naik_blocks *blocks, const naik_field *in, naik_parity parity,
                            const naik_rhs *rhs, naik_rhs_state state, naik_field *out);
    /* Blocks (site_blocks.h) of all sites from [sites][NAIK_SITE_BLOCKS] in the same memory. */
    size_t (*blocks_bytes)(const naik_lattice *lattice, naik_precision precision);
    naik_status (*blocks_pack)(naik_blocks *blocks, const naik_block (*source)[NAIK_SITE_BLOCKS]);
} naik_wilson_ops;

typedef struct naik_backend_ops {
    const char *name;
    bool host_memory;  /* what alloc gives may be touched by the host and by MPI */
    int poll_interval; /* iterations a solver enqueues between two polls of the rhs, at least */

    naik_status (*open)(naik_backend *backend, const naik_backend_options *options);
    void (*close)(naik_backend *backend);
    /* One line for the banner: device, memory, threads, instruction set. */
    void (*describe)(const naik_backend *backend, char *text, size_t text_size);
    bool (*shared)(const naik_backend *backend); /* whether ranks share devices; NULL: no device */
    /* Opens a range of this name in the device's profiler, NULL closes the innermost one; may be
     * NULL. */
    void (*range)(const char *name);
    /* Whatever the backend wants to know of a lattice, made once (geometry->tables). */
    naik_status (*tables_create)(naik_backend *backend, const naik_lattice *lattice, void **out);
    void (*tables_destroy)(naik_backend *backend, void *tables);

    naik_memory_ops memory;               /* device.h */
    const struct naik_link_ops *link_ops; /* how links are built in it (link_ops.h) */
    naik_field_ops field;
    naik_halo_ops halo;
    naik_reduction_ops reduction;
    naik_solver_ops solver;
    naik_staggered_ops staggered;
    naik_wilson_ops wilson;
    naik_mode_ops modes;
    const struct naik_multigrid_ops *multigrid; /* multigrid.h; NULL: not here */
    const struct naik_low_ops *low;             /* low_vectors.h */
} naik_backend_ops;

struct naik_backend {
    naik_device device; /* its memory; first, so that a device's functions find their backend */
    const naik_backend_ops *ops;
    naik_comm *comm;   /* borrowed */
    naik_log *log;     /* borrowed */
    void *state;       /* the backend's own */
    uint64_t serial;   /* last one given out */
    naik_timer *timer; /* borrowed, may be NULL: phases of the work on this backend */
    naik_route route;  /* of halos */
    naik_backend_choices choices;
    struct naik_launch_trials *launch_trials; /* launch.c; NULL: nothing has been measured */
};
/* A number that this backend has not given out before; never 0. */
static inline uint64_t naik_backend_serial(naik_backend *backend)
{
    return ++backend->serial;
}

/* The device whose memory the backend's is; NULL where it is the host's. */
static inline naik_device *naik_backend_device(naik_backend *backend)
{
    return backend == NULL || backend->ops->host_memory ? NULL : &backend->device;
}

/* The backend's memory: naik_memory_ops. */
static inline naik_status naik_backend_alloc(naik_backend *backend, size_t size_bytes,
                                             const char *what, void **out)
{
    return backend->ops->memory.alloc(&backend->device, size_bytes, what, out);
}
static inline void naik_backend_release(naik_backend *backend, void *memory)
{
    backend->ops->memory.release(&backend->device, memory);
}
static inline naik_status naik_backend_upload(naik_backend *backend, void *to,
                                              const void *from_host, size_t size_bytes)
{
    return backend->ops->memory.upload(&backend->device, to, from_host, size_bytes);
}
static inline naik_status naik_backend_download(naik_backend *backend, void *to_host,
                                                const void *from, size_t size_bytes)
{
    return backend->ops->memory.download(&backend->device, to_host, from, size_bytes);
}
static inline naik_status naik_backend_sync(naik_backend *backend)
{
    return backend->ops->memory.sync(&backend->device);
}
static inline naik_status naik_backend_sum_words(naik_backend *backend, const void *memory,
                                                 size_t size_bytes, uint64_t sums[2])
{
    return backend->ops->memory.sum_words(&backend->device, memory, size_bytes, sums);
}

/* A lattice as one backend sees it: its tables and its halo exchange. Fields and links belong to
 * one. */
struct naik_geometry {
    naik_backend *backend;       /* borrowed */
    const naik_lattice *lattice; /* borrowed */
    void *tables;
    struct naik_halo *halo; /* halo.h */
};

#endif
