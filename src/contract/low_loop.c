/* low_loop.c - what low modes give to the loops of an entry of noise */
#include "contract/low_loop.h"

#include <math.h>
#include <string.h>

#include "backend/low_vectors.h"
#include "base/memory.h"
#include "base/timer.h"
#include "comm/collective.h"
#include "correlator/contraction_kind.h"
#include "correlator/frame.h"
#include "lattice/source_kind.h"
#include "propagator/slice_sums.h"

enum { COLOURS = 3, REALS = 6, SPACE = NAIK_DIM - 1 };
/* A projection of 1 is 2^PROJECTION_BITS: one of noise on all sites of 10^9 stays below 2^63. */
enum { PROJECTION_BITS = 48 };

typedef struct worker {
    const low_loop_kit *kit;
    low_part *part;
    const naik_input_solve *solve;
    int first;    /* of its sources */
    int halves;   /* vectors in single precision that a column of noise is the sum of */
    float *noise; /* [modes], where the part has its vectors */
    double *mask; /* [sites]: 1 where the entry has noise, else 0 */
    low_room room;
    naik_complex *density; /* [masses][2][sites]; the second of currents with long links */
    naik_complex *c;       /* [columns of all sources][2][modes] */
    naik_current *current; /* NULL: no loop is one */
} worker;

static const int nowhere[NAIK_DIM];

static size_t vector_of(const worker *w)
{
    return REALS * (size_t)w->kit->lattice->sites;
}

static const naik_ints *loops_of(const worker *w)
{
    return &w->kit->input->output.loops;
}

static double mass_of(const worker *w, int mass)
{
    return naik_input_quark(w->kit->input, w->kit->average->of, mass)->mass;
}

/* Values of single precision: 1, -1, i or -i. */
static bool is_narrow(const naik_input_solve *solve)
{
    return !naik_input_is_moving(solve->source.momentum) &&
           (solve->source.noise == NAIK_NOISE_Z2 || solve->source.noise == NAIK_NOISE_Z4);
}

bool low_loop_needs_hops(const naik_input *input)
{
    bool any = false;
    for (int k = 0; k < input->output.loops.count; k++) {
        any = any || naik_correlator_is_current(input->output.loops.data[k]);
    }
    return any;
}

/* Halves of columns of noise that are multiplied at once. */
static int jobs_at_once(const naik_input_solve *solve, int modes)
{
    const int64_t jobs = (int64_t)COLOURS * solve->origins.count * (is_narrow(solve) ? 1 : 2);
    return jobs < modes ? (int)jobs : modes;
}

int64_t low_loop_backend_bytes(const naik_lattice *lattice, int modes)
{
    return (int64_t)(REALS * sizeof(float)) * lattice->sites * modes;
}

int64_t low_loop_bytes(const naik_lattice *lattice, const naik_input *input,
                       const naik_input_average *average, int modes)
{
    const naik_input_solve *solve = &input->solve[average->of];
    const int64_t sites = lattice->sites;
    const int64_t columns = (int64_t)COLOURS * solve->origins.count;
    const int64_t current = low_loop_needs_hops(input)
                                ? (int64_t)naik_current_bytes(lattice, 1) +
                                      2 * (int64_t)sizeof(naik_matrix) * NAIK_DIM * sites
                                : 0;
    return low_room_bytes(lattice) +
           4 * (int64_t)sizeof(int64_t) * modes * jobs_at_once(solve, modes) +
           sites * (int64_t)sizeof(double) + current +
           (int64_t)sizeof(naik_complex) *
               (2 * sites * solve->masses.count + 2 * columns * (int64_t)modes);
}

static naik_status allocate(worker *w)
{
    naik_log *log = w->kit->lattice->comm->log;
    const size_t sites = (size_t)w->kit->lattice->sites, vector = vector_of(w);
    const size_t masses = (size_t)w->solve->masses.count, n = (size_t)w->part->count;
    const size_t columns = COLOURS * (size_t)w->solve->origins.count;
    NAIK_PASS(naik_alloc(log, sites * sizeof *w->mask, "sites of noise", (void **)&w->mask));
    NAIK_PASS(low_room_create(w->kit->lattice, &w->room));
    NAIK_PASS(naik_alloc(log, 2 * masses * sites * sizeof *w->density, "loops of low modes",
                         (void **)&w->density));
    NAIK_PASS(naik_alloc(log, 2 * columns * n * sizeof *w->c, "projections", (void **)&w->c));
    return naik_backend_alloc(w->part->geometry->backend, n * vector * sizeof *w->noise, "noise",
                              (void **)&w->noise);
}

