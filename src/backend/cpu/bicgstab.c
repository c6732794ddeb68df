/* bicgstab.c - what BiCGStab asks of the CPU: products, sums of multiples, its scalars */
#include "backend/cpu/cpu.h"
#include "base/exactsum.h"
#include "comm/collective.h"

static void dot_range(void *context, int32_t begin, int32_t end, cpu_sums *sums)
{
    const cpu_product *p = context;
    cpu_kernels_of(p->v->geometry)->dot(p, begin, end, sums);
}

naik_status cpu_dot(const naik_field *v, const naik_field *w, const naik_rhs *rhs,
                    naik_rhs_state state, naik_exactsum *sums)
{
    const naik_geometry *geometry = v->geometry;
    cpu_product p = {v, w, 0, rhs, state};
    return cpu_run(geometry->backend, cpu_tables_of(geometry)->shape.cells, v->nrhs, sums,
                   dot_range, &p);
}

static void complex_dot_range(void *context, int32_t begin, int32_t end, cpu_sums *sums)
{
    const cpu_product *p = context;
    cpu_kernels_of(p->v->geometry)->complex_dot(p, begin, end, sums);
}

naik_status cpu_complex_dot(const naik_field *v, const naik_field *w, int turn, const naik_rhs *rhs,
                            naik_rhs_state state, naik_exactsum *sums)
{
    const naik_geometry *geometry = v->geometry;
    cpu_product p = {v, w, turn, rhs, state};
    return cpu_run(geometry->backend, cpu_tables_of(geometry)->shape.cells, 2 * v->nrhs, sums,
                   complex_dot_range, &p);
}

int cpu_products(const naik_field *with, int nrhs)
{
    return (with != NULL ? 3 : 1) * nrhs;
}

static void combine_range(void *context, int32_t begin, int32_t end, cpu_sums *sums)
{
    const cpu_combining *p = context;
    cpu_kernels_of(p->of[0].out->geometry)->combine(p, begin, end, sums);
}

naik_status cpu_combine(const naik_combination *of, int count, const naik_products *products,
                        const naik_rhs *rhs, naik_rhs_state state)
{
    const naik_geometry *geometry = of[0].out->geometry;
    const bool summed = products != NULL;
    cpu_combining p = {of, count, products, rhs, state};
    return cpu_run(geometry->backend, cpu_tables_of(geometry)->shape.cells,
                   summed ? cpu_products(products->with, of[0].out->nrhs) : 0,
                   summed ? products->sums : NULL, combine_range, &p);
}

naik_status cpu_bicgstab_step(naik_backend *backend, naik_bicgstab_stage stage, naik_rhs *rhs,
                              naik_bicgstab_record *record, double (*coefficients)[2],
                              naik_exactsum *sums, int count, double *history, int history_stride)
{
    const int each = naik_stage_sums(stage);
    NAIK_PASS(naik_comm_sum_exact(backend->comm, sums, each * count));
    for (int c = 0; c < count; c++) {
        const int before = rhs[c].iterations;
        double values[NAIK_STAGE_SUMS] = {0};
        for (int i = 0; i < each; i++) {
            values[i] = naik_exactsum_value(&sums[i * count + c]);
        }
        naik_bicgstab_take(stage, &rhs[c], &record[c], values);
        naik_bicgstab_coefficients(&record[c], c, count, coefficients);
        if (history != NULL && rhs[c].iterations > before) {
            history[before % history_stride * count + c] = rhs[c].rr;
        }
    }
    for (int i = 0; i < each * count; i++) {
        naik_exactsum_clear(&sums[i]);
    }
    return NAIK_OK;
}
