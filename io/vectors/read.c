/* read.c - vectors of other codes, from where their records say that they lie */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/reread.h"
#include "io/site_sums.h"
#include "io/vectors/records.h"

typedef struct reading {
    const naik_vector_file *file;
    const naik_lattice *lattice;
    const naik_vector_record *record; /* [count], of one array */
    int count;
    double *out;          /* [count][sites][spin][3][2] */
    naik_site_sums *sums; /* NULL: the record has none */
    const char *path;
    bool late;   /* of packed sites: those with t >= T/2 */
    int strange; /* numbers that are infinite or none */
} reading;

/* One site's vector out of the bytes of its element. */
static void decode(const naik_vector_record *record, int spins, const unsigned char *bytes,
                   double *out)
{
    const int number = record->bits / 4; /* bytes of a complex one */
    if (record->colour_step == 1 && record->spin_step == 3) {
        naik_reals_decode(bytes + record->first * number, 6 * spins, record->bits,
                          record->big_endian, out);
        return;
    }
    for (int i = 0; i < 3 * spins; i++) {
        const int at = record->first + i / 3 * record->spin_step + i % 3 * record->colour_step;
        naik_reals_decode(bytes + at * number, 2, record->bits, record->big_endian, out + 2 * i);
    }
}

/* The vectors of one element, to local site `site`. */
static void take_site(reading *r, int32_t site, const unsigned char *bytes)
{
    const int64_t reals = 6 * r->file->spin;
    int strange = 0;
    for (int k = 0; k < r->count; k++) {
        double *out = r->out + reals * ((int64_t)k * r->lattice->sites + site);
        decode(&r->record[k], r->file->spin, bytes, out);
        for (int i = 0; i < reals; i++) {
            strange += !isfinite(out[i]);
        }
    }
    if (strange > 0) {
#pragma omp atomic
        r->strange += strange;
    }
}

/* A row of a box of the lattice. */
static void take_row(void *context, const naik_sites_row *row)
{
    reading *r = context;
    int x[NAIK_DIM];
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        x[mu] = r->record->lower[mu] + row->coord[mu] - r->lattice->origin[mu];
    }
    const int32_t site = naik_lattice_site(r->lattice, x);
    for (int i = 0; i < row->count; i++) {
        take_site(r, site + i, row->bytes + (int64_t)i * r->record->element_bytes);
    }
    if (r->sums != NULL) {
        /* Also in a part of the lattice, a site counts by its number in the whole. */
        naik_site_sums_add(r->sums, naik_lattice_global(r->lattice, x), row->count, row->bytes);
    }
}

/* A row of sites of one parity: even ones where the file does not tell. */
static void take_checkered(void *context, const naik_sites_row *row)
{
    reading *r = context;
    const naik_lattice *lat = r->lattice;
    const int odd = r->file->parity == NAIK_ODD;
    const int *c = row->coord;
    int x[NAIK_DIM] = {2 * c[0] - lat->origin[0] + ((c[1] + c[2] + c[3] + odd) & 1),
                       c[1] - lat->origin[1], c[2] - lat->origin[2], c[3] - lat->origin[3]};
    const int32_t site = naik_lattice_site(lat, x);
    for (int i = 0; i < row->count; i++) {
        take_site(r, site + 2 * i, row->bytes + (int64_t)i * r->record->element_bytes);
    }
    if (r->sums != NULL) {
        const int64_t first =
            c[0] + (int64_t)r->record->row *
                       (c[1] + (int64_t)lat->size[1] * (c[2] + (int64_t)lat->size[2] * c[3]));
        naik_site_sums_add(r->sums, first, row->count, row->bytes);
    }
}

