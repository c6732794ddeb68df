/* terms.h - what all leaf kernels of the CPU share beside vectors: exact sums of terms, masks */
#ifndef NAIK_BACKEND_CPU_TERMS_H
#define NAIK_BACKEND_CPU_TERMS_H

#include <float.h>

#include "backend/cpu/cpu.h"
#include "backend/cpu/simd.h"
#include "backend/cpu/sums.h"

enum { STREAMED = 8 << 20 }; /* bytes of a field that no cache is to keep */

static inline bool is_active(const naik_dslash_args *args, int irhs)
{
    return args->rhs == NULL || args->rhs[irhs].state == (int32_t)args->state;
}

/* s += the lanes of term, exactly (backend/cpu/sums.h). */
INLINE void add_terms(cpu_sums *s, simd_d term)
{
    double lane[LANES];
    if (LANES == 1 || !all_below_d(term, s->limit)) {
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
    if (!all_below_d(term, DBL_TRUE_MIN)) {
        store_d(lane, term);
        for (int k = 0; k < LANES; k++) {
            naik_exactsum_add(&s->sum, lane[k]);
        }
    }
    if (++s->count == SUMS_FULL) {
        cpu_sums_flush(s);
    }
}

#endif
