/* backend/packed_links.c - canonical links into the lanes and cells of the CPU, compressed where asked for
 *
 * What a compressed link will be rebuilt to is backend/cpu/recon.inc; here its numbers are made, and the
 * link is rebuilt in double and compared: links that are not of the form compression assumes are
 * refused, not rounded.
 */
#include <math.h>
#include <string.h>

#include "backend/cpu/cpu.h"
#include "base/clones.h"
#include "lattice/su3.h"

/* Of a unitary link: what is not rounding of its numbers (singular values reach 1e-10), and what the
 * numbers as they are stored may bring. */
static const double allowed_deviation = 1e-9, allowed_rounding = 0.1;

size_t cpu_links_bytes(const naik_lattice *lat, naik_precision precision, int recon, int points)
{
    static const size_t real_bytes[3] = {sizeof(double), sizeof(float), sizeof(int16_t)};
    const bool compressed =
        points == NAIK_STENCIL ? recon == 13 || recon == 9 : naik_recon_keeps_sign(recon);
    if (recon != 18 && !compressed) {
        return 0;
    }
    const int numbers = 8 * (cpu_fat_numbers(points, recon) + cpu_long_numbers(points, recon));
    return (size_t)lat->sites * (size_t)numbers * real_bytes[precision];
}

static double kept_phase(naik_complex z)
{
    return tan(atan2(z.im, z.re) / 4);
}

static naik_complex of_modulus(double modulus2, double phase)
{
    const double phi = 4 * atan(phase);
    return naik_cscale(sqrt(fmax(modulus2, 0)), (naik_complex){cos(phi), sin(phi)});
}

/* conj(a b - c d) e */
static naik_complex minor(naik_complex a, naik_complex b, naik_complex c, naik_complex d,
                          naik_complex e)
{
    return naik_cmul(naik_conj(naik_csub(naik_cmul(a, b), naik_cmul(c, d))), e);
}

/* The matrix of 8 numbers (after the phase of 9). */
static void rebuild_eight(const double n[8], naik_complex det, naik_matrix *out)
{
    const naik_complex a2 = {n[2], n[3]}, a3 = {n[4], n[5]}, b1 = {n[6], n[7]};
    const double rest = naik_cnorm2(a2) + naik_cnorm2(a3);
    const naik_complex a1 = of_modulus(1 - rest, n[0]);
    const naik_complex c1 = of_modulus(rest - naik_cnorm2(b1), n[1]);
    const naik_complex ab = naik_cscale(1 / rest, naik_cmul(naik_conj(a1), b1));
    const naik_complex ac = naik_cscale(1 / rest, naik_cmul(naik_conj(a1), c1));
    const naik_complex t = naik_cscale(1 / rest, naik_cmul(naik_conj(c1), det));
    const naik_complex u = naik_cscale(1 / rest, naik_cmul(naik_conj(b1), det));
    const naik_matrix rebuilt = {
        .e = {{a1, a2, a3},
              {b1, naik_cscale(-1, naik_cadd(naik_cmul(naik_conj(a3), t), naik_cmul(a2, ab))),
               naik_csub(naik_cmul(naik_conj(a2), t), naik_cmul(a3, ab))},
              {c1, naik_csub(naik_cmul(naik_conj(a3), u), naik_cmul(a2, ac)),
               naik_cscale(-1, naik_cadd(naik_cmul(naik_conj(a2), u), naik_cmul(a3, ac)))}}};
    *out = rebuilt;
}

/* How far from w its numbers lead; of none, infinitely. */
static double deviation_of(const naik_matrix *w, int recon, const double n[13], bool negative)
{
    naik_matrix rebuilt;
    naik_complex det = {negative ? -1 : 1, 0};
    if (!naik_recon_keeps_sign(recon)) {
        det = of_modulus(1, n[recon == 13 ? 12 : 0]);
    }
    if (recon < 12) {
        rebuild_eight(n + recon - 8, det, &rebuilt);
    } else {
        memcpy(&rebuilt, n, 12 * sizeof *n);
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            rebuilt.e[2][i] =
                minor(rebuilt.e[0][j], rebuilt.e[1][k], rebuilt.e[0][k], rebuilt.e[1][j], det);
        }
    }
    double worst = 0;
    for (int i = 0; i < 9; i++) {
        const naik_complex d = naik_csub(rebuilt.e[i / 3][i % 3], w->e[i / 3][i % 3]);
        const double size = sqrt(naik_cnorm2(d));
        worst = size <= worst ? worst : isnan(size) ? INFINITY : size;
    }
    return worst;
}

/* A number as it will be read. */
static double rounded(naik_precision precision, double x)
{
    return precision == NAIK_DOUBLE   ? x
           : precision == NAIK_SINGLE ? (float)x
                                      : rint(fmin(fmax(x, -1), 1) * 32767) / 32767;
}

/* The 8, 9, 12 or 13 numbers of w (backend/cpu/recon.inc), and how far from it they lead; as they
 * will be stored, where that is more than rounding may bring. `negative`: the sign that 8 and 12 keep. */
