/* vectors_part.c - test vectors orthonormal on the whole lattice: their Gram matrix, and what makes it 1
 *
 * Products and sums pair rhs of the same number: a block that is turned by s pairs c with c + s.
 */
#include <stdlib.h>
#include <string.h>

#include "comm/new.h"
#include "multigrid/gram.h"
#include "multigrid/vectors.h"

/* g[a][b] = (v_a, v_b) of the vectors of two blocks, a's first. */
static naik_status pair_blocks(naik_test_vectors *t, int a, int b, naik_gram g)
{
    naik_backend *backend = t->b->geometry->backend;
    const naik_reduction_ops *reduction = &backend->ops->reduction;
    const int n = t->v[a][0]->nrhs;
    double found[2 * NAIK_MG_BLOCK];
    /* of a block with itself, half of the pairs are all */
    const int turns = a == b ? n / 2 + 1 : t->v[b][0]->nrhs;
    for (int s = 0; s < turns; s++) {
        NAIK_PASS(reduction->clear(backend, t->sums, 2 * n));
        for (int parity = 0; parity < 2; parity++) {
            NAIK_PASS(reduction->complex_dot(t->v[a][parity], t->v[b][parity], s, NULL,
                                             NAIK_RHS_IDLE, t->sums));
        }
        NAIK_PASS(reduction->over_ranks(backend, t->sums, 2 * n));
        NAIK_PASS(reduction->values(backend, t->sums, 2 * n, found));
        for (int c = 0; c < n; c++) {
            const int i = a * NAIK_MG_BLOCK + c;
            const int j = b * NAIK_MG_BLOCK + (c + s) % t->v[b][0]->nrhs;
            g[i][j][0] = g[j][i][0] = found[c];
            g[i][j][1] = found[n + c];
            g[j][i][1] = i == j ? found[n + c] : -found[n + c];
        }
    }
    return NAIK_OK;
}

/* Room in backend memory for the numbers of vectors that are added in one pass. */
typedef double (*coefficients)[2];

/* t->b = sum_a v_a t[a][block] of one parity; then it is the block. */
static naik_status rotate_block(naik_test_vectors *t, int block, int parity, naik_gram m,
                                coefficients room)
{
    naik_backend *backend = t->b->geometry->backend;
    const naik_field_ops *field = &backend->ops->field;
    const int n = t->v[block][parity]->nrhs;
    naik_field_set_nrhs(t->b, n);
    NAIK_PASS(field->zero(t->b, NULL, NAIK_RHS_IDLE));
    for (int a = 0; a <= block; a++) {
        const naik_field *v = t->v[a][parity];
        for (int s = 0; s < v->nrhs; s += NAIK_ADDED_MOST) {
            double host[NAIK_ADDED_MOST * NAIK_MG_BLOCK][2];
            const int count = v->nrhs - s < NAIK_ADDED_MOST ? v->nrhs - s : NAIK_ADDED_MOST;
            naik_combination sum = {t->b, 1 + count, {{.v = t->b}}};
            for (int i = 0; i < count * n; i++) {
                const int from = a * NAIK_MG_BLOCK + (i % n + s + i / n) % v->nrhs;
                memcpy(host[i], m[from][block * NAIK_MG_BLOCK + i % n], sizeof host[i]);
            }
            for (int k = 0; k < count; k++) {
                sum.term[1 + k] = (naik_term){
                    .v = v, .coefficient = (const double(*)[2])room + k * n, .turn = s + k};
            }
            NAIK_PASS(naik_backend_upload(backend, room, host, (size_t)(count * n) * sizeof *room));
            NAIK_PASS(field->combine(&sum, 1, NULL, NULL, NAIK_RHS_IDLE));
            NAIK_PASS(naik_backend_sync(backend));
        }
    }
    return field->copy(t->v[block][parity], t->b, NULL, NAIK_RHS_IDLE);
}

naik_status naik_test_vectors_part(naik_test_vectors *t)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = t->b->geometry->backend;
    struct {
        naik_gram g, m;
    } *of = NULL;
    coefficients room = NULL;
    NAIK_TRY(naik_new(backend->comm, sizeof *of, "a setup", (void **)&of));
    status = naik_backend_alloc(backend, NAIK_ADDED_MOST * NAIK_MG_BLOCK * sizeof *room, "a setup",
                                (void **)&room);
    NAIK_TRY(naik_comm_agree(backend->comm, status));
    for (int a = 0; a < t->blocks; a++) {
        for (int b = a; b < t->blocks; b++) {
            NAIK_TRY(pair_blocks(t, a, b, of->g));
        }
    }
    if (!naik_gram_orthonormal(of->g, t->count, of->m)) {
        goto done; /* aggregates will sort out what is left */
    }
    for (int block = t->blocks - 1; block >= 0; block--) {
        NAIK_TRY(rotate_block(t, block, NAIK_EVEN, of->m, room));
        NAIK_TRY(rotate_block(t, block, NAIK_ODD, of->m, room));
    }
done:
    if (room != NULL) {
        naik_backend_release(backend, room);
    }
    free(of);
    return status;
}
