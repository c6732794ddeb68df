/* report_cmd.c - `naik report FILE.h5 [-o FILE.html] [--modes MODES.h5] [--no-verify]`: one page on
 * what a run did
 *
 * All ranks verify the propagators, as naik info does; rank 0 does the rest. Long files are shown in
 * part, and the page says so.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/options.h"
#include "base/text.h"
#include "cli/commands.h"
#include "comm/paths.h"
#include "io/file_info.h"
#include "io/files.h"
#include "io/prop/reader.h"
#include "naik/version.h"
#include "report/html.h"
#include "report/report_parts.h"
#include "solver/solver.h"
#include "stored/told_multigrid.h"

enum { MAX_CORRELATORS = 256, MAX_ROWS = 3000, MAX_MASSES = 100 };
enum { PATH_SIZE = 4096 };

static void row(FILE *out, const char *name, const char *text, const char *class)
{
    fputs("<tr><th>", out);
    html_text(out, name);
    fprintf(out, "</th><td class=\"%s\">", class);
    html_text(out, text);
    fputs("</td></tr>\n", out);
}

typedef struct totals {
    int done, failed, pending;
    int64_t iterations;
    double seconds, flops, worst, first, last;
} totals;

static totals add_up(const naik_propagator_reader *v)
{
    totals t = {.first = HUGE_VAL, .last = -HUGE_VAL};
    for (int i = 0; i < v->columns * v->pair_count; i++) {
        const naik_solve_record *s = &v->pairs[i / v->columns].solve[i % v->columns];
        t.pending += s->state == NAIK_SOLVE_PENDING;
        t.done += s->state == NAIK_SOLVE_DONE;
        t.failed += s->state == NAIK_SOLVE_NOT_CONVERGED;
        if (s->state != NAIK_SOLVE_PENDING) {
            t.iterations += s->iterations;
            t.seconds += s->seconds;
            t.flops += s->flops;
            t.worst = fmax(t.worst, s->source_residual);
            t.first = fmin(t.first, s->time);
            t.last = fmax(t.last, s->time);
        }
    }
    return t;
}

static void print_time(double seconds, char *text, size_t text_size)
{
    const time_t when = isfinite(seconds) && fabs(seconds) < 1e11 ? (time_t)seconds : 0;
    struct tm parts;
    if (gmtime_r(&when, &parts) == NULL ||
        strftime(text, text_size, "%Y-%m-%d %H:%M:%S UTC", &parts) == 0) {
        snprintf(text, text_size, "unknown");
    }
}

static int count_bad_correlators(const naik_propagator_reader *v)
{
    int count = 0;
    for (int i = 0; i < v->pair_count; i++) {
        count += v->pairs[i].correlators_damaged;
    }
    return count;
}

/* What is shown that is not in the file. */
typedef struct beside {
    const char *modes; /* file of low modes; NULL: none */
    const prediction *predicted;
    int damaged_solves; /* in all they consist of; -1: their solutions were not read */
    naik_status status; /* of naik info */
    char found[640];    /* what it says; "" if all is well */
} beside;

/* One line of the page, and a warning on the terminal. */
static void report_damage(naik_log *log, FILE *out, const char *text)
{
    fputs("<p class=\"bad\">Damaged: ", out);
    html_text(out, text);
    fputs("</p>\n", out);
    naik_log_warn(log, "%s", text);
}

/* Everything that disagrees, on top of the page; how much that is. */
static int print_damage(naik_log *log, FILE *out, const naik_propagator_reader *v, const totals *t,
                        const beside *with)
{
    const int solves = with->damaged_solves;
    const struct {
        int count;
        const char *what;
    } parts[] = {
        {v->bad_records, "records of solves disagree with their checksums: they count as pending"},
        {v->bad_histories, "residual histories disagree with their checksums and are left out"},
        {count_bad_correlators(v), "pairs of source and mass have correlators that disagree with "
                                   "their checksums and are left out"},
        {v->contractions.bad, "correlators that need several solves disagree with their checksums"},
        {solves - v->bad_records, "solves disagree with the checksums of their solution, residual "
                                  "history or correlators: naik info names them"},
        {v->complete ? t->pending - v->bad_records : 0,
         "solves are pending, though the file says that it is complete"}};
    char text[200];
    int damage = v->edited[0] != '\0';
    if (damage > 0) {
        report_damage(log, out, v->edited);
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].count > 0) {
            snprintf(text, sizeof text, "%d %s", parts[i].count, parts[i].what);
            report_damage(log, out, text);
            damage++;
        }
    }
    if (damage == 0 && with->status == NAIK_ERR_CORRUPT) {
        report_damage(log, out, with->found);
        damage++;
    }
    return damage;
}

