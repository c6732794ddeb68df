/* aggregates.c - which aggregates a lattice has, and the tables of this rank's */
#include "multigrid/aggregates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "comm/new.h"
#include "lattice/grid.h"

/* Calls take(data, grid) for every grid of so many ranks whose boxes hold whole aggregates, until it fails. */
static naik_status each_grid(const int size[NAIK_DIM], int ranks, const int extent[NAIK_DIM],
                             naik_status (*take)(void *data, const int grid[NAIK_DIM]), void *data)
{
    for (int x = 1; x <= ranks; x++) {
        for (int y = 1; y <= ranks / x; y++) {
            for (int z = 1; z <= ranks / x / y; z++) {
                const int grid[NAIK_DIM] = {x, y, z, ranks / x / y / z};
                if (x * y * z * grid[3] == ranks && naik_multigrid_fits(size, extent, grid) &&
                    naik_grid_works(size, grid)) {
                    NAIK_PASS(take(data, grid));
                }
            }
        }
    }
    return NAIK_OK;
}

typedef struct grid_text {
    char *text;
    size_t size, used;
    int count;
} grid_text;

enum { GRIDS_NAMED = 4 };

static naik_status name_grid(void *data, const int grid[NAIK_DIM])
{
    grid_text *t = data;
    if (t->count < GRIDS_NAMED) {
        const int wrote = snprintf(t->text + t->used, t->size - t->used, "%s%dx%dx%dx%d",
                                   t->count > 0 ? ", " : "", grid[0], grid[1], grid[2], grid[3]);
        t->used += wrote > 0 && (size_t)wrote < t->size - t->used ? (size_t)wrote : 0;
        t->count++;
    }
    return NAIK_OK;
}

/* "1x1x2x4, ...", a few grids of so many ranks that do; "none". */
static void name_grids(const int size[NAIK_DIM], int ranks, const int extent[NAIK_DIM], char *text,
                       size_t text_size)
{
    grid_text t = {.text = text, .size = text_size};
    snprintf(text, text_size, "none");
    (void)each_grid(size, ranks, extent, name_grid, &t);
}

typedef struct grid_choice {
    naik_comm *comm; /* NULL: ranks on the nodes of node_of */
    const int *node_of;
    const int *size;
    int *grid;
    int64_t weight; /* of grid; -1: none so far */
} grid_choice;

/* How much dearer than the best grid one may be that quarks without multigrid have, too. */
static const double DEARER = 1.3;

static naik_status weight_of(const grid_choice *c, const int grid[NAIK_DIM], int64_t *out)
{
    naik_grid_cost cost;
    if (c->comm != NULL) {
        NAIK_PASS(naik_grid_cost_here(c->comm, c->size, grid, &cost));
    } else {
        cost = naik_grid_cost_of(c->size, grid, c->node_of);
    }
    *out = naik_grid_weight(cost);
    return NAIK_OK;
}

static naik_status weigh_grid(void *data, const int grid[NAIK_DIM])
{
    grid_choice *c = data;
    int64_t weight;
    NAIK_PASS(weight_of(c, grid, &weight));
    if (c->weight < 0 || weight < c->weight) {
        c->weight = weight;
        memcpy(c->grid, grid, NAIK_DIM * sizeof *grid);
    }
    return NAIK_OK;
}

/* A chosen grid that is too much dearer than the best of all is none. */
static naik_status bound_grid(grid_choice *c, int ranks)
{
    int best[NAIK_DIM];
    char list[64];
    int64_t least = c->weight;
    if (c->comm != NULL) {
        NAIK_PASS(naik_grid_choose(c->comm, c->size, best));
        NAIK_PASS(weight_of(c, best, &least));
    } else if (naik_grid_list(c->size, ranks, c->node_of, list, sizeof list, best) > 0) {
        NAIK_PASS(weight_of(c, best, &least));
    }
    if ((double)c->weight > DEARER * (double)least) {
        memset(c->grid, 0, NAIK_DIM * sizeof *c->grid);
    }
    return NAIK_OK;
}

static naik_status choose_grid(grid_choice *c, int ranks, const int asked[NAIK_DIM], bool spare)
{
    int extent[NAIK_DIM], mu = 0;
    c->weight = -1;
    memset(c->grid, 0, NAIK_DIM * sizeof *c->grid);
    if (!naik_multigrid_aggregate(c->size, asked, extent, &mu)) {
        return NAIK_OK;
    }
    NAIK_PASS(each_grid(c->size, ranks, extent, weigh_grid, c));
    if (spare && c->weight >= 0) {
        NAIK_PASS(bound_grid(c, ranks));
    }
    return NAIK_OK;
}

