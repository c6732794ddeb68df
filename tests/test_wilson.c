/* test_wilson.c - the operator of Wilson, clover and twisted-mass quarks on a backend against the reference
 *
 * ranks: 1 2
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/halo.h"
#include "base/exactsum.h"
#include "wilson_fixture.h"

/* Storages of vectors and links. Tolerance of M-like sums of some 50 products of numbers of order 1,
 * relative to the largest component: 16-bit numbers have 1.5e-5 of the largest of a link or of a
 * colour vector. Of 8 numbers, |a1| and |c1| come from a difference and lose digits where they are
 * small, and what is divided by |a2|^2 + |a3|^2 where that is. */
static const wilson_storage storages[] = {
    {NAIK_DOUBLE, NAIK_DOUBLE, 18, 1e-14}, {NAIK_DOUBLE, NAIK_DOUBLE, 12, 2e-14},
    {NAIK_SINGLE, NAIK_SINGLE, 18, 5e-6},  {NAIK_SINGLE, NAIK_SINGLE, 12, 5e-6},
    {NAIK_SINGLE, NAIK_HALF, 18, 3e-4},    {NAIK_HALF, NAIK_HALF, 18, 6e-4},
    {NAIK_HALF, NAIK_SINGLE, 12, 4e-4},    {NAIK_HALF, NAIK_HALF, 12, 6e-4},
    {NAIK_DOUBLE, NAIK_DOUBLE, 8, 1e-13},  {NAIK_SINGLE, NAIK_SINGLE, 8, 3e-5},
    {NAIK_SINGLE, NAIK_HALF, 8, 2e-3},     {NAIK_HALF, NAIK_HALF, 8, 2e-3},
    {NAIK_HALF, NAIK_SINGLE, 8, 4e-4},
};
enum { STORAGES = sizeof storages / sizeof *storages };

static const int size[4] = {8, 4, 4, 16};
static const double mass = 0.3;

/* What is beside the mass in A, and the parity that is written. */
static const struct {
    naik_parity parity;
    double csw, twisted_mass;
} quarks[] = {{NAIK_EVEN, 0, 0},    {NAIK_ODD, 0, 0},      {NAIK_EVEN, 1.2, 0},
              {NAIK_ODD, 1.2, 0},   {NAIK_EVEN, 0, 0.7},   {NAIK_ODD, 0, -0.4},
              {NAIK_ODD, 1.2, 0.5}, {NAIK_EVEN, 1.2, -0.9}};
enum { QUARKS = sizeof quarks / sizeof *quarks };

static bool make_quark(check *t, const int extents[4], const int grid[4], int q, wilson_fixture *f)
{
    return wilson_fixture_create_twisted(t, extents, grid, false, 0, mass, quarks[q].twisted_mass,
                                         quarks[q].csw, true, f);
}

static naik_wilson *make(check *t, const wilson_fixture *f, const wilson_storage *s)
{
    naik_wilson *wilson = NULL;
    CHECK_OK(t, naik_wilson_create(f->geometry, f->u, f->clover, f->mass, f->twisted_mass, s->links,
                                   s->recon, &wilson));
    return wilson;
}

/* A spinor, another one to lie beside it, and Mh and Mh^+ of the first by the reference. */
typedef struct sample {
    naik_parity parity;
    wilson_spinor *v, *other, *expected[2];
} sample;

static sample make_sample(const wilson_fixture *f, naik_parity parity)
{
    const wilson_schur ref = {.w = f->ref, .parity = parity};
    sample out = {
        .parity = parity, .v = wilson_fixture_random(f, 50), .other = wilson_fixture_random(f, 51)};
    for (int dagger = 0; dagger < 2; dagger++) {
        out.expected[dagger] = wilson_ref_field(f->lat->volume);
        wilson_ref_schur(&ref, dagger == 1 ? WILSON_DAGGER : WILSON_PLAIN, out.v,
                         out.expected[dagger]);
    }
    return out;
}