static void print_verified(FILE *out, const naik_propagator_reader *v, bool solutions)
{
    char text[300];
    int correlators = v->contractions.count;
    for (int i = 0; i < v->pair_count; i++) {
        correlators += v->pairs[i].correlator_count;
    }
    snprintf(
        text, sizeof text,
        "%s%d records of solves, %d correlators, %d residual histories%s, by their checksums%s%s",
        v->has_metadata_crc ? "attributes and texts, " : "", v->columns * v->pair_count,
        correlators, v->histories, solutions ? ", every solution that is stored" : "",
        v->has_metadata_crc ? "" : "; not attributes and texts, which have none here",
        solutions ? "" : "; not the solutions: --no-verify");
    row(out, "verified", text, "");
}

static void print_summary(FILE *out, const naik_propagator_reader *v, const totals *t, int damage,
                          bool solutions)
{
    char text[160], first[40], last[40];
    fputs("<h2>Summary</h2>\n<div class=\"wide\"><table>\n", out);
    snprintf(text, sizeof text, "%s%s", damage > 0 ? "damaged, " : "",
             v->complete ? "complete" : "unfinished: run the same command again to go on");
    row(out, "file", text, v->complete && damage == 0 ? "good" : "bad");
    print_verified(out, v, solutions);
    snprintf(text, sizeof text, "%d x %d x %d x %d", v->size[0], v->size[1], v->size[2],
             v->size[3]);
    row(out, "lattice", text, "");
    if (v->pair_count > 0 && v->pairs[0].quark.kind != NULL) {
        row(out, "action", v->pairs[0].quark.kind->name, "");
    }
    snprintf(text, sizeof text, "%d done, %d not converged, %d pending", t->done, t->failed,
             t->pending);
    row(out, "solves", text, t->failed > 0 ? "bad" : "");
    if (t->done + t->failed > 0) {
        snprintf(text, sizeof text, "%lld iterations, %.1f s of solving, %.1f GFLOP/s",
                 (long long)t->iterations, t->seconds,
                 t->seconds > 0 ? t->flops / t->seconds * 1e-9 : 0.0);
        row(out, "work", text, "");
        snprintf(text, sizeof text, "%.3e", t->worst);
        row(out, "largest |src - M x| / |src|", text, "");
        print_time(t->first, first, sizeof first);
        print_time(t->last, last, sizeof last);
        snprintf(text, sizeof text, "%s to %s", first, last);
        row(out, "solved", text, "");
    }
    fputs("</table></div>\n", out);
}

/* kappa, where the quark has one, and mass. */
static void quark_cells(FILE *out, const naik_quark *quark, const char *epsilon)
{
    char kappa[NAIK_QUARK_NAME];
    if (naik_quark_kappa_text(quark, kappa)[0] != '\0') {
        fprintf(out, "<td class=\"n\">%s</td>", kappa);
    }
    fprintf(out, "<td class=\"n\">%.10g%s</td>", quark->mass, epsilon);
}

static const char *quark_head(const naik_propagator_reader *v)
{
    return v->pair_count > 0 && naik_quark_kappa(&v->pairs[0].quark) > 0
               ? "<th class=\"n\">kappa</th><th class=\"n\">mass</th>"
               : "<th class=\"n\">mass</th>";
}