naik_status naik_aggregates_choose_grid(naik_comm *comm, const int size[NAIK_DIM],
                                        const int asked[NAIK_DIM], bool spare, int grid[NAIK_DIM])
{
    grid_choice c = {.comm = comm, .size = size, .grid = grid};
    return choose_grid(&c, comm->size, asked, spare);
}

bool naik_aggregates_choose_grid_on_paper(const int size[NAIK_DIM], int ranks, const int *node_of,
                                          const int asked[NAIK_DIM], bool spare, int grid[NAIK_DIM])
{
    grid_choice c = {.node_of = node_of, .size = size, .grid = grid};
    return choose_grid(&c, ranks, asked, spare) == NAIK_OK && grid[0] > 0;
}

/* The most ranks not above `ranks` for which there is a grid. */
static int ranks_that_fit(const int size[NAIK_DIM], int ranks, const int extent[NAIK_DIM],
                          char *text, size_t text_size)
{
    for (;; ranks--) {
        name_grids(size, ranks, extent, text, text_size);
        if (ranks == 1 || strcmp(text, "none") != 0) {
            return ranks;
        }
    }
}

static naik_status choose(const naik_geometry *geometry, const int asked[NAIK_DIM],
                          int extent[NAIK_DIM])
{
    const naik_lattice *lat = geometry->lattice;
    naik_log *log = geometry->backend->log;
    char grids[128];
    int mu = 0;
    if (naik_multigrid_of(geometry) == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "the %s backend has no multigrid: choose solver.method bicgstab",
                         geometry->backend->ops->name);
    }
    if (!naik_multigrid_aggregate(lat->size, asked, extent, &mu)) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "aggregates of %d sites along %c do not cut a lattice of %dx%dx%dx%d into "
                         "an even number, or all extents of them are odd: choose others, or "
                         "solver.method bicgstab",
                         extent[mu], "xyzt"[mu], lat -> size[0], lat -> size[1], lat -> size[2],
                         lat -> size[3]);
    }
    if (!naik_multigrid_fits(lat->size, extent, lat->grid)) {
        const int ranks = ranks_that_fit(lat->size, lat->comm->size, extent, grids, sizeof grids);
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "multigrid with aggregates of %dx%dx%dx%d needs boxes that hold whole "
                         "ones, which those of grid %dx%dx%dx%d do not: use %d rank%s with grid %s",
                         extent[0], extent[1], extent[2], extent[3], lat->grid[0], lat->grid[1],
                         lat->grid[2], lat->grid[3], ranks, ranks == 1 ? "" : "s", grids);
    }
    return NAIK_OK;
}

/* Coarse sites of the box, with their numbers. */
typedef struct coarse_box {
    naik_aggregates *a;
    int32_t *number; /* [sites of the box]: within the parity */
} coarse_box;

static int parity_at(const naik_aggregates *a, const int x[NAIK_DIM])
{
    int sum = 0;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        sum += a->size[mu] == 1 ? 0 : a->origin[mu] + x[mu] + a->size[mu];
    }
    return sum % 2;
}

static int32_t place_of(const naik_aggregates *a, const int x[NAIK_DIM])
{
    return x[0] + a->local[0] * (x[1] + a->local[1] * (x[2] + a->local[2] * x[3]));
}

static void coordinates_of(const int extents[NAIK_DIM], int32_t place, int x[NAIK_DIM])
{
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        x[mu] = place % extents[mu];
        place /= extents[mu];
    }
}

static void fill_members(const naik_aggregates *a, const int at[NAIK_DIM], int32_t *member,
                         uint8_t *across)
{
    const naik_lattice *lat = a->geometry->lattice;
    int32_t filled[2] = {0, 0};
    for (int32_t i = 0; i < 2 * a->fine; i++) {
        int inside[NAIK_DIM], x[NAIK_DIM];
        unsigned bits = 0;
        coordinates_of(a->extent, i, inside);
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            x[mu] = at[mu] * a->extent[mu] + inside[mu];
            bits |= a->size[mu] > 1 && inside[mu] == a->extent[mu] - 1 ? 1u << mu : 0;
            bits |= a->size[mu] > 1 && inside[mu] == 0 ? 16u << mu : 0;
        }
        const int parity = naik_parity_of(x);
        const int32_t to = parity * a->fine + filled[parity]++;
        member[to] = naik_lattice_site(lat, x) / 2;
        across[to] = (uint8_t)bits;
    }
}

