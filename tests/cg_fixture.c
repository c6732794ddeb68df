/* cg_fixture.c - what the tests of solvers share */
#include "cg_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exactsum.h"
#include "comm/collective.h"
#include "dslash_ref.h"
#include "gauge/heatbath.h"
#include "hop_operator.h"

const cg_mode cg_modes[CG_MODES] = {
    {NAIK_DOUBLE, NAIK_DOUBLE, NAIK_RUNG_DOUBLE, NAIK_RUNG_DOUBLE, 0.3, false},
    {NAIK_SINGLE, NAIK_SINGLE, NAIK_RUNG_SINGLE, NAIK_RUNG_SINGLE, 0.3, false},
    {NAIK_SINGLE, NAIK_HALF, NAIK_RUNG_HALF, NAIK_RUNG_HALF, 0.3, false},
    {NAIK_HALF, NAIK_HALF, NAIK_RUNG_HALF, NAIK_RUNG_HALF, 0.3, false},
    {NAIK_SINGLE, NAIK_SINGLE, NAIK_RUNG_CLASSICAL, NAIK_RUNG_CLASSICAL, 0.3, false},
    {NAIK_SINGLE, NAIK_HALF, NAIK_RUNG_HALF, NAIK_RUNG_DOUBLE, 0.05, false},
    {NAIK_DOUBLE, NAIK_DOUBLE, NAIK_RUNG_DOUBLE, NAIK_RUNG_DOUBLE, 0.3, true},
    {NAIK_SINGLE, NAIK_SINGLE, NAIK_RUNG_SINGLE, NAIK_RUNG_SINGLE, 0.3, true},
    {NAIK_SINGLE, NAIK_SINGLE, NAIK_RUNG_CLASSICAL, NAIK_RUNG_CLASSICAL, 0.3, true},
    {NAIK_SINGLE, NAIK_HALF, NAIK_RUNG_HALF, NAIK_RUNG_DOUBLE, 0.05, true}};

naik_solver_options cg_mode_options(cg_mode mode)
{
    naik_solver_options options = naik_solver_defaults();
    options.first_rung = (int)mode.first;
    options.stray = mode.last > mode.first ? 1e-3 : 0;
    return options;
}

bool cg_mode_runs(int mode)
{
    const char *only = getenv("NAIK_TEST_MODE");
    if (cg_modes[mode].hop && strcmp(fixture_backend_name(), "cpu") != 0) {
        return false;
    }
    return only == NULL || only[0] == '\0' || atoi(only) == mode;
}

bool cg_fixture(check *t, fixture *f)
{
    const int size[4] = {8, t->comm->size > 4 ? 8 : 4, 4, 8};
    return fixture_create(t, size, NULL, false, false, 0, f);
}

bool cg_rough_fixture(check *t, fixture *f)
{
    const int size[4] = {8, 8, 8, 8};
    naik_gauge *thin = NULL;
    naik_fattener *fattener = NULL;
    bool ok = fixture_create(t, size, NULL, false, false, 0, f);
    naik_fatlong_destroy(&f->source);
    ok = ok && CHECK_OK(t, naik_gauge_create(f->lat, &thin));
    if (ok) {
        naik_gauge_set_unit(thin);
        ok = CHECK_OK(t, naik_heatbath(thin, 5.5, 7, 0, 30, 3));
        naik_gauge_apply_phases(thin, true);
    }
    ok = ok && CHECK_OK(t, naik_fattener_create(thin, NAIK_HISQ, 1, NULL, &fattener));
    ok = ok && CHECK_OK(t, naik_fattener_links(fattener, 0, &f->source));
    naik_fattener_destroy(&fattener);
    naik_gauge_destroy(&thin);
    return ok;
}

void cg_on_grids(check *t, void (*run)(check *t, const int size[4], const int grid[4]))
{
    const int size[4] = {8, t->comm->size > 4 ? 8 : 4, 4, 8};
    fixture_for_grids(t, size, 2, run);
}

naik_status cg_solver_create(const fixture *f, cg_mode mode, int width, cg_solver *out)
{
    naik_status status = NAIK_OK;
    *out = (cg_solver){.cg = NULL};
    for (int precision = NAIK_DOUBLE; mode.hop && precision <= (int)mode.links; precision++) {
        out->hop[precision] = hop_operator(f->geometry, (naik_precision)precision);
    }
    if (!mode.hop) {
        NAIK_TRY(naik_operator_set_fat(f->geometry, f->source, mode.links, 18, &out->staggered));
    }
    NAIK_TRY(naik_solver_create(&naik_solver_cg, mode.hop ? out->hop : out->staggered.op,
                                mode.vectors, width, &out->cg));
done:
    return status;
}

void cg_solver_destroy(cg_solver *solver)
{
    naik_solver_destroy(&solver->cg);
    naik_operator_set_destroy(&solver->staggered);
}

naik_status cg_box_take(cg_box *box, int at, const naik_field *x, int irhs,
                        const naik_solver_result *result)
{
    box->result[at] = *result;
    for (int i = 0; i < result->history_length && i < CG_STRIDE; i++) {
        box->history[at][i] = result->history[i];
    }
    free(box->x[at]);
    box->x[at] = calloc((size_t)box->f->lat->sites * 6, sizeof(double));
    return box->f->backend->ops->field.to_host(x, box->parity, irhs, box->x[at]);
}

void cg_box_free(cg_box *box)
{
    for (int i = 0; i < CG_SYSTEMS; i++) {
        free(box->x[i]);
    }
}

