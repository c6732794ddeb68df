/* fixture.c - random links and vectors for the tests of kernels and solvers */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu.h"
#include "backend/create.h"
#include "backend/halo.h"
#include "backend/transport.h"
#include "base/rng.h"
#include "comm/collective.h"
#include "lattice/su3.h"

naik_matrix fixture_rotation(const naik_lattice *lat, const int x[4])
{
    naik_rng rng = naik_rng_at(77, 0, (uint64_t)naik_lattice_global(lat, x));
    naik_matrix m;
    for (int i = 0; i < 9; i++) {
        (&m.e[0][0])[i] = (naik_complex){naik_rng_gaussian(&rng), naik_rng_gaussian(&rng)};
    }
    for (int row = 0; row < 2; row++) { /* Gram-Schmidt, then the cross product */
        for (int k = 0; k < row; k++) {
            naik_complex dot = {0, 0};
            for (int j = 0; j < 3; j++) {
                dot = naik_cfma_conj(m.e[row][j], m.e[k][j], dot);
            }
            for (int j = 0; j < 3; j++) {
                m.e[row][j] = naik_csub(m.e[row][j], naik_cmul(dot, m.e[k][j]));
            }
        }
        double norm = 0;
        for (int j = 0; j < 3; j++) {
            norm += naik_cnorm2(m.e[row][j]);
        }
        for (int j = 0; j < 3; j++) {
            m.e[row][j] = naik_cscale(1 / sqrt(norm), m.e[row][j]);
        }
    }
    for (int j = 0; j < 3; j++) {
        int k = (j + 1) % 3, l = (j + 2) % 3;
        m.e[2][j] =
            naik_conj(naik_csub(naik_cmul(m.e[0][k], m.e[1][l]), naik_cmul(m.e[0][l], m.e[1][k])));
    }
    return m;
}

const char *fixture_backend_name(void)
{
    const char *name = getenv("NAIK_BACKEND");
    return name != NULL ? name : "cpu";
}

naik_transport fixture_transport(void)
{
    static const char *const names[NAIK_TRANSPORTS] = {"auto", "peer", "mpi_device", "staged"};
    const char *name = getenv("NAIK_TRANSPORT");
    int found = 0;
    for (int i = 0; name != NULL && i < NAIK_TRANSPORTS; i++) {
        found = strcmp(name, names[i]) == 0 ? i : found;
    }
    return (naik_transport)found;
}

/* 0.7 U + 0.1 noise for fat links, (1/24) e^{i theta} V for long ones. */
static naik_status make_links(const naik_lattice *lat, bool naive, naik_fatlong *links)
{
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_gauge_create(lat, &links->fat));
    naik_gauge_set_random(links->fat, 11);
    if (!naive) {
        NAIK_TRY(naik_gauge_create(lat, &links->long_links));
        naik_gauge_set_random(links->long_links, 12);
        links->long_scale = 1.0 / 24;
    }
    for (int32_t site = 0; site < lat->sites && !naive; site++) {
        int x[4];
        naik_lattice_coords(lat, site, x);
        naik_rng rng = naik_rng_at(13, 0, (uint64_t)naik_lattice_global(lat, x));
        for (int mu = 0; mu < 4; mu++) {
            naik_matrix *fat = &links->fat->link[4 * (int64_t)site + mu];
            naik_matrix *far = &links->long_links->link[4 * (int64_t)site + mu];
            double angle = 6.28 * naik_rng_uniform(&rng);
            naik_complex phase = {cos(angle) / 24, sin(angle) / 24};
            for (int i = 0; i < 9; i++) {
                naik_complex *f = &fat->e[0][0] + i, *l = &far->e[0][0] + i;
                f->re = 0.7 * f->re + 0.1 * naik_rng_gaussian(&rng);
                f->im = 0.7 * f->im + 0.1 * naik_rng_gaussian(&rng);
                *l = naik_cmul(phase, *l);
            }
        }
    }
done:
    return status;
}

/* That of all ranks, or one of this rank alone, to be destroyed as *own; NULL with a failed test. */
static naik_comm *choose_comm(check *t, bool alone, naik_comm **own)
{
    *own = NULL;
    if (!alone) {
        return t->comm;
    }
    CHECK_OK(t, naik_comm_create_alone(t->log, own));
    return *own;
}

