/* cg_links.c - the links of every rung, packed from one set of fat and long links */
#include "solver/cg.h"

naik_status naik_cg_links_create(const naik_geometry *geometry, const naik_fatlong *source,
                                 naik_precision fastest, int recon, naik_cg_links *out)
{
    naik_status status = NAIK_OK;
    *out = (naik_cg_links){.outer = NULL};
    NAIK_TRY(naik_links_create(geometry, source, NAIK_DOUBLE, 18, &out->outer));
    if (fastest == NAIK_HALF) {
        NAIK_TRY(naik_links_create(geometry, source, NAIK_HALF, recon, &out->half));
    }
    if (fastest != NAIK_DOUBLE) {
        NAIK_TRY(naik_links_create(geometry, source, NAIK_SINGLE,
                                   fastest == NAIK_SINGLE ? recon : 18, &out->single));
    }
done:
    if (status != NAIK_OK) {
        naik_cg_links_destroy(out);
    }
    return status;
}

void naik_cg_links_destroy(naik_cg_links *links)
{
    naik_links_destroy(&links->half);
    naik_links_destroy(&links->single);
    naik_links_destroy(&links->outer);
}

size_t naik_cg_links_bytes(const naik_geometry *geometry, naik_precision fastest, int recon,
                           int points)
{
    size_t bytes = naik_links_bytes(geometry, NAIK_DOUBLE, 18, points);
    if (fastest != NAIK_DOUBLE) {
        bytes += naik_links_bytes(geometry, fastest, recon, points);
    }
    return bytes + (fastest == NAIK_HALF ? naik_links_bytes(geometry, NAIK_SINGLE, 18, points) : 0);
}
