/* low_average.c - what low modes give to the mesons of an entry: from all sites, and from each of its sources */
#include "contract/low_average.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend/create.h"
#include "backend/halo.h"
#include "base/memory.h"
#include "base/timer.h"
#include "comm/collective.h"
#include "comm/new.h"
#include "correlator/frame.h"
#include "io/files.h"
#include "io/modes/modes_file.h"
#include "io/vectors/vector_io.h"
#include "propagator/meson_field.h"

enum { COLOURS = 3, REALS = 6, RECON = 18 };
/* |D_oe v|^2 and lambda2 of a mode differ by no more of it, or its vector is not of these links. */
#define SAME_LINKS 1e-2

typedef struct maker {
    const low_average_kit *kit;
    const naik_lattice *lattice;
    const naik_input *input;
    const naik_input_average *average;
    const naik_input_solve *solve;
    const char *path;
    naik_modes_spectrum spectrum;
    naik_links *links;
    naik_field *block, **into; /* [blocks], all of them that one */
    double *residual;          /* [modes] */
    low_held *held;
    low_part *part; /* of that */
    low_average *out;
    naik_complex *c;      /* [2][modes] */
    naik_complex *joined; /* [masses][2][T] */
    double *src;          /* [sites][6] */
    double *values;       /* [correlators][momenta][T][2] */
    naik_meson *mesons;   /* [correlators] */
    naik_frame *frames;   /* [momenta] */
} maker;

static size_t correlator_count(const naik_input_solve *solve)
{
    return (size_t)solve->correlators.count * (size_t)solve->momenta.count;
}

/* What there is of one mass, or of one of each of a pair; how many masses; how many sources, or noise fields. */
static size_t place_count(const naik_input *input, const naik_input_average *average)
{
    const naik_input_solve *solve = &input->solve[average->of];
    return average->pair >= 0 ? (size_t)input->output.momenta.count
           : naik_input_averages_loops(input, average)
               ? (size_t)input->output.loops.count * (size_t)solve->momenta.count
               : correlator_count(solve);
}

static size_t mass_count(const naik_input *input, const naik_input_average *average)
{
    const size_t own = (size_t)input->solve[average->of].masses.count;
    return average->pair < 0
               ? own
               : own * (size_t)input->solve[input->pairs[average->pair].of[0]].masses.count;
}

static size_t each_count(const naik_input *input, const naik_input_average *average)
{
    const naik_input_solve *solve = &input->solve[average->of];
    return naik_input_averages_loops(input, average) ? (size_t)solve->hits
                                                     : (size_t)solve->origins.count;
}

/* Bytes beside those of the part, of the backend that the vectors lie in. */
static int64_t beside_there_bytes(const naik_input *input, const naik_lattice *lattice,
                                  const naik_input_average *average, int modes)
{
    return average->pair >= 0                          ? low_pair_bytes(lattice, modes)
           : naik_input_averages_loops(input, average) ? low_loop_backend_bytes(lattice, modes)
                                                       : 0;
}

static int blocks_of(const maker *m)
{
    return (m->out->count + NAIK_MODES_BLOCK - 1) / NAIK_MODES_BLOCK;
}

/* A block of modes that has been read. */
static naik_status take(void *data, int block)
{
    maker *m = data;
    const int first = block * NAIK_MODES_BLOCK;
    for (int k = 0; k < NAIK_MODES_BLOCK && first + k < m->out->count; k++) {
        double length = 0;
        const double lambda2 = m->spectrum.lambda2[first + k];
        NAIK_PASS(low_part_put(m->part, first + k, m->block, k, m->links, &length));
        if (!(fabs(length - lambda2) <= SAME_LINKS * lambda2)) {
            return NAIK_FAIL(m->lattice->comm->log, NAIK_ERR_INPUT,
                             "mode %d of '%s' is none of these links: |D v|^2 is %.6g, and its "
                             "eigenvalue %.6g; name another deflation.file",
                             first + k, m->path, length, lambda2);
        }
    }
    return NAIK_OK;
}

