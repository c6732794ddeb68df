/* smear.cu - link building: the loops of link_ops.h, one thread a site
 *
 * The arithmetic is su3.h's and unitarize.inc's, which the host compiles too, in the order of
 * rows.c and link_loops.c: links come out with the host's bits.
 */
#include "gpu/backend_gpu.h"

extern "C" {
#include "links/smear.h"
}

#include "gpu/links/ghosted.cuh"
#include "links/unitarize.inc"

enum { SMEAR_THREADS = 128, SMEAR_MOST = 3 };

static unsigned blocks_for(int64_t threads)
{
    return (unsigned)((threads + SMEAR_THREADS - 1) / SMEAR_THREADS);
}

static gpu_stream stream_of(naik_backend *backend)
{
    return gpu_state_of(backend)->stream;
}

/* ---- products, in the order of rows.c */

__device__ static inline void add_row_mul(const naik_complex a[3], const naik_matrix &b,
                                          naik_complex sum[3])
{
#pragma unroll
    for (int j = 0; j < 3; j++) {
#pragma unroll
        for (int k = 0; k < 3; k++) {
            sum[j] = naik_cfma(a[k], b.e[k][j], sum[j]);
        }
    }
}

__device__ static inline void add_row_mul_dagger(const naik_complex a[3], const naik_matrix &b,
                                                 naik_complex sum[3])
{
#pragma unroll
    for (int j = 0; j < 3; j++) {
#pragma unroll
        for (int k = 0; k < 3; k++) {
            sum[j] = naik_cfma_conj(a[k], b.e[j][k], sum[j]);
        }
    }
}

/* sum += a s b^+ */
__device__ static inline void add_upper(const naik_matrix &a, const naik_matrix &s,
                                        const naik_matrix &b, naik_matrix &sum)
{
#pragma unroll
    for (int i = 0; i < 3; i++) {
        naik_complex row[3] = {};
        add_row_mul(a.e[i], s, row);
        add_row_mul_dagger(row, b, sum.e[i]);
    }
}

/* sum += a^+ s b */
__device__ static inline void add_lower(const naik_matrix &a, const naik_matrix &s,
                                        const naik_matrix &b, naik_matrix &sum)
{
#pragma unroll
    for (int i = 0; i < 3; i++) {
        const naik_complex column[3] = {naik_conj(a.e[0][i]), naik_conj(a.e[1][i]),
                                        naik_conj(a.e[2][i])};
        naik_complex row[3] = {};
        add_row_mul(column, s, row);
        add_row_mul(row, b, sum.e[i]);
    }
}

/* ---- kernels on ghosted */

typedef struct staple_sum { /* naik_staple_sum with the pointers of its fields */
    const double *term[4], *inner[3];
    double term_weight[4], weight;
    int nu[3];
    int terms, staples;
    double *out;
    naik_matrix *gauge;
} staple_sum;

typedef struct staple_params {
    box b;
    const double *u[NAIK_DIM];
    staple_sum sum[SMEAR_MOST];
    int mu;
} staple_params;

__global__ void __launch_bounds__(SMEAR_THREADS) staples_kernel(const staple_params p)
{
    const int64_t site = (int64_t)blockIdx.x * SMEAR_THREADS + threadIdx.x;
    if (site >= p.b.sites) {
        return;
    }
    const staple_sum &s = p.sum[blockIdx.y];
    const int stride = p.b.extent[0], mu = p.mu;
    int x[NAIK_DIM];
    coords(p.b.local, site, x);
    const int64_t here = place(p.b, x[0], x[1], x[2], x[3]);
    naik_matrix sum = naik_mat_zero(), staples = naik_mat_zero();
    for (int i = 0; i < s.terms; i++) {
        const naik_matrix term = load(s.term[i] + here, stride);
        if (i == 0) {
            sum = naik_mat_scale(s.term_weight[i], &term);
        } else {
            naik_mat_add(&sum, s.term_weight[i], &term);
        }
    }
    const bool apart = s.weight != 1;
    if (!apart) {
        staples = sum;
    }
    for (int j = 0; j < s.staples; j++) {
        const int nu = s.nu[j];
        const double *u = p.u[nu], *inner = s.inner[j];
        add_upper(load(u + here, stride), load(inner + place_near(p.b, x, nu, 1, nu, 0), stride),
                  load(u + place_near(p.b, x, mu, 1, nu, 0), stride), staples);
        const int64_t below = place_near(p.b, x, nu, -1, nu, 0);
        add_lower(load(u + below, stride), load(inner + below, stride),
                  load(u + place_near(p.b, x, mu, 1, nu, -1), stride), staples);
    }
    if (apart) {
        naik_mat_add(&sum, s.weight, &staples);
        staples = sum;
    }
    if (s.out != NULL) {
        store(s.out + here, stride, staples);
    } else {
        s.gauge[site * NAIK_DIM + mu] = staples;
    }
}

