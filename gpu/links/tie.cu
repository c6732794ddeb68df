/* tie.cu - the correlators of two quarks: their product at a site, and its sums over time slices; the host's bits */
#include "gpu/links/shift.cuh"
#include "gpu/vectors/thread_sums.cuh"

enum {
    TIE_THREADS = 128,
    TIE_MOMENTA = 4 /* of a thread */,
    TIE_SITES = 16 /* of a thread, at most */
};
static_assert((int)TIE_SITES <= (int)SUM_TERMS, "sums of a thread do not round");

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

naik_status gpu_tie_product(naik_device *device, const naik_tie_product *args)
{
    const int sites = args->lattice->sites;
    product_kernel<<<shift_blocks(sites), SHIFT_THREADS, 0, shift_stream(device)>>>(
        args->g, args->h, VECTOR * (size_t)sites, args->columns, args->add, sites, args->out);
    return GPU_LAUNCHED(gpu_backend_of(device), "multiplying two quarks");
}

/* A product, and the operators that are summed of it. */
typedef struct tie_group {
    const naik_complex *v;
    int first, end;
} tie_group;

typedef struct tie_params {
    int nx, ny, nz,
        step; /* a thread has each step-th z: an even number, so that their parity is the same */
    const naik_complex *factor;
    int momenta, rounds; /* rows of blocks for all momenta of a group */
    tie_group group[NAIK_TIE_OPERATORS];
    unsigned mask[NAIK_TIE_OPERATORS];
    unsigned minus; /* set of the operators whose sign is */
    unsigned odd;   /* coordinates that are odd, counted from r0, at the first site of the box */
    naik_exactsum *sums;
} tie_params;

/* Rows of blocks: one a time slice, and one a product and some momenta. */
template <int MOMENTA> __global__ void __launch_bounds__(TIE_THREADS) tie_kernel(const tie_params p)
{
    enum { SUMS = 2 * MOMENTA };
    __shared__ sum_block<SUMS, TIE_THREADS / GPU_LANES> shared;
    const int i = (int)(blockIdx.x * TIE_THREADS + threadIdx.x), plane = p.nx * p.ny;
    const int t = (int)blockIdx.y, times = (int)gridDim.y;
    const tie_group group = p.group[blockIdx.z / p.rounds];
    const int begin = (int)(blockIdx.z % p.rounds) * MOMENTA;
    const int z0 = i < p.step * plane ? i / plane : p.nz; /* without a site */
    const int x = i % p.nx, y = i / p.nx % p.ny;
    const double *v = &group.v[(size_t)t * (size_t)p.nz * (size_t)plane + (size_t)(i % plane)].re;
    const unsigned odd = ((x + p.odd) & 1) | ((y + (p.odd >> 1)) & 1) << 1 |
                         ((z0 + (p.odd >> 2)) & 1) << 2 | ((t + (p.odd >> 3)) & 1) << 3;
    const int stride = 2 * p.momenta * times; /* from operator to operator */
    naik_exactsum *sums = p.sums + 2 * (size_t)begin * (size_t)times + t;
    unsigned minus = p.minus;
    for (int o = group.first; o < group.end; o++) {
        minus ^= naik_slice_minus(p.mask[o], odd) ? 1U << o : 0;
    }
    double largest = 0;
    for (int z = z0; z < p.nz; z += p.step) {
        const naik_complex u = shift_load(v + 2 * (size_t)z * (size_t)plane);
        largest = fmax(largest, fmax(fabs(u.re), fabs(u.im)));
    }
    const sum_cuts cuts = sum_cuts_for(largest, shared);
    sum_momenta<MOMENTA> m;
    sum_momenta_begin(cuts, p.factor + begin * (p.nx + p.ny + p.nz), p.momenta - begin,
                      {p.nx, p.ny, p.nz}, x, y, m);
    for (int z = z0; z < p.nz; z += p.step) {
        const naik_complex at = shift_load(v + 2 * (size_t)z * (size_t)plane);
        sum_momenta_add(
            cuts, z, [at](naik_complex w) { return naik_cmul(w, at); }, sums, times, stride,
            group.first, group.end, minus, m);
    }
    for (int o = group.first; o < group.end; o++) {
        sum_block_keep(shared, cuts, (minus >> o & 1) != 0, m.sum);
        sum_block_add(shared, cuts, 2 * m.count, sums + o * stride, times, 1, 0, 0);
    }
}

/* A momentum by itself is not worth the room of several. */
static int tie_momenta(int momenta)
{
    return momenta == 1 ? 1 : (int)TIE_MOMENTA;
}

naik_status gpu_tie_sums(naik_device *device, const naik_tie_sums *args)
{
    naik_backend *backend = gpu_backend_of(device);
    const naik_lattice *lat = args->lattice;
    const size_t count = 2 * (size_t)args->operators * (size_t)args->momenta;
    const size_t bytes = count * (size_t)lat->local[3] * sizeof *args->sums;
    const int pairs = (lat->local[2] - 1) / (2 * TIE_SITES) + 1;
    int groups = 0;
    tie_params p = {};
    p.nx = lat->local[0];
    p.ny = lat->local[1];
    p.nz = lat->local[2];
    p.step = 2 * pairs;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        p.odd |= ((unsigned)(lat->origin[mu] - args->r0[mu]) & 1) << mu;
    }
    p.factor = args->factor;
    p.momenta = args->momenta;
    const int each = tie_momenta(args->momenta);
    p.rounds = (args->momenta + each - 1) / each;
    p.sums = args->sums;
    for (int o = 0; o < args->operators; o++) {
        if (o == 0 || args->v[o] != args->v[o - 1]) {
            p.group[groups++] = {args->v[o], o, o};
        }
        p.group[groups - 1].end = o + 1;
        p.mask[o] = args->mask[o];
        p.minus |= args->sign[o] < 0 ? 1U << o : 0;
    }
    const int threads = p.step * p.nx * p.ny;
    const dim3 grid((unsigned)((threads + TIE_THREADS - 1) / TIE_THREADS), (unsigned)lat->local[3],
                    (unsigned)(groups * p.rounds));
    NAIK_PASS(GPU_CHECK(backend, gpu_memset(args->sums, 0, bytes, shift_stream(device)),
                        "clearing correlators"));
    if (each == 1) {
        tie_kernel<1><<<grid, TIE_THREADS, 0, shift_stream(device)>>>(p);
    } else {
        tie_kernel<TIE_MOMENTA><<<grid, TIE_THREADS, 0, shift_stream(device)>>>(p);
    }
    return GPU_LAUNCHED(backend, "summing correlators");
}
