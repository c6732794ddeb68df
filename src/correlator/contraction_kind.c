/* contraction_kind.c - the kinds of contractions: definitions and functions, from the propagators of a lattice */
#include "correlator/contraction_kind.h"

#include "propagator/contract.h"
#include "propagator/spin_meson.h"
#include "propagator/spin_taste.h"

static naik_status meson(const contraction_work *w, naik_complex *out)
{
    return naik_contract_meson(w->lattice, (naik_meson)w->meson, &w->frame, w->propagator[0],
                               w->propagator[1], out);
}

static naik_status displaced_meson(const contraction_work *w, naik_complex *out)
{
    return naik_contract_meson(w->lattice, NAIK_PION5, &w->frame, w->propagator[0],
                               w->propagator[1], out);
}

static naik_status conserved_current(const contraction_work *w, naik_complex *out)
{
    return naik_current_sum(w->current, &w->frame, out);
}

static naik_status meson_of_walls(const contraction_work *w, naik_complex *out)
{
    naik_contract_walls(w->wall[0], w->wall[1], w->lattice->size[3], out);
    return NAIK_OK;
}

static naik_status three_point(const contraction_work *w, naik_complex *out)
{
    return naik_correlator_is_current(w->meson) ? conserved_current(w, out)
           : w->meson < (int)NAIK_MESONS        ? meson(w, out)
                                                : displaced_meson(w, out);
}

static naik_status spin_three_point(const contraction_work *w, naik_complex *out)
{
    return naik_correlator_is_current(w->meson)
               ? conserved_current(w, out)
               : naik_spin_current_correlator(w->lattice, w->meson, w->at_source, &w->frame,
                                              w->propagator[0], w->propagator[1], out);
}

static naik_status spin_meson(const contraction_work *w, naik_complex *out)
{
    return naik_spin_meson_correlator(w->lattice, (naik_spin_meson)(w->meson - NAIK_MESONS),
                                      &w->frame, w->propagator[0], w->propagator[1], out);
}

static naik_status spin_meson_of_current(const contraction_work *w, naik_complex *out)
{
    return naik_spin_current_correlator(w->lattice, w->meson,
                                        (int)NAIK_MESONS + (int)NAIK_SPIN_SCALAR, &w->frame,
                                        w->propagator[0], w->propagator[1], out);
}

static naik_status spin_meson_of_walls(const contraction_work *w, naik_complex *out)
{
    naik_spin_meson_of_walls((naik_spin_meson)(w->meson - NAIK_MESONS), w->wall[0], w->wall[1],
                             w->lattice->size[3], out);
    return NAIK_OK;
}

static naik_status baryon(const contraction_work *w, naik_complex *out)
{
    return naik_staggered_baryon(w->lattice, (naik_baryon)w->baryon, w->shifts, w->corner,
                                 w->propagator, out);
}

static naik_status spin_baryon(const contraction_work *w, naik_complex *out)
{
    return naik_spin_baryon(w->lattice, (naik_baryon)w->baryon, w->propagator, out);
}

/* The operator is on the quark, which is the conjugated one here, as of a meson it is on the antiquark. */
static naik_status loop(const contraction_work *w, naik_complex *out)
{
    contraction_work turned = *w;
    turned.propagator[0] = w->propagator[1];
    turned.propagator[1] = w->propagator[0];
    for (int k = 0; k < NAIK_DIM - 1; k++) {
        turned.frame.momentum[k] = -w->frame.momentum[k];
    }
    if (naik_correlator_is_current(w->meson)) {
        return conserved_current(w, out);
    }
    NAIK_PASS(w->meson < (int)NAIK_MESONS ? meson(&turned, out) : displaced_meson(&turned, out));
    for (int t = 0; t < w->lattice->size[3]; t++) {
        out[t] = naik_conj(out[t]);
    }
    return NAIK_OK;
}

/* With H = g5 and g5 src in place of the antiquark's propagator the trace is src^+ J S. */
static naik_status spin_loop(const contraction_work *w, naik_complex *out)
{
    return naik_correlator_is_current(w->meson)
               ? conserved_current(w, out)
               : naik_spin_current_correlator(w->lattice, w->meson,
                                              (int)NAIK_MESONS + (int)NAIK_SPIN_PION, &w->frame,
                                              w->propagator[0], w->propagator[1], out);
}

