/* xml.c - tags in the text records of LIME files
 *
 * A search for tags, not an XML parser: files of real collaborations hold unterminated quotes,
 * missing tags and plain text where XML is promised.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io/lime/lime.h"

static const char comment_begin[] = "<!--", comment_end[] = "-->";

/* The end of the comment at `at`; a comment that never ends reaches to the end of the text. */
static const char *after_comment(const char *at)
{
    const char *end = strstr(at + sizeof comment_begin - 1, comment_end);
    return end != NULL ? end + sizeof comment_end - 1 : at + strlen(at);
}

/* The first character of a tag's name, behind the prefix of a namespace. */
static const char *local_name(const char *name)
{
    const size_t prefix = strcspn(name, ":<>/=\"' \t\r\n");
    return name[prefix] == ':' ? name + prefix + 1 : name;
}

/* The first character after "<tag>" or "<tag ...>", or NULL. */
static const char *after_tag(const char *text, const char *tag)
{
    const size_t length = strlen(tag);
    for (const char *at = strchr(text, '<'); at != NULL; at = strchr(at, '<')) {
        if (naik_text_begins(at, comment_begin)) {
            at = after_comment(at);
            continue;
        }
        const char *instructed = at[1] == '?' ? strstr(at, "?>") : NULL;
        if (instructed != NULL) { /* for another program */
            at = instructed + 2;
            continue;
        }
        const char *name = local_name(at + 1), *end = name + length;
        at++;
        if (strncmp(name, tag, length) != 0) {
            continue;
        }
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

/* The value that begins at `at`; NULL: there is none. */
static bool value_at(const char *at, char *value, size_t value_size)
{
    size_t used = 0;
    bool fits = true;
    value[0] = '\0';
    while (at != NULL && *at != '\0') {
        const bool comment = naik_text_begins(at, comment_begin),
                   space = isspace((unsigned char)*at);
        if (*at == '<' && !comment) {
            break;
        }
        if (comment) {
            at = after_comment(at);
            continue;
        }
        if (used + 1 < value_size && (used > 0 || !space)) {
            value[used++] = *at;
        } else {
            fits = fits && space; /* white space around the value is none of it */
        }
        at++;
    }
    while (used > 0 && isspace((unsigned char)value[used - 1])) {
        used--;
    }
    const bool found = at != NULL && *at == '<' && fits;
    value[found ? used : 0] = '\0';
    return found;
}

bool naik_xml_value(const char *text, const char *tag, char *value, size_t value_size)
{
    return value_at(after_tag(text, tag), value, value_size);
}

bool naik_xml_contradicts(const char *text, const char *tag)
{
    char first[256], other[256];
    bool contradicts = false;
    naik_xml_value(text, tag, first, sizeof first);
    for (const char *at = after_tag(text, tag); at != NULL; at = after_tag(at, tag)) {
        value_at(at, other, sizeof other);
        contradicts = contradicts || strcmp(first, other) != 0;
    }
    return contradicts;
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
