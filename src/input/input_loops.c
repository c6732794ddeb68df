/* input_loops.c - noise that is diluted into parts, and the loops that are made of it */
#include <stdio.h>
#include <string.h>

#include "input/input_table.h"
#include "lattice/source_kind.h"
#include "propagator/spin_taste.h"

enum { PATH_SIZE = 160 };

static bool dilutes(const naik_input_solve *solve, naik_dilution what)
{
    bool does = false;
    for (int k = 0; k < solve->dilution.count; k++) {
        does = does || solve->dilution.data[k] == (int)what;
    }
    return does;
}

/* The strides of its colouring. */
static void find_strides(const naik_input_solve *solve, int time_extent, int stride[NAIK_DIM])
{
    const bool wall = naik_source_kind_of(solve->source.type)->place == NAIK_SOURCE_ON_SLICE;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        stride[mu] = solve->spacing;
    }
    stride[3] = wall ? 1 : dilutes(solve, NAIK_DILUTE_TIME) ? time_extent : solve->spacing;
}

void naik_input_dilute(const naik_input_solve *solve, int time_extent, int k, naik_source *source)
{
    if (solve->parts <= 1) {
        return;
    }
    k %= solve->parts;
    find_strides(solve, time_extent, source->stride);
    if (dilutes(solve, NAIK_DILUTE_PARITY)) {
        source->subset = k % 2 == 0 ? NAIK_SUBSET_EVEN : NAIK_SUBSET_ODD;
        k /= 2;
    }
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        source->offset[mu] = k % source->stride[mu];
        k /= source->stride[mu];
    }
}

static naik_status check_dilution(naik_log *log, const naik_input *input, int index)
{
    const naik_input_solve *solve = &input->solve[index];
    const bool parity = dilutes(solve, NAIK_DILUTE_PARITY);
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "solve.%d.source.dilution", index);
    if (dilutes(solve, NAIK_DILUTE_TIME) &&
        naik_source_kind_of(solve->source.type)->place == NAIK_SOURCE_ON_SLICE) {
        return naik_input_refuse(log, input, path,
                                 "'%s': a wall is on one time slice: list its slices as t0", path);
    }
    if (parity && solve->source.subset != NAIK_SUBSET_FULL) {
        return naik_input_refuse(log, input, path, "'%s' even_odd needs source.subset full", path);
    }
    if (parity && solve->spacing % 2 == 0) {
        return naik_input_refuse(log, input, path,
                                 "'%s' even_odd: a source.spacing of %d keeps even and odd sites "
                                 "apart already",
                                 path, solve->spacing);
    }
    snprintf(path, sizeof path, "solve.%d.source.spacing", index);
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if (input->lattice.size[mu] % solve->spacing != 0) {
            return naik_input_refuse(log, input, path, "'%s' %d does not divide the extent %d",
                                     path, solve->spacing, input->lattice.size[mu]);
        }
    }
    return NAIK_OK;
}

static naik_status fill_parts(naik_log *log, naik_input *input)
{
    for (int i = 0; i < input->solve_count; i++) {
        naik_input_solve *solve = &input->solve[i];
        int stride[NAIK_DIM] = {0};
        solve->parts = 1;
        if (!naik_source_is_random(solve->source.type)) {
            continue;
        }
        NAIK_PASS(check_dilution(log, input, i));
        find_strides(solve, input->lattice.size[3], stride);
        solve->parts = dilutes(solve, NAIK_DILUTE_PARITY) ? 2 : 1;
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            solve->parts *= stride[mu];
        }
    }
    return NAIK_OK;
}

/* Whether it is one of these quarks. */
static bool is_of(const naik_input *input, int number)
{
    const bool of_spin = number >= (int)NAIK_FIRST_GAMMA ||
                         (number >= (int)NAIK_MESONS && number < (int)NAIK_FIRST_SPIN_TASTE);
    return of_spin == (input->kind->spin > 1) || naik_correlator_is_current(number);
}

static naik_status check_loop(naik_log *log, const naik_input *input, int number)
{
    const char *name = naik_input_correlator_name(number);
    char words[NAIK_INPUT_SPIN_WORDS];
    if (!is_of(input, number)) {
        return naik_input_refuse(
            log, input, "output.loops", "'output.loops': %s is for %s quarks", name,
            input->kind->spin > 1 ? "staggered" : naik_input_spin_words(words));
    }
    for (int i = 0; i < input->solve_count && naik_correlator_is_spin_taste(number); i++) {
        if (naik_input_twist(&input->solve[i]) != NULL) {
            return naik_input_refuse(log, input, "output.loops",
                                     "'output.loops': naik makes operators with links, such as %s, "
                                     "only without a twist",
                                     name);
        }
    }
    return naik_correlator_is_spin_taste(number)
               ? naik_input_check_smearing(log, input, "output.loops", name)
               : NAIK_OK;
}

naik_status naik_input_check_loops(naik_log *log, naik_input *input)
{
    const naik_ints *loops = &input->output.loops;
    bool any = loops->count == 0;
    NAIK_PASS(fill_parts(log, input));
    for (int i = 0; i < input->solve_count; i++) {
        const naik_input_solve *solve = &input->solve[i];
        char path[PATH_SIZE];
        any = any || naik_input_has_loops(input, solve);
        snprintf(path, sizeof path, "solve.%d.source.spin_taste", i);
        if (naik_input_has_loops(input, solve) && solve->source.spin_taste != 0) {
            return naik_input_refuse(log, input, path,
                                     "'%s': naik makes no loops of a source with an operator on "
                                     "it: give this entry an input of its own",
                                     path);
        }
    }
    if (!any) {
        return naik_input_refuse(
            log, input, "output.loops",
            "'output.loops' needs an entry of solve with a random source of all colours");
    }
    for (int k = 0; k < loops->count; k++) {
        NAIK_PASS(check_loop(log, input, loops->data[k]));
    }
    return NAIK_OK;
}

bool naik_input_has_loops(const naik_input *input, const naik_input_solve *solve)
{
    return input->output.loops.count > 0 && naik_source_is_random(solve->source.type) &&
           naik_input_is_whole(solve);
}

int naik_input_noise_field(const naik_input_solve *solve, int k)
{
    return k / solve->parts % solve->hits;
}

bool naik_input_averages_loops(const naik_input *input, const naik_input_average *average)
{
    return average->type == NAIK_INPUT_LOW_MODES && average->pair < 0 &&
           naik_source_is_random(input->solve[average->of].source.type);
}
