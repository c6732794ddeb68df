/* bicgstab_batch.h - the batch of bicgstab.h: its fields and its rhs */
#ifndef NAIK_SOLVER_BICGSTAB_BATCH_H
#define NAIK_SOLVER_BICGSTAB_BATCH_H

#include "backend/bicgstab_scalars.h"
#include "base/exactsum.h"
#include "solver/batch.h"
#include "solver/bicgstab.h"

/* Vectors in one precision: what was added to x since the last check, or x itself where that is in
 * double, r, p, v = B p, t = B r or z, and the shadow residual. */
enum { BG_X, BG_R, BG_P, BG_V, BG_T, BG_SHADOW, BG_FIELDS };
typedef struct bg_fields {
    naik_field *field[BG_FIELDS];
} bg_fields;

/* What an rhs goes through, from the fastest to the safest: BiCGStab in the fastest storage and in
 * double, the normal equations in double. With NAIK_METHOD_CG: the normal equations in both. */
typedef enum bg_level { BG_FAST, BG_DOUBLE, BG_NORMAL, BG_NORMAL_DOUBLE, BG_LEVELS } bg_level;

/* What the host knows of an rhs beside its records. */
typedef struct bg_slot {
    int64_t index; /* of the system in the stream */
    naik_solver_system system;
    bg_level level;
    double bb;            /* |b|^2 */
    double best_rr;       /* smallest true |r|^2 at a check */
    double site_residual; /* at the last check, where asked for */
    double seconds;
    int best_at;       /* iteration of best_rr */
    int updates;       /* reliable ones */
    int beginnings;    /* new ones, at this level */
    int stalls, lost;  /* checks in a row that brought nothing; times that x was lost */
    bool started;      /* has iterated at this level */
    bool broke, moved; /* since the last check; x is not 0 */
    bool slow;         /* |r| was not halved for as long as its level may take */
    int32_t resumes;   /* naik_rhs_state in which it goes on from NAIK_RHS_WAIT */
    naik_solver_climb climb;
    int climbed_at;
    double *history;
} bg_slot;

typedef struct naik_bicgstab {
    naik_solver base;
    const naik_geometry *geometry;
    const naik_operator *outer_op, *inner_op; /* the same where there is double alone */
    naik_method method;
    naik_parity parity;
    bg_level now; /* at work */
    int width, width_now;
    naik_field *b;
    bg_fields outer, inner; /* in double; of inner_op, whose pointers are outer's where in double */
    naik_rhs *rhs, *mask;   /* backend memory [width]; of mask only the state counts */
    naik_bicgstab_record *record; /* backend memory [width] */
    double (*coefficients)[2];    /* backend memory [NAIK_COEFFICIENTS][width_now] */
    naik_exactsum *sums;          /* backend memory [NAIK_STAGE_SUMS][width_now] */
    naik_rhs host[NAIK_MAX_RHS];  /* the host's copies */
    naik_bicgstab_record host_record[NAIK_MAX_RHS];
    double *history, *ring; /* backend memory [poll][width_now], and the host's copy */
    int poll, history_stride;
    size_t history_capacity, slot_history_capacity;
    bg_slot slot[NAIK_MAX_RHS];
    int64_t next; /* system to load */
} naik_bicgstab;

/* The level at which an rhs begins, and the one after `level`, which is not the last. Where double is
 * all there is, a level in double and the one before it are the same. */
static inline bg_level bg_first_level(const naik_bicgstab *s)
{
    const bool alone = s->inner_op == s->outer_op;
    return s->method == NAIK_METHOD_BICGSTAB ? BG_FAST : alone ? BG_NORMAL_DOUBLE : BG_NORMAL;
}
static inline bg_level bg_next_level(const naik_bicgstab *s, bg_level level)
{
    const bool alone = s->inner_op == s->outer_op;
    return level == BG_FAST && !alone ? BG_DOUBLE : BG_NORMAL_DOUBLE;
}
static inline bool bg_is_normal(bg_level level)
{
    return level >= BG_NORMAL;
}
static inline bool bg_in_double(bg_level level)
{
    return level == BG_DOUBLE || level == BG_NORMAL_DOUBLE;
}
/* Applied by the level. */
static inline const naik_operator *bg_operator_of(const naik_bicgstab *s, bg_level level)
{
    return bg_in_double(level) ? s->outer_op : s->inner_op;
}
static inline naik_rung bg_rung(const naik_bicgstab *s, bg_level level)
{
    static const naik_rung of[] = {[NAIK_DOUBLE] = NAIK_RUNG_DOUBLE,
                                   [NAIK_SINGLE] = NAIK_RUNG_SINGLE,
                                   [NAIK_HALF] = NAIK_RUNG_HALF};
    return of[bg_operator_of(s, level)->precision];
}
static inline const bg_fields *bg_fields_of(const naik_bicgstab *s, bg_level level)
{
    return bg_in_double(level) ? &s->outer : &s->inner;
}
/* Whether the level's x is a correction, not x itself. */
static inline bool bg_corrects(const naik_bicgstab *s, bg_level level)
{
    return bg_fields_of(s, level)->field[BG_X] != s->outer.field[BG_X];
}
static inline int bg_in_state(const naik_bicgstab *s, naik_rhs_state state)
{
    int count = 0;
    for (int c = 0; c < s->width_now; c++) {
        count += s->host[c].state == (int32_t)state;
    }
    return count;
}

/* bicgstab.c: the host's records, and the coefficients that belong to them, to the backend; back;
 * dots[c] = |v_c|^2 over all ranks. */
naik_status bg_upload(naik_bicgstab *s);
naik_status bg_download(naik_bicgstab *s);
naik_status bg_norms(naik_bicgstab *s, const naik_field *v, double norms[NAIK_MAX_RHS]);
/* What mask is from now on: NAIK_RHS_CHECK for those wanted. */
naik_status bg_set_mask(naik_bicgstab *s, const bool wanted[NAIK_MAX_RHS]);
/* Hands rhs c, |r|^2 = rr, back to the stream and frees it. */
naik_status bg_finish(naik_bicgstab *s, const naik_solver_stream *stream, int c,
                      naik_solver_reason reason, double rr);

/* bicgstab_iterate.c: p = r + beta (p - omega v), or z + beta p, of rhs in `state`; runs until the
 * next poll. */
naik_status bg_direction(naik_bicgstab *s, const naik_rhs *rhs, naik_rhs_state state);
naik_status bg_run_to_poll(naik_bicgstab *s);

/* bicgstab_state.c: keeps rhs c by the stream's save; puts back what its restore has; takes the
 * scalars of a state that was put back. */
naik_status bg_save(naik_bicgstab *s, const naik_solver_stream *stream, int c);
naik_status bg_restore(naik_bicgstab *s, const naik_solver_stream *stream, int c,
                       naik_solver_state *state, bool *found);
naik_status bg_restore_scalars(naik_bicgstab *s, const naik_solver_options *options, int c,
                               const naik_solver_state *state);

/* bicgstab_check.c: forms the true residuals of all rhs that ask or broke: they end, climb, or go
 * on from there. */
naik_status bg_check(naik_bicgstab *s, const naik_solver_options *options,
                     const naik_solver_stream *stream);
/* The iteration at which an rhs asks for its true residual at the latest: BiCGStab may wander. */
int bg_limit(const naik_bicgstab *s, const bg_slot *slot, const naik_solver_options *options);

#endif
