/* test_current.c - the conserved current: what holds of it on random links, for any vectors
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
#include "dslash_ref.h"
#include "lattice/su3.h"
#include "propagator/current.h"
#include "propagator/slice_sums.h"
#include "wilson_ref.h"

static const int size[4] = {8, 4, 4, 8};
static const int x0[4] = {1, 2, 3, 5};
static const double rounding = 1e-12; /* some thousand products of numbers of size 1 at a site */

typedef struct fixture {
    naik_lattice *lat;
    naik_hops hops;
    naik_current *current;
    int spin;
    double *quark, *antiquark; /* [3 spin][sites][spin][3][2] */
    naik_complex *divergence;  /* [sites] */
} fixture;

static size_t reals_of(const fixture *f)
{
    return 6 * (size_t)f->spin * (size_t)f->lat->sites;
}

static double *columns(const fixture *f, uint64_t seed)
{
    double *v = malloc(3 * (size_t)f->spin * reals_of(f) * sizeof *v);
    const int reals = 6 * f->spin;
    for (int64_t i = 0; i < 3 * (int64_t)f->spin * f->lat->sites; i++) {
        int x[4];
        naik_lattice_coords(f->lat, (int32_t)(i % f->lat->sites), x);
        naik_rng rng = naik_rng_at(seed, (uint32_t)(i / f->lat->sites),
                                   (uint64_t)naik_lattice_global(f->lat, x));
        for (int k = 0; k < reals; k++) {
            v[reals * i + k] = naik_rng_gaussian(&rng);
        }
    }
    return v;
}

static void clear(fixture *f)
{
    naik_current_destroy(&f->current);
    naik_hops_clear(&f->hops);
    free(f->quark);
    free(f->antiquark);
    free(f->divergence);
    naik_lattice_destroy(&f->lat);
}

static bool make(check *t, int spin, bool far, fixture *f)
{
    const int ranks = t->comm->size, grid[4] = {ranks == 4 ? 2 : 1, 1, 1, ranks > 1 ? 2 : 1};
    *f = (fixture){.spin = spin};
    if (!CHECK_OK(t, naik_lattice_create(t->comm, size, grid, &f->lat))) {
        return false;
    }
    f->quark = columns(f, 1);
    f->antiquark = columns(f, 2);
    f->divergence = calloc((size_t)f->lat->sites, sizeof *f->divergence);
    CHECK_OK(t, naik_gauge_create(f->lat, &f->hops.one));
    naik_gauge_set_random(f->hops.one, 5);
    if (far) {
        CHECK_OK(t, naik_gauge_create(f->lat, &f->hops.three));
        naik_gauge_set_random(f->hops.three, 6);
    }
    return CHECK_OK(t, naik_current_create(f->lat, spin, &f->current));
}

/* v becomes v(x - steps mu). */
static void come(check *t, const naik_lattice *lat, int mu, int steps, naik_complex *v)
{
    naik_faces faces;
    double *from = malloc(2 * (size_t)lat->sites * sizeof *from);
    CHECK_OK(t, naik_faces_init(lat, 2, &faces));
    for (int step = 0; step < steps; step++) {
        memcpy(from, v, (size_t)lat->sites * sizeof *v);
        CHECK_OK(t, naik_faces_exchange(&faces, mu, NAIK_BACKWARD, from));
        for (int32_t site = 0; site < lat->sites; site++) {
            int x[4];
            naik_lattice_coords(lat, site, x);
            memcpy(&v[site], naik_faces_beside(&faces, mu, -1, x, from), sizeof *v);
        }
    }
    naik_faces_clear(&faces);
    free(from);
}

/* sum += J_mu, or -= J_mu(x - mu), of what is filled in. */
static void add_current(check *t, const fixture *f, bool before, naik_complex *sum)
{
    const naik_current *c = f->current;
    const size_t bytes = (size_t)f->lat->sites * sizeof *sum;
    naik_complex *v = malloc(bytes);
    for (int k = 0; k < (c->far ? 4 : 1); k++) {
        memcpy(v, k == 0 ? c->one : c->three, bytes);
        come(t, f->lat, c->mu, (k > 0 ? k - 1 : 0) + before, v);
        for (int32_t site = 0; site < f->lat->sites; site++) {
            sum[site] = naik_cadd(sum[site], naik_cscale(before ? -1 : 1, v[site]));
        }
    }
    free(v);
}

static void diverge(check *t, fixture *f)
{
    const naik_gamma *source = f->spin > 1 ? &naik_gamma_y : NULL;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        CHECK_OK(t,
                 naik_current_fill(f->current, &f->hops, mu, x0, source, f->quark, f->antiquark));
        add_current(t, f, false, f->divergence);
        add_current(t, f, true, f->divergence);
    }
}

