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

/* Of the sums of one pass, which no plan of memory has: of more momenta there are several. */
static const size_t PASS_BYTES = (size_t)32 << 20;

static int class_of(naik_meson meson)
{
    return (int)odd_of(meson) & (NAIK_SLICE_CLASSES - 1);
}

/* The factors of w of this rank's box (slice_sums.h), with the signs of a class. */
static void fill_weights(const naik_lattice *lat, int class, const naik_frame *frame,
                         naik_complex *weight)
{
    naik_slice_factors(lat, frame, 0, weight);
    for (int k = 0; k < NAIK_DIM - 1; k++) {
        for (int x = 0; x < lat->local[k]; x++, weight++) {
            const int apart = lat->origin[k] + x - frame->origin[k];
            const bool odd = (class >> k & 1) != 0 && apart % 2 != 0;
            *weight = naik_cscale(odd ? -1 : 1, *weight);
        }
    }
}

/* Sums over time slices [parts][T] with the sign that goes with t; a zero has none. */
static void take_values(const double *sum, naik_meson meson, const naik_frame *frame, int times,
                        double *out)
{
    const bool alternates = (odd_of(meson) >> (NAIK_DIM - 1) & 1) != 0;
    for (int t = 0; t < times; t++) {
        const bool negative = alternates && (t - frame->origin[NAIK_DIM - 1]) % 2 != 0;
        for (int part = 0; part < 2; part++) {
            const bool there = part == 0 || !naik_frame_is_real(frame);
            const double value = there ? sum[part * times + t] : 0;
            out[2 * t + part] = negative ? 0.0 - value : value;
        }
    }
}

