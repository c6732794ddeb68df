/* ledger.c - the memory that a backend has given out and not got back */
#include "ledger.h"

#include <string.h>

enum { PIECES_MOST = 4096 };
static struct {
    const naik_backend_ops *real;
    naik_backend_ops ops;
    void *piece[PIECES_MOST];
    size_t bytes[PIECES_MOST], now, most;
    bool message[PIECES_MOST];
} counted; /* allocators are told of no more than a device */

static naik_status counted_alloc(naik_device *device, size_t bytes, const char *what, void **out)
{
    const naik_status status = counted.real->memory.alloc(device, bytes, what, out);
    for (int i = 0; i < PIECES_MOST && status == NAIK_OK; i++) {
        if (counted.piece[i] == NULL) {
            counted.piece[i] = *out;
            counted.bytes[i] = bytes;
            counted.message[i] = strcmp(what, "halo messages") == 0;
            counted.now += bytes;
            counted.most = counted.now > counted.most ? counted.now : counted.most;
            break;
        }
    }
    return status;
}

static void counted_release(naik_device *device, void *memory)
{
    for (int i = 0; i < PIECES_MOST && memory != NULL; i++) {
        if (counted.piece[i] == memory) {
            counted.piece[i] = NULL;
            counted.now -= counted.bytes[i];
        }
    }
    counted.real->memory.release(device, memory);
}

void ledger_open(naik_backend *backend)
{
    memset(&counted, 0, sizeof counted);
    counted.real = backend->ops;
    counted.ops = *backend->ops;
    counted.ops.memory.alloc = counted_alloc;
    counted.ops.memory.release = counted_release;
    backend->ops = &counted.ops;
}

void ledger_close(naik_backend *backend)
{
    backend->ops = counted.real;
}

size_t ledger_now(void)
{
    return counted.now;
}

size_t ledger_most(void)
{
    return counted.most;
}

size_t ledger_messages(void)
{
    size_t bytes = 0;
    for (int i = 0; i < PIECES_MOST; i++) {
        bytes += counted.piece[i] != NULL && counted.message[i] ? counted.bytes[i] : 0;
    }
    return bytes;
}

void ledger_begin(void)
{
    counted.most = counted.now;
}
