/* orthonormalise.cu - the columns of P made orthonormal in every aggregate and chirality
 *
 * Of a block's columns A the products A^+ A = R^+ R are taken and A becomes A R^-1, twice, all in double:
 * the columns that Gram and Schmidt find, with every number read once for all products. The diagonal of R
 * is what is left of a column without its parts along those before it. Where that is too little noise takes
 * the column's place, and the products are taken again. Sums run in an order that the aggregate fixes.
 */
#include "gpu/multigrid/layout.cuh"

enum {
    ORTHO_THREADS = 256,
    ORTHO_TILE = 4, /* columns of products a thread has, squared */
    ORTHO_MOST = NAIK_MG_VECTORS_MOST,
    ORTHO_ROWS = 3 * MG_CHIRAL_ROWS,         /* of a fine site and chirality */
    ORTHO_ROOM = 2 * ORTHO_ROWS * ORTHO_MOST /* numbers in shared memory at a time */
};

typedef struct ortho_params {
    char *data;
    size_t parity_bytes;
    int vectors, fine, count0;
    const int64_t *global[2];
    unsigned long long
        *least; /* bits of a double, which are in the order of its values where it is >= 0 */
    unsigned long long *replaced;
} ortho_params;

typedef struct ortho_room {
    double2
        r[ORTHO_MOST *
          (ORTHO_MOST + 1)]; /* products, then R above and on the diagonal, R^-1 transposed below */
    double inverse[ORTHO_MOST]; /* of the diagonal of R */
    double length[ORTHO_MOST];  /* of the columns as they were */
    float2 rows[ORTHO_ROOM];
    int bad; /* the first column of which too little is left; vectors: none */
} ortho_room;

__device__ static inline double2 &entry(ortho_room &room, int i, int j)
{
    return room.r[i * (ORTHO_MOST + 1) + j];
}

/* Row `row` of member `s`, of the even sites and then the odd ones, of this block: [vectors] */
__device__ static inline float2 *row_of(const ortho_params &p, int s, int row)
{
    const int odd = s >= p.fine;
    char *parity = p.data + (odd ? p.parity_bytes : 0);
    return (float2 *)parity +
           ((size_t)blockIdx.x * p.fine + (s - (odd ? p.fine : 0))) *
               mg_site_units<mg_single>(p.vectors) +
           (size_t)(blockIdx.y * ORTHO_ROWS + row) * p.vectors;
}

/* Members whose rows are in shared memory at a time. */
__device__ static inline int sites_at_a_time(const ortho_params &p)
{
    return ORTHO_ROOM / (ORTHO_ROWS * p.vectors);
}

/* Rows of so many members from `first` on; what there is not is 0. */
__device__ static inline void load_rows(const ortho_params &p, int first, ortho_room &room)
{
    const int each = ORTHO_ROWS * p.vectors;
    __syncthreads();
    for (int n = (int)threadIdx.x; n < sites_at_a_time(p) * each; n += ORTHO_THREADS) {
        const int s = first + n / each;
        room.rows[n] =
            s < 2 * p.fine ? row_of(p, s, n % each / p.vectors)[n % p.vectors] : make_float2(0, 0);
    }
    __syncthreads();
}

/* Number of thread and pass into a tile above or on the diagonal. */
__device__ static inline void find_tile(int n, int tiles, int *row, int *column)
{
    int i = 0;
    while (n >= tiles - i) {
        n -= tiles - i;
        i++;
    }
    *row = i;
    *column = i + n;
}

/* sum += conj(left) right of a row, of a tile of columns each. */
__device__ static inline void add_row(const float2 *a, int vectors, int left, int right,
                                      cplx<double> (&sum)[ORTHO_TILE][ORTHO_TILE])
{
    cplx<double> l[ORTHO_TILE], r[ORTHO_TILE];
#pragma unroll
    for (int i = 0; i < ORTHO_TILE; i++) {
        const float2 u = a[left + i < vectors ? left + i : 0];
        const float2 v = a[right + i < vectors ? right + i : 0];
        l[i] = {u.x, -(double)u.y};
        r[i] = {v.x, v.y};
    }
#pragma unroll
    for (int i = 0; i < ORTHO_TILE; i++) {
#pragma unroll
        for (int j = 0; j < ORTHO_TILE; j++) {
            sum[i][j] = mul_add(l[i], r[j], sum[i][j]);
        }
    }
}

/* room.r = A^+ A, above and on the diagonal. A thread has a tile of products of every so many rows; what
 * the parts have is added in their order. */
