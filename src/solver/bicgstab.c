/* bicgstab.c - BiCGStab and the normal equations as rows: their levels, vectors and records
 *
 * Both have the same levels and begin at another one.
 */
#include "solver/bicgstab.h"

#include "base/memory.h"
#include "solver/bicgstab_parts.h"

static int fields(const naik_operator_ops *ops)
{
    (void)ops;
    return BATCH_FIELDS;
}

static bool takes(const naik_operator *op)
{
    return op->ops->rest != NULL;
}

static naik_status allocate(naik_solver *s)
{
    naik_backend *backend = s->geometry->backend;
    const size_t width = (size_t)s->width;
    bg_own *own = NULL;
    NAIK_PASS(naik_alloc(backend->log, sizeof *own, "solver scalars", (void **)&own));
    s->own = own;
    NAIK_PASS(naik_backend_alloc(backend, width * sizeof *own->record, "solver scalars",
                                 (void **)&own->record));
    return naik_backend_alloc(backend, NAIK_COEFFICIENTS * width * sizeof *own->coefficients,
                              "solver scalars", (void **)&own->coefficients);
}

static naik_status create(naik_solver *s)
{
    return naik_comm_agree(s->geometry->backend->comm, allocate(s));
}

static void destroy(naik_solver *s)
{
    bg_own *own = s->own;
    if (own != NULL) {
        naik_backend_release(s->geometry->backend, own->record);
        naik_backend_release(s->geometry->backend, own->coefficients);
        naik_gcr_destroy(&own->gcr);
        naik_free(own);
    }
}

/* With the records go the coefficients that belong to them. */
static naik_status upload(naik_solver *s)
{
    naik_backend *backend = s->geometry->backend;
    const size_t n = (size_t)s->width_now;
    const bg_own *own = bg_own_of(s);
    naik_bicgstab_record record[NAIK_MAX_RHS];
    double coefficients[NAIK_COEFFICIENTS * NAIK_MAX_RHS][2];
    for (int c = 0; c < s->width_now; c++) {
        record[c] = s->slot[c].state.bicgstab;
        naik_bicgstab_coefficients(&record[c], c, s->width_now, coefficients);
    }
    NAIK_PASS(naik_backend_upload(backend, own->record, record, n * sizeof *record));
    return naik_backend_upload(backend, own->coefficients, coefficients,
                               NAIK_COEFFICIENTS * n * sizeof *coefficients);
}

static naik_status download(naik_solver *s)
{
    naik_bicgstab_record record[NAIK_MAX_RHS];
    const naik_status status = naik_backend_download(
        s->geometry->backend, record, bg_own_of(s)->record, (size_t)s->width_now * sizeof *record);
    for (int c = 0; c < s->width_now && status == NAIK_OK; c++) {
        s->slot[c].state.bicgstab = record[c];
    }
    return status;
}

static int stage(const naik_solver_state *state)
{
    return state->level;
}

static naik_rung rung(const naik_solver *s, int stage)
{
    return bg_rung(s, (bg_level)stage);
}

static bool is_normal(int stage)
{
    return bg_is_normal((bg_level)stage);
}

static void vectors(const naik_solver *s, int stage, naik_field *out[NAIK_SOLVER_VECTORS])
{
    naik_field *const *f = bg_fields_of(s, (bg_level)stage);
    out[NAIK_SOLVER_X] = s->outer.field[BATCH_X];
    out[NAIK_SOLVER_CORRECTION] = bg_corrects(s, (bg_level)stage) ? f[BATCH_X] : NULL;
    out[NAIK_SOLVER_RESIDUAL] = f[BATCH_R];
    out[NAIK_SOLVER_DIRECTION] = f[BATCH_P];
    out[NAIK_SOLVER_IMAGE] = f[BATCH_IMAGE];
    out[NAIK_SOLVER_SHADOW] = f[BG_SHADOW];
}

/* B p and the shadow residual are of BiCGStab alone, and B p only of an rhs whose next direction is
 * still to be made, after its true residual; z of the normal equations is made anew at each of those. */
