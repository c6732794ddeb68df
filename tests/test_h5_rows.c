/* test_h5_rows.c - what HDF5 files of links, modes, near-null vectors and propagators say of themselves: each word and
 * number made another one under checksums that fit, at both sides of its limits, and what naik says of the file then
 *
 * ranks: 1
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/report.h"
#include "check.h"
#include "h5_rows.h"
#include "io/checksum.h"
#include "io/file_info.h"
#include "io/h5/metadata_crc.h"
#include "io/h5/numbers.h"
#include "io/links/links_file.h"
#include "io/modes/form.h"
#include "io/modes/modes_file.h"
#include "io/multigrid/about.h"
#include "io/prop/reader.h"
#include "naik/gauge_io.h"
#include "propagator_fixture.h"
#include "scaled_links.h"

enum { PATH = 512, MODES_COUNT = 3, VECTORS = 3, MOST = 256, TOLD = 600 };

static const int size[NAIK_DIM] = {4, 2, 6, 8};

/* ---- files that are whole */

static void copy_file(check *t, const char *from, const char *to)
{
    static unsigned char bytes[1 << 23];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    const size_t count = in != NULL ? fread(bytes, 1, sizeof bytes, in) : 0;
    CHECK_TRUE(t, count > 0 && count < sizeof bytes && out != NULL &&
                      fwrite(bytes, 1, count, out) == count);
    if (in != NULL) {
        fclose(in);
    }
    if (out != NULL) {
        fclose(out);
    }
}

static const double lambda2[MODES_COUNT] = {0.25, 0.5, 0.75},
                    residual[MODES_COUNT] = {1e-6, 3e-6, 2e-6};
static const double near_null[VECTORS] = {0.125, 0.25, 0.0625};

static void make_list(check *t, hid_t file, const char *name, hid_t type, hid_t memory, int count,
                      const void *data)
{
    CHECK_OK(t, naik_h5_numbers_make(t->log, file, name, type, (hsize_t)count));
    CHECK_OK(t, naik_h5_numbers_put(t->log, file, name, memory, count, data));
}

/* A list of doubles with its checksum. */
static void make_reals(check *t, hid_t file, const char *name, const char *crc, int count,
                       const double *data)
{
    const int64_t sum = (int64_t)naik_crc32(data, (size_t)count * sizeof *data);
    make_list(t, file, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, data);
    CHECK_OK(t, naik_h5_put_i64(t->log, file, crc, &sum, 0));
}

static void make_array(check *t, hid_t file, const char *name, hid_t type, int count,
                       const int cut[NAIK_DIM])
{
    hsize_t dims[NAIK_DIM + 1] = {(hsize_t)count};
    hid_t dataset = -1;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        dims[NAIK_DIM - mu] = (hsize_t)(size[mu] / cut[mu]);
    }
    CHECK_OK(t, naik_h5_dataset(t->log, file, name, type, NAIK_DIM + 1, dims, NULL, &dataset));
    naik_h5_release(dataset);
    naik_h5_release(type);
}

static void fill_modes(check *t, hid_t file, bool bricks)
{
    static const uint32_t sum[MODES_COUNT] = {1, 2, 3};
    const double high = 22, epsilon = 0, tolerance = 4e-6;
    const int64_t seed = 1;
    int cut[NAIK_DIM];
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        cut[mu] = naik_mode_form_cut(bricks, mu);
    }
    CHECK_OK(t, naik_h5_put_text(t->log, file, "format", "naik-modes"));
    CHECK_OK(t, naik_h5_put_text(t->log, file, "format_version", bricks ? "2.0" : "1.0"));
    CHECK_OK(t, naik_h5_put_text(t->log, file, "state", "complete"));
    CHECK_OK(t, naik_h5_put_ints(t->log, file, "dims", size, NAIK_DIM));
    CHECK_OK(t, naik_h5_put_f64(t->log, file, "naik_epsilon", &epsilon, 0));
    CHECK_OK(t, naik_h5_put_f64(t->log, file, "tolerance", &tolerance, 0));
    CHECK_OK(t, naik_h5_put_f64(t->log, file, "interval_high", &high, 0));
    CHECK_OK(t, naik_h5_put_i64(t->log, file, "seed", &seed, 0));
    make_array(t, file, "modes/v", naik_mode_form_type(bricks), MODES_COUNT, cut);
    make_reals(t, file, "modes/lambda2", "lambda2_crc", MODES_COUNT, lambda2);
    make_reals(t, file, "modes/residual", "residual_crc", MODES_COUNT, residual);
    make_list(t, file, "modes/suma", H5T_STD_U32LE, H5T_NATIVE_UINT32, MODES_COUNT, sum);
    make_list(t, file, "modes/sumb", H5T_STD_U32LE, H5T_NATIVE_UINT32, MODES_COUNT, sum);
}