/* The face of the box at coordinate `layer` along mu, in order: calls of `take` with each site's parity. */
typedef struct face_walk {
    const naik_aggregates *a;
    int mu, layer;
    int32_t next[2]; /* sites met of a parity */
} face_walk;

static int face_sites(const naik_aggregates *a, int mu)
{
    return a->local[0] * a->local[1] * a->local[2] * a->local[3] / a->local[mu];
}

/* Site i of the face, its parity returned. */
static int face_site(const face_walk *w, int32_t i, int x[NAIK_DIM])
{
    int extents[NAIK_DIM];
    memcpy(extents, w->a->local, sizeof extents);
    extents[w->mu] = 1;
    coordinates_of(extents, i, x);
    x[w->mu] = w->layer;
    return parity_at(w->a, x);
}

static void count_halo(naik_aggregates *a)
{
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        for (int side = 0; side < 2; side++) {
            const bool split = a->geometry->lattice->split[mu];
            face_walk zone = {a, mu, side == NAIK_FORWARD ? a->local[mu] : -1, {0}};
            face_walk mine = {a, mu, side == NAIK_FORWARD ? a->local[mu] - 1 : 0, {0}};
            int x[NAIK_DIM];
            for (int32_t i = 0; split && i < face_sites(a, mu); i++) {
                zone.next[face_site(&zone, i, x)]++;
                mine.next[face_site(&mine, i, x)]++;
            }
            for (int c = 0; c < 2; c++) {
                a->zone[c][mu][side] = a->halo[c];
                a->face[c][mu][side] = zone.next[c];
                a->sends[c][mu][side] = mine.next[c];
                a->halo[c] += zone.next[c];
            }
        }
    }
}

/* Number, in its parity, of the site at x, which may be one of a neighbour's. */
static int32_t number_at(const coarse_box *box, const int x[NAIK_DIM], int mu, int side)
{
    const naik_aggregates *a = box->a;
    int there[NAIK_DIM];
    memcpy(there, x, sizeof there);
    there[mu] += side == NAIK_FORWARD ? 1 : -1;
    if (there[mu] >= 0 && there[mu] < a->local[mu]) {
        return box->number[place_of(a, there)];
    }
    if (!a->geometry->lattice->split[mu]) {
        there[mu] = (there[mu] + a->local[mu]) % a->local[mu];
        return box->number[place_of(a, there)];
    }
    const int parity = parity_at(a, there);
    face_walk zone = {a, mu, there[mu], {0}};
    for (int32_t i = 0; i < face_sites(a, mu); i++) {
        int y[NAIK_DIM];
        const int c = face_site(&zone, i, y);
        if (memcmp(y, there, sizeof y) == 0) {
            break;
        }
        zone.next[c]++;
    }
    return a->count[parity] + a->zone[parity][mu][side] + zone.next[parity];
}

static void fill_sends(const coarse_box *box)
{
    naik_aggregates *a = box->a;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        for (int side = 0; side < 2; side++) {
            face_walk mine = {a, mu, side == NAIK_FORWARD ? a->local[mu] - 1 : 0, {0}};
            for (int32_t i = 0; a->send[0][mu][side] != NULL && i < face_sites(a, mu); i++) {
                int x[NAIK_DIM];
                const int c = face_site(&mine, i, x);
                a->send[c][mu][side][mine.next[c]++] = box->number[place_of(a, x)];
            }
        }
    }
}

static void fill_site(const coarse_box *box, int32_t place)
{
    naik_aggregates *a = box->a;
    int x[NAIK_DIM];
    coordinates_of(a->local, place, x);
    const int c = parity_at(a, x);
    const int32_t number = box->number[place];
    const size_t members = (size_t)number * 2 * (size_t)a->fine;
    fill_members(a, x, a->member[c] + members, a->across[c] + members);
    int64_t global = 0;
    for (int mu = NAIK_DIM - 1; mu >= 0; mu--) {
        global = global * a->size[mu] + a->origin[mu] + x[mu];
    }
    a->global[c][number] = global;
    for (int k = 0; k < NAIK_MG_POINTS; k++) {
        const int mu = k % NAIK_DIM, side = k < NAIK_DIM ? NAIK_FORWARD : NAIK_BACKWARD;
        a->neighbour[c][number * NAIK_MG_POINTS + k] =
            a->size[mu] == 1 ? -1 : number_at(box, x, mu, side);
    }
}

