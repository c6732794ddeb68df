/* sites.c - boxes of a 4-d array in a file, by collective MPI-IO in bounded pieces
 *
 * A piece is a run of whole slices of the box along direction 3, or of planes along direction 2
 * where one slice is larger than the buffer. Every rank takes part in as many calls as the rank
 * with the most pieces, because the calls are collective. The file view is a subarray, so that the
 * MPI library can merge the rows of many ranks into large requests.
 */
#include "io/sites.h"

#include <string.h>

#include "base/memory.h"
#include "comm/collective.h"
#include "io/hints.h"
#include "io/reread.h"

enum { PIECE_BYTES = 64 << 20, MAX_ELEMENT_BYTES = 1 << 20 };

typedef struct piece {
    int start[NAIK_DIM], count[NAIK_DIM];
    int64_t elements; /* 0: this rank has nothing left, but takes part */
} piece;

typedef struct plan {
    int slices, planes; /* of directions 3 and 2 in one piece */
    int64_t pieces;     /* on this rank */
    int64_t calls;      /* on every rank */
    size_t buffer_bytes;
} plan;

bool naik_sites_possible(const int64_t size[NAIK_DIM])
{
    const int64_t most = 65536, pair = 1 << 24; /* far beyond any lattice */
    bool possible = true;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        possible = possible && size[mu] >= 1 && size[mu] <= most;
    }
    return possible && size[0] * size[1] < pair && size[2] * size[3] < pair;
}

naik_sites_box naik_sites_of_lattice(const naik_lattice *lattice, int64_t offset,
                                     int64_t element_bytes)
{
    naik_sites_box box = {.offset = offset, .element_bytes = element_bytes};
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        box.extent[mu] = lattice->size[mu];
        box.start[mu] = lattice->origin[mu];
        box.count[mu] = lattice->local[mu];
    }
    return box;
}

naik_sites_box naik_sites_of_part(const naik_lattice *lattice, int64_t offset,
                                  int64_t element_bytes, const int lower[NAIK_DIM],
                                  const int upper[NAIK_DIM])
{
    naik_sites_box box = {.offset = offset, .element_bytes = element_bytes};
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        int begin = lattice->origin[mu], end = begin + lattice->local[mu];
        begin = begin < lower[mu] ? lower[mu] : begin;
        end = end > upper[mu] + 1 ? upper[mu] + 1 : end;
        box.extent[mu] = upper[mu] - lower[mu] + 1;
        box.count[mu] = end > begin ? end - begin : 0;
        box.start[mu] = box.count[mu] > 0 ? begin - lower[mu] : 0;
    }
    return box;
}

int32_t naik_sites_local(const naik_lattice *lattice, const naik_sites_row *row)
{
    int x[NAIK_DIM];
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        x[mu] = row->coord[mu] - lattice->origin[mu];
    }
    return naik_lattice_site(lattice, x);
}

static naik_status check_box(naik_comm *comm, const naik_sites_box *box)
{
    bool ok = box->offset >= 0 && box->element_bytes > 0 && box->element_bytes <= MAX_ELEMENT_BYTES;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        ok = ok && box->extent[mu] > 0 && box->start[mu] >= 0 && box->count[mu] >= 0 &&
             box->start[mu] + box->count[mu] <= box->extent[mu];
    }
    return ok ? NAIK_OK : NAIK_FAIL(comm->log, NAIK_ERR_ARG, "a box outside its array of sites");
}

static plan plan_pieces(const naik_sites_box *box)
{
    plan p = {0};
    if (box->count[0] == 0 || box->count[1] == 0 || box->count[2] == 0 || box->count[3] == 0) {
        return p;
    }
    int64_t plane = box->element_bytes * box->count[0] * box->count[1];
    int64_t slice = plane * box->count[2];
    if (slice <= PIECE_BYTES) {
        int64_t slices = PIECE_BYTES / slice;
        p.planes = box->count[2];
        p.slices = (int)(slices < box->count[3] ? slices : box->count[3]);
    } else {
        int64_t planes = PIECE_BYTES / plane;
        p.planes = (int)(planes > 1 ? planes : 1);
        p.slices = 1;
    }
    int64_t along2 = (box->count[2] + p.planes - 1) / p.planes;
    int64_t along3 = (box->count[3] + p.slices - 1) / p.slices;
    p.pieces = along2 * along3;
    p.buffer_bytes = (size_t)(plane * p.planes * p.slices);
    return p;
}

static piece piece_at(const naik_sites_box *box, const plan *p, int64_t index)
{
    piece c = {.elements = 0, .count = {1, 1, 1, 1}};
    if (index >= p->pieces) {
        return c;
    }
    int along2 = (box->count[2] + p->planes - 1) / p->planes;
    int first2 = (int)(index % along2) * p->planes;
    int first3 = (int)(index / along2) * p->slices;
    int left2 = box->count[2] - first2, left3 = box->count[3] - first3;
    memcpy(c.start, box->start, sizeof c.start);
    memcpy(c.count, box->count, sizeof c.count);
    c.start[2] += first2;
    c.start[3] += first3;
    c.count[2] = left2 < p->planes ? left2 : p->planes;
    c.count[3] = left3 < p->slices ? left3 : p->slices;
    c.elements = (int64_t)c.count[0] * c.count[1] * c.count[2] * c.count[3];
    return c;
}