static naik_status smear_staples(const naik_ghosted u[NAIK_DIM], int mu,
                                 const naik_staple_sum *sums, int count)
{
    naik_backend *backend = gpu_backend_of(u->plan->device);
    staple_params p = {};
    p.b = box_of(u->plan);
    p.mu = mu;
    for (int nu = 0; nu < NAIK_DIM; nu++) {
        p.u[nu] = u[nu].data;
    }
    for (int k = 0; k < count; k++) {
        const naik_staple_sum *from = &sums[k];
        staple_sum *to = &p.sum[k];
        for (int i = 0; i < from->terms; i++) {
            to->term[i] = from->term[i].ghosted->data;
            to->term_weight[i] = from->term[i].weight;
        }
        for (int j = 0; j < from->staples; j++) {
            to->nu[j] = from->staple[j].nu;
            to->inner[j] = from->staple[j].inner->data;
        }
        to->terms = from->terms;
        to->staples = from->staples;
        to->weight = from->weight;
        to->out = from->out != NULL ? from->out->data : NULL;
        to->gauge = from->gauge != NULL ? from->gauge->link : NULL;
    }
    staples_kernel<<<dim3(blocks_for(p.b.sites), (unsigned)count), SMEAR_THREADS, 0,
                     stream_of(backend)>>>(p);
    return GPU_LAUNCHED(backend, "summing staples");
}

__global__ void product_kernel(box b, double weight, const double *left, const double *right,
                               int mu, double *out, naik_matrix *gauge)
{
    const int64_t site = (int64_t)blockIdx.x * SMEAR_THREADS + threadIdx.x;
    if (site >= b.sites) {
        return;
    }
    int x[NAIK_DIM];
    coords(b.local, site, x);
    const int64_t here = place(b, x[0], x[1], x[2], x[3]);
    const naik_matrix u = load(left + here, b.extent[0]);
    const naik_matrix v = load(right + place_near(b, x, mu, 1, mu, 0), b.extent[0]);
    naik_matrix product = naik_mat_zero();
#pragma unroll
    for (int i = 0; i < 3; i++) {
        add_row_mul(u.e[i], v, product.e[i]);
    }
    product = naik_mat_scale(weight, &product);
    if (out != NULL) {
        store(out + here, b.extent[0], product);
    } else {
        gauge[site * NAIK_DIM + mu] = product;
    }
}

static naik_status smear_product(double weight, const naik_ghosted *a, const naik_ghosted *b,
                                 int mu, naik_ghosted *out, naik_gauge *gauge)
{
    naik_backend *backend = gpu_backend_of(a->plan->device);
    const box geometry = box_of(a->plan);
    product_kernel<<<blocks_for(geometry.sites), SMEAR_THREADS, 0, stream_of(backend)>>>(
        geometry, weight, a->data, b->data, mu, out != NULL ? out->data : NULL,
        gauge != NULL ? gauge->link : NULL);
    return GPU_LAUNCHED(backend, "multiplying links");
}

__global__ void fill_kernel(box b, const naik_matrix *link, int mu, double *ghosted)
{
    const int64_t site = (int64_t)blockIdx.x * SMEAR_THREADS + threadIdx.x;
    if (site < b.sites) {
        int x[NAIK_DIM];
        coords(b.local, site, x);
        store(ghosted + place(b, x[0], x[1], x[2], x[3]), b.extent[0], link[site * NAIK_DIM + mu]);
    }
}

