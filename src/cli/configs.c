/* configs.c - the list of configurations, and the time that is left for it */
#include "cli/configs.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/timer.h"
#include "comm/new.h"

/* Whether the time that the job may take is over, as rank 0 sees it. */
static naik_status check_time(naik_comm *comm, const configs_order *order, const char *next)
{
    const double limit_s = order->input->run.wall_limit_s;
    int late = limit_s > 0 && naik_time_s() - order->begun_s > limit_s;
    NAIK_PASS(naik_comm_broadcast(comm, &late, sizeof late, 0));
    if (late) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INTERRUPTED,
                         "stopped by wall_limit of %g s before configuration %s: run the same "
                         "command again to go on",
                         limit_s, next);
    }
    return NAIK_OK;
}

/* What did not converge counts as a failure that waits. */
static naik_status visit_one(naik_comm *comm, const configs_order *order, const char *config,
                             const char *const *overrides, int count, int *failed)
{
    naik_status status = order->visit(comm, order->data, overrides, count);
    if (status == NAIK_ERR_NOT_CONVERGED) {
        naik_log_warn(comm->log, "configuration %s: %s", config, naik_log_message(comm->log));
        naik_log_clear(comm->log);
        *failed += 1;
        status = NAIK_OK;
    }
    return status;
}

/* One that is done needs its links no more. What keeps its visit from finding that is told by the visit. */
static bool is_done(naik_comm *comm, const configs_order *order, naik_input *input)
{
    bool done = false;
    if (order->is_done != NULL && order->is_done(comm, order->data, input, &done) != NAIK_OK) {
        naik_log_clear(comm->log);
        done = false;
    }
    return done;
}

/* The first file of links that a configuration needs and this rank cannot read; NULL: there is none. */
static const char *lacking_file(const naik_input *input)
{
    const char *const needed[] = {input->gauge.file, input->action.file, input->action.long_file};
    for (int i = 0; i < 3; i++) {
        if (needed[i] != NULL && access(needed[i], R_OK) != 0) {
            return needed[i];
        }
    }
    return NULL;
}

/* Warns of the files that the later configurations still lack: hours may pass before their turn. What
 * there is to say of their inputs is said then. */
static naik_status look_ahead(naik_comm *comm, const configs_order *order,
                              const naik_texts *configs, const char **overrides, char chosen[96])
{
    naik_status status = NAIK_OK;
    int lacking = 0;
    char first[512] = "";
    naik_log_set_muted(comm->log, true);
    for (int i = 1; i < configs->count; i++) {
        naik_input *input = NULL;
        snprintf(chosen, 96, "gauge.config=%s", configs->data[i]);
        NAIK_TRY(naik_input_load(comm, order->path, overrides, order->keys->count + 1, &input));
        const char *file = comm->rank == 0 ? lacking_file(input) : NULL;
        bool lacks = file != NULL;
        status = naik_comm_broadcast(comm, &lacks, sizeof lacks, 0);
        if (status == NAIK_OK && lacks && !is_done(comm, order, input) && file != NULL &&
            lacking++ == 0) {
            snprintf(first, sizeof first, "%s", file);
        }
        naik_input_destroy(&input);
        NAIK_TRY(status);
    }
done:
    naik_log_set_muted(comm->log, false);
    if (lacking > 0) {
        naik_log_warn(comm->log,
                      "%d of %d configurations cannot be read now, the first of them %s: this run "
                      "ends at a configuration that still cannot be read when its turn comes",
                      lacking, configs->count, first);
    }
    return status;
}

naik_status each_configuration(naik_comm *comm, const configs_order *order)
{
    naik_status status = NAIK_OK;
    const naik_option_list *keys = order->keys;
    char chosen[96];
    int failed = 0;
    const char **overrides = NULL;
    NAIK_TRY(naik_new(comm, ((size_t)keys->count + 1) * sizeof *overrides, "a list of keys",
                      (void **)&overrides));
    for (int i = 0; i < keys->count; i++) {
        overrides[i] = keys->text[i];
    }
    overrides[keys->count] = chosen;
    const naik_texts *configs = &order->input->gauge.configs;
    NAIK_TRY(look_ahead(comm, order, configs, overrides, chosen));
    for (int i = 0; i < configs->count; i++) {
        if (i > 0 && order->hurried) {
            NAIK_TRY(check_time(comm, order, configs->data[i]));
        }
        snprintf(chosen, sizeof chosen, "gauge.config=%s", configs->data[i]);
        naik_log_line(comm->log, "%sconfiguration %s, %d of %d", i > 0 ? "\n" : "",
                      configs->data[i], i + 1, configs->count);
        NAIK_TRY(visit_one(comm, order, configs->data[i], overrides, keys->count + 1, &failed));
    }
    if (failed > 0) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_NOT_CONVERGED, "on %d of %d configurations %s",
                           failed, configs->count, order->not_converged);
    }
done:
    free(overrides);
    return status;
}
