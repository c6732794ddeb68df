/* quarks.c - the kinds of quarks, a row each, and what is asked of two quarks */
#include "operator/quark.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "backend/dslash.h"
#include "operator/staggered.h"
#include "operator/wilson_operator.h"

/* ---- numbers */

static double mass_of(const naik_quark *q)
{
    return q->mass;
}

static double epsilon_of(const naik_quark *q)
{
    return q->naik_epsilon;
}

static double kappa_of(const naik_quark *q)
{
    return 1 / (2 * q->mass + 8);
}

static double mu_of(const naik_quark *q)
{
    return q->mu;
}

static double csw_of(const naik_quark *q)
{
    return q->csw;
}

static double u0_of(const naik_quark *q)
{
    return q->u0 > 0 ? q->u0 : 1;
}

/* A coefficient that went over a tadpole improved link three times. */
static double divided_csw_of(const naik_quark *q)
{
    const double u0 = u0_of(q);
    return q->csw / (u0 * u0 * u0);
}

#define NUMBER(word, use)    .name = (word), .uses = (use)
#define IS(of)               .member = offsetof(naik_quark, of)
#define GIVEN(input_key, of) .key = (input_key), IS(of)
#define COUNT(list)          ((int)(sizeof(list) / sizeof(list)[0]))

enum {
    FILED = NAIK_NUMBER_FILE,
    TOLD = NAIK_NUMBER_TOLD,
    EACH = NAIK_NUMBER_FILE | NAIK_NUMBER_HADRON,
    OPERATOR = NAIK_NUMBER_OPERATOR,
    LINKS = NAIK_NUMBER_LINKS | NAIK_NUMBER_OPERATOR
};

/* An epsilon of 0 where no links are made with it: files and inputs have it all the same. */
static const naik_quark_number plain_numbers[] = {
    {NUMBER("mass", EACH | TOLD), .value = mass_of, IS(mass)},
    {NUMBER("naik_epsilon", EACH | TOLD), .value = epsilon_of, IS(naik_epsilon)},
};
static const naik_quark_number asqtad_numbers[] = {
    {NUMBER("mass", EACH | TOLD), .value = mass_of, IS(mass)},
    {NUMBER("naik_epsilon", EACH | TOLD), .value = epsilon_of, IS(naik_epsilon)},
    {NUMBER("u0", LINKS), .value = u0_of, GIVEN("action.u0", u0), .required = true},
};
static const naik_quark_number epsilon_numbers[] = {
    {NUMBER("mass", EACH | TOLD), .value = mass_of, IS(mass)},
    {NUMBER("naik_epsilon", EACH | TOLD | LINKS), .value = epsilon_of, IS(naik_epsilon)},
};
/* The first numbers of all quarks with spin. */
#define SPIN_NUMBERS                                                                               \
    {NUMBER("mass", EACH | TOLD | OPERATOR), .value = mass_of, IS(mass)},                          \
        {NUMBER("naik_epsilon", EACH), .value = epsilon_of, IS(naik_epsilon)},                     \
    {                                                                                              \
        NUMBER("kappa", FILED | TOLD), .value = kappa_of                                           \
    }
static const naik_quark_number wilson_numbers[] = {
    SPIN_NUMBERS,
    {NUMBER("csw", FILED | TOLD), .value = csw_of, IS(csw)},
    {NUMBER("u0", FILED), .value = u0_of, IS(u0)},
};
/* What is told, and what the operator holds, is what multiplies F. */
static const naik_quark_number clover_numbers[] = {
    SPIN_NUMBERS,
    {NUMBER("csw", FILED), .value = csw_of, GIVEN("action.csw", csw), .required = true},
    {NUMBER("csw", TOLD | OPERATOR), .value = divided_csw_of},
    {NUMBER("u0", FILED), .value = u0_of, GIVEN("action.u0", u0)},
};

static const naik_quark_number twisted_mass_numbers[] = {
    SPIN_NUMBERS,
    {NUMBER("mu", EACH | TOLD | OPERATOR), .value = mu_of, GIVEN("action.mu", mu),
     .required = true},
    {NUMBER("csw", FILED), .value = csw_of, GIVEN("action.csw", csw)},
    {NUMBER("csw", TOLD | OPERATOR), .value = divided_csw_of},
    {NUMBER("u0", FILED), .value = u0_of, GIVEN("action.u0", u0)},
};

/* ---- rows */

