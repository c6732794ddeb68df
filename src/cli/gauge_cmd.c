/* gauge_cmd.c - naik gauge generate | convert | check | fix */
#include <stdio.h>
#include <string.h>

#include "backend/create.h"
#include "base/options.h"
#include "base/text.h"
#include "base/timer.h"
#include "cli/commands.h"
#include "comm/paths.h"
#include "gauge/gauge_fix.h"
#include "gauge/heatbath.h"
#include "io/output.h"
#include "naik/gauge_io.h"

static const char *const bits[] = {"32", "64", NULL}; /* of --precision */

typedef struct input_field { /* a configuration that was read, and what it told */
    naik_lattice *lattice;
    naik_gauge *gauge;
    naik_gauge_file file;
    naik_gauge_checks checks;
} input_field;

static void release(input_field *in)
{
    naik_gauge_file_clear(&in->file);
    naik_gauge_destroy(&in->gauge);
    naik_lattice_destroy(&in->lattice);
}

/* The file tells the size of the lattice, or --size does: `size`, zero where it was not given. */
static naik_status read_field(naik_comm *comm, const char *path, const int size[NAIK_DIM],
                              bool warn_only, input_field *in)
{
    const naik_gauge_load_options options = {.warn_only = warn_only};
    naik_gauge_file probed = {0};
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_gauge_file_probe_sized(comm, path, size[0] > 0 ? size : NULL, &probed));
    NAIK_TRY(naik_lattice_create(comm, size[0] > 0 ? size : probed.size, NULL, &in->lattice));
    NAIK_TRY(naik_gauge_create(in->lattice, &in->gauge));
    double start_s = naik_time_s();
    NAIK_TRY(naik_gauge_load(path, &options, in->gauge, &in->file, &in->checks));
    double seconds = naik_time_s() - start_s;
    naik_log_line(comm->log, "  read            %.3f s, %.3f GB/s", seconds,
                  (double)in->lattice->volume * 24 * in->file.rows * in->file.precision / 8 * 1e-9 /
                      seconds);
done:
    naik_gauge_file_clear(&probed);
    return status;
}

/* theta of links in a gauge is what they were fixed to, or what their precision keeps; of links in
 * none it is of order 1. */
#define FIXED_THETA 1e-3

/* Which gauge the links are in, if any, beside what the file says of that. */
static naik_status print_gauge(naik_comm *comm, const input_field *in)
{
    double coulomb = 0, landau = 0;
    const char *claim = in->file.gauge_fixing;
    if (!(in->checks.max_unitarity_dev < 1e-3 && in->checks.max_det_dev < 1e-3)) {
        return NAIK_OK; /* no links of which a gauge could be said */
    }
    NAIK_PASS(naik_gauge_divergence(in->gauge, NAIK_DIM - 1, &coulomb));
    NAIK_PASS(naik_gauge_divergence(in->gauge, NAIK_DIM, &landau));
    const bool is_coulomb = coulomb < FIXED_THETA, is_landau = landau < FIXED_THETA;
    naik_log_line(comm->log, "  gauge fixing    theta %.3e (Coulomb), %.3e (Landau): %s", coulomb,
                  landau,
                  is_coulomb && is_landau ? "fixed to both"
                  : is_coulomb            ? "fixed to Coulomb gauge"
                  : is_landau             ? "fixed to Landau gauge"
                                          : "not fixed");
    if (claim[0] != '\0') {
        naik_log_line(comm->log, "                  the file says: %s", claim);
    }
    if ((strncmp(claim, "coulomb", 7) == 0 && !is_coulomb) ||
        (strncmp(claim, "landau", 6) == 0 && !is_landau)) {
        naik_log_warn(comm->log, "the links are not in the gauge that the file names");
    }
    return NAIK_OK;
}

static naik_status check(naik_comm *comm, int argc, char **argv)
{
    static const char *const names[] = {"FILE"};
    const char *path;
    int size[NAIK_DIM] = {0};
    const naik_option options[] = {{.name = "size", .kind = NAIK_OPTION_EXTENTS, .target = size}};
    input_field in = {0};
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_options_parse(comm->log, "gauge check", argc, argv, options, 1, names, 1, &path));
    NAIK_TRY(read_field(comm, path, size, false, &in));
    NAIK_TRY(print_gauge(comm, &in));
    naik_log_line(comm->log, "%s: %s", path,
                  in.file.checksum_known ? "everything agrees"
                                         : "nothing disagrees (no checksum in the file)");
done:
    release(&in);
    return status;
}

