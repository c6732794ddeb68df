/* inbox.cu - memory that the neighbours of the same node write to: taken, offered, mapped */
#include <string.h>

#include "gpu/halo/inbox.h"

extern "C" {
#include "comm/collective.h"
}

naik_status gpu_inbox_take(naik_backend *backend, size_t size_bytes, naik_inbox *inbox,
                           gpu_ipc_handle *mine)
{
    NAIK_PASS(
        gpu_alloc_open(backend, size_bytes, "halos from other GPUs", (void **)&inbox->memory));
    return GPU_CHECK(backend, gpu_ipc_get(mine, inbox->memory), "offering memory to other ranks");
}

static naik_status map_neighbour(naik_backend *backend, naik_inbox *inbox, int rank,
                                 const gpu_ipc_handle *theirs, char **out)
{
    for (int i = 0; i < inbox->mapped_count; i++) {
        if (inbox->mapped_rank[i] == rank) {
            *out = (char *)inbox->mapped[i];
            return NAIK_OK;
        }
    }
    void *memory = NULL;
    naik_status status =
        GPU_CHECK(backend, gpu_ipc_open(&memory, *theirs), "mapping the memory of another rank");
    if (status == NAIK_OK) {
        inbox->mapped_rank[inbox->mapped_count] = rank;
        inbox->mapped[inbox->mapped_count++] = memory;
        *out = (char *)memory;
    }
    return status;
}

/* Every rank hands its offer to both neighbours in each split direction. */
naik_status gpu_inbox_connect(naik_backend *backend, const naik_lattice *lat,
                              const gpu_ipc_handle *mine, naik_inbox *inbox)
{
    naik_status status = NAIK_OK;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        for (int side = 0; side < 2; side++) {
            gpu_ipc_handle theirs;
            if (!lat->split[mu]) {
                continue;
            }
            NAIK_PASS(naik_comm_exchange(lat->comm, lat->neighbour_rank[mu][!side], mine,
                                         lat->neighbour_rank[mu][side], &theirs, sizeof theirs));
            if (inbox->faces[mu][side]) {
                naik_status mapped = map_neighbour(backend, inbox, lat->neighbour_rank[mu][side],
                                                   &theirs, &inbox->theirs[mu][side]);
                status = mapped != NAIK_OK ? mapped : status;
            }
        }
    }
    return status;
}

naik_status gpu_inbox_open(const naik_geometry *geometry, const bool faces[NAIK_DIM][2],
                           size_t size_bytes, naik_inbox *inbox)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = geometry->backend;
    gpu_ipc_handle mine;
    memset(&mine, 0, sizeof mine);
    memset(inbox, 0, sizeof *inbox);
    memcpy(inbox->faces, faces, sizeof inbox->faces);
    NAIK_TRY(naik_comm_agree(backend->comm, gpu_inbox_take(backend, size_bytes, inbox, &mine)));
    NAIK_TRY(naik_comm_agree(backend->comm,
                             gpu_inbox_connect(backend, geometry->lattice, &mine, inbox)));
done:
    if (status != NAIK_OK) {
        gpu_inbox_close(backend, inbox);
    }
    return status;
}

void gpu_inbox_close(naik_backend *backend, naik_inbox *inbox)
{
    if (inbox->mapped_count > 0 || inbox->memory != NULL) {
        (void)gpu_stream_sync(gpu_state_of(backend)->stream);
    }
    for (int i = 0; i < inbox->mapped_count; i++) {
        (void)gpu_ipc_close(inbox->mapped[i]);
    }
    gpu_release(&backend->device, inbox->memory);
    memset(inbox, 0, sizeof *inbox);
}

naik_status gpu_inbox_copy(naik_backend *backend, void *to, const void *from, size_t size_bytes)
{
    return GPU_CHECK(backend, gpu_copy_any(to, from, size_bytes, gpu_state_of(backend)->stream),
                     "copying what a neighbour wrote");
}
