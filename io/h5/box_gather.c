/* box_gather.c - two-phase output in a form that cannot hang on a failing disk
 *
 * MPI-IO's collective buffering does the same, but an MPI library may leave the other ranks waiting
 * when one of its writers meets an error (seen with Open MPI's vulcan and with ROMIO), and
 * collective HDF5 is known to hang with some sites' MPI. Here every write is independent, its
 * result is agreed upon afterwards, and so a full disk is a sentence on every rank.
 *
 * A round moves one window of planes per writer. In a rank's memory a plane of its box is one
 * contiguous run of rows, and it travels as such; the writer sorts the runs into whole planes.
 */
#include <string.h>

#include "base/memory.h"
#include "comm/comm_mpi.h"
#include "io/h5/box.h"
#include "io/h5/times.h"
#include "io/sites.h"

enum { WINDOW_BYTES = 1 << 26 };

typedef struct gather {
    const naik_lattice *lat;
    const naik_h5_field *field;
    int writers, mine;                          /* mine: this rank's number as a writer, or -1 */
    int64_t planes;                             /* of the lattice */
    int64_t window;                             /* planes that a writer takes in one round */
    int64_t site_bytes, run_bytes, plane_bytes; /* run: this box's part of a plane */
    MPI_Datatype run;
    int *send_count, *send_at, *take_count, *take_at; /* in runs, per rank */
    unsigned char *out, *in, *whole;
} gather;

static int rank_of_writer(const gather *g, int writer)
{
    return (int)((int64_t)writer * g->lat->comm->size / g->writers);
}

/* Planes [*begin, *end) of a writer in a round. */
static void window_of(const gather *g, int writer, int64_t round, int64_t *begin, int64_t *end)
{
    int64_t last = g->planes * (writer + 1) / g->writers;
    *begin = g->planes * writer / g->writers + round * g->window;
    *begin = *begin < last ? *begin : last;
    *end = *begin + g->window < last ? *begin + g->window : last;
}

/* Place of a rank in the process grid: x fastest, as in lattice.c. */
static void coord_of_rank(const naik_lattice *lat, int rank, int coord[NAIK_DIM])
{
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        coord[mu] = rank % lat->grid[mu];
        rank /= lat->grid[mu];
    }
}

/* Number of the plane in the box at that place, z + local z t, or -1 where it is elsewhere. */
static int64_t local_plane(const naik_lattice *lat, const int coord[NAIK_DIM], int64_t plane)
{
    int z = (int)(plane % lat->size[2]) - coord[2] * lat->local[2];
    int t = (int)(plane / lat->size[2]) - coord[3] * lat->local[3];
    bool inside = z >= 0 && z < lat->local[2] && t >= 0 && t < lat->local[3];
    return inside ? z + (int64_t)lat->local[2] * t : -1;
}

/* One plane of this box as the bytes of the file. */
static void pack_run(const gather *g, int64_t local, const void *data, unsigned char *out,
                     naik_site_sums *sums)
{
    const naik_lattice *lat = g->lat;
    const int rows = lat->local[1], row_sites = lat->local[0], reals = g->field->reals;
#pragma omp parallel for schedule(static)
    for (int y = 0; y < rows; y++) {
        int32_t site = (int32_t)((local * rows + y) * row_sites);
        unsigned char *bytes = out + (int64_t)y * row_sites * g->site_bytes;
        int x[NAIK_DIM];
        if (g->field->packed) {
            memcpy(bytes, (const char *)data + site * g->site_bytes,
                   (size_t)(row_sites * g->site_bytes));
        } else {
            naik_reals_encode((const double *)data + (int64_t)site * reals,
                              (int64_t)row_sites * reals, g->field->bits, false, bytes);
        }
        naik_lattice_coords(lat, site, x);
        naik_site_sums_add(sums, naik_lattice_global(lat, x), row_sites, bytes);
    }
}