/* Whether the device has room for the vectors, the links that make them and what reading takes. */
static naik_status has_room(const maker *m, bool *out)
{
    const naik_geometry *geometry = m->kit->geometry;
    double bytes = 0;
    const naik_status status =
        naik_room(m->lattice->comm, &geometry->backend->device, INFINITY, &bytes);
    *out = bytes > (double)low_part_backend_bytes(m->lattice, m->out->count) +
                       (double)beside_there_bytes(m->input, m->lattice, m->average, m->out->count) +
                       3 * (double)naik_links_bytes(geometry, NAIK_DOUBLE, RECON, NAIK_STENCIL);
    return status;
}

/* The geometry that the vectors lie in. */
static naik_status place(maker *m)
{
    const naik_backend_options options = {.threads = 0};
    bool room = false;
    if (m->kit->geometry != NULL) {
        NAIK_PASS(has_room(m, &room));
    }
    if (room) {
        m->held->geometry = m->kit->geometry;
        return NAIK_OK;
    }
    if (m->kit->geometry != NULL) {
        naik_log_line(m->lattice->comm->log,
                      "averages: the device has no room for %d vectors of all sites: they are "
                      "multiplied on the host",
                      m->out->count);
    }
    NAIK_PASS(naik_backend_create(m->lattice->comm, "cpu", &options, &m->held->host));
    NAIK_PASS(naik_geometry_create(m->held->host, m->lattice, &m->held->own));
    m->held->geometry = m->held->own;
    return NAIK_OK;
}

static naik_status allocate(maker *m)
{
    naik_log *log = m->lattice->comm->log;
    const size_t times = (size_t)m->input->lattice.size[3], modes = (size_t)m->out->count;
    const size_t masses = mass_count(m->input, m->average);
    const size_t all = masses * place_count(m->input, m->average) * times;
    const size_t each = each_count(m->input, m->average) * all;
    NAIK_PASS(naik_alloc(log, 2 * modes * sizeof *m->c, "projections", (void **)&m->c));
    NAIK_PASS(naik_alloc(log, modes * sizeof *m->residual, "residuals", (void **)&m->residual));
    NAIK_PASS(
        naik_alloc(log, (size_t)blocks_of(m) * sizeof *m->into, "low modes", (void **)&m->into));
    NAIK_PASS(naik_alloc(log, 2 * masses * times * sizeof *m->joined, "products of low modes",
                         (void **)&m->joined));
    NAIK_PASS(naik_alloc(log, REALS * (size_t)m->lattice->sites * sizeof *m->src, "a source",
                         (void **)&m->src));
    NAIK_PASS(naik_alloc(log, 2 * correlator_count(m->solve) * times * sizeof *m->values,
                         "correlators", (void **)&m->values));
    NAIK_PASS(naik_alloc(log, (size_t)m->solve->correlators.count * sizeof *m->mesons, "mesons",
                         (void **)&m->mesons));
    NAIK_PASS(naik_alloc(log, (size_t)m->solve->momenta.count * sizeof *m->frames, "momenta",
                         (void **)&m->frames));
    NAIK_PASS(naik_alloc(log, all * sizeof *m->out->all, "averages", (void **)&m->out->all));
    return naik_alloc(log, each * sizeof *m->out->each, "averages", (void **)&m->out->each);
}

/* All vectors. */
static naik_status read_modes(maker *m, const naik_quark *quark)
{
    naik_status status = NAIK_OK;
    const naik_modes_taker taker = {.data = m, .take = take};
    NAIK_TRY(low_part_create(m->held->geometry, m->out->count, m->spectrum.lambda2, m->part));
    NAIK_TRY(m->kit->links(m->kit->links_data, quark, m->held->geometry, &m->links));
    NAIK_TRY(naik_field_create_bare(m->held->geometry, NAIK_SINGLE, NAIK_MODES_BLOCK, &m->block));
    for (int b = 0; b < blocks_of(m); b++) {
        m->into[b] = m->block;
    }
    NAIK_TRY(naik_modes_file_read(m->held->geometry, m->path, m->out->count, m->into,
                                  m->spectrum.lambda2, m->residual, &taker));
done:
    naik_links_destroy(&m->links);
    naik_field_destroy(&m->block);
    return status;
}

