/* bench.c - `naik bench dslash|cg|bicgstab|halo|links|io|modes|model`: the lattice that is measured on */
#include <string.h>

#include "base/text.h"

#include "backend/create.h"
#include "backend/geometry.h"
#include "bench/bench.h"
#include "comm/threads.h"
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
    NAIK_TRY(naik_comm_agree(b->comm, naik_threads_check(b->comm->log, "--threads", o->threads)));
    b->threads = count_threads(o->threads);
    NAIK_TRY(create_lattice(b));
    NAIK_TRY(naik_backend_create(b->comm, bench_backends[o->backend], &options, &b->backend));
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
    naik_precision precision;
} kind;

static const kind kinds[] = {{"dslash", "bench dslash", bench_dslash, 7, 32, NAIK_DOUBLE},
                             {"cg", "bench cg", bench_cg, 3, 16, NAIK_DOUBLE},
                             {"bicgstab", "bench bicgstab", bench_bicgstab, 3, 16, NAIK_DOUBLE},
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
    bench_options options = {.precision = (int)k->precision,
                             .links = BENCH_RANDOM_HISQ,
                             .action = k->run == bench_bicgstab ? BENCH_WILSON : NAIK_HISQ,
                             .link_precision = -1,
                             .inner_precision = -1,
                             .first_rung = -1,
                             .tolerance = 1e-10,
                             .max_iterations = 20000,
                             .modes = 64,
                             .repeat = k->repeat,
                             .time_s = 0.1,
                             .file = "naik-bench.h5"};
    bench b = {.comm = comm, .options = &options, .what = k->name};
    NAIK_TRY(bench_options_parse(comm->log, k->command, argc, argv, &options));
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
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "'naik bench' needs one of dslash, cg, bicgstab, halo, links, io, modes, "
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
