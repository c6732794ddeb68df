/* quark_attributes.h - the numbers of a quark as attributes of what was solved or made with it
 *
 * Which numbers there are is written in the row of the quark's kind (operator/quark.h).
 */
#ifndef NAIK_IO_PROP_QUARK_ATTRIBUTES_H
#define NAIK_IO_PROP_QUARK_ATTRIBUTES_H

#include "io/h5/h5.h"
#include "operator/quark.h"

enum { NAIK_PROP_QUARK_NAME = 64 };

/* Of a propagator, or of the correlators of one quark: its numbers, twist, kind and facts. Does not
 * agree. NAIK_ERR_IO */
naik_status naik_prop_put_quark(naik_log *log, hid_t object, const naik_quark *quark);
/* Of a source, for all masses of its entry: each number as a list of `count`, of quarks[which[k]]. Does not agree.
 * NAIK_ERR_IO, NAIK_ERR_MEMORY */
naik_status naik_prop_put_quarks(naik_log *log, hid_t object, const naik_quark *quarks,
                                 const int *which, int count);
/* Of one of the quarks of a hadron: PREFIXmass ... Does not agree. NAIK_ERR_IO */
naik_status naik_prop_put_hadron_quark(naik_log *log, hid_t object, const char *prefix,
                                       const naik_quark *quark);
/* Reads a quark back; prefix "" for that of a propagator or a source, index its mass in the lists of a source, else -1. A number that is not there stays as it is in *quark; so
 * does the kind where the object has none, and the kind is NULL where naik has none of that name. Local. */
void naik_prop_get_quark(hid_t object, const char *prefix, int index, naik_quark *quark);
/* Whether an object has every number and fact that naik_prop_put_quark gives it for `quark`, which was read from it:
 * what is derived follows from the other numbers, what no input can give is not given, and the facts are
 * those of the kind. Local. */
bool naik_prop_states_quark(hid_t object, const naik_quark *quark);

#endif
