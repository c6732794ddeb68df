/* test_propagator.c - whole propagators: identities, another code's numbers, and the same bits on
 * every grid
 * ranks: 1 2 4 8
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/create.h"
#include "backend/halo.h"
#include "base/exactsum.h"
#include "comm/collective.h"
#include "dslash_ref.h"
#include "fixture.h"
#include "io/links/links_file.h"
#include "io/vectors/vector_io.h"
#include "lattice/su3.h"
#include "naik/gauge_io.h"
#include "naik/meson.h"
#include "naik/source.h"
#include "operator/set.h"
#include "propagator/propagator.h"

enum { MOST = 6 };

/* A machine to solve with: one lattice, one set of links. */
typedef struct solver {
    naik_comm *alone;
    naik_lattice *lat;
    naik_backend *backend;
    naik_geometry *geometry;
    naik_gauge *gauge;
    naik_fattener *fattener;
    naik_fatlong *links;
} solver;

typedef struct batch {
    const solver *s;
    int count;
    const double *src[MOST];
    double mass[MOST], tolerance;
    double *x[MOST];
    double
        *there; /* backend memory [MOST][sites][3][2], sources and solutions; NULL: on the host */
    naik_status expected;
    naik_propagator_result result[MOST];
} batch;

static bool solver_create(check *t, const int size[4], const int grid[4], bool alone, solver *s)
{
    const naik_backend_options options = {
        .threads = 1, .share_gpu = true, .transport = fixture_transport()};
    naik_comm *comm = t->comm;
    memset(s, 0, sizeof *s);
    bool ok = true;
    if (alone) {
        ok = CHECK_OK(t, naik_comm_create_alone(t->log, &s->alone));
        comm = s->alone;
    }
    ok = ok && CHECK_OK(t, naik_lattice_create(comm, size, grid, &s->lat));
    ok =
        ok && CHECK_OK(t, naik_backend_create(comm, fixture_backend_name(), &options, &s->backend));
    ok = ok && CHECK_OK(t, naik_geometry_create(s->backend, s->lat, &s->geometry));
    return ok && CHECK_OK(t, naik_gauge_create(s->lat, &s->gauge));
}

static bool solver_fatten(check *t, solver *s, naik_action_type action, double u0, double epsilon)
{
    naik_fattener_destroy(&s->fattener);
    naik_fatlong_destroy(&s->links);
    naik_gauge_apply_phases(s->gauge, true);
    bool ok = CHECK_OK(t, naik_fattener_create(s->gauge, action, u0, NULL, &s->fattener)) &&
              CHECK_OK(t, naik_fattener_links(s->fattener, epsilon, &s->links));
    naik_gauge_apply_phases(s->gauge, true);
    return ok;
}

static void solver_destroy(solver *s)
{
    naik_fattener_destroy(&s->fattener);
    naik_fatlong_destroy(&s->links);
    naik_gauge_destroy(&s->gauge);
    naik_geometry_destroy(&s->geometry);
    naik_backend_destroy(&s->backend);
    naik_lattice_destroy(&s->lat);
    naik_comm_destroy(&s->alone);
}

static naik_status give(void *data, int64_t index, double *src, double *mass, double *tolerance,
                        double *site_tolerance)
{
    const batch *b = data;
    if (src != NULL) {
        memcpy(src, b->src[index], (size_t)b->s->lat->sites * 6 * sizeof *src);
    }
    *mass = b->mass[index];
    *tolerance = b->tolerance;
    *site_tolerance = 0;
    return NAIK_OK;
}

static naik_status take(void *data, int64_t index, const double *x,
                        const naik_propagator_result *result)
{
    batch *b = data;
    const size_t bytes = (size_t)b->s->lat->sites * 6 * sizeof *x;
    b->result[index] = *result;
    b->x[index] = malloc(bytes);
    if (x == NULL) {
        return naik_backend_download(b->s->backend, b->x[index],
                                     b->there + (size_t)index * bytes / sizeof *x, bytes);
    }
    memcpy(b->x[index], x, bytes);
    return NAIK_OK;
}

