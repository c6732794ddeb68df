/* kinds.c - fat links, long links, their phases and their boundary, seen in the matrices
 *
 * A sign of a 3 x 3 matrix is a sign of its determinant, in every gauge. The determinants of long links
 * are those of three unitary matrices, close to 1 where links are smooth and where HISQ has projected
 * them; a fat link is near enough to a unitary matrix for most of them to have the sign of its path.
 */
#include "io/links/kinds.h"

#include <math.h>
#include <string.h>

#include "base/exactsum.h"
#include "comm/collective.h"
#include "gauge/link_census.h"

static const double scaled = 1e-4;   /* of links in single precision */
static const double seen = 0.25;     /* a mean of signs above this is one sign, of most links */
static const double by_chance = 6;   /* standard deviations that no mean of random signs has */
static const double least_ratio = 4; /* of fat to long links: 24 to 50 in all actions of naik */
static const double free_plaquette = 0.999;

enum { FAT_REACH = 1, LONG_REACH = 3 };

typedef struct subject {
    const char *path, *kind;
    naik_log *log;
    naik_link_census census;
} subject;

static naik_status check_long(const subject *s)
{
    if (naik_link_census_is_scaled(&s->census, scaled)) {
        return NAIK_OK;
    }
    return NAIK_FAIL(
        s->log, NAIK_ERR_INPUT,
        "'%s' holds no long links: these are one number times unitary matrices, and its "
        "matrices are %.3g and more off: are they fat links?",
        s->path, fmax(s->census.shape_dev, s->census.scale_most / s->census.scale_least - 1));
}

/* Fat links are a number times unitary matrices only where the field is a pure gauge. */
static naik_status check_fat(const naik_gauge *fat, const subject *s, const subject *far)
{
    const double scale = s->census.scale_most;
    naik_gauge_checks checks;
    naik_status status = NAIK_OK;
    if (!naik_link_census_is_scaled(&s->census, scaled)) {
        return status;
    }
    NAIK_PASS(naik_gauge_measure(fat, &checks));
    if (scale < least_ratio * far->census.scale_most ||
        fabs(checks.plaquette) < 3 * free_plaquette * scale * scale * scale * scale) {
        status =
            NAIK_FAIL(s->log, NAIK_ERR_INPUT,
                      "'%s' holds no fat links: its matrices are %.6g times unitary ones, as long "
                      "and thin links are",
                      s->path, scale);
    }
    return status;
}

/* The staggered phases of naik_gauge_apply_phases are in the links, as far as they show: in the fat links of
 * a very rough field no mean of signs may be more than chance, which makes 1/sqrt(sites). */
static naik_status check_phases(const subject *s)
{
    const double *phased = s->census.phased, *bare = s->census.bare;
    const double sign = phased[3] < 0 ? -1 : 1;
    const double shows = fmax(seen, by_chance / sqrt((double)s->census.links / NAIK_DIM));
    for (int mu = 0; mu < 3 && fabs(phased[3]) > shows; mu++) {
        if (sign * phased[mu] <= fmin(seen, 0.5 * fabs(phased[3]))) {
            return NAIK_FAIL(
                s->log, NAIK_ERR_INPUT,
                "the %s links '%s' have %s in direction %c: naik takes links with MILC's "
                "phases inside, eta_x = (-1)^t, eta_y = (-1)^(t+x), eta_z = (-1)^(t+x+y)%s",
                s->kind, s->path,
                sign * bare[mu] > seen ? "no staggered phases" : "other staggered phases",
                "xyz"[mu],
                sign * bare[mu] > seen ? ""
                                       : ". Links of few sites, or of a very rough field, may "
                                         "have these phases and not show them: let naik make "
                                         "the links from the configuration (action.type)");
        }
    }
    return NAIK_OK;
}

/* -1 antiperiodic, 1 periodic, 0 not to be seen */
static int boundary_of(const subject *s)
{
    const double inside = s->census.phased[3], around = s->census.around;
    return fabs(inside) <= seen || fabs(around) <= seen ? 0 : inside * around < 0 ? -1 : 1;
}

static naik_status check_boundary(const subject *fat, const subject *far,
                                  const naik_links_boundary *expected)
{
    static const char *const names[3] = {"antiperiodic", "", "periodic"};
    const subject *const both[2] = {far, fat};
    const int wanted = expected->name[0] == 'a' ? -1 : 1;
    bool shown = false;
    for (int k = 0; k < 2; k++) {
        const int found = boundary_of(both[k]);
        shown = shown || found != 0;
        if (found != 0 && found != wanted) {
            return NAIK_FAIL(far->log, NAIK_ERR_INPUT,
                             "the %s links '%s' have the %s boundary in t inside, as their "
                             "determinants show, but lattice.boundary_t is %s",
                             both[k]->kind, both[k]->path, names[1 + found], expected->name);
        }
    }
    if (!shown && !expected->given) {
        return NAIK_FAIL(
            far->log, NAIK_ERR_INPUT,
            "the links '%s' and '%s' do not show which boundary in t is inside: give it "
            "as lattice.boundary_t",
            fat->path, far->path);
    }
    naik_log_line(far->log, "boundary in t: %s, %s", expected->name,
                  shown ? "as the determinants of the links show" : "as the input says");
    return NAIK_OK;
}

naik_status naik_links_check_kinds(const char *fat_path, const char *long_path,
                                   const naik_fatlong *links, const naik_links_boundary *boundary)
{
    naik_log *log = links->fat->lattice->comm->log;
    subject fat = {.path = fat_path, .kind = "fat", .log = log};
    subject far = {.path = long_path, .kind = "long", .log = log};
    NAIK_PASS(naik_link_census_take(links->fat, scaled, FAT_REACH, &fat.census));
    NAIK_PASS(naik_link_census_take(links->long_links, scaled, LONG_REACH, &far.census));
    NAIK_PASS(check_long(&far));
    NAIK_PASS(check_fat(links->fat, &fat, &far));
    NAIK_PASS(check_phases(&far));
    NAIK_PASS(check_phases(&fat));
    return check_boundary(&fat, &far, boundary);
}

naik_status naik_links_measure_scale(const naik_gauge *links, double *scale)
{
    const naik_lattice *lat = links->lattice;
    naik_exactsum sum;
    naik_exactsum_clear(&sum);
    for (int64_t i = 0; i < (int64_t)lat->sites * NAIK_DIM; i++) {
        double reals[18], square = 0;
        memcpy(reals, &links->link[i], sizeof reals);
        for (int k = 0; k < 18; k++) {
            square += reals[k] * reals[k];
        }
        naik_exactsum_add(&sum, square);
    }
    NAIK_PASS(naik_comm_sum_exact(lat->comm, &sum, 1));
    *scale = sqrt(naik_exactsum_value(&sum) / (12.0 * (double)lat->volume));
    if (!(isfinite(*scale) && *scale > 0)) {
        return NAIK_FAIL(lat->comm->log, *scale == 0 ? NAIK_ERR_INPUT : NAIK_ERR_CORRUPT,
                         "the long links are zero or not numbers");
    }
    return NAIK_OK;
}
