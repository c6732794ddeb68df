/* contract.c - the correlators of several solves, from the solutions in the file
 *
 * On the host, but for mesons of staggered quarks, which a device makes from what the host has read, all those of the same
 * quarks at once. One propagator a quark is held at a time.
 */
#include "contract/contract.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "contract/average.h"
#include "contract/device_items.h"
#include "correlator/contraction_list.h"
#include "correlator/frame.h"
#include "correlator/smearing.h"
#include "links/link_ops.h"
#include "propagator/contract.h"

/* Of the device, for the sums of one pass. */
enum { SPARE_BYTES = 256 << 20 };

/* All columns of a propagator. */
typedef struct held {
    double *g; /* [columns][sites][reals] */
    int source, mass;
    double radius; /* it is smeared so at the sink; 0: it is not */
    int iterations;
    bool full;
    naik_complex *wall; /* its sums over time slices, of a wall sink: naik_contract_wall */
    bool summed;
} held;

/* An antiquark with an operator that has links on it, counted from x0. */
typedef struct operated {
    held of;
    int spin_taste, x0[NAIK_DIM];
} operated;

typedef struct worker {
    const contract_kit *kit;
    const contraction_list *list;
    held quark[3];
    held noise; /* of loops, in the place of an antiquark; its mass is -1 */
    operated displaced;
    device_tie *tie;               /* makes mesons of staggered quarks; NULL: the host does */
    held there[DEVICE_TIE_QUARKS]; /* what is in it, without g */
    bool *made, *chosen;           /* [count]: which values are there, and which are being made */
    naik_current *current;         /* NULL: none is asked for */
    int of[6]; /* sources and masses of its quarks, direction, operator at the source */
    int current_x0[NAIK_DIM];  /* where it is counted from */
    bool filled;               /* with these */
    naik_hops hops;            /* the links of */
    const naik_quark *hops_of; /* this; NULL: there are none yet */
    double *src;               /* [sites][reals], a source or one spin of a column */
    naik_complex *values;      /* [count][T] */
    contraction_averager averager;
} worker;

static size_t vector_count(const worker *w)
{
    return (size_t)w->kit->lattice->sites * (size_t)w->kit->input->kind->reals;
}

/* A column, spin after spin; w->src is free. */
static naik_status smear(const worker *w, const contraction_item *item, double *column)
{
    const int spins = w->kit->input->kind->spin;
    for (int spin = 0; spin < spins; spin++) {
#pragma omp parallel for schedule(static)
        for (int32_t site = 0; site < w->kit->lattice->sites; site++) {
            memcpy(w->src + 6 * (int64_t)site, column + 6 * ((int64_t)site * spins + spin),
                   6 * sizeof *column);
        }
        NAIK_PASS(naik_gauss_smear(w->kit->gauss, item->radius, item->iterations, NAIK_GAUSS_ALL,
                                   w->src));
#pragma omp parallel for schedule(static)
        for (int32_t site = 0; site < w->kit->lattice->sites; site++) {
            memcpy(column + 6 * ((int64_t)site * spins + spin), w->src + 6 * (int64_t)site,
                   6 * sizeof *column);
        }
    }
    return NAIK_OK;
}

/* Whether all of b is in a. */
static bool is_same(const held *a, const held *b)
{
    return a->full && a->source == b->source && a->mass == b->mass && a->radius == b->radius &&
           a->iterations == b->iterations;
}

