/* sequential.h - sources of type sequential: a propagator with an operator on one time slice
 *
 *   src_c(x) = delta(t, t0) exp(2 pi i p.(x - x0)/L) O(x - x0) G_c(x)
 *
 * G_c is column c of a propagator in another file of naik, of the same lattice, links and boundary, or for a
 * three-point function (three_point of the input) in the run's own file; x0 the
 * place of its source, of a propagator that is sequential itself that of its own x0; O the operator at
 * the sink of a meson (meson.h: phi, spin_meson.h: the matrix G). The solution is
 * M^-1 O G, from which three-point functions are contracted.
 */
#ifndef NAIK_STORED_SEQUENTIAL_H
#define NAIK_STORED_SEQUENTIAL_H

#include "propagator/spin_taste.h"
#include "stored/source_file.h"
#include "stored/stored_runs.h"

/* The files of an input; all zero where it has none. */
typedef struct sequential_set {
    const naik_input *input; /* borrowed; NULL: none */
    stored_run **run;        /* [solve_count] borrowed; NULL where the entry has none */
    int *first;              /* [solve_count] solve number of column 0 in that file; -1: none */
    int (*x0)[NAIK_DIM];     /* [solve_count] */
} sequential_set;

/* Opens every such file among `runs`, finds its propagator and adds a line of what it holds to sums->text. The
 * sources of the input learn their x0. The caller closes *out, whatever comes back. Collective.
 *
 *   links  identity of this run's links (link_provider.h); NULL: not compared
 *   then   that text of a finished file whose sources are made again: where it does not say otherwise
 *          they were counted from the lattice's origin; NULL: this run makes them
 *
 * NAIK_ERR_INPUT    no finished propagator file, of other extents, quarks, links or boundary, without
 *                   that source and mass, or whose solves did not converge: the sentence says which
 * NAIK_ERR_CORRUPT, NAIK_ERR_IO, NAIK_ERR_MEMORY */
naik_status sequential_open(const naik_lattice *lattice, naik_input *input, const char *links,
                            const char *then, source_file_sums *sums, stored_runs *runs,
                            sequential_set *out);
void sequential_close(sequential_set *set);

/* out [sites][3][2], or [sites][4][3][2], = one column of a source. The column that is read is compared
 * with its checksum. Collective. NAIK_ERR_CORRUPT, NAIK_ERR_IO */
naik_status sequential_source(const sequential_set *set, const naik_lattice *lattice,
                              const naik_input_source *source, int column, double *out);
/* A column of a source of a three-point function, which is made of solutions of the run itself, which are in
 * `file`; shifts: where the operator has links (spin_taste.h), which are in space. Collective. NAIK_ERR_ARG where the
 * solution is not there; NAIK_ERR_CORRUPT, NAIK_ERR_IO, NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status sequential_source_own(naik_propagator_file *file, naik_shifts *shifts,
                                  const naik_input *input, const naik_lattice *lattice,
                                  const naik_input_source *source, int column, double *out);
/* Reads all of them, but none that was verified before. Collective. As above, and NAIK_ERR_MEMORY */
naik_status sequential_verify(const sequential_set *set, const naik_lattice *lattice,
                              stored_runs *runs);

#endif
