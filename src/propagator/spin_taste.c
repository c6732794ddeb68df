/* spin_taste.c - spin and taste operators, on the host
 *
 * A sign is the parity of the sum of some coordinates: a mask of directions. A shift carries such a sign to the neighbour,
 * where it is the same or the opposite everywhere: so all signs of an operator stand in front of its shifts, and the mean
 * over their orders is that of shifts without signs. The backward half of a shift is multiplied where it comes from, so
 * that vectors travel and links stay.
 */
#include "propagator/spin_taste.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "lattice/su3.h"
#include "links/shift_ops.h"
#include "propagator/faces.h"

enum { ALL = NAIK_GAMMAS - 1, VECTOR = 6, ROOMS = NAIK_DIM + 2 };

struct naik_shifts {
    const naik_lattice *lattice;
    naik_gauge *links;        /* thin, with the boundary */
    double *at, *next, *back; /* [sites][3][2] */
    /* Means of the shifts in one direction each, then in two and in three; NULL: not needed yet. */
    double *mean[ROOMS];
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

/* to [sites][reals] = factor times the sign of that mask times from; they may be one. */
static void scale(const naik_lattice *lat, unsigned mask, const int r0[NAIK_DIM], double factor,
                  int reals, const double *from, double *to)
{
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_global_coords(lat, site, x);
        const double sign = factor * naik_sign_at(mask, x, r0);
        for (int64_t i = reals * (int64_t)site; i < reals * ((int64_t)site + 1); i++) {
            to[i] = sign * from[i];
        }
    }
}

/* The mask of a local meson: its sign at one site in each direction tells it. */
static unsigned mask_of(naik_meson meson)
{
    unsigned mask = 0;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        int x[NAIK_DIM] = {0};
        x[mu] = 1;
        mask |= naik_meson_sign(meson, x) < 0 ? 1U << mu : 0;
    }
    return mask;
}

void naik_meson_give_sign(const naik_lattice *lat, naik_meson meson, const int x0[NAIK_DIM],
                          int reals, double *v)
{
    scale(lat, mask_of(meson), x0, 1, reals, v, v);
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

int naik_correlator_parity_in_space(int correlator)
{
    unsigned links = 0;
    if (naik_correlator_is_spin_taste(correlator)) {
        links = links_of(correlator - NAIK_FIRST_SPIN_TASTE);
    } else if (naik_correlator_is_current(correlator)) {
        links = 1U << (correlator - NAIK_FIRST_CURRENT);
    }
    return naik_direction_count(links & ~(1U << (NAIK_DIM - 1))) % 2 == 0 ? 1 : -1;
}

int naik_correlator_links(int correlator)
{
    return naik_correlator_is_spin_taste(correlator)
               ? naik_direction_count(links_of(correlator - NAIK_FIRST_SPIN_TASTE))
               : 0;
}

int naik_meson_spin_taste(naik_meson meson)
{
    int spin = 0;
    while (spin < NAIK_GAMMAS - 1 && (ALL ^ phi_of((unsigned)spin)) != mask_of(meson)) {
        spin++;
    }
    return (NAIK_GAMMAS + 1) * spin;
}

int naik_spin_taste_adjoint(int correlator)
{
    const int spin_taste = correlator - NAIK_FIRST_SPIN_TASTE;
    const unsigned links = links_of(spin_taste), spin = spin_of(spin_taste);
    const int n = naik_direction_count(links);
    const int power =
        n * (n + 1) / 2 + n * naik_direction_count(spin) - naik_direction_count(spin & links);
    return power % 2 == 0 ? 1 : -1;
}

size_t naik_shifts_bytes(const naik_lattice *lattice)
{
    return (size_t)lattice->sites * NAIK_DIM * sizeof(naik_matrix) +
           (3 + ROOMS) * (size_t)lattice->sites * VECTOR * sizeof(double) +
           naik_faces_bytes(lattice, VECTOR);
}

static naik_status allocate(naik_shifts *s)
{
    naik_log *log = s->lattice->comm->log;
    const size_t vector = (size_t)s->lattice->sites * VECTOR * sizeof(double);
    NAIK_PASS(naik_alloc(log, vector, "a shifted vector", (void **)&s->at));
    NAIK_PASS(naik_alloc(log, vector, "a shifted vector", (void **)&s->next));
    NAIK_PASS(naik_alloc(log, vector, "a shifted vector", (void **)&s->back));
    return naik_faces_init(s->lattice, VECTOR, &s->faces);
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
        for (int k = 0; k < ROOMS; k++) {
            naik_free(s->mean[k]);
        }
        naik_faces_clear(&s->faces);
        naik_free(s);
        *shifts = NULL;
    }
}

