/* link_loops.c - the loops of link building in the host's memory
 *
 * Rows of x at a time (rows.h), threads over the rows of the box.
 */
#include <string.h>

#include "base/clones.h"
#include "lattice/su3.h"
#include "links/ghosted.h"
#include "links/host_loops.h"
#include "links/link_ops.h"
#include "links/smear.h"
#include "links/unitarize.h"

/* ---- ghosted */

static naik_status ghosted_fill(const naik_gauge *gauge, int mu, naik_ghosted *ghosted)
{
    const naik_ghosted_plan *plan = ghosted->plan;
#pragma omp parallel for schedule(static)
    for (int64_t chunk = 0; chunk < plan->chunks; chunk++) {
        const naik_ghosted_place place = naik_ghosted_chunk(plan, chunk);
        const int64_t site = naik_lattice_site(plan->lattice, place.x);
        naik_rows_from_links(&gauge->link[site * NAIK_DIM + mu], NAIK_DIM, place.n,
                             (naik_row *)ghosted->data + place.here);
    }
    return NAIK_OK;
}

static naik_status ghosted_layer(naik_ghosted *ghosted, int mu, const int from[NAIK_DIM],
                                 const int to[NAIK_DIM], bool pack, double *message)
{
    const int line = ghosted->plan->line * NAIK_ROW_REALS;
    const int count = mu == 0 ? NAIK_ROW_REALS : line, step = mu == 0 ? NAIK_ROW_SITES : 1;
    int x[NAIK_DIM] = {mu == 0 ? from[0] : 0, 0, 0, 0};
    for (x[3] = from[3]; x[3] < to[3]; x[3]++) {
        for (x[2] = from[2]; x[2] < to[2]; x[2]++) {
            for (x[1] = from[1]; x[1] < to[1]; x[1]++) {
                double *numbers = naik_ghosted_at(ghosted, x);
                for (int k = 0; k < count; k++, message++) {
                    *(pack ? message : numbers + k * step) = *(pack ? numbers + k * step : message);
                }
            }
        }
    }
    return NAIK_OK;
}

/* ---- staples and products */

enum { HERE = NAIK_GHOSTED_HERE };

/* The links around one row of sites in direction nu that staples of links mu are made of. */
typedef struct sides {
    const naik_row *here, *forward, *below, *below_ahead; /* U_nu at s, s+mu, s-nu, s-nu+mu */
    naik_row room[3];                                     /* for those that are not as in memory */
} sides;

/* One row of sites, in ghosted of the whole box and in those of the slab that is worked on. */
typedef struct spot {
    const naik_ghosted_plan *whole;
    naik_ghosted_place in_whole, in_slab;
    sides side[NAIK_DIM]; /* [nu], not mu */
} spot;

static const naik_row *row_of(const naik_ghosted *ghosted, const spot *s, int forward, int backward,
                              naik_row *buffer)
{
    return naik_ghosted_row(ghosted, ghosted->plan == s->whole ? &s->in_whole : &s->in_slab,
                            forward, backward, buffer);
}

static void set_spot(const naik_ghosted u[NAIK_DIM], int mu, const naik_ghosted_plan *slab,
                     int64_t chunk, spot *s)
{
    s->whole = u->plan;
    s->in_slab = naik_ghosted_chunk(slab, chunk);
    s->in_whole = naik_ghosted_place_at(u->plan, s->in_slab.x);
    for (int nu = 0; nu < NAIK_DIM; nu++) {
        sides *side = &s->side[nu];
        if (nu != mu) {
            side->here = row_of(&u[nu], s, HERE, HERE, NULL);
            side->forward = row_of(&u[nu], s, mu, HERE, &side->room[0]);
            side->below = row_of(&u[nu], s, HERE, nu, &side->room[1]);
            side->below_ahead = row_of(&u[nu], s, mu, nu, &side->room[2]);
        }
    }
}

/* sum += St_{mu,nu}[inner] */
static void add_staple(const spot *s, const naik_ghosted *inner, int nu, naik_row *sum)
{
    naik_row room;
    const sides *u = &s->side[nu];
    naik_rows_add_upper(u->here, row_of(inner, s, nu, HERE, &room), u->forward, sum);
    naik_rows_add_lower(u->below, row_of(inner, s, HERE, nu, &room), u->below_ahead, sum);
}

static void put_row(naik_ghosted *ghosted, naik_gauge *gauge, const naik_ghosted_place *place,
                    int mu, const naik_row *from)
{
    if (ghosted != NULL) {
        naik_ghosted_put(ghosted, place, from);
    } else {
        naik_gauge_put_row(gauge, place, mu, from);
    }
}

