/* write.c - a file of modes: made by rank 0, filled by all, described by rank 0, read again */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/checksum.h"
#include "io/h5/metadata_crc.h"
#include "io/modes/modes_file.h"
#include "io/modes/vectors.h"
#include "io/output.h"
#include "io/provenance.h"
#include "io/reread.h"
#include "io/site_sums.h"

typedef struct job {
    const naik_geometry *geometry;
    const char *part;
    const naik_modes_about *about;
    int count;
    naik_field *const *block;
    const double *value, *residual; /* [count], [count] or NULL */
    uint32_t (*sum)[2];             /* [count] */
    bool products;                  /* of a search in the middle of a cycle */
} job;

bool naik_modes_has_products(const naik_lanczos_state *state)
{
    return state->size > state->kept + NAIK_MODES_BLOCK;
}

static bool searching(const job *j)
{
    return j->about->state.size > 0;
}

static naik_status sums_of(const naik_gauge *links, uint32_t out[2])
{
    return naik_site_sums_of(links->lattice, links->link, 4 * (int64_t)sizeof(naik_matrix), out);
}

naik_status naik_modes_identify_links(const naik_fatlong *links, naik_modes_about *about)
{
    naik_status status = NAIK_OK;
    NAIK_TRY(sums_of(links->fat, about->fat));
    about->far[0] = about->far[1] = 0;
    if (links->long_links != NULL) {
        NAIK_TRY(sums_of(links->long_links, about->far));
    }
done:
    return status;
}

static naik_status make_dataset(naik_log *log, hid_t file, const char *name, hid_t type, int rank,
                                const hsize_t *dims)
{
    hid_t dataset = -1;
    const naik_status status = naik_h5_dataset(log, file, name, type, rank, dims, NULL, &dataset);
    naik_h5_release(dataset);
    return status;
}

static naik_status make(naik_comm *alone, void *data)
{
    naik_status status = NAIK_OK;
    const job *j = data;
    const int *size = j->geometry->lattice->size;
    const hsize_t dims[5] = {(hsize_t)j->count, (hsize_t)size[3], (hsize_t)size[2],
                             (hsize_t)size[1], (hsize_t)size[0] / 2};
    hid_t file = -1, vector = naik_h5_tensor(32, 1), real = naik_h5_real(64);
    NAIK_TRY(naik_h5_create(alone, j->part, NULL, &file));
    NAIK_TRY(naik_h5_put_identity(alone, file, NAIK_OWN_MODES));
    NAIK_TRY(naik_h5_put_text(alone->log, file, "state", "incomplete"));
    NAIK_TRY(make_dataset(alone->log, file, "modes/v", vector, 5, dims));
    NAIK_TRY(make_dataset(alone->log, file, "modes/lambda2", real, 1, dims));
    NAIK_TRY(make_dataset(alone->log, file, "modes/residual", real, 1, dims));
    NAIK_TRY(make_dataset(alone->log, file, "modes/suma", H5T_STD_U32LE, 1, dims));
    NAIK_TRY(make_dataset(alone->log, file, "modes/sumb", H5T_STD_U32LE, 1, dims));
    const hsize_t products = 2 * dims[0] * dims[0];
    if (j->products) {
        NAIK_TRY(make_dataset(alone->log, file, "modes/t", real, 1, &products));
    }
done:
    naik_h5_release(vector);
    naik_h5_release(real);
    return naik_h5_close_after(alone, status, &file);
}

static naik_status fill(const job *j)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = j->geometry->lattice->comm;
    hid_t file = -1;
    naik_mode_vectors vectors = {.dataset = -1, .type = -1};
    NAIK_TRY(naik_h5_open(comm, j->part, true, NULL, &file));
    NAIK_TRY(naik_mode_vectors_open(j->geometry->lattice, file, &vectors));
    for (int i = 0; i < j->count; i++) {
        NAIK_TRY(naik_mode_vector_write(&vectors, j->block, i, j->sum[i]));
    }
