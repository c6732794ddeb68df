/* info_cmd.c - naik info FILE [--json] [--verify | --no-verify] [--residuals [--set KEY=VALUE]...],
 * naik info MODES.h5 [--mass M,...],
 * naik info FILE --correlators[=text|fnal] */
#include <unistd.h>

#include "base/options.h"
#include "cli/commands.h"
#include "cli/info_parts.h"
#include "io/beside.h"
#include "io/file_info.h"
#include "io/files.h"

/* Of an unfinished file the same solve makes good what is damaged. */
static naik_status tell_damaged(naik_log *log, const char *path)
{
    char part[NAIK_PATH_MAX];
    NAIK_PASS(naik_path_append(log, path, access(path, F_OK) == 0 ? "" : ".part", part));
    const naik_status status = NAIK_FAIL(log, NAIK_ERR_CORRUPT, "%s is damaged", part);
    return naik_beside_explain(log, part, false, status);
}

naik_status naik_command_info(naik_comm *comm, int argc, char **argv)
{
    static const char *const names[] = {"FILE"}, *const layouts[] = {"text", "fnal", NULL};
    const char *path, *masses = NULL;
    bool json = false, verify = false, no_verify = false, residuals = false;
    int layout = -1;
    naik_option_list overrides = {.count = 0};
    const naik_option options[] = {
        {.name = "json", .kind = NAIK_OPTION_FLAG, .target = &json},
        {.name = "verify", .kind = NAIK_OPTION_FLAG, .target = &verify},
        {.name = "no-verify", .kind = NAIK_OPTION_FLAG, .target = &no_verify},
        {.name = "correlators",
         .kind = NAIK_OPTION_CHOICE,
         .target = &layout,
         .choices = layouts,
         .lone = true},
        {.name = "residuals", .kind = NAIK_OPTION_FLAG, .target = &residuals},
        {.name = "set", .kind = NAIK_OPTION_LIST, .target = &overrides},
        {.name = "mass", .kind = NAIK_OPTION_TEXT, .target = &masses}};
    naik_status status = NAIK_OK, verdict = NAIK_OK;
    naik_report *report = NULL;
    NAIK_TRY(naik_options_parse(comm->log, "info", argc, argv, options,
                                (int)(sizeof options / sizeof *options), names, 1, &path));
    if (verify && no_verify) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT, "give --verify or --no-verify, not both");
        goto done;
    }
    if (overrides.count > 0 && !residuals) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT, "--set goes with --residuals only");
        goto done;
    }
    if (layout >= 0 && (json || verify || no_verify || residuals || masses != NULL)) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                           "--correlators prints them as text and goes with no other option");
        goto done;
    }
    if (layout >= 0) {
        return info_correlators(comm, path, layout == 1);
    }
    report = naik_report_create();
    if (report == NULL) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for a report");
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_file_describe(comm, path, !no_verify, report, &verdict));
    naik_log_set_quiet(comm->log,
                       residuals); /* what reading links says is not part of the answer */
    status = residuals
                 ? info_residuals(comm, path, overrides.text, overrides.count, report, &verdict)
                 : NAIK_OK;
    naik_log_set_quiet(comm->log, false);
    NAIK_TRY(status);
    if (masses != NULL && (verdict == NAIK_OK || verdict == NAIK_ERR_NOT_CONVERGED)) {
        NAIK_TRY(info_modes(comm, path, masses, report));
    }
    NAIK_TRY(naik_report_print(report, comm->log, json));
    if (verdict == NAIK_ERR_CORRUPT) {
        status = tell_damaged(comm->log, path);
    } else if (verdict == NAIK_ERR_INPUT) {
        status = NAIK_FAIL(comm->log, verdict, "naik has no use for what %s holds", path);
    } else if (verdict == NAIK_ERR_NOT_CONVERGED) {
        status = NAIK_FAIL(comm->log, verdict, "no solve of %s reached its tolerance", path);
    } else if (verdict == NAIK_ERR_INTERRUPTED) {
        status =
            NAIK_FAIL(comm->log, verdict,
                      "%s is not complete: run the same naik solve again to continue it", path);
    }
done:
    naik_report_destroy(&report);
    return status;
}
