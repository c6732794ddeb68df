/* multigrid.c - which quark a multigrid is made for, and what becomes of it for the next */
#include "quark/multigrid.h"

#include <stdio.h>
#include <string.h>

#include "quark/stored_multigrid.h"
#include "solver/bicgstab.h"

bool quark_multigrid_is_asked(const naik_input *input)
{
    return input->solver.method == NAIK_METHOD_MULTIGRID && !naik_quark_shifts(input->kind);
}

naik_status quark_multigrid_grid(naik_comm *comm, const naik_input *input, int grid[NAIK_DIM])
{
    memset(grid, 0, NAIK_DIM * sizeof *grid);
    const bool may = quark_multigrid_is_asked(input) || input->solver.method_auto;
    return may && input->run.grid[0] == 0
               ? naik_aggregates_choose_grid(comm, input->lattice.size, input->multigrid.aggregate,
                                             input->solver.method_auto, grid)
               : NAIK_OK;
}

naik_status quark_multigrid_check(const naik_geometry *geometry, const naik_input *input)
{
    naik_status status = NAIK_OK;
    naik_aggregates *aggregates = NULL;
    if (quark_multigrid_is_asked(input)) {
        NAIK_TRY(naik_aggregates_create(geometry, input->multigrid.aggregate, &aggregates));
    }
    NAIK_TRY(stored_multigrid_check(geometry->lattice->comm, input));
done:
    naik_aggregates_destroy(&aggregates);
    return status;
}

/* Whose near-null vectors the input wants for the quark, where no file has some. */
static naik_quark maker_of(const naik_input *input, const naik_quark *quark)
{
    naik_quark maker = *quark;
    for (int q = 0; q < input->quark_count; q++) {
        const naik_quark *other = &input->quarks[q];
        if (quark_multigrid_is_family(other, quark) && quark_multigrid_is_lighter(other, &maker)) {
            maker = *other;
        }
    }
    if (input->setup_kappa > 0) {
        maker.mass = quark_multigrid_mass_of(input->setup_kappa);
    }
    return maker;
}

/* Whose they are: of the file, which may have come to be what they were made for. */
static naik_status find_maker(const quark_multigrid *m, naik_comm *comm, const naik_input *input,
                              const naik_quark *quark, naik_quark *maker)
{
    bool there = false;
    *maker = maker_of(input, quark);
    if (input->multigrid_file == NULL) {
        return NAIK_OK;
    }
    if (m->kept && quark_multigrid_is_family(&m->made_for, quark)) {
        *maker = m->made_for;
        return NAIK_OK;
    }
    return stored_multigrid_look(comm, input, quark, &there, maker);
}

static const naik_wilson *inner_of(const naik_operator_set *set)
{
    return set->wilson[naik_operator_set_fastest(set)];
}

/* What a call works with. */
typedef struct work {
    naik_link_provider *links;
    const naik_geometry *geometry;
    const naik_input *input;
    const naik_set_storage *storage;
    int width;
    bool spare;
} work;

/* What failed is told, with its reason, and done without: m is not `usable`. */
static naik_status forgive(quark_multigrid *m, const work *w, naik_status status)
{
    naik_log *log = w->geometry->backend->log;
    m->usable = status == NAIK_OK;
    if (status == NAIK_ERR_NOT_CONVERGED || (status == NAIK_ERR_MEMORY && w->spare)) {
        snprintf(m->why, sizeof m->why, "%s: BiCGStab solves without multigrid",
                 naik_log_message(log));
        naik_log_warn(log, "%s", m->why);
        naik_log_clear(log);
        return NAIK_OK;
    }
    return status;
}

static naik_status make(quark_multigrid *m, const work *w, const naik_operator_set *set)
{
    stored_multigrid stored = {.input = w->input,
                               .links = w->links,
                               .geometry = w->geometry,
                               .inner = inner_of(set),
                               .maker = &m->made_for};
    const naik_multigrid_store store = stored_multigrid_of(&stored);
    const naik_status status =
        forgive(m, w,
                naik_multigrid_create(set->wilson[NAIK_DOUBLE], inner_of(set), w->width,
                                      &w->input->multigrid, &m->hooks,
                                      w->input->multigrid_file != NULL ? &store : NULL,
                                      w->geometry->backend->log, &m->mg));
    m->kept = stored.kept;
    m->sum = stored.sum;
    return status;
}

