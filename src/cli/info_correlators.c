/* info_correlators.c - `naik info FILE --correlators` */
#include "cli/info_correlators.h"

#include <limits.h>

#include "io/prop/reader.h"

static void print_correlator(naik_log *log, const naik_propagator_reader *v,
                             const naik_reader_pair *pair, const naik_reader_correlator *c)
{
    int failed = 0;
    for (int colour = 0; colour < 3; colour++) {
        failed += pair->solve[colour].state == NAIK_SOLVE_NOT_CONVERGED;
    }
    naik_log_line(log, "# %s source=%s mass=%.10g naik_epsilon=%.10g momentum=%d,%d,%d%s", c->meson,
                  pair->label, pair->mass, pair->naik_epsilon, c->momentum[0], c->momentum[1],
                  c->momentum[2], failed > 0 ? " not converged" : "");
    for (int t = 0; t < v->size[NAIK_DIM - 1]; t++) {
        naik_log_line(log, "%d %.16e", t, c->values[t]);
    }
    naik_log_line(log, "\n");
}

static naik_status print(naik_log *log, const naik_propagator_reader *v)
{
    int printed = 0, damaged = v->edited[0] != '\0';
    for (int i = 0; i < v->pair_count; i++) {
        const naik_reader_pair *pair = &v->pairs[i];
        damaged += pair->correlators_damaged;
        for (int k = 0; k < pair->correlator_count; k++) {
            print_correlator(log, v, pair, &pair->correlators[k]);
            printed++;
        }
    }
    if (damaged > 0) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "%s is damaged, and what disagrees was left out: see naik info", v->path);
    }
    return printed > 0 ? NAIK_OK
                       : NAIK_FAIL(log, NAIK_ERR_INPUT, "%s holds no correlators", v->path);
}

naik_status info_correlators(naik_comm *comm, const char *path)
{
    naik_status status = NAIK_OK;
    naik_propagator_reader *view = NULL;
    if (comm->rank == 0) {
        status = naik_propagator_reader_open(comm->log, path, 0, INT_MAX, &view);
        status = status == NAIK_OK ? print(comm->log, view) : status;
    }
    naik_propagator_reader_destroy(&view);
    return naik_comm_agree(comm, status);
}