/* Quark k of an item, smeared where it asks for that. */
static naik_status read_propagator(const worker *w, const contraction_item *item, int k, held *out)
{
    const int source = item->source[k], mass = item->mass[k];
    const held wanted = {.g = out->g,
                         .wall = out->wall,
                         .source = source,
                         .mass = mass,
                         .radius = item->radius,
                         .iterations = item->iterations};
    if (is_same(out, &wanted)) {
        return NAIK_OK;
    }
    *out = wanted;
    for (int colour = 0; colour < w->kit->input->kind->columns; colour++) {
        const int solve = naik_propagator_file_solve(w->kit->file, source, mass, colour);
        double *column = out->g + (size_t)colour * vector_count(w);
        NAIK_PASS(naik_propagator_file_read_solution(w->kit->file, solve, column));
        if (item->iterations > 0) {
            NAIK_PASS(smear(w, item, column));
        }
    }
    out->full = true;
    return NAIK_OK;
}

static naik_status sum_wall(const worker *w, held *quark)
{
    naik_status status = NAIK_OK;
    const int columns = w->kit->input->kind->columns;
    const size_t bytes =
        (size_t)(w->kit->input->lattice.size[3] * columns * columns) * sizeof *quark->wall;
    if (quark->summed) {
        return NAIK_OK;
    }
    if (quark->wall == NULL) {
        status =
            naik_alloc(w->kit->lattice->comm->log, bytes, "correlator sums", (void **)&quark->wall);
    }
    NAIK_PASS(naik_comm_agree(w->kit->lattice->comm, status));
    NAIK_PASS(naik_contract_wall(w->kit->lattice, columns, quark->g, quark->wall));
    quark->summed = true;
    return NAIK_OK;
}

/* Whether an operator is on its antiquark already. */
static bool is_operated(const operated *on, int spin_taste, const naik_frame *frame,
                        const held *antiquark)
{
    return is_same(&on->of, antiquark) && on->spin_taste == spin_taste &&
           memcmp(on->x0, frame->origin, sizeof on->x0) == 0;
}

/* It is being put there, into g. */
static void operate(operated *on, double *g, int spin_taste, const naik_frame *frame,
                    const held *antiquark)
{
    *on = (operated){.of = {.g = g,
                            .source = antiquark->source,
                            .mass = antiquark->mass,
                            .radius = antiquark->radius,
                            .iterations = antiquark->iterations},
                     .spin_taste = spin_taste};
    memcpy(on->x0, frame->origin, sizeof on->x0);
}

/* Whether the device makes an item. */
static bool is_for_device(const worker *w, const contraction_item *item)
{
    return w->tie != NULL && device_tie_takes(w->kit->input, item);
}

/* Whether two of these are of the same quarks and momenta, so that one pass makes both. */
static bool shares_pass(const worker *w, const contraction_item *a, const contraction_item *b)
{
    bool same = is_for_device(w, b) && a->quarks == b->quarks && a->radius == b->radius &&
                a->iterations == b->iterations && a->kind->what == b->kind->what &&
                contraction_momenta(w->kit->input, a) == contraction_momenta(w->kit->input, b);
    for (int k = 0; k < a->quarks; k++) {
        same = same && a->source[k] == b->source[k] && a->mass[k] == b->mass[k];
    }
    return same;
}

/* An item by the device, and with it all others of the same quarks. */
static naik_status tie_on_device(worker *w, const contraction_item *item,
                                 const held *const quarks[2])
{
    const int slots = quarks[0] == quarks[1] ? 1 : DEVICE_TIE_QUARKS;
    for (int k = 0; k < slots; k++) {
        if (!is_same(&w->there[k], quarks[k])) {
            NAIK_PASS(
                naik_comm_agree(w->kit->lattice->comm, device_tie_put(w->tie, k, quarks[k]->g)));
            w->there[k] = *quarks[k];
        }
    }
    bool *const chosen = w->chosen;
    for (int i = 0; i < w->list->count; i++) {
        chosen[i] = !w->made[i] && shares_pass(w, item, &w->list->item[i]);
    }
    NAIK_PASS(device_tie_items(w->tie, w->kit->input, w->list, chosen, device_tie_quark(w->tie, 0),
                               device_tie_quark(w->tie, slots - 1), w->values));
    for (int i = 0; i < w->list->count; i++) {
        w->made[i] = w->made[i] || chosen[i];
    }
    return NAIK_OK;
}

