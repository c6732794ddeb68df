/* coarse_solver.c - GCR on the coarse lattice, batched over right-hand sides
 *
 * A step takes two sums over ranks: of w = S r with all directions before, then of what is left of it. The
 * direction of a step is z_k = r without its parts along those before, which only the numbers h know: x is
 * put together of the z_k when the space is full or the solve is over.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "comm/collective.h"
#include "multigrid/coarse_operator.h"
#include "solver/gcr_scalars.h"

/* |S v| is at most so many |v|, |b_p - Z b_q| so many |b|: the sums have room for it, and for more by the factor
 * that scale_for leaves. What exceeds that does not come at once: it is seen before it is too much. */
enum { LARGEST_S = 6, LARGEST_RHS = 12 }; /* powers of 2 */
static_assert(1 << LARGEST_S == NAIK_MG_LARGEST_S, "the sums have room for the largest S");

typedef double complex_of[NAIK_MG_WIDTH][2];

struct naik_coarse_solver {
    const naik_coarse_operator *op; /* borrowed */
    naik_coarse_halo *halo;
    int width, space;
    double tolerance;
    naik_parity parity; /* that is solved */
    naik_coarse *z[NAIK_MG_SPACE_MOST], *w[NAIK_MG_SPACE_MOST];
    naik_coarse *r, *other; /* on the parity that is solved, and on the other */
    int64_t *products;      /* backend memory [space][width][2] */
    int64_t *sums;          /* the host's copy */
    complex_of *h;          /* [space][space]: (w_j, S z_k) / |w_j|^2 */
    complex_of alpha[NAIK_MG_SPACE_MOST];
    double ww[NAIK_MG_SPACE_MOST][NAIK_MG_WIDTH]; /* |w_j|^2 */
};

/* Scalars of a solve. */
typedef struct coarse_state {
    int nrhs;
    bool active[NAIK_MG_WIDTH];
    double rr[NAIK_MG_WIDTH], stop[NAIK_MG_WIDTH];
} coarse_state;

/* The sums of a step at the most. */
static size_t product_numbers(int space)
{
    return (size_t)space * NAIK_MG_WIDTH * 2;
}

size_t naik_coarse_solver_bytes(const naik_aggregates *aggregates, int components, int width,
                                int space)
{
    const size_t vectors = 2 * (size_t)space + 2;
    return vectors * naik_coarse_bytes(aggregates, components, width) +
           naik_coarse_halo_bytes(aggregates, components, width) +
           product_numbers(space) * sizeof(int64_t);
}

static naik_status allocate(naik_coarse_solver *s)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = s->op->aggregates->geometry->backend;
    const size_t numbers = product_numbers(s->space), space = (size_t)s->space;
    NAIK_TRY(naik_backend_alloc(backend, numbers * sizeof *s->products, "coarse products",
                                (void **)&s->products));
    NAIK_TRY(
        naik_alloc(backend->log, numbers * sizeof *s->sums, "coarse products", (void **)&s->sums));
    NAIK_TRY(
        naik_alloc(backend->log, space * space * sizeof *s->h, "coarse products", (void **)&s->h));
done:
    return status;
}

naik_status naik_coarse_solver_create(const naik_coarse_operator *op, int width, int space,
                                      double tolerance, naik_coarse_solver **out)
{
    naik_status status = NAIK_OK;
    const naik_aggregates *a = op->aggregates;
    naik_comm *comm = a->geometry->backend->comm;
    naik_coarse_solver *s = NULL;
    *out = NULL;
    status = naik_alloc(comm->log, sizeof *s, "the coarse solver", (void **)&s);
    NAIK_TRY(naik_comm_agree(comm, status));
    s->op = op;
    s->width = width;
    s->space = space;
    s->tolerance = tolerance;
    NAIK_TRY(naik_comm_agree(comm, allocate(s)));
    NAIK_TRY(naik_coarse_halo_create(a, op->components, width, &s->halo));
    NAIK_TRY(naik_coarse_create(a, op->components, width, &s->r));
    NAIK_TRY(naik_coarse_create(a, op->components, width, &s->other));
    for (int j = 0; j < space; j++) {
        NAIK_TRY(naik_coarse_create(a, op->components, width, &s->z[j]));
        NAIK_TRY(naik_coarse_create(a, op->components, width, &s->w[j]));
    }
    *out = s;
    s = NULL;
done:
    naik_coarse_solver_destroy(&s);
    return status;
}

