/* describe.c - a propagator file described from itself, for `naik info` */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io/inspect.h"
#include "io/prop/contractions.h"
#include "io/prop/quark_attributes.h"
#include "solver/solver.h"

static const char *state_text(const naik_solve_record *record, bool damaged)
{
    return damaged                                     ? "damaged"
           : record->state == NAIK_SOLVE_DONE          ? "done"
           : record->state == NAIK_SOLVE_NOT_CONVERGED ? "not_converged"
                                                       : "pending";
}

/* Nothing where the file does not tell. */
static void report_quark(const naik_propagator_file *file, const struct naik_prop_solve *s,
                         naik_report *report)
{
    char path[NAIK_PROP_PATH], twist[96];
    naik_quark quark = {.mass = NAN};
    if (file->plan->store) {
        naik_prop_slab_path(s->source, s->mass, path);
    } else {
        naik_prop_source_path(s->source, path);
    }
    hid_t object = s->source >= 0 ? naik_prop_open_object(file->h5, path) : -1;
    if (object < 0) {
        return;
    }
    naik_prop_get_quark(object, "", file->plan->store ? -1 : s->mass, &quark);
    naik_prop_release_object(object);
    if (!isnan(quark.mass)) {
        naik_quark_report(report, &quark);
    }
    if (naik_quark_twist(&quark) != NULL) {
        naik_propagator_twist_text(quark.twist, "", twist);
        naik_report_text(report, "twist", twist);
    }
}

static void report_solve(const naik_propagator_file *file, int i, bool damaged, bool verified,
                         bool intact, naik_report *report)
{
    const struct naik_prop_solve *s = &file->plan->solve[i];
    const naik_solve_record *record = &file->records[i];
    char text[96];
    naik_report_begin(report, NULL);
    naik_report_text(report, "set",
                     s->source >= 0 ? file->plan->set_name[file->plan->source[s->source].set] : "");
    naik_report_int(report, "source", s->source);
    naik_report_int(report, "mass_index", s->mass);
    report_quark(file, s, report);
    naik_report_column(report, file->plan->spin > 1, s->colour);
    naik_report_text(report, "state", state_text(record, damaged));
    if (!damaged && record->state != NAIK_SOLVE_PENDING) {
        naik_report_int(report, "iterations", record->iterations);
        naik_report_int(report, "restarts", record->restarts);
        if (record->rung >= 0) {
            naik_report_text(report, "rung", naik_rung_name((naik_rung)record->rung));
        }
        if (record->modes > 0) {
            naik_report_int(report, "modes", record->modes);
        }
        naik_report_real(report, "target", record->target);
        naik_report_real(report, "true_residual", record->true_residual);
        naik_report_real(report, "source_residual", record->source_residual);
        naik_report_real(report, "norm", record->norm);
        naik_report_real(report, "seconds", record->seconds);
        naik_report_text(report, "stop_reason", record->stop_reason);
        naik_report_int(report, "session", record->session);
        snprintf(text, sizeof text, "%x", record->suma);
        naik_report_text(report, "suma", text);
        snprintf(text, sizeof text, "%x", record->sumb);
        naik_report_text(report, "sumb", text);
        if (verified) {
            naik_report_bool(report, "intact", intact);
        }
    }
    naik_report_end(report);
}

typedef struct tally {
    int done, not_converged, pending, bad;
} tally;

static naik_status describe_solves(naik_propagator_file *file, const naik_disk_record *disk,
                                   bool verify, naik_report *report, tally *t)
{
    naik_report_list(report, "solves");
    for (int i = 0; i < file->plan->solve_count; i++) {
        bool damaged = !naik_disk_record_unpack(&disk[i], &file->records[i]);
        bool pending = file->records[i].state == NAIK_SOLVE_PENDING;
        bool intact = !damaged;
        if (verify && !damaged && !pending) {
            NAIK_PASS(naik_prop_check_solve(file, i, &intact));
        }
        t->bad += !intact;
        t->pending += pending && !damaged;
        t->done += file->records[i].state == NAIK_SOLVE_DONE;
        t->not_converged += file->records[i].state == NAIK_SOLVE_NOT_CONVERGED;
        report_solve(file, i, damaged, verify, intact, report);
    }
    naik_report_end(report);
    return NAIK_OK;
}

/* Those of several solves; damaged ones are added to *bad. */
static naik_status describe_contractions(const naik_propagator_file *file, bool complete,
                                         bool verify, naik_report *report, int *bad)
{
    naik_comm *comm = file->comm;
    naik_status status = NAIK_OK;
    naik_contraction_view view = {.count = 0};
    int counts[2] = {0};
    if (comm->rank == 0) {
        status =
            naik_prop_read_contractions(comm->log, file->h5, file->plan->size[3], complete, &view);
        counts[0] = view.count;
        counts[1] = view.bad;
    }
    naik_contraction_view_clear(&view);
    NAIK_PASS(naik_comm_agree(comm, status));
    NAIK_PASS(naik_comm_broadcast(comm, counts, sizeof counts, 0));
    if (counts[0] + counts[1] > 0) {
        naik_report_int(report, "contractions", counts[0]);
    }
    if (counts[1] > 0 && verify) {
        naik_log_warn(comm->log,
                      "%d correlators that need several solves disagree with their checksums",
                      counts[1]);
        *bad += counts[1];
    }
    return NAIK_OK;
}

