/* fnal_text.h - correlators as the text that MILC writes for FNAL's analysis */
#ifndef NAIK_CLI_FNAL_TEXT_H
#define NAIK_CLI_FNAL_TEXT_H

#include "io/prop/reader.h"

/* Blocks "---", metadata, "...", then for each correlator "---", its names and a line
 * "t<TAB>re<TAB>im" for every t. Local. The number of correlators printed. */
int fnal_text_print(naik_log *log, const naik_propagator_reader *view);

#endif
