/* shift.cu - operators with links on vectors, one thread a site; the host's bits */
#include "gpu/links/ghosted.cuh"
#include "gpu/links/shift.cuh"
#include "gpu/links/tie.h"

enum { COLUMNS = 3, SETS = NAIK_DIRECTION_SETS };

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
    unsigned made, directions, split; /* those of any set that is made */
    double half;
    int columns;
    bool add;
    const naik_complex *link;
    const double *g, *f[SETS], *ahead[NAIK_DIM], *behind[NAIK_DIM];
    double *out[SETS];
    naik_complex *product[SETS];
} shift_params;

/* Bit number s: whether the set s has so many directions. */
__device__ static constexpr unsigned sets_of(int links)
{
    return links == 0   ? 0x0001
           : links == 1 ? 0x0116
           : links == 2 ? 0x1668
           : links == 3 ? 0x6880
                        : 0x8000;
}

/* One vector of a site of each set with so many links: a column each row of threads, for which they read the links once. */
template <int LINKS>
__global__ void __launch_bounds__(GPU_LANES *COLUMNS) shift_kernel(const shift_params p)
{
    enum { MADE = sets_of(LINKS), FROM = sets_of(LINKS - 1), MOST = 6 /* sets of two links */ };
    __shared__ naik_complex chain[MOST][GPU_LANES];
    const int site = (int)(blockIdx.x * GPU_LANES + threadIdx.x), column = (int)threadIdx.y;
    const bool mine = site < p.box.sites;
    naik_complex sum[SETS][3] = {};
    int x[NAIK_DIM];
    shift_coords(p.box, site, x);
    const size_t begun = p.box.vector * (size_t)column;
#pragma unroll
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if ((p.directions >> mu & 1) == 0 || !mine) {
            continue;
        }
        const bool split = (p.split >> mu & 1) != 0;
        const bool last = x[mu] == p.box.local[mu] - 1, first = x[mu] == 0;
        const int around = (p.box.local[mu] - 1) * p.box.stride[mu];
        const size_t face = p.box.vector / (size_t)p.box.local[mu];
        const size_t layer =
            face * (size_t)column + VECTOR * (size_t)naik_link_layer_site(p.box.local, x, mu);
        const size_t next = (size_t)(last ? site - around : site + p.box.stride[mu]);
        const size_t back = (size_t)(first ? site + around : site - p.box.stride[mu]);
        naik_complex ahead[SETS][3];
        {
            const naik_matrix u = shift_link(p.box, p.link, (size_t)site, mu);
            int place = 0; /* of a set among those without this direction */
#pragma unroll
            for (int set = 0; set < SETS; set++) {
                if ((FROM >> set & 1) == 0 || (set >> mu & 1) != 0) {
                    continue;
                }
                if ((p.made >> (set | 1 << mu) & 1) != 0) {
                    const double *f = split && last
                                          ? p.ahead[mu] + face * (size_t)(p.columns * place) + layer
                                          : p.f[set] + begun + VECTOR * next;
                    shift_times(u, false, f, ahead[set]);
                }
                place++;
            }
        }
        naik_matrix u;
        if (!(split && first)) {
            u = shift_link(p.box, p.link, back, mu);
        }
        int place = 0;
#pragma unroll
        for (int set = 0; set < SETS; set++) {
            if ((FROM >> set & 1) == 0 || (set >> mu & 1) != 0) {
                continue;
            }
            const int with = set | 1 << mu;
            if ((p.made >> with & 1) != 0) {
                naik_complex v[3];
                if (split && first) {
                    const double *f = p.behind[mu] + face * (size_t)(p.columns * place) + layer;
#pragma unroll
                    for (int c = 0; c < 3; c++) {
                        v[c] = shift_load(f + 2 * c);
                    }
                } else {
                    shift_times(u, true, p.f[set] + begun + VECTOR * back, v);
                }
#pragma unroll
                for (int c = 0; c < 3; c++) {
                    sum[with][c] = naik_cadd(sum[with][c], naik_cadd(ahead[set][c], v[c]));
                }
            }
            place++;
        }
    }
    naik_complex g[3] = {};
#pragma unroll
    for (int c = 0; c < 3; c++) {
        if (p.g != NULL && mine) {
            g[c] = shift_load(p.g + begun + VECTOR * (size_t)site + 2 * c);
        }
    }
