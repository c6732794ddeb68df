/* wilson.cu - which kernel computes Wilson's Dslash, and on which blocks of sites
 *
 * The variants that may be chosen between give equal bits: rhs a thread, blocks, and the order of
 * sites. tune.cu measures them.
 */
#include "wilson.cuh"

#include "backend_gpu.h"

extern "C" {
#include "backend/site_blocks.h"
}

typedef bool (*wilson_launcher)(const wilson_params &params, const wilson_shape &shape);

static wilson_launcher launcher_of(naik_precision vectors, naik_precision links)
{
    static const wilson_launcher launchers[3][3] = {
        {wilson_launch_double, NULL, NULL},
        {NULL, wilson_launch_single, wilson_launch_single_half},
        {NULL, wilson_launch_half_single, wilson_launch_half}};
    return launchers[vectors][links];
}

static wilson_params params_of(const naik_dslash_args *args, const dslash_params &d)
{
    wilson_params p = {};
    p.d = d;
    p.rhs_count = args->in->nrhs;
    p.dagger = args->dagger;
    p.factor = d.scale[0];
    p.with = args->with != NULL ? (const char *)args->with->data : NULL;
    if (args->blocks != NULL) {
        p.blocks = gpu_blocks_of(args->blocks, args->parity);
        p.factor *= args->blocks->data == NULL ? args->blocks->number : 1;
    }
    return p;
}

/* Rows of 32 sites in a plane across z and t; 0: a plane has no whole number of them. */
static int rows_of(const naik_lattice *lat)
{
    const int plane = lat->local[0] / 2 * lat->local[1];
    return plane % PREC_BLOCK == 0 ? plane / PREC_BLOCK : 0;
}

/* Extents of tiles in rows, z and t as powers of two, from yzt; false where the box has none. */
static bool tile_shape(const naik_lattice *lat, int order, int shift[3])
{
    const int extent[3] = {rows_of(lat), lat->local[2], lat->local[3]};
    const int wanted[3] = {order / 100, order / 10 % 10, order % 10};
    for (int i = 0; i < 3; i++) {
        shift[i] = wanted[i] == 1 ? 0 : wanted[i] == 2 ? 1 : wanted[i] == 4 ? 2 : 3;
        if (extent[i] == 0 || extent[i] % wanted[i] != 0) {
            return false;
        }
    }
    return true;
}

static void set_order(const naik_lattice *lat, int order, wilson_tiles *o)
{
    o->used = order != 0 && tile_shape(lat, order, o->shift);
    if (o->used) {
        o->rows = rows_of(lat);
        o->slices = lat->local[2];
        o->tiles[0] = gpu_divider_of((uint32_t)(o->rows >> o->shift[0]));
        o->tiles[1] = gpu_divider_of((uint32_t)(o->slices >> o->shift[1]));
    }
}

static int most_rhs(const naik_dslash_args *args)
{
    return args->in->nrhs > 1 ? wilson_rhs(args->in->precision, args->links->precision) : 1;
}

static int tiles_of(const naik_dslash_args *args, int rhs)
{
    return (args->in->nrhs + rhs - 1) / rhs;
}

/* Where nothing was measured. Rhs side by side in a block share links in the cache. */
static gpu_variant usual_variant(const naik_dslash_args *args)
{
    gpu_variant v = {};
    v.rhs = most_rhs(args);
    const int tiles = tiles_of(args, v.rhs);
    const bool three = tiles % 2 != 0 && tiles % 3 == 0 && 3 * GPU_LANES <= WILSON_THREADS;
    v.together = tiles == 1 ? 1 : three ? 3 : 2;
    v.sites = v.together == 1 ? 128 : GPU_LANES;
    v.threads = 1;
    return v;
}

static void add_variant(const naik_dslash_args *args, gpu_variants *list, int rhs, int together,
                        int sites, int order)
{
    int shift[3];
    if (list->count < GPU_MAX_VARIANTS && sites >= GPU_LANES &&
        sites * together <= WILSON_THREADS &&
        (order == 0 || tile_shape(args->in->geometry->lattice, order, shift))) {
        list->variant[list->count++] = (gpu_variant){rhs, sites, together, 1, order};
    }
}

/* The usual one first; the same and smaller and larger blocks, in order and as tiles. */
static void list_variants(const naik_dslash_args *args, bool whole, gpu_variants *list)
{
    static const int orders[][2] = {{32, 0},  {64, 0},    {64, 121},  {64, 112},
                                    {128, 0}, {128, 122}, {128, 221}, {128, 141}};
    const gpu_variant usual = usual_variant(args);
    const int tiles = tiles_of(args, usual.rhs);
    list->count = 0;
    add_variant(args, list, usual.rhs, usual.together, usual.sites, 0);
    for (int together = 1; together <= tiles && together <= 8; together *= 2) {
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
            const bool again = together == usual.together && orders[i][0] == usual.sites;
            if ((whole || orders[i][1] == 0) && tiles % together == 0 &&
                !(again && orders[i][1] == 0)) {
                add_variant(args, list, usual.rhs, together, orders[i][0], orders[i][1]);
            }
        }
    }
}

