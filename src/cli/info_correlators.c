/* info_correlators.c - `naik info FILE --correlators[=fnal]`: the correlators of a propagator file as text */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/correlator_facts.h"
#include "cli/info_parts.h"
#include "input/input.h"
#include "io/prop/reader.h"

/* " from=1,0,3,3 weight=exp": what sign and momentum are counted from. */
static void count_text(const int x0[NAIK_DIM], const int p[NAIK_DIM - 1], bool waves, char text[96])
{
    const bool moving = naik_input_is_moving(p);
    snprintf(text, 96, " from=%d,%d,%d,%d%s", x0[0], x0[1], x0[2], x0[3],
             !moving ? ""
             : waves ? " weight=exp"
                     : " weight=cos");
}

/* values [T][2]; two empty lines end a block. */
static void print_values(naik_log *log, const naik_propagator_reader *v, const double *values)
{
    for (int t = 0; t < v->size[NAIK_DIM - 1]; t++) {
        naik_log_line(log, "%d %.16e %.16e", t, values[2 * t], values[2 * t + 1]);
    }
    naik_log_line(log, "\n");
}

/* With its imaginary part, as those of several solves, so that all have three columns. */
static void print_correlator(naik_log *log, const naik_propagator_reader *v,
                             const naik_reader_pair *pair, const naik_reader_correlator *c)
{
    int failed = 0;
    char twist[96], count[96], quark[NAIK_QUARK_NAME];
    for (int colour = 0; colour < v->columns; colour++) {
        failed += pair->solve[colour].state == NAIK_SOLVE_NOT_CONVERGED;
    }
    naik_propagator_twist_text(pair->quark.twist, " twist=", twist);
    count_text(pair->counted_from, c->momentum, pair->waves, count);
    naik_log_line(log, "# %s source=%s %s naik_epsilon=%.10g%s momentum=%d,%d,%d%s%s", c->meson,
                  pair->label, naik_quark_fields(&pair->quark, "", 10, quark),
                  pair->quark.naik_epsilon, twist, c->momentum[0], c->momentum[1], c->momentum[2],
                  count, failed > 0 ? " not converged" : "");
    print_values(log, v, c->values);
}

enum { THREE_TEXT = NAIK_CONTRACTION_TEXT + 320 + NAIK_QUARK_NAME };

/* " spectator=pt spectator_mass=0.1 sink_time=6 ...": of a three-point function. */
static void three_point_text(const naik_reader_contraction *c, char text[THREE_TEXT])
{
    const int *q = c->sink_momentum;
    char twist[96], quark[NAIK_QUARK_NAME];
    text[0] = '\0';
    if (c->three_point) {
        naik_propagator_twist_text(c->spectator.quark.twist, " spectator_twist=", twist);
        snprintf(
            text, THREE_TEXT,
            " spectator=%s %s spectator_naik_epsilon=%.10g%s sink_time=%d "
            "sink_operator=%s sink_momentum=%d,%d,%d%s%s",
            c->spectator.source, naik_quark_fields(&c->spectator.quark, "spectator_", 10, quark),
            c->spectator.quark.naik_epsilon, twist, c->sink_time, c->sink_operator, q[0], q[1],
            q[2], c->source_operator[0] != '\0' ? " source_operator=" : "", c->source_operator);
    }
}

