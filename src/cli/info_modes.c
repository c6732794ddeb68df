/* info_modes.c - what the low modes of a file are good for: iterations with and without them
 *
 * Rank 0 reads the eigenvalues and tells the others the two that matter.
 */
#include "base/text.h"
#include "cli/info_parts.h"
#include "io/modes/modes_file.h"
#include "model/iterations.h"

enum { MOST_MASSES = 64 };

static naik_status parse(naik_log *log, const char *text, double mass[MOST_MASSES], int *count)
{
    bool good = naik_text_reals(text, MOST_MASSES, mass, count);
    for (int i = 0; good && i < *count; i++) {
        good = mass[i] > 0;
    }
    if (!good) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "--mass takes up to %d masses above 0, such as 0.001,0.01", MOST_MASSES);
    }
    return NAIK_OK;
}

naik_status info_modes(naik_comm *comm, const char *path, const char *masses, naik_report *report)
{
    naik_status status = NAIK_OK;
    double mass[MOST_MASSES], lambda[2] = {0, 0};
    int count = 0;
    NAIK_PASS(parse(comm->log, masses, mass, &count));
    if (comm->rank == 0) {
        naik_modes_spectrum s;
        status = naik_modes_spectrum_read(comm->log, path, &s);
        if (status == NAIK_OK) {
            lambda[0] = naik_modes_lambda(s.lambda2[0]);
            lambda[1] = naik_modes_lambda(s.lambda2[s.count - 1]);
        }
        naik_modes_spectrum_clear(&s);
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    NAIK_PASS(naik_comm_broadcast(comm, lambda, sizeof lambda, 0));
    naik_report_list(report, "predicted");
    for (int i = 0; i < count; i++) {
        naik_report_begin(report, NULL);
        naik_report_real(report, "mass", mass[i]);
        naik_report_int(report, "iterations_without",
                        llround(model_iterations_above(mass[i], 1e-10, lambda[0])));
        naik_report_int(report, "iterations",
                        llround(model_iterations_above(mass[i], 1e-10, lambda[1])));
        naik_report_real(report, "lambda_last_over_mass", lambda[1] / mass[i]);
        naik_report_end(report);
    }
    naik_report_end(report);
    return NAIK_OK;
}
