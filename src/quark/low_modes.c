/* low_modes.c - a file of modes, trusted after it is verified; or a search, whose modes are filed */
#include "quark/low_modes.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/watchdog.h"
#include "comm/paths.h"
#include "io/lock.h"
#include "io/modes/behind.h"
#include "io/modes/modes_file.h"
#include "io/output.h"
#include "model/iterations.h"
#include "quark/foreign_modes.h"
#include "quark/link_provider.h"
#include "quark/stored_modes.h"

/* A search is written again after so many seconds, and so many times what writing takes. */
enum { SAVE_EVERY_S = 60, SAVE_EVERY_TIMES = 20 };
/* Another job that searches is looked at every two seconds, and told of every minute. */
enum { WAIT_S = 2, TELL_EVERY_S = 60 };

typedef struct job {
    const naik_input *input;
    int wanted;                              /* modes */
    const naik_links *outer, *single, *half; /* half may be NULL */
    const naik_geometry *geometry;
    naik_comm *comm;
    naik_log *log;
    naik_interrupt *interrupt;
    filed_modes **filed; /* of the caller, or NULL */
    bool asked_for;      /* a search is what the user wants */
    double lightest;     /* mass; 0: none known */
    naik_modes_about about;
    double saved_at, save_s; /* of a search: when it was last written, and how long that took */
    int64_t begun,
        reached; /* applications with which this run took it up (-1: it has not), and came to */
    char path[NAIK_PATH_MAX], search[NAIK_PATH_MAX + 8];
    char import[NAIK_PATH_MAX]; /* another code's file, that takes the place of a search; "" */
} job;

/* Largest residual beyond the tolerance, of the largest eigenvalue. */
static double limited_by(const job *j, const naik_modes *modes)
{
    double worst = 0;
    for (int i = 0; i < modes->count; i++) {
        if (modes->residual[i] > j->about.tolerance * modes->lambda2[i]) {
            worst = fmax(worst, modes->residual[i] / fmax(j->about.report.high, 1e-300));
        }
    }
    return worst;
}

/* How good the modes are, each by its own eigenvalue. */
static void tell_residuals(const job *j, const naik_modes *modes)
{
    double worst = 0, limited = 0;
    int within = 0;
    for (int i = 0; i < modes->count; i++) {
        const double relative = modes->residual[i] / fmax(modes->lambda2[i], 1e-300);
        const bool good = relative <= j->about.tolerance;
        within += good;
        *(good ? &worst : &limited) = fmax(good ? worst : limited, relative);
    }
    if (within > 0) {
        naik_log_line(
            j->log,
            "modes: %d of %d modes reach deflation.tolerance %g: |DD v + 4 lambda^2 v| is at most "
            "%.2g of 4 lambda^2",
            within, modes->count, j->about.tolerance, worst);
    }
    if (within < modes->count) {
        naik_log_line(
            j->log,
            "modes: %d of %d modes go as far as single precision goes, %.2g of the largest "
            "eigenvalue: |DD v + 4 lambda^2 v| is up to %.2g of 4 lambda^2",
            modes->count - within, modes->count, limited_by(j, modes), limited);
    }
}

/* What was done with the modes, as "found" and " and wrote them to", and what they are good for. */
static void tell(const job *j, const naik_modes *modes, const char *did, const char *where,
                 const char *path)
{
    const double last = naik_modes_lambda(modes->lambda2[modes->count - 1]);
    naik_log_line(j->log, "modes: naik %s %d modes%s %s; lambda runs from %.6g to %.6g", did,
                  modes->count, where, path, naik_modes_lambda(modes->lambda2[0]), last);
    tell_residuals(j, modes);
    if (j->lightest > 0) {
        naik_log_line(
            j->log,
            "modes: at mass %g a solve should take about %.0f iterations instead of %.0f "
            "(lambda/m = %.3g)%s",
            j->lightest, model_iterations_above(j->lightest, 1e-10, last),
            model_iterations_above(j->lightest, 1e-10, naik_modes_lambda(modes->lambda2[0])),
            last / j->lightest, last < 3 * j->lightest ? ": the modes hardly pay" : "");
    }
}