static naik_multigrid_about about_vectors(void)
{
    naik_multigrid_about about = {.quark = {.kind = naik_quark_kind_of("clover"),
                                            .mass = 0.25,
                                            .csw = 1.5,
                                            .u0 = 0.875,
                                            .twist = {0.125, 0, 0.5}},
                                  .parameters = {.vectors = VECTORS,
                                                 .aggregate = {2, 1, 3, 4},
                                                 .start = 5,
                                                 .cycles = 7,
                                                 .smoother = 8,
                                                 .coarse_tolerance = 0.375,
                                                 .coarse_space = 9,
                                                 .precision = 16,
                                                 .seed = 11},
                                  .boundary_t = "antiperiodic",
                                  .links = "links of this test"};
    return about;
}

static void fill_near_null(check *t, hid_t file)
{
    static const int whole[NAIK_DIM] = {1, 1, 1, 1};
    static const uint32_t sum[VECTORS] = {1, 2, 3};
    const naik_multigrid_about about = about_vectors();
    CHECK_OK(t, naik_h5_put_text(t->log, file, "format", "naik-multigrid"));
    CHECK_OK(t, naik_h5_put_text(t->log, file, "format_version", "1.0"));
    CHECK_OK(t, naik_h5_put_text(t->log, file, "state", "complete"));
    CHECK_OK(t, naik_h5_put_ints(t->log, file, "dims", size, NAIK_DIM));
    CHECK_OK(t, naik_multigrid_about_put(t->log, file, &about));
    make_array(t, file, "multigrid/v", naik_h5_spinor(32), VECTORS, whole);
    make_reals(t, file, "multigrid/near_null", "near_null_crc", VECTORS, near_null);
    make_list(t, file, "multigrid/suma", H5T_STD_U32LE, H5T_NATIVE_UINT32, VECTORS, sum);
    make_list(t, file, "multigrid/sumb", H5T_STD_U32LE, H5T_NATIVE_UINT32, VECTORS, sum);
}

static void write_links(check *t, file_kind kind, const char *path)
{
    const naik_gauge_meta meta = {.ensemble = "of this test", .input_text = "text"};
    naik_lattice *lattice = NULL;
    naik_gauge *gauge[2] = {NULL, NULL};
    CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &lattice));
    for (int i = 0; i < 2; i++) {
        CHECK_OK(t, naik_gauge_create(lattice, &gauge[i]));
        naik_gauge_set_random(gauge[i], (uint64_t)(3 + i));
    }
    if (kind == PYQUDA) {
        CHECK_OK(t, naik_gauge_write(path, "pyquda", gauge[0], 64, NULL));
    } else if (kind == GAUGE) {
        CHECK_OK(t, naik_gauge_h5_write(path, gauge[0], 64, &meta));
    } else {
        naik_fatlong first = {.fat = gauge[0], .long_links = gauge[1], .long_scale = -1. / 24},
                     second = {.fat = gauge[0], .naik_epsilon = -0.25};
        const naik_fatlong *const sets[2] = {&first, &second};
        scale_links(gauge[1], first.long_scale);
        CHECK_OK(t, naik_links_h5_write(path, sets, 2, "hisq", "antiperiodic", 64, NULL));
    }
    naik_gauge_destroy(&gauge[0]);
    naik_gauge_destroy(&gauge[1]);
    naik_lattice_destroy(&lattice);
}

