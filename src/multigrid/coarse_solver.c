/* coarse_solver.c - GCR on the coarse lattice beside low vectors, batched over right-hand sides
 *
 * A step takes two sums over ranks: of w = S r with all directions before, then of what is left of it. The
 * direction of a step is z_k = r without its parts along those before, which only the numbers h know: x is
 * put together of the z_k, and of the low vectors, when the space is full or the solve is over.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "comm/new.h"
#include "multigrid/coarse_operator.h"
#include "solver/gcr_scalars.h"

/* |S v| is at most so many |v|, |b_p - Z b_q| so many |b|: the sums have room for it, and for more by the factor
 * that naik_coarse_scale leaves. What exceeds that does not come at once: it is seen before it is too much. */
enum { LARGEST_S = 6, LARGEST_RHS = 12 }; /* powers of 2 */
static_assert(1 << LARGEST_S == NAIK_MG_LARGEST_S, "the sums have room for the largest S");

typedef double complex_of[NAIK_MG_WIDTH][2];
enum { DIRECTIONS_MOST = NAIK_MG_VECTORS_MOST + NAIK_MG_SPACE_MOST };

struct naik_coarse_solver {
    const naik_coarse_operator *op; /* borrowed */
    naik_coarse_halo *halo;
    int width, space;
    double tolerance;
    naik_parity parity; /* that is solved */
    naik_coarse *z[NAIK_MG_SPACE_MOST], *w[NAIK_MG_SPACE_MOST];
    naik_coarse *r, *other; /* on the parity that is solved, and on the other */
    naik_coarse_low *low;
    int64_t *products; /* backend memory [low + space][width][2] */
    int64_t *sums;     /* the host's copy */
    complex_of *h;     /* [space][space]: (w_j, S z_k) / |w_j|^2 */
    complex_of alpha[NAIK_MG_SPACE_MOST];
    complex_of *g;                                /* [low][space]: (w_i, S z_k) of low vectors */
    complex_of part[NAIK_MG_VECTORS_MOST];        /* of the solution along u_i, but for those */
    double ww[NAIK_MG_SPACE_MOST][NAIK_MG_WIDTH]; /* |w_j|^2 */
    /* while a step goes on */
    double scale[DIRECTIONS_MOST * NAIK_MG_WIDTH], found[DIRECTIONS_MOST * NAIK_MG_WIDTH * 2];
    double packed[NAIK_MG_SPACE_MOST * NAIK_MG_WIDTH * 2];
    complex_of minus[NAIK_MG_SPACE_MOST];
};

/* Scalars of a solve. */
typedef struct coarse_state {
    int nrhs;
    bool active[NAIK_MG_WIDTH];
    double rr[NAIK_MG_WIDTH], stop[NAIK_MG_WIDTH];
} coarse_state;

/* As many low vectors as near-null vectors, where a block of them fits; 0: none. */
static int low_of(int components, int width)
{
    const int vectors = components / 2;
    return width >= naik_transfer_in_block(vectors, 0) ? vectors : 0;
}

/* The sums of a step at the most. */
static size_t product_numbers(int components, int width, int space)
{
    return (size_t)(low_of(components, width) + space) * NAIK_MG_WIDTH * 2;
}

size_t naik_coarse_solver_bytes(const naik_aggregates *aggregates, int components, int width,
                                int space)
{
    const size_t vectors = 2 * (size_t)space + 2;
    const int low = low_of(components, width);
    return vectors * naik_coarse_bytes(aggregates, components, width) +
           naik_coarse_halo_bytes(aggregates, components, width) +
           (low > 0 ? naik_coarse_low_bytes(aggregates, components, low, width) : 0) +
           product_numbers(components, width, space) * sizeof(int64_t);
}

static naik_status allocate(naik_coarse_solver *s)
{
    naik_backend *backend = s->op->aggregates->geometry->backend;
    const size_t numbers = product_numbers(s->op->components, s->width, s->space);
    const size_t space = (size_t)s->space, low = (size_t)low_of(s->op->components, s->width);
    NAIK_PASS(naik_backend_alloc(backend, numbers * sizeof *s->products, "coarse products",
                                 (void **)&s->products));
    NAIK_PASS(
        naik_alloc(backend->log, numbers * sizeof *s->sums, "coarse products", (void **)&s->sums));
    NAIK_PASS(
        naik_alloc(backend->log, space * space * sizeof *s->h, "coarse products", (void **)&s->h));
    return naik_alloc(backend->log, (low * space + 1) * sizeof *s->g, "coarse products",
                      (void **)&s->g);
}

