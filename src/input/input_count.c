/* input_count.c - where correlators are counted from, and the weight of a momentum
 *
 * Files begun before the keys output.origin and output.momentum_weight have correlators of staggered quarks
 * that are counted from the lattice's origin, and products of cosines. The identity of an input has a line for each of the two
 * where that makes a difference, so that the two never come together in one file.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "input/input_table.h"
#include "lattice/source_kind.h"
#include "propagator/spin_taste.h"

static const char origin_line[] = "output.origin = ", weight_line[] = "output.momentum_weight = ";

void naik_input_count_as(naik_input *input, const char *identity)
{
    const naik_yaml_node *root = input->tree->root;
    input->older = identity != NULL && *naik_line_find(identity, origin_line) == '\0' &&
                   *naik_line_find(identity, weight_line) == '\0';
    if (input->older && naik_yaml_find(root, "output.momentum_weight") == NULL) {
        input->output.weight = NAIK_INPUT_WEIGHT_COS;
    }
    if (input->older && naik_yaml_find(root, "output.origin") == NULL && input->kind->spin == 1) {
        memset(input->output.origin, 0, sizeof input->output.origin);
    }
}

/* Of the correlators of an entry, or of the output, which pairs have. */
typedef struct asked {
    const naik_ints *correlators, *channels;
    const naik_vectors *momenta;
} asked;

static asked asked_of(const naik_input *input, int entry)
{
    const naik_input_solve *solve = &input->solve[entry < input->solve_count ? entry : 0];
    return entry < input->solve_count
               ? (asked){&solve->correlators, &solve->channels, &solve->momenta}
               : (asked){&input->output.correlators, &input->output.channels,
                         &input->output.momenta};
}

bool naik_input_asks_moving(const naik_input *input, int entry)
{
    const asked a = asked_of(input, entry);
    return naik_input_any_moving(a.momenta) && a.correlators->count + a.channels->count > 0;
}

static bool any_momentum(const naik_input *input)
{
    bool any = false;
    for (int i = 0; i < input->solve_count + (input->pair_count > 0); i++) {
        any = any || naik_input_asks_moving(input, i);
    }
    return any;
}

/* Whether a momentum or the sign of a meson differs when it is counted from x and not from the origin. */
static bool differs(const naik_input *input, const int x[NAIK_DIM])
{
    bool differs = any_momentum(input) && (x[0] != 0 || x[1] != 0 || x[2] != 0);
    for (int i = 0; i < input->solve_count + (input->pair_count > 0); i++) {
        const asked a = asked_of(input, i);
        for (int c = 0; c < a.correlators->count && input->kind->spin == 1; c++) {
            differs = differs || naik_correlator_sign(a.correlators->data[c], x) < 0;
        }
        for (int c = 0; c < a.channels->count && input->kind->spin == 1; c++) {
            differs = differs || naik_correlator_sign(NAIK_MESONS + a.channels->data[c], x) < 0;
        }
    }
    return differs;
}

/* Whether there are operators that no file has which was begun before output.origin. */
static bool any_newer(const naik_input *input)
{
    bool any = false;
    for (int i = 0; i < input->solve_count + (input->pair_count > 0); i++) {
        const asked a = asked_of(input, i);
        any = any || a.channels->count > 0;
        for (int c = 0; c < a.correlators->count; c++) {
            any = any || a.correlators->data[c] >= (int)NAIK_GT_GT;
        }
    }
    return any;
}

/* Whether it does from some corner of a hypercube, for a source whose place is not known yet. */
static bool differs_somewhere(const naik_input *input)
{
    bool any = false;
    for (int corner = 0; corner < 1 << NAIK_DIM; corner++) {
        const int x[NAIK_DIM] = {corner & 1, corner >> 1 & 1, corner >> 2 & 1, corner >> 3};
        any = any || differs(input, x);
    }
    return any;
}

/* Whether some correlator is not what it is where the identity has no line of the origin. */
static bool origin_matters(const naik_input *input)
{
    const int *origin = input->output.origin;
    bool matters = false, unknown = false;
    if (origin[0] != NAIK_INPUT_FROM_SOURCE) {
        return input->kind->spin > 1 ? any_momentum(input) : differs(input, origin);
    }
    for (int s = 0; s < input->source_count && input->kind->spin == 1; s++) {
        const naik_input_source *source = &input->sources[s];
        unknown = unknown || naik_source_is_sequential(&source->source);
        matters =
            matters || (!naik_source_is_sequential(&source->source) && differs(input, source->x0));
    }
    return matters || (unknown && (differs_somewhere(input) || any_newer(input)));
}

