/* meson.c - Goldstone pion correlators, each time slice one exact sum
 *
 * A term (one site) is rounded once, in a fixed order over sink colours; the sum over sites does
 * not round until its end. Threads share the time slices, each sum belongs to one thread.
 */
#include "naik/meson.h"

#include "propagator/meson_field.h"

#include <math.h>

#include "base/exactsum.h"
#include "base/memory.h"
#include "comm/collective.h"

const char *naik_meson_name(naik_meson meson)
{
    return meson == NAIK_PION5 ? "pion5" : "pion05";
}

/* weight[k][x] = cos(2 pi p_k x / n_k) for the global x of this rank's box, in one allocation. */
static naik_status make_weights(const naik_lattice *lat, const int momentum[NAIK_DIM - 1],
                                double *weight[NAIK_DIM - 1])
{
    const double two_pi = 6.283185307179586476925286766559;
    const int extent = lat->local[0] + lat->local[1] + lat->local[2];
    double *next = NULL;
    naik_status status = naik_alloc(lat->comm->log, (size_t)extent * sizeof *next,
                                    "momentum weights", (void **)&next);
    if (status != NAIK_OK) {
        weight[0] = NULL;
        return status;
    }
    for (int k = 0; k < NAIK_DIM - 1; k++) {
        weight[k] = next;
        next += lat->local[k];
        for (int x = 0; x < lat->local[k]; x++) {
            int64_t turn = (int64_t)momentum[k] * (lat->origin[k] + x) % lat->size[k];
            weight[k][x] = cos(two_pi * (double)turn / lat->size[k]);
        }
    }
    return NAIK_OK;
}

static void sum_slice(const naik_lattice *lat, naik_meson meson, double *const weight[NAIK_DIM - 1],
                      const double *g, int t, naik_exactsum *sum)
{
    const int32_t slice = lat->sites / lat->local[3];
    for (int32_t site = t * slice; site < (t + 1) * slice; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lat, site, x);
        const double *v = g + 6 * (int64_t)site;
        double norm2 = 0;
        for (int i = 0; i < 6; i++) {
            norm2 = fma(v[i], v[i], norm2);
        }
        double w = weight[0][x[0]] * weight[1][x[1]] * weight[2][x[2]];
        if (meson == NAIK_PION05 && naik_parity_of(x)) { /* boxes begin at even coordinates */
            w = -w;
        }
        naik_exactsum_add(sum, w * norm2);
    }
}

naik_status naik_meson_correlator(const naik_lattice *lattice, naik_meson meson,
                                  const int momentum[NAIK_DIM - 1], const double *g, double *out)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = lattice->comm;
    const int times = lattice->size[3];
    double *weight[NAIK_DIM - 1] = {NULL};
    naik_exactsum *sum = NULL; /* [times], zeroed */
    status = make_weights(lattice, momentum, weight);
    if (status == NAIK_OK) {
        status =
            naik_alloc(comm->log, (size_t)times * sizeof *sum, "correlator sums", (void **)&sum);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
#pragma omp parallel for schedule(static)
    for (int t = 0; t < lattice->local[3]; t++) {
        sum_slice(lattice, meson, weight, g, t, &sum[lattice->origin[3] + t]);
    }
    NAIK_TRY(naik_comm_sum_exact(comm, sum, times));
    for (int t = 0; t < times; t++) {
        out[t] = naik_exactsum_value(&sum[t]);
    }
done:
    naik_free(weight[0]);
    naik_free(sum);
    return status;
}

/* The sign of an odd site goes with its weight in z. */
static naik_status sum_parts(const naik_field *const part[2], naik_meson meson,
                             double *const weight[NAIK_DIM - 1], naik_exactsum *sums)
{
    naik_status status = NAIK_OK;
    const naik_geometry *geometry = part[NAIK_EVEN]->geometry;
    const double *const w[NAIK_DIM - 1] = {weight[0], weight[1], weight[2]};
    for (int parity = 0; parity < 2; parity++) {
        for (int z = 0; parity == 1 && meson == NAIK_PION05 && z < geometry->lattice->local[2];
             z++) {
            weight[2][z] = -weight[2][z];
        }
        NAIK_TRY(geometry->backend->ops->reduction.slice_norms(part[parity], (naik_parity)parity, 0,
                                                               w, sums));
    }
done:
    return status;
}

naik_status naik_meson_correlator_of(const naik_field *const part[2], naik_meson meson,
                                     const int momentum[NAIK_DIM - 1], double *out)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = part[NAIK_EVEN]->geometry->backend;
    const naik_lattice *lat = part[NAIK_EVEN]->geometry->lattice;
    naik_comm *comm = lat->comm;
    const int times = lat->size[3];
    double *weight[NAIK_DIM - 1] = {NULL};
    naik_exactsum *sums = NULL, *all = NULL; /* backend memory [local times]; [times], zeroed */
    status = make_weights(lat, momentum, weight);
    if (status == NAIK_OK) {
        status =
            naik_alloc(comm->log, (size_t)times * sizeof *all, "correlator sums", (void **)&all);
    }
    if (status == NAIK_OK) {
        status = naik_backend_alloc(backend, (size_t)lat->local[3] * sizeof *sums,
                                    "correlator sums", (void **)&sums);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(backend->ops->reduction.clear(backend, sums, lat->local[3]));
    NAIK_TRY(sum_parts(part, meson, weight, sums));
    NAIK_TRY(naik_backend_download(backend, all + lat->origin[3], sums,
                                   (size_t)lat->local[3] * sizeof *sums));
    NAIK_TRY(naik_comm_sum_exact(comm, all, times));
    for (int t = 0; t < times; t++) {
        out[t] = naik_exactsum_value(&all[t]);
    }
done:
    naik_backend_release(backend, sums);
    naik_free(weight[0]);
    naik_free(all);
    return status;
}
