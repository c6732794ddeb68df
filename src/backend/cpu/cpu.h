/* cpu.h - the CPU backend's storage, shared by its kernels
 *
 * The box is cut into as many equal sub-lattices as a vector has lanes: lane k of a vector holds
 * the same site of sub-lattice k, so that points need no shuffling except across the faces of the
 * sub-lattices, where all lanes move together to the next sub-lattice. The sites of one
 * checkerboard of a sub-lattice are called cells; extents of sub-lattices are even, so the lanes of
 * a cell have one parity. A box that cannot be cut so has one lane and scalar kernels.
 *
 * Fields:  [cells + halo cells][nrhs][spin][3][2][lanes]; half precision: int16 in that shape, and
 *          after all cells float scales [cells + halo][nrhs][spin][lanes], of fields without halo
 *          [bricks][nrhs][lanes] (backend/field.h): the cells of a brick lie in one sub-lattice,
 *          whose extents and origin are even, so a lane of its cells is a brick of the lattice
 * Links:   [parity][cells][fat: 8 points][18][lanes] [long: 8 points][recon][lanes], 18 numbers by
 *          columns of the matrix
 * Blocks:  [parity][cells][2][36][lanes]: the diagonal, then re and im of what is below it
 * Halo:    for each split mu, forward then backward, [depth][cells of a layer]: whole cells, in which
 *          the lanes at the face of the box come from the neighbour, the others from the box. Of
 *          spinors in double and single (h0, h1, 0, 0), backend/halves.h
 */
#ifndef NAIK_BACKEND_CPU_CPU_H
#define NAIK_BACKEND_CPU_CPU_H

#include <stdatomic.h>

#include "backend/field.h"
#include "backend/packed_links.h"
#include "base/exactsum.h"

enum { CPU_LANES = 16, CPU_SHIFTS = CPU_LANES };

typedef struct cpu_shape {
    int lanes;                           /* CPU_LANES or 1 */
    int cut[NAIK_DIM];                   /* sub-lattices along mu; their product is `lanes` */
    int extent[NAIK_DIM];                /* of a sub-lattice */
    int32_t cells, halo;                 /* cells of one parity */
    int32_t face[NAIK_DIM];              /* cells of one parity in one layer across mu */
    int32_t zone[NAIK_DIM][2];           /* first halo cell; -1 where mu is not split */
    int64_t lane_origin[CPU_LANES];      /* local lexicographic number of the lane's first site */
    int lane_place[CPU_LANES][NAIK_DIM]; /* of the lane's sub-lattice */
} cpu_shape;

/* One shape serves every field, link and message of a lattice. */
cpu_shape cpu_shape_of(const naik_lattice *lattice);

/* The cell and the lane of the site at local coordinates x. */
static inline void cpu_place_of(const cpu_shape *shape, const int x[NAIK_DIM], size_t *cell,
                                size_t *lane)
{
    *cell = *lane = 0;
    for (int mu = NAIK_DIM - 1; mu >= 0; mu--) {
        *lane = *lane * (size_t)shape->cut[mu] + (size_t)(x[mu] / shape->extent[mu]);
        *cell = *cell * (size_t)shape->extent[mu] + (size_t)(x[mu] % shape->extent[mu]);
    }
    *cell /= 2;
}

/* How all lanes move to another sub-lattice. */
typedef struct cpu_move {
    int32_t from[CPU_LANES]; /* lane to take */
    bool fours;              /* four lanes from a multiple of four on stay together */
} cpu_move;

typedef struct cpu_tables {
    cpu_shape shape;
    int32_t *point[2]; /* [parity of the cell][cells][16]: cell or halo cell of the other parity */
    uint8_t *shift[2]; /* [parity][cells][16]: how lanes move on that point, 0: not */
    cpu_move move[CPU_SHIFTS]; /* [shift] */
    int32_t *order;            /* [cells]: all cells, as the Dslash takes them */
    int32_t *interior[2],
        *boundary[2]; /* those without and with halo cells around, in that order */
    int32_t interior_count[2], boundary_count[2];
    int32_t *layer[2][NAIK_DIM][2]; /* [parity][mu][side][depth * face + number]: cells there */
} cpu_tables;

static inline const cpu_tables *cpu_tables_of(const naik_geometry *geometry)
{
    return geometry->tables;
}

static inline size_t cpu_real_bytes(naik_precision precision)
{
    return precision == NAIK_DOUBLE   ? sizeof(double)
           : precision == NAIK_SINGLE ? sizeof(float)
                                      : sizeof(int16_t);
}

/* Bytes before the scales of a half-precision field begin. */
static inline size_t cpu_scales_offset(const cpu_shape *shape, int vectors, bool bare)
{
    size_t reals = (size_t)(shape->cells + (bare ? 0 : shape->halo)) * (size_t)vectors * 6 *
                   (size_t)shape->lanes;
    return (reals * sizeof(int16_t) + 63) / 64 * 64;
}

