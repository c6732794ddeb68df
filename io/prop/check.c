/* check.c - is this the file that the input asks for, and is everything in it intact */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io/checksum.h"
#include "io/finite.h"
#include "io/gauge/same_links.h"
#include "io/h5/metadata_crc.h"
#include "io/prop/prop_file.h"
#include "io/reread.h"

enum { LINE = 200, AROUND = 80, TOLD = 400, TEXT = 4096 };

/* "key = " at the beginning of a line of an input's text; its length with the '='. */
static size_t key_length(const char *line)
{
    const size_t length = strcspn(line, "\n"), key = strcspn(line, "=");
    return key < length ? key + 1 : length;
}

/* A line, or of a long one the key and what is around the byte `same`. */
static void copy_line(const char *text, size_t same, char line[LINE])
{
    const size_t length = strcspn(text, "\n"), before = AROUND / 2;
    if (same + AROUND < LINE || same > length || key_length(text) + AROUND > LINE) {
        snprintf(line, LINE, "%.*s", (int)length, text);
        return;
    }
    snprintf(line, LINE, "%.*s ... %.*s", (int)key_length(text), text,
             (int)(length - same + before), text + same - before);
}

/* Two lines, so that people see where they differ. */
static void copy_lines(const char *a, const char *b, char mine[LINE], char its[LINE])
{
    size_t same = 0;
    while (a[same] == b[same] && a[same] != '\0' && a[same] != '\n') {
        same++;
    }
    copy_line(a, same, mine);
    copy_line(b, same, its);
}

/* The first line that differs, in `before` and `now`; false if the texts agree. */
static bool first_difference(const char *old_text, const char *new_text, char before[LINE],
                             char now[LINE])
{
    while ((*old_text != '\0' || *new_text != '\0') && naik_line_same(old_text, new_text)) {
        old_text = naik_line_next(old_text);
        new_text = naik_line_next(new_text);
    }
    copy_lines(old_text, new_text, before, now);
    return *old_text != '\0' || *new_text != '\0';
}

/* The line of `text` with the key of `line`; NULL: none. */
static const char *line_of_key(const char *text, const char *line)
{
    const size_t key = key_length(line);
    while (*text != '\0' && (key_length(text) != key || memcmp(text, line, key) != 0)) {
        text = naik_line_next(text);
    }
    return *text != '\0' ? text : NULL;
}

/* The first line of `of` that `in` has otherwise, in `mine`, and what `in` has of its key in `its`: "" where
 * that is nothing. */
static bool differs_in_key(const char *of, const char *in, char mine[LINE], char its[LINE])
{
    for (; *of != '\0'; of = naik_line_next(of)) {
        const char *other = line_of_key(in, of);
        if (other == NULL || !naik_line_same(of, other)) {
            copy_lines(of, other != NULL ? other : "", mine, its);
            return true;
        }
    }
    return false;
}

/* Two keys whose lines are missing where correlators are counted as they were before there were these keys. */
static const struct {
    const char *line, *without;
} counted[] = {{"output.origin = ", "output.origin = [0, 0, 0, 0]"},
               {"output.momentum_weight = ", "output.momentum_weight = cos"}};

/* Keys without a default, whose lines are missing where they are 0. */
static const struct {
    const char *line, *without;
} given[] = {{"action.csw = ", "action.csw = 0"}, {"action.mu = ", "action.mu = 0"}};

static const char *counted_without(const char *line)
{
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        if (strncmp(line, counted[i].line, strlen(counted[i].line)) == 0) {
            return counted[i].without;
        }
    }
    return NULL;
}

/* The line that `line` stands beside, which is not there. */
static void add_given(const char *line, char missing[LINE])
{
    for (size_t i = 0; missing[0] == '\0' && i < sizeof given / sizeof *given; i++) {
        if (naik_text_begins(line, given[i].line)) {
            snprintf(missing, LINE, "%s", given[i].without);
        }
    }
}

/* `before` is a line of a counted key that the new text lacks: because of another key that only the new text
 * has, which is then told instead, or because correlators are counted otherwise. */
static void explain_counted(const char *old_text, const char *new_text, char before[LINE],
                            char now[LINE])
{
    char its[LINE] = "";
    if (differs_in_key(new_text, old_text, now, its) && counted_without(now) == NULL) {
        memcpy(before, its, LINE);
        return;
    }
    snprintf(now, LINE, "%s", counted_without(before));
}