/* A row of packed sites: those of its even sites that stay, or of its odd ones that come from T/2 later. */
static void take_packed(void *context, const naik_sites_row *row)
{
    reading *r = context;
    const naik_lattice *lat = r->lattice;
    const int *c = row->coord;
    for (int i = 0; i < row->count; i++) {
        const unsigned char *bytes = row->bytes + (int64_t)i * r->record->element_bytes;
        const int from = c[0] + i, to = r->late ? (from + 1) % lat->size[0] : from;
        const int x[NAIK_DIM] = {to - lat->origin[0], c[1] - lat->origin[1], c[2] - lat->origin[2],
                                 c[3] + (r->late ? lat->size[3] / 2 : 0) - lat->origin[3]};
        if (((from + c[1] + c[2] + c[3]) & 1) == (int)r->late && x[0] >= 0 &&
            x[0] < lat->local[0]) {
            take_site(r, naik_lattice_site(lat, x), bytes);
            if (r->sums != NULL) {
                naik_site_sums_add(r->sums, row->number + i, 1, bytes);
            }
        }
    }
}

static naik_status read_packed(reading *r)
{
    const naik_lattice *lat = r->lattice;
    naik_comm *comm = lat->comm;
    const int half = lat->size[3] / 2, last = lat->size[0] - 1;
    int lower[NAIK_DIM] = {0},
        upper[NAIK_DIM] = {last, lat->size[1] - 1, lat->size[2] - 1, half - 1};
    if (half % 2 != 0) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "'%s' holds packed vectors of a lattice whose extent in t is no multiple "
                         "of 4: even and odd sites are mixed up in them",
                         r->path);
    }
    naik_sites_box box =
        naik_sites_of_part(lat, r->record->offset, r->record->element_bytes, lower, upper);
    NAIK_PASS(naik_sites_read(comm, r->path, &box, take_packed, r));
    lower[3] = half;
    upper[3] = lat->size[3] - 1;
    r->late = true;
    box = naik_sites_of_part(lat, r->record->offset, r->record->element_bytes, lower, upper);
    const bool whole = lat->local[0] == lat->size[0], first = lat->origin[0] == 0;
    naik_sites_box wrapped = box; /* where the row before the first is the last of all */
    if (!whole && box.count[0] > 0) {
        box.start[0] -= !first;
        box.count[0] -= first;
    }
    NAIK_PASS(naik_sites_read(comm, r->path, &box, take_packed, r));
    wrapped.start[0] = last;
    wrapped.count[0] = !whole && first && wrapped.count[0] > 0;
    return naik_sites_read(comm, r->path, &wrapped, take_packed, r);
}

static naik_status read_checkered(reading *r)
{
    naik_lattice half = *r->lattice;
    half.size[0] /= 2;
    half.local[0] /= 2;
    half.origin[0] /= 2;
    const naik_sites_box box =
        naik_sites_of_lattice(&half, r->record->offset, r->record->element_bytes);
    return naik_sites_read(r->lattice->comm, r->path, &box, take_checkered, r);
}

/* Every site of this rank that the array has. */
static naik_status read_sites(reading *r)
{
    const naik_vector_record *record = r->record;
    naik_sites_visit *const visit[] = {[NAIK_VECTOR_BOX] = take_row,
                                       [NAIK_VECTOR_CHECKER] = take_checkered,
                                       [NAIK_VECTOR_PACKED] = take_packed};
    if (r->file->volumes != NULL) {
        naik_lattice half = *r->lattice;
        if (record->sites == NAIK_VECTOR_CHECKER) {
            half.size[0] /= 2;
            half.local[0] /= 2;
            half.origin[0] /= 2;
            half.sites /= 2;
            half.volume /= 2;
        }
        return naik_volumes_read(r->file->volumes, &half, record->offset, record->element_bytes,
                                 visit[record->sites], r);
    }
    if (record->sites == NAIK_VECTOR_PACKED) {
        return read_packed(r);
    }
    if (record->sites == NAIK_VECTOR_CHECKER) {
        return read_checkered(r);
    }
    const naik_sites_box box = naik_sites_of_part(r->lattice, record->offset, record->element_bytes,
                                                  record->lower, record->upper);
    return naik_sites_read(r->lattice->comm, r->path, &box, take_row, r);
}

