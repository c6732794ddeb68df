/* shift_factor.c - sign and phase of a correlator on its way to t = 0 */
#include <string.h>

#include "correlator/contraction_spec.h"
#include "correlator/frame.h"
#include "lattice/source_kind.h"
#include "propagator/slice_sums.h"
#include "propagator/spin_taste.h"

/* How the sources of an item lie beside those at the lattice's origin (frame.h). */
typedef struct source_lie {
    int further[NAIK_DIM];
    bool alternates;
} source_lie;

static void move_further(const int x0[NAIK_DIM], const int further[NAIK_DIM], int at[NAIK_DIM])
{
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        at[mu] = x0[mu] + further[mu];
    }
}

/* What an operator that is counted from x0 brings. */
static int sign_of_operator(int operator, const int x0[NAIK_DIM], const source_lie *lie)
{
    int at[NAIK_DIM];
    move_further(x0, lie->further, at);
    return naik_correlator_phase(operator, at) * naik_correlator_sign(operator, lie->further) *
           (lie->alternates ? naik_correlator_parity_in_space(operator) : 1);
}

/* What the sign (-1)^(x+y+z+t) in a wall that begins at x0 brings. */
static int sign_of_wall(const naik_source *source, const int x0[NAIK_DIM],
                        const int further[NAIK_DIM])
{
    return naik_source_kind_of(source->type)->alternates
               ? naik_meson_sign(NAIK_PION05, x0) * naik_meson_sign(NAIK_PION05, further)
               : 1;
}

/* Where the site of the first of these sources is that has one, which a wall beside it moves with; else `own`. */
static const int *site_of(const naik_input *input, int count, const int *source, const int *own)
{
    for (int i = 0; i < count; i++) {
        const naik_input_source *of = &input->sources[source[i]];
        if (naik_source_kind_of(of->source.type)->place == NAIK_SOURCE_AT_SITE) {
            return of->x0;
        }
    }
    return own;
}

/* What the operator on a source brings, the sign in a wall that begins at `begin`, and that of the odd sites of a slice
 * that M moves. */
static int sign_of_source(const naik_input_source *of, const int *begin, const source_lie *lie)
{
    const bool odd = of->source.subset == NAIK_SUBSET_ODD && lie->further[2] != 0;
    return sign_of_operator(of->source.spin_taste, of->x0, lie) *
           (odd && !lie->alternates ? -1 : 1) * /* (-1)^(x+y+z) */
           sign_of_wall(&of->source, begin, lie->further);
}

/* all: the quarks' sources, and source number k of the spectator of a three-point function. Returns how many. */
static int list_sources(const contraction_item *item, int k, const int source[3], int all[4])
{
    int count = 0;
    for (int i = 0; i < item->quarks; i++) {
        all[count++] = source[i];
    }
    if (item->three_point != NULL) {
        all[count++] = item->spectator[0] + k;
    }
    return count;
}

/* What the meson at the sink of a three-point function brings, of which the sequential source, counted from its x0,
 * has the operator without gamma5. */
static int sign_of_sink(const naik_input_source *sequential, int meson, const int place[NAIK_DIM],
                        const source_lie *lie)
{
    int apart[NAIK_DIM];
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        apart[mu] = place[mu] - sequential->x0[mu];
    }
    return sign_of_operator(meson, place, lie) * naik_meson_sign(NAIK_PION05, lie->further) *
           naik_correlator_sign(meson, apart) * naik_meson_sign(NAIK_PION05, apart);
}

/* The sign of the place of staggered sources: that of the correlator's operator, of those on the sources, and
 * of that at the sink of a three-point function. */
static int sign_of_place(const naik_input *input, const contraction_item *item, int k,
                         const int source[3], const int place[NAIK_DIM])
{
    int all[4];
    const int count = list_sources(item, k, source, all);
    source_lie lie;
    correlator_further(input, count, all, lie.further);
    lie.alternates = correlator_alternates(input, count, all);
    int sign = sign_of_operator(item->meson, place, &lie);
    for (int i = 0; i < item->quarks && item->quarks == 2; i++) {
        const naik_input_source *of = &input->sources[source[i]];
        sign *= sign_of_source(of, site_of(input, count, all, of->x0), &lie);
    }
    if (item->three_point != NULL) {
        const naik_input_source *of = &input->sources[item->spectator[0] + k];
        sign *= sign_of_source(of, site_of(input, count, all, of->x0), &lie) *
                sign_of_sink(&input->sources[source[0]], item->three_point->sink, place, &lie);
    }
    return sign;
}

