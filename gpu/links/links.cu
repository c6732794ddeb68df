/* links.cu - canonical links into the storage of recon.cuh, checked as they are compressed */
#include "gpu/backend_gpu.h"
#include "gpu/links/recon.cuh"

enum { LINKS_THREADS = 128 };
/* What the numbers of a compressed link as they are stored may bring, of a unitary one. */
constexpr double LINKS_ROUNDING = 0.1;
constexpr double LINKS_HOPELESS = 1e300; /* stands for infinity and NaN */

static size_t number_bytes(naik_precision precision)
{
    return precision == NAIK_DOUBLE ? 8 : precision == NAIK_SINGLE ? 4 : 2;
}

/* Bytes of a site's links; 0 where this storage does not exist. */
static size_t bytes_a_site(naik_precision precision, int recon, int points)
{
    size_t number = number_bytes(precision);
    if (points == NAIK_STENCIL && recon == RECON_WORDS && precision == NAIK_HALF) {
        return 8 * 18 * number + 8 * RECON_WORDS * 4;
    }
    if (points == NAIK_STENCIL) {
        return recon == 18 || recon == 13 || recon == 9 ? (8 * 18 + 8 * (size_t)recon) * number : 0;
    }
    return recon == 18 || recon_keeps_sign(recon) ? 8 * (size_t)recon * number : 0;
}

static size_t parity_bytes(const naik_lattice *lattice, naik_precision precision, int recon,
                           int points)
{
    size_t blocks = ((size_t)lattice->volume_cb + PREC_BLOCK - 1) / PREC_BLOCK;
    return blocks * PREC_BLOCK * bytes_a_site(precision, recon, points);
}

size_t gpu_links_bytes(const naik_lattice *lattice, naik_precision precision, int recon, int points)
{
    return 2 * parity_bytes(lattice, precision, recon, points);
}

typedef struct links_params {
    char *data; /* of the parity */
    const double *points;
    int begin, count, hop_count, recon;
    double scale[2];               /* largest numbers, for 16-bit storage */
    double modulus;                /* s of the compressed links */
    unsigned long long *deviation; /* largest |dL|/s as the bits of a double */
} links_params;

__device__ static inline double kept_phase(cplx<double> z)
{
    return tan(0.25 * atan2(z.im, z.re));
}

__device__ static inline cplx<double> determinant(const colour_matrix<double> &u)
{
    cplx<double> d = {0, 0};
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        cplx<double> minor = conj(cross_conj(u.e[1][j], u.e[2][k], u.e[1][k], u.e[2][j]));
        d = mul_add(u.e[0][i], minor, d);
    }
    return d;
}

/* The R numbers of the matrix; *negative is eta of 12 and 8. */
template <int R>
__device__ static inline void compress(const colour_matrix<double> &u, double n[R], bool *negative)
{
    cplx<double> det = determinant(u);
    *negative = det.re < 0;
    if constexpr (R < 12) {
        double *m = n + (R - 8);
        n[0] = kept_phase(det); /* of 9 */
        m[0] = kept_phase(u.e[0][0]);
        m[1] = kept_phase(u.e[2][0]);
        m[2] = u.e[0][1].re;
        m[3] = u.e[0][1].im;
        m[4] = u.e[0][2].re;
        m[5] = u.e[0][2].im;
        m[6] = u.e[1][0].re;
        m[7] = u.e[1][0].im;
    } else {
        for (int i = 0; i < R / 2; i++) {
            n[2 * i] = u.e[i / 3][i % 3].re;
            n[2 * i + 1] = u.e[i / 3][i % 3].im;
        }
        if constexpr (R == 13) {
            n[12] = kept_phase(det);
        }
    }
}

/* How far the matrix is from what its numbers say; NaN counts as infinite. */
template <int R>
__device__ static inline double deviation_of(const colour_matrix<double> &u, const double n[R],
                                             bool negative)
{
    colour_matrix<double> w;
    expand<R>(n, negative, w);
    double worst = 0;
    for (int i = 0; i < 9; i++) {
        double re = fabs(w.e[i / 3][i % 3].re - u.e[i / 3][i % 3].re);
        double im = fabs(w.e[i / 3][i % 3].im - u.e[i / 3][i % 3].im);
        worst = isnan(worst) || re <= worst ? worst : re; /* as naik_worst() */
        worst = isnan(worst) || im <= worst ? worst : im;
    }
    return worst <= LINKS_HOPELESS ? worst : LINKS_HOPELESS;
}

/* A number of a compressed link as it will be read. */
template <class S> __device__ static inline double rounded(double x)
{
    return sizeof(S) == 8 ? x : sizeof(S) == 4 ? (float)x : rint(x * 32768.0) / 32768.0;
}

