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

static naik_status between_steps(void *data)
{
    const solve_job *j = data;
    const naik_fault_targets targets = naik_fault_targets_of(&j->set, NULL);
    NAIK_PASS(naik_fault_in_setup(j->fault, j->lattice->comm->size, &targets));
    naik_watchdog_move(j->comm->watchdog);
    return naik_interrupt_asked(j->interrupt) ? naik_multigrid_interrupted(j->log) : NAIK_OK;
}

/* "multigrid_q0", the quark's place in the input. */
static void name_of(const solve_job *j, const naik_quark *quark, char name[32])
{
    snprintf(name, 32, "multigrid_q%d", (int)(quark - j->input->quarks));
}

naik_status solve_multigrid_noted(const solve_job *j, const naik_quark *quark, bool *noted)
{
    *noted = false;
    for (int q = 0; q < j->input->quark_count && !*noted; q++) {
        char name[32], print[NAIK_MULTIGRID_PRINT];
        if (naik_quark_shares_operator(&j->input->quarks[q], quark)) {
            name_of(j, &j->input->quarks[q], name);
            NAIK_PASS(naik_propagator_file_noted(j->file, name, print, sizeof print));
            *noted = print[0] != '\0';
        }
    }
    return NAIK_OK;
}

enum { VECTORS_TEXT = NAIK_PATH_MAX + 96 };

/* The note of whose near-null vectors these are: "multigrid_vectors", of further families with the place of their
 * first quark. */
static void name_of_vectors(const solve_job *j, const naik_quark *quark, char name[32])
{
    int first = 0;
    while (!quark_multigrid_is_family(&j->input->quarks[first], quark)) {
        first++;
    }
    snprintf(name, 32, first == 0 ? "multigrid_vectors" : "multigrid_vectors_q%d", first);
}

/* What it says of those of this group; "" where the run makes them for itself. */
static void describe_vectors(const solve_job *j, const naik_quark *quark, char text[VECTORS_TEXT])
{
    char path[NAIK_PATH_MAX];
    text[0] = '\0';
    if (j->input->multigrid_file != NULL) {
        naik_input_multigrid_path(j->input, quark, path);
        snprintf(text, VECTORS_TEXT, "%d made for kappa %.10g, kept in %s (checksum %08x)",
                 j->input->multigrid.vectors, quark_multigrid_kappa_of(&j->multigrid.made_for),
                 path, j->multigrid.sum);
    }
}

/* Of a setup: its print, "" where no group has one, and whose near-null vectors it has. */
typedef struct setup_told {
    char print[NAIK_MULTIGRID_PRINT], vectors[VECTORS_TEXT];
} setup_told;

/* A setup is not that of an earlier run: other vectors were asked for, or something went wrong. */
static naik_status refuse(const solve_job *j, const naik_quark *quark, const setup_told *told,
                          const char *before)
{
    static const char own_setup[] = "those of its own setup";
    const char *now = told->vectors;
    char then[VECTORS_TEXT], name[32], who[NAIK_QUARK_NAME];
    name_of_vectors(j, quark, name);
    NAIK_PASS(naik_propagator_file_noted(j->file, name, then, sizeof then));
    if (strcmp(now, then) != 0) {
        return NAIK_FAIL(j->log, NAIK_ERR_INPUT,
                         "%s was begun with other near-null vectors: %s then, %s now. Set "
                         "multigrid.file as it was, with what it kept, choose another output.file, "
                         "or begin again with --fresh",
                         j->input->output.file, then[0] != '\0' ? then : own_setup,
                         now[0] != '\0' ? now : own_setup);
    }
    return NAIK_FAIL(j->log, NAIK_ERR_CORRUPT,
                     "multigrid for %s came out as %s and in an earlier run of %s as "
                     "%.32s: a memory or device was wrong, or is of another kind; run the same "
                     "command where the output was begun, or begin it anew with --fresh",
                     naik_quark_phrase(quark, 6, who), told->print, j->input->output.file, before);
}

