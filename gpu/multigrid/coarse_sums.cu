/* coarse_sums.cu - products of coarse vectors with one of them, and sums of their multiples
 *
 * 16 threads have a tile of rhs at a site, 4 of them an rhs: thread t components 2t, 2t+1, 2t+8, 2t+9 of each
 * tile. What is added over sites are integers, so no order of threads shows. Of vectors that all rhs share, 64
 * threads have a tile of these with a tile of rhs.
 */
#include "gpu/multigrid/layout.cuh"

enum {
    SUMS_THREADS = 256,
    SUMS_TEAM = 16, /* threads of a site and tile of rhs */
    SUMS_TEAMS = SUMS_THREADS / SUMS_TEAM,
    SUMS_SITES = 4 * SUMS_TEAMS, /* a block */
    PRODUCTS_MOST = 64,          /* vectors a launch: what parameters have room for */
    UPDATE_MOST = 24,
    CROSS_TEAM = 4 * SUMS_TEAM, /* threads of a site, a tile of shared vectors and one of rhs */
    CROSS_TEAMS = SUMS_THREADS / CROSS_TEAM,
    CROSS_SITES = 4 * CROSS_TEAMS, /* a block */
    CROSS_PAIRS = MG_RHS * MG_RHS,
    MIX_BLOCKS = 2,
    MIX_MOST = 24,        /* shared vectors a launch */
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

/* The power of two that a product is rounded by. */
static int16_t exponent_of(double scale)
{
    return (int16_t)(scale == 0 ? (int)SUMS_NOTHING : ilogb(scale));
}
__device__ static inline double sums_scale(int exponent)
{
    return exponent == SUMS_NOTHING ? 0 : __longlong_as_double((long long)(exponent + 1023) << 52);
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
    const double scale = sums_scale(exponent);
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
    const naik_aggregates *a = w->aggregates;
    naik_backend *backend = mg_backend(a);
    const int nrhs = w->nrhs;
    products_params p = {};
    p.shape = shape_of(w, parity);
    p.w = (const float *)w->data;
    NAIK_PASS(GPU_CHECK(
        backend,
        gpu_memset(products, 0, (size_t)count * (size_t)nrhs * 2 * sizeof *products, mg_stream(a)),
        "clearing products of coarse vectors"));
    for (int first = 0; first < count && p.shape.sites > 0; first += PRODUCTS_MOST) {
        const int here = at_most(count - first, PRODUCTS_MOST);
        for (int j = 0; j < here; j++) {
            p.v[j] = (const float *)v[first + j]->data;
            for (int c = 0; c < nrhs; c++) {
                p.exponent[j][c] = exponent_of(scale[(first + j) * nrhs + c]);
            }
        }
        p.products = (unsigned long long *)products + (size_t)first * (size_t)nrhs * 2;
        const dim3 grid((unsigned)((p.shape.sites + SUMS_SITES - 1) / SUMS_SITES), (unsigned)here,
                        (unsigned)mg_rhs_tiles(nrhs));
        products_kernel<<<grid, SUMS_THREADS, 0, mg_stream(a)>>>(p);
        NAIK_PASS(GPU_LAUNCHED(backend, "taking products of coarse vectors"));
    }
    return NAIK_OK;
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
        NAIK_PASS(GPU_LAUNCHED(backend, "adding multiples of coarse vectors"));
    }
    return NAIK_OK;
}

/* Of one block of shared vectors, which has the shape of w. */
typedef struct cross_params {
    sums_shape shape;
    const float *v, *w;
    int vectors;
    unsigned long long *products; /* [vectors][nrhs][2] */
    int16_t exponent[NAIK_MG_WIDTH][NAIK_MG_WIDTH];
} cross_params;

