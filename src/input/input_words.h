/* input_words.h - words of the input's choices, in the order of their enums, and what its sections
 * are; for input_table.c */
#ifndef NAIK_INPUT_INPUT_WORDS_H
#define NAIK_INPUT_INPUT_WORDS_H

#include <assert.h>

#include "input/input.h"
#include "lattice/source_kind.h"
#include "propagator/baryon.h"
#include "solver/bicgstab.h"

static const char *const boundaries[] = {"periodic", "antiperiodic", NULL};
static const char *const mismatches[] = {"stop", "warn", NULL};
static const char *const projections[] = {"u3", "su3", NULL};
static const char *const methods[] = {"bicgstab", "cg", "multigrid", "auto", NULL};
static const char *const link_numbers[] = {"18", "12", "8", NULL};
static const char *const switches[] = {
    [NAIK_INPUT_CHOOSE] = "auto", [NAIK_INPUT_ON] = "on", [NAIK_INPUT_OFF] = "off", NULL};
static const char *const precisions[] = {"auto", "double", "single", "half", NULL};
static const char *const verifications[] = {"residual", "double_check", NULL};
static const char *const backends[] = {"auto", "cpu", "gpu", NULL};
static const char *const launches[] = {"auto", "separate", "fused", "graph", "fused_graph", NULL};
static const char *const transports[] = {"auto", "peer", "mpi_device", "staged", NULL};
static const char *const progresses[] = {"auto", "lines", "off", NULL};
static const char *const noises[] = {"z2", "u1", "gaussian", "z3", "z4", NULL};
static const char *const subsets[] = {"full", "even", "odd", "corner", NULL};
#define MESONS                                                                                     \
    "pion5", "pion05", "rhox", "rhoy", "rhoz", "rhox0", "rhoy0", "rhoz0", "GT-GT", "G5T-G5T",      \
        "GYZ-GYZ", "GZX-GZX", "GXY-GXY", "G5X-G5X", "G5Y-G5Y", "G5Z-G5Z", "pion", "rho_x",         \
        "rho_y", "rho_z", "scalar", "a0", "ps505", "a1_x", "t_xy"
#define TASTES(spin)                                                                               \
    spin "-G1", spin "-GX", spin "-GY", spin "-GXY", spin "-GZ", spin "-GZX", spin "-GYZ",         \
        spin "-G5T", spin "-GT", spin "-GXT", spin "-GYT", spin "-G5Z", spin "-GZT", spin "-G5Y",  \
        spin "-G5X", spin "-G5"
static const char *const mesons[] = {MESONS, NULL};
/* The mesons, operators with links, and currents: NAIK_FIRST_SPIN_TASTE, NAIK_FIRST_CURRENT. */
#define CORRELATORS                                                                                \
    MESONS, TASTES("G1"), TASTES("GX"), TASTES("GY"), TASTES("GXY"), TASTES("GZ"), TASTES("GZX"),  \
        TASTES("GYZ"), TASTES("G5T"), TASTES("GT"), TASTES("GXT"), TASTES("GYT"), TASTES("G5Z"),   \
        TASTES("GZT"), TASTES("G5Y"), TASTES("G5X"), TASTES("G5"), "conserved_vector_x",           \
        "conserved_vector_y", "conserved_vector_z", "conserved_vector_t"
static const char *const correlators[] = {CORRELATORS, NULL};
#define MORE_CORRELATORS "conserved_vector_x, _y, _z, _t and labels such as GX-G1"
/* The correlators, and matrices of quarks with spin: NAIK_FIRST_GAMMA. */
static const char *const operators[] = {CORRELATORS, "G1",  "GX",  "GY",  "GXY", "GZ",
                                        "GZX",       "GYZ", "G5T", "GT",  "GXT", "GYT",
                                        "G5Z",       "GZT", "G5Y", "G5X", "G5",  NULL};
/* MILC's labels of those that have a name. */
static const char *const meson_labels[] = {"G5-G5",   "G1-G1",   "GX-GX",   "GY-GY", "GZ-GZ",
                                           "GXT-GXT", "GYT-GYT", "GZT-GZT", NULL};
static const char *const dilutions[] = {"time", "even_odd", NULL};
static const char *const weights[] = {"exp", "cos", NULL};
static const char *const baryons[] = {"nucleon",          "delta",
                                      "lambda",           "nucleon_odd_parity",
                                      "delta_odd_parity", "lambda_odd_parity",
                                      "delta_coulomb",    "nucleon_000",
                                      "nucleon_100",      "nucleon_010",
                                      "nucleon_110",      "nucleon_001",
                                      "nucleon_101",      "nucleon_011",
                                      "nucleon_111",      NULL};
#define MORE_BARYONS "nucleon_000 to nucleon_111"
static const char *const averages[] = {"truncated_solves", "low_modes", NULL};
static const char *const sinks[] = {[NAIK_INPUT_SINK_POINT] = "point",
                                    [NAIK_INPUT_SINK_WALL] = "wall",
                                    [NAIK_INPUT_SINK_COVARIANT_GAUSSIAN] = "covariant_gaussian",
                                    NULL};
/* The words stand in the order of the enums. */
static_assert((int)NAIK_METHOD_CG == 1 && (int)NAIK_METHOD_MULTIGRID == 2 &&
                  (int)NAIK_METHOD_AUTO == 3 && (int)NAIK_INPUT_HALF == 3,
              "words follow enums");
static_assert((int)NAIK_INPUT_BACKEND_GPU == 2 && (int)NAIK_TRANSPORT_STAGED == 3,
              "words follow enums");
static_assert((int)NAIK_NOISE_Z4 == 4 && (int)NAIK_SUBSET_CORNER == 3 && (int)NAIK_G5Z_G5Z == 15 &&
                  (int)NAIK_MESONS == 16 && (int)NAIK_SPIN_MESONS == 9 &&
                  sizeof correlators / sizeof *correlators == (int)NAIK_CORRELATORS + 1 &&
                  sizeof baryons / sizeof *baryons == (int)NAIK_BARYONS + 1 &&
                  sizeof operators / sizeof *operators ==
                      (int)NAIK_FIRST_GAMMA + (int)NAIK_GAMMAS + 1,
              "words follow enums");
static_assert(sizeof(naik_source_type) == sizeof(int), "a choice is stored as an int");

static const char *const sections[] = {
    "lattice",
    "the lattice",
    "gauge",
    "the configuration, in any format that naik reads",
    "action",
    "the quarks, all of one action: staggered quarks with fat and long links, or quarks with spin",
    "solve",
    "a list: each entry is one set of sources and masses",
    "pairs",
    "a list: mesons of a quark and an antiquark from different entries of solve",
    "baryons",
    "a list: baryons of three quarks from different entries of solve",
    "three_point",
    "a list: three-point functions, a current between two mesons",
    "averages",
    "a list: averages over many sources that cost less than exact solves of all of them",
    "solver",
    "accuracy and effort of all solves",
    "deflation",
    "low modes of the operator, which shorten solves of light staggered quarks",
    "multigrid",
    "settings of solver.method multigrid and auto; no key here needs a value",
    "output",
    "the file of propagators and correlators",
    "run",
    "how to run; only run.backend changes bits of the answer",
    NULL};

#endif