void naik_coarse_solver_destroy(naik_coarse_solver **solver)
{
    naik_coarse_solver *s = *solver;
    if (s == NULL) {
        return;
    }
    for (int j = 0; j < s->space; j++) {
        naik_coarse_destroy(&s->z[j]);
        naik_coarse_destroy(&s->w[j]);
    }
    naik_coarse_destroy(&s->r);
    naik_coarse_destroy(&s->other);
    naik_coarse_halo_destroy(&s->halo);
    if (s->products != NULL) {
        naik_backend_release(s->op->aggregates->geometry->backend, s->products);
    }
    naik_free(s->sums);
    naik_free(s->h);
    naik_free(s);
    *solver = NULL;
}

static const naik_multigrid_ops *ops_of(const naik_coarse_solver *s)
{
    return naik_multigrid_of(s->op->aggregates->geometry);
}

/* The largest power of 2 such that a product of at most `size` times it is below 2^60; 0 where there is
 * nothing to be summed. */
static double scale_for(double size)
{
    int exponent;
    if (!(size > 0) || !(size < 1e300)) {
        return 0;
    }
    (void)frexp(size, &exponent);
    return ldexp(1, 60 - exponent);
}

/* out [count][nrhs][2] = (v_j, u) over all ranks. */
static naik_status products(naik_coarse_solver *s, const naik_coarse *const *v, int count,
                            const naik_coarse *u, const double *scale, double *out)
{
    naik_status status = NAIK_OK;
    const int numbers = count * u->nrhs;
    naik_backend *backend = s->op->aggregates->geometry->backend;
    NAIK_TRY(ops_of(s)->products(v, count, u, s->parity, scale, s->products));
    NAIK_TRY(naik_backend_download(backend, s->sums, s->products,
                                   (size_t)numbers * 2 * sizeof *s->sums));
    NAIK_TRY(naik_comm_sum_i64(backend->comm, s->sums, 2 * numbers));
    for (int i = 0; i < numbers; i++) {
        const double unit = scale[i] > 0 ? 1 / scale[i] : 0;
        out[2 * i] = unit * (double)s->sums[2 * i];
        out[2 * i + 1] = unit * (double)s->sums[2 * i + 1];
    }
done:
    return status;
}

/* |v|^2 of rhs that are active, at most `largest`, to the last digits whatever it is. */
static naik_status norms(naik_coarse_solver *s, const naik_coarse *v, const coarse_state *at,
                         const double *largest, double *out)
{
    naik_status status = NAIK_OK;
    const naik_coarse *const one[1] = {v};
    double scale[NAIK_MG_WIDTH] = {0}, found[NAIK_MG_WIDTH][2] = {{0}};
    for (int round = 0; round < 2; round++) {
        for (int c = 0; c < at->nrhs; c++) {
            scale[c] = !at->active[c] ? 0 : scale_for(round == 0 ? largest[c] : 1.5 * out[c]);
        }
        NAIK_TRY(products(s, one, 1, v, scale, &found[0][0]));
        for (int c = 0; c < at->nrhs; c++) {
            out[c] = found[c][0];
        }
    }
done:
    return status;
}

/* out = Z in, on the parity `to`. */
static naik_status hop(naik_coarse_solver *s, naik_parity to, naik_coarse *in, const naik_coarse *v,
                       naik_coarse *out)
{
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_coarse_exchange(s->halo, in, (naik_parity)!to));
    NAIK_TRY(ops_of(s)->dslash(s->op->used, to, in, v, out));
done:
    return status;
}

/* w = S z */
static naik_status apply(naik_coarse_solver *s, naik_coarse *z, naik_coarse *w)
{
    naik_status status = NAIK_OK;
    NAIK_TRY(hop(s, (naik_parity)!s->parity, z, NULL, s->other));
    NAIK_TRY(hop(s, s->parity, s->other, z, w));
done:
    return status;
}

static void all_same(double *a, double value)
{
    for (int c = 0; c < NAIK_MG_WIDTH; c++) {
        a[c] = value;
    }
}

