/* box.c - boxes of the lattice to and from datasets, with their checksums
 *
 * HDF5 gives up collective transfers when it has to convert types, so single precision is
 * converted here, piece by piece. A piece is a number of whole time slices of the box, or a number
 * of z slices of one time slice where that is too much; boxes are equal on all ranks, so all make
 * the same number of calls.
 */
#include "io/h5/box.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "comm/collective.h"
#include "io/finite.h"
#include "io/h5/box_plain.h"
#include "io/h5/times.h"
#include "io/reread.h"

enum { CALL_BYTES = 1 << 30, BUFFER_BYTES = 1 << 26 };

typedef struct piece {
    int t, nt, z, nz;     /* local slices */
    int32_t first, sites; /* local sites, consecutive */
} piece;

static int64_t site_bytes(const naik_h5_field *field)
{
    return (int64_t)field->reals * field->bits / 8;
}

/* Of a real in memory. */
static int64_t memory_bytes(const naik_h5_field *field)
{
    return field->packed ? field->bits / 8 : (int64_t)sizeof(double);
}

static bool is_rounded(const naik_h5_field *field)
{
    return field->bits == 32 && !field->packed;
}

/* Slices per piece: nt whole time slices, or 1 and nz slices in z. */
static void choose_pieces(const naik_lattice *lat, const naik_h5_field *field, bool buffered,
                          int *nt, int *nz)
{
    int64_t limit = field->call_bytes > 0 ? field->call_bytes
                    : buffered            ? BUFFER_BYTES
                                          : CALL_BYTES;
    int64_t plane = (int64_t)lat->local[0] * lat->local[1] * site_bytes(field);
    int64_t planes = limit / plane > 1 ? limit / plane : 1;
    *nt = (int)(planes / lat->local[2]);
    *nt = *nt > lat->local[3] ? lat->local[3] : *nt;
    *nz = lat->local[2];
    if (*nt == 0) {
        *nt = 1;
        *nz = (int)planes;
    }
}

static herr_t find_refusal(unsigned n, const H5E_error2_t *entry, void *refused)
{
    static const char write[] = "MPI_File_write_at", read[] = "MPI_File_read_at";
    *(bool *)refused = n == 0 && entry->desc != NULL &&
                       (strncmp(entry->desc, write, sizeof write - 1) == 0 ||
                        strncmp(entry->desc, read, sizeof read - 1) == 0);
    return 1; /* the innermost entry is enough */
}

/* After a collective transfer HDF5 takes every rank back from its view of the file, which is
 * collective once more, but leaves that out where MPI-IO itself refused: the ranks where it did not
 * would wait. To be called before the stack of errors is cleared. */
static void leave_reader(naik_comm *comm, hid_t dataset)
{
    bool refused = false;
    MPI_File *handle = NULL;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_refusal, &refused);
    if (!refused || comm->size == 1) {
        return;
    }
    hid_t stack = H5Eget_current_stack(); /* and cleared, until it is put back */
    hid_t file = H5Iget_file_id(dataset);
    if (file >= 0 && H5Fget_vfd_handle(file, H5P_DEFAULT, (void **)&handle) >= 0) {
        MPI_File_set_view(*handle, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    }
    if (file >= 0) {
        H5Fclose(file);
    }
    H5Eset_current_stack(stack);
}

