/* test_h5_array.c - fields of other codes in HDF5 files: which types and extents are taken for one, in any nesting;
 * fields of naik's own, moved in pieces
 *
 * ranks: 1
 */
#include <fcntl.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "io/h5/array.h"
#include "io/h5/box.h"
#include "naik/lattice.h"

enum { T = 4, Z = 3, Y = 2, X = 6, REALS = 18 };
enum { LX = 4, LY = 2, LZ = 6, LT = 2 };

/* Closes the type of the numbers. */
static hid_t pair_of(hid_t number, const char *re, const char *im, size_t members)
{
    const size_t bytes = H5Tget_size(number);
    const hid_t pair = H5Tcreate(H5T_COMPOUND, members * bytes);
    H5Tinsert(pair, re, 0, number);
    H5Tinsert(pair, im, bytes, number);
    if (members > 2) {
        H5Tinsert(pair, "third", 2 * bytes, number);
    }
    H5Tclose(number);
    return pair;
}

typedef struct row {
    const char *re, *im; /* names of a pair; NULL: no pair */
    int members;
    int lengths
        [6]; /* array types around it, the innermost first, each of one dimension; 0: no more */
    hsize_t tail[3]; /* dimensions of the dataset beyond four */
    int number;      /* 0: double, 1: float, 2: big-endian double, 3: integer of 32 bits */
    bool taken;
} row;

static hid_t number_of(int number)
{
    return H5Tcopy(number == 0   ? H5T_IEEE_F64LE
                   : number == 1 ? H5T_IEEE_F32LE
                   : number == 2 ? H5T_IEEE_F64BE
                                 : H5T_STD_I32LE);
}

/* A file with such a dataset; false where HDF5 makes none. */
static bool make(const char *path, const row *r, int dims, const hsize_t *extents)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = number_of(r->number);
    if (r->re != NULL) {
        type = pair_of(type, r->re, r->im, (size_t)r->members);
    }
    for (int i = 0; i < 6 && r->lengths[i] > 0; i++) {
        const hsize_t length = (hsize_t)r->lengths[i];
        const hid_t inner = type;
        type = H5Tarray_create2(inner, 1, &length);
        H5Tclose(inner);
    }
    hid_t space = H5Screate_simple(dims, extents, NULL);
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY); /* what has no data is no field */
    hid_t set = H5Dcreate2(file, "field", type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    const bool made = set >= 0;
    H5Pclose(how);
    H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
    H5Fclose(file);
    return made;
}

static bool opens(check *t, const row *r, int dims, const hsize_t *extents, naik_h5_array *array)
{
    char path[512];
    snprintf(path, sizeof path, "%s/array.h5", check_folder());
    CHECK_TRUE(t, make(path, r, dims, extents));
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const bool found = naik_h5_array_open(file, "field", REALS, array);
    if (!found) {
        CHECK_TRUE(t, !naik_h5_array_open(file, "nothing", REALS, array));
    }
    H5Fclose(file);
    (void)unlink(path);
    return found;
}

static void a_site_has_its_reals_in_any_nesting(check *t)
{
    static const row rows[] = {
        {NULL, NULL, 0, {0}, {3, 3, 2}, 0, true}, {NULL, NULL, 0, {2, 3, 3}, {0}, 0, true},
        {NULL, NULL, 0, {18}, {0}, 0, true},      {NULL, NULL, 0, {2}, {3, 3}, 1, true},
        {NULL, NULL, 0, {2}, {9}, 2, true},       {"r", "i", 2, {3, 3}, {0}, 0, true},
        {"re", "im", 2, {0}, {3, 3}, 0, true},    {"real", "imag", 2, {3}, {3}, 1, true},
        {"real", "imag", 2, {9}, {0}, 2, true},   {"re", "i", 2, {9}, {0}, 0, false},
        {"im", "re", 2, {9}, {0}, 0, false},      {"x", "y", 2, {9}, {0}, 0, false},
        {"re", "im", 3, {9}, {0}, 0, false},      {"re", "im", 3, {6}, {0}, 0, false},
        {NULL, NULL, 0, {17}, {0}, 0, false},     {NULL, NULL, 0, {19}, {0}, 0, false},
        {NULL, NULL, 0, {2, 3}, {0}, 0, false},   {NULL, NULL, 0, {18}, {2}, 0, false},
        {NULL, NULL, 0, {18}, {0}, 3, false},     {"re", "im", 2, {9}, {0}, 3, false}};
    const hsize_t box[4] = {T, Z, Y, X};
    naik_h5_quieten();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        naik_h5_array array;
        hsize_t extents[7];
        int dims = 4;
        memcpy(extents, box, sizeof box);
        for (int k = 0; k < 3 && rows[i].tail[k] > 0; k++) {
            extents[dims++] = rows[i].tail[k];
        }
        const bool got = opens(t, &rows[i], dims, extents, &array);
        if (!CHECK_INT(t, got, rows[i].taken)) {
            fprintf(stderr, "    row %zu\n", i);
        }
        if (got) {
            CHECK_INT(t, array.reals, REALS);
            CHECK_INT(t, array.bits, rows[i].number == 1 ? 32 : 64);
            CHECK_INT(t, array.big_endian, rows[i].number == 2);
            CHECK_TRUE(t, array.dim[0] == X && array.dim[1] == Y && array.dim[2] == Z &&
                              array.dim[3] == T);
            naik_h5_array_close(&array);
        }
    }
}