/* Of a source, and of its solution after it. */
static double *place(void *data, int64_t index, bool solution)
{
    const batch *b = data;
    (void)solution;
    return b->there + index * b->s->lat->sites * 6;
}

static void solve(check *t, batch *b, naik_precision vectors, naik_precision inner_links)
{
    naik_operator_set packed = {.links = {NULL}};
    naik_solver *cg = NULL;
    bool interrupted = true;
    const naik_solver_options options = naik_solver_defaults();
    const naik_propagator_stream stream = {.data = b,
                                           .count = b->count,
                                           .source = give,
                                           .solution = take,
                                           .there = b->there != NULL ? place : NULL};
    const naik_geometry *g = b->s->geometry;
    memset(b->x, 0, sizeof b->x);
    if (CHECK_OK(t, naik_operator_set_fat(g, b->s->links, inner_links, 18, &packed)) &&
        CHECK_OK(t, naik_solver_create(&naik_solver_cg, packed.op, vectors, b->count, &cg))) {
        CHECK_STATUS(
            t, naik_propagator_solve(&packed.op[NAIK_DOUBLE], cg, &options, &stream, &interrupted),
            b->expected);
    }
    CHECK_TRUE(t, !interrupted);
    naik_solver_destroy(&cg);
    naik_operator_set_destroy(&packed);
}

static void batch_free(batch *b)
{
    for (int i = 0; i < b->count; i++) {
        free(b->x[i]);
    }
}

/* |a - b| / |b| over the whole lattice. */
static double distance(const naik_lattice *lat, const double *a, const double *b)
{
    naik_exactsum sum[2];
    naik_exactsum_clear(&sum[0]);
    naik_exactsum_clear(&sum[1]);
    for (int64_t i = 0; i < (int64_t)lat->sites * 6; i++) {
        naik_exactsum_add(&sum[0], (a[i] - b[i]) * (a[i] - b[i]));
        naik_exactsum_add(&sum[1], b[i] * b[i]);
    }
    naik_comm_sum_exact(lat->comm, sum, 2);
    return sqrt(naik_exactsum_value(&sum[0]) / naik_exactsum_value(&sum[1]));
}

static double *vector_new(const solver *s)
{
    return calloc((size_t)s->lat->sites * 6, sizeof(double));
}

static double *point(check *t, const solver *s, int x, int colour)
{
    const naik_source source = {.type = NAIK_SOURCE_POINT, .origin = {x, 0, 0, 0}};
    double *v = vector_new(s);
    CHECK_OK(t, naik_source_fill(s->lat, &source, colour, v));
    return v;
}

/* The batch again, where the backend has its memory; and numbers there that nobody has seen. */
static void solve_there(check *t, const batch *of)
{
    const size_t reals = (size_t)of->s->lat->sites * 6, bytes = reals * sizeof(double);
    naik_backend *backend = of->s->backend;
    const double nan = NAN;
    for (int round = 0; round < 2; round++) {
        batch b = *of;
        b.expected = round == 0 ? NAIK_OK : NAIK_ERR_INPUT;
        CHECK_OK(t, naik_backend_alloc(backend, MOST * bytes, "arrays", (void **)&b.there));
        for (int i = 0; i < b.count; i++) {
            CHECK_OK(t, naik_backend_upload(backend, b.there + (size_t)i * reals, b.src[i], bytes));
        }
        if (round == 1 && t->comm->rank == t->comm->size - 1) {
            CHECK_OK(t, naik_backend_upload(backend, b.there + 7, &nan, sizeof nan));
        }
        solve(t, &b, NAIK_SINGLE, NAIK_SINGLE);
        for (int i = 0; i < b.count && round == 0; i++) {
            CHECK_TRUE(t, b.x[i] != NULL && memcmp(b.x[i], of->x[i], bytes) == 0);
        }
        naik_backend_release(backend, b.there);
        batch_free(&b);
    }
}

