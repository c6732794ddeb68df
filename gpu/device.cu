/* device.cu - opening the device of this rank, its memory pool and errors */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/backend_gpu.h"

extern "C" {
#include "comm/affinity.h"
#include "comm/collective.h"
#include "comm/groups.h"
#include "comm/new.h"
}

naik_status gpu_report(naik_backend *backend, gpu_error error, const char *what, const char *file,
                       int line)
{
    if (error == gpu_success) {
        return NAIK_OK;
    }
    naik_status status = error == gpu_error_memory ? NAIK_ERR_MEMORY : NAIK_ERR_DEVICE;
    (void)gpu_last_error(); /* or the next kernel would be blamed for it */
    return naik_log_fail(backend->log, status, file, line, "the GPU failed while %s: %s", what,
                         gpu_error_text(error));
}

enum { OPEN_UNIT_BYTES = 2 << 20 }; /* what a handle opens, at the least */

/* What rank 0 needs to see whether two ranks use one device. */
typedef struct device_identity {
    char host[64];
    char bus_id[32];
    int found;
} device_identity;

static int count_shared(const device_identity *all, int size)
{
    int shared = 0;
    for (int i = 0; i < size; i++) {
        for (int j = 0; j < i && all[i].found; j++) {
            if (all[j].found && memcmp(&all[i], &all[j], sizeof all[i]) == 0) {
                shared++;
                break;
            }
        }
    }
    return shared;
}

/* Refuses a device used by two ranks unless the user wants that. Collective over the job. */
static naik_status check_sharing(naik_backend *backend, gpu_state *state, bool allowed)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = naik_comm_job(backend->comm);
    device_identity mine = {};
    int shared = 0;
    device_identity *all = NULL;
    snprintf(mine.host, sizeof mine.host, "%s", comm->host);
    snprintf(mine.bus_id, sizeof mine.bus_id, "%s", state->bus_id);
    mine.found = true;
    if (comm->rank == 0) {
        all = (device_identity *)calloc((size_t)comm->size, sizeof *all);
        status = all != NULL ? NAIK_OK : NAIK_ERR_MEMORY;
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_comm_gather(comm, &mine, sizeof mine, all));
    if (comm->rank == 0) {
        shared = count_shared(all, comm->size);
    }
    NAIK_TRY(naik_comm_broadcast(comm, &shared, sizeof shared, 0));
    state->shared = shared > 0;
    if (shared > 0 && !allowed) {
        status = NAIK_FAIL(backend->log, NAIK_ERR_DEVICE,
                           "%d of %d ranks share a GPU with another rank: start one rank a GPU, or "
                           "allow it with run.share_gpu",
                           shared, comm->size);
    }
done:
    free(all);
    return status;
}

/* The devices that this rank sees, and how near they are to its processors. */
static void look_around(naik_affinity_view *view)
{
    bool cpus[NAIK_AFFINITY_CPUS];
    int count = 0;
    memset(view, 0, sizeof *view);
    if (gpu_device_count(&count) != gpu_success) {
        count = 0;
    }
    naik_affinity_allowed(cpus);
    for (int i = 0; i < count && i < NAIK_AFFINITY_DEVICES; i++) {
        char *address = view->address[i];
        if (gpu_device_bus_id(address, NAIK_AFFINITY_ADDRESS, i) != gpu_success) {
            snprintf(address, NAIK_AFFINITY_ADDRESS, "%d", i);
        }
        for (char *c = address; *c != '\0'; c++) {
            *c = (char)tolower((unsigned char)*c);
        }
        view->share[i] = naik_affinity_share(address, cpus);
        view->count = i + 1;
    }
    (void)gpu_last_error();
}

/* This rank's device, as the ranks of the node divide them, those of other groups too. Collective over the
 * job. */
static naik_status divide_devices(naik_backend *backend, int *device)
{
    naik_status status = NAIK_OK;
    int current = 0;
    naik_comm *job = naik_comm_job(backend->comm);
    const int ranks = job->node_size;
    naik_affinity_view mine, *all = NULL;
    int *choice = NULL;
    NAIK_TRY(naik_new(job, (size_t)ranks * sizeof *all, "a list of devices", (void **)&all));
    NAIK_TRY(naik_new(job, (size_t)ranks * sizeof *choice, "a list of devices", (void **)&choice));
    look_around(&mine);
    NAIK_TRY(naik_comm_node_gather(job, &mine, sizeof mine, all));
    naik_affinity_assign(all, ranks, choice);
    *device = choice[job->node_rank];
    if (job->size == 1 && gpu_device_get(&current) == gpu_success && current > 0) {
        *device = current; /* this process already works on another than the default */
    }
done:
    free(all);
    free(choice);
    return status;
}

