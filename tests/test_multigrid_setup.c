/* test_multigrid_setup.c - a whole setup: the memory that it takes, what ends it, and how it knows itself
 *
 * ranks: 1 2
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/halo.h"
#include "base/memory.h"
#include "comm/collective.h"
#include "ledger.h"
#include "multigrid/polynomial.h"
#include "multigrid/setup.h"
#include "multigrid/vectors.h"
#include "solver/gcr.h"
#include "wilson_fixture.h"

static const int size[4] = {4, 4, 8, 8};

/* Operators of one mass, and a small setup. */
typedef struct setup_fixture {
    wilson_fixture f;
    naik_wilson *outer, *inner;
    naik_multigrid_parameters parameters;
} setup_fixture;

static bool create(check *t, setup_fixture *s)
{
    *s = (setup_fixture){.parameters = naik_multigrid_defaults()};
    if (!wilson_fixture_create(t, size, NULL, false, 0, 0.3, 0, false, &s->f)) {
        return false;
    }
    CHECK_OK(t,
             naik_wilson_create(s->f.geometry, s->f.u, NULL, 0.3, 0, NAIK_DOUBLE, 18, &s->outer));
    CHECK_OK(t,
             naik_wilson_create(s->f.geometry, s->f.u, NULL, 0.3, 0, NAIK_SINGLE, 18, &s->inner));
    memcpy(s->parameters.aggregate, (const int[4]){2, 2, 4, 4}, sizeof s->parameters.aggregate);
    s->parameters.vectors = 15;
    s->parameters.start = 2;
    s->parameters.cycles = 1;
    s->parameters.smoother = 4;
    s->parameters.coarse_space = 8;
    return !t->failed;
}

static void destroy(setup_fixture *s)
{
    naik_wilson_destroy(&s->outer);
    naik_wilson_destroy(&s->inner);
    wilson_fixture_destroy(&s->f);
}

/* What it takes and what it keeps, within 3%; messages of D are a line of the plan's own. */
static void takes(check *t, const setup_fixture *s, int width)
{
    naik_multigrid *mg = NULL;
    naik_gcr *gcr = NULL;
    naik_backend *backend = s->f.backend;
    const naik_multigrid_sizes sizes =
        naik_multigrid_bytes(s->f.geometry, s->parameters.aggregate, width, &s->parameters);
    ledger_open(backend);
    const size_t before = ledger_now();
    CHECK_OK(
        t, naik_multigrid_create(s->outer, s->inner, width, &s->parameters, NULL, NULL, NULL, &mg));
    const size_t messages = ledger_messages();
    CHECK_NEAR(t, (double)(ledger_most() - messages) / (double)(sizes.kept + sizes.making), 1,
               0.03);
    CHECK_NEAR(t, (double)(ledger_now() - messages) / (double)sizes.kept, 1, 0.03);
    ledger_begin();
    CHECK_OK(t, naik_multigrid_change(mg, s->outer, s->inner));
    CHECK_TRUE(t, ledger_most() - messages <= sizes.kept + sizes.making);
    const size_t kept = ledger_now();
    CHECK_OK(t, naik_gcr_create(s->f.geometry, NAIK_SINGLE, NAIK_SPIN, width, s->parameters.restart,
                                &gcr));
    CHECK_NEAR(t, (double)(ledger_now() - kept) / (double)sizes.directions, 1, 0.03);
    naik_gcr_destroy(&gcr);
    naik_multigrid_destroy(&mg);
    CHECK_TRUE(t, ledger_now() == before + messages);
    ledger_close(backend);
}

static void a_setup_takes_the_memory_that_is_planned(check *t)
{
    setup_fixture s;
    if (create(t, &s)) {
        takes(t, &s, 5);
        s.parameters.precision = 32;
        s.parameters.restart = 3;
        s.parameters.start = 0;
        takes(t, &s, 16);
    }
    destroy(&s);
}

/* Whether the matrices that solves use are the same to the bit. */
static bool same_matrices(check *t, const naik_coarse_links *a, const naik_coarse_links *b)
{
    naik_backend *backend = a->aggregates->geometry->backend;
    char *x = malloc(a->size_bytes), *y = malloc(a->size_bytes);
    CHECK_OK(t, naik_backend_download(backend, x, a->data, a->size_bytes));
    CHECK_OK(t, naik_backend_download(backend, y, b->data, a->size_bytes));
    const bool same = memcmp(x, y, a->size_bytes) == 0;
    free(x);
    free(y);
    return same;
}

