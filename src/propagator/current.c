/* current.c - the conserved vector current, on the host
 *
 * A hop of D from x + mu to x is T f, with T = V of staggered quarks and g5 (1 - g_mu) U of quarks with
 * spin, and what a link carries is a factor times <z, T s> - <T z, s>, s the quark at one end and z the antiquark at
 * the other. So vectors move on, never links; a hop of three is three of one. K stands at x alone: the three links of J that it
 * crosses are three weights of one K.
 */
#include "propagator/current.h"

#include <string.h>

#include "base/memory.h"
#include "lattice/su3.h"
#include "propagator/slice_sums.h"

enum { COLOURS = 3, LONG_HOP = 3 };

void naik_hops_clear(naik_hops *hops)
{
    naik_gauge_destroy(&hops->one);
    naik_gauge_destroy(&hops->three);
}

naik_status naik_hops_of(const naik_fatlong *fat, naik_hops *out)
{
    NAIK_PASS(naik_gauge_bring(fat->fat, NULL, &out->one));
    if (fat->long_links != NULL) {
        NAIK_PASS(naik_gauge_bring(fat->long_links, NULL, &out->three));
    }
    return NAIK_OK;
}

static int reals_of(int spin)
{
    return 2 * COLOURS * spin;
}

size_t naik_current_bytes(const naik_lattice *lattice, int spin)
{
    return (size_t)lattice->sites * 2 *
               (sizeof(naik_complex) + (size_t)reals_of(spin) * sizeof(double)) +
           naik_faces_bytes(lattice, reals_of(spin));
}

static naik_status allocate(naik_current *c)
{
    naik_log *log = c->lattice->comm->log;
    const size_t sites = (size_t)c->lattice->sites;
    const size_t vector = sites * (size_t)reals_of(c->spin) * sizeof(double);
    const size_t numbers = sites * sizeof(naik_complex);
    NAIK_PASS(naik_alloc(log, numbers, "a current", (void **)&c->one));
    NAIK_PASS(naik_alloc(log, numbers, "a current", (void **)&c->three));
    NAIK_PASS(naik_alloc(log, vector, "a moved vector", (void **)&c->moved));
    NAIK_PASS(naik_alloc(log, vector, "a moved vector", (void **)&c->next));
    return naik_faces_init(c->lattice, reals_of(c->spin), &c->faces);
}

naik_status naik_current_create(const naik_lattice *lattice, int spin, naik_current **out)
{
    *out = NULL;
    NAIK_PASS(naik_comm_agree(
        lattice->comm, naik_alloc(lattice->comm->log, sizeof **out, "a current", (void **)out)));
    (*out)->lattice = lattice;
    (*out)->spin = spin;
    return naik_comm_agree(lattice->comm, allocate(*out));
}

void naik_current_destroy(naik_current **current)
{
    naik_current *c = *current;
    if (c != NULL) {
        naik_free(c->one);
        naik_free(c->three);
        naik_free(c->moved);
        naik_free(c->next);
        naik_faces_clear(&c->faces);
        naik_free(c);
        *current = NULL;
    }
}

/* c->moved(x) = v(x + mu); v may be c->moved. */
static naik_status forward(naik_current *c, const double *v)
{
    return naik_faces_move(&c->faces, c->mu, NAIK_FORWARD, v, &c->moved, &c->next);
}

/* <f, u h> of colours */
static naik_complex product(const double *f, const naik_complex h[COLOURS])
{
    naik_complex sum = {0, 0};
    for (int i = 0; i < COLOURS; i++) {
        sum = naik_cfma_conj(h[i], (naik_complex){f[2 * i], f[2 * i + 1]}, sum);
    }
    return sum;
}

/* <f, T h> at a site, h from the other end of the link. */
static naik_complex hop(int spin, int mu, const naik_matrix *u, const double *f, const double *h)
{
    naik_complex moved[NAIK_GAMMA_SPINS][COLOURS], sum = {0, 0};
    for (int s = 0; s < spin; s++) {
        naik_mat_times(u, false, h + 2 * COLOURS * s, moved[s]);
    }
    if (spin == 1) {
        return product(f, moved[0]);
    }
    const naik_gamma *g = naik_gamma_mu[mu];
    for (int s = 0; s < spin; s++) {
        const double *at = f + 2 * COLOURS * s, g5 = naik_gamma_5.value[s].re;
        const naik_complex other = naik_cmul(g->value[s], product(at, moved[g->column[s]]));
        sum = naik_cadd(sum, naik_cscale(g5, naik_csub(product(at, moved[s]), other)));
    }
    return sum;
}

/* What the ends of the links of one kind give. */
typedef struct ends {
    const naik_gauge *links;
    const double *f;     /* at x; c->moved is at the other end */
    bool swapped;        /* f is the quark's: -<T z, s>, and else <z, T s> */
    naik_complex factor; /* of the columns */
    const int *x0;
    naik_complex *out;
} ends;

