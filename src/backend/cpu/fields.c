/* fields.c - fields of the CPU to and from the host, and between precisions
 *
 * None of this is hot: every value passes through double, a cell and rhs at a time.
 */
#include <string.h>

#include "backend/cpu/cpu.h"
#include "backend/cpu/sums.h"
#include "base/clones.h"
#include "base/exactsum.h"

/* Local lexicographic number, within its sub-lattice, of the site of a cell. */
static int64_t site_of_cell(const naik_lattice *lat, const cpu_shape *shape, naik_parity parity,
                            int32_t cell)
{
    const int32_t row = 2 * cell / shape->extent[0];
    int x[NAIK_DIM] = {0, (int)(row % shape->extent[1]),
                       (int)(row / shape->extent[1] % shape->extent[2]),
                       (int)(row / shape->extent[1] / shape->extent[2])};
    x[0] = 2 * cell % shape->extent[0] + ((x[1] + x[2] + x[3] + (int)parity) & 1);
    return naik_lattice_site(lat, x);
}

typedef double cell_vector[6 * CPU_LANES]; /* [6][lanes] */

naik_status cpu_field_from_host(naik_field *field, naik_parity parity, int irhs,
                                const double *sites)
{
    const int32_t all[2] = {0, field->geometry->lattice->sites};
    return cpu_field_from_part(field, parity, irhs, sites, all);
}

naik_status cpu_field_from_part(naik_field *field, naik_parity parity, int irhs,
                                const double *sites, const int32_t part[2])
{
    const naik_geometry *geometry = field->geometry;
    const cpu_shape *shape = &cpu_tables_of(geometry)->shape;
    const cpu_kernels *kernels = cpu_kernels_of(geometry);
#pragma omp parallel for schedule(static) num_threads(cpu_threads(geometry->backend))
    for (int32_t cell = 0; cell < shape->cells; cell++) {
        cell_vector value;
        const int64_t first = site_of_cell(geometry->lattice, shape, parity, cell);
        for (int s = 0; s < field->spin; s++) {
            for (int k = 0; k < shape->lanes; k++) {
                const int64_t site = first + shape->lane_origin[k];
                const int64_t at = 6 * (field->spin * site + s);
                const bool there = site >= part[0] && site < part[1];
                for (int i = 0; i < 6; i++) {
                    value[i * shape->lanes + k] = there ? sites[at + i] : 0;
                }
            }
            kernels->store(field, cell, irhs * field->spin + s, value);
        }
    }
    return NAIK_OK;
}

naik_status cpu_field_to_host(const naik_field *field, naik_parity parity, int irhs, double *sites)
{
    const naik_geometry *geometry = field->geometry;
    const cpu_shape *shape = &cpu_tables_of(geometry)->shape;
    const cpu_kernels *kernels = cpu_kernels_of(geometry);
#pragma omp parallel for schedule(static) num_threads(cpu_threads(geometry->backend))
    for (int32_t cell = 0; cell < shape->cells; cell++) {
        cell_vector value;
        const int64_t first = site_of_cell(geometry->lattice, shape, parity, cell);
        for (int s = 0; s < field->spin; s++) {
            kernels->load(field, cell, irhs * field->spin + s, value);
            for (int k = 0; k < shape->lanes; k++) {
                const int64_t at = 6 * (field->spin * (first + shape->lane_origin[k]) + s);
                for (int i = 0; i < 6; i++) {
                    sites[at + i] = value[i * shape->lanes + k];
                }
            }
        }
    }
    return NAIK_OK;
}

