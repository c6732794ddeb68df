/* low_part.c - the part of staggered propagators and mesons that low modes carry */
#include "contract/low_part.h"

#include <math.h>
#include <string.h>

#include "backend/dslash.h"
#include "backend/low_vectors.h"
#include "base/clones.h"
#include "base/exactsum.h"
#include "base/memory.h"
#include "comm/collective.h"
#include "comm/threads.h"
#include "lattice/su3.h"
#include "propagator/slice_sums.h"

enum { REALS = 6, COLOURS = 3, SPACE = NAIK_DIM - 1, JOIN = 8 };

static size_t pair_count(int count)
{
    return (size_t)count * (size_t)count;
}

static size_t slice_sites(const naik_lattice *lattice)
{
    return (size_t)(lattice->sites / lattice->local[3]);
}

static const naik_backend_ops *ops_of(const low_part *part)
{
    return part->geometry->backend->ops;
}

int64_t low_part_bytes(const naik_lattice *lattice, int count)
{
    return (int64_t)(pair_count(count) * (4 * sizeof(int64_t) +
                                          2 * sizeof(naik_complex) * (size_t)lattice->size[3]) +
                     slice_sites(lattice) * sizeof(naik_complex));
}

int64_t low_part_backend_bytes(const naik_lattice *lattice, int count)
{
    const int64_t vector = REALS * (int64_t)lattice->sites;
    return vector * ((int64_t)sizeof(float) * count + 2 * (int64_t)sizeof(double)) +
           (int64_t)(pair_count(count) * 4 * sizeof(int64_t) +
                     slice_sites(lattice) * sizeof(naik_complex));
}

/* What lies in the backend's memory. Local. */
static naik_status allocate_there(low_part *part)
{
    naik_backend *backend = part->geometry->backend;
    const naik_lattice *lat = part->geometry->lattice;
    const size_t vector = REALS * (size_t)lat->sites, count = (size_t)part->count;
    NAIK_PASS(naik_backend_alloc(backend, count * vector * sizeof *part->vector, "low modes",
                                 (void **)&part->vector));
    NAIK_PASS(naik_backend_alloc(backend, slice_sites(lat) * sizeof *part->weight,
                                 "momentum weights", (void **)&part->weight));
    NAIK_PASS(naik_backend_alloc(backend, 4 * pair_count(part->count) * sizeof *part->words,
                                 "products of low modes", (void **)&part->words));
    NAIK_PASS(naik_backend_alloc(backend, vector * sizeof *part->sites, "a vector",
                                 (void **)&part->sites));
    NAIK_PASS(naik_backend_alloc(backend, 4 * count * sizeof *part->factors, "factors of low modes",
                                 (void **)&part->factors));
    return naik_backend_alloc(backend, sizeof *part->length, "the length of a low mode",
                              (void **)&part->length);
}

static naik_status allocate_here(low_part *part)
{
    const naik_lattice *lat = part->geometry->lattice;
    naik_log *log = lat->comm->log;
    const size_t pairs = pair_count(part->count);
    NAIK_PASS(naik_alloc(log, (size_t)part->count * sizeof *part->lambda, "low modes",
                         (void **)&part->lambda));
    NAIK_PASS(naik_alloc(log, slice_sites(lat) * sizeof *part->phases, "momentum weights",
                         (void **)&part->phases));
    NAIK_PASS(naik_alloc(log, 4 * pairs * sizeof *part->taken, "products of low modes",
                         (void **)&part->taken));
    return naik_alloc(log, 2 * (size_t)lat->size[3] * pairs * sizeof *part->sums,
                      "products of low modes", (void **)&part->sums);
}

naik_status low_part_create(const naik_geometry *geometry, int count, const double *lambda2,
                            low_part *out)
{
    naik_status status = NAIK_OK;
    *out = (low_part){.geometry = geometry, .count = count};
    status = allocate_here(out);
    if (status == NAIK_OK) {
        status = allocate_there(out);
    }
    NAIK_PASS(naik_comm_agree(geometry->lattice->comm, status));
    for (int parity = 0; parity < 2; parity++) {
        NAIK_PASS(naik_field_create(geometry, NAIK_DOUBLE, 1, &out->half[parity]));
    }
    for (int i = 0; i < count; i++) {
        out->lambda[i] = sqrt(lambda2[i]) / 2;
    }
    return NAIK_OK;
}

