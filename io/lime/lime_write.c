/* lime_write.c - LIME records as QIO writes them: flags, terminating NULs, padding */
#include "io/lime/lime_write.h"

#include <stdio.h>
#include <string.h>

enum { RECORD_HEADER = 144 };

void naik_lime_put_header(naik_lime_buffer *b, const char *type, int flags, int64_t length)
{
    static const unsigned char start[6] = {0x45, 0x67, 0x89, 0xab, 0, 1};
    if (b->used + RECORD_HEADER > sizeof b->bytes) {
        return;
    }
    unsigned char *at = b->bytes + b->used;
    memset(at, 0, RECORD_HEADER);
    memcpy(at, start, sizeof start);
    at[6] = (unsigned char)flags;
    for (int i = 0; i < 8; i++) {
        at[8 + i] = (unsigned char)(length >> (56 - 8 * i));
    }
    snprintf((char *)at + 16, RECORD_HEADER - 16, "%s", type);
    b->used += RECORD_HEADER;
}

void naik_lime_put_text(naik_lime_buffer *b, const char *type, int flags, const char *text)
{
    size_t length = strlen(text) + 1;
    size_t padded = (length + 7) / 8 * 8;
    if (b->used + RECORD_HEADER + padded > sizeof b->bytes) {
        return;
    }
    naik_lime_put_header(b, type, flags, (int64_t)length);
    memset(b->bytes + b->used, 0, padded);
    memcpy(b->bytes + b->used, text, length);
    b->used += padded;
}
