/* formats.c - the table of gauge configuration formats, and who parses what where */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/gauge/format.h"
#include "io/h5/guard.h"
#include "io/h5/h5.h"
#include "io/reread.h"
#include "io/vectors/vector_io.h"

/* In the order in which they are asked; the sharpest recognisers first. */
static const naik_gauge_format *const formats[] = {
    &naik_gauge_format_lime,    &naik_gauge_format_pyquda, &naik_gauge_format_qdp,
    &naik_gauge_format_h5,      &naik_gauge_format_milc,   &naik_gauge_format_nersc,
    &naik_gauge_format_openqcd,
};
enum { FORMATS = sizeof formats / sizeof *formats, MAX_HEADER_TEXT = 1 << 20 };

/* What a file is that holds no configuration, as far as its first bytes tell; "": nobody knows. */
static const char *name_other(naik_log *log, const naik_file_head *head)
{
    const char *wrapping = naik_file_wrapping(head);
    return wrapping[0] == '\0' && naik_vector_file_begins(log, head->path)
               ? ": it holds a staggered propagator of FNAL"
               : wrapping;
}

/* Rank 0: which format, or -1 with a sentence. */
static naik_status find_format(naik_log *log, const naik_file_head *head, int *index)
{
    for (*index = 0; *index < FORMATS; ++*index) {
        if (formats[*index]->recognise(head)) {
            return NAIK_OK;
        }
    }
    if (head->size_bytes == 0) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s' is empty", head->path);
    }
    return NAIK_FAIL(log, NAIK_ERR_INPUT,
                     "'%s' is no gauge configuration in a known format (MILC v5, SciDAC or ILDG "
                     "LIME, NERSC, openQCD, HDF5 of naik, QDP++ or PyQUDA)%s",
                     head->path, name_other(log, head));
}

static naik_status examine(naik_log *log, const char *path, naik_gauge_file *file, int *index)
{
    naik_file_head head = {0};
    naik_h5_guard guard;
    naik_status status = NAIK_OK;
    NAIK_PASS(naik_file_head_read(log, path, "the gauge configuration", &head));
    const bool hdf5 = naik_h5_begins(head.bytes, (size_t)head.length);
    if (hdf5) {
        naik_h5_guard_begin(&guard);
    }
    NAIK_TRY(find_format(log, &head, index));
    NAIK_TRY(formats[*index]->probe(log, &head, file));
done:
    if (hdf5) {
        naik_h5_guard_end(&guard);
    }
    return status;
}

static naik_status share(naik_comm *comm, naik_gauge_file *file, int *index)
{
    naik_status status = NAIK_OK;
    char *text = file->header_text; /* a pointer of rank 0 means nothing elsewhere */
    int64_t length = text != NULL ? (int64_t)strnlen(text, MAX_HEADER_TEXT) : -1;
    NAIK_PASS(naik_comm_broadcast(comm, index, sizeof *index, 0));
    NAIK_PASS(naik_comm_broadcast(comm, file, sizeof *file, 0));
    file->header_text = text;
    NAIK_PASS(naik_comm_broadcast(comm, &length, sizeof length, 0));
    if (length < 0) {
        return status;
    }
    if (comm->rank != 0) {
        file->header_text = calloc(1, (size_t)length + 1);
    }
    if (file->header_text == NULL) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for a file's header");
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    NAIK_PASS(naik_comm_broadcast(comm, file->header_text, (size_t)length, 0));
    file->header_text[length] = '\0';
    return NAIK_OK;
}

static naik_status probe(naik_comm *comm, const char *path, const int *extents,
                         naik_gauge_file *file, int *index)
{
    naik_status status = NAIK_OK;
    memset(file, 0, sizeof *file);
    file->plaquette_stored = file->link_trace_stored = NAN;
    strcpy(file->checksum_kind, "none");
    file->rows = 3;
    *index = 0;
    if (extents != NULL) {
        memcpy(file->size, extents, sizeof file->size);
    }
    if (comm->rank == 0) {
        status = examine(comm->log, path, file, index);
    }
    NAIK_TRY(naik_file_verdict(comm, path, status));
    NAIK_TRY(share(comm, file, index));
done:
    if (status != NAIK_OK) {
        naik_gauge_file_clear(file);
    }
    return status;
}

naik_status naik_gauge_file_probe(naik_comm *comm, const char *path, naik_gauge_file *out)
{
    return naik_gauge_file_probe_sized(comm, path, NULL, out);
}

naik_status naik_gauge_file_probe_sized(naik_comm *comm, const char *path,
                                        const int extents[NAIK_DIM], naik_gauge_file *out)
{
    int index;
    return probe(comm, path, extents, out, &index);
}

naik_status naik_gauge_file_read(const char *path, naik_gauge *gauge, naik_gauge_file *file)
{
    const naik_lattice *lattice = gauge->lattice;
    int index;
    NAIK_PASS(probe(lattice->comm, path, lattice->size, file, &index));
    naik_status status = naik_lattice_expect(lattice, path, file->size);
    if (status == NAIK_OK) {
        naik_h5_guard guard;
        bool hdf5 = strstr(file->format, "hdf5") != NULL;
        if (hdf5) {
            naik_h5_guard_begin(&guard);
        }
        status = formats[index]->read(path, gauge, file);
        if (hdf5) {
            status = naik_h5_read_verdict(lattice->comm->log, status);
        }
        status = naik_file_verdict(lattice->comm, path, status);
        if (hdf5) {
            naik_h5_guard_end(&guard);
        }
    }
    if (status == NAIK_OK && !file->checksum_ok) { /* wrong, or not in the file */
        status = naik_file_reread(lattice->comm, path, 0, -1);
    }
    if (status != NAIK_OK) {
        naik_gauge_file_clear(file);
    }
    return status;
}
