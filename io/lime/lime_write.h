/* lime_write.h - putting LIME records together in memory; private to io/ */
#ifndef NAIK_IO_LIME_LIME_WRITE_H
#define NAIK_IO_LIME_LIME_WRITE_H

#include <stddef.h>
#include <stdint.h>

enum { NAIK_LIME_ROOM = 8192, NAIK_LIME_BEGIN = 0x80, NAIK_LIME_END = 0x40 };

#define NAIK_XML_HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"

typedef struct naik_lime_buffer {
    unsigned char bytes[NAIK_LIME_ROOM];
    size_t used;
} naik_lime_buffer;

/* A record header of 144 bytes; its data follow elsewhere. flags: of message begin and end. */
void naik_lime_put_header(naik_lime_buffer *b, const char *type, int flags, int64_t length);
/* A whole record of text with its terminating NUL, padded to 8 bytes. The texts of naik are short
 * and of known size: what does not fit is a mistake of the program and left out. */
void naik_lime_put_text(naik_lime_buffer *b, const char *type, int flags, const char *text);

#endif
