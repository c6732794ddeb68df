/* shift.cu - operators with links on vectors, and their correlators, one thread a site; the host's bits */
#include "gpu/backend_gpu.h"
#include "gpu/links/ghosted.cuh"
#include "gpu/vectors/reduce.cuh"
#include "links/shift_ops.h"

enum { SHIFT_THREADS = 128, TIE_THREADS = 256, VECTOR = 6 };

/* A box, and the signs of its sites. */
typedef struct shift_box {
    int local[NAIK_DIM], origin[NAIK_DIM], r0[NAIK_DIM], stride[NAIK_DIM];
    int sites;
    size_t vector; /* numbers of one */
} shift_box;

static shift_box box_of(const naik_lattice *lat, const int *r0)
{
    shift_box b = {};
    int stride = 1;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        b.local[mu] = lat->local[mu];
        b.origin[mu] = lat->origin[mu];
        b.r0[mu] = r0 != NULL ? r0[mu] : 0;
        b.stride[mu] = stride;
        stride *= lat->local[mu];
    }
    b.sites = lat->sites;
    b.vector = VECTOR * (size_t)lat->sites;
    return b;
}

static unsigned blocks_for(int sites)
{
    return (unsigned)((sites + SHIFT_THREADS - 1) / SHIFT_THREADS);
}

static gpu_stream stream_of(naik_device *device)
{
    return gpu_state_of(gpu_backend_of(device))->stream;
}

__device__ static inline void shift_coords(const shift_box &b, int site, int x[NAIK_DIM])
{
#pragma unroll
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        x[mu] = site % b.local[mu];
        site /= b.local[mu];
    }
}

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

/* A complex number in one load. */
__device__ static inline naik_complex shift_load(const double *from)
{
    const double2 v = *(const double2 *)from;
    return {v.x, v.y};
}

__device__ static inline void shift_store(naik_complex v, double *to)
{
    *(double2 *)to = make_double2(v.re, v.im);
}

__device__ static inline naik_matrix shift_link(const naik_matrix *link, size_t site, int mu)
{
    const double *from = (const double *)&link[NAIK_DIM * site + (size_t)mu];
    naik_matrix u;
#pragma unroll
    for (int i = 0; i < 9; i++) {
        u.e[i / 3][i % 3] = shift_load(from + 2 * i);
    }
    return u;
}

/* u f or u^+ f. */
__device__ static inline void shift_times(const naik_matrix &u, bool dagger, const double *f,
                                          naik_complex v[3])
{
    double from[VECTOR];
#pragma unroll
    for (int c = 0; c < 3; c++) {
        const naik_complex z = shift_load(f + 2 * c);
        from[2 * c] = z.re;
        from[2 * c + 1] = z.im;
    }
    naik_mat_times(&u, dagger, from, v);
}

typedef struct shift_params {
    shift_box box;
    unsigned directions, split; /* sets */
    double half;
    const naik_matrix *link;
    const double *f[NAIK_DIM], *ahead[NAIK_DIM], *behind[NAIK_DIM];
    double *out;
} shift_params;

/* N vectors of a site, whose links are read once. */
template <int N> __global__ void __launch_bounds__(SHIFT_THREADS) shift_kernel(const shift_params p)
{
    const int site = (int)(blockIdx.x * SHIFT_THREADS + threadIdx.x);
    if (site >= p.box.sites) {
        return;
    }
    int x[NAIK_DIM];
    naik_complex sum[N][3] = {};
    shift_coords(p.box, site, x);
#pragma unroll
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if ((p.directions >> mu & 1) == 0) {
            continue;
        }
        const bool split = (p.split >> mu & 1) != 0;
        const bool last = x[mu] == p.box.local[mu] - 1, first = x[mu] == 0;
        const int around = (p.box.local[mu] - 1) * p.box.stride[mu];
        const size_t layer = VECTOR * (size_t)naik_link_layer_site(p.box.local, x, mu);
        const size_t face = p.box.vector / (size_t)p.box.local[mu];
        const size_t next = (size_t)(last ? site - around : site + p.box.stride[mu]);
        const size_t back = (size_t)(first ? site + around : site - p.box.stride[mu]);
        naik_complex ahead[N][3];
        {
            const naik_matrix u = shift_link(p.link, (size_t)site, mu);
            const bool leaves = split && last;
            const double *f = leaves ? p.ahead[mu] + layer : p.f[mu] + VECTOR * next;
            const size_t step = leaves ? face : p.box.vector;
#pragma unroll
            for (int k = 0; k < N; k++) {
                shift_times(u, false, f + step * (size_t)k, ahead[k]);
            }
        }
        if (split && first) {
#pragma unroll
            for (int k = 0; k < N; k++) {
#pragma unroll
                for (int c = 0; c < 3; c++) {
                    const naik_complex v =
                        shift_load(p.behind[mu] + layer + face * (size_t)k + 2 * c);
                    sum[k][c] = naik_cadd(sum[k][c], naik_cadd(ahead[k][c], v));
                }
            }
        } else {
            const naik_matrix u = shift_link(p.link, back, mu);
            const double *f = p.f[mu] + VECTOR * back;
#pragma unroll
            for (int k = 0; k < N; k++) {
                naik_complex v[3];
                shift_times(u, true, f + p.box.vector * (size_t)k, v);
#pragma unroll
                for (int c = 0; c < 3; c++) {
                    sum[k][c] = naik_cadd(sum[k][c], naik_cadd(ahead[k][c], v[c]));
                }
            }
        }
    }
