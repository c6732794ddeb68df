/* dslash.cu - which kernel computes a Dslash, and on how many threads
 *
 * The variants that may be chosen between give equal bits: rhs a thread, blocks, and whether
 * a site's rows and kinds of points are divided over threads. tune.cu measures them.
 */
#include "gpu/backend_gpu.h"
#include "gpu/dslash/dslash.cuh"

typedef bool (*dslash_launcher)(const dslash_params &params, const dslash_shape &shape);

static dslash_launcher launcher_of(naik_precision vectors, naik_precision links)
{
    static const dslash_launcher launchers[3][3] = {
        {dslash_launch<vec_double, double>, NULL, NULL},
        {NULL, dslash_launch<vec_single, float>, dslash_launch<vec_single, short>},
        {NULL, dslash_launch<vec_half, float>, dslash_launch<vec_half, short>}};
    return launchers[vectors][links];
}

/* Of points: forward and backward, at one distance or two. */
static int kinds_of(const naik_links *links)
{
    return links->points / NAIK_DIM;
}

static double scale_of(const naik_links *links, int far)
{
    const bool fat = links->points == NAIK_STENCIL && far == 0;
    if (far == 1 && links->recon == RECON_WORDS) {
        return links->scale[1] / RECON_TENTH;
    }
    if (!fat && links->recon != 18) {
        return far == 1 ? links->long_scale : 1;
    }
    return links->precision == NAIK_HALF ? links->scale[far] / 32767 : 1;
}

bool dslash_fetches_halo(const naik_dslash_args *args)
{
    const naik_geometry *geometry = args->in->geometry;
    return geometry->lattice->halo > 0 && geometry->backend->route.single_node;
}

/* Where the exchange is short. */
bool dslash_is_one_launch(const naik_dslash_args *args)
{
    return dslash_fetches_halo(args) && !gpu_tables_of(args->in->geometry)->exchange.beside;
}

static void set_region(dslash_params *p, const naik_dslash_args *args, naik_region region)
{
    const naik_lattice *lat = args->in->geometry->lattice;
    const gpu_tables *tables = gpu_tables_of(args->in->geometry);
    const gpu_sites *sites =
        (naik_links_depth(args->links) > 1 ? tables->far : tables->near) + args->parity;
    const int interior = sites->inside;
    p->count = lat->volume_cb;
    if (lat->halo == 0) {
        return;
    }
    p->list = sites->site;
    if (region == NAIK_INTERIOR) {
        p->count = interior;
        return;
    }
    p->table = tables->point[args->parity];
    p->boundary_from = interior;
    if (region == NAIK_BOUNDARY && !dslash_is_one_launch(args)) {
        p->list += interior;
        p->count -= interior;
        p->boundary_from = 0;
    }
    if (dslash_fetches_halo(args)) {
        p->view = gpu_exchange_view(args->in);
    }
    if (args->send) {
        p->send = gpu_exchange_sender(args->out, naik_links_depth(args->links));
    }
}

/* Whether the second-level cache can hold the links from one application to the next. */
static bool links_stay(const naik_links *links)
{
    const gpu_properties *about = &gpu_state_of(links->geometry->backend)->properties;
    return links->size_bytes <= (size_t)about->l2CacheSize / 4 * 3;
}

dslash_params dslash_params_of(const naik_dslash_args *args, naik_region region)
{
    dslash_params p = {};
    const naik_lattice *lat = args->in->geometry->lattice;
    const naik_links *links = args->links;
    p.links = (const char *)links->data + (size_t)args->parity * (links->size_bytes / 2);
    p.in = (const char *)args->in->data;
    p.out = (char *)args->out->data;
    p.v = args->v != NULL ? (const char *)args->v->data : NULL;
    p.b = args->b != NULL ? (const char *)args->b->data : NULL;
    p.x = args->x != NULL ? (char *)args->x->data : NULL;
    p.direction = args->p != NULL ? (char *)args->p->data : NULL;
    p.ap = args->ap != NULL ? (char *)args->ap->data : NULL;
    p.rhs = args->rhs;
    p.state = (int)args->state;
    p.sums = args->sums;
    p.parity = (int)args->parity;
    p.nrhs = naik_field_vectors(args->in);
    p.kinds = kinds_of(links);
    p.form = args->form;
    p.scale[0] = scale_of(links, 0);
    p.scale[1] = scale_of(links, 1);
    p.unit_time = links->unit_time;
    p.time_slice[0] = lat->size[3] - 1 - lat->origin[3];
    p.time_slice[1] = -lat->origin[3];
    p.a = args->a;
    p.c = args->c;
    p.s = args->s;
    p.stencil = gpu_tables_of(args->in->geometry)->stencil;
    set_region(&p, args, region);
    /* boundary sites that nothing is sent from come last */
    p.backwards = args->form == NAIK_FORM_D && (p.table == NULL || p.send.any);
    p.forward = p.nrhs == 1 && links_stay(links);
    return p;
}

