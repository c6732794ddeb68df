/* contract_ahead.c - mesons with links of one source, made while its solutions are on a device */
#include "contract/contract_ahead.h"

#include <string.h>

#include "base/memory.h"
#include "contract/device_items.h"
#include "links/link_ops.h"

enum { COLUMNS = 3, SLOTS = 16, REALS = 6 };
/* What takes a solution: an item that can be made so; another item, or a source that is made of it. */
enum { USER_MINE = 1, USER_OTHER = 2 };
/* Left to others on the device: for sums, and for what solvers may still need. */
static const size_t spare_bytes = (size_t)1 << 30;

/* A propagator on its way. */
typedef struct slot {
    double *g;        /* there: [COLUMNS] vectors */
    int source, mass; /* source < 0: nothing is in it */
    unsigned columns; /* the set of those that are there */
    int64_t begun;
} slot;

struct contract_ahead {
    naik_device *device;
    const naik_lattice *lattice;
    const naik_input *input;
    const naik_shifts *shifts;
    contraction_list list;
    unsigned char *users; /* [sources][most_masses]: the set of those of a propagator */
    int most_masses;
    /* [count]: items that can be made so, that are made, that are being made, and that are in the file */
    bool *mine, *made, *chosen, *written;
    naik_complex *values; /* [count][T] */
    device_tie *tie;      /* NULL: nothing is on the device, */
    bool no_room;         /* and will not be before contract_ahead_rest */
    slot slot[SLOTS];
    int slots, wanted; /* there, and as many as could be of use */
    int64_t begun;     /* propagators so far */
};

static size_t column_of(const contract_ahead *a)
{
    return REALS * (size_t)a->lattice->sites;
}

static unsigned char *users_of(const contract_ahead *a, int source, int mass)
{
    return &a->users[(size_t)source * (size_t)a->most_masses + (size_t)mass];
}

/* Of every propagator, once. */
static void find_users(contract_ahead *a)
{
    for (int i = 0; i < a->list.count; i++) {
        const contraction_item *item = &a->list.item[i];
        for (int k = 0; k < item->quarks && item->statistic == CONTRACTION_VALUE; k++) {
            *users_of(a, item->source[k], item->mass[k]) |= a->mine[i] ? USER_MINE : USER_OTHER;
        }
    }
    for (int s = 0; s < a->input->source_count; s++) {
        const naik_input_source *source = &a->input->sources[s];
        if (source->made_of >= 0) {
            *users_of(a, source->made_of, source->made_of_mass) |= USER_OTHER;
        }
    }
}

static naik_status allocate(contract_ahead *a)
{
    naik_log *log = a->lattice->comm->log;
    const size_t count = (size_t)a->list.count;
    for (int s = 0; s < a->input->solve_count; s++) {
        const int masses = a->input->solve[s].masses.count;
        a->most_masses = masses > a->most_masses ? masses : a->most_masses;
    }
    NAIK_PASS(naik_alloc(log, (size_t)a->input->source_count * (size_t)a->most_masses,
                         "users of propagators", (void **)&a->users));
    NAIK_PASS(naik_alloc(log, count * sizeof *a->mine, "flags", (void **)&a->mine));
    NAIK_PASS(naik_alloc(log, count * sizeof *a->made, "flags", (void **)&a->made));
    NAIK_PASS(naik_alloc(log, count * sizeof *a->chosen, "flags", (void **)&a->chosen));
    NAIK_PASS(naik_alloc(log, count * sizeof *a->written, "flags", (void **)&a->written));
    return naik_alloc(log, count * (size_t)a->input->lattice.size[3] * sizeof *a->values,
                      "correlators", (void **)&a->values);
}

