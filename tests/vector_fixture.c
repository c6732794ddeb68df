/* vector_fixture.c - files of vectors as other codes write them */
#include "vector_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/checksum.h"
#include "io/sites.h"

double vector_number(int64_t site, int i, int index)
{
    return 0.25 * (double)(6 * site + i) - 7 * index;
}

static void put_record(FILE *file, const char *type, const void *data, size_t bytes)
{
    unsigned char header[144] = {0x45, 0x67, 0x89, 0xab, 0, 1}, zero[8] = {0};
    for (int i = 0; i < 8; i++) {
        header[15 - i] = (unsigned char)((uint64_t)bytes >> 8 * i);
    }
    snprintf((char *)header + 16, 128, "%s", type);
    fwrite(header, 1, sizeof header, file);
    fwrite(data, 1, bytes, file);
    fwrite(zero, 1, (8 - bytes % 8) % 8, file);
}

static void put_text(FILE *file, const char *type, const char *text)
{
    put_record(file, type, text, strlen(text));
}

/* One vector with all its records; a source lies on one time slice. */
static void put_vector(FILE *file, const int size[4], int index, int bits, bool source,
                       bool with_sum)
{
    const int slice = size[0] * size[1] * size[2];
    const int64_t first = source ? VECTOR_SLICE_T * slice : 0;
    const int count = source ? slice : slice * size[3], site_bytes = 6 * bits / 8;
    unsigned char *data = malloc((size_t)count * (size_t)site_bytes);
    char xml[512], part[128];
    snprintf(part, sizeof part,
             "<hyperlower>0 0 0 %d</hyperlower><hyperupper>%d %d %d %d</hyperupper>",
             VECTOR_SLICE_T, size[0] - 1, size[1] - 1, size[2] - 1, VECTOR_SLICE_T);
    snprintf(xml, sizeof xml,
             "<scidacRecord><recordtype>%d</recordtype>%s<precision>%c</precision>"
             "<colors>3</colors><typesize>%d</typesize><datacount>1</datacount></scidacRecord>",
             source ? 2 : 0, source ? part : "", bits == 32 ? 'F' : 'D', site_bytes);
    put_text(file, "scidac-private-record-xml", xml);
    put_text(file, "scidac-record-xml", source ? "<usqcdSourceInfo>" : "<usqcdKSPropInfo>");
    for (int site = 0; site < count; site++) {
        double v[6];
        for (int i = 0; i < 6; i++) {
            v[i] = vector_number(first + site, i, source ? 100 + index : index);
        }
        naik_reals_encode(v, 6, bits, true, data + site * site_bytes);
    }
    put_record(file, "scidac-binary-data", data, (size_t)count * (size_t)site_bytes);
    uint32_t sum[2] = {0, 0};
    naik_checksum_usqcd(sum, first, count, data, site_bytes);
    snprintf(xml, sizeof xml, "<scidacChecksum><suma>%x</suma><sumb>%x</sumb></scidacChecksum>",
             sum[0], sum[1]);
    if (with_sum) {
        put_text(file, "scidac-checksum", xml);
    }
    free(data);
}

void vector_write_lime(naik_comm *comm, const char *path, const int size[4], int count, int bits,
                       bool pairs, bool with_sum)
{
    if (comm->rank == 0) {
        FILE *file = fopen(path, "wb");
        char xml[128];
        snprintf(xml, sizeof xml,
                 "<scidacFile><spacetime>4</spacetime><dims>%d %d %d %d</dims><volfmt>0</volfmt>"
                 "</scidacFile>",
                 size[0], size[1], size[2], size[3]);
        put_text(file, "scidac-private-file-xml", xml);
        for (int i = 0; i < count; i++) {
            if (pairs) {
                put_vector(file, size, i, bits, true, with_sum);
            }
            put_vector(file, size, i, bits, false, with_sum);
        }
        fclose(file);
    }
    naik_comm_barrier(comm);
}

void vector_write_fnal(naik_comm *comm, const char *path, const int size[4], bool big)
{
    if (comm->rank == 0) {
        FILE *file = fopen(path, "wb");
        const int volume = size[0] * size[1] * size[2] * size[3];
        const uint32_t word[9] = {0x71626434,
                                  12345,
                                  4,
                                  18,
                                  (uint32_t)size[0],
                                  (uint32_t)size[1],
                                  (uint32_t)size[2],
                                  (uint32_t)size[3],
                                  0};
        for (int i = 0; i < 9; i++) {
            for (int b = 0; b < 4; b++) {
                fputc((int)(word[i] >> 8 * (big ? 3 - b : b) & 0xff), file);
            }
        }
        for (int site = 0; site < volume; site++) {
            for (int colour = 0; colour < 3; colour++) {
                double v[6];
                unsigned char bytes[24];
                for (int i = 0; i < 6; i++) {
                    v[i] = vector_number(site, i, colour);
                }
                naik_reals_encode(v, 6, 32, big, bytes);
                fwrite(bytes, 1, sizeof bytes, file);
            }
        }
        fclose(file);
    }
    naik_comm_barrier(comm);
}
