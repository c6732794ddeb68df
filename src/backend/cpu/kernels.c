/* kernels.c - the leaf kernels of the CPU, for one instruction set
 *
 * The Makefile compiles this file once per instruction set and says which: NAIK_KERNELS is the name
 * of the table, LANES the lanes of a vector, NAIK_AVX512 or NAIK_AVX2 what simd.h may use.
 */
/* Loads stay in the order in which they are written: that of the memory they stream through. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-schedule-insns2")
#endif

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "backend/cpu/cpu.h"
#include "backend/cpu/terms.h"

#define VECTOR_BODY "backend/cpu/blas.inc"
#define PAIR_BODY   "backend/cpu/dslash.inc"
#include "backend/cpu/pairs.inc"

static void dslash(const naik_dslash_args *args, const int32_t *list, int32_t begin, int32_t end,
                   cpu_sums *sums)
{
    const bool half_links = args->links->precision == NAIK_HALF;
    switch (args->in->precision) {
    case NAIK_DOUBLE: dslash_d_d(args, list, begin, end, sums); break;
    case NAIK_SINGLE: (half_links ? dslash_f_h : dslash_f_f)(args, list, begin, end, sums); break;
    case NAIK_HALF: (half_links ? dslash_h_h : dslash_h_f)(args, list, begin, end, sums); break;
    }
}

static void finish(const naik_dslash_args *args, int32_t begin, int32_t end, cpu_sums *sums)
{
    switch (args->in->precision) {
    case NAIK_DOUBLE: finish_cells_d_vector(args, begin, end, sums); break;
    case NAIK_SINGLE: finish_cells_f_vector(args, begin, end, sums); break;
    case NAIK_HALF: finish_cells_h_vector(args, begin, end, sums); break;
    }
}

static void update_shifts(const naik_shift *shifts, const naik_field *r, naik_field *x,
                          naik_field *p, int32_t begin, int32_t end)
{
    switch (p->precision) {
    case NAIK_DOUBLE: update_shifts_d_vector(shifts, r, x, p, begin, end); break;
    case NAIK_SINGLE: update_shifts_f_vector(shifts, r, x, p, begin, end); break;
    case NAIK_HALF: update_shifts_h_vector(shifts, r, x, p, begin, end); break;
    }
}

static void update_direction(const naik_rhs *rhs, const naik_field *r, naik_field *x, naik_field *p,
                             int32_t begin, int32_t end)
{
    switch (p->precision) {
    case NAIK_DOUBLE: update_direction_d_vector(rhs, r, x, p, begin, end); break;
    case NAIK_SINGLE: update_direction_f_vector(rhs, r, x, p, begin, end); break;
    case NAIK_HALF: update_direction_h_vector(rhs, r, x, p, begin, end); break;
    }
}

static void dot(const cpu_product *p, int32_t begin, int32_t end, cpu_sums *sums)
{
    switch (p->v->precision) {
    case NAIK_DOUBLE: dot_d_vector(p, begin, end, sums); break;
    case NAIK_SINGLE: dot_f_vector(p, begin, end, sums); break;
    case NAIK_HALF: dot_h_vector(p, begin, end, sums); break;
    }
}

static void complex_dot(const cpu_product *p, int32_t begin, int32_t end, cpu_sums *sums)
{
    switch (p->v->precision) {
    case NAIK_DOUBLE: complex_dot_d_vector(p, begin, end, sums); break;
    case NAIK_SINGLE: complex_dot_f_vector(p, begin, end, sums); break;
    case NAIK_HALF: complex_dot_h_vector(p, begin, end, sums); break;
    }
}

static void combine(const cpu_combining *p, int32_t begin, int32_t end, cpu_sums *sums)
{
    switch (p->of[0].out->precision) {
    case NAIK_DOUBLE: combine_d_vector(p, begin, end, sums); break;
    case NAIK_SINGLE: combine_f_vector(p, begin, end, sums); break;
    case NAIK_HALF: combine_h_vector(p, begin, end, sums); break;
    }
}

static void load(const naik_field *v, int32_t cell, int vector, double *out)
{
    switch (v->precision) {
    case NAIK_DOUBLE: load_cell_d_vector(v, cell, vector, out); break;
    case NAIK_SINGLE: load_cell_f_vector(v, cell, vector, out); break;
    case NAIK_HALF: load_cell_h_vector(v, cell, vector, out); break;
    }
}

static void store(naik_field *v, int32_t cell, int vector, const double *in)
{
    switch (v->precision) {
    case NAIK_DOUBLE: store_cell_d_vector(v, cell, vector, in); break;
    case NAIK_SINGLE: store_cell_f_vector(v, cell, vector, in); break;
    case NAIK_HALF: store_cell_h_vector(v, cell, vector, in); break;
    }
}

static bool run_here(void)
{
#if LANES == 16 && defined(NAIK_AVX512) && !defined(NAIK_AVX512_OF_AVX2)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#elif LANES == 16 && (defined(NAIK_AVX512) || defined(NAIK_AVX2))
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#elif defined(__FMA__)
    return __builtin_cpu_supports("fma");
#else
    return true;
#endif
}

#define JOIN(a, b)         a##b
#define TABLE(name)        JOIN(cpu_kernels_, name)
#define WILSON_TABLE(name) JOIN(cpu_wilson_, name)
#define TEXT_OF(x)         #x
#define TEXT(x)            TEXT_OF(x)

const cpu_kernels TABLE(NAIK_KERNELS) = {.name = TEXT(NAIK_KERNELS),
                                         .wilson = &WILSON_TABLE(NAIK_KERNELS),
                                         .run_here = run_here,
                                         .dslash = dslash,
                                         .finish = finish,
                                         .update_shifts = update_shifts,
                                         .update_direction = update_direction,
                                         .dot = dot,
                                         .complex_dot = complex_dot,
                                         .combine = combine,
                                         .load = load,
                                         .store = store};