static naik_status check_lfn(naik_log *log, const char *lfn, const char *format)
{
    const size_t length = lfn != NULL ? strlen(lfn) : 0;
    if (lfn == NULL) {
        return NAIK_OK;
    }
    if (strcmp(format, "ildg") != 0 && strcmp(format, "naik") != 0) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "--lfn is a name of ILDG's: only --to ildg and --to naik keep it, not %s",
                         format);
    }
    if (length == 0 || length >= sizeof((naik_gauge_file *)0)->lfn) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "--lfn has %zu bytes: it must have 1 to %zu, such as "
                         "lfn://COLLABORATION/ENSEMBLE/CONFIGURATION",
                         length, sizeof((naik_gauge_file *)0)->lfn - 1);
    }
    return NAIK_OK;
}

/* Without --to the output is HDF5, whatever its name: a name of another format is a wrong guess. */
static naik_status check_ending(naik_log *log, const char *path)
{
    static const char *const endings[][2] = {
        {".lime", "ildg"}, {".ildg", "ildg"}, {".nersc", "nersc"}, {".milc", "milc"}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof endings / sizeof *endings; i++) {
        if (strcmp(dot, endings[i][0]) == 0) {
            return NAIK_FAIL(log, NAIK_ERR_INPUT,
                             "the name of '%s' ends in %s, but without --to naik writes its own "
                             "HDF5: give --to %s or --to naik",
                             path, dot, endings[i][1]);
        }
    }
    return NAIK_OK;
}

static naik_status convert(naik_comm *comm, int argc, char **argv)
{
    static const char *const names[] = {"IN", "OUT"};
    static const char *const formats[] = {"naik", "milc",   "nersc", "nersc-3x3",
                                          "ildg", "pyquda", NULL};
    static const char *const answers[] = {"stop", "warn", NULL};
    const char *operand[2], *ensemble = NULL, *lfn = NULL;
    int to = -1, precision = -1, mismatch = 0, size[NAIK_DIM] = {0};
    const naik_option options[] = {
        {.name = "to", .kind = NAIK_OPTION_CHOICE, .target = &to, .choices = formats},
        {.name = "precision", .kind = NAIK_OPTION_CHOICE, .target = &precision, .choices = bits},
        {.name = "on-mismatch",
         .kind = NAIK_OPTION_CHOICE,
         .target = &mismatch,
         .choices = answers},
        {.name = "ensemble", .kind = NAIK_OPTION_TEXT, .target = &ensemble},
        {.name = "size", .kind = NAIK_OPTION_EXTENTS, .target = size},
        {.name = "lfn", .kind = NAIK_OPTION_TEXT, .target = &lfn},
        {.name = "force", .kind = NAIK_OPTION_FLAG, .target = &comm->io.replace}};
    input_field in = {0};
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_options_parse(comm->log, "gauge convert", argc, argv, options,
                                sizeof options / sizeof *options, names, 2, operand));
    if (to < 0) {
        NAIK_TRY(naik_comm_agree(comm, check_ending(comm->log, operand[1])));
        to = 0;
    }
    NAIK_TRY(naik_comm_agree(comm, check_lfn(comm->log, lfn, formats[to])));
    NAIK_TRY(naik_path_refuse_input(comm, "OUT", operand[1], operand, 1));
    NAIK_TRY(naik_output_refuse(comm, "OUT", operand[1]));
    NAIK_TRY(read_field(comm, operand[0], size, mismatch == 1, &in));
    const naik_gauge_meta meta = {
        .ensemble = ensemble, .lfn = lfn, .source_path = operand[0], .source = &in.file};
    int out_bits = precision < 0 ? in.file.precision : precision == 0 ? 32 : 64;
    if (precision < 0 && out_bits == 64 && strcmp(formats[to], "milc") == 0) {
        naik_log_warn(comm->log, "MILC v5 files hold single precision: the links are rounded");
        out_bits = 32;
    }
    NAIK_TRY(naik_gauge_write(operand[1], formats[to], in.gauge, out_bits, &meta));
    naik_log_line(comm->log, "wrote %s (%s, %d bit), read again and verified", operand[1],
                  formats[to], out_bits);
done:
    release(&in);
    return status;
}

typedef struct recipe { /* of a quenched configuration */
    int size[NAIK_DIM];
    double beta;
    uint64_t seed;
    int sweeps, over_relaxations;
    int start; /* 0 cold, 1 hot */
} recipe;

