/* gauss_smear.c - gauge-covariant gaussian smearing, on the host
 *
 * Every chosen slice is a box with s layers of ghost sites on both sides of x, y and z, whether or
 * not the direction is split: one loop for all sites. Ghosts come from the neighbour, or from the
 * other side of the box; there are no edges, because hops are straight.
 */
#include "propagator/gauss_smear.h"

#include <string.h>

#include "base/memory.h"
#include "comm/collective.h"
#include "lattice/su3.h"

enum { SPACE = 3 };

typedef struct vector3 {
    naik_complex c[3];
} vector3;

struct naik_gauss {
    const naik_lattice *lattice;
    int stride;
    bool *chosen;          /* [T] of the whole lattice */
    int count;             /* of them in this box */
    int *slice;            /* [count], their local t, ascending */
    int extent[SPACE];     /* of a slice with its ghosts */
    int64_t step[SPACE];   /* from a site to its neighbour */
    int64_t sites;         /* of a slice with its ghosts */
    naik_matrix *w[SPACE]; /* [count][sites] */
    vector3 *v, *next;     /* [count][sites] */
    char *send, *receive;  /* s layers of matrices of all slices */
};

/* Place of the site at local x of chosen slice number k. */
static int64_t place_of(const naik_gauss *g, int k, int x, int y, int z)
{
    return k * g->sites + (x + g->stride) + (y + g->stride) * g->step[1] +
           (z + g->stride) * g->step[2];
}

static void measure(const naik_lattice *lat, int stride, naik_gauss *g)
{
    g->lattice = lat;
    g->stride = stride;
    g->sites = 1;
    for (int k = 0; k < SPACE; k++) {
        g->extent[k] = lat->local[k] + 2 * stride;
        g->step[k] = g->sites;
        g->sites *= g->extent[k];
    }
}

/* Sites of the largest layer without ghosts. */
static size_t face_sites(const naik_lattice *lat)
{
    const int *n = lat->local;
    const int xy = n[0] * n[1], xz = n[0] * n[2], yz = n[1] * n[2];
    const int larger = xy > xz ? xy : xz;
    return (size_t)(larger > yz ? larger : yz);
}

size_t naik_gauss_bytes(const naik_lattice *lattice, int stride, int slices)
{
    naik_gauss g;
    measure(lattice, stride, &g);
    const size_t faces = 2 * (size_t)stride * face_sites(lattice) * sizeof(naik_matrix);
    const size_t boxes = (size_t)g.sites * (SPACE * sizeof(naik_matrix) + 2 * sizeof(vector3));
    return (size_t)slices * (faces + boxes);
}

/* Between the layers from..from + s - 1 across k of slices begin..end - 1 and a message, `bytes` a
 * site. */
static void copy_layers(const naik_gauss *g, int k, int from, const int range[2], size_t bytes,
                        bool pack, char *data, char *message)
{
    int first[SPACE] = {0, 0, 0}, last[SPACE];
    memcpy(last, g->lattice->local, sizeof last);
    first[k] = from;
    last[k] = from + g->stride;
    const size_t row = (size_t)(last[0] - first[0]) * bytes;
    for (int slice = range[0]; slice < range[1]; slice++) {
        for (int z = first[2]; z < last[2]; z++) {
            for (int y = first[1]; y < last[1]; y++) {
                char *at = data + (size_t)place_of(g, slice, first[0], y, z) * bytes;
                memcpy(pack ? message : at, pack ? at : message, row);
                message += row;
            }
        }
    }
}

/* Fills the ghosts across k on both sides. */
static naik_status fill_ghosts(const naik_gauss *g, int k, const int range[2], size_t bytes,
                               void *data)
{
    const naik_lattice *lat = g->lattice;
    const int length = lat->local[k];
    const size_t size = bytes * (size_t)(range[1] - range[0]) * (size_t)g->stride *
                        (size_t)(lat->local[0] * lat->local[1] * lat->local[2] / length);
    for (int side = NAIK_FORWARD; side <= NAIK_BACKWARD && range[0] < range[1]; side++) {
        const bool forward = side == NAIK_FORWARD;
        copy_layers(g, k, forward ? 0 : length - g->stride, range, bytes, true, data, g->send);
        if (lat->split[k]) {
            NAIK_PASS(naik_comm_exchange(lat->comm, lat->neighbour_rank[k][!side], g->send,
                                         lat->neighbour_rank[k][side], g->receive, size));
        }
        copy_layers(g, k, forward ? length : -g->stride, range, bytes, false, data,
                    lat->split[k] ? g->receive : g->send);
    }
    return NAIK_OK;
}

/* W of direction k from the links, in place: a link beside a site is still itself when the site's
 * turn comes. */
