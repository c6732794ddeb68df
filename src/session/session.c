/* session.c - configuration, links and solver behind one handle, for programs that link naik
 *
 * Every question becomes an input of `naik solve` (session_input.h), whose plan, links and operators are
 * those of the command, so that a session makes the same bits.
 */
#include "naik/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/point_locale.h"
#include "base/text.h"
#include "comm/new.h"
#include "comm/threads.h"
#include "io/finite.h"
#include "naik/gauge_io.h"
#include "propagator/contract.h"
#include "propagator/meson_field.h"
#include "propagator/propagator.h"
#include "propagator/spin_meson.h"
#include "session/session_arrays.h"
#include "session/session_guard.h"
#include "session/session_input.h"
#include "session/session_quark.h"
#include "stored/make_source.h"

struct naik_session {
    naik_comm *comm;
    char *keys, *file; /* of texts, owned */
    session_texts texts;
    naik_input *input; /* of which the links are */
    naik_lattice
        *lattice; /* of an array's links; NULL: the workplace has its own, or the caller's */
    workplace at;
    naik_gauge
        *thin; /* without phases, on the host, for sources; NULL where links come from files */
    session_quark quark;
    naik_session_hooks hooks;
};

/* A solve in progress. */
typedef struct batch {
    naik_session *session;
    const naik_input *input;
    int count, done;
    bool there; /* src and x are in backend memory */
    const double *src;
    double *x;
    naik_session_result *results;
    session_guard guard;
} batch;

static size_t vector_count(const naik_session *s)
{
    return (size_t)s->at.lattice->sites * (size_t)s->input->kind->reals;
}

static naik_status give_source(void *data, int64_t index, double *src, double *mass,
                               double *tolerance, double *site_tolerance)
{
    const batch *b = data;
    const size_t count = vector_count(b->session);
    if (src != NULL) {
        memcpy(src, b->src + (size_t)index * count, count * sizeof *src);
        naik_fault_in_source(b->guard.fault, b->session->at.lattice, src);
    }
    *mass = b->session->quark.quark.mass;
    *tolerance = b->input->solve[0].tolerance;
    *site_tolerance = b->input->solver.site_relative_tolerance;
    return NAIK_OK;
}

static naik_status take_solution(void *data, int64_t index, const double *x,
                                 const naik_propagator_result *result)
{
    batch *b = data;
    const naik_modes *modes = b->session->quark.modes;
    const size_t count = vector_count(b->session);
    const bool converged = naik_propagator_converged(result, b->input->solver.tolerance_full);
    NAIK_PASS(session_guard_judge(&b->guard, index, result));
    if (x != NULL) {
        memcpy(b->x + (size_t)index * count, x, count * sizeof *x);
    }
    b->results[index] = (naik_session_result){
        .converged = converged,
        .iterations = result->cg.iterations,
        .modes = modes != NULL && result->cg.corrections > 0 ? modes->count : 0,
        .residual = result->cg.residual,
        .source_residual = result->source_residual,
        .norm = result->norm,
        .seconds = result->cg.seconds};
    snprintf(b->results[index].reason, sizeof b->results[index].reason, "%s",
             result->cg.reason == NAIK_SOLVER_CONVERGED && !converged
                 ? "above tolerance_full"
                 : naik_solver_reason_text(result->cg.reason));
    b->done++;
    return NAIK_OK;
}

/* Sources are only read. */
static double *array_there(void *data, int64_t index, bool solution)
{
    const batch *b = data;
    return (solution ? b->x : (double *)(uintptr_t)b->src) +
           (size_t)index * vector_count(b->session);
}

static naik_status at_poll(void *data, const naik_solver_progress *now)
{
    batch *b = data;
    const naik_session_hooks *hooks = &b->session->hooks;
    const naik_session_progress progress = {.count = b->count,
                                            .done = b->done,
                                            .running = now->running,
                                            .iterations = now->iterations,
                                            .residual = now->residual};
    if (hooks->progress != NULL) {
        hooks->progress(hooks->data, &progress);
    }
    return session_guard_poll(&b->guard, now);
}