/* Whether the kernel computes the scalars that it needs. */
static bool fuses_scalars(const naik_dslash_args *args)
{
    return args->deferred != NULL && args->form == NAIK_FORM_STEP;
}

static int most_rhs(const naik_dslash_args *args)
{
    return dslash_rhs(args->in->precision, args->links->precision, args->links->recon);
}

static bool has_rhs(const naik_dslash_args *args, int rhs)
{
    return dslash_has_rhs(args->in->precision, args->links->precision, args->links->recon, rhs);
}

/* rhs a thread: as few as take all of them, or as many as there may be. */
static int widest_tile(const naik_dslash_args *args)
{
    const int most = most_rhs(args);
    int rhs = args->in->nrhs < most ? args->in->nrhs : most;
    while (!has_rhs(args, rhs)) {
        rhs++;
    }
    return rhs;
}

/* Tiles that may leave fewer rhs empty than those of 4 do; 0: none. */
static int narrow_tile(const naik_dslash_args *args)
{
    const int nrhs = args->in->nrhs;
    return nrhs <= 4 || nrhs % 4 == 0 || most_rhs(args) < 4 ? 0
           : has_rhs(args, 3)                               ? 3
           : nrhs % 2 == 0 && has_rhs(args, 2)              ? 2
                                                            : 0;
}

/* Where nothing was measured: at most 4 rhs a thread, more leave no room for loads in flight;
 * tiles in a block share links in the cache. */
static gpu_variant usual_variant(const naik_dslash_args *args)
{
    gpu_variant v = {};
    const int nrhs = args->in->nrhs, narrow = narrow_tile(args);
    const int waste4 = (nrhs + 3) / 4 * 4 - nrhs, waste3 = (nrhs + 2) / 3 * 3 - nrhs;
    v.rhs = narrow == 3 && waste3 < waste4 && nrhs <= 12 ? 3 : widest_tile(args);
    int tiles = (nrhs + v.rhs - 1) / v.rhs;
    const int most = dslash_threads(args->in->precision, args->links->recon, v.rhs) / GPU_LANES;
    v.together = tiles <= 4 ? tiles : tiles % 4 == 0 ? 4 : tiles % 3 == 0 ? 3 : 2;
    v.together = v.together < most ? v.together : most;
    v.sites = v.together == 3 ? GPU_LANES : DSLASH_THREADS / v.together;
    v.sites = v.sites < GPU_LANES ? GPU_LANES : v.sites;
    v.threads = 1;
    if (fuses_scalars(args)) { /* which several threads a site know how to */
        v = (gpu_variant){1, GPU_LANES, 1, kinds_of(args->links), 0};
    }
    return v;
}

static dslash_shape shape_of(const naik_dslash_args *args, const gpu_variant *v, int count,
                             gpu_stream stream)
{
    const int nrhs = args->in->nrhs, tiles = (nrhs + v->rhs - 1) / v->rhs;
    dslash_shape shape;
    shape.recon = args->links->recon;
    shape.rhs = v->rhs;
    shape.threads = v->threads;
    shape.stream = stream;
    shape.latency_bound = gpu_is_latency_bound(args->in->geometry, nrhs);
    shape.block = dim3((unsigned)v->sites, (unsigned)v->together);
    shape.grid = dim3((unsigned)((count + v->sites - 1) / v->sites),
                      (unsigned)((tiles + v->together - 1) / v->together));
    if (v->threads > 1) {
        const unsigned rows = v->threads % 3 == 0 ? 3 : 1;
        shape.block = dim3(GPU_LANES, rows, (unsigned)v->threads / rows);
        shape.grid = dim3((unsigned)((count + GPU_LANES - 1) / GPU_LANES), (unsigned)nrhs);
    }
    return shape;
}

static void add_variant(gpu_variants *list, int rhs, int sites, int together, int threads)
{
    if (list->count < GPU_MAX_VARIANTS && sites >= GPU_LANES) {
        gpu_variant *v = &list->variant[list->count++];
        v->rhs = rhs;
        v->sites = sites;
        v->together = together;
        v->threads = threads;
        v->order = 0;
    }
}

/* Blocks of 64 threads and more for this many rhs a thread, with all ways to put tiles
 * together.
 */
