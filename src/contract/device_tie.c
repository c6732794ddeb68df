/* device_tie.c - mesons of staggered quarks with any operators, on a device
 *
 * The sets of directions are gone through from small ones to large ones; a field goes when the last set with one direction
 * more is made.
 */
#include "contract/device_tie.h"

#include <string.h>

#include "base/exactsum.h"
#include "base/memory.h"
#include "comm/collective.h"
#include "links/link_ops.h"
#include "links/shift_ops.h"
#include "propagator/faces.h"
#include "propagator/slice_sums.h"

enum { COLUMNS = 3, VECTOR = 6, SETS = 1 << NAIK_DIM, ROOMS = 8 };
/* Of the sums of one pass, as far as one operator's are no more. */
static const size_t PASS_BYTES = (size_t)128 << 20;

struct device_tie {
    const naik_lattice *lattice;
    naik_device *device;
    const naik_shift_ops *ops;
    device_tie_shape shape;
    naik_gauge *links; /* thin, with the boundary; NULL: no operator has any */
    /* There: */
    double *quark[DEVICE_TIE_QUARKS]; /* [COLUMNS] vectors */
    double *room[ROOMS];              /* [columns] vectors */
    double *face[NAIK_DIM][2];        /* [columns] layers, ahead and behind */
    naik_complex *product; /* [sites], of each set where columns come one after the other */
    /* Here: */
    naik_faces faces; /* of `columns` vectors */
};

/* The shifted fields of one vector or propagator. */
typedef struct walk {
    const double *field[SETS]; /* of each set of directions; of none: what is shifted */
    bool needed[SETS];
    int left[SETS]; /* sets still to be made of it */
    bool used[ROOMS];
    int room[SETS];
} walk;

/* Sets of directions, small ones first. */
static const int in_order[SETS] = {0, 1, 2, 4, 8, 3, 5, 6, 9, 10, 12, 7, 11, 13, 14, 15};

static size_t vector_of(const naik_lattice *lat)
{
    return VECTOR * (size_t)lat->sites;
}

static int rooms_of(int links)
{
    static const int rooms[NAIK_DIM + 1] = {0, 1, 5, ROOMS, ROOMS};
    return rooms[links];
}

static size_t products_of(const device_tie_shape *shape)
{
    return shape->columns == COLUMNS ? 1 : SETS;
}

static size_t layer_of(const naik_lattice *lat, int mu)
{
    return lat->split[mu] ? vector_of(lat) / (size_t)lat->local[mu] : 0;
}

size_t device_tie_bytes(const naik_lattice *lattice, const device_tie_shape *shape)
{
    const size_t columns = (size_t)shape->columns;
    size_t numbers = vector_of(lattice) *
                     (columns * (size_t)rooms_of(shape->links) + (size_t)(COLUMNS * shape->quarks));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        numbers += 2 * columns * layer_of(lattice, mu);
    }
    return numbers * sizeof(double) +
           (size_t)lattice->sites * ((shape->links > 0 ? NAIK_DIM * sizeof(naik_matrix) : 0) +
                                     products_of(shape) * sizeof(naik_complex));
}

naik_status device_tie_fit(naik_device *device, const naik_lattice *lattice, size_t spare,
                           device_tie_shape *shape)
{
    naik_status status = NAIK_OK;
    size_t free_bytes = SIZE_MAX / 2;
    if (device->memory->free_bytes != NULL) {
        status = device->memory->free_bytes(device, &free_bytes);
        NAIK_TRY(naik_comm_agree(lattice->comm, status));
    }
    double most = (double)free_bytes - (double)spare;
    NAIK_TRY(naik_comm_min_f64(lattice->comm, &most, 1));
    if ((double)device_tie_bytes(lattice, shape) > most) {
        shape->columns = 1;
    }
    if ((double)device_tie_bytes(lattice, shape) > most) {
        shape->columns = 0;
    }
done:
    return status;
}

