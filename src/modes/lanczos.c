/* lanczos.c - the cycle: expand, solve the projected problem, keep, look whether it is done */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/timer.h"
#include "comm/new.h"
#include "modes/hermitian.h"
#include "modes/lanczos_basis.h"

enum { ROUNDS_MOST = 8, REFINE_DEGREE = 8 };
#define REFINE_FROM  0.1  /* lower end of the interval of what is taken out, times the upper one; */
#define REFINE_TO    0.25 /* beyond it single and coarse links do alike */
#define REFINE_OVER  2    /* times the last eigenvalue wanted, at least */
#define SINGLE_NOISE 2e-6 /* of `high`: what single precision leaves of a residual */
#define MISSING_RISE 10   /* of |v|^2 of a missing mode over all that the polynomial makes small */
#define MISSING_OVER 1.05 /* factor of a missing mode over that of the last one wanted */
#define ROUNDED      10  /* times what the projected problem says: a residual that rounding makes */
#define NONSENSE     100 /* times what was promised: a residual of no search */
#define GRAM_MOST    1e-3 /* |V^+ V - 1| of a search */
#define GRAM_COARSE                                                                                \
    (NAIK_LANCZOS_GRAM_MOST / 2) /* of one with links of 16 bits: rounding adds to it */

double naik_lanczos_promised(double tolerance, double lambda2, double high, int degree)
{
    return fmax(tolerance * fmax(lambda2, 0), (1 + degree / 50.0) * SINGLE_NOISE * high);
}

naik_lanczos_options naik_lanczos_defaults(void)
{
    return (naik_lanczos_options){
        .modes = 64, .tolerance = 0.5, .max_cycles = 60, .seed = UINT64_C(20061947)};
}

static naik_status create(const naik_lanczos_options *options, lanczos *l)
{
    const size_t k = (size_t)l->krylov;
    const struct {
        size_t bytes;
        void **out;
    } rooms[] = {
        {k * k * sizeof *l->t, (void **)&l->t},       {k * k * sizeof *l->t, (void **)&l->scratch},
        {k * k * sizeof *l->t, (void **)&l->vectors}, {k * BLOCK * sizeof *l->t, (void **)&l->c},
        {k * sizeof *l->ritz, (void **)&l->ritz},     {k * sizeof *l->bound, (void **)&l->bound}};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        NAIK_PASS(naik_new(l->geometry->backend->comm, rooms[i].bytes,
                           "the numbers of Lanczos vectors", rooms[i].out));
    }
    NAIK_PASS(naik_modes_create(l->geometry, NAIK_SINGLE, l->krylov + BLOCK, &l->basis));
    NAIK_PASS(naik_modes_work_create(l->geometry, l->krylov, naik_lanczos_kept(options->modes),
                                     &l->work));
    NAIK_PASS(naik_modes_work_rotates(l->work));
    NAIK_PASS(naik_filter_create(l->single, l->work, BLOCK, &l->filter));
    lanczos_use_links(l, l->half != NULL ? 16 : 32);
    return naik_field_create(l->geometry, NAIK_SINGLE, BLOCK, &l->w);
}

static void destroy(lanczos *l)
{
    naik_field_destroy(&l->w);
    naik_filter_destroy(&l->filter);
    naik_modes_work_destroy(&l->work);
    naik_modes_destroy(&l->basis);
    free(l->t);
    free(l->scratch);
    free(l->vectors);
    free(l->c);
    free(l->ritz);
    free(l->bound);
}

/* One block more: P Q, and its products with all of V, Q included. An eigenvalue above the interval
 * may take P Q beyond all numbers. Stops where that is asked for, up to the middle of P. */
static naik_status expand(lanczos *l)
{
    naik_timer *timer = l->geometry->backend->timer;
    double norm2;
    NAIK_PASS(lanczos_keep(l));
    naik_timer_start(timer, "filter");
    NAIK_PASS(l->geometry->backend->ops->field.copy(l->w, l->basis->block[l->size / BLOCK - 1],
                                                    NULL, NAIK_RHS_IDLE));
    l->filter->stop = lanczos_asked;
    l->filter->stop_data = l;
    const naik_status status = naik_filter_apply(l->filter, l->w);
    l->filter->stop = NULL;
    NAIK_PASS(status == NAIK_ERR_INTERRUPTED ? lanczos_stop(l) : status);
    NAIK_PASS(lanczos_largest_norm2(l, &norm2)); /* waits */
    naik_timer_stop(timer, "filter");
    l->overflow = !isfinite(norm2);
    naik_timer_start(timer, "orthogonalise");
    if (!l->overflow) {
        NAIK_PASS(lanczos_append(l, true));
    }
    naik_timer_stop(timer, "orthogonalise");
    return NAIK_OK;
}

