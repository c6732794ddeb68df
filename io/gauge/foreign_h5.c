/* foreign_h5.c - configurations in the HDF5 files of QDP++ (Chroma) and PyQUDA
 *
 * QDP++ stores one dataset with four matrices a site under a name of the user's choice, so the one of
 * that shape is taken, and a file with several is refused. PyQUDA stores one dataset a direction, each with the checksum
 * of its own words.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/checksum.h"
#include "io/gauge/format.h"
#include "io/h5/array.h"

enum { LINK_REALS = 18, SITE_REALS = 72 };

static const char pyquda_group[] = "LatticeColorMatrix";
static const char *const pyquda_name[NAIK_DIM] = {"LatticeColorMatrix/X", "LatticeColorMatrix/Y",
                                                  "LatticeColorMatrix/Z", "LatticeColorMatrix/T"};

static hid_t open_quietly(const naik_file_head *head)
{
    hid_t file = -1;
    if (naik_h5_begins(head->bytes, (size_t)head->length)) {
        hid_t access = naik_h5_access_alone();
        file = H5Fopen(head->path, H5F_ACC_RDONLY, access);
        naik_h5_release(access);
    }
    return file;
}

static bool take_array(const naik_h5_array *array, naik_gauge_file *file)
{
    strcpy(file->byte_order, array->big_endian ? "big" : "little");
    file->precision = array->bits;
    return naik_gauge_set_extents(file, array->dim);
}

/* A checksum attribute: hexadecimal text, of fixed or variable length. */
static bool get_hex(hid_t object, const char *name, uint32_t *out)
{
    char text[32] = "", *end, *variable = NULL;
    if (H5Aexists(object, name) <= 0) {
        return false;
    }
    if (!naik_h5_get_text(object, name, text, sizeof text)) {
        hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(attribute);
        hid_t space = H5Aget_space(attribute);
        if (H5Tis_variable_str(type) > 0 && H5Sget_simple_extent_npoints(space) == 1 &&
            H5Aread(attribute, type, &variable) >= 0 && variable != NULL) {
            snprintf(text, sizeof text, "%s", variable);
            H5free_memory(variable);
        }
        naik_h5_release(space);
        naik_h5_release(type);
        naik_h5_release(attribute);
    }
    unsigned long value = strtoul(text, &end, 16);
    *out = (uint32_t)value;
    return text[0] != '\0' && *end == '\0' && value <= UINT32_MAX;
}

/* Whether a dataset has a checksum that is none: of another type, or no hexadecimal number. */
static bool has_odd_sum(hid_t dataset)
{
    uint32_t sum;
    return (H5Aexists(dataset, "sum29") > 0 && !get_hex(dataset, "sum29", &sum)) ||
           (H5Aexists(dataset, "sum31") > 0 && !get_hex(dataset, "sum31", &sum));
}

/* QDP++ */

/* [..][4][3][3] in any nesting; a [3][T][Z][Y] of vectors must not pass for it. */
static bool has_directions(const naik_h5_array *a)
{
    return a->rank == NAIK_DIM || a->dims[NAIK_DIM] == 4 || a->dims[NAIK_DIM] == SITE_REALS;
}

static bool is_links(const naik_h5_array *array, const char *name)
{
    return strlen(name) < NAIK_H5_NAME_BYTES && has_directions(array) &&
           H5Aexists(array->dataset, "suma") <= 0;
}

/* naik's own files say what they are, and are read with their checksums or not at all. */
static naik_h5_found find_links(hid_t file)
{
    return H5Aexists(file, "format") <= 0 ? naik_h5_arrays_find(file, SITE_REALS, is_links)
                                          : (naik_h5_found){.first = {.dataset = -1, .memory = -1}};
}

static bool qdp_recognise(const naik_file_head *head)
{
    hid_t file = open_quietly(head);
    if (file < 0) {
        return false;
    }
    naik_h5_found s = find_links(file);
    bool found = s.first.dataset >= 0;
    naik_h5_array_close(&s.first);
    H5Fclose(file);
    return found;
}

