/* info_residuals.c - the residuals of stored propagators, computed again from the links
 *
 * |src - M x| / |src|, on the CPU, in double.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "cli/info_parts.h"
#include "io/gauge/same_links.h"
#include "operator/set.h"
#include "run/workplace.h"
#include "stored/stored_sources.h"

typedef struct checker {
    stored_run run;
    stored_sources sources;
    workplace at;
    naik_operator_set set;   /* in double, */
    const naik_quark *quark; /* made for this; NULL: there is none yet */
    naik_solution solution;
    double *src, *x; /* [sites][reals] */
    int wrong;       /* solutions whose residual is not the stored one */
} checker;

static naik_status make_fields(checker *c)
{
    naik_status status = NAIK_OK;
    naik_solution *s = &c->solution;
    naik_field **fields[] = {&s->src[0], &s->src[1], &s->x[0], &s->x[1], &s->work};
    void *sum = NULL;
    for (int i = 0; i < 5; i++) {
        NAIK_PASS(naik_field_create_spin(c->at.geometry, NAIK_DOUBLE, c->run.input->kind->spin, 1,
                                         fields[i]));
    }
    status = naik_backend_alloc(c->at.backend, sizeof *s->sum, "a sum", &sum);
    s->sum = sum;
    return naik_comm_agree(c->at.backend->comm, status);
}

static naik_status prepare(checker *c, naik_comm *comm)
{
    naik_status status = NAIK_OK;
    const size_t bytes =
        (size_t)c->run.input->kind->spin * naik_lattice_vector_bytes(c->run.lattice);
    const workplace_options options = {
        .backend = "cpu", .lattice = c->run.lattice, .watchdog_s = -1};
    NAIK_PASS(workplace_open(comm, &options, &c->at));
    NAIK_PASS(make_fields(c));
    status = naik_alloc(comm->log, bytes, "a vector", (void **)&c->src);
    if (status == NAIK_OK) {
        status = naik_alloc(comm->log, bytes, "a vector", (void **)&c->x);
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    return workplace_links(&c->at, c->run.input, NULL);
}

static void clear(checker *c)
{
    naik_solution *s = &c->solution;
    naik_free(c->src);
    naik_free(c->x);
    naik_operator_set_destroy(&c->set);
    for (int parity = 0; parity < 2; parity++) {
        naik_field_destroy(&s->src[parity]);
        naik_field_destroy(&s->x[parity]);
    }
    naik_field_destroy(&s->work);
    if (c->at.backend != NULL) {
        naik_backend_release(c->at.backend, s->sum);
    }
    workplace_close(&c->at);
    stored_sources_close(&c->sources);
    stored_run_close(&c->run);
}

static naik_status use_quark(checker *c, const naik_quark *quark)
{
    const naik_set_storage storage = {NAIK_DOUBLE, 18, NAIK_DOUBLE, 1};
    if (c->quark == NULL || !naik_quark_shares_operator(c->quark, quark)) {
        c->quark = NULL;
        naik_operator_set_destroy(&c->set);
        NAIK_PASS(naik_link_provider_operators(&c->at.links, c->at.geometry, quark, &storage, NULL,
                                               &c->set));
        c->quark = quark;
    }
    return NAIK_OK;
}

/* |src - M x| / |src|, or |M x| of a zero source. */
static naik_status residual_of(checker *c, double mass, double *residual)
{
    const naik_field_ops *field = &c->at.backend->ops->field;
    naik_solution *s = &c->solution;
    naik_solution_check found;
    s->op = &c->set.op[NAIK_DOUBLE];
    s->mass = mass;
    for (int parity = 0; parity < 2; parity++) {
        NAIK_PASS(field->from_host(s->src[parity], (naik_parity)parity, 0, c->src));
        NAIK_PASS(field->from_host(s->x[parity], (naik_parity)parity, 0, c->x));
    }
    NAIK_PASS(s->op->ops->check(s, &found));
    *residual = found.source_residual;
    return NAIK_OK;
}

/* Stored in single precision, x itself is rounded: |M x| 2^-24 at most. */
static bool is_as_stored(const checker *c, const naik_solve_record *record, double mass,
                         double residual)
{
    int bits = 64;
    naik_propagator_file_stores(c->run.file, &bits);
    const naik_operator *op = &c->set.op[NAIK_DOUBLE];
    const double size = op->ops->largest(op, mass);
    const double rounding = ldexp(bits == 32 ? 1 : 0, -24) + ldexp(1, -50);
    return fabs(residual - record->source_residual) <=
           0.01 * record->source_residual + rounding * size * fmax(record->norm, 1);
}

static naik_status check_task(checker *c, int task, naik_report *report)
{
    const naik_input *input = c->run.input;
    const naik_input_task *t = &input->tasks[task];
    const naik_input_source *source = &input->sources[t->source];
    const naik_quark *quark = naik_input_task_quark(input, task);
    const int solve = naik_propagator_file_solve(c->run.file, t->source, t->mass, t->colour);
    const naik_solve_record *record = naik_propagator_file_record(c->run.file, solve);
    double residual = 0;
    char name[NAIK_INPUT_TASK_TEXT];
    NAIK_PASS(use_quark(c, quark));
    NAIK_PASS(
        naik_comm_agree(c->run.comm, stored_sources_make(&c->sources, source, t->colour, c->src)));
    NAIK_PASS(naik_propagator_file_read_solution(c->run.file, solve, c->x));
    NAIK_PASS(residual_of(c, quark->mass, &residual));
    naik_report_begin(report, NULL);
    naik_report_text(report, "source", source->label);
    naik_quark_report(report, quark);
    naik_report_column(report, input->kind->spin > 1, t->colour);
    naik_report_real(report, "source_residual", residual);
    naik_report_real(report, "stored", record->source_residual);
    naik_report_end(report);
    if (!is_as_stored(c, record, quark->mass, residual)) {
        naik_log_warn(c->run.comm->log,
                      "%s: its residual is %.3e, stored is %.3e: other links, or damaged",
                      naik_input_task_text(input, t, name), residual, record->source_residual);
        c->wrong++;
    }
    return NAIK_OK;
}

/* Wrong residuals come of other links, where the input was told to use some, or of damage. */
static naik_status judge(const checker *c, naik_status *verdict)
{
    char now[512];
    if (c->wrong == 0) {
        return NAIK_OK;
    }
    const char *then = naik_propagator_reader_text(c->run.view, "gauge_checksum");
    naik_link_provider_identity(&c->at.links, now, sizeof now);
    if (then != NULL && !naik_same_links(then, now)) {
        return NAIK_FAIL(c->run.comm->log, NAIK_ERR_INPUT,
                         "'%s' was made with other links: then %s, now %s", c->run.path, then, now);
    }
    *verdict = NAIK_ERR_CORRUPT;
    return NAIK_OK;
}

naik_status info_residuals(naik_comm *comm, const char *path, const char *const *overrides,
                           int count, naik_report *report, naik_status *verdict)
{
    naik_status status = NAIK_OK;
    checker c = {.quark = NULL};
    NAIK_TRY(stored_run_open(comm, path, NULL, overrides, count, &c.run));
    NAIK_TRY(stored_sources_open(&c.run, &c.sources));
    NAIK_TRY(prepare(&c, comm));
    naik_report_list(report, "residuals");
    for (int task = 0; task < c.run.input->task_count && status == NAIK_OK; task++) {
        status = check_task(&c, task, report);
    }
    naik_report_end(report);
    NAIK_TRY(status);
    NAIK_TRY(judge(&c, verdict));
done:
    clear(&c);
    return status;
}