/* The operator of an item on its antiquark, which may be displaced so already. */
static naik_status displace(worker *w, const contraction_item *item, const naik_frame *frame,
                            const held *antiquark)
{
    naik_status status = NAIK_OK;
    double *g = w->displaced.of.g;
    const int spin_taste = item->meson - NAIK_FIRST_SPIN_TASTE;
    if (is_operated(&w->displaced, spin_taste, frame, antiquark)) {
        return NAIK_OK;
    }
    if (g == NULL) {
        const size_t bytes = (size_t)w->kit->input->kind->columns * vector_count(w) * sizeof *g;
        status = naik_alloc(w->kit->lattice->comm->log, bytes, "a propagator", (void **)&g);
    }
    operate(&w->displaced, g, spin_taste, frame, antiquark);
    NAIK_PASS(naik_comm_agree(w->kit->lattice->comm, status));
    for (int colour = 0; colour < w->kit->input->kind->columns; colour++) {
        const size_t column = (size_t)colour * vector_count(w);
        NAIK_PASS(naik_spin_taste_apply(w->kit->low.shifts, spin_taste, frame->origin,
                                        antiquark->g + column, g + column));
    }
    w->displaced.of.full = true;
    return NAIK_OK;
}

/* The links of D of a quark, which may be there already. */
static naik_status take_hops(worker *w, const naik_quark *quark)
{
    if (w->hops_of != NULL && naik_quark_shares_operator(w->hops_of, quark)) {
        return NAIK_OK;
    }
    naik_hops_clear(&w->hops);
    w->hops_of = NULL;
    NAIK_PASS(w->kit->low.hops(w->kit->low.hops_data, quark, &w->hops));
    w->hops_of = quark;
    return NAIK_OK;
}

/* The current of an item between two quarks, which may be there already. */
static naik_status carry(worker *w, const contraction_item *item, const naik_frame *frame,
                         const held *quark, const held *antiquark)
{
    const naik_input *input = w->kit->input;
    const int mu = item->meson - NAIK_FIRST_CURRENT;
    const bool loop = item->kind->what == CONTRACT_LOOP;
    const bool bare = item->kind->what == CONTRACT_CURRENT_OF_CURRENT; /* there is no H */
    const int at_source = item->three_point != NULL ? item->three_point->source : bare ? -2 : -1;
    const int of[6] = {quark->source,   quark->mass, antiquark->source,
                       antiquark->mass, mu,          at_source};
    if (w->filled && memcmp(w->of, of, sizeof of) == 0 &&
        memcmp(w->current_x0, frame->origin, sizeof w->current_x0) == 0) {
        return NAIK_OK;
    }
    const naik_gamma source = item->three_point != NULL && input->kind->spin > 1
                                  ? naik_spin_operator_at_source(item->three_point->source)
                              : loop ? naik_gamma_5
                              : bare ? naik_gamma_1
                                     : *naik_gamma_mu[mu];
    w->filled = false;
    NAIK_PASS(
        take_hops(w, naik_input_quark(input, input->sources[quark->source].solve, quark->mass)));
    NAIK_PASS(naik_current_fill(w->current, &w->hops, mu, frame->origin, &source, quark->g,
                                antiquark->g));
    memcpy(w->of, of, sizeof of);
    memcpy(w->current_x0, frame->origin, sizeof w->current_x0);
    w->filled = true;
    return NAIK_OK;
}

static const int lattice_origin[NAIK_DIM];

/* The noise of an item's source, with the antiquark's sign of staggered quarks or g5 of others on it, which its place in
 * a correlator takes away again. */
