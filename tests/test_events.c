/* test_events.c - logs of events and reports, byte by byte: what is written of names and texts, what a log may
 * follow, and what is left of a torn one; axes and legends of the plots of a page
 *
 * ranks: 1
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/events.h"
#include "base/report.h"
#include "check.h"
#include "report/html.h"

enum { TEXT = 16384 };

/* How a text is printed in JSON, and for people in a line of its own and in a row of a list. */
static const struct {
    const char *text, *json, *line, *row;
} texts[] = {
    {"", "\"\"", "", ""},
    {"plain", "\"plain\"", "plain", "plain"},
    {"a \"b\" \\c", "\"a \\\"b\\\" \\\\c\"", "a \"b\" \\c", "a \"b\" \\c"},
    {"two\nlines", "\"two\\nlines\"", "\n    two\n    lines", "two?lines"},
    {"two\nlines\n", "\"two\\nlines\\n\"", "\n    two\n    lines", "two?lines?"},
    {"a\tb\x1b[1m\x7f", "\"a\\u0009b\\u001b[1m\\u007f\"", "a?b?[1m?", "a?b?[1m?"},
    {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82", "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82\"",
     "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82"},
    {"\xff|\xc3|\xc2\x85|\xed\xa0\x80", "\"\\ufffd|\\ufffd|\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd\"",
     "?|?|??|???", "?|?|??|???"},
};

static void keep_line(void *data, bool warning, const char *text)
{
    char *all = data;
    const size_t used = strlen(all);
    snprintf(all + used, TEXT - used, "%s%s\n", warning ? "warning: " : "", text);
}

static void texts_are_told_whole_and_harmless(check *t)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char want[512], got[TEXT] = "";
        naik_report *report = naik_report_create();
        naik_report_begin(report, "of");
        naik_report_text(report, "name", texts[i].text);
        naik_report_end(report);
        naik_report_list(report, "list");
        naik_report_begin(report, NULL);
        naik_report_text(report, "name", texts[i].text);
        naik_report_int(report, "number", -7);
        naik_report_end(report);
        naik_report_text(report, NULL, "last");
        naik_report_end(report);
        char *json = naik_report_json(report);
        snprintf(want, sizeof want,
                 "{\"of\": {\"name\": %s}, \"list\": [{\"name\": %s, \"number\": -7}, \"last\"]}",
                 texts[i].json, texts[i].json);
        CHECK_TEXT(t, json != NULL ? json : "none", want);
        naik_log_take(t->log, keep_line, got);
        CHECK_OK(t, naik_report_print(report, t->log, false));
        naik_log_take(t->log, NULL, NULL);
        snprintf(want, sizeof want, "of:\n  name: %s\nlist:\n  - name=%s number=-7\n  - last\n",
                 texts[i].line, texts[i].row);
        CHECK_TEXT(t, got, want);
        free(json);
        naik_report_destroy(&report);
    }
}