static naik_status choose_device(naik_backend *backend, gpu_state *state)
{
    int count = 0;
    gpu_error error = gpu_success;
    NAIK_PASS(divide_devices(backend, &state->device));
    error = gpu_device_count(&count);
    if (error != gpu_success || state->device < 0) {
        (void)gpu_last_error();
        return NAIK_FAIL(backend->log, NAIK_ERR_DEVICE, "no GPU is visible on host %s (%s)",
                         backend->comm->host,
                         error == gpu_success ? "the driver lists none" : gpu_error_text(error));
    }
    NAIK_PASS(GPU_CHECK(backend, gpu_device_set(state->device), "choosing a device"));
    NAIK_PASS(GPU_CHECK(backend, gpu_device_properties(&state->properties, state->device),
                        "asking for the device's properties"));
    NAIK_PASS(GPU_CHECK(backend,
                        gpu_device_bus_id(state->bus_id, (int)sizeof state->bus_id, state->device),
                        "asking for the device's address"));
    if (state->properties.warpSize != GPU_LANES) {
        return NAIK_FAIL(
            backend->log, NAIK_ERR_DEVICE,
            "device %d on %s is a %s: its threads move by %d, these kernels are for %d",
            state->device, backend->comm->host, state->properties.name, state->properties.warpSize,
            GPU_LANES);
    }
    return NAIK_OK;
}

/* Collective. */
static naik_status find_smallest(naik_backend *backend, gpu_state *state)
{
    double least = state->properties.multiProcessorCount;
    naik_status status = naik_comm_min_f64(backend->comm, &least, 1);
    state->processors = (int)least;
    return status;
}

naik_status gpu_open(naik_backend *backend, const naik_backend_options *options)
{
    gpu_state *state = NULL;
    NAIK_PASS(
        naik_new(backend->comm, sizeof *state, "the state of the GPU backend", (void **)&state));
    backend->state = state;
    NAIK_PASS(naik_comm_agree(naik_comm_job(backend->comm), choose_device(backend, state)));
    NAIK_PASS(check_sharing(backend, state, options != NULL && options->share_gpu));
    NAIK_PASS(find_smallest(backend, state));
    NAIK_PASS(GPU_CHECK(backend, gpu_stream_create(&state->stream), "making a stream"));
    NAIK_PASS(gpu_alloc(&backend->device, GPU_STAGING_BYTES, "staging", &state->staging));
    NAIK_PASS(gpu_alloc(&backend->device, 8 * sizeof(uint64_t), "flags", (void **)&state->flags));
    NAIK_PASS(
        gpu_alloc(&backend->device, sizeof *state->ticket, "a counter", (void **)&state->ticket));
    NAIK_PASS(GPU_CHECK(backend, gpu_memset(state->ticket, 0, sizeof *state->ticket, state->stream),
                        "clearing a counter"));
    NAIK_PASS(
        gpu_alloc(&backend->device, 2 * sizeof *state->taken, "sums", (void **)&state->taken));
    NAIK_PASS(gpu_tune_open(backend, options != NULL ? options->tune_cache : NULL));
    return GPU_CHECK(backend, gpu_malloc_host(&state->pinned, GPU_STAGING_BYTES),
                     "taking pinned host memory");
}

/* Memory that other ranks have mapped may be freed when all of them have closed their mappings.
 * Where one has failed alone, they do not come: the end of the process then frees it. */
static bool may_free_open(naik_backend *backend)
{
    const bool failed = naik_log_message(backend->log)[0] != '\0';
    return !gpu_state_of(backend)->opened ||
           naik_comm_meet(backend->comm, failed ? NAIK_ERR_DEVICE : NAIK_OK);
}

void gpu_close(naik_backend *backend)
{
    gpu_state *state = gpu_state_of(backend);
    if (state == NULL) {
        return;
    }
    gpu_peer_ops.close(backend);
    gpu_tune_close(backend);
    gpu_sample_close(backend);
    if (state->stream != NULL) {
        (void)gpu_stream_sync(state->stream);
        (void)gpu_stream_destroy(state->stream);
    }
    if (state->recorded != NULL) {
        (void)gpu_graph_exec_destroy(state->recorded);
    }
    const bool all = may_free_open(backend);
    for (int i = 0; i < state->block_count; i++) {
        if (all || !state->blocks[i].open) {
            (void)gpu_free(state->blocks[i].memory);
        }
    }
    if (state->pinned != NULL) {
        (void)gpu_free_host(state->pinned);
    }
    free(state->blocks);
    free(state);
    backend->state = NULL;
}

bool gpu_shared(const naik_backend *backend)
{
    return gpu_state_of(backend)->shared;
}

void gpu_describe(const naik_backend *backend, char *text, size_t text_size)
{
    const gpu_state *state = gpu_state_of(backend);
    snprintf(text, text_size, "%s, device %d (%s), %.0f GiB, %d multiprocessors, %s",
             state->properties.name, state->device, state->bus_id,
             (double)state->properties.totalGlobalMem / (1 << 30),
             state->properties.multiProcessorCount, GPU_VENDOR_NAME);
}

/* ---- memory pool */

static gpu_block *find_kept(gpu_state *state, size_t size_bytes, bool open)
{
    gpu_block *best = NULL;
    for (int i = 0; i < state->block_count; i++) {
        gpu_block *b = &state->blocks[i];
        if (!b->in_use && b->open == open && b->size_bytes >= size_bytes &&
            b->size_bytes <= size_bytes + size_bytes / 4 &&
            (best == NULL || b->size_bytes < best->size_bytes)) {
            best = b;
        }
    }
    return best;
}

