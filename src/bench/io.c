/* io.c - `naik bench io`: a configuration into naik's HDF5 file and back, in every way that naik has
 *
 * Writing includes what naik never leaves out: reading the file again and comparing. The page cache
 * of the system may hold the file; on a cluster choose a size beyond it.
 */
#include <stdio.h>
#include <unistd.h>

#include "bench/bench.h"
#include "comm/collective.h"
#include "io/h5/times.h"
#include "naik/gauge_io.h"

typedef struct run {
    const bench *b;
    naik_gauge *gauge; /* what was read */
} run;

static naik_status write_file(void *context)
{
    const run *r = context;
    const naik_gauge_meta meta = {.ensemble = "naik bench io"};
    const int bits = bench_vectors(r->b) == NAIK_DOUBLE ? 64 : 32;
    return naik_gauge_h5_write(r->b->options->file, r->b->thin, bits, &meta);
}

static naik_status read_file(void *context)
{
    const run *r = context;
    naik_gauge_file file = {0};
    naik_status status = naik_gauge_file_read(r->b->options->file, r->gauge, &file);
    naik_gauge_file_clear(&file);
    return status;
}

/* A way of moving fields; hints and writers of the options are of some alone. */
typedef struct way {
    const char *name;
    bool collective, hints;
    int writers; /* at least */
} way;

static const way ways[] = {
    {"pieces", false, false, 0}, {"collective", true, true, 0}, {"gathered", true, true, 1}};
enum { WAYS = sizeof ways / sizeof *ways };

static void choose(const bench *b, const way *w)
{
    const char *hints = w->hints && b->options->mpi_info != NULL ? b->options->mpi_info : "";
    naik_io_options *io = &b->comm->io;
    const int asked = b->options->aggregators;
    snprintf(io->hints, sizeof io->hints, "%s", hints);
    io->alignment = b->options->alignment;
    io->collective = w->collective;
    io->writers = w->writers > 0 && asked > w->writers ? asked : w->writers;
}

static const char *const parts[NAIK_IO_PARTS] = {
    [NAIK_IO_GATHER] = "gather_s", [NAIK_IO_CHECKSUM] = "checksum_s",
    [NAIK_IO_WRITE] = "write_s",   [NAIK_IO_FSYNC] = "fsync_s",
    [NAIK_IO_READ] = "read_s",     [NAIK_IO_SCATTER] = "scatter_s"};

/* What one call more takes, part by part, on the rank that it takes longest. */
static naik_status measure_parts(const bench *b, bench_body body, run *r, naik_io_times *times)
{
    *times = (naik_io_times){.pieces = false};
    b->comm->io.times = times;
    const naik_status status = body(r);
    b->comm->io.times = NULL;
    NAIK_PASS(status);
    return naik_comm_max_f64(b->comm, times->s, NAIK_IO_PARTS);
}

static naik_status measure(const bench *b, const char *direction, const way *w, bench_body body,
                           run *r)
{
    bench_timing timing;
    bench_line line;
    naik_io_times times;
    choose(b, w);
    NAIK_PASS(bench_measure(b, body, r, &timing));
    NAIK_PASS(measure_parts(b, body, r, &times));
    const int bits = bench_vectors(b) == NAIK_DOUBLE ? 64 : 32;
    const double bytes = (double)b->lattice->volume * 4 * 18 * bits / 8;
    bench_line_begin(b, &line);
    bench_put_text(&line, "way", direction);
    bench_put_text(&line, "by",
                   times.pieces    ? ways[0].name
                   : w->collective ? w->name
                                   : "collective");
    bench_put_int(&line, "bits", bits);
    bench_put_int(&line, "alignment", b->options->alignment);
    bench_put_int(&line, "aggregators", b->comm->io.writers);
    bench_put_text(&line, "mpi_info", b->comm->io.hints[0] != '\0' ? b->comm->io.hints : "none");
    bench_put_machine(b, &line);
    bench_put_real(&line, "megabytes", "%.1f", bytes * 1e-6);
    bench_put_real(&line, "seconds", "%.4f", timing.median_s);
    bench_put_real(&line, "us", "%.6g", timing.median_s * 1e6);
    bench_put_real(&line, "gbs", "%.5g", bytes / timing.median_s * 1e-9);
    for (int i = 0; i < NAIK_IO_PARTS; i++) {
        bench_put_real(&line, parts[i], "%.4f", times.s[i]);
    }
    bench_line_end(b, &line, bytes, timing.median_s, &timing);
    return NAIK_OK;
}

/* On rank 0: a file of the user's is not a place to write to. */
static naik_status check_path(const bench *b)
{
    naik_status status = NAIK_OK;
    if (b->comm->rank == 0 && access(b->options->file, F_OK) == 0) {
        status = NAIK_FAIL(b->comm->log, NAIK_ERR_INPUT,
                           "%s exists: 'naik bench io' writes and removes its file, name another "
                           "with --file",
                           b->options->file);
    }
    return naik_comm_agree(b->comm, status);
}

naik_status bench_io(const bench *b)
{
    naik_status status = NAIK_OK;
    run r = {.b = b};
    NAIK_TRY(check_path(b));
    b->comm->io.replace = true; /* its own, from the second sample on */
    NAIK_TRY(naik_gauge_create(b->lattice, &r.gauge));
    for (int i = 0; i < WAYS; i++) {
        NAIK_TRY(measure(b, "write", &ways[i], write_file, &r));
        NAIK_TRY(measure(b, "read", &ways[i], read_file, &r));
    }
    NAIK_TRY(naik_comm_barrier(b->comm));
    if (b->comm->rank == 0) {
        remove(b->options->file);
    }
done:
    naik_gauge_destroy(&r.gauge);
    return status;
}
