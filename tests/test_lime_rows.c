/* test_lime_rows.c - what records of LIME files are taken for: tests/lime_rows.txt, the records of a file a row; and
 * where the vectors of a record lie
 *
 * ranks: 1
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "io/checksum.h"
#include "io/lime/lime.h"
#include "io/lime/lime_write.h"
#include "io/vectors/records.h"
#include "naik/gauge_io.h"

enum { LINE = 3000, PATH = 512, READERS = 3 };

static const char rows_name[] = "tests/lime_rows.txt";

/* ---- records out of a row */

/* The letters of records with text; what is said as <a>, <b> ... in this order, or as xml as it is. */
static const struct {
    char letter;
    const char *type, *tags[8];
} texts[] = {
    {'F', "scidac-private-file-xml", {"dims", "volfmt", "spacetime"}},
    {'f', "scidac-file-xml", {NULL}},
    {'P',
     "scidac-private-record-xml",
     {"precision", "colors", "spins", "typesize", "datacount", "recordtype"}},
    {'u', "scidac-record-xml", {NULL}},
    {'i', "ildg-format", {"precision", "field", "lx", "ly", "lz", "lt"}},
    {'e', "etmc-propagator-format", {"precision", "field", "lx", "ly", "lz", "lt", "flavours"}},
    {'s', "etmc-source-format", {"precision", "field", "lx", "ly", "lz", "lt"}},
    {'g', "grid-format", {NULL}},
    {'L', "scidac-sitelist", {NULL}},
    {'n', "ildg-data-lfn", {NULL}},
    {'C', "scidac-checksum", {"suma", "sumb"}},
    {'x', "somebody's", {NULL}},
};

/* "F 3~20" becomes <dims>3 20</dims>: words are the values of the tags, "-" leaves one out, "~" is a space, and
 * what begins with < is taken as it is. */
static void put_words(naik_lime_buffer *out, int row, int flags, char *words)
{
    char text[LINE] = "";
    size_t used = 0;
    int tag = 0;
    for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) {
        for (char *c = word; *c != '\0'; c++) {
            *c = *c == '~' ? ' ' : *c;
        }
        const char *name = word[0] == '<' ? NULL : texts[row].tags[tag];
        if (word[0] == '<' || name == NULL) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s", word);
        } else if (strcmp(word, "-") != 0) {
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "<%s>%s</%s>", name, word, name);
        }
        tag += name != NULL;
    }
    naik_lime_put_text(out, texts[row].type, flags, text);
}

/* D, I: data of SciDAC and ILDG, of bytes 1; d: the same that end in zeros; 0 and 1: bytes of no record. */
static void put_data(FILE *file, char letter, int flags, long bytes)
{
    naik_lime_buffer head = {.used = 0};
    const bool raw = letter == '0' || letter == '1', zeros = letter == '0' || letter == 'd';
    if (!raw) {
        naik_lime_put_header(&head, letter == 'I' ? "ildg-binary-data" : "scidac-binary-data",
                             flags, bytes);
    }
    fwrite(head.bytes, 1, head.used, file);
    for (long i = 0; i < (raw ? bytes : bytes + (8 - bytes % 8) % 8); i++) {
        fputc(zeros && (raw || i >= bytes - 16) ? 0 : 1, file);
    }
}

/* One record; ^ and ! before its letter begin and end a message, and v is a version of 2. */
static void put_record(FILE *file, char *record)
{
    int flags = 0;
    naik_lime_buffer text = {.used = 0};
    bool version = false;
    for (; *record == '^' || *record == '!' || *record == 'v'; record++) {
        flags |= *record == '^' ? NAIK_LIME_BEGIN : *record == '!' ? NAIK_LIME_END : 0;
        version = version || *record == 'v';
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i].letter == record[0]) {
            put_words(&text, (int)i, flags, record + 1);
            text.bytes[5] = (unsigned char)(version ? 2 : 1);
            fwrite(text.bytes, 1, text.used, file);
            return;
        }
    }
    put_data(file, record[0], flags, atol(record + 1));
}

