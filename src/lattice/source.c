/* source.c - sources that coordinates decide, and what all sources have in common
 *
 * A site's value is a function of its global coordinates (and, for noise, of the counter-based
 * generator), so no process grid can change it.
 */
#include "naik/source.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "lattice/source_kind.h"
#include "lattice/su3.h"

/* Sets these numbers apart from those of random links and of the heatbath; + colour slot. */
enum { STREAM_NOISE = 0x73726330 };

enum { ALL_CORNERS = 0xff };

static const double two_pi = 6.283185307179586476925286766559;

static naik_status check_source(const naik_lattice *lat, const naik_source *source, int colour)
{
    static const char *const refused[] = {
        [NAIK_SOURCE_FROM_COORDINATES] = NULL,
        [NAIK_SOURCE_SMEARED] =
            "a covariant_gaussian source needs links: fill the point and smear it",
        [NAIK_SOURCE_MOVED] = "a funny wall is made with links, not filled",
        [NAIK_SOURCE_READ] = "a source from a file is read, not filled",
        [NAIK_SOURCE_FROM_PROPAGATOR] = "a source from a file is read, not filled"};
    const naik_source_kind *kind = naik_source_kind_of(source->type);
    naik_log *log = lat->comm->log;
    if (refused[kind->made] != NULL) {
        return NAIK_FAIL(log, NAIK_ERR_ARG, "%s", refused[kind->made]);
    }
    if (colour < 0 || colour > 2) {
        return NAIK_FAIL(log, NAIK_ERR_ARG, "source colour %d must be 0, 1 or 2", colour);
    }
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if (source->origin[mu] < 0 || source->origin[mu] >= lat->size[mu]) {
            return NAIK_FAIL(log, NAIK_ERR_ARG,
                             "source origin %d in direction %c is outside the lattice: use 0 to %d",
                             source->origin[mu], "xyzt"[mu], lat -> size[mu] - 1);
        }
    }
    for (int k = 0; k < NAIK_DIM - 1; k++) {
        if (source->corner[k] != 0 && source->corner[k] != 1) {
            return NAIK_FAIL(log, NAIK_ERR_ARG, "a corner of the hypercube is of 0 and 1, not %d",
                             source->corner[k]);
        }
    }
    if ((kind->keys & NAIK_SOURCE_KEY_RADIUS) != 0 && !(source->radius > 0)) {
        return NAIK_FAIL(log, NAIK_ERR_ARG, "the radius %g of a gaussian source must be positive",
                         source->radius);
    }
    return NAIK_OK;
}

static bool in_subset(const naik_source *source, const int x[NAIK_DIM])
{
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if (source->stride[mu] > 1 && x[mu] % source->stride[mu] != source->offset[mu]) {
            return false;
        }
    }
    switch (source->subset) {
    case NAIK_SUBSET_FULL: break;
    case NAIK_SUBSET_EVEN: return naik_parity_of(x) == 0;
    case NAIK_SUBSET_ODD: return naik_parity_of(x) != 0;
    case NAIK_SUBSET_CORNER: return naik_source_at_corner(source, x);
    }
    return true;
}

/* Whether global x carries it, on its time slice; of a source around a site, whether x may. */
static bool carries(const naik_source *source, const int x[NAIK_DIM])
{
    const naik_source_kind *kind = naik_source_kind_of(source->type);
    const bool decided = kind->shape != NULL && kind->place != NAIK_SOURCE_AT_SITE;
    return in_subset(source, x) && (!decided || kind->shape(NULL, source, x) != 0);
}

/* Whether sites whose coordinates modulo 2 are x, those of this cell of 2^4, carry it; of a source around a site,
 * whether they may. */
static bool meets(const naik_source *source, int cell, int x[NAIK_DIM])
{
    const bool on_lattice = naik_source_kind_of(source->type)->place == NAIK_SOURCE_ON_LATTICE;
    naik_source whole = *source;
    bool there = on_lattice || cell >> 3 == source->origin[3] % 2;
    memset(whole.stride, 0, sizeof whole.stride);
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        const int stride = source->stride[mu];
        x[mu] = cell >> mu & 1;
        there = there && (stride < 2 || stride % 2 != 0 || x[mu] == source->offset[mu] % 2);
    }
    return there && carries(&whole, x);
}

