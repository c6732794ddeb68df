/* matrices.cu - coarse matrices: X^-1 and X^-1 Y_k, in double, a block a coarse site */
#include "gpu/multigrid/layout.cuh"

enum {
    INVERT_THREADS = 256,
    INVERT_MOST = 2 * NAIK_MG_VECTORS_MOST,
    INVERT_COLUMNS = 48,   /* of Y_k in shared memory at a time */
    INVERT_TILE = 3,       /* rows and columns of a product a thread */
    INVERT_ROOM = 64 << 20 /* bytes of device memory for matrices on their way */
};

size_t gpu_coarse_links_bytes(const naik_aggregates *a, int components, naik_precision precision)
{
    return (size_t)mg_sites(a) * NAIK_MG_MATRICES *
           (mg_matrix_numbers(mg_tiles(components)) * mg_number_bytes(precision) + sizeof(float));
}

naik_status gpu_coarse_links_clear(naik_coarse_links *m)
{
    return GPU_CHECK(mg_backend(m->aggregates),
                     gpu_memset(m->data, 0, m->size_bytes, mg_stream(m->aggregates)),
                     "clearing coarse matrices");
}

typedef struct invert_params {
    int components, tiles;
    const float *from; /* of the first site of this launch */
    char *to;
    float *scales;
    double2 *inverse; /* [sites of a launch][components][components] */
    float2 *product;
    unsigned long long *singular;
    bool half;
} invert_params;

typedef struct invert_room {
    double2 row[INVERT_MOST], column[INVERT_MOST];
    double size[INVERT_MOST];
    int place[INVERT_MOST], pivot[INVERT_MOST];
    unsigned largest;
    float2 y[INVERT_MOST * INVERT_COLUMNS];
} invert_room;

__device__ static inline cplx<double> number_of(double2 a)
{
    return {a.x, a.y};
}
__device__ static inline double2 stored(cplx<double> a)
{
    return make_double2(a.re, a.im);
}

__device__ static inline double2 matrix_number(const float *m, int row, int column, int tiles)
{
    return make_double2(m[mg_matrix_place(row, column, 0, tiles)],
                        m[mg_matrix_place(row, column, 1, tiles)]);
}

/* The row from k on with the largest number in column k, the first of equals. */
__device__ static inline int find_pivot(const double2 *w, int n, int k, invert_room &room)
{
    const int i = (int)threadIdx.x;
    if (i < n) {
        const double2 a = w[i * n + k];
        room.size[i] = i >= k ? fma(a.x, a.x, a.y * a.y) : -1;
        room.place[i] = i;
    }
    __syncthreads();
    for (int step = 64; step > 0; step /= 2) {
        if (i < step && i + step < n) {
            const double mine = room.size[i], other = room.size[i + step];
            if (other > mine || (other == mine && room.place[i + step] < room.place[i])) {
                room.size[i] = other;
                room.place[i] = room.place[i + step];
            }
        }
        __syncthreads();
    }
    return room.place[0];
}

/* w = w^-1 by Gauss and Jordan where it lies; false: a pivot is 0, or no number. */
__device__ static inline bool invert_matrix(double2 *w, int n, invert_room &room)
{
    const int thread = (int)threadIdx.x;
    for (int k = 0; k < n; k++) {
        const int p = find_pivot(w, n, k, room);
        const double size = room.size[0];
        if (!(size > 0 && size < 1e300)) { /* in all threads alike */
            return false;
        }
        const cplx<double> pivot = number_of(w[p * n + k]);
        const cplx<double> d = {pivot.re / size, -pivot.im / size};
        __syncthreads();
        for (int j = thread; j < n; j += INVERT_THREADS) { /* rows p and k change places */
            const double2 upper = w[k * n + j];
            room.row[j] = stored(j == k ? d : mul(number_of(w[p * n + j]), d));
            w[p * n + j] = upper;
        }
        room.pivot[k] = p;
        __syncthreads();
        for (int i = thread; i < n; i += INVERT_THREADS) {
            room.column[i] = w[i * n + k];
        }
        __syncthreads();
        for (int m = thread; m < n * n; m += INVERT_THREADS) {
            const int i = m / n, j = m % n;
            const cplx<double> f = number_of(room.column[i]), r = number_of(room.row[j]);
            const cplx<double> old = j == k ? cplx<double>{0, 0} : number_of(w[m]);
            w[m] = stored(i == k ? r : mul_add({-f.re, -f.im}, r, old));
        }
        __syncthreads();
    }
    for (int k = n - 1; k >= 0; k--) { /* columns go back */
        const int p = room.pivot[k];
        for (int i = thread; i < n && p != k; i += INVERT_THREADS) {
            const double2 a = w[i * n + k];
            w[i * n + k] = w[i * n + p];
            w[i * n + p] = a;
        }
        __syncthreads();
    }
    return true;
}

