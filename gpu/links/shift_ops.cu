/* shift_ops.cu - what goes with shifts of vectors: links laid out, faces, currents and signs, one thread a site; the host's bits */
#include "gpu/links/ghosted.cuh"
#include "gpu/links/shift.cuh"

__device__ static inline int shift_sign(const shift_box &b, unsigned mask, const int x[NAIK_DIM])
{
    int global[NAIK_DIM];
#pragma unroll
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        global[mu] = x[mu] + b.origin[mu];
    }
    return naik_sign_at(mask, global, b.r0);
}

/* Of a site at x, in a direction that the kernel hears: an index into arrays would put these into memory. */
typedef struct shift_way {
    int along, extent, stride;
} shift_way;

__device__ static inline shift_way shift_way_of(const shift_box &box, const int x[NAIK_DIM], int mu)
{
    shift_way way = {0, 1, 1};
#pragma unroll
    for (int nu = 0; nu < NAIK_DIM; nu++) {
        way.along = nu == mu ? x[nu] : way.along;
        way.extent = nu == mu ? box.local[nu] : way.extent;
        way.stride = nu == mu ? box.stride[nu] : way.stride;
    }
    return way;
}

/* Of links whose numbers lie `step` apart. */
__device__ static inline naik_matrix shift_matrix(const naik_complex *from, size_t step)
{
    naik_matrix u;
#pragma unroll
    for (int i = 0; i < 9; i++) {
        u.e[i / 3][i % 3] = shift_load(&from[step * (size_t)i].re);
    }
    return u;
}

/* Of links as lay_out gives them. */
__device__ static inline naik_matrix shift_link(const shift_box &box, const naik_complex *link,
                                                size_t site, int mu)
{
    const size_t sites = (size_t)box.sites;
    return shift_matrix(link + 9 * sites * (size_t)mu + site, sites);
}

/* Of links [sites][NAIK_DIM]. */
__device__ static inline naik_matrix shift_link(const naik_matrix *link, size_t site, int mu)
{
    return shift_matrix(&link[NAIK_DIM * site + (size_t)mu].e[0][0], 1);
}

/* A thread a number. */
__global__ void lay_out_kernel(const naik_complex *link, int sites, naik_complex *out)
{
    const int site = (int)(blockIdx.x * SHIFT_THREADS + threadIdx.x);
    const size_t number = blockIdx.y; /* of a site's */
    if (site < sites) {
        const naik_complex z = shift_load(&link[9 * NAIK_DIM * (size_t)site + number].re);
        shift_store(z, &out[number * (size_t)sites + (size_t)site].re);
    }
}

static naik_status lay_out(naik_device *device, const naik_lattice *lattice,
                           const naik_matrix *link, naik_complex *out)
{
    const dim3 grid(shift_blocks(lattice->sites), 9 * NAIK_DIM);
    lay_out_kernel<<<grid, SHIFT_THREADS, 0, shift_stream(device)>>>((const naik_complex *)link,
                                                                     lattice->sites, out);
    return GPU_LAUNCHED(gpu_backend_of(device), "laying out links");
}

/* u f or u^+ f. */
__device__ static inline void shift_times(const naik_matrix &u, bool dagger, const double *f,
                                          size_t step, naik_complex v[3])
{
    double from[VECTOR];
    shift_vector(f, step, from);
    naik_mat_times(&u, dagger, from, v);
}

typedef struct face_params {
    shift_box box;
    int mu, layer;
    const naik_complex *link;
    const double *f;
    shift_layout of; /* f */
    double *face;
} face_params;

/* Rows of blocks are vectors. */
__global__ void __launch_bounds__(SHIFT_THREADS) face_kernel(const face_params p)
{
    const int site = (int)(blockIdx.x * SHIFT_THREADS + threadIdx.x);
    int x[NAIK_DIM];
    if (site >= p.box.sites) {
        return;
    }
    shift_coords(p.box, site, x);
    const shift_way way = shift_way_of(p.box, x, p.mu);
    if (way.along != p.layer) {
        return;
    }
    const double *f = p.f + p.box.vector * blockIdx.y + p.of.each * (size_t)site;
    double *out = p.face + p.box.vector / (size_t)way.extent * blockIdx.y +
                  VECTOR * (size_t)naik_link_layer_site(p.box.local, x, p.mu);
    naik_complex v[3];
#pragma unroll
    for (int c = 0; c < 3; c++) {
        v[c] = shift_load(f + p.of.step * (size_t)c);
    }
    if (p.link != NULL) {
        shift_times(shift_link(p.box, p.link, (size_t)site, p.mu), true, f, p.of.step, v);
    }
#pragma unroll
    for (int c = 0; c < 3; c++) {
        shift_store(v[c], out + 2 * c);
    }
}

static naik_status pack_face(naik_device *device, const naik_lattice *lattice,
                             const naik_complex *link, int mu, int layer, int count, bool by_site,
                             const double *f, double *face)
{
    face_params p = {};
    p.box = shift_box_of(lattice, NULL);
    p.mu = mu;
    p.layer = layer;
    p.link = link;
    p.f = f;
    p.of = shift_layout_of(p.box.sites, by_site);
    p.face = face;
    const dim3 grid(shift_blocks(p.box.sites), (unsigned)count);
    face_kernel<<<grid, SHIFT_THREADS, 0, shift_stream(device)>>>(p);
    return GPU_LAUNCHED(gpu_backend_of(device), "packing a face of vectors");
}

