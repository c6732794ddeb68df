/* fixture.h - a lattice with random links and vectors on the backend that NAIK_BACKEND names
 * (default cpu)
 *
 * Links and vectors depend on the global site only, so that any process grid holds the same
 * numbers. Fat links are general 3 x 3 matrices, long links s e^{i theta} V with V in SU(3), as
 * HISQ makes them.
 */
#ifndef NAIK_TESTS_FIXTURE_H
#define NAIK_TESTS_FIXTURE_H

#include "backend/backend.h"
#include "backend/field.h"
#include "backend/packed_links.h"
#include "check.h"
#include "lattice/su3.h"
#include "links/smear.h"

/* Vectors made before: most tests ask for the same again and again. */
enum { FIXTURE_KEPT = 64 };
typedef struct fixture_memo {
    struct {
        uint64_t seed;
        int parity;
        double *v; /* [sites][3][2] */
    } kept[FIXTURE_KEPT];
    int next;
} fixture_memo;

typedef struct fixture {
    naik_comm *alone; /* not NULL where the fixture is one rank's own */
    naik_lattice *lat;
    naik_backend *backend;
    naik_geometry *geometry;
    naik_fatlong *source; /* canonical links */
    fixture_memo *random; /* of fixture_vector; NULL: nothing is kept */
    fixture_memo *hopped; /* D of them by the reference operator (dslash_fixture.c) */
} fixture;

/* grid NULL: chosen; alone: every rank holds the whole lattice by itself. False, with a failed
 * test, where something could not be made. `naive` leaves the long links out. */
bool fixture_create(check *t, const int size[4], const int grid[4], bool alone, bool naive,
                    int threads, fixture *out);
void fixture_destroy(fixture *f);

/* A lattice with random links alone, without a backend; grid and alone as above. */
typedef struct fixture_links {
    naik_comm *alone;
    naik_lattice *lat;
    naik_gauge *u;
} fixture_links;
bool fixture_links_create(check *t, const int size[4], const int grid[4], bool alone, uint64_t seed,
                          fixture_links *out);
void fixture_links_destroy(fixture_links *f);

/* A lattice of all ranks of comm, random links without phases on the host, and a backend where others
 * are built of them. */
typedef struct fixture_thin {
    naik_lattice *lat;
    naik_backend *backend;
    naik_gauge *u;
} fixture_thin;
bool fixture_thin_create(check *t, naik_comm *comm, const int size[4], const int grid[4],
                         fixture_thin *out);
void fixture_thin_destroy(fixture_thin *f);

/* |a - b| of a matrix, and the largest over the links of this rank. */
double fixture_distance(const naik_matrix *a, const naik_matrix *b);
double fixture_largest_distance(const naik_gauge *a, const naik_gauge *b);

/* A vector [sites][3][2] of gaussian numbers by seed and global site; parity -1: both, else zeros
 * on the other. */
double *fixture_vector(const fixture *f, uint64_t seed, int parity);
/* A copy of what is kept, NULL where it is not; keeps a copy, in the place of the oldest. */
double *fixture_recall(const fixture *f, const fixture_memo *memo, uint64_t seed, int parity);
void fixture_keep(const fixture *f, fixture_memo *memo, uint64_t seed, int parity, const double *v);
/* A field whose rhs c hold vectors of seeds seed + c on `parity`. */
naik_field *fixture_field(check *t, const fixture *f, naik_precision precision, int nrhs,
                          uint64_t seed, naik_parity parity);

/* Largest |a - b| and largest |b| over this rank's sites of `parity`. */
double fixture_difference(const fixture *f, const double *a, const double *b, naik_parity parity,
                          double *largest);

/* What a kernel that writes `out` sums, in passes of their own and of all rhs. */
naik_status fixture_add_products(const naik_field *out, const naik_products *products);

/* Calls run(t, size, grid) for every process grid that cuts size for the ranks of the job, at most
 * `limit`. */
void fixture_for_grids(check *t, const int size[4], int limit,
                       void (*run)(check *t, const int size[4], const int grid[4]));

/* Calls it with a box of 4x4x4x8 a rank in a row along t: the CPU's rule cuts all four directions into
 * lanes, so that t is both cut and split where there are several ranks. */
void fixture_for_cut_and_split(check *t,
                               void (*run)(check *t, const int size[4], const int grid[4]));

/* A random SU(3) matrix of the site of these global coordinates. */
naik_matrix fixture_rotation(const naik_lattice *lat, const int x[4]);

/* The name for naik_backend_create. */
const char *fixture_backend_name(void);
naik_transport fixture_transport(void); /* NAIK_TRANSPORT, else auto */

/* sum |a_ij|^2 */
static inline double fixture_norm2(const naik_matrix *a)
{
    double s = 0;
    for (int i = 0; i < 9; i++) {
        s += naik_cnorm2(a->e[i / 3][i % 3]);
    }
    return s;
}

#endif