/* "times=0.302 s: read links 0.004 s, solve 0.247 s" of the list that naik_timer_list made: the regions that are
 * inside no other. False where it is no such list. */
static bool tell_times(const char *line, FILE *out)
{
    static const char begin[] = "times=";
    const char *end = line + strcspn(line, "\n");
    char seconds[32];
    int depth, used = 0, told = 0;
    if (!naik_text_begins(line, begin)) {
        return false;
    }
    for (line += strlen(begin); line < end; line += strspn(line, "; ")) {
        const int length = (int)strcspn(line, ";\n");
        if (sscanf(line, "%d %31s %*s %*s %n", &depth, seconds, &used) != 2 || used >= length) {
            return false;
        }
        if (depth == 0 && told == 0) {
            fprintf(out, "%s%s s", begin, seconds);
        } else if (depth == 1) {
            fprintf(out, "%s%.*s %s s", told == 1 ? ": " : ", ", length - used, line + used,
                    seconds);
        }
        told += depth <= 1;
        line += length;
    }
    fputc('\n', out);
    return told > 0;
}

static naik_status report_session(void *report, int number, const char *text)
{
    char *told = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&told, &size);
    (void)number;
    for (; out != NULL && *text != '\0'; text = naik_line_next(text)) {
        const long before = ftell(out);
        if (!tell_times(text, out)) {
            fseek(out, before, SEEK_SET);
            fprintf(out, "%.*s\n", (int)strcspn(text, "\n"), text);
        }
    }
    const bool good = out != NULL && fclose(out) == 0;
    naik_report_text(report, NULL, good ? told : text);
    free(told);
    return NAIK_OK;
}

static naik_status describe_all(naik_propagator_file *file, const naik_disk_record *disk,
                                bool verify, naik_report *report, naik_status *verdict)
{
    naik_comm *comm = file->comm;
    naik_status status = NAIK_OK;
    tally t = {0};
    int bad_sums = 0; /* and other damage outside the solves */
    char state[32] = "";
    status = naik_describe_metadata(comm->log, file->h5, report);
    NAIK_PASS(naik_comm_agree(comm, status));
    naik_report_list(report, "sessions");
    status = naik_prop_read_sessions(comm->log, file->h5, report_session, report);
    naik_report_end(report);
    NAIK_PASS(naik_comm_agree(comm, status));
    NAIK_PASS(describe_solves(file, disk, verify, report, &t));
    if (verify) {
        NAIK_PASS(naik_prop_check_sums(file, false, &bad_sums));
    }
    naik_h5_get_text(file->h5, "state", state, sizeof state);
    if (state[0] != '\0' && strcmp(state, "complete") != 0 && strcmp(state, "incomplete") != 0) {
        naik_log_warn(comm->log, "its state is neither complete nor incomplete, but '%s'", state);
        bad_sums++;
    }
    if (strcmp(state, "complete") == 0) {
        NAIK_PASS(naik_prop_expect_solutions(file));
    }
    bool complete = strcmp(state, "complete") == 0 && t.pending == 0 && t.bad == 0;
    NAIK_PASS(describe_contractions(file, complete, verify, report, &bad_sums));
    naik_report_int(report, "solves_done", t.done);
    naik_report_int(report, "solves_not_converged", t.not_converged);
    naik_report_int(report, "solves_pending", t.pending);
    naik_report_int(report, "solves_damaged", t.bad);
    naik_report_bool(report, "complete", complete);
    if (verify) {
        naik_report_bool(report, "intact", t.bad == 0 && bad_sums == 0);
    }
    *verdict = t.bad > 0 || bad_sums > 0            ? NAIK_ERR_CORRUPT
               : !complete                          ? NAIK_ERR_INTERRUPTED
               : t.done == 0 && t.not_converged > 0 ? NAIK_ERR_NOT_CONVERGED
                                                    : NAIK_OK;
    return NAIK_OK;
}

naik_status naik_describe_propagators(naik_comm *comm, hid_t h5, const char *path, bool verify,
                                      naik_report *report, naik_status *verdict)
{
    naik_status status = NAIK_OK;
    naik_disk_record *disk = NULL;
    naik_lattice *lattice = NULL;
    naik_propagator_file file = {.comm = comm, .h5 = h5, .complete = true};
    naik_report_text(report, "kind", "propagators");
    naik_describe_identity(h5, report);
    NAIK_TRY(naik_path_append(comm->log, path, "", file.path));
    NAIK_TRY(naik_prop_describe(comm, h5, path, &file, &disk));
    naik_describe_size(file.plan->size, report);
    naik_report_int(report, "precision", file.plan->precision);
    naik_report_bool(report, "propagators_stored", file.plan->store);
    if (verify) {
        NAIK_TRY(naik_lattice_create(comm, file.plan->size, NULL, &lattice));
        file.lattice = lattice;
    }
    NAIK_TRY(describe_all(&file, disk, verify, report, verdict));
done:
    naik_prop_plan_destroy(&file.plan);
    naik_lattice_destroy(&lattice);
    free(file.records);
    free(file.small_crc);
    free(disk);
    return status;
}