static naik_status thermalise(naik_gauge *gauge, const recipe *r)
{
    naik_log *log = gauge->lattice->comm->log;
    naik_gauge_checks checks;
    int every = r->sweeps > 10 ? r->sweeps / 10 : 1;
    double start_s = naik_time_s();
    if (r->start == 1) {
        naik_gauge_set_random(gauge, r->seed);
    } else {
        naik_gauge_set_unit(gauge);
    }
    for (int swept = 0; swept < r->sweeps;) {
        int now = r->sweeps - swept < every ? r->sweeps - swept : every;
        NAIK_PASS(naik_heatbath(gauge, r->beta, r->seed, swept, now, r->over_relaxations));
        NAIK_PASS(naik_gauge_measure(gauge, &checks));
        swept += now;
        naik_log_line(log, "sweep %d of %d: plaquette %.6f, %.1f s", swept, r->sweeps,
                      checks.plaquette / 3, naik_time_s() - start_s);
    }
    return NAIK_OK;
}

static naik_status generate(naik_comm *comm, int argc, char **argv)
{
    static const char *const starts[] = {"cold", "hot", NULL};
    recipe r = {.seed = 1, .sweeps = 200, .over_relaxations = 4};
    const char *out = NULL;
    int precision = 1;
    const naik_option options[] = {
        {.name = "size", .kind = NAIK_OPTION_EXTENTS, .target = r.size, .required = true},
        {.name = "beta",
         .kind = NAIK_OPTION_REAL,
         .target = &r.beta,
         .required = true,
         .min = 1e-3,
         .max = 1e3},
        {.name = "seed", .kind = NAIK_OPTION_UINT64, .target = &r.seed},
        {.name = "sweeps", .kind = NAIK_OPTION_INT, .target = &r.sweeps, .min = 0, .max = 1e6},
        {.name = "over-relaxations",
         .kind = NAIK_OPTION_INT,
         .target = &r.over_relaxations,
         .min = 0,
         .max = 100},
        {.name = "start", .kind = NAIK_OPTION_CHOICE, .target = &r.start, .choices = starts},
        {.name = "precision", .kind = NAIK_OPTION_CHOICE, .target = &precision, .choices = bits},
        {.name = "output",
         .letter = 'o',
         .kind = NAIK_OPTION_TEXT,
         .target = &out,
         .required = true},
        {.name = "force", .kind = NAIK_OPTION_FLAG, .target = &comm->io.replace}};
    char recipe_text[256], beta[32];
    naik_lattice *lattice = NULL;
    naik_gauge *gauge = NULL;
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_options_parse(comm->log, "gauge generate", argc, argv, options,
                                sizeof options / sizeof *options, NULL, 0, NULL));
    NAIK_TRY(naik_output_refuse(comm, "-o", out));
    NAIK_TRY(naik_lattice_create(comm, r.size, NULL, &lattice));
    NAIK_TRY(naik_gauge_file_precheck(lattice, out, precision == 0 ? 32 : 64));
    NAIK_TRY(naik_gauge_create(lattice, &gauge));
    NAIK_TRY(thermalise(gauge, &r));
    naik_text_print_real(r.beta, beta, sizeof beta);
    snprintf(recipe_text, sizeof recipe_text,
             "quenched Wilson action, beta %s, seed %llu, %s start, %d sweeps of one heatbath "
             "and %d over-relaxations",
             beta, (unsigned long long)r.seed, starts[r.start], r.sweeps, r.over_relaxations);
    const naik_gauge_meta meta = {.ensemble = recipe_text, .input_text = recipe_text};
    NAIK_TRY(naik_gauge_h5_write(out, gauge, precision == 0 ? 32 : 64, &meta));
    naik_log_line(comm->log, "wrote %s: %s", out, recipe_text);
done:
    naik_gauge_destroy(&gauge);
    naik_lattice_destroy(&lattice);
    return status;
}

/* Writes what was fixed, with how; a gauge that was not reached is not written. */
static naik_status write_fixed(naik_comm *comm, const char *out, const char *path, int precision,
                               const char *condition, const naik_gauge_fix_options *how,
                               const naik_gauge_fix_result *result, const input_field *in)
{
    char text[256];
    naik_gauge_checks checks;
    if (!result->converged) {
        return NAIK_FAIL(comm->log, NAIK_ERR_NOT_CONVERGED,
                         "theta is %.3e after %d iterations, above the tolerance %.3g: nothing was "
                         "written; try more --max-iterations or another --over-relaxation",
                         result->theta, result->iterations, how->tolerance);
    }
    NAIK_PASS(naik_gauge_measure(in->gauge, &checks));
    naik_log_line(comm->log, "plaquette %.15f, before %.15f", checks.plaquette / 3,
                  in->checks.plaquette / 3);
    snprintf(text, sizeof text, "%s, theta %.6e after %d iterations, over-relaxation %.6g",
             condition, result->theta, result->iterations, how->over_relaxation);
    const naik_gauge_meta meta = {
        .source_path = path, .source = &in->file, .input_text = text, .gauge_fixing = text};
    NAIK_PASS(naik_gauge_h5_write(out, in->gauge, precision == 0 ? 32 : 64, &meta));
    naik_log_line(comm->log, "wrote %s: %s", out, text);
    return NAIK_OK;
}

