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
 * Columns: a call with (columns, state) acts on the columns in that state; columns NULL means all.
 * Sums are exact (exactsum.h), of each site's term as computed from the values as stored.
 */
#ifndef NAIK_BACKEND_H
#define NAIK_BACKEND_H

#include <stdbool.h>
#include <stddef.h>

#include "naik/columns.h"
#include "naik/lattice.h"
#include "naik/shifts.h"
#include "naik/su3.h"
#include "naik/timer.h"
#include "naik/transport.h"

typedef struct naik_backend naik_backend;
typedef struct naik_geometry naik_geometry;
typedef struct naik_field naik_field;
typedef struct naik_links naik_links;

/* How reals are stored. Sums and scalars are double in all of them; half is 16-bit integers with
 * one float scale a site and column (fields) or a kind of link (links), and single arithmetic. */
typedef enum naik_precision { NAIK_DOUBLE = 0, NAIK_SINGLE = 1, NAIK_HALF = 2 } naik_precision;
const char *naik_precision_name(naik_precision precision); /* "double", "single", "half" */

typedef enum naik_region { NAIK_ALL, NAIK_INTERIOR, NAIK_BOUNDARY } naik_region;

/* What the Dslash kernel does with D in before it writes the site, all in one pass. */
typedef enum naik_form {
    NAIK_FORM_D,        /* out = D in */
    NAIK_FORM_AFFINE,   /* out = a v + s D in */
    NAIK_FORM_RESIDUAL, /* out = b - (shift_c v - D in) */
    NAIK_FORM_DESCENT,  /* out = b - alpha_c (shift_c v - D in) */
    NAIK_FORM_STEP      /* a whole step of the conjugate gradient, out = r:
                             p' = r + beta_c p,  ap = (shift_c r - D in) + beta_c ap,
                             r -= alpha_c ap,    x += lag_c p + alpha_c p' unless waiting_c */
} naik_form;

/* Sums whose scalars a kernel shall compute for itself before it uses them, as column_step would
 * have done before it. Where the backend can (takes_sums). */
typedef struct naik_columns_due {
    naik_column *columns; /* backend memory */
    naik_exactsum *sums;  /* as column_step's, left cleared */
    double *history;      /* column_step's */
    int history_stride;
} naik_columns_due;

typedef enum naik_scalars { NAIK_COUNT = 1, NAIK_TAKE = 2, NAIK_COUNT_AND_TAKE = 3 } naik_scalars;

typedef enum naik_takes_sums {
    NAIK_TAKES_NONE,
    NAIK_TAKES_IF_ASKED, /* a kernel for the scalars is faster */
    NAIK_TAKES_GLADLY
} naik_takes_sums;

/* Outer layers of a field on one parity. */
typedef struct naik_layers {
    naik_parity parity;
    int depth;
} naik_layers;

typedef struct naik_dslash_args {
    naik_form form;
    naik_parity parity; /* of the sites written; `in` is on the other */
    const naik_links *links;
    const naik_field *in; /* with its halo exchanged before boundary sites are computed */
    naik_field *out;      /* same shape and precision as in, v, b; may be v or b, not in */
    const naik_field *v, *b;
    naik_field *x, *p, *ap; /* of a step; v and b are r */
    double a, s;
    const naik_column *columns; /* backend memory [nrhs]; for shift, and with `state` as mask */
    naik_column_state state;
    /* backend memory [nrhs], sums_c += |out|^2; of a step [2][nrhs], also Re (r, ap); NULL: not
     * wanted */
    naik_exactsum *sums;
    /* The scalars of a step of one column, which its kernel computes: of both halves, the first
     * puts |r|^2 and Re (r, ap) aside. NULL: they are in columns. */
    const naik_columns_due *due;
    /* The next exchange is of `out`, for these links: naik_dslash lets the kernel send its layers
     * where it can, the backend does so (naik_halo_promise). */
    bool send;
} naik_dslash_args;