void low_part_clear(low_part *part)
{
    if (part->geometry != NULL) {
        naik_backend *backend = part->geometry->backend;
        void *const there[] = {part->vector, part->weight,  part->words,
                               part->sites,  part->factors, part->length};
        for (size_t k = 0; k < sizeof there / sizeof *there; k++) {
            naik_backend_release(backend, there[k]);
        }
    }
    naik_field_destroy(&part->half[NAIK_EVEN]);
    naik_field_destroy(&part->half[NAIK_ODD]);
    naik_free(part->lambda);
    naik_free(part->phases);
    naik_free(part->taken);
    naik_free(part->sums);
    *part = (low_part){.count = 0};
}

int64_t low_room_bytes(const naik_lattice *lattice)
{
    return REALS * (int64_t)lattice->sites *
           (int64_t)(sizeof(float) + (2 + 3 * COLOURS) * sizeof(double));
}

naik_status low_room_create(const naik_lattice *lattice, low_room *out)
{
    naik_log *log = lattice->comm->log;
    const size_t vector = REALS * (size_t)lattice->sites;
    double **const three[] = {&out->quark, &out->antiquark, &out->shifted};
    NAIK_PASS(naik_alloc(log, vector * sizeof *out->mode, "a low mode", (void **)&out->mode));
    NAIK_PASS(naik_alloc(log, vector * sizeof *out->from, "a vector", (void **)&out->from));
    NAIK_PASS(naik_alloc(log, vector * sizeof *out->to, "a vector", (void **)&out->to));
    for (size_t k = 0; k < sizeof three / sizeof *three; k++) {
        NAIK_PASS(
            naik_alloc(log, COLOURS * vector * sizeof(double), "a propagator", (void **)three[k]));
    }
    return NAIK_OK;
}

void low_room_clear(low_room *room)
{
    naik_free(room->mode);
    naik_free(room->from);
    naik_free(room->to);
    naik_free(room->quark);
    naik_free(room->antiquark);
    naik_free(room->shifted);
    *room = (low_room){.mode = NULL};
}

static bool is_odd(const naik_lattice *lat, int32_t site)
{
    int x[NAIK_DIM];
    naik_lattice_coords(lat, site, x);
    return naik_parity_of(x) != 0;
}

naik_status low_part_put(low_part *part, int index, const naik_field *block, int irhs,
                         const naik_links *links, double *length)
{
    const naik_backend_ops *ops = ops_of(part);
    naik_backend *backend = part->geometry->backend;
    const double lambda2 = 4 * part->lambda[index] * part->lambda[index];
    const naik_dslash_args odd = {.form = NAIK_FORM_AFFINE,
                                  .parity = NAIK_ODD,
                                  .links = links,
                                  .in = part->half[NAIK_EVEN],
                                  .out = part->half[NAIK_ODD],
                                  .v = part->half[NAIK_ODD],
                                  .s = 1 / sqrt(lambda2)};
    NAIK_PASS(ops->field.copy_rhs(part->half[NAIK_EVEN], 0, block, irhs));
    NAIK_PASS(naik_dslash(&odd));
    NAIK_PASS(ops->reduction.clear(backend, part->length, 1));
    NAIK_PASS(ops->reduction.dot(part->half[NAIK_ODD], part->half[NAIK_ODD], NULL, NAIK_RHS_IDLE,
                                 part->length));
    NAIK_PASS(ops->reduction.over_ranks(backend, part->length, 1));
    NAIK_PASS(ops->reduction.values(backend, part->length, 1, length));
    *length *= lambda2;
    for (int parity = 0; parity < 2; parity++) {
        NAIK_PASS(ops->field.to_device(part->half[parity], (naik_parity)parity, 0, part->sites));
    }
    return ops->low->narrow(part->geometry, part->sites,
                            part->vector + REALS * (int64_t)part->geometry->lattice->sites * index);
}

/* f^+ g of a site, of which the first is a mode's. */
static naik_complex product(const float *f, const double *g)
{
    naik_complex sum = {0, 0};
    for (int c = 0; c < COLOURS; c++) {
        const double re = (double)f[2 * c], im = (double)f[2 * c + 1];
        sum.re = fma(re, g[2 * c], fma(im, g[2 * c + 1], sum.re));
        sum.im = fma(re, g[2 * c + 1], fma(-im, g[2 * c], sum.im));
    }
    return sum;
}