/* The largest residual of the stored modes in units of what the input asks for; up to 1 it does. */
static double beyond(const job *j, const naik_modes *modes, const naik_lanczos_report *search)
{
    double worst = 0;
    for (int i = 0; i < modes->count; i++) {
        worst =
            fmax(worst, modes->residual[i] / naik_lanczos_promised(j->input->deflation.tolerance,
                                                                   modes->lambda2[i], search->high,
                                                                   search->degree));
    }
    return worst;
}

static naik_precision stored_as(const naik_input *input)
{
    return input->deflation.precision == 16 ? NAIK_HALF : NAIK_SINGLE;
}

/* That a file has as many as the input asks for; auto takes what there is. */
static naik_status refuse_few(const naik_input *input, const naik_comm *comm, const char *path,
                              bool foreign, int count)
{
    const int wanted = input->deflation.modes;
    if (count >= wanted || wanted == NAIK_INPUT_MODES_AUTO || (comm->io.replace && !foreign)) {
        return NAIK_OK;
    }
    return foreign
               ? NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                           "'%s' holds %d vectors, deflation.modes is %d", path, count, wanted)
               : NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                           "'%s' holds %d modes, deflation.modes is %d: make more with naik modes "
                           "--force, or ask for %d",
                           path, count, wanted, count);
}

/* Modes of another code's file, verified. */
static naik_status read_foreign(job *j, const char *path, naik_modes **out)
{
    naik_status status = NAIK_OK;
    naik_timer *timer = j->geometry->backend->timer;
    int wanted = j->wanted, count = 0;
    naik_timer_start(timer, "read modes");
    NAIK_TRY(foreign_modes_count(j->geometry, path, &count));
    if (j->input->deflation.modes == NAIK_INPUT_MODES_AUTO && count < wanted) {
        wanted = count;
    }
    NAIK_TRY(refuse_few(j->input, j->comm, path, true, count));
    NAIK_TRY(foreign_modes_read(j->outer, j->single, path, wanted, j->input->deflation.tolerance,
                                out, &j->about.gram, &j->about.report));
    j->about.tolerance = j->input->deflation.tolerance;
done:
    naik_timer_stop(timer, "read modes");
    return status;
}

/* The file's modes, verified; *out NULL where there is none, or fewer, which --force replaces. */
static naik_status read_file(job *j, naik_modes **out)
{
    naik_status status = NAIK_OK;
    naik_modes_about there = j->about;
    int wanted = j->wanted, count = 0;
    bool foreign = false;
    NAIK_TRY(foreign_modes_recognise(j->comm, j->path, &foreign));
    if (foreign) {
        NAIK_TRY(read_foreign(j, j->path, out));
        tell(j, *out, "read", " from", j->path);
        goto done;
    }
    NAIK_TRY(naik_modes_file_look(j->geometry, j->path, &there, &count));
    if (j->input->deflation.modes == NAIK_INPUT_MODES_AUTO && count < wanted) {
        wanted = count;
    }
    if (count < wanted && j->comm->io.replace) {
        return NAIK_OK;
    }
    NAIK_PASS(refuse_few(j->input, j->comm, j->path, false, count));
    j->about.report = there.report;
    j->about.tolerance = there.tolerance;
    naik_timer_start(j->geometry->backend->timer, "read modes");
    NAIK_TRY(stored_modes_read(j->outer, j->path, &there, wanted, stored_as(j->input), out));
    naik_timer_stop(j->geometry->backend->timer, "read modes");
    const bool same = naik_modes_of_same_links(&there, &j->about);
    if (there.tolerance > j->input->deflation.tolerance && beyond(j, *out, &there.report) > 1) {
        if (j->comm->io.replace) {
            naik_modes_destroy(out);
            return NAIK_OK;
        }
        status =
            NAIK_FAIL(j->log, NAIK_ERR_INPUT,
                      "'%s' holds modes that were found to deflation.tolerance %g, and %g is "
                      "asked for: make better ones with naik modes --force, or ask for %g",
                      j->path, there.tolerance, j->input->deflation.tolerance, there.tolerance);
        goto done;
    }
    if (!same) {
        naik_log_line(j->log,
                      "modes: %s was made with links that were built elsewhere and differ in their "
                      "last bits; its modes hold for the present links as well",
                      j->path);
    }
    tell(j, *out, "read", " from", j->path);
done:
    if (status != NAIK_OK) {
        naik_modes_destroy(out);
    }
    return status;
}