static naik_status allocate(naik_aggregates *a)
{
    naik_log *log = a->geometry->backend->log;
    const char *what = "tables of aggregates";
    for (int c = 0; c < 2; c++) {
        const size_t sites = (size_t)a->count[c] + 1, members = sites * 2 * (size_t)a->fine;
        NAIK_PASS(naik_alloc(log, members * sizeof(int32_t), what, (void **)&a->member[c]));
        NAIK_PASS(naik_alloc(log, members, what, (void **)&a->across[c]));
        NAIK_PASS(naik_alloc(log, sites * NAIK_MG_POINTS * sizeof(int32_t), what,
                             (void **)&a->neighbour[c]));
        NAIK_PASS(naik_alloc(log, sites * sizeof(int64_t), what, (void **)&a->global[c]));
        for (int face = 0; face < 2 * NAIK_DIM; face++) {
            const int mu = face / 2, side = face % 2;
            if (a->geometry->lattice->split[mu]) {
                NAIK_PASS(naik_alloc(log, ((size_t)a->sends[c][mu][side] + 1) * sizeof(int32_t),
                                     what, (void **)&a->send[c][mu][side]));
            }
        }
    }
    return NAIK_OK;
}

static naik_status fill(naik_aggregates *a)
{
    naik_status status = NAIK_OK;
    const int32_t sites = a->count[0] + a->count[1];
    coarse_box box = {.a = a};
    int32_t next[2] = {0, 0};
    NAIK_TRY(naik_alloc(a->geometry->backend->log, (size_t)sites * sizeof(int32_t),
                        "tables of aggregates", (void **)&box.number));
    for (int32_t place = 0; place < sites; place++) {
        int x[NAIK_DIM];
        coordinates_of(a->local, place, x);
        box.number[place] = next[parity_at(a, x)]++;
    }
    NAIK_TRY(allocate(a));
    for (int32_t place = 0; place < sites; place++) {
        fill_site(&box, place);
    }
    fill_sends(&box);
    NAIK_TRY(naik_multigrid_of(a->geometry)->aggregates_open(a));
done:
    naik_free(box.number);
    return status;
}

naik_aggregates naik_aggregates_outline(const naik_geometry *geometry, const int extent[NAIK_DIM])
{
    const naik_lattice *lat = geometry->lattice;
    naik_aggregates outline = {.geometry = geometry, .fine = 1}, *a = &outline;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        a->extent[mu] = extent[mu];
        a->size[mu] = lat->size[mu] / extent[mu];
        a->local[mu] = lat->local[mu] / extent[mu];
        a->origin[mu] = lat->origin[mu] / extent[mu];
        a->fine *= extent[mu];
    }
    a->fine /= 2;
    for (int32_t place = 0; place < a->local[0] * a->local[1] * a->local[2] * a->local[3];
         place++) {
        int x[NAIK_DIM];
        coordinates_of(a->local, place, x);
        a->count[parity_at(a, x)]++;
    }
    count_halo(a);
    return outline;
}

naik_status naik_aggregates_create(const naik_geometry *geometry, const int asked[NAIK_DIM],
                                   naik_aggregates **out)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = geometry->backend->comm;
    naik_aggregates *a = NULL;
    int extent[NAIK_DIM];
    *out = NULL;
    NAIK_TRY(choose(geometry, asked, extent));
    NAIK_TRY(naik_new(comm, sizeof *a, "aggregates", (void **)&a));
    *a = naik_aggregates_outline(geometry, extent);
    NAIK_TRY(naik_comm_agree(comm, fill(a)));
    *out = a;
    a = NULL;
done:
    naik_aggregates_destroy(&a);
    return status;
}

void naik_aggregates_destroy(naik_aggregates **aggregates)
{
    naik_aggregates *a = *aggregates;
    if (a == NULL) {
        return;
    }
    naik_multigrid_of(a->geometry)->aggregates_close(a);
    for (int c = 0; c < 2; c++) {
        naik_free(a->member[c]);
        naik_free(a->across[c]);
        naik_free(a->neighbour[c]);
        naik_free(a->global[c]);
        for (int face = 0; face < 2 * NAIK_DIM; face++) {
            naik_free(a->send[c][face / 2][face % 2]);
        }
    }
    free(a);
    *aggregates = NULL;
}
