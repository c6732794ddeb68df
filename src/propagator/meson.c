/* meson.c - local meson correlators, each time slice one exact sum
 *
 * A term (one site) is rounded once, in a fixed order over sink colours; the sum over sites does
 * not round until its end. Threads share the time slices, each sum belongs to one thread.
 */
#include "naik/meson.h"

#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/exactsum.h"
#include "base/memory.h"
#include "comm/collective.h"
#include "lattice/su3.h"
#include "propagator/meson_field.h"
#include "propagator/slice_sums.h"

/* Name, label, and spin: the directions of its gamma matrix, as bits of x, y, z, t. */
static const struct {
    const char *name, *label;
    unsigned spin;
} mesons[NAIK_MESONS] = {
    [NAIK_PION5] = {"pion5", "G5-G5", 15},       [NAIK_PION05] = {"pion05", "G1-G1", 0},
    [NAIK_RHOX] = {"rhox", "GX-GX", 1},          [NAIK_RHOY] = {"rhoy", "GY-GY", 2},
    [NAIK_RHOZ] = {"rhoz", "GZ-GZ", 4},          [NAIK_RHOX0] = {"rhox0", "GXT-GXT", 9},
    [NAIK_RHOY0] = {"rhoy0", "GYT-GYT", 10},     [NAIK_RHOZ0] = {"rhoz0", "GZT-GZT", 12},
    [NAIK_GT_GT] = {"GT-GT", "GT-GT", 8},        [NAIK_G5T_G5T] = {"G5T-G5T", "G5T-G5T", 7},
    [NAIK_GYZ_GYZ] = {"GYZ-GYZ", "GYZ-GYZ", 6},  [NAIK_GZX_GZX] = {"GZX-GZX", "GZX-GZX", 5},
    [NAIK_GXY_GXY] = {"GXY-GXY", "GXY-GXY", 3},  [NAIK_G5X_G5X] = {"G5X-G5X", "G5X-G5X", 14},
    [NAIK_G5Y_G5Y] = {"G5Y-G5Y", "G5Y-G5Y", 13}, [NAIK_G5Z_G5Z] = {"G5Z-G5Z", "G5Z-G5Z", 11}};

const char *naik_meson_name(naik_meson meson)
{
    return mesons[meson].name;
}

const char *naik_meson_label(naik_meson meson)
{
    return mesons[meson].label;
}

naik_meson naik_meson_of(const char *word)
{
    int meson = 0;
    while (meson < NAIK_MESONS && strcmp(word, mesons[meson].name) != 0 &&
           strcmp(word, mesons[meson].label) != 0) {
        meson++;
    }
    return (naik_meson)meson;
}

/* The coordinates whose sum gives the sign: eps = (-1)^(x+y+z+t) of the antiquark, and eps (-1)^(x_mu) of
 * each direction mu of the spin. */
static unsigned odd_of(naik_meson meson)
{
    enum { ALL = (1 << NAIK_DIM) - 1 };
    unsigned odd = ALL;
    for (unsigned mu = 0; mu < NAIK_DIM; mu++) {
        odd ^= (mesons[meson].spin >> mu & 1) != 0 ? ALL ^ 1U << mu : 0;
    }
    return odd;
}

int naik_meson_sign(naik_meson meson, const int x[NAIK_DIM])
{
    const unsigned odd = odd_of(meson);
    int sum = 0;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        sum += (odd >> mu & 1) != 0 ? x[mu] & 1 : 0;
    }
    return sum % 2 == 0 ? 1 : -1;
}

/* weight[k][x]: the factor of direction k of w, with the meson's sign, for the global x of this rank's
 * box, in one allocation. */
static naik_status make_weights(const naik_lattice *lat, naik_meson meson, const naik_frame *frame,
                                naik_complex *weight[NAIK_DIM - 1])
{
    const int extent = lat->local[0] + lat->local[1] + lat->local[2];
    naik_complex *next = NULL;
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
            const int global = lat->origin[k] + x;
            const bool odd = (odd_of(meson) >> k & 1) != 0 && (global - frame->origin[k]) % 2 != 0;
            weight[k][x] = naik_cscale(odd ? -1 : 1, naik_slice_factor(lat, frame, k, global));
        }
    }
    return NAIK_OK;
}