/* All correlators of a momentum whose mesons are of one class. */
static naik_status from_class(maker *m, int class, int momentum)
{
    const naik_input_solve *solve = m->solve;
    const int times = m->input->lattice.size[3], masses = solve->masses.count;
    bool ready = false;
    for (int k = 0; k < solve->correlators.count; k++) {
        const naik_meson meson = (naik_meson)solve->correlators.data[k];
        const int place = k * solve->momenta.count + momentum;
        if (low_part_class(meson) != class) {
            continue;
        }
        if (!ready) {
            NAIK_PASS(low_part_multiply(m->part, class, solve->momenta.data[momentum]));
            NAIK_PASS(naik_comm_agree(
                m->lattice->comm, low_part_join(m->part, solve->masses.data, masses, m->joined)));
            ready = true;
        }
        for (int mass = 0; mass < masses; mass++) {
            low_part_meson(m->part, meson, m->joined + 2 * mass * times,
                           m->out->all + ((size_t)mass * correlator_count(solve) + (size_t)place) *
                                             (size_t)times);
        }
    }
    return NAIK_OK;
}

/* From all sites, every correlator. */
static naik_status from_all(maker *m)
{
    for (int p = 0; p < m->solve->momenta.count; p++) {
        for (int class = 0; class < LOW_PART_CLASSES; class ++) {
            NAIK_PASS(from_class(m, class, p));
        }
    }
    return NAIK_OK;
}

/* What a solution of one colour adds to the correlators out [correlators][momenta][T] of a source. */
static naik_status add_colour(maker *m, int source, const naik_field *const part[2],
                              naik_complex *out)
{
    const int times = m->input->lattice.size[3], momenta = m->solve->momenta.count;
    const int count = (int)correlator_count(m->solve) * times;
    for (int p = 0; p < momenta; p++) {
        m->frames[p] = correlator_frame(m->input, 1, &source, m->solve->momenta.data[p]);
    }
    for (int c = 0; c < m->solve->correlators.count; c++) {
        m->mesons[c] = (naik_meson)m->solve->correlators.data[c];
    }
    NAIK_PASS(naik_meson_correlators_of(part, m->mesons, m->solve->correlators.count, m->frames,
                                        momenta, m->values));
    for (int k = 0; k < count; k++) {
        out[k].re += m->values[2 * k];
        out[k].im += m->values[2 * k + 1];
    }
    return NAIK_OK;
}

/* From each source. */
static naik_status from_each(maker *m, int first)
{
    const size_t times = (size_t)m->input->lattice.size[3], place = correlator_count(m->solve);
    const size_t masses = (size_t)m->solve->masses.count;
    for (int k = 0; k < m->solve->origins.count; k++) {
        for (int colour = 0; colour < COLOURS; colour++) {
            NAIK_PASS(naik_comm_agree(
                m->lattice->comm, naik_source_fill(m->lattice, &m->input->sources[first + k].source,
                                                   colour, m->src)));
            NAIK_PASS(low_part_project(m->part, m->src, m->c));
            for (size_t mass = 0; mass < masses; mass++) {
                const naik_field *const *part = NULL;
                const double am = naik_input_quark(m->input, m->average->of, (int)mass)->mass;
                NAIK_PASS(
                    naik_comm_agree(m->lattice->comm, low_part_solution(m->part, m->c, am, &part)));
                NAIK_PASS(add_colour(m, first + k, part,
                                     m->out->each + ((size_t)k * masses + mass) * place * times));
            }
        }
    }
    return NAIK_OK;
}

