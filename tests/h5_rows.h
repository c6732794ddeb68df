/* h5_rows.h - the rows of test_h5_rows.c: one change of a file each, and what naik says of the file then */
#ifndef NAIK_TESTS_H5_ROWS_H
#define NAIK_TESTS_H5_ROWS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "naik/status.h"

typedef enum file_kind { GAUGE, LINKS, MODES, BRICKS, NEAR_NULL, PROP, PYQUDA, KINDS } file_kind;

typedef enum how {
    NUMBER,  /* element `at` of an attribute of numbers */
    WORD,    /* an attribute of text */
    CLASS,   /* the attribute is a number where it was a text, and the other way round */
    LONGER,  /* the attribute has one number more */
    GONE,    /* the attribute, or the object */
    ELEMENT, /* element `at` of a dataset of numbers */
    EXTENT,  /* the dataset has another extent `at` */
    RANK,    /* the dataset has one dimension more */
    TYPE,  /* the dataset is of type `value`: 0 double, 1 pair, 2 matrix 2x2, 3 matrix 3x2, 4 3x3 of
                triples, 5 3x3 of integers, 6 float, 7 nine pairs, 8 3x3 of pairs of integers */
    GROUP, /* the object is a group */
    STORAGE,  /* the dataset is stored in the way `value`: 0 compact, 1 in chunks, 2 virtual, 3 in
                another file, 4 with a filter that HDF5 lacks, 5 with one that it has, 6 nowhere */
    SOFT,     /* another link to the object, which leads there or to `text` */
    EXTERNAL, /* a link to the file `text` */
    RAW       /* as NUMBER or WORD, but checksums stay as they were */
} how;

typedef struct row {
    file_kind kind;
    const char *object, *name; /* name NULL: of the object itself */
    how how;
    int at;
    double value;
    const char *text;
    naik_status status;
    const char *says;
} row;

static const char damaged_null[] =
    "its vectors are cut short, or what describes them is missing or";
static const char damaged_v[] = "/modes/v of '";
static const char edited[] =
    "is damaged or was edited: its attributes and texts give the checksum ";
static const char no_modes[] = "its eigenvalues and residuals are none of low modes";

#define LIKE(k, o, n, h, a, v, x)                                                                  \
    {                                                                                              \
        k, o, n, h, a, v, x, NAIK_OK, ""                                                           \
    }
#define OKAY(k, o, n, h, a, v, x, says)                                                            \
    {                                                                                              \
        k, o, n, h, a, v, x, NAIK_OK, says                                                         \
    }
#define BAD(k, o, n, h, a, v, x, says)                                                             \
    {                                                                                              \
        k, o, n, h, a, v, x, NAIK_ERR_CORRUPT, says                                                \
    }
#define NOT(k, o, n, h, a, v, x, says)                                                             \
    {                                                                                              \
        k, o, n, h, a, v, x, NAIK_ERR_INPUT, says                                                  \
    }