/* A bit of P falls over between the solves of two masses: the second does not take it for what was made. */
static void what_was_kept_is_still_known(check *t, naik_multigrid *mg, const naik_wilson *outer,
                                         const naik_wilson *inner)
{
    const char *what = NULL;
    int rank = 0;
    unsigned char byte;
    naik_backend *backend = mg->aggregates->geometry->backend;
    char *at = (char *)mg->used->data + mg->used->size_bytes / 3;
    CHECK_OK(t, naik_multigrid_verify(mg, &what, &rank));
    CHECK_INT(t, rank, -1);
    CHECK_OK(t, naik_backend_download(backend, &byte, at, 1));
    byte ^= 1;
    CHECK_OK(t, naik_backend_upload(backend, at, &byte, 1));
    CHECK_OK(t, naik_multigrid_change(mg, outer, inner));
    CHECK_OK(t, naik_multigrid_verify(mg, &what, &rank));
    CHECK_INT(t, rank, 0);
    CHECK_TRUE(t, strcmp(what, "near-null vectors") == 0);
}

static void another_mass_has_its_own_coarse_operator_and_smoother(check *t)
{
    setup_fixture s;
    naik_wilson *outer = NULL, *inner = NULL;
    naik_coarse_operator *direct = NULL;
    naik_multigrid *mg = NULL;
    naik_polynomial smoother;
    if (create(t, &s)) {
        CHECK_OK(t, naik_wilson_create(s.f.geometry, s.f.u, NULL, 0.7, 0, NAIK_DOUBLE, 18, &outer));
        CHECK_OK(t, naik_wilson_create(s.f.geometry, s.f.u, NULL, 0.7, 0, NAIK_SINGLE, 18, &inner));
        CHECK_OK(t, naik_multigrid_create(s.outer, s.inner, NAIK_MG_BLOCK, &s.parameters, NULL,
                                          NULL, NULL, &mg));
        CHECK_OK(t, naik_multigrid_change(mg, outer, inner));
        CHECK_TRUE(t, mg->cycle->wilson == inner);
        naik_field *const scratch[3] = {mg->cycle->rest, mg->cycle->other, mg->cycle->x};
        CHECK_OK(t, naik_coarse_operator_create(mg->used, &direct));
        CHECK_OK(t, naik_coarse_operator_fill(direct, mg->used, inner, scratch, NULL));
        CHECK_TRUE(t, same_matrices(t, mg->coarse->used, direct->used));
        for (int parity = 0; parity < 2; parity++) {
            CHECK_OK(t, naik_polynomial_fit(outer, (naik_parity)parity, s.parameters.smoother,
                                            s.parameters.seed, &smoother));
            for (int i = 0; i < s.parameters.smoother; i++) {
                CHECK_NEAR(t, mg->smoother[parity].c[i], smoother.c[i], 0);
            }
        }
        what_was_kept_is_still_known(t, mg, outer, inner);
        mg->cycle->cycles = 5; /* of solves: a print is a cycle that nobody asked for */
        mg->cycle->steps = 7;
        char text[NAIK_MULTIGRID_PRINT];
        CHECK_OK(t, naik_multigrid_print(mg, text));
        CHECK_INT(t, mg->cycle->cycles, 5);
        CHECK_INT(t, mg->cycle->steps, 7);
        naik_coarse_operator_destroy(&direct);
        naik_multigrid_destroy(&mg);
        naik_wilson_destroy(&outer);
        naik_wilson_destroy(&inner);
    }
    destroy(&s);
}

/* A mass that is the one before makes the same of the vectors, which stay: what a setup ends with is what a change makes,
 * whether cycles improved them or not. */
static void the_same_mass_again_changes_nothing(check *t)
{
    setup_fixture s;
    if (create(t, &s)) {
        for (int cycles = 0; cycles < 2; cycles++) {
            char text[2][NAIK_MULTIGRID_PRINT];
            naik_multigrid *mg = NULL;
            s.parameters.cycles = cycles;
            CHECK_OK(t, naik_multigrid_create(s.outer, s.inner, NAIK_MG_BLOCK, &s.parameters, NULL,
                                              NULL, NULL, &mg));
            CHECK_TRUE(t, naik_coarse_solver_low(mg->cycle->coarse)->used);
            CHECK_OK(t, naik_multigrid_print(mg, text[0]));
            CHECK_OK(t, naik_multigrid_change(mg, s.outer, s.inner));
            CHECK_OK(t, naik_multigrid_print(mg, text[1]));
            CHECK_TEXT(t, text[1], text[0]);
            naik_multigrid_destroy(&mg);
        }
    }
    destroy(&s);
}

