/* low_average.c - what low modes give to the mesons of an entry: from all sites, and from each of its sources */
#include "contract/low_average.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "comm/collective.h"
#include "contract/frame.h"
#include "io/files.h"
#include "io/modes/modes_file.h"
#include "io/vectors/vector_io.h"

enum { COLOURS = 3, REALS = 6 };
/* |D_oe v|^2 and lambda2 of a mode differ by no more of it, or its vector is not of these links. */
#define SAME_LINKS 1e-2

typedef struct maker {
    const naik_lattice *lattice;
    const naik_input *input;
    const naik_input_solve *solve;
    int of; /* its place in solve[] */
    const char *path;
    naik_modes_spectrum spectrum;
    naik_hops hops;
    low_part part;
    low_average *out;
    naik_complex *c;      /* [2][modes] */
    double *src, *vector; /* [sites][6] */
    double *values;       /* [T][2] */
} maker;

static size_t correlator_count(const naik_input_solve *solve)
{
    return (size_t)solve->correlators.count * (size_t)solve->momenta.count;
}

/* So many modes of a file take part. */
static int modes_of(const naik_input *input, int stored)
{
    return input->deflation.modes > 0 && input->deflation.modes < stored ? input->deflation.modes
                                                                         : stored;
}

static naik_status take(void *data, int index, const float *even)
{
    maker *m = data;
    naik_status status = NAIK_OK;
    double length = 0;
    const double lambda2 = m->spectrum.lambda2[index];
    NAIK_TRY(low_part_put(&m->part, index, even, &m->hops, &length));
    if (!(fabs(length - lambda2) <= SAME_LINKS * lambda2)) {
        return NAIK_FAIL(m->lattice->comm->log, NAIK_ERR_INPUT,
                         "mode %d of '%s' is none of these links: |D v|^2 is %.6g, and its "
                         "eigenvalue %.6g; name another deflation.file",
                         index, m->path, length, lambda2);
    }
done:
    return status;
}

static naik_status allocate(maker *m)
{
    naik_status status = NAIK_OK;
    naik_log *log = m->lattice->comm->log;
    const size_t times = (size_t)m->input->lattice.size[3];
    const size_t vector = REALS * (size_t)m->lattice->sites * sizeof(double);
    const size_t all = (size_t)m->solve->masses.count * correlator_count(m->solve) * times;
    const size_t each = (size_t)m->solve->origins.count * all;
    NAIK_TRY(low_part_create(m->lattice, m->out->count, m->spectrum.lambda2, &m->part));
    NAIK_TRY(
        naik_alloc(log, 2 * (size_t)m->out->count * sizeof *m->c, "projections", (void **)&m->c));
    NAIK_TRY(naik_alloc(log, vector, "a source", (void **)&m->src));
    NAIK_TRY(naik_alloc(log, vector, "a vector", (void **)&m->vector));
    NAIK_TRY(naik_alloc(log, 2 * times * sizeof *m->values, "a correlator", (void **)&m->values));
    NAIK_TRY(naik_alloc(log, all * sizeof *m->out->all, "averages", (void **)&m->out->all));
    NAIK_TRY(naik_alloc(log, each * sizeof *m->out->each, "averages", (void **)&m->out->each));
done:
    return status;
}

/* From all sites, every correlator. */
static naik_status from_all(maker *m)
{
    naik_status status = NAIK_OK;
    const size_t times = (size_t)m->input->lattice.size[3], place = correlator_count(m->solve);
    const size_t masses = (size_t)m->solve->masses.count, momenta = (size_t)m->solve->momenta.count;
    naik_complex *of = NULL; /* [masses][T] */
    status =
        naik_alloc(m->lattice->comm->log, masses * times * sizeof *of, "averages", (void **)&of);
    NAIK_TRY(naik_comm_agree(m->lattice->comm, status));
    for (size_t k = 0; k < place; k++) {
        naik_frame frame = {.cosine = false};
        memcpy(frame.momentum, m->solve->momenta.data[k % momenta], sizeof frame.momentum);
        NAIK_TRY(low_part_meson(&m->part, (naik_meson)m->solve->correlators.data[k / momenta],
                                &frame, m->solve->masses.data, (int)masses, of));
        for (size_t mass = 0; mass < masses; mass++) {
            memcpy(m->out->all + (mass * place + k) * times, of + mass * times, times * sizeof *of);
        }
    }
done:
    naik_free(of);
    return status;
}

/* What m->vector, of one colour, adds to the correlators out [correlators][momenta][T] of a source. */
static naik_status add_colour(maker *m, int source, naik_complex *out)
{
    naik_status status = NAIK_OK;
    const int times = m->input->lattice.size[3], momenta = m->solve->momenta.count;
    for (int k = 0; k < (int)correlator_count(m->solve); k++) {
        const naik_frame frame =
            correlator_frame(m->input, 1, &source, m->solve->momenta.data[k % momenta]);
        NAIK_TRY(naik_meson_correlator(m->lattice,
                                       (naik_meson)m->solve->correlators.data[k / momenta], &frame,
                                       m->vector, m->values));
        for (int t = 0; t < times; t++) {
            out[k * times + t].re += m->values[2 * t];
            out[k * times + t].im += m->values[2 * t + 1];
        }
    }
done:
    return status;
}