static bool asked_to_stop(void *data)
{
    return naik_interrupt_asked(((const batch *)data)->session->at.interrupt);
}

/* What the caller answers at a look; of a session that nobody listens to, no. */
static bool ask_caller(void *data)
{
    const naik_session_hooks *hooks = &((const naik_session *)data)->hooks;
    return hooks->stop != NULL && hooks->stop(hooks->data);
}

/* The extents, and what stands for the name of the configuration. */
static naik_status choose_links(naik_comm *comm, const naik_session_options *o,
                                const naik_yaml_node *keys, naik_session *s)
{
    naik_status status = NAIK_OK;
    naik_gauge_file file = {0};
    char *name = NULL;
    if (o->configuration != NULL) {
        NAIK_TRY(session_name_configuration(comm, keys, o->configuration, &name));
        NAIK_TRY(naik_gauge_file_probe(comm, name, &file));
        memcpy(s->texts.size, file.size, sizeof s->texts.size);
        s->file = strdup(o->configuration);
    } else if (o->links != NULL || o->array != NULL) {
        memcpy(s->texts.size, o->links != NULL ? o->links->lattice->size : o->size,
               sizeof s->texts.size);
        s->file = strdup("links in memory");
    } else {
        return NAIK_OK;
    }
    if (s->file == NULL) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for a session");
    }
    s->texts.file = s->file;
    status = naik_comm_agree(comm, status);
done:
    naik_gauge_file_clear(&file);
    free(name);
    return status;
}

/* The links of an array, on a lattice of the session's own. */
static naik_status take_array(const naik_session_options *o, naik_session *s, naik_gauge **thin)
{
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the input is made before
    const int *grid = s->input->run.grid[0] > 0 ? s->input->run.grid : NULL;
    NAIK_PASS(naik_lattice_create(s->comm, s->input->lattice.size, grid, &s->lattice));
    NAIK_PASS(naik_gauge_create(s->lattice, thin));
    memcpy((*thin)->link, o->array, (size_t)s->lattice->sites * NAIK_DIM * sizeof *(*thin)->link);
    return NAIK_OK;
}

/* The thin links of the workplace as sources want them. */
static naik_status keep_thin(naik_session *s)
{
    if (s->at.links.thin == NULL) {
        return NAIK_OK;
    }
    NAIK_PASS(naik_gauge_create(s->at.lattice, &s->thin));
    NAIK_PASS(naik_gauge_copy(s->at.links.thin, s->thin));
    naik_link_provider_turn(s->input, s->thin);
    return NAIK_OK;
}

static naik_status open_session(const naik_session_options *o, naik_session *s)
{
    naik_status status = NAIK_OK;
    naik_gauge *made = NULL;
    naik_yaml *keys = NULL;
    const naik_gauge *thin = o->configuration == NULL ? o->links : NULL;
    NAIK_TRY(session_parse_keys(s->comm, s->keys, &keys));
    NAIK_TRY(choose_links(s->comm, o, keys->root, s));
    NAIK_TRY(session_check_keys(s->comm, keys->root, &s->texts));
    NAIK_TRY(session_input_make(s->comm, &s->texts, NULL, NULL, &s->input));
    workplace_options place = workplace_of_input(s->input);
    if (o->configuration == NULL && thin == NULL && o->array != NULL) {
        NAIK_TRY(take_array(o, s, &made));
        thin = made;
    }
    place.lattice = thin != NULL ? thin->lattice : NULL;
    if (place.lattice == NULL && place.grid[0] == 0) {
        NAIK_TRY(quark_multigrid_grid(s->comm, s->input, place.grid));
    }
    NAIK_TRY(naik_comm_agree(s->comm, naik_threads_guard(s->comm)));
    NAIK_TRY(workplace_open(s->comm, &place, &s->at));
    NAIK_TRY(quark_multigrid_check(s->at.geometry, s->input));
    NAIK_TRY(workplace_links(&s->at, s->input, thin));
    NAIK_TRY(keep_thin(s));
done:
    naik_yaml_destroy(&keys);
    naik_gauge_destroy(&made);
    return status;
}