done:
    naik_mode_vectors_close(&vectors);
    return naik_h5_close_after(comm, status, &file);
}

static naik_status put_array(naik_log *log, hid_t file, const char *name, hid_t type, int count,
                             const void *data)
{
    naik_status status = NAIK_OK;
    const hsize_t start = 0, all = (hsize_t)count;
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    NAIK_H5_TRY(log, dataset, "opening what is known of modes");
    NAIK_TRY(naik_h5_write_part(log, dataset, type, &start, &all, data));
done:
    naik_h5_release(dataset);
    return status;
}

static naik_status put_numbers(naik_log *log, hid_t file, const job *j)
{
    naik_status status = NAIK_OK;
    const size_t n = (size_t)j->count;
    double *zeros = calloc(n, sizeof *zeros);
    uint32_t *word = calloc(n, sizeof *word);
    static const char *const names[2] = {"modes/suma", "modes/sumb"};
    if (zeros == NULL || word == NULL) {
        status = NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory to describe %d modes", j->count);
        goto done;
    }
    NAIK_TRY(put_array(log, file, "modes/lambda2", H5T_NATIVE_DOUBLE, j->count, j->value));
    NAIK_TRY(put_array(log, file, "modes/residual", H5T_NATIVE_DOUBLE, j->count,
                       j->residual != NULL ? j->residual : zeros));
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < n; i++) {
            word[i] = j->sum[i][k];
        }
        NAIK_TRY(put_array(log, file, names[k], H5T_NATIVE_UINT32, j->count, word));
    }
done:
    free(zeros);
    free(word);
    return status;
}

/* T without what its rows have room for, and its checksum. */
static naik_status put_products(naik_log *log, hid_t file, const job *j)
{
    naik_status status = NAIK_OK;
    const naik_lanczos_state *s = &j->about->state;
    const size_t n = (size_t)j->count;
    naik_complex *t = malloc(n * n * sizeof *t);
    if (t == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the products of %d vectors",
                         j->count);
    }
    for (size_t i = 0; i < n; i++) {
        memcpy(t + i * n, s->t + i * (size_t)s->krylov, n * sizeof *t);
    }
    const int64_t sum = naik_crc32(t, n * n * sizeof *t);
    NAIK_TRY(put_array(log, file, "modes/t", H5T_NATIVE_DOUBLE, 2 * j->count * j->count, t));
    NAIK_TRY(naik_h5_put_i64(log, file, "t_crc", &sum, 0));
done:
    free(t);
    return status;
}

static naik_status put_attributes(naik_log *log, hid_t file, const job *j)
{
    naik_status status = NAIK_OK;
    const naik_modes_about *a = j->about;
    const struct {
        const char *name;
        double value;
    } reals[] = {{"naik_epsilon", a->naik_epsilon},
                 {"tolerance", a->tolerance},
                 {"gram_deviation", a->gram},
                 {"interval_low", searching(j) ? a->state.low : a->report.low},
                 {"interval_high", searching(j) ? a->state.high : a->report.high}};
    const struct {
        const char *name;
        int64_t value;
    } whole[] = {{"seed", (int64_t)a->seed},
                 {"block", NAIK_MODES_BLOCK},
                 {"degree", searching(j) ? a->state.degree : a->report.degree},
                 {"krylov", a->report.krylov},
                 {"cycles", searching(j) ? a->state.cycle : a->report.cycles},
                 {"starts", searching(j) ? a->state.starts : a->report.starts},
                 {"kept", a->state.kept},
                 {"size", a->state.size},
                 {"random_blocks", a->state.randoms},
                 {"converged", searching(j) ? a->state.converged : a->report.converged},
                 {"applications", searching(j) ? a->state.applications : a->report.applications},
                 {"fat_suma", a->fat[0]},
                 {"fat_sumb", a->fat[1]},
                 {"long_suma", a->far[0]},
                 {"long_sumb", a->far[1]},
                 {"lambda2_crc", naik_crc32(j->value, (size_t)j->count * sizeof *j->value)},
                 {"residual_crc", j->residual != NULL
                                      ? naik_crc32(j->residual, (size_t)j->count * sizeof(double))
                                      : 0}};
    NAIK_TRY(naik_h5_put_ints(log, file, "dims", j->geometry->lattice->size, NAIK_DIM));
    NAIK_TRY(naik_h5_put_text(log, file, "parity", "even"));
    NAIK_TRY(naik_h5_put_text(log, file, "action", a->action));
    NAIK_TRY(naik_h5_put_text(log, file, "boundary_t", a->boundary_t));
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        NAIK_TRY(naik_h5_put_f64(log, file, reals[i].name, &reals[i].value, 0));
    }
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        NAIK_TRY(naik_h5_put_i64(log, file, whole[i].name, &whole[i].value, 0));
    }
