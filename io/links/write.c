/* write.c - a new file of links: rank 0 makes and describes it, all ranks write the links
 *
 * h5.h says why.
 */
#include <stdio.h>
#include <string.h>

#include "io/gauge/format.h"
#include "io/h5/metadata_crc.h"
#include "io/links/dataset.h"
#include "io/provenance.h"

static naik_status put_source(naik_comm *comm, hid_t group, const naik_gauge_meta *meta)
{
    const naik_gauge_file *source = meta->source;
    char text[64] = "none";
    NAIK_PASS(naik_h5_put_text(comm->log, group, "source_path", meta->source_path));
    if (source == NULL) {
        return NAIK_OK;
    }
    NAIK_PASS(naik_h5_put_text(comm->log, group, "source_format", source->format));
    NAIK_PASS(naik_h5_put_text(comm->log, group, "source_uuid", source->uuid));
    NAIK_PASS(naik_h5_put_text(comm->log, group, "source_checksum_kind", source->checksum_kind));
    if (source->checksum_known) {
        snprintf(text, sizeof text, "%x %x", source->checksum_stored[0],
                 source->checksum_stored[1]);
    }
    NAIK_PASS(naik_h5_put_text(comm->log, group, "source_checksum", text));
    NAIK_PASS(naik_h5_put_text(comm->log, group, "source_verified", naik_gauge_verified(source)));
    return naik_h5_put_document(comm, group, "source_header", source->header_text);
}

/* What was said of the links, or else of those they came from; NULL where nothing was. */
static const char *said(const char *now, const char *before)
{
    return now != NULL ? now : before != NULL && before[0] != '\0' ? before : NULL;
}

static naik_status put_metadata(naik_comm *comm, hid_t file, const naik_gauge_meta *meta)
{
    naik_status status = NAIK_OK;
    char libraries[320];
    hid_t group = -1;
    naik_library_versions(libraries, sizeof libraries);
    NAIK_TRY(naik_h5_group(comm->log, file, "metadata", &group));
    NAIK_TRY(naik_h5_put_text(comm->log, group, "libraries", libraries));
    if (meta != NULL) {
        const naik_gauge_file *from = meta->source;
        const char *fixing = said(meta->gauge_fixing, from != NULL ? from->gauge_fixing : NULL);
        NAIK_TRY(naik_h5_put_text(comm->log, group, "ensemble",
                                  said(meta->ensemble, from != NULL ? from->ensemble : NULL)));
        const char *lfn = said(meta->lfn, from != NULL ? from->lfn : NULL);
        if (lfn != NULL) {
            NAIK_TRY(naik_h5_put_text(comm->log, group, "ildg_lfn", lfn));
        }
        if (fixing != NULL) {
            NAIK_TRY(naik_h5_put_text(comm->log, group, "gauge_fixing", fixing));
        }
        NAIK_TRY(put_source(comm, group, meta));
        NAIK_TRY(naik_h5_put_document(comm, group, "input_text", meta->input_text));
    }
done:
    naik_h5_release(group);
    return naik_comm_agree(comm, status);
}

static naik_status make(naik_comm *alone, void *data)
{
    const naik_h5_links_file *f = data;
    naik_log *log = alone->log;
    naik_status status = NAIK_OK;
    hid_t file = -1;
    NAIK_TRY(naik_h5_create(alone, f->path, &file));
    NAIK_TRY(naik_h5_put_identity(alone, file, NAIK_OWN_GAUGE));
    if (f->action != NULL) {
        NAIK_TRY(naik_h5_put_text(log, file, "action", f->action));
        NAIK_TRY(naik_h5_put_text(log, file, "boundary_t", f->boundary_t));
        NAIK_TRY(naik_h5_put_ints(log, file, "link_sets", &f->set_count, 0));
    }
    NAIK_TRY(put_metadata(alone, file, f->meta));
    for (int i = 0; i < f->count; i++) {
        const naik_h5_links *links = &f->links[i];
        NAIK_TRY(naik_h5_links_create(file, links->name, links->gauge->lattice, f->precision));
    }
done:
    return naik_h5_close_after(alone, status, &file);
}

static naik_status fill(naik_comm *comm, naik_h5_links_file *f)
{
    naik_status status = NAIK_OK;
    hid_t file = -1;
    NAIK_TRY(naik_h5_open(comm, f->path, true, &file));
    for (int i = 0; i < f->count; i++) {
        naik_h5_links *links = &f->links[i];
        NAIK_TRY(naik_h5_links_fill(file, links->name, links->gauge, f->precision, links->sum));
        if (strcmp(links->kind, "thin") == 0) {
            NAIK_TRY(naik_gauge_measure_stored(links->gauge, f->precision, 3, &links->checks));
        }
    }
    NAIK_TRY(naik_h5_flush(comm, file)); /* each node forces to disk what it wrote */
done:
    return naik_h5_close_after(comm, status, &file);
}

static naik_status put_set_attributes(naik_log *log, hid_t file, const naik_h5_links *links)
{
    naik_status status = NAIK_OK;
    hid_t dataset = H5Dopen2(file, links->name, H5P_DEFAULT);
    NAIK_H5_TRY(log, dataset, "opening the links");
    NAIK_TRY(naik_h5_put_f64(log, dataset, "naik_epsilon", &links->set->naik_epsilon, 0));
    NAIK_TRY(naik_h5_put_f64(log, dataset, "long_scale", &links->set->long_scale, 0));
    NAIK_TRY(naik_h5_put_i64(log, dataset, "svd_count", &links->set->svd_count, 0));
done:
    naik_h5_release(dataset);
    return status;
}

static naik_status describe(naik_comm *alone, void *data)
{
    const naik_h5_links_file *f = data;
    naik_log *log = alone->log;
    naik_status status = NAIK_OK;
    hid_t file = -1;
    NAIK_TRY(naik_h5_open(alone, f->path, true, &file));
    for (int i = 0; i < f->count; i++) {
        NAIK_TRY(naik_h5_links_put_description(log, file, &f->links[i], f->precision));
        if (f->links[i].set != NULL) {
            NAIK_TRY(put_set_attributes(log, file, &f->links[i]));
        }
    }
    NAIK_TRY(naik_h5_write_metadata_crc(alone, file));
    NAIK_TRY(naik_h5_put_text(log, file, "state", "complete"));
    NAIK_TRY(naik_h5_flush(alone, file));
done:
    return naik_h5_close_after(alone, status, &file);
}

naik_status naik_h5_links_file_write(naik_comm *comm, naik_h5_links_file *file)
{
    NAIK_PASS(naik_h5_by_rank_0(comm, make, file));
    NAIK_PASS(fill(comm, file));
    return naik_h5_by_rank_0(comm, describe, file);
}