static void m_times_its_inverse_is_one(check *t)
{
    const int size[4] = {t->comm->size > 4 ? 8 : 4, 4, 8, 8};
    static const naik_action_type actions[] = {NAIK_NAIVE, NAIK_ASQTAD, NAIK_HISQ};
    solver s;
    if (!solver_create(t, size, NULL, false, &s)) {
        solver_destroy(&s);
        return;
    }
    naik_gauge_set_random(s.gauge, 3);
    for (int a = 0; a < 3; a++) {
        solver_fatten(t, &s, actions[a], 0.87, actions[a] == NAIK_HISQ ? -0.3 : 0);
        const fixture f = {.lat = s.lat};
        double *src[4] = {point(t, &s, 0, 1), point(t, &s, 1, 2), fixture_vector(&f, 8, -1),
                          fixture_vector(&f, 9, NAIK_ODD)};
        static const naik_parity parity[4] = {NAIK_EVEN, NAIK_ODD, NAIK_EVEN, NAIK_ODD};
        batch b = {.s = &s, .count = 4, .tolerance = 1e-11};
        double *mx = vector_new(&s);
        for (int i = 0; i < 4; i++) {
            b.src[i] = src[i];
            b.mass[i] = 0.2 + 0.1 * i;
        }
        solve(t, &b, NAIK_SINGLE, NAIK_SINGLE);
        for (int i = 0; i < 4 && b.x[i] != NULL; i++) {
            CHECK_INT(t, b.result[i].cg.reason, NAIK_SOLVER_CONVERGED);
            CHECK_INT(t, b.result[i].parity, parity[i]);
            CHECK_OK(t, naik_operator_ref(s.links, b.mass[i], b.x[i], mx));
            double d = distance(s.lat, mx, src[i]);
            CHECK_TRUE(t, d < 1e-9);
            CHECK_NEAR(t, b.result[i].source_residual, d, 1e-3 * d + 1e-14);
        }
        if (a == 2) {
            solve_there(t, &b);
        }
        batch_free(&b);
        free(mx);
        for (int i = 0; i < 4; i++) {
            free(src[i]);
        }
    }
    solver_destroy(&s);
}

static void rotate_vector(const solver *s, const double *in, double *out)
{
    for (int32_t site = 0; site < s->lat->sites; site++) {
        int x[4];
        naik_lattice_coords(s->lat, site, x);
        naik_matrix g = fixture_rotation(s->lat, x);
        const naik_complex *v = (const naik_complex *)(in + 6 * (int64_t)site);
        for (int i = 0; i < 3; i++) {
            naik_complex sum = {0, 0};
            for (int j = 0; j < 3; j++) {
                sum = naik_cfma(g.e[i][j], v[j], sum);
            }
            out[6 * (int64_t)site + 2 * i] = sum.re;
            out[6 * (int64_t)site + 2 * i + 1] = sum.im;
        }
    }
}

/* U_mu(s) -> g(s) U_mu(s) g(s+mu)^+, with g known everywhere by its random numbers. */
static void rotate_links(solver *s)
{
    for (int32_t site = 0; site < s->lat->sites; site++) {
        int x[4];
        naik_lattice_coords(s->lat, site, x);
        naik_matrix g = fixture_rotation(s->lat, x);
        for (int mu = 0; mu < 4; mu++) {
            int y[4] = {x[0], x[1], x[2], x[3]};
            y[mu] += 1;
            if (s->lat->origin[mu] + y[mu] == s->lat->size[mu]) {
                y[mu] -= s->lat->size[mu];
            }
            naik_matrix *u = &s->gauge->link[4 * (int64_t)site + mu],
                        h = fixture_rotation(s->lat, y);
            naik_matrix gu = naik_mat_mul(&g, u);
            *u = naik_mat_mul_dagger(&gu, &h);
        }
    }
}