void cg_box_compare(check *t, const cg_box *a, const cg_box *b, int at)
{
    const naik_lattice *la = a->f->lat, *lb = b->f->lat;
    bool same = true;
    CHECK_INT(t, b->result[at].iterations, a->result[at].iterations);
    CHECK_INT(t, b->result[at].restarts, a->result[at].restarts);
    CHECK_INT(t, b->result[at].corrections, a->result[at].corrections);
    CHECK_INT(t, b->result[at].first_rung, a->result[at].first_rung);
    CHECK_INT(t, b->result[at].rung, a->result[at].rung);
    CHECK_INT(t, b->result[at].climb, a->result[at].climb);
    CHECK_INT(t, b->result[at].climbed_at, a->result[at].climbed_at);
    CHECK_TRUE(t, b->result[at].residual == a->result[at].residual);
    CHECK_INT(t, b->result[at].history_length, a->result[at].history_length);
    CHECK_INT(t, b->result[at].history_length, a->result[at].iterations);
    CHECK_TRUE(t, memcmp(a->history[at], b->history[at],
                         (size_t)a->result[at].history_length * sizeof(double)) == 0);
    for (int32_t site = 0; site < la->sites; site++) {
        int x[4], y[4];
        naik_lattice_coords(la, site, x);
        for (int mu = 0; mu < 4; mu++) {
            y[mu] = x[mu] + la->origin[mu] - lb->origin[mu];
        }
        same = same && memcmp(a->x[at] + 6 * (int64_t)site,
                              b->x[at] + 6 * (int64_t)naik_lattice_site(lb, y), 48) == 0;
    }
    CHECK_TRUE(t, same);
}

/* ax = (4 m^2 + B^+ B) x. */
static void hop_normal(const cg_box *box, double mass, const double *x, double *ax)
{
    const naik_lattice *lat = box->f->lat;
    double *bx = calloc((size_t)lat->sites * 6, sizeof *bx);
    hop_times(lat, box->parity, false, x, bx);
    hop_times(lat, box->parity, true, bx, ax);
    for (int32_t k = 0; k < lat->sites * 6; k++) {
        ax[k] += 4 * mass * mass * x[k];
    }
    free(bx);
}

double cg_box_residual(check *t, const cg_box *box, int at, double mass, const double *b)
{
    const fixture *f = box->f;
    double *ax = calloc((size_t)f->lat->sites * 6, sizeof *ax);
    naik_exactsum sum[2];
    naik_exactsum_clear(&sum[0]);
    naik_exactsum_clear(&sum[1]);
    if (box->hop) {
        hop_normal(box, mass, box->x[at], ax);
    } else {
        CHECK_OK(t, naik_normal_ref(f->source, mass, box->x[at], ax));
    }
    for (int32_t k = 0; k < f->lat->sites * 6; k++) {
        naik_exactsum_add(&sum[0], (b[k] - ax[k]) * (b[k] - ax[k]));
        naik_exactsum_add(&sum[1], b[k] * b[k]);
    }
    CHECK_OK(t, naik_comm_sum_exact(f->lat->comm, sum, 2));
    free(ax);
    return sqrt(naik_exactsum_value(&sum[0]) / naik_exactsum_value(&sum[1]));
}

static cg_watch *watch_of(naik_backend *backend)
{
    return (cg_watch *)(uintptr_t)backend->ops;
}

static naik_status watched_step(naik_backend *backend, naik_rhs *rhs, naik_exactsum *sums,
                                int count, naik_scalars which, double *history, int stride)
{
    cg_watch *watch = watch_of(backend);
    const naik_status status =
        watch->real->solver.rhs_step(backend, rhs, sums, count, which, history, stride);
    for (int c = 0; c < count && (which & NAIK_TAKE) != 0; c++) {
        watch->complete = watch->complete && rhs[c].pending;
    }
    return status;
}

static naik_status watched_shift_step(naik_backend *backend, const naik_rhs *rhs,
                                      naik_shift *shifts, int count, int each, double *history,
                                      int stride)
{
    cg_watch *watch = watch_of(backend);
    const naik_status status =
        watch->real->solver.shift_step(backend, rhs, shifts, count, each, history, stride);
    for (int i = 0; i < count * each; i++) {
        watch->complete = watch->complete && shifts[i].moves;
    }
    return status;
}

static naik_status watched_repeat(naik_backend *backend, uint64_t serial, bool record,
                                  naik_status (*body)(void *data), void *data, int times)
{
    cg_watch *watch = watch_of(backend);
    watch->complete = true;
    return watch->real->solver.repeat(backend, serial, record, body, data, times);
}

static naik_status watched_repeated(naik_backend *backend, bool whole)
{
    cg_watch *watch = watch_of(backend);
    watch->whole += watch->complete;
    watch->part += !watch->complete;
    watch->wrong += whole != watch->complete;
    return NAIK_OK;
}

void cg_watch_begin(naik_backend *backend, cg_watch *watch)
{
    *watch = (cg_watch){.ops = *backend->ops, .real = backend->ops};
    watch->ops.solver.rhs_step = watched_step;
    watch->ops.solver.shift_step = watched_shift_step;
    watch->ops.solver.repeat = watched_repeat;
    watch->ops.solver.repeated = watched_repeated;
    backend->ops = &watch->ops;
}

void cg_watch_end(naik_backend *backend)
{
    backend->ops = watch_of(backend)->real;
}