static void progress(void *data, const naik_lanczos_progress *p)
{
    const job *j = data;
    const double lambda = naik_modes_lambda(p->lambda2);
    char ratio[64] = "", left[48] = "", limited[80] = "";
    if (j->lightest > 0 && !p->corrected) {
        snprintf(ratio, sizeof ratio, ", %.3g times the mass %g", lambda / j->lightest,
                 j->lightest);
    }
    if (p->converged < p->wanted) {
        snprintf(left, sizeof left, ", and needs about %.0f s more", fmax(1, p->seconds_left));
    }
    if (p->limited > 0) {
        snprintf(limited, sizeof limited, ", %d of them as far as single precision goes",
                 p->limited);
    }
    if (p->corrected) {
        naik_log_line(j->log,
                      "modes: cycle %d: naik corrected the interval of the polynomial to "
                      "[%.4g, %.4g]",
                      p->cycle, p->low, p->high);
    } else {
        naik_log_line(j->log,
                      "modes: cycle %d: %d of %d modes have converged%s. lambda_%d is now "
                      "%.5g%s. The search has taken %lld applications of D D and %.1f s%s",
                      p->cycle, p->converged, p->wanted, limited, p->wanted, lambda, ratio,
                      (long long)p->applications, p->seconds, left);
    }
}

static bool asked(void *data)
{
    const job *j = data;
    return j->interrupt != NULL && naik_interrupt_asked(j->interrupt);
}

bool low_modes_save_is_due(double waited_s, double save_s)
{
    return waited_s > fmax(SAVE_EVERY_S, SAVE_EVERY_TIMES * save_s);
}

naik_status low_modes_save_is_agreed(naik_comm *comm, double waited_s, double save_s, bool *due)
{
    *due = low_modes_save_is_due(waited_s, save_s);
    return naik_comm_broadcast(comm, due, sizeof *due, 0);
}

static naik_status save(void *data, const naik_lanczos_state *state, bool stops)
{
    job *j = data;
    naik_modes_about about = j->about;
    const double begin_s = naik_time_s();
    bool due = false;
    j->begun = j->begun < 0 ? state->applications : j->begun;
    j->reached = state->applications;
    NAIK_PASS(low_modes_save_is_agreed(j->comm, naik_time_s() - j->saved_at, j->save_s, &due));
    if (due || stops) {
        about.state = *state;
        NAIK_PASS(naik_modes_file_write(j->geometry, j->search, NULL, &about));
        j->saved_at = naik_time_s();
        j->save_s = j->saved_at - begin_s;
    }
    return NAIK_OK;
}

static naik_status restore(void *data, naik_lanczos_state *state, bool *found)
{
    job *j = data;
    NAIK_PASS(naik_modes_search_read(j->geometry, j->search, &j->about, state, found));
    if (*found) {
        naik_log_line(j->log, "modes: the search continues after cycle %d, with %d vectors of %s",
                      (int)state->cycle, (int)state->size, j->search);
        j->begun = state->applications;
    }
    return NAIK_OK;
}

static bool follows(const job *j)
{
    return j->filed != NULL && naik_modes_can_follow(j->geometry, j->about.bricks);
}