/* sum += conj(v) w of four components, in single. */
__device__ static inline void add_pairs(const float4 &vr, const float4 &vi, const float4 &wr,
                                        const float4 &wi, cplx<float> &sum)
{
    sum = mul_add({vr.x, -vi.x}, {wr.x, wi.x}, sum);
    sum = mul_add({vr.y, -vi.y}, {wr.y, wi.y}, sum);
    sum = mul_add({vr.z, -vi.z}, {wr.z, wi.z}, sum);
    sum = mul_add({vr.w, -vi.w}, {wr.w, wi.w}, sum);
}

/* A block some sites of a tile of shared vectors and a tile of rhs. */
__global__ void __launch_bounds__(SUMS_THREADS) cross_kernel(const cross_params p)
{
    __shared__ unsigned long long total[CROSS_PAIRS][2];
    const int v_tile = (int)blockIdx.y, rhs_tile = (int)blockIdx.z;
    const int team = (int)threadIdx.x / CROSS_TEAM, member = (int)threadIdx.x % CROSS_TEAM;
    const int part = member % 4, pair = member / 4, of_v = pair / MG_RHS, of_w = pair % MG_RHS;
    const int i = v_tile * MG_RHS + of_v, c = rhs_tile * MG_RHS + of_w;
    const bool there = i < p.vectors && c < p.shape.nrhs;
    const int exponent = there ? p.exponent[i][c] : (int)SUMS_NOTHING;
    const double scale = sums_scale(exponent);
    long long mine[2] = {0, 0};
    if (threadIdx.x < 2 * CROSS_PAIRS) {
        total[threadIdx.x / 2][threadIdx.x % 2] = 0;
    }
    __syncthreads();
    for (int n = team; n < CROSS_SITES; n += CROSS_TEAMS) {
        const int site = (int)blockIdx.x * CROSS_SITES + n;
        cplx<float> sum = {0, 0};
        if (site < p.shape.sites && scale != 0) {
            const float4 *v = team_place(p.shape, p.v, site, v_tile, of_v * 4 + part);
            const float4 *w = team_place(p.shape, p.w, site, rhs_tile, of_w * 4 + part);
            for (int k = 0; k < p.shape.tiles; k++) {
                const int at = k * p.shape.rhs_tiles * MG_GROUP;
                add_pairs(v[at], v[at + 4], w[at], w[at + 4], sum);
            }
        }
        for (int distance = 1; distance < 4; distance *= 2) {
            sum.re += gpu_lanes_swap(sum.re, distance);
            sum.im += gpu_lanes_swap(sum.im, distance);
        }
        mine[0] += __double2ll_rn((double)sum.re * scale);
        mine[1] += __double2ll_rn((double)sum.im * scale);
    }
    if (part < 2) { /* one thread of a pair for each part */
        atomicAdd(&total[pair][part], (unsigned long long)(part == 0 ? mine[0] : mine[1]));
    }
    __syncthreads();
    const int sum = (int)threadIdx.x, v_of = v_tile * MG_RHS + sum / (2 * MG_RHS);
    const int w_of = rhs_tile * MG_RHS + sum / 2 % MG_RHS;
    if (sum < 2 * CROSS_PAIRS && v_of < p.vectors && w_of < p.shape.nrhs) {
        atomicAdd(p.products + (size_t)(v_of * p.shape.nrhs + w_of) * 2 + sum % 2,
                  total[sum / 2][sum % 2]);
    }
}

static int vectors_of(const naik_coarse *const *v, int blocks)
{
    int vectors = 0;
    for (int b = 0; b < blocks; b++) {
        vectors += v[b]->nrhs;
    }
    return vectors;
}

