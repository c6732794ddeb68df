/* shifts.cu - shifted systems beside a conjugate gradient: their scalars and their vectors
 *
 * One thread a site and rhs, which reads the residual once for all its shifts.
 */
#include "gpu/backend_gpu.h"
#include "gpu/fields/prec.cuh"

enum { SHIFTS_THREADS = 256 };

__global__ void shift_step_kernel(const naik_rhs *rhs, naik_shift *shifts, int all, int each,
                                  double *history, int history_stride)
{
    const int i = (int)(blockIdx.x * SHIFTS_THREADS + threadIdx.x);
    if (i >= all) {
        return;
    }
    naik_shift *shift = &shifts[i];
    naik_shift_step(shift, &rhs[i / each]);
    if (shift->moves && history != NULL) {
        history[(size_t)((shift->iterations - 1) % history_stride) * all + i] = shift->rr;
    }
}

naik_status gpu_shift_step(naik_backend *backend, const naik_rhs *rhs, naik_shift *shifts,
                           int count, int each, double *history, int history_stride)
{
    const int all = count * each, blocks = (all + SHIFTS_THREADS - 1) / SHIFTS_THREADS;
    shift_step_kernel<<<blocks, SHIFTS_THREADS, 0, gpu_state_of(backend)->stream>>>(
        rhs, shifts, all, each, history, history_stride);
    return GPU_LAUNCHED(backend, "computing the scalars of shifts");
}

template <class V>
__global__ void update_shifts_kernel(const naik_shift *shifts, const char *r, char *x, char *p,
                                     int nrhs, int each, int count)
{
    typedef typename V::real real;
    const int site = (int)(blockIdx.x * SHIFTS_THREADS + threadIdx.x);
    const int c = (int)blockIdx.y;
    if (site >= count) {
        return;
    }
    const colour_vector<real> rv = V::load(r + vec_offset<V>(site, c, nrhs));
    for (int s = 0; s < each; s++) {
        const naik_shift *shift = &shifts[c * each + s];
        if (!shift->moves) {
            continue;
        }
        const real alpha = (real)shift->alpha, beta = (real)shift->beta, zeta = (real)shift->zeta;
        const size_t offset = vec_offset<V>(site, c * each + s, nrhs * each);
        colour_vector<real> pv = V::load(p + offset), xv = V::load(x + offset);
#pragma unroll
        for (int i = 0; i < 3; i++) {
            xv.e[i] = {fma(alpha, pv.e[i].re, xv.e[i].re), fma(alpha, pv.e[i].im, xv.e[i].im)};
            pv.e[i] = {fma(beta, pv.e[i].re, zeta * rv.e[i].re),
                       fma(beta, pv.e[i].im, zeta * rv.e[i].im)};
        }
        V::store(x + offset, xv);
        V::store(p + offset, pv);
    }
}

template <class V>
static void launch(const naik_shift *shifts, const naik_field *r, naik_field *x, naik_field *p)
{
    const int count = r->geometry->lattice->volume_cb;
    const dim3 grid((unsigned)((count + SHIFTS_THREADS - 1) / SHIFTS_THREADS), (unsigned)r->nrhs);
    update_shifts_kernel<V>
        <<<grid, SHIFTS_THREADS, 0, gpu_state_of(r->geometry->backend)->stream>>>(
            shifts, (const char *)r->data, (char *)x->data, (char *)p->data, r->nrhs,
            p->nrhs / r->nrhs, count);
}

naik_status gpu_update_shifts(const naik_shift *shifts, const naik_field *r, naik_field *x,
                              naik_field *p)
{
    gpu_sample_moves(r->geometry->backend, p->nrhs,
                     (double)r->size_bytes + 4.0 * (double)p->size_bytes);
    switch (p->precision) {
    case NAIK_DOUBLE: launch<vec_double>(shifts, r, x, p); break;
    case NAIK_SINGLE: launch<vec_single>(shifts, r, x, p); break;
    case NAIK_HALF: launch<vec_half>(shifts, r, x, p); break;
    }
    return GPU_LAUNCHED(r->geometry->backend, "updating shifted systems");
}