/* Begins with one random block in V. */
static naik_status begin(lanczos *l)
{
    naik_timer *timer = l->geometry->backend->timer;
    naik_timer_start(timer, "interval");
    l->size = 0;
    l->state.kept = 0;
    memset(l->t, 0, (size_t)l->krylov * (size_t)l->krylov * sizeof *l->t);
    if (l->state.starts == 0) {
        NAIK_PASS(lanczos_choose_interval(l));
    }
    lanczos_choose_degree(l);
    NAIK_PASS(lanczos_fill_random(l));
    NAIK_PASS(lanczos_append(l, false));
    naik_timer_stop(timer, "interval");
    return NAIK_OK;
}

/* Eigenvalues of T, descending, and their vectors; bounds on residuals from R. */
static naik_status solve_projected(lanczos *l, int size)
{
    const size_t n = (size_t)size;
    naik_timer *timer = l->geometry->backend->timer;
    naik_timer_start(timer, "dense");
    for (int i = 0; i < size; i++) { /* of -T: so the largest come first */
        for (int j = 0; j <= i; j++) {
            const naik_complex x = l->t[(size_t)i * (size_t)l->krylov + (size_t)j];
            l->scratch[i * n + (size_t)j] = (naik_complex){-x.re, -x.im};
        }
    }
    NAIK_PASS(naik_hermitian_solve(l->log, size, l->scratch, l->ritz, l->vectors));
    for (int j = 0; j < size; j++) {
        double sum = 0;
        for (int i = 0; i < BLOCK; i++) {
            naik_complex x = {0, 0};
            for (int k = 0; k < BLOCK; k++) {
                const naik_complex r = l->last[i * BLOCK + k];
                const naik_complex y = l->vectors[(n - BLOCK + (size_t)k) * n + (size_t)j];
                x.re += r.re * y.re - r.im * y.im;
                x.im += r.re * y.im + r.im * y.re;
            }
            sum += x.re * x.re + x.im * x.im;
        }
        l->ritz[j] = -l->ritz[j];
        l->bound[j] = sqrt(sum);
    }
    naik_timer_stop(timer, "dense");
    return NAIK_OK;
}

/* What a residual may be: what is asked for, or what single precision leaves. */
static double asked_of(const lanczos *l, double lambda2)
{
    return naik_lanczos_promised(l->options->tolerance, lambda2, l->filter->high, 0);
}

/* |-D_eo D_oe v - lambda2 v| of Ritz vector j, about: what lies in the interval is left of the
 * polynomial's residual over its factor, what lies below by its slope. *value: its lambda2 */
static double residual_of(const lanczos *l, int j, double *value)
{
    const naik_filter *f = l->filter;
    const double factor = l->ritz[j];
    *value = naik_filter_inverse(f, factor);
    return factor > 1.5 ? l->bound[j] / factor * (0.5 * f->high) : INFINITY;
}

/* V becomes the kept Ritz vectors and Q, T their values. */
static naik_status restart(lanczos *l, int size)
{
    naik_timer *timer = l->geometry->backend->timer;
    int kept = naik_lanczos_kept(l->options->modes);
    naik_timer_start(timer, "rotate");
    kept = kept < size - BLOCK ? kept : size - BLOCK;
    for (int i = 0; i < size; i++) {
        for (int j = 0; j < kept; j++) {
            l->scratch[i * kept + j] = l->vectors[(size_t)i * (size_t)size + (size_t)j];
        }
    }
    NAIK_PASS(naik_modes_rotate(l->work, l->basis->block, size, l->scratch, kept));
    NAIK_PASS(l->geometry->backend->ops->field.copy(
        l->basis->block[kept / BLOCK], l->basis->block[size / BLOCK], NULL, NAIK_RHS_IDLE));
    memset(l->t, 0, (size_t)l->krylov * (size_t)l->krylov * sizeof *l->t);
    for (int j = 0; j < kept; j++) {
        l->t[(size_t)j * (size_t)(l->krylov + 1)].re = l->ritz[j];
    }
    l->state.kept = kept;
    l->size = kept + BLOCK;
    NAIK_PASS(naik_backend_sync(l->geometry->backend)); /* for the clock */
    naik_timer_stop(timer, "rotate");
    return NAIK_OK;
}

