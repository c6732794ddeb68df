/* test_halo_words.c - halos whose words say themselves that they have come (gpu/halo/words.cuh)
 *
 * ranks: 2 4
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/create.h"
#include "backend/halo.h"
#include "fixture.h"

static const int small[4] = {4, 8, 8, 8};
static const naik_layers deep = {NAIK_EVEN, NAIK_HALO_DEPTH, NAIK_WHOLE};

/* The field as stored after exchanges of sites that are all the NaN which GPUs take for no word yet
 * (gpu/halo/words.cuh); the caller frees. */
static char *nothings_over(check *t, naik_transport transport, size_t *size_bytes)
{
    const naik_backend_options options = {.threads = 1, .share_gpu = true, .transport = transport};
    const uint64_t nothing = UINT64_C(0xffff0000ffff0000);
    fixture f = {.lat = NULL};
    char *bytes = NULL;
    if (CHECK_OK(t, naik_lattice_create(t->comm, small, NULL, &f.lat)) &&
        CHECK_OK(t, naik_backend_create(t->comm, fixture_backend_name(), &options, &f.backend)) &&
        CHECK_OK(t, naik_geometry_create(f.backend, f.lat, &f.geometry))) {
        naik_field *field = fixture_field(t, &f, NAIK_DOUBLE, 1, 3, NAIK_EVEN);
        double *sites = malloc(naik_lattice_vector_bytes(f.lat));
        for (int32_t i = 0; i < 6 * f.lat->sites; i++) {
            memcpy(&sites[i], &nothing, sizeof nothing);
        }
        CHECK_OK(t, f.backend->ops->field.from_host(field, NAIK_EVEN, 0, sites));
        for (int i = 0; i < 6; i++) { /* more than there are slots */
            CHECK_OK(t, naik_halo_start(f.geometry->halo, field, &deep));
            CHECK_OK(t, naik_halo_wait(f.geometry->halo, field, &deep));
        }
        *size_bytes = field->size_bytes;
        bytes = malloc(*size_bytes);
        CHECK_OK(t, naik_backend_download(f.backend, bytes, field->data, *size_bytes));
        free(sites);
        naik_field_destroy(&field);
    }
    naik_geometry_destroy(&f.geometry);
    naik_backend_destroy(&f.backend);
    naik_lattice_destroy(&f.lat);
    return bytes;
}

static void what_looks_like_no_word_arrives(check *t)
{
    size_t size = 0, other = 0;
    char *staged = nothings_over(t, NAIK_TRANSPORT_STAGED, &size);
    char *peer = nothings_over(t, NAIK_TRANSPORT_PEER, &other);
    bool same = staged != NULL && peer != NULL && size == other;
    for (size_t i = 0; same && i < size / sizeof(double); i++) {
        double a, b;
        memcpy(&a, staged + i * sizeof a, sizeof a);
        memcpy(&b, peer + i * sizeof b, sizeof b);
        same = a == b || (isnan(a) && isnan(b));
    }
    CHECK_TRUE(t, same);
    free(staged);
    free(peer);
}

CHECK_MAIN(CHECK(what_looks_like_no_word_arrives))
