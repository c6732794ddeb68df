/* low_pair.c - what low modes give to a pair with one operator at source and sink */
#include "contract/low_pair.h"

#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "contract/device_tie.h"
#include "correlator/frame.h"
#include "links/link_current.h"
#include "links/link_ops.h"
#include "links/shift_ops.h"
#include "propagator/contract.h"

enum { COLOURS = 3, REALS = 6, SPACE = NAIK_DIM - 1 };

typedef struct worker {
    const low_pair_kit *kit;
    low_part *part;
    int operator; /* number of a correlator */
    naik_hops hops;
    naik_current *current;       /* NULL: it is one of spin and taste */
    device_tie *tie;             /* which a device puts on the modes, */
    link_current *carried;       /* and which current; both NULL: the host does */
    naik_complex *weights;       /* [2][sites], of it */
    double *widened;             /* there, a mode [sites][6] */
    double *left;                /* L of a half of the modes, where the part has its vectors, */
    int half;                    /* which one; < 0: none */
    int on_link[SPACE];          /* with the momentum of a current on the links */
    naik_complex *sink, *source; /* [T][2][modes][modes]; the first is the part's */
    naik_complex *joined;        /* [masses][2][T] */
    double *masses;              /* [2][masses]: of quark and antiquark */
    int mass_count;
    low_room room;
    naik_complex *c; /* [2 colours][2][modes]: of the quark's source, then of the antiquark's */
} worker;

static const int nowhere[NAIK_DIM];

static size_t vector_of(const worker *w)
{
    return REALS * (size_t)w->kit->lattice->sites;
}

/* The modes of a half, without their vectors: the first has one more where their number is odd. */
static low_part_left half_of(const worker *w, int half)
{
    const int n = w->part->count, more = (n + 1) / 2;
    return half == 0 ? (low_part_left){.first = 0, .count = more}
                     : (low_part_left){.first = more, .count = n - more};
}

static size_t table_of(const worker *w)
{
    const size_t n = (size_t)w->part->count;
    return 2 * (size_t)w->kit->lattice->size[SPACE] * n * n;
}

int64_t low_pair_bytes(const naik_lattice *lattice, int modes)
{
    const int64_t vector = REALS * (int64_t)lattice->sites, n = modes;
    return vector * ((n + 1) / 2) * (int64_t)sizeof(double) + low_room_bytes(lattice) +
           2 * (int64_t)sizeof(naik_complex) * lattice->size[SPACE] * n * n +
           (int64_t)naik_current_bytes(lattice, 1) +
           2 * (int64_t)sizeof(naik_matrix) * NAIK_DIM * lattice->sites;
}

static const naik_input_solve *entry_of(const worker *w, int k)
{
    return &w->kit->input->solve[w->kit->pair->of[k]];
}

static naik_status allocate(worker *w)
{
    naik_log *log = w->kit->lattice->comm->log;
    const size_t vector = vector_of(w), times = (size_t)w->kit->lattice->size[SPACE];
    const size_t masses = (size_t)w->mass_count, n = (size_t)w->part->count;
    w->sink = w->part->sums;
    NAIK_PASS(naik_alloc(log, table_of(w) * sizeof *w->source, "products of low modes",
                         (void **)&w->source));
    NAIK_PASS(naik_alloc(log, 2 * masses * times * sizeof *w->joined, "products of low modes",
                         (void **)&w->joined));
    NAIK_PASS(naik_alloc(log, 2 * masses * sizeof *w->masses, "masses", (void **)&w->masses));
    NAIK_PASS(low_room_create(w->kit->lattice, &w->room));
    NAIK_PASS(naik_alloc(log, 4 * COLOURS * n * sizeof *w->c, "projections", (void **)&w->c));
    return naik_backend_alloc(w->part->geometry->backend,
                              (size_t)half_of(w, 0).count * vector * sizeof *w->left,
                              "low modes with an operator", (void **)&w->left);
}

/* The weight of the current on the device from now on. */
static naik_status weigh(worker *w, const naik_frame *frame)
{
    const naik_lattice *lat = w->kit->lattice;
    naik_status status =
        naik_current_weights(lat, frame, w->operator-(int) NAIK_FIRST_CURRENT, w->weights);
    if (status == NAIK_OK) {
        status = link_current_weigh(w->carried, w->weights);
    }
    return naik_comm_agree(lat->comm, status);
}

