/* wilson.cu - which kernel computes Wilson's Dslash, and on which blocks of sites
 *
 * The variants that may be chosen between give equal bits: rhs a thread, blocks, and the order of
 * sites. tune.cu measures them.
 */
#include "gpu/backend_gpu.h"
#include "gpu/dslash/wilson.cuh"

extern "C" {
#include "backend/site_blocks.h"
}

typedef bool (*wilson_launcher)(const wilson_params &params, const wilson_shape &shape);

static wilson_launcher launcher_of(naik_precision vectors, naik_precision links)
{
    static const wilson_launcher launchers[3][3] = {
        {wilson_launch<vec_double, double>, NULL, NULL},
        {NULL, wilson_launch<vec_single, float>, wilson_launch<vec_single, short>},
        {NULL, wilson_launch<vec_half, float>, wilson_launch<vec_half, short>}};
    return launchers[vectors][links];
}

static wilson_params params_of(const naik_dslash_args *args, const dslash_params &d)
{
    wilson_params p = {};
    p.d = d;
    p.rhs_count = args->in->nrhs;
    p.dagger = args->dagger;
    p.hop = args->hop;
    p.b.number = d.scale[0];
    p.with = args->with != NULL ? (const char *)args->with->data : NULL;
    if (args->blocks != NULL) {
        p.b = wilson_diagonal_of(args->blocks, args->parity);
        p.b.number *= d.scale[0];
        p.b.chiral *= p.b.blocks == NULL ? d.scale[0] : 1;
    }
    return p;
}

/* The sites to be written, where they are whole rows of 32 of a box: extents in rows, z and t, and where
 * it begins. The interior is such a box where neither x nor y is split; of others, rows are 0. */
typedef struct site_box {
    int rows, extent[2], begin[2];
} site_box;

static site_box box_of(const naik_dslash_args *args, const dslash_params *d)
{
    const naik_lattice *lat = args->in->geometry->lattice;
    const int plane = lat->local[0] / 2 * lat->local[1];
    site_box box = {};
    for (int i = 0; i < 2; i++) {
        box.begin[i] = lat->split[2 + i] ? naik_links_depth(args->links) : 0;
        box.extent[i] = lat->local[2 + i] - 2 * box.begin[i];
    }
    if (plane % PREC_BLOCK == 0 && d->table == NULL &&
        d->count == plane * box.extent[0] * box.extent[1]) {
        box.rows = plane / PREC_BLOCK;
    }
    return box;
}

/* An order of blocks: PLAIN, the sites in their order for one group of rhs after the other; BESIDE, all
 * groups of rhs at each block of sites; or 1000 planes of a slab + yzt, the latter along slabs of so many
 * planes in z, in tiles of yzt rows of 32 sites. */
enum { PLAIN = 0, BESIDE = 1, SLAB = 1000 };

/* Sites of a tile of yzt rows. */
static int sites_of(int yzt)
{
    return PREC_BLOCK * (yzt / 100) * (yzt / 10 % 10) * (yzt % 10);
}

/* Extents of tiles as powers of two and planes of a slab; false where the box has no such tiles. */
static bool tile_shape(const site_box *box, int order, int shift[3], int *slab)
{
    const int wanted[3] = {order / 100 % 10, order / 10 % 10, order % 10};
    *slab = order / SLAB;
    if (*slab == 0 || box->rows == 0 || box->extent[0] % *slab != 0) {
        return false;
    }
    const int extent[3] = {box->rows, *slab, box->extent[1]};
    for (int i = 0; i < 3; i++) {
        shift[i] = wanted[i] == 1 ? 0 : wanted[i] == 2 ? 1 : 2;
        if (extent[i] % wanted[i] != 0) {
            return false;
        }
    }
    return true;
}

static void set_order(const naik_lattice *lat, const site_box *box, int order, wilson_tiles *o)
{
    int slab;
    o->used = tile_shape(box, order, o->shift, &slab);
    if (o->used) {
        const int high = slab >> o->shift[1];
        o->rows = box->rows;
        o->slices = lat->local[2];
        o->first = (box->begin[1] * lat->local[2] + box->begin[0]) * box->rows * PREC_BLOCK;
        o->tiles[0] = gpu_divider_of((uint32_t)(box->rows >> o->shift[0]));
        o->tiles[1] = gpu_divider_of((uint32_t)high);
        o->slab = gpu_divider_of((uint32_t)(high * (box->extent[1] >> o->shift[2])));
    }
}

/* The most planes of which the second-level cache holds three time slices beside what passes through it.
 * On an H100 the best slices took 4.7 to 6.3 MB, an eighth of it; of 9.4 MB they were up to 25% slower. */
static int planes_of_slab(const naik_dslash_args *args, const site_box *box)
{
    const naik_lattice *lat = args->in->geometry->lattice;
    const gpu_state *state = gpu_state_of(args->in->geometry->backend);
    const double plane = (double)naik_vector_bytes(args->in->precision) *
                         naik_field_vectors(args->in) * lat->face[2] / lat->local[3];
    const double most = state->properties.l2CacheSize / 8.0;
    int planes = box->extent[0] > 1 ? box->extent[0] : 1;
    while (planes > 1 && (box->extent[0] % planes != 0 || planes * plane > most)) {
        planes--;
    }
    return planes;
}

static int most_rhs(const naik_dslash_args *args)
{
    return args->in->nrhs > 1 ? wilson_rhs(args->in->precision, args->links->precision) : 1;
}

static int tiles_of(const naik_dslash_args *args, int rhs)
{
    return (args->in->nrhs + rhs - 1) / rhs;
}