static void add_blocks(gpu_variants *list, const naik_dslash_args *args, int rhs)
{
    const int nrhs = args->in->nrhs;
    const int most = dslash_threads(args->in->precision, args->links->recon, rhs);
    const int tiles = (nrhs + rhs - 1) / rhs;
    for (int together = 1; together <= tiles && together <= 4; together++) {
        if (tiles % together != 0 || (together == 1 && tiles > 1 && tiles != 5 && tiles < 7)) {
            continue;
        }
        for (int threads = 64; threads <= most; threads *= 2) {
            add_variant(list, rhs, threads / together / GPU_LANES * GPU_LANES, together, 1);
        }
    }
}

/* Volumes up to which it may pay to divide the rows of a site over threads. */
enum { DSLASH_MOST_ROW_SITES = 1 << 18 };

/* Several threads a site, as the caller asked or where it may pay: all of `threads_per_site`, 0: auto.
 * Fewer kinds of points leave fewer threads. */
static void add_divided(gpu_variants *list, const naik_dslash_args *args, int threads_per_site,
                        int count)
{
    const int kinds = kinds_of(args->links);
    const bool small = args->in->nrhs == 1 && count <= DSLASH_MOST_ROW_SITES;
    if (threads_per_site == 4 || (threads_per_site == 0 && args->in->nrhs <= 4)) {
        add_variant(list, 1, GPU_LANES, 1, kinds);
    }
    if (recon_is_uncompressed(args->links->recon)) {
        if (threads_per_site == 3 || (threads_per_site == 0 && small)) {
            add_variant(list, 1, GPU_LANES, 1, 3);
        }
        if (threads_per_site == 12 || (threads_per_site == 0 && small)) {
            add_variant(list, 1, GPU_LANES, 1, 3 * kinds);
        }
    }
}

/* What a block that sends takes to say that it has: all of a launch add to one number, one after the
 * other. On four H100 a launch of 32^4 with 4176 such blocks fewer took 4.5 us less. */
static const double DSLASH_COUNTED_S = 1.1e-9;

static bool counts_senders(const dslash_params *whole)
{
    return whole->send.any && whole->send.turn == NULL; /* halos of words are not counted */
}

/* Trials have the sites inside and send nothing. */
static void add_senders(const naik_dslash_args *args, const dslash_params *whole,
                        gpu_variants *list)
{
    const int boundary = whole->count - whole->boundary_from;
    for (int k = 0; k < list->count && counts_senders(whole); k++) {
        const dim3 grid = shape_of(args, &list->variant[k], boundary, NULL).grid;
        list->beside_s[k] = DSLASH_COUNTED_S * grid.x * grid.y;
    }
}

/* All that may be worth a measurement; the usual one first. On an H200 more rhs a thread were
 * always faster, up to 4, and so were tiles side by side; fewer where 4 leave some empty. */
static void list_variants(const naik_dslash_args *args, int count, gpu_variants *list)
{
    const int threads_per_site = args->in->geometry->backend->choices.threads_per_site;
    const gpu_variant usual = usual_variant(args);
    list->count = 0;
    if (threads_per_site <= 1 && !fuses_scalars(args)) {
        add_variant(list, usual.rhs, usual.sites, usual.together, 1);
        add_blocks(list, args, widest_tile(args));
        if (narrow_tile(args) > 0) {
            add_blocks(list, args, narrow_tile(args));
        }
    }
    add_divided(list, args, threads_per_site, count);
}

typedef struct dslash_trial {
    const naik_dslash_args *args;
    const dslash_params *params;
} dslash_trial;

/* Blocks of the boundary send in the middle of the launch: what they read had time to come, what
 * they send has time to go. */
static void set_sending(dslash_params *p, const dslash_shape *shape)
{
    const int sites = (int)shape->block.x;
    const int interior = p->boundary_from / sites; /* blocks */
    if (p->send.any) {
        p->send.first_block = interior;
        p->send.shares = (shape->grid.x - (unsigned)interior) * shape->grid.y;
        p->first = interior / 2;
    }
}

static naik_status launch(const naik_dslash_args *args, const dslash_params *p,
                          const gpu_variant *v, gpu_stream stream)
{
    naik_backend *backend = args->in->geometry->backend;
    const dslash_launcher launch_kernel = launcher_of(args->in->precision, args->links->precision);
    const dslash_shape shape = shape_of(args, v, p->count, stream);
    const bool step = args->form == NAIK_FORM_STEP;
    const int vectors = step ? 8 : 2 + (args->v != NULL) + (args->b != NULL);
    gpu_sample_moves(backend, p->nrhs,
                     0.5 * (double)args->links->size_bytes +
                         (double)args->in->size_bytes * vectors);
    dslash_params params = *p;
    set_sending(&params, &shape);
    if (launch_kernel == NULL || !launch_kernel(params, shape)) {
        return NAIK_FAIL(backend->log, NAIK_ERR_ARG,
                         "no Dslash on the GPU for %s vectors with %s links of %d numbers",
                         naik_precision_name(args->in->precision),
                         naik_precision_name(args->links->precision), args->links->recon);
    }
    return GPU_LAUNCHED(backend, step ? "applying D and taking the step" : "applying D");
}

