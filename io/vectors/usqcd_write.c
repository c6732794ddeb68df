/* usqcd_write.c - propagators as USQCD source-solution pairs
 *
 * The order of records, their flags and texts are those of QIO and of the USQCD convention: per
 * colour, or spin and colour, a source, as the sub-volume of its one time slice where it has only one, then the solution
 * on the whole lattice, each with its checksum. The file is read again before it gets its name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "comm/collective.h"
#include "io/files.h"
#include "io/lime/lime_write.h"
#include "io/output.h"
#include "io/reread.h"
#include "io/site_sums.h"
#include "io/sites.h"
#include "io/vectors/vector_io.h"

struct naik_pair_writer {
    const naik_lattice *lattice;
    int spin, precision, pairs;
    int64_t used; /* bytes of the file so far */
    naik_output out;
};

typedef struct writing {
    const naik_lattice *lattice;
    const double *in;
    int reals; /* of a site */
    int lower[NAIK_DIM], bits, site_bytes;
    naik_site_sums *sums;
} writing;

static void give_row(void *context, const naik_sites_row *row)
{
    writing *w = context;
    int x[NAIK_DIM];
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        x[mu] = w->lower[mu] + row->coord[mu] - w->lattice->origin[mu];
    }
    naik_reals_encode(w->in + (int64_t)w->reals * naik_lattice_site(w->lattice, x),
                      (int64_t)w->reals * row->count, w->bits, true, row->bytes);
    /* Also in a part of the lattice, a site counts by its number in the whole. */
    naik_site_sums_add(w->sums, naik_lattice_global(w->lattice, x), row->count, row->bytes);
}

/* The one time slice outside of which the vector is zero; -1 where there is none such. */
static naik_status find_slice(const naik_lattice *lattice, int reals, const double *v, int *slice)
{
    double last[2] = {-1, -1}; /* of -t and t: the first and the last slice that is not zero */
    last[0] = -(double)lattice->size[3];
    for (int64_t i = 0; i < (int64_t)reals * lattice->sites; i++) {
        if (v[i] != 0) {
            int x[NAIK_DIM];
            naik_lattice_coords(lattice, (int32_t)(i / reals), x);
            const double t = x[3] + lattice->origin[3];
            last[0] = last[0] < -t ? -t : last[0];
            last[1] = last[1] < t ? t : last[1];
        }
    }
    NAIK_PASS(naik_comm_max_f64(lattice->comm, last, 2));
    *slice = last[1] >= 0 && -last[0] == last[1] ? (int)last[1] : -1;
    return NAIK_OK;
}

/* Private XML of one vector, on the slice or, with -1, on the whole lattice. */
static void describe_record(const naik_pair_writer *w, int slice, char *text, size_t text_size)
{
    const int *n = w->lattice->size;
    const char letter = w->precision == 32 ? 'F' : 'D';
    const char *kind = w->spin > 1 ? "DiracFermion" : "ColorVector";
    char date[64], part[256] = "<recordtype>0</recordtype>", spins[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof date, "%a %b %e %H:%M:%S %Y UTC", gmtime_r(&now, &utc));
    if (slice >= 0) {
        snprintf(part, sizeof part,
                 "<recordtype>2</recordtype><spacetime>4</spacetime><hyperlower>0 0 0 %d "
                 "</hyperlower><hyperupper>%d %d %d %d </hyperupper>",
                 slice, n[0] - 1, n[1] - 1, n[2] - 1, slice);
    }
    if (w->spin > 1) {
        snprintf(spins, sizeof spins, "<spins>%d</spins>", w->spin);
    }
    snprintf(text, text_size,
             NAIK_XML_HEAD
             "<scidacRecord><version>1.1</version><date>%s</date>%s<datatype>USQCD_%c3_%s"
             "</datatype><precision>%c</precision><colors>3</colors>%s<typesize>%d</typesize>"
             "<datacount>1</datacount></scidacRecord>",
             date, part, letter, kind, letter, spins, 6 * w->spin * w->precision / 8);
}

/* One vector: its texts, its data, its checksum. */
static naik_status write_vector(naik_pair_writer *w, const double *v, int slice, const char *user)
{
    naik_comm *comm = w->lattice->comm;
    naik_status status = NAIK_OK;
    naik_lime_buffer head = {.used = 0}, tail = {.used = 0};
    char text[1024];
    uint32_t sum[2];
    writing data = {.lattice = w->lattice, .in = v, .reals = 6 * w->spin, .bits = w->precision};
    int upper[NAIK_DIM];
    int64_t sites = 1;
    data.site_bytes = data.reals * w->precision / 8;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        const bool cut = mu == 3 && slice >= 0;
        data.lower[mu] = cut ? slice : 0;
        upper[mu] = cut ? slice : w->lattice->size[mu] - 1;
        sites *= upper[mu] - data.lower[mu] + 1;
    }
    describe_record(w, slice, text, sizeof text);
    naik_lime_put_text(&head, "scidac-private-record-xml", NAIK_LIME_BEGIN, text);
    naik_lime_put_text(&head, "scidac-record-xml", 0, user);
    naik_lime_put_header(&head, "scidac-binary-data", 0, sites * data.site_bytes);
    NAIK_TRY(naik_file_put(comm, w->out.part, false, w->used, head.bytes, head.used));
    w->used += (int64_t)head.used;
    naik_sites_box box =
        naik_sites_of_part(w->lattice, w->used, data.site_bytes, data.lower, upper);
    NAIK_TRY(naik_site_sums_create(comm, data.site_bytes, &data.sums));
    NAIK_TRY(naik_sites_write(comm, w->out.part, &box, give_row, &data));
    w->used += sites * data.site_bytes; /* of 8 bytes each at least: no padding */
    NAIK_TRY(naik_site_sums_combine(data.sums, sum));
    snprintf(text, sizeof text,
             NAIK_XML_HEAD "<scidacChecksum><version>1.0</version><suma>%x</suma><sumb>%x</sumb>"
                           "</scidacChecksum>",
             sum[0], sum[1]);
    naik_lime_put_text(&tail, "scidac-checksum", NAIK_LIME_END, text);
    NAIK_TRY(naik_file_put(comm, w->out.part, false, w->used, tail.bytes, tail.used));
    w->used += (int64_t)tail.used;
