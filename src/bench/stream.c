/* stream.c - the machine's own speed: STREAM triad with streaming stores, or a device copy
 *
 * J. McCalpin's triad a = b + s c, 24 bytes an element: streaming stores do not read the lines they
 * write. Arrays exceed every cache.
 */
#include <stdlib.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "backend/field.h"
#include "base/memory.h"
#include "base/timer.h"
#include "bench/bench.h"
#include "comm/collective.h"

/* Of the three arrays, all ranks of a node together. */
static size_t node_bytes(const bench *b)
{
    return (b->options->copy_mib > 0 ? (size_t)b->options->copy_mib : 1024) << 20;
}

struct bench_copy {
    double *a, *b, *c; /* [count] */
    int64_t count;
    naik_field *from, *to; /* where memory is not the host's */
};

naik_status bench_copy_create(const bench *b, bench_copy **out)
{
    naik_log *log = b->comm->log;
    bench_copy *copy = calloc(1, sizeof *copy);
    *out = copy;
    if (copy == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the copy measurement");
    }
    if (!b->backend->ops->host_memory) {
        const naik_backend_ops *ops = b->backend->ops;
        size_t one = ops->field.bytes(b->lattice, NAIK_DOUBLE, 1);
        size_t rhs = node_bytes(b) / 2 / one;
        int nrhs = rhs < 1 ? 1 : rhs > NAIK_MAX_RHS ? NAIK_MAX_RHS : (int)rhs;
        NAIK_PASS(naik_field_create(b->geometry, NAIK_DOUBLE, nrhs, &copy->from));
        NAIK_PASS(naik_field_create(b->geometry, NAIK_DOUBLE, nrhs, &copy->to));
        return NAIK_OK;
    }
    copy->count = (int64_t)(node_bytes(b) / 24 / (size_t)b->comm->node_size / 512 * 512);
    const size_t bytes = (size_t)copy->count * sizeof(double);
    NAIK_PASS(naik_alloc(log, bytes, "the triad's arrays", (void **)&copy->a));
    NAIK_PASS(naik_alloc(log, bytes, "the triad's arrays", (void **)&copy->b));
    return naik_alloc(log, bytes, "the triad's arrays", (void **)&copy->c);
}

void bench_copy_destroy(bench_copy **copy)
{
    if (*copy == NULL) {
        return;
    }
    naik_free((*copy)->a);
    naik_free((*copy)->b);
    naik_free((*copy)->c);
    naik_field_destroy(&(*copy)->from);
    naik_field_destroy(&(*copy)->to);
    free(*copy);
    *copy = NULL;
}

/* Eight elements, a 64-byte line; arrays are aligned to lines. */
static inline void triad_line(double *a, const double *b, const double *c, double s)
{
#if defined(__AVX512F__)
    _mm512_stream_pd(a, _mm512_fmadd_pd(_mm512_set1_pd(s), _mm512_load_pd(c), _mm512_load_pd(b)));
#elif defined(__SSE2__)
    for (int i = 0; i < 8; i += 2) {
        _mm_stream_pd(
            a + i, _mm_add_pd(_mm_load_pd(b + i), _mm_mul_pd(_mm_set1_pd(s), _mm_load_pd(c + i))));
    }
#else
    for (int i = 0; i < 8; i++) {
        a[i] = b[i] + s * c[i];
    }
#endif
}

static void triad(const bench_copy *copy, int threads)
{
    double *const a = copy->a;
    const double *const b = copy->b, *const c = copy->c;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t i = 0; i < copy->count; i += 8) {
        triad_line(a + i, b + i, c + i, 3.0);
    }
}

naik_status bench_copy_sample(const bench *b, bench_copy *copy, double *bytes, double *seconds)
{
    const naik_backend_ops *ops = b->backend->ops;
    const int times = 4;
    NAIK_PASS(naik_backend_sync(b->backend));
    NAIK_PASS(naik_comm_barrier(b->comm));
    const double start_s = naik_time_s();
    for (int i = 0; i < times; i++) {
        if (copy->a != NULL) {
            triad(copy, b->threads);
        } else {
            NAIK_PASS(ops->field.copy(copy->to, copy->from, NULL, NAIK_RHS_IDLE));
        }
    }
    NAIK_PASS(naik_backend_sync(b->backend));
    *seconds = naik_time_s() - start_s;
    NAIK_PASS(naik_comm_max_f64(b->comm, seconds, 1));
    double moved = copy->a != NULL ? 24.0 * (double)copy->count
                                   : 2.0 * 48 * b->lattice->volume_cb * copy->from->nrhs;
    *bytes = moved * times * b->comm->size;
    return NAIK_OK;
}