static inline float *cpu_scales(const naik_field *field)
{
    const cpu_shape *shape = &cpu_tables_of(field->geometry)->shape;
    return (float *)((char *)field->data +
                     cpu_scales_offset(shape, naik_field_vectors(field), field->bare));
}

/* Numbers stored for a fat and for a long link; 0 where there are none. */
static inline int cpu_fat_numbers(int points, int recon)
{
    return points == NAIK_STENCIL ? 18 : recon;
}
static inline int cpu_long_numbers(int points, int recon)
{
    return points == NAIK_STENCIL ? recon : 0;
}

/* Exact sums of one rhs in one thread (backend/cpu/sums.h). */
typedef struct cpu_sums cpu_sums;

/* What field.combine is asked for (backend.h). */
typedef struct cpu_combining {
    const naik_combination *of;
    int count;
    const naik_products *products;
    const naik_rhs *rhs;
    naik_rhs_state state;
} cpu_combining;

/* What reduction.dot and complex_dot are asked for (backend.h). */
typedef struct cpu_product {
    const naik_field *v, *w;
    int turn;
    const naik_rhs *rhs;
    naik_rhs_state state;
} cpu_product;

/* The kernels of one instruction set. All of them treat cells begin..end-1, the Dslash
 * list[begin..end-1]; `sums`, of each rhs, may be NULL. All instruction sets give the same bits.
 */
typedef struct cpu_kernels {
    const char *name;
    const struct cpu_wilson *wilson; /* of spinors */
    bool (*run_here)(void);          /* whether this machine has the instructions */
    void (*dslash)(const naik_dslash_args *args, const int32_t *list, int32_t begin, int32_t end,
                   cpu_sums *sums);
    void (*finish)(const naik_dslash_args *args, int32_t begin, int32_t end, cpu_sums *sums);
    void (*update_shifts)(const naik_shift *shifts, const naik_field *r, naik_field *x,
                          naik_field *p, int32_t begin, int32_t end);
    void (*update_direction)(const naik_rhs *rhs, const naik_field *r, naik_field *x, naik_field *p,
                             int32_t begin, int32_t end);
    void (*dot)(const cpu_product *p, int32_t begin, int32_t end, cpu_sums *sums);
    void (*complex_dot)(const cpu_product *p, int32_t begin, int32_t end, cpu_sums *sums);
    void (*combine)(const cpu_combining *p, int32_t begin, int32_t end, cpu_sums *sums);
    /* One colour vector of one cell as double, [6][lanes]; storing rounds. */
    void (*load)(const naik_field *v, int32_t cell, int vector, double *out);
    void (*store)(naik_field *v, int32_t cell, int vector, const double *in);
} cpu_kernels;

extern const cpu_kernels cpu_kernels_scalar; /* one lane */
extern const cpu_kernels cpu_kernels_portable;
/* on x86 only: */
extern const cpu_kernels cpu_kernels_scalar_fma;
extern const cpu_kernels cpu_kernels_avx2;
extern const cpu_kernels cpu_kernels_avx512;

/* The kernels of spinors. */
typedef struct cpu_wilson {
    void (*dslash)(const naik_dslash_args *args, const int32_t *list, int32_t begin, int32_t end,
                   cpu_sums *sums);
    void (*multiply)(const naik_blocks *blocks, const naik_field *in, naik_parity parity,
                     const naik_rhs *rhs, naik_rhs_state state, naik_field *out, int32_t begin,
                     int32_t end);
} cpu_wilson;

extern const cpu_wilson cpu_wilson_scalar, cpu_wilson_scalar_fma, cpu_wilson_portable,
    cpu_wilson_avx2, cpu_wilson_avx512;

/* How far the cells of a thread are taken (cpu_run); a cache line each. */
typedef struct cpu_turn {
    _Alignas(64) atomic_int_least64_t next;
} cpu_turn;

typedef struct cpu_state {
    int threads;
    cpu_turn *turn; /* [threads] */
    cpu_sums *sums; /* [threads][2 NAIK_MAX_RHS], each part touched by its thread alone */
    const cpu_kernels *kernels; /* of CPU_LANES lanes */
    const cpu_kernels *scalar;  /* of one lane */
} cpu_state;

static inline int cpu_threads(const naik_backend *backend)
{
    return ((const cpu_state *)backend->state)->threads;
}

static inline const cpu_kernels *cpu_kernels_of(const naik_geometry *geometry)
{
    const cpu_state *state = geometry->backend->state;
    return cpu_tables_of(geometry)->shape.lanes == 1 ? state->scalar : state->kernels;
}

/* Runs body over `count` cells in parallel, in pieces of neighbours, each thread with its own sums,
 * and adds those to `sums` [summed] (NULL: none). Not from inside itself. */
