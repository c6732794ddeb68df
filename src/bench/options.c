/* options.c - the options of `naik bench` */
#include "base/options.h"

#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "bench/bench.h"
#include "input/input.h"

static const char *const precisions[] = {
    [NAIK_DOUBLE] = "double", [NAIK_SINGLE] = "single", [NAIK_HALF] = "half", NULL};
static const char *const transports[] = {"auto", "peer", "mpi_device", "staged", NULL};
const char *const bench_backends[] = {"auto", "cpu", "gpu", NULL};
static const char *const links[] = {"random", "random-hisq", "unit", NULL};
const char *const bench_actions[] = {[NAIK_NAIVE] = "naive",
                                     [NAIK_ASQTAD] = "asqtad",
                                     [NAIK_HISQ] = "hisq",
                                     [NAIK_HISQ_SU3] = "hisq_su3",
                                     [BENCH_WILSON] = "wilson",
                                     [BENCH_CLOVER] = "clover",
                                     NULL};
static const char *const recons[] = {"18", "13", "12", "9", "8", "6", NULL};
static const int recon_numbers[] = {18, 13, 12, 9, 8, 6};
static const char *const site_threads[] = {"auto", "1", "3", "4", "12", "all", NULL};
static const int threads_of[] = {0, 1, 3, 4, 12, BENCH_EACH};
static const char *const launch_modes[] = {[NAIK_LAUNCH_AUTO] = "auto",
                                           [NAIK_LAUNCH_SEPARATE] = "separate",
                                           [NAIK_LAUNCH_FUSED] = "fused",
                                           [NAIK_LAUNCH_GRAPH] = "graph",
                                           [NAIK_LAUNCH_FUSED_GRAPH] = "fused_graph",
                                           [NAIK_LAUNCH_FUSED_GRAPH + 1] = "all",
                                           NULL};
static const char *const inner[] = {[NAIK_INPUT_AUTO] = "auto",
                                    [NAIK_INPUT_DOUBLE] = "double",
                                    [NAIK_INPUT_SINGLE] = "single",
                                    [NAIK_INPUT_HALF] = "half",
                                    NULL};
static const char *const sources[] = {"random", "point", NULL};
static const char *const rungs[] = {"half", "single", "classical", "double", NULL};

/* What is typed, some of it not yet as bench_options has it. */
typedef struct typed {
    bench_options o;
    int recon, per_site; /* words of `recons`, `site_threads` */
    const char *nrhs, *mass, *masses;
} typed;

typedef struct row {
    const char *name;
    naik_option_kind kind;
    size_t offset; /* in typed */
    const char *const *choices;
    double min, max;
} row;

