/* dry_run.c - what can be said about a run before its work: `naik solve --dry-run`
 *
 * Every file that the input names is read and verified as the run would, or with --no-verify only
 * looked at: there, of a known format, of the right extents. The output's folder takes the file.
 */
#include <stdio.h>
#include <string.h>

#include "plan/plan_multigrid.h"
#include "plan/spec.h"
#include "quark/stored_modes.h"
#include "run/groups.h"
#include "run/method.h"
#include "stored/source_file.h"

/* Fat and long links from files have checksums, which reading compares. */
static naik_status verify_stored_links(solve_job *j)
{
    naik_status status = NAIK_OK;
    const naik_input *input = j->input;
    for (int q = 0; q < input->quark_count && status == NAIK_OK; q++) {
        naik_fatlong *links = NULL;
        if (naik_quark_first_of_links(input->quarks, q) == q) {
            status =
                naik_link_provider_links(j->links, input->quarks[q].naik_epsilon, NULL, &links);
            naik_fatlong_destroy(&links);
        }
    }
    return status;
}

/* Whether the links can be stored in as few numbers as the plan has: those that are not in SU(3) cannot. */
static naik_status try_short_links(const solve_job *j)
{
    enum { ALL_NUMBERS = 18 };
    naik_status status = NAIK_OK;
    naik_links *packed = NULL;
    const naik_fatlong thin = {.fat = j->links->thin};
    if (j->input->kind->short_links && j->plan.recon != ALL_NUMBERS) {
        status = naik_links_create(j->geometry, &thin, j->plan.links, j->plan.recon, &packed);
        naik_links_destroy(&packed);
    }
    return status;
}

static naik_status verify_links(solve_job *j)
{
    const bool stored = j->input->gauge.file == NULL;
    NAIK_PASS(solve_groups_links(j));
    if (stored) {
        naik_log_line(j->log, "links: %s, %s", j->input->action.file, j->links->content);
        NAIK_PASS(solve_groups_agree(j, verify_stored_links(j)));
    }
    NAIK_PASS(solve_groups_agree(j, try_short_links(j)));
    naik_log_line(j->log, "%s verified", stored ? "links" : "configuration");
    return NAIK_OK;
}

static naik_status look_at_links(solve_job *j)
{
    naik_status status = NAIK_OK;
    const naik_input *input = j->input;
    naik_gauge_file probe = {0};
    if (input->gauge.file != NULL) {
        NAIK_TRY(naik_gauge_file_probe_sized(j->comm, input->gauge.file, j->lattice->size, &probe));
        naik_log_line(j->log, "configuration: %s, %s, %d bit, %dx%dx%dx%d", input->gauge.file,
                      probe.format, probe.precision, probe.size[0], probe.size[1], probe.size[2],
                      probe.size[3]);
        NAIK_TRY(naik_lattice_expect(j->lattice, input->gauge.file, probe.size));
    } else {
        NAIK_TRY(solve_groups_links(j));
        naik_log_line(j->log, "links: %s, %s", input->action.file, j->links->content);
    }
done:
    naik_gauge_file_clear(&probe);
    return status;
}

/* Sources and starting values, by the own group. */
static naik_status look_at_sources(solve_job *j, bool verify)
{
    char links[512];
    NAIK_PASS(verify ? source_file_identify(j->lattice, j->input, &j->sources)
                     : source_file_precheck(j->lattice, j->input));
    if (verify) {
        naik_link_provider_identity(j->links, links, sizeof links);
    }
    NAIK_PASS(sequential_open(j->lattice, j->input, verify ? links : NULL, NULL, &j->sources,
                              &j->stored, &j->sequential));
    NAIK_PASS(solve_guess_open(j->lattice, j->input, verify ? links : NULL, j->sources.text,
                               &j->stored, &j->guess));
    if (verify) {
        NAIK_PASS(sequential_verify(&j->sequential, j->lattice, &j->stored));
        NAIK_PASS(solve_guess_verify(&j->guess, j->lattice, &j->stored));
        stored_runs_report(&j->stored, j->log);
    }
    return NAIK_OK;
}

/* An unfinished output that was begun with multigrid, where there can be none: refused as the run refuses it. What
 * cannot be read is the run's to judge. */
static naik_status look_at_begun(solve_job *j)
{
    struct {
        char choices[sizeof j->plan.choices];
        bool undecided;
    } told = {.undecided = false};
    naik_propagator_reader *v = NULL;
    solve_plan plan = j->plan;
    if (!j->input->solver.method_auto || plan.multigrid) {
        return NAIK_OK;
    }
    if (j->comm->rank == 0 &&
        naik_propagator_reader_open(j->log, j->input->output.file, 0, 0, &v) != NAIK_OK) {
        naik_log_clear(j->log);
    }
    const char *choices =
        v != NULL && !v->complete ? naik_propagator_reader_text(v, "choices") : NULL;
    if (choices != NULL) {
        snprintf(told.choices, sizeof told.choices, "%s", choices);
        told.undecided = solve_method_stored_undecided(v, j->input);
    }
    naik_propagator_reader_destroy(&v);
    NAIK_PASS(naik_comm_broadcast(j->comm, &told, sizeof told, 0));
    return solve_plan_restore_multigrid(&plan, j->input, j->log, told.choices, false,
                                        told.undecided);
}

/* Modes of another file, whose name was mistyped, are of these links or not: the links are made where there is one. */
static naik_status look_beside_modes(solve_job *j)
{
    naik_status status = NAIK_OK;
    for (int q = 0; q < j->input->quark_count && status == NAIK_OK; q++) {
        const naik_quark *quark = &j->input->quarks[q];
        naik_fatlong *links = NULL;
        bool mistyped;
        NAIK_PASS(modes_beside_suspect(j->input, j->geometry, j->plan.modes, q, &mistyped));
        if (mistyped && solve_plan_pays(&j->plan, j->input, quark)) {
            NAIK_PASS(naik_link_provider_links(j->links, quark->naik_epsilon, NULL, &links));
            status = modes_beside_refuse_of(j->input, j->geometry, j->plan.modes, links);
            naik_fatlong_destroy(&links);
        }
    }
    return status;
}

naik_status solve_dry_run(solve_job *j, bool verify, bool fresh)
{
    naik_status status = NAIK_OK;
    solve_spec *spec = NULL;
    solve_plan_print(&j->plan, j->input, j->log);
    NAIK_TRY(verify ? verify_links(j) : look_at_links(j));
    NAIK_TRY(solve_groups_agree(j, look_at_sources(j, verify)));
    NAIK_TRY(solve_groups_agree(j, verify ? look_beside_modes(j) : NAIK_OK));
    NAIK_TRY(fresh ? NAIK_OK : look_at_begun(j));
    NAIK_TRY(solve_spec_create(j->input, &j->plan, j->backend, j->lattice, NULL, NULL, &spec));
    NAIK_TRY(naik_propagator_file_precheck(j->whole, j->input->output.file, solve_spec_file(spec)));
    solve_report_output(j, solve_spec_file(spec));
    naik_log_line(j->log, "dry run: the input is valid; nothing was solved%s",
                  verify ? "" : ", and its files were looked at but not verified");
done:
    solve_spec_destroy(&spec);
    return status;
}
