/* bench.c - `naik bench dslash|cg|bicgstab|multigrid|halo|links|io|modes|model`: the lattice that is measured on */
#include "bench/bench.h"

#include <string.h>

#include "base/text.h"
#include "lattice/grid.h"

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

/* The lattice of the options, or of so much for each rank. */
static void choose_lattice(const bench *b, workplace_options *place)
{
    const bench_options *o = b->options;
    memcpy(place->grid, o->grid, sizeof place->grid);
    memcpy(place->size, o->size, sizeof place->size);
    if (o->weak && o->grid[0] == 0) {
        naik_grid_grow(b->comm->size, place->grid);
    }
    for (int mu = 0; o->weak && mu < NAIK_DIM; mu++) {
        place->size[mu] = place->grid[mu] < 32768 ? place->grid[mu] * o->size[mu] : 0;
    }
}

static naik_status set_up(bench *b)
{
    const bench_options *o = b->options;
    workplace_options place = {.backend = bench_backends[o->backend],
                               .tuning = {.threads = o->threads,
                                          .share_gpu = o->share_gpu,
                                          .transport = (naik_transport)o->transport},
                               .threads_name = "--threads",
                               .watchdog_s = -1};
    b->threads = count_threads(o->threads);
    choose_lattice(b, &place);
    NAIK_PASS(workplace_open(b->comm, &place, &b->at));
    b->backend = b->at.backend;
    b->lattice = b->at.lattice;
    b->geometry = b->at.geometry;
    NAIK_PASS(bench_make_links(b));
    return naik_comm_agree(b->comm, bench_copy_create(b, &b->copy));
}

static void tear_down(bench *b)
{
    bench_copy_destroy(&b->copy);
    naik_fatlong_destroy(&b->source);
    naik_gauge_destroy(&b->thin);
    workplace_close(&b->at);
}

typedef struct kind {
    const char *name, *command;
    naik_status (*run)(const bench *b);
    int repeat; /* samples unless the user says */
    int size;   /* extent likewise */
    naik_precision precision;
} kind;

static const kind kinds[] = {{"dslash", "bench dslash", bench_dslash, 7, 32, NAIK_DOUBLE},
                             {"cg", "bench cg", bench_cg, 3, 16, NAIK_DOUBLE},
                             {"bicgstab", "bench bicgstab", bench_bicgstab, 3, 16, NAIK_DOUBLE},
                             {"multigrid", "bench multigrid", bench_multigrid, 3, 16, NAIK_SINGLE},
                             {"halo", "bench halo", bench_halo, 7, 32, NAIK_DOUBLE},
                             {"links", "bench links", bench_links, 3, 16, NAIK_DOUBLE},
                             {"io", "bench io", bench_io, 3, 16, NAIK_DOUBLE},
                             {"modes", "bench modes", bench_modes, 5, 16, NAIK_SINGLE}};
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
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
        NAIK_PASS(run_extent(b, k, options, extents[i]));
    }
    return NAIK_OK;
}

static naik_status run_kind(naik_comm *comm, const kind *k, int argc, char **argv)
{
    bench_options options = {
        .precision = (int)k->precision,
        .links = BENCH_RANDOM_HISQ,
        .action = k->run == bench_bicgstab || k->run == bench_multigrid ? BENCH_WILSON : NAIK_HISQ,
        .link_precision = -1,
        .inner_precision = -1,
        .first_rung = -1,
        .tolerance = 1e-10,
        .csw = -1,
        .max_iterations = 20000,
        .modes = 64,
        .repeat = k->repeat,
        .time_s = 0.1,
        .file = "naik-bench.h5"};
    bench b = {.comm = comm, .options = &options, .what = k->name};
    NAIK_PASS(bench_options_parse(comm->log, k->command, argc, argv, &options));
    if (options.gauge != NULL) {
        NAIK_PASS(bench_gauge_size(comm, &options));
    }
    if (options.size[0] > 0) {
        return run_once(&b, k);
    }
    if (options.threads_per_site == BENCH_EACH || options.launch_mode == BENCH_EACH) {
        return run_volumes(&b, k, &options);
    }
    return run_extent(&b, k, &options, k->size);
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
            "'naik bench' needs one of dslash, cg, bicgstab, multigrid, halo, links, io, modes, "
            "model; see 'naik bench "
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