/* Values of sums over time slices [parts][T], with the sign that goes with t; a zero has none. */
static void take_values(const naik_exactsum *sum, naik_meson meson, const naik_frame *frame,
                        int times, double *out)
{
    const bool alternates = (odd_of(meson) >> (NAIK_DIM - 1) & 1) != 0;
    for (int t = 0; t < times; t++) {
        const bool negative = alternates && (t - frame->origin[NAIK_DIM - 1]) % 2 != 0;
        for (int part = 0; part < 2; part++) {
            const bool there = part == 0 || !naik_frame_is_real(frame);
            const double value = there ? naik_exactsum_value(&sum[part * times + t]) : 0;
            out[2 * t + part] = negative ? 0.0 - value : value;
        }
    }
}

/* Sums of real and, where there are two parts, imaginary parts, `stride` apart. */
NAIK_CLONES static void sum_slice(const naik_lattice *lat, naik_complex *const weight[NAIK_DIM - 1],
                                  const double *g, int t, int parts, int stride, naik_exactsum *sum)
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
        const naik_complex w =
            naik_slice_product(weight[0][x[0]], weight[1][x[1]], weight[2][x[2]], parts == 2);
        naik_exactsum_add(sum, w.re * norm2);
        if (parts == 2) {
            naik_exactsum_add(sum + stride, w.im * norm2);
        }
    }
}

naik_status naik_meson_correlator(const naik_lattice *lattice, naik_meson meson,
                                  const naik_frame *frame, const double *g, double *out)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = lattice->comm;
    const int times = lattice->size[3], parts = naik_frame_is_real(frame) ? 1 : 2;
    naik_complex *weight[NAIK_DIM - 1] = {NULL};
    naik_exactsum *sum = NULL; /* [parts][times], zeroed */
    status = make_weights(lattice, meson, frame, weight);
    if (status == NAIK_OK) {
        status = naik_alloc(comm->log, (size_t)(parts * times) * sizeof *sum, "correlator sums",
                            (void **)&sum);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
#pragma omp parallel for schedule(static)
    for (int t = 0; t < lattice->local[3]; t++) {
        sum_slice(lattice, weight, g, t, parts, times, &sum[lattice->origin[3] + t]);
    }
    NAIK_TRY(naik_comm_sum_exact(comm, sum, parts * times));
    take_values(sum, meson, frame, times, out);
done:
    naik_free(weight[0]);
    naik_free(sum);
    return status;
}

static naik_status sum_parts(const naik_field *const part[2],
                             naik_complex *const weight[NAIK_DIM - 1], int parts,
                             naik_exactsum *sums)
{
    naik_status status = NAIK_OK;
    const naik_geometry *geometry = part[NAIK_EVEN]->geometry;
    const naik_complex *const w[NAIK_DIM - 1] = {weight[0], weight[1], weight[2]};
    for (int parity = 0; parity < 2; parity++) {
        NAIK_TRY(geometry->backend->ops->reduction.slice_norms(part[parity], (naik_parity)parity, 0,
                                                               w, parts, sums));
    }
done:
    return status;
}

naik_status naik_meson_correlator_of(const naik_field *const part[2], naik_meson meson,
                                     const naik_frame *frame, double *out)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = part[NAIK_EVEN]->geometry->backend;
    const naik_lattice *lat = part[NAIK_EVEN]->geometry->lattice;
    naik_comm *comm = lat->comm;
    const int times = lat->size[3], local = lat->local[3];
    const int parts = naik_frame_is_real(frame) ? 1 : 2;
    naik_complex *weight[NAIK_DIM - 1] = {NULL};
    naik_exactsum *sums = NULL, *all = NULL; /* backend memory [parts][local]; [parts][times] */
    status = make_weights(lat, meson, frame, weight);
    if (status == NAIK_OK) {
        status = naik_alloc(comm->log, (size_t)(parts * times) * sizeof *all, "correlator sums",
                            (void **)&all);
    }
    if (status == NAIK_OK) {
        status = naik_backend_alloc(backend, (size_t)(parts * local) * sizeof *sums,
                                    "correlator sums", (void **)&sums);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(backend->ops->reduction.clear(backend, sums, parts * local));
    NAIK_TRY(sum_parts(part, weight, parts, sums));
    for (int k = 0; k < parts; k++) {
        NAIK_TRY(naik_backend_download(backend, all + k * times + lat->origin[3], sums + k * local,
                                       (size_t)local * sizeof *sums));
    }
    NAIK_TRY(naik_comm_sum_exact(comm, all, parts * times));
    take_values(all, meson, frame, times, out);
done:
    naik_backend_release(backend, sums);
    naik_free(weight[0]);
    naik_free(all);
    return status;
}
