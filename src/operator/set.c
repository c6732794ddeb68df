/* set.c - operators packed from fat and long links, or from thin links and the clover term */
#include "operator/set.h"

#include <stdlib.h>

#include "links/twist.h"

naik_status naik_operator_set_fat(const naik_geometry *geometry, const naik_fatlong *source,
                                  naik_precision fastest, int recon, naik_operator_set *out)
{
    naik_status status = NAIK_OK;
    *out = (naik_operator_set){.links = {NULL}};
    for (int precision = NAIK_DOUBLE; precision <= (int)fastest; precision++) {
        const bool compressed = precision != NAIK_DOUBLE && precision == (int)fastest;
        NAIK_TRY(naik_links_create(geometry, source, (naik_precision)precision,
                                   compressed ? recon : 18, &out->links[precision]));
        out->op[precision] = naik_staggered_of(out->links[precision]);
    }
done:
    if (status != NAIK_OK) {
        naik_operator_set_destroy(out);
    }
    return status;
}

naik_status naik_operator_set_thin(const naik_geometry *geometry, const naik_gauge *u,
                                   const naik_clover *clover, double mass, double twisted_mass,
                                   naik_precision fastest, int recon, naik_precision vectors,
                                   int width, naik_operator_set *out)
{
    naik_status status = NAIK_OK;
    *out = (naik_operator_set){.links = {NULL}};
    for (int p = NAIK_DOUBLE; p <= (int)fastest; p++) {
        const bool inner = p != NAIK_DOUBLE;
        if (inner && p != (int)fastest) {
            continue;
        }
        NAIK_TRY(naik_wilson_create(geometry, u, clover, mass, twisted_mass, (naik_precision)p,
                                    inner ? recon : 18, &out->wilson[p]));
        NAIK_TRY(naik_mh_create(out->wilson[p], inner ? vectors : NAIK_DOUBLE, width, &out->mh[p]));
        out->links[p] = out->wilson[p]->links;
        out->op[p] = naik_mh_of(&out->mh[p]);
    }
    out->pivoted = clover != NULL ? (int64_t)clover->pivoted : 0;
done:
    if (status != NAIK_OK) {
        naik_operator_set_destroy(out);
    }
    return status;
}

/* The clover term is of links without the twist. */
naik_status naik_thin_set_make(const naik_geometry *geometry, const naik_quark *quark,
                               const naik_fatlong *fat, const naik_gauge *thin,
                               const naik_set_storage *storage, naik_operator_set *out)
{
    (void)fat;
    naik_status status = NAIK_OK;
    naik_device *device = naik_backend_device(geometry->backend);
    const double csw = naik_quark_csw(quark), *twist = naik_quark_twist(quark);
    naik_clover *clover = NULL;
    naik_gauge *links = NULL, *twisted = NULL;
    NAIK_TRY(naik_gauge_bring(thin, device, &links));
    if (csw != 0) {
        NAIK_TRY(naik_clover_create(links, device, quark->mass, quark->mu, csw, &clover));
    }
    if (twist != NULL) {
        NAIK_TRY(naik_gauge_twist(links, twist, 1, &twisted));
        naik_gauge_destroy(&links);
    }
    NAIK_TRY(naik_operator_set_thin(geometry, twisted != NULL ? twisted : links, clover,
                                    quark->mass, quark->mu, storage->fastest, storage->recon,
                                    storage->vectors, storage->width, out));
done:
    naik_gauge_destroy(&links);
    naik_gauge_destroy(&twisted);
    naik_clover_destroy(&clover);
    return status;
}

naik_status naik_fat_set_make(const naik_geometry *geometry, const naik_quark *quark,
                              const naik_fatlong *fat, const naik_gauge *thin,
                              const naik_set_storage *storage, naik_operator_set *out)
{
    (void)quark;
    (void)thin;
    return naik_operator_set_fat(geometry, fat, storage->fastest, storage->recon, out);
}