static naik_status qdp_probe(naik_log *log, const naik_file_head *head, naik_gauge_file *out)
{
    hid_t file = -1;
    NAIK_PASS(naik_h5_open_alone(log, head->path, &file));
    naik_h5_found s = find_links(file);
    bool ok = s.first.dataset >= 0 && take_array(&s.first, out);
    strcpy(out->format, "qdp++-hdf5");
    strcpy(out->dataset, s.name[0]);
    snprintf(out->note, sizeof out->note, "dataset /%.100s; no checksum in the file", s.name[0]);
    naik_h5_array_close(&s.first);
    H5Fclose(file);
    if (s.count > 1) {
        return NAIK_FAIL(
            log, NAIK_ERR_INPUT,
            "'%s' holds %d configurations, /%s and /%s among them: naik reads files with "
            "one configuration, so give each of them a file of its own",
            head->path, s.count, s.name[0], s.name[1]);
    }
    return ok ? NAIK_OK
              : NAIK_FAIL(log, NAIK_ERR_CORRUPT, "'%s' has links of impossible extents",
                          head->path);
}

/* Both formats: rows of sites into the links, of all directions or of one. */

typedef struct passage {
    const naik_gauge *gauge;
    int bits, direction; /* -1: all four */
    uint32_t sum[2];     /* PyQUDA's; shared by the threads */
} passage;

static void take_row(void *context, int32_t site, int64_t number, int count, void *bytes)
{
    passage *p = context;
    int reals = p->direction < 0 ? SITE_REALS : LINK_REALS;
    int64_t each = (int64_t)reals * p->bits / 8;
    uint32_t sum[2] = {0, 0};
    for (int i = 0; i < count; i++) {
        double value[SITE_REALS];
        const char *at = (const char *)bytes + i * each;
        for (int k = 0; k < reals; k++) {
            float single;
            if (p->bits == 32) {
                memcpy(&single, at + 4 * k, 4);
                value[k] = single;
            } else {
                memcpy(&value[k], at + 8 * k, 8);
            }
        }
        naik_matrix *link = p->gauge->link + 4 * ((int64_t)site + i);
        memcpy(p->direction < 0 ? link : link + p->direction, value, (size_t)reals * 8);
    }
    if (p->direction >= 0) {
        naik_checksum_pyquda(sum, number, count, bytes, each);
    }
    naik_checksum_share(p->sum, sum);
}

static void give_row(void *context, int32_t site, int64_t number, int count, void *bytes)
{
    passage *p = context;
    int64_t each = (int64_t)LINK_REALS * p->bits / 8;
    uint32_t sum[2] = {0, 0};
    for (int i = 0; i < count; i++) {
        double value[LINK_REALS];
        char *at = (char *)bytes + i * each;
        memcpy(value, &p->gauge->link[4 * ((int64_t)site + i) + p->direction], sizeof value);
        for (int k = 0; k < LINK_REALS; k++) {
            float single = (float)value[k];
            if (p->bits == 32) {
                memcpy(at + 4 * k, &single, 4);
            } else {
                memcpy(at + 8 * k, &value[k], 8);
            }
        }
    }
    naik_checksum_pyquda(sum, number, count, bytes, each);
    naik_checksum_share(p->sum, sum);
}

/* Reads one dataset of `reals` a site; every rank opens it. */
static naik_status read_array(const naik_lattice *lat, hid_t file, const char *name, int reals,
                              const char *path, passage *p)
{
    naik_comm *comm = lat->comm;
    naik_status status = NAIK_OK;
    naik_h5_array array;
    bool ok = naik_h5_array_open(file, name, reals, &array) && array.bits == p->bits;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        ok = ok && array.dim[mu] == lat->size[mu];
    }
    if (!ok) {
        status =
            NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT, "'%s' has an unusable dataset /%s", path, name);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_h5_array_read(lat, &array, take_row, p));
    NAIK_TRY(naik_checksum_combine(comm, p->sum));
done:
    naik_h5_array_close(&array);
    return status;
}

static naik_status qdp_read(const char *path, naik_gauge *gauge, naik_gauge_file *out)
{
    naik_comm *comm = gauge->lattice->comm;
    naik_status status = NAIK_OK;
    passage p = {.gauge = gauge, .bits = out->precision, .direction = -1};
    hid_t file = -1;
    NAIK_TRY(naik_h5_open(comm, path, false, &file));
    NAIK_TRY(read_array(gauge->lattice, file, out->dataset, SITE_REALS, path, &p));
done:
    naik_h5_close(comm, &file);
    return status;
}

/* PyQUDA */

static bool pyquda_recognise(const naik_file_head *head)
{
    hid_t file = open_quietly(head);
    bool found = false;
    if (file >= 0) {
        found = H5Lexists(file, pyquda_group, H5P_DEFAULT) > 0 &&
                H5Lexists(file, pyquda_name[0], H5P_DEFAULT) > 0;
        H5Fclose(file);
    }
    return found;
}

