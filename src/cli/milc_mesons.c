/* milc_mesons.c - quarks and meson correlators of a ks_spectrum input
 *
 * naik contracts every propagator with itself, for every meson and momentum asked for anywhere in
 * the file: where the file asks for fewer, there are more correlators in the output, not others.
 */
#include <limits.h>
#include <string.h>

#include "base/text.h"
#include "cli/milc_input.h"

static naik_status quark(milc_words *w, milc_input *in, int first_propagator, int first_quark)
{
    naik_status status = NAIK_OK;
    int parent = 0;
    char label[MILC_WORD_SIZE];
    if (in->quark_count >= MILC_MAX_PROPAGATORS) {
        return milc_words_refuse(w, w->word_line, "more than %d quarks", MILC_MAX_PROPAGATORS);
    }
    NAIK_TRY(milc_words_take(w, "propagator or quark"));
    if (strcmp(w->word, "propagator") == 0) {
        NAIK_TRY(milc_words_int(w, "propagator", 0, in->propagator_count - first_propagator - 1,
                                &parent));
        in->quarks[in->quark_count] = first_propagator + parent;
    } else if (strcmp(w->word, "quark") == 0) {
        NAIK_TRY(milc_words_int(w, "quark", 0, in->quark_count - first_quark - 1, &parent));
        in->quarks[in->quark_count] = in->quarks[first_quark + parent];
    } else {
        return milc_words_refuse(w, w->word_line,
                                 "'%s' cannot be expressed; a quark is a propagator here", w->word);
    }
    NAIK_TRY(milc_words_take(w, "identity"));
    if (strcmp(w->word, "identity") != 0) {
        return milc_words_refuse(w, w->word_line,
                                 "the sink operation '%s' cannot be expressed, only identity; "
                                 "save the propagators and contract with naik_io.py",
                                 w->word);
    }
    NAIK_TRY(milc_words_text(w, "op_label", label));
    NAIK_TRY(milc_words_take(w, "forget_ksprop"));
    if (strcmp(w->word, "forget_ksprop") != 0) {
        return milc_words_refuse(w, w->word_line,
                                 "'%s' cannot be expressed; save the propagator instead of the "
                                 "quark, write forget_ksprop here",
                                 w->word);
    }
    in->quark_count++;
done:
    return status;
}

static naik_status add_momentum(milc_words *w, milc_input *in, const int p[NAIK_DIM - 1])
{
    for (int i = 0; i < in->momentum_count; i++) {
        if (memcmp(in->momenta[i], p, sizeof in->momenta[i]) == 0) {
            return NAIK_OK;
        }
    }
    if (in->momentum_count >= MILC_MAX_MOMENTA) {
        return milc_words_refuse(w, w->word_line, "more than %d momenta", MILC_MAX_MOMENTA);
    }
    memcpy(in->momenta[in->momentum_count++], p, sizeof in->momenta[0]);
    return NAIK_OK;
}

/* Each component must enter as a cosine (E). For a vanishing one EO, the exponential, says the
 * same; where one alone does not vanish, the cosine is its real part: *real_part. */
static naik_status parities(milc_words *w, const int p[NAIK_DIM - 1], bool *real_part)
{
    naik_status status = NAIK_OK;
    const int moving = (p[0] != 0) + (p[1] != 0) + (p[2] != 0);
    *real_part = false;
    for (int k = 0; k < NAIK_DIM - 1; k++) {
        NAIK_TRY(milc_words_take(w, "the parity of a momentum"));
        const bool both = strcmp(w->word, "EO") == 0;
        if (strcmp(w->word, "E") != 0 && (!both || (p[k] != 0 && moving > 1))) {
            return milc_words_refuse(
                w, w->word_line,
                "the momentum parity '%s' cannot be expressed, only E (cosine), and EO of a "
                "momentum along one axis",
                w->word);
        }
        *real_part = *real_part || (both && p[k] != 0);
    }
done:
    return status;
}