bool fixture_links_create(check *t, const int size[4], const int grid[4], bool alone, uint64_t seed,
                          fixture_links *out)
{
    *out = (fixture_links){.alone = NULL};
    naik_comm *comm = choose_comm(t, alone, &out->alone);
    if (comm == NULL || !CHECK_OK(t, naik_lattice_create(comm, size, grid, &out->lat)) ||
        !CHECK_OK(t, naik_gauge_create(out->lat, &out->u))) {
        return false;
    }
    naik_gauge_set_random(out->u, seed);
    return true;
}

void fixture_links_destroy(fixture_links *f)
{
    naik_gauge_destroy(&f->u);
    naik_lattice_destroy(&f->lat);
    naik_comm_destroy(&f->alone);
}

bool fixture_thin_create(check *t, naik_comm *comm, const int size[4], const int grid[4],
                         fixture_thin *out)
{
    const naik_backend_options options = {.share_gpu = true};
    *out = (fixture_thin){.lat = NULL};
    if (!CHECK_OK(t, naik_lattice_create(comm, size, grid, &out->lat)) ||
        !CHECK_OK(t, naik_backend_create(comm, fixture_backend_name(), &options, &out->backend)) ||
        !CHECK_OK(t, naik_gauge_create(out->lat, &out->u))) {
        return false;
    }
    naik_gauge_set_random(out->u, 20);
    return true;
}

void fixture_thin_destroy(fixture_thin *f)
{
    naik_gauge_destroy(&f->u);
    naik_backend_destroy(&f->backend);
    naik_lattice_destroy(&f->lat);
}

double fixture_distance(const naik_matrix *a, const naik_matrix *b)
{
    naik_matrix d = *a;
    naik_mat_add(&d, -1, b);
    return sqrt(fixture_norm2(&d));
}

double fixture_largest_distance(const naik_gauge *a, const naik_gauge *b)
{
    double largest = 0;
    for (int64_t i = 0; i < 4 * (int64_t)a->lattice->sites; i++) {
        const double d = fixture_distance(&a->link[i], &b->link[i]);
        largest = d > largest || isnan(d) ? d : largest;
    }
    return largest;
}

/* With NAIK_TEST_VERBOSE, how the CPU lays the box out. */
static void describe_box(const fixture *f)
{
    const int *box = f->lat->local;
    if (strcmp(f->backend->ops->name, "cpu") != 0) {
        return;
    }
    const cpu_shape shape = cpu_shape_of(f->lat);
    naik_log_line(f->backend->log,
                  "box %dx%dx%dx%d, cut %dx%dx%dx%d into %d lane%s, grid %dx%dx%dx%d", box[0],
                  box[1], box[2], box[3], shape.cut[0], shape.cut[1], shape.cut[2], shape.cut[3],
                  shape.lanes, shape.lanes == 1 ? "" : "s", f->lat->grid[0], f->lat->grid[1],
                  f->lat->grid[2], f->lat->grid[3]);
}

bool fixture_create(check *t, const int size[4], const int grid[4], bool alone, bool naive,
                    int threads, fixture *out)
{
    const naik_backend_options options = {.threads = threads,
                                          .share_gpu = true,
                                          .tune_cache = "none",
                                          .transport = fixture_transport()};
    memset(out, 0, sizeof *out);
    naik_comm *comm = choose_comm(t, alone, &out->alone);
    bool ok = comm != NULL && CHECK_OK(t, naik_lattice_create(comm, size, grid, &out->lat));
    ok = ok &&
         CHECK_OK(t, naik_backend_create(comm, fixture_backend_name(), &options, &out->backend));
    ok = ok && CHECK_OK(t, naik_geometry_create(out->backend, out->lat, &out->geometry));
    if (ok) {
        describe_box(out);
    }
    out->source = calloc(1, sizeof *out->source);
    out->random = calloc(1, sizeof *out->random);
    out->hopped = calloc(1, sizeof *out->hopped);
    return ok && CHECK_OK(t, make_links(out->lat, naive, out->source));
}

static void forget(fixture_memo **memo)
{
    for (int i = 0; *memo != NULL && i < FIXTURE_KEPT; i++) {
        free((*memo)->kept[i].v);
    }
    free(*memo);
    *memo = NULL;
}

double *fixture_recall(const fixture *f, const fixture_memo *memo, uint64_t seed, int parity)
{
    const size_t bytes = naik_lattice_vector_bytes(f->lat);
    for (int i = 0; memo != NULL && i < FIXTURE_KEPT; i++) {
        if (memo->kept[i].v != NULL && memo->kept[i].seed == seed &&
            memo->kept[i].parity == parity) {
            double *copy = malloc(bytes);
            return copy != NULL ? memcpy(copy, memo->kept[i].v, bytes) : NULL;
        }
    }
    return NULL;
}

