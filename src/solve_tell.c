/* solve_tell.c - what `naik solve` says while it runs
 */
#include <stdio.h>

#include "naik/memory.h"
#include "naik/meson.h"
#include "naik/version.h"

#include "solve_job.h"

void solve_tell_banner(const solve_job *j)
{
    char device[256], transport[64];
    j->backend->ops->describe(j->backend, device, sizeof device);
    naik_log_line(j->log, "naik %s (%s), %d rank%s on %s: %s", naik_version(), naik_version_git(),
                  j->comm->size, j->comm->size == 1 ? "" : "s", j->comm->host, device);
    if (j->comm->size > 1 && !j->backend->ops->host_memory) {
        naik_transport_describe(j->backend, transport, sizeof transport);
        naik_log_line(j->log, "halo transport: %s", transport);
    }
}

void solve_tell_output(const solve_job *j, const naik_propagator_spec *spec)
{
    naik_log_line(j->log, "output: %s, %d solves, %.3f GiB", j->input->output.file,
                  naik_propagator_spec_solves(spec),
                  (double)naik_propagator_spec_bytes(spec, j->input->lattice.size) / (1 << 30));
}

void solve_tell_solve(const solve_job *j, const naik_input_task *task,
                      const naik_propagator_result *r)
{
    const naik_input *input = j->input;
    const double elapsed_s = naik_time_s() - j->start_s;
    const double rest_s = elapsed_s / j->done * (j->total - j->done);
    char rest[48] = "";
    if (elapsed_s > 10 && rest_s > 1) {
        snprintf(rest, sizeof rest, ", %.0f s to go", rest_s);
    }
    naik_log_line(j->log,
                  "solve %d/%d: source=%s mass=%g colour=%d iterations=%d residual=%.3e "
                  "source_residual=%.3e seconds=%.3f gflops=%.1f %s%s",
                  j->done, j->total, input->sources[task->source].label,
                  input->solve[task->solve].masses.data[task->mass], task->colour, r->cg.iterations,
                  r->cg.residual, r->source_residual, r->cg.seconds,
                  r->cg.seconds > 0 ? r->flops / r->cg.seconds * 1e-9 : 0.0,
                  naik_cg_reason_text(r->cg.reason), rest);
    if (r->cg.reason == NAIK_CG_ZERO_SOURCE) {
        naik_log_warn(j->log, "the source of solve %d is zero everywhere: the solution is zero",
                      j->done);
    }
}

naik_status solve_tell_correlators(const solve_job *j, const naik_input_task *task)
{
    naik_status status = NAIK_OK;
    const naik_input *input = j->input;
    const int extent = input->lattice.size[3];
    double *sum = NULL;
    for (int colour = 0; colour < 3; colour++) {
        int solve = naik_propagator_file_solve(j->file, task->source, task->mass, colour);
        if (naik_propagator_file_record(j->file, solve)->state == NAIK_SOLVE_PENDING) {
            return NAIK_OK;
        }
    }
    NAIK_TRY(naik_alloc(j->log,
                        (size_t)input->output.correlators.count *
                            (size_t)input->output.momenta.count * (size_t)extent * sizeof *sum,
                        "correlators", (void **)&sum));
    if (sum == NULL) {
        return NAIK_OK;
    }
    NAIK_TRY(naik_propagator_file_read_correlators(j->file, task->source, task->mass, sum));
    const double *value = sum;
    for (int c = 0; c < input->output.correlators.count; c++) {
        for (int p = 0; p < input->output.momenta.count; p++) {
            const int *momentum = input->output.momenta.data[p];
            naik_log_line(j->log, "correlator %s source=%s mass=%g momentum=%d,%d,%d",
                          naik_meson_name((naik_meson)input->output.correlators.data[c]),
                          input->sources[task->source].label,
                          input->solve[task->solve].masses.data[task->mass], momentum[0],
                          momentum[1], momentum[2]);
            for (int t = 0; t < extent; t++) {
                naik_log_line(j->log, "  %3d %.9e", t, *value++);
            }
        }
    }
done:
    naik_free(sum);
    return status;
}
