/* device_tie.c - mesons of staggered quarks with any operators, on a device
 *
 * The fields of all sets of so many directions are made at once, from those of sets with one direction less, and multiplied
 * with the other quark there and then. Fields of which no other is made are not kept. The sums over sites come last.
 */
#include "contract/device_tie.h"

#include <math.h>
#include <string.h>

#include "base/exactsum.h"
#include "base/memory.h"
#include "comm/collective.h"
#include "comm/new.h"
#include "links/link_ops.h"
#include "links/shift_ops.h"
#include "propagator/faces.h"
#include "propagator/slice_sums.h"

enum { COLUMNS = 3, VECTOR = 6, SETS = NAIK_DIRECTION_SETS, ROOMS = 10, PLACES = 3 };
/* Of the sums of one pass, as far as one operator's are no more. */
static const size_t PASS_BYTES = (size_t)128 << 20;

struct device_tie {
    const naik_lattice *lattice;
    naik_device *device;
    const naik_shift_ops *ops;
    device_tie_shape shape;
    /* There: */
    naik_complex
        *link; /* thin, with the boundary, as lay_out gives them; NULL: no operator has any */
    double *quark[DEVICE_TIE_QUARKS]; /* [COLUMNS] vectors */
    double *room[ROOMS];              /* [columns] vectors */
    double *face[NAIK_DIM][2];        /* [PLACES][columns] layers, ahead and behind */
    naik_complex *product;            /* [sets][sites] */
    /* Here: */
    naik_faces faces; /* of `columns` vectors */
};

/* The shifted fields of one vector or propagator. */
typedef struct walk {
    const double *field[SETS]; /* of each set of directions; of none: what is shifted */
    bool needed[SETS];
    bool kept[SETS]; /* another field is made of it */
    int links;       /* the most of a set */
} walk;

/* Sets of directions, small ones first; those with n begin at first_with[n]. */
static const int in_order[SETS] = {0, 1, 2, 4, 8, 3, 5, 6, 9, 10, 12, 7, 11, 13, 14, 15};
static const int first_with[NAIK_DIM + 2] = {0, 1, 5, 11, 15, SETS};

static size_t vector_of(const naik_lattice *lat)
{
    return VECTOR * (size_t)lat->sites;
}

static int rooms_of(int links)
{
    static const int rooms[NAIK_DIM + 1] = {0, 0, 4, ROOMS, ROOMS};
    return rooms[links];
}

static size_t products_of(const device_tie_shape *shape)
{
    return (size_t)first_with[shape->links + 1];
}

static size_t layer_of(const naik_lattice *lat, int mu)
{
    return lat->split[mu] ? vector_of(lat) / (size_t)lat->local[mu] : 0;
}

/* Bytes on the device, but for the sums of a request. */
static size_t bytes_of(const naik_lattice *lattice, const device_tie_shape *shape)
{
    const size_t columns = (size_t)shape->columns;
    size_t numbers = vector_of(lattice) *
                     (columns * (size_t)rooms_of(shape->links) + (size_t)(COLUMNS * shape->quarks));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        numbers += 2 * PLACES * columns * layer_of(lattice, mu);
    }
    const size_t sites = (size_t)lattice->sites;
    const size_t links = shape->links > 0 ? sites * NAIK_DIM * sizeof(naik_matrix) : 0;
    const size_t beside =
        numbers * sizeof(double) + sites * products_of(shape) * sizeof(naik_complex);
    return links + (beside > links ? beside : links); /* which are there twice for a moment */
}

naik_status device_tie_fit(naik_device *device, const naik_lattice *lattice, size_t spare,
                           device_tie_shape *shape)
{
    double bytes = 0;
    NAIK_PASS(naik_room(lattice->comm, device, INFINITY, &bytes));
    while (shape->columns > 0 && (double)bytes_of(lattice, shape) > bytes - (double)spare) {
        shape->columns = shape->columns > 1 ? 1 : 0;
    }
    return NAIK_OK;
}