NAIK_CLONES static double compress(const naik_matrix *w, naik_precision precision, int recon,
                                   double out[13], bool *negative)
{
    double stored[13];
    const naik_complex det = naik_mat_det(w);
    *negative = det.re < 0;
    if (recon < 12) {
        const double numbers[9] = {kept_phase(det), kept_phase(w->e[0][0]), kept_phase(w->e[2][0]),
                                   w->e[0][1].re,   w->e[0][1].im,          w->e[0][2].re,
                                   w->e[0][2].im,   w->e[1][0].re,          w->e[1][0].im};
        memcpy(out, numbers + 9 - recon, (size_t)recon * sizeof *out);
    } else {
        memcpy(out, w, 12 * sizeof *out);
        out[12] = kept_phase(det);
    }
    for (int i = 0; i < recon; i++) {
        stored[i] = rounded(precision, out[i]);
    }
    const double exact = deviation_of(w, recon, out, *negative);
    const double rounding = deviation_of(w, recon, stored, *negative);
    return rounding > allowed_rounding ? fmax(exact, rounding) : exact;
}

/* The lowest bit of the number at `at` becomes that of `bit`. */
static void store_bit(const naik_links *links, size_t at, bool bit)
{
    if (links->precision == NAIK_DOUBLE) {
        uint64_t *word = (uint64_t *)links->data + at;
        *word = (*word & ~UINT64_C(1)) | bit;
    } else if (links->precision == NAIK_SINGLE) {
        uint32_t *word = (uint32_t *)links->data + at;
        *word = (*word & ~UINT32_C(1)) | bit;
    } else {
        uint16_t *word = (uint16_t *)links->data + at;
        *word = (uint16_t)((*word & ~1U) | bit);
    }
}

static void store(const naik_links *links, size_t at, double value, double scale)
{
    switch (links->precision) {
    case NAIK_DOUBLE: ((double *)links->data)[at] = value; break;
    case NAIK_SINGLE: ((float *)links->data)[at] = (float)value; break;
    case NAIK_HALF:
        value = scale > 0 ? fmin(fmax(value / scale, -1), 1) : 0;
        ((int16_t *)links->data)[at] = (int16_t)lrint(value * 32767);
        break;
    }
}

/* The links of a kind (0 fat, 1 long) at a site, into its lane; returns the worst deviation. */
static double pack_kind(const naik_links *links, const naik_matrix *points, int kind, int numbers,
                        size_t first, size_t lanes)
{
    double worst = 0;
    const double modulus = links->points == NAIK_STENCIL ? links->long_scale : 1;
    const double unit = numbers == 18 ? links->scale[kind] : 1;
    for (int k = 0; k < 8; k++) {
        const size_t at = first + (size_t)(k * numbers) * lanes;
        const naik_matrix *u = &points[8 * kind + k];
        if (numbers == 18) { /* by columns, as the kernel wants them */
            for (int i = 0; i < 9; i++) {
                const naik_complex e = u->e[i % 3][i / 3];
                store(links, at + (size_t)(2 * i) * lanes, e.re, unit);
                store(links, at + (size_t)(2 * i + 1) * lanes, e.im, unit);
            }
            continue;
        }
        double number[13];
        bool negative;
        const naik_matrix dagger = naik_mat_dagger(u); /* backward: the link itself */
        const naik_matrix w = naik_mat_scale((k >= 4 ? -1 : 1) / modulus, k >= 4 ? &dagger : u);
        const double deviation = compress(&w, links->precision, numbers, number, &negative);
        worst = deviation <= worst ? worst : deviation;
        for (int i = 0; i < numbers; i++) {
            store(links, at + (size_t)i * lanes, number[i], unit);
        }
        if (naik_recon_keeps_sign(numbers)) {
            store_bit(links, at, negative);
        }
    }
    return worst;
}

naik_status cpu_links_pack(naik_links *links, naik_parity parity, int32_t begin, int32_t count,
                           const naik_matrix *points)
{
    naik_backend *backend = links->geometry->backend;
    const naik_lattice *lat = links->geometry->lattice;
    const cpu_shape *shape = &cpu_tables_of(links->geometry)->shape;
    const int fat = cpu_fat_numbers(links->points, links->recon);
    const int far = cpu_long_numbers(links->points, links->recon);
    const size_t lanes = (size_t)shape->lanes, record = (size_t)(8 * (fat + far)) * lanes;
    double worst = 0;
    if (links->points == NAIK_STENCIL && links->recon != 18 && !(links->long_scale > 0)) {
        return NAIK_FAIL(backend->log, NAIK_ERR_ARG,
                         "links of unknown modulus cannot be compressed: store 18 numbers");
    }
#pragma omp parallel for schedule(static) num_threads(cpu_threads(backend)) reduction(max : worst)
    for (int32_t s = 0; s < count; s++) {
        int x[NAIK_DIM];
        size_t cell, lane;
        naik_lattice_coords(lat, naik_lattice_site_of(lat, parity, begin + s), x);
        cpu_place_of(shape, x, &cell, &lane);
        const naik_matrix *site = points + (size_t)s * (size_t)links->points;
        const size_t first = ((size_t)parity * (size_t)shape->cells + cell) * record + lane;
        for (int kind = 0; kind < (far > 0 ? 2 : 1); kind++) {
            const size_t at = first + (size_t)(kind * 8 * fat) * lanes;
            const double deviation = pack_kind(links, site, kind, kind == 0 ? fat : far, at, lanes);
            worst = deviation <= worst ? worst : deviation;
        }
    }
    if (!(worst <= allowed_deviation)) {
        return NAIK_FAIL(backend->log, NAIK_ERR_INPUT,
                         "links cannot be stored in %d numbers: a rebuilt one differs by %.1e of "
                         "its size; store 18 numbers",
                         links->recon, worst);
    }
    return NAIK_OK;
}