static bool is_zero(const double *v)
{
    bool zero = true;
    for (int r = 0; r < REALS; r++) {
        zero = zero && v[r] == 0;
    }
    return zero;
}

/* What all modes have at a site, sum [count][parity][2]. Their numbers there go where words do. */
static naik_status add_site(const low_part *part, int32_t site, const double *src,
                            naik_exactsum *sum)
{
    naik_backend *backend = part->geometry->backend;
    float *there = (float *)part->words, *at = (float *)part->taken;
    const int odd = is_odd(part->geometry->lattice, site);
    NAIK_PASS(ops_of(part)->low->at_site(part->geometry, part->vector, part->count, site, there));
    NAIK_PASS(naik_backend_download(backend, at, there, REALS * (size_t)part->count * sizeof *at));
    for (int i = 0; i < part->count; i++) {
        const naik_complex p = product(at + REALS * (int64_t)i, src);
        naik_exactsum_add(&sum[4 * i + 2 * odd], p.re);
        naik_exactsum_add(&sum[4 * i + 2 * odd + 1], p.im);
    }
    return NAIK_OK;
}

/* A slice of many sites is looked through by all threads. */
static bool is_zero_slice(const naik_lattice *lat, const double *src, int t)
{
    const int32_t first = t * (int32_t)slice_sites(lat), end = first + (int32_t)slice_sites(lat);
    bool zero = true;
#pragma omp parallel for schedule(static) reduction(&& : zero)
    for (int32_t site = first; site < end; site++) {
        zero = zero && is_zero(src + REALS * (int64_t)site);
    }
    return zero;
}

naik_status low_part_project(const low_part *part, const double *src, naik_complex *c)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = part->geometry->lattice;
    const int32_t slice = (int32_t)slice_sites(lat);
    naik_exactsum *sum = NULL; /* [count][parity][2], zeroed */
    status = naik_alloc(lat->comm->log, 4 * (size_t)part->count * sizeof *sum, "projections",
                        (void **)&sum);
    for (int32_t site = 0; site < lat->sites && status == NAIK_OK; site++) {
        const double *of = src + REALS * (int64_t)site;
        if (site % slice == 0 && is_zero_slice(lat, src, site / slice)) {
            site += slice - 1;
        } else if (!is_zero(of)) {
            status = add_site(part, site, of, sum);
        }
    }
    NAIK_TRY(naik_comm_agree(lat->comm, status));
    NAIK_TRY(naik_comm_sum_exact(lat->comm, sum, 4 * part->count));
    for (int k = 0; k < 2 * part->count; k++) {
        const naik_exactsum *at = sum + 4 * (int64_t)(k % part->count) + 2 * (k / part->count);
        c[k] = (naik_complex){naik_exactsum_value(at), naik_exactsum_value(at + 1)};
    }
done:
    naik_free(sum);
    return status;
}

static double weight_of(double mass, double lambda)
{
    return 1 / (2 * (mass * mass + lambda * lambda));
}

naik_status low_part_solution(const low_part *part, const naik_complex *c, double mass,
                              const naik_field *const **out)
{
    naik_status status = NAIK_OK;
    const naik_backend_ops *ops = ops_of(part);
    const int n = part->count;
    naik_complex *factor = NULL; /* [2][count] */
    NAIK_TRY(naik_alloc(part->geometry->lattice->comm->log, 2 * (size_t)n * sizeof *factor,
                        "factors of low modes", (void **)&factor));
    for (int k = 0; k < 2 * n; k++) {
        const bool odd = k >= n;
        const int i = k % n;
        const double g = weight_of(mass, part->lambda[i]);
        const double own = g * mass, other = (odd ? -g : g) * part->lambda[i];
        const naik_complex *same = &c[odd ? n + i : i], *cross = &c[odd ? i : n + i];
        factor[k] =
            (naik_complex){own * same->re + other * cross->re, own * same->im + other * cross->im};
    }
    NAIK_TRY(naik_backend_upload(part->geometry->backend, part->factors, factor,
                                 2 * (size_t)n * sizeof *factor));
    NAIK_TRY(ops->low->combine(part->geometry, part->vector, n, part->factors, part->sites));
    for (int parity = 0; parity < 2; parity++) {
        NAIK_TRY(ops->field.from_device(part->half[parity], (naik_parity)parity, 0, part->sites));
    }
    *out = (const naik_field *const *)part->half;
done:
    naik_free(factor);
    return status;
}

