/* usqcd.c - vectors of other codes: their files recognised, and FNAL's staggered propagators
 *
 * All of them become a list of records that say where the vectors lie, so that one function reads
 * them all (read.c); lime_vectors.c makes the list of a LIME file.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/files.h"
#include "io/h5/h5.h"
#include "io/lime/lime.h"
#include "io/reread.h"
#include "io/vectors/records.h"

enum { FNAL_MAGIC = 0x71626434, FNAL_HEADER = 36, FNAL_SITE = 72 };

static int32_t word_at(const naik_file_head *head, int word, bool big)
{
    const unsigned char *b = head->bytes + 4 * word;
    uint32_t value = big ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
                         : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
    return (int32_t)value;
}

/* What the header says must be there, and perhaps zeros behind it. On rank 0. */
static naik_status check_fnal_length(naik_log *log, const naik_file_head *head,
                                     const naik_vector_file *file)
{
    const int *n = file->size;
    const int64_t needed = FNAL_HEADER + FNAL_SITE * (int64_t)n[0] * n[1] * n[2] * n[3];
    if (naik_file_size_fits(head, needed)) {
        return NAIK_OK;
    }
    return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                     "'%s' is %lld bytes long, but its header (%d %d %d %d) needs %lld", file->path,
                     (long long)head->size_bytes, n[0], n[1], n[2], n[3], (long long)needed);
}

/* Nine words: magic, time, 4, 18, x, y, z, t, order; then [T][Z][Y][X][source][sink]. */
static naik_status take_fnal(naik_log *log, const naik_file_head *head, naik_vector_file *file)
{
    if (head->length < FNAL_HEADER) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT, "'%s' ends within its FNAL header of %d bytes",
                         file->path, FNAL_HEADER);
    }
    const bool big = word_at(head, 0, true) == FNAL_MAGIC;
    if (word_at(head, 2, big) != 4 || word_at(head, 3, big) != 18 || word_at(head, 8, big) != 0) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "'%s' is an FNAL file with %d reals of %d bytes a site in order %d; only "
                         "18 of 4 bytes in order 0 are read",
                         file->path, word_at(head, 3, big), word_at(head, 2, big),
                         word_at(head, 8, big));
    }
    int64_t size[NAIK_DIM];
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        file->size[mu] = word_at(head, 4 + mu, big);
        size[mu] = file->size[mu];
    }
    const int *n = file->size;
    if (!naik_sites_possible(size)) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "'%s' has impossible extents in its FNAL header: %d %d %d %d", file->path,
                         n[0], n[1], n[2], n[3]);
    }
    strcpy(file->format, "fnal-ks");
    file->spin = 1;
    file->precision = 32;
    file->count = 3;
    for (int colour = 0; colour < 3; colour++) {
        naik_vector_record *r = &file->solution[colour];
        *r = (naik_vector_record){.offset = FNAL_HEADER,
                                  .element_bytes = FNAL_SITE,
                                  .first = 3 * colour,
                                  .colour_step = 1,
                                  .spin_step = 3,
                                  .bits = 32,
                                  .value = NAN,
                                  .big_endian = big};
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            r->upper[mu] = file->size[mu] - 1;
        }
    }
    return NAIK_OK;
}

static bool is_fnal(const naik_file_head *head)
{
    return head->length >= 4 &&
           (word_at(head, 0, true) == FNAL_MAGIC || word_at(head, 0, false) == FNAL_MAGIC);
}

naik_status naik_vector_file_recognise(naik_log *log, const char *path, bool *found)
{
    naik_status status = NAIK_OK;
    naik_file_head head = {0};
    naik_scidac_file *lime = NULL;
    *found = false;
    NAIK_TRY(naik_file_head_read(log, path, "the file", &head));
    *found = is_fnal(&head);
    if (naik_lime_recognise(head.bytes, (size_t)head.length)) {
        NAIK_TRY(naik_scidac_scan(log, path, &lime));
        for (int i = 0; i < lime->count; i++) {
            *found = *found || naik_field_holds_vectors(&lime->field[i]);
        }
    }
done:
    naik_scidac_close(&lime);
    return status;
}

bool naik_vector_file_begins(naik_log *log, const char *path)
{
    naik_file_head head = {0};
    const bool read = naik_file_head_read(log, path, "the file", &head) == NAIK_OK;
    naik_log_clear(log); /* whoever opens the file says it again */
    return read && (is_fnal(&head) || naik_lime_recognise(head.bytes, (size_t)head.length) ||
                    (naik_h5_begins(head.bytes, (size_t)head.length) &&
                     naik_qdp_propagator_is_in(log, path)));
}

static naik_status open_any(naik_comm *comm, naik_vector_file *file)
{
    naik_status status = NAIK_OK;
    naik_file_head head = {0};
    if (comm->rank == 0) {
        status = naik_file_head_read(comm->log, file->path, "the file of vectors", &head);
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    NAIK_PASS(naik_comm_broadcast(comm, &head, sizeof head, 0));
    if (naik_lime_recognise(head.bytes, (size_t)head.length)) {
        NAIK_PASS(naik_vectors_open_lime(comm, file));
    } else if (naik_h5_begins(head.bytes, (size_t)head.length)) {
        NAIK_PASS(naik_vectors_open_qdp(comm, file));
    } else if (is_fnal(&head)) {
        NAIK_PASS(naik_comm_agree(comm, naik_vectors_allocate(comm->log, 3, file)));
        NAIK_PASS(take_fnal(comm->log, &head, file));
        if (comm->rank == 0) {
            status = check_fnal_length(comm->log, &head, file);
        }
        NAIK_PASS(naik_comm_agree(comm, status));
    } else {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                           "'%s' is of no known format of vectors: SciDAC and USQCD vectors, "
                           "propagators of QDP++ and FNAL staggered propagators are read%s",
                           file->path, naik_file_wrapping(&head));
    }
    return status;
}

naik_status naik_vector_file_open(naik_comm *comm, const char *path, naik_vector_file **out)
{
    naik_status status = NAIK_OK;
    *out = NULL;
    naik_vector_file *file = calloc(1, sizeof *file);
    if (file != NULL) {
        file->flavours = 1;
        file->parity = -1;
        file->path = strdup(path);
    }
    if (file == NULL || file->path == NULL) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for a file's description");
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_file_verdict(comm, path, open_any(comm, file)));
    if (!file->has_sources) {
        free(file->source);
        file->source = NULL;
    }
    *out = file;
    file = NULL;
done:
    naik_vector_file_close(&file);
    return status;
}

void naik_vector_file_close(naik_vector_file **file)
{
    if (*file != NULL) {
        free((*file)->path);
        free((*file)->text);
        free((*file)->solution);
        free((*file)->source);
        naik_volumes_close(&(*file)->volumes);
        for (int i = 0; i < (*file)->other_count; i++) {
            free((*file)->others[i]);
        }
        free((*file)->others);
    }
    free(*file);
    *file = NULL;
}
