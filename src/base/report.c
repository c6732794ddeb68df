/* report.c - one list of entries, two printers */
#include "base/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

typedef enum entry_kind { TEXT, LITERAL, BEGIN_OBJECT, BEGIN_LIST, END } entry_kind;

typedef struct entry {
    entry_kind kind;
    char *name, *text; /* owned */
} entry;

struct naik_report {
    entry *entries;
    int count, room;
    bool failed;
};

naik_report *naik_report_create(void)
{
    return calloc(1, sizeof(naik_report));
}

void naik_report_destroy(naik_report **report)
{
    if (*report == NULL) {
        return;
    }
    for (int i = 0; i < (*report)->count; i++) {
        free((*report)->entries[i].name);
        free((*report)->entries[i].text);
    }
    free((*report)->entries);
    free(*report);
    *report = NULL;
}

static void add(naik_report *report, entry_kind kind, const char *name, const char *text)
{
    if (report->count == report->room) {
        int room = report->room == 0 ? 64 : 2 * report->room;
        entry *grown = realloc(report->entries, (size_t)room * sizeof *grown);
        if (grown == NULL) {
            report->failed = true;
            return;
        }
        report->entries = grown;
        report->room = room;
    }
    entry *e = &report->entries[report->count++];
    *e = (entry){.kind = kind};
    e->name = name != NULL ? strdup(name) : NULL;
    e->text = text != NULL ? strdup(text) : NULL;
    report->failed =
        report->failed || (name != NULL && e->name == NULL) || (text != NULL && e->text == NULL);
}

void naik_report_text(naik_report *report, const char *name, const char *text)
{
    add(report, TEXT, name, text != NULL ? text : "");
}

void naik_report_int(naik_report *report, const char *name, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    add(report, LITERAL, name, text);
}

void naik_report_column(naik_report *report, bool spinors, int column)
{
    if (spinors) {
        naik_report_int(report, "spin", column / 3);
    }
    naik_report_int(report, "colour", column % 3);
}

static naik_status no_memory(naik_log *log)
{
    return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a report");
}

naik_status naik_report_find_int(naik_log *log, const naik_report *report, const char *name,
                                 int64_t *value)
{
    *value = -1;
    for (int i = 0; i < report->count && !report->failed; i++) {
        const entry *e = &report->entries[i];
        if (e->kind == LITERAL && e->name != NULL && strcmp(e->name, name) == 0) {
            *value = strtoll(e->text, NULL, 10);
        }
    }
    return report->failed ? no_memory(log) : NAIK_OK;
}

void naik_report_real(naik_report *report, const char *name, double value)
{
    char text[32];
    naik_text_print_real(value, text, sizeof text);
    add(report, LITERAL, name, isfinite(value) ? text : "null");
}

void naik_report_bool(naik_report *report, const char *name, bool value)
{
    add(report, LITERAL, name, value ? "true" : "false");
}

void naik_report_begin(naik_report *report, const char *name)
{
    add(report, BEGIN_OBJECT, name, NULL);
}

void naik_report_list(naik_report *report, const char *name)
{
    add(report, BEGIN_LIST, name, NULL);
}

void naik_report_end(naik_report *report)
{
    add(report, END, NULL, NULL);
}

static void put_json_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const char *c = text; *c != '\0';) {
        const int length = naik_text_printable(c);
        if (*c == '"' || *c == '\\') {
            fprintf(out, "\\%c", *c);
        } else if (*c == '\n') {
            fputs("\\n", out);
        } else if (length > 0) {
            fwrite(c, 1, (size_t)length, out);
        } else { /* a control character, or no UTF-8 */
            const unsigned char byte = (unsigned char)*c;
            fprintf(out, "\\u%04x", byte < 0x80 ? byte : 0xfffd);
        }
        c += length > 0 ? length : 1;
    }
    fputc('"', out);
}

static void put_json(FILE *out, const naik_report *report)
{
    enum { DEPTH = 16 };
    char closing[DEPTH] = {'}'};
    int depth = 0;
    bool first = true;
    fputc('{', out);
    for (int i = 0; i < report->count; i++) {
        const entry *e = &report->entries[i];
        if (e->kind == END) {
            fputc(closing[depth--], out);
            first = false;
            continue;
        }
        fputs(first ? "" : ", ", out);
        if (e->name != NULL) {
            put_json_text(out, e->name);
            fputs(": ", out);
        }
        first = e->kind == BEGIN_OBJECT || e->kind == BEGIN_LIST;
        if (e->kind == TEXT) {
            put_json_text(out, e->text);
        } else if (e->kind == LITERAL) {
            fputs(e->text, out);
        } else if (depth + 1 < DEPTH) {
            fputc(e->kind == BEGIN_OBJECT ? '{' : '[', out);
            closing[++depth] = e->kind == BEGIN_OBJECT ? '}' : ']';
        }
    }
    fputc('}', out);
}

/* Only what is printable of a file's text reaches the terminal; lines of a text are indented. */
static void put_plain(FILE *out, const char *text, int indent, bool one_line)
{
    bool broken = !one_line && strchr(text, '\n') != NULL;
    if (broken) {
        fprintf(out, "\n%*s", indent, "");
    }
    for (const char *c = text; *c != '\0';) {
        const int length = naik_text_printable(c);
        if (length > 0) {
            fwrite(c, 1, (size_t)length, out);
        } else if (*c != '\n' || !broken) {
            fputc('?', out);
        } else if (c[1] != '\0') {
            fprintf(out, "\n%*s", indent, "");
        }
        c += length > 0 ? length : 1;
    }
}

static void put_people(FILE *out, const naik_report *report)
{
    int depth = 0, row = -1; /* row: depth of the object that is being printed on one line */
    for (int i = 0; i < report->count; i++) {
        const entry *e = &report->entries[i];
        if (e->kind == END) {
            depth--;
            if (row == depth) {
                fputc('\n', out);
                row = -1;
            }
            continue;
        }
        if (row >= 0) {
            fputc(' ', out);
            put_plain(out, e->name != NULL ? e->name : "", 0, true);
            fputc('=', out);
            put_plain(out, e->text != NULL ? e->text : "", 0, true);
            continue;
        }
        fprintf(out, "%*s", 2 * depth, "");
        if (e->kind == BEGIN_OBJECT && e->name == NULL) {
            fputc('-', out);
            row = depth++;
        } else if (e->kind == BEGIN_OBJECT || e->kind == BEGIN_LIST) {
            fprintf(out, "%s:\n", e->name != NULL ? e->name : "-");
            depth++;
        } else {
            put_plain(out, e->name != NULL ? e->name : "-", 0, true);
            fputs(e->name != NULL ? ": " : " ", out);
            put_plain(out, e->text, 2 * depth + 2, false);
            fputc('\n', out);
        }
    }
}

static char *text_of(const naik_report *report, bool json)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = report->failed ? NULL : open_memstream(&text, &length);
    if (out != NULL) {
        if (json) {
            put_json(out, report);
        } else {
            put_people(out, report);
        }
        fclose(out);
    }
    return text;
}

char *naik_report_json(const naik_report *report)
{
    return text_of(report, true);
}

naik_status naik_report_print(const naik_report *report, naik_log *log, bool json)
{
    char *text = text_of(report, json);
    if (text == NULL) {
        return no_memory(log);
    }
    const size_t length = strlen(text);
    if (length > 0 && text[length - 1] == '\n') {
        text[length - 1] = '\0';
    }
    naik_log_line(log, "%s", text);
    free(text);
    return NAIK_OK;
}