static naik_status transfer(const naik_lattice *lat, const naik_h5_field *field, const piece *part,
                            hid_t list, bool writing, void *data)
{
    naik_log *log = lat->comm->log;
    naik_status status = NAIK_OK;
    hsize_t start[6] = {0}, count[6] = {0}, points = 1;
    int rank = 0;
    if (field->lead >= 0) {
        rank = naik_h5_field_select_lead(field, start, count);
    }
    const int first[4] = {0, 0, part->z, part->t};
    const int extent[4] = {lat->local[0], lat->local[1], part->nz, part->nt};
    for (int mu = 3; mu >= 0; mu--) {
        start[rank] = (hsize_t)lat->origin[mu] + (hsize_t)first[mu];
        count[rank++] = (hsize_t)extent[mu];
    }
    if (field->trail > 0) {
        count[rank++] = (hsize_t)field->trail;
    }
    for (int i = 0; i < rank; i++) {
        points *= count[i];
    }
    hid_t space = H5Dget_space(field->dataset), memory = H5Screate_simple(1, &points, NULL);
    NAIK_H5_TRY(log, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL),
                "selecting this rank's box");
    if (!writing) {
        naik_mark_unread(data, (size_t)points * H5Tget_size(field->type));
    }
    const herr_t moved = writing ? H5Dwrite(field->dataset, field->type, memory, space, list, data)
                                 : H5Dread(field->dataset, field->type, memory, space, list, data);
    if (moved < 0) {
        leave_reader(lat->comm, field->dataset);
    }
    NAIK_H5_TRY(log, moved,
                writing ? "writing to the file (is the disk full?)" : "reading a field");
done:
    naik_h5_release(memory);
    naik_h5_release(space);
    return status;
}

static void add_checksum(const naik_lattice *lat, const naik_h5_field *field, const piece *part,
                         const void *bytes, naik_site_sums *sums)
{
    const int row_sites = lat->local[0];
    const int rows = part->sites / row_sites;
    const int64_t each = site_bytes(field);
#pragma omp parallel for schedule(static)
    for (int row = 0; row < rows; row++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lat, part->first + row * row_sites, x);
        naik_site_sums_add(sums, naik_lattice_global(lat, x), row_sites,
                           (const char *)bytes + (int64_t)row * row_sites * each);
    }
}

/* One piece through the buffer, or straight from and to the caller's array in double. *finite is
 * left where it is so. */
static naik_status move_piece(const naik_lattice *lat, const naik_h5_field *field,
                              const piece *part, hid_t list, bool writing, void *data, void *buffer,
                              naik_site_sums *sums, bool *finite)
{
    const int64_t reals = (int64_t)part->sites * field->reals;
    const int64_t begin = (int64_t)part->first * field->reals * memory_bytes(field);
    double *mine = data != NULL ? (double *)((char *)data + begin) : NULL; /* or what is packed */
    void *bytes = buffer != NULL ? buffer : mine;
    float *rounded = is_rounded(field) && data != NULL ? buffer : NULL;
    naik_io_times *times = lat->comm->io.times;
    double since = naik_io_clock();
    if (writing && rounded != NULL) {
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < reals; i++) {
            rounded[i] = (float)mine[i];
        }
        naik_io_count(times, NAIK_IO_GATHER, &since);
    }
    if (writing) {
        add_checksum(lat, field, part, bytes, sums);
        naik_io_count(times, NAIK_IO_CHECKSUM, &since);
    }
    NAIK_PASS(transfer(lat, field, part, list, writing, bytes));
    naik_io_count(times, writing ? NAIK_IO_WRITE : NAIK_IO_READ, &since);
    if (!writing) {
        add_checksum(lat, field, part, bytes, sums);
        *finite = *finite && naik_reals_are_finite(bytes, reals, field->bits);
        naik_io_count(times, NAIK_IO_CHECKSUM, &since);
    }
    if (!writing && rounded != NULL) {
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < reals; i++) {
            mine[i] = rounded[i];
        }
        naik_io_count(times, NAIK_IO_SCATTER, &since);
    }
    return NAIK_OK;
}

