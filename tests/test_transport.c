/* test_transport.c - paths of halos between ranks that look like devices: a wrong byte, layers under way, messages
 * too long
 *
 * ranks: 2
 */
#include <stdlib.h>
#include <string.h>

#include "backend/create.h"
#include "backend/halo.h"
#include "backend/transport.h"
#include "fixture.h"
#include "modes/filter.h"

/* A table of the CPU's that says of its memory that MPI cannot touch it, with peers that bring nothing, or a
 * halo with one wrong byte on the last rank. */
typedef struct device_like {
    naik_backend_ops ops;
    naik_peer_ops peer;
    const naik_backend_ops *cpu;
    int wrong_rank; /* -1: none */
    int sent, received;
} device_like;

static device_like *of_backend(const naik_backend *backend)
{
    return (device_like *)backend->ops;
}

static naik_status host_alloc(naik_device *device, size_t size_bytes, const char *what, void **out)
{
    (void)device, (void)what;
    *out = calloc(1, size_bytes);
    return NAIK_OK;
}
static void host_release(naik_device *device, void *memory)
{
    (void)device;
    free(memory);
}
static bool not_shared(const naik_backend *backend)
{
    (void)backend;
    return false;
}
static naik_status open_all(naik_backend *backend, double wait_s, bool *reached)
{
    (void)wait_s;
    for (int i = 0; i < backend->comm->node_size; i++) {
        reached[i] = true;
    }
    return NAIK_OK;
}
static void close_none(naik_backend *backend)
{
    (void)backend;
}
static naik_status reserve_none(const naik_field *field, const bool faces[NAIK_DIM][2])
{
    (void)field, (void)faces;
    return NAIK_OK;
}
static naik_status send_none(const naik_field *field, const naik_layers *layers, bool beside)
{
    (void)layers, (void)beside;
    of_backend(field->geometry->backend)->sent++;
    return NAIK_OK;
}
/* The right halo by MPI, then the wrong byte. */
static naik_status receive_by_mpi(naik_field *field, const naik_layers *layers)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = field->geometry->backend;
    const naik_route route = backend->route;
    device_like *d = of_backend(backend);
    naik_halo *halo = NULL;
    d->received++;
    backend->route.peer = backend->route.single_node = false;
    NAIK_TRY(naik_halo_create(field->geometry, &halo));
    NAIK_TRY(naik_halo_start(halo, field, layers));
    NAIK_TRY(naik_halo_wait(halo, field, layers));
    if (d->wrong_rank == backend->comm->rank) {
        ((char *)field->data)[field->size_bytes - 3] ^= 1;
    }
done:
    naik_halo_destroy(&halo);
    backend->route = route;
    return status;
}
static size_t no_bytes(const naik_lattice *lattice, naik_precision precision, int nrhs)
{
    (void)lattice, (void)precision, (void)nrhs;
    return 0;
}

static void pretend(naik_backend *backend, int wrong_rank, device_like *d)
{
    *d = (device_like){.ops = *backend->ops,
                       .cpu = backend->ops,
                       .wrong_rank = wrong_rank,
                       .peer = {.open = open_all,
                                .close = close_none,
                                .reserve = reserve_none,
                                .bytes = no_bytes,
                                .send = send_none,
                                .receive = receive_by_mpi}};
    d->ops.host_memory = false;
    d->ops.shared = not_shared;
    d->ops.memory.alloc_host = host_alloc;
    d->ops.memory.release_host = host_release;
    d->ops.halo.peer = &d->peer;
    backend->ops = &d->ops;
}

static void choose_transport(check *t, int wrong_rank, bool peer_taken)
{
    naik_backend *backend = NULL;
    const naik_backend_options options = {.threads = 1};
    device_like d;
    CHECK_REQUIRE(t, naik_backend_create(t->comm, "cpu", &options, &backend) == NAIK_OK);
    pretend(backend, wrong_rank, &d);
    CHECK_OK(t, naik_transport_choose(backend, NAIK_TRANSPORT_PEER));
    CHECK_TRUE(t, d.sent > 0);
    CHECK_INT(t, backend->route.peer, peer_taken);
    backend->ops = d.cpu;
    naik_backend_destroy(&backend);
}

static void a_transport_that_brings_a_wrong_byte_is_not_taken(check *t)
{
    choose_transport(t, -1, true);
    choose_transport(t, t->comm->size - 1, false);
}

/* Ranks of one node, each near to all others. */
typedef struct beside {
    fixture f;
    device_like d;
    naik_route route;
    bool near[8];
} beside;
static const naik_layers near_layers = {NAIK_EVEN, 1, NAIK_WHOLE};

static void begin_beside(check *t, beside *b)
{
    const int size[4] = {8, 4, 4, 4};
    CHECK_REQUIRE(t, fixture_create(t, size, NULL, false, false, 1, &b->f));
    b->route = b->f.backend->route;
    memset(b->near, true, sizeof b->near);
    pretend(b->f.backend, -1, &b->d);
    b->f.backend->route = (naik_route){.peer = true, .single_node = true, .near = b->near};
}

static void end_beside(beside *b)
{
    b->f.backend->ops = b->d.cpu;
    b->f.backend->route = b->route;
    fixture_destroy(&b->f);
}