static void propagator_is_gauge_covariant(check *t)
{
    const int size[4] = {t->comm->size > 4 ? 8 : 4, 4, 8, 8};
    solver s;
    if (solver_create(t, size, NULL, false, &s)) {
        naik_gauge_set_random(s.gauge, 4);
        const fixture f = {.lat = s.lat};
        double *src = fixture_vector(&f, 5, -1), *rotated = vector_new(&s),
               *expected = vector_new(&s);
        batch before = {.s = &s, .count = 1, .src = {src}, .mass = {0.3}, .tolerance = 1e-12};
        batch after = {.s = &s, .count = 1, .src = {rotated}, .mass = {0.3}, .tolerance = 1e-12};
        solver_fatten(t, &s, NAIK_HISQ, 1, 0);
        solve(t, &before, NAIK_DOUBLE, NAIK_DOUBLE);
        rotate_links(&s);
        rotate_vector(&s, src, rotated);
        solver_fatten(t, &s, NAIK_HISQ, 1, 0);
        solve(t, &after, NAIK_DOUBLE, NAIK_DOUBLE);
        if (before.x[0] != NULL && after.x[0] != NULL) {
            rotate_vector(&s, before.x[0], expected);
            CHECK_NEAR(t, distance(s.lat, after.x[0], expected), 0, 1e-10);
            CHECK_TRUE(t, distance(s.lat, after.x[0], before.x[0]) > 0.1);
        }
        batch_free(&before);
        batch_free(&after);
        free(src);
        free(rotated);
        free(expected);
    }
    solver_destroy(&s);
}

/* From links to propagator: the bits of one rank alone. */
static void same_bits_on_grid(check *t, const int size[4], const int grid[4])
{
    solver s, one;
    if (solver_create(t, size, grid, false, &s) && solver_create(t, size, NULL, true, &one)) {
        double *src = point(t, &s, 0, 0), *src_one = point(t, &one, 0, 0);
        batch b = {.s = &s, .count = 1, .src = {src}, .mass = {0.4}, .tolerance = 1e-10};
        batch a = {.s = &one, .count = 1, .src = {src_one}, .mass = {0.4}, .tolerance = 1e-10};
        naik_gauge_set_random(s.gauge, 6);
        naik_gauge_set_random(one.gauge, 6);
        solver_fatten(t, &s, NAIK_HISQ, 1, 0.1);
        solver_fatten(t, &one, NAIK_HISQ, 1, 0.1);
        solve(t, &b, NAIK_SINGLE, NAIK_HALF);
        solve(t, &a, NAIK_SINGLE, NAIK_HALF);
        bool same = a.x[0] != NULL && b.x[0] != NULL;
        for (int32_t site = 0; same && site < s.lat->sites; site++) {
            int x[4];
            naik_lattice_coords(s.lat, site, x);
            same = memcmp(b.x[0] + 6 * (int64_t)site, a.x[0] + 6 * naik_lattice_global(s.lat, x),
                          48) == 0;
        }
        CHECK_TRUE(t, same);
        CHECK_TRUE(t, a.result[0].source_residual == b.result[0].source_residual);
        batch_free(&a);
        batch_free(&b);
        free(src);
        free(src_one);
    }
    solver_destroy(&one);
    solver_destroy(&s);
}

static void grids_do_not_change_a_bit(check *t)
{
    const int size[4] = {8, t->comm->size > 4 ? 8 : 4, 4, 8};
    fixture_for_grids(t, size, 2, same_bits_on_grid);
}

/* ---- another code's numbers */

