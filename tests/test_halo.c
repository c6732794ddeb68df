/* test_halo.c - the exchange of halos: its content, under delays, over every transport
 *
 * ranks: 2 4 8
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/create.h"
#include "backend/dslash.h"
#include "backend/halo.h"
#include "base/exactsum.h"
#include "base/rng.h"
#include "fixture.h"
#include "operator/staggered.h"

enum { FIELDS = 3, ROUND = 50 };
static const int small[4] = {4, 8, 8, 8};
static const naik_layers shallow = {NAIK_EVEN, 1, NAIK_WHOLE};
static const naik_layers deep = {NAIK_EVEN, NAIK_HALO_DEPTH, NAIK_WHOLE};

/* Everything that sums |D in_j|^2 exactly, for a few vectors in_j. */
typedef struct summer {
    const fixture *f;
    naik_links *links;
    naik_field *in[FIELDS], *zero, *out;
    naik_rhs *rhs;
    naik_exactsum *sums;
} summer;

static void summer_create(check *t, const fixture *f, summer *s)
{
    const naik_backend_ops *ops = f->backend->ops;
    const naik_rhs record = {.shift = 1, .state = NAIK_RHS_RUN};
    *s = (summer){.f = f};
    CHECK_OK(t, naik_links_create(f->geometry, f->source, NAIK_SINGLE, 18, &s->links));
    for (int j = 0; j < FIELDS; j++) {
        s->in[j] = fixture_field(t, f, NAIK_SINGLE, 1, 40 + (uint64_t)j, NAIK_ODD);
    }
    CHECK_OK(t, naik_field_create(f->geometry, NAIK_SINGLE, 1, &s->zero));
    CHECK_OK(t, naik_field_create(f->geometry, NAIK_SINGLE, 1, &s->out));
    CHECK_OK(t, naik_backend_alloc(f->backend, sizeof record, "a record", (void **)&s->rhs));
    CHECK_OK(t, naik_backend_alloc(f->backend, sizeof *s->sums, "a sum", (void **)&s->sums));
    CHECK_OK(t, naik_backend_upload(f->backend, s->rhs, &record, sizeof record));
    CHECK_OK(t, ops->reduction.clear(f->backend, s->sums, 1));
}

static void summer_destroy(summer *s)
{
    naik_backend_release(s->f->backend, s->rhs);
    naik_backend_release(s->f->backend, s->sums);
    for (int j = 0; j < FIELDS; j++) {
        naik_field_destroy(&s->in[j]);
    }
    naik_field_destroy(&s->zero);
    naik_field_destroy(&s->out);
    naik_links_destroy(&s->links);
}

/* sums += |D in_j|^2 of this rank's sites */
static naik_status add_term(const summer *s, int j)
{
    const naik_dslash_args args = {.form = NAIK_FORM_RESIDUAL,
                                   .parity = NAIK_EVEN,
                                   .links = s->links,
                                   .in = s->in[j],
                                   .out = s->out,
                                   .v = s->zero,
                                   .b = s->zero,
                                   .rhs = s->rhs,
                                   .state = NAIK_RHS_RUN,
                                   .sums = s->sums};
    return naik_dslash(&args);
}

/* What each term is, from one rank that exchanges nothing. */
static void expected_terms(check *t, const int size[4], naik_exactsum terms[FIELDS])
{
    fixture one;
    summer s;
    if (fixture_create(t, size, NULL, true, false, 1, &one)) {
        summer_create(t, &one, &s);
        for (int j = 0; j < FIELDS; j++) {
            CHECK_OK(t, one.backend->ops->reduction.clear(one.backend, s.sums, 1));
            CHECK_OK(t, add_term(&s, j));
            CHECK_OK(t, naik_backend_download(one.backend, &terms[j], s.sums, sizeof terms[j]));
        }
        summer_destroy(&s);
    }
    fixture_destroy(&one);
}

/* Ranks get out of step: a pause of the host now and then, needless work for the device. */
static void dawdle(const summer *s, naik_rng *rng, naik_exactsum *waste)
{
    double u = naik_rng_uniform(rng);
    if (u < 0.01) {
        usleep((useconds_t)(20000 * u));
    }
    for (int i = 0; u > 0.9 && i < (int)(200 * (u - 0.9)); i++) {
        (void)s->f->backend->ops->reduction.dot(s->in[0], s->in[0], NULL, NAIK_RHS_IDLE, waste);
    }
}

