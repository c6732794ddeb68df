/* inbox.h - memory of a rank that its neighbours of the same node write to */
#ifndef NAIK_GPU_INBOX_H
#define NAIK_GPU_INBOX_H

#include "gpu/device.h"

/* Of this rank: the memory, and what others map it by. */
naik_status gpu_inbox_take(naik_backend *backend, size_t size_bytes, naik_inbox *inbox,
                           gpu_ipc_handle *mine);
/* The neighbours' memory, across the faces that the inbox is for. Collective. */
naik_status gpu_inbox_connect(naik_backend *backend, const naik_lattice *lat,
                              const gpu_ipc_handle *mine, naik_inbox *inbox);
/* Both, with memory whose content is left open. Collective; an inbox half made is none. */
naik_status gpu_inbox_open(const naik_geometry *geometry, const bool faces[NAIK_DIM][2],
                           size_t size_bytes, naik_inbox *inbox);
void gpu_inbox_close(naik_backend *backend, naik_inbox *inbox);
/* On the stream of the backend; not awaited. */
naik_status gpu_inbox_copy(naik_backend *backend, void *to, const void *from, size_t size_bytes);

#endif