static naik_complex dot(const double *a, const double *b, int count)
{
    naik_complex sum = {0, 0};
    for (int i = 0; i < 2 * count; i += 2) {
        sum = naik_cfma_conj((naik_complex){b[i], b[i + 1]}, (naik_complex){a[i], a[i + 1]}, sum);
    }
    return sum;
}

/* <p, M q> - <eps M q1, q> with p = eps q1, M of the slow operator. */
static double staggered_deviation(check *t, fixture *f)
{
    const naik_fatlong links = {.fat = f->hops.one, .long_links = f->hops.three};
    double *mq = malloc(reals_of(f) * sizeof *mq), *mp = malloc(reals_of(f) * sizeof *mp);
    double worst = 0;
    for (int c = 0; c < 3; c++) {
        const double *q = f->quark + c * reals_of(f), *p = f->antiquark + c * reals_of(f);
        CHECK_OK(t, naik_operator_ref(&links, 0.1, q, mq));
        CHECK_OK(t, naik_operator_ref(&links, 0.1, p, mp));
        for (int32_t site = 0; site < f->lat->sites; site++) {
            int x[4];
            naik_lattice_coords(f->lat, site, x);
            for (int mu = 0; mu < 4; mu++) {
                x[mu] += f->lat->origin[mu] + x0[mu];
            }
            const int64_t at = 6 * (int64_t)site;
            const naik_complex v = naik_csub(dot(p + at, mq + at, 3), dot(mp + at, q + at, 3));
            f->divergence[site] =
                naik_cadd(f->divergence[site], naik_cscale(naik_parity_of(x) != 0 ? 1 : -1, v));
        }
    }
    for (int32_t site = 0; site < f->lat->sites; site++) {
        worst = naik_worst(worst, hypot(f->divergence[site].re, f->divergence[site].im));
    }
    CHECK_OK(t, naik_comm_max_f64(f->lat->comm, &worst, 1));
    free(mq);
    free(mp);
    return worst;
}

static void staggered_divergence_is_that_of_the_operator(check *t)
{
    for (int far = 0; far < 2; far++) {
        fixture f;
        CHECK_REQUIRE(t, make(t, 1, far != 0, &f));
        diverge(t, &f);
        CHECK_TRUE(t, hypot(f.divergence[0].re, f.divergence[0].im) > 1e-3);
        CHECK_NEAR(t, staggered_deviation(t, &f), 0, rounding);
        clear(&f);
    }
}

/* tr H g5 z^+ g5 (M s) - tr H g5 (M^+ g5 z)^+ s, with the sum over the columns of both. */
static double spin_deviation(check *t, fixture *f)
{
    const naik_gamma right = naik_gamma_product(&naik_gamma_y, &naik_gamma_5);
    wilson_ref *w = NULL;
    double worst = 0;
    if (!CHECK_OK(t, wilson_ref_create(f->hops.one, false, 0.1, 0.3, 1.2, &w))) {
        return 1;
    }
    wilson_spinor *s = wilson_ref_field(w->volume), *z = wilson_ref_field(w->volume);
    wilson_spinor *ms = wilson_ref_field(w->volume), *mz = wilson_ref_field(w->volume);
    wilson_spinor *z5 = wilson_ref_field(w->volume);
    for (int column = 0; column < 12; column++) {
        const int other = 3 * right.column[column / 3] + column % 3;
        const naik_complex r = right.value[column / 3];
        CHECK_OK(t, wilson_ref_collect(f->lat, f->quark + column * reals_of(f), s));
        CHECK_OK(t, wilson_ref_collect(f->lat, f->antiquark + other * reals_of(f), z));
        for (int64_t site = 0; site < w->volume; site++) {
            wilson_spin_apply(wilson_gamma[4], z[site], z5[site]);
        }
        wilson_ref_operator(w, WILSON_PLAIN, s, ms);
        wilson_ref_operator(w, WILSON_DAGGER, z5, mz);
        for (int32_t site = 0; site < f->lat->sites; site++) {
            int x[4];
            double complex sum = 0;
            naik_lattice_coords(f->lat, site, x);
            const int64_t at = naik_lattice_global(f->lat, x);
            for (int i = 0; i < 12; i++) {
                sum += conj(z5[at][i / 3][i % 3]) * ms[at][i / 3][i % 3] -
                       conj(mz[at][i / 3][i % 3]) * s[at][i / 3][i % 3];
            }
            sum *= wilson_complex(r.re, r.im);
            f->divergence[site] =
                naik_csub(f->divergence[site], (naik_complex){creal(sum), cimag(sum)});
        }
    }
    for (int32_t site = 0; site < f->lat->sites; site++) {
        worst = naik_worst(worst, hypot(f->divergence[site].re, f->divergence[site].im));
    }
    CHECK_OK(t, naik_comm_max_f64(f->lat->comm, &worst, 1));
    free(s);
    free(z);
    free(ms);
    free(mz);
    free(z5);
    wilson_ref_destroy(&w);
    return worst;
}