/* From each source. */
static naik_status from_each(maker *m, int first)
{
    naik_status status = NAIK_OK;
    const size_t times = (size_t)m->input->lattice.size[3], place = correlator_count(m->solve);
    const size_t masses = (size_t)m->solve->masses.count;
    for (int k = 0; k < m->solve->origins.count; k++) {
        for (int colour = 0; colour < COLOURS; colour++) {
            NAIK_TRY(naik_comm_agree(
                m->lattice->comm, naik_source_fill(m->lattice, &m->input->sources[first + k].source,
                                                   colour, m->src)));
            NAIK_TRY(low_part_project(&m->part, m->src, m->c));
            for (size_t mass = 0; mass < masses; mass++) {
                low_part_solution(&m->part, m->c,
                                  naik_input_quark(m->input, m->of, (int)mass)->mass, m->vector);
                NAIK_TRY(add_colour(m, first + k,
                                    m->out->each + ((size_t)k * masses + mass) * place * times));
            }
        }
    }
done:
    return status;
}

/* The numbers of the file, which every rank reads by itself. */
static naik_status look(maker *m)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = m->lattice->comm;
    bool foreign = comm->rank == 0 && naik_vector_file_begins(comm->log, m->path);
    NAIK_TRY(naik_comm_broadcast(comm, &foreign, sizeof foreign, 0));
    if (foreign) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "averages of type low_modes read naik's own file of modes, and '%s' is "
                         "another code's: name it as deflation.import, and another deflation.file",
                         m->path);
    }
    NAIK_TRY(naik_comm_agree(comm, naik_modes_spectrum_read(comm->log, m->path, &m->spectrum)));
    if (memcmp(m->spectrum.size, m->lattice->size, sizeof m->spectrum.size) != 0) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT, "the modes of '%s' are of another lattice",
                         m->path);
    }
    m->out->count = modes_of(m->input, m->spectrum.count);
done:
    return status;
}

naik_status low_average_make(const naik_lattice *lattice, const naik_input *input,
                             const naik_input_average *average, contract_hops *hops,
                             void *hops_data, low_average *out)
{
    naik_status status = NAIK_OK;
    char path[NAIK_PATH_MAX];
    const naik_quark *quark = naik_input_quark(input, average->of, 0);
    maker m = {.lattice = lattice,
               .input = input,
               .solve = &input->solve[average->of],
               .of = average->of,
               .path = path,
               .out = out};
    const double start_s = naik_time_s();
    *out = (low_average){.count = 0};
    naik_input_modes_path(input, quark->naik_epsilon, path);
    NAIK_TRY(look(&m));
    NAIK_TRY(naik_comm_agree(lattice->comm, allocate(&m)));
    NAIK_TRY(hops(hops_data, quark, &m.hops));
    NAIK_TRY(naik_modes_file_each(lattice, path, &m.spectrum, out->count, take, &m));
    NAIK_TRY(from_all(&m));
    NAIK_TRY(from_each(&m, naik_input_first_source(input, average->of)));
    naik_log_line(lattice->comm->log,
                  "averages: %s: %d modes of %s, from all sites and from %d sources, in %.2f s",
                  average->name, out->count, path, m.solve->origins.count, naik_time_s() - start_s);
done:
    low_part_clear(&m.part);
    naik_hops_clear(&m.hops);
    naik_modes_spectrum_clear(&m.spectrum);
    naik_free(m.c);
    naik_free(m.src);
    naik_free(m.vector);
    naik_free(m.values);
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
    const naik_input_solve *solve = &input->solve[average->of];
    const size_t times = (size_t)input->lattice.size[3], places = correlator_count(solve);
    const size_t at = ((size_t)mass * places + (size_t)place) * times;
    return source < 0
               ? low->all + at
               : low->each + (size_t)source * (size_t)solve->masses.count * places * times + at;
}

int64_t low_average_bytes(const naik_input *input, const naik_lattice *lattice)
{
    int64_t most = 0;
    for (int i = 0; i < input->average_count; i++) {
        const naik_input_average *average = &input->averages[i];
        const naik_input_solve *solve = &input->solve[average->of];
        const int64_t numbers = (int64_t)correlator_count(solve) * solve->masses.count *
                                lattice->size[3] * (solve->origins.count + 1);
        const int modes = input->deflation.modes > 0 ? input->deflation.modes : 0;
        const int64_t bytes = low_part_bytes(lattice, modes) +
                              (int64_t)sizeof(naik_complex) * numbers +
                              2 * (int64_t)(REALS * sizeof(double)) * lattice->sites;
        most = average->type == NAIK_INPUT_LOW_MODES && bytes > most ? bytes : most;
    }
    return most;
}