static naik_status allocate(device_tie *tie)
{
    const naik_lattice *lat = tie->lattice;
    naik_device *device = tie->device;
    naik_log *log = lat->comm->log;
    const size_t bytes = vector_of(lat) * sizeof(double), columns = (size_t)tie->shape.columns;
    for (int k = 0; k < tie->shape.quarks; k++) {
        NAIK_PASS(naik_device_alloc(device, log, COLUMNS * bytes, "a propagator",
                                    (void **)&tie->quark[k]));
    }
    for (int k = 0; k < rooms_of(tie->shape.links); k++) {
        NAIK_PASS(naik_device_alloc(device, log, columns * bytes, "shifted vectors",
                                    (void **)&tie->room[k]));
    }
    for (int k = 0; k < 2 * NAIK_DIM; k++) {
        const size_t layer = PLACES * columns * layer_of(lat, k / 2) * sizeof(double);
        if (layer > 0) {
            NAIK_PASS(naik_device_alloc(device, log, layer, "a face of vectors",
                                        (void **)&tie->face[k / 2][k % 2]));
        }
    }
    NAIK_PASS(naik_device_alloc(
        device, log, products_of(&tie->shape) * (size_t)lat->sites * sizeof *tie->product,
        "products of quarks", (void **)&tie->product));
    return naik_faces_init(lat, VECTOR * tie->shape.columns, &tie->faces);
}

static naik_status take_links(device_tie *tie, const naik_gauge *links)
{
    naik_status status = NAIK_OK;
    naik_gauge *there = NULL;
    const size_t bytes = (size_t)tie->lattice->sites * NAIK_DIM * sizeof(naik_matrix);
    NAIK_TRY(naik_gauge_bring(links, tie->device, &there));
    status = naik_device_alloc(tie->device, tie->lattice->comm->log, bytes, "links of shifts",
                               (void **)&tie->link);
    if (status == NAIK_OK) {
        status = tie->ops->lay_out(tie->device, tie->lattice, there->link, tie->link);
    }
    NAIK_TRY(naik_comm_agree(tie->lattice->comm, status));
done:
    naik_gauge_destroy(&there);
    return status;
}

naik_status device_tie_create(naik_device *device, const naik_lattice *lattice,
                              const naik_shifts *shifts, const device_tie_shape *shape,
                              device_tie **out)
{
    naik_status status = NAIK_OK;
    *out = NULL;
    status = naik_alloc(lattice->comm->log, sizeof **out, "operators on a device", (void **)out);
    NAIK_TRY(naik_comm_agree(lattice->comm, status));
    **out = (device_tie){
        .lattice = lattice, .device = device, .ops = device->link_ops->shifts, .shape = *shape};
    if (shifts != NULL) {
        NAIK_TRY(take_links(*out, naik_shifts_links(shifts)));
    }
    NAIK_TRY(naik_comm_agree(lattice->comm, allocate(*out)));
done:
    if (status != NAIK_OK) {
        device_tie_destroy(out);
    }
    return status;
}

void device_tie_destroy(device_tie **tie)
{
    device_tie *w = *tie;
    if (w != NULL) {
        for (int k = 0; k < DEVICE_TIE_QUARKS; k++) {
            naik_device_free(w->device, w->quark[k]);
        }
        for (int k = 0; k < ROOMS; k++) {
            naik_device_free(w->device, w->room[k]);
        }
        for (int k = 0; k < 2 * NAIK_DIM; k++) {
            naik_device_free(w->device, w->face[k / 2][k % 2]);
        }
        naik_device_free(w->device, w->product);
        naik_device_free(w->device, w->link);
        naik_faces_clear(&w->faces);
        naik_free(w);
        *tie = NULL;
    }
}

const naik_lattice *device_tie_lattice(const device_tie *tie)
{
    return tie->lattice;
}

naik_status device_tie_put(device_tie *tie, int quark, const double *g)
{
    return tie->device->memory->upload(tie->device, tie->quark[quark], g,
                                       COLUMNS * vector_of(tie->lattice) * sizeof *g);
}

const double *device_tie_quark(const device_tie *tie, int quark)
{
    return tie->quark[quark];
}

/* The layers beyond the box on that side of mu, of the field in that place, [sites][3][2] or not (shift_ops.h); backwards
 * times U^+, by the neighbour. */
