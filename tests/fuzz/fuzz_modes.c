/* fuzz_modes.c - files of low modes and of a search for them, forged: their checksums agree
 *
 * HDF5 itself follows damaged metadata into null pointers (io/h5/guard.h), so the bytes are not a
 * file: they say what is changed in a sound one, whose checksums are then made to agree with it. The
 * first byte chooses the file; its top bit leaves the checksums alone. A step is a byte that says what
 * to do, and the bytes it takes; what runs out is zero.
 *
 *   0 attribute  number, value       of the file
 *   1 number     dataset, place (2 bytes), value
 *   2 dataset    number              is no longer there
 *
 * A value is its number in a table, or 255 and eight bytes. Whatever is in the file, it is refused with
 * a sentence, or a search begins again, or what is read may be used.
 */
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/create.h"
#include "backend/halo.h"
#include "fuzz.h"
#include "gauge/heatbath.h"
#include "io/checksum.h"
#include "io/h5/metadata_crc.h"
#include "io/h5/numbers.h"
#include "io/modes/modes_file.h"
#include "io/modes/vectors.h"

enum {
    MAX_STEPS = 16,
    PATH = 96,
    MODES = 8,
    NEXT_CYCLE = 5,
    MID_CYCLE = 6,
    GOES_ON = 2,
    NEVER = 1 << 30,
    FILES = 3
};

#define TIGHT 1e-4

static const double values[] = {0,        -1,    1,      2,     8,      48,         12,
                                NAN,      1e300, -1e300, 1e-30, 1e-310, 2147483647, -2147483648.0,
                                INFINITY, 1e18,  0.5,    3,     1e6,    1e-3};
static const char *const texts[] = {"searching", "complete", "incomplete", "naik-modes", "hisq",
                                    "naive",     "periodic", "2.0",        "",           "odd"};

typedef struct place { /* made at the first input, as MPI is */
    naik_lattice *lattice;
    naik_backend *backend;
    naik_geometry *geometry;
    naik_gauge *thin;
    naik_fattener *fattener;
    naik_fatlong *source;
    naik_links *outer, *single;
    naik_modes_about about;
    char path[PATH];
    uint8_t *file[FILES];
    size_t size[FILES];
    int stops_after, saves;
    bool writes; /* what it leaves */
} place;

static place here;

static void must(naik_status status)
{
    if (status != NAIK_OK) {
        fprintf(stderr, "fuzz: %s\n", naik_log_message(fuzz_comm()->log));
        abort();
    }
}

/* ---- a search, which is stopped after so many blocks */

static bool stop(void *data)
{
    const place *p = data;
    return p->saves >= p->stops_after;
}

static naik_status save(void *data, const naik_lanczos_state *state, bool stops)
{
    place *p = data;
    p->saves++;
    if (!stops || !p->writes) {
        return NAIK_OK;
    }
    p->about.state = *state;
    return naik_modes_file_write(p->geometry, p->path, NULL, &p->about);
}

static naik_status restore(void *data, naik_lanczos_state *state, bool *found)
{
    const place *p = data;
    return access(p->path, F_OK) == 0
               ? naik_modes_search_read(p->geometry, p->path, &p->about, state, found)
               : NAIK_OK;
}

static naik_status search(int stops_after, bool writes, naik_modes **out)
{
    const naik_lanczos_hooks hooks = {
        .data = &here, .stop = stop, .save = save, .restore = restore};
    naik_lanczos_options options = naik_lanczos_defaults();
    naik_lanczos_report report;
    options.modes = MODES;
    options.krylov = naik_lanczos_least(MODES);
    options.seed = here.about.seed;
    options.tolerance = here.about.tolerance;
    here.about.report.krylov = naik_lanczos_krylov(&options);
    here.saves = 0;
    here.writes = writes;
    here.stops_after = stops_after;
    const naik_status status =
        naik_lanczos_run(here.outer, here.single, NULL, &options, &hooks, out, &report);
    here.about.state = (naik_lanczos_state){0};
    if (status == NAIK_OK) {
        here.about.report = report;
    }
    return status;
}

/* ---- the sound files */

static void take_file(int which)
{
    FILE *stream = fopen(here.path, "rb");
    if (stream == NULL || fseek(stream, 0, SEEK_END) != 0) {
        abort();
    }
    here.size[which] = (size_t)ftell(stream);
    here.file[which] = malloc(here.size[which]);
    rewind(stream);
    if (fread(here.file[which], 1, here.size[which], stream) != here.size[which]) {
        abort();
    }
    fclose(stream);
    remove(here.path);
}

