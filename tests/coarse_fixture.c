/* coarse_fixture.c - P and the coarse operator of small lattices, for tests */
#include "coarse_fixture.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "comm/collective.h"

bool coarse_fixture_open(check *t, const int extents[4], const int grid[4], bool alone, double mass,
                         double csw, double mu, coarse_fixture *m)
{
    *m = (coarse_fixture){.mass = mass, .mu = mu};
    if (!wilson_fixture_create_twisted(t, extents, grid, alone, 0, mass, mu, csw, false, &m->f)) {
        return false;
    }
    if (naik_multigrid_of(m->f.geometry) == NULL) {
        t->skip = "this backend has no multigrid";
        return false;
    }
    return !t->failed;
}

/* The vectors, of both parities. */
static void fill_vectors(check *t, coarse_vector_of of, void *data, coarse_fixture *m)
{
    const naik_field_ops *field = &m->f.backend->ops->field;
    for (int n = 0; n < m->vectors.count; n++) {
        naik_field *const *v = m->vectors.v[n / NAIK_MG_BLOCK];
        const int c = n % NAIK_MG_BLOCK;
        if (of != NULL) {
            of(data, m, n, m->room);
        }
        for (int parity = 0; parity < 2; parity++) {
            CHECK_OK(t, of != NULL ? field->from_host(v[parity], (naik_parity)parity, c, m->room)
                                   : naik_multigrid_noise(v[parity], (naik_parity)parity, c, 7,
                                                          (uint32_t)n, m->room));
        }
    }
}

bool coarse_fixture_fill(check *t, naik_precision precision, const int aggregate[4], int vectors,
                         coarse_vector_of of, void *data, coarse_fixture *m)
{
    const naik_geometry *g = m->f.geometry;
    naik_orthonormal met;
    CHECK_OK(
        t, naik_wilson_create(g, m->f.u, m->f.clover, m->mass, m->mu, NAIK_SINGLE, 18, &m->wilson));
    CHECK_OK(t, naik_aggregates_create(g, aggregate, &m->a));
    CHECK_OK(t, naik_transfer_create(m->a, vectors, NAIK_SINGLE, &m->made));
    m->p = m->made;
    CHECK_OK(t, naik_test_vectors_create(g, vectors, &m->vectors));
    CHECK_OK(t, naik_alloc(m->f.lat->comm->log, 4 * naik_lattice_vector_bytes(m->f.lat), "noise",
                           (void **)&m->room));
    fill_vectors(t, of, data, m);
    CHECK_OK(t, naik_transfer_fill(m->made, (naik_field *const(*)[2])m->vectors.v,
                                   m->vectors.blocks, &met));
    CHECK_TRUE(t, met.replaced == 0);
    CHECK_TRUE(t, met.least > 1e-3 && met.least <= 1);
    if (precision == NAIK_HALF) {
        m->p = NULL;
        CHECK_OK(t, naik_transfer_create(m->a, vectors, NAIK_HALF, &m->p));
        CHECK_OK(t, naik_multigrid_of(g)->compress(m->p, m->made));
    }
    for (int i = 0; i < 3; i++) {
        CHECK_OK(t, naik_field_create_spin(g, NAIK_SINGLE, NAIK_SPIN, NAIK_MG_BLOCK, &m->field[i]));
    }
    CHECK_OK(t, naik_coarse_operator_create(m->p, &m->op));
    CHECK_OK(t, naik_coarse_operator_fill(m->op, m->p, m->wilson, m->field, NULL));
    CHECK_OK(t, naik_coarse_halo_create(m->a, 2 * vectors, COARSE_RHS, &m->halo));
    return !t->failed;
}

bool coarse_fixture_create(check *t, const int extents[4], const int grid[4], bool alone,
                           double csw, double mu, naik_precision precision, const int aggregate[4],
                           int vectors, coarse_fixture *m)
{
    return coarse_fixture_open(t, extents, grid, alone, 0.3, csw, mu, m) &&
           coarse_fixture_fill(t, precision, aggregate, vectors, NULL, NULL, m);
}

void coarse_fixture_destroy(coarse_fixture *m)
{
    naik_coarse_halo_destroy(&m->halo);
    naik_coarse_operator_destroy(&m->op);
    for (int i = 0; i < 3; i++) {
        naik_field_destroy(&m->field[i]);
    }
    naik_test_vectors_destroy(&m->vectors);
    if (m->p != m->made) {
        naik_transfer_destroy(&m->p);
    }
    naik_transfer_destroy(&m->made);
    naik_aggregates_destroy(&m->a);
    naik_wilson_destroy(&m->wilson);
    naik_free(m->room);
    wilson_fixture_destroy(&m->f);
}

int coarse_components(const coarse_fixture *m)
{
    return 2 * m->p->vectors;
}

size_t coarse_number_count(const coarse_fixture *m, int c)
{
    return (size_t)m->a->count[c] * (size_t)coarse_components(m) * 2;
}

