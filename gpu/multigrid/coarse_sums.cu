/* coarse_sums.cu - products of coarse vectors with one of them, and sums of their multiples
 *
 * 16 threads have a tile of rhs at a site, 4 of them an rhs: thread t components 2t, 2t+1, 2t+8, 2t+9 of each
 * tile. What is added over sites are integers, so no order of threads shows.
 */
#include "gpu/multigrid/layout.cuh"

enum {
    SUMS_THREADS = 256,
    SUMS_TEAM = 16, /* threads of a site and tile of rhs */
    SUMS_TEAMS = SUMS_THREADS / SUMS_TEAM,
    SUMS_SITES = 4 * SUMS_TEAMS, /* a block */
    PRODUCTS_MOST = 64,          /* vectors a launch: what parameters have room for */
    UPDATE_MOST = 24,
    SUMS_NOTHING = -32768 /* in the place of an exponent: the scale is 0 */
};

/* Vectors of one shape. */
typedef struct sums_shape {
    size_t site_numbers;
    int sites, tiles, rhs_tiles, nrhs; /* tiles of rhs of the capacity */
} sums_shape;

static sums_shape shape_of(const naik_coarse *v, naik_parity parity)
{
    const sums_shape s = {v->site_bytes / sizeof(float), v->aggregates->count[parity],
                          mg_tiles(v->components), mg_rhs_tiles(v->capacity), v->nrhs};
    return s;
}

/* Where a thread of a team finds its real parts in a tile; imaginary ones are 4 lanes further. */
__device__ static inline const float4 *team_place(const sums_shape &s, const float *v, int site,
                                                  int rhs_tile, int member)
{
    return (const float4 *)(v + (size_t)site * s.site_numbers) + rhs_tile * MG_GROUP +
           member / 4 * 8 + member % 4;
}

typedef struct products_params {
    sums_shape shape;
    const float *v[PRODUCTS_MOST], *w;
    unsigned long long *products; /* [vectors of this launch][nrhs][2] */
    int16_t exponent[PRODUCTS_MOST][NAIK_MG_WIDTH];
} products_params;

__device__ static inline double swap_double(double a, int distance)
{
    const int low = __double2loint(a), high = __double2hiint(a);
    return __hiloint2double(__float_as_int(gpu_lanes_swap(__int_as_float(high), distance)),
                            __float_as_int(gpu_lanes_swap(__int_as_float(low), distance)));
}

/* sum += conj(v) w of four components. */
__device__ static inline void add_products(const float4 &vr, const float4 &vi, const float4 &wr,
                                           const float4 &wi, cplx<double> &sum)
{
    const float v[4][2] = {{vr.x, vi.x}, {vr.y, vi.y}, {vr.z, vi.z}, {vr.w, vi.w}};
    const float w[4][2] = {{wr.x, wi.x}, {wr.y, wi.y}, {wr.z, wi.z}, {wr.w, wi.w}};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        sum = mul_add({(double)v[i][0], -(double)v[i][1]}, {(double)w[i][0], (double)w[i][1]}, sum);
    }
}