#pragma unroll
    for (int k = 0; k < N; k++) {
        double *out = p.out + p.box.vector * (size_t)k + VECTOR * (size_t)site;
#pragma unroll
        for (int c = 0; c < 3; c++) {
            shift_store(naik_cscale(p.half, sum[k][c]), out + 2 * c);
        }
    }
}

static naik_status shift(naik_device *device, const naik_link_shift *step)
{
    shift_params p = {};
    p.box = box_of(step->lattice, NULL);
    p.directions = step->directions;
    p.half = step->half;
    p.link = step->link;
    p.out = step->out;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        p.split |= step->lattice->split[mu] ? 1U << mu : 0;
        p.f[mu] = step->f[mu];
        p.ahead[mu] = step->ahead[mu];
        p.behind[mu] = step->behind[mu];
    }
    const unsigned blocks = blocks_for(p.box.sites);
    if (step->count == 3) {
        shift_kernel<3><<<blocks, SHIFT_THREADS, 0, stream_of(device)>>>(p);
    } else {
        shift_kernel<1><<<blocks, SHIFT_THREADS, 0, stream_of(device)>>>(p);
    }
    return GPU_LAUNCHED(gpu_backend_of(device), "shifting vectors");
}

typedef struct face_params {
    shift_box box;
    int mu, layer;
    const naik_matrix *link;
    const double *f;
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
    const double *f = p.f + p.box.vector * blockIdx.y + VECTOR * (size_t)site;
    double *out = p.face + p.box.vector / (size_t)way.extent * blockIdx.y +
                  VECTOR * (size_t)naik_link_layer_site(p.box.local, x, p.mu);
    naik_complex v[3];
#pragma unroll
    for (int c = 0; c < 3; c++) {
        v[c] = shift_load(f + 2 * c);
    }
    if (p.link != NULL) {
        shift_times(shift_link(p.link, (size_t)site, p.mu), true, f, v);
    }
#pragma unroll
    for (int c = 0; c < 3; c++) {
        shift_store(v[c], out + 2 * c);
    }
}

static naik_status pack_face(naik_device *device, const naik_lattice *lattice,
                             const naik_matrix *link, int mu, int layer, int count, const double *f,
                             double *face)
{
    face_params p = {};
    p.box = box_of(lattice, NULL);
    p.mu = mu;
    p.layer = layer;
    p.link = link;
    p.f = f;
    p.face = face;
    const dim3 grid(blocks_for(p.box.sites), (unsigned)count);
    face_kernel<<<grid, SHIFT_THREADS, 0, stream_of(device)>>>(p);
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
            shift_times(shift_link(p.link[kind], at, p.mu), side == 1, f, v);
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
    p.box = box_of(args->lattice, NULL);
    p.mu = args->mu;
    p.link[0] = args->one;
    p.link[1] = args->three;
    p.weight = args->weight;
    p.f = args->f;
    p.out = args->out;
    current_kernel<<<blocks_for(p.box.sites), SHIFT_THREADS, 0, stream_of(device)>>>(p);
    return GPU_LAUNCHED(gpu_backend_of(device), "a conserved current of a vector");
}

__global__ void product_kernel(const double *g, const double *h, size_t vector, int columns,
                               bool add, int sites, naik_complex *out)
{
    const int site = (int)(blockIdx.x * SHIFT_THREADS + threadIdx.x);
    if (site >= sites) {
        return;
    }
    double *to = &out[site].re;
    naik_complex sum = {0, 0};
    if (add) {
        sum = shift_load(to);
    }
    for (int column = 0; column < columns; column++) {
        const size_t at = vector * (size_t)column + VECTOR * (size_t)site;
#pragma unroll
        for (int c = 0; c < 3; c++) {
            sum = naik_cfma_conj(shift_load(g + at + 2 * c), shift_load(h + at + 2 * c), sum);
        }
    }
    shift_store(sum, to);
}