/* " ; " stands between two records. */
static bool write_file(const char *path, const char *row)
{
    char all[LINE], *at = all;
    FILE *file = fopen(path, "wb");
    snprintf(all, sizeof all, "%s", row);
    while (file != NULL && at != NULL) {
        char *next = strstr(at, " ; ");
        if (next != NULL) {
            *next = '\0';
            next += 3;
        }
        put_record(file, at);
        at = next;
    }
    return file != NULL && fclose(file) == 0;
}

/* ---- what readers find, as text */

static size_t add(char *text, size_t used, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    used += (size_t)vsnprintf(text + used, LINE - used, format, list);
    va_end(list);
    return used < LINE ? used : LINE - 1;
}

static void tell_field(const naik_scidac_field *f, char *text)
{
    static const char *const kinds[] = {"other",   "links",     "vectors",
                                        "spinors", "staggered", "propagator"};
    const struct {
        bool is;
        const char *word;
    } words[] = {{f->fits, "fits"},           {f->contradicts, "CONTRADICTS"},
                 {f->ildg, "ildg"},           {f->has_private, "private"},
                 {f->has_format, "format"},   {f->tmlqcd, "tmLQCD"},
                 {f->is_source, "source"},    {f->ends_message, "ends"},
                 {f->checkered, "checkered"}, {f->has_sum, "sum"}};
    size_t used = strlen(text);
    used = add(text, used, "; %s %d bits %d rows %d colours %dx%d", kinds[f->kind], f->bits,
               f->rows, f->colors, f->typesize, f->datacount);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        used = add(text, used, "%s%s", words[i].is ? " " : "", words[i].is ? words[i].word : "");
    }
    if (f->has_dims) {
        used = add(text, used, " of %d,%d,%d,%d", f->dims[0], f->dims[1], f->dims[2], f->dims[3]);
    }
    if (f->recordtype == 2) {
        used = add(text, used, " from %d,%d,%d,%d to %d,%d,%d,%d", f->lower[0], f->lower[1],
                   f->lower[2], f->lower[3], f->upper[0], f->upper[1], f->upper[2], f->upper[3]);
    }
    add(text, used, f->has_sum ? " %x/%x" : "", f->sum[0], f->sum[1]);
}

static naik_status scan(check *t, const char *path, char *text)
{
    naik_scidac_file *file = NULL;
    const naik_status status = naik_scidac_scan(t->log, path, &file);
    if (status == NAIK_OK) {
        size_t used = add(text, 0, "%d fields", file->count);
        used = add(text, used, file->has_dims ? " of %d,%d,%d,%d" : "", file->dims[0],
                   file->dims[1], file->dims[2], file->dims[3]);
        used = add(text, used, file->padding > 0 ? ", %lld zeros" : "", (long long)file->padding);
        used = add(text, used, file->lone > 0 ? ", %d lone" : "", file->lone);
        used = add(text, used, "%s", file->volume ? ", a volume" : "");
        add(text, used, file->ildg_lfn[0] != '\0' ? ", '%s'" : "", file->ildg_lfn);
        for (int i = 0; i < file->count; i++) {
            tell_field(&file->field[i], text);
        }
    }
    naik_scidac_close(&file);
    return status;
}

static void tell_vector(const naik_vector_record *r, char *text)
{
    static const char *const sites[] = {"box", "checker", "packed"};
    size_t used = strlen(text);
    used = add(text, used, "; %s %d,%d,%d,%d-%d,%d,%d,%d of %d bytes, first %d by %d and %d",
               sites[r->sites], r->lower[0], r->lower[1], r->lower[2], r->lower[3], r->upper[0],
               r->upper[1], r->upper[2], r->upper[3], r->element_bytes, r->first, r->colour_step,
               r->spin_step);
    used = add(text, used, isnan(r->value) ? "" : " value %g", r->value);
    add(text, used, r->tells ? " told %d,%d" : "", r->spin, r->colour);
}