naik_status naik_coarse_solver_create(const naik_coarse_operator *op, int width, int space,
                                      double tolerance, naik_coarse_solver **out)
{
    naik_status status = NAIK_OK;
    const naik_aggregates *a = op->aggregates;
    naik_comm *comm = a->geometry->backend->comm;
    naik_coarse_solver *s = NULL;
    *out = NULL;
    NAIK_TRY(naik_new(comm, sizeof *s, "the coarse solver", (void **)&s));
    s->op = op;
    s->width = width;
    s->space = space;
    s->tolerance = tolerance;
    NAIK_TRY(naik_comm_agree(comm, allocate(s)));
    NAIK_TRY(naik_coarse_halo_create(a, op->components, width, &s->halo));
    const int low = low_of(op->components, width);
    if (low > 0) {
        NAIK_TRY(naik_coarse_low_create(a, op->components, low, width, &s->low));
    }
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
    naik_free(s->g);
    naik_coarse_low_destroy(&s->low);
    free(s);
    *solver = NULL;
}

static const naik_multigrid_ops *ops_of(const naik_coarse_solver *s)
{
    return naik_multigrid_of(s->op->aggregates->geometry);
}

/* out [numbers][2]: what was summed, over all ranks. */
static naik_status take(naik_coarse_solver *s, int numbers, const double *scale, double *out)
{
    return naik_coarse_sums_take(s->op->aggregates->geometry->backend, s->products, s->sums,
                                 numbers, scale, out);
}

/* out [count][nrhs][2] = (v_j, u) over all ranks. */
static naik_status products(naik_coarse_solver *s, const naik_coarse *const *v, int count,
                            const naik_coarse *u, const double *scale, double *out)
{
    NAIK_PASS(ops_of(s)->products(v, count, u, s->parity, scale, s->products));
    return take(s, count * u->nrhs, scale, out);
}

/* |v|^2 of rhs that are active, at most `largest`, to the last digits whatever it is. */
static naik_status norms(naik_coarse_solver *s, const naik_coarse *v, const coarse_state *at,
                         const double *largest, double *out)
{
    const naik_coarse *const one[1] = {v};
    double scale[NAIK_MG_WIDTH] = {0}, found[NAIK_MG_WIDTH][2] = {{0}};
    for (int round = 0; round < 2; round++) {
        for (int c = 0; c < at->nrhs; c++) {
            scale[c] =
                !at->active[c] ? 0 : naik_coarse_scale(round == 0 ? largest[c] : 1.5 * out[c]);
        }
        NAIK_PASS(products(s, one, 1, v, scale, &found[0][0]));
        for (int c = 0; c < at->nrhs; c++) {
            out[c] = found[c][0];
        }
    }
    return NAIK_OK;
}

/* out = Z in, on the parity `to`. */
static naik_status hop(naik_coarse_solver *s, naik_parity to, naik_coarse *in, const naik_coarse *v,
                       naik_coarse *out)
{
    NAIK_PASS(naik_coarse_exchange(s->halo, in, (naik_parity)!to));
    return ops_of(s)->dslash(s->op->used, to, in, v, out);
}

/* w = S z */
static naik_status apply(naik_coarse_solver *s, naik_coarse *z, naik_coarse *w)
{
    NAIK_PASS(hop(s, (naik_parity)!s->parity, z, NULL, s->other));
    return hop(s, s->parity, s->other, z, w);
}

static void all_same(double *a, double value)
{
    for (int c = 0; c < NAIK_MG_WIDTH; c++) {
        a[c] = value;
    }
}

/* w += sum_j v_j b_j, count may be 0, b [count][NAIK_MG_WIDTH][2] of which nrhs are used. */
static naik_status add(naik_coarse_solver *s, naik_coarse *w, naik_coarse *const *v, int count,
                       complex_of *b)
{
    double ones[NAIK_MG_WIDTH];
    if (count == 0) {
        return NAIK_OK;
    }
    all_same(ones, 1);
    for (int j = 0; j < count; j++) {
        memcpy(s->packed + (size_t)(j * w->nrhs) * 2, b[j],
               (size_t)w->nrhs * 2 * sizeof *s->packed);
    }
    return ops_of(s)->update(w, s->parity, ones, (const naik_coarse *const *)v, count, s->packed);
}

