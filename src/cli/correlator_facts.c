/* correlator_facts.c - what must stand beside a correlator's numbers wherever they are printed */
#include "cli/correlator_facts.h"

#include <string.h>

#include "input/input.h"

/* "pt" is the source of "pt", "pt/s0000" and "pt/s0001"; with `more` "+exact" of "pt+exact/s0000". */
static bool is_source_of(const char *source, const char *more, const char *label)
{
    const size_t length = strlen(source), rest = strlen(more);
    const bool begins =
        strncmp(source, label, length) == 0 && strncmp(more, label + length, rest) == 0;
    return begins && (label[length + rest] == '\0' || label[length + rest] == '/');
}

static int unconverged(const naik_propagator_reader *view, const naik_contracted_quark *quark,
                       const char *more)
{
    int failed = 0;
    for (int i = 0; i < view->pair_count; i++) {
        const naik_reader_pair *pair = &view->pairs[i];
        const bool meant = is_source_of(quark->source, more, pair->label) &&
                           pair->quark.mass == quark->quark.mass &&
                           pair->quark.naik_epsilon == quark->quark.naik_epsilon;
        for (int column = 0; meant && column < view->columns; column++) {
            failed += pair->solve[column].state == NAIK_SOLVE_NOT_CONVERGED;
        }
    }
    return failed;
}

int correlator_unconverged_quark(const naik_propagator_reader *view,
                                 const naik_contracted_quark *quark)
{
    return unconverged(view, quark, "");
}

int correlator_unconverged(const naik_propagator_reader *view, const naik_reader_contraction *c)
{
    static const char sloppy[] = "sloppy ";
    const bool corrected = c->truncated && strncmp(c->quantity, sloppy, strlen(sloppy)) != 0;
    int failed = c->three_point ? unconverged(view, &c->spectator, "") : 0;
    for (int k = 0; k < c->quarks; k++) {
        failed += unconverged(view, &c->quark[k], "");
        failed += corrected ? unconverged(view, &c->quark[k], NAIK_INPUT_EXACT) : 0;
    }
    return failed;
}

bool correlator_mass_is_shared(const naik_propagator_reader *view, const char *source,
                               const naik_quark *quark)
{
    bool shared = false;
    for (int i = 0; i < view->pair_count; i++) {
        const naik_quark *other = &view->pairs[i].quark;
        shared =
            shared || (strcmp(view->pairs[i].label, source) == 0 && other->mass == quark->mass &&
                       other->naik_epsilon != quark->naik_epsilon);
    }
    return shared;
}