static naik_status condensate(const contraction_work *w, naik_complex *out)
{
    const int64_t vector = (int64_t)w->lattice->sites * w->quarks->reals;
    for (int column = 0; column < w->quarks->columns; column++) {
        NAIK_PASS(naik_source_fill(w->lattice, w->source, column % 3, w->spare));
        if (w->quarks->spin > 1) {
            naik_source_to_spin(w->lattice, column / 3, w->spare);
        }
        NAIK_PASS(naik_contract_source(w->lattice, w->quarks->spin, w->spare,
                                       w->propagator[0] + column * vector, out));
    }
    return NAIK_OK;
}

#define STAGGERED_CURRENT                                                                          \
    "sum over x of w(x - x0) J(x), the conserved current from x on of G_quark and the "            \
    "antiquark's "                                                                                 \
    "eps(x - x0) G (current.h), with the links of D; no 1/V"
#define CURRENT_OF_SPIN                                                                            \
    "sum over x of w(x - x0) J(x), the conserved current from x on of S_quark and the "            \
    "antiquark's "                                                                                 \
    "H g5 S^+ g5 (current.h), H = g_mu at the source, with the links of D; no 1/V, no sign"

static const contraction_kind kinds[] = {
    {.what = CONTRACT_MESON,
     .quarks = 2,
     .sink = {[NAIK_INPUT_SINK_POINT] = {meson, "sum over x of w(x - x0) phi(x - x0) Tr G_quark "
                                                "G_antiquark^+; no 1/V"},
              [NAIK_INPUT_SINK_WALL] = {meson_of_walls,
                                        "Tr W_quark W_antiquark^+, W(t) = sum over x of G; no 1/V"},
              [NAIK_INPUT_SINK_COVARIANT_GAUSSIAN] =
                  {meson, "sum over x of w(x - x0) phi(x - x0) Tr G_quark G_antiquark^+, both G "
                          "smeared at x by a gauge-covariant gaussian; no 1/V"}}},
    {.what = CONTRACT_SPIN_TASTE,
     .quarks = 1,
     .sink = {{displaced_meson, "sum over x of w(x - x0) Tr G (O G)^+, O of the correlator "
                                "(spin_taste.h), with thin links; no 1/V"}}},
    {.what = CONTRACT_SPIN_TASTE,
     .quarks = 2,
     .sink = {[NAIK_INPUT_SINK_POINT] = {displaced_meson,
                                         "sum over x of w(x - x0) Tr G_quark (O G_antiquark)^+, O "
                                         "of the correlator (spin_taste.h), with thin links; no "
                                         "1/V"},
              [NAIK_INPUT_SINK_COVARIANT_GAUSSIAN] =
                  {displaced_meson,
                   "sum over x of w(x - x0) Tr G_quark (O G_antiquark)^+, O of the correlator "
                   "(spin_taste.h), with thin links, on both G smeared by a gauge-covariant "
                   "gaussian; no 1/V"}}},
    {.what = CONTRACT_CURRENT, .quarks = 1, .sink = {{conserved_current, STAGGERED_CURRENT}}},
    {.what = CONTRACT_CURRENT, .quarks = 2, .sink = {{conserved_current, STAGGERED_CURRENT}}},
    {.what = CONTRACT_CURRENT,
     .quarks = 1,
     .spin = true,
     .sink = {{conserved_current, CURRENT_OF_SPIN}}},
    {.what = CONTRACT_CURRENT,
     .quarks = 2,
     .spin = true,
     .sink = {{conserved_current, CURRENT_OF_SPIN}}},
    {.what = CONTRACT_THREE_POINT,
     .quarks = 2,
     .sink =
         {{three_point,
           "sum over x of w(x - x0) Tr S (O G_parent)^+, M_daughter S = w'(z - x0) phi(z - x0) "
           "(-1)^(z - x0) G_spectator on the sink's time slice, phi of the sink's operator, O of "
           "the correlator (spin_taste.h), or its conserved current (current.h); no 1/V"}}},
    {.what = CONTRACT_THREE_POINT,
     .quarks = 2,
     .spin = true,
     .sink =
         {{spin_three_point,
           "sum over x of w(x - x0) tr g5 J S H g5 S_parent^+, M_daughter S = w'(z - x0) G "
           "S_spectator on the sink's time slice, J of the correlator, or its conserved current "
           "(current.h), G and H of the operators at sink and source "
           "(spin_meson.h); no 1/V, no sign"}}},
    {.what = CONTRACT_LOOP,
     .quarks = 1,
     .sink = {{loop,
               "sum over x of w(x) and colours of src^+ O G, O of the correlator without the "
               "antiquark's (-1)^(x+y+z+t) (spin_taste.h), or its conserved current "
               "(current.h), M = 2m + D, counted from the lattice's origin; no 1/V, no sign"}}},
    {.what = CONTRACT_LOOP,
     .quarks = 1,
     .spin = true,
     .sink = {{spin_loop,
               "sum over x of w(x), spins and colours of src^+ J S, J of the correlator, "
               "or its conserved current (current.h), counted from the lattice's origin; "
               "no 1/V, no sign"}}},
    {.what = CONTRACT_BARYON, .quarks = 1, .sink = {{baryon, NULL}}},
    {.what = CONTRACT_BARYON, .quarks = 3, .sink = {{baryon, NULL}}},
    {.what = CONTRACT_CONDENSATE,
     .quarks = 1,
     .name = "condensate",
     .sink = {{condensate, "sum over x and colours of src^+ G: Tr M^-1 of the sites that carry "
                           "noise, M = 2m + D; no 1/V, no sign"}}},
    {.what = CONTRACT_MESON,
     .quarks = 1,
     .spin = true,
     .sink = {{spin_meson, "sum over x of w(x - x0) tr g5 G S H g5 S^+, G and H of the correlator "
                           "(spin_meson.h); no 1/V, no sign"}}},
    {.what = CONTRACT_MESON,
     .quarks = 2,
     .spin = true,
     .sink =
         {[NAIK_INPUT_SINK_POINT] = {spin_meson,
                                     "sum over x of w(x - x0) tr g5 G S_quark H g5 S_antiquark^+, "
                                     "G and H of the correlator (spin_meson.h); no 1/V, no sign"},
          [NAIK_INPUT_SINK_WALL] = {spin_meson_of_walls,
                                    "tr g5 G W_quark H g5 W_antiquark^+, W(t) = sum over x of S, G "
                                    "and H of the correlator (spin_meson.h); no 1/V, no sign"},
          [NAIK_INPUT_SINK_COVARIANT_GAUSSIAN] =
              {spin_meson, "sum over x of w(x - x0) tr g5 G S_quark H g5 S_antiquark^+, G and H of "
                           "the correlator (spin_meson.h), both S smeared at x by a "
                           "gauge-covariant gaussian; no 1/V, no sign"}}},
    {.what = CONTRACT_MESON_OF_CURRENT,
     .quarks = 2,
     .spin = true,
     .sink = {[NAIK_INPUT_SINK_POINT] = {spin_meson_of_current,
                                         "sum over x of w(x - x0) tr g5 G S_quark g5 "
                                         "S_antiquark^+, G of the correlator (spin_meson.h), a "
                                         "conserved current at the source in place of H; no 1/V, "
                                         "no sign"},
              [NAIK_INPUT_SINK_COVARIANT_GAUSSIAN] =
                  {spin_meson_of_current,
                   "sum over x of w(x - x0) tr g5 G S_quark g5 S_antiquark^+, G of the "
                   "correlator (spin_meson.h), both S smeared at x by a gauge-covariant gaussian, "
                   "a conserved current at the source in place of H; no 1/V, no sign"}}},
    {.what = CONTRACT_CURRENT_OF_CURRENT,
     .quarks = 2,
     .spin = true,
     .sink = {{conserved_current,
               "sum over x of w(x - x0) J(x), the conserved current from x on of S_quark and the "
               "antiquark's g5 S^+ g5 (current.h), with the links of D, another at the source in "
               "place of H and no contact term; no 1/V, no sign"}}},
    {.what = CONTRACT_BARYON, .quarks = 1, .spin = true, .sink = {{spin_baryon, NULL}}},
    {.what = CONTRACT_BARYON, .quarks = 3, .spin = true, .sink = {{spin_baryon, NULL}}},
    {.what = CONTRACT_CONDENSATE,
     .quarks = 1,
     .spin = true,
     .name = "condensate",
     .sink =
         {{condensate,
           "sum over x, spins and colours of src^+ S: Tr M^-1 of the sites that "
           "carry noise, M = m + 4 + C - D/2, and + i mu g5 of twisted_mass; no 1/V, no sign"}}},
};

const contraction_kind *contraction_kind_of(contraction_what what, int quarks,
                                            const naik_quark_kind *kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].what == what && kinds[i].quarks == quarks &&
            kinds[i].spin == (kind->spin > 1)) {
            return &kinds[i];
        }
    }
    return NULL;
}
