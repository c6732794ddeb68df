/* vector_fixture.h - files of vectors as other codes write them, of numbers that any rank can
 * compute
 */
#ifndef NAIK_TESTS_VECTOR_FIXTURE_H
#define NAIK_TESTS_VECTOR_FIXTURE_H

#include "naik/comm.h"

enum { VECTOR_SLICE_T = 5 }; /* where sources lie */

/* Real number i of vector `index` at a site, exact in single precision. A solution's index is its
 * place in the file; a source's is 100 more. */
double vector_number(int64_t site, int i, int index);

/* `count` vectors, each behind its source where `pairs`, in SciDAC records. Collective. */
void vector_write_lime(naik_comm *comm, const char *path, const int size[4], int count, int bits,
                       bool pairs, bool with_sum);
/* Three vectors in FNAL's format. Collective. */
void vector_write_fnal(naik_comm *comm, const char *path, const int size[4], bool big);

#endif