static void visit_piece(const naik_sites_box *box, const piece *c, unsigned char *buffer,
                        naik_sites_visit *visit, void *context)
{
    if (c->elements == 0) {
        return;
    }
    int64_t rows = c->elements / c->count[0];
#pragma omp parallel for schedule(static)
    for (int64_t r = 0; r < rows; r++) {
        naik_sites_row row = {.count = c->count[0]};
        row.coord[0] = c->start[0];
        row.coord[1] = c->start[1] + (int)(r % c->count[1]);
        row.coord[2] = c->start[2] + (int)(r / c->count[1] % c->count[2]);
        row.coord[3] = c->start[3] + (int)(r / c->count[1] / c->count[2]);
        for (int mu = NAIK_DIM - 1; mu >= 0; mu--) {
            row.number = row.number * box->extent[mu] + row.coord[mu];
        }
        row.bytes = buffer + r * c->count[0] * box->element_bytes;
        visit(context, &row);
    }
}

static naik_status io_failure(naik_comm *comm, int error, const char *verb, const char *path)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(error, text, &length);
    return NAIK_FAIL(comm->log, NAIK_ERR_IO, "cannot %s '%s': %s", verb, path, text);
}

/* One collective read or write of one piece. MPI counts elements, not bytes, against overflow. */
static naik_status transfer(naik_comm *comm, MPI_File file, const char *path,
                            const naik_sites_box *box, const piece *c, bool writing,
                            unsigned char *buffer)
{
    MPI_Datatype element = MPI_DATATYPE_NULL, view = MPI_DATATYPE_NULL;
    MPI_Type_contiguous((int)box->element_bytes, MPI_BYTE, &element);
    MPI_Type_commit(&element);
    MPI_Type_create_subarray(NAIK_DIM, box->extent, c->count, c->start, MPI_ORDER_FORTRAN, element,
                             &view);
    MPI_Type_commit(&view);
    const char *verb = writing ? "write" : "read";
    MPI_Status result;
    int moved = 0;
    naik_status status = NAIK_OK;
    int error = MPI_File_set_view(file, box->offset, element, view, "native", MPI_INFO_NULL);
    status = error == MPI_SUCCESS ? NAIK_OK : io_failure(comm, error, verb, path);
    NAIK_TRY(naik_comm_agree(comm, status));
    if (!writing) {
        naik_mark_unread(buffer, (size_t)(c->elements * box->element_bytes));
    }
    error = writing ? MPI_File_write_all(file, buffer, (int)c->elements, element, &result)
                    : MPI_File_read_all(file, buffer, (int)c->elements, element, &result);
    if (error != MPI_SUCCESS) {
        status = io_failure(comm, error, verb, path);
    } else if (c->elements > 0) {
        MPI_Get_count(&result, element, &moved);
        if (moved != (int)c->elements) {
            status = NAIK_FAIL(comm->log, writing ? NAIK_ERR_IO : NAIK_ERR_CORRUPT,
                               writing ? "cannot write '%s': the file system took only a part"
                                       : "'%s' ends before its data do",
                               path);
        }
    }
    NAIK_TRY(naik_comm_agree(comm, status));
done:
    MPI_Type_free(&view);
    MPI_Type_free(&element);
    return status;
}

static naik_status run(naik_comm *comm, const char *path, const naik_sites_box *box, bool writing,
                       naik_sites_visit *visit, void *context)
{
    naik_status status = NAIK_OK;
    MPI_File file = MPI_FILE_NULL;
    MPI_Info hints = MPI_INFO_NULL;
    void *buffer = NULL;
    char name[NAIK_MPI_NAME];
    NAIK_TRY(naik_comm_agree(comm, check_box(comm, box)));
    plan p = plan_pieces(box);
    double calls = (double)p.pieces;
    NAIK_TRY(naik_comm_max_f64(comm, &calls, 1));
    p.calls = (int64_t)calls;
    NAIK_TRY(naik_comm_agree(comm, naik_hints_create(comm, path, comm->io.hints, &hints)));
    int error = MPI_File_open(comm->mpi->world, naik_mpi_name(path, name),
                              writing ? MPI_MODE_WRONLY : MPI_MODE_RDONLY, hints, &file);
    if (error != MPI_SUCCESS) {
        file = MPI_FILE_NULL;
        status = io_failure(comm, error, "open", path);
    } else {
        status = naik_alloc(comm->log, p.buffer_bytes, "the buffer of a file", &buffer);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    for (int64_t i = 0; i < p.calls; i++) {
        piece c = piece_at(box, &p, i);
        if (writing) {
            visit_piece(box, &c, buffer, visit, context);
        }
        NAIK_TRY(transfer(comm, file, path, box, &c, writing, buffer));
        if (!writing) {
            visit_piece(box, &c, buffer, visit, context);
        }
    }
    if (writing) { /* each node has written: rank 0 cannot force that to disk for the others */
        error = MPI_File_sync(file);
        status = error == MPI_SUCCESS ? NAIK_OK : io_failure(comm, error, "force to disk", path);
    }
done:
    if (file != MPI_FILE_NULL) {
        error = MPI_File_close(&file);
        if (status == NAIK_OK && error != MPI_SUCCESS) {
            status = io_failure(comm, error, "close", path);
        }
    }
    if (hints != MPI_INFO_NULL) {
        MPI_Info_free(&hints);
    }
    naik_free(buffer);
    return status;
}

naik_status naik_sites_read(naik_comm *comm, const char *path, const naik_sites_box *box,
                            naik_sites_visit *visit, void *context)
{
    return run(comm, path, box, false, visit, context);
}

naik_status naik_sites_write(naik_comm *comm, const char *path, const naik_sites_box *box,
                             naik_sites_visit *visit, void *context)
{
    return naik_comm_agree(comm, run(comm, path, box, true, visit, context));
}