static naik_status multiply(naik_device *device, const naik_tie_product *args)
{
    const int sites = args->lattice->sites;
    product_kernel<<<blocks_for(sites), SHIFT_THREADS, 0, stream_of(device)>>>(
        args->g, args->h, VECTOR * (size_t)sites, args->columns, args->add, sites, args->out);
    return GPU_LAUNCHED(gpu_backend_of(device), "multiplying two quarks");
}

typedef struct tie_params {
    shift_box box;
    const naik_complex *v, *factor;
    int slice, momenta, operators;
    unsigned mask[NAIK_TIE_OPERATORS];
    int sign[NAIK_TIE_OPERATORS];
    unsigned odd; /* coordinates that are odd, counted from r0, at the first site of the box */
    naik_exactsum *sums;
} tie_params;

/* Bit number s: whether the set s has an odd number of directions. */
enum { ODD_SETS = 0x6996 };

/* One row of blocks a time slice. */
__global__ void __launch_bounds__(TIE_THREADS) tie_kernel(const tie_params p)
{
    __shared__ exact_block<2> shared;
    const int i = (int)(blockIdx.x * TIE_THREADS + threadIdx.x), t = (int)blockIdx.y;
    const bool mine = i < p.slice;
    const int nx = p.box.local[0], ny = p.box.local[1], times = p.box.local[3];
    const int y = i / nx % ny, z = mine ? i / nx / ny : 0;
    const int at = i % nx;
    const unsigned odd = ((at + p.odd) & 1) | ((y + (p.odd >> 1)) & 1) << 1 |
                         ((z + (p.odd >> 2)) & 1) << 2 | ((t + (p.odd >> 3)) & 1) << 3;
    naik_complex v = {0, 0};
    if (mine) {
        v = shift_load(&p.v[(size_t)t * (size_t)p.slice + (size_t)i].re);
    }
    for (int k = 0; k < p.momenta; k++) {
        const naik_complex *f = p.factor + k * (nx + ny + p.box.local[2]);
        naik_complex w = naik_cmul({1, 0}, f[at]);
        w = naik_cmul(w, f[nx + y]);
        w = naik_cmul(w, f[nx + ny + z]);
        const naik_complex u = naik_cmul(w, v);
        for (int o = 0; o < p.operators; o++) {
            const bool minus = (ODD_SETS >> (odd & p.mask[o]) & 1) != 0;
            const double sign = minus ? -p.sign[o] : p.sign[o];
            const double term[2] = {sign * u.re, sign * u.im};
            exact_block_add(shared, term, 2, &p.sums[2 * (o * p.momenta + k) * times + t], times);
            __syncthreads();
        }
    }
}

static naik_status sum_slices(naik_device *device, const naik_tie_sums *args)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = gpu_backend_of(device);
    const naik_lattice *lat = args->lattice;
    const size_t count = 2 * (size_t)args->operators * (size_t)args->momenta;
    tie_params p = {};
    p.box = box_of(lat, NULL);
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        p.odd |= ((unsigned)(lat->origin[mu] - args->r0[mu]) & 1) << mu;
    }
    p.v = args->v;
    p.factor = args->factor;
    p.slice = lat->sites / lat->local[3];
    p.momenta = args->momenta;
    p.operators = args->operators;
    p.sums = args->sums;
    for (int k = 0; k < args->operators; k++) {
        p.mask[k] = args->mask[k];
        p.sign[k] = args->sign[k];
    }
    const dim3 grid((unsigned)((p.slice + TIE_THREADS - 1) / TIE_THREADS), (unsigned)lat->local[3]);
    NAIK_TRY(GPU_CHECK(backend,
                       gpu_memset(args->sums, 0, count * (size_t)lat->local[3] * sizeof *args->sums,
                                  stream_of(device)),
                       "clearing correlators"));
    tie_kernel<<<grid, TIE_THREADS, 0, stream_of(device)>>>(p);
    NAIK_TRY(GPU_LAUNCHED(backend, "summing correlators"));
done:
    return status;
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
    widen_kernel<<<blocks_for(lattice->sites), SHIFT_THREADS, 0, stream_of(device)>>>(
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
    sign_kernel<<<blocks_for(lattice->sites), SHIFT_THREADS, 0, stream_of(device)>>>(
        box_of(lattice, r0), mask, sign, v);
    return GPU_LAUNCHED(gpu_backend_of(device), "giving a vector its signs");
}

extern "C" {
extern const naik_shift_ops naik_shift_ops_gpu;
}

#if GPU_HOST_PASS
const naik_shift_ops naik_shift_ops_gpu = {.shift = shift,
                                           .face = pack_face,
                                           .current = carry,
                                           .product = multiply,
                                           .sums = sum_slices,
                                           .values = values_of,
                                           .widen = widen,
                                           .give_sign = give_sign};
#endif