/* Propagators, correlators and contractions of the fixture, complete. */
static void write_propagators(check *t, const char *path)
{
    room r;
    double values[ROOM_CONTRACTED][2 * ROOM_T];
    naik_propagator_spec spec = room_spec();
    room_add_contractions(&spec);
    room_fill_contractions(values);
    CHECK_REQUIRE(t, room_enter(t, &r));
    naik_propagator_file *file = room_begin(t, &r, &spec, ROOM_SOLVES);
    CHECK_REQUIRE(t, file != NULL);
    CHECK_OK(t, naik_propagator_file_contract(file, 0, ROOM_CONTRACTED, NULL, values[0]));
    room_complete(t, &r, &file, false);
    copy_file(t, r.path, path);
    room_leave(t, &r);
}

static void write_whole(check *t, file_kind kind, const char *path)
{
    hid_t file = -1;
    if (kind == GAUGE || kind == LINKS || kind == PYQUDA) {
        write_links(t, kind, path);
        return;
    }
    if (kind == PROP) {
        write_propagators(t, path);
        return;
    }
    CHECK_REQUIRE(t, naik_h5_create(t->comm, path, &file) == NAIK_OK);
    if (kind == NEAR_NULL) {
        fill_near_null(t, file);
    } else {
        fill_modes(t, file, kind == BRICKS);
    }
    CHECK_OK(t, naik_h5_write_metadata_crc(t->comm, file));
    CHECK_OK(t, naik_h5_close(t->comm, &file));
}

/* ---- changes */

static void change_number(check *t, hid_t object, const row *r)
{
    hid_t attribute = H5Aopen(object, r->name, H5P_DEFAULT), type = H5Aget_type(attribute);
    if (H5Tget_class(type) == H5T_FLOAT) {
        double values[MOST];
        CHECK_TRUE(t, H5Aread(attribute, H5T_NATIVE_DOUBLE, values) >= 0);
        values[r->at] = r->value;
        CHECK_TRUE(t, H5Awrite(attribute, H5T_NATIVE_DOUBLE, values) >= 0);
    } else { /* as 64 bits, so that numbers beyond those of a type are written */
        int64_t values[MOST];
        const int count = (int)H5Aget_storage_size(attribute) / (int)H5Tget_size(type);
        hid_t space = H5Aget_space(attribute);
        const bool scalar = H5Sget_simple_extent_type(space) == H5S_SCALAR;
        H5Sclose(space);
        CHECK_TRUE(t, H5Aread(attribute, H5T_NATIVE_INT64, values) >= 0);
        values[r->at] = (int64_t)r->value;
        H5Adelete(object, r->name);
        CHECK_OK(t, naik_h5_put_i64(t->log, object, r->name, values, scalar ? 0 : count));
    }
    H5Tclose(type);
    H5Aclose(attribute);
}

static void change_attribute(check *t, hid_t object, const row *r)
{
    const double values[MOST] = {1, 2, 3, 4, 5};
    hid_t attribute = H5Aopen(object, r->name, H5P_DEFAULT), type = H5Aget_type(attribute);
    const bool text = H5Tget_class(type) == H5T_STRING, real = H5Tget_class(type) == H5T_FLOAT;
    const int count = (int)(H5Aget_storage_size(attribute) / H5Tget_size(type));
    H5Tclose(type);
    H5Aclose(attribute);
    if (r->how == NUMBER || (r->how == RAW && r->text == NULL)) {
        change_number(t, object, r);
        return;
    }
    CHECK_TRUE(t, H5Adelete(object, r->name) >= 0);
    if (r->how == WORD || r->how == RAW || (r->how == CLASS && !text)) {
        CHECK_OK(t, naik_h5_put_text(t->log, object, r->name, r->text != NULL ? r->text : "1"));
    } else if (r->how == CLASS || real) {
        CHECK_OK(t,
                 naik_h5_put_f64(t->log, object, r->name, values, r->how == CLASS ? 0 : count + 1));
    } else if (r->how == LONGER) {
        int64_t whole[MOST];
        for (int i = 0; i <= count; i++) {
            whole[i] = i < NAIK_DIM ? size[i] : 1;
        }
        CHECK_OK(t, naik_h5_put_i64(t->log, object, r->name, whole, count + 1));
    }
}

