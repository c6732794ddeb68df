/* vectors.c - the solves of a setup, in blocks of a number that no memory decides */
#include "multigrid/vectors.h"

#include <math.h>

#include "base/memory.h"
#include "operator/wilson_operator.h"
#include "solver/bicgstab.h"

naik_status naik_test_vectors_create(const naik_geometry *geometry, int count,
                                     naik_test_vectors *out)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = geometry->backend;
    *out = (naik_test_vectors){.count = count, .blocks = naik_transfer_blocks(count)};
    for (int b = 0; b < out->blocks; b++) {
        for (int parity = 0; parity < 2; parity++) {
            NAIK_TRY(naik_field_create_spin(geometry, NAIK_SINGLE, NAIK_SPIN,
                                            naik_transfer_in_block(count, b), &out->v[b][parity]));
        }
    }
    NAIK_TRY(naik_field_create_spin(geometry, NAIK_SINGLE, NAIK_SPIN, NAIK_MG_BLOCK, &out->b));
    NAIK_TRY(naik_field_create_spin(geometry, NAIK_SINGLE, NAIK_SPIN, NAIK_MG_BLOCK, &out->w));
    status = naik_backend_alloc(backend, 2 * NAIK_MG_BLOCK * sizeof *out->sums, "sums",
                                (void **)&out->sums);
    NAIK_TRY(naik_comm_agree(backend->comm, status));
done:
    if (status != NAIK_OK) {
        naik_test_vectors_destroy(out);
    }
    return status;
}

/* Of a field of so many vectors. */
static size_t spinor_bytes(const naik_geometry *geometry, naik_precision precision, int count)
{
    return geometry->backend->ops->field.bytes(geometry->lattice, precision, NAIK_SPIN * count);
}

size_t naik_test_vectors_bytes(const naik_geometry *geometry, int count)
{
    size_t bytes = 2 * spinor_bytes(geometry, NAIK_SINGLE, NAIK_MG_BLOCK); /* b, w */
    for (int b = 0; b < naik_transfer_blocks(count); b++) {
        bytes += 2 * spinor_bytes(geometry, NAIK_SINGLE, naik_transfer_in_block(count, b));
    }
    return bytes + 2 * NAIK_MG_BLOCK * sizeof(naik_exactsum);
}

void naik_test_vectors_destroy(naik_test_vectors *vectors)
{
    if (vectors->sums != NULL) { /* made after b */
        naik_backend_release(vectors->b->geometry->backend, vectors->sums);
    }
    for (int b = 0; b < vectors->blocks; b++) {
        naik_field_destroy(&vectors->v[b][0]);
        naik_field_destroy(&vectors->v[b][1]);
    }
    naik_field_destroy(&vectors->b);
    naik_field_destroy(&vectors->w);
    *vectors = (naik_test_vectors){.count = 0};
}

/* out[c] = |v_c| */
static naik_status norms(naik_test_vectors *t, const naik_field *v, double out[NAIK_MG_BLOCK])
{
    naik_backend *backend = v->geometry->backend;
    const naik_reduction_ops *reduction = &backend->ops->reduction;
    NAIK_PASS(reduction->clear(backend, t->sums, v->nrhs));
    NAIK_PASS(reduction->dot(v, v, NULL, NAIK_RHS_IDLE, t->sums));
    NAIK_PASS(reduction->over_ranks(backend, t->sums, v->nrhs));
    NAIK_PASS(reduction->values(backend, t->sums, v->nrhs, out));
    for (int c = 0; c < v->nrhs; c++) {
        out[c] = sqrt(out[c]);
    }
    return NAIK_OK;
}

/* The stream of the start: Mh e = Mh v of the noise v, and v - e after some iterations. */
typedef struct starting {
    const naik_field *b; /* Mh v, in double */
    naik_field *v;       /* in double; e is subtracted */
    naik_field *e;
    const naik_multigrid_hooks *hooks;
    naik_status asked; /* what ended it */
} starting;

static bool stop(void *data)
{
    starting *s = data;
    s->asked = naik_multigrid_ask(s->hooks);
    return s->asked != NAIK_OK;
}

static naik_status load(void *data, int64_t index, naik_field *b, int irhs,
                        naik_solver_system *system)
{
    const starting *s = data;
    *system = (naik_solver_system){.tolerance = 1e-30};
    return b->geometry->backend->ops->field.copy_rhs(b, irhs, s->b, (int)index);
}

