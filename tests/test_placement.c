/* test_placement.c - ranges of processors, and addresses in the descriptions of devices
 *
 * ranks: 1
 */
#include "backend/create.h"
#include "backend/placement.h"
#include "check.h"

static void processors_are_named_by_ranges(check *t)
{
    bool set[128] = {false};
    char text[64], small[12];
    naik_placement_ranges(set, 128, text, sizeof text);
    CHECK_TEXT(t, text, "");
    for (int i = 0; i < 16; i++) {
        set[i] = set[64 + i] = true;
    }
    set[127] = true;
    naik_placement_ranges(set, 128, text, sizeof text);
    CHECK_TEXT(t, text, "0-15,64-79,127");
    naik_placement_ranges(set, 128, small, sizeof small);
    CHECK_TEXT(t, small, "0-15,...");
}

static void addresses_are_found_in_descriptions(check *t)
{
    char address[16];
    CHECK_TRUE(t, naik_placement_address("A100, device 3 (0000:C1:00.0), 40 GiB", address));
    CHECK_TEXT(t, address, "0000:c1:00.0");
    CHECK_TRUE(t, !naik_placement_address("CPU, 4 threads a rank", address));
    CHECK_TEXT(t, address, "");
}

static void every_rank_is_placed(check *t)
{
    naik_backend *backend = NULL;
    const naik_backend_options options = {.threads = 1};
    CHECK_OK(t, naik_backend_create(t->comm, "cpu", &options, &backend));
    CHECK_REQUIRE(t, backend != NULL);
    CHECK_OK(t, naik_placement_print(backend));
    naik_backend_destroy(&backend);
}

CHECK_MAIN(CHECK(processors_are_named_by_ranges), CHECK(addresses_are_found_in_descriptions),
           CHECK(every_rank_is_placed))