/* `tag`: 0 or 1 to be put into the lowest bit, -1: none. */
__device__ static inline void store_number(double *to, double value, int tag, double)
{
    long long bits = __double_as_longlong(value);
    bits = tag < 0 ? bits : (bits & ~1LL) | tag;
    *to = __longlong_as_double(bits);
}
__device__ static inline void store_number(float *to, double value, int tag, double)
{
    unsigned bits = __float_as_uint((float)value);
    bits = tag < 0 ? bits : (bits & ~1u) | (unsigned)tag;
    *to = __uint_as_float(bits);
}
__device__ static inline void store_number(short *to, double value, int tag, double unit)
{
    double q = rint(value * unit);
    q = q > 32767 ? 32767 : q < -32767 ? -32767 : q;
    unsigned bits = (unsigned)((int)q + 32768);
    bits = tag < 0 ? bits : (bits & ~1u) | (unsigned)tag;
    *(unsigned short *)to = (unsigned short)bits;
}

/* Where number n of link mu of a lane lies in a group. */
template <class S, int R>
__device__ static inline S *number_place(char *group, int mu, int n, int lane)
{
    bool odd = n == R - 1 && R % 2 == 1;
    if (sizeof(S) == 2) {
        size_t word = (size_t)(mu / 2) * PREC_BLOCK * 2 * R * 2 + (size_t)(n / 2) * PREC_BLOCK * 8 +
                      (size_t)lane * (odd ? 4 : 8);
        return (S *)(group + word + (n % 2) * 4 + (mu % 2) * 2);
    }
    size_t pair = (size_t)mu * PREC_BLOCK * R + (size_t)(n / 2) * PREC_BLOCK * 2;
    return (S *)group + pair + (size_t)lane * (odd ? 1 : 2) + n % 2;
}

/* Three numbers of 10 bits to a word; see recon.cuh. */
__device__ static inline void pack_words(const links_params &p, char *group, int mu, int lane,
                                         const colour_matrix<double> &u)
{
    const double unit = p.scale[1] > 0 ? RECON_TENTH / p.scale[1] : 0;
    for (int i = 0; i < RECON_WORDS; i++) {
        unsigned word = 0;
        for (int k = 0; k < 3; k++) {
            const cplx<double> z = u.e[(3 * i + k) / 6][(3 * i + k) % 6 / 2];
            double q = rint(((3 * i + k) % 2 == 0 ? z.re : z.im) * unit);
            q = q > RECON_TENTH ? RECON_TENTH : q < -RECON_TENTH ? -RECON_TENTH : q;
            word |= (unsigned)((int)q + RECON_TENTH + 1) << (10 * k);
        }
        const int at = mu % 2 * RECON_WORDS + i; /* of the 12 words of two links */
        *(unsigned *)(group + ((size_t)(mu / 2 * 3 + at / 4) * PREC_BLOCK + (size_t)lane) * 16 +
                      at % 4 * 4) = word;
    }
}

template <class S, int R>
__device__ static inline void pack_link(const links_params &p, char *group, int mu, int lane,
                                        int far, bool backward, colour_matrix<double> &u)
{
    double n[R], unit = 32768.0;
    bool negative = false;
    if (R == 18) {
        unit = p.scale[far] > 0 ? 32767.0 / p.scale[far] : 0;
    } else {
        u = backward ? minus_adjoint(u) : u;
        for (int i = 0; i < 9; i++) {
            u.e[i / 3][i % 3] = scale(1 / p.modulus, u.e[i / 3][i % 3]);
        }
    }
    compress<R>(u, n, &negative);
    if (R != 18) {
        double stored[R];
        for (int i = 0; i < R; i++) {
            stored[i] = rounded<S>(n[i]);
        }
        double worst = deviation_of<R>(u, n, negative);
        const double rounding = deviation_of<R>(u, stored, negative);
        worst = rounding > LINKS_ROUNDING && rounding > worst ? rounding : worst;
        atomicMax(p.deviation, (unsigned long long)__double_as_longlong(worst));
    }
    for (int i = 0; i < R; i++) {
        store_number(number_place<S, R>(group, mu, i, lane), n[i],
                     recon_keeps_sign(R) && i == 0 ? (int)negative : -1, unit);
    }
}

/* One thread a link. */
template <class S, int FAT, int LONG> __global__ void links_kernel(const links_params p)
{
    const int i = (int)(blockIdx.x * LINKS_THREADS + threadIdx.x);
    const int point = i % p.hop_count, site = p.begin + i / p.hop_count;
    if (i >= p.count * p.hop_count) {
        return;
    }
    const double *w = p.points + (size_t)i * 18;
    colour_matrix<double> u;
    const bool backward = point / 4 % 2 == 1; /* then w is -U^+ */
    for (int k = 0; k < 9; k++) {
        u.e[k / 3][k % 3] = {w[2 * k], w[2 * k + 1]};
    }
    const size_t near_bytes = 2 * PREC_BLOCK * 4 * FAT * sizeof(S);
    const size_t number = LONG == RECON_WORDS ? 4 : sizeof(S);
    const size_t far_bytes = 2 * PREC_BLOCK * 4 * LONG * number;
    char *group = p.data + (size_t)(site / PREC_BLOCK) * (near_bytes + far_bytes);
    const int mu = point % 4, lane = site % PREC_BLOCK;
    if (point < 8) {
        pack_link<S, FAT>(p, group + backward * (near_bytes / 2), mu, lane, 0, backward, u);
    } else if constexpr (LONG == RECON_WORDS) {
        pack_words(p, group + near_bytes + backward * (far_bytes / 2), mu, lane, u);
    } else if constexpr (LONG > 0) {
        pack_link<S, LONG>(p, group + near_bytes + backward * (far_bytes / 2), mu, lane, 1,
                           backward, u);
    }
}

