/* describe.c - a file of near-null vectors described from itself: `naik info` */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/inspect.h"
#include "io/multigrid/about.h"

static void put_quark(const naik_quark *quark, naik_report *report)
{
    const naik_quark_kind *kind = quark->kind;
    char twist[96];
    for (int i = 0; i < kind->number_count; i++) {
        if ((kind->numbers[i].uses & NAIK_NUMBER_FILE) != 0) {
            naik_report_real(report, kind->numbers[i].name, kind->numbers[i].value(quark));
        }
    }
    if (naik_quark_twist(quark) != NULL) {
        snprintf(twist, sizeof twist, "%.10g %.10g %.10g", quark->twist[0], quark->twist[1],
                 quark->twist[2]);
        naik_report_text(report, "twist", twist);
    }
}

static void put_parameters(const naik_multigrid_parameters *p, naik_report *report)
{
    char extents[64];
    snprintf(extents, sizeof extents, "%dx%dx%dx%d", p->aggregate[0], p->aggregate[1],
             p->aggregate[2], p->aggregate[3]);
    naik_report_int(report, "vectors", p->vectors);
    naik_report_text(report, "aggregate", extents);
    naik_report_int(report, "start", p->start);
    naik_report_int(report, "cycles", p->cycles);
    naik_report_int(report, "smoother", p->smoother);
    naik_report_real(report, "coarse_tolerance", p->coarse_tolerance);
    naik_report_int(report, "coarse_space", p->coarse_space);
    naik_report_int(report, "precision", p->precision);
    naik_report_int(report, "seed", (int64_t)p->seed);
}

static naik_status put_vectors(naik_comm *comm, hid_t h5, const char *path, const int *size,
                               int count, bool verified, naik_report *report, naik_status *verdict)
{
    naik_status status = NAIK_OK;
    naik_lattice *lattice = NULL;
    uint32_t sum[NAIK_MG_VECTORS_MOST][2];
    double near_null[NAIK_MG_VECTORS_MOST], worst = 0;
    int damaged = 0, first = 0;
    NAIK_TRY(naik_comm_agree(
        comm, naik_multigrid_numbers_get(comm->log, h5, path, count, sum, near_null)));
    for (int i = 0; i < count; i++) {
        worst = fmax(worst, near_null[i]);
    }
    naik_report_real(report, "largest_Mh_v_over_v", worst);
    if (!verified) {
        goto done;
    }
    NAIK_TRY(naik_lattice_create(comm, size, NULL, &lattice));
    NAIK_TRY(naik_multigrid_vectors_verify(lattice, h5, count, sum, &damaged, &first));
    naik_report_int(report, "vectors_verified", count - damaged);
    naik_report_bool(report, "intact", damaged == 0);
    if (damaged > 0) {
        naik_log_warn(comm->log,
                      "'%s': %d of %d near-null vectors are damaged, the first is number %d", path,
                      damaged, count, first);
        *verdict = NAIK_ERR_CORRUPT;
    }
done:
    naik_lattice_destroy(&lattice);
    return status;
}

naik_status naik_describe_multigrid(naik_comm *comm, hid_t h5, const char *path, bool verified,
                                    naik_report *report, naik_status *verdict)
{
    naik_multigrid_about about;
    char state[32] = "";
    int size[NAIK_DIM];
    naik_report_text(report, "kind", "near-null vectors of multigrid");
    naik_describe_identity(h5, report);
    naik_h5_get_text(h5, "state", state, sizeof state);
    if (strcmp(state, "incomplete") == 0) {
        *verdict = NAIK_ERR_INTERRUPTED;
        return NAIK_OK;
    }
    NAIK_PASS(naik_multigrid_about_get(comm->log, h5, path, &about, size));
    naik_describe_size(size, report);
    put_quark(&about.quark, report);
    naik_report_text(report, "links", about.links);
    put_parameters(&about.parameters, report);
    return put_vectors(comm, h5, path, size, about.parameters.vectors, verified, report, verdict);
}