/* Low vectors that are used. */
static int low_count(const naik_coarse_solver *s)
{
    return s->low != NULL && s->low->used ? s->low->count : 0;
}
static const naik_coarse *const *images_of(const naik_coarse_solver *s)
{
    return (const naik_coarse *const *)s->low->w;
}

/* s->found [low, k][nrhs][2]: products of low vectors' images and of w_0 .. w_k-1 with w_k, in one sum over ranks. */
static naik_status all_products(naik_coarse_solver *s, const coarse_state *at, int k)
{
    const int n = at->nrhs, low = low_count(s);
    double *scale = s->scale;
    for (int j = 0; j < low + k; j++) {
        for (int c = 0; c < n; c++) {
            const double ww = j < low ? 1 : s->ww[j - low][c];
            scale[j * n + c] =
                !at->active[c] ? 0 : naik_coarse_scale(ldexp(sqrt(ww * at->rr[c]), LARGEST_S));
        }
    }
    if (low > 0) {
        NAIK_PASS(
            ops_of(s)->cross(images_of(s), s->low->blocks, s->w[k], s->parity, scale, s->products));
    }
    if (k > 0) {
        NAIK_PASS(ops_of(s)->products((const naik_coarse *const *)s->w, k, s->w[k], s->parity,
                                      scale + (size_t)low * (size_t)n,
                                      s->products + (size_t)low * (size_t)n * 2));
    }
    return take(s, (low + k) * n, scale, s->found);
}

/* h_k, g_k, and w_k without its parts along low vectors' images and w_0 .. w_k-1. */
static naik_status orthogonalise(naik_coarse_solver *s, const coarse_state *at, int k)
{
    const int n = at->nrhs, low = low_count(s);
    double *found = s->found;
    if (low + k == 0) {
        return NAIK_OK;
    }
    NAIK_PASS(all_products(s, at, k));
    for (int i = 0; i < low * n; i++) {
        double *g = s->g[i / n * s->space + k][i % n];
        g[0] = found[2 * i];
        g[1] = found[2 * i + 1];
        found[2 * i] = -g[0];
        found[2 * i + 1] = -g[1];
    }
    if (low > 0) {
        NAIK_PASS(ops_of(s)->mix(s->w[k], s->parity, images_of(s), s->low->blocks, found));
    }
    for (int j = 0; j < k; j++) {
        for (int c = 0; c < n; c++) {
            double *h = s->h[j * s->space + k][c];
            const bool on = at->active[c] && s->ww[j][c] > 0;
            for (int i = 0; i < 2; i++) {
                h[i] = on ? found[((low + j) * n + c) * 2 + i] / s->ww[j][c] : 0;
                s->minus[j][c][i] = -h[i];
            }
        }
    }
    return add(s, s->w[k], s->w, k, s->minus);
}

/* The part of r along low vectors' images goes: what it is of the solution waits in s->part. */
static naik_status project(naik_coarse_solver *s, coarse_state *at)
{
    const int n = at->nrhs, low = low_count(s);
    double scale[NAIK_MG_VECTORS_MOST * NAIK_MG_WIDTH];
    double found[NAIK_MG_VECTORS_MOST * NAIK_MG_WIDTH * 2], before[NAIK_MG_WIDTH];
    if (low == 0) {
        return NAIK_OK;
    }
    for (int i = 0; i < low * n; i++) {
        const int c = i % n;
        scale[i] = !at->active[c] ? 0 : naik_coarse_scale(2 * sqrt(at->rr[c]));
    }
    NAIK_PASS(ops_of(s)->cross(images_of(s), s->low->blocks, s->r, s->parity, scale, s->products));
    NAIK_PASS(take(s, low * n, scale, found));
    for (int i = 0; i < low * n; i++) {
        double *a = s->part[i / n][i % n];
        a[0] = found[2 * i];
        a[1] = found[2 * i + 1];
        found[2 * i] = -a[0];
        found[2 * i + 1] = -a[1];
    }
    NAIK_PASS(ops_of(s)->mix(s->r, s->parity, images_of(s), s->low->blocks, found));
    /* anew: nearly all of it may have gone */
    memcpy(before, at->rr, sizeof before);
    NAIK_PASS(norms(s, s->r, at, before, at->rr));
    for (int c = 0; c < n; c++) {
        at->active[c] = at->active[c] && at->rr[c] > at->stop[c];
    }
    return NAIK_OK;
}

