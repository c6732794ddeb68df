/* shift.cu - operators with links on vectors, and their correlators, one thread a site; the host's bits */
#include "gpu/backend_gpu.h"
#include "gpu/links/ghosted.cuh"
#include "gpu/vectors/reduce.cuh"
#include "links/shift_ops.h"

enum { SHIFT_THREADS = 128, TIE_THREADS = 256, VECTOR = 6, COLUMNS = 3 };

typedef struct shift_params {
    int local[NAIK_DIM], origin[NAIK_DIM], r0[NAIK_DIM];
    bool split;
    int sites, mu, layer;
    unsigned mask;
    double factor;
    bool add;
    const naik_matrix *link;
    const double *f, *ahead, *behind;
    double *out;
} shift_params;

static shift_params params_of(const naik_lattice *lat, const int *r0)
{
    shift_params p = {};
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        p.local[mu] = lat->local[mu];
        p.origin[mu] = lat->origin[mu];
        p.r0[mu] = r0 != NULL ? r0[mu] : 0;
    }
    p.sites = lat->sites;
    return p;
}

static unsigned blocks_for(int sites)
{
    return (unsigned)((sites + SHIFT_THREADS - 1) / SHIFT_THREADS);
}

static gpu_stream stream_of(naik_device *device)
{
    return gpu_state_of(gpu_backend_of(device))->stream;
}

__device__ static inline void shift_coords(const int local[NAIK_DIM], int site, int x[NAIK_DIM])
{
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        x[mu] = site % local[mu];
        site /= local[mu];
    }
}

/* x[p.mu], without an array in memory. */
__device__ static inline int shift_along(const shift_params &p, const int x[NAIK_DIM])
{
    int at = 0;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        at = mu == p.mu ? x[mu] : at;
    }
    return at;
}

__device__ static inline int shift_sign(const shift_params &p, const int x[NAIK_DIM])
{
    int global[NAIK_DIM];
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        global[mu] = x[mu] + p.origin[mu];
    }
    return naik_sign_at(p.mask, global, p.r0);
}

/* The site that is `step` from x in direction mu within the box. */
__device__ static inline size_t shift_beside(const shift_params &p, const int x[NAIK_DIM], int step)
{
    int64_t site = 0;
    for (int mu = NAIK_DIM - 1; mu >= 0; mu--) {
        const int at = mu == p.mu ? (x[mu] + step + p.local[mu]) % p.local[mu] : x[mu];
        site = site * p.local[mu] + at;
    }
    return (size_t)site;
}

__device__ static inline const naik_matrix *shift_link(const shift_params &p, size_t site)
{
    return p.link + NAIK_DIM * site + p.mu;
}

__global__ void __launch_bounds__(SHIFT_THREADS) shift_kernel(const shift_params p)
{
    const int site = (int)(blockIdx.x * SHIFT_THREADS + threadIdx.x);
    if (site >= p.sites) {
        return;
    }
    int x[NAIK_DIM];
    naik_complex next[3], back[3];
    shift_coords(p.local, site, x);
    const size_t layer = VECTOR * (size_t)naik_link_layer_site(p.local, x, p.mu);
    const bool leaves = p.split && shift_along(p, x) == p.local[p.mu] - 1;
    naik_mat_times(shift_link(p, (size_t)site), false,
                   leaves ? p.ahead + layer : p.f + VECTOR * shift_beside(p, x, 1), next);
    if (p.split && shift_along(p, x) == 0) {
        for (int c = 0; c < 3; c++) {
            back[c] = {p.behind[layer + 2 * c], p.behind[layer + 2 * c + 1]};
        }
    } else {
        const size_t from = shift_beside(p, x, -1);
        naik_mat_times(shift_link(p, from), true, p.f + VECTOR * from, back);
    }
    const double half = 0.5 * shift_sign(p, x);
    double *out = p.out + VECTOR * (size_t)site;
    for (int c = 0; c < 3; c++) {
        out[2 * c] = half * (next[c].re + back[c].re);
        out[2 * c + 1] = half * (next[c].im + back[c].im);
    }
}

static naik_status shift(naik_device *device, const naik_link_shift *step)
{
    shift_params p = params_of(step->lattice, step->r0);
    p.split = step->lattice->split[step->mu];
    p.mu = step->mu;
    p.mask = step->mask;
    p.link = step->link;
    p.f = step->f;
    p.ahead = step->ahead;
    p.behind = step->behind;
    p.out = step->out;
    shift_kernel<<<blocks_for(p.sites), SHIFT_THREADS, 0, stream_of(device)>>>(p);
    return GPU_LAUNCHED(gpu_backend_of(device), "shifting a vector");
}

__global__ void face_kernel(const shift_params p)
{
    const int site = (int)(blockIdx.x * SHIFT_THREADS + threadIdx.x);
    int x[NAIK_DIM];
    if (site >= p.sites) {
        return;
    }
    shift_coords(p.local, site, x);
    if (shift_along(p, x) != p.layer) {
        return;
    }
    const double *f = p.f + VECTOR * (size_t)site;
    double *out = p.out + VECTOR * (size_t)naik_link_layer_site(p.local, x, p.mu);
    naik_complex v[3];
    for (int c = 0; c < 3; c++) {
        v[c] = {f[2 * c], f[2 * c + 1]};
    }
    if (p.link != NULL) {
        naik_mat_times(shift_link(p, (size_t)site), true, f, v);
    }
    for (int c = 0; c < 3; c++) {
        out[2 * c] = v[c].re;
        out[2 * c + 1] = v[c].im;
    }
}

