/* grid_write.c - a propagator as Grid's ScidacWriter writes it
 *
 * Grid's ScidacReader looks for its records in this order, which is not that of QIO: grid-format,
 * scidac-record-xml, scidac-private-record-xml, ildg-binary-data, scidac-checksum. It takes what it
 * does not find in the XML of the user as empty.
 */
#include <stdio.h>
#include <time.h>

#include "io/files.h"
#include "io/output.h"
#include "io/vectors/field_write.h"
#include "io/vectors/vector_io.h"

typedef struct writing {
    naik_field_data field;
    int64_t used; /* bytes of the file so far */
    naik_output out;
} writing;

/* The user's own XML of file and record: that of a program that has none. */
static void put_user(naik_lime_buffer *b, const char *type, int flags, const char *info)
{
    char text[4096];
    snprintf(text, sizeof text,
             NAIK_XML_HEAD
             "<emptyUserRecord><dummy>0</dummy><info>%.2000s</info></emptyUserRecord>",
             info);
    naik_lime_put_text(b, type, flags, text);
}

static naik_status begin(writing *w, const char *info)
{
    naik_lime_buffer head = {.used = 0};
    const int *n = w->field.lattice->size;
    char text[512];
    snprintf(text, sizeof text,
             NAIK_XML_HEAD "<scidacFile><version>1</version><spacetime>4</spacetime><dims>%d %d "
                           "%d %d</dims><volfmt>0</volfmt></scidacFile>",
             n[0], n[1], n[2], n[3]);
    naik_lime_put_text(&head, "scidac-private-file-xml", NAIK_LIME_BEGIN, text);
    put_user(&head, "scidac-file-xml", NAIK_LIME_END, info);
    NAIK_PASS(naik_file_put(w->field.lattice->comm, w->out.part, true, 0, head.bytes, head.used));
    w->used = (int64_t)head.used;
    return NAIK_OK;
}

/* grid-format: all members of Grid's FieldMetaData, as Grid fills them for a field that is no
 * configuration, whatever its boundary. */
static void put_format(const writing *w, const char *date, naik_lime_buffer *head)
{
    const int *n = w->field.lattice->size;
    char text[2048];
    snprintf(text, sizeof text,
             NAIK_XML_HEAD
             "<FieldMetaData><nd>4</nd><dimension><elem>%d</elem><elem>%d</elem><elem>%d</elem>"
             "<elem>%d</elem></dimension><boundary><elem>PERIODIC</elem><elem>PERIODIC</elem>"
             "<elem>PERIODIC</elem><elem>PERIODIC</elem></boundary><data_start>0</data_start>"
             "<hdr_version></hdr_version><storage_format></storage_format><link_trace>0"
             "</link_trace><plaquette>0</plaquette><checksum>0</checksum><scidac_checksuma>0"
             "</scidac_checksuma><scidac_checksumb>0</scidac_checksumb><sequence_number>0"
             "</sequence_number><data_type></data_type><ensemble_id></ensemble_id>"
             "<ensemble_label></ensemble_label><ildg_lfn></ildg_lfn><creator>naik</creator>"
             "<creator_hardware></creator_hardware><creation_date>%s</creation_date>"
             "<archive_date>%s</archive_date><floating_point>IEEE%dBIG</floating_point>"
             "</FieldMetaData>",
             n[0], n[1], n[2], n[3], date, date, w->field.bits);
    naik_lime_put_text(head, "grid-format", NAIK_LIME_BEGIN, text);
}

static naik_status write_matrix(writing *w, const char *info)
{
    const naik_field_data *field = &w->field;
    naik_lime_buffer head = {.used = 0};
    const char letter = field->bits == 32 ? 'F' : 'D';
    char date[64], text[1024];
    time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof date, "%a %b %e %H:%M:%S %Y UTC", gmtime_r(&now, &utc));
    put_format(w, date, &head);
    put_user(&head, "scidac-record-xml", 0, info);
    snprintf(text, sizeof text,
             NAIK_XML_HEAD
             "<scidacRecord><version>1</version><date>%s</date><recordtype>0</recordtype>"
             "<datatype>GRID_%c%s_ColourMatrix3</datatype><precision>%c</precision><colors>3"
             "</colors><spins>%d</spins><typesize>%d</typesize><datacount>1</datacount>"
             "</scidacRecord>",
             date, letter, field->spin > 1 ? "_SpinMatrix4" : "", letter, field->spin,
             6 * field->spin * field->count * field->bits / 8);
    naik_lime_put_text(&head, "scidac-private-record-xml", 0, text);
    return naik_field_write(field, &head, &w->used);
}

naik_status naik_grid_propagator_write(const naik_lattice *lattice, const char *path, int spin,
                                       int precision, const char *info, const double *columns)
{
    naik_status status = NAIK_OK;
    writing w = {.field = {.lattice = lattice,
                           .type = "ildg-binary-data",
                           .columns = columns,
                           .spin = spin,
                           .count = 3 * spin,
                           .bits = precision,
                           .slice = -1}};
    const int64_t bytes = lattice->volume * 18 * spin * spin * precision / 8 + (1 << 16);
    NAIK_PASS(naik_field_check(lattice->comm->log, true, spin, precision));
    NAIK_TRY(naik_output_begin(lattice->comm, path, bytes, &w.out));
    w.field.path = w.out.part;
    NAIK_TRY(begin(&w, info));
    NAIK_TRY(write_matrix(&w, info));
    NAIK_TRY(naik_field_verify(lattice, w.out.part, spin, w.field.count, false));
    NAIK_TRY(naik_output_publish(&w.out));
done:
    naik_output_abandon(&w.out);
    return status;
}
