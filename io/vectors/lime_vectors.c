/* lime_vectors.c - the vectors of a LIME file: records of one or several, and columns of propagators
 *
 * What is a source and what a solution is told by the record's own XML; records of other kinds (complex
 * fields, gauge links) are passed over, once they are known to be that: a vector that damage has made
 * unrecognisable would leave its place to the next one.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io/files.h"
#include "io/vectors/records.h"

enum { SPINS = 4, COLOURS = 3, MAX_VECTORS = 1 << 20 };

/* How the vectors of a kind lie in the element of a site. */
typedef struct layout {
    naik_field_kind kind;
    int spins, columns;             /* of each vector; of a site: 0: datacount */
    int colour_step, spin_step;     /* in complex numbers */
    int source_colour, source_spin; /* from one column to the next */
} layout;

static const layout layouts[] = {
    {NAIK_FIELD_VECTORS, 1, 0, 1, COLOURS, 0, 0},
    {NAIK_FIELD_SPINORS, SPINS, 0, 1, COLOURS, 0, 0},
    {NAIK_FIELD_STAGGERED_PROPAGATOR, 1, COLOURS, COLOURS, 0, 1, 0},
    {NAIK_FIELD_PROPAGATOR, SPINS, SPINS *COLOURS, COLOURS, SPINS *COLOURS *COLOURS, 1,
     COLOURS *COLOURS},
};

static const layout *layout_of(const naik_scidac_field *f)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        if (f->kind == layouts[i].kind && f->colors == COLOURS) {
            return &layouts[i];
        }
    }
    return NULL;
}

bool naik_field_holds_vectors(const naik_scidac_field *f)
{
    return layout_of(f) != NULL;
}

static int columns_of(const naik_scidac_field *f)
{
    const layout *l = layout_of(f);
    return l == NULL ? 0 : l->columns > 0 ? l->columns : f->datacount;
}

/* Where column number `column` of a site begins, in complex numbers. */
static int first_of(const naik_scidac_field *f, int column)
{
    const layout *l = layout_of(f);
    return l->columns == 0
               ? column * (f->typesize / (f->bits / 4))
               : column / COLOURS * l->source_spin + column % COLOURS * l->source_colour;
}

/* Whether QUDA says that a field has the sites of one parity alone, whose extent in x is then half. */
static bool is_of_parity(const naik_scidac_field *f)
{
    char text[16];
    return naik_xml_value(f->user, "subset", text, sizeof text) && strcmp(text, "parity") == 0;
}

/* The parity that QUDA gives a field, -1: none. */
static int parity_of(const naik_scidac_field *f)
{
    char text[16];
    const bool told = naik_xml_value(f->user, "parity", text, sizeof text);
    return told && strcmp(text, "even") == 0  ? NAIK_EVEN
           : told && strcmp(text, "odd") == 0 ? NAIK_ODD
                                              : -1;
}

/* The eigenvalue in the text of a record, as MILC and Hadrons write it. */
static double value_of(const naik_scidac_field *f)
{
    char text[64];
    double value;
    return (naik_xml_value(f->user, "eigVal", text, sizeof text) ||
            naik_xml_value(f->user, "eval", text, sizeof text)) &&
                   naik_text_real(text, &value)
               ? value
               : NAN;
}

/* Spin and colour of the source, as the text of a USQCD record tells them. */
static void take_told(const naik_scidac_field *f, naik_vector_record *out)
{
    bool told = strstr(f->user, "<usqcd") != NULL && columns_of(f) == 1 &&
                naik_xml_ints(f->user, "color", 1, &out->colour) && out->colour >= 0;
    if (told && layout_of(f)->spins > 1) {
        told = naik_xml_ints(f->user, "spin", 1, &out->spin) && out->spin >= 0;
    }
    out->tells = told;
}