/* Whether the factor of a wall of one corner begins at that corner, which it once did not. */
static bool waves_from_corner(const naik_input *input)
{
    bool any = false;
    for (int s = 0; s < input->source_count; s++) {
        const naik_source *source = &input->sources[s].source;
        const int *c = source->corner;
        any = any || (naik_source_is_corner(source) && (c[0] != 0 || c[1] != 0 || c[2] != 0) &&
                      naik_input_is_moving(source->momentum));
    }
    return any && !input->older;
}

/* Whether a three-point function is counted from elsewhere than once: its sink always from the spectator's place, and of
 * two walls with the sign (-1)^(x+y+z+t) the current from the lattice's origin. */
static bool moves_three_point(const naik_input *input)
{
    static const int origin[NAIK_DIM] = {0};
    bool any = false;
    for (int s = 0; s < input->source_count; s++) {
        const naik_input_source *sink = &input->sources[s];
        if (sink->made_of >= 0) {
            const naik_input_source *spectator = &input->sources[sink->made_of];
            const naik_input_source *parent = &input->sources[sink->parent];
            const bool signs = input->output.origin[0] == NAIK_INPUT_FROM_SOURCE &&
                               input->kind->spin == 1 &&
                               naik_source_kind_of(parent->source.type)->alternates &&
                               naik_source_kind_of(spectator->source.type)->alternates;
            any = any || memcmp(sink->x0, spectator->x0, sizeof sink->x0) != 0 ||
                  (signs && memcmp(sink->x0, origin, sizeof origin) != 0);
        }
    }
    return any;
}

naik_status naik_input_count_identity(naik_log *log, naik_input *input)
{
    const int *x = input->output.origin;
    const bool three = input->three_point_count > 0; /* no older file has one */
    const bool waves =
        input->output.weight == NAIK_INPUT_WEIGHT_EXP && (three || any_momentum(input));
    char lines[200] = "", place[96] = "source";
    if (x[0] != NAIK_INPUT_FROM_SOURCE) {
        snprintf(place, sizeof place, "[%d, %d, %d, %d]", x[0], x[1], x[2], x[3]);
    }
    if (moves_three_point(input)) {
        naik_text_append(place, sizeof place, ", three-point functions from spectator and parent");
    }
    if (three || origin_matters(input) || waves_from_corner(input)) {
        snprintf(lines, sizeof lines, "%s%s\n", origin_line, place);
    }
    const size_t used = strlen(lines), before = strlen(input->identity);
    if (waves) {
        snprintf(lines + used, sizeof lines - used, "%sexp\n", weight_line);
    }
    if (lines[0] == '\0') {
        return NAIK_OK;
    }
    char *text = naik_yaml_alloc(input->tree, before + sizeof lines);
    if (text == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the input");
    }
    memcpy(text, input->identity, before);
    strcpy(text + before, lines);
    input->identity = text;
    return NAIK_OK;
}

naik_status naik_input_check_count(naik_log *log, const naik_input *input)
{
    const int *x = input->output.origin, *size = input->lattice.size;
    if (x[0] != NAIK_INPUT_FROM_SOURCE &&
        (x[0] >= size[0] || x[1] >= size[1] || x[2] >= size[2] || x[3] >= size[3])) {
        return naik_input_refuse(log, input, "output.origin",
                                 "'output.origin' [%d, %d, %d, %d] lies outside the lattice [%d, "
                                 "%d, %d, %d]",
                                 x[0], x[1], x[2], x[3], size[0], size[1], size[2], size[3]);
    }
    for (int i = 0; i < input->pair_count; i++) {
        const naik_input_pair *pair = &input->pairs[i];
        const bool alike =
            naik_input_same_twist(&input->solve[pair->of[0]], &input->solve[pair->of[1]]);
        if (!alike && naik_input_any_moving(&input->output.momenta) &&
            input->output.weight == NAIK_INPUT_WEIGHT_COS && !input->older) {
            return naik_input_refuse(log, input, "output.momentum_weight",
                                     "'output.momentum_weight' cos mixes the momenta p and -p, "
                                     "which differ in pair '%s' of two twists: use exp",
                                     pair->name);
        }
    }
    return NAIK_OK;
}
