/* test_params.c - bad inputs: every one ends in its sentence, none is accepted or crashes
 *
 * ranks: 1
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "input/input_table.h"

enum { LINE_SIZE = 1024, TEXT_SIZE = 8192 };

static const char good[] =
    "lattice: {size: [4, 4, 4, 8]}\n"
    "gauge: {file: lat}\n"
    "action: {type: hisq}\n"
    "solve:\n"
    "  - {name: p, masses: [0.1], source: {type: point, origin: [0,0,0,0]}}\n"
    "output: {file: out}\n";

/* The sentence, or "accepted". */
static const char *outcome(check *t, const char *bytes, size_t size, const char *const *overrides,
                           int count, const char *backend, const char *grid)
{
    naik_input *input = NULL;
    naik_log_clear(t->log);
    naik_status status = naik_input_parse(t->log, "input.yaml", bytes, size, overrides, count,
                                          backend, grid, &input);
    if (status == NAIK_OK) {
        naik_input_destroy(&input);
        return "accepted";
    }
    CHECK_INT(t, status, NAIK_ERR_INPUT);
    CHECK_TRUE(t, input == NULL);
    return naik_log_message(t->log);
}

/* Reads a line without its end; false at the end of the file. */
static bool read_line(FILE *file, char line[LINE_SIZE])
{
    if (fgets(line, LINE_SIZE, file) == NULL) {
        return false;
    }
    line[strcspn(line, "\n")] = '\0';
    return true;
}

/* \n, \\ and \xff as the table writes them, in place. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        if (strncmp(from, "\\xff", 4) == 0) {
            *to++ = (char)0xff;
            from += 3;
        } else if (from[0] == '\\' && (from[1] == 'n' || from[1] == '\\')) {
            *to++ = from[1] == 'n' ? '\n' : '\\';
            from++;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
}

static void read_base(FILE *file, char base[TEXT_SIZE])
{
    char line[LINE_SIZE];
    base[0] = '\0';
    while (read_line(file, line) && strcmp(line, "----") != 0) {
        if (line[0] != '#') {
            strcat(base, line);
            strcat(base, "\n");
        }
    }
}

static void every_bad_input_has_its_sentence(check *t)
{
    char base[TEXT_SIZE], text[TEXT_SIZE], from[LINE_SIZE], to[LINE_SIZE], sentence[LINE_SIZE];
    FILE *file = fopen("tests/bad_inputs.txt", "r");
    CHECK_REQUIRE(t, file != NULL);
    read_base(file, base);
    CHECK_TEXT(t, outcome(t, base, strlen(base), NULL, 0, NULL, NULL), "accepted");
    int rows = 0;
    while (read_line(file, from) && strcmp(from, "----") != 0) {
        if (from[0] == '\0') {
            continue;
        }
        CHECK_TRUE(t, read_line(file, to) && read_line(file, sentence));
        unescape(from);
        unescape(to);
        const char *at = strstr(base, from);
        CHECK_REQUIRE(t, at != NULL);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - base), base, to, at + strlen(from));
        CHECK_TEXT(t, outcome(t, text, strlen(text), NULL, 0, NULL, NULL), sentence);
        rows++;
    }
    CHECK_TRUE(t, rows >= 100);
    fclose(file);
}

static void bad_overrides_have_their_sentence(check *t)
{
    static const char *const rows[][2] = {
        {"solver.tolerence=1", "solver.tolerence=1: unknown key 'solver.tolerence'; did you mean "
                               "'solver.tolerance'?"},
        {"solver.tolerance=one", "solver.tolerance=one: 'solver.tolerance' must be a number "
                                 "from 1e-16 to 1, not 'one'"},
        {"solver.tolerance=",
         "solver.tolerance=: 'solver.tolerance' must be a number from 1e-16 to 1, not "
         "nothing"},
        {"solver.tolerance", "solver.tolerance: expected KEY=VALUE, such as solver.tolerance=1e-8"},
        {"=1", "=1: expected KEY=VALUE, such as solver.tolerance=1e-8"},
        {"solver..tolerance=1",
         "solver..tolerance=1: 'solver..tolerance' is not a key such as solver.tolerance"},
        {"solve.1.masses=[1]",
         "solve.1.masses=[1]: '1' is no entry of the list; it has 1, counted from 0"},
        {"solve.0.masses=[1", "solve.0.masses=[1: this is not YAML: did not find expected "
                              "',' or ']'"},
        {"gauge.file.name=x",
         "gauge.file.name=x: 'gauge.file.name' leads through a value, not a section"},
        {"action={type: asqtad}",
         "action={type: asqtad}: key 'action.u0' is missing; action.type asqtad needs it"},
        {"solve=[]", "solve=[]: 'solve' must be a list with at least one entry, each "
                     "beginning with '-'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_TEXT(t, outcome(t, good, strlen(good), &rows[i][0], 1, NULL, NULL), rows[i][1]);
    }
    CHECK_TEXT(t, outcome(t, good, strlen(good), NULL, 0, "cuda", NULL),
               "NAIK_BACKEND=cuda: 'run.backend' must be one of auto, cpu, gpu, not 'cuda'");
    CHECK_TEXT(t, outcome(t, good, strlen(good), NULL, 0, NULL, "1x2x2"),
               "NAIK_GRID=1x2x2: expected ranks in each direction, such as 1x1x2x4, or auto");
    CHECK_TEXT(t, outcome(t, good, strlen(good), NULL, 0, "", ""), "accepted");
    CHECK_TEXT(t, outcome(t, good, strlen(good), NULL, 0, "cpu", "1,1,1,2"), "accepted");
}

static void hostile_bytes_are_refused(check *t)
{
    CHECK_TEXT(t, outcome(t, "", 0, NULL, 0, NULL, NULL),
               "input.yaml: key 'lattice.size' is missing; it must be four integers [x, y, z, t] "
               "from 2 to 32768");
    CHECK_TEXT(t, outcome(t, "lattice\0: 1", 11, NULL, 0, NULL, NULL),
               "input.yaml: byte 7 is zero: this is not a text file");
    CHECK_TEXT(t, outcome(t, "\x89HDF\r\n\x1a\n\0", 9, NULL, 0, NULL, NULL),
               "input.yaml: this is an HDF5 file and not an input, which is a text in YAML; 'naik "
               "info' shows what a file of naik's holds");
    CHECK_TEXT(t, outcome(t, "- a", 3, NULL, 0, NULL, NULL),
               "input.yaml:1:1: 'input.yaml' must be made of sections, such as 'lattice:'");
    size_t size = NAIK_YAML_MAX_BYTES + 1;
    char *bytes = malloc(size);
    CHECK_REQUIRE(t, bytes != NULL);
    memset(bytes, '[', size);
    CHECK_TEXT(t, outcome(t, bytes, size, NULL, 0, NULL, NULL),
               "input.yaml: the input is larger than 1048576 bytes");
    CHECK_TEXT(t, outcome(t, bytes, size - 1, NULL, 0, NULL, NULL),
               "input.yaml:1:9: the input is nested more than 8 levels deep");
    memset(bytes, '#', size);
    CHECK_TRUE(t, strstr(outcome(t, bytes, size - 1, NULL, 0, NULL, NULL), "is missing") != NULL);
    for (size_t i = 0; i + 1 < size; i += 2) {
        memcpy(bytes + i, i == 0 ? "x:" : i == 2 ? " [" : "1,", 2);
    }
    CHECK_TEXT(t, outcome(t, bytes, size - 1, NULL, 0, NULL, NULL),
               "input.yaml:1:131073: the input has more than 65536 values");
    free(bytes);
}

/* Every truncation and every flipped byte of a good input: a sentence or a good input, and nothing
 * that a sanitizer could find. */
