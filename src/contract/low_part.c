/* low_part.c - the part of staggered propagators and mesons that low modes carry */
#include "contract/low_part.h"

#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/exactsum.h"
#include "base/memory.h"
#include "comm/collective.h"
#include "lattice/su3.h"
#include "propagator/slice_sums.h"

enum { REALS = 6, COLOURS = 3, LONG_HOP = 3, BITS = 60, CHUNK = 256 };

static size_t pair_count(int count)
{
    return (size_t)count * (size_t)count;
}

int64_t low_part_bytes(const naik_lattice *lattice, int count)
{
    const int64_t vector = REALS * (int64_t)lattice->sites, pairs = (int64_t)pair_count(count);
    return vector * ((int64_t)sizeof(float) * count + 4 * (int64_t)sizeof(double)) +
           pairs * 2 * (int64_t)(sizeof(naik_complex) * (size_t)lattice->size[3] + 16) +
           (int64_t)naik_faces_bytes(lattice, REALS);
}

naik_status low_part_create(const naik_lattice *lattice, int count, const double *lambda2,
                            low_part *out)
{
    naik_status status = NAIK_OK;
    naik_log *log = lattice->comm->log;
    const size_t vector = REALS * (size_t)lattice->sites;
    double **const spare[] = {&out->whole, &out->moved, &out->next, &out->hopped};
    *out = (low_part){.lattice = lattice, .count = count};
    NAIK_TRY(naik_alloc(log, (size_t)count * vector * sizeof *out->vector, "low modes",
                        (void **)&out->vector));
    NAIK_TRY(
        naik_alloc(log, (size_t)count * sizeof *out->lambda, "low modes", (void **)&out->lambda));
    NAIK_TRY(naik_alloc(log, 2 * (size_t)lattice->size[3] * pair_count(count) * sizeof *out->sums,
                        "products of low modes", (void **)&out->sums));
    NAIK_TRY(naik_alloc(log, 4 * pair_count(count) * sizeof *out->words, "products of low modes",
                        (void **)&out->words));
    for (size_t i = 0; i < sizeof spare / sizeof *spare; i++) {
        NAIK_TRY(naik_alloc(log, vector * sizeof(double), "a vector", (void **)spare[i]));
    }
    NAIK_TRY(naik_faces_init(lattice, REALS, &out->faces));
    for (int i = 0; i < count; i++) {
        out->lambda[i] = sqrt(lambda2[i]) / 2;
    }
done:
    return status;
}

void low_part_clear(low_part *part)
{
    naik_free(part->vector);
    naik_free(part->lambda);
    naik_free(part->sums);
    naik_free(part->words);
    naik_free(part->whole);
    naik_free(part->moved);
    naik_free(part->next);
    naik_free(part->hopped);
    naik_faces_clear(&part->faces);
    *part = (low_part){.count = 0};
}

/* part->hopped += the hops of part->whole over `links`, `length` sites long, in direction mu. */
static naik_status add_hops(low_part *part, const naik_gauge *links, int length, int mu)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = part->lattice;
    for (int hop = 0; hop < length; hop++) {
        NAIK_TRY(naik_faces_move(&part->faces, mu, NAIK_FORWARD,
                                 hop == 0 ? part->whole : part->moved, &part->moved, &part->next));
    }
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lat->sites; site++) {
        naik_complex v[COLOURS];
        double *out = part->hopped + REALS * (int64_t)site;
        const naik_matrix *link = &links->link[NAIK_DIM * (int64_t)site + mu];
        naik_mat_times(link, false, part->moved + REALS * (int64_t)site, v);
        for (int c = 0; c < COLOURS; c++) {
            out[2 * c] += v[c].re;
            out[2 * c + 1] += v[c].im;
        }
        naik_mat_times(link, true, part->whole + REALS * (int64_t)site, v);
        memcpy(part->moved + REALS * (int64_t)site, v, sizeof v);
    }
    for (int hop = 0; hop < length; hop++) {
        NAIK_TRY(naik_faces_move(&part->faces, mu, NAIK_BACKWARD, part->moved, &part->moved,
                                 &part->next));
    }
#pragma omp parallel for schedule(static)
    for (int64_t r = 0; r < REALS * (int64_t)lat->sites; r++) {
        part->hopped[r] -= part->moved[r];
    }
done:
    return status;
}

/* Place of the even site that shares (x/2, y, z, t) with local x. */
static int64_t half_site(const naik_lattice *lat, const int x[NAIK_DIM])
{
    return x[0] / 2 + (int64_t)(lat->local[0] / 2) *
                          (x[1] + (int64_t)lat->local[1] * (x[2] + (int64_t)lat->local[2] * x[3]));
}

static bool is_odd(const naik_lattice *lat, int32_t site, int x[NAIK_DIM])
{
    naik_lattice_coords(lat, site, x);
    return (naik_parity_of(x) ^ naik_parity_of(lat->origin)) != 0;
}