unsigned naik_source_corners(const naik_source *source)
{
    const naik_source_place place = naik_source_kind_of(source->type)->place;
    unsigned corners = 0;
    if (naik_source_is_stored(source)) {
        return ALL_CORNERS;
    }
    if (place == NAIK_SOURCE_AT_SITE && in_subset(source, source->origin)) {
        for (int k = 0; k < NAIK_DIM - 1; k++) {
            corners += (unsigned)(source->origin[k] % 2) << k;
        }
        return 1U << corners;
    }
    for (int cell = 0; cell < 1 << NAIK_DIM; cell++) {
        int x[NAIK_DIM];
        corners |= meets(source, cell, x) ? 1U << (cell & 7) : 0;
    }
    return corners;
}

int naik_source_parity(const naik_source *source)
{
    const naik_source_kind *kind = naik_source_kind_of(source->type);
    bool on[2] = {false, false};
    if (source->subset == NAIK_SUBSET_EVEN || source->subset == NAIK_SUBSET_ODD) {
        return source->subset == NAIK_SUBSET_ODD;
    }
    if (kind->made != NAIK_SOURCE_FROM_COORDINATES) {
        return -1;
    }
    if (source->type == NAIK_SOURCE_POINT) {
        return naik_parity_of(source->origin);
    }
    for (int cell = 0; cell < 1 << NAIK_DIM; cell++) {
        int x[NAIK_DIM];
        if (meets(source, cell, x)) {
            on[naik_parity_of(x)] = true;
        }
    }
    return on[0] == on[1] ? -1 : on[1];
}

/* exp(2 pi i p.(x - x0)/L), the turns reduced in integers so that the angle stays small. */
static naik_complex momentum_factor(const naik_lattice *lat, const naik_source *source,
                                    const int x[NAIK_DIM])
{
    double turns = 0;
    for (int k = 0; k < NAIK_DIM - 1; k++) {
        int64_t steps = (int64_t)source->momentum[k] * (x[k] - source->origin[k]) % lat->size[k];
        turns += (double)steps / lat->size[k];
    }
    return (naik_complex){cos(two_pi * turns), sin(two_pi * turns)};
}

/* The colour vector of noise at a site of this global number. */
static void draw_noise(const naik_source *source, int colour, int64_t global, naik_complex v[3])
{
    naik_rng rng = naik_rng_at(source->seed, STREAM_NOISE + (uint32_t)colour, (uint64_t)global);
    static const naik_complex z3[3] = {
        {1, 0}, {-0.5, 0.86602540378443864676}, {-0.5, -0.86602540378443864676}};
    static const naik_complex z4[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    double angle = 0, norm2 = 0;
    switch (source->noise) {
    case NAIK_NOISE_Z2: v[colour].re = naik_rng_u32(&rng) >> 31 ? -1 : 1; break;
    case NAIK_NOISE_Z3: v[colour] = z3[(int)(3 * naik_rng_uniform(&rng)) % 3]; break;
    case NAIK_NOISE_Z4: v[colour] = z4[naik_rng_u32(&rng) >> 30]; break;
    case NAIK_NOISE_U1:
        angle = two_pi * naik_rng_uniform(&rng);
        v[colour] = (naik_complex){cos(angle), sin(angle)};
        break;
    case NAIK_NOISE_GAUSSIAN:
        for (int c = 0; c < 3; c++) {
            v[c].re = naik_rng_gaussian(&rng);
            v[c].im = naik_rng_gaussian(&rng);
            norm2 += naik_cnorm2(v[c]);
        }
        for (int c = 0; c < 3; c++) {
            v[c] = naik_cscale(1 / sqrt(norm2), v[c]);
        }
        break;
    }
}

/* From the end, so that none is lost: the last three quarters of what is left go behind all that is read. */
void naik_source_to_spin(const naik_lattice *lattice, int spin, double *v)
{
    for (int32_t begin, end = lattice->sites; end > 0; end = begin) {
        begin = end > 1 ? (end + 3) / 4 : 0;
#pragma omp parallel for schedule(static)
        for (int32_t site = begin; site < end; site++) {
            double colour[6];
            memcpy(colour, v + 6 * (int64_t)site, sizeof colour);
            memset(v + 24 * (int64_t)site, 0, 24 * sizeof *v);
            memcpy(v + 24 * (int64_t)site + 6 * spin, colour, sizeof colour);
        }
    }
}

void naik_source_restrict(const naik_lattice *lattice, const naik_source *source, int reals,
                          double *v)
{
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lattice->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_global_coords(lattice, site, x);
        if (!in_subset(source, x)) {
            memset(v + (int64_t)reals * site, 0, (size_t)reals * sizeof *v);
        }
    }
}

