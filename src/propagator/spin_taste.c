/* spin_taste.c - spin and taste operators, on the host
 *
 * A sign is the parity of the sum of some coordinates: a mask of directions. The backward half of a shift is
 * multiplied where it comes from, so that vectors travel and links stay.
 */
#include "propagator/spin_taste.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "comm/collective.h"
#include "lattice/su3.h"
#include "links/shift_ops.h"
#include "propagator/faces.h"

enum { ALL = NAIK_GAMMAS - 1, VECTOR = 6 };

struct naik_shifts {
    const naik_lattice *lattice;
    naik_gauge *links;        /* thin, with the boundary */
    double *at, *next, *back; /* [sites][3][2] */
    naik_faces faces;
};

static const unsigned eta[NAIK_DIM] = {8, 9, 11, 0}; /* the staggered phases as masks */

static bool has(unsigned set, int mu)
{
    return (set >> mu & 1) != 0;
}

static unsigned zeta_of(int mu)
{
    return ALL ^ 1U << mu ^ eta[mu];
}

/* Spin, and the directions of the links, of operator number 16 S + T. */
static unsigned spin_of(int spin_taste)
{
    return (unsigned)spin_taste / NAIK_GAMMAS;
}

static unsigned links_of(int spin_taste)
{
    return spin_of(spin_taste) ^ (unsigned)spin_taste % NAIK_GAMMAS;
}

static unsigned phi_of(unsigned spin)
{
    unsigned mask = 0;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        mask ^= has(spin, mu) ? ALL ^ 1U << mu : 0;
    }
    return mask;
}

static const int lattice_origin[NAIK_DIM];

void naik_meson_give_sign(const naik_lattice *lat, naik_meson meson, const int x0[NAIK_DIM],
                          int reals, double *v)
{
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lat, site, x);
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            x[mu] += lat->origin[mu] - x0[mu];
        }
        const double sign = naik_meson_sign(meson, x);
        for (int i = 0; i < reals; i++) {
            v[reals * (int64_t)site + i] *= sign;
        }
    }
}

int naik_correlator_sign(int correlator, const int r0[NAIK_DIM])
{
    if (correlator < (int)NAIK_MESONS) {
        return naik_meson_sign((naik_meson)correlator, r0);
    }
    if (correlator < (int)NAIK_FIRST_SPIN_TASTE) {
        return 1;
    }
    if (naik_correlator_is_current(correlator)) {
        return naik_sign_at(ALL, r0, lattice_origin);
    }
    const int spin_taste = correlator - NAIK_FIRST_SPIN_TASTE;
    unsigned mask = ALL ^ phi_of(spin_of(spin_taste));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        mask ^= has(links_of(spin_taste), mu) ? zeta_of(mu) : 0;
    }
    return naik_sign_at(mask, r0, lattice_origin);
}

int naik_correlator_phase(int correlator, const int x0[NAIK_DIM])
{
    unsigned mask = 0;
    if (!naik_correlator_is_spin_taste(correlator)) {
        return 1;
    }
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        mask ^= has(links_of(correlator - NAIK_FIRST_SPIN_TASTE), mu) ? eta[mu] : 0;
    }
    return naik_sign_at(mask, x0, lattice_origin);
}

int naik_correlator_parity(int correlator)
{
    int sign = naik_correlator_is_current(correlator) ? -1 : 1;
    for (int mu = 0; mu < NAIK_DIM && naik_correlator_is_spin_taste(correlator); mu++) {
        sign = has(links_of(correlator - NAIK_FIRST_SPIN_TASTE), mu) ? -sign : sign;
    }
    return sign;
}

static int count_of(unsigned set)
{
    int count = 0;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        count += has(set, mu);
    }
    return count;
}

int naik_spin_taste_adjoint(int correlator)
{
    const int spin_taste = correlator - NAIK_FIRST_SPIN_TASTE;
    const unsigned links = links_of(spin_taste), spin = spin_of(spin_taste);
    const int n = count_of(links);
    const int power = n * (n + 1) / 2 + n * count_of(spin) - count_of(spin & links);
    return power % 2 == 0 ? 1 : -1;
}