/* product = inverse m */
__device__ static inline void multiply_matrix(const double2 *inverse, const float *m, int n,
                                              int tiles, float2 *product, invert_room &room)
{
    for (int first = 0; first < n; first += INVERT_COLUMNS) {
        const int left = n - first, columns = left < INVERT_COLUMNS ? left : (int)INVERT_COLUMNS;
        __syncthreads();
        for (int i = (int)threadIdx.x; i < n * columns; i += INVERT_THREADS) {
            const double2 a = matrix_number(m, i / columns, first + i % columns, tiles);
            room.y[i] = make_float2((float)a.x, (float)a.y);
        }
        __syncthreads();
        const int down = (n + INVERT_TILE - 1) / INVERT_TILE;
        const int across = (columns + INVERT_TILE - 1) / INVERT_TILE;
        for (int tile = (int)threadIdx.x; tile < down * across; tile += INVERT_THREADS) {
            const int i0 = tile / across * INVERT_TILE, j0 = tile % across * INVERT_TILE;
            cplx<double> sum[INVERT_TILE][INVERT_TILE] = {};
            for (int l = 0; l < n; l++) {
                cplx<double> a[INVERT_TILE], b[INVERT_TILE];
#pragma unroll
                for (int t = 0; t < INVERT_TILE; t++) {
                    a[t] = number_of(inverse[(i0 + t < n ? i0 + t : i0) * n + l]);
                    const float2 y = room.y[l * columns + (j0 + t < columns ? j0 + t : j0)];
                    b[t] = {y.x, y.y};
                }
#pragma unroll
                for (int t = 0; t < INVERT_TILE * INVERT_TILE; t++) {
                    cplx<double> &to = sum[t / INVERT_TILE][t % INVERT_TILE];
                    to = mul_add(a[t / INVERT_TILE], b[t % INVERT_TILE], to);
                }
            }
#pragma unroll
            for (int t = 0; t < INVERT_TILE * INVERT_TILE; t++) {
                const int i = i0 + t / INVERT_TILE, j = j0 + t % INVERT_TILE;
                const cplx<double> a = sum[t / INVERT_TILE][t % INVERT_TILE];
                if (i < n && j < columns) {
                    product[i * n + first + j] = make_float2((float)a.re, (float)a.im);
                }
            }
        }
    }
    __syncthreads();
}

/* The scale of a matrix of 16-bit integers: with 15 significant bits, as vec_half's. */
__device__ static inline float scale_of(const float2 *product, int n, invert_room &room)
{
    float largest = 0;
    if (threadIdx.x == 0) {
        room.largest = 0;
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; i < n * n; i += INVERT_THREADS) {
        largest = fmaxf(largest, fmaxf(fabsf(product[i].x), fabsf(product[i].y)));
    }
    atomicMax(&room.largest, __float_as_uint(largest)); /* bits are in the order of what is >= 0 */
    __syncthreads();
    const float scale = __uint_as_float(room.largest) * (1.0f / 32767.0f);
    return __uint_as_float((__float_as_uint(scale) + 0x1ffu) & ~0x1ffu);
}

/* Matrix `which` of the block's site: two numbers beside each other at a time. */
__device__ static inline void store_matrix(const invert_params &p, const float2 *product, int which,
                                           invert_room &room)
{
    const int n = p.components, count = (int)mg_matrix_numbers(p.tiles);
    const size_t matrix = (size_t)blockIdx.x * NAIK_MG_MATRICES + which;
    const float scale = p.half ? scale_of(product, n, room) : 1;
    const float inverse = scale > 0 ? 1.0f / scale : 0;
    for (int at = 2 * (int)threadIdx.x; at < count; at += 2 * INVERT_THREADS) {
        const int number = at % 8, lane = at / 8 % MG_GROUP, part = at / (8 * MG_GROUP) % 2;
        const int tile = at / MG_MATRIX_TILE;
        const int row = tile / p.tiles * MG_TILE + lane / 4 + 8 * (number / 2 % 2);
        const int column = tile % p.tiles * MG_TILE + 2 * (lane % 4) + 8 * (number / 4);
        float x[2];
        for (int k = 0; k < 2; k++) {
            const bool there = row < n && column + k < n;
            const float2 a = there ? product[row * n + column + k] : make_float2(0, 0);
            x[k] = part == 0 ? a.x : a.y;
        }
        if (p.half) {
            *(unsigned *)(p.to + (matrix * count + at) * sizeof(uint16_t)) =
                prec_word(x[0] * inverse, x[1] * inverse);
        } else {
            *(float2 *)(p.to + (matrix * count + at) * sizeof(float)) = make_float2(x[0], x[1]);
        }
    }
    if (threadIdx.x == 0) {
        p.scales[matrix] = scale;
    }
    __syncthreads();
}