naik_status contract_ahead_create(naik_device *device, const naik_lattice *lattice,
                                  const naik_input *input, const naik_shifts *shifts, int batch,
                                  contract_ahead **out)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = lattice->comm;
    bool any = false;
    *out = NULL;
    if (device == NULL || device->link_ops->shifts == NULL || shifts == NULL ||
        input->kind->spin > 1 || input->output.precision != 64) {
        return NAIK_OK;
    }
    status = naik_alloc(comm->log, sizeof **out, "contractions", (void **)out);
    NAIK_TRY(naik_comm_agree(comm, status));
    contract_ahead *a = *out;
    *a = (contract_ahead){.device = device, .lattice = lattice, .input = input, .shifts = shifts};
    a->wanted = batch / COLUMNS + 2 < SLOTS ? batch / COLUMNS + 2 : (int)SLOTS;
    status = contraction_list_create(comm->log, input, &a->list);
    status = status == NAIK_OK ? allocate(a) : status;
    NAIK_TRY(naik_comm_agree(comm, status));
    for (int i = 0; i < a->list.count; i++) {
        const contraction_item *item = &a->list.item[i];
        a->mine[i] = device_tie_takes(input, item) && item->quarks == 1 &&
                     item->kind->what == CONTRACT_SPIN_TASTE;
        any = any || a->mine[i];
    }
    find_users(a);
done:
    if (status != NAIK_OK || !any) {
        contract_ahead_destroy(out);
    }
    return status;
}

void contract_ahead_rest(contract_ahead *ahead)
{
    if (ahead != NULL) {
        device_tie_destroy(&ahead->tie);
        for (int k = 0; k < SLOTS; k++) {
            naik_device_free(ahead->device, ahead->slot[k].g);
            ahead->slot[k] = (slot){.source = -1};
        }
        ahead->slots = 0;
        ahead->no_room = false;
    }
}

void contract_ahead_destroy(contract_ahead **ahead)
{
    contract_ahead *a = *ahead;
    if (a != NULL) {
        contract_ahead_rest(a);
        contraction_list_clear(&a->list);
        naik_free(a->users);
        naik_free(a->mine);
        naik_free(a->made);
        naik_free(a->chosen);
        naik_free(a->written);
        naik_free(a->values);
        naik_free(a);
        *ahead = NULL;
    }
}

/* Takes what it needs on the device, with as many slots as there is room for. */
static naik_status open_device(contract_ahead *a)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = a->lattice->comm;
    const size_t bytes = COLUMNS * column_of(a) * sizeof *a->slot->g;
    device_tie_shape shape = {.links = 0};
    for (int i = 0; i < a->list.count; i++) {
        const int links = a->mine[i] ? naik_correlator_links(a->list.item[i].meson) : 0;
        shape.links = links > shape.links ? links : shape.links;
    }
    for (a->slots = a->wanted; a->slots > 0; a->slots /= 2) {
        shape.columns = COLUMNS;
        NAIK_PASS(
            device_tie_fit(a->device, a->lattice, spare_bytes + (size_t)a->slots * bytes, &shape));
        if (shape.columns > 0) {
            break;
        }
    }
    a->no_room = a->slots == 0;
    for (int k = 0; k < a->slots && status == NAIK_OK; k++) {
        a->slot[k].source = -1;
        status =
            naik_device_alloc(a->device, comm->log, bytes, "a propagator", (void **)&a->slot[k].g);
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    if (!a->no_room) {
        NAIK_PASS(device_tie_create(a->device, a->lattice, a->shifts, &shape, &a->tie));
    }
    return NAIK_OK;
}

/* The slot of a propagator: its own, an empty one, or that of the one begun first. */
static const slot *find_slot(const contract_ahead *a, int source, int mass)
{
    const slot *take = &a->slot[0];
    for (int k = 0; k < a->slots; k++) {
        const slot *at = &a->slot[k];
        if (at->source == source && at->mass == mass) {
            return at;
        }
        const bool older = at->source >= 0 && at->begun < take->begun;
        take = take->source >= 0 && (at->source < 0 || older) ? at : take;
    }
    return take;
}

