/* judge.c - what is wrong with a configuration: damage, or links of another kind
 *
 * Damage is a contradiction inside the file. Links that agree with their checksum are what their writer
 * meant; where they are no SU(3) field, they are of another kind, which the determinants tell.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/point_locale.h"
#include "gauge/link_census.h"
#include "gauge/row_signs.h"
#include "naik/gauge_io.h"

static const double plaquette_tolerance = 1e-5;  /* of the plaquette normalised to 1 */
static const double link_trace_tolerance = 1e-6; /* as NERSC archives demand */
static const double least_decimals = 1e-3;       /* of both */
static const double scale_tolerance = 1e-4;      /* of long links in single precision */

static void object(naik_gauge_verdict *v, const char *format, ...) NAIK_PRINTF(2, 3);

static void object(naik_gauge_verdict *v, const char *format, ...)
{
    size_t used = strlen(v->text);
    if (v->count++ > 0 && used + 3 < sizeof v->text) {
        strcpy(v->text + used, "; ");
        used += 2;
    }
    va_list args;
    va_start(args, format);
    const point_locale locale = point_locale_begin();
    vsnprintf(v->text + used, sizeof v->text - used, format, args);
    point_locale_end(locale);
    va_end(args);
}

static int sum_words(const naik_gauge_file *file)
{
    return strchr(file->checksum_kind, '/') != NULL ? 2 : 1;
}

void naik_gauge_sum_text(const naik_gauge_file *file, const uint32_t sum[2], char *text,
                         size_t text_size)
{
    if (sum_words(file) == 2) {
        snprintf(text, text_size, "%x %x", sum[0], sum[1]);
    } else {
        snprintf(text, text_size, "%x", sum[0]);
    }
}

static void judge_sum(const naik_gauge_file *file, naik_gauge_verdict *v)
{
    char stored[40], computed[40];
    if (file->checksum_known && !file->checksum_ok) {
        naik_gauge_sum_text(file, file->checksum_stored, stored, sizeof stored);
        naik_gauge_sum_text(file, file->checksum_computed, computed, sizeof computed);
        object(v, "checksum %s is stored as %s, but the data give %s", file->checksum_kind, stored,
               computed);
    }
}

/* A number of few digits is a rounded one, of three decimals at least. */
static double with_rounding(double tolerance, double last)
{
    return fmax(tolerance, fmin(0.51 * last, least_decimals));
}

/* Of the plaquette normalised to 1. */
static double tolerance_of_plaquette(const naik_gauge_file *file)
{
    return with_rounding(plaquette_tolerance, file->plaquette_last);
}

/* The file stores another one. */
static bool has_other_plaquette(const naik_gauge_file *file, const naik_gauge_checks *checks)
{
    return !isnan(file->plaquette_stored) &&
           !(fabs(file->plaquette_stored - checks->plaquette) / 3 <= tolerance_of_plaquette(file));
}

static void judge_claims(const naik_gauge_file *file, const naik_gauge_checks *checks,
                         naik_gauge_verdict *v)
{
    if (has_other_plaquette(file, checks)) {
        object(v, "plaquette is stored as %.10g, but the links give %.10g",
               file->plaquette_stored / 3, checks->plaquette / 3);
    }
    if (!isnan(file->link_trace_stored) &&
        !(fabs(file->link_trace_stored - checks->link_trace) <=
          with_rounding(link_trace_tolerance, file->link_trace_last))) {
        object(v, "link trace is stored as %.10g, but the links give %.10g",
               file->link_trace_stored, checks->link_trace);
    }
}

/* Where openQCD holds links fixed at the upper end of time, its plaquette has that end in place of the periodic
 * neighbours: 3 N of 6 N T plaquettes are others, and 3 N are more, which are 1. */
static bool has_fixed_end(const naik_gauge_file *file, const naik_gauge_checks *checks)
{
    const double more = 2 * file->size[3] * (file->plaquette_stored - checks->plaquette) / 3;
    return strcmp(file->format, "openqcd") == 0 && more > 0.5 && more <= 2.5;
}