static naik_status make_hops(naik_gauss *g, const naik_gauge *thin, int k)
{
    const int range[2] = {0, g->count};
    const int *n = g->lattice->local;
    naik_matrix *w = g->w[k];
    for (int pass = 0; pass < g->stride; pass++) {
        for (int slice = 0; slice < g->count; slice++) {
            for (int z = 0; z < n[2]; z++) {
                for (int y = 0; y < n[1]; y++) {
                    for (int x = 0; x < n[0]; x++) {
                        const int at[NAIK_DIM] = {x, y, z, g->slice[slice]};
                        const int64_t i = place_of(g, slice, x, y, z);
                        w[i] = pass == 0
                                   ? thin->link[naik_lattice_site(g->lattice, at) * NAIK_DIM + k]
                                   : naik_mat_mul(&w[i], &w[i + g->step[k]]);
                    }
                }
            }
        }
        NAIK_PASS(fill_ghosts(g, k, range, sizeof *w, w));
    }
    return NAIK_OK;
}

static naik_status allocate(naik_gauss *g, const bool *slices)
{
    naik_log *log = g->lattice->comm->log;
    const int times = g->lattice->size[3], here = g->lattice->local[3];
    const char *what = "links of smearing";
    NAIK_PASS(naik_alloc(log, (size_t)times * sizeof *g->chosen, what, (void **)&g->chosen));
    memcpy(g->chosen, slices, (size_t)times * sizeof *g->chosen);
    NAIK_PASS(naik_alloc(log, (size_t)here * sizeof *g->slice, what, (void **)&g->slice));
    for (int t = 0; t < here; t++) {
        if (slices[g->lattice->origin[3] + t]) {
            g->slice[g->count++] = t;
        }
    }
    const size_t sites = (size_t)g->count * (size_t)g->sites;
    const size_t face =
        (size_t)g->count * (size_t)g->stride * face_sites(g->lattice) * sizeof(naik_matrix);
    for (int k = 0; k < SPACE; k++) {
        NAIK_PASS(naik_alloc(log, sites * sizeof *g->w[k], what, (void **)&g->w[k]));
    }
    NAIK_PASS(naik_alloc(log, sites * sizeof *g->v, what, (void **)&g->v));
    NAIK_PASS(naik_alloc(log, sites * sizeof *g->next, what, (void **)&g->next));
    NAIK_PASS(naik_alloc(log, face, what, (void **)&g->send));
    return naik_alloc(log, face, what, (void **)&g->receive);
}

naik_status naik_gauss_create(const naik_gauge *thin, int stride, const bool *slices,
                              naik_gauss **out)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = thin->lattice->comm;
    *out = NULL;
    NAIK_TRY(naik_comm_agree(
        comm, naik_alloc(comm->log, sizeof **out, "links of smearing", (void **)out)));
    measure(thin->lattice, stride, *out);
    NAIK_TRY(naik_comm_agree(comm, allocate(*out, slices)));
    for (int k = 0; k < SPACE; k++) {
        NAIK_TRY(make_hops(*out, thin, k));
    }
done:
    if (status != NAIK_OK) {
        naik_gauss_destroy(out);
    }
    return status;
}

void naik_gauss_destroy(naik_gauss **gauss)
{
    naik_gauss *g = *gauss;
    if (g == NULL) {
        return;
    }
    for (int k = 0; k < SPACE; k++) {
        naik_free(g->w[k]);
    }
    naik_free(g->v);
    naik_free(g->next);
    naik_free(g->send);
    naik_free(g->receive);
    naik_free(g->slice);
    naik_free(g->chosen);
    naik_free(g);
    *gauss = NULL;
}

/* sum += w v, or w^+ v. */
static void add_hop(const naik_matrix *w, bool dagger, const vector3 *v, vector3 *sum)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const naik_complex e = dagger ? naik_conj(w->e[j][i]) : w->e[i][j];
            sum->c[i] = naik_cfma(e, v->c[j], sum->c[i]);
        }
    }
}

/* next = (1 + a Lap) v on the row of sites from `first` on. */
static void smear_row(const naik_gauss *g, int64_t first, double a)
{
    const int length = g->lattice->local[0];
    for (int64_t i = first; i < first + length; i++) {
        vector3 sum = {{{0, 0}, {0, 0}, {0, 0}}};
        for (int k = 0; k < SPACE; k++) {
            const int64_t hop = g->stride * g->step[k];
            add_hop(&g->w[k][i], false, &g->v[i + hop], &sum);
            add_hop(&g->w[k][i - hop], true, &g->v[i - hop], &sum);
        }
        for (int c = 0; c < 3; c++) {
            const naik_complex v = g->v[i].c[c];
            g->next[i].c[c] = (naik_complex){fma(a, fma(-6, v.re, sum.c[c].re), v.re),
                                             fma(a, fma(-6, v.im, sum.c[c].im), v.im)};
        }
    }
}