static naik_status exchange(device_tie *tie, int mu, int side, int place, bool by_site,
                            const double *f)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = tie->lattice;
    const naik_memory_ops *memory = tie->device->memory;
    const bool ahead = side == NAIK_FORWARD;
    const size_t numbers = (size_t)tie->shape.columns * layer_of(lat, mu);
    const size_t bytes = numbers * sizeof *f;
    double *face = tie->face[mu][ahead ? 0 : 1] + numbers * (size_t)place;
    status = tie->ops->face(tie->device, lat, ahead ? NULL : tie->link, mu,
                            ahead ? 0 : lat->local[mu] - 1, tie->shape.columns, by_site, f, face);
    if (status == NAIK_OK) {
        status = memory->download(tie->device, tie->faces.send, face, bytes);
    }
    NAIK_PASS(naik_comm_agree(lat->comm, status));
    NAIK_PASS(naik_comm_exchange(lat->comm, lat->neighbour_rank[mu][!side], tie->faces.send,
                                 lat->neighbour_rank[mu][side], tie->faces.receive, bytes));
    return memory->upload(tie->device, face, tie->faces.receive, bytes);
}

/* Of the fields of sets with that many links, what lies beyond the box in all directions that are still to come. */
static naik_status exchange_all(device_tie *tie, const walk *w, int links)
{
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        int place = 0;
        for (int i = first_with[links]; i < first_with[links + 1]; i++) {
            const int set = in_order[i];
            if ((set >> mu & 1) != 0) {
                continue;
            }
            for (int side = 0; side < 2 && tie->lattice->split[mu] && w->needed[set | 1 << mu];
                 side++) {
                NAIK_PASS(exchange(tie, mu, side == 0 ? NAIK_FORWARD : NAIK_BACKWARD, place,
                                   links == 0, w->field[set]));
            }
            place++;
        }
    }
    return NAIK_OK;
}

/* f: what is shifted; wanted [SETS]: the sets that fields are asked for. */
static void begin(walk *w, const double *f, const bool *wanted)
{
    memset(w, 0, sizeof *w);
    w->field[0] = f;
    for (int set = 1; set < SETS; set++) {
        for (int larger = set; larger < SETS; larger++) {
            const bool within = wanted[larger] && (set & larger) == set;
            w->needed[set] = w->needed[set] || within;
            w->kept[set] = w->kept[set] || (within && larger != set);
        }
        if (w->needed[set] && naik_direction_count((unsigned)set) > w->links) {
            w->links = naik_direction_count((unsigned)set);
        }
    }
}

/* Fields of sets with that many directions, and what `step` has beside. Rooms are taken from both ends by turns. */
static naik_status make_fields(device_tie *tie, walk *w, int links, naik_link_shift *step)
{
    step->lattice = tie->lattice;
    step->link = tie->link;
    step->links = links;
    step->count = tie->shape.columns;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        step->ahead[mu] = tie->face[mu][0];
        step->behind[mu] = tie->face[mu][1];
    }
    for (int i = first_with[links - 1]; i < first_with[links]; i++) {
        step->f[in_order[i]] = w->field[in_order[i]];
    }
    int rooms = 0;
    for (int i = first_with[links]; i < first_with[links + 1]; i++) {
        const int set = in_order[i];
        if (w->kept[set]) {
            step->out[set] =
                tie->room[links % 2 != 0 ? rooms : rooms_of(tie->shape.links) - 1 - rooms];
            rooms++;
        }
        step->made |= w->needed[set] ? 1U << set : 0;
        w->field[set] = step->out[set];
    }
    NAIK_PASS(exchange_all(tie, w, links - 1));
    return tie->ops->shift(tie->device, step);
}

naik_status device_tie_apply(device_tie *tie, int spin_taste, const int r0[NAIK_DIM],
                             const double *f, double *v)
{
    const naik_spin_taste_form form = naik_spin_taste_form_of(spin_taste);
    bool wanted[SETS] = {false};
    walk w;
    wanted[form.links] = true;
    begin(&w, f, wanted);
    for (int links = 1; links <= w.links; links++) {
        naik_link_shift step = {.made = 0};
        step.by_site = links == w.links;
        step.out[form.links] = step.by_site ? v : NULL;
        NAIK_PASS(make_fields(tie, &w, links, &step));
    }
    return tie->ops->give_sign(tie->device, tie->lattice, form.mask, r0, form.sign, v);
}