static bool is_there(const worker *w)
{
    return w->tie != NULL || w->carried != NULL;
}

/* out = O of f for a source at x0, by way of the device, where the weight of a current is 1. */
static naik_status operate_there(worker *w, const int x0[NAIK_DIM], const double *f, double *out)
{
    naik_status status = NAIK_OK;
    const low_part *part = w->part;
    naik_backend *backend = part->geometry->backend;
    naik_device *device = naik_backend_device(backend);
    const size_t bytes = vector_of(w) * sizeof *f;
    NAIK_TRY(naik_backend_upload(backend, w->widened, f, bytes));
    if (w->carried != NULL) {
        NAIK_TRY(link_current_apply(w->carried, false, w->widened, part->sites));
        NAIK_TRY(device->link_ops->shifts->give_sign(device, w->kit->lattice, (1 << NAIK_DIM) - 1,
                                                     x0, 1, part->sites));
    } else {
        NAIK_TRY(device_tie_apply(w->tie, w->operator-(int) NAIK_FIRST_SPIN_TASTE, x0, w->widened,
                                  part->sites));
    }
    NAIK_TRY(naik_backend_download(backend, out, part->sites, bytes));
done:
    return naik_comm_agree(w->kit->lattice->comm, status);
}

/* out = O of f for a source at x0. */
static naik_status operate(worker *w, const int x0[NAIK_DIM], const double *f, double *out)
{
    if (is_there(w)) {
        return operate_there(w, x0, f, out);
    }
    if (w->current == NULL) {
        return naik_spin_taste_apply(w->kit->shifts, w->operator-(int) NAIK_FIRST_SPIN_TASTE, x0, f,
                                     out);
    }
    const naik_frame rest = {.cosine = false};
    NAIK_PASS(naik_current_apply(w->current, &w->hops, w->operator-(int) NAIK_FIRST_CURRENT, &rest,
                                 f, out));
    naik_meson_give_sign(w->kit->lattice, NAIK_PION05, x0, REALS, out);
    return NAIK_OK;
}

/* exp(-2 pi i p.x/L) */
static naik_frame backward(const int momentum[SPACE])
{
    naik_frame frame = {.cosine = false};
    for (int k = 0; k < SPACE; k++) {
        frame.momentum[k] = -momentum[k];
    }
    return frame;
}

/* w->room.to = L of w->room.from: O, or K eps of a current with that weight on it. */
static naik_status turn(worker *w, const int momentum[SPACE])
{
    if (w->current == NULL) {
        return operate(w, nowhere, w->room.from, w->room.to);
    }
    const naik_frame frame = backward(momentum);
    naik_meson_give_sign(w->kit->lattice, NAIK_PION05, nowhere, REALS, w->room.from);
    return naik_current_apply(w->current, &w->hops, w->operator-(int) NAIK_FIRST_CURRENT, &frame,
                              w->room.from, w->room.to);
}

/* The device for the operator, where it has room. */
static naik_status open_device(worker *w)
{
    naik_status status = NAIK_OK;
    naik_device *device = naik_backend_device(w->part->geometry->backend);
    const naik_lattice *lat = w->kit->lattice;
    const size_t bytes = vector_of(w) * sizeof *w->widened;
    device_tie_shape shape = {.links = naik_correlator_links(w->operator), .columns = 1};
    if (device == NULL || device->link_ops->shifts == NULL) {
        return NAIK_OK;
    }
    if (w->current != NULL) {
        NAIK_PASS(link_current_create(device, lat, w->hops.one, w->hops.three,
                                      w->operator-(int) NAIK_FIRST_CURRENT, 2 * bytes,
                                      &w->carried));
    } else if (shape.links > 0) {
        NAIK_PASS(device_tie_fit(device, lat, 2 * bytes, &shape));
        if (shape.columns > 0) {
            NAIK_PASS(device_tie_create(device, lat, w->kit->shifts, &shape, &w->tie));
        }
    }
    if (is_there(w)) {
        status = naik_device_alloc(device, lat->comm->log, bytes, "a vector", (void **)&w->widened);
        if (status == NAIK_OK && w->carried != NULL) {
            status = naik_alloc(lat->comm->log, 2 * (size_t)lat->sites * sizeof *w->weights,
                                "weights of a current", (void **)&w->weights);
        }
        NAIK_PASS(naik_comm_agree(lat->comm, status));
    }
    return status;
}