/* What people are told of a line: behind masses of quarks that have one, each one's kappa, but not that of a
 * mass which copy_line has cut. */
static void tell(const char *text, const char *line, char told[TOLD])
{
    static const char action[] = "action.type = ", key[] = "masses = [";
    char word[64];
    snprintf(told, TOLD, "%s", line);
    const char *type = naik_line_find(text, action), *number = strstr(line, key);
    snprintf(word, sizeof word, "%.*s", (int)strcspn(type, "\n"), type);
    naik_quark quark = {.kind = naik_quark_kind_of(word + (*word != '\0' ? strlen(action) : 0))};
    if (number == NULL || naik_quark_kappa(&quark) == 0) {
        return;
    }
    size_t used = strlen(told);
    const char *between = ", kappas ";
    char *end = NULL;
    for (number += strlen(key); used < TOLD; number = end + strspn(end, ", ")) {
        quark.mass = naik_text_strtod(number, &end);
        if (end == number || (*end != ',' && *end != ']')) {
            break;
        }
        used += (size_t)snprintf(told + used, TOLD - used, "%s%.15g", between,
                                 naik_quark_kappa(&quark));
        between = " and ";
    }
}

/* An input is compared key by key: what later versions have besides stands between the lines of older ones,
 * or misses there. */
static naik_status compare_input(naik_log *log, const char *path, const char *old_text,
                                 const char *new_text)
{
    char before[LINE] = "", now[LINE] = "", then[TOLD], told[TOLD];
    const char *go_on =
        "go back to the first, choose another output.file, or begin again with --fresh";
    if (strcmp(old_text, new_text) == 0 || (!differs_in_key(old_text, new_text, before, now) &&
                                            !differs_in_key(new_text, old_text, now, before))) {
        return NAIK_OK;
    }
    if (now[0] == '\0' && counted_without(before) != NULL) {
        explain_counted(old_text, new_text, before, now);
    }
    if (before[0] == '\0' && counted_without(now) != NULL) {
        return NAIK_FAIL(
            log, NAIK_ERR_INPUT,
            "%s was begun with correlators counted from the lattice's origin, or with "
            "cosines for momenta: give output: {origin: [0, 0, 0, 0], momentum_weight: "
            "cos} to go on so (Wilson quarks: momentum_weight: cos alone), choose another "
            "output.file, or begin again with --fresh",
            path);
    }
    add_given(before, now);
    add_given(now, before);
    if (before[0] == '\0') {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "%s was begun with the input's '%.*s' at its default, now it is "
                         "'%s': %s",
                         path, (int)strcspn(now, " ="), now, now, go_on);
    }
    if (now[0] == '\0') {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "%s was begun with the input '%s', now '%.*s' is at its default: %s", path,
                         before, (int)strcspn(before, " ="), before, go_on);
    }
    tell(old_text, before, then);
    tell(new_text, now, told);
    return NAIK_FAIL(log, NAIK_ERR_INPUT, "%s was begun with the input '%s', now it is '%s': %s",
                     path, then, told, go_on);
}

static naik_status compare_text(naik_log *log, const char *path, const char *what,
                                const char *old_text, const char *new_text)
{
    char before[LINE] = "", now[LINE] = "";
    if (!first_difference(old_text != NULL ? old_text : "", new_text != NULL ? new_text : "",
                          before, now)) {
        return NAIK_OK;
    }
    return NAIK_FAIL(log, NAIK_ERR_INPUT,
                     "%s was begun with %s '%s', now it is '%s': go back to the first, choose "
                     "another output.file, or begin again with --fresh",
                     path, what, before, now);
}

static naik_status compare_document(naik_log *log, hid_t group, const char *path, const char *name,
                                    const char *what, const char *now)
{
    char *before = NULL;
    naik_status status = naik_h5_get_document(log, group, name, &before);
    if (status == NAIK_OK) {
        status = compare_text(log, path, what, before, now);
    }
    free(before);
    return status;
}

naik_status naik_prop_compare_input(naik_log *log, hid_t h5, const char *path,
                                    const char *canonical_input)
{
    char *before = NULL;
    hid_t group = H5Gopen2(h5, "metadata", H5P_DEFAULT);
    naik_status status =
        group >= 0 ? NAIK_OK : NAIK_FAIL(log, NAIK_ERR_CORRUPT, "%s has no /metadata", path);
    NAIK_TRY(status);
    NAIK_TRY(naik_h5_check_metadata_crc(log, h5, path));
    NAIK_TRY(naik_h5_get_document(log, group, "canonical_input", &before));
    NAIK_TRY(compare_input(log, path, before != NULL ? before : "",
                           canonical_input != NULL ? canonical_input : ""));
done:
    free(before);
    naik_h5_release(group);
    return status;
}