static naik_status allocate(device_tie *tie)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = tie->lattice;
    naik_device *device = tie->device;
    naik_log *log = lat->comm->log;
    const size_t bytes = vector_of(lat) * sizeof(double), columns = (size_t)tie->shape.columns;
    for (int k = 0; k < tie->shape.quarks; k++) {
        NAIK_TRY(naik_device_alloc(device, log, COLUMNS * bytes, "a propagator",
                                   (void **)&tie->quark[k]));
    }
    for (int k = 0; k < rooms_of(tie->shape.links); k++) {
        NAIK_TRY(naik_device_alloc(device, log, columns * bytes, "shifted vectors",
                                   (void **)&tie->room[k]));
    }
    for (int k = 0; k < 2 * NAIK_DIM; k++) {
        const size_t layer = columns * layer_of(lat, k / 2) * sizeof(double);
        if (layer > 0) {
            NAIK_TRY(naik_device_alloc(device, log, layer, "a face of vectors",
                                       (void **)&tie->face[k / 2][k % 2]));
        }
    }
    NAIK_TRY(naik_device_alloc(device, log,
                               products_of(&tie->shape) * (size_t)lat->sites * sizeof *tie->product,
                               "products of quarks", (void **)&tie->product));
    NAIK_TRY(naik_faces_init(lat, VECTOR * tie->shape.columns, &tie->faces));
done:
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
    NAIK_TRY(naik_comm_agree(lattice->comm, allocate(*out)));
    if (shifts != NULL) {
        NAIK_TRY(naik_gauge_bring(naik_shifts_links(shifts), device, &(*out)->links));
    }
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
        naik_gauge_destroy(&w->links);
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

/* The layers beyond the box on that side of mu; backwards times U^+, by the neighbour. */
static naik_status exchange(device_tie *tie, int mu, int side, const double *f)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = tie->lattice;
    const naik_memory_ops *memory = tie->device->memory;
    const bool ahead = side == NAIK_FORWARD;
    double *face = tie->face[mu][ahead ? 0 : 1];
    const size_t bytes = (size_t)tie->shape.columns * layer_of(lat, mu) * sizeof *face;
    if (!lat->split[mu]) {
        return NAIK_OK;
    }
    status = tie->ops->face(tie->device, lat, ahead ? NULL : tie->links->link, mu,
                            ahead ? 0 : lat->local[mu] - 1, tie->shape.columns, f, face);
    if (status == NAIK_OK) {
        status = memory->download(tie->device, tie->faces.send, face, bytes);
    }
    NAIK_TRY(naik_comm_agree(lat->comm, status));
    NAIK_TRY(naik_comm_exchange(lat->comm, lat->neighbour_rank[mu][!side], tie->faces.send,
                                lat->neighbour_rank[mu][side], tie->faces.receive, bytes));
    NAIK_TRY(memory->upload(tie->device, face, tie->faces.receive, bytes));
done:
    return status;
}

/* wanted [SETS]: the sets that fields are asked for. */
static void begin(walk *w, const bool *wanted)
{
    memset(w, 0, sizeof *w);
    for (int set = 1; set < SETS; set++) {
        for (int larger = set; larger < SETS && !w->needed[set]; larger++) {
            w->needed[set] = wanted[larger] && (set & larger) == set;
        }
    }
    for (int set = 1; set < SETS; set++) {
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            w->left[set] += (set >> mu & 1) == 0 && w->needed[set | 1 << mu];
        }
        w->room[set] = -1;
    }
    w->room[0] = -1;
}

static void leave(walk *w, int set)
{
    if (w->left[set] == 0 && w->room[set] >= 0) {
        w->used[w->room[set]] = false;
        w->room[set] = -1;
    }
}

/* The field of a set from those of one direction less, into `out`, or into a room where that is NULL. */
static naik_status make_field(device_tie *tie, walk *w, int set, double *out)
{
    naik_status status = NAIK_OK;
    naik_link_shift step = {.lattice = tie->lattice,
                            .link = tie->links->link,
                            .directions = (unsigned)set,
                            .half = 0.5 / naik_direction_count((unsigned)set),
                            .count = tie->shape.columns,
                            .out = out};
    if (out == NULL) {
        int room = 0;
        while (w->used[room]) {
            room++;
        }
        w->used[room] = true;
        w->room[set] = room;
        step.out = tie->room[room];
    }
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if ((set >> mu & 1) != 0) {
            step.f[mu] = w->field[set ^ 1 << mu];
            step.ahead[mu] = tie->face[mu][0];
            step.behind[mu] = tie->face[mu][1];
            NAIK_TRY(exchange(tie, mu, NAIK_FORWARD, step.f[mu]));
            NAIK_TRY(exchange(tie, mu, NAIK_BACKWARD, step.f[mu]));
        }
    }
    NAIK_TRY(tie->ops->shift(tie->device, &step));
    w->field[set] = step.out;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        const int smaller = set ^ 1 << mu;
        if ((set >> mu & 1) != 0 && smaller != 0) {
            w->left[smaller]--;
            leave(w, smaller);
        }
    }
