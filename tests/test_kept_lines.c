/* test_kept_lines.c - lines that runs keep for each other: nobody's are lost
 *
 * ranks: 1
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "comm/kept_lines.h"

static const char mark[] = "kept ", one[] = "kept one", two[] = "kept two";

/* A name in a folder that is not there yet. */
static void name(char path[256])
{
    snprintf(path, 256, "%s/kept-%ld/below/lines", check_folder(), (long)getpid());
}

static void holds(check *t, const char *header, const char *wanted)
{
    char path[256], *lines = NULL;
    bool other = true;
    name(path);
    naik_kept_lines_read(path, mark, header, &lines, &other);
    CHECK_TRUE(t, !other);
    CHECK_TEXT(t, lines != NULL ? lines : "none", wanted);
    free(lines);
}

static void merged(check *t, const char *header, const char *lines)
{
    char path[256];
    name(path);
    CHECK_TRUE(t, naik_kept_lines_merge(path, mark, header, lines));
}

static void write_text(check *t, const char *text)
{
    char path[256];
    name(path);
    FILE *file = fopen(path, "w");
    if (CHECK_TRUE(t, file != NULL)) {
        fputs(text, file);
        fclose(file);
    }
}

static void runs_that_began_together_lose_no_lines(check *t)
{
    holds(t, one, ""); /* both read the same, */
    holds(t, two, "");
    merged(t, one, "a 1: 1\n"); /* and write one after the other */
    merged(t, one, "b 1: 2\n");
    holds(t, one, "b 1: 2\na 1: 1\n");
    merged(t, one, "a 1: 3\nc: 4\n");
    holds(t, one, "a 1: 3\nc: 4\nb 1: 2\n");
}

/* A key ends at its colon: one that begins like another is another. */
static void keys_that_begin_alike_are_others(check *t)
{
    char path[256];
    name(path);
    (void)remove(path);
    merged(t, one, "a 1: 1\na 12: 2\na: 3\nb 1 : 4\n");
    merged(t, one, "a 1: 5\n");
    holds(t, one, "a 1: 5\na 12: 2\na: 3\nb 1 : 4\n");
    merged(t, one, "a 12: 6\n");
    holds(t, one, "a 12: 6\na 1: 5\na: 3\nb 1 : 4\n");
    merged(t, one, "a: 7\nb 1: 8\n");
    holds(t, one, "a: 7\nb 1: 8\na 12: 6\na 1: 5\nb 1 : 4\n");
    merged(t, one, "A: 9\n");
    holds(t, one, "A: 9\na: 7\nb 1: 8\na 12: 6\na 1: 5\nb 1 : 4\n");
    (void)remove(path);
}

static void sections_of_other_machines_stay(check *t)
{
    char path[256];
    name(path);
    (void)remove(path);
    merged(t, one, "a 1: 3\nc: 4\nb 1: 2\n");
    merged(t, two, "a 1: 9\n");
    holds(t, one, "a 1: 3\nc: 4\nb 1: 2\n");
    holds(t, two, "a 1: 9\n");
    holds(t, "kept tw", "");
    for (int i = 0; i < NAIK_KEPT_SECTIONS - 1; i++) {
        char header[32];
        snprintf(header, sizeof header, "kept of %d", i);
        merged(t, header, "x: 1\n");
    }
    holds(t, two, "a 1: 9\n"); /* the last of so many */
    holds(t, one, "");
    merged(t, one, "a: 1\n");
    holds(t, two, "");
}

static void what_is_torn_or_of_something_else_is_left(check *t)
{
    char path[256], *lines = NULL;
    bool other = false;
    merged(t, one, "x: 1\n"); /* which makes the folder */
    write_text(t, "kept one\na: 1\nb: 2");
    merged(t, one, "c: 3\n");
    holds(t, one, "c: 3\na: 1\n");
    write_text(t, "a diary\n");
    name(path);
    naik_kept_lines_read(path, mark, one, &lines, &other);
    CHECK_TRUE(t, other && lines != NULL && lines[0] == '\0');
    free(lines);
    CHECK_TRUE(t, !naik_kept_lines_merge(path, mark, one, "c: 3\n"));
    (void)remove(path);
}

CHECK_MAIN(CHECK(runs_that_began_together_lose_no_lines), CHECK(keys_that_begin_alike_are_others),
           CHECK(sections_of_other_machines_stay), CHECK(what_is_torn_or_of_something_else_is_left))
