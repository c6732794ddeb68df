/* backend_cpu.c - the table of the CPU backend, and what of it needs no layout */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu.h"
#include "backend/cpu/sums.h"
#include "backend/create.h"
#include "backend/halo.h"
#include "base/exactsum.h"
#include "base/memory.h"
#include "comm/collective.h"
#include "links/link_ops.h"

/* The best instruction set of this machine, or the one that NAIK_INSTRUCTIONS names; all give the
 * same bits. */
static naik_status choose_kernels(naik_log *log, const cpu_kernels **out)
{
    static const cpu_kernels *const sets[] = {
#if defined(__x86_64__)
        &cpu_kernels_avx512,
        &cpu_kernels_avx2,
#endif
        &cpu_kernels_portable
    };
    const char *wanted = getenv("NAIK_INSTRUCTIONS");
    bool known = wanted == NULL || *wanted == '\0';
    const bool any = known;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        const bool named = any || strcmp(sets[i]->name, wanted) == 0;
        known = known || named;
        if (named && sets[i]->run_here()) {
            *out = sets[i];
            return NAIK_OK;
        }
    }
    return NAIK_FAIL(log, NAIK_ERR_INPUT,
                     known
                         ? "NAIK_INSTRUCTIONS=%.32s: this machine does not have them; leave it out"
                         : "NAIK_INSTRUCTIONS=%.32s: choose avx512, avx2 or portable",
                     any ? "" : wanted);
}

/* Of one lane, to go with `kernels`: the C library's fma() is slow, so hardware's where it may be. */
static const cpu_kernels *choose_scalar_kernels(const cpu_kernels *kernels)
{
#if defined(__x86_64__)
    if (kernels != &cpu_kernels_portable && cpu_kernels_scalar_fma.run_here()) {
        return &cpu_kernels_scalar_fma;
    }
#endif
    (void)kernels;
    return &cpu_kernels_scalar;
}

static naik_status cpu_open(naik_backend *backend, const naik_backend_options *options)
{
    cpu_state *state = calloc(1, sizeof *state);
    backend->state = state;
    if (state == NULL) {
        return NAIK_FAIL(backend->log, NAIK_ERR_MEMORY, "no memory for the CPU backend");
    }
    NAIK_PASS(choose_kernels(backend->log, &state->kernels));
    state->scalar = choose_scalar_kernels(state->kernels);
    state->threads = options->threads;
    if (state->threads <= 0) {
        int threads = 0;
#pragma omp parallel reduction(+ : threads)
        threads += 1;
        state->threads = threads;
    }
    NAIK_PASS(naik_alloc(backend->log, (size_t)state->threads * sizeof *state->turn,
                         "the turns of threads", (void **)&state->turn));
    return naik_alloc_open(backend->log,
                           (size_t)state->threads * 2 * NAIK_MAX_RHS * sizeof *state->sums,
                           "the sums of threads", (void **)&state->sums);
}

static void cpu_close(naik_backend *backend)
{
    cpu_state *state = backend->state;
    if (state != NULL) {
        naik_free(state->turn);
        naik_free(state->sums);
    }
    free(state);
    backend->state = NULL;
}

static void cpu_describe(const naik_backend *backend, char *text, size_t text_size)
{
    const cpu_state *state = backend->state;
    snprintf(text, text_size, "CPU, %s, %d thread%s a rank", state->kernels->name, state->threads,
             state->threads == 1 ? "" : "s");
}

static naik_status cpu_alloc(naik_device *device, size_t size_bytes, const char *what, void **out)
{
    return naik_alloc(device->log, size_bytes, what, out);
}

static void cpu_release(naik_device *device, void *memory)
{
    (void)device;
    naik_free(memory);
}

static naik_status cpu_copy_bytes(naik_device *device, void *to, const void *from,
                                  size_t size_bytes)
{
    (void)device;
    memcpy(to, from, size_bytes);
    return NAIK_OK;
}