/* Where noise is: the sites of the subset, of walls on their time slices. Dilution only shares them out. */
static void make_mask(worker *w)
{
    const naik_lattice *lat = w->kit->lattice;
    const naik_source *source = &w->solve->source;
    const bool wall = naik_source_kind_of(source->type)->place == NAIK_SOURCE_ON_SLICE;
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM];
        bool carries = !wall;
        naik_lattice_coords(lat, site, x);
        for (int k = 0; k < w->solve->origins.count && wall; k++) {
            carries = carries || w->solve->origins.data[k][SPACE] == x[SPACE] + lat->origin[SPACE];
        }
        w->mask[site] = carries ? 1 : 0;
    }
    naik_source_restrict(lat, source, 1, w->mask);
}

/* to = eps from where noise is, times `factor`, or without eps. */
static void to_noise(const worker *w, bool eps, double factor, const double *from, double *to)
{
    const naik_lattice *lat = w->kit->lattice;
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lat, site, x);
        const bool odd = naik_parity_of(x) != 0;
        const double sign = w->mask[site] * factor * (odd && eps ? -1 : 1);
        for (int r = 0; r < REALS; r++) {
            to[REALS * (int64_t)site + r] = sign * from[REALS * (int64_t)site + r];
        }
    }
}

/* g m, or g lambda, of a mode. */
static double factor_of(const worker *w, int mode, int mass, bool odd)
{
    const double m = mass_of(w, mass), lambda = w->part->lambda[mode];
    return (odd ? lambda : m) / (2 * (m * m + lambda * lambda));
}

/* The operator that a loop of spin and taste is made with, on every mode: densities of all masses. A local one stands for all
 * of them: without its sign. */
static naik_status fill_density(worker *w, int loop)
{
    const int64_t sites = w->kit->lattice->sites;
    const int masses = w->solve->masses.count;
    const bool local = loop < (int)NAIK_MESONS, odd = naik_correlator_parity(loop) < 0;
    memset(w->density, 0, 2 * (size_t)masses * (size_t)sites * sizeof *w->density);
    for (int i = 0; i < w->part->count; i++) {
        NAIK_PASS(low_part_mode(w->part, i, w->room.mode, w->room.from));
        if (!local) {
            NAIK_PASS(naik_spin_taste_apply(w->kit->shifts, loop - (int)NAIK_FIRST_SPIN_TASTE,
                                            nowhere, w->room.from, w->room.to));
        }
        to_noise(w, !local && !odd, odd ? -1 : 1, w->room.from, w->room.antiquark);
        const double *right = local ? w->room.from : w->room.to;
#pragma omp parallel for schedule(static)
        for (int64_t site = 0; site < sites; site++) {
            naik_complex sum = {0, 0};
            for (int64_t c = COLOURS * site; c < COLOURS * (site + 1); c++) {
                const naik_complex f = {w->room.antiquark[2 * c], w->room.antiquark[2 * c + 1]};
                sum = naik_cfma_conj((naik_complex){right[2 * c], right[2 * c + 1]}, f, sum);
            }
            for (int m = 0; m < masses; m++) {
                naik_complex *at = &w->density[2 * m * sites + site];
                *at = naik_cadd(*at, naik_cscale(factor_of(w, i, m, odd), sum));
            }
        }
    }
    return NAIK_OK;
}

/* A number a site with a sign and a weight. */
typedef struct weighed {
    const naik_slice_waves *waves;
    const naik_complex *density;
    int meson; /* whose sign it gets; NAIK_MESONS: none */
} weighed;

static naik_complex value_at(const void *data, int32_t site, const int x[NAIK_DIM])
{
    const weighed *d = data;
    const int sign = d->meson == (int)NAIK_MESONS ? 1
                                                  : naik_meson_sign((naik_meson)d->meson, x) *
                                                        naik_meson_sign(NAIK_PION05, x);
    return naik_cscale(sign, naik_cmul(naik_slice_wave(d->waves, x), d->density[site]));
}

/* Loops are counted from the lattice's origin. */
static naik_frame frame_of(const worker *w, int momentum)
{
    naik_frame frame =
        correlator_frame(w->kit->input, 1, &w->first, w->solve->momenta.data[momentum]);
    memset(frame.origin, 0, sizeof frame.origin);
    return frame;
}

