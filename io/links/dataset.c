/* dataset.c - links of one kind as one dataset
 *
 * ARRAY-of-compound over a space of five dimensions is what QDP++ reads without a converter and
 * what h5py shows as complex128 directly.
 */
#include "io/links/dataset.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/gauge/format.h"
#include "io/h5/box.h"

enum { REALS_PER_SITE = 4 * 18 };

/* Plaquettes normalised to 1 for unit links, as files of this field are. */
static naik_status put_measures(naik_log *log, hid_t dataset, const naik_gauge_checks *checks)
{
    const struct {
        const char *name;
        double value;
    } measures[] = {{"plaquette", checks->plaquette / 3},
                    {"plaquette_s", checks->plaquette_s / 3},
                    {"plaquette_t", checks->plaquette_t / 3},
                    {"link_trace", checks->link_trace},
                    {"max_unitarity_dev", checks->max_unitarity_dev}};
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
        NAIK_PASS(naik_h5_put_f64(log, dataset, measures[i].name, &measures[i].value, 0));
    }
    return NAIK_OK;
}

/* The kind of links of a dataset of naik's: "gauge" has thin ones, "set0001/fat" fat ones. */
static const char *kind_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    name = slash != NULL ? slash + 1 : name;
    return strcmp(name, "gauge") == 0 ? "thin" : name;
}

static const char *phases_of(const char *kind)
{
    return strcmp(kind, "thin") == 0 ? "none" : "staggered phases, boundary sign, coefficients";
}

/* The attribute that says another thing than name and shape of the dataset do; NULL: none. One that is not
 * there says nothing. */
static const char *contradiction(hid_t dataset, const char *name, const naik_gauge_file *file)
{
    const char *kind = kind_of(name);
    const struct {
        const char *name, *text;
    } texts[] = {{"byte_order", "little"}, {"link_kind", kind}, {"phases_in", phases_of(kind)}};
    int64_t dims[NAIK_DIM] = {0}, precision = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[64] = "";
        if (H5Aexists(dataset, texts[i].name) > 0 &&
            (!naik_h5_get_text(dataset, texts[i].name, text, sizeof text) ||
             strcmp(text, texts[i].text) != 0)) {
            return texts[i].name;
        }
    }
    if (H5Aexists(dataset, "precision") > 0 &&
        (!naik_h5_get_i64(dataset, "precision", &precision, 0) || precision != file->precision)) {
        return "precision";
    }
    bool same = H5Aexists(dataset, "dims") <= 0 || naik_h5_get_i64(dataset, "dims", dims, NAIK_DIM);
    for (int mu = 0; mu < NAIK_DIM && H5Aexists(dataset, "dims") > 0; mu++) {
        same = same && dims[mu] == file->size[mu];
    }
    return same ? NULL : "dims";
}

naik_status naik_h5_links_put_description(naik_log *log, hid_t file, const naik_h5_links *links,
                                          int precision)
{
    naik_status status = NAIK_OK;
    char text[2][16];
    hid_t dataset = H5Dopen2(file, links->name, H5P_DEFAULT);
    snprintf(text[0], sizeof text[0], "%x", links->sum[0]);
    snprintf(text[1], sizeof text[1], "%x", links->sum[1]);
    NAIK_H5_TRY(log, dataset, "opening the links");
    NAIK_TRY(naik_h5_put_ints(log, dataset, "dims", links->gauge->lattice->size, NAIK_DIM));
    NAIK_TRY(naik_h5_put_ints(log, dataset, "precision", &precision, 0));
    NAIK_TRY(naik_h5_put_text(log, dataset, "byte_order", "little"));
    NAIK_TRY(naik_h5_put_text(log, dataset, "link_kind", links->kind));
    NAIK_TRY(naik_h5_put_text(log, dataset, "phases_in", phases_of(links->kind)));
    NAIK_TRY(naik_h5_put_text(log, dataset, "suma", text[0]));
    NAIK_TRY(naik_h5_put_text(log, dataset, "sumb", text[1]));
    if (strcmp(links->kind, "thin") == 0) {
        NAIK_TRY(put_measures(log, dataset, &links->checks));
    }
done:
    naik_h5_release(dataset);
    return status;
}