#define STAGGERED(list)                                                                            \
    .ops = &naik_operator_staggered, .spin = 1, .columns = 3, .reals = 6, .stride = 2,             \
    .numbers = (list), .number_count = COUNT(list), .solvers = {"cg"}, .low_modes = true,          \
    .equation = "(2 mass + D) solution = source",                                                  \
    .normalisation = "M G = source, M = 2 m + D, D without factor 1/2",                            \
    .index_order = "[source colour][t][z][y][x][sink colour]", .column = "source colour"

enum { NEAREST = NAIK_STENCIL / 2 }; /* stencil points without those of three hops */

/* flops as naik_dslash_flops(points) */
#define STAGGERED_COSTS(points)                                                                    \
    .flops = (points)*66 + ((points)-1) * 6, .steps = 1, .roof = 1, .by_mass = true,               \
    .origin = "model fitted to h200.txt bench=cg and bench=dslash lines",                          \
    .origin_elsewhere =                                                                            \
        "model of h200.txt with this machine's bandwidths: predicted, not measured"

static const naik_quark_kind naive = {.name = "naive",
                                      STAGGERED(plain_numbers),
                                      .points = NAIK_STENCIL / 2,
                                      .links = NAIK_QUARK_FATTENED,
                                      .smearing = NAIK_NAIVE,
                                      .costs = {STAGGERED_COSTS(NEAREST)}};
/* links_s: bench=links of tests/results/h200.txt */
static const naik_quark_kind asqtad = {.name = "asqtad",
                                       STAGGERED(asqtad_numbers),
                                       .points = NAIK_STENCIL,
                                       .links = NAIK_QUARK_FATTENED,
                                       .smearing = NAIK_ASQTAD,
                                       .costs = {STAGGERED_COSTS(NAIK_STENCIL), .links_s = 0.0253}};

#define HISQ                                                                                       \
    STAGGERED(epsilon_numbers), .points = NAIK_STENCIL, .links = NAIK_QUARK_FATTENED,              \
                                .costs = {STAGGERED_COSTS(NAIK_STENCIL), .links_s = 0.0358}
static const naik_quark_kind hisq_su3 = {.name = "hisq_su3", HISQ, .smearing = NAIK_HISQ_SU3};
static const naik_quark_kind hisq = {.name = "hisq", HISQ, .smearing = NAIK_HISQ, .su3 = &hisq_su3};

static const naik_quark_kind links = {.name = "links",
                                      STAGGERED(epsilon_numbers),
                                      .points = NAIK_STENCIL,
                                      .links = NAIK_QUARK_STORED,
                                      .costs = {STAGGERED_COSTS(NAIK_STENCIL)}};

static const naik_quark_fact spin_facts[] = {{"gamma_basis", "DeGrand-Rossi"},
                                             {"hop", "1-gamma forward"}};
/* roof, passes: of h100.txt, bench=dslash and bench=bicgstab with action=wilson. The share of the
 * staggered roofs, which follow the copy's bandwidth, is that of 8 and 12 spinors (0.97 in double,
 * 0.86 in single precision); 17 passes over spinors are counted beside the four D. */
#define WILSON(list, diagonal)                                                                     \
    .ops = &naik_operator_wilson, .spin = NAIK_SPIN, .columns = 3 * NAIK_SPIN,                     \
    .reals = 6 * NAIK_SPIN, .points = NAIK_STENCIL / 2, .stride = 1, .batch = 3 * NAIK_SPIN,       \
    .links = NAIK_QUARK_THIN, .numbers = (list), .number_count = COUNT(list), .facts = spin_facts, \
    .fact_count = COUNT(spin_facts), .short_links = true,                                          \
    .equation = "(" diagonal " - D/2) solution = source, D with 1 - gamma on the forward hop, no " \
                "kappa\ngamma basis DeGrand-Rossi",                                                \
    .normalisation = "mass: M G = source, M = " diagonal " - D/2",                                 \
    .index_order = "[source spin][source colour][t][z][y][x][sink spin][sink colour]",             \
    .column = "3 source spin + colour"

#define WILSON_COSTS(factors, count)                                                               \
    .flops = NAIK_WILSON_FLOPS, .block_flops = (factors)*NAIK_CLOVER_FLOPS,                        \
    .block_factors = (factors), .steps = 2, .roof = 0.88, .passes = (count),                       \
    .origin = "model of h200.txt bench=dslash and bench=bicgstab action=wilson lines",             \
    .origin_elsewhere = "model of h200.txt action=wilson with this machine's bandwidths: "         \
                        "predicted, not measured"

