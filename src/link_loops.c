/* link_loops.c - the loops of link building in the host's memory
 *
 * Rows of x at a time (rows.h), threads over the rows of the box.
 */
#include <string.h>

#include "naik/link_ops.h"
#include "naik/unitarize.h"

/* ---- rings */

static naik_status ring_fill(const naik_gauge *gauge, int mu, naik_ring *ring)
{
    const naik_ring_plan *plan = ring->plan;
    const int64_t stride = plan->extent[0];
#pragma omp parallel for schedule(static)
    for (int64_t chunk = 0; chunk < plan->chunks; chunk++) {
        int x[NAIK_DIM];
        const int n = naik_ring_chunk(plan, chunk, x);
        const naik_matrix *link =
            &gauge->link[(int64_t)naik_lattice_site(plan->lattice, x) * NAIK_DIM + mu];
        double *to = naik_ring_at(ring, x);
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < NAIK_ROW_REALS; k += 2) {
                const naik_complex e = link[i * NAIK_DIM].e[k / 6][k / 2 % 3];
                to[k * stride + i] = e.re;
                to[(k + 1) * stride + i] = e.im;
            }
        }
    }
    return NAIK_OK;
}

static naik_status ring_layer(naik_ring *ring, int mu, const int from[NAIK_DIM],
                              const int to[NAIK_DIM], bool pack, double *message)
{
    const int64_t stride = ring->plan->extent[0];
    const int64_t sites = mu == 0 ? 1 : stride;
    int x[NAIK_DIM] = {mu == 0 ? from[0] : -ring->plan->pad[0], 0, 0, 0};
    for (x[3] = from[3]; x[3] < to[3]; x[3]++) {
        for (x[2] = from[2]; x[2] < to[2]; x[2]++) {
            for (x[1] = from[1]; x[1] < to[1]; x[1]++) {
                double *row = naik_ring_at(ring, x);
                for (int k = 0; k < NAIK_ROW_REALS; k++, message += sites, row += stride) {
                    memcpy(pack ? message : row, pack ? row : message,
                           (size_t)sites * sizeof(double));
                }
            }
        }
    }
    return NAIK_OK;
}

/* ---- staples and products */

/* sum += St_{mu,nu}[s] at n sites from x on. */
static void add_staple(const naik_ring *u_nu, const naik_ring *s, const int x[NAIK_DIM], int n,
                       int mu, int nu, naik_row_buffer *sum)
{
    naik_row_buffer first, second, product;
    int below[NAIK_DIM] = {x[0], x[1], x[2], x[3]};
    below[nu]--;
    naik_rows_mul(naik_ring_row(u_nu, x, nu, 0, n, &first), naik_ring_row(s, x, nu, 1, n, &second),
                  n, &product);
    naik_rows_add_mul_dagger(naik_row_of(&product), naik_ring_row(u_nu, x, mu, 1, n, &first), n,
                             sum);
    naik_rows_dagger_mul(naik_ring_row(u_nu, below, nu, 0, n, &first),
                         naik_ring_row(s, below, nu, 0, n, &second), n, &product);
    naik_rows_add_mul(naik_row_of(&product), naik_ring_row(u_nu, below, mu, 1, n, &first), n, sum);
}

static naik_row box_row(const naik_ring *ring, const int x[NAIK_DIM], int n)
{
    return naik_ring_row(ring, x, 0, 0, n, NULL);
}

static void put_row(naik_ring *ring, naik_gauge *gauge, const int x[NAIK_DIM], int mu, int n,
                    const naik_row_buffer *from)
{
    if (ring != NULL) {
        naik_ring_put(ring, x, n, from);
    } else {
        naik_gauge_put_row(gauge, x, mu, n, from);
    }
}

static void sum_row(const naik_ring u[NAIK_DIM], int mu, const naik_staple_sum *s,
                    const int x[NAIK_DIM], int n)
{
    naik_row_buffer sum, apart;
    naik_row_buffer *staples = s->weight == 1 ? &sum : &apart;
    if (s->terms == 0) {
        naik_rows_clear(n, &sum);
    }
    for (int i = 0; i < s->terms; i++) {
        (i == 0 ? naik_rows_scale : naik_rows_add)(s->term[i].weight,
                                                   box_row(s->term[i].ring, x, n), n, &sum);
    }
    if (staples == &apart) {
        naik_rows_clear(n, &apart);
    }
    for (int j = 0; j < s->staples; j++) {
        const int nu = s->staple[j].nu;
        add_staple(&u[nu], s->staple[j].inner, x, n, mu, nu, staples);
    }
    if (staples == &apart) {
        naik_rows_add(s->weight, naik_row_of(&apart), n, &sum);
    }
    put_row(s->out, s->gauge, x, mu, n, &sum);
}