static void numbers_are_told_to_the_last_digit(check *t)
{
    static const struct {
        double value;
        const char *json;
    } rows[] = {{0.1, "0.1"},
                {1.0 / 3, "0.3333333333333333"},
                {-2e-300, "-2e-300"},
                {INFINITY, "null"},
                {NAN, "null"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char want[128];
        naik_report *report = naik_report_create();
        naik_report_real(report, "x", rows[i].value);
        naik_report_bool(report, "yes", true);
        naik_report_bool(report, "no", false);
        naik_report_int(report, "n", INT64_MIN);
        char *json = naik_report_json(report);
        snprintf(want, sizeof want,
                 "{\"x\": %s, \"yes\": true, \"no\": false, \"n\": -9223372036854775808}",
                 rows[i].json);
        CHECK_TEXT(t, json != NULL ? json : "none", want);
        int64_t n = 0, m = 0;
        CHECK_OK(t, naik_report_find_int(t->log, report, "n", &n));
        CHECK_OK(t, naik_report_find_int(t->log, report, "m", &m));
        CHECK_TRUE(t, n == INT64_MIN && m == -1);
        free(json);
        naik_report_destroy(&report);
    }
}

/* ---- logs of events */

static void put(check *t, const char *path, const char *text, size_t length)
{
    (void)unlink(path);
    FILE *file = text != NULL ? fopen(path, "w") : NULL;
    if (file != NULL) {
        CHECK_TRUE(t, fwrite(text, 1, length, file) == length);
        fclose(file);
    }
}

static void read_back(const char *path, char all[TEXT])
{
    FILE *file = fopen(path, "r");
    all[0] = '\0';
    if (file != NULL) {
        all[fread(all, 1, TEXT - 1, file)] = '\0';
        fclose(file);
    }
}

/* A log that may be followed loses what is behind its last line and gets one line more; another file stays. */
static void a_log_follows_whole_lines_of_events(check *t, const char *before, size_t kept,
                                                bool taken)
{
    char path[512], all[TEXT];
    naik_events *events = NULL;
    const size_t length = before != NULL ? strlen(before) : 0;
    snprintf(path, sizeof path, "%s/events", check_folder());
    put(t, path, before, length);
    CHECK_STATUS(t, naik_events_precheck(t->log, path), taken ? NAIK_OK : NAIK_ERR_INPUT);
    naik_log_clear(t->log);
    read_back(path, all);
    CHECK_TRUE(t, strcmp(all, before != NULL ? before : "") == 0); /* nothing has changed */
    CHECK_INT(t, access(path, F_OK) == 0, before != NULL);
    CHECK_STATUS(t, naik_events_open(t->log, path, &events), taken ? NAIK_OK : NAIK_ERR_INPUT);
    naik_log_clear(t->log);
    naik_report *event = naik_events_begin(events, "test");
    naik_events_write(events, &event);
    naik_events_close(&events);
    read_back(path, all);
    if (!taken) {
        CHECK_TEXT(t, all, before);
        return;
    }
    static const char begin[] = "{\"event\": \"test\", \"time\": ";
    CHECK_TRUE(t, strncmp(all, before != NULL ? before : "", kept) == 0);
    CHECK_TRUE(t, strncmp(all + kept, begin, sizeof begin - 1) == 0);
    const char *end = strchr(all + kept, '\n');
    CHECK_TRUE(t, end != NULL && end[1] == '\0' && end[-1] == '}');
}

static void only_whole_lines_of_events_are_followed(check *t)
{
    static const char one[] = "{\"event\": \"x\"}\n";
    static const struct {
        const char *text;
        int kept; /* -1: refused */
    } rows[] = {{NULL, 0},
                {"", 0},
                {"{", 0},
                {"{\"event\"", 0},
                {"{\"event\": \"x\"}\n", sizeof one - 1},
                {"{\"event\": \"x\"}\n{\"eve", sizeof one - 1},
                {"{\"event\": \"x\"}\n\n", sizeof one},
                {"{\"evens\": \"x\"}\n", -1},
                {"x", -1},
                {"\n", -1},
                {"[{\"event\": \"x\"}]\n", -1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool taken = rows[i].kept >= 0;
        a_log_follows_whole_lines_of_events(t, rows[i].text, taken ? (size_t)rows[i].kept : 0,
                                            taken);
    }
    /* a torn end that is longer than what is looked at in one go, or just so long */
    for (int torn = 4094; torn <= 4098; torn++) {
        char *text = calloc(1, TEXT);
        CHECK_REQUIRE(t, text != NULL);
        memcpy(text, one, sizeof one - 1);
        memset(text + sizeof one - 1, 'x', (size_t)torn);
        a_log_follows_whole_lines_of_events(t, text, sizeof one - 1, true);
        free(text);
    }
}

static void warnings_are_events_while_the_log_is_open(check *t)
{
    char path[512], all[TEXT], said[TEXT] = "";
    naik_events *events = NULL;
    snprintf(path, sizeof path, "%s/warnings", check_folder());
    naik_log_take(t->log, keep_line, said);
    CHECK_OK(t, naik_events_open(t->log, path, &events));
    naik_log_line(t->log, "no warning");
    naik_log_warn(t->log, "first");
    naik_events_close(&events);
    naik_log_warn(t->log, "second");
    naik_log_take(t->log, NULL, NULL);
    read_back(path, all);
    CHECK_TRUE(t, strstr(all, "\"text\": \"first\"}\n") != NULL);
    CHECK_TRUE(t, strstr(all, "second") == NULL && strstr(all, "no warning") == NULL);
    CHECK_TEXT(t, said, "no warning\nwarning: first\nwarning: second\n");
}

static void count_warning(void *data, const char *text)
{
    (void)text;
    ++*(int *)data;
}

static void what_is_warned_of_once_is_not_said_again(check *t)
{
    int warnings = 0;
    naik_log_watch_warnings(t->log, count_warning, &warnings);
    for (int i = 0; i < 3; i++) {
        naik_log_warn_once(t->log, "of %d", 1);
    }
    CHECK_INT(t, warnings, 1);
    naik_log_warn_once(t->log, "of %d", 2);
    CHECK_INT(t, warnings, 2);
    naik_log_watch_warnings(t->log, NULL, NULL);
}

/* The numbers at the steps of an axis, one after the other: of texts that are anchored so. */
static void steps_of(const char *page, const char *anchor, char *out)
{
    out[0] = '\0';
    for (const char *at = strstr(page, anchor); at != NULL; at = strstr(at, anchor)) {
        at += strlen(anchor);
        const int length = (int)strcspn(at, "<");
        if (at[0] != '%') { /* the name of the axis */
            sprintf(out + strlen(out), "%s%.*s", out[0] == '\0' ? "" : " ", length, at);
        }
    }
}

static void draw(check *t, const html_axes *axes, const html_curve *curves, int count, char *page)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    CHECK_REQUIRE(t, out != NULL);
    html_plot(out, axes, curves, count);
    fclose(out);
    CHECK_REQUIRE(t, size < TEXT);
    memcpy(page, text, size + 1);
    free(text);
}

/* Of 1, 2 or 5 and a power of ten, so many that the axis has at most eight in x and six in y. */
static void axes_have_steps_in_which_people_count(check *t)
{
    static const struct {
        int count; /* points of the curve */
        bool log_y;
        double most; /* its values begin with 0, or 1 on a logarithmic axis */
        const char *x, *y;
    } rows[] = {{8, false, 5, "0 1 2 3 4 5 6 7", "0 1 2 3 4 5"},
                {9, false, 6, "0 2 4 6 8", "0 2 4 6"},
                {16, false, 10, "0 2 4 6 8 10 12 14", "0 2 4 6 8 10"},
                {17, false, 11, "0 5 10 15", "0 5 10"},
                {38, false, 0.26, "0 5 10 15 20 25 30 35", "0 0.05 0.1 0.15 0.2 0.25"},
                {39, false, 0.27, "0 10 20 30", "0 0.1 0.2"},
                {3, true, 1e5, "0 1 2", "1e0 1e1 1e2 1e3 1e4 1e5"},
                {3, true, 1e6, "0 1 2", "1e0 1e2 1e4 1e6"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double y[40];
        char page[TEXT], steps[256];
        for (int k = 0; k < rows[i].count; k++) {
            y[k] = k > 0 ? rows[i].most : rows[i].log_y ? 1 : 0;
        }
        const html_curve curve = {"a", "a", 0, y, rows[i].count, 0};
        const html_axes axes = {"title", "%x", "%y", rows[i].log_y, false};
        draw(t, &axes, &curve, 1, page);
        steps_of(page, "text-anchor=\"middle\">", steps);
        CHECK_TEXT(t, steps, rows[i].x);
        steps_of(page, "text-anchor=\"end\">", steps);
        CHECK_TEXT(t, steps, rows[i].y);
    }
}

/* Once for each colour, and for those that have one. */
static void a_legend_names_each_colour_once(check *t)
{
    const double y[2] = {1, 2};
    const html_curve curves[] = {{"red", "1", 0, y, 2, 0},
                                 {"blue", "2", 1, y, 2, 0},
                                 {"red", "3", 0, y, 2, 0},
                                 {"", "4", 2, y, 2, 0}};
    char page[TEXT];
    draw(t, &(html_axes){"title", "x", "y", false, false}, curves, 4, page);
    const char *legend = strstr(page, "<div class=\"legend\">");
    CHECK_REQUIRE(t, legend != NULL);
    int named = 0;
    for (const char *at = strstr(legend, "<span>"); at != NULL; at = strstr(at + 1, "<span>")) {
        named++;
    }
    CHECK_INT(t, named, 2);
    CHECK_TRUE(t, strstr(legend, "/></svg> red</span>") != NULL);
    CHECK_TRUE(t, strstr(legend, "/></svg> blue</span>") != NULL);
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "<title>%d</title>", i + 1);
        CHECK_TRUE(t, strstr(page, name) != NULL);
    }
}

CHECK_MAIN(CHECK(what_is_warned_of_once_is_not_said_again),
           CHECK(texts_are_told_whole_and_harmless), CHECK(numbers_are_told_to_the_last_digit),
           CHECK(only_whole_lines_of_events_are_followed),
           CHECK(warnings_are_events_while_the_log_is_open),
           CHECK(axes_have_steps_in_which_people_count), CHECK(a_legend_names_each_colour_once))
