/* bench.c - `naik bench dslash|cg|halo|links|io|model`: options and the lattice that is measured on
 */
#include <stdlib.h>
#include <string.h>

#include "backend/field.h"
#include "base/options.h"
#include "base/text.h"
#include "input/input.h"
#include "solver/cg.h"

#include "backend/create.h"
#include "backend/geometry.h"
#include "bench/bench.h"
#include "lattice/grid.h"

static const char *const precisions[] = {
    [NAIK_DOUBLE] = "double", [NAIK_SINGLE] = "single", [NAIK_HALF] = "half", NULL};
static const char *const transports[] = {"auto", "peer", "mpi_device", "staged", NULL};
static const char *const backends[] = {"auto", "cpu", "gpu", NULL};

/* "1,8,12" into list. */
static naik_status parse_list(naik_log *log, const char *text, int list[], int *count)
{
    char word[32];
    *count = 0;
    for (const char *at = text; *at != '\0';) {
        size_t length = strcspn(at, ",");
        int64_t value = 0;
        bool fits = length < sizeof word && *count < BENCH_MAX_LIST;
        memcpy(word, at, fits ? length : 0);
        word[fits ? length : 0] = '\0';
        if (!fits || !naik_text_int64(word, &value) || value < 1 || value > NAIK_MAX_RHS) {
            *count = 0;
            break;
        }
        list[(*count)++] = (int)value;
        at += length + (at[length] == ',' && at[length + 1] != '\0');
        if (*at == ',') {
            *count = 0;
            break;
        }
    }
    if (*count == 0) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "naik bench: --nrhs %s is no list of numbers from 1 to %d, as in 1,8,12",
                         text, NAIK_MAX_RHS);
    }
    return NAIK_OK;
}

/* "0.01,0.02" into list; of --masses ascending, and at least two. */
static naik_status parse_masses(naik_log *log, const char *text, bool shared, double list[],
                                int *count)
{
    char word[32];
    bool good = true;
    *count = 0;
    for (const char *at = text; good && *at != '\0';) {
        const size_t length = strcspn(at, ",");
        good = length < sizeof word && *count < BENCH_MAX_LIST;
        memcpy(word, at, good ? length : 0);
        word[good ? length : 0] = '\0';
        double *mass = &list[good ? *count : 0];
        good = good && naik_text_real(word, mass) && *mass >= 1e-6 && *mass <= 1e3 &&
               (!shared || *count == 0 || *mass > mass[-1]);
        (*count)++;
        at += length + (at[length] == ',');
    }
    if (!good || (shared && *count == 1) || (!shared && *count == 0)) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "naik bench: --%s %s is no %slist of %d to %d masses, as in 0.01,0.02",
                         shared ? "masses" : "mass", text, shared ? "ascending " : "",
                         shared ? 2 : 1, BENCH_MAX_LIST);
    }
    return NAIK_OK;
}