__device__ static inline void take_products(const ortho_params &p, ortho_room &room)
{
    const int tiles = (p.vectors + ORTHO_TILE - 1) / ORTHO_TILE, each = tiles * (tiles + 1) / 2;
    const int parts = ORTHO_THREADS / each, part = (int)threadIdx.x / each;
    int row_tile = 0, column_tile = 0;
    cplx<double> sum[ORTHO_TILE][ORTHO_TILE] = {};
    find_tile((int)threadIdx.x % each, tiles, &row_tile, &column_tile);
    const int left = ORTHO_TILE * row_tile, right = ORTHO_TILE * column_tile;
    for (int first = 0; first < 2 * p.fine; first += sites_at_a_time(p)) {
        load_rows(p, first, room);
        const int rows = part < parts ? sites_at_a_time(p) * ORTHO_ROWS : 0;
        for (int row = part; row < rows; row += parts) {
            add_row(room.rows + row * p.vectors, p.vectors, left, right, sum);
        }
    }
    for (int q = 0; q < parts; q++) {
        __syncthreads();
#pragma unroll
        for (int n = 0; n < ORTHO_TILE * ORTHO_TILE; n++) {
            const int i = left + n / ORTHO_TILE, j = right + n % ORTHO_TILE;
            const cplx<double> mine = sum[n / ORTHO_TILE][n % ORTHO_TILE];
            if (part == q && i < p.vectors && j < p.vectors) {
                const double2 before = q == 0 ? make_double2(0, 0) : entry(room, i, j);
                entry(room, i, j) = make_double2(before.x + mine.re, before.y + mine.im);
            }
        }
    }
    __syncthreads();
}

/* room.r = R; stops at a column of which less than `alike` of its length is left. */
__device__ static inline void factorise(const ortho_params &p, double alike, ortho_room &room)
{
    const int n = p.vectors, thread = (int)threadIdx.x;
    if (thread == 0) {
        room.bad = n;
    }
    for (int j = thread; j < n; j += ORTHO_THREADS) {
        room.length[j] = sqrt(entry(room, j, j).x);
    }
    __syncthreads();
    for (int k = 0; k < n; k++) {
        const double square = entry(room, k, k).x, length = room.length[k];
        const double left = square > 0 ? sqrt(square) : 0;
        if (!(left > alike * length)) { /* in all threads alike */
            if (thread == 0) {
                room.bad = k;
            }
            __syncthreads();
            return;
        }
        __syncthreads();
        if (thread == 0) {
            entry(room, k, k) = make_double2(left, 0);
            room.inverse[k] = 1 / left;
        }
        for (int j = k + 1 + thread; j < n; j += ORTHO_THREADS) {
            double2 &r = entry(room, k, j);
            r = make_double2(r.x / left, r.y / left);
        }
        __syncthreads();
        const int rest = n - k - 1;
        for (int m = thread; m < rest * rest; m += ORTHO_THREADS) {
            const int i = k + 1 + m / rest, j = k + 1 + m % rest;
            if (j >= i) {
                const double2 a = entry(room, k, i), b = entry(room, k, j);
                double2 &r = entry(room, i, j);
                const cplx<double> next = mul_add({-a.x, a.y}, {b.x, b.y}, cplx<double>{r.x, r.y});
                r = make_double2(next.re, next.im);
            }
        }
        __syncthreads();
    }
}

/* R^-1, transposed, below the diagonal of room.r: a thread a column. */
__device__ static inline void invert(const ortho_params &p, ortho_room &room)
{
    for (int j = (int)threadIdx.x; j < p.vectors; j += ORTHO_THREADS) {
        for (int i = j - 1; i >= 0; i--) {
            const double2 last = entry(room, i, j);
            cplx<double> sum = scale(room.inverse[j], cplx<double>{last.x, last.y});
            for (int k = i + 1; k < j; k++) {
                const double2 a = entry(room, i, k), b = entry(room, j, k);
                sum = mul_add({a.x, a.y}, {b.x, b.y}, sum);
            }
            entry(room, j, i) = make_double2(-sum.re * room.inverse[i], -sum.im * room.inverse[i]);
        }
    }
    __syncthreads();
}

