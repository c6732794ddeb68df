/* part.c - a file of modes around its vectors: made and described by rank 0, read again by all */
#include "io/modes/part.h"

#include <stdlib.h>
#include <string.h>

#include "comm/collective.h"
#include "io/checksum.h"
#include "io/files.h"
#include "io/h5/metadata_crc.h"
#include "io/h5/numbers.h"
#include "io/modes/vectors.h"
#include "io/provenance.h"
#include "io/reread.h"

bool naik_modes_has_products(const naik_lanczos_state *state)
{
    return state->size > state->kept + NAIK_MODES_BLOCK;
}

static bool searching(const naik_modes_part *p)
{
    return p->about.state.size > 0;
}

static bool has_products(const naik_modes_part *p)
{
    return searching(p) && naik_modes_has_products(&p->about.state);
}

naik_status naik_modes_part_fill_in(const naik_geometry *geometry, const naik_modes *modes,
                                    const naik_modes_about *about, naik_modes_part *out)
{
    *out = (naik_modes_part){.geometry = geometry,
                             .about = *about,
                             .count = modes != NULL ? modes->count : about->state.size,
                             .block = modes != NULL ? modes->block : about->state.basis};
    out->about.bricks = about->bricks && modes != NULL; /* a search is kept as it is */
    const size_t bytes = (size_t)out->count * sizeof(double);
    out->sum = calloc((size_t)out->count + 1, sizeof *out->sum);
    out->value = malloc(bytes + 1);
    out->residual = modes != NULL ? malloc(bytes + 1) : NULL;
    if (out->sum == NULL || out->value == NULL || (modes != NULL && out->residual == NULL)) {
        return NAIK_FAIL(geometry->backend->log, NAIK_ERR_MEMORY, "no memory to describe %d modes",
                         out->count);
    }
    memcpy(out->value, modes != NULL ? modes->lambda2 : about->state.ritz, bytes);
    if (modes != NULL) {
        memcpy(out->residual, modes->residual, bytes);
    }
    return NAIK_OK;
}

void naik_modes_part_clear(naik_modes_part *part)
{
    free(part->sum);
    free(part->value);
    free(part->residual);
}

static naik_status make(naik_comm *alone, void *data)
{
    naik_status status = NAIK_OK;
    naik_modes_part *p = data;
    const naik_mode_form form = naik_mode_form_of(p->geometry->lattice, p->about.bricks);
    const int *size = form.array.size;
    const hsize_t dims[5] = {(hsize_t)p->count, (hsize_t)size[3], (hsize_t)size[2],
                             (hsize_t)size[1], (hsize_t)size[0]};
    hid_t file = -1, vectors = -1, real = naik_h5_real(64);
    hid_t vector = naik_mode_form_type(form.bricks);
    NAIK_TRY(naik_h5_create(alone, p->path, &file));
    NAIK_TRY(
        naik_h5_put_identity(alone, file, form.bricks ? NAIK_OWN_MODES_BRICKS : NAIK_OWN_MODES));
    NAIK_TRY(naik_h5_put_text(alone->log, file, "state", "incomplete"));
    NAIK_TRY(naik_h5_dataset(alone->log, file, "modes/v", vector, 5, dims, NULL, &vectors));
    p->offset = (int64_t)H5Dget_offset(vectors);
    NAIK_TRY(naik_h5_numbers_make(alone->log, file, "modes/lambda2", real, dims[0]));
    NAIK_TRY(naik_h5_numbers_make(alone->log, file, "modes/residual", real, dims[0]));
    NAIK_TRY(naik_h5_numbers_make(alone->log, file, "modes/suma", H5T_STD_U32LE, dims[0]));
    NAIK_TRY(naik_h5_numbers_make(alone->log, file, "modes/sumb", H5T_STD_U32LE, dims[0]));
    const hsize_t products = 2 * dims[0] * dims[0];
    if (has_products(p)) {
        NAIK_TRY(naik_h5_numbers_make(alone->log, file, "modes/t", real, products));
    }
done:
    naik_h5_release(vectors);
    naik_h5_release(vector);
    naik_h5_release(real);
    return naik_h5_close_after(alone, status, &file);
}

