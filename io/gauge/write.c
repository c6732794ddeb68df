/* write.c - configurations in the formats of other codes
 *
 * Every file is written beside its final name, read again through the ordinary reader, which
 * verifies its checksum, compared with the links in memory, and only then renamed.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/point_locale.h"
#include "comm/collective.h"
#include "io/files.h"
#include "io/gauge/format.h"
#include "io/output.h"
#include "io/reread.h"

typedef struct writer {
    const char *name;
    naik_gauge_writer *write;
    int rows; /* that are stored, and compared bit for bit after reading; a reader rebuilds others */
} writer;

static const writer writers[] = {
    {"milc", naik_milc_write, 3},     {"ildg", naik_ildg_write, 3},
    {"nersc", naik_nersc_write, 2},   {"nersc-3x3", naik_nersc_write_3x3, 3},
    {"pyquda", naik_pyquda_write, 3},
};

static const writer *find_writer(const char *format)
{
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        if (strcmp(writers[i].name, format) == 0) {
            return &writers[i];
        }
    }
    return NULL;
}

/* Links of this rank that differ from what the file must give back. */
static int64_t count_differences(const naik_gauge *gauge, const naik_gauge *copy, int precision,
                                 int rows)
{
    int64_t links = 4 * (int64_t)gauge->lattice->sites, different = 0;
#pragma omp parallel for schedule(static) reduction(+ : different)
    for (int64_t i = 0; i < links; i++) {
        double wanted[18];
        memcpy(wanted, gauge->link[i].e, sizeof wanted);
        for (int k = 0; k < 18 && precision == 32; k++) {
            wanted[k] = (float)wanted[k];
        }
        different += memcmp(wanted, copy->link[i].e, (size_t)rows * 6 * sizeof *wanted) != 0;
    }
    return different;
}

static naik_status read_again(const char *part, const naik_gauge *gauge, int precision, int rows)
{
    const naik_lattice *lattice = gauge->lattice;
    naik_comm *comm = lattice->comm;
    naik_gauge *copy = NULL;
    naik_gauge_file found = {0};
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_gauge_create(lattice, &copy));
    NAIK_TRY(naik_gauge_file_read(part, copy, &found));
    int64_t different = count_differences(gauge, copy, precision, rows);
    NAIK_TRY(naik_comm_sum_i64(comm, &different, 1));
    if (different != 0 || (found.checksum_known && !found.checksum_ok)) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_IO,
                           "'%s' did not read back as written: %lld links differ, checksum %x %x "
                           "stored, %x %x computed",
                           part, (long long)different, found.checksum_stored[0],
                           found.checksum_stored[1], found.checksum_computed[0],
                           found.checksum_computed[1]);
    }
done:
    naik_gauge_file_clear(&found);
    naik_gauge_destroy(&copy);
    return status;
}

static naik_status check_request(naik_log *log, const char *format, const writer *w, int precision,
                                 const naik_gauge_checks *checks)
{
    if (w == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "no format '%s' to write", format);
    }
    if (precision != 32 && precision != 64) {
        return NAIK_FAIL(log, NAIK_ERR_ARG, "precision %d instead of 32 or 64", precision);
    }
    if (!isfinite(checks->plaquette) || !isfinite(checks->link_trace)) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "the links are not finite, so they are not stored");
    }
    if (w->rows == 2 && !(checks->max_unitarity_dev <= NAIK_GAUGE_UNITARITY_LIMIT &&
                          checks->max_det_dev <= 3 * NAIK_GAUGE_UNITARITY_LIMIT)) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "format '%s' stores two rows, but these links are not SU(3): |U U^+ - 1| "
                         "reaches %.3g, |det U - 1| %.3g",
                         format, checks->max_unitarity_dev, checks->max_det_dev);
    }
    return NAIK_OK;
}

naik_status naik_gauge_file_precheck(const naik_lattice *lattice, const char *path, int precision)
{
    char part[NAIK_PATH_MAX];
    return naik_output_room(lattice->comm, path, naik_gauge_file_bytes(lattice, precision), part);
}

naik_status naik_gauge_write(const char *path, const char *format, const naik_gauge *gauge,
                             int precision, const naik_gauge_meta *meta)
{
    if (strcmp(format, "naik") == 0) {
        return naik_gauge_h5_write(path, gauge, precision, meta);
    }
    naik_comm *comm = gauge->lattice->comm;
    const writer *w = find_writer(format);
    naik_gauge_file file = {.precision = precision};
    naik_gauge_checks checks;
    naik_status status = NAIK_OK;
    naik_output out = {.lock = NULL};
    memcpy(file.size, gauge->lattice->size, sizeof file.size);
    NAIK_TRY(naik_gauge_measure(gauge, &checks));
    NAIK_TRY(check_request(comm->log, format, w, precision, &checks));
    NAIK_TRY(naik_gauge_measure_stored(gauge, precision, w->rows, &checks));
    if (meta != NULL) {
        const char *lfn = meta->lfn != NULL      ? meta->lfn
                          : meta->source != NULL ? meta->source->lfn
                                                 : "";
        snprintf(file.lfn, sizeof file.lfn, "%s", lfn);
    }
    NAIK_TRY(naik_output_begin(comm, path, naik_gauge_file_bytes(gauge->lattice, precision), &out));
    const point_locale locale = point_locale_begin(); /* headers are text with numbers */
    status = w->write(out.part, gauge, &checks, &file);
    point_locale_end(locale);
    NAIK_TRY(status);
    status = read_again(out.part, gauge, precision, w->rows);
    NAIK_TRY(naik_write_verdict(comm->log, out.part, status));
    NAIK_TRY(naik_output_publish(&out));
done:
    naik_output_abandon(&out);
    return status;
}
