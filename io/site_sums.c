/* site_sums.c - sites with one rotation are added to each other before anything is looked up */
#include "io/site_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "base/memory.h"
#include "comm/threads.h"
#include "io/checksum.h"

enum { CLASSES_A = 29, CLASSES_B = 31, LINE_BYTES = 64 };

struct naik_site_sums {
    naik_comm *comm; /* borrowed */
    int threads;
    naik_site_sum *part; /* [threads] */
    void *memory;
};

int64_t naik_site_sum_bytes(int64_t site_bytes)
{
    const int64_t bytes = NAIK_SITE_SUM_CLASSES * site_bytes;
    return site_bytes <= NAIK_SITE_SUM_BYTES ? (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES
                                             : 0;
}

void naik_site_sum_begin(naik_site_sum *s, int64_t site_bytes, void *memory)
{
    const int64_t bytes = naik_site_sum_bytes(site_bytes);
    *s = (naik_site_sum){.site_bytes = site_bytes, .added = bytes > 0 ? memory : NULL};
    if (s->added != NULL) {
        memset(s->added, 0, (size_t)bytes);
    }
}

NAIK_CLONES static void add_bytes(unsigned char *restrict a, unsigned char *restrict b,
                                  const unsigned char *restrict from, int64_t bytes)
{
#pragma omp simd
    for (int64_t i = 0; i < bytes; i++) {
        a[i] ^= from[i];
        b[i] ^= from[i];
    }
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void naik_site_sum_add(naik_site_sum *s, int64_t first, int64_t count, const void *bytes)
{
    const unsigned char *from = bytes;
    const int64_t each = s->site_bytes;
    if (s->added == NULL) {
        naik_checksum_usqcd(s->sum, first, (int)count, bytes, each);
        return;
    }
    unsigned char *const of_b = s->added + CLASSES_A * each;
    int64_t a = first % CLASSES_A, b = first % CLASSES_B;
    while (count > 0) {
        const int64_t run = least(count, least(CLASSES_A - a, CLASSES_B - b));
        const uint32_t bits = (UINT32_C(1) << run) - 1;
        add_bytes(s->added + a * each, of_b + b * each, from, run * each);
        s->odd[0] ^= bits << a;
        s->odd[1] ^= bits << b;
        a = (a + run) % CLASSES_A;
        b = (b + run) % CLASSES_B;
        from += run * each;
        count -= run;
    }
}

void naik_site_sum_take(const naik_site_sum *s, uint32_t sum[2])
{
    static const unsigned char zeros[NAIK_SITE_SUM_BYTES];
    sum[0] ^= s->sum[0];
    sum[1] ^= s->sum[1];
    if (s->added == NULL) {
        return;
    }
    const uint32_t of_zeros = naik_crc32(zeros, (size_t)s->site_bytes);
    for (unsigned k = 0; k < NAIK_SITE_SUM_CLASSES; k++) {
        const unsigned which = k < CLASSES_A ? 0 : 1, by = which == 0 ? k : k - CLASSES_A;
        const uint32_t crc =
            naik_crc32(s->added + k * (size_t)s->site_bytes, (size_t)s->site_bytes);
        sum[which] ^= naik_rotl32((s->odd[which] >> by & 1) != 0 ? crc : crc ^ of_zeros, by);
    }
}

naik_status naik_site_sums_create(naik_comm *comm, int64_t site_bytes, naik_site_sums **out)
{
    naik_status status = NAIK_OK;
    const int64_t each = naik_site_sum_bytes(site_bytes);
    naik_site_sums *s = calloc(1, sizeof *s);
    *out = s;
    if (s != NULL) {
        s->comm = comm;
        s->threads = naik_threads_count();
        s->part = calloc((size_t)s->threads, sizeof *s->part);
    }
    status = s == NULL || s->part == NULL
                 ? NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for checksums")
                 : naik_alloc(comm->log, (size_t)(each * s->threads), "checksums", &s->memory);
    for (int i = 0; status == NAIK_OK && i < s->threads; i++) {
        naik_site_sum_begin(&s->part[i], site_bytes, (char *)s->memory + i * each);
    }
    return naik_comm_agree(comm, status);
}

void naik_site_sums_add(naik_site_sums *s, int64_t first, int64_t count, const void *bytes)
{
    naik_site_sum_add(&s->part[naik_threads_index()], first, count, bytes);
}

naik_status naik_site_sums_combine(const naik_site_sums *s, uint32_t sum[2])
{
    sum[0] = sum[1] = 0;
    for (int i = 0; i < s->threads; i++) {
        naik_site_sum_take(&s->part[i], sum);
    }
    return naik_checksum_combine(s->comm, sum);
}

void naik_site_sums_destroy(naik_site_sums **s)
{
    if (*s != NULL) {
        naik_free((*s)->memory);
        free((*s)->part);
        free(*s);
    }
    *s = NULL;
}

naik_status naik_site_sums_of(const naik_lattice *lattice, const void *sites, int64_t site_bytes,
                              uint32_t sum[2])
{
    naik_status status = NAIK_OK;
    naik_site_sums *sums = NULL;
    const int32_t row_sites = lattice->local[0];
    NAIK_TRY(naik_site_sums_create(lattice->comm, site_bytes, &sums));
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lattice->sites; site += row_sites) {
        int x[NAIK_DIM];
        naik_lattice_coords(lattice, site, x);
        naik_site_sums_add(sums, naik_lattice_global(lattice, x), row_sites,
                           (const char *)sites + site * site_bytes);
    }
    NAIK_TRY(naik_site_sums_combine(sums, sum));
done:
    naik_site_sums_destroy(&sums);
    return status;
}