/* A block some sites of a tile of rhs and one vector. */
__global__ void __launch_bounds__(SUMS_THREADS) products_kernel(const products_params p)
{
    __shared__ unsigned long long total[MG_RHS][2];
    const int j = (int)blockIdx.y, rhs_tile = (int)blockIdx.z;
    const int team = (int)threadIdx.x / SUMS_TEAM, member = (int)threadIdx.x % SUMS_TEAM;
    const int c = rhs_tile * MG_RHS + member / 4;
    const int exponent = c < p.shape.nrhs ? p.exponent[j][c] : (int)SUMS_NOTHING;
    const double scale =
        exponent == SUMS_NOTHING ? 0 : __longlong_as_double((long long)(exponent + 1023) << 52);
    long long mine[2] = {0, 0};
    if (threadIdx.x < 2 * MG_RHS) {
        total[threadIdx.x / 2][threadIdx.x % 2] = 0;
    }
    __syncthreads();
    for (int n = team; n < SUMS_SITES; n += SUMS_TEAMS) {
        const int site = (int)blockIdx.x * SUMS_SITES + n;
        cplx<double> sum = {0, 0};
        if (site < p.shape.sites && scale != 0) {
            const float4 *v = team_place(p.shape, p.v[j], site, rhs_tile, member);
            const float4 *w = team_place(p.shape, p.w, site, rhs_tile, member);
            for (int k = 0; k < p.shape.tiles; k++) {
                const int at = k * p.shape.rhs_tiles * MG_GROUP;
                add_products(v[at], v[at + 4], w[at], w[at + 4], sum);
            }
        }
        for (int distance = 1; distance < 4; distance *= 2) {
            sum.re += swap_double(sum.re, distance);
            sum.im += swap_double(sum.im, distance);
        }
        mine[0] += __double2ll_rn(sum.re * scale);
        mine[1] += __double2ll_rn(sum.im * scale);
    }
    if (member % 4 < 2) { /* one thread of an rhs for each part */
        const long long value = member % 4 == 0 ? mine[0] : mine[1];
        atomicAdd(&total[member / 4][member % 4], (unsigned long long)value);
    }
    __syncthreads();
    const int sum = (int)threadIdx.x;
    if (sum < 2 * MG_RHS && rhs_tile * MG_RHS + sum / 2 < p.shape.nrhs) {
        atomicAdd(p.products + (size_t)(j * p.shape.nrhs + rhs_tile * MG_RHS) * 2 + sum,
                  total[sum / 2][sum % 2]);
    }
}

static int at_most(int a, int b)
{
    return a < b ? a : b;
}

naik_status gpu_coarse_products(const naik_coarse *const *v, int count, const naik_coarse *w,
                                naik_parity parity, const double *scale, int64_t *products)
{
    naik_status status = NAIK_OK;
    const naik_aggregates *a = w->aggregates;
    naik_backend *backend = mg_backend(a);
    const int nrhs = w->nrhs;
    products_params p = {};
    p.shape = shape_of(w, parity);
    p.w = (const float *)w->data;
    NAIK_TRY(GPU_CHECK(
        backend,
        gpu_memset(products, 0, (size_t)count * (size_t)nrhs * 2 * sizeof *products, mg_stream(a)),
        "clearing products of coarse vectors"));
    for (int first = 0; first < count && p.shape.sites > 0; first += PRODUCTS_MOST) {
        const int here = at_most(count - first, PRODUCTS_MOST);
        for (int j = 0; j < here; j++) {
            p.v[j] = (const float *)v[first + j]->data;
            for (int c = 0; c < nrhs; c++) {
                const double s = scale[(first + j) * nrhs + c];
                p.exponent[j][c] = (int16_t)(s == 0 ? (int)SUMS_NOTHING : ilogb(s));
            }
        }
        p.products = (unsigned long long *)products + (size_t)first * (size_t)nrhs * 2;
        const dim3 grid((unsigned)((p.shape.sites + SUMS_SITES - 1) / SUMS_SITES), (unsigned)here,
                        (unsigned)mg_rhs_tiles(nrhs));
        products_kernel<<<grid, SUMS_THREADS, 0, mg_stream(a)>>>(p);
        NAIK_TRY(GPU_LAUNCHED(backend, "taking products of coarse vectors"));
    }
done:
    return status;
}

typedef struct update_params {
    sums_shape shape;
    float *w;
    const float *v[UPDATE_MOST];
    int count;
    float a[NAIK_MG_WIDTH];
    float2 b[UPDATE_MOST][NAIK_MG_WIDTH];
} update_params;