/* What this rank sends in a round, grouped by writer. */
static void pack_round(gather *g, int64_t round, const void *data, naik_site_sums *sums)
{
    int at = 0;
    memset(g->send_count, 0, (size_t)g->lat->comm->size * sizeof *g->send_count);
    memset(g->send_at, 0, (size_t)g->lat->comm->size * sizeof *g->send_at);
    for (int writer = 0; writer < g->writers; writer++) {
        int64_t begin, end;
        int to = rank_of_writer(g, writer);
        window_of(g, writer, round, &begin, &end);
        g->send_at[to] = at;
        for (int64_t plane = begin; plane < end; plane++) {
            int64_t local = local_plane(g->lat, g->lat->coord, plane);
            if (local >= 0) {
                pack_run(g, local, data, g->out + at * g->run_bytes, sums);
                g->send_count[to]++;
                at++;
            }
        }
    }
}

/* What a writer receives in a round, grouped by rank; or, with `sort`, puts it into its place. */
static void receive_round(gather *g, int64_t begin, int64_t end, bool sort)
{
    const naik_lattice *lat = g->lat;
    int at = 0;
    for (int rank = 0; rank < lat->comm->size; rank++) {
        int coord[NAIK_DIM];
        coord_of_rank(lat, rank, coord);
        g->take_at[rank] = at;
        for (int64_t plane = begin; plane < end; plane++) {
            if (local_plane(lat, coord, plane) < 0) {
                continue;
            }
            const int64_t row_bytes = lat->local[0] * g->site_bytes;
            unsigned char *to = g->whole + (plane - begin) * g->plane_bytes +
                                ((int64_t)coord[1] * lat->local[1] * lat->size[0] +
                                 (int64_t)coord[0] * lat->local[0]) *
                                    g->site_bytes;
            for (int y = 0; sort && y < lat->local[1]; y++) {
                memcpy(to + (int64_t)y * lat->size[0] * g->site_bytes,
                       g->in + at * g->run_bytes + y * row_bytes, (size_t)row_bytes);
            }
            at++;
        }
        g->take_count[rank] = at - g->take_at[rank];
    }
}

/* Planes [z, z_end) of time slice t. */
static naik_status write_planes(const gather *g, int t, int z, int z_end, const void *bytes)
{
    const int *size = g->lat->size;
    hsize_t start[6] = {0}, count[6] = {0};
    int rank = 0;
    if (g->field->lead >= 0) {
        rank = naik_h5_field_select_lead(g->field, start, count);
    }
    start[rank] = (hsize_t)t;
    count[rank++] = 1;
    start[rank] = (hsize_t)z;
    count[rank++] = (hsize_t)(z_end - z);
    count[rank++] = (hsize_t)size[1];
    count[rank++] = (hsize_t)size[0];
    if (g->field->trail > 0) {
        count[rank++] = (hsize_t)g->field->trail;
    }
    return naik_h5_write_part(g->lat->comm->log, g->field->dataset, g->field->type, start, count,
                              bytes);
}

static naik_status write_window(const gather *g, int64_t begin, int64_t end)
{
    const int nz = g->lat->size[2];
    for (int64_t plane = begin; plane < end;) {
        int t = (int)(plane / nz), z = (int)(plane % nz);
        int z_end = end - plane < nz - z ? z + (int)(end - plane) : nz;
        NAIK_PASS(write_planes(g, t, z, z_end, g->whole + (plane - begin) * g->plane_bytes));
        plane += z_end - z;
    }
    return NAIK_OK;
}

static naik_status move_round(gather *g, int64_t round, const void *data, naik_site_sums *sums)
{
    naik_comm *comm = g->lat->comm;
    naik_status status = NAIK_OK;
    int64_t begin = 0, end = 0;
    double since = naik_io_clock();
    pack_round(g, round, data, sums);
    if (g->mine >= 0) {
        window_of(g, g->mine, round, &begin, &end);
    }
    receive_round(g, begin, end, false);
    int error = MPI_Alltoallv(g->out, g->send_count, g->send_at, g->run, g->in, g->take_count,
                              g->take_at, g->run, comm->mpi->world);
    NAIK_PASS(naik_comm_check(comm, error, "gathering a field for its writers"));
    receive_round(g, begin, end, true);
    naik_io_count(comm->io.times, NAIK_IO_GATHER, &since);
    status = write_window(g, begin, end);
    naik_io_count(comm->io.times, NAIK_IO_WRITE, &since);
    return naik_comm_agree(comm, status);
}