static naik_status take_noise(worker *w, const contraction_item *item)
{
    const naik_lattice *lat = w->kit->lattice;
    const naik_quark_kind *kind = w->kit->input->kind;
    held *noise = &w->noise;
    if (noise->full && noise->source == item->source[0]) {
        return NAIK_OK;
    }
    *noise = (held){.g = noise->g, .source = item->source[0], .mass = -1};
    for (int column = 0; column < kind->columns; column++) {
        double *v = noise->g + (size_t)column * vector_count(w);
        NAIK_PASS(
            naik_source_fill(lat, &w->kit->input->sources[item->source[0]].source, column % 3, v));
        if (kind->spin == 1) {
            naik_meson_give_sign(lat, NAIK_PION05, lattice_origin, kind->reals, v);
            continue;
        }
        naik_source_to_spin(lat, column / 3, v);
#pragma omp parallel for schedule(static)
        for (int32_t site = 0; site < lat->sites; site++) {
            naik_gamma_times(&naik_gamma_5, v + (int64_t)kind->reals * site);
        }
    }
    noise->full = true;
    return NAIK_OK;
}

/* In the order of the sources. */
static void sum_parts(const worker *w, const contraction_item *item, naik_complex *out)
{
    const naik_input *input = w->kit->input;
    const int times = input->lattice.size[3];
    const int parts = input->solve[input->sources[item->source[0]].solve].origins.count;
    for (int k = 0; k < parts; k++) {
        const naik_complex *part =
            w->values + (size_t)(item->first + k * item->step) * (size_t)times;
        for (int t = 0; t < times; t++) {
            out[t] = naik_cadd(out[t], part[t]);
        }
    }
}

static naik_status contract(worker *w, const contraction_item *item, naik_complex *out)
{
    const naik_input *input = w->kit->input;
    contraction_work work = {.lattice = w->kit->lattice,
                             .quarks = input->kind,
                             .source = &input->sources[item->source[0]].source,
                             .meson = item->meson,
                             .baryon = item->baryon,
                             .shifts = w->kit->low.shifts,
                             .at_source = item->three_point != NULL ? item->three_point->source : 0,
                             .frame = {.cosine = true},
                             .spare = w->src};
    if (w->made[item - w->list->item]) {
        return NAIK_OK;
    }
    if (item->statistic == CONTRACTION_SUM) {
        sum_parts(w, item, out);
        return NAIK_OK;
    }
    if (item->statistic != CONTRACTION_VALUE) {
        return contraction_average(&w->averager, w->list, (int)(item - w->list->item),
                                   out); /* no propagators */
    }
    unsigned corners = ~0U;
    int beside = 0; /* sources with an operator on them */
    const held *quarks[3] = {NULL};
    for (int k = 0; k < 3; k++) {
        const int of = k < item->quarks ? k : 0;
        int slot = 0; /* an equal quark before it is there already */
        while (item->source[slot] != item->source[of] || item->mass[slot] != item->mass[of]) {
            slot++;
        }
        NAIK_PASS(read_propagator(w, item, of, &w->quark[slot]));
        if (item->sink == NAIK_INPUT_SINK_WALL) {
            NAIK_PASS(sum_wall(w, &w->quark[slot]));
        }
        work.propagator[k] = w->quark[slot].g;
        work.wall[k] = w->quark[slot].wall;
        quarks[k] = &w->quark[slot];
        corners &= naik_source_corners(&input->sources[item->source[of]].source);
        beside += k < item->quarks && input->sources[item->source[of]].source.spin_taste != 0;
    }
    if (item->kind->what == CONTRACT_BARYON && input->kind->spin == 1) {
        naik_baryon_corner(item->baryon, corners, beside == item->quarks, work.corner);
    }
    if (item->momentum >= 0) {
        work.frame = correlator_frame(input, item->quarks, item->source,
                                      contraction_momenta(input, item)->data[item->momentum]);
    }
    if (item->kind->what == CONTRACT_LOOP) {
        memset(work.frame.origin, 0, sizeof work.frame.origin);
        NAIK_PASS(take_noise(w, item));
        quarks[1] = &w->noise;
        work.propagator[1] = w->noise.g;
    }
    if (is_for_device(w, item)) {
        return tie_on_device(w, item, quarks);
    }
    if (naik_correlator_is_spin_taste(item->meson)) {
        const int k = item->kind->what == CONTRACT_LOOP ? 0 : 1;
        NAIK_PASS(displace(w, item, &work.frame, quarks[k]));
        work.propagator[k] = w->displaced.of.g;
    } else if (naik_correlator_is_current(item->meson)) {
        NAIK_PASS(carry(w, item, &work.frame, quarks[0], quarks[1]));
        work.current = w->current;
    }
    return item->kind->sink[item->sink].make(&work, out);
}

