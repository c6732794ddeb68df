/* correlator_facts.h - correlators as text, and what must stand beside their numbers wherever they are printed */
#ifndef NAIK_CLI_CORRELATOR_FACTS_H
#define NAIK_CLI_CORRELATOR_FACTS_H

#include "io/prop/reader.h"

/* Solves of this quark that missed their tolerance. The source of an average is the entry of solve, whose
 * sources all count. Local. */
int correlator_unconverged_quark(const naik_propagator_reader *view,
                                 const naik_contracted_quark *quark);
/* The same of all quarks of a correlator; of truncated solves their exact ones count where they are in it. Local. */
int correlator_unconverged(const naik_propagator_reader *view, const naik_reader_contraction *c);
/* Whether solves of this source have this mass with another Naik epsilon as well. Local. */
bool correlator_mass_is_shared(const naik_propagator_reader *view, const char *source,
                               const naik_quark *quark);

/* ---- fnal_text.c: correlators as the text that MILC writes for FNAL's analysis */

/* Blocks "---", metadata, "...", then for each correlator "---", its names and a line
 * "t<TAB>re<TAB>im" for every t. Local. The number of correlators printed. */
int fnal_text_print(naik_log *log, const naik_propagator_reader *view);

#endif