static naik_status try_variant(const void *data, const gpu_variant *v)
{
    const dslash_trial *trial = (const dslash_trial *)data;
    return launch(trial->args, trial->params, v,
                  gpu_state_of(trial->args->in->geometry->backend)->stream);
}

/* Memory that trials may write to as often as they like: a ticket, sums, sums that stay 0, records
 * of rhs, and what is computed. */
enum { TRIAL_SUMS = 4096, TRIAL_ZEROS = 80 << 10, TRIAL_RHS = 96 << 10, TRIAL_OUT = 128 << 10 };
static_assert(TRIAL_SUMS + 2 * NAIK_MAX_RHS * sizeof(naik_exactsum) <= TRIAL_ZEROS &&
                  TRIAL_ZEROS + 3 * sizeof(naik_exactsum) <= TRIAL_RHS &&
                  TRIAL_RHS + NAIK_MAX_RHS * sizeof(naik_rhs) <= TRIAL_OUT,
              "what trials write to lies one behind the other");

/* A step writes two vectors besides: r, and one for x, p and A p. */
static size_t trial_bytes(const naik_dslash_args *args)
{
    return TRIAL_OUT + (args->form == NAIK_FORM_STEP ? 2 * args->out->size_bytes : 0);
}

static bool may_be_repeated(const naik_dslash_args *args)
{
    return args->form == NAIK_FORM_D ||
           (args->form == NAIK_FORM_STEP && trial_bytes(args) <= (size_t)GPU_STAGING_BYTES);
}

/* rhs that take a step in a trial, and can take it again and again: its vectors stay finite,
 * and what it sums stays on the grid. One thread an rhs. */
__global__ void trial_rhs_kernel(const naik_rhs *from, naik_rhs *to, int state)
{
    const int c = (int)threadIdx.x;
    to[c] = from[c];
    to[c].state = state;
    to[c].pending = 0;
    to[c].shift = to[c].rr = to[c].alpha = 1;
    to[c].beta = to[c].x_deferred_last = to[c].x_deferred = 0;
}

naik_status dslash_repeatable(const naik_dslash_args *args, const dslash_params &p,
                              dslash_params *out)
{
    naik_backend *backend = args->in->geometry->backend;
    gpu_state *state = gpu_state_of(backend);
    char *memory = (char *)state->staging;
    *out = p;
    out->sums = p.sums != NULL ? (naik_exactsum *)(memory + TRIAL_SUMS) : NULL;
    NAIK_PASS(
        GPU_CHECK(backend, gpu_memset(memory, 0, trial_bytes(args), state->stream), "clearing"));
    if (p.form == NAIK_FORM_STEP) {
        naik_rhs *rhs = (naik_rhs *)(memory + TRIAL_RHS);
        out->rhs = rhs;
        out->out = memory + TRIAL_OUT;
        out->x = out->direction = out->ap = out->out + args->out->size_bytes;
        if (args->deferred != NULL) {
            out->deferred = deferred_reductions_of(backend, args->deferred, ~0u);
            out->deferred.host.rhs = rhs;
            out->deferred.host.sums = out->deferred.taken = (naik_exactsum *)(memory + TRIAL_ZEROS);
            out->deferred.ticket = (unsigned *)memory;
            out->deferred.peers.count = 1;
        }
        trial_rhs_kernel<<<1, p.nrhs, 0, state->stream>>>(p.rhs, rhs, p.state);
        NAIK_PASS(GPU_LAUNCHED(backend, "preparing a trial"));
    }
    return NAIK_OK;
}

/* step, counted: whether it takes a step, and whether its blocks that send are counted. */
static gpu_tune_key tune_key_of(const naik_dslash_args *args, const dslash_params &p, bool step,
                                bool counted)
{
    return {{(int)args->in->precision, (int)args->links->precision, args->links->recon,
             args->links->points, p.nrhs, p.count,
             (p.list != NULL) + 2 * (int)p.unit_time + 4 * (p.sums != NULL) + 8 * (int)step +
                 16 * (int)(step && fuses_scalars(args)) + 32 * (int)counted,
             args->in->geometry->backend->choices.threads_per_site}};
}