/* Of the last mode wanted, where the vectors at the beginning of this cycle had it, or 0. */
static double factor_before(const lanczos *l)
{
    const size_t last = (size_t)l->options->modes - 1;
    return l->state.kept > (int)last ? l->t[last * (size_t)(l->krylov + 1)].re : 0;
}

static double seconds_left(const lanczos *l, double cycle_s)
{
    const int wanted = l->options->modes, done = l->state.converged;
    const double share = (double)done / wanted;
    return done >= wanted ? 0 : cycle_s * fmin(60, ceil(4 * (1 - share) + 0.5));
}

static void tell(lanczos *l, bool corrected, double cycle_s)
{
    if (l->hooks == NULL || l->hooks->progress == NULL) {
        return;
    }
    const int wanted = l->options->modes;
    const naik_lanczos_progress p = {.cycle = l->state.cycle,
                                     .converged = l->state.converged,
                                     .wanted = wanted,
                                     .limited = l->limited,
                                     .lambda2 = naik_filter_inverse(l->filter, l->ritz[wanted - 1]),
                                     .low = l->filter->low,
                                     .high = l->filter->high,
                                     .applications = l->filter->applications,
                                     .seconds = naik_time_s() - l->begun,
                                     .seconds_left = seconds_left(l, cycle_s),
                                     .corrected = corrected};
    l->hooks->progress(l->hooks->data, &p);
}

static void count_converged(lanczos *l)
{
    l->state.converged = 0;
    l->limited = 0;
    for (int j = 0; j < l->options->modes; j++) {
        double value;
        const double residual = residual_of(l, j, &value);
        const bool good = residual <= asked_of(l, value);
        l->state.converged += good;
        l->limited += good && residual > l->options->tolerance * fmax(value, 0);
    }
}

/* Columns of w to length 1, those that are 0 left. */
static naik_status normalise_columns(lanczos *l)
{
    double norm2[BLOCK];
    naik_complex unit[BLOCK * BLOCK] = {{0, 0}};
    NAIK_PASS(naik_modes_norms(l->work, l->w, norm2));
    for (int c = 0; c < BLOCK; c++) {
        unit[c * (BLOCK + 1)].re = norm2[c] > 0 ? 1 / sqrt(norm2[c]) : 0;
    }
    return naik_modes_rotate(l->work, &l->w, BLOCK, unit, BLOCK);
}

/* The same, orthogonal where they can be told apart. */
static naik_status normalise(lanczos *l)
{
    double condition;
    NAIK_PASS(normalise_columns(l));
    return lanczos_cholesky_qr(l, NULL, &condition);
}

/* Applications of the polynomial that raise a missing mode out of a random vector. */
static int missing_rounds(const lanczos *l)
{
    const double others = 0.75 * (double)l->geometry->lattice->volume; /* each 1/2 on average */
    const double rise = 2 * log(fmax(l->ritz[l->options->modes - 1], 1.5));
    return (int)fmin(ROUNDS_MOST, ceil(log(MISSING_RISE * others) / rise));
}

/* A Krylov space holds as many copies of an eigenvalue as its start block has vectors, and rounding
 * brings others late: whether random vectors that are kept orthogonal to the kept ones become, by the
 * polynomial alone, longer than the last mode wanted would. If so they take the place of Q. */
static naik_status find_missing(lanczos *l, bool *missing)
{
    double largest;
    const double last = MISSING_OVER * l->ritz[l->options->modes - 1];
    const int rounds = missing_rounds(l);
    naik_timer *timer = l->geometry->backend->timer;
    naik_timer_start(timer, "look for missing");
    *missing = false;
    NAIK_PASS(lanczos_fill_random(l));
    for (int i = 0; i <= rounds && !*missing; i++) {
        NAIK_PASS(normalise(l));
        NAIK_PASS(naik_filter_apply(l->filter, l->w));
        NAIK_PASS(lanczos_project_out(l, l->state.kept, -1));
        NAIK_PASS(lanczos_project_out(l, l->state.kept, -1));
        NAIK_PASS(lanczos_largest_norm2(l, &largest));
        *missing = i > 0 && largest > last * last;
    }
    if (*missing) {
        l->size = l->state.kept;
        NAIK_PASS(lanczos_append(l, false));
    }
    naik_timer_stop(timer, "look for missing");
    return NAIK_OK;
}

