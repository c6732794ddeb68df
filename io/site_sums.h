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
enum { NAIK_SITE_SUM_BYTES = 2048, NAIK_SITE_SUM_CLASSES = 29 + 31 };

/* What one thread has added. */
typedef struct naik_site_sum {
    int64_t site_bytes;
    uint32_t odd[2];      /* bit k: an odd number of sites with n mod 29, n mod 31 equal to k */
    uint32_t sum[2];      /* of large sites */
    unsigned char *added; /* [NAIK_SITE_SUM_CLASSES][site_bytes]; NULL: sites are large */
} naik_site_sum;

/* Bytes of `memory` that naik_site_sum_begin wants; 0 where sites are large. Local. */
int64_t naik_site_sum_bytes(int64_t site_bytes);
void naik_site_sum_begin(naik_site_sum *s, int64_t site_bytes, void *memory);
/* `count` consecutive sites numbered from `first`. Local. */
void naik_site_sum_add(naik_site_sum *s, int64_t first, int64_t count, const void *bytes);
/* sum[2] ^= {suma, sumb} of all that was added. Local. */
void naik_site_sum_take(const naik_site_sum *s, uint32_t sum[2]);

/* Sums of sites from inside the parallel loops of this thread: a part for each thread of a loop. */
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
