/* bicgstab_multigrid.c - GCR with a multigrid cycle as a level of the ladder */
#include <math.h>

#include "solver/bicgstab_parts.h"

static bg_own *own_of(naik_solver *s)
{
    return s->own;
}

naik_status bg_begin_multigrid(naik_solver *s, const bool on[])
{
    bg_own *own = own_of(s);
    if (own->gcr == NULL || naik_gcr_restart(own->gcr) != own->restart) {
        naik_gcr_destroy(&own->gcr);
        NAIK_PASS(naik_gcr_create(s->geometry, s->vectors, s->op[NAIK_RUNG_DOUBLE]->ops->spin,
                                  s->width, own->restart, &own->gcr));
    }
    if (naik_gcr_rhs(own->gcr) != s->width_now) {
        naik_gcr_begin(own->gcr, s->width_now);
    }
    for (int c = 0; c < s->width_now; c++) {
        if (on[c]) {
            naik_gcr_forget(own->gcr, c);
            s->slot[c].begun_rr = INFINITY;
        }
    }
    return NAIK_OK;
}

naik_status bg_narrow(naik_solver *s, const int *map, int n)
{
    const bg_own *own = bg_own_of(s);
    return own->gcr != NULL && naik_gcr_rhs(own->gcr) == s->width_now
               ? naik_gcr_narrow(own->gcr, map, n)
               : NAIK_OK;
}

/* What came out of a file and still waits for its first true residual stands where it was kept. */
void bg_keep(const naik_solver *s, int c, naik_solver_state *state)
{
    if (state->level != BG_MULTIGRID) {
        return;
    }
    if (s->slot[c].refreshed.level == BG_MULTIGRID) {
        double *const history = state->history, seconds = state->seconds;
        *state = s->slot[c].refreshed;
        state->history = history;
        state->seconds = seconds;
        state->vectors = 0;
    }
    state->live = 0;
}

/* An iteration: the preconditioner, B once, and with k directions, half of all as a rule, k products and 2 k + 3
 * sums of 24 numbers. BiCGStab's step is B twice and 84 flops a colour vector. */
double bg_flops_of_gcr(const naik_solver *s, const naik_solver_state *at, int iterations)
{
    enum { COMPLEX_FLOPS = 24 }; /* a product or sum, a colour vector */
    const naik_operator *op = s->op[NAIK_RUNG_DOUBLE];
    const bg_own *own = bg_own_of(s);
    const int spin = op->ops->spin;
    const double b = 0.5 * (op->ops->step_flops(op) - 84.0 * spin);
    const double kept = (1.5 * own->restart + 3) * COMPLEX_FLOPS * spin;
    return iterations * (own->preconditioner->flops + b + kept) +
           at->inner_steps * own->preconditioner->step_flops;
}

/* Where |r|^2 has fallen so far since the true residual, a step that brings so little meets rounding. */
static const double FALLEN = 1e-4, LITTLE = 0.8;

/* After a step: counted; whether the rhs asks for its true residual. A restart that has not halved |r| since
 * the last one may be rounding's, too. */
static void count(naik_solver *s, int c, double rr)
{
    naik_rhs *record = &s->record[c];
    naik_bicgstab_count(record, rr);
    if (record->state == NAIK_RHS_RUN && rr <= FALLEN * record->rr_max &&
        rr > LITTLE * record->rr_last) {
        record->state = NAIK_RHS_CHECK;
    }
    if (record->state == NAIK_RHS_RUN && naik_gcr_is_full(bg_own_of(s)->gcr, c)) {
        const double before = s->slot[c].begun_rr < INFINITY ? s->slot[c].begun_rr : record->rr_max;
        if (!(rr <= 0.25 * before)) {
            record->state = NAIK_RHS_CHECK;
        }
        s->slot[c].begun_rr = rr;
    }
}

static naik_status keep_history(naik_solver *s, const naik_gcr_step *step)
{
    for (int c = 0; s->history_stride > 0 && c < s->width_now; c++) {
        if (step->active[c]) {
            const int row = (s->record[c].iterations - 1) % s->longest;
            NAIK_PASS(naik_backend_upload(s->geometry->backend, s->history + row * s->width_now + c,
                                          &s->record[c].rr, sizeof s->record[c].rr));
        }
    }
    return NAIK_OK;
}

static naik_status iterate(naik_solver *s)
{
    naik_field *const *f = bg_fields_of(s, BG_MULTIGRID);
    bool stopped[NAIK_MAX_RHS] = {false}, any = false;
    naik_gcr_step step = {.op = bg_operator_of(s, BG_MULTIGRID),
                          .parity = s->parity,
                          .preconditioner = bg_own_of(s)->preconditioner,
                          .r = f[BATCH_R],
                          .x = f[BATCH_X]};
    for (int c = 0; c < s->width_now; c++) {
        step.active[c] = s->record[c].state == NAIK_RHS_RUN;
        step.rr[c] = s->record[c].rr;
    }
    NAIK_PASS(naik_gcr_iterate(bg_own_of(s)->gcr, &step));
    for (int c = 0; c < s->width_now; c++) {
        if (step.active[c]) {
            s->slot[c].state.inner_steps += step.inner_steps[c];
            count(s, c, step.rr[c]);
            stopped[c] = s->record[c].state != NAIK_RHS_RUN &&
                         !naik_gcr_is_full(bg_own_of(s)->gcr, c); /* x is whole */
            any = any || stopped[c];
        }
    }
    NAIK_PASS(keep_history(s, &step));
    if (any) {
        NAIK_PASS(naik_gcr_collect(bg_own_of(s)->gcr, f[BATCH_X], stopped));
    }
    return NAIK_OK;
}

naik_status bg_run_multigrid(naik_solver *s, int *done)
{
    *done = 0;
    while (*done < s->poll && batch_in_state(s, NAIK_RHS_RUN) > 0) {
        NAIK_PASS(iterate(s));
        ++*done;
    }
    return batch_upload(s);
}