static hid_t other_type(int number)
{
    static const hsize_t dims[][2] = {{0}, {0}, {2, 2}, {3, 2}, {3, 3}, {3, 3}, {0}, {9}, {3, 3}};
    const int members = number == 4 ? 3 : 2;
    const hid_t real = number == 8 ? H5T_STD_I64LE : H5T_IEEE_F64LE;
    if (number == 0 || number == 6) {
        return H5Tcopy(number == 0 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE);
    }
    hid_t element = number == 5 ? H5Tcopy(H5T_STD_I64LE)
                                : H5Tcreate(H5T_COMPOUND, (size_t)members * sizeof(double));
    for (int i = 0; i < members && number != 5; i++) {
        H5Tinsert(element, i == 0 ? "r" : i == 1 ? "i" : "j", (size_t)i * sizeof(double), real);
    }
    if (number == 1) {
        return element;
    }
    hid_t type = H5Tarray_create2(element, number == 7 ? 1 : 2, dims[number]);
    H5Tclose(element);
    return type;
}

/* The dataset anew, without what is not said, and without its numbers. */
static void change_shape(check *t, hid_t file, const row *r)
{
    hsize_t dims[8] = {0};
    hid_t old = H5Dopen2(file, r->object, H5P_DEFAULT), space = H5Dget_space(old);
    hid_t type = r->how == TYPE ? other_type((int)r->value) : H5Dget_type(old), dataset = -1;
    int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    if (r->how == EXTENT) {
        dims[r->at] = (hsize_t)r->value;
    } else if (r->how == RANK) {
        dims[rank++] = 1;
    }
    H5Sclose(space);
    H5Dclose(old);
    CHECK_TRUE(t, H5Ldelete(file, r->object, H5P_DEFAULT) >= 0);
    CHECK_OK(t, naik_h5_dataset(t->log, file, r->object, type, rank, dims, NULL, &dataset));
    naik_h5_release(dataset);
    naik_h5_release(type);
}