/* The place of a loop and momentum of a mass in `all`. */
static naik_complex *place_of(const worker *w, naik_complex *all, int mass, int loop, int momentum)
{
    const size_t row = (size_t)mass * (size_t)loops_of(w)->count + (size_t)loop;
    return all + (row * (size_t)w->solve->momenta.count + (size_t)momentum) *
                     (size_t)w->kit->lattice->size[SPACE];
}

static naik_status sum_density(worker *w, int loop, naik_complex *all)
{
    naik_status status = NAIK_OK;
    const int64_t sites = w->kit->lattice->sites;
    const int meson = loops_of(w)->data[loop];
    for (int p = 0; p < w->solve->momenta.count && status == NAIK_OK; p++) {
        const naik_frame frame = frame_of(w, p);
        naik_slice_waves waves;
        status = naik_slice_waves_make(w->kit->lattice, &frame, &waves);
        status = naik_comm_agree(w->kit->lattice->comm, status);
        for (int m = 0; m < w->solve->masses.count && status == NAIK_OK; m++) {
            const weighed data = {.waves = &waves,
                                  .density = w->density + 2 * m * sites,
                                  .meson = meson < (int)NAIK_MESONS ? meson : (int)NAIK_MESONS};
            status =
                naik_slice_sums(w->kit->lattice, value_at, &data, place_of(w, all, m, loop, p));
        }
        naik_slice_waves_clear(&waves);
    }
    return status;
}

/* Three modes as noise and as its solution of one mass. */
static naik_status fill_three(worker *w, int first, int mass)
{
    const size_t vector = vector_of(w);
    for (int k = 0; k < COLOURS; k++) {
        double *src = w->room.antiquark + (size_t)k * vector,
               *solution = w->room.quark + (size_t)k * vector;
        const bool there = first + k < w->part->count;
        memset(solution, 0, vector * sizeof *solution);
        memset(src, 0, vector * sizeof *src);
        if (!there) {
            continue;
        }
        const double factor = factor_of(w, first + k, mass, true);
        NAIK_PASS(low_part_mode(w->part, first + k, w->room.mode, w->room.from));
        to_noise(w, false, -1, w->room.from, src);
        for (size_t r = 0; r < vector; r++) {
            solution[r] = factor * w->room.from[r];
        }
    }
    return NAIK_OK;
}

/* A conserved current of all modes. */
static naik_status add_current(worker *w, int loop, naik_complex *all)
{
    const size_t sites = (size_t)w->kit->lattice->sites;
    naik_complex *const kept[2] = {w->current->one, w->current->three};
    for (int m = 0; m < w->solve->masses.count; m++) {
        naik_complex *const sum[2] = {w->density + 2 * (size_t)m * sites,
                                      w->density + (2 * (size_t)m + 1) * sites};
        memset(sum[0], 0, 2 * sites * sizeof *sum[0]);
        for (int i = 0; i < w->part->count; i += COLOURS) {
            NAIK_PASS(fill_three(w, i, m));
            NAIK_PASS(naik_current_fill(w->current, w->kit->hops,
                                        loops_of(w)->data[loop] - (int)NAIK_FIRST_CURRENT, nowhere,
                                        NULL, w->room.quark, w->room.antiquark));
            for (size_t k = 0; k < 2 * sites; k++) {
                sum[k / sites][k % sites] =
                    naik_cadd(sum[k / sites][k % sites], kept[k / sites][k % sites]);
            }
        }
        memcpy(kept[0], sum[0], sites * sizeof *kept[0]);
        memcpy(kept[1], sum[1], sites * sizeof *kept[1]);
        for (int p = 0; p < w->solve->momenta.count; p++) {
            const naik_frame frame = frame_of(w, p);
            NAIK_PASS(naik_current_sum(w->current, &frame, place_of(w, all, m, loop, p)));
        }
    }
    return NAIK_OK;
}

/* The trace of every loop. */
static naik_status from_all(worker *w, naik_complex *all)
{
    bool locals = false; /* the densities are those of local operators */
    for (int k = 0; k < loops_of(w)->count; k++) {
        const int loop = loops_of(w)->data[k];
        if (naik_correlator_is_current(loop)) {
            NAIK_PASS(add_current(w, k, all));
            locals = false;
            continue;
        }
        if (!locals || loop >= (int)NAIK_MESONS) {
            NAIK_PASS(fill_density(w, loop));
        }
        locals = loop < (int)NAIK_MESONS;
        NAIK_PASS(sum_density(w, k, all));
    }
    return NAIK_OK;
}

