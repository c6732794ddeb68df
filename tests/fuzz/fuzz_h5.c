/* fuzz_h5.c - how links are laid out in HDF5 files: naik's own, of QDP++, of PyQUDA, and others
 *
 * HDF5 itself follows damaged metadata into null pointers (io/h5/guard.h), so the bytes are not a
 * file: they say which datasets, types and attributes to make, HDF5 makes a sound file of them, and
 * naik's discovery of what is in there is what runs. A step is a byte that says what to do, and the
 * bytes it takes; what runs out is zero.
 *
 *   0 dataset   name, rank, dimensions..., type, nested arrays, their dimensions...
 *   1 attribute name, kind, count, bytes...   of the last dataset, or of the file
 *   2 link      name, target
 *   3 the next attributes are the file's
 */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "io/links/links_file.h"

enum { MAX_STEPS = 64, MAX_RANK = 6, MAX_ELEMENTS = 1 << 16, TEXT = 64 };

static const char *const objects[] = {"gauge",
                                      "fat",
                                      "long",
                                      "set0001/fat",
                                      "set0001/long",
                                      "LatticeColorMatrix/X",
                                      "LatticeColorMatrix/Y",
                                      "LatticeColorMatrix/Z",
                                      "LatticeColorMatrix/T",
                                      "config/links",
                                      "metadata/input_text",
                                      "a",
                                      "LatticeColorMatrix",
                                      "metadata"};
static const char *const attributes[] = {
    "format",    "state",      "suma",         "sumb",       "sum29",     "sum31",
    "dims",      "precision",  "byte_order",   "link_kind",  "phases_in", "plaquette",
    "link_sets", "boundary_t", "naik_epsilon", "long_scale", "svd_count", "link_trace"};
static const char *const texts[] = {"naik-gauge", "complete",  "none", "thin",     "fat",
                                    "long",       "little",    "big",  "periodic", "0",
                                    "deadbeef",   "naik-prop", "1.0"};
#define COUNT(table) (sizeof(table) / sizeof *(table))

typedef struct program {
    const uint8_t *at, *end;
    hid_t file, dataset; /* dataset: 0 where there is none */
} program;

static unsigned next(program *p)
{
    return p->at < p->end ? *p->at++ : 0;
}

static hid_t number_type(unsigned code)
{
    switch (code % 8) {
    case 0: return H5Tcopy(H5T_IEEE_F64LE);
    case 1: return H5Tcopy(H5T_IEEE_F32LE);
    case 2: return H5Tcopy(H5T_IEEE_F64BE);
    case 3: return H5Tcopy(H5T_IEEE_F32BE);
    case 4: return H5Tcopy(H5T_STD_I32LE);
    case 5: return H5Tcopy(H5T_STD_U32BE);
    case 6: return H5Tcopy(H5T_STD_I8LE);
    default: return H5Tcopy(H5T_STD_I64LE);
    }
}

/* A number, or a compound of two or three of them under names that may be the usual ones. */
static hid_t element_type(program *p)
{
    static const char *const names[][3] = {
        {"r", "i", "x"}, {"re", "im", "x"}, {"i", "r", "x"}, {"real", "imag", "x"}};
    const unsigned code = next(p);
    hid_t number = number_type(code);
    if ((code & 8) == 0) {
        return number;
    }
    const size_t bytes = H5Tget_size(number), members = (code & 16) != 0 ? 3 : 2;
    const size_t gap = (code & 32) != 0 ? 8 : 0;
    hid_t type = H5Tcreate(H5T_COMPOUND, members * (bytes + gap));
    for (size_t i = 0; i < members; i++) {
        H5Tinsert(type, names[code >> 6][i], i * (bytes + gap), number);
    }
    H5Tclose(number);
    return type;
}

static hid_t nested_type(program *p)
{
    hid_t type = element_type(p);
    for (unsigned depth = next(p) % 4; depth > 0; depth--) {
        hsize_t dims[2] = {next(p) % 80 + 1, next(p) % 8 + 1};
        hid_t array = H5Tarray_create2(type, dims[1] > 1 ? 2 : 1, dims);
        H5Tclose(type);
        type = array;
    }
    return type;
}

/* A name of the tables, or one letter. */
static const char *name_of(unsigned code, const char *const *table, size_t count, char text[2])
{
    snprintf(text, 2, "%c", 'a' + (int)(code % 26));
    return code < count ? table[code] : text;
}

