/* session.c - configuration, links and solver behind one handle
 *
 * The iteration runs in single precision and true residuals in double, as in `naik solve`.
 */
#include "naik/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/create.h"
#include "backend/geometry.h"
#include "naik/gauge_io.h"
#include "operator/staggered.h"
#include "propagator/propagator.h"

enum { WIDTH = 6 };

struct naik_session {
    const naik_lattice *lattice;
    naik_lattice *own_lattice; /* NULL where the caller's is used */
    naik_backend *backend;
    naik_geometry *geometry;
    naik_staggered packed;
    naik_solver *cg;
};

typedef struct batch {
    const naik_lattice *lattice;
    double mass, tolerance;
    const double *src;
    double *x;
    naik_session_result *results;
} batch;

static size_t vector_count(const naik_lattice *lattice)
{
    return (size_t)lattice->sites * 6;
}

static naik_status give_source(void *data, int64_t index, double *src, double *mass,
                               double *tolerance, double *site_tolerance)
{
    const batch *b = data;
    const size_t count = vector_count(b->lattice);
    memcpy(src, b->src + (size_t)index * count, count * sizeof *src);
    *mass = b->mass;
    *tolerance = b->tolerance;
    *site_tolerance = 0;
    return NAIK_OK;
}

static naik_status take_solution(void *data, int64_t index, const double *x,
                                 const naik_propagator_result *result)
{
    const batch *b = data;
    const size_t count = vector_count(b->lattice);
    memcpy(b->x + (size_t)index * count, x, count * sizeof *x);
    naik_session_result *out = &b->results[index];
    *out = (naik_session_result){.converged = result->cg.reason == NAIK_SOLVER_CONVERGED ||
                                              result->cg.reason == NAIK_SOLVER_ZERO_SOURCE,
                                 .iterations = result->cg.iterations,
                                 .residual = result->cg.residual,
                                 .source_residual = result->source_residual,
                                 .norm = result->norm,
                                 .seconds = result->cg.seconds};
    snprintf(out->reason, sizeof out->reason, "%s", naik_solver_reason_text(result->cg.reason));
    return NAIK_OK;
}

/* Thin links of the configuration, on a lattice of its extents. */
static naik_status read_links(naik_comm *comm, const char *path, naik_session *s,
                              naik_gauge **gauge)
{
    naik_status status = NAIK_OK;
    naik_gauge_file file;
    naik_gauge_checks checks;
    const naik_gauge_load_options load = {.reunitarise = true};
    memset(&file, 0, sizeof file);
    NAIK_TRY(naik_gauge_file_probe(comm, path, &file));
    NAIK_TRY(naik_lattice_create(comm, file.size, NULL, &s->own_lattice));
    NAIK_TRY(naik_gauge_create(s->own_lattice, gauge));
    naik_gauge_file_clear(&file);
    NAIK_TRY(naik_gauge_load(path, &load, *gauge, &file, &checks));
    s->lattice = s->own_lattice;
done:
    naik_gauge_file_clear(&file);
    return status;
}

/* Phased thin links of the session's own. */
static naik_status take_links(naik_comm *comm, const naik_session_options *options, naik_session *s,
                              naik_gauge **gauge)
{
    naik_status status = NAIK_OK;
    if (options->configuration != NULL) {
        NAIK_TRY(read_links(comm, options->configuration, s, gauge));
    } else if (options->links != NULL) {
        s->lattice = options->links->lattice;
        NAIK_TRY(naik_gauge_create(s->lattice, gauge));
        NAIK_TRY(naik_gauge_copy(options->links, *gauge));
    } else {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "a session needs a configuration, as a path or as links in memory");
    }
    naik_gauge_apply_phases(*gauge, !options->periodic_t);
done:
    return status;
}

naik_status naik_session_create(naik_comm *comm, const naik_session_options *options,
                                naik_session **out)
{
    naik_status status = NAIK_OK;
    naik_gauge *gauge = NULL;
    naik_fattener *fattener = NULL;
    naik_fatlong *canonical = NULL;
    const char *backend = options->backend != NULL ? options->backend : "auto";
    naik_session *s = calloc(1, sizeof *s);
    *out = NULL;
    status = s != NULL ? NAIK_OK : NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for a session");
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(take_links(comm, options, s, &gauge));
    NAIK_TRY(
        naik_backend_create(comm, backend, &(naik_backend_options){.threads = 0}, &s->backend));
    NAIK_TRY(naik_geometry_create(s->backend, s->lattice, &s->geometry));
    NAIK_TRY(naik_fattener_create(gauge, options->action,
                                  options->action == NAIK_ASQTAD ? options->u0 : 1,
                                  naik_backend_device(s->backend), &fattener));
    NAIK_TRY(naik_fattener_links(fattener, options->naik_epsilon, &canonical));
    NAIK_TRY(naik_staggered_create(s->geometry, canonical, NAIK_SINGLE, 18, &s->packed));
    NAIK_TRY(naik_solver_create(&naik_solver_cg, s->packed.op, NAIK_SINGLE, WIDTH, &s->cg));
    *out = s;
    s = NULL;
done:
    naik_fatlong_destroy(&canonical);
    naik_fattener_destroy(&fattener);
    naik_gauge_destroy(&gauge);
    naik_session_destroy(&s);
    return status;
}

void naik_session_destroy(naik_session **session)
{
    naik_session *s = *session;
    if (s == NULL) {
        return;
    }
    naik_solver_destroy(&s->cg);
    naik_staggered_destroy(&s->packed);
    naik_geometry_destroy(&s->geometry);
    naik_backend_destroy(&s->backend);
    naik_lattice_destroy(&s->own_lattice);
    free(s);
    *session = NULL;
}

const naik_lattice *naik_session_lattice(const naik_session *session)
{
    return session->lattice;
}

naik_status naik_session_solve(naik_session *session, double mass, double tolerance, int count,
                               const double *src, double *x, naik_session_result *results)
{
    bool interrupted = false;
    batch b = {.lattice = session->lattice,
               .mass = mass,
               .tolerance = tolerance,
               .src = src,
               .x = x,
               .results = results};
    const naik_solver_options options = naik_solver_defaults();
    const naik_propagator_stream stream = {
        .data = &b, .count = count, .source = give_source, .solution = take_solution};
    if (!(tolerance > 0) || count < 1) {
        return NAIK_FAIL(session->lattice->comm->log, NAIK_ERR_ARG,
                         "a solve needs sources and a positive tolerance");
    }
    return naik_propagator_solve(&session->packed.op[NAIK_DOUBLE], session->cg, &options, &stream,
                                 &interrupted);
}