void fixture_keep(const fixture *f, fixture_memo *memo, uint64_t seed, int parity, const double *v)
{
    const size_t bytes = naik_lattice_vector_bytes(f->lat);
    double *copy = memo != NULL && v != NULL ? malloc(bytes) : NULL;
    if (copy != NULL) {
        const int at = memo->next++ % FIXTURE_KEPT;
        free(memo->kept[at].v);
        memo->kept[at].v = memcpy(copy, v, bytes);
        memo->kept[at].seed = seed;
        memo->kept[at].parity = parity;
    }
}

void fixture_destroy(fixture *f)
{
    forget(&f->random);
    forget(&f->hopped);
    naik_fatlong_destroy(&f->source);
    naik_geometry_destroy(&f->geometry);
    naik_backend_destroy(&f->backend);
    naik_lattice_destroy(&f->lat);
    naik_comm_destroy(&f->alone);
}

double *fixture_vector(const fixture *f, uint64_t seed, int parity)
{
    double *v = fixture_recall(f, f->random, seed, parity);
    if (v != NULL) {
        return v;
    }
    v = calloc((size_t)f->lat->sites * 6, sizeof *v);
    for (int32_t site = 0; v != NULL && site < f->lat->sites; site++) {
        int x[4];
        naik_lattice_coords(f->lat, site, x);
        naik_rng rng = naik_rng_at(seed, 1, (uint64_t)naik_lattice_global(f->lat, x));
        for (int i = 0; i < 6 && (parity < 0 || parity == naik_parity_of(x)); i++) {
            v[6 * (int64_t)site + i] = naik_rng_gaussian(&rng);
        }
    }
    fixture_keep(f, f->random, seed, parity, v);
    return v;
}

naik_field *fixture_field(check *t, const fixture *f, naik_precision precision, int nrhs,
                          uint64_t seed, naik_parity parity)
{
    naik_field *field = NULL;
    CHECK_OK(t, naik_field_create(f->geometry, precision, nrhs, &field));
    for (int c = 0; field != NULL && c < nrhs; c++) {
        double *v = fixture_vector(f, seed + (uint64_t)c, (int)parity);
        CHECK_OK(t, f->backend->ops->field.from_host(field, parity, c, v));
        free(v);
    }
    return field;
}

double fixture_difference(const fixture *f, const double *a, const double *b, naik_parity parity,
                          double *largest)
{
    double difference = 0;
    *largest = 0;
    for (int32_t cb = 0; cb < f->lat->volume_cb; cb++) {
        int64_t at = 6 * (int64_t)naik_lattice_site_of(f->lat, parity, cb);
        for (int i = 0; i < 6; i++) {
            double d = fabs(a[at + i] - b[at + i]);
            difference = naik_worst(difference, d);
            *largest = naik_worst(*largest, fabs(b[at + i]));
        }
    }
    return difference;
}

naik_status fixture_add_products(const naik_field *out, const naik_products *products)
{
    naik_status status = NAIK_OK;
    const naik_reduction_ops *reduction = &out->geometry->backend->ops->reduction;
    NAIK_TRY(reduction->dot(out, out, NULL, NAIK_RHS_IDLE, products->sums));
    if (products->with != NULL) {
        NAIK_TRY(reduction->complex_dot(products->with, out, 0, NULL, NAIK_RHS_IDLE,
                                        products->sums + out->nrhs));
    }
done:
    return status;
}

void fixture_for_grids(check *t, const int size[4], int limit,
                       void (*run)(check *t, const int size[4], const int grid[4]))
{
    const int ranks = t->comm->size;
    for (int code = 0; code < 10000 && limit > 0; code++) {
        int grid[4] = {1 + code % 10, 1 + code / 10 % 10, 1 + code / 100 % 10, 1 + code / 1000};
        bool works = grid[0] * grid[1] * grid[2] * grid[3] == ranks;
        for (int mu = 0; mu < 4; mu++) {
            int local = size[mu] / grid[mu];
            works = works && size[mu] % grid[mu] == 0 &&
                    (grid[mu] == 1 || (local % 2 == 0 && local >= 4));
        }
        if (works) {
            run(t, size, grid);
            limit--;
        }
    }
}

void fixture_for_cut_and_split(check *t,
                               void (*run)(check *t, const int size[4], const int grid[4]))
{
    const int size[4] = {4, 4, 4, 8 * t->comm->size}, grid[4] = {1, 1, 1, t->comm->size};
    run(t, size, grid);
}