static naik_status verify(naik_comm *comm, reading *r)
{
    const naik_vector_record *record = r->record;
    naik_status status = NAIK_OK;
    uint32_t sum[2];
    const char *const place = r->file->volumes != NULL ? "number" : "at byte";
    if (r->strange > 0) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT,
                           "'%s' is damaged: the vector %s %lld has numbers that are infinite "
                           "or not numbers",
                           r->path, place, (long long)record->offset);
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    if (!record->has_sum) {
        return status;
    }
    NAIK_PASS(naik_site_sums_combine(r->sums, sum));
    if (sum[0] != record->sum[0] || sum[1] != record->sum[1]) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT,
                           "'%s' is damaged: the vector %s %lld has the checksum %x %x, "
                           "stored is %x %x",
                           r->path, place, (long long)record->offset, sum[0], sum[1],
                           record->sum[0], record->sum[1]);
    }
    return status;
}

static naik_status read_array(reading *r)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = r->lattice->comm;
    const int other = r->record->file;
    r->path = other > 0 ? r->file->others[other - 1] : r->file->path;
    memset(r->out, 0,
           (size_t)r->count * (size_t)r->file->spin * naik_lattice_vector_bytes(r->lattice));
    if (r->record->has_sum) {
        NAIK_TRY(naik_site_sums_create(comm, r->record->element_bytes, &r->sums));
    }
    NAIK_TRY(read_sites(r));
    NAIK_TRY(verify(comm, r));
    if (!r->record->has_sum && r->file->volumes == NULL) {
        NAIK_TRY(naik_file_reread(comm, r->path, 0, -1));
    }
done:
    naik_site_sums_destroy(&r->sums);
    return naik_file_verdict(comm, r->path, status);
}

naik_status naik_vector_file_read(const naik_vector_file *file, const naik_lattice *lattice,
                                  naik_vector_part part, int index, double *out)
{
    naik_comm *comm = lattice->comm;
    const naik_vector_record *records = part == NAIK_VECTOR_SOURCE ? file->source : file->solution;
    NAIK_PASS(naik_lattice_expect(lattice, file->path, file->size));
    if (records == NULL || index < 0 || index >= file->count) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT, "'%s' has no %s number %d: it holds %d %s",
                         file->path, part == NAIK_VECTOR_SOURCE ? "source" : "vector", index,
                         records == NULL ? 0 : file->count,
                         part == NAIK_VECTOR_SOURCE ? "sources" : "vectors");
    }
    if (file->hdf5) {
        return naik_file_verdict(comm, file->path, naik_qdp_column_read(file, lattice, index, out));
    }
    reading r = {
        .file = file, .lattice = lattice, .record = &records[index], .count = 1, .out = out};
    return read_array(&r);
}

int naik_vector_file_beside(const naik_vector_file *file, int index)
{
    int count = 1;
    while (!file->hdf5 && index + count < file->count &&
           file->solution[index + count].offset == file->solution[index].offset &&
           file->solution[index + count].file == file->solution[index].file) {
        count++;
    }
    return count;
}

naik_status naik_vector_file_read_beside(const naik_vector_file *file, const naik_lattice *lattice,
                                         int index, int count, double *out)
{
    if (count <= 1 || file->hdf5) {
        return naik_vector_file_read(file, lattice, NAIK_VECTOR_SOLUTION, index, out);
    }
    NAIK_PASS(naik_lattice_expect(lattice, file->path, file->size));
    reading r = {.file = file,
                 .lattice = lattice,
                 .record = &file->solution[index],
                 .count = count,
                 .out = out};
    return read_array(&r);
}

double naik_vector_file_value(const naik_vector_file *file, int index)
{
    return file->solution != NULL && index >= 0 && index < file->count ? file->solution[index].value
                                                                       : NAN;
}
