/* test_boxes.c - arrays moved from boxes to boxes: every element comes to each box that holds its place, and no
 * other memory is touched; groups of ranks that meet
 *
 * ranks: 1 2 4
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "check.h"
#include "comm/boxes.h"
#include "comm/groups.h"

enum { RANKS = 4, ROUNDS = 40, MARK = 0xa5 };
static const int size[NAIK_BOX_DIM] = {5, 3, 4, 7};

/* In place of MPI's: what is made and not given back. */
static int handles;

int MPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype *out)
{
    handles++;
    return PMPI_Type_contiguous(count, old, out);
}

int MPI_Type_create_subarray(int dims, const int sizes[], const int counts[], const int starts[],
                             int order, MPI_Datatype old, MPI_Datatype *out)
{
    handles++;
    return PMPI_Type_create_subarray(dims, sizes, counts, starts, order, old, out);
}

int MPI_Type_free(MPI_Datatype *type)
{
    handles--;
    return PMPI_Type_free(type);
}

int MPI_Comm_dup(MPI_Comm old, MPI_Comm *out)
{
    handles++;
    return PMPI_Comm_dup(old, out);
}

int MPI_Comm_split(MPI_Comm old, int colour, int key, MPI_Comm *out)
{
    handles++;
    return PMPI_Comm_split(old, colour, key, out);
}

int MPI_Comm_split_type(MPI_Comm old, int type, int key, MPI_Info info, MPI_Comm *out)
{
    handles++;
    return PMPI_Comm_split_type(old, type, key, info, out);
}

int MPI_Comm_free(MPI_Comm *comm)
{
    handles--;
    return PMPI_Comm_free(comm);
}

static int below(naik_rng *rng, int end)
{
    return (int)(naik_rng_uniform(rng) * end) % end;
}

static int64_t volume(const naik_box *box)
{
    int64_t sites = 1;
    for (int mu = 0; mu < NAIK_BOX_DIM; mu++) {
        sites *= box->count[mu];
    }
    return sites;
}

/* The whole array cut along one direction after the other, in an order of its own, into as many boxes as there are
 * ranks; some may be empty. */
static void cut(naik_rng *rng, int ranks, naik_box *boxes)
{
    boxes[0] = (naik_box){.count = {size[0], size[1], size[2], size[3]}};
    for (int n = 1; n < ranks; n++) {
        naik_box *old = &boxes[below(rng, n)];
        const int mu = below(rng, NAIK_BOX_DIM), keep = below(rng, old->count[mu] + 1);
        boxes[n] = *old;
        boxes[n].start[mu] += keep;
        boxes[n].count[mu] -= keep;
        old->count[mu] = keep;
        for (int k = 0; k < 2; k++) { /* nothing is all zeros */
            naik_box *box = k == 0 ? old : &boxes[n];
            *box = volume(box) > 0 ? *box : (naik_box){.count = {0}};
        }
    }
    for (int n = ranks - 1; n > 0; n--) {
        const int m = below(rng, n + 1);
        const naik_box box = boxes[n];
        boxes[n] = boxes[m];
        boxes[m] = box;
    }
}

/* Any boxes inside the array, which may share elements. */
static void choose(naik_rng *rng, int ranks, naik_box *boxes)
{
    for (int n = 0; n < ranks; n++) {
        for (int mu = 0; mu < NAIK_BOX_DIM; mu++) {
            boxes[n].start[mu] = below(rng, size[mu]);
            boxes[n].count[mu] = 1 + below(rng, size[mu] - boxes[n].start[mu]);
        }
    }
}

/* What element `i` of a box has at byte b. */
static unsigned char byte_at(const naik_box *box, int64_t i, size_t b)
{
    int64_t number = 0, stride = 1;
    for (int mu = 0; mu < NAIK_BOX_DIM; mu++) {
        number += (box->start[mu] + i % box->count[mu]) * stride;
        stride *= size[mu];
        i /= box->count[mu];
    }
    return (unsigned char)(number * 7 + (number >> 8) * 13 + (int64_t)b * 29 + 1);
}

static void move(check *t, const naik_box *from, const naik_box *to, size_t bytes)
{
    const naik_box *mine = &from[t->comm->rank], *its = &to[t->comm->rank];
    const int64_t in_sites = volume(mine), out_sites = volume(its);
    unsigned char *in = malloc((size_t)in_sites * bytes + 1);
    unsigned char *out = malloc((size_t)(out_sites + 2) * bytes);
    for (int64_t i = 0; i < in_sites * (int64_t)bytes; i++) {
        in[i] = byte_at(mine, i / (int64_t)bytes, (size_t)i % bytes);
    }
    memset(out, MARK, (size_t)(out_sites + 2) * bytes);
    CHECK_OK(t, naik_boxes_move(t->comm, from, to, bytes, in, out + bytes));
    int64_t wrong = 0;
    for (int64_t i = 0; i < out_sites * (int64_t)bytes; i++) {
        wrong += out[(int64_t)bytes + i] != byte_at(its, i / (int64_t)bytes, (size_t)i % bytes);
    }
    for (size_t b = 0; b < bytes; b++) {
        wrong += out[b] != MARK;
        wrong += out[(size_t)(out_sites + 1) * bytes + b] != MARK;
    }
    CHECK_INT(t, wrong, 0);
    free(in);
    free(out);
}

