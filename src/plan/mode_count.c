/* mode_count.c - the rule of mode_count.h */
#include "plan/mode_count.h"

#include <math.h>

#include "lattice/source_kind.h"
#include "model/deflation.h"
#include "modes/lanczos.h"
#include "propagator/spin_taste.h"

/* Modes must promise this much less before they are looked for. */
static const double MARGIN = 0.9;
/* Averages take modes up to so many masses: those that carry most of a pion far from its source. */
static const double OF_AVERAGES = 3;

bool mode_count_is_odd(const naik_source *source)
{
    const int parity = naik_source_parity(source);
    const bool moved = naik_correlator_parity(source->spin_taste) < 0;
    return parity == (moved ? NAIK_EVEN : NAIK_ODD);
}

/* Of the solves of an entry. */
static int odd_sources(const naik_input *input, int solve)
{
    int count = 0;
    for (int s = 0; s < input->source_count; s++) {
        count += input->sources[s].solve == solve && mode_count_is_odd(&input->sources[s].source);
    }
    return count;
}

/* The deflated solves with the links of a quark, without and with modes, and the search. */
static mode_cost cost_of_set(const naik_input *input, int modes, const naik_quark *of)
{
    const int *size = input->lattice.size;
    const int64_t volume = (int64_t)size[0] * size[1] * size[2] * size[3];
    mode_cost c = {.density = model_mode_density(size)};
    c.lambda = modes / c.density;
    for (int i = 0; i < input->solve_count; i++) {
        const naik_input_solve *solve = &input->solve[i];
        bool any = false;
        for (int k = 0; k < solve->masses.count && solve->deflate; k++) {
            const naik_quark *quark = naik_input_quark(input, i, k);
            if (!naik_quark_shares_links(quark, of)) {
                continue;
            }
            const double mass = quark->mass, tolerance = solve->tolerance;
            const int solves = input->kind->columns * solve->origins.count;
            const model_iterations plain = model_iterations_of(mass, tolerance, volume);
            const model_iterations with =
                model_iterations_deflated(plain, mass, c.lambda, tolerance, volume);
            c.plain += solves * plain.expected;
            c.with += solves * (with.expected +
                                model_deflating_iterations(modes, input->deflation.precision,
                                                           tolerance, input->deflation.again));
            c.with += input->kind->columns * odd_sources(input, i) * with.expected *
                      (model_odd_over_even(mass, c.lambda, tolerance) - 1);
            c.solves += solves;
            any = true;
        }
        c.sources += any ? solve->origins.count : 0;
    }
    c.search = model_search_iterations(c.density, modes);
    c.sets = 1;
    return c;
}

/* Whether the modes of a quark's links are looked for: averages need them anyway. */
static bool pays(const naik_input *input, const mode_cost *c, const naik_quark *of)
{
    return naik_input_averages_modes(input, of) || c->with + c->search < MARGIN * c->plain;
}

/* The fewest that averages want, in blocks; 0: there are none. */
static int least_of_averages(const naik_input *input)
{
    double mass = INFINITY;
    for (int i = 0; i < input->average_count; i++) {
        const naik_input_average *average = &input->averages[i];
        for (int k = 0;
             average->type == NAIK_INPUT_LOW_MODES && k < input->solve[average->of].masses.count;
             k++) {
            mass = fmin(mass, naik_input_quark(input, average->of, k)->mass);
        }
    }
    const double wanted = OF_AVERAGES * mass * model_mode_density(input->lattice.size);
    const double most = MODE_COUNT_MOST;
    const int blocks = isfinite(mass) ? (int)ceil(fmin(wanted, most) / NAIK_MODES_BLOCK) : 0;
    return blocks * NAIK_MODES_BLOCK;
}

mode_cost mode_cost_of(const naik_input *input, int modes, bool where_they_pay)
{
    mode_cost all = {.density = model_mode_density(input->lattice.size)};
    all.lambda = modes / all.density;
    for (int q = 0; q < input->quark_count; q++) {
        if (!naik_input_deflates(input, q) || naik_input_first_deflated(input, q) != q) {
            continue;
        }
        const mode_cost set = cost_of_set(input, modes, &input->quarks[q]);
        if (!where_they_pay || pays(input, &set, &input->quarks[q])) {
            all.sets++;
            all.sources += set.sources;
            all.solves += set.solves;
            all.plain += set.plain;
            all.with += set.with;
            all.search += set.search;
        }
    }
    return all;
}

double mode_cost_break_even(const mode_cost *cost)
{
    const double gain = cost->plain - cost->with;
    return gain > 0 ? ceil(cost->search / gain * cost->sources) : INFINITY;
}

bool mode_count_pays(const naik_input *input, int modes, const naik_quark *quark)
{
    const mode_cost set = cost_of_set(input, modes, quark);
    return modes > 0 && pays(input, &set, quark);
}

int mode_count_choose(const naik_input *input, int most)
{
    const int krylov = input->deflation.krylov;
    const int least = least_of_averages(input);
    int best = 0;
    double gain = 0;
    for (int n = NAIK_MODES_BLOCK; n <= most && n <= MODE_COUNT_MOST; n += NAIK_MODES_BLOCK) {
        const naik_lanczos_options search = {.modes = n, .krylov = krylov};
        if ((krylov > 0 && krylov < naik_lanczos_least(n)) ||
            !naik_lanczos_has_room(input->lattice.size, naik_lanczos_krylov(&search))) {
            break;
        }
        const mode_cost c = mode_cost_of(input, n, true);
        if (n <= least || c.plain - c.with - c.search > gain) {
            gain = c.plain - c.with - c.search;
            best = n;
        }
    }
    return best;
}

bool mode_count_averages(const naik_input *input)
{
    return least_of_averages(input) > 0;
}