/* Sums of real and, where there are two parts, imaginary parts, `stride` apart. */
NAIK_CLONES static void sum_slice(const naik_lattice *lat, const naik_complex *weight,
                                  const double *g, int t, int parts, int stride, naik_exactsum *sum)
{
    const int y = lat->local[0], z = y + lat->local[1];
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
            naik_slice_product(weight[x[0]], weight[y + x[1]], weight[z + x[2]], parts == 2);
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
    naik_complex *weight = NULL;
    naik_exactsum *sum = NULL; /* [parts][times], zeroed */
    double *value = NULL;      /* as many */
    const size_t count = (size_t)parts * (size_t)times;
    status = naik_alloc(comm->log, naik_slice_factor_count(lattice, 0) * sizeof *weight,
                        "momentum weights", (void **)&weight);
    if (status == NAIK_OK) {
        fill_weights(lattice, class_of(meson), frame, weight);
        status = naik_alloc(comm->log, count * sizeof *sum, "correlator sums", (void **)&sum);
    }
    if (status == NAIK_OK) {
        status = naik_alloc(comm->log, count * sizeof *value, "correlators", (void **)&value);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
#pragma omp parallel for schedule(static)
    for (int t = 0; t < lattice->local[3]; t++) {
        sum_slice(lattice, weight, g, t, parts, times, &sum[lattice->origin[3] + t]);
    }
    NAIK_TRY(naik_comm_sum_exact(comm, sum, parts * times));
    for (size_t k = 0; k < count; k++) {
        value[k] = naik_exactsum_value(&sum[k]);
    }
    take_values(value, meson, frame, times, out);
done:
    naik_free(weight);
    naik_free(sum);
    naik_free(value);
    return status;
}

/* What is summed of a solution in one pass: every frame with the signs of every class that a meson has. */
typedef struct pass {
    naik_backend *backend;
    const naik_lattice *lat;
    int of[NAIK_SLICE_CLASSES]; /* the number of a class among those that a meson has, or -1 */
    naik_slice_norms what;      /* whose weights and flags are these: */
    naik_complex *weight;
    bool *real;
    naik_exactsum *sums;  /* backend memory [classes][frames][2][local] */
    naik_slice_rows here; /* of several ranks: [classes][frames][2] */
    double *value;        /* [classes][frames][2][times] */
} pass;

static void take_classes(pass *p, const naik_meson *meson, int mesons)
{
    memset(p->of, -1, sizeof p->of);
    for (int i = 0; i < mesons; i++) {
        const int class = class_of(meson[i]);
        if (p->of[class] < 0) {
            p->what.mask[p->what.classes] = (unsigned)class;
            p->of[class] = p->what.classes++;
        }
    }
}

static size_t sums_of(const pass *p)
{
    return (size_t)p->what.classes * (size_t)p->what.frames;
}

static naik_status open_pass(pass *p, const naik_meson *meson, int mesons, const naik_frame *frame,
                             int frames)
{
    naik_log *log = p->lat->comm->log;
    take_classes(p, meson, mesons);
    p->what.frames = frames;
    const size_t count = sums_of(p), factors = naik_slice_factor_count(p->lat, 0);
    const size_t local = (size_t)p->lat->local[3], times = (size_t)p->lat->size[3];
    NAIK_PASS(naik_alloc(log, (size_t)frames * factors * sizeof *p->weight, "momentum weights",
                         (void **)&p->weight));
    NAIK_PASS(
        naik_alloc(log, (size_t)frames * sizeof *p->real, "momentum weights", (void **)&p->real));
    NAIK_PASS(
        naik_alloc(log, 2 * count * times * sizeof *p->value, "correlators", (void **)&p->value));
    if (p->lat->comm->size > 1) {
        NAIK_PASS(naik_slice_rows_create(p->lat, 2 * count, &p->here));
    }
    NAIK_PASS(naik_backend_alloc(p->backend, 2 * count * local * sizeof *p->sums, "correlator sums",
                                 (void **)&p->sums));
    p->what.weight = p->weight;
    p->what.real = p->real;
    for (int mu = 0; mu < NAIK_DIM - 1; mu++) {
        p->what.odd |= ((unsigned)(p->lat->origin[mu] - frame->origin[mu]) & 1) << mu;
    }
    for (int f = 0; f < frames; f++) {
        p->real[f] = naik_frame_is_real(&frame[f]);
        naik_slice_factors(p->lat, &frame[f], 0, p->weight + (size_t)f * factors);
    }
    return NAIK_OK;
}

/* The sums of this rank. */
static naik_status sum_box(const pass *p, const naik_field *const part[2])
{
    const naik_reduction_ops *ops = &p->backend->ops->reduction;
    NAIK_PASS(ops->clear(p->backend, p->sums, 2 * (int)sums_of(p) * p->lat->local[3]));
    return ops->slice_norms(part, &p->what, p->sums);
}

/* The values of the sums of all ranks. */
static naik_status values_of(pass *p)
{
    naik_status status = NAIK_OK;
    const size_t rows = 2 * sums_of(p);
    const size_t local = (size_t)p->lat->local[3], times = (size_t)p->lat->size[3];
    if (p->lat->comm->size == 1) {
        return p->backend->ops->reduction.values(p->backend, p->sums, (int)(rows * times),
                                                 p->value);
    }
    status =
        naik_backend_download(p->backend, p->here.own, p->sums, rows * local * sizeof *p->here.own);
    NAIK_PASS(naik_comm_agree(p->lat->comm, status));
    return naik_slice_rows_values(p->lat, &p->here, rows, p->value);
}

/* Of frames [some] in one pass, out [mesons][frames][T][2] at the first of them. */
static naik_status correlators_of(const naik_field *const part[2], const naik_meson *meson,
                                  int mesons, const naik_frame *frame, int some, int frames,
                                  double *out)
{
    naik_status status = NAIK_OK;
    const naik_geometry *geometry = part[NAIK_EVEN]->geometry;
    pass p = {.backend = geometry->backend, .lat = geometry->lattice};
    naik_comm *comm = p.lat->comm;
    const int times = p.lat->size[3];
    NAIK_TRY(naik_comm_agree(comm, open_pass(&p, meson, mesons, frame, some)));
    NAIK_TRY(naik_comm_agree(comm, sum_box(&p, part)));
    NAIK_TRY(values_of(&p));
    for (int k = 0; k < mesons * some; k++) {
        const int at = k % some;
        const naik_meson of = meson[k / some];
        const size_t sum = (size_t)p.of[class_of(of)] * (size_t)some + (size_t)at;
        const size_t place = (size_t)(k / some) * (size_t)frames + (size_t)at;
        take_values(p.value + 2 * sum * (size_t)times, of, &frame[at], times,
                    out + 2 * place * (size_t)times);
    }
done:
    naik_backend_release(p.backend, p.sums);
    naik_free(p.weight);
    naik_free(p.real);
    naik_slice_rows_clear(&p.here);
    naik_free(p.value);
    return status;
}

naik_status naik_meson_correlators_of(const naik_field *const part[2], const naik_meson *meson,
                                      int mesons, const naik_frame *frame, int frames, double *out)
{
    const size_t times = (size_t)part[NAIK_EVEN]->geometry->lattice->size[3];
    const size_t each = 2 * (size_t)NAIK_SLICE_CLASSES * times * sizeof(naik_exactsum);
    const int most = PASS_BYTES > each ? (int)(PASS_BYTES / each) : 1;
    for (int begin = 0; begin < frames; begin += most) {
        const int some = frames - begin < most ? frames - begin : most;
        NAIK_PASS(correlators_of(part, meson, mesons, frame + begin, some, frames,
                                 out + 2 * (size_t)begin * times));
    }
    return NAIK_OK;
}

naik_status naik_meson_correlator_of(const naik_field *const part[2], naik_meson meson,
                                     const naik_frame *frame, double *out)
{
    return naik_meson_correlators_of(part, &meson, 1, frame, 1, out);
}
