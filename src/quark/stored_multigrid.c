/* stored_multigrid.c - whether the vectors of a file are those of the setup at hand, and the way to and from it */
#include "quark/stored_multigrid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "comm/paths.h"
#include "io/checksum.h"
#include "io/gauge/same_links.h"
#include "io/output.h"
#include "quark/family.h"

/* Of |Mh v|/|v|, and what else it may change by: links of 16 bits or 8 numbers are others by 1e-4 of an application,
 * and those of another configuration make vectors that are nowhere near null. */
static const double SAME = 1e-2, ROUNDING = 2e-4;

/* The numbers of the input's setup, its aggregates as the lattice is cut. */
static naik_multigrid_parameters asked_of(const naik_input *input)
{
    naik_multigrid_parameters asked = input->multigrid;
    int mu;
    naik_multigrid_aggregate(input->lattice.size, input->multigrid.aggregate, asked.aggregate, &mu);
    return asked;
}

static naik_status compare(naik_log *log, const naik_input *input, const naik_quark *quark,
                           const char *path, const naik_multigrid_about *about)
{
    char its[NAIK_QUARK_TEXT], own[NAIK_QUARK_TEXT];
    char was[NAIK_MULTIGRID_NUMBER], is[NAIK_MULTIGRID_NUMBER];
    const char *boundary = naik_input_boundary_name(input);
    const naik_multigrid_parameters asked = asked_of(input);
    const double kappa = input->setup_kappa;
    if (!quark_multigrid_is_family(&about->quark, quark) ||
        strcmp(about->boundary_t, boundary) != 0) {
        naik_quark_text(&about->quark, ", ", 10, its);
        naik_quark_text(quark, ", ", 10, own);
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "'%s' keeps near-null vectors of %s quarks (%s, %s in t), which do not "
                         "serve %s quarks (%s, %s in t): name another multigrid.file",
                         path, about->quark.kind->name, its, about->boundary_t, quark->kind->name,
                         own, boundary);
    }
    if (kappa > 0 && about->quark.mass != quark_multigrid_mass_of(kappa)) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "'%s' keeps near-null vectors that were made for kappa %.10g, and "
                         "multigrid.setup_kappa is %.10g: name another multigrid.file, or leave "
                         "multigrid.setup_kappa out",
                         path, quark_multigrid_kappa_of(&about->quark), kappa);
    }
    const char *key = naik_multigrid_difference(&about->parameters, &asked, was, is);
    return key == NULL
               ? NAIK_OK
               : NAIK_FAIL(log, NAIK_ERR_INPUT,
                           "'%s' keeps near-null vectors that were made with multigrid.%s %s, and "
                           "it is %s here: name another multigrid.file, or set multigrid.%s as it "
                           "was",
                           path, key, was, is, key);
}

static naik_status look(naik_comm *comm, const naik_input *input, const naik_quark *quark,
                        bool *there, naik_multigrid_about *about)
{
    char path[NAIK_PATH_MAX];
    int64_t size_bytes = -1;
    *there = false;
    naik_input_multigrid_path(input, quark, path);
    NAIK_PASS(naik_file_size(comm, path, &size_bytes));
    if (size_bytes >= 0) {
        NAIK_PASS(naik_multigrid_file_look(comm, path, input->lattice.size, about));
        NAIK_PASS(naik_comm_agree(comm, compare(comm->log, input, quark, path, about)));
        *there = true;
    }
    return NAIK_OK;
}

naik_status stored_multigrid_look(naik_comm *comm, const naik_input *input, const naik_quark *quark,
                                  bool *there, naik_quark *maker)
{
    naik_multigrid_about about;
    NAIK_PASS(look(comm, input, quark, there, &about));
    if (*there) {
        *maker = about.quark;
    }
    return NAIK_OK;
}

/* Of the first quark whose vectors these are. */
static naik_status check(naik_comm *comm, const naik_input *input, const naik_quark *quark)
{
    const int vectors = input->multigrid.vectors;
    const int64_t bytes = naik_multigrid_file_bytes(input->lattice.size, vectors);
    naik_quark maker;
    char path[NAIK_PATH_MAX], part[NAIK_PATH_MAX], size[NAIK_TEXT_SIZE];
    bool there = false;
    naik_input_multigrid_path(input, quark, path);
    NAIK_PASS(stored_multigrid_look(comm, input, quark, &there, &maker));
    if (there) {
        naik_log_line(
            comm->log,
            "multigrid: %s has %d near-null vectors, made for kappa %.10g, which take the "
            "place of a setup",
            path, vectors, quark_multigrid_kappa_of(&maker));
        return NAIK_OK;
    }
    NAIK_PASS(naik_path_refuse_output(comm, "multigrid.file", path));
    NAIK_PASS(naik_output_room(comm, path, bytes, part));
    naik_text_print_size((double)bytes, size);
    naik_log_line(comm->log, "multigrid: naik keeps the near-null vectors of a setup in %s (%s)",
                  path, size);
    return NAIK_OK;
}