/* What was found goes into its file, now or behind what the caller does; *turn is then the file's. */
static naik_status file_modes(job *j, const naik_modes *modes, const naik_modes_pace *pace,
                              naik_lock **turn)
{
    naik_status status = NAIK_OK;
    naik_timer *timer = j->geometry->backend->timer;
    naik_timer_start(timer, "write modes");
    if (follows(j)) {
        NAIK_TRY(filed_modes_begin(j->path, j->search, modes, &j->about, pace, turn, j->filed));
    } else {
        NAIK_TRY(naik_modes_file_write(j->geometry, j->path, modes, &j->about));
        NAIK_TRY(naik_file_remove(j->comm, j->search));
    }
    const bool behind = *turn == NULL;
    if (j->import[0] != '\0') {
        naik_log_line(j->log, "modes: naik %s %d of these modes to %s",
                      behind ? "is writing" : "wrote", modes->count, j->path);
    } else {
        tell(j, modes, "found", behind ? " and is writing them to" : " and wrote them to", j->path);
    }
done:
    naik_timer_stop(timer, "write modes");
    return status;
}

/* In place of the search's own sentence: what stopped it, and whether the same time would do again. */
static naik_status tell_stopped(const job *j)
{
    char rest[NAIK_INTERRUPT_ADVICE];
    naik_interrupt_advise(j->interrupt, naik_timer_total_s(j->geometry->backend->timer),
                          j->reached > j->begun ? NULL : "the first step of this run", rest);
    naik_log_clear(j->log);
    return NAIK_FAIL(j->log, NAIK_ERR_INTERRUPTED,
                     "stopped by %s in the search for modes of '%s'%s",
                     naik_interrupt_reason(j->interrupt), j->path, rest);
}

/* A search, or what another code has found. */
static naik_status search(job *j, naik_modes **out)
{
    const naik_input *input = j->input;
    naik_lanczos_options options = naik_lanczos_defaults();
    const naik_lanczos_hooks hooks = {
        .data = j, .progress = progress, .stop = asked, .save = save, .restore = restore};
    options.modes = j->wanted;
    options.tolerance = input->deflation.tolerance;
    options.krylov = input->deflation.krylov;
    options.degree = input->deflation.degree;
    options.max_cycles = input->deflation.max_cycles;
    if (input->deflation.interval.count == 2) {
        options.low = input->deflation.interval.data[0];
        options.high = input->deflation.interval.data[1];
    }
    j->about.tolerance = options.tolerance;
    j->about.seed = options.seed;
    j->about.report.krylov = naik_lanczos_krylov(&options);
    j->saved_at = naik_time_s();
    const naik_status status =
        naik_lanczos_run(j->outer, j->single, j->half, &options, &hooks, out, &j->about.report);
    NAIK_PASS(status == NAIK_ERR_INTERRUPTED ? tell_stopped(j) : status);
    j->about.gram = j->about.report.gram;
    return NAIK_OK;
}

/* Whether so many modes can be written as `path`. */
static naik_status room_for(const naik_input *input, const naik_geometry *geometry,
                            const char *path, int modes)
{
    const bool bricks = input->deflation.file_precision == 16;
    char part[NAIK_PATH_MAX];
    return naik_output_room(geometry->lattice->comm, path,
                            naik_modes_file_bytes(geometry->lattice, modes, bricks), part);
}

static naik_status find(job *j, naik_lock **turn, naik_modes **out)
{
    naik_status status = NAIK_OK;
    naik_modes_pace pace = {.threads = 1};
    NAIK_TRY(room_for(j->input, j->geometry, j->path, j->wanted)); /* before the work */
    if (follows(j)) {
        pace = filed_modes_prepare(j->geometry, j->wanted);
    }
    if (j->import[0] != '\0') {
        NAIK_TRY(read_foreign(j, j->import, out));
        tell(j, *out, "read", " from", j->import);
    } else {
        NAIK_TRY(search(j, out));
    }
    NAIK_TRY(file_modes(j, *out, &pace, turn));
done:
    naik_modes_room_end(&pace.room);
    return status;
}

