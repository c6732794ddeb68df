/* quarks.c - the kinds of quarks, a row each */
#include <stddef.h>

#include "backend/dslash.h"
#include "operator/quark.h"
#include "operator/set.h"
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
    {NUMBER("u0", LINKS), .value = naik_quark_u0, GIVEN("action.u0", u0), .required = true},
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
    {NUMBER("u0", FILED), .value = naik_quark_u0, IS(u0)},
};
/* What is told, and what the operator holds, is what multiplies F. */
static const naik_quark_number clover_numbers[] = {
    SPIN_NUMBERS,
    {NUMBER("csw", FILED), .value = csw_of, GIVEN("action.csw", csw), .required = true},
    {NUMBER("csw", TOLD | OPERATOR), .value = naik_quark_csw},
    {NUMBER("u0", FILED), .value = naik_quark_u0, GIVEN("action.u0", u0)},
};

static const naik_quark_number twisted_mass_numbers[] = {
    SPIN_NUMBERS,
    {NUMBER("mu", EACH | TOLD | OPERATOR), .value = mu_of, GIVEN("action.mu", mu),
     .required = true},
    {NUMBER("csw", FILED), .value = csw_of, GIVEN("action.csw", csw)},
    {NUMBER("csw", TOLD | OPERATOR), .value = naik_quark_csw},
    {NUMBER("u0", FILED), .value = naik_quark_u0, GIVEN("action.u0", u0)},
};

/* ---- rows */

#define STAGGERED(list)                                                                            \
    .ops = &naik_operator_staggered, .spin = 1, .columns = 3, .reals = 6, .stride = 2,             \
    .numbers = (list), .number_count = COUNT(list), .solvers = {"cg"}, .low_modes = true,          \
    .equation = "(2 mass + D) solution = source",                                                  \
    .normalisation = "M G = source, M = 2 m + D, D without factor 1/2",                            \
    .index_order = "[source colour][t][z][y][x][sink colour]", .column = "source colour",          \
    .make_set = naik_fat_set_make, .set_bytes = naik_fat_set_bytes

enum { NEAREST = NAIK_STENCIL / 2 }; /* stencil points without those of three hops */

/* flops as naik_dslash_flops(points) */
#define STAGGERED_COSTS(points)                                                                    \
    .flops = (points)*66 + ((points)-1) * 6, .steps = 1, .roof = 1, .by_mass = true,               \
    .origin =                                                                                      \
        "from a model fitted to the lines bench=cg and bench=dslash of tests/results/h200.txt",    \
    .origin_elsewhere =                                                                            \
        "from a model fitted to tests/results/h200.txt, with the bandwidths of this machine: "     \
        "predicted, not measured"

const naik_quark_kind naik_kind_naive = {.name = "naive",
                                         STAGGERED(plain_numbers),
                                         .points = NAIK_STENCIL / 2,
                                         .links = NAIK_QUARK_FATTENED,
                                         .smearing = NAIK_NAIVE,
                                         .costs = {STAGGERED_COSTS(NEAREST)}};
/* links_s: bench=links of tests/results/h200.txt */
const naik_quark_kind naik_kind_asqtad = {
    .name = "asqtad",
    STAGGERED(asqtad_numbers),
    .points = NAIK_STENCIL,
    .links = NAIK_QUARK_FATTENED,
    .smearing = NAIK_ASQTAD,
    .costs = {STAGGERED_COSTS(NAIK_STENCIL), .links_s = 0.0253}};

#define HISQ                                                                                       \
    STAGGERED(epsilon_numbers), .points = NAIK_STENCIL, .links = NAIK_QUARK_FATTENED,              \
                                .costs = {STAGGERED_COSTS(NAIK_STENCIL), .links_s = 0.0358}
static const naik_quark_kind hisq_su3 = {.name = "hisq_su3", HISQ, .smearing = NAIK_HISQ_SU3};
const naik_quark_kind naik_kind_hisq = {
    .name = "hisq", HISQ, .smearing = NAIK_HISQ, .su3 = &hisq_su3};

const naik_quark_kind naik_kind_links = {.name = "links",
                                         STAGGERED(epsilon_numbers),
                                         .points = NAIK_STENCIL,
                                         .links = NAIK_QUARK_STORED,
                                         .costs = {STAGGERED_COSTS(NAIK_STENCIL)}};

static const naik_quark_fact spin_facts[] = {{"gamma_basis", "DeGrand-Rossi"},
                                             {"hop", "1-gamma forward"}};
/* roof, passes: of h100.txt and h200.txt, bench=dslash and bench=bicgstab with action=wilson. 8 and 12
 * spinors reach 0.69 of the staggered roof in double precision, 0.62 to 0.65 in single; 17 passes over
 * spinors are counted beside the four D. */
#define WILSON(list, diagonal)                                                                     \
    .ops = &naik_operator_wilson, .spin = NAIK_SPIN, .columns = 3 * NAIK_SPIN,                     \
    .reals = 6 * NAIK_SPIN, .points = NAIK_STENCIL / 2, .stride = 1, .batch = 3 * NAIK_SPIN,       \
    .links = NAIK_QUARK_THIN, .numbers = (list), .number_count = COUNT(list), .facts = spin_facts, \
    .fact_count = COUNT(spin_facts), .short_links = true,                                          \
    .equation = "(" diagonal " - D/2) solution = source, D with 1 - gamma on the forward hop, no " \
                "kappa\ngamma basis DeGrand-Rossi",                                                \
    .normalisation = "mass: M G = source, M = " diagonal " - D/2",                                 \
    .index_order = "[source spin][source colour][t][z][y][x][sink spin][sink colour]",             \
    .column = "3 source spin + colour", .make_set = naik_thin_set_make,                            \
    .set_bytes = naik_thin_set_bytes

#define WILSON_COSTS(factors, count)                                                               \
    .flops = NAIK_WILSON_FLOPS, .block_flops = (factors)*NAIK_CLOVER_FLOPS,                        \
    .block_factors = (factors), .steps = 2, .roof = 0.68, .passes = (count),                       \
    .origin =                                                                                      \
        "from a model of the lines bench=dslash and bench=bicgstab of tests/results/h200.txt",     \
    .origin_elsewhere =                                                                            \
        "from a model fitted to tests/results/h200.txt, with the bandwidths of this machine: "     \
        "predicted, not measured"

const naik_quark_kind naik_kind_wilson = {.name = "wilson",
                                          WILSON(wilson_numbers, "m + 4 + C"),
                                          .solvers = {"bicgstab", "cg"},
                                          .costs = {WILSON_COSTS(1, 18)}};
const naik_quark_kind naik_kind_clover = {.name = "clover",
                                          WILSON(clover_numbers, "m + 4 + C"),
                                          .solvers = {"bicgstab", "cg"},
                                          .costs = {WILSON_COSTS(1, 18)}};
/* The eigenvalues of M lie around i mu as well, where BiCGStab takes ten times the iterations of the
 * normal equations, or fails; those pass over 13 spinors. */
const naik_quark_kind naik_kind_twisted_mass = {.name = "twisted_mass",
                                                WILSON(twisted_mass_numbers, "m + 4 + C + i mu g5"),
                                                .solvers = {"cg", "bicgstab"},
                                                .costs = {WILSON_COSTS(2, 14)}};
