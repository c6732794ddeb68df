/* slice_sums.c - exact sums over time slices of a number a site */
#include "propagator/slice_sums.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "comm/collective.h"
#include "lattice/su3.h"

static bool has_all_slices(const naik_lattice *lat)
{
    return lat->local[3] == lat->size[3];
}

naik_status naik_slice_rows_create(const naik_lattice *lat, size_t rows, naik_slice_rows *out)
{
    naik_log *log = lat->comm->log;
    *out = (naik_slice_rows){.own = NULL};
    NAIK_PASS(naik_alloc(log, rows * (size_t)lat->size[3] * sizeof *out->all, "correlator sums",
                         (void **)&out->all));
    if (has_all_slices(lat)) {
        out->own = out->all;
    } else {
        NAIK_PASS(naik_alloc(log, rows * (size_t)lat->local[3] * sizeof *out->own,
                             "correlator sums", (void **)&out->own));
    }
    return NAIK_OK;
}

void naik_slice_rows_clear(naik_slice_rows *rows)
{
    if (rows->own != rows->all) {
        naik_free(rows->own);
    }
    naik_free(rows->all);
    *rows = (naik_slice_rows){.own = NULL};
}

naik_status naik_slice_rows_values(const naik_lattice *lat, naik_slice_rows *rows, size_t count,
                                   double *value)
{
    const size_t local = (size_t)lat->local[3], times = (size_t)lat->size[3];
    if (!has_all_slices(lat)) {
        memset(rows->all, 0, count * times * sizeof *rows->all);
        for (size_t k = 0; k < count; k++) {
            memcpy(rows->all + k * times + lat->origin[3], rows->own + k * local,
                   local * sizeof *rows->own);
        }
    }
    NAIK_PASS(naik_comm_sum_exact(lat->comm, rows->all, (int)(count * times)));
#pragma omp parallel for schedule(static)
    for (size_t k = 0; k < count * times; k++) {
        value[k] = naik_exactsum_value(&rows->all[k]);
    }
    return NAIK_OK;
}

static naik_complex factor_at(const naik_lattice *lat, const naik_frame *frame, int k, int x)
{
    const double two_pi = 6.283185307179586476925286766559;
    const int64_t turn = (int64_t)frame->momentum[k] * (x - frame->origin[k]) % lat->size[k];
    const double angle = two_pi * (double)turn / lat->size[k];
    return (naik_complex){cos(angle), frame->cosine ? 0 : sin(angle)};
}

naik_complex naik_slice_weight(const naik_lattice *lat, const naik_frame *frame,
                               const int x[NAIK_DIM])
{
    naik_complex w = {1, 0};
    for (int k = 0; k < NAIK_DIM - 1; k++) {
        w = naik_cmul(w, factor_at(lat, frame, k, x[k]));
    }
    return w;
}

size_t naik_slice_factor_count(const naik_lattice *lat, int reach)
{
    return (size_t)lat->local[0] + (size_t)lat->local[1] + (size_t)lat->local[2] +
           (NAIK_DIM - 1) * (size_t)reach;
}

void naik_slice_factors(const naik_lattice *lat, const naik_frame *frame, int reach,
                        naik_complex *out)
{
    for (int k = 0; k < NAIK_DIM - 1; k++) {
        for (int x = 0; x < lat->local[k] + reach; x++) {
            *out++ = factor_at(lat, frame, k, lat->origin[k] + x);
        }
    }
}

naik_status naik_slice_waves_make(const naik_lattice *lat, const naik_frame *frame,
                                  naik_slice_waves *out)
{
    *out = (naik_slice_waves){.factor = {NULL}};
    NAIK_PASS(naik_alloc(lat->comm->log,
                         naik_slice_factor_count(lat, NAIK_SLICE_REACH) * sizeof *out->factor[0],
                         "momentum weights", (void **)&out->factor[0]));
    naik_slice_factors(lat, frame, NAIK_SLICE_REACH, out->factor[0]);
    for (int k = 0; k < NAIK_DIM - 1; k++) {
        out->origin[k] = lat->origin[k];
        out->factor[k] =
            k > 0 ? out->factor[k - 1] + lat->local[k - 1] + NAIK_SLICE_REACH : out->factor[0];
    }
    return NAIK_OK;
}

void naik_slice_waves_clear(naik_slice_waves *waves)
{
    naik_free(waves->factor[0]);
    *waves = (naik_slice_waves){.factor = {NULL}};
}

static void sum_slice(const naik_lattice *lat, naik_slice_value *value, const void *data, int t,
                      naik_exactsum sum[2])
{
    const int32_t slice = lat->sites / lat->local[3];
    for (int32_t site = t * slice; site < (t + 1) * slice; site++) {
        int x[NAIK_DIM];
        naik_lattice_global_coords(lat, site, x);
        const naik_complex v = value(data, site, x);
        naik_exactsum_add(&sum[0], v.re);
        naik_exactsum_add(&sum[1], v.im);
    }
}

naik_status naik_slice_sums(const naik_lattice *lat, naik_slice_value *value, const void *data,
                            naik_complex *out)
{
    naik_status status = NAIK_OK;
    const int times = lat->size[3];
    naik_exactsum *sum = NULL; /* [times][2], zeroed */
    status = naik_alloc(lat->comm->log, 2 * (size_t)times * sizeof *sum, "correlator sums",
                        (void **)&sum);
    NAIK_TRY(naik_comm_agree(lat->comm, status));
#pragma omp parallel for schedule(static)
    for (int t = 0; t < lat->local[3]; t++) {
        sum_slice(lat, value, data, t, sum + 2 * (lat->origin[3] + t));
    }
    NAIK_TRY(naik_comm_sum_exact(lat->comm, sum, 2 * times));
    for (int t = 0; t < times; t++) {
        out[t].re = naik_exactsum_value(&sum[2 * t]);
        out[t].im = naik_exactsum_value(&sum[2 * t + 1]);
    }
done:
    naik_free(sum);
    return status;
}