#define AT(member) .offset = offsetof(typed, member)
static const row rows[] = {
    {"size", NAIK_OPTION_EXTENTS, AT(o.size)},
    {"links", NAIK_OPTION_CHOICE, AT(o.links), .choices = links},
    {"action", NAIK_OPTION_CHOICE, AT(o.action), .choices = bench_actions},
    {"precision", NAIK_OPTION_CHOICE, AT(o.precision), .choices = precisions},
    {"link-precision", NAIK_OPTION_CHOICE, AT(o.link_precision), .choices = precisions},
    {"inner-precision", NAIK_OPTION_CHOICE, AT(o.inner_precision), .choices = inner},
    {"rung", NAIK_OPTION_CHOICE, AT(o.first_rung), .choices = rungs},
    {"gauge", NAIK_OPTION_TEXT, AT(o.gauge)},
    {"source", NAIK_OPTION_CHOICE, AT(o.source), .choices = sources},
    {"recon", NAIK_OPTION_CHOICE, AT(recon), .choices = recons},
    {"nrhs", NAIK_OPTION_TEXT, AT(nrhs)},
    {"modes", NAIK_OPTION_INT, AT(o.modes), .min = 1, .max = NAIK_MODES_MAX},
    {"batch", NAIK_OPTION_INT, AT(o.batch), .min = 1, .max = NAIK_MAX_RHS},
    {"backend", NAIK_OPTION_CHOICE, AT(o.backend), .choices = bench_backends},
    {"transport", NAIK_OPTION_CHOICE, AT(o.transport), .choices = transports},
    {"share-gpu", NAIK_OPTION_FLAG, AT(o.share_gpu)},
    {"threads", NAIK_OPTION_INT, AT(o.threads), .min = 1, .max = 100000},
    {"threads-per-site", NAIK_OPTION_CHOICE, AT(per_site), .choices = site_threads},
    {"granularity", NAIK_OPTION_CHOICE, AT(per_site),
     .choices = site_threads}, /* its name before */
    {"launch", NAIK_OPTION_CHOICE, AT(o.launch_mode), .choices = launch_modes},
    {"delta", NAIK_OPTION_REAL, AT(o.delta), .min = 0, .max = 0.999},
    {"csw", NAIK_OPTION_REAL, AT(o.csw), .min = 0, .max = 10},
    {"mass", NAIK_OPTION_TEXT, AT(mass)},
    {"masses", NAIK_OPTION_TEXT, AT(masses)},
    {"tolerance", NAIK_OPTION_REAL, AT(o.tolerance), .min = 1e-15, .max = 1},
    {"max-iterations", NAIK_OPTION_INT, AT(o.max_iterations), .min = 1, .max = 1e6},
    {"temporal-gauge", NAIK_OPTION_FLAG, AT(o.temporal_gauge)},
    {"weak", NAIK_OPTION_FLAG, AT(o.weak)},
    {"strong", NAIK_OPTION_FLAG, AT(o.strong)},
    {"iterations", NAIK_OPTION_INT, AT(o.iterations), .min = 1, .max = 1e6},
    {"grid", NAIK_OPTION_EXTENTS, AT(o.grid)},
    {"repeat", NAIK_OPTION_INT, AT(o.repeat), .min = 1, .max = BENCH_MAX_REPEAT},
    {"time", NAIK_OPTION_REAL, AT(o.time_s), .min = 1e-6, .max = 1e3},
    {"copy-mib", NAIK_OPTION_INT, AT(o.copy_mib), .min = 1, .max = 1 << 20},
    {"file", NAIK_OPTION_TEXT, AT(o.file)},
    {"mpi-info", NAIK_OPTION_TEXT, AT(o.mpi_info)},
    {"alignment", NAIK_OPTION_INT, AT(o.alignment), .min = 0, .max = 1 << 30},
    {"aggregators", NAIK_OPTION_INT, AT(o.aggregators), .min = 0, .max = 1e6},
    {"json", NAIK_OPTION_FLAG, AT(o.json)},
};
#undef AT
enum { ROWS = sizeof rows / sizeof *rows };

static const double LEAST_MASS = 1e-6, LEAST_WILSON_MASS = -3.999;

/* "0.01,0.02" into list, none below `least`; of --masses ascending, and at least two. */
static naik_status parse_masses(naik_log *log, const char *text, bool shared, double least,
                                double list[], int *count)
{
    *count = 0;
    bool good = (shared && *text == '\0') || naik_text_reals(text, BENCH_MAX_LIST, list, count);
    for (int i = 0; good && i < *count; i++) {
        good = list[i] >= least && list[i] <= 1e3 && (!shared || i == 0 || list[i] > list[i - 1]);
    }
    if (!good || (shared && *count == 1)) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "naik bench: --%s %s is no %slist of %d to %d masses, as in 0.01,0.02",
                         shared ? "masses" : "mass", text, shared ? "ascending " : "",
                         shared ? 2 : 1, BENCH_MAX_LIST);
    }
    return NAIK_OK;
}