static naik_status open_vectors(check *t, const char *path, char *text)
{
    naik_vector_file *file = NULL;
    const naik_status status = naik_vector_file_open(t->comm, path, &file);
    if (status == NAIK_OK) {
        size_t used = add(text, 0, "%d of %s in %d bits, %d,%d,%d,%d, spin %d", file->count,
                          file->format, file->precision, file->size[0], file->size[1],
                          file->size[2], file->size[3], file->spin);
        used = add(text, used, "%s%s%s%s", file->has_sources ? " sources" : "",
                   file->has_checksums ? " sums" : "", file->packed ? " packed" : "",
                   file->halved ? " halved" : "");
        used = add(text, used, file->parity >= 0 ? " parity %d" : "", file->parity);
        used = add(text, used, file->other_sources > 0 ? " %d other sources" : "",
                   file->other_sources);
        used = add(text, used, "%s%s", file->basis[0] != '\0' ? " basis " : "", file->basis);
        add(text, used, file->flavours > 1 ? " %d flavours" : "", file->flavours);
        for (int i = 0; i < file->count && i < 4; i++) {
            tell_vector(&file->solution[i], text);
        }
    }
    naik_vector_file_close(&file);
    return status;
}

static naik_status probe_links(check *t, const char *path, char *text)
{
    naik_gauge_file file = {0};
    const naik_status status = naik_gauge_file_probe(t->comm, path, &file);
    if (status == NAIK_OK) {
        add(text, 0, "%s %d bits, %d,%d,%d,%d, %d rows, %s%s%s%s%s", file.format, file.precision,
            file.size[0], file.size[1], file.size[2], file.size[3], file.rows, file.checksum_kind,
            file.checksum_known ? " known" : "", file.lfn[0] != '\0' ? " " : "", file.lfn,
            file.note);
    }
    naik_gauge_file_clear(&file);
    return status;
}

/* The sentence of a refusal, where the file is called f. */
static void tell_refusal(check *t, naik_status status, const char *path, char *text)
{
    const char *said = naik_log_message(t->log), *at;
    size_t used = add(text, 0, "%d ", (int)status);
    while ((at = strstr(said, path)) != NULL) {
        used = add(text, used, "%.*sf", (int)(at - said), said);
        said = at + strlen(path);
    }
    add(text, used, "%s", said);
    naik_log_clear(t->log);
}

static void read_all(check *t, const char *path, char text[READERS][LINE])
{
    static naik_status (*const readers[READERS])(check *, const char *,
                                                 char *) = {scan, open_vectors, probe_links};
    for (int i = 0; i < READERS; i++) {
        text[i][0] = '\0';
        const naik_status status = readers[i](t, path, text[i]);
        if (status != NAIK_OK) {
            tell_refusal(t, status, path, text[i]);
        }
    }
}

/* ---- rows */

static bool read_line(FILE *file, char line[LINE])
{
    const bool found = fgets(line, LINE, file) != NULL;
    line[found ? strcspn(line, "\n") : 0] = '\0';
    return found;
}

/* The first reader behind number i that says something else. */
static int next_of(char found[READERS][LINE], int i)
{
    int next = i + 1;
    while (next < READERS && strcmp(found[i], found[next]) == 0) {
        next++;
    }
    return next;
}

