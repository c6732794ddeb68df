/* contraction_spec.c - a correlator of several solves: what a file says of it */
#include "correlator/contraction_spec.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "correlator/frame.h"

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
        naik_text_append(masses, sizeof masses, "%sm%02d", k > 0 ? "-" : "", item->mass[k]);
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