/* A = A R^-1 */
__device__ static inline void apply(const ortho_params &p, ortho_room &room)
{
    for (int first = 0; first < 2 * p.fine; first += sites_at_a_time(p)) {
        load_rows(p, first, room);
        for (int n = (int)threadIdx.x; n < sites_at_a_time(p) * ORTHO_ROWS * p.vectors;
             n += ORTHO_THREADS) {
            const int j = n % p.vectors, row = n / p.vectors, s = first + row / ORTHO_ROWS;
            const float2 *a = room.rows + row * p.vectors;
            cplx<double> sum = {a[j].x * room.inverse[j], a[j].y * room.inverse[j]};
            for (int i = 0; i < j; i++) {
                const double2 b = entry(room, j, i);
                sum = mul_add({a[i].x, a[i].y}, {b.x, b.y}, sum);
            }
            if (s < 2 * p.fine) {
                row_of(p, s, row % ORTHO_ROWS)[j] = make_float2((float)sum.re, (float)sum.im);
            }
        }
    }
    __syncthreads();
}

/* Noise in the place of a column. */
__device__ static inline void replace(const ortho_params &p, int column)
{
    const int odd = (int)blockIdx.x >= p.count0;
    const int64_t global =
        (odd ? p.global[1] : p.global[0])[(int)blockIdx.x - (odd ? p.count0 : 0)];
    for (int n = (int)threadIdx.x; n < 2 * p.fine * ORTHO_ROWS; n += ORTHO_THREADS) {
        float number[2];
        naik_mg_noise(global, n / ORTHO_ROWS, (int)blockIdx.y * ORTHO_ROWS + n % ORTHO_ROWS,
                      (int)blockIdx.y * p.vectors + column, number);
        row_of(p, n / ORTHO_ROWS, n % ORTHO_ROWS)[column] = make_float2(number[0], number[1]);
    }
    __syncthreads();
}

/* What is left of the columns up to the bad one, of their lengths. */
__device__ static inline void note(const ortho_params &p, const ortho_room &room)
{
    const int bad = room.bad;
    if (threadIdx.x == 0 && bad < p.vectors) {
        atomicAdd(p.replaced, 1ull);
    }
    for (int j = (int)threadIdx.x; j <= bad && j < p.vectors; j += ORTHO_THREADS) {
        const double2 r = room.r[j * (ORTHO_MOST + 1) + j];
        const double left = j < bad ? r.x : r.x > 0 ? sqrt(r.x) : 0;
        const double part = room.length[j] > 0 ? left / room.length[j] : 0;
        atomicMin(p.least, (unsigned long long)__double_as_longlong(part));
    }
}

__global__ void __launch_bounds__(ORTHO_THREADS) orthonormalise_kernel(const ortho_params p)
{
    __shared__ ortho_room room;
    for (int tries = 0; tries <= p.vectors; tries++) { /* noise is never alike: each column once */
        take_products(p, room);
        factorise(p, NAIK_MG_ALIKE, room);
        note(p, room);
        if (room.bad == p.vectors) {
            break;
        }
        replace(p, room.bad);
    }
    invert(p, room);
    apply(p, room);
    take_products(p, room);
    factorise(p, 0, room);
    invert(p, room);
    apply(p, room);
}

typedef struct ortho_result {
    unsigned long long least, replaced;
} ortho_result;

naik_status gpu_transfer_orthonormalise(naik_transfer *p, naik_orthonormal *out)
{
    naik_status status = NAIK_OK;
    const naik_aggregates *a = p->aggregates;
    naik_backend *backend = mg_backend(a);
    ortho_result result = {};
    const double one = 1;
    void *words = NULL;
    ortho_params o = {};
    memcpy(&result.least, &one, sizeof one);
    NAIK_TRY(gpu_alloc(&backend->device, sizeof result, "what is left of columns", &words));
    NAIK_TRY(gpu_upload(&backend->device, words, &result, sizeof result));
    o.data = (char *)p->data;
    o.parity_bytes = p->size_bytes / 2;
    o.vectors = p->vectors;
    o.fine = a->fine;
    o.count0 = a->count[0];
    for (int c = 0; c < 2; c++) {
        o.global[c] = gpu_aggregates_of(a)->global[c];
    }
    o.least = &((ortho_result *)words)->least;
    o.replaced = &((ortho_result *)words)->replaced;
    orthonormalise_kernel<<<dim3((unsigned)mg_sites(a), 2), ORTHO_THREADS, 0, mg_stream(a)>>>(o);
    NAIK_TRY(GPU_LAUNCHED(backend, "making columns orthonormal"));
    NAIK_TRY(gpu_download(&backend->device, &result, words, sizeof result));
    memcpy(&out->least, &result.least, sizeof out->least);
    out->replaced = (int64_t)result.replaced;
done:
    if (words != NULL) {
        gpu_release(&backend->device, words);
    }
    return status;
}