/* A request at work. */
typedef struct sums {
    const device_tie_request *request;
    naik_spin_taste_form *form; /* [operators] */
    naik_complex *factors;      /* [momenta][local x + y + z], */
    naik_complex *factor;       /* and there */
    int most;                   /* operators of a pass */
    naik_exactsum *there;       /* [most][momenta][2][local T] */
    naik_slice_rows here;       /* of several ranks: the same */
    double *value;              /* [most][momenta][2][T] */
} sums;

/* Operators of a pass. */
static int operators_at_once(const naik_lattice *lat, const device_tie_request *r)
{
    const size_t each = 2 * (size_t)r->momenta * (size_t)lat->size[3] * sizeof(naik_exactsum);
    const int room = PASS_BYTES > each ? (int)(PASS_BYTES / each) : 1;
    const int fit = r->most > 0 ? r->most : room;
    const int most = r->operators < NAIK_TIE_OPERATORS ? r->operators : NAIK_TIE_OPERATORS;
    return most < fit ? most : fit;
}

size_t device_tie_sums_bytes(const naik_lattice *lattice, const device_tie_request *request)
{
    return 2 * (size_t)request->momenta * (size_t)operators_at_once(lattice, request) *
           (size_t)lattice->local[3] * sizeof(naik_exactsum);
}

static naik_status open_sums(const device_tie *tie, sums *s)
{
    const naik_lattice *lat = tie->lattice;
    naik_log *log = lat->comm->log;
    const device_tie_request *r = s->request;
    const size_t momenta = (size_t)r->momenta, each = naik_slice_factor_count(lat, 0),
                 factors = momenta * each;
    s->most = operators_at_once(lat, r);
    const size_t rows = 2 * momenta * (size_t)s->most, times = (size_t)lat->size[3];
    NAIK_PASS(
        naik_alloc(log, (size_t)r->operators * sizeof *s->form, "operators", (void **)&s->form));
    NAIK_PASS(
        naik_alloc(log, factors * sizeof *s->factors, "momentum weights", (void **)&s->factors));
    NAIK_PASS(naik_alloc(log, rows * times * sizeof *s->value, "correlators", (void **)&s->value));
    if (lat->comm->size > 1) {
        NAIK_PASS(naik_slice_rows_create(lat, rows, &s->here));
    }
    NAIK_PASS(naik_device_alloc(tie->device, log, factors * sizeof *s->factor, "momentum weights",
                                (void **)&s->factor));
    NAIK_PASS(naik_device_alloc(tie->device, log, device_tie_sums_bytes(lat, r), "correlator sums",
                                (void **)&s->there));
    for (int k = 0; k < r->operators; k++) {
        s->form[k] = naik_spin_taste_form_of(r->spin_taste[k]);
    }
    for (int p = 0; p < r->momenta; p++) {
        naik_slice_factors(lat, &r->frame[p], 0, s->factors + (size_t)p * each);
    }
    return tie->device->memory->upload(tie->device, s->factor, s->factors,
                                       factors * sizeof *s->factors);
}

static void close_sums(const device_tie *tie, sums *s)
{
    naik_free(s->form);
    naik_free(s->factors);
    naik_slice_rows_clear(&s->here);
    naik_free(s->value);
    naik_device_free(tie->device, s->factor);
    naik_device_free(tie->device, s->there);
}

/* Of `count` operators that are summed, of all ranks: their values. */
static naik_status take_values(const device_tie *tie, sums *s, int count)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = tie->lattice;
    const size_t local = (size_t)lat->local[3], times = (size_t)lat->size[3];
    const size_t rows = 2 * (size_t)count * (size_t)s->request->momenta;
    if (lat->comm->size == 1) {
        return tie->ops->values(tie->device, s->there, (int)(rows * times), s->value);
    }
    status = tie->device->memory->download(tie->device, s->here.own, s->there,
                                           rows * local * sizeof *s->here.own);
    NAIK_PASS(naik_comm_agree(lat->comm, status));
    return naik_slice_rows_values(lat, &s->here, rows, s->value);
}

