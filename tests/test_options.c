/* test_options.c - command lines, and the words and numbers in them
 *
 * ranks: 1
 */
#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "check.h"

static const char *const colours[] = {"red", "green", NULL};

typedef struct values {
    bool dry;
    const char *out;
    naik_option_list set;
    int sweeps, colour, size[4];
    uint64_t seed;
    double beta;
    const char *operand[2];
} values;

/* Parses up to eight arguments after the command's name. */
static naik_status parse(check *t, values *v, const char *const *arguments)
{
    static const char *const operands[] = {"IN", "OUT"};
    const naik_option options[] = {
        {.name = "dry-run", .kind = NAIK_OPTION_FLAG, .target = &v->dry},
        {.name = "output", .letter = 'o', .kind = NAIK_OPTION_TEXT, .target = &v->out},
        {.name = "set", .kind = NAIK_OPTION_LIST, .target = &v->set},
        {.name = "sweeps", .kind = NAIK_OPTION_INT, .target = &v->sweeps, .max = 100},
        {.name = "colour", .kind = NAIK_OPTION_CHOICE, .target = &v->colour, .choices = colours},
        {.name = "size", .kind = NAIK_OPTION_EXTENTS, .target = v->size, .required = true},
        {.name = "seed", .kind = NAIK_OPTION_UINT64, .target = &v->seed},
        {.name = "beta", .kind = NAIK_OPTION_REAL, .target = &v->beta, .min = 0.1, .max = 99}};
    char *argv[16] = {(char *)"test"};
    int argc = 1;
    for (; arguments[argc - 1] != NULL; argc++) {
        argv[argc] = (char *)arguments[argc - 1];
    }
    naik_log_clear(t->log);
    return naik_options_parse(t->log, "test", argc, argv, options, 8, operands, 2, v->operand);
}

static void options_reach_their_variables(check *t)
{
    values v = {.sweeps = 7};
    CHECK_OK(t, parse(t, &v, (const char *const[]){"a", "--size=8,8,4x16", "b", NULL}) ==
                        NAIK_ERR_INPUT
                    ? NAIK_OK
                    : NAIK_ERR_ARG);
    CHECK_OK(t, parse(t, &v,
                      (const char *const[]){"a", "--size", "8x8x4x16", "-o", "f", "--set", "x=1",
                                            "--set=y=2", "--", "-b", NULL}));
    CHECK_INT(t, v.size[3], 16);
    CHECK_TEXT(t, v.out, "f");
    CHECK_INT(t, v.set.count, 2);
    CHECK_TEXT(t, v.set.text[1], "y=2");
    CHECK_TEXT(t, v.operand[0], "a");
    CHECK_TEXT(t, v.operand[1], "-b");
    CHECK_INT(t, v.sweeps, 7);
    CHECK_TRUE(t, !v.dry);
    values w = {0};
    CHECK_OK(t, parse(t, &w,
                      (const char *const[]){"--dry-run", "--size=2,4,6,8", "--sweeps", "9",
                                            "--colour=green", "--seed=18446744073709551615",
                                            "--beta=6.5e0", "a", "b", NULL}));
    CHECK_TRUE(t, w.dry && w.colour == 1 && w.sweeps == 9 && w.seed == UINT64_MAX);
    CHECK_NEAR(t, w.beta, 6.5, 0);
}

/* Each limit at both sides, one after the other; "" where nothing is refused.
 */
