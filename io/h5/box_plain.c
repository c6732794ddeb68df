/* box_plain.c - pieces of a box, each by one thread: rounded, summed and written, or read, summed and spread */
#include "io/h5/box_plain.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/watchdog.h"
#include "comm/collective.h"
#include "comm/threads.h"
#include "io/finite.h"
#include "io/h5/numbers.h"
#include "io/h5/times.h"
#include "io/hints.h"
#include "io/runs.h"

enum { PIECE_BYTES = 1 << 20 };

typedef struct mover {
    const naik_lattice *lat;
    const naik_h5_field *field;
    naik_runs runs;
    int64_t offset; /* of the field in the file */
    int fd;
    bool writing, buffered; /* buffered: through memory of the thread's own */
    char *data;             /* borrowed; NULL: read for the sums alone */
    char *buffer;           /* [threads][PIECE_BYTES], or NULL */
    naik_site_sums *sums;
    int failed;        /* of the system: the first that failed */
    bool finite;       /* all that was read */
    naik_io_times own; /* parts, the mean of the threads */
} mover;

/* ---- where the box lies */

/* Extents of the dataset as the field needs them; the number of fields in front of this one. */
static bool has_shape(const naik_lattice *lat, const naik_h5_field *field, int64_t *before)
{
    hsize_t dims[8];
    const hid_t space = H5Dget_space(field->dataset);
    const int lead = field->lead < 0 ? 0 : field->rows > 0 ? 2 : 1;
    const int rank = lead + NAIK_DIM + (field->trail > 0);
    bool fits = space >= 0 && H5Sget_simple_extent_ndims(space) == rank &&
                H5Sget_simple_extent_dims(space, dims, NULL) == rank;
    naik_h5_release(space);
    for (int mu = 0; mu < NAIK_DIM && fits; mu++) {
        fits = dims[lead + NAIK_DIM - 1 - mu] == (hsize_t)lat->size[mu];
    }
    fits = fits && (field->trail == 0 || dims[rank - 1] == (hsize_t)field->trail) &&
           (lead < 2 || dims[1] == (hsize_t)field->rows);
    *before = lead > 0 ? field->lead : 0;
    return fits && (lead == 0 || *before < (int64_t)(dims[0] * (lead > 1 ? dims[1] : 1)));
}

/* On this rank. */
static bool find_box(mover *m)
{
    const naik_io_options *io = &m->lat->comm->io;
    const int64_t site_bytes = (int64_t)m->field->reals * m->field->bits / 8;
    const int64_t field_bytes = m->lat->volume * site_bytes;
    int64_t before = 0;
    m->runs = naik_runs_of(m->lat, site_bytes);
    if (io->plain || io->collective || io->hints[0] != '\0' || m->field->writers > 0 ||
        !naik_runs_are_long(&m->runs) || site_bytes > PIECE_BYTES ||
        !has_shape(m->lat, m->field, &before) ||
        !naik_h5_is_stored_as(m->field->dataset, m->field->type)) {
        return false;
    }
    const haddr_t offset = H5Dget_offset(m->field->dataset); /* undefined where there are chunks */
    const hsize_t stored = H5Dget_storage_size(m->field->dataset);
    if (offset == HADDR_UNDEF || offset > (haddr_t)INT64_MAX / 2 ||
        stored > (hsize_t)INT64_MAX / 2 || (int64_t)stored < (before + 1) * field_bytes) {
        return false;
    }
    m->offset = (int64_t)offset + before * field_bytes;
    return true;
}