/* Until enough modes have converged, or the cycles are used up. */
static naik_status iterate(lanczos *l)
{
    bool corrected = false;
    while (l->state.converged < l->options->modes && l->state.cycle < l->options->max_cycles) {
        const double start = naik_time_s();
        while (l->size <= l->krylov && !l->overflow) {
            NAIK_PASS(expand(l));
        }
        l->state.cycle++;
        const double before = factor_before(l);
        if (!l->overflow) {
            NAIK_PASS(solve_projected(l, l->krylov));
            count_converged(l);
            NAIK_PASS(restart(l, l->krylov));
        }
        NAIK_PASS(lanczos_correct_interval(l, before, &corrected));
        if (corrected) {
            l->state.converged = 0;
        } else if (l->state.converged >= l->options->modes) {
            bool missing;
            NAIK_PASS(find_missing(l, &missing));
            l->state.converged -= missing;
        }
        tell(l, corrected, naik_time_s() - start);
        if (corrected) {
            NAIK_PASS(begin(l));
        }
    }
    return NAIK_OK;
}

/* Takes out of the wanted modes what the roundings of links of 16 bits, or of a long polynomial, have
 * put in. That is spread over all eigenvalues, so that most of it is far above the modes' own, where a
 * short polynomial of links in single precision is small; it changes no mode but by a factor. The modes
 * stay orthonormal to the square of what was put in. */
static naik_status refine_wanted(lanczos *l)
{
    const naik_field_ops *ops = &l->geometry->backend->ops->field;
    naik_filter *f = l->filter;
    naik_timer *timer = l->geometry->backend->timer;
    const naik_filter was = *f;
    const double last = naik_filter_inverse(f, l->ritz[l->options->modes - 1]);
    naik_timer_start(timer, "refine modes");
    f->links = l->single;
    f->low = fmax(REFINE_OVER * last, REFINE_FROM * f->high);
    f->degree = REFINE_DEGREE;
    for (int b = 0; b * BLOCK < l->options->modes && f->low < REFINE_TO * f->high; b++) {
        NAIK_PASS(ops->copy(l->w, l->basis->block[b], NULL, NAIK_RHS_IDLE));
        NAIK_PASS(naik_filter_apply(f, l->w));
        NAIK_PASS(normalise_columns(l));
        NAIK_PASS(ops->copy(l->basis->block[b], l->w, NULL, NAIK_RHS_IDLE));
    }
    f->links = was.links;
    f->low = was.low;
    f->degree = was.degree;
    NAIK_PASS(naik_backend_sync(l->geometry->backend)); /* for the clock */
    naik_timer_stop(timer, "refine modes");
    return NAIK_OK;
}

/* The wanted ones, which are the first of the basis: by what they are in double. What the next cycle
 * does not begin with is given back before they are measured, since that takes memory as well. */
static naik_status measure_wanted(lanczos *l, const naik_links *links, double *gram)
{
    naik_modes wanted = *l->basis;
    wanted.count = l->options->modes;
    naik_modes_give_back(l->basis, l->size > wanted.count ? l->size : wanted.count);
    NAIK_PASS(naik_modes_measure(&wanted, links, gram));
    l->filter->applications += wanted.count;
    return NAIK_OK;
}

/* The basis becomes the wanted modes, ascending: close ones may have changed places in the
 * polynomial's order. */
static naik_status take(lanczos *l, naik_modes **out)
{
    l->basis->count = l->options->modes;
    naik_modes_give_back(l->basis, l->basis->count);
    const naik_status status = naik_modes_sort(l->basis, l->w);
    *out = l->basis;
    l->basis = NULL;
    return status;
}

/* How many residuals, in double, are what was promised; *nonsense where a search cannot have them.
 * The rounding of a long recursion is in them, of which the projected problem knows nothing. */
