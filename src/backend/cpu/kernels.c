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
#include "backend/cpu/simd.h"
#include "backend/cpu/sums.h"

/* s += the lanes of term, exactly (backend/cpu/sums.h). */
INLINE void add_terms(cpu_sums *s, simd_d term)
{
    double lane[LANES];
    if (LANES == 1 || !all_below(term, s->limit)) {
        store_d(lane, term);
        LANES == 1 ? naik_exactsum_add(&s->sum, lane[0]) : cpu_sums_add_slowly(s, lane, LANES);
        return;
    }
    for (int p = 0; p < SUMS_PIECES; p++) {
        const simd_d magic = set_d(s->magic[p]);
        const simd_d whole = sub_d(add_d(term, magic), magic);
        store_d(s->piece[p], add_d(load_d(s->piece[p]), whole));
        term = sub_d(term, whole);
    }
    if (!all_below(term, DBL_TRUE_MIN)) {
        store_d(lane, term);
        for (int k = 0; k < LANES; k++) {
            naik_exactsum_add(&s->sum, lane[k]);
        }
    }
    if (++s->count == SUMS_FULL) {
        cpu_sums_flush(s);
    }
}

enum { STREAMED = 8 << 20 }; /* bytes of a field that no cache is to keep */

static inline bool is_active(const naik_dslash_args *args, int irhs)
{
    return args->rhs == NULL || args->rhs[irhs].state == (int32_t)args->state;
}

#define of_double_d(x) (x)
#define of_double_f(x) float_of_double(x)

/* Storage of vectors: d double, f float, h 16-bit integers. */
#define REAL        double
#define VEC         simd_d
#define V(x)        x##_d
#define REG         reg_d
#define R(x)        REG_D(x)
#define NAME(x)     x##_d_vector
#define STORED      double
#define STORED_HALF 0
#include "backend/cpu/vector.inc"

#include "backend/cpu/blas.inc"
#undef NAME
#undef STORED

#define PLACE     place_d_vector
#define PREFETCH  prefetch_d_vector
#define FINISH    finish_d_vector
#define NAME(x)   x##_d_d
#define LINK      double
#define LINK_HALF 0
#include "backend/cpu/dslash.inc"
#undef PLACE
#undef PREFETCH
#undef FINISH
#undef NAME
#undef LINK
#undef REAL
#undef VEC
#undef V
#undef REG
#undef R

#define REAL    float
#define VEC     simd_f
#define V(x)    x##_f
#define REG     reg_f
#define R(x)    REG_F(x)
#define NAME(x) x##_f_vector
#define STORED  float
#include "backend/cpu/vector.inc"

#include "backend/cpu/blas.inc"
#undef NAME
#undef STORED
#undef STORED_HALF
#define NAME(x)     x##_h_vector
#define STORED      int16_t
#define STORED_HALF 1
#include "backend/cpu/vector.inc"

#include "backend/cpu/blas.inc"
#undef NAME

#define PLACE    place_f_vector
#define PREFETCH prefetch_f_vector
#define FINISH   finish_f_vector
#define NAME(x)  x##_f_f
#define LINK     float
#include "backend/cpu/dslash.inc"
#undef NAME
#undef LINK
#undef LINK_HALF
#define NAME(x)   x##_f_h
#define LINK      int16_t
#define LINK_HALF 1
#include "backend/cpu/dslash.inc"
#undef NAME
#undef PLACE
#undef PREFETCH
#undef FINISH

#define PLACE    place_h_vector
#define PREFETCH prefetch_h_vector
#define FINISH   finish_h_vector
#define NAME(x)  x##_h_h
#include "backend/cpu/dslash.inc"
#undef NAME
#undef LINK
#undef LINK_HALF
#define NAME(x)   x##_h_f
#define LINK      float
#define LINK_HALF 0
#include "backend/cpu/dslash.inc"
#include "base/exactsum.h"
#undef NAME

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

static void dot(const naik_field *v, const naik_field *w, int32_t begin, int32_t end,
                cpu_sums *sums)
{
    switch (v->precision) {
    case NAIK_DOUBLE: dot_d_vector(v, w, begin, end, sums); break;
    case NAIK_SINGLE: dot_f_vector(v, w, begin, end, sums); break;
    case NAIK_HALF: dot_h_vector(v, w, begin, end, sums); break;
    }
}

static void load(const naik_field *v, int32_t cell, int irhs, double *out)
{
    switch (v->precision) {
    case NAIK_DOUBLE: load_cell_d_vector(v, cell, irhs, out); break;
    case NAIK_SINGLE: load_cell_f_vector(v, cell, irhs, out); break;
    case NAIK_HALF: load_cell_h_vector(v, cell, irhs, out); break;
    }
}

static void store(naik_field *v, int32_t cell, int irhs, const double *in)
{
    switch (v->precision) {
    case NAIK_DOUBLE: store_cell_d_vector(v, cell, irhs, in); break;
    case NAIK_SINGLE: store_cell_f_vector(v, cell, irhs, in); break;
    case NAIK_HALF: store_cell_h_vector(v, cell, irhs, in); break;
    }
}

static bool run_here(void)
{
#if LANES == 16 && defined(NAIK_AVX512) && !defined(NAIK_AVX512_OF_AVX2)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#elif LANES == 16 && (defined(NAIK_AVX512) || defined(NAIK_AVX2))
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return true;
#endif
}

#define JOIN(a, b)  a##b
#define TABLE(name) JOIN(cpu_kernels_, name)
#define TEXT_OF(x)  #x
#define TEXT(x)     TEXT_OF(x)

const cpu_kernels TABLE(NAIK_KERNELS) = {.name = TEXT(NAIK_KERNELS),
                                         .run_here = run_here,
                                         .dslash = dslash,
                                         .finish = finish,
                                         .update_shifts = update_shifts,
                                         .update_direction = update_direction,
                                         .dot = dot,
                                         .load = load,
                                         .store = store};
