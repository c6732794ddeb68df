/* low_vectors.c - vectors of low modes on all sites and the products of their pairs, on the CPU */
#include "backend/low_vectors.h"

#include <math.h>
#include <string.h>

#include "backend/cpu/cpu.h"
#include "base/clones.h"
#include "base/memory.h"
#include "comm/threads.h"

/* Sites of a parity in a brick and numbers there; bricks at once; vectors that a thread takes as left ones at once. */
enum { COLOURS = 3, REALS = 6, BRICK = 4, NUMBERS = COLOURS * BRICK, CHUNK = 32, ROWS = 8 };

/* A brick's sites in the slice. */
typedef struct brick {
    int32_t site[BRICK];
} brick;

static void find_bricks(const naik_lattice *lat, int parity, int first, int count, brick *out)
{
    const int half_x = lat->local[0] / 2, half_y = lat->local[1] / 2;
    for (int b = 0; b < count; b++) {
        const int at = first + b;
        const int x = 2 * (at % half_x), y = 2 * (at / half_x % half_y);
        const int z = 2 * (at / half_x / half_y);
        for (int k = 0; k < BRICK; k++) {
            out[b].site[k] = naik_brick_site(lat->local, x, y, z, parity, k);
        }
    }
}

/* Right vectors that are multiplied. */
static int rights(const naik_low_pairs *p)
{
    return p->most > 0 ? p->most : p->count;
}

/* re and im [NUMBERS][rights] of all right vectors in a brick. */
static void gather(const naik_low_pairs *p, int64_t vector, int64_t slice, const brick *at,
                   double *re, double *im)
{
    const int n = rights(p);
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < BRICK; k++) {
            const float *v = p->right + vector * j + REALS * (slice + at->site[k]);
            for (int c = 0; c < COLOURS; c++) {
                re[(COLOURS * k + c) * n + j] = (double)v[2 * c];
                im[(COLOURS * k + c) * n + j] = (double)v[2 * c + 1];
            }
        }
    }
}

/* words [rights][2] += what left vector i and all right ones, from `begin` on, have in a brick; sum: room for 2 rights. */
NAIK_CLONES static void add_row(const naik_low_pairs *p, int64_t vector, int64_t slice,
                                const brick *at, int i, int begin, const double *re,
                                const double *im, double *sum, int64_t *words)
{
    const int n = rights(p);
    double *sum_im = sum + n;
    memset(sum, 0, 2 * (size_t)n * sizeof *sum);
    for (int k = 0; k < NUMBERS; k++) {
        const int32_t site = at->site[k / COLOURS];
        const int64_t at_left = vector * i + REALS * (slice + site) + 2 * (k % COLOURS);
        const naik_complex w = p->weight[site];
        const double fre = p->wide != NULL ? p->wide[at_left] : (double)p->left[at_left];
        const double fim = p->wide != NULL ? p->wide[at_left + 1] : (double)p->left[at_left + 1];
        const double a = w.re * fre + w.im * fim, b = w.im * fre - w.re * fim;
        const double *u = re + k * n, *v = im + k * n;
        for (int j = begin; j < n; j++) {
            sum[j] = fma(-b, v[j], fma(a, u[j], sum[j]));
            sum_im[j] = fma(b, u[j], fma(a, v[j], sum_im[j]));
        }
    }
    for (int j = begin; j < n; j++) {
        words[2 * j] += llrint(sum[j]);
        words[2 * j + 1] += llrint(sum_im[j]);
    }
}

/* The words of left vectors `first` to end - 1. */
static void add_rows(const naik_low_pairs *p, int64_t vector, int64_t slice, const brick *at,
                     int bricks, int first, int end, const double *right, double *sum,
                     int64_t *words)
{
    const size_t numbers = (size_t)NUMBERS * (size_t)rights(p);
    for (int b = 0; b < bricks; b++) {
        const double *re = right + 2 * numbers * (size_t)b;
        for (int i = first; i < end; i++) {
            add_row(p, vector, slice, &at[b], i, p->half ? i : 0, re, re + numbers, sum,
                    words + 2 * (int64_t)p->count * i);
        }
    }
}

