/* measure.c - the clock and the line of `naik bench` */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/field.h"
#include "backend/transport.h"
#include "base/exactsum.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/timer.h"
#include "base/worst.h"
#include "bench/bench.h"
#include "comm/collective.h"
#include "naik/version.h"

/* A call that takes longer is measured the first time that it runs. */
static const double LONG_S = 5;

typedef struct seconds {
    double slowest, fastest, mean; /* over the ranks */
} seconds;

static naik_status over_ranks(naik_comm *comm, double mine_s, seconds *out)
{
    naik_exactsum sum;
    out->slowest = mine_s;
    out->fastest = mine_s;
    naik_exactsum_clear(&sum);
    naik_exactsum_add(&sum, mine_s);
    NAIK_PASS(naik_comm_max_f64(comm, &out->slowest, 1));
    NAIK_PASS(naik_comm_min_f64(comm, &out->fastest, 1));
    NAIK_PASS(naik_comm_sum_exact(comm, &sum, 1));
    out->mean = naik_exactsum_value(&sum) / comm->size;
    return NAIK_OK;
}

/* Seconds of `times` calls of the body. */
static naik_status sample(const bench *b, bench_body body, void *context, int times, seconds *out)
{
    naik_backend *backend = b->backend;
    NAIK_PASS(naik_backend_sync(backend));
    NAIK_PASS(naik_comm_barrier(b->comm));
    const double start_s = naik_time_s();
    for (int i = 0; i < times; i++) {
        NAIK_PASS(body(context));
    }
    NAIK_PASS(naik_backend_sync(backend));
    return over_ranks(b->comm, naik_time_s() - start_s, out);
}

static int compare_reals(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count, double *spread)
{
    qsort(values, (size_t)count, sizeof *values, compare_reals);
    double middle = 0.5 * (values[(count - 1) / 2] + values[count / 2]);
    *spread = (values[count - 1] - values[0]) / middle;
    return middle;
}

/* `repeat` samples of `times` calls each, between samples of the copy. */
static naik_status measure(const bench *b, bench_body body, void *context, int times,
                           bench_timing *out)
{
    double taken[BENCH_MAX_REPEAT], least[BENCH_MAX_REPEAT], mean[BENCH_MAX_REPEAT];
    double speed[BENCH_MAX_REPEAT], copy_s, bytes, unused;
    seconds once;
    NAIK_PASS(bench_copy_sample(b, b->copy, &bytes, &copy_s));
    for (int i = 0; i < b->options->repeat; i++) {
        NAIK_PASS(sample(b, body, context, times, &once));
        taken[i] = once.slowest / times;
        least[i] = once.fastest / times;
        mean[i] = once.mean / times;
        NAIK_PASS(bench_copy_sample(b, b->copy, &bytes, &copy_s));
        speed[i] = bytes / copy_s * 1e-9;
    }
    out->median_s = median(taken, b->options->repeat, &out->spread);
    out->rank_min_s = median(least, b->options->repeat, &unused);
    out->rank_mean_s = median(mean, b->options->repeat, &unused);
    out->copy_gbs = median(speed, b->options->repeat, &unused);
    return NAIK_OK;
}

naik_status bench_measure(const bench *b, bench_body body, void *context, bench_timing *out)
{
    seconds once;
    NAIK_PASS(sample(b, body, context, 1, &once)); /* warms up */
    NAIK_PASS(sample(b, body, context, 1, &once));
    const double least_s = b->options->time_s;
    const int times = once.slowest < least_s ? (int)ceil(least_s / once.slowest) : 1;
    return measure(b, body, context, times, out);
}

naik_status bench_measure_long(const bench *b, bench_body warm_up, bench_body body, void *context,
                               bench_timing *out)
{
    seconds once;
    double speed, copy_s, bytes;
    NAIK_PASS(sample(b, warm_up, context, 2, &once)); /* warms up */
    NAIK_PASS(sample(b, body, context, 1, &once));
    if (once.slowest < LONG_S) { /* tuning of narrowed batches would count */
        NAIK_PASS(measure(b, body, context, 1, out));
        return NAIK_OK;
    }
    NAIK_PASS(bench_copy_sample(b, b->copy, &bytes, &copy_s));
    speed = bytes / copy_s * 1e-9;
    *out = (bench_timing){.median_s = once.slowest,
                          .copy_gbs = speed,
                          .rank_min_s = once.fastest,
                          .rank_mean_s = once.mean};
    return NAIK_OK;
}

static void append(bench_line *line, const char *format, ...) NAIK_PRINTF(2, 3);
static void append(bench_line *line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line->text + line->used, sizeof line->text - line->used, format, args);
    va_end(args);
    size_t room = sizeof line->text - 1 - line->used;
    line->used += n > 0 ? ((size_t)n < room ? (size_t)n : room) : 0;
}