/* spin: -1: of quarks without one. */
static void print_solve(FILE *out, const naik_reader_pair *pair, const naik_solve_record *s,
                        int spin, int colour)
{
    static const char *const states[] = {[NAIK_SOLVE_PENDING] = "pending",
                                         [NAIK_SOLVE_DONE] = "done",
                                         [NAIK_SOLVE_NOT_CONVERGED] = "not converged"};
    fputs("<tr><td>", out);
    html_text(out, pair->label);
    fputs("</td>", out);
    quark_cells(out, &pair->quark, "");
    if (spin >= 0) {
        fprintf(out, "<td class=\"n\">%d</td>", spin);
    }
    fprintf(out, "<td class=\"n\">%d</td><td class=\"%s\">%s</td>", colour,
            s->state == NAIK_SOLVE_NOT_CONVERGED ? "bad" : "", states[s->state]);
    if (s->state != NAIK_SOLVE_PENDING) {
        fprintf(out,
                "<td class=\"n\">%d</td><td class=\"n\">%d</td><td>%s</td><td class=\"n\">%.1e</td>"
                "<td class=\"n\">%.3e</td><td class=\"n\">%.3e</td><td class=\"n\">%.3f</td>"
                "<td class=\"n\">%.1f</td><td>",
                s->iterations, s->restarts, s->rung < 0 ? "" : naik_rung_name((naik_rung)s->rung),
                s->target, s->true_residual, s->source_residual, s->seconds,
                s->seconds > 0 ? s->flops / s->seconds * 1e-9 : 0.0);
        html_text(out, s->stop_reason);
        fputs("</td>", out);
    }
    fputs("</tr>\n", out);
}

static void print_solves(FILE *out, const naik_propagator_reader *v)
{
    const int rows = v->columns * v->pair_count < MAX_ROWS ? v->columns * v->pair_count : MAX_ROWS;
    const bool spins = v->columns > 3;
    fprintf(out,
            "<h2>Solves</h2>\n<div class=\"wide\"><table>\n<tr><th>source</th>%s%s"
            "<th class=\"n\">colour</th><th>state</th><th class=\"n\">iterations</th>"
            "<th class=\"n\">restarts</th><th>rung</th><th class=\"n\">target</th>"
            "<th class=\"n\">true residual</th><th class=\"n\">|src - M x| / |src|</th>"
            "<th class=\"n\">seconds</th><th class=\"n\">GFLOP/s</th><th>stopped</th></tr>\n",
            quark_head(v), spins ? "<th class=\"n\">spin</th>" : "");
    for (int i = 0; i < rows; i++) {
        const naik_reader_pair *pair = &v->pairs[i / v->columns];
        const int column = i % v->columns;
        print_solve(out, pair, &pair->solve[column], spins ? column / 3 : -1, column % 3);
    }
    fputs("</table></div>\n", out);
    if (rows < v->columns * v->pair_count) {
        fprintf(out, "<p>The first %d of %d solves.</p>\n", rows, v->columns * v->pair_count);
    }
}

typedef struct mass_time {
    naik_quark quark;
    double seconds, flops;
    int64_t iterations;
    int solves;
} mass_time;

/* What each mass with its Naik epsilon took, of at most MAX_MASSES masses. */
static void print_time_by_mass(FILE *out, const naik_propagator_reader *v, double all_s)
{
    mass_time rows[MAX_MASSES];
    told_multigrid did;
    bool coarse = false;
    int count = 0;
    for (int i = 0; i < v->pair_count; i++) {
        int k = 0;
        while (k < count && (rows[k].quark.mass != v->pairs[i].quark.mass ||
                             rows[k].quark.naik_epsilon != v->pairs[i].quark.naik_epsilon)) {
            k++;
        }
        if (k == MAX_MASSES) {
            continue;
        }
        if (k == count) {
            rows[count++] = (mass_time){.quark = v->pairs[i].quark};
        }
        for (int c = 0; c < v->columns; c++) {
            const naik_solve_record *s = &v->pairs[i].solve[c];
            if (s->state != NAIK_SOLVE_PENDING) {
                rows[k].solves++;
                rows[k].iterations += s->iterations;
                rows[k].seconds += s->seconds;
                rows[k].flops += s->flops;
            }
        }
    }
    for (int k = 0; k < count; k++) {
        coarse = told_multigrid_of(v, rows[k].quark.mass, &did) || coarse;
    }
    fprintf(
        out,
        "<h2>Time</h2>\n<div class=\"wide\"><table>\n<tr>%s<th class=\"n\">solves</th>"
        "<th class=\"n\">iterations a solve</th><th class=\"n\">seconds</th><th class=\"n\">%%</th>"
        "<th class=\"n\">GFLOP/s</th>%s</tr>\n",
        quark_head(v),
        coarse
            ? "<th class=\"n\">coarse steps an iteration</th><th class=\"n\">seconds of setup</th>"
            : "");
    for (int k = 0; k < count; k++) {
        const mass_time *r = &rows[k];
        char epsilon[48] = "";
        if (r->quark.naik_epsilon != 0) {
            snprintf(epsilon, sizeof epsilon, ", epsilon %.10g", r->quark.naik_epsilon);
        }
        if (r->solves > 0) {
            fputs("<tr>", out);
            quark_cells(out, &r->quark, epsilon);
            fprintf(out,
                    "<td class=\"n\">%d</td><td class=\"n\">%.1f</td>"
                    "<td class=\"n\">%.2f</td><td class=\"n\">%.1f</td><td "
                    "class=\"n\">%.1f</td>",
                    r->solves, (double)r->iterations / r->solves, r->seconds,
                    all_s > 0 ? 100 * r->seconds / all_s : 0.0,
                    r->seconds > 0 ? r->flops / r->seconds * 1e-9 : 0.0);
            if (told_multigrid_of(v, r->quark.mass, &did)) {
                fprintf(out, "<td class=\"n\">%.1f</td><td class=\"n\">%.3f</td>",
                        did.outer > 0 ? (double)did.coarse / (double)did.outer : 0.0, did.setup_s);
            }
            fputs("</tr>\n", out);
        }
    }
    fputs("</table></div>\n", out);
}

