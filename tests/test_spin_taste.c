/* test_spin_taste.c - operators of spin and taste on random links: what is known of all of them
 *
 * ranks: 1 4
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exactsum.h"
#include "base/rng.h"
#include "check.h"
#include "comm/collective.h"
#include "lattice/su3.h"
#include "propagator/spin_taste.h"

static const int size[4] = {8, 4, 4, 8};
static const int spins[3] = {1, 6, 11}; /* GX, GYZ, G5Z */

typedef struct fixture {
    naik_lattice *lat;
    naik_gauge *links;
    naik_shifts *shifts;
    double *a, *b, *out; /* [sites][3][2] */
    size_t reals;
} fixture;

static void fill(const naik_lattice *lat, uint64_t seed, double *v)
{
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[4];
        naik_lattice_coords(lat, site, x);
        naik_rng rng = naik_rng_at(seed, 0, (uint64_t)naik_lattice_global(lat, x));
        for (int i = 0; i < 6; i++) {
            v[6 * (int64_t)site + i] = naik_rng_gaussian(&rng);
        }
    }
}

static void clear(fixture *f)
{
    naik_shifts_destroy(&f->shifts);
    naik_gauge_destroy(&f->links);
    free(f->a);
    free(f->b);
    free(f->out);
    naik_lattice_destroy(&f->lat);
}

static bool make(check *t, fixture *f)
{
    memset(f, 0, sizeof *f);
    CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &f->lat));
    if (f->lat == NULL) {
        return false;
    }
    f->reals = 6 * (size_t)f->lat->sites;
    f->a = malloc(f->reals * sizeof(double));
    f->b = malloc(f->reals * sizeof(double));
    f->out = malloc(f->reals * sizeof(double));
    CHECK_OK(t, naik_gauge_create(f->lat, &f->links));
    naik_gauge_set_random(f->links, 5);
    CHECK_OK(t, naik_shifts_create(f->links, true, &f->shifts));
    fill(f->lat, 1, f->a);
    fill(f->lat, 2, f->b);
    return f->shifts != NULL;
}

static naik_complex product(const fixture *f, const double *a, const double *b)
{
    double sum[2] = {0, 0};
    for (size_t i = 0; i < f->reals; i += 2) {
        sum[0] += a[i] * b[i] + a[i + 1] * b[i + 1];
        sum[1] += a[i] * b[i + 1] - a[i + 1] * b[i];
    }
    naik_exactsum exact[2];
    memset(exact, 0, sizeof exact);
    naik_exactsum_add(&exact[0], sum[0]);
    naik_exactsum_add(&exact[1], sum[1]);
    naik_comm_sum_exact(f->lat->comm, exact, 2);
    return (naik_complex){naik_exactsum_value(&exact[0]), naik_exactsum_value(&exact[1])};
}

static int bits(unsigned set)
{
    int count = 0;
    for (; set != 0; set &= set - 1) {
        count++;
    }
    return count;
}

/* O^+ = s O as a matrix over all sites, s = (-1)^(n(n+1)/2 + n|S| - |S and links|). */
static void operators_are_hermitian_up_to_a_known_sign(check *t)
{
    static const int origin[4] = {0, 0, 0, 0};
    fixture f;
    const bool made = make(t, &f);
    for (int k = 0; k < 3 * NAIK_GAMMAS && made; k++) {
        const unsigned spin = (unsigned)spins[k / NAIK_GAMMAS], taste = (unsigned)k % NAIK_GAMMAS;
        const unsigned links = spin ^ taste;
        const int n = bits(links), power = n * (n + 1) / 2 + n * bits(spin) - bits(spin & links);
        const double s = power % 2 == 0 ? 1 : -1;
        const int number = (int)(NAIK_GAMMAS * spin + taste);
        CHECK_OK(t, naik_spin_taste_apply(f.shifts, number, origin, f.b, f.out));
        const naik_complex right = product(&f, f.a, f.out);
        CHECK_OK(t, naik_spin_taste_apply(f.shifts, number, origin, f.a, f.out));
        const naik_complex left = product(&f, f.out, f.b);
        /* some 6000 products of numbers of size 1 on each side */
        CHECK_NEAR(t, right.re, s * left.re, 1e-11);
        CHECK_NEAR(t, right.im, s * left.im, 1e-11);
        CHECK_TRUE(t, right.re != 0);
    }
    clear(&f);
}