/* 3 spin + colour of what is told, -1: not told, or no column of a propagator of so many. */
static int column_told(const naik_vector_record *r, int columns)
{
    const bool is_one = r->tells && r->colour < COLOURS && r->spin < columns / COLOURS;
    return is_one ? COLOURS * r->spin + r->colour : -1;
}

static void take_column(const naik_scidac_field *f, int column, naik_vector_record *out)
{
    const layout *l = layout_of(f);
    *out = (naik_vector_record){.offset = f->offset,
                                .value = value_of(f),
                                .sites = f->checkered || is_of_parity(f) ? NAIK_VECTOR_CHECKER
                                                                         : NAIK_VECTOR_BOX,
                                .row = f->dims[0],
                                .element_bytes = f->typesize * f->datacount,
                                .first = first_of(f, column),
                                .colour_step = l->colour_step,
                                .spin_step = l->spins > 1 ? l->spin_step : COLOURS,
                                .bits = f->bits,
                                .big_endian = true,
                                .has_sum = f->has_sum};
    take_told(f, out);
    memcpy(out->sum, f->sum, sizeof out->sum);
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        out->lower[mu] = f->recordtype == 2 ? f->lower[mu] : 0;
        out->upper[mu] = f->recordtype == 2 ? f->upper[mu] : f->dims[mu] - 1;
    }
}

/* Whatever a record holds, its description must fit it. */
static naik_status check_description(naik_log *log, const naik_scidac_field *f, const char *path)
{
    if (!f->contradicts) {
        return NAIK_OK;
    }
    if (f->bits != 0 && f->precision != 0 && f->precision != f->bits) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "'%s' says that its vector at byte %lld has numbers of %d bits, but the "
                         "data have %d",
                         path, (long long)f->offset, f->precision, f->bits);
    }
    return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                     "'%s' has %lld bytes of data at byte %lld that do not fit their own "
                     "description (record type %d, %d elements of %d bytes a site, %d colours)",
                     path, (long long)f->size_bytes, (long long)f->offset, f->recordtype,
                     f->datacount, f->typesize, f->colors);
}

/* All of the file are alike: spins, extents, basis. */
static naik_status take_likeness(naik_log *log, const naik_scidac_field *f, bool first,
                                 naik_vector_file *file)
{
    const int spin = layout_of(f)->spins;
    const bool halved = f->checkered || is_of_parity(f);
    const int size[NAIK_DIM] = {is_of_parity(f) ? 2 * f->dims[0] : f->dims[0], f->dims[1],
                                f->dims[2], f->dims[3]};
    if (!f->has_dims) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s' holds vectors and does not tell their extents",
                         file->path);
    }
    if (first) {
        file->spin = spin;
        memcpy(file->size, size, sizeof file->size);
        file->halved = halved;
        file->parity = parity_of(f);
        strcpy(file->basis, f->tmlqcd ? "tmLQCD" : "");
        if (f->tmlqcd) {
            naik_xml_ints(f->format, "flavours", 1, &file->flavours);
        }
        memcpy(file->datatype, f->datatype, sizeof file->datatype);
    }
    if (spin != file->spin) {
        return NAIK_FAIL(
            log, NAIK_ERR_INPUT,
            "'%s' holds colour vectors beside spinors: files of one of the two are read",
            file->path);
    }
    if (memcmp(file->size, size, sizeof file->size) != 0 || file->halved != halved ||
        file->parity != parity_of(f) || (file->basis[0] != '\0') != f->tmlqcd) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "'%s' holds vectors of several lattices or codes: files of one are read",
                         file->path);
    }
    return NAIK_OK;
}

/* Sources and solutions that the numbers of them do not excuse. */
static naik_status check_counts(naik_log *log, int sources, int sums, naik_vector_file *file)
{
    if ((sums > 0 && !file->has_checksums) ||
        (sources > 1 && file->count > 0 && sources != file->count)) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "'%s' holds %d sources and %d solutions, and %d checksums of them: some "
                         "are damaged",
                         file->path, sources, file->count, sums);
    }
    return NAIK_OK;
}

