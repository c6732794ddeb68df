/* contraction_spec.c - a correlator of several solves: what a file says of it, and its sign and phase on the way to t = 0 */
#include "contract/contraction_spec.h"

#include <stdio.h>
#include <string.h>

#include "contract/baryon_kind.h"
#include "contract/frame.h"
#include "lattice/source_kind.h"
#include "propagator/slice_sums.h"
#include "propagator/spin_taste.h"

static const struct {
    const char *word, *quantity, *definition; /* NULL: that of the kind */
    const char *of_loops[2]; /* the same of loops, which are of noise fields and not of sources */
} statistics[] = {
    [CONTRACTION_VALUE] = {NULL, "correlator", NULL, {"loop", NULL}},
    [CONTRACTION_MEAN] = {"mean",
                          "mean",
                          "mean over sources, each shifted to t = 0",
                          {"loop mean", "mean over noise fields of the sum over their parts"}},
    [CONTRACTION_ERROR] = {"error",
                           "standard error",
                           "standard error of that mean, of real and imaginary part",
                           {"loop standard error",
                            "standard error of that mean, of real and imaginary part"}},
    [CONTRACTION_CORRECTED] = {"mean",
                               "mean",
                               "sloppy_mean + correction: unbiased, each source shifted to t = 0",
                               {NULL, NULL}},
    [CONTRACTION_CORRECTED_ERROR] = {"error",
                                     "standard error",
                                     "standard error of that mean, of real and imaginary part",
                                     {NULL, NULL}},
    [CONTRACTION_SLOPPY] = {"sloppy_mean",
                            "sloppy mean",
                            "mean over sources solved to tolerance_sloppy, each shifted to t = 0",
                            {NULL, NULL}},
    [CONTRACTION_SLOPPY_ERROR] = {"sloppy_error",
                                  "sloppy standard error",
                                  "standard error of sloppy_mean, of real and imaginary part",
                                  {NULL, NULL}},
    [CONTRACTION_CORRECTION] = {"correction",
                                "correction",
                                "mean over exact_sources of exact minus sloppy, each shifted to t "
                                "= 0",
                                {NULL, NULL}},
    [CONTRACTION_CORRECTION_ERROR] = {"correction_error",
                                      "correction standard error",
                                      "standard error of correction, of real and imaginary part",
                                      {NULL, NULL}},
    [CONTRACTION_LOW_MEAN] = {"mean",
                              "mean",
                              "low + rest: low modes from all sites, the rest from the sources, "
                              "each shifted to t = 0",
                              {"loop mean", "low + rest: low modes exactly, the rest from noise"}},
    [CONTRACTION_LOW_ERROR] =
        {"error",
         "standard error",
         "standard error of rest, and so of mean, of real and imaginary part",
         {"loop standard error",
          "standard error of rest over noise fields, and so of mean, of real and imaginary part"}},
    [CONTRACTION_LOW] = {"low",
                         "low modes",
                         "what low modes alone give, in the mean over point sources on all sites",
                         {"loop low modes",
                          "the trace with what low modes alone give of M^-1, over the sites "
                          "that carry noise"}},
    [CONTRACTION_REST] =
        {"rest",
         "rest",
         "mean over sources of the correlator minus what low modes alone give from "
         "that source, each shifted to t = 0",
         {"loop rest",
          "mean over noise fields of the loop minus what low modes alone give from that noise"}},
    [CONTRACTION_FIELD] = {NULL,
                           NULL,
                           NULL,
                           {"loop field", "low modes exactly, the rest from one noise field"}},
    [CONTRACTION_SUM] = {NULL, NULL, NULL, {"loop sum", "sum over the sources of diluted noise"}},
};

static const naik_input_solve *entry_of(const naik_input *input, int source)
{
    return &input->solve[input->sources[source].solve];
}

const naik_vectors *contraction_momenta(const naik_input *input, const contraction_item *item)
{
    return item->three_point != NULL ? &item->three_point->momenta
           : item->quarks == 1       ? &entry_of(input, item->source[0])->momenta
                                     : &input->output.momenta;
}