/* out = L of mode i, which is not brought to the host. */
static naik_status turn_there(worker *w, int i, double *out)
{
    naik_status status = NAIK_OK;
    const low_part *part = w->part;
    naik_device *device = naik_backend_device(part->geometry->backend);
    status = device->link_ops->shifts->widen(device, w->kit->lattice,
                                             part->vector + vector_of(w) * (size_t)i, w->widened);
    if (w->carried != NULL) {
        return status == NAIK_OK ? link_current_apply(w->carried, true, w->widened, out) : status;
    }
    NAIK_PASS(naik_comm_agree(w->kit->lattice->comm, status));
    return device_tie_apply(w->tie, w->operator-(int) NAIK_FIRST_SPIN_TASTE, nowhere, w->widened,
                            out);
}

/* out = L of mode i, by way of the host. */
static naik_status turn_here(worker *w, const int momentum[SPACE], int i, double *out)
{
    NAIK_PASS(low_part_mode(w->part, i, w->room.mode, w->room.from));
    NAIK_PASS(turn(w, momentum));
    return naik_backend_upload(w->part->geometry->backend, out, w->room.to,
                               vector_of(w) * sizeof *out);
}

/* w->left of a half of the modes. */
static naik_status turn_half(worker *w, const int on_link[SPACE], int half)
{
    naik_status status = NAIK_OK;
    const low_part_left modes = half_of(w, half);
    w->half = -1;
    if (w->carried != NULL) {
        const naik_frame frame = backward(on_link);
        NAIK_PASS(weigh(w, &frame));
    }
    for (int k = 0; k < modes.count; k++) {
        double *out = w->left + vector_of(w) * (size_t)k;
        status = is_there(w) ? turn_there(w, modes.first + k, out)
                             : turn_here(w, on_link, modes.first + k, out);
        NAIK_PASS(naik_comm_agree(w->kit->lattice->comm, status));
    }
    memcpy(w->on_link, on_link, sizeof w->on_link);
    w->half = half;
    return status;
}

/* out_ij = table_ji* of each time slice and parity. */
static void transpose(const worker *w, const naik_complex *table, naik_complex *out)
{
    const size_t n = (size_t)w->part->count, tables = table_of(w) / (n * n);
#pragma omp parallel for schedule(static)
    for (size_t k = 0; k < tables; k++) {
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                out[(k * n + i) * n + j] = naik_conj(table[(k * n + j) * n + i]);
            }
        }
    }
}

/* w->sink = the products of L u_i with all modes; on_link: the momentum of a current, else that of the weight. The half of
 * the modes that is there goes first. */
static naik_status multiply(worker *w, const int on_link[SPACE], const int weight[SPACE])
{
    const bool there = w->half >= 0 && memcmp(w->on_link, on_link, sizeof w->on_link) == 0;
    const int first = there ? w->half : 0;
    for (int k = 0; k < 2; k++) {
        const int half = k == 0 ? first : !first;
        low_part_left left = half_of(w, half);
        if (left.count == 0) {
            continue; /* of a single mode */
        }
        if (k > 0 || !there) {
            NAIK_PASS(turn_half(w, on_link, half));
        }
        left.vector = w->left;
        NAIK_PASS(low_part_products(w->part, &left, 0, weight, w->sink));
    }
    return NAIK_OK;
}

/* Both tables of a momentum. */
static naik_status make_tables(worker *w, const int momentum[SPACE])
{
    const bool current = w->current != NULL;
    int back[SPACE];
    for (int k = 0; k < SPACE; k++) {
        back[k] = -momentum[k];
    }
    NAIK_PASS(multiply(w, nowhere, back));
    transpose(w, w->sink, w->source);
    if (naik_input_is_moving(momentum)) {
        NAIK_PASS(multiply(w, current ? momentum : nowhere, current ? nowhere : momentum));
    }
    return NAIK_OK;
}

