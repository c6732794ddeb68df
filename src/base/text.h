/* text.h - words and numbers that a user typed; what may be printed of a text from a file */
#ifndef NAIK_BASE_TEXT_H
#define NAIK_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "naik/status.h"

/* The word of `words` (ends with NULL) nearest to `text`, or NULL where none is near enough to have
 * been meant: more than a third of its letters would have to change. Capitals count as small
 * letters, and of words as near one of the same letters in another order is taken. Where none is
 * near, the shortest word that begins with `text`, of three letters or more. */
const char *naik_text_nearest(const char *text, const char *const *words);

/* Bytes of the printable character in UTF-8 with which the text begins; 0 where there is none: a
 * control character, or bytes that are no UTF-8. */
int naik_text_printable(const char *text);
/* Whether there is a space of Unicode beside that of ASCII, such as a non-breaking one, which nobody sees. */
bool naik_text_has_odd_space(const char *text, size_t length);
/* Every byte that begins no such character becomes '?', but for those in `spared`. */
void naik_text_tame(char *text, const char *spared);

/* What it means that the system refuses a name that a user typed, with this error number:
 * NAIK_ERR_INPUT where another name or a permission would help, NAIK_ERR_IO where the machine is at
 * fault. */
naik_status naik_text_refused(int error_number);

/* Letters to insert, delete, replace or swap with their neighbour to turn a into b. Texts beyond
 * 63 letters are compared by their first 63. */
int naik_text_distance(const char *a, const char *b);

/* The whole text as a number, with nothing around it; false where it is not one or does not fit.
 * A real must be finite, and decimal. */
bool naik_text_int64(const char *text, int64_t *value);
bool naik_text_uint64(const char *text, uint64_t *value);
bool naik_text_real(const char *text, double *value);
/* Seconds, or HH:MM:SS with MM and SS below 60. */
bool naik_text_time(const char *text, double *time_s);
/* Whether the text begins with these characters. */
bool naik_text_begins(const char *text, const char *head);
/* Whether a list has this word: the first `count` words, or, of a negative count, all before NULL. A list
 * that is NULL has none. */
bool naik_text_is_among(const char *word, const char *const *words, int count);
/* A list "1,2,16" of at most `room` whole numbers in least .. most. */
bool naik_text_counts(const char *text, int least, int most, int room, int *values, int *count);
/* A list "0.1,0.2" of at most `room` reals. */
bool naik_text_reals(const char *text, int room, double *values, int *count);
/* Four extents "X,Y,Z,T" or "XxYxZxT", each in 1 .. 32768. */
bool naik_text_extents(const char *text, int extents[4]);

/* Prints behind what the text has, as far as there is room. */
void naik_text_append(char *text, size_t text_size, const char *format, ...)
    __attribute__((__format__(__printf__, 3, 4)));

/* As strtod, with a point whatever locale the process has. */
double naik_text_strtod(const char *text, char **end);
/* The shortest decimal text that reads back as the same double. */
void naik_text_print_real(double value, char *text, size_t text_size);
/* "512 B", "52 MiB", "1.08 TiB": a number of bytes in three figures, for sentences. */
enum { NAIK_TEXT_SIZE = 24 };
void naik_text_print_size(double bytes, char text[NAIK_TEXT_SIZE]);

/* Texts of lines. The line behind this one, or the end of the text; */
const char *naik_line_next(const char *line);
/* whether two lines are the same, without what stands before or behind; */
bool naik_line_same(const char *a, const char *b);
/* and the first line that begins with `head`, or the end of the text. */
const char *naik_line_find(const char *text, const char *head);
/* Of a text of lines "name=value", the value of the first such line, up to its line's end; or NULL. What was found
 * may be asked for the next. */
const char *naik_line_value(const char *text, const char *name);

#endif