static naik_status norm_of(const naik_lattice *lat, const double *v, double *norm2)
{
    naik_status status = NAIK_OK;
    naik_exactsum sum;
    naik_exactsum_clear(&sum);
    for (int32_t site = 0; site < lat->sites; site++) {
        double at = 0;
        for (int r = 0; r < REALS; r++) {
            at = fma(v[REALS * (int64_t)site + r], v[REALS * (int64_t)site + r], at);
        }
        naik_exactsum_add(&sum, at);
    }
    NAIK_TRY(naik_comm_sum_exact(lat->comm, &sum, 1));
    *norm2 = naik_exactsum_value(&sum);
done:
    return status;
}

naik_status low_part_put(low_part *part, int index, const float *even, const naik_hops *hops,
                         double *length)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = part->lattice;
    const double scale = 1 / (2 * part->lambda[index]);
    float *vector = part->vector + REALS * (int64_t)lat->sites * index;
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM];
        const bool odd = is_odd(lat, site, x);
        const float *from = even + REALS * half_site(lat, x);
        for (int r = 0; r < REALS; r++) {
            part->whole[REALS * (int64_t)site + r] = odd ? 0 : (double)from[r];
            part->hopped[REALS * (int64_t)site + r] = 0;
        }
    }
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        NAIK_TRY(add_hops(part, hops->one, 1, mu));
        if (hops->three != NULL) {
            NAIK_TRY(add_hops(part, hops->three, LONG_HOP, mu));
        }
    }
    NAIK_TRY(norm_of(lat, part->hopped, length));
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM];
        const bool odd = is_odd(lat, site, x);
        for (int r = 0; r < REALS; r++) {
            const int64_t at = REALS * (int64_t)site + r;
            vector[at] = (float)(odd ? scale * part->hopped[at] : part->whole[at]);
        }
    }
done:
    return status;
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

naik_status low_part_project(const low_part *part, const double *src, naik_complex *c)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = part->lattice;
    naik_exactsum *sum = NULL; /* [count][parity][2], zeroed */
    status = naik_alloc(lat->comm->log, 4 * (size_t)part->count * sizeof *sum, "projections",
                        (void **)&sum);
    NAIK_TRY(naik_comm_agree(lat->comm, status));
#pragma omp parallel for schedule(static)
    for (int i = 0; i < part->count; i++) {
        const float *f = part->vector + REALS * (int64_t)lat->sites * i;
        for (int32_t site = 0; site < lat->sites; site++) {
            int x[NAIK_DIM];
            naik_exactsum *at = sum + 4 * (int64_t)i + (is_odd(lat, site, x) ? 2 : 0);
            const naik_complex p = product(f + REALS * (int64_t)site, src + REALS * (int64_t)site);
            naik_exactsum_add(at, p.re);
            naik_exactsum_add(at + 1, p.im);
        }
    }
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

/* at = G_low src of a site. */
NAIK_CLONES static void solve_site(const low_part *part, const naik_complex *c, double mass,
                                   int32_t site, bool odd, double at[REALS])
{
    const int64_t vector = REALS * (int64_t)part->lattice->sites;
    const int n = part->count;
    memset(at, 0, REALS * sizeof *at);
    for (int i = 0; i < n; i++) {
        const float *f = part->vector + vector * i + REALS * (int64_t)site;
        const double g = weight_of(mass, part->lambda[i]);
        const double own = g * mass, other = (odd ? -g : g) * part->lambda[i];
        const naik_complex *same = &c[odd ? n + i : i], *cross = &c[odd ? i : n + i];
        const naik_complex a = {own * same->re + other * cross->re,
                                own * same->im + other * cross->im};
        for (int k = 0; k < COLOURS; k++) {
            const double re = (double)f[2 * k], im = (double)f[2 * k + 1];
            at[2 * k] += a.re * re - a.im * im;
            at[2 * k + 1] += a.re * im + a.im * re;
        }
    }
}

void low_part_solution(const low_part *part, const naik_complex *c, double mass, double *out)
{
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < part->lattice->sites; site++) {
        int x[NAIK_DIM];
        const bool odd = is_odd(part->lattice, site, x);
        solve_site(part, c, mass, site, odd, out + REALS * (int64_t)site);
    }
}

/* w(x) phi(x) times 2^BITS at the sites from `first` on, and their parities. */
static void weigh(const naik_lattice *lat, naik_meson meson, const naik_frame *frame, int32_t first,
                  int count, naik_complex *weight, int *parity)
{
    for (int k = 0; k < count; k++) {
        int x[NAIK_DIM];
        parity[k] = is_odd(lat, first + k, x) ? 1 : 0;
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            x[mu] += lat->origin[mu];
        }
        weight[k] =
            naik_cscale(ldexp(naik_meson_sign(meson, x), BITS), naik_slice_weight(lat, frame, x));
    }
}