static void put_file(int which)
{
    FILE *stream = fopen(here.path, "wb");
    if (stream == NULL ||
        fwrite(here.file[which], 1, here.size[which], stream) != here.size[which]) {
        abort();
    }
    fclose(stream);
}

static void strike(void)
{
    naik_links_destroy(&here.outer);
    naik_links_destroy(&here.single);
    naik_fatlong_destroy(&here.source);
    naik_fattener_destroy(&here.fattener);
    naik_gauge_destroy(&here.thin);
    naik_geometry_destroy(&here.geometry);
    naik_backend_destroy(&here.backend);
    naik_lattice_destroy(&here.lattice);
    for (int i = 0; i < FILES; i++) {
        free(here.file[i]);
    }
}

static void make_files(void)
{
    static const int size[NAIK_DIM] = {4, 4, 4, 4};
    const naik_backend_options options = {.threads = 1};
    naik_modes *modes = NULL;
    naik_log *log = fuzz_comm()->log;
    here.lattice = fuzz_lattice(size);
    must(naik_backend_create(fuzz_comm(), "cpu", &options, &here.backend));
    must(naik_geometry_create(here.backend, here.lattice, &here.geometry));
    must(naik_gauge_create(here.lattice, &here.thin));
    naik_gauge_set_unit(here.thin);
    must(naik_heatbath(here.thin, 5.5, 7, 0, 4, 1));
    naik_gauge_apply_phases(here.thin, true);
    must(naik_fattener_create(here.thin, NAIK_NAIVE, 1, NULL, &here.fattener));
    must(naik_fattener_links(here.fattener, 0, &here.source));
    must(naik_links_create(here.geometry, here.source, NAIK_DOUBLE, 18, &here.outer));
    must(naik_links_create(here.geometry, here.source, NAIK_SINGLE, 18, &here.single));
    here.about = (naik_modes_about){
        .action = "naive", .boundary_t = "antiperiodic", .tolerance = 0.01, .seed = 5};
    must(naik_modes_identify_links(here.source, &here.about));
    must(search(NEVER, false, &modes));
    must(naik_modes_file_write(here.geometry, here.path, modes, &here.about));
    naik_modes_destroy(&modes);
    take_file(0);
    here.about.tolerance = TIGHT; /* which takes more than one cycle */
    for (int which = 1; which < FILES; which++) {
        if (search(which == 1 ? NEXT_CYCLE : MID_CYCLE, true, &modes) != NAIK_ERR_INTERRUPTED) {
            abort();
        }
        naik_log_clear(log);
        take_file(which);
    }
    atexit(strike);
}

/* ---- what is changed in them */

static const char *const attributes[] = {
    "kept",       "size",         "converged",      "degree",     "cycles",       "starts",
    "krylov",     "applications", "random_blocks",  "seed",       "interval_low", "interval_high",
    "tolerance",  "naik_epsilon", "dims",           "fat_suma",   "state",        "format",
    "boundary_t", "action",       "gram_deviation", "lambda2_crc"};
static const char *const datasets[] = {"v", "lambda2", "residual", "t", "suma", "sumb"};
#define COUNT(table) (sizeof(table) / sizeof *(table))

typedef struct program {
    const uint8_t *at, *end;
    hid_t file, group;
} program;

static unsigned next(program *p)
{
    return p->at < p->end ? *p->at++ : 0;
}

static double next_value(program *p)
{
    const unsigned code = next(p);
    uint8_t bytes[8];
    double value;
    if (code != 255) {
        return values[code % COUNT(values)];
    }
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)next(p);
    }
    memcpy(&value, bytes, sizeof value);
    return value;
}

static int64_t whole(double value)
{
    return value >= -9e18 && value <= 9e18 ? (int64_t)value : INT64_MIN;
}

