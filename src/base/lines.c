/* lines.c - texts of lines "name=value" */
#include "base/lines.h"

#include <string.h>

const char *naik_line_value(const char *text, const char *name)
{
    const size_t length = strlen(name);
    while (text != NULL && (strncmp(text, name, length) != 0 || text[length] != '=')) {
        text = strchr(text, '\n');
        text += text != NULL;
    }
    return text != NULL ? text + length + 1 : NULL;
}
