/* coarse.c - the coarse operator and coarse vectors on the CPU */
/* The loops over right-hand sides and rows are to become vectors at any level of optimisation. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/coarse/layouts.h"
#include "base/clones.h"

size_t mg_links_bytes(const naik_aggregates *a, int components, naik_precision precision)
{
    const size_t matrices = (size_t)mg_aggregates(a) * NAIK_MG_MATRICES;
    const size_t numbers = matrices * (size_t)components * (size_t)components * 2;
    return precision == NAIK_HALF ? numbers * sizeof(int16_t) + matrices * sizeof(float)
                                  : numbers * sizeof(float);
}

size_t mg_site_bytes(int components, int capacity)
{
    (void)capacity;
    return (size_t)components * MG_NUMBER * sizeof(float);
}

naik_status mg_pack(const naik_coarse *v, const naik_aggregates *a, naik_parity parity, int mu,
                    int side, void *buffer)
{
    const int32_t *list = a->send[parity][mu][side];
    for (int32_t i = 0; i < a->sends[parity][mu][side]; i++) {
        memcpy((char *)buffer + (size_t)i * v->site_bytes, mg_site(v, list[i]), v->site_bytes);
    }
    return NAIK_OK;
}

NAIK_CLONES static void decode(const int16_t *from, float scale, size_t numbers, float *to)
{
    for (size_t i = 0; i < numbers; i++) {
        to[i] = scale * (float)from[i];
    }
}

enum { DECODED_COLUMNS = 16 }; /* so many of a matrix of 16 bits at a time */

/* y += matrix `at` of the links times x. */
static void multiply_matrix(const naik_coarse_links *m, size_t at, int nrhs, const float *x,
                            float *y)
{
    const cpu_multigrid *kernels = cpu_multigrid_of(m->aggregates->geometry);
    const bool half = m->precision == NAIK_HALF;
    const int n = m->components, together = half ? (int)DECODED_COLUMNS : n;
    const size_t column = 2 * (size_t)n;
    float room[2 * MG_COMPONENTS_MOST * DECODED_COLUMNS];
    for (int first = 0; first < n; first += together) {
        const int columns = n - first < together ? n - first : together;
        const size_t begin = at * mg_matrix_numbers(m) + (size_t)first * column;
        if (half) {
            decode((const int16_t *)m->data + begin, mg_links_scales(m)[at],
                   (size_t)columns * column, room);
        }
        const mg_matrix part = {
            .a = half ? room : (const float *)m->data + begin, .row = 2, .column = column};
        kernels->multiply(&part, n, columns, nrhs, x + (size_t)first * MG_NUMBER, y);
    }
}

naik_status mg_dslash(const naik_coarse_links *m, naik_parity parity, const naik_coarse *in,
                      const naik_coarse *v, naik_coarse *out)
{
    const naik_aggregates *a = m->aggregates;
    const int n = m->components;
#pragma omp parallel for num_threads(cpu_threads(a->geometry->backend)) schedule(static)
    for (int32_t site = 0; site < a->count[parity]; site++) {
        _Alignas(64) float sum[MG_COMPONENTS_MOST * MG_NUMBER];
        float *to = mg_site(out, site);
        memset(sum, 0, (size_t)n * MG_NUMBER * sizeof *sum);
        for (int k = 0; k < NAIK_MG_POINTS; k++) {
            const int32_t there = a->neighbour[parity][site * NAIK_MG_POINTS + k];
            if (there >= 0) {
                multiply_matrix(m, mg_matrix_at(m, (int)parity, site, k), in->nrhs,
                                mg_site(in, there), sum);
            }
        }
        const float *from = v != NULL ? mg_site(v, site) : NULL;
        for (int i = 0; i < n * MG_NUMBER; i++) {
            to[i] = from != NULL ? from[i] - sum[i] : sum[i];
        }
    }
    return NAIK_OK;
}

naik_status mg_multiply(const naik_coarse_links *m, int which, naik_parity parity,
                        const naik_coarse *in, naik_coarse *out)
{
    const naik_aggregates *a = m->aggregates;
#pragma omp parallel for num_threads(cpu_threads(a->geometry->backend)) schedule(static)
    for (int32_t site = 0; site < a->count[parity]; site++) {
        memset(mg_site(out, site), 0, out->site_bytes);
        multiply_matrix(m, mg_matrix_at(m, (int)parity, site, which), in->nrhs, mg_site(in, site),
                        mg_site(out, site));
    }
    return NAIK_OK;
}

/* re, im [16] = (v, w) at a site. */
NAIK_CLONES static void site_product(const float *restrict v, const float *restrict w, int n,
                                     double *restrict re, double *restrict im)
{
    for (int l = 0; l < MG_RHS; l++) {
        re[l] = im[l] = 0;
    }
    for (int i = 0; i < n; i++) {
        const float *a = v + i * MG_NUMBER, *b = w + i * MG_NUMBER;
        for (int l = 0; l < MG_RHS; l++) {
            const double a_re = (double)a[l], a_im = (double)a[MG_RHS + l];
            const double b_re = (double)b[l], b_im = (double)b[MG_RHS + l];
            re[l] += a_re * b_re + a_im * b_im;
            im[l] += a_re * b_im - a_im * b_re;
        }
    }
}

