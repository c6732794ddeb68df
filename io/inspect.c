/* inspect.c - any file of naik's, and any gauge configuration, described from its content */
#include "io/inspect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/beside.h"
#include "io/files.h"
#include "io/h5/guard.h"
#include "io/h5/metadata_crc.h"
#include "io/links/dataset.h"
#include "io/reread.h"
#include "io/vectors/qdp.h"
#include "io/vectors/vector_io.h"

static void describe_field(const naik_gauge_file *file, bool verified, naik_report *report)
{
    char text[64];
    if (file->lfn[0] != '\0') {
        naik_report_text(report, "ildg_lfn", file->lfn);
    }
    naik_report_int(report, "precision", file->precision);
    naik_report_text(report, "byte_order", file->byte_order);
    naik_report_text(report, "checksum_kind", file->checksum_kind);
    if (file->checksum_known) {
        snprintf(text, sizeof text, "%x %x", file->checksum_stored[0], file->checksum_stored[1]);
        naik_report_text(report, "checksum_stored", text);
    }
    if (verified) {
        snprintf(text, sizeof text, "%x %x", file->checksum_computed[0],
                 file->checksum_computed[1]);
        naik_report_text(report, "checksum_computed", text);
    }
    if (!isnan(file->plaquette_stored)) {
        naik_report_real(report, "plaquette_stored", file->plaquette_stored);
    }
    if (!isnan(file->link_trace_stored)) {
        naik_report_real(report, "link_trace_stored", file->link_trace_stored);
    }
}

/* Links that an input takes as action.file or action.long_file. */
static bool action_links(const naik_gauge_verdict *found)
{
    return found->kind == NAIK_LINKS_LONG || found->kind == NAIK_LINKS_FAT;
}

static const char *kind_text(const naik_gauge_verdict *found)
{
    return found->kind == NAIK_LINKS_LONG  ? "long links of another code"
           : found->kind == NAIK_LINKS_FAT ? "fat links of another code"
                                           : "gauge configuration";
}

static naik_status describe_gauge(naik_comm *comm, const char *path, bool verify,
                                  naik_report *report, naik_status *verdict)
{
    naik_status status = NAIK_OK;
    naik_gauge_file file = {0};
    naik_lattice *lattice = NULL;
    naik_gauge *gauge = NULL;
    naik_gauge_checks checks;
    naik_gauge_verdict found = {.kind = NAIK_LINKS_THIN};
    NAIK_TRY(naik_gauge_file_probe(comm, path, &file));
    if (verify) {
        int size[NAIK_DIM];
        memcpy(size, file.size, sizeof size);
        naik_gauge_file_clear(&file);
        NAIK_TRY(naik_lattice_create(comm, size, NULL, &lattice));
        NAIK_TRY(naik_gauge_create(lattice, &gauge));
        NAIK_TRY(naik_gauge_file_read(path, gauge, &file));
        NAIK_TRY(naik_gauge_measure(gauge, &checks));
        NAIK_TRY(naik_gauge_judge(gauge, &file, &checks, 0, &found));
    }
    naik_report_text(report, "kind", kind_text(&found));
    naik_report_text(report, "gauge_format", file.format);
    naik_describe_size(file.size, report);
    describe_field(&file, verify && file.checksum_known, report);
    if (verify) {
        naik_report_real(report, "plaquette", checks.plaquette);
        naik_report_real(report, "link_trace", checks.link_trace);
        naik_report_real(report, "max_unitarity_dev", checks.max_unitarity_dev);
        naik_report_bool(report, "intact", found.status != NAIK_ERR_CORRUPT);
        if (found.count > 0 && !action_links(&found)) {
            naik_log_warn(comm->log, "'%s' %s: %s", path, found.what, found.text);
            *verdict = found.status;
        }
    }
    if (file.header_text != NULL && file.header_text[0] != '\0') {
        naik_report_text(report, "header", file.header_text);
    }
done:
    naik_gauge_destroy(&gauge);
    naik_lattice_destroy(&lattice);
    naik_gauge_file_clear(&file);
    return status;
}