static void change_storage(check *t, hid_t file, const row *r)
{
    hsize_t dims[NAIK_DIM + 1] = {0}, chunk[NAIK_DIM + 1] = {1, 1, 1, 1, 1};
    hid_t old = H5Dopen2(file, r->object, H5P_DEFAULT), space = H5Dget_space(old);
    hid_t type = H5Dget_type(old), list = H5Pcreate(H5P_DATASET_CREATE);
    H5Sget_simple_extent_dims(space, dims, NULL);
    H5Dclose(old);
    CHECK_TRUE(t, H5Ldelete(file, r->object, H5P_DEFAULT) >= 0);
    if (r->value == 0) {
        H5Pset_layout(list, H5D_COMPACT);
    } else if (r->value == 6) { /* until it is written, and nothing is */
        H5Pset_layout(list, H5D_CONTIGUOUS);
    } else if (r->value == 2) {
        H5Pset_virtual(list, space, "other.h5", "v", space);
    } else if (r->value == 3) {
        H5Pset_external(list, "other.raw", 0, H5F_UNLIMITED);
    } else {
        H5Pset_chunk(list, NAIK_DIM + 1, chunk);
    }
    if (r->value == 4) {
        H5Pset_filter(list, 31999, H5Z_FLAG_OPTIONAL, 0, NULL);
    } else if (r->value == 5) {
        H5Pset_shuffle(list);
    }
    hid_t dataset = H5Dcreate2(file, r->object, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    CHECK_TRUE(t, dataset >= 0);
    naik_h5_release(dataset);
    naik_h5_release(list);
    naik_h5_release(space);
    naik_h5_release(type);
}

static void change_element(check *t, hid_t file, const row *r)
{
    double values[MOST];
    hid_t dataset = H5Dopen2(file, r->object, H5P_DEFAULT);
    CHECK_TRUE(t, H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    values[r->at] = r->value;
    CHECK_TRUE(t, H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(dataset);
    char crc[64];
    const char *slash = strrchr(r->object, '/');
    snprintf(crc, sizeof crc, "%s_crc", slash != NULL ? slash + 1 : r->object);
    if (H5Aexists(file, crc) > 0) { /* of the whole list */
        const int64_t sum = (int64_t)naik_crc32(values, MODES_COUNT * sizeof *values);
        H5Adelete(file, crc);
        CHECK_OK(t, naik_h5_put_i64(t->log, file, crc, &sum, 0));
    }
}

static void change_object(check *t, hid_t file, const row *r)
{
    switch (r->how) {
    case ELEMENT: change_element(t, file, r); return;
    case STORAGE: change_storage(t, file, r); return;
    case SOFT: H5Lcreate_soft(r->text, file, "more", H5P_DEFAULT, H5P_DEFAULT); return;
    case EXTERNAL: H5Lcreate_external(r->text, "/", file, "more", H5P_DEFAULT, H5P_DEFAULT); return;
    case GONE:
    case GROUP:
        CHECK_TRUE(t, H5Ldelete(file, r->object, H5P_DEFAULT) >= 0);
        if (r->how == GROUP) {
            naik_h5_release(H5Gcreate2(file, r->object, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        }
        return;
    default: change_shape(t, file, r);
    }
}

static void change(check *t, const row *r, const char *path)
{
    const hid_t access = naik_h5_access_alone(), file = H5Fopen(path, H5F_ACC_RDWR, access);
    naik_h5_release(access);
    CHECK_REQUIRE(t, file >= 0);
    if (r->name != NULL) {
        hid_t object = H5Oopen(file, r->object, H5P_DEFAULT);
        change_attribute(t, object, r);
        H5Oclose(object);
    } else {
        change_object(t, file, r);
    }
    if (r->how != RAW && H5Aexists(file, "metadata_crc") > 0) {
        H5Adelete(file, "metadata_crc");
        CHECK_OK(t, naik_h5_write_metadata_crc(t->comm, file));
    }
    CHECK_TRUE(t, H5Fclose(file) >= 0);
}

/* ---- readers */

static naik_status read_modes(check *t, const char *path)
{
    naik_modes_spectrum spectrum;
    const naik_status status = naik_modes_spectrum_read(t->log, path, &spectrum);
    CHECK_INT(t, spectrum.count, status == NAIK_OK ? MODES_COUNT : 0);
    naik_modes_spectrum_clear(&spectrum);
    return status;
}

static naik_status read_near_null(check *t, const char *path)
{
    naik_multigrid_about about;
    uint32_t sum[NAIK_MG_VECTORS_MOST][2];
    double found[NAIK_MG_VECTORS_MOST];
    hid_t file = -1;
    naik_status status = naik_multigrid_file_look(t->comm, path, size, &about);
    if (status == NAIK_OK && CHECK_OK(t, naik_h5_open_alone(t->log, path, &file))) {
        status = naik_multigrid_numbers_get(t->log, file, path, VECTORS, sum, found);
        H5Fclose(file);
    }
    return status;
}

static naik_status read_links(check *t, file_kind kind, const char *path, char told[TOLD])
{
    naik_gauge_file found = {0};
    naik_lattice *lattice = NULL;
    naik_fatlong *links = NULL;
    naik_status status;
    CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &lattice));
    if (kind == GAUGE || kind == PYQUDA) {
        naik_gauge *gauge = NULL;
        CHECK_OK(t, naik_gauge_create(lattice, &gauge));
        status = naik_gauge_file_read(path, gauge, &found);
        snprintf(told, TOLD, "%s %s of %d bits, %dx%dx%dx%d, %s, %s", found.format,
                 found.byte_order, found.precision, found.size[0], found.size[1], found.size[2],
                 found.size[3], found.note,
                 found.checksum_ok      ? "good"
                 : found.checksum_known ? "OTHER"
                                        : "unknown");
        naik_gauge_file_clear(&found);
        naik_gauge_destroy(&gauge);
    } else {
        status = naik_links_h5_read(path, lattice, 0, "antiperiodic", &links);
        naik_fatlong_destroy(&links);
    }
    naik_lattice_destroy(&lattice);
    return status;
}

/* How much of it is good, in `told`. */
static naik_status read_propagators(check *t, const char *path, char told[TOLD])
{
    naik_propagator_reader *r = NULL;
    const naik_status status = naik_propagator_reader_open(t->log, path, ROOM_SOLVES, 8, &r);
    if (status == NAIK_OK) {
        int histories = 0, correlators = 0, damaged = 0;
        for (int i = 0; i < r->pair_count; i++) {
            for (int column = 0; column < r->columns; column++) {
                histories += r->pairs[i].history[column] != NULL;
            }
            correlators += r->pairs[i].correlator_count;
            damaged += r->pairs[i].correlators_damaged;
        }
        snprintf(told, TOLD,
                 "%d pairs, %d bad records, %d histories, %d bad, %d correlators, %d damaged, "
                 "%d contractions, %d bad%s%s%s",
                 r->pair_count, r->bad_records, histories, r->bad_histories, correlators, damaged,
                 r->contractions.count, r->contractions.bad, r->complete ? ", complete" : "",
                 r->has_metadata_crc ? "" : ", no checksum",
                 r->edited[0] != '\0' ? ", edited" : "");
    }
    naik_propagator_reader_destroy(&r);
    return status;
}

static naik_status read_kind(check *t, file_kind kind, const char *path, char told[TOLD])
{
    told[0] = '\0';
    if (kind == PROP) {
        return read_propagators(t, path, told);
    }
    return kind == GAUGE || kind == LINKS || kind == PYQUDA ? read_links(t, kind, path, told)
           : kind == NEAR_NULL                              ? read_near_null(t, path)
                                                            : read_modes(t, path);
}

static const char *scratch(const char *name, char path[PATH])
{
    snprintf(path, PATH, "%s/%s", check_folder(), name);
    return path;
}

static void each_word_and_number_of_a_file_is_looked_at(check *t)
{
    static const char *const names[KINDS] = {"gauge.h5", "links.h5", "modes.h5", "bricks.h5",
                                             "null.h5",  "prop.h5",  "pyquda.h5"};
    char whole[KINDS][PATH], path[PATH], told[TOLD];
    naik_h5_quieten();
    for (int kind = 0; kind < KINDS; kind++) {
        write_whole(t, kind, scratch(names[kind], whole[kind]));
        CHECK_OK(t, read_kind(t, kind, whole[kind], told));
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const row *r = &rows[i];
        copy_file(t, whole[r->kind], scratch("changed.h5", path));
        change(t, r, path);
        const naik_status got = read_kind(t, r->kind, path, told);
        const char *said = got == NAIK_OK ? told : naik_log_message(t->log);
        const bool exact = got == NAIK_OK && r->says[0] != '\0';
        const bool left =
            got == NAIK_OK && naik_log_message(t->log)[0] != '\0'; /* for another failure */
        if (got != r->status || left ||
            (exact ? strcmp(said, r->says) != 0 : strstr(said, r->says) == NULL)) {
            fprintf(stderr, "    row %zu, %s %s %s: expected '%s', got %d '%s'\n", i,
                    names[r->kind], r->object, r->name != NULL ? r->name : "", r->says, (int)got,
                    said);
            CHECK_TRUE(t, false);
        }
        naik_log_clear(t->log);
    }
    for (int kind = 0; kind < KINDS; kind++) {
        (void)remove(whole[kind]);
    }
    (void)remove(path);
}

/* What `naik info` tells, from a key on. */
static void all_that_a_file_says_is_told(check *t)
{
    for (size_t i = 0; i < sizeof told_rows / sizeof *told_rows; i++) {
        const told_row *r = &told_rows[i];
        char path[PATH];
        naik_status verdict;
        naik_report *report = naik_report_create();
        write_whole(t, r->kind, scratch("told.h5", path));
        CHECK_OK(t, naik_file_describe(t->comm, path, r->verify, report, &verdict));
        CHECK_INT(t, verdict, NAIK_OK);
        char *json = naik_report_json(report), *found = json != NULL ? strstr(json, r->from) : NULL;
        if (found != NULL && strlen(found) > strlen(r->told)) {
            found[strlen(r->told)] = '\0';
        }
        CHECK_TEXT(t, found != NULL ? found : json, r->told);
        free(json);
        naik_report_destroy(&report);
        (void)remove(path);
    }
}

/* Whose solves, correlators and contractions they are. */
static void what_a_file_of_propagators_tells_of_each_pair(check *t)
{
    static const char *const pairs[] = {
        "pt, point at 1,0,3,2, hisq 0.05 0, x0 0,0,0,0, from 0,0,0,0, cosines, 3 states 111, 4 "
        "residuals, 4 of 4 correlators, pion05 1,0,-1",
        "pt, point at 1,0,3,2, hisq 0.1 -0.2, x0 0,0,0,0, from 0,0,0,0, cosines, 3 states 112, 4 "
        "residuals, 4 of 4 correlators, pion05 1,0,-1",
        "wall/s0000, random_wall at 0,0,0,0, hisq 0.05 0, x0 0,0,0,0, from 0,0,0,0, cosines, 3 "
        "states 111, 4 residuals, 4 of 4 correlators, pion05 1,0,-1",
        "wall/s0001, random_wall at 0,0,0,4, hisq 0.05 0, x0 0,0,0,0, from 0,0,0,0, cosines, 3 "
        "states 111, 4 residuals, 4 of 4 correlators, pion05 1,0,-1"};
    char path[PATH], text[TOLD];
    naik_propagator_reader *r = NULL;
    write_whole(t, PROP, scratch("prop.h5", path));
    CHECK_OK(t, naik_propagator_reader_open(t->log, path, ROOM_SOLVES, 8, &r));
    CHECK_REQUIRE(t, r != NULL && r->pair_count == 4 && r->contractions.count == ROOM_CONTRACTED);
    for (int i = 0; i < 4; i++) {
        const naik_reader_pair *pair = &r->pairs[i];
        const naik_reader_correlator *last = &pair->correlators[pair->correlator_count - 1];
        snprintf(text, sizeof text,
                 "%s, %s, %s %g %g, x0 %d,%d,%d,%d, from %d,%d,%d,%d, %s, %d states %d%d%d, %d "
                 "residuals, %d of %d correlators, %s %d,%d,%d",
                 pair->label, pair->source, pair->quark.kind->name, pair->quark.mass,
                 pair->quark.naik_epsilon, pair->x0[0], pair->x0[1], pair->x0[2], pair->x0[3],
                 pair->counted_from[0], pair->counted_from[1], pair->counted_from[2],
                 pair->counted_from[3], pair->waves ? "waves" : "cosines", r->columns,
                 (int)pair->solve[0].state, (int)pair->solve[1].state, (int)pair->solve[2].state,
                 pair->history_count[0], pair->correlator_count, pair->correlators_stored,
                 last->meson, last->momentum[0], last->momentum[1], last->momentum[2]);
        CHECK_TEXT(t, text, pairs[i]);
        /* A correlator is the sum over the colours that were committed. */
        double all[ROOM_CORR] = {0}, one[ROOM_CORR];
        for (int colour = 0; colour < 3; colour++) {
            room_fill_correlators(3 * i + colour, one);
            for (int k = 0; k < ROOM_CORR; k++) {
                all[k] += one[k];
            }
        }
        for (int k = 0; k < ROOM_CORR; k++) {
            CHECK_NEAR(t, pair->correlators[k / ROOM_T].values[2 * (k % ROOM_T)], all[k], 1e-15);
        }
    }
    for (int i = 0; i < ROOM_CONTRACTED; i++) {
        const naik_reader_contraction *c = &r->contractions.item[i];
        double values[ROOM_CONTRACTED][2 * ROOM_T];
        room_fill_contractions(values);
        snprintf(text, sizeof text, "%s %s of %s, %d quarks, '%s' %d%d%d", c->correlator,
                 c->quantity, c->quark[0].source, c->quarks, c->weight, c->counted, c->truncated,
                 c->three_point);
        CHECK_TEXT(t, text, "rhox correlator of pt, 1 quarks, '' 000");
        CHECK_TRUE(t, memcmp(c->values, values[i], sizeof values[i]) == 0);
    }
    naik_propagator_reader_destroy(&r);
    (void)remove(path);
}

CHECK_MAIN(CHECK(what_a_file_of_propagators_tells_of_each_pair),
           CHECK(all_that_a_file_says_is_told), CHECK(each_word_and_number_of_a_file_is_looked_at))
