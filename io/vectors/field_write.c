/* field_write.c - a field of a LIME file: its texts, data and checksum
 */
#include "io/vectors/field_write.h"

#include <stdio.h>

#include "base/memory.h"
#include "io/files.h"
#include "io/reread.h"
#include "io/site_sums.h"
#include "io/sites.h"
#include "io/vectors/vector_io.h"

enum { COLOURS = 3, REALS_MOST = 2 * 12 * 12 };

typedef struct writing {
    const naik_field_data *field;
    int lower[NAIK_DIM], reals; /* of a site */
    naik_site_sums *sums;
} writing;

naik_status naik_field_check(naik_log *log, bool takes_spin, int spin, int precision)
{
    return takes_spin && (precision == 32 || precision == 64)
               ? NAIK_OK
               : NAIK_FAIL(log, NAIK_ERR_ARG,
                           "propagators of %d bits and %d spins cannot be written", precision,
                           spin);
}

void naik_field_site(const naik_field_data *field, int64_t site, double *out)
{
    const int source_spins = field->count > 1 ? field->spin : 1;
    const int source_colours = field->count > 1 ? COLOURS : 1;
    const int64_t reals = (int64_t)2 * COLOURS * field->spin;
    for (int spins = 0; spins < field->spin * source_spins; spins++) {
        for (int colours = 0; colours < COLOURS * source_colours; colours++) {
            const int column = spins % source_spins * COLOURS + colours % source_colours;
            const int sink = spins / source_spins * COLOURS + colours / source_colours;
            const double *from =
                field->columns + reals * (column * field->lattice->sites + site) + 2 * sink;
            *out++ = from[0];
            *out++ = from[1];
        }
    }
}

static void give_row(void *context, const naik_sites_row *row)
{
    const writing *w = context;
    const naik_field_data *field = w->field;
    int x[NAIK_DIM];
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        x[mu] = w->lower[mu] + row->coord[mu] - field->lattice->origin[mu];
    }
    const int64_t first = naik_lattice_site(field->lattice, x);
    if (field->count == 1) {
        naik_reals_encode(field->columns + w->reals * first, (int64_t)w->reals * row->count,
                          field->bits, true, row->bytes);
    }
    for (int i = 0; i < row->count && field->count > 1; i++) {
        double reals[REALS_MOST];
        naik_field_site(field, first + i, reals);
        naik_reals_encode(reals, w->reals, field->bits, true,
                          row->bytes + (int64_t)i * w->reals * field->bits / 8);
    }
    /* Also in a part of the lattice, a site counts by its number in the whole. */
    naik_site_sums_add(w->sums, naik_lattice_global(field->lattice, x), row->count, row->bytes);
}

naik_status naik_field_write(const naik_field_data *field, naik_lime_buffer *head, int64_t *used)
{
    const naik_lattice *lattice = field->lattice;
    naik_comm *comm = lattice->comm;
    naik_status status = NAIK_OK;
    naik_lime_buffer tail = {.used = 0};
    char text[256];
    uint32_t sum[2];
    writing w = {.field = field, .reals = 2 * COLOURS * field->spin * field->count};
    const int site_bytes = w.reals * field->bits / 8;
    int upper[NAIK_DIM];
    int64_t sites = 1;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        const bool cut = mu == 3 && field->slice >= 0;
        w.lower[mu] = cut ? field->slice : 0;
        upper[mu] = cut ? field->slice : lattice->size[mu] - 1;
        sites *= upper[mu] - w.lower[mu] + 1;
    }
    naik_lime_put_header(head, field->type, 0, sites * site_bytes);
    NAIK_TRY(naik_file_put(comm, field->path, false, *used, head->bytes, head->used));
    *used += (int64_t)head->used;
    naik_sites_box box = naik_sites_of_part(lattice, *used, site_bytes, w.lower, upper);
    NAIK_TRY(naik_site_sums_create(comm, site_bytes, &w.sums));
    NAIK_TRY(naik_sites_write(comm, field->path, &box, give_row, &w));
    *used += sites * site_bytes; /* of 8 bytes each at least: no padding */
    NAIK_TRY(naik_site_sums_combine(w.sums, sum));
    snprintf(text, sizeof text,
             NAIK_XML_HEAD "<scidacChecksum><version>1.0</version><suma>%x</suma><sumb>%x</sumb>"
                           "</scidacChecksum>",
             sum[0], sum[1]);
    naik_lime_put_text(&tail, "scidac-checksum", NAIK_LIME_END, text);
    NAIK_TRY(naik_file_put(comm, field->path, false, *used, tail.bytes, tail.used));
    *used += (int64_t)tail.used;
done:
    naik_site_sums_destroy(&w.sums);
    return status;
}

static naik_status read_again(const naik_lattice *lattice, const char *path, int spin, int count,
                              bool sources)
{
    naik_comm *comm = lattice->comm;
    naik_vector_file *file = NULL;
    double *v = NULL;
    naik_status status = naik_alloc(comm->log, (size_t)spin * naik_lattice_vector_bytes(lattice),
                                    "a vector read again", (void **)&v);
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_vector_file_open(comm, path, &file));
    if (file->count != count || file->spin != spin || file->has_sources != sources ||
        !file->has_checksums) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT, "'%s' holds %d vectors of %d", path,
                           file->count, count);
        goto done;
    }
    /* A checksum is of all vectors that lie side by side. */
    for (int i = 0; i < count; i += naik_vector_file_beside(file, i)) {
        for (int part = NAIK_VECTOR_SOLUTION; part <= (int)sources; part++) {
            NAIK_TRY(naik_vector_file_read(file, lattice, (naik_vector_part)part, i, v));
        }
    }
done:
    naik_vector_file_close(&file);
    naik_free(v);
    return status;
}

naik_status naik_field_verify(const naik_lattice *lattice, const char *path, int spin, int count,
                              bool sources)
{
    return naik_write_verdict(lattice->comm->log, path,
                              read_again(lattice, path, spin, count, sources));
}