/* Four dimensions are the lattice's; fewer are no field. Types nest four deep at most. */
static void a_field_has_four_dimensions_and_no_bottomless_type(check *t)
{
    static const hsize_t box[4] = {T, Z, Y, X};
    static const row plain = {NULL, NULL, 0, {18}, {0}, 0, true};
    static const row deep[] = {{NULL, NULL, 0, {2, 3, 3, 1}, {0}, 0, true},
                               {NULL, NULL, 0, {2, 3, 3, 1, 1}, {0}, 0, false},
                               {NULL, NULL, 0, {2, 3, 3, 1, 1, 1}, {0}, 0, false}};
    naik_h5_array array;
    naik_h5_quieten();
    for (int dims = 1; dims <= 4; dims++) {
        const bool got = opens(t, &plain, dims, box, &array);
        CHECK_INT(t, got, dims == 4);
        if (got) {
            naik_h5_array_close(&array);
        }
    }
    for (size_t i = 0; i < sizeof deep / sizeof *deep; i++) {
        const bool got = opens(t, &deep[i], 4, box, &array);
        CHECK_INT(t, got, deep[i].taken);
        if (got) {
            naik_h5_array_close(&array);
        }
    }
}

/* How often each site of a box was visited, and whether it was with its own numbers. */
typedef struct visits {
    int times[LT * LZ * LY * LX];
    bool give, wrong;
} visits;

static void visit(void *context, int32_t site, int64_t number, int count, void *bytes)
{
    visits *v = context;
    double *real = bytes;
    for (int i = 0; i < count; i++) {
        v->times[site + i]++;
        for (int k = 0; k < REALS; k++) {
            const double own = (double)(number + i) + k / 32.0;
            v->wrong = v->wrong || (!v->give && real[i * REALS + k] != own);
            real[i * REALS + k] = v->give ? own : real[i * REALS + k];
        }
    }
}

/* What one call moves is a part of a time slice, or all of it: every site is visited once. */
static void fields_are_moved_in_pieces(check *t)
{
    static const int size[NAIK_DIM] = {LX, LY, LZ, LT};
    static const hsize_t box[4] = {LT, LZ, LY, LX};
    static const row plain = {NULL, NULL, 0, {18}, {0}, 0, true};
    const int64_t plane = (int64_t)LX * LY * REALS * (int64_t)sizeof(double);
    static const int planes[][2] = {{0, 0}, {1, 0}, {2, 0}, {4, 0}, {5, -1}, {6, 0}, {9, 0}};
    char path[512];
    naik_lattice *lat = NULL;
    naik_h5_array array;
    CHECK_REQUIRE(t, naik_lattice_create(t->comm, size, NULL, &lat) == NAIK_OK);
    snprintf(path, sizeof path, "%s/pieces.h5", check_folder());
    for (size_t i = 0; i < sizeof planes / sizeof *planes; i++) {
        CHECK_TRUE(t, make(path, &plain, 4, box));
        hid_t file = -1;
        CHECK_OK(t, naik_h5_open(t->comm, path, true, &file));
        CHECK_REQUIRE(t, naik_h5_array_open(file, "field", REALS, &array));
        for (int writing = 1; writing >= 0; writing--) {
            visits v = {.give = writing};
            array.call_bytes = planes[i][0] * plane + planes[i][1];
            CHECK_OK(t,
                     (writing ? naik_h5_array_write : naik_h5_array_read)(lat, &array, visit, &v));
            int wrong = v.wrong;
            for (int k = 0; k < LT * LZ * LY * LX; k++) {
                wrong += v.times[k] != 1;
            }
            if (!CHECK_INT(t, wrong, 0)) {
                fprintf(stderr, "    row %zu\n", i);
            }
        }
        naik_h5_array_close(&array);
        naik_h5_close(t->comm, &file);
        (void)unlink(path);
    }
    naik_lattice_destroy(&lat);
}

/* ---- fields of naik's own */

enum { LINK_REALS = 72, SITES = 4 * 4 * 8 * 16 };

static void hear(void *data, const char *text)
{
    *(int *)data += strstr(text, "/field holds NaN or infinity, whatever its checksum") != NULL;
}

/* The real `index` of a field, in the file or in memory. */
static void put_real(void *bytes, int bits, int64_t index, double number)
{
    const float narrow = (float)number;
    memcpy((char *)bytes + index * bits / 8, bits == 32 ? (const void *)&narrow : &number,
           (size_t)bits / 8);
}