/* P stays whatever comes of it: the next quark may do, and a run that goes on there finds it so. */
static naik_status change(quark_multigrid *m, const work *w, const naik_operator_set *set)
{
    return forgive(m, w, naik_multigrid_change(m->mg, set->wilson[NAIK_DOUBLE], inner_of(set)));
}

/* What it was made of, and nobody looks at again. */
static naik_status verify(const naik_operator_set *set)
{
    naik_log *log = set->op[NAIK_DOUBLE].geometry->backend->log;
    for (int i = 0; i < NAIK_PRECISIONS; i++) {
        const char *what;
        int rank;
        NAIK_PASS(naik_operator_set_verify(set, (naik_precision)i, &what, &rank));
        if (rank >= 0) {
            return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                             "the %s of which multigrid was made changed in the memory of rank %d: "
                             "run the same command again, and elsewhere if that happens twice",
                             what, rank);
        }
    }
    return NAIK_OK;
}

/* For its maker, which may have to have its operators made for that. */
static naik_status begin(quark_multigrid *m, const work *w, const naik_quark *quark,
                         const naik_operator_set *set)
{
    naik_status status = NAIK_OK;
    naik_operator_set other = {.links = {NULL}};
    m->tried = true;
    if (naik_quark_shares_operator(&m->made_for, quark)) {
        return make(m, w, set);
    }
    NAIK_TRY(naik_link_provider_operators(w->links, w->geometry, &m->made_for, w->storage, NULL,
                                          &other));
    NAIK_TRY(make(m, w, &other));
    NAIK_TRY(verify(&other));
    if (m->mg != NULL) {
        NAIK_TRY(change(m, w, set));
    }
done:
    naik_operator_set_destroy(&other);
    return status;
}

naik_status quark_multigrid_ready(quark_multigrid *m, naik_link_provider *links,
                                  const naik_geometry *geometry, const naik_input *input,
                                  const naik_quark *quark, const naik_operator_set *set,
                                  const naik_set_storage *storage, int width, bool spare)
{
    naik_quark maker;
    const work w = {links, geometry, input, storage, width, spare};
    if (storage->vectors != NAIK_SINGLE) {
        return NAIK_FAIL(geometry->backend->log, NAIK_ERR_INPUT,
                         "solver.method multigrid iterates in single precision: leave "
                         "solver.inner_precision out");
    }
    m->why[0] = '\0';
    NAIK_PASS(find_maker(m, geometry->lattice->comm, input, quark, &maker));
    if (!m->tried || !naik_quark_shares_operator(&m->made_for, &maker) ||
        (m->mg != NULL && width > NAIK_MG_BLOCK && width > m->mg->width)) {
        quark_multigrid_close(m);
        m->made_for = maker;
        NAIK_PASS(begin(m, &w, quark, set));
    } else if (m->mg != NULL) {
        NAIK_PASS(change(m, &w, set));
    }
    if (m->usable) {
        m->preconditioner = naik_multigrid_preconditioner(m->mg);
    }
    return NAIK_OK;
}

quark_multigrid_work quark_multigrid_take(const quark_multigrid *m)
{
    quark_multigrid_work work = {.outer = 0};
    naik_cycle *cycle = m->mg != NULL ? m->mg->cycle : NULL;
    if (cycle != NULL) {
        work = (quark_multigrid_work){.outer = cycle->cycles,
                                      .coarse = cycle->steps,
                                      .beyond = cycle->beyond,
                                      .applications = m->mg->parameters.smoother + 1};
        cycle->cycles = cycle->steps = cycle->beyond = 0;
    }
    return work;
}

void quark_multigrid_close(quark_multigrid *m)
{
    naik_multigrid_destroy(&m->mg);
    *m = (quark_multigrid){.hooks = m->hooks};
}
