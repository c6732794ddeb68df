/* input_means.c - which averages over sources have no mean, for their correlators differ from place to place */
#include <stdio.h>
#include <string.h>

#include "input/input_table.h"
#include "lattice/source_kind.h"
#include "propagator/spin_taste.h"

enum { PATH_SIZE = 96 };

bool naik_input_mixes_places(const naik_input *input, const naik_input_solve *solve)
{
    bool one_place = true;
    for (int k = 1; k < solve->origins.count; k++) {
        one_place = one_place && memcmp(solve->origins.data[k], solve->origins.data[0],
                                        (NAIK_DIM - 1) * sizeof(int)) == 0;
    }
    return input->output.weight == NAIK_INPUT_WEIGHT_COS &&
           input->output.origin[0] != NAIK_INPUT_FROM_SOURCE && !one_place;
}

/* Whether the sources of an entry lie in walls that are no noise and no corner of the unit cube. */
static bool has_walls(const naik_input_solve *solve)
{
    return !naik_source_is_stored(&solve->source) && !naik_source_is_random(solve->source.type) &&
           !naik_source_is_corner(&solve->source) &&
           naik_source_kind_of(solve->source.type)->place == NAIK_SOURCE_ON_SLICE;
}

/* Whether two entries move differently: their sources' momenta, or their quarks' twists. */
static bool move_apart(const naik_input_solve *a, const naik_input_solve *b)
{
    return memcmp(a->source.momentum, b->source.momentum, sizeof a->source.momentum) != 0 ||
           !naik_input_same_twist(a, b);
}

/* Whether the quarks of an entry move, by their source or by their twist. */
static bool moves(const naik_input_solve *solve)
{
    return naik_input_is_moving(solve->source.momentum) || naik_input_twist(solve) != NULL;
}

static bool is_on_both_parities(const naik_input_solve *solve)
{
    bool parity[2] = {false, false};
    for (int k = 0; k < solve->origins.count; k++) {
        parity[solve->origins.data[k][NAIK_DIM - 1] % 2] = true;
    }
    return parity[0] && parity[1];
}

/* Whether one of two walls is on one corner of the hypercube. */
static bool have_corner(const naik_input_solve *a, const naik_input_solve *b)
{
    return (has_walls(a) && naik_source_is_corner(&b->source)) ||
           (has_walls(b) && naik_source_is_corner(&a->source));
}

/* Whether both are walls on one corner, and an odd number of steps leads from one corner to the other. */
static bool are_odd_corners(const naik_source *a, const naik_source *b)
{
    int steps = 0;
    for (int mu = 0; mu < NAIK_DIM - 1; mu++) {
        steps += a->corner[mu] + b->corner[mu];
    }
    return naik_source_is_corner(a) && naik_source_is_corner(b) && steps % 2 != 0;
}

/* M brings a sign to an odd step on odd time slices. */
static naik_status check_steps(naik_log *log, const naik_input *input, const int of[2],
                               const char *list, int index)
{
    const naik_input_solve *a = &input->solve[of[0]], *b = &input->solve[of[1]];
    return input->kind->spin == 1 && are_odd_corners(&a->source, &b->source) &&
                   is_on_both_parities(a)
               ? naik_input_refuse(log, input, "output.average",
                                   "'output.average': %s.%d has walls on two corners of the "
                                   "hypercube, an odd number of steps apart, whose correlators "
                                   "change sign between even and odd time slices: give t0 of one "
                                   "parity, or leave output.average out",
                                   list, index)
               : NAIK_OK;
}

/* A corner has even sites on even time slices and odd ones on the others. */
static naik_status check_corners(naik_log *log, const naik_input *input, const int of[2],
                                 const char *list, int index)
{
    const naik_input_solve *a = &input->solve[of[0]], *b = &input->solve[of[1]];
    const bool one =
        naik_source_is_on_one_parity(&a->source) || naik_source_is_on_one_parity(&b->source);
    return have_corner(a, b) && one && is_on_both_parities(a)
               ? naik_input_refuse(
                     log, input, "output.average",
                     "'output.average': %s.%d has a wall on one corner and a wall on "
                     "one parity, which have that corner in common on even or on odd "
                     "time slices only: give t0 of one parity, or leave output.average "
                     "out",
                     list, index)
               : NAIK_OK;
}