/* Whether |S z_k|^2, whose parts h and ww are, has room: |z_k|^2 = rr. */
static bool has_room(const naik_coarse_solver *s, int k, int c, double ww, double rr)
{
    double whole = ww;
    for (int i = 0; i < low_count(s); i++) {
        const double *g = s->g[i * s->space + k][c];
        whole += g[0] * g[0] + g[1] * g[1];
    }
    for (int j = 0; j < k; j++) {
        const double *h = s->h[j * s->space + k][c];
        whole += (h[0] * h[0] + h[1] * h[1]) * s->ww[j][c];
    }
    return whole <= ldexp(rr, 2 * LARGEST_S);
}

/* The step along direction k: alpha, r and its norm; which rhs stop. */
static naik_status descend(naik_coarse_solver *s, coarse_state *at, int k, naik_coarse_solve *out)
{
    const naik_coarse *const with[2] = {s->w[k], s->r};
    const int n = at->nrhs;
    double scale[2 * NAIK_MG_WIDTH] = {0}, found[2 * NAIK_MG_WIDTH * 2];
    complex_of minus;
    for (int c = 0; c < n; c++) {
        scale[c] = !at->active[c] ? 0 : naik_coarse_scale(ldexp(at->rr[c], 2 * LARGEST_S));
        scale[n + c] = !at->active[c] ? 0 : naik_coarse_scale(ldexp(at->rr[c], LARGEST_S));
    }
    NAIK_PASS(products(s, with, 2, s->w[k], scale, found));
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
    return add(s, s->r, &s->w[k], 1, &minus);
}

