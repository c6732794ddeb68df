/* shift.cu - operators with links on vectors, one thread a site, or a site and column; the host's bits */
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

/* Where the numbers of a vector lie: `each` doubles from site to site, `step` from one number of a site to the next. */
typedef struct shift_layout {
    size_t each, step;
} shift_layout;

/* by_site: [sites][3][2]; otherwise [3][sites][2]. */
__host__ __device__ static inline shift_layout shift_layout_of(int sites, bool by_site)
{
    return by_site ? shift_layout{VECTOR, 2} : shift_layout{2, 2 * (size_t)sites};
}

/* Numbers `step` doubles apart. */
__device__ static inline void shift_vector(const double *f, size_t step, double (&v)[VECTOR])
{
#pragma unroll
    for (int c = 0; c < 3; c++) {
        const naik_complex z = shift_load(f + step * (size_t)c);
        v[2 * c] = z.re;
        v[2 * c + 1] = z.im;
    }
}

/* u f or u^+ f. */
__device__ static inline void shift_times(const naik_matrix &u, bool dagger, const double *f,
                                          size_t step, naik_complex v[3])
{
    double from[VECTOR];
    shift_vector(f, step, from);
    naik_mat_times(&u, dagger, from, v);
}

typedef struct shift_params {
    shift_box box;
    unsigned made, directions, split; /* those of any set that is made */
    int slab;                         /* sites of one in a time slice */
    double half;
    bool add, by_site;
    const naik_complex *link;
    const double *g, *f[SETS], *ahead[NAIK_DIM], *behind[NAIK_DIM];
    double *out[SETS];
    naik_complex *product[SETS];
} shift_params;

/* Blocks walk along slabs of a few planes in z, through all their time slices: the cache then keeps neighbours in time. */
enum { SLAB_SITES = 8192 /* of a time slice of a slab, unless two planes have more */ };
static int slab_of(const shift_box &box)
{
    int planes = 2;
    for (int more = 2; 2 * more <= box.local[2]; more += 2) {
        planes = box.local[2] % more == 0 && more * box.stride[2] <= SLAB_SITES ? more : planes;
    }
    return planes * box.stride[2];
}

/* Bit number s: whether the set s has so many directions. */
__device__ static constexpr unsigned sets_of(int links)
{
    return links == 0   ? 0x0001
           : links == 1 ? 0x0116
           : links == 2 ? 0x1668
           : links == 3 ? 0x6880
                        : 0x8000;
}

/* A link along one direction, and that which comes from behind. */
enum { LINK_NUMBERS = 2 * 9 };

/* A site of a thread. */
typedef struct shift_place {
    int site, x[NAIK_DIM];
} shift_place;

/* The site that comes in that place of the walk. */
__device__ static inline int shift_walk(const shift_params &p, int number)
{
    const int slices = number / p.slab, times = p.box.local[3];
    return slices % times * p.box.stride[3] + slices / times * p.slab + number % p.slab;
}

/* Its neighbours, around the box. */
template <int MU>
__device__ static inline int shift_ahead(const shift_box &box, const shift_place &at)
{
    const int stride = box.stride[MU];
    return at.x[MU] == box.local[MU] - 1 ? at.site - (box.local[MU] - 1) * stride
                                         : at.site + stride;
}

template <int MU>
__device__ static inline int shift_behind(const shift_box &box, const shift_place &at)
{
    const int stride = box.stride[MU];
    return at.x[MU] == 0 ? at.site + (box.local[MU] - 1) * stride : at.site - stride;
}

/* What one of N rows of threads loads of both links of direction MU, if that is one and is needed: every N-th number. */
template <int N, int MU>
__device__ static inline void shift_ask(const shift_params &p, const shift_place &at,
                                        naik_complex (&next)[LINK_NUMBERS / N])
{
    if constexpr (MU < NAIK_DIM) {
        if ((p.directions >> MU & 1) == 0) {
            return;
        }
        const int behind = shift_behind<MU>(p.box, at);
#pragma unroll
        for (int i = 0; i < LINK_NUMBERS / N; i++) {
            const int number = i * N + (int)threadIdx.y;
            const naik_complex *from = p.link + (size_t)(9 * MU + number % 9) * (size_t)p.box.sites;
            next[i] = shift_load(&from[number < 9 ? at.site : behind].re);
        }
    }
}

/* One of both links, from shared memory: read anew each time, as it would take registers until the next. */
__device__ static inline naik_matrix shift_shared(const naik_complex (*link)[GPU_LANES], int first)
{
    naik_matrix u;
    __asm__ volatile("" ::: "memory");
#pragma unroll
    for (int i = 0; i < 9; i++) {
        u.e[i / 3][i % 3] = link[first + i][threadIdx.x];
    }
    return u;
}

/* Adds to the sums what comes along direction MU, whose links were asked for, and asks for those of the next. The thread's
 * column begins at number `begun` of a field. */
