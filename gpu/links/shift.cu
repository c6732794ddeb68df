/* shift.cu - operators with links on vectors, one thread a site, or a site and column; the host's bits */
#include "gpu/links/ghosted.cuh"
#include "gpu/links/shift.cuh"

enum { COLUMNS = 3, SETS = NAIK_DIRECTION_SETS };

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

naik_status gpu_shift(naik_device *device, const naik_link_shift *step)
{
    static void (*const launch[NAIK_DIM][2])(const shift_params &, gpu_stream) = {
        {launch_shift<1, 1>, launch_shift<1, COLUMNS>},
        {launch_shift<2, 1>, launch_shift<2, COLUMNS>},
        {launch_shift<3, 1>, launch_shift<3, COLUMNS>},
        {launch_shift<4, 1>, launch_shift<4, COLUMNS>}};
    shift_params p = {};
    p.box = shift_box_of(step->lattice, NULL);
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