static naik_status fix(naik_comm *comm, int argc, char **argv)
{
    static const char *const names[] = {"IN"};
    static const char *const gauges[] = {"coulomb", "landau", NULL};
    naik_gauge_fix_options how = {
        .tolerance = 1e-12, .over_relaxation = 1.7, .max_iterations = 20000};
    naik_gauge_fix_result result;
    static const char *const backends[] = {"auto", "cpu", "gpu", NULL};
    int condition = 0, precision = 1, where = 0, size[NAIK_DIM] = {0};
    const char *path, *out = NULL;
    const naik_option options[] = {
        {.name = "gauge",
         .kind = NAIK_OPTION_CHOICE,
         .target = &condition,
         .choices = gauges,
         .required = true},
        {.name = "output",
         .letter = 'o',
         .kind = NAIK_OPTION_TEXT,
         .target = &out,
         .required = true},
        {.name = "tolerance",
         .kind = NAIK_OPTION_REAL,
         .target = &how.tolerance,
         .min = 1e-28,
         .max = 1},
        {.name = "over-relaxation",
         .kind = NAIK_OPTION_REAL,
         .target = &how.over_relaxation,
         .min = 1,
         .max = 1.999},
        {.name = "max-iterations",
         .kind = NAIK_OPTION_INT,
         .target = &how.max_iterations,
         .min = 1,
         .max = 1e7},
        {.name = "precision", .kind = NAIK_OPTION_CHOICE, .target = &precision, .choices = bits},
        {.name = "backend", .kind = NAIK_OPTION_CHOICE, .target = &where, .choices = backends},
        {.name = "size", .kind = NAIK_OPTION_EXTENTS, .target = size},
        {.name = "force", .kind = NAIK_OPTION_FLAG, .target = &comm->io.replace}};
    const naik_backend_options backend_options = {.share_gpu = false};
    naik_backend *backend = NULL;
    input_field in = {0};
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_options_parse(comm->log, "gauge fix", argc, argv, options,
                                sizeof options / sizeof *options, names, 1, &path));
    NAIK_TRY(naik_path_refuse_input(comm, "-o", out, &path, 1));
    NAIK_TRY(naik_output_refuse(comm, "-o", out));
    NAIK_TRY(read_field(comm, path, size, false, &in));
    NAIK_TRY(naik_gauge_file_precheck(in.lattice, out, precision == 0 ? 32 : 64));
    NAIK_TRY(naik_backend_create(comm, backends[where], &backend_options, &backend));
    how.condition = condition == 0 ? NAIK_COULOMB : NAIK_LANDAU;
    const double start_s = naik_time_s();
    NAIK_TRY(naik_gauge_fix(in.gauge, naik_backend_device(backend), &how, &result));
    naik_log_line(comm->log, "%s gauge: theta %.3e after %d iterations on the %s, %.2f s",
                  gauges[condition], result.theta, result.iterations, backend->ops->name,
                  naik_time_s() - start_s);
    NAIK_TRY(write_fixed(comm, out, path, precision, gauges[condition], &how, &result, &in));
done:
    naik_backend_destroy(&backend);
    release(&in);
    return status;
}

typedef struct subcommand {
    const char *name;
    naik_command run;
} subcommand;

static const subcommand subcommands[] = {
    {"generate", generate}, {"convert", convert}, {"check", check}, {"fix", fix}};
enum { SUBCOMMANDS = sizeof subcommands / sizeof *subcommands };

naik_status naik_command_gauge(naik_comm *comm, int argc, char **argv)
{
    const char *names[SUBCOMMANDS + 1] = {NULL};
    for (int i = 0; i < SUBCOMMANDS; i++) {
        names[i] = subcommands[i].name;
        if (argc > 1 && strcmp(argv[1], names[i]) == 0) {
            return subcommands[i].run(comm, argc - 1, argv + 1);
        }
    }
    if (argc < 2) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "'naik gauge' needs one of generate, convert, check, fix; see 'naik gauge "
                         "--help'");
    }
    const char *nearest = naik_text_nearest(argv[1], names);
    if (nearest != NULL) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "unknown command 'gauge %s'; did you mean 'naik gauge %s'?", argv[1],
                         nearest);
    }
    return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                     "unknown command 'gauge %s'; 'naik gauge --help' lists them", argv[1]);
}