/* A row with the rest of a line; nothing where there is none. */
static void row_of_line(FILE *out, const char *name, const char *line)
{
    char text[256] = "";
    if (line != NULL) {
        snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
        row(out, name, text, "");
    }
}

/* One region of naik_timer_list as a row; false behind the last one. */
static bool print_region(FILE *out, const char **list, double total_s)
{
    int depth = 0, used = 0;
    double seconds = 0, flops = 0, bytes = 0;
    char name[32] = "";
    if (sscanf(*list, "%d %lf %lf %lf %31[^;\n];%n", &depth, &seconds, &flops, &bytes, name,
               &used) != 5 ||
        used == 0 || depth < 0 || depth > 16) {
        return false;
    }
    *list += used + ((*list)[used] == ' ');
    fprintf(out, "<tr><td style=\"padding-left:%dem\">", depth + 1);
    html_text(out, name);
    fprintf(out, "</td><td class=\"n\">%.3f</td><td class=\"n\">%.1f</td>", seconds,
            total_s > 0 ? 100 * seconds / total_s : 0.0);
    const double counts[2] = {flops, bytes};
    for (int i = 0; i < 2; i++) {
        fputs("<td class=\"n\">", out);
        if (counts[i] > 0 && seconds > 0) {
            fprintf(out, "%.2f", 1e-9 * counts[i] / seconds);
        }
        fputs("</td>", out);
    }
    fputs("</tr>\n", out);
    return true;
}

/* What every run said of its time when it ended; runs that were killed said nothing. */
static void print_times(FILE *out, const naik_propagator_reader *v)
{
    for (int i = 0; i < v->text_count; i++) {
        const char *list = naik_line_value(v->texts[i].text, "times");
        const char *device = naik_line_value(v->texts[i].text, "device");
        const char *memory = naik_line_value(v->texts[i].text, "memory");
        if (list == NULL || strncmp(v->texts[i].name, "run ", 4) != 0) {
            continue;
        }
        const double total_s = naik_text_strtod(list + strspn(list, "0 "), NULL);
        fputs("<h2>Time and device of ", out);
        html_text(out, v->texts[i].name);
        fputs("</h2>\n<div class=\"wide\"><table>\n", out);
        row_of_line(out, "device", device);
        row_of_line(out, "memory", memory);
        row_of_line(out, "near-null vectors",
                    naik_line_value(v->texts[i].text, "multigrid_vectors"));
        fputs("</table></div>\n<div class=\"wide\"><table>\n<tr><th>phase</th><th "
              "class=\"n\">seconds</th><th "
              "class=\"n\">%</th><th class=\"n\">GFLOP/s</th><th class=\"n\">GB/s</th></tr>\n",
              out);
        while (print_region(out, &list, total_s)) {
        }
        fputs("</table></div>\n", out);
    }
}