static naik_status cpu_sync(naik_device *device)
{
    (void)device;
    return NAIK_OK;
}

static naik_status cpu_sum_words(naik_device *device, const void *memory, size_t size_bytes,
                                 uint64_t sums[2])
{
    const uint32_t *word = memory;
    const int64_t count = (int64_t)(size_bytes / sizeof *word);
    uint64_t plain = 0, placed = 0;
#pragma omp parallel for num_threads(cpu_threads((naik_backend *)device)) schedule(static)         \
    reduction(+ : plain, placed)
    for (int64_t i = 0; i < count; i++) {
        plain += word[i];
        placed += (uint64_t)(i + 1) * word[i];
    }
    sums[0] = plain;
    sums[1] = placed;
    return NAIK_OK;
}

typedef void (*dslash_kernel)(const naik_dslash_args *args, const int32_t *list, int32_t begin,
                              int32_t end, cpu_sums *sums);
typedef struct dslash_context {
    const naik_dslash_args *args;
    dslash_kernel kernel;
    const int32_t *list;
} dslash_context;

static void dslash_range(void *context, int32_t begin, int32_t end, cpu_sums *sums)
{
    const dslash_context *c = context;
    c->kernel(c->args, c->list, begin, end, sums);
}

static int sums_of(const naik_dslash_args *args)
{
    return args->form == NAIK_FORM_STEP ? 2 * args->in->nrhs
                                        : cpu_products(args->with, args->in->nrhs);
}

static naik_status run_dslash(const naik_dslash_args *args, naik_region region,
                              dslash_kernel kernel)
{
    naik_backend *backend = args->in->geometry->backend;
    const cpu_tables *t = cpu_tables_of(args->in->geometry);
    const naik_precision vectors = args->in->precision, links = args->links->precision;
    if ((vectors == NAIK_DOUBLE) != (links == NAIK_DOUBLE)) {
        return NAIK_FAIL(backend->log, NAIK_ERR_ARG,
                         "no Dslash for %s vectors with %s links on the CPU",
                         naik_precision_name(vectors), naik_precision_name(links));
    }
    dslash_context context = {args, kernel, t->order};
    int32_t count = t->shape.cells;
    if (region == NAIK_INTERIOR) {
        context.list = t->interior[args->parity];
        count = t->interior_count[args->parity];
    } else if (region == NAIK_BOUNDARY) {
        context.list = t->boundary[args->parity];
        count = t->boundary_count[args->parity];
    }
    return cpu_run(backend, count, sums_of(args), args->sums, dslash_range, &context);
}

static void finish_range(void *context, int32_t begin, int32_t end, cpu_sums *sums)
{
    const naik_dslash_args *args = context;
    cpu_kernels_of(args->in->geometry)->finish(args, begin, end, sums);
}

static naik_status cpu_finish(const naik_dslash_args *args)
{
    const naik_geometry *geometry = args->in->geometry;
    return cpu_run(geometry->backend, cpu_tables_of(geometry)->shape.cells, sums_of(args),
                   args->sums, finish_range, (void *)args);
}

static naik_status cpu_dslash(const naik_dslash_args *args, naik_region region)
{
    return run_dslash(args, region, cpu_kernels_of(args->in->geometry)->dslash);
}

static naik_status cpu_wilson_dslash(const naik_dslash_args *args, naik_region region)
{
    return run_dslash(args, region, cpu_kernels_of(args->in->geometry)->wilson->dslash);
}

typedef struct multiply_context {
    const naik_blocks *blocks;
    const naik_field *in;
    naik_parity parity;
    const naik_rhs *rhs;
    naik_rhs_state state;
    naik_field *out;
} multiply_context;

static void multiply_range(void *context, int32_t begin, int32_t end, cpu_sums *sums)
{
    const multiply_context *c = context;
    (void)sums;
    cpu_kernels_of(c->in->geometry)
        ->wilson->multiply(c->blocks, c->in, c->parity, c->rhs, c->state, c->out, begin, end);
}