naik_status naik_operator_set_create(const naik_geometry *geometry, const naik_quark *quark,
                                     const naik_fatlong *fat, const naik_gauge *thin,
                                     const naik_set_storage *storage, naik_operator_set *out)
{
    *out = (naik_operator_set){.links = {NULL}};
    return quark->kind->make_set(geometry, quark, fat, thin, storage, out);
}

void naik_operator_set_destroy(naik_operator_set *set)
{
    for (int p = NAIK_PRECISIONS - 1; p >= 0; p--) {
        if (set->wilson[p] == NULL) {
            naik_links_destroy(&set->links[p]);
        }
        naik_mh_destroy(&set->mh[p]);
        naik_wilson_destroy(&set->wilson[p]);
        set->links[p] = NULL;
        set->op[p] = (naik_operator){.ops = NULL};
    }
    free(set->own);
    set->own = NULL;
}

size_t naik_fat_set_bytes(const naik_geometry *geometry, const naik_quark *quark,
                          const naik_set_storage *storage)
{
    const int points = quark->kind->points;
    size_t bytes = naik_links_bytes(geometry, NAIK_DOUBLE, 18, points);
    if (storage->fastest != NAIK_DOUBLE) {
        bytes += naik_links_bytes(geometry, storage->fastest, storage->recon, points);
    }
    return bytes + (storage->fastest == NAIK_HALF
                        ? naik_links_bytes(geometry, NAIK_SINGLE, 18, points)
                        : 0);
}

/* Links, and A and A^-1 where they are blocks, in one storage, and the scratch of its vectors. */
static size_t storage_bytes(const naik_geometry *geometry, const naik_quark *quark,
                            const naik_set_storage *storage)
{
    const naik_backend_ops *ops = geometry->backend->ops;
    const naik_precision blocks = storage->fastest == NAIK_DOUBLE ? NAIK_DOUBLE : NAIK_SINGLE;
    return naik_links_bytes(geometry, storage->fastest, storage->recon, quark->kind->points) +
           (naik_quark_csw(quark) != 0 ? 2 * ops->wilson.blocks_bytes(geometry->lattice, blocks)
                                       : 0) +
           ops->field.bytes(geometry->lattice, storage->vectors,
                            quark->kind->spin * storage->width);
}

size_t naik_thin_set_bytes(const naik_geometry *geometry, const naik_quark *quark,
                           const naik_set_storage *storage)
{
    const naik_set_storage outer = {NAIK_DOUBLE, 18, NAIK_DOUBLE, storage->width};
    return storage_bytes(geometry, quark, &outer) +
           (storage->fastest == NAIK_DOUBLE ? 0 : storage_bytes(geometry, quark, storage));
}

size_t naik_operator_set_bytes(const naik_geometry *geometry, const naik_quark *quark,
                               const naik_set_storage *storage)
{
    return quark->kind->set_bytes(geometry, quark, storage);
}

naik_precision naik_operator_set_fastest(const naik_operator_set *set)
{
    int precision = NAIK_PRECISIONS - 1;
    while (precision > NAIK_DOUBLE && set->op[precision].ops == NULL) {
        precision--;
    }
    return (naik_precision)precision;
}

naik_blocks *naik_operator_set_blocks(const naik_operator_set *set, naik_precision precision)
{
    return set->wilson[precision] != NULL ? set->wilson[precision]->inverse : NULL;
}

naik_status naik_operator_set_verify(const naik_operator_set *set, naik_precision precision,
                                     const char **what, int *rank)
{
    *rank = -1;
    *what = "links";
    if (set->links[precision] != NULL) {
        NAIK_PASS(naik_links_verify(set->links[precision], rank));
    }
    if (*rank < 0 && set->wilson[precision] != NULL) {
        *what = "clover blocks";
        NAIK_PASS(naik_wilson_verify_blocks(set->wilson[precision], rank));
    }
    return NAIK_OK;
}