static naik_status parse(naik_log *log, const char *command, int argc, char **argv,
                         bench_options *o)
{
    static const char *const links[] = {"random", "random-hisq", "unit", NULL};
    static const char *const actions[] = {
        [NAIK_NAIVE] = "naive", [NAIK_ASQTAD] = "asqtad", [NAIK_HISQ] = "hisq", NULL};
    static const char *const recons[] = {"18", "13", "12", "9", "6", NULL};
    static const int recon_numbers[] = {18, 13, 12, 9, 6};
    static const char *const site_threads[] = {"auto", "1", "3", "4", "12", "all", NULL};
    static const int threads_a_site[] = {0, 1, 3, 4, 12, BENCH_EACH};
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
    const char *nrhs = "1", *masses = "", *mass = "0.05";
    int recon = 0, per_site = 0;
    const naik_option options[] = {
        {.name = "size", .kind = NAIK_OPTION_EXTENTS, .target = o->size},
        {.name = "links", .kind = NAIK_OPTION_CHOICE, .target = &o->links, .choices = links},
        {.name = "action", .kind = NAIK_OPTION_CHOICE, .target = &o->action, .choices = actions},
        {.name = "precision",
         .kind = NAIK_OPTION_CHOICE,
         .target = &o->precision,
         .choices = precisions},
        {.name = "link-precision",
         .kind = NAIK_OPTION_CHOICE,
         .target = &o->link_precision,
         .choices = precisions},
        {.name = "inner-precision",
         .kind = NAIK_OPTION_CHOICE,
         .target = &o->inner_precision,
         .choices = inner},
        {.name = "rung", .kind = NAIK_OPTION_CHOICE, .target = &o->first_rung, .choices = rungs},
        {.name = "gauge", .kind = NAIK_OPTION_TEXT, .target = &o->gauge},
        {.name = "source", .kind = NAIK_OPTION_CHOICE, .target = &o->source, .choices = sources},
        {.name = "recon", .kind = NAIK_OPTION_CHOICE, .target = &recon, .choices = recons},
        {.name = "nrhs", .kind = NAIK_OPTION_TEXT, .target = &nrhs},
        {.name = "batch",
         .kind = NAIK_OPTION_INT,
         .target = &o->batch,
         .min = 1,
         .max = NAIK_MAX_RHS},
        {.name = "backend", .kind = NAIK_OPTION_CHOICE, .target = &o->backend, .choices = backends},
        {.name = "transport",
         .kind = NAIK_OPTION_CHOICE,
         .target = &o->transport,
         .choices = transports},
        {.name = "share-gpu", .kind = NAIK_OPTION_FLAG, .target = &o->share_gpu},
        {.name = "threads",
         .kind = NAIK_OPTION_INT,
         .target = &o->threads,
         .min = 1,
         .max = 100000},
        {.name = "threads-per-site",
         .kind = NAIK_OPTION_CHOICE,
         .target = &per_site,
         .choices = site_threads},
        {.name = "granularity", /* its name before */
         .kind = NAIK_OPTION_CHOICE,
         .target = &per_site,
         .choices = site_threads},
        {.name = "launch",
         .kind = NAIK_OPTION_CHOICE,
         .target = &o->launch_mode,
         .choices = launch_modes},
        {.name = "delta", .kind = NAIK_OPTION_REAL, .target = &o->delta, .min = 0, .max = 0.999},
        {.name = "mass", .kind = NAIK_OPTION_TEXT, .target = &mass},
        {.name = "masses", .kind = NAIK_OPTION_TEXT, .target = &masses},
        {.name = "tolerance",
         .kind = NAIK_OPTION_REAL,
         .target = &o->tolerance,
         .min = 1e-15,
         .max = 1},
        {.name = "max-iterations",
         .kind = NAIK_OPTION_INT,
         .target = &o->max_iterations,
         .min = 1,
         .max = 1e6},
        {.name = "temporal-gauge", .kind = NAIK_OPTION_FLAG, .target = &o->temporal_gauge},
        {.name = "weak", .kind = NAIK_OPTION_FLAG, .target = &o->weak},
        {.name = "strong", .kind = NAIK_OPTION_FLAG, .target = &o->strong},
        {.name = "iterations",
         .kind = NAIK_OPTION_INT,
         .target = &o->iterations,
         .min = 1,
         .max = 1e6},
        {.name = "grid", .kind = NAIK_OPTION_EXTENTS, .target = o->grid},
        {.name = "repeat",
         .kind = NAIK_OPTION_INT,
         .target = &o->repeat,
         .min = 1,
         .max = BENCH_MAX_REPEAT},
        {.name = "time", .kind = NAIK_OPTION_REAL, .target = &o->time_s, .min = 1e-6, .max = 1e3},
        {.name = "file", .kind = NAIK_OPTION_TEXT, .target = &o->file},
        {.name = "mpi-info", .kind = NAIK_OPTION_TEXT, .target = &o->mpi_info},
        {.name = "alignment",
         .kind = NAIK_OPTION_INT,
         .target = &o->alignment,
         .min = 0,
         .max = 1 << 30},
        {.name = "aggregators",
         .kind = NAIK_OPTION_INT,
         .target = &o->aggregators,
         .min = 0,
         .max = 1e6},
        {.name = "json", .kind = NAIK_OPTION_FLAG, .target = &o->json}};
    naik_status status = naik_options_parse(log, command, argc, argv, options,
                                            sizeof options / sizeof *options, NULL, 0, NULL);
    if (status == NAIK_OK) {
        o->recon = recon_numbers[recon];
        o->threads_per_site = threads_a_site[per_site];
        if (o->launch_mode > NAIK_LAUNCH_FUSED_GRAPH) {
            o->launch_mode = BENCH_EACH;
        }
        if (o->weak && o->strong) {
            return NAIK_FAIL(log, NAIK_ERR_INPUT,
                             "naik bench: choose one of --weak (--size is that of a rank) and "
                             "--strong (--size is that of the lattice)");
        }
        if (o->temporal_gauge && o->action != NAIK_NAIVE) {
            return NAIK_FAIL(
                log, NAIK_ERR_INPUT,
                "naik bench: --temporal-gauge is for --action naive: fat links are not "
                "1 in any gauge");
        }
        if (o->gauge != NULL && (o->weak || o->temporal_gauge)) {
            return NAIK_FAIL(log, NAIK_ERR_INPUT,
                             "naik bench: --gauge takes lattice and links as the file has them: "
                             "not with --%s",
                             o->weak ? "weak" : "temporal-gauge");
        }
        if ((o->weak || o->strong) && o->iterations == 0) {
            o->iterations = 200;
        }
        NAIK_TRY(parse_masses(log, mass, false, o->mass, &o->mass_count));
        NAIK_TRY(parse_masses(log, masses, true, o->shared, &o->shared_count));
        status = parse_list(log, nrhs, o->nrhs, &o->nrhs_count);
    }
done:
    return status;
}

static int count_threads(int wanted)
{
    int threads = 0;
    if (wanted > 0) {
        return wanted;
    }
#pragma omp parallel reduction(+ : threads)
    threads += 1;
    return threads;
}