static void free_sample(sample *s)
{
    free(s->v);
    free(s->other);
    free(s->expected[0]);
    free(s->expected[1]);
}

/* The same by the backend, as the last of nrhs rhs. */
static void compare_schur(check *t, const wilson_fixture *f, const naik_wilson *wilson,
                          const wilson_storage *s, int nrhs, const sample *a)
{
    static const naik_rhs_mask all = {NULL, NAIK_RHS_IDLE};
    naik_field *in = wilson_fixture_zero(t, f, s->vectors, nrhs);
    naik_field *out = wilson_fixture_zero(t, f, s->vectors, nrhs);
    naik_field *scratch = wilson_fixture_zero(t, f, s->vectors, nrhs);
    wilson_spinor *got = wilson_ref_field(f->lat->volume);
    for (int c = 0; c < nrhs; c++) {
        wilson_fixture_put(t, f, c == nrhs - 1 ? a->v : a->other, a->parity, in, c);
    }
    for (int dagger = 0; dagger < 2; dagger++) {
        CHECK_OK(t,
                 naik_wilson_schur(wilson, a->parity, dagger == 1, &all, in, scratch, out, NULL));
        wilson_fixture_take(t, f, out, a->parity, nrhs - 1, got);
        CHECK_NEAR(t, wilson_fixture_difference(f, got, a->expected[dagger], a->parity), 0,
                   s->tolerance);
    }
    free(got);
    naik_field_destroy(&in);
    naik_field_destroy(&out);
    naik_field_destroy(&scratch);
}

static void match_on_grid(check *t, const int extents[4], const int grid[4])
{
    static const int widths[] = {1, 2, 12};
    for (int q = 0; q < QUARKS; q++) {
        const bool all = q < 4 && t->comm->size == 1; /* two ranks have the bits of one (below) */
        wilson_fixture f;
        if (make_quark(t, extents, grid, q, &f)) {
            sample a = make_sample(&f, quarks[q].parity);
            for (int i = 0; i < STORAGES; i++) {
                naik_wilson *wilson = make(t, &f, &storages[i]);
                for (int w = all ? 0 : i % 3; wilson != NULL && w < 3; w += all ? 1 : 3) {
                    compare_schur(t, &f, wilson, &storages[i], widths[w], &a);
                }
                naik_wilson_destroy(&wilson);
            }
            free_sample(&a);
        }
        wilson_fixture_destroy(&f);
    }
}

static void schur_complement_matches_reference(check *t)
{
    fixture_for_grids(t, size, 2, match_on_grid);
}

static void schur_complement_matches_reference_in_scalar_lanes(check *t)
{
    static const int odd_halves[4] = {2, 6, 2, 6}, grid[4] = {1, 1, 1, 1};
    if (t->comm->size > 1) {
        CHECK_SKIP(t, "this box cannot be split");
    }
    match_on_grid(t, odd_halves, grid);
}

/* D and D^+ alone, with the additions of the projections that are not stored. */
static void hops_match_on_grid(check *t, const int extents[4], const int grid[4])
{
    wilson_fixture f;
    if (wilson_fixture_create(t, extents, grid, false, 0, mass, 0, true, &f)) {
        naik_wilson *wilson = make(t, &f, &storages[0]);
        wilson_spinor *v = wilson_fixture_random(&f, 6), *got = wilson_ref_field(f.lat->volume);
        wilson_spinor *expected = wilson_ref_field(f.lat->volume);
        for (int code = 0; wilson != NULL && code < 4; code++) {
            const naik_parity parity = (naik_parity)(code & 1);
            naik_field *in = wilson_fixture_field(t, &f, NAIK_DOUBLE, 1, 6, (naik_parity)!parity);
            naik_field *out = wilson_fixture_zero(t, &f, NAIK_DOUBLE, 1);
            const naik_dslash_args args = {.form = NAIK_FORM_D,
                                           .parity = parity,
                                           .links = wilson->links,
                                           .in = in,
                                           .out = out,
                                           .dagger = (code & 2) != 0};
            CHECK_OK(t, naik_dslash(&args));
            wilson_ref_dslash(f.ref, code & 2 ? WILSON_DAGGER : WILSON_PLAIN, v, expected);
            wilson_fixture_take(t, &f, out, parity, 0, got);
            CHECK_NEAR(t, wilson_fixture_difference(&f, got, expected, parity), 0, 1e-15);
            naik_field_destroy(&in);
            naik_field_destroy(&out);
        }
        free(v);
        free(got);
        free(expected);
        naik_wilson_destroy(&wilson);
    }
    wilson_fixture_destroy(&f);
}

