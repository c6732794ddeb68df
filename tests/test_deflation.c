#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cg_fixture.h"
#include "modes/deflate.h"
#include "modes/lanczos.h"

typedef struct sys { const fixture *f; naik_parity parity; double mass; } sys;
static naik_status load(void *data, int64_t index, naik_field *b, int irhs, naik_cg_system *system)
{
    const sys *s = data;
    double *v = fixture_vector(s->f, 70 + (uint64_t)index, (int)s->parity);
    *system = (naik_cg_system){.shift = 4 * s->mass * s->mass, .tolerance = 1e-10};
    naik_status st = s->f->backend->ops->field.from_host(b, s->parity, irhs, v);
    free(v);
    return st;
}
static naik_status finish(void *data, int64_t index, const naik_field *x, int irhs,
                          const naik_cg_result *r)
{
    (void)data; (void)index; (void)x; (void)irhs;
    fprintf(stderr, "   %d: %s iterations %d corrections %d restarts %d residual %.1e rung %s..%s (%s)\n", (int)index, naik_cg_reason_text(r->reason), r->iterations, r->corrections, r->restarts, r->residual, naik_rung_name(r->first_rung), naik_rung_name(r->rung), naik_cg_climb_text(r->climb));
    return NAIK_OK;
}
static void trial(check *t)
{
    fixture f;
    if (cg_rough_fixture(t, &f)) {
        naik_cg_links links = {0};
        naik_modes *modes = NULL, *half = NULL;
        naik_lanczos_report report;
        naik_lanczos_options options = naik_lanczos_defaults();
        options.modes = 24;
        CHECK_OK(t, naik_cg_links_create(f.geometry, f.source, NAIK_HALF, 18, &links));
        CHECK_OK(t, naik_lanczos_run(links.outer, links.single, &options, NULL, &modes, &report));
        CHECK_OK(t, naik_modes_create(f.geometry, NAIK_HALF, 24, &half));
        for (int b = 0; b < 3; b++) CHECK_OK(t, f.backend->ops->field.copy(half->block[b], modes->block[b], NULL, NAIK_RHS_IDLE));
        memcpy(half->lambda2, modes->lambda2, 24 * 8);
        memcpy(half->residual, modes->residual, 24 * 8);
        static const double masses[] = {0.0005, 0.002, 0.01};
        for (int p = 0; p < 2; p++)
        for (int m = 0; m < 3; m++)
        for (int rung = 0; rung < 5; rung++)
        for (int d = 0; d < 3; d++) {
            sys s = {&f, (naik_parity)p, masses[m]};
            naik_cg *cg = NULL;
            naik_deflation *defl = NULL;
            naik_cg_options o = naik_cg_defaults();
            if ((d == 0 && rung != 4) || (p==1 && rung !=4)) continue;
            o.max_iterations = 20000;
            o.first_rung = rung < 4 ? rung : -1;
            o.removed = d ? modes->lambda2[23] : 0;
            CHECK_OK(t, naik_cg_create(&links, NAIK_SINGLE, 1, &cg));
            CHECK_OK(t, naik_deflation_create(d == 2 ? half : modes, 24, links.outer, 1, &defl));
            const naik_cg_starter starter = naik_deflation_starter(defl, 1e-4);
            const naik_cg_stream stream = {.data = &s, .starter = d ? &starter : NULL, .count = 1, .load = load, .finish = finish};
            fprintf(stderr, "parity %d mass %g rung %d %s\n", p, masses[m], rung, d == 0 ? "plain" : d == 1 ? "single" : "half");
            CHECK_OK(t, naik_cg_solve(cg, s.parity, &o, &stream));
            naik_cg_destroy(&cg);
            naik_deflation_destroy(&defl);
        }
        naik_modes_destroy(&modes);
        naik_modes_destroy(&half);
        naik_cg_links_destroy(&links);
    }
    fixture_destroy(&f);
}
CHECK_MAIN(CHECK(trial))