/* The numbers of the file, which every rank reads by itself. */
static naik_status look(maker *m)
{
    naik_comm *comm = m->lattice->comm;
    int64_t size_bytes = -1;
    NAIK_PASS(naik_file_size(comm, m->path, &size_bytes));
    if (size_bytes < 0) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "averages of type low_modes need the modes of the solves, which are all "
                         "done, and '%s' is not there any more: make it again by naik modes with "
                         "the same input, and run the same command again",
                         m->path);
    }
    bool foreign = comm->rank == 0 && naik_vector_file_begins(comm->log, m->path);
    NAIK_PASS(naik_comm_broadcast(comm, &foreign, sizeof foreign, 0));
    if (foreign) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "averages of type low_modes read naik's own file of modes, and '%s' is "
                         "another code's: name it as deflation.import, and another deflation.file",
                         m->path);
    }
    NAIK_PASS(naik_comm_agree(comm, naik_modes_spectrum_read(comm->log, m->path, &m->spectrum)));
    if (memcmp(m->spectrum.size, m->lattice->size, sizeof m->spectrum.size) != 0) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT, "the modes of '%s' are of another lattice",
                         m->path);
    }
    m->out->count = m->kit->modes < m->spectrum.count ? m->kit->modes : m->spectrum.count;
    return NAIK_OK;
}

static naik_status make_loops(maker *m, const naik_quark *quark, double *all_s)
{
    naik_status status = NAIK_OK;
    naik_hops hops = {NULL, NULL};
    const low_loop_kit loops = {.lattice = m->lattice,
                                .input = m->input,
                                .average = m->average,
                                .shifts = m->kit->shifts,
                                .hops = &hops};
    if (low_loop_needs_hops(m->input)) {
        NAIK_TRY(m->kit->hops(m->kit->hops_data, quark, &hops));
    }
    NAIK_TRY(low_loop_make(&loops, m->part, m->out->all, m->out->each, all_s));
done:
    naik_hops_clear(&hops);
    return status;
}

void low_held_clear(low_held *held)
{
    low_part_clear(&held->part);
    naik_geometry_destroy(&held->own);
    naik_backend_destroy(&held->host);
    *held = (low_held){.quark = NULL};
}

/* Whether the modes that are held are those of an average, and there is room for its work beside them. */
static naik_status suffices(const maker *m, const naik_quark *quark, bool *out)
{
    const low_held *held = m->held;
    double bytes = 0;
    *out = held->quark != NULL && held->part.count == m->out->count &&
           strcmp(held->path, m->path) == 0 && naik_quark_shares_operator(held->quark, quark);
    if (!*out || held->host != NULL) {
        return NAIK_OK;
    }
    NAIK_PASS(naik_room(m->lattice->comm, &held->geometry->backend->device, INFINITY, &bytes));
    *out = bytes > (double)beside_there_bytes(m->input, m->lattice, m->average, m->out->count);
    return NAIK_OK;
}

/* The modes of an average, which an earlier one may have read. */
static naik_status get_modes(maker *m, const naik_quark *quark)
{
    bool there = false;
    NAIK_PASS(suffices(m, quark, &there));
    if (there) {
        return NAIK_OK;
    }
    low_held_clear(m->held);
    NAIK_PASS(place(m));
    NAIK_PASS(read_modes(m, quark));
    m->held->quark = quark;
    snprintf(m->held->path, sizeof m->held->path, "%s", m->path);
    return NAIK_OK;
}