/* correlator LABEL MOMENTUM_LABEL PHASE * FACTOR MESON px py pz Px Py Pz */
static naik_status correlator(milc_words *w, milc_input *in, const int offset[NAIK_DIM])
{
    naik_status status = NAIK_OK;
    char label[MILC_WORD_SIZE], phase[MILC_WORD_SIZE];
    int p[NAIK_DIM - 1];
    double factor = 0;
    bool real_part = false;
    NAIK_TRY(milc_words_text(w, "correlator", label));
    const int line = w->word_line;
    NAIK_TRY(milc_words_take(w, "the label of the momentum"));
    NAIK_TRY(milc_words_take(w, "the phase"));
    memcpy(phase, w->word, sizeof phase);
    NAIK_TRY(milc_words_take(w, "* or /"));
    const bool divided = strcmp(w->word, "/") == 0;
    if (!divided && strcmp(w->word, "*") != 0) {
        return milc_words_refuse(w, line, "expected * or / and a factor, found '%s'", w->word);
    }
    NAIK_TRY(milc_words_take(w, "the factor"));
    if (!naik_text_real(w->word, &factor)) {
        return milc_words_refuse(w, line, "the factor must be a number, not '%s'", w->word);
    }
    NAIK_TRY(milc_words_take(w, "the meson"));
    const bool pion5 = strcmp(w->word, "pion5") == 0;
    if (!pion5 && strcmp(w->word, "pion05") != 0) {
        return milc_words_refuse(w, line,
                                 "the meson '%s' of %s cannot be expressed, only pion5 and pion05; "
                                 "save the propagators and contract with naik_io.py",
                                 w->word, label);
    }
    for (int k = 0; k < NAIK_DIM - 1; k++) {
        NAIK_TRY(milc_words_int(w, "momentum", -99, 99, &p[k]));
    }
    NAIK_TRY(parities(w, p, &real_part));
    const bool shifted = offset[0] != 0 || offset[1] != 0 || offset[2] != 0;
    if (shifted && (p[0] != 0 || p[1] != 0 || p[2] != 0)) {
        return milc_words_refuse(w, line,
                                 "a momentum with an r_offset in space cannot be expressed; naik "
                                 "takes phases from the origin of the lattice");
    }
    if ((offset[0] + offset[1] + offset[2] + offset[3]) % 2 != 0 && !pion5) {
        return milc_words_refuse(w, line,
                                 "pion05 with an odd r_offset cannot be expressed; naik takes its "
                                 "signs from the origin of the lattice");
    }
    in->pion5 = in->pion5 || pion5;
    in->pion05 = in->pion05 || !pion5;
    if (strcmp(phase, "1") != 0 || factor != 1) {
        fprintf(in->notes, "line %d: %s is written without its factor %s %s %.17g\n", line, label,
                phase, divided ? "/" : "*", factor);
    }
    if (real_part) {
        fprintf(in->notes, "line %d: of %s at %d %d %d the real part is written (parity E)\n", line,
                label, p[0], p[1], p[2]);
    }
    NAIK_TRY(add_momentum(w, in, p));
done:
    return status;
}

static naik_status meson(milc_words *w, milc_input *in, int first_quark)
{
    naik_status status = NAIK_OK;
    int pair[2], offset[NAIK_DIM], count = 0;
    NAIK_TRY(milc_words_ints(w, "pair", 2, 0, in->quark_count - first_quark - 1, pair));
    if (in->quarks[first_quark + pair[0]] != in->quarks[first_quark + pair[1]]) {
        return milc_words_refuse(w, w->word_line,
                                 "'pair %d %d' of two different propagators cannot be expressed; "
                                 "save them and contract with naik_io.py",
                                 pair[0], pair[1]);
    }
    NAIK_TRY(milc_words_key(w, "spectrum_request"));
    NAIK_TRY(milc_words_take(w, "meson"));
    if (strcmp(w->word, "meson") != 0) {
        return milc_words_refuse(w, w->word_line,
                                 "'spectrum_request %s' cannot be expressed, only meson", w->word);
    }
    NAIK_TRY(milc_words_take(w, "save_corr_fnal or forget_corr"));
    if (strcmp(w->word, "save_corr_fnal") == 0) {
        NAIK_TRY(milc_words_take(w, "the name of the correlator file"));
    } else if (strcmp(w->word, "forget_corr") != 0) {
        return milc_words_refuse(w, w->word_line,
                                 "expected 'save_corr_fnal' or 'forget_corr', found '%s'", w->word);
    }
    NAIK_TRY(milc_words_ints(w, "r_offset", NAIK_DIM, 0, 32767, offset));
    if (offset[3] != 0) {
        fprintf(in->notes, "line %d: correlators run over t of the lattice, not from r_offset\n",
                w->word_line);
    }
    NAIK_TRY(milc_words_ints(w, "number_of_correlators", 1, 0, 1000, &count));
    for (int i = 0; i < count; i++) {
        NAIK_TRY(correlator(w, in, offset));
    }
done:
    return status;
}

naik_status milc_mesons_read(milc_words *w, milc_input *in, int first_propagator)
{
    naik_status status = NAIK_OK;
    const int first_quark = in->quark_count;
    int count = 0;
    milc_words_stanza(w, "quarks", -1);
    NAIK_TRY(milc_words_ints(w, "number_of_quarks", 1, 0, MILC_MAX_PROPAGATORS, &count));
    for (int i = 0; i < count; i++) {
        milc_words_stanza(w, "quark", i);
        NAIK_TRY(quark(w, in, first_propagator, first_quark));
    }
    milc_words_stanza(w, "mesons", -1);
    NAIK_TRY(milc_words_ints(w, "number_of_mesons", 1, 0, MILC_MAX_PROPAGATORS, &count));
    for (int i = 0; i < count; i++) {
        milc_words_stanza(w, "meson", i);
        NAIK_TRY(meson(w, in, first_quark));
    }
done:
    return status;
}