static void describe_sink(const contraction_item *item, naik_contraction *out)
{
    if (item->sink == NAIK_INPUT_SINK_WALL) {
        out->sink = "wall";
    } else if (item->sink == NAIK_INPUT_SINK_COVARIANT_GAUSSIAN) {
        out->sink = "covariant_gaussian";
        out->sink_radius = item->radius;
        out->sink_iterations = item->iterations;
    }
}

/* Masses, epsilons and labels of its quarks. */
static void describe(const naik_input *input, const contraction_item *item, naik_contraction *out)
{
    const bool averaged = item->statistic != CONTRACTION_VALUE;
    out->quarks = item->quarks;
    for (int k = 0; k < item->quarks; k++) {
        const naik_input_solve *solve = entry_of(input, item->source[k]);
        snprintf(out->quark[k].source, sizeof out->quark[k].source, "%s",
                 averaged ? solve->name : input->sources[item->source[k]].label);
        out->quark[k].quark =
            *naik_input_quark(input, input->sources[item->source[k]].solve, item->mass[k]);
    }
    if (item->momentum >= 0) {
        const naik_frame frame =
            correlator_frame(input, item->quarks, item->source,
                             contraction_momenta(input, item)->data[item->momentum]);
        memcpy(out->momentum, frame.momentum, sizeof out->momentum);
        out->weight = frame.cosine ? "cos" : "exp";
        out->counted = !averaged;
        memcpy(out->counted_from, frame.origin, sizeof out->counted_from);
        if (item->kind->what == CONTRACT_LOOP) {
            memset(out->counted_from, 0, sizeof out->counted_from);
        }
    }
}

/* What a three-point function has beside its current. */
static void describe_three_point(const naik_input *input, const contraction_item *item,
                                 naik_contraction *out)
{
    const naik_input_three_point *three = item->three_point;
    if (three == NULL) {
        return;
    }
    const naik_input_source *source = &input->sources[item->spectator[0]];
    const bool averaged = item->statistic != CONTRACTION_VALUE;
    out->three_point = true;
    snprintf(out->spectator.source, sizeof out->spectator.source, "%s",
             averaged ? input->solve[source->solve].name : source->label);
    out->spectator.quark = *naik_input_quark(input, source->solve, item->spectator[1]);
    out->sink_time = item->sink_time;
    memcpy(out->sink_momentum, item->sink_momentum, sizeof out->sink_momentum);
    out->sink_operator = naik_input_correlator_name(three->sink);
    out->source_operator = input->kind->spin > 1 ? naik_input_correlator_name(three->source) : NULL;
}

/* /corr/FOLDER/m00-m01/pion5/p000, of averages with the word of the statistic behind it; of three-point functions
 * /corr/FOLDER/T06/m00-m01-m02/pion5/p000, masses of parent, spectator and daughter, and T06_p100 with a momentum
 * at the sink. */
static void set_path(const naik_input *input, const contraction_item *item, const char *folder,
                     naik_contraction *out)
{
    static const int at_rest[NAIK_DIM - 1] = {0, 0, 0};
    const char *word = statistics[item->statistic].word;
    char masses[128] = "", p[64] = "";
    for (int k = 0; k < item->quarks; k++) {
        const size_t used = strlen(masses);
        snprintf(masses + used, sizeof masses - used, "%sm%02d", k > 0 ? "-" : "", item->mass[k]);
    }
    if (item->three_point != NULL) {
        naik_propagator_momentum_name(item->sink_momentum, p);
        snprintf(masses, sizeof masses, "T%02d%s%s/m%02d-m%02d-m%02d", item->sink_time,
                 naik_input_is_moving(item->sink_momentum) ? "_" : "",
                 naik_input_is_moving(item->sink_momentum) ? p : "", item->mass[1],
                 item->spectator[1], item->mass[0]);
    }
    if (item->meson >= 0) {
        const int *momentum =
            item->momentum < 0 ? at_rest : contraction_momenta(input, item)->data[item->momentum];
        naik_propagator_momentum_name(momentum, p);
    }
    snprintf(out->path, sizeof out->path, "/corr/%s/%s/%s%s%s%s%s%s", folder, masses,
             item->kind->what == CONTRACT_LOOP ? "loop/" : "", out->correlator,
             p[0] != '\0' ? "/" : "", p, word != NULL ? "/" : "", word != NULL ? word : "");
}