naik_status naik_h5_links_create(hid_t file, const char *name, const naik_lattice *lattice,
                                 int precision)
{
    const int *size = lattice->size;
    const hsize_t dims[5] = {(hsize_t)size[3], (hsize_t)size[2], (hsize_t)size[1], (hsize_t)size[0],
                             4};
    hid_t type = naik_h5_tensor(precision, 2), dataset = -1;
    const naik_status status =
        naik_h5_dataset(lattice->comm->log, file, name, type, 5, dims, NULL, &dataset);
    naik_h5_release(dataset);
    naik_h5_release(type);
    return status;
}

/* `dataset` is closed with it. */
static naik_h5_field field_of(hid_t dataset, int precision)
{
    return (naik_h5_field){.dataset = dataset,
                           .type = naik_h5_tensor(precision, 2),
                           .bits = precision,
                           .reals = REALS_PER_SITE,
                           .lead = -1,
                           .trail = 4};
}

naik_status naik_h5_links_fill(hid_t file, const char *name, const naik_gauge *gauge, int precision,
                               uint32_t sum[2])
{
    naik_comm *comm = gauge->lattice->comm;
    naik_h5_field field = field_of(H5Dopen2(file, name, H5P_DEFAULT), precision);
    naik_status status =
        naik_h5_check(comm->log, field.dataset, "opening the links", __FILE__, __LINE__);
    NAIK_TRY(naik_comm_agree(comm, status)); /* the others would wait in the transfer */
    field.writers = comm->io.writers;
    NAIK_TRY(naik_h5_field_write(gauge->lattice, &field, &gauge->link[0].e[0][0].re, sum));
done:
    naik_h5_release(field.dataset);
    naik_h5_release(field.type);
    return status;
}

/* Bits of the reals of an ARRAY[3][3] of a compound of two equal floats, 0 if it is anything else.
 */
static int matrix_bits(hid_t type)
{
    int bits = 0;
    hid_t element = -1, real = -1;
    hsize_t dims[2] = {0, 0};
    if (H5Tget_class(type) != H5T_ARRAY || H5Tget_array_ndims(type) != 2 ||
        H5Tget_array_dims2(type, dims) != 2 || dims[0] != 3 || dims[1] != 3) {
        return 0;
    }
    element = H5Tget_super(type);
    if (H5Tget_class(element) == H5T_COMPOUND && H5Tget_nmembers(element) == 2) {
        real = H5Tget_member_type(element, 0);
        if (H5Tget_class(real) == H5T_FLOAT && 2 * H5Tget_size(real) == H5Tget_size(element)) {
            bits = (int)(8 * H5Tget_size(real));
        }
    }
    naik_h5_release(real);
    naik_h5_release(element);
    return bits == 32 || bits == 64 ? bits : 0;
}

static bool get_sum(hid_t dataset, const char *name, uint32_t *sum)
{
    char text[32], *end;
    if (!naik_h5_get_text(dataset, name, text, sizeof text) || text[0] == '\0') {
        return false;
    }
    unsigned long value = strtoul(text, &end, 16);
    *sum = (uint32_t)value;
    return *end == '\0' && value <= UINT32_MAX;
}

