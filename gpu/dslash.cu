/* dslash.cu - which kernel computes a Dslash, and on how many threads */
#include "dslash.cuh"

#include "backend_gpu.h"

typedef bool (*dslash_family)(const dslash_params &params, const dslash_shape &shape);

static dslash_family family_of(naik_precision vectors, naik_precision links)
{
    static const dslash_family families[3][3] = {
        {dslash_launch_double, NULL, NULL},
        {NULL, dslash_launch_single, dslash_launch_single_half},
        {NULL, dslash_launch_half_single, dslash_launch_half}};
    return families[vectors][links];
}

/* Columns a thread for a batch, at most 4: more leave no room for loads in flight. Any choice gives
 * the same bits. */
static int columns_a_thread(int nrhs)
{
    if (nrhs <= 4) {
        return nrhs;
    }
    int waste4 = (nrhs + 3) / 4 * 4 - nrhs, waste3 = (nrhs + 2) / 3 * 3 - nrhs;
    return waste3 < waste4 && nrhs <= 12 ? 3 : 4;
}

static double scale_of(const naik_links *links, int far)
{
    bool whole = links->recon == 18 || (links->hops == NAIK_HOPS && far == 0);
    if (!whole) {
        return far == 1 ? links->long_scale : 1;
    }
    return links->precision == NAIK_HALF ? links->scale[far] / 32767 : 1;
}

/* Whether the sites of the boundary fetch the halo themselves (halo.h, hand_over). */
static bool fetches_halo(const naik_dslash_args *args)
{
    const naik_geometry *geometry = args->in->geometry;
    return geometry->lattice->halo > 0 && geometry->backend->route.whole;
}

/* Interior and boundary in one launch, that of the boundary, where the exchange is short. */
static bool is_one_launch(const naik_dslash_args *args)
{
    return fetches_halo(args) && !gpu_tables_of(args->in->geometry)->exchange.beside;
}

static void set_region(dslash_params *p, const naik_dslash_args *args, naik_region region)
{
    const naik_lattice *lat = args->in->geometry->lattice;
    const gpu_tables *tables = gpu_tables_of(args->in->geometry);
    const int interior = lat->interior_count[args->parity];
    p->count = lat->half;
    if (lat->halo == 0) {
        return;
    }
    p->list = tables->sites[args->parity];
    if (region == NAIK_INTERIOR) {
        p->count = interior;
        return;
    }
    p->table = tables->hop[args->parity];
    p->boundary_from = interior;
    if (region == NAIK_BOUNDARY && !is_one_launch(args)) {
        p->list += interior;
        p->count -= interior;
        p->boundary_from = 0;
    }
    if (fetches_halo(args)) {
        p->view = gpu_exchange_view(args->in);
    }
}

static dslash_params params_of(const naik_dslash_args *args, naik_region region)
{
    dslash_params p = {};
    const naik_links *links = args->links;
    p.links = (const char *)links->data + (size_t)args->parity * (links->size_bytes / 2);
    p.in = (const char *)args->in->data;
    p.out = (char *)args->out->data;
    p.v = args->v != NULL ? (const char *)args->v->data : NULL;
    p.b = args->b != NULL ? (const char *)args->b->data : NULL;
    p.columns = args->columns;
    p.state = (int)args->state;
    p.sums = args->sums;
    p.parity = (int)args->parity;
    p.nrhs = args->in->nrhs;
    p.form = args->form;
    p.scale[0] = scale_of(links, 0);
    p.scale[1] = scale_of(links, 1);
    p.a = args->a;
    p.s = args->s;
    p.stencil = gpu_tables_of(args->in->geometry)->stencil;
    set_region(&p, args, region);
    return p;
}

naik_status gpu_dslash(const naik_dslash_args *args, naik_region region)
{
    naik_backend *backend = args->in->geometry->backend;
    naik_precision vectors = args->in->precision, links = args->links->precision;
    dslash_params params = params_of(args, region);
    dslash_family family = family_of(vectors, links);
    const bool fetches = region == NAIK_BOUNDARY && fetches_halo(args);
    if (params.count == 0 || (region == NAIK_INTERIOR && is_one_launch(args))) {
        return NAIK_OK;
    }
    dslash_shape shape;
    shape.recon = args->links->recon;
    shape.hops = args->links->hops;
    shape.columns = columns_a_thread(params.nrhs);
    shape.stream = fetches ? gpu_exchange_stream(args->in) : gpu_state_of(backend)->stream;
    int tiles = (params.nrhs + shape.columns - 1) / shape.columns;
    int together = tiles <= 4 ? tiles : tiles % 4 == 0 ? 4 : tiles % 3 == 0 ? 3 : 2;
    /* tiles in a block share links in the cache */
    int sites = together == 3 ? 32 : DSLASH_THREADS / together;
    shape.block = dim3((unsigned)sites, (unsigned)together);
    shape.grid = dim3((unsigned)((params.count + sites - 1) / sites),
                      (unsigned)((tiles + together - 1) / together));
    if (family == NULL || !family(params, shape)) {
        return NAIK_FAIL(backend->log, NAIK_ERR_ARG,
                         "no Dslash on the GPU for %s vectors with %s links of %d numbers",
                         naik_precision_name(vectors), naik_precision_name(links), shape.recon);
    }
    naik_status status = GPU_LAUNCHED(backend, "applying the Dslash");
    return status == NAIK_OK && fetches ? gpu_exchange_join(args->in) : status;
}