done:
    return status;
}

static naik_status describe(naik_comm *alone, void *data)
{
    naik_status status = NAIK_OK;
    const job *j = data;
    hid_t file = -1;
    NAIK_TRY(naik_h5_open(alone, j->part, true, NULL, &file));
    NAIK_TRY(put_numbers(alone->log, file, j));
    if (j->products) {
        NAIK_TRY(put_products(alone->log, file, j));
    }
    NAIK_TRY(put_attributes(alone->log, file, j));
    NAIK_TRY(naik_h5_write_metadata_crc(alone, file));
    NAIK_TRY(naik_h5_set_text(alone->log, file, "state", searching(j) ? "searching" : "complete"));
    NAIK_TRY(naik_h5_flush(alone, file));
done:
    return naik_h5_close_after(alone, status, &file);
}

/* Every byte once more from the disk. */
static naik_status verify(const job *j)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = j->geometry->lattice->comm;
    hid_t file = -1;
    naik_mode_vectors vectors = {.dataset = -1, .type = -1};
    NAIK_TRY(naik_h5_open(comm, j->part, false, NULL, &file));
    NAIK_TRY(naik_mode_vectors_open(j->geometry->lattice, file, &vectors));
    for (int i = 0; i < j->count; i++) {
        uint32_t sum[2];
        NAIK_TRY(naik_mode_vector_read(&vectors, NULL, i, sum));
        if (sum[0] != j->sum[i][0] || sum[1] != j->sum[i][1]) {
            status =
                NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT, "mode %d of '%s' is damaged", i, j->part);
            goto done;
        }
    }
done:
    naik_mode_vectors_close(&vectors);
    naik_h5_close(comm, &file);
    return status;
}

naik_status naik_modes_file_write(const naik_geometry *geometry, const char *path,
                                  const naik_modes *modes, const naik_modes_about *about)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = geometry->lattice->comm;
    const bool replaced = comm->io.replace;
    naik_output out = {.lock = NULL};
    job j = {.geometry = geometry, .about = about};
    if (modes != NULL) {
        j.count = modes->count;
        j.block = modes->block;
        j.value = modes->lambda2;
        j.residual = modes->residual;
    } else {
        j.count = about->state.size;
        j.products = naik_modes_has_products(&about->state);
        j.block = about->state.basis;
        j.value = about->state.ritz;
        comm->io.replace = true;
    }
    j.sum = calloc((size_t)j.count, sizeof *j.sum);
    if (j.sum == NULL) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory to describe %d modes", j.count);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_output_begin(comm, path, geometry->lattice->volume / 2 * 24 * j.count + (1 << 20),
                               &out));
    j.part = out.part;
    NAIK_TRY(naik_h5_by_rank_0(comm, make, &j));
    NAIK_TRY(fill(&j));
    NAIK_TRY(naik_h5_by_rank_0(comm, describe, &j));
    NAIK_TRY(naik_write_verdict(comm->log, out.part, verify(&j)));
    NAIK_TRY(naik_output_publish(&out));
done:
    comm->io.replace = replaced;
    naik_output_abandon(&out);
    free(j.sum);
    return status;
}