static naik_status pyquda_probe(naik_log *log, const naik_file_head *head, naik_gauge_file *out)
{
    hid_t file = -1;
    naik_status status = NAIK_OK;
    naik_h5_array array = {.dataset = -1, .memory = -1};
    NAIK_PASS(naik_h5_open_alone(log, head->path, &file));
    for (int mu = 0; mu < NAIK_DIM && status == NAIK_OK; mu++) {
        if (!naik_h5_array_open(file, pyquda_name[mu], LINK_REALS, &array) ||
            !take_array(&array, out)) {
            status =
                NAIK_FAIL(log, NAIK_ERR_INPUT,
                          "'%s' is a PyQUDA file, but /%s is not [T][Z][Y][X][3][3] of complex "
                          "numbers",
                          head->path, pyquda_name[mu]);
        } else if (has_odd_sum(array.dataset)) {
            status = NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                               "'%s': a checksum (sum29, sum31) of /%s is not text of a "
                               "hexadecimal number, as PyQUDA writes it",
                               head->path, pyquda_name[mu]);
        } else if (mu == 0) {
            /* One pair of words can be shown: X's, and read_links turns to whichever disagrees. */
            out->checksum_known = get_hex(array.dataset, "sum29", &out->checksum_stored[0]) &&
                                  get_hex(array.dataset, "sum31", &out->checksum_stored[1]);
        }
        naik_h5_array_close(&array);
    }
    strcpy(out->format, "pyquda-hdf5");
    strcpy(out->checksum_kind, out->checksum_known ? "sum29/sum31" : "none");
    strcpy(out->note, out->checksum_known ? "the checksums shown are of the dataset X"
                                          : "the file carries no checksum");
    H5Fclose(file);
    return status;
}

/* Compares one direction's sums; shows the first that disagrees. */
static naik_status compare_sums(naik_comm *comm, hid_t file, const char *path, int mu,
                                const passage *p, naik_gauge_file *out)
{
    uint32_t stored[2] = {0, 0};
    bool known = false;
    hid_t dataset = H5Dopen2(file, pyquda_name[mu], H5P_DEFAULT);
    known = get_hex(dataset, "sum29", &stored[0]) && get_hex(dataset, "sum31", &stored[1]);
    naik_h5_release(dataset);
    naik_status status = NAIK_OK;
    if (known != out->checksum_known) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT,
                           "'%s' has checksums on some of its directions only", path);
    }
    bool same = stored[0] == p->sum[0] && stored[1] == p->sum[1];
    if (mu == 0 || (known && !same && out->checksum_ok)) {
        memcpy(out->checksum_stored, stored, sizeof stored);
        memcpy(out->checksum_computed, p->sum, sizeof p->sum);
        if (known) {
            snprintf(out->note, sizeof out->note, "the checksums shown are of the dataset %s",
                     strchr(pyquda_name[mu], '/') + 1);
        }
    }
    out->checksum_ok = known && same && (mu == 0 || out->checksum_ok);
    return naik_comm_agree(comm, status);
}

static naik_status pyquda_read(const char *path, naik_gauge *gauge, naik_gauge_file *out)
{
    naik_comm *comm = gauge->lattice->comm;
    naik_status status = NAIK_OK;
    hid_t file = -1;
    NAIK_TRY(naik_h5_open(comm, path, false, &file));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        passage p = {.gauge = gauge, .bits = out->precision, .direction = mu};
        NAIK_TRY(read_array(gauge->lattice, file, pyquda_name[mu], LINK_REALS, path, &p));
        NAIK_TRY(compare_sums(comm, file, path, mu, &p, out));
    }
done:
    naik_h5_close(comm, &file);
    return status;
}

static naik_status put_sum(naik_log *log, hid_t dataset, const char *name, uint32_t sum)
{
    char text[16];
    snprintf(text, sizeof text, "%08x", sum);
    return naik_h5_put_text(log, dataset, name, text);
}

/* PyQUDA takes the extents from these, and the colours where a group has them in its name. */
static naik_status put_group(naik_log *log, hid_t file, const int size[NAIK_DIM])
{
    naik_status status = NAIK_OK;
    char extents[64];
    hid_t group = H5Gopen2(file, pyquda_group, H5P_DEFAULT);
    snprintf(extents, sizeof extents, "%d %d %d %d", size[0], size[1], size[2], size[3]);
    NAIK_H5_TRY(log, group, "opening a group");
    NAIK_TRY(naik_h5_put_text(log, group, "Annotation", "written by naik"));
    NAIK_TRY(naik_h5_put_text(log, group, "Lattice", extents));
    NAIK_TRY(naik_h5_put_text(log, group, "Color", "3"));
done:
    naik_h5_release(group);
    return status;
}

