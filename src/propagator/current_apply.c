/* current_apply.c - the conserved vector current as an operator on a vector, on the host
 *
 * A link takes what is at its far end to its near end, and back with the link's adjoint. The way back is multiplied
 * where it begins, so that vectors move on and links stay, as in current.c.
 */
#include <string.h>

#include "lattice/su3.h"
#include "propagator/current.h"
#include "propagator/slice_sums.h"

enum { COLOURS = 3, LONG_HOP = 3 };

/* One kind of links, and the weight of the currents that cross them. */
typedef struct crossing {
    const naik_gauge *links;
    int length; /* in sites: so many currents cross one link */
    const naik_slice_waves *waves;
} crossing;

/* The weights of the currents that begin at x, and at the other sites before the end of the link. */
static naik_complex weight_of(const naik_lattice *lat, const naik_slice_waves *waves, int mu,
                              int length, int32_t site)
{
    int x[NAIK_DIM];
    naik_complex sum = {0, 0};
    naik_lattice_global_coords(lat, site, x);
    for (int hop = 0; hop < length; hop++, x[mu]++) {
        sum = naik_cadd(sum, naik_slice_wave(waves, x));
    }
    return sum;
}

naik_status naik_current_weights(const naik_lattice *lattice, const naik_frame *frame, int mu,
                                 naik_complex *out)
{
    naik_status status = NAIK_OK;
    naik_slice_waves waves;
    NAIK_TRY(naik_slice_waves_make(lattice, frame, &waves));
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lattice->sites; site++) {
        out[site] = weight_of(lattice, &waves, mu, 1, site);
        out[lattice->sites + site] = weight_of(lattice, &waves, mu, LONG_HOP, site);
    }
done:
    naik_slice_waves_clear(&waves);
    return status;
}

/* out = w U f of staggered quarks, -w (1 - g_mu) U f / 2 of others; back: w U^+ f, w (1 + g_mu) U^+ f / 2. */
static void cross(const naik_current *c, const naik_matrix *u, bool back, naik_complex w,
                  const double *f, naik_complex out[NAIK_GAMMA_SPINS * COLOURS])
{
    naik_complex v[NAIK_GAMMA_SPINS][COLOURS] = {{{0, 0}}};
    for (int s = 0; s < c->spin; s++) {
        naik_mat_times(u, back, f + 2 * COLOURS * s, v[s]);
    }
    const naik_gamma *g = naik_gamma_mu[c->mu];
    for (int i = 0; i < c->spin * COLOURS; i++) {
        const int s = i / COLOURS, colour = i % COLOURS;
        naik_complex sum = v[s][colour];
        if (c->spin > 1) {
            const naik_complex other = naik_cmul(g->value[s], v[g->column[s]][colour]);
            sum = naik_cscale(0.5, back ? naik_cadd(sum, other) : naik_csub(other, sum));
        }
        out[i] = naik_cmul(w, sum);
    }
}

static naik_status add_links(naik_current *c, const crossing *k, const double *f, double *out)
{
    const int reals = 2 * COLOURS * c->spin;
    const int32_t sites = c->lattice->sites;
    for (int hop = 0; hop < k->length; hop++) {
        NAIK_PASS(naik_faces_move(&c->faces, c->mu, NAIK_FORWARD, hop == 0 ? f : c->moved,
                                  &c->moved, &c->next));
    }
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < sites; site++) {
        naik_complex v[NAIK_GAMMA_SPINS * COLOURS];
        const int64_t at = reals * (int64_t)site;
        const naik_matrix *u = &k->links->link[NAIK_DIM * (int64_t)site + c->mu];
        const naik_complex w = weight_of(c->lattice, k->waves, c->mu, k->length, site);
        cross(c, u, false, w, c->moved + at, v);
        for (int i = 0; i < reals / 2; i++) {
            out[at + 2 * i] += v[i].re;
            out[at + 2 * i + 1] += v[i].im;
        }
        cross(c, u, true, w, f + at, v);
        memcpy(c->moved + at, v, (size_t)reals * sizeof *out);
    }
    for (int hop = 0; hop < k->length; hop++) {
        NAIK_PASS(naik_faces_move(&c->faces, c->mu, NAIK_BACKWARD, c->moved, &c->moved, &c->next));
    }
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < reals * (int64_t)sites; i++) {
        out[i] += c->moved[i];
    }
    return NAIK_OK;
}

naik_status naik_current_apply(naik_current *c, const naik_hops *hops, int mu,
                               const naik_frame *frame, const double *f, double *out)
{
    naik_status status = NAIK_OK;
    naik_slice_waves waves;
    const crossing one = {hops->one, 1, &waves}, three = {hops->three, LONG_HOP, &waves};
    c->mu = mu;
    NAIK_TRY(naik_comm_agree(c->lattice->comm, naik_slice_waves_make(c->lattice, frame, &waves)));
    memset(out, 0, 2 * COLOURS * (size_t)c->spin * (size_t)c->lattice->sites * sizeof *out);
    NAIK_TRY(add_links(c, &one, f, out));
    if (hops->three != NULL) {
        NAIK_TRY(add_links(c, &three, f, out));
    }
done:
    naik_slice_waves_clear(&waves);
    return status;
}