static naik_status describe_links_dataset(naik_comm *comm, hid_t h5, const char *path,
                                          const char *name, const naik_lattice *lattice,
                                          naik_report *report, naik_status *verdict)
{
    naik_gauge_file file = {0};
    double epsilon = NAN;
    hid_t dataset = -1;
    NAIK_PASS(naik_comm_agree(comm, naik_h5_links_describe(comm->log, h5, name, path, &file)));
    if (lattice != NULL) {
        NAIK_PASS(naik_h5_links_read(h5, name, lattice, NULL, &file));
    }
    naik_report_begin(report, NULL);
    naik_report_text(report, "dataset", name);
    dataset = H5Dopen2(h5, name, H5P_DEFAULT);
    if (naik_h5_get_f64(dataset, "naik_epsilon", &epsilon, 0)) {
        naik_report_real(report, "naik_epsilon", epsilon);
    }
    naik_h5_release(dataset);
    describe_field(&file, lattice != NULL, report);
    if (lattice != NULL) {
        naik_report_bool(report, "intact", file.checksum_ok);
        *verdict = file.checksum_ok ? *verdict : NAIK_ERR_CORRUPT;
    }
    naik_report_end(report);
    return NAIK_OK;
}

static naik_status describe_links(naik_comm *comm, hid_t h5, const char *path, bool verify,
                                  naik_report *report, naik_status *verdict)
{
    static const char *const kinds[2] = {"fat", "long"};
    naik_status status = NAIK_OK;
    naik_lattice *lattice = NULL; /* where the links are to be verified */
    naik_gauge_file first = {0};
    int64_t sets = 0;
    naik_report_text(report, "kind", "fat and long links");
    naik_describe_identity(h5, report);
    naik_h5_get_i64(h5, "link_sets", &sets, 0);
    NAIK_TRY(naik_comm_broadcast(comm, &sets, sizeof sets, 0));
    status = naik_h5_links_describe(comm->log, h5, "fat", path, &first);
    NAIK_TRY(naik_comm_agree(comm, status));
    naik_describe_size(first.size, report);
    if (verify) {
        NAIK_TRY(naik_lattice_create(comm, first.size, NULL, &lattice));
    }
    naik_report_list(report, "links");
    for (int set = 0; set < sets && set < 10000; set++) {
        for (int k = 0; k < 2; k++) {
            char name[32];
            snprintf(name, sizeof name, "set%04d/%s", set, kinds[k]);
            if (set == 0) {
                snprintf(name, sizeof name, "%s", kinds[k]);
            }
            int there = k == 0 || H5Lexists(h5, name, H5P_DEFAULT) > 0;
            NAIK_TRY(naik_comm_broadcast(comm, &there, sizeof there, 0));
            if (!there) {
                continue;
            }
            NAIK_TRY(describe_links_dataset(comm, h5, path, name, lattice, report, verdict));
        }
    }
    naik_report_end(report);
    NAIK_TRY(naik_comm_agree(comm, naik_describe_metadata(comm->log, h5, report)));
done:
    naik_lattice_destroy(&lattice);
    return status;
}

typedef enum kind {
    KIND_OTHER,
    KIND_PROPAGATORS,
    KIND_LINKS,
    KIND_MODES,
    KIND_MULTIGRID,
    KIND_VECTORS,
    KIND_QDP
} kind;

/* Rank 0 looks: what kind of file is it. A file of naik gets its state last: in making it has none. */
static naik_status find_kind(naik_log *log, const char *path, bool in_making, kind *out)
{
    naik_file_head head;
    char format[32] = "", state[32] = "";
    int64_t sets;
    hid_t h5 = -1;
    *out = KIND_OTHER;
    if (naik_file_head_read(log, path, "the file", &head) != NAIK_OK) {
        naik_log_clear(log); /* the readers of configurations say what is wrong */
    }
    if (!naik_h5_begins(head.bytes, (size_t)head.length)) {
        bool vectors = false;
        naik_status found =
            head.length > 0 ? naik_vector_file_recognise(log, path, &vectors) : NAIK_OK;
        *out = vectors ? KIND_VECTORS : KIND_OTHER;
        if (found != NAIK_OK && found != NAIK_ERR_MEMORY) {
            naik_log_clear(log); /* likewise */
            found = NAIK_OK;
        }
        return found;
    }
    NAIK_PASS(naik_h5_open_alone(log, path, &h5));
    naik_h5_get_text(h5, "format", format, sizeof format);
    naik_h5_get_text(h5, "state", state, sizeof state);
    bool links = naik_h5_get_i64(h5, "link_sets", &sets, 0);
    naik_h5_array array = {.dataset = -1, .memory = -1};
    const bool qdp = format[0] == '\0' && naik_qdp_propagator_open(h5, &array) > 0;
    naik_h5_array_close(&array);
    H5Fclose(h5);
    *out = strcmp(format, "naik-prop") == 0             ? KIND_PROPAGATORS
           : strcmp(format, "naik-modes") == 0          ? KIND_MODES
           : strcmp(format, "naik-multigrid") == 0      ? KIND_MULTIGRID
           : strcmp(format, "naik-gauge") == 0 && links ? KIND_LINKS
           : qdp                                        ? KIND_QDP
                                                        : KIND_OTHER;
    return in_making && state[0] == '\0'
               ? NAIK_FAIL(log, NAIK_ERR_CORRUPT, "'%s' has no state yet", path)
               : NAIK_OK;
}