/* From all sites. */
static naik_status from_all(worker *w, naik_complex *all)
{
    const naik_vectors *momenta = &w->kit->input->output.momenta;
    const int times = w->kit->lattice->size[SPACE];
    const bool odd = naik_correlator_parity(w->operator) < 0;
    const double sigma = w->current != NULL ? 1 : naik_spin_taste_adjoint(w->operator);
    const low_part_tables tables = {w->sink, w->source, odd};
    const low_part_masses masses = {w->masses, w->masses + w->mass_count, w->mass_count};
    for (int p = 0; p < momenta->count; p++) {
        NAIK_PASS(make_tables(w, momenta->data[p]));
        NAIK_PASS(naik_comm_agree(w->kit->lattice->comm,
                                  low_part_join_tables(w->part, &tables, &masses, w->joined)));
        for (int m = 0; m < w->mass_count; m++) {
            const naik_complex *joined = w->joined + 2 * m * times;
            for (int t = 0; t < times; t++) {
                const naik_complex sum =
                    naik_cadd(joined[t], naik_cscale(odd ? -1 : 1, joined[times + t]));
                all[(m * momenta->count + p) * times + t] =
                    naik_cscale(sigma / (double)w->kit->lattice->volume, sum);
            }
        }
    }
    return NAIK_OK;
}

/* w->room.shifted = O of the antiquark of that mass, of which the host has no need. */
static naik_status shift_there(worker *w, const int source[2], double mass)
{
    naik_status status = NAIK_OK;
    const low_part *part = w->part;
    const size_t vector = vector_of(w), n = (size_t)part->count;
    int x0[NAIK_DIM];
    correlator_origin(w->kit->input, 2, source, x0);
    for (size_t colour = 0; colour < COLOURS; colour++) {
        const naik_field *const *fields = NULL;
        status = low_part_solution(part, w->c + 2 * n * (COLOURS + colour), mass, &fields);
        NAIK_PASS(naik_comm_agree(w->kit->lattice->comm, status));
        NAIK_PASS(device_tie_apply(w->tie, w->operator-(int) NAIK_FIRST_SPIN_TASTE, x0, part->sites,
                                   w->widened));
        status = naik_backend_download(part->geometry->backend, w->room.shifted + colour * vector,
                                       w->widened, vector * sizeof *w->widened);
        NAIK_PASS(naik_comm_agree(w->kit->lattice->comm, status));
    }
    return status;
}

/* w->room.antiquark of that mass, and w->room.shifted = O of it where the operator is one of spin and taste. */
static naik_status take_antiquark(worker *w, const int source[2], double mass)
{
    const size_t vector = vector_of(w), n = (size_t)w->part->count;
    int x0[NAIK_DIM];
    if (w->tie != NULL) {
        return shift_there(w, source, mass);
    }
    correlator_origin(w->kit->input, 2, source, x0);
    NAIK_PASS(low_part_propagator(w->part, w->c + 2 * n * COLOURS, mass, w->room.antiquark));
    for (size_t colour = 0; colour < COLOURS && w->current == NULL; colour++) {
        NAIK_PASS(
            operate(w, x0, w->room.antiquark + colour * vector, w->room.shifted + colour * vector));
    }
    return NAIK_OK;
}

/* The correlators out [momenta][T] of what w->room.quark is, and w->room.antiquark or w->room.shifted. */
static naik_status contract(worker *w, const int source[2], naik_complex *out)
{
    const low_pair_kit *kit = w->kit;
    const naik_vectors *momenta = &kit->input->output.momenta;
    int x0[NAIK_DIM];
    correlator_origin(kit->input, 2, source, x0);
    if (w->current != NULL) {
        NAIK_PASS(naik_current_fill(w->current, &w->hops, w->operator-(int) NAIK_FIRST_CURRENT, x0,
                                    NULL, w->room.quark, w->room.antiquark));
    }
    for (int p = 0; p < momenta->count; p++) {
        naik_complex *to = out + (size_t)p * (size_t)kit->lattice->size[SPACE];
        const naik_frame frame = correlator_frame(kit->input, 2, source, momenta->data[p]);
        if (w->current != NULL) {
            NAIK_PASS(naik_current_sum(w->current, &frame, to));
        } else {
            NAIK_PASS(naik_contract_meson(kit->lattice, NAIK_PION5, &frame, w->room.quark,
                                          w->room.shifted, to));
        }
    }
    return NAIK_OK;
}

