/* json.h - numbers out of a JSON file that is known to be sound: just what reference cases need
 *
 * A value is a pointer to where it begins in the text. What is not there is NULL, and NULL in gives
 * NULL, or NaN, out.
 */
#ifndef NAIK_TESTS_JSON_H
#define NAIK_TESTS_JSON_H

#include <stdbool.h>

/* The whole file, to be freed; NULL where it cannot be read. */
char *json_load(const char *path);
/* The member `key` of an object; the element `index` of an array. */
const char *json_member(const char *object, const char *key);
const char *json_element(const char *array, int index);
double json_number(const char *value);
bool json_is_text(const char *value, const char *text); /* a string without escapes */

#endif