static naik_status cpu_wilson_multiply(const naik_blocks *blocks, const naik_field *in,
                                       naik_parity parity, const naik_rhs *rhs,
                                       naik_rhs_state state, naik_field *out)
{
    multiply_context context = {blocks, in, parity, rhs, state, out};
    return cpu_run(in->geometry->backend, cpu_tables_of(in->geometry)->shape.cells, 0, NULL,
                   multiply_range, &context);
}

static naik_status cpu_sums_clear(naik_backend *backend, naik_exactsum *sums, int count)
{
    (void)backend;
    for (int i = 0; i < count; i++) {
        naik_exactsum_clear(&sums[i]);
    }
    return NAIK_OK;
}

static naik_status cpu_sums_reduce(naik_backend *backend, naik_exactsum *sums, int count)
{
    return naik_comm_sum_exact(backend->comm, sums, count);
}

static naik_status cpu_sums_values(naik_backend *backend, const naik_exactsum *sums, int count,
                                   double *values)
{
    (void)backend;
    for (int i = 0; i < count; i++) {
        values[i] = naik_exactsum_value(&sums[i]);
    }
    return NAIK_OK;
}

typedef struct update {
    const cpu_kernels *kernels;
    const naik_rhs *rhs;
    const naik_shift *shifts;
    const naik_field *from, *with;
    naik_field *x, *to;
} update;

static naik_status run_update(const naik_field *field, naik_exactsum *sums, cpu_range body,
                              update *u)
{
    const naik_geometry *geometry = field->geometry;
    u->kernels = cpu_kernels_of(geometry);
    return cpu_run(geometry->backend, cpu_tables_of(geometry)->shape.cells, field->nrhs, sums, body,
                   u);
}

static naik_status cpu_rhs_step(naik_backend *backend, naik_rhs *rhs, naik_exactsum *sums,
                                int count, naik_scalars which, double *history, int history_stride)
{
    const int first = which == NAIK_TAKE ? 2 * count : 0, last = which == NAIK_COUNT ? 2 : 3;
    NAIK_PASS(cpu_sums_reduce(backend, sums + first, last * count - first));
    for (int c = 0; c < count; c++) {
        naik_rhs *irhs = &rhs[c];
        if ((which & NAIK_COUNT) != 0 && irhs->pending) {
            naik_rhs_count_step(irhs, naik_exactsum_value(&sums[c]),
                                naik_exactsum_value(&sums[count + c]));
            if (history != NULL) {
                history[(irhs->iterations - 1) % history_stride * count + c] = irhs->rr;
            }
        }
        if ((which & NAIK_TAKE) != 0) {
            naik_rhs_next_step(irhs, naik_exactsum_value(&sums[2 * count + c]));
        }
    }
    return cpu_sums_clear(backend, sums + first, last * count - first);
}

static naik_status cpu_shift_step(naik_backend *backend, const naik_rhs *rhs, naik_shift *shifts,
                                  int count, int each, double *history, int history_stride)
{
    (void)backend;
    for (int i = 0; i < count * each; i++) {
        naik_shift *shift = &shifts[i];
        naik_shift_step(shift, &rhs[i / each]);
        if (shift->moves && history != NULL) {
            history[(shift->iterations - 1) % history_stride * (count * each) + i] = shift->rr;
        }
    }
    return NAIK_OK;
}

static void update_shifts_range(void *context, int32_t begin, int32_t end, cpu_sums *sums)
{
    const update *u = context;
    (void)sums;
    u->kernels->update_shifts(u->shifts, u->from, u->x, u->to, begin, end);
}

static naik_status cpu_update_shifts(const naik_shift *shifts, const naik_field *r, naik_field *x,
                                     naik_field *p)
{
    return run_update(r, NULL, update_shifts_range,
                      &(update){.shifts = shifts, .from = r, .x = x, .to = p});
}

