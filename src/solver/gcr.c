/* gcr.c - flexible GCR: products, orthogonalisation, the step, and x out of its directions */
#include "solver/gcr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comm/new.h"
#include "solver/gcr_scalars.h"

typedef double gcr_numbers[NAIK_MAX_RHS][2];

struct naik_gcr {
    const naik_geometry *geometry;
    int restart, nrhs;
    int count[NAIK_MAX_RHS]; /* directions of an rhs */
    naik_field *z[NAIK_GCR_RESTART_MOST + 1],
        *w[NAIK_GCR_RESTART_MOST + 1]; /* the last: of the step */
    naik_field *spare;
    naik_exactsum *sums;      /* backend memory [(2 restart) NAIK_MAX_RHS] */
    naik_rhs *mask;           /* backend memory [NAIK_MAX_RHS] */
    double (*coefficient)[2]; /* backend memory [NAIK_ADDED_MOST NAIK_MAX_RHS] */
    double ww[NAIK_GCR_RESTART_MOST][NAIK_MAX_RHS];
    gcr_numbers h[NAIK_GCR_RESTART_MOST]
                 [NAIK_GCR_RESTART_MOST]; /* [j][k]: (w_j, B z_k) / |w_j|^2 */
    gcr_numbers alpha[NAIK_GCR_RESTART_MOST];
    double found[NAIK_GCR_RESTART_MOST * 2 * NAIK_MAX_RHS]; /* while a step goes on */
};

/* The sums of a step at the most: re and im of (w_j, w), or |w|^2 and (w, r). */
static size_t sum_count(int width, int restart)
{
    return (size_t)(2 * restart > 3 ? 2 * restart : 3) * (size_t)width;
}

size_t naik_gcr_bytes(const naik_geometry *geometry, naik_precision precision, int spin, int width,
                      int restart)
{
    const size_t fields = 2 * ((size_t)restart + 1) + 1;
    return fields *
               geometry->backend->ops->field.bytes(geometry->lattice, precision, spin * width) +
           sum_count(width, restart) * sizeof(naik_exactsum) +
           (size_t)width * (sizeof(naik_rhs) + NAIK_ADDED_MOST * 2 * sizeof(double));
}

static naik_status allocate(naik_gcr *g, int width)
{
    naik_backend *backend = g->geometry->backend;
    const size_t n = (size_t)width;
    const char *what = "solver scalars";
    NAIK_PASS(naik_backend_alloc(backend, sum_count(width, g->restart) * sizeof *g->sums, what,
                                 (void **)&g->sums));
    NAIK_PASS(naik_backend_alloc(backend, n * sizeof *g->mask, what, (void **)&g->mask));
    return naik_backend_alloc(backend, NAIK_ADDED_MOST * n * sizeof *g->coefficient, what,
                              (void **)&g->coefficient);
}

naik_status naik_gcr_create(const naik_geometry *geometry, naik_precision precision, int spin,
                            int width, int restart, naik_gcr **out)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = geometry->backend;
    naik_gcr *g = NULL;
    *out = NULL;
    if (restart < 2 || restart > NAIK_GCR_RESTART_MOST) {
        return NAIK_FAIL(backend->log, NAIK_ERR_ARG, "%d directions: 2 to %d are possible", restart,
                         NAIK_GCR_RESTART_MOST);
    }
    NAIK_TRY(naik_new(backend->comm, sizeof *g, "the directions of GCR", (void **)&g));
    g->geometry = geometry;
    g->restart = restart;
    g->nrhs = width;
    NAIK_TRY(naik_comm_agree(backend->comm, allocate(g, width)));
    NAIK_TRY(naik_field_create_spin(geometry, precision, spin, width, &g->spare));
    for (int j = 0; j <= restart; j++) {
        NAIK_TRY(naik_field_create_spin(geometry, precision, spin, width, &g->z[j]));
        NAIK_TRY(naik_field_create_spin(geometry, precision, spin, width, &g->w[j]));
    }
    *out = g;
    g = NULL;
done:
    naik_gcr_destroy(&g);
    return status;
}