/* Signs of M turn a wall that is moved by one time slice into one of momentum pi in x, y and z. For quarks at rest, one
 * reflected site gives back the wall; a momentum p becomes -p by that. Of walls on one parity those signs are one.
 *   moving  the current of a three-point function, or the meson at its sink, has a momentum */
static naik_status check_turns(naik_log *log, const naik_input *input, const int of[2], bool moving,
                               const char *list, int index)
{
    const naik_input_solve *a = &input->solve[of[0]], *b = &input->solve[of[1]];
    const bool one = naik_source_is_on_one_parity(&a->source),
               other = naik_source_is_on_one_parity(&b->source);
    const bool walls = has_walls(a) && has_walls(b);
    return input->kind->spin == 1 && is_on_both_parities(a) &&
                   (((walls || have_corner(a, b)) && (moving || moves(a) || moves(b)) &&
                     !(one && other)) ||
                    (walls && move_apart(a, b)))
               ? naik_input_refuse(log, input, "output.average",
                                   "'output.average': %s.%d has walls with momentum or twist on "
                                   "even and on odd time slices, and staggered quarks take p for "
                                   "-p from one to the other: give t0 of one parity, or leave "
                                   "output.average out",
                                   list, index)
               : NAIK_OK;
}

static bool is_on_site(const naik_input_solve *solve)
{
    return naik_source_kind_of(solve->source.type)->place == NAIK_SOURCE_AT_SITE;
}

/* Whether source k of both lies as their first ones do: at the same distance. */
static bool lies_alike(const naik_input *input, const naik_input_solve *a,
                       const naik_input_solve *b, int k)
{
    bool alike = true;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        const int now = b->origins.data[k][mu] - a->origins.data[k][mu];
        const int first = b->origins.data[0][mu] - a->origins.data[0][mu];
        alike = alike && (now - first) % input->lattice.size[mu] == 0;
    }
    return alike;
}

/* How two places of an entry lie apart. */
typedef struct apart {
    bool space;  /* in space at all */
    bool corner; /* at two corners of the hypercube */
    bool parity; /* one is even and the other odd */
    bool slice;  /* on an even and on an odd slice */
} apart;

static apart lie_apart(const naik_input_solve *solve)
{
    apart found = {.space = false};
    const int *first = solve->origins.data[0];
    for (int k = 1; k < solve->origins.count; k++) {
        const int *at = solve->origins.data[k];
        int sum = 0;
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            const bool odd = (at[mu] - first[mu]) % 2 != 0;
            found.space = found.space || (mu < NAIK_DIM - 1 && at[mu] != first[mu]);
            found.corner = found.corner || (mu < NAIK_DIM - 1 && odd);
            found.slice = found.slice || (mu == NAIK_DIM - 1 && odd);
            sum += odd;
        }
        found.parity = found.parity || sum % 2 != 0;
    }
    return found;
}

/* Whether the mesons of pairs are all local. */
static bool are_local(const naik_input *input)
{
    bool local = true;
    for (int i = 0; i < input->output.channels.count; i++) {
        const int c = (int)NAIK_MESONS + input->output.channels.data[i];
        local = local && naik_correlator_is_spin_taste(c) && naik_correlator_links(c) == 0;
    }
    return local;
}

/* Whether M makes the same of a wall and a site wherever the site is: of a plain wall, with all at rest. */
static bool is_plain(const naik_input_solve *site, const naik_input_solve *wall, bool local,
                     bool moving)
{
    return local && !moving && !moves(wall) && !moves(site) && has_walls(wall) &&
           !naik_source_is_on_one_parity(&wall->source) &&
           !naik_source_kind_of(wall->source.type)->tastes && wall->source.spin_taste == 0 &&
           site->source.spin_taste == 0;
}

/* Whether a point and a wall are on one corner of the hypercube, where the signs of M are those of a time slice. */
static bool share_corner(const naik_input_solve *site, const naik_source *wall)
{
    bool same = naik_source_is_corner(wall) && site->source.type == NAIK_SOURCE_POINT &&
                site->source.spin_taste == 0;
    for (int k = 0; k < site->origins.count; k++) {
        same = same && naik_source_at_corner(wall, site->origins.data[k]);
    }
    return same;
}