/* How an iteration reaches the device; the bits are the same. */
typedef enum naik_orchestration {
    NAIK_ORCHESTRATE_AUTO,
    NAIK_ORCHESTRATE_SEPARATE, /* every operation a kernel, launched one by one */
    NAIK_ORCHESTRATE_FUSED,    /* scalars computed by the kernels that sum them, halos sent by those
                                  that write the field */
    NAIK_ORCHESTRATE_GRAPH,    /* separate kernels, recorded once and played back */
    NAIK_ORCHESTRATE_BOTH      /* fused kernels, recorded once and played back */
} naik_orchestration;

/* For measurements and tests. */
typedef struct naik_backend_choices {
    int granularity; /* threads a site and column of the Dslash: 1, 3 (one a row of the result), 4
                        (one a kind of hop), 12 (both); 0: auto. Rows need links stored whole:
                        18 numbers or 6 words */
    int variant; /* k: the k-th (modulo their number) of the kernels that a GPU would choose between
                    by measuring; 0: the fastest */
    naik_orchestration orchestration;
} naik_backend_choices;

typedef struct naik_backend_options {
    int threads;    /* host threads; 0: as OpenMP decides */
    bool share_gpu; /* let ranks share a device */
    naik_transport transport;
    const char *tune_cache; /* file that keeps the choice of kernels; NULL or "auto": the
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
    naik_status (*send)(const naik_field *field, naik_parity parity, int depth, bool beside);
    /* Waits for those of the neighbours and puts them into the halo zones. */
    naik_status (*receive)(naik_field *field, naik_parity parity, int depth);
} naik_peer_ops;

