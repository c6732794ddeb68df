/* test_command_rows.c - commands in one process, one after the other: tests/command_rows.txt, a refusal or a line a row;
 * and what MILC's inputs become: tests/milc_rows.txt, a change of an input a row
 *
 * ranks: 1
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/create.h"
#include "bench/bench.h"
#include "check.h"
#include "cli/commands.h"

enum { LINE = 2000, WORDS = 40, SAID = 1 << 18, SHOWN = 400, INPUT = 8000 };

static const struct {
    const char *name;
    naik_command run;
} commands[] = {{"solve", naik_command_solve},   {"gauge", naik_command_gauge},
                {"links", naik_command_links},   {"modes", naik_command_modes},
                {"info", naik_command_info},     {"export", naik_command_export},
                {"report", naik_command_report}, {"import-milc", naik_command_import_milc},
                {"bench", naik_command_bench}};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* What a command has said: its lines, its warnings and its sentence. */
typedef struct speech {
    char text[SAID];
    size_t used;
} speech;

static void hear(void *data, bool warning, const char *text)
{
    speech *s = data;
    if (s->used < sizeof s->text) {
        s->used += (size_t)snprintf(s->text + s->used, sizeof s->text - s->used, "%s%s\n",
                                    warning ? "warning: " : "", text);
    }
}

/* `row` has words with a space between two; a ~ in a word is a space. Returns the exit status. */
static int run_row(check *t, char *row, speech *s)
{
    char *words[WORDS] = {NULL};
    int count = 0, exit_status = -1;
    for (char *at = strtok(row, " "); at != NULL && count < WORDS - 1; at = strtok(NULL, " ")) {
        words[count++] = at;
        for (char *c = at; *c != '\0'; c++) {
            *c = *c == '~' ? ' ' : *c;
        }
    }
    s->text[0] = '\0';
    s->used = 0;
    for (int i = 0; i < COMMANDS && count > 0; i++) {
        if (strcmp(commands[i].name, words[0]) == 0) {
            const naik_io_options io = t->comm->io;
            t->comm->io.replace = false;
            naik_log_take(t->log, hear, s);
            const naik_status status = commands[i].run(t->comm, count, words);
            naik_log_take(t->log, NULL, NULL);
            if (status != NAIK_OK) {
                hear(s, false, naik_log_message(t->log));
            }
            naik_log_clear(t->log);
            t->comm->io = io;
            exit_status = naik_status_exit(status);
        }
    }
    return exit_status;
}

static bool warns_as_said(const speech *s, const char *want)
{
    return strstr(want, "warning: ") != NULL || strstr(s->text, "warning: ") == NULL;
}

/* want: "STATUS PIECE | PIECE", of which one that begins with ! must not be said */
static bool is_as_said(int status, const speech *s, char *want)
{
    bool ok = strtol(want, &want, 10) == status;
    for (char *at = want + (*want == ' '); at != NULL && *at != '\0';) {
        char *bar = strstr(at, " | ");
        if (bar != NULL) {
            *bar = '\0';
        }
        ok = ok && (*at == '!' ? strstr(s->text, at + 1) == NULL : strstr(s->text, at) != NULL);
        at = bar != NULL ? bar + 3 : NULL;
    }
    return ok;
}

/* Reads a line without its end; false at the end of the file. */
static bool read_line(FILE *file, char line[LINE])
{
    if (fgets(line, LINE, file) == NULL) {
        return false;
    }
    line[strcspn(line, "\n")] = '\0';
    return true;
}

/* A file of the lines up to an empty one. */
static bool write_file(FILE *from, const char *name)
{
    char line[LINE];
    FILE *out = fopen(name, "w");
    while (out != NULL && read_line(from, line) && line[0] != '\0') {
        fprintf(out, "%s\n", line);
    }
    return out != NULL && fclose(out) == 0;
}

/* Goes to a folder of its own, where nothing is yet; `back` is where it was before. */
static bool enter(const char *name, char back[512])
{
    char folder[512];
    snprintf(folder, sizeof folder, "%s/%s_%ld", check_folder(), name, (long)getpid());
    return getcwd(back, 512) != NULL && mkdir(folder, 0700) == 0 && chdir(folder) == 0;
}

static void every_command_ends_as_it_is_stated(check *t)
{
    char line[LINE], row[LINE], want[LINE], back[512];
    int rows = 0;
    speech *s = calloc(1, sizeof *s);
    FILE *file = fopen("tests/command_rows.txt", "r");
    CHECK_REQUIRE(t, file != NULL && s != NULL && enter("rows", back));
    while (read_line(file, line)) {
        if (line[0] == '#' || line[0] == '\0') {
            continue;
        }
        if (strncmp(line, "= ", 2) == 0) {
            CHECK_TRUE(t, write_file(file, line + 2));
            continue;
        }
        CHECK_REQUIRE(t, strncmp(line, "- ", 2) == 0);
        snprintf(row, sizeof row, "%s", line + 2);
        CHECK_REQUIRE(t, read_line(file, want));
        snprintf(line, sizeof line, "%s", row);
        const int status = run_row(t, row, s);
        char kept[LINE];
        snprintf(kept, sizeof kept, "%s", want);
        if (!CHECK_TRUE(t, warns_as_said(s, want) && is_as_said(status, s, want))) {
            fprintf(stderr, "    naik %s\n    said: %d ... %s    want: %s\n", line, status,
                    s->text + (s->used > SHOWN ? s->used - SHOWN : 0), kept);
        }
        rows++;
    }
    CHECK_TRUE(t, rows >= 100);
    fclose(file);
    free(s);
    CHECK_REQUIRE(t, chdir(back) == 0);
}

