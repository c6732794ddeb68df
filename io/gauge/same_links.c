/* same_links.c - whether two lines that identify configurations tell of the same links */
#include "io/gauge/same_links.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

size_t naik_links_line_without_sum(const char *line)
{
    const char *sum = strstr(line, NAIK_LINKS_SUM);
    return sum != NULL ? (size_t)(sum - line) + 1 : strlen(line);
}

bool naik_same_links(const char *a, const char *b)
{
    const size_t length[2] = {naik_links_line_without_sum(a), naik_links_line_without_sum(b)};
    if (a[length[0]] != '\0' && b[length[1]] != '\0') {
        return strcmp(a + length[0], b + length[1]) == 0;
    }
    return length[0] == length[1] && memcmp(a, b, length[0]) == 0;
}

bool naik_links_line_has_sum(const char *line, const char *kind, const uint32_t sum[2])
{
    char text[64];
    snprintf(text, sizeof text, "(%s %" PRIx32 " %" PRIx32 ")", kind, sum[0], sum[1]);
    return strstr(line, text) != NULL;
}
