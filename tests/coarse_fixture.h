/* coarse_fixture.h - P and the coarse operator of small lattices, for tests */
#ifndef NAIK_TESTS_COARSE_FIXTURE_H
#define NAIK_TESTS_COARSE_FIXTURE_H

#include "multigrid/setup.h"
#include "wilson_fixture.h"

enum { COARSE_RHS = 5 };

/* Random links or others, P of noise or of other vectors, M_c, and what tests need beside. */
typedef struct coarse_fixture {
    wilson_fixture f; /* its links may be changed before it is filled */
    double mass, mu;
    naik_wilson *wilson;
    naik_aggregates *a;
    naik_transfer *made, *p;
    naik_coarse_operator *op;
    naik_coarse_halo *halo;
    naik_test_vectors vectors;
    naik_field *field[3];
    double *room;
} coarse_fixture;
/* Vector n, [sites][4][3][2], x fastest. */
typedef void (*coarse_vector_of)(void *data, const coarse_fixture *m, int n, double *sites);

/* Lattice and links; then P of `vectors` vectors, those of `of` or of noise where it is NULL, and M_c. False where the
 * test failed, or is skipped since there is no multigrid. Destroy whatever comes back. */
bool coarse_fixture_open(check *t, const int extents[4], const int grid[4], bool alone, double mass,
                         double csw, double mu, coarse_fixture *m);
bool coarse_fixture_fill(check *t, naik_precision precision, const int aggregate[4], int vectors,
                         coarse_vector_of of, void *data, coarse_fixture *m);
/* Both, of mass 0.3 and noise. */
bool coarse_fixture_create(check *t, const int extents[4], const int grid[4], bool alone,
                           double csw, double mu, naik_precision precision, const int aggregate[4],
                           int vectors, coarse_fixture *m);
void coarse_fixture_destroy(coarse_fixture *m);

int coarse_components(const coarse_fixture *m);
/* Reals of a coarse vector of one rhs on a parity. */
size_t coarse_number_count(const coarse_fixture *m, int parity);

/* Coarse vectors of COARSE_RHS rhs, on both parities. */
void coarse_make(check *t, const coarse_fixture *m, naik_coarse *out[2]);
void coarse_free(naik_coarse *v[2]);
/* Numbers by rhs, global coarse site and component. */
void coarse_fill_random(check *t, const coarse_fixture *m, naik_coarse *const v[2]);
/* |a - b| over |b|, of all rhs, over all ranks. */
double coarse_difference(check *t, const coarse_fixture *m, naik_coarse *const a[2],
                         naik_coarse *const b[2]);
/* out[c] = M_c in[c], c both parities: X in and the eight hops, one after the other. */
void coarse_apply(check *t, const coarse_fixture *m, naik_coarse *const in[2],
                  naik_coarse *const out[2]);
/* out = P^+ v; v = P e, v and e on both parities. */
void coarse_restrict(check *t, const coarse_fixture *m, naik_field *const v[2],
                     naik_coarse *const out[2]);
void coarse_prolong(check *t, const coarse_fixture *m, naik_coarse *const e[2],
                    naik_field *const v[2]);

#endif