void naik_gcr_destroy(naik_gcr **gcr)
{
    naik_gcr *g = *gcr;
    if (g == NULL) {
        return;
    }
    naik_backend *backend = g->geometry->backend;
    for (int j = 0; j <= g->restart; j++) {
        naik_field_destroy(&g->z[j]);
        naik_field_destroy(&g->w[j]);
    }
    naik_field_destroy(&g->spare);
    naik_backend_release(backend, g->sums);
    naik_backend_release(backend, g->mask);
    naik_backend_release(backend, g->coefficient);
    free(g);
    *gcr = NULL;
}

int naik_gcr_restart(const naik_gcr *gcr)
{
    return gcr->restart;
}

int naik_gcr_rhs(const naik_gcr *gcr)
{
    return gcr->nrhs;
}

void naik_gcr_begin(naik_gcr *g, int nrhs)
{
    g->nrhs = nrhs;
    memset(g->count, 0, sizeof g->count);
    naik_field_set_nrhs(g->spare, nrhs);
    for (int j = 0; j <= g->restart; j++) {
        naik_field_set_nrhs(g->z[j], nrhs);
        naik_field_set_nrhs(g->w[j], nrhs);
    }
}

void naik_gcr_forget(naik_gcr *g, int c)
{
    g->count[c] = 0;
}

bool naik_gcr_is_full(const naik_gcr *g, int c)
{
    return g->count[c] == g->restart;
}

/* A field without directions takes the shape alone: all is written there before it is read. */
static naik_status narrow_field(naik_gcr *g, naik_field **field, bool holds, const int *map, int n)
{
    if (!holds) {
        naik_field_set_nrhs(*field, n);
        return NAIK_OK;
    }
    naik_field_set_nrhs(g->spare, n);
    const naik_status status = g->geometry->backend->ops->field.gather(g->spare, *field, map);
    naik_field *old = *field;
    *field = g->spare;
    g->spare = old;
    return status;
}

naik_status naik_gcr_narrow(naik_gcr *g, const int *map, int n)
{
    int most = 0;
    for (int c = 0; c < n; c++) {
        most = g->count[map[c]] > most ? g->count[map[c]] : most;
    }
    for (int j = 0; j <= g->restart; j++) {
        NAIK_PASS(narrow_field(g, &g->z[j], j < most, map, n));
        NAIK_PASS(narrow_field(g, &g->w[j], j < most, map, n));
    }
    naik_field_set_nrhs(g->spare, n);
    for (int c = 0; c < n; c++) {
        const int from = map[c];
        g->count[c] = g->count[from];
        for (int j = 0; j < g->restart; j++) {
            g->ww[j][c] = g->ww[j][from];
            memcpy(g->alpha[j][c], g->alpha[j][from], sizeof g->alpha[j][c]);
            for (int k = 0; k < g->restart; k++) {
                memcpy(g->h[j][k][c], g->h[j][k][from], sizeof g->h[j][k][c]);
            }
        }
    }
    g->nrhs = n;
    return NAIK_OK;
}

/* Those rhs alone are written from now on: NAIK_RHS_CHECK in the mask. */
static naik_status set_mask(naik_gcr *g, const bool wanted[NAIK_MAX_RHS])
{
    naik_rhs mask[NAIK_MAX_RHS];
    memset(mask, 0, sizeof mask);
    for (int c = 0; c < g->nrhs; c++) {
        mask[c].state = wanted[c] ? NAIK_RHS_CHECK : NAIK_RHS_IDLE;
    }
    return naik_backend_upload(g->geometry->backend, g->mask, mask, (size_t)g->nrhs * sizeof *mask);
}

/* to_c += a_c v_c of those wanted, one v after the other: count of them, NAIK_ADDED_MOST at most. */
static naik_status add(naik_gcr *g, naik_field *to, naik_field *const *v, const gcr_numbers *a,
                       int count, const bool wanted[NAIK_MAX_RHS])
{
    naik_backend *backend = g->geometry->backend;
    naik_combination sum = {to, 1 + count, {{.v = to}}};
    NAIK_PASS(set_mask(g, wanted));
    for (int k = 0; k < count; k++) {
        double(*room)[2] = g->coefficient + k * g->nrhs;
        sum.term[1 + k] = (naik_term){.v = v[k], .coefficient = (const double(*)[2])room};
        NAIK_PASS(naik_backend_upload(backend, room, a[k], (size_t)g->nrhs * sizeof *room));
    }
    return backend->ops->field.combine(&sum, 1, NULL, g->mask, NAIK_RHS_CHECK);
}