static void divergence_of_quarks_with_spin_is_that_of_the_operator(check *t)
{
    fixture f;
    CHECK_REQUIRE(t, make(t, 4, false, &f));
    diverge(t, &f);
    CHECK_TRUE(t, hypot(f.divergence[0].re, f.divergence[0].im) > 1e-3);
    CHECK_NEAR(t, spin_deviation(t, &f), 0, 10 * rounding);
    clear(&f);
}

typedef struct waves {
    const naik_complex *j;
    const int *p;
    bool cosine;
} waves;

static naik_complex wave_at(const void *data, int32_t site, const int x[NAIK_DIM])
{
    const waves *w = data;
    naik_complex factor = {1, 0};
    for (int k = 0; k < 3; k++) {
        const double angle = 2 * acos(-1) * w->p[k] * (x[k] - x0[k]) / size[k];
        factor = naik_cmul(factor, (naik_complex){cos(angle), w->cosine ? 0 : sin(angle)});
    }
    return naik_cmul(factor, w->j[site]);
}

static void sums_are_those_of_the_current_at_every_site(check *t)
{
    static const int momenta[2][3] = {{0, 0, 0}, {1, -1, 2}};
    for (int k = 0; k < 12; k++) {
        fixture f;
        naik_complex got[8], want[8];
        const int mu = k % 4;
        const bool cosine = k >= 8;
        naik_frame frame = {.cosine = cosine};
        CHECK_REQUIRE(t, make(t, 1, true, &f));
        memcpy(frame.momentum, momenta[k >= 4], sizeof frame.momentum);
        memcpy(frame.origin, x0, sizeof frame.origin);
        CHECK_OK(t, naik_current_fill(f.current, &f.hops, mu, x0, NULL, f.quark, f.antiquark));
        CHECK_OK(t, naik_current_sum(f.current, &frame, got));
        add_current(t, &f, false, f.divergence);
        const waves w = {f.divergence, momenta[k >= 4], cosine};
        CHECK_OK(t, naik_slice_sums(f.lat, wave_at, &w, want));
        for (int time = 0; time < size[3]; time++) {
            CHECK_NEAR(t, got[time].re, want[time].re, 100 * rounding);
            CHECK_NEAR(t, got[time].im, want[time].im, 100 * rounding);
        }
        clear(&f);
    }
}

static naik_frame wave(int px, int py, int pz)
{
    naik_frame frame = {.momentum = {px, py, pz}};
    memcpy(frame.origin, x0, sizeof frame.origin);
    return frame;
}

/* Of all columns the sum of p^+ K q, p = eps q1 or that of quarks with spin, z from the antiquark. */
static naik_complex carried(check *t, const fixture *f, int mu, const naik_frame *frame)
{
    const naik_gamma right = naik_gamma_product(&naik_gamma_y, &naik_gamma_5);
    naik_complex total = {0, 0};
    double *kq = malloc(reals_of(f) * sizeof *kq), *p = malloc(reals_of(f) * sizeof *p);
    for (int column = 0; column < 3 * f->spin; column++) {
        const int other = f->spin > 1 ? 3 * right.column[column / 3] + column % 3 : column;
        const naik_complex factor = f->spin > 1 ? right.value[column / 3] : (naik_complex){1, 0};
        CHECK_OK(t, naik_current_apply(f->current, &f->hops, mu, frame,
                                       f->quark + column * reals_of(f), kq));
        memcpy(p, f->antiquark + other * reals_of(f), reals_of(f) * sizeof *p);
        for (int32_t site = 0; site < f->lat->sites; site++) {
            int x[4];
            naik_lattice_coords(f->lat, site, x);
            for (int k = 0; k < 4; k++) {
                x[k] += f->lat->origin[k] + x0[k];
            }
            double *here = p + 6 * f->spin * (int64_t)site;
            if (f->spin > 1) {
                naik_gamma_times(&naik_gamma_5, here);
            }
            for (int i = 0; i < 6 && f->spin == 1; i++) {
                here[i] *= naik_parity_of(x) != 0 ? -1 : 1;
            }
        }
        total = naik_cadd(total, naik_cmul(factor, dot(p, kq, (int)reals_of(f) / 2)));
    }
    naik_exactsum all[2];
    naik_exactsum_clear(&all[0]);
    naik_exactsum_clear(&all[1]);
    naik_exactsum_add(&all[0], total.re);
    naik_exactsum_add(&all[1], total.im);
    CHECK_OK(t, naik_comm_sum_exact(f->lat->comm, all, 2));
    total = (naik_complex){naik_exactsum_value(&all[0]), naik_exactsum_value(&all[1])};
    free(kq);
    free(p);
    return total;
}