/* Layers that a kernel sent of one field are not those of another. */
static void a_halo_under_way_is_not_taken_for_that_of_another_field(check *t)
{
    bool armed = false;
    beside b;
    begin_beside(t, &b);
    naik_field *field = fixture_field(t, &b.f, NAIK_SINGLE, 1, 3, NAIK_EVEN);
    naik_field *other = fixture_field(t, &b.f, NAIK_SINGLE, 1, 4, NAIK_EVEN);
    CHECK_OK(t, naik_halo_arm(b.f.geometry->halo, field, &near_layers, &armed));
    CHECK_TRUE(t, armed);
    CHECK_STATUS(t, naik_halo_start(b.f.geometry->halo, other, &near_layers), NAIK_ERR_ARG);
    CHECK_OK(t, naik_halo_arm(b.f.geometry->halo, field, &near_layers, &armed));
    CHECK_STATUS(t, naik_halo_arm(b.f.geometry->halo, other, &near_layers, &armed), NAIK_ERR_ARG);
    CHECK_TRUE(t, !armed);
    CHECK_OK(t, naik_halo_arm(b.f.geometry->halo, field, &near_layers, &armed));
    CHECK_OK(t, naik_halo_start(b.f.geometry->halo, field, &near_layers));
    naik_field_destroy(&field);
    naik_field_destroy(&other);
    end_beside(&b);
}

static bool always(void *data)
{
    (void)data;
    return true;
}

/* What its last kernel has sent is received, so that the next exchange is not taken for it. */
static void a_filter_that_is_interrupted_leaves_no_halo_under_way(check *t)
{
    beside b;
    naik_links *links = NULL;
    naik_modes_work *work = NULL;
    naik_filter *filter = NULL;
    begin_beside(t, &b);
    naik_field *v = fixture_field(t, &b.f, NAIK_SINGLE, 1, 3, NAIK_EVEN);
    CHECK_OK(t, naik_links_create(b.f.geometry, b.f.source, NAIK_SINGLE, 18, &links));
    CHECK_OK(t, naik_modes_work_create(b.f.geometry, 1, 1, &work));
    CHECK_REQUIRE(t, naik_filter_create(links, work, 1, &filter) == NAIK_OK);
    filter->low = 1;
    filter->high = 1000;
    filter->degree = 40;
    filter->stop = always;
    for (int i = 1; i <= 2; i++) {
        CHECK_STATUS(t, naik_filter_apply(filter, v), NAIK_ERR_INTERRUPTED);
        CHECK_INT(t, b.d.received, i);
    }
    naik_filter_destroy(&filter);
    naik_modes_work_destroy(&work);
    naik_links_destroy(&links);
    naik_field_destroy(&v);
    end_beside(&b);
}

/* ---- messages */

static size_t longest(const naik_lattice *lat, naik_precision precision, int nrhs, int mu,
                      int depth)
{
    (void)lat, (void)precision, (void)nrhs, (void)depth;
    return (size_t)INT32_MAX + (mu == 0);
}
static size_t as_long_as_may_be(const naik_lattice *lat, naik_precision precision, int nrhs, int mu,
                                int depth)
{
    (void)lat, (void)precision, (void)nrhs, (void)mu, (void)depth;
    return INT32_MAX;
}
static naik_status no_memory(naik_device *device, size_t size_bytes, const char *what, void **out)
{
    (void)size_bytes, (void)what;
    *out = NULL;
    return NAIK_FAIL(device->log, NAIK_ERR_MEMORY, "no memory, said the test");
}

/* Of which MPI counts the bytes in an int. */
static void messages_above_two_gigabytes_are_refused(check *t)
{
    const int size[4] = {8, 4, 4, 4};
    fixture f;
    CHECK_REQUIRE(t, fixture_create(t, size, NULL, false, false, 1, &f));
    const naik_backend_ops *ops = f.backend->ops;
    const naik_route route = f.backend->route;
    const naik_layers layers = {NAIK_EVEN, 1, NAIK_WHOLE};
    naik_backend_ops altered = *ops;
    naik_field *field = fixture_field(t, &f, NAIK_SINGLE, 1, 3, NAIK_EVEN);
    altered.memory.alloc = no_memory;
    f.backend->ops = &altered;
    f.backend->route = (naik_route){.peer = false};
    altered.halo.face_bytes = longest;
    CHECK_STATUS(t, naik_halo_start(f.geometry->halo, field, &layers), NAIK_ERR_ARG);
    altered.halo.face_bytes = as_long_as_may_be;
    CHECK_STATUS(t, naik_halo_start(f.geometry->halo, field, &layers), NAIK_ERR_MEMORY);
    f.backend->ops = ops;
    f.backend->route = route;
    naik_field_destroy(&field);
    fixture_destroy(&f);
}

CHECK_MAIN(CHECK(a_transport_that_brings_a_wrong_byte_is_not_taken),
           CHECK(a_halo_under_way_is_not_taken_for_that_of_another_field),
           CHECK(a_filter_that_is_interrupted_leaves_no_halo_under_way),
           CHECK(messages_above_two_gigabytes_are_refused))
