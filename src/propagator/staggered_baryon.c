/* staggered_baryon.c - baryons of staggered quarks: determinants at one corner of the hypercube
 *
 * Only one site in eight is at the corner, so the displaced propagators of a Delta are kept there alone.
 */
#include <string.h>

#include "base/memory.h"
#include "propagator/baryon.h"
#include "propagator/slice_sums.h"

enum { VECTOR = 6, COLOURS = 3, DIRECTIONS = NAIK_DIM - 1 };

/* eps of the first three is 1, of the others -1. */
static const int orders[6][COLOURS] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                       {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};

/* g [colour][sites of it][3][2] of each quark and, of a Delta, each direction that it is displaced in. */
typedef struct tie {
    const int *corner;
    int64_t sites;        /* of one colour */
    const int32_t *place; /* [sites of the lattice] in g; NULL: that of the lattice */
    const double *quark[DIRECTIONS][3];
    bool delta, alike; /* alike: all quarks are one */
} tie;

bool naik_baryon_corner(int baryon, unsigned corners, bool beside, int corner[NAIK_DIM - 1])
{
    for (int bit = 0; bit < 8; bit++) {
        const int here = baryon >= (int)NAIK_NUCLEON_TASTE ? baryon - (int)NAIK_NUCLEON_TASTE : bit;
        unsigned wanted = 1U << here;
        if (naik_baryon_is_displaced(baryon) && !beside) {
            wanted = 1U << (here ^ 1) | 1U << (here ^ 2) | 1U << (here ^ 4);
        }
        if ((corners & wanted) == wanted) {
            for (int k = 0; k < DIRECTIONS; k++) {
                corner[k] = here >> k & 1;
            }
            return true;
        }
    }
    return false;
}

static bool at_corner(const int *corner, const int x[NAIK_DIM])
{
    return x[0] % 2 == corner[0] && x[1] % 2 == corner[1] && x[2] % 2 == corner[2];
}

/* det of which row k is the sink colours of source colour colour[k] of quark[k]. */
static naik_complex determinant(const tie *m, int64_t place, const double *const quark[3],
                                const int colour[COLOURS])
{
    naik_matrix g;
    for (int k = 0; k < COLOURS; k++) {
        const double *from = quark[k] + VECTOR * (colour[k] * m->sites + place);
        for (int sink = 0; sink < COLOURS; sink++) {
            g.e[k][sink] = (naik_complex){from[2 * sink], from[2 * sink + 1]};
        }
    }
    return naik_mat_det(&g);
}

/* The determinant; of a Delta the sum of those of all orders of the source colours, with their signs. */
static naik_complex all_colours(const tie *m, int64_t place, const double *const quark[3])
{
    naik_complex sum = {0, 0};
    for (int i = 0; i < (m->delta ? 6 : 1); i++) {
        const naik_complex one = determinant(m, place, quark, orders[i]);
        sum = i < 3 ? naik_cadd(sum, one) : naik_csub(sum, one);
    }
    return sum;
}

static naik_complex baryon_at(const void *data, int32_t site, const int x[NAIK_DIM])
{
    const tie *m = data;
    naik_complex sum = {0, 0};
    const int64_t place = m->place != NULL ? m->place[site] : site;
    if (!at_corner(m->corner, x)) {
        return sum;
    }
    for (int i = 0; i < (m->alike ? 1 : 6); i++) {
        const double *quark[3];
        for (int k = 0; k < 3; k++) {
            quark[k] = m->quark[m->delta ? k : 0][orders[i][k]];
        }
        sum = naik_cadd(sum, all_colours(m, place, quark));
    }
    return m->alike ? sum : naik_cscale(1.0 / 6, sum);
}

/* At most so many sites of a rank are at one corner. */
static int64_t corner_sites(const naik_lattice *lattice)
{
    int64_t sites = lattice->local[3];
    for (int k = 0; k < DIRECTIONS; k++) {
        sites *= (lattice->local[k] + 1) / 2;
    }
    return sites;
}

int64_t naik_staggered_baryon_bytes(const naik_lattice *lattice, int quarks)
{
    return (int64_t)sizeof(double) * DIRECTIONS * quarks * COLOURS * VECTOR *
               corner_sites(lattice) +
           (int64_t)sizeof(int32_t) * lattice->sites;
}

static void number_corners(const naik_lattice *lattice, const int *corner, int32_t *place)
{
    int32_t count = 0;
    for (int32_t site = 0; site < lattice->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_global_coords(lattice, site, x);
        place[site] = at_corner(corner, x) ? count++ : -1;
    }
}

/* to [colour][corners][3][2] = a quark displaced in that direction. */
static naik_status displace(const naik_lattice *lattice, naik_shifts *shifts, const tie *m, int mu,
                            bool links, const double *g, double *to)
{
    for (int colour = 0; colour < COLOURS; colour++) {
        const double *from = NULL;
        NAIK_PASS(naik_shift_symmetric(shifts, mu, links,
                                       g + VECTOR * (int64_t)colour * lattice->sites, &from));
        for (int32_t site = 0; site < lattice->sites; site++) {
            if (m->place[site] >= 0) {
                memcpy(to + VECTOR * (colour * m->sites + m->place[site]),
                       from + VECTOR * (int64_t)site, VECTOR * sizeof *to);
            }
        }
    }
    return NAIK_OK;
}

static naik_status make_delta(const naik_lattice *lattice, naik_shifts *shifts, bool links,
                              const double *const g[3], tie *m, naik_complex *out)
{
    naik_status status = NAIK_OK;
    naik_log *log = lattice->comm->log;
    const int quarks = m->alike ? 1 : 3;
    double *displaced = NULL; /* [direction][quark][colour][corners][3][2] */
    int32_t *place = NULL;    /* [sites] */
    m->sites = corner_sites(lattice);
    const int64_t size = COLOURS * VECTOR * m->sites;
    status = naik_alloc(log, (size_t)(DIRECTIONS * quarks * size) * sizeof *displaced,
                        "displaced quarks", (void **)&displaced);
    if (status == NAIK_OK) {
        status = naik_alloc(log, (size_t)lattice->sites * sizeof *place, "corners of hypercubes",
                            (void **)&place);
    }
    NAIK_TRY(naik_comm_agree(lattice->comm, status));
    number_corners(lattice, m->corner, place);
    m->place = place;
    for (int i = 0; i < DIRECTIONS * 3; i++) {
        const int mu = i / 3, k = i % 3;
        double *to = displaced + (mu * quarks + (m->alike ? 0 : k)) * size;
        if (k < quarks) {
            NAIK_TRY(displace(lattice, shifts, m, mu, links, g[k], to));
        }
        m->quark[mu][k] = to;
    }
    NAIK_TRY(naik_slice_sums(lattice, baryon_at, m, out));
done:
    naik_free(displaced);
    naik_free(place);
    return status;
}

naik_status naik_staggered_baryon(const naik_lattice *lattice, naik_baryon baryon,
                                  naik_shifts *shifts, const int corner[NAIK_DIM - 1],
                                  const double *const g[3], naik_complex *out)
{
    tie m = {.corner = corner,
             .sites = lattice->sites,
             .quark = {{g[0], g[1], g[2]}},
             .alike = g[0] == g[1] && g[0] == g[2]};
    m.delta = naik_baryon_is_displaced(baryon);
    return m.delta ? make_delta(lattice, shifts, baryon == NAIK_DELTA, g, &m, out)
                   : naik_slice_sums(lattice, baryon_at, &m, out);
}