/* NAIK_SAID=write in the environment writes anew what is said of each row. */
static void records_are_taken_for_what_they_are(check *t)
{
    const char *said = getenv("NAIK_SAID");
    const bool writes = said != NULL && strcmp(said, "write") == 0;
    char line[LINE], want[LINE], path[PATH], found[READERS][LINE];
    int rows = 0;
    FILE *file = fopen(rows_name, "r"), *anew = writes ? fopen("tests/lime_rows.new", "w") : NULL;
    CHECK_REQUIRE(t, file != NULL && (anew != NULL) == writes);
    snprintf(path, sizeof path, "%s/rows.lime", check_folder());
    while (read_line(file, line)) {
        if (anew != NULL && line[0] != ' ') {
            fprintf(anew, "%s\n", line);
        }
        CHECK_TRUE(t, anew != NULL || line[0] != ' '); /* a reader that says less than it did */
        if (strncmp(line, "- ", 2) != 0) {
            continue;
        }
        CHECK_REQUIRE(t, write_file(path, line + 2));
        read_all(t, path, found);
        for (int i = 0; i < READERS; i = next_of(found, i)) {
            char text[LINE];
            snprintf(text, sizeof text, "  %.*s %.*s", next_of(found, i) - i, &"svl"[i], LINE - 10,
                     found[i]);
            if (anew != NULL) {
                fprintf(anew, "%s\n", text);
            } else if (!read_line(file, want) || strcmp(want, text) != 0) {
                fprintf(stderr, "    %s\n", line);
                CHECK_TEXT(t, text, want);
            }
        }
        rows++;
    }
    fclose(file);
    CHECK_TRUE(t, rows > 100);
    if (anew != NULL) {
        CHECK_INT(t, fclose(anew), 0);
        CHECK_INT(t, rename("tests/lime_rows.new", rows_name), 0);
    }
    (void)remove(path);
}

/* ---- where vectors lie */

/* An element of a site, and where real number 0 of a column is in it by the definition of its kind. */
typedef struct element {
    int spins, columns, reals;
    int (*place)(int column, int spin, int colour);
} element;

static int in_vectors(int column, int spin, int colour)
{
    (void)spin;
    return 3 * column + colour;
}

static int in_spinors(int column, int spin, int colour)
{
    return 12 * column + 3 * spin + colour;
}

static int in_staggered(int column, int spin, int colour)
{
    (void)spin;
    return 3 * colour + column;
}

static int in_propagator(int column, int spin, int colour)
{
    return ((4 * spin + column / 3) * 3 + colour) * 3 + column % 3;
}

typedef struct box {
    int lower[NAIK_DIM], upper[NAIK_DIM];
} box;

static const int extents[NAIK_DIM] = {4, 2, 6, 4};

/* Sites of the box before this one, -1 where it is outside. */
static int64_t number_in(const box *b, const int x[NAIK_DIM])
{
    int64_t number = 0;
    for (int mu = NAIK_DIM - 1; mu >= 0; mu--) {
        if (x[mu] < b->lower[mu] || x[mu] > b->upper[mu]) {
            return -1;
        }
        number = number * (b->upper[mu] - b->lower[mu] + 1) + x[mu] - b->lower[mu];
    }
    return number;
}

/* A record of the box whose reals count from 1. */
static bool write_box(const char *path, const naik_lattice *lattice, const element *e, const box *b,
                      int bits, bool whole)
{
    const int site_bytes = e->reals * bits / 8;
    const int typesize =
        e->place == in_vectors || e->place == in_spinors ? site_bytes / e->columns : site_bytes;
    naik_lime_buffer head = {.used = 0}, tail = {.used = 0};
    uint32_t sum[2] = {0, 0};
    char text[LINE], row[LINE];
    int64_t sites = 0;
    FILE *file = fopen(path, "wb");
    unsigned char *bytes = malloc((size_t)lattice->sites * (size_t)site_bytes);
    double *reals = malloc((size_t)e->reals * sizeof *reals);
    for (int64_t site = 0; site < lattice->volume; site++) {
        int x[NAIK_DIM];
        int64_t rest = site;
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            x[mu] = (int)(rest % extents[mu]);
            rest /= extents[mu];
        }
        if (number_in(b, x) >= 0) {
            for (int i = 0; i < e->reals; i++) {
                reals[i] = (double)(number_in(b, x) * e->reals + i + 1);
            }
            unsigned char *at = bytes + sites++ * site_bytes;
            naik_reals_encode(reals, e->reals, bits, true, at);
            naik_checksum_usqcd(sum, site, 1, at, site_bytes);
        }
    }
    snprintf(row, sizeof row, " 4~2~6~4");
    put_words(&head, 0, NAIK_LIME_BEGIN | NAIK_LIME_END, row);
    snprintf(text, sizeof text,
             " %c 3 %d %d %d %d <hyperlower>%d~%d~%d~%d</hyperlower>"
             "<hyperupper>%d~%d~%d~%d</hyperupper>",
             bits == 64 ? 'D' : 'F', e->spins, typesize, site_bytes / typesize, whole ? 0 : 2,
             b->lower[0], b->lower[1], b->lower[2], b->lower[3], b->upper[0], b->upper[1],
             b->upper[2], b->upper[3]);
    put_words(&head, 2, NAIK_LIME_BEGIN, text);
    naik_lime_put_header(&head, "scidac-binary-data", 0, sites * site_bytes);
    snprintf(text, sizeof text, " %x %x", sum[0], sum[1]);
    put_words(&tail, 10, NAIK_LIME_END, text);
    const bool done = file != NULL && fwrite(head.bytes, 1, head.used, file) == head.used &&
                      fwrite(bytes, (size_t)site_bytes, (size_t)sites, file) == (size_t)sites &&
                      fwrite(tail.bytes, 1, tail.used, file) == tail.used && fclose(file) == 0;
    free(bytes);
    free(reals);
    return done;
}