/* Two seconds, in which the watchdog sees that this job waits and does not hang. */
static void wait_a_moment(const job *j)
{
    const struct timespec pause = {.tv_sec = WAIT_S};
    naik_watchdog_move(j->comm->watchdog);
    if (j->comm->rank == 0) { /* the others wait for its answer */
        nanosleep(&pause, NULL);
    }
}

/* The right to search, for which another job that searches is waited for; where there was no file,
 * only until there is one. *there: there is one. */
static naik_status wait_for_turn(job *j, naik_lock **lock, bool *there)
{
    const bool replaces = *there;
    naik_status status = NAIK_OK;
    char turn[NAIK_PATH_MAX];
    NAIK_PASS(naik_path_append(j->log, j->path, STORED_MODES_TURN, turn));
    for (int64_t moment = 0;; moment++) {
        bool held = false;
        int64_t size_bytes = -1;
        status = naik_lock_try(j->comm, turn, lock, &held);
        if (status == NAIK_ERR_INPUT && held) {
            if (moment % (TELL_EVERY_S / WAIT_S) == 0) {
                naik_log_line(
                    j->log,
                    "modes: another job looks for the modes of %s, and this job waits for it (%s)",
                    j->path, naik_log_message(j->log));
            }
            naik_log_clear(j->log);
            status = NAIK_OK;
        }
        NAIK_PASS(status);
        NAIK_PASS(naik_file_size(j->comm, j->path, &size_bytes));
        *there = size_bytes >= 0;
        if (*lock != NULL || (*there && !replaces)) {
            break;
        }
        if (asked(j)) {
            return NAIK_FAIL(j->log, NAIK_ERR_INTERRUPTED,
                             "stopped while another job looks for the modes of '%s': run the same "
                             "command again to go on",
                             j->path);
        }
        wait_a_moment(j);
    }
    return status;
}

/* A name that was mistyped must not cost a search, nor go unnoticed where it does. */
static naik_status tell_of_search(const job *j, bool there)
{
    int64_t begun = -1;
    if (there || j->import[0] != '\0') {
        return NAIK_OK;
    }
    NAIK_PASS(naik_file_size(j->comm, j->search, &begun));
    if (!j->asked_for && begun < 0) {
        NAIK_PASS(modes_beside_refuse(j->geometry, j->path, j->wanted, &j->about));
    }
    naik_log_line(j->log,
                  "modes: %s is not there: naik looks for %d modes now and writes them to it",
                  j->path, j->wanted);
    return NAIK_OK;
}

/* A search, unless another job files the modes meanwhile. */
static naik_status find_in_turn(job *j, bool there, naik_modes **out)
{
    naik_status status = NAIK_OK;
    naik_lock *lock = NULL;
    NAIK_TRY(naik_file_check_space(j->comm, j->path, 0));
    NAIK_TRY(wait_for_turn(j, &lock, &there));
    if (there) {
        NAIK_TRY(read_file(j, out));
    }
    if (*out == NULL) {
        NAIK_TRY(tell_of_search(j, there));
        NAIK_TRY(find(j, &lock, out));
    }
done:
    naik_lock_release(j->comm, &lock);
    return status;
}

/* The modes of a file, of naik or of another code. */
static naik_status count_of(const naik_input *input, const naik_geometry *geometry,
                            const char *path, naik_modes_about *about, int *count)
{
    bool foreign = false;
    naik_comm *comm = geometry->lattice->comm;
    NAIK_PASS(foreign_modes_recognise(comm, path, &foreign));
    NAIK_PASS(foreign ? foreign_modes_count(geometry, path, count)
                      : naik_modes_file_look(geometry, path, about, count));
    return refuse_few(input, comm, path, foreign, *count);
}

