/* naik_h5.c - naik's own gauge file, naik-gauge
 *
 * Written as PATH.part, read again and compared by checksum, then renamed: a file under its final
 * name is complete. The state attribute says the same to whoever copies a .part by hand.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files.h"
#include "io/gauge/format.h"
#include "io/h5/metadata_crc.h"
#include "io/links/dataset.h"
#include "io/output.h"
#include "io/reread.h"

static naik_status verify_part(const char *part, const naik_lattice *lattice)
{
    naik_comm *comm = lattice->comm;
    naik_status status = NAIK_OK;
    naik_gauge_file found = {0};
    hid_t file = -1;
    NAIK_TRY(naik_h5_open(comm, part, false, &file));
    NAIK_TRY(naik_h5_confirm_metadata(comm, file, part, "complete"));
    NAIK_TRY(naik_h5_links_read(file, "gauge", lattice, NULL, &found));
    if (!found.checksum_ok) {
        status =
            NAIK_FAIL(comm->log, NAIK_ERR_IO,
                      "/gauge of %s did not read back as written (checksum %x %x, written %x %x)",
                      part, found.checksum_computed[0], found.checksum_computed[1],
                      found.checksum_stored[0], found.checksum_stored[1]);
    }
done:
    naik_h5_close(comm, &file);
    return status;
}

naik_status naik_gauge_h5_write(const char *path, const naik_gauge *gauge, int precision,
                                const naik_gauge_meta *meta)
{
    const naik_lattice *lat = gauge->lattice;
    naik_comm *comm = lat->comm;
    naik_status status = NAIK_OK;
    naik_output out = {.lock = NULL};
    naik_h5_links links = {.name = "gauge", .kind = "thin", .gauge = gauge};
    naik_h5_links_file file = {
        .path = out.part, .links = &links, .count = 1, .precision = precision, .meta = meta};
    if (precision != 32 && precision != 64) {
        return NAIK_FAIL(comm->log, NAIK_ERR_ARG, "links in %d bits cannot be written", precision);
    }
    NAIK_TRY(naik_output_begin(comm, path, naik_gauge_file_bytes(lat, precision), &out));
    NAIK_TRY(naik_h5_links_file_write(comm, &file));
    NAIK_TRY(naik_write_verdict(comm->log, out.part, verify_part(out.part, lat)));
    NAIK_TRY(naik_output_publish(&out));
done:
    naik_output_abandon(&out);
    return status;
}

static bool recognise(const naik_file_head *head)
{
    return naik_h5_begins(head->bytes, (size_t)head->length);
}

static naik_status probe_open(naik_log *log, const char *path, hid_t file, naik_gauge_file *out)
{
    naik_status status = NAIK_OK;
    char format[32] = "", state[32] = "";
    hid_t group = -1;
    naik_h5_get_text(file, "format", format, sizeof format);
    naik_h5_get_text(file, "state", state, sizeof state);
    if (strcmp(format, "naik-gauge") != 0) {
        status = NAIK_FAIL(
            log, NAIK_ERR_INPUT,
            "'%s' is an HDF5 file%s%s, not a gauge configuration of naik, QDP++ or PyQUDA", path,
            format[0] != '\0' ? " of format " : "", format);
        goto done;
    }
    if (strcmp(state, "complete") != 0) {
        status = NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                           "'%s' was never completed: its writer was interrupted", path);
        goto done;
    }
    if (H5Lexists(file, "gauge", H5P_DEFAULT) <= 0 && H5Lexists(file, "fat", H5P_DEFAULT) > 0) {
        status = NAIK_FAIL(log, NAIK_ERR_INPUT,
                           "'%s' holds fat and long links, not thin ones: only an input with "
                           "action.type links reads it, as action.file",
                           path);
        goto done;
    }
    NAIK_TRY(naik_h5_check_metadata_crc(log, file, path));
    NAIK_TRY(naik_h5_links_describe(log, file, "gauge", path, out));
    naik_h5_get_text(file, "uuid", out->uuid, sizeof out->uuid);
    group = H5Gopen2(file, "metadata", H5P_DEFAULT);
    if (group >= 0) {
        naik_h5_get_text(group, "ensemble", out->ensemble, sizeof out->ensemble);
        naik_h5_get_text(group, "ildg_lfn", out->lfn, sizeof out->lfn);
        naik_h5_get_text(group, "gauge_fixing", out->gauge_fixing, sizeof out->gauge_fixing);
        NAIK_TRY(naik_h5_get_document(log, group, "input_text", &out->header_text));
    }
done:
    naik_h5_release(group);
    return status;
}

static naik_status probe(naik_log *log, const naik_file_head *head, naik_gauge_file *out)
{
    naik_status status = NAIK_OK;
    hid_t file = -1;
    NAIK_PASS(naik_h5_open_alone(log, head->path, &file));
    status = naik_h5_read_verdict(log, probe_open(log, head->path, file, out));
    H5Fclose(file);
    return status;
}

static naik_status read_links(const char *path, naik_gauge *gauge, naik_gauge_file *description)
{
    naik_comm *comm = gauge->lattice->comm;
    naik_status status = NAIK_OK;
    hid_t file = -1;
    NAIK_TRY(naik_h5_open(comm, path, false, &file));
    NAIK_TRY(naik_h5_links_read(file, "gauge", gauge->lattice, gauge, description));
done:
    naik_h5_close(comm, &file);
    return status;
}

const naik_gauge_format naik_gauge_format_h5 = {
    .name = "naik HDF5", .recognise = recognise, .probe = probe, .read = read_links};