/* Where the records of one propagator tell spin and colour, each vector goes to its place. */
static void place_columns(naik_vector_file *file)
{
    naik_vector_record solution[SPINS * COLOURS], source[SPINS * COLOURS];
    const int columns = file->spin * COLOURS;
    bool seen[SPINS * COLOURS] = {false}, all = file->count == columns;
    for (int i = 0; i < file->count && all; i++) {
        const int to = column_told(&file->solution[i], columns);
        all = to >= 0 && !seen[to];
        if (all) {
            seen[to] = true;
            solution[to] = file->solution[i];
            source[to] = file->source[i];
        }
    }
    if (all) {
        memcpy(file->solution, solution, (size_t)columns * sizeof *solution);
        memcpy(file->source, source, (size_t)columns * sizeof *source);
    }
}

naik_status naik_vector_file_expect_columns(naik_log *log, const naik_vector_file *file)
{
    for (int i = 0; i < file->count; i++) {
        const int spin = i / COLOURS, colour = i % COLOURS;
        const naik_vector_record *const of[2] = {&file->solution[i],
                                                 file->has_sources ? &file->source[i] : NULL};
        for (int part = 0; part < 2; part++) {
            const naik_vector_record *r = of[part];
            if (r != NULL && r->tells && (r->spin != spin || r->colour != colour)) {
                return NAIK_FAIL(
                    log, NAIK_ERR_INPUT,
                    "'%s' says that its %s number %d is of spin %d and colour %d, where "
                    "spin %d and colour %d are expected: naik reads whole propagators",
                    file->path, part == 0 ? "vector" : "source", i, r->spin, r->colour, spin,
                    colour);
            }
        }
    }
    return NAIK_OK;
}

/* Vectors that Hadrons numbers follow each other. */
static naik_status check_order(naik_log *log, const naik_scidac_file *lime, const char *path)
{
    int first = 0, next = 0, before = -1;
    for (int i = 0; i < lime->count; i++) {
        if (strstr(lime->field[i].user, "VecRecord") == NULL ||
            !naik_xml_ints(lime->field[i].user, "index", 1, &next)) {
            continue;
        }
        first = before < 0 ? next : first;
        if (before >= 0 && next != before + 1) {
            return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                             "'%s' numbers its vectors %d, ..., %d and then %d: some are missing",
                             path, first, before, next);
        }
        before = next;
    }
    return NAIK_OK;
}

/* MILC tells in the title how many vectors it wrote: a file that was cut between two records lacks the last. */
static naik_status check_count(naik_log *log, const naik_scidac_file *lime,
                               const naik_vector_file *file)
{
    int said = 0;
    if (naik_xml_ints(lime->user, "Nvecs", 1, &said) && said > file->count) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "'%s' says that it holds %d vectors, but has %d: some are missing",
                         file->path, said, file->count);
    }
    return NAIK_OK;
}

/* MILC packs even sites into the first half of the time slices. */
static naik_status mark_packed(naik_log *log, const naik_scidac_file *lime, naik_vector_file *file)
{
    char text[16];
    file->packed =
        naik_xml_value(lime->user, "format", text, sizeof text) && strcmp(text, "Packed") == 0;
    for (int i = 0; i < file->count && file->packed; i++) {
        naik_vector_record *r = &file->solution[i];
        bool half = r->sites == NAIK_VECTOR_BOX && 2 * (r->upper[3] + 1) == file->size[3];
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            half = half && r->lower[mu] == 0 && (mu == 3 || r->upper[mu] + 1 == file->size[mu]);
        }
        if (!half) {
            return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                             "'%s' says that its vectors are packed, but vector %d does not have "
                             "half of the time slices",
                             file->path, i);
        }
        r->sites = NAIK_VECTOR_PACKED;
    }
    return NAIK_OK;
}