naik_status low_modes_stored(const naik_input *input, const naik_geometry *geometry, int *count)
{
    naik_comm *comm = geometry->lattice->comm;
    bool all = true;
    *count = 0;
    for (int q = 0; q < input->quark_count; q++) {
        naik_modes_about about = stored_modes_about(input, input->quarks[q].naik_epsilon);
        char path[NAIK_PATH_MAX];
        int64_t size_bytes = -1;
        int held = 0;
        if (!naik_input_deflates(input, q) || naik_input_first_deflated(input, q) != q) {
            continue;
        }
        naik_input_modes_path(input, about.naik_epsilon, path);
        NAIK_PASS(naik_file_size(comm, path, &size_bytes));
        if (size_bytes < 0) { /* before the links are made */
            const int modes = input->deflation.modes;
            NAIK_PASS(naik_path_refuse_output(comm, "deflation.file", path));
            NAIK_PASS(room_for(input, geometry, path, modes > 0 ? modes : 0));
        }
        if (size_bytes < 0 && input->deflation.import != NULL) {
            naik_input_import_path(input, about.naik_epsilon, path);
            size_bytes = 0; /* a file that is not there is refused */
        }
        if (size_bytes >= 0) {
            NAIK_PASS(count_of(input, geometry, path, &about, &held));
        }
        all = all && held > 0;
        *count = *count == 0 || held < *count ? held : *count;
    }
    *count = all ? *count : 0;
    return NAIK_OK;
}

/* single: the links in single precision. */
static naik_status get(const low_modes_request *asked, const naik_links *single, naik_modes **out)
{
    naik_status status = NAIK_OK;
    const naik_input *input = asked->input;
    const naik_fatlong *links = asked->links;
    const naik_links *outer = asked->set->links[NAIK_DOUBLE], *half = asked->set->links[NAIK_HALF];
    const naik_geometry *geometry = outer->geometry;
    naik_modes *found = NULL;
    int64_t size_bytes = -1;
    job j = {.input = input,
             .wanted = asked->wanted,
             .outer = outer,
             .single = single,
             /* long links of 10 bits are too coarse */
             .half = half != NULL && half->recon == 18 ? half : NULL,
             .geometry = geometry,
             .comm = geometry->lattice->comm,
             .log = geometry->backend->log,
             .interrupt = asked->interrupt,
             .filed = asked->filed,
             .begun = -1,
             .asked_for = asked->asked_for,
             .about = stored_modes_about(input, links->naik_epsilon)};
    j.about.bricks = input->deflation.file_precision == 16;
    *out = NULL;
    if (asked->filed != NULL) {
        *asked->filed = NULL;
    }
    for (int i = 0; i < asked->count; i++) {
        const double mass = asked->masses[i];
        j.lightest = j.lightest == 0 || mass < j.lightest ? mass : j.lightest;
    }
    naik_input_modes_path(input, links->naik_epsilon, j.path);
    naik_input_import_path(input, links->naik_epsilon, j.import);
    snprintf(j.search, sizeof j.search, "%s.search", j.path);
    NAIK_TRY(naik_modes_identify_links(links, &j.about));
    NAIK_TRY(naik_file_size(j.comm, j.path, &size_bytes));
    if (size_bytes >= 0) {
        NAIK_TRY(read_file(&j, &found));
    }
    if (found == NULL) {
        NAIK_TRY(find_in_turn(&j, size_bytes >= 0, &found));
    } else {
        NAIK_TRY(modes_beside_tidy(j.comm, j.path));
    }
    if (found->precision == stored_as(input)) {
        *out = found;
        found = NULL;
    } else {
        NAIK_TRY(naik_modes_round(&found, out));
    }
done:
    naik_modes_destroy(&found);
    return status;
}

naik_status low_modes_get(const low_modes_request *asked, naik_modes **out)
{
    naik_status status = NAIK_OK;
    naik_links *own = NULL;
    const naik_links *single = asked->set->links[NAIK_SINGLE];
    NAIK_TRY(naik_fatlong_to_host(asked->links));
    if (single == NULL) { /* all in double: the search is not */
        const naik_geometry *geometry = asked->set->links[NAIK_DOUBLE]->geometry;
        NAIK_TRY(naik_links_create(geometry, asked->links, NAIK_SINGLE, 18, &own));
        single = own;
    }
    NAIK_TRY(get(asked, single, out));
done:
    naik_links_destroy(&own);
    return status;
}