static void print_provenance(FILE *out, const naik_propagator_reader *v)
{
    fputs("<h2>Provenance</h2>\n<div class=\"wide\"><table>\n", out);
    for (int i = 0; i < v->fact_count; i++) {
        row(out, v->facts[i].name, v->facts[i].text, "");
    }
    fputs("</table></div>\n", out);
    for (int i = 0; i < v->text_count; i++) {
        fputs("<details><summary>", out);
        html_text(out, v->texts[i].name);
        fputs("</summary><pre>", out);
        html_text(out, v->texts[i].text);
        fputs("</pre></details>\n", out);
    }
}

/* *damage: how many kinds of it the page tells. */
static naik_status print_report(naik_log *log, FILE *out, const naik_propagator_reader *v,
                                const beside *with, int *damage)
{
    struct stat info;
    const int64_t size_bytes = stat(v->path, &info) == 0 ? info.st_size : 0;
    const totals t = add_up(v);
    html_begin(out, v->path);
    fputs("<h1>", out);
    html_text(out, v->path);
    fputs("</h1>\n", out);
    *damage = print_damage(log, out, v, &t, with);
    print_summary(out, v, &t, *damage, with->damaged_solves >= 0);
    report_prediction(out, with->predicted, size_bytes);
    naik_status status = report_correlators(log, out, v,
                                            count_bad_correlators(v) + v->contractions.count == 0
                                                ? "The file holds none so far."
                                                : NULL);
    status = status == NAIK_OK ? report_contractions(log, out, v) : status;
    status = status == NAIK_OK ? report_histories(log, out, v) : status;
    status = status == NAIK_OK ? report_modes(log, out, v, with->modes) : status;
    print_time_by_mass(out, v, t.seconds);
    print_times(out, v);
    print_solves(out, v);
    print_provenance(out, v);
    fprintf(out, "<p>Made by naik %s (%s).</p>\n", naik_version(), naik_version_git());
    html_end(out);
    return status;
}

/* "dir/prop.h5" to "dir/prop.html". */
static void page_name(const char *path, char *name, size_t name_size)
{
    const size_t length = strlen(path);
    const bool h5 = length > 3 && strcmp(path + length - 3, ".h5") == 0;
    snprintf(name, name_size, "%.*s.html", (int)(h5 ? length - 3 : length), path);
}

static naik_status cannot_write(naik_log *log, naik_status status, const char *name)
{
    return NAIK_FAIL(log, status, "%s cannot be written: %s", name, strerror(errno));
}

/* A file that gets its name when it is whole, or what a name leads to that is no file to rename over, such as a
 * terminal. A FIFO that nobody reads is no place to write to, and is not waited for. */
static FILE *open_report(const char *path, bool renamed, bool *unnamed)
{
    *unnamed = false;
    const int fd = renamed ? naik_file_open_unnamed(path, unnamed)
                           : open(path, O_WRONLY | O_TRUNC | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return NULL;
    }
    const int flags = fcntl(fd, F_GETFL);
    FILE *out = flags >= 0 && fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0 ? fdopen(fd, "w") : NULL;
    if (out == NULL) {
        close(fd);
    }
    return out;
}

static naik_status write_report(naik_comm *comm, const char *name,
                                const naik_propagator_reader *view, const beside *with, int *damage)
{
    naik_log *log = comm->log;
    naik_status status = NAIK_OK;
    char beside[PATH_SIZE];
    struct stat info;
    bool unnamed;
    const bool renamed = stat(name, &info) != 0 || S_ISREG(info.st_mode);
    snprintf(beside, sizeof beside, renamed ? "%s.new%ld" : "%s", name, (long)getpid());
    FILE *out = open_report(beside, renamed, &unnamed);
    if (out == NULL) {
        return errno == ENXIO ? NAIK_FAIL(log, NAIK_ERR_INPUT,
                                          "%s is a FIFO that nobody reads, or no device", name)
                              : cannot_write(log, naik_text_refused(errno), name);
    }
    status = print_report(log, out, view, with, damage);
    const bool whole = fflush(out) == 0 && ferror(out) == 0;
    const bool named = whole && (!unnamed || naik_file_give_name(fileno(out), beside));
    if ((fclose(out) != 0 || !named) && status == NAIK_OK) {
        status = cannot_write(log, NAIK_ERR_IO, name);
    }
    if (status == NAIK_OK && renamed) {
        errno = naik_path_rename(beside, name, comm->io.replace);
        status = errno != 0 ? cannot_write(log, naik_text_refused(errno), name) : NAIK_OK;
    }
    if (status != NAIK_OK && renamed) {
        (void)unlink(beside);
    }
    return status;
}