/* Sorts the vectors of the file into sources and solutions. */
static naik_status sort_vectors(naik_log *log, const naik_scidac_file *lime, naik_vector_file *file)
{
    int sources = 0, others = 0, sums = 0, fields = 0;
    char contents[400];
    if (lime->lone > 0) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "'%s' describes %d records whose data are not there", file->path,
                         lime->lone);
    }
    for (int i = 0; i < lime->count; i++) {
        const naik_scidac_field *f = &lime->field[i];
        NAIK_PASS(check_description(log, f, file->path));
        const int columns = columns_of(f);
        for (int k = 0; k < columns; k++) {
            NAIK_PASS(take_likeness(log, f, file->count + sources == 0, file));
            take_column(f, k,
                        f->is_source ? &file->source[sources++] : &file->solution[file->count++]);
        }
        fields += columns > 0;
        others += columns == 0 && f->is_source;
        file->whole = file->whole || (columns > 0 && layout_of(f)->columns > 0);
        sums += columns > 0 && f->has_sum;
    }
    file->has_checksums = sums == fields;
    NAIK_PASS(check_order(log, lime, file->path));
    NAIK_PASS(check_counts(log, sources, sums, file));
    if (file->count == 0 && sources > 0) { /* a file of sources only: they are its vectors */
        naik_vector_record *swap = file->solution;
        file->solution = file->source;
        file->source = swap;
        file->count = sources;
        sources = 0;
    }
    if (file->count == 0) {
        naik_scidac_contents(lime, contents, sizeof contents);
        return NAIK_FAIL(
            log, NAIK_ERR_INPUT,
            "'%s' is a LIME file, but none of its records is a colour vector, a spinor "
            "or a propagator: it holds %s",
            file->path, contents);
    }
    file->has_sources = sources == file->count;
    file->other_sources = file->has_sources ? 0 : sources + others;
    place_columns(file);
    file->precision = file->solution[0].bits;
    strcpy(file->format, file->has_sources ? "usqcd-pairs"
                         : file->whole     ? "scidac-propagator"
                                           : "scidac-vector");
    return NAIK_OK;
}

naik_status naik_vectors_allocate(naik_log *log, int count, naik_vector_file *file)
{
    file->solution = calloc((size_t)count + 1, sizeof *file->solution);
    file->source = calloc((size_t)count + 1, sizeof *file->source);
    return file->solution != NULL && file->source != NULL
               ? NAIK_OK
               : NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the records of '%s'", file->path);
}

/* Of a volume of several files the offset of a record is the number of its array. */
static naik_status number_arrays(naik_log *log, const naik_scidac_file *lime,
                                 naik_vector_file *file)
{
    for (int i = 0; i < lime->count; i++) {
        const int array = naik_volumes_arrays_before(lime, i);
        if (columns_of(&lime->field[i]) > 0 && lime->field[i].recordtype != 0) {
            return NAIK_FAIL(log, NAIK_ERR_INPUT,
                             "'%s' is a QIO volume of several files with vectors on a part of the "
                             "lattice, which are read from single files only",
                             file->path);
        }
        for (int k = 0; k < file->count; k++) {
            naik_vector_record *const of[] = {&file->solution[k], &file->source[k]};
            for (int part = 0; part < 2; part++) {
                of[part]->offset =
                    of[part]->offset == lime->field[i].offset ? -1 - array : of[part]->offset;
            }
        }
    }
    for (int k = 0; k < file->count; k++) {
        file->solution[k].offset = -1 - file->solution[k].offset;
        file->source[k].offset = -1 - file->source[k].offset;
    }
    return NAIK_OK;
}