static naik_status staples(const naik_ring u[NAIK_DIM], int mu, const naik_staple_sum *sums,
                           int count)
{
    const naik_ring_plan *plan = u->plan;
#pragma omp parallel for schedule(static)
    for (int64_t chunk = 0; chunk < plan->chunks; chunk++) {
        int x[NAIK_DIM];
        const int n = naik_ring_chunk(plan, chunk, x);
        for (int k = 0; k < count; k++) {
            sum_row(u, mu, &sums[k], x, n);
        }
    }
    return NAIK_OK;
}

static naik_status product(double weight, const naik_ring *a, const naik_ring *b, int mu,
                           naik_ring *out, naik_gauge *gauge)
{
    const naik_ring_plan *plan = a->plan;
#pragma omp parallel for schedule(static)
    for (int64_t chunk = 0; chunk < plan->chunks; chunk++) {
        int x[NAIK_DIM];
        const int n = naik_ring_chunk(plan, chunk, x);
        naik_row_buffer wrapped, product, scaled;
        naik_rows_mul(box_row(a, x, n), naik_ring_row(b, x, mu, 1, n, &wrapped), n, &product);
        naik_rows_scale(weight, naik_row_of(&product), n, &scaled);
        put_row(out, gauge, x, mu, n, &scaled);
    }
    return NAIK_OK;
}

/* ---- whole gauge fields */

static naik_status project(naik_gauge *gauge, int64_t *svd_count)
{
    const int64_t links = (int64_t)gauge->lattice->sites * NAIK_DIM;
    int64_t count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
    for (int64_t i = 0; i < links; i++) {
        bool used_svd = false;
        gauge->link[i] = naik_unitarize(&gauge->link[i], &used_svd);
        count += used_svd;
    }
    *svd_count = count;
    return NAIK_OK;
}

static naik_status combine(const naik_gauge *a, double s, const naik_gauge *b, naik_gauge *out)
{
    const int64_t links = (int64_t)out->lattice->sites * NAIK_DIM;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < links; i++) {
        if (b == NULL) {
            out->link[i] = naik_mat_scale(s, &a->link[i]);
            continue;
        }
        out->link[i] = a->link[i];
        if (s != 0) {
            naik_mat_add(&out->link[i], s, &b->link[i]);
        }
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
static naik_matrix backward_link(const naik_gauge *links, const naik_link_layers *behind,
                                 const int x[NAIK_DIM], int mu)
{
    const naik_lattice *lat = links->lattice;
    const naik_matrix *u;
    const int there = x[mu] - behind->distance;
    if (there < 0 && lat->split[mu]) {
        const int64_t layer = lat->sites / lat->local[mu];
        u = &behind->link[mu][x[mu] * layer + naik_link_layer_site(lat->local, x, mu)];
    } else {
        int y[NAIK_DIM] = {x[0], x[1], x[2], x[3]};
        y[mu] = ((there % lat->local[mu]) + lat->local[mu]) % lat->local[mu];
        u = &links->link[(int64_t)naik_lattice_site(lat, y) * NAIK_DIM + mu];
    }
    const naik_matrix dagger = naik_mat_dagger(u);
    return naik_mat_scale(-1, &dagger);
}

static naik_status hops(const naik_fatlong *source, const naik_link_layers behind[2], int hops,
                        naik_parity parity, int32_t begin, int32_t count, naik_matrix *out)
{
    const naik_lattice *lat = source->fat->lattice;
#pragma omp parallel for schedule(static)
    for (int32_t i = 0; i < count; i++) {
        int x[NAIK_DIM];
        const int32_t site = naik_lattice_site_of(lat, parity, begin + i);
        naik_lattice_coords(lat, site, x);
        naik_matrix *w = out + (int64_t)i * hops;
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            w[NAIK_HOP_AHEAD + mu] = source->fat->link[(int64_t)site * NAIK_DIM + mu];
            w[NAIK_HOP_BEHIND + mu] = backward_link(source->fat, &behind[0], x, mu);
            if (hops == NAIK_HOPS) {
                w[NAIK_HOP_AHEAD3 + mu] = source->long_links->link[(int64_t)site * NAIK_DIM + mu];
                w[NAIK_HOP_BEHIND3 + mu] = backward_link(source->long_links, &behind[1], x, mu);
            }
        }
    }
    return NAIK_OK;
}

const naik_link_ops naik_link_ops_host = {
    .ring_fill = ring_fill,
    .ring_layer = ring_layer,
    .staples = staples,
    .product = product,
    .project = project,
    .combine = combine,
    .largest = largest,
    .layers = layers,
    .hops = hops,
};
