/* coarse_low.c - low vectors of the coarse operator: memory, and their images made orthonormal */
#include "multigrid/coarse_low.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "comm/new.h"
#include "multigrid/coarse_vector.h"

enum { FIELDS = 4 }; /* found, u, w, next */

static size_t product_numbers(int count)
{
    return (size_t)count * NAIK_MG_BLOCK * 2;
}

size_t naik_coarse_low_bytes(const naik_aggregates *aggregates, int components, int count,
                             int width)
{
    const size_t fields = FIELDS * (size_t)naik_transfer_blocks(count);
    return fields * naik_coarse_bytes(aggregates, components, width) +
           product_numbers(count) * sizeof(int64_t);
}

static naik_status allocate(naik_coarse_low *low)
{
    naik_backend *backend = low->aggregates->geometry->backend;
    const size_t numbers = product_numbers(low->count);
    NAIK_PASS(naik_backend_alloc(backend, numbers * sizeof *low->products, "coarse products",
                                 (void **)&low->products));
    return naik_alloc(backend->log, numbers * sizeof *low->sums, "coarse products",
                      (void **)&low->sums);
}

naik_status naik_coarse_low_create(const naik_aggregates *aggregates, int components, int count,
                                   int width, naik_coarse_low **out)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = aggregates->geometry->backend->comm;
    naik_coarse_low *low = NULL;
    *out = NULL;
    NAIK_TRY(naik_new(comm, sizeof *low, "low vectors", (void **)&low));
    low->aggregates = aggregates;
    low->count = count;
    low->blocks = naik_transfer_blocks(count);
    NAIK_TRY(naik_comm_agree(comm, allocate(low)));
    for (int b = 0; b < low->blocks; b++) {
        naik_coarse **const all[FIELDS] = {&low->found[b], &low->u[b], &low->w[b], &low->next[b]};
        for (int i = 0; i < FIELDS; i++) {
            NAIK_TRY(naik_coarse_create(aggregates, components, width, all[i]));
            (*all[i])->nrhs = naik_transfer_in_block(count, b);
        }
    }
    *out = low;
    low = NULL;
done:
    naik_coarse_low_destroy(&low);
    return status;
}

void naik_coarse_low_destroy(naik_coarse_low **pointer)
{
    naik_coarse_low *low = *pointer;
    if (low == NULL) {
        return;
    }
    for (int b = 0; b < low->blocks; b++) {
        naik_coarse_destroy(&low->found[b]);
        naik_coarse_destroy(&low->u[b]);
        naik_coarse_destroy(&low->w[b]);
        naik_coarse_destroy(&low->next[b]);
    }
    naik_backend_release(low->aggregates->geometry->backend, low->products);
    naik_free(low->sums);
    free(low);
    *pointer = NULL;
}

static const naik_multigrid_ops *ops_of(const naik_coarse_low *low)
{
    return naik_multigrid_of(low->aggregates->geometry);
}

naik_status naik_coarse_low_find(naik_coarse_low *low, int block, const naik_coarse *a,
                                 const naik_coarse *b, const double *size)
{
    memcpy(low->found_size + block * NAIK_MG_BLOCK, size,
           (size_t)low->found[block]->nrhs * sizeof *size);
    return naik_coarse_set(low->found[block], NAIK_EVEN, a, b);
}

naik_status naik_coarse_low_begin(naik_coarse_low *low)
{
    low->used = false;
    memcpy(low->size, low->found_size, sizeof low->size);
    for (int b = 0; b < low->blocks; b++) {
        NAIK_PASS(naik_coarse_set(low->u[b], NAIK_EVEN, low->found[b], NULL));
    }
    return NAIK_OK;
}

/* low->g = (w_i, w_j), |w_i| at most `bound`. */
static naik_status gram(naik_coarse_low *low, const double *bound)
{
    naik_backend *backend = low->aggregates->geometry->backend;
    const naik_coarse *const *w = (const naik_coarse *const *)low->w;
    double scale[NAIK_MG_VECTORS_MOST * NAIK_MG_BLOCK];
    double found[NAIK_MG_VECTORS_MOST * NAIK_MG_BLOCK][2];
    for (int b = 0; b < low->blocks; b++) {
        const int first = b * NAIK_MG_BLOCK, n = low->w[b]->nrhs, numbers = low->count * n;
        for (int i = 0; i < numbers; i++) {
            scale[i] = naik_coarse_scale(bound[i / n] * bound[first + i % n]);
        }
        NAIK_PASS(ops_of(low)->cross(w, low->blocks, w[b], NAIK_EVEN, scale, low->products));
        NAIK_PASS(
            naik_coarse_sums_take(backend, low->products, low->sums, numbers, scale, &found[0][0]));
        for (int i = 0; i < numbers; i++) {
            memcpy(low->g[i / n][first + i % n], found[i], sizeof found[i]);
        }
    }
    return NAIK_OK;
}

/* v_j = sum_i v_i t_ij, by way of `next`. */
static naik_status rotate(naik_coarse_low *low, naik_coarse **v)
{
    double zero[NAIK_MG_WIDTH] = {0}, b[NAIK_MG_VECTORS_MOST * NAIK_MG_BLOCK * 2];
    for (int block = 0; block < low->blocks; block++) {
        naik_coarse *to = low->next[block];
        for (int i = 0; i < low->count * to->nrhs; i++) {
            memcpy(b + (size_t)2 * (size_t)i,
                   low->t[i / to->nrhs][block * NAIK_MG_BLOCK + i % to->nrhs], 2 * sizeof *b);
        }
        NAIK_PASS(ops_of(low)->update(to, NAIK_EVEN, zero, NULL, 0, NULL));
        NAIK_PASS(ops_of(low)->mix(to, NAIK_EVEN, (const naik_coarse *const *)v, low->blocks, b));
    }
    for (int block = 0; block < low->blocks; block++) {
        naik_coarse *old = v[block];
        v[block] = low->next[block];
        low->next[block] = old;
    }
    return NAIK_OK;
}

/* |u_j| at most, after a rotation. */
static void grow(naik_coarse_low *low)
{
    double size[NAIK_MG_VECTORS_MOST] = {0};
    for (int j = 0; j < low->count; j++) {
        for (int i = 0; i < low->count; i++) {
            size[j] += low->size[i] * hypot(low->t[i][j][0], low->t[i][j][1]);
        }
    }
    memcpy(low->size, size, sizeof size);
}

/* Once more, since the first time leaves what rounding makes of vectors that are nearly alike. */
enum { TIMES = 2 };

naik_status naik_coarse_low_part(naik_coarse_low *low, const double *bound)
{
    double now[NAIK_MG_VECTORS_MOST];
    memcpy(now, bound, (size_t)low->count * sizeof *now);
    low->used = false;
    for (int i = 0; i < TIMES; i++) {
        NAIK_PASS(gram(low, now));
        if (!naik_gram_orthonormal(low->g, low->count, low->t)) {
            return NAIK_OK;
        }
        NAIK_PASS(rotate(low, low->w));
        NAIK_PASS(rotate(low, low->u));
        grow(low);
        for (int j = 0; j < low->count; j++) {
            now[j] = 2;
        }
    }
    low->used = true;
    return NAIK_OK;
}