typedef struct naik_backend_ops {
    const char *name;
    bool host_memory;  /* what alloc gives may be touched by the host and by MPI */
    int poll_interval; /* iterations a solver enqueues between two looks at the columns, at least */

    naik_status (*open)(naik_backend *backend, const naik_backend_options *options);
    void (*close)(naik_backend *backend);
    /* One line for the banner: device, memory, threads, instruction set. */
    void (*describe)(const naik_backend *backend, char *text, size_t text_size);

    naik_status (*alloc)(naik_backend *backend, size_t size_bytes, const char *what, void **out);
    void (*release)(naik_backend *backend, void *memory);
    naik_status (*upload)(naik_backend *backend, void *to, const void *from_host,
                          size_t size_bytes);
    naik_status (*download)(naik_backend *backend, void *to_host, const void *from,
                            size_t size_bytes);
    naik_status (*sync)(naik_backend *backend);
    /* Of w_i, the 32-bit words of backend memory: sums[0] = sum w_i, sums[1] = sum (i + 1) w_i,
     * both modulo 2^64: a checksum that does not depend on order. size_bytes: a multiple of 4.
     * Waits. */
    naik_status (*sum_words)(naik_backend *backend, const void *memory, size_t size_bytes,
                             uint64_t sums[2]);
    /* Bytes that alloc can still give on this rank's device; NULL where the memory is the host's.
     */
    naik_status (*free_bytes)(naik_backend *backend, size_t *out);
    /* Bytes that went to this rank's device and came back since it was opened; NULL where the
     * memory is the host's. */
    void (*moved)(const naik_backend *backend, double *up_bytes, double *down_bytes);
    /* These four are NULL where backend memory is host memory. alloc_host: host memory that copies
     * to and from the backend's are fastest from. */
    naik_status (*alloc_host)(naik_backend *backend, size_t size_bytes, const char *what,
                              void **out);
    void (*release_host)(naik_backend *backend, void *memory);
    bool (*shared)(const naik_backend *backend); /* whether ranks share devices */
    const naik_peer_ops *peer;                   /* NULL: there are none */
    /* Opens a range of this name in the device's profiler, NULL closes the innermost one; may be
     * NULL. */
    void (*range)(const char *name);

    /* Whatever the backend wants to know of a lattice, made once (geometry->tables). */
    naik_status (*tables_create)(naik_backend *backend, const naik_lattice *lattice, void **out);
    void (*tables_destroy)(naik_backend *backend, void *tables);

    /* Fields. Canonical host arrays are [sites][3][2] double, local lexicographic; import reads and
     * export writes only the sites of `parity`. */
    size_t (*field_bytes)(const naik_lattice *lattice, naik_precision precision, int nrhs);
    naik_status (*field_import)(naik_field *field, naik_parity parity, int column,
                                const double *sites);
    naik_status (*field_export)(const naik_field *field, naik_parity parity, int column,
                                double *sites);
    naik_status (*field_zero)(naik_field *field, const naik_column *columns,
                              naik_column_state state);
    /* to = from, between precisions, same nrhs. */
    naik_status (*field_copy)(naik_field *to, const naik_field *from, const naik_column *columns,
                              naik_column_state state);
    /* to += from, between precisions, same nrhs. */
    naik_status (*field_add)(naik_field *to, const naik_field *from, const naik_column *columns,
                             naik_column_state state);
    /* x += waiting_c p, same shape, x in the precision of p or in double: what x lacks of the step
     * before (columns.h). */
    naik_status (*field_settle)(naik_field *x, const naik_field *p, const naik_column *columns,
                                naik_column_state state);
    /* y += a x, same shape and precision, all columns. */
    naik_status (*field_axpy)(double a, const naik_field *x, naik_field *y);
    /* For every time slice of the box and one column of v on `parity`:
     * sums[t] += sum_x weight_0(x) weight_1(y) weight_2(z) |v(x)|^2, t and coordinates local;
     * weights on the host, sums in backend memory. */
    naik_status (*slice_norms)(const naik_field *v, naik_parity parity, int column,
                               const double *const weight[3], naik_exactsum *sums);
    /* Column j of `to` = column map[j] of `from` (map on the host, to->nrhs entries), same
     * precision. */
    naik_status (*field_gather)(naik_field *to, const naik_field *from, const int *map);
    /* One column: to[column] = from[from_column], between precisions. */
    naik_status (*field_copy_column)(naik_field *to, int column, const naik_field *from,
                                     int from_column);

    /* How links are built in this memory (link_ops.h). */
    const struct naik_link_ops *link_ops;
    /* Links: `count` sites from checkerboard site `begin` of `parity`, hops [count][links->hops] in
     * backend memory: out(s) = sum_k hops[s][k] in(hop k of s). Called until all sites of both
     * parities are in. */
    size_t (*links_bytes)(const naik_lattice *lattice, naik_precision precision, int recon,
                          int hops);
    naik_status (*links_pack)(naik_links *links, naik_parity parity, int32_t begin, int32_t count,
                              const naik_matrix *hops);

    /* Halo: the `depth` layers of `field` (sites of `parity`) that the neighbour on `side` of mu
     * needs, as one message, and the layers received from the neighbour on `side` into the halo
     * zone (mu, side). */
    size_t (*face_bytes)(const naik_lattice *lattice, naik_precision precision, int nrhs, int mu,
                         int depth);
    naik_status (*pack)(const naik_field *field, naik_parity parity, int mu, int side, int depth,
                        void *buffer);
    naik_status (*unpack)(naik_field *field, naik_parity parity, int mu, int side, int depth,
                          const void *buffer);

    naik_status (*dslash)(const naik_dslash_args *args, naik_region region);

    /* Sums: backend memory [count]. reduce adds over ranks; values waits and rounds, on the host.
     */
    naik_status (*sums_clear)(naik_backend *backend, naik_exactsum *sums, int count);
    naik_status (*sums_reduce)(naik_backend *backend, naik_exactsum *sums, int count);
    naik_status (*sums_values)(naik_backend *backend, const naik_exactsum *sums, int count,
                               double *values);
    /* sums_c += Re (v_c, w_c), same shape and precision; v may be w. */
    naik_status (*dot)(const naik_field *v, const naik_field *w, naik_exactsum *sums);
    /* sums_c += sum_s |r_s|^2/|x_s|^2, where x_s = 0: 1. */
    naik_status (*site_ratio)(const naik_field *r, const naik_field *x, naik_exactsum *sums);

    /* The conjugate gradient's scalars. */
    /* Whether kernels over this many columns take naik_columns_due; NULL: they do not. */
    naik_takes_sums (*takes_sums)(const naik_geometry *geometry, int nrhs);
    /* naik_column_count, naik_column_take or both, of `count` columns. sums [3][count]: |r|^2,
     * Re (r, A p), which are counted, and |D r|^2, which is taken. Adds those it needs over ranks,
     * at once, and leaves them cleared. history, if not NULL: backend memory
     * [history_stride][count], a ring: a column that is counted writes rr to row (iterations - 1)
     * mod history_stride. */
    naik_status (*column_step)(naik_backend *backend, naik_column *columns, naik_exactsum *sums,
                               int count, naik_scalars which, double *history, int history_stride);

    /* The vectors of a classical step of running columns, before D is applied to p: x += waiting_c
     * p, p = r + beta_c p; x in double. */
    naik_status (*update_direction)(const naik_column *columns, const naik_field *r, naik_field *x,
                                    naik_field *p);
    /* Shifted systems beside the columns (shifts.h), `each` a column: shifts [count][each].
     * shift_step follows the counting of a step; history as there, [history_stride][count][each].
     * update_shifts, for those that move: x_s += alpha_s p_s, p_s = zeta r + beta_s p_s, where r
     * has `count` columns, x and p have count each. */
    naik_status (*shift_step)(naik_backend *backend, const naik_column *columns, naik_shift *shifts,
                              int count, int each, double *history, int history_stride);
    naik_status (*update_shifts)(const naik_shift *shifts, const naik_field *r, naik_field *x,
                                 naik_field *p);

    /* Calls body(data) `times` times. The body only enqueues calls of this backend, the same ones
     * each time: a backend may record them and play them back. `serial` (naik_backend_serial) names
     * what is enqueued and must be another one whenever that changes. */
    naik_status (*repeat)(naik_backend *backend, uint64_t serial, naik_status (*body)(void *data),
                          void *data, int times);
} naik_backend_ops;

