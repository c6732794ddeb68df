/* text.c - numbers by strict grammar, words by edit distance
 *
 * strtol and strtod skip blanks and take hexadecimal, "inf" and "nan"; a user who typed those made
 * a mistake, so the characters are checked first.
 */
#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/point_locale.h"

enum { LONGEST = 63, FEWEST = 3 }; /* letters of a word, and of the beginning of one */

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

void naik_text_append(char *text, size_t text_size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, text_size - used, format, args);
    va_end(args);
}

int naik_text_printable(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    const int length = s[0] < 0x80                    ? s[0] >= 0x20 && s[0] != 0x7f
                       : s[0] >= 0xc2 && s[0] <= 0xdf ? 2
                       : s[0] >= 0xe0 && s[0] <= 0xef ? 3
                       : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
                                                      : 0;
    for (int i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    /* Overlong forms, surrogates, beyond the last code point, C1 controls. */
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f) ||
        (s[0] == 0xc2 && s[1] < 0xa0)) {
        return 0;
    }
    return length;
}

void naik_text_tame(char *text, const char *spared)
{
    while (*text != '\0') {
        const int length = naik_text_printable(text);
        if (length == 0 && strchr(spared, *text) == NULL) {
            *text = '?';
        }
        text += length > 0 ? length : 1;
    }
}