static void run_exchanges(check *t, const summer *s, const naik_exactsum terms[FIELDS], int count)
{
    naik_backend *backend = s->f->backend;
    naik_exactsum total, *waste = NULL;
    naik_rng same = naik_rng_at(1, 0, 0);
    naik_rng own = naik_rng_at(2, 0, (uint64_t)s->f->lat->comm->rank);
    int bad = 0;
    CHECK_OK(t, naik_backend_alloc(backend, sizeof *waste, "a sum", (void **)&waste));
    CHECK_OK(t, backend->ops->reduction.clear(backend, waste, 1));
    for (int round = 0; round < count && bad == 0; round += ROUND) {
        double value = 0;
        naik_exactsum_clear(&total);
        CHECK_OK(t, backend->ops->reduction.clear(backend, s->sums, 1));
        for (int i = 0; i < ROUND; i++) {
            int j = (int)(FIELDS * naik_rng_uniform(&same)) % FIELDS;
            dawdle(s, &own, waste);
            bad += add_term(s, j) != NAIK_OK;
            naik_exactsum_merge(&total, &terms[j]);
        }
        CHECK_OK(t, backend->ops->reduction.over_ranks(backend, s->sums, 1));
        CHECK_OK(t, backend->ops->reduction.values(backend, s->sums, 1, &value));
        bad += value != naik_exactsum_value(&total);
    }
    CHECK_INT(t, bad, 0);
    naik_backend_release(backend, waste);
}

static void exchange_many(check *t, const int size[4], const int grid[4])
{
    const char *asked = getenv("NAIK_TEST_EXCHANGES");
    const int count = asked != NULL ? atoi(asked) : 250;
    naik_exactsum terms[FIELDS];
    fixture f;
    summer s;
    expected_terms(t, size, terms);
    if (fixture_create(t, size, grid, false, false, 1, &f)) {
        summer_create(t, &f, &s);
        run_exchanges(t, &s, terms, count);
        summer_destroy(&s);
    }
    fixture_destroy(&f);
}

static void every_exchange_brings_its_own_content(check *t)
{
    exchange_many(t, small, NULL);
    fixture_for_cut_and_split(t, exchange_many);
}

/* Random spinors. */
static naik_field *spinors(check *t, const fixture *f, naik_precision precision, int nrhs)
{
    naik_field *field = NULL;
    double *sites = malloc(NAIK_SPIN * naik_lattice_vector_bytes(f->lat));
    CHECK_OK(t, naik_field_create_spin(f->geometry, precision, NAIK_SPIN, nrhs, &field));
    for (int c = 0; field != NULL && c < nrhs; c++) {
        for (int s = 0; s < NAIK_SPIN; s++) {
            double *v = fixture_vector(f, (uint64_t)(NAIK_SPIN * c + s), NAIK_EVEN);
            for (int32_t site = 0; site < f->lat->sites; site++) {
                memcpy(sites + 6 * (NAIK_SPIN * site + s), v + 6 * site, 6 * sizeof *v);
            }
            free(v);
        }
        CHECK_OK(t, f->backend->ops->field.from_host(field, NAIK_EVEN, c, sites));
    }
    free(sites);
    return field;
}

/* The halo zones as stored, after exchanges over a transport; of half spinors after others, whose
 * numbers lie elsewhere. NULL where it fails. */
static char *zones_over(check *t, naik_transport transport, naik_precision precision, int nrhs,
                        const naik_layers *layers, size_t *size_bytes)
{
    const naik_backend_options options = {.threads = 1, .share_gpu = true, .transport = transport};
    fixture f = {.lat = NULL};
    naik_field *field = NULL;
    char *bytes = NULL;
    bool ok =
        CHECK_OK(t, naik_lattice_create(t->comm, small, NULL, &f.lat)) &&
        CHECK_OK(t, naik_backend_create(t->comm, fixture_backend_name(), &options, &f.backend)) &&
        CHECK_OK(t, naik_geometry_create(f.backend, f.lat, &f.geometry));
    if (ok) {
        const bool whole = layers->halves == NAIK_WHOLE;
        naik_field *other = spinors(t, &f, NAIK_SINGLE, 2);
        field = whole ? fixture_field(t, &f, precision, nrhs, 3, NAIK_EVEN)
                      : spinors(t, &f, precision, nrhs);
        for (int i = 0; i < 3; i++) { /* more than there are buffers */
            for (int k = 0; !whole && k < 2; k++) {
                CHECK_OK(t, naik_halo_start(f.geometry->halo, other, &deep));
                CHECK_OK(t, naik_halo_wait(f.geometry->halo, other, &deep));
            }
            CHECK_OK(t, naik_halo_start(f.geometry->halo, field, layers));
            CHECK_OK(t, naik_halo_wait(f.geometry->halo, field, layers));
        }
        naik_field_destroy(&other);
        *size_bytes = field->size_bytes;
        bytes = malloc(*size_bytes);
        CHECK_OK(t, naik_backend_download(f.backend, bytes, field->data, *size_bytes));
    }
    naik_field_destroy(&field);
    naik_geometry_destroy(&f.geometry);
    naik_backend_destroy(&f.backend);
    naik_lattice_destroy(&f.lat);
    return bytes;
}