static void add(const naik_current *c, const ends *e)
{
    const naik_lattice *lat = c->lattice;
    const int reals = reals_of(c->spin);
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lat->sites; site++) {
        const int64_t at = reals * (int64_t)site;
        naik_complex v = hop(c->spin, c->mu, &e->links->link[NAIK_DIM * (int64_t)site + c->mu],
                             e->f + at, c->moved + at);
        v = e->swapped ? naik_cscale(-1, naik_conj(v)) : v;
        v = naik_cmul(e->factor, v);
        if (c->spin == 1) {
            int x[NAIK_DIM];
            naik_lattice_coords(lat, site, x);
            for (int mu = 0; mu < NAIK_DIM; mu++) {
                x[mu] += lat->origin[mu] + e->x0[mu];
            }
            v = naik_cscale(naik_parity_of(x) != 0 ? -1 : 1, v);
        }
        e->out[site] = naik_cadd(e->out[site], v);
    }
}

/* Both kinds of links, f at x and g at their other ends. */
static naik_status add_ends(naik_current *c, const naik_hops *hops, const double *g, ends e)
{
    NAIK_PASS(forward(c, g));
    e.links = hops->one;
    e.out = c->one;
    add(c, &e);
    if (c->far) {
        for (int hop = 1; hop < LONG_HOP; hop++) {
            NAIK_PASS(forward(c, c->moved));
        }
        e.links = hops->three;
        e.out = c->three;
        add(c, &e);
    }
    return NAIK_OK;
}

naik_status naik_current_fill(naik_current *c, const naik_hops *hops, int mu,
                              const int x0[NAIK_DIM], const naik_gamma *source, const double *quark,
                              const double *antiquark)
{
    const size_t sites = (size_t)c->lattice->sites, vector = sites * (size_t)reals_of(c->spin);
    const naik_gamma right =
        naik_gamma_product(source != NULL ? source : &naik_gamma_1, &naik_gamma_5); /* H g5 */
    c->mu = mu;
    c->far = hops->three != NULL;
    memset(c->one, 0, sites * sizeof *c->one);
    memset(c->three, 0, sites * sizeof *c->three);
    for (int column = 0; column < COLOURS * c->spin; column++) {
        const int s = column / COLOURS, colour = column % COLOURS;
        const int other = c->spin > 1 ? COLOURS * right.column[s] + colour : column;
        const double *q = quark + (size_t)column * vector, *p = antiquark + (size_t)other * vector;
        const naik_complex factor =
            c->spin > 1 ? naik_cscale(-0.5, right.value[s]) : (naik_complex){1, 0};
        NAIK_PASS(add_ends(c, hops, q, (ends){.f = p, .factor = factor, .x0 = x0}));
        NAIK_PASS(
            add_ends(c, hops, p, (ends){.f = q, .swapped = true, .factor = factor, .x0 = x0}));
    }
    return NAIK_OK;
}

/* What a sum over time slices is made of. */
typedef struct weighed {
    const naik_current *current;
    naik_slice_waves waves;
} weighed;

static naik_complex one_at(const void *data, int32_t site, const int x[NAIK_DIM])
{
    const weighed *m = data;
    const naik_current *c = m->current;
    naik_complex sum = naik_cmul(naik_slice_wave(&m->waves, x), c->one[site]);
    int y[NAIK_DIM];
    memcpy(y, x, sizeof y);
    for (int hop = 0; hop < LONG_HOP && c->far && c->mu < NAIK_DIM - 1; hop++, y[c->mu]++) {
        sum = naik_cfma(naik_slice_wave(&m->waves, y), c->three[site], sum);
    }
    return sum;
}

static naik_complex three_at(const void *data, int32_t site, const int x[NAIK_DIM])
{
    const weighed *m = data;
    const naik_current *c = m->current;
    return naik_cmul(naik_slice_wave(&m->waves, x), c->three[site]);
}

naik_status naik_current_sum(const naik_current *c, const naik_frame *frame, naik_complex *out)
{
    naik_status status = NAIK_OK;
    const int times = c->lattice->size[NAIK_DIM - 1];
    weighed m = {.current = c};
    naik_complex *three = NULL;
    NAIK_TRY(naik_comm_agree(c->lattice->comm, naik_slice_waves_make(c->lattice, frame, &m.waves)));
    NAIK_TRY(naik_slice_sums(c->lattice, one_at, &m, out));
    if (!c->far || c->mu < NAIK_DIM - 1) {
        goto done;
    }
    status = naik_alloc(c->lattice->comm->log, (size_t)times * sizeof *three, "correlator sums",
                        (void **)&three);
    NAIK_TRY(naik_comm_agree(c->lattice->comm, status));
    NAIK_TRY(naik_slice_sums(c->lattice, three_at, &m, three));
    for (int t = 0; t < times; t++) {
        for (int hop = 0; hop < LONG_HOP; hop++) {
            out[t] = naik_cadd(out[t], three[(t - hop + times) % times]);
        }
    }
done:
    naik_slice_waves_clear(&m.waves);
    naik_free(three);
    return status;
}
