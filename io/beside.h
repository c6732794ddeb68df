/* beside.h - files beside an output that naik would write over: its own, or somebody's
 *
 * While naik makes PATH it uses PATH.part, PATH.lock and, in a solve, PATH.journal and
 * PATH.part.state. A file of such a name is naik's where naik left it; any other file stays.
 */
#ifndef NAIK_IO_BESIDE_H
#define NAIK_IO_BESIDE_H

#include <stdbool.h>

#include "naik/log.h"

typedef enum naik_beside {
    NAIK_BESIDE_ONE_GO, /* PATH.part is begun anew: a killed command has left its lock beside it */
    NAIK_BESIDE_SOLVE   /* PATH.part is continued, which its own content or its journal allow */
} naik_beside;

/* Whether everything that lies beside PATH under such a name is naik's. A symbolic link never is,
 * as what it leads to would be written over. An empty file is. Local.
 * NAIK_ERR_INPUT  with the name of what is not, and what to do */
naik_status naik_beside_check(naik_log *log, const char *path, naik_beside use);
/* The same of PATH alone, which naik writes over where it begins with these bytes. Local. */
naik_status naik_beside_refuse_other(naik_log *log, const char *path, const char *begin,
                                     int length);

/* Whether PATH is NAME.part that a command is making, or was killed in making: naik's lock lies beside it, and no
 * journal, which a solve begins when its .part is there as a whole. Local. */
bool naik_beside_in_making(const char *path);
/* The sentence of whoever found PATH not to be as it should. Of a file in making NAIK_ERR_INTERRUPTED, which says so;
 * of a damaged .part with a journal the sentence that is there, and that the same solve goes on. Local. */
naik_status naik_beside_explain(naik_log *log, const char *path, bool in_making,
                                naik_status status);

#endif