/* What a wall is to a site must be the same at all places of the site, and what a site is to another as well.
 *   local   the hadrons have no links
 *   moving  they have momenta */
static naik_status check_sites(naik_log *log, const naik_input *input, const int of[2], bool local,
                               bool moving, const char *list, int index)
{
    const bool swap = !is_on_site(&input->solve[of[0]]);
    const naik_input_solve *site = &input->solve[of[swap]], *other = &input->solve[of[!swap]];
    const naik_source *wall = &other->source;
    const bool staggered = input->kind->spin == 1;
    const apart are = lie_apart(site);
    const bool beside = is_on_site(other);
    const bool in_space = !beside && naik_input_is_moving(wall->momentum) && are.space;
    bool alike = true;
    if (!is_on_site(site)) {
        return NAIK_OK;
    }
    for (int k = 0; k < site->origins.count && beside; k++) {
        alike = alike && lies_alike(input, site, other, k);
    }
    if (beside) {
        const bool same = memcmp(site->origins.data[0], other->origins.data[0],
                                 sizeof site->origins.data[0]) == 0;
        alike = alike && (same || !staggered || !(are.corner || are.slice));
    } else if (!naik_source_is_stored(wall) && !naik_source_is_random(wall->type)) {
        const bool corner = naik_source_is_corner(wall) && are.corner;
        const bool parity = naik_source_is_on_one_parity(wall) && are.parity;
        const bool turns = staggered && (are.corner || are.slice) &&
                           !is_plain(site, other, local, moving) && !share_corner(site, wall);
        alike = !in_space && !corner && !parity && !turns;
    }
    return alike ? NAIK_OK
                 : naik_input_refuse(log, input, "output.average",
                                     "'output.average': %s.%d joins sources whose relative places "
                                     "differ from one source to the next, so that their "
                                     "correlators have no common mean: give %s places %s%s%s, or "
                                     "leave output.average out",
                                     list, index, site->name,
                                     in_space ? "with the same x, y and z whose t differ by even "
                                                "numbers"
                                              : "whose x, y, z and t differ by even numbers",
                                     beside ? ", always at the same distance from those of " : "",
                                     beside ? other->name : "");
}

/* A wall on one parity that moves by a site in z gives each momentum a phase of its own; a product of cosines has several. */
static naik_status check_phases(naik_log *log, const naik_input *input, const int of[2],
                                bool refused, const char *path)
{
    const naik_input_solve *a = &input->solve[of[0]], *b = &input->solve[of[1]];
    const bool one =
        naik_source_is_on_one_parity(&a->source) || naik_source_is_on_one_parity(&b->source);
    return refused && input->kind->spin > 1 && one && (has_walls(a) || has_walls(b)) &&
                   is_on_both_parities(a) && !is_on_site(a) && !is_on_site(b)
               ? naik_input_refuse(
                     log, input, path,
                     "'%s': the walls of %s lie on one parity, and naik averages neither "
                     "products of cosines nor three-point functions with momenta "
                     "over even and odd time slices of such walls: give t0 of one parity, or "
                     "make no average",
                     path, a->name)
               : NAIK_OK;
}

const naik_input_average *naik_input_average_of(const naik_input *input, int solve)
{
    for (int i = 0; i < input->average_count; i++) {
        const naik_input_average *average = &input->averages[i];
        if (average->type == NAIK_INPUT_TRUNCATED_SOLVES &&
            (solve == average->of || solve == average->exact)) {
            return average;
        }
    }
    return NULL;
}

static bool is_averaged(const naik_input *input, int solve)
{
    return input->output.average || naik_input_average_of(input, solve) != NULL;
}

