/* test_halo_room.c - the memory of halo exchanges: planned, refused, given back
 *
 * ranks: 2 4 8
 */
#include <string.h>
#include <unistd.h>

#include "backend/halo.h"
#include "fixture.h"

enum { KEPT = 0x5a };
static const int small[4] = {4, 8, 8, 8};
static const naik_layers shallow = {NAIK_EVEN, 1, NAIK_WHOLE};
static const naik_layers deep = {NAIK_EVEN, NAIK_HALO_DEPTH, NAIK_WHOLE};

/* A table of the backend with some functions replaced, and what they count: calls to make room for
 * peers, bytes of backend memory, blocks that were given back. */
typedef struct altered {
    naik_backend_ops ops;
    const naik_backend_ops *original;
    naik_peer_ops peer;
    int *reserved;
    size_t *taken;
    char **kept;
    int *kept_count;
    size_t kept_bytes;
} altered;

static naik_status count_alloc(naik_device *device, size_t size_bytes, const char *what, void **out)
{
    const altered *a = (const altered *)((naik_backend *)device)->ops;
    *a->taken += size_bytes;
    return a->original->memory.alloc(device, size_bytes, what, out);
}

static void messages_take_the_memory_that_is_planned(check *t)
{
    fixture f;
    if (t->comm->size == 1) {
        CHECK_SKIP(t, "one rank sends nothing");
    }
    if (fixture_create(t, small, NULL, false, false, 1, &f)) {
        const naik_route route = f.backend->route;
        size_t taken = 0;
        altered a = {.ops = *f.backend->ops, .original = f.backend->ops, .taken = &taken};
        a.ops.memory.alloc = count_alloc;
        naik_field *field = fixture_field(t, &f, NAIK_SINGLE, 3, 3, NAIK_EVEN);
        f.backend->route.peer = f.backend->route.single_node = false;
        f.backend->ops = &a.ops;
        CHECK_OK(t, naik_halo_start(f.geometry->halo, field, &deep));
        CHECK_OK(t, naik_halo_wait(f.geometry->halo, field, &deep));
        CHECK_TRUE(t, taken > 0);
        CHECK_INT(t, (long long)naik_halo_bytes(f.geometry, NAIK_SINGLE, 1, 3, NAIK_HALO_DEPTH),
                  (long long)taken);
        f.backend->ops = a.original;
        f.backend->route = route;
        naik_field_destroy(&field);
    }
    fixture_destroy(&f);
}

static naik_status refuse_messages(naik_device *device, size_t size_bytes, const char *what,
                                   void **out)
{
    const naik_backend *backend = (const naik_backend *)device;
    (void)size_bytes;
    *out = NULL;
    return backend->comm->rank == backend->comm->size - 1 && strcmp(what, "halo messages") == 0
               ? NAIK_FAIL(backend->log, NAIK_ERR_MEMORY, "no memory, said the test")
               : NAIK_OK;
}

static void memory_that_one_rank_lacks_is_missed_by_all(check *t)
{
    fixture f;
    if (t->comm->size == 1) {
        CHECK_SKIP(t, "one rank sends nothing");
    }
    if (fixture_create(t, small, NULL, false, false, 1, &f)) {
        const naik_backend_ops *ops = f.backend->ops;
        const naik_route route = f.backend->route;
        altered a = {.ops = *ops};
        a.ops.memory.alloc = refuse_messages;
        naik_field *field = fixture_field(t, &f, NAIK_SINGLE, 1, 3, NAIK_EVEN);
        f.backend->route.peer = f.backend->route.single_node = false;
        f.backend->ops = &a.ops;
        CHECK_STATUS(t, naik_halo_start(f.geometry->halo, field, &shallow), NAIK_ERR_MEMORY);
        f.backend->ops = ops;
        CHECK_OK(t, naik_halo_start(f.geometry->halo, field, &shallow));
        CHECK_OK(t, naik_halo_wait(f.geometry->halo, field, &shallow));
        f.backend->route = route;
        naik_field_destroy(&field);
    }
    fixture_destroy(&f);
}

static naik_status count_reserve(const naik_field *field, const bool faces[NAIK_DIM][2])
{
    const altered *a = (const altered *)field->geometry->backend->ops;
    (void)faces;
    (*a->reserved)++;
    return NAIK_OK;
}

static naik_status send_nothing(const naik_field *field, const naik_layers *layers, bool beside)
{
    (void)field, (void)layers, (void)beside;
    return NAIK_OK;
}

static naik_status receive_nothing(naik_field *field, const naik_layers *layers)
{
    (void)field, (void)layers;
    return NAIK_OK;
}

/* Nodes of one rank, and of all others: rank 0 reaches nobody as a peer, others reach both
 * neighbours and have nothing for MPI. */
