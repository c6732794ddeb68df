/* flat.c - links that lie in a file site after site, four directions each
 *
 * MILC, ILDG, SciDAC and NERSC differ in their headers and checksums only.
 */
#include <math.h>
#include <string.h>

#include "comm/collective.h"
#include "io/checksum.h"
#include "io/gauge/format.h"
#include "io/lime/volumes.h"
#include "io/site_sums.h"
#include "io/sites.h"

typedef struct passage { /* of links between a file and memory, row by row */
    const naik_gauge *gauge;
    int rows, bits;
    bool big, swapped;
    naik_flat_sum kind;
    uint32_t sum[2];       /* shared by the threads; of NAIK_SUM_USQCD */
    naik_site_sums *sites; /* in its place */
    int64_t looked;        /* links whose bytes were looked at in both orders */
    int64_t turned;        /* those of them that have unit rows in the other order alone */
} passage;

static void add_row_to_sum(passage *r, const naik_sites_row *row, int64_t site_bytes)
{
    uint32_t sum[2] = {0, 0};
    int64_t words = site_bytes / 4;
    switch (r->kind) {
    case NAIK_SUM_NONE: return;
    case NAIK_SUM_MILC:
        naik_checksum_milc(sum, row->number * words, row->count * words, row->bytes, r->swapped);
        break;
    case NAIK_SUM_USQCD: naik_site_sums_add(r->sites, row->number, row->count, row->bytes); return;
    case NAIK_SUM_NERSC: sum[0] = naik_checksum_words(row->count * words, row->bytes, r->swapped);
#pragma omp atomic
        r->sum[0] += sum[0];
        return;
    }
    naik_checksum_share(r->sum, sum);
}

/* Whether the rows of a link are unit vectors. */
static bool has_unit_rows(const double *link, int rows)
{
    bool unit = true;
    for (int k = 0; k < rows; k++) {
        double norm = 0;
        for (int i = 6 * k; i < 6 * k + 6; i++) {
            norm += link[i] * link[i];
        }
        unit = unit && fabs(norm - 1) < 1e-3;
    }
    return unit;
}

/* The first link of a row, in both byte orders. */
static void look_at_order(passage *r, const unsigned char *bytes)
{
    double as_said[18], other[18];
    naik_reals_decode(bytes, 6 * r->rows, r->bits, r->big, as_said);
    naik_reals_decode(bytes, 6 * r->rows, r->bits, !r->big, other);
    const int64_t turned = !has_unit_rows(as_said, r->rows) && has_unit_rows(other, r->rows);
#pragma omp atomic
    r->looked++;
#pragma omp atomic
    r->turned += turned;
}

static void take_row(void *context, const naik_sites_row *row)
{
    passage *r = context;
    int reals = 6 * r->rows;
    int64_t link_bytes = (int64_t)reals * r->bits / 8;
    add_row_to_sum(r, row, 4 * link_bytes);
    look_at_order(r, row->bytes);
    naik_matrix *link = r->gauge->link + 4 * (int64_t)naik_sites_local(r->gauge->lattice, row);
    for (int i = 0; i < 4 * row->count; i++) {
        double value[18];
        naik_reals_decode(row->bytes + i * link_bytes, reals, r->bits, r->big, value);
        memcpy(link[i].e, value, (size_t)reals * sizeof *value);
        if (r->rows == 2) {
            naik_gauge_complete_row(&link[i]);
        }
    }
}

static void give_row(void *context, const naik_sites_row *row)
{
    passage *r = context;
    int reals = 6 * r->rows;
    int64_t link_bytes = (int64_t)reals * r->bits / 8;
    const naik_matrix *link =
        r->gauge->link + 4 * (int64_t)naik_sites_local(r->gauge->lattice, row);
    for (int i = 0; i < 4 * row->count; i++) {
        double value[18];
        memcpy(value, link[i].e, sizeof value);
        naik_reals_encode(value, reals, r->bits, r->big, row->bytes + i * link_bytes);
    }
    add_row_to_sum(r, row, 4 * link_bytes);
}

static bool host_is_big(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

static naik_status combine(naik_comm *comm, passage *r, naik_gauge_file *file)
{
    naik_status status;
    if (r->kind == NAIK_SUM_NERSC) {
        int64_t total = r->sum[0];
        status = naik_comm_sum_i64(comm, &total, 1);
        file->checksum_computed[0] = (uint32_t)total;
    } else {
        status = r->sites != NULL ? naik_site_sums_combine(r->sites, r->sum)
                                  : naik_checksum_combine(comm, r->sum);
        memcpy(file->checksum_computed, r->sum, sizeof r->sum);
    }
    file->checksum_ok = file->checksum_known &&
                        file->checksum_computed[0] == file->checksum_stored[0] &&
                        file->checksum_computed[1] == file->checksum_stored[1];
    return status;
}

static passage prepare(const naik_gauge *gauge, naik_flat_sum sum, const naik_gauge_file *file)
{
    passage r = {.gauge = gauge,
                 .rows = file->rows,
                 .bits = file->precision,
                 .big = strcmp(file->byte_order, "big") == 0,
                 .kind = sum};
    r.swapped = r.big != host_is_big();
    return r;
}

static naik_status prepare_sums(naik_comm *comm, int64_t site_bytes, passage *r)
{
    return r->kind == NAIK_SUM_USQCD ? naik_site_sums_create(comm, site_bytes, &r->sites) : NAIK_OK;
}

naik_status naik_gauge_read_flat(const char *path, naik_gauge *gauge, naik_flat_sum sum,
                                 naik_gauge_file *file)
{
    naik_status status = NAIK_OK;
    passage r = prepare(gauge, sum, file);
    int64_t site_bytes = (int64_t)24 * r.rows * r.bits / 8;
    naik_sites_box box = naik_sites_of_lattice(gauge->lattice, file->data_offset, site_bytes);
    NAIK_TRY(prepare_sums(gauge->lattice->comm, site_bytes, &r));
    NAIK_TRY(file->in_parts ? naik_volumes_read_one(path, gauge->lattice, file->data_offset,
                                                    (int)site_bytes, take_row, &r)
                            : naik_sites_read(gauge->lattice->comm, path, &box, take_row, &r));
    NAIK_TRY(combine(gauge->lattice->comm, &r, file));
    int64_t links[2] = {r.looked, r.turned};
    NAIK_TRY(naik_comm_sum_i64(gauge->lattice->comm, links, 2));
    file->other_byte_order = links[0] > 0 && links[1] == links[0];
done:
    naik_site_sums_destroy(&r.sites);
    return status;
}

naik_status naik_gauge_write_flat(const char *path, const naik_gauge *gauge, naik_flat_sum sum,
                                  naik_gauge_file *file)
{
    naik_status status = NAIK_OK;
    passage r = prepare(gauge, sum, file);
    int64_t site_bytes = (int64_t)24 * r.rows * r.bits / 8;
    naik_sites_box box = naik_sites_of_lattice(gauge->lattice, file->data_offset, site_bytes);
    NAIK_TRY(prepare_sums(gauge->lattice->comm, site_bytes, &r));
    NAIK_TRY(naik_sites_write(gauge->lattice->comm, path, &box, give_row, &r));
    NAIK_TRY(combine(gauge->lattice->comm, &r, file));
done:
    naik_site_sums_destroy(&r.sites);
    return status;
}