static void every_element_comes_to_each_box_that_holds_it(check *t)
{
    static const size_t bytes[] = {1, 8, 48, 13};
    naik_rng rng = naik_rng_at(4, 1, 1); /* the same on all ranks */
    const int before = handles;
    for (int round = 0; round < ROUNDS && !t->failed; round++) {
        naik_box from[RANKS], to[RANKS], told[RANKS];
        cut(&rng, t->comm->size, from);
        if (round % 2 == 0) {
            cut(&rng, t->comm->size, to);
        } else {
            choose(&rng, t->comm->size, to);
        }
        CHECK_OK(t, naik_boxes_gather(t->comm, &from[t->comm->rank], told));
        CHECK_INT(t, memcmp(told, from, (size_t)t->comm->size * sizeof *from), 0);
        move(t, told, to, bytes[round % 4]);
        CHECK_INT(t, handles, before);
    }
}

/* ---- groups of ranks, which meet */

static bool count_looks(void *data)
{
    ++*(int *)data;
    return false;
}

/* Who has heard a call need not call to come to that meeting, and calls all the same to the next. */
static void who_was_called_calls_the_next_time(check *t)
{
    naik_groups *g = NULL;
    const int before = handles;
    if (t->comm->size % 2 != 0) {
        return;
    }
    CHECK_REQUIRE(t, naik_groups_create(t->comm, 2, &g) == NAIK_OK);
    for (int meeting = 0; meeting < 2; meeting++) {
        const bool calls = naik_groups_mine(g) == meeting;
        int looks = 0;
        const naik_groups_look look = {.look = count_looks, .data = &looks};
        void *all = NULL;
        while (meeting == 0 && !calls && !naik_groups_called(g)) { /* until the other has called */
        }
        CHECK_OK(t,
                 naik_groups_meet(g, calls || meeting == 0, &look, &meeting, sizeof meeting, &all));
        free(all);
        /* who has called has nothing more to tell */
        if (naik_groups_comm(g)->rank == 0) {
            CHECK_INT(t, looks == 0, calls);
        }
    }
    CHECK_TRUE(t, !naik_groups_called(g));
    naik_groups_destroy(&g);
    CHECK_INT(t, handles, before);
}

static void all_hear_what_each_says_at_every_meeting(check *t)
{
    for (int count = 1; count <= t->comm->size; count++) {
        naik_groups *g = NULL;
        const bool divides = t->comm->size % count == 0;
        CHECK_STATUS(t, naik_groups_create(t->comm, count, &g), divides ? NAIK_OK : NAIK_ERR_INPUT);
        naik_log_clear(t->log);
        if (!divides) {
            continue;
        }
        const int each = t->comm->size / count;
        CHECK_INT(t, naik_groups_count(g), count);
        CHECK_INT(t, naik_groups_mine(g), t->comm->rank / each);
        CHECK_INT(t, naik_groups_comm(g)->size, each);
        CHECK_INT(t, naik_groups_comm(g)->rank, t->comm->rank % each);
        CHECK_TRUE(t, naik_comm_job(naik_groups_comm(g)) == t->comm);
        CHECK_TRUE(t, naik_comm_job(t->comm) == t->comm);
        for (int meeting = 0; meeting < 4; meeting++) {
            const int mine[2] = {t->comm->rank, 100 * t->comm->rank + meeting};
            int *all = NULL;
            const bool calls = meeting % 2 == 1 && naik_groups_mine(g) == meeting % count;
            CHECK_OK(t, naik_groups_meet(g, calls, NULL, mine, sizeof mine, (void **)&all));
            for (int rank = 0; all != NULL && rank < t->comm->size; rank++) {
                CHECK_INT(t, all[2 * rank], rank);
                CHECK_INT(t, all[2 * rank + 1], 100 * rank + meeting);
            }
            free(all);
            CHECK_TRUE(t, !naik_groups_called(g));   /* a call is heard once */
            CHECK_OK(t, naik_comm_barrier(t->comm)); /* before anybody calls again */
        }
        for (int bad = -1; bad < t->comm->size; bad++) {
            const naik_status said = t->comm->rank == bad ? NAIK_ERR_IO : NAIK_OK;
            const naik_status want = bad >= 0 ? NAIK_ERR_IO : NAIK_OK;
            if (each == 1 || bad < 0) {
                CHECK_STATUS(t, naik_groups_agree(g, said), want);
                naik_log_clear(t->log);
            }
        }
        naik_groups_destroy(&g);
    }
}

CHECK_MAIN(CHECK(every_element_comes_to_each_box_that_holds_it),
           CHECK(all_hear_what_each_says_at_every_meeting),
           CHECK(who_was_called_calls_the_next_time))