static void hops_match_reference(check *t)
{
    fixture_for_grids(t, size, 4, hops_match_on_grid);
    fixture_for_cut_and_split(t, hops_match_on_grid);
}

/* The source of the Schur system, the rebuilding of the other parity, and the residual of M. */
static void algebra_matches_on_grid(check *t, const int extents[4], const int grid[4])
{
    for (int quark = 0; quark < QUARKS; quark++) {
        wilson_fixture f;
        const naik_parity p = quarks[quark].parity, q = (naik_parity)!p;
        bool ok = make_quark(t, extents, grid, quark, &f);
        naik_wilson *wilson = ok ? make(t, &f, &storages[0]) : NULL;
        if (wilson != NULL) {
            const wilson_schur ref = {.w = f.ref, .parity = p};
            wilson_spinor *src = wilson_fixture_random(&f, 7), *x = wilson_fixture_random(&f, 8);
            wilson_spinor *got = wilson_ref_field(f.lat->volume);
            wilson_spinor *expected = wilson_ref_field(f.lat->volume);
            naik_field *source[2], *solution[2], *work = wilson_fixture_zero(t, &f, NAIK_DOUBLE, 1);
            naik_field *b = wilson_fixture_zero(t, &f, NAIK_DOUBLE, 1);
            for (int parity = 0; parity < 2; parity++) {
                source[parity] =
                    wilson_fixture_field(t, &f, NAIK_DOUBLE, 1, 7, (naik_parity)parity);
                solution[parity] =
                    wilson_fixture_field(t, &f, NAIK_DOUBLE, 1, 8, (naik_parity)parity);
            }
            const naik_field *const from[2] = {source[0], source[1]};
            const naik_field *const at[2] = {solution[0], solution[1]};
            wilson_ref_schur_source(&ref, src, expected);
            CHECK_OK(t, naik_wilson_schur_source(wilson, p, from, work, b));
            wilson_fixture_take(t, &f, b, p, 0, got);
            CHECK_NEAR(t, wilson_fixture_difference(&f, got, expected, p), 0, 1e-14);
            CHECK_OK(t, naik_wilson_schur_rebuild(wilson, p, from, solution));
            wilson_ref_schur_rebuild(&ref, src, x);
            wilson_fixture_take(t, &f, solution[q], q, 0, got);
            CHECK_NEAR(t, wilson_fixture_difference(&f, got, x, q), 0, 1e-14);
            wilson_ref_operator(f.ref, WILSON_PLAIN, x, expected);
            for (int64_t i = 0; i < 12 * f.lat->volume; i++) {
                double complex *e = &((double complex *)expected)[i];
                *e = ((const double complex *)src)[i] - *e;
            }
            CHECK_OK(t, naik_wilson_residual(wilson, p, from, at, work, NULL));
            wilson_fixture_take(t, &f, work, p, 0, got);
            CHECK_NEAR(t, wilson_fixture_difference(&f, got, expected, p), 0, 1e-14);
            for (int parity = 0; parity < 2; parity++) {
                naik_field_destroy(&source[parity]);
                naik_field_destroy(&solution[parity]);
            }
            naik_field_destroy(&work);
            naik_field_destroy(&b);
            free(src);
            free(x);
            free(got);
            free(expected);
        }
        naik_wilson_destroy(&wilson);
        wilson_fixture_destroy(&f);
    }
}