/* Which of some rhs have direction j; returns how many directions from j on, below `count`, they alone have. */
static int have_direction(const naik_gcr *g, const bool some[NAIK_MAX_RHS], int j, int count,
                          bool here[NAIK_MAX_RHS])
{
    int least = count;
    for (int c = 0; c < g->nrhs; c++) {
        here[c] = some[c] && g->count[c] > j;
        least = here[c] && g->count[c] < least ? g->count[c] : least;
    }
    return least - j < NAIK_ADDED_MOST ? least - j : NAIK_ADDED_MOST;
}

/* Directions of any active rhs. */
static int most(const naik_gcr *g, const bool active[NAIK_MAX_RHS])
{
    int count = 0;
    for (int c = 0; c < g->nrhs; c++) {
        count = active[c] && g->count[c] > count ? g->count[c] : count;
    }
    return count;
}

/* out[j][re, im][c] = (w_j, w)_c, j < count. */
static naik_status products(naik_gcr *g, int count, const naik_field *w, double *out)
{
    naik_backend *backend = g->geometry->backend;
    const naik_reduction_ops *reduction = &backend->ops->reduction;
    const int n = 2 * g->nrhs;
    NAIK_PASS(reduction->clear(backend, g->sums, count * n));
    for (int j = 0; j < count; j++) {
        NAIK_PASS(reduction->complex_dot(g->w[j], w, 0, NULL, NAIK_RHS_IDLE,
                                         g->sums + (size_t)j * (size_t)n));
    }
    NAIK_PASS(reduction->over_ranks(backend, g->sums, count * n));
    return reduction->values(backend, g->sums, count * n, out);
}

/* The step's w without its parts along those before; h of it. */
static naik_status orthogonalise(naik_gcr *g, const naik_gcr_step *step)
{
    const int count = most(g, step->active), n = g->nrhs;
    naik_field *w = g->w[g->restart];
    NAIK_PASS(products(g, count, w, g->found));
    for (int j = 0, together; j < count; j += together) {
        bool wanted[NAIK_MAX_RHS] = {false};
        gcr_numbers minus[NAIK_ADDED_MOST] = {{{0}}};
        together = have_direction(g, step->active, j, count, wanted);
        for (int i = 0; i < 2 * together * n; i++) {
            const int k = i / (2 * n), part = i / n % 2, c = i % n;
            if (wanted[c]) {
                const double h = g->found[2 * j * n + i] / g->ww[j + k][c];
                g->h[j + k][g->count[c]][c][part] = h;
                minus[k][c][part] = -h;
            }
        }
        NAIK_PASS(add(g, w, &g->w[j], (const gcr_numbers *)minus, together, wanted));
    }
    return NAIK_OK;
}

/* The step's z and w to where each rhs keeps its next direction. */
static naik_status keep(naik_gcr *g, const bool active[NAIK_MAX_RHS])
{
    const naik_field_ops *field = &g->geometry->backend->ops->field;
    for (int k = 0; k < g->restart; k++) {
        bool here[NAIK_MAX_RHS] = {false}, any = false, all = true;
        for (int c = 0; c < g->nrhs; c++) {
            here[c] = active[c] && g->count[c] == k;
            any = any || here[c];
            all = all && here[c];
        }
        if (all) { /* all rhs are there, as most often: the fields change places */
            naik_field *z = g->z[k], *w = g->w[k];
            g->z[k] = g->z[g->restart];
            g->w[k] = g->w[g->restart];
            g->z[g->restart] = z;
            g->w[g->restart] = w;
            break;
        }
        if (any) {
            NAIK_PASS(set_mask(g, here));
            NAIK_PASS(field->copy(g->z[k], g->z[g->restart], g->mask, NAIK_RHS_CHECK));
            NAIK_PASS(field->copy(g->w[k], g->w[g->restart], g->mask, NAIK_RHS_CHECK));
        }
    }
    return NAIK_OK;
}

