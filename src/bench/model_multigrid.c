/* model_multigrid.c - `naik bench model --check`: sources and setups by multigrid, beside what was measured */
#include "bench/bench.h"
#include "model/multigrid.h"
#include "operator/quark.h"

/* 12 columns of clover quarks on one H100 and on two (tests/results/multigrid.txt). The model was fitted to the first three,
 * and what GPUs exchange of the coarse lattice to the iterations of the last one. */
typedef struct measured {
    int local[NAIK_DIM], grid[NAIK_DIM], outer;
    double steps, source_s, setup_s;
} measured;
static const measured points[] = {{{24, 24, 24, 48}, {1, 1, 1, 1}, 16, 13.8, 0.504, 1.319},
                                  {{24, 24, 24, 48}, {1, 1, 1, 1}, 18, 21.7, 0.588, 1.532},
                                  {{24, 24, 24, 48}, {1, 1, 1, 1}, 19, 33.0, 0.688, 1.652},
                                  {{16, 16, 16, 32}, {1, 1, 1, 1}, 17, 12.2, 0.140, 0.308},
                                  {{24, 24, 24, 48}, {1, 1, 1, 1}, 17, 25.2, 0.581, 1.326},
                                  {{24, 24, 24, 24}, {1, 1, 1, 2}, 17, 25.2, 0.399, 0.760}};
enum { ON_H100 = 1, COLUMNS = 12, AGGREGATE = 4 * 4 * 4 * 4 };

static int ranks_of(const measured *at)
{
    return at->grid[0] * at->grid[1] * at->grid[2] * at->grid[3];
}

static void print(naik_log *log, const measured *at, const char *what, double measured_s,
                  double predicted_s, bool table, bool json)
{
    bench_line line = {.json = json};
    const int *n = at->local;
    if (table) {
        naik_log_line(
            log,
            "multigrid, %s of 12 columns, %dx%dx%dx%d on each of %d h100, %d outer iterations "
            "of %.1f steps: measured %.3f s, predicted %.3f, ratio %.3f",
            what, n[0], n[1], n[2], n[3], ranks_of(at), at->outer, at->steps, measured_s,
            predicted_s, predicted_s / measured_s);
        return;
    }
    bench_put_text(&line, "model", "check-multigrid");
    bench_put_text(&line, "machine", "h100");
    bench_put_text(&line, "part", what);
    bench_put_extents(&line, "local", n);
    bench_put_int(&line, "gpus", ranks_of(at));
    bench_put_int(&line, "outer", at->outer);
    bench_put_real(&line, "coarse", "%.1f", at->steps);
    bench_put_real(&line, "measured_s", "%.3f", measured_s);
    bench_put_real(&line, "predicted_s", "%.3f", predicted_s);
    bench_put_real(&line, "ratio", "%.3f", predicted_s / measured_s);
    naik_log_line(log, json ? "%s}" : "%s", line.text);
}

naik_status bench_model_multigrid(naik_comm *comm, bool table, bool json)
{
    const model_machine m = model_machine_of(ON_H100, MODEL_NAIK);
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        const measured *at = &points[i];
        const int *n = at->local;
        const model_problem p = {.local = {n[0], n[1], n[2], n[3]},
                                 .vectors = NAIK_SINGLE,
                                 .links = NAIK_SINGLE,
                                 .recon = 18,
                                 .nrhs = COLUMNS,
                                 .kind = naik_quark_kind_of("clover"),
                                 .blocks = true};
        const model_multigrid g = {.vectors = 24,
                                   .smoother = 8,
                                   .start = 20,
                                   .cycles = 3,
                                   .aggregate = AGGREGATE,
                                   .steps = at->steps,
                                   .peers = true};
        model_multigrid_times t;
        NAIK_PASS(model_multigrid_predict(comm->log, &m, &p, at->grid, &g, &t));
        const double source_us = at->outer * t.iteration_us + COLUMNS * t.column_us;
        print(comm->log, at, "a source", at->source_s, source_us * 1e-6, table, json);
        print(comm->log, at, "a setup", at->setup_s, t.setup_us * 1e-6, table, json);
    }
    return NAIK_OK;
}
