/* wilson.c - the leaf kernels of spinors, for one instruction set; compiled as kernels.c is */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-schedule-insns2")
#endif

#include <math.h>
#include <stdbool.h>

#include "backend/cpu/terms.h"
#include "backend/site_blocks.h"

#define REAL double
#define V(x) x##_d
#define REG  reg_d
#define R(x) REG_D(x)
#include "backend/cpu/hop.inc"
#define REAL float
#define V(x) x##_f
#define REG  reg_f
#define R(x) REG_F(x)
#include "backend/cpu/hop.inc"

#define VECTOR_BODY   "backend/cpu/blocks.inc"
#define PAIR_BODY     "backend/cpu/wilson.inc"
#define MULTIPLY_SITE VECTOR(multiply_site)
#include "backend/cpu/pairs.inc"

static void dslash(const naik_dslash_args *args, const int32_t *list, int32_t begin, int32_t end,
                   cpu_sums *sums)
{
    const bool half_links = args->links->precision == NAIK_HALF;
    switch (args->in->precision) {
    case NAIK_DOUBLE: wilson_d_d(args, list, begin, end, sums); break;
    case NAIK_SINGLE: (half_links ? wilson_f_h : wilson_f_f)(args, list, begin, end, sums); break;
    case NAIK_HALF: (half_links ? wilson_h_h : wilson_h_f)(args, list, begin, end, sums); break;
    }
}

static void multiply(const naik_blocks *blocks, const naik_field *in, naik_parity parity,
                     const naik_rhs *rhs, naik_rhs_state state, naik_field *out, int32_t begin,
                     int32_t end)
{
    switch (in->precision) {
    case NAIK_DOUBLE: multiply_d_vector(blocks, in, parity, rhs, state, out, begin, end); break;
    case NAIK_SINGLE: multiply_f_vector(blocks, in, parity, rhs, state, out, begin, end); break;
    case NAIK_HALF: multiply_h_vector(blocks, in, parity, rhs, state, out, begin, end); break;
    }
}

#define JOIN(a, b)  a##b
#define TABLE(name) JOIN(cpu_wilson_, name)

const cpu_wilson TABLE(NAIK_KERNELS) = {.dslash = dslash, .multiply = multiply};