static void make_dataset(program *p)
{
    char letter[2];
    hsize_t dims[MAX_RANK] = {1}, elements = 1;
    const char *name = name_of(next(p), objects, COUNT(objects), letter);
    const int rank = (int)(next(p) % (MAX_RANK + 1));
    for (int i = 0; i < rank; i++) {
        dims[i] = next(p) % 80;
        elements *= dims[i] > 0 ? dims[i] : 1;
    }
    hid_t type = nested_type(p);
    hid_t space = rank > 0 ? H5Screate_simple(rank, dims, NULL) : H5Screate(H5S_SCALAR);
    hid_t links = H5Pcreate(H5P_LINK_CREATE), storage = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    H5Pset_alloc_time(storage, H5D_ALLOC_TIME_EARLY);
    if (p->dataset > 0) {
        H5Dclose(p->dataset);
        p->dataset = 0;
    }
    if (type >= 0 && elements * H5Tget_size(type) <= MAX_ELEMENTS * 8) {
        p->dataset = H5Dcreate2(p->file, name, type, space, links, storage, H5P_DEFAULT);
    }
    H5Pclose(storage);
    H5Pclose(links);
    H5Sclose(space);
    H5Tclose(type);
}

static hid_t text_type(const char *text, bool variable)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, variable ? H5T_VARIABLE : strlen(text) + 1);
    return type;
}

static void make_attribute(program *p)
{
    char letter[2], text[TEXT] = "";
    uint8_t bytes[TEXT] = {0};
    const char *name = name_of(next(p), attributes, COUNT(attributes), letter);
    const unsigned kind = next(p), count = next(p) % 8;
    const char *value = text;
    hsize_t dims[1] = {count};
    for (unsigned i = 0; i < sizeof bytes && i < 8 * (count > 0 ? count : 1); i++) {
        bytes[i] = (uint8_t)next(p);
    }
    const void *content = bytes;
    hid_t type, space = count > 0 ? H5Screate_simple(1, dims, NULL) : H5Screate(H5S_SCALAR);
    if ((kind & 1) != 0) {
        type = number_type(kind >> 1);
    } else {
        if (bytes[0] < COUNT(texts)) {
            value = texts[bytes[0]];
        } else {
            memcpy(text, bytes, sizeof text - 1);
        }
        type = text_type(value, (kind & 2) != 0);
        content = (kind & 2) != 0 ? (const void *)&value : value;
        H5Sclose(space);
        space = H5Screate(H5S_SCALAR);
    }
    hid_t attribute = H5Acreate2(p->dataset > 0 ? p->dataset : p->file, name, type, space,
                                 H5P_DEFAULT, H5P_DEFAULT);
    if (attribute >= 0) {
        H5Awrite(attribute, type, content);
        H5Aclose(attribute);
    }
    H5Sclose(space);
    H5Tclose(type);
}

static void make_link(program *p)
{
    char letter[2], other[2];
    const char *name = name_of(next(p), objects, COUNT(objects), letter);
    const unsigned target = next(p);
    const char *to = name_of(target >> 1, objects, COUNT(objects), other);
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    if ((target & 1) != 0) {
        H5Lcreate_soft(to, p->file, name, links, H5P_DEFAULT);
    } else {
        H5Lcreate_hard(p->file, to, p->file, name, links, H5P_DEFAULT);
    }
    H5Pclose(links);
}

static void run_program(program *p)
{
    for (int step = 0; step < MAX_STEPS && p->at < p->end; step++) {
        const unsigned what = next(p) % 4;
        if (what == 0) {
            make_dataset(p);
        } else if (what == 1) {
            make_attribute(p);
        } else if (what == 2) {
            make_link(p);
        } else if (p->dataset > 0) {
            H5Dclose(p->dataset);
            p->dataset = 0;
        }
    }
    if (p->dataset > 0) {
        H5Dclose(p->dataset);
    }
}

static void read_fat_links(const char *path)
{
    static const int size[NAIK_DIM] = {2, 2, 2, 2};
    naik_fatlong *links = NULL;
    naik_lattice *lattice = fuzz_lattice(size);
    fuzz_judge(lattice->comm->log, naik_links_h5_read(path, lattice, 0, "periodic", &links));
    naik_fatlong_destroy(&links);
    naik_lattice_destroy(&lattice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH];
    fuzz_comm();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    /* HDF5 wants a name that can be resolved, which a file in memory has not. */
    snprintf(path, sizeof path, "%s/naik-fuzz-%d.h5",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (int)getpid());
    program p = {.at = data, .end = data + size};
    p.file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (p.file >= 0) {
        run_program(&p);
        const bool has_sets = H5Aexists(p.file, "link_sets") > 0;
        H5Fclose(p.file);
        fuzz_gauge(&naik_gauge_format_pyquda, path);
        fuzz_gauge(&naik_gauge_format_qdp, path);
        fuzz_gauge(&naik_gauge_format_h5, path);
        if (has_sets) {
            read_fat_links(path);
        }
    }
    remove(path);
    return 0;
}
