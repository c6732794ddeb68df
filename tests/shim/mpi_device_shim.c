/* mpi_device_shim.c - an MPI that takes device memory, made of one that does not
 *
 * Preloaded into a program, it catches the calls that naik's halos use, sends copies in host memory
 * of what lies on a device, and copies what arrived there back. For tests of run.transport:
 * mpi_device where no GPU-aware MPI is at hand; say MPICH_GPU_SUPPORT_ENABLED=1 beside it.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "device_memory.h"

enum { MOST = 256 };

typedef struct pending {
    MPI_Request request;
    void *host, *device; /* device: where the message belongs; NULL: it was sent */
    size_t bytes;
} pending;
static pending list[MOST];
static int count;

static void give_up(const char *what)
{
    fprintf(stderr, "mpi_device_shim: %s\n", what);
    abort();
}

static pending *keep(size_t bytes)
{
    if (count == MOST) {
        give_up("too many messages under way");
    }
    pending *p = &list[count++];
    p->bytes = bytes;
    p->device = NULL;
    p->host = malloc(bytes > 0 ? bytes : 1);
    if (p->host == NULL) {
        give_up("no memory");
    }
    return p;
}

static size_t bytes_of(int items, MPI_Datatype type)
{
    int size = 0;
    PMPI_Type_size(type, &size);
    return (size_t)items * (size_t)size;
}

int MPI_Isend(const void *buffer, int items, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    if (!device_memory_is(buffer)) {
        return PMPI_Isend(buffer, items, type, to, tag, comm, request);
    }
    pending *p = keep(bytes_of(items, type));
    if (!device_memory_copy(p->host, buffer, p->bytes)) {
        give_up("a message could not be copied from the device");
    }
    int error = PMPI_Isend(p->host, items, type, to, tag, comm, request);
    p->request = *request;
    return error;
}

int MPI_Irecv(void *buffer, int items, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    if (!device_memory_is(buffer)) {
        return PMPI_Irecv(buffer, items, type, from, tag, comm, request);
    }
    pending *p = keep(bytes_of(items, type));
    p->device = buffer;
    int error = PMPI_Irecv(p->host, items, type, from, tag, comm, request);
    p->request = *request;
    return error;
}

static void finish(MPI_Request request)
{
    for (int i = 0; i < count; i++) {
        pending *p = &list[i];
        if (p->request != request) {
            continue;
        }
        if (p->device != NULL && !device_memory_copy(p->device, p->host, p->bytes)) {
            give_up("a message could not be copied to the device");
        }
        free(p->host);
        *p = list[--count];
        return;
    }
}

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status statuses[])
{
    MPI_Request before[MOST];
    for (int i = 0; i < n && i < MOST; i++) {
        before[i] = requests[i];
    }
    int error = PMPI_Waitall(n, requests, statuses);
    for (int i = 0; i < n && i < MOST; i++) {
        finish(before[i]);
    }
    return error;
}

int MPI_Testall(int n, MPI_Request requests[], int *done, MPI_Status statuses[])
{
    MPI_Request before[MOST];
    for (int i = 0; i < n && i < MOST; i++) {
        before[i] = requests[i];
    }
    int error = PMPI_Testall(n, requests, done, statuses);
    for (int i = 0; *done && i < n && i < MOST; i++) {
        finish(before[i]);
    }
    return error;
}
