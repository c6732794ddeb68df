/* info_residuals.c - |src - M x| / |src| of what is in a file, on the CPU, in double
 */
#include "cli/info_residuals.h"

#include <math.h>
#include <string.h>

#include "backend/dslash.h"
#include "base/memory.h"
#include "links/twist.h"
#include "operator/wilson.h"

#include "base/exactsum.h"
#include "comm/collective.h"
#include "run/stored_sources.h"
#include "run/workplace.h"

typedef struct checker {
    stored_run run;
    stored_sources sources;
    workplace at;
    naik_links *links;   /* of staggered quarks */
    naik_wilson *wilson; /* or the operator of Wilson and clover quarks */
    double epsilon;      /* of the links, or the mass of that */
    const double *twist; /* of either; NULL: none */
    naik_field *in, *out;
    double *src, *x, *dx, *ax; /* [sites][reals]; ax of Wilson and clover quarks */
    int wrong;                 /* solutions whose residual is not the stored one */
} checker;

static naik_status prepare(checker *c, naik_comm *comm)
{
    naik_status status = NAIK_OK;
    const int spin = naik_input_reals(c->run.input) / 6;
    const size_t bytes = (size_t)spin * naik_lattice_vector_bytes(c->run.lattice);
    double **vectors[] = {&c->src, &c->x, &c->dx, &c->ax};
    const int count = naik_input_is_wilson(c->run.input) ? 4 : 3;
    const workplace_options options = {
        .backend = "cpu", .lattice = c->run.lattice, .watchdog_s = -1};
    NAIK_TRY(workplace_open(comm, &options, &c->at));
    NAIK_TRY(naik_field_create_spin(c->at.geometry, NAIK_DOUBLE, spin, 1, &c->in));
    NAIK_TRY(naik_field_create_spin(c->at.geometry, NAIK_DOUBLE, spin, 1, &c->out));
    for (int i = 0; i < count && status == NAIK_OK; i++) {
        status = naik_alloc(comm->log, bytes, "a vector", (void **)vectors[i]);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(workplace_links(&c->at, c->run.input, NULL));
done:
    return status;
}

static void clear(checker *c)
{
    naik_free(c->src);
    naik_free(c->x);
    naik_free(c->dx);
    naik_free(c->ax);
    naik_wilson_destroy(&c->wilson);
    naik_field_destroy(&c->in);
    naik_field_destroy(&c->out);
    naik_links_destroy(&c->links);
    workplace_close(&c->at);
    stored_sources_close(&c->sources);
    stored_run_close(&c->run);
}

static naik_status use_mass(checker *c, double mass, const double *twist)
{
    naik_status status = NAIK_OK;
    naik_device *device = naik_backend_device(c->at.backend);
    naik_clover *clover = NULL;
    naik_gauge *links = NULL, *twisted = NULL;
    const double csw = naik_input_csw(c->run.input), mu = c->run.input->action.mu;
    if (c->wilson != NULL && c->epsilon == mass && c->twist == twist) {
        return NAIK_OK;
    }
    naik_wilson_destroy(&c->wilson);
    NAIK_TRY(naik_gauge_bring(c->at.links.thin, device, &links));
    if (csw != 0) {
        NAIK_TRY(naik_clover_create(links, device, mass, mu, csw, &clover));
    }
    if (twist != NULL) {
        NAIK_TRY(naik_gauge_twist(links, twist, 1, &twisted));
    }
    NAIK_TRY(naik_wilson_create(c->at.geometry, twisted != NULL ? twisted : links, clover, mass, mu,
                                NAIK_DOUBLE, 18, &c->wilson));
    c->epsilon = mass;
    c->twist = twist;
done:
    naik_gauge_destroy(&links);
    naik_gauge_destroy(&twisted);
    naik_clover_destroy(&clover);
    return status;
}

static naik_status use_epsilon(checker *c, double epsilon, const double *twist)
{
    naik_status status = NAIK_OK;
    naik_fatlong *canonical = NULL;
    if (c->links != NULL && c->epsilon == epsilon && c->twist == twist) {
        return NAIK_OK;
    }
    naik_links_destroy(&c->links);
    NAIK_TRY(naik_link_provider_links(&c->at.links, epsilon, twist, &canonical));
    NAIK_TRY(naik_links_create(c->at.geometry, canonical, NAIK_DOUBLE, 18, &c->links));
    c->epsilon = epsilon;
    c->twist = twist;
done:
    naik_fatlong_destroy(&canonical);
    return status;
}

/* *norm = |v|, over all ranks. */
static naik_status norm_of(const naik_lattice *lat, const double *v, int reals, double *norm)
{
    naik_exactsum sum;
    naik_exactsum_clear(&sum);
    for (int64_t i = 0; i < (int64_t)lat->sites * reals; i++) {
        naik_exactsum_add(&sum, v[i] * v[i]);
    }
    naik_status status = naik_comm_sum_exact(lat->comm, &sum, 1);
    *norm = sqrt(naik_exactsum_value(&sum));
    return status;
}

/* |src - M x| / |src|, or |M x| of a zero source. */
static naik_status residual_of(checker *c, double mass, double *residual)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = c->run.lattice;
    const naik_backend_ops *ops = c->at.backend->ops;
    const int reals = 6 * c->in->spin;
    const bool wilson = c->wilson != NULL;
    const naik_links *links = wilson ? c->wilson->links : c->links;
    double norm = 0;
    for (int parity = 0; parity < 2; parity++) {
        NAIK_TRY(ops->field.from_host(c->in, (naik_parity)!parity, 0, c->x));
        NAIK_TRY(naik_dslash_plain(links, c->in, (naik_parity)parity, c->out));
        NAIK_TRY(ops->field.to_host(c->out, (naik_parity)parity, 0, c->dx));
        if (wilson) {
            NAIK_TRY(ops->field.from_host(c->in, (naik_parity)parity, 0, c->x));
            NAIK_TRY(ops->wilson.multiply(c->wilson->diagonal, c->in, (naik_parity)parity, NULL,
                                          NAIK_RHS_IDLE, c->out));
            NAIK_TRY(ops->field.to_host(c->out, (naik_parity)parity, 0, c->ax));
        }
    }
    for (int64_t i = 0; i < (int64_t)lat->sites * reals; i++) {
        c->dx[i] = wilson ? c->src[i] - (c->ax[i] - 0.5 * c->dx[i])
                          : c->src[i] - (2 * mass * c->x[i] + c->dx[i]);
    }
    NAIK_TRY(norm_of(lat, c->src, reals, &norm));
    NAIK_TRY(norm_of(lat, c->dx, reals, residual));
    *residual /= norm > 0 ? norm : 1;
done:
    return status;
}