naik_status low_part_mode(const low_part *part, int index, float *narrow, double *out)
{
    naik_status status = NAIK_OK;
    const size_t vector = REALS * (size_t)part->geometry->lattice->sites;
    status = naik_backend_download(part->geometry->backend, narrow,
                                   part->vector + vector * (size_t)index, vector * sizeof *narrow);
    NAIK_PASS(naik_comm_agree(part->geometry->lattice->comm, status));
    for (size_t k = 0; k < vector; k++) {
        out[k] = (double)narrow[k];
    }
    return NAIK_OK;
}

naik_status low_part_propagator(const low_part *part, const naik_complex *c, double mass, double *g)
{
    naik_status status = NAIK_OK;
    const size_t vector = REALS * (size_t)part->geometry->lattice->sites;
    const naik_field *const *fields = NULL;
    for (size_t colour = 0; colour < COLOURS && status == NAIK_OK; colour++) {
        status = low_part_solution(part, c + 2 * (size_t)part->count * colour, mass, &fields);
        status = status == NAIK_OK
                     ? naik_backend_download(part->geometry->backend, g + colour * vector,
                                             part->sites, vector * sizeof *g)
                     : status;
    }
    return naik_comm_agree(part->geometry->lattice->comm, status);
}

/* The sign of a meson one site from the origin in direction mu. */
static int sign_beside(naik_meson meson, int mu)
{
    int x[NAIK_DIM] = {0};
    x[mu] = 1;
    return naik_meson_sign(meson, x);
}

/* Whether phi of a meson is that of its class times (-1)^(x+y+z). */
static bool is_turned(naik_meson meson)
{
    return sign_beside(meson, 0) < 0;
}

int low_part_class(naik_meson meson)
{
    int class = 0;
    for (int mu = 1; mu < SPACE; mu++) {
        class |= (sign_beside(meson, mu) != sign_beside(meson, 0)) << (mu - 1);
    }
    return class;
}

/* w(x) phi(x) of a class times the unit of the words. */
static void weigh(const low_part *part, int class, const int momentum[SPACE])
{
    const naik_lattice *lat = part->geometry->lattice;
    naik_frame frame = {.cosine = false};
    memcpy(frame.momentum, momentum, sizeof frame.momentum);
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < (int32_t)slice_sites(lat); site++) {
        int x[NAIK_DIM], sum = 0;
        naik_lattice_coords(lat, site, x);
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            x[mu] += lat->origin[mu];
            sum += mu > 0 && (class << 1 >> mu & 1) != 0 ? x[mu] : 0;
        }
        part->phases[site] = naik_cscale(ldexp(sum % 2 == 0 ? 1 : -1, NAIK_PAIR_BITS),
                                         naik_slice_weight(lat, &frame, x));
    }
}

/* Rows of E and O of a time slice from their words; half: those below the diagonal are conjugates of those above. */
static void take_words(const low_part *part, bool half, int first, int rows, naik_complex *out)
{
    const size_t n = (size_t)part->count, some = (size_t)rows;
#pragma omp parallel for schedule(static)
    for (size_t row = 0; row < 2 * some; row++) {
        const size_t parity = row / some, i = row % some;
        naik_complex *to = out + (parity * n + (size_t)first + i) * n;
        for (size_t j = 0; j < n; j++) {
            const bool below = half && j < i;
            const size_t at = below ? (parity * some + j) * n + i : row * n + j;
            const int64_t *word = part->taken + 2 * at;
            const double re = ldexp((double)word[0], -NAIK_PAIR_BITS);
            const double im = ldexp((double)word[1], -NAIK_PAIR_BITS);
            to[j] = (naik_complex){re, below ? -im : im};
        }
    }
}

