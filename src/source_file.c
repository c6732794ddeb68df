/* source_file.c - vectors of other codes as sources: looked at, identified, read */
#include "source_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "naik/checksum.h"
#include "naik/memory.h"
#include "naik/vector_io.h"

static naik_status look_at(const naik_lattice *lattice, int solve, const char *path)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = lattice->comm;
    naik_vector_file *file = NULL;
    NAIK_TRY(naik_vector_file_open(comm, path, &file));
    NAIK_TRY(naik_lattice_expect(lattice, path, file->size));
    if (file->count < 3) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                           "'%s' holds %d vectors, but a source needs one for each of 3 colours",
                           path, file->count);
        goto done;
    }
    naik_log_line(comm->log, "sources of solve.%d: %s, %s, %d bit, %s", solve, path, file->format,
                  file->precision,
                  file->has_checksums ? "checksums in the file" : "no checksum in the file");
done:
    naik_vector_file_close(&file);
    return status;
}

naik_status source_file_look(const naik_lattice *lattice, const naik_input *input)
{
    naik_status status = NAIK_OK;
    for (int i = 0; i < input->solve_count && status == NAIK_OK; i++) {
        if (input->solve[i].source.type == NAIK_SOURCE_FILE) {
            status = look_at(lattice, i, input->solve[i].source_file);
        }
    }
    return status;
}

/* suma and sumb of v [sites][3][2]. Collective. */
static naik_status checksum(const naik_lattice *lattice, const double *v, uint32_t sum[2])
{
    uint32_t mine[2] = {0, 0};
    for (int32_t site = 0; site < lattice->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lattice, site, x);
        naik_checksum_usqcd(mine, naik_lattice_global(lattice, x), 1, v + 6 * (int64_t)site,
                            6 * sizeof *v);
    }
    uint64_t both = (uint64_t)mine[1] << 32 | mine[0];
    naik_status status = naik_comm_xor_u64(lattice->comm, &both, 1);
    sum[0] = (uint32_t)both;
    sum[1] = (uint32_t)(both >> 32);
    return status;
}

/* The sums of one colour as source_file_identity wrote them; false where it wrote none. */
static bool find_sums(const char *identity, int solve, int colour, uint32_t sum[2])
{
    for (const char *line = identity; line != NULL; line = strchr(line, '\n')) {
        unsigned int all[6];
        int number = -1;
        line += *line == '\n';
        if (sscanf(line, "solve.%d.source.file holds suma/sumb %x %x, %x %x, %x %x", &number,
                   &all[0], &all[1], &all[2], &all[3], &all[4], &all[5]) == 7 &&
            number == solve) {
            sum[0] = all[2 * colour];
            sum[1] = all[2 * colour + 1];
            return true;
        }
    }
    return false;
}

/* Hours may lie between two readings of a file that was identified once. */
static naik_status expect(const naik_lattice *lattice, const char *path, const uint32_t then[2],
                          const double *v)
{
    naik_status status = NAIK_OK;
    uint32_t now[2];
    NAIK_TRY(checksum(lattice, v, now));
    if (memcmp(now, then, sizeof now) != 0) {
        status =
            NAIK_FAIL(lattice->comm->log, NAIK_ERR_INPUT,
                      "'%s' was replaced while this run was at work: then suma/sumb %x %x, now "
                      "%x %x: put the former back and run again",
                      path, then[0], then[1], now[0], now[1]);
    }
done:
    return status;
}

naik_status source_file_read(const naik_lattice *lattice, const naik_input *input, int solve,
                             int colour, const char *identity, double *out)
{
    naik_status status = NAIK_OK;
    const char *path = input->solve[solve].source_file;
    naik_vector_file *file = NULL;
    uint32_t then[2];
    NAIK_TRY(naik_vector_file_open(lattice->comm, path, &file));
    NAIK_TRY(naik_vector_file_read(
        file, lattice, file->has_sources ? NAIK_VECTOR_SOURCE : NAIK_VECTOR_SOLUTION, colour, out));
    if (find_sums(identity, solve, colour, then)) {
        NAIK_TRY(expect(lattice, path, then, out));
    }
done:
    naik_vector_file_close(&file);
    return status;
}

static naik_status identify(const naik_lattice *lattice, const naik_input *input, double *v,
                            FILE *out)
{
    naik_status status = NAIK_OK;
    for (int i = 0; i < input->solve_count; i++) {
        uint32_t sum[3][2];
        if (input->solve[i].source.type != NAIK_SOURCE_FILE) {
            continue;
        }
        for (int colour = 0; colour < 3; colour++) {
            NAIK_TRY(source_file_read(lattice, input, i, colour, NULL, v));
            NAIK_TRY(checksum(lattice, v, sum[colour]));
        }
        fprintf(out, "solve.%d.source.file holds suma/sumb %x %x, %x %x, %x %x\n", i, sum[0][0],
                sum[0][1], sum[1][0], sum[1][1], sum[2][0], sum[2][1]);
    }
done:
    return status;
}

static bool any_file(const naik_input *input)
{
    for (int i = 0; i < input->solve_count; i++) {
        if (input->solve[i].source.type == NAIK_SOURCE_FILE) {
            return true;
        }
    }
    return false;
}

naik_status source_file_identity(const naik_lattice *lattice, const naik_input *input, char **text)
{
    naik_comm *comm = lattice->comm;
    naik_status status = NAIK_OK;
    void *v = NULL;
    size_t length = 0;
    FILE *out = NULL;
    *text = NULL;
    if (!any_file(input)) {
        return NAIK_OK;
    }
    NAIK_TRY(source_file_look(lattice, input));
    status = naik_alloc(comm->log, (size_t)lattice->sites * 6 * sizeof(double), "a source", &v);
    out = open_memstream(text, &length);
    if (status == NAIK_OK && out == NULL) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for the identity of sources");
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(identify(lattice, input, v, out));
done:
    naik_free(v);
    if (out != NULL && fclose(out) != 0 && status == NAIK_OK) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for the identity of sources");
    }
    if (status != NAIK_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}