static void needed(int stage, naik_rhs_state state, naik_field *field[NAIK_SOLVER_VECTORS])
{
    if (stage == BG_MULTIGRID) { /* x at the last true residual is all */
        for (int v = NAIK_SOLVER_X + 1; v < NAIK_SOLVER_VECTORS; v++) {
            field[v] = NULL;
        }
        return;
    }
    const bool normal = is_normal(stage);
    field[NAIK_SOLVER_SHADOW] = normal ? NULL : field[NAIK_SOLVER_SHADOW];
    field[NAIK_SOLVER_IMAGE] = normal || state != NAIK_RHS_CHECK ? NULL : field[NAIK_SOLVER_IMAGE];
}

/* A climb is where GCR ends: what came after the last one is BiCGStab's, or its normal equations'. */
static double flops(const naik_solver *s, int c)
{
    const naik_operator *op = s->op[NAIK_RUNG_DOUBLE];
    const naik_solver_state *at = &s->slot[c].state;
    const int all = s->record[c].iterations;
    const int gcr = bg_first_level(s) != BG_MULTIGRID ? 0
                    : at->level == BG_MULTIGRID       ? all
                                                      : at->climbed_at;
    return (all - gcr) * op->ops->step_flops(op) + (gcr > 0 ? bg_flops_of_gcr(s, at, gcr) : 0);
}

static void begin(naik_solver *s, const naik_solver_options *options)
{
    bg_own *own = s->own;
    own->preconditioner = options->preconditioner;
    own->restart = options->restart > 0 ? options->restart : NAIK_GCR_RESTART;
    if (own->gcr != NULL) {
        naik_gcr_begin(own->gcr, s->width);
    }
}

static void load(naik_solver *s, const naik_solver_options *options, int c)
{
    (void)options;
    bg_set_level(s, c, bg_first_level(s));
}

static bool fits(naik_solver *s, const naik_solver_options *options, int c)
{
    naik_solver_state *at = &s->slot[c].state;
    const bg_level first = bg_first_level(s);
    const bool level = at->level >= BG_FAST && at->level < BG_LEVELS &&
                       (at->level != BG_MULTIGRID || first == BG_MULTIGRID) &&
                       is_normal(at->level) >= bg_is_normal(first) &&
                       rung(s, at->level) == (naik_rung)at->rung;
    if (level) {
        at->first_rung = (int32_t)bg_rung(s, first);
        s->record[c].limit = bg_limit(s, options, c);
    }
    return level;
}

#define ROW(title)                                                                                 \
    {                                                                                              \
        .name = (title), .sums = NAIK_STAGE_SUMS, .stages = BG_LEVELS, .fields = fields,           \
        .takes = takes, .create = create, .destroy = destroy, .upload = upload,                    \
        .download = download, .stage = stage, .rung = rung, .is_normal = is_normal,                \
        .vectors = vectors, .needed = needed, .flops = flops, .keep = bg_keep,                     \
        .narrow = bg_narrow, .begin = begin, .load = load, .fits = fits, .check = bg_check,        \
        .run = bg_run                                                                              \
    }
const naik_solver_kind naik_solver_bicgstab = ROW("BiCGStab");
const naik_solver_kind naik_solver_normal = ROW("conjugate gradient on the normal equations");
const naik_solver_kind naik_solver_multigrid = ROW("multigrid");
#undef ROW

bool naik_solver_state_is_multigrid(const naik_solver_state *state)
{
    return state->level == BG_MULTIGRID || state->inner_steps > 0;
}

const naik_solver_kind *naik_method_solver(naik_method method)
{
    static const naik_solver_kind *const rows[] = {[NAIK_METHOD_BICGSTAB] = &naik_solver_bicgstab,
                                                   [NAIK_METHOD_CG] = &naik_solver_normal,
                                                   [NAIK_METHOD_MULTIGRID] =
                                                       &naik_solver_multigrid};
    return rows[method];
}