naik_status naik_session_create(naik_comm *comm, const naik_session_options *options,
                                naik_session **out)
{
    naik_status status = NAIK_OK;
    naik_session *s = calloc(1, sizeof *s);
    char *keys = strdup(options->keys != NULL ? options->keys : "action: {type: hisq}");
    *out = NULL;
    if (s == NULL || keys == NULL) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for a session");
    }
    status = naik_comm_agree(comm, status);
    if (status != NAIK_OK || s == NULL) {
        free(s);
        free(keys);
        return status;
    }
    s->comm = comm;
    s->keys = keys;
    s->texts.keys = keys;
    const point_locale locale = point_locale_begin();
    status = open_session(options, s);
    point_locale_end(locale);
    if (status != NAIK_OK) {
        naik_session_destroy(&s);
    }
    *out = s;
    return status;
}

void naik_session_destroy(naik_session **session)
{
    naik_session *s = *session;
    if (s == NULL) {
        return;
    }
    session_quark_clear(&s->quark);
    naik_gauge_destroy(&s->thin);
    workplace_close(&s->at);
    naik_lattice_destroy(&s->lattice);
    naik_input_destroy(&s->input);
    free(s->keys);
    free(s->file);
    free(s);
    *session = NULL;
}

const naik_lattice *naik_session_lattice(const naik_session *session)
{
    return session->at.lattice;
}

static naik_session_shape box_of(const naik_lattice *lattice)
{
    naik_session_shape shape = {.spin = 0};
    memcpy(shape.size, lattice->size, sizeof shape.size);
    memcpy(shape.grid, lattice->grid, sizeof shape.grid);
    memcpy(shape.local, lattice->local, sizeof shape.local);
    memcpy(shape.origin, lattice->origin, sizeof shape.origin);
    return shape;
}

void naik_session_shape_of(const naik_session *session, naik_session_shape *out)
{
    *out = box_of(session->at.lattice);
    out->gpu = session->at.backend->ops->memory.adopt != NULL;
    out->spin = session->input->kind->spin;
    out->columns = session->input->kind->columns;
}

/* As the input of a session takes the grid, so that NAIK_GRID counts here too. */
naik_status naik_session_box(naik_comm *comm, const int size[NAIK_DIM], const int *grid,
                             naik_session_shape *out)
{
    naik_status status = NAIK_OK;
    naik_lattice *lattice = NULL;
    naik_input *input = NULL;
    char keys[128] = "action: {type: naive}";
    session_texts texts = {.keys = keys, .file = "links in memory"};
    memcpy(texts.size, size, sizeof texts.size);
    if (grid != NULL) {
        snprintf(keys, sizeof keys, "action: {type: naive}\nrun: {grid: [%d, %d, %d, %d]}", grid[0],
                 grid[1], grid[2], grid[3]);
    }
    NAIK_TRY(session_input_make(comm, &texts, NULL, NULL, &input));
    NAIK_TRY(
        naik_lattice_create(comm, size, input->run.grid[0] > 0 ? input->run.grid : NULL, &lattice));
    *out = box_of(lattice);
done:
    naik_lattice_destroy(&lattice);
    naik_input_destroy(&input);
    return status;
}

void naik_session_hear(naik_session *session, const naik_session_hooks *hooks)
{
    session->hooks = *hooks;
}

/* Whether a solution would take the place of another's source, which may be read later than that. */
static bool are_shifted(const double *src, const double *x, size_t count)
{
    const uintptr_t a = (uintptr_t)src, b = (uintptr_t)x, bytes = count * sizeof *x;
    return a != b && (a < b ? b - a : a - b) < bytes;
}

