/* staggered_links.c - the links of every precision, packed from one set of fat and long links */
#include "operator/staggered.h"

naik_status naik_staggered_create(const naik_geometry *geometry, const naik_fatlong *source,
                                  naik_precision fastest, int recon, naik_staggered *out)
{
    naik_status status = NAIK_OK;
    *out = (naik_staggered){.links = {NULL}};
    for (int precision = NAIK_DOUBLE; precision <= (int)fastest; precision++) {
        const bool compressed = precision != NAIK_DOUBLE && precision == (int)fastest;
        NAIK_TRY(naik_links_create(geometry, source, (naik_precision)precision,
                                   compressed ? recon : 18, &out->links[precision]));
        out->op[precision] = naik_staggered_of(out->links[precision]);
    }
done:
    if (status != NAIK_OK) {
        naik_staggered_destroy(out);
    }
    return status;
}

void naik_staggered_destroy(naik_staggered *staggered)
{
    for (int precision = NAIK_PRECISIONS - 1; precision >= 0; precision--) {
        naik_links_destroy(&staggered->links[precision]);
        staggered->op[precision] = (naik_operator){.ops = NULL};
    }
}

size_t naik_staggered_bytes(const naik_geometry *geometry, naik_precision fastest, int recon,
                            int points)
{
    size_t bytes = naik_links_bytes(geometry, NAIK_DOUBLE, 18, points);
    if (fastest != NAIK_DOUBLE) {
        bytes += naik_links_bytes(geometry, fastest, recon, points);
    }
    return bytes + (fastest == NAIK_HALF ? naik_links_bytes(geometry, NAIK_SINGLE, 18, points) : 0);
}

naik_links *naik_staggered_fastest(const naik_staggered *staggered)
{
    int precision = NAIK_PRECISIONS - 1;
    while (precision > NAIK_DOUBLE && staggered->links[precision] == NULL) {
        precision--;
    }
    return staggered->links[precision];
}
