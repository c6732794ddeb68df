/* solve_in_memory.c CONFIGURATION MASS - HISQ propagator of a source in memory, and its pion
 *
 *     mpicc -std=c17 solve_in_memory.c $(pkg-config --cflags --libs naik) -o solve_in_memory
 */
#include <stdio.h>
#include <stdlib.h>

#include "naik/meson.h"
#include "naik/session.h"

static naik_status work(naik_comm *comm, const char *configuration, double mass)
{
    naik_status status = NAIK_OK;
    const naik_session_options options = {.configuration = configuration,
                                          .keys = "action: {type: hisq}"};
    naik_session *session = NULL;
    naik_session_result results[3];
    double *src = NULL, *x = NULL, *pion = NULL;
    NAIK_TRY(naik_session_create(comm, &options, &session));
    const naik_lattice *lattice = naik_session_lattice(session);
    const size_t vector = (size_t)lattice->sites * 6; /* [sites][3][2], x fastest */
    src = calloc(3 * vector, sizeof *src);
    x = calloc(3 * vector, sizeof *x);
    const int extent = lattice->size[3];
    pion = calloc(6 * (size_t)extent, sizeof *pion); /* [3][T], real and imaginary part */
    for (int colour = 0; colour < 3 && comm->rank == 0; colour++) {
        src[colour * vector + 2 * (size_t)colour] = 1; /* at the origin, which rank 0 has */
    }
    NAIK_TRY(naik_session_solve(session, mass, 1e-10, 3, src, x, results));
    for (int colour = 0; colour < 3; colour++) {
        naik_log_line(comm->log, "colour %d: %d iterations, |src - M x| / |src| = %.2e", colour,
                      results[colour].iterations, results[colour].source_residual);
        NAIK_TRY(naik_meson_correlator(lattice, NAIK_PION5, &(naik_frame){.origin = {0}},
                                       x + colour * vector, pion + 2 * colour * extent));
    }
    for (int t = 0; t < extent; t++) {
        naik_log_line(comm->log, "%d %.12e", t,
                      pion[2 * t] + pion[2 * (extent + t)] + pion[2 * (2 * extent + t)]);
    }
done:
    free(src);
    free(x);
    free(pion);
    naik_session_destroy(&session);
    return status;
}

int main(int argc, char **argv)
{
    naik_comm *comm = NULL;
    naik_log *log = naik_log_create();
    if (argc != 3 || naik_comm_create(&argc, &argv, log, &comm) != NAIK_OK) {
        fprintf(stderr, "usage: %s CONFIGURATION MASS\n", argv[0]);
        return 1;
    }
    naik_status status = naik_comm_agree(comm, work(comm, argv[1], atof(argv[2])));
    if (status != NAIK_OK && comm->rank == 0) {
        naik_log_print_failure(log);
    }
    naik_comm_destroy(&comm);
    naik_log_destroy(&log);
    return naik_status_exit(status);
}
