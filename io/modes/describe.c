/* describe.c - a file of modes described from itself: `naik info` */
#include <math.h>
#include <stdio.h>

#include "io/inspect.h"
#include "io/modes/modes_file.h"
#include "io/modes/vectors.h"

static void put_sum(naik_report *report, const char *name, const uint32_t sum[2])
{
    char text[32];
    snprintf(text, sizeof text, "%x %x", sum[0], sum[1]);
    naik_report_text(report, name, text);
}

static void put_attributes(hid_t h5, naik_report *report)
{
    static const char *const reals[] = {"tolerance", "gram_deviation", "interval_low",
                                        "interval_high"},
                             *const whole[] = {"degree",       "krylov",       "cycles",
                                               "applications", "search_links", "seed"};
    double real;
    int64_t number;
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        if (naik_h5_get_f64(h5, reals[i], &real, 0)) {
            naik_report_real(report, reals[i], real);
        }
    }
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        if (naik_h5_get_i64(h5, whole[i], &number, 0)) {
            naik_report_int(report, whole[i], number);
        }
    }
}

static void put_spectrum(hid_t h5, const naik_modes_spectrum *s, naik_report *report)
{
    const double last = s->lambda2[s->count - 1];
    double worst = 0, tolerance = 0;
    int within = 0;
    naik_h5_get_f64(h5, "tolerance", &tolerance, 0);
    for (int i = 0; i < s->count; i++) {
        worst = fmax(worst, s->residual[i]);
        within += s->residual[i] <= tolerance * s->lambda2[i];
    }
    naik_report_int(report, "modes", s->count);
    naik_report_real(report, "lambda_first", naik_modes_lambda(s->lambda2[0]));
    naik_report_real(report, "lambda_last", naik_modes_lambda(last));
    naik_report_int(report, "modes_within_tolerance", within);
    naik_report_real(report, "largest_residual", worst);
    naik_report_real(report, "largest_residual_of_last_lambda2", last > 0 ? worst / last : NAN);
}

/* Every vector against its checksum. */
static naik_status verify(naik_comm *comm, hid_t h5, const char *path, const naik_modes_spectrum *s,
                          naik_report *report, naik_status *verdict)
{
    naik_status status = NAIK_OK;
    naik_lattice *lattice = NULL;
    naik_mode_vectors vectors = {.dataset = -1, .type = -1};
    int damaged = 0, first = 0;
    NAIK_TRY(naik_lattice_create(comm, s->size, NULL, &lattice));
    NAIK_TRY(naik_mode_vectors_open(lattice, h5, &vectors));
    for (int i = 0; i < s->count; i++) {
        uint32_t sum[2];
        NAIK_TRY(naik_mode_vector_read(&vectors, NULL, i, sum));
        if (sum[0] != s->suma[i] || sum[1] != s->sumb[i]) {
            first = damaged == 0 ? i : first;
            damaged++;
        }
    }
    naik_report_int(report, "modes_verified", s->count - damaged);
    naik_report_bool(report, "intact", damaged == 0);
    if (damaged > 0) {
        naik_log_warn(comm->log, "'%s': %d of %d modes are damaged, the first is mode %d", path,
                      damaged, s->count, first);
        *verdict = NAIK_ERR_CORRUPT;
    }
done:
    naik_mode_vectors_close(&vectors);
    naik_lattice_destroy(&lattice);
    return status;
}

naik_status naik_describe_modes(naik_comm *comm, hid_t h5, const char *path, bool verified,
                                naik_report *report, naik_status *verdict)
{
    naik_status status = NAIK_OK;
    naik_modes_spectrum s;
    naik_report_text(report, "kind", "low modes");
    naik_describe_identity(h5, report);
    NAIK_TRY(naik_comm_agree(comm, naik_modes_spectrum_get(comm->log, h5, path, &s)));
    naik_describe_size(s.size, report);
    *verdict = s.state == NAIK_MODES_COMPLETE ? NAIK_OK : NAIK_ERR_INTERRUPTED;
    if (s.state == NAIK_MODES_UNFINISHED) {
        goto done;
    }
    naik_report_real(report, "naik_epsilon", s.naik_epsilon);
    put_sum(report, "fat_links", s.fat);
    put_sum(report, "long_links", s.far);
    naik_report_text(report, "parity", "even");
    naik_report_int(report, "file_precision", s.bricks ? 16 : 32);
    if (s.state == NAIK_MODES_COMPLETE) {
        put_spectrum(h5, &s, report);
    } else {
        naik_report_int(report, "vectors", s.count);
    }
    put_attributes(h5, report);
    if (verified) {
        NAIK_TRY(verify(comm, h5, path, &s, report, verdict));
    }
done:
    naik_modes_spectrum_clear(&s);
    return status;
}
