/* average.h - means over the sources of an entry, plain ones and those of truncated solves with their correction
 *
 * Truncated solves (averages of the input, type truncated_solves): N sources are solved to a sloppy tolerance, and
 * n of them, drawn at random, exactly as well. With s_k the sloppy value of source k, e_k its exact one and
 * d_k = e_k - s_k,
 *
 *   mean    = 1/N sum over all k of s_k  +  1/n sum over the n of d_k
 *   error^2 = sum over all k of [ (s_k - <s>) / sqrt(N (N-1))  +  (d_k - <d>) / sqrt(n (n-1)) ]^2
 *
 * for real and imaginary part; the second term in [] is that of the n alone, and <> is the mean of its numbers. The
 * mean over all subsets is that of the exact values of all N. With n = N the error is their standard error; it takes
 * with it that s_k and d_k of one source are correlated.
 */
#ifndef NAIK_CONTRACT_AVERAGE_H
#define NAIK_CONTRACT_AVERAGE_H

#include "contract/low_average.h"
#include "correlator/contraction_list.h"

/* A correction whose error is at most this much of that of the sloppy mean does little to the error of both. */
#define CONTRACTION_GOOD 0.5

/* The largest of what a correction does, over the correlators of an average and all t. */
typedef struct contraction_verdict {
    double correction;  /* by the error of the sloppy mean */
    double ratio;       /* its own error by the same, */
    int item, t;        /* there */
    double least, most; /* of low modes: the error by that of the solves alone */
} contraction_verdict;

typedef struct contraction_averager {
    const naik_lattice *lattice; /* borrowed, with all to values */
    const naik_input *input;
    naik_propagator_file *file;
    const naik_complex *values; /* [items of the list][T] */
    const low_average_kit *low_kit;
    double *stored;               /* [correlators][momenta][T] */
    naik_complex *raw;            /* [T] */
    naik_complex *family;         /* [statistics][T] of what stands together in the list */
    contraction_verdict *verdict; /* [averages of the input], */
    low_average *low;             /* the same, of those that are made, */
    low_held held;                /* and their modes */
} contraction_averager;

/* Allocates; what is borrowed is there. NAIK_ERR_MEMORY. Local. */
naik_status contraction_averager_create(naik_log *log, contraction_averager *w);
/* Item `index` of the list, which is a statistic, of the values before it; those that stand together come one behind
 * the other. Collective. NAIK_ERR_MEMORY, and what reading returns. */
naik_status contraction_average(contraction_averager *w, const contraction_list *list, int index,
                                naik_complex *out);
/* Of each truncated average what the correction was, and whether the sloppy tolerance was good enough; or that its
 * exact solves were none. */
void contraction_averages_print(const contraction_averager *w, const contraction_list *list,
                                naik_log *log);
void contraction_averager_clear(contraction_averager *w);
/* Averages of a file whose propagators are gone, made anew from its other correlators. A run that was killed between the
 * removal of the propagators and its end may have been one of an earlier version, whose averages had other signs. Writes
 * those that differ; those of low modes stay. Collective. NAIK_ERR_MEMORY, and what reading and writing return. */
naik_status contraction_averages_again(const naik_lattice *lattice, const naik_input *input,
                                       naik_propagator_file *file);

#endif
