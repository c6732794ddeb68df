/* test_multigrid_shared.c - coarse vectors that all right-hand sides share, against slow sums on the host
 * ranks: 1 */
#include <math.h>
#include <stdlib.h>

#include "multigrid_kernels_fixture.h"

/* In blocks, of which the last is not full. */
enum { SHARED = 3 };
typedef struct shared {
    naik_coarse v[SHARED];
    const naik_coarse *at[SHARED];
    naik_complex *host[SHARED];
    int count;
} shared;

static void make_shared(check *t, const mg_fixture *m, shared *x)
{
    x->count = 0;
    for (int j = 0; j < SHARED; j++) {
        x->v[j] = mg_coarse(t, m);
        x->v[j].nrhs -= j == SHARED - 1;
        x->at[j] = &x->v[j];
        x->host[j] = mg_random(mg_coarse_count(m, NAIK_EVEN), 3000 + (uint64_t)j);
        mg_put_coarse(t, &x->v[j], NAIK_EVEN, x->host[j]);
        x->count += x->v[j].nrhs;
    }
}

/* Component `k` of vector `i` at a site. */
static naik_complex shared_at(const mg_fixture *m, const shared *x, int i, int64_t site, int k)
{
    const int j = i / m->nrhs;
    return x->host[j][(site * x->v[j].nrhs + i % m->nrhs) * m->components + k];
}

static void expect_cross(check *t, const mg_fixture *m, const shared *x, const naik_coarse *w,
                         const naik_complex *host)
{
    const int sums = x->count * m->nrhs;
    const size_t bytes = (size_t)sums * 2 * sizeof(int64_t);
    double scale[SHARED * NAIK_MG_WIDTH * NAIK_MG_WIDTH];
    void *products = NULL;
    int64_t *got = malloc(bytes);
    CHECK_OK(t, naik_backend_alloc(m->f.backend, bytes, "products", &products));
    for (int i = 0; i < sums; i++) {
        scale[i] = i % 5 == 4 ? 0 : ldexp(1, 40 - i % 3);
    }
    CHECK_OK(t, m->ops->cross(x->at, SHARED, w, NAIK_EVEN, scale, products));
    CHECK_OK(t, naik_backend_download(m->f.backend, got, products, bytes));
    for (int i = 0; i < sums; i++) {
        const int c = i % m->nrhs;
        naik_complex sum = {0, 0};
        for (int64_t at = 0; at < mg_coarse_count(m, NAIK_EVEN); at++) {
            const int64_t site = at / (m->components * m->nrhs);
            if (at / m->components % m->nrhs == c) {
                sum = naik_cfma_conj(
                    host[at], shared_at(m, x, i / m->nrhs, site, (int)(at % m->components)), sum);
            }
        }
        /* roundings of single at a site of numbers below 1 */
        const double most = MG_ROUNDINGS * scale[i] * m->a.count[0] * m->components;
        CHECK_NEAR(t, (double)got[2 * i], scale[i] * sum.re, most);
        CHECK_NEAR(t, (double)got[2 * i + 1], scale[i] * sum.im, most);
    }
    naik_backend_release(m->f.backend, products);
    free(got);
}

static void expect_mix(check *t, const mg_fixture *m, const shared *x, naik_coarse *w,
                       naik_complex *host)
{
    double b[SHARED * NAIK_MG_WIDTH * NAIK_MG_WIDTH * 2];
    naik_complex *number = mg_random(x->count * m->nrhs, 11);
    for (int i = 0; i < x->count * m->nrhs; i++) {
        b[2 * i] = i % 7 == 0 ? 0 : number[i].re;
        b[2 * i + 1] = i % 7 == 0 ? 0 : number[i].im;
    }
    CHECK_OK(t, m->ops->mix(w, NAIK_EVEN, x->at, SHARED, b));
    for (int64_t at = 0; at < mg_coarse_count(m, NAIK_EVEN); at++) {
        const int c = (int)(at / m->components % m->nrhs), k = (int)(at % m->components);
        for (int i = 0; i < x->count; i++) {
            const double *f = b + 2 * (i * m->nrhs + c);
            host[at] = naik_cfma((naik_complex){f[0], f[1]},
                                 shared_at(m, x, i, at / (m->components * m->nrhs), k), host[at]);
        }
    }
    naik_complex *got = mg_take_coarse(t, w, NAIK_EVEN);
    CHECK_NEAR(t, mg_distance(got, host, mg_coarse_count(m, NAIK_EVEN)), 0, MG_ROUNDINGS);
    free(got);
    free(number);
}

static void expect_shared(check *t, const mg_fixture *m, const naik_orthonormal *met)
{
    (void)met;
    shared x;
    naik_coarse w = mg_coarse(t, m);
    naik_complex *host = mg_random(mg_coarse_count(m, NAIK_EVEN), 19);
    make_shared(t, m, &x);
    mg_put_coarse(t, &w, NAIK_EVEN, host);
    expect_cross(t, m, &x, &w, host);
    expect_mix(t, m, &x, &w, host);
    for (int j = 0; j < SHARED; j++) {
        mg_release(m, x.v[j].data);
        free(x.host[j]);
    }
    mg_release(m, w.data);
    free(host);
}

static void shared_vectors_are_those_of_slow_sums(check *t)
{
    mg_for_shapes(t, expect_shared);
}

CHECK_MAIN(CHECK_UP_TO(1, shared_vectors_are_those_of_slow_sums))