static void update_direction_range(void *context, int32_t begin, int32_t end, cpu_sums *sums)
{
    const update *u = context;
    (void)sums;
    u->kernels->update_direction(u->rhs, u->from, u->x, u->to, begin, end);
}

static naik_status cpu_update_direction(const naik_rhs *rhs, const naik_field *r, naik_field *x,
                                        naik_field *p)
{
    return run_update(r, NULL, update_direction_range,
                      &(update){.rhs = rhs, .from = r, .x = x, .to = p});
}

static naik_status cpu_repeat(naik_backend *backend, uint64_t serial, bool record,
                              naik_status (*body)(void *data), void *data, int times)
{
    (void)backend;
    (void)serial;
    (void)record;
    naik_status status = NAIK_OK;
    for (int k = 0; k < times && status == NAIK_OK; k++) {
        status = body(data);
    }
    return status;
}

const naik_backend_ops naik_backend_cpu = {
    .name = "cpu",
    .host_memory = true,
    .poll_interval = 1,
    .open = cpu_open,
    .close = cpu_close,
    .describe = cpu_describe,
    .tables_create = cpu_tables_create,
    .tables_destroy = cpu_tables_destroy,
    .memory =
        {
            .alloc = cpu_alloc,
            .release = cpu_release,
            .upload = cpu_copy_bytes,
            .download = cpu_copy_bytes,
            .sync = cpu_sync,
            .sum_words = cpu_sum_words,
        },
    .link_ops = &naik_link_ops_host,
    .field =
        {
            .bytes = cpu_field_bytes,
            .from_host = cpu_field_from_host,
            .from_part = cpu_field_from_part,
            .to_host = cpu_field_to_host,
            .from_device = cpu_field_from_host,
            .to_device = cpu_field_to_host,
            .zero = cpu_field_zero,
            .copy = cpu_field_copy,
            .add = cpu_field_add,
            .axpy = cpu_field_axpy,
            .combine = cpu_combine,
            .gather = cpu_field_gather,
            .copy_rhs = cpu_field_copy_rhs,
        },
    .halo =
        {
            .face_bytes = cpu_face_bytes,
            .pack = cpu_pack,
            .unpack = cpu_unpack,
        },
    .reduction =
        {
            .clear = cpu_sums_clear,
            .over_ranks = cpu_sums_reduce,
            .values = cpu_sums_values,
            .dot = cpu_dot,
            .complex_dot = cpu_complex_dot,
            .site_ratio = cpu_site_ratio,
            .slice_norms = cpu_slice_norms,
        },
    .solver =
        {
            .rhs_step = cpu_rhs_step,
            .update_direction = cpu_update_direction,
            .apply_deferred_update = cpu_apply_deferred_update,
            .bicgstab_step = cpu_bicgstab_step,
            .finish = cpu_finish,
            .shift_step = cpu_shift_step,
            .update_shifts = cpu_update_shifts,
            .repeat = cpu_repeat,
        },
    .staggered =
        {
            .links_bytes = cpu_links_bytes,
            .links_pack = cpu_links_pack,
            .dslash = cpu_dslash,
        },
    .wilson =
        {
            .dslash = cpu_wilson_dslash,
            .multiply = cpu_wilson_multiply,
            .blocks_bytes = cpu_blocks_bytes,
            .blocks_pack = cpu_blocks_pack,
        },
    .modes =
        {
            .project = cpu_modes_project,
            .add = cpu_modes_add,
            .rotate = cpu_modes_rotate,
            .round = cpu_modes_round,
            .widen = cpu_modes_widen,
            .place = cpu_mode_place,
            .to_host = cpu_mode_to_host,
            .from_host = cpu_mode_from_host,
            .bytes = cpu_bare_field_bytes,
        },
    .multigrid = &naik_multigrid_cpu,
    .low = &naik_low_cpu,
};