/* The file that the dataset is in, once more; 0 or the system's number. */
static int open_again(mover *m)
{
    char name[NAIK_MPI_NAME] = "";
    const ssize_t length = H5Fget_name(m->field->dataset, name, sizeof name);
    if (length <= 0 || length >= (ssize_t)sizeof name) {
        return ENAMETOOLONG;
    }
    m->fd = open(naik_mpi_path(name), (m->writing ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
    return m->fd >= 0 ? 0 : errno;
}

/* ---- what a thread does */

typedef struct piece {
    int64_t local, number, sites; /* first site of the box, and of the lattice; how many */
} piece;

static int64_t sites_a_piece(const mover *m)
{
    return PIECE_BYTES / m->runs.site_bytes;
}

static int64_t pieces_a_run(const mover *m)
{
    return (m->runs.run_sites + sites_a_piece(m) - 1) / sites_a_piece(m);
}

static piece piece_of(const mover *m, int64_t index)
{
    const int64_t run = index / pieces_a_run(m), first = index % pieces_a_run(m) * sites_a_piece(m);
    const int64_t left = m->runs.run_sites - first;
    return (piece){.local = run * m->runs.run_sites + first,
                   .number = naik_runs_first(&m->runs, run) + first,
                   .sites = left < sites_a_piece(m) ? left : sites_a_piece(m)};
}

/* Begins what forcing the file to disk waits for. */
static void send_to_disk(const mover *m, int64_t at, int64_t bytes)
{
#if defined(SYNC_FILE_RANGE_WRITE)
    (void)sync_file_range(m->fd, at, bytes, SYNC_FILE_RANGE_WRITE); /* fsync says what failed */
#else
    (void)m;
    (void)at;
    (void)bytes;
#endif
}

static int write_piece(mover *m, const piece *p, float *buffer, naik_io_times *times, double *since)
{
    const int64_t bytes = p->sites * m->runs.site_bytes, reals = p->sites * m->field->reals;
    const int64_t at = m->offset + p->number * m->runs.site_bytes;
    const void *from = buffer;
    if (m->buffered) {
        const double *mine = (const double *)m->data + p->local * m->field->reals;
        for (int64_t i = 0; i < reals; i++) {
            buffer[i] = (float)mine[i];
        }
        naik_io_count(times, NAIK_IO_GATHER, since);
    } else {
        from = m->data + p->local * m->runs.site_bytes;
    }
    naik_site_sums_add(m->sums, p->number, p->sites, from);
    naik_io_count(times, NAIK_IO_CHECKSUM, since);
    const int failed = naik_bytes_write(m->fd, at, from, bytes);
    if (failed == 0) {
        send_to_disk(m, at, bytes);
    }
    naik_io_count(times, NAIK_IO_WRITE, since);
    return failed;
}

static int read_piece(mover *m, const piece *p, void *buffer, naik_io_times *times, double *since,
                      bool *finite)
{
    const int64_t bytes = p->sites * m->runs.site_bytes, reals = p->sites * m->field->reals;
    void *into = m->buffered ? buffer : m->data + p->local * m->runs.site_bytes;
    const int failed =
        naik_bytes_read(m->fd, m->offset + p->number * m->runs.site_bytes, into, bytes);
    naik_io_count(times, NAIK_IO_READ, since);
    if (failed == ENODATA) { /* the file ends: as MPI-IO leaves it, see naik_mark_unread */
        memset(into, 0xff, (size_t)bytes);
    } else if (failed != 0) {
        return failed;
    }
    naik_site_sums_add(m->sums, p->number, p->sites, into);
    *finite = *finite && naik_piece_is_finite(into, reals, m->field->bits);
    naik_io_count(times, NAIK_IO_CHECKSUM, since);
    if (m->buffered && m->data != NULL) {
        const float *rounded = buffer;
        double *mine = (double *)m->data + p->local * m->field->reals;
        for (int64_t i = 0; i < reals; i++) {
            mine[i] = rounded[i];
        }
        naik_io_count(times, NAIK_IO_SCATTER, since);
    }
    return 0;
}

/* What one thread has done becomes part of the whole. */
static void add_up(mover *m, const naik_io_times *times, int failed, bool finite)
{
#pragma omp critical(naik_box_plain)
    {
        m->failed = m->failed != 0 ? m->failed : failed;
        m->finite = m->finite && finite;
        for (int i = 0; i < NAIK_IO_PARTS; i++) {
            m->own.s[i] += times->s[i] / naik_threads_count();
        }
    }
}

static void move_pieces(mover *m)
{
    const int64_t pieces = m->runs.count * pieces_a_run(m);
    bool stop = false; /* somebody has failed */
#pragma omp parallel
    {
        naik_io_times times = {.pieces = true};
        int failed = 0;
        bool finite = true;
        char *buffer =
            m->buffer != NULL ? m->buffer + (int64_t)naik_threads_index() * PIECE_BYTES : NULL;
#pragma omp for schedule(dynamic) nowait
        for (int64_t i = 0; i < pieces; i++) {
            bool stopped;
#pragma omp atomic read
            stopped = stop;
            if (stopped) {
                continue;
            }
            const piece p = piece_of(m, i);
            double since = naik_io_clock();
            failed = m->writing ? write_piece(m, &p, (float *)buffer, &times, &since)
                                : read_piece(m, &p, buffer, &times, &since, &finite);
            if (failed != 0) {
#pragma omp atomic write
                stop = true;
            }
            naik_watchdog_move(m->lat->comm->watchdog);
        }
        add_up(m, &times, failed, finite);
    }
}

/* ---- what the rank does */

static naik_status verdict(const mover *m)
{
    naik_log *log = m->lat->comm->log;
    if (m->failed == 0) {
        return NAIK_OK;
    }
    return m->writing
               ? NAIK_FAIL(log, NAIK_ERR_IO, "writing to the file (is the disk full?) failed: %s",
                           strerror(m->failed))
               : NAIK_FAIL(log, NAIK_ERR_IO, "reading a field failed: %s", strerror(m->failed));
}

/* Not every MPI-IO forces to disk what it has not written itself: ROMIO of MPICH 4 does not. */
static void force(mover *m)
{
    double since = naik_io_clock();
    if (m->writing && m->failed == 0 && fsync(m->fd) != 0) {
        m->failed = errno;
    }
    naik_io_count(&m->own, NAIK_IO_FSYNC, &since);
}

static void report(mover *m)
{
    naik_io_times *times = m->lat->comm->io.times;
    if (times != NULL) {
        times->pieces = true;
        for (int i = 0; i < NAIK_IO_PARTS; i++) {
            times->s[i] += m->own.s[i];
        }
    }
}

static naik_status move(mover *m, bool *done)
{
    naik_comm *comm = m->lat->comm;
    naik_status status = NAIK_OK;
    double here = find_box(m);
    void *buffer = NULL;
    H5Eclear2(H5E_DEFAULT); /* what is not so is no error */
    *done = false;
    NAIK_TRY(naik_comm_min_f64(comm, &here, 1));
    if (here == 0) {
        return NAIK_OK;
    }
    *done = true;
    if (m->buffered) {
        status = naik_alloc(comm->log, (size_t)naik_threads_count() * PIECE_BYTES,
                            "pieces of a field", &buffer);
        m->buffer = buffer;
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    m->failed = open_again(m);
    if (m->failed == 0) {
        move_pieces(m);
        force(m);
    }
    NAIK_TRY(naik_comm_agree(comm, verdict(m)));
    report(m);
done:
    if (m->fd >= 0) {
        close(m->fd);
    }
    naik_free(buffer);
    return status;
}

naik_status naik_h5_plain_write(const naik_lattice *lattice, const naik_h5_field *field,
                                const void *data, naik_site_sums *sums, bool *done)
{
    mover m = {.lat = lattice,
               .field = field,
               .fd = -1,
               .writing = true,
               .buffered = field->bits == 32 && !field->packed,
               .data = (char *)data, /* only read from */
               .sums = sums,
               .finite = true};
    return move(&m, done);
}

naik_status naik_h5_plain_read(const naik_lattice *lattice, const naik_h5_field *field, void *data,
                               naik_site_sums *sums, bool *finite, bool *done)
{
    mover m = {.lat = lattice,
               .field = field,
               .fd = -1,
               .buffered = data == NULL || (field->bits == 32 && !field->packed),
               .data = data,
               .sums = sums,
               .finite = true};
    const naik_status status = move(&m, done);
    *finite = *finite && m.finite;
    return status;
}