static bool load_reference(check *t, const char *name, solver *s)
{
    static const int size[4] = {8, 8, 8, 8};
    char path[512];
    naik_gauge_file file;
    naik_gauge_checks checks;
    const naik_gauge_load_options options = {.reunitarise = true, .max_unitarity_deviation = 1e-5};
    bool ok = solver_create(t, size, NULL, false, s) &&
              CHECK_OK(t, naik_gauge_load(check_reference_path(t, name, path, sizeof path),
                                          &options, s->gauge, &file, &checks));
    if (ok) {
        naik_gauge_file_clear(&file);
    }
    return ok;
}

static double *read_vector(check *t, const solver *s, const char *name, int index)
{
    char path[512];
    naik_vector_file *file = NULL;
    double *v = vector_new(s);
    if (CHECK_OK(t, naik_vector_file_open(t->comm, check_reference_path(t, name, path, sizeof path),
                                          &file))) {
        CHECK_OK(t, naik_vector_file_read(file, s->lat, NAIK_VECTOR_SOLUTION, index, v));
    }
    naik_vector_file_close(&file);
    return v;
}

/* A CG on one parity with a starting value: counts the iterations that polish it. */
typedef struct polish {
    const solver *s;
    const double *b, *x;
    naik_parity parity;
    double *out;
    int iterations;
} polish;

static naik_status polish_load(void *data, int64_t index, naik_field *b, int irhs,
                               naik_solver_system *system)
{
    const polish *p = data;
    (void)index;
    *system = (naik_solver_system){.shift = 4 * 0.1 * 0.1, .tolerance = 1e-10};
    return p->s->backend->ops->field.from_host(b, p->parity, irhs, p->b);
}

static naik_status polish_start(void *data, int64_t index, naik_field *x, int irhs,
                                naik_solver_start *start)
{
    const polish *p = data;
    (void)index, (void)start;
    return p->x == NULL ? NAIK_OK : p->s->backend->ops->field.from_host(x, p->parity, irhs, p->x);
}

static naik_status polish_finish(void *data, int64_t index, const naik_field *x, int irhs,
                                 const naik_solver_result *result)
{
    polish *p = data;
    (void)index;
    p->iterations = result->iterations;
    return p->s->backend->ops->field.to_host(x, p->parity, irhs, p->out);
}

static void run_polish(check *t, polish *p)
{
    naik_operator_set packed = {.links = {NULL}};
    naik_solver *cg = NULL;
    const naik_solver_options options = naik_solver_defaults();
    const naik_solver_starter starter = {.data = p, .start = polish_start};
    const naik_solver_stream stream = {
        .data = p, .count = 1, .load = polish_load, .finish = polish_finish, .starter = &starter};
    if (CHECK_OK(t, naik_operator_set_fat(p->s->geometry, p->s->links, NAIK_DOUBLE, 18, &packed)) &&
        CHECK_OK(t, naik_solver_create(&naik_solver_cg, packed.op, NAIK_DOUBLE, 1, &cg))) {
        CHECK_OK(t, naik_solver_solve(cg, p->parity, &options, &stream));
    }
    naik_solver_destroy(&cg);
    naik_operator_set_destroy(&packed);
}