done:
    return status;
}

naik_status device_tie_apply(device_tie *tie, int spin_taste, const int r0[NAIK_DIM],
                             const double *f, double *v)
{
    naik_status status = NAIK_OK;
    const naik_spin_taste_form form = naik_spin_taste_form_of(spin_taste);
    bool wanted[SETS] = {false};
    walk w;
    wanted[form.links] = true;
    begin(&w, wanted);
    w.field[0] = f;
    for (int i = 1; i < SETS; i++) {
        const int set = in_order[i];
        if (w.needed[set]) {
            NAIK_TRY(make_field(tie, &w, set, set == (int)form.links ? v : NULL));
        }
    }
    NAIK_TRY(tie->ops->give_sign(tie->device, tie->lattice, form.mask, r0, form.sign, v));
done:
    return status;
}

/* A request at work. */
typedef struct sums {
    const device_tie_request *request;
    naik_spin_taste_form *form;     /* [operators] */
    naik_complex *factors;          /* [momenta][local x + y + z], */
    naik_complex *factor;           /* and there */
    int most;                       /* operators of a pass */
    int filled;                     /* that are summed, and not in the answer yet; */
    int number[NAIK_TIE_OPERATORS]; /* and which they are */
    naik_exactsum *there;           /* [most][momenta][2][local T] */
    naik_slice_rows here;           /* of several ranks: the same */
    double *value;                  /* [most][momenta][2][T] */
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
    naik_status status = NAIK_OK;
    const naik_lattice *lat = tie->lattice;
    naik_log *log = lat->comm->log;
    const device_tie_request *r = s->request;
    const size_t momenta = (size_t)r->momenta, each = naik_slice_factor_count(lat, 0),
                 factors = momenta * each;
    s->most = operators_at_once(lat, r);
    const size_t rows = 2 * momenta * (size_t)s->most, times = (size_t)lat->size[3];
    const size_t bytes = rows * (size_t)lat->local[3] * sizeof *s->there;
    NAIK_TRY(
        naik_alloc(log, (size_t)r->operators * sizeof *s->form, "operators", (void **)&s->form));
    NAIK_TRY(
        naik_alloc(log, factors * sizeof *s->factors, "momentum weights", (void **)&s->factors));
    NAIK_TRY(naik_alloc(log, rows * times * sizeof *s->value, "correlators", (void **)&s->value));
    if (lat->comm->size > 1) {
        NAIK_TRY(naik_slice_rows_create(lat, rows, &s->here));
    }
    NAIK_TRY(naik_device_alloc(tie->device, log, factors * sizeof *s->factor, "momentum weights",
                               (void **)&s->factor));
    NAIK_TRY(naik_device_alloc(tie->device, log, bytes, "correlator sums", (void **)&s->there));
    for (int k = 0; k < r->operators; k++) {
        s->form[k] = naik_spin_taste_form_of(r->spin_taste[k]);
    }
    for (int p = 0; p < r->momenta; p++) {
        naik_slice_factors(lat, &r->frame[p], 0, s->factors + (size_t)p * each);
    }
    NAIK_TRY(tie->device->memory->upload(tie->device, s->factor, s->factors,
                                         factors * sizeof *s->factors));
done:
    return status;
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

/* Of the operators that are summed, of all ranks: their values. */
static naik_status take_values(const device_tie *tie, sums *s)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = tie->lattice;
    const size_t local = (size_t)lat->local[3], times = (size_t)lat->size[3];
    const size_t rows = 2 * (size_t)s->filled * (size_t)s->request->momenta;
    if (lat->comm->size == 1) {
        return tie->ops->values(tie->device, s->there, (int)(rows * times), s->value);
    }
    status = tie->device->memory->download(tie->device, s->here.own, s->there,
                                           rows * local * sizeof *s->here.own);
    NAIK_TRY(naik_comm_agree(lat->comm, status));
    NAIK_TRY(naik_slice_rows_values(lat, &s->here, rows, s->value));
done:
    return status;
}