/* That slot, taken; who had it is left to the file. */
static slot *slot_for(contract_ahead *a, int source, int mass)
{
    slot *take = &a->slot[find_slot(a, source, mass) - a->slot];
    if (take->source != source || take->mass != mass) {
        *take = (slot){.g = take->g, .source = source, .mass = mass, .begun = a->begun++};
    }
    return take;
}

static bool belongs(const contract_ahead *a, int i, int source, int mass)
{
    return a->mine[i] && a->list.item[i].source[0] == source && a->list.item[i].mass[0] == mass;
}

static naik_status make(contract_ahead *a, slot *of)
{
    for (int i = 0; i < a->list.count; i++) {
        a->chosen[i] = belongs(a, i, of->source, of->mass);
    }
    NAIK_PASS(device_tie_items(a->tie, a->input, &a->list, a->chosen, of->g, of->g, a->values));
    for (int i = 0; i < a->list.count; i++) {
        a->made[i] = a->made[i] || a->chosen[i];
    }
    of->source = -1;
    return NAIK_OK;
}

static bool takes(const contract_ahead *a, int source, int mass)
{
    return (*users_of(a, source, mass) & USER_MINE) != 0 && !a->no_room;
}

naik_status contract_ahead_ready(contract_ahead *ahead, int source, int mass)
{
    return ahead != NULL && ahead->tie == NULL && takes(ahead, source, mass) ? open_device(ahead)
                                                                             : NAIK_OK;
}

static bool uses_solution(const contraction_item *item, int source, int mass)
{
    bool uses = false;
    for (int k = 0; k < item->quarks && item->statistic == CONTRACTION_VALUE; k++) {
        uses = uses || (item->source[k] == source && item->mass[k] == mass);
    }
    return uses;
}

bool contract_ahead_suffices(const contract_ahead *ahead, int source, int mass)
{
    return ahead != NULL && ahead->tie != NULL && !ahead->input->output.propagators &&
           *users_of(ahead, source, mass) == USER_MINE;
}

bool contract_ahead_loses(const contract_ahead *ahead, int source, int mass, int *lost_source,
                          int *lost_mass)
{
    if (ahead == NULL || ahead->tie == NULL || !takes(ahead, source, mass)) {
        return false;
    }
    const slot *of = find_slot(ahead, source, mass);
    *lost_source = of->source;
    *lost_mass = of->mass;
    return of->source >= 0 && (of->source != source || of->mass != mass);
}

naik_status contract_ahead_column(const contract_ahead *ahead, int source, int mass, int column,
                                  double *x)
{
    const slot *of = find_slot(ahead, source, mass);
    return ahead->device->memory->download(
        ahead->device, x, of->g + (size_t)column * column_of(ahead), column_of(ahead) * sizeof *x);
}

naik_status contract_ahead_write(contract_ahead *ahead, int source, int mass,
                                 naik_propagator_file *file)
{
    for (int i = 0; i < ahead->list.count; i++) {
        ahead->chosen[i] = belongs(ahead, i, source, mass);
    }
    NAIK_PASS(naik_propagator_file_contract(file, 0, ahead->list.count, ahead->chosen,
                                            &ahead->values->re));
    for (int i = 0; i < ahead->list.count; i++) {
        ahead->written[i] = ahead->written[i] || ahead->chosen[i];
    }
    return NAIK_OK;
}

bool contract_ahead_wrote(const contract_ahead *ahead, int item)
{
    return ahead != NULL && ahead->written[item];
}

