#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cg_fixture.h"
#include "modes/lanczos.h"

static void say(void *data, const naik_lanczos_progress *p)
{
    (void)data;
    fprintf(stderr, "cycle %d: %d of %d, lambda %g, [%g, %g], %lld applications, %.1f s, %.0f left%s\n", p->cycle, p->converged,
           p->wanted, sqrt(p->lambda2) / 2, p->low, p->high, (long long)p->applications, p->seconds, p->seconds_left, p->corrected ? " corrected" : "");
}

static void trial(check *t)
{
    fixture f;
    if (cg_rough_fixture(t, &f)) {
        naik_links *links = NULL, *single = NULL;
        naik_modes *modes = NULL;
        naik_lanczos_report report;
        naik_lanczos_options options = naik_lanczos_defaults();
        const naik_lanczos_hooks hooks = {.progress = say};
        options.modes = getenv("MODES") ? atoi(getenv("MODES")) : 24;
        CHECK_OK(t, naik_links_create(f.geometry, f.source, NAIK_DOUBLE, 18, &links));
        CHECK_OK(t, naik_links_create(f.geometry, f.source, NAIK_SINGLE, 18, &single));
        CHECK_OK(t, naik_lanczos_run(links, single, &options, &hooks, &modes, &report));
        double gram;
        CHECK_OK(t, naik_modes_measure(modes, links, &gram));
        for (int i = 0; modes && i < modes->count; i++) {
            fprintf(stderr, "%d %.8g residual %.2e (%.1e)\n", i, modes->lambda2[i], modes->residual[i], modes->residual[i]/modes->lambda2[i]);
        }
        fprintf(stderr, "gram %g apps %lld degree %d krylov %d\n", gram, (long long)report.applications, report.degree, report.krylov);
        naik_modes_destroy(&modes);
        naik_links_destroy(&links);
        naik_links_destroy(&single);
    }
    fixture_destroy(&f);
}
CHECK_MAIN(CHECK(trial))