/* One quark, and sources that are numbers, in arrays of their own or in that of the solutions. */
static naik_status check_question(const naik_session *s, const naik_input *input, const batch *b)
{
    naik_status status = NAIK_OK;
    naik_log *log = s->comm->log;
    const int count = b->count;
    NAIK_PASS(session_compare(s->comm, (uint32_t)count, "number of sources"));
    if (count < 1) {
        status = NAIK_FAIL(log, NAIK_ERR_ARG, "a solve needs at least one source");
    } else if (input->solve[0].masses.count != 1) {
        status = NAIK_FAIL(log, NAIK_ERR_INPUT,
                           "a session solves one quark at a time: give one mass and not %d",
                           input->solve[0].masses.count);
    } else if (!b->there && !naik_values_are_finite(b->src, (int64_t)vector_count(s) * count, 64)) {
        status = NAIK_FAIL(log, NAIK_ERR_INPUT, "a source holds numbers that are not finite");
    } else if (are_shifted(b->src, b->x, vector_count(s) * (size_t)count)) {
        status = NAIK_FAIL(log, NAIK_ERR_INPUT,
                           "the array of the solutions begins inside that of the sources, or the "
                           "other way round: give the same array, or two that share no memory");
    }
    return naik_comm_agree(s->comm, status);
}

static naik_status solve_quark(naik_session *s, const char *quark, int count, const double *src,
                               double *x, naik_session_result *results)
{
    naik_status status = NAIK_OK;
    naik_input *input = NULL;
    session_quark *q = &s->quark;
    bool interrupted = false;
    batch b = {.session = s, .count = count, .src = src, .x = x, .results = results};
    NAIK_TRY(session_input_make(s->comm, &s->texts, quark, NULL, &input));
    b.input = input;
    NAIK_TRY(session_arrays_place(&s->at, src, x, &b.there));
    NAIK_TRY(check_question(s, input, &b));
    memset(results, 0, (size_t)count * sizeof *results);
    NAIK_TRY(naik_comm_agree(
        s->comm, naik_interrupt_create_asking(s->comm, ask_caller, s, &s->at.interrupt)));
    NAIK_TRY(session_quark_use(&s->at, input, count, q));
    NAIK_TRY(
        session_guard_begin(s->comm, &q->set, quark_multigrid_at_work(&q->multigrid), &b.guard));
    const naik_propagator_stream stream = {.data = &b,
                                           .count = count,
                                           .source = give_source,
                                           .solution = take_solution,
                                           .there = b.there ? array_there : NULL,
                                           .stop = asked_to_stop,
                                           .tolerance_full = input->solver.tolerance_full,
                                           .poll = at_poll,
                                           .starter = quark_solver_starter(&q->solver)};
    NAIK_TRY(naik_propagator_solve(&q->set.op[NAIK_DOUBLE], q->solver.solver, &q->solver.options,
                                   &stream, &interrupted));
    if (interrupted) {
        status = NAIK_FAIL(s->comm->log, NAIK_ERR_INTERRUPTED,
                           "stopped with %d of %d solutions done", b.done, count);
    }
done:
    session_guard_end(&b.guard);
    if (status == NAIK_ERR_CORRUPT) {
        session_quark_clear(q);
    }
    naik_interrupt_destroy(&s->at.interrupt);
    naik_input_destroy(&input);
    return status;
}

naik_status naik_session_solve_quark(naik_session *session, const char *quark, int count,
                                     const double *src, double *x, naik_session_result *results)
{
    const point_locale locale = point_locale_begin();
    const naik_status status = solve_quark(session, quark, count, src, x, results);
    point_locale_end(locale);
    return status;
}

naik_status naik_session_solve(naik_session *session, double mass, double tolerance, int count,
                               const double *src, double *x, naik_session_result *results)
{
    char quark[128];
    const point_locale locale = point_locale_begin();
    if (tolerance > 0) {
        snprintf(quark, sizeof quark, "{masses: [%.17g], tolerance: %.17g}", mass, tolerance);
    } else {
        snprintf(quark, sizeof quark, "{masses: [%.17g]}", mass);
    }
    point_locale_end(locale);
    return naik_session_solve_quark(session, quark, count, src, x, results);
}