static void source_rebuilding_and_residual_match_reference(check *t)
{
    fixture_for_grids(t, size, 2, algebra_matches_on_grid);
}

/* Mh^+ of rhs c of `nrhs`, [sites][4][3], and over all ranks |Mh^+ v|^2 and (v, Mh^+ v). */
enum { SUMS = 3 };
static void schur_bits(check *t, const wilson_fixture *f, const wilson_storage *s, int nrhs, int c,
                       wilson_spinor *whole, double of[SUMS])
{
    static const naik_rhs_mask all = {NULL, NAIK_RHS_IDLE};
    naik_wilson *wilson = make(t, f, s);
    naik_field *in = wilson_fixture_field(t, f, s->vectors, nrhs, 40 - (uint64_t)c, NAIK_EVEN);
    naik_field *out = wilson_fixture_zero(t, f, s->vectors, nrhs);
    naik_field *scratch = wilson_fixture_zero(t, f, s->vectors, nrhs);
    const naik_backend_ops *ops = f->backend->ops;
    void *sums = NULL;
    double values[SUMS * NAIK_MAX_RHS] = {0};
    const int count = SUMS * nrhs;
    CHECK_OK(t,
             naik_backend_alloc(f->backend, (size_t)count * sizeof(naik_exactsum), "sums", &sums));
    const naik_products products = {in, sums};
    CHECK_OK(t, ops->reduction.clear(f->backend, sums, count));
    CHECK_OK(t, naik_wilson_schur(wilson, NAIK_EVEN, true, &all, in, scratch, out, &products));
    CHECK_OK(t, ops->reduction.over_ranks(f->backend, sums, count));
    CHECK_OK(t, ops->reduction.values(f->backend, sums, count, values));
    for (int k = 0; k < SUMS; k++) {
        of[k] = values[k * nrhs + c];
    }
    wilson_fixture_take(t, f, out, NAIK_EVEN, c, whole);
    naik_backend_release(f->backend, sums);
    naik_field_destroy(&in);
    naik_field_destroy(&out);
    naik_field_destroy(&scratch);
    naik_wilson_destroy(&wilson);
}

/* Any rhs of a batch, on every rank, has the bits of one spinor on one rank. */
static void same_bits_of_quark(check *t, const int extents[4], const int grid[4],
                               double twisted_mass)
{
    wilson_fixture f, one;
    const int threads = t->comm->size == 1 ? 2 : 1, step = twisted_mass == 0 ? 1 : 3;
    bool ok = wilson_fixture_create_twisted(t, extents, grid, false, threads, mass, twisted_mass,
                                            1.2, false, &f);
    ok = wilson_fixture_create_twisted(t, extents, NULL, true, 1, mass, twisted_mass, 1.2, false,
                                       &one) &&
         ok;
    for (int i = 0; ok && i < STORAGES; i += step) {
        wilson_spinor *a = wilson_ref_field(f.lat->volume), *b = wilson_ref_field(f.lat->volume);
        double sum[SUMS], expected[SUMS];
        schur_bits(t, &f, &storages[i], 5, 3, a, sum);
        schur_bits(t, &one, &storages[i], 1, 0, b, expected);
        for (int k = 0; k < SUMS; k++) { /* the seed of rhs c is 40 - c + c */
            CHECK_TRUE(t, sum[k] == expected[k] && sum[k] != 0);
        }
        for (int32_t site = 0; site < f.lat->sites; site++) {
            int x[4];
            naik_lattice_coords(f.lat, site, x);
            const int64_t at = naik_lattice_global(f.lat, x);
            if (naik_parity_of(x) == NAIK_EVEN) {
                CHECK_INT(t, memcmp(a[at], b[at], sizeof *a), 0);
            }
        }
        free(a);
        free(b);
    }
    wilson_fixture_destroy(&one);
    wilson_fixture_destroy(&f);
}

