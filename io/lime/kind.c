/* kind.c - what the data of a LIME record are: by size and number of elements, not by the record's name
 *
 * QIO calls its data scidac-binary-data and ILDG's are ildg-binary-data, Grid gives the latter name to
 * all of them, and QDP++ says that every field has four spins: typesize and datacount are what all
 * writers mean alike.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "io/lime/lime.h"

enum { MAX_COLOURS = 16, MAX_ELEMENT = 1 << 16 };

typedef struct shape {
    naik_field_kind kind;
    int numbers; /* complex ones of an element */
    int count;   /* elements a site; 0: any */
} shape;

/* Four matrices a site have nine numbers each, or six where Grid leaves the third rows out. */
static const shape shapes[] = {
    {NAIK_FIELD_LINKS, 9, 4},       {NAIK_FIELD_LINKS, 6, 4},
    {NAIK_FIELD_LINKS, 36, 1},      {NAIK_FIELD_VECTORS, 3, 0},
    {NAIK_FIELD_SPINORS, 12, 0},    {NAIK_FIELD_STAGGERED_PROPAGATOR, 9, 1},
    {NAIK_FIELD_PROPAGATOR, 144, 1}};

/* Sites that the data are of. */
static int64_t sites_of(const naik_scidac_field *f)
{
    int64_t sites = 1;
    for (int mu = 0; mu < NAIK_DIM && f->recordtype != 1; mu++) {
        sites *= f->recordtype == 2 ? f->upper[mu] - f->lower[mu] + 1 : f->dims[mu];
    }
    return sites;
}

static const shape *find_shape(int64_t element_bytes, int count, int bits)
{
    const int number = bits / 4;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (element_bytes == (int64_t)shapes[i].numbers * number &&
            (shapes[i].count == 0 || shapes[i].count == count)) {
            return &shapes[i];
        }
    }
    return NULL;
}

/* N of four N x N matrices a site, 0 where it is something else. */
static int colours_of(int64_t element_bytes, int count, int bits)
{
    for (int n = 2; n <= MAX_COLOURS && count == 4; n++) {
        if (element_bytes == (int64_t)n * n * bits / 4) {
            return n;
        }
    }
    return 0;
}

/* Vectors, spinors or matrices of another number of colours than 3. Matrices with spin have 16 c c numbers, which
 * no shape above has unless c is 3. */
static bool is_of_colours(int64_t element_bytes, int bits, int colours)
{
    const int64_t n = element_bytes / (bits / 4), c = colours;
    return n == c || n == 4 * c || n == c * c;
}

/* As many numbers as four links have, which a propagator of two spins has as well. */
static bool is_half_propagator(const naik_scidac_field *f, const shape *s)
{
    return s != NULL && s->kind == NAIK_FIELD_LINKS && s->count == 1 && f->spins == 2;
}

/* Elements of this size, so many a site, whose reals have `bits` bits. */
static bool try_bits(naik_scidac_field *f, int64_t element_bytes, int count, int bits)
{
    const shape *s =
        f->colors > 0 && f->colors != 3 ? NULL : find_shape(element_bytes, count, bits);
    const int colours = colours_of(element_bytes, count, bits);
    if (is_half_propagator(f, s)) {
        return false;
    }
    if (s != NULL) {
        f->kind = s->kind;
        f->rows = s->numbers == 6 ? 2 : 3;
        f->colors = 3;
    } else if (colours > 0 && (f->colors <= 0 || f->colors == colours)) {
        f->kind = NAIK_FIELD_LINKS;
        f->rows = colours;
        f->colors = colours;
    } else {
        return false;
    }
    f->bits = bits;
    return true;
}

/* Where two precisions are possible and nothing says which, the larger lattice is the more probable. */
static void choose_bits(naik_scidac_field *f, int64_t element_bytes, int count)
{
    const int said = f->precision != 0 ? f->precision : f->format_precision;
    if (said != 0) {
        if (!try_bits(f, element_bytes, count, said) && f->spins != 2 &&
            try_bits(f, element_bytes, count, 96 - said)) {
            f->contradicts = true; /* the other precision would make sense of it */
        }
    } else if (!try_bits(f, element_bytes, count, 64)) {
        try_bits(f, element_bytes, count, 32);
    }
}

/* A staggered fermion of QDP++ in single precision, which has a fourth number that means nothing. */
static bool is_padded(const naik_scidac_field *f)
{
    return f->typesize == 32 && f->precision == 32 && f->colors == 3 && f->spins == 1;
}