static const naik_source *source_of(const worker *w, int column)
{
    return &w->kit->input->sources[w->first + column / COLOURS].source;
}

/* Vector number `slot` of the noise = half of a column in single precision: what it is rounded to, or what that leaves. */
static naik_status put_noise(worker *w, int slot, int job)
{
    const naik_geometry *geometry = w->part->geometry;
    naik_backend *backend = geometry->backend;
    const int column = job / w->halves;
    const size_t vector = vector_of(w);
    memset(w->room.to, 0, vector * sizeof *w->room.to);
    NAIK_PASS(
        naik_source_fill(w->kit->lattice, source_of(w, column), column % COLOURS, w->room.to));
    for (size_t k = 0; k < vector; k++) {
        const double narrow = (double)(float)w->room.to[k];
        w->room.to[k] = job % w->halves == 0 ? narrow : w->room.to[k] - narrow;
    }
    NAIK_PASS(
        naik_backend_upload(backend, w->part->sites, w->room.to, vector * sizeof *w->room.to));
    return backend->ops->low->narrow(geometry, w->part->sites, w->noise + vector * (size_t)slot);
}

/* The modes' products with the first `count` vectors of the noise that is there, of this rank's sites:
 * sums [2][modes][count][2]. */
static naik_status multiply(worker *w, int count, int64_t *sums)
{
    low_part *part = w->part;
    naik_backend *backend = part->geometry->backend;
    const size_t n = (size_t)part->count, row = 2 * (size_t)count;
    memset(sums, 0, 2 * n * row * sizeof *sums);
    for (int t = 0; t < w->kit->lattice->local[SPACE]; t++) {
        const naik_low_pairs args = {.left = part->vector,
                                     .right = w->noise,
                                     .rows = part->count,
                                     .count = part->count,
                                     .weight = part->weight,
                                     .t = t,
                                     .most = count,
                                     .words = part->words};
        NAIK_PASS(backend->ops->low->pairs(part->geometry, &args));
        NAIK_PASS(naik_backend_download(backend, part->taken, part->words,
                                        4 * n * n * sizeof *part->taken));
        for (size_t k = 0; k < 2 * n * row; k++) {
            sums[k] += part->taken[k / row * 2 * n + k % row];
        }
    }
    return NAIK_OK;
}

/* w->c of all columns. */
static naik_status project(worker *w)
{
    naik_status status = NAIK_OK;
    low_part *part = w->part;
    const naik_lattice *lat = w->kit->lattice;
    const int n = part->count, jobs = COLOURS * w->solve->origins.count * w->halves;
    const int most = jobs_at_once(w->solve, n);
    const size_t slice = (size_t)(lat->sites / lat->local[SPACE]);
    int64_t *sums = NULL;
    status = naik_alloc(lat->comm->log, 4 * (size_t)n * (size_t)most * sizeof *sums, "projections",
                        (void **)&sums);
    NAIK_TRY(naik_comm_agree(lat->comm, status));
    for (size_t k = 0; k < slice; k++) {
        part->phases[k] = (naik_complex){ldexp(1, PROJECTION_BITS), 0};
    }
    status = naik_backend_upload(part->geometry->backend, part->weight, part->phases,
                                 slice * sizeof *part->phases);
    for (int first = 0; first < jobs; first += most) {
        const int count = jobs - first < most ? jobs - first : most;
        for (int slot = 0; slot < count && status == NAIK_OK; slot++) {
            status = put_noise(w, slot, first + slot);
        }
        status = status == NAIK_OK ? multiply(w, count, sums) : status;
        NAIK_TRY(naik_comm_agree(lat->comm, status));
        NAIK_TRY(naik_comm_sum_i64(lat->comm, sums, 4 * n * count));
        for (int slot = 0; slot < count; slot++) {
            naik_complex *c = w->c + 2 * (size_t)n * (size_t)((first + slot) / w->halves);
            for (int k = 0; k < 2 * n; k++) {
                const int64_t *word = sums + 2 * ((size_t)k * (size_t)count + (size_t)slot);
                c[k].re += ldexp((double)word[0], -PROJECTION_BITS);
                c[k].im += ldexp((double)word[1], -PROJECTION_BITS);
            }
        }
    }
done:
    naik_free(sums);
    return status;
}

