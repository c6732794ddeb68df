/* aggregates.cu - copies of the tables of aggregates in the device's memory */
#include "gpu/multigrid/layout.cuh"

extern "C" {
#include "base/memory.h"
}

/* The next piece of the memory at *at, of which `used` bytes are taken; filled where there is memory. */
typedef struct filling {
    naik_backend *backend;
    char *memory; /* NULL: the first pass, which counts */
    size_t used;
} filling;

static naik_status fill(filling *f, const void *from, size_t bytes, void **to)
{
    *to = f->memory != NULL ? f->memory + f->used : NULL;
    if (f->memory != NULL && bytes > 0) {
        NAIK_PASS(gpu_upload(&f->backend->device, *to, from, bytes));
    }
    f->used += (bytes + 15) / 16 * 16;
    return NAIK_OK;
}

static naik_status fill_all(filling *f, const naik_aggregates *a, gpu_aggregates *tables)
{
    for (int c = 0; c < 2; c++) {
        const size_t count = (size_t)a->count[c], members = count * 2 * (size_t)a->fine;
        NAIK_PASS(fill(f, a->member[c], members * sizeof(int32_t), (void **)&tables->member[c]));
        NAIK_PASS(fill(f, a->across[c], members, (void **)&tables->across[c]));
        NAIK_PASS(fill(f, a->neighbour[c], count * NAIK_MG_POINTS * sizeof(int32_t),
                       (void **)&tables->neighbour[c]));
        NAIK_PASS(fill(f, a->global[c], count * sizeof(int64_t), (void **)&tables->global[c]));
        for (int n = 0; n < 2 * NAIK_DIM; n++) {
            const int mu = n / 2, side = n % 2;
            NAIK_PASS(fill(f, a->send[c][mu][side], (size_t)a->sends[c][mu][side] * sizeof(int32_t),
                           (void **)&tables->send[c][mu][side]));
        }
    }
    return NAIK_OK;
}

naik_status gpu_aggregates_open(naik_aggregates *aggregates)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = mg_backend(aggregates);
    filling f = {backend, NULL, 0};
    gpu_aggregates *tables = (gpu_aggregates *)calloc(1, sizeof *tables);
    if (tables == NULL) {
        return NAIK_FAIL(backend->log, NAIK_ERR_MEMORY, "no memory for tables of aggregates");
    }
    aggregates->tables = tables;
    NAIK_TRY(fill_all(&f, aggregates, tables));
    NAIK_TRY(gpu_alloc(&backend->device, f.used, "tables of aggregates", &tables->memory));
    f.memory = (char *)tables->memory;
    f.used = 0;
    NAIK_TRY(fill_all(&f, aggregates, tables));
done:
    if (status != NAIK_OK) {
        gpu_aggregates_close(aggregates);
    }
    return status;
}

void gpu_aggregates_close(naik_aggregates *aggregates)
{
    gpu_aggregates *tables = (gpu_aggregates *)aggregates->tables;
    if (tables != NULL && tables->memory != NULL) {
        gpu_release(&mg_backend(aggregates)->device, tables->memory);
    }
    free(tables);
    aggregates->tables = NULL;
}
