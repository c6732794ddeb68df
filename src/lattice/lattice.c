/* lattice.c - the boxes, and the tables that say where a stencil point lies
 *
 * The neighbour tables are built once from coordinates, by the definition; no kernel computes an index.
 */
#include "naik/lattice.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "comm/new.h"
#include "lattice/grid.h"

static naik_status choose_grid(naik_comm *comm, const int size[NAIK_DIM],
                               const int wanted[NAIK_DIM], int grid[NAIK_DIM])
{
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if (size[mu] < 2 || size[mu] % 2 != 0 || size[mu] > 32768) {
            return NAIK_FAIL(
                comm->log, NAIK_ERR_INPUT,
                "lattice extent %d in direction %c must be even and between 2 and 32768", size[mu],
                "xyzt"[mu]);
        }
    }
    if (wanted == NULL) {
        return naik_grid_choose(comm, size, grid);
    }
    char working[128];
    naik_grid_list(size, comm->size, NULL, working, sizeof working, NULL);
    int64_t ranks = (int64_t)wanted[0] * wanted[1] * wanted[2] * wanted[3];
    if (ranks != comm->size) {
        return NAIK_FAIL(
            comm->log, NAIK_ERR_INPUT,
            "process grid %dx%dx%dx%d needs %lld ranks but the job has %d; grids that work: %s",
            wanted[0], wanted[1], wanted[2], wanted[3], (long long)ranks, comm->size, working);
    }
    if (!naik_grid_works(size, wanted)) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "process grid %dx%dx%dx%d does not cut the lattice %dx%dx%dx%d into boxes "
                         "with even extents, at least 4 where split; grids that work: %s",
                         wanted[0], wanted[1], wanted[2], wanted[3], size[0], size[1], size[2],
                         size[3], working);
    }
    memcpy(grid, wanted, NAIK_DIM * sizeof *grid);
    return NAIK_OK;
}

static int rank_at(const naik_lattice *lat, const int coord[NAIK_DIM])
{
    int rank = 0;
    for (int mu = NAIK_DIM - 1; mu >= 0; mu--) {
        rank = rank * lat->grid[mu] + coord[mu];
    }
    return rank;
}

static void place_rank(naik_lattice *lat)
{
    int rest = lat->comm->rank;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        lat->coord[mu] = rest % lat->grid[mu];
        rest /= lat->grid[mu];
        lat->local[mu] = lat->size[mu] / lat->grid[mu];
        lat->origin[mu] = lat->coord[mu] * lat->local[mu];
        lat->split[mu] = lat->grid[mu] > 1;
    }
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        for (int side = 0; side < 2; side++) {
            int there[NAIK_DIM];
            memcpy(there, lat->coord, sizeof there);
            int step = side == NAIK_FORWARD ? 1 : lat->grid[mu] - 1;
            there[mu] = (there[mu] + step) % lat->grid[mu];
            lat->neighbour_rank[mu][side] = rank_at(lat, there);
        }
    }
}

/* Number of the site in its layer across mu, one parity: coordinates without mu, lexicographic,
 * / 2. */
static int32_t number_in_layer(const naik_lattice *lat, const int x[NAIK_DIM], int mu)
{
    int32_t number = 0;
    for (int nu = NAIK_DIM - 1; nu >= 0; nu--) {
        if (nu != mu) {
            number = number * lat->local[nu] + x[nu];
        }
    }
    return number / 2;
}

/* Index in a checkerboard array of the site `step` sites from x in direction mu. */
static int32_t neighbour_of(const naik_lattice *lat, const int x[NAIK_DIM], int mu, int step)
{
    int y[NAIK_DIM];
    memcpy(y, x, sizeof y);
    int there = x[mu] + step;
    int extent = lat->local[mu];
    if (!lat->split[mu]) {
        y[mu] = ((there % extent) + extent) % extent;
        return naik_lattice_site(lat, y) / 2;
    }
    if (there >= 0 && there < extent) {
        y[mu] = there;
        return naik_lattice_site(lat, y) / 2;
    }
    int side = there >= extent ? NAIK_FORWARD : NAIK_BACKWARD;
    int depth = side == NAIK_FORWARD ? there - extent : -1 - there;
    return lat->zone[mu][side] + depth * lat->face[mu] + number_in_layer(lat, x, mu);
}