/* A rounded number that no sum of terms like it takes over the edge: what is larger breaks its rhs, whose
 * numbers mean nothing any more, alike everywhere. */
static int64_t rounded(double number)
{
    return fabs(number) < 0x1p61 ? llrint(number) : 0;
}

naik_status mg_products(const naik_coarse *const *v, int count, const naik_coarse *w,
                        naik_parity parity, const double *scale, int64_t *products)
{
    const naik_aggregates *a = w->aggregates;
    const int32_t sites = a->count[parity], nrhs = w->nrhs;
    const int32_t pieces = sites > 64 ? 8 : 1;
    memset(products, 0, (size_t)count * (size_t)nrhs * 2 * sizeof *products);
#pragma omp parallel for num_threads(cpu_threads(a->geometry->backend)) collapse(2) schedule(static)
    for (int32_t j = 0; j < count; j++) {
        for (int32_t piece = 0; piece < pieces; piece++) {
            int64_t sum[MG_RHS][2] = {{0}};
            for (int32_t site = sites * piece / pieces; site < sites * (piece + 1) / pieces;
                 site++) {
                double re[MG_RHS], im[MG_RHS];
                site_product(mg_site(v[j], site), mg_site(w, site), w->components, re, im);
                for (int c = 0; c < nrhs; c++) {
                    sum[c][0] += rounded(scale[j * nrhs + c] * re[c]);
                    sum[c][1] += rounded(scale[j * nrhs + c] * im[c]);
                }
            }
            for (int c = 0; c < 2 * nrhs; c++) {
#pragma omp atomic
                products[(j * nrhs) * 2 + c] += sum[c / 2][c % 2];
            }
        }
    }
    return NAIK_OK;
}

NAIK_CLONES static void scale_site(float *restrict w, int n, const float *restrict a)
{
    for (int i = 0; i < 2 * n; i++) {
        for (int l = 0; l < MG_RHS; l++) {
            w[i * MG_RHS + l] = a[l] != 0 ? a[l] * w[i * MG_RHS + l] : 0;
        }
    }
}

NAIK_CLONES static void add_site(float *restrict w, const float *restrict v, int n,
                                 const float *restrict re, const float *restrict im)
{
    for (int i = 0; i < n; i++) {
        float *x = w + i * MG_NUMBER, *y = x + MG_RHS;
        const float *p = v + i * MG_NUMBER, *q = p + MG_RHS;
        for (int l = 0; l < MG_RHS; l++) {
            const float x_new = x[l] + (re[l] * p[l] - im[l] * q[l]);
            const float y_new = y[l] + (re[l] * q[l] + im[l] * p[l]);
            const int moves = (re[l] != 0) | (im[l] != 0);
            x[l] = moves ? x_new : x[l];
            y[l] = moves ? y_new : y[l];
        }
    }
}

naik_status mg_update(naik_coarse *w, naik_parity parity, const double *a,
                      const naik_coarse *const *v, int count, const double *b)
{
    const naik_aggregates *aggregates = w->aggregates;
    const int nrhs = w->nrhs;
    float factor[MG_RHS];
    bool scales = false;
    for (int c = 0; c < MG_RHS; c++) {
        factor[c] = c < nrhs ? (float)a[c] : 1;
        scales = scales || factor[c] != 1;
    }
#pragma omp parallel for num_threads(cpu_threads(aggregates->geometry->backend)) schedule(static)
    for (int32_t site = 0; site < aggregates->count[parity]; site++) {
        float *to = mg_site(w, site);
        if (scales) {
            scale_site(to, w->components, factor);
        }
        for (int j = 0; j < count; j++) {
            float re[MG_RHS] = {0}, im[MG_RHS] = {0};
            for (int c = 0; c < nrhs; c++) {
                re[c] = (float)b[(j * nrhs + c) * 2];
                im[c] = (float)b[(j * nrhs + c) * 2 + 1];
            }
            add_site(to, mg_site(v[j], site), w->components, re, im);
        }
    }
    return NAIK_OK;
}

/* re, im [16] = (v_i, w) at a site, of one rhs i of v with all of w. */
NAIK_CLONES static void site_cross(const float *restrict v, const float *restrict w, int n,
                                   float *restrict re, float *restrict im)
{
    for (int l = 0; l < MG_RHS; l++) {
        re[l] = im[l] = 0;
    }
    for (int i = 0; i < n; i++) {
        const float a_re = v[i * MG_NUMBER], a_im = v[i * MG_NUMBER + MG_RHS];
        const float *b = w + i * MG_NUMBER;
        for (int l = 0; l < MG_RHS; l++) {
            re[l] += a_re * b[l] + a_im * b[MG_RHS + l];
        }
        for (int l = 0; l < MG_RHS; l++) { /* by itself: see clones.h */
            im[l] += a_re * b[MG_RHS + l] - a_im * b[l];
        }
    }
}

