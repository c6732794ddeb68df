/* session.c - configuration, links and solver behind one handle
 *
 * The iteration runs in single precision and true residuals in double, as in `naik solve`.
 */
#include "naik/session.h"

#include <stdlib.h>
#include <string.h>

#include "naik/gauge_io.h"

enum { WIDTH = 6 };

struct naik_session {
    naik_lattice *lattice;
    naik_backend *backend;
    naik_geometry *geometry;
    naik_cg_links links;
    naik_cg *cg;
};

typedef struct batch {
    const naik_lattice *lattice;
    double mass, tolerance;
    const double *src;
    double *x;
    naik_propagator_result *results;
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
    b->results[index] = *result;
    b->results[index].cg.history = NULL; /* borrowed during this call only */
    b->results[index].cg.history_length = 0;
    b->results[index].part[0] = b->results[index].part[1] = NULL;
    return NAIK_OK;
}

/* Phased thin links of the configuration, on a lattice of its extents. */
static naik_status read_links(naik_comm *comm, const naik_session_options *options, naik_session *s,
                              naik_gauge **gauge)
{
    naik_status status = NAIK_OK;
    naik_gauge_file file;
    naik_gauge_checks checks;
    const naik_gauge_load_options load = {.reunitarise = true};
    memset(&file, 0, sizeof file);
    NAIK_TRY(naik_gauge_file_probe(comm, options->configuration, &file));
    NAIK_TRY(naik_lattice_create(comm, file.size, NULL, &s->lattice));
    NAIK_TRY(naik_gauge_create(s->lattice, gauge));
    naik_gauge_file_clear(&file);
    NAIK_TRY(naik_gauge_load(options->configuration, &load, *gauge, &file, &checks));
    naik_gauge_apply_phases(*gauge, !options->periodic_t);
done:
    naik_gauge_file_clear(&file);
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
    NAIK_TRY(read_links(comm, options, s, &gauge));
    NAIK_TRY(
        naik_backend_create(comm, backend, &(naik_backend_options){.threads = 0}, &s->backend));
    NAIK_TRY(naik_geometry_create(s->backend, s->lattice, &s->geometry));
    NAIK_TRY(naik_fattener_create(gauge, options->action,
                                  options->action == NAIK_ASQTAD ? options->u0 : 1, s->backend,
                                  &fattener));
    NAIK_TRY(naik_fattener_links(fattener, options->naik_epsilon, &canonical));
    NAIK_TRY(naik_cg_links_create(s->geometry, canonical, NAIK_SINGLE, 18, &s->links));
    NAIK_TRY(naik_cg_create(&s->links, NAIK_SINGLE, WIDTH, &s->cg));
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
    naik_cg_destroy(&s->cg);
    naik_cg_links_destroy(&s->links);
    naik_geometry_destroy(&s->geometry);
    naik_backend_destroy(&s->backend);
    naik_lattice_destroy(&s->lattice);
    free(s);
    *session = NULL;
}

const naik_lattice *naik_session_lattice(const naik_session *session)
{
    return session->lattice;
}

naik_status naik_session_solve(naik_session *session, double mass, double tolerance, int count,
                               const double *src, double *x, naik_propagator_result *results)
{
    bool interrupted = false;
    batch b = {.lattice = session->lattice,
               .mass = mass,
               .tolerance = tolerance,
               .src = src,
               .x = x,
               .results = results};
    const naik_cg_options options = naik_cg_defaults();
    const naik_propagator_stream stream = {
        .data = &b, .count = count, .source = give_source, .solution = take_solution};
    if (!(tolerance > 0) || count < 1) {
        return NAIK_FAIL(session->lattice->comm->log, NAIK_ERR_ARG,
                         "a solve needs sources and a positive tolerance");
    }
    return naik_propagator_solve(session->links.outer, session->cg, &options, &stream,
                                 &interrupted);
}