/* The fastest variant for the sites of p, measured once, where the work may be repeated; `whole`:
 * what is launched. */
static naik_status choose(const naik_dslash_args *args, const dslash_params &p,
                          const dslash_params *whole, gpu_variant *out)
{
    naik_backend *backend = args->in->geometry->backend;
    const bool counted = counts_senders(whole);
    const gpu_tune_key key = tune_key_of(args, p, args->form == NAIK_FORM_STEP, counted);
    gpu_variants list = {};
    *out = usual_variant(args);
    list_variants(args, p.count, &list);
    if (list.count == 0) {
        return NAIK_FAIL(backend->log, NAIK_ERR_ARG,
                         "no Dslash of %d threads a site for links of %d numbers",
                         backend->choices.threads_per_site, args->links->recon);
    }
    if (p.table != NULL) { /* boundary sites: few, and their halo may be on its way */
        return NAIK_OK;
    }
    if (backend->choices.variant > 0) {
        *out = list.variant[(backend->choices.variant - 1) % list.count];
        return NAIK_OK;
    }
    if (gpu_tune_find(backend, &key, &list, out)) {
        return NAIK_OK;
    }
    *out = list.variant[0];
    if (!may_be_repeated(args)) { /* the same kernel as of the D before it */
        const gpu_tune_key plain = tune_key_of(args, p, false, counted);
        const gpu_tune_key other = tune_key_of(args, p, false, !counted);
        (void)(gpu_tune_find(backend, &plain, &list, out) ||
               gpu_tune_find(backend, &other, &list, out));
        return NAIK_OK;
    }
    add_senders(args, whole, &list);
    dslash_params repeated;
    naik_status status = dslash_repeatable(args, p, &repeated);
    const dslash_trial trial = {args, &repeated};
    return status != NAIK_OK ? status
                             : gpu_tune_measure(backend, &key, &list, try_variant, &trial, out);
}

static naik_status prepare(const naik_dslash_args *args, naik_region region, dslash_params *params,
                           gpu_variant *variant)
{
    *params = dslash_params_of(args, region);
    if (params->count == 0 || (region == NAIK_INTERIOR && dslash_is_one_launch(args))) {
        params->count = 0;
        return NAIK_OK;
    }
    const dslash_params inner = dslash_params_of(args, NAIK_INTERIOR);
    const bool as_inside = region == NAIK_BOUNDARY && dslash_is_one_launch(args) && inner.count > 0;
    return choose(args, as_inside ? inner : *params, params, variant);
}

static unsigned blocks_of(const naik_dslash_args *args, const dslash_params *params,
                          const gpu_variant *variant)
{
    if (params->count == 0) {
        return 0;
    }
    const dim3 grid = shape_of(args, variant, params->count, NULL).grid;
    return grid.x * grid.y;
}

/* Of this launch and, where interior and boundary are apart, of the other one. */
static naik_status count_readers(const naik_dslash_args *args, naik_region region,
                                 const dslash_params *params, const gpu_variant *variant,
                                 unsigned *readers)
{
    dslash_params other;
    gpu_variant other_variant;
    *readers = blocks_of(args, params, variant);
    if (region != NAIK_ALL) {
        NAIK_PASS(prepare(args, region == NAIK_INTERIOR ? NAIK_BOUNDARY : NAIK_INTERIOR, &other,
                          &other_variant));
        *readers += blocks_of(args, &other, &other_variant);
    }
    return NAIK_OK;
}

naik_status gpu_dslash(const naik_dslash_args *args, naik_region region)
{
    dslash_params params;
    const bool fetches = region == NAIK_BOUNDARY && dslash_fetches_halo(args);
    gpu_variant variant = {};
    NAIK_PASS(prepare(args, region, &params, &variant));
    if (params.count == 0) {
        return NAIK_OK;
    }
    if (fuses_scalars(args)) {
        unsigned readers = 0;
        NAIK_PASS(count_readers(args, region, &params, &variant, &readers));
        params.deferred =
            deferred_reductions_of(args->in->geometry->backend, args->deferred, readers);
    } else if (region != NAIK_INTERIOR) { /* of one launch */
        params.deferred = deferred_reductions_of(args->in->geometry->backend, args->deferred, 0);
    }
    NAIK_PASS(launch(args, &params, &variant,
                     fetches ? gpu_exchange_stream(args->in)
                             : gpu_state_of(args->in->geometry->backend)->stream));
    if (fetches) {
        NAIK_PASS(gpu_exchange_join(args->in));
    }
    return NAIK_OK;
}
