/* skip.c - whether a complete output can be left as it is, with its input and configuration */
#include "cli/skip.h"

#include <unistd.h>

#include "io/gauge/same_links.h"
#include "io/prop/reader.h"
#include "naik/gauge_io.h"

/* Rank 0. What has not converged may be due again. */
static bool all_converged(const naik_propagator_reader *view)
{
    bool all = true;
    for (int i = 0; all && i < view->columns * view->pair_count; i++) {
        all = view->pairs[i / view->columns].solve[i % view->columns].state == NAIK_SOLVE_DONE;
    }
    return all;
}

/* An array of jobs calls the outputs by the names of the files alone, and a file may be replaced. */
static naik_status same_configuration(naik_comm *comm, const naik_input *input,
                                      const naik_propagator_reader *view, bool *same)
{
    naik_gauge_file file = {0};
    const char *path = input->gauge.file;
    bool there = comm->rank == 0 && path != NULL && access(path, F_OK) == 0;
    *same = true;
    NAIK_PASS(naik_comm_broadcast(comm, &there, sizeof there, 0));
    if (!there) {
        return NAIK_OK;
    }
    const naik_status status = naik_gauge_file_probe_sized(comm, path, input->lattice.size, &file);
    if (status == NAIK_OK) {
        const char *then =
            view != NULL ? naik_propagator_reader_text(view, "gauge_checksum") : NULL;
        *same = then != NULL && file.checksum_known &&
                naik_links_line_has_sum(then, file.checksum_kind, file.checksum_stored);
    } else if (status != NAIK_ERR_MPI) {
        naik_log_clear(comm->log);
        naik_log_warn(comm->log,
                      "'%s' cannot be read as a configuration any more, so naik does not know "
                      "whether it is that of %s",
                      path, input->output.file);
    }
    naik_gauge_file_clear(&file);
    NAIK_PASS(status == NAIK_ERR_MPI ? status : NAIK_OK);
    return naik_comm_broadcast(comm, same, sizeof *same, 0);
}

naik_status skip_complete(naik_comm *comm, const naik_input *input, bool *skip)
{
    naik_propagator_reader *view = NULL;
    bool same = false;
    *skip = comm->rank == 0 &&
            naik_propagator_reader_open(comm->log, input->output.file, 0, 0, &view) == NAIK_OK &&
            all_converged(view);
    naik_log_clear(comm->log); /* what is wrong with it is found out by the run */
    naik_status status = naik_comm_broadcast(comm, skip, sizeof *skip, 0);
    if (status == NAIK_OK && *skip) {
        status = same_configuration(comm, input, view, &same);
        *skip = same;
    }
    naik_propagator_reader_destroy(&view);
    return status;
}