done:
    naik_site_sums_destroy(&data.sums);
    return status;
}

static naik_status begin(naik_pair_writer *w, const char *path, const char *info)
{
    naik_comm *comm = w->lattice->comm;
    naik_lime_buffer head = {.used = 0};
    const int *n = w->lattice->size;
    char text[4096];
    const char *tag = w->spin > 1 ? "usqcdPropFile" : "usqcdKSPropFile";
    const int64_t bytes = 2 * 3 * w->lattice->volume * 6 * w->spin * w->spin * w->precision / 8;
    NAIK_PASS(naik_output_begin(comm, path, bytes, &w->out));
    snprintf(text, sizeof text,
             NAIK_XML_HEAD "<scidacFile><version>1.1</version><spacetime>4</spacetime><dims>%d %d "
                           "%d %d </dims><volfmt>0</volfmt></scidacFile>",
             n[0], n[1], n[2], n[3]);
    naik_lime_put_text(&head, "scidac-private-file-xml", NAIK_LIME_BEGIN, text);
    snprintf(text, sizeof text,
             NAIK_XML_HEAD "<%s><version>1.0</version><type>"
                           "USQCD_%s_Source_Sink_Pairs</type><info>%.2000s</info></%s>",
             tag, w->spin > 1 ? "DiracFermion" : "ColorVector", info, tag);
    naik_lime_put_text(&head, "scidac-file-xml", NAIK_LIME_END, text);
    NAIK_PASS(naik_file_put(comm, w->out.part, true, 0, head.bytes, head.used));
    w->used = (int64_t)head.used;
    return NAIK_OK;
}

naik_status naik_pair_writer_create(const naik_lattice *lattice, const char *path, int spin,
                                    int precision, const char *info, naik_pair_writer **out)
{
    naik_comm *comm = lattice->comm;
    naik_status status = NAIK_OK;
    naik_pair_writer *w = calloc(1, sizeof *w);
    *out = NULL;
    if (w == NULL) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for a file's description");
    } else if (precision != 32 && precision != 64) {
        status =
            NAIK_FAIL(comm->log, NAIK_ERR_ARG, "vectors of %d bits cannot be written", precision);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    w->lattice = lattice;
    w->spin = spin;
    w->precision = precision;
    NAIK_TRY(begin(w, path, info));
    *out = w;
    w = NULL;
done:
    naik_pair_writer_abandon(&w);
    return status;
}

naik_status naik_pair_writer_add(naik_pair_writer *w, const double *source, const double *solution,
                                 const char *source_info)
{
    char text[1024];
    int slice = -1;
    NAIK_PASS(find_slice(w->lattice, 6 * w->spin, source, &slice));
    snprintf(text, sizeof text,
             NAIK_XML_HEAD "<usqcdSourceInfo><version>1.0</version><info>%.400s</info>"
                           "</usqcdSourceInfo>",
             source_info);
    NAIK_PASS(write_vector(w, source, slice, text));
    if (w->spin > 1) {
        snprintf(text, sizeof text,
                 NAIK_XML_HEAD "<usqcdPropInfo><version>1.0</version><spin>%d</spin><color>%d"
                               "</color><info></info></usqcdPropInfo>",
                 w->pairs / 3, w->pairs % 3);
    } else {
        snprintf(text, sizeof text,
                 NAIK_XML_HEAD "<usqcdKSPropInfo><version>1.0</version><color>%d</color><info>"
                               "</info></usqcdKSPropInfo>",
                 w->pairs);
    }
    NAIK_PASS(write_vector(w, solution, -1, text));
    w->pairs++;
    return NAIK_OK;
}

/* Every vector once more, against its checksum. */
static naik_status read_again(const naik_pair_writer *w)
{
    naik_comm *comm = w->lattice->comm;
    naik_status status = NAIK_OK;
    naik_vector_file *file = NULL;
    double *v = malloc((size_t)w->spin * naik_lattice_vector_bytes(w->lattice));
    if (v == NULL) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory to verify '%s'", w->out.part);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_vector_file_open(comm, w->out.part, &file));
    if (file->count != w->pairs || file->spin != w->spin || !file->has_sources ||
        !file->has_checksums) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT, "'%s' holds %d pairs of %d", w->out.part,
                           file->count, w->pairs);
        goto done;
    }
    for (int i = 0; i < file->count; i++) {
        NAIK_TRY(naik_vector_file_read(file, w->lattice, NAIK_VECTOR_SOURCE, i, v));
        NAIK_TRY(naik_vector_file_read(file, w->lattice, NAIK_VECTOR_SOLUTION, i, v));
    }
done:
    naik_vector_file_close(&file);
    free(v);
    return status;
}

naik_status naik_pair_writer_finish(naik_pair_writer **writer)
{
    naik_pair_writer *w = *writer;
    NAIK_PASS(naik_write_verdict(w->lattice->comm->log, w->out.part, read_again(w)));
    NAIK_PASS(naik_output_publish(&w->out));
    free(w);
    *writer = NULL;
    return NAIK_OK;
}

void naik_pair_writer_abandon(naik_pair_writer **writer)
{
    if (*writer != NULL) {
        naik_output_abandon(&(*writer)->out);
    }
    free(*writer);
    *writer = NULL;
}