/* Counts, windows and buffers: neither what a writer holds nor what a rank sends exceeds
 * WINDOW_BYTES by more than a plane. */
static naik_status prepare(gather *g)
{
    const naik_lattice *lat = g->lat;
    naik_comm *comm = lat->comm;
    naik_status status = NAIK_OK;
    const size_t ranks = (size_t)comm->size;
    void *counts = NULL, *out = NULL, *in = NULL, *whole = NULL;
    const int wanted = g->field->writers < comm->size ? g->field->writers : comm->size;
    g->planes = (int64_t)lat->size[2] * lat->size[3];
    g->writers = wanted < g->planes ? wanted : (int)g->planes;
    g->mine = -1;
    for (int writer = 0; writer < g->writers; writer++) {
        g->mine = rank_of_writer(g, writer) == comm->rank ? writer : g->mine;
    }
    g->site_bytes = (int64_t)g->field->reals * g->field->bits / 8;
    g->run_bytes = (int64_t)lat->local[0] * lat->local[1] * g->site_bytes;
    g->plane_bytes = (int64_t)lat->size[0] * lat->size[1] * g->site_bytes;
    int64_t most = (g->planes + g->writers - 1) / g->writers;
    g->window = WINDOW_BYTES / g->plane_bytes;
    int64_t by_sender = WINDOW_BYTES / (g->writers * g->run_bytes);
    g->window = g->window < by_sender ? g->window : by_sender;
    g->window = g->window < 1 ? 1 : g->window > most ? most : g->window;
    int64_t sent = g->window * g->writers, own = (int64_t)lat->local[2] * lat->local[3];
    status = naik_alloc(comm->log, 4 * ranks * sizeof(int), "gathering output", &counts);
    g->send_count = counts;
    if (status == NAIK_OK) {
        g->send_at = g->send_count + ranks;
        g->take_count = g->send_at + ranks;
        g->take_at = g->take_count + ranks;
        status = naik_alloc(comm->log, (size_t)((sent < own ? sent : own) * g->run_bytes),
                            "gathering output", &out);
        g->out = out;
    }
    if (status == NAIK_OK && g->mine >= 0) {
        status =
            naik_alloc(comm->log, (size_t)(g->window * g->plane_bytes), "gathering output", &in);
        g->in = in;
    }
    if (status == NAIK_OK && g->mine >= 0) {
        status =
            naik_alloc(comm->log, (size_t)(g->window * g->plane_bytes), "gathering output", &whole);
        g->whole = whole;
    }
    return naik_comm_agree(comm, status);
}

naik_status naik_h5_gather_write(const naik_lattice *lattice, const naik_h5_field *field,
                                 const void *data, naik_site_sums *sums)
{
    naik_comm *comm = lattice->comm;
    naik_status status = NAIK_OK;
    gather g = {.lat = lattice, .field = field, .run = MPI_DATATYPE_NULL};
    NAIK_TRY(prepare(&g));
    NAIK_TRY(naik_comm_check(comm, MPI_Type_contiguous((int)g.run_bytes, MPI_BYTE, &g.run),
                             "describing a plane to MPI"));
    NAIK_TRY(naik_comm_check(comm, MPI_Type_commit(&g.run), "describing a plane to MPI"));
    int64_t most = (g.planes + g.writers - 1) / g.writers;
    for (int64_t round = 0; round * g.window < most; round++) {
        NAIK_TRY(move_round(&g, round, data, sums));
    }
done:
    if (g.run != MPI_DATATYPE_NULL) {
        MPI_Type_free(&g.run);
    }
    naik_free(g.send_count);
    naik_free(g.out);
    naik_free(g.in);
    naik_free(g.whole);
    return status;
}
