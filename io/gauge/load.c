/* load.c - reading a configuration for use: everything it claims is verified first
 *
 * All disagreements are collected before the verdict, so that the user sees them at once and need
 * not mend a file fault by fault.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "naik/gauge_io.h"

void naik_gauge_print(naik_log *log, const char *path, const naik_gauge_file *file,
                      const naik_gauge_checks *checks)
{
    char stored[40], computed[40];
    naik_log_line(log, "gauge file        %s", path);
    naik_log_line(log, "  format          %s, %d bit, %s-endian, %d rows", file->format,
                  file->precision, file->byte_order, file->rows);
    naik_log_line(log, "  extents         %d %d %d %d (x y z t)", file->size[0], file->size[1],
                  file->size[2], file->size[3]);
    if (file->checksum_known) {
        naik_gauge_sum_text(file, file->checksum_stored, stored, sizeof stored);
        naik_gauge_sum_text(file, file->checksum_computed, computed, sizeof computed);
        naik_log_line(log, "  checksum        %s stored %s, computed %s: %s", file->checksum_kind,
                      stored, computed, file->checksum_ok ? "agree" : "DISAGREE");
    } else {
        naik_log_line(log, "  checksum        none in the file");
    }
    naik_log_line(log, "  plaquette       space-space %.16g, space-time %.16g (3 for unit links)",
                  checks->plaquette_s, checks->plaquette_t);
    if (!isnan(file->plaquette_stored)) {
        naik_log_line(log, "                  stored %.10g, computed %.10g (1 for unit links)",
                      file->plaquette_stored / 3, checks->plaquette / 3);
    }
    naik_log_line(log, "  link trace      %.16g", checks->link_trace);
    if (!isnan(file->link_trace_stored)) {
        naik_log_line(log, "                  stored %.10g", file->link_trace_stored);
    }
    if (file->lfn[0] != '\0') {
        naik_log_line(log, "  ILDG's name     %s", file->lfn);
    }
    naik_log_line(log, "  |U U^+ - 1|     largest %.3e", checks->max_unitarity_dev);
    naik_log_line(log, "  |det U - 1|     largest %.3e", checks->max_det_dev);
    if (file->note[0] != '\0') {
        naik_log_line(log, "  note            %s", file->note);
    }
}

/* Of 3. In another order of sites or directions it is 0 but for noise, and a ninth of itself at most where
 * matrices are transposed in a random gauge; quenched links have as little at beta 2. */
static const double least_plaquette = 0.4;

/* Links that were stored in another order than is read are unitary, and have their checksum: only the
 * plaquette tells, where none is stored to compare with. */
static void warn_of_order(naik_log *log, const char *path, const naik_gauge_file *file,
                          const naik_gauge_checks *checks)
{
    if (isnan(file->plaquette_stored) &&
        fmin(checks->plaquette_s, checks->plaquette_t) < least_plaquette) {
        naik_log_warn(
            log,
            "'%s': the plaquette (space-space %.3g, space-time %.3g, 3 for unit links) is "
            "small, and none is stored to compare with: links whose sites, directions "
            "or indices are in another order than naik reads have such a plaquette",
            path, checks->plaquette_s, checks->plaquette_t);
    }
}

naik_gauge_file naik_gauge_file_of_memory(const naik_lattice *lattice)
{
    naik_gauge_file file = {.format = "memory",
                            .precision = 64,
                            .byte_order = "native",
                            .checksum_kind = "none",
                            .plaquette_stored = NAN,
                            .link_trace_stored = NAN,
                            .rows = 3};
    memcpy(file.size, lattice->size, sizeof file.size);
    return file;
}

naik_status naik_gauge_load(const char *path, const naik_gauge_load_options *options,
                            naik_gauge *gauge, naik_gauge_file *file, naik_gauge_checks *checks)
{
    NAIK_PASS(naik_gauge_file_read(path, gauge, file));
    return naik_gauge_accept(path, options, gauge, file, checks);
}

naik_status naik_gauge_accept(const char *path, const naik_gauge_load_options *options,
                              naik_gauge *gauge, naik_gauge_file *file, naik_gauge_checks *checks)
{
    naik_log *log = gauge->lattice->comm->log;
    naik_status status = NAIK_OK;
    naik_gauge_verdict v;
    double change = 0;
    NAIK_TRY(naik_gauge_measure(gauge, checks));
    naik_gauge_print(log, path, file, checks);
    NAIK_TRY(naik_gauge_judge(gauge, file, checks, options->max_unitarity_deviation, &v));
    if (v.count == 0) {
        warn_of_order(log, path, file, checks);
    }
    if (v.count > 0 && options->warn_only && !v.unusable) {
        memcpy(file->disagrees, v.text, sizeof file->disagrees);
        naik_log_warn(log, "'%s': %s; going on as asked", path, v.text);
    } else if (v.count > 0) {
        status = NAIK_FAIL(log, v.status, "'%s' %s: %s", path, v.what, v.text);
        goto done;
    }
    if (options->reunitarise) {
        NAIK_TRY(naik_gauge_reunitarise(gauge, &change));
        naik_log_line(log, "  reunitarised    largest change %.3e", change);
    }
done:
    if (status != NAIK_OK) {
        naik_gauge_file_clear(file);
    }
    return status;
}
