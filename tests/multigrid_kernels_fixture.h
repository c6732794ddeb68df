/* multigrid_kernels_fixture.h - P, coarse vectors and coarse matrices of one rank, and copies on the host
 *
 * Host copies: a field or P [checkerboard site][rhs or column][12], coarse vectors [site][rhs][components],
 * matrices [site][row][column].
 */
#ifndef NAIK_TESTS_MULTIGRID_KERNELS_FIXTURE_H
#define NAIK_TESTS_MULTIGRID_KERNELS_FIXTURE_H

#include "backend/multigrid.h"
#include "fixture.h"

enum { MG_ROWS = 12 };
#define MG_ROUNDINGS 2e-6 /* of single, in sums of a site or of some vectors */

typedef struct mg_fixture {
    fixture f;
    const naik_multigrid_ops *ops;
    naik_aggregates a;
    int vectors, components, nrhs;
    naik_transfer p[2];       /* single, half */
    naik_complex *host[2][2]; /* [storage][fine parity] what p holds */
} mg_fixture;

/* A box of 8x4x4x8 cut into aggregates of 4x2x2x4. P is random, column 3 a copy of column 0 where there
 * is one, orthonormalised into *met. False, with the test skipped, on a backend without multigrid. */
bool mg_fixture_create(check *t, int vectors, int nrhs, mg_fixture *out, naik_orthonormal *met);
void mg_fixture_destroy(mg_fixture *m);

/* For vectors and rhs that fill no tile, that fill them all, and for the usual ones; slow sums take long: where not
 * mg_is_long, on the CPU in the short run, for the first alone. */
bool mg_is_long(void);
void mg_for_shapes(check *t,
                   void (*run)(check *t, const mg_fixture *m, const naik_orthonormal *met));

/* `count` random numbers that single precision holds. */
naik_complex *mg_random(int64_t count, uint64_t seed);
void mg_put(check *t, naik_field *field, naik_parity parity, const naik_complex *v);
naik_complex *mg_take(check *t, const naik_field *field, naik_parity parity);
/* Columns of P as they are stored. */
naik_complex *mg_columns(check *t, const mg_fixture *m, const naik_transfer *p, naik_parity parity);

/* A coarse vector with room for two rhs more than it has. */
naik_coarse mg_coarse(check *t, const mg_fixture *m);
void mg_release(const mg_fixture *m, void *memory);
int64_t mg_coarse_count(const mg_fixture *m, naik_parity parity); /* numbers of a coarse vector */
void mg_put_coarse(check *t, naik_coarse *v, naik_parity parity, const naik_complex *host);
naik_complex *mg_take_coarse(check *t, const naik_coarse *v, naik_parity parity);

/* Zeroed. */
naik_coarse_links mg_links(check *t, const mg_fixture *m, naik_precision precision);
/* Matrix `which`, by its products with unit vectors. */
naik_complex *mg_matrix(check *t, const mg_fixture *m, const naik_coarse_links *links, int which,
                        naik_parity parity);

/* Row `row` of the `n`th member of a coarse site in a host copy of `each` rhs. */
int64_t mg_member(const mg_fixture *m, int coarse, int site, int fine, int n);

/* |a - b| of all numbers, over |b|. */
double mg_distance(const naik_complex *a, const naik_complex *b, int64_t count);

#endif
