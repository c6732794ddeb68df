/* bicgstab_parts.h - what the files of BiCGStab share: the stages of its batch are its levels */
#ifndef NAIK_SOLVER_BICGSTAB_PARTS_H
#define NAIK_SOLVER_BICGSTAB_PARTS_H

#include "solver/batch.h"
#include "solver/bicgstab.h"
#include "solver/gcr.h"

/* BATCH_IMAGE is v = B p, BATCH_SPARE t = B r or z. */
enum { BG_SHADOW = BATCH_OTHER };

/* What an rhs goes through, from the fastest to the safest: BiCGStab in the fastest storage and in
 * double, the normal equations in double. naik_solver_normal: the normal equations in both;
 * naik_solver_multigrid: GCR before them all, whose number comes last since files have the others'. */
typedef enum bg_level {
    BG_FAST,
    BG_DOUBLE,
    BG_NORMAL,
    BG_NORMAL_DOUBLE,
    BG_MULTIGRID,
    BG_LEVELS
} bg_level;

/* naik_solver.own; an rhs' record for the host is that of its state. */
typedef struct bg_own {
    naik_bicgstab_record *record; /* backend memory [width] */
    double (*coefficients)[2];    /* backend memory [NAIK_COEFFICIENTS][width_now] */
    naik_gcr *gcr;                /* of naik_solver_multigrid, made when it is wanted first */
    const naik_preconditioner *preconditioner; /* NULL: it begins with BiCGStab */
    int restart;
} bg_own;
static inline const bg_own *bg_own_of(const naik_solver *s)
{
    return s->own;
}

/* The level at which an rhs begins, and the one after `level`, which is not the last. Where double is
 * all there is, a level in double and the one before it are the same. */
static inline bg_level bg_first_level(const naik_solver *s)
{
    const bool normal = s->kind == &naik_solver_normal;
    if (s->kind == &naik_solver_multigrid && bg_own_of(s)->preconditioner != NULL &&
        batch_is_mixed(s)) {
        return BG_MULTIGRID;
    }
    return !normal ? BG_FAST : batch_is_mixed(s) ? BG_NORMAL : BG_NORMAL_DOUBLE;
}
static inline bg_level bg_next_level(const naik_solver *s, bg_level level)
{
    return level == BG_MULTIGRID || (level == BG_FAST && batch_is_mixed(s)) ? BG_DOUBLE
                                                                            : BG_NORMAL_DOUBLE;
}
static inline bg_level bg_level_of(const naik_solver *s, int c)
{
    return (bg_level)s->slot[c].state.level;
}
static inline bg_level bg_at_work(const naik_solver *s)
{
    return (bg_level)s->now;
}
static inline bool bg_is_normal(bg_level level)
{
    return level == BG_NORMAL || level == BG_NORMAL_DOUBLE;
}
static inline bool bg_in_double(bg_level level)
{
    return level == BG_DOUBLE || level == BG_NORMAL_DOUBLE;
}
static inline naik_rung bg_rung(const naik_solver *s, bg_level level)
{
    return bg_in_double(level) ? NAIK_RUNG_DOUBLE : batch_rung_from(s, NAIK_RUNG_HALF);
}
/* Applied by the level. */
static inline const naik_operator *bg_operator_of(const naik_solver *s, bg_level level)
{
    return s->op[bg_rung(s, level)];
}
static inline naik_field *const *bg_fields_of(const naik_solver *s, bg_level level)
{
    return bg_in_double(level) ? s->outer.field : s->low.field;
}
/* Whether the level's x is a correction, not x itself. */
static inline bool bg_corrects(const naik_solver *s, bg_level level)
{
    return bg_fields_of(s, level)[BATCH_X] != s->outer.field[BATCH_X];
}
/* Puts rhs c on a level. */
static inline void bg_set_level(naik_solver *s, int c, bg_level level)
{
    s->slot[c].state.level = (int32_t)level;
    s->slot[c].state.rung = (int32_t)bg_rung(s, level);
}

/* bicgstab_iterate.c: p = r + beta (p - omega v), or z + beta p, of rhs in `state`;
 * naik_solver_kind.run. */
naik_status bg_direction(naik_solver *s, const naik_rhs *rhs, naik_rhs_state state);
naik_status bg_run(naik_solver *s, int *count);

/* bicgstab_multigrid.c: the same of GCR; rhs in on[] begin from their residuals; naik_solver_kind's. */
naik_status bg_run_multigrid(naik_solver *s, int *count);
naik_status bg_begin_multigrid(naik_solver *s, const bool on[]);
naik_status bg_narrow(naik_solver *s, const int *map, int n);
void bg_keep(const naik_solver *s, int c, naik_solver_state *state);
/* Flops of so many of its iterations, a parity site. */
double bg_flops_of_gcr(const naik_solver *s, const naik_solver_state *at, int iterations);

/* bicgstab_check.c: naik_solver_kind.check; the iteration at which an rhs asks for its true residual
 * at the latest: BiCGStab may wander. */
naik_status bg_check(naik_solver *s, const naik_solver_options *options,
                     const naik_solver_stream *stream);
int bg_limit(const naik_solver *s, const naik_solver_options *options, int c);
/* At a true |r|^2 = rr: a naik_solver_reason where the rhs is done, or -1; whether it has to begin anew from its residual, which is counted; then
 * whether it leaves its level, *given_up where that was the last, *kept where it goes on in its
 * direction. */
int bg_verdict(const naik_solver *s, const naik_solver_options *options, int c, double rr);
bool bg_begins(const naik_solver *s, batch_slot *slot, const naik_rhs *record, double rr);
bool bg_climbs(naik_solver *s, int c, bool *given_up, bool *kept);

#endif
