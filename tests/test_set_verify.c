/* test_set_verify.c - operators of every storage know themselves: one bit of one part that falls over is found, and
 * told of that part and that rank
 *
 * ranks: 1 2
 */
#include <stdio.h>
#include <string.h>

#include "backend/packed_links.h"
#include "backend/site_blocks.h"
#include "operator/wilson.h"
#include "wilson_fixture.h"

static const int size[4] = {4, 4, 4, 8};

/* A bit of the word at `part` of 256 of the memory, on one rank or, -1, on none. */
static void flip(check *t, naik_backend *backend, int rank, void *memory, size_t bytes, int part)
{
    unsigned char byte;
    if (t->comm->rank == rank) {
        char *at = (char *)memory + (bytes - 1) * (size_t)part / 256;
        CHECK_OK(t, naik_backend_download(backend, &byte, at, 1));
        byte ^= 4;
        CHECK_OK(t, naik_backend_upload(backend, at, &byte, 1));
    }
}

static void says(check *t, const naik_operator_set *set, const char *part, int rank)
{
    for (int p = 0; p < NAIK_PRECISIONS; p++) {
        const char *what = "";
        int found = 99;
        CHECK_OK(t, naik_operator_set_verify(set, (naik_precision)p, &what, &found));
        const bool here = part != NULL && part[0] - '0' == p;
        if (!CHECK_INT(t, found, here ? rank : -1)) {
            fprintf(stderr, "    storage %d, %s\n", p, part != NULL ? part : "nothing");
        }
        CHECK_TRUE(t, !here || strcmp(what, part + 2) == 0);
    }
}

/* Each part of each storage by itself; at its beginning, within it and at its end. */
static void each_part_is_looked_at(check *t, naik_backend *backend, const naik_operator_set *set)
{
    static const int parts[] = {0, 100, 256};
    says(t, set, NULL, -1);
    for (int p = 0; p < NAIK_PRECISIONS; p++) {
        const naik_wilson *wilson = set->wilson[p];
        const naik_blocks *const blocks[2] = {wilson != NULL ? wilson->diagonal : NULL,
                                              wilson != NULL ? wilson->inverse : NULL};
        for (int rank = 0; rank < t->comm->size; rank++) {
            for (int i = 0; i < 3; i++) {
                char name[32];
                naik_links *links = set->links[p];
                if (links != NULL) {
                    snprintf(name, sizeof name, "%d links", p);
                    flip(t, backend, rank, links->data, links->size_bytes, parts[i]);
                    says(t, set, name, rank);
                    flip(t, backend, rank, links->data, links->size_bytes, parts[i]);
                }
                for (int k = 0; k < 2; k++) {
                    if (blocks[k] == NULL || blocks[k]->data == NULL) {
                        continue;
                    }
                    snprintf(name, sizeof name, "%d clover blocks", p);
                    flip(t, backend, rank, blocks[k]->data, blocks[k]->size_bytes, parts[i]);
                    says(t, set, name, rank);
                    flip(t, backend, rank, blocks[k]->data, blocks[k]->size_bytes, parts[i]);
                }
            }
        }
    }
    says(t, set, NULL, -1);
}

static void a_bit_is_found_where_it_fell(check *t)
{
    static const naik_quark quarks[] = {
        {.kind = &naik_kind_wilson, .mass = 0.3},
        {.kind = &naik_kind_clover, .mass = 0.3, .csw = 1},
        {.kind = &naik_kind_twisted_mass, .mass = 0.3, .mu = 0.2, .csw = 1}};
    const naik_set_storage storage = {NAIK_SINGLE, 12, NAIK_SINGLE, 1};
    fixture f;
    wilson_fixture w;
    CHECK_REQUIRE(t, fixture_create(t, size, NULL, false, false, 1, &f));
    naik_operator_set set = {.links = {NULL}};
    CHECK_OK(t, naik_operator_set_fat(f.geometry, f.source, NAIK_HALF, 18, &set));
    each_part_is_looked_at(t, f.backend, &set);
    naik_operator_set_destroy(&set);
    fixture_destroy(&f);
    CHECK_REQUIRE(t, wilson_fixture_create(t, size, NULL, false, 1, 0.3, 0, false, &w));
    for (size_t i = 0; i < sizeof quarks / sizeof *quarks; i++) {
        CHECK_OK(t, naik_operator_set_create(w.geometry, &quarks[i], NULL, w.u, &storage, &set));
        each_part_is_looked_at(t, w.backend, &set);
        naik_operator_set_destroy(&set);
    }
    wilson_fixture_destroy(&w);
}

CHECK_MAIN(CHECK(a_bit_is_found_where_it_fell))