static void compare_transports(check *t, naik_precision precision, int nrhs,
                               const naik_layers *layers)
{
    static const naik_transport transports[] = {NAIK_TRANSPORT_AUTO, NAIK_TRANSPORT_PEER,
                                                NAIK_TRANSPORT_MPI_DEVICE};
    size_t size = 0, other = 0;
    char *staged = zones_over(t, NAIK_TRANSPORT_STAGED, precision, nrhs, layers, &size);
    for (size_t i = 0; i < sizeof transports / sizeof *transports; i++) {
        /* an MPI that takes no device memory would end the program */
        if (transports[i] == NAIK_TRANSPORT_MPI_DEVICE && !naik_halo_mpi_takes_device_memory()) {
            continue;
        }
        char *bytes = zones_over(t, transports[i], precision, nrhs, layers, &other);
        CHECK_TRUE(t, staged != NULL && bytes != NULL && size == other &&
                          memcmp(staged, bytes, size) == 0);
        free(bytes);
    }
    free(staged);
}

static void every_transport_brings_the_same_bytes(check *t)
{
    static const int widths[] = {1, 3};
    static const naik_layers halves = {NAIK_EVEN, 1, NAIK_HALVES};
    static const naik_layers dagger = {NAIK_EVEN, 1, NAIK_HALVES_DAGGER};
    for (int shape = 0; shape < 12; shape++) {
        compare_transports(t, (naik_precision)(shape % 3), widths[shape / 3 % 2],
                           shape < 6 ? &deep : &shallow);
    }
    compare_transports(t, NAIK_DOUBLE, 3, &halves);
    compare_transports(t, NAIK_SINGLE, 1, &dagger);
}

/* The field as stored after the exchange that is next; the caller frees. */
static char *exchanged(check *t, const fixture *f, naik_field *field, int depth)
{
    const naik_layers layers = {.parity = NAIK_EVEN, .depth = depth};
    char *bytes = malloc(field->size_bytes);
    CHECK_OK(t, naik_halo_start(f->geometry->halo, field, &layers));
    CHECK_OK(t, naik_halo_wait(f->geometry->halo, field, &layers));
    CHECK_OK(t, naik_backend_download(f->backend, bytes, field->data, field->size_bytes));
    return bytes;
}

/* What was sent while `field` was written, and what an exchange of its own brings. */
static void compare_sent(check *t, const fixture *f, naik_field *field, int depth)
{
    char *meanwhile = exchanged(t, f, field, depth);
    char *after = exchanged(t, f, field, depth);
    CHECK_TRUE(t, memcmp(meanwhile, after, field->size_bytes) == 0);
    free(meanwhile);
    free(after);
}

