/* wilson_fixture.h - Wilson, clover and twisted-mass quarks on the backend under test, beside the reference
 *
 * Links and spinors depend on the global site only, so that any process grid holds the same numbers.
 */
#ifndef NAIK_TESTS_WILSON_FIXTURE_H
#define NAIK_TESTS_WILSON_FIXTURE_H

#include "fixture.h"
#include "operator/set.h"
#include "wilson_ref.h"

/* What vectors and links are stored as, and how near results are then. */
typedef struct wilson_storage {
    naik_precision vectors, links;
    int recon;
    double tolerance;
} wilson_storage;

typedef struct wilson_fixture {
    naik_comm *alone; /* not NULL where the fixture is one rank's own */
    naik_lattice *lat;
    naik_backend *backend;
    naik_geometry *geometry;
    naik_gauge *u; /* with the sign of the boundary */
    double mass, twisted_mass;
    naik_clover *clover; /* NULL: Wilson quarks */
    wilson_ref *ref;     /* of the whole lattice, on every rank; NULL where not asked for */
} wilson_fixture;

/* Antiperiodic random links. csw 0: Wilson quarks; grid and alone as of fixture_create. False, with
 * a failed test, where something could not be made. */
bool wilson_fixture_create(check *t, const int size[4], const int grid[4], bool alone, int threads,
                           double mass, double csw, bool reference, wilson_fixture *out);
/* The same with i mu g5 in M. */
bool wilson_fixture_create_twisted(check *t, const int size[4], const int grid[4], bool alone,
                                   int threads, double mass, double twisted_mass, double csw,
                                   bool reference, wilson_fixture *out);
void wilson_fixture_destroy(wilson_fixture *f);

/* A spinor on every site of the lattice, gaussian numbers by seed and global site. */
wilson_spinor *wilson_fixture_random(const wilson_fixture *f, uint64_t seed);
/* A field of nrhs rhs whose rhs c holds wilson_fixture_random(seed + c) on `parity`. */
naik_field *wilson_fixture_field(check *t, const wilson_fixture *f, naik_precision precision,
                                 int nrhs, uint64_t seed, naik_parity parity);
naik_field *wilson_fixture_zero(check *t, const wilson_fixture *f, naik_precision precision,
                                int nrhs);
/* Rhs c of a field from or to this rank's sites of a whole lattice. */
void wilson_fixture_put(check *t, const wilson_fixture *f, const wilson_spinor *whole,
                        naik_parity parity, naik_field *field, int c);
void wilson_fixture_take(check *t, const wilson_fixture *f, const naik_field *field,
                         naik_parity parity, int c, wilson_spinor *whole);

/* out[c] = D on even sites of rhs c, whose numbers are those of seed + c. */
void wilson_fixture_hops(check *t, const wilson_fixture *f, const naik_wilson *wilson,
                         naik_precision vectors, uint64_t seed, int nrhs, wilson_spinor *out[]);

/* Largest |a - b| over this rank's sites of `parity` of two whole lattices, over the largest |b|. */
double wilson_fixture_difference(const wilson_fixture *f, const wilson_spinor *a,
                                 const wilson_spinor *b, naik_parity parity);

/* B swaps spins 0 and 1, 2 and 3, with a sign: (b, B b) = 0 for real b. */
extern const naik_operator_ops wilson_fixture_swapping;

#endif