static const naik_quark_kind wilson = {.name = "wilson",
                                       WILSON(wilson_numbers, "m + 4 + C"),
                                       .solvers = {"bicgstab", "cg"},
                                       .costs = {WILSON_COSTS(1, 18)}};
static const naik_quark_kind clover = {.name = "clover",
                                       WILSON(clover_numbers, "m + 4 + C"),
                                       .solvers = {"bicgstab", "cg"},
                                       .costs = {WILSON_COSTS(1, 18)}};
/* The eigenvalues of M lie around i mu as well, where BiCGStab takes ten times the iterations of the
 * normal equations, or fails; those pass over 13 spinors. */
static const naik_quark_kind twisted_mass = {.name = "twisted_mass",
                                             WILSON(twisted_mass_numbers, "m + 4 + C + i mu g5"),
                                             .solvers = {"cg", "bicgstab"},
                                             .costs = {WILSON_COSTS(2, 14)}};

#define ROWS(DO)                                                                                   \
    DO(naive), DO(asqtad), DO(hisq), DO(links), DO(wilson), DO(clover), DO(twisted_mass)
#define ROW(kind)  &kind
#define WORD(kind) #kind
const naik_quark_kind *const naik_quark_kinds[NAIK_QUARK_KINDS] = {ROWS(ROW)};
const char *const naik_quark_words[NAIK_QUARK_KINDS + 1] = {ROWS(WORD), NULL};

/* ---- questions */

const naik_quark_kind *naik_quark_kind_of(const char *name)
{
    for (int i = 0; i < NAIK_QUARK_KINDS; i++) {
        const naik_quark_kind *kind = naik_quark_kinds[i];
        if (strcmp(kind->name, name) == 0) {
            return kind;
        }
        if (kind->su3 != NULL && strcmp(kind->su3->name, name) == 0) {
            return kind->su3;
        }
    }
    return NULL;
}

void naik_quark_set(naik_quark *quark, const naik_quark_number *number, double value)
{
    memcpy((char *)quark + number->member, &value, sizeof value);
}

const naik_quark_number *naik_quark_number_of(const naik_quark_kind *kind, const char *name)
{
    for (int i = 0; i < kind->number_count; i++) {
        if (strcmp(kind->numbers[i].name, name) == 0) {
            return &kind->numbers[i];
        }
    }
    return NULL;
}

double naik_quark_csw(const naik_quark *quark)
{
    return divided_csw_of(quark);
}

const double *naik_quark_twist(const naik_quark *quark)
{
    const double *twist = quark->twist;
    return twist[0] != 0 || twist[1] != 0 || twist[2] != 0 ? twist : NULL;
}

bool naik_quark_agrees(const naik_quark *a, const naik_quark *b, unsigned uses)
{
    bool same = a->kind == b->kind;
    for (int i = 0; i < a->kind->number_count && same; i++) {
        const naik_quark_number *number = &a->kind->numbers[i];
        same = (number->uses & uses) == 0 || number->value(a) == number->value(b);
    }
    return same;
}

static bool has_same_twist(const naik_quark *a, const naik_quark *b)
{
    return a->twist[0] == b->twist[0] && a->twist[1] == b->twist[1] && a->twist[2] == b->twist[2];
}

bool naik_quark_shares_links(const naik_quark *a, const naik_quark *b)
{
    return naik_quark_agrees(a, b, NAIK_NUMBER_LINKS);
}

bool naik_quark_shares_operator(const naik_quark *a, const naik_quark *b)
{
    return naik_quark_agrees(a, b, NAIK_NUMBER_OPERATOR) && has_same_twist(a, b);
}

bool naik_quark_is(const naik_quark *a, const naik_quark *b)
{
    /* the mass first: most quarks of an input differ in it */
    return a->mass == b->mass && naik_quark_agrees(a, b, ~0U) && has_same_twist(a, b);
}

int naik_quark_first_of_links(const naik_quark *quarks, int q)
{
    int first = 0;
    while (!naik_quark_shares_links(&quarks[first], &quarks[q])) {
        first++;
    }
    return first;
}

void naik_quark_text(const naik_quark *quark, const char *between, int digits,
                     char text[NAIK_QUARK_TEXT])
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < quark->kind->number_count; i++) {
        const naik_quark_number *number = &quark->kind->numbers[i];
        if ((number->uses & NAIK_NUMBER_TOLD) != 0 && used < NAIK_QUARK_TEXT) {
            used += (size_t)snprintf(text + used, NAIK_QUARK_TEXT - used, "%s%s %.*g",
                                     used > 0 ? between : "", number->name, digits,
                                     number->value(quark));
        }
    }
}