#pragma unroll
    for (int set = 0; set < SETS; set++) {
        if ((MADE >> set & 1) == 0) {
            continue;
        }
#pragma unroll
        for (int c = 0; c < 3; c++) {
            sum[set][c] = naik_cscale(p.half, sum[set][c]);
            if (p.out[set] != NULL && mine) {
                shift_store(sum[set][c], p.out[set] + begun + VECTOR * (size_t)site + 2 * c);
            }
        }
    }
    for (int turn = 0; turn < p.columns && p.g != NULL; turn++) { /* one column after the other */
        int place = 0;
#pragma unroll
        for (int set = 0; set < SETS; set++) {
            if ((MADE >> set & 1) == 0) {
                continue;
            }
            if (turn == column && mine && p.product[set] != NULL) {
                double *const at = &p.product[set][site].re;
                naik_complex v = {0, 0};
                if (turn > 0) {
                    v = chain[place][threadIdx.x];
                } else if (p.add) {
                    v = shift_load(at);
                }
#pragma unroll
                for (int c = 0; c < 3; c++) {
                    v = naik_cfma_conj(g[c], sum[set][c], v);
                }
                if (turn == p.columns - 1) {
                    shift_store(v, at);
                } else {
                    chain[place][threadIdx.x] = v;
                }
            }
            place++;
        }
        __syncthreads();
    }
}

template <int LINKS>
static void launch_shift(dim3 grid, dim3 block, gpu_stream stream, const shift_params &p)
{
    shift_kernel<LINKS><<<grid, block, 0, stream>>>(p);
}

static naik_status shift(naik_device *device, const naik_link_shift *step)
{
    static void (*const launch[NAIK_DIM])(dim3, dim3, gpu_stream, const shift_params &) = {
        launch_shift<1>, launch_shift<2>, launch_shift<3>, launch_shift<4>};
    shift_params p = {};
    p.box = box_of(step->lattice, NULL);
    p.made = step->made;
    p.half = 0.5 / step->links;
    p.columns = step->count;
    p.add = step->add;
    p.link = step->link;
    p.g = step->g;
    for (int set = 0; set < SETS; set++) {
        p.directions |= (step->made >> set & 1) != 0 ? (unsigned)set : 0;
        p.f[set] = step->f[set];
        p.out[set] = step->out[set];
        p.product[set] = step->product[set];
    }
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        p.split |= step->lattice->split[mu] ? 1U << mu : 0;
        p.ahead[mu] = step->ahead[mu];
        p.behind[mu] = step->behind[mu];
    }
    const unsigned blocks = (unsigned)((p.box.sites + GPU_LANES - 1) / GPU_LANES);
    launch[step->links - 1](dim3(blocks), dim3(GPU_LANES, (unsigned)step->count),
                            shift_stream(device), p);
    return GPU_LAUNCHED(gpu_backend_of(device), "shifting vectors");
}

typedef struct face_params {
    shift_box box;
    int mu, layer;
    const naik_complex *link;
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
        shift_times(shift_link(p.box, p.link, (size_t)site, p.mu), true, f, v);
    }
#pragma unroll
    for (int c = 0; c < 3; c++) {
        shift_store(v[c], out + 2 * c);
    }
}

static naik_status pack_face(naik_device *device, const naik_lattice *lattice,
                             const naik_complex *link, int mu, int layer, int count,
                             const double *f, double *face)
{
    face_params p = {};
    p.box = box_of(lattice, NULL);
    p.mu = mu;
    p.layer = layer;
    p.link = link;
    p.f = f;
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
        box_of(lattice, r0), mask, sign, v);
    return GPU_LAUNCHED(gpu_backend_of(device), "giving a vector its signs");
}

extern "C" {
extern const naik_shift_ops naik_shift_ops_gpu;
}

#if GPU_HOST_PASS
const naik_shift_ops naik_shift_ops_gpu = {.lay_out = lay_out,
                                           .shift = shift,
                                           .face = pack_face,
                                           .current = carry,
                                           .product = gpu_tie_product,
                                           .sums = gpu_tie_sums,
                                           .values = values_of,
                                           .widen = widen,
                                           .give_sign = give_sign};
#endif