/* The noise of a source with the antiquark's sign on it, as a loop takes it. */
static naik_status fill_noise(worker *w, int source)
{
    const naik_lattice *lat = w->kit->lattice;
    for (int colour = 0; colour < COLOURS; colour++) {
        double *v = w->room.antiquark + (size_t)colour * vector_of(w);
        NAIK_PASS(naik_comm_agree(
            lat->comm, naik_source_fill(lat, source_of(w, COLOURS * source), colour, v)));
        naik_meson_give_sign(lat, NAIK_PION05, nowhere, REALS, v);
    }
    return NAIK_OK;
}

/* Adds the loops of w->room.antiquark and w->room.quark, as those of the solves are made. */
static naik_status add_loops(worker *w, int mass, naik_complex *all)
{
    naik_status status = NAIK_OK;
    const naik_input *input = w->kit->input;
    const size_t vector = vector_of(w);
    const int times = w->kit->lattice->size[SPACE];
    const contraction_kind *kind = contraction_kind_of(CONTRACT_LOOP, 1, input->kind);
    naik_complex *one = NULL;
    status = naik_alloc(w->kit->lattice->comm->log, (size_t)times * sizeof *one, "a loop",
                        (void **)&one);
    NAIK_TRY(naik_comm_agree(w->kit->lattice->comm, status));
    for (int k = 0; k < loops_of(w)->count; k++) {
        const int loop = loops_of(w)->data[k];
        contraction_work work = {.lattice = w->kit->lattice,
                                 .quarks = input->kind,
                                 .meson = loop,
                                 .propagator = {w->room.quark, w->room.antiquark},
                                 .current = w->current};
        if (naik_correlator_is_spin_taste(loop)) {
            for (size_t colour = 0; colour < COLOURS; colour++) {
                NAIK_TRY(naik_spin_taste_apply(w->kit->shifts, loop - (int)NAIK_FIRST_SPIN_TASTE,
                                               nowhere, w->room.quark + colour * vector,
                                               w->room.shifted + colour * vector));
            }
            work.propagator[0] = w->room.shifted;
        } else if (naik_correlator_is_current(loop)) {
            NAIK_TRY(naik_current_fill(w->current, w->kit->hops, loop - (int)NAIK_FIRST_CURRENT,
                                       nowhere, NULL, w->room.quark, w->room.antiquark));
        }
        for (int p = 0; p < w->solve->momenta.count; p++) {
            naik_complex *to = place_of(w, all, mass, k, p);
            work.frame = frame_of(w, p);
            memset(one, 0, (size_t)times * sizeof *one);
            NAIK_TRY(kind->sink[NAIK_INPUT_SINK_POINT].make(&work, one));
            for (int t = 0; t < times; t++) {
                to[t] = naik_cadd(to[t], one[t]);
            }
        }
    }
done:
    naik_free(one);
    return status;
}

/* From each noise field. */
static naik_status from_each(worker *w, naik_complex *each)
{
    const int masses = w->solve->masses.count;
    NAIK_PASS(project(w));
    for (int k = 0; k < w->solve->origins.count; k++) {
        const int field = naik_input_noise_field(w->solve, k);
        naik_complex *out = place_of(w, each, field * masses, 0, 0);
        const naik_complex *c = w->c + 2 * (size_t)w->part->count * COLOURS * (size_t)k;
        NAIK_PASS(fill_noise(w, k));
        for (int m = 0; m < masses; m++) {
            NAIK_PASS(low_part_propagator(w->part, c, mass_of(w, m), w->room.quark));
            NAIK_PASS(add_loops(w, m, out));
        }
    }
    return NAIK_OK;
}

naik_status low_loop_make(const low_loop_kit *kit, low_part *part, naik_complex *all,
                          naik_complex *each, double *all_s)
{
    naik_status status = NAIK_OK;
    const naik_input_solve *entry = &kit->input->solve[kit->average->of];
    worker w = {.kit = kit,
                .part = part,
                .solve = entry,
                .first = naik_input_first_source(kit->input, kit->average->of),
                .halves = is_narrow(entry) ? 1 : 2};
    NAIK_TRY(naik_comm_agree(kit->lattice->comm, allocate(&w)));
    if (low_loop_needs_hops(kit->input)) {
        NAIK_TRY(naik_current_create(kit->lattice, 1, &w.current));
    }
    make_mask(&w);
    NAIK_TRY(from_all(&w, all));
    *all_s = naik_time_s();
    NAIK_TRY(from_each(&w, each));
done:
    naik_backend_release(part->geometry->backend, w.noise);
    naik_current_destroy(&w.current);
    low_room_clear(&w.room);
    naik_free(w.mask);
    naik_free(w.density);
    naik_free(w.c);
    return status;
}