/* Of time slices added up; of a direction each, with a momentum and without. */
static void operators_on_vectors_are_what_sums_carry(check *t)
{
    for (int k = 0; k < 8; k++) {
        fixture f;
        naik_complex sums[8], want = {0, 0};
        const int spin = k < 4 ? 1 : 4, mu = k % 4;
        const naik_frame frame = k % 2 == 0 ? wave(1, -1, 2) : wave(0, 0, 0);
        CHECK_REQUIRE(t, make(t, spin, spin == 1, &f));
        CHECK_OK(
            t, naik_current_fill(f.current, &f.hops, mu, x0, &naik_gamma_y, f.quark, f.antiquark));
        CHECK_OK(t, naik_current_sum(f.current, &frame, sums));
        for (int time = 0; time < size[3]; time++) {
            want = naik_cadd(want, sums[time]);
        }
        const naik_complex got = carried(t, &f, mu, &frame);
        CHECK_TRUE(t, hypot(want.re, want.im) > 1);
        CHECK_NEAR(t, got.re, want.re, 1000 * rounding);
        CHECK_NEAR(t, got.im, want.im, 1000 * rounding);
        clear(&f);
    }
}

/* v becomes w v. */
static void weigh(const fixture *f, const naik_frame *frame, double *v)
{
    for (int32_t site = 0; site < f->lat->sites; site++) {
        int x[4];
        naik_lattice_coords(f->lat, site, x);
        for (int mu = 0; mu < 4; mu++) {
            x[mu] += f->lat->origin[mu];
        }
        const naik_complex w = naik_slice_weight(f->lat, frame, x);
        for (int i = 0; i < 3 * f->spin; i++) {
            double *at = v + 6 * (int64_t)f->spin * site + 2 * (int64_t)i;
            const naik_complex turned = naik_cmul(w, (naik_complex){at[0], at[1]});
            memcpy(at, &turned, sizeof turned);
        }
    }
}

/* out = M v of the slow operators. */
static void operate(check *t, const fixture *f, const double *v, double *out)
{
    if (f->spin == 1) {
        const naik_fatlong links = {.fat = f->hops.one, .long_links = f->hops.three};
        CHECK_OK(t, naik_operator_ref(&links, 0.1, v, out));
        return;
    }
    wilson_ref *w = NULL;
    if (!CHECK_OK(t, wilson_ref_create(f->hops.one, false, 0.1, 0.3, 1.2, &w))) {
        return;
    }
    wilson_spinor *s = wilson_ref_field(w->volume), *ms = wilson_ref_field(w->volume);
    CHECK_OK(t, wilson_ref_collect(f->lat, v, s));
    wilson_ref_operator(w, WILSON_PLAIN, s, ms);
    for (int32_t site = 0; site < f->lat->sites; site++) {
        int x[4];
        naik_lattice_coords(f->lat, site, x);
        memcpy(out + 24 * (int64_t)site, ms[naik_lattice_global(f->lat, x)], sizeof *ms);
    }
    free(s);
    free(ms);
    wilson_ref_destroy(&w);
}

