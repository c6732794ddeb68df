/* ledger.h - the memory that a backend has given out and not got back */
#ifndef NAIK_TESTS_LEDGER_H
#define NAIK_TESTS_LEDGER_H

#include "backend/backend.h"

/* From now on until it is closed, of one backend at a time. */
void ledger_open(naik_backend *backend);
void ledger_close(naik_backend *backend);
size_t ledger_now(void);      /* bytes */
size_t ledger_most(void);     /* at the most since it was opened, or */
void ledger_begin(void);      /* since this call */
size_t ledger_messages(void); /* of those now, what halos of D have for messages */

#endif