naik_status low_part_products(low_part *part, const low_part_left *left, int class,
                              const int momentum[SPACE], naik_complex *sums)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = part->geometry->lattice;
    naik_backend *backend = part->geometry->backend;
    const int first = left != NULL ? left->first : 0;
    const int rows = left != NULL ? left->count : part->count;
    const size_t pairs = pair_count(part->count), some = (size_t)rows * (size_t)part->count;
    const size_t bytes = 4 * some * sizeof *part->taken;
    const bool half = left == NULL && momentum[0] == 0 && momentum[1] == 0 && momentum[2] == 0;
    weigh(part, class, momentum);
    status = naik_backend_upload(backend, part->weight, part->phases,
                                 slice_sites(lat) * sizeof *part->phases);
    /* The words of a slice are taken while a device makes those of the next. */
    for (int t = 0; t <= lat->size[3]; t++) {
        const naik_low_pairs args = {.left = left == NULL ? part->vector : NULL,
                                     .wide = left != NULL ? left->vector : NULL,
                                     .right = part->vector,
                                     .rows = rows,
                                     .count = part->count,
                                     .weight = part->weight,
                                     .t = t - lat->origin[3],
                                     .half = half,
                                     .words = part->words};
        const bool mine = args.t >= 0 && args.t < lat->local[3];
        if (mine && status == NAIK_OK) {
            status = ops_of(part)->low->pairs(part->geometry, &args);
        }
        if (t > 0) {
            take_words(part, half, first, rows, sums + 2 * (size_t)(t - 1) * pairs);
        }
        if (t == lat->size[3]) {
            break;
        }
        if (!mine) {
            memset(part->taken, 0, bytes);
        } else if (status == NAIK_OK) {
            status = naik_backend_download(backend, part->taken, part->words, bytes);
        }
        NAIK_PASS(naik_comm_agree(lat->comm, status));
        for (int parity = 0; parity < 2; parity++) {
            NAIK_PASS(naik_comm_sum_i64(lat->comm, part->taken + 2 * some * (size_t)parity,
                                        (int)(2 * some)));
        }
    }
    return status;
}

naik_status low_part_multiply(low_part *part, int class, const int momentum[SPACE])
{
    return low_part_products(part, NULL, class, momentum, part->sums);
}

/* JOIN elements of a row of a table in a time slice, E and O. */
typedef struct join_slice {
    double re[2][JOIN], im[2][JOIN];
} join_slice;

/* What a thread joins at a time: JOIN elements of a row of two tables, [T] each. */
typedef struct join_room {
    join_slice *sink, *source;
} join_room;

/* Elements from `first` on; what lies behind the last of the row is left as it was. */
static void take_block(const low_part *part, const naik_complex *table, int row, int first,
                       join_slice *out)
{
    const size_t n = (size_t)part->count, pairs = n * n;
    const size_t times = (size_t)part->geometry->lattice->size[3];
    const int count = part->count - first < JOIN ? part->count - first : JOIN;
    for (size_t k = 0; k < 2 * times; k++) {
        const naik_complex *from = table + k * pairs + (size_t)row * n + (size_t)first;
        for (int j = 0; j < count; j++) {
            out[k / 2].re[k % 2][j] = from[j].re;
            out[k / 2].im[k % 2][j] = from[j].im;
        }
    }
}

/* out [4][JOIN]: re and im of sum_s E(s+t) E(s)* + O(s+t) O(s)*, then of E(s+t) O(s)* + O(s+t) E(s)*. */
NAIK_CLONES static void join_block(const join_slice *sink, const join_slice *source, int times,
                                   int t, double out[4][JOIN])
{
    double same_re[JOIN] = {0}, same_im[JOIN] = {0}, cross_re[JOIN] = {0}, cross_im[JOIN] = {0};
    for (int s = 0; s < times; s++) {
        const join_slice *x = &sink[s + t < times ? s + t : s + t - times], *y = &source[s];
        for (int j = 0; j < JOIN; j++) {
            const double xr = x->re[0][j], xi = x->im[0][j], yr = y->re[0][j], yi = y->im[0][j];
            const double ur = x->re[1][j], ui = x->im[1][j], vr = y->re[1][j], vi = y->im[1][j];
            same_re[j] += xr * yr + xi * yi;
            same_im[j] += xi * yr - xr * yi;
            same_re[j] += ur * vr + ui * vi;
            same_im[j] += ui * vr - ur * vi;
            cross_re[j] += xr * vr + xi * vi;
            cross_im[j] += xi * vr - xr * vi;
            cross_re[j] += ur * yr + ui * yi;
            cross_im[j] += ui * yr - ur * yi;
        }
    }
    memcpy(out[0], same_re, sizeof same_re);
    memcpy(out[1], same_im, sizeof same_im);
    memcpy(out[2], cross_re, sizeof cross_re);
    memcpy(out[3], cross_im, sizeof cross_im);
}

