/* links_cpu.c - canonical links into the lanes and cells of the CPU, compressed where asked for
 *
 * What a compressed link will be rebuilt to is recon_cpu.inc; here its numbers are made, and the
 * link is rebuilt in double and compared: links that are not of the form compression assumes are
 * refused, not rounded.
 */
#include <math.h>
#include <string.h>

#include "cpu.h"

static const double allowed_deviation = 1e-9; /* of a unitary link; singular values reach 1e-10 */

size_t cpu_links_bytes(const naik_lattice *lat, naik_precision precision, int recon, int hops)
{
    static const size_t real_bytes[3] = {sizeof(double), sizeof(float), sizeof(int16_t)};
    const bool compressed = recon == (hops == NAIK_HOPS ? 13 : 12) && precision != NAIK_HALF;
    if (recon != 18 && !compressed) {
        return 0;
    }
    const int numbers = 8 * (cpu_fat_numbers(hops, recon) + cpu_long_numbers(hops, recon));
    return (size_t)lat->sites * (size_t)numbers * real_bytes[precision];
}

/* The 12 or 13 numbers of a link of modulus s, and how far from it they lead, in units of s. */
static double compress(const naik_matrix *u, int recon, double s, naik_precision precision,
                       double out[13])
{
    const naik_complex det = naik_mat_det(u);
    const double phi = atan2(det.im, det.re);
    naik_complex phase = {cos(phi), sin(phi)};
    memcpy(out, u, 12 * sizeof *out);
    if (recon == 13) {
        out[12] = tan(phi / 4);
    } else {
        const bool negative = det.re < 0;
        phase = (naik_complex){negative ? -1 : 1, 0};
        if (precision == NAIK_DOUBLE) {
            uint64_t bits;
            memcpy(&bits, &out[0], sizeof bits);
            bits = (bits & ~UINT64_C(1)) | negative;
            memcpy(&out[0], &bits, sizeof bits);
        } else {
            float value = (float)out[0];
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            bits = (bits & ~UINT32_C(1)) | negative;
            memcpy(&value, &bits, sizeof value);
            out[0] = value;
        }
    }
    double worst = 0;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        naik_complex minor =
            naik_csub(naik_cmul(u->e[0][j], u->e[1][k]), naik_cmul(u->e[0][k], u->e[1][j]));
        naik_complex third = naik_cscale(1 / s, naik_cmul(phase, naik_conj(minor)));
        worst = fmax(worst, sqrt(naik_cnorm2(naik_csub(third, u->e[2][i]))) / s);
    }
    return worst;
}

static void store(const naik_links *links, size_t at, double value, double scale)
{
    switch (links->precision) {
    case NAIK_DOUBLE: ((double *)links->data)[at] = value; break;
    case NAIK_SINGLE: ((float *)links->data)[at] = (float)value; break;
    case NAIK_HALF:
        ((int16_t *)links->data)[at] = (int16_t)(scale > 0 ? lrint(value / scale * 32767) : 0);
        break;
    }
}

/* The links of a kind (0 fat, 1 long) at a site, into its lane; returns the worst deviation. */
static double pack_kind(const naik_links *links, const naik_matrix *hops, int kind, int numbers,
                        size_t first, size_t lanes)
{
    double worst = 0, number[18];
    const double modulus = links->hops == NAIK_HOPS ? links->long_scale : 1;
    for (int k = 0; k < 8; k++) {
        naik_matrix u = hops[8 * kind + k];
        if (numbers == 18) {
            memcpy(number, &u, sizeof number);
        } else {
            if (k >= 4) { /* behind: the link itself */
                naik_matrix dagger = naik_mat_dagger(&u);
                u = naik_mat_scale(-1, &dagger);
            }
            worst = fmax(worst, compress(&u, numbers, modulus, links->precision, number));
        }
        for (int i = 0; i < numbers; i++) {
            store(links, first + (size_t)(k * numbers + i) * lanes, number[i], links->scale[kind]);
        }
    }
    return worst;
}

naik_status cpu_links_pack(naik_links *links, naik_parity parity, int32_t begin, int32_t count,
                           const naik_matrix *hops)
{
    naik_backend *backend = links->geometry->backend;
    const naik_lattice *lat = links->geometry->lattice;
    const cpu_shape *shape = &cpu_tables_of(links->geometry)->shape;
    const int fat = cpu_fat_numbers(links->hops, links->recon);
    const int far = cpu_long_numbers(links->hops, links->recon);
    const size_t lanes = (size_t)shape->lanes, record = (size_t)(8 * (fat + far)) * lanes;
    double worst = 0;
    if (links->hops == NAIK_HOPS && links->recon != 18 && !(links->long_scale > 0)) {
        return NAIK_FAIL(backend->log, NAIK_ERR_ARG,
                         "links of unknown modulus cannot be compressed: store 18 numbers");
    }
#pragma omp parallel for schedule(static) num_threads(cpu_threads(backend)) reduction(max : worst)
    for (int32_t s = 0; s < count; s++) {
        int x[NAIK_DIM];
        size_t cell = 0, lane = 0;
        naik_lattice_coords(lat, naik_lattice_site_of(lat, parity, begin + s), x);
        for (int mu = NAIK_DIM - 1; mu >= 0; mu--) {
            lane = lane * (size_t)shape->cut[mu] + (size_t)(x[mu] / shape->extent[mu]);
            cell = cell * (size_t)shape->extent[mu] + (size_t)(x[mu] % shape->extent[mu]);
        }
        const naik_matrix *site = hops + (size_t)s * (size_t)links->hops;
        const size_t first = ((size_t)parity * (size_t)shape->half + cell / 2) * record + lane;
        worst = fmax(worst, pack_kind(links, site, 0, fat, first, lanes));
        if (far > 0) {
            worst = fmax(worst,
                         pack_kind(links, site, 1, far, first + (size_t)(8 * fat) * lanes, lanes));
        }
    }
    if (!(worst <= allowed_deviation)) {
        return NAIK_FAIL(backend->log, NAIK_ERR_ARG,
                         "links cannot be stored in %d numbers: a rebuilt one differs by %.1e of "
                         "its size; store 18 numbers",
                         links->recon, worst);
    }
    return NAIK_OK;
}