/* A record of QIO or Grid, which tells its elements. */
static void classify_private(const naik_scidac_file *file, naik_scidac_field *f)
{
    const int count = f->datacount > 0 ? f->datacount : 1;
    const bool told = f->typesize > 0 && f->datacount >= 0 && f->typesize <= MAX_ELEMENT &&
                      f->datacount <= MAX_ELEMENT && f->recordtype >= 0 && f->recordtype <= 2;
    const int64_t whole_bytes = sites_of(f) * f->typesize * count;
    f->checkered = f->checkered && told && f->recordtype == 0 && f->dims[0] % 2 == 0 &&
                   2 * f->size_bytes == whole_bytes;
    f->contradicts = !told || (f->recordtype != 1 && f->has_dims && !file->volume &&
                               !f->checkered && f->size_bytes != whole_bytes);
    f->fits = !f->contradicts && (f->has_dims || f->recordtype == 1);
    if (told && f->recordtype != 1) {
        f->datacount = count;
        choose_bits(f, is_padded(f) ? 24 : f->typesize, count);
    }
    if (told && f->colors > 0 && f->colors != 3 && f->kind == NAIK_FIELD_OTHER) {
        const int bits = f->precision != 0 ? f->precision : 64;
        f->contradicts = f->contradicts || (find_shape(f->typesize, count, bits) != NULL &&
                                            !is_of_colours(f->typesize, bits, f->colors));
    }
    if (f->has_format && f->precision != 0 && f->format_precision != 0 &&
        f->precision != f->format_precision) {
        f->contradicts = true;
    }
    if ((f->recordtype == 2 || f->checkered) && f->kind != NAIK_FIELD_VECTORS &&
        f->kind != NAIK_FIELD_SPINORS) {
        f->kind = NAIK_FIELD_OTHER;
    }
}

/* "su3gauge": 3; another field: -1; not said: 0 */
static int colours_named(const char *name)
{
    int colours = 0, end = 0;
    const int found = sscanf(name, " %*[sSuU]%d%n", &colours, &end);
    if (name[0] == '\0') {
        return 0;
    }
    return found == 1 && strncmp(name + end, "gauge", 5) == 0 && colours > 1 ? colours : -1;
}

/* Plain ILDG, tmLQCD's propagators, or data alone: what a site holds follows from their length. */
static void classify_plain(const naik_scidac_file *file, naik_scidac_field *f)
{
    const int named = f->tmlqcd ? -1 : colours_named(f->field_name);
    const bool other = named < 0 && !f->tmlqcd;
    /* In a file of QIO or Grid every field has its description: this one has lost it. */
    f->contradicts = file->has_dims && !f->has_format;
    if (other || f->contradicts || (!f->has_format && !f->ildg)) {
        return;
    }
    const naik_field_kind expected = f->tmlqcd ? NAIK_FIELD_SPINORS : NAIK_FIELD_LINKS;
    f->kind = expected;
    f->datacount = f->tmlqcd ? 1 : 4;
    f->colors = named > 0 ? named : f->tmlqcd ? 3 : -1;
    if (!f->has_dims) {
        return;
    }
    const int64_t site = f->size_bytes / sites_of(f), element = site / f->datacount;
    const bool whole = f->size_bytes == sites_of(f) * site && site == element * f->datacount;
    const int said = f->colors;
    if (whole) {
        choose_bits(f, element, f->datacount);
    }
    /* So many bytes a site may be other things, which nobody has spoken of. */
    if (f->kind != expected || (f->colors == 3 && f->rows == 2 && f->format_rows != 2)) {
        f->bits = 0;
    }
    f->kind = f->bits == 0 && f->tmlqcd ? NAIK_FIELD_OTHER : expected;
    f->fits = whole && f->bits != 0 && !f->contradicts;
    f->contradicts = f->contradicts || (!f->fits && (!f->tmlqcd || !whole));
    f->colors = f->colors > 0 ? f->colors : said;
    f->typesize = whole && element <= MAX_ELEMENT ? (int)element : -1;
}

void naik_scidac_classify(const naik_scidac_file *file, naik_scidac_field *f)
{
    f->kind = NAIK_FIELD_OTHER;
    f->bits = 0;
    f->fits = f->contradicts = false;
    if (f->has_private) {
        classify_private(file, f);
    } else {
        classify_plain(file, f);
    }
}

void naik_scidac_give_dims(const naik_scidac_file *file, const int dims[NAIK_DIM],
                           naik_scidac_field *f)
{
    memcpy(f->dims, dims, sizeof f->dims);
    f->has_dims = true;
    naik_scidac_classify(file, f);
}

static void add(char *text, size_t size, int count, const char *one, const char *many)
{
    if (count > 0) {
        naik_text_append(text, size, "%s%d %s", text[0] != '\0' ? ", " : "", count,
                         count == 1 ? one : many);
    }
}

void naik_scidac_contents(const naik_scidac_file *file, char *text, size_t text_size)
{
    static const char *const names[][2] = {
        [NAIK_FIELD_OTHER] = {"field of another kind", "fields of other kinds"},
        [NAIK_FIELD_LINKS] = {"gauge configuration", "gauge configurations"},
        [NAIK_FIELD_VECTORS] = {"field of colour vectors", "fields of colour vectors"},
        [NAIK_FIELD_SPINORS] = {"field of spinors", "fields of spinors"},
        [NAIK_FIELD_STAGGERED_PROPAGATOR] = {"staggered propagator", "staggered propagators"},
        [NAIK_FIELD_PROPAGATOR] = {"propagator with spin", "propagators with spin"}};
    text[0] = '\0';
    for (int kind = (int)(sizeof names / sizeof *names) - 1; kind >= 0; kind--) {
        int count = 0;
        for (int i = 0; i < file->count; i++) {
            count += (int)file->field[i].kind == kind;
        }
        add(text, text_size, count, names[kind][0], names[kind][1]);
    }
    if (text[0] == '\0') {
        snprintf(text, text_size, "no data");
    }
}