naik_status low_average_make(const low_average_kit *kit, const naik_input *input,
                             const naik_input_average *average, low_held *held, low_average *out)
{
    naik_status status = NAIK_OK;
    char path[NAIK_PATH_MAX];
    const naik_quark *quark = naik_input_quark(input, average->of, 0);
    naik_comm *comm = kit->lattice->comm;
    maker m = {.kit = kit,
               .lattice = kit->lattice,
               .input = input,
               .average = average,
               .solve = &input->solve[average->of],
               .path = path,
               .held = held,
               .part = &held->part,
               .out = out};
    const double start_s = naik_time_s();
    *out = (low_average){.count = 0};
    naik_input_modes_path(input, quark->naik_epsilon, path);
    NAIK_TRY(look(&m));
    NAIK_TRY(naik_comm_agree(comm, allocate(&m)));
    NAIK_TRY(get_modes(&m, quark));
    const double read_s = naik_time_s(); /* of the last mode, all work on vectors is done */
    double all_s = read_s;
    if (average->pair >= 0) {
        const low_pair_kit pair = {.lattice = kit->lattice,
                                   .input = input,
                                   .pair = &input->pairs[average->pair],
                                   .shifts = kit->shifts,
                                   .hops = kit->hops,
                                   .hops_data = kit->hops_data};
        NAIK_TRY(low_pair_make(&pair, m.part, out->all, out->each, &all_s));
    } else if (naik_input_averages_loops(input, average)) {
        NAIK_TRY(make_loops(&m, quark, &all_s));
    } else {
        NAIK_TRY(from_all(&m));
        all_s = naik_time_s();
        NAIK_TRY(from_each(&m, naik_input_first_source(input, average->of)));
    }
    const bool loops = naik_input_averages_loops(input, average);
    const int each = (int)each_count(input, average);
    naik_log_line(
        comm->log,
        "averages: %s: naik %s the part of %d modes of %s %s %d %s%s, in %.2f s on the %s "
        "(modes ready in %.2f s, all sites %.2f s, sources %.2f s)",
        average->name, loops ? "computed" : "averaged", out->count, path,
        loops ? "exactly on all sites, and on" : "over all sites and over", each,
        loops ? "noise field" : "source", each == 1 ? "" : "s", naik_time_s() - start_s,
        m.held->host == NULL && naik_backend_device(m.held->geometry->backend) != NULL ? "GPU"
                                                                                       : "host",
        read_s - start_s, all_s - read_s, naik_time_s() - all_s);
done:
    naik_modes_spectrum_clear(&m.spectrum);
    naik_free(m.c);
    naik_free(m.residual);
    naik_free(m.into);
    naik_free(m.joined);
    naik_free(m.src);
    naik_free(m.values);
    naik_free(m.mesons);
    naik_free(m.frames);
    return status;
}

void low_average_clear(low_average *low)
{
    naik_free(low->all);
    naik_free(low->each);
    *low = (low_average){.count = 0};
}

const naik_complex *low_average_of(const low_average *low, const naik_input *input,
                                   const naik_input_average *average, int source, int mass,
                                   int place)
{
    const size_t times = (size_t)input->lattice.size[3], places = place_count(input, average);
    const size_t at = ((size_t)mass * places + (size_t)place) * times;
    return source < 0
               ? low->all + at
               : low->each + (size_t)source * mass_count(input, average) * places * times + at;
}

int64_t low_average_bytes(const naik_input *input, const naik_lattice *lattice, int modes)
{
    int64_t most = 0;
    for (int i = 0; i < input->average_count; i++) {
        const naik_input_average *average = &input->averages[i];
        const int64_t numbers =
            (int64_t)(place_count(input, average) * mass_count(input, average)) * lattice->size[3] *
            ((int64_t)each_count(input, average) + 1);
        const int64_t bytes = low_part_bytes(lattice, modes) +
                              low_part_backend_bytes(lattice, modes) +
                              beside_there_bytes(input, lattice, average, modes) +
                              (naik_input_averages_loops(input, average)
                                   ? low_loop_bytes(lattice, input, average, modes)
                                   : 0) +
                              (int64_t)sizeof(naik_complex) * numbers +
                              (int64_t)(REALS * sizeof(double)) * lattice->sites;
        most = average->type == NAIK_INPUT_LOW_MODES && bytes > most ? bytes : most;
    }
    return most;
}