void coarse_make(check *t, const coarse_fixture *m, naik_coarse *out[2])
{
    for (int c = 0; c < 2; c++) {
        out[c] = NULL;
        CHECK_OK(t, naik_coarse_create(m->a, coarse_components(m), COARSE_RHS, &out[c]));
    }
}

void coarse_free(naik_coarse *v[2])
{
    naik_coarse_destroy(&v[0]);
    naik_coarse_destroy(&v[1]);
}

void coarse_fill_random(check *t, const coarse_fixture *m, naik_coarse *const v[2])
{
    const naik_multigrid_ops *ops = naik_multigrid_of(m->f.geometry);
    for (int c = 0; c < 2; c++) {
        double *host = malloc((coarse_number_count(m, c) + 1) * sizeof *host);
        for (int r = 0; r < COARSE_RHS; r++) {
            for (int32_t i = 0; i < m->a->count[c] * coarse_components(m); i++) {
                float number[2];
                naik_mg_noise(m->a->global[c][i / coarse_components(m)], r, 3,
                              i % coarse_components(m), number);
                host[2 * i] = (double)number[0];
                host[2 * i + 1] = (double)number[1];
            }
            CHECK_OK(t, ops->coarse_from_host(v[c], (naik_parity)c, r, host));
        }
        free(host);
    }
}

double coarse_difference(check *t, const coarse_fixture *m, naik_coarse *const a[2],
                         naik_coarse *const b[2])
{
    const naik_multigrid_ops *ops = naik_multigrid_of(m->f.geometry);
    double sum[2] = {0, 0};
    for (int c = 0; c < 2; c++) {
        const size_t numbers = coarse_number_count(m, c);
        double *x = malloc((numbers + 1) * sizeof *x), *y = malloc((numbers + 1) * sizeof *y);
        for (int r = 0; r < COARSE_RHS; r++) {
            CHECK_OK(t, ops->coarse_to_host(a[c], (naik_parity)c, r, x));
            CHECK_OK(t, ops->coarse_to_host(b[c], (naik_parity)c, r, y));
            for (size_t i = 0; i < numbers; i++) {
                sum[0] += (x[i] - y[i]) * (x[i] - y[i]);
                sum[1] += y[i] * y[i];
            }
        }
        free(x);
        free(y);
    }
    CHECK_OK(t, naik_comm_max_f64(m->f.lat->comm, sum, 2));
    return sqrt(sum[0] / sum[1]);
}

void coarse_apply(check *t, const coarse_fixture *m, naik_coarse *const in[2],
                  naik_coarse *const out[2])
{
    const naik_multigrid_ops *ops = naik_multigrid_of(m->f.geometry);
    const naik_coarse_operator *op = m->op;
    naik_coarse *hops = NULL;
    double ones[NAIK_MG_WIDTH], both[NAIK_MG_WIDTH][2];
    for (int c = 0; c < NAIK_MG_WIDTH; c++) {
        ones[c] = both[c][0] = 1;
        both[c][1] = 0;
    }
    CHECK_OK(t, naik_coarse_create(op->aggregates, op->components, in[0]->nrhs, &hops));
    for (int c = 0; c < 2 && hops != NULL; c++) {
        const naik_coarse *const more[1] = {hops};
        CHECK_OK(t, naik_coarse_exchange(m->halo, in[!c], (naik_parity)!c));
        CHECK_OK(t, ops->dslash(op->made, (naik_parity)c, in[!c], NULL, hops));
        CHECK_OK(t, ops->multiply(op->made, NAIK_MG_LOCAL, (naik_parity)c, in[c], out[c]));
        CHECK_OK(t, ops->update(out[c], (naik_parity)c, ones, more, 1, &both[0][0]));
    }
    naik_coarse_destroy(&hops);
}

void coarse_restrict(check *t, const coarse_fixture *m, naik_field *const v[2],
                     naik_coarse *const out[2])
{
    const naik_multigrid_ops *ops = naik_multigrid_of(m->f.geometry);
    naik_coarse *part[2];
    double ones[NAIK_MG_WIDTH], b[NAIK_MG_WIDTH][2] = {{0}};
    coarse_make(t, m, part);
    for (int c = 0; c < NAIK_MG_WIDTH; c++) {
        ones[c] = b[c][0] = 1;
    }
    CHECK_OK(t, ops->restrict_to(m->p, NAIK_EVEN, v[0], out));
    CHECK_OK(t, ops->restrict_to(m->p, NAIK_ODD, v[1], part));
    for (int c = 0; c < 2; c++) {
        const naik_coarse *const one[1] = {part[c]};
        CHECK_OK(t, ops->update(out[c], (naik_parity)c, ones, one, 1, &b[0][0]));
    }
    coarse_free(part);
}

void coarse_prolong(check *t, const coarse_fixture *m, naik_coarse *const e[2],
                    naik_field *const v[2])
{
    const naik_coarse *const from[2] = {e[0], e[1]};
    for (int parity = 0; parity < 2; parity++) {
        naik_field_set_nrhs(v[parity], COARSE_RHS);
        CHECK_OK(
            t,
            naik_multigrid_of(m->f.geometry)->prolong(m->p, (naik_parity)parity, from, v[parity]));
    }
}