/* sum_mu (1 - exp(i p_mu)) K_mu f = w M f - M w f */
static void divergence_at_the_source_is_that_of_the_operator(check *t)
{
    for (int k = 0; k < 3; k++) {
        fixture f;
        const naik_frame frame = wave(1, -1, 2);
        const int spin = k < 2 ? 1 : 4;
        double worst = 0, largest = 0;
        CHECK_REQUIRE(t, make(t, spin, k == 1, &f));
        double *got = calloc(reals_of(&f), sizeof *got), *term = malloc(reals_of(&f) * sizeof *got);
        double *wf = malloc(reals_of(&f) * sizeof *wf);
        for (int mu = 0; mu < 3; mu++) {
            const double angle = 2 * acos(-1) * frame.momentum[mu] / size[mu];
            const naik_complex turn = {1 - cos(angle), -sin(angle)};
            CHECK_OK(t, naik_current_apply(f.current, &f.hops, mu, &frame, f.quark, term));
            for (size_t i = 0; i < reals_of(&f); i += 2) {
                const naik_complex v = naik_cmul(turn, (naik_complex){term[i], term[i + 1]});
                got[i] += v.re;
                got[i + 1] += v.im;
            }
        }
        operate(t, &f, f.quark, term);
        weigh(&f, &frame, term);
        for (size_t i = 0; i < reals_of(&f); i++) {
            got[i] -= term[i];
            largest = naik_worst(largest, fabs(term[i]));
        }
        memcpy(wf, f.quark, reals_of(&f) * sizeof *wf);
        weigh(&f, &frame, wf);
        operate(t, &f, wf, term);
        for (size_t i = 0; i < reals_of(&f); i++) {
            worst = naik_worst(worst, fabs(got[i] + term[i]));
        }
        CHECK_OK(t, naik_comm_max_f64(f.lat->comm, &worst, 1));
        CHECK_TRUE(t, largest > 1);
        CHECK_NEAR(t, worst, 0, rounding);
        free(got);
        free(term);
        free(wf);
        clear(&f);
    }
}

/* v(x) becomes g(x) v(x); U(x) becomes g(x) U(x) g(x + hops mu)^+. */
static void turn(const fixture *f, const naik_gauge *g, double *v)
{
    const int64_t sites = f->lat->sites, vectors = 3 * f->spin * f->spin * sites;
    for (int64_t i = 0; i < vectors; i++) {
        naik_complex in[3], out[3] = {{0, 0}, {0, 0}, {0, 0}};
        memcpy(in, v + 6 * i, sizeof in);
        const naik_matrix *u = &g->link[4 * (i / f->spin % sites)];
        for (int k = 0; k < 9; k++) {
            out[k / 3] = naik_cfma(u->e[k / 3][k % 3], in[k % 3], out[k / 3]);
        }
        memcpy(v + 6 * i, out, sizeof out);
    }
}

static void turn_links(const naik_gauge *g, int hops, naik_gauge *u)
{
    for (int64_t i = 0; i < 4 * (int64_t)u->lattice->sites; i++) {
        const int32_t site = (int32_t)(i / 4);
        const int mu = (int)(i % 4);
        int x[4];
        naik_lattice_coords(u->lattice, site, x);
        x[mu] = (x[mu] + hops) % size[mu];
        const naik_matrix left = naik_mat_mul(&g->link[i - mu], &u->link[i]);
        u->link[i] = naik_mat_mul_dagger(&left, &g->link[4 * naik_lattice_site(u->lattice, x)]);
    }
}

static void currents_do_not_depend_on_the_gauge(check *t)
{
    for (int spin = 1; spin <= 4; spin += 3) {
        fixture f;
        naik_gauge *g = NULL;
        double worst = 0;
        CHECK_REQUIRE(t, make(t, spin, spin == 1, &f));
        CHECK_OK(t, naik_gauge_create(f.lat, &g));
        naik_gauge_set_random(g, 9);
        for (int turned = 0; turned < 2; turned++) {
            CHECK_OK(t, naik_current_fill(f.current, &f.hops, 3, x0, &naik_gamma_t, f.quark,
                                          f.antiquark));
            for (int32_t site = 0; site < f.lat->sites; site++) {
                const naik_complex j = naik_cadd(f.current->one[site], f.current->three[site]);
                f.divergence[site] = turned != 0 ? naik_csub(f.divergence[site], j) : j;
                worst = turned != 0
                            ? naik_worst(worst, hypot(f.divergence[site].re, f.divergence[site].im))
                            : 0;
            }
            turn(&f, g, f.quark);
            turn(&f, g, f.antiquark);
            turn_links(g, 1, f.hops.one);
            if (f.hops.three != NULL) {
                turn_links(g, 3, f.hops.three);
            }
        }
        CHECK_NEAR(t, worst, 0, 10 * rounding);
        naik_gauge_destroy(&g);
        clear(&f);
    }
}

CHECK_MAIN(CHECK(staggered_divergence_is_that_of_the_operator),
           CHECK(divergence_of_quarks_with_spin_is_that_of_the_operator),
           CHECK(sums_are_those_of_the_current_at_every_site),
           CHECK(operators_on_vectors_are_what_sums_carry),
           CHECK(divergence_at_the_source_is_that_of_the_operator),
           CHECK_ALONE(currents_do_not_depend_on_the_gauge))