static void fill_tables(naik_lattice *lat, naik_parity parity)
{
    static const int step[4] = {1, -1, 3, -3};
    int32_t *const interior = lat->interior[parity]; /* at first, whether each site is one */
    int32_t count = 0, boundary = 0;
#pragma omp parallel for schedule(static)
    for (int32_t cb = 0; cb < lat->volume_cb; cb++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lat, naik_lattice_site_of(lat, parity, cb), x);
        int32_t *neighbour = lat->neighbour[parity] + (int64_t)cb * NAIK_STENCIL;
        bool inside = true;
        for (int kind = 0; kind < 4; kind++) {
            for (int mu = 0; mu < NAIK_DIM; mu++) {
                int32_t target = neighbour_of(lat, x, mu, step[kind]);
                neighbour[4 * kind + mu] = target;
                inside = inside && target < lat->volume_cb;
            }
        }
        interior[cb] = inside;
    }
    for (int32_t cb = 0; cb < lat->volume_cb; cb++) {
        if (interior[cb]) {
            interior[count++] = cb; /* count <= cb: what is read later stays */
        } else {
            lat->boundary[parity][boundary++] = cb;
        }
    }
    lat->interior_count[parity] = count;
    lat->boundary_count[parity] = boundary;
}

static naik_status allocate_tables(naik_lattice *lat)
{
    naik_log *log = lat->comm->log;
    const size_t sites = (size_t)lat->volume_cb * sizeof(int32_t);
    for (int parity = 0; parity < 2; parity++) {
        NAIK_PASS(naik_alloc(log, NAIK_STENCIL * sites, "neighbour table",
                             (void **)&lat->neighbour[parity]));
        NAIK_PASS(naik_alloc(log, sites, "interior list", (void **)&lat->interior[parity]));
        NAIK_PASS(naik_alloc(log, sites, "boundary list", (void **)&lat->boundary[parity]));
    }
    return NAIK_OK;
}

naik_status naik_lattice_create(naik_comm *comm, const int size[NAIK_DIM], const int grid[NAIK_DIM],
                                naik_lattice **out)
{
    naik_status status = NAIK_OK;
    *out = NULL;
    naik_lattice *lat = NULL;
    NAIK_TRY(naik_new(comm, sizeof *lat, "the lattice", (void **)&lat));
    lat->comm = comm;
    NAIK_TRY(choose_grid(comm, size, grid, lat->grid));
    memcpy(lat->size, size, sizeof lat->size);
    place_rank(lat);
    int64_t sites = 1;
    lat->volume = 1;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        lat->volume *= size[mu];
        sites *= lat->local[mu];
    }
    if (sites > INT32_MAX / NAIK_STENCIL) {
        status =
            NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                      "a box of %lld sites a rank is too large: use more ranks", (long long)sites);
        goto done;
    }
    lat->sites = (int32_t)sites;
    lat->volume_cb = lat->sites / 2;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        lat->face[mu] = lat->volume_cb / lat->local[mu];
        for (int side = 0; side < 2; side++) {
            lat->zone[mu][side] = lat->split[mu] ? lat->volume_cb + lat->halo : -1;
            lat->halo += lat->split[mu] ? NAIK_HALO_DEPTH * lat->face[mu] : 0;
        }
    }
    NAIK_TRY(naik_comm_agree(comm, allocate_tables(lat)));
    fill_tables(lat, NAIK_EVEN);
    fill_tables(lat, NAIK_ODD);
    *out = lat;
done:
    if (status != NAIK_OK) {
        naik_lattice_destroy(&lat);
    }
    return status;
}

void naik_lattice_destroy(naik_lattice **lattice)
{
    if (*lattice == NULL) {
        return;
    }
    for (int parity = 0; parity < 2; parity++) {
        naik_free((*lattice)->neighbour[parity]);
        naik_free((*lattice)->interior[parity]);
        naik_free((*lattice)->boundary[parity]);
    }
    free(*lattice);
    *lattice = NULL;
}

naik_status naik_lattice_expect(const naik_lattice *lattice, const char *path,
                                const int size[NAIK_DIM])
{
    const int *wanted = lattice->size;
    if (memcmp(size, wanted, NAIK_DIM * sizeof *size) == 0) {
        return NAIK_OK;
    }
    return NAIK_FAIL(lattice->comm->log, NAIK_ERR_INPUT,
                     "'%s' holds a lattice of %dx%dx%dx%d (x, y, z, t), but lattice.size is "
                     "%dx%dx%dx%d",
                     path, size[0], size[1], size[2], size[3], wanted[0], wanted[1], wanted[2],
                     wanted[3]);
}

void naik_lattice_scatter(const naik_lattice *lat, naik_parity parity, int32_t begin, int32_t count,
                          const double *from, int reals, double *to)
{
#pragma omp parallel for schedule(static)
    for (int32_t i = 0; i < count; i++) {
        const int64_t site = naik_lattice_site_of(lat, parity, begin + i);
        memcpy(to + site * reals, from + (int64_t)i * reals, (size_t)reals * sizeof *to);
    }
}