const naik_gauge *naik_shifts_links(const naik_shifts *shifts)
{
    return shifts->links;
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

/* sum = or += f on both sides of each site, with links or as if all were 1. */
static naik_status add_both(naik_shifts *s, int mu, bool links, const double *f, bool add,
                            double *sum)
{
    const naik_lattice *lat = s->lattice;
    const naik_matrix *u = s->links->link + mu;
    NAIK_PASS(naik_faces_exchange(&s->faces, mu, NAIK_FORWARD, f));
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM];
        naik_complex v[3];
        const int64_t at = VECTOR * (int64_t)site, link = NAIK_DIM * (int64_t)site;
        naik_lattice_coords(lat, site, x);
        carry_over(links ? &u[link] : NULL, false, naik_faces_beside(&s->faces, mu, 1, x, f), v);
        memcpy(s->next + at, v, sizeof v);
        carry_over(links ? &u[link] : NULL, true, f + at, v);
        memcpy(s->back + at, v, sizeof v);
    }
    NAIK_PASS(naik_faces_exchange(&s->faces, mu, NAIK_BACKWARD, s->back));
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lat, site, x);
        const double *back = naik_faces_beside(&s->faces, mu, -1, x, s->back);
        for (int i = 0; i < VECTOR; i++) {
            double *to = sum + VECTOR * (int64_t)site + i;
            *to = (add ? *to : 0) + (s->next[VECTOR * (int64_t)site + i] + back[i]);
        }
    }
    return NAIK_OK;
}

/* Which mean of *s holds that of a set of one to three directions. */
static int room_of(unsigned set)
{
    const int count = naik_direction_count(set);
    return count > 1 ? NAIK_DIM + count - 2 : has(set, 0) ? 0 : has(set, 1) ? 1 : 2 + has(set, 3);
}

static naik_status take_room(naik_shifts *s, unsigned set)
{
    double **mean = &s->mean[room_of(set)];
    const size_t bytes = VECTOR * (size_t)s->lattice->sites * sizeof **mean;
    return *mean != NULL
               ? NAIK_OK
               : naik_alloc(s->lattice->comm->log, bytes, "a shifted vector", (void **)mean);
}

/* out = the mean over the orders of the shifts in a set of directions, without signs: the mean over its directions of the
 * last shift, of the mean of the others. Those of one direction are there. */
static naik_status average(naik_shifts *s, unsigned set, const double *f, double *out)
{
    bool add = false;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        const unsigned others = set & ~(1U << mu);
        const double *from = f;
        if (!has(set, mu)) {
            continue;
        }
        if (others != 0) {
            from = s->mean[room_of(others)];
        }
        if (naik_direction_count(others) > 1) {
            NAIK_PASS(average(s, others, f, s->mean[room_of(others)]));
        }
        NAIK_PASS(add_both(s, mu, true, from, add, out));
        add = true;
    }
    scale(s->lattice, 0, lattice_origin, 0.5 / naik_direction_count(set), VECTOR, out, out);
    return NAIK_OK;
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

/* The means of the shifts in each direction of the set alone, and room for those of more. */
static naik_status begin(naik_shifts *s, unsigned set, const double *f)
{
    naik_status status = NAIK_OK;
    unsigned first = 0;
    for (int mu = 0; mu < NAIK_DIM && status == NAIK_OK; mu++) {
        status = has(set, mu) ? take_room(s, 1U << mu) : NAIK_OK;
        first |= has(set, mu) && naik_direction_count(first) < naik_direction_count(set) - 1
                     ? 1U << mu
                     : 0;
        status =
            status == NAIK_OK && naik_direction_count(first) > 1 ? take_room(s, first) : status;
    }
    NAIK_PASS(naik_comm_agree(s->lattice->comm, status));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if (has(set, mu)) {
            NAIK_PASS(average(s, 1U << mu, f, s->mean[room_of(1U << mu)]));
        }
    }
    return NAIK_OK;
}

naik_spin_taste_form naik_spin_taste_form_of(int spin_taste)
{
    const unsigned spin = spin_of(spin_taste), links = links_of(spin_taste);
    naik_spin_taste_form form = {.links = links, .mask = ALL ^ phi_of(spin), .sign = 1};
    int order[NAIK_DIM] = {0};
    const int count = order_of(links, order);
    unsigned passed = phi_of(spin); /* the signs that the next shift carries */
    for (int k = 0; k < count; k++) {
        form.sign = has(passed, order[k]) ? -form.sign : form.sign;
        passed ^= zeta_of(order[k]);
        form.mask ^= zeta_of(order[k]);
    }
    return form;
}

naik_status naik_spin_taste_apply(naik_shifts *s, int spin_taste, const int r0[NAIK_DIM],
                                  const double *f, double *out)
{
    const naik_spin_taste_form form = naik_spin_taste_form_of(spin_taste);
    if (naik_direction_count(form.links) > 1) {
        NAIK_PASS(begin(s, form.links, f));
    }
    if (form.links != 0) {
        NAIK_PASS(average(s, form.links, f, out));
    }
    scale(s->lattice, form.mask, r0, form.sign, VECTOR, form.links != 0 ? out : f, out);
    return NAIK_OK;
}

naik_status naik_shift_symmetric(naik_shifts *s, int mu, bool links, const double *f,
                                 const double **out)
{
    NAIK_PASS(add_both(s, mu, links, f, false, s->at));
    scale(s->lattice, 0, lattice_origin, 0.5, VECTOR, s->at, s->at);
    *out = s->at;
    return NAIK_OK;
}