static naik_status put_numbers(naik_log *log, hid_t file, naik_modes_part *p)
{
    naik_status status = NAIK_OK;
    const size_t n = (size_t)p->count;
    double *zeros = calloc(n, sizeof *zeros);
    uint32_t *word = calloc(n, sizeof *word);
    static const char *const names[2] = {"modes/suma", "modes/sumb"};
    if (zeros == NULL || word == NULL) {
        status = NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory to describe %d modes", p->count);
        goto done;
    }
    NAIK_TRY(
        naik_h5_numbers_put(log, file, "modes/lambda2", H5T_NATIVE_DOUBLE, p->count, p->value));
    NAIK_TRY(naik_h5_numbers_put(log, file, "modes/residual", H5T_NATIVE_DOUBLE, p->count,
                                 p->residual != NULL ? p->residual : zeros));
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < n; i++) {
            word[i] = p->sum[i][k];
        }
        NAIK_TRY(naik_h5_numbers_put(log, file, names[k], H5T_NATIVE_UINT32, p->count, word));
    }
done:
    free(zeros);
    free(word);
    return status;
}

/* T without what its rows have room for, and its checksum. */
static naik_status put_products(naik_log *log, hid_t file, naik_modes_part *p)
{
    naik_status status = NAIK_OK;
    const naik_lanczos_state *s = &p->about.state;
    const size_t n = (size_t)p->count;
    naik_complex *t = malloc(n * n * sizeof *t);
    if (t == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the products of %d vectors",
                         p->count);
    }
    for (size_t i = 0; i < n; i++) {
        memcpy(t + i * n, s->t + i * (size_t)s->krylov, n * sizeof *t);
    }
    const int64_t sum = naik_crc32(t, n * n * sizeof *t);
    NAIK_TRY(
        naik_h5_numbers_put(log, file, "modes/t", H5T_NATIVE_DOUBLE, 2 * p->count * p->count, t));
    NAIK_TRY(naik_h5_put_i64(log, file, "t_crc", &sum, 0));
done:
    free(t);
    return status;
}

static naik_status put_attributes(naik_log *log, hid_t file, naik_modes_part *p)
{
    const naik_modes_about *a = &p->about;
    const struct {
        const char *name;
        double value;
    } reals[] = {{"naik_epsilon", a->naik_epsilon},
                 {"tolerance", a->tolerance},
                 {"gram_deviation", a->gram},
                 {"interval_low", searching(p) ? a->state.low : a->report.low},
                 {"interval_high", searching(p) ? a->state.high : a->report.high}};
    const struct {
        const char *name;
        int64_t value;
    } whole[] = {{"seed", (int64_t)a->seed},
                 {"block", NAIK_MODES_BLOCK},
                 {"degree", searching(p) ? a->state.degree : a->report.degree},
                 {"krylov", a->report.krylov},
                 {"search_links", searching(p) ? a->state.links : a->report.links},
                 {"cycles", searching(p) ? a->state.cycle : a->report.cycles},
                 {"starts", searching(p) ? a->state.starts : a->report.starts},
                 {"kept", a->state.kept},
                 {"size", a->state.size},
                 {"random_blocks", a->state.randoms},
                 {"converged", searching(p) ? a->state.converged : a->report.converged},
                 {"applications", searching(p) ? a->state.applications : a->report.applications},
                 {"fat_suma", a->fat[0]},
                 {"fat_sumb", a->fat[1]},
                 {"long_suma", a->far[0]},
                 {"long_sumb", a->far[1]},
                 {"lambda2_crc", naik_crc32(p->value, (size_t)p->count * sizeof *p->value)},
                 {"residual_crc", p->residual != NULL
                                      ? naik_crc32(p->residual, (size_t)p->count * sizeof(double))
                                      : 0}};
    NAIK_PASS(naik_h5_put_ints(log, file, "dims", p->geometry->lattice->size, NAIK_DIM));
    NAIK_PASS(naik_h5_put_text(log, file, "parity", "even"));
    NAIK_PASS(naik_h5_put_text(log, file, "action", a->action));
    NAIK_PASS(naik_h5_put_text(log, file, "boundary_t", a->boundary_t));
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        NAIK_PASS(naik_h5_put_f64(log, file, reals[i].name, &reals[i].value, 0));
    }
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        NAIK_PASS(naik_h5_put_i64(log, file, whole[i].name, &whole[i].value, 0));
    }
    return NAIK_OK;
}