/* rhs in this state: of several that have stopped nobody wants the halo, of one alone it is sent. */
static void compare_producers(check *t, const fixture *f, naik_precision precision, int nrhs,
                              naik_rhs_state state)
{
    const naik_backend_ops *ops = f->backend->ops;
    naik_rhs record[4], *rhs = NULL;
    naik_exactsum *sums = NULL;
    naik_links *links = NULL;
    naik_field *in = fixture_field(t, f, precision, nrhs, 5, NAIK_ODD), *out = NULL;
    naik_field *r = fixture_field(t, f, precision, nrhs, 9, NAIK_EVEN);
    naik_field *p = fixture_field(t, f, precision, nrhs, 19, NAIK_EVEN);
    naik_field *ap = fixture_field(t, f, precision, nrhs, 29, NAIK_EVEN);
    naik_field *x = fixture_field(t, f, precision, nrhs, 39, NAIK_EVEN);
    CHECK_OK(t, naik_links_create(f->geometry, f->source, precision, 18, &links));
    CHECK_OK(t, naik_field_create(f->geometry, precision, nrhs, &out));
    CHECK_OK(t,
             naik_backend_alloc(f->backend, (size_t)nrhs * sizeof *rhs, "records", (void **)&rhs));
    CHECK_OK(
        t, naik_backend_alloc(f->backend, 2 * (size_t)nrhs * sizeof *sums, "sums", (void **)&sums));
    CHECK_OK(t, ops->reduction.clear(f->backend, sums, 2 * nrhs));
    for (int c = 0; c < nrhs; c++) {
        record[c] = (naik_rhs){.alpha = 0.5, .beta = 0.25, .shift = 1, .state = state};
    }
    CHECK_OK(t, naik_backend_upload(f->backend, rhs, record, (size_t)nrhs * sizeof *rhs));
    const naik_operator op = naik_staggered_of(links);
    const naik_normal normal = {.op = &op, .parity = NAIK_EVEN, .scratch = {in}};
    const naik_cg_vectors vectors = {.x = x, .r = r, .p = p, .ap = ap};
    const int depth = naik_links_depth(links);
    for (int epoch = 0; epoch < 3; epoch++) { /* more than there are buffers */
        const naik_dslash_args args = {.form = NAIK_FORM_D,
                                       .parity = NAIK_EVEN,
                                       .links = links,
                                       .in = in,
                                       .out = out,
                                       .send = true};
        CHECK_OK(t, naik_dslash(&args));
        compare_sent(t, f, out, depth);
        CHECK_OK(t, naik_normal_second(&normal, rhs, &vectors, sums, NULL, true));
        compare_sent(t, f, r, depth);
        CHECK_OK(t, naik_normal_prime(&normal, r));
        CHECK_OK(t, naik_normal_drain(&normal, r));
        compare_sent(t, f, r, depth);
    }
    naik_backend_release(f->backend, rhs);
    naik_backend_release(f->backend, sums);
    naik_field_destroy(&in);
    naik_field_destroy(&out);
    naik_field_destroy(&r);
    naik_field_destroy(&p);
    naik_field_destroy(&ap);
    naik_field_destroy(&x);
    naik_links_destroy(&links);
}

static void send_while_writing(check *t, const int size[4], const int grid[4])
{
    for (int naive = 0; naive < 2; naive++) {
        fixture f;
        if (fixture_create(t, size, grid, false, naive != 0, 1, &f)) {
            compare_producers(t, &f, NAIK_DOUBLE, 1, NAIK_RHS_RUN);
            compare_producers(t, &f, NAIK_SINGLE, 1, NAIK_RHS_RUN);
            compare_producers(t, &f, NAIK_SINGLE, 1, NAIK_RHS_IDLE);
            compare_producers(t, &f, NAIK_SINGLE, 3, NAIK_RHS_RUN);
            compare_producers(t, &f, NAIK_HALF, naive != 0 ? 1 : 3, NAIK_RHS_RUN);
        }
        fixture_destroy(&f);
    }
}

static void layers_sent_while_a_field_is_written_are_its_layers(check *t)
{
    static const int size[4] = {8, 4, 8, 8};
    fixture_for_grids(t, size, 4, send_while_writing);
}

/* Steps of all rhs, as the solver enqueues them. */
typedef struct stepper {
    const fixture *f;
    naik_normal normal;
    naik_rhs *rhs;
    naik_exactsum *sums;
    naik_field *x, *r, *p, *ap;
    bool send;
} stepper;

static naik_status one_step(void *data)
{
    naik_status status = NAIK_OK;
    const stepper *s = data;
    const naik_cg_vectors v = {.x = s->x, .r = s->r, .p = s->p, .ap = s->ap};
    NAIK_TRY(naik_normal_first(&s->normal, s->r, s->rhs, NULL, NULL, s->send));
    NAIK_TRY(naik_normal_second(&s->normal, s->rhs, &v, s->sums, NULL, s->send));
done:
    return status;
}