static int count_kept(const lanczos *l, double gram, bool *nonsense)
{
    int kept = 0;
    *nonsense = !(gram <= GRAM_MOST);
    for (int i = 0; i < l->options->modes; i++) {
        const double residual = l->basis->residual[i];
        const double most = naik_lanczos_promised(l->options->tolerance, l->basis->lambda2[i],
                                                  l->filter->high, l->filter->degree);
        kept += residual <= most;
        *nonsense = *nonsense || !(residual <= NONSENSE * most);
    }
    return kept;
}

/* Whether rounding alone keeps modes from what was promised, so that more cycles do not help. */
static bool is_rounding(const lanczos *l)
{
    bool rounding = true;
    for (int i = 0; i < l->options->modes; i++) {
        double value;
        const double residual = l->basis->residual[i];
        const double most = naik_lanczos_promised(l->options->tolerance, l->basis->lambda2[i],
                                                  l->filter->high, l->filter->degree);
        rounding = rounding && (residual <= most || residual > ROUNDED * residual_of(l, i, &value));
    }
    return rounding;
}

/* Why a search with links of 16 bits begins again; skew: each mode was refined by itself, and they have
 * parts of each other. */
static void tell_again(const lanczos *l, bool skew, double gram)
{
    const int modes = l->options->modes;
    static const char again[] = "the search begins again with links in single precision";
    if (skew) {
        naik_log_line(l->log, "modes: links of 16 bits leave |V^+ V - 1| = %.2g of %d modes: %s",
                      gram, modes, again);
    } else {
        naik_log_line(l->log,
                      "modes: links of 16 bits leave %d of %d modes worse than was asked for: %s",
                      modes - l->state.converged, modes, again);
    }
}

/* Modes that keep what is promised of them, by cycles more where they do not yet. What a kept state
 * leads to is believed no further than that: then it begins again. */
static naik_status search(lanczos *l, const naik_links *links, double *gram)
{
    bool found, nonsense = false, coarse = false, skew = false, refined = false;
    NAIK_PASS(lanczos_resume(l, &found));
    if (!found) {
        NAIK_PASS(begin(l));
    }
    do {
        NAIK_PASS(naik_modes_take_back(l->basis));
        if (nonsense && l->resumed) {
            naik_log_warn(l->log,
                          "the modes that a kept search led to are none of these links: the "
                          "search begins again");
            l->resumed = false;
            l->state = (naik_lanczos_state){.links = l->state.links};
            NAIK_PASS(begin(l));
        } else if (coarse) {
            tell_again(l, skew, *gram);
            lanczos_use_links(l, 32);
            NAIK_PASS(begin(l));
        } else if (refined) { /* the basis is no longer that of the projected problem */
            NAIK_PASS(begin(l));
        }
        NAIK_PASS(iterate(l));
        coarse = l->state.links == 16;
        if (coarse) {
            NAIK_PASS(refine_wanted(l));
        }
        NAIK_PASS(measure_wanted(l, links, gram));
        int kept = count_kept(l, *gram, &nonsense);
        refined = !coarse && !nonsense && kept < l->options->modes &&
                  l->state.converged >= l->options->modes && is_rounding(l);
        if (refined) {
            NAIK_PASS(refine_wanted(l));
            NAIK_PASS(measure_wanted(l, links, gram));
            kept = count_kept(l, *gram, &nonsense);
        }
        skew = coarse && !(*gram <= GRAM_COARSE);
        l->state.converged = skew ? 0 : kept < l->state.converged ? kept : l->state.converged;
    } while (l->state.converged < l->options->modes &&
             ((nonsense && l->resumed) || l->state.cycle < l->options->max_cycles));
    return NAIK_OK;
}

/* Vectors before a restart that are few enough, and enough to converge in a few cycles. */
static int usual_krylov(int modes)
{
    const int kept = naik_lanczos_kept(modes);
    return kept + (kept / 3 > 4 * BLOCK ? kept / 3 / BLOCK * BLOCK : 4 * BLOCK);
}

int naik_lanczos_krylov(const naik_lanczos_options *options)
{
    return options->krylov > 0 ? options->krylov : usual_krylov(options->modes);
}

int naik_lanczos_least(int modes)
{
    return naik_lanczos_kept(modes) + 2 * BLOCK;
}

bool naik_lanczos_has_room(const int size[NAIK_DIM], int krylov)
{
    const double volume = (double)size[0] * size[1] * size[2] * size[3];
    return krylov + BLOCK <= 0.75 * volume;
}