/* Of quarks with spin: which measurements there are, and what of the options they know. */
static naik_status check_spinors(naik_log *log, const char *command, const typed *t)
{
    const bench_options *o = &t->o;
    const bool either = strcmp(command, "bench dslash") == 0 || strcmp(command, "bench cg") == 0;
    const bool spinors =
        strcmp(command, "bench bicgstab") == 0 || strcmp(command, "bench multigrid") == 0;
    const struct {
        const char *name;
        bool given;
    } staggered[] = {{"inner-precision", o->inner_precision >= 0},
                     {"rung", o->first_rung >= 0},
                     {"source", o->source != 0},
                     {"batch", o->batch > 0},
                     {"launch", o->launch_mode != NAIK_LAUNCH_AUTO},
                     {"masses", t->masses[0] != '\0'}};
    if (!either && spinors != bench_of_spinors(o)) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "naik %s: %s", command,
                         spinors ? "--action is wilson or clover here"
                                 : "--action wilson and clover are for dslash, cg, bicgstab "
                                   "and multigrid");
    }
    for (size_t i = 0; bench_of_spinors(o) && i < sizeof staggered / sizeof *staggered; i++) {
        if (staggered[i].given) {
            return NAIK_FAIL(log, NAIK_ERR_INPUT, "naik %s: --%s is for staggered quarks", command,
                             staggered[i].name);
        }
    }
    if (o->csw >= 0 && o->action != BENCH_CLOVER) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "naik %s: --csw is for --action clover", command);
    }
    if (bench_of_spinors(o) && o->recon != 18 && !naik_recon_keeps_sign(o->recon)) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "naik %s: links of Wilson quarks are stored as 18, 12 or 8 numbers",
                         command);
    }
    if (!bench_of_spinors(o) && o->recon == 8) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "naik %s: links of 8 numbers are for --action wilson and clover", command);
    }
    return NAIK_OK;
}

/* What one option says against another. */
static naik_status check(naik_log *log, const bench_options *o)
{
    if (o->weak && o->strong) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "naik bench: choose one of --weak (--size is that of a rank) and "
                         "--strong (--size is that of the lattice)");
    }
    if (o->temporal_gauge && o->action != NAIK_NAIVE) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "naik bench: --temporal-gauge is for --action naive: %s",
                         bench_of_spinors(o) ? "no kernel of Wilson's hopping term leaves links out"
                                             : "fat links are not 1 in any gauge");
    }
    if (o->gauge != NULL && (o->weak || o->temporal_gauge)) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "naik bench: --gauge takes lattice and links as the file has them: "
                         "not with --%s",
                         o->weak ? "weak" : "temporal-gauge");
    }
    return NAIK_OK;
}

naik_status bench_options_parse(naik_log *log, const char *command, int argc, char **argv,
                                bench_options *o)
{
    typed t = {.o = *o, .nrhs = "1", .mass = "0.05", .masses = ""};
    naik_option options[ROWS] = {{.name = NULL}};
    for (int i = 0; i < ROWS; i++) {
        options[i] = (naik_option){.name = rows[i].name,
                                   .kind = rows[i].kind,
                                   .target = (char *)&t + rows[i].offset,
                                   .choices = rows[i].choices,
                                   .min = rows[i].min,
                                   .max = rows[i].max};
    }
    NAIK_PASS(naik_options_parse(log, command, argc, argv, options, ROWS, NULL, 0, NULL));
    t.o.recon = recon_numbers[t.recon];
    t.o.threads_per_site = threads_of[t.per_site];
    if (t.o.launch_mode > NAIK_LAUNCH_FUSED_GRAPH) {
        t.o.launch_mode = BENCH_EACH;
    }
    *o = t.o;
    NAIK_PASS(check_spinors(log, command, &t));
    NAIK_PASS(check(log, o));
    if ((o->weak || o->strong) && o->iterations == 0) {
        o->iterations = 200;
    }
    NAIK_PASS(parse_masses(log, t.mass, false, bench_of_spinors(o) ? LEAST_WILSON_MASS : LEAST_MASS,
                           o->mass, &o->mass_count));
    NAIK_PASS(parse_masses(log, t.masses, true, LEAST_MASS, o->shared, &o->shared_count));
    if (!naik_text_counts(t.nrhs, 1, NAIK_MAX_RHS, BENCH_MAX_LIST, o->nrhs, &o->nrhs_count)) {
        return NAIK_FAIL(
            log, NAIK_ERR_INPUT,
            "naik bench: --nrhs %s is no list of 1 to %d numbers from 1 to %d, as in 1,8,12",
            t.nrhs, BENCH_MAX_LIST, NAIK_MAX_RHS);
    }
    return NAIK_OK;
}