static naik_status describe(naik_comm *alone, void *data)
{
    naik_status status = NAIK_OK;
    naik_modes_part *p = data;
    hid_t file = -1;
    NAIK_TRY(naik_h5_open(alone, p->path, true, &file));
    NAIK_TRY(put_numbers(alone->log, file, p));
    if (has_products(p)) {
        NAIK_TRY(put_products(alone->log, file, p));
    }
    NAIK_TRY(put_attributes(alone->log, file, p));
    NAIK_TRY(naik_h5_write_metadata_crc(alone, file));
    NAIK_TRY(naik_h5_set_text(alone->log, file, "state", searching(p) ? "searching" : "complete"));
    NAIK_TRY(naik_h5_flush(alone, file));
done:
    return naik_h5_close_after(alone, status, &file);
}

naik_status naik_modes_part_begin(naik_modes_part *p, const char *path, naik_output *out)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = p->geometry->lattice->comm;
    const bool replaced = comm->io.replace;
    const naik_mode_form form = naik_mode_form_of(p->geometry->lattice, p->about.bricks);
    const int64_t bytes = naik_mode_form_file_bytes(&form) * p->count;
    comm->io.replace = replaced || searching(p);
    NAIK_TRY(naik_output_begin(comm, path, bytes + (1 << 20), out));
    p->path = out->part;
    NAIK_TRY(naik_h5_by_rank_0(comm, make, p));
    NAIK_TRY(naik_comm_broadcast(comm, &p->offset, sizeof p->offset, 0));
done:
    comm->io.replace = replaced;
    return status;
}

/* What was written beside the vectors, once more from the disk. */
static naik_status verify_numbers(naik_log *log, hid_t file, const naik_modes_part *p)
{
    naik_status status = NAIK_OK;
    naik_modes_spectrum found = {.count = 0};
    bool same = true;
    NAIK_TRY(naik_modes_spectrum_get(log, file, p->path, &found));
    same = found.count == p->count;
    for (int i = 0; same && i < p->count; i++) {
        same = found.suma[i] == p->sum[i][0] && found.sumb[i] == p->sum[i][1];
    }
    if (!same) {
        status = naik_h5_reads_otherwise(log, p->path);
    }
done:
    naik_modes_spectrum_clear(&found);
    return status;
}

/* Vectors 0, step, 2 step, ... and all that is beside them once more from the disk. */
static naik_status verify(const naik_modes_part *p, int step)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = p->geometry->lattice->comm;
    hid_t file = -1;
    naik_mode_vectors vectors = {.dataset = -1, .type = -1};
    NAIK_TRY(naik_h5_open(comm, p->path, false, &file));
    NAIK_TRY(
        naik_h5_confirm_metadata(comm, file, p->path, searching(p) ? "searching" : "complete"));
    NAIK_TRY(naik_comm_agree(comm, verify_numbers(comm->log, file, p)));
    NAIK_TRY(naik_mode_vectors_open(p->geometry->lattice, file, &vectors));
    for (int i = 0; i < p->count; i += step) {
        uint32_t sum[2];
        NAIK_TRY(naik_mode_vector_read(&vectors, NULL, i, sum));
        if (memcmp(sum, p->sum[i], sizeof sum) != 0) {
            status =
                NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT, "mode %d of '%s' is damaged", i, p->path);
            goto done;
        }
    }
done:
    naik_mode_vectors_close(&vectors);
    naik_h5_close(comm, &file);
    return status;
}

naik_status naik_modes_part_finish(naik_modes_part *p, naik_output *out, bool through_h5)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = p->geometry->lattice->comm;
    const bool replaced = comm->io.replace;
    const int step = through_h5 || p->count < 2 ? 1 : p->count - 1;
    comm->io.replace = replaced || searching(p);
    if (!through_h5) {
        NAIK_TRY(naik_comm_xor_u64(comm, (uint64_t *)p->sum, p->count));
    }
    NAIK_TRY(naik_h5_by_rank_0(comm, describe, p));
    NAIK_TRY(naik_write_verdict(comm->log, p->path, verify(p, step)));
    NAIK_TRY(naik_output_publish(out));
done:
    comm->io.replace = replaced;
    return status;
}
