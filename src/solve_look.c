/* solve_look.c - what can be said about a run before its work: `naik solve --dry-run`
 *
 * Every file that the input names is looked at: there, of a known format, of the right extents; the
 * output's folder takes the file.
 */
#include <string.h>

#include "solve_job.h"
#include "solve_spec.h"
#include "source_file.h"

static naik_status look_at_links(solve_job *j)
{
    naik_status status = NAIK_OK;
    const naik_input *input = j->input;
    naik_gauge_file probe;
    memset(&probe, 0, sizeof probe);
    if (input->gauge.file != NULL) {
        NAIK_TRY(naik_gauge_file_probe(j->comm, input->gauge.file, &probe));
        naik_log_line(j->log, "configuration: %s, %s, %d bit, %dx%dx%dx%d", input->gauge.file,
                      probe.format, probe.precision, probe.size[0], probe.size[1], probe.size[2],
                      probe.size[3]);
        NAIK_TRY(naik_lattice_expect(j->lattice, input->gauge.file, probe.size));
    } else {
        NAIK_TRY(naik_link_source_open(j->lattice, input, j->backend, j->timer, &j->links));
        naik_log_line(j->log, "links: %s, %s", input->action.file, j->links.content);
    }
done:
    naik_gauge_file_clear(&probe);
    return status;
}

naik_status solve_look(solve_job *j)
{
    naik_status status = NAIK_OK;
    solve_spec *spec = NULL;
    solve_plan_print(&j->plan, j->input, j->log);
    NAIK_TRY(look_at_links(j));
    NAIK_TRY(source_file_look(j->lattice, j->input));
    NAIK_TRY(solve_spec_create(j->input, &j->plan, j->backend, j->lattice, NULL, NULL, &spec));
    NAIK_TRY(naik_propagator_file_look(j->lattice, j->input->output.file, solve_spec_file(spec)));
    solve_tell_output(j, solve_spec_file(spec));
    naik_log_line(j->log, "dry run: the input is valid; nothing was solved");
done:
    solve_spec_destroy(&spec);
    return status;
}