typedef void (*cpu_range)(void *context, int32_t begin, int32_t end, cpu_sums *sums);
naik_status cpu_run(naik_backend *backend, int32_t count, int summed, naik_exactsum *sums,
                    cpu_range body, void *context);

/* Entries of the backend's table (backend.h): backend/cpu/layout.c */
naik_status cpu_tables_create(naik_backend *backend, const naik_lattice *lattice, void **out);
void cpu_tables_destroy(naik_backend *backend, void *tables);
size_t cpu_field_bytes(const naik_lattice *lattice, naik_precision precision, int nrhs);
size_t cpu_bare_field_bytes(const naik_lattice *lattice, naik_precision precision, int nrhs);
/* backend/cpu/messages.c */
size_t cpu_face_bytes(const naik_lattice *lattice, naik_precision precision, int nrhs, int mu,
                      int depth);
naik_status cpu_pack(const naik_field *field, const naik_layers *layers, int mu, int side,
                     void *buffer);
naik_status cpu_unpack(naik_field *field, const naik_layers *layers, int mu, int side,
                       const void *buffer);
/* backend/cpu/modes.c */
naik_status cpu_modes_project(const naik_field *const *block, int count, const naik_field *r,
                              const double *scale, int64_t *products);
naik_status cpu_modes_add(const naik_field *const *block, int count, const double *a, naik_field *x,
                          const naik_rhs *rhs, naik_rhs_state state);
naik_status cpu_modes_rotate(naik_field *const *block, int count, const double *q, int kept,
                             void *aside, size_t aside_bytes);
naik_status cpu_modes_round(naik_field *to, const naik_field *from);
naik_status cpu_modes_widen(naik_field *to, const naik_field *from);
naik_status cpu_mode_place(naik_field *block, int irhs, const naik_brick *bricks);
extern const struct naik_low_ops naik_low_cpu; /* backend/cpu/low_vectors.c */
/* backend/cpu/links.c */
size_t cpu_links_bytes(const naik_lattice *lattice, naik_precision precision, int recon,
                       int points);
naik_status cpu_links_pack(naik_links *links, naik_parity parity, int32_t begin, int32_t count,
                           const naik_matrix *points);
/* backend/cpu/site_blocks.c */
size_t cpu_blocks_bytes(const naik_lattice *lattice, naik_precision precision);
naik_status cpu_blocks_pack(naik_blocks *blocks, const naik_block (*source)[NAIK_SITE_BLOCKS]);
/* backend/cpu/bicgstab.c */
naik_status cpu_dot(const naik_field *v, const naik_field *w, const naik_rhs *rhs,
                    naik_rhs_state state, naik_exactsum *sums);
naik_status cpu_complex_dot(const naik_field *v, const naik_field *w, int turn, const naik_rhs *rhs,
                            naik_rhs_state state, naik_exactsum *sums);
int cpu_products(const naik_field *with, int nrhs); /* sums that they are */
naik_status cpu_combine(const naik_combination *of, int count, const naik_products *products,
                        const naik_rhs *rhs, naik_rhs_state state);
naik_status cpu_bicgstab_step(naik_backend *backend, naik_bicgstab_stage stage, naik_rhs *rhs,
                              naik_bicgstab_record *record, double (*coefficients)[2],
                              naik_exactsum *sums, int count, double *history, int history_stride);
/* backend/cpu/fields.c */
naik_status cpu_field_from_host(naik_field *field, naik_parity parity, int irhs,
                                const double *sites);
naik_status cpu_field_from_part(naik_field *field, naik_parity parity, int irhs,
                                const double *sites, const int32_t part[2]);
naik_status cpu_field_to_host(const naik_field *field, naik_parity parity, int irhs, double *sites);
naik_status cpu_mode_to_host(const naik_field *block, int irhs, float *mode);
naik_status cpu_mode_from_host(naik_field *block, int irhs, const float *mode);
naik_status cpu_field_zero(naik_field *field, const naik_rhs *rhs, naik_rhs_state state);
naik_status cpu_field_copy(naik_field *to, const naik_field *from, const naik_rhs *rhs,
                           naik_rhs_state state);
naik_status cpu_field_add(naik_field *to, const naik_field *from, const naik_rhs *rhs,
                          naik_rhs_state state);
naik_status cpu_apply_deferred_update(naik_field *x, const naik_field *p, const naik_rhs *rhs,
                                      naik_rhs_state state);
naik_status cpu_field_axpy(double a, const naik_field *x, naik_field *y);
naik_status cpu_slice_norms(const naik_field *const v[2], const naik_slice_norms *args,
                            naik_exactsum *sums);
naik_status cpu_field_gather(naik_field *to, const naik_field *from, const int *map);
naik_status cpu_field_copy_rhs(naik_field *to, int irhs, const naik_field *from, int from_irhs);
naik_status cpu_site_ratio(const naik_field *r, const naik_field *x, naik_exactsum *sums);

#endif