int naik_lanczos_most(const int size[NAIK_DIM], const naik_lanczos_options *options)
{
    naik_lanczos_options fewer = *options;
    bool fits = false;
    while (!fits && fewer.modes > 0) {
        fewer.modes--;
        const int krylov = naik_lanczos_krylov(&fewer);
        fits = krylov >= naik_lanczos_least(fewer.modes) && naik_lanczos_has_room(size, krylov);
    }
    return fewer.modes;
}

size_t naik_lanczos_bytes(const naik_geometry *geometry, const naik_lanczos_options *options)
{
    const naik_backend_ops *ops = geometry->backend->ops;
    const naik_lattice *lat = geometry->lattice;
    const int modes = options->modes, krylov = naik_lanczos_krylov(options);
    const size_t always = 3 * ops->field.bytes(lat, NAIK_SINGLE, BLOCK) +
                          naik_modes_work_bytes(geometry, krylov, naik_lanczos_kept(modes), true);
    const size_t expanding = naik_modes_bytes(geometry, NAIK_SINGLE, krylov + BLOCK) +
                             2 * ops->field.bytes(lat, NAIK_SINGLE, 1);
    const size_t measuring =
        naik_modes_bytes(geometry, NAIK_SINGLE, naik_lanczos_kept(modes) + BLOCK) +
        naik_modes_meter_bytes(geometry, modes);
    return always + (expanding > measuring ? expanding : measuring);
}

size_t naik_lanczos_host_bytes(const naik_lanczos_options *options)
{
    const size_t k = (size_t)naik_lanczos_krylov(options);
    const size_t kept = (size_t)naik_lanczos_kept(options->modes);
    return (3 * k * k + k * BLOCK) * sizeof(naik_complex) + 2 * k * sizeof(double) +
           naik_modes_work_host_bytes((int)k, (int)kept) + naik_hermitian_bytes((int)k);
}

naik_status naik_lanczos_run(const naik_links *links, const naik_links *single,
                             const naik_links *half, const naik_lanczos_options *options,
                             const naik_lanczos_hooks *hooks, naik_modes **out,
                             naik_lanczos_report *report)
{
    naik_status status = NAIK_OK;
    const naik_geometry *geometry = links->geometry;
    lanczos l = {.geometry = geometry,
                 .log = geometry->backend->log,
                 .options = options,
                 .hooks = hooks,
                 .single = single,
                 .half = half,
                 .begun = naik_time_s(),
                 .krylov = naik_lanczos_krylov(options)};
    double gram;
    *out = NULL;
    const int least = naik_lanczos_least(options->modes);
    if (options->modes < 1 || l.krylov < least || l.krylov % BLOCK != 0 ||
        l.krylov + BLOCK > NAIK_MODES_MAX ||
        !naik_lanczos_has_room(geometry->lattice->size, l.krylov)) {
        return NAIK_FAIL(
            l.log, NAIK_ERR_INPUT,
            "%d modes from %d Lanczos vectors: a multiple of %d, %d to %d, and no more "
            "than half the lattice's 3/2 %lld",
            options->modes, l.krylov, BLOCK, least, NAIK_MODES_MAX - BLOCK,
            (long long)geometry->lattice->volume);
    }
    NAIK_TRY(create(options, &l));
    NAIK_TRY(search(&l, links, &gram));
    NAIK_TRY(take(&l, out));
    *report = (naik_lanczos_report){.cycles = l.state.cycle,
                                    .starts = l.state.starts,
                                    .converged = l.state.converged,
                                    .degree = l.filter->degree,
                                    .krylov = l.krylov,
                                    .links = l.state.links,
                                    .applications = l.filter->applications,
                                    .low = l.filter->low,
                                    .high = l.filter->high,
                                    .gram = gram,
                                    .seconds = naik_time_s() - l.begun};
    if (l.state.converged < options->modes) {
        status = NAIK_FAIL(l.log, NAIK_ERR_NOT_CONVERGED,
                           "%d of %d modes converged in %d cycles: raise deflation.max_cycles",
                           l.state.converged, options->modes, l.state.cycle);
    }
done:
    destroy(&l);
    if (status != NAIK_OK && status != NAIK_ERR_NOT_CONVERGED) {
        naik_modes_destroy(out);
    }
    return status;
}