/* How many files v1.bin, v2.bin, ... of Hadrons lie beside v0.bin; 0 where it is none of them. */
static naik_status count_others(naik_comm *comm, const naik_scidac_file *lime, const char *path,
                                int *count)
{
    static const char name[] = "v0.bin";
    const size_t length = strlen(path), tail = sizeof name - 1;
    *count = 0;
    if (strstr(lime->user, "eigenPackPar") == NULL || length < tail ||
        strcmp(path + length - tail, name) != 0 || length + 16 > NAIK_PATH_MAX) {
        return NAIK_OK;
    }
    for (int64_t size_bytes = 0; size_bytes >= 0 && *count < MAX_VECTORS;) {
        char other[NAIK_PATH_MAX];
        snprintf(other, sizeof other, "%.*sv%d.bin", (int)(length - tail), path, *count + 1);
        NAIK_PASS(naik_file_size(comm, other, &size_bytes));
        *count += size_bytes >= 0;
    }
    return NAIK_OK;
}

/* The vector of file `number` of a list, which is like the first. */
static naik_status take_other(naik_comm *comm, naik_vector_file *file, int number)
{
    naik_status status = NAIK_OK;
    naik_scidac_file *lime = NULL;
    char path[NAIK_PATH_MAX];
    snprintf(path, sizeof path, "%.*sv%d.bin", (int)(strlen(file->path) - strlen("v0.bin")),
             file->path, number);
    char *kept = strdup(path);
    NAIK_TRY(naik_comm_agree(comm, kept != NULL ? NAIK_OK
                                                : NAIK_FAIL(comm->log, NAIK_ERR_MEMORY,
                                                            "no memory for the name of a file")));
    file->others[file->other_count++] = kept;
    kept = NULL;
    NAIK_TRY(naik_scidac_open(comm, path, &lime));
    const naik_scidac_field *f = lime->field;
    int index = -1;
    if (lime->count != 1 || lime->lone > 0 || f->contradicts || columns_of(f) != 1 ||
        !naik_xml_ints(f->user, "index", 1, &index) || index != number || !f->has_sum) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT,
                           "'%s' does not hold the one vector of number %d that its name promises",
                           path, number);
        goto done;
    }
    NAIK_TRY(take_likeness(comm->log, f, false, file));
    take_column(f, 0, &file->solution[file->count]);
    file->solution[file->count++].file = number;
done:
    free(kept);
    naik_scidac_close(&lime);
    return status;
}

naik_status naik_vectors_open_lime(naik_comm *comm, naik_vector_file *file)
{
    naik_status status = NAIK_OK;
    naik_scidac_file *lime = NULL;
    int64_t count = 0;
    int others = 0;
    NAIK_TRY(naik_scidac_open(comm, file->path, &lime));
    for (int i = 0; i < lime->count; i++) {
        count += columns_of(&lime->field[i]);
    }
    NAIK_TRY(count_others(comm, lime, file->path, &others));
    if (count + others > MAX_VECTORS) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT, "'%s' holds more than %d vectors", file->path,
                           MAX_VECTORS);
        goto done;
    }
    status = naik_vectors_allocate(comm->log, (int)count + others, file);
    file->text = status == NAIK_OK ? strdup(lime->user) : NULL;
    file->others = status == NAIK_OK ? calloc((size_t)others + 1, sizeof *file->others) : NULL;
    if (status == NAIK_OK && (file->text == NULL || file->others == NULL)) {
        status =
            NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for the text of '%s'", file->path);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    if (lime->volume) {
        NAIK_TRY(naik_volumes_open(comm, file->path, lime, &file->volumes));
    }
    NAIK_TRY(sort_vectors(comm->log, lime, file));
    NAIK_TRY(check_count(comm->log, lime, file));
    NAIK_TRY(mark_packed(comm->log, lime, file));
    if (file->volumes != NULL) {
        NAIK_TRY(number_arrays(comm->log, lime, file));
    }
    for (int i = 1; i <= others; i++) {
        NAIK_TRY(take_other(comm, file, i));
    }
done:
    naik_scidac_close(&lime);
    return status;
}