static void put_in_file(check *t, const char *path, int64_t begin, int bits, int64_t index,
                        double number)
{
    char bytes[sizeof number];
    put_real(bytes, bits, 0, number);
    const int fd = open(path, O_WRONLY);
    CHECK_TRUE(t, pwrite(fd, bytes, (size_t)bits / 8, begin + index * bits / 8) == bits / 8 &&
                      close(fd) == 0);
}

/* A field of the file, which holds `data`, read into `into`, and for its sum alone. */
static void read_with(check *t, const naik_lattice *lat, const naik_h5_field *field,
                      const char *path, const void *data, void *into, size_t bytes,
                      const uint32_t sum[2])
{
    static const int places[] = {0, 1023, 1024, SITES - 1};
    const int64_t begin = (int64_t)H5Dget_offset(field->dataset);
    for (size_t i = 0; i < 1 + sizeof places / sizeof *places; i++) {
        const int64_t real = i > 0 ? (int64_t)LINK_REALS * places[i - 1] + 5 : 0;
        if (i > 0) {
            put_in_file(t, path, begin, field->bits, real, NAN);
        }
        for (int alone = 0; alone < 2; alone++) {
            uint32_t got[2];
            int told = 0;
            memset(into, 0, bytes);
            naik_log_watch_warnings(t->log, hear, &told);
            CHECK_OK(t, naik_h5_field_read(lat, field, alone ? NULL : into, got));
            naik_log_watch_warnings(t->log, NULL, NULL);
            CHECK_INT(t, told, i > 0);
            CHECK_INT(t, got[0] == sum[0] && got[1] == sum[1], i == 0);
            CHECK_TRUE(t, alone || i > 0 || memcmp(into, data, bytes) == 0);
        }
        put_in_file(t, path, begin, field->bits, real, 1 + (double)(real % 61));
    }
}

/* By threads and by collective calls, whole and in parts of a time slice or several: the same bytes and sums, and one
 * number that is none is told wherever it stands. */
static void a_field_is_the_same_in_pieces_of_any_size(check *t)
{
    static const int size[NAIK_DIM] = {4, 4, 8, 16};
    static const hsize_t box[5] = {16, 8, 4, 4, 4};
    static const int planes[] = {0, 0, 1, 3, 8, 24, 40};
    char path[512];
    naik_lattice *lat = NULL;
    const int threads = omp_get_max_threads();
    const size_t reals = (size_t)SITES * LINK_REALS;
    double *data = malloc(reals * sizeof *data), *into = malloc(reals * sizeof *into);
    snprintf(path, sizeof path, "%s/own.h5", check_folder());
    CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &lat));
    CHECK_REQUIRE(t, lat != NULL && data != NULL && into != NULL);
    for (int i = 0; i < 28; i++) {
        const int bits = i & 1 ? 32 : 64;
        const bool packed = i & 2;
        naik_h5_field field = {.type = naik_h5_tensor(bits, 2),
                               .bits = bits,
                               .reals = LINK_REALS,
                               .lead = -1,
                               .trail = 4,
                               .packed = packed,
                               .call_bytes = (int64_t)planes[i / 4] * 16 * LINK_REALS * bits / 8};
        uint32_t sum[2];
        static uint32_t first[2][2];
        hid_t file = -1;
        for (size_t k = 0; k < reals; k++) {
            put_real(data, packed ? bits : 64, (int64_t)k, 1 + (double)(k % 61));
        }
        t->comm->io.collective = i >= 4;
        omp_set_num_threads(i >= 4 ? threads : 2); /* a piece each, where there are two */
        CHECK_OK(t, naik_h5_create(t->comm, path, &file));
        CHECK_OK(t,
                 naik_h5_dataset(t->log, file, "field", field.type, 5, box, NULL, &field.dataset));
        CHECK_OK(t, naik_h5_field_write(lat, &field, data, sum));
        memcpy(first[i & 1], i < 2 ? sum : first[i & 1], sizeof sum);
        CHECK_TRUE(t, memcmp(first[i & 1], sum, sizeof sum) == 0);
        read_with(t, lat, &field, path, data, into, reals * (size_t)(packed ? bits : 64) / 8, sum);
        naik_h5_release(field.dataset);
        naik_h5_release(field.type);
        CHECK_OK(t, naik_h5_close(t->comm, &file));
        (void)unlink(path);
    }
    t->comm->io.collective = false;
    free(data);
    free(into);
    naik_lattice_destroy(&lat);
}

CHECK_MAIN(CHECK(a_field_is_the_same_in_pieces_of_any_size), CHECK(fields_are_moved_in_pieces),
           CHECK(a_site_has_its_reals_in_any_nesting),
           CHECK(a_field_has_four_dimensions_and_no_bottomless_type))
