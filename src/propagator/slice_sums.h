/* slice_sums.h - exact sums over time slices of a number a site, on the host */
#ifndef NAIK_PROPAGATOR_SLICE_SUMS_H
#define NAIK_PROPAGATOR_SLICE_SUMS_H

#include "base/exactsum.h"
#include "lattice/su3.h"
#include "naik/gauge.h"
#include "naik/lattice.h"

/* The number at a site of this rank, x global. */
typedef naik_complex naik_slice_value(const void *data, int32_t site, const int x[NAIK_DIM]);

/* out [size t] = sum over the sites of each time slice, the same bits on every process grid.
 * Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_slice_sums(const naik_lattice *lat, naik_slice_value *value, const void *data,
                            naik_complex *out);

/* Room for rows of sums, one a time slice, which a device makes of this rank's box. */
typedef struct naik_slice_rows {
    naik_exactsum *own; /* [rows][local t]: of this rank, to be filled in; */
    naik_exactsum *all; /* [rows][size t], the same memory where the box has all time slices */
} naik_slice_rows;
/* Local. NAIK_ERR_MEMORY. Release with naik_slice_rows_clear. */
naik_status naik_slice_rows_create(const naik_lattice *lat, size_t rows, naik_slice_rows *out);
void naik_slice_rows_clear(naik_slice_rows *rows);
/* value [count][size t] of the sums of all ranks, of the first `count` rows. Collective. NAIK_ERR_MPI */
naik_status naik_slice_rows_values(const naik_lattice *lat, naik_slice_rows *rows, size_t count,
                                   double *value);

/* w(x - x0) of meson.h, x global. */
naik_complex naik_slice_weight(const naik_lattice *lat, const naik_frame *frame,
                               const int x[NAIK_DIM]);
/* w is the product of its factors in the order of directions. out: those of x, of y, then of z, of the sites of this rank's
 * box and `reach` sites ahead of it; how many these are. */
void naik_slice_factors(const naik_lattice *lat, const naik_frame *frame, int reach,
                        naik_complex *out);
size_t naik_slice_factor_count(const naik_lattice *lat, int reach);
/* Those factors with NAIK_SLICE_REACH sites ahead: a sine and a cosine a site take longer than what is summed. Local.
 * NAIK_ERR_MEMORY. Release with naik_slice_waves_clear. */
enum { NAIK_SLICE_REACH = 3 };
typedef struct naik_slice_waves {
    naik_complex *factor[NAIK_DIM - 1]; /* of x[k] - origin[k]; one piece of memory */
    int origin[NAIK_DIM - 1];           /* of this rank's box */
} naik_slice_waves;
naik_status naik_slice_waves_make(const naik_lattice *lat, const naik_frame *frame,
                                  naik_slice_waves *out);
void naik_slice_waves_clear(naik_slice_waves *waves);
/* naik_slice_weight, to the bit. */
static inline naik_complex naik_slice_wave(const naik_slice_waves *waves, const int x[NAIK_DIM])
{
    naik_complex w = {1, 0};
    for (int k = 0; k < NAIK_DIM - 1; k++) {
        w = naik_cmul(w, waves->factor[k][x[k] - waves->origin[k]]);
    }
    return w;
}

#endif