naik_status cpu_mode_to_host(const naik_field *block, int irhs, float *mode)
{
    const naik_geometry *geometry = block->geometry;
    const cpu_shape *shape = &cpu_tables_of(geometry)->shape;
    const cpu_kernels *kernels = cpu_kernels_of(geometry);
#pragma omp parallel for schedule(static) num_threads(cpu_threads(geometry->backend))
    for (int32_t cell = 0; cell < shape->cells; cell++) {
        cell_vector value;
        const int64_t first = site_of_cell(geometry->lattice, shape, NAIK_EVEN, cell);
        kernels->load(block, cell, irhs, value);
        for (int k = 0; k < shape->lanes; k++) {
            const int64_t cb = (first + shape->lane_origin[k]) / 2;
            for (int i = 0; i < 6; i++) {
                mode[6 * cb + i] = (float)value[i * shape->lanes + k];
            }
        }
    }
    return NAIK_OK;
}

naik_status cpu_mode_from_host(naik_field *block, int irhs, const float *mode)
{
    const naik_geometry *geometry = block->geometry;
    const cpu_shape *shape = &cpu_tables_of(geometry)->shape;
    const cpu_kernels *kernels = cpu_kernels_of(geometry);
#pragma omp parallel for schedule(static) num_threads(cpu_threads(geometry->backend))
    for (int32_t cell = 0; cell < shape->cells; cell++) {
        cell_vector value;
        const int64_t first = site_of_cell(geometry->lattice, shape, NAIK_EVEN, cell);
        for (int k = 0; k < shape->lanes; k++) {
            const int64_t cb = (first + shape->lane_origin[k]) / 2;
            for (int i = 0; i < 6; i++) {
                value[i * shape->lanes + k] = mode[6 * cb + i];
            }
        }
        kernels->store(block, cell, irhs, value);
    }
    return NAIK_OK;
}

/* to[rhs] (+)= from[from_irhs], or zero without `from`, for rhs in the state. */
typedef struct elementwise {
    naik_field *to;
    const naik_field *from;
    const naik_rhs *rhs;
    naik_rhs_state state;
    bool add;
    bool deferred;       /* adds, times what the rhs waits for */
    double weight;       /* of what is added otherwise */
    const int *map;      /* rhs of `from` for each of `to`; NULL: the same */
    int only, from_irhs; /* one rhs of `to` alone; -1: all */
} elementwise;

/* An rhs at a cell: its bytes, where they are of whole numbers. */
static char *bytes_of(const naik_field *v, int32_t cell, int irhs, size_t *size_bytes)
{
    const int lanes = cpu_tables_of(v->geometry)->shape.lanes;
    *size_bytes = (size_t)(v->spin * 6 * lanes) * cpu_real_bytes(v->precision);
    return (char *)v->data + ((size_t)cell * (size_t)v->nrhs + (size_t)irhs) * *size_bytes;
}

/* What is written over, in the precision that it has. */
static bool copy_bytes(const elementwise *e, int32_t cell, int irhs, int from_irhs)
{
    size_t size_bytes;
    char *to = bytes_of(e->to, cell, irhs, &size_bytes);
    if (e->add || e->to->precision == NAIK_HALF ||
        (e->from != NULL && e->from->precision != e->to->precision)) {
        return false;
    }
    if (e->from == NULL) {
        memset(to, 0, size_bytes);
    } else {
        memcpy(to, bytes_of(e->from, cell, from_irhs, &size_bytes), size_bytes);
    }
    return true;
}

NAIK_CLONES static void combine_rhs(const elementwise *e, int32_t cell, int irhs, int from_irhs)
{
    if (copy_bytes(e, cell, irhs, from_irhs)) {
        return;
    }
    const double waiting = e->deferred ? e->rhs[irhs].x_deferred : 0;
    /* as steps have it in their arithmetic */
    const double weight = !e->deferred                      ? e->weight
                          : e->to->precision == NAIK_DOUBLE ? waiting
                                                            : (float)waiting;
    const cpu_kernels *kernels = cpu_kernels_of(e->to->geometry);
    cell_vector value = {0}, old;
    for (int s = 0; s < e->to->spin; s++) {
        if (e->from != NULL) {
            kernels->load(e->from, cell, from_irhs * e->to->spin + s, value);
        }
        if (e->add) {
            kernels->load(e->to, cell, irhs * e->to->spin + s, old);
            for (int i = 0; i < 6 * cpu_tables_of(e->to->geometry)->shape.lanes; i++) {
                value[i] = fma(weight, value[i], old[i]);
            }
        }
        kernels->store(e->to, cell, irhs * e->to->spin + s, value);
    }
}

