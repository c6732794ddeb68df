/* solve_own_links.c CONFIGURATION MASS - naik inside a program that has MPI and links of its own
 *
 *     mpicc -std=c17 solve_own_links.c $(pkg-config --cflags --libs naik) -o solve_own_links
 *
 * Here the links come from a file all the same; any program may fill gauge->link instead.
 */
#include <stdio.h>
#include <stdlib.h>

#include "naik/mpi.h"
#include "naik/naik.h"

static naik_status work(naik_comm *comm, const char *configuration, double mass)
{
    naik_status status = NAIK_OK;
    naik_lattice *lattice = NULL;
    naik_gauge *gauge = NULL;
    naik_session *session = NULL;
    naik_session_result result;
    naik_gauge_file file = {0};
    double *src = NULL, *x = NULL;
    NAIK_TRY(naik_gauge_file_probe(comm, configuration, &file));
    NAIK_TRY(naik_lattice_create(comm, file.size, NULL, &lattice));
    NAIK_TRY(naik_gauge_create(lattice, &gauge));
    naik_gauge_file_clear(&file);
    NAIK_TRY(naik_gauge_file_read(configuration, gauge, &file)); /* gauge->link [sites][4] */
    NAIK_TRY(naik_session_create(
        comm, &(naik_session_options){.links = gauge, .keys = "action: {type: hisq}"}, &session));
    naik_gauge_destroy(&gauge);
    src = calloc((size_t)lattice->sites * 6, sizeof *src); /* [sites][3][2], x fastest */
    x = calloc((size_t)lattice->sites * 6, sizeof *x);
    NAIK_TRY(naik_source_fill(lattice, &(naik_source){.type = NAIK_SOURCE_POINT}, 0, src));
    NAIK_TRY(naik_session_solve(session, mass, 1e-10, 1, src, x, &result));
    naik_log_line(comm->log, "%s after %d iterations, |src - M x| / |src| = %.2e, |x| = %.12e",
                  result.reason, result.iterations, result.source_residual, result.norm);
done:
    free(src);
    free(x);
    naik_session_destroy(&session);
    naik_gauge_destroy(&gauge);
    naik_lattice_destroy(&lattice);
    naik_gauge_file_clear(&file);
    return status;
}

int main(int argc, char **argv)
{
    naik_comm *comm = NULL;
    naik_log *log = naik_log_create();
    naik_status status = NAIK_ERR_INPUT;
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    if (argc == 3 && naik_comm_create_from(MPI_COMM_WORLD, log, &comm) == NAIK_OK) {
        status = naik_comm_agree(comm, work(comm, argv[1], atof(argv[2])));
        if (status != NAIK_OK && comm->rank == 0) {
            naik_log_print_failure(log);
        }
    } else {
        fprintf(stderr, "usage: %s CONFIGURATION MASS\n", argv[0]);
    }
    naik_comm_destroy(&comm);
    naik_log_destroy(&log);
    MPI_Finalize();
    return naik_status_exit(status);
}