__global__ void __launch_bounds__(INVERT_THREADS) invert_kernel(const invert_params p)
{
    __shared__ invert_room room;
    const int n = p.components;
    const size_t numbers = mg_matrix_numbers(p.tiles), site = blockIdx.x;
    const float *m = p.from + site * NAIK_MG_MATRICES * numbers;
    double2 *inverse = p.inverse + site * (size_t)(n * n);
    float2 *product = p.product + site * (size_t)(n * n);
    for (int i = (int)threadIdx.x; i < n * n; i += INVERT_THREADS) {
        inverse[i] = matrix_number(m + NAIK_MG_LOCAL * numbers, i / n, i % n, p.tiles);
    }
    __syncthreads();
    if (!invert_matrix(inverse, n, room)) {
        if (threadIdx.x == 0) {
            atomicAdd(p.singular, 1ull);
        }
        return;
    }
    for (int i = (int)threadIdx.x; i < n * n; i += INVERT_THREADS) {
        product[i] = make_float2((float)inverse[i].x, (float)inverse[i].y);
    }
    __syncthreads();
    store_matrix(p, product, NAIK_MG_LOCAL, room);
    for (int k = 0; k < NAIK_MG_POINTS; k++) {
        multiply_matrix(inverse, m + k * numbers, n, p.tiles, product, room);
        store_matrix(p, product, k, room);
    }
}

/* Sites whose matrices are on their way at a time. */
static size_t sites_at_a_time(int n, int sites)
{
    const size_t most = INVERT_ROOM / ((size_t)(n * n) * sizeof(double2));
    return (size_t)sites < most ? (size_t)sites : most;
}

size_t gpu_coarse_invert_bytes(const naik_aggregates *a, int components)
{
    const size_t each = (size_t)components * (size_t)components;
    return sites_at_a_time(components, mg_sites(a)) * each * (sizeof(double2) + sizeof(float2));
}

/* Memory for their matrices. */
static naik_status take_room(naik_backend *backend, int n, int sites, void **inverse,
                             void **product, void **singular, int *at_a_time)
{
    const size_t each = (size_t)(n * n), count = sites_at_a_time(n, sites);
    const unsigned long long zero = 0;
    *at_a_time = count > 0 ? (int)count : 1;
    NAIK_PASS(gpu_alloc(&backend->device, count * each * sizeof(double2), "inverses", inverse));
    NAIK_PASS(gpu_alloc(&backend->device, count * each * sizeof(float2), "products", product));
    NAIK_PASS(gpu_alloc(&backend->device, sizeof zero, "singular sites", singular));
    return gpu_upload(&backend->device, *singular, &zero, sizeof zero);
}

naik_status gpu_coarse_invert(const naik_coarse_links *from, naik_coarse_links *to,
                              int64_t *singular)
{
    naik_status status = NAIK_OK;
    const naik_aggregates *a = from->aggregates;
    naik_backend *backend = mg_backend(a);
    const int sites = mg_sites(a);
    const size_t numbers = NAIK_MG_MATRICES * mg_matrix_numbers(mg_tiles(from->components));
    void *inverse = NULL, *product = NULL, *count = NULL;
    unsigned long long found = 0;
    int each = 1;
    invert_params p = {};
    NAIK_TRY(take_room(backend, from->components, sites, &inverse, &product, &count, &each));
    p.components = from->components;
    p.tiles = mg_tiles(from->components);
    p.inverse = (double2 *)inverse;
    p.product = (float2 *)product;
    p.singular = (unsigned long long *)count;
    p.half = to->precision == NAIK_HALF;
    for (int first = 0; first < sites; first += each) {
        const int here = sites - first < each ? sites - first : each;
        p.from = (const float *)from->data + (size_t)first * numbers;
        p.to = (char *)to->data + (size_t)first * numbers * mg_number_bytes(to->precision);
        p.scales = mg_scales(to, NAIK_EVEN) + (size_t)first * NAIK_MG_MATRICES;
        invert_kernel<<<(unsigned)here, INVERT_THREADS, 0, mg_stream(a)>>>(p);
        NAIK_TRY(GPU_LAUNCHED(backend, "inverting coarse matrices"));
    }
    NAIK_TRY(gpu_download(&backend->device, &found, count, sizeof found));
    *singular = (int64_t)found;
done:
    for (void **memory : {&inverse, &product, &count}) {
        if (*memory != NULL) {
            gpu_release(&backend->device, *memory);
        }
    }
    return status;
}