naik_status naik_prop_share_text(naik_comm *comm, char **text)
{
    naik_status status = NAIK_OK;
    int64_t bytes = *text != NULL ? (int64_t)strlen(*text) + 1 : 0;
    NAIK_PASS(naik_comm_broadcast(comm, &bytes, sizeof bytes, 0));
    if (comm->rank != 0) {
        free(*text);
        *text = bytes > 0 ? malloc((size_t)bytes) : NULL;
    }
    if (bytes > 0 && *text == NULL) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for a text of the output");
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    return naik_comm_broadcast(comm, *text, (size_t)bytes, 0);
}

/* NULL where the file has none. */
naik_status naik_prop_share_choices(naik_propagator_file *file, const char *path)
{
    naik_comm *comm = file->comm;
    NAIK_PASS(naik_prop_share_text(comm, &file->choices));
    /* so does a text look that could not be read */
    if (file->choices == NULL || file->choices[0] == '\0') {
        NAIK_PASS(naik_file_reread(comm, path, 0, -1));
    }
    return NAIK_OK;
}

naik_status naik_prop_compare(naik_propagator_file *file, const char *path,
                              const naik_propagator_spec *spec)
{
    naik_log *log = file->comm->log;
    naik_status status = NAIK_OK;
    char text[TEXT];
    hid_t group = -1;
    NAIK_TRY(naik_prop_compare_input(log, file->h5, path, spec->canonical_input));
    group = H5Gopen2(file->h5, "metadata", H5P_DEFAULT);
    naik_h5_get_text(group, "gauge_checksum", text, sizeof text);
    if (spec->gauge_checksum == NULL || !naik_same_links(text, spec->gauge_checksum)) {
        NAIK_TRY(compare_text(log, path, "the gauge configuration", text, spec->gauge_checksum));
    }
    naik_h5_get_text(group, "numerics", text, sizeof text);
    NAIK_TRY(compare_text(log, path, "the arithmetic", text, spec->numerics));
    NAIK_TRY(compare_document(log, group, path, "source_checksums", "the sources",
                              spec->source_checksums));
    NAIK_TRY(compare_document(log, group, path, "structure", "the layout", file->structure));
    free(file->choices);
    file->choices = NULL;
    NAIK_TRY(naik_h5_get_document(log, group, "choices", &file->choices));
done:
    naik_h5_release(group);
    status = naik_comm_agree(file->comm, status);
    return status != NAIK_OK ? status : naik_prop_share_choices(file, path);
}

static void restore_records(naik_propagator_file *file, const naik_disk_record *disk, bool warn)
{
    const naik_prop_plan *plan = file->plan;
    for (int i = 0; i < plan->solve_count; i++) {
        const struct naik_prop_solve *s = &plan->solve[i];
        naik_solve_record *record = &file->records[i];
        bool good = naik_disk_record_unpack(&disk[i], record);
        good = good && record->source == s->source && record->mass == s->mass &&
               record->colour == s->colour;
        if (!good) {
            if (warn) {
                char name[NAIK_PROP_SOLVE_TEXT];
                naik_prop_solve_text(plan, s, name);
                naik_log_warn(file->comm->log,
                              "the record of %s is damaged: it will be solved again", name);
            }
            *record = naik_prop_pending(plan, i);
        }
        file->small_crc[2 * i] = good ? disk[i].correlators_crc : 0;
        file->small_crc[2 * i + 1] = good ? disk[i].history_crc : 0;
    }
}

static bool all_have_crc(const naik_disk_record *disk, int count)
{
    naik_solve_record record;
    bool good = true;
    for (int i = 0; i < count; i++) {
        good = good && naik_disk_record_unpack(&disk[i], &record);
    }
    return good;
}