/* alpha, and r. */
static naik_status descend(naik_gcr *g, naik_gcr_step *step)
{
    naik_backend *backend = g->geometry->backend;
    const naik_reduction_ops *reduction = &backend->ops->reduction;
    const int n = g->nrhs;
    naik_field *w = g->w[g->restart];
    gcr_numbers minus = {{0}};
    double found[3 * NAIK_MAX_RHS];
    NAIK_PASS(reduction->clear(backend, g->sums, 3 * n));
    NAIK_PASS(reduction->dot(w, w, NULL, NAIK_RHS_IDLE, g->sums));
    NAIK_PASS(reduction->complex_dot(w, step->r, 0, NULL, NAIK_RHS_IDLE, g->sums + n));
    NAIK_PASS(reduction->over_ranks(backend, g->sums, 3 * n));
    NAIK_PASS(reduction->values(backend, g->sums, 3 * n, found));
    for (int c = 0; c < n; c++) {
        const double ww = found[c], re = found[n + c], im = found[2 * n + c];
        if (step->active[c]) {
            double *alpha = g->alpha[g->count[c]][c];
            g->ww[g->count[c]][c] = ww;
            step->rr[c] -= naik_gcr_alpha(ww, re, im, alpha);
            minus[c][0] = -alpha[0];
            minus[c][1] = -alpha[1];
        }
    }
    return add(g, step->r, &w, (const gcr_numbers *)&minus, 1, step->active);
}

naik_status naik_gcr_iterate(naik_gcr *g, naik_gcr_step *step)
{
    const naik_operator *op = step->op;
    naik_field *z = g->z[g->restart], *w = g->w[g->restart];
    double norm[NAIK_MAX_RHS] = {0};
    bool full[NAIK_MAX_RHS] = {false}, any = false;
    for (int c = 0; c < g->nrhs; c++) {
        norm[c] = step->active[c] ? sqrt(step->rr[c]) : 0;
        g->count[c] = step->active[c] && naik_gcr_is_full(g, c) ? 0 : g->count[c];
    }
    NAIK_PASS(step->preconditioner->apply(step->preconditioner->data, step->parity, step->r, norm,
                                          z, step->inner_steps));
    NAIK_PASS(set_mask(g, step->active));
    NAIK_PASS(op->ops->apply(op, step->parity, false, z, w, NULL, g->mask, NAIK_RHS_CHECK));
    NAIK_PASS(orthogonalise(g, step));
    NAIK_PASS(descend(g, step));
    NAIK_PASS(keep(g, step->active));
    for (int c = 0; c < g->nrhs; c++) {
        g->count[c] += step->active[c];
        full[c] = step->active[c] && naik_gcr_is_full(g, c);
        any = any || full[c];
    }
    if (any) {
        NAIK_PASS(naik_gcr_collect(g, step->x, full));
        for (int c = 0; c < g->nrhs; c++) {
            g->count[c] = full[c] ? g->restart : g->count[c];
        }
    }
    return NAIK_OK;
}

naik_status naik_gcr_collect(naik_gcr *g, naik_field *x, const bool wanted[NAIK_MAX_RHS])
{
    const int count = most(g, wanted);
    for (int c = 0; c < g->nrhs; c++) {
        if (wanted[c] && g->count[c] > 0) {
            naik_gcr_turn(g->count[c], c, NAIK_MAX_RHS, NAIK_GCR_RESTART_MOST, &g->h[0][0][0][0],
                          &g->alpha[0][0][0]);
        }
    }
    for (int k = 0, together; k < count; k += together) {
        bool here[NAIK_MAX_RHS] = {false};
        together = have_direction(g, wanted, k, count, here);
        NAIK_PASS(add(g, x, &g->z[k], (const gcr_numbers *)&g->alpha[k], together, here));
    }
    for (int c = 0; c < g->nrhs; c++) {
        g->count[c] = wanted[c] ? 0 : g->count[c];
    }
    return NAIK_OK;
}