static void limits_of_options_have_a_row_each(check *t)
{
    int sweeps = 0, any = 0, count = 0, view = 0;
    double beta = 0;
    const char *text = NULL, *operand[1] = {NULL}, *const names[] = {"IN"};
    bool dry = false;
    const naik_option options[] = {
        {.name = "dry-run", .kind = NAIK_OPTION_FLAG, .target = &dry},
        {.name = "output", .letter = 'o', .kind = NAIK_OPTION_TEXT, .target = &text},
        {.name = "sweeps", .kind = NAIK_OPTION_INT, .target = &sweeps, .max = 100},
        {.name = "any", .kind = NAIK_OPTION_INT, .target = &any},
        {.name = "below", .kind = NAIK_OPTION_INT, .target = &count, .min = -5, .max = 0},
        {.name = "view",
         .kind = NAIK_OPTION_CHOICE,
         .target = &view,
         .choices = colours,
         .lone = true},
        {.name = "beta", .kind = NAIK_OPTION_REAL, .target = &beta, .min = 0.1, .max = 99}};
    static const struct {
        const char *arguments[3];
        const char *refused;
    } rows[] = {{{"--sweeps=0"}, ""},
                {{"--sweeps=-1"}, "needs an integer from 0 to 100"},
                {{"--sweeps=100"}, ""},
                {{"--sweeps", "100"}, ""},
                {{"--beta=0.1"}, ""},
                {{"--beta=0.099"}, "needs a number from 0.1 to 99"},
                {{"--beta=99"}, ""},
                {{"--beta=99.1"}, "needs a number from 0.1 to 99"},
                {{"--any=2147483647"}, ""},
                {{"--any=2147483648"}, "option '--any' needs an integer, not '2147483648'"},
                {{"--any=-2147483648"}, ""},
                {{"--any=-2147483649"}, "option '--any' needs an integer, not '-2147483649'"},
                {{"--any", "-7"}, ""},
                {{"--any", "--dry-run"}, "option '--any' needs a value"},
                {{"--any"}, "option '--any' needs a value"},
                {{"--below=-5"}, ""},
                {{"--below=-6"}, "needs an integer from -5 to 0"},
                {{"--below=0"}, ""},
                {{"--below=1"}, "needs an integer from -5 to 0"},
                {{"--view"}, ""},
                {{"--view=green"}, ""},
                {{"--view", "f"}, ""}, /* which is an operand */
                {{"--view="}, "option '--view' needs a value"},
                {{"-o", "-"}, ""},
                {{"-of"}, "unknown option '-of'"},
                {{"-o=f"}, "unknown option '-o=f'"},
                {{"--o", "f"}, "unknown option '--o'"},
                {{"-output", "f"}, "unknown option '-output'; did you mean '--output'?"},
                {{"-o", "f", "--output=g"}, "option '--output' is given twice"},
                {{"-"}, ""},
                {{"--", "--dry-run"}, ""},
                {{"--", "-", "f"}, "unexpected argument 'f'"},
                {{"f", "--dry-run"}, ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *argv[5] = {(char *)"test"};
        int argc = 1;
        for (int k = 0; k < 3 && rows[i].arguments[k] != NULL; k++) {
            argv[argc++] = (char *)rows[i].arguments[k];
        }
        naik_log_clear(t->log);
        const naik_status status =
            naik_options_parse(t->log, "test", argc, argv, options,
                               (int)(sizeof options / sizeof *options), names, 1, operand);
        const char *says = naik_log_message(t->log);
        const bool taken = status == NAIK_OK || strstr(says, "IN is missing") != NULL;
        const bool refused = strstr(says, rows[i].refused) != NULL;
        if (!CHECK_TRUE(t, rows[i].refused[0] == '\0' ? taken : status != NAIK_OK && refused)) {
            fprintf(stderr, "    row %zu: %s\n", i, says);
        }
    }
    CHECK_TRUE(t, any == -7 && sweeps == 100 && count == 0 && beta == 99 && dry);
    CHECK_TRUE(t, view == 0 && strcmp(operand[0], "f") == 0);
    naik_log_clear(t->log);
}

static void mistakes_have_their_sentence(check *t)
{
    static const struct {
        const char *arguments[5];
        const char *sentence;
    } rows[] = {
        {{"--dry-rum"}, "naik test: unknown option '--dry-rum'; did you mean '--dry-run'?"},
        {{"--sise=1,1,1,1"}, "naik test: unknown option '--sise'; did you mean '--size'?"},
        {{"--quux"}, "naik test: unknown option '--quux'; 'naik test --help' lists them"},
        {{"-x"}, "naik test: unknown option '-x'; 'naik test --help' lists them"},
        {{"--dry-run=1"}, "naik test: option '--dry-run' takes no value"},
        {{"--dry-run", "--dry-run"}, "naik test: option '--dry-run' is given twice"},
        {{"--output"}, "naik test: option '--output' needs a value"},
        {{"-o", "--dry-run"}, "naik test: option '-o' needs a value"},
        {{"--output="}, "naik test: option '--output' needs a value"},
        {{"--sweeps=1.5"},
         "naik test: option '--sweeps' needs an integer from 0 to 100, not "
         "'1.5'"},
        {{"--sweeps=101"},
         "naik test: option '--sweeps' needs an integer from 0 to 100, not "
         "'101'"},
        {{"--beta=nan"}, "naik test: option '--beta' needs a number from 0.1 to 99, not 'nan'"},
        {{"--beta=0"}, "naik test: option '--beta' needs a number from 0.1 to 99, not '0'"},
        {{"--seed=-1"},
         "naik test: option '--seed' needs an integer from 0 to 2^64 - 1, not "
         "'-1'"},
        {{"--size=8,8,8"}, "naik test: option '--size' needs four extents X,Y,Z,T, not '8,8,8'"},
        {{"--colour=blue"}, "naik test: option '--colour' needs one of red, green, not 'blue'"},
        {{"a", "b"},
         "naik test: option '--size' is missing; 'naik test --help' has "
         "examples"},
        {{"--size=8,8,8,8", "a"}, "naik test: OUT is missing; 'naik test --help' has examples"},
        {{"a", "b", "c"}, "naik test: unexpected argument 'c'; 'naik test --help' has examples"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        values v = {0};
        CHECK_INT(t, parse(t, &v, rows[i].arguments), NAIK_ERR_INPUT);
        CHECK_TEXT(t, naik_log_message(t->log), rows[i].sentence);
    }
    naik_log_clear(t->log);
}

static void nearest_word_is_the_one_meant(check *t)
{
    static const char *const words[] = {"tolerance", "max_iterations", "batch", NULL};
    CHECK_INT(t, naik_text_distance("tolerance", "tolerence"), 1);
    CHECK_INT(t, naik_text_distance("ab", "ba"), 1);
    CHECK_INT(t, naik_text_distance("", "abc"), 3);
    CHECK_TEXT(t, naik_text_nearest("tolerence", words), "tolerance");
    CHECK_TEXT(t, naik_text_nearest("max_iteration", words), "max_iterations");
    CHECK_TEXT(t, naik_text_nearest("btach", words), "batch");
    CHECK_TRUE(t, naik_text_nearest("output", words) == NULL);
    CHECK_TEXT(t, naik_text_nearest("tol", words), "tolerance"); /* its beginning */
    CHECK_TEXT(t, naik_text_nearest("Max", words), "max_iterations");
    CHECK_TRUE(t, naik_text_nearest("to", words) == NULL);
    static const char *const labels[] = {"G5X-G5X", "G5-GX", "GX-G1", "GXT-G5X", NULL};
    CHECK_TEXT(t, naik_text_nearest("gx-g1", labels), "GX-G1");
    CHECK_TEXT(t, naik_text_nearest("GTX-G5X", labels), "GXT-G5X");
    CHECK_TEXT(t, naik_text_nearest("G5Y-G5X", labels), "G5X-G5X");
    CHECK_TRUE(t, naik_text_nearest("rhox", labels) == NULL);
}

static void numbers_are_read_strictly(check *t)
{
    static const char *const bad_reals[] = {"",    " 1",    "1 ",  "1.5x",   "nan", "inf",
                                            "0x1", "1e999", "--1", "1e-999", "."};
    static const char *const bad_times[] = {"1:2", "1:60:00", "1:00:60", ":1:1", "-1:00:00"};
    double value = 0;
    int64_t integer = 0;
    uint64_t natural = 0;
    int extents[4];
    for (size_t i = 0; i < sizeof bad_reals / sizeof *bad_reals; i++) {
        CHECK_TRUE(t, !naik_text_real(bad_reals[i], &value));
    }
    for (size_t i = 0; i < sizeof bad_times / sizeof *bad_times; i++) {
        CHECK_TRUE(t, !naik_text_time(bad_times[i], &value));
    }
    CHECK_TRUE(t, naik_text_time("100:00:01", &value) && value == 360001);
    CHECK_TRUE(t, naik_text_int64("-9223372036854775808", &integer) && integer == INT64_MIN);
    CHECK_TRUE(t, !naik_text_int64("9223372036854775808", &integer));
    CHECK_TRUE(t, !naik_text_int64("1e3", &integer));
    CHECK_TRUE(t, !naik_text_uint64("-1", &natural));
    CHECK_TRUE(t, !naik_text_extents("8,8,8,8,", extents));
    CHECK_TRUE(t, !naik_text_extents("8x8,8x8", extents));
    CHECK_TRUE(t, !naik_text_extents("8,8,8,40000", extents));
    char text[32];
    naik_text_print_real(0.1, text, sizeof text);
    CHECK_TEXT(t, text, "0.1");
    naik_text_print_real(1.0 / 3, text, sizeof text);
    CHECK_TEXT(t, text, "0.3333333333333333");
}

static void only_what_is_printable_is_printed(check *t)
{
    char text[] = "a\x1b[2J \xc3\xa9 \xe7k \xed\xa0\x80 \xf0\x9f\x98\x80\x7f\n";
    naik_text_tame(text, "\n");
    CHECK_TEXT(t, text, "a?[2J \xc3\xa9 ?k ??? \xf0\x9f\x98\x80?\n");
    CHECK_TRUE(t, naik_text_printable("\xc3\xa9") == 2 && naik_text_printable("\xc3") == 0 &&
                      naik_text_printable("") == 0);
}

static void sizes_have_three_figures_and_no_exponent(check *t)
{
    static const struct {
        double bytes;
        const char *text;
    } rows[] = {{0, "0 B"},
                {999, "999 B"},
                {1000, "0.977 KiB"},
                {52 * 1048576.0, "52 MiB"},
                {62.3 * 1073741824, "62.3 GiB"},
                {999.4 * 1073741824, "999 GiB"},
                {999.6 * 1073741824, "0.976 TiB"},
                {1110 * 1073741824.0, "1.08 TiB"},
                {5e15, "4.44 PiB"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[NAIK_TEXT_SIZE];
        naik_text_print_size(rows[i].bytes, text);
        CHECK_TEXT(t, text, rows[i].text);
    }
}

CHECK_MAIN(CHECK(options_reach_their_variables), CHECK(mistakes_have_their_sentence),
           CHECK(limits_of_options_have_a_row_each), CHECK(nearest_word_is_the_one_meant),
           CHECK(numbers_are_read_strictly), CHECK(only_what_is_printable_is_printed),
           CHECK(sizes_have_three_figures_and_no_exponent))