static naik_status pack_face(naik_device *device, const naik_lattice *lattice,
                             const naik_matrix *link, int mu, int layer, const double *f,
                             double *face)
{
    shift_params p = params_of(lattice, NULL);
    p.mu = mu;
    p.layer = layer;
    p.link = link;
    p.f = f;
    p.out = face;
    face_kernel<<<blocks_for(p.sites), SHIFT_THREADS, 0, stream_of(device)>>>(p);
    return GPU_LAUNCHED(gpu_backend_of(device), "packing a face of a vector");
}

__global__ void add_signed_kernel(const shift_params p)
{
    const int site = (int)(blockIdx.x * SHIFT_THREADS + threadIdx.x);
    int x[NAIK_DIM];
    if (site >= p.sites) {
        return;
    }
    shift_coords(p.local, site, x);
    const double sign = p.factor * shift_sign(p, x);
    for (size_t i = VECTOR * (size_t)site; i < VECTOR * (size_t)site + VECTOR; i++) {
        p.out[i] = fma(sign, p.f[i], p.add ? p.out[i] : 0);
    }
}

static naik_status add_signed(naik_device *device, const naik_lattice *lattice, unsigned mask,
                              const int r0[NAIK_DIM], double factor, const double *f, bool add,
                              double *v)
{
    shift_params p = params_of(lattice, r0);
    p.mask = mask;
    p.factor = factor;
    p.add = add;
    p.f = f;
    p.out = v;
    add_signed_kernel<<<blocks_for(p.sites), SHIFT_THREADS, 0, stream_of(device)>>>(p);
    return GPU_LAUNCHED(gpu_backend_of(device), "adding vectors with signs");
}

typedef struct tie_params {
    const double *g, *h;
    const naik_complex *factor;
    size_t sites;
    int slice, momenta, times, nx, ny, nz;
    naik_exactsum *sums;
} tie_params;

/* One row of blocks a time slice. */
__global__ void __launch_bounds__(TIE_THREADS) tie_kernel(const tie_params p)
{
    __shared__ exact_block<2> shared;
    const int i = (int)(blockIdx.x * TIE_THREADS + threadIdx.x), t = (int)blockIdx.y;
    const bool mine = i < p.slice;
    const int x = i % p.nx, y = i / p.nx % p.ny, z = mine ? i / p.nx / p.ny : 0;
    naik_complex sum = {0, 0};
    for (int column = 0; column < COLUMNS && mine; column++) {
        const size_t at =
            VECTOR * (p.sites * (size_t)column + (size_t)t * (size_t)p.slice + (size_t)i);
        for (int c = 0; c < 3; c++) {
            sum = naik_cfma_conj({p.g[at + 2 * c], p.g[at + 2 * c + 1]},
                                 {p.h[at + 2 * c], p.h[at + 2 * c + 1]}, sum);
        }
    }
    for (int k = 0; k < p.momenta; k++) {
        const naik_complex *f = p.factor + k * (p.nx + p.ny + p.nz);
        naik_complex w = naik_cmul({1, 0}, f[x]);
        w = naik_cmul(w, f[p.nx + y]);
        w = naik_cmul(w, f[p.nx + p.ny + z]);
        const naik_complex v = naik_cmul(w, sum);
        const double term[2] = {mine ? v.re : 0, mine ? v.im : 0};
        exact_block_add(shared, term, 2, &p.sums[2 * k * p.times + t], p.times);
        __syncthreads();
    }
}

static naik_status tie(naik_device *device, const naik_tie_sums *args)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = gpu_backend_of(device);
    const naik_lattice *lat = args->lattice;
    tie_params p = {};
    p.g = args->g;
    p.h = args->h;
    p.factor = args->factor;
    p.sites = (size_t)lat->sites;
    p.slice = lat->sites / lat->local[3];
    p.momenta = args->momenta;
    p.times = lat->local[3];
    p.nx = lat->local[0];
    p.ny = lat->local[1];
    p.nz = lat->local[2];
    p.sums = args->sums;
    const dim3 grid((unsigned)((p.slice + TIE_THREADS - 1) / TIE_THREADS), (unsigned)p.times);
    NAIK_TRY(
        GPU_CHECK(backend,
                  gpu_memset(args->sums, 0, (size_t)(2 * p.momenta * p.times) * sizeof *args->sums,
                             stream_of(device)),
                  "clearing correlators"));
    tie_kernel<<<grid, TIE_THREADS, 0, stream_of(device)>>>(p);
    NAIK_TRY(GPU_LAUNCHED(backend, "summing correlators"));
done:
    return status;
}

extern "C" {
extern const naik_shift_ops naik_shift_ops_gpu;
}

#if GPU_HOST_PASS
const naik_shift_ops naik_shift_ops_gpu = {
    .shift = shift, .face = pack_face, .add_signed = add_signed, .tie = tie};
#endif