static naik_status report(naik_comm *comm, const char *path, const char *name, const beside *with)
{
    naik_log *log = comm->log;
    naik_status status = NAIK_OK;
    naik_propagator_reader *view = NULL;
    int damage = 0;
    NAIK_TRY(naik_propagator_reader_open(log, path, REPORT_HISTORIES, MAX_CORRELATORS, &view));
    if (with->status == NAIK_ERR_INPUT) {
        status = NAIK_FAIL(log, NAIK_ERR_INPUT, "%s", with->found);
        goto done;
    }
    if (naik_path_same(name, view->path)) {
        status = NAIK_FAIL(log, NAIK_ERR_INPUT, "'-o' is '%s', which is read as input", name);
        goto done;
    }
    NAIK_TRY(write_report(comm, name, view, with, &damage));
    naik_log_line(log, "wrote %s: open it in any browser", name);
    const totals t = add_up(view);
    if (damage > 0) {
        status =
            NAIK_FAIL(log, NAIK_ERR_CORRUPT, "%s is damaged: see the top of %s", view->path, name);
    } else if (t.failed > 0 && t.done + t.pending == 0) {
        status = NAIK_FAIL(log, NAIK_ERR_NOT_CONVERGED, "no solve of %s converged", view->path);
    }
done:
    naik_propagator_reader_destroy(&view);
    return status;
}

/* What naik info says of the file, of the solutions too where they are to be read: the page is made
 * of a file that is damaged, but never says that it is not. */
static naik_status verify(naik_comm *comm, const char *path, bool solutions, beside *with)
{
    naik_status status = NAIK_OK, verdict = NAIK_OK;
    naik_report *found = naik_report_create();
    if (found == NULL) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for a report");
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    status = naik_file_describe(comm, path, solutions, found, &verdict);
    if (status == NAIK_OK && solutions) {
        int64_t damaged;
        status = naik_report_find_int(comm->log, found, "solves_damaged", &damaged);
        NAIK_TRY(naik_comm_agree(comm, status));
        with->damaged_solves = (int)damaged;
    }
    with->status = status == NAIK_OK ? verdict : status;
    if (status == NAIK_ERR_CORRUPT || status == NAIK_ERR_INPUT) {
        snprintf(with->found, sizeof with->found, "%s", naik_log_message(comm->log));
        naik_log_clear(comm->log);
        status = NAIK_OK;
    } else if (status == NAIK_OK && verdict == NAIK_ERR_CORRUPT) {
        snprintf(with->found, sizeof with->found,
                 "it disagrees with itself: naik info tells where");
    }
done:
    naik_report_destroy(&found);
    return status;
}

naik_status naik_command_report(naik_comm *comm, int argc, char **argv)
{
    const char *path = NULL, *output = NULL, *modes = NULL;
    bool no_verify = false;
    char name[PATH_SIZE];
    prediction predicted;
    const naik_option options[] = {
        {.name = "output", .letter = 'o', .kind = NAIK_OPTION_TEXT, .target = &output},
        {.name = "modes", .kind = NAIK_OPTION_TEXT, .target = &modes},
        {.name = "no-verify", .kind = NAIK_OPTION_FLAG, .target = &no_verify},
        {.name = "force", .kind = NAIK_OPTION_FLAG, .target = &comm->io.replace}};
    const char *const operands[] = {"FILE.h5"};
    naik_status status =
        naik_options_parse(comm->log, "report", argc, argv, options, 4, operands, 1, &path);
    if (status == NAIK_OK) {
        page_name(path, name, sizeof name);
        output = output != NULL ? output : name;
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    const char *const inputs[] = {path, modes};
    NAIK_TRY(naik_path_refuse_input(comm, "-o", output, inputs, 2));
    NAIK_TRY(naik_path_refuse_output(comm, "-o", output));
    NAIK_TRY(prediction_of_file(comm, path, &predicted));
    beside with = {.modes = modes, .predicted = &predicted, .damaged_solves = -1};
    NAIK_TRY(verify(comm, path, !no_verify, &with));
    status = comm->rank == 0 ? report(comm, path, output, &with) : NAIK_OK;
done:
    return naik_comm_agree(comm, status);
}
