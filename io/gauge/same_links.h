/* same_links.h - whether two lines that identify configurations tell of the same links
 *
 * A line is what naik_link_provider_identity writes: plaquettes, link trace and the checksum of the file's format; behind
 * them the checksum of the links as stored, which is the same in every format. Lines of naik 0.5.0 and earlier lack it.
 */
#ifndef NAIK_IO_GAUGE_SAME_LINKS_H
#define NAIK_IO_GAUGE_SAME_LINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the checksum of the links is written behind. */
#define NAIK_LINKS_SUM ") links "

/* By the checksum of the links where both lines have it, else by all that both have. Local. */
bool naik_same_links(const char *a, const char *b);
/* Whether the line tells of a file with this checksum of its format. Local. */
bool naik_links_line_has_sum(const char *line, const char *kind, const uint32_t sum[2]);
/* Bytes of the line without the checksum of the links. Local. */
size_t naik_links_line_without_sum(const char *line);

#endif