/* to = from, all rhs. */
static naik_status copy(const naik_coarse_solver *s, naik_parity parity, naik_coarse *to,
                        const naik_coarse *from)
{
    const naik_coarse *const one[1] = {from};
    double zero[NAIK_MG_WIDTH], b[NAIK_MG_WIDTH][2] = {{0}};
    all_same(zero, 0);
    for (int c = 0; c < NAIK_MG_WIDTH; c++) {
        b[c][0] = 1;
    }
    return ops_of(s)->update(to, parity, zero, one, 1, &b[0][0]);
}

/* w += sum_j v_j b_j, b [count][NAIK_MG_WIDTH][2] of which nrhs are used. */
static naik_status add(const naik_coarse_solver *s, naik_coarse *w, naik_coarse *const *v,
                       int count, complex_of *b)
{
    double ones[NAIK_MG_WIDTH], packed[NAIK_MG_SPACE_MOST * NAIK_MG_WIDTH * 2];
    all_same(ones, 1);
    for (int j = 0; j < count; j++) {
        memcpy(packed + (size_t)(j * w->nrhs) * 2, b[j], (size_t)w->nrhs * 2 * sizeof *packed);
    }
    return ops_of(s)->update(w, s->parity, ones, (const naik_coarse *const *)v, count, packed);
}

/* h_k and w_k without its parts along w_0 .. w_k-1. */
static naik_status orthogonalise(naik_coarse_solver *s, const coarse_state *at, int k)
{
    naik_status status = NAIK_OK;
    double scale[NAIK_MG_SPACE_MOST * NAIK_MG_WIDTH] = {0},
                                      found[NAIK_MG_SPACE_MOST * NAIK_MG_WIDTH * 2];
    complex_of minus[NAIK_MG_SPACE_MOST];
    const int n = at->nrhs;
    for (int j = 0; j < k; j++) {
        for (int c = 0; c < n; c++) {
            scale[j * n + c] =
                !at->active[c] ? 0 : scale_for(ldexp(sqrt(s->ww[j][c] * at->rr[c]), LARGEST_S));
        }
    }
    NAIK_TRY(products(s, (const naik_coarse *const *)s->w, k, s->w[k], scale, found));
    for (int j = 0; j < k; j++) {
        for (int c = 0; c < n; c++) {
            double *h = s->h[j * s->space + k][c];
            const bool on = at->active[c] && s->ww[j][c] > 0;
            for (int i = 0; i < 2; i++) {
                h[i] = on ? found[(j * n + c) * 2 + i] / s->ww[j][c] : 0;
                minus[j][c][i] = -h[i];
            }
        }
    }
    NAIK_TRY(add(s, s->w[k], s->w, k, minus));
done:
    return status;
}

/* Whether |S z_k|^2, whose parts h and ww are, has room: |z_k|^2 = rr. */
static bool has_room(const naik_coarse_solver *s, int k, int c, double ww, double rr)
{
    double whole = ww;
    for (int j = 0; j < k; j++) {
        const double *h = s->h[j * s->space + k][c];
        whole += (h[0] * h[0] + h[1] * h[1]) * s->ww[j][c];
    }
    return whole <= ldexp(rr, 2 * LARGEST_S);
}

/* The step along direction k: alpha, r and its norm; which rhs stop. */
static naik_status descend(naik_coarse_solver *s, coarse_state *at, int k, naik_coarse_solve *out)
{
    naik_status status = NAIK_OK;
    const naik_coarse *const with[2] = {s->w[k], s->r};
    const int n = at->nrhs;
    double scale[2 * NAIK_MG_WIDTH] = {0}, found[2 * NAIK_MG_WIDTH * 2];
    complex_of minus;
    for (int c = 0; c < n; c++) {
        scale[c] = !at->active[c] ? 0 : scale_for(ldexp(at->rr[c], 2 * LARGEST_S));
        scale[n + c] = !at->active[c] ? 0 : scale_for(ldexp(at->rr[c], LARGEST_S));
    }
    NAIK_TRY(products(s, with, 2, s->w[k], scale, found));
    for (int c = 0; c < n; c++) {
        const double ww = found[2 * c], re = found[2 * (n + c)], im = -found[2 * (n + c) + 1];
        double alpha[2];
        const double part = naik_gcr_alpha(ww, re, im, alpha);
        const bool fits = has_room(s, k, c, ww, at->rr[c]);
        const bool good = at->active[c] && ww > 0 && part < 1e300 && fits;
        out->beyond += at->active[c] && !fits;
        s->ww[k][c] = good ? ww : 0;
        s->alpha[k][c][0] = good ? alpha[0] : 0;
        s->alpha[k][c][1] = good ? alpha[1] : 0;
        minus[c][0] = -s->alpha[k][c][0];
        minus[c][1] = -s->alpha[k][c][1];
        at->rr[c] -= good ? part : 0;
        out->steps[c] += good;
        at->active[c] = good && at->rr[c] > at->stop[c];
    }
    NAIK_TRY(add(s, s->r, &s->w[k], 1, &minus));
done:
    return status;
}