/* The name of an attribute of the file or of a dataset: of a table, or of whatever there is. */
static bool name_at(const program *p, bool attribute, unsigned number, char name[64])
{
    H5O_info_t info;
    H5G_info_t group;
    const size_t known = attribute ? COUNT(attributes) : COUNT(datasets);
    if (number < known) {
        snprintf(name, 64, "%s", attribute ? attributes[number] : datasets[number]);
        return attribute ? H5Aexists(p->file, name) > 0
                         : H5Lexists(p->group, name, H5P_DEFAULT) > 0;
    }
    const hsize_t count = attribute ? (H5Oget_info(p->file, &info) >= 0 ? info.num_attrs : 0)
                                    : (H5Gget_info(p->group, &group) >= 0 ? group.nlinks : 0);
    const hsize_t at = count > 0 ? (number - known) % count : 0;
    return count > 0 && (attribute ? H5Aget_name_by_idx(p->file, ".", H5_INDEX_NAME, H5_ITER_INC,
                                                        at, name, 64, H5P_DEFAULT)
                                   : H5Lget_name_by_idx(p->group, ".", H5_INDEX_NAME, H5_ITER_INC,
                                                        at, name, 64, H5P_DEFAULT)) > 0;
}

static void change_attribute(program *p)
{
    char name[64];
    const unsigned number = next(p);
    const double value = next_value(p);
    const int64_t integer = whole(value);
    if (!name_at(p, true, number, name)) {
        return;
    }
    hid_t attribute = H5Aopen(p->file, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    const H5T_class_t class = H5Tget_class(type);
    H5Tclose(type);
    if (class == H5T_FLOAT) {
        H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value);
    } else if (class == H5T_INTEGER && strcmp(name, "dims") != 0) {
        H5Awrite(attribute, H5T_NATIVE_INT64, &integer);
    } else if (class == H5T_INTEGER) {
        const int64_t dims[NAIK_DIM] = {4, integer, 4, 4};
        H5Awrite(attribute, H5T_NATIVE_INT64, dims);
    }
    H5Aclose(attribute);
    if (class == H5T_STRING) {
        H5Adelete(p->file, name);
        naik_h5_put_text(fuzz_comm()->log, p->file, name, texts[(uint64_t)integer % COUNT(texts)]);
    }
}

/* Of a dataset, as a sequence of numbers of 4 or 8 bytes. */
static void change_number(program *p)
{
    char name[64];
    const unsigned number = next(p), place = next(p) | next(p) << 8;
    const double value = next_value(p);
    const float narrow = (float)value;
    if (!name_at(p, false, number, name)) {
        return;
    }
    hid_t dataset = H5Dopen2(p->group, name, H5P_DEFAULT), type = H5Dget_type(dataset);
    hid_t space = H5Dget_space(dataset);
    const size_t bytes = (size_t)H5Sget_simple_extent_npoints(space) * H5Tget_size(type);
    const H5T_class_t class = H5Tget_class(type);
    uint8_t *content = malloc(bytes + 8);
    if (bytes >= 8 && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, content) >= 0) {
        if (class == H5T_FLOAT && H5Tget_size(type) == 8) {
            memcpy(content + 8 * (place % (bytes / 8)), &value, 8);
        } else {
            memcpy(content + 4 * (place % (bytes / 4)), &narrow, 4);
        }
        H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, content);
    }
    free(content);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(dataset);
}

static void remove_dataset(program *p)
{
    char name[64];
    if (name_at(p, false, next(p), name)) {
        H5Ldelete(p->group, name, H5P_DEFAULT);
    }
}

/* crc32 of a dataset of reals into its attribute. */
static void agree_numbers(hid_t file, const char *dataset, const char *attribute, int count)
{
    double *all = calloc((size_t)count + 1, sizeof *all);
    if (H5Lexists(file, dataset, H5P_DEFAULT) > 0 && H5Aexists(file, attribute) > 0 &&
        naik_h5_numbers_get(fuzz_comm()->log, file, dataset, H5T_NATIVE_DOUBLE, 8, count, all) ==
            NAIK_OK) {
        const int64_t sum = naik_crc32(all, (size_t)count * sizeof *all);
        hid_t open = H5Aopen(file, attribute, H5P_DEFAULT);
        H5Awrite(open, H5T_NATIVE_INT64, &sum);
        H5Aclose(open);
    }
    naik_log_clear(fuzz_comm()->log);
    free(all);
}

static void put_words(hid_t file, const char *name, const uint32_t *word)
{
    if (H5Lexists(file, name, H5P_DEFAULT) > 0) {
        hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
        H5Dwrite(dataset, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, word);
        H5Dclose(dataset);
    }
}