naik_status contract_ahead_take(contract_ahead *ahead, int source, int mass, int column,
                                const naik_field *const part[2], bool *made)
{
    naik_status status = NAIK_OK;
    *made = false;
    if (ahead == NULL) {
        return NAIK_OK;
    }
    NAIK_PASS(contract_ahead_ready(ahead, source, mass));
    if (!takes(ahead, source, mass)) {
        return NAIK_OK;
    }
    slot *of = slot_for(ahead, source, mass);
    for (int p = 0; p < 2 && status == NAIK_OK; p++) {
        status = part[p]->geometry->backend->ops->field.to_device(
            part[p], (naik_parity)p, 0, of->g + (size_t)column * column_of(ahead));
    }
    NAIK_PASS(naik_comm_agree(ahead->lattice->comm, status));
    of->columns |= 1U << column;
    if (of->columns == (1U << COLUMNS) - 1) {
        NAIK_PASS(make(ahead, of));
        *made = true;
    }
    return NAIK_OK;
}

int contract_ahead_values(const contract_ahead *ahead, bool *made, naik_complex *values)
{
    int count = 0;
    for (int i = 0; ahead != NULL && i < ahead->list.count; i++) {
        const size_t times = (size_t)ahead->input->lattice.size[3];
        made[i] = ahead->made[i];
        if (made[i]) {
            memcpy(values + (size_t)i * times, ahead->values + (size_t)i * times,
                   times * sizeof *values);
            count++;
        }
    }
    return count;
}

/* How many columns of a source are in the file without their solutions. */
static int count_columns(const naik_input *input, const naik_propagator_file *file, int source,
                         int mass)
{
    int count = 0;
    for (int column = 0; column < input->kind->columns; column++) {
        count += naik_propagator_file_left_out(
            file, naik_propagator_file_solve(file, source, mass, column));
    }
    return count;
}

static naik_status verify_one(const naik_input *input, const contraction_list *list,
                              naik_propagator_file *file, int source, int mass,
                              naik_complex *values, int *count)
{
    bool good = naik_propagator_file_has_all(file, source, mass);
    const int columns = count_columns(input, file, source, mass);
    for (int i = 0; i < list->count && good && columns > 0; i++) {
        if (uses_solution(&list->item[i], source, mass)) {
            NAIK_PASS(naik_propagator_file_contraction(file, i, &values->re, &good));
        }
    }
    for (int column = 0; column < input->kind->columns && !good && columns > 0; column++) {
        const int solve = naik_propagator_file_solve(file, source, mass, column);
        if (naik_propagator_file_left_out(file, solve)) {
            NAIK_PASS(naik_propagator_file_repeat(file, solve));
            ++*count;
        }
    }
    return NAIK_OK;
}

naik_status contract_verify_left_out(naik_comm *comm, const naik_input *input,
                                     naik_propagator_file *file, int *count)
{
    naik_status status = NAIK_OK;
    contraction_list list = {.count = 0};
    naik_complex *values = NULL;
    *count = 0;
    status = contraction_list_create(comm->log, input, &list);
    if (status == NAIK_OK) {
        status = naik_alloc(comm->log, (size_t)input->lattice.size[3] * sizeof *values,
                            "correlators", (void **)&values);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    for (int source = 0; source < input->source_count; source++) {
        const naik_input_solve *solve = &input->solve[input->sources[source].solve];
        for (int mass = 0; mass < solve->masses.count; mass++) {
            NAIK_TRY(verify_one(input, &list, file, source, mass, values, count));
        }
    }
done:
    naik_free(values);
    contraction_list_clear(&list);
    return status;
}

naik_status contract_left_out(const naik_input *input, const contraction_list *list,
                              naik_propagator_file *file, bool *made, naik_complex *values)
{
    const size_t times = (size_t)input->lattice.size[3];
    for (int i = 0; i < list->count; i++) {
        const contraction_item *item = &list->item[i];
        bool there = false, out = false;
        for (int k = 0; k < item->quarks && item->statistic == CONTRACTION_VALUE && !made[i]; k++) {
            out = out || count_columns(input, file, item->source[k], item->mass[k]) > 0;
        }
        if (!out) {
            continue;
        }
        NAIK_PASS(naik_propagator_file_contraction(file, i, &values[(size_t)i * times].re, &there));
        made[i] = there;
    }
    return NAIK_OK;
}