static naik_status finish(void *data, int64_t index, const naik_field *x, int irhs,
                          const naik_solver_result *result)
{
    const starting *s = data;
    (void)result;
    return x->geometry->backend->ops->field.copy_rhs(s->e, (int)index, x, irhs);
}

/* A block: v in double becomes v - e. */
static naik_status start_block(const naik_wilson *outer, naik_solver *solver, int iterations,
                               starting *s, naik_field *scratch)
{
    static const naik_rhs_mask all = {NULL, NAIK_RHS_IDLE};
    naik_solver_options options = naik_solver_defaults();
    options.max_iterations = iterations;
    options.stay = true;
    const naik_solver_stream stream = {
        .data = s, .count = s->v->nrhs, .load = load, .finish = finish, .stop = stop};
    NAIK_PASS(
        naik_wilson_schur(outer, NAIK_EVEN, false, &all, s->v, scratch, (naik_field *)s->b, NULL));
    NAIK_PASS(naik_solver_solve(solver, NAIK_EVEN, &options, &stream));
    NAIK_PASS(s->asked);
    return s->v->geometry->backend->ops->field.axpy(-1, s->e, s->v);
}

/* v[odd] from v[even] such that M v is 0 there. */
static naik_status fill_odd(const naik_wilson *inner, naik_field *const v[2])
{
    const naik_field_ops *field = &v[0]->geometry->backend->ops->field;
    NAIK_PASS(field->zero(v[NAIK_ODD], NULL, NAIK_RHS_IDLE));
    const naik_field *const none[2] = {v[NAIK_ODD], v[NAIK_ODD]};
    return naik_wilson_schur_rebuild(inner, NAIK_EVEN, none, v);
}

/* What the start needs beside: solver, operators, fields in double. */
typedef struct start_room {
    naik_mh mh[2]; /* in double, single: with a field each */
    naik_operator op[NAIK_PRECISIONS];
    naik_solver *solver;
    naik_field *b, *v, *e, *scratch;
    double *host;
} start_room;
enum { START_FIELDS = 4 };

size_t naik_test_vectors_begin_bytes(const naik_geometry *geometry)
{
    return (START_FIELDS + 1) * spinor_bytes(geometry, NAIK_DOUBLE, NAIK_MG_BLOCK) +
           spinor_bytes(geometry, NAIK_SINGLE, NAIK_MG_BLOCK) +
           naik_solver_bytes(&naik_solver_bicgstab, &naik_operator_wilson, geometry, NAIK_SINGLE,
                             NAIK_MG_BLOCK);
}

static naik_status make_room(const naik_wilson *outer, const naik_wilson *inner, start_room *r)
{
    const naik_geometry *geometry = outer->links->geometry;
    NAIK_PASS(naik_mh_create(outer, NAIK_DOUBLE, NAIK_MG_BLOCK, &r->mh[0]));
    NAIK_PASS(naik_mh_create(inner, NAIK_SINGLE, NAIK_MG_BLOCK, &r->mh[1]));
    r->op[NAIK_DOUBLE] = naik_mh_of(&r->mh[0]);
    r->op[inner->links->precision] = naik_mh_of(&r->mh[1]);
    naik_field **const fields[START_FIELDS] = {&r->b, &r->v, &r->e, &r->scratch};
    for (size_t i = 0; i < START_FIELDS; i++) {
        NAIK_PASS(
            naik_field_create_spin(geometry, NAIK_DOUBLE, NAIK_SPIN, NAIK_MG_BLOCK, fields[i]));
    }
    NAIK_PASS(
        naik_solver_create(&naik_solver_bicgstab, r->op, NAIK_SINGLE, NAIK_MG_BLOCK, &r->solver));
    return naik_multigrid_noise_room(geometry, &r->host);
}

static void leave_room(start_room *r)
{
    naik_solver_destroy(&r->solver);
    naik_mh_destroy(&r->mh[0]);
    naik_mh_destroy(&r->mh[1]);
    naik_field_destroy(&r->b);
    naik_field_destroy(&r->v);
    naik_field_destroy(&r->e);
    naik_field_destroy(&r->scratch);
    naik_free(r->host);
}

