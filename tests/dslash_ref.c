/* dslash_ref.c - the improved staggered operator, written down as the equation stands
 *
 * Every rank writes its own sites into a zeroed array over the global lattice, and an exclusive-or
 * over the ranks puts the boxes together: no knowledge of who sits where is needed.
 */
#include "dslash_ref.h"

#include <complex.h>
#include <string.h>

#include "base/memory.h"
#include "comm/collective.h"

typedef double complex vector[3];
typedef double complex matrix[3][3];

typedef struct whole_lattice {
    const naik_lattice *lattice;
    matrix *fat, *far; /* [volume][4]; far is NULL without long links */
    vector *v;         /* [volume] */
} whole_lattice;

/* *out = the field of all ranks in global order, `reals` doubles a site. */
static naik_status collect(const naik_lattice *lat, const void *mine, int reals, void **out)
{
    naik_status status = NAIK_OK;
    const size_t site_bytes = (size_t)reals * sizeof(double);
    char *whole = NULL;
    NAIK_TRY(naik_comm_agree(lat->comm, naik_alloc(lat->comm->log, (size_t)lat->volume * site_bytes,
                                                   "the reference operator", (void **)&whole)));
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lat, site, x);
        memcpy(whole + (size_t)naik_lattice_global(lat, x) * site_bytes,
               (const char *)mine + (size_t)site * site_bytes, site_bytes);
    }
    NAIK_TRY(naik_comm_xor_u64(lat->comm, (uint64_t *)whole, (int)(lat->volume * reals)));
done:
    if (status != NAIK_OK) {
        naik_free(whole);
        whole = NULL;
    }
    *out = whole;
    return status;
}

/* Global number of the site `step` hops in direction mu from global coordinates x. */
static int64_t site_after(const naik_lattice *lat, const int x[NAIK_DIM], int mu, int step)
{
    int64_t site = 0;
    for (int nu = NAIK_DIM - 1; nu >= 0; nu--) {
        int c = nu == mu ? (x[nu] + step + lat->size[nu] * NAIK_HALO_DEPTH) % lat->size[nu] : x[nu];
        site = site * lat->size[nu] + c;
    }
    return site;
}

static void add_product(const matrix u, const vector v, vector sum)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            sum[i] += u[i][j] * v[j];
        }
    }
}

static void subtract_dagger_product(const matrix u, const vector v, vector sum)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            sum[i] -= conj(u[j][i]) * v[j];
        }
    }
}

/* sum = (D v)(x), x global. */
static void hop_sum(const whole_lattice *w, const int x[NAIK_DIM], vector sum)
{
    const naik_lattice *lat = w->lattice;
    const int64_t here = site_after(lat, x, 0, 0);
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        int64_t ahead = site_after(lat, x, mu, 1), behind = site_after(lat, x, mu, -1);
        add_product(w->fat[4 * here + mu], w->v[ahead], sum);
        subtract_dagger_product(w->fat[4 * behind + mu], w->v[behind], sum);
        if (w->far != NULL) {
            ahead = site_after(lat, x, mu, 3);
            behind = site_after(lat, x, mu, -3);
            add_product(w->far[4 * here + mu], w->v[ahead], sum);
            subtract_dagger_product(w->far[4 * behind + mu], w->v[behind], sum);
        }
    }
}

naik_status naik_dslash_ref(const naik_fatlong *links, const double *in, double *out)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = links->fat->lattice;
    whole_lattice w = {.lattice = lat};
    if (lat->volume > NAIK_DSLASH_REF_MAX_VOLUME) {
        return NAIK_FAIL(lat->comm->log, NAIK_ERR_ARG,
                         "the reference operator takes lattices of at most %d sites",
                         (int)NAIK_DSLASH_REF_MAX_VOLUME);
    }
    NAIK_TRY(collect(lat, links->fat->link, 4 * 18, (void **)&w.fat));
    if (links->long_links != NULL) {
        NAIK_TRY(collect(lat, links->long_links->link, 4 * 18, (void **)&w.far));
    }
    NAIK_TRY(collect(lat, in, 6, (void **)&w.v));
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_global_coords(lat, site, x);
        vector sum = {0, 0, 0};
        hop_sum(&w, x, sum);
        memcpy(out + 6 * (size_t)site, sum, sizeof sum);
    }
done:
    naik_free(w.fat);
    naik_free(w.far);
    naik_free(w.v);
    return status;
}

naik_status naik_operator_ref(const naik_fatlong *links, double mass, const double *in, double *out)
{
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_dslash_ref(links, in, out));
    for (size_t i = 0; i < 6 * (size_t)links->fat->lattice->sites; i++) {
        out[i] = 2 * mass * in[i] + out[i];
    }
done:
    return status;
}

naik_status naik_normal_ref(const naik_fatlong *links, double mass, const double *in, double *out)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = links->fat->lattice;
    const size_t reals = 6 * (size_t)lat->sites;
    double *d = NULL;
    NAIK_TRY(naik_comm_agree(lat->comm, naik_alloc(lat->comm->log, reals * sizeof *d,
                                                   "the reference operator", (void **)&d)));
    NAIK_TRY(naik_dslash_ref(links, in, d));
    NAIK_TRY(naik_dslash_ref(links, d, out));
    for (size_t i = 0; i < reals; i++) {
        out[i] = 4 * mass * mass * in[i] - out[i];
    }
done:
    naik_free(d);
    return status;
}
