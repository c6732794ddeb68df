/* ildg.c - configurations as ILDG files with the records of SciDAC around the data
 *
 * The order of records, their flags and the terminating NUL of every text are those that QIO
 * writes, so that its readers and ILDG's find what they look for.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "io/gauge/format.h"
#include "io/lime/lime_write.h"

static void put_descriptions(naik_lime_buffer *b, const naik_gauge_file *file,
                             const naik_gauge_checks *checks)
{
    char text[1024], date[64];
    const int *n = file->size;
    time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof date, "%a %b %e %H:%M:%S %Y UTC", gmtime_r(&now, &utc));
    snprintf(text, sizeof text,
             NAIK_XML_HEAD
             "<scidacFile><version>1.1</version><spacetime>4</spacetime><dims>%d %d %d %d "
             "</dims><volfmt>0</volfmt></scidacFile>",
             n[0], n[1], n[2], n[3]);
    naik_lime_put_text(b, "scidac-private-file-xml", NAIK_LIME_BEGIN, text);
    naik_lime_put_text(b, "scidac-file-xml", NAIK_LIME_END,
                       NAIK_XML_HEAD "<title>gauge configuration written by naik</title>");
    char letter = file->precision == 32 ? 'F' : 'D';
    snprintf(text, sizeof text,
             NAIK_XML_HEAD
             "<scidacRecord><version>1.1</version><date>%s</date><recordtype>0</recordtype>"
             "<datatype>QDP_%c3_ColorMatrix</datatype><precision>%c</precision>"
             "<colors>3</colors><spins>1</spins><typesize>%d</typesize><datacount>4</datacount></"
             "scidacRecord>",
             date, letter, letter, 18 * file->precision / 8);
    naik_lime_put_text(b, "scidac-private-record-xml", NAIK_LIME_BEGIN, text);
    snprintf(text, sizeof text,
             NAIK_XML_HEAD
             "<usqcdInfo><version>1.0</version><plaq>%.15e</plaq><linktr>%.15e</linktr>"
             "<info>written by naik</info></usqcdInfo>",
             checks->plaquette / 3, checks->link_trace);
    naik_lime_put_text(b, "scidac-record-xml", 0, text);
    snprintf(text, sizeof text,
             NAIK_XML_HEAD "<ildgFormat xmlns=\"http://www.lqcd.org/ildg\" "
                           "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
                           "xsi:schemaLocation=\"http://www.lqcd.org/ildg filefmt.xsd\">"
                           "<version>1.0</version><field>su3gauge</field><precision>%d</precision>"
                           "<lx>%d</lx><ly>%d</ly><lz>%d</lz><lt>%d</lt></ildgFormat>",
             file->precision, n[0], n[1], n[2], n[3]);
    naik_lime_put_text(b, "ildg-format", 0, text);
    /* Grid refuses a file without this record: one that has no name has an empty one. */
    naik_lime_put_text(b, "ildg-data-lfn", 0, file->lfn);
}

naik_status naik_ildg_write(const char *path, const naik_gauge *gauge,
                            const naik_gauge_checks *checks, naik_gauge_file *file)
{
    naik_comm *comm = gauge->lattice->comm;
    naik_lime_buffer head = {.used = 0}, tail = {.used = 0};
    char text[256];
    int64_t data_bytes = naik_gauge_file_volume(file) * 9 * file->precision;
    strcpy(file->format, "ildg");
    strcpy(file->byte_order, "big");
    file->rows = 3;
    put_descriptions(&head, file, checks);
    naik_lime_put_header(&head, "ildg-binary-data", 0, data_bytes);
    file->data_offset = (int64_t)head.used;
    NAIK_PASS(naik_file_put(comm, path, true, 0, head.bytes, head.used));
    NAIK_PASS(naik_gauge_write_flat(path, gauge, NAIK_SUM_USQCD, file));
    snprintf(text, sizeof text,
             NAIK_XML_HEAD "<scidacChecksum><version>1.0</version><suma>%x</suma><sumb>%x</sumb>"
                           "</scidacChecksum>",
             file->checksum_computed[0], file->checksum_computed[1]);
    naik_lime_put_text(&tail, "scidac-checksum", NAIK_LIME_END, text);
    /* Sites have a multiple of 8 bytes: no padding before the next record. */
    return naik_file_put(comm, path, false, file->data_offset + data_bytes, tail.bytes, tail.used);
}