naik_status naik_prop_load_records(naik_propagator_file *file, bool warn)
{
    naik_comm *comm = file->comm;
    naik_status status = NAIK_OK;
    const int count = file->plan->solve_count;
    int found = count;
    naik_disk_record *disk = NULL;
    naik_journal_place place = {.bytes = (int64_t)sizeof *disk * count};
    if (comm->rank == 0) {
        status = naik_disk_records_read(comm->log, file->h5, naik_prop_path(file), &found, &disk,
                                        &place.offset);
    } else {
        disk = calloc((size_t)count, sizeof *disk);
    }
    if (status == NAIK_OK && disk == NULL) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for the records of solves");
    } else if (status == NAIK_OK && found != count) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT,
                           "/solves is of another length than the input's solves");
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_comm_broadcast(comm, disk, (size_t)place.bytes, 0));
    NAIK_TRY(naik_comm_broadcast(comm, &place, sizeof place, 0));
    if (!all_have_crc(disk, file->plan->solve_count)) {
        NAIK_TRY(naik_file_reread(comm, naik_prop_path(file), place.offset, place.bytes));
    }
    restore_records(file, disk, warn);
done:
    free(disk);
    return status;
}

naik_status naik_prop_expect_solutions(const naik_propagator_file *file)
{
    for (int i = 0; i < file->plan->solve_count; i++) {
        const naik_solve_record *r = &file->records[i];
        if (naik_prop_is_left_out(r)) {
            char name[NAIK_PROP_SOLVE_TEXT];
            naik_prop_solve_text(file->plan, &file->plan->solve[i], name);
            return NAIK_FAIL(file->comm->log, NAIK_ERR_CORRUPT,
                             "%s calls itself complete, but its record says that the solution of "
                             "%s was left out, as in an unfinished file",
                             naik_prop_path(file), name);
        }
    }
    return NAIK_OK;
}

/* Rank 0: correlators and history against the crcs of the record. */
static naik_status check_small_data(const naik_propagator_file *file, int solve, bool *intact)
{
    const naik_prop_plan *plan = file->plan;
    int64_t correlators = naik_prop_corr_count(plan, plan->solve[solve].source);
    int64_t count = correlators > plan->history_stride ? correlators : plan->history_stride;
    double *numbers = malloc((size_t)(count + 1) * sizeof *numbers);
    if (numbers == NULL) {
        return NAIK_FAIL(file->comm->log, NAIK_ERR_MEMORY, "no memory for correlators");
    }
    bool ok = true;
    if (correlators > 0) {
        ok = naik_prop_read_correlators(file, solve, numbers) == NAIK_OK &&
             naik_crc32(numbers, (size_t)correlators * sizeof *numbers) ==
                 file->small_crc[2 * solve] &&
             naik_values_are_finite(numbers, correlators, 64);
    }
    if (ok && plan->history_stride > 0) {
        ok = naik_prop_read_history(file, solve, numbers) == NAIK_OK &&
             naik_crc32(numbers, (size_t)plan->history_stride * sizeof *numbers) ==
                 file->small_crc[2 * solve + 1];
    }
    free(numbers);
    if (!ok) {
        naik_log_clear(file->comm->log);
    }
    *intact = ok;
    return NAIK_OK;
}

static naik_status compare_solve(naik_propagator_file *file, int solve, bool *intact)
{
    naik_comm *comm = file->comm;
    naik_status status = NAIK_OK;
    const naik_solve_record *record = &file->records[solve];
    naik_h5_field field = {.dataset = -1, .type = -1};
    bool ok = true;
    *intact = false;
    if (naik_prop_has_slab(file, solve)) {
        uint32_t sum[2];
        status = naik_comm_agree(comm, naik_prop_open_slab(file, solve, &field));
        if (status == NAIK_ERR_CORRUPT) {
            naik_log_clear(comm->log);
            status = NAIK_OK;
            goto done;
        }
        NAIK_TRY(status);
        NAIK_TRY(naik_h5_field_read(file->lattice, &field, NULL, sum));
        ok = sum[0] == record->suma && sum[1] == record->sumb;
    }
    if (comm->rank == 0 && ok) {
        status = check_small_data(file, solve, &ok);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_comm_broadcast(comm, &ok, sizeof ok, 0));
    *intact = ok;
done:
    naik_prop_close_slab(&field);
    return status;
}

/* Whether the file system gives what a solve has in the file. */
static naik_status reread_solve(naik_propagator_file *file, int solve)
{
    naik_journal_entry entry;
    NAIK_PASS(naik_comm_agree(file->comm, naik_prop_locate(file, solve, &entry)));
    const naik_journal_place places[] = {entry.slab, entry.correlators, entry.history};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        NAIK_PASS(
            naik_file_reread(file->comm, naik_prop_path(file), places[i].offset, places[i].bytes));
    }
    return NAIK_OK;
}