/* clang-format off */
static const row rows[] = {
    /* ---- versions and states of all kinds */
    LIKE(GAUGE, ".", "format_version", WORD, 0, 0, "1.0"),
    LIKE(GAUGE, ".", "format_version", WORD, 0, 0, "1.99"),
    NOT(GAUGE, ".", "format_version", WORD, 0, 0, "2.0", "has version 2.0 of the format naik-gauge, written by 'naik "),
    NOT(GAUGE, ".", "format_version", WORD, 0, 0, "0.9", "has version 0.9 of the format naik-gauge"),
    BAD(GAUGE, ".", "format_version", WORD, 0, 0, "1", "it has the format naik-gauge and no format_version"),
    BAD(GAUGE, ".", "format_version", WORD, 0, 0, "1.", "it has the format naik-gauge and no format_version"),
    BAD(GAUGE, ".", "format_version", WORD, 0, 0, "1,0", "it has the format naik-gauge and no format_version"),
    BAD(GAUGE, ".", "format_version", WORD, 0, 0, "1.0a", "it has the format naik-gauge and no format_version"),
    BAD(GAUGE, ".", "format_version", WORD, 0, 0, "v1.0", "it has the format naik-gauge and no format_version"),
    BAD(GAUGE, ".", "format_version", GONE, 0, 0, NULL, "it has the format naik-gauge and no format_version"),
    BAD(GAUGE, ".", "format_version", CLASS, 0, 0, NULL, "it has the format naik-gauge and no format_version"),
    LIKE(MODES, ".", "format_version", WORD, 0, 0, "2.7"),
    NOT(MODES, ".", "format_version", WORD, 0, 0, "3.0", "reads versions up to 2.x"),
    NOT(NEAR_NULL, ".", "format_version", WORD, 0, 0, "2.0", "reads versions 1.x"),
    BAD(GAUGE, ".", "state", WORD, 0, 0, "incomplete", "was never completed: its writer was interrupted"),
    BAD(GAUGE, ".", "state", GONE, 0, 0, NULL, "was never completed: its writer was interrupted"),
    BAD(LINKS, ".", "state", WORD, 0, 0, "incomplete", "was never completed: its writer was interrupted"),
    BAD(MODES, ".", "state", WORD, 0, 0, "incomplete", "was never completed: its writer was interrupted"),
    BAD(MODES, ".", "state", WORD, 0, 0, "searching", "was never completed: its writer was interrupted"),
    BAD(MODES, ".", "state", WORD, 0, 0, "completed", "the state of '"),
    BAD(MODES, ".", "state", GONE, 0, 0, NULL, "the state of '"),
    BAD(NEAR_NULL, ".", "state", WORD, 0, 0, "incomplete", "was never completed: its writer was interrupted"),
    NOT(MODES, ".", "format", WORD, 0, 0, "naik-multigrid", "holds no modes: make them with naik modes"),
    NOT(NEAR_NULL, ".", "format", WORD, 0, 0, "naik-modes", "holds no near-null vectors: name another multigrid.file"),
    NOT(LINKS, ".", "format", WORD, 0, 0, "naik-modes", "holds no fat and long links of naik"),
    NOT(GAUGE, ".", "format", GONE, 0, 0, NULL, "is an HDF5 file, not a gauge configuration of naik"),
    /* ---- checksums of what files say */
    BAD(GAUGE, "gauge", "plaquette", RAW, 0, 0.5, NULL, edited),
    BAD(GAUGE, "metadata", "ensemble", RAW, 0, 0, "another", edited),
    BAD(MODES, ".", "seed", RAW, 0, 7, NULL, edited),
    BAD(NEAR_NULL, ".", "seed", RAW, 0, 7, NULL, edited),
    LIKE(GAUGE, ".", "metadata_crc", GONE, 0, 0, NULL),
    BAD(MODES, ".", "metadata_crc", GONE, 0, 0, NULL, "is damaged: its metadata_crc is missing"),
    BAD(NEAR_NULL, ".", "metadata_crc", GONE, 0, 0, NULL, "is damaged: its metadata_crc is missing"),
    /* ---- links */
    LIKE(GAUGE, "gauge", "byte_order", GONE, 0, 0, NULL),
    LIKE(GAUGE, "gauge", "link_kind", GONE, 0, 0, NULL),
    LIKE(GAUGE, "gauge", "precision", GONE, 0, 0, NULL),
    LIKE(GAUGE, "gauge", "dims", GONE, 0, 0, NULL),
    BAD(GAUGE, "gauge", "byte_order", WORD, 0, 0, "big", "contradicts its own attribute byte_order"),
    BAD(GAUGE, "gauge", "byte_order", CLASS, 0, 0, NULL, "contradicts its own attribute byte_order"),
    BAD(GAUGE, "gauge", "link_kind", WORD, 0, 0, "fat", "contradicts its own attribute link_kind"),
    BAD(GAUGE, "gauge", "phases_in", WORD, 0, 0, "some", "contradicts its own attribute phases_in"),
    BAD(GAUGE, "gauge", "precision", NUMBER, 0, 32, NULL, "contradicts its own attribute precision"),
    BAD(GAUGE, "gauge", "precision", CLASS, 0, 0, NULL, "contradicts its own attribute precision"),
    BAD(GAUGE, "gauge", "dims", NUMBER, 0, 2, NULL, "contradicts its own attribute dims"),
    BAD(GAUGE, "gauge", "dims", NUMBER, 3, 4, NULL, "contradicts its own attribute dims"),
    BAD(GAUGE, "gauge", "dims", LONGER, 0, 0, NULL, "contradicts its own attribute dims"),
    BAD(GAUGE, "gauge", "dims", CLASS, 0, 0, NULL, "contradicts its own attribute dims"),
    BAD(GAUGE, "gauge", "suma", GONE, 0, 0, NULL, "has lost its checksum attributes suma and sumb"),
    BAD(GAUGE, "gauge", "sumb", GONE, 0, 0, NULL, "has lost its checksum attributes suma and sumb"),
    BAD(GAUGE, "gauge", "suma", WORD, 0, 0, "", "has lost its checksum attributes suma and sumb"),
    BAD(GAUGE, "gauge", "suma", WORD, 0, 0, "12345z", "has lost its checksum attributes suma and sumb"),
    BAD(GAUGE, "gauge", "sumb", WORD, 0, 0, "100000000", "has lost its checksum attributes suma and sumb"),
    BAD(GAUGE, "gauge", "suma", CLASS, 0, 0, NULL, "has lost its checksum attributes suma and sumb"),
    LIKE(GAUGE, "gauge", "sumb", WORD, 0, 0, "ffffffff"),
    BAD(GAUGE, "gauge", NULL, EXTENT, 4, 3, NULL, "is not [T][Z][Y][X][4] of ARRAY[3][3] of {r,i}"),
    BAD(GAUGE, "gauge", NULL, RANK, 0, 0, NULL, "is not [T][Z][Y][X][4] of ARRAY[3][3] of {r,i}"),
    BAD(GAUGE, "gauge", NULL, TYPE, 0, 0, NULL, "is not [T][Z][Y][X][4] of ARRAY[3][3] of {r,i}"),
    BAD(GAUGE, "gauge", NULL, TYPE, 0, 1, NULL, "is not [T][Z][Y][X][4] of ARRAY[3][3] of {r,i}"),
    BAD(GAUGE, "gauge", NULL, TYPE, 0, 2, NULL, "is not [T][Z][Y][X][4] of ARRAY[3][3] of {r,i}"),
    BAD(GAUGE, "gauge", NULL, TYPE, 0, 3, NULL, "is not [T][Z][Y][X][4] of ARRAY[3][3] of {r,i}"),
    BAD(GAUGE, "gauge", NULL, TYPE, 0, 4, NULL, "is not [T][Z][Y][X][4] of ARRAY[3][3] of {r,i}"),
    BAD(GAUGE, "gauge", NULL, TYPE, 0, 7, NULL, "is not [T][Z][Y][X][4] of ARRAY[3][3] of {r,i}"),
    BAD(GAUGE, "gauge", NULL, TYPE, 0, 8, NULL, "is not [T][Z][Y][X][4] of ARRAY[3][3] of {r,i}"),
    BAD(GAUGE, "gauge", NULL, TYPE, 0, 5, NULL, "is not [T][Z][Y][X][4] of ARRAY[3][3] of {r,i}"),
    BAD(GAUGE, "gauge", NULL, EXTENT, 0, 0, NULL, "has an impossible extent"),
    BAD(GAUGE, "gauge", NULL, GROUP, 0, 0, NULL, "is not a dataset"),
    BAD(GAUGE, "gauge", NULL, STORAGE, 0, 6, NULL, " bytes that its shape needs"),
    NOT(GAUGE, "gauge", NULL, GONE, 0, 0, NULL, "holds no /gauge"),
    NOT(LINKS, "fat", NULL, GONE, 0, 0, NULL, "holds no links of naik_epsilon 0:"),
    LIKE(LINKS, ".", "link_sets", NUMBER, 0, 1, NULL),
    BAD(LINKS, ".", "link_sets", NUMBER, 0, 3, NULL, "the last of the 3 sets of links that it speaks of is not there"),
    BAD(LINKS, ".", "link_sets", NUMBER, 0, 10000, NULL, "the last of the 10000 sets of links that it speaks of is"),
    NOT(LINKS, ".", "link_sets", NUMBER, 0, 0, NULL, "holds no fat and long links of naik"),
    NOT(LINKS, ".", "link_sets", NUMBER, 0, 10001, NULL, "holds no fat and long links of naik"),
    NOT(LINKS, ".", "link_sets", GONE, 0, 0, NULL, "holds no fat and long links of naik"),
    BAD(LINKS, "set0001/fat", NULL, GONE, 0, 0, NULL, "the last of the 2 sets of links that it speaks of is not there"),
    BAD(LINKS, "set0001", NULL, GONE, 0, 0, NULL, "the last of the 2 sets of links that it speaks of is not there"),
    NOT(LINKS, ".", "boundary_t", WORD, 0, 0, "periodic", "have the periodic boundary in t inside, but lattice.boundary_t is"),
    NOT(LINKS, "fat", "naik_epsilon", NUMBER, 0, 0.25, NULL, "holds no links of naik_epsilon 0:"),
    BAD(LINKS, "long", "naik_epsilon", NUMBER, 0, 0.25, NULL, "and say that they have naik_epsilon 0.25, long_scale"),
    BAD(LINKS, "long", "svd_count", NUMBER, 0, 3, NULL, "and svd_count 3, but its fat links say 0,"),
    BAD(LINKS, "long", "long_scale", NUMBER, 0, -0.04, NULL, "long_scale -0.04 and svd_count 0, but its fat links say"),
    BAD(LINKS, "fat", "suma", WORD, 0, 0, "1", "is damaged: checksum "),
    BAD(LINKS, "long", "sumb", WORD, 0, 0, "1", "is damaged: checksum "),
    LIKE(LINKS, "long", NULL, GONE, 0, 0, NULL),
    /* ---- what leads out of a file */
    NOT(GAUGE, "gauge", NULL, SOFT, 0, 0, "/elsewhere", "/more is a soft link to '/elsewhere', and naik writes none"),
    NOT(GAUGE, "gauge", NULL, SOFT, 0, 0, "/gauge", "/more is a soft link to '/gauge', and naik writes none"),
    NOT(GAUGE, "gauge", NULL, EXTERNAL, 0, 0, "other.h5", "/more is an external link to 'other.h5': nothing is read from"),
    NOT(MODES, "modes", NULL, EXTERNAL, 0, 0, "other.h5", "/more is an external link to 'other.h5': nothing is read from"),
    LIKE(MODES, "modes/v", NULL, STORAGE, 0, 0, NULL),
    LIKE(MODES, "modes/v", NULL, STORAGE, 0, 1, NULL),
    LIKE(MODES, "modes/v", NULL, STORAGE, 0, 5, NULL),
    BAD(MODES, "modes/v", NULL, STORAGE, 0, 6, NULL, damaged_v),
    BAD(MODES, "modes/lambda2", NULL, STORAGE, 0, 6, NULL, "/modes/lambda2 is missing or damaged"),
    NOT(MODES, "modes/v", NULL, STORAGE, 0, 2, NULL, "/modes/v is a virtual dataset: nothing is read from other files"),
    NOT(MODES, "modes/v", NULL, STORAGE, 0, 3, NULL, "/modes/v is stored in 'other.raw': nothing is read from other files"),
    NOT(MODES, "modes/v", NULL, STORAGE, 0, 4, NULL, "/modes/v is stored with filter 31999"),
    NOT(NEAR_NULL, "multigrid/v", NULL, SOFT, 0, 0, "/x", "/more is a soft link to '/x', and naik writes none"),
    /* ---- modes */
    BAD(MODES, ".", "dims", NUMBER, 0, 6, NULL, damaged_v),
    BAD(MODES, ".", "dims", NUMBER, 1, 4, NULL, damaged_v),
    BAD(MODES, ".", "dims", NUMBER, 1, 0, NULL, damaged_v),
    BAD(MODES, ".", "dims", NUMBER, 2, 7, NULL, damaged_v),
    BAD(MODES, ".", "dims", LONGER, 0, 0, NULL, damaged_v),
    BAD(MODES, ".", "dims", GONE, 0, 0, NULL, damaged_v),
    BAD(BRICKS, ".", "dims", NUMBER, 1, 4, NULL, damaged_v),
    BAD(MODES, "modes/v", NULL, EXTENT, 1, 6, NULL, damaged_v),
    BAD(MODES, "modes/v", NULL, EXTENT, 4, 4, NULL, damaged_v),
    BAD(BRICKS, "modes/v", NULL, EXTENT, 4, 4, NULL, damaged_v),
    BAD(MODES, "modes/v", NULL, EXTENT, 0, 0, NULL, damaged_v),
    BAD(MODES, "modes/v", NULL, RANK, 0, 0, NULL, damaged_v),
    BAD(MODES, "modes/v", NULL, TYPE, 0, 0, NULL, damaged_v),
    BAD(BRICKS, "modes/v", NULL, TYPE, 0, 1, NULL, damaged_v),
    BAD(MODES, "modes/v", NULL, GONE, 0, 0, NULL, damaged_v),
    BAD(MODES, "modes/v", NULL, EXTENT, 0, 4, NULL, "/modes/lambda2 is missing or damaged"),
    LIKE(MODES, "modes/v", NULL, EXTENT, 0, 3, NULL),
    BAD(MODES, "modes/lambda2", NULL, EXTENT, 0, 2, NULL, "/modes/lambda2 is missing or damaged"),
    BAD(MODES, "modes/lambda2", NULL, RANK, 0, 0, NULL, "/modes/lambda2 is missing or damaged"),
    BAD(MODES, "modes/lambda2", NULL, TYPE, 0, 6, NULL, "/modes/lambda2 is missing or damaged"),
    BAD(MODES, "modes/residual", NULL, GONE, 0, 0, NULL, "/modes/residual is missing or damaged"),
    BAD(MODES, "modes/suma", NULL, GONE, 0, 0, NULL, "/modes/suma is missing or damaged"),
    BAD(MODES, "modes/sumb", NULL, EXTENT, 0, 2, NULL, "/modes/sumb is missing or damaged"),
    BAD(MODES, ".", "lambda2_crc", NUMBER, 0, 1, NULL, "eigenvalues or residuals of '"),
    BAD(MODES, ".", "residual_crc", NUMBER, 0, 1, NULL, "eigenvalues or residuals of '"),
    LIKE(MODES, ".", "lambda2_crc", GONE, 0, 0, NULL),
    LIKE(MODES, "modes/lambda2", NULL, ELEMENT, 0, 0, NULL),
    BAD(MODES, "modes/lambda2", NULL, ELEMENT, 0, -1e-300, NULL, no_modes),
    BAD(MODES, "modes/lambda2", NULL, ELEMENT, 0, NAN, NULL, no_modes),
    LIKE(MODES, "modes/lambda2", NULL, ELEMENT, 1, 0.25, NULL),
    BAD(MODES, "modes/lambda2", NULL, ELEMENT, 1, 0.2499999, NULL, no_modes),
    BAD(MODES, "modes/lambda2", NULL, ELEMENT, 1, 0.7500001, NULL, no_modes),
    LIKE(MODES, "modes/lambda2", NULL, ELEMENT, 2, 1000, NULL),
    BAD(MODES, "modes/lambda2", NULL, ELEMENT, 2, 1000.0001, NULL, no_modes),
    LIKE(MODES, "modes/residual", NULL, ELEMENT, 2, 0, NULL),
    LIKE(MODES, "modes/residual", NULL, ELEMENT, 2, 1000, NULL),
    BAD(MODES, "modes/residual", NULL, ELEMENT, 0, -1e-300, NULL, no_modes),
    BAD(MODES, "modes/residual", NULL, ELEMENT, 2, 1000.0001, NULL, no_modes),
    BAD(MODES, "modes/residual", NULL, ELEMENT, 1, NAN, NULL, no_modes),
    LIKE(MODES, ".", "interval_high", NUMBER, 0, 1000, NULL),
    LIKE(MODES, ".", "interval_high", NUMBER, 0, 1e-300, NULL),
    BAD(MODES, ".", "interval_high", NUMBER, 0, 1000.0001, NULL, no_modes),
    BAD(MODES, ".", "interval_high", NUMBER, 0, 0, NULL, no_modes),
    BAD(MODES, ".", "interval_high", GONE, 0, 0, NULL, no_modes),
    BAD(MODES, ".", "interval_high", CLASS, 0, 0, NULL, no_modes),
    /* ---- propagators */
    OKAY(PROP, ".", "precision", NUMBER, 0, 32, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 16 correlators, 0 damaged, 3 contractions, 0 bad, complete"),
    BAD(PROP, ".", "precision", NUMBER, 0, 16, NULL, "cannot be described: its extents or its precision are missing"),
    BAD(PROP, ".", "precision", GONE, 0, 0, NULL, "cannot be described: its extents or its precision are missing"),
    BAD(PROP, ".", "dims", NUMBER, 2, 0, NULL, "cannot be described: its extents or its precision are missing"),
    BAD(PROP, ".", "dims", NUMBER, 2, 65537, NULL, "cannot be described: its extents or its precision are missing"),
    BAD(PROP, ".", "dims", LONGER, 0, 0, NULL, "cannot be described: its extents or its precision are missing"),
    BAD(PROP, ".", "dims", GONE, 0, 0, NULL, "cannot be described: its extents or its precision are missing"),
    OKAY(PROP, ".", "state", WORD, 0, 0, "incomplete", "4 pairs, 0 bad records, 12 histories, 0 bad, 16 correlators, 0 damaged, 3 contractions, 0 bad"),
    OKAY(PROP, ".", "metadata_crc", GONE, 0, 0, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 16 correlators, 0 damaged, 3 contractions, 0 bad, complete, no checksum"),
    OKAY(PROP, "metadata", "numerics", RAW, 0, 0, "another", "4 pairs, 0 bad records, 12 histories, 0 bad, 16 correlators, 0 damaged, 3 contractions, 0 bad, complete, edited"),
    BAD(PROP, "solves", NULL, GONE, 0, 0, NULL, "cannot be described: /solves is missing, of another shape or unreadable"),
    OKAY(PROP, "solves", NULL, EXTENT, 0, 3, NULL, "1 pairs, 0 bad records, 0 histories, 3 bad, 4 correlators, 0 damaged, 3 contractions, 0 bad, complete"),
    BAD(PROP, "solves", NULL, EXTENT, 0, 0, NULL, "cannot be described: /solves is missing, of another shape or unreadable"),
    BAD(PROP, "solves", NULL, EXTENT, 0, 13, NULL, "cannot be described: /solves is missing, of another shape or unreadable"),
    BAD(PROP, "solves", NULL, RANK, 0, 0, NULL, "cannot be described: /solves is missing, of another shape or unreadable"),
    BAD(PROP, "solves", NULL, TYPE, 0, 0, NULL, "cannot be described: /solves is missing, of another shape or unreadable"),
    OKAY(PROP, "solves_history", NULL, GONE, 0, 0, NULL, "4 pairs, 0 bad records, 0 histories, 0 bad, 16 correlators, 0 damaged, 3 contractions, 0 bad, complete"),
    OKAY(PROP, "solves_history", NULL, EXTENT, 1, 5, NULL, "4 pairs, 0 bad records, 0 histories, 12 bad, 16 correlators, 0 damaged, 3 contractions, 0 bad, complete"),
    OKAY(PROP, "solves_history", NULL, RANK, 0, 0, NULL, "4 pairs, 0 bad records, 0 histories, 0 bad, 16 correlators, 0 damaged, 3 contractions, 0 bad, complete"),
    OKAY(PROP, "solves_history", NULL, ELEMENT, 0, 0.5, NULL, "4 pairs, 0 bad records, 11 histories, 1 bad, 16 correlators, 0 damaged, 3 contractions, 0 bad, complete"),
    OKAY(PROP, "solves_history", NULL, ELEMENT, 71, 0.5, NULL, "4 pairs, 0 bad records, 11 histories, 1 bad, 16 correlators, 0 damaged, 3 contractions, 0 bad, complete"),
    OKAY(PROP, "corr/pt/m00/per_colour", NULL, GONE, 0, 0, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 8 correlators, 1 damaged, 3 contractions, 0 bad, complete"),
    OKAY(PROP, "corr/pt/m00/per_colour", NULL, EXTENT, 0, 2, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 8 correlators, 2 damaged, 3 contractions, 0 bad, complete"),
    OKAY(PROP, "corr/pt/m00/per_colour", NULL, EXTENT, 1, 1, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 8 correlators, 2 damaged, 3 contractions, 0 bad, complete"),
    OKAY(PROP, "corr/pt/m00/per_colour", NULL, EXTENT, 2, 3, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 8 correlators, 2 damaged, 3 contractions, 0 bad, complete"),
    OKAY(PROP, "corr/pt/m00/per_colour", NULL, EXTENT, 3, 4, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 8 correlators, 2 damaged, 3 contractions, 0 bad, complete"),
    OKAY(PROP, "corr/pt/m00/per_colour", NULL, RANK, 0, 0, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 8 correlators, 2 damaged, 3 contractions, 0 bad, complete"),
    OKAY(PROP, "corr/pt/m00/per_colour", NULL, ELEMENT, 0, 0.5, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 12 correlators, 1 damaged, 3 contractions, 0 bad, complete"),
    OKAY(PROP, "corr/pt/m00/per_colour", NULL, ELEMENT, 95, 0.5, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 12 correlators, 1 damaged, 3 contractions, 0 bad, complete"),
    OKAY(PROP, "corr/pt/m00/per_colour", "correlators", GONE, 0, 0, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 8 correlators, 2 damaged, 3 contractions, 0 bad, complete"),
    OKAY(PROP, "corr/pt/m00/per_colour", "correlators", WORD, 0, 0, "pion5", "4 pairs, 0 bad records, 12 histories, 0 bad, 8 correlators, 2 damaged, 3 contractions, 0 bad, complete"),
    OKAY(PROP, "corr/pt/m00/per_colour", "correlators", WORD, 0, 0, "pion5 pion05 rhox", "4 pairs, 0 bad records, 12 histories, 0 bad, 8 correlators, 2 damaged, 3 contractions, 0 bad, complete"),
    OKAY(PROP, "corr/pt/m00/per_colour", "correlators", WORD, 0, 0, "pion5 ", "4 pairs, 0 bad records, 12 histories, 0 bad, 8 correlators, 2 damaged, 3 contractions, 0 bad, complete"),
    OKAY(PROP, "corr/pt/m00/per_colour", "momenta", WORD, 0, 0, "p000", "4 pairs, 0 bad records, 12 histories, 0 bad, 8 correlators, 2 damaged, 3 contractions, 0 bad, complete"),
    OKAY(PROP, "corr/pt/m00/per_colour", "momenta", WORD, 0, 0, "p000 p10-1 p001", "4 pairs, 0 bad records, 12 histories, 0 bad, 8 correlators, 2 damaged, 3 contractions, 0 bad, complete"),
    OKAY(PROP, "corr/pt/m00/per_colour", "momenta", GONE, 0, 0, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 8 correlators, 2 damaged, 3 contractions, 0 bad, complete"),
    OKAY(PROP, "corr/pt/m00/pion5/p000", NULL, ELEMENT, 3, 0.5, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 15 correlators, 1 damaged, 3 contractions, 0 bad, complete"),
    OKAY(PROP, "corr/pt/m00/pion5/p000", NULL, EXTENT, 0, 7, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 15 correlators, 1 damaged, 3 contractions, 0 bad, complete"),
    OKAY(PROP, "corr/pt/m00/pion5/p000", NULL, GONE, 0, 0, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 15 correlators, 1 damaged, 3 contractions, 0 bad, complete"),
    OKAY(PROP, "corr/pt/m00/pion5/p10-1", "momentum", NUMBER, 0, 2, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 16 correlators, 0 damaged, 3 contractions, 0 bad, complete"),
    OKAY(PROP, "corr/pt/m00/pion5/p10-1", "momentum", GONE, 0, 0, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 15 correlators, 1 damaged, 3 contractions, 0 bad, complete"),
    OKAY(PROP, "contractions", NULL, GONE, 0, 0, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 16 correlators, 0 damaged, 0 contractions, 3 bad, complete"),
    OKAY(PROP, "contractions", NULL, EXTENT, 0, 4, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 16 correlators, 0 damaged, 0 contractions, 3 bad, complete"),
    OKAY(PROP, "contractions", NULL, EXTENT, 0, 2, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 16 correlators, 0 damaged, 0 contractions, 3 bad, complete"),
    OKAY(PROP, "contractions", NULL, RANK, 0, 0, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 16 correlators, 0 damaged, 0 contractions, 3 bad, complete"),
    OKAY(PROP, "contractions", NULL, TYPE, 0, 0, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 16 correlators, 0 damaged, 0 contractions, 3 bad, complete"),
    OKAY(PROP, "contractions", NULL, TYPE, 0, 6, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 16 correlators, 0 damaged, 0 contractions, 3 bad, complete"),
    OKAY(PROP, "metadata/contractions", NULL, GONE, 0, 0, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 16 correlators, 0 damaged, 0 contractions, 0 bad, complete"),
    OKAY(PROP, "metadata/contractions", NULL, GROUP, 0, 0, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 16 correlators, 0 damaged, 0 contractions, 1 bad, complete"),
    OKAY(PROP, "metadata/input_text", NULL, GROUP, 0, 0, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 16 correlators, 0 damaged, 3 contractions, 0 bad, complete"),
    BAD(PROP, "solves", NULL, STORAGE, 0, 6, NULL, "its records are damaged or not in order"),
    OKAY(PROP, "corr/made/n1/rhox", NULL, STORAGE, 0, 6, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 16 correlators, 0 damaged, 2 contractions, 1 bad, complete"),
    OKAY(PROP, "corr/pt/m00/per_colour", NULL, STORAGE, 0, 6, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 8 correlators, 2 damaged, 3 contractions, 0 bad, complete"),
    BAD(NEAR_NULL, "multigrid/v", NULL, STORAGE, 0, 6, NULL, damaged_null),
    OKAY(PROP, "metadata", NULL, GONE, 0, 0, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 16 correlators, 0 damaged, 0 contractions, 0 bad, complete"),
    OKAY(PROP, "corr/made/n1/rhox", NULL, GONE, 0, 0, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 16 correlators, 0 damaged, 2 contractions, 1 bad, complete"),
    OKAY(PROP, "corr/made/n1/rhox", NULL, EXTENT, 0, 7, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 16 correlators, 0 damaged, 2 contractions, 1 bad, complete"),
    OKAY(PROP, "corr/made/n1/rhox", NULL, TYPE, 0, 0, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 16 correlators, 0 damaged, 2 contractions, 1 bad, complete"),
    OKAY(PROP, "corr/made/n1/rhox", "correlator", GONE, 0, 0, NULL, "4 pairs, 0 bad records, 12 histories, 0 bad, 16 correlators, 0 damaged, 3 contractions, 0 bad, complete"),
    /* ---- configurations of PyQUDA */
    OKAY(PYQUDA, "LatticeColorMatrix", "Color", WORD, 0, 0, "3", "pyquda-hdf5 little of 64 bits, 4x2x6x8, the checksums shown are of the dataset X, good"),
    OKAY(PYQUDA, "LatticeColorMatrix/X", "sum29", WORD, 0, 0, "1a", "pyquda-hdf5 little of 64 bits, 4x2x6x8, the checksums shown are of the dataset X, OTHER"),
    BAD(PYQUDA, "LatticeColorMatrix/X", "sum29", WORD, 0, 0, "1g", "a checksum (sum29, sum31) of /LatticeColorMatrix/X is not text of a hexadecimal number, as PyQUDA writes it"),
    OKAY(PYQUDA, "LatticeColorMatrix/X", "sum29", WORD, 0, 0, "ffffffff", "pyquda-hdf5 little of 64 bits, 4x2x6x8, the checksums shown are of the dataset X, OTHER"),
    BAD(PYQUDA, "LatticeColorMatrix/X", "sum29", WORD, 0, 0, "100000000", "a checksum (sum29, sum31) of /LatticeColorMatrix/X is not text of a hexadecimal number, as PyQUDA writes it"),
    BAD(PYQUDA, "LatticeColorMatrix/X", "sum29", CLASS, 0, 0, NULL, "a checksum (sum29, sum31) of /LatticeColorMatrix/X is not text of a hexadecimal number, as PyQUDA writes it"),
    BAD(PYQUDA, "LatticeColorMatrix/T", "sum31", WORD, 0, 0, "1g", "a checksum (sum29, sum31) of /LatticeColorMatrix/T is not text of a hexadecimal number, as PyQUDA writes it"),
    BAD(PYQUDA, "LatticeColorMatrix/T", "sum31", CLASS, 0, 0, NULL, "a checksum (sum29, sum31) of /LatticeColorMatrix/T is not text of a hexadecimal number, as PyQUDA writes it"),
    BAD(PYQUDA, "LatticeColorMatrix/X", "sum29", GONE, 0, 0, NULL, "has checksums on some of its directions only"),
    BAD(PYQUDA, "LatticeColorMatrix/X", "sum31", GONE, 0, 0, NULL, "has checksums on some of its directions only"),
    NOT(PYQUDA, "LatticeColorMatrix/X", NULL, GONE, 0, 0, NULL, "is an HDF5 file, not a gauge configuration of naik"),
    NOT(PYQUDA, "LatticeColorMatrix/T", NULL, GONE, 0, 0, NULL, "is a PyQUDA file, but /LatticeColorMatrix/T is not [T][Z][Y][X][3][3] of complex numbers"),
    NOT(PYQUDA, "LatticeColorMatrix/T", NULL, GROUP, 0, 0, NULL, "is a PyQUDA file, but /LatticeColorMatrix/T is not [T][Z][Y][X][3][3] of complex numbers"),
    NOT(PYQUDA, "LatticeColorMatrix/Y", NULL, EXTENT, 4, 2, NULL, "is a PyQUDA file, but /LatticeColorMatrix/Y is not [T][Z][Y][X][3][3] of complex numbers"),
    NOT(PYQUDA, "LatticeColorMatrix/Y", NULL, EXTENT, 5, 2, NULL, "is a PyQUDA file, but /LatticeColorMatrix/Y is not [T][Z][Y][X][3][3] of complex numbers"),
    BAD(PYQUDA, "LatticeColorMatrix/Y", NULL, EXTENT, 0, 7, NULL, "has an unusable dataset /LatticeColorMatrix/Y"),
    NOT(PYQUDA, "LatticeColorMatrix/Y", NULL, EXTENT, 0, 0, NULL, "is a PyQUDA file, but /LatticeColorMatrix/Y is not [T][Z][Y][X][3][3] of complex numbers"),
    BAD(PYQUDA, "LatticeColorMatrix/Y", NULL, RANK, 0, 0, NULL, "has checksums on some of its directions only"),
    NOT(PYQUDA, "LatticeColorMatrix/Y", NULL, TYPE, 0, 0, NULL, "is a PyQUDA file, but /LatticeColorMatrix/Y is not [T][Z][Y][X][3][3] of complex numbers"),
    OKAY(PYQUDA, "LatticeColorMatrix/X", NULL, SOFT, 0, 0, "/LatticeColorMatrix/X", "pyquda-hdf5 little of 64 bits, 4x2x6x8, the checksums shown are of the dataset X, good"),
    NOT(PYQUDA, "LatticeColorMatrix/X", NULL, EXTERNAL, 0, 0, "other.h5", "/more is an external link to 'other.h5': nothing is read from other files"),
    /* ---- near-null vectors */
    BAD(NEAR_NULL, ".", "action", WORD, 0, 0, "nobody's", damaged_null),
    BAD(NEAR_NULL, ".", "mass", NUMBER, 0, 0.3, NULL, damaged_null), /* kappa and mass tell of each other */
    BAD(NEAR_NULL, ".", "mass", GONE, 0, 0, NULL, damaged_null),
    BAD(NEAR_NULL, ".", "csw", GONE, 0, 0, NULL, damaged_null),
    BAD(NEAR_NULL, ".", "boundary_t", GONE, 0, 0, NULL, damaged_null),
    BAD(NEAR_NULL, ".", "links", CLASS, 0, 0, NULL, damaged_null),
    BAD(NEAR_NULL, ".", "vectors", NUMBER, 0, 6, NULL, damaged_null),
    BAD(NEAR_NULL, ".", "vectors", NUMBER, 0, 0, NULL, damaged_null),
    BAD(NEAR_NULL, ".", "vectors", GONE, 0, 0, NULL, damaged_null),
    LIKE(NEAR_NULL, ".", "start", NUMBER, 0, 0, NULL),
    LIKE(NEAR_NULL, ".", "start", NUMBER, 0, 2147483647., NULL),
    BAD(NEAR_NULL, ".", "start", NUMBER, 0, -1, NULL, damaged_null),
    BAD(NEAR_NULL, ".", "start", NUMBER, 0, 2147483648., NULL, damaged_null),
    LIKE(NEAR_NULL, ".", "cycles", NUMBER, 0, 0, NULL),
    BAD(NEAR_NULL, ".", "cycles", NUMBER, 0, -1, NULL, damaged_null),
    LIKE(NEAR_NULL, ".", "smoother", NUMBER, 0, 1, NULL),
    BAD(NEAR_NULL, ".", "smoother", NUMBER, 0, 0, NULL, damaged_null),
    LIKE(NEAR_NULL, ".", "coarse_space", NUMBER, 0, 1, NULL),
    BAD(NEAR_NULL, ".", "coarse_space", NUMBER, 0, 0, NULL, damaged_null),
    LIKE(NEAR_NULL, ".", "precision", NUMBER, 0, 32, NULL),
    BAD(NEAR_NULL, ".", "precision", NUMBER, 0, 15, NULL, damaged_null),
    BAD(NEAR_NULL, ".", "precision", NUMBER, 0, 33, NULL, damaged_null),
    BAD(NEAR_NULL, ".", "precision", LONGER, 0, 0, NULL, damaged_null),
    LIKE(NEAR_NULL, ".", "aggregate", NUMBER, 2, 1, NULL),
    BAD(NEAR_NULL, ".", "aggregate", NUMBER, 2, 0, NULL, damaged_null),
    BAD(NEAR_NULL, ".", "aggregate", LONGER, 0, 0, NULL, damaged_null),
    BAD(NEAR_NULL, ".", "coarse_tolerance", GONE, 0, 0, NULL, damaged_null),
    BAD(NEAR_NULL, ".", "seed", GONE, 0, 0, NULL, damaged_null),
    BAD(NEAR_NULL, ".", "dims", NUMBER, 3, 4, NULL, damaged_null),
    BAD(NEAR_NULL, ".", "dims", NUMBER, 0, -4, NULL, damaged_null),
    BAD(NEAR_NULL, ".", "dims", GONE, 0, 0, NULL, damaged_null),
    BAD(NEAR_NULL, "multigrid/v", NULL, EXTENT, 0, 2, NULL, damaged_null),
    BAD(NEAR_NULL, "multigrid/v", NULL, EXTENT, 2, 4, NULL, damaged_null),
    BAD(NEAR_NULL, "multigrid/v", NULL, RANK, 0, 0, NULL, damaged_null),
    BAD(NEAR_NULL, "multigrid/v", NULL, TYPE, 0, 0, NULL, damaged_null),
    BAD(NEAR_NULL, "multigrid/v", NULL, GONE, 0, 0, NULL, damaged_null),
    BAD(NEAR_NULL, "multigrid/suma", NULL, GONE, 0, 0, NULL, "/multigrid/suma is missing or damaged"),
    BAD(NEAR_NULL, "multigrid/near_null", NULL, EXTENT, 0, 2, NULL, "/multigrid/near_null is missing or damaged"),
    BAD(NEAR_NULL, ".", "near_null_crc", NUMBER, 0, 1, NULL, "/multigrid/near_null of '"),
    LIKE(NEAR_NULL, "multigrid/near_null", NULL, ELEMENT, 1, 0, NULL),
    BAD(NEAR_NULL, "multigrid/near_null", NULL, ELEMENT, 1, -1e-300, NULL, "/multigrid/near_null of '"),
    BAD(NEAR_NULL, "multigrid/near_null", NULL, ELEMENT, 2, INFINITY, NULL, "/multigrid/near_null of '"),
    BAD(NEAR_NULL, "multigrid/near_null", NULL, ELEMENT, 0, NAN, NULL, "/multigrid/near_null of '"),
};
/* clang-format on */

/* What naik_file_describe tells of such a file that is whole: from the first `from` on. */
typedef struct told_row {
    file_kind kind;
    bool verify;
    const char *from, *told;
} told_row;

/* clang-format off */
static const told_row told_rows[] = {
    {GAUGE, false, "\"kind\"", "\"kind\": \"gauge configuration\", \"gauge_format\": \"naik-hdf5\", \"size\": \"4,2,6,8\", \"precision\": 64, \"byte_order\": \"little\", \"checksum_kind\": \"suma/sumb\", \"checksum_stored\": \""},
    {GAUGE, false, "\"header\"", "\"header\": \"text\"}"},
    {GAUGE, true, "\"intact\"", "\"intact\": true, \"header\": \"text\"}"},
    {PYQUDA, true, "\"kind\"", "\"kind\": \"gauge configuration\", \"gauge_format\": \"pyquda-hdf5\", \"size\": \"4,2,6,8\", \"precision\": 64, \"byte_order\": \"little\", \"checksum_kind\": \"sum29/sum31\", \"checksum_stored\": \""},
    {PYQUDA, true, "\"intact\"", "\"intact\": true}"},
    {LINKS, false, "\"action\"", "\"action\": \"hisq\", \"boundary_t\": \"antiperiodic\", \"size\": \"4,2,6,8\", \"links\": [{\"dataset\": \"fat\", \"naik_epsilon\": 0, \"precision\": 64, \"byte_order\": \"little\", \"checksum_kind\": \"suma/sumb\", \"checksum_stored\": \""},
    {LINKS, false, "\"dataset\": \"long\"", "\"dataset\": \"long\", \"naik_epsilon\": 0, \"precision\": 64, \"byte_order\": \"little\", \"checksum_kind\": \"suma/sumb\", \"checksum_stored\": \""},
    {LINKS, false, "\"dataset\": \"set", "\"dataset\": \"set0001/fat\", \"naik_epsilon\": -0.25, \"precision\": 64, \"byte_order\": \"little\", \"checksum_kind\": \"suma/sumb\", \"checksum_stored\": \""},
    {LINKS, true, "\"intact\"", "\"intact\": true}, {\"dataset\": \"long\""},
    {LINKS, false, "\"attributes_intact\"", "\"attributes_intact\": true}"},
    {MODES, false, "\"size\"", "\"size\": \"4,2,6,8\", \"naik_epsilon\": 0, \"fat_links\": \"0 0\", \"long_links\": \"0 0\", \"parity\": \"even\", \"file_precision\": 32, \"modes\": 3, \"lambda_first\": 0.25, \"lambda_last\": 0.4330127018922193, \"modes_within_tolerance\": 2, \"largest_residual\": 3e-06, \"largest_residual_of_last_lambda2\": 4e-06, \"tolerance\": 4e-06, \"interval_high\": 22, \"seed\": 1, \"attributes_intact\": true}"},
    {BRICKS, false, "\"format_version\"", "\"format_version\": \"2.0\", \"state\": \"complete\", \"size\": \"4,2,6,8\", \"naik_epsilon\": 0, \"fat_links\": \"0 0\", \"long_links\": \"0 0\", \"parity\": \"even\", \"file_precision\": 16, \"modes\": 3, "},
    {NEAR_NULL, false, "\"kind\"", "\"kind\": \"near-null vectors of multigrid\", \"format\": \"naik-multigrid\", \"format_version\": \"1.0\", \"state\": \"complete\", \"action\": \"clover\", \"boundary_t\": \"antiperiodic\", \"size\": \"4,2,6,8\", \"mass\": 0.25, \"naik_epsilon\": 0, \"kappa\": 0.11764705882352941, \"csw\": 1.5, \"u0\": 0.875, \"twist\": \"0.125 0 0.5\", \"links\": \"links of this test\", \"vectors\": 3, \"aggregate\": \"2x1x3x4\", \"start\": 5, \"cycles\": 7, \"smoother\": 8, \"coarse_tolerance\": 0.375, \"coarse_space\": 9, \"precision\": 16, \"seed\": 11, \"largest_Mh_v_over_v\": 0.25, \"attributes_intact\": true}"},
    {PROP, false, "\"size\"", "\"size\": \"8,4,4,8\", \"precision\": 64, \"propagators_stored\": true, \"metadata\": {"},
    {PROP, false, "\"choices\"", "\"choices\": \"inner_precision = single\", \"contractions\": "},
    {PROP, false, "\"set\": \"pt\"", "\"set\": \"pt\", \"source\": 0, \"mass_index\": 0, \"mass\": 0.05, \"colour\": 0, \"state\": \"done\", \"iterations\": 3, \"restarts\": 0, \"rung\": \"half\", \"target\": 1e-10, \"true_residual\": 1e-11, \"source_residual\": 2e-11, \"norm\": 17, \"seconds\": 0, \"stop_reason\": \"converged\", \"session\": 0, \"suma\": \""},
    {PROP, false, "\"mass_index\": 1, \"mass\": 0.1, \"colour\": 2", "\"mass_index\": 1, \"mass\": 0.1, \"colour\": 2, \"state\": \"not_converged\", \"iterations\": 8, \"restarts\": 0, \"rung\": \"half\", \"modes\": 100, "},
    {PROP, true, "\"contractions\": 3", "\"contractions\": 3, \"solves_done\": 11, \"solves_not_converged\": 1, \"solves_pending\": 0, \"solves_damaged\": 0, \"complete\": true, \"intact\": true, \"attributes_intact\": true}"},
};
/* clang-format on */

#endif