static naik_status ghosted_fill(const naik_gauge *gauge, int mu, naik_ghosted *ghosted)
{
    naik_backend *backend = gpu_backend_of(ghosted->plan->device);
    const box b = box_of(ghosted->plan);
    fill_kernel<<<blocks_for(b.sites), SMEAR_THREADS, 0, stream_of(backend)>>>(b, gauge->link, mu,
                                                                               ghosted->data);
    return GPU_LAUNCHED(backend, "turning links into rows");
}

typedef struct layer_params {
    box b;
    int from[NAIK_DIM], count[NAIK_DIM]; /* of rows, or in x of numbers in a row */
    bool pack;
    double *ghosted, *message;
} layer_params;

/* One thread a number of the message: [t][z][y][18][x]. */
__global__ void layer_kernel(const layer_params p)
{
    const int64_t i = (int64_t)blockIdx.x * SMEAR_THREADS + threadIdx.x;
    const int64_t row = i / ((int64_t)NAIK_ROW_REALS * p.count[0]);
    if (row >= (int64_t)p.count[1] * p.count[2] * p.count[3]) {
        return;
    }
    const int number = (int)(i - row * NAIK_ROW_REALS * p.count[0]);
    const int y = (int)row % p.count[1], plane = (int)row / p.count[1];
    const int64_t at = place(p.b, p.from[0] + number % p.count[0], p.from[1] + y,
                             p.from[2] + plane % p.count[2], p.from[3] + plane / p.count[2]) +
                       (int64_t)(number / p.count[0]) * p.b.extent[0];
    *(p.pack ? p.message + i : p.ghosted + at) = *(p.pack ? p.ghosted + at : p.message + i);
}

static naik_status ghosted_layer(naik_ghosted *ghosted, int mu, const int from[NAIK_DIM],
                                 const int to[NAIK_DIM], bool pack, double *message)
{
    naik_backend *backend = gpu_backend_of(ghosted->plan->device);
    layer_params p = {};
    p.b = box_of(ghosted->plan);
    for (int nu = 0; nu < NAIK_DIM; nu++) {
        p.from[nu] = nu == 0 && mu != 0 ? -p.b.pad[0] : from[nu];
        p.count[nu] = nu != 0 ? to[nu] - from[nu] : mu == 0 ? 1 : p.b.extent[0];
    }
    p.pack = pack;
    p.ghosted = ghosted->data;
    p.message = message;
    const int64_t numbers =
        (int64_t)NAIK_ROW_REALS * p.count[0] * p.count[1] * p.count[2] * p.count[3];
    layer_kernel<<<blocks_for(numbers), SMEAR_THREADS, 0, stream_of(backend)>>>(p);
    return GPU_LAUNCHED(backend, "copying a face of links");
}

/* ---- kernels on gauge fields */

static int64_t link_count(const naik_gauge *gauge)
{
    return (int64_t)gauge->lattice->sites * NAIK_DIM;
}

/* Blocks that a multiprocessor shall hold at least: left alone, nvcc takes fewer registers than it
 * may and spills. */
enum { PROJECT_BLOCKS = GPU_LANES == 64 ? 1 : 2 };

__global__ void __launch_bounds__(SMEAR_THREADS, PROJECT_BLOCKS)
    project_kernel(naik_matrix *link, const naik_matrix *thin, int64_t count,
                   unsigned long long *found)
{
    const int64_t i = (int64_t)blockIdx.x * SMEAR_THREADS + threadIdx.x;
    if (i < count) {
        const naik_matrix v = link[i];
        naik_projection how = NAIK_PROJECTION_SERIES;
        const naik_matrix w = unitarize(&v, &how);
        link[i] = thin != NULL ? with_determinant(&w, &thin[i], &how) : w;
        if (how != NAIK_PROJECTION_SERIES) {
            atomicAdd(&found[0], 1ull);
        }
        if (how == NAIK_PROJECTION_ARBITRARY) {
            atomicAdd(&found[1], 1ull);
        }
    }
}

/* Numbers that kernels of many threads make together, to the host. */
static naik_status read_flags(naik_backend *backend, void *out, int count)
{
    return gpu_download(&backend->device, out, gpu_state_of(backend)->flags,
                        (size_t)count * sizeof(uint64_t));
}