/* v(x) -> Z_mu v by its definition, on one rank. */
static void shift_slowly(const fixture *f, int mu, const double *from, double *to)
{
    static const unsigned eta[4] = {8, 9, 11, 0};
    for (int32_t site = 0; site < f->lat->sites; site++) {
        int x[4], y[4];
        naik_complex ahead[3], behind[3];
        const naik_matrix *u = naik_shifts_links(f->shifts)->link;
        naik_lattice_coords(f->lat, site, x);
        int sign = x[mu] + x[0] + x[1] + x[2] + x[3];
        for (int nu = 0; nu < 4; nu++) {
            sign += (eta[mu] >> nu & 1) != 0 ? x[nu] : 0;
        }
        memcpy(y, x, sizeof y);
        y[mu] = (x[mu] + 1) % size[mu];
        naik_mat_times(&u[4 * site + mu], false, from + 6 * (int64_t)naik_lattice_site(f->lat, y),
                       ahead);
        y[mu] = (x[mu] + size[mu] - 1) % size[mu];
        const int32_t back = naik_lattice_site(f->lat, y);
        naik_mat_times(&u[4 * back + mu], true, from + 6 * (int64_t)back, behind);
        for (int c = 0; c < 3; c++) {
            const double half = sign % 2 == 0 ? 0.5 : -0.5;
            to[6 * (int64_t)site + 2 * c] = half * (ahead[c].re + behind[c].re);
            to[6 * (int64_t)site + 2 * c + 1] = half * (ahead[c].im + behind[c].im);
        }
    }
}

/* sum += the Z of the directions left, in all their orders, with the sign of an order (of x, y, z, t reversed +); v is
 * used up. */
static void add_orders(const fixture *f, unsigned left, double sign, const double *v, double *sum)
{
    if (left == 0) {
        for (size_t i = 0; i < f->reals; i++) {
            sum[i] += sign * v[i];
        }
        return;
    }
    double *next = malloc(f->reals * sizeof *next);
    int before = 0; /* directions left that act after this one, but have a smaller number */
    for (int mu = 0; mu < 4; mu++) {
        if ((left >> mu & 1) != 0) {
            shift_slowly(f, mu, v, next);
            add_orders(f, left & ~(1U << mu), before % 2 == 0 ? sign : -sign, next, sum);
            before++;
        }
    }
    free(next);
}

/* O f = eps A phi f, A the mean over the orders: of two links the order with + is (x, y), (z, x), (y, z), (x, t) ..., of
 * which the second acts first. */
static void operators_are_means_over_orders(check *t)
{
    static const int origin[4] = {0, 0, 0, 0}, factorial[5] = {1, 1, 2, 6, 24};
    fixture f;
    CHECK_REQUIRE(t, make(t, &f));
    double *sum = malloc(f.reals * sizeof *sum);
    for (int number = 0; number < NAIK_GAMMAS * NAIK_GAMMAS; number += 11) {
        const unsigned spin = (unsigned)number / NAIK_GAMMAS;
        const unsigned links = spin ^ (unsigned)number % NAIK_GAMMAS;
        const int n = bits(links);
        double worst = 0;
        memset(sum, 0, f.reals * sizeof *sum);
        for (int32_t site = 0; site < f.lat->sites; site++) {
            int x[4];
            naik_lattice_coords(f.lat, site, x);
            int sign = 0;
            for (int mu = 0; mu < 4; mu++) {
                sign += (spin >> mu & 1) != 0 ? x[0] + x[1] + x[2] + x[3] + x[mu] : 0;
            }
            for (int i = 0; i < 6; i++) {
                const size_t at = 6 * (size_t)site + (size_t)i;
                f.b[at] = sign % 2 == 0 ? f.a[at] : -f.a[at];
            }
        }
        add_orders(&f, links, (n == 2 && links != 5 ? -1.0 : 1.0) / factorial[n], f.b, sum);
        CHECK_OK(t, naik_spin_taste_apply(f.shifts, number, origin, f.a, f.out));
        for (int32_t site = 0; site < f.lat->sites; site++) {
            int x[4];
            naik_lattice_coords(f.lat, site, x);
            const double eps = (x[0] + x[1] + x[2] + x[3]) % 2 == 0 ? 1 : -1;
            for (int i = 0; i < 6; i++) {
                const size_t at = 6 * (size_t)site + (size_t)i;
                worst = naik_worst(worst, fabs(f.out[at] - eps * sum[at]));
            }
        }
        CHECK_NEAR(t, worst, 0, 1e-14); /* 24 orders of four products of numbers up to 4, over 24 */
    }
    free(sum);
    clear(&f);
}

static void the_place_is_a_sign_in_front(check *t)
{
    static const int origin[4] = {0, 0, 0, 0}, r0[4] = {1, 2, 3, 5};
    fixture f;
    const bool made = make(t, &f);
    for (int k = 0; k < 3 * NAIK_GAMMAS && made; k++) {
        const int number = NAIK_GAMMAS * spins[k / NAIK_GAMMAS] + k % NAIK_GAMMAS;
        const int sign = naik_correlator_sign(NAIK_FIRST_SPIN_TASTE + number, r0);
        double worst = 0;
        CHECK_OK(t, naik_spin_taste_apply(f.shifts, number, origin, f.a, f.out));
        CHECK_OK(t, naik_spin_taste_apply(f.shifts, number, r0, f.a, f.b));
        for (size_t i = 0; i < f.reals; i++) {
            worst = naik_worst(worst, fabs(f.b[i] - sign * f.out[i]));
        }
        CHECK_NEAR(t, worst, 0, 0);
    }
    clear(&f);
}

