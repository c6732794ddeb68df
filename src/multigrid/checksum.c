/* checksum.c - whether a setup is what it was: in this memory, and in another run
 *
 * Words in memory tell of a bit that fell over. They depend on the grid, and so say nothing to the next run:
 * that compares what a cycle makes of noise, to which every number of the setup has its share.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend/packed_links.h"
#include "base/memory.h"
#include "multigrid/setup.h"

typedef struct part {
    const char *name;
    const void *data;
    size_t bytes;
} part;

/* Of coarse vectors. */
static part low_part(const naik_multigrid *mg, const char *name, const naik_coarse *v)
{
    return (part){name, v->data, naik_coarse_bytes(mg->aggregates, v->components, v->capacity)};
}

/* How many there are; those from *changing on are made anew for another mass. */
static int parts_of(const naik_multigrid *mg, part out[NAIK_MULTIGRID_PARTS], int *changing)
{
    const naik_coarse_links *links = mg->coarse->used;
    const naik_coarse_low *low = naik_coarse_solver_low(mg->cycle->coarse);
    const int blocks = low != NULL ? low->blocks : 0;
    int count = 0;
    out[count++] = (part){"near-null vectors", mg->used->data, mg->used->size_bytes};
    for (int b = 0; b < blocks; b++) {
        out[count++] = low_part(mg, "near-null vectors", low->found[b]);
    }
    *changing = count;
    out[count++] = (part){"coarse matrices", links->data, links->size_bytes};
    for (int b = 0; b < blocks && low->used; b++) {
        out[count++] = low_part(mg, "low vectors", low->u[b]);
        out[count++] = low_part(mg, "low vectors", low->w[b]);
    }
    return count;
}

naik_status naik_multigrid_seal(naik_multigrid *mg, bool changed)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = mg->aggregates->geometry->backend;
    part parts[NAIK_MULTIGRID_PARTS];
    int changing;
    const int count = parts_of(mg, parts, &changing);
    for (int i = changed ? changing : 0; i < count && status == NAIK_OK; i++) {
        status = naik_backend_sum_words(backend, parts[i].data, parts[i].bytes, mg->sums[i]);
    }
    return naik_comm_agree(backend->comm, status);
}

naik_status naik_multigrid_verify(const naik_multigrid *mg, const char **what, int *rank)
{
    part parts[NAIK_MULTIGRID_PARTS];
    int changing;
    const int count = parts_of(mg, parts, &changing);
    *rank = -1;
    for (int i = 0; i < count && *rank < 0; i++) {
        *what = parts[i].name;
        NAIK_PASS(naik_words_verify(mg->aggregates->geometry->backend, parts[i].data,
                                    parts[i].bytes, mg->sums[i], rank));
    }
    return NAIK_OK;
}

/* Room of a print: noise, and what becomes of it. */
typedef struct print_room {
    naik_field *r, *z;
    naik_exactsum *sums; /* [2] */
    double *host;
} print_room;

static naik_status make_room(const naik_geometry *geometry, print_room *room)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = geometry->backend;
    NAIK_PASS(naik_field_create_spin(geometry, NAIK_SINGLE, NAIK_SPIN, 1, &room->r));
    NAIK_PASS(naik_field_create_spin(geometry, NAIK_SINGLE, NAIK_SPIN, 1, &room->z));
    status =
        naik_backend_alloc(backend, 2 * sizeof *room->sums, "sums of noise", (void **)&room->sums);
    NAIK_PASS(naik_comm_agree(backend->comm, status));
    return naik_multigrid_noise_room(geometry, &room->host);
}

static void leave_room(naik_backend *backend, print_room *room)
{
    naik_field_destroy(&room->r);
    naik_field_destroy(&room->z);
    naik_backend_release(backend, room->sums);
    naik_free(room->host);
}

/* out = |v|^2, and Re (v, w) */
static naik_status take_products(const print_room *room, const naik_field *v, const naik_field *w,
                                 double out[2])
{
    naik_backend *backend = v->geometry->backend;
    const naik_reduction_ops *reduction = &backend->ops->reduction;
    NAIK_PASS(reduction->clear(backend, room->sums, 2));
    NAIK_PASS(reduction->dot(v, v, NULL, NAIK_RHS_IDLE, room->sums));
    NAIK_PASS(reduction->dot(v, w, NULL, NAIK_RHS_IDLE, room->sums + 1));
    NAIK_PASS(reduction->over_ranks(backend, room->sums, 2));
    return reduction->values(backend, room->sums, 2, out);
}

naik_status naik_multigrid_print(naik_multigrid *mg, char text[NAIK_MULTIGRID_PRINT])
{
    naik_status status = NAIK_OK;
    const naik_geometry *geometry = mg->aggregates->geometry;
    const int64_t cycles = mg->cycle->cycles, steps = mg->cycle->steps;
    print_room room = {.r = NULL};
    double of_noise[2], of_cycle[2];
    uint64_t bits[2];
    NAIK_TRY(make_room(geometry, &room));
    NAIK_TRY(naik_multigrid_noise(room.r, NAIK_EVEN, 0, mg->parameters.seed, 1, room.host));
    NAIK_TRY(take_products(&room, room.r, room.r, of_noise));
    const double norm = sqrt(of_noise[0]);
    NAIK_TRY(naik_cycle_apply(mg->cycle, NAIK_EVEN, room.r, &norm, room.z, NULL));
    NAIK_TRY(take_products(&room, room.z, room.r, of_cycle));
    memcpy(bits, of_cycle, sizeof bits);
    snprintf(text, NAIK_MULTIGRID_PRINT, "%016" PRIx64 "%016" PRIx64, bits[0], bits[1]);
    mg->cycle->cycles = cycles; /* a cycle that nobody asked for */
    mg->cycle->steps = steps;
done:
    leave_room(geometry->backend, &room);
    return status;
}