static naik_complex *product_of(const device_tie *tie, int set)
{
    size_t place = 0;
    while (in_order[place] != set) {
        place++;
    }
    return tie->product + place * (size_t)tie->lattice->sites;
}

/* Sums of `count` operators, and their values into the answer. */
static naik_status sum_some(const device_tie *tie, sums *s, const int *number, int count,
                            naik_complex *out)
{
    const naik_lattice *lat = tie->lattice;
    const device_tie_request *r = s->request;
    const int times = lat->size[3], each = r->momenta * times;
    naik_tie_sums args = {.lattice = lat,
                          .operators = count,
                          .momenta = r->momenta,
                          .factor = s->factor,
                          .sums = s->there};
    memcpy(args.r0, r->r0, sizeof args.r0);
    for (int o = 0; o < count; o++) {
        const naik_spin_taste_form *form = &s->form[number[o]];
        args.v[o] = product_of(tie, (int)form->links);
        args.mask[o] = form->mask;
        args.sign[o] = form->sign;
    }
    NAIK_PASS(naik_comm_agree(lat->comm, tie->ops->sums(tie->device, &args)));
    NAIK_PASS(take_values(tie, s, count));
    for (int k = 0; k < count * each; k++) {
        const double *re = s->value + 2 * (k / times) * times + k % times;
        out[number[k / each] * each + k % each] = (naik_complex){re[0], re[times]};
    }
    return NAIK_OK;
}

/* Of all operators, those with the same links behind each other, as many in a pass as there is room for. */
static naik_status sum_all(const device_tie *tie, sums *s, naik_complex *out)
{
    int number[NAIK_TIE_OPERATORS], count = 0;
    for (int i = 0; i < SETS; i++) {
        for (int k = 0; k < s->request->operators; k++) {
            if ((int)s->form[k].links != in_order[i]) {
                continue;
            }
            number[count++] = k;
            if (count == s->most) {
                NAIK_PASS(sum_some(tie, s, number, count, out));
                count = 0;
            }
        }
    }
    if (count > 0) {
        NAIK_PASS(sum_some(tie, s, number, count, out));
    }
    return NAIK_OK;
}

/* The products of g and every shifted field of h, of the columns from `column` on. */
static naik_status multiply(device_tie *tie, const bool *wanted, int column, const double *g,
                            const double *h)
{
    walk w;
    begin(&w, h, wanted);
    if (wanted[0]) {
        const naik_tie_product args = {.lattice = tie->lattice,
                                       .g = g,
                                       .h = h,
                                       .columns = tie->shape.columns,
                                       .add = column > 0,
                                       .out = product_of(tie, 0)};
        NAIK_PASS(tie->ops->product(tie->device, &args));
    }
    for (int links = 1; links <= w.links; links++) {
        naik_link_shift step = {.g = g, .add = column > 0};
        for (int i = first_with[links]; i < first_with[links + 1]; i++) {
            const int set = in_order[i];
            step.product[set] = wanted[set] ? product_of(tie, set) : NULL;
        }
        NAIK_PASS(make_fields(tie, &w, links, &step));
    }
    return NAIK_OK;
}

naik_status device_tie_sum(device_tie *tie, const double *g, const double *h,
                           const device_tie_request *request, naik_complex *out)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = tie->lattice;
    sums s = {.request = request};
    bool wanted[SETS] = {false};
    NAIK_TRY(naik_comm_agree(lat->comm, open_sums(tie, &s)));
    for (int k = 0; k < request->operators; k++) {
        wanted[s.form[k].links] = true;
    }
    for (int column = 0; column < COLUMNS; column += tie->shape.columns) {
        const size_t begun = vector_of(lat) * (size_t)column;
        NAIK_TRY(multiply(tie, wanted, column, g + begun, h + begun));
    }
    NAIK_TRY(sum_all(tie, &s, out));
done:
    close_sums(tie, &s);
    return status;
}
