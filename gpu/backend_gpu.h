/* backend_gpu.h - the functions behind the table of backend_gpu.cu; their contracts are backend.h's
 */
#ifndef NAIK_GPU_BACKEND_GPU_H
#define NAIK_GPU_BACKEND_GPU_H

#include "gpu/device.h"
#include "gpu/fields/stencil.cuh"
#include "gpu/halo/exchange.h"

typedef struct naik_ghosted naik_ghosted; /* links/ghosted.h */
typedef struct naik_clover naik_clover;   /* links/clover.h */

/* All sites of a parity: those whose neighbours are in the box, then the others. */
typedef struct gpu_sites {
    int32_t *site; /* backend memory [half] */
    int inside;
} gpu_sites;

typedef struct gpu_tables {
    gpu_stencil stencil;
    /* [parity], only where a direction is split: of hops of one site, and of those that go far, too */
    gpu_sites near[2], far[2];
    int32_t *point[2]; /* backend memory [16][half]: neighbours, of staggered quarks */
    gpu_exchange exchange;
} gpu_tables;

/* Whether a kernel over the sites of a parity is done as soon as all its threads have begun: then
 * latencies are what it costs. */
static inline bool gpu_is_latency_bound(const naik_geometry *geometry, int nrhs)
{
    return (size_t)geometry->lattice->volume_cb * (size_t)nrhs <=
           (size_t)gpu_state_of(geometry->backend)->processors * 1024;
}

static inline const gpu_tables *gpu_tables_of(const naik_geometry *geometry)
{
    return (const gpu_tables *)geometry->tables;
}

/* pack.cu */
naik_status gpu_tables_create(naik_backend *backend, const naik_lattice *lattice, void **out);
void gpu_tables_destroy(naik_backend *backend, void *tables);
naik_status gpu_field_from_host(naik_field *field, naik_parity parity, int irhs,
                                const double *sites);
naik_status gpu_field_from_part(naik_field *field, naik_parity parity, int irhs,
                                const double *sites, const int32_t part[2]);
naik_status gpu_field_to_host(const naik_field *field, naik_parity parity, int irhs, double *sites);
naik_status gpu_field_from_device(naik_field *field, naik_parity parity, int irhs,
                                  const double *sites);
naik_status gpu_field_to_device(const naik_field *field, naik_parity parity, int irhs,
                                double *sites);

/* messages.cu */
size_t gpu_face_bytes(const naik_lattice *lattice, naik_precision precision, int nrhs, int mu,
                      int depth);
naik_status gpu_pack(const naik_field *field, const naik_layers *layers, int mu, int side,
                     void *buffer);
naik_status gpu_unpack(naik_field *field, const naik_layers *layers, int mu, int side,
                       const void *buffer);

/* checksum.cu */
naik_status gpu_sum_words(naik_device *device, const void *memory, size_t size_bytes,
                          uint64_t sums[2]);

/* links.cu */
size_t gpu_links_bytes(const naik_lattice *lattice, naik_precision precision, int recon,
                       int points);
naik_status gpu_links_pack(naik_links *links, naik_parity parity, int32_t begin, int32_t count,
                           const naik_matrix *points);

/* add_links.cu */
naik_status gpu_links_combine(const naik_gauge *a, double s, const naik_gauge *b, naik_gauge *out);
naik_status gpu_links_rotate(const naik_gauge *a, const naik_complex phase[NAIK_DIM],
                             naik_gauge *out);

/* gauge_fix.cu */
naik_status gpu_turns_find(const naik_ghosted *u, int directions, double omega, int parity,
                           naik_ghosted *turn);
naik_status gpu_turns_apply(const naik_ghosted *turn, int parity, naik_ghosted *u);
naik_status gpu_turns_divergence(const naik_ghosted *u, int directions, naik_exactsum *sum);
naik_status gpu_turns_reunitarise(naik_ghosted *u, int64_t *bad);
naik_status gpu_ghosted_store(const naik_ghosted *ghosted, int mu, naik_gauge *gauge);

