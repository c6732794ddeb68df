/* set.h - the operator of a quark in every storage that a solve works in, and what it is made of
 */
#ifndef NAIK_OPERATOR_SET_H
#define NAIK_OPERATOR_SET_H

#include "operator/quark.h"
#include "operator/staggered.h"
#include "operator/wilson_operator.h"

/* [naik_precision] of all; not stored so: op without ops. In double they always are. */
struct naik_operator_set {
    naik_operator op[NAIK_PRECISIONS];
    naik_links *links[NAIK_PRECISIONS];   /* owned, or those of wilson; NULL: no links */
    naik_wilson *wilson[NAIK_PRECISIONS]; /* NULL of staggered quarks */
    naik_mh mh[NAIK_PRECISIONS];
    int64_t pivoted; /* clover blocks that were inverted by pivots */
    /* What operators of other kinds borrow, from the heap; NULL: nothing. */
    void *own;
};

struct naik_set_storage {
    naik_precision fastest; /* of links */
    int recon;              /* numbers of a link there, of a long one where there are any */
    naik_precision vectors; /* that go with it, and how many at most: of operators with scratch */
    int width;
};

/* Of a quark. fat: fat and long links with the quark's epsilon and twist; thin: links of the
 * configuration, which are twisted here. The kind needs one of them; both are only read, and not
 * needed afterwards. Collective.
 * NAIK_ERR_INPUT   a clover term that cannot be inverted, or a backend without this storage
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_operator_set_create(const naik_geometry *geometry, const naik_quark *quark,
                                     const naik_fatlong *fat, const naik_gauge *thin,
                                     const naik_set_storage *storage, naik_operator_set *out);
void naik_operator_set_destroy(naik_operator_set *set);

/* The two ways of making one: from the `fastest` storage on, as naik_links_create; in that storage
 * and in double, as naik_wilson_create. */
naik_status naik_operator_set_fat(const naik_geometry *geometry, const naik_fatlong *source,
                                  naik_precision fastest, int recon, naik_operator_set *out);
naik_status naik_operator_set_thin(const naik_geometry *geometry, const naik_gauge *u,
                                   const naik_clover *clover, double mass, double twisted_mass,
                                   naik_precision fastest, int recon, naik_precision vectors,
                                   int width, naik_operator_set *out);

/* Bytes on this rank, for the memory plan; of a quark of this kind and csw. */
size_t naik_operator_set_bytes(const naik_geometry *geometry, const naik_quark *quark,
                               const naik_set_storage *storage);

/* make and bytes for the rows of kinds whose operators are made of fat and long links, or of the
 * configuration's (quark.h). */
naik_status naik_fat_set_make(const naik_geometry *geometry, const naik_quark *quark,
                              const naik_fatlong *fat, const naik_gauge *thin,
                              const naik_set_storage *storage, naik_operator_set *out);
size_t naik_fat_set_bytes(const naik_geometry *geometry, const naik_quark *quark,
                          const naik_set_storage *storage);
naik_status naik_thin_set_make(const naik_geometry *geometry, const naik_quark *quark,
                               const naik_fatlong *fat, const naik_gauge *thin,
                               const naik_set_storage *storage, naik_operator_set *out);
size_t naik_thin_set_bytes(const naik_geometry *geometry, const naik_quark *quark,
                           const naik_set_storage *storage);

/* The storage of fewest bits that is there. */
naik_precision naik_operator_set_fastest(const naik_operator_set *set);
/* Blocks of A^-1 in a storage; NULL: there are none. */
naik_blocks *naik_operator_set_blocks(const naik_operator_set *set, naik_precision precision);
/* Whether what was packed is what is in memory, as naik_links_verify: *what is the part that is
 * not, "links" or "clover blocks". A storage that is not there is intact. */
naik_status naik_operator_set_verify(const naik_operator_set *set, naik_precision precision,
                                     const char **what, int *rank);

#endif
