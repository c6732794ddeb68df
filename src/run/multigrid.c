/* multigrid.c - multigrid of a run: stopped between its steps, and compared with that of the run before
 *
 * A setup is a function of links and input. What a run goes on with is the same as what it began with, or
 * some memory, processor or device was wrong.
 */
#include <stdio.h>
#include <string.h>

#include "comm/collective.h"
#include "io/files.h"
#include "naik/version.h"
#include "run/groups.h"
#include "run/job.h"

static bool asked_to_stop(void *data)
{
    const solve_job *j = data;
    naik_fault_in_setup(j->fault);
    naik_watchdog_move(j->comm->watchdog);
    return naik_interrupt_asked(j->interrupt);
}

/* "multigrid_q0", the quark's place in the input. */
static void name_of(const solve_job *j, const naik_quark *quark, char name[32])
{
    snprintf(name, 32, "multigrid_q%d", (int)(quark - j->input->quarks));
}

naik_status solve_multigrid_noted(const solve_job *j, const naik_quark *quark, bool *noted)
{
    naik_status status = NAIK_OK;
    *noted = false;
    for (int q = 0; q < j->input->quark_count && !*noted; q++) {
        char name[32], print[NAIK_MULTIGRID_PRINT];
        if (naik_quark_shares_operator(&j->input->quarks[q], quark)) {
            name_of(j, &j->input->quarks[q], name);
            NAIK_TRY(naik_propagator_file_noted(j->file, name, print, sizeof print));
            *noted = print[0] != '\0';
        }
    }
done:
    return status;
}

/* Whose near-null vectors these are, for those who look at the output. */
static naik_status note_vectors(solve_job *j, const naik_quark *quark, bool mine)
{
    char path[NAIK_PATH_MAX], text[NAIK_PATH_MAX + 64], made[48] = "";
    if (j->input->multigrid_file == NULL) {
        return NAIK_OK;
    }
    if (mine) {
        snprintf(made, sizeof made, " made for kappa %.10g,",
                 quark_multigrid_kappa_of(&j->multigrid.made_for));
    }
    naik_input_multigrid_path(j->input, quark, path);
    snprintf(text, sizeof text, "%d%s kept in %s", j->input->multigrid.vectors, made, path);
    return naik_propagator_file_note(j->file, "multigrid_vectors", text);
}

/* Of this group, where it has a setup; then of the first that has one, which is everybody's. "": none has. */
static naik_status take_print(solve_job *j, bool mine, char print[NAIK_MULTIGRID_PRINT])
{
    naik_status status = NAIK_OK;
    char own[NAIK_MULTIGRID_PRINT] = "";
    if (mine) {
        status = naik_multigrid_print(j->multigrid.mg, own);
    }
    NAIK_TRY(solve_groups_agree(j, status));
    double first = mine ? j->comm->rank : j->comm->size;
    memcpy(print, own, sizeof own);
    NAIK_TRY(naik_comm_min_f64(j->comm, &first, 1));
    if (first < j->comm->size) {
        NAIK_TRY(naik_comm_broadcast(j->comm, print, NAIK_MULTIGRID_PRINT, (int)first));
    }
    if (mine && strcmp(own, print) != 0) {
        status = NAIK_FAIL(j->log, NAIK_ERR_CORRUPT,
                           "multigrid came out as %s and as %s in another group of ranks: a memory "
                           "or device was wrong; run the same command again",
                           own, print);
    }
    NAIK_TRY(naik_comm_agree(j->comm, status));
done:
    return status;
}

/* The print of the setup into the records, where an earlier run of this program on such a backend has left the
 * same one or none. */
static naik_status record(solve_job *j, const naik_quark *quark, bool mine)
{
    naik_status status = NAIK_OK;
    char print[NAIK_MULTIGRID_PRINT], name[32], now[160], before[160];
    NAIK_TRY(take_print(j, mine, print));
    if (print[0] == '\0') {
        return NAIK_OK;
    }
    snprintf(now, sizeof now, "%s %s %.32s %.64s", print, j->backend->ops->name, naik_version(),
             naik_version_git());
    name_of(j, quark, name);
    NAIK_TRY(naik_propagator_file_noted(j->file, name, before, sizeof before));
    const size_t digits = NAIK_MULTIGRID_PRINT - 1;
    if (strlen(before) > digits && strcmp(before + digits, now + digits) == 0 &&
        strcmp(before, now) != 0) {
        return NAIK_FAIL(j->log, NAIK_ERR_CORRUPT,
                         "multigrid for mass %g came out as %s and in an earlier run of %s as "
                         "%.32s: a memory or device was wrong, or is of another kind; run the same "
                         "command where the output was begun%s, or begin it anew with --fresh",
                         quark->mass, print, j->input->output.file, before,
                         j->input->multigrid_file != NULL
                             ? ", with the multigrid.file that it was begun with"
                             : "");
    }
    if (strcmp(before, now) != 0) {
        NAIK_TRY(naik_propagator_file_note(j->file, name, now));
    }
    NAIK_TRY(note_vectors(j, quark, mine));
done:
    return status;
}

naik_status solve_multigrid_ready(solve_job *j, const naik_quark *quark,
                                  const naik_set_storage *storage, bool spare, double *setup_s,
                                  bool *interrupted)
{
    naik_status status = NAIK_OK;
    const double start_s = naik_time_s();
    j->multigrid.hooks = (naik_multigrid_hooks){.data = j, .stop = asked_to_stop};
    if (j->pending_count > 0) { /* a group may have nothing to solve */
        status = quark_multigrid_ready(&j->multigrid, j->links, j->geometry, j->input, quark,
                                       &j->set, storage, j->plan.multigrid_batch, spare);
    }
    const bool lacks = j->pending_count > 0 && quark_multigrid_at_work(&j->multigrid) == NULL;
    double told[2] = {status == NAIK_ERR_INTERRUPTED, lacks};
    if (status == NAIK_ERR_INTERRUPTED) {
        naik_log_clear(j->log); /* the run says so */
        status = NAIK_OK;
    }
    NAIK_TRY(solve_groups_agree(j, status));
    NAIK_TRY(naik_comm_max_f64(j->comm, told, 2));
    if (told[0] > 0) {
        *interrupted = true;
        return solve_groups_stopped(j);
    }
    j->multigrid.usable = j->multigrid.usable && told[1] == 0; /* of groups, all or none */
    const bool mine = j->pending_count > 0 && quark_multigrid_at_work(&j->multigrid) != NULL;
    NAIK_TRY(record(j, quark, mine));
    sdc_check_multigrid(&j->guard, mine ? quark_multigrid_at_work(&j->multigrid) : NULL);
    *setup_s = naik_time_s() - start_s;
    solve_progress_passed(j, *setup_s);
done:
    return status;
}
