/* known_quarks.c - the kinds of quarks that an input can name; a test's program has a list of its own */
#include <stddef.h>

#include "operator/quark.h"

#define ROWS(DO)                                                                                   \
    DO(naive), DO(asqtad), DO(hisq), DO(links), DO(wilson), DO(clover), DO(twisted_mass)
#define ROW(kind)  &naik_kind_##kind
#define WORD(kind) #kind
const naik_quark_kind *const naik_quark_kinds[] = {ROWS(ROW), NULL};
const char *const naik_quark_words[] = {ROWS(WORD), NULL};