/* F. Damerau's distance with neighbouring letters swapped once, row by row. */
int naik_text_distance(const char *a, const char *b)
{
    size_t length_a = strnlen(a, LONGEST), length_b = strnlen(b, LONGEST);
    int row[3][LONGEST + 1] = {{0}};
    for (size_t j = 0; j <= length_b; j++) {
        row[0][j] = (int)j;
    }
    for (size_t i = 1; i <= length_a; i++) {
        int *now = row[i % 3];
        const int *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= length_b; j++) {
            int replaced = before[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = smaller(replaced, smaller(before[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                now[j] = smaller(now[j], earlier[j - 2] + 1);
            }
        }
    }
    return row[length_a % 3][length_b];
}

/* In small letters, with zeros behind. */
static void fold(const char *text, char folded[LONGEST + 1])
{
    size_t length = 0;
    memset(folded, 0, LONGEST + 1);
    for (; length < LONGEST && text[length] != '\0'; length++) {
        const char c = text[length];
        folded[length] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
}

static bool has_same_letters(const char *a, const char *b)
{
    int surplus[256] = {0}, unequal = 0;
    for (; *a != '\0'; a++) {
        surplus[(unsigned char)*a]++;
    }
    for (; *b != '\0'; b++) {
        surplus[(unsigned char)*b]--;
    }
    for (int c = 0; c < 256; c++) {
        unequal += surplus[c] != 0;
    }
    return unequal == 0;
}

const char *naik_text_nearest(const char *text, const char *const *words)
{
    const char *nearest = NULL, *longer = NULL; /* the shortest word that begins with the text */
    int best = 0;
    char typed[LONGEST + 1], word[LONGEST + 1];
    fold(text, typed);
    for (int i = 0; words[i] != NULL; i++) {
        fold(words[i], word);
        if (strlen(typed) >= FEWEST && strncmp(typed, word, strlen(typed)) == 0 &&
            (longer == NULL || strlen(words[i]) < strlen(longer))) {
            longer = words[i];
        }
        const int distance = naik_text_distance(typed, word);
        const int rank = 2 * distance - has_same_letters(typed, word);
        if (3 * distance <= (int)strlen(word) + 1 && (nearest == NULL || rank < best)) {
            nearest = words[i];
            best = rank;
        }
    }
    return nearest != NULL ? nearest : longer;
}

static bool only_of(const char *text, const char *characters)
{
    return text[0] != '\0' && text[strspn(text, characters)] == '\0';
}

bool naik_text_int64(const char *text, int64_t *value)
{
    if (!only_of(text, "+-0123456789")) {
        return false;
    }
    char *end = NULL;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    *value = number;
    return errno == 0 && *end == '\0';
}

bool naik_text_uint64(const char *text, uint64_t *value)
{
    if (!only_of(text, "0123456789")) {
        return false;
    }
    char *end = NULL;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    *value = number;
    return errno == 0 && *end == '\0';
}

double naik_text_strtod(const char *text, char **end)
{
    const point_locale locale = point_locale_begin();
    const double value = strtod(text, end);
    point_locale_end(locale);
    return value;
}

bool naik_text_real(const char *text, double *value)
{
    if (!only_of(text, "+-.eE0123456789")) {
        return false;
    }
    char *end = NULL;
    errno = 0;
    *value = naik_text_strtod(text, &end);
    return errno == 0 && *end == '\0' && isfinite(*value);
}

/* One or more digits up to `stop`; moves *text behind it. */
static bool read_digits(const char **text, char stop, int64_t *value)
{
    char digits[10];
    size_t length = strspn(*text, "0123456789");
    if (length == 0 || length >= sizeof digits || (*text)[length] != stop) {
        return false;
    }
    memcpy(digits, *text, length);
    digits[length] = '\0';
    *text += length + (stop != '\0');
    return naik_text_int64(digits, value);
}

bool naik_text_time(const char *text, double *time_s)
{
    if (strchr(text, ':') == NULL) {
        return naik_text_real(text, time_s);
    }
    int64_t hours = 0, minutes = 0, seconds = 0;
    if (!read_digits(&text, ':', &hours) || !read_digits(&text, ':', &minutes) ||
        !read_digits(&text, '\0', &seconds) || minutes > 59 || seconds > 59) {
        return false;
    }
    *time_s = (double)(3600 * hours + 60 * minutes + seconds);
    return true;
}

bool naik_text_counts(const char *text, int least, int most, int room, int *values, int *count)
{
    const char *at = text;
    for (*count = 0; *count < room; at++) {
        char *end = NULL;
        const long value = strtol(at, &end, 10);
        if (*at < '0' || *at > '9' || value < least || value > most ||
            (*end != ',' && *end != '\0')) {
            break;
        }
        values[(*count)++] = (int)value;
        at = end;
        if (*end == '\0') {
            return true;
        }
    }
    return false;
}

bool naik_text_begins(const char *text, const char *head)
{
    return strncmp(text, head, strlen(head)) == 0;
}

bool naik_text_is_among(const char *word, const char *const *words, int count)
{
    for (int i = 0; words != NULL && words[i] != NULL && (count < 0 || i < count); i++) {
        if (strcmp(words[i], word) == 0) {
            return true;
        }
    }
    return false;
}

bool naik_text_reals(const char *text, int room, double *values, int *count)
{
    for (*count = 0; *count < room; text++) {
        char word[64];
        const size_t length = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : 0, text);
        if (!naik_text_real(word, &values[*count])) {
            break;
        }
        ++*count;
        text += length;
        if (*text == '\0') {
            return true;
        }
    }
    return false;
}

bool naik_text_extents(const char *text, int extents[4])
{
    char separator = strchr(text, ',') != NULL ? ',' : 'x';
    for (int mu = 0; mu < 4; mu++) {
        int64_t value = 0;
        if (!read_digits(&text, (char)(mu < 3 ? separator : '\0'), &value) || value < 1 ||
            value > 32768) {
            return false;
        }
        extents[mu] = (int)value;
    }
    return true;
}

void naik_text_print_real(double value, char *text, size_t text_size)
{
    const point_locale locale = point_locale_begin();
    int digits = 0;
    do {
        snprintf(text, text_size, "%.*g", ++digits, value);
    } while (digits < 17 && strtod(text, NULL) != value);
    point_locale_end(locale);
}

void naik_text_print_size(double bytes, char text[NAIK_TEXT_SIZE])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    enum { LAST = sizeof units / sizeof *units - 1 };
    int unit = 0;
    for (; unit < LAST && fabs(bytes) >= 999.5; unit++) { /* 1000 would be written as 1e+03 */
        bytes /= 1024;
    }
    snprintf(text, NAIK_TEXT_SIZE, "%.3g %s", bytes, units[unit]);
}

naik_status naik_text_refused(int error_number)
{
    static const int of_names[] = {ENOENT,       ENOTDIR, EISDIR, EACCES, EPERM,   EROFS,
                                   ENAMETOOLONG, ELOOP,   EEXIST, EINVAL, ETXTBSY, ENXIO};
    for (size_t i = 0; i < sizeof of_names / sizeof *of_names; i++) {
        if (error_number == of_names[i]) {
            return NAIK_ERR_INPUT;
        }
    }
    return NAIK_ERR_IO;
}

const char *naik_line_next(const char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

bool naik_line_same(const char *a, const char *b)
{
    const size_t length = strcspn(a, "\n");
    return length == strcspn(b, "\n") && memcmp(a, b, length) == 0;
}

const char *naik_line_find(const char *text, const char *head)
{
    while (*text != '\0' && !naik_text_begins(text, head)) {
        text = naik_line_next(text);
    }
    return text;
}

const char *naik_line_value(const char *text, const char *name)
{
    const size_t length = strlen(name);
    while (text != NULL && (strncmp(text, name, length) != 0 || text[length] != '=')) {
        text = strchr(text, '\n');
        text += text != NULL;
    }
    return text != NULL ? text + length + 1 : NULL;
}

bool naik_text_has_odd_space(const char *text, size_t length)
{
    bool has = false;
    for (size_t i = 0; i + 1 < length; i++) {
        const unsigned char *c = (const unsigned char *)text + i;
        const bool third = i + 2 < length;
        has = has || (c[0] == 0xc2 && c[1] == 0xa0) ||  /* U+00A0 */
              (third && c[0] == 0xe2 && c[1] == 0x80 && /* U+2000 to U+200B, U+202F */
               ((c[2] >= 0x80 && c[2] <= 0x8b) || c[2] == 0xaf)) ||
              (third && c[0] == 0xe3 && c[1] == 0x80 && c[2] == 0x80) || /* U+3000 */
              (third && c[0] == 0xef && c[1] == 0xbb && c[2] == 0xbf);   /* U+FEFF */
    }
    return has;
}