/* x += what `count` directions and the low vectors have brought, of which nothing waits any more. */
static naik_status collect(naik_coarse_solver *s, int nrhs, int count, naik_coarse *x)
{
    double b[NAIK_MG_VECTORS_MOST * NAIK_MG_WIDTH * 2];
    for (int c = 0; c < nrhs; c++) {
        naik_gcr_turn(count, c, NAIK_MG_WIDTH, s->space, &s->h[0][0][0], &s->alpha[0][0][0]);
    }
    for (int i = 0; i < low_count(s) * nrhs; i++) {
        const int c = i % nrhs;
        double *a = s->part[i / nrhs][c];
        for (int k = 0; k < count; k++) {
            const double *g = s->g[i / nrhs * s->space + k][c], *y = s->alpha[k][c];
            a[0] -= g[0] * y[0] - g[1] * y[1];
            a[1] -= g[0] * y[1] + g[1] * y[0];
        }
        memcpy(b + (size_t)2 * (size_t)i, a, 2 * sizeof *a);
        a[0] = a[1] = 0;
    }
    if (low_count(s) > 0) {
        NAIK_PASS(
            ops_of(s)->mix(x, s->parity, (const naik_coarse *const *)s->low->u, s->low->blocks, b));
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
    int k = 0;
    NAIK_PASS(project(s, at));
    for (int step = 0; step < NAIK_MG_STEPS_MOST && any_active(at); step++) {
        NAIK_PASS(naik_coarse_set(s->z[k], s->parity, s->r, NULL));
        NAIK_PASS(apply(s, s->z[k], s->w[k]));
        NAIK_PASS(orthogonalise(s, at, k));
        NAIK_PASS(descend(s, at, k, out));
        out->most++;
        if (++k == s->space) {
            NAIK_PASS(collect(s, at->nrhs, k, x));
            k = 0;
        }
    }
    return collect(s, at->nrhs, k, x);
}

/* S x = r, |r| at most 2^(room/2) times bound: rhs whose bound is 0 are left out. */
static naik_status solve_schur(naik_coarse_solver *s, coarse_state *at, const double *bound,
                               int room, naik_coarse *x, naik_coarse_solve *out)
{
    double largest[NAIK_MG_WIDTH], zero[NAIK_MG_WIDTH];
    all_same(zero, 0);
    for (int c = 0; c < at->nrhs; c++) {
        at->active[c] = bound[c] > 0;
        largest[c] = ldexp(bound[c] * bound[c], room);
    }
    NAIK_PASS(norms(s, s->r, at, largest, at->rr));
    for (int c = 0; c < at->nrhs; c++) {
        out->beyond += at->active[c] && at->rr[c] > largest[c];
        at->active[c] = at->active[c] && at->rr[c] > 0 && at->rr[c] <= largest[c];
        at->stop[c] = s->tolerance * s->tolerance * at->rr[c];
    }
    NAIK_PASS(ops_of(s)->update(x, s->parity, zero, NULL, 0, NULL));
    return iterate(s, at, x, out);
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
    const naik_multigrid_ops *ops = ops_of(s);
    const naik_coarse_links *used = s->op->used;
    const naik_parity p = NAIK_EVEN, q = NAIK_ODD;
    coarse_state at = {.nrhs = b[0]->nrhs};
    *out = (naik_coarse_solve){.most = 0};
    set_nrhs(s, at.nrhs);
    s->parity = p;
    NAIK_PASS(ops->multiply(used, NAIK_MG_LOCAL, q, b[1], e[1]));
    NAIK_PASS(ops->multiply(used, NAIK_MG_LOCAL, p, b[0], e[0]));
    NAIK_PASS(hop(s, p, e[1], e[0], s->r));
    NAIK_PASS(solve_schur(s, &at, bound, LARGEST_RHS, e[0], out));
    return hop(s, q, e[0], e[1], e[1]);
}

naik_status naik_coarse_solver_find(naik_coarse_solver *s, int block, const naik_coarse *a,
                                    const naik_coarse *b, const double *size)
{
    return s->low != NULL ? naik_coarse_low_find(s->low, block, a, b, size) : NAIK_OK;
}

const naik_coarse_low *naik_coarse_solver_low(const naik_coarse_solver *s)
{
    return s->low;
}

/* Low vectors are what the operator at hand makes of u. */
static naik_status part(naik_coarse_solver *s, const double *bound)
{
    for (int b = 0; b < s->low->blocks; b++) {
        set_nrhs(s, s->low->u[b]->nrhs);
        NAIK_PASS(apply(s, s->low->u[b], s->low->w[b]));
    }
    return naik_coarse_low_part(s->low, bound);
}

/* u of a block becomes S^-1 u in `next`; bound: of |S next|, which is u but for the rest of the solve. */
static naik_status invert_block(naik_coarse_solver *s, int block, double *bound)
{
    naik_coarse_low *low = s->low;
    const naik_coarse *u = low->u[block];
    coarse_state at = {.nrhs = u->nrhs};
    naik_coarse_solve did = {.most = 0};
    const double *size = low->size + block * NAIK_MG_BLOCK;
    set_nrhs(s, u->nrhs);
    NAIK_PASS(naik_coarse_set(s->r, s->parity, u, NULL));
    NAIK_PASS(solve_schur(s, &at, size, 1, low->next[block], &did));
    for (int c = 0; c < u->nrhs; c++) {
        bound[c] = 4 * size[c];
    }
    return NAIK_OK;
}

naik_status naik_coarse_solver_lower(naik_coarse_solver *s, bool refine)
{
    naik_coarse_low *low = s->low;
    double bound[NAIK_MG_VECTORS_MOST];
    if (low == NULL) {
        return NAIK_OK;
    }
    s->parity = NAIK_EVEN;
    NAIK_PASS(naik_coarse_low_begin(low));
    for (int i = 0; i < low->count; i++) {
        bound[i] = ldexp(low->size[i], LARGEST_S);
    }
    NAIK_PASS(part(s, bound));
    if (!low->used || !refine) {
        return NAIK_OK;
    }
    for (int b = 0; b < low->blocks; b++) {
        NAIK_PASS(invert_block(s, b, bound + b * NAIK_MG_BLOCK));
    }
    for (int b = 0; b < low->blocks; b++) {
        naik_coarse *old = low->u[b];
        low->u[b] = low->next[b];
        low->next[b] = old;
    }
    return part(s, bound);
}