typedef struct current_params {
    shift_box box;
    int mu;
    const naik_matrix *link[2]; /* over one site, and over three; NULL */
    const naik_complex *weight;
    const double *f;
    double *out;
} current_params;

__global__ void __launch_bounds__(SHIFT_THREADS) current_kernel(const current_params p)
{
    const int site = (int)(blockIdx.x * SHIFT_THREADS + threadIdx.x);
    int x[NAIK_DIM];
    naik_complex sum[3] = {};
    if (site >= p.box.sites) {
        return;
    }
    shift_coords(p.box, site, x);
    const shift_way way = shift_way_of(p.box, x, p.mu);
#pragma unroll
    for (int kind = 0; kind < 2; kind++) {
        if (p.link[kind] == NULL) {
            continue;
        }
        const int length = kind == 0 ? 1 : 3;
        const naik_complex *weight = p.weight + (size_t)kind * (size_t)p.box.sites;
        const int ahead = (way.along + length) % way.extent;
        const int behind = (way.along + length * (way.extent - 1)) % way.extent;
        const int next = site + (ahead - way.along) * way.stride;
        const int back = site + (behind - way.along) * way.stride;
#pragma unroll
        for (int side = 0; side < 2; side++) {
            const size_t at = (size_t)(side == 0 ? site : back);
            const double *f = p.f + VECTOR * (size_t)(side == 0 ? next : back);
            naik_complex v[3];
            shift_times(shift_link(p.link[kind], at, p.mu), side == 1, f, 2, v);
            const naik_complex w = shift_load(&weight[at].re);
#pragma unroll
            for (int c = 0; c < 3; c++) {
                sum[c] = naik_cadd(sum[c], naik_cmul(w, v[c]));
            }
        }
    }
#pragma unroll
    for (int c = 0; c < 3; c++) {
        shift_store(sum[c], p.out + VECTOR * (size_t)site + 2 * c);
    }
}

static naik_status carry(naik_device *device, const naik_link_current *args)
{
    current_params p = {};
    p.box = shift_box_of(args->lattice, NULL);
    p.mu = args->mu;
    p.link[0] = args->one;
    p.link[1] = args->three;
    p.weight = args->weight;
    p.f = args->f;
    p.out = args->out;
    current_kernel<<<shift_blocks(p.box.sites), SHIFT_THREADS, 0, shift_stream(device)>>>(p);
    return GPU_LAUNCHED(gpu_backend_of(device), "a conserved current of a vector");
}

static naik_status values_of(naik_device *device, const naik_exactsum *sums, int count,
                             double *values)
{
    return gpu_sums_values(gpu_backend_of(device), sums, count, values);
}

__global__ void widen_kernel(const float *from, double *v, int sites)
{
    const int site = (int)(blockIdx.x * SHIFT_THREADS + threadIdx.x);
    if (site < sites) {
        const float2 *f = (const float2 *)from + 3 * (size_t)site;
#pragma unroll
        for (int c = 0; c < 3; c++) {
            const float2 z = f[c];
            shift_store({(double)z.x, (double)z.y}, v + VECTOR * (size_t)site + 2 * c);
        }
    }
}

static naik_status widen(naik_device *device, const naik_lattice *lattice, const float *from,
                         double *v)
{
    widen_kernel<<<shift_blocks(lattice->sites), SHIFT_THREADS, 0, shift_stream(device)>>>(
        from, v, lattice->sites);
    return GPU_LAUNCHED(gpu_backend_of(device), "widening a vector");
}

__global__ void sign_kernel(const shift_box box, unsigned mask, int factor, double *v)
{
    const int site = (int)(blockIdx.x * SHIFT_THREADS + threadIdx.x);
    int x[NAIK_DIM];
    if (site >= box.sites) {
        return;
    }
    shift_coords(box, site, x);
    const double sign = factor * shift_sign(box, mask, x);
    double *at = v + VECTOR * (size_t)site;
#pragma unroll
    for (int c = 0; c < 3; c++) {
        shift_store(naik_cscale(sign, shift_load(at + 2 * c)), at + 2 * c);
    }
}

static naik_status give_sign(naik_device *device, const naik_lattice *lattice, unsigned mask,
                             const int r0[NAIK_DIM], int sign, double *v)
{
    sign_kernel<<<shift_blocks(lattice->sites), SHIFT_THREADS, 0, shift_stream(device)>>>(
        shift_box_of(lattice, r0), mask, sign, v);
    return GPU_LAUNCHED(gpu_backend_of(device), "giving a vector its signs");
}

extern "C" {
extern const naik_shift_ops naik_shift_ops_gpu;
}

#if GPU_HOST_PASS
const naik_shift_ops naik_shift_ops_gpu = {.lay_out = lay_out,
                                           .shift = gpu_shift,
                                           .face = pack_face,
                                           .current = carry,
                                           .product = gpu_tie_product,
                                           .sums = gpu_tie_sums,
                                           .values = values_of,
                                           .widen = widen,
                                           .give_sign = give_sign};
#endif
