/* pilot.c - means over the records of a file */
#include "plan/pilot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/prop/reader.h"
#include "stored/told_multigrid.h"

/* The action's name from the canonical input of a file (input.h); "" where it has none. */
static void action_of(const naik_propagator_reader *v, char *name, size_t name_size)
{
    static const char key[] = "action.type = ", special[] = "\naction.projection = su3\n";
    const char *input = naik_propagator_reader_text(v, "canonical_input");
    const char *at = input != NULL ? strstr(input, key) : NULL;
    name[0] = '\0';
    if (at != NULL) {
        at += sizeof key - 1;
        snprintf(name, name_size, "%.*s%s", (int)strcspn(at, "\n"), at,
                 strstr(input, special) != NULL ? "_su3" : "");
    }
}

/* How many modes deflated the first solve that converged with some; 0: none did. */
static int modes_of(const naik_propagator_reader *v)
{
    for (int i = 0; i < v->columns * v->pair_count; i++) {
        const naik_solve_record *r = &v->pairs[i / v->columns].solve[i % v->columns];
        if (r->state == NAIK_SOLVE_DONE && r->modes > 0) {
            return r->modes;
        }
    }
    return 0;
}

/* Of the solves with so many modes, or by multigrid. */
static void gather(const naik_propagator_reader *v, int modes, bool multigrid, pilot_means *out)
{
    int solves[PILOT_MASSES] = {0};
    out->modes = modes;
    for (int i = 0; i < v->columns * v->pair_count; i++) {
        const naik_solve_record *r = &v->pairs[i / v->columns].solve[i % v->columns];
        const double mass = v->pairs[i / v->columns].quark.mass, n = r->iterations;
        int at = 0;
        if (r->state != NAIK_SOLVE_DONE || r->modes != modes || r->iterations < 1 ||
            told_multigrid_has(r) != multigrid || !(r->target > 0 && r->target < 1)) {
            continue;
        }
        while (at < out->count && out->mean[at].mass != mass) {
            at++;
        }
        if (at == PILOT_MASSES) {
            continue;
        }
        if (at == out->count) {
            told_multigrid did;
            out->mean[out->count++] =
                (model_pilot){.mass = mass, .tolerance = r->target, .least = n, .most = n};
            out->steps[at] = multigrid && told_multigrid_of(v, mass, &did) && did.outer > 0
                                 ? (double)did.coarse / (double)did.outer
                                 : 0;
        }
        model_pilot *mean = &out->mean[at];
        solves[at]++;
        mean->mean += (n - mean->mean) / solves[at];
        mean->least = fmin(mean->least, n);
        mean->most = fmax(mean->most, n);
    }
}

naik_status pilot_read(naik_comm *comm, const naik_input *input, const char *path, pilot *out)
{
    naik_status status = NAIK_OK;
    naik_propagator_reader *view = NULL;
    const char *own = input->kind->name;
    char theirs[32] = "";
    memset(out, 0, sizeof *out);
    if (comm->rank == 0) {
        status = naik_propagator_reader_open(comm->log, path, 0, 0, &view);
        if (status == NAIK_OK) {
            action_of(view, theirs, sizeof theirs);
        }
        if (status == NAIK_OK && strcmp(theirs, own) != 0) {
            status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                               "--from %s: its action is %s, this input's is %s: their iterations "
                               "are not comparable",
                               path, theirs, own);
        }
        if (status == NAIK_OK) {
            const int modes = modes_of(view);
            gather(view, 0, false, &out->plain);
            gather(view, 0, true, &out->multigrid);
            if (modes > 0) {
                gather(view, modes, false, &out->deflated);
            }
        }
        if (status == NAIK_OK &&
            out->plain.count + out->deflated.count + out->multigrid.count == 0) {
            status =
                NAIK_FAIL(comm->log, NAIK_ERR_INPUT, "--from %s: no solve of it converged", path);
        }
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_comm_broadcast(comm, out, sizeof *out, 0));
done:
    naik_propagator_reader_destroy(&view);
    return status;
}