static void same_bits_on_grid(check *t, const int extents[4], const int grid[4])
{
    same_bits_of_quark(t, extents, grid, 0);
    same_bits_of_quark(t, extents, grid, -0.6);
}

static void grid_threads_and_batch_do_not_change_a_bit(check *t)
{
    fixture_for_grids(t, size, 4, same_bits_on_grid);
    fixture_for_cut_and_split(t, same_bits_on_grid);
}

/* D, or D^+, of a field whose halo holds whole spinors. */
static void dslash_of_whole_spinors(check *t, const naik_dslash_args *args)
{
    const naik_geometry *geometry = args->in->geometry;
    const naik_wilson_ops *ops = &geometry->backend->ops->wilson;
    naik_field *in = (naik_field *)args->in; /* its halo zones */
    const naik_layers whole = {.parity = (naik_parity)!args->parity, .depth = 1};
    CHECK_OK(t, naik_halo_start(geometry->halo, in, &whole));
    CHECK_OK(t, ops->dslash(args, NAIK_INTERIOR));
    CHECK_OK(t, naik_halo_hand_over(geometry->halo, in, &whole));
    CHECK_OK(t, ops->dslash(args, NAIK_BOUNDARY));
}

/* Random numbers, of which many are zeros of either sign. */
static wilson_spinor *random_with_zeros(const wilson_fixture *f, uint64_t seed)
{
    wilson_spinor *v = wilson_fixture_random(f, seed);
    for (int64_t i = 0; i < 24 * f->lat->volume; i++) {
        double *number = (double *)v + i;
        *number = fabs(*number) > 1 ? *number : copysign(0, *number);
    }
    return v;
}

enum { HALVED = 12 };
static void compare_halves(check *t, const wilson_fixture *f, const wilson_storage *s, int nrhs,
                           wilson_spinor *const v[HALVED])
{
    naik_wilson *wilson = make(t, f, s);
    naik_field *in = wilson_fixture_zero(t, f, s->vectors, nrhs);
    naik_field *out[2] = {wilson_fixture_zero(t, f, s->vectors, nrhs),
                          wilson_fixture_zero(t, f, s->vectors, nrhs)};
    wilson_spinor *got[2] = {wilson_ref_field(f->lat->volume), wilson_ref_field(f->lat->volume)};
    for (int code = 0; wilson != NULL && code < 4; code++) {
        const naik_parity parity = (naik_parity)(code & 1);
        for (int c = 0; c < nrhs; c++) {
            wilson_fixture_put(t, f, v[c], (naik_parity)!parity, in, c);
        }
        naik_dslash_args args = {.form = NAIK_FORM_D,
                                 .parity = parity,
                                 .links = wilson->links,
                                 .in = in,
                                 .out = out[0],
                                 .dagger = (code & 2) != 0};
        dslash_of_whole_spinors(t, &args);
        args.out = out[1];
        CHECK_OK(t, naik_dslash(&args));
        for (int c = 0; c < nrhs; c++) {
            wilson_fixture_take(t, f, out[0], parity, c, got[0]);
            wilson_fixture_take(t, f, out[1], parity, c, got[1]);
            CHECK_TRUE(t, memcmp(got[0], got[1], (size_t)f->lat->volume * sizeof *got[0]) == 0);
        }
    }
    free(got[0]);
    free(got[1]);
    naik_field_destroy(&in);
    naik_field_destroy(&out[0]);
    naik_field_destroy(&out[1]);
    naik_wilson_destroy(&wilson);
}

