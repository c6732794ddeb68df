/* checksum.h - the checksums that gauge configurations and propagators carry in their files
 *
 * All of them are sums modulo 2^32 or exclusive-ors over 32-bit words or sites, so each rank adds
 * its part in any order and the ranks combine by exclusive-or (or by a sum).
 */
#ifndef NAIK_IO_CHECKSUM_H
#define NAIK_IO_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "naik/comm.h"

/* word rotated left by `by` modulo 32 bits; rotation by 0 is the word itself. */
static inline uint32_t naik_rotl32(uint32_t word, unsigned by)
{
    by &= 31;
    return by == 0 ? word : (word << by) | (word >> (32 - by));
}

/* zlib's crc32 of the bytes. */
uint32_t naik_crc32(const void *bytes, size_t size_bytes);

/* USQCD: c = crc32 of a site's bytes as in the file; suma ^= rotl(c, site mod 29), sumb ^= rotl(c,
 * site mod 31). Adds `count` consecutive sites numbered from `first` to sum[2] = {suma, sumb}. */
void naik_checksum_usqcd(uint32_t sum[2], int64_t first, int count, const void *bytes,
                         int64_t site_bytes);

/* MILC: every 32-bit word w number n in the natural order: sum29 ^= rotl(w, n mod 29), sum31 ^=
 * rotl(w, n mod 31). `words` are in memory order of this machine, or reversed if `swapped`. */
void naik_checksum_milc(uint32_t sum[2], int64_t first_word, int64_t count, const void *words,
                        bool swapped);

/* PyQUDA: w = exclusive-or of the site's 32-bit words; sum29 ^= rotl(w, site mod 29), sum31 ^=
 * rotl(w, site mod 31). */
void naik_checksum_pyquda(uint32_t sum[2], int64_t first, int count, const void *words,
                          int64_t site_bytes);

/* Adds a part of such a pair of exclusive-ors to what the threads of a rank share. */
void naik_checksum_share(uint32_t shared[2], const uint32_t part[2]);

/* sum[2] of every rank becomes that of all ranks. Collective. NAIK_ERR_MPI. */
naik_status naik_checksum_combine(naik_comm *comm, uint32_t sum[2]);

/* NERSC: the sum modulo 2^32 of the 32-bit words, as this machine stores them, or reversed. */
uint32_t naik_checksum_words(int64_t count, const void *words, bool swapped);

#endif