static void put_key(bench_line *line, const char *key)
{
    if (line->json) {
        append(line, "%s\"%s\": ", line->used == 0 ? "{" : ", ", key);
    } else {
        append(line, "%s%s=", line->used == 0 ? "" : " ", key);
    }
}

void bench_put_text(bench_line *line, const char *key, const char *value)
{
    put_key(line, key);
    bool quote = line->json || strpbrk(value, " ,=") != NULL;
    append(line, quote ? "\"%s\"" : "%s", value);
}

void bench_put_int(bench_line *line, const char *key, long long value)
{
    put_key(line, key);
    append(line, "%lld", value);
}

void bench_put_real(bench_line *line, const char *key, const char *format, double value)
{
    char text[64];
    snprintf(text, sizeof text, format, value);
    put_key(line, key);
    append(line, "%s", line->json && !isfinite(value) ? "null" : text);
}

void bench_line_begin(const bench *b, bench_line *line)
{
    char device[256];
    *line = (bench_line){.json = b->options->json};
    b->backend->ops->describe(b->backend, device, sizeof device);
    bench_put_text(line, "bench", b->what);
    bench_put_text(line, "backend", b->backend->ops->name);
    put_key(line, "device");
    append(line, "\"%s\"", device);
}

static const char *action_name(const bench *b)
{
    static const char *const names[] = {
        [NAIK_NAIVE] = "naive",       [NAIK_ASQTAD] = "asqtad",  [NAIK_HISQ] = "hisq",
        [NAIK_HISQ_SU3] = "hisq_su3", [BENCH_WILSON] = "wilson", [BENCH_CLOVER] = "clover"};
    return names[b->options->action];
}

void bench_put_kind(const bench *b, bench_line *line, naik_precision vectors, naik_precision links,
                    int recon)
{
    bench_put_text(line, "action", action_name(b));
    bench_put_text(line, "precision", naik_precision_name(vectors));
    bench_put_text(line, "links", naik_precision_name(links));
    bench_put_int(line, "recon", recon);
}

void bench_put_transport(const bench *b, bench_line *line)
{
    char text[64];
    naik_transport_describe(b->backend, text, sizeof text);
    text[strcspn(text, " ")] = '\0';
    bench_put_text(line, "transport", text);
}

void bench_put_extents(bench_line *line, const char *key, const int extents[NAIK_DIM])
{
    put_key(line, key);
    append(line, line->json ? "[%d, %d, %d, %d]" : "%d,%d,%d,%d", extents[0], extents[1],
           extents[2], extents[3]);
}

void bench_put_gauge(const bench *b, bench_line *line)
{
    const char *path = b->options->gauge;
    if (path != NULL) {
        const char *slash = strrchr(path, '/');
        bench_put_text(line, "gauge", slash != NULL ? slash + 1 : path);
        bench_put_real(line, "plaquette", "%.10f", b->plaquette);
    }
}

void bench_put_machine(const bench *b, bench_line *line)
{
    bench_put_extents(line, "size", b->lattice->size);
    bench_put_extents(line, "local", b->lattice->local);
    bench_put_extents(line, "grid", b->lattice->grid);
    bench_put_int(line, "nodes", b->comm->nodes);
    bench_put_int(line, "ranks", b->comm->size);
    bench_put_int(line, "threads", b->threads);
}

void bench_line_end(const bench *b, bench_line *line, double floor_bytes, double seconds,
                    const bench_timing *timing)
{
    const double floor_gbs = floor_bytes / seconds * 1e-9;
    bench_put_real(line, "floor_gbs", "%.5g", floor_gbs);
    bench_put_real(line, "copy_gbs", "%.4g", timing->copy_gbs);
    bench_put_real(line, "fraction", "%.4g", floor_gbs / timing->copy_gbs);
    bench_put_real(line, "spread", "%.3f", timing->spread);
    bench_put_text(line, "git", naik_version_git());
    naik_log_line(b->comm->log, line->json ? "%s}" : "%s", line->text);
}

int bench_recon(const bench *b)
{
    return b->options->recon > 0 ? b->options->recon : 18;
}

int bench_hops(const bench *b)
{
    return b->options->action == NAIK_NAIVE ? NAIK_STENCIL / 2 : NAIK_STENCIL;
}

naik_precision bench_vectors(const bench *b)
{
    return (naik_precision)b->options->precision;
}

naik_precision bench_link_precision(const bench *b, naik_precision vectors)
{
    return b->options->link_precision < 0 ? vectors : (naik_precision)b->options->link_precision;
}