/* Of several solves: /corr/NAME/... */
static void print_contraction(naik_log *log, const naik_propagator_reader *v,
                              const naik_reader_contraction *c)
{
    static const char *const names[2][2] = {{"antiquark", ""}, {"second", "third"}};
    char others[2 * (NAIK_CONTRACTION_TEXT + 240 + NAIK_QUARK_NAME)] = "", twist[96],
                                                   count[96] = "";
    char three[THREE_TEXT], quark[NAIK_QUARK_NAME];
    const naik_contracted_quark *first = &c->quark[0];
    static const char root[] = "/corr/";
    const char *name = strncmp(c->path, root, strlen(root)) == 0 ? c->path + strlen(root) : c->path;
    for (int k = 1; k < c->quarks; k++) {
        const char *role = names[c->quarks - 2][k - 1];
        char before[32], prefix[32];
        snprintf(prefix, sizeof prefix, "%s_", role);
        snprintf(before, sizeof before, " %s_twist=", role);
        naik_propagator_twist_text(c->quark[k].quark.twist, before, twist);
        naik_text_append(others, sizeof others, " %s=%s %s %s_naik_epsilon=%.10g%s", role,
                         c->quark[k].source,
                         naik_quark_fields(&c->quark[k].quark, prefix, 10, quark), role,
                         c->quark[k].quark.naik_epsilon, twist);
    }
    naik_propagator_twist_text(first->quark.twist, " twist=", twist);
    three_point_text(c, three);
    if (c->counted) {
        count_text(c->counted_from, c->momentum, strcmp(c->weight, "exp") == 0, count);
    }
    naik_log_line(log,
                  "# %s source=%s %s naik_epsilon=%.10g%s%s%s%s%s name=%.*s "
                  "momentum=%d,%d,%d%s%s%s%s",
                  c->correlator, first->source, naik_quark_fields(&first->quark, "", 10, quark),
                  first->quark.naik_epsilon, twist, others, three,
                  c->sink[0] != '\0' ? " sink=" : "", c->sink, (int)strcspn(name, "/"), name,
                  c->momentum[0], c->momentum[1], c->momentum[2], count,
                  strcmp(c->quantity, "correlator") == 0 ? ""
                  : strcmp(c->quantity, "loop") == 0     ? " "
                                                         : " over sources: ",
                  strcmp(c->quantity, "correlator") != 0 ? c->quantity : "",
                  correlator_unconverged(v, c) > 0 ? " not converged" : "");
    print_values(log, v, c->values);
}

static int print_all(naik_log *log, const naik_propagator_reader *v)
{
    int printed = 0;
    for (int i = 0; i < v->pair_count; i++) {
        const naik_reader_pair *pair = &v->pairs[i];
        for (int k = 0; k < pair->correlator_count; k++) {
            print_correlator(log, v, pair, &pair->correlators[k]);
            printed++;
        }
    }
    for (int i = 0; i < v->contractions.count; i++) {
        print_contraction(log, v, &v->contractions.item[i]);
        printed++;
    }
    return printed;
}

static naik_status print(naik_log *log, const naik_propagator_reader *v, bool fnal)
{
    int damaged = v->contractions.bad + (v->edited[0] != '\0');
    for (int i = 0; i < v->pair_count; i++) {
        damaged += v->pairs[i].correlators_damaged;
    }
    const int printed = fnal ? fnal_text_print(log, v) : print_all(log, v);
    if (damaged > 0) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "%s is damaged, and what disagrees was left out: see naik info", v->path);
    }
    if (!v->complete && printed > 0) {
        naik_log_warn(log,
                      "%s is not complete: correlators of solves that are not done are missing",
                      v->path);
    } else if (!v->complete) {
        return NAIK_FAIL(log, NAIK_ERR_INTERRUPTED,
                         "%s is not complete, and no correlator is there yet: run the same naik "
                         "solve again to continue it",
                         v->path);
    }
    return printed > 0 ? NAIK_OK
                       : NAIK_FAIL(log, NAIK_ERR_INPUT, "%s holds no correlators", v->path);
}

naik_status info_correlators(naik_comm *comm, const char *path, bool fnal)
{
    naik_status status = NAIK_OK;
    naik_propagator_reader *view = NULL;
    if (comm->rank == 0) {
        status = naik_propagator_reader_open(comm->log, path, 0, INT_MAX, &view);
        status = status == NAIK_OK ? print(comm->log, view, fnal) : status;
    }
    naik_propagator_reader_destroy(&view);
    return naik_comm_agree(comm, status);
}