template <int LINKS, int N, int MU>
__device__ static inline void shift_along(const shift_params &p, const shift_place &at,
                                          size_t begun, naik_complex (&next)[LINK_NUMBERS / N],
                                          naik_complex (*link)[GPU_LANES],
                                          naik_complex (&sum)[SETS][3])
{
    if ((p.directions >> MU & 1) == 0) {
        shift_ask<N, MU + 1>(p, at, next);
        return;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < LINK_NUMBERS / N; i++) {
        link[i * N + (int)threadIdx.y][threadIdx.x] = next[i];
    }
    __syncthreads();
    shift_ask<N, MU + 1>(p, at, next);
    const bool split = (p.split >> MU & 1) != 0;
    const bool last = at.x[MU] == p.box.local[MU] - 1, first = at.x[MU] == 0;
    const shift_layout in = shift_layout_of(p.box.sites, LINKS == 1);
    const size_t face = p.box.vector / (size_t)p.box.local[MU];
    const size_t layer =
        face * threadIdx.y + VECTOR * (size_t)naik_link_layer_site(p.box.local, at.x, MU);
    const size_t ahead = in.each * (size_t)shift_ahead<MU>(p.box, at);
    const size_t behind = in.each * (size_t)shift_behind<MU>(p.box, at);
    int place = 0; /* of a set among those without this direction */
#pragma unroll
    for (int set = 0; set < SETS; set++) {
        if ((sets_of(LINKS - 1) >> set & 1) == 0 || (set >> MU & 1) != 0) {
            continue;
        }
        const int with = set | 1 << MU;
        if ((p.made >> with & 1) != 0) {
            const size_t beyond = face * (size_t)(N * place) + layer;
            const double *from = p.f[set] + begun;
            const bool leaves = split && last, enters = split && first;
            double next_to[2][VECTOR]; /* both on their way before the links are waited for */
            shift_vector(leaves ? p.ahead[MU] + beyond : from + ahead, leaves ? 2 : in.step,
                         next_to[0]);
            shift_vector(enters ? p.behind[MU] + beyond : from + behind, enters ? 2 : in.step,
                         next_to[1]);
            naik_complex v[3], w[3];
            naik_matrix u = shift_shared(link, 0);
            naik_mat_times(&u, false, next_to[0], v);
            if (enters) {
                w[0] = {next_to[1][0], next_to[1][1]};
                w[1] = {next_to[1][2], next_to[1][3]};
                w[2] = {next_to[1][4], next_to[1][5]};
            } else {
                u = shift_shared(link, 9);
                naik_mat_times(&u, true, next_to[1], w);
            }
#pragma unroll
            for (int c = 0; c < 3; c++) {
                sum[with][c] = naik_cadd(sum[with][c], naik_cadd(v[c], w[c]));
            }
        }
        place++;
    }
}

/* How many blocks of so many rows a multiprocessor must have room for: as many as leave a thread the registers that it needs.
 * On AMD, where this number would mean something else, all registers are free to take. */
static constexpr int shift_room(int rows)
{
    return GPU_LANES > 32 ? 1 : rows > 1 ? 4 : 8;
}

/* One vector of a site of each set with so many links: a column each row of threads, which read the links once together. */
template <int LINKS, int N>
__global__ void __launch_bounds__(GPU_LANES *N, shift_room(N)) shift_kernel(const shift_params p)
{
    enum { MADE = sets_of(LINKS), MOST = 6 /* sets of two links */ };
    __shared__ naik_complex chain[MOST][GPU_LANES], link[LINK_NUMBERS][GPU_LANES];
    const int number = (int)(blockIdx.x * GPU_LANES + threadIdx.x), column = (int)threadIdx.y;
    const bool mine = number < p.box.sites; /* others go through all barriers beside it */
    const int site = mine ? shift_walk(p, number) : 0;
    const size_t begun = p.box.vector * (size_t)column;
    naik_complex sum[SETS][3] = {}, next[LINK_NUMBERS / N];
    shift_place at = {site, {}};
    shift_coords(p.box, site, at.x);
    shift_ask<N, 0>(p, at, next);
    shift_along<LINKS, N, 0>(p, at, begun, next, link, sum);
    shift_along<LINKS, N, 1>(p, at, begun, next, link, sum);
    shift_along<LINKS, N, 2>(p, at, begun, next, link, sum);
    shift_along<LINKS, N, 3>(p, at, begun, next, link, sum);
    const shift_layout out = shift_layout_of(p.box.sites, p.by_site);
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
                shift_store(sum[set][c],
                            p.out[set] + begun + out.each * (size_t)site + out.step * (size_t)c);
            }
        }
    }
    for (int turn = 0; turn < N && p.g != NULL; turn++) { /* one column after the other */
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
                if (turn == N - 1) {
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

template <int LINKS, int N> static void launch_shift(const shift_params &p, gpu_stream stream)
{
    const unsigned blocks = (unsigned)((p.box.sites + GPU_LANES - 1) / GPU_LANES);
    shift_kernel<LINKS, N><<<blocks, dim3(GPU_LANES, N), 0, stream>>>(p);
}

static naik_status shift(naik_device *device, const naik_link_shift *step)
{
    static void (*const launch[NAIK_DIM][2])(const shift_params &, gpu_stream) = {
        {launch_shift<1, 1>, launch_shift<1, COLUMNS>},
        {launch_shift<2, 1>, launch_shift<2, COLUMNS>},
        {launch_shift<3, 1>, launch_shift<3, COLUMNS>},
        {launch_shift<4, 1>, launch_shift<4, COLUMNS>}};
    shift_params p = {};
    p.box = box_of(step->lattice, NULL);
    p.made = step->made;
    p.slab = slab_of(p.box);
    p.half = 0.5 / step->links;
    p.add = step->add;
    p.by_site = step->by_site;
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
    launch[step->links - 1][step->count == COLUMNS](p, shift_stream(device));
    return GPU_LAUNCHED(gpu_backend_of(device), "shifting vectors");
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
    p.box = box_of(lattice, NULL);
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