static void compare_halves_on_grid(check *t, const int extents[4], const int grid[4])
{
    static const int widths[] = {1, 3, HALVED};
    wilson_fixture f;
    if (wilson_fixture_create(t, extents, grid, false, 0, mass, 0, false, &f)) {
        wilson_spinor *v[HALVED];
        for (int c = 0; c < HALVED; c++) {
            v[c] = random_with_zeros(&f, 60 + (uint64_t)c);
        }
        for (int i = 0; i < STORAGES; i++) {
            for (int w = 0; storages[i].recon != 12 && w < 3; w++) {
                compare_halves(t, &f, &storages[i], widths[w], v);
            }
        }
        for (int c = 0; c < HALVED; c++) {
            free(v[c]);
        }
    }
    wilson_fixture_destroy(&f);
}

static void half_spinors_bring_the_bits_of_whole_ones(check *t)
{
    if (t->comm->size == 1) {
        CHECK_SKIP(t, "one rank sends nothing");
    }
    fixture_for_grids(t, size, 2, compare_halves_on_grid);
    fixture_for_cut_and_split(t, compare_halves_on_grid);
}

/* Every link becomes size (1 + distance (U - U^+)/2), made unitary before the factor; negative:
 * size U. */
static void pull_to_unit(check *t, naik_gauge *u, double distance, double size)
{
    double change;
    for (int32_t i = 0; i < NAIK_DIM * u->lattice->sites; i++) {
        const naik_matrix dagger = naik_mat_dagger(&u->link[i]);
        naik_matrix near = naik_mat_unit();
        naik_mat_add(&near, distance / 2, &u->link[i]);
        naik_mat_add(&near, -distance / 2, &dagger);
        u->link[i] = distance < 0 ? u->link[i] : near;
    }
    CHECK_OK(t, naik_gauge_reunitarise(u, &change));
    for (int32_t i = 0; i < NAIK_DIM * u->lattice->sites; i++) {
        u->link[i] = naik_mat_scale(size, &u->link[i]);
    }
}

/* In each precision 8 numbers lead to D as accurately as they can, or are refused: where a2 = a3 = 0,
 * where rounding is as large as these, where links are not SU(3). */
static void links_of_8_numbers_are_accurate_or_refused(check *t)
{
    static const struct {
        double distance, size;
        int refused; /* from this precision on */
    } fields[] = {{-1, 1, 3}, {0.3, 1, 3}, {1e-3, 1, NAIK_HALF}, {0, 1, 0}, {-1, 1.01, 0}};
    static const double tolerance[NAIK_PRECISIONS] = {1e-13, 3e-5, 5e-3};
    for (int code = 0; code < 10; code++) {
        const double distance = fields[code / 2].distance;
        wilson_fixture f;
        CHECK_REQUIRE(t, wilson_fixture_create(t, size, NULL, false, 0, mass, 0, false, &f));
        naik_gauge_apply_boundary(f.u); /* its own inverse */
        pull_to_unit(t, f.u, distance, fields[code / 2].size);
        if (code % 2 == 1) {
            naik_gauge_apply_boundary(f.u);
        }
        naik_wilson *whole = make(t, &f, &storages[0]);
        wilson_spinor *expected = wilson_ref_field(f.lat->volume);
        wilson_spinor *got = wilson_ref_field(f.lat->volume);
        wilson_fixture_hops(t, &f, whole, NAIK_DOUBLE, 70, 1, &expected);
        for (int p = NAIK_DOUBLE; p <= NAIK_HALF; p++) {
            naik_wilson *eight = NULL;
            CHECK_STATUS(
                t, naik_wilson_create(f.geometry, f.u, NULL, mass, 0, (naik_precision)p, 8, &eight),
                p >= fields[code / 2].refused ? NAIK_ERR_INPUT : NAIK_OK);
            if (eight != NULL) {
                wilson_fixture_hops(t, &f, eight, p == NAIK_DOUBLE ? NAIK_DOUBLE : NAIK_SINGLE, 70,
                                    1, &got);
                CHECK_NEAR(t, wilson_fixture_difference(&f, got, expected, NAIK_EVEN), 0,
                           tolerance[p]);
            }
            naik_wilson_destroy(&eight);
        }
        free(expected);
        free(got);
        naik_wilson_destroy(&whole);
        wilson_fixture_destroy(&f);
    }
}