static void sum_row(const spot *here, int mu, const naik_staple_sum *s)
{
    naik_row sum, apart;
    naik_row *staples = s->weight == 1 ? &sum : &apart;
    if (s->terms == 0) {
        naik_rows_clear(&sum);
    }
    for (int i = 0; i < s->terms; i++) {
        const naik_row *term = row_of(s->term[i].ghosted, here, HERE, HERE, NULL);
        (i == 0 ? naik_rows_scale : naik_rows_add)(s->term[i].weight, term, &sum);
    }
    if (staples == &apart) {
        naik_rows_clear(&apart);
    }
    for (int j = 0; j < s->staples; j++) {
        add_staple(here, s->staple[j].inner, s->staple[j].nu, staples);
    }
    if (staples == &apart) {
        naik_rows_add(s->weight, &apart, &sum);
    }
    put_row(s->out, s->gauge, s->out != NULL ? &here->in_slab : &here->in_whole, mu, &sum);
}

/* On the sites of the field that are written, or read for links of a gauge field. */
static naik_status staples(const naik_ghosted u[NAIK_DIM], int mu, const naik_staple_sum *sums,
                           int count)
{
    const naik_ghosted_plan *slab = (sums->out != NULL ? sums->out : sums->staple[0].inner)->plan;
#pragma omp parallel for schedule(static)
    for (int64_t chunk = 0; chunk < slab->chunks; chunk++) {
        spot here;
        set_spot(u, mu, slab, chunk, &here);
        for (int k = 0; k < count; k++) {
            sum_row(&here, mu, &sums[k]);
        }
    }
    return NAIK_OK;
}

static naik_status product(double weight, const naik_ghosted *a, const naik_ghosted *b, int mu,
                           naik_ghosted *out, naik_gauge *gauge)
{
    const naik_ghosted_plan *plan = a->plan;
#pragma omp parallel for schedule(static)
    for (int64_t chunk = 0; chunk < plan->chunks; chunk++) {
        const naik_ghosted_place place = naik_ghosted_chunk(plan, chunk);
        naik_row beside, product, scaled;
        naik_rows_mul(naik_ghosted_row(a, &place, HERE, HERE, NULL),
                      naik_ghosted_row(b, &place, mu, HERE, &beside), &product);
        naik_rows_scale(weight, &product, &scaled);
        put_row(out, gauge, &place, mu, &scaled);
    }
    return NAIK_OK;
}

/* ---- whole gauge fields */

static naik_status project(naik_gauge *gauge, const naik_gauge *thin, int64_t count[2])
{
    const int64_t links = (int64_t)gauge->lattice->sites * NAIK_DIM;
    int64_t svd = 0, arbitrary = 0;
#pragma omp parallel for schedule(static) reduction(+ : svd, arbitrary)
    for (int64_t first = 0; first < links; first += NAIK_ROW_SITES) {
        const int64_t rest = links - first;
        const int n = rest < NAIK_ROW_SITES ? (int)rest : NAIK_ROW_SITES;
        naik_row v = {{{0}}}, w;
        int64_t mine[2] = {0, 0};
        naik_rows_from_links(&gauge->link[first], 1, n, &v);
        naik_unitarize_row(&v, n, &w, mine);
        svd += mine[0];
        arbitrary += mine[1];
        naik_rows_to_links(&w, n, &gauge->link[first], 1);
        for (int64_t i = first; i < first + n && thin != NULL; i++) {
            naik_projection how = NAIK_PROJECTION_SERIES;
            gauge->link[i] = naik_special_unitarize(&gauge->link[i], &thin->link[i], &how);
            arbitrary += how == NAIK_PROJECTION_ARBITRARY;
        }
    }
    count[0] = svd;
    count[1] = arbitrary;
    return NAIK_OK;
}

/* out = a + s b of one link; b NULL: s a. */
NAIK_CLONES static void combine_link(const naik_matrix *a, double s, const naik_matrix *b,
                                     naik_matrix *out)
{
    if (b == NULL) {
        *out = naik_mat_scale(s, a);
        return;
    }
    *out = *a;
    if (s != 0) {
        naik_mat_add(out, s, b);
    }
}

static naik_status combine(const naik_gauge *a, double s, const naik_gauge *b, naik_gauge *out)
{
    const int64_t links = (int64_t)out->lattice->sites * NAIK_DIM;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < links; i++) {
        combine_link(&a->link[i], s, b == NULL ? NULL : &b->link[i], &out->link[i]);
    }
    return NAIK_OK;
}