/* doc/correlators.md: C(x0) is C(0) times the product of eta_d(x0) over the directions d of the links. */
static void the_place_of_the_source_is_a_product_of_phases(check *t)
{
    for (int number = 0; number < NAIK_GAMMAS * NAIK_GAMMAS; number++) {
        const int links = number / NAIK_GAMMAS ^ number % NAIK_GAMMAS;
        for (int site = 0; site < 16; site++) {
            const int x[4] = {site & 1, site >> 1 & 1, site >> 2 & 1, site >> 3};
            const int eta[4] = {x[3], x[3] + x[0], x[3] + x[0] + x[1], 0}; /* of x, y, z, t */
            int sum = 0;
            for (int mu = 0; mu < 4; mu++) {
                sum += (links >> mu & 1) * eta[mu];
            }
            CHECK_INT(t, naik_correlator_phase(NAIK_FIRST_SPIN_TASTE + number, x),
                      1 - 2 * (sum & 1));
        }
    }
}

/* On four ranks the face across x is twice that across t. */
static void room_is_made_for_the_largest_face(check *t)
{
    static const int extents[4] = {8, 4, 4, 16};
    const int grid[4] = {t->comm->size == 4 ? 2 : 1, 1, 1, t->comm->size > 1 ? 2 : 1};
    naik_lattice *lat = NULL;
    CHECK_REQUIRE(t, t->comm->size <= 4 && t->comm->size != 3 &&
                         CHECK_OK(t, naik_lattice_create(t->comm, extents, grid, &lat)));
    const size_t face = t->comm->size == 1 ? 0 : 128;
    CHECK_INT(t, lat->sites, 2048 / t->comm->size);
    CHECK_INT(t, naik_shifts_bytes(lat),
              (size_t)lat->sites * 4 * sizeof(naik_matrix) +
                  (9 * (size_t)lat->sites + 2 * face) * 48);
    naik_lattice_destroy(&lat);
}

/* v(x) becomes g(x) v(x); links become g(x) U(x) g(x + mu)^+. g: the links in x of another field. */
static void turn_vector(const naik_lattice *lat, const naik_gauge *g, double *v)
{
    for (int32_t site = 0; site < lat->sites; site++) {
        naik_complex in[3], out[3] = {{0, 0}, {0, 0}, {0, 0}};
        memcpy(in, v + 6 * (int64_t)site, sizeof in);
        for (int i = 0; i < 9; i++) {
            out[i / 3] = naik_cfma(g->link[4 * site].e[i / 3][i % 3], in[i % 3], out[i / 3]);
        }
        memcpy(v + 6 * (int64_t)site, out, sizeof out);
    }
}

static void turn_links(const naik_lattice *lat, const naik_gauge *g, naik_gauge *u)
{
    for (int32_t site = 0; site < lat->sites; site++) {
        for (int mu = 0; mu < 4; mu++) {
            int x[4];
            naik_lattice_coords(lat, site, x);
            x[mu] = (x[mu] + 1) % size[mu];
            const naik_matrix left = naik_mat_mul(&g->link[4 * site], &u->link[4 * site + mu]);
            u->link[4 * site + mu] =
                naik_mat_mul_dagger(&left, &g->link[4 * naik_lattice_site(lat, x)]);
        }
    }
}

static void operators_are_gauge_covariant(check *t)
{
    static const int origin[4] = {0, 0, 0, 0}, numbers[4] = {0x10, 0x7e, 0xf8, 0x0f};
    fixture f;
    naik_gauge *turn = NULL;
    CHECK_REQUIRE(t, make(t, &f));
    CHECK_OK(t, naik_gauge_create(f.lat, &turn));
    CHECK_REQUIRE(t, turn != NULL);
    naik_gauge_set_random(turn, 9);
    for (int k = 0; k < 4; k++) {
        double worst = 0;
        naik_shifts *turned = NULL;
        naik_gauge_set_random(f.links, 5);
        turn_links(f.lat, turn, f.links);
        CHECK_OK(t, naik_shifts_create(f.links, true, &turned));
        fill(f.lat, 1, f.a);
        CHECK_OK(t, naik_spin_taste_apply(f.shifts, numbers[k], origin, f.a, f.out));
        turn_vector(f.lat, turn, f.out);
        turn_vector(f.lat, turn, f.a);
        CHECK_OK(t, naik_spin_taste_apply(turned, numbers[k], origin, f.a, f.b));
        for (size_t i = 0; i < f.reals; i++) {
            worst = naik_worst(worst, fabs(f.b[i] - f.out[i]));
        }
        CHECK_NEAR(t, worst, 0, 1e-13); /* up to six products of matrices of numbers up to 4 */
        naik_shifts_destroy(&turned);
    }
    naik_gauge_destroy(&turn);
    clear(&f);
}

CHECK_MAIN(CHECK(operators_are_hermitian_up_to_a_known_sign),
           CHECK_ALONE(operators_are_means_over_orders), CHECK(the_place_is_a_sign_in_front),
           CHECK_UP_TO(1, the_place_of_the_source_is_a_product_of_phases),
           CHECK_ALONE(operators_are_gauge_covariant), CHECK(room_is_made_for_the_largest_face))
