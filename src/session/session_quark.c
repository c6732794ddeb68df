/* session_quark.c - the operators, low modes, multigrid and solver of one quark of a session */
#include "session/session_quark.h"

#include <string.h>

#include "quark/low_modes.h"

static void clear_solver(session_quark *q)
{
    quark_solver_clear(&q->solver);
    q->width = 0;
}

static void clear_operators(session_quark *q)
{
    clear_solver(q);
    naik_modes_destroy(&q->modes);
    naik_operator_set_destroy(&q->set);
}

void session_quark_clear(session_quark *q)
{
    clear_operators(q);
    quark_multigrid_close(&q->multigrid);
    *q = (session_quark){.filed = q->filed, .first_epsilon = q->first_epsilon};
}

static naik_status make_operators(workplace *w, const naik_input *input, session_quark *q)
{
    naik_status status = NAIK_OK;
    naik_fatlong *canonical = NULL;
    const naik_set_storage storage = {q->plan.links, q->plan.recon, q->plan.vectors, q->plan.batch};
    NAIK_TRY(naik_link_provider_operators(&w->links, w->geometry, &q->quark, &storage, &canonical,
                                          &q->set));
    if (solve_plan_deflates(&q->plan, input, 0, 0)) {
        const low_modes_request asked = {.input = input,
                                         .wanted = q->plan.modes,
                                         .links = canonical,
                                         .set = &q->set,
                                         .masses = &q->quark.mass,
                                         .count = 1,
                                         .interrupt = w->interrupt};
        NAIK_TRY(low_modes_get(&asked, &q->modes));
        q->first_epsilon = q->filed ? q->first_epsilon : q->quark.naik_epsilon;
        q->filed = true;
    }
    if (quark_multigrid_is_asked(input)) {
        NAIK_TRY(quark_multigrid_ready(&q->multigrid, &w->links, w->geometry, input, &q->quark,
                                       &q->set, &storage, q->plan.multigrid_batch, false));
    }
done:
    naik_fatlong_destroy(&canonical);
    return status;
}

naik_status session_quark_use(workplace *w, naik_input *input, int count, session_quark *q)
{
    naik_status status = NAIK_OK;
    const naik_quark *quark = &input->quarks[0];
    solve_plan plan;
    int stored = 0;
    input->deflation.epsilon = q->filed ? &q->first_epsilon : NULL;
    if (input->deflation.modes != 0) {
        NAIK_TRY(low_modes_stored(input, w->geometry, &stored));
    }
    NAIK_TRY(naik_comm_agree(w->comm, solve_plan_make(input, w->geometry, count, stored, &plan)));
    const bool same = q->width > 0 && naik_quark_shares_operator(&q->quark, quark) &&
                      strcmp(q->plan.choices, plan.choices) == 0 &&
                      (q->modes != NULL) == solve_plan_deflates(&plan, input, 0, 0);
    if (same && q->width >= plan.batch) {
        q->quark = *quark;
        q->plan = plan;
        return NAIK_OK;
    }
    if (!same || quark->kind->links == NAIK_QUARK_THIN) { /* operators with spin have a width too */
        clear_operators(q);
        q->quark = *quark;
        q->plan = plan;
        NAIK_TRY(make_operators(w, input, q));
    }
    clear_solver(q);
    q->quark = *quark;
    q->plan = plan;
    NAIK_TRY(quark_solver_create(input, &q->plan, solve_plan_solver(input), &q->set, q->modes,
                                 plan.batch, &q->solver));
    q->solver.options.preconditioner = quark_multigrid_use(&q->multigrid);
    q->solver.options.restart = input->multigrid.restart;
    q->width = plan.batch;
done:
    if (status != NAIK_OK) {
        session_quark_clear(q);
    }
    return status;
}