/* Propagators, where any has to be read. */
static naik_status allocate_vectors(worker *w)
{
    naik_log *log = w->kit->lattice->comm->log;
    const naik_input *input = w->kit->input;
    const size_t bytes = vector_count(w) * sizeof(double);
    int next = 0;
    while (next < w->list->count &&
           (w->made[next] || w->list->item[next].statistic != CONTRACTION_VALUE)) {
        next++;
    }
    if (next == w->list->count) {
        return NAIK_OK;
    }
    for (int k = 0; k < contraction_quarks(input); k++) {
        NAIK_PASS(naik_alloc(log, (size_t)input->kind->columns * bytes, "a propagator",
                             (void **)&w->quark[k].g));
    }
    if (input->output.loops.count > 0) {
        NAIK_PASS(
            naik_alloc(log, (size_t)input->kind->columns * bytes, "noise", (void **)&w->noise.g));
    }
    return naik_alloc(log, bytes, "a source", (void **)&w->src);
}

static naik_status allocate(worker *w)
{
    naik_log *log = w->kit->lattice->comm->log;
    const naik_input *input = w->kit->input;
    const size_t times = (size_t)input->lattice.size[3];
    NAIK_PASS(naik_alloc(log, (size_t)w->list->count * times * sizeof *w->values, "correlators",
                         (void **)&w->values)); /* zeroed */
    NAIK_PASS(
        naik_alloc(log, (size_t)w->list->count * sizeof *w->made, "flags", (void **)&w->made));
    NAIK_PASS(
        naik_alloc(log, (size_t)w->list->count * sizeof *w->chosen, "flags", (void **)&w->chosen));
    w->averager = (contraction_averager){.lattice = w->kit->lattice,
                                         .input = input,
                                         .file = w->kit->file,
                                         .low_kit = &w->kit->low,
                                         .values = w->values};
    return contraction_averager_create(log, &w->averager);
}

/* The device for mesons of staggered quarks, where it has room. */
static naik_status open_device(worker *w)
{
    naik_device *device = w->kit->device;
    const naik_lattice *lat = w->kit->lattice;
    device_tie_shape shape = {.columns = 3, .quarks = DEVICE_TIE_QUARKS};
    bool any = false;
    for (int i = 0; i < w->list->count; i++) {
        const contraction_item *item = &w->list->item[i];
        if (!w->made[i] && device_tie_takes(w->kit->input, item)) {
            const int links = naik_correlator_links(item->meson);
            shape.links = links > shape.links ? links : shape.links;
            any = true;
        }
    }
    if (device == NULL || device->link_ops->shifts == NULL || !any ||
        (shape.links > 0 && w->kit->low.shifts == NULL)) {
        return NAIK_OK;
    }
    NAIK_PASS(device_tie_fit(device, lat, SPARE_BYTES, &shape));
    if (shape.columns > 0) {
        NAIK_PASS(device_tie_create(device, lat, shape.links > 0 ? w->kit->low.shifts : NULL,
                                    &shape, &w->tie));
    }
    return NAIK_OK;
}