/* A ~ of a row of MILC's is the end of a line. */
static void end_lines(char *text)
{
    for (; *text != '\0'; text++) {
        *text = *text == '~' ? '\n' : *text;
    }
}

/* changes: "OLD => NEW | OLD => NEW", each of the first OLD that is there; false where one is not. */
static bool change(char text[INPUT], char *changes)
{
    char after[INPUT];
    for (char *at = changes; at != NULL && *at != '\0';) {
        char *bar = strstr(at, " | "), *arrow = strstr(at, " => ");
        if (bar != NULL) {
            *bar = '\0';
        }
        if (arrow == NULL) {
            return false;
        }
        *arrow = '\0';
        const char *found = strstr(text, at);
        if (found == NULL) {
            return false;
        }
        snprintf(after, sizeof after, "%.*s%s%s", (int)(found - text), text, arrow + 4,
                 found + strlen(at));
        strcpy(text, after);
        at = bar != NULL ? bar + 3 : NULL;
    }
    return true;
}

/* Writes a base with its changes into row.milc. */
static bool write_changed(const char *base, char *changes)
{
    char text[INPUT];
    FILE *out = fopen("row.milc", "w");
    snprintf(text, sizeof text, "%s", base);
    end_lines(changes);
    const bool ok = out != NULL && change(text, changes) && fputs(text, out) >= 0;
    return out != NULL && fclose(out) == 0 && ok;
}

static void every_input_of_milc_becomes_what_is_stated(check *t)
{
    char line[LINE], row[LINE], want[LINE], back[512], base[INPUT] = "";
    int rows = 0;
    speech *s = calloc(1, sizeof *s);
    FILE *file = fopen("tests/milc_rows.txt", "r");
    CHECK_REQUIRE(t, file != NULL && s != NULL && enter("milc", back));
    while (read_line(file, line)) {
        if (line[0] == '#' || line[0] == '\0') {
            continue;
        }
        if (line[0] == '=') { /* a base, until an empty line */
            for (base[0] = '\0'; read_line(file, line) && line[0] != '\0';) {
                CHECK_REQUIRE(t, strlen(base) + strlen(line) + 2 < sizeof base);
                strcat(strcat(base, line), "\n");
            }
            continue;
        }
        CHECK_REQUIRE(t, line[0] == '-'); /* alone: nothing is replaced */
        snprintf(row, sizeof row, "%s", line + 1 + (line[1] == ' '));
        CHECK_REQUIRE(t, read_line(file, want));
        char command[] = "import-milc row.milc --action hisq", kept[LINE];
        snprintf(kept, sizeof kept, "%s", want);
        end_lines(want);
        const bool written = write_changed(base, row);
        const int status = run_row(t, command, s);
        if (!CHECK_TRUE(t, written && is_as_said(status, s, want))) {
            fprintf(stderr, "    %s%s\n    said: %d %s    want: %s\n", line,
                    written ? "" : " (what is replaced is not there)", status, s->text, kept);
        }
        rows++;
    }
    CHECK_TRUE(t, rows >= 200);
    fclose(file);
    free(s);
    CHECK_REQUIRE(t, chdir(back) == 0);
}

/* The triad of a = b + s c: 24 bytes an element, four times, of whole pieces of 512 elements. */
static void a_copy_moves_the_bytes_that_it_tells(check *t)
{
    static const struct {
        int mib;
        double bytes;
    } rows[] = {{1, 4 * 24.0 * 43520}, {2, 4 * 24.0 * 87040}, {3, 4 * 24.0 * 131072}};
    naik_backend *backend = NULL;
    const naik_backend_options alone = {.threads = 1, .tune_cache = "none"};
    CHECK_OK(t, naik_backend_create(t->comm, "cpu", &alone, &backend));
    CHECK_REQUIRE(t, backend != NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bench_options options = {.copy_mib = rows[i].mib};
        const bench b = {.comm = t->comm, .options = &options, .backend = backend, .threads = 1};
        bench_copy *copy = NULL;
        double bytes = 0, seconds = 0;
        CHECK_OK(t, bench_copy_create(&b, &copy));
        CHECK_OK(t, bench_copy_sample(&b, copy, &bytes, &seconds));
        CHECK_NEAR(t, bytes, rows[i].bytes, 0);
        CHECK_TRUE(t, seconds >= 0);
        bench_copy_destroy(&copy);
    }
    naik_backend_destroy(&backend);
}

CHECK_MAIN(CHECK(a_copy_moves_the_bytes_that_it_tells),
           CHECK(every_input_of_milc_becomes_what_is_stated),
           CHECK(every_command_ends_as_it_is_stated))
