/* site_sums.h - the USQCD checksum of many sites, at the speed of memory
 *
 *   suma = xor_n rotl(crc(site n), n mod 29),   sumb = xor_n rotl(crc(site n), n mod 31)
 *
 * crc32 is linear up to a constant: crc(a) ^ crc(b) is crc(a ^ b), or that of zeros more where the
 * number of terms is even. So sites with one rotation are added to each other first, bytewise and
 * modulo 2, and only 29 + 31 checksums are formed in the end.
 */
#ifndef NAIK_IO_SITE_SUMS_H
#define NAIK_IO_SITE_SUMS_H

#include <stdint.h>

#include "naik/lattice.h"

/* Sites of so many bytes at most are added to each other; larger ones are summed one by one. */
enum { NAIK_SITE_SUM_BYTES = 2048 };

/* A sum from inside the parallel loops of this thread: a part for each of their threads. */
typedef struct naik_site_sums naik_site_sums;

/* Collective, agrees. NAIK_ERR_MEMORY */
naik_status naik_site_sums_create(naik_comm *comm, int64_t site_bytes, naik_site_sums **out);
/* By any thread of a parallel loop. Local. */
void naik_site_sums_add(naik_site_sums *s, int64_t first, int64_t count, const void *bytes);
/* sum = {suma, sumb} of all that all ranks added. Collective. NAIK_ERR_MPI */
naik_status naik_site_sums_combine(const naik_site_sums *s, uint32_t sum[2]);
void naik_site_sums_destroy(naik_site_sums **s);

/* {suma, sumb} of `sites` [sites] of site_bytes each, in local lexicographic order. Collective.
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_site_sums_of(const naik_lattice *lattice, const void *sites, int64_t site_bytes,
                              uint32_t sum[2]);

#endif