/* A current has MILC's label: G1-G1, where a meson is pion05. */
static const char *correlator_name(const contraction_item *item)
{
    const bool loop = item->kind->what == CONTRACT_LOOP;
    return item->kind->name != NULL              ? item->kind->name
           : item->kind->what == CONTRACT_BARYON ? naik_input_baryon_name(item->baryon)
           : (loop || item->three_point != NULL) && item->meson < (int)NAIK_MESONS
               ? naik_meson_label((naik_meson)item->meson)
               : naik_input_correlator_name(item->meson);
}

/* What is known of an average of truncated solves. */
static void describe_truncated(const naik_input *input, const contraction_item *item,
                               naik_contraction *out)
{
    const naik_input_average *average = item->average;
    if (average != NULL && average->type == NAIK_INPUT_TRUNCATED_SOLVES) {
        out->exact_count = average->subset.count;
        out->exact = average->subset.data;
        out->source_count = input->solve[average->of].origins.count;
        out->tolerance = input->solve[average->exact].tolerance;
        out->tolerance_sloppy = average->tolerance_sloppy;
    }
}

int contraction_place(const naik_input *input, const contraction_item *item)
{
    const naik_input_solve *solve = entry_of(input, item->source[0]);
    int place = 0;
    while (solve->correlators.data[place] != item->meson) {
        place++;
    }
    return place * solve->momenta.count + item->momentum;
}

contraction_statistic contraction_first(const contraction_item *item)
{
    return item->average == NULL                                ? CONTRACTION_MEAN
           : item->average->type == NAIK_INPUT_TRUNCATED_SOLVES ? CONTRACTION_CORRECTED
                                                                : CONTRACTION_LOW_MEAN;
}

int contraction_family(const contraction_item *item)
{
    return item->average == NULL ? CONTRACTION_CORRECTED - CONTRACTION_MEAN
           : item->average->type == NAIK_INPUT_TRUNCATED_SOLVES
               ? CONTRACTION_LOW_MEAN - CONTRACTION_CORRECTED
               : CONTRACTION_STATISTICS - CONTRACTION_LOW_MEAN;
}

bool contraction_follows(const contraction_item *item)
{
    return item->statistic != CONTRACTION_VALUE && item->statistic != CONTRACTION_SUM &&
           (item->average == NULL || item->average->type == NAIK_INPUT_TRUNCATED_SOLVES);
}

static const char *definition_of(const naik_input *input, const contraction_item *item)
{
    const char *all = item->kind->what == CONTRACT_LOOP ? statistics[item->statistic].of_loops[1]
                                                        : statistics[item->statistic].definition;
    return all != NULL ? all
           : item->kind->what == CONTRACT_BARYON
               ? baryon_definition(item->baryon, input->kind->spin > 1, item->quarks)
               : item->kind->sink[item->sink].definition;
}

/* A loop is no correlator: readers would take it for the meson of that name, and shift it to the time of its noise. */
static const char *quantity_of(const contraction_item *item)
{
    return item->kind->what == CONTRACT_LOOP ? statistics[item->statistic].of_loops[0]
                                             : statistics[item->statistic].quantity;
}

void contraction_describe(const naik_input *input, const contraction_item *item, const char *folder,
                          naik_contraction *out)
{
    *out = (naik_contraction){.correlator = correlator_name(item),
                              .quantity = quantity_of(item),
                              .definition = definition_of(input, item),
                              .follows = contraction_follows(item)};
    describe_sink(item, out);
    describe(input, item, out);
    describe_three_point(input, item, out);
    describe_truncated(input, item, out);
    set_path(input, item, folder, out);
}

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
                sign_of_operator(item->three_point->sink, of->x0, &lie);
        sign *=
            naik_meson_sign(NAIK_PION05, lie.further); /* operators are counted without gamma5 */
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
    const naik_complex phase =
        frame.cosine ? (naik_complex){1, 0} : naik_conj(naik_slice_weight(lattice, &frame, at));
    if (!staggered) {
        return naik_cscale(sign_of_walls(input, item, k, source),
                           naik_cmul(phase, phase_of_walls(lattice, input, item, source, &frame)));
    }
    return naik_cscale(naik_correlator_sign(item->meson, apart) *
                           sign_of_place(input, item, k, source, place),
                       phase);
}