static naik_status clear_flags(naik_backend *backend, int count)
{
    gpu_state *state = gpu_state_of(backend);
    return GPU_CHECK(backend,
                     gpu_memset(state->flags, 0, (size_t)count * sizeof(uint64_t), state->stream),
                     "clearing flags");
}

static naik_status gauge_project(naik_gauge *gauge, const naik_gauge *thin, int64_t found[2])
{
    naik_backend *backend = gpu_backend_of(gauge->device);
    const int64_t count = link_count(gauge);
    NAIK_PASS(clear_flags(backend, 2));
    project_kernel<<<blocks_for(count), SMEAR_THREADS, 0, stream_of(backend)>>>(
        gauge->link, thin != NULL ? thin->link : NULL, count,
        (unsigned long long *)gpu_state_of(backend)->flags);
    NAIK_PASS(GPU_LAUNCHED(backend, "projecting links"));
    return read_flags(backend, found, 2);
}

/* Positive doubles compare like their bits; NaN counts as nothing, as on the host. */
__global__ void largest_kernel(const double *numbers, int64_t count, unsigned long long *most)
{
    double mine = 0;
    const int64_t step = (int64_t)gridDim.x * SMEAR_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * SMEAR_THREADS + threadIdx.x; i < count; i += step) {
        const double size = fabs(numbers[i]);
        mine = size > mine ? size : mine;
    }
    atomicMax(most, (unsigned long long)__double_as_longlong(mine));
}

static naik_status gauge_largest(const naik_gauge *gauge, double *out)
{
    naik_backend *backend = gpu_backend_of(gauge->device);
    const int64_t count = link_count(gauge) * NAIK_ROW_REALS;
    const unsigned blocks = blocks_for(count) < 1024 ? blocks_for(count) : 1024;
    NAIK_PASS(clear_flags(backend, 1));
    largest_kernel<<<blocks, SMEAR_THREADS, 0, stream_of(backend)>>>(
        (const double *)gauge->link, count, (unsigned long long *)gpu_state_of(backend)->flags);
    NAIK_PASS(GPU_LAUNCHED(backend, "looking for the largest link"));
    return read_flags(backend, out, 1);
}

/* ---- the time links, the backward links, and the points of a site */

typedef struct links_box {
    int local[NAIK_DIM], sites;
} links_box;

static links_box links_box_of(const naik_lattice *lat)
{
    links_box b;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        b.local[mu] = lat->local[mu];
    }
    b.sites = lat->sites;
    return b;
}

/* One thread a site. */
__global__ void others_kernel(links_box b, const naik_matrix *link, int but,
                              unsigned long long *count)
{
    const int site = (int)(blockIdx.x * SMEAR_THREADS + threadIdx.x);
    int x[NAIK_DIM];
    coords(b.local, site, x);
    if (site < b.sites && x[3] != but && !naik_mat_is_unit(&link[(int64_t)site * NAIK_DIM + 3])) {
        atomicAdd(count, 1ULL);
    }
}

static naik_status gauge_others_in_time(const naik_gauge *gauge, int but, int64_t *count)
{
    naik_backend *backend = gpu_backend_of(gauge->device);
    const links_box b = links_box_of(gauge->lattice);
    NAIK_PASS(clear_flags(backend, 1));
    others_kernel<<<blocks_for(b.sites), SMEAR_THREADS, 0, stream_of(backend)>>>(
        b, gauge->link, but, (unsigned long long *)gpu_state_of(backend)->flags);
    NAIK_PASS(GPU_LAUNCHED(backend, "looking for links that are not 1"));
    return read_flags(backend, count, 1);
}

__global__ void layers_kernel(links_box b, const naik_matrix *link, int mu, int distance,
                              naik_matrix *out)
{
    const int site = (int)(blockIdx.x * SMEAR_THREADS + threadIdx.x);
    int x[NAIK_DIM];
    coords(b.local, site, x);
    const int depth = x[mu] - (b.local[mu] - distance);
    if (site < b.sites && depth >= 0) {
        out[(int64_t)depth * (b.sites / b.local[mu]) + naik_link_layer_site(b.local, x, mu)] =
            link[(int64_t)site * NAIK_DIM + mu];
    }
}

