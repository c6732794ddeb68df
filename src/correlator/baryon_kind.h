/* baryon_kind.h - what the file says of a baryon */
#ifndef NAIK_CORRELATOR_BARYON_KIND_H
#define NAIK_CORRELATOR_BARYON_KIND_H

#include <stdbool.h>

/* The definition of a naik_baryon of one quark or of three different ones, in one line. Local. */
const char *baryon_definition(int baryon, bool spin, int quarks);

#endif