static naik_status make_columns(naik_session *s, const char *source, double *out)
{
    naik_status status = NAIK_OK;
    naik_input *input = NULL;
    source_file_sums sums = {NULL, NULL};
    stored_runs runs = {.count = 0};
    sequential_set sequential = {.input = NULL};
    naik_gauss *gauss = NULL, *hops = NULL;
    naik_shifts *shifts = NULL;
    char links[512];
    NAIK_TRY(session_input_make(s->comm, &s->texts, NULL, source, &input));
    if (input->source_count != 1) {
        status = NAIK_FAIL(s->comm->log, NAIK_ERR_INPUT,
                           "a session makes one source at a time, and these keys make %d: give one "
                           "place, one time slice and one hit, and no dilution",
                           input->source_count);
        goto done;
    }
    if (s->thin != NULL) {
        NAIK_TRY(naik_link_provider_sources(s->thin, input, &gauss, &hops));
        if (naik_source_is_shifted(&input->sources[0].source)) {
            NAIK_TRY(naik_shifts_create(s->thin, input->lattice.antiperiodic_t, &shifts));
        }
    } else if (naik_source_is_smeared(&input->sources[0].source) ||
               naik_source_is_shifted(&input->sources[0].source)) {
        status = NAIK_FAIL(s->comm->log, NAIK_ERR_INPUT,
                           "a source that is made with links needs a configuration, and this "
                           "session has fat and long links alone");
        goto done;
    }
    NAIK_TRY(source_file_identify(s->at.lattice, input, &sums));
    naik_link_provider_identity(&s->at.links, links, sizeof links);
    NAIK_TRY(sequential_open(s->at.lattice, input, links, NULL, &sums, &runs, &sequential));
    const source_kit kit = {.lattice = s->at.lattice,
                            .input = input,
                            .sums = &sums,
                            .gauss = gauss,
                            .hops = hops,
                            .sequential = &sequential,
                            .shifts = shifts};
    for (int column = 0; column < input->kind->columns; column++) {
        NAIK_TRY(make_source(&kit, &input->sources[0], column, NULL,
                             out + (size_t)column * vector_count(s)));
    }
done:
    sequential_close(&sequential);
    stored_runs_close(&runs);
    source_file_sums_clear(&sums);
    naik_gauss_destroy(&gauss);
    naik_gauss_destroy(&hops);
    naik_shifts_destroy(&shifts);
    naik_input_destroy(&input);
    return status;
}

naik_status naik_session_source(naik_session *session, const char *source, double *out)
{
    const point_locale locale = point_locale_begin();
    const naik_status status = make_columns(session, source, out);
    point_locale_end(locale);
    return status;
}

/* The place of a meson among those of the session's quarks, by its word or MILC's label. */
static naik_status find_meson(const naik_session *s, const char *name, int *meson)
{
    const bool spin = s->input->kind->spin > 1;
    const int count = spin ? (int)NAIK_SPIN_MESONS : (int)NAIK_MESONS;
    char all[512] = "";
    for (*meson = 0; *meson < count; ++*meson) {
        const char *mine = spin ? naik_spin_meson_name((naik_spin_meson)*meson)
                                : naik_meson_name((naik_meson)*meson);
        if (strcmp(mine, name) == 0 ||
            (!spin && strcmp(naik_meson_label((naik_meson)*meson), name) == 0)) {
            return NAIK_OK;
        }
        naik_text_append(all, sizeof all, "%s%s", *meson > 0 ? ", " : "", mine);
    }
    return NAIK_FAIL(s->comm->log, NAIK_ERR_INPUT,
                     "a session makes no meson '%s' of %s quarks, only %s; naik solve makes more, "
                     "and baryons",
                     name, s->input->kind->name, all);
}