void naik_source_to_slice(const naik_lattice *lattice, const naik_source *source, int reals,
                          double *v)
{
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lattice->sites; site++) {
        double *here = v + (int64_t)reals * site;
        int x[NAIK_DIM];
        naik_lattice_global_coords(lattice, site, x);
        if (x[3] != source->origin[3]) {
            memset(here, 0, (size_t)reals * sizeof *here);
            continue;
        }
        const naik_complex factor = momentum_factor(lattice, source, x);
        for (int i = 0; i < reals; i += 2) {
            const naik_complex z = naik_cmul(factor, (naik_complex){here[i], here[i + 1]});
            here[i] = z.re;
            here[i + 1] = z.im;
        }
    }
}

void naik_source_part(const naik_lattice *lattice, const naik_source *source, int32_t part[2])
{
    const bool point = source->type == NAIK_SOURCE_POINT;
    const bool all = naik_source_kind_of(source->type)->place == NAIK_SOURCE_ON_LATTICE;
    int32_t begin = 0, sites = lattice->sites;
    bool here = true;
    for (int mu = NAIK_DIM - 1; mu >= 0 && (point || (mu == NAIK_DIM - 1 && !all)); mu--) {
        const int x = source->origin[mu] - lattice->origin[mu];
        here = here && x >= 0 && x < lattice->local[mu];
        sites /= lattice->local[mu];
        begin += x * sites;
    }
    part[0] = here ? begin : 0;
    part[1] = here ? begin + sites : 0;
    if (point) { /* with its neighbour in x: backends take sites of both parities together */
        part[0] -= part[0] % 2;
        part[1] += part[1] % 2;
    }
}

naik_status naik_source_fill(const naik_lattice *lattice, const naik_source *source, int colour,
                             double *out)
{
    const int32_t all[2] = {0, lattice->sites};
    return naik_source_fill_part(lattice, source, colour, 0, 1, all, out);
}

naik_status naik_source_fill_part(const naik_lattice *lattice, const naik_source *source,
                                  int colour, int spin, int spins, const int32_t part[2],
                                  double *out)
{
    const naik_source_kind *kind = naik_source_kind_of(source->type);
    NAIK_PASS(check_source(lattice, source, colour));
#pragma omp parallel for schedule(static)
    for (int32_t site = part[0]; site < part[1]; site++) {
        naik_complex v[12] = {{0, 0}};
        naik_complex *mine = v + 3 * spin;
        int x[NAIK_DIM];
        naik_lattice_coords(lattice, site, x);
        const int64_t global = naik_lattice_global(lattice, x);
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            x[mu] += lattice->origin[mu];
        }
        const bool here = x[3] == source->origin[3] || kind->place == NAIK_SOURCE_ON_LATTICE;
        double shape = here && in_subset(source, x) ? 1 : 0;
        if (shape != 0 && kind->shape != NULL) {
            shape = kind->shape(lattice, source, x);
        }
        if (shape != 0) {
            naik_complex factor = naik_cscale(shape, momentum_factor(lattice, source, x));
            if (kind->random) {
                draw_noise(source, colour, global, mine);
            } else {
                mine[colour].re = 1;
            }
            for (int c = 0; c < 3; c++) {
                mine[c] = naik_cmul(factor, mine[c]);
            }
        }
        memcpy(out + 6 * (int64_t)spins * site, v, 3 * (size_t)spins * sizeof *v);
    }
    return NAIK_OK;
}