/* What the signs in walls bring where M brings none: to baryons, and to quarks with spin. */
static int sign_of_walls(const naik_input *input, const contraction_item *item, int k,
                         const int source[3])
{
    int further[NAIK_DIM], all[4] = {0}, sign = 1;
    const int count = list_sources(item, k, source, all);
    correlator_further(input, count, all, further);
    for (int i = 0; i < count; i++) {
        const naik_input_source *of = &input->sources[all[i]];
        sign *= sign_of_wall(&of->source, site_of(input, count, all, of->x0), further);
    }
    return item->quarks == 1 && item->momentum >= 0 ? 1
                                                    : sign; /* of one source it is there twice */
}

/* How often the momentum of source i is in that of the hadron; of one source, a meson has it in quark and antiquark. */
static int share_of(const contraction_item *item, int i)
{
    const bool baryon = item->kind->what == CONTRACT_BARYON;
    return baryon && item->quarks == 1 ? 3 : baryon ? 1 : item->quarks == 1 ? 0 : i == 0 ? 1 : -1;
}

/* The phase of walls that lie a site further, where M brings none: of their momenta and of that at the sink. Of
 * three-point functions only those at rest are averaged. */
static naik_complex phase_of_walls(const naik_lattice *lattice, const naik_input *input,
                                   const contraction_item *item, const int source[3],
                                   const naik_frame *sink)
{
    int further[NAIK_DIM];
    naik_frame frame = {.cosine = false};
    correlator_further(input, item->three_point == NULL ? item->quarks : 0, source, further);
    for (int mu = 0; mu < NAIK_DIM - 1; mu++) {
        frame.momentum[mu] = sink->momentum[mu];
        for (int i = 0; i < item->quarks; i++) {
            frame.momentum[mu] += share_of(item, i) * input->sources[source[i]].source.momentum[mu];
        }
    }
    return naik_conj(naik_slice_weight(lattice, &frame, further));
}

/* The phase that the meson at the sink of a three-point function brings where it is not counted from the place of its
 * sources. */
static naik_complex phase_of_sink(const naik_lattice *lattice, const naik_input_source *sink,
                                  const int place[NAIK_DIM])
{
    naik_frame frame = {.cosine = false};
    memcpy(frame.origin, sink->x0, sizeof frame.origin);
    memcpy(frame.momentum, sink->source.momentum, sizeof frame.momentum);
    return naik_conj(naik_slice_weight(lattice, &frame, place));
}

naik_complex correlator_factor_of_shift(const naik_lattice *lattice, const naik_input *input,
                                        const contraction_item *item, int k,
                                        const int origin[NAIK_DIM], int t)
{
    int source[3], place[NAIK_DIM], apart[NAIK_DIM], further[NAIK_DIM], at[NAIK_DIM];
    for (int i = 0; i < item->quarks; i++) {
        source[i] = item->source[i] + k;
    }
    if (item->momentum < 0) {
        const bool crossed = origin[3] + t >= input->lattice.size[3];
        const bool baryon = item->kind->what == CONTRACT_BARYON;
        const bool negative = baryon && crossed && input->lattice.antiperiodic_t;
        const naik_frame at_rest = {.cosine = false};
        return naik_cscale((negative ? -1 : 1) * sign_of_walls(input, item, k, source),
                           phase_of_walls(lattice, input, item, source, &at_rest));
    }
    naik_frame frame = correlator_frame(input, item->quarks, source,
                                        contraction_momenta(input, item)->data[item->momentum]);
    correlator_begin(input, item->quarks, source, place);
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        apart[mu] = place[mu] - frame.origin[mu];
    }
    const bool staggered = input->kind->spin == 1;
    correlator_further(input, staggered ? item->quarks : 0, source, further);
    move_further(place, further, at);
    naik_complex phase =
        frame.cosine ? (naik_complex){1, 0} : naik_conj(naik_slice_weight(lattice, &frame, at));
    if (item->three_point != NULL) {
        phase = naik_cmul(phase, phase_of_sink(lattice, &input->sources[source[0]], place));
    }
    if (!staggered) {
        return naik_cscale(sign_of_walls(input, item, k, source),
                           naik_cmul(phase, phase_of_walls(lattice, input, item, source, &frame)));
    }
    return naik_cscale(naik_correlator_sign(item->meson, apart) *
                           sign_of_place(input, item, k, source, place),
                       phase);
}