static bool is_column(const naik_lattice *lattice, const element *e, const box *b, int column,
                      const double *v)
{
    bool same = true;
    for (int32_t site = 0; site < lattice->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lattice, site, x);
        const int64_t number = number_in(b, x);
        for (int i = 0; i < 6 * e->spins; i++) {
            const int place = 2 * e->place(column, i / 6, i / 2 % 3) + i % 2;
            const double want = number < 0 ? 0 : (double)(number * e->reals + place + 1);
            same = same && v[6 * e->spins * site + i] == want;
        }
    }
    return same;
}

static void columns_of_a_box_lie_at_their_sites(check *t)
{
    static const element elements[] = {{1, 2, 12, in_vectors},
                                       {4, 2, 48, in_spinors},
                                       {1, 3, 18, in_staggered},
                                       {4, 12, 288, in_propagator}};
    static const box boxes[] = {{{0, 0, 0, 0}, {3, 1, 5, 3}},
                                {{1, 0, 0, 0}, {3, 1, 5, 3}},
                                {{0, 1, 0, 0}, {3, 1, 5, 3}},
                                {{0, 0, 2, 1}, {3, 1, 4, 1}},
                                {{2, 1, 1, 3}, {2, 1, 3, 3}}};
    char path[PATH];
    naik_lattice *lattice = NULL;
    CHECK_OK(t, naik_lattice_create(t->comm, extents, NULL, &lattice));
    double *v = malloc((size_t)lattice->sites * 24 * sizeof *v);
    snprintf(path, sizeof path, "%s/box.lime", check_folder());
    for (size_t k = 0; k < sizeof elements / sizeof *elements; k++) {
        const element *e = &elements[k];
        const bool parts = e->place == in_vectors || e->place == in_spinors;
        for (size_t i = 0; i < (parts ? sizeof boxes / sizeof *boxes : 1); i++) {
            for (int bits = 32; bits <= 64; bits += 32) {
                naik_vector_file *file = NULL;
                CHECK_TRUE(t, write_box(path, lattice, e, &boxes[i], bits, i == 0));
                CHECK_OK(t, naik_vector_file_open(t->comm, path, &file));
                CHECK_REQUIRE(t, file != NULL);
                CHECK_INT(t, file->count, e->columns);
                for (int column = 0; column < e->columns; column++) {
                    CHECK_OK(t,
                             naik_vector_file_read(file, lattice, NAIK_VECTOR_SOLUTION, column, v));
                    if (!CHECK_TRUE(t, is_column(lattice, e, &boxes[i], column, v))) {
                        fprintf(stderr, "    element %zu, box %zu, column %d\n", k, i, column);
                    }
                }
                naik_vector_file_close(&file);
            }
        }
    }
    free(v);
    naik_lattice_destroy(&lattice);
    (void)remove(path);
}

CHECK_MAIN(CHECK(records_are_taken_for_what_they_are), CHECK(columns_of_a_box_lie_at_their_sites))