static void ranks_without_a_peer_make_room_with_the_others(check *t)
{
    const int ranks = t->comm->size;
    const int size[4] = {4, 4, 4, 4 * ranks}, grid[4] = {1, 1, 1, ranks};
    fixture f;
    if (ranks == 1) {
        CHECK_SKIP(t, "one rank sends nothing");
    }
    if (fixture_create(t, size, grid, false, false, 1, &f)) {
        const naik_backend_ops *ops = f.backend->ops;
        const naik_route route = f.backend->route;
        const int rank = t->comm->rank;
        int reserved = 0;
        bool near[8];
        altered a = {
            .ops = *ops,
            .peer = {.reserve = count_reserve, .send = send_nothing, .receive = receive_nothing},
            .reserved = &reserved};
        a.ops.halo.peer = &a.peer;
        for (int r = 0; r < 8; r++) {
            near[r] = rank != 0 && r != 0 && r != rank;
        }
        naik_field *field = fixture_field(t, &f, NAIK_SINGLE, 1, 3, NAIK_EVEN);
        f.backend->ops = &a.ops;
        f.backend->route = (naik_route){.peer = true, .near = near};
        CHECK_OK(t, naik_halo_start(f.geometry->halo, field, &shallow));
        CHECK_OK(t, naik_halo_wait(f.geometry->halo, field, &shallow));
        CHECK_INT(t, reserved, 1);
        f.backend->ops = ops;
        f.backend->route = route;
        naik_field_destroy(&field);
    }
    fixture_destroy(&f);
}

/* A rank's own: what is sent may be it. */
static char pattern_of(const naik_backend *backend)
{
    return (char)(KEPT ^ backend->comm->rank);
}

/* Keeps what is given back, with a pattern in it that nobody may write over. */
static void keep_released(naik_device *device, void *memory)
{
    const altered *a = (const altered *)((naik_backend *)device)->ops;
    if (memory != NULL) {
        memset(memory, pattern_of((naik_backend *)device), a->kept_bytes);
        a->kept[(*a->kept_count)++] = memory;
    }
}

/* A Dslash that fails on the inside has sent its halo and waits for none. The next exchange is shallower, or needs
 * more room than there is. */
static void messages_of_a_failed_exchange_come_before_their_memory_goes(check *t)
{
    fixture f;
    if (t->comm->size == 1 || strcmp(fixture_backend_name(), "cpu") != 0) {
        CHECK_SKIP(t, "several ranks whose memory MPI sees");
    }
    for (int grows = 0; grows < 2 && fixture_create(t, small, NULL, false, false, 1, &f); grows++) {
        const naik_backend_ops *ops = f.backend->ops;
        char *kept[4] = {NULL};
        int count = 0, written = 0;
        altered a = {.ops = *ops, .kept = kept, .kept_count = &count};
        a.ops.memory.release = keep_released;
        a.kept_bytes = naik_halo_bytes(f.geometry, NAIK_SINGLE, 1, 3, 1) / 2;
        naik_field *field = fixture_field(t, &f, NAIK_SINGLE, 3, 3, NAIK_EVEN);
        naik_halo *halo = NULL;
        CHECK_REQUIRE(t, naik_halo_create(f.geometry, &halo) == NAIK_OK);
        const naik_layers *layers = grows ? &shallow : &deep;
        CHECK_OK(t, naik_halo_start(halo, field, layers)); /* there is room from then on */
        CHECK_OK(t, naik_halo_wait(halo, field, layers));
        usleep(t->comm->rank % 2 *
               100000); /* the other ranks' receives are posted, and nothing comes */
        CHECK_OK(t, naik_halo_start(halo, field, layers));
        f.backend->ops = &a.ops;
        CHECK_OK(t, naik_halo_start(halo, field, grows ? &deep : &shallow));
        naik_halo_destroy(&halo);
        f.backend->ops = ops;
        CHECK_INT(t, count, grows ? 4 : 2);
        for (int i = 0; i < 10; i++) {
            CHECK_OK(t, naik_comm_agree(t->comm, NAIK_OK));
        }
        for (int i = 0; i < count; i++) {
            for (size_t k = 0; k < a.kept_bytes; k++) {
                written += kept[i][k] != pattern_of(f.backend);
            }
            naik_backend_release(f.backend, kept[i]);
        }
        CHECK_INT(t, written, 0);
        naik_field_destroy(&field);
        fixture_destroy(&f);
    }
}

CHECK_MAIN(CHECK(messages_take_the_memory_that_is_planned),
           CHECK(memory_that_one_rank_lacks_is_missed_by_all),
           CHECK(messages_of_a_failed_exchange_come_before_their_memory_goes),
           CHECK(ranks_without_a_peer_make_room_with_the_others))