/* The same extremes as a sentence whatever the links are. */
static void judge_deviations(const naik_gauge_checks *checks, double limit, naik_gauge_verdict *v)
{
    if (!(checks->max_unitarity_dev <= limit)) {
        object(v, "links are not unitary: |U U^+ - 1| reaches %.3g, the limit is %.3g",
               checks->max_unitarity_dev, limit);
    }
    if (!(checks->max_det_dev <= 3 * limit)) { /* d(det) = tr dU: three times the deviation */
        object(v, "determinants are not 1: |det U - 1| reaches %.3g, the limit is %.3g",
               checks->max_det_dev, 3 * limit);
    }
}

static naik_links_kind kind_of(const naik_link_census *c)
{
    const int64_t negative = c->negative[0] + c->negative[1] + c->negative[2] + c->negative[3];
    return c->zero > 0 && c->zero == c->zero_last && c->zero == c->last ? NAIK_LINKS_OPEN
           : negative > 0 && 2 * c->far < c->links                      ? NAIK_LINKS_SIGNED
           : 2 * c->far < c->links                                      ? NAIK_LINKS_THIN
           : naik_link_census_is_scaled(c, scale_tolerance)             ? NAIK_LINKS_LONG
                                                                        : NAIK_LINKS_FAT;
}

/* Phases are on half of the links of a direction, or on none. */
static bool are_phases(const naik_link_census *c)
{
    const int64_t sites = c->links / NAIK_DIM;
    bool half = true;
    for (int mu = 0; mu < NAIK_DIM - 1; mu++) {
        half = half && (c->negative[mu] == 0 || 2 * c->negative[mu] == sites);
    }
    return half && c->negative[0] + c->negative[1] + c->negative[2] > 0;
}

static const char remedy[] = "naik puts staggered phases and boundary on the links itself: "
                             "store the links without them";

static void describe_signs(const naik_link_census *c, naik_gauge_verdict *v)
{
    const long long n[NAIK_DIM] = {(long long)c->negative[0], (long long)c->negative[1],
                                   (long long)c->negative[2], (long long)c->negative[3]};
    const bool boundary = c->negative_last == c->last && n[3] == (long long)c->last;
    if (boundary && n[0] + n[1] + n[2] == 0) {
        object(v,
               "the antiperiodic boundary is in the links, because the determinant of every t-link "
               "of the last time slice is -1: %s",
               remedy);
    } else {
        object(v,
               "%s%s are in the links, because the determinant of %lld x-, %lld y-, "
               "%lld z- and %lld t-links of %lld each is -1: %s",
               are_phases(c) ? "staggered phases" : "signs of phases or of a boundary",
               boundary ? " and the antiperiodic boundary" : "", n[0], n[1], n[2], n[3],
               (long long)c->links / NAIK_DIM, remedy);
    }
}

static void describe_kind(const naik_link_census *c, naik_gauge_verdict *v)
{
    switch (v->kind) {
    case NAIK_LINKS_THIN: break;
    case NAIK_LINKS_OPEN:
        object(v, "its boundary in time is open, because every t-link of the last time slice is "
                  "zero: naik computes on periodic lattices");
        break;
    case NAIK_LINKS_SIGNED: describe_signs(c, v); break;
    case NAIK_LINKS_LONG:
        object(v,
               "its links are %.6g times unitary matrices, as long links are: give them as "
               "action.long_file, with action.type links",
               c->scale_most);
        break;
    case NAIK_LINKS_FAT:
        object(v,
               "%lld of its %lld links are far from unitary, as fat links are: give them as "
               "action.file, with action.type links",
               (long long)c->far, (long long)c->links);
        break;
    }
}

/* Links that are numbers, but not in SU(3) within `limit`. claims: what was objected to so far. */
static naik_status judge_links(const naik_gauge *gauge, const naik_gauge_file *file,
                               const naik_gauge_checks *checks, double limit, int claims,
                               naik_gauge_verdict *v)
{
    naik_status status = NAIK_OK;
    naik_link_census c;
    NAIK_PASS(naik_link_census_take(gauge, limit, 1, &c));
    const bool broken = file->checksum_known && !file->checksum_ok;
    v->kind = kind_of(&c);
    if (v->kind >= NAIK_LINKS_LONG && (claims > 0 || checks->max_unitarity_dev <= limit)) {
        v->kind = NAIK_LINKS_THIN; /* the file contradicts it, or the user knows these links */
    }
    v->unusable = c.zero > 0 || v->kind != NAIK_LINKS_THIN;
    if (v->kind == NAIK_LINKS_THIN) {
        judge_deviations(checks, limit, v);
        const bool turned = 2 * c.turned > c.links;
        if (turned) {
            object(
                v,
                "it is a field of U(3), because the determinants of most of its links are not 1");
        }
        const bool meant = file->checksum_known || 2 * c.off > c.links || turned;
        v->status = claims > 0 || (v->count > 0 && !meant) ? NAIK_ERR_CORRUPT
                    : v->count > 0                         ? NAIK_ERR_INPUT
                                                           : NAIK_OK;
        return status;
    }
    if (!broken) { /* a plaquette of links without the signs, or with the last slice, is no wonder */
        v->text[0] = '\0';
        v->count = 0;
        v->status = NAIK_ERR_INPUT;
    }
    describe_kind(&c, v);
    return status;
}