size_t naik_shifts_bytes(const naik_lattice *lattice)
{
    return (size_t)lattice->sites * NAIK_DIM * sizeof(naik_matrix) +
           3 * (size_t)lattice->sites * VECTOR * sizeof(double) + naik_faces_bytes(lattice, VECTOR);
}

static naik_status allocate(naik_shifts *s)
{
    naik_status status = NAIK_OK;
    naik_log *log = s->lattice->comm->log;
    const size_t vector = (size_t)s->lattice->sites * VECTOR * sizeof(double);
    NAIK_TRY(naik_alloc(log, vector, "a shifted vector", (void **)&s->at));
    NAIK_TRY(naik_alloc(log, vector, "a shifted vector", (void **)&s->next));
    NAIK_TRY(naik_alloc(log, vector, "a shifted vector", (void **)&s->back));
    NAIK_TRY(naik_faces_init(s->lattice, VECTOR, &s->faces));
done:
    return status;
}

naik_status naik_shifts_create(const naik_gauge *thin, bool antiperiodic, naik_shifts **out)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = thin->lattice->comm;
    *out = NULL;
    status = naik_alloc(comm->log, sizeof **out, "links of shifts", (void **)out);
    NAIK_TRY(naik_comm_agree(comm, status));
    (*out)->lattice = thin->lattice;
    NAIK_TRY(naik_comm_agree(comm, allocate(*out)));
    NAIK_TRY(naik_gauge_create(thin->lattice, &(*out)->links));
    NAIK_TRY(naik_gauge_copy(thin, (*out)->links));
    if (antiperiodic) {
        naik_gauge_apply_boundary((*out)->links);
    }
done:
    if (status != NAIK_OK) {
        naik_shifts_destroy(out);
    }
    return status;
}

void naik_shifts_destroy(naik_shifts **shifts)
{
    naik_shifts *s = *shifts;
    if (s != NULL) {
        naik_gauge_destroy(&s->links);
        naik_free(s->at);
        naik_free(s->next);
        naik_free(s->back);
        naik_faces_clear(&s->faces);
        naik_free(s);
        *shifts = NULL;
    }
}

const naik_gauge *naik_shifts_links(const naik_shifts *shifts)
{
    return shifts->links;
}

static void coordinates(const naik_lattice *lat, int32_t site, int x[NAIK_DIM],
                        int global[NAIK_DIM])
{
    naik_lattice_coords(lat, site, x);
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        global[mu] = x[mu] + lat->origin[mu];
    }
}

/* v = U f, U^+ f, or f where there is no link. */
static void carry_over(const naik_matrix *u, bool dagger, const double *f, naik_complex v[3])
{
    if (u != NULL) {
        naik_mat_times(u, dagger, f, v);
    } else {
        memcpy(v, f, VECTOR * sizeof *f);
    }
}

/* s->at = half the sum of it on both sides, with the sign of that mask: Z_mu of it with that of zeta; without links
 * as if all were 1. */
static naik_status shift(naik_shifts *s, int mu, bool links, unsigned mask, const int r0[NAIK_DIM])
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = s->lattice;
    const naik_matrix *u = s->links->link + mu;
    NAIK_TRY(naik_faces_exchange(&s->faces, mu, NAIK_FORWARD, s->at));
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM];
        naik_complex v[3];
        const int64_t at = VECTOR * (int64_t)site, link = NAIK_DIM * (int64_t)site;
        naik_lattice_coords(lat, site, x);
        carry_over(links ? &u[link] : NULL, false, naik_faces_beside(&s->faces, mu, 1, x, s->at),
                   v);
        memcpy(s->next + at, v, sizeof v);
        carry_over(links ? &u[link] : NULL, true, s->at + at, v);
        memcpy(s->back + at, v, sizeof v);
    }
    NAIK_TRY(naik_faces_exchange(&s->faces, mu, NAIK_BACKWARD, s->back));
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM], global[NAIK_DIM];
        coordinates(lat, site, x, global);
        const double half = 0.5 * naik_sign_at(mask, global, r0);
        const double *back = naik_faces_beside(&s->faces, mu, -1, x, s->back);
        for (int i = 0; i < VECTOR; i++) {
            s->at[VECTOR * (int64_t)site + i] =
                half * (s->next[VECTOR * (int64_t)site + i] + back[i]);
        }
    }