/* All words of a parity; right: room for [CHUNK][2][NUMBERS][rights], sum for [threads][2][rights]. */
static void multiply(const naik_geometry *geometry, const naik_low_pairs *p, int parity,
                     double *right, double *sum)
{
    const naik_lattice *lat = geometry->lattice;
    const int64_t vector = REALS * (int64_t)lat->sites, sites = lat->sites / lat->local[3];
    const int64_t slice = sites * p->t;
    const int n = p->rows, bricks = (int)(sites / (2 * BRICK));
    const int odd = (parity ^ p->t) & 1;
    const size_t numbers = (size_t)NUMBERS * (size_t)rights(p);
    int64_t *words = p->words + 2 * (int64_t)n * p->count * parity;
    for (int first = 0; first < bricks; first += CHUNK) {
        brick at[CHUNK];
        const int count = bricks - first < CHUNK ? bricks - first : CHUNK;
        find_bricks(lat, odd, first, count, at);
#pragma omp parallel num_threads(cpu_threads(geometry->backend))
        {
            double *own = sum + 2 * (size_t)rights(p) * (size_t)naik_threads_index();
#pragma omp for schedule(static)
            for (int b = 0; b < count; b++) {
                double *of = right + 2 * numbers * (size_t)b;
                gather(p, vector, slice, &at[b], of, of + numbers);
            }
#pragma omp for schedule(dynamic)
            for (int row = 0; row < n; row += ROWS) {
                add_rows(p, vector, slice, at, count, row, row + ROWS < n ? row + ROWS : n, right,
                         own, words);
            }
        }
    }
}

static naik_status pairs(const naik_geometry *geometry, const naik_low_pairs *args)
{
    naik_status status = NAIK_OK;
    naik_log *log = geometry->backend->log;
    const size_t pairs = (size_t)args->rows * (size_t)args->count;
    const size_t threads = (size_t)cpu_threads(geometry->backend);
    const size_t numbers = 2 * (size_t)rights(args); /* at a site and colour */
    double *right = NULL, *sum = NULL;
    NAIK_TRY(naik_alloc(log, (size_t)CHUNK * NUMBERS * numbers * sizeof *right,
                        "pairs of low modes", (void **)&right));
    NAIK_TRY(naik_alloc(log, threads * numbers * sizeof *sum, "pairs of low modes", (void **)&sum));
    memset(args->words, 0, 4 * pairs * sizeof *args->words);
    for (int parity = 0; parity < 2; parity++) {
        multiply(geometry, args, parity, right, sum);
    }
done:
    naik_free(right);
    naik_free(sum);
    return status;
}

NAIK_CLONES static void combine_site(const float *vectors, int64_t vector, int count,
                                     const double *a, double *out)
{
    memset(out, 0, REALS * sizeof *out);
    for (int i = 0; i < count; i++) {
        const float *f = vectors + vector * i;
        for (int k = 0; k < COLOURS; k++) {
            const double re = (double)f[2 * k], im = (double)f[2 * k + 1];
            out[2 * k] += a[2 * i] * re - a[2 * i + 1] * im;
            out[2 * k + 1] += a[2 * i] * im + a[2 * i + 1] * re;
        }
    }
}

static naik_status combine(const naik_geometry *geometry, const float *vectors, int count,
                           const double *a, double *out)
{
    const naik_lattice *lat = geometry->lattice;
    const int64_t vector = REALS * (int64_t)lat->sites;
#pragma omp parallel for schedule(static) num_threads(cpu_threads(geometry->backend))
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lat, site, x);
        const bool odd = naik_parity_of(x) != 0;
        combine_site(vectors + REALS * (int64_t)site, vector, count, a + (odd ? 2 * count : 0),
                     out + REALS * (int64_t)site);
    }
    return NAIK_OK;
}

static naik_status at_site(const naik_geometry *geometry, const float *vectors, int count,
                           int32_t site, float *out)
{
    const int64_t vector = REALS * (int64_t)geometry->lattice->sites;
    for (int i = 0; i < count; i++) {
        memcpy(out + REALS * (int64_t)i, vectors + vector * i + REALS * (int64_t)site,
               REALS * sizeof *out);
    }
    return NAIK_OK;
}

static naik_status narrow(const naik_geometry *geometry, const double *sites, float *vector)
{
    const int64_t reals = REALS * (int64_t)geometry->lattice->sites;
#pragma omp parallel for schedule(static) num_threads(cpu_threads(geometry->backend))
    for (int64_t r = 0; r < reals; r++) {
        vector[r] = (float)sites[r];
    }
    return NAIK_OK;
}

const naik_low_ops naik_low_cpu = {
    .pairs = pairs, .combine = combine, .at_site = at_site, .narrow = narrow};
