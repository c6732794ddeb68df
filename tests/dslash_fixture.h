/* dslash_fixture.h - storages of vectors and links, and what the kernels make of them */
#ifndef NAIK_TESTS_DSLASH_FIXTURE_H
#define NAIK_TESTS_DSLASH_FIXTURE_H

#include "fixture.h"

typedef struct dslash_pair {
    naik_precision vectors, links;
    int recon;
    double tolerance; /* relative to the largest component */
} dslash_pair;

enum { DSLASH_PAIRS = 15 };
extern const dslash_pair dslash_pairs[DSLASH_PAIRS];
extern const int dslash_odd_halves[4]; /* extents */

/* Numbers stored for a link of this fixture, 12 where naive links are compressed; 0 where the
 * backend does not store it. */
int dslash_recon_of(const fixture *f, const dslash_pair *p);

/* D of the first and the last of nrhs rhs against the reference. */
void dslash_compare(check *t, const fixture *f, const naik_links *links, const dslash_pair *p,
                    int nrhs, naik_parity parity);

/* A step by naik_normal_second on NAIK_EVEN, of the rhs of field (in, on NAIK_ODD; r, p, ap, x);
 * values [2][nrhs]: |r|^2 and Re (r, ap). */
void dslash_step(check *t, const fixture *f, const naik_links *links, naik_field *const field[5],
                 const naik_rhs *record, double *values);

/* Such a step with n rhs of one vector each, which must come out alike: of the first rhs
 * the bits of r, p, ap and x, and the two sums. `out` has dslash_step_bytes of a rank's sites,
 * zeros at first. */
size_t dslash_step_bytes(int64_t sites);
void dslash_step_bits(check *t, const fixture *f, const naik_links *links, naik_precision vectors,
                      int n, double *out);

/* The step of rhs c from the fields before (in; r, p, ap, x; D in) against those after. */
void dslash_check_step(check *t, const naik_rhs *record, int reals, double *const before[6],
                       double *const after[4], double tolerance);

#endif