void bench_random_vector(const naik_lattice *lattice, uint64_t seed, double *out)
{
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lattice->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lattice, site, x);
        naik_rng rng = naik_rng_at(seed, 0, (uint64_t)naik_lattice_global(lattice, x));
        for (int i = 0; i < 6; i++) {
            out[6 * (int64_t)site + i] = naik_rng_gaussian(&rng);
        }
    }
}

/* Source number `index` [sites][3][2]: a colour of an even site, spread over the lattice. */
static void point_vector(const naik_lattice *lattice, int index, double *out)
{
    int x[NAIK_DIM];
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        x[mu] = index / 3 * (2 * mu + 1) % lattice->size[mu];
    }
    x[0] = (x[0] + (naik_parity_of(x) == NAIK_ODD)) % lattice->size[0];
    memset(out, 0, naik_lattice_vector_bytes(lattice));
    for (int32_t site = 0; site < lattice->sites; site++) {
        int y[NAIK_DIM];
        naik_lattice_coords(lattice, site, y);
        bool here = true;
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            here = here && y[mu] + lattice->origin[mu] == x[mu];
        }
        out[6 * (int64_t)site + 2 * (index % 3)] = here;
    }
}

naik_status bench_sources(const bench *b, int count, naik_field **out)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = b->lattice;
    double *v = NULL;
    NAIK_TRY(naik_field_create(b->geometry, NAIK_DOUBLE, count, out));
    NAIK_TRY(naik_comm_agree(b->comm, naik_alloc(b->comm->log, naik_lattice_vector_bytes(lat),
                                                 "a vector", (void **)&v)));
    for (int c = 0; c < count; c++) {
        if (b->options->source == 1) {
            point_vector(lat, c, v);
        } else {
            bench_random_vector(lat, 100 + (uint64_t)c, v);
        }
        NAIK_TRY(b->backend->ops->field.from_host(*out, NAIK_EVEN, c, v));
    }
done:
    naik_free(v);
    return status;
}

void bench_count(bench_tally *tally, const naik_solver_result *result)
{
    tally->iterations += result->iterations;
    tally->least =
        tally->least > 0 && tally->least < result->iterations ? tally->least : result->iterations;
    tally->most = tally->most > result->iterations ? tally->most : result->iterations;
    tally->rung = tally->rung > result->rung ? tally->rung : result->rung;
    tally->worst = naik_worst(tally->worst, result->residual);
    tally->failed += result->reason != NAIK_SOLVER_CONVERGED;
}

void bench_put_solves(const bench *b, bench_line *line, const bench_tally *tally, int count,
                      double seconds)
{
    bench_put_real(line, "tolerance", "%g", b->options->tolerance);
    bench_put_real(line, "iterations", "%.1f", (double)tally->iterations / count);
    bench_put_real(line, "true_residual", "%.3e", tally->worst);
    bench_put_int(line, "not_converged", tally->failed);
    bench_put_real(line, "seconds", "%.4f", seconds / count);
}

void bench_put_mode(const bench *b, bench_line *line)
{
    const bench_options *o = b->options;
    bench_put_text(line, "mode",
                   o->weak             ? "weak"
                   : o->strong         ? "strong"
                   : o->iterations > 0 ? "fixed"
                                       : "solve");
}

void bench_put_iteration(bench_line *line, const bench_tally *tally, const bench_timing *timing)
{
    const double us = 1e6 / (double)tally->iterations;
    bench_put_real(line, "us_per_iteration", "%.1f", timing->median_s * us);
    bench_put_real(line, "rank_min_us", "%.1f", timing->rank_min_s * us);
    bench_put_real(line, "rank_mean_us", "%.1f", timing->rank_mean_s * us);
    bench_put_real(line, "rank_max_us", "%.1f", timing->median_s * us);
}

static naik_status load(void *data, int64_t index, naik_field *b, int irhs,
                        naik_solver_system *system)
{
    const bench_solves *s = data;
    *system = s->system;
    return s->b->backend->ops->field.copy_rhs(b, irhs, s->sources, (int)index);
}

static naik_status finish(void *data, int64_t index, const naik_field *x, int irhs,
                          const naik_solver_result *result)
{
    bench_solves *s = data;
    (void)index, (void)x, (void)irhs;
    bench_count(&s->tally, result);
    return NAIK_OK;
}

naik_status bench_solve(void *context)
{
    bench_solves *s = context;
    const naik_solver_stream stream = {
        .data = s, .count = s->count, .load = load, .finish = finish};
    s->tally = (bench_tally){0};
    return naik_solver_solve(s->solver, NAIK_EVEN, &s->options, &stream);
}