/* What is summed, into the answer. */
static naik_status give_values(const device_tie *tie, sums *s, naik_complex *out)
{
    naik_status status = NAIK_OK;
    const int times = tie->lattice->size[3], each = s->request->momenta * times;
    if (s->filled > 0) {
        NAIK_TRY(take_values(tie, s));
    }
    for (int k = 0; k < s->filled * each; k++) {
        const double *re = s->value + 2 * (k / times) * times + k % times;
        out[s->number[k / each] * each + k % each] = (naik_complex){re[0], re[times]};
    }
    s->filled = 0;
done:
    return status;
}

/* Those operators of a set from number *next on for which there is room, of the product of both quarks there. */
static naik_status sum_some(const device_tie *tie, sums *s, int set, const naik_complex *product,
                            int *next, naik_complex *out)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = tie->lattice;
    const device_tie_request *r = s->request;
    if (s->filled == s->most) {
        NAIK_TRY(give_values(tie, s, out));
    }
    const size_t filled = 2 * (size_t)s->filled * (size_t)r->momenta * (size_t)lat->local[3];
    naik_tie_sums args = {.lattice = lat,
                          .v = product,
                          .momenta = r->momenta,
                          .factor = s->factor,
                          .sums = s->there + filled};
    memcpy(args.r0, r->r0, sizeof args.r0);
    for (; *next < r->operators && s->filled < s->most; ++*next) {
        if ((int)s->form[*next].links == set) {
            s->number[s->filled++] = *next;
            args.mask[args.operators] = s->form[*next].mask;
            args.sign[args.operators++] = s->form[*next].sign;
        }
    }
    if (args.operators > 0) {
        NAIK_TRY(naik_comm_agree(lat->comm, tie->ops->sums(tie->device, &args)));
    }
done:
    return status;
}

/* Product of g and a shifted field, of some columns; after the last of them the sums. */
static naik_status take_field(const device_tie *tie, sums *s, int set, int column, const double *g,
                              const double *field, naik_complex *out)
{
    naik_status status = NAIK_OK;
    const bool together = tie->shape.columns == COLUMNS;
    const naik_tie_product args = {
        .lattice = tie->lattice,
        .g = g,
        .h = field,
        .columns = tie->shape.columns,
        .add = column > 0,
        .out = tie->product + (together ? 0 : (size_t)set * (size_t)tie->lattice->sites)};
    NAIK_TRY(tie->ops->product(tie->device, &args));
    for (int next = 0; next < s->request->operators && column + tie->shape.columns == COLUMNS;) {
        NAIK_TRY(sum_some(tie, s, set, args.out, &next, out));
    }
done:
    return status;
}

naik_status device_tie_sum(device_tie *tie, const double *g, const double *h,
                           const device_tie_request *request, naik_complex *out)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = tie->lattice;
    sums s = {.request = request};
    bool wanted[SETS] = {false};
    walk w;
    NAIK_TRY(naik_comm_agree(lat->comm, open_sums(tie, &s)));
    for (int k = 0; k < request->operators; k++) {
        wanted[s.form[k].links] = true;
    }
    for (int column = 0; column < COLUMNS; column += tie->shape.columns) {
        const size_t begun = vector_of(lat) * (size_t)column;
        begin(&w, wanted);
        w.field[0] = h + begun;
        for (int i = 0; i < SETS; i++) {
            const int set = in_order[i];
            if (set != 0 && w.needed[set]) {
                NAIK_TRY(make_field(tie, &w, set, NULL));
            }
            if (wanted[set]) {
                NAIK_TRY(take_field(tie, &s, set, column, g + begun, w.field[set], out));
            }
            leave(&w, set);
        }
    }
    NAIK_TRY(give_values(tie, &s, out));
done:
    close_sums(tie, &s);
    return status;
}