static void combine(void *context, int32_t begin, int32_t end, cpu_sums *sums)
{
    const elementwise *e = context;
    (void)sums;
    for (int32_t cell = begin; cell < end; cell++) {
        if (e->only >= 0) {
            combine_rhs(e, cell, e->only, e->from_irhs);
            continue;
        }
        for (int c = 0; c < e->to->nrhs; c++) {
            const bool waits = !e->deferred || e->rhs[c].x_deferred != 0;
            if (e->rhs == NULL || (e->rhs[c].state == (int32_t)e->state && waits)) {
                combine_rhs(e, cell, c, e->map != NULL ? e->map[c] : c);
            }
        }
    }
}

static naik_status run(elementwise e)
{
    const naik_geometry *geometry = e.to->geometry;
    return cpu_run(geometry->backend, cpu_tables_of(geometry)->shape.cells, 0, NULL, combine, &e);
}

naik_status cpu_field_zero(naik_field *field, const naik_rhs *rhs, naik_rhs_state state)
{
    if (naik_field_has_bricks(field)) {
        memset(field->data, 0, field->size_bytes);
        return NAIK_OK;
    }
    return run((elementwise){.to = field, .rhs = rhs, .state = state, .only = -1});
}

naik_status cpu_field_copy(naik_field *to, const naik_field *from, const naik_rhs *rhs,
                           naik_rhs_state state)
{
    return run((elementwise){.to = to, .from = from, .rhs = rhs, .state = state, .only = -1});
}

naik_status cpu_field_add(naik_field *to, const naik_field *from, const naik_rhs *rhs,
                          naik_rhs_state state)
{
    return run((elementwise){
        .to = to, .from = from, .rhs = rhs, .state = state, .add = true, .weight = 1, .only = -1});
}

naik_status cpu_apply_deferred_update(naik_field *x, const naik_field *p, const naik_rhs *rhs,
                                      naik_rhs_state state)
{
    return run((elementwise){
        .to = x, .from = p, .rhs = rhs, .state = state, .add = true, .deferred = true, .only = -1});
}

naik_status cpu_field_axpy(double a, const naik_field *x, naik_field *y)
{
    return run((elementwise){.to = y, .from = x, .add = true, .weight = a, .only = -1});
}

naik_status cpu_field_gather(naik_field *to, const naik_field *from, const int *map)
{
    return run((elementwise){.to = to, .from = from, .map = map, .only = -1});
}

naik_status cpu_field_copy_rhs(naik_field *to, int irhs, const naik_field *from, int from_irhs)
{
    return run((elementwise){.to = to, .from = from, .only = irhs, .from_irhs = from_irhs});
}

typedef struct ratio {
    const naik_field *r, *x;
} ratio;

typedef double cell_spinor[NAIK_SPIN * 6 * CPU_LANES]; /* [spin][6][lanes] */

static void load_rhs(const naik_field *v, int32_t cell, int irhs, cell_spinor out)
{
    const int lanes = cpu_tables_of(v->geometry)->shape.lanes;
    for (int s = 0; s < v->spin; s++) {
        cpu_kernels_of(v->geometry)->load(v, cell, irhs * v->spin + s, out + s * 6 * lanes);
    }
}

/* |v_s|^2 of a lane of `numbers` components, in order. */
NAIK_CLONES static double lane_norm2(const double *v, int numbers, int lanes, int k)
{
    double term = 0;
    for (int i = 0; i < numbers; i++) {
        term = fma(v[i * lanes + k], v[i * lanes + k], term);
    }
    return term;
}

