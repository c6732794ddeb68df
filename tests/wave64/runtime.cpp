/* runtime.cpp - the host's side of HIP: everything is done at once, in the order of the calls
 *
 * Device memory is filled with ones when it is taken and ends where a page begins that nobody may
 * touch. What other processes map is a file that has no name. Recorded graphs are lists of what to
 * do. WAVE64_CAPTURE=0 refuses to record.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <map>
#include <vector>

#include "waves.h"

enum { DEVICES = 8, PAGE = 4096, PROCESSORS = 8 };
static const size_t CAPACITY = (size_t)4 << 30;

typedef std::function<void()> task;
struct wave64_graph {
    std::vector<task> tasks;
};
struct wave64_stream {
    wave64_graph *recorded;
};
struct wave64_event {
    double time_s;
};
struct piece { /* of memory */
    char *map;
    size_t map_bytes, size;
    int type, file;
};

static std::map<char *, piece> pieces; /* by first byte */
static std::map<void *, piece> opened; /* of other processes */
static size_t taken;
static int device;
static hipError_t last_error;
static wave64_stream *recording;

static void submit(task what)
{
    if (recording != NULL) {
        recording->recorded->tasks.push_back(what);
    } else {
        what();
    }
}

static void not_while_recording(const char *what)
{
    if (recording != NULL) {
        fprintf(stderr, "wave64: %s while a stream is recorded\n", what);
        abort();
    }
}

void wave64_launch(const char *name, dim3 grid, dim3 block, hipStream_t, task thread)
{
    const uint64_t threads = (uint64_t)block.x * block.y * block.z;
    if (threads == 0 || threads > WAVE64_THREADS || grid.x == 0 || grid.y == 0 || grid.z == 0 ||
        grid.y > 65535 || grid.z > 65535 || (uint64_t)grid.x * block.x > UINT32_MAX) {
        last_error = hipErrorInvalidConfiguration;
        return;
    }
    submit([=]() { wave64_run(name, grid, block, thread); });
}

/* ---- errors and devices */

const char *hipGetErrorString(hipError_t error)
{
    return error == hipErrorOutOfMemory                ? "out of memory"
           : error == hipErrorInvalidValue             ? "invalid value"
           : error == hipErrorInvalidConfiguration     ? "invalid configuration"
           : error == hipErrorStreamCaptureUnsupported ? "capture unsupported"
                                                       : "no error";
}
hipError_t hipGetLastError()
{
    const hipError_t error = last_error;
    last_error = hipSuccess;
    return error;
}
hipError_t hipGetDeviceCount(int *count)
{
    *count = DEVICES;
    return hipSuccess;
}
hipError_t hipSetDevice(int which)
{
    device = which;
    return hipSuccess;
}
hipError_t hipGetDevice(int *which)
{
    *which = device;
    return hipSuccess;
}
hipError_t hipGetDeviceProperties(hipDeviceProp_t *out, int)
{
    *out = {};
    snprintf(out->name, sizeof out->name, "wave64");
    out->warpSize = warpSize;
    out->multiProcessorCount = PROCESSORS;
    out->l2CacheSize = 2 << 20; /* small: slabs of few planes on small boxes */
    out->totalGlobalMem = CAPACITY;
    return hipSuccess;
}
hipError_t hipDeviceGetPCIBusId(char *text, int size, int which)
{
    snprintf(text, (size_t)size, "0000:%02x:00.0", 0xc0u + (unsigned)which);
    return hipSuccess;
}
hipError_t hipMemGetInfo(size_t *left, size_t *total)
{
    *total = CAPACITY;
    *left = CAPACITY - taken;
    return hipSuccess;
}
hipError_t hipDriverGetVersion(int *version)
{
    *version = 1;
    return hipSuccess;
}

/* ---- memory */