/* out [masses][2][T] += what row i gives, in the order of j. */
static void join_row(const low_part *part, const low_part_tables *tables, int i,
                     const low_part_masses *m, const join_room *room, naik_complex *out)
{
    const int n = part->count, times = part->geometry->lattice->size[3];
    const int cross = 2 * tables->odd, same = 2 - cross; /* of masses, and of lambdas */
    for (int first = 0; first < n; first += JOIN) {
        const int end = first + JOIN < n ? first + JOIN : n;
        take_block(part, tables->sink, i, first, room->sink);
        take_block(part, tables->source, i, first, room->source);
        for (int t = 0; t < times; t++) {
            double v[4][JOIN];
            join_block(room->sink, room->source, times, t, v);
            for (int k = 0; k < m->count; k++) {
                const double gi = weight_of(m->antiquark[k], part->lambda[i]);
                naik_complex *of_masses = &out[2 * k * times + t], *of_lambdas = of_masses + times;
                for (int j = first, at = 0; j < end; j++, at++) {
                    const double g = gi * weight_of(m->quark[k], part->lambda[j]);
                    *of_masses = naik_cadd(
                        *of_masses, naik_cscale(g * m->quark[k] * m->antiquark[k],
                                                (naik_complex){v[cross][at], v[cross + 1][at]}));
                    *of_lambdas = naik_cadd(
                        *of_lambdas, naik_cscale(g * part->lambda[i] * part->lambda[j],
                                                 (naik_complex){v[same][at], v[same + 1][at]}));
                }
            }
        }
    }
}

naik_status low_part_join_tables(const low_part *part, const low_part_tables *tables,
                                 const low_part_masses *masses, naik_complex *joined)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = part->geometry->lattice;
    const int n = part->count;
    const size_t each = 2 * (size_t)masses->count * (size_t)lat->size[3];
    const size_t times = (size_t)lat->size[3];
    naik_complex *rows = NULL; /* [count][each] */
    join_slice *room = NULL;   /* [threads][2][T], zeroed */
    NAIK_TRY(naik_alloc(lat->comm->log, (size_t)n * each * sizeof *rows, "products of low modes",
                        (void **)&rows));
    NAIK_TRY(naik_alloc(lat->comm->log, 2 * (size_t)naik_threads_count() * times * sizeof *room,
                        "products of low modes", (void **)&room));
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < n; i++) {
        join_slice *own = room + 2 * times * (size_t)naik_threads_index();
        const join_room of = {.sink = own, .source = own + times};
        join_row(part, tables, i, masses, &of, rows + each * (size_t)i);
    }
    memset(joined, 0, each * sizeof *joined);
    for (int i = 0; i < n; i++) {
        for (size_t k = 0; k < each; k++) {
            joined[k] = naik_cadd(joined[k], rows[each * (size_t)i + k]);
        }
    }
done:
    naik_free(rows);
    naik_free(room);
    return status;
}

naik_status low_part_join(const low_part *part, const double *mass, int masses,
                          naik_complex *joined)
{
    const low_part_tables tables = {.sink = part->sums, .source = part->sums};
    const low_part_masses alike = {mass, mass, masses};
    return low_part_join_tables(part, &tables, &alike, joined);
}

void low_part_meson(const low_part *part, naik_meson meson, const naik_complex *joined,
                    naik_complex *out)
{
    const naik_lattice *lat = part->geometry->lattice;
    const int times = lat->size[3], turned = is_turned(meson) ? -1 : 1;
    const int each = turned * sign_beside(meson, SPACE); /* the sign of a step in t */
    for (int t = 0; t < times; t++) {
        const naik_complex sum = naik_cadd(joined[t], naik_cscale(turned, joined[times + t]));
        out[t] = naik_cscale((t % 2 == 0 ? 1 : each) / (double)lat->volume, sum);
    }
}