static naik_status smear_once(naik_gauss *g, const int range[2], double a)
{
    const int *n = g->lattice->local;
    const int rows = (range[1] - range[0]) * n[2] * n[1];
    for (int k = 0; k < SPACE; k++) {
        NAIK_PASS(fill_ghosts(g, k, range, sizeof *g->v, g->v));
    }
#pragma omp parallel for schedule(static)
    for (int row = 0; row < rows; row++) {
        smear_row(g, place_of(g, range[0] + row / n[1] / n[2], 0, row % n[1], row / n[1] % n[2]),
                  a);
    }
    vector3 *swap = g->v;
    g->v = g->next;
    g->next = swap;
    return NAIK_OK;
}

/* Between v [sites][3][2] and the slices with ghosts. */
static void copy_slices(naik_gauss *g, const int range[2], bool in, double *v)
{
    const int *n = g->lattice->local;
    const size_t row = (size_t)n[0] * sizeof *g->v;
    for (int slice = range[0]; slice < range[1]; slice++) {
        for (int z = 0; z < n[2]; z++) {
            for (int y = 0; y < n[1]; y++) {
                const int at[NAIK_DIM] = {0, y, z, g->slice[slice]};
                double *outside = v + 6 * (int64_t)naik_lattice_site(g->lattice, at);
                vector3 *inside = g->v + place_of(g, slice, 0, y, z);
                memcpy(in ? (void *)inside : outside, in ? (void *)outside : inside, row);
            }
        }
    }
}

/* The chosen slices of this box that are time slice t, or all. */
static naik_status find_slices(const naik_gauss *g, int t, int range[2])
{
    const naik_lattice *lat = g->lattice;
    range[0] = 0;
    range[1] = g->count;
    if (t == NAIK_GAUSS_ALL) {
        return NAIK_OK;
    }
    if (t < 0 || t >= lat->size[3] || !g->chosen[t]) {
        return NAIK_FAIL(lat->comm->log, NAIK_ERR_ARG,
                         "time slice %d is not among those whose links were kept for smearing", t);
    }
    range[1] = 0;
    for (int slice = 0; slice < g->count; slice++) {
        if (lat->origin[3] + g->slice[slice] == t) {
            range[0] = slice;
            range[1] = slice + 1;
        }
    }
    return NAIK_OK;
}

naik_status naik_gauss_smear(naik_gauss *g, double radius, int steps, int t, double *v)
{
    const double a = radius * radius / (4.0 * steps * g->stride * g->stride);
    int range[2];
    NAIK_PASS(find_slices(g, t, range));
    if (range[0] >= range[1]) {
        return NAIK_OK; /* of other ranks */
    }
    copy_slices(g, range, true, v);
    for (int step = 0; step < steps; step++) {
        NAIK_PASS(smear_once(g, range, a));
    }
    copy_slices(g, range, false, v);
    return NAIK_OK;
}

/* next = S_k v on the row of sites from `first` on. */
static void shift_row(const naik_gauss *g, int64_t first, int k)
{
    const int64_t hop = g->stride * g->step[k];
    for (int64_t i = first; i < first + g->lattice->local[0]; i++) {
        vector3 sum = {{{0, 0}, {0, 0}, {0, 0}}};
        add_hop(&g->w[k][i], false, &g->v[i + hop], &sum);
        add_hop(&g->w[k][i - hop], true, &g->v[i - hop], &sum);
        for (int c = 0; c < 3; c++) {
            g->next[i].c[c] = naik_cscale(0.5, sum.c[c]);
        }
    }
}

naik_status naik_gauss_shift(naik_gauss *g, int k, int t, double *v)
{
    const int *n = g->lattice->local;
    int range[2];
    NAIK_PASS(find_slices(g, t, range));
    if (range[0] >= range[1]) {
        return NAIK_OK; /* of other ranks */
    }
    copy_slices(g, range, true, v);
    NAIK_PASS(fill_ghosts(g, k, range, sizeof *g->v, g->v));
#pragma omp parallel for schedule(static)
    for (int row = 0; row < (range[1] - range[0]) * n[2] * n[1]; row++) {
        shift_row(g, place_of(g, range[0] + row / n[1] / n[2], 0, row % n[1], row / n[1] % n[2]),
                  k);
    }
    vector3 *swap = g->v;
    g->v = g->next;
    g->next = swap;
    copy_slices(g, range, false, v);
    return NAIK_OK;
}
