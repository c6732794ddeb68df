/* session_arrays.h - arrays of a session's caller, on the host or on the GPU of the session */
#ifndef NAIK_SESSION_SESSION_ARRAYS_H
#define NAIK_SESSION_SESSION_ARRAYS_H

#include "run/workplace.h"

/* Whether the arrays lie in the memory of the workplace's GPU; waits then for what is enqueued to them. b
 * may be NULL. Collective. NAIK_ERR_INPUT where one array, or one rank, differs from another, or where
 * they lie on another GPU */
naik_status session_arrays_place(const workplace *w, const double *a, const double *b, bool *there);

/* *out = a copy on the host of `count` numbers in backend memory, for naik_free. *out is NULL for none.
 * Local. NAIK_ERR_MEMORY, NAIK_ERR_DEVICE */
naik_status session_arrays_fetch(const workplace *w, const double *there, size_t count,
                                 double **out);

#endif
