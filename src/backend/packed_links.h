/* packed_links.h - fat and long links as the kernels want them
 *
 *   (D v)(s) = sum_k W_k(s) v(point k of s),   k as in lattice.h
 *   W = F_mu(s), -F_mu(s-mu)^+, L_mu(s), -L_mu(s-3mu)^+
 *
 * Every link is stored at both of its ends: the kernel streams one record a site and gathers only
 * vectors. The naive operator has the first 8 points.
 */
#ifndef NAIK_BACKEND_PACKED_LINKS_H
#define NAIK_BACKEND_PACKED_LINKS_H

#include "backend/backend.h"
#include "links/smear.h"

struct naik_links {
    const naik_geometry *geometry; /* borrowed */
    naik_precision precision;
    int recon;         /* numbers stored for a long link: 18, 13 or 9; 6: words of three numbers of
                          10 bits, beside 16-bit fat links; for a naive link 18 or 12, for
                          one that spinors hop along also 8 */
    int points;        /* 16, or 8 for naive */
    bool unit_time;    /* naive, temporal gauge: links in direction t are 1 but those that leave the
                          last time slice, and a kernel need not read them */
    double scale[2];   /* largest |Re|, |Im| of fat and of long links: unit of the 16-bit storage */
    double long_scale; /* s of long links s e^{i theta} V (smear.h) */
    size_t size_bytes;
    void *data;       /* backend memory */
    uint64_t sums[2]; /* of its words as packed, on this rank (sum_words of backend.h) */
};

/* Layers of the neighbours' vectors that an operator of so many points, or of these links, reads. */
static inline int naik_points_depth(int points)
{
    return points == NAIK_STENCIL ? NAIK_HALO_DEPTH : 1;
}
static inline int naik_links_depth(const naik_links *links)
{
    return naik_points_depth(links->points);
}

/* Packs canonical links for the geometry's backend. `source`, on the host or on that backend, is
 * only read. Collective.
 * NAIK_ERR_INPUT   recon is not stored by this backend, or cannot be of these links
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_links_create(const naik_geometry *geometry, const naik_fatlong *source,
                              naik_precision precision, int recon, naik_links **out);
void naik_links_destroy(naik_links **links);

/* Whether the links are still, bit for bit, what was packed: *rank = the lowest rank where they
 * are not, -1 if none; the same on every rank. Reads all of them once. Collective.
 * NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_links_verify(const naik_links *links, int *rank);
/* naik_links_verify of any memory of the backend whose words had these sums. */
naik_status naik_words_verify(naik_backend *backend, const void *memory, size_t size_bytes,
                              const uint64_t sums[2], int *rank);

/* Whether links are +-V of SU(3), the sign beside so many numbers. */
static inline bool naik_recon_keeps_sign(int recon)
{
    return recon == 12 || recon == 8;
}

/* Bytes of one link of which `recon` numbers are stored, as in naik_links. */
static inline int naik_link_bytes(naik_precision precision, int recon)
{
    return recon == 6 ? 6 * 4
                      : recon * (precision == NAIK_DOUBLE   ? 8
                                 : precision == NAIK_SINGLE ? 4
                                                            : 2);
}

/* Bytes of the links that a site reads. Compression is of the long ones; where there are none, of
 * the others. */
static inline int naik_links_site_bytes(naik_precision precision, int recon, int points)
{
    const int fat = naik_link_bytes(precision, points == NAIK_STENCIL ? 18 : recon);
    return 8 * (fat + (points == NAIK_STENCIL ? naik_link_bytes(precision, recon) : 0));
}

/* Bytes of links of this kind on this rank, for the memory plan. */
size_t naik_links_bytes(const naik_geometry *geometry, naik_precision precision, int recon,
                        int points);
/* Bytes that packing takes beside them and their source, but for the layers of neighbours. */
size_t naik_links_packing_bytes(const naik_geometry *geometry, int points);

#endif