/* From a source: out [masses][momenta][T]. */
static naik_status from_one(worker *w, int k, naik_complex *out)
{
    const low_pair_kit *kit = w->kit;
    const size_t step =
        (size_t)kit->input->output.momenta.count * (size_t)kit->lattice->size[SPACE];
    const int source[2] = {naik_input_first_source(kit->input, kit->pair->of[0]) + k,
                           naik_input_first_source(kit->input, kit->pair->of[1]) + k};
    const size_t n = (size_t)w->part->count;
    if (w->carried != NULL) {
        const naik_frame rest = {.cosine = false};
        NAIK_PASS(weigh(w, &rest));
    }
    for (size_t colour = 0; colour < COLOURS; colour++) {
        const naik_input_source *of = &kit->input->sources[source[0]];
        NAIK_PASS(naik_comm_agree(kit->lattice->comm, naik_source_fill(kit->lattice, &of->source,
                                                                       (int)colour, w->room.from)));
        NAIK_PASS(low_part_project(w->part, w->room.from, w->c + 2 * n * (COLOURS + colour)));
        NAIK_PASS(operate(w, of->x0, w->room.from, w->room.to));
        NAIK_PASS(low_part_project(w->part, w->room.to, w->c + 2 * n * colour));
    }
    for (int m = 0; m < w->mass_count; m++) {
        NAIK_PASS(low_part_propagator(w->part, w->c, w->masses[m], w->room.quark));
        NAIK_PASS(take_antiquark(w, source, w->masses[w->mass_count + m]));
        NAIK_PASS(contract(w, source, out + (size_t)m * step));
    }
    return NAIK_OK;
}

naik_status low_pair_make(const low_pair_kit *kit, low_part *part, naik_complex *all,
                          naik_complex *each, double *all_s)
{
    naik_status status = NAIK_OK;
    worker w = {.kit = kit, .part = part, .half = -1};
    const naik_quark *quark = naik_input_quark(kit->input, kit->pair->of[0], 0);
    const int antiquarks = entry_of(&w, 1)->masses.count;
    w.operator= entry_of(&w, 0)->source.spin_taste;
    w.mass_count = entry_of(&w, 0)->masses.count * antiquarks;
    NAIK_TRY(naik_comm_agree(kit->lattice->comm, allocate(&w)));
    for (int m = 0; m < w.mass_count; m++) {
        w.masses[m] = naik_input_quark(kit->input, kit->pair->of[0], m / antiquarks)->mass;
        w.masses[w.mass_count + m] =
            naik_input_quark(kit->input, kit->pair->of[1], m % antiquarks)->mass;
    }
    if (naik_correlator_is_current(w.operator)) {
        NAIK_TRY(kit->hops(kit->hops_data, quark, &w.hops));
        NAIK_TRY(naik_current_create(kit->lattice, 1, &w.current));
    }
    NAIK_TRY(open_device(&w));
    NAIK_TRY(from_all(&w, all));
    *all_s = naik_time_s();
    const size_t numbers = (size_t)w.mass_count * (size_t)kit->input->output.momenta.count *
                           (size_t)kit->lattice->size[SPACE];
    for (int k = 0; k < entry_of(&w, 1)->origins.count; k++) {
        NAIK_TRY(from_one(&w, k, each + (size_t)k * numbers));
    }
done:
    naik_backend_release(part->geometry->backend, w.left);
    naik_device_free(naik_backend_device(part->geometry->backend), w.widened);
    device_tie_destroy(&w.tie);
    link_current_destroy(&w.carried);
    naik_hops_clear(&w.hops);
    naik_current_destroy(&w.current);
    low_room_clear(&w.room);
    void *const mine[] = {w.weights, w.source, w.joined, w.masses, w.c};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++) {
        naik_free(mine[i]);
    }
    return status;
}