naik_status stored_multigrid_check(naik_comm *comm, const naik_input *input)
{
    for (int q = 0; q < input->quark_count && input->multigrid_file != NULL; q++) {
        int first = 0;
        while (!quark_multigrid_is_family(&input->quarks[first], &input->quarks[q])) {
            first++;
        }
        if (first == q) {
            NAIK_PASS(check(comm, input, &input->quarks[q]));
        }
    }
    return NAIK_OK;
}

/* Every vector is as near to null as the file says, which is so of these links alone. */
static naik_status verify(const stored_multigrid *w, naik_test_vectors *vectors, const char *path,
                          const double *stored)
{
    double found[NAIK_MG_VECTORS_MOST];
    NAIK_PASS(naik_test_vectors_near_null(vectors, w->inner, found));
    for (int i = 0; i < vectors->count; i++) {
        if (!(fabs(found[i] - stored[i]) <= SAME * stored[i] + ROUNDING)) {
            return NAIK_FAIL(w->geometry->backend->log, NAIK_ERR_INPUT,
                             "'%s' keeps near-null vectors of other links: |Mh v|/|v| of vector "
                             "%d is %.6g with these, and %.6g in the file; name another "
                             "multigrid.file",
                             path, i, found[i], stored[i]);
        }
    }
    return NAIK_OK;
}

/* Vectors of links with another description serve where the operator finds them the same; it is told. */
static void tell_links(const stored_multigrid *w, const char *path, const char *links)
{
    char own[NAIK_MULTIGRID_LINKS];
    naik_link_provider_identity(w->links, own, sizeof own);
    if (!naik_same_links(own, links)) {
        naik_log_warn(w->geometry->backend->log,
                      "multigrid: %s says that its vectors are of the links '%s', and these are "
                      "'%s': they are used, because |Mh v|/|v| of every vector agrees to %g",
                      path, links, own, SAME);
    }
}

/* By which vectors are told from others. */
static uint32_t sum_of(const double *near_null, int count)
{
    return naik_crc32(near_null, (size_t)count * sizeof *near_null);
}

static naik_status fetch(void *data, naik_test_vectors *vectors, bool *found)
{
    stored_multigrid *w = data;
    naik_timer *timer = w->geometry->backend->timer;
    naik_comm *comm = w->geometry->lattice->comm;
    double near_null[NAIK_MG_VECTORS_MOST];
    char path[NAIK_PATH_MAX];
    naik_multigrid_about about;
    NAIK_PASS(look(comm, w->input, w->maker, found, &about));
    *found = *found && naik_quark_shares_operator(&about.quark, w->maker);
    if (!*found) {
        return NAIK_OK;
    }
    naik_input_multigrid_path(w->input, w->maker, path);
    naik_timer_start(timer, "read vectors");
    NAIK_PASS(naik_multigrid_file_read(w->geometry, path, vectors, near_null));
    naik_timer_stop(timer, "read vectors");
    NAIK_PASS(verify(w, vectors, path, near_null));
    NAIK_PASS(naik_lock_sweep(comm, path));
    naik_log_line(
        comm->log,
        "multigrid: %d near-null vectors of %s, made for kappa %.10g, take the place of a "
        "setup",
        vectors->count, path, quark_multigrid_kappa_of(&about.quark));
    tell_links(w, path, about.links);
    w->kept = true;
    w->sum = sum_of(near_null, vectors->count);
    return NAIK_OK;
}

static naik_status keep(void *data, naik_test_vectors *vectors)
{
    stored_multigrid *w = data;
    naik_timer *timer = w->geometry->backend->timer;
    naik_log *log = w->geometry->backend->log;
    double near_null[NAIK_MG_VECTORS_MOST];
    char path[NAIK_PATH_MAX];
    bool there = false;
    naik_multigrid_about about = {.quark = *w->maker, .parameters = asked_of(w->input)};
    snprintf(about.boundary_t, sizeof about.boundary_t, "%s", naik_input_boundary_name(w->input));
    naik_link_provider_identity(w->links, about.links, sizeof about.links);
    naik_input_multigrid_path(w->input, w->maker, path);
    NAIK_PASS(naik_test_vectors_near_null(vectors, w->inner, near_null));
    naik_timer_start(timer, "write vectors");
    const naik_status written =
        naik_multigrid_file_write(w->geometry, path, &about, vectors, near_null, &there);
    naik_timer_stop(timer, "write vectors");
    w->sum = sum_of(near_null, vectors->count);
    if (written == NAIK_ERR_IO) { /* the setup is as good as if it had its file */
        naik_log_warn(
            log,
            "multigrid: the near-null vectors of this setup cannot be kept in %s, and this "
            "run goes on with them: %s",
            path, naik_log_message(log));
        naik_log_clear(log);
        return NAIK_OK;
    }
    NAIK_PASS(written);
    naik_log_line(log,
                  there ? "multigrid: naik does not keep the near-null vectors of this setup, "
                          "because %s has those of another job or group"
                        : "multigrid: the near-null vectors are kept in %s",
                  path);
    w->kept = true;
    return NAIK_OK;
}

naik_multigrid_store stored_multigrid_of(stored_multigrid *work)
{
    return (naik_multigrid_store){.data = work, .fetch = fetch, .keep = keep};
}