/* Stored in single precision, x itself is rounded: |M x| 2^-24 at most, and |M| < 2m + 8, or |A| + 4
 * of Wilson and clover quarks. */
static bool is_as_stored(const checker *c, const naik_solve_record *record, double mass,
                         double residual)
{
    int bits = 64;
    naik_propagator_file_stores(c->run.file, &bits);
    const double size = c->wilson != NULL ? c->wilson->largest + 4 : 2 * mass + 8;
    const double rounding = ldexp(bits == 32 ? 1 : 0, -24) + ldexp(1, -50);
    return fabs(residual - record->source_residual) <=
           0.01 * record->source_residual + rounding * size * fmax(record->norm, 1);
}

static naik_status check_task(checker *c, int task, naik_report *report)
{
    naik_status status = NAIK_OK;
    const naik_input *input = c->run.input;
    const naik_input_task *t = &input->tasks[task];
    const naik_input_source *source = &input->sources[t->source];
    const double mass = input->solve[t->solve].masses.data[t->mass];
    const int solve = naik_propagator_file_solve(c->run.file, t->source, t->mass, t->colour);
    const naik_solve_record *record = naik_propagator_file_record(c->run.file, solve);
    double residual = 0;
    char column[NAIK_INPUT_COLUMN_TEXT];
    naik_input_column_text(input, t->colour, column);
    const double *twist = naik_input_twist(&input->solve[t->solve]);
    NAIK_TRY(naik_input_is_wilson(input)
                 ? use_mass(c, mass, twist)
                 : use_epsilon(c, input->solve[t->solve].naik_epsilon.data[t->mass], twist));
    status = stored_sources_make(&c->sources, source, t->colour, c->src);
    NAIK_TRY(naik_comm_agree(c->run.comm, status));
    NAIK_TRY(naik_propagator_file_read_solution(c->run.file, solve, c->x));
    NAIK_TRY(residual_of(c, mass, &residual));
    naik_report_begin(report, NULL);
    naik_report_text(report, "source", source->label);
    naik_report_real(report, "mass", mass);
    naik_report_int(report, "colour", t->colour);
    naik_report_real(report, "source_residual", residual);
    naik_report_real(report, "stored", record->source_residual);
    naik_report_end(report);
    if (!is_as_stored(c, record, mass, residual)) {
        naik_log_warn(c->run.comm->log,
                      "source=%s mass=%g %s: its residual is %.3e, stored is %.3e: other links, or "
                      "damaged",
                      source->label, mass, column, residual, record->source_residual);
        c->wrong++;
    }
done:
    return status;
}

/* Wrong residuals come of other links, where the input was told to use some, or of damage. */
static naik_status judge(const checker *c, naik_status *verdict)
{
    char now[512];
    if (c->wrong == 0) {
        return NAIK_OK;
    }
    const char *then = stored_run_text(&c->run, "gauge_checksum");
    naik_link_provider_identity(&c->at.links, now, sizeof now);
    if (then != NULL && strcmp(then, now) != 0) {
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
    checker c = {.links = NULL};
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