static void damaged_inputs_never_crash(check *t)
{
    char text[sizeof good];
    size_t size = strlen(good);
    for (size_t length = 0; length < size; length++) {
        CHECK_TRUE(t, outcome(t, good, length, NULL, 0, NULL, NULL)[0] != '\0');
    }
    for (size_t i = 0; i < size; i++) {
        static const char others[] = {'\0', '\n', ' ', '"', '\'',      '[',
                                      '}',  ':',  '-', '&', (char)0xc3};
        for (size_t k = 0; k < sizeof others; k++) {
            memcpy(text, good, sizeof good);
            text[i] = others[k];
            CHECK_TRUE(t, outcome(t, text, size, NULL, 0, NULL, NULL)[0] != '\0');
        }
    }
}

static void a_byte_order_mark_is_read(check *t)
{
    static const char *const marked = "\xef\xbb\xbf";
    char text[TEXT_SIZE];
    snprintf(text, sizeof text, "%s%s", marked, good);
    CHECK_TEXT(t, outcome(t, text, strlen(text), NULL, 0, NULL, NULL), "accepted");
}

/* The reference prints one of the three, and no text says it again or otherwise. */
static void a_key_is_required_or_has_a_default_or_may_be_left_out(check *t)
{
    for (int i = 0; i < naik_input_table.count; i++) {
        const naik_param *param = &naik_input_table.params[i];
        const int said = param->required + (param->needed != NULL);
        const bool shown = said == 0 && param->initial != NULL;
        const bool clear = said <= 1 && !(param->required && param->initial != NULL) &&
                           strstr(param->doc, "required") == NULL &&
                           !(shown && strstr(param->doc, "; default") != NULL);
        CHECK_TEXT(t, clear ? "" : param->key, "");
    }
}

CHECK_MAIN(CHECK(a_key_is_required_or_has_a_default_or_may_be_left_out),
           CHECK(a_byte_order_mark_is_read), CHECK(every_bad_input_has_its_sentence),
           CHECK(bad_overrides_have_their_sentence), CHECK(hostile_bytes_are_refused),
           CHECK(damaged_inputs_never_crash))