/* Twice some steps, in between what a check of the residual does: writes r anew. */
static double *after_steps(check *t, stepper *s, naik_precision precision, int nrhs, bool send)
{
    enum { STEPS = 12 }; /* more than are recorded, and some left over */
    const naik_backend_ops *ops = s->f->backend->ops;
    const size_t reals = (size_t)s->f->lat->sites * 6;
    const uint64_t serial = naik_backend_serial(s->f->backend);
    double *out = calloc(reals * (size_t)nrhs, sizeof *out);
    s->send = send;
    s->r = fixture_field(t, s->f, precision, nrhs, 9, NAIK_EVEN);
    s->p = fixture_field(t, s->f, precision, nrhs, 109, NAIK_EVEN);
    s->ap = fixture_field(t, s->f, precision, nrhs, 209, NAIK_EVEN);
    s->x = fixture_field(t, s->f, precision, nrhs, 309, NAIK_EVEN);
    naik_field *anew = fixture_field(t, s->f, precision, nrhs, 409, NAIK_EVEN);
    for (int poll = 0; poll < 2; poll++) {
        if (poll > 0) {
            CHECK_OK(t, ops->field.copy(s->r, anew, NULL, NAIK_RHS_IDLE));
        }
        if (send) {
            CHECK_OK(t, naik_normal_prime(&s->normal, s->r));
            CHECK_OK(t, ops->solver.repeat(s->f->backend, serial, true, one_step, s, STEPS));
            CHECK_OK(t, naik_normal_drain(&s->normal, s->r));
        }
        for (int k = 0; k < STEPS && !send; k++) {
            CHECK_OK(t, one_step(s));
        }
    }
    for (int c = 0; c < nrhs; c++) {
        CHECK_OK(t, ops->field.to_host(s->r, NAIK_EVEN, c, out + reals * (size_t)c));
    }
    naik_field_destroy(&anew);
    naik_field_destroy(&s->r);
    naik_field_destroy(&s->p);
    naik_field_destroy(&s->ap);
    naik_field_destroy(&s->x);
    return out;
}

static void compare_loops(check *t, const fixture *f, naik_precision precision, int nrhs)
{
    const naik_backend_ops *ops = f->backend->ops;
    naik_rhs record[NAIK_MAX_RHS];
    stepper s = {.f = f};
    naik_links *links = NULL;
    naik_field *scratch = fixture_field(t, f, precision, nrhs, 5, NAIK_ODD);
    CHECK_OK(t, naik_links_create(f->geometry, f->source, precision, 18, &links));
    CHECK_OK(t, naik_backend_alloc(f->backend, sizeof record, "records", (void **)&s.rhs));
    CHECK_OK(t, naik_backend_alloc(f->backend, 2 * NAIK_MAX_RHS * sizeof *s.sums, "sums",
                                   (void **)&s.sums));
    CHECK_OK(t, ops->reduction.clear(f->backend, s.sums, 2 * NAIK_MAX_RHS));
    for (int c = 0; c < NAIK_MAX_RHS; c++) {
        record[c] = (naik_rhs){.alpha = 0.01, .beta = 0.5, .shift = 1, .state = NAIK_RHS_RUN};
    }
    CHECK_OK(t, naik_backend_upload(f->backend, s.rhs, record, sizeof record));
    const naik_operator op = naik_staggered_of(links);
    s.normal = (naik_normal){.op = &op, .parity = NAIK_EVEN, .scratch = {scratch}};
    double *plain = after_steps(t, &s, precision, nrhs, false);
    double *sent = after_steps(t, &s, precision, nrhs, true);
    CHECK_TRUE(t, memcmp(plain, sent, (size_t)f->lat->sites * 6 * (size_t)nrhs * 8) == 0);
    free(plain);
    free(sent);
    naik_backend_release(f->backend, s.rhs);
    naik_backend_release(f->backend, s.sums);
    naik_field_destroy(&scratch);
    naik_links_destroy(&links);
}

static void loop_while_sending(check *t, const int size[4], const int grid[4])
{
    fixture f;
    if (fixture_create(t, size, grid, false, false, 1, &f)) {
        compare_loops(t, &f, NAIK_DOUBLE, NAIK_MAX_RHS); /* long messages travel on their own */
        compare_loops(t, &f, NAIK_SINGLE, 1);
        compare_loops(t, &f, NAIK_HALF, 3);
    }
    fixture_destroy(&f);
}

static void steps_that_send_are_those_after_plain_exchanges(check *t)
{
    static const int size[4] = {8, 8, 8, 8};
    fixture_for_grids(t, size, t->comm->size > 2 ? 1 : 2, loop_while_sending);
}

CHECK_MAIN(CHECK(every_exchange_brings_its_own_content),
           CHECK(every_transport_brings_the_same_bytes),
           CHECK(layers_sent_while_a_field_is_written_are_its_layers),
           CHECK_UP_TO(4, steps_that_send_are_those_after_plain_exchanges))