template <class S> static void launch_links(const links_params &p, gpu_stream stream)
{
    int blocks = (p.count * p.hop_count + LINKS_THREADS - 1) / LINKS_THREADS;
    if (p.hop_count == NAIK_STENCIL) {
        if (p.recon == 18) {
            links_kernel<S, 18, 18><<<blocks, LINKS_THREADS, 0, stream>>>(p);
        } else if (p.recon == 13) {
            links_kernel<S, 18, 13><<<blocks, LINKS_THREADS, 0, stream>>>(p);
        } else if (p.recon == RECON_WORDS) {
            links_kernel<short, 18, RECON_WORDS><<<blocks, LINKS_THREADS, 0, stream>>>(p);
        } else {
            links_kernel<S, 18, 9><<<blocks, LINKS_THREADS, 0, stream>>>(p);
        }
    } else if (p.recon == 18) {
        links_kernel<S, 18, 0><<<blocks, LINKS_THREADS, 0, stream>>>(p);
    } else if (p.recon == 12) {
        links_kernel<S, 12, 0><<<blocks, LINKS_THREADS, 0, stream>>>(p);
    } else {
        links_kernel<S, 8, 0><<<blocks, LINKS_THREADS, 0, stream>>>(p);
    }
}

/* The deviation that is still rounding. */
static double allowed_deviation(const naik_links *links)
{
    if (links->precision != NAIK_DOUBLE) {
        return 1e-6;
    }
    return links->recon < 12 ? 1e-11 : 1e-13;
}

/* Rebuilt from fewer numbers, which the links must allow. */
static bool compressed(const naik_links *links)
{
    return links->recon != 18 && links->recon != RECON_WORDS;
}

static naik_status check_deviation(naik_links *links)
{
    naik_backend *backend = links->geometry->backend;
    double worst = 0;
    NAIK_PASS(gpu_download(&backend->device, &worst, gpu_state_of(backend)->flags, sizeof worst));
    if (!(worst <= allowed_deviation(links))) {
        return NAIK_FAIL(backend->log, NAIK_ERR_INPUT,
                         "links cannot be stored in %d numbers: a rebuilt one differs by %.1e of "
                         "its size; store 18 numbers",
                         links->recon, worst < LINKS_HOPELESS ? worst : INFINITY);
    }
    return NAIK_OK;
}

static naik_status pack_chunk(naik_links *links, const links_params &p)
{
    naik_backend *backend = links->geometry->backend;
    gpu_state *state = gpu_state_of(backend);
    NAIK_PASS(GPU_CHECK(backend, gpu_memset(state->flags, 0, sizeof(uint64_t), state->stream),
                        "clearing a flag"));
    switch (links->precision) {
    case NAIK_DOUBLE: launch_links<double>(p, state->stream); break;
    case NAIK_SINGLE: launch_links<float>(p, state->stream); break;
    case NAIK_HALF: launch_links<short>(p, state->stream); break;
    }
    NAIK_PASS(GPU_LAUNCHED(backend, "packing links"));
    if (compressed(links)) {
        NAIK_PASS(check_deviation(links));
    }
    return NAIK_OK;
}

naik_status gpu_links_pack(naik_links *links, naik_parity parity, int32_t begin, int32_t count,
                           const naik_matrix *points)
{
    naik_backend *backend = links->geometry->backend;
    gpu_state *state = gpu_state_of(backend);
    links_params p = {};
    p.data = (char *)links->data + (size_t)parity * parity_bytes(links->geometry->lattice,
                                                                 links->precision, links->recon,
                                                                 links->points);
    p.begin = begin;
    p.count = count;
    p.points = (const double *)points;
    p.hop_count = links->points;
    p.recon = links->recon;
    p.scale[0] = links->scale[0];
    p.scale[1] = links->scale[1];
    p.modulus = links->points == NAIK_STENCIL ? links->long_scale : 1;
    p.deviation = (unsigned long long *)state->flags;
    if (compressed(links) && !(p.modulus > 0)) {
        return NAIK_FAIL(backend->log, NAIK_ERR_ARG,
                         "links of unknown modulus cannot be compressed: store 18 numbers");
    }
    return pack_chunk(links, p);
}