/* Links of two rows, whose plaquette is not the stored one: signs in the rows would do that. */
static naik_status judge_rows(const naik_gauge *gauge, const naik_gauge_file *file,
                              naik_gauge_verdict *v)
{
    naik_row_signs signs = {.phases = false};
    NAIK_PASS(naik_row_signs_find(gauge, file->plaquette_stored, 3 * tolerance_of_plaquette(file),
                                  &signs));
    if (signs.phases || signs.boundary) {
        *v = (naik_gauge_verdict){
            .status = NAIK_ERR_INPUT, .kind = NAIK_LINKS_SIGNED, .unusable = true};
        object(v,
               "%s in the two rows of its links, because the links without them have the stored "
               "plaquette: %s",
               !signs.phases    ? "the antiperiodic boundary is"
               : signs.boundary ? "staggered phases and the antiperiodic boundary are"
                                : "staggered phases are",
               remedy);
    }
    return NAIK_OK;
}

naik_status naik_gauge_judge(const naik_gauge *gauge, const naik_gauge_file *file,
                             const naik_gauge_checks *checks, double limit, naik_gauge_verdict *v)
{
    const bool broken = file->checksum_known && !file->checksum_ok;
    *v = (naik_gauge_verdict){.status = NAIK_OK};
    limit = limit > 0 ? limit : NAIK_GAUGE_UNITARITY_LIMIT;
    judge_sum(file, v);
    if (file->other_byte_order) {
        object(
            v,
            "its numbers are not %s-endian, as those of its format are: the rows of its links have "
            "length 1 only once the bytes of each number are swapped, so swap them",
            file->byte_order);
        v->unusable = true;
        v->status = broken ? NAIK_ERR_CORRUPT : NAIK_ERR_INPUT;
    } else if (!isfinite(checks->plaquette)) {
        object(v, "links hold NaN or infinity%s",
               file->extents_given ? ": are the extents given those of the file?" : "");
        v->unusable = true;
        v->status =
            file->extents_given ? NAIK_ERR_INPUT : NAIK_ERR_CORRUPT; /* perhaps other extents */
    } else {
        judge_claims(file, checks, v);
        v->status = v->count > 0 ? NAIK_ERR_CORRUPT : NAIK_OK;
        /* However wide the limit: a sign, which the determinant shows, is no rounding. */
        const double least = fmin(limit, NAIK_CENSUS_FAR);
        const bool off =
            !(checks->max_unitarity_dev <= least) || !(checks->max_det_dev <= 3 * least);
        if (off) {
            NAIK_PASS(judge_links(gauge, file, checks, limit, v->count, v));
        } else if (has_fixed_end(file, checks)) {
            *v = (naik_gauge_verdict){
                .status = NAIK_ERR_INPUT, .kind = NAIK_LINKS_OPEN, .unusable = true};
            object(v,
                   "its links are fixed at the end in time (openQCD's boundary of type 1 or 2), "
                   "because its plaquette %.10g is that of such links, and on a periodic lattice "
                   "they would give %.10g: naik computes on periodic lattices",
                   file->plaquette_stored / 3, checks->plaquette / 3);
        } else if (!broken && file->rows == 2 && has_other_plaquette(file, checks)) {
            NAIK_PASS(judge_rows(gauge, file, v));
        }
    }
    v->what = v->kind == NAIK_LINKS_OPEN && !broken             ? "holds no periodic configuration"
              : v->status == NAIK_ERR_INPUT                     ? "holds no SU(3) configuration"
              : !broken && file->checksum_known && !v->unusable ? "contradicts itself"
                                                                : "is damaged";
    return NAIK_OK;
}