/* Products of all vectors of a block with w at a site, added to sum [v->nrhs][w->nrhs][2]. */
static void cross_site(const naik_coarse *v, const naik_coarse *w, int32_t site,
                       const double *scale, int64_t *sum)
{
    for (int i = 0; i < v->nrhs; i++) {
        float re[MG_RHS], im[MG_RHS];
        site_cross(mg_site(v, site) + i, mg_site(w, site), w->components, re, im);
        for (int c = 0; c < w->nrhs; c++) {
            const int at = i * w->nrhs + c;
            sum[2 * at] += rounded(scale[at] * (double)re[c]);
            sum[2 * at + 1] += rounded(scale[at] * (double)im[c]);
        }
    }
}

naik_status mg_cross(const naik_coarse *const *v, int blocks, const naik_coarse *w,
                     naik_parity parity, const double *scale, int64_t *products)
{
    const naik_aggregates *a = w->aggregates;
    const int32_t sites = a->count[parity], pieces = sites > 64 ? 8 : 1;
    for (int b = 0; b < blocks; b++) {
        const int numbers = v[b]->nrhs * w->nrhs;
        memset(products, 0, (size_t)numbers * 2 * sizeof *products);
#pragma omp parallel for num_threads(cpu_threads(a->geometry->backend)) schedule(static)
        for (int32_t piece = 0; piece < pieces; piece++) {
            int64_t sum[MG_RHS * MG_RHS * 2] = {0};
            for (int32_t site = sites * piece / pieces; site < sites * (piece + 1) / pieces;
                 site++) {
                cross_site(v[b], w, site, scale, sum);
            }
            for (int i = 0; i < 2 * numbers; i++) {
#pragma omp atomic
                products[i] += sum[i];
            }
        }
        products += 2 * numbers;
        scale += numbers;
    }
    return NAIK_OK;
}

/* w += v_i b of one rhs i of v. */
NAIK_CLONES static void mix_site(float *restrict w, const float *restrict v, int n,
                                 const float *restrict re, const float *restrict im)
{
    for (int i = 0; i < n; i++) {
        float *x = w + i * MG_NUMBER, *y = x + MG_RHS;
        const float p = v[i * MG_NUMBER], q = v[i * MG_NUMBER + MG_RHS];
        for (int l = 0; l < MG_RHS; l++) {
            x[l] += re[l] * p - im[l] * q;
            y[l] += re[l] * q + im[l] * p;
        }
    }
}

naik_status mg_mix(naik_coarse *w, naik_parity parity, const naik_coarse *const *v, int blocks,
                   const double *b)
{
    const naik_aggregates *a = w->aggregates;
    for (int block = 0; block < blocks; block++) {
        const int count = v[block]->nrhs;
        float re[MG_RHS][MG_RHS] = {{0}}, im[MG_RHS][MG_RHS] = {{0}};
        for (int i = 0; i < count * w->nrhs; i++) {
            re[i / w->nrhs][i % w->nrhs] = (float)b[2 * i];
            im[i / w->nrhs][i % w->nrhs] = (float)b[2 * i + 1];
        }
        b += 2 * count * w->nrhs;
#pragma omp parallel for num_threads(cpu_threads(a->geometry->backend)) schedule(static)
        for (int32_t site = 0; site < a->count[parity]; site++) {
            for (int i = 0; i < count; i++) {
                mix_site(mg_site(w, site), mg_site(v[block], site) + i, w->components, re[i],
                         im[i]);
            }
        }
    }
    return NAIK_OK;
}

naik_status mg_coarse_from_host(naik_coarse *v, naik_parity parity, int irhs, const double *sites)
{
    for (int32_t site = 0; site < v->aggregates->count[parity]; site++) {
        for (int i = 0; i < v->components; i++) {
            float *to = mg_site(v, site) + i * MG_NUMBER + irhs;
            const double *from = sites + ((size_t)site * (size_t)v->components + (size_t)i) * 2;
            to[0] = (float)from[0];
            to[MG_RHS] = (float)from[1];
        }
    }
    return NAIK_OK;
}

naik_status mg_coarse_to_host(const naik_coarse *v, naik_parity parity, int irhs, double *sites)
{
    for (int32_t site = 0; site < v->aggregates->count[parity]; site++) {
        for (int i = 0; i < v->components; i++) {
            const float *from = mg_site(v, site) + i * MG_NUMBER + irhs;
            double *to = sites + ((size_t)site * (size_t)v->components + (size_t)i) * 2;
            to[0] = (double)from[0];
            to[1] = (double)from[MG_RHS];
        }
    }
    return NAIK_OK;
}