/* A funny wall adds up three mesons, of which an odd time slice changes the sign of one or two. */
static naik_status check_tastes(naik_log *log, const naik_input *input, int index)
{
    const naik_input_solve *solve = &input->solve[index];
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "solve.%d.source.t0", index);
    return naik_source_kind_of(solve->source.type)->tastes && is_on_both_parities(solve) &&
                   is_averaged(input, index)
               ? naik_input_refuse(
                     log, input, path,
                     "'%s': a funny wall couples to mesons whose signs differ between even and "
                     "odd time slices, so that their average has no meaning: give "
                     "t0 of one parity, or make no average",
                     path)
               : NAIK_OK;
}

static bool has_link_in_time(int correlator)
{
    return naik_correlator_parity(correlator) != naik_correlator_parity_in_space(correlator);
}

/* A wall of momentum p on an odd time slice is one of p + pi to M. At rest in the sink that tells nothing, nor of
 * operators without a link in time, for which -p - pi is the same. */
static naik_status check_time_links(naik_log *log, const naik_input *input, int index)
{
    const naik_input_solve *solve = &input->solve[index];
    int found = -1;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "solve.%d.source.t0", index);
    for (int i = 0; i < solve->channels.count; i++) {
        const int correlator = (int)NAIK_MESONS + solve->channels.data[i];
        found = has_link_in_time(correlator) ? correlator : found;
    }
    return is_averaged(input, index) && input->kind->spin == 1 && found >= 0 && has_walls(solve) &&
                   moves(solve) && !naik_source_is_on_one_parity(&solve->source) &&
                   is_on_both_parities(solve) && naik_input_any_moving(&solve->momenta)
               ? naik_input_refuse(
                     log, input, path,
                     "'%s': %s has a link in time, and naik averages it over walls with "
                     "momentum or twist at momenta other than 0 only if all t0 "
                     "have one parity: give such t0, or make no average",
                     path, naik_input_correlator_name(found))
               : NAIK_OK;
}

naik_status naik_input_check_turns(naik_log *log, const naik_input *input)
{
    for (int i = 0; i < input->solve_count; i++) {
        NAIK_PASS(check_tastes(log, input, i));
        NAIK_PASS(check_time_links(log, input, i));
    }
    const bool cosine = input->output.weight == NAIK_INPUT_WEIGHT_COS;
    const bool moving = naik_input_any_moving(&input->output.momenta);
    for (int i = 0; i < input->solve_count; i++) {
        const int same[2] = {i, i};
        const bool refused = is_averaged(input, i) && cosine && naik_input_asks_moving(input, i);
        NAIK_PASS(check_phases(log, input, same, refused, "output.momentum_weight"));
    }
    for (int i = 0; i < input->pair_count && input->output.average; i++) {
        const int *of = input->pairs[i].of;
        NAIK_PASS(check_corners(log, input, of, "pairs", i));
        NAIK_PASS(check_steps(log, input, of, "pairs", i));
        NAIK_PASS(check_turns(log, input, of, false, "pairs", i));
        NAIK_PASS(check_sites(log, input, of, are_local(input), moving, "pairs", i));
        NAIK_PASS(check_phases(log, input, of, cosine && moving, "output.momentum_weight"));
    }
    for (int i = 0; i < 3 * input->baryon_count && input->output.average; i++) {
        const int *quarks = input->baryons[i / 3].of;
        const int of[2] = {quarks[i % 3], quarks[(i + 1) % 3]};
        NAIK_PASS(check_corners(log, input, of, "baryons", i / 3));
        NAIK_PASS(check_sites(log, input, of, true, false, "baryons", i / 3));
    }
    for (int i = 0; i < input->three_point_count && input->output.average; i++) {
        const naik_input_three_point *three = &input->three_points[i];
        const bool carries =
            naik_input_any_moving(&three->momenta) || naik_input_any_moving(&three->sink_momenta);
        const bool moves_too =
            carries || moves(&input->solve[three->of[0]]) || moves(&input->solve[three->of[1]]);
        NAIK_PASS(check_corners(log, input, three->of, "three_point", i));
        NAIK_PASS(check_steps(log, input, three->of, "three_point", i));
        NAIK_PASS(check_turns(log, input, three->of, carries, "three_point", i));
        NAIK_PASS(check_sites(log, input, three->of, false, true, "three_point", i));
        NAIK_PASS(check_phases(log, input, three->of, moves_too, "output.average"));
    }
    return NAIK_OK;
}