static void sum_ratios(void *context, int32_t begin, int32_t end, cpu_sums *sums)
{
    const ratio *a = context;
    const int lanes = cpu_tables_of(a->r->geometry)->shape.lanes, numbers = 6 * a->r->spin;
    for (int32_t cell = begin; cell < end; cell++) {
        for (int c = 0; c < a->r->nrhs; c++) {
            cell_spinor r, x;
            load_rhs(a->r, cell, c, r);
            load_rhs(a->x, cell, c, x);
            for (int k = 0; k < lanes; k++) {
                const double xx = lane_norm2(x, numbers, lanes, k);
                const double rr = lane_norm2(r, numbers, lanes, k);
                naik_exactsum_add(&sums[c].sum, xx > 0 ? rr / xx : 1.0);
            }
        }
    }
}

naik_status cpu_site_ratio(const naik_field *r, const naik_field *x, naik_exactsum *sums)
{
    ratio context = {r, x};
    const naik_geometry *geometry = r->geometry;
    return cpu_run(geometry->backend, cpu_tables_of(geometry)->shape.cells, r->nrhs, sums,
                   sum_ratios, &context);
}

/* Adds the norm of a site at x, times signs and weights, to the sums of its time slice. */
static void add_norm(const naik_lattice *lat, const naik_slice_norms *args, const int x[NAIK_DIM],
                     double norm2, naik_exactsum *sums)
{
    const int64_t times = lat->local[3];
    const int y = lat->local[0], z = y + lat->local[1], factors = z + lat->local[2];
    unsigned odd = args->odd;
    for (int mu = 0; mu < NAIK_DIM - 1; mu++) {
        odd ^= ((unsigned)x[mu] & 1) << mu;
    }
    for (int f = 0; f < args->frames; f++) {
        const naik_complex *of = args->weight + (int64_t)factors * f;
        const bool both = !args->real[f];
        const naik_complex w = naik_slice_product(of[x[0]], of[y + x[1]], of[z + x[2]], both);
        for (int c = 0; c < args->classes; c++) {
            naik_exactsum *sum = sums + 2 * times * (args->frames * c + f) + x[3];
            const double signed2 = naik_slice_minus(args->mask[c], odd) ? -norm2 : norm2;
            naik_exactsum_add(sum, w.re * signed2);
            if (both) {
                naik_exactsum_add(sum + times, w.im * signed2);
            }
        }
    }
}

/* Threads share the time slices of a sub-lattice, which different sub-lattices have at different
 * times: each sum belongs to one thread. */
static void sum_norms(const naik_field *v, naik_parity parity, const naik_slice_norms *args,
                      naik_exactsum *sums)
{
    const naik_lattice *lat = v->geometry->lattice;
    const cpu_shape *shape = &cpu_tables_of(v->geometry)->shape;
    const int32_t slice = shape->cells / shape->extent[3];
#pragma omp parallel for schedule(static) num_threads(cpu_threads(v->geometry->backend))
    for (int t = 0; t < shape->extent[3]; t++) {
        for (int32_t cell = t * slice; cell < (t + 1) * slice; cell++) {
            cell_spinor value;
            const int64_t first = site_of_cell(lat, shape, parity, cell);
            load_rhs(v, cell, 0, value);
            for (int k = 0; k < shape->lanes; k++) {
                int x[NAIK_DIM];
                naik_lattice_coords(lat, (int32_t)(first + shape->lane_origin[k]), x);
                add_norm(lat, args, x, lane_norm2(value, 6 * v->spin, shape->lanes, k), sums);
            }
        }
    }
}

naik_status cpu_slice_norms(const naik_field *const v[2], const naik_slice_norms *args,
                            naik_exactsum *sums)
{
    for (int parity = 0; parity < 2; parity++) {
        sum_norms(v[parity], (naik_parity)parity, args, sums);
    }
    return NAIK_OK;
}
