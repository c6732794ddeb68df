/* scidac.c - fat and long links that another code has stored, one SciDAC file each
 *
 * Such a file is laid out like a gauge configuration, and read as one: as stored, checksum and all.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/new.h"
#include "io/files.h"
#include "io/lime/lime.h"
#include "io/links/kinds.h"
#include "io/links/links_file.h"
#include "naik/gauge_io.h"

static naik_status read_file(const char *path, const char *kind, naik_gauge *links)
{
    naik_comm *comm = links->lattice->comm;
    naik_gauge_file file = {0};
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_gauge_file_read(path, links, &file));
    if (strcmp(file.format, "scidac") != 0 && strcmp(file.format, "ildg") != 0) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                           "'%s' is in the format %s; %s links of other codes are read from "
                           "SciDAC files",
                           path, file.format, kind);
    } else if (file.checksum_known && !file.checksum_ok) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT,
                           "the %s links '%s' are damaged: checksum %x %x, stored %x %x", kind,
                           path, file.checksum_computed[0], file.checksum_computed[1],
                           file.checksum_stored[0], file.checksum_stored[1]);
    }
    naik_log_line(comm->log, "%s links: %s, %s, %d bit, checksum %x %x %s", kind, path, file.format,
                  file.precision, file.checksum_computed[0], file.checksum_computed[1],
                  file.checksum_known ? "verified" : "(none stored)");
done:
    naik_gauge_file_clear(&file);
    return status;
}

naik_status naik_links_scidac_read(const char *fat_path, const char *long_path,
                                   const naik_lattice *lattice, double naik_epsilon,
                                   const naik_links_boundary *boundary, naik_fatlong **out)
{
    naik_comm *comm = lattice->comm;
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_new(comm, sizeof **out, "links", (void **)out));
    (*out)->naik_epsilon = naik_epsilon;
    NAIK_TRY(naik_gauge_create(lattice, &(*out)->fat));
    NAIK_TRY(naik_gauge_create(lattice, &(*out)->long_links));
    NAIK_TRY(read_file(fat_path, "fat", (*out)->fat));
    NAIK_TRY(read_file(long_path, "long", (*out)->long_links));
    NAIK_TRY(naik_links_measure_scale((*out)->long_links, &(*out)->long_scale));
    NAIK_TRY(naik_links_check_kinds(fat_path, long_path, *out, boundary));
done:
    if (status != NAIK_OK) {
        naik_fatlong_destroy(out);
    }
    return status;
}

/* Rank 0's header has the stored sum; without one the whole file is read. */
static naik_status content_sum(const char *path, const naik_lattice *lattice, uint32_t sum[2])
{
    naik_status status = NAIK_OK;
    naik_gauge_file file = {0};
    naik_gauge *links = NULL;
    NAIK_TRY(naik_gauge_file_probe_sized(lattice->comm, path, lattice->size, &file));
    NAIK_TRY(naik_lattice_expect(lattice, path, file.size));
    memcpy(sum, file.checksum_stored, sizeof file.checksum_stored);
    if (!file.checksum_known) {
        naik_gauge_file_clear(&file);
        NAIK_TRY(naik_gauge_create(lattice, &links));
        NAIK_TRY(naik_gauge_file_read(path, links, &file));
        memcpy(sum, file.checksum_computed, sizeof file.checksum_computed);
    }
done:
    naik_gauge_file_clear(&file);
    naik_gauge_destroy(&links);
    return status;
}

naik_status naik_links_scidac_identity(const char *fat_path, const char *long_path,
                                       const naik_lattice *lattice, char *text, size_t text_size)
{
    uint32_t fat[2], long_links[2];
    NAIK_PASS(content_sum(fat_path, lattice, fat));
    NAIK_PASS(content_sum(long_path, lattice, long_links));
    snprintf(text, text_size, "links suma/sumb fat %x %x long %x %x", fat[0], fat[1], long_links[0],
             long_links[1]);
    return NAIK_OK;
}

naik_status naik_links_scidac_recognise(naik_comm *comm, const char *path, bool *is_scidac)
{
    if (comm->rank == 0) {
        naik_file_head head;
        if (naik_file_head_read(comm->log, path, "the file", &head) != NAIK_OK) {
            naik_log_clear(comm->log); /* who opens it says why */
        }
        *is_scidac = naik_lime_recognise(head.bytes, (size_t)head.length);
    }
    return naik_comm_broadcast(comm, is_scidac, sizeof *is_scidac, 0);
}
