/* test_links_reference.c - fat and long links of stored configurations against another code's
 *
 * ranks: 1 4
 */
#include <math.h>

#include "backend/create.h"
#include "fixture.h"
#include "lattice/su3.h"
#include "links/unitarize.h"
#include "naik/gauge_io.h"

static double distance(const naik_matrix *a, const naik_matrix *b)
{
    naik_matrix d = *a;
    naik_mat_add(&d, -1, b);
    return sqrt(fixture_norm2(&d));
}

/* ---- what another code got */
typedef struct other {
    const char *gauge;
    naik_action_type action;
    double u0;
    const char *fat, *long_links; /* NULL: not there */
    double tolerance;             /* relative norm */
} other;

static void compare_with_file(check *t, const char *name, const naik_gauge *got, double tolerance)
{
    naik_gauge *expected = NULL;
    naik_gauge_file file;
    char path[1024];
    check_reference_path(t, name, path, sizeof path);
    if (!CHECK_OK(t, naik_gauge_create(got->lattice, &expected))) {
        return;
    }
    if (CHECK_OK(t, naik_gauge_file_read(path, expected, &file))) {
        double difference = 0, norm = 0;
        CHECK_TRUE(t, file.checksum_ok);
        for (int64_t i = 0; i < 4 * (int64_t)got->lattice->sites; i++) {
            const double d = distance(&got->link[i], &expected->link[i]);
            difference += d * d;
            norm += fixture_norm2(&expected->link[i]);
        }
        CHECK_NEAR(t, sqrt(difference / norm), 0, tolerance);
        naik_gauge_file_clear(&file);
    }
    naik_gauge_destroy(&expected);
}

static void links_agree_with_another_code(check *t)
{
    if (t->reference == NULL) {
        CHECK_SKIP(t, "NAIK_REFERENCE is not set");
    }
    static const other cases[] = {
        {"lat.sample.l8", NAIK_ASQTAD, 0.502, "fat.l8", "long.l8", 1e-6},
        {"lat.sample.l8", NAIK_ASQTAD, 0.502, "fat.asqtad.l8", NULL, 1e-14},
        {"lat.sample.l8888", NAIK_HISQ, 0, "fat.hisq.l8888", "long.hisq.l8888", 1e-14},
    };
    static const int size[4] = {8, 8, 8, 8};
    const naik_backend_options options = {.share_gpu = true};
    for (int k = 0; k < 3; k++) {
        naik_lattice *lat = NULL;
        naik_backend *backend = NULL;
        naik_gauge *u = NULL;
        naik_gauge_file file;
        double change = 0;
        char path[1024];
        check_reference_path(t, cases[k].gauge, path, sizeof path);
        CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &lat));
        CHECK_OK(t, naik_backend_create(t->comm, fixture_backend_name(), &options, &backend));
        CHECK_REQUIRE(t, CHECK_OK(t, naik_gauge_create(lat, &u)));
        CHECK_REQUIRE(t, CHECK_OK(t, naik_gauge_file_read(path, u, &file)));
        naik_gauge_file_clear(&file);
        CHECK_OK(t, naik_gauge_reunitarise(u, &change));
        CHECK_TRUE(t, change > 1e-9 && change < 1e-6); /* single-precision files */
        naik_gauge_apply_phases(u, true);
        naik_fattener *fattener = NULL;
        naik_fatlong *links = NULL;
        CHECK_OK(t, naik_fattener_create(u, cases[k].action, cases[k].u0,
                                         naik_backend_device(backend), &fattener));
        CHECK_OK(t, naik_fattener_links(fattener, 0, &links));
        naik_fattener_destroy(&fattener);
        CHECK_REQUIRE(t, links != NULL);
        CHECK_OK(t, naik_fatlong_to_host(links));
        CHECK_INT(t, links->svd_count, 0);
        compare_with_file(t, cases[k].fat, links->fat, cases[k].tolerance);
        if (cases[k].long_links != NULL) {
            compare_with_file(t, cases[k].long_links, links->long_links, cases[k].tolerance);
        }
        naik_fatlong_destroy(&links);
        naik_gauge_destroy(&u);
        naik_backend_destroy(&backend);
        naik_lattice_destroy(&lat);
    }
}

CHECK_MAIN(CHECK(links_agree_with_another_code))