/* As `naik solve` makes it: of each column by itself, then their sum. */
static naik_status own_meson(const naik_session *s, naik_meson meson, const naik_frame *frame,
                             const double *quark, bool there, double *out)
{
    naik_status status = NAIK_OK;
    const naik_quark_kind *kind = s->input->kind;
    const naik_field_ops *ops = &s->at.backend->ops->field;
    const size_t reals = 2 * (size_t)s->at.lattice->size[3];
    naik_field *part[2] = {NULL, NULL};
    double *one = NULL;
    NAIK_TRY(naik_new(s->comm, reals * sizeof *one, "a correlator", (void **)&one));
    for (int p = 0; p < 2; p++) {
        NAIK_TRY(naik_field_create_spin(s->at.geometry, NAIK_DOUBLE, kind->spin, 1, &part[p]));
    }
    memset(out, 0, reals * sizeof *out);
    for (int column = 0; column < kind->columns; column++) {
        const double *x = quark + (size_t)column * vector_count(s);
        for (int p = 0; p < 2; p++) {
            NAIK_TRY((there ? ops->from_device : ops->from_host)(part[p], (naik_parity)p, 0, x));
        }
        NAIK_TRY(naik_meson_correlator_of((const naik_field *const *)part, meson, frame, one));
        for (size_t i = 0; i < reals; i++) {
            out[i] += one[i];
        }
    }
done:
    naik_field_destroy(&part[0]);
    naik_field_destroy(&part[1]);
    free(one);
    return status;
}

naik_status naik_session_meson(const naik_session *session, const char *meson,
                               const naik_frame *frame, const double *quark,
                               const double *antiquark, double *out)
{
    naik_status status = NAIK_OK;
    const naik_session *s = session;
    const bool spin = s->input->kind->spin > 1;
    int number = 0;
    bool there = false;
    double *copy[2] = {NULL, NULL};
    NAIK_TRY(session_compare_meson(s->comm, meson, frame, antiquark == NULL));
    NAIK_TRY(find_meson(s, meson, &number));
    NAIK_TRY(session_arrays_place(&s->at, quark, antiquark, &there));
    if (antiquark == NULL && (!spin || number == NAIK_SPIN_PION)) {
        return own_meson(s, spin ? NAIK_PION5 : (naik_meson)number, frame, quark, there, out);
    }
    if (there) {
        const size_t reals = (size_t)s->input->kind->columns * vector_count(s);
        status = session_arrays_fetch(&s->at, quark, reals, &copy[0]);
        if (status == NAIK_OK) {
            status = session_arrays_fetch(&s->at, antiquark, reals, &copy[1]);
        }
        NAIK_TRY(naik_comm_agree(s->comm, status));
        quark = copy[0];
        antiquark = copy[1];
    }
    antiquark = antiquark != NULL ? antiquark : quark;
    status = spin ? naik_spin_meson_correlator(s->at.lattice, (naik_spin_meson)number, frame, quark,
                                               antiquark, (naik_complex *)out)
                  : naik_contract_meson(s->at.lattice, (naik_meson)number, frame, quark, antiquark,
                                        (naik_complex *)out);
done:
    naik_free(copy[0]);
    naik_free(copy[1]);
    return status;
}

void naik_session_moved(const naik_session *session, double *up_bytes, double *down_bytes)
{
    naik_device *device = &session->at.backend->device;
    *up_bytes = *down_bytes = 0;
    if (device->memory->moved != NULL) {
        device->memory->moved(device, up_bytes, down_bytes);
    }
}

size_t naik_session_size_of(const char *structure)
{
    static const struct {
        const char *name;
        size_t size;
    } structures[] = {{"naik_session_options", sizeof(naik_session_options)},
                      {"naik_session_shape", sizeof(naik_session_shape)},
                      {"naik_session_progress", sizeof(naik_session_progress)},
                      {"naik_session_result", sizeof(naik_session_result)},
                      {"naik_session_hooks", sizeof(naik_session_hooks)},
                      {"naik_frame", sizeof(naik_frame)}};
    for (size_t i = 0; i < sizeof structures / sizeof *structures; i++) {
        if (strcmp(structures[i].name, structure) == 0) {
            return structures[i].size;
        }
    }
    return 0;
}