typedef struct pyquda_file {
    const char *path;
    const naik_gauge *gauge;
    int bits;
    uint32_t sum[NAIK_DIM][2];
} pyquda_file;

static naik_status make_pyquda(naik_comm *alone, void *data)
{
    const pyquda_file *f = data;
    const int *size = f->gauge->lattice->size;
    const hsize_t dims[6] = {
        (hsize_t)size[3], (hsize_t)size[2], (hsize_t)size[1], (hsize_t)size[0], 3, 3};
    naik_status status = NAIK_OK;
    hid_t file = -1, type = -1;
    NAIK_TRY(naik_h5_create(alone, f->path, &file));
    type = naik_h5_complex(f->bits);
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        hid_t dataset = -1;
        NAIK_TRY(naik_h5_dataset(alone->log, file, pyquda_name[mu], type, 6, dims, NULL, &dataset));
        naik_h5_release(dataset);
    }
    NAIK_TRY(put_group(alone->log, file, size));
done:
    naik_h5_release(type);
    return naik_h5_close_after(alone, status, &file);
}

static naik_status write_direction(hid_t file, int mu, pyquda_file *f)
{
    naik_comm *comm = f->gauge->lattice->comm;
    naik_status status = NAIK_OK;
    passage p = {.gauge = f->gauge, .bits = f->bits, .direction = mu};
    naik_h5_array array = {.dataset = -1, .memory = -1};
    if (!naik_h5_array_open(file, pyquda_name[mu], LINK_REALS, &array)) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_IO, "/%s cannot be opened again", pyquda_name[mu]);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_h5_array_write(f->gauge->lattice, &array, give_row, &p));
    NAIK_TRY(naik_checksum_combine(comm, p.sum));
    memcpy(f->sum[mu], p.sum, sizeof p.sum);
done:
    naik_h5_array_close(&array);
    return status;
}

static naik_status fill_pyquda(naik_comm *comm, pyquda_file *f)
{
    naik_status status = NAIK_OK;
    hid_t file = -1;
    NAIK_TRY(naik_h5_open(comm, f->path, true, &file));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        NAIK_TRY(write_direction(file, mu, f));
    }
    NAIK_TRY(naik_h5_flush(comm, file)); /* each node forces to disk what it wrote */
done:
    return naik_h5_close_after(comm, status, &file);
}

static naik_status describe_pyquda(naik_comm *alone, void *data)
{
    const pyquda_file *f = data;
    naik_status status = NAIK_OK;
    hid_t file = -1, dataset = -1;
    NAIK_TRY(naik_h5_open(alone, f->path, true, &file));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        dataset = H5Dopen2(file, pyquda_name[mu], H5P_DEFAULT);
        NAIK_TRY(put_sum(alone->log, dataset, "sum29", f->sum[mu][0]));
        NAIK_TRY(put_sum(alone->log, dataset, "sum31", f->sum[mu][1]));
        naik_h5_release(dataset);
        dataset = -1;
    }
    NAIK_TRY(naik_h5_flush(alone, file));
done:
    naik_h5_release(dataset);
    return naik_h5_close_after(alone, status, &file);
}

naik_status naik_pyquda_write(const char *path, const naik_gauge *gauge,
                              const naik_gauge_checks *checks, naik_gauge_file *out)
{
    (void)checks; /* the format has no place for them */
    naik_comm *comm = gauge->lattice->comm;
    pyquda_file file = {.path = path, .gauge = gauge, .bits = out->precision};
    NAIK_PASS(naik_h5_by_rank_0(comm, make_pyquda, &file));
    NAIK_PASS(fill_pyquda(comm, &file));
    return naik_h5_by_rank_0(comm, describe_pyquda, &file);
}

const naik_gauge_format naik_gauge_format_qdp = {
    .name = "QDP++ HDF5", .recognise = qdp_recognise, .probe = qdp_probe, .read = qdp_read};
const naik_gauge_format naik_gauge_format_pyquda = {.name = "PyQUDA HDF5",
                                                    .recognise = pyquda_recognise,
                                                    .probe = pyquda_probe,
                                                    .read = pyquda_read};