static hipError_t take(void **out, size_t size, int type, bool open)
{
    piece p = {};
    const size_t pages = (size + PAGE - 1) / PAGE * PAGE;
    *out = NULL;
    if (taken + size > CAPACITY) {
        return hipErrorOutOfMemory;
    }
    p.type = type;
    p.size = size;
    p.map_bytes = pages + PAGE;
    p.file = open ? memfd_create("wave64", 0) : -1;
    if (open && (p.file < 0 || ftruncate(p.file, (off_t)p.map_bytes) != 0)) {
        return hipErrorOutOfMemory;
    }
    p.map = (char *)mmap(NULL, p.map_bytes, PROT_READ | PROT_WRITE,
                         open ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, p.file,
                         0);
    if (p.map == MAP_FAILED || mprotect(p.map + pages, PAGE, PROT_NONE) != 0) {
        return hipErrorOutOfMemory;
    }
    memset(p.map, 0xff, pages);
    *out = p.map + (pages - size) / 256 * 256;
    pieces[(char *)*out] = p;
    taken += size;
    return hipSuccess;
}

static hipError_t give_back(void *memory)
{
    const auto found = pieces.find((char *)memory);
    not_while_recording("memory is freed");
    if (memory == NULL) {
        return hipSuccess;
    }
    if (found == pieces.end()) {
        fprintf(stderr, "wave64: memory is freed that was not taken\n");
        abort();
    }
    munmap(found->second.map, found->second.map_bytes);
    if (found->second.file >= 0) {
        close(found->second.file);
    }
    taken -= found->second.size;
    pieces.erase(found);
    return hipSuccess;
}

hipError_t wave64_malloc(void **out, size_t size)
{
    not_while_recording("memory is taken");
    return take(out, size, hipMemoryTypeDevice, false);
}
hipError_t hipExtMallocWithFlags(void **out, size_t size, unsigned)
{
    not_while_recording("memory is taken");
    return take(out, size, hipMemoryTypeDevice, true);
}
hipError_t hipHostMalloc(void **out, size_t size, unsigned)
{
    return take(out, size, hipMemoryTypeHost, false);
}
hipError_t hipFree(void *memory)
{
    return give_back(memory);
}
hipError_t hipHostFree(void *memory)
{
    return give_back(memory);
}
hipError_t hipHostGetDevicePointer(void **out, void *memory, unsigned)
{
    *out = memory;
    return hipSuccess;
}
hipError_t hipPointerGetAttributes(hipPointerAttribute_t *out, const void *memory)
{
    auto after = pieces.upper_bound((char *)memory);
    out->type = hipMemoryTypeUnregistered;
    if (after != pieces.begin() && (char *)memory < (--after)->first + after->second.size) {
        out->type = after->second.type;
    }
    return hipGetDevice(&out->device);
}
hipError_t hipMemsetAsync(void *to, int value, size_t size, hipStream_t)
{
    submit([=]() { memset(to, value, size); });
    return hipSuccess;
}
hipError_t hipMemcpyAsync(void *to, const void *from, size_t size, hipMemcpyKind, hipStream_t)
{
    not_while_recording("memory is copied");
    memcpy(to, from, size);
    return hipSuccess;
}
hipError_t hipMemcpy(void *to, const void *from, size_t size, hipMemcpyKind)
{
    return hipMemcpyAsync(to, from, size, hipMemcpyDefault, NULL);
}

/* ---- memory of other processes */

typedef struct address {
    int process, file;
    size_t map_bytes, offset;
} address;

hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t *out, void *memory)
{
    const auto found = pieces.find((char *)memory);
    if (found == pieces.end() || found->second.file < 0) {
        return hipErrorInvalidValue;
    }
    const address mine = {getpid(), found->second.file, found->second.map_bytes,
                          (size_t)((char *)memory - found->second.map)};
    *out = {};
    memcpy(out, &mine, sizeof mine);
    return hipSuccess;
}
hipError_t hipIpcOpenMemHandle(void **out, hipIpcMemHandle_t handle, unsigned)
{
    address theirs;
    char path[64];
    piece p = {};
    memcpy(&theirs, &handle, sizeof theirs);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", theirs.process, theirs.file);
    const int file = open(path, O_RDWR);
    if (file < 0) {
        fprintf(stderr, "wave64: %s: %s\n", path, strerror(errno));
        return hipErrorInvalidValue;
    }
    p.map_bytes = theirs.map_bytes;
    p.map = (char *)mmap(NULL, p.map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (p.map == MAP_FAILED) {
        return hipErrorOutOfMemory;
    }
    *out = p.map + theirs.offset;
    opened[*out] = p;
    return hipSuccess;
}
hipError_t hipIpcCloseMemHandle(void *memory)
{
    const auto found = opened.find(memory);
    if (found == opened.end()) {
        return hipErrorInvalidValue;
    }
    munmap(found->second.map, found->second.map_bytes);
    opened.erase(found);
    return hipSuccess;
}

/* ---- streams, events, graphs */

static double now_s()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

hipError_t hipStreamCreateWithFlags(hipStream_t *out, unsigned)
{
    *out = new wave64_stream{};
    return hipSuccess;
}
hipError_t hipStreamCreateWithPriority(hipStream_t *out, unsigned flags, int)
{
    return hipStreamCreateWithFlags(out, flags);
}
hipError_t hipDeviceGetStreamPriorityRange(int *least, int *most)
{
    *least = 1;
    *most = -1;
    return hipSuccess;
}
hipError_t hipStreamDestroy(hipStream_t stream)
{
    delete stream;
    return hipSuccess;
}
hipError_t hipDeviceSynchronize(void)
{
    not_while_recording("the device is waited for");
    return hipSuccess;
}
hipError_t hipStreamSynchronize(hipStream_t)
{
    not_while_recording("a stream is waited for");
    return hipSuccess;
}
hipError_t hipStreamWaitEvent(hipStream_t, hipEvent_t, unsigned)
{
    return hipSuccess;
}
hipError_t hipEventCreateWithFlags(hipEvent_t *out, unsigned)
{
    *out = new wave64_event{};
    return hipSuccess;
}
hipError_t hipEventDestroy(hipEvent_t event)
{
    delete event;
    return hipSuccess;
}
hipError_t hipEventRecord(hipEvent_t event, hipStream_t)
{
    submit([=]() { event->time_s = now_s(); });
    return hipSuccess;
}
hipError_t hipEventSynchronize(hipEvent_t)
{
    not_while_recording("an event is waited for");
    return hipSuccess;
}
hipError_t hipEventElapsedTime(float *ms, hipEvent_t from, hipEvent_t to)
{
    *ms = (float)(1e3 * (to->time_s - from->time_s));
    return hipSuccess;
}
hipError_t hipStreamBeginCapture(hipStream_t stream, int)
{
    const char *may = getenv("WAVE64_CAPTURE");
    not_while_recording("another stream is recorded");
    if (may != NULL && strcmp(may, "0") == 0) {
        return hipErrorStreamCaptureUnsupported;
    }
    stream->recorded = new wave64_graph;
    recording = stream;
    return hipSuccess;
}
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *out)
{
    if (recording != stream) {
        return hipErrorInvalidValue;
    }
    *out = stream->recorded;
    stream->recorded = NULL;
    recording = NULL;
    return hipSuccess;
}
hipError_t hipGraphInstantiate(hipGraphExec_t *out, hipGraph_t graph, void *, char *, size_t)
{
    *out = new wave64_graph(*graph);
    return hipSuccess;
}
hipError_t hipGraphLaunch(hipGraphExec_t graph, hipStream_t)
{
    not_while_recording("a graph is launched");
    for (const task &what : graph->tasks) {
        what();
    }
    return hipSuccess;
}
hipError_t hipGraphDestroy(hipGraph_t graph)
{
    delete graph;
    return hipSuccess;
}
hipError_t wave64_graph_exec_destroy(hipGraphExec_t graph)
{
    delete graph;
    return hipSuccess;
}