static void release(worker *w)
{
    device_tie_destroy(&w->tie);
    naik_free(w->made);
    naik_free(w->chosen);
    for (int k = 0; k < 3; k++) {
        naik_free(w->quark[k].g);
        naik_free(w->quark[k].wall);
    }
    naik_free(w->noise.g);
    naik_free(w->displaced.of.g);
    naik_current_destroy(&w->current);
    naik_hops_clear(&w->hops);
    naik_free(w->src);
    contraction_averager_clear(&w->averager);
    naik_free(w->values);
}

static void print(const contract_kit *kit, const char *path, const naik_complex *values)
{
    naik_log *log = kit->lattice->comm->log;
    naik_log_line(log, "correlator %s", path);
    for (int t = 0; t < kit->input->lattice.size[3]; t++) {
        naik_log_line(log, "  %3d %.9e %.9e", t, values[t].re, values[t].im);
    }
}

naik_status contract_all(const contract_kit *kit)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = kit->lattice->comm;
    contraction_list list = {.count = 0};
    worker w = {.kit = kit, .list = &list};
    const size_t times = (size_t)kit->input->lattice.size[3];
    NAIK_TRY(naik_comm_agree(comm, contraction_list_create(comm->log, kit->input, &list)));
    if (list.count == 0) {
        goto done;
    }
    const double start_s = naik_time_s();
    naik_timer_start(kit->timer, "contractions");
    NAIK_TRY(naik_comm_agree(comm, allocate(&w)));
    const int ahead = contract_ahead_values(kit->ahead, w.made, w.values);
    NAIK_TRY(contract_left_out(kit->input, &list, kit->file, w.made, w.values));
    NAIK_TRY(naik_comm_agree(comm, allocate_vectors(&w)));
    NAIK_TRY(open_device(&w));
    if (smearing_currents(kit->input)) {
        NAIK_TRY(naik_current_create(kit->lattice, kit->input->kind->spin, &w.current));
    }
    for (int i = 0; i < list.count; i++) {
        naik_complex *out = w.values + (size_t)i * times;
        NAIK_TRY(contract(&w, &list.item[i], out));
        if (!contract_ahead_wrote(kit->ahead, i)) {
            NAIK_TRY(naik_propagator_file_contract(kit->file, i, 1, NULL, &out->re));
        }
        if (kit->input->output.print_correlators) {
            print(kit, list.spec[i].path, out);
        }
    }
    contraction_averages_print(&w.averager, &list, comm->log);
    naik_timer_stop(kit->timer, "contractions");
    char beside[96] = "";
    if (ahead > 0) {
        snprintf(beside, sizeof beside,
                 "; naik made %d of them while their solutions were on the device", ahead);
    }
    naik_log_line(comm->log, "contractions: %d correlator%s several solves took %.2f s%s",
                  list.count, list.count == 1 ? " that needs" : "s that need",
                  naik_time_s() - start_s, beside);
done:
    release(&w);
    contraction_list_clear(&list);
    return status;
}

int64_t contraction_bytes(const naik_input *input, const naik_lattice *lattice, int modes)
{
    const naik_quark_kind *kind = input->kind;
    const int64_t vector = kind->reals * (int64_t)sizeof(double) * lattice->sites;
    const int64_t links = (int64_t)sizeof(naik_matrix) * NAIK_DIM * lattice->sites;
    const int quarks = contraction_quarks(input);
    const int64_t current =
        smearing_currents(input)
            ? (int64_t)naik_current_bytes(lattice, kind->spin) + (kind->spin > 1 ? 1 : 2) * links
            : 0;
    const int64_t delta =
        smearing_deltas(input)
            ? naik_staggered_baryon_bytes(lattice, input->baryon_count > 0 ? 3 : 1)
            : 0;
    const int held = quarks + smearing_operators(input) + (input->output.loops.count > 0);
    const int64_t own = quarks > 0 ? (kind->columns * held + 1) * vector + current + delta : 0;
    return own + low_average_bytes(input, lattice, modes);
}