static void free_kept(gpu_state *state)
{
    int left = 0;
    for (int i = 0; i < state->block_count; i++) {
        if (state->blocks[i].in_use || state->blocks[i].open) {
            state->blocks[left++] = state->blocks[i];
        } else {
            (void)gpu_free(state->blocks[i].memory);
        }
    }
    state->block_count = left;
}

static naik_status grow_table(naik_backend *backend, gpu_state *state)
{
    if (state->block_count < state->block_capacity) {
        return NAIK_OK;
    }
    int capacity = 2 * state->block_capacity + 32;
    gpu_block *grown = (gpu_block *)realloc(state->blocks, (size_t)capacity * sizeof *grown);
    if (grown == NULL) {
        return NAIK_FAIL(backend->log, NAIK_ERR_MEMORY, "no memory for the device memory pool");
    }
    state->blocks = grown;
    state->block_capacity = capacity;
    return NAIK_OK;
}

static gpu_error take(bool open, size_t size_bytes, void **out)
{
    return open ? gpu_malloc_open(out, size_bytes) : gpu_malloc(out, size_bytes);
}

static naik_status allocate(naik_backend *backend, bool open, size_t size_bytes, const char *what,
                            void **out)
{
    gpu_state *state = gpu_state_of(backend);
    *out = NULL;
    const size_t unit = open ? OPEN_UNIT_BYTES : 512;
    size_t rounded = (size_bytes + unit - 1) / unit * unit;
    rounded = rounded > 0 ? rounded : unit;
    gpu_block *kept = find_kept(state, rounded, open);
    if (kept != NULL) {
        kept->in_use = true;
        *out = kept->memory;
        return NAIK_OK;
    }
    NAIK_PASS(grow_table(backend, state));
    {
        void *memory = NULL;
        gpu_error error = take(open, rounded, &memory);
        if (error == gpu_error_memory) { /* kept blocks of other sizes may be in the way */
            (void)gpu_last_error();
            (void)gpu_stream_sync(state->stream);
            free_kept(state);
            error = take(open, rounded, &memory);
        }
        if (error != gpu_success) {
            size_t free_bytes = 0, total_bytes = 0;
            (void)gpu_last_error();
            (void)gpu_memory_info(&free_bytes, &total_bytes);
            return NAIK_FAIL(backend->log,
                             error == gpu_error_memory ? NAIK_ERR_MEMORY : NAIK_ERR_DEVICE,
                             "no device memory for %s: %.2f GiB wanted, %.2f of %.2f GiB free; use "
                             "more ranks or a smaller batch (%s)",
                             what, (double)rounded / (1 << 30), (double)free_bytes / (1 << 30),
                             (double)total_bytes / (1 << 30), gpu_error_text(error));
        }
        state->blocks[state->block_count++] = (gpu_block){memory, rounded, true, open};
        *out = memory;
    }
    return NAIK_OK;
}

naik_status gpu_alloc(naik_device *device, size_t size_bytes, const char *what, void **out)
{
    naik_backend *backend = gpu_backend_of(device);
    return allocate(backend, false, size_bytes, what, out);
}

naik_status gpu_alloc_open(naik_backend *backend, size_t size_bytes, const char *what, void **out)
{
    return allocate(backend, true, size_bytes, what, out);
}

naik_status gpu_alloc_host(naik_device *device, size_t size_bytes, const char *what, void **out)
{
    naik_backend *backend = gpu_backend_of(device);
    (void)what;
    return GPU_CHECK(backend, gpu_malloc_host(out, size_bytes > 0 ? size_bytes : 1),
                     "taking pinned host memory");
}

void gpu_release_host(naik_device *device, void *memory)
{
    (void)device;
    if (memory != NULL) {
        (void)gpu_free_host(memory);
    }
}

void gpu_release(naik_device *device, void *memory)
{
    naik_backend *backend = gpu_backend_of(device);
    gpu_state *state = gpu_state_of(backend);
    for (int i = 0; memory != NULL && i < state->block_count; i++) {
        if (state->blocks[i].memory == memory) {
            state->blocks[i].in_use = false;
        }
    }
}

naik_status gpu_free_bytes(naik_device *device, size_t *out)
{
    naik_backend *backend = gpu_backend_of(device);
    const gpu_state *state = gpu_state_of(backend);
    size_t total_bytes = 0;
    *out = 0;
    naik_status status = GPU_CHECK(backend, gpu_memory_info(out, &total_bytes),
                                   "asking for the device's free memory");
    for (int i = 0; i < state->block_count; i++) {
        const gpu_block *b = &state->blocks[i];
        *out += b->in_use || b->open ? 0 : b->size_bytes; /* open ones are kept for their like */
    }
    return status;
}

naik_status gpu_sync(naik_device *device)
{
    naik_backend *backend = gpu_backend_of(device);
    naik_status status = GPU_CHECK(backend, gpu_stream_sync(gpu_state_of(backend)->stream),
                                   "running the kernels before this point");
    return status == NAIK_OK ? gpu_peers_check(backend) : status;
}