/* What MPI is given, of spinors and of as many colour vectors. */
static void messages_of_spinors_are_half_as_long(check *t)
{
    wilson_fixture f;
    if (t->comm->size == 1) {
        CHECK_SKIP(t, "one rank sends nothing");
    }
    CHECK_REQUIRE(t, wilson_fixture_create(t, size, NULL, false, 0, mass, 0, false, &f));
    const naik_route route = f.backend->route;
    f.backend->route = (naik_route){.peer = false};
    for (int i = 0; i < NAIK_PRECISIONS; i++) {
        const naik_precision precision = (naik_precision)i;
        const long long spinors =
            (long long)naik_halo_bytes(f.geometry, precision, NAIK_SPIN, 8, 1);
        const long long vectors = (long long)naik_halo_bytes(f.geometry, precision, 1, 32, 1);
        CHECK_TRUE(t, vectors > 0);
        CHECK_INT(t, spinors, precision == NAIK_HALF ? vectors : vectors / 2);
    }
    f.backend->route = route;
    wilson_fixture_destroy(&f);
}

/* A bit of A or A^-1 flipped on the last rank, in every storage. */
static void a_flipped_bit_in_a_block_is_found(check *t)
{
    wilson_fixture f;
    CHECK_REQUIRE(t,
                  wilson_fixture_create_twisted(t, size, NULL, false, 0, mass, 0.3, 1, false, &f));
    for (int i = 0; i < STORAGES; i++) {
        naik_wilson *wilson = make(t, &f, &storages[i]);
        for (int which = 0; wilson != NULL && which < 2; which++) {
            naik_blocks *blocks = which == 0 ? wilson->diagonal : wilson->inverse;
            unsigned char *byte = (unsigned char *)blocks->data + blocks->size_bytes - 5, was = 0;
            const bool last = t->comm->rank == t->comm->size - 1;
            int rank = 7;
            CHECK_OK(t, naik_wilson_verify_blocks(wilson, &rank));
            CHECK_INT(t, rank, -1);
            CHECK_OK(t, naik_backend_download(f.backend, &was, byte, 1));
            const unsigned char flipped = was ^ (last ? 4 : 0);
            CHECK_OK(t, naik_backend_upload(f.backend, byte, &flipped, 1));
            CHECK_OK(t, naik_wilson_verify_blocks(wilson, &rank));
            CHECK_INT(t, rank, t->comm->size - 1);
            CHECK_OK(t, naik_blocks_verify(wilson->inverse, &rank)); /* made of A as well */
            CHECK_INT(t, rank, t->comm->size - 1);
            CHECK_OK(t, naik_backend_upload(f.backend, byte, &was, 1));
        }
        naik_wilson_destroy(&wilson);
    }
    wilson_fixture_destroy(&f);
}

/* From links and clover blocks on the device: a few words for checks. Between ranks layers of links
 * travel as well. */