/* data NULL: read for the sums alone */
static naik_status move_field(const naik_lattice *lat, const naik_h5_field *field, bool writing,
                              void *data, naik_site_sums *sums, bool *finite)
{
    naik_comm *comm = lat->comm;
    naik_status status = NAIK_OK;
    const bool buffered = is_rounded(field) || data == NULL;
    void *buffer = NULL;
    int nt = 0, nz = 0;
    choose_pieces(lat, field, buffered, &nt, &nz);
    const int32_t plane = lat->local[0] * lat->local[1];
    hid_t list = H5Pcreate(H5P_DATASET_XFER);
    status = naik_h5_check(comm->log, H5Pset_dxpl_mpio(list, H5FD_MPIO_COLLECTIVE),
                           "asking for collective transfers", __FILE__, __LINE__);
    if (status == NAIK_OK && buffered) {
        status = naik_alloc(comm->log, (size_t)(nt * nz * plane * site_bytes(field)),
                            "a piece of a field", &buffer);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    for (int t = 0; t < lat->local[3]; t += nt) {
        for (int z = 0; z < lat->local[2]; z += nz) {
            piece part = {.t = t, .z = z, .nt = nt, .nz = nz};
            part.nt = t + nt > lat->local[3] ? lat->local[3] - t : nt;
            part.nz = z + nz > lat->local[2] ? lat->local[2] - z : nz;
            part.first = (t * lat->local[2] + z) * plane;
            part.sites = part.nt * part.nz * plane;
            status = move_piece(lat, field, &part, list, writing, data, buffer, sums, finite);
            NAIK_TRY(naik_comm_agree(comm, status));
        }
    }
done:
    naik_free(buffer);
    naik_h5_release(list);
    return status;
}

/* "/modes/v [3]" */
static void name_field(const naik_h5_field *field, char name[256])
{
    char path[200] = "";
    H5Iget_name(field->dataset, path, sizeof path);
    if (field->lead >= 0) {
        snprintf(name, 256, "%s [%d]", path, field->lead);
    } else {
        snprintf(name, 256, "%s", path);
    }
}

/* On this rank. */
static naik_status refuse_not_finite(const naik_lattice *lat, const naik_h5_field *field,
                                     const void *data, const char *name)
{
    const int64_t reals = (int64_t)lat->sites * field->reals;
    return field->packed
               ? naik_refuse_packed_not_finite(lat->comm->log, data, reals, field->bits, name)
               : naik_refuse_not_finite(lat->comm->log, data, reals, field->bits, name);
}

naik_status naik_h5_field_write(const naik_lattice *lattice, const naik_h5_field *field,
                                const void *data, uint32_t sum[2])
{
    naik_status status = NAIK_OK;
    bool finite = true, done = false;
    char name[256];
    naik_site_sums *sums = NULL;
    name_field(field, name);
    NAIK_TRY(naik_comm_agree(lattice->comm, refuse_not_finite(lattice, field, data, name)));
    NAIK_TRY(naik_site_sums_create(lattice->comm, site_bytes(field), &sums));
    if (field->writers > 0) {
        NAIK_TRY(naik_h5_gather_write(lattice, field, data, sums));
        done = true;
    } else {
        NAIK_TRY(naik_h5_plain_write(lattice, field, data, sums, &done));
    }
    if (!done) { /* data are only read from */
        NAIK_TRY(move_field(lattice, field, true, (void *)data, sums, &finite));
    }
    NAIK_TRY(naik_site_sums_combine(sums, sum));
done:
    naik_site_sums_destroy(&sums);
    return status;
}

naik_status naik_h5_field_read(const naik_lattice *lattice, const naik_h5_field *field, void *data,
                               uint32_t sum[2])
{
    naik_status status = NAIK_OK;
    bool finite = true, done = false;
    naik_site_sums *sums = NULL;
    NAIK_TRY(naik_site_sums_create(lattice->comm, site_bytes(field), &sums));
    NAIK_TRY(naik_h5_plain_read(lattice, field, data, sums, &finite, &done));
    if (!done) {
        NAIK_TRY(move_field(lattice, field, false, data, sums, &finite));
    }
    NAIK_TRY(naik_site_sums_combine(sums, sum));
    double odd = !finite;
    NAIK_TRY(naik_comm_max_f64(lattice->comm, &odd, 1));
    if (odd > 0) {
        char name[256];
        name_field(field, name);
        naik_log_warn(lattice->comm->log, "%s holds NaN or infinity, whatever its checksum says",
                      name);
        sum[0] = ~sum[0];
        sum[1] = ~sum[1];
    }
done:
    naik_site_sums_destroy(&sums);
    return status;
}