/* PATH, or PATH.part where there is no PATH. */
static naik_status choose_path(naik_comm *comm, const char *path, char chosen[NAIK_PATH_MAX])
{
    int64_t bytes = -1, part_bytes = -1;
    NAIK_PASS(naik_path_append(comm->log, path, ".part", chosen));
    NAIK_PASS(naik_file_size(comm, path, &bytes));
    NAIK_PASS(naik_file_size(comm, chosen, &part_bytes));
    if (bytes >= 0) {
        NAIK_PASS(naik_path_append(comm->log, path, "", chosen));
    } else if (part_bytes < 0) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT, "there is no file '%s'%s", path,
                         naik_file_in_parts(path));
    }
    return NAIK_OK;
}

/* Whether attributes and texts are as naik wrote them. */
static naik_status describe_metadata_crc(naik_comm *comm, hid_t h5, const char *path,
                                         naik_report *report, naik_status *verdict)
{
    naik_status status = naik_h5_check_metadata_crc(comm->log, h5, path);
    int32_t whole = status == NAIK_OK;
    NAIK_PASS(naik_comm_agree(comm, status == NAIK_ERR_CORRUPT ? NAIK_OK : status));
    if (whole == 0) {
        char text[NAIK_PATH_MAX];
        snprintf(text, sizeof text, "%s", naik_log_message(comm->log));
        naik_log_clear(comm->log);
        naik_log_warn(comm->log, "%s", text);
    }
    NAIK_PASS(naik_comm_broadcast(comm, &whole, sizeof whole, 0));
    naik_report_bool(report, "attributes_intact", whole != 0);
    if (whole == 0) {
        *verdict = NAIK_ERR_CORRUPT;
    }
    return NAIK_OK;
}

naik_status naik_file_describe(naik_comm *comm, const char *path, bool verify, naik_report *report,
                               naik_status *verdict)
{
    naik_status status = NAIK_OK;
    char chosen[NAIK_PATH_MAX];
    kind kind = KIND_OTHER;
    hid_t h5 = -1;
    bool in_making = false;
    naik_h5_guard guard;
    *verdict = NAIK_OK;
    chosen[0] = '\0';
    naik_h5_guard_begin(&guard);
    NAIK_TRY(choose_path(comm, path, chosen));
    in_making = comm->rank == 0 && naik_beside_in_making(chosen);
    NAIK_TRY(naik_comm_broadcast(comm, &in_making, sizeof in_making, 0));
    if (comm->rank == 0) {
        status = find_kind(comm->log, chosen, in_making, &kind);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_comm_broadcast(comm, &kind, sizeof kind, 0));
    naik_report_text(report, "file", chosen);
    if (kind == KIND_OTHER) {
        NAIK_TRY(describe_gauge(comm, chosen, verify, report, verdict));
        goto done;
    }
    if (kind == KIND_VECTORS) {
        NAIK_TRY(naik_describe_vectors(comm, chosen, verify, report, verdict));
        goto done;
    }
    NAIK_TRY(naik_h5_open_stored(comm, chosen, &h5));
    if (kind == KIND_QDP) {
        NAIK_TRY(naik_describe_qdp_propagator(comm, h5, chosen, verify, report, verdict));
        goto done;
    }
    if (kind == KIND_LINKS) {
        NAIK_TRY(describe_links(comm, h5, chosen, verify, report, verdict));
    } else if (kind == KIND_MODES) {
        NAIK_TRY(naik_describe_modes(comm, h5, chosen, verify, report, verdict));
    } else if (kind == KIND_MULTIGRID) {
        NAIK_TRY(naik_describe_multigrid(comm, h5, chosen, verify, report, verdict));
    } else {
        NAIK_TRY(naik_describe_propagators(comm, h5, chosen, verify, report, verdict));
    }
    NAIK_TRY(describe_metadata_crc(comm, h5, chosen, report, verdict));
done:
    status = naik_file_verdict(comm, chosen, status);
    if (status == NAIK_OK && *verdict == NAIK_ERR_CORRUPT) {
        status = naik_file_reread(comm, chosen, 0, -1);
    }
    if (kind != KIND_OTHER && kind != KIND_VECTORS) {
        status = naik_h5_read_verdict(comm->log, status);
    }
    status = naik_beside_explain(comm->log, chosen, in_making, status);
    naik_h5_close(comm, &h5);
    naik_h5_guard_end(&guard);
    return status;
}