/* x += what `count` directions have brought. */
static naik_status collect(naik_coarse_solver *s, int nrhs, int count, naik_coarse *x)
{
    for (int c = 0; c < nrhs; c++) {
        naik_gcr_turn(count, c, NAIK_MG_WIDTH, s->space, &s->h[0][0][0], &s->alpha[0][0][0]);
    }
    return add(s, x, s->z, count, s->alpha);
}

static bool any_active(const coarse_state *at)
{
    bool any = false;
    for (int c = 0; c < at->nrhs; c++) {
        any = any || at->active[c];
    }
    return any;
}

/* S x = r from x = 0. */
static naik_status iterate(naik_coarse_solver *s, coarse_state *at, naik_coarse *x,
                           naik_coarse_solve *out)
{
    naik_status status = NAIK_OK;
    int k = 0;
    for (int step = 0; step < NAIK_MG_STEPS_MOST && any_active(at); step++) {
        NAIK_TRY(copy(s, s->parity, s->z[k], s->r));
        NAIK_TRY(apply(s, s->z[k], s->w[k]));
        if (k > 0) {
            NAIK_TRY(orthogonalise(s, at, k));
        }
        NAIK_TRY(descend(s, at, k, out));
        out->most++;
        if (++k == s->space) {
            NAIK_TRY(collect(s, at->nrhs, k, x));
            k = 0;
        }
    }
    if (k > 0) {
        NAIK_TRY(collect(s, at->nrhs, k, x));
    }
done:
    return status;
}

static void set_nrhs(naik_coarse_solver *s, int nrhs)
{
    s->r->nrhs = s->other->nrhs = nrhs;
    for (int j = 0; j < s->space; j++) {
        s->z[j]->nrhs = s->w[j]->nrhs = nrhs;
    }
}

naik_status naik_coarse_solver_solve(naik_coarse_solver *s, naik_coarse *const b[2],
                                     const double *bound, naik_coarse *const e[2],
                                     naik_coarse_solve *out)
{
    naik_status status = NAIK_OK;
    const naik_multigrid_ops *ops = ops_of(s);
    const naik_coarse_links *used = s->op->used;
    const naik_parity p = NAIK_EVEN, q = NAIK_ODD;
    coarse_state at = {.nrhs = b[0]->nrhs};
    double largest[NAIK_MG_WIDTH], zero[NAIK_MG_WIDTH];
    all_same(zero, 0);
    *out = (naik_coarse_solve){.most = 0};
    set_nrhs(s, at.nrhs);
    s->parity = p;
    NAIK_TRY(ops->multiply(used, NAIK_MG_LOCAL, q, b[1], e[1]));
    NAIK_TRY(ops->multiply(used, NAIK_MG_LOCAL, p, b[0], e[0]));
    NAIK_TRY(hop(s, p, e[1], e[0], s->r));
    for (int c = 0; c < at.nrhs; c++) {
        at.active[c] = bound[c] > 0;
        largest[c] = ldexp(bound[c] * bound[c], LARGEST_RHS);
    }
    NAIK_TRY(norms(s, s->r, &at, largest, at.rr));
    for (int c = 0; c < at.nrhs; c++) {
        out->beyond += at.active[c] && at.rr[c] > largest[c];
        at.active[c] = at.active[c] && at.rr[c] > 0 && at.rr[c] <= largest[c];
        at.stop[c] = s->tolerance * s->tolerance * at.rr[c];
    }
    NAIK_TRY(ops->update(e[0], p, zero, NULL, 0, NULL));
    NAIK_TRY(iterate(s, &at, e[0], out));
    NAIK_TRY(hop(s, q, e[0], e[1], e[1]));
done:
    return status;
}