naik_status gpu_coarse_cross(const naik_coarse *const *v, int blocks, const naik_coarse *w,
                             naik_parity parity, const double *scale, int64_t *products)
{
    const naik_aggregates *a = w->aggregates;
    naik_backend *backend = mg_backend(a);
    const int nrhs = w->nrhs;
    cross_params p = {};
    p.shape = shape_of(w, parity);
    p.w = (const float *)w->data;
    p.products = (unsigned long long *)products;
    const size_t numbers = (size_t)vectors_of(v, blocks) * (size_t)nrhs * 2;
    NAIK_PASS(GPU_CHECK(backend, gpu_memset(products, 0, numbers * sizeof *products, mg_stream(a)),
                        "clearing products of coarse vectors"));
    for (int b = 0; b < blocks && p.shape.sites > 0; b++) {
        p.v = (const float *)v[b]->data;
        p.vectors = v[b]->nrhs;
        for (int n = 0; n < p.vectors * nrhs; n++) {
            p.exponent[n / nrhs][n % nrhs] = exponent_of(scale[n]);
        }
        const dim3 grid((unsigned)((p.shape.sites + CROSS_SITES - 1) / CROSS_SITES),
                        (unsigned)mg_rhs_tiles(p.vectors), (unsigned)mg_rhs_tiles(nrhs));
        cross_kernel<<<grid, SUMS_THREADS, 0, mg_stream(a)>>>(p);
        NAIK_PASS(GPU_LAUNCHED(backend, "taking products of coarse vectors"));
        scale += p.vectors * nrhs;
        p.products += p.vectors * nrhs * 2;
    }
    return NAIK_OK;
}

typedef struct mix_params {
    sums_shape shape;
    float *w;
    const float *v[MIX_BLOCKS];
    int vectors[MIX_BLOCKS];
    float2 b[MIX_MOST][NAIK_MG_WIDTH];
} mix_params;

__global__ void __launch_bounds__(SUMS_THREADS) mix_kernel(const mix_params p)
{
    __shared__ float2 b[MIX_MOST][NAIK_MG_WIDTH];
    for (int n = (int)threadIdx.x; n < MIX_MOST * NAIK_MG_WIDTH; n += SUMS_THREADS) {
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
    float4 *w = (float4 *)team_place(p.shape, p.w, site, rhs_tile, member) + at;
    float4 re = w[0], im = w[4];
    int j = 0;
#pragma unroll
    for (int block = 0; block < MIX_BLOCKS; block++) {
        for (int i = 0; i < p.vectors[block]; i++) {
            const float4 *v =
                team_place(p.shape, p.v[block], site, i / MG_RHS, i % MG_RHS * 4 + member % 4) + at;
            add_multiple(b[j++][c], v[0], v[4], re, im);
        }
    }
    w[0] = re;
    w[4] = im;
}

naik_status gpu_coarse_mix(naik_coarse *w, naik_parity parity, const naik_coarse *const *v,
                           int blocks, const double *b)
{
    naik_backend *backend = mg_backend(w->aggregates);
    const int nrhs = w->nrhs;
    mix_params p = {};
    p.shape = shape_of(w, parity);
    p.w = (float *)w->data;
    const int64_t teams = (int64_t)p.shape.sites * p.shape.tiles;
    const dim3 grid((unsigned)((teams + SUMS_TEAMS - 1) / SUMS_TEAMS),
                    (unsigned)mg_rhs_tiles(nrhs));
    for (int next = 0; next < blocks && p.shape.sites > 0;) {
        int count = 0, here = 0;
        for (; next < blocks && here < MIX_BLOCKS && count + v[next]->nrhs <= MIX_MOST; next++) {
            p.v[here] = (const float *)v[next]->data;
            p.vectors[here++] = v[next]->nrhs;
            for (int n = 0; n < v[next]->nrhs * nrhs; n++, b += 2) {
                p.b[count + n / nrhs][n % nrhs] = make_float2((float)b[0], (float)b[1]);
            }
            count += v[next]->nrhs;
        }
        for (; here < MIX_BLOCKS; here++) {
            p.vectors[here] = 0;
        }
        mix_kernel<<<grid, SUMS_THREADS, 0, mg_stream(w->aggregates)>>>(p);
        NAIK_PASS(GPU_LAUNCHED(backend, "adding multiples of coarse vectors"));
    }
    return NAIK_OK;
}