static void operators_are_made_where_links_and_blocks_are(check *t)
{
    wilson_fixture f;
    naik_gauge *there = NULL;
    naik_clover *here = NULL;
    CHECK_REQUIRE(t, wilson_fixture_create(t, size, NULL, false, 0, mass, 1, false, &f));
    naik_device *device = naik_backend_device(f.backend);
    CHECK_OK(t, naik_gauge_bring(f.u, device, &there));
    for (int i = 0; device != NULL && i < STORAGES; i++) {
        naik_wilson *wilson = NULL;
        double before[2], after[2];
        device->memory->moved(device, &before[0], &before[1]);
        CHECK_OK(t, naik_wilson_create(f.geometry, there, f.clover, mass, 0, storages[i].links,
                                       storages[i].recon, &wilson));
        device->memory->moved(device, &after[0], &after[1]);
        if (t->comm->size == 1) {
            CHECK_NEAR(t, after[0] - before[0] + after[1] - before[1], 0, 1024);
        }
        naik_wilson_destroy(&wilson);
    }
    if (device != NULL) {
        naik_wilson *wilson = NULL;
        CHECK_OK(t, naik_clover_create(f.u, NULL, mass, 0, 1, &here));
        CHECK_STATUS(t,
                     naik_wilson_create(f.geometry, there, here, mass, 0, NAIK_DOUBLE, 18, &wilson),
                     NAIK_ERR_ARG);
    }
    naik_wilson *wilson = NULL; /* blocks of other quarks */
    CHECK_STATUS(
        t, naik_wilson_create(f.geometry, there, f.clover, mass, 0.1, NAIK_DOUBLE, 18, &wilson),
        NAIK_ERR_ARG);
    naik_clover_destroy(&here);
    naik_gauge_destroy(&there);
    wilson_fixture_destroy(&f);
}

static void frozen_rhs_are_left_alone(check *t)
{
    wilson_fixture f;
    CHECK_REQUIRE(t, wilson_fixture_create(t, size, NULL, false, 0, mass, 1, false, &f));
    naik_wilson *wilson = make(t, &f, &storages[0]);
    naik_field *in = wilson_fixture_field(t, &f, NAIK_DOUBLE, 2, 9, NAIK_EVEN);
    naik_field *out = wilson_fixture_field(t, &f, NAIK_DOUBLE, 2, 19, NAIK_EVEN);
    naik_field *scratch = wilson_fixture_zero(t, &f, NAIK_DOUBLE, 2);
    const naik_rhs records[2] = {{.state = NAIK_RHS_RUN}, {.state = NAIK_RHS_IDLE}};
    void *rhs = NULL;
    CHECK_OK(t, naik_backend_alloc(f.backend, sizeof records, "records", &rhs));
    CHECK_OK(t, naik_backend_upload(f.backend, rhs, records, sizeof records));
    const naik_rhs_mask running = {rhs, NAIK_RHS_RUN};
    for (int dagger = 0; dagger < 2; dagger++) {
        wilson_spinor *got = wilson_ref_field(f.lat->volume);
        wilson_spinor *before[2] = {wilson_fixture_random(&f, 19), wilson_fixture_random(&f, 20)};
        CHECK_OK(
            t, naik_wilson_schur(wilson, NAIK_EVEN, dagger == 1, &running, in, scratch, out, NULL));
        wilson_fixture_take(t, &f, out, NAIK_EVEN, 1, got);
        CHECK_TRUE(t, wilson_fixture_difference(&f, got, before[1], NAIK_EVEN) == 0);
        wilson_fixture_take(t, &f, out, NAIK_EVEN, 0, got);
        CHECK_TRUE(t, wilson_fixture_difference(&f, got, before[0], NAIK_EVEN) > 0.1);
        free(before[0]);
        free(before[1]);
        free(got);
    }
    naik_backend_release(f.backend, rhs);
    naik_field_destroy(&in);
    naik_field_destroy(&out);
    naik_field_destroy(&scratch);
    naik_wilson_destroy(&wilson);
    wilson_fixture_destroy(&f);
}

CHECK_MAIN(CHECK(hops_match_reference), CHECK_UP_TO(2, schur_complement_matches_reference),
           CHECK(schur_complement_matches_reference_in_scalar_lanes),
           CHECK_UP_TO(2, source_rebuilding_and_residual_match_reference),
           CHECK(half_spinors_bring_the_bits_of_whole_ones),
           CHECK(links_of_8_numbers_are_accurate_or_refused),
           CHECK(messages_of_spinors_are_half_as_long),
           CHECK(grid_threads_and_batch_do_not_change_a_bit), CHECK(frozen_rhs_are_left_alone),
           CHECK(a_flipped_bit_in_a_block_is_found),
           CHECK(operators_are_made_where_links_and_blocks_are))
