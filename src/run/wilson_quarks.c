/* wilson_quarks.c - thin links and the clover term of one mass into operators */
#include "run/wilson_quarks.h"

#include "base/timer.h"
#include "links/twist.h"

naik_status wilson_quarks_create(const naik_link_provider *source, const naik_geometry *geometry,
                                 const solve_plan *plan, double mass, const double *twist,
                                 int width, naik_wilson_set *out)
{
    naik_status status = NAIK_OK;
    naik_log *log = geometry->backend->log;
    naik_quark quark = source->input->quarks[0]; /* all have the numbers beside the mass */
    const double start_s = naik_time_s();
    naik_device *device = naik_backend_device(geometry->backend);
    naik_clover *clover = NULL;
    naik_gauge *links = NULL, *twisted = NULL;
    char words[NAIK_TWIST_TEXT], numbers[NAIK_QUARK_TEXT];
    quark.mass = mass;
    NAIK_TRY(naik_gauge_bring(source->thin, device, &links));
    if (naik_quark_csw(&quark) != 0) {
        NAIK_TRY(
            naik_clover_create(links, device, mass, quark.mu, naik_quark_csw(&quark), &clover));
    }
    if (twist != NULL) {
        NAIK_TRY(naik_gauge_twist(links, twist, 1, &twisted));
        naik_gauge_destroy(&links);
    }
    naik_twist_text(twist, words);
    NAIK_TRY(naik_wilson_set_create(geometry, twisted != NULL ? twisted : links, clover, mass,
                                    quark.mu, plan->links, plan->recon, plan->vectors, width, out));
    naik_quark_text(&quark, ", ", 10, numbers);
    naik_log_line(log, "quarks: %s, %s%s, ready in %.2f s; %lld clover blocks inverted with pivots",
                  naik_input_action_name(source->input), numbers, words, naik_time_s() - start_s,
                  clover != NULL ? (long long)clover->pivoted : 0);
done:
    naik_gauge_destroy(&links);
    naik_gauge_destroy(&twisted);
    naik_clover_destroy(&clover);
    return status;
}