/* sum += b v, of real and imaginary parts. */
__device__ static inline void add_multiple(float2 b, const float4 &vr, const float4 &vi, float4 &re,
                                           float4 &im)
{
    const cplx<float> f = {b.x, b.y};
    const cplx<float> x = mul_add(f, {vr.x, vi.x}, cplx<float>{re.x, im.x});
    const cplx<float> y = mul_add(f, {vr.y, vi.y}, cplx<float>{re.y, im.y});
    const cplx<float> z = mul_add(f, {vr.z, vi.z}, cplx<float>{re.z, im.z});
    const cplx<float> w = mul_add(f, {vr.w, vi.w}, cplx<float>{re.w, im.w});
    re = make_float4(x.re, y.re, z.re, w.re);
    im = make_float4(x.im, y.im, z.im, w.im);
}

__global__ void __launch_bounds__(SUMS_THREADS) update_kernel(const update_params p)
{
    __shared__ float2 b[UPDATE_MOST][NAIK_MG_WIDTH];
    for (int n = (int)threadIdx.x; n < p.count * NAIK_MG_WIDTH; n += SUMS_THREADS) {
        b[n / NAIK_MG_WIDTH][n % NAIK_MG_WIDTH] = p.b[n / NAIK_MG_WIDTH][n % NAIK_MG_WIDTH];
    }
    __syncthreads();
    const int team = (int)(blockIdx.x * SUMS_TEAMS) + (int)threadIdx.x / SUMS_TEAM;
    const int member = (int)threadIdx.x % SUMS_TEAM, site = team / p.shape.tiles;
    const int rhs_tile = (int)blockIdx.y, c = rhs_tile * MG_RHS + member / 4;
    const int at = team % p.shape.tiles * p.shape.rhs_tiles * MG_GROUP;
    if (site >= p.shape.sites || c >= p.shape.nrhs) {
        return;
    }
    bool changes = p.a[c] != 1;
    for (int j = 0; j < p.count; j++) {
        changes = changes || b[j][c].x != 0 || b[j][c].y != 0;
    }
    if (!changes) {
        return;
    }
    float4 *w = (float4 *)team_place(p.shape, p.w, site, rhs_tile, member) + at;
    float4 re = make_float4(0, 0, 0, 0), im = re;
    if (p.a[c] != 0) {
        const float a = p.a[c];
        const float4 r = w[0], i = w[4];
        re = make_float4(a * r.x, a * r.y, a * r.z, a * r.w);
        im = make_float4(a * i.x, a * i.y, a * i.z, a * i.w);
    }
    for (int j = 0; j < p.count; j++) {
        if (b[j][c].x != 0 || b[j][c].y != 0) {
            const float4 *v = team_place(p.shape, p.v[j], site, rhs_tile, member) + at;
            add_multiple(b[j][c], v[0], v[4], re, im);
        }
    }
    w[0] = re;
    w[4] = im;
}

naik_status gpu_coarse_update(naik_coarse *w, naik_parity parity, const double *a,
                              const naik_coarse *const *v, int count, const double *b)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = mg_backend(w->aggregates);
    const int nrhs = w->nrhs;
    update_params p = {};
    p.shape = shape_of(w, parity);
    p.w = (float *)w->data;
    const int64_t teams = (int64_t)p.shape.sites * p.shape.tiles;
    const dim3 grid((unsigned)((teams + SUMS_TEAMS - 1) / SUMS_TEAMS),
                    (unsigned)mg_rhs_tiles(nrhs));
    for (int first = 0; (first == 0 || first < count) && p.shape.sites > 0; first += UPDATE_MOST) {
        p.count = at_most(count - first, UPDATE_MOST);
        for (int c = 0; c < nrhs; c++) {
            p.a[c] = first == 0 ? (float)a[c] : 1.0f;
            for (int j = 0; j < p.count; j++) {
                const double *of = b + 2 * ((size_t)(first + j) * (size_t)nrhs + (size_t)c);
                p.b[j][c] = make_float2((float)of[0], (float)of[1]);
            }
        }
        for (int j = 0; j < p.count; j++) {
            p.v[j] = (const float *)v[first + j]->data;
        }
        update_kernel<<<grid, SUMS_THREADS, 0, mg_stream(w->aggregates)>>>(p);
        NAIK_TRY(GPU_LAUNCHED(backend, "adding multiples of coarse vectors"));
    }
done:
    return status;
}