static void sample_answers_are_reproduced(check *t)
{
    if (t->reference == NULL) {
        CHECK_SKIP(t, "NAIK_REFERENCE is not set");
    }
    solver s;
    if (load_reference(t, "lat.sample.l8", &s) && solver_fatten(t, &s, NAIK_ASQTAD, 0.502, 0)) {
        double *src = read_vector(t, &s, "ksvector.src.sample.l8", 0);
        double *minv = read_vector(t, &s, "ksvector.ans.Minv.sample.l8", 0);
        double *normal = read_vector(t, &s, "ksvector.ans.MdaggerMinv.sample.l8", 0);
        double *y = vector_new(&s), *mx = vector_new(&s);
        /* x = M^-1 src; the sample answers are good to 8e-8 in residual, so a few 1e-6 in the
         * vector */
        static const naik_precision inner[3][2] = {
            {NAIK_DOUBLE, NAIK_DOUBLE}, {NAIK_SINGLE, NAIK_SINGLE}, {NAIK_SINGLE, NAIK_HALF}};
        for (int i = 0; i < 3; i++) {
            batch b = {.s = &s, .count = 1, .src = {src}, .mass = {0.1}, .tolerance = 1e-10};
            solve(t, &b, inner[i][0], inner[i][1]);
            if (b.x[0] != NULL) {
                CHECK_NEAR(t, distance(s.lat, b.x[0], minv), 0, 1e-6);
                CHECK_NEAR(t, b.result[0].cg.iterations, 63, i == 2 ? 6 : 3);
                if (i == 0) { /* MILC polishes the odd sites from the rebuilt ones: 12 iterations */
                    CHECK_OK(t, naik_operator_ref(s.links, 0.1, src, mx));
                    for (int64_t k = 0; k < (int64_t)s.lat->sites * 6; k++) {
                        mx[k] = 4 * 0.1 * src[k] - mx[k]; /* M^+ src = 4m src - M src */
                    }
                    polish p = {.s = &s, .b = mx, .x = b.x[0], .parity = NAIK_ODD, .out = y};
                    run_polish(t, &p);
                    CHECK_NEAR(t, p.iterations, 12, 3);
                }
            }
            batch_free(&b);
        }
        for (int parity = 0; parity < 2; parity++) {
            polish p = {.s = &s, .b = src, .parity = (naik_parity)parity, .out = y};
            run_polish(t, &p);
        }
        CHECK_NEAR(t, distance(s.lat, y, normal), 0, 1e-6);
        free(src);
        free(minv);
        free(normal);
        free(y);
        free(mx);
    }
    solver_destroy(&s);
}

/* The links of that code's own files instead of those made here. */
static void stored_links_solve_the_sample_answer(check *t)
{
    static const int size[4] = {8, 8, 8, 8};
    static const naik_links_boundary seen = {.name = "antiperiodic"};
    char fat[512], far[512];
    solver s;
    if (t->reference == NULL) {
        CHECK_SKIP(t, "NAIK_REFERENCE is not set");
    }
    check_reference_path(t, "fat.l8", fat, sizeof fat);
    check_reference_path(t, "long.l8", far, sizeof far);
    if (solver_create(t, size, NULL, false, &s) &&
        CHECK_OK(t, naik_links_scidac_read(fat, far, s.lat, 0, &seen, &s.links))) {
        double *src = read_vector(t, &s, "ksvector.src.sample.l8", 0);
        double *minv = read_vector(t, &s, "ksvector.ans.Minv.sample.l8", 0);
        batch b = {.s = &s, .count = 1, .src = {src}, .mass = {0.1}, .tolerance = 1e-10};
        CHECK_NEAR(t, s.links->long_scale, 1 / (24 * 0.502 * 0.502), 1e-6); /* single precision */
        solve(t, &b, NAIK_DOUBLE, NAIK_DOUBLE);
        if (b.x[0] != NULL) {
            CHECK_NEAR(t, distance(s.lat, b.x[0], minv), 0, 1e-6);
            CHECK_NEAR(t, b.result[0].cg.iterations, 63, 3);
        }
        batch_free(&b);
        free(src);
        free(minv);
    }
    solver_destroy(&s);
}

typedef struct expectation {
    naik_action_type action;
    double u0, mass;
    naik_source_type source;
    int momentum;
    const char *text; /* C(t) as another code printed it */
} expectation;