static naik_status rotate(const naik_gauge *a, const naik_complex phase[NAIK_DIM], naik_gauge *out)
{
    const int64_t links = (int64_t)out->lattice->sites * NAIK_DIM;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < links; i++) {
        out->link[i] = naik_mat_rotate(phase[i % NAIK_DIM], &a->link[i]);
    }
    return NAIK_OK;
}

static naik_status largest(const naik_gauge *gauge, double *out)
{
    const double *numbers = &gauge->link[0].e[0][0].re;
    const int64_t count = (int64_t)gauge->lattice->sites * NAIK_DIM * 18;
    double most = 0;
#pragma omp parallel for schedule(static) reduction(max : most)
    for (int64_t i = 0; i < count; i++) {
        const double size = fabs(numbers[i]);
        most = size > most ? size : most;
    }
    *out = most;
    return NAIK_OK;
}

static naik_status others_in_time(const naik_gauge *gauge, int but, int64_t *count)
{
    const naik_lattice *lat = gauge->lattice;
    int64_t others = 0;
#pragma omp parallel for schedule(static) reduction(+ : others)
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lat, site, x);
        const naik_matrix *u = &gauge->link[(int64_t)site * NAIK_DIM + 3];
        others += x[3] != but && !naik_mat_is_unit(u);
    }
    *count = others;
    return NAIK_OK;
}

static naik_status layers(const naik_gauge *gauge, int mu, int distance, naik_matrix *out)
{
    const naik_lattice *lat = gauge->lattice;
    const int64_t layer = lat->sites / lat->local[mu];
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lat, site, x);
        const int depth = x[mu] - (lat->local[mu] - distance);
        if (depth >= 0) {
            out[depth * layer + naik_link_layer_site(lat->local, x, mu)] =
                gauge->link[(int64_t)site * NAIK_DIM + mu];
        }
    }
    return NAIK_OK;
}

/* -U_mu(x - distance mu)^+ */
static naik_matrix backward_link(const naik_gauge *links, const naik_link_layers *backward,
                                 const int x[NAIK_DIM], int mu)
{
    const naik_lattice *lat = links->lattice;
    const naik_matrix *u;
    const int there = x[mu] - backward->distance;
    if (there < 0 && lat->split[mu]) {
        const int64_t layer = lat->sites / lat->local[mu];
        u = &backward->link[mu][x[mu] * layer + naik_link_layer_site(lat->local, x, mu)];
    } else {
        int y[NAIK_DIM] = {x[0], x[1], x[2], x[3]};
        y[mu] = ((there % lat->local[mu]) + lat->local[mu]) % lat->local[mu];
        u = &links->link[(int64_t)naik_lattice_site(lat, y) * NAIK_DIM + mu];
    }
    const naik_matrix dagger = naik_mat_dagger(u);
    return naik_mat_scale(-1, &dagger);
}

static naik_status points(const naik_fatlong *source, const naik_link_layers backward[2],
                          int points, naik_parity parity, int32_t begin, int32_t count,
                          naik_matrix *out)
{
    const naik_lattice *lat = source->fat->lattice;
#pragma omp parallel for schedule(static)
    for (int32_t i = 0; i < count; i++) {
        int x[NAIK_DIM];
        const int32_t site = naik_lattice_site_of(lat, parity, begin + i);
        naik_lattice_coords(lat, site, x);
        naik_matrix *w = out + (int64_t)i * points;
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            w[NAIK_POINT_FORWARD + mu] = source->fat->link[(int64_t)site * NAIK_DIM + mu];
            w[NAIK_POINT_BACKWARD + mu] = backward_link(source->fat, &backward[0], x, mu);
            if (points == NAIK_STENCIL) {
                w[NAIK_POINT_FORWARD3 + mu] =
                    source->long_links->link[(int64_t)site * NAIK_DIM + mu];
                w[NAIK_POINT_BACKWARD3 + mu] =
                    backward_link(source->long_links, &backward[1], x, mu);
            }
        }
    }
    return NAIK_OK;
}

const naik_link_ops naik_link_ops_host = {
    .ghosted_fill = ghosted_fill,
    .ghosted_layer = ghosted_layer,
    .staples = staples,
    .product = product,
    .find_turns = naik_turn_loops_find,
    .apply_turns = naik_turn_loops_apply,
    .divergence = naik_turn_loops_divergence,
    .reunitarise = naik_turn_loops_reunitarise,
    .ghosted_store = naik_turn_loops_store,
    .clover = naik_clover_loop,
    .project = project,
    .combine = combine,
    .rotate = rotate,
    .largest = largest,
    .others_in_time = others_in_time,
    .layers = layers,
    .points = points,
};