static naik_status gauge_layers(const naik_gauge *gauge, int mu, int distance, naik_matrix *out)
{
    const links_box b = links_box_of(gauge->lattice);
    layers_kernel<<<blocks_for(b.sites), SMEAR_THREADS, 0,
                    stream_of(gpu_backend_of(gauge->device))>>>(b, gauge->link, mu, distance, out);
    return GPU_LAUNCHED(gpu_backend_of(gauge->device), "collecting layers of links");
}

typedef struct hops_params {
    links_box b;
    const naik_matrix *link[2], *backward[2][NAIK_DIM]; /* [fat, long] */
    int parity, begin, count, points;
    naik_matrix *out;
} hops_params;

/* One thread a point. */
__global__ void hops_kernel(const hops_params p)
{
    const int64_t i = (int64_t)blockIdx.x * SMEAR_THREADS + threadIdx.x;
    const int point = (int)(i % p.points), cb = p.begin + (int)(i / p.points);
    if (i >= (int64_t)p.count * p.points) {
        return;
    }
    const int mu = point % 4, kind = point / 8, distance = kind == 0 ? 1 : NAIK_HALO_DEPTH;
    int x[NAIK_DIM];
    coords(p.b.local, 2 * cb, x); /* the pair of sites of both parities */
    x[0] += (x[1] + x[2] + x[3] + p.parity) & 1;
    if (point / 4 % 2 == 0) {
        p.out[i] = p.link[kind][site_number(p.b.local, x) * NAIK_DIM + mu];
        return;
    }
    const naik_matrix *u;
    if (x[mu] < distance && p.backward[kind][mu] != NULL) {
        u = p.backward[kind][mu] + (int64_t)x[mu] * (p.b.sites / p.b.local[mu]) +
            naik_link_layer_site(p.b.local, x, mu);
    } else {
        x[mu] = (x[mu] - distance % p.b.local[mu] + p.b.local[mu]) % p.b.local[mu];
        u = p.link[kind] + site_number(p.b.local, x) * NAIK_DIM + mu;
    }
    const naik_matrix dagger = naik_mat_dagger(u);
    p.out[i] = naik_mat_scale(-1, &dagger);
}

static naik_status links_hops(const naik_fatlong *source, const naik_link_layers backward[2],
                              int points, naik_parity parity, int32_t begin, int32_t count,
                              naik_matrix *out)
{
    naik_backend *backend = gpu_backend_of(source->fat->device);
    hops_params p = {};
    p.b = links_box_of(source->fat->lattice);
    p.link[0] = source->fat->link;
    p.link[1] = source->long_links != NULL ? source->long_links->link : NULL;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        p.backward[0][mu] = backward[0].link[mu];
        p.backward[1][mu] = backward[1].link[mu];
    }
    p.parity = (int)parity;
    p.begin = begin;
    p.count = count;
    p.points = points;
    p.out = out;
    hops_kernel<<<blocks_for((int64_t)count * points), SMEAR_THREADS, 0, stream_of(backend)>>>(p);
    return GPU_LAUNCHED(backend, "collecting the links of a site");
}

extern "C" {
extern const naik_link_ops naik_link_ops_gpu;
extern const struct naik_shift_ops naik_shift_ops_gpu; /* shift_ops.cu */
}

#if GPU_HOST_PASS
const naik_link_ops naik_link_ops_gpu = {
    .ghosted_fill = ghosted_fill,
    .ghosted_layer = ghosted_layer,
    .staples = smear_staples,
    .product = smear_product,
    .find_turns = gpu_turns_find,
    .apply_turns = gpu_turns_apply,
    .divergence = gpu_turns_divergence,
    .reunitarise = gpu_turns_reunitarise,
    .ghosted_store = gpu_ghosted_store,
    .clover = gpu_clover,
    .project = gauge_project,
    .combine = gpu_links_combine,
    .rotate = gpu_links_rotate,
    .largest = gauge_largest,
    .others_in_time = gauge_others_in_time,
    .layers = gauge_layers,
    .points = links_hops,
    .shifts = &naik_shift_ops_gpu,
};
#endif