/* clover.cu */
naik_status gpu_clover(const naik_ghosted *u, double diagonal, double csw, naik_clover *clover,
                       int64_t *singular);

/* blas.cu */
size_t gpu_field_bytes(const naik_lattice *lattice, naik_precision precision, int nrhs);
size_t gpu_bare_field_bytes(const naik_lattice *lattice, naik_precision precision, int nrhs);
naik_status gpu_field_zero(naik_field *field, const naik_rhs *rhs, naik_rhs_state state);
naik_status gpu_field_copy(naik_field *to, const naik_field *from, const naik_rhs *rhs,
                           naik_rhs_state state);
naik_status gpu_field_add(naik_field *to, const naik_field *from, const naik_rhs *rhs,
                          naik_rhs_state state);
naik_status gpu_apply_deferred_update(naik_field *x, const naik_field *p, const naik_rhs *rhs,
                                      naik_rhs_state state);
naik_status gpu_field_gather(naik_field *to, const naik_field *from, const int *map);
naik_status gpu_field_copy_rhs(naik_field *to, int irhs, const naik_field *from, int from_irhs);
naik_status gpu_update_direction(const naik_rhs *rhs, const naik_field *r, naik_field *x,
                                 naik_field *p);
naik_status gpu_dot(const naik_field *v, const naik_field *w, const naik_rhs *rhs,
                    naik_rhs_state state, naik_exactsum *sums);
naik_status gpu_site_ratio(const naik_field *r, const naik_field *x, naik_exactsum *sums);

/* modes.cu */
naik_status gpu_modes_project(const naik_field *const *block, int count, const naik_field *r,
                              const double *scale, int64_t *products);
naik_status gpu_modes_add(const naik_field *const *block, int count, const double *a, naik_field *x,
                          const naik_rhs *rhs, naik_rhs_state state);
/* bricks.cu */
naik_status gpu_modes_round(naik_field *to, const naik_field *from);
naik_status gpu_modes_widen(naik_field *to, const naik_field *from);
naik_status gpu_mode_place(naik_field *block, int irhs, const naik_brick *bricks);
/* pack.cu */
naik_status gpu_mode_to_host(const naik_field *block, int irhs, float *mode);
naik_status gpu_mode_from_host(naik_field *block, int irhs, const float *mode);
/* rotate.cu */
naik_status gpu_modes_rotate(naik_field *const *block, int count, const double *q, int kept,
                             void *aside, size_t aside_bytes);
size_t gpu_modes_rotate_bytes(const naik_lattice *lattice, int count);

/* slices.cu */
naik_status gpu_field_axpy(double a, const naik_field *x, naik_field *y);
naik_status gpu_slice_norms(const naik_field *const v[2], const naik_slice_norms *args,
                            naik_exactsum *sums);

/* scalars.cu */
naik_status gpu_sums_clear(naik_backend *backend, naik_exactsum *sums, int count);
naik_status gpu_sums_reduce(naik_backend *backend, naik_exactsum *sums, int count);
naik_status gpu_sums_values(naik_backend *backend, const naik_exactsum *sums, int count,
                            double *values);
naik_fuses_scalars gpu_fuses_scalars(const naik_geometry *geometry, int nrhs);
naik_status gpu_rhs_step(naik_backend *backend, naik_rhs *rhs, naik_exactsum *sums, int count,
                         naik_scalars which, double *history, int history_stride);

/* shifts.cu */
naik_status gpu_shift_step(naik_backend *backend, const naik_rhs *rhs, naik_shift *shifts,
                           int count, int each, double *history, int history_stride);
naik_status gpu_update_shifts(const naik_shift *shifts, const naik_field *r, naik_field *x,
                              naik_field *p);

/* record.cu */
naik_status gpu_repeat(naik_backend *backend, uint64_t serial, bool recorded,
                       naik_status (*body)(void *data), void *data, int times);
