/* transfer.cu - P in the device's memory: its columns in and out, and in 16 bits */
#include "gpu/multigrid/layout.cuh"

enum { TRANSFER_THREADS = 128 };

size_t gpu_transfer_bytes(const naik_aggregates *a, int vectors, naik_precision precision)
{
    const size_t site = precision == NAIK_HALF
                            ? mg_site_units<mg_half>(vectors) * sizeof(mg_half::unit)
                            : mg_site_units<mg_single>(vectors) * sizeof(mg_single::unit);
    return 2 * (size_t)mg_sites(a) * (size_t)a->fine * site;
}

size_t gpu_transfer_work_bytes(const naik_aggregates *, int)
{
    return 0; /* columns are made orthonormal where they lie */
}

/* A thread an rhs of a fine site: those of a site, whose columns lie beside each other, follow each other. */
static unsigned member_grid(const mg_transfer &t, int nrhs)
{
    const int64_t threads = (int64_t)(t.count[0] + t.count[1]) * t.fine * nrhs;
    return (unsigned)((threads + TRANSFER_THREADS - 1) / TRANSFER_THREADS);
}

typedef struct member_place {
    int site, s, c, cb;
} member_place;

/* Of a thread; false: there is none. */
__device__ static inline bool find_member(const mg_transfer &t, int nrhs, member_place *at)
{
    const int64_t n = (int64_t)blockIdx.x * TRANSFER_THREADS + threadIdx.x, member = n / nrhs;
    const int block = (int)(member / t.fine);
    at->c = (int)(n - member * nrhs);
    at->s = (int)(member % t.fine);
    if (block >= t.count[0] + t.count[1]) {
        return false;
    }
    at->site = mg_block_site(t, block);
    at->cb = mg_members(t, at->site)[at->s];
    return true;
}

__global__ void set_columns_kernel(const mg_transfer t, const char *field, int nrhs, int first)
{
    member_place at;
    if (!find_member(t, nrhs, &at)) {
        return;
    }
    mg_single::unit *to = (mg_single::unit *)mg_site<mg_single>(t, at.site, at.s);
    for (int spin = 0; spin < NAIK_SPIN; spin++) {
        const colour_vector<float> v =
            vec_single::load(field + mg_field_offset(at.cb, at.c, spin, nrhs));
#pragma unroll
        for (int i = 0; i < 3; i++) {
            to[(size_t)(3 * spin + i) * t.vectors + first + at.c] =
                make_float2(v.e[i].re, v.e[i].im);
        }
    }
}

naik_status gpu_transfer_set_columns(naik_transfer *p, naik_parity parity, int first,
                                     const naik_field *v)
{
    const mg_transfer t = mg_transfer_of(p, parity);
    set_columns_kernel<<<member_grid(t, v->nrhs), TRANSFER_THREADS, 0, mg_stream(p->aggregates)>>>(
        t, (const char *)v->data, v->nrhs, first);
    return GPU_LAUNCHED(mg_backend(p->aggregates), "taking columns of P");
}

template <class P>
__global__ void get_columns_kernel(const mg_transfer t, int chirality, int first, char *field,
                                   int nrhs)
{
    member_place at;
    if (!find_member(t, nrhs, &at)) {
        return;
    }
    const typename P::unit *from = mg_site<P>(t, at.site, at.s);
    for (int spin = 0; spin < NAIK_SPIN; spin++) {
        colour_vector<float> v = {};
        if (spin / MG_CHIRAL_ROWS == chirality) {
            v = mg_load<P>(from, t.vectors, chirality, spin % MG_CHIRAL_ROWS, first + at.c);
        }
        vec_single::store(field + mg_field_offset(at.cb, at.c, spin, nrhs), v);
    }
}

naik_status gpu_transfer_get_columns(const naik_transfer *p, naik_parity parity, int chirality,
                                     int first, naik_field *v)
{
    const mg_transfer t = mg_transfer_of(p, parity);
    const unsigned grid = member_grid(t, v->nrhs);
    const gpu_stream stream = mg_stream(p->aggregates);
    char *field = (char *)v->data;
    if (p->precision == NAIK_HALF) {
        get_columns_kernel<mg_half>
            <<<grid, TRANSFER_THREADS, 0, stream>>>(t, chirality, first, field, v->nrhs);
    } else {
        get_columns_kernel<mg_single>
            <<<grid, TRANSFER_THREADS, 0, stream>>>(t, chirality, first, field, v->nrhs);
    }
    return GPU_LAUNCHED(mg_backend(p->aggregates), "giving columns of P");
}

/* A thread a fine site, spin and column of both fine parities. */
__global__ void compress_kernel(int64_t count, int vectors, const float2 *from, uint4 *to)
{
    const int64_t n = (int64_t)blockIdx.x * TRANSFER_THREADS + threadIdx.x;
    if (n < count) {
        const int64_t row = n / vectors;
        colour_vector<float> v;
#pragma unroll
        for (int i = 0; i < 3; i++) {
            const float2 e = from[(3 * row + i) * vectors + n % vectors];
            v.e[i] = {e.x, e.y};
        }
        to[n] = vec_half::pack(v);
    }
}

naik_status gpu_transfer_compress(naik_transfer *to, const naik_transfer *from)
{
    const naik_aggregates *a = from->aggregates;
    const int64_t count =
        2 * (int64_t)mg_sites(a) * a->fine * (int64_t)mg_site_units<mg_half>(from->vectors);
    compress_kernel<<<(unsigned)((count + TRANSFER_THREADS - 1) / TRANSFER_THREADS),
                      TRANSFER_THREADS, 0, mg_stream(a)>>>(
        count, from->vectors, (const float2 *)from->data, (uint4 *)to->data);
    return GPU_LAUNCHED(mg_backend(a), "putting P into 16 bits");
}
