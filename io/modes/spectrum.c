/* spectrum.c - a file of modes without its vectors: for people, plots and predictions */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/h5/guard.h"
#include "io/h5/metadata_crc.h"
#include "io/h5/numbers.h"
#include "io/modes/modes_file.h"
#include "io/modes/vectors.h"
#include "io/sites.h"

int naik_mode_vectors_count(hid_t file, const int size[NAIK_DIM], bool *bricks)
{
    hsize_t dims[NAIK_DIM + 1] = {0};
    hid_t dataset = H5Dopen2(file, "modes/v", H5P_DEFAULT);
    hid_t space = dataset >= 0 ? H5Dget_space(dataset) : -1;
    hid_t brick = naik_mode_form_type(true);
    int count = 0;
    *bricks = naik_h5_is_stored_as(dataset, brick);
    bool fits = space >= 0 && H5Sget_simple_extent_ndims(space) == NAIK_DIM + 1 &&
                H5Sget_simple_extent_dims(space, dims, NULL) == NAIK_DIM + 1;
    int64_t bytes = naik_mode_form_element_bytes(*bricks); /* of a vector */
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        const hsize_t elements = dims[NAIK_DIM - mu];
        fits = fits && elements * (hsize_t)naik_mode_form_cut(*bricks, mu) == (hsize_t)size[mu];
        bytes *= fits ? (int64_t)elements : 0;
    }
    if (fits && dims[0] <= NAIK_MODES_MAX &&
        naik_h5_layout_holds(dataset, (int64_t)dims[0] * bytes)) {
        count = (int)dims[0];
    }
    naik_h5_release(brick);
    naik_h5_release(space);
    naik_h5_release(dataset);
    return count;
}

/* A sum of two words that is kept as two attributes. */
static void get_sum(hid_t file, const char *a, const char *b, uint32_t sum[2])
{
    int64_t word[2] = {0, 0};
    naik_h5_get_i64(file, a, &word[0], 0);
    naik_h5_get_i64(file, b, &word[1], 0);
    sum[0] = (uint32_t)word[0];
    sum[1] = (uint32_t)word[1];
}

bool naik_modes_numbers_hold(const double *lambda2, const double *residual, int count, double high)
{
    const double most = NAIK_MODES_EIGENVALUE_MOST;
    bool good = high > 0 && high <= most;
    for (int i = 0; i < count; i++) { /* each comparison is false where there is a NaN */
        good = good && lambda2[i] >= 0 && lambda2[i] <= most &&
               (i == 0 || lambda2[i] >= lambda2[i - 1]) && residual[i] >= 0 && residual[i] <= most;
    }
    return good;
}

static naik_status get_numbers(naik_log *log, hid_t file, naik_modes_spectrum *out)
{
    const size_t n = (size_t)out->count;
    out->lambda2 = calloc(n, sizeof *out->lambda2);
    out->residual = calloc(n, sizeof *out->residual);
    out->suma = calloc(n, sizeof *out->suma);
    out->sumb = calloc(n, sizeof *out->sumb);
    if (out->lambda2 == NULL || out->residual == NULL || out->suma == NULL || out->sumb == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the spectrum of %d modes",
                         out->count);
    }
    NAIK_PASS(naik_h5_numbers_get(log, file, "modes/lambda2", H5T_NATIVE_DOUBLE, 8, out->count,
                                  out->lambda2));
    NAIK_PASS(naik_h5_numbers_get(log, file, "modes/residual", H5T_NATIVE_DOUBLE, 8, out->count,
                                  out->residual));
    NAIK_PASS(
        naik_h5_numbers_get(log, file, "modes/suma", H5T_NATIVE_UINT32, 4, out->count, out->suma));
    return naik_h5_numbers_get(log, file, "modes/sumb", H5T_NATIVE_UINT32, 4, out->count,
                               out->sumb);
}

naik_status naik_modes_spectrum_get(naik_log *log, hid_t file, const char *path,
                                    naik_modes_spectrum *out)
{
    char format[32], state[32];
    int64_t dims[NAIK_DIM] = {0};
    bool good = true;
    *out = (naik_modes_spectrum){.naik_epsilon = NAN};
    naik_h5_get_text(file, "format", format, sizeof format);
    if (strcmp(format, "naik-modes") != 0) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s' holds no modes: make them with naik modes",
                         path);
    }
    naik_h5_get_text(file, "state", state, sizeof state);
    out->state = strcmp(state, "complete") == 0    ? NAIK_MODES_COMPLETE
                 : strcmp(state, "searching") == 0 ? NAIK_MODES_SEARCHING
                                                   : NAIK_MODES_UNFINISHED;
    if (out->state == NAIK_MODES_UNFINISHED && strcmp(state, "incomplete") != 0) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT, "the state of '%s' is damaged", path);
    }
    naik_h5_get_i64(file, "dims", dims, NAIK_DIM);
    good = good && naik_sites_possible(dims);
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        good = good && dims[mu] % 2 == 0;
        out->size[mu] = (int)dims[mu];
    }
    if (out->state == NAIK_MODES_UNFINISHED) {
        return NAIK_OK;
    }
    NAIK_PASS(naik_h5_need_metadata_crc(log, file, path));
    out->count = good ? naik_mode_vectors_count(file, out->size, &out->bricks) : 0;
    if (out->count == 0) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT, "/modes/v of '%s' is cut short or damaged", path);
    }
    naik_h5_get_f64(file, "naik_epsilon", &out->naik_epsilon, 0);
    get_sum(file, "fat_suma", "fat_sumb", out->fat);
    get_sum(file, "long_suma", "long_sumb", out->far);
    NAIK_PASS(get_numbers(log, file, out));
    if (out->state == NAIK_MODES_COMPLETE &&
        !(naik_h5_numbers_agree(file, "lambda2_crc", out->lambda2, out->count) &&
          naik_h5_numbers_agree(file, "residual_crc", out->residual, out->count))) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "eigenvalues or residuals of '%s' disagree with their checksums", path);
    }
    double high = NAN;
    naik_h5_get_f64(file, "interval_high", &high, 0);
    if (out->state == NAIK_MODES_COMPLETE &&
        !naik_modes_numbers_hold(out->lambda2, out->residual, out->count, high)) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "'%s' is damaged: its eigenvalues and residuals are none of low modes, "
                         "whatever their checksums say",
                         path);
    }
    return NAIK_OK;
}

naik_status naik_modes_spectrum_read(naik_log *log, const char *path, naik_modes_spectrum *out)
{
    naik_status status = NAIK_OK;
    hid_t file = -1;
    naik_h5_guard guard;
    *out = (naik_modes_spectrum){.count = 0};
    naik_h5_guard_begin(&guard);
    NAIK_TRY(naik_h5_open_alone(log, path, &file));
    NAIK_TRY(naik_modes_spectrum_get(log, file, path, out));
    if (out->state != NAIK_MODES_COMPLETE) {
        status = NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                           "'%s' was never completed: its writer was interrupted", path);
    }
done:
    if (file >= 0) {
        H5Fclose(file);
    }
    naik_h5_guard_end(&guard);
    if (status != NAIK_OK) {
        naik_modes_spectrum_clear(out);
    }
    return status;
}

void naik_modes_spectrum_clear(naik_modes_spectrum *spectrum)
{
    free(spectrum->lambda2);
    free(spectrum->residual);
    free(spectrum->suma);
    free(spectrum->sumb);
    *spectrum = (naik_modes_spectrum){.count = 0};
}

double naik_modes_lambda(double lambda2)
{
    return 0.5 * sqrt(fmax(lambda2, 0));
}