static wilson_shape shape_of(const naik_dslash_args *args, const gpu_variant *v, int count,
                             gpu_stream stream)
{
    wilson_shape shape;
    const int tiles = tiles_of(args, v->rhs);
    shape.recon = args->links->recon;
    shape.rhs = v->rhs;
    shape.stream = stream;
    shape.latency_bound = gpu_is_latency_bound(args->in->geometry, naik_field_vectors(args->in));
    shape.block = dim3((unsigned)v->sites, (unsigned)v->together);
    shape.grid = dim3((unsigned)((count + v->sites - 1) / v->sites),
                      (unsigned)((tiles + v->together - 1) / v->together));
    return shape;
}

static naik_status launch(const naik_dslash_args *args, const wilson_params &p,
                          const gpu_variant *v, gpu_stream stream)
{
    naik_backend *backend = args->in->geometry->backend;
    const wilson_launcher launch_kernel = launcher_of(args->in->precision, args->links->precision);
    wilson_params params = p;
    set_order(args->in->geometry->lattice, p.d.list == NULL ? v->order : 0, &params.order);
    gpu_sample_moves(backend, p.rhs_count,
                     0.5 * (double)args->links->size_bytes +
                         (double)args->in->size_bytes *
                             (2 + (args->v != NULL) + (args->b != NULL) +
                              (args->with != NULL && args->with != args->v)));
    if (launch_kernel == NULL || !launch_kernel(params, shape_of(args, v, p.d.count, stream))) {
        return NAIK_FAIL(backend->log, NAIK_ERR_ARG,
                         "no Wilson Dslash on the GPU for %s vectors with %s links of %d numbers",
                         naik_precision_name(args->in->precision),
                         naik_precision_name(args->links->precision), args->links->recon);
    }
    return GPU_LAUNCHED(backend, "applying Wilson's D");
}

typedef struct wilson_trial {
    const naik_dslash_args *args;
    wilson_params params;
} wilson_trial;

static naik_status try_variant(const void *data, const gpu_variant *v)
{
    const wilson_trial *trial = (const wilson_trial *)data;
    return launch(trial->args, trial->params, v,
                  gpu_state_of(trial->args->in->geometry->backend)->stream);
}

/* The fastest variant, measured once, where the work may be repeated. */
static naik_status choose(const naik_dslash_args *args, const wilson_params &p, gpu_variant *out)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = args->in->geometry->backend;
    const gpu_tune_key key = {{(int)args->in->precision, (int)args->links->precision,
                               args->links->recon, args->links->points, p.d.nrhs, p.d.count,
                               (p.d.list != NULL) + 32 * NAIK_SPIN + 256 * (p.blocks != NULL), 0}};
    gpu_variants list;
    *out = usual_variant(args);
    list_variants(args, p.d.list == NULL, &list);
    if (p.d.table != NULL) { /* boundary sites: few, and their halo may be on its way */
        return NAIK_OK;
    }
    if (backend->choices.variant > 0) {
        *out = list.variant[(backend->choices.variant - 1) % list.count];
        return NAIK_OK;
    }
    if (!gpu_tune_find(backend, &key, &list, out) && args->form == NAIK_FORM_D) {
        wilson_trial trial = {args, p};
        NAIK_TRY(dslash_repeatable(args, p.d, &trial.params.d));
        NAIK_TRY(gpu_tune_measure(backend, &key, &list, try_variant, &trial, out));
    }
done:
    return status;
}

naik_status gpu_wilson_dslash(const naik_dslash_args *args, naik_region region)
{
    naik_status status = NAIK_OK;
    const bool fetches = region == NAIK_BOUNDARY && dslash_fetches_halo(args);
    const dslash_params d = dslash_params_of(args, region);
    const wilson_params p = params_of(args, d);
    gpu_variant variant = {};
    if (d.count == 0 || (region == NAIK_INTERIOR && dslash_is_one_launch(args))) {
        return NAIK_OK;
    }
    NAIK_TRY(choose(args, p, &variant));
    NAIK_TRY(launch(args, p, &variant,
                    fetches ? gpu_exchange_stream(args->in)
                            : gpu_state_of(args->in->geometry->backend)->stream));
    if (fetches) {
        NAIK_TRY(gpu_exchange_join(args->in));
    }
done:
    return status;
}
