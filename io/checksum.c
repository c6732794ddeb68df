/* checksum.c - checksums of the field's file formats
 *
 * Words are read with memcpy, because a record of a file need not be aligned in memory.
 */
#include "io/checksum.h"

#include <string.h>
#include <zlib.h>

#include "comm/collective.h"

static uint32_t word_at(const void *words, int64_t i, bool swapped)
{
    unsigned char b[4];
    uint32_t w;
    memcpy(b, (const unsigned char *)words + 4 * i, 4);
    if (swapped) {
        unsigned char r[4] = {b[3], b[2], b[1], b[0]};
        memcpy(b, r, 4);
    }
    memcpy(&w, b, 4);
    return w;
}

uint32_t naik_crc32(const void *bytes, size_t size_bytes)
{
    const unsigned char *at = bytes;
    uLong crc = crc32(0L, Z_NULL, 0);
    while (size_bytes > 0) {
        uInt now = size_bytes < (1u << 30) ? (uInt)size_bytes : 1u << 30;
        crc = crc32(crc, at, now);
        at += now;
        size_bytes -= now;
    }
    return (uint32_t)crc;
}

void naik_checksum_usqcd(uint32_t sum[2], int64_t first, int count, const void *bytes,
                         int64_t site_bytes)
{
    for (int i = 0; i < count; i++) {
        uint32_t crc =
            naik_crc32((const unsigned char *)bytes + i * site_bytes, (size_t)site_bytes);
        sum[0] ^= naik_rotl32(crc, (unsigned)((first + i) % 29));
        sum[1] ^= naik_rotl32(crc, (unsigned)((first + i) % 31));
    }
}

void naik_checksum_milc(uint32_t sum[2], int64_t first_word, int64_t count, const void *words,
                        bool swapped)
{
    unsigned by29 = (unsigned)(first_word % 29), by31 = (unsigned)(first_word % 31);
    for (int64_t i = 0; i < count; i++) {
        uint32_t w = word_at(words, i, swapped);
        sum[0] ^= naik_rotl32(w, by29);
        sum[1] ^= naik_rotl32(w, by31);
        by29 = by29 == 28 ? 0 : by29 + 1;
        by31 = by31 == 30 ? 0 : by31 + 1;
    }
}

void naik_checksum_pyquda(uint32_t sum[2], int64_t first, int count, const void *words,
                          int64_t site_bytes)
{
    int64_t site_words = site_bytes / 4;
    for (int i = 0; i < count; i++) {
        uint32_t site = 0;
        for (int64_t k = 0; k < site_words; k++) {
            site ^= word_at(words, i * site_words + k, false);
        }
        sum[0] ^= naik_rotl32(site, (unsigned)((first + i) % 29));
        sum[1] ^= naik_rotl32(site, (unsigned)((first + i) % 31));
    }
}

void naik_checksum_share(uint32_t shared[2], const uint32_t part[2])
{
#pragma omp atomic
    shared[0] ^= part[0];
#pragma omp atomic
    shared[1] ^= part[1];
}

naik_status naik_checksum_combine(naik_comm *comm, uint32_t sum[2])
{
    uint64_t both = (uint64_t)sum[1] << 32 | sum[0];
    naik_status status = naik_comm_xor_u64(comm, &both, 1);
    sum[0] = (uint32_t)both;
    sum[1] = (uint32_t)(both >> 32);
    return status;
}

uint32_t naik_checksum_words(int64_t count, const void *words, bool swapped)
{
    uint32_t sum = 0;
    for (int64_t i = 0; i < count; i++) {
        sum += word_at(words, i, swapped);
    }
    return sum;
}
