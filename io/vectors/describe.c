/* describe.c - a file of vectors of another code, for `naik info` */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "io/inspect.h"
#include "io/vectors/vector_io.h"

/* Reads every vector; what is damaged is told and no failure of the function. */
static naik_status verify(naik_comm *comm, const naik_vector_file *file, bool *intact)
{
    naik_status status = NAIK_OK;
    naik_lattice *lattice = NULL;
    double *vector = NULL; /* [sites][spin][3][2] */
    *intact = true;
    NAIK_TRY(naik_lattice_create(comm, file->size, NULL, &lattice));
    status = naik_alloc(comm->log, (size_t)file->spin * naik_lattice_vector_bytes(lattice),
                        "a vector", (void **)&vector);
    NAIK_TRY(naik_comm_agree(comm, status));
    for (int i = 0; i < file->count; i++) {
        for (int part = NAIK_VECTOR_SOLUTION; part <= (int)file->has_sources; part++) {
            status = naik_vector_file_read(file, lattice, (naik_vector_part)part, i, vector);
            if (status == NAIK_ERR_CORRUPT) {
                char text[1024];
                snprintf(text, sizeof text, "%s", naik_log_message(comm->log));
                naik_log_clear(comm->log);
                naik_log_warn(comm->log, "%s", text);
                *intact = false;
                status = NAIK_OK;
            }
            NAIK_TRY(status);
        }
    }
done:
    naik_free(vector);
    naik_lattice_destroy(&lattice);
    return status;
}

naik_status naik_describe_vectors(naik_comm *comm, const char *path, bool verified,
                                  naik_report *report, naik_status *verdict)
{
    naik_status status = NAIK_OK;
    naik_vector_file *file = NULL;
    bool intact = false;
    NAIK_TRY(naik_vector_file_open(comm, path, &file));
    naik_report_text(report, "kind",
                     file->whole ? "propagator of another code's format"
                                 : "vectors of another code's format");
    naik_report_text(report, "vector_format", file->format);
    naik_describe_size(file->size, report);
    naik_report_int(report, "precision", file->precision);
    naik_report_int(report, "spins", file->spin);
    naik_report_int(report, "vectors", file->count);
    naik_report_bool(report, "sources", file->has_sources);
    if (file->other_sources > 0) { /* of another kind than the solutions */
        naik_report_int(report, "other_sources", file->other_sources);
    }
    if (file->datatype[0] != '\0') {
        naik_report_text(report, "datatype", file->datatype);
    }
    if (file->basis[0] != '\0') {
        naik_report_text(report, "gamma_basis", file->basis);
    }
    naik_report_bool(report, "checksums", file->has_checksums);
    if (verified) {
        NAIK_TRY(verify(comm, file, &intact));
        naik_report_bool(report, "intact", intact);
        *verdict = intact ? *verdict : NAIK_ERR_CORRUPT;
    }
    if (file->text != NULL && file->text[0] != '\0') {
        naik_report_text(report, "header", file->text);
    }
done:
    naik_vector_file_close(&file);
    return status;
}