static void agree_vectors(hid_t file, int count)
{
    naik_mode_vectors vectors = {.dataset = -1, .type = -1};
    uint32_t *word = calloc(2 * (size_t)count + 1, sizeof *word);
    must(naik_mode_vectors_open(here.lattice, file, &vectors));
    for (int i = 0; i < count; i++) {
        uint32_t sum[2];
        must(naik_mode_vector_read(&vectors, NULL, i, sum));
        word[i] = sum[0];
        word[count + i] = sum[1];
    }
    naik_mode_vectors_close(&vectors);
    put_words(file, "modes/suma", word);
    put_words(file, "modes/sumb", word + count);
    free(word);
}

static void make_agree(void)
{
    hid_t file = -1;
    bool bricks;
    must(naik_h5_open(fuzz_comm(), here.path, true, &file));
    const int count = H5Lexists(file, "modes/v", H5P_DEFAULT) > 0
                          ? naik_mode_vectors_count(file, here.lattice->size, &bricks)
                          : 0;
    if (count > 0) {
        agree_numbers(file, "modes/lambda2", "lambda2_crc", count);
        agree_numbers(file, "modes/residual", "residual_crc", count);
        agree_numbers(file, "modes/t", "t_crc", 2 * count * count);
        agree_vectors(file, count);
    }
    H5Adelete(file, "metadata_crc");
    must(naik_h5_write_metadata_crc(fuzz_comm(), file));
    naik_h5_close(fuzz_comm(), &file);
}

static void change_file(program *p, bool agrees)
{
    p->file = H5Fopen(here.path, H5F_ACC_RDWR, H5P_DEFAULT);
    p->group = H5Gopen2(p->file, "modes", H5P_DEFAULT);
    for (int step = 0; step < MAX_STEPS && p->at < p->end; step++) {
        const unsigned what = next(p) % 3;
        if (what == 0) {
            change_attribute(p);
        } else if (what == 1) {
            change_number(p);
        } else {
            remove_dataset(p);
        }
    }
    H5Gclose(p->group);
    H5Fclose(p->file);
    if (agrees) {
        make_agree();
    }
}

/* ---- what naik makes of them */

static void read_modes(void)
{
    naik_log *log = fuzz_comm()->log;
    naik_modes_about about = here.about;
    naik_modes *modes = NULL;
    int count = 0;
    double gram;
    naik_status status = naik_modes_file_look(here.geometry, here.path, &about, &count);
    if (status == NAIK_OK) {
        must(naik_modes_create(here.geometry, NAIK_SINGLE, count, &modes));
        status = naik_modes_file_read(modes->geometry, here.path, modes->count, modes->block,
                                      modes->lambda2, modes->residual, NULL);
    }
    fuzz_judge(log, status);
    if (status == NAIK_OK) {
        must(naik_modes_measure(modes, here.outer, &gram));
    }
    naik_modes_destroy(&modes);
}

static void read_spectrum(void)
{
    naik_modes_spectrum spectrum = {.count = 0};
    const naik_status status = naik_modes_spectrum_read(fuzz_comm()->log, here.path, &spectrum);
    if (status == NAIK_OK && !(spectrum.lambda2[0] >= 0)) {
        abort();
    }
    fuzz_judge(fuzz_comm()->log, status);
    naik_modes_spectrum_clear(&spectrum);
}

/* A search goes on from the file or begins again; it does not call links damaged. */
static void go_on(void)
{
    naik_modes *modes = NULL;
    const naik_status status = search(GOES_ON, false, &modes);
    if (status == NAIK_ERR_CORRUPT || status == NAIK_ERR_ARG) {
        must(status);
    }
    if (status != NAIK_ERR_INTERRUPTED && status != NAIK_ERR_NOT_CONVERGED) {
        fuzz_judge(fuzz_comm()->log, status);
    }
    naik_log_clear(fuzz_comm()->log);
    naik_modes_destroy(&modes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_comm();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (here.lattice == NULL) {
        /* HDF5 wants a name that can be resolved, which a file in memory has not. */
        snprintf(here.path, sizeof here.path, "%s/naik-fuzz-modes-%d.h5",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (int)getpid());
        make_files();
    }
    program p = {.at = data, .end = data + size};
    const unsigned choice = next(&p);
    const int which = (int)(choice & 0x7f) % FILES;
    put_file(which);
    change_file(&p, (choice & 0x80) == 0);
    read_spectrum();
    read_modes();
    if (which > 0) {
        go_on();
    }
    remove(here.path);
    return 0;
}
