/* xml.c - tags in the text records of LIME files
 *
 * A search for tags, not an XML parser: files of real collaborations hold unterminated quotes,
 * missing tags and plain text where XML is promised.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "io/lime/lime.h"

/* The first character after "<tag>" or "<tag ...>", or NULL. */
static const char *after_tag(const char *text, const char *tag)
{
    size_t length = strlen(tag);
    for (const char *at = strchr(text, '<'); at != NULL; at = strchr(at + 1, '<')) {
        if (strncmp(at + 1, tag, length) != 0) {
            continue;
        }
        const char *end = at + 1 + length;
        if (*end == '>') {
            return end + 1;
        }
        if (isspace((unsigned char)*end)) {
            end = strchr(end, '>');
            return end != NULL ? end + 1 : NULL;
        }
    }
    return NULL;
}

bool naik_xml_value(const char *text, const char *tag, char *value, size_t value_size)
{
    value[0] = '\0';
    const char *begin = after_tag(text, tag);
    if (begin == NULL) {
        return false;
    }
    const char *end = strchr(begin, '<');
    if (end == NULL) {
        return false;
    }
    while (begin < end && isspace((unsigned char)*begin)) {
        begin++;
    }
    while (end > begin && isspace((unsigned char)end[-1])) {
        end--;
    }
    if ((size_t)(end - begin) >= value_size) {
        return false;
    }
    memcpy(value, begin, (size_t)(end - begin));
    value[end - begin] = '\0';
    return true;
}

bool naik_xml_ints(const char *text, const char *tag, int count, int *out)
{
    char value[256];
    if (!naik_xml_value(text, tag, value, sizeof value)) {
        return false;
    }
    char *at = value;
    for (int i = 0; i < count; i++) {
        char *end;
        long number = strtol(at, &end, 10);
        if (end == at || number < -1000000000L || number > 1000000000L ||
            (*end != '\0' && !isspace((unsigned char)*end))) {
            return false;
        }
        out[i] = (int)number;
        at = end;
    }
    return strspn(at, " \t\r\n") == strlen(at);
}