naik_status naik_test_vectors_begin(naik_test_vectors *vectors, const naik_wilson *outer,
                                    const naik_wilson *inner, int iterations, uint64_t seed)
{
    naik_status status = NAIK_OK;
    start_room room = {.solver = NULL};
    NAIK_TRY(make_room(outer, inner, &room));
    for (int b = 0; b < vectors->blocks; b++) {
        naik_field *const *v = vectors->v[b];
        naik_field *const all[] = {room.b, room.v, room.e, room.scratch};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            naik_field_set_nrhs(all[i], v[0]->nrhs);
        }
        for (int c = 0; c < v[0]->nrhs; c++) {
            NAIK_TRY(naik_multigrid_noise(room.v, NAIK_EVEN, c, seed,
                                          (uint32_t)(b * NAIK_MG_BLOCK + c), room.host));
        }
        starting s = {room.b, room.v, room.e, &vectors->hooks, false};
        if (iterations > 0) {
            NAIK_TRY(start_block(outer, room.solver, iterations, &s, room.scratch));
        }
        NAIK_TRY(
            room.v->geometry->backend->ops->field.copy(v[NAIK_EVEN], room.v, NULL, NAIK_RHS_IDLE));
        NAIK_TRY(fill_odd(inner, v));
    }
done:
    leave_room(&room);
    return status;
}

static naik_status improve_block(naik_test_vectors *t, naik_field *const v[2], naik_cycle *cycle)
{
    const naik_field *const src[2] = {v[NAIK_EVEN], v[NAIK_ODD]};
    double length[NAIK_MG_BLOCK];
    NAIK_PASS(naik_multigrid_ask(&t->hooks));
    naik_field_set_nrhs(t->b, v[0]->nrhs);
    naik_field_set_nrhs(t->w, v[0]->nrhs);
    NAIK_PASS(naik_wilson_schur_source(cycle->wilson, NAIK_EVEN, src, t->w, t->b));
    NAIK_PASS(norms(t, t->b, length));
    NAIK_PASS(naik_cycle_apply(cycle, NAIK_EVEN, t->b, length, t->w, NULL));
    NAIK_PASS(v[0]->geometry->backend->ops->field.copy(v[NAIK_EVEN], t->w, NULL, NAIK_RHS_IDLE));
    return naik_wilson_schur_rebuild(cycle->wilson, NAIK_EVEN, src, v);
}

naik_status naik_test_vectors_improve(naik_test_vectors *vectors, naik_cycle *cycle)
{
    for (int b = 0; b < vectors->blocks; b++) {
        NAIK_PASS(improve_block(vectors, vectors->v[b], cycle));
    }
    return NAIK_OK;
}

naik_status naik_test_vectors_lengths(naik_test_vectors *vectors, double *out)
{
    for (int b = 0; b < vectors->blocks; b++) {
        double even[NAIK_MG_BLOCK], odd[NAIK_MG_BLOCK];
        NAIK_PASS(norms(vectors, vectors->v[b][NAIK_EVEN], even));
        NAIK_PASS(norms(vectors, vectors->v[b][NAIK_ODD], odd));
        for (int c = 0; c < vectors->v[b][0]->nrhs; c++) {
            out[b * NAIK_MG_BLOCK + c] = sqrt(even[c] * even[c] + odd[c] * odd[c]);
        }
    }
    return NAIK_OK;
}

naik_status naik_test_vectors_near_null(naik_test_vectors *vectors, const naik_wilson *inner,
                                        double *out)
{
    static const naik_rhs_mask all = {NULL, NAIK_RHS_IDLE};
    for (int b = 0; b < vectors->blocks; b++) {
        const naik_field *v = vectors->v[b][NAIK_EVEN];
        double image[NAIK_MG_BLOCK], length[NAIK_MG_BLOCK];
        naik_field_set_nrhs(vectors->b, v->nrhs);
        naik_field_set_nrhs(vectors->w, v->nrhs);
        NAIK_PASS(
            naik_wilson_schur(inner, NAIK_EVEN, false, &all, v, vectors->w, vectors->b, NULL));
        NAIK_PASS(norms(vectors, vectors->b, image));
        NAIK_PASS(norms(vectors, v, length));
        for (int c = 0; c < v->nrhs; c++) {
            out[b * NAIK_MG_BLOCK + c] = image[c] / length[c];
        }
    }
    return NAIK_OK;
}

naik_status naik_test_vectors_worst(naik_test_vectors *vectors, const naik_wilson *inner,
                                    double *out)
{
    double near_null[NAIK_MG_VECTORS_MOST] = {0};
    const naik_status status = naik_test_vectors_near_null(vectors, inner, near_null);
    *out = 0;
    for (int i = 0; i < vectors->count && status == NAIK_OK; i++) {
        *out = fmax(*out, near_null[i]);
    }
    return status;
}
