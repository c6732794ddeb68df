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
#include "comm/new.h"
#include "io/files.h"
#include "io/output.h"
#include "io/vectors/field_write.h"
#include "io/vectors/vector_io.h"

struct naik_pair_writer {
    const naik_lattice *lattice;
    int spin, precision, pairs;
    int64_t used; /* bytes of the file so far */
    naik_output out;
};

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
    naik_lime_buffer head = {.used = 0};
    char text[1024];
    const naik_field_data field = {.lattice = w->lattice,
                                   .path = w->out.part,
                                   .type = "scidac-binary-data",
                                   .columns = v,
                                   .spin = w->spin,
                                   .count = 1,
                                   .bits = w->precision,
                                   .slice = slice};
    describe_record(w, slice, text, sizeof text);
    naik_lime_put_text(&head, "scidac-private-record-xml", NAIK_LIME_BEGIN, text);
    naik_lime_put_text(&head, "scidac-record-xml", 0, user);
    return naik_field_write(&field, &head, &w->used);
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
    naik_pair_writer *w = NULL;
    *out = NULL;
    if (precision != 32 && precision != 64) {
        return NAIK_FAIL(comm->log, NAIK_ERR_ARG, "vectors of %d bits cannot be written",
                         precision);
    }
    NAIK_TRY(naik_new(comm, sizeof *w, "a file's description", (void **)&w));
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

naik_status naik_pair_writer_finish(naik_pair_writer **writer)
{
    naik_pair_writer *w = *writer;
    NAIK_PASS(naik_field_verify(w->lattice, w->out.part, w->spin, w->pairs, true));
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
