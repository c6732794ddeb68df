/* test_command_rows.c - commands in one process, one after the other: tests/command_rows.txt, a refusal or a line a row
 *
 * ranks: 1
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/bench.h"
#include "check.h"
#include "cli/commands.h"

enum { LINE = 2000, WORDS = 40, SAID = 1 << 18, SHOWN = 400 };

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

/* want: "STATUS PIECE | PIECE", of which one that begins with ! must not be said; no warning, but where one is a piece */
static bool is_as_said(int status, const speech *s, char *want)
{
    const bool warns = strstr(want, "warning: ") != NULL;
    bool ok = strtol(want, &want, 10) == status && (warns || strstr(s->text, "warning: ") == NULL);
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

static void every_command_ends_as_it_is_stated(check *t)
{
    char line[LINE], row[LINE], want[LINE];
    int rows = 0;
    speech *s = calloc(1, sizeof *s);
    FILE *file = fopen("tests/command_rows.txt", "r");
    char folder[512]; /* of its own: nothing is there yet */
    snprintf(folder, sizeof folder, "%s/rows_%ld", check_folder(), (long)getpid());
    CHECK_REQUIRE(t, file != NULL && s != NULL && mkdir(folder, 0700) == 0 && chdir(folder) == 0);
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
        if (!CHECK_TRUE(t, is_as_said(status, s, want))) {
            fprintf(stderr, "    naik %s\n    said: %d ... %s    want: %s\n", line, status,
                    s->text + (s->used > SHOWN ? s->used - SHOWN : 0), kept);
        }
        rows++;
    }
    CHECK_TRUE(t, rows >= 100);
    fclose(file);
    free(s);
}

CHECK_MAIN(CHECK(every_command_ends_as_it_is_stated))