static naik_status create_lattice(bench *b)
{
    naik_status status = NAIK_OK;
    const bench_options *o = b->options;
    int grid[NAIK_DIM], size[NAIK_DIM];
    bool chosen = o->grid[0] > 0;
    memcpy(grid, o->grid, sizeof grid);
    memcpy(size, o->size, sizeof size);
    if (o->weak && !chosen) {
        naik_grid_grow(b->comm->size, grid);
        chosen = true;
    }
    for (int mu = 0; o->weak && mu < NAIK_DIM; mu++) {
        size[mu] = grid[mu] < 32768 ? grid[mu] * o->size[mu] : 0;
    }
    NAIK_TRY(naik_lattice_create(b->comm, size, chosen ? grid : NULL, &b->lattice));
done:
    return status;
}

static naik_status set_up(bench *b)
{
    naik_status status = NAIK_OK;
    const bench_options *o = b->options;
    const naik_backend_options options = {.threads = o->threads,
                                          .share_gpu = o->share_gpu,
                                          .transport = (naik_transport)o->transport};
    b->threads = count_threads(o->threads);
    NAIK_TRY(create_lattice(b));
    NAIK_TRY(naik_backend_create(b->comm, backends[o->backend], &options, &b->backend));
    NAIK_TRY(naik_geometry_create(b->backend, b->lattice, &b->geometry));
    NAIK_TRY(bench_make_links(b));
    NAIK_TRY(naik_comm_agree(b->comm, bench_copy_create(b, &b->copy)));
done:
    return status;
}

static void tear_down(bench *b)
{
    bench_copy_destroy(&b->copy);
    naik_fatlong_destroy(&b->source);
    naik_gauge_destroy(&b->thin);
    naik_geometry_destroy(&b->geometry);
    naik_backend_destroy(&b->backend);
    naik_lattice_destroy(&b->lattice);
}

typedef struct kind {
    const char *name, *command;
    naik_status (*run)(const bench *b);
    int repeat; /* samples unless the user says */
    int size;   /* extent likewise */
} kind;

static const kind kinds[] = {{"dslash", "bench dslash", bench_dslash, 7, 32},
                             {"cg", "bench cg", bench_cg, 3, 16},
                             {"halo", "bench halo", bench_halo, 7, 32},
                             {"links", "bench links", bench_links, 3, 16},
                             {"io", "bench io", bench_io, 3, 16}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static naik_status run_once(bench *b, const kind *k)
{
    naik_status status = NAIK_OK;
    NAIK_TRY(set_up(b));
    NAIK_TRY(k->run(b));
done:
    tear_down(b);
    return status;
}

static naik_status run_extent(bench *b, const kind *k, bench_options *options, int extent)
{
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        options->size[mu] = extent;
    }
    return run_once(b, k);
}

/* Tables of choices go over volumes unless the user names one. */
static naik_status run_volumes(bench *b, const kind *k, bench_options *options)
{
    static const int extents[] = {4, 8, 12, 16, 24, 32, 48};
    naik_status status = NAIK_OK;
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
        NAIK_TRY(run_extent(b, k, options, extents[i]));
    }
done:
    return status;
}

static naik_status run_kind(naik_comm *comm, const kind *k, int argc, char **argv)
{
    naik_status status = NAIK_OK;
    bench_options options = {.links = BENCH_RANDOM_HISQ,
                             .action = NAIK_HISQ,
                             .link_precision = -1,
                             .inner_precision = -1,
                             .first_rung = -1,
                             .tolerance = 1e-10,
                             .max_iterations = 20000,
                             .repeat = k->repeat,
                             .time_s = 0.1,
                             .file = "naik-bench.h5"};
    bench b = {.comm = comm, .options = &options, .what = k->name};
    NAIK_TRY(parse(comm->log, k->command, argc, argv, &options));
    if (options.gauge != NULL) {
        NAIK_TRY(bench_gauge_size(comm, &options));
    }
    if (options.size[0] > 0) {
        return run_once(&b, k);
    }
    if (options.threads_per_site == BENCH_EACH || options.launch_mode == BENCH_EACH) {
        return run_volumes(&b, k, &options);
    }
    NAIK_TRY(run_extent(&b, k, &options, k->size));
done:
    return status;
}

naik_status naik_command_bench(naik_comm *comm, int argc, char **argv)
{
    const char *names[KINDS + 2] = {NULL};
    for (int i = 0; i < KINDS; i++) {
        names[i] = kinds[i].name;
        if (argc > 1 && strcmp(argv[1], names[i]) == 0) {
            return run_kind(comm, &kinds[i], argc - 1, argv + 1);
        }
    }
    if (argc > 1 && strcmp(argv[1], "model") == 0) {
        return bench_model(comm, argc - 1, argv + 1);
    }
    names[KINDS] = "model";
    if (argc < 2) {
        return NAIK_FAIL(
            comm->log, NAIK_ERR_INPUT,
            "'naik bench' needs one of dslash, cg, halo, links, io, model; see 'naik bench "
            "--help'");
    }
    const char *nearest = naik_text_nearest(argv[1], names);
    if (nearest != NULL) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "unknown measurement 'bench %s'; did you mean 'naik bench %s'?", argv[1],
                         nearest);
    }
    return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                     "unknown measurement 'bench %s'; 'naik bench --help' lists them", argv[1]);
}