/* Of this group, where it has a setup; then of the first that has one, which is everybody's. */
static naik_status take_print(solve_job *j, const naik_quark *quark, bool mine, setup_told *told)
{
    naik_status status = NAIK_OK;
    char own[NAIK_MULTIGRID_PRINT] = "";
    *told = (setup_told){.print = ""};
    if (mine) {
        status = naik_multigrid_print(j->multigrid.mg, own);
        describe_vectors(j, quark, told->vectors);
    }
    NAIK_PASS(solve_groups_agree(j, status));
    double first = mine ? j->comm->rank : j->comm->size;
    memcpy(told->print, own, sizeof own);
    NAIK_PASS(naik_comm_min_f64(j->comm, &first, 1));
    if (first < j->comm->size) {
        NAIK_PASS(naik_comm_broadcast(j->comm, told, sizeof *told, (int)first));
    }
    if (mine && strcmp(own, told->print) != 0) {
        status = NAIK_FAIL(j->log, NAIK_ERR_CORRUPT,
                           "multigrid came out as %s and as %s in another group of ranks: a memory "
                           "or device was wrong; run the same command again",
                           own, told->print);
    }
    return naik_comm_agree(j->comm, status);
}

/* The print of the setup into the records, where an earlier run of this program on such a backend has left the
 * same one or none. */
static naik_status record(solve_job *j, const naik_quark *quark, bool mine)
{
    setup_told told;
    char name[32], now[160], before[160];
    NAIK_PASS(take_print(j, quark, mine, &told));
    if (told.print[0] == '\0') {
        return NAIK_OK;
    }
    snprintf(now, sizeof now, "%s %s %.32s %.64s", told.print, j->backend->ops->name,
             naik_version(), naik_version_git());
    name_of(j, quark, name);
    NAIK_PASS(naik_propagator_file_noted(j->file, name, before, sizeof before));
    const size_t digits = NAIK_MULTIGRID_PRINT - 1;
    if (strlen(before) > digits && strcmp(before + digits, now + digits) == 0 &&
        strcmp(before, now) != 0) {
        return refuse(j, quark, &told, before);
    }
    if (strcmp(before, now) != 0) {
        NAIK_PASS(naik_propagator_file_note(j->file, name, now));
    }
    if (told.vectors[0] != '\0') {
        name_of_vectors(j, quark, name);
        NAIK_PASS(naik_propagator_file_note(j->file, name, told.vectors));
    }
    return NAIK_OK;
}

/* Of groups all have a multigrid or none has one, and all say the same: what the first says that cannot make it.
 * *interrupted: one was asked to stop. */
static naik_status all_or_none(solve_job *j, bool interrupts, bool *interrupted)
{
    quark_multigrid *m = &j->multigrid;
    const bool lacks = j->pending_count > 0 && quark_multigrid_at_work(m) == NULL;
    double told[2] = {interrupts, lacks};
    double first = lacks && m->why[0] != '\0' ? j->comm->rank : j->comm->size;
    char why[sizeof m->why];
    NAIK_PASS(naik_comm_max_f64(j->comm, told, 2));
    *interrupted = told[0] > 0;
    if (*interrupted || told[1] == 0) {
        return NAIK_OK;
    }
    NAIK_PASS(naik_comm_min_f64(j->comm, &first, 1));
    memcpy(why, m->why, sizeof why);
    if (first < j->comm->size) {
        NAIK_PASS(naik_comm_broadcast(j->comm, why, sizeof why, (int)first));
    }
    m->usable = false;
    if (m->why[0] == '\0' && first < j->comm->size) { /* who has a reason has said it */
        naik_log_warn(j->log, "%s", why);
    }
    return NAIK_OK;
}

naik_status solve_multigrid_ready(solve_job *j, const naik_quark *quark,
                                  const naik_set_storage *storage, bool spare, double *setup_s,
                                  bool *interrupted)
{
    naik_status status = NAIK_OK;
    const double start_s = naik_time_s();
    j->multigrid.hooks = (naik_multigrid_hooks){.data = j, .ask = between_steps};
    j->multigrid.why[0] = '\0'; /* of the quark before */
    if (j->pending_count > 0) { /* a group may have nothing to solve */
        status = quark_multigrid_ready(&j->multigrid, j->links, j->geometry, j->input, quark,
                                       &j->set, storage, j->plan.multigrid_batch, spare);
    }
    const bool interrupts = status == NAIK_ERR_INTERRUPTED;
    if (interrupts) {
        naik_log_clear(j->log); /* the run says so */
        status = NAIK_OK;
    }
    NAIK_PASS(solve_groups_agree(j, status));
    NAIK_PASS(all_or_none(j, interrupts, interrupted));
    if (*interrupted) {
        return solve_groups_stopped(j);
    }
    const bool mine = j->pending_count > 0 && quark_multigrid_at_work(&j->multigrid) != NULL;
    NAIK_PASS(record(j, quark, mine));
    j->guard.multigrid = mine ? quark_multigrid_at_work(&j->multigrid) : NULL;
    *setup_s = naik_time_s() - start_s;
    solve_progress_passed(j, *setup_s);
    return status;
}