/* Norms that are too small by more and more, until sums have no room: that is counted. */
static void what_has_no_room_is_counted(check *t)
{
    setup_fixture s;
    naik_multigrid *mg = NULL;
    naik_field *r = NULL, *z = NULL;
    double *room = NULL;
    CHECK_REQUIRE(t, create(t, &s));
    CHECK_OK(t, naik_multigrid_create(s.outer, s.inner, NAIK_MG_BLOCK, &s.parameters, NULL, NULL,
                                      NULL, &mg));
    CHECK_OK(t, naik_field_create_spin(s.f.geometry, NAIK_SINGLE, NAIK_SPIN, 1, &r));
    CHECK_OK(t, naik_field_create_spin(s.f.geometry, NAIK_SINGLE, NAIK_SPIN, 1, &z));
    CHECK_OK(t, naik_multigrid_noise_room(s.f.geometry, &room));
    CHECK_OK(t, naik_multigrid_noise(r, NAIK_EVEN, 0, 7, 1, room));
    double norm = sqrt(12.0 * (double)s.f.lat->volume);
    CHECK_OK(t, naik_cycle_apply(mg->cycle, NAIK_EVEN, r, &norm, z, NULL));
    CHECK_INT(t, mg->cycle->beyond, 0);
    for (int i = 0; i < 20 && mg->cycle->beyond == 0; i++) {
        norm /= 2;
        CHECK_OK(t, naik_cycle_apply(mg->cycle, NAIK_EVEN, r, &norm, z, NULL));
    }
    CHECK_INT(t, mg->cycle->beyond, 1);
    naik_free(room);
    naik_field_destroy(&r);
    naik_field_destroy(&z);
    naik_multigrid_destroy(&mg);
    destroy(&s);
}

/* All of them on the host, [count][2][sites][reals], with zeros on the sites of the other parity. */
static double *bring_home(check *t, const setup_fixture *s, const naik_test_vectors *v)
{
    const int64_t reals = 6 * NAIK_SPIN * (int64_t)s->f.lat->sites;
    double *out = calloc((size_t)(2 * v->count * reals), sizeof *out);
    for (int i = 0; out != NULL && i < 2 * v->count; i++) {
        const int at = i / 2;
        CHECK_OK(t, s->f.backend->ops->field.to_host(v->v[at / NAIK_MG_BLOCK][i % 2],
                                                     i % 2 == 0 ? NAIK_EVEN : NAIK_ODD,
                                                     at % NAIK_MG_BLOCK, out + i * reals));
    }
    return out;
}

/* However small the residual has become: a setup is the same on any links, and takes the time that was asked for. */
static void a_start_makes_all_its_iterations(check *t)
{
    setup_fixture s;
    CHECK_REQUIRE(t, create(t, &s));
    double *found[2] = {NULL, NULL};
    const size_t bytes = 12 * NAIK_SPIN * (size_t)s.f.lat->sites * sizeof(double);
    for (int more = 0; more < 2; more++) {
        naik_test_vectors v;
        CHECK_OK(t, naik_test_vectors_create(s.f.geometry, 1, &v));
        CHECK_OK(t, naik_test_vectors_begin(&v, s.outer, s.inner, 24 + more, 7));
        found[more] = bring_home(t, &s, &v);
        naik_test_vectors_destroy(&v);
    }
    const bool same = memcmp(found[0], found[1], bytes) == 0;
    CHECK_TRUE(t, !same);
    free(found[0]);
    free(found[1]);
    destroy(&s);
}

static naik_status product(naik_comm *comm, const double *a, const double *b, int64_t reals,
                           double out[2])
{
    naik_exactsum sum[2];
    for (int part = 0; part < 2; part++) {
        double mine = 0;
        for (int64_t k = 0; k < reals; k += 2) {
            mine +=
                part == 0 ? a[k] * b[k] + a[k + 1] * b[k + 1] : a[k] * b[k + 1] - a[k + 1] * b[k];
        }
        naik_exactsum_clear(&sum[part]);
        naik_exactsum_add(&sum[part], mine);
    }
    const naik_status status = naik_comm_sum_exact(comm, sum, 2);
    out[0] = naik_exactsum_value(&sum[0]);
    out[1] = naik_exactsum_value(&sum[1]);
    return status;
}