done:
    return status;
}

/* The directions of the links in the order with sign +, the first to act first. */
static int order_of(unsigned links, int order[NAIK_DIM])
{
    int count = 0;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if (has(links, mu)) {
            order[count++] = mu;
        }
    }
    if (count == 2 && links != 5) { /* Z_a Z_b: b acts first; of z and x that is x */
        const int first = order[0];
        order[0] = order[1];
        order[1] = first;
    }
    return count;
}

/* The order number `index` of 0 .. n! - 1 of the directions `from`; returns its sign. */
static int permute(int count, int index, const int from[NAIK_DIM], int to[NAIK_DIM])
{
    int left[NAIK_DIM], sign = 1, orders = 1;
    memcpy(left, from, (size_t)count * sizeof *left);
    for (int k = 2; k < count; k++) {
        orders *= k;
    }
    for (int k = 0; k < count; k++) {
        const int pick = index / orders;
        index %= orders;
        orders /= count - 1 - k > 1 ? count - 1 - k : 1;
        to[k] = left[pick];
        memmove(left + pick, left + pick + 1, (size_t)(count - 1 - k - pick) * sizeof *left);
        sign = pick % 2 == 0 ? sign : -sign;
    }
    return sign;
}

/* v = or += sign times the sign of that mask times f. */
static void add_signed(const naik_lattice *lat, unsigned mask, const int r0[NAIK_DIM],
                       double factor, const double *f, bool add, double *v)
{
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM], global[NAIK_DIM];
        coordinates(lat, site, x, global);
        const double sign = factor * naik_sign_at(mask, global, r0);
        for (int64_t i = VECTOR * (int64_t)site; i < VECTOR * (int64_t)site + VECTOR; i++) {
            v[i] = fma(sign, f[i], add ? v[i] : 0);
        }
    }
}

void naik_spin_taste_paths_of(int spin_taste, naik_spin_taste_paths *out)
{
    static const int factorial[NAIK_DIM + 1] = {1, 1, 2, 6, NAIK_SPIN_TASTE_ORDERS};
    int order[NAIK_DIM] = {0};
    *out = (naik_spin_taste_paths){.first = phi_of(spin_of(spin_taste)), .last = ALL};
    out->links = order_of(links_of(spin_taste), order);
    out->count = factorial[out->links];
    for (int k = 0; k < out->count; k++) {
        out->factor[k] = (double)permute(out->links, k, order, out->mu[k]) / out->count;
    }
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        out->step[mu] = zeta_of(mu);
    }
}

naik_status naik_spin_taste_apply(naik_shifts *s, int spin_taste, const int r0[NAIK_DIM],
                                  const double *f, double *out)
{
    naik_status status = NAIK_OK;
    naik_spin_taste_paths paths;
    naik_spin_taste_paths_of(spin_taste, &paths);
    for (int k = 0; k < paths.count; k++) {
        add_signed(s->lattice, paths.first, r0, 1, f, false, s->at);
        for (int i = 0; i < paths.links; i++) {
            const int mu = paths.mu[k][i];
            NAIK_TRY(shift(s, mu, true, paths.step[mu], r0));
        }
        add_signed(s->lattice, paths.last, r0, paths.factor[k], s->at, k > 0, out);
    }
done:
    return status;
}

naik_status naik_shift_symmetric(naik_shifts *s, int mu, bool links, const double *f,
                                 const double **out)
{
    memcpy(s->at, f, VECTOR * (size_t)s->lattice->sites * sizeof *f);
    *out = s->at;
    return shift(s, mu, links, 0, lattice_origin);
}
