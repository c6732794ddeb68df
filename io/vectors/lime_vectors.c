/* lime_vectors.c - the vectors of a LIME file: records of one or several, and columns of propagators
 *
 * What is a source and what a solution is told by the record's own XML; records of other kinds (complex
 * fields, gauge links) are passed over, once they are known to be that: a vector that damage has made
 * unrecognisable would leave its place to the next one.
 */
#include <stdlib.h>
#include <string.h>

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
    {NAIK_FIELD_VECTORS, 1, 0, 1, COLOURS, COLOURS, 0},
    {NAIK_FIELD_SPINORS, SPINS, 0, 1, COLOURS, SPINS *COLOURS, 0},
    {NAIK_FIELD_STAGGERED_PROPAGATOR, 1, COLOURS, COLOURS, 0, 1, 0},
    {NAIK_FIELD_PROPAGATOR, SPINS, SPINS *COLOURS, COLOURS, SPINS *COLOURS *COLOURS, 1,
     COLOURS *COLOURS},
};

static const layout *layout_of(const naik_scidac_field *f)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        if (f->kind == layouts[i].kind && f->colors == COLOURS && f->recordtype != 1) {
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

/* Where column number `column` of a site begins. */
static int first_of(const layout *l, int column)
{
    return l->source_spin > 0
               ? column / COLOURS * l->source_spin + column % COLOURS * l->source_colour
               : column * l->source_colour;
}

static void take_column(const naik_scidac_field *f, int column, naik_vector_record *out)
{
    const layout *l = layout_of(f);
    *out = (naik_vector_record){.offset = f->offset,
                                .element_bytes = f->typesize * f->datacount,
                                .first = first_of(l, column),
                                .colour_step = l->colour_step,
                                .spin_step = l->spins > 1 ? l->spin_step : COLOURS,
                                .bits = f->bits,
                                .big_endian = true,
                                .has_sum = f->has_sum};
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
    if (!f->has_dims) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s' holds vectors and does not tell their extents",
                         file->path);
    }
    if (first) {
        file->spin = spin;
        memcpy(file->size, f->dims, sizeof file->size);
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
    if (memcmp(file->size, f->dims, sizeof file->size) != 0 ||
        (file->basis[0] != '\0') != f->tmlqcd) {
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

/* Sorts the vectors of the file into sources and solutions. */
static naik_status sort_vectors(naik_log *log, const naik_scidac_file *lime, naik_vector_file *file)
{
    naik_status status = NAIK_OK;
    int sources = 0, sums = 0, fields = 0;
    char contents[400];
    if (lime->lone > 0) {
        status =
            NAIK_FAIL(log, NAIK_ERR_CORRUPT, "'%s' describes %d records whose data are not there",
                      file->path, lime->lone);
        goto done;
    }
    for (int i = 0; i < lime->count; i++) {
        const naik_scidac_field *f = &lime->field[i];
        NAIK_TRY(check_description(log, f, file->path));
        const int columns = columns_of(f);
        for (int k = 0; k < columns; k++) {
            NAIK_TRY(take_likeness(log, f, file->count + sources == 0, file));
            take_column(f, k,
                        f->is_source ? &file->source[sources++] : &file->solution[file->count++]);
        }
        fields += columns > 0;
        file->whole = file->whole || (columns > 0 && layout_of(f)->columns > 0);
        sums += columns > 0 && f->has_sum;
    }
    file->has_checksums = sums == fields;
    NAIK_TRY(check_counts(log, sources, sums, file));
    if (file->count == 0 && sources > 0) { /* a file of sources only: they are its vectors */
        naik_vector_record *swap = file->solution;
        file->solution = file->source;
        file->source = swap;
        file->count = sources;
        sources = 0;
    }
    if (file->count == 0) {
        naik_scidac_contents(lime, contents, sizeof contents);
        status =
            NAIK_FAIL(log, NAIK_ERR_INPUT,
                      "'%s' is a LIME file, but none of its records is a colour vector, a spinor "
                      "or a propagator: it holds %s",
                      file->path, contents);
        goto done;
    }
    file->has_sources = sources == file->count;
    file->precision = file->solution[0].bits;
    strcpy(file->format, file->has_sources ? "usqcd-pairs"
                         : file->whole     ? "scidac-propagator"
                                           : "scidac-vector");
done:
    return status;
}

naik_status naik_vectors_allocate(naik_log *log, int count, naik_vector_file *file)
{
    file->solution = calloc((size_t)count + 1, sizeof *file->solution);
    file->source = calloc((size_t)count + 1, sizeof *file->source);
    return file->solution != NULL && file->source != NULL
               ? NAIK_OK
               : NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the records of '%s'", file->path);
}

naik_status naik_vectors_open_lime(naik_comm *comm, naik_vector_file *file)
{
    naik_status status = NAIK_OK;
    naik_scidac_file *lime = NULL;
    int64_t count = 0;
    NAIK_TRY(naik_scidac_open(comm, file->path, &lime));
    for (int i = 0; i < lime->count; i++) {
        count += columns_of(&lime->field[i]);
    }
    if (count > MAX_VECTORS) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT, "'%s' holds more than %d vectors", file->path,
                           MAX_VECTORS);
        goto done;
    }
    status = naik_vectors_allocate(comm->log, (int)count, file);
    file->text = status == NAIK_OK ? strdup(lime->user) : NULL;
    if (status == NAIK_OK && file->text == NULL) {
        status =
            NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for the text of '%s'", file->path);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(sort_vectors(comm->log, lime, file));
done:
    naik_scidac_close(&lime);
    return status;
}