static const expectation correlators[] = {
    {NAIK_HISQ, 1, 0.05, NAIK_SOURCE_POINT, 0,
     "2.790290e-01 6.242890e-02 1.805858e-02 1.038448e-02 3.639427e-03 9.751819e-03 1.608343e-02 "
     "6.102547e-02"},
    {NAIK_HISQ, 1, 0.02, NAIK_SOURCE_POINT, 0,
     "2.792798e-01 6.293630e-02 1.827552e-02 1.083446e-02 3.807434e-03 1.017920e-02 1.621264e-02 "
     "6.145561e-02"},
    {NAIK_ASQTAD, 0.8696, 0.05, NAIK_SOURCE_POINT, 0,
     "3.949554e-01 8.915583e-02 2.918926e-02 1.573253e-02 8.271492e-03 1.614448e-02 3.323985e-02 "
     "1.008650e-01"},
    {NAIK_HISQ, 1, 0.05, NAIK_SOURCE_CORNER_WALL, 0,
     "1.767736e+01 3.609280e+00 9.510714e-01 5.629486e-01 2.027541e-01 5.533236e-01 9.518044e-01 "
     "3.651960e+00"},
    {NAIK_HISQ, 1, 0.02, NAIK_SOURCE_POINT, 1,
     "2.256953e-01 5.070525e-02 9.605328e-03 4.154819e-03 1.036891e-03"}};

static void reference_correlators_to_six_digits(check *t)
{
    if (t->reference == NULL) {
        CHECK_SKIP(t, "NAIK_REFERENCE is not set");
    }
    solver s;
    bool loaded = load_reference(t, "lat.sample.l8888", &s);
    for (size_t e = 0; loaded && e < sizeof correlators / sizeof *correlators; e++) {
        const expectation *x = &correlators[e];
        const naik_source source = {.type = x->source};
        const naik_frame frame = {.momentum = {x->momentum, 0, 0}, .cosine = true};
        double total[8] = {0}, one[8][2], *src[3];
        batch b = {.s = &s, .count = 3, .tolerance = 1e-12};
        solver_fatten(t, &s, x->action, x->u0, 0);
        for (int c = 0; c < 3; c++) {
            src[c] = vector_new(&s);
            CHECK_OK(t, naik_source_fill(s.lat, &source, c, src[c]));
            b.src[c] = src[c];
            b.mass[c] = x->mass;
        }
        solve(t, &b, NAIK_SINGLE, NAIK_SINGLE);
        for (int c = 0; c < 3 && b.x[c] != NULL; c++) {
            CHECK_OK(t, naik_meson_correlator(s.lat, NAIK_PION5, &frame, b.x[c], one[0]));
            for (int k = 0; k < 8; k++) {
                total[k] += one[k][0];
            }
        }
        const char *text = x->text;
        for (int k = 0; *text != '\0'; k++) {
            char *end;
            double expected = strtod(text, &end);
            CHECK_NEAR(t, total[k], expected, 1e-6 * fabs(expected));
            text = end;
        }
        if (e == 0) { /* the propagator itself, site by site */
            for (int c = 0; c < 3 && b.x[c] != NULL; c++) {
                double *stored = read_vector(t, &s, "prop.hisq.l8888.point.m0.05", c);
                double largest, d[2];
                const fixture f = {.lat = s.lat};
                d[0] = fixture_difference(&f, b.x[c], stored, NAIK_EVEN, &largest);
                d[1] = fixture_difference(&f, b.x[c], stored, NAIK_ODD, &largest);
                CHECK_NEAR(t, naik_worst(d[0], d[1]), 0, 1e-11);
                free(stored);
            }
        }
        for (int c = 0; c < 3; c++) {
            free(src[c]);
        }
        batch_free(&b);
    }
    solver_destroy(&s);
}

CHECK_MAIN(CHECK_UP_TO(2, m_times_its_inverse_is_one),
           CHECK_UP_TO(2, propagator_is_gauge_covariant), CHECK(grids_do_not_change_a_bit),
           CHECK_UP_TO(2, sample_answers_are_reproduced),
           CHECK_UP_TO(2, stored_links_solve_the_sample_answer),
           CHECK_UP_TO(2, reference_correlators_to_six_digits))