static naik_status describe(naik_log *log, hid_t dataset, const char *name, const char *path,
                            naik_gauge_file *out)
{
    naik_status status = NAIK_OK;
    hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    hsize_t dims[5] = {0};
    if (H5Sget_simple_extent_ndims(space) != 5 ||
        H5Sget_simple_extent_dims(space, dims, NULL) != 5 || dims[4] != 4 ||
        (out->precision = matrix_bits(type)) == 0) {
        status =
            NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                      "/%s of '%s' is not [T][Z][Y][X][4] of ARRAY[3][3] of {r,i}", name, path);
        goto done;
    }
    int64_t extents[NAIK_DIM];
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        extents[mu] = dims[3 - mu] < INT32_MAX ? (int64_t)dims[3 - mu] : 0;
    }
    if (!naik_gauge_set_extents(out, extents)) {
        status =
            NAIK_FAIL(log, NAIK_ERR_CORRUPT, "/%s of '%s' has an impossible extent", name, path);
        goto done;
    }
    int64_t bytes = naik_gauge_file_volume(out) * REALS_PER_SITE * out->precision / 8;
    if (!naik_h5_layout_holds(dataset, bytes)) {
        status = NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                           "/%s of '%s' is not stored in the %lld bytes that its shape needs", name,
                           path, (long long)bytes);
        goto done;
    }
    out->rows = 3;
    snprintf(out->format, sizeof out->format, "naik-hdf5");
    snprintf(out->byte_order, sizeof out->byte_order, "little");
    snprintf(out->checksum_kind, sizeof out->checksum_kind, "suma/sumb");
    out->checksum_known = get_sum(dataset, "suma", &out->checksum_stored[0]) &&
                          get_sum(dataset, "sumb", &out->checksum_stored[1]);
    if (!out->checksum_known) {
        status =
            NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                      "/%s of '%s' has lost its checksum attributes suma and sumb", name, path);
        goto done;
    }
    const char *other = contradiction(dataset, name, out);
    if (other != NULL) {
        status =
            NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                      "/%s of '%s' contradicts its own attribute %s: the file is damaged or was "
                      "edited",
                      name, path, other);
        goto done;
    }
    double value;
    out->plaquette_stored = naik_h5_get_f64(dataset, "plaquette", &value, 0) ? 3 * value : NAN;
    out->link_trace_stored = naik_h5_get_f64(dataset, "link_trace", &value, 0) ? value : NAN;
done:
    naik_h5_release(space);
    naik_h5_release(type);
    return status;
}

naik_status naik_h5_links_describe(naik_log *log, hid_t file, const char *name, const char *path,
                                   naik_gauge_file *description)
{
    if (H5Lexists(file, name, H5P_DEFAULT) <= 0) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s' holds no /%s", path, name);
    }
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (dataset < 0) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT, "/%s of '%s' is not a dataset", name, path);
    }
    naik_status status = describe(log, dataset, name, path, description);
    naik_h5_release(dataset);
    return status;
}

naik_status naik_h5_links_read(hid_t file, const char *name, const naik_lattice *lat,
                               naik_gauge *gauge, naik_gauge_file *description)
{
    naik_status status = NAIK_OK;
    char path[512] = "";
    naik_h5_field field = {.dataset = -1, .type = -1};
    H5Fget_name(file, path, sizeof path);
    status = naik_h5_links_describe(lat->comm->log, file, name, path, description);
    NAIK_TRY(naik_comm_agree(lat->comm, status));
    NAIK_TRY(naik_lattice_expect(lat, path, description->size));
    field = field_of(H5Dopen2(file, name, H5P_DEFAULT), description->precision);
    status = naik_h5_check(lat->comm->log, field.dataset, "opening the links", __FILE__, __LINE__);
    NAIK_TRY(naik_comm_agree(lat->comm, status)); /* the others would wait in the transfer */
    NAIK_TRY(naik_h5_field_read(lat, &field, gauge != NULL ? &gauge->link[0].e[0][0].re : NULL,
                                description->checksum_computed));
    description->checksum_ok =
        description->checksum_computed[0] == description->checksum_stored[0] &&
        description->checksum_computed[1] == description->checksum_stored[1];
done:
    naik_h5_release(field.type);
    naik_h5_release(field.dataset);
    return status;
}