/* `times` calls of body(data) as a graph, which the caller destroys; NULL where the run time makes
 * none of them, which is said once: then nothing has been launched. */
void gpu_record(naik_backend *backend, naik_status (*body)(void *data), void *data, int times,
                gpu_graph_exec *out);

/* sample.cu: calls the body GPU_SAMPLED times; the kernels that it launches get their times taken
 * once a serial, where the backend has a timer and all ranks are of one node. collect waits for
 * them and tells the timer, if every rhs was at work in them (whole); otherwise it forgets them, and
 * the next ones of this serial get their times taken. */
enum { GPU_SAMPLED = 2 };
naik_status gpu_sample(naik_backend *backend, uint64_t serial, naik_status (*body)(void *data),
                       void *data);
/* Where kernels are about to be tried in the middle of it: nothing is sampled this time. */
void gpu_sample_drop(naik_backend *backend);
naik_status gpu_sample_collect(naik_backend *backend, bool whole);
/* What the next launch moves at least, for so many rhs. */
void gpu_sample_moves(naik_backend *backend, int rhs, double bytes);
void gpu_sample_close(naik_backend *backend);

/* tune.cu: kernels that give equal bits, chosen between by measuring them once */
enum { GPU_MAX_VARIANTS = 24, GPU_TUNE_KEYS = 8 };
typedef struct gpu_variant {
    int rhs;      /* a thread */
    int sites;    /* a block */
    int together; /* tiles of rhs a block */
    int threads;  /* a site and rhs: rows (3), kinds of points, or both */
    int order;    /* 0: sites in their order; of Wilson's D see wilson.cu */
} gpu_variant;
typedef struct gpu_variants {
    int count;
    gpu_variant variant[GPU_MAX_VARIANTS];
    double beside_s[GPU_MAX_VARIANTS]; /* what each takes in earnest that a trial does not show */
} gpu_variants;
typedef struct gpu_tune_key {
    int value[GPU_TUNE_KEYS]; /* all that the choice depends on */
} gpu_tune_key;
/* `path` of the file that keeps choices; NULL or "auto": under the user's cache folder; "none". */
naik_status gpu_tune_open(naik_backend *backend, const char *path);
void gpu_tune_close(naik_backend *backend);
/* Whether the choice for this key is known, and one of the list. */
bool gpu_tune_find(naik_backend *backend, const gpu_tune_key *key, const gpu_variants *list,
                   gpu_variant *out);
/* Runs every variant of the list, keeps and returns the fastest. */
naik_status gpu_tune_measure(naik_backend *backend, const gpu_tune_key *key,
                             const gpu_variants *list,
                             naik_status (*run)(const void *data, const gpu_variant *variant),
                             const void *data, gpu_variant *out);

/* wilson.cu, wilson_blocks.cu, bicgstab.cu */
naik_status gpu_wilson_dslash(const naik_dslash_args *args, naik_region region);
naik_status gpu_blocks_multiply(const naik_blocks *blocks, const naik_field *in, naik_parity parity,
                                const naik_rhs *rhs, naik_rhs_state state, naik_field *out);
size_t gpu_blocks_bytes(const naik_lattice *lattice, naik_precision precision);
naik_status gpu_blocks_pack(naik_blocks *blocks, const naik_block (*source)[NAIK_SITE_BLOCKS]);
naik_status gpu_complex_dot(const naik_field *v, const naik_field *w, int turn, const naik_rhs *rhs,
                            naik_rhs_state state, naik_exactsum *sums);
naik_status gpu_combine(const naik_combination *of, int count, const naik_products *products,
                        const naik_rhs *rhs, naik_rhs_state state);
naik_status gpu_bicgstab_step(naik_backend *backend, naik_bicgstab_stage stage, naik_rhs *rhs,
                              naik_bicgstab_record *record, double (*coefficients)[2],
                              naik_exactsum *sums, int count, double *history, int history_stride);

/* dslash.cu */
naik_status gpu_dslash(const naik_dslash_args *args, naik_region region);

#endif
