/* lanczos_fixture.h - searches for low modes that tests begin, stop and look at */
#ifndef NAIK_TESTS_LANCZOS_FIXTURE_H
#define NAIK_TESTS_LANCZOS_FIXTURE_H

#include <math.h>
#include <stdlib.h>

#include "cg_fixture.h"
#include "modes/lanczos.h"

#define FINE 1e-2 /* tolerance of modes that are compared with exact ones */

typedef struct operators {
    naik_links *outer, *single, *half;
} operators;

static inline operators make_operators(check *t, const fixture *f)
{
    operators o = {NULL, NULL, NULL};
    CHECK_OK(t, naik_links_create(f->geometry, f->source, NAIK_DOUBLE, 18, &o.outer));
    CHECK_OK(t, naik_links_create(f->geometry, f->source, NAIK_SINGLE, 18, &o.single));
    CHECK_OK(t, naik_links_create(f->geometry, f->source, NAIK_HALF, 18, &o.half));
    return o;
}

static inline void release(operators *o)
{
    naik_links_destroy(&o->outer);
    naik_links_destroy(&o->single);
    naik_links_destroy(&o->half);
}

static inline double *stored_mode(check *t, const fixture *f, const naik_modes *modes, int i)
{
    double *v = calloc((size_t)f->lat->sites * 6, sizeof *v);
    CHECK_OK(t, f->backend->ops->field.to_host(modes->block[i / NAIK_MODES_BLOCK], NAIK_EVEN,
                                               i % NAIK_MODES_BLOCK, v));
    return v;
}

enum { FEW = 9 };

/* Runs with random links, in the polynomial those of 16 bits, and says what came out, modes folded with
 * weights: [sites][3][2]. */
static inline double *found_modes(check *t, const fixture *f, int max_cycles,
                                  const naik_lanczos_hooks *hooks, naik_status expected,
                                  double lambda2[FEW])
{
    operators o = make_operators(t, f);
    naik_modes *modes = NULL;
    naik_lanczos_report report;
    naik_lanczos_options options = naik_lanczos_defaults();
    double *sum = calloc((size_t)f->lat->sites * 6, sizeof *sum);
    options.modes = FEW;
    options.tolerance = FINE;
    options.degree = 120; /* so that it takes some cycles */
    options.krylov = 48;  /* the least */
    options.max_cycles = max_cycles;
    CHECK_STATUS(t, naik_lanczos_run(o.outer, o.single, o.half, &options, hooks, &modes, &report),
                 expected);
    for (int i = 0; modes != NULL && i < FEW; i++) {
        double *v = stored_mode(t, f, modes, i);
        for (int64_t k = 0; k < (int64_t)f->lat->sites * 6; k++) {
            sum[k] = fma(1 + 0.3 * i, v[k], sum[k]);
        }
        lambda2[i] = modes->lambda2[i];
        free(v);
    }
    CHECK_TRUE(t, expected != NAIK_OK || report.cycles > 2);
    naik_modes_destroy(&modes);
    release(&o);
    return sum;
}

#endif