static void add_variant(const naik_dslash_args *args, const site_box *box, gpu_variants *list,
                        int rhs, int together, int sites, int order)
{
    const gpu_variant v = {rhs, sites, together, 1, order};
    int shift[3], slab;
    if (list->count < GPU_MAX_VARIANTS && sites >= GPU_LANES &&
        sites * together <= WILSON_THREADS && tiles_of(args, rhs) % together == 0 &&
        (order < SLAB || tile_shape(box, order, shift, &slab))) {
        list->variant[list->count++] = v;
    }
}

/* All that may be worth a measurement; the usual one first. Rhs side by side in a block share links in
 * the first-level cache. */
static void list_variants(const naik_dslash_args *args, const site_box *box, gpu_variants *list)
{
    static const int one[] = {111, 121, 112, 122, 221, 141}, several[] = {111, 121, 221, 122};
    const int rhs = most_rhs(args), tiles = tiles_of(args, rhs);
    const int slab = SLAB * planes_of_slab(args, box);
    list->count = 0;
    if (tiles == 1) {
        const int sites[] = {128, 32, 64};
        for (int i = 0; i < 3; i++) {
            add_variant(args, box, list, rhs, 1, sites[i], PLAIN);
        }
        for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
            add_variant(args, box, list, rhs, 1, sites_of(one[i]), slab + one[i]);
        }
        return;
    }
    const int together[] = {2, 3, 1, 4};
    for (size_t i = 0; i < sizeof several / sizeof *several; i++) {
        for (int k = 0; k < 4; k++) {
            add_variant(args, box, list, rhs, together[k], sites_of(several[i]), slab + several[i]);
        }
    }
    for (int sites = GPU_LANES; sites <= 64; sites += 32) {
        for (int k = 0; k < 4; k++) {
            add_variant(args, box, list, rhs, together[k], sites, BESIDE);
            add_variant(args, box, list, rhs, together[k], sites, PLAIN);
        }
    }
}

static unsigned groups_of(const naik_dslash_args *args, const gpu_variant *v)
{
    return (unsigned)((tiles_of(args, v->rhs) + v->together - 1) / v->together);
}

static wilson_shape shape_of(const naik_dslash_args *args, const gpu_variant *v, int count,
                             gpu_stream stream)
{
    wilson_shape shape;
    shape.recon = args->links->recon;
    shape.rhs = v->rhs;
    shape.stream = stream;
    shape.latency_bound = gpu_is_latency_bound(args->in->geometry, naik_field_vectors(args->in));
    shape.block = dim3((unsigned)v->sites, (unsigned)v->together);
    shape.grid = dim3((unsigned)((count + v->sites - 1) / v->sites), groups_of(args, v));
    if (v->order != PLAIN) {
        shape.grid = dim3(shape.grid.x * shape.grid.y);
    }
    return shape;
}

static naik_status launch(const naik_dslash_args *args, const wilson_params &p,
                          const gpu_variant *v, gpu_stream stream)
{
    naik_backend *backend = args->in->geometry->backend;
    const wilson_launcher launch_kernel = launcher_of(args->in->precision, args->links->precision);
    const site_box box = box_of(args, &p.d);
    wilson_params params = p;
    params.order.groups = gpu_divider_of(v->order != PLAIN ? groups_of(args, v) : 1);
    set_order(args->in->geometry->lattice, &box, v->order, &params.order);
    if (params.order.used) { /* finds the sites itself */
        params.d.list = NULL;
        params.d.count = args->in->geometry->lattice->volume_cb;
    }
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
    naik_backend *backend = args->in->geometry->backend;
    const gpu_tune_key key = {
        {(int)args->in->precision, (int)args->links->precision, args->links->recon,
         args->links->points, p.d.nrhs, p.d.count,
         (p.d.list != NULL) + 32 * NAIK_SPIN + 256 * ((p.b.blocks != NULL) + (p.b.factor != NULL)),
         0}};
    const site_box box = box_of(args, &p.d);
    gpu_variants list = {};
    if (args->hop > 0) { /* there is one kernel */
        const gpu_variant one = {1, WILSON_THREADS, 1, 1, PLAIN};
        *out = one;
        return NAIK_OK;
    }
    list_variants(args, &box, &list);
    *out = list.variant[0];
    if (p.d.table != NULL) { /* boundary sites: few, and their halo may be on its way */
        return NAIK_OK;
    }
    if (backend->choices.variant > 0) {
        *out = list.variant[(backend->choices.variant - 1) % list.count];
        return NAIK_OK;
    }
    if (!gpu_tune_find(backend, &key, &list, out) && args->form == NAIK_FORM_D) {
        wilson_trial trial = {args, p};
        NAIK_PASS(dslash_repeatable(args, p.d, &trial.params.d));
        NAIK_PASS(gpu_tune_measure(backend, &key, &list, try_variant, &trial, out));
    }
    return NAIK_OK;
}

naik_status gpu_wilson_dslash(const naik_dslash_args *args, naik_region region)
{
    const bool fetches = region == NAIK_BOUNDARY && dslash_fetches_halo(args);
    const dslash_params d = dslash_params_of(args, region);
    const wilson_params p = params_of(args, d);
    gpu_variant variant = {};
    if (d.count == 0 || (region == NAIK_INTERIOR && dslash_is_one_launch(args))) {
        return NAIK_OK;
    }
    NAIK_PASS(choose(args, p, &variant));
    NAIK_PASS(launch(args, p, &variant,
                     fetches ? gpu_exchange_stream(args->in)
                             : gpu_state_of(args->in->geometry->backend)->stream));
    if (fetches) {
        NAIK_PASS(gpu_exchange_join(args->in));
    }
    return NAIK_OK;
}