naik_status naik_prop_check_solve(naik_propagator_file *file, int solve, bool *intact)
{
    NAIK_PASS(compare_solve(file, solve, intact));
    if (*intact) {
        return NAIK_OK;
    }
    const naik_status status = reread_solve(file, solve);
    if (status == NAIK_ERR_CORRUPT) { /* of another shape: it lies nowhere */
        naik_log_clear(file->comm->log);
        return NAIK_OK;
    }
    NAIK_PASS(status);
    NAIK_PASS(compare_solve(file, solve, intact));
    if (*intact) {
        naik_log_warn(file->comm->log,
                      "%s gave other bytes at first than when it was read again: its file system "
                      "is not to be trusted",
                      naik_prop_path(file));
    }
    return NAIK_OK;
}

naik_status naik_prop_reset_solve(naik_propagator_file *file, int solve)
{
    file->records[solve] = naik_prop_pending(file->plan, solve);
    return naik_comm_agree(file->comm,
                           file->comm->rank == 0 ? naik_prop_write_pending(file, solve) : NAIK_OK);
}

/* Sums that disagree with their colours are written again, or counted. Rank 0. */
static naik_status check_sums(naik_propagator_file *file, int source, int mass, bool repair,
                              int *bad)
{
    naik_status status = NAIK_OK;
    const size_t count = (size_t)naik_prop_corr_count(file->plan, source);
    double *expected = malloc(2 * count * sizeof *expected);
    if (expected == NULL) {
        return NAIK_FAIL(file->comm->log, NAIK_ERR_MEMORY, "no memory for correlators");
    }
    double *found = expected + count;
    status = naik_prop_sum_colours(file, source, mass, expected);
    status = status == NAIK_OK ? naik_prop_read_sums(file, source, mass, found) : status;
    const bool unread = status == NAIK_ERR_CORRUPT && !repair;
    if (unread) {
        naik_log_clear(file->comm->log);
        status = NAIK_OK;
    }
    NAIK_TRY(status);
    if (unread || memcmp(expected, found, count * sizeof *expected) != 0) {
        if (repair) {
            NAIK_TRY(naik_prop_write_sums(file, source, mass, expected));
        } else {
            ++*bad;
            naik_log_warn(file->comm->log,
                          "the correlators of source %d mass %d are not the sum of their colours",
                          source, mass);
        }
    }
done:
    free(expected);
    return status;
}

naik_status naik_prop_check_sums(naik_propagator_file *file, bool repair, int *bad)
{
    const naik_prop_plan *plan = file->plan;
    naik_status status = NAIK_OK;
    if (file->comm->rank == 0) {
        const int columns = naik_prop_columns(plan);
        for (int i = 0; i < plan->solve_count && status == NAIK_OK; i += columns) {
            const int mass = plan->solve[i].mass;
            const int source = plan->solve[i].source; /* -1: its records are damaged */
            if (source >= 0 && naik_prop_corr_count(plan, source) > 0 &&
                naik_propagator_file_has_all(file, source, mass)) {
                status = check_sums(file, source, mass, repair, bad);
            }
        }
    }
    status = naik_comm_agree(file->comm, status);
    if (status == NAIK_OK) {
        status = naik_comm_broadcast(file->comm, bad, sizeof *bad, 0);
    }
    return status;
}

naik_status naik_prop_verify(naik_propagator_file *file, bool reset, int *bad)
{
    naik_comm *comm = file->comm;
    *bad = 0;
    for (int i = 0; i < file->plan->solve_count; i++) {
        bool intact = true;
        if (file->records[i].state == NAIK_SOLVE_PENDING) {
            continue;
        }
        NAIK_PASS(naik_prop_check_solve(file, i, &intact));
        if (!intact) {
            char name[NAIK_PROP_SOLVE_TEXT];
            naik_prop_solve_text(file->plan, &file->plan->solve[i], name);
            ++*bad;
            naik_log_warn(comm->log, "%s disagrees with its checksum in the file%s", name,
                          reset ? ": it will be solved again" : "");
            if (reset) {
                NAIK_PASS(naik_prop_reset_solve(file, i));
            }
        }
    }
    NAIK_PASS(naik_prop_check_sums(file, reset, bad));
    if (reset) {
        NAIK_PASS(naik_h5_flush(comm, file->h5));
    }
    return NAIK_OK;
}