struct naik_backend {
    const naik_backend_ops *ops;
    naik_comm *comm;   /* borrowed */
    naik_log *log;     /* borrowed */
    void *state;       /* the backend's own */
    uint64_t serial;   /* last one given out */
    naik_timer *timer; /* borrowed, may be NULL: phases of the work on this backend */
    naik_route route;  /* of halos */
    naik_backend_choices choices;
};
/* A number that this backend has not given out before; never 0. */
static inline uint64_t naik_backend_serial(naik_backend *backend)
{
    return ++backend->serial;
}

/* name: "cpu", "gpu" or "auto" (a GPU if this build and machine have one). Collective.
 * NAIK_ERR_INPUT   unknown name, or no GPU in this build
 * NAIK_ERR_DEVICE  no usable device on some rank */
naik_status naik_backend_create(naik_comm *comm, const char *name,
                                const naik_backend_options *options, naik_backend **out);
void naik_backend_destroy(naik_backend **backend);

/* What can be kept in the host's memory or in that of a device says which by a backend pointer: a
 * backend with memory of its own, or NULL for the host. */
static inline naik_backend *naik_backend_device(naik_backend *backend)
{
    return backend == NULL || backend->ops->host_memory ? NULL : backend;
}
/* Memory there; of the host it is zeroed. NAIK_ERR_MEMORY */
naik_status naik_device_alloc(naik_backend *device, naik_log *log, size_t size_bytes,
                              const char *what, void **out);
void naik_device_free(naik_backend *device, void *memory);

/* A lattice as one backend sees it: its tables and its halo exchange. Fields and links belong to
 * one. */
struct naik_geometry {
    naik_backend *backend;       /* borrowed */
    const naik_lattice *lattice; /* borrowed */
    void *tables;
    struct naik_halo *halo; /* halo.h */
};
naik_status naik_geometry_create(naik_backend *backend, const naik_lattice *lattice,
                                 naik_geometry **out);
void naik_geometry_destroy(naik_geometry **geometry);

#endif
