/* model_modes.c - `naik bench model --modes`: a campaign with low modes on a machine, on paper
 *
 * The plan of `naik solve --dry-run --machine` (plan/cost.h) for random walls of one mass with
 * deflation.precision 16, one number of modes after the other.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bench/bench.h"
#include "plan/cost.h"

static naik_status make_input(naik_comm *comm, const bench_campaign *b, int modes, naik_input **out)
{
    char text[1024], low[96] = "";
    if (modes > 0) {
        snprintf(low, sizeof low, "deflation: {modes: %d, file: modes.h5, precision: 16}\n", modes);
    }
    snprintf(text, sizeof text,
             "lattice: {size: [%d, %d, %d, %d]}\ngauge: {file: lat.h5}\naction: {type: hisq}\n"
             "solve:\n  - {name: light, masses: [%.17g], source: {type: random_wall, seed: 1, t0: "
             "[0, 1, 2, 3]}}\n%soutput: {file: prop.h5, propagators: false}\n",
             b->size[0], b->size[1], b->size[2], b->size[3], b->mass, low);
    return naik_input_parse(comm->log, "naik bench model", text, strlen(text), NULL, 0, NULL, NULL,
                            out);
}

static void print_row(naik_log *log, const bench_campaign *b, const cost *c, int modes)
{
    const cost_case *n = &c->cases[0];
    const double source_s = 3 * n->solve_s[0], gib = 1 << 30;
    bench_line line = {.json = b->json};
    const bool fits = n->verdict == COST_FITS;
    if (b->table && fits) {
        char pays[32];
        const double from = modes > 0 ? n->modes.break_even : 0;
        snprintf(pays, sizeof pays, isfinite(from) ? "%.0f" : "never", from);
        naik_log_line(log, "%6d %9.3g %11.0f %8.2f %10.4g %10.4g %9s", modes, n->modes.rule.lambda,
                      n->modes.iterations[0].expected, (double)n->plan.total_bytes / gib, source_s,
                      n->modes.search_s, pays);
        return;
    }
    if (b->table) {
        naik_log_line(log, "%6d do not fit: %.2f GiB of %.2f a GPU, %d modes would", modes,
                      (double)n->plan.total_bytes / gib, (double)n->plan.available_bytes / gib,
                      n->plan.modes_most);
        return;
    }
    bench_put_text(&line, "model", "deflation");
    bench_put_text(&line, "machine", c->machine.name);
    bench_put_int(&line, "gpus", n->gpus);
    bench_put_extents(&line, "size", b->size);
    bench_put_real(&line, "mass", "%g", b->mass);
    bench_put_int(&line, "modes", modes);
    bench_put_text(&line, "verdict", fits ? "fits" : "too_large");
    bench_put_real(&line, "gib", "%.2f", (double)n->plan.total_bytes / gib);
    if (fits) {
        bench_put_int(&line, "batch", n->plan.batch);
        bench_put_real(&line, "lambda", "%.4g", n->modes.rule.lambda);
        bench_put_real(&line, "iterations", "%.0f", n->modes.iterations[0].expected);
        bench_put_real(&line, "us_per_iteration", "%.1f", n->us_per_iteration[0]);
        bench_put_real(&line, "source_s", "%.4g", source_s);
        bench_put_real(&line, "search_s", "%.4g", n->modes.search_s);
        bench_put_real(&line, "break_even_sources", "%.0f", modes > 0 ? n->modes.break_even : 0);
    } else {
        bench_put_int(&line, "modes_that_fit", n->plan.modes_most);
    }
    naik_log_line(log, line.json ? "%s}" : "%s", line.text);
}

naik_status bench_model_modes(naik_comm *comm, const model_machine *m, const bench_campaign *b)
{
    naik_status status = NAIK_OK;
    naik_input *input = NULL;
    cost *c = NULL;
    const int nodes = b->gpus / m->node_size;
    if (nodes < 1 || nodes * m->node_size != b->gpus) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "naik bench model: --modes needs --gpus in whole nodes of %d",
                         m->node_size);
    }
    NAIK_TRY(naik_comm_agree(
        comm, naik_alloc(comm->log, sizeof *c, "the costs of a campaign", (void **)&c)));
    if (b->table) {
        naik_log_line(comm->log,
                      "%dx%dx%dx%d, mass %g, 3 colours a source, on %d GPUs of %s: predicted, not "
                      "measured",
                      b->size[0], b->size[1], b->size[2], b->size[3], b->mass, b->gpus, m->name);
        naik_log_line(comm->log, "%6s %9s %11s %8s %10s %10s %9s", "modes", "lambda", "iterations",
                      "GiB/GPU", "s/source", "search s", "pay from");
    }
    for (int i = 0; i < b->count; i++) {
        NAIK_TRY(make_input(comm, b, b->modes[i], &input));
        NAIK_TRY(cost_of(comm, input, m, NULL, &nodes, 1, c));
        print_row(comm->log, b, c, b->modes[i]);
        naik_input_destroy(&input);
    }
done:
    naik_input_destroy(&input);
    naik_free(c);
    return status;
}