/* Their lengths are those of both parities, and the worst of them, which is not the last, is the one that is told. */
static void vectors_are_measured_on_the_whole_lattice(check *t)
{
    enum { COUNT = NAIK_MG_BLOCK + 3 };
    setup_fixture s;
    naik_test_vectors v;
    double *room = NULL, length[COUNT], near_null[COUNT] = {0}, worst, most = 0;
    CHECK_REQUIRE(t, create(t, &s));
    const int64_t reals = 6 * NAIK_SPIN * (int64_t)s.f.lat->sites;
    CHECK_OK(t, naik_multigrid_noise_room(s.f.geometry, &room));
    CHECK_OK(t, naik_test_vectors_create(s.f.geometry, COUNT, &v));
    for (int i = 0; i < 2 * COUNT; i++) {
        CHECK_OK(t, naik_multigrid_noise(v.v[i / 2 / NAIK_MG_BLOCK][i % 2],
                                         i % 2 == 0 ? NAIK_EVEN : NAIK_ODD, i / 2 % NAIK_MG_BLOCK,
                                         9, (uint32_t)i, room));
    }
    double *home = bring_home(t, &s, &v);
    CHECK_OK(t, naik_test_vectors_lengths(&v, length));
    CHECK_OK(t, naik_test_vectors_near_null(&v, s.inner, near_null));
    CHECK_OK(t, naik_test_vectors_worst(&v, s.inner, &worst));
    for (int i = 0; i < COUNT; i++) {
        double whole[2];
        const double *mine = home + 2 * i * reals;
        CHECK_OK(t, product(t->comm, mine, mine, 2 * reals, whole));
        CHECK_NEAR(t, length[i], sqrt(whole[0]), 1e-6 * length[i]);
        most = fmax(most, near_null[i]);
    }
    CHECK_TRUE(t, worst == most && worst > near_null[COUNT - 1]);
    free(home);
    naik_test_vectors_destroy(&v);
    naik_free(room);
    destroy(&s);
}

/* Vectors that are much alike become orthonormal, and span what they did: each is made of those up to it. */
static void vectors_are_parted_and_span_the_same(check *t)
{
    static const int counts[] = {1, 3, NAIK_MG_BLOCK, NAIK_MG_BLOCK + 1, 2 * NAIK_MG_BLOCK + 3};
    setup_fixture s;
    double *room = NULL;
    CHECK_REQUIRE(t, create(t, &s));
    CHECK_OK(t, naik_multigrid_noise_room(s.f.geometry, &room));
    const int64_t reals = 2 * 6 * NAIK_SPIN * (int64_t)s.f.lat->sites;
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        const int count = counts[k];
        naik_test_vectors v;
        CHECK_OK(t, naik_test_vectors_create(s.f.geometry, count, &v));
        for (int i = 0; i < 2 * count;
             i++) { /* every third is the noise of two before and its own */
            const int at = i / 2;
            CHECK_OK(t, naik_multigrid_noise(v.v[at / NAIK_MG_BLOCK][i % 2],
                                             i % 2 == 0 ? NAIK_EVEN : NAIK_ODD, at % NAIK_MG_BLOCK,
                                             7, (uint32_t)(at % 3 == 2 && i % 2 == 0 ? at - 2 : at),
                                             room));
        }
        double *before = bring_home(t, &s, &v);
        CHECK_OK(t, naik_test_vectors_part(&v));
        double *after = bring_home(t, &s, &v);
        double worst = 0, left = 0;
        for (int i = 0; i < count; i++) {
            double whole[2], z[2];
            CHECK_OK(t, product(t->comm, before + i * reals, before + i * reals, reals, whole));
            double covered = 0;
            for (int j = 0; j < count; j++) {
                CHECK_OK(t, product(t->comm, after + j * reals, after + i * reals, reals, z));
                worst = naik_worst(worst, hypot(z[0] - (i == j), z[1]));
                CHECK_OK(t, product(t->comm, after + j * reals, before + i * reals, reals, z));
                covered += j <= i ? (z[0] * z[0] + z[1] * z[1]) / whole[0] : 0;
            }
            left = naik_worst(left, fabs(1 - covered));
        }
        CHECK_NEAR(t, worst, 0, 1e-5); /* of single precision */
        CHECK_NEAR(t, left, 0, 1e-5);
        free(before);
        free(after);
        naik_test_vectors_destroy(&v);
    }
    naik_free(room);
    destroy(&s);
}

CHECK_MAIN(CHECK(vectors_are_parted_and_span_the_same),
           CHECK_UP_TO(2, vectors_are_measured_on_the_whole_lattice),
           CHECK_UP_TO(1, the_same_mass_again_changes_nothing),
           CHECK(a_start_makes_all_its_iterations), CHECK_UP_TO(1, what_has_no_room_is_counted),
           CHECK_UP_TO(1, another_mass_has_its_own_coarse_operator_and_smoother),
           CHECK(a_setup_takes_the_memory_that_is_planned))
