/* judgements.h - the rows of links_are_judged_by_what_they_are in test_refusals.c: links that are changed, what their file
 * claims of them, and what naik says of both
 */
#ifndef NAIK_TESTS_JUDGEMENTS_H
#define NAIK_TESTS_JUDGEMENTS_H

#include <math.h>
#include <stdbool.h>

/* Which links, and how many rows of each, are multiplied by a number; what the file claims of them. */
typedef enum chosen {
    NONE,
    ALL,
    ONE,
    LAST,
    LAST_ALONE,
    PHASES,
    BOTH,
    SOME,
    Y_ALONE,
    FIRST,
    LAST_AND_ONE,
    CHOICES
} chosen;

typedef struct judged {
    chosen links;
    int touched; /* 0: all three rows */
    double re, im;
    int sum, rows; /* sum 0: none, 1: agrees, 2 and 3: does not, of one word and of two */
    double plaquette, plaquette_last; /* more than the links had before */
    double trace, trace_last;
    double limit;
    const char *format; /* "nersc" */
    bool swapped, given;
    const char *says; /* status, kind, whether they are unusable, what, and the objections */
} judged;

#define REMEDY                                                                                     \
    "naik puts staggered phases and boundary on the links itself: store the links without them"

/* clang-format off */
static const judged judgements[] = {
    {.links = ONE, .re = 1 + 4e-6, .sum = 1, .says = "0 0 0 good: "},
    {.links = ONE, .re = 1 + 6e-6, .sum = 1, .says = "3 0 0 holds no SU(3) configuration: links are not unitary: |U U^+ - 1| reaches 1.2e-05, the limit is 1e-05"},
    {.links = ONE, .re = 1 + 6e-6, .says = "5 0 0 is damaged: links are not unitary: |U U^+ - 1| reaches 1.2e-05, the limit is 1e-05"},
    {.links = ONE, .re = 1 + 6e-6, .limit = 1e-4, .says = "0 0 0 good: "},
    {.links = ALL, .re = 1 + 6e-6, .says = "3 0 0 holds no SU(3) configuration: links are not unitary: |U U^+ - 1| reaches 1.2e-05, the limit is 1e-05"},
    {.links = ONE, .re = 1, .im = 9e-6, .says = "0 0 0 good: "},
    {.links = ONE, .re = 1, .im = 11e-6, .sum = 1, .says = "3 0 0 holds no SU(3) configuration: determinants are not 1: |det U - 1| reaches 3.3e-05, the limit is 3e-05"},
    {.links = ALL, .re = 1, .im = 1e-4, .plaquette = -1, .says = "5 0 0 is damaged: plaquette is stored as -0.328912893, but the links give 0.004420440405; determinants are not 1: |det U - 1| reaches 0.0003, the limit is 3e-05"},
    {.links = ALL, .re = 0.8, .im = 0.6, .says = "5 0 0 is damaged: link trace is stored as 0.009104979074, but the links give 0.004491073786; determinants are not 1: |det U - 1| reaches 1.64, the limit is 3e-05; it is a field of U(3), because the determinants of most of its links are not 1"},
    {.links = ALL, .re = 0.8, .im = 0.6, .trace = NAN, .says = "3 0 0 holds no SU(3) configuration: determinants are not 1: |det U - 1| reaches 1.64, the limit is 3e-05; it is a field of U(3), because the determinants of most of its links are not 1"},
    {.links = ONE, .re = 1.025, .sum = 1, .limit = 1, .plaquette = NAN, .trace = NAN, .says = "0 0 0 good: "},
    {.links = ALL, .re = 2, .sum = 1, .plaquette = NAN, .trace = NAN, .says = "3 3 1 holds no SU(3) configuration: its links are 2 times unitary matrices, as long links are: give them as action.long_file, with action.type links"},
    {.links = ALL, .re = 2, .sum = 1, .says = "5 0 0 contradicts itself: plaquette is stored as 0.004420440317, but the links give 0.07072704507; link trace is stored as 0.009104979074, but the links give 0.01820995815; links are not unitary: |U U^+ - 1| reaches 3, the limit is 1e-05; determinants are not 1: |det U - 1| reaches 7, the limit is 3e-05"},
    {.links = ALL, .re = 2, .sum = 1, .limit = 4, .plaquette = NAN, .trace = NAN, .says = "0 0 0 good: "},
    {.links = ALL, .re = 2, .sum = 2, .says = "5 0 0 is damaged: checksum nersc is stored as 1a, but the data give 2a; plaquette is stored as 0.004420440317, but the links give 0.07072704507; link trace is stored as 0.009104979074, but the links give 0.01820995815; links are not unitary: |U U^+ - 1| reaches 3, the limit is 1e-05; determinants are not 1: |det U - 1| reaches 7, the limit is 3e-05"},
    {.links = ALL, .re = 1e100, .plaquette = NAN, .trace = NAN, .says = "5 0 1 is damaged: links hold NaN or infinity"},
    {.links = ONE, .re = 1.02, .limit = 1, .plaquette = NAN, .trace = NAN, .says = "0 0 0 good: "},
    {.links = SOME, .touched = 1, .re = 2, .plaquette = NAN, .trace = NAN, .says = "5 0 0 is damaged: links are not unitary: |U U^+ - 1| reaches 3, the limit is 1e-05; determinants are not 1: |det U - 1| reaches 1, the limit is 3e-05"},
    {.links = SOME, .re = 0.8, .im = 0.6, .plaquette = NAN, .trace = NAN, .says = "5 0 0 is damaged: determinants are not 1: |det U - 1| reaches 1.64, the limit is 3e-05"},
    {.links = SOME, .re = 1 + 6e-6, .says = "5 0 0 is damaged: links are not unitary: |U U^+ - 1| reaches 1.2e-05, the limit is 1e-05"},
    {.links = SOME, .re = -1, .says = "3 2 1 holds no SU(3) configuration: signs of phases or of a boundary are in the links, because the determinant of 256 x-, 128 y-, 0 z- and 0 t-links of 256 each is -1: " REMEDY},
    {.links = Y_ALONE, .re = -1, .says = "3 2 1 holds no SU(3) configuration: staggered phases are in the links, because the determinant of 0 x-, 128 y-, 0 z- and 0 t-links of 256 each is -1: " REMEDY},
    {.links = FIRST, .re = -1, .says = "3 2 1 holds no SU(3) configuration: signs of phases or of a boundary are in the links, because the determinant of 0 x-, 0 y-, 0 z- and 64 t-links of 256 each is -1: " REMEDY},
    {.links = LAST_AND_ONE, .re = 0, .says = "5 0 1 is damaged: plaquette is stored as 0.004420440317, but the links give 0.002409353287; link trace is stored as 0.009104979074, but the links give 0.008195424349; links are not unitary: |U U^+ - 1| reaches 1, the limit is 1e-05; determinants are not 1: |det U - 1| reaches 1, the limit is 3e-05"},
    {.links = ALL, .touched = 1, .re = 2, .sum = 1, .plaquette = NAN, .trace = NAN, .says = "3 4 1 holds no SU(3) configuration: 1024 of its 1024 links are far from unitary, as fat links are: give them as action.file, with action.type links"},
    {.links = ALL, .touched = 1, .re = 2, .sum = 3, .plaquette = NAN, .trace = NAN, .says = "5 0 0 is damaged: checksum suma/sumb is stored as 1a 1b, but the data give 2a 1c; links are not unitary: |U U^+ - 1| reaches 3, the limit is 1e-05; determinants are not 1: |det U - 1| reaches 1, the limit is 3e-05"},
    {.links = ONE, .re = 2, .sum = 1, .says = "5 0 0 contradicts itself: plaquette is stored as 0.004420440317, but the links give 0.003870514545; link trace is stored as 0.009104979074, but the links give 0.009341597207; links are not unitary: |U U^+ - 1| reaches 3, the limit is 1e-05; determinants are not 1: |det U - 1| reaches 7, the limit is 3e-05"},
    {.links = ONE, .re = 0, .sum = 1, .says = "5 0 1 is damaged: plaquette is stored as 0.004420440317, but the links give 0.004970366089; link trace is stored as 0.009104979074, but the links give 0.00886836094; links are not unitary: |U U^+ - 1| reaches 1, the limit is 1e-05; determinants are not 1: |det U - 1| reaches 1, the limit is 3e-05"},
    {.links = ONE, .re = 0, .says = "5 0 1 is damaged: plaquette is stored as 0.004420440317, but the links give 0.004970366089; link trace is stored as 0.009104979074, but the links give 0.00886836094; links are not unitary: |U U^+ - 1| reaches 1, the limit is 1e-05; determinants are not 1: |det U - 1| reaches 1, the limit is 3e-05"},
    {.links = LAST, .re = 0, .says = "3 1 1 holds no periodic configuration: its boundary in time is open, because every t-link of the last time slice is zero: naik computes on periodic lattices"},
    {.links = LAST, .re = 0, .sum = 2, .says = "5 1 1 is damaged: checksum nersc is stored as 1a, but the data give 2a; plaquette is stored as 0.004420440317, but the links give 0.001859427516; link trace is stored as 0.009104979074, but the links give 0.008432042483; its boundary in time is open, because every t-link of the last time slice is zero: naik computes on periodic lattices"},
    {.links = LAST_ALONE, .re = 0, .sum = 1, .says = "5 0 1 is damaged: plaquette is stored as 0.004420440317, but the links give 0.006051679809; link trace is stored as 0.009104979074, but the links give 0.008845082666; links are not unitary: |U U^+ - 1| reaches 1, the limit is 1e-05; determinants are not 1: |det U - 1| reaches 1, the limit is 3e-05"},
    {.links = LAST, .re = -1, .sum = 1, .says = "3 2 1 holds no SU(3) configuration: the antiperiodic boundary is in the links, because the determinant of every t-link of the last time slice is -1: " REMEDY},
    {.links = LAST, .re = -1, .sum = 2, .says = "5 2 1 is damaged: checksum nersc is stored as 1a, but the data give 2a; link trace is stored as 0.009104979074, but the links give 0.007759105892; the antiperiodic boundary is in the links, because the determinant of every t-link of the last time slice is -1: " REMEDY},
    {.links = LAST, .re = -1, .limit = 4, .says = "3 2 1 holds no SU(3) configuration: the antiperiodic boundary is in the links, because the determinant of every t-link of the last time slice is -1: " REMEDY},
    {.links = LAST_ALONE, .re = -1, .says = "3 2 1 holds no SU(3) configuration: signs of phases or of a boundary are in the links, because the determinant of 0 x-, 0 y-, 0 z- and 16 t-links of 256 each is -1: " REMEDY},
    {.links = PHASES, .re = -1, .says = "3 2 1 holds no SU(3) configuration: staggered phases are in the links, because the determinant of 128 x-, 128 y-, 128 z- and 0 t-links of 256 each is -1: " REMEDY},
    {.links = BOTH, .re = -1, .says = "3 2 1 holds no SU(3) configuration: staggered phases and the antiperiodic boundary are in the links, because the determinant of 128 x-, 128 y-, 128 z- and 64 t-links of 256 each is -1: " REMEDY},
    {.links = LAST, .touched = 2, .re = -1, .rows = 2, .sum = 1, .says = "3 2 1 holds no SU(3) configuration: the antiperiodic boundary is in the two rows of its links, because the links without them have the stored plaquette: " REMEDY},
    {.links = PHASES, .touched = 2, .re = -1, .rows = 2, .says = "3 2 1 holds no SU(3) configuration: staggered phases are in the two rows of its links, because the links without them have the stored plaquette: " REMEDY},
    {.links = BOTH, .touched = 2, .re = -1, .rows = 2, .says = "3 2 1 holds no SU(3) configuration: staggered phases and the antiperiodic boundary are in the two rows of its links, because the links without them have the stored plaquette: " REMEDY},
    {.links = BOTH, .touched = 2, .re = -1, .rows = 2, .sum = 3, .says = "5 0 0 is damaged: checksum suma/sumb is stored as 1a 1b, but the data give 2a 1c; plaquette is stored as 0.004420440317, but the links give -0.002139372944; link trace is stored as 0.009104979074, but the links give 0.007205201434"},
    {.links = BOTH, .touched = 2, .re = -1, .says = "5 0 0 is damaged: plaquette is stored as 0.004420440317, but the links give -0.002139372944; link trace is stored as 0.009104979074, but the links give 0.007205201434"},
    {.links = LAST_ALONE, .touched = 2, .re = -1, .rows = 2, .sum = 1, .says = "5 0 0 contradicts itself: plaquette is stored as 0.004420440317, but the links give 0.007733631235; link trace is stored as 0.009104979074, but the links give 0.007436466588"},
    {.sum = 1, .says = "0 0 0 good: "},
    {.sum = 2, .says = "5 0 0 is damaged: checksum nersc is stored as 1a, but the data give 2a"},
    {.sum = 3, .says = "5 0 0 is damaged: checksum suma/sumb is stored as 1a 1b, but the data give 2a 1c"},
    {.plaquette = 2.9e-5, .trace = 0.9e-6, .says = "0 0 0 good: "},
    {.plaquette = 3.1e-5, .trace = 1.1e-6, .says = "5 0 0 is damaged: plaquette is stored as 0.00443077365, but the links give 0.004420440317; link trace is stored as 0.009106079074, but the links give 0.009104979074"},
    {.plaquette = -3.1e-5, .sum = 1, .says = "5 0 0 contradicts itself: plaquette is stored as 0.004410106984, but the links give 0.004420440317"},
    {.trace = -1.1e-6, .sum = 1, .says = "5 0 0 contradicts itself: link trace is stored as 0.009103879074, but the links give 0.009104979074"},
    {.plaquette = 3 * 5e-5, .plaquette_last = 1e-4, .trace = 5e-5, .trace_last = 1e-4, .says = "0 0 0 good: "},
    {.plaquette = 3 * 5.2e-5, .plaquette_last = 1e-4, .trace = 5.2e-5, .trace_last = 1e-4, .says = "5 0 0 is damaged: plaquette is stored as 0.004472440317, but the links give 0.004420440317; link trace is stored as 0.009156979074, but the links give 0.009104979074"},
    {.plaquette = 3 * 0.99e-3, .plaquette_last = 1, .trace = 0.99e-3, .trace_last = 1, .says = "0 0 0 good: "},
    {.plaquette = 3 * 1.01e-3, .plaquette_last = 1, .trace = 1.01e-3, .trace_last = 1, .says = "5 0 0 is damaged: plaquette is stored as 0.005430440317, but the links give 0.004420440317; link trace is stored as 0.01011497907, but the links give 0.009104979074"},
    {.plaquette = 0.187, .format = "openqcd", .says = "5 0 0 is damaged: plaquette is stored as 0.06675377365, but the links give 0.004420440317"},
    {.plaquette = 0.188, .format = "openqcd", .says = "3 1 1 holds no periodic configuration: its links are fixed at the end in time (openQCD's boundary of type 1 or 2), because its plaquette 0.06708710698 is that of such links, and on a periodic lattice they would give 0.004420440317: naik computes on periodic lattices"},
    {.plaquette = 0.937, .format = "openqcd", .says = "3 1 1 holds no periodic configuration: its links are fixed at the end in time (openQCD's boundary of type 1 or 2), because its plaquette 0.3167537737 is that of such links, and on a periodic lattice they would give 0.004420440317: naik computes on periodic lattices"},
    {.plaquette = 0.938, .format = "openqcd", .says = "5 0 0 is damaged: plaquette is stored as 0.317087107, but the links give 0.004420440317"},
    {.plaquette = 0.188, .says = "5 0 0 is damaged: plaquette is stored as 0.06708710698, but the links give 0.004420440317"},
    {.swapped = true, .says = "3 0 1 holds no SU(3) configuration: its numbers are not big-endian, as those of its format are: the rows of its links have length 1 only once the bytes of each number are swapped, so swap them"},
    {.swapped = true, .sum = 2, .says = "5 0 1 is damaged: checksum nersc is stored as 1a, but the data give 2a; its numbers are not big-endian, as those of its format are: the rows of its links have length 1 only once the bytes of each number are swapped, so swap them"},
    {.links = ONE, .re = NAN, .says = "5 0 1 is damaged: links hold NaN or infinity"},
    {.links = ONE, .re = INFINITY, .given = true, .sum = 1, .says = "3 0 1 holds no SU(3) configuration: links hold NaN or infinity: are the extents given those of the file?"},
};
/* clang-format on */

#endif