/* words += what mode i and all modes j have at the sites from `first` on. */
NAIK_CLONES static void add_row(const low_part *part, int i, int32_t first, int count,
                                const naik_complex *weight, const int *parity)
{
    const int64_t sites = part->lattice->sites, n = part->count;
    double row[CHUNK][REALS]; /* w phi conj(f_i) */
    const float *f = part->vector + REALS * (sites * i + first);
    for (int k = 0; k < count; k++) {
        for (int c = 0; c < COLOURS; c++) {
            const double re = (double)f[REALS * k + 2 * c], im = (double)f[REALS * k + 2 * c + 1];
            row[k][2 * c] = weight[k].re * re + weight[k].im * im;
            row[k][2 * c + 1] = weight[k].im * re - weight[k].re * im;
        }
    }
    for (int j = 0; j < n; j++) {
        const float *g = part->vector + REALS * (sites * j + first);
        int64_t *out = part->words + 2 * (n * i + j);
        for (int k = 0; k < count; k++) {
            double re = 0, im = 0;
            for (int c = 0; c < COLOURS; c++) {
                const double u = (double)g[REALS * k + 2 * c], v = (double)g[REALS * k + 2 * c + 1];
                re += row[k][2 * c] * u - row[k][2 * c + 1] * v;
                im += row[k][2 * c] * v + row[k][2 * c + 1] * u;
            }
            out[2 * n * n * parity[k]] += (int64_t)rint(re);
            out[2 * n * n * parity[k] + 1] += (int64_t)rint(im);
        }
    }
}

/* E and O of all time slices. */
static naik_status multiply_all(low_part *part, naik_meson meson, const naik_frame *frame)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = part->lattice;
    const size_t pairs = pair_count(part->count);
    const int32_t slice = lat->sites / lat->local[3];
    for (int t = 0; t < lat->size[3]; t++) {
        const int local = t - lat->origin[3];
        memset(part->words, 0, 4 * pairs * sizeof *part->words);
        for (int32_t first = 0; first < slice && local >= 0 && local < lat->local[3];
             first += CHUNK) {
            naik_complex weight[CHUNK];
            int parity[CHUNK];
            const int count = slice - first < CHUNK ? slice - first : CHUNK;
            weigh(lat, meson, frame, local * slice + first, count, weight, parity);
#pragma omp parallel for schedule(static)
            for (int i = 0; i < part->count; i++) {
                add_row(part, i, local * slice + first, count, weight, parity);
            }
        }
        for (int i = 0; i < part->count; i++) {
            for (int p = 0; p < 2; p++) {
                NAIK_TRY(naik_comm_sum_i64(
                    lat->comm,
                    part->words + 2 * (pairs * (size_t)p + (size_t)i * (size_t)part->count),
                    2 * part->count));
            }
        }
        naik_complex *out = part->sums + 2 * (size_t)t * pairs;
        for (size_t k = 0; k < 2 * pairs; k++) {
            out[k] = (naik_complex){ldexp((double)part->words[2 * k], -BITS),
                                    ldexp((double)part->words[2 * k + 1], -BITS)};
        }
    }
done:
    return status;
}

/* Re and im of a conj(b). */
static naik_complex with(naik_complex a, naik_complex b)
{
    return naik_cmul(a, naik_conj(b));
}

/* What slices x and y give. */
static naik_complex join(const low_part *part, const naik_complex *x, const naik_complex *y,
                         double mass)
{
    const int n = part->count;
    const size_t pairs = pair_count(n);
    naik_complex sum = {0, 0};
    for (int i = 0; i < n; i++) {
        const double gi = weight_of(mass, part->lambda[i]);
        for (int j = 0; j < n; j++) {
            const size_t e = (size_t)i * (size_t)n + (size_t)j, o = e + pairs;
            const double g = gi * weight_of(mass, part->lambda[j]);
            const naik_complex same = naik_cadd(with(x[e], y[e]), with(x[o], y[o]));
            const naik_complex cross = naik_cadd(with(x[e], y[o]), with(x[o], y[e]));
            sum = naik_cadd(sum, naik_cscale(g * mass * mass, same));
            sum = naik_cadd(sum, naik_cscale(g * part->lambda[i] * part->lambda[j], cross));
        }
    }
    return sum;
}

naik_status low_part_meson(low_part *part, naik_meson meson, const naik_frame *frame,
                           const double *mass, int masses, naik_complex *out)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = part->lattice;
    const int times = lat->size[3];
    const size_t slice = 2 * pair_count(part->count);
    naik_frame plain = *frame;
    memset(plain.origin, 0, sizeof plain.origin);
    NAIK_TRY(multiply_all(part, meson, &plain));
#pragma omp parallel for schedule(static)
    for (int k = 0; k < masses * times; k++) {
        const int t = k % times;
        naik_complex sum = {0, 0};
        for (int s = 0; s < times; s++) {
            const naik_complex *x = part->sums + slice * (size_t)((s + t) % times);
            sum = naik_cadd(sum, join(part, x, part->sums + slice * (size_t)s, mass[k / times]));
        }
        out[k] = naik_cscale(1 / (double)lat->volume, sum);
    }
done:
    return status;
}
